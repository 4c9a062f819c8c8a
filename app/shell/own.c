/* A lesson's own knobs in the learner's hands: those that no scenario has. They share numbers with the options, behind
 * them, so that focus, mouse and undo treat both alike. Called by scenario.c and by the lesson screen.
 * Proof: tests/journeys/collectives.txt. */
#include <string.h>

#include "app_private.h"

struct lesson_input app_input_asked(const struct app *app) {
    return (struct lesson_input){.now = &app->scenario.resolved,
                                 .before = app->scenario.has_before ? &app->scenario.before : NULL,
                                 .page = app->page,
                                 .own = app->scenario.own,
                                 .frame = app->frames.at};
}

struct lesson_input app_input(const struct app *app) {
    struct lesson_input in = app_input_asked(app);
    bool answered = app->experiment.state == APP_EXPERIMENT_DONE && app_experiment_current(app);
    in.answer = answered ? store_answer_record(app->experiment.answer) : NULL;
    return in;
}

int app_knob_index(const struct app *app, const char *name) {
    for (int i = 0; i < app->lesson->own_count; i++) {
        if (strcmp(app->lesson->own[i].name, name) == 0) {
            return calc_option_count() + i;
        }
    }
    return calc_option_index(name);
}

const struct lesson_knob *app_own(const struct app *app, int option) {
    int own = option - calc_option_count();
    bool is = own >= 0 && app->lesson != NULL && own < app->lesson->own_count;
    return is ? &app->lesson->own[own] : NULL;
}

void app_own_begin(struct app *app) {
    for (int i = 0; i < app->lesson->own_count; i++) {
        app->scenario.own[i] = app->lesson->own[i].start;
    }
}

struct app_stops app_own_stops(const struct app *app, int option) {
    const struct lesson_knob *knob = app_own(app, option);
    struct app_stops stops = {0, app->scenario.own[option - calc_option_count()]};
    while (knob->stops[stops.count] != NULL) {
        stops.count++;
    }
    return stops;
}

bool app_own_legal(const struct app *app, int option, int stop, struct message *why) {
    int own[LESSON_OWN_MAX];
    struct lesson_input in = app_input(app);
    memcpy(own, app->scenario.own, sizeof own);
    own[option - calc_option_count()] = stop;
    in.own = own;
    return app->lesson->own_check == NULL || app->lesson->own_check(&in, why) == STATUS_OK;
}
