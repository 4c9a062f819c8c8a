/* Guess first, as a learner meets it: what is hidden while a page asks, the ways to answer, what stays beside the
 * picture, and who asks when an experiment asks too. The pages are those of *memory* with questions of the test's own:
 * on the first one about the data ranks, on the second one beside an experiment that asks as well. */
#include <check.h>
#include <stdio.h>
#include <string.h>

#include "support/drive.h"
#include "support/experiment_lesson.h"

static struct drive d;

static bool guess_of(const struct lesson_input *in, struct lesson_guess *out) {
    static const char *const whys[] = {"as if there were one", "it is what dp says",
                                       "counted twice"};
    if (in->page > 1 || in->now->layout.dp == 1) {
        return false;
    }
    message_start(&out->question, "How many data ranks?");
    for (uint64_t i = 0; i < 3; i++) {
        char text[32];
        snprintf(text, sizeof text, "%u ranks", (unsigned)(in->now->layout.dp * i * i + 1 - i));
        message_start(&out->choices[i], "view.value");
        message_add_text(&out->choices[i], text);
        message_start(&out->why[i], whys[i]);
    }
    out->choice_count = 3;
    out->right = 1;
    return true;
}

static struct lesson asking;

static void open_at(int rows, int cols, bool chinese) {
    struct app_options options = {.chinese = chinese, .progress = ""};
    struct message why;
    asking = experiment_lesson;
    asking.guess = guess_of;
    ck_assert(drive_open(&d, rows, cols, &options));
    ck_assert_int_eq(app_show_lesson(d.app, &asking, &why), STATUS_OK);
    drive_draw(&d);
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

START_TEST(a_page_that_asks_hides_its_picture_and_its_numbers) {
    open_at(40, 120, false);
    see("Guess first");
    see("How many data ranks?");
    see("2  4 ranks");
    see("3  15 ranks");
    see("This model has ? parameters.");
    see_not("12Ψ");
    see_not("r run it");
    see_not("w why");
    keys("w");
    see("this key does nothing here");
    keys("Tab Enter");
    see("How many data ranks?");
    see_not("bytes per");
    keys("r");
    ck_assert_uint_eq(d.effects & APP_EFFECT_RUN, 0);
    keys("2");
    see("You said 4 ranks: right.");
    see("4 ranks: it is what dp says");
    see("This model has 6.74B parameters.");
    see("12Ψ");
    see("r run it");
    drive_close(&d);
}
END_TEST

START_TEST(a_wrong_answer_names_what_it_has_in_mind_and_what_is_right) {
    open_at(40, 120, false);
    keys("3");
    see("How many data ranks?");
    see("You said 15 ranks; it is 4 ranks.");
    see("15 ranks: counted twice");
    see("4 ranks: it is what dp says");
    see_not("as if there were one");
    see("12Ψ");
    drive_close(&d);
}
END_TEST

START_TEST(a_digit_beyond_the_choices_answers_nothing) {
    open_at(40, 120, false);
    keys("4");
    see("this key does nothing here");
    see("How many data ranks?");
    see_not("You said");
    keys("d");
    see("this key does nothing here");
    keys("Enter");
    see_not("You said");
    drive_close(&d);
}
END_TEST

/* b and c turn pages and open tables elsewhere: pressed by habit they must not answer. */
START_TEST(a_letter_marks_and_enter_or_the_same_letter_takes) {
    open_at(40, 120, false);
    keys("c");
    see("› 3  15 ranks");
    see("Enter answer");
    see_not("You said");
    keys("a");
    see("› 1  1 ranks");
    see_not("› 3");
    keys("Enter");
    see("You said 1 ranks; it is 4 ranks.");
    keys("Space b b"); /* marked, then the same once more */
    see("You said 4 ranks: right.");
    drive_close(&d);
}
END_TEST

START_TEST(a_mark_is_not_taken_along) {
    open_at(40, 120, false);
    keys("c Right");
    see("3  31 ranks");
    see_not("› 3");
    keys("Enter");
    see_not("You said");
    keys("c L L ? Esc"); /* language and help are no moves */
    see("› 3");
    keys("Space Enter N");
    see_not("You said");
    drive_close(&d);
}
END_TEST

START_TEST(s_shows_the_picture_without_an_answer) {
    open_at(40, 120, false);
    keys("s");
    see("12Ψ");
    see("This model has 6.74B parameters.");
    see_not("You said");
    see_not("How many data ranks?");
    keys("Space N");
    see_not("How many data ranks?");
    drive_close(&d);
}
END_TEST

START_TEST(the_question_follows_the_scenario_until_it_is_answered) {
    open_at(40, 120, false);
    keys("Right");
    see("2  8 ranks");
    keys("u");
    see("2  4 ranks");
    keys("Home"); /* one rank: nothing to ask */
    see_not("How many data ranks?");
    see("12Ψ");
    keys("u");
    see("2  4 ranks");
    keys("2 Right");
    see("You said 4 ranks: right.");
    see("You have changed the settings since");
    keys("u");
    see_not("You have changed the settings since");
    keys("Down Right"); /* a knob that the question does not depend on */
    see_not("You have changed the settings since");
    drive_close(&d);
}
END_TEST

START_TEST(a_refused_knob_leaves_the_question_open) {
    static struct lesson megatron;
    struct message why;
    open_at(40, 120, false);
    megatron = asking;
    megatron.start = "--model llama-2-7b --dp 4 --zero 1 --convention megatron";
    ck_assert_int_eq(app_show_lesson(d.app, &megatron, &why), STATUS_OK);
    keys("Down Right");
    see("zero");
    see("is not defined by --convention megatron");
    see("How many data ranks?");
    keys("1");
    see("You said 1 ranks; it is 4 ranks.");
    keys("Left u");
    see("You said 1 ranks; it is 4 ranks.");
    drive_close(&d);
}
END_TEST

START_TEST(the_answer_is_there_when_one_comes_back) {
    open_at(40, 120, false);
    keys("3 Space s N");
    see("You said 15 ranks; it is 4 ranks.");
    struct message why;
    keys("Esc open:collectives");
    see("Collectives");
    ck_assert_int_eq(app_show_lesson(d.app, &asking, &why), STATUS_OK);
    drive_draw(&d);
    see("You said 15 ranks; it is 4 ranks.");
    drive_close(&d);
}
END_TEST

START_TEST(the_language_can_be_switched_while_it_asks_and_after) {
    open_at(40, 120, false);
    keys("L");
    see("先猜一猜");
    see("How many data ranks?");
    see("1-4 作答");
    keys("3 L L");
    see("你的答案：15 ranks；正确答案：4 ranks。");
    see("15 ranks：counted twice");
    drive_close(&d);
}
END_TEST

START_TEST(a_low_pane_has_two_lines_and_s_spreads_them_out) {
    open_at(24, 80, false);
    keys("3");
    see("4 ranks: it is what dp says");
    keys("Down");
    see("You said 15 ranks; it is 4 ranks.");
    see("15 ranks: counted twice");
    see("s all");
    see_not("it is what dp says");
    see("12Ψ");
    keys("s");
    see("4 ranks: it is what dp says");
    keys("s");
    see_not("it is what dp says");
    keys("s Tab");
    see_not("it is what dp says");
    drive_resize(&d, 40, 120);
    see("it is what dp says");
    see_not("s all");
    drive_close(&d);
}
END_TEST

START_TEST(one_thing_is_asked_at_a_time) {
    open_at(40, 120, false);
    keys("Space");
    see("How many data ranks?");
    see_not("How much does a rank send?");
    keys("r");
    see_not("How much does a rank send?");
    keys("2 r");
    see("How much does a rank send?");
    see("You said 4 ranks: right.");
    keys("b");
    see("› 2  1.5 MB");
    keys("Enter");
    ck_assert_uint_eq(d.effects & APP_EFFECT_RUN, APP_EFFECT_RUN);
    keys("Esc Right Right r s"); /* s runs without an answer */
    ck_assert_uint_eq(d.effects & APP_EFFECT_RUN, APP_EFFECT_RUN);
    drive_close(&d);
}
END_TEST

START_TEST(the_mouse_answers_with_a_click_on_a_choice) {
    open_at(24, 80, false);
    keys("m");
    ck_assert(drive_mouse(&d, UI_MOUSE_PRESS, "3  15 ranks", 4));
    see("You said 15 ranks; it is 4 ranks.");
    keys("Down");
    see_not("it is what dp says");
    ck_assert(drive_mouse(&d, UI_MOUSE_PRESS, "You said", 2));
    see("it is what dp says");
    keys("Space");
    ck_assert(drive_mouse(&d, UI_MOUSE_PRESS, "s skip   ", 0));
    see_not("How many data ranks?");
    drive_close(&d);
}
END_TEST

START_TEST(space_still_turns_the_page_and_esc_goes_home) {
    open_at(24, 80, false);
    keys("Space Space");
    see("3/6");
    keys("Esc");
    see("Lessons");
    drive_close(&d);
}
END_TEST

/* Open, marked, answered and spread out, at every size that can be shown: the drawing's own checks are the asserts. */
START_TEST(every_size_survives_every_state) {
    open_at(24, 80, _i == 1);
    for (int rows = 12; rows <= 48; rows += 3) {
        for (int cols = 40; cols <= 140; cols += 7) {
            struct message why;
            drive_close(&d);
            open_at(rows, cols, _i == 1);
            keys("a BackTab Down Down Up");
            drive_resize(&d, 60 - rows, 180 - cols);
            keys("b b s s Tab Tab Right");
            drive_resize(&d, rows, cols);
            keys("Space s Space N N");
            ck_assert_int_eq(app_show_lesson(d.app, &asking, &why), STATUS_OK);
            see("shardlab");
        }
    }
    drive_close(&d);
}
END_TEST

/* More pages than are kept: the oldest answer goes, nothing else. */
START_TEST(very_many_answers_only_forget_the_oldest) {
    enum { MANY = 70 };
    static struct lesson many[MANY];
    struct message why;
    open_at(24, 80, false);
    for (int i = 0; i < MANY; i++) {
        many[i] = asking;
        ck_assert_int_eq(app_show_lesson(d.app, &many[i], &why), STATUS_OK);
        keys("2");
        see("You said");
    }
    ck_assert_int_eq(app_show_lesson(d.app, &many[MANY - 5], &why), STATUS_OK);
    drive_draw(&d);
    see("You said");
    ck_assert_int_eq(app_show_lesson(d.app, &many[0], &why), STATUS_OK);
    drive_draw(&d);
    see("How many data ranks?");
    drive_close(&d);
}
END_TEST

static Suite *suite(void) {
    Suite *s = suite_create("guess");
    TCase *t = tcase_create("guess");
    tcase_set_timeout(t, 60);
    tcase_add_test(t, a_page_that_asks_hides_its_picture_and_its_numbers);
    tcase_add_test(t, a_wrong_answer_names_what_it_has_in_mind_and_what_is_right);
    tcase_add_test(t, a_digit_beyond_the_choices_answers_nothing);
    tcase_add_test(t, a_letter_marks_and_enter_or_the_same_letter_takes);
    tcase_add_test(t, a_mark_is_not_taken_along);
    tcase_add_test(t, s_shows_the_picture_without_an_answer);
    tcase_add_test(t, the_question_follows_the_scenario_until_it_is_answered);
    tcase_add_test(t, a_refused_knob_leaves_the_question_open);
    tcase_add_test(t, the_answer_is_there_when_one_comes_back);
    tcase_add_test(t, the_language_can_be_switched_while_it_asks_and_after);
    tcase_add_test(t, a_low_pane_has_two_lines_and_s_spreads_them_out);
    tcase_add_test(t, one_thing_is_asked_at_a_time);
    tcase_add_test(t, the_mouse_answers_with_a_click_on_a_choice);
    tcase_add_test(t, space_still_turns_the_page_and_esc_goes_home);
    tcase_add_loop_test(t, every_size_survives_every_state, 0, 2);
    tcase_add_test(t, very_many_answers_only_forget_the_oldest);
    suite_add_tcase(s, t);
    return s;
}

#include "support/check_main.h"
