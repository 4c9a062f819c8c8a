/* The α–β model turned round: from times that were measured to the latency of a message and the rate of bytes that explain
 * them best, and from times over sizes to where one way overtakes another. Source of the model: Hockney, "The communication
 * challenge for MPP", 1994. Proof: tests/unit/calc/test_alpha_beta.c. */
#ifndef CALC_ALPHA_BETA_H
#define CALC_ALPHA_BETA_H

#include <stdbool.h>

/* One measurement: what the busiest ranks sent one after another, and how long it took. */
struct calc_timing {
    double messages, bytes; /* ≥ 0 */
    double seconds;         /* > 0 */
};

struct calc_alpha_beta {
    double alpha_s;     /* seconds a message */
    double bytes_per_s; /* of one rank */
    double deviation;   /* mean of |model − measured| ÷ measured */
};

/* Least squares of the relative error, so that a small message counts as much as a large one: the sum of
 * ((α·messages + bytes ÷ rate − seconds) ÷ seconds)² is least. False: the measurements do not tell α and rate apart, or
 * the best α or rate is not above zero, which no machine has. */
bool calc_alpha_beta_fit(const struct calc_timing *timings, int count, struct calc_alpha_beta *out);

/* Two ways of doing the same, measured at two sizes: `first` is faster at the smaller one, `second` at the larger. */
struct calc_overtaking {
    double small, large;        /* sizes, 0 < small < large */
    double first[2], second[2]; /* seconds at small and at large, > 0 */
};
/* The size at which both take as long, where times are straight between the two sizes and both axes logarithmic. */
double calc_overtaking_size(const struct calc_overtaking *o);

#endif
