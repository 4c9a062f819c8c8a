/* What a schedule changes beside the order: how many chunks a rank holds, where embedding and head are, what is in
 * flight, and which micro-batches are legal. Numbers by hand; that they are those of the schedules' own order lists
 * is tests/unit/plan/test_in_flight.c. */
#define _POSIX_C_SOURCE 200809L

#include "shardlab/calc/schedule.h"

#include "calc_support.h"
#include "shardlab/calc/timeline.h"

#define SMALL "--layers 16 --hidden 64 --heads 4 --vocab 1000 --seq 32 --pp 4 "

static const struct {
    const char *line;
    uint64_t chunks, micro_batches;
} defaults[] = {
    {SMALL "--schedule looped-bfs", 2, 16},  {SMALL "--schedule zb-h1", 1, 16},
    {SMALL "--schedule zb-h2", 1, 16},       {SMALL "--schedule zb-interleaved", 2, 16},
    {SMALL "--schedule zb-v", 2, 16},        {SMALL "--schedule dualpipe", 1, 16},
    {SMALL "--schedule dualpipev", 2, 16},   {SMALL "--schedule chimera", 1, 16},
    {SMALL "--pp 1 --schedule zb-h2", 1, 1}, {SMALL "--pp 1 --schedule dualpipev", 2, 2},
};

START_TEST(a_schedule_alone_is_a_legal_scenario) {
    struct scenario s = legal_of("%s", defaults[_i].line);
    ck_assert_uint_eq(s.layout.chunks, defaults[_i].chunks);
    ck_assert_uint_eq(s.batch.micro_batches, defaults[_i].micro_batches);
}
END_TEST

static const struct {
    const char *line;
    uint64_t in_flight[4];
} flights[] = {
    {"--schedule looped-bfs --micro-batches 5", {10, 10, 10, 10}},
    {"--schedule zb-h1 --micro-batches 8", {4, 4, 4, 4}},
    {"--schedule zb-h1 --micro-batches 3", {3, 3, 3, 3}},
    {"--schedule zb-h2 --micro-batches 8", {7, 7, 7, 7}},
    {"--schedule zb-interleaved --micro-batches 8", {8, 8, 8, 8}},
    {"--schedule zb-interleaved --micro-batches 10", {9, 9, 9, 9}}, /* groups of 5 */
    {"--schedule zb-v --micro-batches 8", {8, 8, 8, 8}},
    {"--schedule zb-v --micro-batches 4", {5, 6, 7, 8}}, /* as V089 counts it */
    {"--schedule dualpipe --micro-batches 8", {5, 5, 5, 5}},
    {"--schedule dualpipev --micro-batches 8", {9, 9, 9, 9}},
    {"--schedule chimera --micro-batches 4", {3, 4, 4, 3}},
    {"--chunks 2 --micro-batches 10", {12, 10, 8, 6}}, /* interleaved, as V039 counts it */
};

/* Chunks in flight of L/V layers each, L the layers of the rank. */
START_TEST(activations_are_those_of_the_chunks_in_flight) {
    struct scenario s = legal_of(SMALL "%s", flights[_i].line);
    uint64_t held = calc_chunks_held(&s);
    struct scenario one = legal_of(SMALL "--pp 1 --micro-batches 1");
    struct calc_memory whole = memory_of(&one, 0);
    for (uint64_t stage = 0; stage < 4; stage++) {
        struct calc_memory m = memory_of(&s, stage);
        ck_assert_msg(m.in_flight == flights[_i].in_flight[stage], "%s, stage %ju: %ju",
                      flights[_i].line, (uintmax_t)stage, (uintmax_t)m.in_flight);
        uint64_t layers = m.in_flight * m.layers / held, head = 0;
        if (calc_has_head(&s, stage)) {
            head = calc_heads_in_flight(&s) * 4 * 32 * 64;
        }
        uint64_t layer = (whole.part_bytes[CALC_PART_ACTIVATIONS] - 4 * 32 * 64) / 16;
        ck_assert_uint_eq(m.part_bytes[CALC_PART_ACTIVATIONS], layers * layer + head);
    }
}
END_TEST

static uint64_t params_at(const char *line, uint64_t stage) {
    struct scenario s = legal_of(SMALL "%s", line);
    return memory_of(&s, stage).params;
}

/* Embedding (E) and final norm with head (H) on top of four layers (L) a stage. */
START_TEST(the_ends_of_the_model_are_where_the_schedule_puts_them) {
    uint64_t middle = params_at("", 1), table = 1000 * 64, norm = 64;
    for (uint64_t stage = 0; stage < 4; stage++) {
        bool first = stage == 0, last = stage == 3;
        uint64_t loop = middle + (first ? table : 0) + (last ? table + norm : 0);
        uint64_t folded = middle + (first ? 2 * table + norm : 0);
        uint64_t both = 2 * middle + (first || last ? 2 * table + norm : 0);
        ck_assert_uint_eq(params_at("--schedule zb-h1", stage), loop);
        ck_assert_uint_eq(params_at("--schedule zb-v", stage), folded);
        ck_assert_uint_eq(params_at("--schedule dualpipev", stage), folded);
        ck_assert_uint_eq(params_at("--schedule dualpipe", stage), both);
        ck_assert_uint_eq(params_at("--schedule chimera", stage), both);
        /* tied: a second copy only where the two ends are on different ranks */
        ck_assert_uint_eq(params_at("--tied", stage), loop);
        ck_assert_uint_eq(params_at("--tied --schedule zb-v", stage), folded - (first ? table : 0));
        ck_assert_uint_eq(params_at("--tied --schedule dualpipe", stage),
                          both - (first || last ? table : 0));
    }
}
END_TEST

START_TEST(dualpipe_holds_uneven_stages_from_both_ends) {
    static const uint64_t layers[] = {9, 8, 8, 9}; /* of 5, 4, 4, 4 */
    for (uint64_t stage = 0; stage < 4; stage++) {
        struct scenario s = legal_of(SMALL "--layers 17 --schedule dualpipe");
        ck_assert_uint_eq(memory_of(&s, stage).layers, layers[stage]);
        s = legal_of(SMALL "--layers-per-stage 1,2,3,10 --schedule dualpipe");
        ck_assert_uint_eq(memory_of(&s, stage).layers, stage == 0 || stage == 3 ? 11 : 5);
    }
}
END_TEST

/* 16 layers, two a chunk: down the ranks 0-1, 2-3, 4-5, 6-7 and back up 14-15, 12-13, 10-11, 8-9. */
static const struct {
    const char *schedule;
    uint64_t dense_layers, dense[4];
} dense[] = {
    {"--chunks 2", 9, {3, 2, 2, 2}},           {"--schedule zb-v", 3, {2, 1, 0, 0}},
    {"--schedule zb-v", 8, {2, 2, 2, 2}},      {"--schedule zb-v", 9, {2, 2, 2, 3}},
    {"--schedule zb-v", 11, {2, 2, 3, 4}},     {"--schedule dualpipev", 16, {4, 4, 4, 4}},
    {"--schedule dualpipe", 5, {4, 1, 1, 4}}, /* four a stage */
    {"--schedule dualpipe", 13, {5, 8, 8, 5}},
};

START_TEST(the_first_layers_of_the_model_are_the_dense_ones) {
    struct scenario s = legal_of(
        SMALL "--ffn 128 --experts 4 --experts-active 1 --moe-ffn 32 --dense-layers %ju %s",
        (uintmax_t)dense[_i].dense_layers, dense[_i].schedule);
    for (uint64_t stage = 0; stage < 4; stage++) {
        ck_assert_msg(calc_dense_layers_on_stage(&s, stage) == dense[_i].dense[stage],
                      "%d, stage %ju: %ju", _i, (uintmax_t)stage,
                      (uintmax_t)calc_dense_layers_on_stage(&s, stage));
    }
}
END_TEST

static const struct {
    const char *line, *why;
} broken[] = {
    {"--schedule zb-h2 --micro-batches 6", "error.rule.schedule_micro_batches|6|4|7|zb-h2"},
    {"--schedule dualpipev --micro-batches 7", "error.rule.schedule_micro_batches|7|4|8|dualpipev"},
    {"--schedule dualpipe --micro-batches 6", "error.rule.schedule_micro_batches|6|4|8|dualpipe"},
    {"--schedule dualpipe --micro-batches 9", "error.rule.schedule_even|9|micro-batches|dualpipe"},
    {"--schedule dualpipe --pp 3", "error.rule.schedule_even|3|pp|dualpipe"},
    {"--schedule chimera --pp 3", "error.rule.schedule_even|3|pp|chimera"},
    {"--schedule chimera --micro-batches 6", "error.rule.schedule_blocks|6|4|chimera"},
    {"--schedule zb-interleaved --micro-batches 9",
     "error.rule.schedule_rounds|9|4|2|8|12|zb-interleaved"},
    {"--schedule zb-interleaved --chunks 1", "error.rule.zb_interleaved_chunks|1"},
    {"--schedule zb-v --chunks 1", "error.rule.schedule_chunks|1|zb-v"},
    {"--schedule dualpipev --chunks 3", "error.rule.schedule_chunks|3|dualpipev"},
    {"--schedule dualpipe --chunks 2", "error.rule.chunks_schedule|2|dualpipe"},
    {"--schedule zb-h1 --chunks 2", "error.rule.chunks_schedule|2|zb-h1"},
};

START_TEST(a_combination_that_cannot_run_is_a_violation) {
    char line[256];
    struct message why = {0};
    (void)snprintf(line, sizeof line, SMALL "%s", broken[_i].line);
    struct scenario s = given_of(line);
    ck_assert_int_eq(scenario_resolve(&s, &s, &why), STATUS_OK);
    ck_assert_int_eq(scenario_violations(&s, &why, 1), 1);
    ck_assert_str_eq(message_line(&why), broken[_i].why);
}
END_TEST

START_TEST(only_schedules_that_take_turns_have_a_timeline) {
    static const struct {
        const char *line;
        bool follows;
    } lines[] = {{"", true},
                 {"--schedule zb-h2", true},
                 {"--schedule zb-v", false},
                 {"--schedule dualpipe", false},
                 {"--schedule dualpipev", false},
                 {"--schedule chimera", false}};
    for (int i = 0; i < ROWS(lines); i++) {
        struct scenario s = legal_of(SMALL "%s", lines[i].line);
        struct calc_memory m = memory_of(&s, 0);
        ck_assert_msg(calc_timeline_follows(&s, &m) == lines[i].follows, "%s", lines[i].line);
    }
    struct scenario s = legal_of("--params 7B --pp 4 --schedule zb-v");
    struct calc_memory m = memory_of(&s, 0);
    ck_assert(calc_timeline_follows(&s, &m)); /* states alone have no turns */
}
END_TEST

static Suite *suite(void) {
    Suite *s = suite_create("schedule");
    TCase *t = tcase_create("schedule");
    tcase_add_loop_test(t, a_schedule_alone_is_a_legal_scenario, 0, ROWS(defaults));
    tcase_add_loop_test(t, activations_are_those_of_the_chunks_in_flight, 0, ROWS(flights));
    tcase_add_test(t, the_ends_of_the_model_are_where_the_schedule_puts_them);
    tcase_add_test(t, dualpipe_holds_uneven_stages_from_both_ends);
    tcase_add_loop_test(t, the_first_layers_of_the_model_are_the_dense_ones, 0, ROWS(dense));
    tcase_add_loop_test(t, a_combination_that_cannot_run_is_a_violation, 0, ROWS(broken));
    tcase_add_test(t, only_schedules_that_take_turns_have_a_timeline);
    suite_add_tcase(s, t);
    return s;
}

#include "support/check_main.h"
