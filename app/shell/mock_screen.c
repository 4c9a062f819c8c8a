/* A mock interview on the screen: chains of questions to the first miss, with a clock in the header, one question after
 * another without ratings or going back; its end is a report. Which question comes next is learn/mock.h's. Answers are
 * answers: they count for the schedule like any other. Called by stats_form.c and quiz_screen.c.
 * Proof: tests/journeys/test_quiz.c. */
#include "quiz_private.h"
#include "shardlab/view/width.h"

enum { MINUTE_MS = 60000 };

/* "7/10" into the log, and the report onto the screen. */
static unsigned finish(struct app *app) {
    struct app_quiz *q = app->quiz;
    struct progress_event e = app_quiz_event(app, PROGRESS_MOCK, "mock");
    struct writer w;
    mock_report_make(&q->mock.state, &q->mock.report);
    writer_start(&w, e.text, sizeof e.text);
    writer_u64(&w, (uint64_t)q->mock.report.right);
    writer_char(&w, '/');
    writer_u64(&w, (uint64_t)q->mock.report.asked);
    e.took_ms = q->mock.state.spent_ms;
    if (q->mock.report.asked > 0) {
        (void)app_quiz_tell(app, &e);
    }
    q->ends = (struct quiz_scroll){.at = 0};
    q->summary_at = 0;
    app->screen = APP_SCREEN_SUMMARY;
    return APP_EFFECT_VIEW;
}

/* The question in front of the interview; one whose numbers cannot be computed is an end, and says so. */
static unsigned show(struct app *app) {
    struct app_quiz *q = app->quiz;
    struct message why;
    if (app_quiz_refresh(app, &why) != STATUS_OK) {
        app->status = why;
        return finish(app);
    }
    if (q->mock.state.now < 0) {
        return finish(app);
    }
    if (app_quiz_attempt_start(app, q->mock.state.now, mock_seed(&q->mock.state), &why) !=
        STATUS_OK) {
        app->status = why;
        return finish(app);
    }
    q->came = q->kept = false;
    app->screen = APP_SCREEN_QUIZ;
    return APP_EFFECT_VIEW;
}

unsigned app_quiz_mock_begin(struct app *app) {
    struct app_quiz *q = app->quiz;
    struct history_input in = app_quiz_input(app);
    uint64_t id = app_quiz_mix((uint64_t)q->now.utc_s, (uint64_t)in.event_count);
    mock_start(&q->mock.state, &in, q->cards,
               &(struct mock_terms){q->mock.level, q->mock.minutes, id});
    if (q->mock.state.now < 0) {
        message_start(&app->status, q->bank_count > 0 ? "mock.none" : "sitting.none");
        message_add_plain(&app->status, (uint64_t)q->mock.level);
        return APP_EFFECT_VIEW;
    }
    q->way = QUIZ_MOCK;
    q->sitting.id = id; /* of its events, and of the order of options */
    q->sitting.count = q->sitting.at = q->sitting.done_count = 0;
    app_quiz_say_trouble(app);
    return show(app);
}

unsigned app_quiz_mock_next(struct app *app) {
    struct app_quiz *q = app->quiz;
    /* What was read after the answer is not counted: feedback is not the interview. */
    mock_take(&q->mock.state, &q->attempt, q->took_ms);
    return show(app);
}

unsigned app_quiz_mock_end(struct app *app) {
    if (app->quiz->attempt.state == ATTEMPT_JUDGED) { /* what was answered counts */
        mock_take(&app->quiz->mock.state, &app->quiz->attempt, app->quiz->took_ms);
    }
    return finish(app);
}

static void write_title(const struct app *app, const char *id, struct writer *w) {
    const struct app_quiz *q = app->quiz;
    const struct mock *m = &q->mock.state;
    int64_t spent = m->spent_ms;
    struct message title;
    spent += q->took_ms > 0 ? q->took_ms : app_quiz_now(app).ms - q->shown_ms;
    message_start(&title, id);
    message_add_plain(&title, (uint64_t)m->answer_count + 1);
    message_add_plain(&title, (uint64_t)(spent / MINUTE_MS) + 1);
    message_add_plain(&title, (uint64_t)(m->length_ms / MINUTE_MS));
    words_write(w, app->look.words, &title);
    if (m->depth > 0) {
        message_start(&title, "mock.deep");
        message_add_plain(&title, (uint64_t)m->depth);
        words_write(w, app->look.words, &title);
    }
}

void app_quiz_mock_title(const struct app *app, const struct grid *g, struct writer *w) {
    enum { BESIDE = 12 }; /* the program's name and the margins */
    size_t start = w->length;
    write_title(app, "mock.title", w);
    if (width_text(w->bytes + start, &g->rules) > g->cols - BESIDE) {
        w->length = start;
        w->bytes[start] = '\0';
        write_title(app, "mock.title_short", w);
    }
}
