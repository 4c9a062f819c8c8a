/* The lesson *zero*: data parallelism that divides what it would hold N times. Five pages: what each stage divides and
 * saves; what it sends; what accumulation makes of that; ZeRO-3 against tensor parallelism; FSDP, its modes and its
 * floor. This file is its table of contents: knobs, pictures and what can be run. Tables are states.c's, sent.c's,
 * tensor.c's and fsdp.c's, questions guess.c's, numbers in the words figures.c's.
 * Proof: tests/unit/lessons/test_zero_lesson.c. */
#include "../registry_private.h"

#include <assert.h>
#include <string.h>

#include "shardlab/calc/option.h"
#include "shardlab/lesson/comm_view.h"
#include "zero_private.h"

static const char *const collective_stops[] = {"all-reduce", "reduce-scatter", "all-gather", NULL};

const struct lesson_knob zero_knobs[ZERO_KNOBS] = {
    [KNOB_COLLECTIVE] = {"collective", collective_stops, 1}};

const char *zero_collective(const struct lesson_input *in, bool *gathers) {
    const struct lesson_knob *knob = &zero_knobs[KNOB_COLLECTIVE];
    const char *name = knob->stops[in->own == NULL ? knob->start : in->own[KNOB_COLLECTIVE]];
    *gathers = strcmp(name, "all-gather") == 0;
    return name;
}

/* What the words of a page ask to move comes first. */
static const struct lesson_knobs page_knobs[ZERO_PAGES] = {
    [PAGE_DIVIDED] = {"group.page", {"dp", "zero", "precision", "optimizer", "model"}},
    [PAGE_SENT] = {"group.page", {"zero", "grad-bytes", "collective", "dp"}},
    [PAGE_EVERY] = {"group.page", {"micro-batches", "zero", "reduce", "reshard", "dp"}},
    [PAGE_TENSOR] = {"group.page", {"dp", "micro-batch", "seq", "model", "recompute"}},
    [PAGE_FSDP] = {"group.page", {"dp", "prefetch", "gpus-per-node", "model", "micro-batches"}},
};

static const struct lesson_knobs common_knobs[] = {
    {"group.layout", {"dp", "zero", "reduce", "reshard", "prefetch", "gpus-per-node"}},
    {"group.recipe", {"precision", "grad-bytes", "optimizer", "recompute", "attention"}},
    {"group.batch", {"model", "seq", "micro-batch", "micro-batches"}},
    {"group.cluster", {"gpu", "convention"}},
};
enum { COMMON_GROUPS = sizeof common_knobs / sizeof common_knobs[0] };
_Static_assert(1 + (int)COMMON_GROUPS <= (int)LESSON_GROUPS_MAX,
               "the page's own group is one more");

static int groups(int page, struct lesson_knobs out[LESSON_GROUPS_MAX]) {
    assert(page >= 0 && page < ZERO_PAGES);
    int count = 0;
    out[count++] = page_knobs[page];
    for (int i = 0; i < COMMON_GROUPS; i++) {
        out[count++] = common_knobs[i];
    }
    return count;
}

/* --- Pictures --- */

static enum status add_ledger(const struct scenario *s, struct view *out, struct message *why) {
    struct calc_comm comm;
    enum status ok = calc_comm_step(s, &comm, why);
    if (ok == STATUS_OK) {
        comm_table_add(out, &comm);
    }
    return ok;
}

static enum status picture(const struct lesson_input *in, struct view *out, struct message *why) {
    enum status ok = STATUS_OK;
    view_start(out);
    switch ((enum zero_page)in->page) {
    case PAGE_DIVIDED:
        zero_states_add(out, in->now);
        zero_saving_add(out, in->now);
        break;
    case PAGE_SENT:
        zero_sent_add(out, in->now);
        ok = add_ledger(in->now, out, why);
        break;
    case PAGE_EVERY:
        zero_every_add(out, in->now);
        ok = add_ledger(in->now, out, why);
        break;
    case PAGE_TENSOR:
        zero_tensor_add(out, in->now);
        break;
    default:
        zero_modes_add(out, in->now);
        zero_floor_add(out, in->now);
        break;
    }
    if (ok == STATUS_OK && in->page != PAGE_SENT) {
        struct view_text *text = &view_add(out, VIEW_KIND_TEXT)->text;
        message_start(&text->lines[text->line_count++], "lesson.predicted-only");
    }
    return ok;
}

/* --- What really runs: the halves of the sum, on gradients and on weights --- */

static bool trial_of(const struct lesson_input *in, struct gradient_trial *out) {
    const struct calc_recipe *r = &in->now->recipe;
    bool gathers;
    (void)zero_collective(in, &gathers);
    if (gathers && r->precision == CALC_PRECISION_FP8) {
        return false; /* ranks have no such elements to send */
    }
    bool four = gathers ? r->precision == CALC_PRECISION_FP32 : r->grad_bytes == 4;
    return gradient_trial_of(in->now, four ? 4 : 2, out);
}

static bool experiment(const struct lesson_input *in, struct lesson_experiment *out) {
    struct gradient_trial trial;
    bool gathers;
    if (in->page != PAGE_SENT || !trial_of(in, &trial)) {
        return false;
    }
    gradient_trial_offer(&trial, in->now->layout.dp, zero_collective(in, &gathers), out);
    return true;
}

static void write_command(const struct lesson_input *in, struct writer *out) {
    bool memory = in->page == PAGE_DIVIDED || in->page == PAGE_FSDP;
    writer_text(out, memory ? "mem" : "comm");
    scenario_write_options(out, in->now);
}

const struct lesson lesson_zero = {
    .id = "zero",
    .folder = "80_zero",
    .page_count = ZERO_PAGES,
    .start = "--model llama-2-7b --dp 8 --zero 1 --gpu a100-sxm-80gb",
    .knobs = groups,
    .view = picture,
    .figure = zero_figure,
    .own = zero_knobs,
    .own_count = ZERO_KNOBS,
    .command = write_command,
    .guess = zero_guess,
    .makers = zero_makers,
    .maker_count = ZERO_MAKERS,
    .experiment = experiment,
};
