/* From a schedule that has run to its picture: which ranks and ticks are shown, how they are joined when a view cannot
 * hold all operations, what the title says, and why the operation under the cursor starts when it does. The lessons on
 * pipelines and `shardlab pipe --gantt` call it. Reads what is borrowed, writes into the caller's view. Left out: what
 * a stage computes. Proof: tests/unit/lessons/test_pipe_view.c. */
#include <assert.h>
#include <stdio.h>

#include "pipe_private.h"
#include "shardlab/view/shape.h"

enum { TEXT_MAX = 48, COLUMNS_USUAL = 100, ROWS_WITH_TWO = VIEW_GANTT_ROWS_MAX / 2 };

static void write_time(char out[TEXT_MAX], uint64_t ticks, uint64_t per_unit) {
    struct writer w;
    writer_start(&w, out, TEXT_MAX);
    if (ticks % per_unit == 0) {
        writer_u64(&w, ticks / per_unit);
    } else {
        view_write_real(&w, (double)ticks / (double)per_unit);
    }
}

static void write_share(char out[TEXT_MAX], struct pipe_fraction f) {
    struct writer w;
    writer_start(&w, out, TEXT_MAX);
    writer_fixed(&w, f.under > 0 ? 100.0 * (double)f.over / (double)f.under : 0, 1);
}

static bool splits(const struct pipe_order *order) {
    uint64_t count = pipe_order_count(order);
    for (uint64_t i = 0; i < count; i++) {
        if (order->ops[i].kind == PIPE_W) {
            return true;
        }
    }
    return false;
}

/* "F3", "BW12b": as the cells of the picture say it. */
static void write_name(char out[TEXT_MAX], const struct pipe_picture *p, int64_t at) {
    static const char *const kinds[] = {
        [PIPE_F] = "F", [PIPE_B] = "B", [PIPE_W] = "W", [PIPE_BW] = "BW"};
    const struct pipe_op *op = &p->order->ops[at];
    const char *kind = op->kind == PIPE_BW && !splits(p->order) ? "B" : kinds[op->kind];
    char chunk[2] = {p->order->shape.chunks > 1 && op->chunk < 26 ? (char)('a' + op->chunk) : '\0',
                     '\0'};
    (void)snprintf(out, TEXT_MAX, "%s%u%s", kind, (unsigned)op->micro_batch, chunk);
}

void pipe_explain(const struct pipe_picture *p, int64_t op, uint64_t ticks_per_unit,
                  struct message *out) {
    static const char *const ids[3][2] = {
        [PIPE_WAIT_NOTHING] = {"view.gantt.starts", "view.gantt.starts.critical"},
        [PIPE_WAIT_RANK] = {"view.gantt.waits_rank", "view.gantt.waits_rank.critical"},
        [PIPE_WAIT_DATA] = {"view.gantt.waits_data", "view.gantt.waits_data.critical"}};
    const struct pipe_run_op *when = &p->ops[op];
    bool critical = when->slack == 0;
    char text[TEXT_MAX];
    message_start(out, ids[when->wait][critical ? 1 : 0]);
    write_name(text, p, op);
    message_add_text(out, text);
    message_add_plain(out, pipe_rank_of(p->order, (uint64_t)op));
    write_time(text, when->start, ticks_per_unit);
    message_add_text(out, text);
    write_time(text, when->slack, ticks_per_unit);
    message_add_text(out, text);
    if (when->wait != PIPE_WAIT_NOTHING) {
        write_name(text, p, when->waits_for);
        message_add_text(out, text);
        message_add_plain(out, pipe_rank_of(p->order, (uint64_t)when->waits_for));
    }
}

static uint64_t common_divisor(uint64_t a, uint64_t b) {
    while (b != 0) {
        uint64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

/* The longest step of which all moments of the window are multiples. */
static uint64_t step_of(const struct view_gantt *g) {
    uint64_t step = g->to - g->from;
    for (int i = 0; i < g->span_count; i++) {
        step = common_divisor(step, g->spans[i].start - g->from);
        step = common_divisor(step, g->spans[i].end - g->from);
    }
    for (int i = 0; i < g->group_count; i++) {
        uint64_t end = g->groups[i].makespan;
        step = end > g->from && end < g->to ? common_divisor(step, end - g->from) : step;
    }
    return step > 0 ? step : 1;
}

static bool has_pairs(const struct pipe_order *order) {
    uint64_t count = pipe_order_count(order);
    for (uint64_t i = 0; i < count; i++) {
        if (order->ops[i].overlapped != 0) {
            return true;
        }
    }
    return false;
}

/* Chunks that one stage of the model's work on a rank is cut into. */
static uint32_t parts_of(const struct pipe_order *order) {
    return pipe_stages(&order->shape) / order->shape.ranks;
}

/* The ranks that are shown of a schedule. */
static void rows_of(const struct pipe_picture *p, const struct pipe_window *window, int most,
                    uint32_t *first, uint32_t *behind) {
    uint32_t ranks = p->order->shape.ranks;
    *first = window->first_rank < ranks ? window->first_rank : ranks - 1;
    uint32_t room =
        window->ranks > 0 && window->ranks < (uint32_t)most ? window->ranks : (uint32_t)most;
    *behind = ranks - *first < room ? ranks : *first + room;
}

/* Ticks to which operations have to be joined so that the view holds them; 0: it holds them all. */
static uint64_t join_of(const struct pipe_picture *pictures, int count,
                        const struct pipe_window *window, int most) {
    uint64_t spans = 0, rows = 0;
    bool pairs = false;
    for (int i = 0; i < count; i++) {
        const struct pipe_rows counted = {&pictures[i], window, NULL};
        uint32_t first, behind;
        rows_of(&pictures[i], window, most, &first, &behind);
        for (uint32_t rank = first; rank < behind; rank++) {
            spans += pipe_spans_count(&counted, rank);
        }
        rows += behind - first;
        pairs = pairs || has_pairs(pictures[i].order);
    }
    if (spans <= VIEW_GANTT_SPANS_MAX) {
        return 0;
    }
    uint64_t columns = VIEW_GANTT_SPANS_MAX / (rows * (pairs ? 2 : 1));
    uint64_t wanted = window->columns > 0 ? (uint64_t)window->columns : COLUMNS_USUAL;
    columns = wanted < columns ? wanted : columns;
    return (window->to - window->from - 1) / columns + 1;
}

static void start_group(struct view_gantt *g, const struct pipe_picture *p, uint64_t per_unit) {
    struct view_gantt_group *group = &g->groups[g->group_count++];
    char text[TEXT_MAX];
    group->makespan = p->run->makespan;
    group->ranks = p->order->shape.ranks;
    group->first_row = g->row_count;
    message_start(&group->title, "view.gantt.group");
    message_add_text(&group->title, p->name);
    message_add_plain(&group->title, p->order->shape.ranks);
    message_add_plain(&group->title, p->order->shape.micro_batches);
    write_time(text, p->run->makespan, per_unit);
    message_add_text(&group->title, text);
    write_share(text, p->run->bubble);
    message_add_text(&group->title, text);
    write_share(text, p->run->bubble_over_ideal);
    message_add_text(&group->title, text);
}

/* How much longer or shorter the second one takes. */
static void say_difference(struct view_gantt *g, const struct pipe_picture *pictures,
                           uint64_t per_unit) {
    uint64_t a = pictures[0].run->makespan, b = pictures[1].run->makespan;
    uint64_t difference = a > b ? a - b : b - a;
    char text[TEXT_MAX];
    message_start(&g->remark, a == b  ? "view.gantt.same_length"
                              : a > b ? "view.gantt.shorter"
                                      : "view.gantt.longer");
    message_add_text(&g->remark, pictures[1].name);
    message_add_text(&g->remark, pictures[0].name);
    write_time(text, difference, per_unit);
    message_add_text(&g->remark, text);
    write_share(text, (struct pipe_fraction){difference, a > 0 ? a : 1});
    message_add_text(&g->remark, text);
}

static uint64_t end_of(const struct pipe_picture *pictures, int count,
                       const struct pipe_window *window) {
    uint64_t longest = 0;
    for (int i = 0; i < count; i++) {
        uint64_t makespan = pictures[i].run->makespan;
        longest = makespan > longest ? makespan : longest;
    }
    return window->to > window->from && window->to < longest ? window->to : longest;
}

void pipe_gantt_add(struct view *out, const struct pipe_picture *pictures, int count,
                    const struct pipe_window *window) {
    struct view_gantt *g = &view_add(out, VIEW_KIND_GANTT)->gantt;
    struct pipe_window settled = *window;
    assert(count >= 1 && count <= VIEW_GANTT_GROUPS_MAX);
    int most = count == 1 ? VIEW_GANTT_ROWS_MAX : ROWS_WITH_TWO;
    settled.to = end_of(pictures, count, window);
    settled.from = window->from < settled.to ? window->from : 0;
    g->ticks_per_unit = window->ticks_per_unit > 0 ? window->ticks_per_unit : 1;
    g->from = settled.from;
    g->to = settled.to;
    g->strip = window->strip;
    g->marks_critical = window->critical;
    uint64_t join = g->to > g->from ? join_of(pictures, count, &settled, most) : 0;
    bool unequal = count > 1 && parts_of(pictures[0].order) != parts_of(pictures[1].order);
    for (int i = 0; i < count; i++) {
        const struct pipe_rows rows = {&pictures[i], &settled, g};
        uint32_t first, behind;
        rows_of(&pictures[i], &settled, most, &first, &behind);
        start_group(g, &pictures[i], g->ticks_per_unit);
        g->chunks = pictures[i].order->shape.chunks > g->chunks ? pictures[i].order->shape.chunks
                                                                : g->chunks;
        for (uint32_t rank = first; rank < behind; rank++) {
            pipe_spans_add(&rows, rank, join);
            g->rows[g->row_count - 1].parts = unequal ? parts_of(pictures[i].order) : 1;
        }
        g->groups[i].row_count = g->row_count - g->groups[i].first_row;
    }
    g->joined = join > 0;
    g->step = join > 0 ? join : step_of(g);
    if (count > 1) {
        say_difference(g, pictures, g->ticks_per_unit);
    }
    if (window->cursor >= 0) {
        uint64_t rank = pipe_rank_of(pictures[0].order, (uint64_t)window->cursor);
        for (int i = 0; i < g->groups[0].row_count; i++) {
            g->cursor_row = g->rows[i].rank == rank ? i : g->cursor_row;
        }
        pipe_explain(&pictures[0], window->cursor, g->ticks_per_unit, &g->explain);
    }
}
