/* What the halves of `shardlab allreduce` share: prediction, measurement, and their readers. app/cli only. */
#ifndef ALLREDUCE_PRIVATE_H
#define ALLREDUCE_PRIVATE_H

#include "device_private.h"
#include "shardlab/ranks/trial.h"

/* What is compared: of one repetition. */
struct exchange_counts {
    const uint64_t *sent_bytes, *sent_messages; /* [ranks] */
    uint32_t steps;
};

struct allreduce {
    struct ranks_trial_options options;
    struct ranks_trial trial;
    struct exchange_counts predicted, measured;
    uint64_t message_bytes;
    bool chosen;   /* by auto */
    uint32_t self; /* over MPI, the rank of this process; else 0 */
    const char *backend;
    struct cli_device device;
    double median_s, algbw, busbw;
    bool match;
    uint64_t *counts; /* what was predicted; owned */
};

/* True if all that was predicted is what was measured. */
bool allreduce_matches(const struct exchange_counts *predicted,
                       const struct exchange_counts *measured, uint32_t ranks);
/* The chunk at which `first` is, and how many whole chunks follow from there in `count` elements. */
void allreduce_chunks(const struct coll_job *job, const struct ranks_trace *t, uint32_t *chunk,
                      uint32_t *chunks);

/* Predicts, runs and compares what a->options say; median_s and rates are set. What it allocates is the caller's, to be
 * freed whatever the status. Over MPI, nothing is compared where report.elsewhere. */
MUST_USE enum status allreduce_measure(struct allreduce *a, struct message *why);
void allreduce_free(struct allreduce *a);

/* --- allreduce_sweep.c: every algorithm over sizes; `base` has the options, and ran nothing --- */
MUST_USE enum status allreduce_sweep(struct cli_context *c, const struct cli_args *args,
                                     const struct allreduce *base, struct message *why);

void allreduce_json(struct cli_context *c, const struct allreduce *a);
void allreduce_text(struct cli_context *c, const struct allreduce *a);
/* One line on standard output as things happen (--events). */
void allreduce_event_send(struct writer *line);
void allreduce_event(void *context, const struct ranks_event *event);
void allreduce_event_ended(const struct ranks_trial *trial);

#endif
