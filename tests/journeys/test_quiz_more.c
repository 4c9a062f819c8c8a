/* What the key line and the sentences of a sitting offer: only what the question in front has. By keys alone, in both
 * languages. */
#define _POSIX_C_SOURCE 200809L
#include <check.h>

#include "support/drive.h"
#include "support/quiz_solve.h"

static struct drive d;
static struct solve s;
static char path[BANK_PATH_MAX];
static struct words words;

static void open_at(const char *name, bool chinese) {
    struct app_options options = {.chinese = chinese, .progress = path, .clock = bank_clock};
    struct message why;
    bank_open(name);
    bank_log(name, path);
    solve_open(&s, path);
    ck_assert(drive_open(&d, 24, 200, &options));
    ck_assert_int_eq(store_words(s.store, chinese, &words, &why), STATUS_OK);
}

static void shut(void) {
    drive_close(&d);
    solve_close(&s);
}

static void keys(const char *names) {
    ck_assert(drive_keys(&d, names));
}

static void see_id(const char *id) {
    ck_assert_msg(drive_shows(&d, words_get(&words, id)), "not there: %s\n%s", id, d.text);
}

/* The last row: " f follow up". */
static bool offers(const char *key, const char *name) {
    char id[96], hint[128];
    snprintf(id, sizeof id, "action.%s.short", name);
    snprintf(hint, sizeof hint, " %s %s", key, words_get(&words, id));
    const char *row = d.text + strlen(d.text) - 1;
    while (row > d.text && row[-1] != '\n') {
        row--;
    }
    return strstr(row, hint) != NULL;
}

static void reach(enum question_kind kind) {
    ck_assert(solve_look(&s));
    while (s.attempt.question->kind != kind) {
        enum question_kind now = s.attempt.question->kind;
        keys(now == QUESTION_CHOICE || now == QUESTION_ORDER ? "s" : "Ctrl-K");
        ck_assert(solve_look(&s));
    }
}

static void answer(void) {
    char press[SOLVE_KEYS_MAX];
    solve_keys(&s, press);
    keys(press);
}

START_TEST(only_what_a_question_has_is_offered) {
    open_at("offer", _i == 1);
    keys("x");
    reach(QUESTION_CHOICE);
    ck_assert(s.attempt.question->follow_count > 0);
    ck_assert(!offers("o", "calculator"));
    answer();
    ck_assert(offers("f", "follow-up"));
    ck_assert(offers("1-4", "rate"));
    ck_assert(offers("u", "answer-undo"));
    keys("Enter");
    reach(QUESTION_NUMBER);
    ck_assert(s.attempt.question->follow_count == 0);
    ck_assert(offers("Ctrl-R", "calculator-typing"));
    answer();
    ck_assert(offers("o", "calculator"));
    ck_assert(!offers("f", "follow-up"));
    keys("f");
    see_id("sitting.no_follow"); /* a key that is pressed all the same is answered */
    shut();
}
END_TEST

START_TEST(an_interview_offers_no_way_back) {
    open_at("offer_mock", _i == 1);
    keys("End End Up Enter Enter");
    for (int i = 0; i < 8 && !drive_shows(&d, words_get(&words, "mock.over")); i++) {
        bank_pass(50000);
        keys("Ctrl-X x");
        ck_assert(offers("Enter", "question-next"));
        ck_assert(!offers("1-4", "rate"));
        ck_assert(!offers("f", "follow-up"));
        ck_assert(!offers("u", "answer-undo"));
        keys("2");
        see_id("mock.unrated");
        keys("Enter");
        ck_assert(!offers("s", "skip"));
    }
    see_id("mock.over");
    ck_assert(offers("y", "report-copy"));
    ck_assert(!offers("u", "answer-undo"));
    keys("u");
    see_id("mock.forward");
    ck_assert_int_eq(solve_events(&s, PROGRESS_UNDO), 0);
    shut();
}
END_TEST

static Suite *suite(void) {
    Suite *made = suite_create("quiz-more");
    TCase *t = tcase_create("offered");
    tcase_set_timeout(t, 60);
    tcase_add_loop_test(t, only_what_a_question_has_is_offered, 0, 2);
    tcase_add_loop_test(t, an_interview_offers_no_way_back, 0, 2);
    suite_add_tcase(made, t);
    return made;
}

#include "support/check_main.h"
