/* Links as a learner follows them: reached with Tab, followed with Enter or a click, and left again with Backspace to
 * the very place and settings that were there; what was set by hand travels, the rest is each lesson's own start. */
#include <check.h>
#include <stdio.h>
#include <string.h>

#include "support/drive.h"
#include "support/experiment_lesson.h"

static struct drive d;

static void open_at(int rows, int cols, bool chinese) {
    struct app_options options = {.chinese = chinese, .progress = ""};
    ck_assert(drive_open(&d, rows, cols, &options));
}

static void keys(const char *names) {
    ck_assert(drive_keys(&d, names));
}

static void see(const char *text) {
    if (!drive_shows(&d, text)) {
        fprintf(stderr, "%s\n", d.text); /* too long for Check */
        ck_abort_msg("not on the screen: %s", text);
    }
}

static void see_not(const char *text) {
    if (drive_shows(&d, text)) {
        fprintf(stderr, "%s\n", d.text);
        ck_abort_msg("on the screen: %s", text);
    }
}

/* The third page of *memory*, with its link in focus. */
#define MEMORY_LINK "open:memory Space Space BackTab "

START_TEST(enter_follows_to_the_page_that_the_link_names) {
    open_at(40, 120, false);
    keys("open:memory Space Space Space Space");
    see("Memory · 5/6"); /* it has no links, and so no pane of them */
    for (int i = 0; i < 8; i++) {
        keys("Tab");
        see_not("Enter follow");
    }
    keys("N N BackTab");
    see("Memory · 3/6");
    see("Enter follow");
    keys("Enter");
    see("Collectives · 2/5");
    see("Backspace returns to where you were");
    see("Backspace back to the link");
    drive_close(&d);
}
END_TEST

START_TEST(a_link_below_the_pane_is_scrolled_into_sight) {
    open_at(24, 80, false);
    keys("open:memory Space Space");
    see_not("→ What this costs");
    keys("BackTab");
    see("→ What this costs");
    see("Enter follow");
    drive_close(&d);
}
END_TEST

START_TEST(backspace_returns_to_page_focus_scroll_and_settings) {
    open_at(24, 80, false);
    keys("open:memory Space Space Down Right Right Down Left"); /* ZeRO-3 on four ranks */
    see("dp 4 · ZeRO-3");
    keys("BackTab BackTab BackTab BackTab BackTab BackTab"); /* round to the links */
    while (!drive_shows(&d, "Enter follow")) {
        keys("BackTab");
    }
    keys("PgDn PgDn");
    char before[sizeof d.text];
    memcpy(before, d.text, sizeof before);
    keys("Enter Right Right Space");
    see("Collectives · 3/5");
    keys("Backspace");
    ck_assert_str_eq(d.text, before);
    keys("u"); /* the moves of then can still be taken back */
    see("dp 8 · ZeRO-3");
    drive_close(&d);
}
END_TEST

START_TEST(what_was_moved_travels_and_the_rest_is_the_start) {
    open_at(40, 120, false);
    keys("open:memory Right Space Space BackTab Enter");
    see("Collectives · 2/5");
    see("what you had set came along");
    keys("Space Space Space"); /* the card is a knob there; its lesson reads no model */
    keys("Backspace Esc open:collectives y");
    see("shardlab allreduce --ranks 4");
    keys("Esc Esc open:memory y"); /* from home too */
    see("--model llama-2-13b");
    see("--dp 8");
    drive_close(&d);
}
END_TEST

START_TEST(what_was_moved_back_travels_no_more) {
    open_at(40, 120, false);
    keys(
        "open:memory Down Down Right Right u 0 Up Up Right 0"); /* ranks moved and reset, model too */
    keys("Esc open:collectives Esc open:memory y");
    see("--model llama-2-7b --dp 8");
    drive_close(&d);
}
END_TEST

/* What goes with one lesson need not go with the next: that one then says so. */
START_TEST(settings_that_a_lesson_cannot_have_stay_behind) {
    static struct lesson megatron;
    struct message why;
    open_at(40, 120, false);
    keys(MEMORY_LINK);
    keys("Tab Down Right Right"); /* ZeRO-3 */
    see("ZeRO-3");
    megatron = experiment_lesson;
    megatron.start = "--model llama-2-7b --dp 4 --zero 1 --convention megatron";
    ck_assert_int_eq(app_show_lesson(d.app, &megatron, &why), STATUS_OK);
    drive_draw(&d);
    see("your settings do not go with this lesson, so it starts with its own");
    see("dp 4 · ZeRO-1");
    see("megatron");
    drive_close(&d);
}
END_TEST

START_TEST(many_links_are_remembered_up_to_a_bound_and_then_backspace_leads_home) {
    enum { KEPT = 16, FOLLOWED = 2 * KEPT + 4 };
    open_at(24, 80, false);
    keys("open:memory Space Space");
    for (int i = 0; i < FOLLOWED; i++) {
        while (!drive_shows(&d, "Enter follow")) {
            keys("BackTab");
        }
        keys("Enter");
        see(i % 2 == 0 ? "Collectives · 2/5" : "Memory · 3/6");
    }
    for (int i = 0; i < KEPT; i++) {
        keys("Backspace");
        see(i % 2 == 0 ? "Collectives · 2/5" : "Memory · 3/6");
        keys("Tab"); /* away from the link, so that its hint does not mislead */
    }
    keys("Backspace");
    see("Lessons");
    drive_close(&d);
}
END_TEST

START_TEST(esc_goes_home_and_forgets_the_way) {
    open_at(24, 80, false);
    keys(MEMORY_LINK "Enter Esc");
    see("Lessons");
    keys("open:memory");
    see_not("back to the link");
    keys("Backspace");
    see("Lessons");
    drive_close(&d);
}
END_TEST

START_TEST(a_picture_that_moves_is_found_where_it_stood) {
    open_at(40, 120, false);
    keys("open:collectives Space . .");
    see("after round 5 of 6");
    keys("BackTab Enter");
    see("Memory · 3/6");
    keys("Backspace");
    see("Collectives · 2/5");
    see("after round 5 of 6");
    drive_close(&d);
}
END_TEST

START_TEST(a_click_follows_a_link) {
    open_at(40, 120, true);
    keys("m open:memory Space Space");
    ck_assert(drive_mouse(&d, UI_MOUSE_PRESS, "→ 这样做", 3));
    see("集合通信 · 2/5");
    ck_assert(drive_mouse(&d, UI_MOUSE_PRESS, "Backspace 回到链接处", 0));
    see("显存 · 3/6");
    drive_close(&d);
}
END_TEST

START_TEST(a_page_opened_from_the_glossary_is_left_the_same_way) {
    open_at(40, 120, false);
    keys("open:memory Right Space Space g r i n g Enter Enter");
    see("Collectives");
    see("Backspace back to the link");
    keys("Backspace");
    see("Memory · 3/6");
    see("llama-2-13b");
    drive_close(&d);
}
END_TEST

START_TEST(a_refused_stop_is_left_behind_with_its_sentence) {
    open_at(40, 120, false);
    keys("open:memory c Right Enter Space Space Down Right"); /* megatron has no ZeRO-2 */
    see("is not defined by --convention megatron");
    keys("BackTab Enter");
    see("Collectives · 2/5");
    see_not("is not defined");
    keys("Backspace");
    see("Memory · 3/6");
    see_not("is not defined");
    drive_close(&d);
}
END_TEST

static Suite *suite(void) {
    Suite *s = suite_create("links");
    TCase *t = tcase_create("links");
    tcase_set_timeout(t, 60);
    tcase_add_test(t, enter_follows_to_the_page_that_the_link_names);
    tcase_add_test(t, a_link_below_the_pane_is_scrolled_into_sight);
    tcase_add_test(t, backspace_returns_to_page_focus_scroll_and_settings);
    tcase_add_test(t, what_was_moved_travels_and_the_rest_is_the_start);
    tcase_add_test(t, what_was_moved_back_travels_no_more);
    tcase_add_test(t, settings_that_a_lesson_cannot_have_stay_behind);
    tcase_add_test(t, many_links_are_remembered_up_to_a_bound_and_then_backspace_leads_home);
    tcase_add_test(t, esc_goes_home_and_forgets_the_way);
    tcase_add_test(t, a_picture_that_moves_is_found_where_it_stood);
    tcase_add_test(t, a_click_follows_a_link);
    tcase_add_test(t, a_page_opened_from_the_glossary_is_left_the_same_way);
    tcase_add_test(t, a_refused_stop_is_left_behind_with_its_sentence);
    suite_add_tcase(s, t);
    return s;
}

#include "support/check_main.h"
