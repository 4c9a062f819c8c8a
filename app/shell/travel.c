/* From lesson to lesson with one scenario. What the learner moved travels: every option that was set by hand since the
 * program started keeps its value, or its absence. What nobody touched is the opened lesson's start, because each lesson
 * starts where its first page has something to show (four stages, many experts). A lesson's own knobs (ranks of one
 * collective) belong to it and start anew. Where the two do not go together the lesson starts with its own and says why.
 * Opened from home the same rule holds; the page of the lesson that was open last is found as it was left.
 * A followed link leaves a place behind: page, focus, scroll and the whole scenario with its undo, to which Backspace
 * returns; of many the oldest is dropped, and from the last Backspace leads home, as Esc always does. Owns the scenarios
 * of those places. Proof: tests/journeys/test_links.c. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "app_private.h"

/* --- The scenario --- */

static bool carry_option(const struct scenario *from, int option, struct scenario *to) {
    char text[CALC_NAME_MAX];
    struct writer w;
    struct message why;
    const struct calc_option *o = calc_option_at(option);
    if (!calc_option_given(from, option)) {
        calc_option_clear(to, option);
        return true;
    }
    for (int i = 0; o->kind == CALC_OPTION_NAME && i < calc_option_count(); i++) {
        if (o->group == CALC_GROUP_MODEL && calc_option_at(i)->group == CALC_GROUP_MODEL) {
            calc_option_clear(to, i); /* another model brings its own dimensions */
        }
    }
    writer_start(&w, text, sizeof text);
    calc_option_write(&w, from, option);
    return calc_option_set(to, option, text, &why) == STATUS_OK;
}

/* The states of a scenario that a lesson could be opened with. */
struct candidate {
    struct scenario given, applied, resolved;
};

static enum status settle(struct app *app, struct candidate *c, struct message *why) {
    const struct lesson *lesson = app->lesson;
    struct calc_memory memory;
    enum status ok = cli_scenario_load(app->store, &c->given, &c->applied, &c->resolved, NULL, why);
    if (ok == STATUS_OK) {
        ok = calc_memory_worst(&c->resolved, &memory, why);
    }
    struct lesson_input in = {.now = &c->resolved};
    if (ok == STATUS_OK && lesson->own_check != NULL) {
        ok = lesson->own_check(&in, why);
    }
    return ok == STATUS_OK ? lesson->view(&in, &app->view, why) : ok; /* drawn anew later */
}

/* The start of the lesson with what was moved; false: they do not go together. */
static bool travel(struct app *app, struct candidate *c, struct message *why) {
    const struct app_scenario *s = &app->scenario;
    if (cli_scenario_parse_line(app->lesson->start, &c->given, why) != STATUS_OK) {
        return false;
    }
    for (int i = 0; i < calc_option_count(); i++) {
        if (s->moved[i] && !carry_option(&s->given, i, &c->given)) {
            return false;
        }
    }
    return settle(app, c, why) == STATUS_OK;
}

static void say_own_start(struct app *app, const struct message *reason) {
    char text[MESSAGE_TEXT_MAX];
    app_say(app, reason, text, sizeof text);
    message_start(&app->status, "status.own_start");
    message_add_text(&app->status, text);
}

enum status app_scenario_travel(struct app *app, struct message *why) {
    struct app_scenario *s = &app->scenario;
    struct candidate c;
    struct message reason;
    assert(calc_option_count() <= APP_OPTIONS_MAX);
    if (!travel(app, &c, &reason)) {
        enum status ok = cli_scenario_parse_line(app->lesson->start, &c.given, why);
        ok = ok == STATUS_OK ? settle(app, &c, why) : ok;
        if (ok != STATUS_OK) {
            return ok;
        }
        memset(s->moved, 0, sizeof s->moved);
        say_own_start(app, &reason);
    }
    s->given = c.given;
    s->applied = c.applied;
    s->resolved = c.resolved;
    s->has_before = false;
    s->undo_count = s->undo_next = 0;
    app_own_begin(app);
    app_frames_begin(app);
    return STATUS_OK;
}

enum status app_lesson_show(struct app *app, const struct lesson *lesson, int page,
                            const char *line, struct message *why) {
    struct app_scenario *s = &app->scenario;
    struct candidate c = {.given = {.layout = {0}}};
    enum app_screen screen = app->screen;
    enum status ok = app_lesson_enter(app, lesson, page, why);
    if (ok == STATUS_OK && line == NULL) {
        ok = app_scenario_travel(app, why);
    } else if (ok == STATUS_OK) {
        ok = cli_scenario_parse_line(line, &c.given, why);
        ok = ok == STATUS_OK ? settle(app, &c, why) : ok;
    }
    if (ok != STATUS_OK) {
        app->lesson = NULL;
        app->screen = screen;
        return ok;
    }
    if (line != NULL) {
        s->given = c.given;
        s->applied = c.applied;
        s->resolved = c.resolved;
        s->has_before = false;
        s->undo_count = s->undo_next = 0;
        app_own_begin(app);
    }
    app_frames_begin(app);
    app_view_refresh(app);
    return STATUS_OK;
}

/* --- Places to return to --- */

void app_places_forget(struct app *app) {
    while (app->places.count > 0) {
        free(app->places.kept[--app->places.count].scenario);
    }
}

bool app_place_leave(struct app *app) {
    struct app_places *p = &app->places;
    struct app_scenario *scenario = malloc(sizeof *scenario);
    if (scenario == NULL) {
        return false;
    }
    if (p->count == APP_PLACES_MAX) {
        free(p->kept[0].scenario);
        memmove(&p->kept[0], &p->kept[1], sizeof p->kept[0] * (APP_PLACES_MAX - 1));
        p->count--;
    }
    *scenario = app->scenario;
    p->kept[p->count++] = (struct app_place){.lesson = app->lesson,
                                             .page = app->page,
                                             .pane = app->pane,
                                             .knob = app->knob,
                                             .row = app->row,
                                             .beyond = app->beyond,
                                             .link = app->link,
                                             .scroll = app->scroll,
                                             .frame = app->frames.at,
                                             .scenario = scenario};
    return true;
}

unsigned app_place_return(struct app *app) {
    struct message why;
    if (app->places.count == 0) {
        return 0;
    }
    app_refusal_forget(app);
    struct app_place place = app->places.kept[--app->places.count];
    if (app_lesson_enter(app, place.lesson, place.page, &why) != STATUS_OK) {
        app->status = why; /* it was read before: only a lack of memory comes here */
        free(place.scenario);
        return APP_EFFECT_VIEW;
    }
    app->scenario = *place.scenario;
    free(place.scenario);
    app_frames_begin(app);
    app->frames.at = place.frame;
    app_view_refresh(app);
    app->pane = place.pane;
    app->knob = place.knob;
    app->row = place.row;
    app->beyond = place.beyond;
    app->link = place.link;
    app->scroll = place.scroll;
    return APP_EFFECT_VIEW;
}

/* --- Links --- */

static void say_way_back(struct app *app) {
    bool any = false;
    for (int i = 0; i < calc_option_count(); i++) {
        any = any || app->scenario.moved[i];
    }
    if (app->status.id == NULL) {
        message_start(&app->status, any ? "status.followed_moved" : "status.followed");
    }
}

unsigned app_link_follow(struct app *app, const char *target) {
    const struct lesson *lesson = NULL;
    int page = 0;
    if (!lesson_link_find(target, &lesson, &page)) {
        app_status_set(app, "status.no_lesson");
        return APP_EFFECT_VIEW;
    }
    return app_travel(app, lesson, page);
}

unsigned app_travel(struct app *app, const struct lesson *lesson, int page) {
    struct message why;
    app_refusal_forget(app);
    if (!app_place_leave(app)) {
        app_status_set(app, "error.memory");
        return APP_EFFECT_VIEW;
    }
    bool same = lesson == app->lesson;
    enum status ok = app_lesson_enter(app, lesson, page, &why);
    ok = ok == STATUS_OK && !same ? app_scenario_travel(app, &why) : ok;
    if (ok != STATUS_OK) {
        (void)app_place_return(app);
        app->status = why;
        return APP_EFFECT_VIEW;
    }
    app_frames_begin(app);
    app_view_refresh(app);
    say_way_back(app);
    return APP_EFFECT_VIEW;
}
