/* The application with the lesson of support/experiment_lesson.h, and, with arguments, the child that its experiments
 * start (a program's children are the program itself): one that answers, sleeps, has children, talks without end,
 * refuses, crashes, or becomes the real program. Started by tty/test_experiment.c. */
#define _XOPEN_SOURCE 700

#include <locale.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "shardlab/shell/loop.h"
#include "support/experiment_lesson.h"

static void tell_process(void) {
    printf("{\"event\":\"pid\",\"process\":%ld}\n", (long)getpid());
    fflush(stdout);
}

/* Until somebody ends it. */
_Noreturn static void wait_for_ever(void) {
    for (;;) {
        pause();
    }
}

static int answer(void) {
    puts("{\"event\":\"repeat\",\"repeat\":1}");
    fflush(stdout);
    fputs("a driver says something\n", stderr);
    puts("{\"predicted\":{\"sent_bytes_per_rank\":[7],\"steps\":6},"
         "\"measured\":{\"sent_bytes_per_rank\":[7],\"steps\":6},\"match\":true}");
    return 0;
}

/* It and a child of its own do not listen to requests. */
_Noreturn static void family(void) {
    signal(SIGTERM, SIG_IGN);
    pid_t child = fork();
    if (child > 0) {
        printf("{\"event\":\"pid\",\"process\":%ld,\"grandchild\":%ld}\n", (long)getpid(),
               (long)child);
        fflush(stdout);
    }
    wait_for_ever();
}

_Noreturn static void talk(void) {
    for (long i = 0;; i++) {
        printf("{\"event\":\"word\",\"number\":%ld}\n", i);
    }
}

static int be_child(char **argv) {
    const char *what = argv[1];
    if (strcmp(what, "answer") == 0) {
        return answer();
    }
    if (strcmp(what, "family") == 0) {
        family();
    }
    if (strcmp(what, "talk") == 0) {
        talk();
    }
    if (strcmp(what, "sleep") == 0) {
        tell_process();
        wait_for_ever();
    }
    if (strcmp(what, "crash") == 0) {
        signal(SIGSEGV, SIG_DFL); /* a sanitizer would make an exit of it */
        raise(SIGSEGV);
    }
    if (strcmp(what, "allreduce") == 0 || strcmp(what, "overflow") == 0) {
        execv(getenv("SHARDLAB_BIN"), argv);
    }
    fprintf(stderr, "a driver says something\nshardlab: %s: not an experiment\n", what);
    return 2;
}

static int be_application(void) {
    struct app *app = NULL;
    struct term *term = NULL;
    struct message why = {0};
    const struct app_options options = {.progress = ""};
    const struct term_options screen = {.colour = true};
    setlocale(LC_ALL, "");
    if (app_new(&app, &options, &why) != STATUS_OK ||
        app_show_lesson(app, &experiment_lesson, &why) != STATUS_OK ||
        term_open(&term, &screen, &why) != STATUS_OK) {
        fprintf(stderr, "%s\n", why.id);
        return 1;
    }
    int ended_by = loop_run(app, term, false, &why);
    term_close(term);
    app_free(app);
    if (ended_by != 0) {
        term_raise(ended_by);
    }
    return 0;
}

int main(int argc, char **argv) {
    return argc > 1 ? be_child(argv) : be_application();
}
