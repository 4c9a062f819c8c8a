/* What a learner has set, out of the log: the last value of each name that can be read. Plain data, nothing is owned.
 * Proof: tests/unit/learn/test_history.c. */
#include <string.h>

#include "shardlab/base/units.h"
#include "shardlab/learn/history.h"

enum { USUAL_CARDS = 20, USUAL_NEW = 8, CARDS_MOST = 9999, HOUR_MOST = 23 };

struct study_settings study_settings_usual(void) {
    return (struct study_settings){
        .rollover_hour = DAY_ROLLOVER_USUAL, .budget_cards = USUAL_CARDS, .new_cards = USUAL_NEW};
}

/* A whole number up to `most` and nothing else, else `old`; the usual for an empty text. */
static int number(const char *text, int most, int usual, int old) {
    int value = 0;
    if (*text == '\0') {
        return usual;
    }
    for (; *text != '\0'; text++) {
        if (*text < '0' || *text > '9' || value > most) {
            return old;
        }
        value = value * 10 + (*text - '0');
    }
    return value <= most ? value : old;
}

static void set(struct study_settings *s, const char *name, const char *text) {
    const struct study_settings usual = study_settings_usual();
    char folded[PROGRESS_TEXT_MAX];
    if (!units_fold(text, folded, sizeof folded)) {
        return;
    }
    if (strcmp(name, "rollover-hour") == 0) {
        s->rollover_hour = number(folded, HOUR_MOST, usual.rollover_hour, s->rollover_hour);
    } else if (strcmp(name, "budget-cards") == 0) {
        s->budget_cards = number(folded, CARDS_MOST, usual.budget_cards, s->budget_cards);
    } else if (strcmp(name, "new-cards") == 0) {
        s->new_cards = number(folded, CARDS_MOST, usual.new_cards, s->new_cards);
    } else if (strcmp(name, "interview") == 0) {
        bool date = day_parse(folded, &s->interview_day);
        s->has_interview = date || (s->has_interview && folded[0] != '\0');
    }
}

struct study_settings study_settings_of(const struct progress_event *events, int count) {
    struct study_settings s = study_settings_usual();
    for (int i = 0; i < count; i++) {
        if (events[i].kind == PROGRESS_SETTING) {
            set(&s, events[i].item, events[i].text);
        }
    }
    return s;
}
