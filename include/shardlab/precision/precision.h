/* Experiments in low precision that really run: operands are numbers of a format, and every operation is rounded to it
 * before the next one sees its result, as hardware without wider accumulation computes. `shardlab overflow` and the
 * lessons *formats* and *mixed-precision* show them beside what calc predicts from bits alone; this room measures and
 * knows no calculator. An operation is done in binary64 and rounded once more: for + − × ÷ √ of operands of at most 24
 * bits that is the operation rounded once, since 53 ≥ 2·24 + 2; exp is binary64's, rounded. Curves show additions that
 * are a multiple of count div 64 + 1, and the last.
 * Every experiment runs on each of its ranks (threads or processes), which must agree; `allreduce` is the one in which
 * they speak to each other. Proof: tests/unit/precision/, tests/cli/test_overflow.c. */
#ifndef PRECISION_PRECISION_H
#define PRECISION_PRECISION_H

#include "shardlab/base/facts.h"
#include "shardlab/num/format.h"
#include "shardlab/ranks/collective.h"

enum precision_experiment {
    PRECISION_SUM,        /* of equal terms: it stalls */
    PRECISION_RANGE,      /* what max can still take */
    PRECISION_GRADIENTS,  /* which become zero or subnormal, by exponent */
    PRECISION_LOSS_SCALE, /* static or dynamic: what it saves and when it skips */
    PRECISION_SOFTMAX,    /* with and without subtracting the largest logit */
    PRECISION_ADAM_EPS,   /* ε and the squares of gradients that vanish */
    PRECISION_STAGNATION, /* updates below half a step, with and without a master in fp32 */
    PRECISION_STOCHASTIC, /* the same weights under stochastic rounding */
    PRECISION_FP8_SCALE,  /* no scale, one a tensor, one a block */
    PRECISION_ALLREDUCE,  /* sums over ranks, accumulated in the type and in fp32 */
    PRECISION_EXPERIMENTS
};
const char *precision_name(enum precision_experiment experiment); /* "loss-scale" */
int precision_find(const char *name);                             /* -1: none */
/* fp8-scale needs 8 bits, allreduce a type that ranks add up (16 bits); the others take any type of 8 or 16 bits. */
bool precision_defined(enum precision_experiment experiment, enum num_type type);

enum {
    PRECISION_VALUES_MAX = 1 << 22, /* numbers of gradients in all steps */
    PRECISION_REPEAT_MAX = 1000,
};

/* Numbers that an experiment does not need may be anything. Numbers of the type: value and update, but for adam-eps. */
struct precision_options {
    enum precision_experiment experiment;
    enum num_type type;
    enum num_overflow overflow;
    uint64_t count;  /* additions, updates, logits, or numbers of one step; ≥ 1 */
    double value;    /* term, addend, weight, logit, gradient, or what rank 0 gives */
    double update;   /* of a weight, or what the other ranks give */
    double epsilon;  /* of Adam */
    uint64_t trials; /* weights that are rounded stochastically */
    uint64_t steps,
        growth;     /* loss scaling: doubled after `growth` steps in a row without an overflow */
    int scale_log2; /* the scale at the beginning, as an exponent */
    bool dynamic;   /* false: it stays */
    const double
        *values;   /* steps · count numbers, none of them 0; the caller's (precision_gradients) */
    uint64_t seed; /* of stochastic rounding */
    struct coll_job job; /* ranks ≥ 1; all of it for allreduce */
    bool narrow, wide;   /* allreduce: accumulate in the type, in fp32 */
    enum ranks_backend backend;
    double timeout_s;
    uint64_t repeat;
    /* After each repetition, with what it took; from the caller's thread. NULL: nobody listens. */
    void (*tell)(void *context, uint64_t repeat, double time_s);
    void *tell_context;
};

struct precision_result {
    struct facts facts;  /* of rank 0 in the first repetition */
    bool same_each_time; /* all ranks and repetitions found the same */
    double least_s;      /* the shortest repetition */
};

/* Runs it `repeat` times. STATUS_FAILED: a rank or the memory failed. The result is large (FACTS_POINTS); the caller's. */
MUST_USE enum status precision_run(const struct precision_options *options,
                                   struct precision_result *out, struct message *why);

/* Log-normal numbers of either sign: ± 2^(centre + spread · z), z the sum of twelve uniform numbers less six; number i of
 * a step depends on seed, step and i alone. |centre| ≤ 60 and 0 ≤ spread ≤ 8 keep them far inside binary64. */
struct precision_source {
    uint64_t seed;
    double centre, spread;
};
void precision_gradients(const struct precision_source *source, uint64_t step, double *values,
                         uint64_t count);

/* 64 random bits for one rounding: splitmix64's output number 1 + trial · 2^32 + step from `seed`. */
uint64_t precision_random(uint64_t seed, uint64_t trial, uint64_t step);

#endif
