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

/* All of a sentence of the status row, whose lines are put together again; false: it is cut. */
static bool is_whole(const char *sentence) {
    static char joined[sizeof d.text];
    size_t length = 0;
    for (const char *at = d.text; *at != '\0'; at++) {
        bool blank = *at == ' ' || *at == '\n';
        if (!blank) {
            joined[length++] = *at;
        }
    }
    joined[length] = '\0';
    char packed[1024];
    size_t used = 0;
    for (const char *at = sentence; *at != '\0'; at++) {
        if (*at != ' ') {
            packed[used++] = *at;
        }
    }
    packed[used] = '\0';
    return strstr(joined, packed) != NULL;
}

static void whole(const char *id, const char *arg) {
    char text[1024];
    struct message m;
    struct writer w;
    writer_start(&w, text, sizeof text);
    message_start(&m, id);
    message_add_text(&m, arg);
    words_write(&w, &words, &m);
    ck_assert_msg(is_whole(text), "cut: %s\n%s", text, d.text);
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

START_TEST(three_options_are_a_to_c_and_enter_first_wants_one) {
    open_at("options", _i == 1);
    keys("x");
    reach(QUESTION_CHOICE);
    ck_assert_int_eq(s.attempt.question->part_count, 3);
    ck_assert(offers("a-c", "option"));
    keys("Enter");
    see_id("sitting.point_first");
    ck_assert_int_eq(solve_events(&s, PROGRESS_ANSWER), 0);
    drive_resize(&d, 12, 40);
    whole("sitting.point_first", "");
    shut();
}
END_TEST

/* What stands behind the place to type on: the unit, or nothing. */
static bool wants_unit(void) {
    const char *line = strstr(d.text, "[____]");
    ck_assert_msg(line != NULL, "%s", d.text);
    line += strlen("[____]");
    return line[strspn(line, " ")] != '\n';
}

START_TEST(a_plain_count_is_not_asked_for_with_a_unit) {
    struct app_options options = {.chinese = _i == 1, .progress = "", .clock = bank_clock};
    int counts = 0, units = 0;
    open_at("counts", _i == 1); /* for its words */
    drive_close(&d);
    ck_assert_int_eq(setenv("SHARDLAB_DATA", TEST_SOURCE_DIR "/..", 1), 0);
    ck_assert(drive_open(&d, 24, 200, &options));
    keys("open:tensor-parallel x");
    while (!drive_shows(&d, words_get(&words, "sitting.done"))) {
        bool count = drive_shows(&d, words_get(&words, "sitting.how.count"));
        bool unit = drive_shows(&d, words_get(&words, "sitting.how.number"));
        counts += count ? 1 : 0;
        units += unit ? 1 : 0;
        if (count || unit) {
            ck_assert_msg(wants_unit() == unit, "%s", d.text);
        }
        keys(offers("s", "skip") ? "s" : "Ctrl-K");
    }
    ck_assert_int_gt(counts, 0);
    ck_assert_int_gt(units, 0);
    shut();
}
END_TEST

START_TEST(a_page_opened_from_a_question_names_its_way_back) {
    open_at("way", _i == 1);
    keys("x");
    reach(QUESTION_CHOICE);
    keys("t");
    see_id("sitting.way_back");
    ck_assert(offers("Backspace", "return-question"));
    ck_assert(!offers("Backspace", "return"));
    keys("Space BackTab Enter"); /* a link is followed: now that is where it leads */
    ck_assert(offers("Backspace", "return"));
    keys("Backspace");
    ck_assert(offers("Backspace", "return-question"));
    keys("Backspace");
    see_id("sitting.how.choice");
    shut();
}
END_TEST

static void see(const char *text) {
    ck_assert_msg(drive_shows(&d, text), "not there: %s\n%s", text, d.text);
}

/* Of a lesson: what is put off does not come again that day before its others were asked. */
START_TEST(what_is_put_off_stays_so_when_practice_begins_again) {
    open_at("put_off", _i == 1);
    keys("open:collectives x");
    see("1/5");
    keys("s");
    see_id("sitting.skipped");
    see("1/4");
    keys("Ctrl-K s");
    drive_close(&d);
    struct app_options options = {.chinese = _i == 1, .progress = path, .clock = bank_clock};
    ck_assert(drive_open(&d, 24, 200, &options));
    int put_off = solve_events(&s, PROGRESS_SKIP);
    char text[64];
    snprintf(text, sizeof text, "1/%d", 5 - put_off);
    keys("open:collectives x");
    see(text);
    while (!drive_shows(&d, words_get(&words, "sitting.done"))) {
        keys(offers("s", "skip") ? "s" : "Ctrl-K");
    }
    see(_i == 1 ? "推迟到明天：5 道。" : "Put off until tomorrow: 5.");
    keys("Esc open:collectives x");
    see("1/5"); /* all were put off: whoever asks for them once more gets them */
    shut();
}
END_TEST

START_TEST(one_that_is_never_asked_again_does_not_end_the_practice_of_the_others) {
    open_at("suspended", _i == 1);
    keys("open:collectives x");
    see("1/5");
    keys("z s");
    while (!drive_shows(&d, words_get(&words, "sitting.done"))) {
        keys(offers("s", "skip") ? "s" : "Ctrl-K");
    }
    keys("Esc open:collectives x");
    see("1/4");
    shut();
}
END_TEST

START_TEST(a_sentence_that_does_not_fit_its_row_takes_more) {
    open_at("whole", _i == 1);
    keys("x");
    reach(QUESTION_NUMBER);
    drive_resize(&d, 14, 44);
    keys("n o n e Enter");
    whole("error.answer.number", "none");
    see("[none]"); /* what was typed stays in sight */
    keys("Esc End End Enter Enter t o m o r r o w Enter");
    whole("error.day.date", "tomorrow");
    shut();
}
END_TEST

START_TEST(an_unsaved_answer_says_why_before_it_says_where) {
    open_at("reason", _i == 1);
    drive_close(&d);
    struct app_options options = {.chinese = _i == 1, .clock = bank_clock};
    options.progress =
        "/proc/none/a-folder-with-a-name-so-long-that-nothing-else-fits-into-the-row/p.db";
    ck_assert(drive_open(&d, 14, 44, &options));
    keys("x s");
    ck_assert(!drive_shows(&d, "a-folder-with-a-name"));
    ck_assert_msg(is_whole("SHARDLAB_PROGRESS"), "%s", d.text);
    shut();
}
END_TEST

static Suite *suite(void) {
    Suite *made = suite_create("quiz-more");
    TCase *t = tcase_create("offered");
    tcase_set_timeout(t, 60);
    tcase_add_loop_test(t, only_what_a_question_has_is_offered, 0, 2);
    tcase_add_loop_test(t, an_interview_offers_no_way_back, 0, 2);
    tcase_add_loop_test(t, three_options_are_a_to_c_and_enter_first_wants_one, 0, 2);
    tcase_add_loop_test(t, a_plain_count_is_not_asked_for_with_a_unit, 0, 2);
    tcase_add_loop_test(t, a_page_opened_from_a_question_names_its_way_back, 0, 2);
    tcase_add_loop_test(t, what_is_put_off_stays_so_when_practice_begins_again, 0, 2);
    tcase_add_loop_test(t, one_that_is_never_asked_again_does_not_end_the_practice_of_the_others, 0,
                        2);
    tcase_add_loop_test(t, a_sentence_that_does_not_fit_its_row_takes_more, 0, 2);
    tcase_add_loop_test(t, an_unsaved_answer_says_why_before_it_says_where, 0, 2);
    suite_add_tcase(made, t);
    return made;
}

#include "support/check_main.h"
