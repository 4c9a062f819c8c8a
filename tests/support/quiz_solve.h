/* Which keys answer the question that is in front of a learner: the same bank, log and day lead to the same sitting, so
 * its numbers and the order of its options can be found out from outside. For tests that answer through keys alone. */
#ifndef SUPPORT_QUIZ_SOLVE_H
#define SUPPORT_QUIZ_SOLVE_H

#include <check.h>

#include "shardlab/learn/sitting.h"
#include "shardlab/store/progress.h"
#include "shardlab/store/store.h"
#include "support/quiz_bank.h"

enum { SOLVE_QUESTIONS_MAX = 64, SOLVE_KEYS_MAX = 1024 };

struct solve {
    struct store *store;
    struct progress *log;
    const struct question *bank[SOLVE_QUESTIONS_MAX];
    struct card cards[SOLVE_QUESTIONS_MAX];
    int count;
    struct sitting sitting;
    struct attempt attempt; /* the question in front */
};

static struct history_input solve_input(const struct solve *s) {
    struct history_input in = {.questions = s->bank, .question_count = s->count};
    in.events = progress_events(s->log, &in.event_count);
    in.utc_s = bank_now.utc_s;
    in.offset_s = bank_now.offset_s;
    return in;
}

static void solve_open(struct solve *s, const char *log) {
    struct message why;
    memset(s, 0, sizeof *s);
    ck_assert_int_eq(store_open(&s->store, &why), STATUS_OK);
    ck_assert_int_eq(progress_open(log, &s->log, &why), STATUS_OK);
    for (int i = 0; i < lesson_count(); i++) {
        const struct question *questions = NULL;
        struct store_quiz quiz = {lesson_at(i)->folder, lesson_at(i)->id};
        int count = 0;
        ck_assert_int_eq(store_questions(s->store, &quiz, &questions, &count, &why), STATUS_OK);
        for (int k = 0; k < count && s->count < SOLVE_QUESTIONS_MAX; k++) {
            s->bank[s->count++] = &questions[k];
        }
    }
}

static void solve_close(struct solve *s) {
    progress_close(s->log);
    store_close(s->store);
}

/* The question in front, as it was asked; false: the sitting is over. */
static bool solve_look(struct solve *s) {
    struct message why;
    ck_assert_int_eq(progress_refresh(s->log, &why), STATUS_OK);
    struct history_input in = solve_input(s);
    sitting_today(&s->sitting, &in, s->cards, NULL);
    const struct sitting_card *card = sitting_now(&s->sitting);
    if (card == NULL) {
        return false;
    }
    const struct question *q = s->bank[card->question];
    const struct instance_entry *maker = lesson_maker_find(q->id);
    struct instance numbers;
    instance_start(&numbers, card->seed);
    if (maker != NULL) {
        ck_assert_int_eq(maker->make(card->seed, &numbers, &why), STATUS_OK);
    }
    attempt_start(&s->attempt, q, &numbers, s->sitting.id,
                  card_blanks(&s->cards[card->question], q->part_count));
    return true;
}

static void solve_press(struct writer *w, const char *key, int times) {
    for (int i = 0; i < times; i++) {
        writer_text(w, key);
        writer_char(w, ' ');
    }
}

static void solve_type(struct writer *w, const char *text) {
    for (; *text != '\0'; text++) {
        char key[2] = {*text, '\0'};
        solve_press(w, *text == ' ' ? "Space" : key, 1);
    }
}

static void solve_value(struct writer *w, const struct instance_key *key, double value) {
    char text[64];
    struct writer t;
    writer_start(&t, text, sizeof text);
    instance_value_write(&t, key->kind, key->unit, value);
    solve_type(w, text);
}

static void solve_order(struct writer *w, struct attempt *a) {
    for (int part = 0; part < a->question->part_count; part++) {
        int at = 0;
        while (a->shown[at] != part) {
            at++;
        }
        solve_press(w, at > a->mark ? "Down" : "Up", abs(at - a->mark));
        (void)attempt_mark(a, at);
        solve_press(w, "Space", 1);
        solve_press(w, "Up", at - part);
        (void)attempt_hold(a);
        (void)attempt_mark(a, part);
        (void)attempt_hold(a);
        solve_press(w, "Space", 1);
    }
}

/* Keys of a right answer, for drive_keys; the last one judges. */
static void solve_keys(struct solve *s, char out[SOLVE_KEYS_MAX]) {
    struct attempt *a = &s->attempt;
    struct writer w;
    writer_start(&w, out, SOLVE_KEYS_MAX);
    switch (a->question->kind) {
    case QUESTION_CHOICE:
        for (int i = 0; i < a->question->part_count; i++) {
            char key[2] = {(char)('a' + i), '\0'};
            solve_press(&w, key, a->question->parts[a->shown[i]].right ? 1 : 0);
        }
        break;
    case QUESTION_NUMBER:
        solve_value(&w, &a->numbers.keys[0], a->numbers.keys[0].right);
        break;
    case QUESTION_ORDER:
        solve_order(&w, a);
        break;
    case QUESTION_DERIVE:
        for (int i = a->first_blank; i < a->question->part_count; i++) {
            solve_press(&w, "Tab", i > a->first_blank ? 1 : 0);
            solve_value(&w, &a->numbers.keys[i], a->numbers.keys[i].right);
        }
        break;
    default:
        solve_press(&w, "Enter", 1);
        for (int i = 0; i < a->question->part_count; i++) {
            solve_press(&w, "Down", i > 0 ? 1 : 0);
            solve_press(&w, "Space", 1);
        }
        break;
    }
    solve_press(&w, "Enter", 1);
}

static int solve_events(struct solve *s, enum progress_kind kind) {
    struct message why;
    ck_assert_int_eq(progress_refresh(s->log, &why), STATUS_OK);
    struct history_input in = solve_input(s);
    int count = 0;
    for (int i = 0; i < in.event_count; i++) {
        count += in.events[i].kind == kind ? 1 : 0;
    }
    return count;
}

#endif
