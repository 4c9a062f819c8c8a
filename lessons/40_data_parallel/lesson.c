/* The lesson *data-parallel*: the same model on every rank, other data. Five pages: what is copied and what is split;
 * the sum of the gradients; once a step or every micro-batch; can backward hide it; when it equals one big batch. This
 * file is its table of contents: knobs, pictures and what can be run. The tables are tables.c's and tokens.c's, the
 * questions guess.c's, the numbers in the words figures.c's. Proof: tests/unit/lessons/test_data_parallel.c. */
#include "../registry_private.h"

#include <assert.h>

#include "data_parallel_private.h"
#include "shardlab/calc/option.h"
#include "shardlab/lesson/comm_view.h"
#include "shardlab/lesson/memory_view.h"

static const char *const valid_stops[] = {"100%", "75%", "50%", "25%", "10%", NULL};

const struct lesson_knob data_knobs[DATA_KNOBS] = {[KNOB_VALID] = {"valid", valid_stops, 2}};

uint64_t data_valid_percent(const struct lesson_input *in) {
    const struct lesson_knob *knob = &data_knobs[KNOB_VALID];
    const char *at = knob->stops[in->own == NULL ? knob->start : in->own[KNOB_VALID]];
    uint64_t value = 0;
    for (; *at >= '0' && *at <= '9'; at++) {
        value = 10 * value + (uint64_t)(*at - '0');
    }
    assert(value > 0 && value <= 100); /* the stops stand above */
    return value;
}

/* What the words of a page ask to move comes first. */
static const struct lesson_knobs page_knobs[DATA_PAGES] = {
    [PAGE_COPIES] = {"group.page", {"dp", "model", "micro-batch", "micro-batches"}},
    [PAGE_SUM] = {"group.page", {"dp", "model", "precision", "grad-bytes"}},
    [PAGE_ACCUMULATE] = {"group.page", {"micro-batches", "reduce", "dp"}},
    [PAGE_HIDE] = {"group.page", {"micro-batch", "seq", "dp", "gpu", "model", "recompute"}},
    [PAGE_EQUAL] = {"group.page", {"valid", "dp", "seq", "micro-batch"}},
};

static const struct lesson_knobs common_knobs[] = {
    {"group.layout", {"dp", "reduce", "gpus-per-node"}},
    {"group.recipe", {"precision", "grad-bytes", "optimizer", "recompute", "attention"}},
    {"group.batch", {"model", "seq", "micro-batch", "micro-batches"}},
    {"group.cluster", {"gpu", "convention", "gpus-per-node"}},
};
enum { COMMON_GROUPS = sizeof common_knobs / sizeof common_knobs[0] };
_Static_assert(1 + (int)COMMON_GROUPS <= (int)LESSON_GROUPS_MAX,
               "the page's own group is one more");

static int groups(int page, struct lesson_knobs out[LESSON_GROUPS_MAX]) {
    assert(page >= 0 && page < DATA_PAGES);
    int count = 0;
    out[count++] = page_knobs[page];
    for (int i = 0; i < COMMON_GROUPS; i++) {
        out[count++] = common_knobs[i];
    }
    return count;
}

/* --- Pictures --- */

static enum status add_memory(const struct lesson_input *in, struct view *out,
                              struct message *why) {
    struct memory_states states;
    struct message unused;
    enum status ok = calc_memory_worst(in->now, &states.now, why);
    if (ok != STATUS_OK) {
        return ok;
    }
    states.has_before =
        in->before != NULL && calc_memory_worst(in->before, &states.before, &unused) == STATUS_OK;
    memory_ledger_add(out, in->now, &states);
    memory_bar_add(out, in->now, &states.now);
    data_copies_add(out, in->now);
    return STATUS_OK;
}

static enum status add_traffic(const struct lesson_input *in, struct view *out,
                               struct message *why) {
    static void (*const tables[DATA_PAGES])(struct view *, const struct scenario *) = {
        [PAGE_SUM] = data_ranks_add,
        [PAGE_ACCUMULATE] = data_accumulation_add,
        [PAGE_HIDE] = data_hiding_add,
    };
    struct calc_comm comm;
    enum status ok = calc_comm_step(in->now, &comm, why);
    if (ok != STATUS_OK) {
        return ok;
    }
    comm_table_add(out, &comm);
    tables[in->page](out, in->now);
    return STATUS_OK;
}

static void note_predicted(struct view *out) {
    struct view_text *text = &view_add(out, VIEW_KIND_TEXT)->text;
    message_start(&text->lines[text->line_count++], "lesson.predicted-only");
}

static enum status picture(const struct lesson_input *in, struct view *out, struct message *why) {
    view_start(out);
    enum status ok = STATUS_OK;
    if (in->page == PAGE_EQUAL) {
        data_weights_add(out, in);
    } else {
        ok = in->page == PAGE_COPIES ? add_memory(in, out, why) : add_traffic(in, out, why);
    }
    if (ok == STATUS_OK && in->page != PAGE_SUM && in->page != PAGE_EQUAL) {
        note_predicted(out);
    }
    return ok;
}

/* --- What really runs --- */

enum { ORDER_RANKS_MAX = 64 }; /* a thread each, and a row on the screen each */

static void write_order(const struct scenario *s, struct writer *out) {
    writer_text(out, "overflow --experiment allreduce --type bf16 --algorithm ring --ranks ");
    writer_u64(out, s->layout.dp);
}

static bool offer_order(const struct scenario *s, struct lesson_experiment *out) {
    static const struct lesson_value values[] = {
        {"exact_sum", "lesson.data-parallel.order.exact", LESSON_UNIT_NONE},
        {"least_in_type", "lesson.data-parallel.order.least", LESSON_UNIT_NONE},
        {"most_in_type", "lesson.data-parallel.order.most", LESSON_UNIT_NONE},
    };
    struct writer w;
    if (s->layout.dp < 2 || s->layout.dp > ORDER_RANKS_MAX) {
        return false;
    }
    out->title = "lesson.data-parallel.order.title";
    writer_start(&w, out->line, sizeof out->line);
    write_order(s, &w);
    for (size_t i = 0; i < sizeof values / sizeof values[0]; i++) {
        out->values[out->value_count++] = values[i];
    }
    return true;
}

static bool offer_sum(const struct scenario *s, struct lesson_experiment *out) {
    struct gradient_trial trial;
    if (!data_trial_of(s, &trial)) {
        return false;
    }
    gradient_trial_offer(&trial, s->layout.dp, NULL, out);
    return true;
}

static bool experiment(const struct lesson_input *in, struct lesson_experiment *out) {
    if (in->page == PAGE_SUM) {
        return offer_sum(in->now, out);
    }
    return in->page == PAGE_EQUAL && offer_order(in->now, out);
}

static void write_command(const struct lesson_input *in, struct writer *out) {
    if (in->page == PAGE_EQUAL) {
        write_order(in->now, out);
        return;
    }
    writer_text(out, in->page == PAGE_COPIES ? "mem" : "comm");
    scenario_write_options(out, in->now);
}

const struct lesson lesson_data_parallel = {
    .id = "data-parallel",
    .folder = "40_data_parallel",
    .page_count = DATA_PAGES,
    .start = "--model llama-2-7b --dp 8 --gpu a100-sxm-80gb --micro-batches 4",
    .knobs = groups,
    .view = picture,
    .figure = data_figure,
    .own = data_knobs,
    .own_count = DATA_KNOBS,
    .command = write_command,
    .guess = data_guess,
    .experiment = experiment,
    .makers = data_makers,
    .maker_count = DATA_MAKERS,
};
