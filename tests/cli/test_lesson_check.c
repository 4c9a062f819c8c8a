/* `lesson check` on the files of a lesson's folder: held against the lesson, whose figures they may ask for, and against
 * the twin in the other language. Folders of the real names are made beside the tests. */
#define _POSIX_C_SOURCE 200809L

#include <check.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/expect.h"

static char base[RUN_PATH_MAX], folder[RUN_PATH_MAX];

static void make_folders(void) {
    folder_make(base, TEST_BINARY_DIR);
    ck_assert_int_eq(mkdir(folder_path(folder, base, "10_memory"), 0777), 0);
}

static void remove_folders(void) {
    folder_remove(folder);
    folder_remove(base);
}

static void write_twins(const char *en, const char *zh) {
    char path[RUN_PATH_MAX];
    file_write(folder_path(path, folder, "en.md"), en, strlen(en));
    file_write(folder_path(path, folder, "zh.md"), zh, strlen(zh));
}

static const struct {
    const char *name, *en, *zh, *file, *place, *named; /* place NULL: nothing is wrong */
} cases[] = {
    {"good", "# A\n\n{{total}}\n", "# 甲\n\n{{total}}\n", "en.md", NULL, "good"},
    {"a figure of no lesson", "# A\n\nso {{totl}}\n", "# 甲\n", "en.md", ":3:4: ", "totl"},
    {"a figure of no lesson, in Chinese", "# A\n", "# 甲\n\n共 {{totl}}\n", "zh.md",
     ":3:3: ", "totl"},
    {"a page more", "# A\n\nx\n\n# B\n", "# 甲\n", "en.md", ":5:1: ", "zh.md"},
    {"a page less", "# A\n\nx\n", "# 甲\n\n# 乙\n", "en.md", ":1:1: ", "zh.md"},
    {"a page more in Chinese", "# A\n", "# 甲\n\n# 乙\n", "zh.md", ":3:1: ", "en.md"},
};

START_TEST(a_file_of_a_lesson_is_held_against_lesson_and_twin) {
    char path[RUN_PATH_MAX], prefix[RUN_PATH_MAX + 64];
    struct run r;
    write_twins(cases[_i].en, cases[_i].zh);
    const char *argv[] = {"lesson", "check", folder_path(path, folder, cases[_i].file), NULL};
    if (cases[_i].place == NULL) {
        run_shardlab(&r, argv, NULL);
        ck_assert_msg(r.status == 0, "%s", r.err);
        run_free(&r);
        return;
    }
    (void)snprintf(prefix, sizeof prefix, "shardlab: lesson: %s%s", path, cases[_i].place);
    expect_refused(&r, argv, 1, prefix);
    ck_assert_msg(strstr(r.err, cases[_i].named) != NULL, "%s", r.err);
    run_free(&r);
}
END_TEST

/* Without the folder of a lesson nobody knows its figures, and a file alone has no twin. */
START_TEST(a_file_of_no_lesson_is_checked_as_it_stands) {
    char path[RUN_PATH_MAX];
    struct run r;
    file_write(folder_path(path, base, "draft.md"), "# A\n\n{{anything}}\n", 18);
    const char *argv[] = {"lesson", "check", path, NULL};
    run_shardlab(&r, argv, NULL);
    ck_assert_msg(r.status == 0, "%s", r.err);
    run_free(&r);
}
END_TEST

static Suite *suite(void) {
    Suite *s = suite_create("lesson check");
    TCase *t = tcase_create("folders");
    tcase_add_unchecked_fixture(t, make_folders, remove_folders);
    tcase_add_loop_test(t, a_file_of_a_lesson_is_held_against_lesson_and_twin, 0,
                        (int)(sizeof cases / sizeof cases[0]));
    tcase_add_test(t, a_file_of_no_lesson_is_checked_as_it_stands);
    suite_add_tcase(s, t);
    return s;
}

#include "support/check_main.h"
