/* What is said at the end, on the screen and as Markdown: of an interview its strengths, its gaps and the lessons to open,
 * of a sitting what was missed. The Markdown goes to the clipboard or, if asked, into a new file of the current folder;
 * an existing file is never written over. Called by quiz_summary.c. Proof: tests/journeys/test_quiz.c. */
#include <stdio.h>
#include <string.h>

#include "quiz_private.h"

enum { TEXT_MAX = 2048, FILES_MOST = 99 };

static const char *lesson_title(const struct app *app, const char *lesson) {
    char id[96];
    struct writer w;
    writer_start(&w, id, sizeof id);
    writer_text(&w, "lesson.");
    writer_text(&w, lesson);
    writer_text(&w, ".title");
    return words_get(app->look.words, id);
}

/* The words of a question with the numbers of a seed. */
static void write_stem(const struct app *app, int question, uint64_t seed, struct writer *w) {
    const struct question *it = app->quiz->bank[question];
    const struct instance_entry *maker = lesson_maker_find(it->id);
    struct instance numbers;
    struct message ignored;
    instance_start(&numbers, seed);
    if (maker != NULL && maker->make(seed, &numbers, &ignored) != STATUS_OK) {
        instance_start(&numbers, seed); /* then its names stand in braces */
    }
    instance_expand(w, &numbers, it->stem[app->language], "");
}

static uint64_t seed_of(const struct mock *m, int question) {
    for (int i = 0; i < m->answer_count; i++) {
        if (m->answers[i].question == question) {
            return m->answers[i].seed;
        }
    }
    return m->id;
}

/* --- An interview --- */

/* "Memory: 3 of 4 questions deep". */
static void write_strength(const struct app *app, const struct mock_finding *f, struct writer *w) {
    struct message m;
    message_start(&m, "mock.depth");
    message_add_text(&m, lesson_title(app, app->quiz->bank[f->opener]->lesson));
    message_add_plain(&m, (uint64_t)f->reached);
    message_add_plain(&m, (uint64_t)f->of);
    words_write(w, app->look.words, &m);
}

static void write_gap(const struct app *app, const struct mock_finding *f, struct writer *w) {
    const struct app_quiz *q = app->quiz;
    writer_text(w, lesson_title(app, q->bank[f->broke_at]->lesson));
    writer_text(w, words_get(app->look.words, "view.guess.colon"));
    write_stem(app, f->broke_at, seed_of(&q->mock.state, f->broke_at), w);
}

/* How it went, in one sentence. */
static void score(const struct app *app, struct message *m) {
    enum { MINUTE_MS = 60000 };
    const struct quiz_mock *mock = &app->quiz->mock;
    message_start(m, "mock.score");
    message_add_plain(m, (uint64_t)mock->report.right);
    message_add_plain(m, (uint64_t)mock->report.asked);
    message_add_plain(m, (uint64_t)((mock->state.spent_ms + MINUTE_MS - 1) / MINUTE_MS));
    message_add_plain(m, (uint64_t)mock->state.level);
}

typedef void (*finding_writer)(const struct app *app, const struct mock_finding *f,
                               struct writer *w);

static bool is_gap(const struct mock_finding *f) {
    return f->broke_at >= 0;
}

/* The findings of one sort as a list; nothing where there are none. */
static void put_findings(struct pen *p, const char *heading,
                         bool (*wanted)(const struct mock_finding *), finding_writer write) {
    const struct mock_report *r = &p->app->quiz->mock.report;
    bool any = false;
    for (int i = 0; i < r->finding_count; i++) {
        char text[TEXT_MAX];
        struct writer w;
        if (!wanted(&r->findings[i])) {
            continue;
        }
        if (!any) {
            p->row++;
            pen_put(p, pen_words(p, heading), UI_ROLE_TITLE);
            any = true;
        }
        writer_start(&w, text, sizeof text);
        write(p->app, &r->findings[i], &w);
        app_quiz_put_in(p, 2, text, UI_ROLE_TEXT);
    }
}

void app_quiz_report_put(struct pen *p) {
    struct message m;
    score(p->app, &m);
    pen_put(p, pen_words(p, "mock.over"), UI_ROLE_TITLE);
    p->row++;
    pen_say(p, &m, UI_ROLE_TEXT);
    put_findings(p, "mock.strengths", mock_is_strong, write_strength);
    put_findings(p, "mock.gaps", is_gap, write_gap);
}

/* --- Markdown --- */

static void heading(const struct app *app, struct writer *w, const char *id) {
    writer_text(w, "\n## ");
    writer_text(w, words_get(app->look.words, id));
    writer_text(w, "\n\n");
}

/* The findings of one sort below their heading; nothing where there are none. */
static void section(const struct app *app, struct writer *w, const char *title,
                    bool (*wanted)(const struct mock_finding *), finding_writer write) {
    const struct mock_report *r = &app->quiz->mock.report;
    bool any = false;
    for (int i = 0; i < r->finding_count; i++) {
        if (wanted(&r->findings[i])) {
            if (!any) {
                heading(app, w, title);
            }
            any = true;
            writer_text(w, "- ");
            write(app, &r->findings[i], w);
            writer_char(w, '\n');
        }
    }
}

static void write_interview(const struct app *app, struct writer *w) {
    const struct mock_report *r = &app->quiz->mock.report;
    struct message m;
    score(app, &m);
    words_write(w, app->look.words, &m);
    writer_char(w, '\n');
    section(app, w, "mock.strengths", mock_is_strong, write_strength);
    section(app, w, "mock.gaps", is_gap, write_gap);
    if (r->lesson_count > 0) {
        heading(app, w, "sitting.open_lessons");
    }
    for (int i = 0; i < r->lesson_count; i++) {
        writer_text(w, "- ");
        writer_text(w, lesson_title(app, r->lessons[i]));
        writer_char(w, '\n');
    }
}

static void write_sitting(const struct app *app, struct writer *w) {
    const struct sitting *s = &app->quiz->sitting;
    struct message m;
    bool any = false;
    message_start(&m, "sitting.answered");
    message_add_plain(&m, (uint64_t)s->answered);
    message_add_plain(&m, (uint64_t)s->right);
    words_write(w, app->look.words, &m);
    writer_char(w, '\n');
    for (int i = 0; i < s->done_count; i++) {
        const struct sitting_done *done = &s->done[i];
        if (!done->right) {
            if (!any) {
                heading(app, w, "sitting.missed");
            }
            any = true;
            writer_text(w, "- ");
            write_stem(app, done->card.question, done->card.seed, w);
            writer_char(w, '\n');
        }
    }
}

static bool is_interview(const struct app *app) {
    return app->quiz->way == QUIZ_MOCK;
}

static void write_markdown(const struct app *app, struct writer *w) {
    char date[32];
    struct message title;
    struct writer day;
    writer_start(&day, date, sizeof date);
    day_write(&day, app->quiz->today);
    message_start(&title, "sitting.report_title");
    message_add_text(
        &title, words_get(app->look.words, is_interview(app) ? "mock.report" : "sitting.title"));
    message_add_text(&title, date);
    writer_text(w, "# ");
    words_write(w, app->look.words, &title);
    writer_text(w, "\n\n");
    if (is_interview(app)) {
        write_interview(app, w);
    } else {
        write_sitting(app, w);
    }
}

unsigned app_quiz_report_copy(struct app *app) {
    struct writer w;
    writer_start(&w, app->copied, sizeof app->copied);
    write_markdown(app, &w);
    app_status_set(app, "status.copied");
    return APP_EFFECT_VIEW | APP_EFFECT_COPY;
}

/* The first name that is free: "shardlab-interview-2026-11-30.md", "…-2.md". False: none is, or none can be made. */
static bool write_file(const struct app *app, const char *text, char name[96]) {
    for (int i = 1; i <= FILES_MOST; i++) {
        struct writer w;
        writer_start(&w, name, 96);
        writer_text(&w, is_interview(app) ? "shardlab-interview-" : "shardlab-questions-");
        day_write(&w, app->quiz->today);
        if (i > 1) {
            writer_char(&w, '-');
            writer_u64(&w, (uint64_t)i);
        }
        writer_text(&w, ".md");
        FILE *f = fopen(name, "wx");
        if (f != NULL) {
            bool good = fputs(text, f) >= 0;
            return fclose(f) == 0 && good;
        }
    }
    return false;
}

unsigned app_quiz_report_export(struct app *app) {
    char name[96], text[APP_COPY_MAX];
    struct writer w;
    writer_start(&w, text, sizeof text);
    write_markdown(app, &w);
    bool written = write_file(app, text, name);
    message_start(&app->status, written ? "sitting.written" : "error.sitting.file");
    message_add_text(&app->status, name);
    return APP_EFFECT_VIEW;
}
