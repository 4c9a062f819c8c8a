/* What the files of this lesson share: its own knobs by number, and a schedule that has run. */
#ifndef LESSONS_PIPELINE_PRIVATE_H
#define LESSONS_PIPELINE_PRIVATE_H

#include "../parallel_private.h"
#include "shardlab/lesson/pipe_view.h"
#include "shardlab/pipe/schedule.h"

enum pipeline_page {
    PIPELINE_BUBBLE,
    PIPELINE_FLIGHT,
    PIPELINE_INTERLEAVED,
    PIPELINE_ZERO,
    PIPELINE_BALANCE,
    PIPELINE_PAGES
};

/* The order of the lesson's own knobs. */
enum pipeline_knob {
    PIPELINE_TF,
    PIPELINE_TB,
    PIPELINE_TW,
    PIPELINE_COMM,
    PIPELINE_CHUNKS,
    PIPELINE_SPLIT,
    PIPELINE_TIMES,
    PIPELINE_WALK,
    PIPELINE_KNOBS
};
extern const struct lesson_knob pipeline_knobs[PIPELINE_KNOBS];
const char *pipeline_stop(const struct lesson_input *in, enum pipeline_knob knob);

/* Stages times micro-batches that are run: the memory of a run lies on the caller's stack. */
enum { PIPELINE_CELLS_MAX = 4096, PIPELINE_OPS_MAX = 3 * PIPELINE_CELLS_MAX };

/* What is run. */
struct pipeline_ask {
    enum pipe_schedule schedule;
    uint32_t ranks, micro_batches;
    uint32_t chunks; /* 0: what the schedule asks for */
    /* Of a whole stage, in units; a schedule that cuts stages into chunks runs chunks of a part of that. */
    uint64_t tf, tb, tw, comm;
    uint64_t ticks; /* of one unit; a multiple of the chunks a stage */
    const struct scenario
        *model; /* NULL; or: each stage takes as long as its own layers and head (calc/flops.h), */
};              /* in hundredths of the forward of the first stage */

struct pipeline_run {
    const char *name;
    uint32_t parts; /* chunks that a stage of the model is cut into */
    uint64_t ticks; /* of one unit */
    struct pipe_shape shape;
    struct pipe_order order;
    struct pipe_run run;
    struct pipe_space space;
    uint64_t f[PIPE_RANKS_MAX], b[PIPE_RANKS_MAX], w[PIPE_RANKS_MAX]; /* ticks of each stage */
    struct pipe_op list[PIPELINE_OPS_MAX];
    struct pipe_run_op ops[PIPELINE_OPS_MAX];
    uint64_t scratch[4 * PIPELINE_CELLS_MAX];
};

/* Runs it. STATUS_USAGE: not legal, or too large for a picture; `why` says which. */
MUST_USE enum status pipeline_simulate(const struct pipeline_ask *ask, struct pipeline_run *out,
                                       struct message *why);

/* The schedules of a page as the knobs have them: the first is what the page is about, the second what it is held
 * against. Returns how many. */
int pipeline_asked(const struct lesson_input *in, struct pipeline_ask out[VIEW_GANTT_GROUPS_MAX]);
/* The schedule of the scenario with the times of the knobs. */
struct pipeline_ask pipeline_ask_of(const struct lesson_input *in, enum pipe_schedule schedule);
/* Chunks that a stage is cut into by this schedule. */
uint32_t pipeline_parts(const struct pipeline_ask *ask);

/* The operation that frame `frame` of the page explains, and how many there are; −1: none. */
int64_t pipeline_walk(const struct lesson_input *in, const struct pipeline_run *run, int frame,
                      int *count);
/* The last frame, and where a page begins. */
int pipeline_frames(const struct lesson_input *in, int *start);

/* Bytes of activations that one micro-batch leaves on a stage of the scenario; false: not known. */
bool pipeline_micro_batch_bytes(const struct scenario *s, uint64_t stage, uint64_t *out);
/* Activations of the first stage with 1F1B on `pp` stages and more micro-batches than stages; false: not known. */
bool pipeline_first_stage(const struct scenario *s, uint64_t pp, uint64_t *out);

MUST_USE enum status pipeline_view(const struct lesson_input *in, struct view *out,
                                   struct message *why);
void pipeline_command(const struct lesson_input *in, struct writer *out);
bool pipeline_guess(const struct lesson_input *in, struct lesson_guess *out);
bool pipeline_figure(const struct lesson_input *in, const char *name, struct writer *out);

/* Of the questions in quiz.json. */
enum { PIPELINE_MAKERS = 12 };
extern const struct instance_entry pipeline_makers[PIPELINE_MAKERS];

#endif
