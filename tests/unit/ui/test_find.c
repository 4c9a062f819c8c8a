/* Finding words in a text: whatever the case, the width and the kind of blank; in bytes, so that what is painted is
 * what was found. */
#include <check.h>
#include <string.h>

#include "shardlab/ui/draw.h"
#include "support/sample_page.h"
#include "support/screen.h"

static struct screen screen;
static const struct words english = {.unit = UNIT_GB};

static struct ui_expand looking_for(const char *words, int found) {
    struct ui_expand expand = sample_expand;
    expand.find = words;
    expand.found = found;
    return expand;
}

static const struct {
    const char *text, *words;
    const char *roles; /* of the page's first row: t title, m found, c found and in focus */
} rows[] = {
    {"Adam keeps three", "adam", "cccctttttttttttt\n"},
    {"Adam keeps three", "THREE", "tttttttttttccccc\n"},
    {"优化器状态", "状态", "ttttttcccc\n"},
    {"ＺｅＲＯ-1", "zero", "cccccccctt\n"},
    {"a\xC2\xA0gap", "a g", "ccctt\n"},
    {"short", "shorter", "ttttt\n"},
    {"aab", "ab", "tcc\n"},
    {"aaaaa", "aa", "ccmmt\n"},
    {"anything", "", "tttttttt\n"},
};

START_TEST(words_are_found_whatever_their_case_and_width) {
    const struct page page = {rows[_i].text, 0, 0, 1};
    const struct document doc = {.pages = &page, .page_count = 1};
    struct look look = screen_look(&english, false, false);
    struct ui_expand expand = looking_for(rows[_i].words, 0);
    screen_start(&screen, 1, 44, false);
    ui_page_draw(&screen.grid, screen_whole(&screen), &doc, 0, 0, -1, &expand, &look);
    ck_assert_str_eq(screen_roles(&screen), rows[_i].roles);
    int row = ui_page_match_row(44, &doc, 0, &expand, &look);
    ck_assert_int_eq(row, strchr(rows[_i].roles, 'c') != NULL ? 0 : -1);
}
END_TEST

START_TEST(matches_on_a_page_are_marked_and_one_has_the_focus) {
    struct look look = screen_look(&english, false, false);
    struct ui_expand expand = looking_for("optimizer", 1);
    screen_start(&screen, 30, 44, false);
    ui_page_draw(&screen.grid, screen_whole(&screen), &sample_document, 0, 0, -1, &expand, &look);
    const char *roles = screen_roles(&screen);
    ck_assert_int_eq(strncmp(roles, "mmmmmmmmmttttttt\n", 17), 0);
    ck_assert_ptr_nonnull(strstr(roles, "ccccccccc\n"));
}
END_TEST

START_TEST(each_match_has_a_row_at_every_width) {
    struct look look = screen_look(&english, false, false);
    for (int cols = 10; cols <= 80; cols++) {
        int before = 0;
        for (int i = 0; i < 4; i++) { /* title, item, a line of code, a paragraph with a figure */
            static const char *const words[] = {"optimizer", "optimizer", "mem --z", "12 bytes"};
            struct ui_expand expand = looking_for(words[i], i == 1);
            int row = ui_page_match_row(cols, &sample_document, 0, &expand, &look);
            ck_assert_msg(i == 0 ? row == 0 : row > 0, "%s at %d columns: %d", words[i], cols, row);
            ck_assert(i != 1 || row > before);
            before = row;
        }
        struct ui_expand beyond = looking_for("optimizer", 2);
        ck_assert_int_eq(ui_page_match_row(cols, &sample_document, 0, &beyond, &look), -1);
    }
}
END_TEST

START_TEST(a_match_in_code_is_painted) {
    struct look look = screen_look(&english, false, false);
    struct ui_expand expand = looking_for("mem --z", 5);
    screen_start(&screen, 30, 44, false);
    ui_page_draw(&screen.grid, screen_whole(&screen), &sample_document, 0, 0, -1, &expand, &look);
    ck_assert_ptr_nonnull(strstr(screen_roles(&screen), "xxxxxxxxxmmmmmmmxxxxx"));
}
END_TEST

static Suite *suite(void) {
    Suite *s = suite_create("find");
    TCase *t = tcase_create("find");
    tcase_add_loop_test(t, words_are_found_whatever_their_case_and_width, 0,
                        sizeof rows / sizeof rows[0]);
    tcase_add_test(t, matches_on_a_page_are_marked_and_one_has_the_focus);
    tcase_add_test(t, each_match_has_a_row_at_every_width);
    tcase_add_test(t, a_match_in_code_is_painted);
    suite_add_tcase(s, t);
    return s;
}

#include "support/check_main.h"
