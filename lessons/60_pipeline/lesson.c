/* The lesson *pipeline*: layers divided among stages, and the order in which each stage runs micro-batches. Five pages: where
 * the bubble comes from; what is in flight; interleaving; backward in two parts; stages that are not equal. This file is
 * its table of contents: knobs and their stops. Schedule, stages and micro-batches are the scenario's; times of operations,
 * what a page compares and which cell it explains belong to no scenario, so they are knobs of the lesson's own. Schedules are
 * run in run.c, drawn in pictures.c; the words' numbers are figures.c's. Proof: tests/unit/lessons/test_pipeline.c. */
#include "../registry_private.h"

#include <assert.h>

#include "pipeline_private.h"

static const char *const time_stops[] = {"1", "2", "3", "4", NULL};
static const char *const comm_stops[] = {"0", "1", "2", "3", NULL};
static const char *const chunk_stops[] = {"2", "4", "8", NULL};
static const char *const split_stops[] = {"zb-h1", "zb-h2", "zb-v", NULL};
static const char *const times_stops[] = {"equal", "model", NULL};
static const char *const walk_stops[] = {"critical", "0", "1", "2", "3", "4", "5", "6", "7", NULL};

const struct lesson_knob pipeline_knobs[PIPELINE_KNOBS] = {
    [PIPELINE_TF] = {"time-f", time_stops, 0},
    [PIPELINE_TB] = {"time-b", time_stops, 0},
    [PIPELINE_TW] = {"time-w", time_stops, 0},
    [PIPELINE_COMM] = {"time-message", comm_stops, 0},
    [PIPELINE_CHUNKS] = {"pieces", chunk_stops, 0},
    [PIPELINE_SPLIT] = {"split-backward", split_stops, 0},
    [PIPELINE_TIMES] = {"stage-times", times_stops, 1},
    [PIPELINE_WALK] = {"walk", walk_stops, 1},
};

/* What the words of a page ask to move comes first. */
static const struct lesson_knobs page_knobs[PIPELINE_PAGES] = {
    [PIPELINE_BUBBLE] = {"group.page", {"micro-batches", "pp", "schedule", "walk"}},
    [PIPELINE_FLIGHT] = {"group.page", {"pp", "schedule", "micro-batches", "recompute", "walk"}},
    [PIPELINE_INTERLEAVED] = {"group.page",
                              {"pieces", "time-message", "micro-batches", "pp", "walk"}},
    [PIPELINE_ZERO] = {"group.page", {"split-backward", "time-w", "micro-batches", "pp", "walk"}},
    [PIPELINE_BALANCE] = {"group.page",
                          {"stage-times", "model", "schedule", "pp", "micro-batches", "walk"}},
};

static const struct lesson_knobs common_knobs[] = {
    {"group.times", {"time-f", "time-b", "time-w", "time-message", "walk"}},
    {"group.layout", {"pp", "schedule", "chunks", "micro-batches", "tp", "dp", "zero"}},
    {"group.batch", {"model", "seq", "micro-batch", "recompute", "gpu"}},
};
enum { COMMON_GROUPS = sizeof common_knobs / sizeof common_knobs[0] };
_Static_assert(1 + COMMON_GROUPS <= LESSON_GROUPS_MAX,
               "a page has room for its own group and the common ones");

static int groups(int page, struct lesson_knobs out[LESSON_GROUPS_MAX]) {
    assert(page >= 0 && page < PIPELINE_PAGES);
    out[0] = page_knobs[page];
    for (int i = 0; i < COMMON_GROUPS; i++) {
        out[1 + i] = common_knobs[i];
    }
    return 1 + COMMON_GROUPS;
}

const struct lesson lesson_pipeline = {
    .id = "pipeline",
    .folder = "60_pipeline",
    .page_count = PIPELINE_PAGES,
    .start = "--model llama-3-8b --pp 4 --micro-batches 8 --seq 4096 --gpu a100-sxm-80gb",
    .knobs = groups,
    .view = pipeline_view,
    .figure = pipeline_figure,
    .own = pipeline_knobs,
    .own_count = PIPELINE_KNOBS,
    .frames = pipeline_frames,
    .command = pipeline_command,
    .guess = pipeline_guess,
    .makers = pipeline_makers,
    .maker_count = PIPELINE_MAKERS,
};
