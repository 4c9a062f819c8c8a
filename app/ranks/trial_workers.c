/* The trial on workers: the same memory, repetitions and marks as with blocking ranks, in this process. Its memory asks for
 * huge pages; the first filling touches it, so that no page is fetched while the clock runs. A repetition's time is from
 * the call to its return, which is that of the slowest rank. Proof: tests/unit/ranks/test_workers.c. */
#define _DEFAULT_SOURCE
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "run_private.h"
#include "shardlab/ranks/workers.h"
#include "trial_private.h"

struct crew_trial {
    struct trial_run *run;
    unsigned char *shared;
    struct coll_step *steps; /* [ranks][steps_max + 1] */
    struct ranks_call *calls;
    struct ranks_passed *passed;
    struct ranks_workers *workers;
    uint64_t repeat;
};

static void fill(uint32_t rank, void *context) {
    const struct crew_trial *t = context;
    struct ranks_call *call = &t->calls[rank];
    trial_fill(t->run->options, rank, call->input);
    call->label = t->repeat == 0 ? TRIAL_LABEL_FIRST : TRIAL_LABEL_OTHERS;
    call->trace = t->repeat == 0 ? call->trace : NULL;
}

static struct trial_mark *mark_of(const struct crew_trial *t, uint32_t rank) {
    return (struct trial_mark *)(void *)(t->shared + t->run->places.marks) + rank;
}

static void mark(uint32_t rank, void *context) {
    const struct crew_trial *t = context;
    if (t->repeat == 0) {
        mark_of(t, rank)->passed = t->passed[rank];
    }
    trial_mark(&t->calls[rank], rank, t->repeat, mark_of(t, rank));
}

static void tell(const struct crew_trial *t, struct ranks_event event) {
    const struct ranks_trial_options *o = t->run->options;
    if (o->tell != NULL) {
        event.process = (int64_t)getpid();
        o->tell(o->tell_context, &event);
    }
}

static enum status repeat_once(struct crew_trial *t, struct message *why) {
    uint32_t n = t->run->options->job.ranks;
    double *times = (double *)(void *)(t->shared + t->run->places.times) + t->repeat * n;
    ranks_workers_each(t->workers, fill, t);
    double begin = clock_s();
    enum status ok = ranks_workers_run(t->workers, t->passed, why);
    double took = clock_s() - begin;
    if (ok != STATUS_OK) {
        return ok;
    }
    for (uint32_t r = 0; r < n; r++) {
        times[r] = took;
    }
    ranks_workers_each(t->workers, mark, t);
    tell(t,
         (struct ranks_event){.kind = RANKS_EVENT_REPEATED, .repeat = t->repeat, .time_s = took});
    return STATUS_OK;
}

static enum status open_all(struct crew_trial *t, struct message *why) {
    const struct trial_run *run = t->run;
    uint32_t n = run->options->job.ranks;
    size_t each = (size_t)run->steps_max + 1;
    t->steps = calloc(n, each * sizeof *t->steps);
    t->calls = calloc(n, sizeof *t->calls);
    t->passed = calloc(n, sizeof *t->passed);
    t->shared = !machine_has(run->places.total)
                    ? MAP_FAILED
                    : mmap(NULL, (size_t)run->places.total, PROT_READ | PROT_WRITE,
                           MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (t->steps == NULL || t->calls == NULL || t->passed == NULL || t->shared == MAP_FAILED) {
        message_start(why, "error.ranks.memory");
        message_add_plain(why, n);
        message_add_bytes(why, run->places.total);
        return STATUS_FAILED;
    }
    (void)madvise(t->shared, (size_t)run->places.total, MADV_HUGEPAGE);
    for (uint32_t r = 0; r < n; r++) {
        trial_call(run, r, t->shared, t->steps + r * each, &t->calls[r]);
    }
    const struct ranks_workers_options options = {.calls = t->calls,
                                                  .ranks = n,
                                                  .workers = run->options->workers,
                                                  .timeout_s = run->options->timeout_s,
                                                  .bytes = run->trial->report.bytes,
                                                  .messages = run->trial->report.messages,
                                                  .labels = TRIAL_LABELS};
    return ranks_workers_open(&options, &t->workers, why);
}

static void close_all(struct crew_trial *t) {
    ranks_workers_close(t->workers);
    if (t->shared != NULL && t->shared != MAP_FAILED) {
        (void)munmap(t->shared, (size_t)t->run->places.total);
    }
    free(t->steps);
    free(t->calls);
    free(t->passed);
}

enum status trial_on_workers(struct trial_run *run, struct message *why) {
    struct crew_trial t = {.run = run};
    enum status ok = open_all(&t, why);
    for (uint32_t r = 0; ok == STATUS_OK && r < run->options->job.ranks; r++) {
        tell(&t, (struct ranks_event){.kind = RANKS_EVENT_STARTED, .rank = r});
    }
    for (; ok == STATUS_OK && t.repeat < run->options->repeat; t.repeat++) {
        ok = repeat_once(&t, why);
    }
    if (ok == STATUS_OK) {
        run->trial->workers = ranks_workers_count(t.workers);
        trial_finish(t.shared, run);
    }
    close_all(&t);
    return ok;
}
