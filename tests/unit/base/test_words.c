/* From message to sentence: the order of placeholders is the template's, and nothing that looks
 * like one by chance, or comes in through an argument, is taken for one. */
#include <check.h>
#include <stdint.h>
#include <string.h>

#include "shardlab/base/words.h"

#define ROWS(table) ((int)(sizeof(table) / sizeof(table)[0]))

struct entry {
    const char *id, *text;
};

static const struct entry book[] = {
    {"divides.en", "{0} {1} does not divide {2} heads"},
    {"divides.zh", "{2} 个注意力头不能被 {0} {1} 整除"},
    {"twice", "{0} and again {0}{1}"},
    {"bytes", "needs {0}"},
    {"plain", "no placeholder"},
    {"empty", ""},
    {"beyond", "{0} {4} {9}"},
    {"braces", "{} {a} {10} {0 } { 0} {{0}} }{ {-1} {"},
    {"tail", "ends with {0}"},
    {"cut", "{0"},
    {NULL, NULL},
};

static const char *find_in_table(const void *table, const char *id) {
    for (const struct entry *e = table; e->id != NULL; e++) {
        if (strcmp(e->id, id) == 0) {
            return e->text;
        }
    }
    return NULL;
}

static const struct words words = {.book = book, .find = find_in_table, .unit = UNIT_GB};

struct sentence {
    const char *id, *expected;
};

static const struct sentence sentences[] = {
    {"divides.en", "--tp 6 does not divide 1,000 heads"},
    {"divides.zh", "1,000 个注意力头不能被 --tp 6 整除"},
    {"twice", "--tp and again --tp6"},
    {"plain", "no placeholder"},
    {"empty", ""},
    {"beyond", "--tp {4} {9}"},
    {"braces", "{} {a} {10} {0 } { 0} {--tp} }{ {-1} {"},
    {"tail", "ends with --tp"},
    {"cut", "{0"},
    {"no.such.id", "no.such.id"},
};

START_TEST(placeholders_stand_in_the_order_of_the_template) {
    const struct sentence *row = &sentences[_i];
    struct message m;
    message_start(&m, row->id);
    message_add_text(&m, "--tp");
    message_add_plain(&m, 6);
    message_add_count(&m, 1000);
    char buffer[128];
    struct writer w;
    writer_start(&w, buffer, sizeof buffer);
    words_write(&w, &words, &m);
    ck_assert_msg(strcmp(buffer, row->expected) == 0, "%s gave %s", row->id, buffer);
}
END_TEST

static const char *sentence_of(struct writer *w, const struct words *in, const struct message *m) {
    static char buffer[256];
    writer_start(w, buffer, sizeof buffer);
    words_write(w, in, m);
    return buffer;
}

START_TEST(arguments_are_not_templates) {
    struct message m;
    struct writer w;
    message_start(&m, "twice");
    message_add_text(&m, "{1}");
    message_add_text(&m, "x");
    ck_assert_str_eq(sentence_of(&w, &words, &m), "{1} and again {1}x");
}
END_TEST

START_TEST(bytes_are_in_the_readers_unit) {
    struct message m;
    struct writer w;
    message_start(&m, "bytes");
    message_add_bytes(&m, UINT64_C(13476831232));
    struct words gib = words;
    gib.unit = UNIT_GIB;
    ck_assert_str_eq(sentence_of(&w, &words, &m), "needs 13.48 GB");
    ck_assert_str_eq(sentence_of(&w, &gib, &m), "needs 12.55 GiB");
}
END_TEST

START_TEST(every_kind_has_its_form) {
    struct message m;
    struct writer w;
    message_start(&m, "twice");
    message_add_count(&m, UINT64_MAX);
    message_add_real(&m, 2.914);
    ck_assert_str_eq(sentence_of(&w, &words, &m),
                     "18,446,744,073,709,551,615 and again 18,446,744,073,709,551,6152.91");
    message_start(&m, "tail");
    message_add_plain(&m, UINT64_MAX);
    ck_assert_str_eq(sentence_of(&w, &words, &m), "ends with 18446744073709551615");
}
END_TEST

START_TEST(nothing_to_say_is_empty) {
    struct message m;
    struct writer w;
    message_start(&m, NULL);
    ck_assert_str_eq(sentence_of(&w, &words, &m), "");
    ck_assert_str_eq(words_get(&words, NULL), "");
}
END_TEST

START_TEST(without_a_book_ids_show_themselves) {
    const struct words none = {.book = NULL, .find = find_in_table};
    struct message m;
    struct writer w;
    message_start(&m, "divides.en");
    message_add_plain(&m, 1);
    ck_assert_str_eq(sentence_of(&w, &none, &m), "divides.en");
    ck_assert_str_eq(words_get(&none, "plain"), "plain");
    ck_assert_str_eq(words_get(&words, "plain"), "no placeholder");
}
END_TEST

START_TEST(a_sentence_that_does_not_fit_says_so) {
    struct message m;
    message_start(&m, "divides.en");
    message_add_text(&m, "--tp");
    char buffer[4];
    struct writer w;
    writer_start(&w, buffer, sizeof buffer);
    words_write(&w, &words, &m);
    ck_assert(w.overflow);
    ck_assert_str_eq(buffer, "--t");
}
END_TEST

static Suite *suite(void) {
    Suite *s = suite_create("words");
    TCase *sentence = tcase_create("sentence");
    tcase_add_loop_test(sentence, placeholders_stand_in_the_order_of_the_template, 0,
                        ROWS(sentences));
    tcase_add_test(sentence, arguments_are_not_templates);
    tcase_add_test(sentence, bytes_are_in_the_readers_unit);
    tcase_add_test(sentence, every_kind_has_its_form);
    tcase_add_test(sentence, nothing_to_say_is_empty);
    tcase_add_test(sentence, without_a_book_ids_show_themselves);
    tcase_add_test(sentence, a_sentence_that_does_not_fit_says_so);
    suite_add_tcase(s, sentence);
    return s;
}

#include "support/check_main.h"
