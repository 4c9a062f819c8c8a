/* Feeds keys to the application and grids to the terminal, and owns the child process of an experiment. Impure: memory for
 * the grid, the terminal's events, processes. Without an experiment and without a picture that is
 * played the wait has no end and an idle program makes no wake-ups. Proof: tests/tty/. */
#define _POSIX_C_SOURCE 200809L
#include "shardlab/shell/loop.h"

#include <stdlib.h>
#include <time.h>

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

/* --- Experiments --- */

/* The child, from its start until it is gone; a cancelled one is still waited for, but not listened to. */
struct child {
    struct lab *lab; /* NULL: none */
};

static void child_end(struct child *c) {
    lab_close(c->lab);
    c->lab = NULL;
}

static unsigned child_start(struct child *c, struct app *app) {
    struct lab_command command = {NULL, app_experiment_command(app)};
    struct message why;
    child_end(c); /* one that was cancelled and takes its time */
    if (lab_start(&c->lab, &command, &why) != STATUS_OK) {
        c->lab = NULL;
        return app_experiment_failed(app, &why);
    }
    return 0;
}

/* Tells the application what came. Not without end, so that keys are heard while a child talks without pause. */
static unsigned child_listen(struct child *c, struct app *app) {
    enum { LINES_AT_ONCE = 256 };
    unsigned effects = 0;
    for (int i = 0; c->lab != NULL && i < LINES_AT_ONCE; i++) {
        struct lab_news news = lab_next(c->lab);
        switch (news.event) {
        case LAB_EVENT_NONE:
            return effects;
        case LAB_EVENT_LINE:
            effects |= app_experiment_line(app, news.line, news.length);
            break;
        case LAB_EVENT_ENDED:
            effects |= app_experiment_ended(app, &news.end);
            child_end(c);
            break;
        }
    }
    return effects;
}

/* Starts and cancels as the application asks; returns what comes of it. */
static unsigned child_obey(struct child *c, struct app *app, unsigned effects) {
    if ((effects & APP_EFFECT_CANCEL) != 0 && c->lab != NULL) {
        lab_cancel(c->lab);
    }
    return (effects & APP_EFFECT_RUN) != 0 ? child_start(c, app) : 0;
}

/* --- Pictures that move --- */

/* When the next frame is due; unset while nothing moves. */
struct beat {
    bool set;
    int64_t at_ms;
};

static int64_t now_ms(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

/* Milliseconds until then, -1: without end. */
static int beat_wait(struct beat *b, const struct app *app) {
    int wait = app_wait_ms(app);
    if (wait < 0) {
        b->set = false;
        return -1;
    }
    if (!b->set) {
        *b = (struct beat){true, now_ms() + wait};
    }
    int64_t left = b->at_ms - now_ms();
    return left < 0 ? 0 : (int)left;
}

static unsigned beat_listen(struct beat *b, struct app *app) {
    if (!b->set || now_ms() < b->at_ms) {
        return 0;
    }
    b->set = false;
    return app_tick(app);
}

/* Until the terminal or the child has something, or the next frame is due. */
static struct term_event wait_for(struct term *term, const struct child *c, int beat_ms) {
    struct pollfd fds[LAB_FDS_MAX];
    int count = c->lab != NULL ? lab_fds(c->lab, fds) : 0;
    int wait = c->lab != NULL ? lab_timeout_ms(c->lab) : -1;
    if (wait < 0 || (beat_ms >= 0 && beat_ms < wait)) {
        wait = beat_ms;
    }
    return term_wait(term, wait, fds, count);
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
    struct child child = {NULL};
    struct beat beat = {false, 0};
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
        struct term_event event = wait_for(term, &child, beat_wait(&beat, app));
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
        effects |= beat_listen(&beat, app);
        effects |= child_obey(&child, app, effects);
        unsigned heard = child_listen(&child, app);
        effects |= heard | child_obey(&child, app, heard);
        carry_out(app, term, effects);
        dirty = dirty || (effects & (APP_EFFECT_VIEW | APP_EFFECT_REDRAW)) != 0;
        running = running && (effects & APP_EFFECT_QUIT) == 0;
    }
    child_end(&child);
    free(canvas.cells);
    return ended_by;
}
