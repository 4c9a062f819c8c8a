/* Interviews: which chain opens, how deep it goes, what is left out of it, when time is up, what the report says; and random
 * webs of follow-ups, circles among them, that must be walked once and come to an end. */
#include "shardlab/learn/mock.h"

#include "support/mangle.h"
#include "support/rounds.h"
#include "support/sample_log.h"

static struct mock mock;
static struct mock_report report;
static struct card cards[LOG_QUESTIONS];

static void start(int level, int minutes, uint64_t id) {
    struct history_input in = sample_input(30);
    history_cards(&in, cards);
    mock_start(&mock, &in, cards, &(struct mock_terms){level, minutes, id});
}

static void follow(int from, int to) {
    struct question *q = &sample.questions[from];
    q->follow[q->follow_count++] = sample.ids[to];
}

static void take_in(bool right, int64_t took_ms) {
    static struct attempt a;
    ck_assert_int_ge(mock.now, 0);
    memset(&a, 0, sizeof a);
    a.question = sample.list[mock.now];
    a.state = ATTEMPT_JUDGED;
    a.right = right;
    mock_take(&mock, &a, took_ms);
}

static void take(bool right) {
    take_in(right, 1000);
}

/* q0 opens q1, q2, q3; q2 has q4 behind it; q5 opens q6. The lessons are those of i mod 5. */
static void two_chains(void) {
    sample_start(7, false);
    sample.questions[0].opens = sample.questions[5].opens = true;
    follow(0, 1);
    follow(0, 2);
    follow(0, 3);
    follow(2, 4);
    follow(5, 6);
    (void)sample_answer(5, 0, 4); /* so that q0 is the weaker one */
}

/* --- The course -------------------------------------------------------------------------------------------- */

START_TEST(right_goes_deeper_and_follow_ups_of_follow_ups_come_behind_them) {
    static const int wanted[] = {0, 1, 2, 4, 3, 5, 6};
    two_chains();
    start(3, 30, 1);
    for (int i = 0; i < 7; i++) {
        ck_assert_int_eq(mock.now, wanted[i]);
        ck_assert_int_eq(mock.chain, i < 5 ? 0 : 1);
        ck_assert_int_eq(mock.depth, i < 5 ? i : i - 5);
        take(true);
    }
    ck_assert_int_eq(mock.now, -1);
}
END_TEST

START_TEST(a_miss_opens_the_next_chain) {
    two_chains();
    start(3, 30, 1);
    take(true);
    take(false);
    ck_assert_int_eq(mock.now, 5);
    take(false);
    ck_assert_int_eq(mock.now, -1);
    ck_assert_int_eq(mock.answer_count, 3);
}
END_TEST

START_TEST(what_is_above_the_level_is_left_out_with_what_stands_behind_it) {
    two_chains();
    sample.questions[2].level = 3;
    sample.questions[3].level = 2;
    sample.questions[5].level = 3;
    start(2, 30, 1);
    static const int wanted[] = {0, 1, 3};
    for (int i = 0; i < 3; i++) {
        ck_assert_int_eq(mock.now, wanted[i]);
        take(true);
    }
    ck_assert_int_eq(mock.now, -1);
    mock_report_make(&mock, &report);
    ck_assert_int_eq(report.findings[0].of, 3);
}
END_TEST

START_TEST(a_circle_and_a_question_of_two_chains_are_walked_once) {
    two_chains();
    follow(4, 0); /* back to the opener */
    follow(4, 1); /* and to one before */
    follow(4, 4);
    follow(6, 2); /* asked in the first chain */
    follow(6, 3);
    follow(1, 6); /* so the second has only its opener */
    static const int wanted[] = {0, 1, 6, 2, 4, 3, 5};
    start(3, 30, 1);
    for (int i = 0; i < 7; i++) {
        ck_assert_int_eq(mock.now, wanted[i]);
        take(true);
    }
    ck_assert_int_eq(mock.now, -1);
}
END_TEST

START_TEST(a_question_is_not_asked_when_one_of_its_family_gave_it_away) {
    two_chains();
    sample.questions[1].family = sample.questions[6].family = "bytes";
    sample.questions[2].family = sample.questions[4].family = "link"; /* in one chain they may */
    start(3, 30, 1);
    static const int wanted[] = {0, 1, 2, 4, 3, 5};
    for (int i = 0; i < 6; i++) {
        ck_assert_int_eq(mock.now, wanted[i]);
        take(true);
    }
    ck_assert_int_eq(mock.now, -1);
}
END_TEST

START_TEST(when_time_is_up_nothing_more_is_asked) {
    two_chains();
    start(3, 5, 1);
    take_in(true, 4 * 60000);
    take_in(true, -9); /* a clock that was set back */
    ck_assert_int_eq(mock.now, 2);
    take_in(true, 60000);
    ck_assert_int_eq(mock.now, -1);
    mock_report_make(&mock, &report);
    ck_assert_int_eq(report.asked, 3);
    ck_assert_int_eq(report.findings[0].reached, 3);
    ck_assert_int_eq(report.findings[0].broke_at, -1);
    ck_assert_int_eq(report.lesson_count, 0);
}
END_TEST

START_TEST(an_attempt_that_is_not_judged_is_not_taken) {
    static struct attempt a;
    two_chains();
    start(3, 5, 1);
    a.question = sample.list[0];
    mock_take(&mock, &a, 1000);
    ck_assert_int_eq(mock.answer_count, 0);
}
END_TEST

START_TEST(what_will_be_known_least_in_a_week_opens_and_what_is_suspended_does_not) {
    sample_start(6, false);
    for (int i = 0; i < 6; i++) {
        sample.questions[i].opens = true;
    }
    /* By hand, (1 + 0.980346 t / S)^-0.1542 a week after day 30: */
    (void)sample_answer(0, 25, 4);  /* t 12, S 8.2956: 0.87 */
    (void)sample_answer(1, 29, 3);  /* t 8, S 2.3065: 0.79 */
    (void)sample_answer(2, 10, 1);  /* t 27, S 0.212: 0.47 */
    (void)sample_answer(3, -60, 3); /* t 97, S 2.3065: 0.56 */
    /* q4 is new: t 7, S 0.212: 0.58 */
    sample_add(PROGRESS_SUSPEND, "q5", 1)->rating = 1;
    static const int wanted[] = {2, 3, 4, 1, 0};
    start(1, 30, 1);
    ck_assert_int_eq(mock.opener_count, 5);
    for (int i = 0; i < 5; i++) {
        ck_assert_int_eq(mock.openers[i], wanted[i]);
    }
}
END_TEST

START_TEST(without_a_history_the_lot_decides_and_the_same_id_draws_the_same) {
    int first[20] = {0};
    sample_start(20, false);
    struct history_input in = sample_input(0);
    for (int i = 0; i < 20; i++) {
        sample.questions[i].opens = true;
    }
    for (uint64_t id = 1; id <= 2000; id++) {
        mock_start(&mock, &in, NULL, &(struct mock_terms){1, 30, id});
        int opener = mock.now;
        uint64_t seed = mock_seed(&mock);
        ck_assert_int_eq(mock.opener_count, MOCK_CHAINS_MAX);
        mock_start(&mock, &in, NULL, &(struct mock_terms){1, 30, id});
        ck_assert_int_eq(mock.now, opener);
        ck_assert(mock_seed(&mock) == seed);
        first[opener]++;
    }
    for (int i = 0; i < 20; i++) { /* 100 each, five standard deviations of 10 */
        ck_assert_int_gt(first[i], 50);
        ck_assert_int_lt(first[i], 150);
    }
}
END_TEST

/* --- The report -------------------------------------------------------------------------------------------- */

START_TEST(the_report_has_what_held_what_broke_and_the_worst_lesson_first) {
    sample_start(15, false);
    for (int i = 0; i < 15; i += 3) { /* q0, q3, q6, q9, q12, each with two behind it */
        sample.questions[i].opens = true;
        follow(i, i + 1);
        follow(i + 1, i + 2);
    }
    start(1, 60, 5);
    static const int rights[] = {3, 2, 0, 1, 1};
    while (mock.now >= 0) {
        take(mock.depth < rights[mock.openers[mock.chain] / 3]);
    }
    mock_report_make(&mock, &report);
    ck_assert_int_eq(report.asked, 3 + 3 + 1 + 2 + 2);
    ck_assert_int_eq(report.right, 7);
    ck_assert_int_eq(report.finding_count, 5);
    static const int broke[] = {-1, 5, 6, 10, 13};
    for (int i = 0; i < 5; i++) {
        const struct mock_finding *f = &report.findings[i];
        ck_assert_int_eq(f->opener, mock.openers[i]);
        ck_assert_int_eq(f->broke_at, broke[f->opener / 3]);
        ck_assert_int_eq(f->of, 3);
        ck_assert_int_eq(mock_is_strong(f), f->opener == 0);
    }
    /* q6 is of pipeline and broke at once; q5 and q10 are of memory, the sooner after one, as did q13 of formats alone. */
    ck_assert_int_eq(report.lesson_count, 3);
    ck_assert_str_eq(report.lessons[0], "pipeline");
    ck_assert_str_eq(report.lessons[1], "memory");
    ck_assert_str_eq(report.lessons[2], "formats");
}
END_TEST

START_TEST(a_chain_that_broke_deep_is_both_strong_and_a_gap) {
    two_chains();
    start(3, 30, 1);
    for (int i = 0; i < 4; i++) {
        take(i < 3);
    }
    mock_report_make(&mock, &report);
    ck_assert(mock_is_strong(&report.findings[0]));
    ck_assert_int_eq(report.findings[0].broke_at, 4);
    ck_assert_int_eq(report.finding_count, 1); /* the other was not begun */
    ck_assert_str_eq(report.lessons[0], sample.questions[4].lesson);
}
END_TEST

START_TEST(of_a_recall_the_facts_are_counted) {
    static struct attempt a;
    two_chains();
    sample.questions[0].kind = QUESTION_RECALL;
    sample.questions[0].part_count = 5;
    start(3, 30, 1);
    a = (struct attempt){.question = sample.list[0], .state = ATTEMPT_JUDGED, .right = true};
    a.ticked[0] = a.ticked[2] = a.ticked[4] = true;
    mock_take(&mock, &a, 1);
    ck_assert_int_eq(mock.answers[0].facts, 3);
    ck_assert_int_eq(mock.answers[0].facts_of, 5);
    take(true);
    ck_assert_int_eq(mock.answers[1].facts_of, 0);
}
END_TEST

/* --- Random webs ------------------------------------------------------------------------------------------- */

static void random_web(uint64_t *dice, int count) {
    sample_start(count, false);
    for (int i = 0; i < count; i++) {
        struct question *q = &sample.questions[i];
        q->opens = mangle_random(dice) % 4 == 0;
        q->level = 1 + (int)(mangle_random(dice) % 3);
        int follows = (int)(mangle_random(dice) % 4);
        for (int j = 0; j < follows; j++) {
            follow(i, (int)(mangle_random(dice) % (uint32_t)count));
        }
    }
}

START_TEST(any_web_of_follow_ups_comes_to_an_end_and_asks_nothing_twice) {
    uint64_t dice = 7;
    int rounds = test_rounds_slow(400, 4);
    for (int round = 0; round < rounds; round++) {
        int count = 1 + (int)(mangle_random(&dice) % 100);
        bool asked[LOG_QUESTIONS] = {false};
        random_web(&dice, count);
        int level = 1 + (int)(mangle_random(&dice) % 3);
        start(level, 60, (uint64_t)round);
        int often = 1 + (int)(mangle_random(&dice) % 9);
        while (mock.now >= 0) {
            ck_assert(!asked[mock.now]);
            ck_assert_int_le(sample.questions[mock.now].level, level);
            ck_assert(mock.depth > 0 || sample.questions[mock.now].opens);
            asked[mock.now] = true;
            take(mangle_random(&dice) % 10 < (uint32_t)often);
        }
        mock_report_make(&mock, &report);
        int reached = 0, broke = 0;
        for (int i = 0; i < report.finding_count; i++) {
            const struct mock_finding *f = &report.findings[i];
            reached += f->reached;
            broke += f->broke_at >= 0 ? 1 : 0;
            ck_assert_int_le(f->reached, f->of);
            ck_assert(f->broke_at >= 0 || f->reached == f->of ||
                      mock.answer_count == MOCK_QUESTIONS_MAX);
        }
        ck_assert_int_eq(report.asked, mock.answer_count);
        ck_assert_int_eq(reached, report.right);
        ck_assert_int_eq(report.asked - report.right, broke);
        ck_assert_int_le(report.lesson_count, broke);
    }
}
END_TEST

static Suite *suite(void) {
    Suite *suite = suite_create("mock");
    TCase *tests = tcase_create("mock");
    tcase_set_timeout(tests, 300);
    tcase_add_test(tests, right_goes_deeper_and_follow_ups_of_follow_ups_come_behind_them);
    tcase_add_test(tests, a_miss_opens_the_next_chain);
    tcase_add_test(tests, what_is_above_the_level_is_left_out_with_what_stands_behind_it);
    tcase_add_test(tests, a_circle_and_a_question_of_two_chains_are_walked_once);
    tcase_add_test(tests, a_question_is_not_asked_when_one_of_its_family_gave_it_away);
    tcase_add_test(tests, when_time_is_up_nothing_more_is_asked);
    tcase_add_test(tests, an_attempt_that_is_not_judged_is_not_taken);
    tcase_add_test(tests, what_will_be_known_least_in_a_week_opens_and_what_is_suspended_does_not);
    tcase_add_test(tests, without_a_history_the_lot_decides_and_the_same_id_draws_the_same);
    tcase_add_test(tests, the_report_has_what_held_what_broke_and_the_worst_lesson_first);
    tcase_add_test(tests, a_chain_that_broke_deep_is_both_strong_and_a_gap);
    tcase_add_test(tests, of_a_recall_the_facts_are_counted);
    tcase_add_test(tests, any_web_of_follow_ups_comes_to_an_end_and_asks_nothing_twice);
    suite_add_tcase(suite, tests);
    return suite;
}

#include "support/check_main.h"
