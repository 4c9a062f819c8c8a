/* From binary64 into a format with exactly one rounding, on integers: the significand of the input is cut where the
 * last bit of the format lies, what is cut off decides whether the magnitude goes up by one, and the carry does the
 * rest (into the next exponent, from the subnormals to the normals, past the largest number). This is the plain
 * reference; convert.c has the fast paths, which a test holds to it. Proof: tests/unit/num/test_encode.c, against
 * a search among the decoded values. */
#include <math.h>
#include <string.h>

#include "num_private.h"

enum { DOUBLE_MANTISSA = 52, DOUBLE_BIAS = 1023, RANDOM_BITS = 64 };

/* ± significand × 2^exponent, exactly the finite input. */
struct split {
    uint64_t significand; /* below 2^53 */
    int exponent;
    int leading; /* floor(log2 |value|), far below any format for zero */
};

static struct split split(double value) {
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    uint64_t mantissa = bits & ((UINT64_C(1) << DOUBLE_MANTISSA) - 1);
    int biased = (int)(bits >> DOUBLE_MANTISSA & 0x7FF);
    bool normal = biased > 0;
    return (struct split){.significand = mantissa | (normal ? UINT64_C(1) << DOUBLE_MANTISSA : 0),
                          .exponent = (normal ? biased : 1) - DOUBLE_BIAS - DOUBLE_MANTISSA,
                          .leading = (normal ? biased : 0) - DOUBLE_BIAS};
}

/* Whether `cut`, the lowest `shift` >= 1 bits that are dropped, carry the magnitude up by one. */
static bool goes_up(uint64_t magnitude, uint64_t cut, int shift,
                    const struct num_rounding *rounding) {
    switch (rounding->mode) {
    case NUM_MODE_TOWARD_ZERO:
        return false;
    case NUM_MODE_STOCHASTIC: {
        /* cut / 2^shift as a fraction of 2^64; below 2^-64 it is lost, which no sum of ours can see */
        int left = RANDOM_BITS - shift;
        uint64_t share = left >= 0 ? cut << left : -left < RANDOM_BITS ? cut >> -left : 0;
        return rounding->random < share;
    }
    case NUM_MODE_NEAREST:
        break;
    }
    if (shift > DOUBLE_MANTISSA + 1) {
        return false; /* less than half of the first step */
    }
    uint64_t half = UINT64_C(1) << (shift - 1);
    return cut > half || (cut == half && (magnitude & 1) != 0);
}

/* The magnitude of a finite value, which may lie past the largest number. */
static uint64_t round_magnitude(const struct num_format *f, double value,
                                const struct num_rounding *rounding) {
    struct split in = split(value);
    int lowest = (f->has_zero ? 1 : 0) - f->bias;
    if (!f->has_zero && in.leading < lowest) {
        return 0; /* nothing lies below the smallest number, so it is the nearest */
    }
    int exponent = in.leading > lowest ? in.leading : lowest;
    int shift = exponent - f->mantissa_bits - in.exponent;
    bool all = shift >= 64;
    uint64_t kept = all ? 0 : in.significand >> shift;
    uint64_t cut = all ? in.significand : in.significand & ((UINT64_C(1) << shift) - 1);
    /* the hidden bit is in `kept` and counts as one exponent, but for a type whose lowest one is 0 */
    uint64_t magnitude =
        ((uint64_t)(exponent - lowest) << f->mantissa_bits) + kept - (f->has_zero ? 0 : 1);
    return magnitude + (goes_up(magnitude, cut, shift, rounding) ? 1 : 0);
}

static struct num_encoded made(enum num_type type, uint32_t code) {
    return (struct num_encoded){.code = code, .class = num_class(type, code)};
}

static struct num_encoded not_a_number(enum num_type type, bool negative) {
    const struct num_format *f = num_format(type);
    if (f->specials == NUM_SPECIALS_NONE) {
        return (struct num_encoded){.code = num_join(f, false, num_magnitude_max(f)),
                                    .class = NUM_CLASS_NAN,
                                    .no_pattern = true};
    }
    return made(type, num_join(f, negative, num_magnitude_nan(f)));
}

static struct num_encoded too_large(enum num_type type, bool negative, enum num_overflow overflow) {
    const struct num_format *f = num_format(type);
    uint32_t max = num_magnitude_max(f);
    if (overflow == NUM_OVERFLOW_SATURATE) {
        struct num_encoded e = made(type, num_join(f, negative, max));
        e.saturated = true;
        return e;
    }
    return f->specials == NUM_SPECIALS_IEEE ? made(type, num_join(f, negative, max + 1))
                                            : not_a_number(type, negative);
}

struct num_rounding num_rounding_of(enum num_type type) {
    return (struct num_rounding){NUM_MODE_NEAREST, num_format(type)->overflow, 0};
}

struct num_encoded num_encode(enum num_type type, double value, struct num_rounding rounding) {
    const struct num_format *f = num_format(type);
    bool negative = signbit(value) != 0;
    bool zero = !(value > 0) && !(value < 0) && !isnan(value);
    if (isnan(value) || (negative && f->sign_bits == 0 && !zero)) {
        return not_a_number(type, negative);
    }
    if (isinf(value)) {
        return too_large(type, negative, rounding.overflow);
    }
    uint64_t magnitude = round_magnitude(f, value, &rounding);
    if (magnitude > num_magnitude_max(f)) {
        return too_large(type, negative, rounding.overflow);
    }
    return made(type, num_join(f, negative, (uint32_t)magnitude));
}

double num_encoded_value(enum num_type type, struct num_encoded encoded) {
    return encoded.no_pattern ? (double)NAN : num_decode(type, encoded.code);
}
