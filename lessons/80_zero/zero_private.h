/* What the files of this lesson share: its pages and own knob by number, the tables of its pages, its figures. */
#ifndef LESSONS_ZERO_PRIVATE_H
#define LESSONS_ZERO_PRIVATE_H

#include "../data_traffic_private.h"
#include "../gradient_trial_private.h"
#include "shardlab/lesson/lesson.h"

enum zero_page { PAGE_DIVIDED, PAGE_SENT, PAGE_EVERY, PAGE_TENSOR, PAGE_FSDP, ZERO_PAGES };
enum { ZERO_STAGES = 4 }; /* 0: plain data parallelism */

/* Which collective r runs. */
enum { KNOB_COLLECTIVE, ZERO_KNOBS };
extern const struct lesson_knob zero_knobs[ZERO_KNOBS];
/* Its name; *gathers: it moves weights, not gradients. */
const char *zero_collective(const struct lesson_input *in, bool *gathers);

/* The states of one GPU at every stage, and how many times smaller they are over the number of ranks. */
void zero_states_add(struct view *out, const struct scenario *s);
void zero_saving_add(struct view *out, const struct scenario *s);
/* What every stage sends in a step of one micro-batch. */
void zero_sent_add(struct view *out, const struct scenario *s);
/* The same over the number of micro-batches. */
void zero_every_add(struct view *out, const struct scenario *s);
/* As many GPUs as ZeRO-3 and as tensor parallelism. */
void zero_tensor_add(struct view *out, const struct scenario *s);
/* The modes of FSDP, and the shard against what is gathered over the number of ranks. */
void zero_modes_add(struct view *out, const struct scenario *s);
void zero_floor_add(struct view *out, const struct scenario *s);

/* What `stage` sends with so many micro-batches (0: the learner's), reduced as that stage does by itself. */
bool zero_traffic(const struct scenario *s, uint64_t stage, uint64_t micro_batches,
                  struct data_traffic *out);
/* Ranks that share the states of a scenario with `dp` data ranks. */
uint64_t zero_sharding_ranks(const struct scenario *s, uint64_t dp);

/* As many GPUs as the learner has data ranks, all of them used one way. False: not possible. */
struct zero_way {
    struct scenario s;
    uint64_t sent_bytes; /* by one GPU in a step */
    double collectives;  /* of one layer and micro-batch */
    double exposed_s, compute_s;
    bool exposed_known;
    uint64_t weights_bytes, states_bytes, activations_bytes;
    bool activations_known;
};
enum zero_how { ZERO_BY_DATA, ZERO_BY_TENSOR, ZERO_WAYS };
bool zero_way_of(const struct scenario *s, enum zero_how how, uint64_t micro_batch,
                 struct zero_way *out);

/* Under FSDP's convention with `ranks` (0: the learner's): the shard of all states, and what is gathered beside it. */
enum zero_mode { ZERO_FULL, ZERO_GRADIENTS, ZERO_HYBRID, ZERO_MODES };
struct zero_memory {
    uint64_t shard_bytes, gathered_bytes;
};
bool zero_memory_of(const struct scenario *s, enum zero_mode mode, uint64_t ranks,
                    struct zero_memory *out);
/* From how many ranks on the shard is the smaller of the two. */
bool zero_floor_ranks(const struct scenario *s, uint64_t *out);

/* Makers of the numbers in quiz.json. */
enum { ZERO_MAKERS = 9 };
extern const struct instance_entry zero_makers[ZERO_MAKERS];

bool zero_guess(const struct lesson_input *in, struct lesson_guess *out);
bool zero_figure(const struct lesson_input *in, const char *name, struct writer *out);

#endif
