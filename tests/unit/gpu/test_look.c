/* Looking for devices where the driver is broken: it crashes, hangs, or is too old; the process that asked lives on and says
 * what happened. The loader is a stand-in (tests/mock/opencl.c), found before any real one. */
#define _POSIX_C_SOURCE 200809L
#include <check.h>
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "shardlab/gpu/gpu.h"

static struct gpu_looked looked;

START_TEST(a_driver_that_crashes_is_a_finding) {
    ck_assert_int_eq(setenv("MOCK_OPENCL", "crash", 1), 0);
    ck_assert_int_eq(gpu_look(GPU_OPENCL, 30, &looked), GPU_LOOK_CRASHED);
    ck_assert_int_eq(looked.signal, SIGSEGV);
    ck_assert_int_eq(looked.count, 0);
}
END_TEST

START_TEST(a_driver_that_hangs_is_ended) {
    ck_assert_int_eq(setenv("MOCK_OPENCL", "hang", 1), 0);
    ck_assert_int_eq(gpu_look(GPU_OPENCL, 0.2, &looked), GPU_LOOK_HUNG);
    ck_assert_int_eq(waitpid(-1, NULL, WNOHANG), -1); /* no child is left */
    ck_assert_int_eq(errno, ECHILD);
}
END_TEST

START_TEST(a_loader_that_lacks_functions_is_named) {
    ck_assert_int_eq(unsetenv("MOCK_OPENCL"), 0);
    ck_assert_int_eq(gpu_look(GPU_OPENCL, 30, &looked), GPU_LOOK_NONE);
    ck_assert_str_eq(looked.why.id, "error.opencl.function");
    ck_assert_ptr_nonnull(strstr(looked.why.args[0].text, "clGetPlatformInfo"));
}
END_TEST

static Suite *suite(void) {
    Suite *s = suite_create("gpu.look");
    TCase *c = tcase_create("look");
    tcase_add_test(c, a_driver_that_crashes_is_a_finding);
    tcase_add_test(c, a_driver_that_hangs_is_ended);
    tcase_add_test(c, a_loader_that_lacks_functions_is_named);
    suite_add_tcase(s, c);
    return s;
}

/* Where libraries are looked for is read when a program starts, so it starts once more. */
int main(int count, char **words) {
    (void)count;
    if (getenv("MOCK_READY") == NULL) {
        (void)setenv("MOCK_READY", "1", 1);
        (void)setenv("LD_LIBRARY_PATH", TEST_BINARY_DIR "/mock/opencl", 1);
        (void)execv("/proc/self/exe", words);
        return EXIT_FAILURE;
    }
    SRunner *runner = srunner_create(suite());
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner), ran = srunner_ntests_run(runner);
    srunner_free(runner);
    return failed == 0 && ran > 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
