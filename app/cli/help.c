/* `--help`, of the program and of each command: the options from the tables that parse them, their sentences from the
 * words. Writes to the command's output. Proof: tests/unit/cli/test_help.c, tests/cli/test_width.c. */
#include <string.h>

#include "cli_private.h"
#include "shardlab/pipe/schedule.h"
#include "shardlab/view/width.h"

static const struct width_rules rules = {false};

enum { INDENT = 2, LEFT_COLUMNS = 24, COMMAND_COLUMNS = 20, USAGE_HANG = 7, LEFT_MAX = 192 };

/* The words of message id prefix + name + suffix, or nothing when there are none. */
static void write_words(struct cli_context *c, const char *prefix, const char *name,
                        const char *suffix) {
    char id[64];
    struct writer w;
    writer_start(&w, id, sizeof id);
    writer_text(&w, prefix);
    writer_text(&w, name);
    writer_text(&w, suffix);
    writer_text(c->out, words_get(&c->words, id));
}

static void write_left(struct cli_context *c, const char *left, int columns) {
    writer_repeat(c->out, ' ', INDENT);
    width_write_left(c->out, left, columns, &rules);
    writer_repeat(c->out, ' ', INDENT);
}

void cli_help_option(struct cli_context *c, const char *left, const char *sentence) {
    if (width_text(left, &rules) > LEFT_COLUMNS) { /* all choices, and the sentence below them */
        writer_repeat(c->out, ' ', INDENT);
        writer_text(c->out, left);
        cli_prose_end(c, 2 * INDENT);
        left = "";
    }
    write_left(c, left, LEFT_COLUMNS);
    writer_text(c->out, sentence);
    cli_prose_end(c, LEFT_COLUMNS + 2 * INDENT);
}

/* What stands behind the name: " N", " fp32|fp16|bf16", " / --untied". */
static void write_shape(struct writer *w, const struct calc_option *o) {
    static const char *const shapes[] = {
        [CALC_OPTION_NAME] = " NAME", [CALC_OPTION_PATH] = " FILE",   [CALC_OPTION_COUNT] = " N",
        [CALC_OPTION_SEQ] = " N",     [CALC_OPTION_BYTES] = " BYTES", [CALC_OPTION_REAL] = " X",
        [CALC_OPTION_LIST] = " a,b,…"};
    if (o->kind == CALC_OPTION_SWITCH) {
        bool tied = strcmp(o->name, "tied") == 0;
        writer_text(w, tied ? " / --untied" : " / --no-");
        writer_text(w, tied ? "" : o->name);
    } else if (o->kind == CALC_OPTION_CHOICE) {
        for (int i = 0; o->choices[i] != NULL; i++) {
            writer_char(w, i == 0 ? ' ' : '|');
            writer_text(w, o->choices[i]);
        }
    } else {
        writer_text(w, shapes[o->kind]);
    }
}

static void write_scenario_option(struct cli_context *c, const struct calc_option *o) {
    char left[LEFT_MAX], id[64];
    struct writer w;
    writer_start(&w, left, sizeof left);
    writer_text(&w, "--");
    writer_text(&w, o->name);
    write_shape(&w, o);
    writer_start(&w, id, sizeof id);
    writer_text(&w, "option.");
    writer_text(&w, o->name);
    writer_text(&w, ".help");
    cli_help_option(c, left, words_get(&c->words, id));
}

/* " VALUE"; of a schedule all names there are. */
static void write_pipe_shape(struct writer *w, int option) {
    const char *value = cli_pipe_options[option].value;
    writer_text(w, value == NULL ? "" : " ");
    if (option != PIPE_OPTION_SCHEDULE) {
        writer_text(w, value == NULL ? "" : value);
        return;
    }
    for (int i = 0; i < PIPE_SCHEDULES; i++) {
        writer_text(w, i > 0 ? "|" : "");
        writer_text(w, pipe_schedule_name((enum pipe_schedule)i));
    }
}

static void write_pipe_options(struct cli_context *c) {
    for (int i = 0; i < PIPE_OPTIONS; i++) {
        char left[LEFT_MAX], id[64];
        struct writer w;
        writer_start(&w, left, sizeof left);
        writer_text(&w, "--");
        writer_text(&w, cli_pipe_options[i].name);
        write_pipe_shape(&w, i);
        writer_start(&w, id, sizeof id);
        writer_text(&w, "pipe.option.");
        writer_text(&w, cli_pipe_options[i].name);
        cli_help_option(c, left, words_get(&c->words, id));
    }
}

/* An option means something of its own in some commands: option.COMMAND.NAME, else option.own.NAME. Never --help: where a
 * command is called as an option of scenarios, option.COMMAND.help speaks of that. */
static const char *own_sentence(struct cli_context *c, const char *command, const char *name) {
    const char *text = NULL;
    for (int any = strcmp(name, "help") == 0 ? 1 : 0; any < 2 && text == NULL; any++) {
        char id[64];
        struct writer w;
        writer_start(&w, id, sizeof id);
        writer_text(&w, "option.");
        writer_text(&w, any ? "own" : command);
        writer_char(&w, '.');
        writer_text(&w, name);
        text = c->words.find(c->words.book, id);
    }
    return text == NULL ? name : text;
}

static void write_own_options(struct cli_context *c, const char *command, unsigned takes) {
    int at = 0;
    for (const struct cli_own_row *row; (row = cli_own_next(&at, takes)) != NULL;) {
        char left[LEFT_MAX];
        struct writer w;
        writer_start(&w, left, sizeof left);
        writer_text(&w, "--");
        writer_text(&w, row->name);
        writer_text(&w, row->shape == NULL ? "" : " ");
        writer_text(&w, row->shape == NULL ? "" : row->shape);
        cli_help_option(c, left, own_sentence(c, command, row->name));
    }
}

static void write_overview(struct cli_context *c) {
    writer_text(c->out, words_get(&c->words, "cli.overview"));
    cli_prose_end(c, 0);
    writer_text(c->out, "\n  shardlab\n");
    for (int i = 0; i < cli_command_count(); i++) {
        char left[64];
        struct writer w;
        writer_start(&w, left, sizeof left);
        writer_text(&w, "shardlab ");
        writer_text(&w, cli_commands[i].name);
        write_left(c, left, COMMAND_COLUMNS);
        write_words(c, "cli.", cli_commands[i].name, ".help");
        cli_prose_end(c, COMMAND_COLUMNS + 2 * INDENT);
    }
    writer_char(c->out, '\n');
    writer_text(c->out, words_get(&c->words, "cli.overview_more"));
    cli_prose_end(c, 0);
    writer_char(c->out, '\n');
    write_own_options(c, "screen", CLI_TAKES_SCREEN);
}

void cli_help_write(struct cli_context *c, const struct cli_command *command) {
    static const char *const groups[] = {"model", "layout", "recipe", "batch", "cluster"};
    if (command == NULL) {
        write_overview(c);
        return;
    }
    write_words(c, "cli.", command->name, ".usage");
    cli_prose_end(c, USAGE_HANG);
    write_words(c, "cli.", command->name, ".help");
    cli_prose_end(c, 0);
    writer_char(c->out, '\n');
    if ((command->takes & CLI_TAKES_PIPE) != 0) {
        write_pipe_options(c);
    }
    cli_experiment_help(c, command->takes);
    write_own_options(c, command->name, command->takes);
    for (int group = 0; (command->takes & CLI_TAKES_SCENARIO) != 0 && group <= CALC_GROUP_CLUSTER;
         group++) {
        writer_char(c->out, '\n');
        write_words(c, "group.", groups[group], "");
        writer_char(c->out, '\n');
        for (int i = 0; i < calc_option_count(); i++) {
            if ((int)calc_option_at(i)->group == group) {
                write_scenario_option(c, calc_option_at(i));
            }
        }
    }
}
