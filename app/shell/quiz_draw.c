/* A question on the screen: its words with its numbers, and what is to be done about it by its kind. Everything is one
 * column of text that scrolls where it does not fit, with the focus in sight. What follows once it is judged is
 * quiz_feedback.c. Draws cells only. Proof: tests/golden/test_screens.c, tests/journeys/test_quiz.c. */
#include <string.h>

#include "quiz_private.h"
#include "shardlab/view/width.h"

enum { TEXT_MAX = 2048, MEASURE = 88, SIGN_COLS = 5, BOX_COLS = 6 };

void app_quiz_put_in(struct pen *p, int indent, const char *text, enum ui_role role) {
    struct rect area = p->area;
    indent = indent < area.cols ? indent : area.cols - 1;
    area.col += indent;
    area.cols -= indent;
    p->row += ui_text_draw(p->grid, area, p->row, text, role, &p->app->look);
}

void app_quiz_expand(const struct app *app, const char *const text[2], const char *blank, char *out,
                     size_t capacity) {
    struct writer w;
    writer_start(&w, out, capacity);
    if (text[app->language] != NULL) {
        instance_expand(&w, &app->quiz->attempt.numbers, text[app->language], blank);
    }
}

void app_quiz_letter(int place, char out[4]) {
    out[0] = (char)('a' + place);
    out[1] = '\0';
}

/* --- The pane --- */

/* A sentence in the status row that is longer than it takes rows of the body: what would be right comes last in it. */
static void make_room(const struct app *app, const struct width_rules *rules,
                      struct ui_page_layout *l) {
    enum { BODY_LEAST = 3 };
    int more = app_status_rows(app, rules, l->status.cols) - 1;
    int most = l->body.rows - BODY_LEAST;
    more = more < most ? more : most;
    if (more > 0) {
        l->body.rows -= more;
        l->rule_bottom.row -= more;
        l->status.row -= more;
        l->status.rows += more;
    }
}

void app_quiz_pane_draw(struct app *app, struct grid *g, struct quiz_scroll *s, const char *title,
                        quiz_writer write) {
    struct ui_page_layout l = ui_page_layout(g->rows, g->cols);
    if (l.too_small) {
        ui_notice_draw(g, l.notice, &app->look);
        return;
    }
    make_room(app, &g->rules, &l);
    app_header_draw(app, g, l.header, title);
    app_rule_draw(app, g, l.rule_top);
    app_rule_draw(app, g, l.rule_bottom);
    int margin = l.body.cols >= 70 ? 2 : 1;
    int width = l.body.cols - 2 * margin;
    int top = l.body.rows >= 16 ? 1 : 0;
    struct rect area = {l.body.row + top, l.body.col + margin, l.body.rows - top,
                        width < MEASURE ? width : MEASURE};
    struct grid nowhere = {.rules = g->rules};
    struct pen measure = {app, &nowhere, {0, 0, 0, area.cols}, 0, 0};
    int focus = write(&measure);
    s->rows = measure.row;
    s->visible = area.rows;
    s->at = ui_scroll_follow(s->at, area.rows, s->rows, s->follow ? focus : -1);
    struct pen pen = {app, g, area, area.row - s->at, area.row - s->at};
    (void)write(&pen);
    if (s->at + area.rows < s->rows) {
        grid_put_right(g, l.rule_bottom, l.rule_bottom.row, l.rule_bottom.cols - 1,
                       words_get(app->look.words, "sitting.more"), UI_ROLE_DIM);
    }
    app_status_draw(app, g, l.status);
    struct ui_keys keys = app_keys(app, app->screen);
    ui_hints_draw(g, l.hints, &keys, &app->look);
}

/* --- The parts of a question --- */

/* "› a  words", as a whole to be clicked. */
static void put_item(struct pen *p, int place, const char *sign, const char *text, bool here) {
    int first = p->row;
    enum ui_role role = here ? UI_ROLE_CURSOR : UI_ROLE_TEXT;
    if (here) {
        grid_put(p->grid, p->area, p->row, p->area.col, ui_glyph(&p->app->look, UI_GLYPH_POINTER),
                 UI_ROLE_ACCENT);
        p->grid->cursor_row = p->row;
        p->grid->cursor_col = p->area.col;
    }
    grid_put(p->grid, p->area, p->row, p->area.col + 2, sign, UI_ROLE_KEY);
    app_quiz_put_in(p, sign[1] == '\0' ? SIGN_COLS : BOX_COLS, text, role);
    p->row += p->row == first ? 1 : 0;
    ui_hit_add(p->grid, p->area, (struct rect){first, p->area.col, p->row - first, p->area.cols},
               UI_HIT_ITEM, place);
}

static int put_choice(struct pen *p) {
    const struct attempt *a = &p->app->quiz->attempt;
    int focus = p->row;
    for (int i = 0; i < a->question->part_count; i++) {
        char text[TEXT_MAX], letter[4];
        bool here = p->app->quiz->touched && i == a->mark;
        app_quiz_letter(i, letter);
        app_quiz_expand(p->app, a->question->parts[a->shown[i]].text, "", text, sizeof text);
        put_item(p, i, letter, text, here);
        focus = here ? p->row - 1 : focus;
    }
    return p->app->quiz->touched ? focus : -1;
}

static int put_order(struct pen *p) {
    const struct attempt *a = &p->app->quiz->attempt;
    int focus = -1;
    for (int i = 0; i < a->question->part_count; i++) {
        char text[TEXT_MAX], words[TEXT_MAX];
        char number[2] = {(char)('1' + i), '\0'};
        bool here = i == a->mark;
        struct writer w;
        writer_start(&w, text, sizeof text);
        app_quiz_expand(p->app, a->question->parts[a->shown[i]].text, "", words, sizeof words);
        writer_text(&w, here && a->held ? "[ " : "");
        writer_text(&w, words);
        writer_text(&w, here && a->held ? " ]" : "");
        put_item(p, i, number, text, here);
        focus = here ? p->row - 1 : focus;
    }
    return focus;
}

/* Whether the words name the unit behind the blank themselves. */
static bool names_unit(const char *text, const char *unit) {
    static const char blank[] = "{{?}}";
    const char *at = strstr(text, blank);
    if (at == NULL || unit[0] == '\0') {
        return false;
    }
    at += strlen(blank);
    at += strspn(at, " ");
    return strncmp(at, unit, strlen(unit)) == 0;
}

/* The right value, without a unit that the words have. */
void app_quiz_blank_value(const struct attempt *a, int blank, const char *text, struct writer *w) {
    const struct instance_key *key = &a->numbers.keys[blank];
    size_t unit = strlen(key->unit);
    instance_value_write(w, key->kind, key->unit, key->right);
    if (names_unit(text, key->unit) && w->length > unit &&
        strcmp(w->bytes + w->length - unit, key->unit) == 0) {
        w->length -= unit;
        while (w->length > 0 && w->bytes[w->length - 1] == ' ') {
            w->length--;
        }
        w->bytes[w->length] = '\0';
    }
}

/* What is typed, or a line to type on; with the unit in which it counts, unless `text` has it (NULL: it has not). */
static void write_blank(const struct attempt *a, int blank, const char *text, struct writer *w) {
    const char *typed = a->typed[blank];
    const char *unit = a->numbers.keys[blank].unit;
    writer_text(w, "[");
    writer_text(w, typed[0] != '\0' ? typed : "____");
    writer_text(w, "]");
    if (unit[0] != '\0' && (text == NULL || !names_unit(text, unit))) {
        writer_char(w, ' ');
        writer_text(w, unit);
    }
}

static int put_number(struct pen *p) {
    const struct attempt *a = &p->app->quiz->attempt;
    char text[ATTEMPT_TYPED_MAX + 32];
    struct writer w;
    int col = grid_put(p->grid, p->area, p->row, p->area.col, pen_words(p, "sitting.answer"),
                       UI_ROLE_STRONG);
    writer_start(&w, text, sizeof text);
    write_blank(a, 0, NULL, &w);
    grid_put_cut(p->grid, p->area, p->row, col, text, UI_ROLE_CURSOR,
                 p->area.col + p->area.cols - col);
    p->grid->cursor_row = p->row;
    p->grid->cursor_col = col + 1 + width_text(a->typed[0], &p->grid->rules);
    return p->row++;
}

static int put_derive(struct pen *p) {
    const struct attempt *a = &p->app->quiz->attempt;
    int focus = -1;
    for (int i = 0; i < a->question->part_count; i++) {
        char text[TEXT_MAX], blank[ATTEMPT_TYPED_MAX + 32];
        char number[2] = {(char)('1' + i), '\0'};
        struct writer w;
        bool here = i == a->mark;
        writer_start(&w, blank, sizeof blank);
        const char *words = a->question->parts[i].text[p->app->language];
        if (i < a->first_blank) {
            app_quiz_blank_value(a, i, words, &w);
        } else {
            write_blank(a, i, words, &w);
        }
        app_quiz_expand(p->app, a->question->parts[i].text, blank, text, sizeof text);
        put_item(p, i, number, text, here);
        focus = here ? p->row - 1 : focus;
    }
    return focus;
}

/* "0:42", of a clock that is only looked at. */
static void write_clock(struct writer *w, int64_t ms) {
    uint64_t seconds = ms > 0 ? (uint64_t)ms / 1000 : 0;
    writer_u64(w, seconds / 60);
    writer_text(w, seconds % 60 < 10 ? ":0" : ":");
    writer_u64(w, seconds % 60);
}

static int put_recall(struct pen *p) {
    const struct app_quiz *q = p->app->quiz;
    const struct attempt *a = &q->attempt;
    char clock[32];
    struct writer w;
    writer_start(&w, clock, sizeof clock);
    write_clock(&w, app_quiz_now(p->app).ms - q->shown_ms);
    grid_put_right(p->grid, p->area, p->row, p->area.col + p->area.cols, clock, UI_ROLE_DIM);
    struct rect line = p->area;
    line.cols -= 7;
    int row = p->row;
    p->row += ui_text_draw(p->grid, line, p->row, pen_words(p, "sitting.aloud"), UI_ROLE_DIM,
                           &p->app->look);
    p->row += p->row == row ? 1 : 0;
    int first = p->row;
    char text[ATTEMPT_TYPED_MAX + 8];
    writer_start(&w, text, sizeof text);
    writer_text(&w, "> ");
    writer_text(&w, a->typed[0]);
    writer_text(&w, "_");
    pen_put(p, text, UI_ROLE_CURSOR);
    p->grid->cursor_row = first;
    p->grid->cursor_col = p->area.col + 2;
    return p->row - 1;
}

/* The facts, to be ticked. */
static int put_facts(struct pen *p) {
    const struct attempt *a = &p->app->quiz->attempt;
    int focus = -1;
    if (a->typed[0][0] != '\0') {
        pen_put(p, a->typed[0], UI_ROLE_DIM);
        p->row++;
    }
    for (int i = 0; i < a->question->part_count; i++) {
        char text[TEXT_MAX];
        bool here = i == a->mark;
        app_quiz_expand(p->app, a->question->parts[i].text, "", text, sizeof text);
        put_item(p, i, a->ticked[i] ? "[x]" : "[ ]", text, here);
        focus = here ? p->row - 1 : focus;
    }
    return focus;
}

static void put_hints(struct pen *p) {
    const struct attempt *a = &p->app->quiz->attempt;
    for (int i = 0; i < a->hints; i++) {
        char text[TEXT_MAX], line[TEXT_MAX + 32];
        struct writer w;
        app_quiz_expand(p->app, a->question->hints[i], "", text, sizeof text);
        writer_start(&w, line, sizeof line);
        writer_text(&w, pen_words(p, "sitting.hint"));
        writer_text(&w, text);
        pen_put(p, line, UI_ROLE_EMPHASIS);
    }
}

/* What Enter does, in words, since it differs from kind to kind. */
static const char *how_of(const struct attempt *a) {
    if (a->state == ATTEMPT_REVEALED) {
        return "sitting.how.facts";
    }
    switch (a->question->kind) {
    case QUESTION_CHOICE:
        return "sitting.how.choice";
    case QUESTION_NUMBER:
        return a->numbers.keys[0].unit[0] != '\0' ? "sitting.how.number" : "sitting.how.count";
    case QUESTION_ORDER:
        return a->held ? "sitting.how.held" : "sitting.how.order";
    case QUESTION_DERIVE:
        return "sitting.how.derive";
    default:
        return "sitting.how.recall";
    }
}

static int put_parts(struct pen *p) {
    const struct attempt *a = &p->app->quiz->attempt;
    if (a->state == ATTEMPT_REVEALED) {
        return put_facts(p);
    }
    switch (a->question->kind) {
    case QUESTION_CHOICE:
        return put_choice(p);
    case QUESTION_NUMBER:
        return put_number(p);
    case QUESTION_ORDER:
        return put_order(p);
    case QUESTION_DERIVE:
        return put_derive(p);
    default:
        return put_recall(p);
    }
}

/* Rows from the text's beginning. */
static int write_question(struct pen *p) {
    const struct attempt *a = &p->app->quiz->attempt;
    bool judged = a->state == ATTEMPT_JUDGED;
    char stem[TEXT_MAX];
    app_quiz_expand(p->app, a->question->stem, "", stem, sizeof stem);
    pen_put(p, stem, judged ? UI_ROLE_DIM : UI_ROLE_STRONG);
    p->row++;
    if (judged) {
        int verdict = p->row - p->first;
        app_quiz_feedback_write(p);
        return verdict;
    }
    int focus = put_parts(p);
    if (a->hints > 0) {
        p->row++;
        put_hints(p);
        focus = a->state == ATTEMPT_ASKED && a->question->kind == QUESTION_CHOICE &&
                        !p->app->quiz->touched
                    ? p->row - 1
                    : focus;
    }
    p->row++;
    pen_put(p, pen_words(p, how_of(a)), UI_ROLE_DIM);
    return focus < 0 ? focus : focus - p->first;
}

/* "Memory · 3/12". */
static void write_title(const struct app *app, const struct grid *g, struct writer *w) {
    const struct app_quiz *q = app->quiz;
    char id[96];
    struct writer name;
    if (q->way == QUIZ_MOCK) {
        app_quiz_mock_title(app, g, w);
        return;
    }
    writer_start(&name, id, sizeof id);
    writer_text(&name, "lesson.");
    writer_text(&name, q->attempt.question->lesson);
    writer_text(&name, ".title");
    writer_u64(w, (uint64_t)q->sitting.at + 1);
    writer_char(w, '/');
    writer_u64(w, (uint64_t)q->sitting.count);
    writer_text(w, "  ");
    writer_text(w, words_get(app->look.words, id));
    if (sitting_now(&q->sitting) != NULL && sitting_now(&q->sitting)->again) {
        writer_text(w, words_get(app->look.words, "sitting.once_more"));
    }
}

void app_quiz_draw(struct app *app, struct grid *g) {
    struct app_quiz *q = app->quiz;
    char title[192];
    struct writer w;
    writer_start(&w, title, sizeof title);
    write_title(app, g, &w);
    if (q->attempt.state == ATTEMPT_JUDGED && q->pane.follow) {
        struct quiz_scroll *s = &q->pane;
        s->at = 1 << 16; /* from below, so that the verdict comes to the top */
        app_quiz_pane_draw(app, g, s, title, write_question);
        s->follow = false;
        return;
    }
    app_quiz_pane_draw(app, g, &q->pane, title, write_question);
}
