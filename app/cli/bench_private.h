/* What `shardlab bench` measures: a table of cases an area. A new case is one row in the area's table and three
 * functions. app/cli/bench*.c only. */
#ifndef CLI_BENCH_PRIVATE_H
#define CLI_BENCH_PRIVATE_H

#include "cli_private.h"

/* One case while it is measured. */
struct cli_bench_state {
    uint64_t argument; /* of the row */
    void *memory;      /* the case's own, between open and close */
    uint64_t items;    /* what one run works through */
    uint64_t bytes;    /* what one run must read or write at least; 0: nothing worth a limit */
};

struct cli_bench_case {
    const char *id;   /* "pipe" */
    const char *what; /* "interleaved p=64 v=4 m=4096" */
    const char *item; /* "operation" */
    const char *peer; /* a program that does the same elsewhere; NULL: none is known */
    uint64_t argument;
    /* Memory and inputs, not measured; STATUS_FAILED: no memory. */
    enum status (*open)(struct cli_bench_state *state, struct message *why);
    void (*once)(struct cli_bench_state *state); /* measured */
    void (*close)(struct cli_bench_state *state);
};

struct cli_bench_area {
    const char *name;
    const struct cli_bench_case *cases;
    int count;
};

/* --- bench_peer.c: runs another program and keeps what it prints, as text; its status, −1 when it could not be started, or
 * CLI_BENCH_TOO_LONG. It gets a minute; words[] ends with NULL --- */
enum { CLI_BENCH_TOO_LONG = -2 };
int cli_bench_ask(char **words, char *text, size_t room);

/* --- bench.c: 0 is what was not measured --- */
struct json;
void cli_bench_real_or_null(struct json *j, const char *key, double value);

/* --- bench_plan.c: `argument` is the number of GPUs --- */
enum status cli_bench_plan_open(struct cli_bench_state *state, struct message *why);
void cli_bench_plan_once(struct cli_bench_state *state);
void cli_bench_plan_close(struct cli_bench_state *state);

/* --- bench_calculators.c --- */
extern const struct cli_bench_area cli_bench_calculators;

#endif
