/* Two unknowns by least squares, and the crossing of two straight lines. Called by `shardlab allreduce --sweep`. No state.
 * Proof: tests/unit/calc/test_alpha_beta.c. */
#include "shardlab/calc/alpha_beta.h"

#include <math.h>

static double deviation_of(const struct calc_timing *t, int count, double alpha, double beta) {
    double sum = 0;
    for (int i = 0; i < count; i++) {
        sum += fabs(alpha * t[i].messages + beta * t[i].bytes - t[i].seconds) / t[i].seconds;
    }
    return sum / count;
}

bool calc_alpha_beta_fit(const struct calc_timing *timings, int count,
                         struct calc_alpha_beta *out) {
    /* normal equations of m·α + b·β = 1 with m = messages ÷ seconds, b = bytes ÷ seconds */
    double mm = 0, mb = 0, bb = 0, m1 = 0, b1 = 0;
    for (int i = 0; i < count; i++) {
        double m = timings[i].messages / timings[i].seconds;
        double b = timings[i].bytes / timings[i].seconds;
        mm += m * m;
        mb += m * b;
        bb += b * b;
        m1 += m;
        b1 += b;
    }
    const double same_direction = 1e-12;
    double determinant = mm * bb - mb * mb;
    if (!(determinant > same_direction * mm * bb)) {
        return false;
    }
    double alpha = (m1 * bb - b1 * mb) / determinant, beta = (b1 * mm - m1 * mb) / determinant;
    if (!(alpha > 0 && beta > 0)) {
        return false;
    }
    *out = (struct calc_alpha_beta){alpha, 1 / beta, deviation_of(timings, count, alpha, beta)};
    return true;
}

double calc_overtaking_size(const struct calc_overtaking *o) {
    double ahead = log(o->second[0] / o->first[0]), behind = log(o->first[1] / o->second[1]);
    double way = ahead + behind > 0 ? ahead / (ahead + behind) : 1;
    return exp(log(o->small) + way * (log(o->large) - log(o->small)));
}
