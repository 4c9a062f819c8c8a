/* Numbers as people write them, both ways (CONTRACT, "Conventions"): `7B`, `16K`, `2851e6`, `64MiB`,
 * full-width `７Ｂ`; and bytes, counts and ratios for the screen. No locale is consulted.
 * Proof: tests/unit/base/test_units.c and test_units_format.c. */
#ifndef BASE_UNITS_H
#define BASE_UNITS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "shardlab/base/attributes.h"
#include "shardlab/base/writer.h"

enum unit_system {
    UNIT_GB,  /* 10^9 bytes */
    UNIT_GIB, /* 2^30 bytes */
};

/* Copies `text` with full-width forms U+FF01..U+FF5E and the ideographic space folded to ASCII.
 * False when it does not fit in `capacity`. */
MUST_USE bool units_fold(const char *text, char *out, size_t capacity);

/* A whole number: decimal digits (commas between groups of three allowed), an optional fraction or exponent
 * that ends on a whole number (`7.5B`, `.5K`, `2851e6`), an optional suffix K M B (or G) T in either case.
 * K multiplies by `kilo`: 1000, or 1024 for sequence lengths; the others are 10^6, 10^9, 10^12.
 * Exact: computed on integers, never through a double. False: not such a number, negative, or past 2^64-1. */
MUST_USE bool units_parse_count(const char *text, uint64_t kilo, uint64_t *out);

/* Bytes: a number as above without suffix, or with B, KB MB GB TB (powers of 1000), KiB MiB GiB TiB (1024),
 * in either case. */
MUST_USE bool units_parse_bytes(const char *text, uint64_t *out);

/* A finite real: `0.40`, `1e-8`. False for nan, inf, trailing text. */
MUST_USE bool units_parse_real(const char *text, double *out);

/* True if `text` reads as a number, signed or not, with any suffix above, or as inf or nan (so that `-1` and
 * `-inf` are values and not options). */
bool units_looks_numeric(const char *text);

/* bytes as GB or GiB without the unit's name, `decimals` digits: 13.48. Exact for every uint64_t. */
void units_write_bytes(struct writer *w, uint64_t bytes, enum unit_system system, int decimals);
const char *units_name(enum unit_system system); /* "GB" or "GiB" */

/* A parameter count in three or four significant digits: 6.74B, 124M, 1.01T, 512. Below 10,000 it is exact;
 * from 1000T on all digits before T are shown. */
void units_write_short_count(struct writer *w, uint64_t count);

#endif
