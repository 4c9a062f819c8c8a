/* Feeds keys to the application and grids to the terminal. Impure: memory for the grid, the terminal's events.
 * Nothing moves by itself yet, so the wait has no end and an idle program makes no wake-ups.
 * Proof: tests/tty/. */
#include "loop_private.h"

#include <stdlib.h>

#include "shardlab/ui/key.h"

struct canvas {
    struct ui_cell *cells;
    int rows, cols;
};

/* Cells for the terminal's present size; false when memory is short. */
static bool canvas_fit(struct canvas *c, int rows, int cols) {
    if (c->cells != NULL && c->rows == rows && c->cols == cols) {
        return true;
    }
    struct ui_cell *cells = realloc(c->cells, (size_t)rows * (size_t)cols * sizeof *cells);
    if (cells == NULL) {
        return false;
    }
    *c = (struct canvas){cells, rows, cols};
    return true;
}

static bool paint(struct app *app, struct term *term, struct canvas *c, bool ambiguous_wide) {
    struct grid g;
    int rows = term_rows(term), cols = term_cols(term);
    if (rows < 1 || cols < 1) {
        return true; /* a terminal without cells has nothing to show */
    }
    if (!canvas_fit(c, rows, cols)) {
        return false;
    }
    grid_start(&g, rows, cols, c->cells, (struct width_rules){ambiguous_wide});
    app_draw(app, &g);
    term_show(term, &g);
    return true;
}

/* Does what the application cannot do by itself. */
static void carry_out(struct app *app, struct term *term, unsigned effects) {
    if ((effects & APP_EFFECT_COPY) != 0) {
        term_copy(term, app_copied(app));
    }
    if ((effects & APP_EFFECT_REDRAW) != 0) {
        term_redraw(term);
    }
    if ((effects & APP_EFFECT_MOUSE) != 0) {
        term_mouse_set(term, app_mouse_wanted(app));
    }
}

int loop_run(struct app *app, struct term *term, bool ambiguous_wide, struct message *why) {
    struct canvas canvas = {NULL, 0, 0};
    bool dirty = true;
    int ended_by = 0;
    for (bool running = true; running;) {
        if (dirty && !term_pending(term)) {
            if (!paint(app, term, &canvas, ambiguous_wide)) {
                message_start(why, "error.memory");
                break;
            }
            dirty = false;
        }
        struct term_event event = term_wait(term, -1, NULL, 0);
        unsigned effects = 0;
        switch (event.kind) {
        case TERM_EVENT_KEY:
            effects = app_key(app, event.key);
            break;
        case TERM_EVENT_MOUSE:
            if (dirty) { /* a click is meant for what is there */
                dirty = !paint(app, term, &canvas, ambiguous_wide);
            }
            effects = app_mouse(app, &event.mouse);
            break;
        case TERM_EVENT_RESIZE:
            dirty = true;
            break;
        case TERM_EVENT_STOP:
            ended_by = event.signal;
            running = false;
            break;
        case TERM_EVENT_GONE:
            running = false;
            break;
        case TERM_EVENT_TIMEOUT:
        case TERM_EVENT_CHILD:
            break;
        }
        carry_out(app, term, effects);
        dirty = dirty || (effects & (APP_EFFECT_VIEW | APP_EFFECT_REDRAW)) != 0;
        running = running && (effects & APP_EFFECT_QUIT) == 0;
    }
    free(canvas.cells);
    return ended_by;
}
