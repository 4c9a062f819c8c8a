/* A question before a result, and what was said to it, as lines of the pane above a picture. While a page asks, these
 * lines are all that the pane shows. Once it is answered they stand above the picture: in full right after the answer
 * and wherever there is room, else in two lines that `s` spreads out again. Draws cells only.
 * Proof: tests/journeys/test_guess.c, tests/golden/test_screens.c. */
#include <string.h>

#include "pen_private.h"

/* The lowest pane in which two lines leave a picture room to be one. */
enum { BRIEF_PANE_MIN = 5 };

const char *pen_words(const struct pen *p, const char *id) {
    return words_get(p->app->look.words, id);
}

void pen_put(struct pen *p, const char *text, enum ui_role role) {
    p->row += ui_text_draw(p->grid, p->area, p->row, text, role, &p->app->look);
}

void pen_say(struct pen *p, const struct message *m, enum ui_role role) {
    char text[PEN_TEXT_MAX];
    app_say(p->app, m, text, sizeof text);
    pen_put(p, text, role);
}

void pen_question(struct pen *p, const struct lesson_guess *g, int marked) {
    enum { INDENT = 5 }; /* "› 1  " */
    pen_say(p, &g->question, UI_ROLE_TEXT);
    for (int i = 0; i < g->choice_count; i++) {
        char text[PEN_TEXT_MAX];
        char key[2] = {(char)('1' + i), '\0'};
        bool here = i == marked;
        struct rect under = {p->area.row, p->area.col + INDENT, p->area.rows,
                             p->area.cols > INDENT ? p->area.cols - INDENT : 0};
        int first = p->row;
        if (here) {
            grid_put(p->grid, p->area, p->row, p->area.col,
                     ui_glyph(&p->app->look, UI_GLYPH_POINTER), UI_ROLE_ACCENT);
        }
        grid_put(p->grid, p->area, p->row, p->area.col + 2, key, UI_ROLE_KEY);
        app_say(p->app, &g->choices[i], text, sizeof text);
        int rows = ui_text_draw(p->grid, under, p->row, text, here ? UI_ROLE_CURSOR : UI_ROLE_TEXT,
                                &p->app->look);
        p->row += rows > 0 ? rows : 1;
        struct rect all = {first, p->area.col, p->row - first, p->area.cols};
        ui_hit_add(p->grid, p->area, all, UI_HIT_ACTION, (int)UI_ACTION_GUESS_1 + i);
    }
}

/* --- The answer --- */

static void add_choice(struct message *m, const struct app *app, const struct lesson_guess *g,
                       int choice) {
    char text[MESSAGE_TEXT_MAX];
    app_say(app, &g->choices[choice], text, sizeof text);
    message_add_text(m, text);
}

/* "You said 2 MB; it is 1.5 MB." */
static void verdict(const struct app *app, const struct lesson_guess *g, int choice,
                    struct message *m) {
    bool right = choice == g->right;
    message_start(m, right ? "view.experiment.guess_right" : "view.experiment.guess_wrong");
    add_choice(m, app, g, choice);
    if (!right) {
        add_choice(m, app, g, g->right);
    }
}

static enum ui_role role_of(const struct lesson_guess *g, int choice) {
    return choice == g->right ? UI_ROLE_GOOD : UI_ROLE_STRONG;
}

/* "2 MB: that is the limit for many ranks"; "" where the lesson says nothing. */
static void reason(const struct app *app, const struct lesson_guess *g, int choice,
                   char text[PEN_TEXT_MAX]) {
    struct writer w;
    writer_start(&w, text, PEN_TEXT_MAX);
    if (g->why[choice].id != NULL) {
        words_write(&w, app->look.words, &g->choices[choice]);
        writer_text(&w, words_get(app->look.words, "view.guess.colon"));
        words_write(&w, app->look.words, &g->why[choice]);
    }
}

static void put_reason(struct pen *p, const struct lesson_guess *g, int choice) {
    char text[PEN_TEXT_MAX];
    reason(p->app, g, choice, text);
    if (text[0] != '\0') {
        pen_put(p, text, UI_ROLE_TEXT);
    }
}

void pen_outcome(struct pen *p, const struct lesson_guess *g, int choice) {
    struct message m;
    verdict(p->app, g, choice, &m);
    pen_say(p, &m, role_of(g, choice));
    if (choice != g->right) {
        put_reason(p, g, choice);
    }
    put_reason(p, g, g->right);
}

/* --- The page's own --- */

bool pen_page_question(struct pen *p) {
    struct lesson_guess g;
    if (!app_guess_question(p->app, &g)) {
        return false;
    }
    pen_put(p, pen_words(p, "view.guess.title"), UI_ROLE_STRONG);
    pen_question(p, &g, p->app->guesses.marked);
    p->row++;
    pen_put(p, pen_words(p, "view.guess.how"), UI_ROLE_DIM);
    return true;
}

static void put_cut(struct pen *p, const char *text, enum ui_role role, int cols) {
    grid_put_cut(p->grid, p->area, p->row, p->area.col, text, role, cols > 0 ? cols : 0);
}

/* Two lines: what was said, and what the choice has in mind as far as it goes. */
static void brief(struct pen *p, const struct app_guess *said, bool moved) {
    char text[PEN_TEXT_MAX];
    struct message m;
    const char *more = pen_words(p, "view.guess.more");
    if (p->area.rows < BRIEF_PANE_MIN) { /* the picture goes first */
        return;
    }
    int room = p->area.cols - width_text(more, &p->grid->rules) - 2;
    int first = p->row;
    verdict(p->app, &said->what, said->choice, &m);
    app_say(p->app, &m, text, sizeof text);
    put_cut(p, text, role_of(&said->what, said->choice), p->area.cols);
    p->row++;
    if (moved) {
        put_cut(p, pen_words(p, "view.guess.moved"), UI_ROLE_DIM, room);
    } else {
        reason(p->app, &said->what, said->choice, text);
        put_cut(p, text, UI_ROLE_TEXT, room);
    }
    grid_put_right(p->grid, p->area, p->row, p->area.col + p->area.cols, more, UI_ROLE_DIM);
    p->row++;
    struct rect all = {first, p->area.col, p->row - first, p->area.cols};
    ui_hit_add(p->grid, p->area, all, UI_HIT_ACTION, (int)UI_ACTION_GUESS_FULL);
}

void pen_page_outcome(struct pen *p) {
    const struct app_guess *said = app_guess_said(p->app);
    if (said == NULL || said->choice < 0) {
        return;
    }
    bool moved = app_guess_moved(p->app);
    if (p->app->guesses.brief) {
        brief(p, said, moved);
        return;
    }
    if (!p->app->guesses.crowded) { /* else what was not known yet comes first */
        pen_say(p, &said->what.question, UI_ROLE_DIM);
    }
    pen_outcome(p, &said->what, said->choice);
    if (moved) {
        pen_put(p, pen_words(p, "view.guess.moved"), UI_ROLE_DIM);
    }
    if (p->app->guesses.crowded) {
        pen_say(p, &said->what.question, UI_ROLE_DIM);
    }
}
