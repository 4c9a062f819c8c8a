/* What offload costs: one step of one GPU under each way to offload, in bytes and seconds, and how much fits beside it.
 * Bytes, times and what computation hides are calc/comm.h's, sizes calc/memory.h's; here they are added up by link and
 * direction, and the scenario is varied. Left out, as there: the CPU's own Adam. Pure; fills the caller's structs.
 * Proof: tests/unit/lessons/test_offload_lesson.c. */
#include <string.h>

#include "offload_private.h"
#include "shardlab/base/checked.h"
#include "shardlab/calc/comm.h"
#include "shardlab/calc/option.h"
#include "shardlab/calc/params.h"

const char *offload_way_name(enum offload_way way) {
    static const char *const names[OFFLOAD_WAYS] = {"none", "optimizer-cpu", "optimizer-nvme",
                                                    "params-cpu", "params-nvme"};
    return names[way];
}

enum offload_way offload_way_of(const struct scenario *s) {
    bool disks = s->layout.offload_to == CALC_OFFLOAD_TO_NVME;
    switch ((enum calc_offload)s->layout.offload) {
    case CALC_OFFLOAD_NONE:
        return OFFLOAD_WAY_NONE;
    case CALC_OFFLOAD_OPTIMIZER:
        return disks ? OFFLOAD_WAY_OPTIMIZER_NVME : OFFLOAD_WAY_OPTIMIZER_CPU;
    case CALC_OFFLOAD_PARAMS:
        break;
    }
    return disks ? OFFLOAD_WAY_PARAMS_NVME : OFFLOAD_WAY_PARAMS_CPU;
}

bool offload_with(const struct scenario *s, enum offload_way way, struct scenario *out) {
    bool disks = way == OFFLOAD_WAY_OPTIMIZER_NVME || way == OFFLOAD_WAY_PARAMS_NVME;
    struct message unused;
    *out = *s;
    out->layout.offload = way == OFFLOAD_WAY_NONE        ? CALC_OFFLOAD_NONE
                          : way < OFFLOAD_WAY_PARAMS_CPU ? CALC_OFFLOAD_OPTIMIZER
                                                         : CALC_OFFLOAD_PARAMS;
    out->layout.offload_to = disks ? CALC_OFFLOAD_TO_NVME : CALC_OFFLOAD_TO_CPU;
    return scenario_violations(out, &unused, 1) == 0;
}

static enum offload_move move_of(const struct calc_comm_row *row) {
    bool write = row->collective == CALC_WRITE;
    if (row->link == CALC_LINK_NVME) {
        return write ? OFFLOAD_WRITTEN : OFFLOAD_READ;
    }
    return write ? OFFLOAD_OUT : OFFLOAD_IN;
}

/* Parameters that this GPU steps: from ZeRO 1 on its share. */
static double updated(const struct scenario *s, uint64_t stage) {
    uint64_t params = 0, ranks = s->layout.dp;
    struct message unused;
    if (calc_params_on_stage(s, stage, &params, &unused) != STATUS_OK) {
        return 0;
    }
    if (s->convention == CALC_CONVENTION_MEGATRON) {
        ranks *= s->layout.cp;
    }
    return s->layout.zero == 0 ? (double)params : (double)checked_div_up(params, ranks);
}

bool offload_step(const struct scenario *s, struct offload_step *out) {
    struct calc_comm comm;
    struct message unused;
    memset(out, 0, sizeof *out);
    if (calc_comm_step(s, &comm, &unused) != STATUS_OK) {
        return false;
    }
    out->links_known = true;
    for (int i = 0; i < comm.row_count; i++) {
        const struct calc_comm_row *row = &comm.rows[i];
        if (row->axis != CALC_AXIS_OFFLOAD || row->sent_bytes == 0) {
            continue;
        }
        enum offload_move move = move_of(row);
        out->bytes[move] += row->sent_bytes;
        out->seconds[move] += row->time_known ? row->time_s : 0;
        out->links_known = out->links_known && row->time_known;
    }
    out->known = out->links_known && comm.compute_known && comm.exposed_known;
    out->compute_s = comm.compute_s;
    out->exposed_s = comm.exposed_s;
    out->step_s = comm.compute_s + comm.exposed_s;
    out->tokens =
        (double)s->batch.seq * (double)s->batch.micro_batch * (double)s->batch.micro_batches;
    out->parameters = updated(s, comm.stage);
    return true;
}

double offload_per_parameter(const struct offload_step *step, bool disks) {
    uint64_t bytes = disks ? step->bytes[OFFLOAD_WRITTEN] + step->bytes[OFFLOAD_READ]
                           : step->bytes[OFFLOAD_OUT] + step->bytes[OFFLOAD_IN];
    return step->parameters > 0 ? (double)bytes / step->parameters : 0;
}

bool offload_slowdown(const struct scenario *s, double *times) {
    struct offload_step step;
    if (!offload_step(s, &step) || !step.known || step.compute_s <= 0) {
        return false;
    }
    *times = step.step_s / step.compute_s;
    return true;
}

static bool fits(const struct scenario *s, uint64_t micro_batch) {
    struct scenario other = *s;
    struct calc_memory memory;
    struct message unused;
    other.batch.micro_batch = micro_batch;
    return calc_memory_worst(&other, &memory, &unused) == STATUS_OK && memory.activations_known &&
           memory.total_bytes <= scenario_capacity_bytes(s);
}

uint64_t offload_largest(const struct scenario *s) {
    const uint64_t most = UINT64_C(1) << 20;
    uint64_t low = 0, high = 1; /* low fits or is nothing; high may not */
    while (high <= most && fits(s, high)) {
        low = high;
        high *= 2;
    }
    while (high - low > 1) {
        uint64_t middle = low + (high - low) / 2;
        bool there = fits(s, middle);
        low = there ? middle : low;
        high = there ? high : middle;
    }
    return low;
}

bool offload_rate_at_largest(const struct scenario *s, uint64_t *micro_batch, double *rate) {
    struct scenario full = *s;
    struct offload_step step;
    *micro_batch = offload_largest(s);
    if (*micro_batch == 0) {
        return false;
    }
    full.batch.micro_batch = *micro_batch;
    if (!offload_step(&full, &step) || !step.known || step.step_s <= 0) {
        return false;
    }
    *rate = step.tokens / step.step_s;
    return true;
}

bool offload_small_model(const struct scenario *s, struct scenario *out) {
    static const char *const pairs[][2] = {
        {"layers", "28"}, {"hidden", "1536"},     {"heads", "12"}, {"kv-heads", "2"},
        {"ffn", "8960"},  {"vocab", "151936"},    {"tied", "yes"}, {"bias", "qkv"},
        {"seq", "4096"},  {"micro-batches", "4"},
    };
    struct message unused;
    scenario_start(out);
    for (size_t i = 0; i < sizeof pairs / sizeof pairs[0]; i++) {
        if (calc_option_set(out, calc_option_index(pairs[i][0]), pairs[i][1], &unused) !=
            STATUS_OK) {
            return false;
        }
    }
    if (scenario_resolve(out, out, &unused) != STATUS_OK) {
        return false;
    }
    out->cluster = s->cluster;
    out->recipe.precision = s->recipe.precision;
    return scenario_violations(out, &unused, 1) == 0;
}
