/* A collective tried out: lays out the shared memory, gives every rank its buffers and steps, repeats, and collects what
 * the transport counted. Called by the command `allreduce`; the result is the caller's until ranks_trial_free. The first
 * repetition is counted under label 0, the others under label 1, so that one repetition can be told from all.
 * Proof: tests/unit/ranks/test_trial.c. */
#define _POSIX_C_SOURCE 200809L
#include "shardlab/ranks/trial.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "run_private.h"
#include "shardlab/base/checked.h"
#include "trial_private.h"

enum { ALIGNED = 4096 };

/* --- Layout --- */

/* Adds count · each bytes, and says where they begin. */
static bool place(struct trial_places *p, uint64_t count, uint64_t each, uint64_t *at) {
    uint64_t bytes;
    *at = p->total;
    return checked_mul(count, each, &bytes) && checked_add(bytes, ALIGNED - 1, &bytes) &&
           checked_add(p->total, bytes / ALIGNED * ALIGNED, &p->total);
}

/* Bytes of one rank's array, up to a whole line. */
static bool stride(uint64_t elements, uint64_t size, uint64_t *out) {
    return checked_mul(elements, size, out) && checked_add(*out, LINE_BYTES - 1, out) &&
           (*out = *out / LINE_BYTES * LINE_BYTES, true);
}

static bool needs_sums(const struct ranks_trial_options *o) {
    return ranks_keeps_sums(o->wide, o->type, o->op);
}

static bool lay_out(struct trial_run *run) {
    const struct ranks_trial_options *o = run->options;
    struct trial_places *p = &run->places;
    uint64_t n = o->job.ranks, moved = o->job.collective == COLL_ALL_TO_ALL ? n : 0;
    uint64_t traced = o->trace ? run->steps_max : 0;
    memset(p, 0, sizeof *p);
    bool ok = stride(o->job.elements, ranks_type_bytes(o->type), &p->buffer_stride) &&
              stride(needs_sums(o) ? o->job.elements : 0, sizeof(float), &p->sums_stride) &&
              stride(traced, sizeof(struct ranks_trace), &p->trace_stride) &&
              place(p, n, p->buffer_stride, &p->input) &&
              place(p, moved, p->buffer_stride, &p->output) &&
              place(p, n, p->sums_stride, &p->sums) &&
              place(p, n * o->repeat, sizeof(double), &p->times) &&
              place(p, n, sizeof(struct trial_mark), &p->marks) &&
              place(p, n, p->trace_stride, &p->trace) && p->total <= SIZE_MAX;
    p->output = moved > 0 ? p->output : p->input;
    return ok;
}

/* --- One rank --- */

struct player {
    struct ranks_endpoint *e;
    const struct trial_run *run;
    unsigned char *shared;
    struct ranks_call call;
    struct trial_mark *mark;
};

static void tell(const struct player *p, struct ranks_event event) {
    const struct ranks_trial_options *o = p->run->options;
    if (o->tell != NULL) {
        event.rank = ranks_self(p->e);
        event.process = (int64_t)getpid();
        o->tell(o->tell_context, &event);
    }
}

static double slowest(const double *times, uint32_t ranks) {
    double most = 0;
    for (uint32_t r = 0; r < ranks; r++) {
        most = times[r] > most ? times[r] : most;
    }
    return most;
}

void trial_mark(const struct ranks_call *call, uint32_t rank, uint64_t repeat,
                struct trial_mark *mark) {
    size_t size = ranks_type_bytes(call->type);
    uint64_t first, count;
    trial_defined(call->job, rank, &first, &count);
    uint64_t hash =
        trial_hash((const unsigned char *)call->output + first * size, (size_t)count * size);
    if (repeat == 0) {
        mark->hash = hash;
    }
    mark->different += hash != mark->hash ? 1 : 0;
}

static enum status repeat_once(struct player *p, uint64_t repeat) {
    const struct ranks_trial_options *o = p->run->options;
    uint32_t self = ranks_self(p->e), n = o->job.ranks;
    double *times = (double *)(void *)(p->shared + p->run->places.times) + repeat * n;
    trial_fill(o, self, p->call.input);
    p->call.label = repeat == 0 ? TRIAL_LABEL_FIRST : TRIAL_LABEL_OTHERS;
    p->call.trace = repeat == 0 ? p->call.trace : NULL;
    enum status ok = ranks_barrier(p->e);
    if (ok != STATUS_OK) {
        return ok;
    }
    struct ranks_passed passed;
    double begin = clock_s();
    ok = ranks_collective_run(p->e, &p->call, &passed);
    times[self] = clock_s() - begin;
    if (ok != STATUS_OK) {
        return ok;
    }
    if (repeat == 0) {
        p->mark->passed = passed;
    }
    trial_mark(&p->call, self, repeat, p->mark);
    ok = ranks_gather(p->e, (size_t)p->run->places.times + repeat * n * sizeof *times,
                      sizeof *times);
    if (ok == STATUS_OK && self == 0) {
        tell(p, (struct ranks_event){
                    .kind = RANKS_EVENT_REPEATED, .repeat = repeat, .time_s = slowest(times, n)});
    }
    return ok;
}

void trial_call(const struct trial_run *run, uint32_t rank, unsigned char *shared,
                struct coll_step *steps, struct ranks_call *call) {
    const struct ranks_trial_options *o = run->options;
    const struct trial_places *at = &run->places;
    *call = (struct ranks_call){.job = &o->job, .type = o->type, .op = o->op, .wide = o->wide};
    call->steps = steps;
    call->step_count = coll_steps(&o->job, rank, steps, run->steps_max);
    call->input = shared + at->input + rank * at->buffer_stride;
    call->output = shared + at->output + rank * at->buffer_stride;
    call->sums =
        needs_sums(o) ? (float *)(void *)(shared + at->sums + rank * at->sums_stride) : NULL;
    call->trace = o->trace ? (void *)(shared + at->trace + rank * at->trace_stride) : NULL;
}

/* To where rank 0 judges them. */
static enum status gather_results(struct ranks_endpoint *e, const struct trial_run *run) {
    const struct trial_places *at = &run->places;
    enum status ok = ranks_gather(e, (size_t)at->output, (size_t)at->buffer_stride);
    ok = ok == STATUS_OK ? ranks_gather(e, (size_t)at->marks, sizeof(struct trial_mark)) : ok;
    return ok == STATUS_OK ? ranks_gather(e, (size_t)at->trace, (size_t)at->trace_stride) : ok;
}

static enum status play(struct ranks_endpoint *e, void *context) {
    const struct trial_run *run = context;
    const struct ranks_trial_options *o = run->options;
    uint32_t self = ranks_self(e);
    unsigned char *shared = ranks_shared(e);
    struct player p = {.e = e, .run = run, .shared = shared};
    struct coll_step *steps = malloc((run->steps_max + 1) * sizeof *steps);
    if (steps == NULL) {
        return STATUS_FAILED;
    }
    p.mark = (struct trial_mark *)(void *)(shared + run->places.marks) + self;
    trial_call(run, self, shared, steps, &p.call);
    tell(&p, (struct ranks_event){.kind = RANKS_EVENT_STARTED});
    enum status ok = STATUS_OK;
    for (uint64_t repeat = 0; ok == STATUS_OK && repeat < o->repeat; repeat++) {
        ok = repeat_once(&p, repeat);
    }
    free(steps);
    return ok == STATUS_OK ? gather_results(e, run) : ok;
}

/* --- After all ranks --- */

static int by_time(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static int by_round(const void *a, const void *b) {
    const struct ranks_trace *x = a, *y = b;
    if (x->round != y->round) {
        return x->round < y->round ? -1 : 1;
    }
    if (x->from != y->from) {
        return x->from < y->from ? -1 : 1;
    }
    if (x->to != y->to) {
        return x->to < y->to ? -1 : 1;
    }
    return (x->first > y->first) - (x->first < y->first);
}

static void collect_trace(struct trial_run *run, const unsigned char *shared,
                          const struct trial_mark *marks) {
    struct ranks_trial *t = run->trial;
    uint64_t total = 0;
    for (uint32_t r = 0; r < t->ranks; r++) {
        total += marks[r].passed.traced;
    }
    t->trace = malloc((size_t)(total + 1) * sizeof *t->trace);
    run->failed = run->failed || t->trace == NULL;
    for (uint32_t r = 0; t->trace != NULL && r < t->ranks; r++) {
        memcpy(t->trace + t->traced, shared + run->places.trace + r * run->places.trace_stride,
               marks[r].passed.traced * sizeof *t->trace);
        t->traced += marks[r].passed.traced;
    }
}

void trial_sort(struct ranks_trial *t, uint32_t repeat) {
    qsort(t->times_s, repeat, sizeof *t->times_s, by_time);
    if (t->traced > 0) {
        qsort(t->trace, (size_t)t->traced, sizeof *t->trace, by_round);
    }
}

void trial_finish(void *memory, void *context) {
    struct trial_run *run = context;
    struct ranks_trial *t = run->trial;
    const unsigned char *shared = memory;
    const struct trial_mark *marks = (const void *)(shared + run->places.marks);
    const double *times = (const void *)(shared + run->places.times);
    t->same_each_time = true;
    for (uint32_t r = 0; r < t->ranks; r++) {
        t->hash = trial_hash_join(t->hash, marks[r].hash);
        t->same_each_time = t->same_each_time && marks[r].different == 0;
        t->rounds = marks[r].passed.rounds > t->rounds ? marks[r].passed.rounds : t->rounds;
    }
    for (uint64_t k = 0; k < run->options->repeat; k++) {
        t->times_s[k] = slowest(times + k * t->ranks, t->ranks);
    }
    if (run->options->trace) {
        collect_trace(run, shared, marks);
    }
    trial_sort(t, run->options->repeat);
    trial_judge(run, shared);
}

/* From the counters of (from, to, label) to what each rank sent in one repetition. */
static void sum_counters(struct ranks_trial *t, uint64_t repeat) {
    const struct ranks_report *report = &t->report;
    for (uint32_t from = 0; from < t->ranks; from++) {
        uint64_t others_bytes = 0, others_messages = 0;
        for (uint32_t to = 0; to < t->ranks; to++) {
            size_t at = ((size_t)from * t->ranks + to) * TRIAL_LABELS;
            t->sent_bytes[from] += report->bytes[at + TRIAL_LABEL_FIRST];
            t->sent_messages[from] += report->messages[at + TRIAL_LABEL_FIRST];
            others_bytes += report->bytes[at + TRIAL_LABEL_OTHERS];
            others_messages += report->messages[at + TRIAL_LABEL_OTHERS];
        }
        t->same_each_time = t->same_each_time &&
                            others_bytes == t->sent_bytes[from] * (repeat - 1) &&
                            others_messages == t->sent_messages[from] * (repeat - 1);
    }
}

bool trial_room(struct ranks_trial *t, uint32_t ranks, uint32_t repeat) {
    t->ranks = ranks;
    t->sent_bytes = calloc(ranks, sizeof *t->sent_bytes);
    t->sent_messages = calloc(ranks, sizeof *t->sent_messages);
    t->times_s = calloc(repeat, sizeof *t->times_s);
    t->doing = calloc(ranks, sizeof *t->doing);
    t->report.doing = t->doing;
    return t->sent_bytes != NULL && t->sent_messages != NULL && t->times_s != NULL &&
           t->doing != NULL;
}

/* The counters of all pairs; they are only needed here. */
static bool counters_room(struct ranks_trial *t) {
    size_t pairs = (size_t)t->ranks * t->ranks * TRIAL_LABELS;
    t->report.bytes = calloc(pairs, sizeof *t->report.bytes);
    t->report.messages = calloc(pairs, sizeof *t->report.messages);
    return t->report.bytes != NULL && t->report.messages != NULL;
}

static enum status no_memory(const struct ranks_trial_options *o, struct message *why) {
    message_start(why, "error.ranks.elements");
    message_add_plain(why, o->job.ranks);
    message_add_plain(why, o->job.elements);
    return STATUS_FAILED;
}

/* Enough for small messages of a round; large ones travel by pointer. */
static uint64_t mailbox_for(uint32_t ranks) {
    return ranks <= 64 ? 64 * 1024 : 8 * 1024;
}

static enum status on_ranks(struct trial_run *run, struct message *why) {
    const struct ranks_trial_options *o = run->options;
    struct ranks_options transport = {
        .backend = o->backend,
        .ranks = o->job.ranks,
        .timeout_s = o->timeout_s,
        .mailbox_bytes = mailbox_for(o->job.ranks),
        .shared_bytes = (size_t)run->places.total,
        .labels = TRIAL_LABELS,
    };
    struct ranks_body body = {play, trial_finish, run};
    return ranks_run(&transport, &body, &run->trial->report, why);
}

static enum status check(const struct ranks_trial_options *o, struct message *why) {
    if (o->executor == RANKS_EXECUTOR_WORKERS && o->backend != RANKS_THREADS) {
        message_start(why, "error.ranks.executor");
        message_add_text(why, ranks_backend_name(o->backend));
        return STATUS_USAGE;
    }
    return coll_job_check(&o->job, why);
}

static const char *const executors[RANKS_EXECUTORS] = {"ranks", "workers"};

const char *ranks_executor_name(enum ranks_executor executor) {
    return executors[executor];
}

int ranks_executor_find(const char *name) {
    for (int i = 0; i < RANKS_EXECUTORS; i++) {
        if (strcmp(executors[i], name) == 0) {
            return i;
        }
    }
    return -1;
}

enum status ranks_trial_run(const struct ranks_trial_options *options, struct ranks_trial *trial,
                            struct message *why) {
    struct trial_run run = {.options = options, .trial = trial};
    memset(trial, 0, sizeof *trial);
    enum status ok = check(options, why);
    if (ok != STATUS_OK) {
        return ok;
    }
    run.steps_max = coll_steps_max(&options->job);
    if (!lay_out(&run) || !trial_room(trial, options->job.ranks, options->repeat) ||
        !counters_room(trial)) {
        return no_memory(options, why);
    }
    ok = options->executor == RANKS_EXECUTOR_WORKERS ? trial_on_workers(&run, why)
                                                     : on_ranks(&run, why);
    if (ok == STATUS_OK && !trial->report.elsewhere) {
        sum_counters(trial, options->repeat);
    }
    if (ok == STATUS_OK && run.failed) {
        return no_memory(options, why);
    }
    return ok;
}

enum status ranks_trial_check(const struct ranks_trial_options *options, struct message *why) {
    struct trial_run run = {.options = options};
    enum status ok = check(options, why);
    if (ok != STATUS_OK) {
        return ok;
    }
    run.steps_max = coll_steps_max(&options->job);
    if (!lay_out(&run)) {
        return no_memory(options, why);
    }
    if (machine_has(run.places.total)) {
        return STATUS_OK;
    }
    message_start(why, "error.ranks.memory");
    message_add_plain(why, options->job.ranks);
    message_add_bytes(why, run.places.total);
    return STATUS_FAILED;
}

void ranks_trial_free(struct ranks_trial *trial) {
    free(trial->sent_bytes);
    free(trial->sent_messages);
    free(trial->times_s);
    free(trial->doing);
    free(trial->trace);
    free(trial->report.bytes);
    free(trial->report.messages);
    memset(trial, 0, sizeof *trial);
}
