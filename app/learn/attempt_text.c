/* An answer as one line: what the log keeps of an attempt, and what `quiz answer` is given. Words become places, ticks or
 * typed text of an attempt that was just started; nothing is judged here but giving up. Works in buffers of its own, owns
 * nothing. Leaves out a learner's own words to a recall. Proof: tests/unit/learn/test_attempt_text.c. */
#include <string.h>

#include "shardlab/base/units.h"
#include "shardlab/base/writer.h"
#include "shardlab/learn/attempt.h"

enum { LINE_MAX = QUESTION_PARTS_MAX * ATTEMPT_TYPED_MAX };

/* --- Writing ----------------------------------------------------------------------------------------------- */

static int place_at_start(const struct attempt *a, int part) {
    int place = 0;
    while (a->started[place] != part) {
        place++;
    }
    return place;
}

static void write_order(struct writer *w, const struct attempt *a) {
    for (int i = 0; i < a->question->part_count; i++) {
        writer_text(w, i > 0 ? " " : "");
        writer_char(w, (char)('A' + place_at_start(a, a->shown[i])));
    }
}

static void write_ticks(struct writer *w, const struct attempt *a) {
    const char *between = "";
    for (int i = 0; i < a->question->part_count; i++) {
        if (a->ticked[i]) {
            writer_text(w, between);
            writer_u64(w, (uint64_t)i + 1);
            between = " ";
        }
    }
    writer_text(w, between[0] == '\0' ? "0" : "");
}

static void write_typed(struct writer *w, const struct attempt *a) {
    int end = a->question->kind == QUESTION_DERIVE ? a->question->part_count : 1;
    for (int i = a->first_blank; i < end; i++) {
        writer_text(w, i > a->first_blank ? "; " : "");
        writer_text(w, a->typed[i]);
    }
}

void attempt_write(struct writer *w, const struct attempt *a) {
    if (a->given_up) {
        writer_char(w, '?');
        return;
    }
    switch (a->question->kind) {
    case QUESTION_CHOICE:
        writer_char(w, (char)('A' + (a->chosen < 0 ? a->mark : a->chosen)));
        break;
    case QUESTION_ORDER:
        write_order(w, a);
        break;
    case QUESTION_RECALL:
        write_ticks(w, a);
        break;
    default:
        write_typed(w, a);
        break;
    }
}

/* --- Reading ----------------------------------------------------------------------------------------------- */

static enum status refuse(struct message *why, const char *id, const char *line, int count) {
    message_start(why, id);
    message_add_text(why, line);
    message_add_plain(why, (uint64_t)count);
    return STATUS_USAGE;
}

/* The places that letters or digits name, in the order in which they stand. False: a sign that names none of `count`, or a
 * place twice. "0" alone names none. */
static bool read_places(const char *line, int count, int *places, int *named) {
    bool seen[QUESTION_PARTS_MAX] = {false};
    *named = 0;
    if (strcmp(line, "0") == 0) {
        return true;
    }
    for (; *line != '\0'; line++) {
        char c = *line;
        if (c == ' ' || c == ',') {
            continue;
        }
        int place = c >= '1' && c <= '9'   ? c - '1'
                    : c >= 'a' && c <= 'h' ? c - 'a'
                    : c >= 'A' && c <= 'H' ? c - 'A'
                                           : QUESTION_PARTS_MAX;
        if (place >= count || seen[place]) {
            return false;
        }
        seen[place] = true;
        places[(*named)++] = place;
    }
    return true;
}

static enum status read_choice(struct attempt *a, const char *line, struct message *why) {
    int places[QUESTION_PARTS_MAX], named = 0;
    if (!read_places(line, a->question->part_count, places, &named) || named != 1) {
        return refuse(why, "error.attempt.choice", line, a->question->part_count);
    }
    a->mark = places[0];
    return STATUS_OK;
}

static enum status read_order(struct attempt *a, const char *line, struct message *why) {
    int places[QUESTION_PARTS_MAX], named = 0;
    int count = a->question->part_count;
    if (!read_places(line, count, places, &named) || named != count) {
        return refuse(why, "error.attempt.order", line, count);
    }
    for (int i = 0; i < count; i++) {
        a->shown[i] = a->started[places[i]];
    }
    return STATUS_OK;
}

static enum status read_ticks(struct attempt *a, const char *line, struct message *why) {
    int places[QUESTION_PARTS_MAX], named = 0;
    if (!read_places(line, a->question->part_count, places, &named)) {
        return refuse(why, "error.attempt.ticks", line, a->question->part_count);
    }
    a->state = ATTEMPT_REVEALED;
    for (int i = 0; i < named; i++) {
        a->ticked[places[i]] = true;
    }
    return STATUS_OK;
}

/* A copy without blanks at its ends; false: too long to be an answer. */
static bool copy_trimmed(char out[ATTEMPT_TYPED_MAX], const char *from, size_t length) {
    while (length > 0 && *from == ' ') {
        from++;
        length--;
    }
    while (length > 0 && from[length - 1] == ' ') {
        length--;
    }
    if (length >= ATTEMPT_TYPED_MAX) {
        return false;
    }
    memcpy(out, from, length);
    out[length] = '\0';
    return true;
}

static bool split_line(const char *line, int blanks, char typed[][ATTEMPT_TYPED_MAX]) {
    int found = 0;
    for (;;) {
        size_t length = strcspn(line, ";");
        if (found == blanks || !copy_trimmed(typed[found++], line, length)) {
            return false;
        }
        line += length;
        if (*line == '\0') {
            return found == blanks;
        }
        line++;
    }
}

static enum status read_numbers(struct attempt *a, const char *line, struct message *why) {
    char typed[QUESTION_PARTS_MAX][ATTEMPT_TYPED_MAX] = {{0}};
    int end = a->question->kind == QUESTION_DERIVE ? a->question->part_count : 1;
    int blanks = end - a->first_blank;
    if (!split_line(line, blanks, typed)) {
        return refuse(why, "error.attempt.numbers", line, blanks);
    }
    memcpy(a->typed[a->first_blank], typed, (size_t)blanks * sizeof typed[0]);
    return STATUS_OK;
}

/* The words as one line, full-width forms folded; where no ";" parts the numbers of a derivation and there is a word for
 * each, every word is one. */
static bool join(const struct attempt *a, const char *const *words, int count, char *line) {
    char all[LINE_MAX];
    struct writer w;
    int blanks = a->question->part_count - a->first_blank;
    bool parted = a->question->kind == QUESTION_DERIVE && count == blanks;
    for (int i = 0; i < count; i++) {
        parted = parted && strchr(words[i], ';') == NULL && strstr(words[i], "；") == NULL;
    }
    writer_start(&w, all, sizeof all);
    for (int i = 0; i < count; i++) {
        writer_text(&w, i == 0 ? "" : parted ? ";" : " ");
        writer_text(&w, words[i]);
    }
    return !w.overflow && units_fold(all, line, LINE_MAX);
}

enum status attempt_read(struct attempt *a, const char *const *words, int count,
                         struct message *why) {
    char line[LINE_MAX];
    if (a->state == ATTEMPT_JUDGED) {
        message_start(why, "error.attempt.judged");
        return STATUS_USAGE;
    }
    if (!join(a, words, count, line)) {
        return refuse(why, "error.attempt.long", words[0], ATTEMPT_TYPED_MAX - 1);
    }
    if (line[strspn(line, " ")] == '\0') {
        message_start(why, "error.attempt.empty");
        return STATUS_USAGE;
    }
    if (strcmp(line, "?") == 0) {
        return attempt_give_up(a) ? STATUS_OK : STATUS_USAGE;
    }
    switch (a->question->kind) {
    case QUESTION_CHOICE:
        return read_choice(a, line, why);
    case QUESTION_ORDER:
        return read_order(a, line, why);
    case QUESTION_RECALL:
        return read_ticks(a, line, why);
    default:
        return read_numbers(a, line, why);
    }
}
