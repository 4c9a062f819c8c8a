/* The command line that reproduces a scenario (`y` in the lessons): thousands of random scenarios, any values that the
 * options allow and names that a shell would trip over, come back bit for bit. The words are read as a POSIX shell
 * reads them. */
#define _POSIX_C_SOURCE 200809L

#include "calc_support.h"
#include "dice.h"
#include "shardlab/base/writer.h"
#include "support/rounds.h"

static void random_value(struct dice *d, const struct calc_option *o, char *text, size_t capacity) {
    static const char *const words[] = {"gpt2", "it's", "a b", "$(x)",  "模型",
                                        "'",    "x\\y", "-",   "a;b&c", "~"};
    switch (o->kind) {
    case CALC_OPTION_NAME:
    case CALC_OPTION_PATH:
        (void)snprintf(text, capacity, "%s", words[dice_roll(d, ROWS(words))]);
        break;
    case CALC_OPTION_COUNT:
    case CALC_OPTION_SEQ:
    case CALC_OPTION_BYTES:
        (void)snprintf(text, capacity, "%ju",
                       (uintmax_t)(o->min + dice_wide(d, 62) % (o->max - o->min + 1)));
        break;
    case CALC_OPTION_REAL:
        (void)snprintf(text, capacity, "%.17g",
                       (double)(o->min + dice_wide(d, 62) % (o->max - o->min + 1)) / 1e6);
        break;
    case CALC_OPTION_CHOICE: {
        int count = 0;
        while (o->choices[count] != NULL) {
            count++;
        }
        (void)snprintf(text, capacity, "%s", o->choices[dice_roll(d, (uint64_t)count)]);
        break;
    }
    case CALC_OPTION_SWITCH:
        (void)snprintf(text, capacity, "%s", dice_roll(d, 2) ? "yes" : "no");
        break;
    case CALC_OPTION_LIST: {
        int length = 0, count = 1 + (int)dice_roll(d, 9);
        for (int i = 0; i < count; i++) {
            length += snprintf(text + length, capacity - (size_t)length, "%s%ju", i == 0 ? "" : ",",
                               1 + (uintmax_t)(dice_wide(d, 32) % UINT32_MAX));
        }
        break;
    }
    }
}

/* The next word as a POSIX shell reads it; false at the end. */
static bool shell_word(const char **at, char *word, size_t capacity) {
    size_t length = 0;
    bool quoted = false, any = false;
    while (**at == ' ') {
        (*at)++;
    }
    for (; **at != '\0' && (quoted || **at != ' '); (*at)++) {
        any = true;
        if (**at == '\'') {
            quoted = !quoted;
            continue;
        }
        if (!quoted) {
            must_hold(strchr("$;&|<>()`\"~*?[]#!", **at) == NULL, "%c is not quoted", **at);
            *at += **at == '\\' ? 1 : 0;
        }
        must_hold(length < capacity - 1, "%s", *at);
        word[length++] = **at;
    }
    ck_assert(!quoted);
    word[length] = '\0';
    return any;
}

static void read_line(struct scenario *s, const char *line) {
    char word[256], value[256];
    while (shell_word(&line, word, sizeof word)) {
        bool off = false;
        int index = option_of(word, &off);
        struct message why;
        if (calc_option_at(index)->kind == CALC_OPTION_SWITCH) {
            (void)snprintf(value, sizeof value, "%s", off ? "no" : "yes");
        } else {
            must_hold(shell_word(&line, value, sizeof value), "%s has no value", word);
        }
        must_hold(calc_option_set(s, index, value, &why) == STATUS_OK, "%s %s: %s", word, value,
                  message_line(&why));
    }
}

START_TEST(a_scenario_survives_its_own_command_line) {
    static char line[16384];
    struct dice d = {1};
    const int rounds = test_rounds(5000);
    for (int round = 0; round < rounds; round++) {
        struct scenario before, after;
        struct writer w;
        scenario_start(&before);
        scenario_start(&after);
        uint64_t chance = 1 + dice_roll(&d, 8);
        for (int i = 0; i < calc_option_count(); i++) {
            char text[256];
            struct message why;
            if (dice_roll(&d, chance) == 0) {
                random_value(&d, calc_option_at(i), text, sizeof text);
                must_hold(calc_option_set(&before, i, text, &why) == STATUS_OK, "%s", text);
            }
        }
        writer_start(&w, line, sizeof line);
        scenario_write_options(&w, &before);
        must_hold(!w.overflow && (w.length == 0 || line[0] == ' '), "round %d: %s", round, line);
        read_line(&after, line);
        must_hold(memcmp(&before, &after, sizeof before) == 0, "round %d: %s", round, line);
    }
}
END_TEST

START_TEST(the_command_line_holds_only_what_was_given) {
    char line[256];
    struct writer w;
    struct scenario s = resolved_of("--params 7B --convention megatron --dropout");
    writer_start(&w, line, sizeof line);
    scenario_write_options(&w, &s);
    ck_assert_str_eq(line, " --params 7000000000 --dropout --convention megatron");
    s = given_of("--untied --no-gated --no-dropout --seq 16K --memory 80GB");
    writer_start(&w, line, sizeof line);
    scenario_write_options(&w, &s);
    ck_assert_str_eq(line, " --no-gated --untied --no-dropout --seq 16384 --memory 80000000000");
    s = given_of("");
    writer_start(&w, line, sizeof line);
    scenario_write_options(&w, &s);
    ck_assert_str_eq(line, "");
}
END_TEST

static Suite *suite(void) {
    Suite *s = suite_create("option line");
    TCase *t = tcase_create("round trip");
    tcase_add_test(t, a_scenario_survives_its_own_command_line);
    tcase_add_test(t, the_command_line_holds_only_what_was_given);
    suite_add_tcase(s, t);
    return s;
}

#include "support/check_main.h"
