/* What the files of planning share. Only for app/plan. */
#ifndef PLAN_PRIVATE_H
#define PLAN_PRIVATE_H

#include "shardlab/plan/plan.h"

/* Times of a micro-batch of one sequence on the stages, at the scenario's speed: all are proportional to --micro-batch. */
struct plan_pace {
    double compute_s, recompute_s; /* mean of the stages */
    double slowest_s;              /* both, of the slowest stage */
    double latency; /* of a message between stages, in slowest_s of a micro-batch; 0 at first */
    double forward, input_grad; /* parts of slowest_s, 0..1; the rest is the weights' gradient */
};
MUST_USE enum status plan_pace_of(const struct scenario *s, struct plan_pace *out,
                                  struct message *why);

/* Forgets what was run. NULL: there is no space. */
void plan_space_start(const struct plan_space *space);
/* True for the schedules whose step is found by running them. */
bool plan_is_run(int schedule);
/* They need space, and no more stages than that holds. */
MUST_USE enum status plan_check_schedule(const struct scenario *s, const struct plan_space *space,
                                         struct message *why);
/* What a rank waits for at the ends of the pipeline and for its messages, in micro-batches of its stage, stages taken as
 * equal. False where no closed form holds and the schedule is not run. */
MUST_USE bool plan_pipeline_idle(const struct plan_space *space, const struct scenario *s,
                                 const struct plan_pace *pace, double *out);

/* The terms that need no communication: they are a lower bound of the step. False where plan_pipeline_idle is. */
MUST_USE bool plan_price_pace(const struct scenario *s, const struct plan_space *space,
                              const struct plan_pace *pace, struct plan_layout *out);
/* What layouts that differ in their micro-batch share. */
struct plan_group_facts {
    const struct plan_space *space;
    const struct plan_pace *pace;
    double ideal_s; /* plan_ideal_s */
};
/* Rounding of shares makes bytes of different micro-batches differ by less than this part. */
#define PLAN_ROUNDING 0.02
/* What every micro-batch waits for: exposed tp, cp and ep of a step. */
struct plan_inside {
    double s;
    uint64_t micro_batch; /* of the layout; 0: nothing is known */
    bool clear;           /* no other stage sends nearly as much */
};
/* The other terms, the sum, utilisation. */
MUST_USE enum status plan_price_rest(const struct scenario *s, const struct plan_group_facts *facts,
                                     struct plan_layout *out, struct plan_inside *inside,
                                     struct message *why);
/* The least of any stage, for the layout of `s`. */
MUST_USE enum status plan_inside_least(const struct scenario *s, struct plan_inside *out,
                                       struct message *why);
/* The step at the peak of all GPUs, nothing computed twice: MFU is its part of the step's time. */
MUST_USE enum status plan_ideal_s(const struct scenario *s, double *out, struct message *why);

/* Steps are compared as whole nanoseconds. */
double plan_nanoseconds(double seconds);

/* Copies the layout's fields out of a resolved scenario. */
void plan_read(const struct scenario *s, struct plan_layout *out);

/* The request's scenario with the layout's options, resolved; legal or not. */
MUST_USE enum status plan_seed(const struct plan_request *request, const struct plan_layout *layout,
                               struct scenario *out, struct message *why);

/* True if option `name` of the request was given: its value is the only one looked at. */
bool plan_pinned(const struct scenario *applied, const char *name);

#endif
