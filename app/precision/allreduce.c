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

static enum status both_ways(const struct part *p, struct facts *out) {
    enum status ok = STATUS_OK;
    precision_reduced_start(p->o, out);
    for (int wide = 0; ok == STATUS_OK && wide < 2; wide++) {
        if (wide == 0 ? p->o->narrow : p->o->wide) {
            ok = add_up(p, wide == 1);
            if (ok == STATUS_OK) {
                precision_reduced_take(p->o, p->codes, true, wide == 1, out);
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
