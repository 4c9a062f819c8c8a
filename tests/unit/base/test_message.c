/* Messages: arguments in order, and text that cannot harm a terminal whatever bytes it came from.
 */
#include <check.h>
#include <stdint.h>
#include <string.h>

#include "shardlab/base/message.h"

#define ROWS(table) ((int)(sizeof(table) / sizeof(table)[0]))

START_TEST(arguments_keep_their_order_and_kind) {
    struct message m;
    message_start(&m, "tp.divides");
    ck_assert_int_eq(m.arg_count, 0);
    message_add_text(&m, "--tp");
    message_add_plain(&m, 4096);
    message_add_count(&m, UINT64_MAX);
    message_add_bytes(&m, UINT64_C(1) << 40);
    message_add_real(&m, 2.5);
    ck_assert_str_eq(m.id, "tp.divides");
    ck_assert_int_eq(m.arg_count, 5);
    ck_assert_int_eq(m.args[0].kind, MESSAGE_ARG_TEXT);
    ck_assert_str_eq(m.args[0].text, "--tp");
    ck_assert_int_eq(m.args[1].kind, MESSAGE_ARG_PLAIN);
    ck_assert(m.args[1].count == 4096);
    ck_assert_int_eq(m.args[2].kind, MESSAGE_ARG_COUNT);
    ck_assert(m.args[2].count == UINT64_MAX);
    ck_assert_int_eq(m.args[3].kind, MESSAGE_ARG_BYTES);
    ck_assert(m.args[3].count == UINT64_C(1) << 40);
    ck_assert_int_eq(m.args[4].kind, MESSAGE_ARG_REAL);
    ck_assert(m.args[4].real > 2.49 && m.args[4].real < 2.51);
}
END_TEST

START_TEST(a_message_takes_six_arguments) {
    struct message m;
    message_start(&m, "x");
    for (uint64_t i = 0; i < MESSAGE_ARGS_MAX; i++) {
        message_add_plain(&m, i);
    }
    ck_assert_int_eq(m.arg_count, MESSAGE_ARGS_MAX);
    ck_assert(m.args[MESSAGE_ARGS_MAX - 1].count == MESSAGE_ARGS_MAX - 1);
}
END_TEST

START_TEST(starting_again_forgets_everything) {
    struct message used;
    struct message fresh;
    memset(&used, 0xA5, sizeof used);
    memset(&fresh, 0x5A, sizeof fresh);
    message_start(&used, "x");
    message_add_text(&used, "something");
    message_start(&used, "y");
    message_start(&fresh, "y");
    ck_assert_mem_eq(&used, &fresh, sizeof used);
}
END_TEST

START_TEST(text_is_copied) {
    char source[] = "before";
    struct message m;
    message_start(&m, "x");
    message_add_text(&m, source);
    memcpy(source, "after!", sizeof source);
    ck_assert_str_eq(m.args[0].text, "before");
}
END_TEST

struct cleaned {
    const char *id;
    const char *text;
    size_t length;
    const char *expected;
};

#define BYTES(literal) literal, sizeof(literal) - 1

static const struct cleaned cleaneds[] = {
    {"empty", BYTES(""), ""},
    {"ascii", BYTES("a b~"), "a b~"},
    {"chinese and an emoji", BYTES("显存🙂"), "显存🙂"},
    {"escape sequence", BYTES("\x1B[31mred\x07"), "?[31mred?"},
    {"newline, tab, NUL, DEL", BYTES("a\nb\tc\0d\x7F"), "a?b?c?d?"},
    {"C1 control is one character",
     BYTES("a\xC2\x9B"
           "b"),
     "a?b"},
    {"first after C1", BYTES("\xC2\xA0"), "\xC2\xA0"},
    {"stray continuation",
     BYTES("a\x80"
           "b"),
     "a?b"},
    {"FF and FE", BYTES("\xFF\xFE"), "??"},
    {"overlong slash", BYTES("\xC0\xAF"), "??"},
    {"overlong in three", BYTES("\xE0\x80\xAF"), "???"},
    {"overlong in four", BYTES("\xF0\x80\x80\xAF"), "????"},
    {"surrogate", BYTES("\xED\xA0\x80"), "???"},
    {"past the last code point", BYTES("\xF4\x90\x80\x80"), "????"},
    {"lead F5", BYTES("\xF5\x80\x80\x80"), "????"},
    {"cut short at the end", BYTES("a\xE6\x98"), "a??"},
    {"cut short by a letter", BYTES("\xE6\x98z"), "??z"},
    {"valid after invalid", BYTES("\xE6显"), "?显"},
};

START_TEST(text_is_made_harmless) {
    const struct cleaned *row = &cleaneds[_i];
    struct message m;
    message_start(&m, "x");
    message_add_text_n(&m, row->text, row->length);
    ck_assert_msg(strcmp(m.args[0].text, row->expected) == 0, "%s: %s", row->id, m.args[0].text);
}
END_TEST

START_TEST(only_the_given_length_is_read) {
    struct message m;
    message_start(&m, "x");
    message_add_text_n(&m, "--tp=6", 4);
    message_add_text_n(&m, "显存", 4);
    message_add_text_n(&m, "whatever", 0);
    ck_assert_str_eq(m.args[0].text, "--tp");
    ck_assert_str_eq(m.args[1].text, "显?");
    ck_assert_str_eq(m.args[2].text, "");
}
END_TEST

enum { TEXT_BYTES = MESSAGE_TEXT_MAX - 1, ELLIPSIS_BYTES = 3 };

START_TEST(a_text_that_just_fits_is_whole) {
    char text[MESSAGE_TEXT_MAX];
    memset(text, 'a', TEXT_BYTES);
    text[TEXT_BYTES] = '\0';
    struct message m;
    message_start(&m, "x");
    message_add_text(&m, text);
    ck_assert_str_eq(m.args[0].text, text);
}
END_TEST

START_TEST(a_longer_text_ends_in_an_ellipsis) {
    char text[400];
    memset(text, 'a', sizeof text - 1);
    text[sizeof text - 1] = '\0';
    char expected[MESSAGE_TEXT_MAX];
    memset(expected, 'a', TEXT_BYTES - ELLIPSIS_BYTES);
    memcpy(expected + TEXT_BYTES - ELLIPSIS_BYTES, "…", ELLIPSIS_BYTES + 1);
    struct message m;
    message_start(&m, "x");
    message_add_text_n(&m, text, TEXT_BYTES + 1);
    message_add_text(&m, text);
    ck_assert_str_eq(m.args[0].text, expected);
    ck_assert_str_eq(m.args[1].text, expected);
}
END_TEST

/* The cut slides over text of 1 to 4 bytes a character; it must never fall inside one. */
START_TEST(a_cut_keeps_characters_whole) {
    static const char *const characters[] = {"é", "显", "🙂"};
    for (size_t c = 0; c < sizeof characters / sizeof characters[0]; c++) {
        size_t width = strlen(characters[c]);
        char text[400] = "";
        memset(text, 'a', (size_t)_i);
        for (size_t at = (size_t)_i; at + width < sizeof text; at += width) {
            memcpy(text + at, characters[c], width + 1);
        }
        struct message m;
        message_start(&m, "x");
        message_add_text(&m, text);
        const char *got = m.args[0].text;
        size_t kept = strlen(got) - ELLIPSIS_BYTES;
        ck_assert_msg(strcmp(got + kept, "…") == 0, "%s after %d", characters[c], _i);
        ck_assert_msg(memcmp(got, text, kept) == 0, "%s after %d", characters[c], _i);
        ck_assert_msg((kept - (size_t)_i) % width == 0, "%s after %d is cut", characters[c], _i);
        ck_assert(kept + ELLIPSIS_BYTES <= TEXT_BYTES);
        ck_assert(kept + ELLIPSIS_BYTES + width > TEXT_BYTES);
    }
}
END_TEST

static Suite *suite(void) {
    Suite *s = suite_create("message");
    TCase *arguments = tcase_create("arguments");
    tcase_add_test(arguments, arguments_keep_their_order_and_kind);
    tcase_add_test(arguments, a_message_takes_six_arguments);
    tcase_add_test(arguments, starting_again_forgets_everything);
    suite_add_tcase(s, arguments);
    TCase *text = tcase_create("text");
    tcase_add_test(text, text_is_copied);
    tcase_add_loop_test(text, text_is_made_harmless, 0, ROWS(cleaneds));
    tcase_add_test(text, only_the_given_length_is_read);
    tcase_add_test(text, a_text_that_just_fits_is_whole);
    tcase_add_test(text, a_longer_text_ends_in_an_ellipsis);
    tcase_add_loop_test(text, a_cut_keeps_characters_whole, 0, 5);
    suite_add_tcase(s, text);
    return s;
}

#include "support/check_main.h"
