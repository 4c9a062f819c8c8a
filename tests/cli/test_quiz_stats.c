/* `shardlab quiz stats`: a log that a test writes, and the figures that are counted from it by hand; no log; logs that cannot
 * be read. */
#define _XOPEN_SOURCE 700

#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "shardlab/store/progress.h"
#include "support/quiz_list.h"

static char folder[RUN_PATH_MAX], path[RUN_PATH_MAX], variable[RUN_PATH_MAX + 32];
static const char *environment[] = {variable, "TZ=UTC0", "COLUMNS=80", NULL};
static const struct run_options with_log = {.environment = environment};

static void make(void) {
    folder_make(folder, TEST_BINARY_DIR);
    folder_path(path, folder, "progress.db");
    (void)snprintf(variable, sizeof variable, "SHARDLAB_PROGRESS=%s", path);
}

static void remove_all(void) {
    folder_remove(folder);
}

static void append(struct progress *log, struct progress_event event, const char *item) {
    struct message why;
    (void)snprintf(event.item, sizeof event.item, "%s", item);
    event.scheduler = 6;
    ck_assert_msg(progress_append(log, &event, &why) == STATUS_OK, "%s", why.id);
}

static struct progress_event answer(int64_t days_ago, int rating, int64_t took_ms) {
    return (struct progress_event){.utc_s = (int64_t)time(NULL) - days_ago * 86400,
                                   .kind = PROGRESS_ANSWER,
                                   .rating = rating,
                                   .right = rating > 1,
                                   .took_ms = took_ms};
}

/* Two questions of `memory` answered three and two days ago, one of `zero` today; the day begins half a day from now. */
static void write_log(void) {
    struct progress *log = NULL;
    struct message why;
    struct progress_event hour = {.utc_s = (int64_t)time(NULL), .kind = PROGRESS_SETTING};
    cJSON *all = quiz_ask_json("quiz list --json");
    const cJSON *q = NULL;
    const char *memory[2] = {NULL, NULL}, *zero = NULL;
    cJSON_ArrayForEach(q, quiz_list_of(all, "questions")) {
        bool of_memory = strcmp(quiz_member(q, "lesson"), "memory") == 0;
        memory[1] = of_memory && memory[0] != NULL ? quiz_member(q, "id") : memory[1];
        memory[0] = of_memory && memory[0] == NULL ? quiz_member(q, "id") : memory[0];
        zero = strcmp(quiz_member(q, "lesson"), "zero") == 0 ? quiz_member(q, "id") : zero;
    }
    ck_assert(memory[1] != NULL && zero != NULL);
    ck_assert_int_eq(progress_open(path, &log, &why), STATUS_OK);
    (void)snprintf(hour.text, sizeof hour.text, "%d", (int)((hour.utc_s / 3600 + 12) % 24));
    append(log, hour, "rollover-hour");
    (void)snprintf(hour.text, sizeof hour.text, "9999-12-24");
    append(log, hour, "interview");
    append(log, answer(3, 3, 5000), memory[0]);
    append(log, answer(3, 1, 9000), memory[1]);
    append(log, answer(1, 3, 7000), memory[1]); /* two days after a miss */
    append(log, answer(0, 4, 6000), zero);
    append(log, answer(0, 3, 1000), "memory.no.such.question");
    progress_close(log);
    cJSON_Delete(all);
}

static cJSON *stats(void) {
    struct run r;
    expect_json(&r, "quiz stats --json --lang en", &with_log);
    cJSON *tree = cJSON_Parse(r.out);
    ck_assert_ptr_nonnull(tree);
    run_free(&r);
    return tree;
}

START_TEST(figures_are_those_that_are_counted_from_the_log) {
    write_log();
    cJSON *s = stats();
    ck_assert_str_eq(quiz_member(s, "log"), path);
    ck_assert_double_eq(quiz_real(s, "answers"), 4);
    ck_assert_double_eq(quiz_real(s, "right"), 3);
    ck_assert_double_eq(quiz_real(s, "right_share"), 0.75);
    ck_assert_double_eq(quiz_real(s, "answers_today"), 1);
    ck_assert_double_eq(quiz_real(s, "learned"), 3);
    ck_assert_double_eq(quiz_real(s, "new"), quiz_real(s, "questions") - 3);
    ck_assert_double_eq(quiz_real(s, "streak_days"), 2);
    ck_assert_double_eq(quiz_real(s, "median_s"), 6);
    /* The first was Good three days ago, so it was due yesterday. The second was missed then, with 0.212 days of
     * stability; Good two days later, it is not due today. By hand, (1 + 0.980346 × 2 / 0.212)^-0.1542 = 0.69848. */
    ck_assert_double_eq(quiz_real(s, "due_today"), 1);
    ck_assert_double_eq(quiz_real(s, "again_today"), 1);
    ck_assert_double_eq(quiz_real(s, "new_today"), 7); /* of eight a day; one was answered today */
    ck_assert_double_eq(quiz_real(s, "measured_reviews"), 1);
    ck_assert_double_eq(quiz_real(s, "measured_recall"), 1);
    ck_assert_double_eq_tol(quiz_real(s, "predicted_recall"), 0.69848, 0.00001);
    const cJSON *days = quiz_list_of(s, "answers_by_day");
    static const int by_day[] = {1, 1, 0, 2, 0};
    ck_assert_int_eq(cJSON_GetArraySize(days), 30);
    for (int i = 0; i < 5; i++) {
        ck_assert_double_eq(cJSON_GetArrayItem(days, i)->valuedouble, by_day[i]);
    }
    ck_assert_int_eq(cJSON_GetArraySize(quiz_list_of(s, "due_by_day")), 30);
    ck_assert_int_eq(cJSON_GetArraySize(quiz_list_of(s, "notes")), 0);
    ck_assert_str_eq(quiz_member(quiz_list_of(s, "settings"), "interview"), "9999-12-24");
    cJSON_Delete(s);
}
END_TEST

START_TEST(lessons_add_up_to_the_whole) {
    write_log();
    cJSON *s = stats();
    const cJSON *lesson = NULL;
    double answers = 0, questions = 0, due = 0;
    cJSON_ArrayForEach(lesson, quiz_list_of(s, "lessons")) {
        answers += quiz_real(lesson, "answers");
        questions += quiz_real(lesson, "questions");
        due += quiz_real(lesson, "due_today");
        bool memory = strcmp(quiz_member(lesson, "lesson"), "memory") == 0;
        bool zero = strcmp(quiz_member(lesson, "lesson"), "zero") == 0;
        ck_assert_double_eq(quiz_real(lesson, "learned"), memory ? 2 : zero ? 1 : 0);
        ck_assert_int_eq(cJSON_IsNull(quiz_list_of(lesson, "expected_recall")), !memory && !zero);
    }
    ck_assert_double_eq(answers, quiz_real(s, "answers"));
    ck_assert_double_eq(questions, quiz_real(s, "questions"));
    ck_assert_double_eq(due, quiz_real(s, "due_today"));
    cJSON_Delete(s);
}
END_TEST

START_TEST(people_read_the_same_in_both_languages) {
    struct run r;
    write_log();
    expect_good(&r, "quiz stats --lang en", &with_log);
    expect_names(r.out, "4, 75 % right|1 again, 7 new|Due in seven days|memory|zero|9999-12-24|100 "
                        "% of 1|70 % of them");
    expect_harmless("quiz stats", r.out);
    run_free(&r);
    expect_good(&r, "quiz stats --lang zh", &with_log);
    expect_names(r.out, "4 次，答对 75 %|今后七天到期|memory|课程");
    ck_assert(strstr(r.out, "stats.") == NULL);
    run_free(&r);
}
END_TEST

START_TEST(no_log_is_said_and_is_no_failure) {
    struct run r;
    struct stat info;
    expect_good(&r, "quiz stats --lang en", &with_log);
    expect_names(r.out, "No answers");
    expect_names(r.out, path);
    run_free(&r);
    cJSON *s = stats();
    ck_assert_double_eq(quiz_real(s, "answers"), 0);
    ck_assert(cJSON_IsNull(quiz_list_of(s, "right_share")));
    ck_assert(cJSON_IsNull(quiz_list_of(s, "expected_recall")));
    ck_assert(cJSON_IsNull(quiz_list_of(s, "median_s")));
    ck_assert_int_eq(cJSON_GetArraySize(quiz_list_of(s, "notes")), 1);
    cJSON_Delete(s);
    ck_assert_int_ne(stat(path, &info), 0); /* and none is made */
}
END_TEST

START_TEST(a_log_that_cannot_be_read_is_a_failure_that_names_it) {
    static const char *const line[] = {"quiz", "stats", "--lang", "en", NULL};
    struct run r;
    char rubbish[4096];
    memset(rubbish, 'x', sizeof rubbish);
    file_write(path, rubbish, sizeof rubbish);
    expect_refused_with(&r, line, 1, "shardlab: quiz: ", &with_log);
    expect_names(r.err, path);
    run_free(&r);
}
END_TEST

static const struct {
    const char *line, *named;
} refused[] = {
    {"quiz stats memory", "memory"},
    {"quiz stats --lesson memory", "--lesson|stats"},
    {"quiz stats --seed 3", "--seed|stats"},
};

START_TEST(what_would_change_nothing_is_refused) {
    struct run r;
    struct expect_words words;
    expect_refused_with(&r, expect_split(&words, refused[_i].line), 2,
                        "shardlab: quiz: ", &with_log);
    expect_names(r.err, refused[_i].named);
    run_free(&r);
}
END_TEST

static Suite *suite(void) {
    Suite *suite = suite_create("quiz_stats");
    TCase *tests = tcase_create("quiz_stats");
    tcase_set_timeout(tests, 120);
    tcase_add_checked_fixture(tests, make, remove_all);
    tcase_add_test(tests, figures_are_those_that_are_counted_from_the_log);
    tcase_add_test(tests, lessons_add_up_to_the_whole);
    tcase_add_test(tests, people_read_the_same_in_both_languages);
    tcase_add_test(tests, no_log_is_said_and_is_no_failure);
    tcase_add_test(tests, a_log_that_cannot_be_read_is_a_failure_that_names_it);
    tcase_add_loop_test(tests, what_would_change_nothing_is_refused, 0,
                        (int)(sizeof refused / sizeof refused[0]));
    suite_add_tcase(suite, tests);
    return suite;
}

#include "support/check_main.h"
