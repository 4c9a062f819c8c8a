/* The main of every unit test: runs the file's `suite()` under Check and reports through the exit status.
 * Include it as the last line of a test file. CK_FORK=no in the environment runs without forks. */
#ifndef SUPPORT_CHECK_MAIN_H
#define SUPPORT_CHECK_MAIN_H

#include <check.h>
#include <stdlib.h>

int main(void) {
    SRunner *runner = srunner_create(suite());
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    int ran = srunner_ntests_run(runner);
    srunner_free(runner);
    return failed == 0 && ran > 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}

#endif
