/* kill -9 at any moment: a process that answers and tells after each append that feedback was shown is ended amid its work,
 * sometimes while it makes the file, sometimes with another one beside it. Then the database opens clean and holds every
 * answer that was told of, as it was given. The long run: the target `kill`, or TEST_ROUNDS=1000. */
#define _XOPEN_SOURCE 700

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "progress_case.h"
#include "support/mangle.h"
#include "support/rounds.h"

enum {
    ROUNDS_USUAL = 50,
    LEARNERS = 2,
    TOLD_MAX = 4096, /* answers of one learner in one round */
    LIFE_MAX_US = 40000,
};

static struct progress_case here;

static void here_make(void) {
    case_make(&here);
}

static void here_remove(void) {
    case_remove(&here);
}

/* What a learner tells: the id that an answer got, and what tells the answer from others. */
struct told {
    int64_t id, which;
};

struct learner {
    pid_t process;
    int pipe; /* to read from */
    int first, count;
    struct told told[TOLD_MAX];
};

static void give_up(const struct message *why, int status) {
    (void)fprintf(stderr, "%s, %d\n", why->id, (int)why->args[1].count);
    _exit(status);
}

/* Answers until it is killed; opens the log anew now and then, as if the program was started again. */
static void answer_for_ever(int pipe, int first) {
    struct progress *p = NULL;
    struct message why;
    for (int i = 0; i < TOLD_MAX; i++) {
        if (i % 16 == 0) {
            progress_close(p);
            if (progress_open(here.path, &p, &why) != STATUS_OK) {
                give_up(&why, 1);
            }
        }
        struct progress_event e = case_event(first + i);
        if (progress_append(p, &e, &why) != STATUS_OK) {
            give_up(&why, 2);
        }
        struct told told = {e.id, first + i};
        if (write(pipe, &told, sizeof told) != (ssize_t)sizeof told) {
            _exit(3);
        }
    }
    _exit(4);
}

static void learner_start(struct learner *l, int first) {
    int ends[2];
    ck_assert_int_eq(pipe(ends), 0);
    l->first = first;
    l->count = 0;
    l->process = fork();
    ck_assert_int_ge(l->process, 0);
    if (l->process == 0) {
        (void)close(ends[0]);
        answer_for_ever(ends[1], first);
    }
    (void)close(ends[1]);
    l->pipe = ends[0];
}

/* Kills it, and reads what it had told. */
static void learner_kill(struct learner *l) {
    int status = 0;
    ck_assert_int_eq(kill(l->process, SIGKILL), 0);
    ck_assert_int_eq(waitpid(l->process, &status, 0), l->process);
    ck_assert_msg(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL, "it ended by itself: %d",
                  status);
    struct told told;
    while (read(l->pipe, &told, sizeof told) == (ssize_t)sizeof told) {
        ck_assert_int_lt(l->count, TOLD_MAX);
        l->told[l->count++] = told;
    }
    (void)close(l->pipe);
}

static void wait_us(long us) {
    struct timespec left = {0, us * 1000};
    while (nanosleep(&left, &left) != 0 && errno == EINTR) {
    }
}

/* Waits until it has told of an answer. */
static void answer_await(const struct learner *l) {
    struct pollfd pipe = {l->pipe, POLLIN, 0};
    ck_assert_int_eq(poll(&pipe, 1, 20000), 1);
}

static const struct progress_event *find(const struct progress_event *events, int count,
                                         int64_t id) {
    for (int i = count - 1; i >= 0; i--) {
        if (events[i].id == id) {
            return &events[i];
        }
    }
    return NULL;
}

/* Everything that was told is there; beyond it each learner may have been ended between the append and the telling. */
static void expect_told(const struct progress *p, const struct learner *l, int learners,
                        int before) {
    int count = 0, told = 0;
    const struct progress_event *events = progress_events(p, &count);
    for (int k = 0; k < learners; k++) {
        for (int i = 0; i < l[k].count; i++) {
            struct progress_event e = case_event((int)l[k].told[i].which);
            e.id = l[k].told[i].id;
            const struct progress_event *found = find(events, count, e.id);
            ck_assert_msg(found != NULL, "answer %lld is lost", (long long)e.id);
            ck_assert(case_same(found, &e));
        }
        told += l[k].count;
    }
    ck_assert_int_ge(count, before + told);
    ck_assert_int_le(count, before + told + learners);
    ck_assert_int_eq(progress_passed_over(p), 0);
}

START_TEST(every_answer_whose_feedback_was_shown_survives_a_kill) {
    static struct learner learners[LEARNERS];
    uint64_t seed = (uint64_t)time(NULL);
    int kept = 0, rounds = test_rounds(ROUNDS_USUAL), first = 0;
    long all = 0, cold = 0;
    for (int round = 0; round < rounds; round++) {
        if (mangle_random(&seed) % 4 == 0) {
            (void)remove(here.path);
            case_beside_remove(&here);
            kept = 0;
        }
        cold += kept == 0 ? 1 : 0;
        int count = 1 + (int)(mangle_random(&seed) % LEARNERS);
        for (int k = 0; k < count; k++) {
            learner_start(&learners[k], first);
            first += TOLD_MAX;
        }
        if (round % 2 == 0) { /* else it may be ended before its first answer */
            answer_await(&learners[0]);
        }
        long life = LIFE_MAX_US >> mangle_random(&seed) % 6;
        wait_us((long)mangle_random(&seed) % life);
        for (int k = 0; k < count; k++) {
            learner_kill(&learners[k]);
            all += learners[k].count;
        }
        struct progress *p = case_open(&here);
        expect_told(p, learners, count, kept);
        kept = case_count(p);
        progress_close(p);
        if (access(here.path, F_OK) == 0) {
            case_intact(&here);
        }
    }
    (void)printf("%d rounds, %ld with a new file, %ld answers told: all there\n", rounds, cold,
                 all);
    ck_assert_int_ge(all, rounds / 2);
}
END_TEST

static Suite *suite(void) {
    Suite *s = suite_create("store.progress_kill");
    TCase *c = tcase_create("kill");
    tcase_add_checked_fixture(c, here_make, here_remove);
    tcase_add_test(c, every_answer_whose_feedback_was_shown_survives_a_kill);
    suite_add_tcase(s, c);
    return s;
}

#include "support/check_main.h"
