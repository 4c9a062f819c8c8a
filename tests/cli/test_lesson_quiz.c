/* `lesson check` on quiz files: what the file itself cannot tell is held against the program, its lessons, pages, makers
 * and questions; and the files that ship are good. */
#define _POSIX_C_SOURCE 200809L

#include <check.h>
#include <glob.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "cli/expect.h"

enum { QUIZ_MAX = 4096 };

static char base[RUN_PATH_MAX], folder[RUN_PATH_MAX];

static void make_folders(void) {
    folder_make(base, TEST_BINARY_DIR);
    ck_assert_int_eq(mkdir(folder_path(folder, base, "10_memory"), 0777), 0);
}

static void remove_folders(void) {
    folder_remove(folder);
    folder_remove(base);
}

/* A question without numbers, of which one place is filled in anew. */
static const char frame[] =
    "{\"questions\": [{\"id\": \"%s\", \"kind\": \"recall\", \"page\": %s, \"level\": 1, "
    "\"topic\": \"MA-01\", \"stem\": {\"en\": \"Tell.\", \"zh\": \"说说。\"}, \"parts\": ["
    "{\"en\": \"a\", \"zh\": \"甲\"}, {\"en\": \"b\", \"zh\": \"%s\"}, {\"en\": \"c\", \"zh\": "
    "\"丙\"}], \"explain\": {\"en\": \"so\", \"zh\": \"所以\"}, \"follow\": [%s]}]}\n";

static const struct {
    const char *id, *page, *text, *follow;
    const char *place, *named; /* place NULL: nothing is wrong */
} cases[] = {
    {"memory.tell", "1", "乙", "", NULL, ""},
    {"memory.tell", "1", "乙", "\"memory.states.largest\"", "follow: ", "memory.states.largest"},
    {"memory.tell", "1", "乙", "\"zero.no-such\"", "follow: ", "zero.no-such"},
    {"memory.tell", "1", "乙", "\"nowhere.at-all\"", "follow: ", "nowhere.at-all"},
    {"memory.tell", "1", "乙", "\"pipeline.bubble\"", "follow: ", "pipeline.bubble"},
    {"memory.tell", "99", "乙", "", "page: ", "99"},
    {"memory.tell", "1", "{{bytes}}", "", "parts[1].zh: ", "bytes"},
    {"zero.tell", "1", "乙", "", "id: ", "memory"},
};

static void write_case(char path[RUN_PATH_MAX], const char *where, int i) {
    char text[QUIZ_MAX];
    int length = snprintf(text, sizeof text, frame, cases[i].id, cases[i].page, cases[i].text,
                          cases[i].follow);
    file_write(folder_path(path, where, "quiz.json"), text, (size_t)length);
}

START_TEST(a_quiz_is_held_against_its_lesson) {
    char path[RUN_PATH_MAX], prefix[RUN_PATH_MAX + 64];
    struct run r;
    write_case(path, folder, _i);
    for (int zh = 0; zh <= 1; zh++) {
        const char *argv[] = {"lesson", "check", path, "--lang", zh ? "zh" : "en", NULL};
        if (cases[_i].place == NULL) {
            run_shardlab(&r, argv, NULL);
            ck_assert_msg(r.status == 0, "%s", r.err);
        } else {
            (void)snprintf(prefix, sizeof prefix, "shardlab: lesson: %s: questions[0].%s", path,
                           zh ? "" : cases[_i].place);
            expect_refused(&r, argv, 1, prefix);
            ck_assert_msg(strstr(r.err, cases[_i].named) != NULL, "%s", r.err);
        }
        run_free(&r);
    }
}
END_TEST

/* Wherever it lies, the ids say whose questions these are. */
START_TEST(a_quiz_in_no_folder_says_its_lesson_itself) {
    char path[RUN_PATH_MAX];
    struct run r;
    write_case(path, base, 7);
    const char *argv[] = {"lesson", "check", path, "--json", NULL};
    run_shardlab(&r, argv, NULL);
    ck_assert_msg(r.status == 0, "%s", r.err);
    ck_assert_uint_eq(json_digits(r.out, "files[0].questions"), 1);
    run_free(&r);
}
END_TEST

static const struct {
    const char *name, *text, *place;
} whole[] = {
    {"a lesson that is none",
     "{\"questions\": [{\"id\": \"memroy.a\", \"kind\": \"recall\", \"page\": 1, \"level\": 1, "
     "\"topic\": \"MA-01\", \"stem\": {\"en\": \"T\", \"zh\": \"说\"}, \"parts\": [{\"en\": \"a\", "
     "\"zh\": \"甲\"}, {\"en\": \"b\", \"zh\": \"乙\"}, {\"en\": \"c\", \"zh\": \"丙\"}], "
     "\"explain\": {\"en\": \"s\", \"zh\": \"故\"}}]}",
     ": questions[0].id: there is no lesson memroy; "},
    {"a number that nobody computes",
     "{\"questions\": [{\"id\": \"memory.no-such-number\", \"kind\": \"number\", \"page\": 1, "
     "\"level\": 1, \"topic\": \"MA-01\", \"stem\": {\"en\": \"T\", \"zh\": \"说\"}, \"hints\": "
     "[{\"en\": \"a\", \"zh\": \"甲\"}]}]}",
     ": questions[0].id: memory.no-such-number "},
    {"a mistake that no number is",
     "{\"questions\": [{\"id\": \"collectives.ring.bytes\", \"kind\": \"number\", \"page\": 1, "
     "\"level\": 1, \"topic\": \"MA-01\", \"stem\": {\"en\": \"T\", \"zh\": \"说\"}, \"parts\": "
     "[{\"id\": \"half\", \"en\": \"a\", \"zh\": \"甲\"}, {\"id\": \"once\", \"en\": \"b\", "
     "\"zh\": \"乙\"}, {\"id\": \"twice\", \"en\": \"c\", \"zh\": \"丙\"}, {\"id\": "
     "\"everyone\", \"en\": \"d\", \"zh\": \"丁\"}, {\"id\": \"nobody\", \"en\": \"e\", "
     "\"zh\": \"戊\"}], \"hints\": [{\"en\": \"a\", \"zh\": \"甲\"}]}]}",
     ": questions[0].parts: nobody "},
    {"a mistake without words",
     "{\"questions\": [{\"id\": \"collectives.ring.bytes\", \"kind\": \"number\", \"page\": 1, "
     "\"level\": 1, \"topic\": \"MA-01\", \"stem\": {\"en\": \"T\", \"zh\": \"说\"}, \"hints\": "
     "[{\"en\": \"a\", \"zh\": \"甲\"}]}]}",
     ": questions[0].parts: the maker knows the mistake half, "},
    {"a wrong value", "{\"questions\": [{\"id\": \"Memory\"}]}", ": questions[0].id: Memory "},
    {"syntax", "{\"questions\": [\n{\"id\" 3}]}", ":2:7: "},
    {"nothing asked", "{\"questions\": []}", ": questions: "},
};

/* Also under a name that says nothing. */
START_TEST(a_file_that_begins_as_json_is_a_quiz) {
    char path[RUN_PATH_MAX], prefix[RUN_PATH_MAX + 128];
    struct run r;
    folder_path(path, base, _i % 2 == 0 ? "draft.json" : "draft");
    file_write(path, whole[_i].text, strlen(whole[_i].text));
    const char *argv[] = {"lesson", "check", path, NULL};
    (void)snprintf(prefix, sizeof prefix, "shardlab: lesson: %s%s", path, whole[_i].place);
    expect_refused(&r, argv, 1, prefix);
    run_free(&r);
}
END_TEST

START_TEST(the_quiz_files_that_ship_are_good) {
    glob_t files;
    ck_assert_int_eq(glob(TEST_SOURCE_DIR "/../lessons/*/quiz.json", 0, NULL, &files), 0);
    for (size_t i = 0; i < files.gl_pathc; i++) {
        struct run r;
        const char *argv[] = {"lesson", "check", files.gl_pathv[i], NULL};
        run_shardlab(&r, argv, NULL);
        ck_assert_msg(r.status == 0, "%s", r.err);
        run_free(&r);
    }
    ck_assert_uint_gt(files.gl_pathc, 0);
    globfree(&files);
}
END_TEST

static Suite *suite(void) {
    Suite *s = suite_create("lesson quiz");
    TCase *t = tcase_create("files");
    tcase_add_unchecked_fixture(t, make_folders, remove_folders);
    tcase_add_loop_test(t, a_quiz_is_held_against_its_lesson, 0,
                        (int)(sizeof cases / sizeof cases[0]));
    tcase_add_test(t, a_quiz_in_no_folder_says_its_lesson_itself);
    tcase_add_loop_test(t, a_file_that_begins_as_json_is_a_quiz, 0,
                        (int)(sizeof whole / sizeof whole[0]));
    tcase_add_test(t, the_quiz_files_that_ship_are_good);
    suite_add_tcase(s, t);
    return s;
}

#include "support/check_main.h"
