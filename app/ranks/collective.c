/* One rank goes through its step list: posts what it sends, combines what it receives where it lies, and waits for what it
 * posted only before it writes there. Called once a rank by the command
 * `allreduce` and by the trainer. Buffers are the caller's. Left out: other executors of the same lists.
 * Proof: tests/unit/ranks/test_collective.c. */
#include "shardlab/ranks/collective.h"

#include <string.h>

#include "combine_private.h"

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

/* A run over its list. `open` is the span whose sum is kept in fp32, at the same place of call->sums. */
struct walk {
    struct ranks_endpoint *e;
    const struct ranks_call *call;
    struct ranks_passed *passed;
    bool open;
    uint64_t first, count;
};

static unsigned char *element(void *buffer, const struct ranks_call *call, uint64_t at) {
    return (unsigned char *)buffer + at * ranks_type_bytes(call->type);
}

/* The kept sum goes back into the buffer, rounded. */
static void close_sum(struct walk *w) {
    if (w->open) {
        combine_round(w->call->type, w->call->sums + w->first,
                      element(w->call->output, w->call, w->first), (size_t)w->count);
        w->open = false;
    }
}

static void open_sum(struct walk *w, const struct coll_step *s) {
    if (w->open && w->first == s->to_first && w->count == s->count) {
        return;
    }
    close_sum(w);
    w->open = true;
    w->first = s->to_first;
    w->count = s->count;
    combine_widen(w->call->type, element(w->call->output, w->call, w->first),
                  w->call->sums + w->first, (size_t)w->count);
}

/* Where the pieces of one message go. */
struct target {
    const struct ranks_call *call;
    unsigned char *into;
    float *sums;
};

static void take_copy(void *context, size_t offset, const void *bytes, size_t count) {
    const struct target *t = context;
    memcpy(t->into + offset, bytes, count);
}

static void take_reduce(void *context, size_t offset, const void *bytes, size_t count) {
    const struct target *t = context;
    combine(t->call->type, t->call->op, t->into + offset, bytes,
            count / ranks_type_bytes(t->call->type));
}

static void take_wide(void *context, size_t offset, const void *bytes, size_t count) {
    const struct target *t = context;
    size_t size = ranks_type_bytes(t->call->type);
    combine_wide(t->call->type, t->sums + offset / size, bytes, count / size);
}

static bool is_wide(const struct ranks_call *call) {
    return call->wide && call->type != RANKS_FP32 && call->op == RANKS_OP_SUM;
}

static enum status receive(struct walk *w, const struct coll_step *s) {
    const struct ranks_call *call = w->call;
    struct target target = {call, element(call->output, call, s->to_first), NULL};
    struct ranks_sink sink = {take_copy, &target};
    size_t bytes = (size_t)s->count * ranks_type_bytes(call->type);
    enum status ok = ranks_settle_range(w->e, target.into, bytes);
    if (ok != STATUS_OK) {
        return ok;
    }
    if (s->kind == COLL_REDUCE && is_wide(call)) {
        open_sum(w, s);
        target.sums = call->sums + s->to_first;
        sink.take = take_wide;
    } else if (s->kind == COLL_REDUCE) {
        sink.take = take_reduce;
    } else {
        close_sum(w);
    }
    if (call->trace != NULL) {
        call->trace[w->passed->traced++] = (struct ranks_trace){
            s->round, s->peer, ranks_self(w->e), s->to_first, s->count,
        };
    }
    return ranks_receive_into(w->e, s->peer, call->label, bytes, &sink);
}

static enum status go(struct walk *w, const struct coll_step *s) {
    const struct ranks_call *call = w->call;
    size_t bytes = (size_t)s->count * ranks_type_bytes(call->type);
    if (s->count == 0) {
        return STATUS_OK; /* an empty chunk is no message */
    }
    switch ((enum coll_step_kind)s->kind) {
    case COLL_SEND:
        close_sum(w);
        return ranks_post(w->e, s->peer, call->label, element(call->input, call, s->first), bytes);
    case COLL_KEEP:
        memcpy(element(call->output, call, s->to_first), element(call->input, call, s->first),
               bytes);
        return STATUS_OK;
    default:
        return receive(w, s);
    }
}

enum status ranks_collective_run(struct ranks_endpoint *e, const struct ranks_call *call,
                                 struct ranks_passed *passed) {
    struct walk walk = {.e = e, .call = call, .passed = passed};
    enum status ok = STATUS_OK;
    *passed = (struct ranks_passed){0, 0};
    for (uint32_t i = 0; ok == STATUS_OK && i < call->step_count; i++) {
        const struct coll_step *s = &call->steps[i];
        if (s->kind != COLL_KEEP && s->round + 1 != passed->rounds) {
            passed->rounds = s->round + 1;
            ranks_at_step(e, s->round);
        }
        ok = go(&walk, s);
    }
    close_sum(&walk);
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
