/* From the learner's knobs to schedules that have run: which schedules a page shows, how long their operations take, and
 * which operation a frame explains. Schedules and times are room pipe's, FLOPs of a stage calc/flops.h's; memory is the
 * caller's, a struct of fixed size. Left out: pictures (pictures.c). Proof: tests/unit/lessons/test_pipeline.c. */
#include <assert.h>
#include <string.h>

#include "pipeline_private.h"
#include "shardlab/base/units.h"
#include "shardlab/calc/flops.h"
#include "shardlab/calc/memory.h"
#include "shardlab/calc/option.h"
#include "shardlab/calc/schedule.h"

enum { HUNDREDTHS = 100 };

const char *pipeline_stop(const struct lesson_input *in, enum pipeline_knob knob) {
    const struct lesson_knob *k = &pipeline_knobs[knob];
    return k->stops[in->own == NULL ? k->start : in->own[knob]];
}

static uint64_t number(const struct lesson_input *in, enum pipeline_knob knob) {
    uint64_t value = 0;
    bool read = units_parse_count(pipeline_stop(in, knob), 1000, &value);
    assert(read); /* the stops stand in lesson.c */
    return read ? value : 0;
}

/* --- What is run --- */

uint32_t pipeline_parts(const struct pipeline_ask *ask) {
    switch (ask->schedule) {
    case PIPE_ZB_V:
    case PIPE_DUALPIPEV:
        return 2;
    case PIPE_INTERLEAVED:
    case PIPE_LOOPED_BFS:
    case PIPE_ZB_INTERLEAVED:
        return ask->chunks > 0 ? ask->chunks : 2;
    default:
        return 1;
    }
}

struct pipeline_ask pipeline_ask_of(const struct lesson_input *in, enum pipe_schedule schedule) {
    const struct calc_layout *layout = &in->now->layout;
    const uint64_t most = PIPE_MICRO_BATCHES_MAX, m = in->now->batch.micro_batches;
    return (struct pipeline_ask){.schedule = schedule,
                                 .ranks = (uint32_t)layout->pp,
                                 .micro_batches = (uint32_t)(m < most ? m : most),
                                 .tf = number(in, PIPELINE_TF),
                                 .tb = number(in, PIPELINE_TB),
                                 .tw = number(in, PIPELINE_TW),
                                 .comm = number(in, PIPELINE_COMM),
                                 .ticks = 1};
}

static enum pipe_schedule schedule_of(const struct scenario *s) {
    const struct calc_option *o = calc_option_at(calc_option_index("schedule"));
    int found = pipe_schedule_find(o->choices[s->layout.schedule]);
    assert(found >= 0); /* both rooms have the same names */
    return found >= 0 ? (enum pipe_schedule)found : PIPE_1F1B;
}

/* The scenario's own; chunks where the schedule lets a person choose them. */
static struct pipeline_ask own_ask(const struct lesson_input *in) {
    struct pipeline_ask ask = pipeline_ask_of(in, schedule_of(in->now));
    ask.chunks = (uint32_t)in->now->layout.chunks;
    return ask;
}

/* Both in the same ticks, so that they share an axis. */
static void share_ticks(struct pipeline_ask *asks, int count) {
    uint64_t ticks = 1;
    for (int i = 0; i < count; i++) {
        uint64_t parts = pipeline_parts(&asks[i]);
        ticks = ticks % parts == 0 ? ticks : ticks * parts; /* of two, one is 1 */
    }
    for (int i = 0; i < count; i++) {
        asks[i].ticks = ticks;
    }
}

int pipeline_asked(const struct lesson_input *in, struct pipeline_ask out[VIEW_GANTT_GROUPS_MAX]) {
    int count = 2;
    out[1] = pipeline_ask_of(in, PIPE_1F1B);
    switch ((enum pipeline_page)in->page) {
    case PIPELINE_INTERLEAVED:
        out[0] = pipeline_ask_of(in, PIPE_INTERLEAVED);
        out[0].chunks = (uint32_t)number(in, PIPELINE_CHUNKS);
        break;
    case PIPELINE_ZERO: {
        int found = pipe_schedule_find(pipeline_stop(in, PIPELINE_SPLIT));
        assert(found >= 0);
        out[0] = pipeline_ask_of(in, found >= 0 ? (enum pipe_schedule)found : PIPE_ZB_H1);
        break;
    }
    case PIPELINE_BUBBLE:
        out[0] = own_ask(in);
        out[1].schedule = out[0].schedule == PIPE_GPIPE ? PIPE_1F1B : PIPE_GPIPE;
        break;
    case PIPELINE_FLIGHT:
    case PIPELINE_BALANCE:
    default:
        out[0] = own_ask(in);
        count = 1;
        if (in->page == PIPELINE_BALANCE &&
            strcmp(pipeline_stop(in, PIPELINE_TIMES), "model") == 0) {
            out[0].model = in->now;
        }
        break;
    }
    share_ticks(out, count);
    return count;
}

/* --- How long operations take --- */

static uint64_t hundredths(double flops, double unit) {
    double ticks = flops / unit * HUNDREDTHS + 0.5;
    return ticks < 1 ? 1 : (uint64_t)ticks;
}

/* Each stage by its FLOPs; false: a rank holds several stages, or they are not known. */
static bool times_of_model(const struct scenario *s, struct pipeline_run *r) {
    double unit = 0;
    if (pipe_stages(&r->shape) != r->shape.ranks || r->shape.placement != PIPE_LOOP) {
        return false;
    }
    for (uint32_t i = 0; i < r->shape.ranks; i++) {
        struct calc_flops_stage stage;
        struct message unused;
        if (calc_flops_on_stage(s, i, &stage, &unused) != STATUS_OK || stage.forward <= 0) {
            return false;
        }
        unit = i == 0 ? stage.forward : unit;
        r->f[i] = hundredths(stage.forward, unit);
        r->b[i] = hundredths(stage.input_grad + stage.recompute, unit);
        r->w[i] = hundredths(stage.weight_grad, unit);
    }
    r->ticks = HUNDREDTHS;
    return true;
}

static void times_equal(const struct pipeline_ask *ask, struct pipeline_run *r) {
    uint64_t part = ask->ticks / r->parts;
    for (uint32_t i = 0; i < pipe_stages(&r->shape); i++) {
        r->f[i] = ask->tf * part;
        r->b[i] = ask->tb * part;
        r->w[i] = ask->tw * part;
    }
    r->ticks = ask->ticks;
}

static enum status refuse_size(const struct pipe_shape *shape, struct message *why) {
    message_start(why, "lesson.pipeline.too_large");
    message_add_plain(why, pipe_stages(shape));
    message_add_plain(why, shape->micro_batches);
    message_add_count(why, PIPELINE_CELLS_MAX);
    return STATUS_USAGE;
}

enum status pipeline_simulate(const struct pipeline_ask *ask, struct pipeline_run *out,
                              struct message *why) {
    const struct pipe_request request = {.schedule = ask->schedule,
                                         .ranks = ask->ranks,
                                         .micro_batches = ask->micro_batches,
                                         .chunks = ask->chunks};
    struct pipe_request settled;
    enum status ok = pipe_request_settle(&request, &settled, &out->shape, why);
    if (ok != STATUS_OK) {
        return ok;
    }
    if ((uint64_t)pipe_stages(&out->shape) * out->shape.micro_batches > PIPELINE_CELLS_MAX ||
        pipe_simulate_scratch(&out->shape) > sizeof out->scratch) {
        return refuse_size(&out->shape, why);
    }
    out->name = pipe_schedule_name(settled.schedule);
    out->parts = pipe_stages(&out->shape) / out->shape.ranks;
    pipe_schedule_build(&settled, &out->shape, out->list, PIPELINE_OPS_MAX, &out->order);
    if (ask->model == NULL || !times_of_model(ask->model, out)) {
        times_equal(ask, out);
    }
    const struct pipe_times times = {.f = out->f,
                                     .b = out->b,
                                     .w = out->w,
                                     .count = pipe_stages(&out->shape),
                                     .latency = ask->comm * out->ticks};
    out->space = (struct pipe_space){out->scratch, out->ops};
    return pipe_simulate(&out->order, &times, &out->space, &out->run, why);
}

/* --- Which operation a frame explains --- */

static int64_t on_critical_path(const struct pipeline_run *r, int frame, int *count) {
    int64_t last = pipe_run_last(&r->order, r->ops), at = last;
    *count = 0;
    for (int64_t op = last; op != PIPE_NONE; op = r->ops[op].waits_for) {
        (*count)++;
    }
    for (int i = *count - 1; i > frame && at != PIPE_NONE; i--) {
        at = r->ops[at].waits_for;
    }
    return at;
}

int64_t pipeline_walk(const struct lesson_input *in, const struct pipeline_run *run, int frame,
                      int *count) {
    uint64_t rank = 0;
    if (!units_parse_count(pipeline_stop(in, PIPELINE_WALK), 1000, &rank)) {
        return on_critical_path(run, frame, count);
    }
    rank = rank < run->shape.ranks ? rank : run->shape.ranks - 1;
    *count = (int)(run->order.first[rank + 1] - run->order.first[rank]);
    int at = frame < *count ? frame : *count - 1;
    return at < 0 ? PIPE_NONE : (int64_t)run->order.first[rank] + at;
}

int pipeline_frames(const struct lesson_input *in, int *start) {
    struct pipeline_ask asks[VIEW_GANTT_GROUPS_MAX];
    struct pipeline_run run;
    struct message unused;
    int count = 0;
    *start = 0;
    (void)pipeline_asked(in, asks);
    if (pipeline_simulate(&asks[0], &run, &unused) != STATUS_OK) {
        return 0;
    }
    int64_t first = pipeline_walk(in, &run, 0, &count);
    /* Begins where the first stage waits longest for others: its first backward. */
    for (int i = 0; i < count && first != PIPE_NONE; i++) {
        int64_t op = pipeline_walk(in, &run, i, &count);
        if (op != PIPE_NONE && run.list[op].kind != PIPE_F) {
            *start = i;
            break;
        }
    }
    return count > 0 ? count - 1 : 0;
}

/* --- What a micro-batch leaves --- */

static bool activations_with(const struct scenario *s, uint64_t stage, const char *micro_batches,
                             uint64_t *out) {
    const struct parallel_change changes[] = {
        {"schedule", "gpipe"}, {"chunks", "1"}, {"micro-batches", micro_batches}};
    struct scenario other;
    struct calc_memory memory;
    struct message unused;
    if (!parallel_variant(s, changes, 3, &other) ||
        calc_memory_on_stage(&other, stage, &memory, &unused) != STATUS_OK ||
        !memory.activations_known) {
        return false;
    }
    *out = memory.part_bytes[CALC_PART_ACTIVATIONS];
    return true;
}

bool pipeline_micro_batch_bytes(const struct scenario *s, uint64_t stage, uint64_t *out) {
    uint64_t one = 0, two = 0;
    if (calc_model_copies(s) > 1 || !activations_with(s, stage, "1", &one) ||
        !activations_with(s, stage, "2", &two) || two < one) {
        return false;
    }
    *out = two - one; /* GPipe holds as many as there are */
    return true;
}

bool pipeline_first_stage(const struct scenario *s, uint64_t pp, uint64_t *out) {
    const struct parallel_change changes[] = {
        {"schedule", "1f1b"}, {"chunks", "1"}, {"micro-batches", "64"}};
    struct scenario other;
    struct calc_memory memory;
    struct message unused;
    if (!parallel_variant(s, changes, 3, &other) ||
        !parallel_with_count(&other, "pp", pp, &other) ||
        calc_memory_on_stage(&other, 0, &memory, &unused) != STATUS_OK ||
        !memory.activations_known) {
        return false;
    }
    *out = memory.part_bytes[CALC_PART_ACTIVATIONS];
    return true;
}
