/* Weeks of learners who answer, miss, rate anew, put off, suspend, take back, and whose program is killed at any moment:
 * whatever they do, no two of a family are asked on a day, no more than the budget, every due card once, and a sitting that
 * is read out of the log is the one that was broken off. */
#include "shardlab/learn/sitting.h"

#include "support/mangle.h"
#include "support/rounds.h"
#include "support/sample_log.h"

enum { QUESTIONS = 36, DAYS = 25 };

static uint64_t dice;
static int64_t today;
static struct sitting live, resumed;
static struct card cards[LOG_QUESTIONS], at_dawn[LOG_QUESTIONS];
static int budget, new_cards;

static int below(int count) {
    return (int)(mangle_random(&dice) % (uint32_t)count);
}

static void open_sitting(struct sitting *s) {
    struct history_input in = sample_input(today);
    sitting_today(s, &in, cards, NULL);
}

/* --- What must hold ---------------------------------------------------------------------------------------- */

/* Of a day that is over or not. */
static void expect_budgets_and_families(void) {
    struct history_input in = sample_input(today);
    int answered = 0, new_answered = 0;
    history_cards(&in, cards);
    for (int i = 0; i < QUESTIONS; i++) {
        answered += cards[i].answered_today ? 1 : 0;
        new_answered += cards[i].new_today ? 1 : 0;
        const char *family = sample.questions[i].family;
        for (int j = 0; j < i && family != NULL && cards[i].answered_today; j++) {
            ck_assert_msg(!cards[j].answered_today || sample.questions[j].family == NULL ||
                              strcmp(sample.questions[j].family, family) != 0,
                          "day %d: q%d and q%d are of one family", (int)today, i, j);
        }
    }
    ck_assert_int_le(new_answered, new_cards);
    ck_assert(budget == 0 || answered <= budget);
}

static bool is_queued(const struct sitting *s, int question) {
    for (int i = 0; i < s->count; i++) {
        if (s->queue[i].question == question) {
            return true;
        }
    }
    return false;
}

static bool family_is_queued(const struct sitting *s, int question) {
    const char *family = sample.questions[question].family;
    for (int i = 0; i < QUESTIONS && family != NULL; i++) {
        const char *other = sample.questions[i].family;
        if (i != question && other != NULL && strcmp(other, family) == 0 && is_queued(s, i)) {
            return true;
        }
    }
    return false;
}

/* Of a sitting at the dawn of a day: a due card is asked unless its family is, or the budget is spent on due cards. */
static void expect_every_due_card(const struct sitting *s) {
    int due_queued = 0;
    for (int i = 0; i < s->count; i++) {
        due_queued += at_dawn[s->queue[i].question].reviews > 0 ? 1 : 0;
    }
    for (int i = 0; i < QUESTIONS; i++) {
        bool due = at_dawn[i].reviews > 0 && at_dawn[i].due_day <= day_zero + today &&
                   !at_dawn[i].suspended && !at_dawn[i].skipped_today;
        ck_assert(!due || is_queued(s, i) || family_is_queued(s, i) ||
                  (budget > 0 && due_queued == budget));
        ck_assert(due || at_dawn[i].reviews == 0 || !is_queued(s, i));
    }
}

static void expect_no_question_twice_ahead(const struct sitting *s) {
    for (int i = s->at; i < s->count; i++) {
        for (int j = s->at; j < i; j++) {
            ck_assert_int_ne(s->queue[i].question, s->queue[j].question);
        }
    }
}

static const struct sitting_done *last_done(const struct sitting *s, int ago) {
    return &s->done[(s->done_next + 2 * SITTING_UNDO_MAX - 1 - ago) % SITTING_UNDO_MAX];
}

/* The program was killed and is started anew. */
static void expect_resumed(void) {
    open_sitting(&resumed);
    if (sitting_now(&live) == NULL) {
        return; /* the next one may have begun */
    }
    ck_assert_int_eq(resumed.id == live.id, 1);
    ck_assert_int_eq(resumed.at, live.at);
    ck_assert_int_eq(resumed.count, live.count);
    ck_assert_int_eq(resumed.answered, live.answered);
    ck_assert_int_eq(resumed.right, live.right);
    for (int i = 0; i < live.count; i++) {
        ck_assert_int_eq(resumed.queue[i].question, live.queue[i].question);
        ck_assert(resumed.queue[i].seed == live.queue[i].seed);
        ck_assert_int_eq(resumed.queue[i].again, live.queue[i].again);
    }
    ck_assert_int_ge(resumed.done_count, live.done_count);
    for (int i = 0; i < live.done_count; i++) {
        ck_assert_int_eq(last_done(&resumed, i)->event, last_done(&live, i)->event);
        ck_assert_int_eq(last_done(&resumed, i)->rating, last_done(&live, i)->rating);
    }
}

/* --- What learners do -------------------------------------------------------------------------------------- */

static void answer(void) {
    static struct attempt a;
    const struct sitting_card card = *sitting_now(&live);
    memset(&a, 0, sizeof a);
    a.question = sample.list[card.question];
    a.state = ATTEMPT_JUDGED;
    a.rating = (enum fsrs_rating)(1 + below(4));
    struct progress_event *event = sample_answer(card.question, today, (int)a.rating);
    event->seed = card.seed;
    event->sitting = live.id;
    a.right = event->right;
    if (below(6) == 0) {
        a.rating = (enum fsrs_rating)(1 + below(4));
        struct progress_event *rating = sample_about(PROGRESS_RATING, event, (int)a.rating);
        rating->sitting = live.id;
    }
    int at = live.at;
    sitting_take(&live, &a, event->id);
    int again = last_done(&live, 0)->requeued_at;
    ck_assert_int_eq(again >= 0, a.rating == FSRS_AGAIN);
    if (again >= 0) {
        ck_assert(again <= at + 8 && (again >= at + 3 || again == live.count - 1));
        ck_assert_int_eq(live.queue[again].question, card.question);
    }
}

static void take_back(void) {
    static struct attempt a;
    int64_t event = 0;
    if (!sitting_undo(&live, &event, &a)) {
        return;
    }
    for (int i = 0; i < sample.count; i++) {
        if (sample.events[i].id == event) {
            sample_about(PROGRESS_UNDO, &sample.events[i], 0)->sitting = live.id;
            break;
        }
    }
    ck_assert_int_eq(a.question == NULL || a.state == ATTEMPT_ASKED, 1);
}

static void put_off(bool for_ever) {
    const char *id = sample.ids[sitting_now(&live)->question];
    struct progress_event *event =
        sample_add(for_ever ? PROGRESS_SUSPEND : PROGRESS_SKIP, id, today);
    event->rating = for_ever ? 1 : 0;
    event->sitting = live.id;
    sitting_skip(&live);
}

/* One key. */
static void act(void) {
    int n = below(20);
    if (n == 0) {
        take_back();
    } else if (n == 1) {
        put_off(below(5) == 0);
    } else if (n == 2) { /* answered elsewhere; the screen sees it when it is opened again */
        (void)sample_add(PROGRESS_GUESS, "guess.zero#1", today);
    } else {
        answer();
    }
    expect_no_question_twice_ahead(&live);
    if (below(4) == 0) {
        expect_resumed();
        if (below(2) == 0) {
            live = resumed;
        }
    }
}

static void live_a_day(void) {
    struct history_input in = sample_input(today);
    history_cards(&in, at_dawn);
    open_sitting(&live);
    expect_every_due_card(&live);
    for (int keys = 10 + below(60); keys > 0 && sample.count < LOG_MAX - 200; keys--) {
        if (sitting_now(&live) == NULL) {
            if (below(3) == 0) {
                take_back(); /* from the summary */
            }
            open_sitting(&live);
            if (sitting_now(&live) == NULL) {
                break;
            }
        }
        act();
        expect_budgets_and_families();
    }
}

static void begin_life(void) {
    static const int budgets[] = {0, 3, 7, 20};
    static char family[8][16];
    char text[16];
    sample_start(QUESTIONS, below(2) == 0);
    sample.offset_s = (below(25) - 12) * 3600;
    for (int i = 0; i < 8; i++) {
        (void)snprintf(family[i], sizeof family[i], "f%d", i);
    }
    for (int i = 0; i < QUESTIONS; i++) {
        sample.questions[i].family = below(2) == 0 ? family[below(8)] : NULL;
    }
    budget = budgets[below(4)];
    new_cards = below(10);
    (void)snprintf(text, sizeof text, "%d", budget);
    sample_setting("budget-cards", text);
    (void)snprintf(text, sizeof text, "%d", new_cards);
    sample_setting("new-cards", text);
    if (below(2) == 0) {
        sample_setting("interview", "2024-10-24"); /* day 20 */
    }
}

START_TEST(whatever_a_learner_does_a_day_keeps_its_rules) {
    int rounds = test_rounds_slow(60, 400);
    for (int round = 0; round < rounds; round++) {
        dice = 1000 + (uint64_t)round;
        begin_life();
        for (today = 0; today < DAYS && sample.count < LOG_MAX - 300; today += 1 + below(3)) {
            live_a_day();
        }
    }
}
END_TEST

/* The fewest neighbours of one lesson that any order has: those of the most frequent that no other parts. */
START_TEST(no_order_has_fewer_neighbours_of_one_lesson) {
    for (uint64_t round = 1; round <= 300; round++) {
        int of_lesson[LOG_LESSONS] = {0}, most = 0, neighbours = 0;
        dice = round;
        sample_start(24, false);
        for (int i = 0; i < 24; i++) {
            int lesson = below(1 + below(LOG_LESSONS));
            sample.questions[i].lesson = sample_lessons[lesson];
            (void)sample_answer(i, 0, 3);
            of_lesson[lesson]++;
        }
        sample_setting("budget-cards", "0");
        struct history_input in = sample_input(4);
        history_cards(&in, cards);
        sitting_start(&live, &in, cards, NULL, round);
        ck_assert_int_eq(live.count, 24);
        for (int i = 0; i < LOG_LESSONS; i++) {
            most = of_lesson[i] > most ? of_lesson[i] : most;
        }
        for (int i = 1; i < 24; i++) {
            neighbours += strcmp(sample.questions[live.queue[i].question].lesson,
                                 sample.questions[live.queue[i - 1].question].lesson) == 0
                              ? 1
                              : 0;
        }
        ck_assert_int_eq(neighbours, 2 * most - 24 - 1 > 0 ? 2 * most - 24 - 1 : 0);
    }
}
END_TEST

START_TEST(two_programs_with_one_sitting_open_end_in_one_sitting) {
    today = 0;
    sample_start(8, false);
    open_sitting(&live);
    resumed = live;
    static const int order[] = {4, 0, 7}; /* answered by the other one, who skipped about */
    for (int i = 0; i < 3; i++) {
        sample_answer(order[i], 0, 3)->sitting = live.id;
    }
    sample_add(PROGRESS_SKIP, "q2", 0)->sitting = 0; /* put off on its lesson's page */
    (void)sample_answer(5, 0, 1);                    /* by `quiz answer`, in no sitting */
    open_sitting(&resumed);
    static const int wanted[] = {4, 0, 7, 1, 3, 6};
    ck_assert_int_eq(resumed.at, 3);
    ck_assert_int_eq(resumed.count, 6);
    for (int i = 0; i < 6; i++) {
        ck_assert_int_eq(resumed.queue[i].question, wanted[i]);
    }
}
END_TEST

START_TEST(a_follow_up_that_was_asked_for_is_gone_through_again) {
    static struct attempt a;
    int64_t event = 0;
    today = 0;
    sample_start(12, false);
    open_sitting(&live); /* 0 … 7 */
    sample_answer(0, 0, 3)->sitting = live.id;
    struct progress_event *follow_up = sample_answer(10, 0, 1);
    follow_up->sitting = live.id;
    follow_up->seed = 4711;
    open_sitting(&live);
    ck_assert_int_eq(live.at, 2);
    ck_assert_int_eq(live.count, 10); /* and it comes again */
    ck_assert_int_eq(live.queue[1].question, 10);
    ck_assert(live.queue[1].seed == 4711);
    ck_assert_int_eq(sitting_now(&live)->question, 1);
    ck_assert(sitting_undo(&live, &event, &a));
    ck_assert_int_eq(event, follow_up->id);
    ck_assert_int_eq(live.count, 9);
}
END_TEST

START_TEST(what_another_sitting_used_up_is_not_asked_when_this_one_goes_on) {
    today = 0;
    sample_start(30, false);
    sample.questions[4].family = sample.questions[20].family = "bytes";
    sample_setting("budget-cards", "9");
    sample_setting("new-cards", "6");
    open_sitting(&live); /* 0 … 5 */
    sample_answer(0, 0, 3)->sitting = live.id;
    open_sitting(&live);
    ck_assert_int_eq(live.count, 6);
    (void)sample_answer(20, 0, 3);
    open_sitting(&live); /* 4 is of its family; five of six new ones are left */
    ck_assert_int_eq(live.count, 5);
    ck_assert_int_eq(live.queue[4].question, 5);
    (void)sample_answer(21, 0, 3);
    (void)sample_answer(22, 0, 3);
    open_sitting(&live);
    ck_assert_int_eq(live.count - live.at, 2); /* four were new today */
    sample_setting("budget-cards", "5");
    open_sitting(&live);
    ck_assert_int_eq(live.count - live.at, 1);
}
END_TEST

START_TEST(a_sitting_that_is_over_stays_until_there_is_more_to_ask) {
    static struct attempt a;
    int64_t event = 0;
    today = 0;
    dice = 3;
    sample_start(3, false);
    sample_setting("new-cards", "2");
    open_sitting(&live);
    uint64_t id = live.id;
    for (int i = 0; i < 2; i++) {
        sample_answer(i, 0, 3)->sitting = id;
    }
    open_sitting(&live);
    ck_assert(live.id == id);
    ck_assert_ptr_null(sitting_now(&live));
    ck_assert(sitting_undo(&live, &event, &a)); /* from its summary, after a restart */
    ck_assert_int_eq(event, sample.events[2].id);
    ck_assert_ptr_null(a.question);
    ck_assert_int_eq(sitting_now(&live)->question, 1);
    sample_setting("new-cards", "3");
    open_sitting(&live);
    ck_assert(live.id != id);
    ck_assert_int_eq(live.count, 1);
    ck_assert_int_eq(live.queue[0].question, 2);
    today = 1; /* another day, another sitting */
    open_sitting(&live);
    ck_assert(live.id != id);
}
END_TEST

static Suite *suite(void) {
    Suite *suite = suite_create("sitting_random");
    TCase *tests = tcase_create("sitting_random");
    tcase_set_timeout(tests, 600);
    tcase_add_test(tests, whatever_a_learner_does_a_day_keeps_its_rules);
    tcase_add_test(tests, no_order_has_fewer_neighbours_of_one_lesson);
    tcase_add_test(tests, two_programs_with_one_sitting_open_end_in_one_sitting);
    tcase_add_test(tests, a_follow_up_that_was_asked_for_is_gone_through_again);
    tcase_add_test(tests, what_another_sitting_used_up_is_not_asked_when_this_one_goes_on);
    tcase_add_test(tests, a_sitting_that_is_over_stays_until_there_is_more_to_ask);
    suite_add_tcase(suite, tests);
    return suite;
}

#include "support/check_main.h"
