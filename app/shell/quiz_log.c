/* Questions and the log of what was answered, as the screens need them: read on first use, never at the start of the
 * program; every event goes to the log before what follows from it is drawn. Where there is no log, or it cannot be
 * written, the screens go on and say so. Owns the log, the bank's list and the cards. Uses the clock of app_options.
 * Proof: tests/journeys/test_quiz.c. */
#define _DEFAULT_SOURCE /* tm_gmtoff */
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "quiz_private.h"

static struct app_moment system_moment(void *unused) {
    struct timespec wall, steady;
    struct tm local;
    struct app_moment now = {0, 0, 0};
    (void)unused;
    clock_gettime(CLOCK_REALTIME, &wall);
    clock_gettime(CLOCK_MONOTONIC, &steady);
    now.utc_s = (int64_t)wall.tv_sec;
    now.ms = (int64_t)steady.tv_sec * 1000 + steady.tv_nsec / 1000000;
    if (localtime_r(&wall.tv_sec, &local) != NULL) {
        now.offset_s = (int32_t)local.tm_gmtoff;
    }
    return now;
}

enum status app_quiz_new(struct app *app, const struct app_options *options, struct message *why) {
    app->quiz = calloc(1, sizeof *app->quiz);
    if (app->quiz == NULL) {
        message_start(why, "error.memory");
        return STATUS_FAILED;
    }
    app->quiz->path = options->progress;
    app->quiz->clock = options->clock != NULL ? options->clock : system_moment;
    app->quiz->clock_context = options->clock_context;
    app->quiz->mock.minutes = QUIZ_MINUTES_USUAL;
    app->quiz->mock.level = QUESTION_LEVEL_MAX;
    return STATUS_OK;
}

void app_quiz_free(struct app *app) {
    if (app->quiz != NULL) {
        progress_close(app->quiz->log);
        free(app->quiz->bank);
        free(app->quiz->cards);
        free(app->quiz);
    }
}

struct app_moment app_quiz_now(const struct app *app) {
    return app->quiz->clock(app->quiz->clock_context);
}

/* --- Reading --- */

static bool add_questions(struct app_quiz *q, const struct question *questions, int count) {
    size_t total = (size_t)q->bank_count + (size_t)count;
    if (count == 0) {
        return true;
    }
    const struct question **bank = realloc(q->bank, total * sizeof(void *));
    if (bank == NULL) {
        return false;
    }
    q->bank = bank;
    for (int i = 0; i < count; i++) {
        q->bank[q->bank_count++] = &questions[i];
    }
    return true;
}

static enum status read_bank(struct app *app, struct message *why) {
    struct app_quiz *q = app->quiz;
    q->bank_count = 0;
    for (int i = 0; i < lesson_count(); i++) {
        const struct question *questions = NULL;
        const struct lesson *lesson = lesson_at(i);
        struct store_quiz quiz = {lesson->folder, lesson->id};
        int count = 0;
        enum status ok = store_questions(app->store, &quiz, &questions, &count, why);
        if (ok != STATUS_OK) {
            return ok;
        }
        if (!add_questions(q, questions, count)) {
            message_start(why, "error.memory");
            return STATUS_FAILED;
        }
    }
    q->cards = calloc(q->bank_count > 0 ? (size_t)q->bank_count : 1, sizeof *q->cards);
    if (q->cards == NULL) {
        message_start(why, "error.memory");
        return STATUS_FAILED;
    }
    return STATUS_OK;
}

static void read_log(struct app_quiz *q) {
    bool none = q->path != NULL && q->path[0] == '\0';
    struct message why;
    if (none) {
        return;
    }
    enum status ok = STATUS_OK;
    if (q->log != NULL) {
        ok = progress_refresh(q->log, &why);
    } else {
        ok = progress_open(q->path, &q->log, &why);
        ok = ok == STATUS_OK ? progress_can_save(q->log, &why) : ok;
    }
    if (ok != STATUS_OK) {
        q->trouble = why;
    }
}

struct history_input app_quiz_input(const struct app *app) {
    const struct app_quiz *q = app->quiz;
    struct history_input in = {.questions = q->bank, .question_count = q->bank_count};
    in.events = progress_events(q->log, &in.event_count);
    in.utc_s = q->now.utc_s;
    in.offset_s = q->now.offset_s;
    return in;
}

enum status app_quiz_refresh(struct app *app, struct message *why) {
    struct app_quiz *q = app->quiz;
    if (!q->read) {
        enum status ok = read_bank(app, why);
        if (ok != STATUS_OK) {
            return ok;
        }
        q->read = true;
    }
    read_log(q);
    q->now = app_quiz_now(app);
    struct history_input in = app_quiz_input(app);
    q->settings = study_settings_of(in.events, in.event_count);
    q->today = history_today(&in);
    history_cards(&in, q->cards);
    return STATUS_OK;
}

/* --- Writing --- */

struct progress_event app_quiz_event(const struct app *app, enum progress_kind kind,
                                     const char *item) {
    struct progress_event e = {.kind = kind, .scheduler = 6};
    struct app_moment now = app_quiz_now(app);
    struct writer w;
    e.utc_s = now.utc_s;
    e.offset_s = now.offset_s;
    e.sitting = app->quiz->way == QUIZ_NONE ? 0 : app->quiz->sitting.id;
    writer_start(&w, e.item, sizeof e.item);
    writer_text(&w, item);
    return e;
}

/* The sentence without the path before it, which may be long and stands on the screen of statistics. */
static const char *reason_of(const struct message *m, const char *text) {
    bool named = m->arg_count > 0 && m->args[0].kind == MESSAGE_ARG_TEXT;
    size_t path = named ? strlen(m->args[0].text) : 0;
    bool first =
        path > 0 && strncmp(text, m->args[0].text, path) == 0 && strncmp(text + path, ": ", 2) == 0;
    return first ? text + path + 2 : text;
}

void app_quiz_say_trouble(struct app *app) {
    const struct message *trouble = &app->quiz->trouble;
    char text[2 * MESSAGE_TEXT_MAX];
    if (trouble->id == NULL) {
        return;
    }
    app_say(app, trouble, text, sizeof text);
    message_start(&app->status, "error.sitting.unsaved");
    message_add_text(&app->status, reason_of(trouble, text));
}

int64_t app_quiz_tell(struct app *app, struct progress_event *event) {
    struct app_quiz *q = app->quiz;
    struct message why;
    q->counted = false;
    if (q->log == NULL) {
        app_quiz_say_trouble(app);
        return 0;
    }
    if (progress_append(q->log, event, &why) != STATUS_OK) {
        q->trouble = why; /* it counts all the same, and is tried again with the next */
        app_quiz_say_trouble(app);
        return event->id;
    }
    q->trouble.id = NULL;
    return event->id;
}

/* --- What is due --- */

int64_t app_quiz_usual_ms(enum question_kind kind) {
    static const int64_t seconds[QUESTION_KINDS] = {[QUESTION_CHOICE] = 30,
                                                    [QUESTION_NUMBER] = 75,
                                                    [QUESTION_ORDER] = 45,
                                                    [QUESTION_DERIVE] = 90,
                                                    [QUESTION_RECALL] = 90};
    return seconds[kind] * 1000;
}

static void count_cards(struct app_quiz *q, const struct sitting *s) {
    q->left = sitting_left_of(s, q->cards);
    q->due_ms = 0;
    for (int i = s->at; i < s->count; i++) {
        int64_t usual = app_quiz_usual_ms(q->bank[s->queue[i].question]->kind);
        q->due_ms += q->figures.median_ms > 0 ? q->figures.median_ms : usual;
    }
}

void app_quiz_count(struct app *app) {
    struct app_quiz *q = app->quiz;
    struct history_input in = app_quiz_input(app);
    struct sitting *fresh = NULL;
    history_summarize(&in, q->cards, &q->figures);
    if (q->way == QUIZ_DUE && sitting_now(&q->sitting) != NULL) {
        count_cards(q, &q->sitting);
    } else if ((fresh = malloc(sizeof *fresh)) != NULL) {
        sitting_today(fresh, &in, q->cards, NULL);
        count_cards(q, fresh);
        free(fresh);
    }
    app_quiz_find_last(app);
    q->counted = q->known = true;
}
