/* Moving the scenario: knobs rest on stops, a stop that validation refuses is shown but not taken, every move can
 * be undone. Called by the lesson screen. Proof: tests/journeys/. */
#include <string.h>

#include "app_private.h"

const struct record *app_knob_rows(const struct app *app, int option, int *count) {
    const struct calc_option *o = calc_option_at(option);
    const struct record *rows = NULL;
    struct message ignored; /* the files were read when the application started */
    *count = 0;
    enum status ok = strcmp(o->name, "gpu") == 0 ? store_gpus(app->store, &rows, count, &ignored)
                                                 : store_models(app->store, &rows, count, &ignored);
    return ok == STATUS_OK ? rows : NULL;
}

static const char *row_id(const struct record *row) {
    const struct field *id = record_find(row, "id");
    return id == NULL ? "" : id->text;
}

static struct app_stops name_stops(const struct app *app, int option) {
    const struct calc_option *o = calc_option_at(option);
    int count = 0;
    const struct record *rows = app_knob_rows(app, option, &count);
    const char *now = (const char *)&app->scenario.resolved + o->offset;
    struct app_stops stops = {count, -1};
    for (int i = 0; i < count; i++) {
        if (strcmp(row_id(&rows[i]), now) == 0) {
            stops.current = i;
        }
    }
    return stops;
}

static struct app_stops option_stops(const struct app *app, int option) {
    const struct calc_option *o = calc_option_at(option);
    uint64_t now = calc_option_value(&app->scenario.resolved, option);
    struct app_stops stops = {0, -1};
    switch (o->kind) {
    case CALC_OPTION_NAME:
        stops = name_stops(app, option);
        break;
    case CALC_OPTION_CHOICE:
        while (o->choices[stops.count] != NULL) {
            stops.count++;
        }
        stops.current = (int)now;
        break;
    case CALC_OPTION_SWITCH:
        stops.count = 2;
        stops.current = (int)now;
        break;
    case CALC_OPTION_COUNT:
    case CALC_OPTION_SEQ:
    case CALC_OPTION_REAL:
        stops.count = o->stop_count;
        for (int i = 0; i < o->stop_count; i++) {
            if (o->stops[i] == now) {
                stops.current = i;
            }
        }
        break;
    case CALC_OPTION_PATH:
    case CALC_OPTION_BYTES:
    case CALC_OPTION_LIST:
        break;
    }
    return stops;
}

struct app_stops app_knob_stops(const struct app *app, int option) {
    struct app_stops stops =
        app_own(app, option) != NULL ? app_own_stops(app, option) : option_stops(app, option);
    if (app->refused.option == option) {
        stops.current = app->refused.stop;
    }
    return stops;
}

void app_knob_stop_text(const struct app *app, int option, int stop, struct writer *w) {
    const struct lesson_knob *own = app_own(app, option);
    if (own != NULL) {
        writer_text(w, own->stops[stop]);
        return;
    }
    const struct calc_option *o = calc_option_at(option);
    int count = 0;
    if (o->kind == CALC_OPTION_NAME) {
        const struct record *rows = app_knob_rows(app, option, &count);
        writer_text(w, stop < count ? row_id(&rows[stop]) : "");
    } else if (o->kind == CALC_OPTION_CHOICE) {
        writer_text(w, o->choices[stop]);
    } else if (o->kind == CALC_OPTION_SWITCH) {
        writer_text(w, stop != 0 ? "yes" : "no");
    } else {
        calc_option_stop_write(w, option, stop);
    }
}

/* Another model brings its own dimensions: those of the old one that were overridden go. */
static void clear_dimensions(struct scenario *given) {
    for (int i = 0; i < calc_option_count(); i++) {
        if (calc_option_at(i)->group == CALC_GROUP_MODEL) {
            calc_option_clear(given, i);
        }
    }
}

/* The three states that a scenario with `option` at `stop` would have. */
struct attempt {
    struct scenario given, applied, resolved;
};

/* Back at the value that holds anyway, an option is no longer a choice: it follows preset and convention again. */
static void drop_if_default(int option, struct attempt *a) {
    struct attempt without = *a;
    struct message why;
    if (calc_option_at(option)->group == CALC_GROUP_MODEL) {
        return; /* clearing would lose what the preset brought */
    }
    calc_option_clear(&without.given, option);
    calc_option_clear(&without.applied, option);
    if (cli_scenario_settle(&without.applied, &without.resolved, &why) == STATUS_OK &&
        calc_option_value(&without.resolved, option) == calc_option_value(&a->resolved, option)) {
        *a = without;
    }
}

static enum status try_stop(const struct app *app, int option, int stop, struct attempt *a,
                            struct message *why) {
    char text[CALC_NAME_MAX];
    struct writer w;
    writer_start(&w, text, sizeof text);
    app_knob_stop_text(app, option, stop, &w);
    a->given = app->scenario.given;
    bool name = calc_option_at(option)->kind == CALC_OPTION_NAME;
    if (name && calc_option_at(option)->group == CALC_GROUP_MODEL) {
        clear_dimensions(&a->given);
    }
    enum status ok = calc_option_set(&a->given, option, text, why);
    if (ok == STATUS_OK && name) {
        return cli_scenario_load(app->store, &a->given, &a->applied, &a->resolved, NULL, why);
    }
    if (ok == STATUS_OK) {
        a->applied = app->scenario.applied;
        ok = calc_option_set(&a->applied, option, text, why);
    }
    ok = ok == STATUS_OK ? cli_scenario_settle(&a->applied, &a->resolved, why) : ok;
    if (ok == STATUS_OK) {
        drop_if_default(option, a);
    }
    return ok;
}

/* Legal also means that the calculator can answer (no overflow). */
static bool answers(const struct attempt *a, struct message *why) {
    struct calc_memory memory;
    return calc_memory_worst(&a->resolved, &memory, why) == STATUS_OK;
}

bool app_knob_stop_legal(const struct app *app, int option, int stop, struct message *why) {
    struct attempt a;
    if (app_own(app, option) != NULL) {
        return app_own_legal(app, option, stop, why);
    }
    return try_stop(app, option, stop, &a, why) == STATUS_OK;
}

static void remember(struct app_scenario *s) {
    s->undo[s->undo_next] = s->given;
    memcpy(s->own_undo[s->undo_next], s->own, sizeof s->own);
    memcpy(s->moved_undo[s->undo_next], s->moved, sizeof s->moved);
    s->undo_next = (s->undo_next + 1) % APP_UNDO_MAX;
    if (s->undo_count < APP_UNDO_MAX) {
        s->undo_count++;
    }
}

static void take(struct app *app, const struct attempt *a) {
    struct app_scenario *s = &app->scenario;
    s->before = s->resolved;
    s->has_before = true;
    s->given = a->given;
    s->applied = a->applied;
    s->resolved = a->resolved;
    app->refused.option = -1;
    app->status.id = NULL;
    app_view_refresh(app);
}

static unsigned refuse(struct app *app, int option, int stop, const struct message *why) {
    app->refused.option = option;
    app->refused.stop = stop;
    app->status = *why;
    return APP_EFFECT_VIEW;
}

static unsigned set_own(struct app *app, int option, int stop) {
    struct message why;
    struct attempt same = {app->scenario.given, app->scenario.applied, app->scenario.resolved};
    if (!app_own_legal(app, option, stop, &why)) {
        return refuse(app, option, stop, &why);
    }
    remember(&app->scenario);
    app->scenario.own[option - calc_option_count()] = stop;
    take(app, &same);
    return APP_EFFECT_VIEW;
}

unsigned app_knob_set(struct app *app, int option, int stop) {
    struct attempt a;
    struct message why;
    if (app_own(app, option) != NULL) {
        return set_own(app, option, stop);
    }
    if (try_stop(app, option, stop, &a, &why) != STATUS_OK || !answers(&a, &why)) {
        return refuse(app, option, stop, &why);
    }
    remember(&app->scenario);
    app->scenario.moved[option] = true;
    take(app, &a);
    return APP_EFFECT_VIEW;
}

/* Where a step from between two stops leads: the next one in that direction. */
static int stop_beside(const struct app *app, int option, int count, bool up) {
    const struct calc_option *o = calc_option_at(option);
    uint64_t now = calc_option_value(&app->scenario.resolved, option);
    if (o->stops == NULL) {
        return 0;
    }
    int beside = up ? count - 1 : 0;
    for (int i = 0; i < count; i++) {
        if (!up && o->stops[i] < now) {
            beside = i;
        }
        if (up && o->stops[count - 1 - i] > now) {
            beside = count - 1 - i;
        }
    }
    return beside;
}

unsigned app_knob_move(struct app *app, int option, int steps, bool wrap) {
    struct app_stops stops = app_knob_stops(app, option);
    if (stops.count == 0 || steps == 0) {
        return 0;
    }
    int target = stops.current < 0 ? stop_beside(app, option, stops.count, steps > 0)
                                   : stops.current + steps;
    if (wrap) {
        target = ((target % stops.count) + stops.count) % stops.count;
    } else if (target < 0) {
        target = 0;
    } else if (target >= stops.count) {
        target = stops.count - 1;
    }
    return target == stops.current ? 0 : app_knob_set(app, option, target);
}

unsigned app_knob_to_end(struct app *app, int option, bool last) {
    struct app_stops stops = app_knob_stops(app, option);
    struct message why;
    int target = last ? stops.count - 1 : 0;
    while (last && target > 0 && !app_knob_stop_legal(app, option, target, &why)) {
        target--; /* the last stop that can be taken */
    }
    return stops.count == 0 || target == stops.current ? 0 : app_knob_set(app, option, target);
}

/* Takes `given` as the scenario, presets and all. False: refused, nothing changed but the status line. */
static bool adopt(struct app *app, const struct scenario *given, bool undoable) {
    struct attempt a;
    struct message why;
    a.given = *given;
    if (cli_scenario_load(app->store, given, &a.applied, &a.resolved, NULL, &why) != STATUS_OK ||
        !answers(&a, &why)) {
        app->status = why;
        return false;
    }
    if (undoable) {
        remember(&app->scenario);
    }
    take(app, &a);
    return true;
}

unsigned app_knob_reset(struct app *app, int option) {
    struct scenario given = app->scenario.given;
    struct scenario start;
    struct message why;
    if (app_own(app, option) != NULL) {
        return app_knob_set(app, option, app_own(app, option)->start);
    }
    app->refused.option = -1;
    calc_option_clear(&given, option);
    if (cli_scenario_parse_line(app->lesson->start, &start, &why) == STATUS_OK &&
        calc_option_given(&start, option)) {
        char text[CALC_NAME_MAX];
        struct writer w;
        writer_start(&w, text, sizeof text);
        calc_option_write(&w, &start, option);
        if (calc_option_set(&given, option, text, &why) != STATUS_OK) {
            app->status = why;
            return APP_EFFECT_VIEW;
        }
    }
    if (adopt(app, &given, true)) { /* else a refusal stands in the status line */
        app->scenario.moved[option] = false;
    }
    return APP_EFFECT_VIEW;
}

unsigned app_undo(struct app *app) {
    struct app_scenario *s = &app->scenario;
    if (s->undo_count == 0) {
        app_status_set(app, "status.nothing_to_undo");
        return APP_EFFECT_VIEW;
    }
    int last = (s->undo_next + APP_UNDO_MAX - 1) % APP_UNDO_MAX;
    struct scenario given = s->undo[last];
    int own[LESSON_OWN_MAX];
    memcpy(own, s->own, sizeof own);
    memcpy(s->own, s->own_undo[last], sizeof own);
    if (!adopt(app, &given, false)) {
        memcpy(s->own, own, sizeof own);
    } else {
        memcpy(s->moved, s->moved_undo[last], sizeof s->moved);
        s->undo_next = last;
        s->undo_count--;
        app_status_set(app, "status.undone");
    }
    return APP_EFFECT_VIEW;
}
