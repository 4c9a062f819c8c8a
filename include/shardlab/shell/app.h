/* The application without a terminal: keys in, a grid out. The loop (shell/loop.c) feeds it from `term`; golden
 * tests and journeys drive it headless. All mutable state hangs from struct app, which main owns. */
#ifndef SHELL_APP_H
#define SHELL_APP_H

#include <stdbool.h>
#include <stdint.h>

#include "shardlab/base/attributes.h"
#include "shardlab/base/message.h"
#include "shardlab/base/status.h"
#include "shardlab/base/writer.h"
#include "shardlab/lab/lab.h"
#include "shardlab/lesson/lesson.h"
#include "shardlab/ui/grid.h"
#include "shardlab/ui/key.h"

struct app; /* opaque; owns its store */

/* What time it is: seconds since 1970, what the local time adds to them, and milliseconds that only go forward. */
struct app_moment {
    int64_t utc_s;
    int32_t offset_s;
    int64_t ms;
};

struct app_options {
    bool chinese;
    bool ascii;
    bool ambiguous_wide;
    /* The file of what was answered, borrowed; NULL: where it belongs (store/progress.h); "": none, nothing is read or
     * saved. */
    const char *progress;
    struct app_moment (*clock)(void *context); /* NULL: the system's */
    void *clock_context;
};

/* A new application on its home screen. STATUS_FAILED when assets cannot be read. */
MUST_USE enum status app_new(struct app **out, const struct app_options *options,
                             struct message *why);
void app_free(struct app *app); /* NULL is fine */

/* What the loop has to do after a key. */
enum app_effect {
    APP_EFFECT_VIEW = 1,   /* the screen changed */
    APP_EFFECT_REDRAW = 2, /* paint everything anew */
    APP_EFFECT_COPY = 4,   /* app_copied holds text for the clipboard */
    APP_EFFECT_QUIT = 8,
    APP_EFFECT_MOUSE = 16,  /* app_mouse_wanted changed */
    APP_EFFECT_RUN = 32,    /* start app_experiment_command and tell what comes of it */
    APP_EFFECT_CANCEL = 64, /* end what was started; nobody listens to it any more */
};

/* Handles one folded key; returns enum app_effect bits. Unknown keys do nothing but may leave a hint. */
unsigned app_key(struct app *app, uint32_t key);

/* Handles what the mouse did on the screen that was drawn last; nothing while it is not wanted. */
unsigned app_mouse(struct app *app, const struct ui_mouse *mouse);
/* Whether the terminal is to be asked for its mouse; false at the start. */
bool app_mouse_wanted(const struct app *app);

/* Opens a lesson on its first page, also one that the syllabus does not have (tests, previews). It is borrowed for as
 * long as it is open. */
MUST_USE enum status app_show_lesson(struct app *app, const struct lesson *lesson,
                                     struct message *why);

/* --- Pictures that move: the loop has the clock --- */

/* How long until the next frame, in milliseconds; -1: nothing moves. */
int app_wait_ms(const struct app *app);
/* That long has passed. */
unsigned app_tick(struct app *app);
/* From now on nothing moves by itself (--motion reduced). */
void app_motion_reduce(struct app *app);

/* --- Experiments, and a command whose text is shown: the loop owns the process, the application what is known of it --- */

/* The argument list of the last APP_EFFECT_RUN, ended by NULL; [0] is the program's name. Valid until the next. */
const char *const *app_experiment_command(const struct app *app);
/* It could not be started; a line came; it has ended. Each returns effects. After APP_EFFECT_CANCEL, and while nothing
 * was started, they do nothing. */
unsigned app_experiment_failed(struct app *app, const struct message *why);
unsigned app_experiment_line(struct app *app, const char *line, size_t length);
unsigned app_experiment_ended(struct app *app, const struct lab_end *end);

/* Draws the current screen for this size into g (started by the caller). Sizes are remembered for scrolling. */
void app_draw(struct app *app, struct grid *g);

/* The text of the last APP_EFFECT_COPY. */
const char *app_copied(const struct app *app);

#endif
