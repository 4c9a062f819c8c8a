/* Tests that need an OpenCL device: an opened one, and a main that skips, and says why, where there is none. Devices are
 * only touched in children (Check forks one a test), since drivers have threads that a fork would lose. */
#ifndef UNIT_GPU_SUPPORT_H
#define UNIT_GPU_SUPPORT_H

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "shardlab/gpu/gpu.h"

enum { EXIT_SKIPPED = 77 };

static inline struct gpu *opened(uint32_t ranks) {
    struct gpu *gpu = NULL;
    struct message why;
    enum status ok = gpu_open(GPU_OPENCL, ranks, &gpu, &why);
    ck_assert_msg(ok == STATUS_OK, "%s %s %s %s", why.id, why.args[0].text, why.args[1].text,
                  why.args[2].text);
    return gpu;
}

/* In a child of its own; prints what is there, or why nothing is. */
static inline int look(void) {
    struct gpu_facts facts[GPU_LISTED_MAX];
    struct message why;
    int count = 0;
    if (gpu_list(GPU_OPENCL, facts, &count, &why) != STATUS_OK) {
        printf("skipped: %s (%s); Debian: ocl-icd-libopencl1 pocl-opencl-icd\n", why.id,
               why.arg_count > 0 ? why.args[0].text : "no device");
        return EXIT_SKIPPED;
    }
    printf("runs on %s, %s, %u units\n", facts[0].name, facts[0].platform, facts[0].units);
    return EXIT_SUCCESS;
}

static inline int run_on_a_device(Suite *suite) {
    fflush(stdout);
    pid_t child = fork();
    if (child == 0) {
        int code = look();
        fflush(stdout);
        _exit(code);
    }
    int status = 0;
    if (child < 0 || waitpid(child, &status, 0) != child || !WIFEXITED(status)) {
        printf("the driver ended the process that only looked for devices\n");
        return EXIT_FAILURE;
    }
    if (WEXITSTATUS(status) != EXIT_SUCCESS) {
        return WEXITSTATUS(status);
    }
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner), ran = srunner_ntests_run(runner);
    srunner_free(runner);
    return failed == 0 && ran > 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}

#endif
