/* The log of progress on a disk that fails at every single operation in turn, once or for good, full or broken, while a log is
 * read, made, written to and closed. Whatever an append has returned for is there afterwards, in order and once; what failed
 * is there once or not at all; and the log takes events again. */
#define _XOPEN_SOURCE 700

#include <unistd.h>

#include "failing_disk.h"
#include "progress_case.h"

enum { BEFORE = 3, DURING = 3, EVENTS_MAX = BEFORE + DURING + 1, OPERATIONS_MAX = 2000 };

static struct progress_case here;

static void here_make(void) {
    disk_insert();
    disk_arm(0, false, DISK_FULL);
    case_make(&here);
}

static void here_remove(void) {
    disk_arm(0, false, DISK_FULL);
    case_remove(&here);
}

/* A log of so many events, or none. */
static void start(int before) {
    (void)remove(here.path);
    case_beside_remove(&here);
    if (before > 0) {
        struct progress *p = case_open(&here);
        for (int i = 0; i < before; i++) {
            (void)case_append(p, i);
        }
        progress_close(p);
    }
}

/* Opens, appends, closes on the failing disk; saved[i]: the append of event i returned for it. */
static void work(int before, bool saved[EVENTS_MAX]) {
    struct progress *p = NULL;
    struct message why = {0};
    if (progress_open(here.path, &p, &why) != STATUS_OK) {
        ck_assert_msg(why.id != NULL && why.arg_count > 0, "it does not say why");
    }
    for (int i = before; i < before + DURING; i++) {
        struct progress_event e = case_event(i);
        why = (struct message){0};
        int waiting = progress_unsaved(p);
        saved[i] = progress_append(p, &e, &why) == STATUS_OK;
        ck_assert(saved[i] || (why.id != NULL && why.arg_count > 0));
        ck_assert_int_eq(progress_unsaved(p), saved[i] ? 0 : waiting + 1);
        for (int k = before; saved[i] && k < i; k++) {
            saved[k] = true; /* what waited is saved with it */
        }
    }
    progress_close(p);
}

static void expect_saved(int before, const bool saved[EVENTS_MAX], int at) {
    struct progress *p = case_open(&here);
    int64_t last = case_append(p, EVENTS_MAX - 1);
    int count = 0, next = 0;
    bool found[EVENTS_MAX] = {false};
    const struct progress_event *events = progress_events(p, &count);
    ck_assert_int_eq(events[count - 1].id, last);
    for (int i = 0; i < count; i++) {
        int which = (int)(events[i].utc_s - case_event(0).utc_s);
        struct progress_event e = case_event(which);
        e.id = events[i].id;
        ck_assert(case_same(&events[i], &e));
        ck_assert_msg(which >= next, "event %d twice or too late, operation %d", which, at);
        ck_assert(i == 0 || events[i].id > events[i - 1].id);
        next = which + 1;
        found[which] = true;
    }
    for (int i = 0; i < EVENTS_MAX; i++) {
        bool needed = i < before || saved[i];
        ck_assert_msg(found[i] || !needed, "event %d is lost, operation %d", i, at);
    }
    progress_close(p);
    case_intact(&here);
}

/* Whether a log is there before, whether the fault lasts, which. */
static const struct kind {
    int before;
    bool lasting;
    enum disk_fault fault;
} kinds[] = {
    {BEFORE, false, DISK_FULL},  {BEFORE, true, DISK_FULL}, {BEFORE, false, DISK_BROKEN},
    {BEFORE, true, DISK_BROKEN}, {0, false, DISK_FULL},     {0, true, DISK_FULL},
    {0, false, DISK_BROKEN},     {0, true, DISK_BROKEN},
};

START_TEST(a_disk_that_fails_at_any_operation_loses_nothing_that_was_saved) {
    const struct kind *kind = &kinds[_i];
    int at = 1, refused = 0;
    for (bool failed = true; failed; at++) {
        bool saved[EVENTS_MAX] = {false};
        ck_assert_int_lt(at, OPERATIONS_MAX);
        disk_arm(0, false, DISK_FULL);
        start(kind->before);
        disk_arm(at, kind->lasting, kind->fault);
        work(kind->before, saved);
        failed = disk.failed > 0;
        disk_arm(0, false, DISK_FULL);
        for (int i = 0; i < DURING; i++) {
            refused += saved[kind->before + i] ? 0 : 1;
            ck_assert(failed || saved[kind->before + i]);
        }
        expect_saved(kind->before, saved, at);
    }
    ck_assert_int_gt(at, 20);
    ck_assert_int_gt(refused, kind->lasting ? 20 : -1);
}
END_TEST

static Suite *suite(void) {
    Suite *s = suite_create("store.progress_faults");
    TCase *c = tcase_create("faults");
    tcase_add_checked_fixture(c, here_make, here_remove);
    tcase_add_loop_test(c, a_disk_that_fails_at_any_operation_loses_nothing_that_was_saved, 0,
                        sizeof kinds / sizeof kinds[0]);
    suite_add_tcase(s, c);
    return s;
}

#include "support/check_main.h"
