/* A row of the reference table of models (model_presets.csv) as options of the command line. */
#ifndef UNIT_CALC_PRESET_LINE_H
#define UNIT_CALC_PRESET_LINE_H

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "support/csv.h"

static inline bool preset_has_experts(const struct csv *presets, int row) {
    return csv_get(presets, row, "experts")[0] != '\0';
}

/* Falcon's cell is empty; its computed count is that of a tied head. */
static inline bool preset_is_tied(const struct csv *presets, int row) {
    return strcmp(csv_get(presets, row, "tied_embeddings"), "yes") == 0 ||
           strcmp(csv_get(presets, row, "family"), "Falcon") == 0;
}

/* The row called `name` (its first `length` bytes), or -1. */
static inline int preset_find(const struct csv *presets, const char *name, size_t length) {
    for (int row = 0; row < presets->rows; row++) {
        const char *cell = csv_get(presets, row, "name");
        if (strlen(cell) == length && memcmp(cell, name, length) == 0) {
            return row;
        }
    }
    return -1;
}

static inline void preset_line(const struct csv *presets, int row, char *line, size_t capacity) {
    const char *norm = csv_get(presets, row, "norm"), *bias = csv_get(presets, row, "linear_bias");
    const char *family = csv_get(presets, row, "family");
    bool learned = strcmp(csv_get(presets, row, "position"), "learned") == 0;
    int length = 0;
    static const char *const columns[][2] = {{"layers", "layers"},
                                             {"hidden", "hidden"},
                                             {"heads", "heads"},
                                             {"kv_heads", "kv-heads"},
                                             {"head_dim", "head-dim"},
                                             {"ffn", "ffn"},
                                             {"vocab", "vocab"},
                                             {"max_seq", "max-seq"},
                                             {"experts", "experts"},
                                             {"experts_active", "experts-active"},
                                             {"shared_experts", "experts-shared"},
                                             {"moe_ffn", "moe-ffn"},
                                             {"dense_layers", "dense-layers"},
                                             {"q_lora_rank", "q-rank"},
                                             {"kv_lora_rank", "kv-rank"},
                                             {"qk_nope_dim", "qk-nope"},
                                             {"qk_rope_dim", "qk-rope"},
                                             {"v_head_dim", "v-head"}};
    for (size_t i = 0; i < sizeof columns / sizeof columns[0]; i++) {
        const char *cell = csv_get(presets, row, columns[i][0]);
        if (cell[0] != '\0') {
            length += snprintf(line + length, capacity - (size_t)length, "%s--%s %s",
                               i == 0 ? "" : " ", columns[i][1], cell);
        }
    }
    (void)snprintf(line + length, capacity - (size_t)length,
                   " --norm %s --norms %d%s%s --bias %s --position %s --%s%s%s",
                   strncmp(norm, "RMS", 3) == 0 ? "rms" : "layer",
                   strcmp(norm, "RMSNorm, 4 per layer") == 0 ? 4 : 2,
                   strstr(norm, "QK norm") != NULL ? " --qk-norm" : "",
                   strncmp(csv_get(presets, row, "ffn_gated"), "yes", 3) == 0 ? " --gated"
                                                                              : " --no-gated",
                   strcmp(bias, "yes") == 0  ? "all"
                   : strcmp(bias, "no") == 0 ? "none"
                                             : "qkv",
                   learned                                                   ? "learned"
                   : strcmp(csv_get(presets, row, "position"), "ALiBi") == 0 ? "alibi"
                                                                             : "rope",
                   preset_is_tied(presets, row) ? "tied" : "untied",
                   strcmp(family, "BLOOM") == 0 ? " --embedding-norm" : "",
                   strcmp(family, "OPT") == 0 ? " --position-rows 2050" : "");
}

#endif
