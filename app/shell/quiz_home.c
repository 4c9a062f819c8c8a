/* What home says about questions: how many are due and for how long. It is counted behind the first picture, because
 * reading questions and log is not what a start waits for. And where to go on: the lesson that is open or, after a start,
 * the page of the last guess or question in the log. Proof: tests/journeys/test_quiz.c. */
#include <string.h>

#include "quiz_private.h"

void app_quiz_home_write(const struct app *app, struct writer *w) {
    enum { MINUTE_MS = 60000 };
    const struct app_quiz *q = app->quiz;
    struct message m;
    if (!q->known) {
        writer_text(w, words_get(app->look.words, "home.questions_any"));
        return;
    }
    if (q->bank_count == 0) {
        writer_text(w, words_get(app->look.words, "sitting.none"));
        return;
    }
    if (q->figures.answers == 0) {
        message_start(&m, "home.questions_none_asked");
        message_add_plain(&m, (uint64_t)q->bank_count);
    } else if (q->left.again + q->left.new_cards == 0) {
        message_start(&m, "home.questions_done");
        message_add_plain(&m, (uint64_t)q->figures.today);
    } else {
        message_start(&m, "home.questions_due");
        message_add_plain(&m, (uint64_t)q->left.again);
        message_add_plain(&m, (uint64_t)q->left.new_cards);
        message_add_plain(&m, (uint64_t)((q->due_ms + MINUTE_MS - 1) / MINUTE_MS));
    }
    words_write(w, app->look.words, &m);
}

void app_quiz_home_interview_write(const struct app *app, struct writer *w) {
    const struct app_quiz *q = app->quiz;
    struct message m;
    struct history_input in = app_quiz_input(app);
    message_start(&m, "home.interview_about");
    message_add_plain(&m, (uint64_t)q->mock.minutes);
    words_write(w, app->look.words, &m);
    for (int i = in.event_count - 1; q->known && i >= 0; i--) {
        if (in.events[i].kind == PROGRESS_MOCK) {
            message_start(&m, "home.interview_last");
            message_add_text(&m, in.events[i].text);
            words_write(w, app->look.words, &m);
            return;
        }
    }
}

void app_quiz_home_figures_write(const struct app *app, struct writer *w) {
    const struct app_quiz *q = app->quiz;
    struct message m;
    if (!q->known || q->figures.answers == 0) {
        writer_text(w, words_get(app->look.words, "home.figures_any"));
        return;
    }
    message_start(&m, "home.figures");
    message_add_plain(&m, (uint64_t)q->figures.answers);
    message_add_plain(&m, (uint64_t)history_right_percent(&q->figures));
    message_add_plain(&m, (uint64_t)q->figures.streak_days);
    words_write(w, app->look.words, &m);
}

/* "guess.zero#2": the page of a lesson. */
static bool find_guess(const char *item, const struct lesson **lesson, int *page) {
    static const char before[] = "guess.", scheme[] = "lesson:";
    char target[PROGRESS_ITEM_MAX + sizeof scheme];
    struct writer w;
    if (strncmp(item, before, strlen(before)) != 0) {
        return false;
    }
    writer_start(&w, target, sizeof target);
    writer_text(&w, scheme);
    writer_text(&w, item + strlen(before));
    return lesson_link_find(target, lesson, page);
}

static bool find_place(const struct app *app, const struct progress_event *e,
                       const struct lesson **lesson, int *page) {
    if (e->kind == PROGRESS_GUESS) {
        return find_guess(e->item, lesson, page);
    }
    int at = e->kind == PROGRESS_ANSWER ? app_quiz_index(app, e->item) : -1;
    if (at < 0) {
        return false;
    }
    *lesson = lesson_find(app->quiz->bank[at]->lesson);
    *page = app->quiz->bank[at]->page - 1;
    return *lesson != NULL;
}

void app_quiz_find_last(struct app *app) {
    struct history_input in = app_quiz_input(app);
    for (int i = in.event_count - 1; i >= 0; i--) {
        if (find_place(app, &in.events[i], &app->quiz->last, &app->quiz->last_page)) {
            return;
        }
    }
}

const struct lesson *app_quiz_home_lesson(const struct app *app, int *page) {
    *page = app->lesson != NULL ? app->page : app->quiz->last_page;
    return app->lesson != NULL ? app->lesson : app->quiz->last;
}
