/* The pieces of views about number formats, shared by lessons and by `shardlab format`: a number as its bits between
 * its neighbours, and the ranges of all formats with marks. Pure; each appends to the caller's view. */
#ifndef LESSON_FORMAT_VIEW_H
#define LESSON_FORMAT_VIEW_H

#include "shardlab/base/writer.h"
#include "shardlab/num/format.h"
#include "shardlab/view/view.h"

/* A number on its way into a format. */
struct format_number {
    enum num_type type;
    double input;
    const char *text; /* how it was written; borrowed, copied into the view */
    struct num_rounding rounding;
};

/* Its bits, its neighbours, and a sentence about what rounding did. */
void format_bits_add(struct view *out, const struct format_number *number);

/* All formats on one scale; the first VIEW_MARKS_MAX marks that have a place on it are shown. */
void format_ranges_add(struct view *out, enum num_type current, const struct view_mark *marks,
                       int mark_count);

/* "0x2e66": as many digits as the type is wide. */
void format_code_write(struct writer *w, enum num_type type, uint32_t code);

#endif
