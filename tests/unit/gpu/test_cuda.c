/* The CUDA driver against a stand-in for libcuda.so.1 (tests/mock/cuda.c) that records calls: an all-reduce of fp32 goes
 * through and is right, ranks are spread over devices, copies between devices go from peer to peer and count, everything
 * that was taken is given back, and a driver that does not start or has no card is told. No GPU runs here. */
#define _POSIX_C_SOURCE 200809L
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "shardlab/gpu/trial.h"

static char log_path[] = TEST_BINARY_DIR "/mock/cuda/log-XXXXXX";
static char said[1 << 20];

static void start_log(void) {
    int file = mkstemp(log_path);
    ck_assert_int_ge(file, 0);
    (void)close(file);
    ck_assert_int_eq(setenv("MOCK_CUDA_LOG", log_path, 1), 0);
}

static void read_log(void) {
    FILE *f = fopen(log_path, "r");
    ck_assert_ptr_nonnull(f);
    size_t length = fread(said, 1, sizeof said - 1, f);
    said[length] = '\0';
    (void)fclose(f);
    ck_assert_int_eq(unlink(log_path), 0);
}

static int times(const char *call) {
    int count = 0;
    for (const char *at = strstr(said, call); at != NULL; at = strstr(at + 1, call)) {
        count++;
    }
    return count;
}

static struct ranks_trial all_reduce(uint32_t ranks, enum coll_algorithm algorithm,
                                     uint64_t elements) {
    const struct ranks_trial_options o = {.job = {COLL_ALL_REDUCE, algorithm, ranks, elements},
                                          .repeat = 1,
                                          .seed = 5,
                                          .timeout_s = 30};
    struct gpu *gpu = NULL;
    struct ranks_trial t;
    struct message why;
    enum status ok = gpu_open(GPU_CUDA, ranks, &gpu, &why);
    ck_assert_msg(ok == STATUS_OK, "%s %s %s", why.id, why.args[1].text, why.args[2].text);
    ok = gpu_trial_run(gpu, &o, &t, &why);
    ck_assert_msg(ok == STATUS_OK, "%s %s %s", why.id, why.args[1].text, why.args[2].text);
    ck_assert_msg(t.within, "error %g, bound %g", t.max_abs_error, t.error_bound);
    gpu_close(gpu);
    return t;
}

START_TEST(an_all_reduce_goes_through_on_two_devices) {
    start_log();
    struct ranks_trial t = all_reduce(4, COLL_RING, 1003);
    read_log();
    ck_assert_uint_eq(t.sent_bytes[0], (251 + 251 + 250 + 251 + 251 + 250) * UINT64_C(4));
    ck_assert_int_eq(times("cuMemcpyPeerAsync"), 4 * 6); /* neighbours are on different devices */
    ck_assert_int_eq(times("cuLaunchKernel combine_fp32 1 256"), 4 * 3);
    ck_assert_int_eq(times("cuDevicePrimaryCtxRetain"), 2);
    ck_assert_int_eq(times("cuModuleLoadData 1"), 2);
    ranks_trial_free(&t);
}
END_TEST

START_TEST(every_algorithm_is_right_on_one_to_three_devices) {
    static const char *const devices[] = {"1", "2", "3"};
    ck_assert_int_eq(setenv("MOCK_CUDA_DEVICES", devices[_i], 1), 0);
    for (int a = 0; a < COLL_ALGORITHMS; a++) {
        struct ranks_trial t = all_reduce(5, (enum coll_algorithm)a, 301);
        ranks_trial_free(&t);
    }
}
END_TEST

START_TEST(what_is_taken_is_given_back) {
    start_log();
    struct ranks_trial t = all_reduce(3, COLL_DIRECT, 100);
    read_log();
    ck_assert_int_gt(times("cuMemAlloc"), 0);
    ck_assert_int_eq(times("cuMemAlloc"), times("cuMemFree"));
    ck_assert_int_eq(times("cuStreamCreate"), 3);
    ck_assert_int_eq(times("cuStreamDestroy 0"), 3); /* 0: where it was made */
    ck_assert_int_eq(times("cuModuleUnload"), 2);
    ck_assert_int_eq(times("cuDevicePrimaryCtxRelease"), 2);
    ranks_trial_free(&t);
}
END_TEST

START_TEST(devices_are_named) {
    struct gpu_facts facts[GPU_LISTED_MAX];
    struct message why;
    int count = 0;
    ck_assert_int_eq(gpu_list(GPU_CUDA, facts, &count, &why), STATUS_OK);
    ck_assert_int_eq(count, 2);
    ck_assert_str_eq(facts[1].name, "stand-in 1");
    ck_assert_str_eq(facts[1].platform, "CUDA 12.4");
    ck_assert_uint_eq(facts[1].units, 7);
    ck_assert_uint_eq(facts[1].memory_bytes, UINT64_C(1) << 30);
}
END_TEST

START_TEST(a_driver_that_does_not_start_is_told_with_its_number) {
    struct gpu *gpu = NULL;
    struct message why;
    ck_assert_int_eq(setenv("MOCK_CUDA_INIT", "34", 1), 0); /* the toolkit's stub library */
    ck_assert_int_eq(gpu_open(GPU_CUDA, 1, &gpu, &why), STATUS_FAILED);
    ck_assert_str_eq(why.id, "error.cuda.start");
    ck_assert_uint_eq(why.args[0].count, 34);
    ck_assert_ptr_null(gpu);
}
END_TEST

START_TEST(no_card_is_told) {
    struct gpu *gpu = NULL;
    struct message why;
    ck_assert_int_eq(setenv("MOCK_CUDA_DEVICES", "0", 1), 0);
    ck_assert_int_eq(gpu_open(GPU_CUDA, 1, &gpu, &why), STATUS_FAILED);
    ck_assert_str_eq(why.id, "error.cuda.device");
}
END_TEST

static Suite *suite(void) {
    Suite *s = suite_create("gpu.cuda");
    TCase *c = tcase_create("cuda");
    tcase_add_test(c, an_all_reduce_goes_through_on_two_devices);
    tcase_add_loop_test(c, every_algorithm_is_right_on_one_to_three_devices, 0, 3);
    tcase_add_test(c, what_is_taken_is_given_back);
    tcase_add_test(c, devices_are_named);
    tcase_add_test(c, a_driver_that_does_not_start_is_told_with_its_number);
    tcase_add_test(c, no_card_is_told);
    suite_add_tcase(s, c);
    return s;
}

/* Where libraries are looked for is read when a program starts, so it starts once more. */
int main(int count, char **words) {
    (void)count;
    if (getenv("MOCK_READY") == NULL) {
        (void)setenv("MOCK_READY", "1", 1);
        (void)setenv("LD_LIBRARY_PATH", TEST_BINARY_DIR "/mock/cuda", 1);
        (void)execv("/proc/self/exe", words);
        return EXIT_FAILURE;
    }
    SRunner *runner = srunner_create(suite());
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner), ran = srunner_ntests_run(runner);
    srunner_free(runner);
    return failed == 0 && ran > 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
