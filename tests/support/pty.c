/* The process half of pty.h: starts the program with the terminal as its own, reads what it
 * writes, waits, and tells how it ended. This side keeps the program's end of the terminal open
 * too, so that its modes can be looked at after the program has gone. */
#define _DEFAULT_SOURCE
#define _XOPEN_SOURCE 700

#include "support/pty_private.h"

#include <check.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pty.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>

enum { STEP_MS = 5 };

static long now_ms(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (long)(now.tv_sec * 1000 + now.tv_nsec / 1000000);
}

void pty_bytes_add(struct pty_bytes *b, const char *bytes, size_t length) {
    if (b->length + length + 1 > b->capacity) {
        b->capacity = (b->length + length + 1) * 2;
        b->bytes = realloc(b->bytes, b->capacity);
        ck_assert_ptr_nonnull(b->bytes);
    }
    memcpy(b->bytes + b->length, bytes, length);
    b->length += length;
    b->bytes[b->length] = '\0';
}

/* --- Start and end --- */

static void set_environment(const struct pty_options *options) {
    setenv("TERM", "xterm-256color", 1);
    unsetenv("NO_COLOR");
    unsetenv("COLUMNS");
    unsetenv("LINES");
    unsetenv("TMUX");
    for (const char *const *entry = options->environment; entry != NULL && *entry != NULL;
         entry++) {
        const char *equals = strchr(*entry, '=');
        if (equals == NULL) {
            unsetenv(*entry);
            continue;
        }
        char name[128];
        snprintf(name, sizeof name, "%.*s", (int)(equals - *entry), *entry);
        setenv(name, equals + 1, 1);
    }
}

/* In the child: a session of its own with the terminal, or the other streams, then the program. */
static void become(const char *const argv[], const struct pty_options *options, int slave,
                   int piped) {
    sigset_t none;
    sigemptyset(&none);
    for (int signal = 1; signal < 32; signal++) {
        (void)sigaction(signal, &(struct sigaction){.sa_handler = SIG_DFL}, NULL);
    }
    sigprocmask(SIG_SETMASK, &none, NULL);
    setsid();
    ioctl(slave, TIOCSCTTY, 0);
    int empty = open("/dev/null", O_RDWR);
    dup2((options->not_tty & PTY_STDIN) != 0 ? empty : slave, STDIN_FILENO);
    dup2((options->not_tty & PTY_STDOUT) != 0 ? piped : slave, STDOUT_FILENO);
    dup2((options->not_tty & PTY_STDERR) != 0 ? piped : slave, STDERR_FILENO);
    for (int fd = 3; fd < 256; fd++) {
        close(fd);
    }
    set_environment(options);
    /* exec promises not to write through its argument list */
    execvp(argv[0], (char *const *)(uintptr_t)argv);
    _exit(127);
}

struct pty *pty_start(const char *const argv[], const struct pty_options *options) {
    const struct pty_options plain = {0};
    const struct pty_options *o = options != NULL ? options : &plain;
    int rows = o->rows > 0 ? o->rows : 24, cols = o->cols > 0 ? o->cols : 80;
    struct winsize size = {.ws_row = (unsigned short)rows, .ws_col = (unsigned short)cols};
    struct pty *p = calloc(1, sizeof *p);
    int piped[2] = {-1, -1};
    ck_assert_ptr_nonnull(p);
    ck_assert_ptr_nonnull(argv[0]);
    ck_assert_int_eq(openpty(&p->master, &p->slave, NULL, NULL, &size), 0);
    ck_assert_int_eq(pipe(piped), 0);
    fcntl(p->master, F_SETFD, FD_CLOEXEC);
    p->pid = fork();
    ck_assert_int_ge(p->pid, 0);
    if (p->pid == 0) {
        become(argv, o, p->slave, piped[1]);
    }
    close(piped[1]);
    p->pipe = piped[0];
    pty_bytes_add(&p->output, "", 0);
    pty_bytes_add(&p->piped, "", 0);
    pty_screen_start(p, rows, cols);
    return p;
}

static void close_fd(int *fd) {
    if (*fd != -1) {
        close(*fd);
        *fd = -1;
    }
}

void pty_end(struct pty *p) {
    if (p == NULL) {
        return;
    }
    if (!p->ended) {
        kill(p->pid, SIGKILL);
        waitpid(p->pid, NULL, 0);
    }
    pty_hang_up(p);
    close_fd(&p->pipe);
    pty_screen_end(p);
    free(p->output.bytes);
    free(p->piped.bytes);
    free(p->text.bytes);
    free(p);
}

pid_t pty_pid(const struct pty *p) {
    return p->pid;
}

/* --- Doing --- */

void pty_keys(struct pty *p, const char *bytes) {
    size_t left = strlen(bytes);
    while (left > 0) {
        ssize_t written = write(p->master, bytes, left);
        ck_assert_msg(written > 0 || errno == EINTR, "the terminal takes no keys: %s",
                      strerror(errno));
        if (written > 0) {
            bytes += written;
            left -= (size_t)written;
        }
    }
}

void pty_resize(struct pty *p, int rows, int cols) {
    /* The kernel tells the foreground process group by SIGWINCH, when the size is another. */
    struct winsize size = {.ws_row = (unsigned short)rows, .ws_col = (unsigned short)cols};
    ck_assert_int_eq(ioctl(p->master, TIOCSWINSZ, &size), 0);
    pty_screen_resize(p, rows, cols);
}

void pty_signal(struct pty *p, int signal) {
    ck_assert_int_eq(kill(p->pid, signal), 0);
}

void pty_hang_up(struct pty *p) {
    close_fd(&p->master);
    close_fd(&p->slave);
}

/* --- Waiting --- */

/* Reads what is there, waiting up to `ms` for the first of it. False: nothing came. */
static bool pump(struct pty *p, int ms) {
    struct pollfd fds[2] = {{.fd = p->master, .events = POLLIN}, {.fd = p->pipe, .events = POLLIN}};
    char block[16384];
    bool any = false;
    if (poll(fds, 2, ms) <= 0) {
        return false;
    }
    if ((fds[0].revents & POLLIN) != 0) {
        ssize_t got = read(p->master, block, sizeof block);
        if (got > 0) {
            pty_bytes_add(&p->output, block, (size_t)got);
            pty_screen_feed(p, block, (size_t)got);
            any = true;
        }
    }
    if (fds[1].revents != 0) {
        ssize_t got = read(p->pipe, block, sizeof block);
        if (got > 0) {
            pty_bytes_add(&p->piped, block, (size_t)got);
            any = true;
        } else {
            close_fd(&p->pipe); /* nobody writes to it: it would be ready for ever */
        }
    }
    return any;
}

void pty_pass(struct pty *p, int ms) {
    long end = now_ms() + ms;
    for (long left = ms; left > 0; left = end - now_ms()) {
        (void)pump(p, (int)left);
    }
}

bool pty_wait_quiet(struct pty *p, int quiet_ms, int limit_ms) {
    long end = now_ms() + limit_ms, last = now_ms();
    for (;;) {
        long now = now_ms();
        if (now - last >= quiet_ms) {
            return true;
        }
        if (now >= end) {
            return false;
        }
        if (pump(p, (int)(quiet_ms - (now - last)))) {
            last = now_ms();
        }
    }
}

static bool wait_text(struct pty *p, const char *text, bool wanted, int limit_ms) {
    long end = now_ms() + limit_ms;
    while (pty_has(p, text) != wanted) {
        long left = end - now_ms();
        if (left <= 0) {
            return false;
        }
        (void)pump(p, left < STEP_MS ? (int)left : STEP_MS);
    }
    return true;
}

bool pty_wait_text(struct pty *p, const char *text, int limit_ms) {
    return wait_text(p, text, true, limit_ms);
}

bool pty_wait_no_text(struct pty *p, const char *text, int limit_ms) {
    return wait_text(p, text, false, limit_ms);
}

bool pty_wait_exit(struct pty *p, int limit_ms, int *status) {
    long end = now_ms() + limit_ms;
    while (!p->ended) {
        p->ended = waitpid(p->pid, &p->status, WNOHANG) == p->pid;
        if (p->ended) {
            break;
        }
        if (now_ms() >= end) {
            return false;
        }
        (void)pump(p, STEP_MS);
    }
    while (pump(p, 0)) {
    }
    *status = p->status;
    return true;
}

void pty_expect(struct pty *p, const char *text) {
    if (!pty_wait_text(p, text, PTY_PATIENCE_MS)) {
        pty_dump(p);
        ck_abort_msg("the screen does not show \"%s\"", text);
    }
}

void pty_expect_gone(struct pty *p, const char *text) {
    if (!pty_wait_no_text(p, text, PTY_PATIENCE_MS)) {
        pty_dump(p);
        ck_abort_msg("the screen still shows \"%s\"", text);
    }
}

static int expect_end(struct pty *p) {
    int status = 0;
    if (!pty_wait_exit(p, PTY_PATIENCE_MS, &status)) {
        pty_dump(p);
        ck_abort_msg("the program has not ended");
    }
    return status;
}

void pty_expect_exit(struct pty *p, int code) {
    int status = expect_end(p);
    ck_assert_msg(WIFEXITED(status), "ended by signal %d, not by exit %d", WTERMSIG(status), code);
    ck_assert_msg(WEXITSTATUS(status) == code, "exit status %d, not %d", WEXITSTATUS(status), code);
}

void pty_expect_killed(struct pty *p, int signal) {
    int status = expect_end(p);
    ck_assert_msg(WIFSIGNALED(status), "exit status %d, not signal %d", WEXITSTATUS(status),
                  signal);
    ck_assert_msg(WTERMSIG(status) == signal, "ended by signal %d, not %d", WTERMSIG(status),
                  signal);
}

void pty_expect_restored(struct pty *p) {
    ck_assert_msg(!pty_alternate_screen(p), "still on the alternate screen");
    ck_assert_msg(pty_cursor_visible(p), "the cursor stays hidden");
    ck_assert_msg(!p->mouse, "the mouse stays on");
    ck_assert_msg(pty_cooked(p), "the terminal stays raw");
}

/* --- Looking at the process --- */

bool pty_cooked(const struct pty *p) {
    struct termios modes;
    if (tcgetattr(p->slave, &modes) != 0) {
        return false;
    }
    return (modes.c_lflag & ICANON) != 0 && (modes.c_lflag & ECHO) != 0 &&
           (modes.c_iflag & ICRNL) != 0 && (modes.c_oflag & ONLCR) != 0;
}

long pty_switches(const struct pty *p) {
    char path[64], line[256];
    long total = 0, count = 0;
    snprintf(path, sizeof path, "/proc/%ld/status", (long)p->pid);
    FILE *file = fopen(path, "r");
    if (file == NULL) {
        return -1;
    }
    while (fgets(line, sizeof line, file) != NULL) {
        if (sscanf(line, "voluntary_ctxt_switches: %ld", &count) == 1 ||
            sscanf(line, "nonvoluntary_ctxt_switches: %ld", &count) == 1) {
            total += count;
        }
    }
    fclose(file);
    return total;
}

void pty_mark(struct pty *p) {
    p->output.length = 0;
    p->output.bytes[0] = '\0';
}

const char *pty_output(struct pty *p, size_t *length) {
    if (length != NULL) {
        *length = p->output.length;
    }
    return p->output.bytes;
}

const char *pty_piped(struct pty *p) {
    return p->piped.bytes;
}
