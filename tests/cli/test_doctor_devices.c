/* `shardlab doctor` names devices, and survives what is broken about them. */
#define _POSIX_C_SOURCE 200809L
#include <stdio.h>

#include "cli/expect.h"

static void expect_lines_of(const char *setting_a, const char *setting_b, const char *names) {
    const struct run_options o = {.environment = (const char *const[]){setting_a, setting_b, NULL}};
    struct run r;
    expect_good(&r, "doctor --lang en", &o);
    expect_names(r.out, names);
    expect_harmless("doctor", r.out);
    run_free(&r);
    expect_json(&r, "doctor --json", &o);
    run_free(&r);
}

START_TEST(a_crash_of_the_driver_is_a_line_with_its_remedy) {
    expect_lines_of("LD_LIBRARY_PATH=" TEST_BINARY_DIR "/mock/opencl", "MOCK_OPENCL=crash",
                    "OpenCL device|signal 11|pocl-opencl-icd");
}
END_TEST

START_TEST(an_old_loader_is_a_line_with_its_remedy) {
    expect_lines_of("LD_LIBRARY_PATH=" TEST_BINARY_DIR "/mock/opencl",
                    "MOCK_OPENCL=", "OpenCL device|clGetPlatformInfo|ocl-icd-libopencl1");
}
END_TEST

START_TEST(no_device_is_a_line_with_its_remedy) {
    expect_lines_of("OCL_ICD_VENDORS=/nowhere", "MOCK_OPENCL=", "OpenCL device|pocl-opencl-icd");
}
END_TEST

static Suite *suite(void) {
    Suite *s = suite_create("cli.doctor_devices");
    TCase *c = tcase_create("doctor_devices");
    tcase_add_test(c, a_crash_of_the_driver_is_a_line_with_its_remedy);
    tcase_add_test(c, an_old_loader_is_a_line_with_its_remedy);
    tcase_add_test(c, no_device_is_a_line_with_its_remedy);
    suite_add_tcase(s, c);
    return s;
}

#include "support/check_main.h"
