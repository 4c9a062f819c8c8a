/* Drawing a table of mixed columns with a pen: headings, rows, a rule above the total, what is left out, notes. Where
 * things stand is table.c's. Proof: tests/unit/view/test_table.c. */
#include <string.h>

#include "shardlab/view/shape.h"
#include "table_private.h"

/* A text in its place: names to the left and cut, numbers with `fraction` columns behind their point. */
static void put_cell(const struct view_pen *pen, int row, const struct table_place *place,
                     const char *text, enum view_tone tone) {
    char cut[TABLE_TEXT_MAX];
    struct writer w;
    int cols = width_text(text, &pen->rules);
    if (place->left && cols > place->cols) {
        writer_start(&w, cut, sizeof cut);
        width_write_left(&w, text, place->cols, &pen->rules);
        pen->put(pen->context, row, place->col, cut, tone);
        return;
    }
    const char *point = strchr(text, '.');
    int behind = point != NULL && place->fraction > 0 ? (int)strlen(point) : 0;
    int shift = place->left ? 0 : place->cols - cols - (place->fraction - behind);
    pen->put(pen->context, row, place->col + shift, text, tone);
}

static void paint_heads(const struct view_pen *pen, int row, const struct view_table *t,
                        const struct table_plan *plan) {
    for (int i = 0; i < t->col_count; i++) {
        if (plan->place[i].shown) {
            char text[TABLE_TEXT_MAX];
            struct writer w;
            writer_start(&w, text, sizeof text);
            table_head_write(pen, t, i, &w);
            struct table_place head = plan->place[i];
            head.fraction = 0; /* headings end where the numbers do */
            put_cell(pen, row, &head, text, VIEW_TONE_DIM);
        }
    }
}

static void paint_row(const struct view_pen *pen, int row, const struct view_table *t,
                      const struct table_plan *plan, int index) {
    bool total = t->has_total && index == t->row_count - 1;
    enum view_tone tone = index == t->current ? VIEW_TONE_CURSOR
                          : total             ? VIEW_TONE_STRONG
                                              : VIEW_TONE_TEXT;
    char text[TABLE_TEXT_MAX];
    struct writer w;
    if (t->numbered && !total) {
        writer_start(&w, text, sizeof text);
        writer_u64(&w, t->first_number + (uint64_t)index);
        int col = plan->number_cols - TABLE_GAP - width_text(text, &pen->rules);
        pen->put(pen->context, row, col, text, index == t->current ? tone : VIEW_TONE_DIM);
    }
    for (int i = 0; i < t->col_count; i++) {
        if (plan->place[i].shown) {
            writer_start(&w, text, sizeof text);
            table_cell_write(pen, t, index, i, &w);
            put_cell(pen, row, &plan->place[i], text, tone);
        }
    }
}

/* "not shown at this width: link, time, cp 1": with its value what all rows have alike. */
static int say_left_out(const struct view_pen *pen, int row, const struct view_table *t,
                        const struct table_plan *plan) {
    char names[MESSAGE_TEXT_MAX];
    struct writer w;
    bool any = false;
    writer_start(&w, names, sizeof names);
    for (int i = 0; i < t->col_count; i++) {
        if (!plan->place[i].shown) {
            const struct view_table_col *col = &t->cols[i];
            writer_text(&w, any ? (pen->words->chinese ? "、" : ", ") : "");
            writer_text(&w, col->label != NULL ? words_get(pen->words, col->label) : col->key);
            if (table_col_is_same(t, i)) {
                writer_char(&w, ' ');
                table_cell_write(pen, t, 0, i, &w);
            }
            any = true;
        }
    }
    struct message m;
    message_start(&m, any ? "view.table.left_out" : NULL);
    message_add_text(&m, names);
    return view_say(pen, row, &m, VIEW_TONE_DIM);
}

/* A note, with the number of its row where rows have numbers. */
static int say_note(const struct view_pen *pen, int row, const struct view_table *t,
                    const struct view_table_note *note) {
    if (!t->numbered || note->row < 0 || note->text.id == NULL) {
        return view_say(pen, row, &note->text, VIEW_TONE_TEXT);
    }
    char text[VIEW_SENTENCE_MAX];
    struct writer w;
    writer_start(&w, text, sizeof text);
    writer_u64(&w, t->first_number + (uint64_t)note->row);
    writer_text(&w, pen->words->chinese ? "：" : ": ");
    words_write(&w, pen->words, &note->text);
    return pen->say(pen->context, row, text, VIEW_TONE_TEXT);
}

int view_table_paint(const struct view_pen *pen, int row, const struct view_table *t) {
    struct table_plan plan = table_plan_of(pen, t);
    int first = row;
    row += view_say(pen, row, &t->title, VIEW_TONE_STRONG);
    paint_heads(pen, row++, t, &plan);
    for (int i = 0; i < t->row_count; i++) {
        if (t->has_total && i == t->row_count - 1 && i > 0) {
            for (int col = 0; col < plan.end && col < pen->cols; col++) {
                pen->put(pen->context, row, col, pen->ascii ? "-" : "─", VIEW_TONE_LINE);
            }
            row++;
        }
        paint_row(pen, row++, t, &plan, i);
    }
    struct message more;
    message_start(&more, t->more > 0 ? "view.table.more" : NULL);
    message_add_count(&more, t->more);
    row += view_say(pen, row, &more, VIEW_TONE_DIM);
    row += say_left_out(pen, row, t, &plan);
    for (int i = 0; i < t->note_count; i++) {
        row += say_note(pen, row, t, &t->notes[i]);
    }
    return row - first;
}
