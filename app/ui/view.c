/* A view on the screen: its items one below another. A pane that is too low loses the blank rows
 * first, and then shows the part with the cursor. The view is borrowed and not changed. Proof:
 * tests/unit/ui/test_view.c. */
#include "flow_private.h"
#include "item_private.h"
#include "shardlab/ui/draw.h"

int item_title_draw(const struct canvas *c, int row, const struct message *title) {
    if (title->id == NULL) {
        return 0;
    }
    char text[CANVAS_SENTENCE_MAX];
    struct flow_box box = {row, ITEM_LEFT, ITEM_LEFT, c->area.cols - ITEM_MARGIN};
    return flow_draw_text(c, box, canvas_sentence(c, title, text), UI_ROLE_STRONG);
}

static int draw_text(const struct canvas *c, int row, const struct view_text *text) {
    int first = row;
    for (int i = 0; i < text->line_count; i++) {
        if (text->lines[i].id == NULL) {
            continue;
        }
        char sentence[CANVAS_SENTENCE_MAX];
        struct flow_box box = {row, ITEM_LEFT, ITEM_LEFT, c->area.cols - ITEM_MARGIN};
        row += flow_draw_text(c, box, canvas_sentence(c, &text->lines[i], sentence), UI_ROLE_TEXT);
    }
    return row - first;
}

static int draw_facts(const struct canvas *c, int row, const struct view_facts *facts) {
    int first = row;
    int right = c->area.cols - ITEM_MARGIN;
    int label_cols = 0;
    for (int i = 0; i < facts->fact_count; i++) {
        int cols = canvas_width(c, words_get(c->look->words, facts->facts[i].label));
        label_cols = cols > label_cols ? cols : label_cols;
    }
    int half = (right - ITEM_LEFT) / 2;
    label_cols = label_cols > half ? half : label_cols;
    row += item_title_draw(c, row, &facts->title);
    for (int i = 0; i < facts->fact_count; i++) {
        const struct view_fact *fact = &facts->facts[i];
        char value[CANVAS_SENTENCE_MAX];
        int col = ITEM_LEFT + label_cols + 2;
        canvas_put_cut(c, (struct spot){row, ITEM_LEFT}, words_get(c->look->words, fact->label),
                       UI_ROLE_DIM, label_cols);
        struct flow_box box = {row, col, col, right};
        int rows = flow_draw_text(c, box, canvas_sentence(c, &fact->value, value), UI_ROLE_TEXT);
        row += rows > 0 ? rows : 1;
    }
    return row - first;
}

static int draw_item(const struct canvas *c, int row, const struct view_item *item,
                     struct item_focus focus) {
    switch (item->kind) {
    case VIEW_KIND_TEXT:
        return draw_text(c, row, &item->text);
    case VIEW_KIND_FACTS:
        return draw_facts(c, row, &item->facts);
    case VIEW_KIND_LEDGER:
        return item_ledger_draw(c, row, &item->ledger, focus);
    case VIEW_KIND_BAR:
        return item_bar_draw(c, row, &item->bar);
    case VIEW_KIND_CURVE:
        return item_curve_draw(c, row, &item->curve);
    case VIEW_KIND_CHART:
        return item_chart_draw(c, row, &item->chart);
    case VIEW_KIND_GANTT:
    case VIEW_KIND_TABLE:
    case VIEW_KIND_CLUSTER:
        return item_picture_draw(c, row, item);
    case VIEW_KIND_MATRIX:
        return item_matrix_draw(c, row, &item->matrix, -1);
    case VIEW_KIND_BITS:
    case VIEW_KIND_RANGES:
    case VIEW_KIND_FRAMES:
    case VIEW_KIND_PLOT:
        return item_picture_draw(c, row, item);
    }
    return 0;
}

/* How a view lies in a pane. */
struct placing {
    int gap;        /* blank rows between items */
    int rows;       /* of the whole, with the gaps */
    int cursor_row; /* of the ledger row with the cursor, -1 none */
    int above;      /* rows above the ledger */
    int beyond;     /* how far the cursor is past the ledger's last row; at most 0: it is not */
};

static struct placing place(const struct view *v, const struct canvas *measure, int cursor,
                            int gap) {
    struct placing p = {.gap = gap, .cursor_row = -1};
    struct item_focus focus = {-1, false};
    bool ledger_seen = false;
    for (int i = 0; i < v->item_count; i++) {
        const struct view_item *item = &v->items[i];
        int rows = draw_item(measure, 0, item, focus);
        p.rows += i > 0 && rows > 0 && p.rows > 0 ? gap : 0;
        if (item->kind == VIEW_KIND_LEDGER && !ledger_seen) {
            ledger_seen = true;
            p.above = p.rows;
            bool inside = cursor >= 0 && cursor < item->ledger.row_count;
            p.cursor_row = inside ? p.rows + item_ledger_row(&item->ledger, cursor) : -1;
            p.beyond = inside ? 0 : cursor - item->ledger.row_count + 1;
        }
        p.rows += rows;
    }
    if (!ledger_seen) { /* nothing to stand on: the cursor scrolls */
        p.beyond = cursor;
    }
    return p;
}

int ui_view_rows(const struct view *v, int cols, const struct look *look) {
    struct grid grid;
    struct canvas measure = canvas_measure(&grid, cols, look);
    return place(v, &measure, -1, 1).rows;
}

static const struct view_ledger *first_ledger(const struct view *v) {
    for (int i = 0; i < v->item_count; i++) {
        if (v->items[i].kind == VIEW_KIND_LEDGER) {
            return &v->items[i].ledger;
        }
    }
    return NULL;
}

int ui_view_draw(struct grid *g, struct rect area, const struct view *v, int cursor, bool active,
                 const struct look *look) {
    enum { ROWS_TO_PIN = 3 }; /* fewer: the rows themselves need the room */
    struct canvas canvas = {g, area, look};
    struct grid nothing;
    struct canvas measure = canvas_measure(&nothing, area.cols, look);
    nothing.rules = g->rules;
    struct placing p = place(v, &measure, cursor, 1);
    if (p.rows > area.rows) {
        p = place(v, &measure, cursor, 0);
    }
    const struct view_ledger *ledger = first_ledger(v);
    if (p.beyond > 0) { /* what lies below the pane comes into sight, a row at a time */
        int row = area.rows - 1 + p.beyond;
        p.cursor_row = row < p.rows ? row : p.rows - 1;
    }
    if (!active &&
        p.above > 0) { /* what stands above the ledger is seen until the pane is entered */
        p.cursor_row = 0;
    }
    int scroll = ui_scroll_follow(0, area.rows, p.rows, p.cursor_row);
    bool pinned = ledger != NULL && scroll > p.above && area.rows >= ROWS_TO_PIN;
    if (pinned) {
        item_ledger_header_draw(&canvas, 0, ledger);
        canvas.area.row++;
        canvas.area.rows--;
        scroll = ui_scroll_follow(0, canvas.area.rows, p.rows, p.cursor_row);
    }
    int row = -scroll;
    for (int i = 0; i < v->item_count; i++) {
        bool focused = v->items[i].kind == VIEW_KIND_LEDGER && &v->items[i].ledger == ledger;
        struct item_focus focus = {focused ? cursor : -1, active};
        int rows = draw_item(&canvas, row, &v->items[i], focus);
        row += rows + (rows > 0 ? p.gap : 0);
    }
    return p.rows;
}
