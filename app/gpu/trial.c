/* A trial on devices: memory and steps for each rank, values in, the collective, results out. Everything is released when it
 * returns. Called by the command `allreduce`. Proof: tests/unit/gpu/test_trial.c. */
#include <stdlib.h>
#include <string.h>

#include "collective_private.h"

/* The most elements that one round brings this rank. */
static uint64_t inbox_of(const struct member *p) {
    uint64_t most = 0, now = 0;
    for (uint32_t i = 0; i < p->step_count; i++) {
        const struct coll_step *s = &p->steps[i];
        now = i > 0 && s->round != p->steps[i - 1].round ? 0 : now;
        now += s->kind == COLL_COPY || s->kind == COLL_REDUCE ? s->count : 0;
        most = now > most ? now : most;
    }
    return most;
}

static enum status member_steps(struct collective *t, uint32_t rank, struct message *why) {
    struct member *p = &t->member[rank];
    uint32_t most = coll_steps_max(&t->options->job);
    p->steps = calloc((size_t)most + 1, sizeof *p->steps);
    p->mails = calloc((size_t)most + 1, sizeof *p->mails);
    if (p->steps == NULL || p->mails == NULL) {
        message_start(why, "error.memory");
        return STATUS_FAILED;
    }
    p->step_count = coll_steps(&t->options->job, rank, p->steps, most);
    p->inbox_elements = inbox_of(p);
    for (uint32_t i = 0; i < p->step_count; i++) {
        const struct coll_step *s = &p->steps[i];
        t->rounds = s->kind != COLL_KEEP && s->round + 1 > t->rounds ? s->round + 1 : t->rounds;
    }
    return STATUS_OK;
}

static enum status member_memory(struct collective *t, uint32_t rank, struct message *why) {
    const struct ranks_trial_options *o = t->options;
    struct member *p = &t->member[rank];
    const struct gpu_driver *d = t->gpu->driver;
    uint64_t size = ranks_type_bytes(o->type), bytes = o->job.elements * size;
    enum status ok = d->make(t->gpu, rank, bytes, &p->input, why);
    p->output = p->input;
    if (ok == STATUS_OK && o->job.collective == COLL_ALL_TO_ALL) {
        ok = d->make(t->gpu, rank, bytes, &p->output, why);
    }
    if (ok == STATUS_OK && ranks_keeps_sums(o->wide, o->type, o->op)) {
        ok = d->make(t->gpu, rank, o->job.elements * sizeof(float), &p->sums, why);
    }
    return ok == STATUS_OK ? d->make(t->gpu, rank, p->inbox_elements * size, &p->inbox, why) : ok;
}

enum status collective_make(struct collective *t, struct message *why) {
    uint32_t ranks = t->options->job.ranks;
    enum status ok = STATUS_OK;
    t->member = calloc(ranks, sizeof *t->member);
    if (t->member == NULL) {
        message_start(why, "error.memory");
        return STATUS_FAILED;
    }
    for (uint32_t r = 0; ok == STATUS_OK && r < ranks; r++) {
        ok = member_steps(t, r, why);
        ok = ok == STATUS_OK ? member_memory(t, r, why) : ok;
    }
    return ok;
}

void collective_free(struct collective *t) {
    for (uint32_t r = 0; t->member != NULL && r < t->options->job.ranks; r++) {
        struct member *p = &t->member[r];
        void (*drop)(struct gpu *, uint32_t, gpu_memory) = t->gpu->driver->drop;
        drop(t->gpu, r, p->output != p->input ? p->output : 0);
        drop(t->gpu, r, p->input);
        drop(t->gpu, r, p->sums);
        drop(t->gpu, r, p->inbox);
        free(p->steps);
        free(p->mails);
    }
    free(t->member);
}

static enum status play_turn(void *context, struct ranks_turn *turn, struct message *why) {
    struct collective *t = context;
    const struct ranks_trial_options *o = t->options;
    const struct gpu_driver *d = t->gpu->driver;
    uint64_t bytes = o->job.elements * ranks_type_bytes(o->type);
    enum status ok = STATUS_OK;
    t->turn = turn;
    for (uint32_t r = 0; ok == STATUS_OK && r < o->job.ranks; r++) {
        ok = d->write(t->gpu, r, t->member[r].input, turn->input + r * turn->stride, bytes);
    }
    if (ok != STATUS_OK) {
        return gpu_failed(t->gpu, why);
    }
    double begin = gpu_clock_s();
    ok = collective_play(t, why);
    turn->time_s = gpu_clock_s() - begin;
    turn->rounds = t->rounds;
    for (uint32_t r = 0; ok == STATUS_OK && r < o->job.ranks; r++) {
        ok = d->read(t->gpu, r, t->member[r].output, turn->output + r * turn->stride, bytes);
        if (ok != STATUS_OK) {
            return gpu_failed(t->gpu, why);
        }
    }
    return ok;
}

enum status gpu_trial_run(struct gpu *gpu, const struct ranks_trial_options *options,
                          struct ranks_trial *trial, struct message *why) {
    struct collective t = {.gpu = gpu, .options = options};
    const struct ranks_carrier carrier = {play_turn, &t};
    memset(trial, 0, sizeof *trial);
    enum status ok = coll_job_check(&options->job, why);
    ok = ok == STATUS_OK ? collective_make(&t, why) : ok;
    ok = ok == STATUS_OK ? ranks_trial_carry(options, &carrier, trial, why) : ok;
    collective_free(&t);
    return ok;
}
