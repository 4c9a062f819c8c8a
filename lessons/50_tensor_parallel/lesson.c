/* The lesson *tensor-parallel*: one layer's matrices divided among ranks. Five pages: column then row; what is divided and
 * what stays whole; what it sends and over which link; sequence parallelism; heads. This file is its table of contents:
 * knobs, picture, question and experiment of each page. The words are zh.md and en.md beside it, the numbers in them
 * figures.c's, the tables traffic.c's and memory.c's. No state: everything follows from the scenario.
 * Proof: tests/unit/lessons/test_tensor_parallel.c. */
#include "../registry_private.h"

#include <assert.h>

#include "shardlab/calc/option.h"
#include "shardlab/lesson/memory_view.h"
#include "tensor_private.h"

enum page { PAGE_SPLIT, PAGE_DIVIDED, PAGE_SENT, PAGE_SEQUENCE, PAGE_HEADS, PAGES };

/* What the words of a page ask to move comes first. */
static const struct lesson_knobs page_knobs[PAGES] = {
    [PAGE_SPLIT] = {"group.page", {"recompute", "tp", "model"}},
    [PAGE_DIVIDED] = {"group.page", {"tp", "sequence-parallel", "attention", "recompute"}},
    [PAGE_SENT] = {"group.page", {"tp", "gpus-per-node", "micro-batch", "seq", "gpu"}},
    [PAGE_SEQUENCE] = {"group.page", {"sequence-parallel", "tp", "seq"}},
    [PAGE_HEADS] = {"group.page", {"tp", "model"}},
};

static const struct lesson_knobs common_knobs[] = {
    {"group.layout", {"tp", "sequence-parallel", "pp", "dp", "cp", "zero", "gpus-per-node"}},
    {"group.batch", {"model", "seq", "micro-batch", "micro-batches"}},
    {"group.recipe", {"precision", "optimizer", "recompute", "attention", "dropout", "gpu"}},
};
enum { COMMON_GROUPS = sizeof common_knobs / sizeof common_knobs[0] };
_Static_assert(1 + COMMON_GROUPS <= LESSON_GROUPS_MAX,
               "a page has room for its own group and the common ones");

static int groups(int page, struct lesson_knobs out[LESSON_GROUPS_MAX]) {
    assert(page >= 0 && page < PAGES);
    out[0] = page_knobs[page];
    for (int i = 0; i < COMMON_GROUPS; i++) {
        out[1 + i] = common_knobs[i];
    }
    return 1 + COMMON_GROUPS;
}

/* --- Pictures --- */

static enum status memory_add(const struct lesson_input *in, struct view *out,
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
    return STATUS_OK;
}

static enum status picture(const struct lesson_input *in, struct view *out, struct message *why) {
    enum status ok = STATUS_OK;
    view_start(out);
    switch ((enum page)in->page) {
    case PAGE_SPLIT:
        tensor_layer_add(out, in->now);
        ok = tensor_comm_add(out, in->now, why);
        break;
    case PAGE_DIVIDED:
        tensor_divided_add(out, in->now);
        ok = memory_add(in, out, why);
        break;
    case PAGE_SENT:
        tensor_sent_add(out, in->now);
        ok = tensor_comm_add(out, in->now, why);
        break;
    case PAGE_SEQUENCE:
        tensor_sequence_add(out, in->now);
        ok = tensor_comm_add(out, in->now, why);
        break;
    case PAGE_HEADS:
    default:
        tensor_heads_add(out, in->now);
        break;
    }
    if (ok == STATUS_OK && in->page != PAGE_SENT) {
        parallel_predicted_only(out);
    }
    return ok;
}

static void write_command(const struct lesson_input *in, struct writer *out) {
    bool memory = in->page == PAGE_DIVIDED || in->page == PAGE_HEADS;
    writer_text(out, memory ? "mem" : "comm");
    scenario_write_options(out, in->now);
}

/* --- What a page asks --- */

static void add_choice(struct lesson_guess *out, uint64_t count, const char *why) {
    message_start(&out->why[out->choice_count], why);
    struct message *choice = &out->choices[out->choice_count++];
    message_start(choice, "lesson.tensor-parallel.guess.count");
    message_add_plain(choice, count);
}

/* How many all-reduces a layer needs: one a pass, one a block and pass, one a matrix pair's half, one a matrix. */
static bool guess(const struct lesson_input *in, struct lesson_guess *out) {
    struct tensor_layer layer;
    const struct scenario *s = in->now;
    if (in->page != PAGE_SPLIT || s->layout.sequence_parallel || !tensor_layer(s, &layer) ||
        layer.blocks != 2) {
        return false;
    }
    message_start(&out->question, layer.passes > 2 ? "lesson.tensor-parallel.guess.question_full"
                                                   : "lesson.tensor-parallel.guess.question");
    message_add_plain(&out->question, s->layout.tp);
    add_choice(out, layer.passes, "lesson.tensor-parallel.guess.one_a_layer");
    out->right = out->choice_count;
    add_choice(out, layer.calls, "lesson.tensor-parallel.guess.right");
    add_choice(out, 2 * layer.calls, "lesson.tensor-parallel.guess.row_first");
    add_choice(out, (uint64_t)tensor_matrices(s) * layer.passes,
               "lesson.tensor-parallel.guess.one_a_matrix");
    return true;
}

/* --- One all-reduce of a layer, really run --- */

static bool experiment(const struct lesson_input *in, struct lesson_experiment *out) {
    const uint64_t most_bytes = UINT64_C(1) << 28; /* what all ranks hold together */
    struct tensor_layer layer;
    struct writer w;
    if (in->page != PAGE_SENT || !tensor_layer(in->now, &layer)) {
        return false;
    }
    bool wide = in->now->recipe.precision == CALC_PRECISION_FP32;
    uint64_t element = wide ? 4 : 2, parts = 1;
    while (layer.message_bytes / parts > most_bytes / in->now->layout.tp) {
        parts *= 2;
    }
    out->title =
        parts == 1 ? "lesson.tensor-parallel.experiment" : "lesson.tensor-parallel.experiment_part";
    writer_start(&w, out->line, sizeof out->line);
    writer_text(&w, "allreduce --ranks ");
    writer_u64(&w, in->now->layout.tp);
    writer_text(&w, " --elems ");
    writer_u64(&w, layer.message_bytes / parts / element);
    writer_text(&w, wide ? " --type fp32" : " --type bf16");
    writer_text(&w, " --algorithm ring");
    out->value_count = 2;
    out->values[0] =
        (struct lesson_value){"sent_bytes_per_rank", "collective.value.sent", LESSON_UNIT_NONE};
    out->values[1] = (struct lesson_value){"steps", "collective.value.rounds", LESSON_UNIT_NONE};
    out->fact_count = 2;
    out->facts[0] =
        (struct lesson_value){"time_s.median", "collective.fact.time", LESSON_UNIT_SECONDS};
    out->facts[1] =
        (struct lesson_value){"busbw_bytes_per_s", "collective.fact.busbw", LESSON_UNIT_RATE};
    return true;
}

const struct lesson lesson_tensor_parallel = {
    .id = "tensor-parallel",
    .folder = "50_tensor_parallel",
    .page_count = PAGES,
    .start = "--model llama-3-8b --tp 8 --seq 4096 --gpu a100-sxm-80gb",
    .knobs = groups,
    .view = picture,
    .figure = tensor_figure,
    .command = write_command,
    .guess = guess,
    .experiment = experiment,
    .makers = tensor_makers,
    .maker_count = TENSOR_MAKERS,
};
