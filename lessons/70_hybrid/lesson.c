/* The lesson *hybrid*: DP, TP and PP at once, and how one chooses. Five pages: who talks to whom, and why TP stays inside a
 * node; which axis costs most, by bytes and by time; published runs; what may be stacked; the planner's answer. This
 * file is the table of contents: knobs and pictures of each page. Sums by axis are axes.c's, published runs runs.c's,
 * pipeline beside ZeRO stack.c's, numbers in the words figures.c's. No state.
 * Proof: tests/unit/lessons/test_hybrid.c. */
#include "../registry_private.h"

#include <assert.h>

#include "hybrid_private.h"
#include "shardlab/base/units.h"
#include "shardlab/calc/option.h"
#include "shardlab/lesson/cluster_view.h"
#include "shardlab/lesson/comm_view.h"

enum page { PAGE_WHO, PAGE_COST, PAGE_RUNS, PAGE_STACK, PAGE_CHOOSE, PAGES };

static const char *const rank_stops[] = {"0",  "1",  "3",  "7",   "8",   "15",  "16",
                                         "32", "63", "64", "128", "256", "511", NULL};
static const char *const gpus_stops[] = {"32",  "64",   "128",  "256", "512",
                                         "768", "1024", "2048", NULL};
static const char *const batch_stops[] = {"128", "256", "512", "1024", "1536", "2048", NULL};

const struct lesson_knob hybrid_knobs[HYBRID_KNOBS] = {
    [HYBRID_RANK] = {"rank", rank_stops, 0},
    [HYBRID_RUN] = {"run", hybrid_run_stops, 1},
    [HYBRID_GPUS] = {"gpus", gpus_stops, 4},
    [HYBRID_GLOBAL_BATCH] = {"global-batch", batch_stops, 2},
};

/* What the words of a page ask to move comes first. */
static const struct lesson_knobs page_knobs[PAGES] = {
    [PAGE_WHO] = {"group.page",
                  {"tp", "dp", "gpus-per-node", "rank", "net-gb-per-s", "link-gb-per-s", "pp"}},
    [PAGE_COST] = {"group.page", {"micro-batches", "dp", "pp", "tp", "micro-batch", "gpu"}},
    [PAGE_RUNS] = {"group.page", {"run"}},
    [PAGE_STACK] = {"group.page", {"zero", "pp", "micro-batches", "dp", "tp", "recompute"}},
    [PAGE_CHOOSE] = {"group.page",
                     {"gpus", "global-batch", "link-gb-per-s", "net-gb-per-s", "gpu", "seq",
                      "model"}},
};

static const struct lesson_knobs common_knobs[] = {
    {"group.layout", {"dp", "tp", "pp", "zero", "sequence-parallel", "schedule", "chunks", "cp"}},
    {"group.recipe", {"precision", "grad-bytes", "optimizer", "recompute", "attention", "offload"}},
    {"group.batch", {"model", "seq", "micro-batch", "micro-batches", "global-batch"}},
    {"group.cluster",
     {"gpu", "gpus-per-node", "link-gb-per-s", "net-gb-per-s", "convention", "gpus"}},
};
enum { COMMON_GROUPS = sizeof common_knobs / sizeof common_knobs[0] };
_Static_assert(1 + COMMON_GROUPS <= LESSON_GROUPS_MAX, "a page's own group and the common ones");

static int groups(int page, struct lesson_knobs out[LESSON_GROUPS_MAX]) {
    assert(page >= 0 && page < PAGES);
    out[0] = page_knobs[page];
    for (int i = 0; i < COMMON_GROUPS; i++) {
        out[1 + i] = common_knobs[i];
    }
    return 1 + COMMON_GROUPS;
}

static int stop_of(const struct lesson_input *in, enum hybrid_knob knob) {
    return in->own == NULL ? hybrid_knobs[knob].start : in->own[knob];
}

uint64_t hybrid_number(const struct lesson_input *in, enum hybrid_knob knob) {
    uint64_t value = 0;
    bool read = units_parse_count(hybrid_knobs[knob].stops[stop_of(in, knob)], 1000, &value);
    assert(read); /* the stops of numbers stand above */
    return read ? value : 0;
}

struct plan_question hybrid_question(const struct lesson_input *in) {
    return (struct plan_question){in->now, hybrid_number(in, HYBRID_GPUS),
                                  hybrid_number(in, HYBRID_GLOBAL_BATCH)};
}

/* The chosen rank, or the first where a move of the degrees left fewer GPUs than that: said below the picture. */
static void add_cluster(struct view *out, const struct lesson_input *in) {
    const struct calc_ranks ranks = calc_ranks_of(in->now);
    uint64_t rank = hybrid_number(in, HYBRID_RANK), world = calc_ranks_world(&ranks);
    cluster_view_add(out, in->now, rank < world ? rank : 0);
    if (rank >= world) {
        struct view_text *text = &view_add(out, VIEW_KIND_TEXT)->text;
        struct message *m = &text->lines[text->line_count++];
        message_start(m, "lesson.hybrid.no_rank");
        message_add_count(m, rank);
        message_add_count(m, world);
    }
}

static enum status add_comm(struct view *out, const struct scenario *s, struct message *why) {
    struct calc_comm comm;
    uint64_t stage = s->layout.pp > 2 ? s->layout.pp / 2 : 0;
    enum status ok = calc_comm_on_stage(s, stage, &comm, why);
    if (ok == STATUS_OK) {
        comm_table_add(out, &comm);
    }
    return ok;
}

static enum status picture(const struct lesson_input *in, struct view *out, struct message *why) {
    view_start(out);
    struct scenario run;
    struct plan_question question = hybrid_question(in);
    switch ((enum page)in->page) {
    case PAGE_WHO:
        hybrid_axes_add(out, in->now, false);
        add_cluster(out, in);
        return STATUS_OK;
    case PAGE_COST:
        hybrid_axes_add(out, in->now, true);
        hybrid_flip_add(out, in->now);
        return add_comm(out, in->now, why);
    case PAGE_RUNS:
        hybrid_runs_add(out, stop_of(in, HYBRID_RUN));
        if (hybrid_run(stop_of(in, HYBRID_RUN), &run)) {
            cluster_view_add(out, &run, 0);
        }
        return STATUS_OK;
    case PAGE_STACK:
        hybrid_stack_add(out, in->now);
        return STATUS_OK;
    case PAGE_CHOOSE:
        plan_search_add(out, &question);
        return STATUS_OK;
    case PAGES:
        break;
    }
    return STATUS_OK;
}

static void write_command(const struct lesson_input *in, struct writer *out) {
    if (in->page == PAGE_CHOOSE) {
        struct plan_question question = hybrid_question(in);
        plan_search_command(out, &question);
        return;
    }
    writer_text(out, in->page == PAGE_STACK ? "mem" : "comm");
    scenario_write_options(out, in->now);
}

const struct lesson lesson_hybrid = {
    .id = "hybrid",
    .folder = "70_hybrid",
    .page_count = PAGES,
    .start =
        "--model gpt3-175b --dp 8 --tp 8 --pp 8 --zero 1 --micro-batches 64 --gpu a100-sxm-80gb",
    .knobs = groups,
    .view = picture,
    .figure = hybrid_figure,
    .own = hybrid_knobs,
    .own_count = HYBRID_KNOBS,
    .command = write_command,
    .guess = hybrid_guess,
    .makers = hybrid_makers,
    .maker_count = HYBRID_MAKERS,
};
