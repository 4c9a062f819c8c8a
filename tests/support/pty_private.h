/* What pty.c and pty_screen.c share. */
#ifndef SUPPORT_PTY_PRIVATE_H
#define SUPPORT_PTY_PRIVATE_H

#include "support/pty.h"

#include <vterm.h>

struct pty_bytes {
    char *bytes; /* owned, NUL-terminated */
    size_t length, capacity;
};
void pty_bytes_add(struct pty_bytes *b, const char *bytes, size_t length);

struct pty {
    pid_t pid;
    bool ended;
    int status;
    int master, slave, pipe; /* -1: closed */
    int rows, cols;
    VTerm *emulator;
    VTermScreen *screen;
    bool cursor_visible, alternate, mouse;
    struct pty_bytes output, piped, text;
};

/* The emulator: started, fed, resized, freed. */
void pty_screen_start(struct pty *p, int rows, int cols);
void pty_screen_feed(struct pty *p, const char *bytes, size_t length);
void pty_screen_resize(struct pty *p, int rows, int cols);
void pty_screen_end(struct pty *p);

#endif
