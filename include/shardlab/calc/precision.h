/* What low precision does to arithmetic, predicted from a format's bits alone: e exponent bits, m mantissa bits, with or
 * without infinity. Beside it stands what `precision` measured with real rounding; nothing here knows a pattern, a
 * table or a rounding routine of another room.
 *   bias 2^(e−1) − 1 · least exponent 1 − bias · largest exponent E = bias (with inf), bias + 1 (all ones alone is nan)
 *   step at x with exponent k: 2^(max(k, 1 − bias) − m) · max 2^E (2 − 2^−m), without inf 2^E (2 − 2^(1−m))
 *   x rounds past max from max + 2^(E−m−1) on; without inf only above it, since max is the even neighbour of the tie
 *   |x| ≤ 2^(1−bias−m−1) rounds to zero · |x| < 2^(1−bias) − 2^(1−bias−m−1) is at most subnormal
 *   a running sum of equal terms v stops at 2^(m+1)·v when v is a power of two, because v is then half a step and ties
 *   go to even; between powers of two every addition has the same effect, so that a sum is a few jumps
 * Experiments round after every operation, as hardware without wider accumulation does; each takes `struct calc_trial`
 * and appends facts by the names and in the order in which `precision` measures them. exp, log, sqrt are binary64's.
 * Sources: IEEE 754-2019; OCP 8-bit Floating Point Specification 1.0; OCP Microscaling Formats 1.0 (block scale);
 * Micikevicius et al. 2018 (loss scaling); Kingma, Ba 2015 (Adam). Proof: tests/unit/calc/test_precision.c; beside the
 * real thing: tests/cli/test_overflow.c. */
#ifndef CALC_PRECISION_H
#define CALC_PRECISION_H

#include <stdint.h>

#include "shardlab/base/facts.h"
#include "shardlab/calc/collective.h"

struct calc_format {
    int exponent_bits, mantissa_bits;
    bool infinity; /* the highest exponent is inf and nan; false: only all ones is nan */
};
/* fp32, fp16, bf16, e4m3, e5m2; false: no such name. */
MUST_USE bool calc_format_find(const char *name, struct calc_format *out);

int calc_format_least(const struct calc_format *f);   /* exponent of the least normal number */
int calc_format_largest(const struct calc_format *f); /* exponent of max */
double calc_format_max(const struct calc_format *f);
double calc_format_tiny(const struct calc_format *f); /* the least subnormal number */
/* The step at |x|: the distance to the next number away from zero. */
double calc_format_step(const struct calc_format *f, double x);
/* The next number of the format below x > 0; x is one of its numbers. */
double calc_format_below(const struct calc_format *f, double x);
/* True if |x| rounds past max. */
bool calc_format_passes(const struct calc_format *f, double x);

/* A format and what it does with what passes max: inf (nan without infinity), or max. */
struct calc_rounding {
    struct calc_format format;
    bool saturates;
};
/* To nearest, ties to even, once. */
double calc_round(const struct calc_rounding *r, double x);

struct calc_sum {
    double last;
    uint64_t changed; /* additions after which the sum was another number */
};
/* start + term + term + …, `count` times; both numbers of the format, start ≥ 0, term > 0. Time: logarithmic. */
struct calc_sum calc_running_sum(const struct calc_rounding *r, double start, double term,
                                 uint64_t count);
/* "moving", "stalled" (the last addition changed nothing), "saturated" (so, at max), "overflow" (inf or nan) */
const char *calc_sum_end(const struct calc_rounding *r, const struct calc_sum *sum, uint64_t count);

/* What an experiment is asked. Values are numbers of the format where nothing else is said. */
struct calc_trial {
    struct calc_rounding type;
    uint64_t count;         /* additions, updates, logits, or numbers of one step */
    double value;           /* term, addend, weight, logit or gradient */
    double update;          /* of a weight; > 0 */
    double epsilon;         /* of Adam, as written */
    uint64_t trials;        /* weights that are rounded stochastically */
    uint64_t steps, growth; /* loss scaling: doubled after `growth` steps without overflow */
    int scale_log2;         /* loss scale at the beginning, as an exponent */
    bool dynamic;           /* false: it stays */
    const double *values;   /* binary64, `count` of each step; the caller's */
    uint64_t seed;          /* stochastic rounding: see calc_random */
    uint32_t ranks;         /* all-reduce */
    enum calc_algorithm algorithm;
    uint64_t elements;
    bool narrow, wide; /* accumulate in the type, in fp32: which of them is asked */
};

void calc_predict_sum(const struct calc_trial *t, struct facts *out);
void calc_predict_range(const struct calc_trial *t, struct facts *out);
void calc_predict_gradients(const struct calc_trial *t, struct facts *out);
void calc_predict_loss_scale(const struct calc_trial *t, struct facts *out);
void calc_predict_softmax(const struct calc_trial *t, struct facts *out);
void calc_predict_adam(const struct calc_trial *t, struct facts *out);
void calc_predict_stagnation(const struct calc_trial *t, struct facts *out);
void calc_predict_stochastic(const struct calc_trial *t, struct facts *out);
void calc_predict_block_scale(const struct calc_trial *t, struct facts *out);
void calc_predict_accumulation(const struct calc_trial *t, struct facts *out);

/* The least logit whose exp passes max, a number of the format. */
double calc_overflow_logit(const struct calc_format *f);
/* Curves show additions n that are a multiple of count div 64 + 1, and the last: the next after `n`; 0 after the last. */
uint64_t calc_next_shown(uint64_t n, uint64_t count);
/* Random bits of one rounding: splitmix64's output number 1 + trial · 2^32 + step from `seed`. */
uint64_t calc_random(uint64_t seed, uint64_t trial, uint64_t step);

#endif
