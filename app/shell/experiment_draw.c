/* The pane above the view: what a page asks and what was said (guess_draw.c), and the experiment: the invitation, the question, what is heard while it runs, and then what was
 * predicted beside what was measured, row by row, with a sign and a word for each and a sentence for all. An answer
 * from before the last move is one line that says so. Draws cells only; the same code measures on a grid without rows.
 * Proof: tests/journeys/test_experiments.c, tests/journeys/test_sweep.c. */
#include <stdio.h>
#include <string.h>

#include "pen_private.h"

enum { LEFT = 2, GAP = 2 };

/* "shardlab allreduce --ranks 4 …": what a person would type. */
static void write_line(const struct app *app, struct writer *w) {
    writer_text(w, "shardlab ");
    writer_text(w, app->experiment.what.line);
}

static void draw_line(struct pen *p) {
    char text[LESSON_LINE_MAX + 16];
    struct writer w;
    writer_start(&w, text, sizeof text);
    write_line(p->app, &w);
    pen_put(p, text, UI_ROLE_CODE);
}

/* A sentence about a command line. */
static void say_line(struct pen *p, const char *id, const char *line, enum ui_role role) {
    char text[LESSON_LINE_MAX + 16];
    struct message m;
    (void)snprintf(text, sizeof text, "shardlab %s", line);
    message_start(&m, id);
    message_add_text(&m, text);
    pen_say(p, &m, role);
}

/* --- The comparison --- */

struct columns {
    int label, value; /* widths; both values have the same */
    int sign;         /* of the sign and its word */
    bool worded;
};

static const char *sign_of(const struct app *app, enum app_verdict verdict) {
    static const enum ui_glyph glyphs[] = {UI_GLYPH_EQUAL, UI_GLYPH_WITHIN, UI_GLYPH_DIFFERS};
    return ui_glyph(&app->look, glyphs[verdict]);
}

static const char *word_of(const struct pen *p, enum app_verdict verdict) {
    static const char *const ids[] = {"view.experiment.equal", "view.experiment.within",
                                      "view.experiment.differs"};
    return pen_words(p, ids[verdict]);
}

/* Of an element of a list, as the answer calls it; NULL: it has a number only. */
static const char *name_of(const struct app_experiment *e, int element) {
    char path[64];
    if (e->what.names == NULL || element < 0) {
        return NULL;
    }
    (void)snprintf(path, sizeof path, "%s[%d]", e->what.names, element);
    const struct field *name = record_find(store_answer_record(e->answer), path);
    return name != NULL && name->kind == FIELD_TEXT ? name->text : NULL;
}

static void write_label(const struct app *app, const struct app_row *row, char *text) {
    const char *name = name_of(&app->experiment, row->element);
    struct message m;
    message_start(&m, row->value->label);
    if (name != NULL) {
        message_add_text(&m, name);
    } else {
        message_add_plain(&m, row->element > 0 ? (uint64_t)row->element : 0);
    }
    app_say(app, &m, text, PEN_VALUE_MAX);
}

static void write_value(const struct app *app, const struct app_row *row, const struct field *field,
                        char *text) {
    struct writer w;
    writer_start(&w, text, PEN_VALUE_MAX);
    app_experiment_value_write(&w, app, field, row->value->unit);
}

static int wider(const struct pen *p, int width, const char *text) {
    int cols = width_text(text, &p->grid->rules);
    return cols > width ? cols : width;
}

static struct columns columns_of(const struct pen *p) {
    const struct app_experiment *e = &p->app->experiment;
    struct columns c = {0, 0, 0, true};
    char text[PEN_VALUE_MAX];
    c.value = wider(p, c.value, pen_words(p, "view.experiment.predicted"));
    c.value = wider(p, c.value, pen_words(p, "view.experiment.measured"));
    for (int i = 0; i < e->row_count; i++) {
        const struct app_row *row = &e->compared[i];
        write_label(p->app, row, text);
        c.label = wider(p, c.label, text);
        write_value(p->app, row, row->predicted, text);
        c.value = wider(p, c.value, text);
        write_value(p->app, row, row->measured, text);
        c.value = wider(p, c.value, text);
    }
    for (int v = APP_VERDICT_EQUAL; v <= APP_VERDICT_DIFFERS; v++) {
        c.sign = wider(p, c.sign, word_of(p, (enum app_verdict)v));
    }
    c.sign += 3; /* "!= " */
    int room = p->area.cols - 2 * (GAP + c.value) - GAP - c.sign;
    if (room < c.label) { /* the word goes first, then letters of the label */
        c.worded = false;
        room += c.sign - 2;
        c.sign = 2;
    }
    c.label = room < c.label ? room > 0 ? room : 0 : c.label;
    return c;
}

static void draw_head(struct pen *p, const struct columns *c) {
    int end = p->area.col + c->label + GAP + c->value;
    grid_put_right(p->grid, p->area, p->row, end, pen_words(p, "view.experiment.predicted"),
                   UI_ROLE_DIM);
    grid_put_right(p->grid, p->area, p->row, end + GAP + c->value,
                   pen_words(p, "view.experiment.measured"), UI_ROLE_DIM);
    p->row++;
}

static void draw_row(struct pen *p, const struct columns *c, const struct app_row *row) {
    char text[PEN_VALUE_MAX];
    int end = p->area.col + c->label + GAP + c->value;
    bool differs = row->verdict == APP_VERDICT_DIFFERS;
    enum ui_role role = differs ? UI_ROLE_WARNING : UI_ROLE_GOOD;
    write_label(p->app, row, text);
    grid_put_cut(p->grid, p->area, p->row, p->area.col, text, UI_ROLE_TEXT, c->label);
    write_value(p->app, row, row->predicted, text);
    grid_put_right(p->grid, p->area, p->row, end, text, UI_ROLE_TEXT);
    write_value(p->app, row, row->measured, text);
    end += GAP + c->value;
    grid_put_right(p->grid, p->area, p->row, end, text, differs ? UI_ROLE_WARNING : UI_ROLE_TEXT);
    int at = grid_put(p->grid, p->area, p->row, end + GAP, sign_of(p->app, row->verdict), role);
    if (c->worded) {
        grid_put(p->grid, p->area, p->row, at + 1, word_of(p, row->verdict), role);
    }
    p->row++;
}

/* "… 12 more, all equal", or which of them differs first. */
static void draw_left_out(struct pen *p, int first, int end) {
    char label[PEN_VALUE_MAX];
    const struct app_row *where = NULL;
    struct message m;
    int differ = app_experiment_differ(&p->app->experiment, first, end, &where);
    message_start(&m, differ > 0 ? "view.experiment.more_differ" : "view.experiment.more_equal");
    message_add_plain(&m, (uint64_t)(end - first));
    if (differ > 0) {
        write_label(p->app, where, label);
        message_add_plain(&m, (uint64_t)differ);
        message_add_text(&m, label);
    }
    char text[PEN_TEXT_MAX];
    app_say(p->app, &m, text, sizeof text);
    grid_put_cut(p->grid, p->area, p->row++, p->area.col, text,
                 differ > 0 ? UI_ROLE_WARNING : UI_ROLE_DIM, p->area.cols);
}

/* At most `room` rows: all, or the first ones, how the others are, and the last one. */
static void draw_rows(struct pen *p, int room) {
    const struct app_experiment *e = &p->app->experiment;
    struct columns c = columns_of(p);
    int head = e->row_count <= room ? e->row_count : room - 2;
    if (e->row_count == 0) {
        return;
    }
    draw_head(p, &c);
    for (int i = 0; i < head; i++) {
        draw_row(p, &c, &e->compared[i]);
    }
    if (head < e->row_count) {
        draw_left_out(p, head, e->row_count - 1);
        draw_row(p, &c, &e->compared[e->row_count - 1]);
    }
}

/* --- What is said below --- */

static void draw_verdict(struct pen *p) {
    const struct app_experiment *e = &p->app->experiment;
    int differ = app_experiment_differ(e, 0, e->row_count, NULL);
    bool good = differ == 0 && app_experiment_matches(e);
    char text[PEN_TEXT_MAX];
    struct writer w;
    struct message m;
    message_start(&m, good         ? "view.experiment.match"
                      : differ > 0 ? "view.experiment.no_match"
                                   : "view.experiment.no_match_elsewhere");
    if (differ > 0) {
        message_add_plain(&m, (uint64_t)differ);
        message_add_plain(&m, (uint64_t)e->row_count);
    }
    writer_start(&w, text, sizeof text);
    writer_text(&w, sign_of(p->app, good ? APP_VERDICT_EQUAL : APP_VERDICT_DIFFERS));
    writer_char(&w, ' ');
    words_write(&w, p->app->look.words, &m);
    pen_put(p, text, good ? UI_ROLE_GOOD : UI_ROLE_WARNING);
}

/* "time 0.41 ms · bus bandwidth 3.60 GB/s" */
static void draw_facts(struct pen *p) {
    const struct app_experiment *e = &p->app->experiment;
    char text[PEN_TEXT_MAX];
    struct writer w;
    writer_start(&w, text, sizeof text);
    for (int i = 0; i < e->what.fact_count; i++) {
        const struct lesson_value *fact = &e->what.facts[i];
        char value[PEN_VALUE_MAX];
        struct writer v;
        struct message m;
        const struct field *f = record_find(store_answer_record(e->answer), fact->key);
        writer_start(&v, value, sizeof value);
        app_experiment_value_write(&v, p->app, f, fact->unit);
        message_start(&m, fact->label);
        message_add_text(&m, value);
        writer_text(&w, i == 0 ? "" : p->app->look.ascii ? " | " : " · ");
        words_write(&w, p->app->look.words, &m);
    }
    pen_put(p, text, UI_ROLE_DIM);
}

static void draw_guess(struct pen *p) {
    const struct app_experiment *e = &p->app->experiment;
    if (e->guess >= 0) {
        pen_outcome(p, &e->what.guess, e->guess);
    }
}

/* --- States --- */

/* A pane that cannot show the table whole says the main thing first and is scrolled. */
static void draw_done(struct pen *p) {
    enum { ROWS_WANTED = 8 };
    int count = p->app->experiment.row_count;
    int wanted = count < ROWS_WANTED ? count : ROWS_WANTED;
    struct grid nowhere = {.rules = p->grid->rules};
    struct pen rest = {p->app, &nowhere, {0, 0, 0, p->area.cols}, 1, 0}; /* 1: the headings */
    draw_guess(&rest);
    draw_verdict(&rest);
    draw_facts(&rest);
    draw_line(&rest);
    int room = p->area.rows - (p->row - p->first) - rest.row;
    bool low = room < wanted;
    if (low) {
        draw_verdict(p);
    }
    draw_guess(p);
    draw_rows(p, low ? wanted : room);
    if (!low) {
        draw_verdict(p);
    }
    draw_facts(p);
    draw_line(p);
}

static void draw_running(struct pen *p) {
    const struct app_experiment *e = &p->app->experiment;
    struct message m;
    message_start(&m, e->events == 0 ? "view.experiment.running" : "view.experiment.events");
    if (e->events > 0) {
        message_add_count(&m, e->events);
        message_add_text(&m, e->last_event);
    }
    pen_say(p, &m, UI_ROLE_ACCENT);
    draw_line(p);
}

static void draw_question(struct pen *p) {
    pen_question(p, &p->app->experiment.what.guess, p->app->guesses.marked);
    pen_put(p, pen_words(p, "view.experiment.guess_how"), UI_ROLE_DIM);
}

static void draw_failure(struct pen *p) {
    const struct app_experiment *e = &p->app->experiment;
    if (e->said[0] != '\0') {
        pen_put(p, e->said, UI_ROLE_WARNING);
    }
    pen_say(p, &e->failure, e->said[0] != '\0' ? UI_ROLE_DIM : UI_ROLE_WARNING);
    draw_line(p);
}

/* The experiment that belongs to what is on the screen. */
static void draw_current(struct pen *p) {
    pen_put(p, pen_words(p, p->app->experiment.what.title), UI_ROLE_STRONG);
    switch (p->app->experiment.state) {
    case APP_EXPERIMENT_ASKED:
        draw_question(p);
        break;
    case APP_EXPERIMENT_RUNNING:
        draw_running(p);
        break;
    case APP_EXPERIMENT_DONE:
        draw_done(p);
        break;
    case APP_EXPERIMENT_FAILED:
        draw_failure(p);
        break;
    case APP_EXPERIMENT_CANCELLED:
        pen_put(p, pen_words(p, "view.experiment.cancelled"), UI_ROLE_DIM);
        break;
    case APP_EXPERIMENT_NONE:
        break;
    }
}

static void draw_other(struct pen *p) {
    const struct app_experiment *e = &p->app->experiment;
    struct lesson_experiment offer;
    bool offered = app_experiment_offer(p->app, &offer);
    if (e->state == APP_EXPERIMENT_RUNNING) {
        say_line(p, "view.experiment.running_other", e->what.line, UI_ROLE_ACCENT);
    } else if (offered && e->state >= APP_EXPERIMENT_DONE && e->lesson == p->app->lesson &&
               e->page == p->app->page) {
        say_line(p, "view.experiment.old", e->what.line, UI_ROLE_DIM);
    } else if (offered) {
        say_line(p, "view.experiment.invite", offer.line, UI_ROLE_DIM);
    }
}

/* Returns the rows of the whole. */
static int draw_from(struct pen *p) {
    if (pen_page_question(p)) {
        if (p->app->experiment.state == APP_EXPERIMENT_RUNNING) {
            draw_other(p);
        }
        return p->row - p->first;
    }
    pen_page_outcome(p);
    if (app_experiment_current(p->app)) {
        draw_current(p);
    } else {
        draw_other(p);
    }
    return p->row - p->first;
}

int app_experiment_draw(struct app *app, struct grid *g, struct rect area) {
    struct rect inner = {area.row, area.col + LEFT, area.rows, area.cols - LEFT - 1};
    struct app_experiment *e = &app->experiment;
    if (inner.cols < 1) {
        return 0;
    }
    int first = area.row - e->scroll;
    int rows = draw_from(&(struct pen){app, g, inner, first, first});
    if (g->rows > 0) { /* measuring is not seeing */
        e->rows = rows;
        e->visible = area.rows;
        if (e->scroll > 0 &&
            e->scroll > rows - area.rows) { /* the pane grew: once more from there */
            e->scroll = rows > area.rows ? rows - area.rows : 0;
            return app_experiment_draw(app, g, area);
        }
    }
    return rows < area.rows ? rows : area.rows;
}

bool app_experiment_scroll(struct app *app, int step) {
    struct app_experiment *e = &app->experiment;
    int next = e->scroll + step;
    if (next < 0 || next > e->rows - e->visible) {
        return false;
    }
    e->scroll = next;
    return true;
}
