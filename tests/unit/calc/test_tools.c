/* What other tools print, and what was measured on real GPUs (vectors_calculators.csv): every row that the
 * calculators can express is computed through their public functions; the others are listed with a reason. A row's
 * config becomes options by the name that it starts with, its other cells become layout and recipe. A tool that is
 * known to be wrong is not reproduced: its rows stay in the list. */
#define _POSIX_C_SOURCE 200809L

#include <math.h>
#include <stdlib.h>

#include "calculon_rows.h"
#include "estimator_rows.h"
#include "support/reference.h"

/* Most rows of vectors_calculators.csv that may wait. Lower it with the list, never raise it. */
enum { TOOLS_LISTED_MAX = 98 };

/* --- One function a class of rows ------------------------------------------------------------------------------ */

/* Megatron's report sums every matrix and norm of the heaviest stage; with pipelines it spreads the final norm. */
static bool megatron_states(int row, struct answer *a) {
    struct scenario s;
    bool gpt3 = begins(cell(row, "config"), "gpt3");
    if (!scenario_of_row(row,
                         gpt3 ? " --bias none --position rope --convention megatron"
                              : " --convention megatron",
                         &s)) {
        return false;
    }
    struct calc_memory m = memory_of(&s, 0);
    a->value = (double)states_of(&m);
    a->tolerance = s.layout.pp > 1 ? 2e-6 * a->value : 0.0;
    return true;
}

/* Of the whole model, or of what one token uses. */
static bool megatron_params(int row, struct answer *a) {
    struct scenario s;
    bool known = scenario_of_row(row, "", &s);
    struct calc_params p = known ? params_of(&s) : (struct calc_params){0};
    a->value = (double)(begins(cell(row, "quantity"), "active") ? p.active : p.total) / 1e9;
    a->tolerance = 0.005;
    return known;
}

/* DeepSpeed's second-stage estimator knows Ψ alone: the second word of the config, or the first number after. */
static bool deepspeed_zero2(int row, struct answer *a) {
    char line[1024] = "";
    if (!row_layout(&tools, row, line, sizeof line)) {
        return false;
    }
    char params[32] = "";
    ck_assert_int_eq(sscanf(cell(row, "config"), "%*s %31s", params), 1);
    struct scenario s = legal_of("--params %s --convention deepspeed%s", params, line);
    a->value = (double)memory_of(&s, 0).total_bytes;
    a->tolerance = 0.0;
    return true;
}

/* The third-stage one needs the largest module, so the model's dimensions; its count must be the config's. */
static bool deepspeed_zero3(int row, struct answer *a) {
    struct scenario s;
    if (!scenario_of_row(row, " --convention deepspeed", &s)) {
        return false;
    }
    uintmax_t params = 0;
    ck_assert_int_eq(sscanf(cell(row, "config"), "%*s %ju", &params), 1);
    ck_assert_uint_eq(params_of(&s).total, params);
    struct calc_memory m = memory_of(&s, 0);
    a->value = (double)(states_of(&m) + m.part_bytes[CALC_PART_BUFFERS]);
    a->tolerance = 0.0;
    return true;
}

/* Estimators that know Ψ alone, from their own header. */
static bool deepspeed_host(int row, struct answer *a) {
    char line[1024] = "";
    a->tolerance = 0.0;
    return row_layout(&tools, row, line, sizeof line) &&
           row_host_bytes(&tools, row, line, &a->value);
}

static bool deepspeed_docs(int row, struct answer *a) {
    a->value = row_documented_gib(&tools, row);
    a->tolerance = 0.005;
    return true;
}

static bool accelerate_maximum(int row, struct answer *a) {
    a->value = row_largest_phase(&tools, row);
    a->tolerance = 0.0;
    return true;
}

/* llm-analysis shares the embedding always, has no biases and RMSNorm. Its own preset of llama-7b has a plain FFN of
 * 4h. */
static bool llm_analysis(int row, const char *more, struct scenario *s) {
    static const char plain[] = " --tied --bias none --position rope --norm rms --grad-bytes 4";
    if (begins(cell(row, "config"), "its own preset decapoda-research_llama-7b")) {
        *s = legal_of("--layers 32 --hidden 4096 --heads 32 --vocab 32000%s%s", plain, more);
        return true;
    }
    char all[256];
    (void)snprintf(all, sizeof all, "%s%s", plain, more);
    return scenario_of_row(row, all, s);
}

static bool llm_analysis_params(int row, struct answer *a) {
    struct scenario s;
    if (!llm_analysis(row, "", &s)) {
        return false;
    }
    a->value = (double)params_of(&s).total;
    a->tolerance = 0.0;
    return true;
}

/* It charges the embedding to every stage: the first is the one that really has it. With tensor parallelism it
 * divides the norms in the gradients, but neither in the weights nor in the optimizer, where they are whole as they
 * are on a real rank: 0.01 % of the gradients. */
static bool llm_analysis_states(int row, struct answer *a) {
    struct scenario s;
    if (!llm_analysis(row, "", &s)) {
        return false;
    }
    struct calc_memory m = memory_of(&s, 0);
    const char *quantity = cell(row, "quantity");
    a->value = (double)m.part_bytes[begins(quantity, "weights") ? CALC_PART_WEIGHTS
                                    : begins(quantity, "grad")  ? CALC_PART_GRADIENTS
                                                                : CALC_PART_OPTIMIZER];
    a->tolerance = s.layout.pp > 1 ? (begins(quantity, "grad") ? 1e-4 : 2e-6) * a->value : 0.0;
    return true;
}

static bool viewer_weights(int row, struct answer *a) {
    uint64_t matrices = 0;
    if (!matrices_of_row(row, &matrices)) {
        return false;
    }
    struct scenario s = legal_of("--params %ju", (uintmax_t)matrices);
    a->value = (double)memory_of(&s, 0).part_bytes[CALC_PART_WEIGHTS];
    a->tolerance = 0.0;
    return true;
}

static bool estimator_states(int row, struct answer *a) {
    struct scenario s =
        legal_of("--params 7B --dp %s --zero %s", cell(row, "dp"), cell(row, "zero_stage"));
    a->value = (double)memory_of(&s, 0).total_bytes / gib;
    a->tolerance = 5e-7;
    return true;
}

#define MEASURED " --convention megatron --sequence-parallel --micro-batches 4"

/* The stage that the config's last words name. */
static uint64_t stage_of_row(int row, const struct scenario *s) {
    return strstr(cell(row, "config"), "last") != NULL ? s->layout.pp - 1 : 0;
}

/* torch.cuda.max_memory_allocated of a real run. */
static bool measured_peak(int row, struct answer *a) {
    struct scenario s;
    if (!scenario_of_row(row, MEASURED, &s)) {
        return false;
    }
    struct calc_memory m = memory_of(&s, stage_of_row(row, &s));
    a->value = (double)m.total_bytes / gib;
    double share = scenario_has_experts(&s) ? 0.05 : 0.015; /* real routing is not balanced */
    a->tolerance = share * strtod(cell(row, "value"), NULL);
    return true;
}

/* Its llama-3-8b pads from a vocabulary just above the model's 128256, which is itself a multiple of 128: 128 rows
 * more at tp 1, and the same 129024 at tp 8. */
static bool simumax_states(int row, struct answer *a) {
    struct scenario s;
    bool above = begins(cell(row, "config"), "llama-3-8b");
    if (!scenario_of_row(row, above ? " --vocab 128257" MEASURED : MEASURED, &s)) {
        return false;
    }
    struct calc_memory m = memory_of(&s, stage_of_row(row, &s));
    const char *quantity = cell(row, "quantity");
    a->value = (double)m.part_bytes[begins(quantity, "weights") ? CALC_PART_WEIGHTS
                                    : begins(quantity, "grad")  ? CALC_PART_GRADIENTS
                                                                : CALC_PART_OPTIMIZER] /
               gib;
    a->tolerance = 1e-4; /* it cuts to four digits, or rounds */
    return true;
}

/* One micro-batch of its simulator, which keeps 2 bytes of softmax statistics where FlashAttention keeps 4: 0.05 %.
 * With full recompute it leaves the layer being rebuilt to its peak. */
static bool simumax_activations(int row, struct answer *a) {
    const char *recompute = cell(row, "recompute");
    struct scenario s;
    bool full = begins(recompute, "full");
    if ((!full && strcmp(recompute, "none") != 0) ||
        !scenario_of_row(row,
                         full ? " --convention megatron --sequence-parallel --micro-batches 1 "
                                "--recompute full"
                              : " --convention megatron --sequence-parallel --micro-batches 1",
                         &s) ||
        scenario_has_experts(&s)) { /* it also keeps what the experts give out */
        return false;
    }
    struct calc_memory m = memory_of(&s, stage_of_row(row, &s));
    a->value =
        (double)(m.part_bytes[CALC_PART_ACTIVATIONS] - term_of(&m, "activations.working_layer")) /
        gib;
    a->tolerance = full ? 5e-5 : 0.0006 * a->value;
    return true;
}

/* --- The table ------------------------------------------------------------------------------------------------ */

static const struct class {
    const char *tool, *quantity; /* how they begin */
    bool (*compute)(int row, struct answer *a);
} classes[] = {
    {"Megatron theoretical_memory_usage", "weights_grads_optim_bytes", megatron_states},
    {"Megatron theoretical_memory_usage", "params_billion", megatron_params},
    {"Megatron theoretical_memory_usage", "active_params_billion", megatron_params},
    {"DeepSpeed estimate_zero2", "gpu_model_states_bytes", deepspeed_zero2},
    {"DeepSpeed estimate_zero3", "gpu_model_states_bytes", deepspeed_zero3},
    {"DeepSpeed estimate_zero2", "cpu_bytes_per_node", deepspeed_host},
    {"DeepSpeed estimate_zero3", "cpu_bytes_per_node", deepspeed_host},
    {"DeepSpeed docs", "gpu_model_states_gib", deepspeed_docs},
    {"accelerate estimate-memory", "training_adam_max_bytes", accelerate_maximum},
    {"llm-analysis", "params", llm_analysis_params},
    {"llm-analysis", "weights_bytes", llm_analysis_states},
    {"llm-analysis", "grad_bytes", llm_analysis_states},
    {"llm-analysis", "optim_bytes", llm_analysis_states},
    {"LLM-Viewer", "weights_bytes", viewer_weights},
    {"Calculon validation table", "weights_grads_optim_gib", figure1_states},
    {"Calculon validation table", "activation_gib", figure1_activations},
    {"Calculon", "weights_gib", calculon_example},
    {"Calculon", "optim_gib", calculon_example},
    {"Calculon", "activation_checkpoints_gib", calculon_example},
    {"Calculon", "weights_grads_optim_gib", calculon_states},
    {"Calculon", "grad_gib", calculon_states},
    {"LLMGPUMemEstimator", "model_states_gib", estimator_states},
    {"MEASURED on 8x B200", "peak_allocated_gib", measured_peak},
    {"SimuMax", "weights_gib", simumax_states},
    {"SimuMax", "grad_gib", simumax_states},
    {"SimuMax", "optim_gib", simumax_states},
    {"SimuMax", "activation_per_microbatch_gib", simumax_activations},
};

static const struct class *class_find(int row) {
    for (int i = 0; i < ROWS(classes); i++) {
        if (begins(cell(row, "tool"), classes[i].tool) &&
            strcmp(cell(row, "quantity"), classes[i].quantity) == 0) {
            return &classes[i];
        }
    }
    return NULL;
}

static bool compute(int row, struct answer *a) {
    const struct class *class = class_find(row);
    return class != NULL && class->compute(row, a);
}

/* The rows of the classes above. */
static int rows[512], row_count;

START_TEST(what_a_tool_prints_or_a_run_measures_comes_out) {
    int row = rows[_i];
    struct answer a = {0.0, 0.0};
    if (!compute(row, &a)) {
        return; /* counted by every_row_is_computed_or_listed */
    }
    double expected = strtod(cell(row, "value"), NULL);
    double off = 100.0 * (a.value / expected - 1.0);
    if (begins(cell(row, "tool"), "MEASURED")) {
        (void)printf("line %d: %s dp %s tp %s cp %s: %.3f GiB, measured %.3f: %+.2f %%\n", row + 2,
                     cell(row, "config"), cell(row, "dp"), cell(row, "tp"), cell(row, "cp"),
                     a.value, expected, off);
    }
    ck_assert_msg(fabs(a.value - expected) <= a.tolerance,
                  "line %d: %s, %s, %s: %.10g, expected %.10g within %g (%+.5f %%)", row + 2,
                  cell(row, "tool"), cell(row, "config"), cell(row, "quantity"), a.value, expected,
                  a.tolerance, off);
}
END_TEST

static void class_of(const struct csv *table, int row, char *name, size_t capacity) {
    const char *tool = csv_get(table, row, "tool");
    size_t length = strcspn(tool, ",=(");
    length -= length > 0 && tool[length - 1] == ' ' ? 1 : 0;
    (void)snprintf(name, capacity, "%.*s: %s", (int)length, tool, csv_get(table, row, "quantity"));
}

static bool expressed(const struct csv *table, int row) {
    struct answer a;
    (void)table;
    return compute(row, &a);
}

START_TEST(every_row_is_computed_or_listed) {
    struct reference reference = {"vectors_calculators.csv", &tools, class_of, expressed,
                                  TOOLS_LISTED_MAX};
    reference_check(&reference);
}
END_TEST

static Suite *suite(void) {
    Suite *s = suite_create("tools");
    TCase *t = tcase_create("rows");
    tools = csv_read("vectors_calculators.csv");
    presets = csv_read("model_presets.csv");
    for (int row = 0; row < tools.rows; row++) {
        if (class_find(row) != NULL && row_count < ROWS(rows)) {
            rows[row_count++] = row;
        }
    }
    tcase_add_loop_test(t, what_a_tool_prints_or_a_run_measures_comes_out, 0, row_count);
    tcase_add_test(t, every_row_is_computed_or_listed);
    suite_add_tcase(s, t);
    return s;
}

#include "support/check_main.h"
