/* Which layout of a model on a cluster is fastest? Every legal layout is looked at, those that fit are kept, and they are
 * ordered by the predicted time of one step. What is legal is scenario_violations' verdict, what fits is
 * calc_memory_worst's against scenario_capacity_bytes; nothing here knows better.
 *
 * Layouts: dp·tp·pp·cp = GPUs and dp·micro-batch·micro-batches = global batch, all whole. By rules of this search, each of
 * which a pin (an option given) overrules:
 *   tp divides the GPUs of a node (its two collectives a block want the fast links);
 *   cp leaves each rank 1024 tokens of a sequence at least, and 2·cp divides the sequence (balanced causal halves);
 *   ep divides the experts; micro-batches of at most 1024 sequences;
 *   schedules 1f1b, and where pp > 1 zb-h1 and interleaved, with V chunks that cut the layers evenly, or where none does
 *   powers of two; V at most 16. Others when they are pinned; those that fold the pipeline or run it both ways with at most
 *   PLAN_RUN_RANKS_MAX stages, because they are run in the caller's memory (struct plan_space);
 *   of every other schedule, as many micro-batches as its closed form holds for (interleaved: a multiple of pp);
 *   selective recomputation only with standard attention (flash keeps nothing that it would drop);
 *   of ZeRO stages that share nothing, because there is one rank to share with, the lowest (and ZeRO 3 of DeepSpeed and
 *   FSDP, which gathers by units all the same);
 *   with tp > 1, with and without sequence parallelism.
 *
 * Time of a step: computation at --mfu of the card's peak (the part that the kernels reach while they run: what is
 * computed again comes on top), the slowest stage setting the pace; the bubble of the schedule (pipe/closed_form.h, or a run of its order) and
 * the communication that computation does not hide (calc_comm). For equal stages this is the pipeline's simulated
 * time, else an upper bound. Left out: efficiency of kernels by their size, stragglers, input, checkpoints.
 * Proof: tests/unit/plan/ (brute force on small cases, simulation, published runs). */
#ifndef PLAN_PLAN_H
#define PLAN_PLAN_H

#include <stddef.h>

#include "shardlab/calc/scenario.h"

/* The terms of a step's time, in this order they are added up. */
enum plan_term {
    PLAN_COMPUTE,   /* forward and backward, mean of the stages */
    PLAN_RECOMPUTE, /* forward once more, mean of the stages */
    PLAN_IMBALANCE, /* what the slowest stage has more than the mean */
    PLAN_BUBBLE,    /* filling and draining of the pipeline */
    PLAN_TP,        /* exposed communication by axis */
    PLAN_CP,
    PLAN_EP,
    PLAN_PP,
    PLAN_DP,
    PLAN_OFFLOAD,
    PLAN_TERMS
};
/* "compute", "bubble", "tp", …: keys of JSON (with _s) and tails of message ids. */
const char *plan_term_name(enum plan_term term);

struct plan_layout {
    uint64_t dp, tp, pp, cp, ep, chunks, zero;
    uint64_t micro_batch, micro_batches;
    bool sequence_parallel;  /* false with tp 1, where it divides nothing */
    int schedule, recompute; /* enum calc_schedule, enum calc_recompute */
    uint64_t total_bytes;    /* of the GPU that needs most */
    double term_s[PLAN_TERMS];
    double step_s; /* their sum */
    double mfu;    /* model FLOPs of the step over what the cluster could do in it */
    double bubble; /* idle part of the pipeline's time, stages taken as equal */
    double idle;   /* what a rank waits for filling and draining, in micro-batches */
};

struct plan_request {
    const struct scenario
        *applied; /* as given, presets applied, not resolved; what it gives is pinned */
    uint64_t gpus, global_batch; /* sequences */
};

struct plan_summary {
    uint64_t considered; /* legal layouts */
    uint64_t feasible;   /* of them, those that fit */
    uint64_t faster;     /* feasible ones that come before the mark */
    int count;           /* written into the list */
    uint64_t capacity_bytes;
    struct message refusal;            /* where nothing was legal: why the first was not */
    uint64_t memory_calls, time_calls; /* how often the calculators were asked: for bench */
};

enum { PLAN_GPUS_MAX = 1 << 20, PLAN_BEST_MAX = 1000 };

/* Says what is missing for planning: the model's dimensions, a card with memory, a peak and links, a batch. */
MUST_USE enum status plan_check(const struct plan_request *request, struct message *why);

/* What the caller wants to keep, in his memory. */
struct plan_list {
    struct plan_layout *best; /* filled, best first */
    int capacity;
    const struct plan_layout *mark; /* a priced layout whose place is asked for; NULL: none */
};

/* Fills the list. Ties (to the nanosecond) go to the simpler layout: smaller pp, tp, cp, ep, ZeRO stage, chunks, less
 * recomputation, no sequence parallelism, smaller micro-batch. STATUS_USAGE when the request is not complete (plan_check), a link's rate is not
 * known or a number overflows. */
MUST_USE enum status plan_search(const struct plan_request *request, const struct plan_list *list,
                                 struct plan_summary *out, struct message *why);

/* zb-v, dualpipe, dualpipev and chimera have no closed form for the time that their messages cost, and so are run
 * (pipe/simulate.h). The caller lends the memory: plan_space_bytes of it, aligned as malloc aligns. Without, a request for
 * one of them is refused (STATUS_USAGE). Cost: an order of at most 4·pp micro-batches for every number of stages and ratio
 * of times that layouts bring. */
enum { PLAN_RUN_RANKS_MAX = 128 };
struct plan_space {
    void *bytes;
    size_t size;
};
size_t plan_space_bytes(void);
/* plan_search, and plan_price, with that memory; `space` may be NULL. */
MUST_USE enum status plan_search_in(const struct plan_request *request,
                                    const struct plan_list *list, const struct plan_space *space,
                                    struct plan_summary *out, struct message *why);
MUST_USE enum status plan_price_in(const struct scenario *s, const struct plan_space *space,
                                   struct plan_layout *out, struct message *why);

/* True if `a` comes before `b`. */
bool plan_before(const struct plan_layout *a, const struct plan_layout *b);

/* The scenario that a layout means: the request's with the layout's options given, resolved. STATUS_USAGE names the
 * first rule that it breaks, products of GPUs and of the batch included. */
MUST_USE enum status plan_scenario(const struct plan_request *request,
                                   const struct plan_layout *layout, struct scenario *out,
                                   struct message *why);

/* Memory and times of a resolved, legal scenario; the layout's fields are read from it. */
MUST_USE enum status plan_price(const struct scenario *s, struct plan_layout *out,
                                struct message *why);

/* Why a layout stands where it stands: at most three clauses, to be joined. The largest term beside computation; the
 * difference to `other` (the best, or for the best the next; NULL, or the layout itself: there is none); the next constraint. */
enum { PLAN_CLAUSES = 3 };
struct plan_why {
    int count;
    struct message clauses[PLAN_CLAUSES];
};
void plan_explain(const struct plan_layout *layout, const struct plan_layout *other,
                  const struct scenario *s, struct plan_why *out);

/* The term that lies furthest apart, in favour of the faster one; PLAN_TERMS when no term does. */
enum plan_term plan_separates(const struct plan_layout *faster, const struct plan_layout *slower);

#endif
