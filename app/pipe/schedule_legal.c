/* Which combinations of schedule, ranks, micro-batches and chunks are legal, and who says so. A combination that no
 * framework runs is an error with the rule, the value and what would be right; one that some run and others refuse
 * is legal and gets a note. Called before every build, and by whoever validates options.
 * Sources, by commit: NVIDIA/Megatron-LM d98e8a64, pytorch/pytorch 00722e648b (schedules.py), sail-sg/zero-bubble-
 * pipeline-parallelism 39f2c186, deepseek-ai/DualPipe 3da1bbe, Shigangli/Chimera 6b78ac7; arXiv:2401.10241 for ZB-H2.
 * Proof: tests/unit/pipe/test_schedule_legal.c. */
#include <stddef.h>

#include "schedule_private.h"

/* What a schedule asks of its shape. */
struct demand {
    uint32_t chunks_least, chunks_most; /* equal: fixed */
    uint32_t chunks_default;
    int placement;
};

static const struct demand demands[PIPE_SCHEDULES] = {
    [PIPE_GPIPE] = {1, 1, 1, PIPE_LOOP},
    [PIPE_1F1B] = {1, 1, 1, PIPE_LOOP},
    [PIPE_INTERLEAVED] = {2, PIPE_CHUNKS_MAX, 2, PIPE_LOOP},
    [PIPE_LOOPED_BFS] = {1, PIPE_CHUNKS_MAX, 2, PIPE_LOOP},
    [PIPE_ZB_H1] = {1, 1, 1, PIPE_LOOP},
    [PIPE_ZB_H2] = {1, 1, 1, PIPE_LOOP},
    [PIPE_ZB_INTERLEAVED] = {2, PIPE_CHUNKS_MAX, 2, PIPE_LOOP},
    [PIPE_ZB_V] = {2, 2, 2, PIPE_V},
    [PIPE_DUALPIPE] = {1, 1, 1, PIPE_BOTH},
    [PIPE_DUALPIPEV] = {2, 2, 2, PIPE_V},
    [PIPE_CHIMERA] = {1, 1, 1, PIPE_BOTH},
};

static enum status refuse(struct message *why, const char *id, const struct pipe_request *r) {
    message_start(why, id);
    message_add_text(why, pipe_schedule_name(r->schedule));
    return STATUS_USAGE;
}

static enum status check_limit(const char *option, uint32_t value, uint32_t most,
                               struct message *why) {
    if (value >= 1 && value <= most) {
        return STATUS_OK;
    }
    message_start(why, "error.pipe.limit");
    message_add_text(why, option);
    message_add_plain(why, value);
    message_add_plain(why, most);
    return STATUS_USAGE;
}

static enum status check_chunks(const struct pipe_request *r, struct message *why) {
    const struct demand *d = &demands[r->schedule];
    bool fixed = d->chunks_least == d->chunks_most;
    if (fixed && r->chunks != d->chunks_least) {
        (void)refuse(why, "error.pipe.chunks_fixed", r);
        message_add_plain(why, d->chunks_least);
        message_add_plain(why, r->chunks);
        return STATUS_USAGE;
    }
    enum status ok = check_limit("--chunks", r->chunks, PIPE_CHUNKS_MAX, why);
    if (ok == STATUS_OK && r->chunks < d->chunks_least) {
        (void)refuse(why, "error.pipe.chunks_least", r);
        message_add_plain(why, d->chunks_least);
        message_add_plain(why, r->chunks);
        message_add_text(
            why, pipe_schedule_name(r->schedule == PIPE_INTERLEAVED ? PIPE_1F1B : PIPE_ZB_H1));
        return STATUS_USAGE;
    }
    return ok;
}

/* Schedules whose first ranks run `least` forwards before anything else. */
static enum status check_least(const struct pipe_request *r, uint32_t least, const char *formula,
                               const char *who, struct message *why) {
    if (r->micro_batches >= least) {
        return STATUS_OK;
    }
    (void)refuse(why, "error.pipe.micro_batches_least", r);
    message_add_plain(why, r->ranks);
    message_add_text(why, formula);
    message_add_plain(why, least);
    message_add_plain(why, r->micro_batches);
    message_add_text(why, who);
    return STATUS_USAGE;
}

static enum status check_even(const struct pipe_request *r, const char *option, uint32_t value,
                              struct message *why) {
    if (value % 2 == 0) {
        return STATUS_OK;
    }
    (void)refuse(why, "error.pipe.even", r);
    message_add_text(why, option);
    message_add_plain(why, value);
    message_add_text(why, r->schedule == PIPE_CHIMERA ? "Chimera" : "DeepSeek DualPipe");
    return STATUS_USAGE;
}

static enum status check_dualpipe(const struct pipe_request *r, struct message *why) {
    enum status ok = check_even(r, "--stages", r->ranks, why);
    ok = ok == STATUS_OK ? check_even(r, "--micro-batches", r->micro_batches, why) : ok;
    return ok == STATUS_OK ? check_least(r, 2 * r->ranks, "2p", "DeepSeek DualPipe", why) : ok;
}

/* Whole blocks of p micro-batches. */
static enum status check_chimera(const struct pipe_request *r, struct message *why) {
    enum status ok = check_even(r, "--stages", r->ranks, why);
    if (ok != STATUS_OK || r->micro_batches % r->ranks == 0) {
        return ok;
    }
    uint32_t whole = r->micro_batches / r->ranks;
    uint32_t below = r->ranks * (whole == 0 ? 1 : whole);
    (void)refuse(why, "error.pipe.blocks", r);
    message_add_plain(why, r->micro_batches);
    message_add_plain(why, r->ranks);
    message_add_plain(why, below);
    message_add_plain(why, below + r->ranks);
    return STATUS_USAGE;
}

/* torch's rule for a ragged m: as many rounds as whole pipelines fit, all of equal length. */
static enum status check_rounds(const struct pipe_request *r, struct message *why) {
    if (schedule_torch_group(r->ranks, r->micro_batches) != 0) {
        return STATUS_OK;
    }
    uint32_t below = r->micro_batches / r->ranks * r->ranks;
    (void)refuse(why, "error.pipe.rounds", r);
    message_add_plain(why, r->micro_batches);
    message_add_plain(why, r->ranks);
    message_add_plain(why, r->micro_batches / r->ranks);
    message_add_plain(why, below);
    message_add_plain(why, below + r->ranks);
    return STATUS_USAGE;
}

/* Megatron-LM: p ≤ G ≤ m, and a last group that is whole or has p at least. */
static bool megatron_group(const struct pipe_request *r, uint32_t group) {
    uint32_t rest = r->micro_batches % group;
    return group >= r->ranks && group <= r->micro_batches && (rest == 0 || rest >= r->ranks);
}

static enum status check_group(const struct pipe_request *r, struct message *why) {
    if (r->group == schedule_torch_group(r->ranks, r->micro_batches) ||
        megatron_group(r, r->group)) {
        return STATUS_OK;
    }
    bool outside = r->group < r->ranks || r->group > r->micro_batches;
    message_start(why, outside ? "error.pipe.group_range" : "error.pipe.group_rest");
    message_add_plain(why, r->group);
    message_add_plain(why, r->ranks);
    message_add_plain(why, r->micro_batches);
    if (!outside) {
        message_add_plain(why, r->micro_batches % r->group);
    }
    return STATUS_USAGE;
}

static enum status settle_group(const struct pipe_request *in, struct pipe_request *r,
                                struct message *why) {
    if (in->group != 0 && in->schedule != PIPE_INTERLEAVED) {
        return refuse(why, "error.pipe.group_only", in);
    }
    if (in->group != 0) {
        return check_group(r, why);
    }
    r->group = r->micro_batches;
    if (r->schedule == PIPE_INTERLEAVED || r->schedule == PIPE_ZB_INTERLEAVED) {
        r->group = schedule_torch_group(r->ranks, r->micro_batches); /* p where p divides m */
        return check_rounds(r, why);
    }
    return STATUS_OK;
}

static enum status check_micro_batches(const struct pipe_request *r, struct message *why) {
    switch (r->schedule) {
    case PIPE_ZB_H2:
        return check_least(r, 2 * r->ranks - 1, "2p − 1", "ZB-H2 (arXiv:2401.10241)", why);
    case PIPE_DUALPIPE:
        return check_dualpipe(r, why);
    case PIPE_DUALPIPEV:
        return check_least(r, 2 * r->ranks, "2p", "DeepSeek DualPipeV", why);
    case PIPE_CHIMERA:
        return check_chimera(r, why);
    default:
        return STATUS_OK;
    }
}

enum status pipe_request_settle(const struct pipe_request *in, struct pipe_request *out,
                                struct pipe_shape *shape, struct message *why) {
    struct pipe_request r = *in;
    const struct demand *d = &demands[r.schedule];
    r.chunks = r.chunks == 0 ? d->chunks_default : r.chunks;
    enum status ok = check_limit("--stages", r.ranks, PIPE_RANKS_MAX, why);
    if (ok == STATUS_OK) {
        ok = check_limit("--micro-batches", r.micro_batches, PIPE_MICRO_BATCHES_MAX, why);
    }
    ok = ok == STATUS_OK ? check_chunks(&r, why) : ok;
    ok = ok == STATUS_OK ? check_micro_batches(&r, why) : ok;
    ok = ok == STATUS_OK ? settle_group(in, &r, why) : ok;
    if (ok != STATUS_OK) {
        return ok;
    }
    *out = r;
    *shape = (struct pipe_shape){.ranks = r.ranks,
                                 .micro_batches = r.micro_batches,
                                 .chunks = d->placement == PIPE_BOTH ? 2 : r.chunks,
                                 .placement = d->placement};
    return STATUS_OK;
}

struct notes {
    struct message *out;
    int count, capacity;
};

/* The message to write: its framework, then m, p. */
static void note(struct notes *n, const char *id, const char *who, const struct pipe_request *r) {
    if (n->count < n->capacity) {
        struct message *m = &n->out[n->count];
        message_start(m, id);
        message_add_text(m, who);
        message_add_plain(m, r->micro_batches);
        message_add_plain(m, r->ranks);
        message_add_plain(m, r->group);
    }
    n->count++;
}

static void interleaved_notes(const struct pipe_request *r, struct notes *n) {
    uint32_t torch = schedule_torch_group(r->ranks, r->micro_batches);
    if (!megatron_group(r, r->group)) {
        note(n, "note.pipe.group", "Megatron-LM", r);
    }
    if (torch == 0) {
        note(n, "note.pipe.rounds", "torch ScheduleInterleaved1F1B", r);
    } else if (torch != r->group) {
        note(n, "note.pipe.torch_group", "torch ScheduleInterleaved1F1B", r);
    }
    if (r->micro_batches % r->ranks != 0) {
        note(n, "note.pipe.whole", "sail-sg vpp", r);
    }
}

int pipe_request_notes(const struct pipe_request *settled, struct message *out, int capacity) {
    struct notes n = {out, 0, capacity};
    const struct pipe_request *r = settled;
    if (r->schedule == PIPE_1F1B && r->micro_batches < r->ranks) {
        note(&n, "note.pipe.fewer", "torch Schedule1F1B", r);
    }
    if (r->schedule == PIPE_INTERLEAVED) {
        interleaved_notes(r, &n);
    }
    if (r->schedule == PIPE_ZB_H1 && schedule_torch_group(r->ranks, r->micro_batches) == 0) {
        note(&n, "note.pipe.rounds", "torch ScheduleInterleavedZeroBubble", r);
    }
    return n.count;
}
