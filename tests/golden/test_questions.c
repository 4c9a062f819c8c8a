/* What the makers put into the words of every question, in both languages: each figure is given, a choice has different
 * options whatever the seed, each known mistake has its sentence and each sentence its mistake; pages and follow-ups
 * exist; there are enough of each kind. The words themselves: test_question_words.c. */
#include "golden/questions_support.h"

#include "unit/lessons/makers_support.h"

/* What must be there at least: raised as lessons get more. */
enum { ITEMS_LEAST = 150, GENERATORS_LEAST = 90, CHAINS_LEAST = 5, FOLLOW_LEAST = 5 };
/* An interview of definitions alone is one, too: so many subjects, so many questions in their chains. */
enum { EASY_CHAINS_LEAST = 6, EASY_QUESTIONS_LEAST = 10 };

static const struct question *find(const char *id) {
    for (int i = 0; i < count; i++) {
        if (strcmp(all[i]->id, id) == 0) {
            return all[i];
        }
    }
    return NULL;
}

/* The next {{name}} at or behind *at, which then points behind it; false: there is none. */
static bool figure_next(const char **at, char name[INSTANCE_NAME_MAX]) {
    const char *open = strstr(*at, "{{");
    const char *close = open == NULL ? NULL : strstr(open, "}}");
    if (close == NULL || close - open - 2 >= INSTANCE_NAME_MAX) {
        return false;
    }
    (void)snprintf(name, INSTANCE_NAME_MAX, "%.*s", (int)(close - open - 2), open + 2);
    *at = close + 2;
    return true;
}

/* --- What the maker puts in --- */

static void check_figures(const struct question *q, const struct instance *numbers) {
    for (int language = 0; language < 2; language++) {
        bool done = false;
        for (int i = 0; !done; i++) {
            const char *at = text_at(q, language, i, &done);
            char name[INSTANCE_NAME_MAX];
            while (at != NULL && figure_next(&at, name)) {
                bool blank = strcmp(name, "?") == 0 && q->kind == QUESTION_DERIVE;
                if (!blank && (numbers == NULL || instance_figure(numbers, name) == NULL)) {
                    fault(q, "nothing gives the figure", name);
                }
            }
        }
    }
}

static void check_keys(const struct question *q, const struct instance *numbers) {
    int keys = q->kind == QUESTION_NUMBER ? 1 : q->kind == QUESTION_DERIVE ? q->part_count : 0;
    if (numbers->key_count != keys) {
        fault(q, "other answers than it asks for", question_kind_name(q->kind));
    }
}

static int part_of_path(const struct question *q, const char *id) {
    for (int i = 0; i < q->part_count; i++) {
        if (q->parts[i].id != NULL && strcmp(q->parts[i].id, id) == 0) {
            return i;
        }
    }
    return -1;
}

/* Marks the sentences whose mistakes these numbers have. */
static void check_paths(const struct question *q, const struct instance *numbers,
                        bool named[QUESTION_PARTS_MAX]) {
    for (int i = 0; q->kind == QUESTION_NUMBER && i < numbers->keys[0].path_count; i++) {
        int part = part_of_path(q, numbers->keys[0].paths[i].id);
        if (part < 0) {
            fault(q, "no sentence names the mistake", numbers->keys[0].paths[i].id);
        } else {
            named[part] = true;
        }
    }
}

static void check_parts_differ(const struct question *q, const struct instance *numbers,
                               int language) {
    static char text[QUESTION_PARTS_MAX][PROSE_MAX];
    for (int i = 0; i < q->part_count; i++) {
        struct writer w;
        writer_start(&w, text[i], PROSE_MAX);
        instance_expand(&w, numbers, q->parts[i].text[language], "?");
        for (int k = 0; q->kind != QUESTION_DERIVE && k < i; k++) {
            if (strcmp(text[i], text[k]) == 0) {
                fault(q, "two parts read the same", text[i]);
            }
        }
    }
}

static void check_numbers(const struct question *q) {
    static struct instance numbers;
    const struct instance_entry *maker = lesson_maker_find(q->id);
    bool named[QUESTION_PARTS_MAX] = {false};
    for (int seed = 0; maker != NULL && seed < maker_seeds(maker) && faults < 20; seed++) {
        maker_run(maker, (uint64_t)seed, &numbers);
        if (seed ==
            0) { /* names of figures do not depend on the seed: the loops below would fail */
            check_keys(q, &numbers);
        }
        check_figures(q, &numbers);
        check_paths(q, &numbers, named);
        check_parts_differ(q, &numbers, 0);
        check_parts_differ(q, &numbers, 1);
    }
    if (maker == NULL) {
        instance_start(&numbers, 0);
        check_figures(q, NULL);
        check_keys(q, &numbers);
        check_parts_differ(q, &numbers, 0);
        check_parts_differ(q, &numbers, 1);
    }
    for (int i = 0; q->kind == QUESTION_NUMBER && !SANITIZED && i < q->part_count; i++) {
        if (!named[i]) {
            fault(q, "no seed leads to the mistake", q->parts[i].id);
        }
    }
}

START_TEST(figures_answers_and_mistakes_belong_to_the_words) {
    for (int i = 0; i < count; i++) {
        check_numbers(all[i]);
    }
    ck_assert_msg(faults == 0, "%d faults, see above", faults);
}
END_TEST

START_TEST(every_maker_belongs_to_a_question) {
    const struct lesson *lesson = NULL;
    const struct instance_entry *maker = NULL;
    for (int i = 0; (maker = maker_at(i, &lesson)) != NULL; i++) {
        ck_assert_msg(find(maker->question) != NULL, "no quiz.json asks %s", maker->question);
    }
}
END_TEST

/* --- Places --- */

static bool is_follow_up(const char *id) {
    for (int i = 0; i < count; i++) {
        for (int k = 0; k < all[i]->follow_count; k++) {
            if (strcmp(all[i]->follow[k], id) == 0) {
                return true;
            }
        }
    }
    return false;
}

START_TEST(pages_follow_ups_and_ids_exist) {
    for (int i = 0; i < count; i++) {
        const struct question *q = all[i];
        const struct lesson *lesson = lesson_find(q->lesson);
        ck_assert_ptr_nonnull(lesson);
        ck_assert_msg(find(q->id) == q, "%s stands twice", q->id);
        ck_assert_msg(q->page >= 1 && q->page <= lesson->page_count, "%s: page %d", q->id, q->page);
        ck_assert_msg(q->level >= 1 && q->level <= QUESTION_LEVEL_MAX, "%s: level", q->id);
        ck_assert_msg(strncmp(q->id, q->lesson, strlen(q->lesson)) == 0, "%s in %s", q->id,
                      q->lesson);
        ck_assert_msg(!q->opens || q->follow_count > 0, "%s opens nothing", q->id);
        ck_assert_msg(!q->opens || !is_follow_up(q->id), "%s opens, and follows another", q->id);
        for (int k = 0; k < q->follow_count; k++) {
            const struct question *next = find(q->follow[k]);
            ck_assert_msg(next != NULL && next != q, "%s: no question %s", q->id, q->follow[k]);
        }
    }
}
END_TEST

/* The five questions of the source text: what people answer, the careful answer, and what is asked next. */
START_TEST(what_people_say_comes_with_its_limit_and_a_chain) {
    int chains = 0;
    for (int i = 0; i < count; i++) {
        const struct question *q = all[i];
        if (q->said[0] == NULL) {
            continue;
        }
        chains++;
        ck_assert_msg(q->kind == QUESTION_RECALL && q->opens, "%s is said and opens nothing",
                      q->id);
        ck_assert_msg(q->topic[0] == 'A' && q->topic[2] == '\0', "%s: topic %s", q->id, q->topic);
        ck_assert_msg(q->explain[0] != NULL && q->said[1] != NULL, "%s has no limit", q->id);
        ck_assert_msg(q->follow_count >= FOLLOW_LEAST, "%s: a chain of %d", q->id, q->follow_count);
    }
    ck_assert_int_ge(chains, CHAINS_LEAST);
}
END_TEST

/* Rows of a list: options, things to order, facts. */
START_TEST(rows_of_a_list_end_without_a_full_stop) {
    static const char *const stops[] = {".", "。"};
    for (int i = 0; i < count; i++) {
        const struct question *q = all[i];
        bool list =
            q->kind == QUESTION_CHOICE || q->kind == QUESTION_ORDER || q->kind == QUESTION_RECALL;
        for (int k = 0; list && k < q->part_count; k++) {
            for (int language = 0; language < 2; language++) {
                const char *text = q->parts[k].text[language];
                size_t length = strlen(text), stop = strlen(stops[language]);
                ck_assert_msg(length < stop || strcmp(text + length - stop, stops[language]) != 0,
                              "%s: %s", q->id, text);
            }
        }
    }
}
END_TEST

START_TEST(the_easiest_interview_has_several_subjects) {
    int chains = 0, questions = 0;
    for (int i = 0; i < count; i++) {
        const struct question *q = all[i];
        if (!q->opens || q->level > 1) {
            continue;
        }
        chains++;
        questions++;
        for (int k = 0; k < q->follow_count; k++) {
            questions += find(q->follow[k])->level == 1 ? 1 : 0;
        }
    }
    ck_assert_int_ge(chains, EASY_CHAINS_LEAST);
    ck_assert_int_ge(questions, EASY_QUESTIONS_LEAST);
}
END_TEST

START_TEST(there_are_enough_of_each_kind_and_level) {
    int kinds[QUESTION_KINDS] = {0}, levels[QUESTION_LEVEL_MAX + 1] = {0}, generators = 0;
    for (int i = 0; i < count; i++) {
        const struct instance_entry *maker = lesson_maker_find(all[i]->id);
        kinds[all[i]->kind]++;
        levels[all[i]->level]++;
        generators += maker != NULL && maker->varies ? 1 : 0;
    }
    fprintf(stderr, "%d questions, %d generators\n", count, generators);
    for (int kind = 0; kind < QUESTION_KINDS; kind++) {
        ck_assert_msg(kinds[kind] > 0, "no %s", question_kind_name((enum question_kind)kind));
    }
    for (int level = 1; level <= QUESTION_LEVEL_MAX; level++) {
        ck_assert_msg(levels[level] > 0, "none of level %d", level);
    }
    ck_assert_int_ge(count, ITEMS_LEAST);
    ck_assert_int_ge(generators, GENERATORS_LEAST);
}
END_TEST

static Suite *suite(void) {
    Suite *s = suite_create("questions");
    TCase *t = tcase_create("figures");
    tcase_add_checked_fixture(t, open_all, close_all);
    tcase_set_timeout(t, 300);
    tcase_add_test(t, every_maker_belongs_to_a_question);
    tcase_add_test(t, pages_follow_ups_and_ids_exist);
    tcase_add_test(t, what_people_say_comes_with_its_limit_and_a_chain);
    tcase_add_test(t, rows_of_a_list_end_without_a_full_stop);
    tcase_add_test(t, the_easiest_interview_has_several_subjects);
    tcase_add_test(t, there_are_enough_of_each_kind_and_level);
    tcase_add_test(t, figures_answers_and_mistakes_belong_to_the_words);
    suite_add_tcase(s, t);
    return s;
}

#include "support/check_main.h"
