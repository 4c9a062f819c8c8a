/* Published numbers (vectors_papers.csv): every row that the calculators can express is computed through their
 * public functions, within the row's own tolerance; the others are listed with a reason. One function a class of
 * rows turns the row's inputs into a scenario and reads the answer; it returns false for a row that has no
 * scenario yet. No formula of a paper is repeated here. */
#define _POSIX_C_SOURCE 200809L

#include <math.h>
#include <stdlib.h>

#include "calc_support.h"
#include "exchange_rows.h"
#include "infinity_rows.h"
#include "papers_comm.h"
#include "papers_elsewhere.h"
#include "papers_flops.h"
#include "papers_pipe.h"
#include "papers_pipeline.h"
#include "support/csv.h"
#include "support/format_classes.h"
#include "support/reference.h"

/* Most rows of vectors_papers.csv that may wait. Lower it with the list, never raise it. */
enum { PAPERS_LISTED_MAX = 95 };

static struct csv papers;

/* --- Model states --------------------------------------------------------------------------------------------- */

/* The rows' own way to say which bytes a parameter has: p weights, g gradients, k optimizer. */
static const char *bytes_line(const struct inputs *in) {
    bool fp32 = inputs_is(in, "p", "4") && inputs_is(in, "g", "4") && inputs_is(in, "k", "8");
    if (fp32) {
        return " --precision fp32";
    }
    if (!inputs_is(in, "k", "") && !inputs_is(in, "k", "12")) {
        return NULL;
    }
    return inputs_is(in, "g", "4") ? " --grad-bytes 4" : "";
}

static bool zero_state_gb(const struct inputs *in, double *out) {
    const char *bytes = bytes_line(in);
    if (bytes == NULL) {
        return false;
    }
    struct scenario s = legal_of("--params %sB --dp %s --zero %s%s", inputs_get(in, "psi_b"),
                                 inputs_get(in, "dp"), inputs_get(in, "stage"), bytes);
    struct calc_memory m = memory_of(&s, 0);
    ck_assert_uint_eq(states_of(&m), m.total_bytes);
    *out = (double)m.total_bytes / 1e9;
    return true;
}

/* The ratio as told, and the same ratio from the bytes of a model so large that shares come out whole. */
static bool zero_saving_ratio(const struct inputs *in, double *out) {
    const char *bytes = bytes_line(in);
    if (bytes == NULL) {
        return false;
    }
    struct scenario plain = legal_of("--params 1024B --dp %s%s", inputs_get(in, "dp"), bytes);
    struct scenario sharded = legal_of("--params 1024B --dp %s --zero %s%s", inputs_get(in, "dp"),
                                       inputs_get(in, "stage"), bytes);
    *out = calc_zero_saving(&sharded, sharded.layout.zero, sharded.layout.dp);
    struct calc_memory before = memory_of(&plain, 0), after = memory_of(&sharded, 0);
    double from_bytes = (double)before.total_bytes / (double)after.total_bytes;
    ck_assert_msg(fabs(from_bytes - *out) < 1e-9 * *out, "the bytes say %.9g, the ratio %.9g",
                  from_bytes, *out);
    return true;
}

static bool zero_saving_limit(const struct inputs *in, double *out) {
    const char *bytes = bytes_line(in);
    if (bytes == NULL) {
        return false;
    }
    struct scenario s = legal_of("--params 1B%s", bytes);
    *out = calc_zero_saving_limit(&s, strtoull(inputs_get(in, "stage"), NULL, 10));
    return true;
}

/* The largest Ψ whose states fit: found by halving, as a learner would with the slider. */
static bool zero_max_model_b(const struct inputs *in, double *out) {
    uint64_t memory = strtoull(inputs_get(in, "mem_gb"), NULL, 10) * UINT64_C(1000000000);
    uint64_t fits = 0, bursts = UINT64_C(1) << 50;
    while (bursts - fits > 1) {
        uint64_t middle = fits + (bursts - fits) / 2;
        struct scenario s =
            legal_of("--params %ju --tp %s --dp %s --zero %s", (uintmax_t)middle,
                     inputs_get(in, "mp"), inputs_get(in, "dp"), inputs_get(in, "stage"));
        struct calc_memory m = memory_of(&s, 0);
        *(m.total_bytes <= memory ? &fits : &bursts) = middle;
    }
    *out = (double)fits / 1e9;
    return true;
}

static bool zero_opt_multiplier_k(const struct inputs *in, double *out) {
    ck_assert(inputs_is(in, "optimizer", "adam_mixed"));
    struct scenario s = legal_of("--params 1B");
    struct calc_memory m = memory_of(&s, 0);
    *out = (double)m.part_bytes[CALC_PART_OPTIMIZER] / 1e9;
    return true;
}

static bool mem_adam_states_gb(const struct inputs *in, double *out) {
    ck_assert(inputs_is(in, "bytes", "12"));
    struct scenario s =
        legal_of("--params %sB --dp %s --zero 1", inputs_get(in, "psi_b"), inputs_get(in, "dp"));
    struct calc_memory m = memory_of(&s, 0);
    *out = (double)m.part_bytes[CALC_PART_OPTIMIZER] / 1e9;
    return true;
}

static bool mem_training_states_gb(const struct inputs *in, double *out) {
    const char *convention = inputs_is(in, "bytes", "20") ? "deepspeed" : "zero-paper";
    struct scenario s =
        legal_of("--params %sB --convention %s", inputs_get(in, "psi_b"), convention);
    struct calc_memory m = memory_of(&s, 0);
    ck_assert_uint_eq(calc_state_bytes_per_param(&s), strtoull(inputs_get(in, "bytes"), NULL, 10));
    *out = (double)m.total_bytes / 1e9;
    return true;
}

static bool mem_training_bytes_per_param(const struct inputs *in, double *out) {
    struct scenario s = legal_of("--params 1B --precision %s",
                                 inputs_is(in, "mode", "fp32_adam") ? "fp32" : "bf16");
    *out = (double)calc_state_bytes_per_param(&s);
    return true;
}

static bool fact_bytes_per_param(const struct inputs *in, double *out) {
    bool copied = inputs_is(in, "scheme", "bf16_fp32grad");
    if (!copied && !inputs_is(in, "scheme", "bf16_no_fp32grad")) {
        return false; /* fp8 */
    }
    struct scenario s = legal_of("--params 1B --grad-bytes %d", copied ? 6 : 2);
    *out = (double)calc_state_bytes_per_param(&s);
    return true;
}

static const char *megatron_line(const struct inputs *in) {
    return inputs_is(in, "mode", "fp16p_fp16g")   ? "--precision fp16 --grad-bytes 6"
           : inputs_is(in, "mode", "bf16p_fp32g") ? "--precision bf16"
                                                  : "--precision fp32";
}

static bool megatron_bytes_distributed(const struct inputs *in, double *out) {
    struct scenario s = legal_of("--params 1024M --convention megatron --zero 1 --dp %s %s",
                                 inputs_get(in, "dp"), megatron_line(in));
    struct calc_memory m = memory_of(&s, 0);
    *out = (double)states_of(&m) / 1024e6;
    return true;
}

static bool megatron_bytes_plain(const struct inputs *in, double *out) {
    struct scenario s = legal_of("--params 1B --convention megatron %s", megatron_line(in));
    *out = (double)calc_state_bytes_per_param(&s);
    return true;
}

/* The rows' own words for what leaves. */
static const char *offload_of(const struct inputs *in) {
    return inputs_is(in, "offload", "none")   ? "none"
           : inputs_is(in, "offload", "both") ? "params"
                                              : "optimizer";
}

/* Without offload the rows count the memory in which the model is built; stage 3 knows the largest module. */
static bool ds_cpu_gib(const struct inputs *in, double *out) {
    const char *psi = inputs_get(in, "psi"), *gpus = inputs_get(in, "gpus");
    struct scenario s =
        legal_of("--params %s --convention deepspeed --zero %d --dp %s "
                 "--gpus-per-node %s --offload %s",
                 psi, inputs_is(in, "largest", "") ? 2 : 3, gpus, gpus, offload_of(in));
    *out = (double)memory_of(&s, 0).offloaded.bytes / 1073741824.0;
    return s.layout.offload != CALC_OFFLOAD_NONE;
}

/* t5-3b is known by two numbers only; the dimensions here have both: 2851e6 in all within 40,000, and a table of
 * 31250 × 1024 = 32e6 as the largest module. */
static bool ds_zero3_gpu_gib(const struct inputs *in, double *out) {
    ck_assert(inputs_is(in, "psi", "2851000000") && inputs_is(in, "largest", "32000000"));
    struct scenario s = legal_of("--layers 48 --hidden 1024 --heads 16 --ffn 26627 --no-gated "
                                 "--vocab 31250 --tied --convention deepspeed --zero 3 --dp %s "
                                 "--offload %s",
                                 inputs_get(in, "gpus"), offload_of(in));
    double count = (double)params_of(&s).total;
    ck_assert_msg(fabs(count - 2851e6) < 4e4, "%.0f parameters", count);
    struct calc_memory m = memory_of(&s, 0);
    *out = (double)(states_of(&m) + m.part_bytes[CALC_PART_BUFFERS]) / 1073741824.0;
    return true;
}

static bool offload_gpu_bytes_per_param(const struct inputs *in, double *out) {
    if (!inputs_is(in, "p16", "gpu") || !inputs_is(in, "g16", "gpu") ||
        !inputs_is(in, "update", "gpu")) {
        return false;
    }
    struct scenario s = legal_of("--params 1B");
    *out = (double)calc_state_bytes_per_param(&s);
    return true;
}

/* --- Parameter counts ----------------------------------------------------------------------------------------- */

/* The number of heads does not change a count; 128 divides every width of the table. */
static bool gpt_params_b(const struct inputs *in, double *out) {
    struct scenario s = legal_of(
        "--layers %s --hidden %s --heads 128 --vocab %s --seq %s" GPT_BLOCK,
        inputs_get(in, "layers"), inputs_get(in, "h"), inputs_get(in, "V"), inputs_get(in, "s"));
    *out = (double)params_of(&s).total / 1e9;
    return true;
}

static bool gpt_params_untied_b(const struct inputs *in, double *out) {
    ck_assert(inputs_is(in, "pos", "0"));
    struct scenario s =
        legal_of("--layers %s --hidden %s --heads 128 --vocab %s --norm layer --bias all",
                 inputs_get(in, "layers"), inputs_get(in, "h"), inputs_get(in, "V"));
    *out = (double)params_of(&s).total / 1e9;
    return true;
}

/* --- Activations and pipelines -------------------------------------------------------------------------------- */

static struct scenario block_of(const struct inputs *in, const char *more) {
    return legal_of("--layers 1 --hidden %s --heads %s --vocab 51200 --seq %s" GPT_BLOCK "%s",
                    inputs_get(in, "h"), inputs_get(in, "a"), inputs_get(in, "s"), more);
}

/* Bytes as a multiple of s·b·h. */
static double in_sbh(const struct scenario *s, uint64_t bytes) {
    return (double)bytes / (double)(s->batch.seq * s->batch.micro_batch * s->model.hidden);
}

static bool kor_act_coef(const struct inputs *in, double *out) {
    static const struct {
        const char *mode, *line;
    } modes[] = {
        {"none", ""},
        {"tp", " --tp 8"},
        {"tp_sp", " --tp 8 --sequence-parallel"},
        {"tp_sel", " --tp 8 --recompute selective"},
        {"tp_sp_sel", " --tp 8 --sequence-parallel --recompute selective"},
        {"full", " --tp 8 --recompute full"},
    };
    ck_assert(inputs_is(in, "t", "8"));
    for (int i = 0; i < ROWS(modes); i++) {
        if (inputs_is(in, "mode", modes[i].mode)) {
            struct scenario s = block_of(in, modes[i].line);
            struct calc_memory m = memory_of(&s, 0);
            *out = in_sbh(&s, layers_kept_of(&m));
            return true;
        }
    }
    return false;
}

static bool kor_attn_coef(const struct inputs *in, double *out) {
    struct scenario s = block_of(in, "");
    struct calc_memory m = memory_of(&s, 0);
    *out = in_sbh(&s, term_of(&m, "activations.scores"));
    return true;
}

static bool kor_selective_saving_pct(const struct inputs *in, double *out) {
    struct scenario all = block_of(in, ""), some = block_of(in, " --recompute selective");
    struct calc_memory before = memory_of(&all, 0), after = memory_of(&some, 0);
    *out = 100.0 * (1.0 - (double)layers_kept_of(&after) / (double)layers_kept_of(&before));
    return true;
}

/* The first stage with interleaving against the same stage without, by bytes and by chunks. */
static bool kor_interleave_memory_factor(const struct inputs *in, double *out) {
    const char *p = inputs_get(in, "p"), *v = inputs_get(in, "m");
    uint64_t stages = strtoull(p, NULL, 10), chunks = strtoull(v, NULL, 10);
    char model[256];
    (void)snprintf(model, sizeof model, "--layers %ju --hidden 1024 --heads 16 --vocab 512 --pp %s",
                   (uintmax_t)(stages * chunks), p);
    struct scenario plain = legal_of("%s", model), cut = legal_of("%s --chunks %s", model, v);
    ck_assert_int_eq(cut.layout.schedule, CALC_SCHEDULE_INTERLEAVED);
    struct calc_memory before = memory_of(&plain, 0), after = memory_of(&cut, 0);
    *out = (double)layers_kept_of(&after) / (double)layers_kept_of(&before);
    ck_assert(fabs((double)after.in_flight / (double)(before.in_flight * chunks) - *out) < 1e-12);
    return true;
}

/* --- The table ------------------------------------------------------------------------------------------------ */

static const struct class {
    const char *quantity;
    bool (*compute)(const struct inputs *in, double *out);
} classes[] = {
    {"zero.state_gb", zero_state_gb},
    {"zero.saving_ratio", zero_saving_ratio},
    {"zero.saving_ratio_limit", zero_saving_limit},
    {"zero.max_model_b", zero_max_model_b},
    {"zero.opt_multiplier_k", zero_opt_multiplier_k},
    {"mem.adam_states_gb", mem_adam_states_gb},
    {"mem.training_states_gb", mem_training_states_gb},
    {"mem.training_states_bytes_per_param", mem_training_bytes_per_param},
    {"fact.bytes_per_param", fact_bytes_per_param},
    {"megatron.bytes_per_param_distributed", megatron_bytes_distributed},
    {"megatron.bytes_per_param_non_distributed", megatron_bytes_plain},
    {"ds.zero2_cpu_gib", ds_cpu_gib},
    {"ds.zero3_cpu_gib", ds_cpu_gib},
    {"ds.zero3_gpu_gib", ds_zero3_gpu_gib},
    {"zinf.bytes_per_param", zinf_bytes_per_param},
    {"zinf.params_t", zinf_params_t},
    {"zinf.model_states_tib", zinf_model_states_tib},
    {"zinf.mswm_gib", zinf_mswm_gib},
    {"zinf.act_ckpt_tib_per_node", zinf_checkpoints_tib},
    {"mem.fused_fp32_buffer_gb", fused_buffer_gb},
    {"offload.gpu_bytes_per_param", offload_gpu_bytes_per_param},
    {"gpt.params_b", gpt_params_b},
    {"gpt.params_untied_b", gpt_params_untied_b},
    {"kor.act_coef", kor_act_coef},
    {"kor.attn_coef_5as_over_h", kor_attn_coef},
    {"kor.selective_saving_pct", kor_selective_saving_pct},
    {"kor.interleave_memory_factor", kor_interleave_memory_factor},
    {"pp.peak_in_flight_first_stage", pp_peak_in_flight},
    {"pp.peak_in_flight_first_stage_full_stage_units", pp_peak_in_flight_units},
    {"zb.peak_memory_in_MB", zb_peak_memory},
    {"dualpipe.activation_units", dualpipe_activation_units},
    {"dualpipe.param_copies", dualpipe_param_copies},
    {"nccl.busbw_factor", nccl_busbw_factor},
    {"nccl.busbw_gbs", nccl_busbw_gbs},
    PAPERS_FLOPS_CLASSES,
    PAPERS_COMM_CLASSES,
};

static const struct class *class_find(int row) {
    for (int i = 0; i < ROWS(classes); i++) {
        if (strcmp(classes[i].quantity, csv_get(&papers, row, "quantity")) == 0) {
            return &classes[i];
        }
    }
    return NULL;
}

/* False: the row has no scenario. */
static bool compute(int row, double *out) {
    const struct class *class = class_find(row);
    struct inputs in;
    inputs_read(&in, csv_get(&papers, row, "inputs"));
    return class != NULL && class->compute(&in, out);
}

/* The rows of the classes above. */
static int rows[1024], row_count;

START_TEST(a_published_number_comes_out_within_its_tolerance) {
    int row = rows[_i];
    double value = 0.0;
    if (!compute(row, &value)) {
        return; /* counted by every_row_is_computed_or_listed */
    }
    double expected = strtod(csv_get(&papers, row, "expected"), NULL);
    double tolerance = strtod(csv_get(&papers, row, "tolerance"), NULL);
    /* 1e-12: what doubles lose on exact rows */
    ck_assert_msg(fabs(value - expected) <= tolerance + 1e-12 * fabs(expected),
                  "%s %s (%s): %.9g, published %.9g, tolerance %g", csv_get(&papers, row, "id"),
                  csv_get(&papers, row, "quantity"), csv_get(&papers, row, "inputs"), value,
                  expected, tolerance);
}
END_TEST

static void class_of(const struct csv *table, int row, char *name, size_t capacity) {
    (void)snprintf(name, capacity, "%s", csv_get(table, row, "quantity"));
}

static bool expressed(const struct csv *table, int row) {
    double value = 0.0;
    const char *quantity = csv_get(table, row, "quantity");
    return is_format_class(quantity) || papers_elsewhere(quantity) || papers_of_pipe(quantity) ||
           compute(row, &value);
}

START_TEST(every_row_is_computed_or_listed) {
    struct reference reference = {"vectors_papers.csv", &papers, class_of, expressed,
                                  PAPERS_LISTED_MAX};
    reference_check(&reference);
}
END_TEST

static Suite *suite(void) {
    Suite *s = suite_create("papers");
    TCase *t = tcase_create("rows");
    papers = csv_read("vectors_papers.csv");
    for (int row = 0; row < papers.rows; row++) {
        if (class_find(row) != NULL && row_count < ROWS(rows)) {
            rows[row_count++] = row;
        }
    }
    tcase_add_loop_test(t, a_published_number_comes_out_within_its_tolerance, 0, row_count);
    tcase_add_test(t, every_row_is_computed_or_listed);
    suite_add_tcase(s, t);
    return s;
}

#include "support/check_main.h"
