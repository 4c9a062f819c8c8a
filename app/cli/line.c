/* Scenario options in one line of text, as `y` writes them and a shell reads them: words between blanks, quotes
 * around a word that holds some. For a lesson's start and for --against. The line is copied, nothing is owned.
 * Proof: tests/unit/cli/test_line.c. */
#include <string.h>

#include "cli_private.h"

enum { LINE_MAX_BYTES = 4096, LINE_WORDS_MAX = 256 };

static enum status refuse(struct message *why, const char *id, const char *value) {
    message_start(why, id);
    message_add_text(why, value);
    return STATUS_USAGE;
}

/* One word at *at, which moves on, unquoted in its place. False: a quote without its end. */
static bool next_word(char **at, char **word) {
    char *from = *at, *to = *at;
    char quote = '\0';
    *word = to;
    for (; *from != '\0' && (quote != '\0' || *from != ' '); from++) {
        if (quote != '\0' ? *from == quote : *from == '\'' || *from == '"') {
            quote = quote != '\0' ? '\0' : *from;
        } else if (quote == '\0' && *from == '\\' && from[1] != '\0') {
            *to++ = *++from;
        } else {
            *to++ = *from;
        }
    }
    *at = *from == '\0' ? from : from + 1;
    *to = '\0';
    return quote == '\0';
}

enum status cli_scenario_parse_onto(const char *line, struct scenario *given, struct message *why) {
    char copy[LINE_MAX_BYTES];
    char *words[LINE_WORDS_MAX];
    int count = 0;
    size_t length = strlen(line);
    if (length >= sizeof copy) {
        return refuse(why, "error.args.line_long", line);
    }
    memcpy(copy, line, length + 1);
    for (char *at = copy + strspn(copy, " "); *at != '\0'; at += strspn(at, " ")) {
        if (count == LINE_WORDS_MAX || !next_word(&at, &words[count++])) {
            return refuse(why, "error.args.line", line);
        }
    }
    struct cli_args args;
    memset(&args, 0, sizeof args);
    args.given = *given;
    enum status ok = cli_args_parse(count, words, CLI_TAKES_SCENARIO, &args, why);
    if (ok == STATUS_OK && (args.json || args.help || args.language_given)) {
        return refuse(why, "error.args.scenario_only", line);
    }
    if (ok == STATUS_OK) {
        *given = args.given;
    }
    return ok;
}

enum status cli_scenario_parse_line(const char *line, struct scenario *given, struct message *why) {
    memset(given, 0, sizeof *given);
    return cli_scenario_parse_onto(line, given, why);
}
