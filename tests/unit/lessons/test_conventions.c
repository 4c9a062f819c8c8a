/* The table of conventions: its cells are the calculator's under each convention, what was given wins under all of
 * them, what differs is marked and has a reason, and what is not defined says which stages are. */
#define _POSIX_C_SOURCE 200809L

#include "lesson_support.h"
#include "shardlab/lesson/memory_view.h"
#include "support/rounds.h"

#define SMALL_EXPERTS                                                                              \
    "--layers 32 --hidden 1024 --heads 32 --vocab 50257 --ffn 2048 --experts 8 "                   \
    "--experts-active 2 --moe-ffn 512"

static struct view view;

static const struct view_matrix *table_of(const char *line) {
    struct scenario given;
    scenario_start(&given);
    give(&given, line);
    view_start(&view);
    memory_conventions_add(&view, &given, NULL);
    return &view.items[0].matrix;
}

enum { TOTAL = CALC_PARTS, EACH, STAGES };

static bool says(const struct view_matrix *m, int col, const char *id) {
    for (int i = 0; i < m->remark_count; i++) {
        if (m->remarks[i].col == col && strcmp(m->remarks[i].text.id, id) == 0) {
            return true;
        }
    }
    return false;
}

static int reasons(const struct view_matrix *m, int col) {
    int count = 0;
    for (int i = 0; i < m->remark_count; i++) {
        count += m->remarks[i].col == col ? 1 : 0;
    }
    return count;
}

static const char *const names[] = {"zero-paper", "megatron", "deepspeed", "fsdp", "hf"};
static const char *const scenarios[] = {
    LLAMA_SHARDED,
    LLAMA " --dp 8",
    LLAMA " --dp 8 --zero 3",
    LLAMA " --dp 4 --tp 8 --pp 4 --cp 2 --zero 1",
    LLAMA " --grad-bytes 4 --logits fp32 --buffers framework --pad-vocab 1000",
    LLAMA " --optimizer sgd --precision fp32",
    "--params 7B",
    "--params 7B --zero 2 --dp 64 --convention fsdp",
    LLAMA " --convention hf",
};

/* Every cell against the scenario in which the convention itself is given. */
START_TEST(every_column_is_what_the_convention_gives) {
    const char *line = scenarios[_i];
    const struct view_matrix *m = table_of(line);
    ck_assert_int_eq(m->col_count, 5);
    for (int col = 0; col < 5; col++) {
        struct scenario s;
        struct message why;
        struct calc_memory memory;
        scenario_start(&s);
        give(&s, line);
        ck_assert_int_eq(calc_option_set(&s, calc_option_index("convention"), names[col], &why),
                         STATUS_OK);
        ck_assert_int_eq(scenario_resolve(&s, &s, &why), STATUS_OK);
        bool legal = scenario_violations(&s, &why, 1) == 0;
        ck_assert_str_eq(m->cols[col].key, names[col]);
        ck_assert_msg(m->cols[col].defined == legal, "%s: %s", line, names[col]);
        if (!legal) {
            continue;
        }
        ck_assert_int_eq(calc_memory_worst(&s, &memory, &why), STATUS_OK);
        ck_assert_uint_eq(m->cells[TOTAL][col].bytes, memory.total_bytes);
        for (int part = 0; !memory.phases && part < CALC_PARTS; part++) {
            bool known = m->cells[part][col].kind == VIEW_CELL_BYTES;
            ck_assert_uint_eq(m->cells[part][col].bytes, known ? memory.part_bytes[part] : 0);
        }
    }
}
END_TEST

static const struct {
    const char *scenario;
    int col;
    const char *remark;
} told[] = {
    {LLAMA_SHARDED, CALC_CONVENTION_ZERO_PAPER, "convention.own"},
    {LLAMA_SHARDED, CALC_CONVENTION_MEGATRON, "convention.gradients"},
    {LLAMA_SHARDED, CALC_CONVENTION_MEGATRON, "convention.logits"},
    {LLAMA_SHARDED, CALC_CONVENTION_MEGATRON, "convention.framework"},
    {LLAMA " --tp 8", CALC_CONVENTION_MEGATRON, "convention.vocab"},
    {LLAMA_SHARDED, CALC_CONVENTION_DEEPSPEED, "convention.gradients"},
    {LLAMA " --dp 8 --zero 3", CALC_CONVENTION_DEEPSPEED, "convention.module"},
    {LLAMA " --dp 8 --zero 3 --convention deepspeed", CALC_CONVENTION_ZERO_PAPER,
     "convention.no_module"},
    {LLAMA_SHARDED, CALC_CONVENTION_FSDP, "convention.undefined"},
    {LLAMA_SHARDED, CALC_CONVENTION_HF, "convention.undefined"},
    {LLAMA " --dp 8", CALC_CONVENTION_FSDP, "convention.zero"},
    {LLAMA " --dp 8", CALC_CONVENTION_FSDP, "convention.gathered"},
    {LLAMA " --dp 8", CALC_CONVENTION_HF, "convention.phases"},
    {LLAMA " --convention hf", CALC_CONVENTION_DEEPSPEED, "convention.sum"},
    {LLAMA " --convention megatron", CALC_CONVENTION_ZERO_PAPER, "convention.no_framework"},
    {LLAMA " --dp 8 --zero 3 --convention fsdp", CALC_CONVENTION_ZERO_PAPER,
     "convention.no_gathered"},
    {LLAMA " --dp 2 --cp 2 --zero 1", CALC_CONVENTION_MEGATRON, "convention.optimizer"},
    {LLAMA " --grad-bytes 2", CALC_CONVENTION_DEEPSPEED, "convention.same"},
    {LLAMA " --optimizer sgd", CALC_CONVENTION_HF, "error.rule.hf_optimizer"},
};

START_TEST(a_column_tells_why_it_differs) {
    const struct view_matrix *m = table_of(told[_i].scenario);
    ck_assert_msg(says(m, told[_i].col, told[_i].remark), "%s: %s does not say %s",
                  told[_i].scenario, names[told[_i].col], told[_i].remark);
}
END_TEST

START_TEST(what_was_given_wins_under_every_convention) {
    const struct view_matrix *m = table_of(
        LLAMA " --grad-bytes 4 --logits none --buffers none --pad-vocab 1 --zero 0 --dp 8");
    for (int part = 0; part < CALC_PARTS; part++) {
        ck_assert_uint_eq(m->cells[part][CALC_CONVENTION_MEGATRON].bytes, m->cells[part][0].bytes);
        ck_assert_uint_eq(m->cells[part][CALC_CONVENTION_DEEPSPEED].bytes, m->cells[part][0].bytes);
        ck_assert(!m->cells[part][CALC_CONVENTION_MEGATRON].differs);
    }
    ck_assert(says(m, CALC_CONVENTION_MEGATRON, "convention.same"));
    ck_assert(!m->cols[CALC_CONVENTION_FSDP].defined);
}
END_TEST

START_TEST(stages_that_are_defined_are_shown_for_all) {
    static const char *const stages[] = {"0-3", "0, 1", "0-3", "2, 3", "0"};
    const struct view_matrix *m = table_of(LLAMA_SHARDED);
    for (int col = 0; col < 5; col++) {
        ck_assert_str_eq(m->cells[STAGES][col].text, stages[col]);
    }
    ck_assert_int_eq(m->cells[TOTAL][CALC_CONVENTION_FSDP].kind, VIEW_CELL_UNKNOWN);
}
END_TEST

/* Marks are exact, nothing that differs goes without a reason, and nothing is said to be the same that is not. */
START_TEST(what_differs_is_marked_and_explained_in_random_scenarios) {
    static const char *const models[] = {LLAMA, LLAMA " --kv-heads 8 --vocab 32001", SMALL_EXPERTS,
                                         "--params 7B"};
    static const char *const more[] = {"",
                                       " --grad-bytes 4",
                                       " --optimizer muon",
                                       " --precision fp32",
                                       " --offload optimizer",
                                       " --precision fp8",
                                       " --logits fp32x3",
                                       " --buffers framework",
                                       " --prefetch 0 --reshard no"};
    uint64_t state = UINT64_C(88172645463325252);
    for (int round = 0; round < test_rounds(600); round++) {
        char line[256];
        uint64_t dice[8];
        for (int i = 0; i < 8; i++) {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            dice[i] = state >> 20;
        }
        snprintf(line, sizeof line, "%s --dp %d --tp %d --pp %d --cp %d%s --convention %s",
                 models[dice[0] % 4], 1 << dice[1] % 4, 1 << dice[2] % 3, 1 << dice[3] % 3,
                 1 << dice[4] % 2, more[dice[5] % 9], names[dice[6] % 5]);
        if (dice[7] % 5 != 0) {
            size_t end = strlen(line);
            snprintf(line + end, sizeof line - end, " --zero %d", (int)(dice[7] % 4));
        }
        struct scenario s;
        struct message why;
        scenario_start(&s);
        give(&s, line);
        if (scenario_resolve(&s, &s, &why) != STATUS_OK || scenario_violations(&s, &why, 1) > 0) {
            continue;
        }
        const struct view_matrix *m = table_of(line);
        ck_assert_msg(m->cols[m->reference].defined, "%s", line);
        for (int col = 0; col < m->col_count; col++) {
            bool differs = false;
            for (int row = 0; row <= EACH; row++) {
                const struct view_cell *a = &m->cells[row][col], *b = &m->cells[row][m->reference];
                bool known = a->kind == b->kind && a->kind == VIEW_CELL_BYTES;
                ck_assert_msg(!known || a->differs == (a->bytes != b->bytes), "%s: %s, %s", line,
                              names[col], m->rows[row].key);
                differs = differs || a->differs;
            }
            ck_assert_msg(reasons(m, col) > 0, "%s: %s has no reason", line, names[col]);
            ck_assert_msg(!(differs && says(m, col, "convention.same")), "%s: %s is not the same",
                          line, names[col]);
        }
    }
}
END_TEST

static Suite *suite(void) {
    Suite *s = suite_create("conventions");
    TCase *c = tcase_create("conventions");
    tcase_add_loop_test(c, every_column_is_what_the_convention_gives, 0, ROWS(scenarios));
    tcase_add_loop_test(c, a_column_tells_why_it_differs, 0, ROWS(told));
    tcase_add_test(c, what_was_given_wins_under_every_convention);
    tcase_add_test(c, stages_that_are_defined_are_shown_for_all);
    tcase_add_test(c, what_differs_is_marked_and_explained_in_random_scenarios);
    suite_add_tcase(s, c);
    return s;
}

#include "support/check_main.h"
