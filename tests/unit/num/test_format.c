/* The table of formats against published figures, every pattern of every type up to 16 bits against what a pattern
 * means, and neighbours as an order without gaps. */
#include <check.h>
#include <math.h>

#include "shardlab/num/format.h"

#define ROWS(table) ((int)(sizeof(table) / sizeof((table)[0])))

/* IEEE 754-2019 table 3.5; OCP FP8 table 1; OCP MX tables 3 to 7. */
static const struct {
    const char *name;
    double max, min_normal, min_subnormal, epsilon;
} published[] = {
    {"fp32", 0x1.fffffep127, 0x1p-126, 0x1p-149, 0x1p-23},
    {"tf32", 0x1.ffcp127, 0x1p-126, 0x1p-136, 0x1p-10},
    {"fp16", 65504, 0x1p-14, 0x1p-24, 0x1p-10},
    {"bf16", 0x1.fep127, 0x1p-126, 0x1p-133, 0x1p-7},
    {"e4m3", 448, 0x1p-6, 0x1p-9, 0x1p-3},
    {"e5m2", 57344, 0x1p-14, 0x1p-16, 0x1p-2},
    {"e2m1", 6, 1, 0.5, 0.5},
    {"e2m3", 7.5, 1, 0.125, 0.125},
    {"e3m2", 28, 0.25, 0.0625, 0.25},
    {"e8m0", 0x1p127, 0x1p-127, -1, 1},
};

START_TEST(the_limits_are_the_published_ones) {
    enum num_type type;
    ck_assert_int_eq(ROWS(published), NUM_TYPES);
    ck_assert(num_type_find(published[_i].name, &type));
    ck_assert_int_eq((int)type, _i);
    struct num_limits l = num_limits(type);
    ck_assert_double_eq(l.max, published[_i].max);
    ck_assert_double_eq(l.min_normal, published[_i].min_normal);
    ck_assert_double_eq(l.epsilon, published[_i].epsilon);
    if (published[_i].min_subnormal < 0) {
        ck_assert_double_nan(l.min_subnormal);
    } else {
        ck_assert_double_eq(l.min_subnormal, published[_i].min_subnormal);
    }
}
END_TEST

/* Special patterns, and a few values whose pattern anyone can look up. */
static const struct {
    enum num_type type;
    uint32_t code;
    double value; /* meaningless for nan */
    enum num_class class;
} patterns[] = {
    {NUM_FP32, 0x3DCCCCCD, 0x1.99999ap-4, NUM_CLASS_NORMAL},
    {NUM_FP32, 0x7F800000, INFINITY, NUM_CLASS_INF},
    {NUM_FP32, 0x00000001, 0x1p-149, NUM_CLASS_SUBNORMAL},
    {NUM_FP32, 0x7FC00000, 0, NUM_CLASS_NAN},
    {NUM_TF32, 0x3DCCC000, 0x1.998p-4, NUM_CLASS_NORMAL},
    {NUM_TF32, 0x3DCCDFFF, 0x1.998p-4, NUM_CLASS_NORMAL}, /* unused bits are not looked at */
    {NUM_TF32, 0xFF800000, -INFINITY, NUM_CLASS_INF},
    {NUM_FP16, 0x2E66, 0.0999755859375, NUM_CLASS_NORMAL},
    {NUM_FP16, 0x7BFF, 65504, NUM_CLASS_NORMAL},
    {NUM_FP16, 0x7C00, INFINITY, NUM_CLASS_INF},
    {NUM_FP16, 0xFC00, -INFINITY, NUM_CLASS_INF},
    {NUM_FP16, 0x7C01, 0, NUM_CLASS_NAN},
    {NUM_FP16, 0x03FF, 0x1.ff8p-15, NUM_CLASS_SUBNORMAL},
    {NUM_FP16, 0x8000, -0.0, NUM_CLASS_ZERO},
    {NUM_BF16, 0x4380, 256, NUM_CLASS_NORMAL},
    {NUM_BF16, 0x7F7F, 0x1.fep127, NUM_CLASS_NORMAL},
    {NUM_E4M3, 0x7E, 448, NUM_CLASS_NORMAL},
    {NUM_E4M3, 0x7F, 0, NUM_CLASS_NAN},
    {NUM_E4M3, 0xFF, 0, NUM_CLASS_NAN},
    {NUM_E4M3, 0x78, 256, NUM_CLASS_NORMAL}, /* the highest exponent holds numbers */
    {NUM_E4M3, 0x01, 0x1p-9, NUM_CLASS_SUBNORMAL},
    {NUM_E5M2, 0x7B, 57344, NUM_CLASS_NORMAL},
    {NUM_E5M2, 0x7C, INFINITY, NUM_CLASS_INF},
    {NUM_E5M2, 0x7D, 0, NUM_CLASS_NAN},
    {NUM_E2M1, 0x7, 6, NUM_CLASS_NORMAL},
    {NUM_E2M1, 0xF, -6, NUM_CLASS_NORMAL},
    {NUM_E2M1, 0x1, 0.5, NUM_CLASS_SUBNORMAL},
    {NUM_E2M3, 0x1F, 7.5, NUM_CLASS_NORMAL},
    {NUM_E3M2, 0x1F, 28, NUM_CLASS_NORMAL},
    {NUM_E8M0, 0x00, 0x1p-127, NUM_CLASS_NORMAL},
    {NUM_E8M0, 0x7F, 1, NUM_CLASS_NORMAL},
    {NUM_E8M0, 0xFE, 0x1p127, NUM_CLASS_NORMAL},
    {NUM_E8M0, 0xFF, 0, NUM_CLASS_NAN},
};

START_TEST(a_known_pattern_has_its_value) {
    double value = num_decode(patterns[_i].type, patterns[_i].code);
    ck_assert_int_eq(num_class(patterns[_i].type, patterns[_i].code), patterns[_i].class);
    if (patterns[_i].class == NUM_CLASS_NAN) {
        ck_assert_double_nan(value);
    } else {
        ck_assert_msg(!(value < patterns[_i].value) && !(value > patterns[_i].value) &&
                          signbit(value) == signbit(patterns[_i].value),
                      "%s 0x%x: %.17g", num_format(patterns[_i].type)->name,
                      (unsigned)patterns[_i].code, value);
    }
}
END_TEST

/* The patterns of a type up to 16 bits; tf32's 19 bits are looked at too. */
static uint32_t last_pattern(enum num_type type) {
    return num_limits(type).codes - 1;
}

/* What a pattern means, written out once more from the definition. */
static double meaning(const struct num_format *f, const struct num_fields *fields) {
    double share = (double)fields->mantissa / (double)(UINT32_C(1) << f->mantissa_bits);
    bool subnormal = f->has_zero && fields->exponent == 0;
    double value = subnormal ? share * pow(2.0, 1 - f->bias)
                             : (1.0 + share) * pow(2.0, (double)fields->exponent - f->bias);
    return fields->sign != 0 ? -value : value;
}

START_TEST(every_pattern_is_its_fields_and_they_are_its_value) {
    enum num_type type = (enum num_type)_i;
    const struct num_format *f = num_format(type);
    uint32_t finite = 0;
    for (uint32_t i = 0; i <= (type == NUM_FP32 ? 0xFFFFU : last_pattern(type)); i++) {
        uint32_t code = type == NUM_FP32 ? i * 65537U : i << f->unused_bits;
        struct num_fields fields = num_fields(type, code);
        ck_assert_msg(num_code(type, fields) == code, "%s 0x%x", f->name, (unsigned)code);
        enum num_class class = num_class(type, code);
        if (class == NUM_CLASS_INF || class == NUM_CLASS_NAN) {
            continue;
        }
        double value = num_decode(type, code), expected = meaning(f, &fields);
        if (value < expected || value > expected || signbit(value) != signbit(expected)) {
            ck_abort_msg("%s 0x%x: %.17g, not %.17g", f->name, (unsigned)code, value, expected);
        }
        finite++;
    }
    ck_assert_uint_gt(finite, 0);
}
END_TEST

/* How many patterns are not numbers, by counting. */
static const struct {
    enum num_type type;
    uint32_t inf, nan, zero, subnormal;
} counts[] = {
    {NUM_FP16, 2, 2046, 2, 2046}, {NUM_BF16, 2, 254, 2, 254}, {NUM_E4M3, 0, 2, 2, 14},
    {NUM_E5M2, 2, 6, 2, 6},       {NUM_E2M1, 0, 0, 2, 2},     {NUM_E2M3, 0, 0, 2, 14},
    {NUM_E3M2, 0, 0, 2, 6},       {NUM_E8M0, 0, 1, 0, 0},
};

START_TEST(as_many_patterns_are_special_as_the_format_says) {
    uint32_t seen[5] = {0};
    for (uint32_t code = 0; code <= last_pattern(counts[_i].type); code++) {
        seen[num_class(counts[_i].type, code)]++;
    }
    ck_assert_uint_eq(seen[NUM_CLASS_INF], counts[_i].inf);
    ck_assert_uint_eq(seen[NUM_CLASS_NAN], counts[_i].nan);
    ck_assert_uint_eq(seen[NUM_CLASS_ZERO], counts[_i].zero);
    ck_assert_uint_eq(seen[NUM_CLASS_SUBNORMAL], counts[_i].subnormal);
}
END_TEST

/* From the lowest number to the highest, each pattern once but one of the zeros. */
START_TEST(neighbours_visit_every_number_in_order) {
    enum num_type type = (enum num_type)_i;
    const struct num_format *f = num_format(type);
    if (type == NUM_FP32) {
        return;
    }
    uint32_t code = 0, up = 0, down = 0, numbers = 0, visited = 1;
    for (uint32_t i = 0; i <= last_pattern(type); i++) {
        numbers += num_class(type, i << f->unused_bits) == NUM_CLASS_NAN ? 0 : 1;
    }
    while (num_next_down(type, code, &down)) {
        code = down;
    }
    for (; num_next_up(type, code, &up); code = up, visited++) {
        bool back = num_next_down(type, up, &down);
        bool zero = num_class(type, code) == NUM_CLASS_ZERO;
        if (!(num_decode(type, up) > num_decode(type, code)) || !back || (!zero && down != code)) {
            ck_abort_msg("%s: after 0x%x comes 0x%x, before which is 0x%x", f->name, (unsigned)code,
                         (unsigned)up, (unsigned)down);
        }
        enum num_class class = num_class(type, code);
        bool outwards = num_decode(type, code) >= 0 && class != NUM_CLASS_INF;
        if (outwards && num_class(type, up) != NUM_CLASS_INF) {
            ck_assert_double_eq(num_decode(type, up) - num_decode(type, code), num_ulp(type, code));
        }
    }
    ck_assert_uint_eq(visited, numbers - (f->has_zero ? 1 : 0));
}
END_TEST

START_TEST(what_is_no_number_has_no_neighbour_and_no_ulp) {
    uint32_t code = 0;
    ck_assert(!num_next_up(NUM_FP16, 0x7E00, &code) && !num_next_down(NUM_E4M3, 0xFF, &code));
    ck_assert(!num_next_up(NUM_FP16, 0x7C00, &code) && !num_next_up(NUM_E4M3, 0x7E, &code));
    ck_assert(!num_next_down(NUM_E8M0, 0, &code));
    ck_assert(num_next_up(NUM_FP16, 0x7BFF, &code) && code == 0x7C00);
    ck_assert(num_next_up(NUM_FP16, 0x8000, &code) && code == 0x0001);
    ck_assert(num_next_down(NUM_FP16, 0x0000, &code) && code == 0x8001);
    ck_assert_double_nan(num_ulp(NUM_FP16, 0x7C00));
    ck_assert_double_nan(num_ulp(NUM_E8M0, 0xFF));
    ck_assert_double_eq(num_ulp(NUM_FP16, 0), 0x1p-24);
    ck_assert_double_eq(num_ulp(NUM_E8M0, 0x80), 2);
}
END_TEST

START_TEST(an_unknown_name_is_not_found) {
    enum num_type type = NUM_BF16;
    ck_assert(!num_type_find("fp15", &type) && !num_type_find("", &type));
    ck_assert(!num_type_find("FP16", &type) && !num_type_find("fp16 ", &type));
    ck_assert_int_eq(type, NUM_BF16);
}
END_TEST

static Suite *suite(void) {
    Suite *s = suite_create("format");
    TCase *t = tcase_create("formats");
    tcase_add_loop_test(t, the_limits_are_the_published_ones, 0, ROWS(published));
    tcase_add_loop_test(t, a_known_pattern_has_its_value, 0, ROWS(patterns));
    tcase_add_loop_test(t, every_pattern_is_its_fields_and_they_are_its_value, 0, NUM_TYPES);
    tcase_add_loop_test(t, as_many_patterns_are_special_as_the_format_says, 0, ROWS(counts));
    tcase_add_loop_test(t, neighbours_visit_every_number_in_order, 0, NUM_TYPES);
    tcase_add_test(t, what_is_no_number_has_no_neighbour_and_no_ulp);
    tcase_add_test(t, an_unknown_name_is_not_found);
    suite_add_tcase(s, t);
    return s;
}

#include "support/check_main.h"
