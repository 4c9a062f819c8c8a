/* "What would the planner choose?" as a piece of a lesson: the learner's model, recipe and card on so many GPUs, every
 * layout tried, the best of those that fit as a table, and why the first is the first. The layout that the learner's
 * knobs stand on is no condition of it: it is only marked where it appears. Pure; appends to the caller's view. */
#ifndef LESSON_PLAN_SEARCH_VIEW_H
#define LESSON_PLAN_SEARCH_VIEW_H

#include "shardlab/base/writer.h"
#include "shardlab/plan/plan.h"
#include "shardlab/view/view.h"

/* A resolved scenario as it was given, to be changed and resolved again: what follows from other options has no value. */
void plan_as_given(const struct scenario *now, struct scenario *out);

/* The scenario with what a layout says taken back: degrees, schedule, ZeRO stage, recomputation, micro-batches. As given,
 * to be resolved. */
void plan_take_back(const struct scenario *now, struct scenario *out);

struct plan_question {
    const struct scenario *now; /* resolved and legal; borrowed */
    uint64_t gpus, global_batch;
};

enum { PLAN_SEARCH_ROWS = 8 };

struct plan_answer {
    struct scenario free; /* the question's, its layout given back; resolved */
    struct plan_layout best[PLAN_SEARCH_ROWS];
    struct plan_summary found; /* count 0: nothing fits, or `why` says why there is no search */
    struct message why;        /* id NULL: the search ran */
};

/* Searches. Never fails: what is missing is in the answer. */
void plan_ask(const struct plan_question *question, struct plan_answer *out);

/* The answer as a table with its reasons, or as the sentence why there is none. */
void plan_search_add(struct view *out, const struct plan_question *question);

/* "plan --model … --gpus 128 --global-batch 256": the same on the command line. */
void plan_search_command(struct writer *out, const struct plan_question *question);

#endif
