/* Published figures on number formats (vectors_papers.csv): each row of a class below comes out of the room's public
 * functions within its own tolerance. tests/unit/calc/test_papers.c keeps the account of all rows and takes these
 * classes as expressed here. */
#include <check.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "shardlab/num/block.h"
#include "support/format_classes.h"
#include "support/reference.h"

static struct csv papers;

static enum num_type type_of(const struct inputs *in) {
    enum num_type type = NUM_TYPES;
    ck_assert_msg(num_type_find(inputs_get(in, "format"), &type), "%s", inputs_get(in, "format"));
    return type;
}

/* "e4m3_ieee": what e4m3 would reach if its highest exponent were kept for inf and nan, as IEEE does: the largest
 * number below that exponent. */
static double max_of(const struct inputs *in) {
    if (!inputs_is(in, "format", "e4m3_ieee")) {
        return num_limits(type_of(in)).max;
    }
    struct num_fields top = {.exponent = 14, .mantissa = 7};
    return num_decode(NUM_E4M3, num_code(NUM_E4M3, top));
}

static double min_normal_of(const struct inputs *in) {
    return num_limits(type_of(in)).min_normal;
}

static double min_subnormal_of(const struct inputs *in) {
    return num_limits(type_of(in)).min_subnormal;
}

static double ulp_at_1(const struct inputs *in) {
    enum num_type type = type_of(in);
    return num_ulp(type, num_encode(type, 1.0, num_rounding_of(type)).code);
}

static uint32_t bf16_of(const char *text) {
    return num_encode(NUM_BF16, strtod(text, NULL), num_rounding_of(NUM_BF16)).code;
}

static double bf16_add(const struct inputs *in) {
    double sum = num_decode(NUM_BF16, bf16_of(inputs_get(in, "a"))) +
                 num_decode(NUM_BF16, bf16_of(inputs_get(in, "b")));
    return num_decode(NUM_BF16, num_encode(NUM_BF16, sum, num_rounding_of(NUM_BF16)).code);
}

static double bf16_next_after(const struct inputs *in) {
    uint32_t next = 0;
    ck_assert(num_next_up(NUM_BF16, bf16_of(inputs_get(in, "a")), &next));
    return num_decode(NUM_BF16, next);
}

static double dynamic_range(const struct inputs *in) {
    struct num_limits l = num_limits(type_of(in));
    return ilogb(l.max) - ilogb(l.min_subnormal) + 1;
}

static double e4m3_nan_patterns(const struct inputs *in) {
    int count = 0;
    (void)in;
    for (uint32_t code = 0; code < 256; code++) {
        count += num_class(NUM_E4M3, code) == NUM_CLASS_NAN ? 1 : 0;
    }
    ck_assert(isnan(num_decode(NUM_E4M3, 0x7F)) && isnan(num_decode(NUM_E4M3, 0xFF)));
    return count;
}

/* The element type of MX with that many bits. */
static double mx_effective_bits(const struct inputs *in) {
    int bits = atoi(inputs_get(in, "element_bits"));
    enum num_type element = bits == 8 ? NUM_E4M3 : bits == 6 ? NUM_E2M3 : NUM_E2M1;
    ck_assert_int_eq(num_format(element)->bits, bits);
    ck_assert_int_eq((int)num_block_size(NUM_BLOCK_MX), atoi(inputs_get(in, "block")));
    ck_assert_int_eq(num_format(num_block_scale_type(NUM_BLOCK_MX))->bits,
                     atoi(inputs_get(in, "scale_bits")));
    return num_block_bits(NUM_BLOCK_MX, element);
}

/* amax of the tensor over the scale that it gets: a power of two loses nothing in the scale. */
static double nvfp4_denominator(const struct inputs *in) {
    const double values[] = {2688.0 * 4};
    struct num_block block = {.kind = NUM_BLOCK_NVFP4, .element = NUM_E2M1};
    (void)in;
    num_block_encode(&block, values, 1);
    return values[0] / block.tensor_scale;
}

/* The largest weight/update at which an update of 1 may still count: below it every weight moves, from it on there
 * is a weight (an even one, on the tie) that does not. */
static double lost_update_ratio(const struct inputs *in) {
    enum num_type type = type_of(in);
    for (double weight = 1; weight < 1e9; weight++) {
        double sum = num_decode(type, num_encode(type, weight + 1, num_rounding_of(type)).code);
        if (sum <= weight) {
            return weight;
        }
    }
    return 0;
}

static double weight_storage_overhead_pct(const struct inputs *in) {
    double baseline = num_format(NUM_FP32)->bits, copy = num_format(NUM_FP16)->bits;
    ck_assert(atoi(inputs_get(in, "master")) * 8 == (int)baseline &&
              atoi(inputs_get(in, "copy")) * 8 == (int)copy &&
              atoi(inputs_get(in, "baseline")) * 8 == (int)baseline);
    return 100 * copy / baseline;
}

static const struct class {
    const char *quantity;
    double (*compute)(const struct inputs *in);
} classes[] = {
    {"fmt.max", max_of},
    {"fmt.min_normal", min_normal_of},
    {"fmt.min_subnormal", min_subnormal_of},
    {"fmt.ulp_at_1", ulp_at_1},
    {"fmt.bf16_add", bf16_add},
    {"fmt.bf16_next_after", bf16_next_after},
    {"fmt.dynamic_range_binades", dynamic_range},
    {"fmt.e4m3_nan_patterns", e4m3_nan_patterns},
    {"mx.effective_bits", mx_effective_bits},
    {"nvfp4.global_scale_denominator", nvfp4_denominator},
    {"mp.lost_update_ratio", lost_update_ratio},
    {"mp.weight_storage_overhead_pct", weight_storage_overhead_pct},
};
enum { CLASSES = sizeof classes / sizeof classes[0] };

static int rows[128], row_count;

START_TEST(a_published_figure_comes_out_within_its_tolerance) {
    int row = rows[_i];
    struct inputs in;
    inputs_read(&in, csv_get(&papers, row, "inputs"));
    double value = (double)NAN;
    for (int i = 0; i < CLASSES; i++) {
        if (strcmp(classes[i].quantity, csv_get(&papers, row, "quantity")) == 0) {
            value = classes[i].compute(&in);
        }
    }
    double expected = strtod(csv_get(&papers, row, "expected"), NULL);
    double tolerance = strtod(csv_get(&papers, row, "tolerance"), NULL);
    ck_assert_msg(fabs(value - expected) <= tolerance, "%s %s (%s): %.17g, published %.17g",
                  csv_get(&papers, row, "id"), csv_get(&papers, row, "quantity"),
                  csv_get(&papers, row, "inputs"), value, expected);
}
END_TEST

START_TEST(the_account_of_all_rows_knows_these_classes) {
    for (int i = 0; i < CLASSES; i++) {
        ck_assert_msg(is_format_class(classes[i].quantity), "%s", classes[i].quantity);
    }
    ck_assert_int_eq(CLASSES, FORMAT_CLASSES);
    ck_assert_int_ge(row_count, 24);
}
END_TEST

static Suite *suite(void) {
    Suite *s = suite_create("vectors");
    TCase *t = tcase_create("rows");
    papers = csv_read("vectors_papers.csv");
    for (int row = 0; row < papers.rows; row++) {
        if (is_format_class(csv_get(&papers, row, "quantity"))) {
            rows[row_count++] = row;
        }
    }
    tcase_add_loop_test(t, a_published_figure_comes_out_within_its_tolerance, 0, row_count);
    tcase_add_test(t, the_account_of_all_rows_knows_these_classes);
    suite_add_tcase(s, t);
    return s;
}

#include "support/check_main.h"
