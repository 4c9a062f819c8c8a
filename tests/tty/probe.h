/* Starts term_probe (see term_probe.c) for the tests of this tier. TERM_PROBE_BIN names it. */
#ifndef TTY_PROBE_H
#define TTY_PROBE_H

#include <check.h>
#include <stdlib.h>

#include "support/pty.h"

/* With one argument or NULL, and options or NULL; does not wait. */
static inline struct pty *probe_launch(const char *argument, const struct pty_options *options) {
    const char *path = getenv("TERM_PROBE_BIN");
    ck_assert_msg(path != NULL, "TERM_PROBE_BIN must name the program term_probe");
    const char *const argv[] = {path, argument, NULL};
    return pty_start(argv, options);
}

/* As above, and its first frame is complete. */
static inline struct pty *probe_start(const char *argument, const struct pty_options *options) {
    struct pty *p = probe_launch(argument, options);
    pty_expect(p, "keys 0");
    ck_assert(pty_wait_quiet(p, 100, PTY_PATIENCE_MS));
    return p;
}

#endif
