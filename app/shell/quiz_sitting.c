/* Which question is in front: what the day asks for, the questions of a lesson, what comes again, and taking an answer
 * back. The order and the numbers are learn/sitting.h's; this makes a question of each card and tells the log. The same
 * day has the same sitting, so that quitting in the middle of a question loses nothing. Proof: tests/journeys/test_quiz.c. */
#include <string.h>

#include "quiz_private.h"

uint64_t app_quiz_mix(uint64_t a, uint64_t b) {
    uint64_t dice = instance_dice(a * 0x9e3779b97f4a7c15U + b + 1);
    uint64_t high = (uint64_t)instance_pick(&dice, 1 << 30);
    return (high << 30 | (uint64_t)instance_pick(&dice, 1 << 30)) + 1; /* 0 is no sitting's */
}

int app_quiz_index(const struct app *app, const char *id) {
    for (int i = 0; i < app->quiz->bank_count; i++) {
        if (strcmp(app->quiz->bank[i]->id, id) == 0) {
            return i;
        }
    }
    return -1;
}

static uint64_t hash_text(const char *text) {
    uint64_t hash = 14695981039346656037U;
    for (; *text != '\0'; text++) {
        hash = (hash ^ (unsigned char)*text) * 1099511628211U;
    }
    return hash;
}

enum status app_quiz_attempt_start(struct app *app, int question, uint64_t seed,
                                   struct message *why) {
    struct app_quiz *q = app->quiz;
    const struct question *it = q->bank[question];
    const struct instance_entry *maker = lesson_maker_find(it->id);
    struct instance numbers;
    instance_start(&numbers, seed);
    enum status ok = maker != NULL ? maker->make(seed, &numbers, why) : STATUS_OK;
    if (ok != STATUS_OK) {
        return ok;
    }
    q->before = q->cards[question];
    attempt_start(&q->attempt, it, &numbers, q->sitting.id,
                  card_blanks(&q->before, it->part_count));
    q->event = 0;
    q->touched = q->leaving = false;
    q->took_ms = q->paused_ms = 0;
    q->shown_ms = app_quiz_now(app).ms;
    q->pane = (struct quiz_scroll){.at = 0};
    return STATUS_OK;
}

unsigned app_quiz_show(struct app *app) {
    struct app_quiz *q = app->quiz;
    struct message why;
    q->came = q->kept = false;
    app->screen = APP_SCREEN_QUIZ;
    if (app_quiz_refresh(app, &why) != STATUS_OK) {
        app->status = why;
        app->screen = APP_SCREEN_HOME;
        return APP_EFFECT_VIEW;
    }
    for (;;) {
        const struct sitting_card *card = sitting_now(&q->sitting);
        if (card == NULL) {
            app->screen = APP_SCREEN_SUMMARY;
            q->summary_at = 0;
            q->ends = (struct quiz_scroll){.at = 0};
            q->counted = false;
            return APP_EFFECT_VIEW;
        }
        if (app_quiz_attempt_start(app, card->question, card->seed, &why) == STATUS_OK) {
            return APP_EFFECT_VIEW;
        }
        app->status = why; /* its numbers cannot be computed: the next one */
        sitting_skip(&q->sitting);
    }
}

/* --- Beginning --- */

static bool open_first(struct app *app) {
    struct message why;
    app->status.id = NULL;
    if (app_quiz_refresh(app, &why) == STATUS_OK) {
        return true;
    }
    app->status = why;
    return false;
}

/* The question in front is shown again as it was; whichever way it was left, this is no longer the way back. */
static unsigned resume(struct app *app) {
    struct app_quiz *q = app->quiz;
    q->came = q->kept = false;
    app->screen = APP_SCREEN_QUIZ;
    if (q->paused_ms > 0) { /* time away is not thinking */
        q->shown_ms += app_quiz_now(app).ms - q->paused_ms;
        q->paused_ms = 0;
    }
    return APP_EFFECT_VIEW;
}

static bool runs(const struct app_quiz *q, enum quiz_way way) {
    return q->way == way && sitting_now(&q->sitting) != NULL && q->attempt.question != NULL;
}

unsigned app_quiz_begin(struct app *app) {
    struct app_quiz *q = app->quiz;
    int64_t day = q->today;
    if (!open_first(app)) {
        return APP_EFFECT_VIEW;
    }
    if (runs(q, QUIZ_DUE) && day == q->today) {
        return resume(app);
    }
    struct history_input in = app_quiz_input(app);
    sitting_today(&q->sitting, &in, q->cards, NULL);
    if (sitting_now(&q->sitting) == NULL) {
        app_status_set(app, q->bank_count > 0 ? "sitting.none_due" : "sitting.none");
        q->way = QUIZ_NONE;
        return APP_EFFECT_VIEW;
    }
    q->way = QUIZ_DUE;
    app_quiz_say_trouble(app);
    return app_quiz_show(app);
}

/* How often a question was answered or put off today, as far as it counts. */
static int asked_today(const struct app *app, const char *id) {
    const struct app_quiz *q = app->quiz;
    struct history_input in = app_quiz_input(app);
    struct day_rule rule = {in.offset_s, q->settings.rollover_hour};
    int count = 0;
    for (int i = in.event_count - 1; i >= 0 && day_of(&rule, in.events[i].utc_s) >= q->today; i--) {
        const struct progress_event *e = &in.events[i];
        if (strcmp(e->item, id) != 0) {
            continue;
        }
        bool answer =
            e->kind == PROGRESS_ANSWER && history_rating(in.events, in.event_count, i) >= 0;
        bool skip = e->kind == PROGRESS_SKIP && history_stands(in.events, in.event_count, i);
        count += answer || skip ? 1 : 0;
    }
    return count;
}

/* The lesson's questions in rounds: those that were asked least today, of these the page's first. Returns how many. */
static int pick_practice(const struct app *app, int *questions, int *round) {
    const struct app_quiz *q = app->quiz;
    int count = 0;
    *round = -1;
    for (int i = 0; i < q->bank_count; i++) {
        if (strcmp(q->bank[i]->lesson, app->lesson->id) == 0 && !q->cards[i].suspended) {
            int asked = asked_today(app, q->bank[i]->id);
            *round = *round < 0 || asked < *round ? asked : *round;
        }
    }
    for (int pass = 0; pass < 2; pass++) {
        for (int i = 0; i < q->bank_count && count < SITTING_CARDS_MAX; i++) {
            bool page = q->bank[i]->page == app->page + 1;
            if (strcmp(q->bank[i]->lesson, app->lesson->id) == 0 && page == (pass == 0) &&
                !q->cards[i].suspended && asked_today(app, q->bank[i]->id) == *round) {
                questions[count++] = i;
            }
        }
    }
    return count;
}

unsigned app_quiz_practise(struct app *app) {
    struct app_quiz *q = app->quiz;
    int questions[SITTING_CARDS_MAX], round;
    if (!open_first(app)) {
        return APP_EFFECT_VIEW;
    }
    if (runs(q, QUIZ_PRACTISE) && q->lesson == app->lesson) {
        return resume(app);
    }
    int count = pick_practice(app, questions, &round);
    if (count == 0) {
        app_status_set(app, "sitting.none_here");
        return APP_EFFECT_VIEW;
    }
    uint64_t place = hash_text(app->lesson->id) + (uint64_t)round;
    sitting_start_with(&q->sitting, questions, count, app_quiz_mix((uint64_t)q->today, place));
    q->way = QUIZ_PRACTISE;
    q->lesson = app->lesson;
    return app_quiz_show(app);
}

/* --- Going on --- */

static bool is_judged(const struct app_quiz *q) {
    return q->attempt.state == ATTEMPT_JUDGED;
}

unsigned app_quiz_next(struct app *app) {
    struct app_quiz *q = app->quiz;
    if (q->way == QUIZ_MOCK) {
        return app_quiz_mock_next(app);
    }
    sitting_take(&q->sitting, &q->attempt, q->event);
    return app_quiz_show(app);
}

/* An interview goes only forward. */
static bool is_interview(struct app *app) {
    if (app->quiz->way != QUIZ_MOCK) {
        return false;
    }
    app_status_set(app, "mock.forward");
    return true;
}

unsigned app_quiz_skip(struct app *app) {
    if (is_interview(app)) {
        return APP_EFFECT_VIEW;
    }
    struct progress_event e = app_quiz_event(app, PROGRESS_SKIP, app->quiz->attempt.question->id);
    sitting_skip(&app->quiz->sitting);
    (void)app_quiz_tell(app, &e);
    if (app->quiz->log != NULL && app->status.id == NULL) {
        app_status_set(app, "sitting.skipped");
    }
    return app_quiz_show(app);
}

unsigned app_quiz_undo(struct app *app) {
    struct app_quiz *q = app->quiz;
    int64_t about = 0;
    if (is_interview(app)) {
        return APP_EFFECT_VIEW;
    }
    if (app->screen == APP_SCREEN_QUIZ && is_judged(q)) {
        sitting_take(&q->sitting, &q->attempt, q->event); /* so that this one is the last */
    }
    struct attempt before;
    if (!sitting_undo(&q->sitting, &about, &before)) {
        app_status_set(app, "sitting.no_undo");
        return APP_EFFECT_VIEW;
    }
    if (about != 0) {
        const struct sitting_card *card = sitting_now(&q->sitting);
        struct progress_event e = app_quiz_event(app, PROGRESS_UNDO, q->bank[card->question]->id);
        e.about = about;
        (void)app_quiz_tell(app, &e);
    }
    unsigned effects = app_quiz_show(app);
    if (before.question != NULL) { /* NULL: it was given before the program was started */
        q->attempt = before;
        q->touched = true;
    }
    if (app->status.id == NULL) {
        app_status_set(app, "sitting.undone");
    }
    return effects;
}

/* --- What an interviewer asks next --- */

/* Where a question waits; s->count: it does not. */
static int waiting_at(const struct sitting *s, int question) {
    int at = s->at;
    while (at < s->count && s->queue[at].question != question) {
        at++;
    }
    return at;
}

/* Brings a question to the place `at`, from further back or anew; false: there is no room. */
static bool bring(struct sitting *s, int at, int question, uint64_t seed) {
    int from = waiting_at(s, question);
    struct sitting_card card = {question, seed, false};
    if (from < s->count) {
        card = s->queue[from];
    } else if (s->count < SITTING_CARDS_MAX) {
        s->count++;
    } else {
        return false;
    }
    for (int i = from; i > at; i--) {
        s->queue[i] = s->queue[i - 1];
    }
    s->queue[at] = card;
    return true;
}

int app_quiz_follow_count(const struct app *app) {
    const struct question *it = app->quiz->attempt.question;
    int known = 0;
    for (int i = 0; i < it->follow_count; i++) {
        known += app_quiz_index(app, it->follow[i]) >= 0 ? 1 : 0;
    }
    return known;
}

unsigned app_quiz_follow(struct app *app) {
    struct app_quiz *q = app->quiz;
    const struct question *it = q->attempt.question;
    struct sitting *s = &q->sitting;
    int questions[QUESTION_FOLLOW_MAX], count = 0;
    if (is_interview(app)) {
        return APP_EFFECT_VIEW;
    }
    for (int i = 0; i < it->follow_count; i++) {
        int question = app_quiz_index(app, it->follow[i]);
        if (question >= 0) {
            questions[count++] = question;
        }
    }
    if (count == 0) {
        app_status_set(app, "sitting.no_follow");
        return APP_EFFECT_VIEW;
    }
    sitting_take(s, &q->attempt, q->event);
    for (int i = 0, at = s->at; i < count; i++) {
        uint64_t seed = app_quiz_mix(s->id, hash_text(q->bank[questions[i]]->id));
        at += bring(s, at, questions[i], seed) ? 1 : 0;
    }
    return app_quiz_show(app);
}

/* --- When it comes again --- */

uint64_t app_quiz_days(const struct app *app, enum fsrs_rating rating) {
    const struct app_quiz *q = app->quiz;
    const struct card *c = &q->before;
    struct day_plan plan =
        day_plan_make(q->today, q->settings.has_interview ? &q->settings.interview_day : NULL);
    struct fsrs_memory m = c->reviews == 0 ? fsrs_first(&fsrs_weights, rating)
                                           : fsrs_next(&fsrs_weights, c->memory, rating,
                                                       day_elapsed(c->last_day, q->today));
    return fsrs_interval_days(&fsrs_weights, m.stability_days, plan.retention, plan.max_days);
}
