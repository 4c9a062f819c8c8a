/* One rank goes through its step list: posts what it sends, combines what it receives where it lies, and waits for what it
 * posted only before it writes there. Called once a rank by trial.c, the room precision and the bench. Buffers are the
 * caller's. The other executor of the same lists is workers.c.
 * Proof: tests/unit/ranks/test_collective.c. */
#include "shardlab/ranks/collective.h"

#include <string.h>

#include "walk_private.h"

static const char *const types[RANKS_TYPES] = {"fp32", "fp16", "bf16"};
static const char *const ops[RANKS_OPS] = {"sum", "max"};

const char *ranks_type_name(enum ranks_type type) {
    return types[type];
}

const char *ranks_op_name(enum ranks_op op) {
    return ops[op];
}

static int find(const char *name, const char *const *names, int count) {
    for (int i = 0; i < count; i++) {
        if (strcmp(names[i], name) == 0) {
            return i;
        }
    }
    return -1;
}

int ranks_type_find(const char *name) {
    return find(name, types, RANKS_TYPES);
}

int ranks_op_find(const char *name) {
    return find(name, ops, RANKS_OPS);
}

size_t ranks_type_bytes(enum ranks_type type) {
    return type == RANKS_FP32 ? 4 : 2;
}

bool ranks_keeps_sums(bool wide, enum ranks_type type, enum ranks_op op) {
    return wide && type != RANKS_FP32 && op == RANKS_OP_SUM;
}

static enum status receive(struct ranks_endpoint *e, struct walk *w, const struct coll_step *s) {
    const struct ranks_call *call = w->call;
    struct walk_target target;
    struct ranks_sink sink;
    size_t bytes = (size_t)s->count * ranks_type_bytes(call->type);
    enum status ok = ranks_settle_range(e, walk_element(call->output, call, s->to_first), bytes);
    if (ok != STATUS_OK) {
        return ok;
    }
    walk_receive(w, s, &target, &sink);
    return ranks_receive_into(e, s->peer, call->label, bytes, &sink);
}

static enum status go(struct ranks_endpoint *e, struct walk *w, const struct coll_step *s) {
    const struct ranks_call *call = w->call;
    if (s->count == 0) {
        return STATUS_OK; /* an empty chunk is no message */
    }
    switch ((enum coll_step_kind)s->kind) {
    case COLL_SEND:
        walk_close(w);
        return ranks_post(e, s->peer, call->label, walk_element(call->input, call, s->first),
                          (size_t)s->count * ranks_type_bytes(call->type));
    case COLL_KEEP:
        walk_keep(w, s);
        return STATUS_OK;
    default:
        return receive(e, w, s);
    }
}

enum status ranks_collective_run(struct ranks_endpoint *e, const struct ranks_call *call,
                                 struct ranks_passed *passed) {
    struct walk walk = {.call = call, .passed = passed, .self = ranks_self(e)};
    enum status ok = STATUS_OK;
    *passed = (struct ranks_passed){0, 0};
    for (uint32_t i = 0; ok == STATUS_OK && i < call->step_count; i++) {
        const struct coll_step *s = &call->steps[i];
        if (walk_round(&walk, s)) {
            ranks_at_step(e, s->round);
        }
        ok = go(e, &walk, s);
    }
    walk_close(&walk);
    return ok == STATUS_OK ? ranks_settle(e) : ok;
}

enum coll_algorithm ranks_algorithm_auto(const struct coll_job *job, enum ranks_type type) {
    uint64_t bytes = job->elements * ranks_type_bytes(type);
    switch (job->collective) {
    case COLL_BROADCAST:
        return job->ranks > 4 ? COLL_TREE : COLL_DIRECT;
    case COLL_ALL_REDUCE:
        return bytes <= 16384 && job->ranks > 4 ? COLL_HALVING_DOUBLING : COLL_DIRECT;
    default:
        return COLL_DIRECT;
    }
}
