/* Signals while the terminal is open. ncurses alone leaves it raw after HUP, QUIT, SEGV and
 * ABRT, so every handler is ours (reference tui 4.6). A deadly signal writes the ready-made
 * restore string, sets the old modes and dies of the same signal; TERM, INT, HUP, TSTP, CONT and
 * WINCH only set a flag and wake the loop through a pipe. All calls in handlers are
 * async-signal-safe. `watch` is the state that handlers need; it exists once because signals do.
 * The error stream is kept here too: a crash must still be able to say what an assert said.
 * Proof: tests/tty/test_signals.c. */
#define _DEFAULT_SOURCE
#define _XOPEN_SOURCE 700

#include "term_private.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { ALT_STACK_BYTES = 64 * 1024, STDERR_SHOWN_MAX = 64 * 1024 };

/* Faults, and what ends a program that has no use for it. */
static const int deadly[] = {SIGSEGV, SIGABRT, SIGBUS,  SIGFPE,  SIGILL,
                             SIGQUIT, SIGSYS,  SIGTRAP, SIGPIPE, SIGALRM,
                             SIGUSR1, SIGUSR2, SIGXCPU, SIGXFSZ, SIGVTALRM};
/* In the order in which they are told: an end first, a size last. */
static const int flagged[] = {SIGTERM, SIGINT, SIGHUP, SIGTSTP, SIGCONT, SIGWINCH};
enum { DEADLY = sizeof deadly / sizeof deadly[0], FLAGGED = sizeof flagged / sizeof flagged[0] };

/* What gives the terminal back. */
struct term_saved {
    struct termios modes; /* as they were before ncurses */
    size_t length;        /* of `restore`, 0 until the screen is taken */
    char restore[TERM_RESTORE_MAX];
};

static struct {
    struct term_saved saved;
    volatile sig_atomic_t came[FLAGGED];
    int wake[2]; /* pipe: handlers write, the loop waits */
    struct sigaction before_deadly[DEADLY], before_flagged[FLAGGED];
    stack_t before_stack;
    char *stack;       /* a stack overflow leaves no room for its handler */
    int stderr_file;   /* -1: not kept */
    int stderr_before; /* where the error stream went */
} watch = {.stderr_file = -1, .stderr_before = -1};

bool term_foreground(void) {
    pid_t owner = tcgetpgrp(STDIN_FILENO);
    return owner == -1 || owner == getpgrp();
}

/* Copies what was caught to its place. Only calls that a handler may make. */
static void stderr_deliver(void) {
    char block[1024];
    size_t left = STDERR_SHOWN_MAX;
    if (lseek(watch.stderr_file, 0, SEEK_SET) == -1) {
        return;
    }
    while (left > 0) {
        ssize_t got = read(watch.stderr_file, block, left < sizeof block ? left : sizeof block);
        if (got <= 0 || write(watch.stderr_before, block, (size_t)got) != got) {
            return;
        }
        left -= (size_t)got;
    }
}

void term_modes_restore(void) {
    (void)tcsetattr(STDIN_FILENO, TCSANOW, &watch.saved.modes);
}

static void die(int signal) {
    /* With all signals blocked, SIGTTOU cannot stop us; but a shell's screen is not ours to
     * touch. */
    if (term_foreground()) {
        ssize_t written = write(STDOUT_FILENO, watch.saved.restore, watch.saved.length);
        (void)written;
        term_modes_restore();
    }
    if (watch.stderr_file != -1) {
        stderr_deliver();
    }
    term_raise(signal);
}

static void note(int signal) {
    int kept = errno;
    for (int i = 0; i < FLAGGED; i++) {
        if (flagged[i] == signal) {
            watch.came[i] = 1;
        }
    }
    ssize_t written = write(watch.wake[1], "", 1);
    (void)written; /* a full pipe wakes as well */
    errno = kept;
}

void term_raise(int signal) {
    struct sigaction plain = {.sa_handler = SIG_DFL};
    sigset_t only;
    sigemptyset(&plain.sa_mask);
    sigaction(signal, &plain, NULL);
    sigemptyset(&only);
    sigaddset(&only, signal);
    sigprocmask(SIG_UNBLOCK, &only, NULL);
    raise(signal);
    _exit(128 + signal);
}

static void watch_signal(int signal, void (*handler)(int), int flags) {
    struct sigaction action = {.sa_handler = handler, .sa_flags = flags};
    sigfillset(&action.sa_mask);
    sigaction(signal, &action, NULL);
}

static bool make_pipe(void) {
    if (pipe(watch.wake) != 0) {
        return false;
    }
    for (int i = 0; i < 2; i++) {
        fcntl(watch.wake[i], F_SETFD, FD_CLOEXEC);
        fcntl(watch.wake[i], F_SETFL, O_NONBLOCK);
    }
    return true;
}

bool term_signals_catch(const struct termios *modes) {
    if (!make_pipe()) {
        return false;
    }
    watch.saved = (struct term_saved){.modes = *modes};
    watch.stack = malloc(ALT_STACK_BYTES);
    if (watch.stack != NULL) {
        stack_t stack = {.ss_sp = watch.stack, .ss_size = ALT_STACK_BYTES};
        sigaltstack(&stack, &watch.before_stack);
    }
    for (int i = 0; i < DEADLY; i++) {
        sigaction(deadly[i], NULL, &watch.before_deadly[i]);
        if (watch.before_deadly[i].sa_handler != SIG_IGN) {
            watch_signal(deadly[i], die, SA_ONSTACK);
        }
    }
    for (int i = 0; i < FLAGGED; i++) {
        watch.came[i] = 0;
        sigaction(flagged[i], NULL, &watch.before_flagged[i]);
        /* Who was started with a signal ignored (nohup, no job control) keeps it so. */
        if (watch.before_flagged[i].sa_handler != SIG_IGN || flagged[i] == SIGCONT ||
            flagged[i] == SIGWINCH) {
            watch_signal(flagged[i], note, SA_RESTART);
        }
    }
    return true;
}

void term_signals_restore_by(const char *bytes, size_t length) {
    assert(length <= sizeof watch.saved.restore);
    memcpy(watch.saved.restore, bytes, length);
    watch.saved.length = length;
}

void term_signals_release(void) {
    for (int i = 0; i < DEADLY; i++) {
        sigaction(deadly[i], &watch.before_deadly[i], NULL);
    }
    for (int i = 0; i < FLAGGED; i++) {
        sigaction(flagged[i], &watch.before_flagged[i], NULL);
    }
    if (watch.stack != NULL) {
        sigaltstack(&watch.before_stack, NULL);
        free(watch.stack);
        watch.stack = NULL;
    }
    close(watch.wake[0]);
    close(watch.wake[1]);
}

int term_signals_fd(void) {
    return watch.wake[0];
}

int term_signals_take(void) {
    char drained[64];
    while (read(watch.wake[0], drained, sizeof drained) > 0) {
    }
    for (int i = 0; i < FLAGGED; i++) {
        if (watch.came[i] != 0) {
            watch.came[i] = 0;
            return flagged[i];
        }
    }
    return 0;
}

void term_signals_stop(void) {
    struct sigaction plain = {.sa_handler = SIG_DFL}, ours;
    sigemptyset(&plain.sa_mask);
    sigaction(SIGTSTP, &plain, &ours);
    raise(SIGTSTP);
    sigaction(SIGTSTP, &ours, NULL);
}

void term_stderr_keep(void) {
    if (!isatty(STDERR_FILENO)) {
        return; /* it goes to a file already and disturbs nobody */
    }
    FILE *file = tmpfile();
    watch.stderr_file = file == NULL ? -1 : fcntl(fileno(file), F_DUPFD_CLOEXEC, 3);
    if (file != NULL) {
        fclose(file);
    }
    if (watch.stderr_file == -1) {
        return;
    }
    fcntl(watch.stderr_file, F_SETFL, O_APPEND); /* many writers, one end */
    watch.stderr_before = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 3);
    if (watch.stderr_before == -1 || dup2(watch.stderr_file, STDERR_FILENO) == -1) {
        close(watch.stderr_file);
        watch.stderr_file = -1;
    }
}

void term_stderr_release(void) {
    if (watch.stderr_file != -1) {
        fflush(stderr);
        stderr_deliver();
        dup2(watch.stderr_before, STDERR_FILENO);
        close(watch.stderr_file);
        watch.stderr_file = -1;
    }
    if (watch.stderr_before != -1) {
        close(watch.stderr_before);
        watch.stderr_before = -1;
    }
}
