/* Runs whose layouts were published: model, degrees and batch as their papers state them, and what the calculator makes of
 * their communication. What a paper left out stays a dash here. Dimensions stand here because lessons know no files.
 * Sources: Narayanan arXiv:2104.04473; Smith arXiv:2201.11990; BigScience's training log and arXiv:2211.05100; Llama 3
 * arXiv:2407.21783; Brown arXiv:2005.14165; Zhang arXiv:2205.01068; DeepSeek-V3 arXiv:2412.19437.
 * Proof: tests/unit/lessons/test_hybrid.c. */
#include "hybrid_private.h"

#include <string.h>

#include "shardlab/calc/option.h"
#include "shardlab/calc/ranks.h"

struct run {
    const char *name;
    uint64_t dp, tp, pp; /* 0: not published */
    const char *
        options; /* "name value …" of model and batch; NULL: the batch's division was not published */
};

#define GPT " gated no norm layer bias all tied yes position "

static const struct run runs[] = {
    {"gpt-175b-megatron", 24, 8, 8,
     "layers 96 hidden 12288 heads 96 vocab 51200 seq 2048 micro-batch 1 micro-batches 64" GPT
     "learned"},
    {"mt-nlg-530b", 8, 8, 35,
     "layers 105 hidden 20480 heads 128 vocab 51200 seq 2048 micro-batch 1 micro-batches 240" GPT
     "learned"},
    {"bloom-176b", 8, 4, 12,
     "layers 70 hidden 14336 heads 112 vocab 250880 seq 2048 micro-batch 2 micro-batches 128 "
     "zero 1" GPT "alibi"},
    {"llama-3.1-405b", 64, 8, 16,
     "layers 126 hidden 16384 heads 128 kv-heads 8 ffn 53248 gated yes vocab 128256 seq 8192 "
     "micro-batch 1 micro-batches 32 zero 1"},
    {"gpt3-175b", 0, 0, 0, NULL},
    {"opt-175b", 124, 8, 1, NULL},
    {"deepseek-v3", 128, 1, 16, NULL},
};
enum { RUNS = sizeof runs / sizeof runs[0] };

const char *const hybrid_run_stops[] = {"gpt-175b-megatron", "mt-nlg-530b", "bloom-176b",
                                        "llama-3.1-405b",    "gpt3-175b",   "opt-175b",
                                        "deepseek-v3",       NULL};

int hybrid_run_count(void) {
    return RUNS;
}

const char *hybrid_run_name(int index) {
    return runs[index].name;
}

bool hybrid_run_degrees(int index, uint64_t *dp, uint64_t *tp, uint64_t *pp) {
    *dp = runs[index].dp;
    *tp = runs[index].tp;
    *pp = runs[index].pp;
    return *dp > 0;
}

/* The next word, "" at the end. */
static const char *next_word(const char *at, char *out, size_t capacity) {
    size_t length;
    at += strspn(at, " ");
    length = strcspn(at, " ");
    struct writer w;
    writer_start(&w, out, capacity);
    writer_text_n(&w, at, length);
    return at + length;
}

static bool apply(struct scenario *s, const char *options) {
    enum { WORD = 32 };
    char name[WORD], value[WORD];
    struct message unused;
    const char *at = options;
    for (;;) {
        at = next_word(at, name, sizeof name);
        at = next_word(at, value, sizeof value);
        if (name[0] == '\0') {
            return true;
        }
        if (calc_option_set(s, calc_option_index(name), value, &unused) != STATUS_OK) {
            return false;
        }
    }
}

bool hybrid_run(int index, struct scenario *out) {
    const struct run *run = &runs[index];
    struct message unused;
    if (run->options == NULL) {
        return false;
    }
    scenario_start(out);
    out->layout.dp = run->dp;
    out->layout.tp = run->tp;
    out->layout.pp = run->pp;
    return apply(out, run->options) && scenario_resolve(out, out, &unused) == STATUS_OK &&
           scenario_violations(out, &unused, 1) == 0;
}

enum column { NAME, TP, PP, DP, GPUS, TP_SENT, PP_SENT, DP_SENT, ORDER, COLUMNS };

static void add_row(struct view_table *t, int index) {
    uint64_t dp, tp, pp;
    struct scenario s;
    struct hybrid_axis axes[HYBRID_AXES];
    int row = view_table_row(t);
    view_table_set_text(t, row, NAME, runs[index].name);
    if (hybrid_run_degrees(index, &dp, &tp, &pp)) {
        view_table_set_count(t, row, TP, tp);
        view_table_set_count(t, row, PP, pp);
        view_table_set_count(t, row, DP, dp);
        view_table_set_count(t, row, GPUS, dp * tp * pp);
    }
    if (hybrid_run(index, &s) && hybrid_axes_of(&s, axes)) {
        char order[VIEW_TABLE_TEXT_MAX];
        struct writer w;
        for (int a = 0; a < HYBRID_AXES; a++) {
            view_table_set_count(t, row, TP_SENT + a, axes[a].sent_bytes);
        }
        writer_start(&w, order, sizeof order);
        hybrid_order_write(&w, axes, HYBRID_BY_BYTES);
        view_table_set_text(t, row, ORDER, order);
    }
}

void hybrid_runs_add(struct view *out, int chosen) {
    static const struct view_table_col cols[COLUMNS] = {
        [NAME] = {"run", "lesson.hybrid.run", VIEW_TABLE_TEXT, 0, NULL},
        [TP] = {"tp", "view.comm.axis.tp", VIEW_TABLE_COUNT, 0, NULL},
        [PP] = {"pp", "view.comm.axis.pp", VIEW_TABLE_COUNT, 0, NULL},
        [DP] = {"dp", "view.comm.axis.dp", VIEW_TABLE_COUNT, 0, NULL},
        [GPUS] = {"gpus", "lesson.hybrid.gpus", VIEW_TABLE_COUNT, 1, NULL},
        [TP_SENT] = {"tp_sent_bytes", "lesson.hybrid.sent.tp", VIEW_TABLE_BYTES, 2, NULL},
        [PP_SENT] = {"pp_sent_bytes", "lesson.hybrid.sent.pp", VIEW_TABLE_BYTES, 2, NULL},
        [DP_SENT] = {"dp_sent_bytes", "lesson.hybrid.sent.dp", VIEW_TABLE_BYTES, 2, NULL},
        [ORDER] = {"order", "lesson.hybrid.order", VIEW_TABLE_TEXT, 0, NULL},
    };
    struct view_table *t = &view_add(out, VIEW_KIND_TABLE)->table;
    message_start(&t->title, "lesson.hybrid.runs.title");
    for (int i = 0; i < COLUMNS; i++) {
        (void)view_table_col(t, &cols[i]);
    }
    for (int i = 0; i < RUNS; i++) {
        add_row(t, i);
    }
    t->current = chosen;
    message_start(view_table_add_note(t, -1), "lesson.hybrid.runs.note");
}
