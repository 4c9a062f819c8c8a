/* DualPipe and DualPipeV (DeepSeek-AI, arXiv:2412.19437; github.com/deepseek-ai/DualPipe): two streams of micro-batches
 * cross on every rank, so that a forward of one runs together with a full backward of the other. DualPipe feeds the
 * streams from both ends of the pipeline and holds the model twice; DualPipeV folds it: stream 1 is stream 0 on its
 * way back. Both are the same eight phases over two streams, the near one (0) and the far one (1).
 * Called by schedule.c. Proof: tests/unit/pipe/test_schedule_orders.c. */
#include "schedule_private.h"

struct stream {
    uint32_t chunk, base;                /* its chunk on this rank; its first micro-batch */
    uint32_t forward, backward, weights; /* how many it has run; weights only of postponed ones */
};

struct dual {
    struct pipe_order *order;
    struct stream stream[2]; /* near, far */
    uint32_t ranks, rank,
        length; /* ranks that a stream passes before it turns; this one; micro-batches of a stream */
    bool postpone;    /* B now runs alone, its W later */
    int next_weights; /* the stream whose W is due: they come in the order of their B */
};

static void forward(struct dual *d, int which) {
    struct stream *s = &d->stream[which];
    pipe_order_add(d->order, PIPE_F, s->base + s->forward++, s->chunk);
}

static void backward(struct dual *d, int which) {
    struct stream *s = &d->stream[which];
    pipe_order_add(d->order, d->postpone ? PIPE_B : PIPE_BW, s->base + s->backward++, s->chunk);
}

static void pair(struct dual *d, int forwards, int backwards) {
    forward(d, forwards);
    pipe_order_overlap(d->order);
    backward(d, backwards);
}

/* From now on B runs alone, beginning with that of stream `which`. They alternate until the far stream is through. */
static void start_postponing(struct dual *d, int which) {
    d->postpone = true;
    d->next_weights = which;
    for (int i = 0; i < 2; i++) {
        d->stream[i].weights = d->stream[i].backward;
    }
}

static void postponed_weights(struct dual *d) {
    int which = d->stream[1].weights < d->length ? d->next_weights : 0;
    struct stream *s = &d->stream[which];
    pipe_order_add(d->order, PIPE_W, s->base + s->weights++, s->chunk);
    d->next_weights = 1 - which;
}

/* Phases 1 to 3: the forwards that fill the pipeline, and the far stream's first backwards, W at once. */
static void fill(struct dual *d) {
    uint32_t behind = d->ranks - d->rank - 1;
    for (uint32_t i = 0; i < 2 * behind; i++) {
        forward(d, 0);
    }
    for (uint32_t i = 0; i <= d->rank; i++) {
        forward(d, 0);
        forward(d, 1);
    }
    for (uint32_t i = 0; i < behind; i++) {
        struct stream *far = &d->stream[1];
        pipe_order_add(d->order, PIPE_B, far->base + far->backward, far->chunk);
        pipe_order_add(d->order, PIPE_W, far->base + far->backward++, far->chunk);
        forward(d, 1);
    }
}

/* Phases 4 and 5: pairs. Where the stream turns, the very first forward has no backward to run with. */
static void steady(struct dual *d) {
    uint32_t behind = d->ranks - d->rank - 1;
    for (uint32_t i = 0; i < d->length - 2 * d->ranks + d->rank + 1; i++) {
        if (i == 0 && behind == 0) {
            forward(d, 0);
            backward(d, 1);
        } else {
            pair(d, 0, 1);
        }
        pair(d, 1, 0);
    }
    for (uint32_t i = 0; i < behind; i++) {
        backward(d, 1);
        pair(d, 1, 0);
    }
}

/* Phases 6 to 8: the backwards that are left; W of the second half fills what would be gaps. */
static void drain(struct dual *d) {
    uint32_t rest = d->rank + 1;
    for (uint32_t i = 0; i < rest; i++) {
        for (int which = 1; which >= 0; which--) {
            bool turns = i == rest / 2 && (uint32_t)which == d->rank % 2;
            if (turns) {
                start_postponing(d, which);
            }
            backward(d, which);
        }
    }
    for (uint32_t i = rest; i < d->ranks; i++) {
        postponed_weights(d);
        backward(d, 0);
    }
    for (uint32_t i = 0; i < rest; i++) {
        postponed_weights(d);
    }
}

static void run(struct dual *d) {
    fill(d);
    steady(d);
    drain(d);
}

void schedule_dualpipev(const struct build *b, uint32_t rank) {
    struct dual d = {.order = b->order,
                     .stream = {{.chunk = 0}, {.chunk = 1}},
                     .ranks = b->shape->ranks,
                     .rank = rank,
                     .length = b->shape->micro_batches};
    run(&d);
}

void schedule_dualpipe(const struct build *b, uint32_t rank) {
    uint32_t p = b->shape->ranks, half = b->shape->micro_batches / 2;
    bool upper = rank >= p / 2; /* the second direction is the near one */
    uint32_t near = upper ? 1 : 0;
    struct dual d = {.order = b->order,
                     .stream = {{.chunk = near, .base = near * half},
                                {.chunk = 1 - near, .base = (1 - near) * half}},
                     .ranks = p / 2,
                     .rank = upper ? p - 1 - rank : rank,
                     .length = half};
    run(&d);
}
