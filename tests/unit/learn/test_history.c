/* Cards out of a log: the memory and due days of the published table, what undoing, rating anew, putting off and suspending
 * do, whose days they are, what an interview asks for; and logs that a clock, another program or a newer lesson spoiled. */
#include "shardlab/learn/history.h"

#include <math.h>
#include <stdlib.h>

#include "support/csv.h"
#include "support/sample_log.h"

static struct csv rows;

static struct card card_on(int64_t day) {
    static struct card cards[LOG_QUESTIONS];
    struct history_input in = sample_input(day);
    history_cards(&in, cards);
    return cards[0];
}

/* --- The table --------------------------------------------------------------------------------------------- */

static bool has(int row, const char *column, const char *text) {
    return strcmp(csv_get(&rows, row, column), text) == 0;
}

/* Without steps in minutes, scheduled as we do without an interview, and with our rule for Hard within the day. */
static bool is_ours(int row) {
    return has(row, "learning_steps_s", "") && has(row, "relearning_steps_s", "") &&
           has(row, "params", "default") && has(row, "desired_retention", "0.9") &&
           has(row, "max_interval_d", "36500") &&
           (has(row, "variant", "hard-floor") || has(row, "same_under_other_variant", "yes"));
}

START_TEST(a_log_gives_the_memory_and_the_due_day_of_the_published_table) {
    if (!is_ours(_i)) {
        return;
    }
    int first = _i, day = 0;
    while (!has(first, "review_no", "1")) {
        first--;
    }
    sample_start(1, false);
    for (int row = first; row <= _i; row++) {
        day += row == first ? 0 : atoi(csv_get(&rows, row, "elapsed_whole_days"));
        (void)sample_answer(0, day, atoi(csv_get(&rows, row, "rating")));
    }
    struct card card = card_on(day);
    double stability = strtod(csv_get(&rows, _i, "stability_after"), NULL);
    double difficulty = strtod(csv_get(&rows, _i, "difficulty_after"), NULL);
    ck_assert_double_le(fabs(card.memory.stability_days / stability - 1.0), 1e-9);
    ck_assert_double_le(fabs(card.memory.difficulty / difficulty - 1.0), 1e-9);
    ck_assert_int_eq(card.last_day, day_zero + day);
    ck_assert_int_eq(card.due_day - card.last_day, atoi(csv_get(&rows, _i, "due_in_days")));
    ck_assert_int_eq(card.reviews, _i - first + 1);
}
END_TEST

START_TEST(the_table_has_enough_rows_for_this) {
    int ours = 0;
    for (int row = 0; row < rows.rows; row++) {
        ours += is_ours(row) ? 1 : 0;
    }
    ck_assert_int_gt(ours, 100);
}
END_TEST

/* --- What counts ------------------------------------------------------------------------------------------- */

START_TEST(reviews_lapses_and_passes_are_counted) {
    sample_start(2, false);
    static const int ratings[] = {1, 3, 1, 2, 4};
    for (int i = 0; i < 5; i++) {
        sample_answer(0, 10L * i, ratings[i])->took_ms = 1000 + i;
    }
    struct card card = card_on(40);
    ck_assert_int_eq(card.reviews, 5);
    ck_assert_int_eq(card.right, 3);
    ck_assert_int_eq(card.lapses, 1); /* the first Again is none */
    ck_assert_int_eq(card.passes_in_row, 2);
    ck_assert_int_eq(card.last, FSRS_EASY);
    ck_assert_int_eq(card.took_ms, 1004);
    ck_assert_int_eq(card.later_reviews, 4);
    ck_assert_int_eq(card.later_passes, 3);
    ck_assert(card.answered_today);
    ck_assert(!card.new_today);
    ck_assert(!card_on(41).answered_today);
}
END_TEST

START_TEST(a_new_card_is_new_for_its_first_day) {
    sample_start(1, false);
    ck_assert_int_eq(card_on(0).reviews, 0);
    (void)sample_answer(0, 0, 1);
    (void)sample_answer(0, 0, 3);
    ck_assert(card_on(0).new_today);
    ck_assert(!card_on(1).new_today);
    ck_assert_int_eq(card_on(0).later_reviews, 0); /* a repeat of the day measures nothing */
}
END_TEST

START_TEST(an_answer_that_is_undone_was_never_given) {
    sample_start(1, false);
    (void)sample_answer(0, 0, 3);
    struct card before = card_on(9);
    const struct progress_event *wrong = sample_answer(0, 5, 1);
    ck_assert_int_eq(history_rating(sample.events, sample.count, 1), 1);
    (void)sample_about(PROGRESS_UNDO, wrong, 0);
    struct card after = card_on(9);
    ck_assert_mem_eq(&before, &after, sizeof before);
    ck_assert_int_eq(history_rating(sample.events, sample.count, 1), -1);
    (void)sample_about(PROGRESS_UNDO, wrong, 0); /* once more, and rated after that */
    (void)sample_about(PROGRESS_RATING, wrong, 4);
    after = card_on(9);
    ck_assert_mem_eq(&before, &after, sizeof before);
}
END_TEST

START_TEST(the_last_rating_stands_in_place_of_the_first) {
    sample_start(1, false);
    (void)sample_answer(0, 0, 4);
    (void)sample_answer(0, 8, 2);
    struct card wanted = card_on(9);
    sample.count = 0;
    const struct progress_event *first = sample_answer(0, 0, 1);
    const struct progress_event *second = sample_answer(0, 8, 2);
    (void)sample_about(PROGRESS_RATING, first, 3);
    (void)sample_about(PROGRESS_RATING, first, 4);
    (void)sample_about(PROGRESS_RATING, first, 7); /* no rating */
    (void)sample_about(PROGRESS_RATING, second, 0);
    struct card is = card_on(9);
    ck_assert_int_eq(is.right, 1); /* rated by the learner, but not right */
    is.right = wanted.right;
    ck_assert_mem_eq(&is, &wanted, sizeof is);
    ck_assert_int_eq(history_rating(sample.events, sample.count, 0), 4);
    ck_assert_int_eq(history_rating(sample.events, sample.count, 2), 0);
}
END_TEST

START_TEST(skipping_is_for_the_day_and_suspending_until_it_is_taken_back) {
    sample_start(1, false);
    (void)sample_add(PROGRESS_SKIP, "q0", 3);
    ck_assert(card_on(3).skipped_today);
    ck_assert(!card_on(4).skipped_today);
    sample_add(PROGRESS_SUSPEND, "q0", 4)->rating = 1;
    ck_assert(card_on(9).suspended);
    (void)sample_add(PROGRESS_SUSPEND, "q0", 10);
    ck_assert(!card_on(10).suspended);
    ck_assert_int_eq(card_on(10).reviews, 0);
}
END_TEST

START_TEST(undoing_an_answer_takes_with_it_that_its_question_was_put_aside_after_it) {
    sample_start(2, false);
    const struct progress_event *answer = sample_answer(0, 0, 1);
    sample_add(PROGRESS_SUSPEND, "q0", 0)->rating = 1;
    (void)sample_add(PROGRESS_SKIP, "q0", 0);
    (void)sample_add(PROGRESS_SKIP, "q1", 0);
    ck_assert(history_stands(sample.events, sample.count, 1));
    (void)sample_about(PROGRESS_UNDO, answer, 0);
    ck_assert(!card_on(0).suspended);
    ck_assert(!card_on(0).skipped_today);
    ck_assert(!history_stands(sample.events, sample.count, 1));
    ck_assert(!history_stands(sample.events, sample.count, 2));
    ck_assert(history_stands(sample.events, sample.count, 3));
    sample.count = 0;
    sample_add(PROGRESS_SUSPEND, "q0", 0)->rating = 1; /* before it: stays */
    (void)sample_about(PROGRESS_UNDO, sample_answer(0, 0, 1), 0);
    ck_assert(card_on(0).suspended);
    ck_assert(history_stands(sample.events, sample.count, 0));
}
END_TEST

START_TEST(a_question_that_no_longer_exists_is_passed_over) {
    sample_start(2, false);
    (void)sample_answer(1, 0, 3);
    struct card before = card_on(3);
    (void)sample_add(PROGRESS_ANSWER, "memory.gone", 1);
    (void)sample_add(PROGRESS_GUESS, "q0", 1);
    (void)sample_add(PROGRESS_MOCK, "q0", 1);
    (void)sample_add(PROGRESS_FLAG, "q0", 1);
    struct card after = card_on(3);
    ck_assert_mem_eq(&before, &after, sizeof before);
    ck_assert_int_eq(after.reviews, 0);
}
END_TEST

/* --- Days -------------------------------------------------------------------------------------------------- */

START_TEST(a_day_begins_at_the_roll_over_hour_of_the_place) {
    sample_start(1, false);
    sample.offset_s = 8 * 3600;
    int64_t midnight = (day_zero + 1) * DAY_SECONDS - sample.offset_s;
    sample_answer(0, 0, 3)->utc_s = midnight + 4 * 3600 - 1; /* 03:59:59 of the next date */
    ck_assert_int_eq(card_on(0).last_day, day_zero);
    sample.events[0].utc_s++;
    ck_assert_int_eq(card_on(2).last_day, day_zero + 1);
    sample_setting("rollover-hour", "5");
    ck_assert_int_eq(card_on(2).last_day, day_zero);
    sample_setting("rollover-hour", "25"); /* cannot be: as it was */
    ck_assert_int_eq(card_on(2).last_day, day_zero);
    sample_setting("rollover-hour", "");
    ck_assert_int_eq(card_on(2).last_day, day_zero + 1);
}
END_TEST

START_TEST(each_event_counts_in_its_own_offset) {
    sample_start(1, false);
    (void)sample_answer(0, 0, 3);
    struct progress_event *there = sample_answer(0, 0, 3); /* ten in the evening at noon of UTC */
    there->offset_s = 10 * 3600;
    ck_assert_int_eq(card_on(5).last_day, day_zero);
    there->offset_s = 17 * 3600; /* five in the morning */
    ck_assert_int_eq(card_on(5).last_day, day_zero + 1);
    ck_assert_int_eq(card_on(5).later_reviews, 1);
    there->offset_s = INT32_MAX; /* damaged: as UTC */
    ck_assert_int_eq(card_on(5).last_day, day_zero);
}
END_TEST

START_TEST(tomorrow_on_the_other_side_of_the_date_line_is_today_here) {
    sample_start(1, false);
    sample_answer(0, 0, 3)->offset_s = 17 * 3600;
    struct card card = card_on(0);
    ck_assert_int_eq(card.last_day, day_zero);
    ck_assert(card.answered_today);
}
END_TEST

START_TEST(an_event_from_the_future_counts_for_the_day_before_it) {
    sample_start(2, false);
    (void)sample_answer(1, 2, 3);
    (void)sample_answer(0, 30000, 3); /* the clock was eighty years ahead */
    (void)sample_answer(0, 7, 3);
    struct card card = card_on(7);
    ck_assert_int_eq(card.reviews, 2);
    ck_assert_int_eq(card.later_reviews, 1);
    ck_assert_int_eq(card.last_day, day_zero + 7);
    ck_assert_int_eq(card.due_day, card_on(40).due_day); /* and it does not slide */
    sample.count = 2;
    ck_assert_int_eq(card_on(5).last_day, day_zero + 2);
    ck_assert_int_eq(card_on(9).last_day, day_zero + 2);
}
END_TEST

START_TEST(a_log_that_begins_in_the_future_counts_from_its_first_true_day) {
    sample_start(2, false);
    (void)sample_answer(0, 900, 3);
    ck_assert_int_eq(card_on(4).last_day, day_zero + 4);
    (void)sample_answer(1, 4, 3);
    ck_assert_int_eq(card_on(8).last_day, day_zero + 4);
}
END_TEST

START_TEST(a_clock_that_was_set_back_does_not_make_a_card_older) {
    sample_start(1, false);
    (void)sample_answer(0, 30, 3);
    (void)sample_answer(0, -20000, 3); /* a machine that woke up in 1970 */
    struct card card = card_on(30);
    ck_assert_int_eq(card.last_day, day_zero + 30);
    ck_assert_int_eq(card.later_reviews, 0);
    ck_assert_int_gt(card.due_day, day_zero + 30);
}
END_TEST

/* --- Settings ---------------------------------------------------------------------------------------------- */

START_TEST(an_interview_shortens_intervals_and_after_it_they_are_as_before) {
    sample_start(1, false);
    (void)sample_answer(0, 0, 3);
    (void)sample_answer(0, 2, 3);
    ck_assert_int_eq(card_on(2).due_day, day_zero + 2 + 11); /* learning.md 1.4, at 0.90 */
    /* A stability of 10.96 days, reckoned by hand: 10.96 / 0.980346 × (0.95^-6.485 - 1) = 4.41, and 2.44 at 0.97. */
    sample_setting("interview", "2024-10-23"); /* in 19 days, 17 from day 2 */
    ck_assert_int_eq(card_on(2).due_day, day_zero + 2 + 4);
    sample_setting("interview", "2024-10-20");
    ck_assert_int_eq(card_on(2).due_day, day_zero + 2 + 2);
    sample_setting("interview", "2024-10-08"); /* two days are left, half of them is one */
    ck_assert_int_eq(card_on(2).due_day, day_zero + 2 + 1);
    ck_assert_int_eq(card_on(5).due_day, day_zero + 2 + 11);
    sample_setting("interview", "");
    ck_assert_int_eq(card_on(2).due_day, day_zero + 2 + 11);
}
END_TEST

START_TEST(settings_that_cannot_be_read_are_passed_over) {
    sample_start(1, false);
    static const char *const wrong[] = {"x", "-1", "1.5", "20x", "99999999999999999999", " 5"};
    sample_setting("budget-cards", "１２");
    sample_setting("new-cards", "0");
    sample_setting("interview", "2024-12-24");
    for (int i = 0; i < 6; i++) {
        sample_setting("budget-cards", wrong[i]);
        sample_setting("new-cards", wrong[i]);
        sample_setting("rollover-hour", wrong[i]);
        sample_setting("interview", wrong[i]);
    }
    sample_setting("unknown", "1");
    struct study_settings s = study_settings_of(sample.events, sample.count);
    ck_assert_int_eq(s.budget_cards, 12);
    ck_assert_int_eq(s.new_cards, 0);
    ck_assert_int_eq(s.rollover_hour, 4);
    ck_assert(s.has_interview);
    ck_assert_int_eq(s.interview_day, day_zero + 81);
    sample_setting("budget-cards", "");
    sample_setting("new-cards", "");
    s = study_settings_of(sample.events, sample.count);
    ck_assert_int_eq(s.budget_cards, 20);
    ck_assert_int_eq(s.new_cards, 8);
}
END_TEST

START_TEST(more_lines_are_left_out_after_passes_and_one_after_a_miss) {
    static const int passes[] = {0, 1, 2, 3, 9};
    static const int blanks[] = {1, 2, 3, 3, 3};
    struct card card = {.passes_in_row = passes[_i]};
    ck_assert_int_eq(card_blanks(&card, 3), blanks[_i]);
}
END_TEST

static Suite *suite(void) {
    rows = csv_read("vectors_fsrs.csv");
    Suite *suite = suite_create("history");
    TCase *table = tcase_create("table");
    tcase_add_loop_test(table, a_log_gives_the_memory_and_the_due_day_of_the_published_table, 0,
                        rows.rows);
    tcase_add_test(table, the_table_has_enough_rows_for_this);
    TCase *counts = tcase_create("counts");
    tcase_add_test(counts, reviews_lapses_and_passes_are_counted);
    tcase_add_test(counts, a_new_card_is_new_for_its_first_day);
    tcase_add_test(counts, an_answer_that_is_undone_was_never_given);
    tcase_add_test(counts, the_last_rating_stands_in_place_of_the_first);
    tcase_add_test(counts, skipping_is_for_the_day_and_suspending_until_it_is_taken_back);
    tcase_add_test(counts,
                   undoing_an_answer_takes_with_it_that_its_question_was_put_aside_after_it);
    tcase_add_test(counts, a_question_that_no_longer_exists_is_passed_over);
    TCase *days = tcase_create("days");
    tcase_add_test(days, a_day_begins_at_the_roll_over_hour_of_the_place);
    tcase_add_test(days, each_event_counts_in_its_own_offset);
    tcase_add_test(days, tomorrow_on_the_other_side_of_the_date_line_is_today_here);
    tcase_add_test(days, an_event_from_the_future_counts_for_the_day_before_it);
    tcase_add_test(days, a_log_that_begins_in_the_future_counts_from_its_first_true_day);
    tcase_add_test(days, a_clock_that_was_set_back_does_not_make_a_card_older);
    TCase *settings = tcase_create("settings");
    tcase_add_test(settings, an_interview_shortens_intervals_and_after_it_they_are_as_before);
    tcase_add_test(settings, settings_that_cannot_be_read_are_passed_over);
    tcase_add_loop_test(settings, more_lines_are_left_out_after_passes_and_one_after_a_miss, 0, 5);
    suite_add_tcase(suite, table);
    suite_add_tcase(suite, counts);
    suite_add_tcase(suite, days);
    suite_add_tcase(suite, settings);
    return suite;
}

#include "support/check_main.h"
