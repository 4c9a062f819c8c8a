/* The course of a sitting: an answer is taken, a missed card comes again, the last answers can be taken back, and a sitting
 * that was broken off is gone through again from the log. Before `at` the queue holds what was answered, after it what is to
 * come, each question at most once. Writes the caller's sitting, owns nothing. Proof: tests/unit/learn/test_sitting.c,
 * tests/unit/learn/test_sitting_random.c. */
#include "shardlab/learn/sitting.h"

#include <assert.h>
#include <string.h>

#include "learn_private.h"
#include "sitting_private.h"

enum { AGAIN_LEAST = 3, AGAIN_MOST = 8 };

/* --- The queue --------------------------------------------------------------------------------------------- */

/* Numbers follow from sitting and question; each time that it comes again, from those of before. */
static uint64_t next_seed(uint64_t seed) {
    uint64_t dice = instance_dice(seed);
    uint64_t high = (uint64_t)instance_pick(&dice, INT32_MAX);
    return high << 31 | (uint64_t)instance_pick(&dice, INT32_MAX);
}

void sitting_append(struct sitting *s, const struct question *const *questions, int question) {
    assert(s->count < SITTING_CARDS_MAX);
    s->queue[s->count++] = (struct sitting_card){
        .question = question, .seed = next_seed(s->id ^ learn_hash(questions[question]->id))};
}

static void insert(struct sitting *s, int at, const struct sitting_card *card) {
    memmove(&s->queue[at + 1], &s->queue[at], sizeof s->queue[0] * (size_t)(s->count - at));
    s->queue[at] = *card;
    s->count++;
}

static void take_out(struct sitting *s, int at) {
    s->count--;
    memmove(&s->queue[at], &s->queue[at + 1], sizeof s->queue[0] * (size_t)(s->count - at));
    memset(&s->queue[s->count], 0, sizeof s->queue[0]);
}

/* Where a question is still to come; -1: it is not. */
static int to_come(const struct sitting *s, int question) {
    for (int i = s->at; i < s->count; i++) {
        if (s->queue[i].question == question) {
            return i;
        }
    }
    return -1;
}

void sitting_start_with(struct sitting *s, const int *questions, int count, uint64_t id) {
    memset(s, 0, sizeof *s);
    s->id = id;
    for (int i = 0; i < count && s->count < SITTING_FIRST_MAX; i++) {
        if (to_come(s, questions[i]) < 0) {
            uint64_t seed = next_seed(id + (uint64_t)questions[i]);
            s->queue[s->count++] = (struct sitting_card){.question = questions[i], .seed = seed};
        }
    }
}

struct sitting_left sitting_left_of(const struct sitting *s, const struct card *cards) {
    struct sitting_left left = {0};
    for (int i = s->at; i < s->count; i++) {
        bool seen = cards[s->queue[i].question].reviews > 0;
        left.again += seen ? 1 : 0;
        left.new_cards += seen ? 0 : 1;
    }
    return left;
}

const struct sitting_card *sitting_now(const struct sitting *s) {
    return s->at < s->count ? &s->queue[s->at] : NULL;
}

/* --- Answers ----------------------------------------------------------------------------------------------- */

/* Puts the card that was just passed in again; returns where, -1 when the queue is full. */
static int come_again(struct sitting *s, const struct sitting_card *card) {
    if (s->count == SITTING_CARDS_MAX) {
        return -1;
    }
    struct sitting_card again = {
        .question = card->question, .seed = next_seed(card->seed), .again = true};
    uint64_t dice = instance_dice(again.seed);
    int at = s->at - 1 + AGAIN_LEAST + instance_pick(&dice, AGAIN_MOST - AGAIN_LEAST + 1);
    at = at < s->count ? at : s->count;
    insert(s, at, &again);
    return at;
}

/* The card in front was answered; the attempt of what is entered is the caller's to fill in. */
static struct sitting_done *enter(struct sitting *s, bool right, enum fsrs_rating rating,
                                  int64_t event) {
    struct sitting_done *done = &s->done[s->done_next];
    memset(done, 0, sizeof *done);
    s->done_next = (s->done_next + 1) % SITTING_UNDO_MAX;
    s->done_count += s->done_count < SITTING_UNDO_MAX ? 1 : 0;
    done->card = s->queue[s->at++];
    done->event = event;
    done->right = right;
    done->rating = rating;
    done->requeued_at = rating == FSRS_AGAIN ? come_again(s, &done->card) : -1;
    s->answered++;
    s->right += right ? 1 : 0;
    return done;
}

void sitting_take(struct sitting *s, const struct attempt *a, int64_t event) {
    if (sitting_now(s) != NULL && a->state == ATTEMPT_JUDGED) {
        enter(s, a->right, a->rating, event)->attempt = *a;
    }
}

void sitting_skip(struct sitting *s) {
    if (sitting_now(s) != NULL) {
        take_out(s, s->at);
    }
}

bool sitting_undo(struct sitting *s, int64_t *event, struct attempt *a) {
    if (s->done_count == 0) {
        return false;
    }
    s->done_next = (s->done_next + SITTING_UNDO_MAX - 1) % SITTING_UNDO_MAX;
    s->done_count--;
    struct sitting_done *done = &s->done[s->done_next];
    int again = to_come(s, done->card.question);
    if (again >= 0) {
        take_out(s, again);
    }
    s->at--;
    s->answered--;
    s->right -= done->right ? 1 : 0;
    *event = done->event;
    *a = done->attempt;
    attempt_ask_again(a);
    memset(done, 0, sizeof *done);
    return true;
}

/* --- Out of the log ---------------------------------------------------------------------------------------- */

static int first_event(const struct history_input *in, uint64_t id) {
    for (int i = 0; i < in->event_count; i++) {
        if (in->events[i].sitting == id) {
            return i;
        }
    }
    return in->event_count;
}

/* The question of an event; -1: there is none any more. */
static int question_of(const struct history_input *in, const struct progress_event *event) {
    for (int i = 0; i < in->question_count; i++) {
        if (strcmp(in->questions[i]->id, event->item) == 0) {
            return i;
        }
    }
    return -1;
}

struct replay {
    struct sitting *s;
    const struct history_input *in; /* the whole log */
    const struct card *cards;       /* as they were at the start */
    struct sitting_room
        besides; /* what the learner asked for beyond the plan does not use up its room */
};

static bool was_answered(const struct sitting *s, int question) {
    for (int i = 0; i < s->at; i++) {
        if (s->queue[i].question == question) {
            return true;
        }
    }
    return false;
}

/* An answer as it was taken. What was not to come then, a follow-up that the learner asked for, came in at that moment. */
static void answer_again(struct replay *r, int at, int question) {
    struct sitting *s = r->s;
    const struct progress_event *event = &r->in->events[at];
    int rating = history_rating(r->in->events, r->in->event_count, at);
    int place = to_come(s, question);
    struct sitting_card card = {.question = question, .seed = event->seed};
    if (rating <= 0 || (place < 0 && s->count == SITTING_CARDS_MAX)) {
        return;
    }
    if (place >= 0) {
        card = s->queue[place];
        take_out(s, place);
    } else if (!was_answered(s, question)) {
        r->besides.cards++;
        r->besides.new_cards += r->cards[question].reviews == 0 ? 1 : 0;
    }
    insert(s, s->at, &card);
    (void)enter(s, event->right, (enum fsrs_rating)rating, event->id);
}

/* Another program may have had the same sitting open, so that cards were not answered in the order of this queue. */
static void go_again(struct replay *r, int at) {
    const struct progress_event *event = &r->in->events[at];
    int question = question_of(r->in, event);
    if (question < 0) {
        return;
    }
    if (event->kind == PROGRESS_ANSWER) {
        answer_again(r, at, question);
    } else if ((event->kind == PROGRESS_SKIP ||
                (event->kind == PROGRESS_SUSPEND && event->rating != 0)) &&
               to_come(r->s, question) >= 0 &&
               history_stands(r->in->events, r->in->event_count, at)) {
        take_out(r->s, to_come(r->s, question));
    }
}

/* What was done about a card elsewhere since the sitting began. */
static bool is_settled(const struct history_input *in, const struct card *cards, int question) {
    const struct card *card = &cards[question];
    return card->suspended || card->skipped_today || card->answered_today ||
           sitting_family_asked(in, cards, in->questions[question]->family);
}

/* Cards that are settled, and those for which another sitting has left no room; what comes again stays. `r` has the cards as
 * they are now. */
static void leave_out(struct replay *r) {
    struct sitting *s = r->s;
    const struct card *cards = r->cards;
    struct sitting_room room = sitting_room_of(r->in, cards, &r->besides);
    for (int i = s->at; i < s->count;) {
        const struct sitting_card *card = &s->queue[i];
        bool new = cards[card->question].reviews == 0;
        bool stays = card->again ? !cards[card->question].suspended
                                 : !is_settled(r->in, cards, card->question) && room.cards > 0 &&
                                       (!new || room.new_cards > 0);
        if (!stays) {
            take_out(s, i);
            continue;
        }
        room.cards -= card->again ? 0 : 1;
        room.new_cards -= new ? 1 : 0;
        i++;
    }
}

void sitting_resume(struct sitting *s, const struct history_input *in, struct card *cards,
                    const char *only, uint64_t id) {
    struct history_input start = *in;
    struct replay r = {.s = s, .in = in, .cards = cards};
    start.event_count = first_event(in, id);
    history_cards(&start, cards);
    sitting_start(s, &start, cards, only, id);
    for (int i = start.event_count; i < in->event_count; i++) {
        if (in->events[i].sitting == id) {
            go_again(&r, i);
        }
    }
    history_cards(in, cards);
    leave_out(&r);
}

/* Of the nth sitting of a day; never 0, which is no sitting. */
static uint64_t id_of(int64_t day, const char *only, uint64_t nth) {
    uint64_t id = next_seed(learn_hash(only == NULL ? "" : only) + ((uint64_t)day << 8) + nth);
    return id == 0 ? 1 : id;
}

void sitting_today(struct sitting *s, const struct history_input *in, struct card *cards,
                   const char *only) {
    int64_t today = history_today(in);
    uint64_t nth = 0;
    /* Sittings of the day that are in the log come before one that is not. */
    while (first_event(in, id_of(today, only, nth + 1)) < in->event_count) {
        nth++;
    }
    sitting_resume(s, in, cards, only, id_of(today, only, nth));
    if (sitting_now(s) == NULL && s->done_count > 0) {
        uint64_t next = id_of(today, only, nth + 1);
        sitting_resume(s, in, cards, only, next);
        if (sitting_now(s) == NULL) {
            sitting_resume(s, in, cards, only, id_of(today, only, nth));
        }
    }
}
