/* A program in a pseudo-terminal, for tests: a real terminal emulator (libvterm) reads what it
 * writes, so a test presses keys and looks at the screen as a learner would.
 *
 *     struct pty *p = pty_start((const char *const[]){getenv("SHARDLAB_BIN"), NULL}, NULL);
 *     pty_expect(p, "Lessons");
 *     pty_keys(p, PTY_DOWN PTY_ENTER);
 *     pty_expect(p, "Memory · 1/5");
 *     pty_keys(p, "q");
 *     pty_expect_exit(p, 0);
 *     pty_expect_restored(p);
 *     pty_end(p);
 *
 * Functions named expect fail the running Check test and print the screen. Waiting functions
 * read the program's output while they wait; only then does the screen move on. The handle owns
 * the child, both ends of the terminal and the emulator. What reads the screen's cells is in
 * pty_screen.c. */
#ifndef SUPPORT_PTY_H
#define SUPPORT_PTY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* What a terminal in application mode sends (xterm and its relatives). */
#define PTY_UP "\033OA"
#define PTY_DOWN "\033OB"
#define PTY_RIGHT "\033OC"
#define PTY_LEFT "\033OD"
#define PTY_HOME "\033OH"
#define PTY_END "\033OF"
#define PTY_SHIFT_LEFT "\033[1;2D"
#define PTY_SHIFT_RIGHT "\033[1;2C"
#define PTY_PAGE_UP "\033[5~"
#define PTY_PAGE_DOWN "\033[6~"
#define PTY_BACK_TAB "\033[Z"
#define PTY_F1 "\033OP"
#define PTY_ENTER "\r"
#define PTY_TAB "\t"
#define PTY_ESCAPE "\033"
#define PTY_BACKSPACE "\177"
#define PTY_CTRL_C "\003"
#define PTY_CTRL_L "\014"
#define PTY_CTRL_Z "\032"

enum { PTY_PATIENCE_MS = 10000 }; /* how long the expect functions wait */

enum { PTY_STDIN = 1, PTY_STDOUT = 2, PTY_STDERR = 4 };

struct pty_options {
    int rows, cols; /* 0: 24 × 80 */
    /* "NAME=value" sets, "NAME" removes, NULL ends; may be NULL. The rest is the test's own
     * environment, but with TERM=xterm-256color and without NO_COLOR, COLUMNS, LINES and TMUX. */
    const char *const *environment;
    /* PTY_STD* bits of streams that are no terminal: stdin is empty, the others go to pty_piped. */
    unsigned not_tty;
};

struct pty;

/* Starts argv[0] (found as a shell finds it) with this argument list. `options` may be NULL.
 * Fails the test when the system has no terminal to give. */
struct pty *pty_start(const char *const argv[], const struct pty_options *options);
/* Kills what still runs and frees everything. NULL is fine. */
void pty_end(struct pty *p);
pid_t pty_pid(const struct pty *p);

/* --- Doing --- */

void pty_keys(struct pty *p, const char *bytes);
void pty_resize(struct pty *p, int rows, int cols);
void pty_signal(struct pty *p, int signal);
/* The window is closed: both ends of the terminal go. */
void pty_hang_up(struct pty *p);

/* --- Waiting; limits in milliseconds --- */

/* Reads for this long. */
void pty_pass(struct pty *p, int ms);
/* Until nothing has come for quiet_ms. False: still noisy after limit_ms. */
bool pty_wait_quiet(struct pty *p, int quiet_ms, int limit_ms);
bool pty_wait_text(struct pty *p, const char *text, int limit_ms);
bool pty_wait_no_text(struct pty *p, const char *text, int limit_ms);
/* Until the program has ended; *status as waitpid gives it. */
bool pty_wait_exit(struct pty *p, int limit_ms, int *status);

void pty_expect(struct pty *p, const char *text);
void pty_expect_gone(struct pty *p, const char *text);
void pty_expect_exit(struct pty *p, int code);
void pty_expect_killed(struct pty *p, int signal);
/* Main screen, cursor shown, cooked and echoing, no mouse: as a shell needs it. */
void pty_expect_restored(struct pty *p);
/* Prints the screen to the error stream. */
void pty_dump(struct pty *p);

/* --- Looking --- */

int pty_rows(const struct pty *p);
int pty_cols(const struct pty *p);
/* One row, trailing blanks removed; "" outside. Valid until the next call. */
const char *pty_row(struct pty *p, int row);
/* All rows, each ended by '\n'. Valid until the next call. */
const char *pty_text(struct pty *p);
/* The text stands within one row. */
bool pty_has(struct pty *p, const char *text);
/* Its first row, or -1. */
int pty_find(struct pty *p, const char *text);

struct pty_cell {
    uint32_t
        code_point; /* ' ' where nothing was written, 0 for the right half of a wide character */
    int width;
    bool bold, reverse, underline;
    int foreground; /* index of the palette, -1: the terminal's own, -2: direct */
    int background;
};
struct pty_cell pty_cell(struct pty *p, int row, int col);

bool pty_cursor_visible(const struct pty *p);
void pty_cursor(struct pty *p, int *row, int *col);
bool pty_alternate_screen(const struct pty *p);
/* Canonical and echoing. */
bool pty_cooked(const struct pty *p);

/* --- Raw bytes since the start or the last mark --- */

void pty_mark(struct pty *p);
const char *pty_output(struct pty *p, size_t *length);
bool pty_output_has(struct pty *p, const char *bytes);
/* Colours that were asked for: SGR 30–37, 38, 40–47, 48, 90–107. */
int pty_colour_codes(struct pty *p);
/* What the streams that are no terminal got, text. */
const char *pty_piped(struct pty *p);

/* Context switches of the process so far, both kinds; -1: it is gone. */
long pty_switches(const struct pty *p);

#endif
