/* The formats as one table, and what follows from a row of it: limits, fields of a pattern, class, value, neighbours.
 * Nothing here knows a format by name, so a new one is a row. Rounding into a format is encode.c. Callers are the
 * command `format`, lessons and experiments; nothing is owned. Left out: signalling nans and payloads.
 * Proof: tests/unit/num/test_format.c, which decodes every pattern of every type up to 16 bits. */
#include "shardlab/num/format.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "num_private.h"

static const struct num_format formats[NUM_TYPES] = {
    /* name, bits, sign, exponent, mantissa, unused, bias, zero */
    [NUM_FP32] = {"fp32", 32, 1, 8, 23, 0, 127, true, NUM_SPECIALS_IEEE, NUM_OVERFLOW_INF},
    [NUM_TF32] = {"tf32", 32, 1, 8, 10, 13, 127, true, NUM_SPECIALS_IEEE, NUM_OVERFLOW_INF},
    [NUM_FP16] = {"fp16", 16, 1, 5, 10, 0, 15, true, NUM_SPECIALS_IEEE, NUM_OVERFLOW_INF},
    [NUM_BF16] = {"bf16", 16, 1, 8, 7, 0, 127, true, NUM_SPECIALS_IEEE, NUM_OVERFLOW_INF},
    [NUM_E4M3] = {"e4m3", 8, 1, 4, 3, 0, 7, true, NUM_SPECIALS_NAN_ONLY, NUM_OVERFLOW_SATURATE},
    [NUM_E5M2] = {"e5m2", 8, 1, 5, 2, 0, 15, true, NUM_SPECIALS_IEEE, NUM_OVERFLOW_INF},
    [NUM_E2M1] = {"e2m1", 4, 1, 2, 1, 0, 1, true, NUM_SPECIALS_NONE, NUM_OVERFLOW_SATURATE},
    [NUM_E2M3] = {"e2m3", 6, 1, 2, 3, 0, 1, true, NUM_SPECIALS_NONE, NUM_OVERFLOW_SATURATE},
    [NUM_E3M2] = {"e3m2", 6, 1, 3, 2, 0, 3, true, NUM_SPECIALS_NONE, NUM_OVERFLOW_SATURATE},
    [NUM_E8M0] = {"e8m0", 8, 0, 8, 0, 0, 127, false, NUM_SPECIALS_NAN_ONLY, NUM_OVERFLOW_SATURATE},
};

const struct num_format *num_format(enum num_type type) {
    assert((unsigned)type < NUM_TYPES);
    return &formats[type];
}

bool num_type_find(const char *name, enum num_type *out) {
    for (int i = 0; i < NUM_TYPES; i++) {
        if (strcmp(formats[i].name, name) == 0) {
            *out = (enum num_type)i;
            return true;
        }
    }
    return false;
}

static uint32_t ones(int bits) {
    return bits == 0 ? 0 : UINT32_MAX >> (32 - bits);
}

/* --- Magnitudes: exponent and mantissa as one number, which orders the positive values of a type --- */

int num_magnitude_bits(const struct num_format *f) {
    return f->exponent_bits + f->mantissa_bits;
}

uint32_t num_magnitude_max(const struct num_format *f) {
    uint32_t all = ones(num_magnitude_bits(f));
    switch (f->specials) {
    case NUM_SPECIALS_IEEE:
        return all - ones(f->mantissa_bits) - 1;
    case NUM_SPECIALS_NAN_ONLY:
        return all - 1;
    case NUM_SPECIALS_NONE:
        break;
    }
    return all;
}

uint32_t num_magnitude_nan(const struct num_format *f) {
    if (f->specials != NUM_SPECIALS_IEEE) {
        return ones(num_magnitude_bits(f));
    }
    assert(f->mantissa_bits > 0); /* else there is no place for a nan beside infinity */
    return num_magnitude_max(f) + 1 + (UINT32_C(1) << (f->mantissa_bits - 1));
}

uint32_t num_join(const struct num_format *f, bool negative, uint32_t magnitude) {
    uint32_t sign = negative && f->sign_bits > 0 ? UINT32_C(1) << num_magnitude_bits(f) : 0;
    return (sign | magnitude) << f->unused_bits;
}

static uint32_t magnitude_of(const struct num_format *f, uint32_t code) {
    return code >> f->unused_bits & ones(num_magnitude_bits(f));
}

static bool is_negative(const struct num_format *f, uint32_t code) {
    return f->sign_bits > 0 && (code >> f->unused_bits >> num_magnitude_bits(f) & 1U) != 0;
}

/* --- Fields and values --- */

struct num_fields num_fields(enum num_type type, uint32_t code) {
    const struct num_format *f = num_format(type);
    uint32_t magnitude = magnitude_of(f, code);
    return (struct num_fields){.sign = is_negative(f, code) ? 1 : 0,
                               .exponent = magnitude >> f->mantissa_bits,
                               .mantissa = magnitude & ones(f->mantissa_bits)};
}

uint32_t num_code(enum num_type type, struct num_fields fields) {
    const struct num_format *f = num_format(type);
    uint32_t magnitude = fields.exponent << f->mantissa_bits | fields.mantissa;
    return num_join(f, fields.sign != 0, magnitude);
}

enum num_class num_class(enum num_type type, uint32_t code) {
    const struct num_format *f = num_format(type);
    uint32_t magnitude = magnitude_of(f, code), max = num_magnitude_max(f);
    if (magnitude > max) {
        bool inf = f->specials == NUM_SPECIALS_IEEE && magnitude == max + 1;
        return inf ? NUM_CLASS_INF : NUM_CLASS_NAN;
    }
    if (f->has_zero && magnitude >> f->mantissa_bits == 0) {
        return magnitude == 0 ? NUM_CLASS_ZERO : NUM_CLASS_SUBNORMAL;
    }
    return NUM_CLASS_NORMAL;
}

const char *num_class_name(enum num_class class) {
    static const char *const names[] = {"normal", "subnormal", "zero", "inf", "nan"};
    return names[class];
}

/* The power of two that one step of the mantissa is worth at this exponent. */
static int step_exponent(const struct num_format *f, uint32_t exponent) {
    bool subnormal = f->has_zero && exponent == 0;
    return (int)exponent + (subnormal ? 1 : 0) - f->bias - f->mantissa_bits;
}

double num_decode(enum num_type type, uint32_t code) {
    const struct num_format *f = num_format(type);
    struct num_fields fields = num_fields(type, code);
    enum num_class class = num_class(type, code);
    double sign = fields.sign != 0 ? -1.0 : 1.0;
    if (class == NUM_CLASS_NAN) {
        return copysign((double)NAN, sign);
    }
    if (class == NUM_CLASS_INF) {
        return sign * (double)INFINITY;
    }
    uint32_t hidden = class == NUM_CLASS_NORMAL ? UINT32_C(1) << f->mantissa_bits : 0;
    return sign * ldexp((double)(hidden | fields.mantissa), step_exponent(f, fields.exponent));
}

double num_ulp(enum num_type type, uint32_t code) {
    enum num_class class = num_class(type, code);
    if (class == NUM_CLASS_INF || class == NUM_CLASS_NAN) {
        return (double)NAN;
    }
    return ldexp(1.0, step_exponent(num_format(type), num_fields(type, code).exponent));
}

struct num_limits num_limits(enum num_type type) {
    const struct num_format *f = num_format(type);
    struct num_limits l;
    int patterns = f->bits - f->unused_bits;
    l.max_code = num_join(f, false, num_magnitude_max(f));
    l.max = num_decode(type, l.max_code);
    l.min_normal = ldexp(1.0, (f->has_zero ? 1 : 0) - f->bias);
    bool subnormals = f->has_zero && f->mantissa_bits > 0;
    l.min_subnormal = subnormals ? ldexp(l.min_normal, -f->mantissa_bits) : (double)NAN;
    l.epsilon = ldexp(1.0, -f->mantissa_bits);
    l.codes = patterns == 32 ? 0 : UINT32_C(1) << patterns;
    return l;
}

/* --- Neighbours --- */

/* One step away from zero or towards it, on one side of zero. */
static bool step(const struct num_format *f, uint32_t code, bool outwards, uint32_t *out) {
    uint32_t magnitude = magnitude_of(f, code), max = num_magnitude_max(f);
    bool has_inf = f->specials == NUM_SPECIALS_IEEE;
    if (outwards ? magnitude >= max + (has_inf ? 1U : 0U) : magnitude == 0) {
        return false;
    }
    *out = num_join(f, is_negative(f, code), outwards ? magnitude + 1 : magnitude - 1);
    return true;
}

static bool next(enum num_type type, uint32_t code, bool up, uint32_t *out) {
    const struct num_format *f = num_format(type);
    if (num_class(type, code) == NUM_CLASS_NAN) {
        return false;
    }
    bool negative = is_negative(f, code);
    if (f->has_zero && magnitude_of(f, code) == 0) {
        if (!up && f->sign_bits == 0) {
            return false;
        }
        *out = num_join(f, !up, 1);
        return true;
    }
    return step(f, code, negative != up, out);
}

bool num_next_up(enum num_type type, uint32_t code, uint32_t *out) {
    return next(type, code, true, out);
}

bool num_next_down(enum num_type type, uint32_t code, uint32_t *out) {
    return next(type, code, false, out);
}
