/* A collective tried out: ranks fill their buffers with reproducible values, run it `repeat` times, and what was sent,
 * how long it took and how far the result is from the exact one is measured. `shardlab allreduce` and the lesson
 * *collectives* show it. It measures only; predictions are the calculator's.
 * Element i of rank r is a function of seed, r and i alone, in [−1, 1), rounded to the type. Before each repetition the
 * buffers are filled anew (so caches are as after real work), then all ranks meet, then the clock runs.
 * Proof: tests/unit/ranks/test_trial.c, tests/cli/test_allreduce.c. */
#ifndef RANKS_TRIAL_H
#define RANKS_TRIAL_H

#include "shardlab/ranks/collective.h"

enum { RANKS_REPEAT_MAX = 1000000 };

/* Who takes the steps: a thread or process a rank, or a few workers that take those of all ranks (ranks/workers.h), which is
 * for one process: backend threads. Both count and compute the same. */
enum ranks_executor { RANKS_EXECUTOR_RANKS, RANKS_EXECUTOR_WORKERS, RANKS_EXECUTORS };
const char *ranks_executor_name(enum ranks_executor executor); /* "workers" */
int ranks_executor_find(const char *name);                     /* -1: none */

/* Told as things happen, from the process of the rank; rank 0 tells of repetitions. */
struct ranks_event {
    enum { RANKS_EVENT_STARTED, RANKS_EVENT_REPEATED } kind;
    uint32_t rank;
    int64_t process;
    uint64_t repeat; /* 0-based */
    double time_s;   /* of the slowest rank */
};

struct ranks_trial_options {
    struct coll_job job;
    enum ranks_type type;
    enum ranks_op op;
    bool wide; /* see ranks_call */
    enum ranks_backend backend;
    enum ranks_executor executor;
    uint32_t workers; /* of RANKS_EXECUTOR_WORKERS; 0: as many as pay */
    uint32_t repeat;  /* 1 … RANKS_REPEAT_MAX */
    uint64_t seed;
    double timeout_s;
    bool trace;
    void (*tell)(void *context, const struct ranks_event *event); /* NULL: nobody listens */
    void *tell_context;
};

/* Owned by the trial; released by ranks_trial_free. Over MPI it is rank 0's; report.elsewhere says where it is empty. Bytes, messages, rounds and trace are of one repetition. */
struct ranks_trial {
    uint32_t ranks;
    uint64_t *sent_bytes, *sent_messages; /* [ranks] */
    uint32_t rounds;
    uint32_t workers;          /* how many there were; 0: a thread or process a rank */
    double *times_s;           /* [repeat], sorted; each of the slowest rank */
    struct ranks_trace *trace; /* by round, then sender, then receiver */
    uint64_t traced;
    double
        max_abs_error; /* over all elements that the collective defines; nan if one of them is no number */
    double
        error_bound; /* the largest that type, operation and order of additions allow, over the same elements */
    bool within;         /* each element is within its own bound */
    uint64_t hash;       /* of all results: the same bits give the same */
    bool same_each_time; /* all repetitions sent the same and gave the same bits */
    struct ranks_report report;
    struct ranks_doing *doing; /* [ranks] */
};

/* *trial is zeroed first, and to be freed whatever the status. STATUS_USAGE: the job is not defined, or the executor not
 * for this backend. */
MUST_USE enum status ranks_trial_run(const struct ranks_trial_options *options,
                                     struct ranks_trial *trial, struct message *why);
void ranks_trial_free(struct ranks_trial *trial);
/* Refuses what ranks_trial_run would refuse before it begins: a job that is not defined, buffers that this machine's
 * memory cannot hold. Whoever runs many sizes asks for the largest first. */
MUST_USE enum status ranks_trial_check(const struct ranks_trial_options *options,
                                       struct message *why);

/* One repetition that something else than ranks_run carries out, such as a GPU that this process feeds. Rank r's buffer
 * begins at r · stride; `output` is another one than `input` for every collective. Counters and trace start empty. */
struct ranks_turn {
    const struct ranks_trial_options *options;
    const unsigned char *input;
    unsigned char *output; /* to be filled in, as everything below */
    uint64_t stride;
    uint64_t *bytes, *messages; /* [from][to] */
    struct ranks_trace *trace;  /* NULL, or room for every message */
    uint64_t traced;
    uint32_t rounds;
    double
        time_s; /* from when all ranks have their input where they work to when they have their result there */
};
struct ranks_carrier {
    enum status (*turn)(void *context, struct ranks_turn *turn, struct message *why);
    void *context;
};
/* A trial as ranks_trial_run's, filled and judged by the same code; options->backend counts for nothing. */
MUST_USE enum status ranks_trial_carry(const struct ranks_trial_options *options,
                                       const struct ranks_carrier *carrier,
                                       struct ranks_trial *trial, struct message *why);

/* The value of an element before it is rounded to the type. */
float ranks_trial_value(uint64_t seed, uint32_t rank, uint64_t element);

#endif
