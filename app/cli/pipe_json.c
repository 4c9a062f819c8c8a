/* `shardlab pipe --json` and `--export chrome-trace`. Times are decimals with the digits of the ticks. Proof:
 * tests/cli/test_pipe.c. */
#include "pipe_private.h"
#include "shardlab/pipe/closed_form.h"

static void json_time(struct json *j, const char *key, const struct cli_pipe *p, uint64_t ticks) {
    json_decimal(j, key, ticks, p->places);
}

/* A list of one figure a rank: a time, or a count. */
struct figure {
    const char *key;
    size_t offset; /* in struct pipe_rank_run */
    bool time;
};

static void json_ranks(struct json *j, const struct cli_pipe *p, const struct figure *figure) {
    json_array_open(j, figure->key);
    for (uint32_t r = 0; r < p->shape.ranks; r++) {
        const char *rank = (const char *)&p->run.ranks[r];
        const uint64_t *value = (const uint64_t *)(const void *)(rank + figure->offset);
        json_decimal(j, NULL, *value, figure->time ? p->places : 0);
    }
    json_array_close(j);
}

static void fraction_text(char text[48], struct pipe_fraction f) {
    struct writer w;
    writer_start(&w, text, 48);
    writer_u64(&w, f.over);
    writer_char(&w, '/');
    writer_u64(&w, f.under);
}

/* A fraction as a number, and exact as "3/11". */
static void json_bubble(struct json *j, const char *key, const char *exact_key,
                        struct pipe_fraction f) {
    char exact[48];
    if (f.under == 0) {
        json_null(j, key);
        json_null(j, exact_key);
        return;
    }
    fraction_text(exact, f);
    json_real(j, key, (double)f.over / (double)f.under);
    json_text(j, exact_key, exact);
}

static void json_op_name(struct json *j, const struct cli_pipe *p, uint64_t at) {
    const struct pipe_op *op = &p->list[at];
    json_u64(j, "stage", pipe_rank_of(&p->order, at));
    json_text(j, "op", cli_pipe_kind((enum pipe_kind)op->kind));
    json_u64(j, "micro_batch", op->micro_batch);
    json_u64(j, "chunk", op->chunk);
}

static void json_op(struct json *j, const struct cli_pipe *p, uint64_t at) {
    const struct pipe_run_op *when = &p->space.ops[at];
    json_object_open(j, NULL);
    json_op_name(j, p, at);
    json_time(j, "start", p, when->start);
    json_time(j, "end", p, when->end);
    if (when->waits_for == PIPE_NONE) {
        json_null(j, "waits_for");
    } else {
        json_object_open(j, "waits_for");
        json_op_name(j, p, (uint64_t)when->waits_for);
        json_object_close(j);
    }
    json_time(j, "slack", p, when->slack);
    json_bool(j, "overlapped", p->list[at].overlapped != 0);
    json_object_close(j);
}

static void json_ops(struct json *j, const struct cli_pipe *p) {
    uint64_t count = pipe_order_count(&p->order);
    json_array_open(j, "ops");
    for (uint64_t i = 0; i < count; i++) {
        json_op(j, p, i);
    }
    json_array_close(j);
}

/* What a formula says of the most idle rank, to hold beside what was simulated. */
static void json_closed_form(struct json *j, const struct cli_pipe *p) {
    if (!p->closed_known) {
        json_null(j, "closed_form");
        return;
    }
    json_object_open(j, "closed_form");
    json_text(j, "formula", pipe_closed_idle_formula(p->request.schedule, p->times.latency > 0));
    json_time(j, "idle", p, p->closed_idle);
    json_object_close(j);
}

void cli_pipe_json(struct cli_context *c, const struct cli_pipe *p, bool with_ops) {
    static const struct figure figures[] = {
        {"busy", offsetof(struct pipe_rank_run, busy), true},
        {"idle", offsetof(struct pipe_rank_run, idle), true},
        {"inner_idle", offsetof(struct pipe_rank_run, inner_idle), true},
        {"peak_in_flight", offsetof(struct pipe_rank_run, peak_until_b), false},
        {"peak_until_w", offsetof(struct pipe_rank_run, peak_until_w), false},
        {"sends_per_stage", offsetof(struct pipe_rank_run, sends), false},
    };
    struct json j;
    json_start(&j, c->out);
    json_object_open(&j, NULL);
    json_text(&j, "command", "pipe");
    json_text(&j, "schedule", p->imported ? NULL : p->name);
    json_u64(&j, "stages", p->shape.ranks);
    json_u64(&j, "micro_batches", p->shape.micro_batches);
    json_u64(&j, "chunks", p->request.chunks);
    json_time(&j, "makespan", p, p->run.makespan);
    for (size_t i = 0; i < sizeof figures / sizeof figures[0]; i++) {
        json_ranks(&j, p, &figures[i]);
    }
    json_bubble(&j, "bubble", "bubble_exact", p->run.bubble);
    json_bubble(&j, "bubble_over_ideal", "bubble_over_ideal_exact", p->run.bubble_over_ideal);
    json_bubble(&j, "bubble_span", "bubble_span_exact", p->run.bubble_span);
    json_u64(&j, "sends", p->run.sends);
    if (with_ops) {
        json_ops(&j, p);
    }
    json_closed_form(&j, p);
    cli_json_notes(c, &j, p->notes, p->note_count);
    json_object_close(&j);
    writer_char(c->out, '\n');
}

static void trace_event(struct json *j, const struct cli_pipe *p, uint64_t at, uint32_t rank) {
    const struct pipe_op *op = &p->list[at];
    const struct pipe_run_op *when = &p->space.ops[at];
    char name[32];
    struct writer w;
    writer_start(&w, name, sizeof name);
    writer_text(&w, cli_pipe_kind((enum pipe_kind)op->kind));
    writer_u64(&w, op->micro_batch);
    json_object_open(j, NULL);
    json_text(j, "name", name);
    json_text(j, "cat", cli_pipe_kind((enum pipe_kind)op->kind));
    json_text(j, "ph", "X");
    json_time(j, "ts", p, when->start);
    json_time(j, "dur", p, when->end - when->start);
    json_u64(j, "pid", 0);
    json_u64(j, "tid", rank);
    json_object_open(j, "args");
    json_u64(j, "micro_batch", op->micro_batch);
    json_u64(j, "chunk", op->chunk);
    json_u64(j, "model_stage", pipe_stage_at(&p->shape, rank, op->chunk));
    json_time(j, "slack", p, when->slack);
    json_object_close(j);
    json_object_close(j);
}

void cli_pipe_trace(struct cli_context *c, const struct cli_pipe *p) {
    struct json j;
    json_start(&j, c->out);
    json_array_open(&j, NULL);
    for (uint32_t rank = 0; rank < p->shape.ranks; rank++) {
        for (uint64_t i = p->order.first[rank]; i < p->order.first[rank + 1]; i++) {
            trace_event(&j, p, i, rank);
        }
    }
    json_array_close(&j);
    writer_char(c->out, '\n');
}
