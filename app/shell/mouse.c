/* The mouse on every screen: what was drawn at the cell under it (ui/hit.h) decides. A click does what keys do and
 * nothing else, so the mouse is never the only way; the first click on a row takes the focus there, the next opens
 * it. Off at the start. Proof: tests/journeys/mouse.txt, tests/tty/test_mouse.c. */
#include "quiz_private.h"

enum { WHEEL_ROWS = 3 };

bool app_mouse_wanted(const struct app *app) {
    return app->mouse.wanted;
}

unsigned app_mouse_toggle(struct app *app) {
    app->mouse.wanted = !app->mouse.wanted;
    app->mouse.dragging = false;
    app_status_set(app, app->mouse.wanted ? "status.mouse_on" : "status.mouse_off");
    return APP_EFFECT_VIEW | APP_EFFECT_MOUSE;
}

/* The focus to a knob in sight; returns its option. */
static int focus_knob(struct app *app, int knob) {
    app_refusal_forget(app);
    app->pane = app_on_knobs(app) ? app->pane : 0; /* the group that is shown */
    app->knob = knob;
    app->link = -1;
    return app_knob_option(app);
}

static unsigned set_stop(struct app *app, int option, int stop) {
    bool there = app_knob_stops(app, option).current == stop;
    return APP_EFFECT_VIEW | (there ? 0 : app_knob_set(app, option, stop));
}

static unsigned press_row(struct app *app, int row) {
    bool again = app_on_view(app) && app->row == row;
    app_refusal_forget(app);
    app->pane = app->group_count;
    app->link = -1;
    app->row = row;
    return again ? app_act(app, UI_ACTION_WHY) : APP_EFFECT_VIEW;
}

static unsigned press_link(struct app *app, int link) {
    app_refusal_forget(app);
    app->pane = app->group_count + 1; /* where links are */
    app->link = link;
    return app_act(app, UI_ACTION_OPEN) | APP_EFFECT_VIEW;
}

static unsigned press_item(struct app *app, int item) {
    if (app->screen == APP_SCREEN_TABLE) {
        return app_table_press(app, item);
    }
    if (app->screen == APP_SCREEN_QUIZ) {
        return app_quiz_press(app, item);
    }
    int *at = app->screen == APP_SCREEN_SUMMARY    ? &app->quiz->summary_at
              : app->screen == APP_SCREEN_HOME     ? &app->home_item
              : app->screen == APP_SCREEN_GLOSSARY ? &app->glossary.list.at
              : app->screen == APP_SCREEN_TERM     ? &app->glossary.place
                                                   : &app->picker.list.at;
    bool again = *at == item;
    *at = item;
    return again ? app_act(app, UI_ACTION_OPEN) : APP_EFFECT_VIEW;
}

static unsigned press(struct app *app, const struct ui_hit *hit, int col) {
    switch (hit->kind) {
    case UI_HIT_ACTION:
        return app_act(app, (enum ui_action)hit->part);
    case UI_HIT_KNOB:
        (void)focus_knob(app, hit->id);
        return APP_EFFECT_VIEW;
    case UI_HIT_STOP:
        app->mouse.dragging = true;
        app->mouse.held = *hit;
        return set_stop(app, focus_knob(app, hit->id), hit->part);
    case UI_HIT_RAIL:
        app->mouse.dragging = true;
        app->mouse.held = *hit;
        return set_stop(app, focus_knob(app, hit->id), ui_hit_rail_stop(hit, col));
    case UI_HIT_STEP:
        return app_knob_move(app, focus_knob(app, hit->id), hit->part, false) | APP_EFFECT_VIEW;
    case UI_HIT_NAME:
        app_picker_open(app, focus_knob(app, hit->id));
        return APP_EFFECT_VIEW;
    case UI_HIT_ROW:
        return press_row(app, hit->part);
    case UI_HIT_LINK:
        return press_link(app, hit->part);
    case UI_HIT_ITEM:
        return press_item(app, hit->part);
    case UI_HIT_NONE:
    case UI_HIT_WORDS:
    case UI_HIT_VIEW:
        return 0;
    }
    return 0;
}

/* The stop of the knob that is held at a column, wherever the mouse's row is by now; -1: between stops. Written stops
 * are looked for among those that are shown now, because they move along. */
static int held_stop(const struct app *app, int col) {
    const struct ui_hit *held = &app->mouse.held;
    if (held->kind == UI_HIT_RAIL) {
        return ui_hit_rail_stop(held, col);
    }
    const struct ui_hit *now = ui_hit_find(&app->mouse.hits, held->area.row, col);
    return now != NULL && now->kind == UI_HIT_STOP && now->id == held->id ? now->part : -1;
}

static unsigned drag(struct app *app, int col) {
    if (!app->mouse.dragging || app->screen != APP_SCREEN_LESSON || !app_on_knobs(app)) {
        return 0;
    }
    int option = app_knob_option(app);
    int stop = held_stop(app, col);
    return stop < 0 || app_knob_stops(app, option).current == stop
               ? 0
               : app_knob_set(app, option, stop);
}

static unsigned scroll_words(struct app *app, int rows) {
    int last = app->page_rows - app->page_visible;
    int next = app->scroll + rows;
    next = next > last ? last : next;
    next = next < 0 ? 0 : next;
    unsigned effects = next == app->scroll ? 0 : APP_EFFECT_VIEW;
    app->scroll = next;
    return effects;
}

static unsigned step_often(struct app *app, bool up) {
    enum ui_action action = up ? UI_ACTION_UP : UI_ACTION_DOWN;
    unsigned effects = 0;
    for (int i = 0; i < WHEEL_ROWS; i++) {
        unsigned scrolled = 0;
        if (app->screen == APP_SCREEN_QUIZ) { /* the text, not what would be answered */
            (void)app_quiz_scroll_action(&app->quiz->pane, action, &scrolled);
        } else {
            scrolled = app_act(app, action);
        }
        effects |= scrolled;
    }
    return effects;
}

static unsigned wheel(struct app *app, const struct ui_hit *hit, bool up) {
    enum ui_hit_kind kind = hit != NULL ? hit->kind : UI_HIT_NONE;
    if (app->screen != APP_SCREEN_LESSON) {
        return step_often(app, up);
    }
    if (kind == UI_HIT_WORDS || kind == UI_HIT_LINK) {
        return scroll_words(app, up ? -WHEEL_ROWS : WHEEL_ROWS);
    }
    if (kind == UI_HIT_VIEW || kind == UI_HIT_ROW) {
        app_refusal_forget(app);
        app->pane = app->group_count;
        app->link = -1;
        return app_act(app, up ? UI_ACTION_UP : UI_ACTION_DOWN) | APP_EFFECT_VIEW;
    }
    return 0; /* a wheel that moved sliders would move them by accident */
}

unsigned app_mouse(struct app *app, const struct ui_mouse *m) {
    if (!app->mouse.wanted) {
        return 0;
    }
    const struct ui_hit *hit = ui_hit_find(&app->mouse.hits, m->row, m->col);
    bool typing = app->screen == APP_SCREEN_LESSON && app->search.prompting;
    if (typing && (hit == NULL || hit->kind != UI_HIT_ACTION)) {
        return 0; /* the line in the status row is finished first */
    }
    switch (m->kind) {
    case UI_MOUSE_PRESS:
        app->mouse.dragging = false;
        return hit != NULL ? press(app, hit, m->col) : 0;
    case UI_MOUSE_DRAG:
        return drag(app, m->col);
    case UI_MOUSE_RELEASE:
        app->mouse.dragging = false;
        return 0;
    case UI_MOUSE_WHEEL_UP:
    case UI_MOUSE_WHEEL_DOWN:
        return wheel(app, hit, m->kind == UI_MOUSE_WHEEL_UP);
    }
    return 0;
}
