/* Days of a learner: the hour at which they turn, offsets east and west, dates against a calendar, and what an interview's
 * date asks for. */
#include "shardlab/learn/day.h"

#include <check.h>
#include <string.h>

#include "shardlab/learn/fsrs.h"
#include "support/mangle.h"
#include "support/rounds.h"

enum { HOUR = 3600 };

/* Local clock, where, and the day that it is still. */
static const struct {
    const char *date;
    int hour, minute;
    int32_t offset_s;
    int rollover;
    const char *day;
} moments[] = {
    {"2026-03-01", 3, 59, 0, 4, "2026-02-28"},
    {"2026-03-01", 4, 0, 0, 4, "2026-03-01"},
    {"2026-03-01", 23, 59, 0, 4, "2026-03-01"},
    {"2026-03-02", 0, 30, 8 * HOUR, 4, "2026-03-01"},
    {"2026-03-02", 4, 0, 8 * HOUR, 4, "2026-03-02"},
    {"2026-03-02", 3, 59, -5 * HOUR, 4, "2026-03-01"},
    {"2026-03-02", 4, 0, -5 * HOUR, 4, "2026-03-02"},
    {"2024-03-01", 0, 0, 5 * HOUR + 1800, 4, "2024-02-29"},
    {"2026-01-01", 0, 0, 14 * HOUR, 0, "2026-01-01"},
    {"2026-01-01", 22, 59, -12 * HOUR, 23, "2025-12-31"},
    {"1970-01-02", 3, 0, 12 * HOUR, 4, "1970-01-01"},
};

START_TEST(a_day_turns_at_the_roll_over_hour_of_the_place) {
    struct day_rule rule = {moments[_i].offset_s, moments[_i].rollover};
    struct message why;
    int64_t date = 0;
    char text[16];
    struct writer w;
    ck_assert_int_eq(day_check(&rule, &why), STATUS_OK);
    ck_assert(day_parse(moments[_i].date, &date));
    int64_t local_s = date * DAY_SECONDS + moments[_i].hour * HOUR + moments[_i].minute * 60;
    int64_t day = day_of(&rule, local_s - moments[_i].offset_s);
    writer_start(&w, text, sizeof text);
    day_write(&w, day);
    ck_assert_str_eq(text, moments[_i].day);
}
END_TEST

START_TEST(a_day_begins_where_the_one_before_ends) {
    uint64_t seed = 3;
    for (int i = test_rounds(20000); i > 0; i--) {
        struct day_rule rule = {(int32_t)(mangle_random(&seed) % (2 * DAY_SECONDS - 1)) -
                                    (DAY_SECONDS - 1),
                                (int)(mangle_random(&seed) % 24)};
        int64_t day = (int64_t)(mangle_random(&seed) % 2000000) - 1000000;
        int64_t begin = day_begin(&rule, day);
        ck_assert_int_eq(day_of(&rule, begin), day);
        ck_assert_int_eq(day_of(&rule, begin - 1), day - 1);
        ck_assert_int_eq(day_of(&rule, begin + DAY_SECONDS - 1), day);
    }
}
END_TEST

START_TEST(no_moment_overflows) {
    struct day_rule east = {DAY_SECONDS - 1, 0}, west = {1 - DAY_SECONDS, 23};
    ck_assert(day_of(&east, INT64_MAX) > day_of(&east, 0));
    ck_assert(day_of(&west, INT64_MIN) < day_of(&west, 0));
    ck_assert_uint_eq(day_elapsed(INT64_MIN, INT64_MAX), UINT64_MAX);
}
END_TEST

START_TEST(a_minute_after_the_roll_over_is_the_next_day_and_a_clock_set_back_the_same) {
    struct day_rule rule = {8 * HOUR, DAY_ROLLOVER_USUAL};
    int64_t begin = day_begin(&rule, 20000);
    ck_assert_uint_eq(day_elapsed(day_of(&rule, begin - 60), day_of(&rule, begin)), 1);
    ck_assert_uint_eq(day_elapsed(day_of(&rule, begin), day_of(&rule, begin + 86399)), 0);
    ck_assert_uint_eq(day_elapsed(20001, 20000), 0);
}
END_TEST

static const struct {
    struct day_rule rule;
    const char *id, *names;
} rules_bad[] = {
    {{DAY_SECONDS, 4}, "error.day.offset", "86400"},
    {{-DAY_SECONDS, 4}, "error.day.offset", "-86400"},
    {{0, 24}, "error.day.hour", "24"},
    {{0, -1}, "error.day.hour", "-1"},
};

START_TEST(a_rule_outside_its_range_is_named) {
    struct message why;
    ck_assert_int_eq(day_check(&rules_bad[_i].rule, &why), STATUS_USAGE);
    ck_assert_str_eq(why.id, rules_bad[_i].id);
    ck_assert_str_eq(why.args[0].text, rules_bad[_i].names);
}
END_TEST

static const struct {
    const char *text;
    int64_t day;
} dates[] = {{"1970-01-01", 0},
             {"1970-12-31", 364},
             {"1972-02-29", 789},
             {"2000-02-29", 11016},
             {"2000-03-01", 11017},
             {"2026-11-30", 20787},
             {"２０２６－１１－３０", 20787},
             {"2100-03-01", 47541},
             {"9999-12-31", 2932896}};

START_TEST(a_date_is_the_day_of_the_calendar) {
    int64_t day = -1;
    ck_assert(day_parse(dates[_i].text, &day));
    ck_assert_int_eq(day, dates[_i].day);
}
END_TEST

START_TEST(every_day_is_written_as_it_is_read) {
    char text[16], last[16] = "1969-12-31";
    for (int64_t day = 0; day <= 2932896; day += day < 60000 ? 1 : 977) {
        int64_t read = -1;
        struct writer w;
        writer_start(&w, text, sizeof text);
        day_write(&w, day);
        ck_assert_msg(day_parse(text, &read) && read == day, "%s", text);
        ck_assert_msg(strcmp(text, last) > 0, "%s after %s", text, last);
        strcpy(last, text);
    }
}
END_TEST

static const char *const no_dates[] = {
    "",           "2026-2-3",    "2026-02-29",    "2100-02-29",  "2026-13-01",
    "2026-00-10", "2026-01-00",  "2026-01-32",    "1969-12-31",  "2026/01/02",
    "20260102",   "02-01-2026",  "2026-01-02 ",   " 2026-01-02", "2026-01-0x",
    "+026-01-02", "2026-01-023", "２０２６年１月"};

START_TEST(what_is_no_date_is_refused) {
    int64_t day = 7;
    struct message why;
    ck_assert(!day_parse(no_dates[_i], &day));
    ck_assert_int_eq(day_parse_interview(no_dates[_i], 0, &day, &why), STATUS_USAGE);
    ck_assert_str_eq(why.id, "error.day.date");
    ck_assert_int_eq(day, 7);
}
END_TEST

START_TEST(an_interview_may_be_today_but_not_before) {
    int64_t day = 0;
    struct message why;
    ck_assert_int_eq(day_parse_interview("2026-11-30", 20787, &day, &why), STATUS_OK);
    ck_assert_int_eq(day, 20787);
    ck_assert_int_eq(day_parse_interview("2026-11-29", 20787, &day, &why), STATUS_USAGE);
    ck_assert_str_eq(why.id, "error.day.past");
    ck_assert_str_eq(why.args[0].text, "2026-11-29");
    ck_assert_str_eq(why.args[1].text, "2026-11-30");
}
END_TEST

static const struct {
    int64_t left;
    double retention;
    uint64_t max_days;
    bool lowest_recall;
} plans[] = {
    {-1, 0.90, FSRS_DAYS_MAX, false},
    {0, 0.97, 1, true},
    {1, 0.97, 1, true},
    {2, 0.97, 1, true},
    {3, 0.97, 1, true},
    {4, 0.97, 2, false},
    {5, 0.97, 2, false},
    {14, 0.97, 7, false},
    {15, 0.95, 7, false},
    {21, 0.95, 10, false},
    {22, 0.90, 11, false},
    {365, 0.90, 182, false},
    {1000000, 0.90, FSRS_DAYS_MAX, false},
};

START_TEST(days_left_decide_recall_cap_and_order) {
    const int64_t today = 20787, interview = today + plans[_i].left;
    struct day_plan plan = day_plan_make(today, &interview);
    ck_assert_double_eq(plan.retention, plans[_i].retention);
    ck_assert_uint_eq(plan.max_days, plans[_i].max_days);
    ck_assert_int_eq(plan.lowest_recall, plans[_i].lowest_recall);
}
END_TEST

START_TEST(without_an_interview_nothing_is_short) {
    struct day_plan plan = day_plan_make(20787, NULL);
    ck_assert_double_eq(plan.retention, 0.90);
    ck_assert_uint_eq(plan.max_days, FSRS_DAYS_MAX);
    ck_assert(!plan.lowest_recall);
}
END_TEST

/* What the cap is for: with an interview in two weeks a new card comes back often enough before it. */
START_TEST(a_card_known_each_time_returns_before_the_interview) {
    const int64_t interview = 14;
    struct fsrs_memory m = fsrs_first(&fsrs_weights, FSRS_GOOD);
    int64_t today = 0;
    int reviews = 1;
    for (;; reviews++) {
        struct day_plan plan = day_plan_make(today, &interview);
        uint64_t days =
            fsrs_interval_days(&fsrs_weights, m.stability_days, plan.retention, plan.max_days);
        today += (int64_t)days;
        if (today > interview) {
            break;
        }
        m = fsrs_next(&fsrs_weights, m, FSRS_GOOD, days);
    }
    ck_assert_int_ge(reviews, 5);
}
END_TEST

#define ROWS(table) (int)(sizeof(table) / sizeof(table)[0])

static Suite *suite(void) {
    Suite *s = suite_create("day");
    TCase *t = tcase_create("days");
    tcase_add_loop_test(t, a_day_turns_at_the_roll_over_hour_of_the_place, 0, ROWS(moments));
    tcase_add_test(t, a_day_begins_where_the_one_before_ends);
    tcase_add_test(t, no_moment_overflows);
    tcase_add_test(t, a_minute_after_the_roll_over_is_the_next_day_and_a_clock_set_back_the_same);
    tcase_add_loop_test(t, a_rule_outside_its_range_is_named, 0, ROWS(rules_bad));
    suite_add_tcase(s, t);
    t = tcase_create("dates");
    tcase_add_loop_test(t, a_date_is_the_day_of_the_calendar, 0, ROWS(dates));
    tcase_add_test(t, every_day_is_written_as_it_is_read);
    tcase_add_loop_test(t, what_is_no_date_is_refused, 0, ROWS(no_dates));
    tcase_add_test(t, an_interview_may_be_today_but_not_before);
    suite_add_tcase(s, t);
    t = tcase_create("plans");
    tcase_add_loop_test(t, days_left_decide_recall_cap_and_order, 0, ROWS(plans));
    tcase_add_test(t, without_an_interview_nothing_is_short);
    tcase_add_test(t, a_card_known_each_time_returns_before_the_interview);
    suite_add_tcase(s, t);
    return s;
}

#include "support/check_main.h"
