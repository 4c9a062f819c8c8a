/* The mouse: asked for only when somebody wants it, in SGR mode (1006), whose coordinates are decimal numbers and
 * have no largest column, with motion while a button is down (1002). Reports are read byte by byte here, because
 * ncurses would want the whole protocol for itself. While it is on, the bytes with which a deadly signal leaves the
 * screen begin with switching it off. Proof: tests/tty/test_mouse.c. */
#define _DEFAULT_SOURCE
#define _XOPEN_SOURCE 700

#include "term_private.h"

#include <poll.h>
#include <string.h>
#include <unistd.h>

enum { BYTE_PATIENCE_MS = 25, NUMBER_MAX = 100000, BUTTON_MASK = 3, MOTION = 32, WHEEL = 64 };

static const char switch_on[] = "\033[?1002h\033[?1006h";
static const char switch_off[] = "\033[?1006l\033[?1002l";

int term_next_byte(struct term *t) {
    int next = wgetch(t->keys);
    if (next == ERR) {
        struct pollfd tty = {.fd = STDIN_FILENO, .events = POLLIN};
        next = poll(&tty, 1, BYTE_PATIENCE_MS) > 0 ? wgetch(t->keys) : ERR;
    }
    return next;
}

/* A number; *end is the byte behind it. -1: there was none. */
static int read_number(struct term *t, int *end) {
    int number = -1;
    for (*end = term_next_byte(t); *end >= '0' && *end <= '9'; *end = term_next_byte(t)) {
        number = number < 0 ? *end - '0' : number * 10 + (*end - '0');
        number = number < NUMBER_MAX ? number : NUMBER_MAX;
    }
    return number;
}

bool term_mouse_read(struct term *t, struct ui_mouse *mouse) {
    int end = 0;
    int numbers[3] = {-1, -1, -1};
    for (int i = 0; i < 3; i++) {
        numbers[i] = read_number(t, &end);
        if (i < 2 && end != ';') {
            break;
        }
    }
    bool whole = numbers[0] >= 0 && numbers[1] > 0 && numbers[2] > 0 && (end == 'M' || end == 'm');
    while (!whole && end != ERR && (end < 0x40 || end > 0x7E)) {
        end = term_next_byte(t);
    }
    if (!whole || !t->mouse) {
        return false;
    }
    int button = numbers[0];
    *mouse = (struct ui_mouse){.row = numbers[2] - 1, .col = numbers[1] - 1};
    if ((button & WHEEL) != 0) {
        mouse->kind = (button & BUTTON_MASK) == 0 ? UI_MOUSE_WHEEL_UP : UI_MOUSE_WHEEL_DOWN;
        return (button & BUTTON_MASK) < 2 && end == 'M';
    }
    mouse->kind = end == 'm'               ? UI_MOUSE_RELEASE
                  : (button & MOTION) != 0 ? UI_MOUSE_DRAG
                                           : UI_MOUSE_PRESS;
    return (button & BUTTON_MASK) == 0;
}

/* What a deadly signal writes: with the mouse on, its end comes first. No signal may see half of it. */
static void settle_restore(const struct term *t) {
    char bytes[TERM_RESTORE_MAX];
    size_t length = t->mouse ? sizeof switch_off - 1 : 0;
    sigset_t all, before;
    memcpy(bytes, switch_off, length);
    memcpy(bytes + length, t->restore, t->restore_length);
    sigfillset(&all);
    sigprocmask(SIG_BLOCK, &all, &before);
    term_signals_restore_by(bytes, length + t->restore_length);
    sigprocmask(SIG_SETMASK, &before, NULL);
}

void term_mouse_set(struct term *t, bool on) {
    if (t->mouse == on) {
        return;
    }
    if (!on) {
        term_write(switch_off, sizeof switch_off - 1);
    }
    t->mouse = on;
    settle_restore(t); /* before it is on, after it is off */
    if (on) {
        term_write(switch_on, sizeof switch_on - 1);
    }
}

void term_mouse_leave(struct term *t) {
    if (t->mouse) {
        term_write(switch_off, sizeof switch_off - 1);
    }
}

void term_mouse_return(struct term *t) {
    if (t->mouse) {
        term_write(switch_on, sizeof switch_on - 1);
    }
}
