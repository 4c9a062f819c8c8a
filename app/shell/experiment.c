/* Experiments as the application knows them: asked about, running, answered, failed, cancelled. Processes are the loop's
 * (loop.c): it starts what APP_EFFECT_RUN names and tells every line and the end; tests tell them without any process.
 * An answer belongs to the command line it was asked with, so a moved knob makes it old and `u` makes it current again.
 * Owns the answer. Proof: tests/journeys/test_experiments.c, tests/tty/test_experiment.c. */
#include <stdlib.h>
#include <string.h>

#include "transcript_private.h"

/* A lesson that predicts nothing wrong still exits with 1 when predicted and measured differ. */
enum { STATUS_DIFFERS = STATUS_FAILED };

bool app_experiment_offer(const struct app *app, struct lesson_experiment *out) {
    if (app->lesson == NULL || app->lesson->experiment == NULL) {
        return false;
    }
    struct lesson_input in = app_input_asked(app);
    memset(out, 0, sizeof *out);
    return app->lesson->experiment(&in, out);
}

static bool is_here(const struct app *app) {
    const struct app_experiment *e = &app->experiment;
    return e->lesson == app->lesson && e->page == app->page;
}

bool app_experiment_current(const struct app *app) {
    struct lesson_experiment offer;
    const struct app_experiment *e = &app->experiment;
    return e->state != APP_EXPERIMENT_NONE && is_here(app) && app_experiment_offer(app, &offer) &&
           strcmp(offer.line, e->what.line) == 0;
}

unsigned app_experiment_where(const struct app *app) {
    struct lesson_experiment offer;
    const struct app_experiment *e = &app->experiment;
    bool offered = !app_guess_open(app) && app_experiment_offer(app, &offer);
    unsigned where = offered ? UI_WHERE_EXPERIMENT : 0;
    if (e->state == APP_EXPERIMENT_RUNNING) {
        where |= UI_WHERE_RUNNING;
    } else if (offered && e->state == APP_EXPERIMENT_ASKED && app_experiment_current(app)) {
        where |= UI_WHERE_ASKED;
    }
    return where;
}

static void forget(struct app_experiment *e) {
    free(e->compared);
    store_answer_free(e->answer);
    *e = (struct app_experiment){.state = APP_EXPERIMENT_NONE, .guess = -1};
}

void app_experiment_free(struct app *app) {
    forget(&app->experiment);
}

/* --- Starting --- */

/* The line cut into words, between the program's name and what the screen wants to hear. */
static void write_command(struct app *app) {
    struct app_experiment *e = &app->experiment;
    int count = 0;
    memcpy(e->words, e->what.line, sizeof e->words);
    e->argv[count++] = "shardlab";
    for (char *at = e->words; *at != '\0' && count < APP_EXPERIMENT_WORDS_MAX - 4;) {
        e->argv[count++] = at;
        at += strcspn(at, " ");
        if (*at == ' ') {
            *at++ = '\0';
        }
    }
    e->argv[count++] = "--events";
    e->argv[count++] = "--lang";
    e->argv[count++] = app->language == 1 ? "zh" : "en";
    e->argv[count] = NULL;
}

const char *const *app_experiment_command(const struct app *app) {
    return app_transcript_runs(app) ? app_transcript_command(app) : app->experiment.argv;
}

static unsigned start(struct app *app, int guess) {
    struct app_experiment *e = &app->experiment;
    e->state = APP_EXPERIMENT_RUNNING;
    e->guess = guess;
    write_command(app);
    app_view_refresh(app); /* the picture may have shown the answer before */
    return APP_EFFECT_VIEW | APP_EFFECT_RUN;
}

unsigned app_experiment_run(struct app *app) {
    struct lesson_experiment offer;
    struct app_experiment *e = &app->experiment;
    if (e->state == APP_EXPERIMENT_RUNNING) {
        app_status_set(app, "status.experiment_runs");
        return APP_EFFECT_VIEW;
    }
    if (e->state == APP_EXPERIMENT_ASKED && app_experiment_current(app)) {
        return start(app, -1);
    }
    if (!app_experiment_offer(app, &offer)) {
        return 0;
    }
    bool answered = app_experiment_current(app) && e->state == APP_EXPERIMENT_DONE;
    forget(e);
    e->lesson = app->lesson;
    e->page = app->page;
    e->what = offer;
    if (offer.guess.choice_count > 0 &&
        !answered) { /* who has seen the answer has nothing to guess */
        e->state = APP_EXPERIMENT_ASKED;
        return APP_EFFECT_VIEW;
    }
    return start(app, -1);
}

unsigned app_experiment_guess(struct app *app, int choice) {
    return start(app, choice);
}

unsigned app_experiment_cancel(struct app *app) {
    struct app_experiment *e = &app->experiment;
    if (e->state == APP_EXPERIMENT_ASKED) {
        forget(e);
        return APP_EFFECT_VIEW;
    }
    if (e->state != APP_EXPERIMENT_RUNNING) {
        return 0;
    }
    e->state = APP_EXPERIMENT_CANCELLED;
    app_status_set(app, "status.experiment_cancelled");
    return APP_EFFECT_VIEW | APP_EFFECT_CANCEL;
}

/* --- Listening --- */

/* Who looks at something else by now hears that it is over. */
static unsigned tell_elsewhere(struct app *app) {
    if (!app_experiment_current(app) && app->status.id == NULL) {
        message_start(&app->status, "status.experiment_ended");
        message_add_text(&app->status, app->experiment.what.line);
    }
    return APP_EFFECT_VIEW;
}

static unsigned fail(struct app *app, const struct message *why) {
    app->experiment.state = APP_EXPERIMENT_FAILED;
    app->experiment.failure = *why;
    return tell_elsewhere(app);
}

unsigned app_experiment_failed(struct app *app, const struct message *why) {
    if (app_transcript_runs(app)) {
        return app_transcript_failed(app, why);
    }
    return app->experiment.state == APP_EXPERIMENT_RUNNING ? fail(app, why) : 0;
}

/* "repeat 3 · time_s 0.00041": the event with its plain values. */
static void keep_event(struct app_experiment *e, const struct record *r) {
    struct writer w;
    writer_start(&w, e->last_event, sizeof e->last_event);
    writer_text(&w, record_find(r, "event")->text);
    for (int i = 0; i < r->count; i++) {
        const struct field *f = &r->fields[i];
        bool plain = f->kind != FIELD_OTHER && f->kind != FIELD_NULL &&
                     strpbrk(f->key, ".[") == NULL && strcmp(f->key, "event") != 0;
        if (plain) {
            writer_text(&w, "  ");
            writer_text(&w, f->key);
            writer_char(&w, ' ');
            writer_text(&w, f->text);
        }
    }
    e->events++;
}

unsigned app_experiment_line(struct app *app, const char *line, size_t length) {
    struct app_experiment *e = &app->experiment;
    struct store_answer *answer = NULL;
    struct message why;
    if (app_transcript_runs(app)) {
        return app_transcript_line(app, line, length);
    }
    if (e->state != APP_EXPERIMENT_RUNNING) {
        return 0;
    }
    if (store_answer_read(line, length, &answer, &why) != STATUS_OK) {
        return fail(app, &why) | APP_EFFECT_CANCEL;
    }
    const struct record *r = store_answer_record(answer);
    const struct field *event = record_find(r, "event");
    if (event != NULL && event->kind == FIELD_TEXT) {
        keep_event(e, r);
        store_answer_free(answer);
    } else { /* the result comes last; of two the later one counts */
        store_answer_free(e->answer);
        e->answer = answer;
    }
    return APP_EFFECT_VIEW;
}

/* Its own sentence, if it said one; control characters have no place on the screen. */
static void keep_said(struct app_experiment *e, const char *error) {
    size_t i = 0;
    for (; error[i] != '\0' && i + 1 < sizeof e->said; i++) {
        unsigned char c = (unsigned char)error[i];
        e->said[i] = c < 0x20 || c == 0x7F ? '?' : error[i];
    }
    e->said[i] = '\0';
}

unsigned app_experiment_ended(struct app *app, const struct lab_end *end) {
    struct app_experiment *e = &app->experiment;
    struct message why;
    if (app_transcript_runs(app)) {
        return app_transcript_ended(app, end);
    }
    if (e->state != APP_EXPERIMENT_RUNNING) {
        return 0;
    }
    bool answered = e->answer != NULL && end->kind == LAB_END_EXIT &&
                    (end->value == STATUS_OK || end->value == STATUS_DIFFERS);
    if (answered && !app_experiment_compare(e)) {
        message_start(&why, "error.memory");
        return fail(app, &why);
    }
    if (answered) {
        e->state = APP_EXPERIMENT_DONE;
        app_view_refresh(app);
        return tell_elsewhere(app);
    }
    keep_said(e, end->error);
    switch (end->kind) {
    case LAB_END_EXIT:
        message_start(&why, "error.experiment.exit");
        message_add_plain(&why, (uint64_t)end->value);
        break;
    case LAB_END_SIGNAL:
        message_start(&why, "error.experiment.signal");
        message_add_plain(&why, (uint64_t)end->value);
        break;
    case LAB_END_CANCELLED:
        e->state = APP_EXPERIMENT_CANCELLED;
        return APP_EFFECT_VIEW;
    case LAB_END_LONG_LINE:
        message_start(&why, "error.experiment.long_line");
        message_add_plain(&why, LAB_LINE_MAX);
        break;
    }
    return fail(app, &why);
}
