/* Bytes and counts as a person reads them: the writing half of units.h. All of it is integer
 * arithmetic, so that what is shown is the exact value rounded once, half away from zero, for every
 * uint64_t. Callers are views, messages and text output. Nothing is owned. Reading is
 * units_parse.c. Proof: tests/unit/base/test_units_format.c. */
#include "shardlab/base/units.h"

#include <assert.h>

static uint64_t power_of_ten(int exponent) {
    uint64_t power = 1;
    for (int i = 0; i < exponent; i++) {
        power *= 10;
    }
    return power;
}

/* whole.fraction, the fraction as `decimals` digits. */
static void write_decimal(struct writer *w, uint64_t whole, uint64_t fraction, int decimals) {
    writer_u64(w, whole);
    if (decimals > 0) {
        writer_char(w, '.');
    }
    for (int place = decimals - 1; place >= 0; place--) {
        writer_char(w, (char)('0' + fraction / power_of_ten(place) % 10));
    }
}

void units_write_bytes(struct writer *w, uint64_t bytes, enum unit_system system, int decimals) {
    assert(decimals >= 0 && decimals <= 9);
    const uint64_t unit = system == UNIT_GIB ? UINT64_C(1) << 30 : UINT64_C(1000000000);
    const uint64_t scale = power_of_ten(decimals);
    /* The rest is at most 2^30: times 10^9 it still fits. It may round up to one whole unit. */
    uint64_t rest = (bytes % unit * scale + unit / 2) / unit;
    write_decimal(w, bytes / unit + rest / scale, rest % scale, decimals);
}

const char *units_name(enum unit_system system) {
    return system == UNIT_GIB ? "GiB" : "GB";
}

/* value / step, rounded half up, without the sum that could wrap. */
static uint64_t div_round(uint64_t value, uint64_t step) {
    return value / step + (value % step >= step / 2 ? 1 : 0);
}

void units_write_short_count(struct writer *w, uint64_t count) {
    static const char suffixes[] = "KMBT";
    if (count < 10000) {
        writer_u64(w, count);
        return;
    }
    uint64_t unit = 1;
    for (const char *suffix = suffixes; *suffix != '\0'; suffix++) {
        unit *= 1000;
        for (int decimals = 2; decimals >= 0; decimals--) {
            uint64_t scaled = div_round(count, unit / power_of_ten(decimals));
            /* Past 999 the next place or unit is due, also when only rounding got there; after T
             * there is none. */
            if (scaled < 1000 || (suffix[1] == '\0' && decimals == 0)) {
                uint64_t scale = power_of_ten(decimals);
                write_decimal(w, scaled / scale, scaled % scale, decimals);
                writer_char(w, *suffix);
                return;
            }
        }
    }
}
