/* A sitting by examples: what is asked and in which order, budgets and families, what comes again, and taking answers back,
 * also after the end. */
#include "shardlab/learn/sitting.h"

#include "support/sample_log.h"

static struct sitting sitting;
static struct card cards[LOG_QUESTIONS];

static void start(int64_t day, const char *only) {
    struct history_input in = sample_input(day);
    history_cards(&in, cards);
    sitting_start(&sitting, &in, cards, only, 77);
}

/* Answers what is in front, without a log. */
static void take(enum fsrs_rating rating) {
    static struct attempt a;
    const struct sitting_card *card = sitting_now(&sitting);
    ck_assert_ptr_nonnull(card);
    memset(&a, 0, sizeof a);
    a.question = sample.list[card->question];
    a.state = ATTEMPT_JUDGED;
    a.right = rating != FSRS_AGAIN;
    a.rating = rating;
    sitting_take(&sitting, &a, 1000 + sitting.answered);
}

static const char *lesson_at(int place) {
    return sample.list[sitting.queue[place].question]->lesson;
}

static bool asks(int question) {
    for (int i = 0; i < sitting.count; i++) {
        if (sitting.queue[i].question == question) {
            return true;
        }
    }
    return false;
}

/* --- What is asked ----------------------------------------------------------------------------------------- */

START_TEST(new_cards_come_in_the_order_of_the_syllabus_and_no_more_than_are_wanted) {
    sample_start(30, true);
    start(0, NULL);
    ck_assert_int_eq(sitting.count, 8);
    for (int i = 0; i < 8; i++) {
        ck_assert_int_eq(sitting.queue[i].question, i);
    }
    sample_setting("new-cards", "0");
    start(0, NULL);
    ck_assert_int_eq(sitting.count, 0);
    ck_assert_ptr_null(sitting_now(&sitting));
    sample_setting("new-cards", "25");
    start(0, NULL);
    ck_assert_int_eq(sitting.count, 20); /* the whole budget */
    sample_setting("budget-cards", "0");
    start(0, NULL);
    ck_assert_int_eq(sitting.count, 25); /* no budget */
}
END_TEST

START_TEST(due_cards_come_before_new_ones_and_others_not_at_all) {
    sample_start(12, true);
    for (int i = 0; i < 6; i++) {
        (void)sample_answer(i, 0, i < 3 ? 3 : 4); /* due after 2 days, and after 8 */
    }
    start(2, NULL);
    ck_assert_int_eq(sitting.count, 3 + 6);
    for (int i = 0; i < 9; i++) {
        ck_assert_int_eq(sitting.queue[i].question < 3, i < 3);
        ck_assert(i < 3 || sitting.queue[i].question == i + 3);
    }
    ck_assert_int_eq(sitting_left_of(&sitting, cards).again, 3);
    ck_assert_int_eq(sitting_left_of(&sitting, cards).new_cards, 6);
    take(FSRS_GOOD);
    ck_assert_int_eq(sitting_left_of(&sitting, cards).again, 2);
}
END_TEST

START_TEST(neighbours_come_from_different_lessons_where_there_are_such) {
    sample_start(12, false);
    sample.question_count = 10;
    for (int i = 0; i < 10; i++) {
        sample.questions[i].lesson = sample_lessons[i < 5 ? 0 : i < 8 ? 1 : 2]; /* 5, 3, 2 */
        (void)sample_answer(i, 0, 3);
    }
    for (uint64_t id = 1; id < 200; id++) {
        struct history_input in = sample_input(3);
        history_cards(&in, cards);
        sitting_start(&sitting, &in, cards, NULL, id);
        ck_assert_int_eq(sitting.count, 10);
        for (int i = 1; i < 10; i++) {
            ck_assert_str_ne(lesson_at(i), lesson_at(i - 1));
        }
    }
}
END_TEST

START_TEST(a_lesson_alone_can_be_asked) {
    sample_start(20, false);
    (void)sample_answer(7, 0, 3);
    start(2, "zero");
    ck_assert_int_eq(sitting.count, 4);
    ck_assert_int_eq(sitting.queue[0].question, 7);
    for (int i = 0; i < 4; i++) {
        ck_assert_str_eq(lesson_at(i), "zero");
    }
    start(2, "none");
    ck_assert_int_eq(sitting.count, 0);
}
END_TEST

START_TEST(suspended_and_put_off_cards_are_not_asked) {
    sample_start(3, false);
    (void)sample_answer(0, 0, 3);
    sample_add(PROGRESS_SUSPEND, "q0", 1)->rating = 1;
    (void)sample_add(PROGRESS_SKIP, "q1", 5);
    start(5, NULL);
    ck_assert_int_eq(sitting.count, 1);
    ck_assert_int_eq(sitting.queue[0].question, 2);
    (void)sample_add(PROGRESS_SUSPEND, "q0", 5);
    start(6, NULL);
    ck_assert_int_eq(sitting.count, 3);
}
END_TEST

/* --- Budgets ----------------------------------------------------------------------------------------------- */

START_TEST(what_was_answered_today_is_taken_off_the_budget) {
    sample_start(30, false);
    sample_setting("budget-cards", "6");
    sample_setting("new-cards", "4");
    (void)sample_answer(0, 0, 3);
    (void)sample_answer(0, 2, 3); /* not new today */
    (void)sample_answer(1, 2, 1);
    (void)sample_answer(1, 2, 3); /* the same card twice */
    start(2, NULL);
    ck_assert_int_eq(sitting.count, 3); /* of four new ones three, of six cards four */
    sample_setting("budget-cards", "3");
    start(2, NULL);
    ck_assert_int_eq(sitting.count, 1);
    sample_setting("budget-cards", "1");
    start(2, NULL);
    ck_assert_int_eq(sitting.count, 0);
}
END_TEST

START_TEST(of_a_backlog_what_is_known_worst_is_asked) {
    sample_start(30, false);
    sample_setting("budget-cards", "5");
    for (int i = 0; i < 30; i++) {
        (void)sample_answer((i * 7) % 30, i, 3); /* the later, the better known */
    }
    start(60, NULL);
    ck_assert_int_eq(sitting.count, 5);
    for (int i = 0; i < 5; i++) {
        ck_assert(asks((i * 7) % 30));
    }
}
END_TEST

START_TEST(in_the_last_days_before_an_interview_the_worst_known_comes_first) {
    sample_start(10, false);
    sample_setting("interview", "2024-10-27"); /* day 23 */
    for (int i = 0; i < 10; i++) {
        (void)sample_answer((i * 3) % 10, i, 3);
    }
    start(20, NULL);
    ck_assert_int_eq(sitting.count, 10);
    for (int i = 0; i < 10; i++) {
        ck_assert_int_eq(sitting.queue[i].question, (i * 3) % 10);
    }
}
END_TEST

/* --- Families ---------------------------------------------------------------------------------------------- */

START_TEST(no_two_of_a_family_are_asked_on_one_day) {
    sample_start(6, false);
    static const int members[] = {0, 1, 3, 5};
    for (int i = 0; i < 4; i++) {
        sample.questions[members[i]].family = "bytes";
    }
    start(0, NULL); /* all are new */
    ck_assert_int_eq(sitting.count, 3);
    ck_assert(asks(0) && asks(2) && asks(4));
    (void)sample_answer(3, 0, 3);
    start(0, NULL); /* one was answered today */
    ck_assert(!asks(0) && !asks(1) && !asks(3) && !asks(5));
    start(5, NULL); /* one is due */
    ck_assert_int_eq(sitting.queue[0].question, 3);
    ck_assert(!asks(0) && !asks(1) && !asks(5));
    (void)sample_answer(1, 1, 1);
    start(9, NULL); /* two are due: the worse known */
    ck_assert(asks(1) && !asks(3));
}
END_TEST

/* --- Again ------------------------------------------------------------------------------------------------- */

START_TEST(a_missed_card_comes_again_three_to_eight_cards_later_with_other_numbers) {
    sample_start(40, false);
    sample_setting("new-cards", "20");
    bool seen[9] = {false};
    for (uint64_t id = 1; id < 300; id++) {
        struct history_input in = sample_input(0);
        history_cards(&in, cards);
        sitting_start(&sitting, &in, cards, NULL, id);
        struct sitting_card missed = *sitting_now(&sitting);
        int later = 0;
        take(FSRS_AGAIN);
        do {
            take(FSRS_GOOD);
            later++;
        } while (sitting_now(&sitting)->question != missed.question);
        ck_assert_int_ge(later, 2);
        later++;
        ck_assert_int_le(later, 8);
        seen[later] = true;
        ck_assert(sitting_now(&sitting)->again);
        ck_assert(sitting_now(&sitting)->seed != missed.seed);
        ck_assert_int_eq(sitting.count, 21);
    }
    ck_assert(seen[3] && seen[4] && seen[5] && seen[6] && seen[7] && seen[8]);
}
END_TEST

START_TEST(near_the_end_a_missed_card_comes_last) {
    sample_start(2, false);
    start(0, NULL);
    take(FSRS_AGAIN);
    take(FSRS_GOOD);
    ck_assert_int_eq(sitting_now(&sitting)->question, 0);
    take(FSRS_AGAIN);
    ck_assert_int_eq(sitting_now(&sitting)->question, 0);
    take(FSRS_HARD); /* a pass */
    ck_assert_ptr_null(sitting_now(&sitting));
    ck_assert_int_eq(sitting.answered, 4);
    ck_assert_int_eq(sitting.right, 2);
}
END_TEST

START_TEST(a_full_queue_takes_nothing_in_again_and_stays_sound) {
    sample_start(300, false);
    sample_setting("budget-cards", "0");
    sample_setting("new-cards", "300");
    start(0, NULL);
    ck_assert_int_eq(sitting.count, SITTING_FIRST_MAX);
    int taken = 0;
    for (; sitting_now(&sitting) != NULL; taken++) {
        take(FSRS_AGAIN);
    }
    ck_assert_int_eq(taken, SITTING_CARDS_MAX);
}
END_TEST

START_TEST(an_attempt_that_is_not_judged_is_not_taken) {
    sample_start(2, false);
    start(0, NULL);
    static struct attempt a;
    a.state = ATTEMPT_REVEALED;
    sitting_take(&sitting, &a, 5);
    ck_assert_int_eq(sitting.at, 0);
}
END_TEST

/* --- Taking back ------------------------------------------------------------------------------------------- */

START_TEST(the_last_twenty_can_be_taken_back_and_no_more) {
    static struct attempt a;
    int64_t event = 0;
    sample_start(40, false);
    sample_setting("new-cards", "20");
    sample_setting("budget-cards", "0");
    start(0, NULL);
    ck_assert(!sitting_undo(&sitting, &event, &a));
    while (sitting_now(&sitting) != NULL) {
        take(sitting.answered % 5 == 0 ? FSRS_AGAIN : FSRS_GOOD);
    }
    int answered = sitting.answered;
    ck_assert_int_gt(answered, 20);
    for (int i = 0; i < 20; i++) { /* from the end, as the summary does */
        ck_assert(sitting_undo(&sitting, &event, &a));
        ck_assert_int_eq(event, 1000 + answered - 1 - i);
        ck_assert_int_eq(a.state, ATTEMPT_ASKED);
        ck_assert_ptr_eq(a.question, sample.list[sitting_now(&sitting)->question]);
    }
    ck_assert(!sitting_undo(&sitting, &event, &a));
    ck_assert_int_eq(sitting.answered, answered - 20);
}
END_TEST

START_TEST(taking_back_restores_every_bit) {
    static struct sitting states[20];
    static struct attempt a;
    int64_t event = 0;
    sample_start(40, false);
    start(0, NULL);
    for (int i = 0; i < 20; i++) {
        states[i] = sitting;
        take((enum fsrs_rating)(1 + i * 7 % 4));
        if (sitting_now(&sitting) == NULL) {
            start(0, NULL);
        }
    }
    for (int i = sitting.answered, at = 19; i > 0; i--, at--) {
        ck_assert(sitting_undo(&sitting, &event, &a));
        ck_assert_mem_eq(&sitting, &states[at], sizeof sitting);
    }
}
END_TEST

START_TEST(a_card_that_is_left_out_does_not_come_and_answers_before_it_can_be_taken_back) {
    static struct attempt a;
    int64_t event = 0;
    sample_start(8, false);
    start(0, NULL);
    take(FSRS_AGAIN); /* q0, which comes again */
    sitting_skip(&sitting);
    ck_assert(!asks(1));
    ck_assert_int_eq(sitting.count, 8);
    take(FSRS_GOOD); /* q2 */
    ck_assert(sitting_undo(&sitting, &event, &a));
    ck_assert_int_eq(sitting_now(&sitting)->question, 2);
    ck_assert(sitting_undo(&sitting, &event, &a));
    ck_assert_int_eq(sitting_now(&sitting)->question, 0);
    ck_assert(!sitting_now(&sitting)->again);
    ck_assert_int_eq(sitting.count, 7); /* it does not come again */
    while (sitting_now(&sitting) != NULL) {
        sitting_skip(&sitting);
    }
    sitting_skip(&sitting);
    ck_assert_int_eq(sitting.count, 0);
}
END_TEST

START_TEST(given_questions_are_asked_as_they_are_given) {
    static const int given[] = {5, 2, 9, 2};
    sample_start(10, false);
    sitting_start_with(&sitting, given, 4, 3);
    ck_assert_int_eq(sitting.count, 3); /* twice is once */
    for (int i = 0; i < 3; i++) {
        ck_assert_int_eq(sitting.queue[i].question, given[i]);
    }
    ck_assert(sitting.queue[0].seed != sitting.queue[1].seed);
}
END_TEST

static Suite *suite(void) {
    Suite *suite = suite_create("sitting");
    TCase *tests = tcase_create("sitting");
    tcase_add_test(tests, new_cards_come_in_the_order_of_the_syllabus_and_no_more_than_are_wanted);
    tcase_add_test(tests, due_cards_come_before_new_ones_and_others_not_at_all);
    tcase_add_test(tests, neighbours_come_from_different_lessons_where_there_are_such);
    tcase_add_test(tests, a_lesson_alone_can_be_asked);
    tcase_add_test(tests, suspended_and_put_off_cards_are_not_asked);
    tcase_add_test(tests, what_was_answered_today_is_taken_off_the_budget);
    tcase_add_test(tests, of_a_backlog_what_is_known_worst_is_asked);
    tcase_add_test(tests, in_the_last_days_before_an_interview_the_worst_known_comes_first);
    tcase_add_test(tests, no_two_of_a_family_are_asked_on_one_day);
    tcase_add_test(tests, a_missed_card_comes_again_three_to_eight_cards_later_with_other_numbers);
    tcase_add_test(tests, near_the_end_a_missed_card_comes_last);
    tcase_add_test(tests, a_full_queue_takes_nothing_in_again_and_stays_sound);
    tcase_add_test(tests, an_attempt_that_is_not_judged_is_not_taken);
    tcase_add_test(tests, the_last_twenty_can_be_taken_back_and_no_more);
    tcase_add_test(tests, taking_back_restores_every_bit);
    tcase_add_test(tests,
                   a_card_that_is_left_out_does_not_come_and_answers_before_it_can_be_taken_back);
    tcase_add_test(tests, given_questions_are_asked_as_they_are_given);
    suite_add_tcase(suite, tests);
    return suite;
}

#include "support/check_main.h"
