/* A command line over the screen in front, and below it what it prints. The command is a child of the loop, like an experiment
 * (loop.c, experiment.c), but its lines are text to be read. What it printed is kept until the next one; a text that is
 * longer than the room for it ends in "…". Owns its memory, made when it is first needed.
 * Proof: tests/journeys/test_quiz.c. */
#include "transcript_private.h"

#include <stdlib.h>
#include <string.h>

enum { TEXT_MAX = 32768, WORDS_MAX = 64 };

struct app_transcript {
    bool runs, full;
    char words[APP_COPY_MAX]; /* of the line, each ended by NUL: what argv points to */
    const char *argv[WORDS_MAX];
    char text[TEXT_MAX];
    struct writer out;
    struct message failure; /* id NULL: none */
};

/* The line cut into words, between the program's name and the language. False: too many. */
static bool write_command(struct app *app, const char *line) {
    struct app_transcript *t = app->transcript;
    struct writer w;
    int count = 0;
    writer_start(&w, t->words, sizeof t->words);
    writer_text(&w, line);
    t->argv[count++] = "shardlab";
    for (char *at = t->words; *at != '\0' && count < WORDS_MAX - 3;) {
        t->argv[count++] = at;
        at += strcspn(at, " ");
        if (*at == ' ') {
            *at++ = '\0';
        }
    }
    bool whole = count < WORDS_MAX - 3 && !w.overflow;
    t->argv[count++] = "--lang";
    t->argv[count++] = app->language == 1 ? "zh" : "en";
    t->argv[count] = NULL;
    return whole;
}

static unsigned start(struct app *app, const char *line) {
    if (app->transcript == NULL) {
        app->transcript = calloc(1, sizeof *app->transcript);
    }
    struct app_transcript *t = app->transcript;
    if (t == NULL || !write_command(app, line)) {
        return 0;
    }
    writer_start(&t->out, t->text, sizeof t->text);
    t->full = false;
    t->failure.id = NULL;
    t->runs = true;
    return APP_EFFECT_RUN;
}

unsigned app_transcript_show(struct app *app, const char *line) {
    struct writer w;
    writer_start(&w, app->copied, sizeof app->copied);
    writer_text(&w, "shardlab ");
    writer_text(&w, line);
    app->beneath = app->screen;
    app->screen = APP_SCREEN_LINE;
    app->scroll = 0;
    app_status_set(app, "status.copied");
    bool busy = app->experiment.state == APP_EXPERIMENT_RUNNING;
    unsigned effects = busy ? 0 : start(app, line);
    app->printed = effects != 0;
    return effects | APP_EFFECT_VIEW | APP_EFFECT_COPY;
}

unsigned app_transcript_leave(struct app *app) {
    bool ran = app_transcript_runs(app);
    if (ran) {
        app->transcript->runs = false;
    }
    app->printed = false;
    return ran ? APP_EFFECT_CANCEL : 0;
}

void app_transcript_free(struct app *app) {
    free(app->transcript);
    app->transcript = NULL;
}

/* --- What the loop starts and hears --- */

bool app_transcript_runs(const struct app *app) {
    return app->transcript != NULL && app->transcript->runs;
}

const char *const *app_transcript_command(const struct app *app) {
    return app->transcript->argv;
}

unsigned app_transcript_failed(struct app *app, const struct message *why) {
    app->transcript->runs = false;
    app->transcript->failure = *why;
    return APP_EFFECT_VIEW;
}

/* Our own program's text; control characters have no place on the screen all the same. */
unsigned app_transcript_line(struct app *app, const char *line, size_t length) {
    struct app_transcript *t = app->transcript;
    for (size_t i = 0; i < length && !t->full; i++) {
        unsigned char c = (unsigned char)line[i];
        writer_char(&t->out, c < 0x20 || c == 0x7F ? '?' : line[i]);
        t->full = t->out.length + 8 > sizeof t->text;
    }
    if (!t->full) {
        writer_char(&t->out, '\n');
    }
    return APP_EFFECT_VIEW;
}

unsigned app_transcript_ended(struct app *app, const struct lab_end *end) {
    struct app_transcript *t = app->transcript;
    t->runs = false;
    if (end->kind == LAB_END_CANCELLED || (end->kind == LAB_END_EXIT && end->value == 0)) {
        return APP_EFFECT_VIEW;
    }
    if (end->error[0] != '\0') {
        message_start(&t->failure, "home.line_said");
        message_add_text(&t->failure, end->error);
    } else {
        message_start(&t->failure, end->kind == LAB_END_SIGNAL ? "error.experiment.signal"
                                                               : "error.experiment.exit");
        message_add_plain(&t->failure, (uint64_t)end->value);
    }
    return APP_EFFECT_VIEW;
}

/* --- On the screen --- */

int app_transcript_draw(struct app *app, struct grid *g, struct rect area, int row) {
    struct app_transcript *t = app->transcript;
    int from = row;
    if (!app->printed) {
        return 0;
    }
    for (const char *at = t->text; *at != '\0';) {
        char line[1024];
        struct writer w;
        size_t length = strcspn(at, "\n");
        writer_start(&w, line, sizeof line);
        writer_text_n(&w, at, length);
        row += length == 0 ? 1 : ui_text_draw(g, area, row, line, UI_ROLE_TEXT, &app->look);
        at += length + (at[length] == '\n' ? 1 : 0);
    }
    if (t->runs || t->full) {
        const char *id = t->runs ? "home.line_runs" : "home.line_more";
        row += ui_text_draw(g, area, row, words_get(app->look.words, id), UI_ROLE_DIM, &app->look);
    }
    if (t->failure.id != NULL) {
        char text[1024];
        app_say(app, &t->failure, text, sizeof text);
        row += ui_text_draw(g, area, row, text, UI_ROLE_WARNING, &app->look);
    }
    return row - from;
}
