/* The hint bar, the help and the notice. Shown without a book, so that message ids stand for their
 * words. */
#include "shardlab/ui/draw.h"
#include "support/sample_view.h"
#include "support/screen.h"

static struct screen screen;
static const struct words bare = {.unit = UNIT_GB};

static const char *hints(int cols, enum ui_where where, bool ascii) {
    struct look look = screen_look(&bare, ascii, false);
    screen_start(&screen, 1, cols, false);
    ui_hints_draw(&screen.grid, screen_whole(&screen), &(struct ui_keys){.where = where}, &look);
    return screen_row(&screen, 0);
}

START_TEST(hints_come_by_importance_and_help_stays) {
    ck_assert_str_eq(hints(80, UI_WHERE_LESSON, false),
                     " ←→ action.left.short   ↑↓ action.up.short   ? action.help.short");
    ck_assert_str_eq(hints(40, UI_WHERE_LESSON, false), " ? action.help.short");
    enum ui_where with_table = (enum ui_where)(UI_WHERE_LESSON | UI_WHERE_LEDGER);
    ck_assert_ptr_nonnull(strstr(hints(300, with_table, false), "w action.why.short"));
    ck_assert_ptr_null(strstr(hints(300, UI_WHERE_LESSON, false), "action.why.short"));
    ck_assert_ptr_null(strstr(hints(300, UI_WHERE_HOME, false), "action.why.short"));
}
END_TEST

START_TEST(hints_never_show_half_a_hint) {
    for (int cols = 25; cols <= 300; cols++) {
        const char *row = hints(cols, UI_WHERE_LESSON, false);
        size_t length = strlen(row);
        ck_assert_msg(length >= 18 && strcmp(row + length - 18, " action.help.short") == 0, "%s",
                      row);
    }
}
END_TEST

START_TEST(what_would_only_refuse_is_offered_nowhere) {
    struct look look = screen_look(&bare, false, false);
    struct ui_keys keys = {.where = UI_WHERE_CHOICE};
    ui_keys_leave_out(&keys, UI_ACTION_MARK_4);
    ui_keys_leave_out(&keys, UI_ACTION_HINT);
    screen_start(&screen, 1, 300, false);
    ui_hints_draw(&screen.grid, screen_whole(&screen), &keys, &look);
    ck_assert_ptr_nonnull(strstr(screen_row(&screen, 0), " a-c action.option.short"));
    ck_assert_ptr_null(strstr(screen_row(&screen, 0), "action.hint.short"));
    ck_assert_int_eq(ui_action_find('i', UI_WHERE_CHOICE), UI_ACTION_HINT);
    screen_start(&screen, 300, 80, false);
    (void)ui_help_draw(&screen.grid, screen_whole(&screen), &keys, 0, &look);
    int elsewhere = screen_find(&screen, "view.help.elsewhere");
    ck_assert_int_lt(screen_find(&screen, " action.option-3.long"), elsewhere);
    ck_assert_int_gt(screen_find(&screen, " action.option-4.long"), elsewhere);
    ck_assert_int_gt(screen_find(&screen, " action.hint.long"), elsewhere);
}
END_TEST

START_TEST(ascii_hints_name_letters) {
    ck_assert_ptr_nonnull(strstr(hints(80, UI_WHERE_LESSON, true), " h l action.left.short"));
}
END_TEST

START_TEST(help_lists_every_action_those_of_this_screen_first) {
    struct look look = screen_look(&bare, false, false);
    screen_start(&screen, 200, 80, false);
    const struct ui_keys keys = {.where = UI_WHERE_HOME};
    int rows = ui_help_draw(&screen.grid, screen_whole(&screen), &keys, 0, &look);
    ck_assert_int_lt(rows, 200);
    int elsewhere = screen_find(&screen, "view.help.elsewhere");
    ck_assert_int_eq(screen_find(&screen, "view.help.here"), 0);
    for (int i = 0; i < ui_action_count(); i++) {
        const struct ui_action_row *row = ui_action_at(i);
        char id[96];
        snprintf(id, sizeof id, " action.%s.long", row->name);
        int at = screen_find(&screen, id);
        ck_assert_msg(at > 0, "%s is missing", row->name);
        ck_assert_msg((at < elsewhere) == ((row->where & UI_WHERE_HOME) != 0), "%s", row->name);
    }
    screen_start(&screen, 10, 80, false);
    ck_assert_int_eq(ui_help_draw(&screen.grid, screen_whole(&screen), &keys, 3, &look), rows);
}
END_TEST

START_TEST(the_notice_says_what_is_needed_and_what_there_is) {
    struct words words = sample_book(false);
    struct look look = screen_look(&words, false, false);
    screen_start(&screen, 5, 40, false);
    ui_notice_draw(&screen.grid, screen_whole(&screen), &look);
    ck_assert_str_eq(screen_row(&screen, 2), "       40×12 needed, this is 40×5");
    for (int rows = 1; rows <= 11; rows++) {
        for (int cols = 1; cols <= 39; cols++) {
            screen_start(&screen, rows, cols, false);
            ui_notice_draw(&screen.grid, screen_whole(&screen), &look);
            ck_assert_msg(strspn(screen_text(&screen), "\n") < strlen(screen_text(&screen)),
                          "%dx%d: nothing is said", cols, rows);
        }
    }
}
END_TEST

static Suite *suite(void) {
    Suite *s = suite_create("hints");
    TCase *t = tcase_create("drawing");
    tcase_set_timeout(t, 30);
    tcase_add_test(t, hints_come_by_importance_and_help_stays);
    tcase_add_test(t, hints_never_show_half_a_hint);
    tcase_add_test(t, what_would_only_refuse_is_offered_nowhere);
    tcase_add_test(t, ascii_hints_name_letters);
    tcase_add_test(t, help_lists_every_action_those_of_this_screen_first);
    tcase_add_test(t, the_notice_says_what_is_needed_and_what_there_is);
    suite_add_tcase(s, t);
    return s;
}

#include "support/check_main.h"
