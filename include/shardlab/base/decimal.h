/* Decimal numbers that stay exact: a whole number of units of 10^-places, so that 0.1 is one tenth and sums of times
 * do not round. Not negative. Proof: tests/unit/base/test_decimal.c. */
#ifndef BASE_DECIMAL_H
#define BASE_DECIMAL_H

#include <stdbool.h>
#include <stdint.h>

#include "shardlab/base/attributes.h"
#include "shardlab/base/writer.h"

enum { DECIMAL_PLACES_MAX = 18 };

/* units / 10^places */
struct decimal {
    uint64_t units;
    int places; /* 0..DECIMAL_PLACES_MAX; the last of them is not 0 */
};

enum decimal_fault {
    DECIMAL_GOOD,
    DECIMAL_NO_NUMBER, /* not digits with at most one point and an exponent, or negative */
    DECIMAL_TOO_LONG,  /* more digits than 64 bits and DECIMAL_PLACES_MAX places hold */
};

/* "1", "0.25", ".5", "2.", "15e-1", full-width digits too. *out is untouched unless it is good. */
MUST_USE enum decimal_fault decimal_parse(const char *text, struct decimal *out);

/* The number in units of 10^-places, places >= d->places; false: it does not fit in 64 bits. */
MUST_USE bool decimal_units_at(const struct decimal *d, int places, uint64_t *out);

/* units / 10^places, without trailing zeros: "33", "16.5". */
void decimal_write(struct writer *w, uint64_t units, int places);

#endif
