/* How single values of a view are written and placed: amounts, reals, formulas, patterns, the cells
 * of a bar, the scale of a curve. Callers are the readers of a view. Integer arithmetic wherever
 * bytes are shared out, so that a bar never shows more or less than its numbers. Nothing is owned.
 * Proof: tests/unit/view/test_shape.c. */
#include "shardlab/view/shape.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { DECIMALS = 2, DECIMALS_MAX = 9 };

void view_write_amount(struct writer *w, uint64_t bytes, enum unit_system unit) {
    int decimals = DECIMALS;
    for (; bytes != 0 && decimals < DECIMALS_MAX; decimals++) {
        char text[40];
        struct writer probe;
        writer_start(&probe, text, sizeof text);
        units_write_bytes(&probe, bytes, unit, decimals);
        if (strpbrk(text, "123456789") != NULL) {
            break;
        }
    }
    units_write_bytes(w, bytes, unit, decimals);
}

void view_write_real(struct writer *w, double value) {
    if (!isfinite(value) || fabs(value) >= 1e6 || (fabs(value) < 0.005 && fabs(value) > 0)) {
        char text[32];
        (void)snprintf(text, sizeof text, "%.3g", value);
        writer_text(w, text);
        return;
    }
    char text[32];
    struct writer fixed;
    writer_start(&fixed, text, sizeof text);
    writer_fixed(&fixed, value, DECIMALS);
    size_t length = fixed.length;
    while (length > 0 && text[length - 1] == '0') {
        length--;
    }
    if (length > 0 && text[length - 1] == '.') {
        length--;
    }
    writer_text_n(w, text, length);
}

static bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

/* A run of digits is a whole number of its own when no letter, digit, comma or point clings to its
 * front. */
static bool starts_number(const char *text, size_t at) {
    if (at == 0) {
        return true;
    }
    char before = text[at - 1];
    return !(is_digit(before) || before == '.' || before == ',' || before == '_' ||
             (before >= 'a' && before <= 'z') || (before >= 'A' && before <= 'Z'));
}

void view_write_grouped(struct writer *w, const char *text) {
    enum { GROUPED_FROM = 5 }; /* 4096 stays as it is written everywhere else */
    for (size_t at = 0; text[at] != '\0';) {
        size_t digits = starts_number(text, at) ? strspn(text + at, "0123456789") : 0;
        if (digits < GROUPED_FROM) {
            writer_text_n(w, text + at, digits > 0 ? digits : 1);
            at += digits > 0 ? digits : 1;
            continue;
        }
        for (size_t i = 0; i < digits; i++) {
            if (i > 0 && (digits - i) % 3 == 0) {
                writer_char(w, ',');
            }
            writer_char(w, text[at + i]);
        }
        at += digits;
    }
}

const char *view_pattern(enum view_role role, bool ascii) {
    switch (role) {
    case VIEW_ROLE_WEIGHTS:
        return ascii ? "#" : "█";
    case VIEW_ROLE_GRADIENTS:
        return ascii ? "%" : "▒";
    case VIEW_ROLE_OPTIMIZER:
        return ascii ? "=" : "▓";
    case VIEW_ROLE_ACTIVATIONS:
        return ascii ? ":" : "░";
    case VIEW_ROLE_BUFFERS:
        return ascii ? "+" : "▚";
    case VIEW_ROLE_PLAIN:
    case VIEW_ROLE_TOTAL:
        break;
    }
    return ascii ? "o" : "▪";
}

bool view_bar_fits(const struct view_bar *bar) {
    return !bar->has_capacity || bar->total_bytes <= bar->capacity_bytes;
}

/* The parts of a bar in the order of their cells: segments, other, free. */
enum { PART_OTHER = VIEW_ROWS_MAX, PART_FREE, PARTS_MAX };

/* Hands out `cells` over parts in proportion to their sizes: whole shares first, then one each by
 * the largest remainder (the earlier part on a tie). Sizes are below 2^48 and cells below 2^15, so
 * products fit. */
static void share_cells(const uint64_t sizes[PARTS_MAX], uint64_t sum, int cells,
                        int shares[PARTS_MAX]) {
    uint64_t remainders[PARTS_MAX];
    int given = 0;
    for (int i = 0; i < PARTS_MAX; i++) {
        uint64_t product = sizes[i] * (uint64_t)cells;
        shares[i] = (int)(product / sum);
        remainders[i] = product % sum;
        given += shares[i];
    }
    for (; given < cells; given++) {
        int best = 0;
        for (int i = 1; i < PARTS_MAX; i++) {
            if (remainders[i] > remainders[best]) {
                best = i;
            }
        }
        shares[best]++;
        remainders[best] = 0;
    }
}

/* Takes a cell from the widest part for every part that is there but got none, while one can spare
 * it. */
static void lift_small_parts(const bool present[PARTS_MAX], int shares[PARTS_MAX]) {
    for (int i = 0; i < PARTS_MAX; i++) {
        if (!present[i] || shares[i] > 0) {
            continue;
        }
        int widest = 0;
        for (int k = 1; k < PARTS_MAX; k++) {
            if (shares[k] > shares[widest]) {
                widest = k;
            }
        }
        if (shares[widest] < 2) {
            return;
        }
        shares[widest]--;
        shares[i] = 1;
    }
}

/* Cells before the capacity's mark. An overflow shows on both sides of the mark, however small or
 * large it is. */
static int capacity_cell(uint64_t capacity, uint64_t scale, int cells) {
    if (capacity >= scale) {
        return cells;
    }
    int cell = (int)((capacity * (uint64_t)cells + scale / 2) / scale);
    if (cell > cells - 1) {
        cell = cells - 1;
    }
    return cell < 1 && capacity > 0 && cells > 1 ? 1 : cell;
}

static uint64_t add_saturated(uint64_t a, uint64_t b) {
    return a > UINT64_MAX - b ? UINT64_MAX : a + b;
}

void view_bar_cells(const struct view_bar *bar, int cells, struct view_bar_cells *out) {
    *out = (struct view_bar_cells){.capacity = -1};
    if (cells <= 0) {
        return;
    }
    assert(cells < 1 << 15);
    uint64_t sizes[PARTS_MAX] = {0};
    uint64_t covered = 0;
    for (int i = 0; i < bar->segment_count; i++) {
        sizes[i] = bar->segments[i].bytes;
        covered = add_saturated(covered, sizes[i]);
    }
    uint64_t total = bar->total_bytes > covered ? bar->total_bytes : covered;
    uint64_t capacity = bar->has_capacity ? bar->capacity_bytes : 0;
    sizes[PART_OTHER] = total - covered;
    sizes[PART_FREE] = capacity > total ? capacity - total : 0;
    uint64_t scale = capacity > total ? capacity : total;

    bool present[PARTS_MAX];
    uint64_t sum = 0;
    int shift = 0;
    while (scale >> shift >= UINT64_C(1) << 43) {
        shift++;
    }
    for (int i = 0; i < PARTS_MAX; i++) {
        present[i] = sizes[i] > 0;
        sizes[i] >>= shift;
        sum += sizes[i];
    }
    if (sum == 0) {
        out->free = cells;
        out->capacity = bar->has_capacity ? cells : -1;
        return;
    }
    int shares[PARTS_MAX];
    share_cells(sizes, sum, cells, shares);
    lift_small_parts(present, shares);
    memcpy(out->segments, shares, sizeof out->segments);
    out->other = shares[PART_OTHER];
    out->free = shares[PART_FREE];
    if (bar->has_capacity) {
        bool over = total > capacity;
        out->capacity = over && (capacity >> shift) >= (scale >> shift)
                            ? cells - 1
                            : capacity_cell(capacity >> shift, scale >> shift, cells);
    }
}

bool view_curve_range(const struct view_curve *curve, double *low, double *high) {
    bool any = false;
    for (int i = 0; i <= curve->point_count; i++) {
        bool is_limit = i == curve->point_count;
        if (is_limit && (!curve->has_limit || !any)) {
            break;
        }
        double y = is_limit ? curve->limit : curve->y[i];
        if (!isfinite(y)) {
            continue;
        }
        *low = any ? fmin(*low, y) : y;
        *high = any ? fmax(*high, y) : y;
        any = true;
    }
    return any;
}

int view_curve_cell(double value, double low, double high, int cells) {
    if (cells <= 1 || !(high > low) || !isfinite(value)) {
        return 0;
    }
    double share = (value - low) / (high - low);
    share = fmin(fmax(share, 0.0), 1.0);
    return (int)(share * (cells - 1) + 0.5);
}
