/* What an all-reduce adds up when sums are rounded on the way: rank 0 gives one number, every other rank another, and the
 * order of each algorithm (ranks and chunks as in calc/collective.h) decides where the large number meets the small
 * ones. Called by the command `overflow`. Proof: tests/unit/calc/test_precision.c; beside real ranks:
 * tests/cli/test_overflow.c. */
#include <math.h>

#include "shardlab/calc/precision.h"

struct order {
    const struct calc_trial *t;
    /* How a rank adds what it receives in a row: in the type, or in fp32 and rounded once before it is sent. */
    struct calc_rounding inside;
};

static double given(const struct order *o, uint32_t rank) {
    return rank == 0 ? o->t->value : o->t->update;
}

static double sent(const struct order *o, double sum) {
    return calc_round(&o->t->type, sum);
}

static double plus(const struct order *o, double a, double b) {
    return calc_round(&o->inside, a + b);
}

static double small_ones(const struct order *o, double sum, uint64_t count) {
    return count > 0 && isfinite(sum) ? calc_running_sum(&o->inside, sum, o->t->update, count).last
                                      : sum;
}

/* Rank `owner` adds to its own the others in rank order. */
static double at_owner(const struct order *o, uint32_t owner) {
    double sum = given(o, owner);
    uint32_t others = o->t->ranks - 1;
    if (owner > 0) {
        sum = plus(o, sum, given(o, 0));
        others--;
    }
    return sent(o, small_ones(o, sum, others));
}

/* Chunk c starts at rank c + 1 and ends at c: small ones, then rank 0, then small ones; rounded at each rank. */
static double around(const struct order *o, uint32_t chunk) {
    struct order narrow = {o->t, o->t->type};
    uint32_t before = o->t->ranks - 1 - chunk;
    double sum = before > 0 ? small_ones(&narrow, o->t->update, before - 1) : given(o, 0);
    sum = before > 0 ? plus(&narrow, sum, given(o, 0)) : sum;
    return small_ones(&narrow, sum, chunk);
}

/* What rank r sends up: its own and those of r + 1, r + 2, r + 4 … below its lowest set bit. */
static double up_tree(const struct order *o, uint32_t rank) {
    double sum = given(o, rank);
    for (uint32_t far = 1; rank + far < o->t->ranks && (rank & far) == 0; far *= 2) {
        sum = plus(o, sum, up_tree(o, rank + far));
    }
    return sent(o, sum);
}

/* Of `ranks` chunks, those that hold elements are the first ones. */
static uint64_t filled(const struct order *o) {
    return o->t->elements < o->t->ranks ? o->t->elements : o->t->ranks;
}

/* What rank r holds of a chunk after the exchanges at distances P/2 … `far`. A sum that is kept in fp32 is rounded when
 * the rank sends or turns to another run of chunks: at every exchange, unless the half that it would send is empty and
 * what it keeps is one run. */
static double halved(const struct order *o, uint32_t rank, uint32_t far, uint32_t power) {
    if (far == power) {
        bool pair = rank + power < o->t->ranks;
        return pair ? plus(o, given(o, rank), given(o, rank + power)) : given(o, rank);
    }
    uint32_t kept = rank & ~(far - 1), given_away = (rank ^ far) & ~(far - 1);
    double own = halved(o, rank, far * 2, power);
    double other = sent(o, halved(o, rank ^ far, far * 2, power));
    double sum = plus(o, given_away < filled(o) ? sent(o, own) : own, other);
    return power + kept < filled(o) ? sent(o, sum) : sum;
}

static double of_chunk(const struct order *o, uint32_t chunk) {
    uint32_t power = 1;
    while (power * 2 <= o->t->ranks) {
        power *= 2;
    }
    switch (o->t->algorithm) {
    case CALC_ALGORITHM_RING:
        return around(o, chunk);
    case CALC_ALGORITHM_TREE:
        return up_tree(o, 0);
    case CALC_ALGORITHM_HALVING_DOUBLING:
        return sent(o, halved(o, chunk % power, 1, power));
    case CALC_ALGORITHM_DIRECT:
        return at_owner(o, chunk);
    default:
        return at_owner(o, 0);
    }
}

void calc_predict_accumulation(const struct calc_trial *t, struct facts *out) {
    static const char *const names[] = {"chunk", "elements", "type", "fp32", "exact"};
    static const struct calc_rounding fp32 = {{8, 23, true}, false};
    struct order narrow = {t, t->type}, wide = {t, fp32};
    double exact = t->value + t->update * (double)(t->ranks - 1), nothing = (double)NAN;
    double least[2] = {nothing, nothing}, most[2] = {nothing, nothing};
    facts_columns(out, names, 5);
    for (uint32_t chunk = 0; chunk < t->ranks; chunk++) {
        uint64_t elements = t->elements / t->ranks + (chunk < t->elements % t->ranks ? 1 : 0);
        double sum[2] = {t->narrow ? of_chunk(&narrow, chunk) : nothing,
                         t->wide ? of_chunk(&wide, chunk) : nothing};
        for (int i = 0; i < 2 && elements > 0; i++) {
            least[i] = fmin(least[i], sum[i]);
            most[i] = fmax(most[i], sum[i]);
        }
        if (elements > 0) {
            facts_point(out, (const double[5]){chunk, (double)elements, sum[0], sum[1], exact});
        }
    }
    facts_value(out, "rank_0_gives", t->value);
    facts_value(out, "others_give", t->update);
    facts_count(out, "ranks", t->ranks);
    facts_count(out, "elements", t->elements);
    facts_real(out, "exact_sum", exact);
    for (int i = 0; i < 2; i++) {
        if (i == 0 ? t->narrow : t->wide) {
            facts_value(out, i == 0 ? "least_in_type" : "least_in_fp32", least[i]);
            facts_value(out, i == 0 ? "most_in_type" : "most_in_fp32", most[i]);
        }
    }
}
