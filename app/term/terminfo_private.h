/* The door to terminfo, apart from term_private.h because <term.h> has a `struct term` of its
 * own and macros such as `columns`: only terminfo.c includes it. */
#ifndef TERM_TERMINFO_PRIVATE_H
#define TERM_TERMINFO_PRIVATE_H

#include <stddef.h>

enum term_kind { TERM_KIND_GOOD, TERM_KIND_UNKNOWN, TERM_KIND_DUMB };

/* Looks the name up. Dumb: it is known, but the cursor cannot be moved. */
enum term_kind term_info_kind(const char *name);
/* After newterm: how many colours, 0 without. */
int term_info_colours(void);
/* After newterm: the bytes that end the keypad, attributes and alternate screen and show the
 * cursor. Returns how many; what does not fit is cut. */
size_t term_info_restore(char *out, size_t size);

#endif
