/* --help against the parser: what a command takes stands in its help with a sentence, in both languages, and what its
 * help lists the command takes. */
#include <check.h>
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "../../../app/cli/cli_private.h"
#include "shardlab/store/store.h"
#include "shardlab/view/width.h"

enum { NAMES_MAX = 256, HELP_BYTES = 1 << 16 };

/* Names of options of any command: those of the tables that can be walked, and those that are in none of them. */
static int all_names(const char *names[NAMES_MAX]) {
    static const char *const experiment[] = {
        "collective", "algorithm", "elems",  "bytes",   "accumulate", "op",     "trace",
        "experiment", "count",     "value",  "update",  "epsilon",    "center", "spread",
        "loss-scale", "steps",     "growth", "trials",  "ranks",      "seed",   "timeout",
        "events",     "backend",   "repeat", "quixotic"};
    int count = 0, at = 0;
    for (const struct cli_own_row *row; (row = cli_own_next(&at, ~0U)) != NULL;) {
        names[count++] = row->name;
    }
    for (int i = 0; i < calc_option_count(); i++) {
        names[count++] = calc_option_at(i)->name;
    }
    for (int i = 0; i < PIPE_OPTIONS; i++) {
        names[count++] = cli_pipe_options[i].name;
    }
    for (size_t i = 0; i < sizeof experiment / sizeof experiment[0]; i++) {
        names[count++] = experiment[i];
    }
    ck_assert_int_lt(count, NAMES_MAX);
    return count;
}

static bool takes(const struct cli_command *command, const char *name) {
    struct cli_args args;
    struct message why;
    char word[64] = "--", value[] = "x";
    char *words[] = {word, value};
    memset(&args, 0, sizeof args);
    strcat(word, name);
    message_start(&why, NULL);
    enum status ok = cli_args_parse(2, words, command->takes, &args, &why);
    bool unknown = ok != STATUS_OK && (strncmp(why.id, "error.args.unknown", 18) == 0 ||
                                       strcmp(why.id, "error.args.version") == 0);
    return !unknown;
}

/* "--name" at the beginning of an entry of the help. */
static bool lists(const char *help, const char *name) {
    size_t length = strlen(name);
    for (const char *at = strstr(help, "\n  --"); at != NULL; at = strstr(at + 1, "\n  --")) {
        if (strncmp(at + 5, name, length) == 0 &&
            (at[5 + length] == ' ' || at[5 + length] == '\n')) {
            return true;
        }
    }
    return false;
}

static void write_help(struct store *store, bool chinese, const struct cli_command *command,
                       char *help) {
    static char bytes[HELP_BYTES];
    struct writer out;
    struct message why;
    struct cli_context c = {.store = store, .out = &out, .columns = 80};
    writer_start(&out, bytes, sizeof bytes);
    ck_assert_int_eq(store_words(store, chinese, &c.words, &why), STATUS_OK);
    cli_help_write(&c, command);
    ck_assert(!out.overflow);
    memcpy(help, bytes, out.length + 1);
}

START_TEST(a_command_lists_what_it_takes_and_takes_what_it_lists) {
    const char *names[NAMES_MAX];
    static char help[HELP_BYTES];
    struct store *store = NULL;
    struct message why;
    const struct cli_command *command = &cli_commands[_i / 2];
    int count = all_names(names);
    ck_assert_msg(store_open(&store, &why) == STATUS_OK, "%s", why.id);
    write_help(store, _i % 2 == 1, command, help);
    for (int i = 0; i < count; i++) {
        ck_assert_msg(takes(command, names[i]) == lists(help, names[i]),
                      "%s --%s: the command %s it, its help %s it:\n%s", command->name, names[i],
                      takes(command, names[i]) ? "takes" : "does not take",
                      lists(help, names[i]) ? "lists" : "does not list", help);
    }
    ck_assert_msg(strstr(help, "option.") == NULL && strstr(help, "cli.") == NULL,
                  "%s: words are missing:\n%s", command->name, help);
    store_close(store);
}
END_TEST

/* `params` and `schedule` are options of scenarios too, whose sentences are not those of --help. */
START_TEST(help_says_the_same_of_itself_in_every_command) {
    static char help[HELP_BYTES];
    struct store *store = NULL;
    struct message why;
    ck_assert_msg(store_open(&store, &why) == STATUS_OK, "%s", why.id);
    write_help(store, false, &cli_commands[_i], help);
    const char *entry = strstr(help, "\n  --help");
    ck_assert_ptr_nonnull(entry);
    entry += strlen("\n  --help");
    ck_assert_msg(strncmp(entry + strspn(entry, " "), "This list.\n", 11) == 0, "%s:%s",
                  cli_commands[_i].name, entry);
    store_close(store);
}
END_TEST

/* Nothing but the name of an entry begins at its place: continuations are indented. */
START_TEST(every_entry_of_a_help_has_a_sentence_and_fits_eighty_columns) {
    static const struct width_rules rules = {false};
    static char help[HELP_BYTES];
    struct store *store = NULL;
    struct message why;
    const struct cli_command *command = _i < 2 ? NULL : &cli_commands[_i / 2 - 1];
    const char *name = command == NULL ? "shardlab" : command->name;
    ck_assert_msg(store_open(&store, &why) == STATUS_OK, "%s", why.id);
    write_help(store, _i % 2 == 1, command, help);
    for (char *line = strtok(help, "\n"); line != NULL; line = strtok(NULL, "\n")) {
        ck_assert_msg(width_text(line, &rules) <= 80, "%s: %s", name, line);
        bool option = strncmp(line, "  --", 4) == 0;
        const char *gap = option ? strstr(line + 2, "  ") : NULL;
        bool alone = option && gap == NULL;
        ck_assert_msg(!option || alone || gap[strspn(gap, " ")] != '\0', "%s: %s", name, line);
    }
    store_close(store);
}
END_TEST

static Suite *suite(void) {
    Suite *s = suite_create("help");
    TCase *t = tcase_create("help");
    tcase_add_loop_test(t, a_command_lists_what_it_takes_and_takes_what_it_lists, 0,
                        2 * cli_command_count());
    tcase_add_loop_test(t, help_says_the_same_of_itself_in_every_command, 0, cli_command_count());
    tcase_add_loop_test(t, every_entry_of_a_help_has_a_sentence_and_fits_eighty_columns, 0,
                        2 * cli_command_count() + 2);
    suite_add_tcase(s, t);
    return s;
}

#include "support/check_main.h"
