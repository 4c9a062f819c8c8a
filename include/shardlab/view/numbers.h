/* Two kinds of view about number formats: one number as the bits that hold it, between its neighbours, and the ranges
 * of several formats on one scale of powers of two. Neither knows a format: whoever makes the view (lesson/
 * format_view.h) gives names, fields and values. */
#ifndef VIEW_NUMBERS_H
#define VIEW_NUMBERS_H

#include <stdbool.h>
#include <stdint.h>

#include "shardlab/base/message.h"

enum {
    VIEW_BITS_FIELDS_MAX = 4,
    VIEW_MEANING_MAX = 32,
    VIEW_RANGES_MAX = 12,
    VIEW_MARKS_MAX = 9,
    VIEW_MARK_TEXT_MAX = 24
};

enum view_bits_role { VIEW_BITS_SIGN, VIEW_BITS_EXPONENT, VIEW_BITS_MANTISSA, VIEW_BITS_UNUSED };

/* Some bits of a pattern that mean something together. */
struct view_bits_field {
    const char *key;   /* JSON key, a literal: "exponent" */
    const char *label; /* message id */
    enum view_bits_role role;
    int bits; /* 1 … 32 */
    uint32_t value;
    char meaning[VIEW_MEANING_MAX]; /* "2^-4"; "" nothing to say */
};

/* A number in a format. A value that is not there (no neighbour, not a number) is nan. */
struct view_bits {
    struct message title; /* what went in and what came out */
    bool known;           /* false: the format has no pattern for it, and there are no fields */
    uint32_t code;
    int field_count; /* from the left; together at most 32 bits */
    struct view_bits_field fields[VIEW_BITS_FIELDS_MAX];
    double input, value, below, above; /* above and below may be infinite */
    struct message remark;             /* what rounding did */
};

/* What one format reaches, from small to large; positive. */
struct view_range {
    const char *name;     /* the same in every language, a literal: "fp16" */
    double min_subnormal; /* nan: the format has none */
    double min_normal, max;
};

struct view_mark {
    double value; /* its magnitude counts; 0 and what is not finite is not shown */
    char text[VIEW_MARK_TEXT_MAX];
};

struct view_ranges {
    struct message title;
    int row_count;
    struct view_range rows[VIEW_RANGES_MAX];
    int current; /* the row that is looked at; -1: none */
    int mark_count;
    struct view_mark marks[VIEW_MARKS_MAX];
    struct message remark;
};

#endif
