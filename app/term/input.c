/* What comes in: keys, signals, the caller's file descriptors, all in one poll, so that an idle
 * program never wakes. Keys are read through ncurses byte by byte or as its key codes, UTF-8 is
 * put together here because a broken byte must neither block nor be pushed back, and escape
 * sequences that nobody knows are swallowed whole: a stray Ctrl-arrow must not count as Esc.
 * Nothing is owned. Proof: tests/tty/test_keys.c and test_signals.c. */
#define _DEFAULT_SOURCE
#define _XOPEN_SOURCE 700

#include "term_private.h"

#include <assert.h>
#include <errno.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

#include "shardlab/ui/key.h"
#include "shardlab/view/width.h"

enum { KEY_CONTROL_H = 8, REPLACEMENT = 0xFFFD };

static const struct {
    int code;
    uint32_t key;
} named[] = {
    {KEY_UP, UI_KEY_UP},         {KEY_DOWN, UI_KEY_DOWN},        {KEY_LEFT, UI_KEY_LEFT},
    {KEY_RIGHT, UI_KEY_RIGHT},   {KEY_PPAGE, UI_KEY_PAGE_UP},    {KEY_NPAGE, UI_KEY_PAGE_DOWN},
    {KEY_HOME, UI_KEY_HOME},     {KEY_FIND, UI_KEY_HOME},        {KEY_END, UI_KEY_END},
    {KEY_SELECT, UI_KEY_END},    {KEY_SLEFT, UI_KEY_SHIFT_LEFT}, {KEY_SRIGHT, UI_KEY_SHIFT_RIGHT},
    {KEY_BTAB, UI_KEY_BACK_TAB}, {KEY_F(1), UI_KEY_F1},          {KEY_BACKSPACE, UI_KEY_BACKSPACE},
    {KEY_ENTER, UI_KEY_ENTER},
};

/* Terminals disagree with their descriptions; these mean the same everywhere. */
static const struct {
    const char *sequence;
    int code;
} common[] = {
    {"\033[A", KEY_UP},   {"\033OA", KEY_UP},       {"\033[B", KEY_DOWN},
    {"\033OB", KEY_DOWN}, {"\033[C", KEY_RIGHT},    {"\033OC", KEY_RIGHT},
    {"\033[D", KEY_LEFT}, {"\033OD", KEY_LEFT},     {"\033[H", KEY_HOME},
    {"\033OH", KEY_HOME}, {"\033[1~", KEY_HOME},    {"\033[7~", KEY_HOME},
    {"\033[F", KEY_END},  {"\033OF", KEY_END},      {"\033[4~", KEY_END},
    {"\033[8~", KEY_END}, {"\033[5~", KEY_PPAGE},   {"\033[6~", KEY_NPAGE},
    {"\033[Z", KEY_BTAB}, {"\033[1;2D", KEY_SLEFT}, {"\033[1;2C", KEY_SRIGHT},
    {"\033OP", KEY_F(1)}, {"\033[11~", KEY_F(1)},   {"\033[[A", KEY_F(1)},
};

void term_keys_define(void) {
    for (size_t i = 0; i < sizeof common / sizeof common[0]; i++) {
        if (key_defined(common[i].sequence) == 0) {
            define_key(common[i].sequence, common[i].code);
        }
    }
    define_key(NULL, KEY_MOUSE); /* reports of the mouse are read here, not by ncurses */
}

static bool named_key(int code, uint32_t *key) {
    for (size_t i = 0; i < sizeof named / sizeof named[0]; i++) {
        if (named[i].code == code) {
            *key = named[i].key;
            return true;
        }
    }
    return false;
}

/* After ESC: alone it is the key, before '[' or 'O' a sequence that ncurses did not know. */
static bool escape_key(struct term *t, struct term_event *event) {
    int next = wgetch(t->keys);
    if (next == '[') {
        next = term_next_byte(t);
        if (next == '<') {
            event->kind = TERM_EVENT_MOUSE;
            return term_mouse_read(t, &event->mouse);
        }
        while (next != ERR && (next < 0x40 || next > 0x7E)) {
            next = term_next_byte(t);
        }
        return false;
    }
    if (next == 'O') {
        (void)wgetch(t->keys);
        return false;
    }
    if (next != ERR) {
        ungetch(next);
    }
    event->key = UI_KEY_ESCAPE;
    return true;
}

/* One byte of 0x80 and above. True when it ends a character. */
static bool utf8_key(struct term *t, int byte, uint32_t *key) {
    if (byte >= 0xC0) {
        t->partial_need = byte >= 0xF0 ? 4 : byte >= 0xE0 ? 3 : 2;
        t->partial_length = 0;
    } else if (t->partial_need == 0) {
        return false; /* the rest of something broken */
    }
    t->partial[t->partial_length++] = (char)byte;
    if (t->partial_length < t->partial_need) {
        return false;
    }
    size_t at = 0;
    t->partial[t->partial_length] = '\0';
    t->partial_need = 0;
    *key = width_decode(t->partial, &at);
    return *key != REPLACEMENT;
}

static bool decode(struct term *t, int code, struct term_event *event) {
    uint32_t *key = &event->key;
    if (code >= 0x80 && code < KEY_MIN) {
        return t->utf8 && utf8_key(t, code, key);
    }
    t->partial_need = 0;
    switch (code) {
    case UI_KEY_ESCAPE:
        return escape_key(t, event);
    case '\r':
        *key = UI_KEY_ENTER;
        return true;
    case KEY_CONTROL_H:
        *key = UI_KEY_BACKSPACE;
        return true;
    default:
        break;
    }
    if (code >= KEY_MIN) {
        return named_key(code, key);
    }
    *key = (uint32_t)code;
    return true;
}

/* Never waits, but for the 25 ms in which an escape sequence may still arrive. */
static bool read_event(struct term *t, struct term_event *event) {
    for (int code = wgetch(t->keys); code != ERR; code = wgetch(t->keys)) {
        *event = (struct term_event){.kind = TERM_EVENT_KEY};
        if (decode(t, code, event)) {
            event->key = ui_key_fold(event->key);
            return true;
        }
    }
    return false;
}

bool term_pending(struct term *t) {
    if (!t->held) {
        t->held = read_event(t, &t->held_event);
    }
    return t->held;
}

/* The screen is the shell's, or may have been: take it again. */
static void resume(struct term *t) {
    if (!isendwin()) {
        endwin();
    }
    reset_prog_mode();
    t->cursor_visible = -1;
    term_mouse_return(t);
}

/* Deals with the signals that came. TIMEOUT: none that concerns the caller. */
static struct term_event take_signals(struct term *t) {
    struct term_event event = {.kind = TERM_EVENT_TIMEOUT};
    for (int signal = term_signals_take(); signal != 0; signal = term_signals_take()) {
        switch (signal) {
        case SIGTSTP:
            term_mouse_leave(t);
            if (!isendwin()) {
                endwin();
            }
            term_signals_stop();
            resume(t);
            break;
        case SIGCONT:
            resume(t);
            break;
        case SIGWINCH:
            break;
        default:
            return (struct term_event){.kind = TERM_EVENT_STOP, .signal = signal};
        }
        event.kind = TERM_EVENT_RESIZE;
    }
    if (event.kind == TERM_EVENT_RESIZE) {
        term_size_update(t);
    }
    return event;
}

static int64_t now_ms(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

/* Hung up, or readable with nothing to read, which would spin for ever. */
static bool tty_gone(const struct pollfd *tty) {
    int bytes = 1;
    if ((tty->revents & (POLLHUP | POLLERR | POLLNVAL)) != 0) {
        return true;
    }
    return (tty->revents & POLLIN) != 0 && ioctl(STDIN_FILENO, FIONREAD, &bytes) == 0 && bytes == 0;
}

/* One poll on everything; the caller's answers go back to him. KEY: the terminal or a signal is
 * worth a look. */
static enum term_event_kind poll_once(int timeout_ms, struct pollfd *fds, int fd_count) {
    struct pollfd all[2 + TERM_CALLER_FDS_MAX] = {
        {.fd = STDIN_FILENO, .events = POLLIN},
        {.fd = term_signals_fd(), .events = POLLIN},
    };
    for (int i = 0; i < fd_count; i++) {
        all[2 + i] = fds[i];
    }
    int ready = poll(all, 2 + (nfds_t)fd_count, timeout_ms);
    if (ready < 0) {
        return errno == EINTR ? TERM_EVENT_KEY : TERM_EVENT_GONE;
    }
    for (int i = 0; i < fd_count; i++) {
        fds[i].revents = all[2 + i].revents;
    }
    if (all[1].revents != 0) {
        return TERM_EVENT_KEY; /* a hang-up signal says more than a hung-up terminal */
    }
    if (all[0].revents != 0) {
        return tty_gone(&all[0]) ? TERM_EVENT_GONE : TERM_EVENT_KEY;
    }
    return ready == 0 ? TERM_EVENT_TIMEOUT : TERM_EVENT_CHILD;
}

struct term_event term_wait(struct term *t, int timeout_ms, struct pollfd *fds, int fd_count) {
    assert(fd_count >= 0 && fd_count <= TERM_CALLER_FDS_MAX);
    int64_t end = timeout_ms > 0 ? now_ms() + timeout_ms : 0;
    for (;;) {
        struct term_event event = take_signals(t);
        if (event.kind != TERM_EVENT_TIMEOUT) {
            return event;
        }
        if (term_pending(t)) {
            t->held = false;
            return t->held_event;
        }
        int wait_ms = timeout_ms;
        if (timeout_ms > 0) {
            int64_t left = end - now_ms();
            wait_ms = left > 0 ? (int)left : 0;
        }
        event.kind = poll_once(wait_ms, fds, fd_count);
        if (event.kind != TERM_EVENT_KEY) {
            return event;
        }
    }
}
