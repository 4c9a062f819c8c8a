/* Figures of all that was answered: how much, how well, what the last thirty days held and what the next thirty ask for,
 * as bars of plain cells. From here the settings of the schedule are reached. The figures are learn/history.h's. Called
 * by app.c. Proof: tests/journeys/test_quiz.c, tests/golden/. */
#include <stdlib.h>

#include "quiz_private.h"
#include "shardlab/view/width.h"

unsigned app_stats_open(struct app *app) {
    struct message why;
    app->status.id = NULL;
    if (app_quiz_refresh(app, &why) != STATUS_OK) {
        app->status = why;
        return APP_EFFECT_VIEW;
    }
    app_quiz_count(app);
    app->quiz->ends = (struct quiz_scroll){.at = 0};
    app->screen = APP_SCREEN_STATS;
    return APP_EFFECT_VIEW;
}

unsigned app_stats_action(struct app *app, enum ui_action action) {
    unsigned effects = 0;
    if (app_quiz_scroll_action(&app->quiz->ends, action, &effects)) {
        return effects;
    }
    switch (action) {
    case UI_ACTION_OPEN:
        return app_form_open(app, false);
    case UI_ACTION_BACK:
        app->screen = APP_SCREEN_HOME;
        return APP_EFFECT_VIEW;
    default:
        return 0;
    }
}

/* --- Lines --- */

enum { VALUE_COL = 26, VALUE_COL_NARROW = 16 };

static void put_line(struct pen *p, const char *label, const struct message *value) {
    int col = p->area.cols >= 60 ? VALUE_COL : VALUE_COL_NARROW;
    grid_put_cut(p->grid, p->area, p->row, p->area.col, pen_words(p, label), UI_ROLE_DIM, col - 1);
    char text[PEN_TEXT_MAX];
    app_say(p->app, value, text, sizeof text);
    int row = p->row;
    app_quiz_put_in(p, col, text, UI_ROLE_TEXT);
    p->row += p->row == row ? 1 : 0;
}

static void put_counts(struct pen *p, const char *label, const char *id, int one, int other) {
    struct message m;
    message_start(&m, id);
    message_add_plain(&m, (uint64_t)one);
    message_add_plain(&m, (uint64_t)other);
    put_line(p, label, &m);
}

static void put_figures(struct pen *p) {
    const struct app_quiz *q = p->app->quiz;
    const struct history_summary *f = &q->figures;
    struct message m;
    put_counts(p, "stats.answers", f->answers > 0 ? "stats.answers_value" : "stats.none",
               f->answers, history_right_percent(f));
    put_counts(p, "stats.today", f->today > 0 ? "stats.today_value" : "stats.none", f->today,
               f->today_right);
    put_counts(p, "stats.streak", "stats.streak_value", f->streak_days, 0);
    put_counts(p, "stats.learned", "stats.learned_value", f->learned, q->bank_count);
    put_counts(p, "stats.due", "stats.due_value", q->left.again, q->left.new_cards);
    message_start(&m, f->median_ms > 0 ? "stats.time_value" : "stats.none");
    message_add_plain(&m, (uint64_t)((f->median_ms + 500) / 1000));
    put_line(p, "stats.time", &m);
    message_start(&m, f->learned > 0 ? "stats.recall_value" : "stats.none");
    message_add_plain(&m, (uint64_t)history_percent(f->expected_recall));
    put_line(p, "stats.recall", &m);
    message_start(&m, f->measured_reviews > 0 ? "stats.measured_value" : "stats.none");
    message_add_plain(&m, (uint64_t)history_percent(f->measured_recall));
    message_add_plain(&m, (uint64_t)f->measured_reviews);
    put_line(p, "stats.measured", &m);
}

/* --- Bars --- */

/* Days as bars of three rows, each day `step` columns wide; the tallest fills them. */
static void put_bars(struct pen *p, const int days[HISTORY_DAYS_SHOWN], bool backwards) {
    static const char *const levels[] = {" ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
    static const char *const plain[] = {" ", ".", ".", ":", ":", "|", "|", "#", "#"};
    enum { ROWS = 3, LEVELS = 8 };
    bool ascii = ui_look_plain(&p->app->look);
    int step = p->area.cols >= 2 * HISTORY_DAYS_SHOWN ? 2 : 1, most = 1;
    for (int i = 0; i < HISTORY_DAYS_SHOWN; i++) {
        most = days[i] > most ? days[i] : most;
    }
    for (int i = 0; i < HISTORY_DAYS_SHOWN; i++) {
        int count = days[backwards ? HISTORY_DAYS_SHOWN - 1 - i : i];
        int height = (count * ROWS * LEVELS + most - 1) / most;
        for (int row = 0; row < ROWS; row++) {
            int part = height - row * LEVELS;
            part = part < 0 ? 0 : part > LEVELS ? LEVELS : part;
            grid_put(p->grid, p->area, p->row + ROWS - 1 - row, p->area.col + i * step,
                     ascii ? plain[part] : levels[part], UI_ROLE_ACCENT);
        }
        if (count == 0) { /* so that a day without answers is a day */
            grid_put(p->grid, p->area, p->row + ROWS - 1, p->area.col + i * step, ascii ? "." : "·",
                     UI_ROLE_DIM);
        }
    }
    p->row += ROWS;
}

/* What stands below the bars at either end. */
static void put_ends(struct pen *p, const char *left, const char *right) {
    int step = p->area.cols >= 2 * HISTORY_DAYS_SHOWN ? 2 : 1;
    grid_put(p->grid, p->area, p->row, p->area.col, pen_words(p, left), UI_ROLE_DIM);
    grid_put_right(p->grid, p->area, p->row, p->area.col + HISTORY_DAYS_SHOWN * step,
                   pen_words(p, right), UI_ROLE_DIM);
    p->row++;
}

static void put_chart(struct pen *p, const char *title, const int days[HISTORY_DAYS_SHOWN],
                      bool past) {
    struct message m;
    int total = 0, most = 0;
    for (int i = 0; i < HISTORY_DAYS_SHOWN; i++) {
        total += days[i];
        most = days[i] > most ? days[i] : most;
    }
    message_start(&m, title);
    message_add_plain(&m, (uint64_t)total);
    message_add_plain(&m, (uint64_t)most);
    p->row++;
    pen_say(p, &m, UI_ROLE_TITLE);
    put_bars(p, days, past);
    put_ends(p, past ? "stats.days_ago" : "stats.day_today",
             past ? "stats.day_today" : "stats.days_ahead");
}

/* --- Settings, as they stand --- */

static void put_settings(struct pen *p) {
    const struct study_settings *s = &p->app->quiz->settings;
    struct message m;
    p->row++;
    pen_put(p, pen_words(p, "stats.settings"), UI_ROLE_TITLE);
    if (s->has_interview) {
        char date[32];
        struct writer w;
        writer_start(&w, date, sizeof date);
        day_write(&w, s->interview_day);
        history_say_interview(p->app->quiz->today, s->interview_day, date, &m);
    } else {
        message_start(&m, "stats.interview_none");
    }
    put_line(p, "stats.interview", &m);
    put_counts(p, "stats.budget", s->budget_cards > 0 ? "stats.budget_value" : "stats.budget_none",
               s->budget_cards, 0);
    put_counts(p, "stats.rollover", "stats.rollover_value", s->rollover_hour, 0);
    pen_put(p, pen_words(p, "stats.settings_how"), UI_ROLE_DIM);
}

static int write_stats(struct pen *p) {
    const struct app_quiz *q = p->app->quiz;
    if (q->trouble.id != NULL) {
        pen_say(p, &q->trouble, UI_ROLE_WARNING);
        p->row++;
    }
    put_figures(p);
    put_chart(p, "stats.past", q->figures.by_day, true);
    put_chart(p, "stats.ahead", q->figures.forecast, false);
    put_settings(p);
    return -1;
}

void app_stats_draw(struct app *app, struct grid *g) {
    app_quiz_pane_draw(app, g, &app->quiz->ends, words_get(app->look.words, "home.statistics"),
                       write_stats);
}
