/* Sleeping on a word in shared memory, and the clock: the only file that speaks to the kernel about waiting. Linux'
 * futex, because it is the one primitive that works between threads and between forked processes alike and holds nothing
 * when its user is killed. Proof: tests/unit/ranks/test_run.c. */
#define _GNU_SOURCE
#include <linux/futex.h>
#include <stddef.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "run_private.h"

double clock_s(void) {
    struct timespec now;
    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

void cpu_pause(void) {
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ volatile("yield");
#endif
}

void sleep_on(_Atomic uint32_t *word, uint32_t seen, double seconds) {
    if (seconds <= 0) {
        return;
    }
    double most =
        seconds < 1e6 ? seconds : 1e6; /* who is woken by the limit looks at the clock again */
    time_t whole = (time_t)most;
    struct timespec limit = {whole, (long)((most - (double)whole) * 1e9)};
    (void)syscall(SYS_futex, (void *)word, FUTEX_WAIT, seen, &limit, NULL, 0);
}

void wake_sleeper(_Atomic uint32_t *word) {
    (void)syscall(SYS_futex, (void *)word, FUTEX_WAKE, 1, NULL, NULL, 0);
}
