/* The lesson *memory*: what fills one GPU in training. Six pages: the five parts; what a parameter costs; the
 * optimizer states and ZeRO; activations; does it fit; when is it most. This file is its table of contents: knobs and picture of
 * each page. The words are zh.md and en.md beside it; the numbers in them are figures.c's, the pictures ledger.c's,
 * pictures.c's and timeline.c's. No state: a view is computed from the scenario alone.
 * Proof: tests/unit/lessons/test_memory_lesson.c. */
#include "../registry_private.h"

#include <assert.h>

#include "memory_private.h"

enum page {
    PAGE_FIVE_PARTS,
    PAGE_PARAMETER,
    PAGE_ZERO,
    PAGE_ACTIVATIONS,
    PAGE_FIT,
    PAGE_TIMELINE,
    PAGES,
};

/* What the words of a page ask to move comes first. */
static const struct lesson_knobs page_knobs[PAGES] = {
    [PAGE_FIVE_PARTS] = {"group.page", {"model", "gpu", "dp"}},
    [PAGE_PARAMETER] = {"group.page", {"convention", "optimizer", "precision", "grad-bytes"}},
    [PAGE_ZERO] = {"group.page", {"model", "zero", "dp", "seq", "micro-batch"}},
    [PAGE_ACTIVATIONS] = {"group.page",
                          {"seq", "micro-batch", "attention", "recompute", "dropout", "tp",
                           "sequence-parallel"}},
    [PAGE_FIT] = {"group.page", {"model", "gpu", "tp", "pp", "zero", "recompute", "micro-batch"}},
    [PAGE_TIMELINE] = {"group.page",
                       {"micro-batches", "pp", "schedule", "recompute", "convention", "seq"}},
};

static const struct lesson_knobs common_knobs[] = {
    {"group.layout", {"dp", "tp", "pp", "cp", "zero", "sequence-parallel", "schedule", "chunks"}},
    {"group.recipe",
     {"precision", "grad-bytes", "optimizer", "recompute", "attention", "dropout", "logits",
      "buffers"}},
    {"group.batch", {"model", "seq", "micro-batch", "micro-batches"}},
    {"group.cluster",
     {"gpu", "convention", "offload", "offload-to", "gpus-per-node", "reshard", "prefetch"}},
};

enum { COMMON_GROUPS = sizeof(common_knobs) / sizeof(common_knobs[0]) };
_Static_assert(1 + COMMON_GROUPS <= LESSON_GROUPS_MAX,
               "a page has room for its own group and the common ones");

static int memory_knobs(int page, struct lesson_knobs out[LESSON_GROUPS_MAX]) {
    assert(page >= 0 && page < PAGES);
    int count = 0;
    out[count++] = page_knobs[page];
    for (int i = 0; i < COMMON_GROUPS; i++) {
        out[count++] = common_knobs[i];
    }
    return count;
}

static enum status memory_view(const struct lesson_input *in, struct view *out,
                               struct message *why) {
    struct memory_states states;
    struct message unused;
    enum status result = calc_memory_worst(in->now, &states.now, why);
    if (result != STATUS_OK) {
        return result;
    }
    states.has_before =
        in->before != NULL && calc_memory_worst(in->before, &states.before, &unused) == STATUS_OK;
    view_start(out);
    if (in->page == PAGE_TIMELINE) { /* it has the card's line, and takes the place of the bar */
        memory_timeline_add(out, in->now, &states.now);
    }
    memory_ledger_add(out, in->now, &states);
    if (in->page != PAGE_TIMELINE) {
        memory_bar_add(out, in->now, &states.now);
    }
    if (in->page == PAGE_PARAMETER) {
        memory_cost_add(out, in->now);
    } else if (in->page == PAGE_ZERO) {
        memory_saving_add(out, in->now);
    } else if (in->page == PAGE_FIT) {
        memory_stage_add(out, in->now, &states.now);
    }
    memory_notes_add(out, in->now, &states.now);
    return STATUS_OK;
}

static bool memory_guess(const struct lesson_input *in, struct lesson_guess *out) {
    return in->page == PAGE_PARAMETER && memory_parameter_guess(in->now, out);
}

const struct lesson lesson_memory = {
    .id = "memory",
    .folder = "10_memory",
    .page_count = PAGES,
    .start = "--model llama-2-7b --dp 8 --zero 1 --gpu a100-sxm-80gb",
    .knobs = memory_knobs,
    .view = memory_view,
    .figure = memory_figure,
    .guess = memory_guess,
    .makers = memory_makers,
    .maker_count = MEMORY_MAKERS,
};
