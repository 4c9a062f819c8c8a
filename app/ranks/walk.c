/* What a rank does with elements when it takes a step: sums that stay in fp32 until they are sent, copies, reductions, the
 * trace. Executors differ only in how a message comes. Called by collective.c and workers.c; buffers are the caller's.
 * Proof: tests/unit/ranks/test_collective.c, test_workers.c. */
#include "walk_private.h"

#include <string.h>

#include "combine_private.h"

unsigned char *walk_element(void *buffer, const struct ranks_call *call, uint64_t at) {
    return (unsigned char *)buffer + at * ranks_type_bytes(call->type);
}

void walk_close(struct walk *w) {
    if (w->open) {
        combine_round(w->call->type, w->call->sums + w->first,
                      walk_element(w->call->output, w->call, w->first), (size_t)w->count);
        w->open = false;
    }
}

static void open_sum(struct walk *w, const struct coll_step *s) {
    if (w->open && w->first == s->to_first && w->count == s->count) {
        return;
    }
    walk_close(w);
    w->open = true;
    w->first = s->to_first;
    w->count = s->count;
    combine_widen(w->call->type, walk_element(w->call->output, w->call, w->first),
                  w->call->sums + w->first, (size_t)w->count);
}

bool walk_round(struct walk *w, const struct coll_step *s) {
    if (s->kind == COLL_KEEP || s->round + 1 == w->passed->rounds) {
        return false;
    }
    w->passed->rounds = s->round + 1;
    return true;
}

static void take_copy(void *context, size_t offset, const void *bytes, size_t count) {
    const struct walk_target *t = context;
    memcpy(t->into + offset, bytes, count);
}

static void take_reduce(void *context, size_t offset, const void *bytes, size_t count) {
    const struct walk_target *t = context;
    combine(t->call->type, t->call->op, t->into + offset, bytes,
            count / ranks_type_bytes(t->call->type));
}

static void take_wide(void *context, size_t offset, const void *bytes, size_t count) {
    const struct walk_target *t = context;
    size_t size = ranks_type_bytes(t->call->type);
    combine_wide(t->call->type, t->sums + offset / size, bytes, count / size);
}

void walk_receive(struct walk *w, const struct coll_step *s, struct walk_target *target,
                  struct ranks_sink *sink) {
    const struct ranks_call *call = w->call;
    *target = (struct walk_target){call, walk_element(call->output, call, s->to_first), NULL};
    *sink = (struct ranks_sink){take_copy, target};
    if (s->kind == COLL_REDUCE && ranks_keeps_sums(call->wide, call->type, call->op)) {
        open_sum(w, s);
        target->sums = call->sums + s->to_first;
        sink->take = take_wide;
    } else if (s->kind == COLL_REDUCE) {
        sink->take = take_reduce;
    } else {
        walk_close(w);
    }
    if (call->trace != NULL) {
        call->trace[w->passed->traced++] =
            (struct ranks_trace){s->round, s->peer, w->self, s->to_first, s->count};
    }
}

void walk_keep(const struct walk *w, const struct coll_step *s) {
    const struct ranks_call *call = w->call;
    memcpy(walk_element(call->output, call, s->to_first), walk_element(call->input, call, s->first),
           (size_t)s->count * ranks_type_bytes(call->type));
}
