/* Guess first: a page that asks before it shows its picture, and an experiment that asks before it runs, are answered
 * with the same keys. A digit or a click answers at once; a letter, which means something else on a page that asks
 * nothing, only marks a choice, and Enter or the same letter again takes it. The page's question follows the scenario
 * until it is answered or skipped; the answer then stays as it was given, for as long as the program runs. While a
 * page asks, its experiment does not. Called by the lesson screen; owns nothing. Proof: tests/journeys/test_guess.c. */
#include <string.h>

#include "quiz_private.h"

/* What the page would ask of the present scenario. */
static bool asks(const struct app *app, struct lesson_guess *out) {
    if (app->lesson == NULL || app->lesson->guess == NULL) {
        return false;
    }
    struct lesson_input in = app_input_asked(app);
    memset(out, 0, sizeof *out);
    return app->lesson->guess(&in, out) && out->choice_count > 0;
}

/* Ids of one question's sentences begin alike: "guess.question" and "guess.question_full" are forms of one. */
static bool same_question(const char *a, const char *b) {
    size_t length = strlen(a) < strlen(b) ? strlen(a) : strlen(b);
    return strncmp(a, b, length) == 0;
}

/* What was said on the page in front; NULL: nothing yet. A page whose knob selects between experiments has a question for
 * each: an answer to one leaves the other open. */
const struct app_guess *app_guess_said(const struct app *app) {
    struct lesson_guess now;
    bool open = app->guesses.count > 0 && asks(app, &now);
    for (int i = 0; i < app->guesses.count; i++) {
        const struct app_guess *g = &app->guesses.kept[i];
        if (g->lesson == app->lesson && g->page == app->page &&
            (!open || same_question(g->what.question.id, now.question.id))) {
            return g;
        }
    }
    return NULL;
}

bool app_guess_question(const struct app *app, struct lesson_guess *out) {
    return app_guess_said(app) == NULL && asks(app, out);
}

bool app_guess_open(const struct app *app) {
    struct lesson_guess unused;
    return app_guess_question(app, &unused);
}

static bool same_words(const struct app *app, const struct message *a, const struct message *b) {
    enum { TEXT_MAX = 1024 };
    char one[TEXT_MAX], other[TEXT_MAX];
    app_say(app, a, one, sizeof one);
    app_say(app, b, other, sizeof other);
    return strcmp(one, other) == 0;
}

/* Not every knob is one that the question depends on, so it is the question that is compared. */
bool app_guess_moved(const struct app *app) {
    struct lesson_guess now;
    const struct app_guess *said = app_guess_said(app);
    if (said == NULL || !asks(app, &now) || now.choice_count != said->what.choice_count ||
        now.right != said->what.right || !same_words(app, &now.question, &said->what.question)) {
        return true;
    }
    for (int i = 0; i < now.choice_count; i++) {
        if (!same_words(app, &now.choices[i], &said->what.choices[i])) {
            return true;
        }
    }
    return false;
}

unsigned app_guess_where(const struct app *app) {
    unsigned where = 0;
    if (app_guess_open(app)) {
        where = UI_WHERE_GUESS;
    } else if ((app_experiment_where(app) & UI_WHERE_ASKED) == 0) {
        return app->guesses.brief || app->guesses.crowded ? UI_WHERE_GUESSED : 0;
    }
    return where | (app->guesses.marked >= 0 ? UI_WHERE_MARKED : 0);
}

/* The oldest makes room when there are very many. */
static void keep(struct app *app, const struct lesson_guess *what, int choice) {
    struct app_guesses *g = &app->guesses;
    g->kept[g->next] = (struct app_guess){app->lesson, app->page, choice, *what};
    g->next = (g->next + 1) % APP_GUESSES_MAX;
    g->count += g->count < APP_GUESSES_MAX ? 1 : 0;
    g->whole = choice >= 0;
    app->experiment.scroll = 0;
    app->beyond = 0;
}

/* The log has what was guessed on which page, "guess.zero#2". */
static void tell(struct app *app, bool right) {
    char item[PROGRESS_ITEM_MAX];
    struct message why;
    struct writer w;
    writer_start(&w, item, sizeof item);
    writer_text(&w, "guess.");
    writer_text(&w, app->lesson->id);
    writer_char(&w, '#');
    writer_u64(&w, (uint64_t)app->page + 1);
    if (app_quiz_refresh(app, &why) != STATUS_OK) {
        return; /* a lesson goes on without its questions */
    }
    struct progress_event e = app_quiz_event(app, PROGRESS_GUESS, item);
    e.sitting = 0;
    e.right = right;
    (void)app_quiz_tell(app, &e);
}

/* How many choices what is asked now has; 0: nothing is asked. */
static int choices(const struct app *app, struct lesson_guess *page) {
    if (app_guess_question(app, page)) {
        return page->choice_count;
    }
    bool asked = (app_experiment_where(app) & UI_WHERE_ASKED) != 0;
    return asked ? app->experiment.what.guess.choice_count : 0;
}

static unsigned answer(struct app *app, int choice) {
    struct lesson_guess page = {.choice_count = 0};
    if (choice >= choices(app, &page)) {
        app_status_set(app, "status.unknown_key");
        return APP_EFFECT_VIEW;
    }
    if (!app_guess_open(app)) {
        return app_experiment_guess(app, choice);
    }
    keep(app, &page, choice);
    tell(app, choice == page.right);
    return APP_EFFECT_VIEW;
}

static unsigned skip(struct app *app) {
    struct lesson_guess page;
    if (!app_guess_question(app, &page)) {
        return app_experiment_guess(app, -1);
    }
    keep(app, &page, -1);
    return APP_EFFECT_VIEW;
}

static unsigned mark(struct app *app, int choice) {
    struct lesson_guess page;
    if (choice >= choices(app, &page)) {
        app_status_set(app, "status.unknown_key");
        return APP_EFFECT_VIEW;
    }
    if (app->guesses.marked == choice) {
        app->guesses.marked = -1;
        return answer(app, choice);
    }
    app->guesses.marked = choice;
    return APP_EFFECT_VIEW;
}

bool app_guess_action(struct app *app, enum ui_action action, unsigned *effects) {
    int marked = app->guesses.marked;
    bool whole = app->guesses.whole;
    if (action >= UI_ACTION_MARK_1 && action <= UI_ACTION_MARK_4) {
        *effects = mark(app, (int)action - (int)UI_ACTION_MARK_1);
        return true;
    }
    app->guesses.marked = -1; /* whatever else is done, a mark is not taken along */
    app->guesses.whole = false;
    switch (action) {
    case UI_ACTION_GUESS_1:
    case UI_ACTION_GUESS_2:
    case UI_ACTION_GUESS_3:
    case UI_ACTION_GUESS_4:
        *effects = answer(app, (int)action - (int)UI_ACTION_GUESS_1);
        return true;
    case UI_ACTION_GUESS_TAKE:
        *effects = marked < 0 ? 0 : answer(app, marked);
        return true;
    case UI_ACTION_GUESS_SKIP:
        *effects = skip(app);
        return true;
    case UI_ACTION_GUESS_FULL:
        app->guesses.whole = !whole;
        app->experiment.scroll = 0;
        *effects = APP_EFFECT_VIEW;
        return true;
    default:
        return false;
    }
}
