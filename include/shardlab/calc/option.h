/* The one table of scenario options: command line, sliders, JSON, man page and completion read it. A row says
 * where the field lives in struct scenario, what it may hold and at which stops a slider rests.
 * Values that depend on assets (names of models and cards) are checked by whoever holds the assets. */
#ifndef CALC_OPTION_H
#define CALC_OPTION_H

#include <stddef.h>

#include "shardlab/base/json.h"
#include "shardlab/base/writer.h"
#include "shardlab/calc/scenario.h"

enum calc_option_group {
    CALC_GROUP_MODEL,
    CALC_GROUP_LAYOUT,
    CALC_GROUP_RECIPE,
    CALC_GROUP_BATCH,
    CALC_GROUP_CLUSTER,
};

enum calc_option_kind {
    CALC_OPTION_NAME,   /* char[CALC_NAME_MAX]: id of a preset */
    CALC_OPTION_PATH,   /* char[CALC_PATH_MAX] */
    CALC_OPTION_COUNT,  /* uint64_t, K = 1000 */
    CALC_OPTION_SEQ,    /* uint64_t, K = 1024 */
    CALC_OPTION_BYTES,  /* uint64_t */
    CALC_OPTION_REAL,   /* double */
    CALC_OPTION_CHOICE, /* int, index into choices */
    CALC_OPTION_SWITCH, /* bool: --name / --no-name, and --name yes|no */
    CALC_OPTION_LIST,   /* layers-per-stage */
};

struct calc_option {
    const char *name; /* without the dashes; message ids: option.<name>.label, option.<name>.help */
    enum calc_option_group group;
    enum calc_option_kind kind;
    size_t offset;              /* in struct scenario */
    uint64_t min, max;          /* of COUNT, SEQ, BYTES; of REAL in millionths */
    const char *const *choices; /* NULL-terminated, for CHOICE */
    const uint64_t *
        stops; /* ascending, where a slider rests, of REAL in millionths; NULL: choices, switch or none */
    int stop_count;
};

int calc_option_count(void);
const struct calc_option *calc_option_at(int index);
/* The index of the option called `name` (length bytes), or -1. */
int calc_option_find(const char *name, size_t length);
/* As above, asserts that it exists: for tables written in C. */
int calc_option_index(const char *name);

/* Sets option `index` from text and marks it given. STATUS_USAGE names the value and what would be right. */
MUST_USE enum status calc_option_set(struct scenario *s, int index, const char *text,
                                     struct message *why);
/* Takes back what was given: the option returns to preset, convention or default at the next resolve. */
void calc_option_clear(struct scenario *s, int index);
bool calc_option_given(const struct scenario *s, int index);
bool calc_option_none_given(const struct scenario *s);
/* The value of option `index` as it is written on a command line: "4096", "bf16", "yes", "8,8,9". */
void calc_option_write(struct writer *w, const struct scenario *s, int index);
/* The stop `stop` of an option that has stops, as calc_option_set takes it: "4096", "15.75". */
void calc_option_stop_write(struct writer *w, int index, int stop);
/* The value as a whole number: the count, the choice's index, the switch as 0/1, a real in millionths (rounded). */
uint64_t calc_option_value(const struct scenario *s, int index);
/* The value as a JSON member named like the option with '_' for '-'. Unset names and unknown sizes: null. */
void calc_option_json(struct json *j, const struct scenario *s, int index);

/* The options that were given, as a command line: " --model llama-2-7b --dp 8"; values that need it are
 * quoted for a POSIX shell. Begins with a space unless empty. */
void scenario_write_options(struct writer *w, const struct scenario *given);

/* The nearest option name to a misspelt one, or NULL when none is near. */
const char *calc_option_nearest(const char *name, size_t length);

#endif
