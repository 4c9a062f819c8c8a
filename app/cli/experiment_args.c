/* Options of the commands that really run ranks (CONTRACT, "Experiments"), as rows of data: parsing, ranges and help come
 * from one table. Called by args.c for what it does not know itself, and by help.c. Values stay words or numbers; the
 * command gives them their meaning. Proof: tests/cli/test_allreduce.c, tests/unit/cli/test_experiment_args.c. */
#include <assert.h>
#include <stddef.h>
#include <string.h>

#include "cli_private.h"
#include "shardlab/base/units.h"
#include "shardlab/ranks/run.h"

enum kind { KIND_COUNT, KIND_BYTES, KIND_SECONDS, KIND_WORD, KIND_FLAG, KIND_REAL, KIND_TEXT };

struct cli_experiment_row {
    const char *name;
    unsigned takes; /* the commands that have it */
    enum kind kind;
    size_t at; /* in struct cli_experiment */
    uint64_t least, most;
    const char *words; /* separated by | */
};

#define AT(member) offsetof(struct cli_experiment, member)
enum { COLLECTIVE = CLI_TAKES_COLLECTIVE, RUN = CLI_TAKES_RUN, PRECISION = CLI_TAKES_PRECISION };

static const struct cli_experiment_row rows[] = {
    {"collective", COLLECTIVE, KIND_WORD, AT(collective), 0, 0,
     "all-reduce|reduce-scatter|all-gather|broadcast|all-to-all"},
    {"algorithm", COLLECTIVE, KIND_WORD, AT(algorithm), 0, 0,
     "auto|naive|ring|tree|halving-doubling|direct"},
    {"elems", COLLECTIVE, KIND_COUNT, AT(elems), 0, UINT64_MAX, NULL},
    {"bytes", COLLECTIVE, KIND_BYTES, AT(bytes), 0, UINT64_MAX, NULL},
    {"type", COLLECTIVE, KIND_WORD, AT(type), 0, 0, "fp32|fp16|bf16"},
    {"accumulate", COLLECTIVE, KIND_WORD, AT(accumulate), 0, 0, "fp32|type"},
    {"op", COLLECTIVE, KIND_WORD, AT(op), 0, 0, "sum|max"},
    {"executor", COLLECTIVE, KIND_WORD, AT(executor), 0, 0, "ranks|workers"},
    {"trace", COLLECTIVE, KIND_FLAG, AT(trace), 0, 0, NULL},
    {"sweep", COLLECTIVE, KIND_FLAG, AT(sweep), 0, 0, NULL},
    {"experiment", PRECISION, KIND_WORD, AT(experiment), 0, 0,
     "sum|range|gradients|loss-scale|softmax|adam-eps|stagnation|stochastic|fp8-scale|allreduce"},
    {"type", PRECISION, KIND_WORD, AT(type), 0, 0, "fp16|bf16|e4m3|e5m2"},
    {"overflow", PRECISION, KIND_WORD, AT(overflow), 0, 0, "inf|saturate"},
    {"count", PRECISION, KIND_COUNT, AT(count), 1, 10000000, NULL},
    {"value", PRECISION, KIND_REAL, AT(value), 0, 0, NULL},
    {"update", PRECISION, KIND_REAL, AT(update), 0, 0, NULL},
    {"epsilon", PRECISION, KIND_REAL, AT(epsilon), 0, 0, NULL},
    {"center", PRECISION, KIND_REAL, AT(center), 0, 0, NULL},
    {"spread", PRECISION, KIND_REAL, AT(spread), 0, 0, NULL},
    {"loss-scale", PRECISION, KIND_TEXT, AT(loss_scale), 0, 0, "none|static:X|dynamic|dynamic:X"},
    {"steps", PRECISION, KIND_COUNT, AT(steps), 1, 1000, NULL},
    {"growth", PRECISION, KIND_COUNT, AT(growth), 1, 1000000, NULL},
    {"trials", PRECISION, KIND_COUNT, AT(trials), 1, 4096, NULL},
    {"elems", PRECISION, KIND_COUNT, AT(elems), 1, 10000000, NULL},
    {"accumulate", PRECISION, KIND_WORD, AT(accumulate), 0, 0, "fp32|type"},
    {"algorithm", PRECISION, KIND_WORD, AT(algorithm), 0, 0,
     "naive|ring|tree|halving-doubling|direct"},
    {"ranks", RUN, KIND_COUNT, AT(ranks), 1, 1024, NULL},
    {"backend", RUN, KIND_WORD, AT(backend), 0, 0, "threads|processes|mpi|opencl|cuda"},
    {"repeat", RUN, KIND_COUNT, AT(repeat), 1, 1000000, NULL},
    {"seed", RUN, KIND_COUNT, AT(seed), 0, UINT64_MAX, NULL},
    {"timeout", RUN, KIND_SECONDS, AT(timeout_s), 0, 0, NULL},
    {"events", RUN, KIND_FLAG, AT(events), 0, 0, NULL},
};
enum { ROWS = sizeof rows / sizeof rows[0] };

const struct cli_experiment_row *cli_experiment_find(const char *name, size_t length,
                                                     unsigned takes) {
    for (int i = 0; i < ROWS; i++) {
        if ((rows[i].takes & takes) != 0 && strlen(rows[i].name) == length &&
            memcmp(rows[i].name, name, length) == 0) {
            return &rows[i];
        }
    }
    return NULL;
}

bool cli_experiment_is_flag(const struct cli_experiment_row *row) {
    return row != NULL && row->kind == KIND_FLAG;
}

static enum status refuse(const struct cli_experiment_row *row, const char *id, const char *value,
                          struct message *why) {
    message_start(why, id);
    message_add_text(why, row->name);
    message_add_text(why, value);
    return STATUS_USAGE;
}

/* True if `value` is one of the words of "a|b|c". */
static bool is_one_of(const char *words, const char *value) {
    size_t length = strlen(value);
    for (const char *at = words; at != NULL; at = strchr(at, '|')) {
        at += *at == '|' ? 1 : 0;
        if (strncmp(at, value, length) == 0 && (at[length] == '|' || at[length] == '\0')) {
            return length > 0;
        }
    }
    return false;
}

static enum status set_count(const struct cli_experiment_row *row, const char *value, void *into,
                             struct message *why) {
    uint64_t number = 0;
    bool read = row->kind == KIND_BYTES ? units_parse_bytes(value, &number)
                                        : units_parse_count(value, 1000, &number);
    if (!read && row->kind == KIND_BYTES) {
        return refuse(row, "error.args.bytes", value, why);
    }
    if (!read || number < row->least || number > row->most) {
        (void)refuse(row, "error.option.count", value, why);
        message_add_plain(why, row->least);
        message_add_plain(why, row->most);
        return STATUS_USAGE;
    }
    memcpy(into, &number, sizeof number);
    return STATUS_OK;
}

static enum status set_seconds(const struct cli_experiment_row *row, const char *value, void *into,
                               struct message *why) {
    double seconds = 0;
    if (!units_parse_real(value, &seconds) || !(seconds >= 0.01 && seconds <= 86400)) {
        return refuse(row, "error.args.seconds", value, why);
    }
    memcpy(into, &seconds, sizeof seconds);
    return STATUS_OK;
}

static enum status set_real(const struct cli_experiment_row *row, const char *value, void *into,
                            struct message *why) {
    double real = 0;
    if (!units_parse_real(value, &real)) {
        return refuse(row, "error.args.any_real", value, why);
    }
    memcpy(into, &real, sizeof real);
    return STATUS_OK;
}

bool cli_experiment_given(const struct cli_experiment *e, const char *name) {
    for (int i = 0; i < ROWS; i++) {
        if ((e->given >> i & 1) != 0 && strcmp(rows[i].name, name) == 0) {
            return true;
        }
    }
    return false;
}

const char *cli_experiment_next_given(const struct cli_experiment *e, int *at) {
    while (*at < ROWS) {
        int row = (*at)++;
        if ((e->given >> row & 1) != 0) {
            return rows[row].name;
        }
    }
    return NULL;
}

enum status cli_experiment_backend(const char *name, int *out, struct message *why) {
    int found = ranks_backend_find(name);
    assert(found >= 0); /* the table's other words are devices, which callers ask for first */
    *out = found;
    return ranks_backend_ready((enum ranks_backend)found, why) ? STATUS_OK : STATUS_FAILED;
}

enum status cli_experiment_set(struct cli_experiment *e, const struct cli_experiment_row *row,
                               const char *value, struct message *why) {
    void *into = (char *)e + row->at;
    static const bool yes = true;
    e->given |= UINT64_C(1) << (row - rows);
    switch (row->kind) {
    case KIND_REAL:
        return set_real(row, value, into, why);
    case KIND_TEXT:
        memcpy(into, &value, sizeof value);
        return STATUS_OK;
    case KIND_FLAG:
        memcpy(into, &yes, sizeof yes);
        return STATUS_OK;
    case KIND_SECONDS:
        return set_seconds(row, value, into, why);
    case KIND_WORD:
        if (!is_one_of(row->words, value)) {
            (void)refuse(row, "error.option.choice", value, why);
            message_add_text(why, row->words);
            return STATUS_USAGE;
        }
        memcpy(into, &value, sizeof value);
        return STATUS_OK;
    default:
        e->elems_given = e->elems_given || row->at == AT(elems);
        e->bytes_given = e->bytes_given || row->at == AT(bytes);
        return set_count(row, value, into, why);
    }
}

void cli_experiment_start(struct cli_experiment *e) {
    *e = (struct cli_experiment){.ranks = 4,
                                 .elems = 1000000,
                                 .repeat = 5,
                                 .seed = 1,
                                 .timeout_s = 10,
                                 .backend = "threads",
                                 .executor = "ranks",
                                 .type = "fp32",
                                 .accumulate = "fp32",
                                 .op = "sum",
                                 .algorithm = "auto",
                                 .collective = "all-reduce"};
}

static void write_left(struct writer *w, const struct cli_experiment_row *row) {
    static const char *const values[] = {" N", " BYTES", " SECONDS", " ", "", " X", " "};
    writer_text(w, "--");
    writer_text(w, row->name);
    writer_text(w, values[row->kind]);
    writer_text(w, row->words == NULL ? "" : row->words);
}

void cli_experiment_help(struct cli_context *c, unsigned takes) {
    for (int i = 0; i < ROWS; i++) {
        char left[160], id[64];
        struct writer w;
        if ((rows[i].takes & takes) == 0) {
            continue;
        }
        writer_start(&w, left, sizeof left);
        write_left(&w, &rows[i]);
        writer_start(&w, id, sizeof id);
        writer_text(&w, (takes & PRECISION) != 0 ? "option.overflow." : "option.run.");
        writer_text(&w, rows[i].name);
        cli_help_option(c, left, words_get(&c->words, id));
    }
}
