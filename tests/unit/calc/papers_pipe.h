/* Classes of vectors_papers.csv that the room `pipe` answers: tests/unit/pipe/test_pipeline_papers.c computes every row
 * of them, so test_papers.c, which keeps the account, counts them as computed. */
#ifndef UNIT_CALC_PAPERS_PIPE_H
#define UNIT_CALC_PAPERS_PIPE_H

#include <stdbool.h>
#include <string.h>

static inline bool papers_of_pipe(const char *quantity) {
    static const char *const quantities[] = {
        "pp.bubble_over_ideal",
        "pp.bubble_over_total",
        "pp.makespan",
        "zb.bubble_time",
        "zb.peak_memory_in_MB",
        "dualpipe.bubble_time",
        "dualpipe.activation_units",
        "dualpipe.param_copies",
    };
    for (int i = 0; i < (int)(sizeof quantities / sizeof quantities[0]); i++) {
        if (strcmp(quantities[i], quantity) == 0) {
            return true;
        }
    }
    return false;
}

#endif
