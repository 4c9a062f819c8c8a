/* Decimal numbers that stay exact. Times of a pipeline come as "0.5"; a simulation of whole ticks is exact only if the
 * tick is chosen so that every time is a whole number of them, which needs the digits as written and no double. Called
 * by the command line. Nothing is owned. Left out: negative numbers and rounding. Proof:
 * tests/unit/base/test_decimal.c. */
#include "shardlab/base/decimal.h"

#include <string.h>

#include "shardlab/base/checked.h"
#include "shardlab/base/units.h"

enum { TEXT_MAX = 96, EXPONENT_MAX = 1000 };

static bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

/* The digits of "12.50" as 1250 and two places. A zero at the end is held back until a digit follows it, so that
 * zeros never overflow. */
struct scan {
    uint64_t units;
    int places; /* negative: zeros before the point that were held back */
    int held;   /* zeros behind the last digit that counted */
    bool any, too_long;
};

static void scan_digit(struct scan *s, char digit, bool after_point) {
    s->any = true;
    s->places += after_point ? 1 : 0;
    if (digit == '0') {
        s->held += s->units != 0 ? 1 : 0;
        return;
    }
    for (; s->held > 0; s->held--) {
        s->too_long |= !checked_mul(s->units, 10, &s->units);
    }
    s->too_long |= !checked_mul(s->units, 10, &s->units) ||
                   !checked_add(s->units, (uint64_t)(digit - '0'), &s->units);
}

static const char *scan_digits(struct scan *s, const char *at, bool after_point) {
    for (; is_digit(*at); at++) {
        scan_digit(s, *at, after_point);
    }
    return at;
}

/* "e-3" at the end; NULL: not an exponent. */
static const char *scan_exponent(struct scan *s, const char *at) {
    bool negative = at[1] == '-';
    int exponent = 0;
    at += at[1] == '-' || at[1] == '+' ? 2 : 1;
    if (!is_digit(*at)) {
        return NULL;
    }
    for (; is_digit(*at); at++) {
        exponent = exponent < EXPONENT_MAX ? exponent * 10 + (*at - '0') : exponent;
    }
    s->places += negative ? exponent : -exponent;
    return at;
}

enum decimal_fault decimal_parse(const char *text, struct decimal *out) {
    char folded[TEXT_MAX];
    struct scan s = {0};
    if (!units_fold(text, folded, sizeof folded)) {
        return strspn(text, "0123456789.") == strlen(text) ? DECIMAL_TOO_LONG : DECIMAL_NO_NUMBER;
    }
    const char *at = scan_digits(&s, folded, false);
    if (*at == '.') {
        at = scan_digits(&s, at + 1, true);
    }
    if (s.any && (*at == 'e' || *at == 'E')) {
        at = scan_exponent(&s, at);
    }
    if (!s.any || at == NULL || *at != '\0') {
        return DECIMAL_NO_NUMBER;
    }
    if (s.units == 0) {
        *out = (struct decimal){0, 0};
        return DECIMAL_GOOD;
    }
    int places = s.places - s.held;
    for (; places < 0 && !s.too_long; places++) {
        s.too_long |= !checked_mul(s.units, 10, &s.units);
    }
    if (s.too_long || places > DECIMAL_PLACES_MAX) {
        return DECIMAL_TOO_LONG;
    }
    *out = (struct decimal){s.units, places};
    return DECIMAL_GOOD;
}

bool decimal_units_at(const struct decimal *d, int places, uint64_t *out) {
    uint64_t units = d->units;
    for (int i = d->places; i < places; i++) {
        if (!checked_mul(units, 10, &units)) {
            return false;
        }
    }
    *out = units;
    return true;
}

void decimal_write(struct writer *w, uint64_t units, int places) {
    char digits[DECIMAL_PLACES_MAX];
    uint64_t one = 1;
    while (places > 0 && units % 10 == 0) {
        units /= 10;
        places--;
    }
    for (int i = 0; i < places; i++) {
        one *= 10;
    }
    writer_u64(w, units / one);
    if (places == 0) {
        return;
    }
    uint64_t rest = units % one;
    for (int i = places; i-- > 0;) {
        digits[i] = (char)('0' + rest % 10);
        rest /= 10;
    }
    writer_char(w, '.');
    writer_text_n(w, digits, (size_t)places);
}
