/* The application as a value: owns store and state, sends actions to the screen in front and draws it. No terminal,
 * no clock. Called by loop.c and by tests. Proof: tests/journeys/, tests/golden/. */
#include <stdlib.h>
#include <string.h>

#include "glossary_private.h"
#include "quiz_private.h"
#include "shardlab/ui/key.h"
#include "transcript_private.h"

static void choose_language(struct app *app, int language) {
    enum unit_system unit = app->words[app->language].unit;
    app->language = language;
    app->words[language].unit = unit;
    app->look.words = &app->words[language];
}

enum status app_new(struct app **out, const struct app_options *options, struct message *why) {
    struct app *app = calloc(1, sizeof *app);
    const struct record *rows = NULL;
    int count = 0;
    if (app == NULL) {
        message_start(why, "error.memory");
        return STATUS_FAILED;
    }
    enum status ok = app_quiz_new(app, options, why);
    ok = ok == STATUS_OK ? store_open(&app->store, why) : ok;
    for (int language = 0; ok == STATUS_OK && language < 2; language++) {
        ok = store_words(app->store, language == 1, &app->words[language], why);
    }
    if (ok == STATUS_OK) {
        ok = store_models(app->store, &rows, &count, why);
    }
    if (ok == STATUS_OK) {
        ok = store_gpus(app->store, &rows, &count, why);
    }
    if (ok != STATUS_OK) {
        app_free(app);
        return ok;
    }
    choose_language(app, options->chinese ? 1 : 0);
    app->look.ascii = options->ascii;
    app->look.rules.ambiguous_wide = options->ambiguous_wide;
    app->screen = APP_SCREEN_HOME;
    app->refused.option = -1;
    app->link = -1;
    app->guesses.marked = -1;
    app->glossary.looked = -1;
    *out = app;
    return STATUS_OK;
}

void app_free(struct app *app) {
    if (app != NULL) {
        app_experiment_free(app);
        app_transcript_free(app);
        app_places_forget(app);
        app_quiz_free(app);
        store_close(app->store);
        free(app);
    }
}

enum status app_show_lesson(struct app *app, const struct lesson *lesson, struct message *why) {
    return app_lesson_open(app, lesson, why);
}

const char *app_copied(const struct app *app) {
    return app->copied;
}

static enum ui_where where_in_lesson(const struct app *app) {
    if (app->search.prompting) {
        return UI_WHERE_PROMPT;
    }
    unsigned where = app->search.active  ? UI_WHERE_FOUND
                     : app_on_knobs(app) ? UI_WHERE_LESSON
                                         : UI_WHERE_AWAY;
    if (!app_guess_open(app)) { /* while the page asks, its picture is out of reach */
        where |= app_frames_where(app) | (app_view_ledger(app) != NULL ? UI_WHERE_LEDGER : 0U);
    }
    where |= app_on_links(app) ? UI_WHERE_LINK : 0U;
    where |= app->places.count > 0 || app->quiz->came ? UI_WHERE_CAME : 0U;
    return (enum ui_where)(where | app_experiment_where(app) | app_guess_where(app));
}

enum ui_where app_where(const struct app *app, enum app_screen screen) {
    switch (screen) {
    case APP_SCREEN_HOME:
        return UI_WHERE_HOME;
    case APP_SCREEN_LESSON:
        return where_in_lesson(app);
    case APP_SCREEN_HELP:
    case APP_SCREEN_LINE:
        return UI_WHERE_HELP;
    case APP_SCREEN_WHY:
        return UI_WHERE_WHY;
    case APP_SCREEN_PICKER:
        return UI_WHERE_PICKER;
    case APP_SCREEN_TABLE:
        return UI_WHERE_TABLE;
    case APP_SCREEN_GLOSSARY:
        return UI_WHERE_GLOSSARY;
    case APP_SCREEN_TERM:
        return UI_WHERE_TERM;
    case APP_SCREEN_QUIZ:
        return app_quiz_where(app);
    case APP_SCREEN_SUMMARY:
        return UI_WHERE_SUMMARY;
    case APP_SCREEN_STATS:
        return UI_WHERE_STATS;
    case APP_SCREEN_FORM:
        return UI_WHERE_FORM;
    }
    return UI_WHERE_HOME;
}

struct ui_keys app_keys(const struct app *app, enum app_screen screen) {
    struct ui_keys keys = {.where = app_where(app, screen)};
    if (screen == APP_SCREEN_QUIZ || screen == APP_SCREEN_SUMMARY) {
        app_quiz_leave_out(app, screen, &keys);
    }
    if (app_quiz_is_way_back(app)) {
        keys.named = UI_ACTION_RETURN;
        keys.name = "return-question";
    }
    return keys;
}

static unsigned toggle_help(struct app *app) {
    if (app->screen == APP_SCREEN_HELP) {
        app->screen = app->beneath;
    } else {
        bool over = app->screen == APP_SCREEN_WHY || app->screen == APP_SCREEN_TABLE;
        app->beneath = over                             ? APP_SCREEN_LESSON
                       : app->screen == APP_SCREEN_LINE ? app->beneath
                                                        : app->screen;
        app->screen = APP_SCREEN_HELP;
    }
    app->scroll = 0;
    app->status.id = NULL;
    return APP_EFFECT_VIEW | app_transcript_leave(app);
}

static unsigned toggle_unit(struct app *app) {
    struct words *words = &app->words[app->language];
    words->unit = words->unit == UNIT_GB ? UNIT_GIB : UNIT_GB;
    return APP_EFFECT_VIEW;
}

/* Actions that mean the same everywhere. */
static bool everywhere(struct app *app, enum ui_action action, unsigned *effects) {
    enum ui_where here = app_where(app, app->screen);
    bool overlay = here == UI_WHERE_HELP || here == UI_WHERE_WHY || here == UI_WHERE_TABLE ||
                   here == UI_WHERE_TERM;
    switch (action) {
    case UI_ACTION_QUIT_NOW:
        *effects = APP_EFFECT_QUIT;
        return true;
    case UI_ACTION_QUIT:
        *effects = APP_EFFECT_QUIT;
        return !overlay;
    case UI_ACTION_REDRAW:
        *effects = APP_EFFECT_VIEW | APP_EFFECT_REDRAW;
        return true;
    case UI_ACTION_HELP:
        *effects = toggle_help(app);
        return true;
    case UI_ACTION_UNIT:
        *effects = toggle_unit(app);
        return true;
    case UI_ACTION_MOUSE:
        *effects = app_mouse_toggle(app);
        return true;
    case UI_ACTION_GLOSSARY:
        *effects = app_glossary_open(app);
        return true;
    case UI_ACTION_LANGUAGE:
        choose_language(app, 1 - app->language);
        app_search_end(app); /* it was for words of the other language */
        *effects = APP_EFFECT_VIEW;
        return true;
    default:
        return false;
    }
}

unsigned app_act(struct app *app, enum ui_action action) {
    enum ui_where where = app_where(app, app->screen);
    unsigned effects = 0;
    bool spoke = app->status.id != NULL;
    if (app->refused.option < 0) {
        app->status.id =
            NULL; /* a sentence stands until the next key; a refusal until it is left */
    }
    if (everywhere(app, action, &effects)) {
        return effects;
    }
    switch (app->screen) {
    case APP_SCREEN_HOME:
        effects = app_home_action(app, action);
        break;
    case APP_SCREEN_LESSON:
        effects = where == UI_WHERE_PROMPT ? app_search_action(app, action)
                                           : app_lesson_action(app, action);
        break;
    case APP_SCREEN_HELP:
    case APP_SCREEN_WHY:
    case APP_SCREEN_LINE:
        effects = app_overlay_action(app, action);
        break;
    case APP_SCREEN_PICKER:
        effects = app_picker_action(app, action);
        break;
    case APP_SCREEN_TABLE:
        effects = app_table_action(app, action);
        break;
    case APP_SCREEN_GLOSSARY:
        effects = app_glossary_action(app, action);
        break;
    case APP_SCREEN_TERM:
        effects = app_term_action(app, action);
        break;
    case APP_SCREEN_QUIZ:
        effects = app_quiz_action(app, action);
        break;
    case APP_SCREEN_SUMMARY:
        effects = app_summary_action(app, action);
        break;
    case APP_SCREEN_STATS:
        effects = app_stats_action(app, action);
        break;
    case APP_SCREEN_FORM:
        effects = app_form_action(app, action);
        break;
    }
    return effects | (spoke ? APP_EFFECT_VIEW : 0);
}

unsigned app_key(struct app *app, uint32_t key) {
    key = ui_key_fold(key);
    enum ui_where where = app_where(app, app->screen);
    enum ui_action action = ui_action_find(key, where);
    if (action == UI_ACTION_NONE && where == UI_WHERE_PICKER) {
        return app_list_type(app, &app->picker.list, key);
    }
    if (action == UI_ACTION_NONE && where == UI_WHERE_GLOSSARY) {
        return app_list_type(app, &app->glossary.list, key);
    }
    if (action == UI_ACTION_NONE && where == UI_WHERE_PROMPT) {
        return app_search_type(app, key);
    }
    if (action == UI_ACTION_NONE && (where & UI_WHERE_ANSWER) != 0) {
        return app_quiz_type(app, key);
    }
    if (action == UI_ACTION_NONE && where == UI_WHERE_FORM) {
        return app_form_type(app, key);
    }
    if (action == UI_ACTION_NONE) {
        app_status_set(app, "status.unknown_key");
        return APP_EFFECT_VIEW;
    }
    return app_act(app, action);
}

void app_draw(struct app *app, struct grid *g) {
    app->mouse.hits.count = 0;
    g->hits = &app->mouse.hits;
    switch (app->screen) {
    case APP_SCREEN_HOME:
        app_home_draw(app, g);
        break;
    case APP_SCREEN_LESSON:
        app_lesson_draw(app, g);
        break;
    case APP_SCREEN_HELP:
    case APP_SCREEN_WHY:
    case APP_SCREEN_LINE:
        app_overlay_draw(app, g);
        break;
    case APP_SCREEN_PICKER:
        app_picker_draw(app, g);
        break;
    case APP_SCREEN_TABLE:
        app_table_draw(app, g);
        break;
    case APP_SCREEN_GLOSSARY:
        app_glossary_draw(app, g);
        break;
    case APP_SCREEN_TERM:
        app_term_draw(app, g);
        break;
    case APP_SCREEN_QUIZ:
        app_quiz_draw(app, g);
        break;
    case APP_SCREEN_SUMMARY:
        app_summary_draw(app, g);
        break;
    case APP_SCREEN_STATS:
        app_stats_draw(app, g);
        break;
    case APP_SCREEN_FORM:
        app_form_draw(app, g);
        break;
    }
}
