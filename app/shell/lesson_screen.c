/* The lesson screen: turns actions into moves of the scenario or of the focus. lesson_draw.c draws it. Called by
 * app.c. Proof: tests/golden/, tests/journeys/. */
#include <assert.h>
#include <string.h>

#include "glossary_private.h"
#include "quiz_private.h"

enum { COARSE_STEPS = 3 };

void app_view_refresh(struct app *app) {
    struct message why;
    app_frames_fit(app);
    struct lesson_input in = app_input(app);
    app->group_count = app->lesson->knobs(app->page, app->groups);
    if (app->lesson->view(&in, &app->view, &why) != STATUS_OK) {
        app->status = why;
    }
    const struct view_ledger *ledger = app_view_ledger(app);
    int rows = ledger == NULL ? 0 : ledger->row_count;
    app->row = app->row < rows ? app->row : rows - 1;
    if (app->row < 0) {
        app->row = 0;
    }
}

const struct view_ledger *app_view_ledger(const struct app *app) {
    for (int i = 0; i < app->view.item_count; i++) {
        if (app->view.items[i].kind == VIEW_KIND_LEDGER) {
            return &app->view.items[i].ledger;
        }
    }
    return NULL;
}

enum status app_lesson_enter(struct app *app, const struct lesson *lesson, int page,
                             struct message *why) {
    const struct document *documents[2];
    for (int language = 0; language < 2; language++) {
        enum status ok =
            store_lesson(app->store, lesson->folder, language == 1, &documents[language], why);
        if (ok != STATUS_OK) {
            return ok;
        }
    }
    memcpy(app->documents, documents, sizeof documents);
    app->lesson = lesson;
    app->page = page;
    app->frames.playing = false;
    app->pane = app->knob = app->scroll = app->beyond = app->experiment.scroll = 0;
    app->row = 2; /* the optimizer: the row that the first pages speak of */
    app->link = app->guesses.marked = -1;
    app->guesses.whole = false;
    app->refused.option = -1;
    app_search_end(app);
    app->screen = APP_SCREEN_LESSON;
    return STATUS_OK;
}

enum status app_lesson_open(struct app *app, const struct lesson *lesson, struct message *why) {
    bool again = app->lesson == lesson; /* coming back keeps page, scenario and undo */
    enum status ok = app_lesson_enter(app, lesson, again ? app->page : 0, why);
    if (ok != STATUS_OK) {
        return ok;
    }
    app_places_forget(app);
    ok = again ? STATUS_OK : app_scenario_travel(app, why);
    if (ok != STATUS_OK) {
        app->lesson = NULL;
        app->screen = APP_SCREEN_HOME;
        return ok;
    }
    app_view_refresh(app);
    return STATUS_OK;
}

int app_pane_count(const struct app *app) {
    bool links = ui_page_link_count(app->documents[app->language], app->page) > 0;
    return app->group_count + 1 + (links ? 1 : 0);
}

int app_knob_count(const struct lesson_knobs *group) {
    int count = 0;
    while (count < LESSON_KNOBS_MAX && group->options[count] != NULL) {
        count++;
    }
    return count;
}

bool app_on_knobs(const struct app *app) {
    return app->pane < app->group_count;
}

bool app_on_view(const struct app *app) {
    return app->pane == app->group_count;
}

bool app_on_links(const struct app *app) {
    return app->pane == app->group_count + 1;
}

int app_knob_option(const struct app *app) {
    if (!app_on_knobs(app)) {
        return -1;
    }
    return app_knob_index(app, app->groups[app->pane].options[app->knob]);
}

/* --- actions --- */

unsigned app_page_go(struct app *app, int page) {
    if (page < 0 || page >= app->lesson->page_count) {
        app_status_set(app, page < 0 ? "status.first_page" : "status.last_page");
        return APP_EFFECT_VIEW;
    }
    app->page = page;
    app->experiment.scroll = 0;
    app->pane = app->knob = app->scroll = app->beyond = 0;
    app->link = -1;
    app->status.id = NULL;
    app_refusal_forget(app);
    app_frames_begin(app);
    app_view_refresh(app);
    return APP_EFFECT_VIEW;
}

static unsigned change_pane(struct app *app, int step) {
    int panes = app_pane_count(app);
    app_refusal_forget(app);
    app->pane = (app->pane + step + panes) % panes;
    app->knob = app->beyond = 0;
    app->link = app_on_links(app) ? 0 : -1;
    app->link_follow = app_on_links(app);
    return APP_EFFECT_VIEW;
}

/* In a low pane the items below the ledger are reached by going on past its last row. */
static unsigned move_in_view(struct app *app, int step) {
    const struct view_ledger *ledger = app_view_ledger(app);
    int last = ledger == NULL ? -1 : ledger->row_count - 1;
    bool more = app->view_rows > app->view_visible;
    if (app->row + step > last || (step < 0 && app->beyond > 0)) {
        int next = app->beyond + step;
        if (next < 0 || !more || next > app->view_rows - app->view_visible) {
            return 0;
        }
        app->beyond = next;
        return APP_EFFECT_VIEW;
    }
    if (app->row + step < 0) {
        return 0;
    }
    app->row += step;
    return APP_EFFECT_VIEW;
}

static unsigned move_focus(struct app *app, int step) {
    int *index = &app->link;
    int count = ui_page_link_count(app->documents[app->language], app->page);
    app_refusal_forget(app);
    if (app_on_view(app)) {
        if (app_experiment_scroll(app, step)) {
            return APP_EFFECT_VIEW;
        }
        return app_guess_open(app) ? 0 : move_in_view(app, step);
    }
    if (app_on_knobs(app)) {
        index = &app->knob;
        count = app_knob_count(&app->groups[app->pane]);
    }
    int next = *index + step;
    if (next < 0 || next >= count) {
        return 0;
    }
    *index = next;
    app->link_follow = app_on_links(app);
    return APP_EFFECT_VIEW;
}

static unsigned scroll_words(struct app *app, int direction) {
    int step = app->page_visible > 2 ? app->page_visible - 1 : 1;
    int last = app->page_rows - app->page_visible;
    int next = app->scroll + direction * step;
    next = next > last ? last : next;
    next = next < 0 ? 0 : next;
    if (next == app->scroll) {
        return 0;
    }
    app->scroll = next;
    return APP_EFFECT_VIEW;
}

static unsigned copy_line(struct app *app) {
    struct writer w;
    writer_start(&w, app->copied, sizeof app->copied);
    struct lesson_input in = app_input(app);
    writer_text(&w, "shardlab ");
    if (app->lesson->command != NULL) {
        app->lesson->command(&in, &w);
    } else {
        writer_text(&w, "mem");
        scenario_write_options(&w, &app->scenario.given);
    }
    message_start(&app->status, "status.copied");
    app->beneath = APP_SCREEN_LESSON;
    app->screen = APP_SCREEN_LINE; /* whole and wrapped: many terminals ignore the copy */
    app->scroll = 0;
    return APP_EFFECT_VIEW | APP_EFFECT_COPY;
}

static unsigned open_why(struct app *app) {
    if (app_view_ledger(app) == NULL || app_guess_open(app)) {
        app_status_set(app, "status.no_why");
        return APP_EFFECT_VIEW;
    }
    app->beneath = APP_SCREEN_LESSON;
    app->screen = APP_SCREEN_WHY;
    app->scroll = 0;
    return APP_EFFECT_VIEW;
}

/* Enter: on a picker the list, on the ledger a derivation, on a link where it leads. */
static unsigned open_focused(struct app *app) {
    int option = app_knob_option(app);
    if (option >= 0 && app_own(app, option) == NULL &&
        calc_option_at(option)->kind == CALC_OPTION_NAME) {
        app_picker_open(app, option);
        return APP_EFFECT_VIEW;
    }
    const struct span *link =
        app_on_links(app) ? ui_page_link(app->documents[app->language], app->page, app->link)
                          : NULL;
    if (link != NULL && app_term_follow(app, link->target)) {
        return APP_EFFECT_VIEW;
    }
    if (link != NULL) {
        return app_link_follow(app, link->target);
    }
    return app_on_view(app) ? open_why(app) : 0;
}

static unsigned move_knob(struct app *app, enum ui_action action) {
    int option = app_knob_option(app);
    bool moves = app_on_view(app) && app->frames.last > 0 && !app_guess_open(app);
    if (moves && (action == UI_ACTION_LEFT || action == UI_ACTION_RIGHT)) {
        return app_frames_go(app, app->frames.at + (action == UI_ACTION_RIGHT ? 1 : -1));
    }
    if (moves && (action == UI_ACTION_FIRST || action == UI_ACTION_LAST)) {
        return app_frames_go(app, action == UI_ACTION_FIRST ? 0 : app->frames.last);
    }
    if (app_on_view(app) && (action == UI_ACTION_FIRST || action == UI_ACTION_LAST)) {
        const struct view_ledger *ledger = app_view_ledger(app);
        app->row = action == UI_ACTION_FIRST || ledger == NULL ? 0 : ledger->row_count - 1;
        app->beyond = 0;
        return APP_EFFECT_VIEW;
    }
    if (option < 0) {
        app_status_set(app, "status.no_knob");
        return APP_EFFECT_VIEW;
    }
    switch (action) {
    case UI_ACTION_LEFT:
        return app_knob_move(app, option, -1, false);
    case UI_ACTION_RIGHT:
        return app_knob_move(app, option, 1, false);
    case UI_ACTION_COARSE_LEFT:
        return app_knob_move(app, option, -COARSE_STEPS, false);
    case UI_ACTION_COARSE_RIGHT:
        return app_knob_move(app, option, COARSE_STEPS, false);
    case UI_ACTION_FIRST:
        return app_knob_to_end(app, option, false);
    case UI_ACTION_LAST:
        return app_knob_to_end(app, option, true);
    default:
        return app_knob_reset(app, option);
    }
}

unsigned app_lesson_action(struct app *app, enum ui_action action) {
    unsigned effects = 0;
    if (app_guess_action(app, action, &effects) || app_frames_action(app, action, &effects)) {
        return effects;
    }
    switch (action) {
    case UI_ACTION_LEFT:
    case UI_ACTION_RIGHT:
    case UI_ACTION_COARSE_LEFT:
    case UI_ACTION_COARSE_RIGHT:
    case UI_ACTION_FIRST:
    case UI_ACTION_LAST:
    case UI_ACTION_RESET:
        return move_knob(app, action);
    case UI_ACTION_UP:
        return move_focus(app, -1);
    case UI_ACTION_DOWN:
        return move_focus(app, 1);
    case UI_ACTION_PAGE_UP:
        return scroll_words(app, -1);
    case UI_ACTION_PAGE_DOWN:
        return scroll_words(app, 1);
    case UI_ACTION_NEXT_PANE:
        return change_pane(app, 1);
    case UI_ACTION_PREV_PANE:
        return change_pane(app, -1);
    case UI_ACTION_OPEN:
        return open_focused(app);
    case UI_ACTION_NEXT:
        return app_page_go(app, app->page + 1);
    case UI_ACTION_PREVIOUS:
        return app_page_go(app, app->page - 1);
    case UI_ACTION_WHY:
        return open_why(app);
    case UI_ACTION_CONVENTION:
        app_table_open(app);
        return APP_EFFECT_VIEW;
    case UI_ACTION_UNDO:
        return app_undo(app);
    case UI_ACTION_COPY:
        return copy_line(app);
    case UI_ACTION_SEARCH:
        app_search_open(app);
        return APP_EFFECT_VIEW;
    case UI_ACTION_MATCH_NEXT:
        return app_search_step(app, 1);
    case UI_ACTION_MATCH_BEFORE:
        return app_search_step(app, -1);
    case UI_ACTION_RUN:
        return app_experiment_run(app);
    case UI_ACTION_CANCEL:
        return app_experiment_cancel(app);
    case UI_ACTION_PRACTISE:
        return app_quiz_practise(app);
    case UI_ACTION_RETURN:
        return app_quiz_return(app, false, &effects) ? effects : app_place_return(app);
    case UI_ACTION_BACK:
        if (app->search.active) {
            app_search_end(app);
            return APP_EFFECT_VIEW;
        }
        if (app_quiz_return(app, true, &effects)) {
            return effects;
        }
        app->screen = APP_SCREEN_HOME;
        return APP_EFFECT_VIEW;
    default:
        return 0;
    }
}
