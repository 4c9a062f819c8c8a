/* The words of a page: blocks of spans, wrapped and drawn with the styles that a terminal has.
 * Figures in
 * {{…}} are asked of the caller, so that words and numbers on the screen never disagree. The
 * document is borrowed; a page is laid out anew for every frame (microseconds). Proof:
 * tests/unit/ui/test_page.c. */
#include <string.h>

#include "find_private.h"
#include "flow_private.h"
#include "shardlab/ui/draw.h"

enum {
    MEASURE_MAX = 72, /* longer lines are hard to read */
    HANG = 2,         /* "▸ " and the indent of quotes and code */
    FIGURE_MAX = 192,
    NAME_MAX_BYTES = 64,
};

/* What drawing one page carries along. */
struct page_pen {
    const struct canvas *canvas;
    const struct document *doc;
    const struct ui_expand *expand;
    int left, right;
    int row;
    int link; /* the link with the focus, counted over the page; -1 none */
    int links_seen;
    int link_row; /* where it starts; -1 not met yet */
    int matches_seen;
    int match_row; /* of the match with the focus; -1 not met yet */
};

/* The role of the next match, of those that are looked for on the page. */
static enum ui_role next_match_role(struct page_pen *p, int row) {
    bool focused = p->matches_seen++ == p->expand->found;
    if (focused) {
        p->match_row = row;
    }
    return focused ? UI_ROLE_CURSOR : UI_ROLE_MATCH;
}

static bool looks_for_words(const struct page_pen *p) {
    return p->expand != NULL && p->expand->find != NULL;
}

/* A paragraph with what was found in it; returns its rows. */
static int draw_flow(struct page_pen *p, struct flow *f, struct flow_box box) {
    struct find_match m = {0, 0};
    while (looks_for_words(p) && find_words(f->bytes, m.end, p->expand->find, &m)) {
        int row = p->row + flow_row_of(f, p->canvas, box, m.start);
        flow_paint(f, m.start, m.end, next_match_role(p, row));
    }
    return flow_draw(f, p->canvas, box);
}

/* Appends the figure called by {{name}} at `open`, and returns the text behind it; NULL: not a
 * figure. */
static const char *add_figure(const struct page_pen *p, struct flow *f, const char *open,
                              enum ui_role role) {
    const char *close = strstr(open, "}}");
    size_t length = close != NULL ? (size_t)(close - open) - 2 : 0;
    if (length == 0 || length >= NAME_MAX_BYTES || p->expand == NULL || p->expand->write == NULL) {
        return NULL;
    }
    char name[NAME_MAX_BYTES];
    memcpy(name, open + 2, length);
    name[length] = '\0';
    char figure[FIGURE_MAX];
    struct writer w;
    writer_start(&w, figure, sizeof figure);
    if (!p->expand->write(p->expand->context, name, &w)) {
        return NULL;
    }
    flow_add_whole(f, figure, role);
    return close + 2;
}

static void add_expanded(const struct page_pen *p, struct flow *f, const char *text,
                         enum ui_role role) {
    while (*text != '\0') {
        const char *open = strstr(text, "{{");
        size_t plain = open != NULL ? (size_t)(open - text) : strlen(text);
        char piece[512];
        while (plain > 0) {
            size_t length = plain;
            if (length >= sizeof piece) { /* a long text goes in whole characters */
                length = sizeof piece - 1;
                while (((unsigned char)text[length] & 0xC0U) == 0x80U) {
                    length--;
                }
            }
            memcpy(piece, text, length);
            piece[length] = '\0';
            flow_add(f, piece, role);
            text += length;
            plain -= length;
        }
        if (open == NULL) {
            return;
        }
        const char *behind = add_figure(p, f, open, role);
        if (behind == NULL) {
            flow_add(f, "{{", role);
            behind = open + 2;
        }
        text = behind;
    }
}

/* Text without a break inside, when it is short enough to move to the next line as one. */
static void add_code(const struct page_pen *p, struct flow *f, const char *text) {
    int width = canvas_width(p->canvas, text);
    if (width * 2 <= p->right - p->left && strstr(text, "{{") == NULL) {
        flow_add_whole(f, text, UI_ROLE_CODE);
    } else {
        add_expanded(p, f, text, UI_ROLE_CODE);
    }
}

static void add_link(struct page_pen *p, struct flow *f, const struct span *span,
                     size_t *focus_at) {
    size_t start = f->text.length;
    int number = p->links_seen++;
    bool focused = number == p->link;
    enum ui_role role = focused ? UI_ROLE_CURSOR : UI_ROLE_ACCENT;
    if (focused) {
        *focus_at = f->text.length;
    }
    flow_add_whole(f, ui_glyph(p->canvas->look, UI_GLYPH_LINK), role);
    flow_bind(f);
    flow_add(f, "\xC2\xA0", role); /* a blank that does not break */
    add_expanded(p, f, span->text, role);
    flow_link(f, start, number);
}

static void add_span(struct page_pen *p, struct flow *f, const struct span *span,
                     size_t *focus_at) {
    switch (span->kind) {
    case SPAN_PLAIN:
        add_expanded(p, f, span->text, UI_ROLE_TEXT);
        break;
    case SPAN_STRONG:
        add_expanded(p, f, span->text, UI_ROLE_STRONG);
        break;
    case SPAN_EMPHASIS:
        add_expanded(p, f, span->text, UI_ROLE_EMPHASIS);
        break;
    case SPAN_CODE:
        add_code(p, f, span->text);
        break;
    case SPAN_LINK:
        add_link(p, f, span, focus_at);
        break;
    }
}

static const struct span *span_of(const struct page_pen *p, const struct block *block, int i) {
    return &p->doc->spans[block->first_span + i];
}

/* What was found in a line that is not wrapped: its cells are painted. */
static void mark_code(struct page_pen *p, struct spot at, const char *text) {
    const struct canvas *c = p->canvas;
    struct find_match m = {0, 0};
    while (looks_for_words(p) && find_words(text, m.end, p->expand->find, &m)) {
        int cols = canvas_width(c, text + m.start) - canvas_width(c, text + m.end);
        int col = canvas_width(c, text) - canvas_width(c, text + m.start);
        grid_paint(c->grid, c->area, c->area.row + at.row, c->area.col + at.col + col, cols,
                   next_match_role(p, at.row));
    }
}

static void draw_code_block(struct page_pen *p, const struct block *block) {
    for (int i = 0; i < block->span_count; i++) {
        struct spot at = {p->row++, p->left + HANG};
        const char *text = span_of(p, block, i)->text;
        canvas_put_cut(p->canvas, at, text, UI_ROLE_CODE, p->right - at.col);
        mark_code(p, at, text);
    }
}

static void draw_block(struct page_pen *p, const struct block *block) {
    if (block->kind == BLOCK_CODE) {
        draw_code_block(p, block);
        return;
    }
    const struct canvas *c = p->canvas;
    struct flow f;
    flow_start(&f);
    size_t focus_at = SIZE_MAX;
    for (int i = 0; i < block->span_count; i++) {
        const struct span *span = span_of(p, block, i);
        if (block->kind == BLOCK_HEADING && span->kind == SPAN_PLAIN) {
            add_expanded(p, &f, span->text, UI_ROLE_STRONG);
        } else {
            add_span(p, &f, span, &focus_at);
        }
    }
    int indent = block->kind == BLOCK_ITEM || block->kind == BLOCK_QUOTE ? HANG : 0;
    struct flow_box box = {p->row, p->left + indent, p->left + indent, p->right};
    if (focus_at != SIZE_MAX) {
        p->link_row = p->row + flow_row_of(&f, c, box, focus_at);
    }
    int rows = draw_flow(p, &f, box);
    if (block->kind == BLOCK_ITEM) {
        canvas_glyph(c, (struct spot){p->row, p->left}, UI_GLYPH_DO, UI_ROLE_ACCENT);
    }
    for (int i = 0; i < rows && block->kind == BLOCK_QUOTE; i++) {
        canvas_glyph(c, (struct spot){p->row + i, p->left}, UI_GLYPH_VERTICAL, UI_ROLE_LINE);
    }
    p->row += rows;
}

static void draw_page(struct page_pen *p, const struct page *page) {
    int cols = p->canvas->area.cols;
    p->left = 0;
    p->right = cols < MEASURE_MAX ? cols : MEASURE_MAX;
    struct flow_box title = {p->row, p->left, p->left, p->right};
    struct flow f;
    flow_start(&f);
    flow_add(&f, page->title, UI_ROLE_TITLE);
    p->row += draw_flow(p, &f, title);
    for (int i = 0; i < page->block_count; i++) {
        const struct block *block = &p->doc->blocks[page->first_block + i];
        bool list_goes_on = i > 0 && block->kind == BLOCK_ITEM && block[-1].kind == BLOCK_ITEM;
        p->row += list_goes_on ? 0 : 1;
        draw_block(p, block);
    }
}

static bool has_page(const struct document *doc, int page) {
    return page >= 0 && page < doc->page_count;
}

int ui_page_draw(struct grid *g, struct rect area, const struct document *doc, int page, int scroll,
                 int link, const struct ui_expand *expand, const struct look *look) {
    if (!has_page(doc, page)) {
        return 0;
    }
    struct canvas canvas = {g, area, look};
    struct page_pen pen = {.canvas = &canvas,
                           .doc = doc,
                           .expand = expand,
                           .row = -scroll,
                           .link = link,
                           .link_row = -scroll - 1};
    draw_page(&pen, &doc->pages[page]);
    if (pen.link_row >= -scroll) {
        canvas_rest(&canvas, (struct spot){pen.link_row, pen.left});
    }
    return pen.row + scroll;
}

int ui_page_link_row(int cols, const struct document *doc, int page, int link,
                     const struct ui_expand *expand, const struct look *look) {
    if (!has_page(doc, page) || link < 0) {
        return -1;
    }
    struct grid grid;
    struct canvas canvas = canvas_measure(&grid, cols, look);
    struct page_pen pen = {
        .canvas = &canvas, .doc = doc, .expand = expand, .link = link, .link_row = -1};
    draw_page(&pen, &doc->pages[page]);
    return pen.link_row;
}

int ui_page_match_row(int cols, const struct document *doc, int page,
                      const struct ui_expand *expand, const struct look *look) {
    if (!has_page(doc, page)) {
        return -1;
    }
    struct grid grid;
    struct canvas canvas = canvas_measure(&grid, cols, look);
    struct page_pen pen = {
        .canvas = &canvas, .doc = doc, .expand = expand, .link = -1, .match_row = -1};
    draw_page(&pen, &doc->pages[page]);
    return pen.match_row;
}

/* The link with this number on the page; *count, if given, is the number of links up to there. */
static const struct span *find_link(const struct document *doc, int page, int link, int *count) {
    int seen = 0;
    const struct span *found = NULL;
    for (int b = 0; has_page(doc, page) && b < doc->pages[page].block_count; b++) {
        const struct block *block = &doc->blocks[doc->pages[page].first_block + b];
        for (int s = 0; s < block->span_count; s++) {
            const struct span *span = &doc->spans[block->first_span + s];
            if (span->kind == SPAN_LINK && seen++ == link) {
                found = span;
            }
        }
    }
    if (count != NULL) {
        *count = seen;
    }
    return found;
}

int ui_page_link_count(const struct document *doc, int page) {
    int count;
    (void)find_link(doc, page, -1, &count);
    return count;
}

const struct span *ui_page_link(const struct document *doc, int page, int link) {
    return find_link(doc, page, link, NULL);
}
