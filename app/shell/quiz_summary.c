/* The end of a sitting: how many were answered and right, what comes again tomorrow, and the lessons of what was missed,
 * which Enter opens. Undo works from here too. Called by app.c. Proof: tests/journeys/test_quiz.c, tests/golden/. */
#include <string.h>

#include "quiz_private.h"

enum { LESSONS_MAX = 16 };

/* Lessons of what was missed, each once: an interview's report has them, of a sitting the last answers. Returns how
 * many. */
static int missed(const struct app *app, const struct lesson *lessons[LESSONS_MAX]) {
    const struct sitting *s = &app->quiz->sitting;
    const struct mock_report *report = &app->quiz->mock.report;
    bool interview = app->quiz->way == QUIZ_MOCK;
    int count = 0;
    for (int i = 0; interview && i < report->lesson_count && count < LESSONS_MAX; i++) {
        const struct lesson *l = lesson_find(report->lessons[i]);
        if (l != NULL) {
            lessons[count++] = l;
        }
    }
    if (interview) {
        return count;
    }
    for (int i = 0; i < s->done_count; i++) {
        const struct sitting_done *done = &s->done[i];
        const struct lesson *l = lesson_find(app->quiz->bank[done->card.question]->lesson);
        bool known = done->right || l == NULL;
        for (int k = 0; k < count; k++) {
            known = known || lessons[k] == l;
        }
        if (!known && count < LESSONS_MAX) {
            lessons[count++] = l;
        }
    }
    return count;
}

static int due_tomorrow(const struct app *app) {
    const struct app_quiz *q = app->quiz;
    int count = 0;
    for (int i = 0; i < q->bank_count; i++) {
        count +=
            q->cards[i].reviews > 0 && !q->cards[i].suspended && q->cards[i].due_day <= q->today + 1
                ? 1
                : 0;
    }
    return count;
}

/* Today, of what this sitting asks about. */
static int put_off(const struct app *app) {
    const struct app_quiz *q = app->quiz;
    int count = 0;
    for (int i = 0; i < q->bank_count; i++) {
        bool ours = q->way != QUIZ_PRACTISE || strcmp(q->bank[i]->lesson, q->lesson->id) == 0;
        count += ours && q->cards[i].skipped_today ? 1 : 0;
    }
    return count;
}

/* --- Drawing --- */

static void say_two(struct pen *p, const char *id, int one, int other) {
    struct message m;
    message_start(&m, id);
    message_add_plain(&m, (uint64_t)one);
    message_add_plain(&m, (uint64_t)other);
    pen_say(p, &m, UI_ROLE_TEXT);
}

static void title_of(const struct app *app, const struct lesson *l, struct writer *w) {
    char id[96];
    struct writer name;
    writer_start(&name, id, sizeof id);
    writer_text(&name, "lesson.");
    writer_text(&name, l->id);
    writer_text(&name, ".title");
    writer_text(w, words_get(app->look.words, id));
}

static void put_row(struct pen *p, int item, const char *text) {
    bool here = item == p->app->quiz->summary_at;
    if (here) {
        grid_put(p->grid, p->area, p->row, p->area.col, ui_glyph(&p->app->look, UI_GLYPH_POINTER),
                 UI_ROLE_ACCENT);
        p->grid->cursor_row = p->row;
        p->grid->cursor_col = p->area.col;
    }
    grid_put_cut(p->grid, p->area, p->row, p->area.col + 2, text,
                 here ? UI_ROLE_CURSOR : UI_ROLE_TEXT, p->area.cols - 2);
    ui_hit_add(p->grid, p->area, (struct rect){p->row, p->area.col, 1, p->area.cols}, UI_HIT_ITEM,
               item);
    p->row++;
}

static int write_summary(struct pen *p) {
    const struct app_quiz *q = p->app->quiz;
    const struct lesson *lessons[LESSONS_MAX];
    int count = missed(p->app, lessons);
    int focus = -1;
    if (q->way == QUIZ_MOCK) {
        app_quiz_report_put(p);
    } else {
        pen_put(p, pen_words(p, "sitting.done"), UI_ROLE_TITLE);
        p->row++;
        say_two(p, "sitting.answered", q->sitting.answered, q->sitting.right);
        say_two(p, "sitting.tomorrow", due_tomorrow(p->app), 0);
        if (put_off(p->app) > 0) {
            say_two(p, "sitting.put_off", put_off(p->app), 0);
        }
    }
    if (q->log == NULL) {
        pen_put(p, pen_words(p, "sitting.not_kept"), UI_ROLE_WARNING);
    }
    if (count > 0) {
        p->row++;
        pen_put(p, pen_words(p, "sitting.open_lessons"), UI_ROLE_TITLE);
    }
    for (int i = 0; i <= count; i++) {
        char text[128];
        struct writer w;
        writer_start(&w, text, sizeof text);
        if (i < count) {
            title_of(p->app, lessons[i], &w);
        } else {
            p->row++;
            writer_text(&w, pen_words(p, "sitting.home"));
        }
        focus = i == q->summary_at ? p->row - p->first : focus;
        put_row(p, i, text);
    }
    p->row++;
    pen_put(p, pen_words(p, q->way == QUIZ_MOCK ? "mock.report_how" : "sitting.undo_how"),
            UI_ROLE_DIM);
    return focus;
}

void app_summary_draw(struct app *app, struct grid *g) {
    const char *title = app->quiz->way == QUIZ_MOCK ? "mock.report" : "sitting.title";
    app->quiz->ends.follow = true;
    app_quiz_pane_draw(app, g, &app->quiz->ends, words_get(app->look.words, title), write_summary);
}

/* --- Keys --- */

static unsigned go_home(struct app *app) {
    app->quiz->way = QUIZ_NONE;
    app->quiz->attempt.question = NULL;
    app->quiz->came = app->quiz->kept = false;
    app->quiz->counted = false;
    app->screen = APP_SCREEN_HOME;
    return APP_EFFECT_VIEW;
}

static unsigned open_row(struct app *app) {
    const struct lesson *lessons[LESSONS_MAX];
    int count = missed(app, lessons);
    struct message why;
    if (app->quiz->summary_at >= count) {
        return go_home(app);
    }
    const struct lesson *l = lessons[app->quiz->summary_at];
    (void)go_home(app);
    if (app_lesson_open(app, l, &why) != STATUS_OK) {
        app->status = why;
    }
    return APP_EFFECT_VIEW;
}

static unsigned move_to(struct app *app, int item) {
    const struct lesson *lessons[LESSONS_MAX];
    int last = missed(app, lessons);
    item = item < 0 ? 0 : item > last ? last : item;
    if (item == app->quiz->summary_at) {
        return 0;
    }
    app->quiz->summary_at = item;
    return APP_EFFECT_VIEW;
}

unsigned app_summary_action(struct app *app, enum ui_action action) {
    int at = app->quiz->summary_at;
    switch (action) {
    case UI_ACTION_UP:
    case UI_ACTION_PAGE_UP:
        return move_to(app, at - 1);
    case UI_ACTION_DOWN:
    case UI_ACTION_PAGE_DOWN:
        return move_to(app, at + 1);
    case UI_ACTION_FIRST:
        return move_to(app, 0);
    case UI_ACTION_LAST:
        return move_to(app, LESSONS_MAX);
    case UI_ACTION_OPEN:
        return open_row(app);
    case UI_ACTION_UNDO:
        return app_quiz_undo(app);
    case UI_ACTION_COPY:
        return app_quiz_report_copy(app);
    case UI_ACTION_EXPORT:
        return app_quiz_report_export(app);
    case UI_ACTION_BACK:
        return go_home(app);
    default:
        return 0;
    }
}
