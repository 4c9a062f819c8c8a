/* What is counted of a precision experiment once its results are there: histograms, the loss scaler, errors of quantized
 * numbers, sums that a reduction left. The arithmetic is the CPU's (precision.h) or a device's (room gpu); what is made of
 * its results is the same for both, and is written here once. The calculator that predicts them knows none of it.
 * Proof: tests/unit/precision/test_experiments.c, tests/unit/gpu/test_precision.c. */
#ifndef PRECISION_JUDGE_H
#define PRECISION_JUDGE_H

#include "shardlab/precision/precision.h"

/* Additions that a curve of about 64 points shows: every count div 64 + 1, and the last. */
uint64_t precision_shown_every(uint64_t count);
bool precision_is_shown(uint64_t at, uint64_t count);

/* Of a number that is not 0: the exponent of its power of two. Of `count` ≥ 1 numbers: the smallest and the largest size. */
int precision_exponent(double x);
double precision_least(const double *values, uint64_t count);
double precision_most(const double *values, uint64_t count);

/* Five columns named `names`, and a row of zeros for each exponent that occurs in the first step or lies between; returns
 * the first exponent. */
int precision_histogram_start(const struct precision_options *o, const char *const names[5],
                              struct facts *out);

/* A loss scale, a power of two. */
struct precision_scaler {
    int exponent; /* as fp32 holds it: −126 … 127 */
    uint64_t clean, skipped, doubled;
};
/* After a step: halved by an overflow, doubled after `growth` steps without one, unless the scale is static. */
void precision_scaler_next(struct precision_scaler *s, const struct precision_options *o,
                           bool overflow);

/* One way of scaling 8-bit numbers: what came back, and which passed the largest number. */
struct precision_quantized {
    double *values;
    bool *past;
};
/* Adds one column to a histogram and four facts: zeros, numbers past max, largest and mean relative error. */
void precision_quantized_judge(const struct precision_options *o,
                               const struct precision_quantized *q, int column,
                               const char *const facts[4], struct facts *out);

/* The rows and first facts of an all-reduce. */
void precision_reduced_start(const struct precision_options *o, struct facts *out);
/* What it left, accumulated in the type or (wide) in fp32: the number of each chunk, nan where elements differ, and the
 * least and the most. `codes` are those of one rank; `same`: all ranks have them. */
void precision_reduced_take(const struct precision_options *o, const uint16_t *codes, bool same,
                            bool wide, struct facts *out);

#endif
