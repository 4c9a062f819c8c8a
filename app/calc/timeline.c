/* One training step of one GPU as a sequence of events with their live bytes. The order of a stage follows from
 * how many micro-batches it may hold: that many less one forwards to warm up, then a forward and a backward in
 * turn, then the backwards that are left. This is 1F1B, GPipe and Megatron's interleaved schedule alike
 * (arXiv:2104.04473 section 2), and with W for backward the zero-bubble schedules whose W lags B. Called by cli and lessons; everything is computed from the event's place, nothing
 * is stored. Proof: tests/unit/calc/test_timeline.c. */
#include "shardlab/calc/timeline.h"

#include <string.h>

#include "calc_private.h"
#include "timeline_private.h"

static uint64_t least(uint64_t a, uint64_t b) {
    return a < b ? a : b;
}

/* whole × part / of, rounded down, part <= of; never wraps. */
static uint64_t share(uint64_t whole, uint64_t part, uint64_t of) {
    uint64_t product = 0;
    if (part >= of) {
        return whole;
    }
    return checked_mul(whole % of, part, &product) ? whole / of * part + product / of
                                                   : whole / of * part;
}

/* Layers of the first `chunks` chunks, at the stage's average and rounded up, as the total counts them. */
static uint64_t layers_of(const struct calc_timeline *t, uint64_t chunks) {
    return checked_div_up(chunks * t->layers, t->chunks); /* in_flight × layers was guarded */
}

struct operation timeline_operation_at(const struct calc_timeline *t, uint64_t index) {
    uint64_t all = t->micro_batches * t->chunks, warm_up = t->in_flight - 1, pairs = all - warm_up;
    struct operation o = {.backward = true};
    if (index < warm_up) {
        o = (struct operation){.number = index, .in_flight = index};
    } else if (index < warm_up + 2 * pairs) {
        o.backward = (index - warm_up) % 2 == 1;
        o.number = (index - warm_up) / 2 + (o.backward ? 0 : warm_up);
        o.in_flight = o.backward ? warm_up + 1 : warm_up;
    } else {
        o.number = index - warm_up - pairs;
        o.in_flight = all - o.number;
    }
    /* chunks take turns for groups of micro-batches; the last group may be smaller */
    uint64_t group = o.number / (t->group * t->chunks);
    uint64_t within = o.number % (t->group * t->chunks);
    uint64_t size = least(t->group, t->micro_batches - group * t->group);
    uint64_t place = within % size;
    o.micro_batch = group * t->group + (o.backward && t->reversed ? size - 1 - place : place);
    o.chunk = o.backward ? t->chunks - 1 - within / size : within / size;
    uint64_t before = o.backward ? o.in_flight - 1 : o.in_flight;
    o.layers = layers_of(t, before + 1) - layers_of(t, before);
    return o;
}

/* Layers whose gradients exist when `done` layers of backward `number` have been through. */
static uint64_t gradient_layers(const struct calc_timeline *t, const struct operation *o,
                                uint64_t done) {
    uint64_t group = timeline_group(t);
    uint64_t chunks = o->number / group;
    if (chunks >= t->chunks) {
        return t->layers;
    }
    uint64_t all = layers_of(t, chunks + 1);
    bool first_time = o->number % group == 0;
    return first_time && done < o->layers ? least(layers_of(t, chunks) + done, all) : all;
}

/* Backwards that have ended before this forward. */
static uint64_t backwards_before(const struct calc_timeline *t, const struct operation *o) {
    return o->number - least(o->number, t->in_flight - 1);
}

static uint64_t gradients_at(const struct calc_timeline *t, const struct operation *o,
                             uint64_t done) {
    if (o->backward) {
        return share(t->gradients, gradient_layers(t, o, done), t->layers);
    }
    uint64_t ended = backwards_before(t, o);
    if (ended == 0) {
        return 0;
    }
    struct operation last = {.number = ended - 1};
    return share(t->gradients, gradient_layers(t, &last, 0), t->layers);
}

static void put_parts(const struct calc_timeline *t, struct calc_event *e) {
    memcpy(e->part_bytes, t->always, sizeof e->part_bytes);
    e->chunked = t->chunked;
}

static void add_up(struct calc_event *e) {
    for (int i = 0; i < CALC_PARTS; i++) {
        e->live_bytes += e->part_bytes[i]; /* at most the total, whose sum was guarded */
    }
}

/* Of the first `count` forwards, or backwards, those of the last chunk. */
static uint64_t of_last_chunk(const struct calc_timeline *t, uint64_t count, bool backward) {
    uint64_t groups = count / (t->group * t->chunks), rest = count % (t->group * t->chunks);
    uint64_t size = least(t->group, t->micro_batches - groups * t->group);
    uint64_t before = backward ? 0 : (t->chunks - 1) * size;
    return groups * t->group + (rest > before ? least(rest - before, size) : 0);
}

/* The head's share: of the micro-batches that wait where backward does not follow at once, else of the one whose loss
 * is being computed. */
static uint64_t head_at(const struct calc_timeline *t, const struct operation *o, bool end) {
    bool own = !o->backward && end && o->chunk == t->chunks - 1;
    uint64_t forwards = o->backward ? o->number + o->in_flight : o->number;
    uint64_t backwards = o->backward ? o->number + 1 : backwards_before(t, o);
    uint64_t waiting =
        !t->head_stays ? 0 : of_last_chunk(t, forwards, false) - of_last_chunk(t, backwards, true);
    return t->head * (waiting + (own ? 1 : 0));
}

static void fill(const struct calc_timeline *t, const struct operation *o, uint64_t done, bool end,
                 struct calc_event *e) {
    uint64_t layers = layers_of(t, o->in_flight);
    bool layer_of_backward = o->backward && !end;
    e->micro_batch = o->micro_batch;
    e->chunk = o->chunk;
    e->layer = o->backward ? o->layers - done : done - 1;
    e->kind = o->backward ? end ? CALC_EVENT_BACKWARD_END : CALC_EVENT_BACKWARD_LAYER
              : end       ? CALC_EVENT_FORWARD_END
                          : CALC_EVENT_FORWARD_LAYER;
    layers = !o->backward ? layers + done : end ? layers - done : layers - (done - 1);
    e->part_bytes[CALC_PART_GRADIENTS] += gradients_at(t, o, done);
    e->part_bytes[CALC_PART_ACTIVATIONS] += share(t->layers_bytes, layers, t->held) +
                                            (layer_of_backward ? t->working : 0) +
                                            head_at(t, o, end);
    for (int part = 0; part < CALC_PARTS && !(o->backward && end); part++) {
        e->part_bytes[part] += t->gathered[part];
    }
}

/* The event at the iterator's place within its operation; moves to the next place. */
static void take_step(struct calc_timeline *t, struct calc_event *e) {
    struct operation o = timeline_operation_at(t, t->operation);
    uint64_t choices = o.backward ? o.layers : o.layers - 1; /* its last layer ends a forward */
    uint64_t shown = least(choices, t->steps_max);
    bool end = t->step >= shown;
    uint64_t done = end               ? o.layers
                    : shown < choices ? 1 + share(choices - 1, t->step, shown - 1)
                                      : t->step + 1;
    fill(t, &o, done, end, e);
    t->step++;
    if (end) {
        t->step = 0;
        t->operation++;
    }
}

/* False: all operations are through. */
static bool in_window(struct calc_timeline *t) {
    while (t->window < t->window_count) {
        const struct calc_timeline_window *w = &t->windows[t->window];
        t->operation = t->operation < w->from ? w->from : t->operation;
        if (t->operation < w->to) {
            return true;
        }
        t->window++;
    }
    return false;
}

bool calc_timeline_next(struct calc_timeline *t, struct calc_event *out) {
    if (t->ended) {
        return false;
    }
    memset(out, 0, sizeof *out);
    put_parts(t, out);
    if (!t->started) {
        t->started = true;
        out->kind = CALC_EVENT_START;
    } else if (in_window(t)) {
        take_step(t, out);
    } else if (!t->stepped) {
        t->stepped = true;
        out->kind = CALC_EVENT_STEP;
        out->part_bytes[CALC_PART_GRADIENTS] += t->gradients + t->gradients_copy;
        out->live_bytes = t->unsorted;
    } else {
        t->ended = true;
        out->kind = CALC_EVENT_END;
    }
    add_up(out);
    return true;
}

void calc_timeline_peak(const struct scenario *s, const struct calc_memory *m,
                        struct calc_event *out) {
    struct calc_timeline t;
    struct calc_event e;
    calc_timeline_start(&t, s, m);
    memset(out, 0, sizeof *out);
    for (bool first = true; calc_timeline_next(&t, &e); first = false) {
        if (first || e.live_bytes > out->live_bytes) {
            *out = e;
        }
    }
}
