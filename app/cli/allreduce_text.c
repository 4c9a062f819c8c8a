/* The answer of `shardlab allreduce` as a table: one line a rank with predicted and measured, then time, rates and error.
 * Proof: tests/cli/test_allreduce.c. */
#include "allreduce_private.h"
#include "shardlab/view/width.h"

static const struct width_rules rules = {false};

static void cell(struct cli_context *c, uint64_t value, int columns) {
    char digits[32];
    struct writer w;
    writer_start(&w, digits, sizeof digits);
    writer_u64_grouped(&w, value);
    width_write_right(c->out, digits, columns, &rules);
}

static void head_cell(struct cli_context *c, const char *id, int columns) {
    width_write_right(c->out, words_get(&c->words, id), columns, &rules);
}

static void label(struct cli_context *c, const char *id) {
    writer_text(c->out, "  ");
    width_write_left(c->out, words_get(&c->words, id), 22, &rules);
}

/* In the first unit of four that gives less than 1000: three or four digits. */
static void write_scaled(struct writer *w, double value, const char *const units[4]) {
    int unit = 0;
    while (value >= 1000 && unit < 3) {
        value /= 1000;
        unit++;
    }
    writer_fixed(w, value, value < 10 ? 2 : value < 100 ? 1 : 0);
    writer_text(w, units[unit]);
}

/* 12.3 µs, 4.56 ms */
static void write_time(struct writer *w, double seconds) {
    static const char *const units[] = {" ns", " µs", " ms", " s"};
    write_scaled(w, seconds * 1e9, units);
}

/* 12.3 kB/s, 4.56 GB/s; a dash where nothing was sent. */
static void write_rate(struct writer *w, double bytes_per_s) {
    static const char *const units[] = {" B/s", " kB/s", " MB/s", " GB/s"};
    if (bytes_per_s == bytes_per_s) {
        write_scaled(w, bytes_per_s, units);
    } else {
        writer_text(w, "–");
    }
}

static void write_head(struct cli_context *c, const struct allreduce *a) {
    const struct ranks_trial_options *o = &a->options;
    struct message m;
    char id[64];
    struct writer w;
    writer_start(&w, id, sizeof id);
    writer_text(&w, "comm.collective.");
    writer_text(&w, coll_collective_name(o->job.collective));
    message_start(&m, "cli.allreduce.head");
    message_add_text(&m, words_get(&c->words, id));
    message_add_text(&m, coll_algorithm_name(o->job.algorithm));
    message_add_plain(&m, o->job.ranks);
    message_add_text(&m, a->backend);
    message_add_count(&m, a->message_bytes);
    message_add_text(&m, ranks_type_name(o->type));
    cli_say(c, &m);
    writer_char(c->out, '\n');
}

static void write_ranks(struct cli_context *c, const struct allreduce *a) {
    head_cell(c, "cli.allreduce.rank", 6);
    head_cell(c, "cli.allreduce.predicted_bytes", 21);
    head_cell(c, "cli.allreduce.measured", 18);
    head_cell(c, "cli.allreduce.predicted_messages", 22);
    head_cell(c, "cli.allreduce.measured", 12);
    writer_char(c->out, '\n');
    for (uint32_t r = 0; r < a->trial.ranks; r++) {
        cell(c, r, 6);
        cell(c, a->predicted.sent_bytes[r], 21);
        cell(c, a->measured.sent_bytes[r], 18);
        cell(c, a->predicted.sent_messages[r], 22);
        cell(c, a->measured.sent_messages[r], 12);
        writer_char(c->out, '\n');
    }
    writer_char(c->out, '\n');
}

static void write_trace(struct cli_context *c, const struct allreduce *a) {
    head_cell(c, "cli.allreduce.step", 6);
    head_cell(c, "cli.allreduce.from", 8);
    head_cell(c, "cli.allreduce.to", 8);
    head_cell(c, "cli.allreduce.chunk", 10);
    head_cell(c, "cli.allreduce.bytes", 20);
    writer_char(c->out, '\n');
    for (uint64_t i = 0; i < a->trial.traced; i++) {
        const struct ranks_trace *t = &a->trial.trace[i];
        uint32_t chunk, chunks;
        char span[32];
        struct writer w;
        allreduce_chunks(&a->options.job, t, &chunk, &chunks);
        writer_start(&w, span, sizeof span);
        writer_u64(&w, chunk);
        if (chunks > 1) {
            writer_text(&w, "..");
            writer_u64(&w, chunk + chunks - 1);
        }
        cell(c, t->round, 6);
        cell(c, t->from, 8);
        cell(c, t->to, 8);
        width_write_right(c->out, span, 10, &rules);
        cell(c, t->count * ranks_type_bytes(a->options.type), 20);
        writer_char(c->out, '\n');
    }
    writer_char(c->out, '\n');
}

static void write_times(struct cli_context *c, const struct allreduce *a) {
    const double *times = a->trial.times_s;
    label(c, "cli.allreduce.time");
    write_time(c->out, a->median_s);
    writer_text(c->out, c->words.chinese ? "（" : "  (");
    write_time(c->out, times[0]);
    writer_text(c->out, " – ");
    write_time(c->out, times[a->options.repeat - 1]);
    writer_text(c->out, c->words.chinese ? "）\n" : ")\n");
    label(c, "cli.allreduce.algbw");
    write_rate(c->out, a->algbw);
    writer_char(c->out, '\n');
    label(c, "cli.allreduce.busbw");
    write_rate(c->out, a->busbw);
    writer_char(c->out, '\n');
}

void allreduce_text(struct cli_context *c, const struct allreduce *a) {
    const struct ranks_trial *t = &a->trial;
    write_head(c, a);
    write_ranks(c, a);
    if (a->options.trace) {
        write_trace(c, a);
    }
    if (a->options.executor == RANKS_EXECUTOR_WORKERS) {
        label(c, "cli.allreduce.workers");
        writer_u64(c->out, t->workers);
        writer_char(c->out, '\n');
    }
    label(c, "cli.allreduce.steps");
    struct message steps;
    message_start(&steps, "cli.allreduce.steps_both");
    message_add_plain(&steps, a->predicted.steps);
    message_add_plain(&steps, a->measured.steps);
    words_write(c->out, &c->words, &steps);
    writer_char(c->out, '\n');
    write_times(c, a);
    label(c, "cli.allreduce.error");
    if (t->max_abs_error == t->max_abs_error) {
        writer_real(c->out, t->max_abs_error);
    } else {
        writer_text(c->out, "nan");
    }
    writer_text(c->out, c->words.chinese ? "（≤ " : "  (≤ ");
    writer_real(c->out, t->error_bound);
    writer_text(c->out, c->words.chinese ? "）\n" : ")\n");
    label(c, "cli.allreduce.match");
    writer_text(c->out, words_get(&c->words, a->match             ? "cli.allreduce.match.yes"
                                             : !t->within         ? "cli.allreduce.match.error"
                                             : !t->same_each_time ? "cli.allreduce.match.other"
                                                                  : "cli.allreduce.match.no"));
    writer_char(c->out, '\n');
    cli_device_text(c, &a->device);
    if (a->options.job.ranks == 1) {
        writer_text(c->out, words_get(&c->words, "note.allreduce.one_rank"));
        writer_char(c->out, '\n');
    }
}
