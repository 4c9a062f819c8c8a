/* The lesson *activations*: what the forward pass keeps for the backward pass. Five pages: why, and how it grows; which
 * operator keeps how much; what recomputation saves and costs; what tensor, sequence and pipeline ranks do to it; the
 * head and its logits. This file is its table of contents: knobs and pictures of each page. No state.
 * Proof: tests/unit/lessons/test_activations.c. */
#include <assert.h>

#include "../registry_private.h"
#include "activations_private.h"

/* What the words of a page ask to move comes first. */
static const struct lesson_knobs page_knobs[ACTIVATIONS_PAGES] = {
    [ACTIVATIONS_WHY] = {"group.page", {"seq", "micro-batch", "attention", "model"}},
    [ACTIVATIONS_OPERATORS] = {"group.page", {"attention", "model", "dropout", "seq"}},
    [ACTIVATIONS_RECOMPUTE] = {"group.page",
                               {"recompute", "attention", "seq", "micro-batch", "gpu"}},
    [ACTIVATIONS_RANKS] = {"group.page",
                           {"tp", "sequence-parallel", "pp", "micro-batches", "schedule"}},
    [ACTIVATIONS_HEAD] = {"group.page", {"logits", "micro-batch", "seq", "tp", "recompute"}},
};

static const struct lesson_knobs common_knobs[] = {
    {"group.layout", {"dp", "tp", "pp", "cp", "zero", "sequence-parallel", "schedule", "chunks"}},
    {"group.recipe", {"precision", "recompute", "attention", "dropout", "logits"}},
    {"group.batch", {"model", "gpu", "seq", "micro-batch", "micro-batches"}},
};

enum { COMMON_GROUPS = sizeof common_knobs / sizeof common_knobs[0] };
_Static_assert(1 + COMMON_GROUPS <= LESSON_GROUPS_MAX,
               "a page has room for its own group and the common ones");

static int knobs(int page, struct lesson_knobs out[LESSON_GROUPS_MAX]) {
    assert(page >= 0 && page < ACTIVATIONS_PAGES);
    int count = 0;
    out[count++] = page_knobs[page];
    for (int i = 0; i < COMMON_GROUPS; i++) {
        out[count++] = common_knobs[i];
    }
    return count;
}

void activations_predicted_only_add(struct view *out) {
    struct view_text *text = &view_add(out, VIEW_KIND_TEXT)->text;
    message_start(&text->lines[text->line_count++], "lesson.predicted-only");
}

static void add_pictures(const struct lesson_input *in, const struct calc_memory *now,
                         struct view *out) {
    const struct scenario *s = in->now;
    switch ((enum activations_page)in->page) {
    case ACTIVATIONS_WHY:
        activations_plot_add(out, s);
        activations_growth_add(out, s);
        break;
    case ACTIVATIONS_OPERATORS:
        activations_ledger_add(out, in, now);
        activations_layer_add(out, s);
        break;
    case ACTIVATIONS_RECOMPUTE:
        activations_recompute_add(out, s);
        activations_measured_add(out);
        memory_bar_add(out, s, now);
        break;
    case ACTIVATIONS_RANKS:
        activations_ranks_add(out, s);
        activations_stages_add(out, s);
        break;
    case ACTIVATIONS_HEAD:
        activations_logits_add(out, s);
        memory_timeline_add(out, s, now);
        break;
    case ACTIVATIONS_PAGES:
        break;
    }
}

static enum status view(const struct lesson_input *in, struct view *out, struct message *why) {
    struct calc_memory now;
    enum status result = calc_memory_worst(in->now, &now, why);
    view_start(out);
    if (result != STATUS_OK) {
        return result;
    }
    if (!activations_memory(in->now, &now)) { /* --params alone: nobody can say */
        memory_notes_add(out, in->now, &now);
        return STATUS_OK;
    }
    add_pictures(in, &now, out);
    activations_predicted_only_add(out);
    return STATUS_OK;
}

const struct lesson lesson_activations = {
    .id = "activations",
    .folder = "20_activations",
    .page_count = ACTIVATIONS_PAGES,
    .start = "--model llama-3.1-8b --dp 8 --zero 1 --attention standard --gpu a100-sxm-80gb",
    .knobs = knobs,
    .view = view,
    .figure = activations_figure,
    .guess = activations_guess,
    .makers = activations_makers,
    .maker_count = ACTIVATIONS_MAKERS,
};
