/* The numbers inside the words of the lesson on pipelines: {{bubble}}, {{held_first}}. Each is what a schedule does that
 * runs here, with the learner's own stages, micro-batches and times, or what a calculator says of the learner's model.
 * Writes into the caller's writer; what is not defined is a dash. Proof: tests/unit/lessons/test_pipeline.c. */
#include <string.h>

#include "pipeline_private.h"
#include "shardlab/calc/comm.h"
#include "shardlab/calc/flops.h"

/* What is said of a run. */
enum say { SAY_BUBBLE, SAY_OVER, SAY_SPAN, SAY_HELD, SAY_HELD_W, SAY_SENDS, SAY_MAKESPAN };

static double fraction(struct pipe_fraction f) {
    return f.under > 0 ? (double)f.over / (double)f.under : 0;
}

static double held(const struct pipeline_run *r, bool until_w) {
    const struct pipe_rank_run *first = &r->run.ranks[0];
    return (double)(until_w ? first->peak_until_w : first->peak_until_b) / r->parts;
}

static bool say(const struct pipeline_ask *ask, int what, struct writer *out) {
    struct pipeline_run run;
    struct message unused;
    if (pipeline_simulate(ask, &run, &unused) != STATUS_OK) {
        return false;
    }
    switch ((enum say)what) {
    case SAY_BUBBLE:
        parallel_write_percent(out, fraction(run.run.bubble));
        return true;
    case SAY_OVER:
        parallel_write_percent(out, fraction(run.run.bubble_over_ideal));
        return true;
    case SAY_SPAN:
        parallel_write_percent(out, fraction(run.run.bubble_span));
        return true;
    case SAY_HELD:
    case SAY_HELD_W:
        value_real(out, held(&run, what == SAY_HELD_W), 2);
        return true;
    case SAY_SENDS:
        writer_u64_grouped(out, run.run.sends);
        return true;
    case SAY_MAKESPAN:
        value_real(out, (double)run.run.makespan / (double)run.ticks, 2);
        return true;
    }
    return false;
}

/* --- Schedules, with the knobs' times --- */

static bool say_1f1b(const struct lesson_input *in, int what, struct writer *out) {
    struct pipeline_ask ask = pipeline_ask_of(in, PIPE_1F1B);
    return say(&ask, what, out);
}

static bool say_gpipe(const struct lesson_input *in, int what, struct writer *out) {
    struct pipeline_ask ask = pipeline_ask_of(in, PIPE_GPIPE);
    return say(&ask, what, out);
}

/* Twice as many micro-batches. */
static bool say_double(const struct lesson_input *in, int what, struct writer *out) {
    struct pipeline_ask ask = pipeline_ask_of(in, PIPE_1F1B);
    ask.micro_batches *= 2;
    return say(&ask, what, out);
}

/* Messages that take one unit. */
static bool say_slow(const struct lesson_input *in, int schedule, struct writer *out) {
    struct pipeline_ask ask = pipeline_ask_of(in, (enum pipe_schedule)schedule);
    ask.comm = 1;
    return say(&ask, SAY_MAKESPAN, out);
}

static bool say_fast(const struct lesson_input *in, int schedule, struct writer *out) {
    struct pipeline_ask ask = pipeline_ask_of(in, (enum pipe_schedule)schedule);
    ask.comm = 0;
    return say(&ask, SAY_MAKESPAN, out);
}

/* The same with interleaving, in the pieces of the knob. */
static bool say_slow_pieces(const struct lesson_input *in, int a, struct writer *out) {
    struct pipeline_ask asks[VIEW_GANTT_GROUPS_MAX];
    struct lesson_input there = *in;
    (void)a;
    there.page = PIPELINE_INTERLEAVED;
    (void)pipeline_asked(&there, asks);
    asks[0].comm = 1;
    return say(&asks[0], SAY_MAKESPAN, out);
}

/* The first schedule of another page. */
static bool say_page(const struct lesson_input *in, int page, int what, struct writer *out) {
    struct pipeline_ask asks[VIEW_GANTT_GROUPS_MAX];
    struct lesson_input there = *in;
    there.page = page;
    (void)pipeline_asked(&there, asks);
    return say(&asks[0], what, out);
}

static bool say_pieces(const struct lesson_input *in, int what, struct writer *out) {
    return say_page(in, PIPELINE_INTERLEAVED, what, out);
}

static bool say_split(const struct lesson_input *in, int what, struct writer *out) {
    return say_page(in, PIPELINE_ZERO, what, out);
}

static bool say_named(const struct lesson_input *in, int schedule, struct writer *out) {
    struct pipeline_ask ask = pipeline_ask_of(in, (enum pipe_schedule)schedule);
    return say(&ask, SAY_MAKESPAN, out);
}

/* Stages as long as the model makes them, or all equal. */
static bool say_stages(const struct lesson_input *in, int model, struct writer *out) {
    struct pipeline_ask ask = pipeline_ask_of(in, PIPE_1F1B);
    ask.model = model ? in->now : NULL;
    return say(&ask, SAY_BUBBLE, out);
}

/* --- The scenario --- */

static bool write_count(const struct lesson_input *in, int which, struct writer *out) {
    const struct scenario *s = in->now;
    const uint64_t values[] = {s->layout.pp, s->batch.micro_batches, 2 * s->batch.micro_batches};
    writer_u64(out, values[which]);
    return true;
}

static bool write_stop(const struct lesson_input *in, int knob, struct writer *out) {
    writer_text(out, pipeline_stop(in, (enum pipeline_knob)knob));
    return true;
}

/* What 1F1B holds on stage q, as a figure: a page asks for it first, and shows figures only then. */
static bool write_rule(const struct lesson_input *in, int a, struct writer *out) {
    (void)in;
    (void)a;
    writer_text(out, "min(m, p−q)");
    return true;
}

static bool write_first_stage(const struct lesson_input *in, int pp, struct writer *out) {
    uint64_t bytes = 0;
    if (!pipeline_first_stage(in->now, (uint64_t)pp, &bytes)) {
        return false;
    }
    parallel_write_bytes(out, bytes);
    return true;
}

/* One message over a boundary. */
static bool write_boundary(const struct lesson_input *in, int a, struct writer *out) {
    struct calc_comm comm;
    struct message unused;
    (void)a;
    if (calc_comm_on_stage(in->now, 0, &comm, &unused) != STATUS_OK) {
        return false;
    }
    for (int i = 0; i < comm.row_count; i++) {
        if (comm.rows[i].axis == CALC_AXIS_PP && comm.rows[i].collective == CALC_SEND) {
            parallel_write_bytes(out, comm.rows[i].message_bytes);
            return true;
        }
    }
    return false;
}

/* How much longer the forward of the last stage is than the first one's. */
static bool write_last(const struct lesson_input *in, int a, struct writer *out) {
    struct calc_flops_stage first, last;
    struct message unused;
    (void)a;
    if (calc_flops_on_stage(in->now, 0, &first, &unused) != STATUS_OK ||
        calc_flops_on_stage(in->now, in->now->layout.pp - 1, &last, &unused) != STATUS_OK ||
        first.forward <= 0) {
        return false;
    }
    value_real(out, last.forward / first.forward, 2);
    return true;
}

static const struct value_row figures[] = {
    {"p", write_count, 0},
    {"m", write_count, 1},
    {"m_double", write_count, 2},
    {"bubble", say_1f1b, SAY_BUBBLE},
    {"over_ideal", say_1f1b, SAY_OVER},
    {"bubble_gpipe", say_gpipe, SAY_BUBBLE},
    {"bubble_double", say_double, SAY_BUBBLE},
    {"held", say_1f1b, SAY_HELD},
    {"held_rule", write_rule, 0},
    {"held_w", say_1f1b, SAY_HELD_W},
    {"held_gpipe", say_gpipe, SAY_HELD},
    {"sends", say_1f1b, SAY_SENDS},
    {"span", say_1f1b, SAY_SPAN},
    {"first_stage1", write_first_stage, 1},
    {"first_stage2", write_first_stage, 2},
    {"first_stage4", write_first_stage, 4},
    {"first_stage8", write_first_stage, 8},
    {"pieces", write_stop, PIPELINE_CHUNKS},
    {"pieces_bubble", say_pieces, SAY_BUBBLE},
    {"pieces_over", say_pieces, SAY_OVER},
    {"pieces_held", say_pieces, SAY_HELD},
    {"pieces_sends", say_pieces, SAY_SENDS},
    {"boundary", write_boundary, 0},
    {"fast", say_fast, PIPE_1F1B},
    {"slow", say_slow, PIPE_1F1B},
    {"slow_gpipe", say_slow, PIPE_GPIPE},
    {"slow_pieces", say_slow_pieces, 0},
    {"split_bubble", say_split, SAY_BUBBLE},
    {"split_span", say_split, SAY_SPAN},
    {"split_held", say_split, SAY_HELD_W},
    {"h1_makespan", say_named, PIPE_ZB_H1},
    {"h2_makespan", say_named, PIPE_ZB_H2},
    {"last_forward", write_last, 0},
    {"bubble_model", say_stages, 1},
    {"bubble_equal", say_stages, 0},
};

bool pipeline_figure(const struct lesson_input *in, const char *name, struct writer *out) {
    return value_find(figures, sizeof figures / sizeof figures[0], in, name, out);
}
