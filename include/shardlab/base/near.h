/* How far apart two words are, for sentences that say what somebody may have meant. Proof: tests/unit/base/test_near.c. */
#ifndef BASE_NEAR_H
#define BASE_NEAR_H

#include <stddef.h>

enum { NEAR_BYTES_MAX = 32, NEAR_FAR = 1000 };

/* Bytes to change, add or drop to get from `a` (`length` bytes) to `b`; NEAR_FAR if one is longer than NEAR_BYTES_MAX. */
int near_distance(const char *a, size_t length, const char *b);

#endif
