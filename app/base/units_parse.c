/* Numbers as people write them: the reading half of units.h. Command lines, sliders and files give
 * `7B`, `2851e6`, `64MiB`, often typed with a full-width input method; a number that is almost
 * right must be refused and never guessed. Whole numbers are kept as decimal digits and multiplied
 * by hand, so a result is exact or refused however long the fraction is. Text longer than
 * NUMBER_TEXT_MAX bytes is not a number; spaces are not part of one. Nothing is owned. Writing is
 * units_format.c. Proof: tests/unit/base/test_units.c. */
#include "shardlab/base/units.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "shardlab/base/checked.h"
#include "shardlab/base/utf8.h"

enum {
    NUMBER_TEXT_MAX = 127,
    /* Digits that a multiplication by a suffix (below 2^41) may add in front. */
    CARRY_MAX = 16,
    DIGITS_MAX = CARRY_MAX + NUMBER_TEXT_MAX,
    /* Larger exponents all mean the same: too large, or not whole. */
    EXPONENT_MAX = 100000,
};

/* digits × 10^exponent, the digits as written, leading and trailing zeros included. */
struct decimal {
    unsigned char
        digits[DIGITS_MAX]; /* values 0..9; the first CARRY_MAX are zero until multiplied */
    int count;
    int exponent;
};

struct suffix {
    const char *name; /* lower case */
    uint64_t factor;
};

bool units_fold(const char *text, char *out, size_t capacity) {
    if (capacity == 0) {
        return false;
    }
    size_t left = strlen(text);
    size_t used = 0;
    while (left > 0) {
        uint32_t c = 0;
        size_t taken = utf8_decode(text, left, &c);
        bool wide = taken > 0 && ((c >= 0xFF01 && c <= 0xFF5E) || c == 0x3000);
        size_t step = taken > 0 ? taken : 1;
        size_t written = wide ? 1 : step;
        if (capacity - used <= written) {
            return false;
        }
        if (wide) {
            out[used] = c == 0x3000 ? ' ' : (char)(c - 0xFEE0U);
        } else {
            memcpy(out + used, text, step);
        }
        used += written;
        text += step;
        left -= step;
    }
    out[used] = '\0';
    return true;
}

static bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

/* Appends the run of digits at `p`; returns its end. */
static const char *scan_digits(const char *p, struct decimal *d) {
    while (is_digit(*p)) {
        d->digits[d->count++] = (unsigned char)(*p++ - '0');
    }
    return p;
}

/* The digits before the point: one run, or 1 to 3 digits and then groups of exactly three. NULL:
 * misplaced comma. */
static const char *scan_whole(const char *p, struct decimal *d) {
    const char *end = scan_digits(p, d);
    if (*end == ',' && (end == p || end - p > 3)) {
        return NULL;
    }
    while (*end == ',') {
        const char *group = end + 1;
        end = scan_digits(group, d);
        if (end - group != 3) {
            return NULL;
        }
    }
    return end;
}

/* "e6", "E-3" after the digits; NULL when the e has no digits. */
static const char *scan_exponent(const char *p, struct decimal *d) {
    if (*p != 'e' && *p != 'E') {
        return p;
    }
    p++;
    bool negative = *p == '-';
    if (*p == '-' || *p == '+') {
        p++;
    }
    if (!is_digit(*p)) {
        return NULL;
    }
    int value = 0;
    for (; is_digit(*p); p++) {
        value = value < EXPONENT_MAX ? value * 10 + (*p - '0') : value;
    }
    d->exponent += negative ? -value : value;
    return p;
}

/* Reads an unsigned decimal number (`text` at most NUMBER_TEXT_MAX bytes); returns its end, or
 * NULL. */
static const char *scan_decimal(const char *text, struct decimal *d) {
    *d = (struct decimal){.count = CARRY_MAX};
    const char *p = scan_whole(text, d);
    if (p == NULL) {
        return NULL;
    }
    bool any = p > text;
    if (*p == '.') {
        const char *fraction = p + 1;
        p = scan_digits(fraction, d);
        if (p == fraction) {
            return NULL;
        }
        d->exponent = -(int)(p - fraction);
        any = true;
    }
    return any ? scan_exponent(p, d) : NULL;
}

static void decimal_multiply(struct decimal *d, uint64_t factor) {
    uint64_t carry = 0;
    for (int i = d->count - 1; i >= 0; i--) {
        uint64_t product = d->digits[i] * factor + carry;
        d->digits[i] = (unsigned char)(product % 10);
        carry = product / 10;
    }
    assert(carry == 0);
}

/* The value, when it is whole and below 2^64. */
static bool decimal_whole(const struct decimal *d, uint64_t *out) {
    uint64_t value = 0;
    int whole = d->count + d->exponent; /* how many digits stand before the point */
    for (int i = 0; i < d->count; i++) {
        if (i >= whole) {
            if (d->digits[i] != 0) {
                return false;
            }
        } else if (!checked_mul(value, 10, &value) || !checked_add(value, d->digits[i], &value)) {
            return false;
        }
    }
    for (int i = d->count; i < whole && value != 0; i++) {
        if (!checked_mul(value, 10, &value)) {
            return false;
        }
    }
    *out = value;
    return true;
}

/* d × factor; false also for the factor 0 of an unknown suffix. */
static bool decimal_times(struct decimal *d, uint64_t factor, uint64_t *out) {
    if (factor == 0) {
        return false;
    }
    decimal_multiply(d, factor);
    return decimal_whole(d, out);
}

/* ASCII only: what the locale takes for letters is of no interest. */
static char to_lower(char c) {
    return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

static bool same_word(const char *text, const char *lower) {
    while (*text != '\0' && to_lower(*text) == *lower) {
        text++;
        lower++;
    }
    return *text == '\0' && *lower == '\0';
}

/* The factor that `text` stands for among `count` suffixes; 0: none of them. */
static uint64_t suffix_factor(const char *text, const struct suffix *suffixes, size_t count) {
    for (size_t i = 0; i < count; i++) {
        if (same_word(text, suffixes[i].name)) {
            return suffixes[i].factor;
        }
    }
    return 0;
}

static uint64_t count_factor(const char *text, uint64_t kilo) {
    const struct suffix suffixes[] = {
        {"", 1},
        {"k", kilo},
        {"m", UINT64_C(1000000)},
        {"b", UINT64_C(1000000000)},
        {"g", UINT64_C(1000000000)},
        {"t", UINT64_C(1000000000000)},
    };
    return suffix_factor(text, suffixes, sizeof suffixes / sizeof suffixes[0]);
}

static uint64_t bytes_factor(const char *text) {
    static const struct suffix suffixes[] = {
        {"", 1},
        {"b", 1},
        {"kb", UINT64_C(1000)},
        {"mb", UINT64_C(1000000)},
        {"gb", UINT64_C(1000000000)},
        {"tb", UINT64_C(1000000000000)},
        {"kib", UINT64_C(1) << 10},
        {"mib", UINT64_C(1) << 20},
        {"gib", UINT64_C(1) << 30},
        {"tib", UINT64_C(1) << 40},
    };
    return suffix_factor(text, suffixes, sizeof suffixes / sizeof suffixes[0]);
}

bool units_parse_count(const char *text, uint64_t kilo, uint64_t *out) {
    assert(kilo == 1000 || kilo == 1024);
    char folded[NUMBER_TEXT_MAX + 1];
    struct decimal d;
    const char *end = units_fold(text, folded, sizeof folded) ? scan_decimal(folded, &d) : NULL;
    return end != NULL && decimal_times(&d, count_factor(end, kilo), out);
}

bool units_parse_bytes(const char *text, uint64_t *out) {
    char folded[NUMBER_TEXT_MAX + 1];
    struct decimal d;
    const char *end = units_fold(text, folded, sizeof folded) ? scan_decimal(folded, &d) : NULL;
    return end != NULL && decimal_times(&d, bytes_factor(end), out);
}

static const char *skip_sign(const char *text) {
    return *text == '-' || *text == '+' ? text + 1 : text;
}

/* strtod of text that passed scan_decimal. It wants the locale's point, which printf shows between
 * two zeros. */
static double read_real(const char *text) {
    char zero[16];
    char local[NUMBER_TEXT_MAX + sizeof zero];
    int zero_bytes = snprintf(zero, sizeof zero, "%.1f", 0.0);
    assert(zero_bytes >= 3 && zero_bytes < (int)sizeof zero);
    size_t point_bytes = (size_t)zero_bytes - 2;
    size_t used = 0;
    for (const char *p = text; *p != '\0'; p++) {
        if (*p == '.') {
            memcpy(local + used, zero + 1, point_bytes);
            used += point_bytes;
        } else {
            local[used++] = *p;
        }
    }
    local[used] = '\0';
    return strtod(local, NULL);
}

bool units_parse_real(const char *text, double *out) {
    char folded[NUMBER_TEXT_MAX + 1];
    struct decimal d;
    if (!units_fold(text, folded, sizeof folded) || strchr(folded, ',') != NULL) {
        return false;
    }
    const char *end = scan_decimal(skip_sign(folded), &d);
    if (end == NULL || *end != '\0') {
        return false;
    }
    double value = read_real(folded);
    if (!isfinite(value)) {
        return false;
    }
    *out = value;
    return true;
}

bool units_looks_numeric(const char *text) {
    char folded[NUMBER_TEXT_MAX + 1];
    struct decimal d;
    if (!units_fold(text, folded, sizeof folded)) {
        return false;
    }
    const char *unsigned_text = skip_sign(folded);
    if (same_word(unsigned_text, "inf") || same_word(unsigned_text, "nan")) {
        return true;
    }
    const char *end = scan_decimal(unsigned_text, &d);
    return end != NULL && (count_factor(end, 1000) != 0 || bytes_factor(end) != 0);
}
