/* The lesson *offload*: states that leave the GPU for its host's memory or for disks. Five pages: where the bytes are; what
 * crosses which link; which link decides how much slower a step is; how micro-batches amortise it; slower than what. This
 * file is its table of contents: knobs and pictures of each page. No state.
 * Proof: tests/unit/lessons/test_offload_lesson.c. */
#include <assert.h>

#include "../registry_private.h"
#include "offload_private.h"

/* What the words of a page ask to move comes first. */
static const struct lesson_knobs page_knobs[OFFLOAD_PAGES] = {
    [OFFLOAD_WHERE] = {"group.page", {"offload", "offload-to", "model", "convention", "zero"}},
    [OFFLOAD_TRAFFIC] = {"group.page",
                         {"offload", "offload-to", "grad-bytes", "optimizer", "micro-batches"}},
    [OFFLOAD_LINK] = {"group.page",
                      {"offload-to", "pcie-gb-per-s", "nvme-gb-per-s", "gpu", "micro-batch"}},
    [OFFLOAD_BATCH] = {"group.page",
                       {"micro-batches", "micro-batch", "pcie-gb-per-s", "nvme-gb-per-s", "zero"}},
    [OFFLOAD_SLOWER] = {"group.page", {"model", "micro-batches", "seq", "pcie-gb-per-s", "gpu"}},
};

static const struct lesson_knobs common_knobs[] = {
    {"group.layout", {"dp", "zero", "offload", "offload-to", "reshard", "prefetch"}},
    {"group.recipe", {"precision", "grad-bytes", "optimizer", "recompute", "attention"}},
    {"group.batch", {"model", "seq", "micro-batch", "micro-batches"}},
    {"group.cluster", {"gpu", "pcie-gb-per-s", "nvme-gb-per-s", "gpus-per-node", "convention"}},
};

enum { COMMON_GROUPS = sizeof common_knobs / sizeof common_knobs[0] };
_Static_assert(1 + COMMON_GROUPS <= LESSON_GROUPS_MAX,
               "a page has room for its own group and the common ones");

static int knobs(int page, struct lesson_knobs out[LESSON_GROUPS_MAX]) {
    assert(page >= 0 && page < OFFLOAD_PAGES);
    int count = 0;
    out[count++] = page_knobs[page];
    for (int i = 0; i < COMMON_GROUPS; i++) {
        out[count++] = common_knobs[i];
    }
    return count;
}

static void predicted_only_add(struct view *out) {
    struct view_text *text = &view_add(out, VIEW_KIND_TEXT)->text;
    message_start(&text->lines[text->line_count++], "lesson.predicted-only");
}

static enum status add_traffic(const struct scenario *s, struct view *out, struct message *why) {
    struct calc_comm comm;
    enum status result = calc_comm_step(s, &comm, why);
    if (result != STATUS_OK) {
        return result;
    }
    offload_moves_add(out, s);
    comm_table_add(out, &comm);
    return STATUS_OK;
}

static enum status view(const struct lesson_input *in, struct view *out, struct message *why) {
    const struct scenario *s = in->now;
    struct calc_memory memory;
    enum status result = calc_memory_worst(s, &memory, why);
    view_start(out);
    if (result != STATUS_OK) {
        return result;
    }
    switch ((enum offload_page)in->page) {
    case OFFLOAD_WHERE:
        offload_places_add(out, s);
        memory_bar_add(out, s, &memory);
        memory_notes_add(out, s, &memory);
        break;
    case OFFLOAD_TRAFFIC:
        result = add_traffic(s, out, why);
        break;
    case OFFLOAD_LINK:
        offload_times_add(out, s);
        break;
    case OFFLOAD_BATCH:
        offload_plot_add(out, s);
        offload_times_add(out, s);
        break;
    case OFFLOAD_SLOWER:
        offload_largest_add(out, s);
        memory_bar_add(out, s, &memory);
        break;
    case OFFLOAD_PAGES:
        break;
    }
    predicted_only_add(out);
    return result;
}

const struct lesson lesson_offload = {
    .id = "offload",
    .folder = "85_offload",
    .page_count = OFFLOAD_PAGES,
    .start = "--model llama-2-13b --precision fp16 --zero 2 --offload optimizer --recompute full"
             " --gpu v100-sxm2-32gb --nvme-gb-per-s 3",
    .knobs = knobs,
    .view = view,
    .figure = offload_figure,
    .guess = offload_guess,
    .makers = offload_makers,
    .maker_count = OFFLOAD_MAKERS,
};
