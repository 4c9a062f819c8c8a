/* One question before a learner: each kind asked, answered, judged and rated, and what may be
 * done when. */
#include "shardlab/learn/attempt.h"

#include <check.h>
#include <string.h>

#include "support/sample_questions.h"

/* Exchanges neighbours until all is right: an order answered well by somebody with patience. */
static void sort(struct attempt *a) {
    for (int i = 0; i < a->question->part_count; i++) {
        int at = i;
        while (a->shown[at] != i) {
            at++;
        }
        if (at != i) {
            ck_assert(attempt_mark(a, at));
            ck_assert(attempt_hold(a));
            ck_assert(attempt_move(a, i - at));
            ck_assert(attempt_hold(a));
        }
    }
}

/* --- The start --------------------------------------------------------------------------------------------- */

START_TEST(an_order_never_starts_in_its_right_order) {
    static struct question two, six;
    two = order;
    two.part_count = 2;
    six = order;
    six.part_count = 6;
    const struct question *const sizes[] = {&two, &order, &six};
    for (uint64_t shuffle = 0; shuffle < 3000; shuffle++) {
        const struct question *q = sizes[shuffle % 3];
        static struct attempt a;
        attempt_start(&a, q, numbers(), shuffle, 0);
        bool in_order = true;
        for (int i = 0; i < q->part_count; i++) {
            in_order = in_order && a.shown[i] == i;
        }
        ck_assert_msg(!in_order, "shuffle %d", (int)shuffle);
    }
}
END_TEST

START_TEST(the_same_shuffle_gives_the_same_places_and_another_gives_others) {
    static struct attempt a, b;
    int seen[4][4] = {{0}};
    for (uint64_t shuffle = 0; shuffle < 4000; shuffle++) {
        attempt_start(&a, &choice, numbers(), shuffle, 0);
        attempt_start(&b, &choice, numbers(), shuffle, 0);
        ck_assert_mem_eq(a.shown, b.shown, sizeof a.shown);
        for (int i = 0; i < 4; i++) {
            seen[i][a.shown[i]]++;
        }
    }
    for (int i = 0; i < 16; i++) { /* 1000 each, five standard deviations of 27 */
        ck_assert_int_gt(seen[i / 4][i % 4], 860);
        ck_assert_int_lt(seen[i / 4][i % 4], 1140);
    }
}
END_TEST

START_TEST(two_questions_of_a_sitting_are_not_shuffled_alike) {
    static struct question other;
    other = choice;
    other.id = "memory.other";
    int alike = 0;
    for (uint64_t shuffle = 0; shuffle < 2400; shuffle++) {
        static struct attempt a, b;
        attempt_start(&a, &choice, numbers(), shuffle, 0);
        attempt_start(&b, &other, numbers(), shuffle, 0);
        alike += memcmp(a.shown, b.shown, sizeof a.shown) == 0 ? 1 : 0;
    }
    ck_assert_int_gt(alike, 50); /* one in 24 is chance: 100 */
    ck_assert_int_lt(alike, 150);
}
END_TEST

/* --- Verdicts ---------------------------------------------------------------------------------------------- */

START_TEST(a_choice_is_the_place_with_the_focus) {
    for (int place = 0; place < 4; place++) {
        struct attempt a = asked(&choice);
        ck_assert(attempt_mark(&a, place));
        commit(&a);
        ck_assert_int_eq(a.state, ATTEMPT_JUDGED);
        ck_assert_int_eq(a.chosen, place);
        ck_assert_int_eq(a.right, a.shown[place] == 2);
        ck_assert_int_eq(a.rating, a.right ? FSRS_GOOD : FSRS_AGAIN);
        ck_assert_ptr_null(a.mistake);
    }
}
END_TEST

START_TEST(a_thing_that_is_held_moves_along_and_the_others_make_room) {
    struct attempt a = asked(&order);
    int before[4];
    memcpy(before, a.shown, sizeof before);
    ck_assert(attempt_hold(&a));
    ck_assert(attempt_move(&a, 2));
    int after[] = {before[1], before[2], before[0], before[3]};
    ck_assert_mem_eq(a.shown, after, sizeof after);
    ck_assert_int_eq(a.mark, 2);
    ck_assert(attempt_move(&a, -9)); /* as far as there are places */
    ck_assert_mem_eq(a.shown, before, sizeof before);
    ck_assert(attempt_hold(&a));
    ck_assert(attempt_move(&a, 1));
    ck_assert_mem_eq(a.shown, before, sizeof before);
}
END_TEST

START_TEST(an_order_is_right_only_as_a_whole_and_shows_what_stands_in_its_place) {
    struct attempt a = asked(&order);
    sort(&a);
    commit(&a);
    ck_assert(a.right);
    struct attempt b = asked(&order);
    sort(&b);
    ck_assert(attempt_mark(&b, 1));
    ck_assert(attempt_hold(&b));
    ck_assert(attempt_move(&b, 1));
    commit(&b);
    ck_assert(!b.right);
    ck_assert(!b.held);
    const bool in_place[] = {true, false, false, true};
    ck_assert_mem_eq(b.part_right, in_place, sizeof in_place);
}
END_TEST

static const struct {
    const char *text;
    bool right;
    const char *mistake;
} typed[] = {
    {"112", true, NULL},           {"１１２．５ＧＢ", true, NULL},
    {"112,000 MB", true, NULL},    {"104.3 GiB", true, NULL},
    {"224", false, "twice"},       {"104.3", false, "answer.gib"},
    {"896", false, "answer.bits"}, {"112 MB", false, "answer.prefix"},
    {"50", false, NULL},
};

START_TEST(a_number_is_judged_and_a_known_mistake_is_named) {
    struct attempt a = asked(&number);
    type(&a, 0, typed[_i].text);
    commit(&a);
    ck_assert_int_eq(a.right, typed[_i].right);
    ck_assert_pstr_eq(a.mistake, typed[_i].mistake);
    ck_assert_int_eq(a.rating, typed[_i].right ? FSRS_GOOD : FSRS_AGAIN);
}
END_TEST

START_TEST(what_cannot_be_read_costs_nothing_and_says_so) {
    static const char *const unreadable[] = {"", "  ", "many", "112 apples", "1,2,3", "12 ms"};
    for (size_t i = 0; i < sizeof unreadable / sizeof unreadable[0]; i++) {
        struct attempt a = asked(&number), before;
        struct message why = {0};
        type(&a, 0, unreadable[i]);
        before = a;
        ck_assert_int_eq(attempt_commit(&a, &why), STATUS_USAGE);
        ck_assert_ptr_nonnull(why.id);
        ck_assert_mem_eq(&a, &before, sizeof a);
    }
}
END_TEST

START_TEST(a_derivation_is_right_only_when_each_blank_is) {
    struct attempt a = asked(&derive);
    type(&a, 0, "112");
    type(&a, 1, "40");
    type(&a, 2, "27.3");
    commit(&a);
    ck_assert(a.right);
    struct attempt b = asked(&derive);
    type(&b, 0, "224 GB");
    type(&b, 1, "0.04 s");
    type(&b, 2, "75 %");
    commit(&b);
    ck_assert(!b.right);
    const bool each[] = {false, true, false};
    ck_assert_mem_eq(b.part_right, each, sizeof each);
    ck_assert_str_eq(b.mistake, "twice");
}
END_TEST

START_TEST(a_blank_that_cannot_be_read_has_the_focus_and_nothing_is_given_away) {
    struct attempt a = asked(&derive);
    struct message why = {0};
    type(&a, 0, "112");
    type(&a, 1, "forty");
    type(&a, 2, "27.3");
    ck_assert_int_eq(attempt_commit(&a, &why), STATUS_USAGE);
    ck_assert_int_eq(a.state, ATTEMPT_ASKED);
    ck_assert_int_eq(a.mark, 1);
    ck_assert(!a.part_right[0]);
    ck_assert_str_eq(why.args[0].text, "forty");
}
END_TEST

START_TEST(lines_before_the_first_blank_of_a_faded_example_are_given) {
    static const int blanks[] = {-1, 0, 1, 2, 3, 4};
    static const int first[] = {2, 2, 2, 1, 0, 0};
    struct attempt a;
    attempt_start(&a, &derive, numbers(), 5, blanks[_i]);
    ck_assert_int_eq(a.first_blank, first[_i]);
    ck_assert_int_eq(a.mark, first[_i]);
    ck_assert(!attempt_mark(&a, first[_i] - 1));
    type(&a, 1, "40");
    type(&a, 2, "27.3");
    type(&a, 0, first[_i] > 0 ? "never read" : "112");
    commit(&a);
    ck_assert(a.right);
    ck_assert(a.part_right[0]);
}
END_TEST

START_TEST(a_recall_is_revealed_then_ticked_then_rated_by_its_ticks) {
    static const enum fsrs_rating by_ticks[] = {FSRS_AGAIN, FSRS_AGAIN, FSRS_AGAIN,
                                                FSRS_HARD,  FSRS_HARD,  FSRS_GOOD};
    struct attempt a = asked(&recall);
    ck_assert(!attempt_tick(&a));
    ck_assert(!attempt_move(&a, 1));
    commit(&a);
    ck_assert_int_eq(a.state, ATTEMPT_REVEALED);
    ck_assert(!attempt_hint(&a));
    for (int i = 0; i < _i; i++) {
        ck_assert(attempt_mark(&a, i));
        ck_assert(attempt_tick(&a));
    }
    ck_assert(attempt_mark(&a, 4)); /* ticked and taken back */
    ck_assert(attempt_tick(&a));
    ck_assert(attempt_tick(&a));
    commit(&a);
    ck_assert_int_eq(a.state, ATTEMPT_JUDGED);
    ck_assert_int_eq(a.rating, by_ticks[_i]);
    ck_assert_int_eq(a.right, by_ticks[_i] != FSRS_AGAIN);
}
END_TEST

/* --- Hints, ratings, turns --------------------------------------------------------------------------------- */

START_TEST(a_hint_makes_a_right_answer_hard_and_there_are_no_more_than_are_written) {
    struct attempt a = asked(&choice);
    ck_assert(attempt_hint(&a));
    ck_assert(attempt_hint(&a));
    ck_assert(!attempt_hint(&a));
    ck_assert_int_eq(a.hints, 2);
    while (a.shown[a.mark] != 2) {
        ck_assert(attempt_move(&a, 1));
    }
    commit(&a);
    ck_assert(a.right);
    ck_assert_int_eq(a.rating, FSRS_HARD);
    struct attempt b = asked(&number);
    ck_assert(attempt_hint(&b));
    type(&b, 0, "50");
    commit(&b);
    ck_assert_int_eq(b.rating, FSRS_AGAIN);
}
END_TEST

START_TEST(giving_up_is_wrong_and_can_be_rated_anew) {
    struct attempt a = asked(all[_i]);
    ck_assert(attempt_give_up(&a));
    ck_assert_int_eq(a.state, ATTEMPT_JUDGED);
    ck_assert(a.given_up);
    ck_assert(!a.right);
    ck_assert_int_eq(a.rating, FSRS_AGAIN);
    ck_assert(!attempt_give_up(&a));
    ck_assert(attempt_rate(&a, FSRS_EASY));
    ck_assert_int_eq(a.rating, FSRS_EASY);
    ck_assert(!attempt_rate(&a, (enum fsrs_rating)0));
    ck_assert(!attempt_rate(&a, (enum fsrs_rating)5));
}
END_TEST

START_TEST(a_call_out_of_turn_changes_nothing) {
    struct attempt a = asked(all[_i]), before;
    struct message why = {0};
    ck_assert(!attempt_rate(&a, FSRS_GOOD));
    ck_assert(attempt_give_up(&a));
    before = a;
    ck_assert(!attempt_move(&a, 1));
    ck_assert(!attempt_mark(&a, 0));
    ck_assert(!attempt_hold(&a));
    ck_assert(!attempt_tick(&a));
    ck_assert(!attempt_hint(&a));
    ck_assert_int_eq(attempt_commit(&a, &why), STATUS_USAGE);
    const char *const words[] = {"1"};
    ck_assert_int_eq(attempt_read(&a, words, 1, &why), STATUS_USAGE);
    ck_assert_mem_eq(&a, &before, sizeof a);
}
END_TEST

static Suite *suite(void) {
    Suite *suite = suite_create("attempt");
    TCase *start = tcase_create("start");
    tcase_add_test(start, an_order_never_starts_in_its_right_order);
    tcase_add_test(start, the_same_shuffle_gives_the_same_places_and_another_gives_others);
    tcase_add_test(start, two_questions_of_a_sitting_are_not_shuffled_alike);
    TCase *verdicts = tcase_create("verdicts");
    tcase_add_test(verdicts, a_choice_is_the_place_with_the_focus);
    tcase_add_test(verdicts, a_thing_that_is_held_moves_along_and_the_others_make_room);
    tcase_add_test(verdicts, an_order_is_right_only_as_a_whole_and_shows_what_stands_in_its_place);
    tcase_add_loop_test(verdicts, a_number_is_judged_and_a_known_mistake_is_named, 0,
                        (int)(sizeof typed / sizeof typed[0]));
    tcase_add_test(verdicts, what_cannot_be_read_costs_nothing_and_says_so);
    tcase_add_test(verdicts, a_derivation_is_right_only_when_each_blank_is);
    tcase_add_test(verdicts, a_blank_that_cannot_be_read_has_the_focus_and_nothing_is_given_away);
    tcase_add_loop_test(verdicts, lines_before_the_first_blank_of_a_faded_example_are_given, 0, 6);
    tcase_add_loop_test(verdicts, a_recall_is_revealed_then_ticked_then_rated_by_its_ticks, 0, 6);
    TCase *turns = tcase_create("turns");
    tcase_add_test(turns, a_hint_makes_a_right_answer_hard_and_there_are_no_more_than_are_written);
    tcase_add_loop_test(turns, giving_up_is_wrong_and_can_be_rated_anew, 0, 5);
    tcase_add_loop_test(turns, a_call_out_of_turn_changes_nothing, 0, 5);
    suite_add_tcase(suite, start);
    suite_add_tcase(suite, verdicts);
    suite_add_tcase(suite, turns);
    return suite;
}

#include "support/check_main.h"
