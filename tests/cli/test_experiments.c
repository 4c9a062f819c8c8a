/* The experiments of lessons, run by the real program: what a page offers is a command that exists, answers with what the
 * page shows, and measures what it predicts. The lesson of support/experiment_lesson.h stands for those to come. */
#define _XOPEN_SOURCE 700
#include <check.h>
#include <stdio.h>

#include "cli/expect.h"
#include "shardlab/cli/cli.h"
#include "support/experiment_lesson.h"
#include "support/sanitized.h"

static const struct lesson *lesson_of(int index) {
    return index < lesson_count() ? lesson_at(index) : &experiment_lesson;
}

static struct store *store;
static struct scenario resolved;

static void open_scenario(const struct lesson *lesson) {
    struct scenario given;
    struct message why;
    ck_assert_int_eq(store_open(&store, &why), STATUS_OK);
    ck_assert_int_eq(cli_scenario_parse_line(lesson->start, &given, &why), STATUS_OK);
    ck_assert_int_eq(cli_scenario_load(store, &given, NULL, &resolved, NULL, &why), STATUS_OK);
}

static bool offer(const struct lesson *lesson, int page, struct lesson_experiment *out) {
    struct lesson_input in = {.now = &resolved, .page = page};
    memset(out, 0, sizeof *out);
    return lesson->experiment != NULL && lesson->experiment(&in, out);
}

static void expect_shape(const struct lesson_experiment *e) {
    ck_assert_ptr_nonnull(e->title);
    ck_assert_uint_lt(strlen(e->line), sizeof e->line - 1);
    ck_assert_msg(strstr(e->line, "  ") == NULL && strpbrk(e->line, "'\"\\") == NULL, "%s",
                  e->line);
    ck_assert_msg(strstr(e->line, "--json") == NULL && strstr(e->line, "--events") == NULL &&
                      strstr(e->line, "--lang") == NULL,
                  "the screen adds these: %s", e->line);
    ck_assert_int_gt(e->value_count, 0);
    ck_assert_int_le(e->value_count, LESSON_VALUES_MAX);
    ck_assert_int_le(e->fact_count, LESSON_FACTS_MAX);
    ck_assert_int_le(e->guess.choice_count, LESSON_CHOICES_MAX);
    ck_assert(e->guess.choice_count == 0 ||
              (e->guess.right >= 0 && e->guess.right < e->guess.choice_count));
    ck_assert((e->guess.choice_count > 0) == (e->guess.question.id != NULL));
}

static void expect_value(const char *answer, const char *side, const char *key) {
    char path[160], bound[176];
    snprintf(path, sizeof path, "%s%s%s", side, side[0] != '\0' ? "." : "", key);
    snprintf(bound, sizeof bound, "%s_class", path);
    ck_assert_msg(json_at(answer, path).kind != JSON_KIND_MISSING, "no %s in %s", path, answer);
    ck_assert_msg(json_at(answer, path).kind != JSON_KIND_NULL ||
                      json_at(answer, bound).kind == JSON_KIND_STRING,
                  "%s is null", path);
}

/* The line as the page has it; under a sanitizer, which takes minutes for them, large messages are made smaller. */
static void write_line(const struct lesson_experiment *e, char line[LESSON_LINE_MAX + 32]) {
    const char *elements = strstr(e->line, "--elems ");
    bool large = elements != NULL && strtoull(elements + 8, NULL, 10) > 1000000;
    if (SANITIZED && large) {
        size_t before = (size_t)(elements - e->line);
        snprintf(line, LESSON_LINE_MAX + 32, "%.*s--elems 1000000%s --json", (int)before, e->line,
                 elements + 8 + strspn(elements + 8, "0123456789"));
    } else {
        bool sweep = SANITIZED && strstr(e->line, "--sweep") != NULL;
        snprintf(line, LESSON_LINE_MAX + 32, "%s%s --json", e->line, sweep ? " --bytes 1MiB" : "");
    }
}

static void expect_answer(const struct lesson_experiment *e) {
    char line[LESSON_LINE_MAX + 32];
    struct expect_words words;
    struct run r;
    write_line(e, line);
    run_shardlab(&r, expect_split(&words, line), NULL);
    ck_assert_msg(r.status == 0, "%s: status %d: %s", line, r.status, r.err);
    ck_assert(json_is(json_at(r.out, "match"), "true"));
    for (int i = 0; i < e->value_count; i++) {
        expect_value(r.out, "predicted", e->values[i].key);
        expect_value(r.out, "measured", e->values[i].key);
    }
    for (int i = 0; i < e->fact_count; i++) { /* unknown is null, with the reason in the notes */
        struct json_value fact = json_at(r.out, e->facts[i].key);
        bool said = fact.kind == JSON_KIND_NULL && json_count(json_at(r.out, "notes")) > 0;
        ck_assert_msg(said || fact.kind == JSON_KIND_NUMBER || fact.kind == JSON_KIND_STRING,
                      "no %s in %s", e->facts[i].key, r.out);
    }
    run_free(&r);
}

START_TEST(every_experiment_of_a_lesson_runs_and_is_as_predicted) {
    const struct lesson *lesson = lesson_of(_i);
    int offered = 0;
    open_scenario(lesson);
    for (int page = 0; page < lesson->page_count; page++) {
        struct lesson_experiment e;
        if (!offer(lesson, page, &e)) {
            continue;
        }
        offered++;
        expect_shape(&e);
        expect_answer(&e);
    }
    ck_assert_msg((offered > 0) == (lesson->experiment != NULL), "%s offers none", lesson->id);
    store_close(store);
}
END_TEST

static void expect_words(const struct words *words, const char *id) {
    ck_assert_msg(id == NULL || words->find(words->book, id) != NULL, "no words for %s", id);
}

START_TEST(every_name_in_an_experiment_has_words_in_both_languages) {
    const struct lesson *lesson = lesson_at(_i);
    open_scenario(lesson);
    for (int i = 0; i < 2 * lesson->page_count; i++) {
        struct lesson_experiment e;
        struct words words;
        struct message why;
        ck_assert_int_eq(store_words(store, i % 2 == 1, &words, &why), STATUS_OK);
        if (!offer(lesson, i / 2, &e)) {
            continue;
        }
        expect_words(&words, e.title);
        expect_words(&words, e.guess.question.id);
        for (int k = 0; k < e.value_count; k++) {
            expect_words(&words, e.values[k].label);
        }
        for (int k = 0; k < e.fact_count; k++) {
            expect_words(&words, e.facts[k].label);
        }
        for (int k = 0; k < e.guess.choice_count; k++) {
            expect_words(&words, e.guess.choices[k].id);
        }
    }
    store_close(store);
}
END_TEST

static Suite *suite(void) {
    Suite *s = suite_create("cli.experiments");
    TCase *t = tcase_create("experiments");
    tcase_set_timeout(t, SANITIZED ? 300 : 60);
    tcase_add_loop_test(t, every_experiment_of_a_lesson_runs_and_is_as_predicted, 0,
                        lesson_count() + 1);
    tcase_add_loop_test(t, every_name_in_an_experiment_has_words_in_both_languages, 0,
                        lesson_count());
    suite_add_tcase(s, t);
    return s;
}

#include "support/check_main.h"
