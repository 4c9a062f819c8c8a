/* Which events of the log count, for which question, on which day. An event never changes; that it was undone or rated anew
 * stands further on in the log, so a window of events is looked up at a time against all that follow it. Reads the caller's
 * arrays, keeps its tables in the caller's struct. Proof: tests/unit/learn/test_history.c. */
#include <assert.h>
#include <string.h>

#include "history_private.h"
#include "learn_private.h"

static bool is_rating(int rating) {
    return rating >= FSRS_AGAIN && rating <= FSRS_EASY;
}

/* --- Ratings ----------------------------------------------------------------------------------------------- */

/* As it was given; an answer without one is rated by its verdict. */
static int own_rating(const struct progress_event *event) {
    if (event->kind != PROGRESS_ANSWER) {
        return 0;
    }
    return is_rating(event->rating) ? event->rating : event->right ? FSRS_GOOD : FSRS_AGAIN;
}

/* What `later` makes of the rating of the answer that it is about. */
static int changed_rating(int rating, const struct progress_event *later) {
    if (rating <= 0) {
        return rating; /* no answer, or undone already */
    }
    if (later->kind == PROGRESS_UNDO) {
        return -1;
    }
    return later->kind == PROGRESS_RATING && is_rating(later->rating) ? later->rating : rating;
}

/* The event of that id in first … end - 1, whose ids ascend; -1: it is not there. */
static int find(const struct progress_event *events, int first, int end, int64_t id) {
    while (first < end) {
        int middle = first + (end - first) / 2;
        if (events[middle].id == id) {
            return middle;
        }
        if (events[middle].id < id) {
            first = middle + 1;
        } else {
            end = middle;
        }
    }
    return -1;
}

int history_rating(const struct progress_event *events, int count, int at) {
    int rating = own_rating(&events[at]);
    for (int i = at + 1; i < count && rating > 0; i++) {
        if (events[i].about != 0 && events[i].about == events[at].id) {
            rating = changed_rating(rating, &events[i]);
        }
    }
    return rating;
}

/* Of the answer before `at` that an undoing is about; -1: it is about none. */
static int undone_answer(const struct progress_event *events, int at) {
    int64_t about = events[at].about;
    int found = events[at].kind == PROGRESS_UNDO && about != 0 ? find(events, 0, at, about) : -1;
    return found >= 0 && events[found].kind == PROGRESS_ANSWER ? found : -1;
}

bool history_stands(const struct progress_event *events, int count, int at) {
    for (int i = at + 1; i < count; i++) {
        int answer = undone_answer(events, i);
        if (answer >= 0 && answer < at && strcmp(events[answer].item, events[at].item) == 0) {
            return false;
        }
    }
    return true;
}

static void look_up(struct walk *w, int first) {
    const struct progress_event *events = w->in->events;
    int left = w->in->event_count - first;
    int end = first + (left < WALK_EVENTS ? left : WALK_EVENTS);
    w->first = first;
    for (int i = first; i < end; i++) {
        w->ratings[i - first] = (short)own_rating(&events[i]);
    }
    for (int i = first; i < w->in->event_count; i++) {
        if (events[i].kind != PROGRESS_UNDO && events[i].kind != PROGRESS_RATING) {
            continue;
        }
        int64_t about = events[i].about;
        int at = about == 0 ? -1 : find(events, first, end < i ? end : i, about);
        if (at >= 0) {
            short *rating = &w->ratings[at - first];
            *rating = (short)changed_rating(*rating, &events[i]);
        }
    }
}

/* --- Questions --------------------------------------------------------------------------------------------- */

/* Where the question of that id is, or would be. */
static int slot_of(const struct walk *w, const char *id) {
    int slot = (int)(learn_hash(id) % WALK_SLOTS);
    while (w->slots[slot] != 0 && strcmp(w->in->questions[w->slots[slot] - 1]->id, id) != 0) {
        slot = (slot + 1) % WALK_SLOTS;
    }
    return slot;
}

/* --- Days -------------------------------------------------------------------------------------------------- */

static int64_t day_by(int32_t offset_s, int rollover_hour, int64_t utc_s) {
    bool possible = offset_s > -DAY_SECONDS && offset_s < DAY_SECONDS;
    const struct day_rule rule = {.offset_s = possible ? offset_s : 0,
                                  .rollover_hour = rollover_hour};
    return day_of(&rule, utc_s);
}

/* On the other side of the date line it may be tomorrow already. */
static int64_t day_of_event(const struct walk *w, const struct progress_event *event) {
    int64_t day = day_by(event->offset_s, w->rollover_hour, event->utc_s);
    return day < w->today ? day : w->today;
}

static bool is_past(const struct walk *w, const struct progress_event *event) {
    return event->utc_s <= w->in->utc_s;
}

static int64_t first_believed(const struct walk *w) {
    for (int i = 0; i < w->in->event_count; i++) {
        if (is_past(w, &w->in->events[i])) {
            return day_of_event(w, &w->in->events[i]);
        }
    }
    return w->today;
}

int64_t history_today(const struct history_input *in) {
    struct study_settings s = study_settings_of(in->events, in->event_count);
    return day_by(in->offset_s, s.rollover_hour, in->utc_s);
}

/* --- The walk ---------------------------------------------------------------------------------------------- */

void walk_start(struct walk *w, const struct history_input *in,
                const struct study_settings *settings) {
    assert(in->question_count <= HISTORY_QUESTIONS_MAX);
    w->in = in;
    w->rollover_hour = settings->rollover_hour;
    w->today = day_by(in->offset_s, settings->rollover_hour, in->utc_s);
    w->at = 0;
    memset(w->slots, 0, sizeof w->slots);
    for (int i = 0; i < in->question_count; i++) {
        w->slots[slot_of(w, in->questions[i]->id)] = (uint16_t)(i + 1);
    }
    w->believed = first_believed(w);
    look_up(w, 0);
}

/* The id of the question that an event concerns; NULL: none, or it does not count. */
static const char *concerned(const struct walk *w, int at) {
    const struct progress_event *events = w->in->events;
    switch (events[at].kind) {
    case PROGRESS_ANSWER:
        return w->ratings[at - w->first] > 0 ? events[at].item : NULL;
    case PROGRESS_SKIP:
    case PROGRESS_SUSPEND:
        return events[at].item;
    default: {
        int answer = undone_answer(events, at);
        return answer >= 0 ? events[answer].item : NULL;
    }
    }
}

bool walk_next(struct walk *w, struct step *out) {
    while (w->at < w->in->event_count) {
        int at = w->at++;
        const struct progress_event *event = &w->in->events[at];
        if (at - w->first >= WALK_EVENTS) {
            look_up(w, at);
        }
        if (is_past(w, event)) {
            w->believed = day_of_event(w, event);
        }
        const char *id = concerned(w, at);
        int question = id == NULL ? -1 : w->slots[slot_of(w, id)] - 1;
        if (question >= 0) {
            *out = (struct step){.event = event,
                                 .question = question,
                                 .day = w->believed,
                                 .rating = w->ratings[at - w->first]};
            return true;
        }
    }
    return false;
}
