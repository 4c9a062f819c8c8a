/* Ranges of code points by display width, for width.c alone. */
#ifndef VIEW_WIDTH_PRIVATE_H
#define VIEW_WIDTH_PRIVATE_H

#include <stdint.h>

struct width_range {
    uint32_t first, last; /* inclusive; a table is ascending and without overlaps */
};

extern const struct width_range width_zero[];
extern const struct width_range width_wide[];
extern const struct width_range width_ambiguous[];
extern const int width_zero_count;
extern const int width_wide_count;
extern const int width_ambiguous_count;

#endif
