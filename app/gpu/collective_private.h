/* A collective under way on devices. app/gpu only. */
#ifndef COLLECTIVE_PRIVATE_H
#define COLLECTIVE_PRIVATE_H

#include "gpu_private.h"
#include "shardlab/gpu/trial.h"

/* A message that lies in a rank's inbox. */
struct mail {
    uint32_t from;
    bool taken;
    uint64_t at, count; /* elements of the inbox */
};

struct member {
    struct coll_step *steps;
    uint32_t step_count, at;
    gpu_memory input, output; /* the same but for all-to-all */
    gpu_memory sums;          /* fp32, when a 16-bit sum is kept wide */
    gpu_memory inbox;
    uint64_t inbox_elements; /* the most that one round brings */
    struct mail *mails;      /* of this round */
    uint32_t arrived, first_left;
    bool open; /* the sum of [first, first + count) is in `sums` */
    uint64_t first, count;
};

struct collective {
    struct gpu *gpu;
    const struct ranks_trial_options *options;
    struct member *member; /* [ranks] */
    uint32_t rounds;
    struct ranks_turn *turn; /* the repetition under way */
};

/* Memory and steps of all ranks; to be freed whatever the status. */
MUST_USE enum status collective_make(struct collective *t, struct message *why);
void collective_free(struct collective *t);

/* One collective, from the buffers as they are; t->turn counts. */
MUST_USE enum status collective_play(struct collective *t, struct message *why);

#endif
