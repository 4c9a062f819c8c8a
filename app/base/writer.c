/* Text that grows. All text of the program (screens, JSON, command lines, messages) is appended
 * through a struct writer, so that one place knows about room running out, about UTF-8 and about
 * the decimal point. The buffer is the caller's or the grow hook's; nothing is allocated here. What
 * did not fit is cut between code points, never inside one. Columns and wrapping are left to `ui`.
 * Proof: tests/unit/base/test_writer.c. */
#include "shardlab/base/writer.h"

#include <assert.h>
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "shardlab/base/utf8.h"

enum {
    U64_DIGITS_MAX = 20,
    /* DBL_MAX has 309 digits before the point; sign, a point of up to 4 bytes, 9 decimals, NUL. */
    REAL_BYTES_MAX = 352,
};

void writer_start(struct writer *w, char *buffer, size_t capacity) {
    assert(buffer != NULL && capacity >= 1);
    *w = (struct writer){.bytes = buffer, .capacity = capacity};
    buffer[0] = '\0';
}

/* Bytes that can be appended now, after asking the hook for `wanted`. */
static size_t writer_room(struct writer *w, size_t wanted) {
    if (w->grow != NULL && wanted <= SIZE_MAX - w->length - 1 &&
        w->length + wanted + 1 > w->capacity && !w->grow(w, w->length + wanted + 1)) {
        w->overflow = true;
    }
    return w->capacity > w->length ? w->capacity - w->length - 1 : 0;
}

/* The longest prefix of `text` within `room` bytes that does not end inside a code point. */
static size_t whole_prefix(const char *text, size_t room) {
    size_t fits = room;
    while (fits > 0 && ((unsigned char)text[fits] & 0xC0U) == 0x80U) {
        fits--;
    }
    return fits;
}

void writer_text_n(struct writer *w, const char *text, size_t length) {
    if (w->overflow || length == 0) {
        return;
    }
    size_t room = writer_room(w, length);
    if (length > room) {
        w->overflow = true;
        length = whole_prefix(text, room);
    }
    if (length > 0) {
        memcpy(w->bytes + w->length, text, length);
        w->length += length;
        w->bytes[w->length] = '\0';
    }
}

void writer_text(struct writer *w, const char *text) {
    writer_text_n(w, text, strlen(text));
}

void writer_char(struct writer *w, char c) {
    writer_text_n(w, &c, 1);
}

void writer_repeat(struct writer *w, char c, int times) {
    for (int i = 0; i < times && !w->overflow; i++) {
        writer_char(w, c);
    }
}

void writer_code_point(struct writer *w, uint32_t code_point) {
    char bytes[UTF8_BYTES_MAX];
    writer_text_n(w, bytes, utf8_encode(code_point, bytes));
}

/* Decimal digits of `value` at the end of `digits`; returns where they start. */
static int u64_digits(uint64_t value, char digits[U64_DIGITS_MAX]) {
    int start = U64_DIGITS_MAX;
    do {
        digits[--start] = (char)('0' + value % 10);
        value /= 10;
    } while (value != 0);
    return start;
}

void writer_u64(struct writer *w, uint64_t value) {
    char digits[U64_DIGITS_MAX];
    int start = u64_digits(value, digits);
    writer_text_n(w, digits + start, (size_t)(U64_DIGITS_MAX - start));
}

void writer_u64_grouped(struct writer *w, uint64_t value) {
    char digits[U64_DIGITS_MAX];
    int start = u64_digits(value, digits);
    for (int i = start; i < U64_DIGITS_MAX; i++) {
        if (i > start && (U64_DIGITS_MAX - i) % 3 == 0) {
            writer_char(w, ',');
        }
        writer_char(w, digits[i]);
    }
}

static bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

/* Appends what snprintf made of a finite real, with "." for whatever the locale puts between the
 * digits. */
static void write_with_point(struct writer *w, const char *text) {
    bool in_point = false;
    for (const char *p = text; *p != '\0'; p++) {
        bool ours = is_digit(*p) || *p == '-' || *p == '+' || *p == 'e';
        if (ours) {
            writer_char(w, *p);
        } else if (!in_point) {
            writer_char(w, '.');
        }
        in_point = !ours;
    }
}

/* nan and inf are a caller's mistake, but a visible word is better than an undefined conversion. */
static bool write_not_finite(struct writer *w, double value) {
    if (isfinite(value)) {
        return false;
    }
    writer_text(w, isnan(value) ? "nan" : value < 0 ? "-inf" : "inf");
    return true;
}

/* True when `value` lies exactly between two neighbours of `decimals` digits. Such a tie is an odd
 * multiple of 1/(2·10^d); as a double it has no factor 5 below the line, so it is an odd multiple
 * of 2^-(d+1). The product below is by a power of two and therefore exact. */
static bool is_tie(double value, int decimals) {
    double scaled = fabs(value) * (double)(UINT32_C(1) << (decimals + 1));
    if (!(scaled < 9007199254740992.0)) {
        return false;
    }
    uint64_t whole = (uint64_t)scaled;
    return !((double)whole < scaled) && whole % 2 == 1;
}

/* Drops the last digit of `text` (and a point left bare) and adds one to the digit before it.
 * Returns where the number now starts: a carry may take text[-1]. */
static char *round_up(char *text) {
    size_t end = strlen(text) - 1;
    while (end > 0 && !is_digit(text[end - 1])) {
        end--;
    }
    text[end] = '\0';
    for (size_t i = end; i-- > 0;) {
        if (is_digit(text[i]) && text[i] != '9') {
            text[i]++;
            return text;
        }
        if (is_digit(text[i])) {
            text[i] = '0';
        }
    }
    *--text = '1';
    return text;
}

void writer_fixed(struct writer *w, double value, int decimals) {
    assert(decimals >= 0 && decimals <= 9);
    if (write_not_finite(w, value)) {
        return;
    }
    /* printf sends ties to the even digit. With one digit more a tie is exact and is rounded here.
     */
    bool tie = is_tie(value, decimals);
    char text[1 + REAL_BYTES_MAX];
    char *number = text + 1;
    (void)snprintf(number, REAL_BYTES_MAX, "%.*f", decimals + (tie ? 1 : 0), fabs(value));
    if (tie) {
        number = round_up(number);
    }
    /* What rounds to nothing is nothing: no "-0.00". */
    if (value < 0 && strpbrk(number, "123456789") != NULL) {
        writer_char(w, '-');
    }
    write_with_point(w, number);
}

void writer_scientific(struct writer *w, double value, int decimals) {
    assert(decimals >= 0 && decimals <= 9);
    if (write_not_finite(w, value)) {
        return;
    }
    char text[REAL_BYTES_MAX];
    (void)snprintf(text, sizeof text, "%.*e", decimals, value);
    char *exponent = strchr(text, 'e');
    long power = strtol(exponent + 1, NULL, 10);
    *exponent = '\0';
    write_with_point(w, text);
    writer_text(w, power < 0 ? "e-" : "e");
    writer_u64(w, (uint64_t)labs(power));
}

void writer_real(struct writer *w, double value) {
    if (write_not_finite(w, value)) {
        return;
    }
    char text[REAL_BYTES_MAX];
    /* Fifteen digits always survive in a normal double and %g drops trailing zeros; a subnormal may
     * need fewer. */
    int precision = fabs(value) < DBL_MIN ? 1 : 15;
    for (; precision <= 17; precision++) {
        (void)snprintf(text, sizeof text, "%.*g", precision, value);
        double back = strtod(text, NULL);
        if (!(back < value) && !(back > value)) {
            break;
        }
    }
    write_with_point(w, text);
}
