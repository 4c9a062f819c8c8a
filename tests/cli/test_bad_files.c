/* Files that a person names: --config and `lesson check`. Whatever stands there, one line names the file, the place
 * in it and what would be right; status 1, stdout empty, and nothing of the file reaches the terminal unfiltered. */
#define _DEFAULT_SOURCE
#include <check.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/expect.h"

static char folder[RUN_PATH_MAX];

static void make_folder(void) {
    folder_make(folder, TEST_BINARY_DIR);
}

static void remove_folder(void) {
    folder_remove(folder);
}

#define LLAMA                                                                                      \
    "\"model_type\": \"llama\", \"hidden_size\": 64, \"num_hidden_layers\": 2, "                   \
    "\"num_attention_heads\": 4, \"intermediate_size\": 128, \"vocab_size\": 100"

/* What stands in a config.json, and what the line names after "FILE:", separated by '|'. */
static const struct {
    const char *name, *text, *names;
} configs[] = {
    {"empty", "", ":"},
    {"blank", " \n\t\n", ":"},
    {"cut in an object", "{", ":1:2:"},
    {"cut in a text", "{\"model_type\": \"lla", ":1:20:"},
    {"cut on a later line", "{\n  \"hidden_size\": 64,\n", ":3:1:"},
    {"no JSON", "hidden_size: 64\n", ":1:1:"},
    {"comma too many", "{\"hidden_size\": 64,}", ":1:20:"},
    {"text after the end", "{} x", ":1:4:"},
    {"a list", "[1, 2]", "{"},
    {"a number", "12", "{"},
    {"not UTF-8", "{\"model_type\": \"ll\xff\"}", ":1:19:|UTF-8"},
    {"no architecture", "{}", "model_type|llama"},
    {"null architecture", "{\"model_type\": null}", "model_type|llama"},
    {"unknown architecture", "{\"model_type\": \"mamba\"}", "model_type|\"mamba\"|llama|gemma2"},
    {"architecture of a wrong type", "{\"model_type\": 7}", "model_type|7"},
    {"text for a number", "{" LLAMA ", \"num_key_value_heads\": \"two\"}",
     "num_key_value_heads|\"two\"|1"},
    {"list for a number", "{\"model_type\": \"llama\", \"hidden_size\": [64]}", "hidden_size"},
    {"object for a number", "{\"model_type\": \"llama\", \"hidden_size\": {\"a\": 1}}",
     "hidden_size"},
    {"negative", "{\"model_type\": \"llama\", \"hidden_size\": -64}", "hidden_size|-64|1"},
    {"zero", "{\"model_type\": \"llama\", \"hidden_size\": 0}", "hidden_size|0|1"},
    {"fraction", "{\"model_type\": \"llama\", \"hidden_size\": 64.5}", "hidden_size|64.5"},
    {"10^30", "{\"model_type\": \"llama\", \"hidden_size\": 1e30}", "hidden_size|1e+30"},
    {"10^400", "{\"model_type\": \"llama\", \"hidden_size\": 1e400}", "hidden_size"},
    {"past 2^64", "{\"model_type\": \"llama\", \"hidden_size\": 18446744073709551616}",
     "hidden_size"},
    {"number for a switch", "{" LLAMA ", \"tie_word_embeddings\": 1}",
     "tie_word_embeddings|1|true"},
    {"heads that do not divide",
     "{\"model_type\": \"llama\", \"hidden_size\": 65, "
     "\"num_attention_heads\": 4}",
     "num_attention_heads|4|65|head_dim"},
    {"escapes in a value", "{\"model_type\": \"\\u001b]0;title\\u0007\"}", "model_type|llama"},
    {"C1 escapes in a value", "{\"model_type\": \"\\u009b31m\"}", "model_type|llama"},
    {"raw escape", "{\"model_type\": \"\033[31m\"}", ":1:17:"},
    {"line break in a value", "{\"model_type\": \"a\\nshardlab: mem: all is well\"}", "model_type"},
};

static char *config_path(char path[RUN_PATH_MAX]) {
    return folder_path(path, folder, "config.json");
}

/* Every command with a model refuses the file, in both languages; the sentence begins with its name. */
static void expect_file_refused(const char *path, const char *names) {
    static const char *const commands[] = {"mem", "params"};
    for (int i = 0; i < 4; i++) {
        const char *command = commands[i / 2];
        const char *argv[] = {command, "--config", path, "--lang", i % 2 == 0 ? "en" : "zh", NULL};
        char prefix[RUN_PATH_MAX + 32];
        struct run r;
        (void)snprintf(prefix, sizeof prefix, "shardlab: %s: %s:", command, path);
        expect_refused(&r, argv, 1, prefix);
        ck_assert_msg(strstr(r.err + strlen(prefix), path) == NULL, "the file twice: %s", r.err);
        expect_names(r.err + strlen(prefix) - 1, names);
        run_free(&r);
    }
}

START_TEST(a_config_that_cannot_be_names_file_and_place) {
    char path[RUN_PATH_MAX];
    file_write(config_path(path), configs[_i].text, strlen(configs[_i].text));
    expect_file_refused(path, configs[_i].names);
}
END_TEST

START_TEST(two_hundred_thousand_brackets_are_refused) {
    enum { BRACKETS = 200000 };
    static char text[BRACKETS * 5];
    char path[RUN_PATH_MAX];
    memset(text, '[', BRACKETS);
    file_write(config_path(path), text, BRACKETS);
    expect_file_refused(path, ":1:");
    for (int i = 0; i < BRACKETS; i++) {
        memcpy(text + (size_t)i * 5, "{\"a\":", 5);
    }
    file_write(path, text, sizeof text);
    expect_file_refused(path, ":1:");
}
END_TEST

START_TEST(a_zero_byte_is_refused) {
    static const char text[] = "{\"model_type\":\0 \"llama\"}";
    char path[RUN_PATH_MAX];
    file_write(config_path(path), text, sizeof text - 1);
    expect_file_refused(path, ":1:15:");
}
END_TEST

START_TEST(seventeen_mebibytes_are_refused) {
    const size_t size = (size_t)17 << 20;
    char path[RUN_PATH_MAX];
    char *text = malloc(size);
    ck_assert_ptr_nonnull(text);
    memset(text, ' ', size);
    text[0] = '{';
    text[size - 1] = '}';
    file_write(config_path(path), text, size);
    free(text);
    expect_file_refused(path, "16,777,216");
}
END_TEST

START_TEST(what_is_no_file_is_refused_without_waiting) {
    char path[RUN_PATH_MAX], loop[RUN_PATH_MAX];
    expect_file_refused(folder, ":");
    expect_file_refused(folder_path(path, folder, "missing.json"), ":");
    expect_file_refused(folder_path(path, folder, "missing/config.json"), ":");
    ck_assert_int_eq(mkfifo(folder_path(path, folder, "fifo"), 0600), 0);
    expect_file_refused(path, ":");
    ck_assert_int_eq(symlink(folder_path(loop, folder, "loop"), loop), 0);
    expect_file_refused(loop, ":");
    expect_file_refused("/dev/zero", ":");
    expect_file_refused("/dev/null", ":");
    expect_file_refused("/dev/stdin", ":");
}
END_TEST

/* A file may be called anything; its name is shown without what a terminal would obey. */
static const char *const names[] = {
    "\033[31mred.json", "line\nbreak.json", "bell\a.json", "\xff\xfe.json", "\xc2\x9b.json",
    "-dash.json",       "a b.json",         "中文.json",   "%s%n.json",     "{0}{1}.json",
};

START_TEST(a_strange_name_is_harmless) {
    char path[RUN_PATH_MAX];
    static const char good[] = "{" LLAMA "}";
    struct run r;
    folder_path(path, folder, names[_i]);
    const char *missing[] = {"mem", "--config", path, NULL};
    expect_refused(&r, missing, 1, "shardlab: mem: ");
    run_free(&r);
    file_write(path, "{", 1);
    expect_refused(&r, missing, 1, "shardlab: mem: ");
    run_free(&r);
    file_write(path, good, sizeof good - 1);
    for (int json = 0; json <= 1; json++) {
        const char *argv[] = {"mem", "--config", path, json ? "--json" : "--explain", NULL};
        run_shardlab(&r, argv, NULL);
        ck_assert_msg(r.status == 0 && r.err_length == 0, "%s", r.err);
        expect_harmless(path, r.out);
        size_t where = 0;
        ck_assert(!json || json_answer_fault(r.out, r.out_length, &where) == NULL);
        run_free(&r);
    }
}
END_TEST

/* Given options win over the file, and what was assumed for it is listed. */
START_TEST(a_good_config_is_read_and_its_assumptions_are_listed) {
    static const char text[] = "\xEF\xBB\xBF{" LLAMA "}\n";
    char path[RUN_PATH_MAX];
    struct run r;
    file_write(config_path(path), text, sizeof text - 1);
    ck_assert_int_eq(chdir(folder), 0);
    expect_json(&r, "params --json --config config.json", NULL);
    ck_assert_int_gt(json_count(json_at(r.out, "assumed")), 0);
    ck_assert_ptr_nonnull(strstr(r.out, "num_key_value_heads=4"));
    run_free(&r);
    expect_json(&r, "mem --layers 3 --json --config config.json", NULL);
    ck_assert_uint_eq(json_digits(r.out, "scenario.layers"), 3);
    ck_assert_uint_eq(json_digits(r.out, "scenario.hidden"), 64);
    run_free(&r);
    expect_good(&r, "mem --lang zh --config config.json", NULL);
    ck_assert_ptr_nonnull(strstr(r.out, "num_key_value_heads=4"));
    run_free(&r);
}
END_TEST

START_TEST(two_sources_of_the_model_are_refused) {
    char path[RUN_PATH_MAX];
    static const char text[] = "{" LLAMA "}";
    struct run r;
    file_write(config_path(path), text, sizeof text - 1);
    const char *argv[] = {"mem", "--config", path, "--model", "gpt2", NULL};
    expect_refused(&r, argv, 2, "shardlab: mem: ");
    expect_names(r.err, "--model|--config");
    run_free(&r);
}
END_TEST

/* Damaged lessons: text, and the line that is named. */
static const struct {
    const char *name, *text, *place;
} lessons[] = {
    {"empty", "", ": "},
    {"no page", "words only\n", ":1:1: "},
    {"words before the first page", "\nwords\n\n# Page\n", ":2:1: "},
    {"no heading at all", "> quote\n", ":1:3: "},
    {"only blank lines", "\n\n", ":1:1: "},
    {"HTML", "# Page\n\nmore <b>bold</b>\n", ":3:6: "},
    {"an image", "# Page\n\ntext\n\n![a](b.png)\n", ":5:3: "},
    {"a table", "# Page\n\n| a | b |\n|---|---|\n| 1 | 2 |\n", ":3:3: "},
    {"a figure that is not closed", "# Page\n\n\xE4\xB8\xAD {{a and\n\nmore }}\n", ":3:3: "},
    {"a figure in a figure", "# Page\n\nfirst {{a {{b}}\n", ":3:7: "},
    {"a figure without a name", "# Page\n\n{{}}\n", ":3:1: "},
    {"a control character", "# Page\n\nbell \a\n", ":3:6: "},
    {"a C1 control character", "# Page\n\nab\xC2\x85\n", ":3:3: "},
    {"a link to no term", "# Page\n\n[a](glossary:shard)\n[b](glossary:sherd)\n", ":4:5: "},
    {"not UTF-8", "# Page\n\nw\xff\n", ":3:2:"},
    {"a link to no lesson", "# Page\n\n[a](lesson:memory)\n\n\xE4\xB8\xAD [b](lesson:memroy)\n",
     ":5:7: "},
    {"a link to no term", "# Page\n\n[a](glossary:shard), [b](glossary:sharf)\n", ":3:26: "},
    {"a link to no page", "# Page\n\n[a](lesson:memory#99)\n", ":3:5: "},
    {"a link elsewhere", "# Page\n\ntext [a][1]\n\n[1]: https://example.org\n", ":1:1: "},
};

START_TEST(a_damaged_lesson_names_file_and_line) {
    char path[RUN_PATH_MAX], prefix[RUN_PATH_MAX + 32];
    folder_path(path, folder, "lesson.md");
    file_write(path, lessons[_i].text, strlen(lessons[_i].text));
    for (int zh = 0; zh <= 1; zh++) {
        struct run r;
        const char *argv[] = {"lesson", "check", path, "--lang", zh ? "zh" : "en", NULL};
        (void)snprintf(prefix, sizeof prefix, "shardlab: lesson: %s%s", path, lessons[_i].place);
        expect_refused(&r, argv, 1, prefix);
        run_free(&r);
    }
}
END_TEST

START_TEST(no_file_no_lesson) {
    char path[RUN_PATH_MAX];
    static const char *const places[] = {"", "missing.md", "missing/lesson.md"};
    for (size_t i = 0; i < sizeof places / sizeof places[0]; i++) {
        struct run r;
        const char *argv[] = {"lesson", "check", folder_path(path, folder, places[i]), NULL};
        expect_refused(&r, argv, 1, "shardlab: lesson: ");
        ck_assert_ptr_nonnull(strstr(r.err, path));
        run_free(&r);
    }
}
END_TEST

static Suite *suite(void) {
    Suite *s = suite_create("files that a person names");
    TCase *t = tcase_create("files");
    tcase_add_unchecked_fixture(t, make_folder, remove_folder);
    tcase_add_loop_test(t, a_config_that_cannot_be_names_file_and_place, 0,
                        sizeof configs / sizeof configs[0]);
    tcase_add_test(t, two_hundred_thousand_brackets_are_refused);
    tcase_add_test(t, a_zero_byte_is_refused);
    tcase_add_test(t, seventeen_mebibytes_are_refused);
    tcase_add_test(t, what_is_no_file_is_refused_without_waiting);
    tcase_add_loop_test(t, a_strange_name_is_harmless, 0, sizeof names / sizeof names[0]);
    tcase_add_test(t, a_good_config_is_read_and_its_assumptions_are_listed);
    tcase_add_test(t, two_sources_of_the_model_are_refused);
    tcase_add_loop_test(t, a_damaged_lesson_names_file_and_line, 0,
                        sizeof lessons / sizeof lessons[0]);
    tcase_add_test(t, no_file_no_lesson);
    suite_add_tcase(s, t);
    return s;
}

#include "support/check_main.h"
