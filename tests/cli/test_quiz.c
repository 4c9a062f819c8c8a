/* `shardlab quiz list|show|generate`: every question there is, in both languages, as text and as JSON; an answer that is
 * not given away; and what is refused. Judging is test_quiz_answer.c, exporting test_quiz_export.c. */
#include "support/quiz_list.h"

/* --- The list --- */

START_TEST(the_list_names_every_question_once) {
    struct run r;
    const cJSON *q = NULL;
    cJSON *all = quiz_ask_json("quiz list --json");
    int count = cJSON_GetArraySize(quiz_list_of(all, "questions"));
    ck_assert_int_gt(count, 0);
    expect_good(&r, _i == 0 ? "quiz list --lang en" : "quiz --lang zh", NULL);
    cJSON_ArrayForEach(q, quiz_list_of(all, "questions")) {
        char row[128];
        (void)snprintf(row, sizeof row, "\n  %s ", quiz_member(q, "id"));
        const char *at = strstr(r.out, row);
        ck_assert_msg(at != NULL, "%s", row);
        ck_assert_msg(strstr(at + 1, row) == NULL, "twice: %s", row);
    }
    ck_assert(strstr(r.out, "{{") == NULL);
    cJSON_Delete(all);
    run_free(&r);
}
END_TEST

static const struct {
    const char *line, *key, *value;
} filters[] = {
    {"quiz list --json --lesson memory", "lesson", "memory"},
    {"quiz list --json --kind choice", "kind", "choice"},
    {"quiz list --json --kind choice --lesson memory", "kind", "choice"},
};

START_TEST(a_filter_leaves_what_it_names) {
    const cJSON *q = NULL;
    cJSON *some = quiz_ask_json(filters[_i].line);
    cJSON *all = quiz_ask_json("quiz list --json");
    int left = 0;
    cJSON_ArrayForEach(q, quiz_list_of(some, "questions")) {
        ck_assert_str_eq(quiz_member(q, filters[_i].key), filters[_i].value);
    }
    cJSON_ArrayForEach(q, quiz_list_of(all, "questions")) {
        bool lesson = strstr(filters[_i].line, "--lesson") == NULL ||
                      strcmp(quiz_member(q, "lesson"), "memory") == 0;
        bool kind = strstr(filters[_i].line, "--kind") == NULL ||
                    strcmp(quiz_member(q, "kind"), "choice") == 0;
        left += lesson && kind ? 1 : 0;
    }
    ck_assert_int_gt(left, 0);
    ck_assert_int_eq(cJSON_GetArraySize(quiz_list_of(some, "questions")), left);
    cJSON_Delete(some);
    cJSON_Delete(all);
}
END_TEST

/* Columns: kind, level and page stand under their headings, though Chinese is twice as wide. */
START_TEST(columns_stand_under_each_other) {
    struct run r;
    int level = -1;
    expect_good(&r, _i == 0 ? "quiz list --lang en" : "quiz list --lang zh", &expect_wide);
    for (const char *line = r.out; *line == ' '; line = strchr(line, '\n') + 1) {
        int columns = 0, found = -1;
        for (const char *at = line; *at != '\n' && found < 0;) {
            bool heading = strncmp(at, "level ", 6) == 0 || strncmp(at, "难度 ", 7) == 0;
            bool digit = at > line + 2 && at[-1] == ' ' && strchr("123", *at) != NULL &&
                         at[1] == ' ' && at[2] == ' ';
            found = heading || digit ? columns : -1;
            columns += expect_code_point(&at) >= 0x2E80 ? 2 : 1;
        }
        ck_assert_msg(found > 0 && (level < 0 || found == level), "%.60s", line);
        level = found;
    }
    run_free(&r);
}
END_TEST

/* --- Showing --- */

/* The list holds every question as `show` prints it without --answer; neither gives anything away. */
static const char *const unanswered[] = {"quiz list --json --lang en",
                                         "quiz show memory.states.largest --json --lang zh",
                                         "quiz show collectives.ring.bytes --json",
                                         "quiz show collectives.busiest --json",
                                         "quiz show collectives.ring.lines --json",
                                         "quiz show data-parallel.equals --json"};

START_TEST(showing_a_question_does_not_give_its_answer_away) {
    static const char *const secrets[] = {"right", "why",     "answer",   "mistakes", "steps",
                                          "hints", "explain", "position", "facts",    "said"};
    struct run r;
    expect_json(&r, unanswered[_i], NULL);
    for (size_t i = 0; i < sizeof secrets / sizeof secrets[0]; i++) {
        char key[32];
        (void)snprintf(key, sizeof key, "\"%s\":", secrets[i]);
        ck_assert_msg(strstr(r.out, key) == NULL, "%s", key);
    }
    run_free(&r);
}
END_TEST

/* Each text of the program has words, and every figure a number. */
static void check_shown(const char *line) {
    struct run r;
    expect_good(&r, line, NULL);
    expect_harmless(line, r.out);
    ck_assert_msg(strstr(r.out, "{{") == NULL && strstr(r.out, "quiz.") == NULL &&
                      strstr(r.out, "question.") == NULL,
                  "%s: %s", line, r.out);
    run_free(&r);
}

/* As it is asked in one language and answered in the other, which alternate. */
static void show_both(const cJSON *question) {
    static int shown;
    for (int answered = 0; answered < 2; answered++) {
        char line[EXPECT_LINE_MAX];
        (void)snprintf(line, sizeof line, "quiz show %s %s --lang %s", quiz_member(question, "id"),
                       answered ? "--answer --seed 7" : "",
                       (shown + answered) % 2 == 0 ? "en" : "zh");
        check_shown(line);
    }
    shown++;
}

START_TEST(every_question_is_shown_in_both_languages) {
    ck_assert_int_gt(quiz_each(NULL, show_both), 0);
}
END_TEST

/* The same letters and numbers for the same seed, whatever else is printed. */
START_TEST(a_seed_settles_what_is_shown) {
    struct run first, again;
    expect_good(&first, "quiz show memory.states.largest --seed 3 --lang en", NULL);
    expect_good(&again, "quiz show --seed=3 memory.states.largest --lang en", NULL);
    ck_assert_str_eq(first.out, again.out);
    ck_assert(strstr(first.out, " --seed 3\n") != NULL);
    run_free(&first);
    run_free(&again);
}
END_TEST

/* --- Generating --- */

static int generators;

/* The last step is the answer, every mistake is another number and says what it is. */
static void check_generated(const cJSON *question) {
    char line[EXPECT_LINE_MAX];
    const char *id = quiz_member(question, "id");
    if (!quiz_true(question, "generator")) {
        return;
    }
    generators++;
    (void)snprintf(line, sizeof line, "quiz generate %s --seed 11 --json --lang en", id);
    cJSON *made = quiz_ask_json(line);
    const cJSON *answer = quiz_list_of(made, "answer"), *mistake = NULL;
    const cJSON *steps = quiz_list_of(made, "steps");
    int count = cJSON_GetArraySize(steps);
    ck_assert_msg(count > 0, "%s has no worked answer", id);
    const cJSON *last = cJSON_GetArrayItem(steps, count - 1);
    ck_assert_msg(quiz_real(last, "value") == quiz_real(answer, "value"), "%s", id);
    ck_assert_str_eq(quiz_member(last, "text"), quiz_member(answer, "text"));
    cJSON_ArrayForEach(mistake, quiz_list_of(made, "mistakes")) {
        ck_assert_msg(quiz_real(mistake, "value") != quiz_real(answer, "value"), "%s", id);
        ck_assert_msg(strlen(quiz_member(mistake, "says")) > 0, "%s", id);
    }
    ck_assert_int_eq((int)quiz_real(made, "seed"), 11);
    cJSON_Delete(made);
}

START_TEST(a_generator_makes_a_worked_answer) {
    generators = 0;
    (void)quiz_each("number", check_generated);
    ck_assert_int_gt(generators, 0);
    check_shown("quiz generate collectives.ring.bytes --seed 11 --lang en");
    check_shown("quiz generate collectives.ring.bytes --seed 11 --lang zh");
}
END_TEST

/* A ring sends 2(N−1)/N of the message: the two inputs stand in the question, the answer is reckoned here. */
START_TEST(a_generated_number_is_what_its_question_asks) {
    char line[EXPECT_LINE_MAX];
    double first = 0.0;
    bool others = false;
    for (int seed = 1; seed <= 20; seed++) {
        double ranks = 0.0, gb = 0.0;
        (void)snprintf(line, sizeof line,
                       "quiz generate collectives.ring.bytes --seed %d --json --lang en", seed);
        cJSON *made = quiz_ask_json(line);
        const char *stem = quiz_member(made, "stem");
        ck_assert_msg(sscanf(stem, "%lf ranks sum a buffer of %lf GB", &ranks, &gb) == 2, "%s",
                      stem);
        double bytes = quiz_real(quiz_list_of(made, "answer"), "value");
        ck_assert_double_eq_tol(bytes, 2.0 * (ranks - 1.0) / ranks * gb * 1e9, 1e-6 * bytes);
        others = others || (seed > 1 && bytes != first);
        first = seed == 1 ? bytes : first;
        cJSON_Delete(made);
    }
    ck_assert_msg(others, "every seed gives the same");
}
END_TEST

/* --- Refused --- */

static const struct {
    const char *line, *named;
} refused[] = {
    {"quiz bake", "bake|list|show|generate|answer|stats|export"},
    {"quiz list memory", "memory"},
    {"quiz list --lesson memroy", "memroy|memory"},
    {"quiz list --kind essay", "essay|choice|recall"},
    {"quiz list --seed 3", "--seed|list"},
    {"quiz list --answer", "--answer|list"},
    {"quiz list --format json", "--format|list"},
    {"quiz show", "show|ID|quiz list"},
    {"quiz show memory.states.larges", "memory.states.larges|memory.states.largest"},
    {"quiz show memory.states.largest more", "more"},
    {"quiz show memory.states.largest --seed many", "--seed|many"},
    {"quiz show memory.states.largest --lesson memory", "--lesson|show"},
    {"quiz show ''", "quiz list"},
    {"quiz generate", "generate|ID"},
    {"quiz generate memory.states.largest", "memory.states.largest|memory.states.total"},
    {"quiz generate collectives.ring.byte", "collectives.ring.byte|collectives.ring.bytes"},
    {"quiz generate collectives.ring.bytes --answer", "--answer|generate"},
    {"quiz generate collectives.ring.bytes --seed -1", "--seed|-1"},
    {"quiz generate collectives.ring.bytes --seed 99999999999999999999999",
     "--seed|99999999999999999999999|18446744073709551615"},
    {"quiz show memory.states.largest --frobnicate", "--frobnicate"},
};

START_TEST(what_means_nothing_is_refused_and_named) {
    for (int zh = 0; zh <= 1; zh++) {
        char line[EXPECT_LINE_MAX];
        struct expect_words words;
        struct run r;
        (void)snprintf(line, sizeof line, "%s --lang %s", refused[_i].line, zh ? "zh" : "en");
        expect_refused(&r, expect_split(&words, line), 2, "shardlab: quiz: ");
        expect_names(r.err, refused[_i].named);
        run_free(&r);
    }
}
END_TEST

static Suite *suite(void) {
    Suite *s = suite_create("cli quiz");
    TCase *t = tcase_create("questions");
    tcase_add_loop_test(t, the_list_names_every_question_once, 0, 2);
    tcase_add_loop_test(t, a_filter_leaves_what_it_names, 0,
                        (int)(sizeof filters / sizeof filters[0]));
    tcase_add_loop_test(t, columns_stand_under_each_other, 0, 2);
    tcase_add_loop_test(t, showing_a_question_does_not_give_its_answer_away, 0,
                        (int)(sizeof unanswered / sizeof unanswered[0]));
    tcase_add_test(t, every_question_is_shown_in_both_languages);
    tcase_add_test(t, a_seed_settles_what_is_shown);
    tcase_add_test(t, a_generator_makes_a_worked_answer);
    tcase_add_test(t, a_generated_number_is_what_its_question_asks);
    tcase_add_loop_test(t, what_means_nothing_is_refused_and_named, 0,
                        (int)(sizeof refused / sizeof refused[0]));
    tcase_set_timeout(t, 300);
    suite_add_tcase(s, t);
    return s;
}

#include "support/check_main.h"
