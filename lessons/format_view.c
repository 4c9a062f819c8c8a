/* Views of number formats from the room `num`: a number becomes its fields with what each means, its neighbours and
 * one sentence about the rounding; all formats become rows of a range chart. Callers are lessons and the command
 * `format`; the view is theirs. Proof: tests/unit/lessons/test_format_view.c. */
#include "shardlab/lesson/format_view.h"

#include <assert.h>
#include <math.h>

enum { TEXT_MAX = 48 };

void format_code_write(struct writer *w, enum num_type type, uint32_t code) {
    static const char hex[] = "0123456789abcdef";
    writer_text(w, "0x");
    for (int digit = (num_format(type)->bits + 3) / 4 - 1; digit >= 0; digit--) {
        writer_char(w, hex[code >> (digit * 4) & 0xFU]);
    }
}

static void add_real(struct message *m, double value) {
    char text[TEXT_MAX];
    struct writer w;
    writer_start(&w, text, sizeof text);
    writer_real(&w, value);
    message_add_text(m, text);
}

/* --- Fields --- */

static struct writer mean(struct view_bits_field *field, const char *text) {
    struct writer w;
    writer_start(&w, field->meaning, sizeof field->meaning);
    writer_text(&w, text);
    return w;
}

static void add_field(struct view_bits *bits, enum view_bits_role role, int width, uint32_t value) {
    static const char *const keys[] = {"sign", "exponent", "mantissa", "unused"};
    static const char *const labels[] = {"view.bits.sign", "view.bits.exponent",
                                         "view.bits.mantissa", "view.bits.unused"};
    if (width == 0) {
        return;
    }
    struct view_bits_field *field = &bits->fields[bits->field_count++];
    field->key = keys[role];
    field->label = labels[role];
    field->role = role;
    field->bits = width;
    field->value = value;
}

static struct view_bits_field *find_field(struct view_bits *bits, enum view_bits_role role) {
    for (int i = 0; i < bits->field_count; i++) {
        if (bits->fields[i].role == role) {
            return &bits->fields[i];
        }
    }
    return NULL;
}

/* Sign, power of two and factor multiply to the value; a special pattern is named by its last field. */
static void explain_fields(struct view_bits *bits, enum num_type type, uint32_t code) {
    const struct num_format *f = num_format(type);
    enum num_class class = num_class(type, code);
    struct view_bits_field *sign = find_field(bits, VIEW_BITS_SIGN);
    struct view_bits_field *exponent = find_field(bits, VIEW_BITS_EXPONENT);
    struct view_bits_field *mantissa = find_field(bits, VIEW_BITS_MANTISSA);
    if (sign != NULL) {
        (void)mean(sign, sign->value != 0 ? "-" : "+");
    }
    if (class == NUM_CLASS_INF || class == NUM_CLASS_NAN) {
        (void)mean(mantissa != NULL ? mantissa : exponent, num_class_name(class));
        return;
    }
    bool normal = class == NUM_CLASS_NORMAL;
    struct writer w = mean(exponent, "2^");
    writer_real(&w, (double)(normal ? exponent->value : 1) - f->bias);
    if (mantissa != NULL) {
        double share = ldexp((double)mantissa->value, -f->mantissa_bits);
        w = mean(mantissa, "");
        writer_real(&w, (normal ? 1.0 : 0.0) + share);
    }
}

static void fill_fields(struct view_bits *bits, enum num_type type, uint32_t code) {
    const struct num_format *f = num_format(type);
    struct num_fields fields = num_fields(type, code);
    uint32_t unused = code & ((UINT32_C(1) << f->unused_bits) - 1);
    add_field(bits, VIEW_BITS_SIGN, f->sign_bits, fields.sign);
    add_field(bits, VIEW_BITS_EXPONENT, f->exponent_bits, fields.exponent);
    add_field(bits, VIEW_BITS_MANTISSA, f->mantissa_bits, fields.mantissa);
    add_field(bits, VIEW_BITS_UNUSED, f->unused_bits, unused);
    explain_fields(bits, type, code);
}

/* --- Sentences --- */

static void fill_title(struct view_bits *bits, const struct format_number *n) {
    message_start(&bits->title, bits->known ? "view.bits.title" : "view.bits.title_none");
    message_add_text(&bits->title, n->text);
    message_add_text(&bits->title, num_format(n->type)->name);
    if (bits->known) {
        char code[TEXT_MAX];
        struct writer w;
        writer_start(&w, code, sizeof code);
        format_code_write(&w, n->type, bits->code);
        message_add_text(&bits->title, code);
        add_real(&bits->title, num_decode(n->type, bits->code));
    }
}

static void say_type(struct message *m, const char *id, enum num_type type) {
    message_start(m, id);
    message_add_text(m, num_format(type)->name);
}

static void say_limit(struct message *m, const char *id, double limit) {
    message_start(m, id);
    add_real(m, limit);
}

/* Finite in, finite out and not saturated. */
static void say_error(struct view_bits *bits, const struct format_number *n, enum num_class class) {
    double error = bits->value - n->input;
    bool small = class == NUM_CLASS_SUBNORMAL;
    if (!(error < 0) && !(error > 0)) {
        message_start(&bits->remark, small ? "view.bits.exact_subnormal" : "view.bits.exact");
        return;
    }
    if (class == NUM_CLASS_ZERO) {
        say_limit(&bits->remark, "view.bits.underflow", num_ulp(n->type, bits->code));
        return;
    }
    message_start(&bits->remark, small ? "view.bits.error_subnormal" : "view.bits.error");
    add_real(&bits->remark, error);
    message_add_real(&bits->remark, fabs(error) / num_ulp(n->type, bits->code));
}

static void say_not_finite(struct view_bits *bits, const struct format_number *n,
                           enum num_class class) {
    const struct num_format *f = num_format(n->type);
    if (isnan(n->input)) {
        message_start(&bits->remark, "view.bits.nan");
    } else if (n->input < 0 && f->sign_bits == 0) {
        say_type(&bits->remark, "view.bits.no_negative", n->type);
    } else if (isinf(n->input) && class == NUM_CLASS_INF) {
        message_start(&bits->remark, "view.bits.inf");
    } else {
        say_limit(&bits->remark,
                  class == NUM_CLASS_INF ? "view.bits.overflow_inf" : "view.bits.overflow_nan",
                  num_limits(n->type).max);
    }
}

static void fill_remark(struct view_bits *bits, const struct format_number *n,
                        const struct num_encoded *e) {
    bool zero = !(n->input < 0) && !(n->input > 0);
    if (e->no_pattern) {
        say_type(&bits->remark, "view.bits.no_pattern", n->type);
    } else if (e->class == NUM_CLASS_INF || e->class == NUM_CLASS_NAN) {
        say_not_finite(bits, n, e->class);
    } else if (e->saturated) {
        say_limit(&bits->remark, "view.bits.saturated", num_limits(n->type).max);
    } else if (zero && e->class != NUM_CLASS_ZERO) {
        say_type(&bits->remark, "view.bits.no_zero", n->type);
    } else {
        say_error(bits, n, e->class);
    }
}

/* --- Items --- */

void format_bits_add(struct view *out, const struct format_number *n) {
    struct view_bits *bits = &view_add(out, VIEW_KIND_BITS)->bits;
    struct num_encoded e = num_encode(n->type, n->input, n->rounding);
    uint32_t next = 0;
    bits->known = !e.no_pattern;
    bits->code = e.code;
    bits->input = n->input;
    bits->value = num_encoded_value(n->type, e);
    bits->below = bits->above = (double)NAN;
    if (bits->known) {
        fill_fields(bits, n->type, e.code);
        bool down = num_next_down(n->type, e.code, &next);
        bits->below = down ? num_decode(n->type, next) : (double)NAN;
        bool up = num_next_up(n->type, e.code, &next);
        bits->above = up ? num_decode(n->type, next) : (double)NAN;
    }
    fill_title(bits, n);
    fill_remark(bits, n, &e);
}

/* The scale spans what the formats reach; marks beyond it have no place. */
static bool has_place(double value) {
    double size = fabs(value);
    return size >= num_limits(NUM_FP32).min_subnormal && size <= num_limits(NUM_FP32).max;
}

void format_ranges_add(struct view *out, enum num_type current, const struct view_mark *marks,
                       int mark_count) {
    struct view_ranges *ranges = &view_add(out, VIEW_KIND_RANGES)->ranges;
    static_assert((int)NUM_TYPES <= (int)VIEW_RANGES_MAX, "a row for every format");
    message_start(&ranges->title, "view.ranges.title");
    ranges->current = (int)current;
    ranges->row_count = NUM_TYPES;
    for (int i = 0; i < NUM_TYPES; i++) {
        struct num_limits l = num_limits((enum num_type)i);
        ranges->rows[i] = (struct view_range){num_format((enum num_type)i)->name, l.min_subnormal,
                                              l.min_normal, l.max};
    }
    for (int i = 0; i < mark_count && ranges->mark_count < VIEW_MARKS_MAX; i++) {
        if (has_place(marks[i].value)) {
            ranges->marks[ranges->mark_count++] = marks[i];
        }
    }
}
