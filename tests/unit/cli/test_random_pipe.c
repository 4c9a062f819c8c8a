/* Random `shardlab pipe` command lines, likely and unlikely values mixed: each is refused with a sentence that both
 * languages have, or it prints one JSON object whose figures are not negative, or a chart. */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../../app/cli/cli_private.h"
#include "support/json_text.h"
#include "support/rounds.h"
#include "unit/calc/dice.h"

enum { SETS = 3000, WORDS_MAX = 40, WORD_MAX = 64, OUT_MAX = 1 << 26 };

static struct store *store;
static struct words english, chinese;

static void open_store(void) {
    struct message why = {0};
    ck_assert_msg(store_open(&store, &why) == STATUS_OK, "%s", why.id);
    ck_assert_int_eq(store_words(store, false, &english, &why), STATUS_OK);
    ck_assert_int_eq(store_words(store, true, &chinese, &why), STATUS_OK);
}

static void close_store(void) {
    store_close(store);
}

struct line {
    struct dice dice;
    char text[WORDS_MAX][WORD_MAX];
    char *words[WORDS_MAX];
    int count;
    bool chart; /* a picture, which is not JSON */
    char shown[WORDS_MAX * WORD_MAX];
};

static void add(struct line *l, const char *word) {
    ck_assert_int_lt(l->count, WORDS_MAX);
    (void)snprintf(l->text[l->count], WORD_MAX, "%s", word);
    l->words[l->count] = l->text[l->count];
    l->count++;
}

#define PICK(l, list) ((list)[dice_roll(&(l)->dice, sizeof(list) / sizeof((list)[0]))])

static void add_count(struct line *l, const char *option, uint64_t most) {
    static const char *const odd[] = {"0",         "-1",  "x", "1e3", "18446744073709551615",
                                      "99999999",  "1.5", "",  "７",  "1K",
                                      "4294967296"};
    char digits[24];
    add(l, option);
    if (dice_roll(&l->dice, 24) == 0) {
        add(l, PICK(l, odd));
        return;
    }
    (void)snprintf(digits, sizeof digits, "%ju", (uintmax_t)(1 + dice_roll(&l->dice, most)));
    add(l, digits);
}

static void add_time(struct line *l, const char *option) {
    static const char *const times[] = {"0",   "1",     "2",   "0.5", "0.25", "1e-3",  "7.125",
                                        "1e6", "1,2,3", "1,1", "0,0", "3",    "１．５"};
    static const char *const odd[] = {"-1",
                                      "nan",
                                      "inf",
                                      "1e18",
                                      "1e19",
                                      "1e-18",
                                      "1e-19",
                                      "1e99",
                                      "1,,2",
                                      "0x10",
                                      ",",
                                      ".",
                                      "18446744073709551615",
                                      "1 2",
                                      "1e",
                                      "１，２",
                                      "9223372036854775807"};
    add(l, option);
    add(l, dice_roll(&l->dice, 12) == 0 ? PICK(l, odd) : PICK(l, times));
}

static void add_chart(struct line *l, const char *other) {
    static const char *const asked[] = {"F0@0", "B1@1", "W2@0", "F3b@2",         "BW0@9",
                                        "X",    "",     "F@",   "F99999999999@0"};
    static const char *const scenarios[] = {"--model gpt2",
                                            "--params 7B",
                                            "--model gpt2 --pp 2",
                                            "--model llama-2-7b --recompute full",
                                            "x",
                                            "",
                                            "--model deepseek-v3 --recompute-latents"};
    add(l, "--gantt");
    if (dice_roll(&l->dice, 3) == 0) {
        add(l, "--scenario");
        add(l, PICK(l, scenarios));
    }
    if (dice_roll(&l->dice, 3) == 0) {
        add(l, "--explain");
    }
    if (dice_roll(&l->dice, 3) == 0) {
        add(l, "--ask");
        add(l, PICK(l, asked));
    }
    if (dice_roll(&l->dice, 3) == 0) {
        add(l, "--against");
        add(l, other);
    }
    if (dice_roll(&l->dice, 3) == 0) {
        add_count(l, "--width", 300);
    }
}

static void make_line(struct line *l, uint64_t seed) {
    static const char *const schedules[] = {
        "gpipe",          "1f1b",     "interleaved", "looped-bfs", "zb-h1",  "zb-h2", "zb-v",
        "zb-interleaved", "dualpipe", "dualpipev",   "chimera",    "v-half", ""};
    static const char *const times[] = {"--tf", "--tb", "--tw", "--tov", "--comm"};
    *l = (struct line){.dice = {seed}};
    add(l, "--schedule");
    add(l, PICK(l, schedules));
    add_count(l, "--stages", 6);
    add_count(l, "--micro-batches", 20);
    if (dice_roll(&l->dice, 3) == 0) {
        add_count(l, "--chunks", 4);
    }
    if (dice_roll(&l->dice, 5) == 0) {
        add_count(l, "--group", 8);
    }
    for (int i = 0; i < 5; i++) {
        if (dice_roll(&l->dice, 2) == 0) {
            add_time(l, times[i]);
        }
    }
    l->chart = dice_roll(&l->dice, 6) == 0;
    if (l->chart) {
        add_chart(l, PICK(l, schedules));
    } else if (dice_roll(&l->dice, 4) == 0) {
        add(l, "--ops");
    }
    size_t used = 0;
    for (int i = 0; i < l->count; i++) {
        used += (size_t)snprintf(l->shown + used, sizeof l->shown - used, "%s ", l->words[i]);
    }
}

static void expect_sentence(const struct line *l, const struct words *words,
                            const struct message *why) {
    char text[2048];
    struct writer w;
    writer_start(&w, text, sizeof text);
    words_write(&w, words, why);
    ck_assert_msg(why->id != NULL && words->find(words->book, why->id) != NULL, "%s: no words: %s",
                  l->shown, why->id);
    ck_assert_msg(!w.overflow && strlen(text) > 8 && strchr(text, '{') == NULL, "%s: %s", l->shown,
                  text);
}

/* Numbers in the answer are digits with at most a point or an exponent in front of a fraction: never a sign. */
static void expect_not_negative(struct json_value key, struct json_value value, void *context) {
    const struct line *l = context;
    bool negative = value.kind == JSON_KIND_NUMBER && value.at[0] == '-';
    ck_assert_msg(!negative, "%s: %.*s is negative", l->shown, (int)key.length, key.at);
}

static void expect_answer(struct line *l, const struct writer *out) {
    size_t where = 0;
    if (out->overflow && strstr(l->shown, "--ops") != NULL) {
        return; /* a thousand stages, operation by operation: more than this test holds */
    }
    ck_assert_msg(!out->overflow, "%s: does not fit", l->shown);
    const char *fault = json_answer_fault(out->bytes, out->length, &where);
    ck_assert_msg(fault == NULL, "%s: byte %zu: %s", l->shown, where, fault);
    json_each_member(out->bytes, expect_not_negative, l);
    ck_assert_msg(strstr(out->bytes, "nan") == NULL, "%s: nan", l->shown);
}

START_TEST(every_line_is_refused_in_words_or_answered) {
    static char bytes[OUT_MAX];
    struct line l;
    int answered = 0, refused = 0, rounds = test_rounds(SETS);
    for (int i = 0; i < rounds; i++) {
        struct cli_args args;
        struct message why = {0};
        struct writer out;
        struct cli_context c = {store, english, &out, 80};
        make_line(&l, (uint64_t)i + 1);
        memset(&args, 0, sizeof args);
        writer_start(&out, bytes, sizeof bytes);
        args.json = !l.chart;
        enum status ok = cli_args_parse(l.count, l.words, CLI_TAKES_PIPE, &args, &why);
        ok = ok == STATUS_OK ? cli_pipe(&c, &args, &why) : ok;
        if (ok == STATUS_OK) {
            answered++;
            if (l.chart) {
                ck_assert_msg(!out.overflow && out.length > 0, "%s: no chart", l.shown);
            } else {
                expect_answer(&l, &out);
            }
        } else {
            refused++;
            ck_assert_msg(ok == STATUS_USAGE, "%s: status %d", l.shown, (int)ok);
            ck_assert_msg(out.length == 0, "%s: printed something", l.shown);
            expect_sentence(&l, &english, &why);
            expect_sentence(&l, &chinese, &why);
        }
    }
    ck_assert_int_gt(answered, rounds / 10);
    ck_assert_int_gt(refused, rounds / 10);
}
END_TEST

static Suite *suite(void) {
    Suite *s = suite_create("random_pipe");
    TCase *t = tcase_create("random_pipe");
    tcase_add_unchecked_fixture(t, open_store, close_store);
    tcase_add_test(t, every_line_is_refused_in_words_or_answered);
    suite_add_tcase(s, t);
    return s;
}

#include "support/check_main.h"
