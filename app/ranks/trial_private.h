/* What the halves of a trial share: the run, and the judging of its results. app/ranks only. */
#ifndef TRIAL_PRIVATE_H
#define TRIAL_PRIVATE_H

#include "shardlab/ranks/trial.h"

/* Where things are in the shared memory, in bytes; per rank at rank · stride. */
struct trial_places {
    uint64_t input, output, buffer_stride; /* output equals input but for all-to-all */
    uint64_t sums, sums_stride;
    uint64_t times; /* double [repeat][ranks] */
    uint64_t marks; /* struct trial_mark [ranks] */
    uint64_t trace, trace_stride;
    uint64_t total;
};

struct trial_mark {
    uint64_t hash;      /* of the first result */
    uint32_t different; /* repetitions whose result was another */
    struct ranks_passed passed;
};

struct trial_run {
    const struct ranks_trial_options *options;
    struct trial_places places;
    struct ranks_trial *trial;
    uint32_t steps_max;
    bool failed; /* no memory for the judging */
};

enum { TRIAL_LABEL_FIRST, TRIAL_LABEL_OTHERS, TRIAL_LABELS };

/* The call of one rank on the shared memory; *steps (run->steps_max + 1 of them) is filled. */
void trial_call(const struct trial_run *run, uint32_t rank, unsigned char *shared,
                struct coll_step *steps, struct ranks_call *call);
/* Notes the result of a repetition. */
void trial_mark(const struct ranks_call *call, uint32_t rank, uint64_t repeat,
                struct trial_mark *mark);
/* After the last repetition. */
void trial_finish(void *memory, void *run);

/* The trial on workers: memory, repetitions, trial_finish. */
enum status trial_on_workers(struct trial_run *run, struct message *why);

/* Fills `buffer` with the values of a rank. */
void trial_fill(const struct ranks_trial_options *o, uint32_t rank, void *buffer);
/* The elements of a rank's result that the collective defines. */
void trial_defined(const struct coll_job *job, uint32_t rank, uint64_t *first, uint64_t *count);
uint64_t trial_hash(const void *bytes, size_t count);
/* The hash of all results, rank after rank, from that of those before and that of one more; it begins with 0. */
uint64_t trial_hash_join(uint64_t before, uint64_t of_rank);

/* Room for what a trial returns, and at its end: times ascending, the trace by round, sender, receiver and place. */
bool trial_room(struct ranks_trial *t, uint32_t ranks, uint32_t repeat);
void trial_sort(struct ranks_trial *t, uint32_t repeat);

/* Compares the results in `shared` with exact ones. */
void trial_judge(const struct trial_run *run, const unsigned char *shared);

#endif
