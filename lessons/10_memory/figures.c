/* The numbers inside the words of the memory lesson: {{weights}}, {{saving8_zero1}}. Each is computed by the
 * calculators, from the learner's scenario or from a fixed reference (7B parameters, the ZeRO paper), so no page
 * holds a number of its own. Read by whoever prints words; writes into the caller's writer.
 * A figure that the scenario does not determine is written as a dash.
 * Proof: tests/unit/lessons/test_memory_lesson.c. */
#include "memory_private.h"

#include <string.h>

#include "shardlab/base/checked.h"
#include "shardlab/base/units.h"
#include "shardlab/calc/option.h"
#include "shardlab/calc/params.h"
#include "shardlab/calc/timeline.h"

/* How many decimals bytes of a scenario and of a nominal example have. */
enum { SCENARIO_DECIMALS = 2, NOMINAL_DECIMALS = 1 };

static void write_bytes(struct writer *out, uint64_t bytes, enum unit_system system, int decimals) {
    units_write_bytes(out, bytes, system, decimals);
    writer_char(out, ' ');
    writer_text(out, units_name(system));
}

/* 112 GB rather than 112.0 GB. */
static void write_nominal(struct writer *out, uint64_t bytes, enum unit_system system) {
    char digits[64];
    struct writer w;
    writer_start(&w, digits, sizeof digits);
    units_write_bytes(&w, bytes, system, NOMINAL_DECIMALS);
    size_t length = w.length;
    if (length > 2 && strcmp(digits + length - 2, ".0") == 0) {
        length -= 2;
    }
    writer_text_n(out, digits, length);
    writer_char(out, ' ');
    writer_text(out, units_name(system));
}

/* --- From the learner's scenario ----------------------------------------------------------------------------- */

enum scenario_figure {
    FIGURE_PARAMS,
    FIGURE_BYTES_PER_PARAM,
    FIGURE_STATES_WHOLE,
    FIGURE_WEIGHTS,
    FIGURE_STATES,
    FIGURE_TOTAL,
    FIGURE_CAPACITY,
    FIGURE_WORST_STAGE,
    FIGURE_ZERO,
    FIGURE_DATA_RANKS,
    FIGURE_SAVING,
};

static bool count_params(const struct scenario *s, uint64_t *out) {
    struct calc_params params;
    struct message why;
    if (calc_params_count(s, &params, &why) != STATUS_OK) {
        return false;
    }
    *out = params.total;
    return true;
}

static bool write_of_model(const struct scenario *s, enum scenario_figure which,
                           struct writer *out) {
    uint64_t params = 0;
    uint64_t bytes = 0;
    if (which == FIGURE_BYTES_PER_PARAM) {
        memory_real_write(out, calc_state_bytes_average(s), 2);
        return true;
    }
    if (!count_params(s, &params)) {
        return false;
    }
    if (which == FIGURE_PARAMS) {
        units_write_short_count(out, params);
        return true;
    }
    /* whole bytes for what all parameters have alike, so that no digit is lost there */
    double excess = calc_state_bytes_average(s) - (double)calc_state_bytes_per_param(s);
    if (!checked_mul(params, calc_state_bytes_per_param(s), &bytes) ||
        !checked_add(bytes, (uint64_t)(excess * (double)params), &bytes)) {
        return false;
    }
    write_bytes(out, bytes, UNIT_GB, SCENARIO_DECIMALS);
    return true;
}

static bool write_of_gpu(const struct scenario *s, enum scenario_figure which, struct writer *out) {
    struct calc_memory memory;
    struct message why;
    if (calc_memory_worst(s, &memory, &why) != STATUS_OK) {
        return false;
    }
    if (which == FIGURE_WORST_STAGE) {
        writer_u64(out, memory.stage);
        return true;
    }
    uint64_t bytes = memory.total_bytes;
    if (memory.phases && which != FIGURE_TOTAL) {
        return false; /* phases have no parts */
    }
    if (which == FIGURE_WEIGHTS) {
        bytes = memory.part_bytes[CALC_PART_WEIGHTS];
    } else if (which == FIGURE_STATES) {
        /* Parts of a total that did not overflow do not either. */
        bytes = memory.part_bytes[CALC_PART_WEIGHTS] + memory.part_bytes[CALC_PART_GRADIENTS] +
                memory.part_bytes[CALC_PART_OPTIMIZER];
    }
    write_bytes(out, bytes, UNIT_GB, SCENARIO_DECIMALS);
    return true;
}

static bool write_of_scenario(const struct scenario *s, enum scenario_figure which,
                              struct writer *out) {
    uint64_t capacity = scenario_capacity_bytes(s);
    switch (which) {
    case FIGURE_PARAMS:
    case FIGURE_BYTES_PER_PARAM:
    case FIGURE_STATES_WHOLE:
        return write_of_model(s, which, out);
    case FIGURE_WEIGHTS:
    case FIGURE_STATES:
    case FIGURE_TOTAL:
    case FIGURE_WORST_STAGE:
        return write_of_gpu(s, which, out);
    case FIGURE_CAPACITY:
        if (capacity == 0) {
            return false;
        }
        write_bytes(out, capacity, UNIT_GB, SCENARIO_DECIMALS);
        return true;
    case FIGURE_ZERO:
        writer_u64(out, s->layout.zero);
        return true;
    case FIGURE_DATA_RANKS:
        writer_u64(out, s->layout.dp);
        return true;
    case FIGURE_SAVING:
        writer_fixed(
            out, calc_zero_saving(s, s->layout.zero, memory_sharding_ranks(s, s->layout.dp)), 2);
        return true;
    }
    return false;
}

/* --- The same scenario with another attention or recomputation ----------------------------------------------- */

enum { OWN_ATTENTION = -1 }; /* the scenario's */

static bool write_activations(const struct scenario *s, int attention, int recompute,
                              struct writer *out) {
    struct scenario other = *s;
    struct calc_memory memory;
    struct message why;
    other.recipe.attention = attention == OWN_ATTENTION ? s->recipe.attention : attention;
    other.recipe.recompute = recompute;
    if (calc_memory_worst(&other, &memory, &why) != STATUS_OK || !memory.activations_known) {
        return false;
    }
    write_bytes(out, memory.part_bytes[CALC_PART_ACTIVATIONS], UNIT_GB, SCENARIO_DECIMALS);
    return true;
}

/* --- The peak of one step ------------------------------------------------------------------------------------- */

enum peak_figure { PEAK_NOW, PEAK_GAP };

/* On the fullest stage; `micro_batches` in a step, 0: as the learner has it. */
static bool write_peak(const struct scenario *s, enum peak_figure which, int micro_batches,
                       struct writer *out) {
    struct scenario other = *s;
    struct calc_memory memory;
    struct calc_event peak;
    struct message why;
    if (micro_batches > 0) {
        other.batch.micro_batches = (uint64_t)micro_batches;
    }
    if (calc_memory_worst(&other, &memory, &why) != STATUS_OK) {
        return false;
    }
    if (!calc_timeline_follows(&other, &memory)) {
        return false;
    }
    calc_timeline_peak(&other, &memory, &peak);
    write_bytes(out, which == PEAK_GAP ? memory.total_bytes - peak.live_bytes : peak.live_bytes,
                UNIT_GB, SCENARIO_DECIMALS);
    return true;
}

/* --- Fixed references: 7B parameters, the conventions, the ZeRO paper ---------------------------------------- */

static bool nominal_seven(struct scenario *out) {
    struct message why;
    scenario_start(out);
    return calc_option_set(out, calc_option_index("params"), "7B", &why) == STATUS_OK &&
           calc_option_set(out, calc_option_index("convention"), "zero-paper", &why) == STATUS_OK &&
           scenario_resolve(out, out, &why) == STATUS_OK;
}

static bool write_seven(bool weights_only, enum unit_system system, struct writer *out) {
    struct scenario seven;
    struct calc_memory memory;
    struct message why;
    if (!nominal_seven(&seven) || calc_memory_worst(&seven, &memory, &why) != STATUS_OK) {
        return false;
    }
    write_nominal(out, weights_only ? memory.part_bytes[CALC_PART_WEIGHTS] : memory.total_bytes,
                  system);
    return true;
}

static bool write_split(int convention, struct writer *out) {
    struct scenario seven;
    return nominal_seven(&seven) && memory_split_write(out, &seven, convention);
}

/* The mistake: the FP32 copies of weight and gradient counted once more. */
static bool write_double_count(struct writer *out) {
    const uint64_t fp32_bytes = 4;
    struct scenario seven;
    if (!nominal_seven(&seven)) {
        return false;
    }
    writer_u64(out, calc_state_bytes_per_param(&seven) + 2 * fp32_bytes);
    return true;
}

/* The paper's saving on `ranks` GPUs; 0: its limit for many. */
static bool write_paper_saving(uint64_t stage, uint64_t ranks, struct writer *out) {
    struct scenario seven;
    if (!nominal_seven(&seven)) {
        return false;
    }
    memory_real_write(out,
                      ranks > 0 ? calc_zero_saving(&seven, stage, ranks)
                                : calc_zero_saving_limit(&seven, stage),
                      2);
    return true;
}

/* --- Names --------------------------------------------------------------------------------------------------- */

enum figure_kind {
    KIND_SCENARIO,
    KIND_ACTIVATIONS,
    KIND_PEAK,
    KIND_SEVEN,
    KIND_SPLIT,
    KIND_DOUBLE,
    KIND_SAVING
};

struct figure_row {
    const char *name;
    enum figure_kind kind;
    int a, b; /* what the kind's writer asks for */
};

static const struct figure_row figures[] = {
    {"params", KIND_SCENARIO, FIGURE_PARAMS, 0},
    {"bytes_per_param", KIND_SCENARIO, FIGURE_BYTES_PER_PARAM, 0},
    {"states_whole", KIND_SCENARIO, FIGURE_STATES_WHOLE, 0},
    {"weights", KIND_SCENARIO, FIGURE_WEIGHTS, 0},
    {"states", KIND_SCENARIO, FIGURE_STATES, 0},
    {"total", KIND_SCENARIO, FIGURE_TOTAL, 0},
    {"capacity", KIND_SCENARIO, FIGURE_CAPACITY, 0},
    {"worst_stage", KIND_SCENARIO, FIGURE_WORST_STAGE, 0},
    {"zero", KIND_SCENARIO, FIGURE_ZERO, 0},
    {"data_ranks", KIND_SCENARIO, FIGURE_DATA_RANKS, 0},
    {"saving", KIND_SCENARIO, FIGURE_SAVING, 0},
    {"activations_standard", KIND_ACTIVATIONS, CALC_ATTENTION_STANDARD, CALC_RECOMPUTE_NONE},
    {"activations_flash", KIND_ACTIVATIONS, CALC_ATTENTION_FLASH, CALC_RECOMPUTE_NONE},
    {"activations_full", KIND_ACTIVATIONS, OWN_ATTENTION, CALC_RECOMPUTE_FULL},
    {"peak", KIND_PEAK, PEAK_NOW, 0},
    {"peak_gap", KIND_PEAK, PEAK_GAP, 0},
    {"peak_one", KIND_PEAK, PEAK_NOW, 1},
    {"peak_four", KIND_PEAK, PEAK_NOW, 4},
    {"seven_weights", KIND_SEVEN, true, UNIT_GB},
    {"seven_total", KIND_SEVEN, false, UNIT_GB},
    {"seven_total_gib", KIND_SEVEN, false, UNIT_GIB},
    {"split_paper", KIND_SPLIT, CALC_CONVENTION_ZERO_PAPER, 0},
    {"split_megatron", KIND_SPLIT, CALC_CONVENTION_MEGATRON, 0},
    {"split_deepspeed", KIND_SPLIT, CALC_CONVENTION_DEEPSPEED, 0},
    {"split_fsdp", KIND_SPLIT, CALC_CONVENTION_FSDP, 0},
    {"split_hf", KIND_SPLIT, CALC_CONVENTION_HF, 0},
    {"double_count", KIND_DOUBLE, 0, 0},
    {"saving8_zero1", KIND_SAVING, 1, 8},
    {"saving8_zero2", KIND_SAVING, 2, 8},
    {"limit_zero1", KIND_SAVING, 1, 0},
    {"limit_zero2", KIND_SAVING, 2, 0},
};

static bool write_row(const struct figure_row *row, const struct scenario *s, struct writer *out) {
    switch (row->kind) {
    case KIND_SCENARIO:
        return write_of_scenario(s, (enum scenario_figure)row->a, out);
    case KIND_ACTIVATIONS:
        return write_activations(s, row->a, row->b, out);
    case KIND_PEAK:
        return write_peak(s, (enum peak_figure)row->a, row->b, out);
    case KIND_SEVEN:
        return write_seven(row->a != 0, (enum unit_system)row->b, out);
    case KIND_SPLIT:
        return write_split(row->a, out);
    case KIND_DOUBLE:
        return write_double_count(out);
    case KIND_SAVING:
        return write_paper_saving((uint64_t)row->a, (uint64_t)row->b, out);
    }
    return false;
}

bool memory_figure(const struct lesson_input *in, const char *name, struct writer *out) {
    for (size_t i = 0; i < sizeof(figures) / sizeof(figures[0]); i++) {
        if (strcmp(figures[i].name, name) == 0) {
            if (!write_row(&figures[i], in->now, out)) {
                writer_text(out, "—");
            }
            return true;
        }
    }
    return false;
}
