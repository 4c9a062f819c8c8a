/* The terminal: the only room that knows ncurses. Opens and restores it after every exit and signal (recipe of
 * reference tui 4.6), waits in one poll, decodes keys, shows grids. At most one is open at a time: signal
 * handlers need its restore bytes. */
#ifndef TERM_TERM_H
#define TERM_TERM_H

#include <poll.h>

#include "shardlab/base/attributes.h"
#include "shardlab/base/message.h"
#include "shardlab/base/status.h"
#include "shardlab/ui/grid.h"
#include "shardlab/ui/key.h"
#include "shardlab/ui/theme.h"

struct term; /* opaque */

struct term_options {
    bool colour; /* false: mono tier (NO_COLOR, --color never) */
    bool ambiguous_wide;
};

/* Takes over the terminal. Fails with a sentence (no tty, TERM unset, unknown or dumb) and leaves it as it was. */
MUST_USE enum status term_open(struct term **out, const struct term_options *options,
                               struct message *why);
/* Gives it back: main screen, cursor, cooked mode. NULL is fine. */
void term_close(struct term *t);

enum term_event_kind {
    TERM_EVENT_TIMEOUT,
    TERM_EVENT_KEY,    /* .key: folded code point or UI_KEY_* */
    TERM_EVENT_RESIZE, /* also after continue: draw everything again */
    TERM_EVENT_STOP,   /* .signal: TERM, INT, HUP came; end normally, then term_raise */
    TERM_EVENT_GONE,   /* the terminal hung up */
    TERM_EVENT_MOUSE,  /* .mouse, after term_mouse_set */
    TERM_EVENT_CHILD,  /* one of the caller's fds is ready; revents are filled */
};
struct term_event {
    enum term_event_kind kind;
    uint32_t key;
    int signal;
    struct ui_mouse mouse;
};

/* Waits up to timeout_ms (-1: for ever) for the next event. `fds` are the caller's (may be NULL, 0).
 * Keys that arrived together are returned one a call without waiting; term_pending tells if more are queued. */
struct term_event term_wait(struct term *t, int timeout_ms, struct pollfd *fds, int fd_count);
bool term_pending(struct term *t);

int term_rows(const struct term *t);
int term_cols(const struct term *t);
enum ui_tier term_tier(const struct term *t);
bool term_utf8(const struct term *t); /* the locale's charset is UTF-8 */

/* Shows the grid: only rows that differ from the last one shown reach ncurses. */
void term_show(struct term *t, const struct grid *g);
/* Forgets what was shown, so that the next term_show paints everything (Ctrl-L). */
void term_redraw(struct term *t);

/* Asks the terminal for its mouse (press, drag, wheel; SGR coordinates, so no column is too far), or no longer.
 * Off at the start. It is given back like everything else: on close, on Ctrl-Z, on a deadly signal. */
void term_mouse_set(struct term *t, bool on);

/* Copies text to the terminal's clipboard by OSC 52. Best effort: many terminals ignore it. */
void term_copy(struct term *t, const char *text);

/* After term_close: ends the process by this signal, so that the parent sees how it died. */
void term_raise(int signal);

#endif
