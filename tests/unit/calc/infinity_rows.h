/* Rows of vectors_papers.csv from ZeRO-Infinity and the buffer that ZeRO speaks of: what a node needs for a model of
 * matrices alone. */
#ifndef UNIT_CALC_INFINITY_ROWS_H
#define UNIT_CALC_INFINITY_ROWS_H

#include <stdlib.h>

#include "calc_support.h"
#include "support/reference.h"

static inline bool zinf_bytes_per_param(const struct inputs *in, double *out) {
    ck_assert(inputs_is(in, "optimizer", "adam_mixed"));
    struct scenario s = legal_of("--params 1B --grad-bytes 6");
    *out = (double)calc_state_bytes_per_param(&s);
    return true;
}

/* ZeRO-Infinity counts the layers' matrices alone. */
static inline struct scenario matrices_only(const struct inputs *in, const char *more) {
    const char *layers = inputs_get(in, "layers");
    return legal_of("--layers %s --hidden %s --heads 128 --vocab 1 --tied %s",
                    layers[0] == '\0' ? "1" : layers, inputs_get(in, "hidden"), more);
}

static inline bool zinf_params_t(const struct inputs *in, double *out) {
    struct scenario s = matrices_only(in, "");
    *out = (double)matrices_of(&s) / 1e12;
    return true;
}

static inline bool zinf_model_states_tib(const struct inputs *in, double *out) {
    struct scenario s = matrices_only(in, "--grad-bytes 6");
    struct calc_memory m = memory_of(&s, 0);
    *out = (double)states_of(&m) / 1099511627776.0;
    return true;
}

/* Working memory for the largest matrix, 2-byte weights and gradients: DeepSpeed's 4 bytes × largest module. */
static inline bool zinf_mswm_gib(const struct inputs *in, double *out) {
    struct scenario s = matrices_only(in, "--convention deepspeed --zero 3");
    struct calc_memory m = memory_of(&s, 0);
    *out = (double)m.part_bytes[CALC_PART_BUFFERS] / 1073741824.0;
    return true;
}

/* One checkpoint every `ci` layers, where full recompute keeps one a layer. */
static inline bool zinf_checkpoints_tib(const struct inputs *in, double *out) {
    char more[96];
    (void)snprintf(more, sizeof more, "--recompute full --seq %s --micro-batch %s",
                   inputs_get(in, "seq"), inputs_get(in, "batch_node"));
    struct scenario s = matrices_only(in, more);
    struct calc_memory m = memory_of(&s, 0);
    double each_layer = (double)term_of(&m, "activations.checkpoints");
    *out = each_layer / strtod(inputs_get(in, "ci"), NULL) / 1099511627776.0;
    return true;
}

/* All gradients at once in fp32, as ZeRO describes the buffer that reduces them. */
static inline bool fused_buffer_gb(const struct inputs *in, double *out) {
    struct scenario s = legal_of("--params %sB --grad-bytes 4", inputs_get(in, "psi_b"));
    *out = (double)memory_of(&s, 0).part_bytes[CALC_PART_GRADIENTS] / 1e9;
    return true;
}

#endif
