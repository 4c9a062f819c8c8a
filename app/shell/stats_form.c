/* Lines that are typed: the three settings of the schedule, and the length and level of a mock interview. Every line is
 * checked when Enter is pressed; what is wrong has the focus, and a sentence in the status row says what would be right.
 * A setting that was changed is an event of the log. Called by app.c. Proof: tests/journeys/test_quiz.c. */
#include <stdlib.h>
#include <string.h>

#include "quiz_private.h"
#include "shardlab/view/width.h"

struct form_line {
    enum quiz_field field;
    const char *setting; /* name in the log; NULL: not kept there */
    const char *label, *about;
};

static const struct form_line fields[QUIZ_FIELDS] = {
    {QUIZ_FIELD_INTERVIEW, "interview", "stats.interview", "stats.interview_about"},
    {QUIZ_FIELD_BUDGET, "budget-cards", "stats.budget", "stats.budget_about"},
    {QUIZ_FIELD_ROLLOVER, "rollover-hour", "stats.rollover", "stats.rollover_about"},
    {QUIZ_FIELD_MINUTES, NULL, "mock.minutes", "mock.minutes_about"},
    {QUIZ_FIELD_LEVEL, NULL, "mock.level", "mock.level_about"},
};

static int first_field(const struct app *app) {
    return app->quiz->form.mock ? QUIZ_FIELD_MINUTES : QUIZ_FIELD_INTERVIEW;
}

static int end_field(const struct app *app) {
    return app->quiz->form.mock ? QUIZ_FIELDS : QUIZ_FIELD_MINUTES;
}

/* What stands in a line before it is changed. */
static void write_value(const struct app *app, int field, struct writer *w) {
    const struct app_quiz *q = app->quiz;
    switch ((enum quiz_field)field) {
    case QUIZ_FIELD_INTERVIEW:
        if (q->settings.has_interview) {
            day_write(w, q->settings.interview_day);
        }
        break;
    case QUIZ_FIELD_BUDGET:
        writer_u64(w, (uint64_t)q->settings.budget_cards);
        break;
    case QUIZ_FIELD_ROLLOVER:
        writer_u64(w, (uint64_t)q->settings.rollover_hour);
        break;
    case QUIZ_FIELD_MINUTES:
        writer_u64(w, (uint64_t)q->mock.minutes);
        break;
    default:
        writer_u64(w, (uint64_t)q->mock.level);
        break;
    }
}

unsigned app_form_open(struct app *app, bool mock) {
    struct app_quiz *q = app->quiz;
    struct message why;
    app->status.id = NULL;
    if (app_quiz_refresh(app, &why) != STATUS_OK) {
        app->status = why;
        return APP_EFFECT_VIEW;
    }
    memset(&q->form, 0, sizeof q->form);
    q->form.mock = mock;
    q->form.at = first_field(app);
    for (int i = 0; i < QUIZ_FIELDS; i++) {
        struct writer w;
        writer_start(&w, q->form.typed[i].text, sizeof q->form.typed[i].text);
        write_value(app, i, &w);
        q->form.typed[i].length = w.length;
    }
    q->ends = (struct quiz_scroll){.follow = true};
    app->screen = APP_SCREEN_FORM;
    return APP_EFFECT_VIEW;
}

/* --- Checking --- */

/* A whole number from `least` to `most`; false: it is none. */
static bool read_number(const char *text, int least, int most, int *out) {
    int value = 0;
    size_t length = strspn(text, "0123456789");
    if (length == 0 || length > 4 || text[length] != '\0') {
        return false;
    }
    for (size_t i = 0; i < length; i++) {
        value = value * 10 + (text[i] - '0');
    }
    *out = value;
    return value >= least && value <= most;
}

struct range {
    int least, most;
};
enum { BUDGET_MOST = 500, HOUR_MOST = 23, MINUTES_LEAST = 5, MINUTES_MOST = 60 };
static const struct range ranges[QUIZ_FIELDS] = {
    [QUIZ_FIELD_BUDGET] = {0, BUDGET_MOST},
    [QUIZ_FIELD_ROLLOVER] = {0, HOUR_MOST},
    [QUIZ_FIELD_MINUTES] = {MINUTES_LEAST, MINUTES_MOST},
    [QUIZ_FIELD_LEVEL] = {1, QUESTION_LEVEL_MAX},
};

static bool is_changed(const struct app *app, int field) {
    char before[64];
    struct writer w;
    writer_start(&w, before, sizeof before);
    write_value(app, field, &w);
    return strcmp(before, app->quiz->form.typed[field].text) != 0;
}

/* False: it is not what the line asks for, and *why says so. */
static bool check_field(const struct app *app, int field, int *number, struct message *why) {
    const struct app_quiz *q = app->quiz;
    const char *text = q->form.typed[field].text;
    int64_t day = 0;
    *number = 0;
    if (field == QUIZ_FIELD_INTERVIEW) {
        bool as_it_was = text[0] == '\0' || !is_changed(app, field); /* a date may have passed */
        return as_it_was || day_parse_interview(text, q->today, &day, why) == STATUS_OK;
    }
    if (text[0] == '\0' && fields[field].setting != NULL) {
        return true; /* as it is by default */
    }
    if (read_number(text, ranges[field].least, ranges[field].most, number)) {
        return true;
    }
    message_start(why, "error.sitting.range");
    message_add_text(why, text);
    message_add_plain(why, (uint64_t)ranges[field].least);
    message_add_plain(why, (uint64_t)ranges[field].most);
    return false;
}

static void keep_setting(struct app *app, int field) {
    struct progress_event e = app_quiz_event(app, PROGRESS_SETTING, fields[field].setting);
    struct writer w;
    writer_start(&w, e.text, sizeof e.text);
    writer_text(&w, app->quiz->form.typed[field].text);
    e.sitting = 0;
    (void)app_quiz_tell(app, &e);
}

static unsigned take(struct app *app) {
    struct app_quiz *q = app->quiz;
    int numbers[QUIZ_FIELDS] = {0};
    for (int i = first_field(app); i < end_field(app); i++) {
        struct message why;
        if (!check_field(app, i, &numbers[i], &why)) {
            app->status = why;
            q->form.at = i;
            return APP_EFFECT_VIEW;
        }
    }
    if (q->form.mock) {
        q->mock.minutes = numbers[QUIZ_FIELD_MINUTES];
        q->mock.level = numbers[QUIZ_FIELD_LEVEL];
        return app_quiz_mock_begin(app);
    }
    bool changed = false;
    for (int i = 0; i < QUIZ_FIELD_MINUTES; i++) {
        if (is_changed(app, i)) {
            keep_setting(app, i);
            changed = true;
        }
    }
    struct message spoke = app->status;
    (void)app_stats_open(app);
    app->status = spoke;
    if (changed && spoke.id == NULL) {
        app_status_set(app, q->log != NULL ? "stats.kept" : "stats.not_kept");
    }
    return APP_EFFECT_VIEW;
}

/* --- Keys --- */

static unsigned move(struct app *app, int step) {
    struct quiz_form *f = &app->quiz->form;
    int to = f->at + step;
    if (to < first_field(app) || to >= end_field(app)) {
        return 0;
    }
    f->at = to;
    return APP_EFFECT_VIEW;
}

unsigned app_form_type(struct app *app, uint32_t key) {
    struct app_typed *t = &app->quiz->form.typed[app->quiz->form.at];
    app->status.id = NULL;
    (void)app_typed_add(t, key);
    return APP_EFFECT_VIEW;
}

unsigned app_form_action(struct app *app, enum ui_action action) {
    struct quiz_form *f = &app->quiz->form;
    switch (action) {
    case UI_ACTION_UP:
        return move(app, -1);
    case UI_ACTION_DOWN:
        return move(app, 1);
    case UI_ACTION_ERASE:
        return app_typed_erase(&f->typed[f->at]) ? APP_EFFECT_VIEW : 0;
    case UI_ACTION_CLEAR:
        app_typed_clear(&f->typed[f->at]);
        return APP_EFFECT_VIEW;
    case UI_ACTION_OPEN:
        return take(app);
    case UI_ACTION_BACK:
        app->screen = f->mock ? APP_SCREEN_HOME : APP_SCREEN_STATS;
        return APP_EFFECT_VIEW;
    default:
        return 0;
    }
}

/* --- Drawing --- */

static int write_form(struct pen *p) {
    const struct quiz_form *f = &p->app->quiz->form;
    int focus = -1;
    pen_put(p, pen_words(p, f->mock ? "mock.intro" : "stats.form_intro"), UI_ROLE_TEXT);
    p->row++;
    for (int i = first_field(p->app); i < end_field(p->app); i++) {
        bool here = i == f->at;
        const char *label = pen_words(p, fields[i].label);
        if (here) {
            grid_put(p->grid, p->area, p->row, p->area.col,
                     ui_glyph(&p->app->look, UI_GLYPH_POINTER), UI_ROLE_ACCENT);
            focus = p->row - p->first;
        }
        int col = grid_put(p->grid, p->area, p->row, p->area.col + 2, label,
                           here ? UI_ROLE_STRONG : UI_ROLE_TEXT);
        col = grid_put(p->grid, p->area, p->row, col + 1, "[", UI_ROLE_DIM);
        int end = grid_put(p->grid, p->area, p->row, col, f->typed[i].text,
                           here ? UI_ROLE_CURSOR : UI_ROLE_TEXT);
        grid_put(p->grid, p->area, p->row, end, "]", UI_ROLE_DIM);
        if (here) {
            p->grid->cursor_row = p->row;
            p->grid->cursor_col = end;
        }
        p->row++;
        app_quiz_put_in(p, 4, pen_words(p, fields[i].about), UI_ROLE_DIM);
        p->row++;
    }
    pen_put(p, pen_words(p, f->mock ? "mock.form_how" : "stats.form_how"), UI_ROLE_DIM);
    return focus;
}

void app_form_draw(struct app *app, struct grid *g) {
    const char *title = app->quiz->form.mock ? "home.interview" : "stats.settings";
    app->quiz->ends.follow = true;
    app_quiz_pane_draw(app, g, &app->quiz->ends, words_get(app->look.words, title), write_form);
}
