/* The numbers of every question, without its words: 200 seeds of each generator, each fixed maker once. What is right can be
 * typed as it is written and is judged right, a worked solution ends in it, every known mistake leads elsewhere and is
 * called by its name, and the same seed gives the same numbers. What the words make of them: tests/golden/test_questions.c; that
 * the command lines run: tests/cli/test_questions.c. */
#include <check.h>
#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "shardlab/base/writer.h"
#include "unit/lessons/makers_support.h"

enum { TEXT_MAX = 96, MAKERS_MAX = 512, GENERATORS_LEAST = 90, ANSWERS_LEAST = 8 };

static const struct instance_entry *maker;
static struct instance numbers, again;

/* Where a check failed. */
#define CHECK(condition, ...)                                                                      \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            fprintf(stderr, "%s, seed %llu: ", maker->question, (unsigned long long)numbers.seed); \
            fprintf(stderr, __VA_ARGS__);                                                          \
            fprintf(stderr, "\n");                                                                 \
            faults++;                                                                              \
        }                                                                                          \
    } while (0)

static int faults;

static void value_text(const struct instance_key *key, double value, char out[TEXT_MAX]) {
    struct writer w;
    writer_start(&w, out, TEXT_MAX);
    instance_value_write(&w, key->kind, key->unit, value);
}

static enum answer_verdict judged(const struct instance_key *key, const char *text,
                                  const char **id) {
    struct answer_key judge = {key->kind, key->right, key->tolerance, key->paths, key->path_count};
    struct answer_number number;
    struct message why;
    *id = NULL;
    if (answer_read(text, key->kind, key->unit, &number, &why) != STATUS_OK) {
        return ANSWER_WRONG;
    }
    return answer_judge(&judge, &number, id);
}

/* As it is written, and without its unit. */
static void check_right(const struct instance_key *key) {
    char text[TEXT_MAX];
    const char *id = NULL;
    value_text(key, key->right, text);
    CHECK(judged(key, text, &id) == ANSWER_RIGHT, "its own answer %s is judged wrong", text);
    char *unit = key->unit[0] == '\0' ? NULL : strstr(text, key->unit);
    if (unit != NULL && key->kind != ANSWER_SHARE) {
        *unit = '\0';
        CHECK(judged(key, text, &id) == ANSWER_RIGHT, "%s without its unit is judged wrong", text);
    }
}

/* Where an exact answer is wanted and the mistake leads to a fraction, nobody can type all of its digits. */
static bool is_mistaken(const struct instance_key *key, const struct answer_path *path,
                        const char *text, const char **id) {
    struct answer_key judge = {key->kind, key->right, key->tolerance, key->paths, key->path_count};
    double factor = answer_unit_factor(key->kind, key->unit), written = path->value / factor;
    struct answer_number number = {path->value, written, factor, true};
    bool whole = floor(written) >= written && fabs(written) < 0x1p53;
    enum answer_verdict verdict =
        key->tolerance > 0.0 || whole ? judged(key, text, id) : answer_judge(&judge, &number, id);
    return verdict == ANSWER_MISTAKEN && *id != NULL && strcmp(*id, path->id) == 0;
}

static void check_paths(const struct instance_key *key) {
    char right[TEXT_MAX], text[INSTANCE_PATHS_MAX][TEXT_MAX];
    value_text(key, key->right, right);
    for (int i = 0; i < key->path_count; i++) {
        const struct answer_path *path = &key->paths[i];
        const char *id = NULL;
        CHECK(path->id != NULL && path->id[0] != '\0', "a mistake without a name");
        CHECK(isfinite(path->value), "%s leads nowhere", path->id);
        value_text(key, path->value, text[i]);
        CHECK(strcmp(text[i], right) != 0, "%s leads to what is right, %s", path->id, right);
        CHECK(is_mistaken(key, path, text[i], &id), "%s leads to %s and is taken for %s", path->id,
              text[i], id == NULL ? "none" : id);
        for (int k = 0; k < i; k++) {
            CHECK(strcmp(text[i], text[k]) != 0, "%s and %s lead to %s", path->id, key->paths[k].id,
                  text[i]);
            CHECK(strcmp(path->id, key->paths[k].id) != 0, "two mistakes are called %s", path->id);
        }
    }
}

static void check_key(const struct instance_key *key) {
    CHECK(isfinite(key->right), "the answer is no number");
    CHECK(key->tolerance >= 0.0 && key->tolerance <= 0.05, "tolerance %g", key->tolerance);
    CHECK(answer_unit_factor(key->kind, key->unit) > 0.0, "no unit %s", key->unit);
    if (isfinite(key->right) && answer_unit_factor(key->kind, key->unit) > 0.0) {
        check_right(key);
        check_paths(key);
    }
}

static void check_end(const struct instance_step *end, const struct instance_key *last) {
    CHECK(end->kind == last->kind && fabs(end->value - last->right) <= 1e-9 * fabs(last->right),
          "the solution ends in %g, the answer is %g", end->value, last->right);
}

static void check_steps(void) {
    for (int i = 0; i < numbers.step_count; i++) {
        const struct instance_step *step = &numbers.steps[i];
        CHECK(step->formula[0] != '\0', "step %d has no formula", i + 1);
        CHECK(isfinite(step->value), "step %d has no value", i + 1);
        CHECK(answer_unit_factor(step->kind, step->unit) > 0.0, "step %d: unit %s", i + 1,
              step->unit);
    }
    CHECK(numbers.key_count != 1 || numbers.step_count > 0, "there is no worked solution");
    if (numbers.key_count > 0 && numbers.step_count > 0) {
        check_end(&numbers.steps[numbers.step_count - 1], &numbers.keys[numbers.key_count - 1]);
    }
}

static void check_figures(void) {
    CHECK(numbers.figure_count > 0 || numbers.key_count > 0, "it makes nothing");
    for (int i = 0; i < numbers.figure_count; i++) {
        const struct instance_figure *f = &numbers.figures[i];
        CHECK(f->text[0] != '\0' && strstr(f->text, "nan") == NULL &&
                  strstr(f->text, "inf") == NULL,
              "figure %s is %s", f->name, f->text);
    }
}

/* Commands that show numbers; none of them writes or measures but the experiment. */
static bool is_command(const char *line) {
    static const char *const commands[] = {"mem",   "comm",   "pipe",   "plan",
                                           "flops", "format", "params", "allreduce"};
    size_t length = strcspn(line, " ");
    for (size_t i = 0; i < sizeof commands / sizeof commands[0]; i++) {
        if (strlen(commands[i]) == length && strncmp(commands[i], line, length) == 0) {
            return true;
        }
    }
    return line[0] == '\0';
}

START_TEST(answers_are_judged_right_and_mistakes_by_their_names) {
    const struct lesson *lesson = NULL;
    faults = 0;
    for (int i = 0; (maker = maker_at(i, &lesson)) != NULL; i++) {
        for (int seed = 0; seed < maker_seeds(maker); seed++) {
            maker_run(maker, (uint64_t)seed, &numbers);
            for (int k = 0; k < numbers.key_count; k++) {
                check_key(&numbers.keys[k]);
            }
            check_steps();
            check_figures();
            CHECK(is_command(numbers.line), "no command: %s", numbers.line);
        }
    }
    ck_assert_msg(faults == 0, "%d faults, see above", faults);
}
END_TEST

/* Answers, figures and lines; the seed itself is no number of the question. */
static bool alike(const struct instance *a, const struct instance *b) {
    bool same = a->figure_count == b->figure_count && a->key_count == b->key_count &&
                strcmp(a->line, b->line) == 0;
    for (int i = 0; same && i < a->figure_count; i++) {
        same = strcmp(a->figures[i].text, b->figures[i].text) == 0;
    }
    for (int i = 0; same && i < a->key_count; i++) {
        same = !(a->keys[i].right < b->keys[i].right) && !(a->keys[i].right > b->keys[i].right);
    }
    return same;
}

START_TEST(a_seed_gives_the_same_numbers_and_only_generators_give_others) {
    const struct lesson *lesson = NULL;
    faults = 0;
    for (int i = 0; (maker = maker_at(i, &lesson)) != NULL; i++) {
        bool varied = false;
        maker_run(maker, 7, &numbers);
        maker_run(maker, 7, &again);
        CHECK(alike(&numbers, &again), "the same seed gives other numbers");
        for (uint64_t seed = 0; seed < 10; seed++) {
            maker_run(maker, seed, &again);
            varied = varied || !alike(&numbers, &again);
        }
        CHECK(varied == maker->varies, "it %s", varied ? "varies and says not" : "never varies");
    }
    ck_assert_msg(faults == 0, "%d faults, see above", faults);
}
END_TEST

/* What a seed asks for, in words: all answers, or where there are none all figures. */
static void gist(char out[512]) {
    struct writer w;
    writer_start(&w, out, 512);
    for (int k = 0; k < numbers.key_count; k++) {
        char text[TEXT_MAX];
        value_text(&numbers.keys[k], numbers.keys[k].right, text);
        writer_text(&w, text);
        writer_char(&w, ' ');
    }
    for (int i = 0; numbers.key_count == 0 && i < numbers.figure_count; i++) {
        writer_text(&w, numbers.figures[i].text);
        writer_char(&w, ' ');
    }
}

START_TEST(a_generator_has_many_answers) {
    static char seen[MAKER_SEEDS][512];
    const struct lesson *lesson = NULL;
    faults = 0;
    for (int i = 0; (maker = maker_at(i, &lesson)) != NULL; i++) {
        int different = 0;
        for (int seed = 0; maker->varies && seed < MAKER_SEEDS; seed++) {
            maker_run(maker, (uint64_t)seed, &numbers);
            gist(seen[different]);
            int same = 0;
            while (strcmp(seen[same], seen[different]) != 0) {
                same++;
            }
            different += same == different ? 1 : 0;
        }
        int least = SANITIZED ? 5 : ANSWERS_LEAST;
        CHECK(!maker->varies || different >= least, "only %d different answers", different);
    }
    ck_assert_msg(faults == 0, "%d faults, see above", faults);
}
END_TEST

START_TEST(a_maker_is_found_by_its_question_and_belongs_to_its_lesson) {
    const struct lesson *lesson = NULL;
    int generators = 0;
    for (int i = 0; (maker = maker_at(i, &lesson)) != NULL; i++) {
        size_t length = strlen(lesson->id);
        generators += maker->varies ? 1 : 0;
        ck_assert_msg(strncmp(maker->question, lesson->id, length) == 0 &&
                          maker->question[length] == '.',
                      "%s stands in lesson %s", maker->question, lesson->id);
        ck_assert_msg(lesson_maker_find(maker->question) == maker, "%s has two makers",
                      maker->question);
    }
    ck_assert_ptr_null(lesson_maker_find("memory"));
    ck_assert_int_ge(generators, GENERATORS_LEAST);
}
END_TEST

static Suite *suite(void) {
    Suite *s = suite_create("questions");
    TCase *t = tcase_create("makers");
    tcase_set_timeout(t, 300);
    tcase_add_test(t, answers_are_judged_right_and_mistakes_by_their_names);
    tcase_add_test(t, a_seed_gives_the_same_numbers_and_only_generators_give_others);
    tcase_add_test(t, a_generator_has_many_answers);
    tcase_add_test(t, a_maker_is_found_by_its_question_and_belongs_to_its_lesson);
    suite_add_tcase(s, t);
    return s;
}

#include "support/check_main.h"
