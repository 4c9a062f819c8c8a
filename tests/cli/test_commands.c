/* The commands around the calculators: lesson, doctor, help, version; and what happens to output that cannot be
 * written, or that nobody reads. */
#include <check.h>
#include <stdio.h>

#include "cli/expect.h"
#include "shardlab/lesson/lesson.h"

/* --- Help and version --- */

START_TEST(help_names_every_option_once_with_a_sentence) {
    static const char *const options[] = {
        "--model NAME",
        "--config FILE",
        "--params N",
        "--layers N",
        "--gated / --no-gated",
        "--tied / --untied",
        "--zero N",
        "--dp N",
        "--pad-vocab N",
        "--memory BYTES",
        "--precision fp32|fp16|bf16|fp8",
        "--seq N",
        ("--schedule 1f1b|gpipe|interleaved|looped-bfs|zb-h1|zb-h2|zb-interleaved|zb-v|dualpipe|"
         "dualpipev|chimera"),
    };
    struct run r;
    expect_good(&r, _i == 0 ? "mem --help --lang en" : "params --lang zh --help", &expect_wide);
    for (size_t i = 0; i < sizeof options / sizeof options[0]; i++) {
        char needle[128];
        (void)snprintf(needle, sizeof needle, "\n  %s", options[i]);
        const char *at = strstr(r.out, needle);
        ck_assert_msg(at != NULL, "no%s in\n%s", needle, r.out);
        ck_assert_msg(strstr(at + 1, needle) == NULL, "%s twice", needle);
        at += strlen(needle);
        ck_assert_msg(*at == ' ' || *at == '\n', "more than%s", needle);
        at += strspn(at, " \n");
        ck_assert_msg(strcspn(at, "\n") > 8, "no sentence for%s", needle);
    }
    run_free(&r);
}
END_TEST

START_TEST(help_wins_over_values_that_cannot_be_resolved) {
    struct run r;
    expect_good(&r, "mem --tp 6 --help", NULL);
    run_free(&r);
    expect_good(&r, "--help", NULL);
    expect_names(r.out, "shardlab mem|shardlab params|shardlab lesson|shardlab doctor");
    run_free(&r);
    expect_good(&r, "--lang zh --help", NULL);
    run_free(&r);
}
END_TEST

START_TEST(version_is_one_line) {
    struct run r;
    expect_good(&r, "--version", NULL);
    ck_assert_int_eq(expect_lines(r.out), 1);
    ck_assert_int_eq(strncmp(r.out, "shardlab ", 9), 0);
    run_free(&r);
}
END_TEST

/* --- Lesson --- */

START_TEST(lessons_are_listed_with_title_and_pages) {
    struct run r;
    expect_json(&r, "lesson list --json", NULL);
    ck_assert_int_eq(json_count(json_at(r.out, "lessons")), lesson_count());
    ck_assert(json_is(json_at(r.out, "lessons[0].id"), "\"start\""));
    ck_assert(json_is(json_at(r.out, "lessons[1].id"), "\"memory\""));
    ck_assert_uint_ge(json_digits(r.out, "lessons[1].pages"), 5);
    ck_assert_int_eq(json_at(r.out, "lessons[1].title").kind, JSON_KIND_STRING);
    run_free(&r);
    expect_good(&r, "lesson", NULL);
    expect_names(r.out, "memory|Memory");
    run_free(&r);
    expect_good(&r, "lesson list --lang zh", NULL);
    expect_names(r.out, "memory|显存");
    run_free(&r);
}
END_TEST

START_TEST(all_pages_are_the_pages_one_by_one) {
    const struct lesson *lesson = lesson_at(_i / 2);
    struct run all, one;
    size_t at = 0;
    char line[64];
    const char *language = _i % 2 == 0 ? "en" : "zh";
    (void)snprintf(line, sizeof line, "lesson show %s --lang %s", lesson->id, language);
    expect_good(&all, line, NULL);
    for (int page = 1; page <= lesson->page_count; page++) {
        (void)snprintf(line, sizeof line, "lesson show %s --page %d --lang %s", lesson->id, page,
                       language);
        expect_good(&one, line, NULL);
        ck_assert_msg(strncmp(all.out + at, one.out, one.out_length) == 0, "page %d", page);
        ck_assert_msg(strstr(one.out, "{{") == NULL, "a figure without a number:\n%s", one.out);
        at += one.out_length;
        run_free(&one);
    }
    ck_assert_uint_eq(at, all.out_length);
    run_free(&all);
}
END_TEST

START_TEST(pages_as_json_hold_the_same_text) {
    struct run r;
    expect_json(&r, "lesson show memory --json --lang zh", NULL);
    ck_assert(json_is(json_at(r.out, "id"), "\"memory\""));
    ck_assert_int_eq(json_count(json_at(r.out, "pages")), 6);
    ck_assert_uint_eq(json_digits(r.out, "pages[5].page"), 6);
    run_free(&r);
    expect_json(&r, "lesson show memory --json --page 2", NULL);
    ck_assert_int_eq(json_count(json_at(r.out, "pages")), 1);
    ck_assert_uint_eq(json_digits(r.out, "pages[0].page"), 2);
    run_free(&r);
}
END_TEST

/* In the order in which a learner would meet them. */
START_TEST(a_question_stands_before_the_picture_with_its_answer) {
    static const char *const parts[] = {
        "What one parameter costs",   "Guess first: 6.74B parameters",
        "\n  1  13.48 GB\n",          "\n  4  161.72 GB\n",
        "\nAnswer: 3, 107.81 GB.\n",  "107.81 GB: Weights, gradients and",
        "13.48 GB: Only the weights", "One GPU"};
    struct run r;
    expect_good(&r, "lesson show memory --page 2 --lang en", NULL);
    const char *at = r.out;
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
        const char *found = strstr(at, parts[i]);
        ck_assert_msg(found != NULL, "not there, or before its turn: %s\n%s", parts[i], r.out);
        at = found + 1;
    }
    run_free(&r);
    expect_good(&r, "lesson show collectives --page 2 --lang zh", NULL);
    ck_assert_ptr_nonnull(strstr(r.out, "先猜一猜"));
    ck_assert_ptr_nonnull(strstr(r.out, "答案：2，6,000,000 字节"));
    run_free(&r);
}
END_TEST

/* Every lesson that there is, in both languages. */
START_TEST(our_own_lessons_are_good) {
    const struct lesson *lesson = lesson_at(_i);
    char files[2][512];
    struct run r;
    (void)snprintf(files[0], sizeof files[0], TEST_SOURCE_DIR "/../lessons/%s/en.md",
                   lesson->folder);
    (void)snprintf(files[1], sizeof files[1], TEST_SOURCE_DIR "/../lessons/%s/zh.md",
                   lesson->folder);
    const char *text[] = {"lesson", "check", files[0], files[1], NULL};
    run_shardlab(&r, text, NULL);
    ck_assert_msg(r.status == 0, "%s", r.err);
    ck_assert_int_eq(expect_lines(r.out), 2);
    run_free(&r);
    const char *json[] = {"lesson", "check", files[0], files[1], "--json", NULL};
    size_t where = 0;
    run_shardlab(&r, json, NULL);
    ck_assert_ptr_null(json_answer_fault(r.out, r.out_length, &where));
    ck_assert_uint_eq(json_digits(r.out, "files[0].pages"), (uint64_t)lesson->page_count);
    ck_assert_uint_eq(json_digits(r.out, "files[1].pages"), (uint64_t)lesson->page_count);
    run_free(&r);
}
END_TEST

static const struct {
    const char *line, *names;
} lesson_refusals[] = {
    {"lesson shwo memory", "shwo|list|show|check"},
    {"lesson show", "start"},
    {"lesson show pipelines", "pipelines|pipeline"},
    {"lesson show memroy", "memroy|memory"},
    {"lesson show memory twice", "twice"},
    {"lesson list all", "all"},
    {"lesson check", "FILE"},
    {"lesson show memory --page 0", "0|1|6"},
    {"lesson show memory --page 7", "7|1|6"},
    {"lesson show memory --page x", "x"},
    {"lesson show memory --page -1", "-1"},
    {"lesson show ../../etc/passwd", "../../etc/passwd"},
};

START_TEST(a_wrong_lesson_command_says_what_is_right) {
    struct expect_words words;
    for (int zh = 0; zh <= 1; zh++) {
        struct run r;
        char line[128];
        (void)snprintf(line, sizeof line, "%s --lang %s", lesson_refusals[_i].line,
                       zh ? "zh" : "en");
        expect_refused(&r, expect_split(&words, line), 2, "shardlab: lesson: ");
        expect_names(r.err, lesson_refusals[_i].names);
        run_free(&r);
    }
}
END_TEST

/* --- Doctor --- */

/* An environment, and the finding of that name in it. */
static const struct {
    const char *environment[3], *name, *ok, *seen;
} findings[] = {
    {{"TERM=xterm-256color", NULL}, "term", "true", "\"xterm-256color\""},
    {{"TERM=dumb", NULL}, "term", "false", "\"dumb\""},
    {{"TERM", NULL}, "term", "false", "\"-\""},
    {{"LC_ALL=C", NULL}, "charset", "false", NULL},
    {{"LC_ALL=C.UTF-8", NULL}, "charset", "true", "\"UTF-8\""},
    {{"LC_ALL=no_SUCH", NULL}, "charset", "false", "\"?\""},
    {{"NO_COLOR=1", NULL}, "colour", "true", "\"NO_COLOR\""},
    {{"NO_COLOR", NULL}, "colour", "true", "\"auto\""},
    {{NULL}, "terminal", "false", NULL},
    {{NULL}, "size", "false", NULL},
};

START_TEST(doctor_sees_the_environment) {
    struct run r;
    const struct run_options o = {.environment = findings[_i].environment};
    expect_json(&r, "doctor --json", &o);
    bool found = false;
    for (int i = 0; i < json_count(json_at(r.out, "lines")); i++) {
        char path[32], name[32];
        (void)snprintf(path, sizeof path, "lines[%d].name", i);
        (void)snprintf(name, sizeof name, "\"%s\"", findings[_i].name);
        if (!json_is(json_at(r.out, path), name)) {
            continue;
        }
        found = true;
        (void)snprintf(path, sizeof path, "lines[%d].ok", i);
        ck_assert_msg(json_is(json_at(r.out, path), findings[_i].ok), "%s: %s", name, r.out);
        (void)snprintf(path, sizeof path, "lines[%d].seen", i);
        bool seen = findings[_i].seen == NULL || json_is(json_at(r.out, path), findings[_i].seen);
        ck_assert_msg(seen, "%s: %s", name, r.out);
    }
    ck_assert_msg(found, "%s: %s", findings[_i].name, r.out);
    run_free(&r);
}
END_TEST

START_TEST(doctor_offers_a_remedy_and_obeys_no_environment) {
    static const char *const bad[] = {"TERM=\033[31mx\033]0;t\a", "LC_ALL=C", NULL};
    const struct run_options o = {.environment = bad};
    struct run r;
    expect_good(&r, "doctor --lang en", &o);
    expect_harmless("doctor", r.out);
    expect_names(r.out, "LC_ALL=C.UTF-8|80x24");
    run_free(&r);
}
END_TEST

/* --- Where the output goes --- */

static const char *const writers[] = {
    "--version",
    "--help",
    "mem --params 7B",
    "mem --params 7B --json",
    "params --model gpt2",
    "lesson show memory",
    "doctor",
    "mem --help",
};

START_TEST(output_that_cannot_be_written_is_told) {
    const struct run_options full = {.stdout_path = "/dev/full"};
    struct expect_words words;
    struct run r;
    run_shardlab(&r, expect_split(&words, writers[_i]), &full);
    ck_assert_msg(r.status == 1, "%s: status %d", writers[_i], r.status);
    ck_assert_msg(expect_lines(r.err) == 1, "%s: %s", writers[_i], r.err);
    ck_assert_int_eq(strncmp(r.err, "shardlab: ", 10), 0);
    run_free(&r);
}
END_TEST

START_TEST(nobody_who_reads_is_no_news) {
    enum { BY_SIGPIPE = 128 + 13 };
    struct expect_words words;
    struct run r;
    const struct run_options gone = {.closed_pipe = true};
    const struct run_options ignoring = {.closed_pipe = true, .ignore_sigpipe = true};
    run_shardlab(&r, expect_split(&words, writers[_i]), &gone);
    ck_assert_msg(r.err_length == 0, "%s: %s", writers[_i], r.err);
    ck_assert_int_eq(r.status, BY_SIGPIPE);
    run_free(&r);
    run_shardlab(&r, expect_split(&words, writers[_i]), &ignoring);
    ck_assert_msg(r.err_length == 0, "%s: %s", writers[_i], r.err);
    ck_assert_int_eq(r.status, 1);
    run_free(&r);
}
END_TEST

START_TEST(a_damaged_installation_is_told) {
    static const char *const nowhere[] = {"SHARDLAB_DATA=/nonexistent/place", NULL};
    const struct run_options o = {.environment = nowhere};
    struct expect_words words;
    struct run r;
    run_shardlab(&r, expect_split(&words, "mem --params 7B"), &o);
    ck_assert_int_eq(r.status, 1);
    ck_assert_uint_eq(r.out_length, 0);
    ck_assert_msg(expect_lines(r.err) == 1 && strstr(r.err, "/nonexistent/place: ") != NULL, "%s",
                  r.err);
    run_free(&r);
}
END_TEST

static Suite *suite(void) {
    Suite *s = suite_create("commands");
    TCase *t = tcase_create("commands");
    tcase_add_loop_test(t, help_names_every_option_once_with_a_sentence, 0, 2);
    tcase_add_test(t, help_wins_over_values_that_cannot_be_resolved);
    tcase_add_test(t, version_is_one_line);
    tcase_add_test(t, lessons_are_listed_with_title_and_pages);
    tcase_add_loop_test(t, all_pages_are_the_pages_one_by_one, 0, 2 * lesson_count());
    tcase_add_test(t, pages_as_json_hold_the_same_text);
    tcase_add_test(t, a_question_stands_before_the_picture_with_its_answer);
    tcase_add_loop_test(t, our_own_lessons_are_good, 0, lesson_count());
    tcase_add_loop_test(t, a_wrong_lesson_command_says_what_is_right, 0,
                        sizeof lesson_refusals / sizeof lesson_refusals[0]);
    tcase_add_loop_test(t, doctor_sees_the_environment, 0, sizeof findings / sizeof findings[0]);
    tcase_add_test(t, doctor_offers_a_remedy_and_obeys_no_environment);
    tcase_add_loop_test(t, output_that_cannot_be_written_is_told, 0,
                        sizeof writers / sizeof writers[0]);
    tcase_add_loop_test(t, nobody_who_reads_is_no_news, 0, sizeof writers / sizeof writers[0]);
    tcase_add_test(t, a_damaged_installation_is_told);
    suite_add_tcase(s, t);
    return s;
}

#include "support/check_main.h"
