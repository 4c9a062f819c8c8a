/* The writing of single values that lessons name in their words and offer as choices of a guess. Appends to the caller's
 * writer or guess; owns nothing. A table of amounts writes its own. Proof: tests/unit/lessons/test_data_parallel.c. */
#include "value_private.h"

#include <assert.h>
#include <string.h>

#include "shardlab/base/units.h"

enum { DIGITS_MAX = 64, BYTES_DECIMALS = 2 };

void value_bytes(struct writer *w, uint64_t bytes) {
    const uint64_t mega = 1000000, kilo = 1000, few = 100 * mega;
    if (bytes >= few || bytes == 0) {
        units_write_bytes(w, bytes, UNIT_GB, BYTES_DECIMALS);
        writer_text(w, " GB");
        return;
    }
    bool small = bytes < mega;
    value_real(w, (double)bytes / (double)(small ? kilo : mega), 1);
    writer_text(w, small ? " KB" : " MB");
}

void value_real(struct writer *w, double value, int decimals) {
    char digits[DIGITS_MAX];
    struct writer trimmed;
    writer_start(&trimmed, digits, sizeof digits);
    writer_fixed(&trimmed, value, decimals);
    size_t length = trimmed.length;
    while (decimals > 0 && length > 0 && digits[length - 1] == '0') {
        length--;
    }
    if (decimals > 0 && length > 0 && digits[length - 1] == '.') {
        length--;
    }
    writer_text_n(w, digits, length);
}

void value_seconds(struct writer *w, double seconds) {
    const double milli = 1e-3, one = 1;
    double scale = seconds >= one ? 1 : seconds >= milli ? 1e3 : 1e6;
    double shown = seconds * scale;
    writer_fixed(w, shown, shown < 10 ? 2 : 1);
    writer_text(w, seconds >= one ? " s" : seconds >= milli ? " ms" : " µs");
}

bool value_find(const struct value_row *rows, size_t count, const struct lesson_input *in,
                const char *name, struct writer *w) {
    for (size_t i = 0; i < count; i++) {
        if (strcmp(rows[i].name, name) == 0) {
            if (!rows[i].write(in, rows[i].a, w)) {
                writer_text(w, "—");
            }
            return true;
        }
    }
    return false;
}

/* As the reader sees the argument: bytes that differ by less than the last digit read the same. */
static bool same_bytes(uint64_t a, uint64_t b, enum unit_system system) {
    char texts[2][DIGITS_MAX];
    struct writer w;
    writer_start(&w, texts[0], DIGITS_MAX);
    units_write_bytes(&w, a, system, BYTES_DECIMALS);
    writer_start(&w, texts[1], DIGITS_MAX);
    units_write_bytes(&w, b, system, BYTES_DECIMALS);
    return strcmp(texts[0], texts[1]) == 0;
}

static bool reads_same(const struct message *a, const struct message *b) {
    if (strcmp(a->id, b->id) != 0 || a->arg_count != b->arg_count) {
        return false;
    }
    if (a->arg_count == 0) {
        return true;
    }
    const struct message_arg *x = &a->args[0], *y = &b->args[0];
    if (x->kind == MESSAGE_ARG_BYTES) {
        return same_bytes(x->count, y->count, UNIT_GB) || same_bytes(x->count, y->count, UNIT_GIB);
    }
    return strcmp(x->text, y->text) == 0;
}

static void add_choice(struct lesson_guess *guess, const struct message *choice, const char *why,
                       bool right) {
    for (int i = 0; i < guess->choice_count; i++) {
        if (reads_same(&guess->choices[i], choice)) {
            if (right) {
                guess->right = i;
                message_start(&guess->why[i], why);
            }
            return;
        }
    }
    assert(guess->choice_count < LESSON_CHOICES_MAX);
    guess->right = right ? guess->choice_count : guess->right;
    message_start(&guess->why[guess->choice_count], why);
    guess->choices[guess->choice_count++] = *choice;
}

void value_choice_text(struct lesson_guess *guess, const char *id, const char *text,
                       const char *why, bool right) {
    struct message choice;
    message_start(&choice, id);
    if (text[0] != '\0') {
        message_add_text(&choice, text);
    }
    add_choice(guess, &choice, why, right);
}

void value_choice_bytes(struct lesson_guess *guess, const char *id, uint64_t bytes, const char *why,
                        bool right) {
    struct message choice;
    message_start(&choice, id);
    message_add_bytes(&choice, bytes);
    add_choice(guess, &choice, why, right);
}
