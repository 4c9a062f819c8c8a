/* What every screen has around it: header, rules, status and hints. Draws cells only. Proof: tests/golden/test_screens.c. */
#include <string.h>

#include "app_private.h"
#include "shardlab/base/units.h"

void app_say(const struct app *app, const struct message *m, char *text, size_t capacity) {
    struct writer w;
    writer_start(&w, text, capacity);
    words_write(&w, app->look.words, m);
}

void app_status_set(struct app *app, const char *id) {
    message_start(&app->status, id);
}

void app_refusal_forget(struct app *app) {
    if (app->refused.option >= 0) {
        app->refused.option = -1;
        app->status.id = NULL;
    }
}

void app_rule_draw(struct app *app, struct grid *g, struct rect area) {
    if (area.rows > 0) {
        size_t at = 0;
        uint32_t line = width_decode(ui_glyph(&app->look, UI_GLYPH_HORIZONTAL), &at);
        grid_fill(g, area, area.row, area.col, area.cols, line, UI_ROLE_LINE);
    }
}

/* No scenario is at hand on the home screen and among questions, and in their help. */
static bool at_home(const struct app *app) {
    bool terms = app->screen == APP_SCREEN_GLOSSARY || app->screen == APP_SCREEN_TERM;
    bool over = app->screen == APP_SCREEN_HELP || app->screen == APP_SCREEN_LINE;
    enum app_screen of = terms ? app->glossary.from : over ? app->beneath : app->screen;
    return app->lesson == NULL || of == APP_SCREEN_HOME || of >= APP_SCREEN_QUIZ;
}

/* "zero-paper  GB  EN": what the figures mean, always in sight. */
static void write_settings(const struct app *app, struct writer *w) {
    if (!at_home(app)) {
        calc_option_write(w, &app->scenario.resolved, calc_option_index("convention"));
        writer_text(w, "  ");
    }
    writer_text(w, units_name(app->look.words->unit));
    writer_text(w, "  ");
    writer_text(w, words_get(app->look.words, "home.language_mark"));
}

/* "llama-2-7b · tp 1 · pp 1 · dp 8 · ZeRO-1 · bf16"; in brief only the axes that divide anything. */
static void write_scenario(const struct app *app, bool brief, struct writer *w) {
    const struct scenario *s = &app->scenario.resolved;
    const char *dot = app->look.ascii ? " | " : " · ";
    static const char *const names[] = {"tp", "pp", "dp", "cp"};
    size_t start = w->length;
    writer_text(w, s->model.name);
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        uint64_t ranks = calc_option_value(s, calc_option_index(names[i]));
        if (ranks == 1 && (brief || i == 3)) {
            continue; /* context parallelism is rare: named only where there is some */
        }
        writer_text(w, w->length > start ? dot : ""); /* a count of parameters has no name */
        writer_text(w, names[i]);
        writer_char(w, ' ');
        writer_u64(w, ranks);
    }
    writer_text(w, w->length > start ? dot : "");
    writer_text(w, "ZeRO-");
    writer_u64(w, s->layout.zero);
    if (brief) {
        return;
    }
    writer_text(w, dot);
    calc_option_write(w, s, calc_option_index("precision"));
}

/* Whether a knob group of the page has it. */
static bool is_on_page(const struct app *app, const struct lesson_knob *knob) {
    for (int g = 0; g < app->group_count; g++) {
        for (int i = 0; i < LESSON_KNOBS_MAX && app->groups[g].options[i] != NULL; i++) {
            if (strcmp(app->groups[g].options[i], knob->name) == 0) {
                return true;
            }
        }
    }
    return false;
}

/* "Ranks 4 · Elements 1,000,003 · ring": where a lesson is about knobs of its own, the first `count` of those that the
 * page has; words speak for themselves, numbers have their label. */
static void write_own(const struct app *app, int count, struct writer *w) {
    for (int i = 0, shown = 0; i < app->lesson->own_count && shown < count; i++) {
        const struct lesson_knob *knob = &app->lesson->own[i];
        const char *stop = knob->stops[app->scenario.own[i]];
        uint64_t number = 0;
        if (!is_on_page(app, knob)) {
            continue;
        }
        writer_text(w, shown++ == 0 ? "" : app->look.ascii ? " | " : " · ");
        if (strspn(stop, "-0123456789") == 0) {
            writer_text(w, stop);
            continue;
        }
        writer_text(w, app_option_label(app, knob->name));
        writer_char(w, ' ');
        if (units_parse_count(stop, 1000, &number)) {
            writer_u64_grouped(w, number);
        } else {
            writer_text(w, stop);
        }
    }
}

/* True where the lesson is about knobs of its own: it has a command of its own, and begins with such a knob. */
static bool has_own_subject(const struct app *app) {
    struct lesson_knobs groups[LESSON_GROUPS_MAX];
    if (app->lesson->command == NULL || app->lesson->own_count == 0) {
        return false;
    }
    (void)app->lesson->knobs(0, groups);
    return app_own(app, app_knob_index(app, groups[0].options[0])) != NULL;
}

/* What the figures on the screen belong to, in `cols` columns: the longest of its forms that fits; "" where none does. */
static void write_subject(const struct app *app, const struct width_rules *rules, int cols,
                          struct writer *w) {
    size_t start = w->length;
    int forms = has_own_subject(app) ? app->lesson->own_count : 2;
    for (int form = 0; form < forms; form++) {
        w->length = start;
        if (has_own_subject(app)) {
            write_own(app, forms - form, w);
        } else {
            write_scenario(app, form == 1, w);
        }
        if (width_text(w->bytes + start, rules) <= cols) {
            return;
        }
    }
    w->length = start;
    w->bytes[start] = '\0';
}

void app_header_draw(struct app *app, struct grid *g, struct rect area, const char *title) {
    if (area.rows == 0) {
        return;
    }
    char settings[96], scenario[256];
    struct writer w;
    writer_start(&w, settings, sizeof settings);
    write_settings(app, &w);
    int at = grid_put(g, area, area.row, area.col + 1, "shardlab", UI_ROLE_TITLE);
    at = grid_put(g, area, area.row, at + 2, title, UI_ROLE_STRONG);
    int end = area.col + area.cols - 1;
    int start = end - width_text(settings, &g->rules);
    if (start > at + 1) {
        grid_put_right(g, area, area.row, end, settings, UI_ROLE_DIM);
    } else {
        start = end;
    }
    if (at_home(app)) {
        return;
    }
    writer_start(&w, scenario, sizeof scenario);
    write_subject(app, &g->rules, start - at - 4, &w);
    int width = width_text(scenario, &g->rules);
    grid_put(g, area, area.row, at + (start - at - width) / 2, scenario, UI_ROLE_TEXT);
}

enum { STATUS_MAX = 1024 };

int app_status_rows(const struct app *app, const struct width_rules *rules, int cols) {
    char text[STATUS_MAX];
    struct grid nowhere = {.rules = *rules};
    if (app->status.id == NULL) {
        return 1;
    }
    app_say(app, &app->status, text, sizeof text);
    int rows =
        ui_text_draw(&nowhere, (struct rect){0, 0, 0, cols - 2}, 0, text, UI_ROLE_DIM, &app->look);
    return rows > 1 ? rows : 1;
}

void app_status_draw(struct app *app, struct grid *g, struct rect area) {
    char text[STATUS_MAX];
    if (area.rows == 0 || app->status.id == NULL) {
        return;
    }
    app_say(app, &app->status, text, sizeof text);
    bool refused = strncmp(app->status.id, "error.", 6) == 0;
    enum ui_role role = refused ? UI_ROLE_WARNING : UI_ROLE_DIM;
    if (area.rows > 1) {
        struct rect lines = {area.row, area.col + 1, area.rows, area.cols - 2};
        (void)ui_text_draw(g, lines, area.row, text, role, &app->look);
        return;
    }
    grid_put_cut(g, area, area.row, area.col + 1, text, role, area.cols - 2);
}
