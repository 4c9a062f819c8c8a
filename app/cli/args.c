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
};

static enum status refuse(struct message *why, const char *id, const char *name, const char *value) {
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

static bool is(const struct written *o, const char *name) {
    return strlen(name) == o->length && memcmp(name, o->name, o->length) == 0;
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
        char name[64];
        struct writer w;
        writer_start(&w, name, sizeof name);
        writer_text_n(&w, o->name, o->length);
        return refuse(why, "error.args.no_value", name, NULL);
    }
    c->at++;
    *value = next;
    return STATUS_OK;
}

/* --dropout, --no-dropout, --tied, --untied: switches need no value but may have one. */
static bool find_switch(const struct written *o, int *index, const char **value) {
    if (is(o, "untied")) {
        *index = calc_option_index("tied");
        *value = "no";
        return o->value == NULL;
    }
    bool negated = o->length > 3 && memcmp(o->name, "no-", 3) == 0;
    *index = calc_option_find(o->name + (negated ? 3 : 0), o->length - (negated ? 3 : 0));
    if (*index < 0 || calc_option_at(*index)->kind != CALC_OPTION_SWITCH) {
        return false;
    }
    *value = negated ? "no" : o->value == NULL ? "yes" : o->value;
    return !(negated && o->value != NULL);
}

static enum status set_scenario(struct cursor *c, struct written *o, struct scenario *s, bool *known,
                                struct message *why) {
    int index = -1;
    const char *value = NULL;
    *known = true;
    if (find_switch(o, &index, &value)) {
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
static enum status set_word(struct cursor *c, struct written *o, const char *const pair[2], bool *second,
                            struct message *why) {
    const char *value = NULL;
    enum status ok = take_value(c, o, &value, why);
    if (ok != STATUS_OK) {
        return ok;
    }
    if (strcmp(value, pair[0]) != 0 && strcmp(value, pair[1]) != 0) {
        char name[64];
        struct writer w;
        writer_start(&w, name, sizeof name);
        writer_text_n(&w, o->name, o->length);
        (void)refuse(why, "error.args.word", name, value);
        message_add_text(why, pair[0]);
        message_add_text(why, pair[1]);
        return STATUS_USAGE;
    }
    *second = strcmp(value, pair[1]) == 0;
    return STATUS_OK;
}

static enum status unknown(const struct written *o, struct message *why) {
    char name[128];
    struct writer w;
    writer_start(&w, name, sizeof name);
    writer_text_n(&w, o->name, o->length);
    const char *near = calc_option_nearest(o->name, o->length);
    message_start(why, near == NULL ? "error.args.unknown" : "error.args.unknown_near");
    message_add_text(why, name);
    if (near != NULL) {
        message_add_text(why, near);
    }
    return STATUS_USAGE;
}

static enum status set_screen(struct cursor *c, struct written *o, struct cli_args *out, bool *known,
                              struct message *why) {
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

static enum status set_common(struct cursor *c, struct written *o, unsigned takes, struct cli_args *out,
                              bool *known, struct message *why) {
    static const char *const languages[2] = {"en", "zh"};
    static const char *const units[2] = {"gb", "gib"};
    *known = true;
    bool gib = false;
    enum status ok = STATUS_OK;
    if (is(o, "json") && o->value == NULL) {
        out->json = true;
    } else if (is(o, "help") && o->value == NULL) {
        out->help = true;
    } else if (is(o, "explain") && o->value == NULL && (takes & CLI_TAKES_UNIT) != 0) {
        out->explain = true;
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
    } else {
        *known = false;
    }
    return ok;
}

static enum status one_option(struct cursor *c, const char *word, unsigned takes, struct cli_args *out,
                              struct message *why) {
    const char *equals = strchr(word, '=');
    struct written o = {word, equals == NULL ? strlen(word) : (size_t)(equals - word),
                        equals == NULL ? NULL : equals + 1};
    bool known = false;
    enum status ok = set_common(c, &o, takes, out, &known, why);
    if (!known && (takes & CLI_TAKES_SCREEN) != 0) {
        ok = set_screen(c, &o, out, &known, why);
    }
    if (!known && (takes & CLI_TAKES_SCENARIO) != 0) {
        ok = set_scenario(c, &o, &out->given, &known, why);
    }
    return known ? ok : unknown(&o, why);
}

enum status cli_args_parse(int count, char **words, unsigned takes, struct cli_args *out,
                           struct message *why) {
    struct cursor c = {0, count, words};
    bool options = true;
    while (c.at < c.count) {
        const char *word = c.words[c.at++];
        if (options && strcmp(word, "--") == 0) {
            options = false;
        } else if (options && strncmp(word, "--", 2) == 0 && !units_looks_numeric(word)) {
            enum status ok = one_option(&c, word + 2, takes, out, why);
            if (ok != STATUS_OK) {
                return ok;
            }
        } else if ((takes & CLI_TAKES_VALUES) == 0 || out->value_count == CLI_VALUES_MAX) {
            return refuse(why, "error.args.value", word, NULL);
        } else {
            out->values[out->value_count++] = word;
        }
    }
    return STATUS_OK;
}

enum status cli_scenario_parse_line(const char *line, struct scenario *given, struct message *why) {
    char copy[1024];
    char *words[CLI_VALUES_MAX];
    int count = 0;
    size_t length = strlen(line);
    if (length >= sizeof copy) {
        return refuse(why, "error.args.value", line, NULL);
    }
    memcpy(copy, line, length + 1);
    for (char *at = copy; *at != '\0';) {
        at += strspn(at, " ");
        if (*at == '\0' || count == CLI_VALUES_MAX) {
            break;
        }
        words[count++] = at;
        at += strcspn(at, " ");
        if (*at == ' ') {
            *at++ = '\0';
        }
    }
    struct cli_args args;
    memset(&args, 0, sizeof args);
    enum status ok = cli_args_parse(count, words, CLI_TAKES_SCENARIO, &args, why);
    *given = args.given;
    return ok;
}
