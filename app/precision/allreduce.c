/* An all-reduce whose sums are rounded on the way, on ranks that really send: rank 0 gives one number in every element, the
 * others another. Each rank sees the whole result and judges it; run.c compares them. The transport and the additions
 * are those of `shardlab allreduce` (room ranks). Proof: tests/unit/precision/test_allreduce.c. */
#include <math.h>
#include <stdlib.h>

#include "precision_private.h"

/* What one rank needs for a collective. */
struct part {
    struct ranks_endpoint *e;
    const struct precision_options *o;
    struct coll_step *steps;
    uint32_t step_count;
    uint16_t *codes;
    float *sums;
};

static enum status add_up(const struct part *p, bool wide) {
    const struct precision_options *o = p->o;
    double own = ranks_self(p->e) == 0 ? o->value : o->update;
    uint16_t code = (uint16_t)num_encode(o->type, own, num_rounding_of(o->type)).code;
    struct ranks_passed passed;
    struct ranks_call call = {.job = &o->job,
                              .type = o->type == NUM_FP16 ? RANKS_FP16 : RANKS_BF16,
                              .op = RANKS_OP_SUM,
                              .wide = wide,
                              .steps = p->steps,
                              .step_count = p->step_count,
                              .input = p->codes,
                              .output = p->codes,
                              .sums = wide ? p->sums : NULL};
    for (uint64_t i = 0; i < o->job.elements; i++) {
        p->codes[i] = code;
    }
    enum status ok = ranks_barrier(p->e);
    ok = ok == STATUS_OK ? ranks_collective_run(p->e, &call, &passed) : ok;
    return ok == STATUS_OK ? ranks_barrier(p->e) : ok;
}

/* The number in all elements of a chunk; nan where they differ. */
static double of_chunk(const struct part *p, uint64_t first, uint64_t count) {
    for (uint64_t i = 1; i < count; i++) {
        if (p->codes[first + i] != p->codes[first]) {
            return (double)NAN;
        }
    }
    return num_decode(p->o->type, p->codes[first]);
}

enum { COLUMNS = 5 };

/* Writes one column of the points, and the facts of least and most. */
static void take(const struct part *p, int column, const char *const facts[2], struct facts *out) {
    double least = (double)NAN, most = (double)NAN;
    for (int row = 0; row < out->points; row++) {
        uint64_t first, count;
        coll_chunk(&p->o->job, (uint32_t)out->point[row][0], &first, &count);
        double sum = of_chunk(p, first, count);
        out->point[row][column] = sum;
        least = fmin(least, sum);
        most = fmax(most, sum);
    }
    facts_value(out, facts[0], least);
    facts_value(out, facts[1], most);
}

static void start(const struct precision_options *o, struct facts *out) {
    static const char *const names[] = {"chunk", "elements", "type", "fp32", "exact"};
    const double nothing = (double)NAN;
    double exact = o->value + o->update * (double)(o->job.ranks - 1);
    facts_columns(out, names, COLUMNS);
    for (uint32_t chunk = 0; chunk < o->job.ranks; chunk++) {
        uint64_t first, count;
        coll_chunk(&o->job, chunk, &first, &count);
        if (count > 0) {
            facts_point(out,
                        (const double[COLUMNS]){chunk, (double)count, nothing, nothing, exact});
        }
    }
    facts_value(out, "rank_0_gives", o->value);
    facts_value(out, "others_give", o->update);
    facts_count(out, "ranks", o->job.ranks);
    facts_count(out, "elements", o->job.elements);
    facts_real(out, "exact_sum", exact);
}

static enum status both_ways(const struct part *p, struct facts *out) {
    static const char *const facts[2][2] = {{"least_in_type", "most_in_type"},
                                            {"least_in_fp32", "most_in_fp32"}};
    enum status ok = STATUS_OK;
    start(p->o, out);
    for (int wide = 0; ok == STATUS_OK && wide < 2; wide++) {
        if (wide == 0 ? p->o->narrow : p->o->wide) {
            ok = add_up(p, wide == 1);
            if (ok == STATUS_OK) {
                take(p, 2 + wide, facts[wide], out);
            }
        }
    }
    return ok;
}

enum status measure_allreduce(const struct precision_options *o, struct ranks_endpoint *e,
                              struct facts *out) {
    struct part p = {.e = e, .o = o};
    size_t elements = (size_t)o->job.elements;
    uint32_t most = coll_steps_max(&o->job);
    p.steps = malloc(((size_t)most + 1) * sizeof *p.steps);
    p.codes = malloc((elements + 1) * sizeof *p.codes);
    p.sums = malloc((elements + 1) * sizeof *p.sums);
    enum status ok = STATUS_FAILED;
    if (p.steps != NULL && p.codes != NULL && p.sums != NULL) {
        p.step_count = coll_steps(&o->job, ranks_self(e), p.steps, most);
        ok = both_ways(&p, out);
    }
    free(p.steps);
    free(p.codes);
    free(p.sums);
    return ok;
}
