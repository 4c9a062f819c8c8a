/* The numbers inside the words of the lesson on offload: {{host}}, {{slow_nvme}}. From the learner's scenario or from the
 * sizes that a source names, always through the calculators; two rates were measured by others and stand here with their
 * source. What a scenario does not determine is a dash. Writes into the caller's writer.
 * Proof: tests/unit/lessons/test_offload_lesson.c. */
#include <string.h>

#include "offload_private.h"
#include "shardlab/base/units.h"
#include "shardlab/calc/option.h"
#include "shardlab/calc/params.h"

typedef bool (*figure_writer)(const struct scenario *s, int a, struct writer *out);

struct figure_row {
    const char *name;
    figure_writer write;
    int a;
};

static bool write_bytes(struct writer *out, uint64_t bytes, int decimals) {
    units_write_bytes(out, bytes, UNIT_GB, decimals);
    writer_text(out, " GB");
    return true;
}

static bool write_real(struct writer *out, double value, int decimals) {
    writer_fixed(out, value, decimals);
    return true;
}

static bool write_seconds(struct writer *out, double seconds) {
    writer_fixed(out, seconds, seconds < 10 ? 2 : 1);
    writer_text(out, " s");
    return true;
}

static bool memory_with(const struct scenario *s, enum offload_way way, struct calc_memory *out) {
    struct scenario other;
    struct message unused;
    return offload_with(s, way, &other) && calc_memory_worst(&other, out, &unused) == STATUS_OK;
}

/* --- page 1 --- */

static bool write_params(const struct scenario *s, int a, struct writer *out) {
    struct calc_params params;
    struct message unused;
    (void)a;
    if (calc_params_count(s, &params, &unused) != STATUS_OK) {
        return false;
    }
    units_write_short_count(out, params.total);
    return true;
}

static bool write_total(const struct scenario *s, int way, struct writer *out) {
    struct calc_memory memory;
    return memory_with(s, (enum offload_way)way, &memory) &&
           write_bytes(out, memory.total_bytes, 2);
}

static bool write_elsewhere(const struct scenario *s, int way, struct writer *out) {
    struct calc_memory memory;
    return memory_with(s, (enum offload_way)way, &memory) &&
           write_bytes(out, memory.offloaded.bytes, 2);
}

/* DeepSpeed's stage 3 with everything in the host's memory, for 40 billion parameters on one GPU (its post of 2021-03-08):
 * what its estimator wants of the node. */
static bool write_forty(const struct scenario *s, int a, struct writer *out) {
    static const char *const pairs[][2] = {
        {"params", "40B"}, {"convention", "deepspeed"}, {"zero", "3"}, {"offload", "params"}};
    struct scenario forty;
    struct calc_memory memory;
    struct message unused;
    (void)s;
    (void)a;
    scenario_start(&forty);
    for (size_t i = 0; i < sizeof pairs / sizeof pairs[0]; i++) {
        if (calc_option_set(&forty, calc_option_index(pairs[i][0]), pairs[i][1], &unused) !=
            STATUS_OK) {
            return false;
        }
    }
    return scenario_resolve(&forty, &forty, &unused) == STATUS_OK &&
           calc_memory_worst(&forty, &memory, &unused) == STATUS_OK &&
           write_bytes(out, memory.offloaded.bytes, 0);
}

/* --- page 2 and 3 --- */

static bool step_with(const struct scenario *s, enum offload_way way, struct offload_step *out) {
    struct scenario other;
    return offload_with(s, way, &other) && offload_step(&other, out);
}

/* Trimmed: 4 rather than 4.00. */
static bool write_per_parameter(const struct scenario *s, int disks, struct writer *out) {
    struct offload_step step;
    if (!step_with(s, OFFLOAD_WAY_OPTIMIZER_NVME, &step) || step.parameters <= 0) {
        return false;
    }
    double bytes = offload_per_parameter(&step, disks != 0);
    bool whole = bytes - (double)(uint64_t)(bytes + 0.005) < 0.005;
    return write_real(out, bytes, whole ? 0 : 2);
}

enum time_figure { TIME_COMPUTE, TIME_PCIE, TIME_NVME };

static bool write_time(const struct scenario *s, int which, struct writer *out) {
    struct offload_step step;
    if (!step_with(s, OFFLOAD_WAY_OPTIMIZER_NVME, &step) || !step.known) {
        return false;
    }
    double pcie = step.seconds[OFFLOAD_OUT] + step.seconds[OFFLOAD_IN];
    double nvme = step.seconds[OFFLOAD_WRITTEN] + step.seconds[OFFLOAD_READ];
    return write_seconds(out, which == TIME_COMPUTE ? step.compute_s
                              : which == TIME_PCIE  ? pcie
                                                    : nvme);
}

static bool write_rate(const struct scenario *s, int nvme, struct writer *out) {
    double rate = nvme != 0 ? s->cluster.nvme_gb_per_s : s->cluster.pcie_gb_per_s;
    if (rate <= 0) {
        return false;
    }
    writer_real(out, rate);
    return true;
}

static bool write_slow(const struct scenario *s, int way, struct writer *out) {
    struct scenario other;
    double times;
    return offload_with(s, (enum offload_way)way, &other) && offload_slowdown(&other, &times) &&
           write_real(out, times, 2);
}

/* --- page 4: to the CPU, with this many micro-batches a step --- */

static bool write_slow_with(const struct scenario *s, int micro_batches, struct writer *out) {
    struct scenario other = *s;
    other.batch.micro_batches = (uint64_t)micro_batches;
    return write_slow(&other, OFFLOAD_WAY_OPTIMIZER_CPU, out);
}

/* --- page 5: the small model, on the learner's card --- */

/* Tokens a second at the largest micro-batch, recomputed in full only where nothing else fits. */
static bool fastest(const struct scenario *s, enum offload_way way, double *rate) {
    struct scenario other;
    uint64_t micro_batch;
    if (!offload_with(s, way, &other)) {
        return false;
    }
    other.recipe.recompute = CALC_RECOMPUTE_NONE;
    if (offload_rate_at_largest(&other, &micro_batch, rate)) {
        return true;
    }
    other.recipe.recompute = CALC_RECOMPUTE_FULL;
    return offload_rate_at_largest(&other, &micro_batch, rate);
}

static bool write_small(const struct scenario *s, int params, struct writer *out) {
    struct scenario small;
    double with, without;
    if (!offload_small_model(s, &small)) {
        return false;
    }
    if (params != 0) {
        return write_params(&small, 0, out);
    }
    return fastest(&small, OFFLOAD_WAY_NONE, &without) &&
           fastest(&small, OFFLOAD_WAY_OPTIMIZER_CPU, &with) && write_real(out, with / without, 2);
}

/* ZeRO-Offload, arXiv:2101.06840: TFLOP/s on one V100 of 32 GB, with offload at 10 billion parameters and with PyTorch
 * alone at its limit of 1.4 billion. */
static bool write_paper(const struct scenario *s, int with, struct writer *out) {
    (void)s;
    writer_u64(out, with != 0 ? 40 : 30);
    return true;
}

static const struct figure_row figures[] = {
    {"params", write_params, 0},
    {"total_none", write_total, OFFLOAD_WAY_NONE},
    {"total_cpu", write_total, OFFLOAD_WAY_OPTIMIZER_CPU},
    {"host", write_elsewhere, OFFLOAD_WAY_OPTIMIZER_CPU},
    {"forty_host", write_forty, 0},
    {"pcie_bytes", write_per_parameter, 0},
    {"nvme_bytes", write_per_parameter, 1},
    {"compute_s", write_time, TIME_COMPUTE},
    {"pcie_s", write_time, TIME_PCIE},
    {"nvme_s", write_time, TIME_NVME},
    {"pcie_rate", write_rate, 0},
    {"nvme_rate", write_rate, 1},
    {"slow_cpu", write_slow, OFFLOAD_WAY_OPTIMIZER_CPU},
    {"slow_nvme", write_slow, OFFLOAD_WAY_OPTIMIZER_NVME},
    {"slow_one", write_slow_with, 1},
    {"slow_many", write_slow_with, 64},
    {"small_params", write_small, 1},
    {"small_faster", write_small, 0},
    {"paper_with", write_paper, 1},
    {"paper_without", write_paper, 0},
};

bool offload_figure(const struct lesson_input *in, const char *name, struct writer *out) {
    for (size_t i = 0; i < sizeof figures / sizeof figures[0]; i++) {
        if (strcmp(figures[i].name, name) == 0) {
            if (!figures[i].write(in->now, figures[i].a, out)) {
                writer_text(out, "—");
            }
            return true;
        }
    }
    return false;
}
