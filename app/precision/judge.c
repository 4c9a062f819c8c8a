/* Bookkeeping of the precision experiments, for results of the CPU and of devices alike; see precision/judge.h. Called by
 * measure_* here and by app/gpu/precision*.c. Everything is the caller's. What it leaves out: the arithmetic.
 * Proof: tests/unit/precision/test_experiments.c, tests/unit/gpu/test_precision.c. */
#include "shardlab/precision/judge.h"

#include <math.h>

uint64_t precision_shown_every(uint64_t count) {
    enum { SHOWN = 64 };
    return count / SHOWN + 1;
}

bool precision_is_shown(uint64_t at, uint64_t count) {
    return at % precision_shown_every(count) == 0 || at == count;
}

int precision_exponent(double x) {
    int exponent;
    (void)frexp(x, &exponent);
    return exponent - 1;
}

double precision_least(const double *values, uint64_t count) {
    double least = fabs(values[0]);
    for (uint64_t i = 1; i < count; i++) {
        least = fmin(least, fabs(values[i]));
    }
    return least;
}

double precision_most(const double *values, uint64_t count) {
    double most = fabs(values[0]);
    for (uint64_t i = 1; i < count; i++) {
        most = fmax(most, fabs(values[i]));
    }
    return most;
}

int precision_histogram_start(const struct precision_options *o, const char *const names[5],
                              struct facts *out) {
    int lowest = precision_exponent(precision_least(o->values, o->count));
    int highest = precision_exponent(precision_most(o->values, o->count));
    facts_columns(out, names, 5);
    for (int exponent = lowest; exponent <= highest; exponent++) {
        facts_point(out, (const double[5]){exponent, 0, 0, 0, 0});
    }
    return lowest;
}

void precision_scaler_next(struct precision_scaler *s, const struct precision_options *o,
                           bool overflow) {
    enum { SCALE_MOST = 127, SCALE_LEAST = -126 };
    if (overflow) {
        s->clean = 0;
        s->skipped++;
        s->exponent -= o->dynamic && s->exponent > SCALE_LEAST ? 1 : 0;
        return;
    }
    if (++s->clean == o->growth) {
        s->clean = 0;
        if (o->dynamic && s->exponent < SCALE_MOST) {
            s->exponent++;
            s->doubled++;
        }
    }
}

void precision_quantized_judge(const struct precision_options *o,
                               const struct precision_quantized *q, int column,
                               const char *const facts[4], struct facts *out) {
    uint64_t zero = 0, past = 0;
    double largest = 0, sum = 0;
    int lowest = (int)out->point[0][0];
    for (uint64_t i = 0; i < o->count; i++) {
        double error = fabs(q->values[i] - o->values[i]) / fabs(o->values[i]);
        bool flushed = !(fabs(q->values[i]) > 0);
        zero += flushed ? 1 : 0;
        out->point[precision_exponent(o->values[i]) - lowest][column] += flushed ? 1 : 0;
        past += q->past[i] ? 1 : 0;
        largest = fmax(largest, error);
        sum += error;
    }
    facts_count(out, facts[0], zero);
    facts_count(out, facts[1], past);
    facts_real(out, facts[2], largest);
    facts_real(out, facts[3], sum / (double)o->count);
}

enum { REDUCED_COLUMNS = 5, REDUCED_IN_TYPE = 2 };

void precision_reduced_start(const struct precision_options *o, struct facts *out) {
    static const char *const names[] = {"chunk", "elements", "type", "fp32", "exact"};
    const double nothing = (double)NAN;
    double exact = o->value + o->update * (double)(o->job.ranks - 1);
    facts_columns(out, names, REDUCED_COLUMNS);
    for (uint32_t chunk = 0; chunk < o->job.ranks; chunk++) {
        uint64_t first, count;
        coll_chunk(&o->job, chunk, &first, &count);
        if (count > 0) {
            facts_point(out, (const double[REDUCED_COLUMNS]){chunk, (double)count, nothing, nothing,
                                                             exact});
        }
    }
    facts_value(out, "rank_0_gives", o->value);
    facts_value(out, "others_give", o->update);
    facts_count(out, "ranks", o->job.ranks);
    facts_count(out, "elements", o->job.elements);
    facts_real(out, "exact_sum", exact);
}

void precision_reduced_take(const struct precision_options *o, const uint16_t *codes, bool same,
                            bool wide, struct facts *out) {
    double least = (double)NAN, most = (double)NAN;
    for (int row = 0; row < out->points; row++) {
        uint64_t first, count;
        bool equal = same;
        coll_chunk(&o->job, (uint32_t)out->point[row][0], &first, &count);
        for (uint64_t i = 1; i < count; i++) {
            equal = equal && codes[first + i] == codes[first];
        }
        double sum = equal ? num_decode(o->type, codes[first]) : (double)NAN;
        out->point[row][REDUCED_IN_TYPE + (wide ? 1 : 0)] = sum;
        least = fmin(least, sum);
        most = fmax(most, sum);
    }
    facts_value(out, wide ? "least_in_fp32" : "least_in_type", least);
    facts_value(out, wide ? "most_in_fp32" : "most_in_type", most);
}
