/* Random bits and random doubles with a fixed seed, for the tests of this room. */
#ifndef NUM_DICE_H
#define NUM_DICE_H

#include <math.h>
#include <stdint.h>
#include <string.h>

struct dice {
    uint64_t state; /* not 0 */
};

static inline uint64_t dice_bits(struct dice *d) {
    d->state += UINT64_C(0x9E3779B97F4A7C15);
    uint64_t z = d->state;
    z = (z ^ z >> 30) * UINT64_C(0xBF58476D1CE4E5B9);
    z = (z ^ z >> 27) * UINT64_C(0x94D049BB133111EB);
    return z ^ z >> 31;
}

/* Any finite double, all exponents alike. */
static inline double dice_double(struct dice *d) {
    uint64_t bits;
    double value;
    do {
        bits = dice_bits(d);
        memcpy(&value, &bits, sizeof value);
    } while (!isfinite(value));
    return value;
}

/* A double near the numbers of a type: its exponent within `low` … `high`. */
static inline double dice_near(struct dice *d, int low, int high) {
    double mantissa = 1.0 + (double)(dice_bits(d) >> 12) / 4503599627370496.0;
    int exponent = low + (int)(dice_bits(d) % (uint64_t)(high - low + 1));
    double value = ldexp(mantissa, exponent);
    return dice_bits(d) % 2 == 0 ? value : -value;
}

#endif
