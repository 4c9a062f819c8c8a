/* The rows of vectors_papers.csv about communication: each becomes a scenario whose step is read from calc_comm_*.
 * "N large" rows are the exact figure of a finite N with its factor (N−1)/N taken out. Included by test_papers.c only. */
#ifndef UNIT_CALC_PAPERS_COMM_H
#define UNIT_CALC_PAPERS_COMM_H

#include <stdlib.h>

#include "comm_support.h"
#include "support/reference.h"

/* 2-byte elements that a data rank sends, over Ψ. */
static double elements_per_psi(const char *line) {
    struct calc_comm c = comm_line("--params 1024M %s", line);
    ck_assert(c.total_known);
    return (double)c.total_sent_bytes / 2.0 / 1024e6;
}

static double limit_per_psi(const char *more) {
    char line[128];
    (void)snprintf(line, sizeof line, "--dp 64 %s", more);
    return elements_per_psi(line) * 64.0 / 63.0;
}

static bool zero_comm_limit(const struct inputs *in, double *out) {
    char more[64];
    const char *micro = inputs_get(in, "micro_batches");
    (void)snprintf(more, sizeof more, "--zero %s --micro-batches %s", inputs_get(in, "stage"),
                   micro[0] != '\0' ? micro : "1");
    *out = limit_per_psi(more);
    return true;
}

static bool zero_comm_elements(const struct inputs *in, double *out) {
    char line[64];
    (void)snprintf(line, sizeof line, "--dp %s --zero %s", inputs_get(in, "dp"),
                   inputs_get(in, "stage"));
    *out = elements_per_psi(line);
    return true;
}

static bool zero_comm_ratio(const struct inputs *in, double *out) {
    double with = 0.0;
    (void)zero_comm_limit(in, &with);
    *out = with / limit_per_psi("");
    return true;
}

static bool zeropp_volume(const struct inputs *in, double *out) {
    bool plain =
        inputs_is(in, "qwz", "0") && inputs_is(in, "hpz", "0") && inputs_is(in, "qgz", "0");
    *out = plain ? limit_per_psi("--zero 3") : 0.0;
    return plain;
}

static bool comm_bytes_per_param(const struct inputs *in, double *out) {
    char more[64];
    bool reduced = inputs_is(in, "scheme", "allreduce");
    (void)snprintf(more, sizeof more, "--grad-bytes %s --zero %d", inputs_get(in, "grad_bytes"),
                   reduced ? 0 : 1);
    *out = 2.0 * limit_per_psi(more);
    return true;
}

static bool fsdp_cross_host(const struct inputs *in, double *out) {
    char line[64];
    (void)snprintf(line, sizeof line, "--dp %s --zero %d", inputs_get(in, "W"),
                   inputs_is(in, "scheme", "ddp") ? 0 : 3);
    *out = elements_per_psi(line);
    return true;
}

/* --- Whole runs --------------------------------------------------------------------------------------------------- */

static bool comm_step_gb_dp(const struct inputs *in, double *out) {
    struct calc_comm c =
        comm_line("--params %sB --tp %s --pp %s --dp %s", inputs_get(in, "psi_b"),
                  inputs_get(in, "tp"), inputs_get(in, "pp"), inputs_get(in, "dp"));
    *out = (double)sent_of(&c, CALC_AXIS_DP, NULL) / 1e9;
    return true;
}

/* The formula's L/p layers are the mean over the stages. */
static bool comm_step_gb_tp(const struct inputs *in, double *out) {
    struct scenario s = legal_of(
        "--layers %s --hidden %s --heads 128 --head-dim 64 --vocab 51200 --seq %s --micro-batch %s "
        "--tp %s --pp %s --micro-batches %s",
        inputs_get(in, "layers"), inputs_get(in, "h"), inputs_get(in, "s"), inputs_get(in, "b"),
        inputs_get(in, "tp"), inputs_get(in, "pp"), inputs_get(in, "m"));
    double sum = 0.0;
    for (uint64_t stage = 0; stage < s.layout.pp; stage++) {
        struct calc_comm c = comm_on(&s, stage);
        sum += (double)sent_of(&c, CALC_AXIS_TP, "layers");
    }
    *out = sum / (double)s.layout.pp / 1e9;
    return true;
}

static struct scenario pipeline_of(const struct inputs *in, const char *micro) {
    return legal_of("--layers 8 --hidden %s --heads 128 --head-dim 64 --vocab 51200 --seq %s "
                    "--micro-batch %s --pp 4 --micro-batches %s",
                    inputs_get(in, "h"), inputs_get(in, "s"), inputs_get(in, "b"), micro);
}

static bool comm_step_gb_pp(const struct inputs *in, double *out) {
    ck_assert(inputs_is(in, "v", "1") && inputs_is(in, "scatter_gather", "0"));
    struct scenario s = pipeline_of(in, inputs_get(in, "m"));
    struct calc_comm c = comm_on(&s, 1);
    *out = (double)sent_of(&c, CALC_AXIS_PP, NULL) / 1e9;
    return true;
}

static bool comm_pp_elements(const struct inputs *in, double *out) {
    ck_assert(inputs_is(in, "scatter_gather", "0"));
    struct scenario s = pipeline_of(in, "1");
    struct calc_comm c = comm_on(&s, 1);
    *out = (double)row_of(&c, "activations")->message_bytes / 2.0;
    return true;
}

/* --- TP against ZeRO 3 -------------------------------------------------------------------------------------------- */

/* What one more layer sends: tables and final norm cancel. */
static uint64_t of_one_layer(const char *h, const char *more, int axis, const char *id) {
    uint64_t sent[2];
    for (int layers = 1; layers <= 2; layers++) {
        struct calc_comm c =
            comm_line("--layers %d --hidden %s --heads 64 --vocab 64 %s", layers, h, more);
        sent[layers - 1] = sent_of(&c, axis, id);
    }
    return sent[1] - sent[0];
}

/* The most tokens at which tensor parallelism sends no more than ZeRO 3, found by halving. */
static bool comm_break_even(const struct inputs *in, double *out) {
    const char *h = inputs_get(in, "h");
    const char *recompute = inputs_is(in, "recompute", "1") ? "full" : "none";
    uint64_t low = 1, high = UINT64_C(1) << 20;
    uint64_t zero3 = of_one_layer(h, "--dp 64 --zero 3", CALC_AXIS_DP, NULL);
    while (high - low > 1) {
        char more[96];
        uint64_t tokens = low + (high - low) / 2;
        (void)snprintf(more, sizeof more, "--tp 64 --seq %ju --recompute %s", (uintmax_t)tokens,
                       recompute);
        *(of_one_layer(h, more, CALC_AXIS_TP, "layers") <= zero3 ? &low : &high) = tokens;
    }
    *out = (double)low;
    return true;
}

/* Norms are parameters too: the papers' 12h² is what the matrices of the layer are of it. */
static bool zero_mp_ratio(const struct inputs *in, double *out) {
    const char *h = inputs_get(in, "h");
    char more[96];
    (void)snprintf(more, sizeof more, "--tp 64 --seq %s --micro-batch %s --recompute full",
                   inputs_get(in, "s"), inputs_get(in, "b"));
    double tensor = (double)of_one_layer(h, more, CALC_AXIS_TP, "layers");
    double zero3 = (double)of_one_layer(h, "--dp 64 --zero 3", CALC_AXIS_DP, NULL);
    struct scenario s = legal_of("--layers 1 --hidden %s --heads 64 --vocab 64", h);
    double matrices = (double)matrices_of(&s), norms = 2.0 * (double)s.model.hidden;
    *out = tensor / (zero3 * matrices / (matrices + norms));
    return true;
}

/* --- Misprints, and times ----------------------------------------------------------------------------------------- */

static bool erratum_zero3_step(const struct inputs *in, double *out) {
    bool seconds = inputs_get(in, "gbit_s")[0] != '\0';
    double rate = seconds ? strtod(inputs_get(in, "gbit_s"), NULL) / 8.0 : 1.0;
    struct calc_comm c = comm_line("--params %sB --dp 8 --zero 3 --gpus-per-node 1 --alpha-us 0 "
                                   "--net-gb-per-s %.9g",
                                   inputs_get(in, "psi_b"), rate);
    double sum = 0.0;
    for (int i = 0; i < c.row_count; i++) {
        sum += seconds ? c.rows[i].time_s : (double)c.rows[i].sent_bytes / 1e9;
    }
    *out = sum * 8.0 / 7.0;
    return true;
}

static bool erratum_zero3_gather(const struct inputs *in, double *out) {
    struct calc_comm c = comm_line("--params %sB --dp 8 --zero 3", inputs_get(in, "psi_b"));
    double layers = strtod(inputs_get(in, "layers"), NULL);
    *out = (double)row_of(&c, "weights.forward")->message_bytes / layers / 1e6;
    return true;
}

static bool coll_allreduce_us(const struct inputs *in, double *out) {
    if (!inputs_is(in, "algo", "ring")) {
        return false;
    }
    uint64_t bytes = strtoull(inputs_get(in, "bytes"), NULL, 10);
    struct calc_comm c = comm_line("--params %ju --dp %s --gpus-per-node 1 --alpha-us %s "
                                   "--net-gb-per-s %s",
                                   (uintmax_t)(bytes / 2), inputs_get(in, "p"),
                                   inputs_get(in, "alpha_us"), inputs_get(in, "bw_gbs"));
    *out = row_of(&c, "gradients")->time_s * 1e6;
    return true;
}

/* --- Offload ------------------------------------------------------------------------------------------------------ */

static bool offload_traffic(const struct inputs *in, double *out) {
    ck_assert(inputs_is(in, "direction", "both"));
    struct calc_comm c = comm_line("--params 1B --offload optimizer");
    *out = (double)sent_of(&c, CALC_AXIS_OFFLOAD, NULL) / 1e9;
    return true;
}

static bool offload_pcie_seconds(const struct inputs *in, double *out) {
    ck_assert(inputs_is(in, "bytes_per_param", "4"));
    struct calc_comm c =
        comm_line("--params %sB --offload optimizer --alpha-us 0 --pcie-gb-per-s %s",
                  inputs_get(in, "psi_b"), inputs_get(in, "gbs"));
    *out = 0.0;
    for (int i = 0; i < c.row_count; i++) {
        *out += c.rows[i].time_s;
    }
    return true;
}

/* Computation over computation and optimizer states read and written: 16 bytes with the fp32 gradient. */
static bool zinf_efficiency_optimizer(const struct inputs *in, double *out) {
    struct scenario s =
        legal_of("--params 1B --seq %s --micro-batch %s --recompute full --grad-bytes 6 --mfu 1 "
                 "--offload optimizer --offload-to nvme --alpha-us 0 --nvme-gb-per-s %s",
                 inputs_get(in, "seq"), inputs_get(in, "bsz"), inputs_get(in, "bw_gbs"));
    s.cluster.peak_tflops[CALC_PRECISION_BF16] = strtod(inputs_get(in, "peak_tflops"), NULL);
    struct calc_comm c = comm_of(&s);
    double states = 0.0;
    for (int i = 0; i < c.row_count; i++) {
        states += strcmp(c.rows[i].id, "optimizer") == 0 ? c.rows[i].time_s : 0.0;
    }
    *out = 100.0 * c.compute_s / (c.compute_s + states);
    return true;
}

#define PAPERS_COMM_CLASSES                                                                        \
    {"zero.comm_multiplier_limit", zero_comm_limit},                                               \
        {"zero.comm_multiplier_with_grad_accum", zero_comm_limit},                                 \
        {"zero.comm_elems_per_psi", zero_comm_elements},                                           \
        {"zero.comm_ratio_to_dp", zero_comm_ratio},                                                \
        {"zero.mp_to_zero3_comm_ratio_ckpt", zero_mp_ratio},                                       \
        {"zeropp.cross_node_volume", zeropp_volume},                                               \
        {"comm.bytes_per_param_dp", comm_bytes_per_param},                                         \
        {"comm.bytes_per_param_zero1", comm_bytes_per_param},                                      \
        {"comm.step_gb_dp", comm_step_gb_dp}, {"comm.step_gb_tp", comm_step_gb_tp},                \
        {"comm.step_gb_pp", comm_step_gb_pp},                                                      \
        {"comm.pp_elems_per_microbatch_per_direction", comm_pp_elements},                          \
        {"comm.tp_zero3_break_even_tokens", comm_break_even},                                      \
        {"fsdp.cross_host_traffic_per_gpu", fsdp_cross_host},                                      \
        {"erratum.comm.zero3_step_gb", erratum_zero3_step},                                        \
        {"erratum.comm.zero3_step_s", erratum_zero3_step},                                         \
        {"erratum.comm.zero3_gather_mb_per_layer", erratum_zero3_gather},                          \
        {"coll.allreduce_us", coll_allreduce_us},                                                  \
        {"offload.cpu_gpu_traffic_bytes_per_param", offload_traffic},                              \
        {"offload.pcie_seconds_per_step", offload_pcie_seconds}, {                                 \
        "zinf.efficiency_pct_optimizer", zinf_efficiency_optimizer                                 \
    }

#endif
