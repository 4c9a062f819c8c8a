/* Random experiments in one process: whatever overflow_read accepts, the calculator predicts exactly what precision
 * measures, curves included; what it refuses it refuses with a sentence. Then the comparison itself, and what belongs to
 * which experiment. More of them with TEST_ROUNDS. */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../../app/cli/overflow_private.h"
#include "support/rounds.h"

enum { TAKES = CLI_TAKES_RUN | CLI_TAKES_PRECISION, WORDS = 32, WORD_MAX = 64 };

static struct overflow overflow;

/* --- Lines --- */

struct line {
    char text[WORDS][WORD_MAX];
    char *words[WORDS];
    int count;
    uint64_t state;
};

static uint64_t pick(struct line *l, uint64_t count) {
    return calc_random(31, l->state++, 7) % count;
}

static double real(struct line *l, int low, int high) { /* log-uniform in 2^low … 2^high */
    double fraction = 1 + (double)pick(l, 1 << 20) / (1 << 20);
    for (int k = low + (int)pick(l, (uint64_t)(high - low)); k != 0; k += k < 0 ? 1 : -1) {
        fraction = k < 0 ? fraction / 2 : fraction * 2;
    }
    return fraction;
}

static void add(struct line *l, const char *word) {
    ck_assert_int_lt(l->count, WORDS);
    (void)snprintf(l->text[l->count], WORD_MAX, "%s", word);
    l->words[l->count] = l->text[l->count];
    l->count++;
}

static void add_real(struct line *l, const char *name, double value) {
    char text[WORD_MAX];
    (void)snprintf(text, sizeof text, "%.17g", value);
    add(l, name);
    add(l, text);
}

static void add_count(struct line *l, const char *name, uint64_t value) {
    add_real(l, name, (double)value);
}

static void add_sums(struct line *l, bool trials) {
    double value = real(l, -6, 5);
    add_real(l, "--value", value);
    add_real(l, "--update", value * real(l, -14, 0));
    add_count(l, "--count", 1 + pick(l, 300));
    if (trials) {
        add_count(l, "--trials", 1 + pick(l, 40));
        add_count(l, "--seed", pick(l, 1 << 30));
    }
}

static void add_gradients(struct line *l, bool steps) {
    static const char *const scales[] = {"none",         "dynamic",       "dynamic:1",
                                         "static:0.125", "static:131072", "dynamic:1048576"};
    add_real(l, "--center", (double)pick(l, 60) - 40);
    add_real(l, "--spread", (double)pick(l, 800) / 100);
    add_count(l, "--seed", pick(l, 1 << 30));
    add_count(l, "--count", 1 + pick(l, steps ? 30 : 1000));
    if (steps) {
        add_count(l, "--steps", 1 + pick(l, 100));
        add_count(l, "--growth", 1 + pick(l, 9));
        add(l, "--loss-scale");
        add(l, scales[pick(l, 6)]);
    }
}

static void add_ranks(struct line *l) {
    static const char *const algorithms[] = {"naive", "ring", "tree", "halving-doubling", "direct"};
    uint64_t ranks = 1 + pick(l, 12);
    add_real(l, "--value", real(l, -3, 14));
    add_real(l, "--update", real(l, -6, 9));
    add_count(l, "--ranks", ranks);
    add_count(l, "--elems", 1 + pick(l, 2 * ranks));
    add(l, "--algorithm");
    add(l, algorithms[pick(l, 5)]);
}

static void add_options(struct line *l, enum precision_experiment experiment) {
    switch (experiment) {
    case PRECISION_SUM:
        add_real(l, "--value", real(l, -8, 9));
        add_count(l, "--count", 1 + pick(l, 3000));
        break;
    case PRECISION_RANGE:
        add_real(l, "--value", real(l, -5, 14));
        break;
    case PRECISION_SOFTMAX:
        add_real(l, "--value", real(l, -4, 6));
        add_count(l, "--count", 1 + pick(l, 50));
        break;
    case PRECISION_ADAM_EPS:
        add_real(l, "--value", real(l, -40, 5));
        add_real(l, "--epsilon", real(l, -40, -1));
        break;
    case PRECISION_STAGNATION:
    case PRECISION_STOCHASTIC:
        add_sums(l, experiment == PRECISION_STOCHASTIC);
        break;
    case PRECISION_GRADIENTS:
    case PRECISION_LOSS_SCALE:
    case PRECISION_FP8_SCALE:
        add_gradients(l, experiment == PRECISION_LOSS_SCALE);
        break;
    case PRECISION_ALLREDUCE:
    case PRECISION_EXPERIMENTS:
        add_ranks(l);
        break;
    }
}

static void random_line(struct line *l, enum precision_experiment experiment) {
    static const char *const types[] = {"fp16", "bf16", "e4m3", "e5m2"};
    bool fixed = experiment == PRECISION_FP8_SCALE || experiment == PRECISION_ALLREDUCE;
    l->count = 0;
    add(l, "--experiment");
    add(l, precision_name(experiment));
    add(l, "--type");
    add(l, types[(experiment == PRECISION_FP8_SCALE ? 2 : 0) + pick(l, fixed ? 2 : 4)]);
    if (!fixed && pick(l, 2) == 0) {
        add(l, "--overflow");
        add(l, pick(l, 2) == 0 ? "inf" : "saturate");
    }
    add_options(l, experiment);
}

static void say(const struct line *l, char *out, size_t capacity) {
    struct writer w;
    writer_start(&w, out, capacity);
    for (int i = 0; i < l->count; i++) {
        writer_text(&w, l->text[i]);
        writer_char(&w, ' ');
    }
}

static enum status read_line(struct line *l, struct message *why) {
    struct cli_args args;
    memset(&args, 0, sizeof args);
    memset(&overflow, 0, sizeof overflow);
    message_start(why, NULL);
    ck_assert_int_eq(cli_args_parse(l->count, l->words, TAKES, &args, why), STATUS_OK);
    return overflow_read(&args.experiment, &overflow, why);
}

/* --- Tests --- */

START_TEST(whatever_is_accepted_is_predicted_exactly) {
    int rounds = test_rounds(_i == PRECISION_ALLREDUCE ? 200 : 60), ran = 0;
    static struct line l;
    l.state = (uint64_t)_i << 40;
    for (int round = 0; round < rounds; round++) {
        char text[1024];
        struct message why;
        random_line(&l, (enum precision_experiment)_i);
        say(&l, text, sizeof text);
        enum status ok = read_line(&l, &why);
        if (ok != STATUS_OK) {
            ck_assert_msg(ok == STATUS_USAGE && why.id != NULL, "%s: %d", text, (int)ok);
            continue;
        }
        ck_assert_msg(overflow_run(&overflow, &why) == STATUS_OK, "%s: %s", text, why.id);
        ck_assert_msg(overflow.match, "%s", text);
        ck_assert_msg(overflow.predicted.points > 0, "%s", text);
        ran++;
    }
    ck_assert_int_gt(ran, rounds / 3);
}
END_TEST

START_TEST(one_difference_is_no_match) {
    static struct line l;
    struct message why;
    random_line(&l, PRECISION_RANGE);
    ck_assert_int_eq(read_line(&l, &why), STATUS_OK);
    ck_assert_int_eq(overflow_run(&overflow, &why), STATUS_OK);
    ck_assert(overflow_matches(&overflow.predicted, &overflow.measured));
    overflow.measured.same_each_time = false;
    ck_assert(!overflow_matches(&overflow.predicted, &overflow.measured));
    overflow.measured.same_each_time = true;
    overflow.measured.facts.list[0].real += 1;
    ck_assert(!overflow_matches(&overflow.predicted, &overflow.measured));
    overflow.measured.facts.list[0].real -= 1;
    overflow.measured.facts.point[1][0] /= 2;
    ck_assert(!overflow_matches(&overflow.predicted, &overflow.measured));
}
END_TEST

START_TEST(options_belong_to_experiments) {
    ck_assert(overflow_takes(PRECISION_SUM, "count"));
    ck_assert(!overflow_takes(PRECISION_SUM, "coun"));
    ck_assert(!overflow_takes(PRECISION_SUM, "update"));
    ck_assert(overflow_takes(PRECISION_RANGE, "seed"));
    ck_assert(overflow_has_gradients(PRECISION_FP8_SCALE));
    ck_assert(!overflow_has_gradients(PRECISION_STOCHASTIC));
    ck_assert(overflow_is_seeded(PRECISION_STOCHASTIC));
    ck_assert(!overflow_is_seeded(PRECISION_ALLREDUCE));
}
END_TEST

START_TEST(what_was_given_is_remembered) {
    struct cli_args args;
    struct message why;
    char *words[] = {"--type", "bf16", "--seed=3", "--events"};
    memset(&args, 0, sizeof args);
    ck_assert_int_eq(cli_args_parse(4, words, TAKES, &args, &why), STATUS_OK);
    ck_assert(cli_experiment_given(&args.experiment, "type"));
    ck_assert(cli_experiment_given(&args.experiment, "events"));
    ck_assert(!cli_experiment_given(&args.experiment, "value"));
    int at = 0, count = 0;
    while (cli_experiment_next_given(&args.experiment, &at) != NULL) {
        count++;
    }
    ck_assert_int_eq(count, 3);
}
END_TEST

static Suite *suite(void) {
    Suite *s = suite_create("random overflow");
    TCase *t = tcase_create("random overflow");
    tcase_add_loop_test(t, whatever_is_accepted_is_predicted_exactly, 0, PRECISION_EXPERIMENTS);
    tcase_add_test(t, one_difference_is_no_match);
    tcase_add_test(t, options_belong_to_experiments);
    tcase_add_test(t, what_was_given_is_remembered);
    suite_add_tcase(s, t);
    return s;
}

#include "support/check_main.h"
