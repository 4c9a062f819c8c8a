/* The log in figures: how much, how well, how regularly, and what comes. Counts over cards and one walk over the log; a
 * median needs three more, since nothing is allocated to sort times in. Proof: tests/unit/learn/test_history_summary.c. */
#include <string.h>

#include "history_private.h"

/* --- Cards ------------------------------------------------------------------------------------------------- */

static void count_due(const struct card *card, int64_t today, struct history_summary *out) {
    int64_t ahead = card->due_day > today ? card->due_day - today : 0;
    ahead = card->skipped_today && ahead == 0 ? 1 : ahead;
    if (card->suspended) {
        return;
    }
    out->due_today += card_is_due(card, today) ? 1 : 0;
    if (ahead < HISTORY_DAYS_SHOWN) {
        out->forecast[ahead]++;
    }
}

static void count_cards(const struct card *cards, int count, int64_t today,
                        struct history_summary *out) {
    double expected = 0.0, predicted = 0.0;
    int passes = 0;
    for (int i = 0; i < count; i++) {
        const struct card *card = &cards[i];
        if (card->reviews == 0) {
            out->new_left += card->suspended ? 0 : 1;
            continue;
        }
        out->learned++;
        out->answers += card->reviews;
        out->right += card->right;
        out->measured_reviews += card->later_reviews;
        passes += card->later_passes;
        predicted += card->later_expected;
        expected += card_recall(card, today);
        count_due(card, today, out);
    }
    if (out->learned > 0) {
        out->expected_recall = expected / out->learned;
    }
    if (out->measured_reviews > 0) {
        out->measured_recall = (double)passes / out->measured_reviews;
        out->predicted_recall = predicted / out->measured_reviews;
    }
}

/* --- Days -------------------------------------------------------------------------------------------------- */

enum { STREAK_DAYS_MOST = 4096 };

/* Days ago of which each bit says whether something was answered; a log need not be in the order of its days. */
struct days {
    unsigned char bits[STREAK_DAYS_MOST / 8];
};

static bool has_day(const struct days *days, int ago) {
    return ago < STREAK_DAYS_MOST && ((unsigned)days->bits[ago / 8] >> (ago % 8) & 1U) != 0;
}

static int streak(const struct days *days) {
    int first = has_day(days, 0) ? 0 : 1; /* today can still come */
    int end = first;
    while (has_day(days, end)) {
        end++;
    }
    return end - first;
}

static void count_days(struct walk *walk, struct history_summary *out) {
    struct days days = {{0}};
    struct step step;
    while (walk_next(walk, &step)) {
        if (step.event->kind != PROGRESS_ANSWER) {
            continue;
        }
        uint64_t ago = day_elapsed(step.day, walk->today);
        if (ago < HISTORY_DAYS_SHOWN) {
            out->by_day[ago]++;
        }
        if (ago < STREAK_DAYS_MOST) {
            days.bits[ago / 8] |= (unsigned char)(1U << (ago % 8));
        }
        out->today_right += ago == 0 && step.event->right ? 1 : 0;
    }
    out->today = out->by_day[0];
    out->streak_days = streak(&days);
}

/* --- The median -------------------------------------------------------------------------------------------- */

enum { DIGIT_BITS = 11, DIGITS = 3, DIGIT_VALUES = 1 << DIGIT_BITS };

/* Answers whose time has the same digits above `digit` as `above`, by that digit. Times of more than 99 days are no
 * times. */
static int count_times(const struct history_input *in, const struct study_settings *settings,
                       int digit, int64_t above, int counts[DIGIT_VALUES]) {
    struct walk walk;
    struct step step;
    int all = 0;
    int shift = digit * DIGIT_BITS;
    memset(counts, 0, sizeof *counts * DIGIT_VALUES);
    walk_start(&walk, in, settings);
    while (walk_next(&walk, &step)) {
        int64_t took = step.event->kind == PROGRESS_ANSWER ? step.event->took_ms : 0;
        if (took > 0 && took >> DIGIT_BITS * DIGITS == 0 && took >> shift >> DIGIT_BITS == above) {
            counts[(took >> shift) & (DIGIT_VALUES - 1)]++;
            all++;
        }
    }
    return all;
}

/* Digit by digit from the highest: in which of its values the middle answer lies. */
static int64_t median_ms(const struct history_input *in, const struct study_settings *settings) {
    int counts[DIGIT_VALUES];
    int64_t found = 0;
    int before = 0; /* answers that must still be passed */
    for (int digit = DIGITS - 1; digit >= 0; digit--) {
        int all = count_times(in, settings, digit, found, counts);
        if (all == 0) {
            return 0;
        }
        before = digit == DIGITS - 1 ? (all - 1) / 2 : before;
        int value = 0;
        while (before >= counts[value]) {
            before -= counts[value++];
        }
        found = found << DIGIT_BITS | value;
    }
    return found;
}

void history_summarize(const struct history_input *in, const struct card *cards,
                       struct history_summary *out) {
    const struct study_settings settings = study_settings_of(in->events, in->event_count);
    struct walk walk;
    memset(out, 0, sizeof *out);
    walk_start(&walk, in, &settings);
    count_cards(cards, in->question_count, walk.today, out);
    count_days(&walk, out);
    out->median_ms = median_ms(in, &settings);
}

/* --- As people read them ----------------------------------------------------------------------------------- */

int history_percent(double share) {
    return (int)(share * 100 + 0.5);
}

int history_right_percent(const struct history_summary *summary) {
    return summary->answers > 0 ? history_percent((double)summary->right / summary->answers) : 0;
}

void history_say_interview(int64_t today, int64_t interview, const char *date,
                           struct message *out) {
    message_start(out, interview > today    ? "stats.interview_value"
                       : interview == today ? "stats.interview_today"
                                            : "stats.interview_past");
    message_add_text(out, date);
    message_add_plain(out, day_elapsed(today, interview));
}
