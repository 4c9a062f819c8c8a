/* Arithmetic on byte counts that refuses to wrap. A calculator that multiplied past 2^64 would show
 * a small, believable and wrong number of bytes; these functions make it say so instead. Called by
 * every calculator. Nothing is owned. Signed numbers and reals are left out. Proof:
 * tests/unit/base/test_checked.c. */
#include "shardlab/base/checked.h"

#include <assert.h>

bool checked_add(uint64_t a, uint64_t b, uint64_t *out) {
    if (a > UINT64_MAX - b) {
        return false;
    }
    *out = a + b;
    return true;
}

bool checked_sub(uint64_t a, uint64_t b, uint64_t *out) {
    if (b > a) {
        return false;
    }
    *out = a - b;
    return true;
}

bool checked_mul(uint64_t a, uint64_t b, uint64_t *out) {
    uint64_t product = 0; /* gcc's and clang's own, since a division takes ten times as long */
    if (__builtin_mul_overflow(a, b, &product)) {
        return false;
    }
    *out = product;
    return true;
}

uint64_t checked_div_up(uint64_t a, uint64_t b) {
    assert(b > 0);
    return a / b + (a % b != 0 ? 1 : 0);
}
