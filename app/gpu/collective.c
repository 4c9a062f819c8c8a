/* Goes through the step lists of all ranks, a round at a time: first everything that is sent is copied into the inboxes,
 * each rank on its own queue; when all copies are done, each rank adds or moves what lies in its inbox. Within a round
 * nothing is written that is sent (coll/steps.h), so two halves are enough. Proof: tests/unit/gpu/test_trial.c. */
#include <assert.h>

#include "collective_private.h"

static uint64_t size_of(const struct collective *t) {
    return ranks_type_bytes(t->options->type);
}

static enum num_type num_of(const struct collective *t) {
    return t->options->type == RANKS_FP16 ? NUM_FP16 : NUM_BF16;
}

static bool is_wide(const struct collective *t) {
    return ranks_keeps_sums(t->options->wide, t->options->type, t->options->op);
}

/* --- Sums that are kept in fp32 --- */

/* Between [first, first + count) of the buffer and the same place of the sums. */
static enum status convert(struct collective *t, uint32_t rank, enum gpu_kernel kernel) {
    struct member *p = &t->member[rank];
    struct gpu_launch l;
    gpu_launch_start(&l, kernel, p->count);
    gpu_arg_memory(&l, kernel == GPU_PACK ? p->sums : p->output);
    gpu_arg_u64(&l, p->first);
    gpu_arg_memory(&l, kernel == GPU_PACK ? p->output : p->sums);
    gpu_arg_u64(&l, p->first);
    gpu_arg_u64(&l, p->count);
    gpu_arg_format(&l, num_of(t), NUM_OVERFLOW_INF);
    return t->gpu->driver->launch(t->gpu, rank, &l);
}

static enum status close_sum(struct collective *t, uint32_t rank) {
    struct member *p = &t->member[rank];
    if (!p->open) {
        return STATUS_OK;
    }
    p->open = false;
    return convert(t, rank, GPU_PACK);
}

static enum status open_sum(struct collective *t, uint32_t rank, const struct coll_step *s) {
    struct member *p = &t->member[rank];
    if (p->open && p->first == s->to_first && p->count == s->count) {
        return STATUS_OK;
    }
    enum status ok = close_sum(t, rank);
    p->open = true;
    p->first = s->to_first;
    p->count = s->count;
    return ok == STATUS_OK ? convert(t, rank, GPU_UNPACK) : ok;
}

/* --- Sending --- */

static enum status copy(struct collective *t, uint32_t rank, struct gpu_copy c) {
    uint64_t size = size_of(t);
    c.from_at *= size;
    c.to_at *= size;
    c.bytes *= size;
    return t->gpu->driver->copy(t->gpu, rank, &c);
}

static enum status send(struct collective *t, uint32_t rank, const struct coll_step *s) {
    struct member *p = &t->member[rank], *peer = &t->member[s->peer];
    uint64_t at = 0;
    enum status ok = close_sum(t, rank);
    if (peer->arrived > 0) {
        const struct mail *last = &peer->mails[peer->arrived - 1];
        at = last->at + last->count;
    }
    peer->mails[peer->arrived++] = (struct mail){.from = rank, .at = at, .count = s->count};
    size_t pair = (size_t)rank * t->options->job.ranks + s->peer;
    t->turn->bytes[pair] += s->count * size_of(t);
    t->turn->messages[pair]++;
    const struct gpu_copy c = {p->input, peer->inbox, s->first, at, s->count, s->peer};
    return ok == STATUS_OK ? copy(t, rank, c) : ok;
}

/* --- Receiving --- */

/* Messages of a pair arrive in the order of their sends. */
static const struct mail *take(struct member *p, const struct coll_step *s) {
    while (p->first_left < p->arrived && p->mails[p->first_left].taken) {
        p->first_left++;
    }
    for (uint32_t i = p->first_left; i < p->arrived; i++) {
        if (!p->mails[i].taken && p->mails[i].from == s->peer) {
            p->mails[i].taken = true;
            return p->mails[i].count == s->count ? &p->mails[i] : NULL;
        }
    }
    return NULL;
}

static enum status reduce(struct collective *t, uint32_t rank, const struct coll_step *s,
                          uint64_t inbox_at) {
    struct member *p = &t->member[rank];
    struct gpu_launch l;
    bool wide = is_wide(t), low = t->options->type != RANKS_FP32;
    enum status ok = wide ? open_sum(t, rank, s) : STATUS_OK;
    gpu_launch_start(&l, wide ? GPU_ADD_WIDE : low ? GPU_COMBINE_LOW : GPU_COMBINE_FP32, s->count);
    gpu_arg_memory(&l, wide ? p->sums : p->output);
    gpu_arg_u64(&l, s->to_first);
    gpu_arg_memory(&l, p->inbox);
    gpu_arg_u64(&l, inbox_at);
    gpu_arg_u64(&l, s->count);
    if (!wide) {
        gpu_arg_u32(&l, t->options->op == RANKS_OP_SUM ? 0 : 1);
    }
    if (low) {
        gpu_arg_format(&l, num_of(t), NUM_OVERFLOW_INF);
    }
    return ok == STATUS_OK ? t->gpu->driver->launch(t->gpu, rank, &l) : ok;
}

static enum status receive(struct collective *t, uint32_t rank, const struct coll_step *s) {
    struct member *p = &t->member[rank];
    const struct mail *mail = take(p, s);
    struct ranks_turn *turn = t->turn;
    assert(mail != NULL); /* tests/unit/coll/test_steps.c */
    if (turn->trace != NULL) {
        turn->trace[turn->traced++] =
            (struct ranks_trace){s->round, s->peer, rank, s->to_first, s->count};
    }
    if (s->kind == COLL_REDUCE) {
        return reduce(t, rank, s, mail->at);
    }
    enum status ok = close_sum(t, rank);
    const struct gpu_copy c = {p->inbox, p->output, mail->at, s->to_first, s->count, rank};
    return ok == STATUS_OK ? copy(t, rank, c) : ok;
}

/* --- Rounds --- */

static enum status one_step(struct collective *t, uint32_t rank, const struct coll_step *s) {
    struct member *p = &t->member[rank];
    if (s->count == 0) {
        return STATUS_OK;
    }
    switch ((enum coll_step_kind)s->kind) {
    case COLL_SEND:
        return send(t, rank, s);
    case COLL_KEEP:
        return copy(t, rank,
                    (struct gpu_copy){p->input, p->output, s->first, s->to_first, s->count, rank});
    default:
        return receive(t, rank, s);
    }
}

/* What is kept goes into another buffer than the one that is sent, so it belongs to the first half. */
static bool is_first_half(const struct coll_step *s) {
    return s->kind == COLL_SEND || s->kind == COLL_KEEP;
}

/* Half a round of every rank: what is sent, or what is received; then waits for all. */
static enum status half_round(struct collective *t, uint32_t round, bool sends) {
    uint32_t ranks = t->options->job.ranks;
    enum status ok = STATUS_OK;
    for (uint32_t r = 0; ok == STATUS_OK && r < ranks; r++) {
        struct member *p = &t->member[r];
        while (ok == STATUS_OK && p->at < p->step_count && p->steps[p->at].round == round &&
               is_first_half(&p->steps[p->at]) == sends) {
            ok = one_step(t, r, &p->steps[p->at++]);
        }
    }
    for (uint32_t r = 0; ok == STATUS_OK && r < ranks; r++) {
        ok = t->gpu->driver->finish(t->gpu, r);
    }
    return ok;
}

static enum status one_round(struct collective *t, uint32_t round) {
    for (uint32_t r = 0; r < t->options->job.ranks; r++) {
        t->member[r].arrived = 0;
        t->member[r].first_left = 0;
    }
    enum status ok = half_round(t, round, true);
    return ok == STATUS_OK ? half_round(t, round, false) : ok;
}

static enum status end_sums(struct collective *t) {
    enum status ok = STATUS_OK;
    for (uint32_t r = 0; ok == STATUS_OK && r < t->options->job.ranks; r++) {
        assert(t->member[r].at == t->member[r].step_count); /* sends stand first in every round */
        ok = close_sum(t, r);
    }
    for (uint32_t r = 0; ok == STATUS_OK && r < t->options->job.ranks; r++) {
        ok = t->gpu->driver->finish(t->gpu, r);
    }
    return ok;
}

static enum status too_long(const struct collective *t, uint32_t round, struct message *why) {
    message_start(why, "error.gpu.timeout");
    message_add_real(why, t->options->timeout_s);
    message_add_plain(why, round);
    return STATUS_FAILED;
}

enum status collective_play(struct collective *t, struct message *why) {
    double begin = gpu_clock_s();
    /* one rank alone has a KEEP of round 0 but no round */
    uint32_t rounds = t->rounds > 0 ? t->rounds : 1;
    for (uint32_t r = 0; r < t->options->job.ranks; r++) {
        t->member[r].at = 0;
        t->member[r].open = false;
    }
    for (uint32_t round = 0; round < rounds; round++) {
        if (one_round(t, round) != STATUS_OK) {
            return gpu_failed(t->gpu, why);
        }
        if (gpu_clock_s() - begin > t->options->timeout_s) {
            return too_long(t, round, why);
        }
    }
    return end_sums(t) == STATUS_OK ? STATUS_OK : gpu_failed(t->gpu, why);
}
