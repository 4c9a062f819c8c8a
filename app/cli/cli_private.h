/* What the commands share: parsed arguments, the store with words, output that is written once. app/cli only. */
#ifndef CLI_PRIVATE_H
#define CLI_PRIVATE_H

#include "shardlab/base/writer.h"
#include "shardlab/calc/memory.h"
#include "shardlab/calc/option.h"
#include "shardlab/cli/cli.h"

enum { CLI_VALUES_MAX = 64 };

/* Which kinds of options a command takes beyond --help, --lang and --json. */
enum cli_takes {
    CLI_TAKES_SCENARIO = 1,
    CLI_TAKES_UNIT = 2,
    CLI_TAKES_STAGE = 4,
    CLI_TAKES_PAGE = 8,
    CLI_TAKES_VALUES = 16,
    CLI_TAKES_SCREEN = 32,
    CLI_TAKES_TABLE = 64, /* --csv, --against, --conventions, --timeline */
    CLI_TAKES_CSV = 1024, /* --csv alone, --grid */
    CLI_TAKES_PIPE = 512, /* cli_pipe_options */
    CLI_TAKES_REPEAT = 2048,
    CLI_TAKES_FORMAT = 16384, /* --type, --overflow, --block */
    CLI_TAKES_RUN = 32768,    /* --ranks, --backend, … */
    CLI_TAKES_COLLECTIVE = 65536,
    CLI_TAKES_PRECISION = 1 << 20, /* --experiment, --value, … */
    CLI_TAKES_CLUSTER = 1 << 17,   /* --gpus, --global-batch */
    CLI_TAKES_FLOPS = 1 << 18,     /* --tokens, measured figures */
    CLI_TAKES_PLAN = 1 << 19,      /* --top, --explain LAYOUT */
    CLI_TAKES_QUIZ = 1 << 21,      /* --lesson, --kind, --seed, --answer, --format */
};

/* Options of commands that run ranks; words are among those of the table in experiment_args.c. */
struct cli_experiment {
    uint64_t ranks, elems, bytes, repeat, seed;
    double timeout_s;
    bool elems_given, bytes_given, events, trace, sweep;
    const char *backend, *executor, *type, *accumulate, *op, *algorithm, *collective;
    /* Of `overflow` alone; they count only when they were given. */
    uint64_t count, trials, steps, growth;
    double value, update, epsilon, center, spread;
    const char *experiment, *overflow, *loss_scale;
    uint64_t given; /* a bit for each row of the table; cli_experiment_given reads it */
};

/* Options of `shardlab pipe`: their texts are kept as they are written, since a time may be a list. */
enum cli_pipe_option {
    PIPE_OPTION_SCHEDULE,
    PIPE_OPTION_STAGES,
    PIPE_OPTION_MICRO_BATCHES,
    PIPE_OPTION_CHUNKS,
    PIPE_OPTION_GROUP,
    PIPE_OPTION_TF,
    PIPE_OPTION_TB,
    PIPE_OPTION_TW,
    PIPE_OPTION_TOV,
    PIPE_OPTION_COMM,
    PIPE_OPTION_IMPORT,
    PIPE_OPTION_EXPORT,
    PIPE_OPTION_OPS,
    PIPE_OPTION_GANTT,
    PIPE_OPTION_AGAINST, /* from here on: only with --gantt */
    PIPE_OPTION_SCENARIO,
    PIPE_OPTION_ASK,
    PIPE_OPTION_WIDTH,
    PIPE_OPTION_ASCII,
    PIPE_OPTIONS
};
struct cli_pipe_option_row {
    const char *name, *value; /* what --help shows behind it; NULL: takes none */
};
extern const struct cli_pipe_option_row cli_pipe_options[PIPE_OPTIONS];

/* Options of `shardlab quiz`; NULL: not given. */
struct cli_quiz {
    const char *lesson, *kind, *format;
    uint64_t seed;
    bool seed_given, answer;
};

struct cli_args {
    struct scenario given;          /* scenario options */
    const char *pipe[PIPE_OPTIONS]; /* NULL: not given; "" when it takes no value */
    bool json, help, version, explain, timeline, csv, conventions;
    const char *against; /* options of a second scenario, on top of the first's; NULL: none */
    bool chinese, language_given;
    bool gib; /* --unit as it was read */
    enum unit_system unit;
    bool stage_given, page_given, unit_given;
    uint64_t stage, page;
    bool grid_given;
    uint64_t grid; /* the rank whose groups are shown */
    bool repeat_given;
    uint64_t repeat;
    bool mono, ascii, ambiguous_wide, still;
    const char *place;                        /* a layout: plan --explain; NULL: none */
    uint64_t tokens, gpus, global_batch, top; /* 0: not given */
    double step_s, tokens_per_s, tflops;      /* 0: not given */
    const char *type, *overflow, *block;      /* as written; NULL: not given */
    int value_count;                          /* positional values */
    struct cli_experiment experiment;
    struct cli_quiz quiz;
    const char *values[CLI_VALUES_MAX];
};

/* Parses everything after the command. STATUS_USAGE names the argument and what would be right. */
MUST_USE enum status cli_args_parse(int count, char **words, unsigned takes, struct cli_args *out,
                                    struct message *why);

/* --- own_args.c: options of single commands, and those of all --- */
enum cli_own_kind {
    CLI_OWN_FLAG,
    CLI_OWN_TEXT,
    CLI_OWN_LINE,   /* may begin like an option */
    CLI_OWN_PAIR,   /* bool: the second of two words */
    CLI_OWN_NUMBER, /* uint64_t from 0 */
    CLI_OWN_COUNT,  /* uint64_t from 1 */
    CLI_OWN_REAL,
};
struct cli_own_row {
    const char *name;
    unsigned takes; /* any of these */
    enum cli_own_kind kind;
    size_t at, given; /* in struct cli_args: the value, and the bool that it was given (0: none) */
    uint64_t most;
    const char *shape;          /* what --help shows behind it; NULL: takes none */
    const char *first, *second; /* of a pair the words, of a real its range */
};
/* NULL: no command with these bits takes it. */
const struct cli_own_row *cli_own_find(const char *name, size_t length, unsigned takes);
/* The rows of a command, one a call: *at starts at 0; NULL after the last. */
const struct cli_own_row *cli_own_next(int *at, unsigned takes);
bool cli_own_is_flag(const struct cli_own_row *row); /* false for NULL */
MUST_USE enum status cli_own_set(struct cli_args *args, const struct cli_own_row *row,
                                 const char *value, struct message *why);

/* --- experiment_args.c --- */
struct cli_experiment_row; /* one option */
/* NULL: it is no option of experiments. `takes` of one command, or of all. */
const struct cli_experiment_row *cli_experiment_find(const char *name, size_t length,
                                                     unsigned takes);
bool cli_experiment_is_flag(const struct cli_experiment_row *row); /* false for NULL */
/* A flag needs no value. */
MUST_USE enum status cli_experiment_set(struct cli_experiment *e,
                                        const struct cli_experiment_row *row, const char *value,
                                        struct message *why);
void cli_experiment_start(struct cli_experiment *e); /* what holds when nothing is given */
/* True if the option was written, with whatever value. */
bool cli_experiment_given(const struct cli_experiment *e, const char *name);
/* Options that were given, one a call: *at starts at 0; NULL after the last. */
const char *cli_experiment_next_given(const struct cli_experiment *e, int *at);
/* The room's number of a backend by name; STATUS_FAILED with what to install or use where it is not built in. */
MUST_USE enum status cli_experiment_backend(const char *name, int *out, struct message *why);

/* Where the command stands: the first word that is neither an option nor an option's value. -1: nowhere. */
int cli_args_command(int count, char **words);

/* Reads the options in `line` on top of those in *given. Nothing has changed when it fails. */
MUST_USE enum status cli_scenario_parse_onto(const char *line, struct scenario *given,
                                             struct message *why);

/* A command's surroundings. `out` grows in memory and is written by cli_run when the command succeeded. */
struct cli_context {
    struct store *store;
    struct words words;
    struct writer *out;
    int columns; /* of the terminal; without one $COLUMNS, else 80 */
};

/* --- prose.c --- */
int cli_columns(void);
/* Columns of pictures that more than 80 would only stretch. */
int cli_picture_columns(const struct cli_context *c);
/* Ends the open line of the output: wrapped to c->columns, further lines `hang` columns in. */
void cli_prose_end(struct cli_context *c, int hang);
/* A sentence and its end. */
void cli_say(struct cli_context *c, const struct message *m);

/* --- unused.c --- */
enum cli_unused_by {
    CLI_UNUSED_MEMORY, /* mem, comm, plan: only what counts beside another option that is not there */
    CLI_UNUSED_FLOPS,
    CLI_UNUSED_PARAMS, /* a count of parameters */
};
/* The given options of a resolved scenario that count for nothing here; false: there is none. */
bool cli_unused_note(const struct scenario *s, enum cli_unused_by by, struct message *out);

struct cli_command {
    const char *name; /* message ids cli.<name>.usage and cli.<name>.help */
    unsigned takes;
    enum status (*run)(struct cli_context *c, const struct cli_args *args, struct message *why);
};
extern const struct cli_command cli_commands[];
int cli_command_count(void);

struct calc_memory;
struct json;
void cli_json_bytes_per_param(struct json *j, const struct scenario *s);
/* peak_bytes and peak_event; and the member "timeline". */
void cli_json_peak(struct json *j, const struct scenario *s, const struct calc_memory *m);
void cli_json_timeline(struct json *j, const struct scenario *s, const struct calc_memory *m);

enum status cli_mem(struct cli_context *c, const struct cli_args *args, struct message *why);
/* --- mem_compare.c --- */

/* The second scenario of --against; `given` and the numbers as for the first. */
struct cli_against {
    bool wanted; /* false: there is none, the rest means nothing */
    struct scenario given, s;
    uint64_t params, params_active;
    struct calc_memory memory; /* of the worst stage, or of --stage */
    uint64_t worst;
};
MUST_USE enum status cli_against_compute(struct cli_context *c, const struct cli_args *args,
                                         struct cli_against *out, struct message *why);
/* The members "against" and "delta". */
void cli_against_json(struct cli_context *c, struct json *j, const struct scenario *s,
                      const struct calc_memory *first, const struct cli_against *against);
/* The ledger with both columns and Δ. */
void cli_against_text(struct cli_context *c, const struct scenario *s,
                      const struct calc_memory *first, const struct cli_against *against);
/* One header line, one line a part (RFC 4180); with columns of the second scenario when there is one. */
void cli_mem_csv(struct cli_context *c, const struct scenario *s, const struct calc_memory *first,
                 const struct cli_against *against);

/* --- mem_conventions.c: a convention a column; of --stage or, of each, the worst --- */
void cli_conventions_text(struct cli_context *c, const struct cli_args *args,
                          const struct scenario *applied);
/* The member "conventions". */
void cli_conventions_json(struct cli_context *c, struct json *j, const struct cli_args *args,
                          const struct scenario *applied);
void cli_conventions_csv(struct cli_context *c, const struct cli_args *args,
                         const struct scenario *applied);

enum status cli_params(struct cli_context *c, const struct cli_args *args, struct message *why);
enum status cli_lesson(struct cli_context *c, const struct cli_args *args, struct message *why);
enum status cli_glossary(struct cli_context *c, const struct cli_args *args, struct message *why);
enum status cli_quiz(struct cli_context *c, const struct cli_args *args, struct message *why);
enum status cli_schedule(struct cli_context *c, const struct cli_args *args, struct message *why);
enum status cli_comm(struct cli_context *c, const struct cli_args *args, struct message *why);
enum status cli_flops(struct cli_context *c, const struct cli_args *args, struct message *why);
enum status cli_pipe(struct cli_context *c, const struct cli_args *args, struct message *why);
enum status cli_bench(struct cli_context *c, const struct cli_args *args, struct message *why);
enum status cli_allreduce(struct cli_context *c, const struct cli_args *args, struct message *why);
enum status cli_overflow(struct cli_context *c, const struct cli_args *args, struct message *why);
enum status cli_plan(struct cli_context *c, const struct cli_args *args, struct message *why);
enum status cli_format(struct cli_context *c, const struct cli_args *args, struct message *why);
enum status cli_doctor(struct cli_context *c, const struct cli_args *args, struct message *why);

/* One text of the member "notes", and the whole member. */
void cli_json_note(struct cli_context *c, struct json *j, const struct message *note);
void cli_json_notes(struct cli_context *c, struct json *j, const struct message *notes, int count);

void cli_experiment_help(struct cli_context *c, unsigned takes);
/* One option: "--name VALUE" on the left, its sentence beside it, both wrapped. */
void cli_help_option(struct cli_context *c, const char *left, const char *sentence);
void cli_help_write(struct cli_context *c, const struct cli_command *command);

#endif
