/* Twenty thousand random command lines, likely and unlikely values mixed, from one seed: each is either refused with
 * a sentence that both languages have, or computed, and then its totals are the sums of its parts on every stage
 * looked at, and the command line that the program would print for it leads back to the same scenario. */
#include <check.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "../../../app/cli/cli_private.h"
#include "shardlab/calc/comm.h"
#include "shardlab/calc/memory.h"
#include "shardlab/calc/params.h"
#include "support/rounds.h"

enum { SETS = 20000, OPTIONS_MAX = 9, WORDS_MAX = 2 * OPTIONS_MAX + 8, WORD_MAX = 48 };

/* One command line, kept so that a failure can show it. */
struct line {
    uint64_t state; /* xorshift64 */
    char text[WORDS_MAX][WORD_MAX];
    char *words[WORDS_MAX];
    int count;
    char shown[WORDS_MAX * (WORD_MAX + 1)];
};

struct tally {
    int refused, refused_late, computed;
};

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

/* --- Making a line --- */

static uint64_t next(struct line *l) {
    l->state ^= l->state << 13;
    l->state ^= l->state >> 7;
    l->state ^= l->state << 17;
    return l->state;
}

static uint64_t below(struct line *l, uint64_t limit) {
    return next(l) % limit;
}

static void add_word(struct line *l, const char *word) {
    ck_assert_int_lt(l->count, WORDS_MAX);
    (void)snprintf(l->text[l->count], WORD_MAX, "%s", word);
    l->words[l->count] = l->text[l->count];
    l->count++;
}

#define PICK(l, list) ((list)[below((l), sizeof(list) / sizeof((list)[0]))])

static void add_source(struct line *l) {
    static const char *const models[] = {"llama-2-7b", "llama-2-70b",  "gpt2",
                                         "opt-175b",   "bloom-176b",   "gpt3-175b",
                                         "nope",       "mixtral-8x7b", "deepseek-v2"};
    static const char *const sizes[] = {
        "1", "7B", "7.5B", "175B", "1T", "1P", "1152921504606846975"};
    switch (below(l, 4)) {
    case 0:
        add_word(l, "--params");
        add_word(l, PICK(l, sizes));
        break;
    case 1:
        add_word(l, "--layers=4");
        add_word(l, below(l, 16) == 0 ? "--hidden=1099511627776" : "--hidden=256");
        add_word(l, "--heads=8");
        add_word(l, "--vocab=1000");
        break;
    default:
        add_word(l, "--model");
        add_word(l, PICK(l, models));
    }
}

static void likely_value(struct line *l, const struct calc_option *o, char value[WORD_MAX]) {
    int choices = 0;
    switch (o->kind) {
    case CALC_OPTION_CHOICE:
        while (o->choices[choices] != NULL) {
            choices++;
        }
        (void)snprintf(value, WORD_MAX, "%s", o->choices[below(l, (uint64_t)choices)]);
        break;
    case CALC_OPTION_SWITCH:
        (void)snprintf(value, WORD_MAX, "%s", below(l, 2) == 0 ? "yes" : "no");
        break;
    case CALC_OPTION_LIST:
        (void)snprintf(value, WORD_MAX, "%d,%d", (int)below(l, 4) + 1, (int)below(l, 4) + 1);
        break;
    case CALC_OPTION_NAME:
        (void)snprintf(value, WORD_MAX, "%s",
                       strcmp(o->name, "gpu") == 0 ? "h200-sxm-141gb" : "gpt2");
        break;
    case CALC_OPTION_PATH:
        (void)snprintf(value, WORD_MAX, "no-such-config.json");
        break;
    case CALC_OPTION_COUNT:
    case CALC_OPTION_SEQ:
    case CALC_OPTION_BYTES:
    case CALC_OPTION_REAL:
        if (o->stop_count > 0) {
            struct writer w;
            writer_start(&w, value, WORD_MAX);
            calc_option_stop_write(&w, calc_option_index(o->name),
                                   (int)below(l, (uint64_t)o->stop_count));
        } else {
            (void)snprintf(value, WORD_MAX, "%llu", 1ULL << below(l, 20));
        }
        break;
    }
}

static void add_option(struct line *l) {
    static const char *const unlikely[] = {"",           "0",
                                           "-1",         "nan",
                                           "1e30",       "4096x",
                                           "1",          "3",
                                           "1.5",        "１６",
                                           "\xff",       "\033[",
                                           "9999999999", "16K",
                                           "2.5T",       "7",
                                           "1048576",    "zh",
                                           "1,2,",       "1T",
                                           "none",       "18446744073709551615",
                                           "1023",       "64GiB",
                                           "full"};
    static const char *const others[] = {"--json", "--stage=1", "--unit=gib", "--nope", "--untied"};
    uint64_t what = below(l, 20);
    if (what == 0) {
        add_word(l, PICK(l, others));
        return;
    }
    const struct calc_option *o = calc_option_at((int)below(l, (uint64_t)calc_option_count()));
    bool source = o->kind == CALC_OPTION_PATH || strcmp(o->name, "model") == 0 ||
                  strcmp(o->name, "params") == 0;
    if (source && what < 16) {
        return; /* a second source of the model is refused: mostly leave room for the rest */
    }
    char value[WORD_MAX], word[WORD_MAX];
    likely_value(l, o, value);
    if (what == 1) {
        (void)snprintf(value, sizeof value, "%s", PICK(l, unlikely));
    }
    (void)snprintf(word, sizeof word, "--%s=%.24s", o->name, value);
    add_word(l, word);
}

static void make_line(struct line *l) {
    size_t used = 0;
    l->count = 0;
    if (below(l, 20) > 0) {
        add_source(l);
    }
    for (uint64_t more = below(l, OPTIONS_MAX); more > 0; more--) {
        add_option(l);
    }
    l->shown[0] = '\0';
    for (int i = 0; i < l->count; i++) {
        used += (size_t)snprintf(l->shown + used, sizeof l->shown - used, "%s ", l->words[i]);
    }
}

/* --- Judging it --- */

static void expect_sentence(const struct line *l, const struct message *why) {
    const struct words *languages[] = {&english, &chinese};
    ck_assert_msg(why->id != NULL, "refused without a sentence: %s", l->shown);
    for (int i = 0; i < 2; i++) {
        char text[2048];
        struct writer w;
        writer_start(&w, text, sizeof text);
        ck_assert_msg(languages[i]->find(languages[i]->book, why->id) != NULL,
                      "%s is not in strings.json: %s", why->id, l->shown);
        words_write(&w, languages[i], why);
        ck_assert_msg(w.length > 8 && !w.overflow, "%s: %s", why->id, l->shown);
        ck_assert_msg(strpbrk(text, "{}\n\033") == NULL, "%s: %s", text, l->shown);
    }
}

static void expect_sums(const struct line *l, const struct calc_memory *m) {
    uint64_t total = 0, largest = 0, explained[CALC_PARTS + 1] = {0};
    for (int i = 0; i < m->derivation.count; i++) {
        largest = m->derivation.terms[i].bytes > largest ? m->derivation.terms[i].bytes : largest;
        const struct calc_term *term = &m->derivation.terms[i];
        ck_assert_msg(term->formula[0] != '\0' && term->substituted[0] != '\0', "%s: %s", term->id,
                      l->shown);
        explained[term->part] += term->bytes;
    }
    for (int part = 0; part < CALC_PARTS; part++) {
        ck_assert_msg(explained[part] == m->part_bytes[part], "%s: %llu explained, %llu: %s",
                      calc_part_name((enum calc_part)part), (unsigned long long)explained[part],
                      (unsigned long long)m->part_bytes[part], l->shown);
        total += m->part_bytes[part];
    }
    ck_assert_msg(m->total_bytes == (m->phases ? largest : total), "%s", l->shown);
    ck_assert_msg(m->activations_known || m->part_bytes[CALC_PART_ACTIVATIONS] == 0, "%s",
                  l->shown);
}

/* What `y` would print is read back as what was given. */
static void expect_way_back(const struct line *l, const struct scenario *given) {
    char text[1024];
    struct writer w;
    struct scenario back;
    struct message why = {0};
    writer_start(&w, text, sizeof text);
    scenario_write_options(&w, given);
    if (strchr(text, '\'') != NULL) {
        return; /* quoted for a shell */
    }
    ck_assert_msg(cli_scenario_parse_line(text, &back, &why) == STATUS_OK, "%s: %s: %s", why.id,
                  text, l->shown);
    ck_assert_msg(memcmp(&back, given, sizeof back) == 0, "%s\n%s", l->shown, text);
}

static void compute(const struct line *l, const struct scenario *s, struct tally *tally) {
    struct calc_memory worst, m;
    struct calc_params params;
    struct message why = {0};
    enum status ok = calc_params_count(s, &params, &why);
    ok = ok == STATUS_OK ? calc_memory_worst(s, &worst, &why) : ok;
    if (ok != STATUS_OK) {
        expect_sentence(l, &why);
        tally->refused_late++;
        return;
    }
    const uint64_t looked_at[] = {0, worst.stage, s->layout.pp - 1};
    for (int i = 0; i < 3; i++) {
        ck_assert_msg(calc_memory_on_stage(s, looked_at[i], &m, &why) == STATUS_OK, "%s", l->shown);
        expect_sums(l, &m);
        ck_assert_msg(m.total_bytes <= worst.total_bytes, "%s", l->shown);
    }
    ck_assert_msg(m.stage == s->layout.pp - 1 && worst.stage < s->layout.pp, "%s", l->shown);
    tally->computed++;
}

static bool sound(double seconds) {
    return isfinite(seconds) && seconds >= 0.0;
}

/* What it sends adds up too, or is too much to count. */
static void communicate(const struct line *l, const struct scenario *s) {
    struct calc_comm c;
    struct message why = {0};
    if (calc_comm_step(s, &c, &why) != STATUS_OK) {
        expect_sentence(l, &why);
        return;
    }
    uint64_t sum = 0;
    for (int i = 0; i < c.row_count; i++) {
        const struct calc_comm_row *row = &c.rows[i];
        sum += row->axis == CALC_AXIS_OFFLOAD ? 0 : row->sent_bytes;
        ck_assert_msg(sound(row->time_s) && sound(row->exposed_s), "%s: %s", l->shown, row->id);
    }
    ck_assert_msg(sum == c.total_sent_bytes && sound(c.exposed_s) && sound(c.compute_s), "%s",
                  l->shown);
}

static void judge(struct line *l, struct tally *tally) {
    struct cli_args args;
    struct scenario resolved;
    struct message why = {0};
    memset(&args, 0, sizeof args);
    enum status ok = cli_args_parse(
        l->count, l->words, CLI_TAKES_SCENARIO | CLI_TAKES_UNIT | CLI_TAKES_STAGE, &args, &why);
    if (ok == STATUS_OK) {
        expect_way_back(l, &args.given);
        ok = cli_scenario_load(store, &args.given, NULL, &resolved, NULL, &why);
    }
    if (ok != STATUS_OK) {
        ck_assert_msg(ok == STATUS_USAGE ||
                          (ok == STATUS_FAILED && args.given.model.config[0] != '\0'),
                      "status %d: %s", (int)ok, l->shown);
        expect_sentence(l, &why);
        tally->refused++;
        return;
    }
    compute(l, &resolved, tally);
    communicate(l, &resolved);
}

START_TEST(a_random_line_is_refused_in_words_or_adds_up) {
    static struct line line = {.state = 20240229};
    struct tally tally = {0, 0, 0};
    const int sets = test_rounds(SETS);
    for (int i = 0; i < sets; i++) {
        make_line(&line);
        judge(&line, &tally);
    }
    /* Neither side may have been left out by a careless mixture. */
    ck_assert_msg(tally.computed > sets / 5 && tally.refused > sets / 5 && tally.refused_late > 10,
                  "%d computed, %d refused, %d refused by a calculator", tally.computed,
                  tally.refused, tally.refused_late);
}
END_TEST

static Suite *suite(void) {
    Suite *s = suite_create("random options");
    TCase *t = tcase_create("random");
    tcase_add_unchecked_fixture(t, open_store, close_store);
    tcase_add_test(t, a_random_line_is_refused_in_words_or_adds_up);
    suite_add_tcase(s, t);
    return s;
}

#include "support/check_main.h"
