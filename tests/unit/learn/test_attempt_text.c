/* An attempt as a line of the log: words of people become an answer, the answer a line, and the line gives the same verdict
 * again; after any keys in any order the struct still means something. */
#include <check.h>
#include <string.h>

#include "shardlab/base/writer.h"
#include "shardlab/learn/attempt.h"
#include "support/mangle.h"
#include "support/rounds.h"
#include "support/sample_questions.h"

static const char *written(const struct attempt *a) {
    static char text[1200];
    struct writer w;
    writer_start(&w, text, sizeof text);
    attempt_write(&w, a);
    ck_assert(!w.overflow);
    return text;
}

static const struct {
    const struct question *question;
    const char *words[4];
    const char *line; /* NULL: refused */
} lines[] = {
    {&choice, {"b"}, "B"},
    {&choice, {"２"}, "B"},
    {&choice, {"D"}, "D"},
    {&choice, {"E"}, NULL},
    {&choice, {"a", "b"}, NULL},
    {&choice, {"0"}, NULL},
    {&choice, {"?"}, "?"},
    {&order, {"3 1 2 4"}, "C A B D"},
    {&order, {"c", "a", "b", "d"}, "C A B D"},
    {&order, {"cabd"}, "C A B D"},
    {&order, {"3,1,2,4"}, "C A B D"},
    {&order, {"3 1 2"}, NULL},
    {&order, {"3 1 2 2"}, NULL},
    {&order, {"3 1 2 5"}, NULL},
    {&order, {"?"}, "?"},
    {&number, {"112", "GB"}, "112 GB"},
    {&number, {"１１２ＧＢ"}, "112GB"},
    {&number, {"1", ";", "2"}, NULL},
    {&number, {"  "}, NULL},
    {&number, {"?"}, "?"},
    {&derive, {"112 GB; 40 ms; 27.3 %"}, "112 GB; 40 ms; 27.3 %"},
    {&derive, {"112", "40", "27.3"}, "112; 40; 27.3"},
    {&derive, {"112；40 ms；", "27.3"}, "112; 40 ms; 27.3"},
    {&derive, {"112", "40"}, NULL},
    {&derive, {"1;2;3;4"}, NULL},
    {&recall, {"1 3"}, "1 3"},
    {&recall, {"5", "2"}, "2 5"},
    {&recall, {"0"}, "0"},
    {&recall, {"6"}, NULL},
    {&recall, {"?"}, "?"},
};

START_TEST(words_become_an_answer_and_the_answer_a_line) {
    struct attempt a = asked(lines[_i].question), before = a;
    struct message why = {0};
    int count = 0;
    while (count < 4 && lines[_i].words[count] != NULL) {
        count++;
    }
    enum status status = attempt_read(&a, lines[_i].words, count, &why);
    if (lines[_i].line == NULL) {
        ck_assert_int_eq(status, STATUS_USAGE);
        ck_assert_ptr_nonnull(why.id);
        ck_assert_mem_eq(&a, &before, sizeof a);
        return;
    }
    ck_assert_msg(status == STATUS_OK, "%s", why.id);
    ck_assert_str_eq(written(&a), lines[_i].line);
    ck_assert_int_eq(a.state == ATTEMPT_REVEALED,
                     a.question->kind == QUESTION_RECALL && !a.given_up);
}
END_TEST

START_TEST(an_answer_that_is_too_long_is_refused) {
    char word[ATTEMPT_TYPED_MAX * 10];
    memset(word, '1', sizeof word);
    word[sizeof word - 1] = '\0';
    const char *const words[] = {word};
    for (int i = 0; i < 5; i++) {
        struct attempt a = asked(all[i]), before = a;
        struct message why = {0};
        ck_assert_int_eq(attempt_read(&a, words, 1, &why), STATUS_USAGE);
        ck_assert_str_eq(why.id, "error.attempt.long");
        ck_assert_int_eq(attempt_read(&a, NULL, 0, &why), STATUS_USAGE);
        ck_assert_str_eq(why.id, "error.attempt.empty");
        word[ATTEMPT_TYPED_MAX] = '\0'; /* one too many for a number, long for all */
        ck_assert_int_eq(attempt_read(&a, words, 1, &why), STATUS_USAGE);
        word[ATTEMPT_TYPED_MAX] = '1';
        ck_assert_mem_eq(&a, &before, sizeof a);
    }
}
END_TEST

/* Keys of a learner who does not look; returns what may not happen, NULL nothing. */
static const char *press(struct attempt *a, uint64_t *dice) {
    static const char *const texts[] = {"112", "40 ms", "27.3 %", "", "x", "224 GB"};
    struct message why = {0};
    int n = (int)(mangle_random(dice) % 12);
    switch (n) {
    case 0:
        ck_assert(attempt_commit(a, &why) == STATUS_OK || why.id != NULL);
        break;
    case 1:
        (void)attempt_hint(a);
        break;
    case 2:
        (void)attempt_hold(a);
        break;
    case 3:
        (void)attempt_rate(a, (enum fsrs_rating)(mangle_random(dice) % 6));
        break;
    case 4:
        (void)(mangle_random(dice) % 4 == 0 && attempt_give_up(a));
        break;
    case 5:
        type(a, (int)(mangle_random(dice) % 3), texts[mangle_random(dice) % 6]);
        break;
    case 6:
    case 7:
        (void)attempt_tick(a);
        break;
    case 8:
        (void)attempt_mark(a, (int)(mangle_random(dice) % 12) - 2);
        break;
    default:
        (void)attempt_move(a, (int)(mangle_random(dice) % 9) - 4);
        break;
    }
    bool seen[QUESTION_PARTS_MAX] = {false};
    for (int i = 0; i < a->question->part_count; i++) {
        if (seen[a->shown[i]]) {
            return "a part is shown twice";
        }
        seen[a->shown[i]] = true;
    }
    if (a->mark < a->first_blank || a->mark >= a->question->part_count) {
        return "the focus is nowhere";
    }
    if (a->state == ATTEMPT_JUDGED && (a->rating < FSRS_AGAIN || a->rating > FSRS_EASY)) {
        return "there is no rating";
    }
    return a->state != ATTEMPT_JUDGED && a->right ? "right before it is judged" : NULL;
}

START_TEST(any_keys_leave_a_sound_attempt_whose_line_gives_the_same_verdict) {
    uint64_t dice = 20261130;
    int rounds = test_rounds(3000);
    for (int round = 0; round < rounds; round++) {
        static struct attempt a, b;
        const struct question *q = all[round % 5];
        uint64_t shuffle = mangle_random(&dice);
        int blanks = (int)(mangle_random(&dice) % 4);
        attempt_start(&a, q, numbers(), shuffle, blanks);
        for (int i = 0; i < 40 && a.state != ATTEMPT_JUDGED; i++) {
            const char *wrong = press(&a, &dice);
            ck_assert_msg(wrong == NULL, "round %d: %s", round, wrong);
        }
        if (a.state != ATTEMPT_JUDGED) {
            continue;
        }
        struct message why = {0};
        const char *const words[] = {written(&a)};
        attempt_start(&b, q, numbers(), shuffle, blanks);
        b.hints = a.hints;
        ck_assert_msg(attempt_read(&b, words, 1, &why) == STATUS_OK, "%s: %s", words[0], why.id);
        if (b.state != ATTEMPT_JUDGED) {
            commit(&b);
        }
        ck_assert_int_eq(a.right, b.right);
        ck_assert_int_eq(a.given_up, b.given_up);
        ck_assert_int_eq(a.rating, b.rating);
        ck_assert_pstr_eq(a.mistake, b.mistake);
        ck_assert_mem_eq(a.part_right, b.part_right, sizeof a.part_right);
    }
}
END_TEST

static Suite *suite(void) {
    Suite *suite = suite_create("attempt_text");
    TCase *line = tcase_create("line");
    tcase_set_timeout(line, 600);
    tcase_add_loop_test(line, words_become_an_answer_and_the_answer_a_line, 0,
                        (int)(sizeof lines / sizeof lines[0]));
    tcase_add_test(line, an_answer_that_is_too_long_is_refused);
    tcase_add_test(line, any_keys_leave_a_sound_attempt_whose_line_gives_the_same_verdict);
    suite_add_tcase(suite, line);
    return suite;
}

#include "support/check_main.h"
