/* The rows of a Gantt: operations of a rank, in their order, cut to the window, with the chunks that are held while
 * they run; or, where they are too many, stretches of equal length with what takes most of each. A pair that
 * overlaps takes its activations before it releases any, as in pipe/simulate.h. Proof:
 * tests/unit/lessons/test_pipe_view.c (peaks equal the simulator's). */
#include <string.h>

#include "pipe_private.h"

/* One operation, or a pair that runs together. */
struct piece {
    uint64_t at; /* index of the first */
    bool pair;
    uint64_t start, end;
    uint32_t held, held_after;
    bool critical;
};

/* Walks the operations of a rank. */
struct walk {
    const struct pipe_rows *rows;
    uint64_t at, behind;
    uint32_t held;
};

static struct walk walk_start(const struct pipe_rows *rows, uint32_t rank) {
    const struct pipe_order *order = rows->picture->order;
    return (struct walk){.rows = rows, .at = order->first[rank], .behind = order->first[rank + 1]};
}

static bool releases(const struct pipe_op *op, bool until_w) {
    return op->kind == PIPE_BW || op->kind == (until_w ? PIPE_W : PIPE_B);
}

static bool walk_next(struct walk *w, struct piece *out) {
    const struct pipe_picture *p = w->rows->picture;
    const struct pipe_op *ops = p->order->ops;
    if (w->at >= w->behind) {
        return false;
    }
    *out = (struct piece){.at = w->at};
    out->pair = ops[w->at].overlapped != 0 && w->at + 1 < w->behind;
    out->start = p->ops[w->at].start;
    uint64_t after = w->at + (out->pair ? 2 : 1);
    for (uint64_t i = w->at; i < after; i++) {
        out->end = p->ops[i].end > out->end ? p->ops[i].end : out->end;
        out->critical = out->critical || p->ops[i].slack == 0;
        w->held += ops[i].kind == PIPE_F ? 1 : 0;
    }
    out->held = w->held;
    for (uint64_t i = w->at; i < after; i++) {
        w->held -= releases(&ops[i], w->rows->window->until_w) && w->held > 0 ? 1 : 0;
    }
    out->held_after = w->held;
    w->at = after;
    return true;
}

static bool in_window(const struct pipe_window *window, const struct piece *piece) {
    return piece->end > window->from && piece->start < window->to && piece->end > piece->start;
}

uint64_t pipe_spans_count(const struct pipe_rows *rows, uint32_t rank) {
    struct walk w = walk_start(rows, rank);
    struct piece piece;
    uint64_t count = 0;
    while (walk_next(&w, &piece)) {
        count += in_window(rows->window, &piece) ? (piece.pair ? 2 : 1) : 0;
    }
    return count;
}

/* Appends the operation, or both of a pair, between two moments. */
static void add_piece(const struct pipe_rows *rows, const struct piece *piece, bool named) {
    struct view_gantt *g = rows->gantt;
    static const uint8_t kinds[] = {[PIPE_F] = VIEW_GANTT_F,
                                    [PIPE_B] = VIEW_GANTT_B,
                                    [PIPE_W] = VIEW_GANTT_W,
                                    [PIPE_BW] = VIEW_GANTT_BW};
    for (uint64_t i = piece->at; i < piece->at + (piece->pair ? 2 : 1); i++) {
        const struct pipe_op *op = &rows->picture->order->ops[i];
        bool cursor = g->group_count == 1 && named && rows->window->cursor == (int64_t)i;
        g->cursor_span = cursor ? g->span_count : g->cursor_span;
        g->spans[g->span_count++] = (struct view_gantt_span){
            .start = piece->start,
            .end = piece->end,
            .held = piece->held,
            .held_after = piece->held_after,
            .micro_batch = named ? (int32_t)op->micro_batch : VIEW_GANTT_MANY,
            .chunk = op->chunk,
            .kind = kinds[op->kind],
            .paired = piece->pair && i == piece->at,
            .critical = piece->critical};
    }
}

static void clip(const struct pipe_window *window, struct piece *piece) {
    piece->start = piece->start < window->from ? window->from : piece->start;
    piece->end = piece->end > window->to ? window->to : piece->end;
}

static void add_exact(const struct pipe_rows *rows, struct view_gantt_row *row, uint32_t rank) {
    struct walk w = walk_start(rows, rank);
    struct piece piece;
    struct view_gantt *g = rows->gantt;
    while (walk_next(&w, &piece)) {
        if (in_window(rows->window, &piece)) {
            clip(rows->window, &piece);
            add_piece(rows, &piece, true);
        } else if (piece.end <= rows->window->from) {
            row->held_before = piece.held_after;
        } else if (piece.start < rows->window->to && g->span_count > row->first_span) {
            g->spans[g->span_count - 1].held_after = piece.held_after; /* it takes no time */
        }
    }
}

/* A stretch that is being filled. */
struct stretch {
    uint64_t start, end;
    struct view_gantt_share share;
    uint32_t held, held_after;
};

static void add_stretch(const struct pipe_rows *rows, struct view_gantt_row *row,
                        const struct stretch *s) {
    struct view_gantt *g = rows->gantt;
    struct view_gantt_winner winner = view_gantt_share_winner(&s->share, s->end - s->start);
    if (winner.kind == VIEW_GANTT_IDLE) {
        if (g->span_count > row->first_span) { /* what is held in it stays to be seen */
            g->spans[g->span_count - 1].held_after = s->held;
        }
        return;
    }
    bool pair = winner.kind == VIEW_GANTT_PAIR;
    uint64_t at = (uint64_t)s->share.which[winner.kind];
    struct piece piece = {.at = at,
                          .pair = pair,
                          .start = s->start,
                          .end = s->end,
                          .held = s->held,
                          .held_after = s->held_after,
                          .critical = winner.critical};
    add_piece(rows, &piece, winner.which != VIEW_GANTT_MANY);
}

static void put_piece(const struct pipe_rows *rows, struct stretch *s, const struct piece *piece) {
    const struct pipe_op *op = &rows->picture->order->ops[piece->at];
    static const int kinds[] = {[PIPE_F] = VIEW_GANTT_F,
                                [PIPE_B] = VIEW_GANTT_B,
                                [PIPE_W] = VIEW_GANTT_W,
                                [PIPE_BW] = VIEW_GANTT_BW};
    uint64_t start = piece->start > s->start ? piece->start : s->start;
    uint64_t end = piece->end < s->end ? piece->end : s->end;
    struct view_gantt_winner part = {.kind = piece->pair ? VIEW_GANTT_PAIR : kinds[op->kind],
                                     .which = (int64_t)piece->at,
                                     .critical = piece->critical};
    view_gantt_share_add(&s->share, &part, end - start);
    s->held = piece->held > s->held ? piece->held : s->held;
    s->held_after = piece->end <= s->end ? piece->held_after : piece->held;
}

static void next_stretch(const struct pipe_window *window, struct stretch *s, uint64_t join) {
    s->start = s->end;
    s->end = window->to - s->start < join ? window->to : s->start + join;
    s->held = s->held_after;
    memset(&s->share, 0, sizeof s->share);
}

static void add_joined(const struct pipe_rows *rows, struct view_gantt_row *row, uint32_t rank,
                       uint64_t join) {
    const struct pipe_window *window = rows->window;
    struct walk w = walk_start(rows, rank);
    struct stretch s = {.end = window->from};
    struct piece piece;
    bool more = walk_next(&w, &piece);
    while (more && !in_window(window, &piece) && piece.start < window->to) {
        s.held_after = piece.held_after;
        more = walk_next(&w, &piece);
    }
    row->held_before = s.held_after;
    while (s.end < window->to) {
        next_stretch(window, &s, join);
        while (more && piece.start < s.end) {
            put_piece(rows, &s, &piece);
            if (piece.end > s.end) {
                break; /* goes on in the next stretch */
            }
            more = walk_next(&w, &piece);
        }
        add_stretch(rows, row, &s);
    }
}

void pipe_spans_add(const struct pipe_rows *rows, uint32_t rank, uint64_t join) {
    struct view_gantt *g = rows->gantt;
    const struct pipe_rank_run *run = &rows->picture->run->ranks[rank];
    struct view_gantt_row *row = &g->rows[g->row_count++];
    row->rank = rank;
    row->first_span = g->span_count;
    row->peak = rows->window->until_w ? run->peak_until_w : run->peak_until_b;
    row->chunk_bytes = rows->picture->chunk_bytes != NULL ? rows->picture->chunk_bytes[rank] : 0;
    if (join > 0) {
        add_joined(rows, row, rank, join);
    } else {
        add_exact(rows, row, rank);
    }
    row->span_count = g->span_count - row->first_span;
}
