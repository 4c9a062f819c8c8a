/* The live bytes of one GPU through one training step: forwards and backwards of the micro-batches in the order of
 * its pipeline stage, layer by layer, and the optimizer's step. calc_memory's total is everything at once; here
 * each byte lives only while it is needed, so total >= peak >= model states.
 * What lives when: weights, optimizer states and framework buffers always. Gradients of Megatron always (its
 * buffer is made once); of others from their layer's first backward to the end of the step, in equal parts for
 * the layers. An fp32 copy of the gradients only while the optimizer steps; gathered modules only inside a forward
 * or backward. A layer's activations from its forward to its backward; the head's inputs and logits at the end of
 * the last stage's forward, since its backward follows at once (with GPipe until then); a layer being recomputed
 * only in its backward. Where a schedule runs backward in two parts, a backward here is its W. A total that has no
 * parts is there while the optimizer steps. Left out: transient tensors inside one operator, whatever the total leaves
 * out, and schedules whose ranks do not take forwards and backwards in turn (calc_timeline_follows).
 * An iterator without memory of its own: a caller copies what it wants. Proof: tests/unit/calc/test_timeline.c. */
#ifndef CALC_TIMELINE_H
#define CALC_TIMELINE_H

#include "shardlab/base/writer.h"
#include "shardlab/calc/memory.h"

/* No timeline has more events: with many micro-batches or layers some are passed over, never the peak's. */
enum { CALC_TIMELINE_EVENTS_MAX = 5000, CALC_TIMELINE_WINDOWS = 6 };

enum calc_event_kind {
    CALC_EVENT_START,         /* before the first forward */
    CALC_EVENT_FORWARD_LAYER, /* the layer's forward has ended */
    CALC_EVENT_FORWARD_END, /* so has that of the last layer, and of the head where there is one */
    CALC_EVENT_BACKWARD_LAYER, /* the layer's gradient is there, its activations are so still */
    CALC_EVENT_BACKWARD_END,   /* the micro-batch's activations are gone */
    CALC_EVENT_STEP,           /* the optimizer steps */
    CALC_EVENT_END             /* as it was at the start */
};

struct calc_event {
    enum calc_event_kind kind;
    uint64_t micro_batch; /* from 0, of forwards and backwards */
    uint64_t chunk;       /* of the stage, from 0 */
    uint64_t layer;       /* of the chunk, from 0 */
    bool chunked;         /* a rank holds several: the chunk means something */
    uint64_t part_bytes[CALC_PARTS];
    uint64_t live_bytes; /* their sum; at STEP also what the total has beyond its parts */
};

/* Forwards and backwards from … to − 1 of the stage's order. */
struct calc_timeline_window {
    uint64_t from, to;
};

/* Where an iteration stands. Filled by calc_timeline_start; a caller reads nothing but `complete`. */
struct calc_timeline {
    bool complete; /* no event is passed over */
    bool
        known; /* false with --params alone and for schedules that it does not follow: no forwards, no
                      backwards */
    uint64_t always[CALC_PARTS];
    uint64_t gathered[CALC_PARTS];
    uint64_t gradients, gradients_copy, layers_bytes, working, head, unsorted;
    uint64_t held; /* layers × micro-batches that layers_bytes are for */
    bool head_stays, chunked, reversed;
    uint64_t layers, stages, group, chunks, micro_batches, in_flight;
    uint64_t operations; /* forwards and backwards in all */
    struct calc_timeline_window windows[CALC_TIMELINE_WINDOWS];
    int window_count, window;
    uint64_t steps_max; /* layers shown of one forward or backward */
    bool started, stepped, ended;
    uint64_t operation, step;
};

/* False for the activations of zb-v, dualpipe, dualpipev and chimera: the timeline then has no forwards and backwards, and its
 * peak means nothing. */
bool calc_timeline_follows(const struct scenario *s, const struct calc_memory *m);

/* Sets out on the step of the GPU that `m` describes; both are read, not kept. */
void calc_timeline_start(struct calc_timeline *t, const struct scenario *s,
                         const struct calc_memory *m);
/* The next event in time; false: there is none. The first is START, the last END. */
bool calc_timeline_next(struct calc_timeline *t, struct calc_event *out);

/* The event with the most live bytes, the first of equals. */
void calc_timeline_peak(const struct scenario *s, const struct calc_memory *m,
                        struct calc_event *out);

/* A stable name: "start", "forward_layer:3:31", "forward_end:3" (interleaved: "forward_end:3/1", the chunk behind
 * the stroke), "backward_layer:3:31", "backward_end:3", "optimizer_step", "end". */
void calc_event_write(struct writer *w, const struct calc_event *e);
/* The same as a sentence about the peak, with its bytes: "view.peak.forward_end" and its kin. */
void calc_peak_say(struct message *out, const struct calc_event *e);

#endif
