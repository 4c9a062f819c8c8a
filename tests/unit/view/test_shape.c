/* Single values of a view: amounts that never show a non-zero as 0.00, grouped formulas, and the
 * cells of a bar, whose properties are checked on many random bars. What is taken on faith:
 * units_write_bytes. */
#include <check.h>
#include <string.h>

#include "shardlab/view/shape.h"

struct amount {
    uint64_t bytes;
    enum unit_system unit;
    const char *expected;
};

static const struct amount amounts[] = {
    {0, UNIT_GB, "0.00"},
    {13476831232, UNIT_GB, "13.48"},
    {5000000, UNIT_GB, "0.01"},
    {4999999, UNIT_GB, "0.005"},
    {1000000, UNIT_GB, "0.001"},
    {4096, UNIT_GB, "0.000004"},
    {1, UNIT_GB, "0.000000001"},
    {1, UNIT_GIB, "0.000000001"},
    {UINT64_C(1) << 30, UNIT_GIB, "1.00"},
    {UINT64_MAX, UNIT_GB, "18446744073.71"},
};

START_TEST(an_amount_is_never_shown_as_zero_unless_it_is) {
    const struct amount *a = &amounts[_i];
    char text[64];
    struct writer w;
    writer_start(&w, text, sizeof text);
    view_write_amount(&w, a->bytes, a->unit);
    ck_assert_str_eq(text, a->expected);
}
END_TEST

struct real {
    double value;
    const char *expected;
};

static const struct real reals[] = {
    {1, "1"},       {2.91, "2.91"},           {2.5, "2.5"},     {0, "0"}, {100, "100"},
    {-3.1, "-3.1"}, {1234567890, "1.23e+09"}, {0.001, "0.001"},
};

START_TEST(a_real_drops_trailing_zeros) {
    char text[64];
    struct writer w;
    writer_start(&w, text, sizeof text);
    view_write_real(&w, reals[_i].value);
    ck_assert_str_eq(text, reals[_i].expected);
}
END_TEST

struct grouping {
    const char *text, *expected;
};

static const struct grouping groupings[] = {
    {"12 × 6738415616 / 8", "12 × 6,738,415,616 / 8"},
    {"4096", "4096"},
    {"12345", "12,345"},
    {"0.123456", "0.123456"},
    {"fp16384", "fp16384"},
    {"1,234,567", "1,234,567"},
    {"", ""},
    {"2·131072·5120", "2·131,072·5120"},
};

START_TEST(long_whole_numbers_of_a_formula_are_grouped) {
    char text[96];
    struct writer w;
    writer_start(&w, text, sizeof text);
    view_write_grouped(&w, groupings[_i].text);
    ck_assert_str_eq(text, groupings[_i].expected);
}
END_TEST

START_TEST(every_part_has_its_own_pattern_of_one_column) {
    const struct width_rules rules = {false};
    const enum view_role roles[] = {VIEW_ROLE_WEIGHTS,     VIEW_ROLE_GRADIENTS, VIEW_ROLE_OPTIMIZER,
                                    VIEW_ROLE_ACTIVATIONS, VIEW_ROLE_BUFFERS,   VIEW_ROLE_PLAIN};
    for (int ascii = 0; ascii < 2; ascii++) {
        for (size_t i = 0; i < 6; i++) {
            const char *pattern = view_pattern(roles[i], ascii != 0);
            ck_assert_int_eq(width_text(pattern, &rules), 1);
            ck_assert(!ascii || (unsigned char)pattern[0] < 0x80);
            for (size_t k = 0; k < i; k++) {
                ck_assert_str_ne(pattern, view_pattern(roles[k], ascii != 0));
            }
        }
    }
}
END_TEST

static struct view_bar bar_of(const uint64_t *parts, int count, uint64_t capacity) {
    struct view_bar bar = {.segment_count = count, .has_capacity = capacity > 0};
    bar.capacity_bytes = capacity;
    for (int i = 0; i < count; i++) {
        bar.segments[i].bytes = parts[i];
        bar.total_bytes += parts[i];
    }
    return bar;
}

START_TEST(cells_are_shared_by_largest_remainder) {
    const uint64_t parts[] = {10, 20, 30};
    struct view_bar bar = bar_of(parts, 3, 80);
    struct view_bar_cells cells;
    view_bar_cells(&bar, 40, &cells);
    ck_assert_int_eq(cells.segments[0], 5);
    ck_assert_int_eq(cells.segments[1], 10);
    ck_assert_int_eq(cells.segments[2], 15);
    ck_assert_int_eq(cells.free, 10);
    ck_assert_int_eq(cells.capacity, 40);
    view_bar_cells(&bar, 9, &cells); /* exact shares 1.125, 2.25, 3.375, 2.25 */
    ck_assert_int_eq(cells.segments[0], 1);
    ck_assert_int_eq(cells.segments[1], 2);
    ck_assert_int_eq(cells.segments[2], 4);
    ck_assert_int_eq(cells.free, 2);
}
END_TEST

START_TEST(a_small_part_keeps_a_cell) {
    const uint64_t parts[] = {1, 1000000};
    struct view_bar bar = bar_of(parts, 2, 1000002);
    struct view_bar_cells cells;
    view_bar_cells(&bar, 20, &cells);
    ck_assert_int_eq(cells.segments[0], 1);
    ck_assert_int_eq(cells.segments[1], 18);
    ck_assert_int_eq(cells.free, 1);
}
END_TEST

START_TEST(an_overflow_stands_beyond_the_mark) {
    const uint64_t parts[] = {100, 60};
    struct view_bar bar = bar_of(parts, 2, 80);
    struct view_bar_cells cells;
    view_bar_cells(&bar, 40, &cells);
    ck_assert(!view_bar_fits(&bar));
    ck_assert_int_eq(cells.free, 0);
    ck_assert_int_eq(cells.segments[0] + cells.segments[1], 40);
    ck_assert_int_eq(cells.capacity, 20);
}
END_TEST

START_TEST(the_smallest_overflow_is_visible) {
    const uint64_t parts[] = {UINT64_C(80000000001)};
    struct view_bar bar = bar_of(parts, 1, UINT64_C(80000000000));
    struct view_bar_cells cells;
    view_bar_cells(&bar, 40, &cells);
    ck_assert_int_eq(cells.segments[0], 40);
    ck_assert_int_eq(cells.capacity, 39);
}
END_TEST

START_TEST(a_total_beyond_its_segments_is_shown_as_other) {
    const uint64_t parts[] = {30};
    struct view_bar bar = bar_of(parts, 1, 100);
    bar.total_bytes = 60;
    struct view_bar_cells cells;
    view_bar_cells(&bar, 10, &cells);
    ck_assert_int_eq(cells.segments[0], 3);
    ck_assert_int_eq(cells.other, 3);
    ck_assert_int_eq(cells.free, 4);
}
END_TEST

START_TEST(an_empty_bar_is_all_free) {
    struct view_bar bar = bar_of(NULL, 0, 80);
    struct view_bar_cells cells;
    view_bar_cells(&bar, 10, &cells);
    ck_assert_int_eq(cells.free, 10);
    ck_assert_int_eq(cells.capacity, 10);
    view_bar_cells(&bar, 0, &cells);
    ck_assert_int_eq(cells.free, 0);
}
END_TEST

static uint64_t next_random(uint64_t *state) {
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return *state;
}

/* Sizes of every magnitude, zero among them. */
static uint64_t random_size(uint64_t *state) {
    uint64_t shift = next_random(state) % 68;
    return shift >= 64 ? 0 : next_random(state) >> shift;
}

static int cell_sum(const struct view_bar_cells *cells, int count) {
    int sum = cells->other + cells->free;
    for (int i = 0; i < count; i++) {
        sum += cells->segments[i];
    }
    return sum;
}

START_TEST(random_bars_fill_their_cells_and_show_every_part) {
    uint64_t state = UINT64_C(88172645463325252);
    for (int round = 0; round < 20000; round++) {
        uint64_t parts[6];
        int count = 1 + (int)(next_random(&state) % 6);
        for (int i = 0; i < count; i++) {
            parts[i] = random_size(&state) / 8; /* their sum stays within 64 bits */
        }
        struct view_bar bar = bar_of(parts, count, random_size(&state));
        int width = 1 + (int)(next_random(&state) % 200);
        struct view_bar_cells cells;
        view_bar_cells(&bar, width, &cells);
        ck_assert_msg(cell_sum(&cells, count) == width, "round %d: sum", round);
        for (int i = 0; i < count; i++) {
            bool shown = cells.segments[i] > 0;
            ck_assert_msg(parts[i] > 0 || !shown, "round %d: part %d of nothing", round, i);
            ck_assert_msg(parts[i] == 0 || shown || width < 8, "round %d: part %d lost", round, i);
        }
        bool fits = view_bar_fits(&bar);
        ck_assert_msg(!bar.has_capacity || (cells.capacity == width) == fits || width == 0,
                      "round %d: mark at %d of %d, fits %d", round, cells.capacity, width, fits);
        ck_assert_msg(fits || cells.free == 0, "round %d: free beside an overflow", round);
    }
}
END_TEST

START_TEST(a_curve_spans_its_finite_points_and_its_limit) {
    struct view_curve curve = {.point_count = 3, .y = {1, 2.91, 1.0 / 0.0}, .has_limit = true};
    curve.limit = 4;
    double low;
    double high;
    ck_assert(view_curve_range(&curve, &low, &high));
    ck_assert_double_eq(low, 1);
    ck_assert_double_eq(high, 4);
    ck_assert_int_eq(view_curve_cell(1, low, high, 31), 0);
    ck_assert_int_eq(view_curve_cell(2.91, low, high, 31), 19);
    ck_assert_int_eq(view_curve_cell(4, low, high, 31), 30);
    ck_assert_int_eq(view_curve_cell(9, low, high, 31), 30);
    curve.point_count = 0;
    ck_assert(!view_curve_range(&curve, &low, &high));
}
END_TEST

START_TEST(an_added_item_is_empty) {
    static struct view v;
    view_start(&v);
    for (int i = 0; i < VIEW_ITEMS_MAX; i++) {
        struct view_item *item = view_add(&v, VIEW_KIND_CURVE);
        ck_assert_int_eq(item->curve.point_count, 0);
        ck_assert_int_eq(item->curve.current, -1);
        ck_assert_ptr_null(item->curve.title.id);
    }
    ck_assert_int_eq(v.item_count, VIEW_ITEMS_MAX);
}
END_TEST

static Suite *suite(void) {
    Suite *s = suite_create("shape");
    TCase *t = tcase_create("values");
    tcase_set_timeout(t, 30);
    tcase_add_loop_test(t, an_amount_is_never_shown_as_zero_unless_it_is, 0,
                        (int)(sizeof amounts / sizeof amounts[0]));
    tcase_add_loop_test(t, a_real_drops_trailing_zeros, 0, (int)(sizeof reals / sizeof reals[0]));
    tcase_add_loop_test(t, long_whole_numbers_of_a_formula_are_grouped, 0,
                        (int)(sizeof groupings / sizeof groupings[0]));
    tcase_add_test(t, every_part_has_its_own_pattern_of_one_column);
    tcase_add_test(t, cells_are_shared_by_largest_remainder);
    tcase_add_test(t, a_small_part_keeps_a_cell);
    tcase_add_test(t, an_overflow_stands_beyond_the_mark);
    tcase_add_test(t, the_smallest_overflow_is_visible);
    tcase_add_test(t, a_total_beyond_its_segments_is_shown_as_other);
    tcase_add_test(t, an_empty_bar_is_all_free);
    tcase_add_test(t, random_bars_fill_their_cells_and_show_every_part);
    tcase_add_test(t, a_curve_spans_its_finite_points_and_its_limit);
    tcase_add_test(t, an_added_item_is_empty);
    suite_add_tcase(s, t);
    return s;
}

#include "support/check_main.h"
