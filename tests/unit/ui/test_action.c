/* The action table: complete, unambiguous on every screen, found under folded keys. What is taken
 * on faith: that screens switch on what ui_action_find returns; the journeys show it. */
#include <check.h>
#include <string.h>

#include "shardlab/ui/action.h"
#include "shardlab/ui/key.h"

static const enum ui_where screens[] = {
    UI_WHERE_HOME,  UI_WHERE_LESSON, UI_WHERE_HELP,  UI_WHERE_WHY,    UI_WHERE_FOUND,
    UI_WHERE_AWAY,  UI_WHERE_TABLE,  UI_WHERE_TERM,  UI_WHERE_CHOICE, UI_WHERE_ORDER,
    UI_WHERE_FACTS, UI_WHERE_JUDGED, UI_WHERE_STATS, UI_WHERE_SUMMARY};
enum { SCREENS = sizeof screens / sizeof screens[0] };

/* Screens that take text. */
static const enum ui_where typing[] = {UI_WHERE_PICKER, UI_WHERE_PROMPT, UI_WHERE_GLOSSARY,
                                       UI_WHERE_ANSWER, UI_WHERE_FORM};
enum { TYPING = sizeof typing / sizeof typing[0] };

START_TEST(every_action_has_a_row_but_the_documented_ones) {
    int rows = 0;
    for (int i = 0; i < ui_action_count(); i++) {
        rows += (int)ui_action_at(i)->action == _i;
    }
    bool has_none = _i == UI_ACTION_NONE || _i == UI_ACTION_CARD;
    ck_assert_msg(has_none ? rows == 0 : rows > 0, "action %d has %d rows", _i, rows);
}
END_TEST

START_TEST(no_key_means_two_things_on_a_screen) {
    for (int a = 0; a < ui_action_count(); a++) {
        for (int b = a + 1; b < ui_action_count(); b++) {
            const struct ui_action_row *x = ui_action_at(a);
            const struct ui_action_row *y = ui_action_at(b);
            for (int k = 0; (x->where & y->where) != 0 && k < UI_ACTION_KEYS_MAX; k++) {
                for (int l = 0; l < UI_ACTION_KEYS_MAX; l++) {
                    ck_assert_msg(x->keys[k] == 0 || x->keys[k] != y->keys[l], "%s and %s", x->name,
                                  y->name);
                }
            }
        }
    }
}
END_TEST

START_TEST(every_key_of_a_row_finds_its_action_where_it_is_valid) {
    for (int i = 0; i < ui_action_count(); i++) {
        const struct ui_action_row *row = ui_action_at(i);
        for (int k = 0; k < UI_ACTION_KEYS_MAX && row->keys[k] != 0; k++) {
            for (size_t s = 0; s < SCREENS; s++) {
                bool valid = (row->where & (unsigned)screens[s]) != 0;
                enum ui_action found = ui_action_find(row->keys[k], screens[s]);
                ck_assert_msg(!valid || found == row->action, "%s, screen %zu", row->name, s);
            }
        }
    }
    ck_assert_int_eq(ui_action_find(0, UI_WHERE_LESSON), UI_ACTION_NONE);
    ck_assert_int_eq(ui_action_find('z', UI_WHERE_LESSON), UI_ACTION_NONE);
}
END_TEST

START_TEST(rows_are_complete_and_named_once) {
    for (int i = 0; i < ui_action_count(); i++) {
        const struct ui_action_row *row = ui_action_at(i);
        ck_assert(row->name[0] != '\0' && row->key_label[0] != '\0' && row->keys[0] != 0);
        ck_assert_msg(row->where != 0 && (row->where & ~(unsigned)UI_WHERE_ALL) == 0, "%s",
                      row->name);
        for (const char *p = row->key_label_ascii; *p != '\0'; p++) {
            ck_assert_msg((unsigned char)*p < 0x80, "%s", row->name);
        }
        for (int k = 0; k < i; k++) {
            ck_assert_str_ne(row->name, ui_action_at(k)->name);
        }
    }
}
END_TEST

START_TEST(hint_priorities_are_unique_on_a_screen) {
    for (int a = 0; a < ui_action_count(); a++) {
        for (int b = a + 1; b < ui_action_count(); b++) {
            const struct ui_action_row *x = ui_action_at(a);
            const struct ui_action_row *y = ui_action_at(b);
            bool clash =
                x->priority > 0 && x->priority == y->priority && (x->where & y->where) != 0;
            ck_assert_msg(!clash, "%s and %s", x->name, y->name);
        }
    }
}
END_TEST

START_TEST(a_function_or_arrow_key_is_never_the_only_way) {
    for (int i = 0; i < ui_action_count(); i++) {
        const struct ui_action_row *row = ui_action_at(i);
        bool printable = false;
        for (int k = 0; k < UI_ACTION_KEYS_MAX; k++) {
            uint32_t key = row->keys[k];
            printable =
                printable || (key > 0 && key < UI_KEY_UP); /* letters, Tab, Enter, Esc, Ctrl */
        }
        ck_assert_msg(printable || row->action == UI_ACTION_PREV_PANE, "%s", row->name);
    }
}
END_TEST

START_TEST(help_and_the_way_out_are_on_every_screen) {
    for (size_t s = 0; s < SCREENS; s++) {
        ck_assert_int_eq(ui_action_find('?', screens[s]), UI_ACTION_HELP);
        ck_assert_int_eq(ui_action_find(UI_KEY_F1, screens[s]), UI_ACTION_HELP);
        ck_assert_int_eq(ui_action_find(UI_KEY_ESCAPE, screens[s]), UI_ACTION_BACK);
        ck_assert_int_eq(ui_action_find('q', screens[s]), UI_ACTION_QUIT);
        ck_assert_int_eq(ui_action_find(UI_KEY_CTRL_C, screens[s]), UI_ACTION_QUIT_NOW);
        ck_assert_int_eq(ui_action_find('L', screens[s]), UI_ACTION_LANGUAGE);
    }
}
END_TEST

START_TEST(no_letter_is_a_key_where_one_types) {
    for (uint32_t key = UI_KEY_SPACE; key < UI_KEY_BACKSPACE; key++) {
        ck_assert_msg(ui_action_find(key, typing[_i]) == UI_ACTION_NONE, "%c is a key", (char)key);
    }
    ck_assert_int_eq(ui_action_find(UI_KEY_F1, typing[_i]), UI_ACTION_HELP);
    ck_assert_int_eq(ui_action_find(UI_KEY_ESCAPE, typing[_i]), UI_ACTION_BACK);
    ck_assert_int_eq(ui_action_find(UI_KEY_ENTER, typing[_i]), UI_ACTION_OPEN);
    ck_assert_int_eq(ui_action_find(UI_KEY_BACKSPACE, typing[_i]), UI_ACTION_ERASE);
    ck_assert_int_eq(ui_action_find(UI_KEY_CTRL_C, typing[_i]), UI_ACTION_QUIT_NOW);
}
END_TEST

struct folding {
    uint32_t key, folded;
};

static const struct folding foldings[] = {
    {0xFF1F, '?'}, {0xFF51, 'q'},    {0xFF2C, 'L'},    {0xFF01, '!'},          {0xFF5E, '~'},
    {0x3000, ' '}, {0x3002, '.'},    {0x3010, '['},    {0x3011, ']'},          {0x3001, 0x3001},
    {'q', 'q'},    {0xFF5F, 0xFF5F}, {0x4E00, 0x4E00}, {UI_KEY_UP, UI_KEY_UP},
};

START_TEST(full_width_keys_fold_to_half_width) {
    ck_assert_uint_eq(ui_key_fold(foldings[_i].key), foldings[_i].folded);
}
END_TEST

START_TEST(keys_are_written_as_they_are_printed) {
    char text[64];
    struct writer w;
    for (int i = 0; i < ui_action_count(); i++) {
        writer_start(&w, text, sizeof text);
        ui_action_write_keys(&w, ui_action_at(i), true);
        for (const char *p = text; *p != '\0'; p++) {
            ck_assert_msg((unsigned char)*p > 0x20 || *p == ' ', "%s: %s", ui_action_at(i)->name,
                          text);
            ck_assert_msg((unsigned char)*p < 0x7F, "%s: %s", ui_action_at(i)->name, text);
        }
    }
    writer_start(&w, text, sizeof text);
    ui_action_write_keys(&w, ui_action_at(0), false);
    ck_assert_str_eq(text, "← h");
}
END_TEST

static Suite *suite(void) {
    Suite *s = suite_create("action");
    TCase *t = tcase_create("table");
    tcase_add_loop_test(t, every_action_has_a_row_but_the_documented_ones, 0, UI_ACTIONS);
    tcase_add_test(t, no_key_means_two_things_on_a_screen);
    tcase_add_test(t, every_key_of_a_row_finds_its_action_where_it_is_valid);
    tcase_add_test(t, rows_are_complete_and_named_once);
    tcase_add_test(t, hint_priorities_are_unique_on_a_screen);
    tcase_add_test(t, a_function_or_arrow_key_is_never_the_only_way);
    tcase_add_loop_test(t, no_letter_is_a_key_where_one_types, 0, TYPING);
    tcase_add_test(t, help_and_the_way_out_are_on_every_screen);
    tcase_add_loop_test(t, full_width_keys_fold_to_half_width, 0,
                        (int)(sizeof foldings / sizeof foldings[0]));
    tcase_add_test(t, keys_are_written_as_they_are_printed);
    suite_add_tcase(s, t);
    return s;
}

#include "support/check_main.h"
