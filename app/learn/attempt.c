/* One question before a learner, as a small machine of three states: asked, (of a recall) revealed, judged. Keys of a
 * screen and words of a command line become the same calls, so that both ask, judge and rate alike. A call out of turn
 * changes nothing. The question is borrowed, its numbers are copied, text lies in the struct. Leaves out drawing, the clock
 * and the log; the line that goes into the log is written by attempt_text.c. Proof: tests/unit/learn/test_attempt.c. */
#include "shardlab/learn/attempt.h"

#include <assert.h>
#include <string.h>

#include "learn_private.h"

static bool has_places(const struct attempt *a) {
    return a->question->kind == QUESTION_CHOICE || a->question->kind == QUESTION_ORDER;
}

/* --- The start --------------------------------------------------------------------------------------------- */

static bool in_order(const int *places, int count) {
    for (int i = 0; i < count; i++) {
        if (places[i] != i) {
            return false;
        }
    }
    return true;
}

static void shuffle_places(struct attempt *a, uint64_t shuffle) {
    int count = a->question->part_count;
    bool leave_order = a->question->kind == QUESTION_ORDER && count > 1;
    /* Not alike for two questions of a sitting. */
    uint64_t dice = instance_dice(shuffle ^ learn_hash(a->question->id));
    do {
        for (int i = count - 1; i > 0; i--) {
            int j = instance_pick(&dice, i + 1);
            int part = a->shown[i];
            a->shown[i] = a->shown[j];
            a->shown[j] = part;
        }
    } while (leave_order && in_order(a->shown, count));
}

void attempt_start(struct attempt *a, const struct question *question,
                   const struct instance *numbers, uint64_t shuffle, int blanks) {
    memset(a, 0, sizeof *a);
    a->question = question;
    a->numbers = *numbers;
    a->chosen = -1;
    for (int i = 0; i < question->part_count; i++) {
        a->shown[i] = i;
    }
    if (has_places(a)) {
        shuffle_places(a, shuffle);
    }
    memcpy(a->started, a->shown, sizeof a->started);
    if (question->kind == QUESTION_DERIVE) {
        int lines = question->part_count;
        blanks = blanks < 1 ? 1 : blanks;
        a->first_blank = blanks < lines ? lines - blanks : 0;
        a->mark = a->first_blank;
    }
}

/* --- The focus --------------------------------------------------------------------------------------------- */

/* Whether anything has the focus now. */
static bool can_move(const struct attempt *a) {
    switch (a->question->kind) {
    case QUESTION_RECALL:
        return a->state == ATTEMPT_REVEALED;
    case QUESTION_CHOICE:
    case QUESTION_ORDER:
    case QUESTION_DERIVE:
        return a->state == ATTEMPT_ASKED;
    default:
        return false;
    }
}

/* The thing with the focus goes along; those between make room. */
static void carry(struct attempt *a, int to) {
    int part = a->shown[a->mark];
    int step = to > a->mark ? 1 : -1;
    for (int i = a->mark; i != to; i += step) {
        a->shown[i] = a->shown[i + step];
    }
    a->shown[to] = part;
}

bool attempt_mark(struct attempt *a, int place) {
    if (!can_move(a) || place < a->first_blank || place >= a->question->part_count) {
        return false;
    }
    if (a->held) {
        carry(a, place);
    }
    a->mark = place;
    return true;
}

bool attempt_move(struct attempt *a, int steps) {
    int last = a->question->part_count - 1;
    if (steps == 0 || !can_move(a)) {
        return false;
    }
    /* Compared before it is added, since a step may be any number. */
    int to = steps > last - a->mark             ? last
             : steps < a->first_blank - a->mark ? a->first_blank
                                                : a->mark + steps;
    return to != a->mark && attempt_mark(a, to);
}

bool attempt_hold(struct attempt *a) {
    if (a->question->kind != QUESTION_ORDER || a->state != ATTEMPT_ASKED) {
        return false;
    }
    a->held = !a->held;
    return true;
}

bool attempt_tick(struct attempt *a) {
    if (a->question->kind != QUESTION_RECALL || !can_move(a)) {
        return false;
    }
    a->ticked[a->mark] = !a->ticked[a->mark];
    return true;
}

bool attempt_hint(struct attempt *a) {
    if (a->state != ATTEMPT_ASKED || a->hints >= a->question->hint_count) {
        return false;
    }
    a->hints++;
    return true;
}

/* --- The verdict ------------------------------------------------------------------------------------------- */

static enum status judged(struct attempt *a, bool right) {
    a->state = ATTEMPT_JUDGED;
    a->held = false;
    a->right = right;
    a->rating = !right ? FSRS_AGAIN : a->hints > 0 ? FSRS_HARD : FSRS_GOOD;
    return STATUS_OK;
}

static enum status judge_choice(struct attempt *a) {
    a->chosen = a->mark;
    return judged(a, a->question->parts[a->shown[a->mark]].right);
}

static enum status judge_order(struct attempt *a) {
    for (int i = 0; i < a->question->part_count; i++) {
        a->part_right[i] = a->shown[i] == i;
    }
    return judged(a, in_order(a->shown, a->question->part_count));
}

static enum status judge_recall(struct attempt *a) {
    int ticks = 0;
    int facts = a->question->part_count;
    for (int i = 0; i < facts; i++) {
        ticks += a->ticked[i] ? 1 : 0;
    }
    (void)judged(a, 2 * ticks >= facts);
    if (a->right && ticks < facts) {
        a->rating = FSRS_HARD;
    }
    return STATUS_OK;
}

/* What is typed in one blank against its key. */
static bool judge_number(const struct instance_key *k, const struct answer_number *number,
                         const char **mistake) {
    struct answer_key key = {.kind = k->kind,
                             .right = k->right,
                             .tolerance = k->tolerance,
                             .paths = k->paths,
                             .path_count = k->path_count};
    return answer_judge(&key, number, mistake) == ANSWER_RIGHT;
}

/* All are read before the first is judged, so that nothing is given away where one cannot be read. */
static enum status judge_numbers(struct attempt *a, int count, struct message *why) {
    struct answer_number numbers[QUESTION_PARTS_MAX];
    assert(count <= a->numbers.key_count && count <= QUESTION_PARTS_MAX);
    for (int i = a->first_blank; i < count; i++) {
        const struct instance_key *key = &a->numbers.keys[i];
        enum status status = answer_read(a->typed[i], key->kind, key->unit, &numbers[i], why);
        if (status != STATUS_OK) {
            a->mark = i;
            return status;
        }
    }
    bool all = true;
    for (int i = 0; i < count; i++) {
        const char *mistake = NULL;
        a->part_right[i] =
            i < a->first_blank || judge_number(&a->numbers.keys[i], &numbers[i], &mistake);
        a->mistake = a->mistake == NULL ? mistake : a->mistake;
        all = all && a->part_right[i];
    }
    return judged(a, all);
}

enum status attempt_commit(struct attempt *a, struct message *why) {
    if (a->state == ATTEMPT_JUDGED) {
        message_start(why, "error.attempt.judged");
        return STATUS_USAGE;
    }
    switch (a->question->kind) {
    case QUESTION_CHOICE:
        return judge_choice(a);
    case QUESTION_ORDER:
        return judge_order(a);
    case QUESTION_NUMBER:
        return judge_numbers(a, 1, why);
    case QUESTION_DERIVE:
        return judge_numbers(a, a->question->part_count, why);
    default:
        break;
    }
    if (a->state == ATTEMPT_REVEALED) {
        return judge_recall(a);
    }
    a->state = ATTEMPT_REVEALED;
    return STATUS_OK;
}

bool attempt_give_up(struct attempt *a) {
    if (a->state == ATTEMPT_JUDGED) {
        return false;
    }
    a->given_up = true;
    (void)judged(a, false);
    for (int i = 0; i < a->first_blank; i++) {
        a->part_right[i] = true;
    }
    return true;
}

bool attempt_rate(struct attempt *a, enum fsrs_rating rating) {
    if (a->state != ATTEMPT_JUDGED || rating < FSRS_AGAIN || rating > FSRS_EASY) {
        return false;
    }
    a->rating = rating;
    return true;
}

void attempt_ask_again(struct attempt *a) {
    a->state = ATTEMPT_ASKED;
    a->chosen = -1;
    a->held = false;
    a->right = false;
    a->given_up = false;
    a->mistake = NULL;
    a->rating = (enum fsrs_rating)0;
    memset(a->part_right, 0, sizeof a->part_right);
}
