/* Which cards a sitting asks, and in what order. Due cards come first: the best of them by recall are kept in a short sorted
 * list while all questions are looked at once, then put into an order in which neighbours come from different lessons. New
 * cards follow as the syllabus has them. Reads the caller's arrays, writes the caller's sitting.
 * Proof: tests/unit/learn/test_sitting.c. */
#include <string.h>

#include "learn_private.h"
#include "sitting_private.h"

/* One that may be asked. */
struct candidate {
    int question;
    double recall;
    uint64_t draw; /* for a mixed order, and where recall is the same */
};

struct choice {
    const struct history_input *in;
    const struct card *cards;
    const char *only;
    uint64_t id;
    int64_t today;
    int room; /* for cards in all */
    struct candidate due[SITTING_FIRST_MAX];
    int due_count;
};

/* --- Who may be asked -------------------------------------------------------------------------------------- */

static bool same(const char *a, const char *b) {
    return a != NULL && b != NULL && strcmp(a, b) == 0;
}

bool sitting_family_asked(const struct history_input *in, const struct card *cards,
                          const char *family) {
    for (int i = 0; family != NULL && i < in->question_count; i++) {
        if (cards[i].answered_today && same(in->questions[i]->family, family)) {
            return true;
        }
    }
    return false;
}

static bool may_ask(const struct choice *c, int question) {
    const struct question *q = c->in->questions[question];
    const struct card *card = &c->cards[question];
    return !card->suspended && !card->skipped_today && !card->answered_today &&
           (c->only == NULL || strcmp(q->lesson, c->only) == 0) &&
           !sitting_family_asked(c->in, c->cards, q->family);
}

/* What is left of a budget of so many cards a day. */
static int left_of(int budget, int used) {
    return budget > used ? budget - used : 0;
}

struct sitting_room sitting_room_of(const struct history_input *in, const struct card *cards,
                                    const struct sitting_room *besides) {
    const struct study_settings settings = study_settings_of(in->events, in->event_count);
    int answered = -besides->cards, new_answered = -besides->new_cards;
    for (int i = 0; i < in->question_count; i++) {
        answered += cards[i].answered_today ? 1 : 0;
        new_answered += cards[i].new_today ? 1 : 0;
    }
    return (struct sitting_room){
        .cards = settings.budget_cards > 0 ? left_of(settings.budget_cards, answered) : INT32_MAX,
        .new_cards = left_of(settings.new_cards, new_answered),
    };
}

/* --- Due --------------------------------------------------------------------------------------------------- */

static bool before(const struct candidate *a, const struct candidate *b) {
    return a->recall < b->recall || (a->recall == b->recall && a->draw < b->draw);
}

static void remove_due(struct choice *c, int at) {
    c->due_count--;
    memmove(&c->due[at], &c->due[at + 1], sizeof c->due[0] * (size_t)(c->due_count - at));
}

/* Into its place among the best; of a family only its best stays. */
static void keep_due(struct choice *c, const struct candidate *new) {
    const char *family = c->in->questions[new->question]->family;
    for (int i = 0; i < c->due_count; i++) {
        if (same(c->in->questions[c->due[i].question]->family, family)) {
            if (before(&c->due[i], new)) {
                return;
            }
            remove_due(c, i);
            break;
        }
    }
    if (c->due_count == c->room) {
        if (c->room == 0 || before(&c->due[c->room - 1], new)) {
            return;
        }
        c->due_count--;
    }
    int at = c->due_count;
    while (at > 0 && before(new, &c->due[at - 1])) {
        c->due[at] = c->due[at - 1];
        at--;
    }
    c->due[at] = *new;
    c->due_count++;
}

static void choose_due(struct choice *c) {
    for (int i = 0; i < c->in->question_count; i++) {
        const struct card *card = &c->cards[i];
        if (!card_is_due(card, c->today) || !may_ask(c, i)) {
            continue;
        }
        uint64_t dice = instance_dice(c->id ^ learn_hash(c->in->questions[i]->id));
        const struct candidate new = {
            .question = i,
            .recall = card_recall(card, c->today),
            .draw = (uint64_t)instance_pick(&dice, INT32_MAX),
        };
        keep_due(c, &new);
    }
}

/* --- A mixed order ----------------------------------------------------------------------------------------- */

static const char *lesson_of(const struct choice *c, int due) {
    return c->in->questions[c->due[due].question]->lesson;
}

/* The lesson that may have more than half of what is left (Boyer and Moore: one voice cancels another); whether it has. */
static bool find_pressing(const struct choice *c, const char **lesson) {
    int voices = 0, count = 0;
    for (int i = 0; i < c->due_count; i++) {
        *lesson = voices == 0 ? lesson_of(c, i) : *lesson;
        voices += strcmp(lesson_of(c, i), *lesson) == 0 ? 1 : -1;
    }
    for (int i = 0; i < c->due_count; i++) {
        count += strcmp(lesson_of(c, i), *lesson) == 0 ? 1 : 0;
    }
    return count > c->due_count / 2;
}

/* The lowest draw of those that may follow; a lesson with more than half of what is left must come now, or two of it would
 * have to be neighbours later. */
static int next_mixed(const struct choice *c, const char *last) {
    const char *pressing = NULL;
    int next = -1;
    bool pressed = find_pressing(c, &pressing) && !same(pressing, last);
    for (int i = 0; i < c->due_count; i++) {
        const char *lesson = lesson_of(c, i);
        if (!same(lesson, last) && (!pressed || same(lesson, pressing)) &&
            (next < 0 || c->due[i].draw < c->due[next].draw)) {
            next = i;
        }
    }
    return next < 0 ? 0 : next;
}

/* Takes the due cards over into the queue. */
static void queue_due(struct sitting *s, struct choice *c, bool lowest_recall) {
    const char *last = NULL;
    while (c->due_count > 0) {
        int next = lowest_recall ? 0 : next_mixed(c, last);
        last = lesson_of(c, next);
        sitting_append(s, c->in->questions, c->due[next].question);
        remove_due(c, next);
    }
}

/* --- New --------------------------------------------------------------------------------------------------- */

static bool family_is_queued(const struct sitting *s, const struct choice *c, const char *family) {
    for (int i = 0; i < s->count; i++) {
        if (same(c->in->questions[s->queue[i].question]->family, family)) {
            return true;
        }
    }
    return false;
}

static void queue_new(struct sitting *s, const struct choice *c, int new_cards) {
    for (int i = 0; i < c->in->question_count && new_cards > 0 && s->count < c->room; i++) {
        if (c->cards[i].reviews == 0 && may_ask(c, i) &&
            !family_is_queued(s, c, c->in->questions[i]->family)) {
            sitting_append(s, c->in->questions, i);
            new_cards--;
        }
    }
}

void sitting_start(struct sitting *s, const struct history_input *in, const struct card *cards,
                   const char *only, uint64_t id) {
    const struct study_settings settings = study_settings_of(in->events, in->event_count);
    struct choice c = {.in = in, .cards = cards, .only = only, .id = id};
    const struct sitting_room room = sitting_room_of(in, cards, &(struct sitting_room){0, 0});
    memset(s, 0, sizeof *s);
    s->id = id;
    c.today = history_today(in);
    c.room = room.cards < SITTING_FIRST_MAX ? room.cards : SITTING_FIRST_MAX;
    const struct day_plan plan =
        day_plan_make(c.today, settings.has_interview ? &settings.interview_day : NULL);
    choose_due(&c);
    queue_due(s, &c, plan.lowest_recall);
    queue_new(s, &c, room.new_cards);
}
