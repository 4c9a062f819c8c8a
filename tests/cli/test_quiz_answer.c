/* `shardlab quiz answer`: what `show --answer` says is right is judged right, whatever else is wrong, known mistakes are
 * named, and the status is 0 either way; 2 only where nothing can be read. Of every question there is. */
#include "support/quiz_list.h"

enum { SEED = 5 };

static cJSON *answer(const char *id, const char *value) {
    char line[EXPECT_LINE_MAX];
    (void)snprintf(line, sizeof line, "quiz answer %s '%s' --seed %d --json --lang en", id, value,
                   SEED);
    return quiz_ask_json(line);
}

static void expect_judged(const char *id, const char *value, bool right, int rating) {
    cJSON *judged = answer(id, value);
    ck_assert_msg(quiz_true(judged, "right") == right, "%s %s", id, value);
    ck_assert_msg((int)quiz_real(judged, "rating") == rating, "%s %s: rating %d", id, value,
                  (int)quiz_real(judged, "rating"));
    cJSON_Delete(judged);
}

enum { AGAIN = 1, HARD, GOOD };

/* --- Each kind --- */

static void check_choice(const cJSON *question) {
    const char *id = quiz_member(question, "id");
    const cJSON *option = NULL;
    cJSON *shown = quiz_shown(id, SEED);
    cJSON_ArrayForEach(option, quiz_list_of(shown, "options")) {
        bool right = quiz_true(option, "right");
        expect_judged(id, quiz_member(option, "letter"), right, right ? GOOD : AGAIN);
    }
    cJSON_Delete(shown);
}

START_TEST(one_option_is_right_and_the_others_are_wrong) {
    ck_assert_int_gt(quiz_each("choice", check_choice), 0);
}
END_TEST

static void check_order(const cJSON *question) {
    const char *id = quiz_member(question, "id");
    char right[32] = "", wrong[32] = "";
    cJSON *shown = quiz_shown(id, SEED);
    const cJSON *things = quiz_list_of(shown, "things"), *thing = NULL;
    int count = cJSON_GetArraySize(things);
    for (int position = 1; position <= count; position++) {
        cJSON_ArrayForEach(thing, things) {
            if ((int)quiz_real(thing, "position") == position) {
                strcat(right, quiz_member(thing, "letter"));
                strcat(right, " ");
            }
        }
    }
    strcpy(wrong, right);
    wrong[0] = right[2];
    wrong[2] = right[0];
    expect_judged(id, right, true, GOOD);
    expect_judged(id, wrong, false, AGAIN);
    cJSON_Delete(shown);
}

START_TEST(the_right_order_is_right_and_a_swapped_one_wrong) {
    ck_assert_int_gt(quiz_each("order", check_order), 0);
}
END_TEST

static void check_derivation(const cJSON *question) {
    const char *id = quiz_member(question, "id");
    char right[512] = "", wrong[512] = "";
    cJSON *shown = quiz_shown(id, SEED);
    const cJSON *line = NULL;
    cJSON_ArrayForEach(line, quiz_list_of(shown, "lines")) {
        const char *text = quiz_member(quiz_list_of(line, "answer"), "text");
        strcat(right, right[0] == '\0' ? "" : "; ");
        strcat(right, text);
        strcat(wrong, wrong[0] == '\0' ? "77777777" : "; ");
        strcat(wrong, wrong[8] == '\0' ? "" : text);
    }
    expect_judged(id, right, true, GOOD);
    expect_judged(id, wrong, false, AGAIN);
    cJSON_Delete(shown);
}

START_TEST(a_derivation_is_right_when_every_line_is) {
    ck_assert_int_gt(quiz_each("derive", check_derivation), 0);
}
END_TEST

static void check_recall(const cJSON *question) {
    const char *id = quiz_member(question, "id");
    cJSON *shown = quiz_shown(id, SEED);
    int facts = cJSON_GetArraySize(quiz_list_of(shown, "facts"));
    char all[32] = "", half[32] = "";
    for (int i = 0; i < facts; i++) {
        const char tick[] = {(char)('1' + i), ' ', '\0'};
        strcat(all, tick);
        strcat(half, 2 * i < facts ? tick : "");
    }
    expect_judged(id, all, true, GOOD);
    expect_judged(id, half, true, HARD);
    expect_judged(id, "0", false, AGAIN);
    cJSON_Delete(shown);
}

START_TEST(a_recall_is_rated_by_its_ticks) {
    ck_assert_int_gt(quiz_each("recall", check_recall), 0);
}
END_TEST

/* What is written with four digits is only as near as the tolerance lets it be. */
static bool is_written_exactly(const cJSON *number, double tolerance) {
    const char *text = quiz_member(number, "text");
    return tolerance >= 0.001 || strtod(text, NULL) == quiz_real(number, "value");
}

static void check_number(const cJSON *question) {
    const char *id = quiz_member(question, "id");
    cJSON *shown = quiz_shown(id, SEED);
    const cJSON *right = quiz_list_of(shown, "answer"), *mistake = NULL;
    double tolerance = quiz_real(right, "tolerance");
    if (is_written_exactly(right, tolerance)) {
        expect_judged(id, quiz_member(right, "text"), true, GOOD);
    }
    cJSON_ArrayForEach(mistake, quiz_list_of(shown, "mistakes")) {
        if (!is_written_exactly(mistake, tolerance)) {
            continue;
        }
        cJSON *judged = answer(id, quiz_member(mistake, "text"));
        ck_assert_msg(!quiz_true(judged, "right"), "%s %s", id, quiz_member(mistake, "text"));
        const cJSON *named = quiz_list_of(judged, "mistake");
        ck_assert_msg(cJSON_IsObject(named), "%s %s", id, quiz_member(mistake, "text"));
        ck_assert_str_eq(quiz_member(named, "id"), quiz_member(mistake, "id"));
        ck_assert_str_eq(quiz_member(named, "says"), quiz_member(mistake, "says"));
        cJSON_Delete(judged);
    }
    cJSON_Delete(shown);
}

START_TEST(the_worked_answer_is_right_and_each_mistake_is_named) {
    ck_assert_int_gt(quiz_each("number", check_number), 0);
}
END_TEST

/* --- How it is said --- */

static const struct {
    const char *line, *says; /* separated by '|' */
} said[] = {
    {"quiz answer collectives.ring.bytes 45.5GB --lang en", "Right. Rating: good.|Answer: 45.5 GB"},
    {"quiz answer collectives.ring.bytes 45,500 MB --lang en", "Right."},
    {"quiz answer collectives.ring.bytes ４５．５ＧＢ --lang zh",
     "正确。评分：记得。|答案：45.5 GB"},
    {"quiz answer collectives.ring.bytes 52 --lang en",
     "Wrong. Rating: again.|The mistake:|Answer: 45.5 GB"},
    {"quiz answer collectives.ring.bytes 52 --lang zh", "错误。评分：忘了。|错在：|答案：45.5 GB"},
    {"quiz answer collectives.ring.bytes '45.5 GiB' --lang en", "Wrong.|The mistake:"},
    {"quiz answer collectives.ring.bytes 1e3 --lang en", "Wrong.|Answer: 45.5 GB"},
    {"quiz answer collectives.ring.bytes -3 --lang en", "Wrong."},
    {"quiz answer collectives.ring.bytes ? --lang en", "Not known. Rating: again.|Answer: 45.5 GB"},
    {"quiz answer memory.states.largest ? --lang zh", "没有作答。评分：忘了。|✓"},
    {"quiz answer memory.states.largest b --lang en", "Rating: |✓"},
};

START_TEST(a_verdict_is_followed_by_what_is_right) {
    struct run r;
    expect_good(&r, said[_i].line, &expect_wide);
    expect_names(r.out, said[_i].says);
    expect_harmless(said[_i].line, r.out);
    run_free(&r);
}
END_TEST

static const struct {
    const char *line, *named;
} refused[] = {
    {"quiz answer", "answer|ID"},
    {"quiz answer memory.states.largest", "answer|memory.states.largest|VALUE"},
    {"quiz answer memory.states.larges A", "memory.states.larges|memory.states.largest"},
    {"quiz answer memory.states.largest E", "E"},
    {"quiz answer memory.states.largest 'A B'", "A B"},
    {"quiz answer memory.states.largest ''", "shardlab"},
    {"quiz answer collectives.ring.bytes many", "many"},
    {"quiz answer collectives.ring.bytes '5 parsec'", "parsec|GB"},
    {"quiz answer collectives.ring.bytes nan", "nan"},
    {"quiz answer collectives.ring.bytes 1e999", "1e999"},
    {"quiz answer collectives.ring.lines 3", "3"},
    {"quiz answer collectives.busiest 'A A B'", "A A B"},
    {"quiz answer collectives.busiest A", "A"},
    {"quiz answer memory.states.largest A --answer", "--answer|answer"},
};

START_TEST(what_cannot_be_read_is_not_judged) {
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
    Suite *s = suite_create("cli quiz answer");
    TCase *t = tcase_create("answers");
    tcase_add_test(t, one_option_is_right_and_the_others_are_wrong);
    tcase_add_test(t, the_right_order_is_right_and_a_swapped_one_wrong);
    tcase_add_test(t, a_derivation_is_right_when_every_line_is);
    tcase_add_test(t, a_recall_is_rated_by_its_ticks);
    tcase_add_test(t, the_worked_answer_is_right_and_each_mistake_is_named);
    tcase_add_loop_test(t, a_verdict_is_followed_by_what_is_right, 0,
                        (int)(sizeof said / sizeof said[0]));
    tcase_add_loop_test(t, what_cannot_be_read_is_not_judged, 0,
                        (int)(sizeof refused / sizeof refused[0]));
    tcase_set_timeout(t, 300);
    suite_add_tcase(s, t);
    return s;
}

#include "support/check_main.h"
