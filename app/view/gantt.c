/* Fitting a window of time to columns: how many columns a step gets, or how many ticks a column, and what each column
 * then shows. The rule that keeps the picture honest: a column shows what takes most of it, idle time included, and an
 * operation's number only where that operation fills half of it. Works on borrowed data, writes into what the caller
 * passes. Proof: tests/unit/view/test_gantt.c. */
#include "gantt_private.h"

#include <stdio.h>

static uint64_t least(uint64_t a, uint64_t b) {
    return a < b ? a : b;
}

static uint64_t most(uint64_t a, uint64_t b) {
    return a > b ? a : b;
}

static int kind_of(const struct view_gantt *g, int span) {
    return g->spans[span].paired ? VIEW_GANTT_PAIR : g->spans[span].kind;
}

static char chunk_letter(uint16_t chunk) {
    return chunk < 26 ? (char)('a' + chunk) : chunk < 52 ? (char)('A' + chunk - 26) : '~';
}

static int name_one(const struct view_gantt *g, bool splits, int span, char out[GANTT_NAME_MAX]) {
    static const char *const kinds[VIEW_GANTT_KINDS] = {"F", "B", "W", "BW"};
    const struct view_gantt_span *s = &g->spans[span];
    char chunk[2] = {g->chunks > 1 ? chunk_letter(s->chunk) : '\0', '\0'};
    const char *kind = s->kind == VIEW_GANTT_BW && !splits ? "B" : kinds[s->kind];
    return snprintf(out, GANTT_NAME_MAX, "%s%d%s", kind, (int)s->micro_batch, chunk);
}

int gantt_name(const struct view_gantt *g, bool splits, int span, char out[GANTT_NAME_MAX]) {
    int length = name_one(g, splits, span, out);
    if (g->spans[span].paired) {
        char other[GANTT_NAME_MAX];
        (void)name_one(g, splits, span + 1, other);
        length += snprintf(out + length, (size_t)(GANTT_NAME_MAX - length), "&%.12s", other);
    }
    return length;
}

static bool has_split(const struct view_gantt *g) {
    for (int i = 0; i < g->span_count; i++) {
        if (g->spans[i].kind == VIEW_GANTT_W) {
            return true;
        }
    }
    return false;
}

/* Columns a step needs so that every operation shows its name, or at least a digit and what it is. */
static void needs(const struct view_gantt *g, bool splits, uint64_t *name, uint64_t *digit) {
    *name = *digit = 1;
    for (int i = 0; i < g->span_count; i++) {
        char text[GANTT_NAME_MAX];
        uint64_t length = (uint64_t)gantt_name(g, splits, i, text);
        uint64_t steps = most((g->spans[i].end - g->spans[i].start) / g->step, 1);
        uint64_t short_length = g->spans[i].paired ? 3 : g->spans[i].kind == VIEW_GANTT_F ? 1 : 2;
        *name = most(*name, (length - 1) / steps + 1);
        *digit = most(*digit, (short_length - 1) / steps + 1);
        i += g->spans[i].paired ? 1 : 0;
    }
}

struct gantt_plot gantt_plot_of(const struct view_gantt *g, int cells) {
    struct gantt_plot plot = {.to = g->to, .each = g->step, .splits = has_split(g)};
    uint64_t room = (uint64_t)(cells > GANTT_CELLS_MAX ? GANTT_CELLS_MAX : cells < 1 ? 1 : cells);
    if (g->to <= g->from) {
        return plot;
    }
    uint64_t steps = (g->to - g->from - 1) / g->step + 1;
    if (steps > room && g->joined) {
        steps = room;
        plot.to = g->from + steps * g->step;
    }
    if (steps > room) {
        plot.each = (g->to - g->from - 1) / room + 1;
        plot.cells = (int)((g->to - g->from - 1) / plot.each + 1);
        return plot;
    }
    uint64_t name, digit, widest = room / steps;
    needs(g, plot.splits, &name, &digit);
    plot.wide = name <= widest && !g->joined;
    plot.per = (int)(plot.wide ? name : least(digit, widest));
    plot.cells = (int)steps * plot.per;
    return plot;
}

int gantt_column(const struct view_gantt *g, const struct gantt_plot *plot, uint64_t tick) {
    uint64_t offset = least(most(tick, g->from), plot->to) - g->from;
    if (plot->per > 0) {
        return (int)(offset / g->step) * plot->per;
    }
    return plot->each > 0 ? (int)(offset / plot->each) : 0;
}

/* A pass over the columns of a row: `span` is the first that ends behind the column's beginning. */
struct sweep {
    const struct view_gantt *gantt;
    const struct view_gantt_row *row;
    uint64_t start, end; /* of the column */
    int span;
    uint32_t held; /* before that span */
};

static struct sweep sweep_start(const struct view_gantt *g, int row) {
    return (struct sweep){.gantt = g,
                          .row = &g->rows[row],
                          .span = g->rows[row].first_span,
                          .held = g->rows[row].held_before};
}

static void sweep_to(struct sweep *s, const struct gantt_plot *plot, int column) {
    const struct view_gantt *g = s->gantt;
    uint64_t width = plot->per > 0 ? g->step : plot->each;
    uint64_t index = (uint64_t)(plot->per > 0 ? column / plot->per : column);
    int last = s->row->first_span + s->row->span_count;
    s->start = g->from + index * width;
    s->end = least(s->start + width, plot->to);
    while (s->span < last && g->spans[s->span].end <= s->start) {
        s->held = g->spans[s->span].held_after;
        s->span++;
    }
}

static bool overlaps(const struct sweep *s, int span) {
    return span < s->row->first_span + s->row->span_count && s->gantt->spans[span].start < s->end;
}

void view_gantt_share_add(struct view_gantt_share *share, const struct view_gantt_winner *op,
                          uint64_t part) {
    int kind = op->kind;
    share->busy += part;
    share->total[kind] += part;
    share->critical[kind] = share->critical[kind] || op->critical;
    if (part > share->best[kind]) {
        share->best[kind] = part;
        share->which[kind] = op->which;
    }
}

struct view_gantt_winner view_gantt_share_winner(const struct view_gantt_share *share,
                                                 uint64_t length) {
    int kind = 0;
    for (int i = 1; i <= VIEW_GANTT_PAIR; i++) {
        kind = share->total[i] > share->total[kind] ? i : kind;
    }
    if (share->busy == 0 || length - share->busy > share->total[kind]) {
        return (struct view_gantt_winner){.kind = VIEW_GANTT_IDLE, .which = VIEW_GANTT_MANY};
    }
    bool alone = share->best[kind] >= length - share->best[kind];
    return (struct view_gantt_winner){.kind = kind,
                                      .which = alone ? share->which[kind] : VIEW_GANTT_MANY,
                                      .critical = share->critical[kind]};
}

/* What takes most of the column. */
static struct view_gantt_winner winner_of(const struct sweep *s) {
    struct view_gantt_share share = {0};
    const struct view_gantt *g = s->gantt;
    for (int i = s->span; overlaps(s, i); i++) {
        const struct view_gantt_span *span = &g->spans[i];
        bool pair = span->paired;
        struct view_gantt_winner op = {
            .kind = kind_of(g, i),
            .which = span->micro_batch == VIEW_GANTT_MANY ? VIEW_GANTT_MANY : i,
            .critical = span->critical || (pair && g->spans[i + 1].critical)};
        view_gantt_share_add(&share, &op, least(span->end, s->end) - most(span->start, s->start));
        i += pair ? 1 : 0;
    }
    return view_gantt_share_winner(&share, s->end - s->start);
}

int gantt_runs(const struct view_gantt *g, const struct gantt_plot *plot, int row,
               struct gantt_run out[GANTT_CELLS_MAX]) {
    struct sweep s = sweep_start(g, row);
    int count = 0;
    for (int column = 0; column < plot->cells; column++) {
        sweep_to(&s, plot, column);
        struct view_gantt_winner w = winner_of(&s);
        struct gantt_run here = {column, 1, w.kind, (int)w.which, w.critical};
        struct gantt_run *last = count > 0 ? &out[count - 1] : NULL;
        if (last != NULL && last->kind == here.kind && last->span == here.span &&
            last->critical == here.critical) {
            last->cols++;
            continue;
        }
        out[count++] = here;
    }
    return count;
}

void gantt_levels(const struct view_gantt *g, const struct gantt_plot *plot, int row,
                  uint32_t out[GANTT_CELLS_MAX]) {
    struct sweep s = sweep_start(g, row);
    for (int column = 0; column < plot->cells; column++) {
        sweep_to(&s, plot, column);
        bool waits = !overlaps(&s, s.span) || g->spans[s.span].start > s.start;
        uint32_t level = waits ? s.held : 0;
        for (int i = s.span; overlaps(&s, i); i++) {
            const struct view_gantt_span *span = &g->spans[i];
            level = span->held > level ? span->held : level;
            bool goes_on = span->end < s.end; /* idle or the next operation: held_after is seen */
            level = goes_on && span->held_after > level ? span->held_after : level;
        }
        out[column] = level;
    }
}
