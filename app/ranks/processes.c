/* Ranks as forked processes that share one mapping. The parent runs no rank: it waits, so that it learns at once of a
 * rank that is killed, tells the others, and ends those that do not end themselves. Should the parent be killed, the kernel
 * kills its ranks (PR_SET_PDEATHSIG); the memory has no name and goes with them. The ranks are one process group, so that
 * waiting for them takes no other child of this program. Proof: tests/unit/ranks/test_processes.c. */
#define _GNU_SOURCE
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "run_private.h"

enum { GRACE_MS = 400, LOOK_MS = 2 };

static _Noreturn void be_rank(struct world *w, uint32_t rank, const struct ranks_body *body,
                              pid_t parent, pid_t group) {
    static const int signals[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGCHLD, SIGALRM};
    (void)setpgid(0, group);
    (void)prctl(PR_SET_PDEATHSIG, SIGKILL);
    for (size_t i = 0; i < sizeof signals / sizeof signals[0]; i++) {
        (void)signal(signals[i], SIG_DFL);
    }
    if (getppid() != parent) { /* it went before the kernel knew what we want */
        _exit(STATUS_FAILED);
    }
    atomic_store(&w->ranks[rank].process, (int32_t)getpid());
    _exit((int)rank_live(w, rank, body));
}

/* The group is the first one's. False: verdict given, those that were started are in the group. */
static bool start_all(struct world *w, const struct ranks_body *body, pid_t *group) {
    pid_t parent = getpid();
    *group = 0;
    for (uint32_t r = 0; r < w->options.ranks; r++) {
        pid_t pid = fork();
        if (pid == 0) {
            be_rank(w, r, body, parent, *group);
        }
        if (pid < 0) {
            struct verdict v = {.end = RANKS_END_START, .rank = r, .a = (uint64_t)errno};
            (void)world_end(w, &v);
            return false;
        }
        *group = r == 0 ? pid : *group;
        (void)setpgid(pid, *group); /* both do it: whoever comes first */
        atomic_store(&w->ranks[r].process, (int32_t)pid);
    }
    return true;
}

/* A rank ends well when its body has returned; one that exits from within it is as dead as one that is killed. */
static void note_end(struct world *w, pid_t pid, int status) {
    for (uint32_t r = 0; r < w->options.ranks; r++) {
        struct rank_state *state = &w->ranks[r];
        bool well = WIFEXITED(status) && atomic_load(&state->wait) == RANKS_ENDED;
        if (atomic_load(&state->process) == (int32_t)pid && !well) {
            struct verdict v = {.end = RANKS_END_DEAD, .rank = r, .a = (uint64_t)pid};
            v.step = atomic_load(&state->step);
            v.b = WIFSIGNALED(status) ? (uint64_t)WTERMSIG(status) : 0;
            (void)world_end(w, &v);
        }
    }
}

static void rest(void) {
    struct timespec t = {0, LOOK_MS * 1000000L};
    (void)nanosleep(&t, NULL);
}

/* Until no rank is left. While all is well it sleeps in the kernel; once the run is ending it counts the time. */
static void reap_all(struct world *w, pid_t group) {
    double end = 0;
    for (;;) {
        bool ending = world_ending(w);
        int status = 0;
        pid_t pid = waitpid(-group, &status, ending ? WNOHANG : 0);
        if (pid > 0) {
            note_end(w, pid, status);
        } else if (pid < 0 && errno != EINTR) {
            return;
        } else if (ending) {
            end = end > 0 ? end : clock_s() + GRACE_MS * 1e-3;
            if (clock_s() > end) {
                (void)kill(-group, SIGKILL);
            }
            rest();
        }
    }
}

void processes_run(struct world *w, const struct ranks_body *body) {
    pid_t group;
    (void)start_all(w, body, &group);
    if (group > 0) {
        reap_all(w, group);
    }
}
