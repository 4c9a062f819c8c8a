/* Entry of the command line: finds the command, prepares store, words and output, runs it, prints what it made or
 * one line that says why not. Called by main only. Proof: tests/cli/. */
#define _POSIX_C_SOURCE 200809L
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli_private.h"

#ifndef SHARDLAB_VERSION
#define SHARDLAB_VERSION "0.1.0"
#endif

const struct cli_command cli_commands[] = {
    {"mem", CLI_TAKES_SCENARIO | CLI_TAKES_UNIT | CLI_TAKES_STAGE, cli_mem},
    {"params", CLI_TAKES_SCENARIO, cli_params},
    {"lesson", CLI_TAKES_VALUES | CLI_TAKES_PAGE | CLI_TAKES_UNIT, cli_lesson},
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

/* shardlab: COMMAND: what is wrong. A wrong value in a config file is preceded by the file's name. */
static void print_error(const struct words *words, const char *command, const char *file,
                        const struct message *why) {
    char text[4096];
    struct writer w;
    writer_start(&w, text, sizeof text);
    writer_text(&w, "shardlab: ");
    if (command != NULL) {
        writer_text(&w, command);
        writer_text(&w, ": ");
    }
    if (file != NULL && why->id != NULL && strncmp(why->id, "error.config.", 13) == 0) {
        struct message name;
        message_start(&name, "cli.file_prefix");
        message_add_text(&name, file);
        words_write(&w, words, &name);
    }
    words_write(&w, words, why);
    writer_char(&w, '\n');
    fputs(text, stderr);
}

static enum status run_command(const struct cli_command *command, struct cli_context *c,
                               struct cli_args *args, struct message *why) {
    enum status ok = STATUS_OK;
    if (args->help) {
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

/* stdout gets everything or, when it cannot be written (a full disk, a closed pipe), the status says so. */
static enum status flush(const struct writer *w, struct message *why) {
    if (fwrite(w->bytes, 1, w->length, stdout) == w->length && fflush(stdout) == 0) {
        return STATUS_OK;
    }
    message_start(why, "error.output");
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
    enum status opened = store_open(&c.store, &failure);
    if (opened == STATUS_OK) {
        opened = store_words(c.store, args->chinese, &c.words, &failure);
        c.words.unit = args->unit;
    }
    if (opened != STATUS_OK) {
        *why = failure;
        ok = opened;
    } else if (parsed) {
        ok = run_command(command, &c, args, why);
        if (ok == STATUS_OK) {
            ok = flush(&out, why);
        }
    }
    if (ok != STATUS_OK) {
        const char *file = args->given.model.config[0] != '\0' ? args->given.model.config : NULL;
        print_error(&c.words, command == NULL ? NULL : command->name, file, why);
    }
    free(out.bytes);
    store_close(c.store);
    return ok;
}

static enum status run_overview(struct cli_context *c, const struct cli_args *args, struct message *why) {
    (void)args;
    (void)why;
    cli_help_write(c, NULL);
    return STATUS_OK;
}

int cli_run(int argc, char **argv, struct cli_screen *screen) {
    static const struct cli_command overview = {"help", 0, run_overview};
    struct cli_args args;
    struct message why;
    memset(&args, 0, sizeof args);
    memset(screen, 0, sizeof *screen);
    args.chinese = cli_locale_chinese();
    bool named = argc > 1 && strncmp(argv[1], "-", 1) != 0;
    if (argc > 1 && strcmp(argv[1], "--version") == 0) {
        return puts("shardlab " SHARDLAB_VERSION) < 0 ? STATUS_FAILED : STATUS_OK;
    }
    const struct cli_command *command = named ? find_command(argv[1]) : NULL;
    if (named && command == NULL) {
        message_start(&why, "error.command.unknown");
        message_add_text(&why, argv[1]);
        return (int)with_store(NULL, &args, false, STATUS_USAGE, &why);
    }
    int skip = named ? 2 : 1;
    unsigned takes = command == NULL ? CLI_TAKES_SCREEN : command->takes;
    enum status ok = cli_args_parse(argc - skip, argv + skip, takes, &args, &why);
    if (command == NULL && ok == STATUS_OK && !args.help) {
        *screen = (struct cli_screen){true,      args.chinese, args.language_given, args.mono,
                                      args.ascii, args.ambiguous_wide};
        return STATUS_OK;
    }
    return (int)with_store(command == NULL && ok == STATUS_OK ? &overview : command, &args,
                           ok == STATUS_OK, ok, &why);
}
