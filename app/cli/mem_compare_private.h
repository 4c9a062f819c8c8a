/* The ledgers of two scenarios, row beside row: what --against prints in each of its forms. */
#ifndef MEM_COMPARE_PRIVATE_H
#define MEM_COMPARE_PRIVATE_H

#include "cli_private.h"
#include "shardlab/view/view.h"

struct mem_pair {
    const struct view_row *first, *second; /* of mem_compare.views; NULL: there is no such row */
    bool comparable;                       /* both are known and measure the same */
};

struct mem_compare {
    struct view views[2];
    int count; /* the last pair is the total */
    struct mem_pair pairs[2 * VIEW_ROWS_MAX];
};

void mem_compare_start(struct mem_compare *out, const struct scenario *s,
                       const struct calc_memory *first, const struct cli_against *against);

#endif
