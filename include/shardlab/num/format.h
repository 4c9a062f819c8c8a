/* Number formats of low-precision training, as data, and the one rounding between them and binary64: encode with a
 * single rounding, decode exactly, neighbours, ulp, class. A code is the stored pattern, right-aligned in 32 bits.
 * Sources: IEEE 754-2019; OCP 8-bit Floating Point Specification 1.0 (e4m3, e5m2); OCP Microscaling Formats 1.0
 * (e2m1, e2m3, e3m2, e8m0); tf32 and bf16 as NVIDIA's PTX ISA has them. Proof: tests/unit/num/. */
#ifndef NUM_FORMAT_H
#define NUM_FORMAT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "shardlab/base/attributes.h"

enum num_type {
    NUM_FP32,
    NUM_TF32,
    NUM_FP16,
    NUM_BF16,
    NUM_E4M3,
    NUM_E5M2,
    NUM_E2M1,
    NUM_E2M3,
    NUM_E3M2,
    NUM_E8M0,
    NUM_TYPES
};

/* Which patterns are no numbers. */
enum num_specials {
    NUM_SPECIALS_NONE,    /* every pattern is a number */
    NUM_SPECIALS_IEEE,    /* highest exponent: mantissa 0 is inf, any other is nan */
    NUM_SPECIALS_NAN_ONLY /* all ones is nan, the rest of the highest exponent are numbers */
};

/* What happens to a number whose rounded value would pass the largest one. */
enum num_overflow {
    NUM_OVERFLOW_INF,     /* inf; nan in a type without inf */
    NUM_OVERFLOW_SATURATE /* the largest number, also for an infinite input */
};

/* From the left: sign, exponent, mantissa, unused bits. Value of a normal pattern:
 * ± 2^(exponent − bias) × (1 + mantissa / 2^mantissa_bits). */
struct num_format {
    const char *name;
    int bits;      /* of the stored pattern, unused ones included */
    int sign_bits; /* 1, or 0 for a type of positive numbers */
    int exponent_bits;
    int mantissa_bits;
    int unused_bits; /* tf32 lies in the upper 19 bits of a 32-bit register: 13 */
    int bias;
    bool has_zero; /* exponent 0 holds zero and the subnormals; false: it is a normal exponent */
    enum num_specials specials;
    enum num_overflow overflow; /* the default of CONTRACT, "shardlab format" */
};

const struct num_format *num_format(enum num_type type);
/* False: no type of that name. */
MUST_USE bool num_type_find(const char *name, enum num_type *out);

struct num_limits {
    double max;
    double min_normal;    /* the smallest positive normal number */
    double min_subnormal; /* the smallest positive number below it; nan: there are no subnormals */
    double epsilon;       /* from 1 to the next number */
    uint32_t max_code;
    uint32_t codes; /* patterns there are; unused bits do not count. 2^32 does not fit: 0 */
};
struct num_limits num_limits(enum num_type type);

enum num_class {
    NUM_CLASS_NORMAL,
    NUM_CLASS_SUBNORMAL,
    NUM_CLASS_ZERO,
    NUM_CLASS_INF,
    NUM_CLASS_NAN
};
const char *num_class_name(enum num_class class); /* "normal", "subnormal", "zero", "inf", "nan" */

/* A pattern taken apart. */
struct num_fields {
    uint32_t sign, exponent, mantissa;
};
struct num_fields num_fields(enum num_type type, uint32_t code);
uint32_t num_code(enum num_type type, struct num_fields fields);

/* Exact: binary64 holds every number of every type. nan for a nan, ±INFINITY for an inf. */
double num_decode(enum num_type type, uint32_t code);
enum num_class num_class(enum num_type type, uint32_t code);

enum num_mode {
    NUM_MODE_NEAREST, /* ties to the even pattern */
    NUM_MODE_TOWARD_ZERO,
    NUM_MODE_STOCHASTIC, /* away from zero with the probability of what would be cut off */
};

struct num_rounding {
    enum num_mode mode;
    enum num_overflow overflow;
    uint64_t random; /* NUM_MODE_STOCHASTIC: 64 independent bits, the caller's */
};
/* To nearest, with the type's own answer to overflow. */
struct num_rounding num_rounding_of(enum num_type type);

struct num_encoded {
    uint32_t code;
    enum num_class class; /* of what the code stands for; nan when there is no pattern for it */
    bool saturated;       /* the rounded value passed max and max was taken */
    /* Neither a number nor a pattern for "not a number" (nan, or an overflow that may not saturate, in a type of
     * NUM_SPECIALS_NONE): class is nan and the code that of +max, as PTX's cvt leaves it. */
    bool no_pattern;
};

/* One rounding from binary64. A negative number in a type of positive numbers is nan; zero, which e8m0 lacks, is its
 * smallest number. A nan keeps its sign and becomes the quiet nan of the type. */
struct num_encoded num_encode(enum num_type type, double value, struct num_rounding rounding);

/* The value of what was encoded: nan when there was no pattern. */
double num_encoded_value(enum num_type type, struct num_encoded encoded);

/* The next number above and below on the number line; ±0 is one number. Past the largest: inf where the type has it.
 * False: there is none, or the code is nan. */
MUST_USE bool num_next_up(enum num_type type, uint32_t code, uint32_t *out);
MUST_USE bool num_next_down(enum num_type type, uint32_t code, uint32_t *out);

/* The step of the type at a number: the distance between numbers of its exponent. nan for inf and nan. */
double num_ulp(enum num_type type, uint32_t code);

#endif
