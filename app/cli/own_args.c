/* Options of commands that describe no scenario and run no ranks, as rows of data: parsing, ranges and --help come from
 * one table. Called by args.c and help.c. Values go into struct cli_args; texts point into argv.
 * Proof: tests/unit/cli/test_args.c, test_help.c, tests/cli/test_extremes.c. */
#include <stddef.h>
#include <string.h>

#include "cli_private.h"
#include "shardlab/base/units.h"
#include "shardlab/plan/plan.h"

#define AT(member) offsetof(struct cli_args, member)
#define EVERY (~0U)
#define COMMANDS (~(unsigned)CLI_TAKES_SCREEN) /* every command, but not the program without one */
enum {
    TABLE = CLI_TAKES_TABLE,
    SCREEN = CLI_TAKES_SCREEN,
    PLAN = CLI_TAKES_PLAN,
    FLOPS = CLI_TAKES_FLOPS,
    FORMAT = CLI_TAKES_FORMAT,
    QUIZ = CLI_TAKES_QUIZ
};

/* A row that another of the same name precedes counts only for commands that do not take the first. Counts and reals:
 * 0 stands for "not given", so they are more than that; the range of a real is wide, yet every figure made of it is
 * finite. */
static const struct cli_own_row rows[] = {
    {"tokens", FLOPS, CLI_OWN_COUNT, AT(tokens), 0, UINT64_MAX, "N", NULL, NULL},
    {"gpus", CLI_TAKES_CLUSTER, CLI_OWN_COUNT, AT(gpus), 0, UINT64_MAX, "N", NULL, NULL},
    {"global-batch", CLI_TAKES_CLUSTER, CLI_OWN_COUNT, AT(global_batch), 0, UINT64_MAX, "N", NULL,
     NULL},
    {"step-s", FLOPS, CLI_OWN_REAL, AT(step_s), 0, 0, "X", "1e-9", "1e9"},
    {"tokens-per-s", FLOPS, CLI_OWN_REAL, AT(tokens_per_s), 0, 0, "X", "1e-9", "1e12"},
    {"tflops", FLOPS, CLI_OWN_REAL, AT(tflops), 0, 0, "X", "1e-9", "1e9"},
    {"top", PLAN, CLI_OWN_COUNT, AT(top), 0, PLAN_BEST_MAX, "K", NULL, NULL},
    {"type", FORMAT, CLI_OWN_TEXT, AT(type), 0, 0,
     "fp32|tf32|fp16|bf16|e4m3|e5m2|e2m1|e2m3|e3m2|e8m0", NULL, NULL},
    {"overflow", FORMAT, CLI_OWN_TEXT, AT(overflow), 0, 0, "inf|saturate", NULL, NULL},
    {"block", FORMAT, CLI_OWN_TEXT, AT(block), 0, 0, "mx|nvfp4|tensor", NULL, NULL},
    {"lesson", QUIZ, CLI_OWN_TEXT, AT(quiz.lesson), 0, 0, "ID", NULL, NULL},
    {"kind", QUIZ, CLI_OWN_TEXT, AT(quiz.kind), 0, 0, "choice|number|order|derive|recall", NULL,
     NULL},
    {"seed", QUIZ, CLI_OWN_NUMBER, AT(quiz.seed), AT(quiz.seed_given), 0, "S", NULL, NULL},
    {"answer", QUIZ, CLI_OWN_FLAG, AT(quiz.answer), 0, 0, NULL, NULL, NULL},
    {"format", QUIZ, CLI_OWN_TEXT, AT(quiz.format), 0, 0, "anki|json|markdown", NULL, NULL},
    {"stage", CLI_TAKES_STAGE, CLI_OWN_NUMBER, AT(stage), AT(stage_given), 0, "Q", NULL, NULL},
    {"against", TABLE, CLI_OWN_LINE, AT(against), 0, 0, "'--NAME X …'", NULL, NULL},
    {"conventions", TABLE, CLI_OWN_FLAG, AT(conventions), 0, 0, NULL, NULL, NULL},
    {"timeline", TABLE, CLI_OWN_FLAG, AT(timeline), 0, 0, NULL, NULL, NULL},
    {"explain", PLAN, CLI_OWN_TEXT, AT(place), 0, 0, "'dp=…,tp=…'", NULL, NULL},
    {"explain", TABLE | CLI_TAKES_CSV | CLI_TAKES_PIPE, CLI_OWN_FLAG, AT(explain), 0, 0, NULL, NULL,
     NULL},
    {"grid", CLI_TAKES_CSV, CLI_OWN_NUMBER, AT(grid), AT(grid_given), 0, "RANK", NULL, NULL},
    {"page", CLI_TAKES_PAGE, CLI_OWN_NUMBER, AT(page), AT(page_given), 0, "N", NULL, NULL},
    {"repeat", CLI_TAKES_REPEAT, CLI_OWN_NUMBER, AT(repeat), AT(repeat_given), 0, "R", NULL, NULL},
    {"unit", CLI_TAKES_UNIT, CLI_OWN_PAIR, AT(gib), AT(unit_given), 0, "gb|gib", "gb", "gib"},
    {"csv", TABLE | CLI_TAKES_CSV, CLI_OWN_FLAG, AT(csv), 0, 0, NULL, NULL, NULL},
    {"ascii", SCREEN, CLI_OWN_FLAG, AT(ascii), 0, 0, NULL, NULL, NULL},
    {"ambiguous", SCREEN, CLI_OWN_PAIR, AT(ambiguous_wide), 0, 0, "narrow|wide", "narrow", "wide"},
    {"color", SCREEN, CLI_OWN_PAIR, AT(mono), 0, 0, "auto|never", "auto", "never"},
    {"motion", SCREEN, CLI_OWN_PAIR, AT(still), 0, 0, "full|reduced", "full", "reduced"},
    {"version", SCREEN, CLI_OWN_FLAG, AT(version), 0, 0, NULL, NULL, NULL},
    {"json", COMMANDS, CLI_OWN_FLAG, AT(json), 0, 0, NULL, NULL, NULL},
    {"lang", EVERY, CLI_OWN_PAIR, AT(chinese), AT(language_given), 0, "en|zh", "en", "zh"},
    {"help", EVERY, CLI_OWN_FLAG, AT(help), 0, 0, NULL, NULL, NULL},
};
enum { ROWS = sizeof rows / sizeof rows[0] };

static bool taken_by(const struct cli_own_row *row, unsigned takes) {
    bool of_all = row->takes == EVERY || (row->takes == COMMANDS && takes != CLI_TAKES_SCREEN);
    return of_all || (row->takes & takes) != 0;
}

const struct cli_own_row *cli_own_find(const char *name, size_t length, unsigned takes) {
    for (int i = 0; i < ROWS; i++) {
        if (taken_by(&rows[i], takes) && strlen(rows[i].name) == length &&
            memcmp(rows[i].name, name, length) == 0) {
            return &rows[i];
        }
    }
    return NULL;
}

const struct cli_own_row *cli_own_next(int *at, unsigned takes) {
    while (*at < ROWS) {
        const struct cli_own_row *row = &rows[(*at)++];
        if (cli_own_find(row->name, strlen(row->name), takes) == row) {
            return row;
        }
    }
    return NULL;
}

bool cli_own_is_flag(const struct cli_own_row *row) {
    return row != NULL && row->kind == CLI_OWN_FLAG;
}

static enum status refuse(const struct cli_own_row *row, const char *id, const char *value,
                          struct message *why) {
    message_start(why, id);
    message_add_text(why, row->name);
    message_add_text(why, value);
    return STATUS_USAGE;
}

static enum status set_count(const struct cli_own_row *row, const char *value, void *into,
                             struct message *why) {
    char folded[64];
    uint64_t count = 0;
    if (!units_fold(value, folded, sizeof folded) || !units_parse_count(folded, 1000, &count) ||
        count < 1 || count > row->most) {
        (void)refuse(row, "error.option.count", value, why);
        message_add_plain(why, 1);
        message_add_plain(why, row->most);
        return STATUS_USAGE;
    }
    memcpy(into, &count, sizeof count);
    return STATUS_OK;
}

static enum status set_real(const struct cli_own_row *row, const char *value, void *into,
                            struct message *why) {
    char folded[64];
    double real = 0.0, least = 0.0, most = 0.0;
    if (!units_fold(value, folded, sizeof folded) || !units_parse_real(row->first, &least) ||
        !units_parse_real(row->second, &most) || !units_parse_real(folded, &real) || real < least ||
        real > most) {
        (void)refuse(row, "error.option.real", value, why);
        message_add_text(why, row->first);
        message_add_text(why, row->second);
        return STATUS_USAGE;
    }
    memcpy(into, &real, sizeof real);
    return STATUS_OK;
}

static enum status set_pair(const struct cli_own_row *row, const char *value, void *into,
                            struct message *why) {
    bool second = strcmp(value, row->second) == 0;
    if (!second && strcmp(value, row->first) != 0) {
        (void)refuse(row, "error.args.word", value, why);
        message_add_text(why, row->first);
        message_add_text(why, row->second);
        return STATUS_USAGE;
    }
    memcpy(into, &second, sizeof second);
    return STATUS_OK;
}

static enum status set_number(const struct cli_own_row *row, const char *value, void *into,
                              struct message *why) {
    uint64_t number = 0;
    if (!units_parse_count(value, 1000, &number)) {
        return refuse(row, "error.args.number", value, why);
    }
    memcpy(into, &number, sizeof number);
    return STATUS_OK;
}

enum status cli_own_set(struct cli_args *args, const struct cli_own_row *row, const char *value,
                        struct message *why) {
    static const bool yes = true;
    void *into = (char *)args + row->at;
    if (row->given != 0) {
        memcpy((char *)args + row->given, &yes, sizeof yes);
    }
    switch (row->kind) {
    case CLI_OWN_FLAG:
        memcpy(into, &yes, sizeof yes);
        return STATUS_OK;
    case CLI_OWN_COUNT:
        return set_count(row, value, into, why);
    case CLI_OWN_REAL:
        return set_real(row, value, into, why);
    case CLI_OWN_PAIR:
        return set_pair(row, value, into, why);
    case CLI_OWN_NUMBER:
        return set_number(row, value, into, why);
    case CLI_OWN_TEXT:
    case CLI_OWN_LINE:
        break;
    }
    memcpy(into, &value, sizeof value);
    return STATUS_OK;
}
