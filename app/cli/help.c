/* `--help`, of the program and of each command, from the option table and the words. Writes to the command's
 * output. */
#include <string.h>

#include "cli_private.h"
#include "shardlab/view/width.h"

static const struct width_rules rules = {false};

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
    writer_text(c->out, "  ");
    width_write_left(c->out, left, columns, &rules);
    writer_text(c->out, "  ");
}

enum { LEFT_COLUMNS = 44, PIPE_COLUMNS = 32 };

/* "--zero 0..3", "--precision fp32|fp16|bf16", "--tied / --untied". */
static void write_option(struct cli_context *c, const struct calc_option *o) {
    char left[128];
    struct writer w;
    writer_start(&w, left, sizeof left);
    writer_text(&w, "--");
    writer_text(&w, o->name);
    switch (o->kind) {
    case CALC_OPTION_NAME:
        writer_text(&w, " NAME");
        break;
    case CALC_OPTION_PATH:
        writer_text(&w, " FILE");
        break;
    case CALC_OPTION_COUNT:
    case CALC_OPTION_SEQ:
        writer_text(&w, " N");
        break;
    case CALC_OPTION_BYTES:
        writer_text(&w, " BYTES");
        break;
    case CALC_OPTION_REAL:
        writer_text(&w, " X");
        break;
    case CALC_OPTION_LIST:
        writer_text(&w, " a,b,…");
        break;
    case CALC_OPTION_SWITCH:
        writer_text(&w, strcmp(o->name, "tied") == 0 ? " / --untied" : " / --no-");
        writer_text(&w, strcmp(o->name, "tied") == 0 ? "" : o->name);
        break;
    case CALC_OPTION_CHOICE:
        for (int i = 0; o->choices[i] != NULL; i++) {
            writer_char(&w, i == 0 ? ' ' : '|');
            writer_text(&w, o->choices[i]);
        }
        break;
    }
    if (width_text(left, &rules) > LEFT_COLUMNS) { /* all choices, and the sentence below them */
        writer_text(c->out, "  ");
        writer_text(c->out, left);
        writer_char(c->out, '\n');
        left[0] = '\0';
    }
    write_left(c, left, LEFT_COLUMNS);
    write_words(c, "option.", o->name, ".help");
    writer_char(c->out, '\n');
}

static void write_pipe_options(struct cli_context *c) {
    writer_char(c->out, '\n');
    for (int i = 0; i < PIPE_OPTIONS; i++) {
        char left[128];
        struct writer w;
        writer_start(&w, left, sizeof left);
        writer_text(&w, "--");
        writer_text(&w, cli_pipe_options[i].name);
        writer_text(&w, cli_pipe_options[i].value == NULL ? "" : " ");
        writer_text(&w, cli_pipe_options[i].value == NULL ? "" : cli_pipe_options[i].value);
        write_left(c, left, PIPE_COLUMNS);
        write_words(c, "pipe.option.", cli_pipe_options[i].name, "");
        writer_char(c->out, '\n');
    }
}

static void write_overview(struct cli_context *c) {
    writer_text(c->out, words_get(&c->words, "cli.overview"));
    writer_text(c->out, "\n\n  shardlab\n");
    for (int i = 0; i < cli_command_count(); i++) {
        char left[64];
        struct writer w;
        writer_start(&w, left, sizeof left);
        writer_text(&w, "shardlab ");
        writer_text(&w, cli_commands[i].name);
        write_left(c, left, 20);
        write_words(c, "cli.", cli_commands[i].name, ".help");
        writer_char(c->out, '\n');
    }
    writer_char(c->out, '\n');
    writer_text(c->out, words_get(&c->words, "cli.overview_more"));
    writer_char(c->out, '\n');
}

void cli_help_write(struct cli_context *c, const struct cli_command *command) {
    if (command == NULL) {
        write_overview(c);
        return;
    }
    write_words(c, "cli.", command->name, ".usage");
    writer_char(c->out, '\n');
    write_words(c, "cli.", command->name, ".help");
    writer_char(c->out, '\n');
    if ((command->takes & CLI_TAKES_PIPE) != 0) {
        write_pipe_options(c);
    }
    cli_experiment_help(c, command->takes);
    static const char *const groups[] = {"model", "layout", "recipe", "batch", "cluster"};
    for (int group = 0; (command->takes & CLI_TAKES_SCENARIO) != 0 && group <= CALC_GROUP_CLUSTER;
         group++) {
        writer_char(c->out, '\n');
        write_words(c, "group.", groups[group], "");
        writer_char(c->out, '\n');
        for (int i = 0; i < calc_option_count(); i++) {
            if ((int)calc_option_at(i)->group == group) {
                write_option(c, calc_option_at(i));
            }
        }
    }
}
