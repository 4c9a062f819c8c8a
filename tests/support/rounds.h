/* How often a test of random cases draws: `usual` in every run, TEST_ROUNDS times in the long one (target `long`).
 * A test that is not asked for more never draws fewer. */
#ifndef SUPPORT_ROUNDS_H
#define SUPPORT_ROUNDS_H

#include <stdlib.h>

static inline int test_rounds(int usual) {
    const char *wanted = getenv("TEST_ROUNDS");
    int rounds = wanted == NULL ? 0 : (int)strtol(wanted, NULL, 10);
    return rounds > usual ? rounds : usual;
}

/* For cases that each take `times` as long as others: a part of the rounds of the long run. */
static inline int test_rounds_slow(int usual, int times) {
    int rounds = test_rounds(0) / times;
    return rounds > usual ? rounds : usual;
}

#endif
