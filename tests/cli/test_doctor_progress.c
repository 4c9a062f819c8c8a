/* `shardlab doctor` says where progress is kept, how much of it there is and what to do when more cannot be saved. */
#define _POSIX_C_SOURCE 200809L
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/expect.h"
#include "shardlab/store/progress.h"

static char folder[RUN_PATH_MAX], path[RUN_PATH_MAX], setting[2 * RUN_PATH_MAX];
static const char *environment[] = {setting, "COLUMNS=1000", "XDG_DATA_HOME", NULL, NULL};
static const struct run_options here = {.environment = environment};

static void here_make(void) {
    folder_make(folder, TEST_BINARY_DIR);
    (void)folder_path(path, folder, "progress.db");
    (void)snprintf(setting, sizeof setting, "SHARDLAB_PROGRESS=%s", path);
    environment[3] = NULL;
}

static void here_remove(void) {
    folder_remove(folder);
}

/* A log of so many answers and one setting. */
static void answers_make(int count) {
    struct progress *p = NULL;
    struct message why;
    struct progress_event e = {
        .kind = PROGRESS_SETTING, .utc_s = 1700000000, .item = "budget-cards", .text = "20"};
    ck_assert_int_eq(progress_open(path, &p, &why), STATUS_OK);
    ck_assert_int_eq(progress_append(p, &e, &why), STATUS_OK);
    e.kind = PROGRESS_ANSWER;
    for (int i = 0; i < count; i++) {
        ck_assert_int_eq(progress_append(p, &e, &why), STATUS_OK);
    }
    progress_close(p);
}

static void expect_line(const char *names) {
    struct run r;
    expect_good(&r, "doctor --lang en", &here);
    expect_names(r.out, names);
    expect_harmless("doctor", r.out);
    run_free(&r);
}

/* The line of the JSON. */
static void expect_fields(const char *ok, const char *seen, const char *answers) {
    struct run r;
    char at[32], quoted[2 * RUN_PATH_MAX];
    bool found = false;
    (void)snprintf(quoted, sizeof quoted, "\"%s\"", seen);
    expect_json(&r, "doctor --json", &here);
    for (int i = 0; i < json_count(json_at(r.out, "lines")); i++) {
        (void)snprintf(at, sizeof at, "lines[%d].name", i);
        if (!json_is(json_at(r.out, at), "\"progress\"")) {
            continue;
        }
        found = true;
        (void)snprintf(at, sizeof at, "lines[%d].ok", i);
        ck_assert_msg(json_is(json_at(r.out, at), ok), "%s", r.out);
        (void)snprintf(at, sizeof at, "lines[%d].seen", i);
        ck_assert_msg(json_is(json_at(r.out, at), quoted), "%s", r.out);
        (void)snprintf(at, sizeof at, "lines[%d].answers", i);
        ck_assert_msg(json_is(json_at(r.out, at), answers), "%s", r.out);
    }
    ck_assert_msg(found, "%s", r.out);
    run_free(&r);
}

START_TEST(no_log_yet_is_well_and_none_is_made) {
    expect_line("ok   progress|progress.db,|answers: 0");
    expect_fields("true", path, "0");
    ck_assert_int_ne(access(path, F_OK), 0);
}
END_TEST

START_TEST(answers_are_counted_and_other_events_are_not) {
    answers_make(3);
    expect_line("ok   progress|progress.db,|answers: 3");
    expect_fields("true", path, "3");
}
END_TEST

START_TEST(a_place_that_is_none_is_a_line_with_its_remedy) {
    ck_assert_int_eq(mkdir(path, 0700), 0);
    expect_line("--   progress|is a folder|SHARDLAB_PROGRESS");
    expect_fields("false", path, "0");
}
END_TEST

START_TEST(a_damaged_log_is_a_line_with_its_remedy) {
    static const char words[] = "not a database, but long enough to be taken for one\n";
    char many[20 * sizeof words] = "";
    for (int i = 0; i < 20; i++) {
        (void)strcat(many, words);
    }
    file_write(path, many, strlen(many));
    expect_line("--   progress|is damaged|SHARDLAB_PROGRESS");
    expect_fields("false", path, "0");
}
END_TEST

START_TEST(no_home_is_a_line_with_its_remedy) {
    (void)snprintf(setting, sizeof setting, "SHARDLAB_PROGRESS");
    environment[3] = "HOME";
    expect_line("--   progress|HOME|SHARDLAB_PROGRESS");
    expect_fields("false", "", "0");
}
END_TEST

static Suite *suite(void) {
    Suite *s = suite_create("cli.doctor_progress");
    TCase *c = tcase_create("doctor_progress");
    tcase_add_checked_fixture(c, here_make, here_remove);
    tcase_add_test(c, no_log_yet_is_well_and_none_is_made);
    tcase_add_test(c, answers_are_counted_and_other_events_are_not);
    tcase_add_test(c, a_place_that_is_none_is_a_line_with_its_remedy);
    tcase_add_test(c, a_damaged_log_is_a_line_with_its_remedy);
    tcase_add_test(c, no_home_is_a_line_with_its_remedy);
    suite_add_tcase(s, c);
    return s;
}

#include "support/check_main.h"
