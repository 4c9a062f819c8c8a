/* From a question to a lesson and back: the page that the question is about, or the calculator with the question's own
 * inputs. The question waits as it is, and so does its clock; what was open before is put back too. Called by
 * quiz_screen.c and, on the way back, by lesson_screen.c. Proof: tests/journeys/test_quiz.c. */
#include <string.h>

#include "quiz_private.h"
#include "transcript_private.h"

static unsigned open_lesson(struct app *app, const char *line) {
    struct app_quiz *q = app->quiz;
    const struct question *it = q->attempt.question;
    const struct lesson *lesson = lesson_find(it->lesson);
    struct message why;
    q->kept = app->lesson != NULL && app_place_leave(app);
    q->places = app->places.count;
    if (lesson == NULL || app_lesson_show(app, lesson, it->page - 1, line, &why) != STATUS_OK) {
        if (lesson != NULL) {
            app->status = why;
        }
        return APP_EFFECT_VIEW;
    }
    q->came = true;
    q->paused_ms = app_quiz_now(app).ms;
    app_status_set(app, "sitting.way_back");
    return APP_EFFECT_VIEW;
}

bool app_quiz_is_way_back(const struct app *app) {
    return app->quiz->came && app->places.count <= app->quiz->places;
}

bool app_quiz_return(struct app *app, bool all, unsigned *effects) {
    struct app_quiz *q = app->quiz;
    if (!q->came || (!all && !app_quiz_is_way_back(app))) {
        return false;
    }
    app->status.id = NULL;
    while (app->places.count > q->places && app_place_return(app) != 0) {
    }
    if (q->kept) {
        (void)app_place_return(app);
    }
    q->came = q->kept = false;
    app->screen = APP_SCREEN_QUIZ;
    q->shown_ms += app_quiz_now(app).ms - q->paused_ms;
    q->paused_ms = 0;
    *effects = APP_EFFECT_VIEW;
    return true;
}

/* A page that asks before it shows has no numbers yet: the next one that does. */
static void show_numbers(struct app *app) {
    struct message said = app->status;
    int pages = app->lesson->page_count;
    for (int i = 1; i < pages && app_guess_open(app); i++) {
        (void)app_page_go(app, (app->page + 1) % pages);
    }
    app->status = said;
}

/* A line of `mem` moves the sliders of a lesson; another is shown with what it prints. */
unsigned app_quiz_open_calculator(struct app *app) {
    static const char mem[] = "mem ";
    const char *line = app->quiz->attempt.numbers.line;
    if (line[0] == '\0') {
        app_status_set(app, "sitting.no_calculator");
        return APP_EFFECT_VIEW;
    }
    if (strncmp(line, mem, strlen(mem)) == 0) {
        struct message quiet = app->status;
        unsigned effects = open_lesson(app, line + strlen(mem));
        if (app->screen == APP_SCREEN_LESSON) {
            show_numbers(app);
            return effects;
        }
        app->status = quiet; /* an option that no slider has: the line is shown instead */
    }
    return app_transcript_show(app, line);
}

unsigned app_quiz_open_text(struct app *app) {
    return open_lesson(app, NULL);
}
