/* From argv to struct cli_args by the rules of CONTRACT ("Conventions for every command"): long options, not
 * abbreviated, `--name value` or `--name=value`, anywhere; what reads as a number is a value even with a leading
 * '-'; `--` ends options. Scenario options come from calc's table. Owns nothing: values point into argv.
 * Proof: tests/unit/cli/test_args.c. */
#include <stddef.h>
#include <string.h>

#include "cli_private.h"
#include "shardlab/base/units.h"
#include "shardlab/plan/plan.h"

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
    static const char *const alone[] = {"json", "help",  "version", "explain",    "timeline",
                                        "csv",  "ascii", "untied",  "conventions"};
    for (size_t i = 0; i < sizeof alone / sizeof alone[0]; i++) {
        if (is(o, alone[i])) {
            return true;
        }
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

static enum status set_number(struct cursor *c, struct written *o, const char *name, uint64_t *out,
                              struct message *why) {
    const char *value = NULL;
    enum status ok = take_value(c, o, &value, why);
    if (ok == STATUS_OK && !units_parse_count(value, 1000, out)) {
        return refuse(why, "error.args.number", name, value);
    }
    return ok;
}

/* A value that must be one of two words. */
static enum status set_word(struct cursor *c, struct written *o, const char *const pair[2],
                            bool *second, struct message *why) {
    const char *value = NULL;
    enum status ok = take_value(c, o, &value, why);
    if (ok != STATUS_OK) {
        return ok;
    }
    if (strcmp(value, pair[0]) != 0 && strcmp(value, pair[1]) != 0) {
        (void)refuse_option(why, "error.args.word", o);
        message_add_text(why, value);
        message_add_text(why, pair[0]);
        message_add_text(why, pair[1]);
        return STATUS_USAGE;
    }
    *second = strcmp(value, pair[1]) == 0;
    return STATUS_OK;
}

/* `takes` decides whether scenario options are worth a suggestion. */
static enum status unknown(const struct written *o, unsigned takes, struct message *why) {
    bool scenario = (takes & CLI_TAKES_SCENARIO) != 0;
    const char *near = scenario ? calc_option_nearest(o->name, o->length) : NULL;
    (void)refuse_option(why, near == NULL ? "error.args.unknown" : "error.args.unknown_near", o);
    if (near != NULL) {
        message_add_text(why, near);
    }
    return STATUS_USAGE;
}

static enum status set_screen(struct cursor *c, struct written *o, struct cli_args *out,
                              bool *known, struct message *why) {
    static const char *const widths[2] = {"narrow", "wide"};
    static const char *const colours[2] = {"auto", "never"};
    *known = true;
    if (is(o, "ascii")) {
        out->ascii = true;
        return STATUS_OK;
    }
    if (is(o, "ambiguous")) {
        return set_word(c, o, widths, &out->ambiguous_wide, why);
    }
    if (is(o, "color")) {
        return set_word(c, o, colours, &out->mono, why);
    }
    *known = false;
    return STATUS_OK;
}

/* Options of a training run: counts and measured figures. */
static const struct amount {
    const char *name;
    unsigned takes;
    size_t offset; /* in struct cli_args */
    bool real;     /* double; else uint64_t */
    uint64_t most; /* of a count; 0: of a real */
    const char *least_s,
        *most_s; /* of a real, as a message shows them: wide, yet every figure made of them is finite */
} amounts[] = {
    {"tokens", CLI_TAKES_FLOPS, offsetof(struct cli_args, tokens), false, UINT64_MAX, NULL, NULL},
    {"gpus", CLI_TAKES_CLUSTER, offsetof(struct cli_args, gpus), false, UINT64_MAX, NULL, NULL},
    {"global-batch", CLI_TAKES_CLUSTER, offsetof(struct cli_args, global_batch), false, UINT64_MAX,
     NULL, NULL},
    {"top", CLI_TAKES_PLAN, offsetof(struct cli_args, top), false, PLAN_BEST_MAX, NULL, NULL},
    {"step-s", CLI_TAKES_FLOPS, offsetof(struct cli_args, step_s), true, 0, "1e-9", "1e9"},
    {"tokens-per-s", CLI_TAKES_FLOPS, offsetof(struct cli_args, tokens_per_s), true, 0, "1e-9",
     "1e12"},
    {"tflops", CLI_TAKES_FLOPS, offsetof(struct cli_args, tflops), true, 0, "1e-9", "1e9"},
};

/* False: it is no such number, or outside of what the row allows. 0 stands for "not given". */
static bool read_amount(const struct amount *a, const char *text, struct cli_args *out) {
    char folded[64];
    void *into = (char *)out + a->offset;
    if (!units_fold(text, folded, sizeof folded)) {
        return false;
    }
    if (!a->real) {
        uint64_t count = 0;
        bool read = units_parse_count(folded, 1000, &count) && count > 0 && count <= a->most;
        memcpy(into, &count, sizeof count);
        return read;
    }
    double real = 0.0, least = 0.0, most = 0.0;
    bool read = units_parse_real(a->least_s, &least) && units_parse_real(a->most_s, &most) &&
                units_parse_real(folded, &real) && real >= least && real <= most;
    memcpy(into, &real, sizeof real);
    return read;
}

static enum status refuse_amount(const struct amount *a, const char *text, struct message *why) {
    (void)refuse(why, a->real ? "error.option.real" : "error.option.count", a->name, text);
    if (a->real) {
        message_add_text(why, a->least_s);
        message_add_text(why, a->most_s);
    } else {
        message_add_plain(why, 1);
        message_add_plain(why, a->most);
    }
    return STATUS_USAGE;
}

static enum status set_amount(struct cursor *c, struct written *o, struct cli_args *out,
                              bool *known, struct message *why) {
    for (size_t i = 0; i < sizeof amounts / sizeof amounts[0]; i++) {
        const struct amount *a = &amounts[i];
        const char *text = NULL;
        if (!is(o, a->name) || (c->takes & a->takes) == 0) {
            continue;
        }
        *known = true;
        enum status ok = take_value(c, o, &text, why);
        return ok != STATUS_OK             ? ok
               : read_amount(a, text, out) ? STATUS_OK
                                           : refuse_amount(a, text, why);
    }
    return STATUS_OK;
}

/* What the command itself reads. */
static enum status set_format(struct cursor *c, struct written *o, struct cli_args *out,
                              bool *known, struct message *why) {
    const char **into = is(o, "type")       ? &out->type
                        : is(o, "overflow") ? &out->overflow
                        : is(o, "block")    ? &out->block
                                            : NULL;
    *known = into != NULL;
    return *known ? take_value(c, o, into, why) : STATUS_OK;
}

static enum status set_pipe(struct cursor *c, struct written *o, struct cli_args *out, bool *known,
                            struct message *why) {
    for (int i = 0; i < PIPE_OPTIONS; i++) {
        if (is(o, cli_pipe_options[i].name)) {
            *known = true;
            out->pipe[i] = "";
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

/* *known is false when the option is another function's, or another command's. */
static enum status set_common(struct cursor *c, struct written *o, struct cli_args *out,
                              bool *known, struct message *why) {
    unsigned takes = c->takes;
    static const char *const languages[2] = {"en", "zh"};
    static const char *const units[2] = {"gb", "gib"};
    *known = true;
    bool gib = false;
    enum status ok = STATUS_OK;
    if (is(o, "json")) {
        out->json = true;
    } else if (is(o, "help")) {
        out->help = true;
    } else if (is(o, "explain") && (takes & CLI_TAKES_PLAN) != 0) {
        ok = take_line(c, o, &out->place, why);
    } else if (is(o, "explain") && (takes & (CLI_TAKES_UNIT | CLI_TAKES_PIPE)) != 0) {
        out->explain = true;
    } else if (is(o, "timeline") && (takes & CLI_TAKES_TABLE) != 0) {
        out->timeline = true;
    } else if (is(o, "csv") && (takes & (CLI_TAKES_TABLE | CLI_TAKES_CSV)) != 0) {
        out->csv = true;
    } else if (is(o, "grid") && (takes & CLI_TAKES_CSV) != 0) {
        ok = set_number(c, o, "grid", &out->grid, why);
        out->grid_given = true;
    } else if (is(o, "conventions") && (takes & CLI_TAKES_TABLE) != 0) {
        out->conventions = true;
    } else if (is(o, "against") && (takes & CLI_TAKES_TABLE) != 0) {
        ok = take_line(c, o, &out->against, why);
    } else if (is(o, "lang")) {
        ok = set_word(c, o, languages, &out->chinese, why);
        out->language_given = true;
    } else if (is(o, "unit") && (takes & CLI_TAKES_UNIT) != 0) {
        ok = set_word(c, o, units, &gib, why);
        out->unit = gib ? UNIT_GIB : UNIT_GB;
    } else if (is(o, "stage") && (takes & CLI_TAKES_STAGE) != 0) {
        ok = set_number(c, o, "stage", &out->stage, why);
        out->stage_given = true;
    } else if (is(o, "page") && (takes & CLI_TAKES_PAGE) != 0) {
        ok = set_number(c, o, "page", &out->page, why);
        out->page_given = true;
    } else if (is(o, "repeat") && (takes & CLI_TAKES_REPEAT) != 0) {
        ok = set_number(c, o, "repeat", &out->repeat, why);
        out->repeat_given = true;
    } else {
        *known = false;
    }
    return ok;
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
    enum status ok = set_common(c, &o, out, &known, why);
    if (!known && (c->takes & CLI_TAKES_SCREEN) != 0) {
        ok = set_screen(c, &o, out, &known, why);
    }
    if (!known) {
        ok = set_amount(c, &o, out, &known, why);
    }
    if (!known && (c->takes & CLI_TAKES_FORMAT) != 0) {
        ok = set_format(c, &o, out, &known, why);
    }
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
        } else if ((takes & CLI_TAKES_VALUES) == 0) {
            return refuse(why, "error.args.value", word, NULL);
        } else if (out->value_count == CLI_VALUES_MAX) {
            (void)refuse(why, "error.args.values_many", word, NULL);
            message_add_plain(why, CLI_VALUES_MAX);
            return STATUS_USAGE;
        } else {
            out->values[out->value_count++] = word;
        }
    }
    return STATUS_OK;
}
