/* `shardlab pipe` as text: a row a rank, the three bubbles by name, the critical path, and with --ops every operation
 * with what it waited for. Proof: tests/cli/test_pipe.c. */
#include <string.h>

#include "pipe_private.h"
#include "shardlab/base/decimal.h"
#include "shardlab/pipe/closed_form.h"
#include "shardlab/view/width.h"

static const struct width_rules rules = {false};

enum { NUMBER_MAX = 48, COLUMN_LEAST = 8 };

static void time_text(char text[NUMBER_MAX], const struct cli_pipe *p, uint64_t ticks) {
    struct writer w;
    writer_start(&w, text, NUMBER_MAX);
    decimal_write(&w, ticks, p->places);
}

static void write_head(struct cli_context *c, const struct cli_pipe *p) {
    char makespan[NUMBER_MAX];
    struct message m;
    time_text(makespan, p, p->run.makespan);
    message_start(&m, p->request.chunks > 1 ? "cli.pipe.head_chunks" : "cli.pipe.head");
    message_add_text(&m, p->name);
    message_add_plain(&m, p->shape.ranks);
    message_add_plain(&m, p->shape.micro_batches);
    message_add_text(&m, makespan);
    if (p->request.chunks > 1) {
        message_add_plain(&m, p->request.chunks);
    }
    cli_say(c, &m);
    writer_char(c->out, '\n');
}

/* The columns of the table of ranks. */
static const struct column {
    const char *id;
    size_t offset; /* in struct pipe_rank_run */
    bool time;
} columns[] = {
    {"cli.pipe.busy", offsetof(struct pipe_rank_run, busy), true},
    {"cli.pipe.idle", offsetof(struct pipe_rank_run, idle), true},
    {"cli.pipe.inner_idle", offsetof(struct pipe_rank_run, inner_idle), true},
    {"cli.pipe.until_b", offsetof(struct pipe_rank_run, peak_until_b), false},
    {"cli.pipe.until_w", offsetof(struct pipe_rank_run, peak_until_w), false},
    {"cli.pipe.sends", offsetof(struct pipe_rank_run, sends), false},
};
enum { COLUMNS = 6 };

static void cell_text(char text[NUMBER_MAX], const struct cli_pipe *p, uint32_t rank, int column) {
    const char *run = (const char *)&p->run.ranks[rank];
    uint64_t value = *(const uint64_t *)(const void *)(run + columns[column].offset);
    struct writer w;
    writer_start(&w, text, NUMBER_MAX);
    decimal_write(&w, value, columns[column].time ? p->places : 0);
}

/* As wide as the head and every number of the column. */
static int column_width(const struct cli_context *c, const struct cli_pipe *p, int column) {
    int widest = width_text(words_get(&c->words, columns[column].id), &rules);
    for (uint32_t rank = 0; rank < p->shape.ranks; rank++) {
        char text[NUMBER_MAX];
        cell_text(text, p, rank, column);
        int width = width_text(text, &rules);
        widest = width > widest ? width : widest;
    }
    return widest < COLUMN_LEAST ? COLUMN_LEAST : widest;
}

static void write_ranks(struct cli_context *c, const struct cli_pipe *p) {
    int widths[COLUMNS];
    char text[NUMBER_MAX];
    width_write_right(c->out, words_get(&c->words, "cli.pipe.stage"), COLUMN_LEAST, &rules);
    for (int i = 0; i < COLUMNS; i++) {
        widths[i] = column_width(c, p, i);
        writer_text(c->out, "  ");
        width_write_right(c->out, words_get(&c->words, columns[i].id), widths[i], &rules);
    }
    writer_char(c->out, '\n');
    for (uint32_t rank = 0; rank < p->shape.ranks; rank++) {
        struct writer w;
        writer_start(&w, text, sizeof text);
        writer_u64(&w, rank);
        width_write_right(c->out, text, COLUMN_LEAST, &rules);
        for (int i = 0; i < COLUMNS; i++) {
            cell_text(text, p, rank, i);
            writer_text(c->out, "  ");
            width_write_right(c->out, text, widths[i], &rules);
        }
        writer_char(c->out, '\n');
    }
    writer_char(c->out, '\n');
}

static void write_bubble(struct cli_context *c, const char *id, struct pipe_fraction f) {
    writer_text(c->out, "  ");
    width_write_left(c->out, words_get(&c->words, id), 44, &rules);
    if (f.under == 0) {
        width_write_right(c->out, "–", 12, &rules);
        writer_char(c->out, '\n');
        return;
    }
    char text[NUMBER_MAX];
    struct writer w;
    writer_start(&w, text, sizeof text);
    writer_fixed(&w, 100.0 * (double)f.over / (double)f.under, 2);
    writer_text(&w, " %");
    width_write_right(c->out, text, 12, &rules);
    writer_text(c->out, "  ");
    writer_u64(c->out, f.over);
    writer_char(c->out, '/');
    writer_u64(c->out, f.under);
    writer_char(c->out, '\n');
}

/* Time on a critical path by what it is spent on: F, B, W, BW, and messages on their way. */
struct path {
    uint64_t ticks[PIPE_BW + 1], latency;
    uint64_t ops;
};

static struct path critical_path(const struct cli_pipe *p) {
    struct path path = {{0}, 0, 0};
    int64_t at = pipe_run_last(&p->order, p->space.ops);
    while (at != PIPE_NONE) {
        const struct pipe_run_op *when = &p->space.ops[at];
        path.ticks[p->list[at].kind] += when->end - when->start;
        path.ops++;
        if (when->waits_for != PIPE_NONE) {
            path.latency += when->start - p->space.ops[when->waits_for].end;
        }
        at = when->waits_for;
    }
    return path;
}

static void write_path(struct cli_context *c, const struct cli_pipe *p) {
    struct path path = critical_path(p);
    char text[MESSAGE_TEXT_MAX], number[NUMBER_MAX];
    struct writer w;
    writer_start(&w, text, sizeof text);
    for (int kind = PIPE_F; kind <= PIPE_BW; kind++) {
        if (path.ticks[kind] > 0) {
            time_text(number, p, path.ticks[kind]);
            writer_text(&w, w.length > 0 ? " + " : "");
            writer_text(&w, cli_pipe_kind((enum pipe_kind)kind));
            writer_char(&w, ' ');
            writer_text(&w, number);
        }
    }
    struct message m;
    message_start(&m, path.latency > 0 ? "cli.pipe.path_latency" : "cli.pipe.path");
    message_add_plain(&m, path.ops);
    message_add_text(&m, text[0] != '\0' ? text : "0");
    time_text(number, p, path.latency);
    message_add_text(&m, number);
    time_text(number, p, p->run.makespan);
    message_add_text(&m, number);
    cli_say(c, &m);
}

static void write_closed_form(struct cli_context *c, const struct cli_pipe *p) {
    char number[NUMBER_MAX];
    struct message m;
    if (p->closed_known) {
        time_text(number, p, p->closed_idle);
        message_start(&m, "cli.pipe.closed_form");
        message_add_text(&m, pipe_closed_idle_formula(p->request.schedule, p->times.latency > 0));
        message_add_text(&m, number);
        cli_say(c, &m);
    }
}

static void write_notes(struct cli_context *c, const struct cli_pipe *p) {
    for (int i = 0; i < p->note_count; i++) {
        cli_say(c, &p->notes[i]);
    }
}

/* "F3.s4", the model stage only where a rank holds several. */
static void write_name(struct writer *w, const struct cli_pipe *p, uint64_t at, uint32_t rank) {
    const struct pipe_op *op = &p->list[at];
    writer_text(w, cli_pipe_kind((enum pipe_kind)op->kind));
    writer_u64(w, op->micro_batch);
    if (p->shape.chunks > 1) {
        writer_text(w, ".s");
        writer_u64(w, pipe_stage_at(&p->shape, rank, op->chunk));
    }
}

static void write_op(struct cli_context *c, const struct cli_pipe *p, uint64_t at, uint32_t rank) {
    const struct pipe_run_op *when = &p->space.ops[at];
    char text[NUMBER_MAX];
    struct writer w;
    writer_start(&w, text, sizeof text);
    writer_u64(&w, rank);
    width_write_right(c->out, text, COLUMN_LEAST, &rules);
    writer_start(&w, text, sizeof text);
    bool second = at > p->order.first[rank] && p->list[at - 1].overlapped != 0;
    writer_text(&w, p->list[at].overlapped != 0 ? "(" : "");
    write_name(&w, p, at, rank);
    writer_text(&w, second ? ")" : "");
    writer_text(c->out, "  ");
    width_write_left(c->out, text, 12, &rules);
    const uint64_t times[] = {when->start, when->end, when->slack};
    for (int i = 0; i < 3; i++) {
        time_text(text, p, times[i]);
        width_write_right(c->out, text, 10, &rules);
    }
    if (when->waits_for != PIPE_NONE) {
        uint32_t other = pipe_rank_of(&p->order, (uint64_t)when->waits_for);
        struct message m;
        writer_start(&w, text, sizeof text);
        write_name(&w, p, (uint64_t)when->waits_for, other);
        message_start(&m, other == rank ? "cli.pipe.waits_here" : "cli.pipe.waits");
        message_add_text(&m, text);
        message_add_plain(&m, other);
        writer_text(c->out, "  ");
        words_write(c->out, &c->words, &m);
    }
    writer_char(c->out, '\n');
}

static void write_ops(struct cli_context *c, const struct cli_pipe *p) {
    static const char *const heads[] = {"cli.pipe.start", "cli.pipe.end", "cli.pipe.slack"};
    writer_char(c->out, '\n');
    width_write_right(c->out, words_get(&c->words, "cli.pipe.stage"), COLUMN_LEAST, &rules);
    writer_text(c->out, "  ");
    width_write_left(c->out, words_get(&c->words, "cli.pipe.op"), 12, &rules);
    for (int i = 0; i < 3; i++) {
        width_write_right(c->out, words_get(&c->words, heads[i]), 10, &rules);
    }
    writer_text(c->out, "  ");
    writer_text(c->out, words_get(&c->words, "cli.pipe.waits_for"));
    writer_char(c->out, '\n');
    for (uint32_t rank = 0; rank < p->shape.ranks; rank++) {
        for (uint64_t i = p->order.first[rank]; i < p->order.first[rank + 1]; i++) {
            write_op(c, p, i, rank);
        }
    }
}

void cli_pipe_text(struct cli_context *c, const struct cli_pipe *p, bool with_ops) {
    write_head(c, p);
    write_ranks(c, p);
    write_bubble(c, "cli.pipe.bubble", p->run.bubble);
    write_bubble(c, "cli.pipe.bubble_over_ideal", p->run.bubble_over_ideal);
    write_bubble(c, "cli.pipe.bubble_span", p->run.bubble_span);
    writer_char(c->out, '\n');
    write_path(c, p);
    write_closed_form(c, p);
    write_notes(c, p);
    if (with_ops) {
        write_ops(c, p);
    }
}
