/* When data parallelism is not one big batch: ranks average the means of their own tokens, and the numbers of tokens
 * differ. A token of a rank with n of them then counts Σn/(N·n) times as much as in the mean over all tokens; the
 * same holds for micro-batches that are accumulated. Appends to the caller's view.
 * Proof: tests/unit/lessons/test_data_parallel.c. */
#include "data_parallel_private.h"

#include "shardlab/base/checked.h"

bool data_weights_of(const struct lesson_input *in, struct data_weights *out) {
    const struct scenario *s = in->now;
    uint64_t full = 0, percent = 0;
    if (!checked_mul(s->batch.seq, s->batch.micro_batch, &full) ||
        !checked_mul(full, data_valid_percent(in), &percent)) {
        return false;
    }
    uint64_t few = percent / 100 > 0 ? percent / 100 : 1;
    double ranks = (double)s->layout.dp;
    double all = (double)few + (ranks - 1) * (double)full;
    *out =
        (struct data_weights){few, full, all / (ranks * (double)few), all / (ranks * (double)full)};
    return true;
}

static void add_row(struct view_table *t, const char *rank, uint64_t tokens, double by_rank) {
    enum { RANK, TOKENS, BY_RANK };
    int row = view_table_row(t);
    view_table_set_text(t, row, RANK, rank);
    view_table_set_count(t, row, TOKENS, tokens);
    view_table_set_real(t, row, BY_RANK, by_rank);
}

void data_weights_add(struct view *out, const struct lesson_input *in) {
    enum { RANK, TOKENS, BY_RANK, BY_TOKEN, WEIGHT };
    static const struct view_table_col cols[] = {
        [RANK] = {"rank", "lesson.data-parallel.rank", VIEW_TABLE_TEXT, 0, NULL},
        [TOKENS] = {"tokens", "lesson.data-parallel.tokens", VIEW_TABLE_COUNT, 0, NULL},
        [BY_RANK] = {"share_of_mean", "lesson.data-parallel.by_rank", VIEW_TABLE_SHARE, 1, NULL},
        [BY_TOKEN] = {"share_of_tokens", "lesson.data-parallel.by_token", VIEW_TABLE_SHARE, 1,
                      NULL},
        [WEIGHT] = {"token_weight", "lesson.data-parallel.weight", VIEW_TABLE_REAL, 0, NULL},
    };
    struct data_weights w;
    uint64_t ranks = in->now->layout.dp;
    struct view_table *t = &view_add(out, VIEW_KIND_TABLE)->table;
    message_start(&t->title, "lesson.data-parallel.weights");
    for (size_t i = 0; i < sizeof cols / sizeof cols[0]; i++) {
        (void)view_table_col(t, &cols[i]);
    }
    if (!data_weights_of(in, &w)) {
        (void)view_table_row(t);
        return;
    }
    double all = (double)w.short_tokens + (double)(ranks - 1) * (double)w.full_tokens;
    add_row(t, "0", w.short_tokens, 1 / (double)ranks);
    view_table_set_real(t, 0, BY_TOKEN, (double)w.short_tokens / all);
    view_table_set_real(t, 0, WEIGHT, w.short_weight);
    if (ranks > 1) {
        char name[VIEW_TABLE_TEXT_MAX];
        struct writer writer;
        writer_start(&writer, name, sizeof name);
        writer_text(&writer, ranks > 2 ? "1 … " : "");
        writer_u64(&writer, ranks - 1);
        add_row(t, name, w.full_tokens, 1 / (double)ranks);
        view_table_set_real(t, 1, BY_TOKEN, (double)w.full_tokens / all);
        view_table_set_real(t, 1, WEIGHT, w.full_weight);
    }
    message_start(view_table_add_note(t, -1), "lesson.data-parallel.weights.each");
}
