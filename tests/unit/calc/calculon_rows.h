/* From a row of vectors_calculators.csv to a scenario, and the rows of Calculon, which counts the layers alone: their
 * states and activations are taken from differences and terms. For test_tools.c, which fills both tables. */
#ifndef UNIT_CALC_CALCULON_ROWS_H
#define UNIT_CALC_CALCULON_ROWS_H

#include <stdlib.h>

#include "calc_support.h"
#include "estimator_rows.h"
#include "preset_line.h"
#include "support/csv.h"

static struct csv tools, presets;

static inline const char *cell(int row, const char *column) {
    return csv_get(&tools, row, column);
}

static inline bool begins(const char *text, const char *with) {
    return strncmp(text, with, strlen(with)) == 0;
}

/* --- From a row to a scenario --------------------------------------------------------------------------------- */

/* What a config's words change about the preset that it begins with. */
static const struct {
    const char *words, *options;
} changes[] = {
    {"v=51200", " --vocab 51200"},
    {"cut to 12 layers", " --layers 12"},
    {"cut to 4 layers (1 dense)", " --layers 4 --dense-layers 1"},
    {"variant (16 kv heads) cut to 4 layers", " --kv-heads 16 --layers 4"},
    {"s=131072", " --seq 131072"},
    {"s=32768", " --seq 32768"},
    {"s=8192", " --seq 8192"},
    {"s=4096", " --seq 4096"},
    {"s=2048", " --seq 2048"},
    {"interleave=3", " --chunks 3"},
};

/* The model of the row; false when it is not a preset. */
static inline bool write_model(int row, char *line, size_t capacity) {
    const char *config = cell(row, "config");
    int preset = preset_find(&presets, config, strcspn(config, " "));
    if (preset < 0) {
        return false;
    }
    preset_line(&presets, preset, line, capacity);
    for (int i = 0; i < ROWS(changes); i++) {
        if (strstr(config, changes[i].words) != NULL) {
            (void)snprintf(line + strlen(line), capacity - strlen(line), "%s", changes[i].options);
        }
    }
    return true;
}

/* The whole row with more options behind it; false when it has no scenario. */
static inline bool scenario_of_row(int row, const char *more, struct scenario *out) {
    char line[1024] = "";
    bool known = write_model(row, line, sizeof line) && row_layout(&tools, row, line, sizeof line);
    if (known) {
        *out = legal_of("%s%s", line, more);
    }
    return known;
}

struct answer {
    double value;
    double tolerance; /* absolute */
};

static const double gib = 1073741824.0;

/* The matrices of the layers without embedding, head and norms. */
static inline bool matrices_of_row(int row, uint64_t *out) {
    char line[1024] = "";
    if (!write_model(row, line, sizeof line)) {
        return false;
    }
    struct scenario s = legal_of("%s --bias none", line);
    *out = matrices_of(&s);
    return true;
}

/* Figure 1 of arXiv 2205.05198: 18 bytes for each element of the layers' matrices. */
static inline bool figure1_states(int row, struct answer *a) {
    uint64_t matrices = 0;
    if (!matrices_of_row(row, &matrices)) {
        return false;
    }
    struct scenario s = legal_of("--params %ju --grad-bytes 4 --tp %s --pp %s", (uintmax_t)matrices,
                                 cell(row, "tp"), cell(row, "pp"));
    a->value = (double)memory_of(&s, 0).total_bytes / gib;
    a->tolerance = 5e-7;
    return true;
}

static inline bool figure1_activations(int row, struct answer *a) {
    struct scenario s;
    bool selective = begins(cell(row, "recompute"), "selective");
    if (!scenario_of_row(row,
                         selective ? " --attention standard --dropout --recompute selective "
                                     "--sequence-parallel"
                                   : " --attention standard --dropout",
                         &s)) {
        return false;
    }
    struct calc_memory m = memory_of(&s, 0);
    a->value = (double)layers_kept_of(&m) / gib;
    a->tolerance = 6e-7;
    return true;
}

/* One example of Calculon by the rows that it counts as we do. It leaves the embedding out, so weights and optimizer
 * are those of an inner stage; the checkpoints of the first stage are not divided by tp. */
static inline bool calculon_example(int row, struct answer *a) {
    struct scenario s;
    if (!begins(cell(row, "config"), "megatron-1t example") ||
        !scenario_of_row(row, " --seq 2048 --recompute full", &s)) {
        return false;
    }
    struct calc_memory first = memory_of(&s, 0), inner = memory_of(&s, 1);
    const char *quantity = cell(row, "quantity");
    a->value = (double)(begins(quantity, "weights") ? inner.part_bytes[CALC_PART_WEIGHTS]
                        : begins(quantity, "optim") ? inner.part_bytes[CALC_PART_OPTIMIZER]
                                                    : term_of(&first, "activations.checkpoints")) /
               gib;
    a->tolerance = 0.0006;
    return true;
}

/* Calculon keeps, beside 16 bytes a parameter of its layers (norms, no biases, no embedding), one layer's gradients as
 * the block at work; with its optimizer sharding they are shared among the data ranks. Everything is a difference of
 * two scenarios that differ by a layer. */
static inline bool calculon_states(int row, struct answer *a) {
    char line[1024] = "";
    if (!write_model(row, line, sizeof line)) {
        return false;
    }
    struct scenario s = legal_of("%s --bias none --tp %s", line, cell(row, "tp"));
    uint64_t layers = s.model.layers / strtoull(cell(row, "pp"), NULL, 10);
    struct scenario one =
        legal_of("%s --bias none --tp %s --layers 1 --chunks 1", line, cell(row, "tp"));
    struct scenario two =
        legal_of("%s --bias none --tp %s --layers 2 --chunks 1", line, cell(row, "tp"));
    struct calc_memory less = memory_of(&one, 0), more = memory_of(&two, 0);
    uint64_t states = states_of(&more) - states_of(&less);
    uint64_t gradients =
        more.part_bytes[CALC_PART_GRADIENTS] - less.part_bytes[CALC_PART_GRADIENTS];
    bool sharded = begins(cell(row, "zero_stage"), "optimizer sharding");
    double working = (double)gradients / (sharded ? strtod(cell(row, "dp"), NULL) : 1.0);
    a->value = ((double)(layers * (begins(cell(row, "quantity"), "grad") ? gradients : states)) +
                working) /
               gib;
    a->tolerance = 0.005; /* two decimals are printed */
    return true;
}

#endif
