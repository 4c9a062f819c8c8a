/* Keys on a question: what each means depends on its kind and on how far it has come, and every one becomes a call of
 * learn/attempt.h. An answer is in the log before its feedback is drawn. Called by app.c.
 * Proof: tests/journeys/test_quiz.c. */
#include <string.h>

#include "quiz_private.h"
#include "shardlab/ui/key.h"

static bool is_typed(enum question_kind kind) {
    return kind == QUESTION_NUMBER || kind == QUESTION_DERIVE || kind == QUESTION_RECALL;
}

enum ui_where app_quiz_where(const struct app *app) {
    const struct attempt *a = &app->quiz->attempt;
    if (a->question == NULL) {
        return UI_WHERE_SUMMARY;
    }
    enum question_kind kind = a->question->kind;
    switch (a->state) {
    case ATTEMPT_JUDGED:
        return UI_WHERE_JUDGED;
    case ATTEMPT_REVEALED:
        return UI_WHERE_FACTS;
    case ATTEMPT_ASKED:
        break;
    }
    if (kind == QUESTION_CHOICE) {
        return UI_WHERE_CHOICE;
    }
    if (kind == QUESTION_ORDER) {
        return (enum ui_where)(UI_WHERE_ORDER | (a->held ? UI_WHERE_HELD : 0));
    }
    return (enum ui_where)(UI_WHERE_ANSWER | (kind == QUESTION_DERIVE ? UI_WHERE_BLANKS : 0));
}

void app_quiz_leave_out(const struct app *app, enum app_screen screen, struct ui_keys *keys) {
    static const enum ui_action forward[] = {UI_ACTION_RATE_1, UI_ACTION_RATE_2, UI_ACTION_RATE_3,
                                             UI_ACTION_RATE_4, UI_ACTION_UNDO,   UI_ACTION_SKIP};
    const struct attempt *a = &app->quiz->attempt;
    bool interview = app->quiz->way == QUIZ_MOCK;
    for (size_t i = 0; interview && i < sizeof forward / sizeof forward[0]; i++) {
        ui_keys_leave_out(keys, forward[i]);
    }
    if (screen != APP_SCREEN_QUIZ || a->question == NULL) {
        return;
    }
    if (interview || app_quiz_follow_count(app) == 0) {
        ui_keys_leave_out(keys, UI_ACTION_FOLLOW);
    }
    if (a->question->part_count == 3) { /* a choice has three options or four */
        ui_keys_leave_out(keys, UI_ACTION_MARK_4);
    }
    if (a->numbers.line[0] == '\0') {
        ui_keys_leave_out(keys, UI_ACTION_CALCULATOR);
    }
}

/* --- Answering --- */

static void stop_clock(struct app *app) {
    struct app_quiz *q = app->quiz;
    if (q->took_ms == 0) {
        q->took_ms = app_quiz_now(app).ms - q->shown_ms;
    }
}

/* The answer into the log, then its feedback onto the screen. */
static unsigned settle(struct app *app) {
    struct app_quiz *q = app->quiz;
    struct attempt *a = &q->attempt;
    struct progress_event e = app_quiz_event(app, PROGRESS_ANSWER, a->question->id);
    struct writer w;
    stop_clock(app);
    e.seed = a->numbers.seed;
    e.rating = (int)a->rating;
    e.right = a->right;
    e.hints = a->hints;
    e.took_ms = q->took_ms;
    writer_start(&w, e.text, sizeof e.text);
    attempt_write(&w, a);
    q->event = app_quiz_tell(app, &e);
    q->pane = (struct quiz_scroll){.follow = true};
    return APP_EFFECT_VIEW;
}

/* An Enter too many from the question before must not answer this one. */
static bool needs_touch(struct app *app) {
    struct app_quiz *q = app->quiz;
    enum question_kind kind = q->attempt.question->kind;
    if (q->touched || (kind != QUESTION_CHOICE && kind != QUESTION_ORDER)) {
        return false;
    }
    q->touched = kind == QUESTION_ORDER;
    app_status_set(app, kind == QUESTION_ORDER ? "sitting.as_it_stands" : "sitting.point_first");
    return true;
}

static unsigned commit(struct app *app) {
    struct app_quiz *q = app->quiz;
    struct attempt *a = &q->attempt;
    struct message why;
    if (needs_touch(app)) {
        return APP_EFFECT_VIEW;
    }
    if (a->question->kind == QUESTION_DERIVE && a->mark + 1 < a->question->part_count &&
        a->typed[a->mark + 1][0] == '\0') {
        (void)attempt_move(a, 1); /* line by line; the last one takes them all */
        q->pane.follow = true;
        return APP_EFFECT_VIEW;
    }
    if (a->state == ATTEMPT_ASKED && a->question->kind == QUESTION_RECALL) {
        stop_clock(app);
    }
    if (attempt_commit(a, &why) != STATUS_OK) {
        app->status = why; /* nothing was lost */
        return APP_EFFECT_VIEW;
    }
    q->pane = (struct quiz_scroll){.follow = true};
    return a->state == ATTEMPT_JUDGED ? settle(app) : APP_EFFECT_VIEW;
}

static unsigned mark(struct app *app, int place) {
    struct attempt *a = &app->quiz->attempt;
    if (place >= a->question->part_count) {
        app_status_set(app, "status.unknown_key");
        return APP_EFFECT_VIEW;
    }
    if (a->mark == place && app->quiz->touched) {
        return commit(app); /* the same letter again takes it, as in a guess */
    }
    (void)attempt_mark(a, place);
    app->quiz->touched = app->quiz->pane.follow = true;
    return APP_EFFECT_VIEW;
}

static unsigned rate(struct app *app, int rating) {
    struct app_quiz *q = app->quiz;
    if (q->way == QUIZ_MOCK) {
        app_status_set(app, "mock.unrated");
        return APP_EFFECT_VIEW;
    }
    if (!attempt_rate(&q->attempt, (enum fsrs_rating)rating)) {
        app_status_set(app, "sitting.rate_early");
        return APP_EFFECT_VIEW;
    }
    if (q->event != 0) {
        struct progress_event e = app_quiz_event(app, PROGRESS_RATING, q->attempt.question->id);
        e.about = q->event;
        e.rating = rating;
        (void)app_quiz_tell(app, &e);
    }
    return APP_EFFECT_VIEW;
}

static unsigned hint(struct app *app) {
    struct attempt *a = &app->quiz->attempt;
    if (attempt_hint(a)) {
        app->quiz->pane.follow = true;
    } else {
        app_status_set(app,
                       a->question->hint_count > 0 ? "sitting.no_more_hints" : "sitting.no_hint");
    }
    return APP_EFFECT_VIEW;
}

static unsigned give_up(struct app *app) {
    return attempt_give_up(&app->quiz->attempt) ? settle(app) : 0;
}

static unsigned suspend(struct app *app) {
    struct app_quiz *q = app->quiz;
    struct progress_event e = app_quiz_event(app, PROGRESS_SUSPEND, q->attempt.question->id);
    q->before.suspended = !q->before.suspended;
    e.rating = q->before.suspended ? 1 : 0;
    if (app_quiz_tell(app, &e) != 0 || app->status.id == NULL) {
        app_status_set(app, q->before.suspended ? "sitting.suspended" : "sitting.resumed");
    }
    return APP_EFFECT_VIEW;
}

static unsigned flag(struct app *app) {
    struct app_quiz *q = app->quiz;
    struct progress_event e = app_quiz_event(app, PROGRESS_FLAG, q->attempt.question->id);
    e.seed = q->attempt.numbers.seed;
    if (app_quiz_tell(app, &e) != 0 || app->status.id == NULL) {
        app_status_set(app, "sitting.flagged");
    }
    return APP_EFFECT_VIEW;
}

/* --- Keys --- */

bool app_quiz_scroll_action(struct quiz_scroll *s, enum ui_action action, unsigned *effects) {
    int screenful = s->visible > 2 ? s->visible - 1 : 1;
    int last = s->rows > s->visible ? s->rows - s->visible : 0;
    int to = s->at;
    switch (action) {
    case UI_ACTION_UP:
        to--;
        break;
    case UI_ACTION_DOWN:
        to++;
        break;
    case UI_ACTION_PAGE_UP:
        to -= screenful;
        break;
    case UI_ACTION_PAGE_DOWN:
        to += screenful;
        break;
    case UI_ACTION_FIRST:
        to = 0;
        break;
    case UI_ACTION_LAST:
        to = last;
        break;
    default:
        return false;
    }
    to = to > last ? last : to;
    to = to < 0 ? 0 : to;
    *effects = to == s->at ? 0 : APP_EFFECT_VIEW;
    s->at = to;
    s->follow = false;
    return true;
}

static unsigned move(struct app *app, int steps) {
    struct attempt *a = &app->quiz->attempt;
    bool first = a->question->kind == QUESTION_CHOICE && !app->quiz->touched;
    app->quiz->pane.follow = true;
    if (first) { /* the first step points at an end */
        app->quiz->touched = true;
        (void)attempt_mark(a, steps > 0 ? 0 : a->question->part_count - 1);
        return APP_EFFECT_VIEW;
    }
    app->quiz->touched = app->quiz->touched || a->held;
    return attempt_move(a, steps) ? APP_EFFECT_VIEW : 0;
}

/* What is typed into: the place with the focus. */
static char *typed_text(struct attempt *a) {
    return a->typed[a->question->kind == QUESTION_DERIVE ? a->mark : 0];
}

static unsigned edit(struct app *app, enum ui_action action, uint32_t key) {
    char *text = typed_text(&app->quiz->attempt);
    size_t length = strlen(text), room = ATTEMPT_TYPED_MAX;
    char bytes[8];
    struct writer w;
    app->quiz->pane.follow = true;
    if (action == UI_ACTION_CLEAR) {
        text[0] = '\0';
    } else if (action == UI_ACTION_ERASE && length > 0) {
        do { /* a whole character goes */
            length--;
        } while (length > 0 && ((unsigned char)text[length] & 0xC0U) == 0x80U);
        text[length] = '\0';
    } else if (action == UI_ACTION_NONE) {
        writer_start(&w, bytes, sizeof bytes);
        writer_code_point(&w, key);
        if (length + w.length >= room || (length == 0 && key == UI_KEY_SPACE)) {
            return 0;
        }
        memcpy(text + length, bytes, w.length + 1);
    }
    return APP_EFFECT_VIEW;
}

unsigned app_quiz_type(struct app *app, uint32_t key) {
    unsigned spoke = app->status.id != NULL ? APP_EFFECT_VIEW : 0;
    app->status.id = NULL;
    if (key < UI_KEY_SPACE || key == UI_KEY_BACKSPACE || key >= UI_KEY_UP) {
        app_status_set(app, "status.unknown_key");
        return APP_EFFECT_VIEW;
    }
    return spoke | edit(app, UI_ACTION_NONE, key);
}

unsigned app_quiz_press(struct app *app, int item) {
    struct attempt *a = &app->quiz->attempt;
    if (a->state == ATTEMPT_ASKED && a->question->kind == QUESTION_CHOICE) {
        return mark(app, item);
    }
    bool again = a->mark == item;
    (void)attempt_mark(a, item);
    if (a->state == ATTEMPT_REVEALED && again) {
        (void)attempt_tick(a);
    }
    return APP_EFFECT_VIEW;
}

static unsigned leave(struct app *app) {
    struct app_quiz *q = app->quiz;
    if (q->way ==
        QUIZ_MOCK) { /* nothing waits for a candidate who walks out, but not by accident */
        if (q->leaving) {
            return app_quiz_mock_end(app);
        }
        q->leaving = true;
        app_status_set(app, "mock.leave");
        return APP_EFFECT_VIEW;
    }
    q->paused_ms = app_quiz_now(app).ms;
    app->screen =
        q->way == QUIZ_PRACTISE && app->lesson == q->lesson ? APP_SCREEN_LESSON : APP_SCREEN_HOME;
    q->counted = false;
    return APP_EFFECT_VIEW;
}

/* Moving the focus, or where there is none, the text. */
static bool moves(struct app *app, enum ui_action action, unsigned *effects) {
    struct attempt *a = &app->quiz->attempt;
    bool focus =
        a->state == ATTEMPT_REVEALED || (a->state == ATTEMPT_ASKED && !is_typed(a->question->kind));
    if (action == UI_ACTION_NEXT_PANE || action == UI_ACTION_PREV_PANE) {
        *effects = move(app, action == UI_ACTION_NEXT_PANE ? 1 : -1);
        return true;
    }
    if (focus && (action == UI_ACTION_UP || action == UI_ACTION_DOWN)) {
        *effects = move(app, action == UI_ACTION_UP ? -1 : 1);
        return true;
    }
    return app_quiz_scroll_action(&app->quiz->pane, action, effects);
}

unsigned app_quiz_action(struct app *app, enum ui_action action) {
    struct app_quiz *q = app->quiz;
    unsigned effects = 0;
    q->leaving = q->leaving && action == UI_ACTION_BACK;
    if (action >= UI_ACTION_MARK_1 && action <= UI_ACTION_MARK_4) {
        return mark(app, (int)action - (int)UI_ACTION_MARK_1);
    }
    if (action >= UI_ACTION_RATE_1 && action <= UI_ACTION_RATE_4) {
        return rate(app, (int)action - (int)UI_ACTION_RATE_1 + 1);
    }
    if (moves(app, action, &effects)) {
        return effects;
    }
    switch (action) {
    case UI_ACTION_OPEN:
        return commit(app);
    case UI_ACTION_NEXT:
        return app_quiz_next(app);
    case UI_ACTION_HOLD:
    case UI_ACTION_PUT:
        return attempt_hold(&q->attempt) ? APP_EFFECT_VIEW : 0;
    case UI_ACTION_TICK:
        return attempt_tick(&q->attempt) ? APP_EFFECT_VIEW : 0;
    case UI_ACTION_HINT:
        return hint(app);
    case UI_ACTION_GIVE_UP:
        return give_up(app);
    case UI_ACTION_SKIP:
        return app_quiz_skip(app);
    case UI_ACTION_UNDO:
        return app_quiz_undo(app);
    case UI_ACTION_FOLLOW:
        return app_quiz_follow(app);
    case UI_ACTION_SUSPEND:
        return suspend(app);
    case UI_ACTION_FLAG:
        return flag(app);
    case UI_ACTION_CALCULATOR:
        return app_quiz_open_calculator(app);
    case UI_ACTION_TEXT:
        return app_quiz_open_text(app);
    case UI_ACTION_ERASE:
    case UI_ACTION_CLEAR:
        return edit(app, action, 0);
    case UI_ACTION_BACK:
        return leave(app);
    default:
        return 0;
    }
}

/* --- The clock --- */

static bool shows_clock(const struct app *app) {
    const struct attempt *a = &app->quiz->attempt;
    return app->screen == APP_SCREEN_QUIZ && !app->frames.still && a->state == ATTEMPT_ASKED &&
           (a->question->kind == QUESTION_RECALL || app->quiz->way == QUIZ_MOCK);
}

int app_quiz_wait_ms(const struct app *app) {
    enum { SECOND = 1000, BEHIND = 100 };
    if (app->screen == APP_SCREEN_HOME && !app->quiz->counted) {
        return BEHIND; /* what is due is counted well behind the first picture */
    }
    if (!shows_clock(app)) {
        return -1;
    }
    return SECOND - (int)((app_quiz_now(app).ms - app->quiz->shown_ms) % SECOND);
}

unsigned app_quiz_tick(struct app *app) {
    struct message why;
    if (app->screen == APP_SCREEN_HOME && !app->quiz->counted) {
        if (app_quiz_refresh(app, &why) == STATUS_OK) {
            app_quiz_count(app);
        } else {
            app->status = why;
        }
        app->quiz->counted = true;
        return APP_EFFECT_VIEW;
    }
    return shows_clock(app) ? APP_EFFECT_VIEW : 0;
}
