/* An all-reduce on devices whose sums are rounded on the way: rank 0 gives one number in every element, the others another.
 * What is found has the names and the order of the room `precision`. Proof: tests/unit/gpu/test_precision.c. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "collective_private.h"
#include "precision_private.h"

/* Codes of the result, of rank 0 and of the rank that is compared with it. */
struct result {
    uint16_t *first, *other;
    bool same; /* on all ranks */
};

/* One collective, from numbers to result->first. */
static enum status play(struct device_run *d, struct collective *c, struct result *r) {
    const struct precision_options *o = d->o;
    const struct gpu_driver *driver = d->gpu->driver;
    uint64_t elements = o->job.elements, bytes = elements * sizeof *r->first;
    enum status ok = STATUS_OK;
    for (uint32_t rank = 0; ok == STATUS_OK && rank < o->job.ranks; rank++) {
        double own = rank == 0 ? o->value : o->update;
        uint16_t code = (uint16_t)num_encode(o->type, own, num_rounding_of(o->type)).code;
        for (uint64_t i = 0; i < elements; i++) {
            r->first[i] = code;
        }
        ok = driver->write(d->gpu, rank, c->member[rank].input, r->first, bytes);
    }
    if (ok != STATUS_OK) {
        return gpu_failed(d->gpu, d->why);
    }
    ok = collective_play(c, d->why);
    r->same = true;
    for (uint32_t rank = 0; ok == STATUS_OK && rank < o->job.ranks; rank++) {
        uint16_t *into = rank == 0 ? r->first : r->other;
        if (driver->read(d->gpu, rank, c->member[rank].output, into, bytes) != STATUS_OK) {
            return gpu_failed(d->gpu, d->why);
        }
        r->same = r->same && memcmp(into, r->first, (size_t)bytes) == 0;
    }
    return ok;
}

static void add_up(struct device_run *d, bool wide, struct result *r) {
    const struct precision_options *o = d->o;
    struct ranks_trial_options options = {.job = o->job,
                                          .type = o->type == NUM_FP16 ? RANKS_FP16 : RANKS_BF16,
                                          .op = RANKS_OP_SUM,
                                          .wide = wide,
                                          .timeout_s = o->timeout_s};
    size_t pairs = (size_t)o->job.ranks * o->job.ranks;
    struct ranks_turn turn = {.options = &options,
                              .bytes = device_room(d, pairs, sizeof(uint64_t)),
                              .messages = device_room(d, pairs, sizeof(uint64_t))};
    struct collective c = {.gpu = d->gpu, .options = &options, .turn = &turn};
    d->ok = d->ok == STATUS_OK ? collective_make(&c, d->why) : d->ok;
    d->ok = d->ok == STATUS_OK ? play(d, &c, r) : d->ok;
    collective_free(&c);
    free(turn.bytes);
    free(turn.messages);
}

void device_allreduce(struct device_run *d, struct facts *out) {
    const struct precision_options *o = d->o;
    size_t elements = (size_t)o->job.elements;
    struct result r = {device_room(d, elements, sizeof *r.first),
                       device_room(d, elements, sizeof *r.other), true};
    precision_reduced_start(o, out);
    for (int wide = 0; d->ok == STATUS_OK && wide < 2; wide++) {
        if (wide == 0 ? o->narrow : o->wide) {
            add_up(d, wide == 1, &r);
            precision_reduced_take(o, r.first, r.same, wide == 1, out);
        }
    }
    free(r.first);
    free(r.other);
}
