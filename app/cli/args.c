/* From argv to struct cli_args by the rules of CONTRACT ("Conventions for every command"): long options, not
 * abbreviated, `--name value` or `--name=value`, anywhere; what reads as a number is a value even with a leading
 * '-'; `--` ends options. Scenario options come from calc's table. Owns nothing: values point into argv.
 * Proof: tests/unit/cli/test_args.c. */
#include <string.h>

#include "cli_private.h"
#include "shardlab/base/units.h"

struct cursor {
    int at, count;
    char **words;
    unsigned takes; /* enum cli_takes bits of the command */
};

static enum status refuse(struct message *why, const char *id, const char *name,
                          const char *value) {
    message_start(why, id);
    message_add_text(why, name);
    if (value != NULL) {
        message_add_text(why, value);
    }
    return STATUS_USAGE;
}

/* One option as written: its name without dashes, and the value after '=' if there is one. */
struct written {
    const char *name;
    size_t length;
    const char *value; /* NULL: none yet */
};

/* "name" or "name=value". */
static struct written split(const char *word) {
    const char *equals = strchr(word, '=');
    return (struct written){word, equals == NULL ? strlen(word) : (size_t)(equals - word),
                            equals == NULL ? NULL : equals + 1};
}

static bool is(const struct written *o, const char *name) {
    return strlen(name) == o->length && memcmp(name, o->name, o->length) == 0;
}

/* A sentence about an option as it was written. */
static enum status refuse_option(struct message *why, const char *id, const struct written *o) {
    message_start(why, id);
    message_add_text_n(why, o->name, o->length);
    return STATUS_USAGE;
}

/* The switch of the scenario that "no-NAME" or "NAME" turns; -1: none. */
static int switch_index(const struct written *o, bool *negated) {
    *negated = o->length > 3 && memcmp(o->name, "no-", 3) == 0;
    size_t skip = *negated ? 3 : 0;
    int index = calc_option_find(o->name + skip, o->length - skip);
    return index >= 0 && calc_option_at(index)->kind == CALC_OPTION_SWITCH ? index : -1;
}

/* What is said by its name alone; --dropout and its like may have a yes or no. */
static bool takes_no_value(const struct written *o) {
    if (is(o, "untied") || is(o, "explain") ||
        cli_own_is_flag(cli_own_find(o->name, o->length, ~0U))) {
        return true;
    }
    for (int i = 0; i < PIPE_OPTIONS; i++) {
        if (cli_pipe_options[i].value == NULL && is(o, cli_pipe_options[i].name)) {
            return true;
        }
    }
    bool negated = false;
    return (switch_index(o, &negated) >= 0 && negated) ||
           cli_experiment_is_flag(cli_experiment_find(o->name, o->length, ~0U));
}

/* The value: after '=', or the next word unless that is an option. */
static enum status take_value(struct cursor *c, struct written *o, const char **value,
                              struct message *why) {
    if (o->value != NULL) {
        *value = o->value;
        return STATUS_OK;
    }
    const char *next = c->at < c->count ? c->words[c->at] : NULL;
    if (next == NULL || (strncmp(next, "--", 2) == 0 && !units_looks_numeric(next))) {
        return refuse_option(why, "error.args.no_value", o);
    }
    c->at++;
    *value = next;
    return STATUS_OK;
}

/* A value that is a line of options, and so begins like one. */
static enum status take_line(struct cursor *c, struct written *o, const char **value,
                             struct message *why) {
    if (o->value == NULL && c->at == c->count) {
        return refuse_option(why, "error.args.no_value", o);
    }
    *value = o->value != NULL ? o->value : c->words[c->at++];
    return STATUS_OK;
}

/* The word that a switch may have after it; no command takes such a word as a value of its own. */
static bool is_yes_or_no(const char *word) {
    return strcmp(word, "yes") == 0 || strcmp(word, "no") == 0;
}

/* --dropout, --no-dropout, --tied, --untied: switches need no value but may have one. */
static bool find_switch(const struct written *o, int *index, const char **value) {
    if (is(o, "untied")) {
        *index = calc_option_index("tied");
        *value = "no";
        return true;
    }
    bool negated = false;
    *index = switch_index(o, &negated);
    *value = negated ? "no" : o->value == NULL ? "yes" : o->value;
    return *index >= 0;
}

static enum status set_scenario(struct cursor *c, struct written *o, struct scenario *s,
                                bool *known, struct message *why) {
    int index = -1;
    const char *value = NULL;
    *known = true;
    if (find_switch(o, &index, &value)) {
        bool has_word = o->value == NULL && !takes_no_value(o) && c->at < c->count;
        if (has_word && is_yes_or_no(c->words[c->at])) {
            value = c->words[c->at++];
        }
        return calc_option_set(s, index, value, why);
    }
    index = calc_option_find(o->name, o->length);
    if (index < 0) {
        *known = false;
        return STATUS_OK;
    }
    enum status ok = take_value(c, o, &value, why);
    return ok == STATUS_OK ? calc_option_set(s, index, value, why) : ok;
}

/* `takes` decides whether scenario options are worth a suggestion. */
static enum status unknown(const struct written *o, unsigned takes, struct message *why) {
    if (is(o, "version")) {
        return refuse_option(why, "error.args.version", o);
    }
    bool scenario = (takes & CLI_TAKES_SCENARIO) != 0;
    const char *near = scenario ? calc_option_nearest(o->name, o->length) : NULL;
    (void)refuse_option(why, near == NULL ? "error.args.unknown" : "error.args.unknown_near", o);
    if (near != NULL) {
        message_add_text(why, near);
    }
    return STATUS_USAGE;
}

static enum status set_pipe(struct cursor *c, struct written *o, struct cli_args *out, bool *known,
                            struct message *why) {
    for (int i = 0; i < PIPE_OPTIONS; i++) {
        if (is(o, cli_pipe_options[i].name)) {
            *known = true;
            out->pipe[i] = "";
            if (i == PIPE_OPTION_SCENARIO) {
                return take_line(c, o, &out->pipe[i], why);
            }
            return cli_pipe_options[i].value == NULL ? STATUS_OK
                                                     : take_value(c, o, &out->pipe[i], why);
        }
    }
    return STATUS_OK;
}

static enum status set_experiment(struct cursor *c, struct written *o, struct cli_experiment *e,
                                  bool *known, struct message *why) {
    const char *value = NULL;
    const struct cli_experiment_row *row = cli_experiment_find(o->name, o->length, c->takes);
    *known = row != NULL;
    if (row != NULL && !cli_experiment_is_flag(row)) {
        enum status ok = take_value(c, o, &value, why);
        if (ok != STATUS_OK) {
            return ok;
        }
    }
    return row != NULL ? cli_experiment_set(e, row, value, why) : STATUS_OK;
}

static enum status set_own(struct cursor *c, struct written *o, struct cli_args *out, bool *known,
                           struct message *why) {
    const char *value = NULL;
    const struct cli_own_row *row = cli_own_find(o->name, o->length, c->takes);
    enum status ok = STATUS_OK;
    *known = row != NULL;
    if (row != NULL && row->kind == CLI_OWN_LINE) {
        ok = take_line(c, o, &value, why);
    } else if (row != NULL && row->kind != CLI_OWN_FLAG) {
        ok = take_value(c, o, &value, why);
    }
    return row != NULL && ok == STATUS_OK ? cli_own_set(out, row, value, why) : ok;
}

static enum status one_option(struct cursor *c, const char *word, struct cli_args *out,
                              struct message *why) {
    struct written o = split(word);
    bool known = false;
    bool has_layout = is(&o, "explain") && (c->takes & CLI_TAKES_PLAN) != 0;
    if (o.value != NULL && takes_no_value(&o) && !has_layout) {
        (void)refuse_option(why, "error.args.takes_no_value", &o);
        message_add_text(why, o.value);
        return STATUS_USAGE;
    }
    enum status ok = set_own(c, &o, out, &known, why);
    if (!known && (c->takes & CLI_TAKES_PIPE) != 0) {
        ok = set_pipe(c, &o, out, &known, why);
    }
    if (!known) {
        ok = set_experiment(c, &o, &out->experiment, &known, why);
    }
    if (!known && (c->takes & CLI_TAKES_SCENARIO) != 0) {
        ok = set_scenario(c, &o, &out->given, &known, why);
    }
    return known ? ok : unknown(&o, c->takes, why);
}

int cli_args_command(int count, char **words) {
    int at = 0;
    while (at < count && strncmp(words[at], "--", 2) == 0 && !units_looks_numeric(words[at])) {
        struct written o = split(words[at++] + 2);
        bool negated = false;
        if (o.length == 0) {
            break; /* -- */
        }
        bool is_switch = switch_index(&o, &negated) >= 0;
        bool has_word = is_switch ? at < count && is_yes_or_no(words[at]) : true;
        at += has_word && o.value == NULL && !takes_no_value(&o) ? 1 : 0;
    }
    return at < count ? at : -1;
}

enum status cli_args_parse(int count, char **words, unsigned takes, struct cli_args *out,
                           struct message *why) {
    struct cursor c = {0, count, words, takes};
    bool options = true;
    cli_experiment_start(&out->experiment);
    while (c.at < c.count) {
        const char *word = c.words[c.at++];
        if (options && strcmp(word, "--") == 0) {
            options = false;
        } else if (options && strncmp(word, "--", 2) == 0 && !units_looks_numeric(word)) {
            enum status ok = one_option(&c, word + 2, out, why);
            if (ok != STATUS_OK) {
                return ok;
            }
        } else if ((takes & CLI_TAKES_VALUES) == 0 || (options && strcmp(word, "-h") == 0)) {
            return refuse(why, "error.args.value", word, NULL);
        } else if (out->value_count == CLI_VALUES_MAX) {
            (void)refuse(why, "error.args.values_many", word, NULL);
            message_add_plain(why, CLI_VALUES_MAX);
            return STATUS_USAGE;
        } else {
            out->values[out->value_count++] = word;
        }
    }
    out->unit = out->gib ? UNIT_GIB : UNIT_GB;
    return STATUS_OK;
}
