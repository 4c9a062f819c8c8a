/* Sets out on a timeline: which terms of calc_memory live always, which come and go, and which of very many
 * forwards and backwards are shown. Live bytes grow and fall evenly between a few places of the order, and stay as
 * they are through its steady middle, so the peak is at one of these places: they are always shown. Also names
 * events. Proof: tests/unit/calc/test_timeline.c. */
#include <assert.h>
#include <string.h>

#include "calc_private.h"
#include "timeline_private.h"

enum { SHOW_ALL = 256, AROUND = 20, EVENTS_WANTED = 4096 };

/* Gathered for a forward or backward, and let go: all buffers but the framework's, and weights of which the GPU
 * holds a share or none. */
static bool comes_and_goes(const struct calc_term *term) {
    return term->part == CALC_PART_BUFFERS ? strcmp(term->id, "buffers.framework") != 0
                                           : strcmp(term->id, "weights.gathered") == 0;
}

static void sort_term(struct calc_timeline *t, const struct calc_term *term, bool keeps_gradients) {
    static const char copied[] = "gradients.fp32_copy"; /* and "gradients.fp32_copy.experts" */
    bool copy = strncmp(term->id, copied, sizeof copied - 1) == 0;
    if (copy) {
        t->gradients_copy += term->bytes;
    } else if (term->part == CALC_PART_GRADIENTS && !keeps_gradients) {
        t->gradients += term->bytes;
    } else if (strcmp(term->id, "activations.head") == 0 ||
               strcmp(term->id, "activations.logits") == 0) {
        t->head += term->bytes;
    } else if (strcmp(term->id, "activations.working_layer") == 0) {
        t->working += term->bytes;
    } else if (term->part == CALC_PART_ACTIVATIONS) {
        t->layers_bytes += term->bytes;
    } else if (comes_and_goes(term)) {
        t->gathered[term->part] += term->bytes;
    } else {
        t->always[term->part] += term->bytes;
    }
}

static void add_window(struct calc_timeline *t, uint64_t from, uint64_t to) {
    struct calc_timeline_window *last =
        t->window_count > 0 ? &t->windows[t->window_count - 1] : NULL;
    to = to < t->operations ? to : t->operations;
    from = from < to ? from : to;
    if (last != NULL && from <= last->to) {
        last->to = to > last->to ? to : last->to;
    } else {
        t->windows[t->window_count++] = (struct calc_timeline_window){from, to};
    }
}

static void add_around(struct calc_timeline *t, uint64_t index) {
    add_window(t, index > AROUND ? index - AROUND : 0, index + AROUND);
}

/* The places, in order: the start; the end of warming up; where gradients of every chunk exist for the first
 * time, in steady turns or when they are over; where the turns end; the end. */
static void choose_windows(struct calc_timeline *t) {
    uint64_t all = t->micro_batches * t->chunks, warm_up = t->in_flight - 1, pairs = all - warm_up;
    uint64_t group = timeline_group(t);
    uint64_t whole = group * t->chunks, turns_end = warm_up + 2 * pairs;
    if (t->operations <= SHOW_ALL) {
        add_window(t, 0, t->operations);
        return;
    }
    add_window(t, 0, AROUND);
    add_around(t, warm_up);
    if (whole < pairs) {
        add_around(t, warm_up + 2 * whole);
        if (t->head_stays && whole + t->stages < pairs) { /* as many heads as there ever are */
            add_around(t, warm_up + 2 * (whole + t->stages));
        }
        add_around(t, turns_end);
    } else {
        add_around(t, turns_end);
        add_around(t, warm_up + pairs + whole - group);
    }
    add_window(t, t->operations - AROUND, t->operations);
}

static uint64_t shown_operations(const struct calc_timeline *t) {
    uint64_t shown = 0;
    for (int i = 0; i < t->window_count; i++) {
        shown += t->windows[i].to - t->windows[i].from;
    }
    return shown;
}

bool calc_timeline_follows(const struct scenario *s, const struct calc_memory *m) {
    return !m->activations_known || (!calc_is_folded(s) && calc_model_copies(s) == 1);
}

uint64_t timeline_group(const struct calc_timeline *t) {
    return !t->chunked ? 1 : t->micro_batches < t->group ? t->micro_batches : t->group;
}

void calc_timeline_start(struct calc_timeline *t, const struct scenario *s,
                         const struct calc_memory *m) {
    memset(t, 0, sizeof *t);
    uint64_t sorted = 0; /* at most the total, whose sum was guarded */
    for (int i = 0; i < m->derivation.count; i++) {
        const struct calc_term *term = &m->derivation.terms[i];
        if ((int)term->part < CALC_PARTS) {
            sort_term(t, term, s->convention == CALC_CONVENTION_MEGATRON);
            sorted += term->bytes;
        }
    }
    t->unsorted = m->total_bytes > sorted ? m->total_bytes - sorted : 0;
    t->complete = true;
    t->known = m->activations_known && calc_timeline_follows(s, m);
    if (!t->known) {
        return;
    }
    uint64_t heads = calc_heads_in_flight(s);
    t->chunked = s->layout.chunks > 1;
    t->head_stays = heads > 1;
    t->reversed = s->layout.schedule == CALC_SCHEDULE_LOOPED_BFS;
    t->group = calc_schedule_group(s);
    t->layers = m->layers;
    t->stages = s->layout.pp;
    t->chunks = s->layout.chunks;
    t->micro_batches = s->batch.micro_batches;
    t->in_flight = m->in_flight;
    t->held = checked_div_up(t->in_flight * t->layers, t->chunks);
    t->head /= heads;
    t->operations = 2 * t->micro_batches * t->chunks; /* at most 2^61: options have limits */
    choose_windows(t);
    uint64_t shown = shown_operations(t);
    assert(shown > 0); /* every step has a forward and a backward */
    uint64_t room = EVENTS_WANTED / shown;
    t->steps_max = room > 3 ? room - 1 : 2;
    t->complete = shown == t->operations && checked_div_up(t->layers, t->chunks) <= t->steps_max;
}

static const char *const event_names[] = {
    [CALC_EVENT_START] = "start",
    [CALC_EVENT_FORWARD_LAYER] = "forward_layer",
    [CALC_EVENT_FORWARD_END] = "forward_end",
    [CALC_EVENT_BACKWARD_LAYER] = "backward_layer",
    [CALC_EVENT_BACKWARD_END] = "backward_end",
    [CALC_EVENT_STEP] = "optimizer_step",
    [CALC_EVENT_END] = "end",
};

static bool has_micro_batch(const struct calc_event *e) {
    return e->kind != CALC_EVENT_START && e->kind != CALC_EVENT_STEP && e->kind != CALC_EVENT_END;
}

static bool has_layer(const struct calc_event *e) {
    return e->kind == CALC_EVENT_FORWARD_LAYER || e->kind == CALC_EVENT_BACKWARD_LAYER;
}

void calc_event_write(struct writer *w, const struct calc_event *e) {
    writer_text(w, event_names[e->kind]);
    if (has_micro_batch(e)) {
        writer_char(w, ':');
        writer_u64(w, e->micro_batch);
        if (e->chunked) {
            writer_char(w, '/');
            writer_u64(w, e->chunk);
        }
    }
    if (has_layer(e)) {
        writer_char(w, ':');
        writer_u64(w, e->layer);
    }
}

void calc_peak_say(struct message *out, const struct calc_event *e) {
    static const char *const plain[] = {
        [CALC_EVENT_START] = "view.peak.start",
        [CALC_EVENT_FORWARD_LAYER] = "view.peak.forward_layer",
        [CALC_EVENT_FORWARD_END] = "view.peak.forward_end",
        [CALC_EVENT_BACKWARD_LAYER] = "view.peak.backward_layer",
        [CALC_EVENT_BACKWARD_END] = "view.peak.backward_end",
        [CALC_EVENT_STEP] = "view.peak.optimizer_step",
        [CALC_EVENT_END] = "view.peak.end",
    };
    static const char *const chunked[] = {
        [CALC_EVENT_START] = "view.peak.start",
        [CALC_EVENT_FORWARD_LAYER] = "view.peak.forward_layer_chunk",
        [CALC_EVENT_FORWARD_END] = "view.peak.forward_end_chunk",
        [CALC_EVENT_BACKWARD_LAYER] = "view.peak.backward_layer_chunk",
        [CALC_EVENT_BACKWARD_END] = "view.peak.backward_end_chunk",
        [CALC_EVENT_STEP] = "view.peak.optimizer_step",
        [CALC_EVENT_END] = "view.peak.end",
    };
    message_start(out, e->chunked ? chunked[e->kind] : plain[e->kind]);
    message_add_bytes(out, e->live_bytes);
    if (has_micro_batch(e)) {
        message_add_plain(out, e->micro_batch);
    }
    if (has_layer(e)) {
        message_add_plain(out, e->layer);
    }
    if (has_micro_batch(e) && e->chunked) {
        message_add_plain(out, e->chunk);
    }
}
