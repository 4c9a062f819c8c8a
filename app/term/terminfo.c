/* What the terminal's description says: whether it can be used at all, its colours, and the byte
 * string that gives it back. The string is made when the terminal opens, because a signal
 * handler may only write it. Delays that descriptions of old devices carry ("$<5>") are left
 * out. Nothing is kept. Proof: tests/tty/test_term.c. */
#include "terminfo_private.h"

#include <stdbool.h>
#include <string.h>
#include <unistd.h>

#include <curses.h>
#include <term.h>

static const char *capability(const char *name) {
    const char *text = tigetstr(name);
    return text == (const char *)-1 ? NULL : text;
}

enum term_kind term_info_kind(const char *name) {
    int found = 0;
    if (setupterm(name, STDOUT_FILENO, &found) == ERR) {
        /* 1: a printing terminal; 0: not found, or a name that stands for any terminal. */
        return found == 1 ? TERM_KIND_DUMB : TERM_KIND_UNKNOWN;
    }
    bool moves = capability("cup") != NULL;
    del_curterm(cur_term);
    return moves ? TERM_KIND_GOOD : TERM_KIND_DUMB;
}

int term_info_colours(void) {
    int colours = tigetnum("colors");
    return colours > 0 ? colours : 0;
}

static size_t append(char *out, size_t at, size_t size, const char *text) {
    while (text != NULL && *text != '\0' && at < size) {
        const char *end = strncmp(text, "$<", 2) == 0 ? strchr(text, '>') : NULL;
        if (end != NULL) {
            text = end + 1;
            continue;
        }
        out[at++] = *text++;
    }
    return at;
}

size_t term_info_restore(char *out, size_t size) {
    size_t at = append(out, 0, size, capability("rmkx"));
    at = append(out, at, size, capability("sgr0"));
    at = append(out, at, size, capability("cnorm"));
    at = append(out, at, size, capability("smam"));
    const char *leave = capability("rmcup");
    /* Without an alternate screen the shell goes on below. */
    return append(out, at, size, leave != NULL ? leave : "\r\n");
}
