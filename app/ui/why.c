/* Why a ledger row is what it is: its formula, the learner's numbers in it, the bytes, what each
 * term means and where it is from. Everything shown was made by the calculator; no explanation is
 * written here. Proof: tests/unit/ui/test_why.c. */
#include <string.h>

#include "flow_private.h"
#include "shardlab/ui/draw.h"
#include "shardlab/view/shape.h"

enum { LEFT = 0, INDENT = 2, MEASURE_MAX = 84, LINE_TEXT_MAX = 512, ID_MAX = 96 };

struct why_pen {
    const struct canvas *canvas;
    int row, right;
};

static void put(struct why_pen *p, int col, const char *text, enum ui_role role) {
    struct flow_box box = {p->row, col, col, p->right};
    p->row += flow_draw_text(p->canvas, box, text, role);
}

/* "= 10,107,623,424 bytes" in the reader's language. */
static void write_bytes(const struct why_pen *p, struct writer *w, uint64_t bytes) {
    struct message m;
    message_start(&m, "view.why.equals");
    message_add_count(&m, bytes);
    words_write(w, p->canvas->look->words, &m);
}

/* The meaning of a term, when the book has one. */
static void put_meaning(struct why_pen *p, const char *term) {
    char id[ID_MAX];
    struct writer w;
    writer_start(&w, id, sizeof id);
    writer_text(&w, term);
    writer_text(&w, ".why");
    const char *text = words_get(p->canvas->look->words, id);
    if (text != id && strcmp(text, id) != 0) {
        put(p, INDENT, text, UI_ROLE_TEXT);
    }
}

static void draw_line(struct why_pen *p, const struct view_line *line) {
    const struct words *words = p->canvas->look->words;
    char text[LINE_TEXT_MAX];
    struct writer w;
    struct flow f;
    flow_start(&f);
    flow_add(&f, words_get(words, line->id), UI_ROLE_STRONG);
    if (line->formula[0] != '\0') {
        flow_add(&f, "  ", UI_ROLE_TEXT);
        flow_add(&f, line->formula, UI_ROLE_CODE);
    }
    p->row += flow_draw(&f, p->canvas, (struct flow_box){p->row, LEFT, INDENT, p->right});

    writer_start(&w, text, sizeof text);
    view_write_grouped(&w, line->substituted);
    writer_text(&w, line->substituted[0] != '\0' ? " " : "");
    write_bytes(p, &w, line->bytes);
    put(p, INDENT, text, UI_ROLE_TEXT);
    put_meaning(p, line->id);
    if (line->source != NULL) {
        put(p, INDENT, line->source, UI_ROLE_DIM);
    }
    p->row++;
}

/* The row itself: name, short formula, amount in the unit and in bytes. */
static void draw_head(struct why_pen *p, const struct view_row *row) {
    const struct words *words = p->canvas->look->words;
    struct view_ledger_cells cells;
    view_ledger_cells(row, words->unit, ui_look_plain(p->canvas->look), &cells);
    char text[LINE_TEXT_MAX];
    struct writer w;
    writer_start(&w, text, sizeof text);
    writer_text(&w, cells.value);
    if (row->known) {
        writer_char(&w, ' ');
        writer_text(&w, units_name(words->unit));
        writer_char(&w, ' ');
        write_bytes(p, &w, row->bytes);
    }
    struct flow f;
    flow_start(&f);
    flow_add(&f, words_get(words, row->label), UI_ROLE_TITLE);
    if (row->formula[0] != '\0') {
        flow_add(&f, "  ", UI_ROLE_TEXT);
        flow_add(&f, row->formula, UI_ROLE_CODE);
    }
    p->row += flow_draw(&f, p->canvas, (struct flow_box){p->row, LEFT, INDENT, p->right});
    put(p, LEFT, text, UI_ROLE_TEXT);
    if (!row->known) {
        put(p, LEFT, words_get(words, "view.why.unknown"), UI_ROLE_TEXT);
    }
    p->row++;
}

int ui_why_draw(struct grid *g, struct rect area, const struct view_ledger *ledger, int row,
                int scroll, const struct look *look) {
    if (row < 0 || row >= ledger->row_count) {
        return 0;
    }
    struct canvas canvas = {g, area, look};
    struct why_pen pen = {.canvas = &canvas, .row = -scroll, .right = area.cols};
    if (pen.right > LEFT + MEASURE_MAX) {
        pen.right = LEFT + MEASURE_MAX;
    }
    const struct view_row *data = &ledger->rows[row];
    draw_head(&pen, data);
    for (int i = 0; i < data->line_count; i++) {
        draw_line(&pen, &ledger->lines[data->first_line + i]);
    }
    if (data->line_count == 0 && data->known) {
        bool total = row == ledger->row_count - 1;
        put(&pen, LEFT, words_get(look->words, total ? "view.why.sum" : "view.why.nothing"),
            UI_ROLE_TEXT);
        pen.row++;
    }
    return pen.row - 1 + scroll;
}
