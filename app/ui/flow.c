/* Paragraphs: where lines may end is asked of libunibreak (UAX #14, so that Chinese and English
 * wrap correctly together and no line begins with a full stop); which of those places is used is
 * decided here, greedily, by columns. Blanks at the end of a line hang and are not drawn. A word
 * wider than the line is cut between characters. Buffers are of fixed size on the caller's stack.
 * Proof: tests/unit/ui/test_flow.c. */
#include "flow_private.h"

#include <limits.h>
#include <linebreak.h>
#include <string.h>

#include "grid_private.h"
#include "shardlab/ui/draw.h"

enum { KEEP = 0x80, ROLE_MASK = 0x7F };

void flow_start(struct flow *f) {
    writer_start(&f->text, f->bytes, sizeof f->bytes);
    f->sealed = false;
}

static void add(struct flow *f, const char *text, enum ui_role role, bool whole) {
    size_t from = f->text.length;
    writer_text(&f->text, text);
    for (size_t i = from; i < f->text.length; i++) {
        bool last = i + 1 == f->text.length;
        f->roles[i] = (unsigned char)((unsigned)role | (whole && !last ? KEEP : 0U));
        f->links[i] = 0;
    }
}

void flow_add(struct flow *f, const char *text, enum ui_role role) {
    add(f, text, role, false);
}

void flow_add_whole(struct flow *f, const char *text, enum ui_role role) {
    add(f, text, role, true);
}

void flow_bind(struct flow *f) {
    if (f->text.length > 0) {
        f->roles[f->text.length - 1] |= KEEP;
    }
}

void flow_link(struct flow *f, size_t start, int link) {
    for (size_t i = start; i < f->text.length && link < UCHAR_MAX; i++) {
        f->links[i] = (unsigned char)(link + 1);
    }
}

void flow_paint(struct flow *f, size_t start, size_t end, enum ui_role role) {
    for (size_t i = start; i < end; i++) {
        f->roles[i] = (unsigned char)((f->roles[i] & (unsigned)KEEP) | (unsigned)role);
    }
}

/* A hyphen that joins nothing, as those of --dp: a line ends before the option, not within it. */
static bool opens_an_option(const struct flow *f, size_t at) {
    unsigned char before = at > 0 ? (unsigned char)f->bytes[at - 1] : ' ';
    bool joins = before != ' ' && before != '-' && before < 0x80;
    return f->bytes[at] == '-' && !joins;
}

static bool is_alnum(char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

/* A slash before a single letter or digit, as in 1/t and GB/s: a fraction, and a rate, stays on one line. */
static bool within_a_fraction(const struct flow *f, size_t at) {
    const char *text = f->bytes;
    if (text[at] != '/' || at == 0 || at + 1 >= f->text.length) {
        return false;
    }
    return is_alnum(text[at - 1]) && is_alnum(text[at + 1]) &&
           (at + 2 >= f->text.length || !is_alnum(text[at + 2]));
}

static void seal(struct flow *f, bool chinese) {
    if (f->sealed || f->text.length == 0) {
        return;
    }
    init_linebreak(); /* fills a table of the library's own; the same every time */
    set_linebreaks_utf8((const utf8_t *)f->bytes, f->text.length, chinese ? "zh" : "en", f->breaks);
    for (size_t i = 0; i < f->text.length; i++) {
        bool kept = (f->roles[i] & KEEP) != 0 || opens_an_option(f, i) || within_a_fraction(f, i) ||
                    width_holds_unit(f->bytes, i);
        if (kept && f->breaks[i] == LINEBREAK_ALLOWBREAK) {
            f->breaks[i] = LINEBREAK_NOBREAK;
        }
    }
    f->sealed = true;
}

/* The end, in bytes, of the line that starts at `start` and has `columns` columns. */
static size_t line_end(const struct flow *f, size_t start, int columns,
                       const struct width_rules *rules) {
    size_t at = start;
    size_t last_break = start;
    int used = 0;
    while (at < f->text.length) {
        size_t next = at;
        uint32_t c = width_decode(f->bytes, &next);
        int width = width_code_point(c, rules);
        if (c != ' ' && width > 0 && used + width > columns) {
            return last_break > start ? last_break : at > start ? at : next;
        }
        used += width;
        at = next;
        if (f->breaks[at - 1] == LINEBREAK_ALLOWBREAK) {
            last_break = at;
        }
    }
    return at;
}

/* Draws the bytes start … end, a piece for each role. */
static void draw_line(const struct flow *f, const struct canvas *c, struct spot at, size_t start,
                      size_t end) {
    while (end > start && f->bytes[end - 1] == ' ') {
        end--;
    }
    struct pen pen = {.clip = c->area, .row = c->area.row + at.row, .col = c->area.col + at.col};
    while (start < end) {
        unsigned role = f->roles[start] & ROLE_MASK;
        size_t stop = start;
        while (stop < end && (f->roles[stop] & ROLE_MASK) == role &&
               f->links[stop] == f->links[start]) {
            stop++;
        }
        struct rect piece = {pen.row, pen.col, 1, 0};
        pen.role = (enum ui_role)role;
        pen_write(c->grid, &pen, f->bytes + start, stop - start);
        piece.cols = pen.col - piece.col;
        if (f->links[start] != 0) {
            ui_hit_add(c->grid, c->area, piece, UI_HIT_LINK, f->links[start] - 1);
        }
        start = stop;
    }
}

/* Walks the lines; draws them unless `find` is a place in the text, then returns the row of that
 * place. */
static int walk(struct flow *f, const struct canvas *c, struct flow_box box, const size_t *find) {
    seal(f, c->look->words->chinese);
    int rows = 0;
    for (size_t start = 0; start < f->text.length; rows++) {
        int left = rows == 0 ? box.first_col : box.left;
        size_t end = line_end(f, start, box.right - left, &c->grid->rules);
        if (find != NULL && *find < end) {
            return rows;
        }
        if (find == NULL) {
            draw_line(f, c, (struct spot){box.row + rows, left}, start, end);
        }
        start = end;
    }
    return rows;
}

int flow_draw(struct flow *f, const struct canvas *c, struct flow_box box) {
    return walk(f, c, box, NULL);
}

int flow_row_of(struct flow *f, const struct canvas *c, struct flow_box box, size_t offset) {
    return walk(f, c, box, &offset);
}

int flow_draw_text(const struct canvas *c, struct flow_box box, const char *text,
                   enum ui_role role) {
    struct flow f;
    flow_start(&f);
    flow_add(&f, text, role);
    return flow_draw(&f, c, box);
}

int ui_text_draw(struct grid *g, struct rect area, int row, const char *text, enum ui_role role,
                 const struct look *look) {
    struct canvas c = {g, area, look};
    struct flow_box box = {row - area.row, 0, 0, area.cols};
    return flow_draw_text(&c, box, text, role);
}
