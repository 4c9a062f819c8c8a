/* Days of a learner as arithmetic: moments to days and back, dates of the Gregorian calendar, and the recall and the cap
 * that an interview's date asks for. Numbers only; nothing is owned, no clock is asked. Called by whatever schedules
 * cards. Leaves out time zones by name: who calls knows the offset of a moment. Proof: tests/unit/learn/test_day.c. */
#include "shardlab/learn/day.h"

#include <string.h>

#include "shardlab/base/units.h"
#include "shardlab/learn/fsrs.h"

enum {
    HOUR_SECONDS = 3600,
    HOURS = 24,
    MONTHS = 12,
    YEAR_FIRST = 1970,
    YEAR_LAST = 9999,
    DATE_LENGTH = 10,
    YEAR_MONTH_MARK = 4,
    MONTH_DAY_MARK = 7,
};

/* Of an interview, in days left. */
enum { TWO_WEEKS = 14, THREE_WEEKS = 21, LAST_DAYS = 3 };
static const double retention_usual = 0.90, retention_three_weeks = 0.95,
                    retention_two_weeks = 0.97;

enum status day_check(const struct day_rule *rule, struct message *why) {
    bool near = rule->offset_s > -DAY_SECONDS && rule->offset_s < DAY_SECONDS;
    bool hour = rule->rollover_hour >= 0 && rule->rollover_hour < HOURS;
    if (near && hour) {
        return STATUS_OK;
    }
    char text[32];
    struct writer w;
    int64_t value = near ? rule->rollover_hour : rule->offset_s;
    writer_start(&w, text, sizeof text);
    writer_text(&w, value < 0 ? "-" : "");
    writer_u64(&w, (uint64_t)(value < 0 ? -value : value));
    message_start(why, near ? "error.day.hour" : "error.day.offset");
    message_add_text(why, text);
    return STATUS_USAGE;
}

static int64_t floor_div(int64_t a, int64_t b) {
    return a / b - (a % b < 0 ? 1 : 0);
}

static int64_t begin_of_day_s(const struct day_rule *rule) {
    return (int64_t)rule->rollover_hour * HOUR_SECONDS - rule->offset_s;
}

int64_t day_of(const struct day_rule *rule, int64_t utc_s) {
    int64_t day = floor_div(utc_s, DAY_SECONDS); /* first, so that no moment overflows */
    int64_t second = (utc_s % DAY_SECONDS + DAY_SECONDS) % DAY_SECONDS;
    return day + floor_div(second - begin_of_day_s(rule), DAY_SECONDS);
}

int64_t day_begin(const struct day_rule *rule, int64_t day) {
    return day * DAY_SECONDS + begin_of_day_s(rule);
}

uint64_t day_elapsed(int64_t before, int64_t now) {
    return now > before ? (uint64_t)now - (uint64_t)before : 0;
}

/* --- Dates ------------------------------------------------------------------------------------------------- */

static bool is_leap(int year) {
    return (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
}

static int month_days(int year, int month) {
    static const int days[MONTHS] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    return days[month - 1] + (month == 2 && is_leap(year) ? 1 : 0);
}

/* Days from 1970-01-01 to the first of January. */
static int64_t year_begin(int year) {
    int before = year - 1;
    int64_t leaps = before / 4 - before / 100 + before / 400;
    int64_t leaps_then = 1969 / 4 - 1969 / 100 + 1969 / 400;
    return (int64_t)(year - YEAR_FIRST) * 365 + leaps - leaps_then;
}

/* Two or four digits; -1: something else. */
static int digits(const char *text, int count) {
    int value = 0;
    for (int i = 0; i < count; i++) {
        if (text[i] < '0' || text[i] > '9') {
            return -1;
        }
        value = value * 10 + (text[i] - '0');
    }
    return value;
}

bool day_parse(const char *text, int64_t *day) {
    char folded[DATE_LENGTH + 1];
    if (!units_fold(text, folded, sizeof folded) || strlen(folded) != DATE_LENGTH ||
        folded[YEAR_MONTH_MARK] != '-' || folded[MONTH_DAY_MARK] != '-') {
        return false;
    }
    int year = digits(folded, 4);
    int month = digits(folded + YEAR_MONTH_MARK + 1, 2);
    int of_month = digits(folded + MONTH_DAY_MARK + 1, 2);
    if (year < YEAR_FIRST || month < 1 || month > MONTHS || of_month < 1 ||
        of_month > month_days(year, month)) {
        return false;
    }
    int64_t days = year_begin(year) + of_month - 1;
    for (int m = 1; m < month; m++) {
        days += month_days(year, m);
    }
    *day = days;
    return true;
}

/* With leading zeros. */
static void write_digits(struct writer *w, int value, int count) {
    for (int power = count == 4 ? 1000 : 10; power > 0; power /= 10) {
        writer_char(w, (char)('0' + value / power % 10));
    }
}

void day_write(struct writer *w, int64_t day) {
    int year = YEAR_FIRST, month = 1;
    while (year < YEAR_LAST && year_begin(year + 1) <= day) {
        year++;
    }
    int64_t rest = day - year_begin(year);
    while (month < MONTHS && rest >= month_days(year, month)) {
        rest -= month_days(year, month++);
    }
    write_digits(w, year, 4);
    writer_char(w, '-');
    write_digits(w, month, 2);
    writer_char(w, '-');
    write_digits(w, (int)rest + 1, 2);
}

/* --- An interview ------------------------------------------------------------------------------------------ */

enum status day_parse_interview(const char *text, int64_t today, int64_t *day,
                                struct message *why) {
    int64_t read = 0;
    if (!day_parse(text, &read)) {
        message_start(why, "error.day.date");
        message_add_text(why, text);
        return STATUS_USAGE;
    }
    if (read < today) {
        char date[DATE_LENGTH + 1];
        struct writer w;
        writer_start(&w, date, sizeof date);
        day_write(&w, today);
        message_start(why, "error.day.past");
        message_add_text(why, text);
        message_add_text(why, date);
        return STATUS_USAGE;
    }
    *day = read;
    return STATUS_OK;
}

struct day_plan day_plan_make(int64_t today, const int64_t *interview) {
    if (interview == NULL || *interview < today) {
        return (struct day_plan){.retention = retention_usual, .max_days = FSRS_DAYS_MAX};
    }
    uint64_t left = day_elapsed(today, *interview);
    uint64_t half = left / 2 > 1 ? left / 2 : 1;
    return (struct day_plan){
        .retention = left <= TWO_WEEKS     ? retention_two_weeks
                     : left <= THREE_WEEKS ? retention_three_weeks
                                           : retention_usual,
        .max_days = half < FSRS_DAYS_MAX ? half : FSRS_DAYS_MAX,
        .lowest_recall = left <= LAST_DAYS,
    };
}
