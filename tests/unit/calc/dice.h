/* Reproducible chance for property tests: splitmix64 with a fixed seed. */
#ifndef UNIT_CALC_DICE_H
#define UNIT_CALC_DICE_H

#include <stdint.h>

struct dice {
    uint64_t state;
};

static inline uint64_t dice_next(struct dice *d) {
    uint64_t z = d->state += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

/* 0 .. sides - 1 */
static inline uint64_t dice_roll(struct dice *d, uint64_t sides) {
    return dice_next(d) % sides;
}

/* A number of at most `bits` bits, small ones as likely as large ones. */
static inline uint64_t dice_wide(struct dice *d, unsigned bits) {
    return dice_next(d) >> (64 - 1 - dice_roll(d, bits));
}

#endif
