/* The figures of the statistics: small logs whose figures are counted by hand, random logs counted a second time in the
 * plainest way, and a log of a hundred thousand events. */
#include <math.h>
#include <stdlib.h>

#include "shardlab/learn/history.h"
#include "support/mangle.h"
#include "support/rounds.h"
#include "support/sample_log.h"

static struct card cards[LOG_QUESTIONS];
static struct history_summary summary;

static void summarize(int64_t day) {
    struct history_input in = sample_input(day);
    history_cards(&in, cards);
    history_summarize(&in, cards, &summary);
}

START_TEST(no_log_is_all_zero_but_for_what_is_new) {
    sample_start(7, false);
    summarize(0);
    struct history_summary none = {.new_left = 7};
    ck_assert_mem_eq(&summary, &none, sizeof none);
    sample.question_count = 0;
    summarize(0);
    none.new_left = 0;
    ck_assert_mem_eq(&summary, &none, sizeof none);
}
END_TEST

START_TEST(figures_are_those_that_are_counted_by_hand) {
    sample_start(6, false);
    sample_answer(0, 0, 3)->took_ms = 5000;
    sample_answer(1, 0, 1)->took_ms = 9000;
    sample_answer(0, 2, 3)->took_ms = 7000;
    sample_answer(1, 2, 1)->took_ms = 0; /* not measured */
    sample_answer(2, 3, 4)->took_ms = 6000;
    (void)sample_about(PROGRESS_UNDO, sample_answer(3, 3, 1), 0);
    sample_add(PROGRESS_SUSPEND, "q4", 3)->rating = 1;
    summarize(3);
    ck_assert_int_eq(summary.answers, 5);
    ck_assert_int_eq(summary.right, 3);
    ck_assert_int_eq(summary.today, 1);
    ck_assert_int_eq(summary.today_right, 1);
    ck_assert_int_eq(summary.learned, 3);
    ck_assert_int_eq(summary.new_left, 2); /* 3 and 5 */
    ck_assert_int_eq(summary.streak_days, 2);
    ck_assert_int_eq(summary.by_day[0], 1);
    ck_assert_int_eq(summary.by_day[1], 2);
    ck_assert_int_eq(summary.by_day[2], 0);
    ck_assert_int_eq(summary.by_day[3], 2);
    ck_assert_int_eq(summary.median_ms, 6000); /* of 5, 6, 7, 9 the lower of the middle two */
    /* 1 was missed, so it is due a day after day 2; 2 after 8 days, on day 11; 0 after 11, on day 13. */
    ck_assert_int_eq(summary.due_today, 1);
    ck_assert_int_eq(summary.forecast[0], 1);
    ck_assert_int_eq(summary.forecast[8], 1);
    ck_assert_int_eq(summary.forecast[10], 1);
    /* Both later reviews were two days after the first: of 2.3065 days' stability, passed, and of 0.212, not. */
    ck_assert_int_eq(summary.measured_reviews, 2);
    ck_assert_double_eq(summary.measured_recall, 0.5);
    const double first = pow(1 + 0.980346 * 2 / 2.3065, -0.1542);
    const double second = pow(1 + 0.980346 * 2 / 0.212, -0.1542);
    ck_assert_double_eq_tol(summary.predicted_recall, (first + second) / 2, 1e-6);
    /* Today: a day after stabilities of 10.96 and of what a miss left, and at once. */
    double expected = pow(1 + 0.980346 / cards[0].memory.stability_days, -0.1542) +
                      pow(1 + 0.980346 / cards[1].memory.stability_days, -0.1542) + 1.0;
    ck_assert_double_eq_tol(summary.expected_recall, expected / 3, 1e-6);
}
END_TEST

START_TEST(what_was_put_off_comes_tomorrow_and_what_is_suspended_not_at_all) {
    sample_start(3, false);
    for (int i = 0; i < 3; i++) {
        (void)sample_answer(i, 0, 1);
    }
    (void)sample_add(PROGRESS_SKIP, "q0", 5);
    sample_add(PROGRESS_SUSPEND, "q1", 5)->rating = 1;
    summarize(5);
    ck_assert_int_eq(summary.due_today, 1);
    ck_assert_int_eq(summary.forecast[0], 1);
    ck_assert_int_eq(summary.forecast[1], 1);
    summarize(6);
    ck_assert_int_eq(summary.due_today, 2);
}
END_TEST

static const struct {
    int days[6]; /* of answers, -1 ends */
    int today, streak;
} streaks[] = {
    {{0, -1}, 0, 1},          {{0, -1}, 1, 1}, /* today can still come */
    {{0, -1}, 2, 0},          {{0, 1, 2, 2, 3, -1}, 3, 4},
    {{0, 1, 3, 4, -1}, 5, 2}, {{-1}, 0, 0},
    {{4, 2, 5, -1}, 5, 2}, /* a clock that went back for a moment */
    {{5, 4, 3, -1}, 5, 3}, /* a log put together from two */
};

START_TEST(a_streak_is_days_in_a_row_up_to_today_or_yesterday) {
    sample_start(1, false);
    for (int i = 0; streaks[_i].days[i] >= 0; i++) {
        (void)sample_answer(0, streaks[_i].days[i], 3);
    }
    summarize(streaks[_i].today);
    ck_assert_int_eq(summary.streak_days, streaks[_i].streak);
}
END_TEST

START_TEST(shares_are_rounded_to_the_nearest_percent) {
    ck_assert_int_eq(history_percent(5.0 / 6.0), 83);
    ck_assert_int_eq(history_percent(0.834), 83);
    ck_assert_int_eq(history_percent(0.835001), 84);
    ck_assert_int_eq(history_percent(1.0), 100);
    ck_assert_int_eq(history_right_percent(&(struct history_summary){.answers = 0}), 0);
    ck_assert_int_eq(history_right_percent(&(struct history_summary){.answers = 3, .right = 2}),
                     67);
}
END_TEST

START_TEST(a_date_is_ahead_today_or_past) {
    struct message m;
    history_say_interview(10, 34, "then", &m);
    ck_assert_str_eq(m.id, "stats.interview_value");
    history_say_interview(34, 34, "then", &m);
    ck_assert_str_eq(m.id, "stats.interview_today");
    history_say_interview(35, 34, "then", &m);
    ck_assert_str_eq(m.id, "stats.interview_past");
}
END_TEST

/* --- Counted twice ----------------------------------------------------------------------------------------- */

static int by_size(const void *a, const void *b) {
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

static void random_log(uint64_t *dice, int events) {
    int64_t day = 0;
    sample_start(12, false);
    for (int i = 0; i < events; i++) {
        day += mangle_random(dice) % 9 == 0 ? 1 : 0;
        int question = (int)(mangle_random(dice) % 14); /* of two there is no more than the id */
        struct progress_event *event = sample_add(PROGRESS_ANSWER, "gone", day);
        (void)snprintf(event->item, sizeof event->item, "q%d", question);
        event->rating = 1 + (int)(mangle_random(dice) % 4);
        event->right = event->rating > 1;
        event->took_ms = (int64_t)(mangle_random(dice) % 4) * (mangle_random(dice) % 100000);
        if (mangle_random(dice) % 7 == 0) {
            int about = (int)(mangle_random(dice) % (uint32_t)sample.count);
            bool undo = mangle_random(dice) % 2 == 0;
            struct progress_event *later = sample_add(PROGRESS_UNDO, "", day);
            later->about = sample.events[about].id;
            later->kind = undo ? PROGRESS_UNDO : PROGRESS_RATING;
            later->rating = 1 + (int)(mangle_random(dice) % 4);
        }
    }
}

START_TEST(a_second_way_of_counting_gives_the_same) {
    static int64_t times[LOG_MAX];
    uint64_t dice = 500;
    int rounds = test_rounds_slow(60, 100);
    for (int round = 0; round < rounds; round++) {
        int events = 1 + (int)(mangle_random(&dice) % 400);
        random_log(&dice, events);
        int64_t today = (sample.events[sample.count - 1].utc_s / DAY_SECONDS) - day_zero;
        int answers = 0, right = 0, measured = 0, by_day[HISTORY_DAYS_SHOWN] = {0};
        for (int i = 0; i < sample.count; i++) {
            const struct progress_event *event = &sample.events[i];
            int question = atoi(event->item + 1);
            if (history_rating(sample.events, sample.count, i) <= 0 || question >= 12) {
                continue;
            }
            int64_t ago = day_zero + today - event->utc_s / DAY_SECONDS;
            right += event->right ? 1 : 0;
            by_day[ago < HISTORY_DAYS_SHOWN ? ago : 0] += ago < HISTORY_DAYS_SHOWN ? 1 : 0;
            if (event->took_ms > 0) {
                times[measured++] = event->took_ms;
            }
            answers++;
        }
        qsort(times, (size_t)measured, sizeof times[0], by_size);
        summarize(today);
        ck_assert_int_eq(summary.answers, answers);
        ck_assert_int_eq(summary.right, right);
        ck_assert_mem_eq(summary.by_day, by_day, sizeof by_day);
        ck_assert_int_eq(summary.median_ms, measured > 0 ? times[(measured - 1) / 2] : 0);
        int due = 0;
        for (int i = 0; i < 12; i++) {
            due += cards[i].reviews > 0 && cards[i].due_day <= day_zero + today ? 1 : 0;
        }
        ck_assert_int_eq(summary.due_today, due);
    }
}
END_TEST

/* --- Many -------------------------------------------------------------------------------------------------- */

enum { MANY = 100000 };

/* More than the window that undoing is looked up in; each third answer is undone by an event at the very end. */
START_TEST(a_hundred_thousand_events_are_read_and_undone_from_afar) {
    struct progress_event *events = calloc(MANY, sizeof *events);
    ck_assert_ptr_nonnull(events);
    sample_start(100, false);
    int answers = MANY * 3 / 4, undone = 0;
    for (int i = 0; i < MANY; i++) {
        events[i].id = i + 1;
        events[i].utc_s = sample_noon(i / 200);
        if (i < answers) {
            events[i].kind = PROGRESS_ANSWER;
            (void)snprintf(events[i].item, PROGRESS_ITEM_MAX, "q%d", i % 100);
            events[i].rating = 3;
            events[i].right = true;
            events[i].took_ms = 1 + i;
        } else {
            events[i].kind = PROGRESS_UNDO;
            events[i].about = 1 + 3 * (i - answers);
            undone++;
        }
    }
    struct history_input in = sample_input(MANY / 200);
    in.events = events;
    in.event_count = MANY;
    history_cards(&in, cards);
    history_summarize(&in, cards, &summary);
    ck_assert_int_eq(undone, 25000);
    ck_assert_int_eq(summary.answers, answers - undone);
    ck_assert_int_eq(summary.right, answers - undone);
    ck_assert_int_eq(cards[1].reviews, 500); /* of 750 each third */
    /* What stays are times 2, 3, 5, 6, 8, 9 …; of 50,000 the 25,000th is 3 × 12,500. */
    ck_assert_int_eq(summary.median_ms, 37500);
    free(events);
}
END_TEST

static Suite *suite(void) {
    Suite *suite = suite_create("history_summary");
    TCase *tests = tcase_create("history_summary");
    tcase_set_timeout(tests, 300);
    tcase_add_test(tests, shares_are_rounded_to_the_nearest_percent);
    tcase_add_test(tests, a_date_is_ahead_today_or_past);
    tcase_add_test(tests, no_log_is_all_zero_but_for_what_is_new);
    tcase_add_test(tests, figures_are_those_that_are_counted_by_hand);
    tcase_add_test(tests, what_was_put_off_comes_tomorrow_and_what_is_suspended_not_at_all);
    tcase_add_loop_test(tests, a_streak_is_days_in_a_row_up_to_today_or_yesterday, 0,
                        (int)(sizeof streaks / sizeof streaks[0]));
    tcase_add_test(tests, a_second_way_of_counting_gives_the_same);
    tcase_add_test(tests, a_hundred_thousand_events_are_read_and_undone_from_afar);
    suite_add_tcase(suite, tests);
    return suite;
}

#include "support/check_main.h"
