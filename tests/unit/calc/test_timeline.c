/* One step of one GPU as events: the order of forwards and backwards against the published schedules, live bytes of
 * small cases by hand, and what holds for every legal scenario: total >= peak >= states, the end is the start,
 * the events are few, and passing some over never hides the peak. */
#define _POSIX_C_SOURCE 200809L

#include "calc_support.h"
#include "dice.h"
#include "shardlab/calc/timeline.h"
#include "support/rounds.h"

static const char *name_of(const struct calc_event *e) {
    static char text[96];
    struct writer w;
    writer_start(&w, text, sizeof text);
    calc_event_write(&w, e);
    ck_assert(!w.overflow);
    return text;
}

static struct calc_event peak_of(const struct scenario *s, const struct calc_memory *m) {
    struct calc_event peak;
    calc_timeline_peak(s, m, &peak);
    return peak;
}

/* --- The order ------------------------------------------------------------------------------------------------- */

/* F and B with the micro-batch; interleaved with the chunk of this stage behind a stroke. */
static const struct {
    const char *line;
    uint64_t stage;
    const char *order;
} orders[] = {
    {"--pp 2 --micro-batches 2", 0, "F0 F1 B0 B1"},
    {"--pp 2 --micro-batches 2", 1, "F0 B0 F1 B1"},
    {"--pp 4 --micro-batches 6", 0, "F0 F1 F2 F3 B0 F4 B1 F5 B2 B3 B4 B5"},
    {"--pp 4 --micro-batches 6", 2, "F0 F1 B0 F2 B1 F3 B2 F4 B3 F5 B4 B5"},
    {"--pp 4 --micro-batches 2", 0, "F0 F1 B0 B1"},
    {"--pp 2 --micro-batches 4 --schedule gpipe", 1, "F0 F1 F2 F3 B0 B1 B2 B3"},
    {"--pp 2 --micro-batches 4 --chunks 2", 0,
     "F0/0 F1/0 F0/1 F1/1 F2/0 B0/1 F3/0 B1/1 F2/1 B0/0 F3/1 B1/0 B2/1 B3/1 B2/0 B3/0"},
    {"--pp 2 --micro-batches 4 --chunks 2", 1,
     "F0/0 F1/0 F0/1 B0/1 F1/1 B1/1 F2/0 B0/0 F3/0 B1/0 F2/1 B2/1 F3/1 B3/1 B2/0 B3/0"},
    {"--pp 4 --micro-batches 8 --chunks 2", 0, /* as Megatron-LM's own schedule table prints it */
     "F0/0 F1/0 F2/0 F3/0 F0/1 F1/1 F2/1 F3/1 F4/0 F5/0 F6/0 B0/1 F7/0 B1/1 F4/1 B2/1 F5/1 B3/1 "
     "F6/1 B0/0 F7/1 B1/0 B2/0 B3/0 B4/1 B5/1 B6/1 B7/1 B4/0 B5/0 B6/0 B7/0"},
    {"--micro-batches 2", 0, "F0 B0 F1 B1"},
};

START_TEST(micro_batches_take_turns_as_their_schedule_says) {
    struct scenario s = legal_of("%s %s", LLAMA_7B, orders[_i].line);
    struct calc_memory m = memory_of(&s, orders[_i].stage);
    struct calc_timeline t;
    struct calc_event e;
    char order[512] = "";
    size_t at = 0;
    calc_timeline_start(&t, &s, &m);
    while (calc_timeline_next(&t, &e)) {
        if (e.kind == CALC_EVENT_FORWARD_END || e.kind == CALC_EVENT_BACKWARD_END) {
            at += (size_t)snprintf(order + at, sizeof order - at, "%s%c%s", at > 0 ? " " : "",
                                   e.kind == CALC_EVENT_FORWARD_END ? 'F' : 'B',
                                   strchr(name_of(&e), ':') + 1);
        }
    }
    ck_assert_msg(strcmp(order, orders[_i].order) == 0, "%s, stage %ju: %s", orders[_i].line,
                  (uintmax_t)orders[_i].stage, order);
}
END_TEST

/* --- Peaks by hand ----------------------------------------------------------------------------------------------- */

/* What lives at the peak: of the terms of calc_memory, those that are not there are taken off the total. */
static const struct {
    const char *line, *event, *missing[4];
} peaks[] = {
    {"--params 7B", "optimizer_step", {NULL}},
    /* one micro-batch: gradients come as activations go */
    {"--seq 16384 --logits fp32x3", "forward_end:0", {"gradients"}},
    /* a second one meets the gradients of the first */
    {"--micro-batches 3", "forward_end:1", {NULL}},
    {"--micro-batches 4 --pp 4", "forward_end:1", {NULL}},
    /* Megatron's gradient buffer is there from the beginning */
    {"--convention megatron", "forward_end:0", {NULL}},
    {"--convention megatron --micro-batches 900", "forward_end:0", {NULL}},
    /* the layer rebuilt by backward comes when the logits have gone */
    {"--convention megatron --recompute full --seq 16384 --logits none",
     "backward_layer:0:31",
     {"activations.head"}},
    {"--convention megatron --micro-batches 8 --schedule gpipe", "forward_end:7", {NULL}},
    /* the fp32 copy of the gradients is made for the optimizer's step only */
    {"--convention deepspeed --seq 512",
     "optimizer_step",
     {"activations.norm_inputs", "activations", "buffers.largest_module"}},
    {"--convention deepspeed --micro-batches 2 --seq 65536",
     "forward_end:1",
     {"gradients.fp32_copy"}},
    {"--convention deepspeed --micro-batches 2 --zero 3 --dp 64 --seq 65536",
     "forward_end:0",
     {"gradients.fp32_copy"}},
    {"--pp 2 --chunks 2 --micro-batches 64 --seq 65536", "forward_end:2/1", {NULL}},
};

static uint64_t missing_bytes(const struct calc_memory *m, const char *id) {
    if (strcmp(id, "activations") == 0) { /* all but the term that stands before it */
        return m->part_bytes[CALC_PART_ACTIVATIONS] - term_of(m, "activations.norm_inputs");
    }
    return term_of(m, id);
}

START_TEST(the_peak_is_where_and_what_it_was_worked_out_to_be) {
    bool params = strncmp(peaks[_i].line, "--params", 8) == 0;
    struct scenario s = legal_of("%s %s", params ? "" : LLAMA_7B, peaks[_i].line);
    struct calc_memory m = memory_of(&s, s.layout.pp - 1);
    struct calc_event peak = peak_of(&s, &m);
    uint64_t want = m.total_bytes;
    for (int i = 0; i < 4 && peaks[_i].missing[i] != NULL; i++) {
        want -= missing_bytes(&m, peaks[_i].missing[i]);
    }
    ck_assert_msg(strcmp(name_of(&peak), peaks[_i].event) == 0, "%s: %s", peaks[_i].line,
                  name_of(&peak));
    ck_assert_msg(peak.live_bytes == want, "%s: %ju, not %ju", peaks[_i].line,
                  (uintmax_t)peak.live_bytes, (uintmax_t)want);
}
END_TEST

/* One layer more is one layer's activations more; a backward gives a layer's share of the gradients. */
START_TEST(bytes_grow_and_fall_layer_by_layer) {
    struct scenario s = legal_of("%s", LLAMA_7B);
    struct calc_memory m = memory_of(&s, 0);
    uint64_t head = term_of(&m, "activations.head");
    uint64_t layer = layers_kept_of(&m) / 32, states = states_of(&m), seen = 0;
    uint64_t gradients = m.part_bytes[CALC_PART_GRADIENTS];
    struct calc_timeline t;
    struct calc_event e;
    calc_timeline_start(&t, &s, &m);
    ck_assert(t.complete);
    for (; calc_timeline_next(&t, &e); seen++) {
        uint64_t bytes = states - gradients;
        if (e.kind == CALC_EVENT_FORWARD_LAYER) {
            bytes += layer * (e.layer + 1);
        } else if (e.kind == CALC_EVENT_FORWARD_END) {
            bytes += layer * 32 + head;
        } else if (e.kind == CALC_EVENT_BACKWARD_LAYER) {
            bytes += layer * (e.layer + 1) + gradients * (32 - e.layer) / 32;
        } else if (e.kind == CALC_EVENT_BACKWARD_END || e.kind == CALC_EVENT_STEP) {
            bytes += gradients;
        }
        ck_assert_msg(e.live_bytes == bytes, "%s: %ju, not %ju", name_of(&e),
                      (uintmax_t)e.live_bytes, (uintmax_t)bytes);
    }
    ck_assert_uint_eq(seen, 1 + 32 + 33 + 1 + 1);
}
END_TEST

/* A convention may count the whole step at once, and weights may be gathered where a GPU keeps none. */
START_TEST(what_has_no_part_is_there_at_the_step_and_what_is_gathered_before_it) {
    struct scenario s = legal_of("--params 7B"), whole = legal_of("%s", LLAMA_7B);
    struct calc_memory m = memory_of(&s, 0), g = memory_of(&whole, 0);
    m.derivation.count = 0;
    memset(m.part_bytes, 0, sizeof m.part_bytes);
    struct calc_event peak = peak_of(&s, &m), e;
    ck_assert_str_eq(name_of(&peak), "optimizer_step");
    ck_assert_uint_eq(peak.live_bytes, m.total_bytes);
    struct calc_timeline t;
    uint64_t weights = g.derivation.terms[0].bytes;
    ck_assert_str_eq(g.derivation.terms[0].id, "weights");
    g.derivation.terms[0].id = "weights.gathered";
    for (calc_timeline_start(&t, &whole, &g); calc_timeline_next(&t, &e);) {
        bool inside = e.kind == CALC_EVENT_FORWARD_LAYER || e.kind == CALC_EVENT_FORWARD_END ||
                      e.kind == CALC_EVENT_BACKWARD_LAYER;
        ck_assert_msg(e.part_bytes[CALC_PART_WEIGHTS] == (inside ? weights : 0), "%s", name_of(&e));
    }
}
END_TEST

/* --- What always holds ------------------------------------------------------------------------------------------- */

#define ROUNDS test_rounds(3000)

static const char *pick(struct dice *d, const char *const *list, int count) {
    return list[dice_roll(d, (uint64_t)count)];
}

static struct scenario next_legal(struct dice *d, char line[512]) {
    static const char *const models[] = {
        LLAMA_7B,
        GPT3,
        "--params 7B",
        "--layers 1 --hidden 1 --heads 1 --vocab 1",
        "--layers 7 --hidden 90 --heads 9 --kv-heads 3 --ffn 101 --vocab 997 --tied",
        "--layers 5000 --hidden 64 --heads 1 --vocab 100"};
    static const char *const orders_of[] = {"",
                                            " --schedule gpipe",
                                            " --chunks 2",
                                            " --chunks 3",
                                            " --schedule looped-bfs",
                                            " --schedule looped-bfs --chunks 1",
                                            " --schedule zb-h1",
                                            " --schedule zb-h2",
                                            " --schedule zb-interleaved",
                                            " --schedule zb-interleaved --chunks 3"};
    static const char *const recipes[] = {"",
                                          " --recompute full",
                                          " --attention standard --recompute selective",
                                          " --precision fp32",
                                          " --optimizer none",
                                          " --grad-bytes 6",
                                          " --logits fp32x3"};
    static const char *const conventions[] = {"zero-paper", "megatron", "deepspeed"};
    static const char *const counts[] = {"1", "2", "3", "5", "8", "13", "64", "1000", "1048576"};
    static const char *const degrees[] = {"1", "2", "3", "5", "7", "13", "32"};
    for (;;) {
        (void)snprintf(line, 512,
                       "%s%s%s --convention %s --zero %d --dp %d --pp %s --micro-batches %s "
                       "--seq %d",
                       pick(d, models, ROWS(models)), pick(d, orders_of, ROWS(orders_of)),
                       pick(d, recipes, ROWS(recipes)), pick(d, conventions, ROWS(conventions)),
                       (int)dice_roll(d, 4), 1 + (int)dice_roll(d, 40),
                       pick(d, degrees, ROWS(degrees)), pick(d, counts, ROWS(counts)),
                       1 + (int)dice_roll(d, 2048));
        struct scenario s = given_of(line);
        struct message why;
        if (scenario_resolve(&s, &s, &why) == STATUS_OK && scenario_violations(&s, &why, 1) == 0) {
            return s;
        }
    }
}

static void check_step(const struct scenario *s, const struct calc_memory *m, const char *line) {
    struct calc_timeline t;
    struct calc_event e = {0}, first = {0};
    struct calc_event peak = peak_of(s, m);
    int count = 0;
    calc_timeline_start(&t, s, m);
    for (; calc_timeline_next(&t, &e); count++) {
        uint64_t sum = 0;
        first = count == 0 ? e : first;
        for (int part = 0; part < CALC_PARTS; part++) {
            must_hold(e.part_bytes[part] <= m->part_bytes[part], "%s: %s: part %d", line,
                      name_of(&e), part);
            sum += e.part_bytes[part];
        }
        must_hold(sum == e.live_bytes && sum <= peak.live_bytes, "%s: %s", line, name_of(&e));
    }
    must_hold(count >= 3 && count <= CALC_TIMELINE_EVENTS_MAX, "%s: %d events", line, count);
    must_hold(first.kind == CALC_EVENT_START && e.kind == CALC_EVENT_END, "%s", line);
    must_hold(first.live_bytes == e.live_bytes, "%s: does not end where it began", line);
    must_hold(peak.live_bytes <= m->total_bytes, "%s: the peak is above the total", line);
    must_hold(peak.live_bytes >= states_of(m), "%s: the peak is below the states", line);
}

START_TEST(total_is_never_below_peak_nor_peak_below_states) {
    struct dice d = {1};
    int computed = 0;
    for (int round = 0; round < ROUNDS; round++) {
        char line[512];
        struct scenario s = next_legal(&d, line);
        struct calc_memory m;
        struct message why;
        uint64_t stage = dice_roll(&d, s.layout.pp);
        if (calc_memory_on_stage(&s, stage, &m, &why) == STATUS_OK) {
            computed++;
            check_step(&s, &m, line);
        }
    }
    ck_assert_int_gt(computed, ROUNDS * 3 / 4);
}
END_TEST

/* With the same peak as when everything is shown. */
START_TEST(passing_events_over_never_hides_the_peak) {
    struct dice d = {2};
    int shortened = 0;
    for (int round = 0; round < ROUNDS / 4; round++) {
        char line[512];
        struct scenario s = next_legal(&d, line);
        struct calc_memory m;
        struct message why;
        if (scenario_params_only(&s) || s.batch.micro_batches > 1000 ||
            calc_memory_on_stage(&s, dice_roll(&d, s.layout.pp), &m, &why) != STATUS_OK ||
            m.layers > 100) {
            continue;
        }
        struct calc_timeline t;
        struct calc_event e, peak = peak_of(&s, &m);
        uint64_t most = 0;
        calc_timeline_start(&t, &s, &m);
        shortened += t.complete ? 0 : 1;
        t.windows[0] = (struct calc_timeline_window){0, t.operations};
        t.window_count = 1;
        t.steps_max = m.layers;
        while (calc_timeline_next(&t, &e)) {
            most = e.live_bytes > most ? e.live_bytes : most;
        }
        /* gradients are shared out in whole bytes, rounded down: one byte between two layers */
        must_hold(most - peak.live_bytes <= 1, "%s: %ju, not %ju", line, (uintmax_t)peak.live_bytes,
                  (uintmax_t)most);
    }
    ck_assert_int_gt(shortened, 10);
}
END_TEST

static Suite *suite(void) {
    Suite *s = suite_create("timeline");
    TCase *order = tcase_create("order"), *hand = tcase_create("hand"),
          *always = tcase_create("always");
    tcase_add_loop_test(order, micro_batches_take_turns_as_their_schedule_says, 0, ROWS(orders));
    tcase_add_loop_test(hand, the_peak_is_where_and_what_it_was_worked_out_to_be, 0, ROWS(peaks));
    tcase_add_test(hand, bytes_grow_and_fall_layer_by_layer);
    tcase_add_test(hand, what_has_no_part_is_there_at_the_step_and_what_is_gathered_before_it);
    tcase_add_test(always, total_is_never_below_peak_nor_peak_below_states);
    tcase_add_test(always, passing_events_over_never_hides_the_peak);
    suite_add_tcase(s, order);
    suite_add_tcase(s, hand);
    suite_add_tcase(s, always);
    return s;
}

#include "support/check_main.h"
