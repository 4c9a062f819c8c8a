/* The lesson *start*, the first that a learner opens: a 100B model does not fit on one card, what now? Four pages: how many
 * times too large, and that more replicas change nothing; each remedy alone on the same bar; what is left when the states
 * are divided; all together, by the planner. Mistral Large (123B, its dimensions are public) stands for "100B", so that
 * activations are real ones. This file is the table of contents: knobs and pictures of each page; tables are cards.c's
 * and remedies.c's. No state. Proof: tests/unit/lessons/test_start.c. */
#include "../registry_private.h"

#include <assert.h>

#include "shardlab/base/units.h"
#include "shardlab/calc/option.h"
#include "shardlab/lesson/memory_view.h"
#include "start_private.h"

enum page { PAGE_TOO_LARGE, PAGE_REMEDIES, PAGE_REST, PAGE_PLAN, PAGES };

static const char *const gpus_stops[] = {"16",  "24",  "32",  "48",   "64",   "96", "128",
                                         "256", "512", "768", "1024", "2048", NULL};
static const char *const batch_stops[] = {"64", "128", "256", "512", "1024", "2048", NULL};

const struct lesson_knob start_knobs[START_KNOBS] = {
    [START_GPUS] = {"gpus", gpus_stops, 4},
    [START_GLOBAL_BATCH] = {"global-batch", batch_stops, 2},
};

/* What the words of a page ask to move comes first. */
static const struct lesson_knobs page_knobs[PAGES] = {
    [PAGE_TOO_LARGE] = {"group.page", {"dp", "gpu", "model", "convention"}},
    [PAGE_REMEDIES] = {"group.page",
                       {"zero", "tp", "pp", "recompute", "offload", "precision", "dp"}},
    [PAGE_REST] = {"group.page", {"zero", "dp", "recompute", "seq", "micro-batch", "gpu"}},
    [PAGE_PLAN] = {"group.page", {"gpus", "gpu", "seq", "global-batch", "model", "precision"}},
};

static const struct lesson_knobs common_knobs[] = {
    {"group.layout", {"dp", "tp", "pp", "zero", "sequence-parallel", "schedule", "chunks", "cp"}},
    {"group.recipe",
     {"precision", "grad-bytes", "optimizer", "recompute", "attention", "offload", "logits"}},
    {"group.batch", {"model", "seq", "micro-batch", "micro-batches"}},
    {"group.cluster", {"gpu", "convention", "gpus-per-node", "gpus", "global-batch"}},
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

static uint64_t own_number(const struct lesson_input *in, enum start_knob knob) {
    const struct lesson_knob *k = &start_knobs[knob];
    uint64_t value = 0;
    bool read =
        units_parse_count(k->stops[in->own == NULL ? k->start : in->own[knob]], 1000, &value);
    assert(read); /* the stops stand above */
    return read ? value : 0;
}

struct plan_question start_question(const struct lesson_input *in) {
    return (struct plan_question){in->now, own_number(in, START_GPUS),
                                  own_number(in, START_GLOBAL_BATCH)};
}

static enum status picture(const struct lesson_input *in, struct view *out, struct message *why) {
    struct memory_states states;
    struct message unused;
    view_start(out);
    if (in->page == PAGE_PLAN) {
        struct plan_question question = start_question(in);
        plan_search_add(out, &question);
        return STATUS_OK;
    }
    enum status ok = calc_memory_worst(in->now, &states.now, why);
    if (ok != STATUS_OK) {
        return ok;
    }
    states.has_before =
        in->before != NULL && calc_memory_worst(in->before, &states.before, &unused) == STATUS_OK;
    memory_bar_add(out, in->now, &states.now);
    if (in->page == PAGE_TOO_LARGE) {
        start_cards_add(out, in->now);
    } else if (in->page == PAGE_REMEDIES) {
        start_remedies_add(out, in->now);
    } else {
        start_rest_add(out, in->now);
    }
    if (in->page != PAGE_REMEDIES) { /* there the table says which part moves */
        memory_ledger_add(out, in->now, &states);
    }
    memory_notes_add(out, in->now, &states.now);
    return STATUS_OK;
}

static void write_command(const struct lesson_input *in, struct writer *out) {
    if (in->page == PAGE_PLAN) {
        struct plan_question question = start_question(in);
        plan_search_command(out, &question);
    } else {
        writer_text(out, "mem");
        scenario_write_options(out, in->now);
    }
}

const struct lesson lesson_start = {
    .id = "start",
    .folder = "00_start",
    .page_count = PAGES,
    .start = "--model mistral-large-2407 --seq 2048 --dp 8 --micro-batches 16 --gpu a100-sxm-80gb",
    .knobs = groups,
    .view = picture,
    .figure = start_figure,
    .own = start_knobs,
    .own_count = START_KNOBS,
    .command = write_command,
    .guess = start_guess,
    .makers = start_makers,
    .maker_count = START_MAKERS,
};
