/* Rows of vectors_calculators.csv: their layout as options, and the tools that start from a number of parameters and no
 * shapes: DeepSpeed's host memory, the example of its documentation, accelerate. test_tools.c puts them beside the
 * others. */
#ifndef UNIT_CALC_ESTIMATOR_ROWS_H
#define UNIT_CALC_ESTIMATOR_ROWS_H

#include "calc_support.h"
#include "support/csv.h"

/* The row's offload as the value of --offload. */
static inline const char *row_offload(const struct csv *rows, int row) {
    const char *offload = csv_get(rows, row, "offload");
    return strstr(offload, "params+optimizer") != NULL ? "params"
           : strstr(offload, "optimizer") != NULL      ? "optimizer"
                                                       : "none";
}

static inline const char *row_zero(const struct csv *rows, int row) {
    const char *stage = csv_get(rows, row, "zero_stage");
    if (strstr(stage, "dist-opt") != NULL || strcmp(stage, "optimizer sharding") == 0) {
        return "1";
    }
    return stage[0] == '\0' ? "0" : stage;
}

/* Appends the row's layout and micro-batch to a line of options. Always true. */
static inline bool row_layout(const struct csv *rows, int row, char *line, size_t capacity) {
    (void)snprintf(
        line + strlen(line), capacity - strlen(line),
        " --micro-batch %s --dp %s --tp %s --pp %s --ep %s --cp %s --zero %s --offload %s",
        csv_get(rows, row, "micro_batch"), csv_get(rows, row, "dp"), csv_get(rows, row, "tp"),
        csv_get(rows, row, "pp"), csv_get(rows, row, "ep"), csv_get(rows, row, "cp"),
        row_zero(rows, row), row_offload(rows, row));
    return true;
}

/* Host memory of a node; `layout` is the row's as options. On several nodes DeepSpeed's second-stage estimator takes
 * the GPUs of all of them for those of one: false for those rows, and for rows without offload, which count the
 * building of the model. */
static inline bool row_host_bytes(const struct csv *rows, int row, const char *layout,
                                  double *out) {
    char params[32] = "";
    if (strcmp(row_offload(rows, row), "none") == 0 ||
        strstr(csv_get(rows, row, "note"), "DEFECT") != NULL) {
        return false;
    }
    ck_assert_int_eq(sscanf(csv_get(rows, row, "config"), "%*s %31s", params), 1);
    ck_assert(strstr(csv_get(rows, row, "config"), "gpus/node=8") != NULL);
    struct scenario s =
        legal_of("--params %s --convention deepspeed --gpus-per-node 8%s", params, layout);
    struct calc_memory m = memory_of(&s, 0);
    ck_assert(m.offloaded_per_node);
    *out = (double)m.offloaded.bytes;
    return true;
}

/* The example of DeepSpeed's documentation: t5-3b, known by two numbers (test_papers.c has the same dimensions). */
static inline double row_documented_gib(const struct csv *rows, int row) {
    struct scenario s = legal_of("--layers 48 --hidden 1024 --heads 16 --ffn 26627 --no-gated "
                                 "--vocab 31250 --tied --convention deepspeed --zero %s --dp %s",
                                 csv_get(rows, row, "zero_stage"), csv_get(rows, row, "dp"));
    struct calc_memory m = memory_of(&s, 0);
    return (double)(states_of(&m) + m.part_bytes[CALC_PART_BUFFERS]) / 1073741824.0;
}

/* accelerate: the largest phase of a step. */
static inline double row_largest_phase(const struct csv *rows, int row) {
    uintmax_t params = 0;
    ck_assert_int_eq(sscanf(csv_get(rows, row, "config"), "%*s %ju", &params), 1);
    bool fp32 = strcmp(csv_get(rows, row, "precision"), "float32") == 0;
    struct scenario s =
        legal_of("--params %ju --convention hf --precision %s", params, fp32 ? "fp32" : "fp16");
    return (double)memory_of(&s, 0).total_bytes;
}

#endif
