/* The command line: `shardlab COMMAND …` prints and exits; one file a command of the contract. Output is composed
 * whole and written once, so an error leaves stdout empty. The shell borrows the loading of scenarios. */
#ifndef CLI_CLI_H
#define CLI_CLI_H

#include <stdbool.h>

#include "shardlab/base/attributes.h"
#include "shardlab/base/message.h"
#include "shardlab/base/status.h"
#include "shardlab/base/words.h"
#include "shardlab/calc/preset.h"
#include "shardlab/calc/scenario.h"
#include "shardlab/store/store.h"

/* How the terminal application is to open. */
struct cli_screen {
    bool wanted;
    bool chinese;
    bool language_given;
    bool mono;           /* NO_COLOR, --color never */
    bool ascii;          /* --ascii, or the locale is not UTF-8 */
    bool ambiguous_wide; /* --ambiguous wide */
    bool still;          /* --motion reduced */
};
/* Runs the command that argv names and returns the exit status; argv is reordered, the command to the front. When it
 * names none, nothing is printed and screen->wanted is set. */
int cli_run(int argc, char **argv, struct cli_screen *screen);

/* From options as given to a scenario that calculators take: applies preset or config file and card, resolves,
 * checks the rules. *applied (may be NULL) gets what was given plus the presets' values, unresolved: a base on
 * which single options can be changed without reading presets again. `assumed` may be NULL. */
MUST_USE enum status cli_scenario_load(struct store *store, const struct scenario *given,
                                       struct scenario *applied, struct scenario *resolved,
                                       struct calc_assumed *assumed, struct message *why);

/* The first part of it: presets and files only; nothing is resolved or checked. For what looks for a legal layout. */
MUST_USE enum status cli_scenario_apply(struct store *store, const struct scenario *given,
                                        struct scenario *applied, struct calc_assumed *assumed,
                                        struct message *why);

/* Resolves and checks; the first violation is the message. For scenarios whose presets are applied. */
MUST_USE enum status cli_scenario_settle(const struct scenario *applied, struct scenario *resolved,
                                         struct message *why);

/* One line on stderr: "shardlab: COMMAND: what is wrong" (`command` may be NULL). Without words (their file cannot
 * be read) it says that, in English. */
void cli_error_print(const struct words *words, const char *command, const struct message *why);

/* Reads scenario options from words ("--model", "llama-2-7b", "--dp", "8"): for a lesson's start line. */
MUST_USE enum status cli_scenario_parse_line(const char *line, struct scenario *given,
                                             struct message *why);

/* True if the environment (LC_ALL, LC_MESSAGES, LANG) asks for Chinese. */
bool cli_locale_chinese(void);

#endif
