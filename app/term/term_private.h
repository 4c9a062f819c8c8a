/* What the files of this room share: the open terminal, its signals, its input and output. Only
 * this folder knows ncurses. */
#ifndef TERM_PRIVATE_H
#define TERM_PRIVATE_H

#ifndef NCURSES_WIDECHAR
#define NCURSES_WIDECHAR 1
#endif
#define NCURSES_NOMACROS 1

#include <curses.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <termios.h>

#include "shardlab/term/term.h"

enum {
    TERM_SIDE_MAX = 1000,    /* rows or columns that are used; a larger window stays blank beyond */
    TERM_RESTORE_MAX = 256,  /* bytes of the string that gives the screen back */
    TERM_MOUSE_BYTES = 24,   /* of them, kept free for switching the mouse off */
    TERM_CALLER_FDS_MAX = 64 /* file descriptors that a caller may add to the wait */
};

struct term {
    SCREEN *screen;
    WINDOW *keys; /* a pad: reading from it never repaints, as reading from stdscr would */
    enum ui_tier tier;
    bool utf8;
    int rows, cols;
    short pairs[UI_ROLES]; /* colour pair of each role */

    /* What the screen shows; cells are owned. Nothing counts as shown while `painted` is false. */
    struct grid shown;
    bool painted;
    cchar_t *line; /* owned, one row for ncurses */
    int cursor_visible;

    bool mouse;                     /* the terminal was asked for it */
    char restore[TERM_RESTORE_MAX]; /* what gives the screen back, without the mouse */
    size_t restore_length;

    /* Input: a key read ahead, and the bytes of a UTF-8 character that has not arrived whole. */
    bool held;
    struct term_event held_event;
    char partial[5];
    int partial_length, partial_need;
};

/* --- signals.c --- */

/* Puts our handlers in place and remembers `modes` as those to return to. Before newterm: where
 * ncurses finds a handler it installs none, and does not ignore Ctrl-Z while it paints. False:
 * no pipe, nothing has changed. */
bool term_signals_catch(const struct termios *modes);
/* The bytes with which a deadly signal leaves the screen; at most TERM_RESTORE_MAX, copied. */
void term_signals_restore_by(const char *bytes, size_t length);
/* Back to the handlers from before. */
void term_signals_release(void);
/* Readable when a signal has come. */
int term_signals_fd(void);
/* Takes one of TERM, INT, HUP, TSTP, CONT, WINCH that has come, in this order of importance; 0:
 * none. */
int term_signals_take(void);
/* Stops the process as Ctrl-Z does and returns when it goes on. The screen must have been left. */
void term_signals_stop(void);
/* The modes as they were before ncurses. */
void term_modes_restore(void);
/* The terminal listens to this process: it is in the foreground, or there is no job control. */
bool term_foreground(void);

/* While the screen is open, what drivers and children write to the error stream goes to a file
 * without a name; term_stderr_release writes it where it was meant for. */
void term_stderr_keep(void);
void term_stderr_release(void);

/* --- input.c --- */

/* Makes keys known that this terminal may send although its description lacks them. */
void term_keys_define(void);

/* --- mouse.c --- */

/* Reads the rest of an SGR report, after "ESC [ <". True: *mouse is one that counts. */
bool term_mouse_read(struct term *t, struct ui_mouse *mouse);
/* Around a time in which the screen is somebody else's. */
void term_mouse_leave(struct term *t);
void term_mouse_return(struct term *t);
/* The next byte of a sequence; ERR when none comes soon. */
int term_next_byte(struct term *t);

/* --- output.c --- */

/* Which width a character has, for ncurses too (see wcwidth there). */
void term_width_rules(bool ambiguous_wide);
/* Writes all bytes past ncurses. */
void term_write(const char *bytes, size_t length);
/* Takes on the kernel's size and forgets what was shown. */
void term_size_update(struct term *t);

#endif
