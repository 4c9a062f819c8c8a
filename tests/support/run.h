/* A program run to its end, for tests: what it wrote and how it ended. Standard input is empty unless a file is named, the standard outputs
 * are pipes, SIGPIPE is what a shell leaves it to be, and a time limit turns a hang into a failed test.
 *
 *     struct run r;
 *     run_shardlab(&r, (const char *const[]){"mem", "--params", "7B", NULL}, NULL);
 *     ck_assert_int_eq(r.status, 0);
 *     run_free(&r);
 *
 * Texts are owned by struct run and end with NUL; the lengths tell of NUL bytes within. */
#ifndef SUPPORT_RUN_H
#define SUPPORT_RUN_H

#include <stdbool.h>
#include <stddef.h>

/* How it is started; NULL or zeros: nothing special. */
struct run_options {
    const char *const *environment; /* "NAME=VALUE" sets, "NAME" unsets; NULL ends the list */
    const char *stdin_path;         /* standard input is this file */
    const char *stdout_path;        /* standard output goes to this file, and `out` stays empty */
    bool closed_pipe;               /* nobody reads standard output: `| true` */
    bool ignore_sigpipe;            /* as under Python's subprocess and some service managers */
};

struct run {
    int status; /* exit status, or 128 + signal as a shell says it */
    char *out, *err;
    size_t out_length, err_length;
};

/* Runs argv[0] (a path) and waits; fails the test when it does not start or takes longer than 20 seconds. */
void run_program(struct run *r, const char *const *argv, const struct run_options *options);
/* The same for $SHARDLAB_BIN with these arguments; NULL ends them. */
void run_shardlab(struct run *r, const char *const *arguments, const struct run_options *options);
void run_free(struct run *r);

/* A folder for the files of one test program, below where the tests are built; folder_remove takes it away with
 * the files in it. folder_path names a file in it in the caller's buffer. */
enum { RUN_PATH_MAX = 512 };
void folder_make(char folder[RUN_PATH_MAX], const char *where);
void folder_remove(const char *folder);
char *folder_path(char path[RUN_PATH_MAX], const char *folder, const char *name);
void file_write(const char *path, const void *bytes, size_t length);

#endif
