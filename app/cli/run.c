/* Entry of the command line: finds the command, prepares store, words and output, runs it, prints what it made or
 * one line that says why not. Called by main only. Proof: tests/cli/. */
#define _POSIX_C_SOURCE 200809L
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli_private.h"

#ifndef SHARDLAB_VERSION
#define SHARDLAB_VERSION "0.1.0"
#endif

const struct cli_command cli_commands[] = {
    {"mem", CLI_TAKES_SCENARIO | CLI_TAKES_UNIT | CLI_TAKES_STAGE | CLI_TAKES_TABLE, cli_mem},
    {"params", CLI_TAKES_SCENARIO, cli_params},
    {"comm", CLI_TAKES_SCENARIO | CLI_TAKES_UNIT | CLI_TAKES_STAGE | CLI_TAKES_CSV, cli_comm},
    {"format", CLI_TAKES_FORMAT | CLI_TAKES_VALUES, cli_format},
    {"pipe", CLI_TAKES_PIPE, cli_pipe},
    {"allreduce", CLI_TAKES_RUN | CLI_TAKES_COLLECTIVE, cli_allreduce},
    {"overflow", CLI_TAKES_RUN | CLI_TAKES_PRECISION, cli_overflow},
    {"flops", CLI_TAKES_SCENARIO | CLI_TAKES_CLUSTER | CLI_TAKES_FLOPS, cli_flops},
    {"plan", CLI_TAKES_SCENARIO | CLI_TAKES_CLUSTER | CLI_TAKES_PLAN | CLI_TAKES_UNIT, cli_plan},
    {"lesson", CLI_TAKES_VALUES | CLI_TAKES_PAGE | CLI_TAKES_UNIT, cli_lesson},
    {"glossary", CLI_TAKES_VALUES, cli_glossary},
    {"quiz", CLI_TAKES_VALUES | CLI_TAKES_QUIZ, cli_quiz},
    {"schedule", 0, cli_schedule},
    {"bench", CLI_TAKES_VALUES | CLI_TAKES_REPEAT, cli_bench},
    {"doctor", 0, cli_doctor},
};

int cli_command_count(void) {
    return (int)(sizeof cli_commands / sizeof cli_commands[0]);
}

bool cli_locale_chinese(void) {
    static const char *const names[] = {"LC_ALL", "LC_MESSAGES", "LANG"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        const char *value = getenv(names[i]);
        if (value != NULL && value[0] != '\0') {
            return strncmp(value, "zh", 2) == 0;
        }
    }
    return false;
}

static bool grow(struct writer *w, size_t need) {
    size_t capacity = w->capacity * 2 > need ? w->capacity * 2 : need;
    char *bytes = realloc(w->bytes, capacity);
    if (bytes == NULL) {
        return false;
    }
    w->bytes = bytes;
    w->capacity = capacity;
    return true;
}

static const struct cli_command *find_command(const char *name) {
    for (int i = 0; i < cli_command_count(); i++) {
        if (strcmp(cli_commands[i].name, name) == 0) {
            return &cli_commands[i];
        }
    }
    return NULL;
}

/* The one sentence that cannot come from the words: that they cannot be read. */
static void write_without_words(struct writer *w, const struct message *why) {
    for (int i = 0; i < why->arg_count; i++) {
        if (why->args[i].kind == MESSAGE_ARG_TEXT) {
            writer_text(w, why->args[i].text);
            writer_text(w, ": ");
        }
    }
    writer_text(w, "the texts of shardlab cannot be read; install it again, or let SHARDLAB_DATA "
                   "name the folder that holds assets/ and lessons/");
}

void cli_error_print(const struct words *words, const char *command, const struct message *why) {
    char text[4096];
    struct writer w;
    writer_start(&w, text, sizeof text);
    writer_text(&w, "shardlab: ");
    if (command != NULL) {
        writer_text(&w, command);
        writer_text(&w, ": ");
    }
    if (words->book == NULL) {
        write_without_words(&w, why);
    } else {
        words_write(&w, words, why);
    }
    writer_char(&w, '\n');
    fputs(text, stderr);
}

/* Without a command it was --help. */
static enum status run_command(const struct cli_command *command, struct cli_context *c,
                               struct cli_args *args, struct message *why) {
    enum status ok = STATUS_OK;
    if (args->help || command == NULL) {
        cli_help_write(c, command);
    } else {
        ok = command->run(c, args, why);
    }
    if (ok == STATUS_OK && c->out->overflow) {
        message_start(why, "error.memory");
        return STATUS_FAILED;
    }
    return ok;
}

/* stdout gets everything or, when it cannot be written (a full disk), the status says so. A reader that has gone
 * away (`| head -1`) saw what it wanted: no words then. */
static enum status flush(const struct writer *w, struct message *why) {
    errno = 0;
    if (fwrite(w->bytes, 1, w->length, stdout) == w->length && fflush(stdout) == 0) {
        return STATUS_OK;
    }
    message_start(why, errno == EPIPE ? NULL : "error.output");
    return STATUS_FAILED;
}

static enum status with_store(const struct cli_command *command, struct cli_args *args, bool parsed,
                              enum status ok, struct message *why) {
    struct cli_context c = {0};
    struct writer out;
    struct message failure;
    char *buffer = malloc(4096);
    if (buffer == NULL) {
        fputs("shardlab: out of memory\n", stderr);
        return STATUS_FAILED;
    }
    writer_start(&out, buffer, 4096);
    out.grow = grow;
    c.out = &out;
    c.columns = cli_columns();
    enum status opened = store_open(&c.store, &failure);
    if (opened == STATUS_OK) {
        opened = store_words(c.store, args->chinese, &c.words, &failure);
        c.words.unit = args->unit;
    }
    if (opened != STATUS_OK) {
        *why = failure;
        ok = opened;
    } else if (parsed) {
        message_start(why, NULL);
        ok = run_command(command, &c, args, why);
        if (ok == STATUS_OK || why->id == NULL) { /* what failed is said in the output itself */
            enum status written = flush(&out, why);
            ok = written == STATUS_OK ? ok : written;
        }
    }
    if (ok != STATUS_OK && why->id != NULL) {
        cli_error_print(&c.words, command == NULL ? NULL : command->name, why);
    }
    free(out.bytes);
    store_close(c.store);
    return ok;
}

static enum status run_version(struct cli_context *c, const struct cli_args *args,
                               struct message *why) {
    (void)args;
    (void)why;
    writer_text(c->out, "shardlab " SHARDLAB_VERSION "\n");
    return STATUS_OK;
}

/* --lang of the whole line, so that an error before it speaks that language too. */
static bool asks_chinese(int argc, char **argv) {
    bool chinese = cli_locale_chinese();
    for (int i = 1; i < argc && strcmp(argv[i], "--") != 0; i++) {
        bool two_words = strcmp(argv[i], "--lang") == 0 && i + 1 < argc;
        const char *value = two_words                             ? argv[i + 1]
                            : strncmp(argv[i], "--lang=", 7) == 0 ? argv[i] + 7
                                                                  : "";
        chinese = strcmp(value, "zh") == 0 || (chinese && strcmp(value, "en") != 0);
    }
    return chinese;
}

/* Options may stand before the command: moves it to the front. False: there is no command. */
static bool command_first(int argc, char **argv) {
    int at = cli_args_command(argc - 1, argv + 1);
    if (at < 0) {
        return false;
    }
    char *name = argv[1 + at];
    memmove(&argv[2], &argv[1], (size_t)at * sizeof argv[0]);
    argv[1] = name;
    return true;
}

int cli_run(int argc, char **argv, struct cli_screen *screen) {
    static const struct cli_command version = {NULL, 0, run_version};
    struct cli_args args;
    struct message why;
    memset(&args, 0, sizeof args);
    memset(screen, 0, sizeof *screen);
    args.chinese = asks_chinese(argc, argv);
    bool named = command_first(argc, argv);
    const struct cli_command *command = named ? find_command(argv[1]) : NULL;
    if (named && command == NULL) {
        message_start(&why, "error.command.unknown");
        message_add_text(&why, argv[1]);
        return (int)with_store(NULL, &args, false, STATUS_USAGE, &why);
    }
    int skip = named ? 2 : 1;
    unsigned takes = command == NULL ? CLI_TAKES_SCREEN : command->takes;
    enum status ok = cli_args_parse(argc - skip, argv + skip, takes, &args, &why);
    if (command == NULL && ok == STATUS_OK && args.version && !args.help) {
        return (int)with_store(&version, &args, true, STATUS_OK, &why);
    }
    if (command == NULL && ok == STATUS_OK && !args.help) {
        *screen =
            (struct cli_screen){true,       args.chinese,        args.language_given, args.mono,
                                args.ascii, args.ambiguous_wide, args.still};
        return STATUS_OK;
    }
    return (int)with_store(command, &args, ok == STATUS_OK, ok, &why);
}
