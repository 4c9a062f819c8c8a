/* What two pages of the lesson on pipelines ask before they show their picture, and the command line of each page. Choices are
 * what people say, computed from the learner's own stages and micro-batches; the right one is the simulator's. Writes
 * into the caller's guess. Proof: tests/unit/lessons/test_pipeline.c. */
#include <string.h>

#include "pipeline_private.h"
#include "shardlab/calc/option.h"

enum { TEXT_MAX = 32 };

static double fraction(struct pipe_fraction f) {
    return f.under > 0 ? (double)f.over / (double)f.under : 0;
}

static void add_choice(struct lesson_guess *out, const char *id, const char *text,
                       const char *why) {
    message_start(&out->why[out->choice_count], why);
    struct message *choice = &out->choices[out->choice_count++];
    message_start(choice, id);
    message_add_text(choice, text);
}

static bool all_distinct(const struct lesson_guess *g) {
    for (int i = 0; i < g->choice_count; i++) {
        for (int k = 0; k < i; k++) {
            if (strcmp(g->choices[i].args[0].text, g->choices[k].args[0].text) == 0) {
                return false;
            }
        }
    }
    return true;
}

static void add_percent(struct lesson_guess *out, double share, const char *why) {
    char text[TEXT_MAX];
    struct writer w;
    writer_start(&w, text, sizeof text);
    parallel_write_percent(&w, share);
    add_choice(out, "lesson.pipeline.guess.share", text, why);
}

static void add_count(struct lesson_guess *out, uint64_t count, const char *why) {
    char text[TEXT_MAX];
    struct writer w;
    writer_start(&w, text, sizeof text);
    writer_u64(&w, count);
    add_choice(out, "lesson.pipeline.guess.count", text, why);
}

static bool ask_bubble(const struct lesson_input *in, const struct pipeline_run *run,
                       struct lesson_guess *out) {
    struct pipeline_ask ask = pipeline_ask_of(in, PIPE_GPIPE);
    struct pipeline_run gpipe;
    struct message unused;
    if (ask.comm != 0 || pipeline_simulate(&ask, &gpipe, &unused) != STATUS_OK) {
        return false; /* with messages the two differ, and the question is another */
    }
    char text[TEXT_MAX];
    struct writer w;
    writer_start(&w, text, sizeof text);
    parallel_write_percent(&w, fraction(gpipe.run.bubble));
    message_start(&out->question, "lesson.pipeline.guess.bubble");
    message_add_plain(&out->question, ask.ranks);
    message_add_plain(&out->question, ask.micro_batches);
    message_add_text(&out->question, text);
    add_percent(out, fraction(gpipe.run.bubble) / 2, "lesson.pipeline.guess.half");
    out->right = out->choice_count;
    add_percent(out, fraction(run->run.bubble), "lesson.pipeline.guess.same");
    add_percent(out, fraction(run->run.bubble_over_ideal), "lesson.pipeline.guess.over_ideal");
    add_percent(out, 0, "lesson.pipeline.guess.no_gap");
    return all_distinct(out);
}

static bool ask_flight(const struct pipeline_run *run, struct lesson_guess *out) {
    uint64_t p = run->shape.ranks, m = run->shape.micro_batches, share = (m + p - 1) / p;
    message_start(&out->question, "lesson.pipeline.guess.flight");
    message_add_plain(&out->question, p);
    message_add_plain(&out->question, m);
    out->right = 0;
    add_count(out, run->run.ranks[0].peak_until_b, "lesson.pipeline.guess.stages");
    add_count(out, m, "lesson.pipeline.guess.all");
    add_count(out, 1, "lesson.pipeline.guess.one");
    if (share > 1 && share != p && share != m) {
        add_count(out, share, "lesson.pipeline.guess.divided");
    }
    return all_distinct(out);
}

bool pipeline_guess(const struct lesson_input *in, struct lesson_guess *out) {
    struct pipeline_ask ask = pipeline_ask_of(in, PIPE_1F1B);
    struct pipeline_run run;
    struct message unused;
    bool asks = in->page == PIPELINE_BUBBLE || in->page == PIPELINE_FLIGHT;
    if (!asks || in->now->layout.schedule != CALC_SCHEDULE_1F1B || ask.ranks == 1 ||
        pipeline_simulate(&ask, &run, &unused) != STATUS_OK) {
        return false;
    }
    return in->page == PIPELINE_BUBBLE ? ask_bubble(in, &run, out) : ask_flight(&run, out);
}

/* --- The same on the command line --- */

static void write_count(struct writer *out, const char *option, uint64_t count) {
    writer_text(out, option);
    writer_u64(out, count);
}

/* Times of one chunk, in units: a part of the stage's. */
static void write_part(struct writer *out, const char *option, uint64_t time, uint32_t parts) {
    writer_text(out, option);
    value_real(out, (double)time / parts, 3); /* parts are powers of two */
}

/* Times of the model's stages: "1,1,1,1.3". */
static void write_list(struct writer *out, const char *option, const uint64_t *ticks,
                       const struct pipeline_run *r) {
    writer_text(out, option);
    for (uint32_t i = 0; i < r->shape.ranks; i++) {
        writer_text(out, i > 0 ? "," : "");
        value_real(out, (double)ticks[i] / (double)r->ticks, 2);
    }
}

static void write_times(const struct pipeline_ask *ask, const struct pipeline_run *r, bool ran,
                        struct writer *out) {
    bool lists = ask->model != NULL && ran && r->ticks != ask->ticks;
    if (lists) {
        write_list(out, " --tf ", r->f, r);
        write_list(out, " --tb ", r->b, r);
        write_list(out, " --tw ", r->w, r);
        return;
    }
    uint32_t parts = pipeline_parts(ask);
    write_part(out, " --tf ", ask->tf, parts);
    write_part(out, " --tb ", ask->tb, parts);
    write_part(out, " --tw ", ask->tw, parts);
}

void pipeline_command(const struct lesson_input *in, struct writer *out) {
    struct pipeline_ask asks[VIEW_GANTT_GROUPS_MAX];
    struct pipeline_run run;
    struct message unused;
    int count = pipeline_asked(in, asks);
    bool ran = pipeline_simulate(&asks[0], &run, &unused) == STATUS_OK;
    writer_text(out, "pipe --schedule ");
    writer_text(out, pipe_schedule_name(asks[0].schedule));
    write_count(out, " --stages ", asks[0].ranks);
    write_count(out, " --micro-batches ", asks[0].micro_batches);
    if (asks[0].chunks > 1) {
        write_count(out, " --chunks ", asks[0].chunks);
    }
    write_times(&asks[0], &run, ran, out);
    if (asks[0].comm > 0) {
        write_count(out, " --comm ", asks[0].comm);
    }
    writer_text(out, " --gantt");
    if (count > 1) {
        writer_text(out, " --against ");
        writer_text(out, pipe_schedule_name(asks[1].schedule));
    }
}
