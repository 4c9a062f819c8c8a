/* A paragraph: text of several roles that is broken into lines by UAX #14. The struct is some 18
 * KB, lives on its caller's stack and is refilled for every paragraph. */
#ifndef UI_FLOW_PRIVATE_H
#define UI_FLOW_PRIVATE_H

#include <stddef.h>

#include "canvas_private.h"

enum { FLOW_BYTES_MAX = 6144 };

struct flow {
    struct writer text; /* over bytes; what does not fit is left out */
    char bytes[FLOW_BYTES_MAX];
    unsigned char roles[FLOW_BYTES_MAX]; /* of each byte; the top bit: no break after it */
    unsigned char links[FLOW_BYTES_MAX]; /* the link that a byte belongs to, from 1; 0 none */
    char breaks[FLOW_BYTES_MAX];         /* what libunibreak says about the place after each byte */
    bool sealed;
};

/* Where the lines of a paragraph go, in columns of the canvas. */
struct flow_box {
    int row;
    int first_col; /* of the first line */
    int left;      /* of the others: a hanging indent when larger */
    int right;     /* the column after the last one */
};

void flow_start(struct flow *f);
void flow_add(struct flow *f, const char *text, enum ui_role role);
/* Text that is not broken unless it is wider than a line: a figure, an option, an arrow with its
 * word. */
void flow_add_whole(struct flow *f, const char *text, enum ui_role role);
/* Binds what follows to what is there: no break in between. */
void flow_bind(struct flow *f);

/* The bytes from `start` on are a link that can be clicked. */
void flow_link(struct flow *f, size_t start, int link);
/* Changes the role of the bytes start … end; breaks stay. */
void flow_paint(struct flow *f, size_t start, size_t end, enum ui_role role);

/* Breaks and draws; returns the rows used (0 for an empty paragraph). */
int flow_draw(struct flow *f, const struct canvas *c, struct flow_box box);
/* The row, within the paragraph, of the byte at `offset`. */
int flow_row_of(struct flow *f, const struct canvas *c, struct flow_box box, size_t offset);

/* One text in one role; returns the rows used. */
int flow_draw_text(const struct canvas *c, struct flow_box box, const char *text,
                   enum ui_role role);

#endif
