/* What every lesson asks, of a page or before an experiment, wherever its knobs stand: choices that differ from each other
 * in both languages, one of them right, each with a sentence of its own on what it has in mind. */
#include <check.h>
#include <stdio.h>
#include <string.h>

#include "shardlab/calc/option.h"
#include "shardlab/cli/cli.h"
#include "shardlab/lesson/lesson.h"
#include "shardlab/store/store.h"

enum { TEXT_MAX = 1024 };

static struct store *store;
static struct words words[2];
static int asked; /* questions that were looked at */

static void open_store(void) {
    struct message why;
    ck_assert_int_eq(store_open(&store, &why), STATUS_OK);
    for (int language = 0; language < 2; language++) {
        ck_assert_int_eq(store_words(store, language == 1, &words[language], &why), STATUS_OK);
    }
    asked = 0;
}

static void close_store(void) {
    store_close(store);
}

static void say(const struct message *m, int language, char text[TEXT_MAX]) {
    struct writer w;
    const char *id = m->id != NULL ? m->id : "";
    ck_assert_msg(words[language].find(words[language].book, id) != NULL, "no words for %s", id);
    writer_start(&w, text, TEXT_MAX);
    words_write(&w, &words[language], m);
    ck_assert_msg(!w.overflow && text[0] != '\0', "%s", id);
}

static void look_at(const char *where, const struct lesson_guess *g) {
    char text[LESSON_CHOICES_MAX][TEXT_MAX], other[TEXT_MAX];
    asked++;
    ck_assert_msg(g->choice_count >= 2 && g->choice_count <= LESSON_CHOICES_MAX, "%s", where);
    ck_assert_msg(g->right >= 0 && g->right < g->choice_count, "%s", where);
    for (int language = 0; language < 2; language++) {
        say(&g->question, language, other);
        for (int i = 0; i < g->choice_count; i++) {
            say(&g->choices[i], language, text[i]);
            say(&g->why[i], language, other);
            for (int k = 0; k < i; k++) {
                ck_assert_msg(strcmp(text[i], text[k]) != 0, "%s: two choices are %s", where,
                              text[i]);
            }
        }
    }
}

static void look_at_page(const struct lesson *lesson, const struct lesson_input *in,
                         const char *moved) {
    char where[256];
    struct lesson_guess g;
    struct lesson_experiment e;
    snprintf(where, sizeof where, "%s page %d, %s", lesson->id, in->page + 1, moved);
    memset(&g, 0, sizeof g);
    if (lesson->guess != NULL && lesson->guess(in, &g)) {
        look_at(where, &g);
    }
    memset(&e, 0, sizeof e);
    if (lesson->experiment != NULL && lesson->experiment(in, &e) && e.guess.choice_count > 0) {
        look_at(where, &e.guess);
    }
}

static struct scenario start_of(const struct lesson *lesson) {
    struct scenario given;
    struct message why;
    ck_assert_msg(cli_scenario_parse_line(lesson->start, &given, &why) == STATUS_OK, "%s: %s",
                  lesson->id, why.id);
    return given;
}

/* The page with one option at one stop; a stop that is refused shows nothing. */
static void with_option(const struct lesson *lesson, int page, int option, const char *stop) {
    struct scenario given = start_of(lesson), resolved;
    struct message why;
    char moved[128];
    snprintf(moved, sizeof moved, "--%s %s", option < 0 ? "" : calc_option_at(option)->name, stop);
    if (option >= 0 && calc_option_set(&given, option, stop, &why) != STATUS_OK) {
        return;
    }
    if (cli_scenario_load(store, &given, NULL, &resolved, NULL, &why) == STATUS_OK) {
        struct lesson_input in = {.now = &resolved, .page = page};
        look_at_page(lesson, &in, moved);
    }
}

static void with_all_stops(const struct lesson *lesson, int page, const char *name) {
    int option = calc_option_find(name, strlen(name));
    if (option < 0) {
        return; /* one of the lesson's own */
    }
    const struct calc_option *o = calc_option_at(option);
    for (int i = 0; o->kind == CALC_OPTION_CHOICE && o->choices[i] != NULL; i++) {
        with_option(lesson, page, option, o->choices[i]);
    }
    for (int i = 0; o->stops != NULL && i < o->stop_count; i++) {
        char text[32];
        struct writer w;
        writer_start(&w, text, sizeof text);
        calc_option_stop_write(&w, option, i);
        with_option(lesson, page, option, text);
    }
    const struct record *models;
    struct message why;
    int count = 0;
    ck_assert_int_eq(store_models(store, &models, &count, &why), STATUS_OK);
    for (int i = 0; strcmp(name, "model") == 0 && i < count; i++) {
        with_option(lesson, page, option, record_find(&models[i], "id")->text);
    }
}

/* The lesson's own knobs, one moved and then two: their stops are few. */
static void with_own(const struct lesson *lesson, int page) {
    struct scenario given = start_of(lesson), resolved;
    struct message why;
    int own[LESSON_OWN_MAX];
    ck_assert_int_eq(cli_scenario_load(store, &given, NULL, &resolved, NULL, &why), STATUS_OK);
    for (int a = 0; a < lesson->own_count; a++) {
        for (int b = 0; b < lesson->own_count; b++) {
            for (int i = 0; lesson->own[a].stops[i] != NULL; i++) {
                for (int k = 0; lesson->own[b].stops[k] != NULL; k++) {
                    for (int n = 0; n < lesson->own_count; n++) {
                        own[n] = lesson->own[n].start;
                    }
                    own[a] = i;
                    own[b] = k;
                    struct lesson_input in = {.now = &resolved, .page = page, .own = own};
                    if (lesson->own_check == NULL || lesson->own_check(&in, &why) == STATUS_OK) {
                        look_at_page(lesson, &in, lesson->own[a].stops[i]);
                    }
                }
            }
        }
    }
}

START_TEST(every_question_has_choices_that_differ_and_reasons) {
    const struct lesson *lesson = lesson_at(_i);
    for (int page = 0; page < lesson->page_count; page++) {
        struct lesson_knobs groups[LESSON_GROUPS_MAX];
        int count = lesson->knobs(page, groups);
        with_option(lesson, page, -1, "as it starts");
        for (int g = 0; g < count; g++) {
            for (int k = 0; k < LESSON_KNOBS_MAX && groups[g].options[k] != NULL; k++) {
                with_all_stops(lesson, page, groups[g].options[k]);
            }
        }
        with_own(lesson, page);
    }
}
END_TEST

START_TEST(every_lesson_asks_at_its_start) {
    const struct lesson *lesson = lesson_at(_i);
    for (int page = 0; page < lesson->page_count; page++) {
        with_option(lesson, page, -1, "as it starts");
    }
    ck_assert_msg(asked > 0, "%s asks nothing", lesson->id);
}
END_TEST

static Suite *suite(void) {
    Suite *s = suite_create("guesses");
    TCase *t = tcase_create("guesses");
    tcase_set_timeout(t, 120);
    tcase_add_checked_fixture(t, open_store, close_store);
    tcase_add_loop_test(t, every_question_has_choices_that_differ_and_reasons, 0, lesson_count());
    tcase_add_loop_test(t, every_lesson_asks_at_its_start, 0, lesson_count());
    suite_add_tcase(s, t);
    return s;
}

#include "support/check_main.h"
