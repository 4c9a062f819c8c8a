/* From a command to a child process. Between fork and exec only calls that a signal handler may make: the parent may have
 * threads. All signals wait during that time, because until they are reset the handlers of the parent would run in the
 * child and restore a terminal that is not its own. Whether exec worked comes back over a pipe that exec closes.
 * Called by lab.c. Proof: tests/unit/lab/test_lab.c. */
#define _GNU_SOURCE /* pipe2 */

#include "lab_private.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

enum { FDS_CLOSED_BY_HAND = 256, EXIT_NOT_STARTED = 127 };

/* The pipes between the two; index 0 reads, 1 writes. */
struct channels {
    int out[2], error[2], started[2];
    int empty; /* what the child reads: nothing */
};

static void close_fd(int *fd) {
    if (*fd != -1) {
        close(*fd);
        *fd = -1;
    }
}

static void channels_close(struct channels *c) {
    for (int end = 0; end < 2; end++) {
        close_fd(&c->out[end]);
        close_fd(&c->error[end]);
        close_fd(&c->started[end]);
    }
    close_fd(&c->empty);
}

static bool channels_open(struct channels *c) {
    *c = (struct channels){{-1, -1}, {-1, -1}, {-1, -1}, -1};
    c->empty = open("/dev/null", O_RDONLY | O_CLOEXEC);
    return c->empty != -1 && pipe2(c->out, O_CLOEXEC) == 0 && pipe2(c->error, O_CLOEXEC) == 0 &&
           pipe2(c->started, O_CLOEXEC) == 0 && fcntl(c->out[0], F_SETFL, O_NONBLOCK) == 0 &&
           fcntl(c->error[0], F_SETFL, O_NONBLOCK) == 0;
}

/* --- In the child --- */

static void signals_reset(void) {
    struct sigaction plain = {.sa_handler = SIG_DFL};
    sigemptyset(&plain.sa_mask);
    for (int signal = 1; signal < NSIG; signal++) {
        (void)sigaction(signal, &plain, NULL); /* KILL, STOP and libc's own refuse */
    }
    sigprocmask(SIG_SETMASK, &plain.sa_mask, NULL);
}

/* What stays open after exec is 0, 1 and 2. */
static void descriptors_close_on_exec(void) {
#ifdef SYS_close_range
    const unsigned close_on_exec = 4; /* CLOSE_RANGE_CLOEXEC */
    if (syscall(SYS_close_range, 3U, ~0U, close_on_exec) == 0) {
        return;
    }
#endif
    for (int fd = 3; fd < FDS_CLOSED_BY_HAND; fd++) {
        (void)fcntl(fd, F_SETFD, FD_CLOEXEC);
    }
}

_Noreturn static void become(const struct lab_command *command, const struct channels *c,
                             pid_t parent) {
    const char *path = command->path != NULL ? command->path : "/proc/self/exe";
    int fault = 0;
    (void)setsid(); /* a group of its own, and no terminal that it could open */
    (void)prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent) {
        _exit(EXIT_NOT_STARTED); /* it died before it could take us along */
    }
    if (dup2(c->empty, STDIN_FILENO) != -1 && dup2(c->out[1], STDOUT_FILENO) != -1 &&
        dup2(c->error[1], STDERR_FILENO) != -1) {
        descriptors_close_on_exec();
        signals_reset();
        /* exec promises not to write through its argument list */
        execv(path, (char *const *)(uintptr_t)command->argv);
    }
    fault = errno;
    ssize_t written = write(c->started[1], &fault, sizeof fault);
    (void)written;
    _exit(EXIT_NOT_STARTED);
}

/* --- In the parent --- */

/* The errno for which it did not start; 0: it runs. */
static int fault_of(const struct channels *c) {
    int fault = 0;
    ssize_t got = 0;
    do {
        got = read(c->started[0], &fault, sizeof fault);
    } while (got == -1 && errno == EINTR);
    return got == (ssize_t)sizeof fault ? fault : 0;
}

static enum status refuse(struct message *why, const struct lab_command *command, int fault) {
    message_start(why, "error.lab.start");
    message_add_text(why, command->path != NULL ? command->path : command->argv[0]);
    message_add_text(why, strerror(fault));
    return STATUS_FAILED;
}

static int life_of(pid_t pid) {
#ifdef SYS_pidfd_open
    return (int)syscall(SYS_pidfd_open, pid, 0); /* closes on exec */
#else
    (void)pid;
    return -1;
#endif
}

static void take(int *from, int *to) {
    *to = *from;
    *from = -1;
}

/* Who was started with SIGCHLD ignored would never learn how a child ended. */
static void children_are_told(void) {
    struct sigaction now;
    if (sigaction(SIGCHLD, NULL, &now) == 0 && now.sa_handler == SIG_IGN) {
        (void)signal(SIGCHLD, SIG_DFL);
    }
}

enum status lab_process_start(struct lab *lab, const struct lab_command *command,
                              struct message *why) {
    struct channels c;
    sigset_t all, before;
    pid_t parent = getpid();
    if (!channels_open(&c)) {
        int fault = errno;
        channels_close(&c);
        return refuse(why, command, fault);
    }
    children_are_told();
    sigfillset(&all);
    sigprocmask(SIG_BLOCK, &all, &before);
    pid_t pid = fork();
    int fault = pid == -1 ? errno : 0;
    if (pid == 0) {
        become(command, &c, parent);
    }
    sigprocmask(SIG_SETMASK, &before, NULL);
    close_fd(&c.started[1]);
    if (pid > 0) {
        fault = fault_of(&c);
    }
    if (fault != 0) {
        if (pid > 0) {
            (void)waitpid(pid, NULL, 0);
        }
        channels_close(&c);
        return refuse(why, command, fault);
    }
    lab->pid = pid;
    lab->life = life_of(pid);
    take(&c.out[0], &lab->out);
    take(&c.error[0], &lab->error);
    channels_close(&c);
    return STATUS_OK;
}
