/* Thousands of random lines of `shardlab format` from one seed, a million in the long run: each is refused with a
 * sentence that both languages have, or answered; an answer is strict JSON without nan or inf, whose figures agree with
 * each other, and readable text. */
#include <check.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "../../../app/cli/cli_private.h"
#include "shardlab/num/format.h"
#include "support/json_text.h"
#include "support/rounds.h"

enum { LINES = 3000, WORDS_MAX = 24, WORD_MAX = 48, OUT_MAX = 1 << 17 };

struct line {
    uint64_t state; /* xorshift64 */
    char text[WORDS_MAX][WORD_MAX];
    char *words[WORDS_MAX];
    int count;
    char shown[WORDS_MAX * (WORD_MAX + 1)];
};

static struct store *store;
static struct words english, chinese;
static char out[OUT_MAX];

static void open_store(void) {
    struct message why = {0};
    ck_assert_msg(store_open(&store, &why) == STATUS_OK, "%s", why.id);
    ck_assert_int_eq(store_words(store, false, &english, &why), STATUS_OK);
    ck_assert_int_eq(store_words(store, true, &chinese, &why), STATUS_OK);
}

static void close_store(void) {
    store_close(store);
}

/* --- Making a line --- */

static uint64_t below(struct line *l, uint64_t limit) {
    l->state ^= l->state << 13;
    l->state ^= l->state >> 7;
    l->state ^= l->state << 17;
    return l->state % limit;
}

static void add_word(struct line *l, const char *word) {
    ck_assert_int_lt(l->count, WORDS_MAX);
    (void)snprintf(l->text[l->count], WORD_MAX, "%s", word);
    l->words[l->count] = l->text[l->count];
    l->count++;
}

#define PICK(l, list) ((list)[below((l), sizeof(list) / sizeof((list)[0]))])

static void add_value(struct line *l) {
    static const char *const odd[] = {
        "inf",   "-inf",   "nan", "-nan", "0",      "-0",      "1e-400",  "4.9e-324",
        "1e308", "-1e308", "448", "464",  "465",    "65519",   "65520",   "7B",
        "-７Ｂ", "1,024",  ".5",  "1e38", "3.4e38", "5.9e-39", "2.9e-39", "1e-45"};
    static const char *const wrong[] = {"",     "x",    "1e999", "--",  "1e",
                                        "0x10", "\xff", "64MiB", "1..2"};
    char word[WORD_MAX];
    uint64_t kind = below(l, 12);
    if (kind < 4) {
        add_word(l, PICK(l, odd));
        return;
    }
    if (kind == 4 && below(l, 6) == 0) {
        add_word(l, PICK(l, wrong));
        return;
    }
    double mantissa = 1.0 + (double)below(l, 1U << 20) / (1 << 20);
    int exponent = kind < 10 ? (int)below(l, 60) - 30 : (int)below(l, 640) - 320;
    (void)snprintf(word, sizeof word, "%s%.*g", below(l, 2) == 0 ? "-" : "", (int)below(l, 17) + 1,
                   kind < 10 ? ldexp(mantissa, exponent) : mantissa * pow(10.0, exponent));
    add_word(l, word);
}

static void make_line(struct line *l) {
    static const char *const options[] = {"--overflow=inf", "--overflow=saturate", "--overflow=no",
                                          "--block=mx",     "--block=nvfp4",       "--block=tensor",
                                          "--block=",       "--type=e9m9",         "--nope"};
    size_t used = 0;
    l->count = 0;
    if (below(l, 30) > 0) {
        char type[WORD_MAX];
        (void)snprintf(type, sizeof type, "--type=%s",
                       num_format((enum num_type)below(l, NUM_TYPES))->name);
        add_word(l, type);
    }
    if (below(l, 3) == 0) {
        add_word(l, PICK(l, options));
    }
    for (uint64_t more = below(l, 9); more > 0; more--) {
        add_value(l);
    }
    l->shown[0] = '\0';
    for (int i = 0; i < l->count; i++) {
        used += (size_t)snprintf(l->shown + used, sizeof l->shown - used, "%s ", l->words[i]);
    }
}

/* --- Judging it --- */

static void expect_sentence(const struct line *l, const struct message *why) {
    const struct words *languages[] = {&english, &chinese};
    for (int i = 0; i < 2; i++) {
        char text[2048];
        struct writer w;
        writer_start(&w, text, sizeof text);
        ck_assert_msg(why->id != NULL && languages[i]->find(languages[i]->book, why->id) != NULL,
                      "%s: %s", why->id, l->shown);
        words_write(&w, languages[i], why);
        ck_assert_msg(w.length > 8 && !w.overflow && strpbrk(text, "{}\n\033") == NULL, "%s: %s",
                      text, l->shown);
    }
}

/* Class, value and error of one value belong together. */
static void expect_value(const struct line *l, int index, bool blocks) {
    char path[64];
    struct json_value fields[4];
    static const char *const names[] = {"class", "value", "error", "bits"};
    for (int i = 0; i < 4; i++) {
        (void)snprintf(path, sizeof path, "values[%d].%s", index, names[i]);
        fields[i] = json_at(out, path);
    }
    bool special = json_is(fields[0], "\"inf\"") || json_is(fields[0], "\"nan\"");
    bool no_value = fields[1].kind == JSON_KIND_NULL, no_error = fields[2].kind == JSON_KIND_NULL;
    bool zero = json_is(fields[0], "\"zero\"");
    bool is_zero = json_is(fields[1], "0") || json_is(fields[1], "-0");
    if (special != no_value || (no_value && !no_error) || (!blocks && zero != is_zero) ||
        fields[0].kind != JSON_KIND_STRING) {
        ck_abort_msg("value %d of %s\n%s", index, l->shown, out);
    }
}

static void judge_json(struct line *l, const struct cli_args *args) {
    struct writer w;
    struct message why = {0};
    size_t where = 0;
    struct cli_args json = *args;
    json.json = true;
    writer_start(&w, out, sizeof out);
    struct cli_context c = {store, english, &w, 80};
    ck_assert_msg(cli_format(&c, &json, &why) == STATUS_OK && !w.overflow, "%s", l->shown);
    const char *fault = json_answer_fault(out, w.length, &where);
    if (fault != NULL || json_count(json_at(out, "values")) != args->value_count) {
        ck_abort_msg("%s at %zu: %s\n%s", fault, where, l->shown, out);
    }
    for (int i = 0; i < args->value_count; i++) {
        expect_value(l, i, args->block != NULL);
    }
}

static bool judge(struct line *l) {
    struct cli_args args;
    struct message why = {0};
    struct writer w;
    memset(&args, 0, sizeof args);
    enum status ok =
        cli_args_parse(l->count, l->words, CLI_TAKES_FORMAT | CLI_TAKES_VALUES, &args, &why);
    writer_start(&w, out, sizeof out);
    struct cli_context c = {store, chinese, &w, 80};
    ok = ok == STATUS_OK ? cli_format(&c, &args, &why) : ok;
    if (ok != STATUS_OK) {
        ck_assert_msg(ok == STATUS_USAGE && w.length == 0, "status %d: %s", (int)ok, l->shown);
        expect_sentence(l, &why);
        return false;
    }
    ck_assert_msg(!w.overflow && w.length > 40 && strpbrk(out, "{}\033") == NULL, "%s\n%s",
                  l->shown, out);
    judge_json(l, &args);
    return true;
}

START_TEST(a_random_line_is_refused_in_words_or_answered) {
    static struct line line = {.state = 20240301};
    const int lines = test_rounds(LINES);
    int answered = 0;
    for (int i = 0; i < lines; i++) {
        make_line(&line);
        answered += judge(&line) ? 1 : 0;
    }
    ck_assert_msg(answered > lines / 3 && lines - answered > lines / 5, "%d of %d answered",
                  answered, lines);
}
END_TEST

static Suite *suite(void) {
    Suite *s = suite_create("random formats");
    TCase *t = tcase_create("random");
    tcase_add_unchecked_fixture(t, open_store, close_store);
    tcase_add_test(t, a_random_line_is_refused_in_words_or_answered);
    suite_add_tcase(s, t);
    return s;
}

#include "support/check_main.h"
