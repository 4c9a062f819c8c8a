/* A backend that cannot be had: exit 1, nothing on standard output, and one line that says what to install. Libraries are
 * hidden behind files of their names that are no libraries. */
#define _POSIX_C_SOURCE 200809L
#include <stdio.h>

#include "cli/expect.h"

static void expect_remedy(const char *line, const char *setting, const char *more,
                          const char *names) {
    struct expect_words words;
    const struct run_options o = {.environment = (const char *const[]){setting, more, NULL}};
    struct run r;
    run_shardlab(&r, expect_split(&words, line), &o);
    ck_assert_msg(r.status == 1, "%s: status %d: %s", line, r.status, r.err);
    ck_assert_uint_eq(r.out_length, 0);
    ck_assert_msg(expect_lines(r.err) == 1, "%s", r.err);
    expect_names(r.err, names);
    expect_harmless(line, r.err);
    run_free(&r);
}

START_TEST(without_a_library_the_line_says_what_to_install) {
    char folder[RUN_PATH_MAX], path[RUN_PATH_MAX], setting[RUN_PATH_MAX + 32];
    folder_make(folder, TEST_BINARY_DIR);
    file_write(folder_path(path, folder, "libOpenCL.so.1"), "no library", 10);
    file_write(folder_path(path, folder, "libcuda.so.1"), "no library", 10);
    (void)snprintf(setting, sizeof setting, "LD_LIBRARY_PATH=%s", folder);
    expect_remedy("allreduce --backend opencl --lang en", setting, NULL,
                  "shardlab: allreduce: |libOpenCL.so.1|ocl-icd-libopencl1|pocl-opencl-icd");
    expect_remedy("overflow --experiment sum --type bf16 --backend opencl --lang en", setting, NULL,
                  "shardlab: overflow: |libOpenCL.so.1|ocl-icd-libopencl1|pocl-opencl-icd");
    expect_remedy("allreduce --backend opencl --lang zh", setting, NULL, "libOpenCL.so.1|请安装");
    expect_remedy("allreduce --backend cuda --lang en", setting, NULL,
                  "shardlab: allreduce: |libcuda.so.1|NVIDIA's driver|--backend opencl");
    expect_remedy("overflow --experiment sum --type bf16 --backend cuda --lang zh", setting, NULL,
                  "libcuda.so.1|请安装 NVIDIA 驱动");
    folder_remove(folder);
}
END_TEST

START_TEST(without_a_device_the_line_says_what_to_install) {
    expect_remedy("allreduce --backend opencl --lang en", "OCL_ICD_VENDORS=/nowhere", NULL,
                  "shardlab: allreduce: |pocl-opencl-icd");
}
END_TEST

START_TEST(a_driver_that_does_not_start_is_one_line) {
    expect_remedy("allreduce --backend cuda --lang en",
                  "LD_LIBRARY_PATH=" TEST_BINARY_DIR "/mock/cuda", "MOCK_CUDA_INIT=100",
                  "shardlab: allreduce: |cuInit gave error 100|nvidia-smi");
}
END_TEST

/* The stand-in for OpenCL ends whoever loads it. */
START_TEST(nothing_is_loaded_before_it_is_asked_for) {
    static const char *const lines[] = {
        "--version", "mem --params 7B", "allreduce --ranks 2 --elems 10",
        "overflow --experiment range --type fp16", "allreduce --help"};
    const struct run_options o = {
        .environment = (const char *const[]){"LD_LIBRARY_PATH=" TEST_BINARY_DIR "/mock/opencl",
                                             "MOCK_OPENCL=crash", NULL}};
    for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++) {
        struct run r;
        expect_good(&r, lines[i], &o);
        run_free(&r);
    }
    struct run r;
    struct expect_words words;
    run_shardlab(&r, expect_split(&words, "allreduce --ranks 2 --elems 10 --backend opencl"), &o);
    ck_assert_int_ne(r.status, 0);
    run_free(&r);
}
END_TEST

static Suite *suite(void) {
    Suite *s = suite_create("cli.gpu_missing");
    TCase *c = tcase_create("gpu_missing");
    tcase_add_test(c, without_a_library_the_line_says_what_to_install);
    tcase_add_test(c, a_driver_that_does_not_start_is_one_line);
    tcase_add_test(c, without_a_device_the_line_says_what_to_install);
    tcase_add_test(c, nothing_is_loaded_before_it_is_asked_for);
    suite_add_tcase(s, c);
    return s;
}

#include "support/check_main.h"
