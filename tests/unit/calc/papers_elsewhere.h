/* Classes of rows whose calculator lives in a room that the tests of calc do not link: who computes them. */
#ifndef UNIT_CALC_PAPERS_ELSEWHERE_H
#define UNIT_CALC_PAPERS_ELSEWHERE_H

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

static inline bool papers_elsewhere(const char *quantity) {
    static const char *const classes[] = {
        /* tests/unit/plan/test_rows.c */
        "parallel.dp_degree",
        "erratum.parallel.dp_degree",
        "batch.tokens_m",
    };
    for (size_t i = 0; i < sizeof classes / sizeof classes[0]; i++) {
        if (strcmp(classes[i], quantity) == 0) {
            return true;
        }
    }
    return false;
}

#endif
