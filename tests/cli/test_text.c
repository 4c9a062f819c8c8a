/* What people read: tables whose number column ends at one place also beside Chinese labels, no escape in a pipe,
 * units and languages as asked for. Columns are counted by the C library here, not by the program's own tables. */
#define _XOPEN_SOURCE 700
#include <check.h>
#include <stdio.h>

#include "cli/expect.h"

/* One line of the output: its first column, where it ends, and its text. */
struct line {
    const char *at;
    size_t length;
    int columns;
    bool number; /* ends with a digit */
};

static int count_columns(const char *at, size_t length) {
    int columns = 0;
    const char *end = at + length;
    while (at < end) {
        long c = expect_code_point(&at);
        int width = wcwidth((wchar_t)c);
        ck_assert_int_ge(c, 0);
        columns += width > 0 ? width : 0;
    }
    return columns;
}

/* The column of the last point; the number of columns if there is none. */
static int point_column(const struct line *line) {
    size_t at = line->length;
    while (at > 0 && line->at[at - 1] != '.') {
        at--;
    }
    return at > 0 ? count_columns(line->at, at - 1) : line->columns;
}

static bool next_line(const char **text, struct line *line) {
    if (**text == '\0') {
        return false;
    }
    line->at = *text;
    line->length = strcspn(*text, "\n");
    line->columns = count_columns(line->at, line->length);
    char last = line->length > 0 ? line->at[line->length - 1] : ' ';
    line->number = last >= '0' && last <= '9';
    *text += line->length + ((*text)[line->length] == '\n' ? 1 : 0);
    return true;
}

static bool starts(const struct line *line, const char *text) {
    return line->length >= strlen(text) && memcmp(line->at, text, strlen(text)) == 0;
}

static const struct {
    const char *line;
    const char *unit;
    int rows;  /* that end with a number */
    bool tiny; /* so small that digits are added: only the points are in one column */
} tables[] = {
    {"mem --model llama-2-7b --lang en", "GB", 6, false},
    {"mem --model llama-2-7b --lang zh", "GB", 6, false},
    {"mem --model llama-2-7b --lang en --unit gib", "GiB", 6, false},
    {"mem --model llama-2-7b --lang zh --unit gib", "GiB", 6, false},
    {"mem --params 7B --lang en", "GB", 5, false}, /* activations are a dash */
    {"mem --params 7B --lang zh", "GB", 5, false},
    {"mem --params 7B --lang zh --convention megatron", "GB", 4, false}, /* buffers too */
    {"mem --params 1152921504606846975 --lang zh", "GB", 5, false},
    {"mem --params 1 --lang zh", "GB", 5, true},
    {"mem --model llama-2-70b --pp 8 --tp 8 --lang zh --gpu a100-sxm-80gb", "GB", 6, false},
    {"mem --model gpt2 --attention standard --dropout --lang zh", "GB", 6, false},
};

START_TEST(the_numbers_of_mem_end_at_one_column) {
    struct run r;
    struct line line;
    expect_good(&r, tables[_i].line, NULL);
    const char *text = r.out;
    int right = 0, rows = 0, point = 0;
    while (next_line(&text, &line)) {
        size_t unit = strlen(tables[_i].unit);
        bool head = line.length > unit && line.at[line.length - unit - 1] == ' ' &&
                    memcmp(line.at + line.length - unit, tables[_i].unit, unit) == 0;
        if (head && right == 0) {
            right = line.columns;
        } else if (right > 0 && line.number) {
            point = point == 0 ? point_column(&line) : point;
            bool aligned = tables[_i].tiny ? point_column(&line) == point : line.columns == right;
            ck_assert_msg(aligned, "%s: %.*s\n%s", tables[_i].line, (int)line.length, line.at,
                          r.out);
            rows++;
        } else if (right > 0 && line.length == 0) {
            break; /* the table has ended */
        } else if (starts(&line, "─")) {
            ck_assert_int_eq(line.columns, right);
        }
    }
    ck_assert_msg(rows == tables[_i].rows, "%s: %d rows\n%s", tables[_i].line, rows, r.out);
    run_free(&r);
}
END_TEST

static const char *const params_lines[] = {
    "params --model llama-2-7b --lang en",     "params --model llama-2-7b --lang zh",
    "params --model gpt2 --lang zh",           "params --params 7B --lang zh",
    "params --model llama-3.1-405b --lang zh",
};

START_TEST(the_numbers_of_params_end_at_one_column) {
    struct run r;
    struct line line;
    expect_good(&r, params_lines[_i], NULL);
    const char *text = r.out;
    int right = 0;
    while (next_line(&text, &line)) {
        right = right == 0 ? line.columns : right;
        ck_assert_msg(line.number && line.columns == right, "%s:\n%s", params_lines[_i], r.out);
    }
    ck_assert_int_gt(right, 0);
    run_free(&r);
}
END_TEST

/* Every command that answers, for what holds for all of them. */
static const char *const every[] = {
    "--help",
    "--version",
    "mem --help",
    "params --help",
    "comm --help",
    "format --help",
    "pipe --help",
    "allreduce --help",
    "overflow --help",
    "flops --help",
    "plan --help",
    "lesson --help",
    "bench --help",
    "doctor --help",
    "mem --params 7B",
    "mem --model llama-2-7b --explain",
    "params --model gpt2",
    "comm --model mixtral-8x7b --gpu h100-sxm-80gb --tp 2 --dp 8 --ep 4 --explain --grid 3",
    "format --type fp16 0.1 65520",
    "format --type e2m1 --block nvfp4 1",
    "pipe --stages 2 --micro-batches 2",
    "pipe --stages 2 --micro-batches 2 --gantt --explain",
    "overflow --experiment range",
    "flops --model gpt2 --gpu h100-sxm-80gb --recompute full",
    "plan --model gpt2 --gpu h100-sxm-80gb --gpus 4 --global-batch 8",
    "lesson list",
    "lesson show memory",
    "doctor",
    "mem --params 7B --json",
    "doctor --json",
    "lesson list --json",
    "lesson show memory --json",
};

static const char *const colour_wanted[] = {"TERM=xterm-256color", "COLORTERM=truecolor",
                                            "CLICOLOR_FORCE=1", "FORCE_COLOR=1", NULL};
static const char *const no_colour[] = {"TERM=xterm-256color", "NO_COLOR=1", NULL};

START_TEST(a_pipe_gets_words_and_no_escapes) {
    static const char *const languages[] = {"en", "zh"};
    const struct run_options with = {.environment = colour_wanted};
    const struct run_options without = {.environment = no_colour};
    for (int i = 0; i < 2; i++) {
        struct run r, plain;
        char line[128];
        (void)snprintf(line, sizeof line, "%s --lang %s", every[_i], languages[i]);
        expect_good(&r, line, &with);
        expect_harmless(line, r.out);
        ck_assert_msg(r.out[r.out_length - 1] == '\n', "%s: no newline at the end", line);
        expect_good(&plain, line, &without);
        /* doctor tells of NO_COLOR itself */
        ck_assert(strncmp(line, "doctor", 6) == 0 || strcmp(r.out, plain.out) == 0);
        run_free(&r);
        run_free(&plain);
    }
}
END_TEST

/* No line of plain text has an id in place of a word, and the text speaks the language. */
START_TEST(every_word_is_there_in_both_languages) {
    for (int zh = 0; zh <= 1; zh++) {
        struct run r;
        char line[128];
        bool foreign = false;
        (void)snprintf(line, sizeof line, "%s --lang %s", every[_i], zh ? "zh" : "en");
        expect_good(&r, line, NULL);
        static const char *const ids[] = {
            "cli.",  "option.", "term.",       "group.",    "part.",       "view.",
            "note.", "error.",  "comm.",       "params.",   "collective.", "plan.",
            "pipe.", "lesson.", "convention.", "overflow.", "doctor."};
        for (size_t i = 0; i < sizeof ids / sizeof ids[0]; i++) {
            for (const char *at = strstr(r.out, ids[i]); at != NULL; at = strstr(at + 1, ids[i])) {
                /* "…error. Then": a sentence may end with such a word; an id goes on */
                ck_assert_msg(strchr(" \n)", at[strlen(ids[i])]) != NULL, "%s: %.30s", line, at);
            }
        }
        for (const char *at = r.out; *at != '\0';) {
            long c = expect_code_point(&at);
            foreign = foreign || (c >= 0x4E00 && c <= 0x9FFF);
        }
        bool wordless =
            strncmp(line, "--version", 9) == 0 || strstr(line, "mem --params 7B --json");
        bool english_only = strncmp(line, "doctor --json", 13) == 0;
        ck_assert_msg(foreign == (zh == 1 && !english_only) || wordless, "%s:\n%s", line, r.out);
        run_free(&r);
    }
}
END_TEST

static const struct {
    const char *name, *environment[5];
    bool chinese;
} locales[] = {
    {"LANG", {"LANG=zh_CN.UTF-8", NULL}, true},
    {"LC_MESSAGES over LANG", {"LANG=zh_CN.UTF-8", "LC_MESSAGES=en_US.UTF-8", NULL}, false},
    {"LC_ALL over all", {"LANG=C", "LC_MESSAGES=C", "LC_ALL=zh_TW.UTF-8", NULL}, true},
    {"empty counts nothing", {"LC_ALL=", "LC_MESSAGES=", "LANG=zh_CN.UTF-8", NULL}, true},
    {"C", {"LC_ALL=C", NULL}, false},
    {"none", {"LANG", "LC_ALL", "LC_MESSAGES", NULL}, false},
    {"zh without UTF-8", {"LC_ALL=zh_CN.GB18030", NULL}, true},
};

START_TEST(the_locale_chooses_the_language) {
    struct run r;
    const struct run_options o = {.environment = locales[_i].environment};
    expect_good(&r, "mem --params 7B", &o);
    ck_assert_msg((strstr(r.out, "权重") != NULL) == locales[_i].chinese, "%s:\n%s",
                  locales[_i].name, r.out);
    run_free(&r);
    expect_good(&r, "mem --params 7B --lang en", &o);
    ck_assert_msg(strstr(r.out, "weights") != NULL, "%s: --lang en wins", locales[_i].name);
    run_free(&r);
}
END_TEST

START_TEST(that_bytes_are_allocated_bytes_is_said_once) {
    static const char *const said[] = {"nvidia-smi", "--lang en", "--lang zh"};
    for (int i = 1; i <= 2; i++) {
        struct run r;
        char line[64];
        (void)snprintf(line, sizeof line, "mem --model llama-2-7b %s", said[i]);
        expect_good(&r, line, NULL);
        const char *first = strstr(r.out, said[0]);
        ck_assert_msg(first != NULL && strstr(first + 1, said[0]) == NULL, "%s", r.out);
        run_free(&r);
    }
}
END_TEST

/* 112 GB are 104.31 GiB; explanations carry the learner's own numbers. */
static const struct {
    const char *line, *text;
} said[] = {
    {"mem --params 7B", "112.00"},
    {"mem --params 7B --unit gb", "112.00"},
    {"mem --params 7B --unit gib", "104.31"},
    {"mem --params 7B --unit=gib --memory 80GiB", "24.31"},
    {"mem --model llama-2-7b", "llama-2-7b  6,738,415,616"},
    {"mem --model llama-2-7b --explain", "12 × 6,738,415,616 = 80,860,987,392"},
    {"mem --model llama-2-7b --explain", "arXiv:1910.02054"},
    {"mem --model llama-2-7b --pp 4 --stage 3", "stage 3 (stages 0 to 3)"},
    {"params --model llama-2-7b", "6,738,415,616"},
    {"--version", "shardlab 0."},
    {"mem --help", "--layers-per-stage"},
    {"mem --help", "zero-paper|megatron|deepspeed"},
    {"params --help", "--model NAME"},
    {"--help", "shardlab doctor"},
};

START_TEST(the_text_says_it) {
    struct run r;
    expect_good(&r, said[_i].line, NULL);
    ck_assert_msg(strstr(r.out, said[_i].text) != NULL, "%s: no \"%s\" in\n%s", said[_i].line,
                  said[_i].text, r.out);
    run_free(&r);
}
END_TEST

static Suite *suite(void) {
    Suite *s = suite_create("text of the command line");
    TCase *t = tcase_create("text");
    tcase_add_loop_test(t, the_numbers_of_mem_end_at_one_column, 0,
                        sizeof tables / sizeof tables[0]);
    tcase_add_loop_test(t, the_numbers_of_params_end_at_one_column, 0,
                        sizeof params_lines / sizeof params_lines[0]);
    tcase_add_loop_test(t, a_pipe_gets_words_and_no_escapes, 0, sizeof every / sizeof every[0]);
    tcase_add_loop_test(t, every_word_is_there_in_both_languages, 0,
                        sizeof every / sizeof every[0]);
    tcase_add_loop_test(t, the_locale_chooses_the_language, 0, sizeof locales / sizeof locales[0]);
    tcase_add_test(t, that_bytes_are_allocated_bytes_is_said_once);
    tcase_add_loop_test(t, the_text_says_it, 0, sizeof said / sizeof said[0]);
    suite_add_tcase(s, t);
    return s;
}

#include "support/check_main.h"
