/* The memory of one GPU as a whole: terms sum to parts and parts to the total; properties that hold for every legal
 * scenario, tried on thousands of random ones; buffers; the worst stage; and arithmetic that never wraps. */
#define _POSIX_C_SOURCE 200809L

#include "calc_support.h"
#include "dice.h"
#include "shardlab/calc/schedule.h"
#include "support/rounds.h"

#define ROUNDS test_rounds(4000)

/* --- Random legal scenarios -------------------------------------------------------------------------------------- */

static const char *pick(struct dice *d, const char *const *list, int count) {
    return list[dice_roll(d, (uint64_t)count)];
}

static int write_random_model(struct dice *d, char *line, size_t capacity) {
    static const char *const shapes[] = {
        "--layers 12 --hidden 768 --heads 12 --vocab 50257 --norm layer --bias all --position "
        "learned --tied",
        "--layers 32 --hidden 4096 --heads 32 --ffn 11008 --vocab 32000",
        "--layers 80 --hidden 8192 --heads 64 --kv-heads 8 --ffn 28672 --vocab 128256",
        "--layers 7 --hidden 90 --heads 9 --kv-heads 3 --ffn 101 --vocab 997 --tied --bias qkv "
        "--qk-norm",
        "--layers 26 --hidden 2304 --heads 8 --kv-heads 4 --head-dim 256 --ffn 9216 --vocab 256000 "
        "--norms 4",
        "--layers 70 --hidden 14336 --heads 112 --vocab 250880 --tied --embedding-norm --position "
        "alibi",
        "--layers 1 --hidden 1 --heads 1 --vocab 1",
        "--params 7B",
        "--params 1001",
    };
    return snprintf(line, capacity, "%s", pick(d, shapes, ROWS(shapes)));
}

static void write_random_rest(struct dice *d, char *line, size_t capacity) {
    static const char *const schedules[] = {"",
                                            " --schedule gpipe",
                                            " --chunks 2",
                                            " --chunks 3",
                                            " --schedule interleaved",
                                            " --schedule looped-bfs",
                                            " --schedule zb-h1",
                                            " --schedule zb-h2",
                                            " --schedule zb-interleaved",
                                            " --schedule zb-v",
                                            " --schedule dualpipe",
                                            " --schedule dualpipev",
                                            " --schedule chimera"};
    static const char *const recipes[] = {"",
                                          " --attention standard",
                                          " --attention standard --dropout",
                                          " --recompute full",
                                          " --precision fp8",
                                          " --recompute full --attention standard --dropout",
                                          " --recompute selective --attention standard",
                                          " --precision fp32",
                                          " --precision fp32 --attention standard --dropout",
                                          " --dropout"};
    static const char *const extras[] = {"",
                                         " --logits bf16",
                                         " --logits fp32x3",
                                         " --grad-bytes 6",
                                         " --buffers framework",
                                         " --optimizer sgd",
                                         " --pad-vocab 512",
                                         " --optimizer adam8bit",
                                         " --offload optimizer",
                                         " --offload params",
                                         " --no-reshard",
                                         " --prefetch 3",
                                         " --optimizer muon",
                                         " --optimizer adafactor"};
    static const char *const conventions[] = {"zero-paper", "megatron", "deepspeed", "fsdp"};
    static const int degrees[] = {1, 1, 2, 3, 4, 8, 16};
    int length = snprintf(
        line, capacity, " --convention %s --zero %d --dp %d --tp %d --pp %d --cp %d",
        pick(d, conventions, ROWS(conventions)), (int)dice_roll(d, 4), 1 + (int)dice_roll(d, 40),
        degrees[dice_roll(d, 7)], degrees[dice_roll(d, 7)], degrees[dice_roll(d, 7)]);
    (void)snprintf(line + length, capacity - (size_t)length,
                   "%s%s%s%s --seq %d --micro-batch %d --micro-batches %d",
                   dice_roll(d, 2) == 0 ? " --sequence-parallel" : "",
                   pick(d, schedules, ROWS(schedules)), pick(d, recipes, ROWS(recipes)),
                   pick(d, extras, ROWS(extras)), 16 + (int)dice_roll(d, 5000),
                   1 + (int)dice_roll(d, 4), 1 + (int)dice_roll(d, 40));
}

/* The next legal scenario; `line` says which, for messages. */
static struct scenario next_legal(struct dice *d, char *line, size_t capacity) {
    for (;;) {
        int length = write_random_model(d, line, capacity);
        write_random_rest(d, line + length, capacity - (size_t)length);
        struct scenario s = given_of(line);
        struct message why;
        if (scenario_resolve(&s, &s, &why) == STATUS_OK && scenario_violations(&s, &why, 1) == 0) {
            return s;
        }
    }
}

/* The same scenario with one option changed; false when that is not legal. */
static bool changed(const char *line, const char *option, uint64_t value, struct scenario *out) {
    char text[32];
    struct message why;
    *out = given_of(line);
    (void)snprintf(text, sizeof text, "%ju", (uintmax_t)value);
    return calc_option_set(out, calc_option_index(option), text, &why) == STATUS_OK &&
           scenario_resolve(out, out, &why) == STATUS_OK && scenario_violations(out, &why, 1) == 0;
}

static void check_sums(const struct calc_memory *m, const char *line) {
    uint64_t parts[CALC_PARTS] = {0}, total = 0;
    for (int i = 0; i < m->derivation.count; i++) {
        const struct calc_term *t = &m->derivation.terms[i];
        parts[t->part] += t->bytes;
        must_hold(t->formula[0] != '\0' && t->substituted[0] != '\0' && t->source[0] != '\0',
                  "%s: %s has no derivation", line, t->id);
        for (int k = 0; k < i; k++) {
            must_hold(strcmp(t->id, m->derivation.terms[k].id) != 0, "%s: %s twice", line, t->id);
        }
    }
    for (int part = 0; part < CALC_PARTS; part++) {
        must_hold(parts[part] == m->part_bytes[part], "%s: the terms of %s sum to %ju, not %ju",
                  line, calc_part_name((enum calc_part)part), (uintmax_t)parts[part],
                  (uintmax_t)m->part_bytes[part]);
        total += parts[part];
    }
    must_hold(total == m->total_bytes, "%s: the parts sum to %ju, the total is %ju", line,
              (uintmax_t)total, (uintmax_t)m->total_bytes);
    must_hold(states_of(m) <= m->total_bytes, "%s: less than the states", line);
}

START_TEST(terms_sum_to_parts_and_parts_to_the_total_on_every_stage) {
    struct dice d = {2026};
    char line[1024];
    for (int round = 0; round < ROUNDS; round++) {
        struct scenario s = next_legal(&d, line, sizeof line);
        uint64_t layers = 0;
        for (uint64_t stage = 0; stage < s.layout.pp; stage++) {
            struct calc_memory m = memory_of(&s, stage);
            check_sums(&m, line);
            must_hold(m.stage == stage && m.in_flight > 0, "%s: stage %ju", line, (uintmax_t)stage);
            layers += m.layers;
        }
        uint64_t all = calc_model_copies(&s) * s.model.layers;
        must_hold(scenario_params_only(&s) || layers == all, "%s: layers", line);
    }
}
END_TEST

START_TEST(the_worst_stage_is_the_first_of_the_largest) {
    struct dice d = {5};
    char line[1024];
    for (int round = 0; round < ROUNDS / 8; round++) {
        struct scenario s = next_legal(&d, line, sizeof line);
        struct calc_memory worst;
        struct message why;
        ck_assert_int_eq(calc_memory_worst(&s, &worst, &why), STATUS_OK);
        for (uint64_t stage = 0; stage < s.layout.pp; stage++) {
            struct calc_memory m = memory_of(&s, stage);
            bool first = stage >= worst.stage || m.total_bytes < worst.total_bytes;
            must_hold(m.total_bytes <= worst.total_bytes && first, "%s: stage %ju", line,
                      (uintmax_t)stage);
        }
    }
}
END_TEST

START_TEST(more_data_ranks_never_need_more_bytes) {
    struct dice d = {17};
    char line[1024];
    int tried = 0;
    for (int round = 0; round < ROUNDS; round++) {
        struct scenario s = next_legal(&d, line, sizeof line), more;
        if (changed(line, "dp", s.layout.dp + 1 + dice_roll(&d, 9), &more)) {
            struct calc_memory before = memory_of(&s, 0), after = memory_of(&more, 0);
            must_hold(after.total_bytes <= before.total_bytes, "%s --dp %ju", line,
                      (uintmax_t)more.layout.dp);
            must_hold(s.layout.zero != 0 || after.total_bytes == before.total_bytes, "%s: zero 0",
                      line);
            tried++;
        }
    }
    ck_assert_int_gt(tried, ROUNDS / 2);
}
END_TEST

START_TEST(more_tensor_ranks_with_sequence_parallel_never_keep_more_activations) {
    struct dice d = {23};
    char line[1024];
    int tried = 0;
    for (int round = 0; round < ROUNDS; round++) {
        struct scenario s = next_legal(&d, line, sizeof line), more;
        if (s.layout.sequence_parallel && changed(line, "tp", 2 * s.layout.tp, &more)) {
            struct calc_memory before = memory_of(&s, 0), after = memory_of(&more, 0);
            must_hold(after.part_bytes[CALC_PART_ACTIVATIONS] <=
                          before.part_bytes[CALC_PART_ACTIVATIONS],
                      "%s --tp %ju", line, (uintmax_t)more.layout.tp);
            tried++;
        }
    }
    ck_assert_int_gt(tried, ROUNDS / 20);
}
END_TEST

/* A higher ZeRO stage, more context ranks, more recompute: never more of what they divide. */
static const struct {
    const char *option;
    enum calc_part part;
    uint64_t values[4];
} orders[] = {
    {"zero", CALC_PART_GRADIENTS, {0, 1, 2, 3}},
    {"zero", CALC_PART_OPTIMIZER, {0, 1, 2, 3}},
    {"zero", CALC_PART_WEIGHTS, {0, 1, 2, 3}},
    {"cp", CALC_PART_ACTIVATIONS, {1, 2, 4, 16}},
};

START_TEST(a_stronger_setting_never_needs_more) {
    struct dice d = {31};
    char line[1024];
    int compared = 0;
    for (int round = 0; round < ROUNDS / 4; round++) {
        (void)next_legal(&d, line, sizeof line);
        uint64_t before = UINT64_MAX;
        for (int i = 0; i < 4; i++) {
            struct scenario s;
            if (changed(line, orders[_i].option, orders[_i].values[i], &s)) {
                struct calc_memory m = memory_of(&s, 0);
                must_hold(m.part_bytes[orders[_i].part] <= before, "%s --%s %ju", line,
                          orders[_i].option, (uintmax_t)orders[_i].values[i]);
                compared += before != UINT64_MAX ? 1 : 0;
                before = m.part_bytes[orders[_i].part];
            }
        }
    }
    ck_assert_int_gt(compared, ROUNDS / 8);
}
END_TEST

/* --- Ψ alone ------------------------------------------------------------------------------------------------------ */

START_TEST(with_params_alone_only_states_are_known) {
    struct scenario s = legal_of("--params 7B --convention megatron --pp 4");
    struct calc_memory m = memory_of(&s, 3);
    ck_assert(!m.activations_known && !m.buffers_known);
    ck_assert_uint_eq(m.total_bytes, UINT64_C(18) * 1750000000);
    ck_assert_uint_eq(m.part_bytes[CALC_PART_ACTIVATIONS], 0);
    ck_assert_uint_eq(m.part_bytes[CALC_PART_BUFFERS], 0);
    struct scenario plain = legal_of("--params 7B");
    m = memory_of(&plain, 0);
    ck_assert(!m.activations_known && m.buffers_known); /* zero-paper has none */
}
END_TEST

/* --- Framework buffers -------------------------------------------------------------------------------------------- */

/* h 64, a 8 of 8, k 2, f 128 gated, v 1000 padded to 1024: qkv 64×96, out 64×64, fc1 64×256, fc2 128×64, head. */
#define TINY                                                                                       \
    "--layers 4 --hidden 64 --heads 8 --kv-heads 2 --ffn 128 --vocab 1000 --convention megatron "
enum { SHAPES = 64 * 96 + 64 * 64 + 64 * 256 + 128 * 64, HEAD = 64 * 1024 };

static const struct {
    const char *line;
    uint64_t stage, bytes;
} buffers[] = {
    {TINY, 0, 2 * (SHAPES + HEAD)},
    {TINY "--pp 2", 0, 2 * SHAPES},
    {TINY "--pp 2", 1, 2 * (SHAPES + HEAD)},
    {TINY "--tp 2", 0, 2 * (SHAPES + HEAD) / 2},
    {TINY "--buffers none", 0, 0},
    /* equal shapes share one buffer: fc1 of 96 columns is as large as qkv, an FFN of 64 is like the output */
    {TINY "--ffn 48", 0, 2 * (64 * 96 + 64 * 64 + 48 * 64 + HEAD)},
    {TINY "--ffn 64", 0, 2 * (64 * 96 + 64 * 64 + 64 * 128 + HEAD)},
    {"--layers 4 --hidden 64 --heads 8 --vocab 1000", 0, 0},
    {"--layers 4 --hidden 64 --heads 8 --vocab 1000 --buffers framework", 0,
     2 * 64 * (192 + 64 + 256 + 256 + 1000)},
};

START_TEST(framework_buffers_count_each_shape_once) {
    struct scenario s = legal_of("%s", buffers[_i].line);
    uint64_t bytes = memory_of(&s, buffers[_i].stage).part_bytes[CALC_PART_BUFFERS];
    ck_assert_msg(bytes == buffers[_i].bytes, "%s, stage %ju: %ju, not %ju", buffers[_i].line,
                  (uintmax_t)buffers[_i].stage, (uintmax_t)bytes, (uintmax_t)buffers[_i].bytes);
}
END_TEST

/* --- No wrap ------------------------------------------------------------------------------------------------------ */

#define HUGE "1099511627776" /* 2^40, the largest dimension */

static const char *const overflows[] = {
    "--layers 1 --hidden " HUGE " --heads 1 --vocab " HUGE,
    "--layers " HUGE " --hidden 4194304 --heads 1 --vocab 1",
    "--layers " HUGE " --hidden 64 --heads 8 --ffn " HUGE " --vocab 1",
    "--layers 1 --hidden 64 --heads 8 --kv-heads 8 --head-dim " HUGE
    " --ffn 1 --vocab 1 --layers " HUGE,
    "--layers 1 --hidden 64 --heads 8 --vocab 100 --seq " HUGE " --micro-batch " HUGE,
    "--layers 1 --hidden 64 --heads 8 --vocab 100 --seq " HUGE " --attention standard",
    "--layers " HUGE " --hidden 64 --heads 8 --vocab 100 --seq 100000 --micro-batch 100000",
    "--layers " HUGE
    " --hidden 64 --heads 8 --vocab 100 --seq 100000 --micro-batch 100000 --recompute full",
    "--layers 2 --hidden 64 --heads 8 --vocab 100 --micro-batches " HUGE " --schedule gpipe --pp 2 "
    "--seq 1000000",
    "--layers 1 --hidden 64 --heads 8 --vocab " HUGE " --logits fp32x3 --seq 10000000",
    "--layers 1 --hidden 33554432 --heads 8 --vocab " HUGE " --pad-vocab " HUGE,
    "--layers 1 --hidden " HUGE " --heads 1 --vocab 1 --buffers framework",
    "--params 1152921504606846976",
    "--params 1152921504606846976 --convention deepspeed",
};

START_TEST(a_product_past_64_bits_is_an_error_that_names_it) {
    struct scenario s = resolved_of(overflows[_i]);
    struct calc_memory m;
    struct message why = {0};
    ck_assert_msg(calc_memory_worst(&s, &m, &why) == STATUS_USAGE, "%s: %ju bytes", overflows[_i],
                  (uintmax_t)m.total_bytes);
    ck_assert_msg(strcmp(why.id, "error.calc.overflow") == 0 && why.arg_count == 1 &&
                      why.args[0].text[0] != '\0',
                  "%s: %s", overflows[_i], message_line(&why));
}
END_TEST

/* The largest Ψ that still has a sum of 16 bytes each. */
START_TEST(the_last_byte_before_the_edge_is_exact) {
    struct scenario s = legal_of("--params 1152921504606846975");
    ck_assert_uint_eq(memory_of(&s, 0).total_bytes, UINT64_MAX - 15);
}
END_TEST

/* Any dimensions at all: a number that long double agrees with, or the error. Never a wrapped, believable number. */
START_TEST(wild_dimensions_never_wrap) {
    static const char *const wild[] = {"layers",      "hidden",        "heads",    "kv-heads",
                                       "head-dim",    "ffn",           "vocab",    "seq",
                                       "micro-batch", "micro-batches", "pad-vocab"};
    struct dice d = {97};
    int sound = 0, over = 0;
    for (int round = 0; round < 4 * ROUNDS; round++) {
        struct scenario s =
            given_of("--attention standard --dropout --logits fp32 --buffers framework");
        for (int i = 0; i < ROWS(wild); i++) {
            char text[32];
            struct message why;
            (void)snprintf(text, sizeof text, "%ju",
                           1 + (uintmax_t)(dice_wide(&d, 40) % 1099511627776));
            ck_assert_int_eq(calc_option_set(&s, calc_option_index(wild[i]), text, &why),
                             STATUS_OK);
        }
        struct calc_memory m;
        struct message why = {0};
        must_hold(scenario_resolve(&s, &s, &why) == STATUS_OK, "%s", message_line(&why));
        if (calc_memory_on_stage(&s, 0, &m, &why) != STATUS_OK) {
            must_hold(strcmp(why.id, "error.calc.overflow") == 0, "%s", why.id);
            over++;
            continue;
        }
        sound++;
        const struct calc_model *c = &s.model;
        long double fc = (c->gated ? 3.0L : 2.0L) * (long double)c->ffn;
        long double width =
            (long double)c->head_dim * ((long double)c->heads + (long double)c->kv_heads);
        long double params =
            (long double)c->layers * (long double)c->hidden * (2.0L * width + fc + 2.0L);
        must_hold((long double)m.params >= params && (long double)m.total_bytes >= 16.0L * params,
                  "%ju parameters", (uintmax_t)m.params);
    }
    ck_assert_int_gt(sound, ROUNDS / 40);
    ck_assert_int_gt(over, ROUNDS / 40);
}
END_TEST

static Suite *suite(void) {
    Suite *s = suite_create("memory");
    TCase *properties = tcase_create("properties"), *rules = tcase_create("rules");
    tcase_add_test(properties, terms_sum_to_parts_and_parts_to_the_total_on_every_stage);
    tcase_add_test(properties, the_worst_stage_is_the_first_of_the_largest);
    tcase_add_test(properties, more_data_ranks_never_need_more_bytes);
    tcase_add_test(properties,
                   more_tensor_ranks_with_sequence_parallel_never_keep_more_activations);
    tcase_add_loop_test(properties, a_stronger_setting_never_needs_more, 0, ROWS(orders));
    tcase_add_test(rules, with_params_alone_only_states_are_known);
    tcase_add_loop_test(rules, framework_buffers_count_each_shape_once, 0, ROWS(buffers));
    tcase_add_loop_test(rules, a_product_past_64_bits_is_an_error_that_names_it, 0,
                        ROWS(overflows));
    tcase_add_test(rules, the_last_byte_before_the_edge_is_exact);
    tcase_add_test(properties, wild_dimensions_never_wrap);
    suite_add_tcase(s, properties);
    suite_add_tcase(s, rules);
    return s;
}

#include "support/check_main.h"
