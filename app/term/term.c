/* Opens the terminal and gives it back. Opening is all or nothing: either the full screen
 * stands, with our signal handlers and an error stream that cannot smear it, or a sentence says
 * why not and nothing has changed. The caller owns the handle. What is shown is in output.c,
 * what is typed in input.c, how it ends badly in signals.c. Proof: tests/tty/test_term.c through
 * a terminal emulator. */
#define _DEFAULT_SOURCE
#define _XOPEN_SOURCE 700

#include "term_private.h"
#include "terminfo_private.h"

#include <langinfo.h>
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { ESCAPE_DELAY_MS = 25 };

static enum status refuse(enum status status, struct message *why, const char *id,
                          const char *value) {
    message_start(why, id);
    if (value != NULL) {
        message_add_text(why, value);
    }
    return status;
}

/* Everything that can be known before anything is touched. */
static enum status check_terminal(struct message *why) {
    if (!isatty(STDIN_FILENO)) {
        return refuse(STATUS_FAILED, why, "error.term.no_tty", "stdin");
    }
    if (!isatty(STDOUT_FILENO)) {
        return refuse(STATUS_FAILED, why, "error.term.no_tty", "stdout");
    }
    const char *name = getenv("TERM");
    if (name == NULL || *name == '\0') {
        return refuse(STATUS_FAILED, why, "error.term.unset", NULL);
    }
    switch (term_info_kind(name)) {
    case TERM_KIND_UNKNOWN:
        return refuse(STATUS_FAILED, why, "error.term.unknown", name);
    case TERM_KIND_DUMB:
        return refuse(STATUS_FAILED, why, "error.term.dumb", name);
    case TERM_KIND_GOOD:
        break;
    }
    return STATUS_OK;
}

static bool charset_is_utf8(void) {
    return strcmp(nl_langinfo(CODESET), "UTF-8") == 0;
}

/* A locale that was never set up is no statement about the terminal, so UTF-8 is tried. */
static bool settle_charset(void) {
    static const char *const tries[] = {"C.UTF-8", "C.utf8", "en_US.UTF-8"};
    for (size_t i = 0; i < sizeof tries / sizeof tries[0] && !charset_is_utf8(); i++) {
        (void)setlocale(LC_CTYPE, tries[i]);
    }
    return charset_is_utf8();
}

/* Characters at once and unechoed; Ctrl-Z and Ctrl-\ stay signals, Ctrl-C and Ctrl-S become
 * keys. */
static void enter_modes(void) {
    cbreak();
    noecho();
    nonl();
    struct termios modes;
    if (tcgetattr(STDIN_FILENO, &modes) == 0) {
        modes.c_iflag &= ~(tcflag_t)IXON;
        modes.c_cc[VINTR] = _POSIX_VDISABLE;
        tcsetattr(STDIN_FILENO, TCSANOW, &modes);
        def_prog_mode();
    }
}

static short pair_of(struct term *t, int role) {
    short colour = ui_theme_style((enum ui_role)role, t->tier).foreground;
    if (colour < 0 || t->tier == UI_TIER_MONO) {
        return 0; /* the terminal's own */
    }
    for (int other = 0; other < role; other++) {
        if (ui_theme_style((enum ui_role)other, t->tier).foreground == colour) {
            return t->pairs[other];
        }
    }
    init_pair((short)(role + 1), colour, -1);
    return (short)(role + 1);
}

static void start_colours(struct term *t, bool wanted) {
    int colours = wanted ? term_info_colours() : 0;
    t->tier = UI_TIER_MONO;
    if (colours >= 8 && start_color() == OK && use_default_colors() == OK) {
        t->tier = colours >= 256 ? UI_TIER_256 : UI_TIER_8;
    }
    for (int role = 0; role < UI_ROLES; role++) {
        t->pairs[role] = pair_of(t, role);
    }
}

static void start_screen(struct term *t, const struct term_options *options) {
    set_escdelay(ESCAPE_DELAY_MS);
    enter_modes();
    start_colours(t, options->colour);
    term_width_rules(options->ambiguous_wide);
    t->keys = newpad(1, 1);
    keypad(t->keys, TRUE);
    nodelay(t->keys, TRUE);
    term_keys_define();
    t->cursor_visible = -1;
    term_size_update(t);
}

/* ncurses and signals, while every signal waits. */
static enum status take_over(struct term *t, const struct term_options *options,
                             struct message *why) {
    struct termios modes;
    if (tcgetattr(STDIN_FILENO, &modes) != 0 || !term_signals_catch(&modes)) {
        return refuse(STATUS_FAILED, why, "error.term.failed", getenv("TERM"));
    }
    t->screen = newterm(NULL, stdout, stdin);
    if (t->screen == NULL) {
        term_signals_release();
        return refuse(STATUS_FAILED, why, "error.term.failed", getenv("TERM"));
    }
    t->restore_length = term_info_restore(t->restore, sizeof t->restore - TERM_MOUSE_BYTES);
    term_signals_restore_by(t->restore, t->restore_length);
    term_stderr_keep();
    start_screen(t, options);
    return STATUS_OK;
}

enum status term_open(struct term **out, const struct term_options *options, struct message *why) {
    *out = NULL;
    enum status status = check_terminal(why);
    if (status != STATUS_OK) {
        return status;
    }
    struct term *t = calloc(1, sizeof *t);
    if (t == NULL) {
        return refuse(STATUS_FAILED, why, "error.term.failed", getenv("TERM"));
    }
    t->utf8 = settle_charset();
    sigset_t all, before;
    sigfillset(&all);
    sigprocmask(SIG_BLOCK, &all, &before);
    status = take_over(t, options, why);
    sigprocmask(SIG_SETMASK, &before, NULL);
    if (status != STATUS_OK) {
        free(t);
        return status;
    }
    *out = t;
    return STATUS_OK;
}

void term_close(struct term *t) {
    if (t == NULL) {
        return;
    }
    /* In the background the screen is the shell's already. */
    if (term_foreground()) {
        term_mouse_leave(t);
        if (!isendwin()) {
            curs_set(1);
            endwin();
        }
        term_modes_restore();
    }
    term_stderr_release();
    delwin(t->keys);
    delscreen(t->screen);
    term_signals_release();
    free(t->shown.cells);
    free(t->line);
    free(t);
}

int term_rows(const struct term *t) {
    return t->rows;
}

int term_cols(const struct term *t) {
    return t->cols;
}

enum ui_tier term_tier(const struct term *t) {
    return t->tier;
}

bool term_utf8(const struct term *t) {
    return t->utf8;
}
