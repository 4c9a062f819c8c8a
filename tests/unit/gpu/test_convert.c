/* Conversions on a device give the bits of the room `num`: every code of fp16, bf16, e4m3 and e5m2 to fp32, and back from
 * three million floats, among them every number, every middle between two and its neighbours, subnormals, infinities and
 * nans. */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "gpu_support.h"
#include "shardlab/num/convert.h"

static const enum num_type types[] = {NUM_FP16, NUM_BF16, NUM_E4M3, NUM_E5M2};
enum { TYPES = sizeof types / sizeof types[0], CODES = 1 << 16 };

static uint32_t bits_of(float value) {
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

START_TEST(every_code_becomes_the_float_that_it_is) {
    enum num_type type = types[_i];
    uint32_t codes_there = num_limits(type).codes;
    uint16_t *codes = malloc(CODES * sizeof *codes);
    float *expected = malloc(CODES * sizeof *expected), *got = malloc(CODES * sizeof *got);
    struct gpu *gpu = opened(2);
    struct message why;
    for (uint32_t i = 0; i < codes_there; i++) {
        codes[i] = (uint16_t)i;
    }
    num_unpack(type, codes, expected, codes_there);
    const struct gpu_conversion c = {
        .type = type, .count = codes_there, .values = got, .codes = codes};
    ck_assert_int_eq(gpu_unpack(gpu, &c, &why), STATUS_OK);
    for (uint32_t i = 0; i < codes_there; i++) {
        if (bits_of(got[i]) != bits_of(expected[i])) {
            ck_abort_msg("%s 0x%x: 0x%08x, not 0x%08x", num_format(type)->name, i, bits_of(got[i]),
                         bits_of(expected[i]));
        }
    }
    gpu_close(gpu);
    free(codes);
    free(expected);
    free(got);
}
END_TEST

/* All upper halves of a float with lower halves on, just above and just below every sixteenth. */
enum { LOWS = 48, FLOATS = LOWS * CODES };

static void fill(float *values) {
    size_t at = 0;
    for (uint32_t upper = 0; upper < CODES; upper++) {
        for (uint32_t low = 0; low < LOWS; low++) {
            static const uint32_t beside[3] = {0, 1, 0xFFF};
            uint32_t bits = upper << 16 | (low / 3) << 12 | beside[low % 3];
            memcpy(&values[at++], &bits, sizeof bits);
        }
    }
}

START_TEST(every_number_and_middle_is_packed_as_the_cpu_does) {
    enum num_type type = types[_i / 2];
    enum num_overflow overflow = _i % 2 == 0 ? NUM_OVERFLOW_INF : NUM_OVERFLOW_SATURATE;
    float *values = malloc(FLOATS * sizeof *values);
    uint16_t *expected = malloc(FLOATS * sizeof *expected), *got = malloc(FLOATS * sizeof *got);
    struct gpu *gpu = opened(2);
    struct message why;
    fill(values);
    num_pack(type, overflow, values, expected, FLOATS);
    const struct gpu_conversion c = {type, overflow, FLOATS, values, got};
    ck_assert_int_eq(gpu_pack(gpu, &c, &why), STATUS_OK);
    for (size_t i = 0; i < FLOATS; i++) {
        if (got[i] != expected[i]) {
            ck_abort_msg("%s 0x%08x: 0x%x, not 0x%x", num_format(type)->name, bits_of(values[i]),
                         got[i], expected[i]);
        }
    }
    gpu_close(gpu);
    free(values);
    free(expected);
    free(got);
}
END_TEST

/* Which a driver may refuse; PoCL, on which the tests run, does not. */
START_TEST(a_processor_is_divided_among_two_ranks) {
    static struct gpu_facts whole[GPU_LISTED_MAX];
    struct message why;
    int count = 0;
    ck_assert_int_eq(gpu_list(GPU_OPENCL, whole, &count, &why), STATUS_OK);
    struct gpu *gpu = opened(2);
    const struct gpu_facts *facts = gpu_facts_of(gpu, 0);
    if (!facts->is_gpu && strstr(facts->platform, "Portable Computing Language") != NULL &&
        whole[0].units >= 2 && whole[0].units <= GPU_LISTED_MAX) {
        ck_assert_uint_eq(gpu_devices(gpu), whole[0].units);
        ck_assert_uint_eq(facts->units, 1);
    }
    ck_assert_uint_gt(facts->memory_bytes, 0);
    ck_assert_uint_gt(facts->largest_buffer_bytes, 0);
    ck_assert_str_ne(facts->name, "");
    gpu_close(gpu);
}
END_TEST

START_TEST(nothing_is_converted_without_a_device_call) {
    struct gpu *gpu = opened(1);
    struct message why;
    const struct gpu_conversion c = {.type = NUM_FP16};
    ck_assert_int_eq(gpu_pack(gpu, &c, &why), STATUS_OK);
    gpu_close(gpu);
}
END_TEST

static Suite *suite(void) {
    Suite *s = suite_create("gpu.convert");
    TCase *c = tcase_create("convert");
    tcase_add_loop_test(c, every_code_becomes_the_float_that_it_is, 0, TYPES);
    tcase_add_loop_test(c, every_number_and_middle_is_packed_as_the_cpu_does, 0, 2 * TYPES);
    tcase_add_test(c, a_processor_is_divided_among_two_ranks);
    tcase_add_test(c, nothing_is_converted_without_a_device_call);
    suite_add_tcase(s, c);
    return s;
}

int main(void) {
    return run_on_a_device(suite());
}
