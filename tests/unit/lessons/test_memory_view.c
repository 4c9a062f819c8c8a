/* The memory lesson's views: ledger, bar, curve, facts and notes hold what the calculator says, in every legal
 * scenario and on every page. */
#define _POSIX_C_SOURCE 200809L

#include "lesson_support.h"
#include "shardlab/calc/timeline.h"

enum { RANDOM_SCENARIOS = 1500 };

/* Rows are the parts, their lines sum to them, the total is the sum of the known ones and the calculator's. */
static void check_ledger(const struct view_ledger *ledger, const struct calc_memory *expected) {
    uint64_t sum = 0;
    if (expected->phases) { /* a test of their own */
        ck_assert_uint_eq(ledger->rows[ledger->row_count - 1].bytes, expected->total_bytes);
        return;
    }
    ck_assert_int_eq(ledger->row_count, CALC_PARTS + 1);
    for (int part = 0; part < CALC_PARTS; part++) {
        const struct view_row *row = &ledger->rows[part];
        uint64_t lines = 0;
        ck_assert_str_eq(row->key, calc_part_name((enum calc_part)part));
        ck_assert_uint_eq(row->bytes, expected->part_bytes[part]);
        for (int i = row->first_line; i < row->first_line + row->line_count; i++) {
            ck_assert_msg(strncmp(ledger->lines[i].id, "term.", 5) == 0, "%s", ledger->lines[i].id);
            ck_assert_msg(ledger->lines[i].formula[0] != '\0', "%s", ledger->lines[i].id);
            lines += ledger->lines[i].bytes;
        }
        ck_assert_msg(lines == row->bytes, "the lines of %s do not sum to it", row->key);
        ck_assert_msg(row->bytes == 0 || row->formula[0] != '\0', "%s has no formula", row->key);
        sum += row->known ? row->bytes : 0;
    }
    ck_assert_int_eq(ledger->line_count, expected->derivation.count);
    ck_assert_str_eq(ledger->rows[CALC_PARTS].key, "total");
    ck_assert_uint_eq(ledger->rows[CALC_PARTS].bytes, sum);
    ck_assert_uint_eq(ledger->rows[CALC_PARTS].bytes, expected->total_bytes);
}

static void check_bar(const struct view_bar *bar, const struct scenario *s,
                      const struct calc_memory *expected) {
    uint64_t sum = 0;
    for (int i = 0; i < bar->segment_count; i++) {
        sum += bar->segments[i].bytes;
    }
    ck_assert_uint_eq(sum, expected->phases ? 0 : bar->total_bytes);
    ck_assert_uint_eq(bar->total_bytes, expected->total_bytes);
    ck_assert_uint_eq(bar->capacity_bytes, scenario_capacity_bytes(s));
    ck_assert_int_eq(bar->has_capacity, bar->capacity_bytes > 0);
}

/* Its highest column is the peak of the step, and all the letters stand where something begins. */
static void check_chart(const struct view_chart *chart, const struct scenario *s,
                        const struct calc_memory *expected) {
    struct calc_event peak;
    uint64_t most = 0;
    calc_timeline_peak(s, expected, &peak);
    for (int i = 0; i < chart->column_count; i++) {
        most = chart->bytes[i] > most ? chart->bytes[i] : most;
        ck_assert_ptr_nonnull(strchr("FBS ", chart->marks[i]));
    }
    ck_assert_int_ge(chart->column_count, 3);
    ck_assert_uint_eq(most, peak.live_bytes);
    ck_assert_uint_eq(chart->bytes[chart->peak], most);
    if (calc_timeline_follows(s, expected)) {
        ck_assert_uint_eq(chart->remark.args[0].count, most);
    } else { /* a chart of the states, which says so */
        ck_assert_str_eq(chart->remark.id, "view.peak.unknown");
    }
    ck_assert_uint_eq(chart->capacity_bytes, scenario_capacity_bytes(s));
    ck_assert_int_eq(chart->has_capacity, chart->capacity_bytes > 0);
}

static void check_page(const struct scenario *s, const struct scenario *before, int page) {
    struct calc_memory expected;
    struct message why;
    ck_assert_int_eq(calc_memory_worst(s, &expected, &why), STATUS_OK);
    struct view *view = view_of(s, before, page);
    struct view_item *ledger = item_of(view, VIEW_KIND_LEDGER);
    struct view_item *bar = item_of(view, VIEW_KIND_BAR);
    struct view_item *chart = item_of(view, VIEW_KIND_CHART);
    ck_assert_ptr_nonnull(ledger);
    ck_assert_msg((bar != NULL) != (chart != NULL), "page %d: one of bar and chart", page);
    check_ledger(&ledger->ledger, &expected);
    if (chart != NULL) {
        check_chart(&chart->chart, s, &expected);
    } else {
        check_bar(&bar->bar, s, &expected);
    }
}

static const char *const scenarios[] = {
    LLAMA,
    LLAMA_SHARDED,
    "--params 7B --dp 64 --zero 3",
    "--params 7B --memory 24GB --reserve 2GB",
    "--layers 96 --hidden 12288 --heads 96 --ffn 49152 --gated no --vocab 50257 --norm layer "
    "--bias all "
    "--tp 8 --pp 8 --sequence-parallel yes --attention standard --dropout yes --seq 2048 "
    "--convention megatron",
    "--layers 32 --hidden 4096 --heads 32 --kv-heads 8 --vocab 128256 --qk-norm yes --norms 4 "
    "--recompute full "
    "--logits fp32x3 --convention deepspeed --zero 3 --dp 8 --cp 2",
    ("--layers 32 --hidden 4096 --heads 32 --vocab 32000 --pp 4 --chunks 2 --schedule interleaved "
     "--attention standard --recompute selective --optimizer sgd --precision fp32"),
};

START_TEST(ledger_and_bar_total_what_the_calculator_says) {
    struct scenario s = scenario_of(scenarios[_i]);
    for (int page = 0; page < memory()->page_count; page++) {
        check_page(&s, NULL, page);
    }
}
END_TEST

START_TEST(rows_remember_what_they_were_before_the_move) {
    struct scenario before = scenario_of(LLAMA_SHARDED);
    struct scenario now = before;
    struct message why;
    give(&now, "--dp 64");
    ck_assert_int_eq(scenario_resolve(&now, &now, &why), STATUS_OK);
    struct view_ledger *ledger = &item_of(view_of(&now, &before, 2), VIEW_KIND_LEDGER)->ledger;
    struct view_row *optimizer = &ledger->rows[CALC_PART_OPTIMIZER];
    ck_assert(optimizer->has_before);
    ck_assert_uint_eq(optimizer->before, UINT64_C(10107623424));
    ck_assert_uint_lt(optimizer->bytes, optimizer->before);
    ck_assert_uint_eq(ledger->rows[CALC_PART_WEIGHTS].bytes,
                      ledger->rows[CALC_PART_WEIGHTS].before);
    ck_assert(ledger->rows[CALC_PARTS].has_before);
}
END_TEST

START_TEST(a_total_without_activations_is_not_compared_with_one_that_has_them) {
    struct scenario before = scenario_of(LLAMA_SHARDED);
    struct scenario now = scenario_of("--params 7B");
    struct view_ledger *ledger = &item_of(view_of(&now, &before, 0), VIEW_KIND_LEDGER)->ledger;
    ck_assert(!ledger->rows[CALC_PART_ACTIVATIONS].known);
    ck_assert(!ledger->rows[CALC_PART_ACTIVATIONS].has_before);
    ck_assert(!ledger->rows[CALC_PARTS].has_before);
    ck_assert(ledger->rows[CALC_PART_WEIGHTS].has_before);
}
END_TEST

static const struct {
    const char *scenario, *id;
    uint64_t bytes; /* of its argument; 0: it has none */
} verdicts[] = {
    {"--params 7B", "view.verdict.no_card", 0},
    {"--params 1B --memory 20GB", "view.verdict.states_fit", UINT64_C(4000000000)},
    {"--params 1B --memory 16GB --reserve 1GB", "view.verdict.over", UINT64_C(1000000000)},
    /* 37056 parameters at 16 bytes, and 12h + 4kd + 6f + 4a + 4h of activations */
    {"--layers 1 --hidden 64 --heads 1 --vocab 64 --ffn 64 --seq 1 --memory 1GB",
     "view.verdict.fits", UINT64_C(999405436)},
};

START_TEST(the_bar_says_whether_it_fits) {
    struct scenario s = scenario_of(verdicts[_i].scenario);
    struct message *verdict = &item_of(view_of(&s, NULL, 4), VIEW_KIND_BAR)->bar.verdict;
    ck_assert_str_eq(verdict->id, verdicts[_i].id);
    if (verdicts[_i].bytes > 0) {
        ck_assert_int_eq(verdict->arg_count, 1);
        ck_assert_int_eq(verdict->args[0].kind, MESSAGE_ARG_BYTES);
        ck_assert_uint_eq(verdict->args[0].count, verdicts[_i].bytes);
    }
}
END_TEST

static const struct {
    const char *scenario;
    uint64_t dp;
    double saving, limit; /* at the learner's point; limit 0: none */
} curves[] = {
    {"--params 7B --zero 1 --dp 8", 8, 2.9091, 4},
    {"--params 7B --zero 2 --dp 8", 8, 4.2667, 8},
    {"--params 7B --zero 3 --dp 24", 24, 24, 0},
    {"--params 7B --zero 1 --dp 2000", 2000, 3.9940, 4},
    {"--params 7B --zero 1 --dp 8 --convention megatron", 8, 2.4, 3},
    {"--params 7B --dp 8 --convention fsdp", 8, 8, 0},
    {"--params 7B --zero 2 --dp 8 --convention fsdp", 8, 4.5, 9},
};

START_TEST(the_curve_passes_through_the_learners_point) {
    struct scenario s = scenario_of(curves[_i].scenario);
    struct view_curve *curve = &item_of(view_of(&s, NULL, 2), VIEW_KIND_CURVE)->curve;
    ck_assert_int_ge(curve->current, 0);
    ck_assert_int_lt(curve->current, curve->point_count);
    ck_assert_uint_eq(curve->x[curve->current], curves[_i].dp);
    ck_assert_double_eq_tol(curve->y[curve->current], curves[_i].saving, 1e-3);
    ck_assert_int_eq(curve->has_limit, curves[_i].limit > 0);
    ck_assert_double_eq_tol(curve->limit, curves[_i].limit, 1e-9);
    for (int i = 1; i < curve->point_count; i++) {
        ck_assert_uint_gt(curve->x[i], curve->x[i - 1]);
        ck_assert(curve->y[i] >= curve->y[i - 1]);
    }
}
END_TEST

START_TEST(without_zero_the_learner_stands_on_no_curve) {
    struct scenario s = scenario_of(LLAMA);
    struct view_curve *curve = &item_of(view_of(&s, NULL, 2), VIEW_KIND_CURVE)->curve;
    ck_assert_int_eq(curve->current, -1);
    ck_assert_double_eq_tol(curve->limit, 4, 1e-9);
}
END_TEST

START_TEST(page_two_compares_the_conventions_whatever_the_learner_chose) {
    static const char *const splits[] = {"2 + 2 + 4 = 8", "2 + 4 + 4 = 10", "2 + 6 + 4 = 12",
                                         "4 + 4 + 0 = 8"};
    struct scenario s =
        scenario_of("--params 7B --optimizer sgd --grad-bytes 4 --convention megatron");
    struct view_facts *facts = &item_of(view_of(&s, NULL, 1), VIEW_KIND_FACTS)->facts;
    ck_assert_int_eq(facts->fact_count, ROWS(splits)); /* accelerate knows no sgd */
    for (int i = 0; i < ROWS(splits); i++) {
        ck_assert_str_eq(facts->facts[i].value.args[0].text, splits[i]);
    }
    s = scenario_of("--params 7B");
    facts = &item_of(view_of(&s, NULL, 1), VIEW_KIND_FACTS)->facts;
    ck_assert_str_eq(facts->facts[4].value.args[0].text, "max(4, 6, 8, 8) = 8");
}
END_TEST

START_TEST(no_curve_shows_a_stage_that_the_convention_lacks) {
    struct scenario s = scenario_of("--params 7B --convention hf");
    ck_assert_ptr_null(item_of(view_of(&s, NULL, 2), VIEW_KIND_CURVE));
}
END_TEST

/* accelerate's phases stand where the parts else do, and the last row is the largest of them, not their sum. */
START_TEST(phases_are_rows_and_their_largest_the_total) {
    struct scenario s = scenario_of("--params 7B --convention hf --memory 60GB");
    struct view *view = view_of(&s, NULL, 0);
    struct view_ledger *ledger = &item_of(view, VIEW_KIND_LEDGER)->ledger;
    struct view_bar *bar = &item_of(view, VIEW_KIND_BAR)->bar;
    ck_assert_int_eq(ledger->row_count, 5);
    ck_assert_str_eq(ledger->rows[1].label, "term.phase.gradients");
    ck_assert_uint_eq(ledger->rows[1].bytes, UINT64_C(42000000000));
    ck_assert_str_eq(ledger->rows[4].label, "part.largest_phase");
    ck_assert_uint_eq(ledger->rows[4].bytes, UINT64_C(56000000000));
    ck_assert_int_eq(bar->segment_count, 0);
    ck_assert_uint_eq(bar->total_bytes, UINT64_C(56000000000));
    ck_assert_str_eq(bar->verdict.id, "view.verdict.fits");
    ck_assert_str_eq(item_of(view, VIEW_KIND_TEXT)->text.lines[0].id, "note.hf_phases");
}
END_TEST

START_TEST(a_card_without_a_sourced_size_and_a_long_sequence_are_noted) {
    struct scenario s = scenario_of(LLAMA);
    ck_assert_ptr_null(item_of(view_of(&s, NULL, 0), VIEW_KIND_TEXT));
    s.cluster.listed_bytes = UINT64_C(40000000000);
    s.model.max_seq = s.batch.seq / 2;
    struct view_text *notes = &item_of(view_of(&s, NULL, 0), VIEW_KIND_TEXT)->text;
    ck_assert_int_eq(notes->line_count, 2);
    ck_assert_str_eq(notes->lines[0].id, "note.capacity_listed");
    ck_assert_str_eq(notes->lines[1].id, "note.sequence_above_max");
}
END_TEST

/* Options that change nothing, and the note that says so; NULL: they do change something. */
static const struct {
    const char *options, *note;
} idle[] = {
    {" --prefetch 2", "note.prefetch_unused"},
    {" --reshard no", "note.reshard_unused"},
    {" --offload-to nvme", "note.offload_to_unused"},
    {" --prefetch 2 --convention fsdp --zero 2", "note.prefetch_unused"},
    {" --reshard yes --convention fsdp --zero 2", "note.reshard_unused"},
    {" --prefetch 0 --convention fsdp --reshard no", "note.prefetch_unused"},
    {" --prefetch 0 --convention fsdp", NULL},
    {" --reshard no --convention fsdp", NULL},
    {" --offload-to nvme --offload optimizer", NULL},
    {" --convention fsdp --zero 2", NULL},
};

START_TEST(an_option_that_changes_nothing_is_noted) {
    char line[256];
    (void)snprintf(line, sizeof line, LLAMA "%s", idle[_i].options);
    struct scenario s = scenario_of(line);
    const struct view_item *notes = item_of(view_of(&s, NULL, 0), VIEW_KIND_TEXT);
    bool noted = false, other = false;
    for (int i = 0; notes != NULL && i < notes->text.line_count; i++) {
        const char *id = notes->text.lines[i].id;
        noted = noted || (idle[_i].note != NULL && strcmp(id, idle[_i].note) == 0);
        other = other || strstr(id, "_unused") != NULL;
    }
    ck_assert_msg(idle[_i].note != NULL ? noted : !other, "%s", line);
}
END_TEST

START_TEST(the_last_page_shows_the_fullest_stage) {
    struct scenario s =
        scenario_of("--layers 32 --hidden 4096 --heads 32 --vocab 32000 --pp 4 --dp 2 --tp 2");
    struct calc_memory worst;
    struct message why;
    ck_assert_int_eq(calc_memory_worst(&s, &worst, &why), STATUS_OK);
    struct view_facts *facts = &item_of(view_of(&s, NULL, 4), VIEW_KIND_FACTS)->facts;
    ck_assert_int_eq(facts->fact_count, 5);
    ck_assert_uint_eq(facts->facts[0].value.args[0].count, worst.stage);
    ck_assert_uint_eq(facts->facts[1].value.args[0].count, worst.layers);
    ck_assert_uint_eq(facts->facts[2].value.args[0].count, worst.params);
    ck_assert_uint_eq(facts->facts[3].value.args[0].count, worst.in_flight);
    ck_assert_uint_eq(facts->facts[4].value.args[0].count, 16);
}
END_TEST

static uint64_t next_random(uint64_t *state) {
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return *state;
}

/* Moves a knob of a lesson to one of its stops, or leaves it. */
static void move_somewhere(struct scenario *s, int index, uint64_t *random) {
    const struct calc_option *option = calc_option_at(index);
    struct message why;
    char text[32];
    if (next_random(random) % 2 == 0) {
        return;
    }
    if (option->kind == CALC_OPTION_SWITCH) {
        snprintf(text, sizeof text, "%s", next_random(random) % 2 == 0 ? "yes" : "no");
    } else if (option->choices != NULL) {
        uint64_t choices = 0;
        while (option->choices[choices] != NULL) {
            choices++;
        }
        snprintf(text, sizeof text, "%s", option->choices[next_random(random) % choices]);
    } else if (option->stops != NULL) {
        struct writer w;
        writer_start(&w, text, sizeof text);
        calc_option_stop_write(&w, index,
                               (int)(next_random(random) % (uint64_t)option->stop_count));
    } else {
        return;
    }
    ck_assert_msg(calc_option_set(s, index, text, &why) == STATUS_OK, "--%s %s", option->name,
                  text);
}

START_TEST(no_legal_scenario_fails_on_any_page) {
    uint64_t random = UINT64_C(20240229);
    struct scenario before = scenario_of(LLAMA);
    int legal = 0;
    for (int round = 0; round < RANDOM_SCENARIOS; round++) {
        struct scenario s;
        struct message why;
        scenario_start(&s);
        give(&s, "--layers 24 --hidden 2048 --heads 16 --vocab 50257");
        for (int i = 0; i < calc_option_count(); i++) {
            move_somewhere(&s, i, &random);
        }
        if (scenario_resolve(&s, &s, &why) != STATUS_OK || scenario_violations(&s, &why, 1) > 0) {
            continue;
        }
        legal++;
        check_page(&s, &before, round % memory()->page_count);
        before = s;
    }
    ck_assert_int_gt(legal, RANDOM_SCENARIOS / 20);
}
END_TEST

static Suite *suite(void) {
    Suite *all = suite_create("memory view");
    TCase *views = tcase_create("views");
    tcase_add_loop_test(views, ledger_and_bar_total_what_the_calculator_says, 0, ROWS(scenarios));
    tcase_add_test(views, rows_remember_what_they_were_before_the_move);
    tcase_add_test(views, a_total_without_activations_is_not_compared_with_one_that_has_them);
    tcase_add_loop_test(views, the_bar_says_whether_it_fits, 0, ROWS(verdicts));
    tcase_add_loop_test(views, the_curve_passes_through_the_learners_point, 0, ROWS(curves));
    tcase_add_test(views, without_zero_the_learner_stands_on_no_curve);
    tcase_add_test(views, page_two_compares_the_conventions_whatever_the_learner_chose);
    tcase_add_test(views, no_curve_shows_a_stage_that_the_convention_lacks);
    tcase_add_test(views, phases_are_rows_and_their_largest_the_total);
    tcase_add_test(views, a_card_without_a_sourced_size_and_a_long_sequence_are_noted);
    tcase_add_test(views, the_last_page_shows_the_fullest_stage);
    tcase_add_loop_test(views, an_option_that_changes_nothing_is_noted, 0, ROWS(idle));
    tcase_add_test(views, no_legal_scenario_fails_on_any_page);
    suite_add_tcase(all, views);
    return all;
}

#include "support/check_main.h"
