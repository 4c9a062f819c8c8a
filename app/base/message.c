/* A sentence without its words. Pure rooms report what they found as a message id and arguments;
 * whoever shows it (a screen, stderr, JSON) has the words in the reader's language. This file only
 * fills the struct. Text arguments often quote what a person typed or a file contained, so they are
 * made harmless on the way in: no control character and no invalid UTF-8 gets to a terminal. The
 * struct owns everything but the id. Writing the sentence is words.c. Proof:
 * tests/unit/base/test_message.c. */
#include "shardlab/base/message.h"

#include <assert.h>
#include <stdbool.h>
#include <string.h>

#include "shardlab/base/utf8.h"

static const char ellipsis[] = "…";

void message_start(struct message *m, const char *id) {
    /* All bytes, so that equal messages are equal byte for byte. */
    memset(m, 0, sizeof *m);
    m->id = id;
}

static struct message_arg *message_arg_take(struct message *m, enum message_arg_kind kind) {
    assert(m->arg_count < MESSAGE_ARGS_MAX);
    struct message_arg *arg = &m->args[m->arg_count++];
    arg->kind = kind;
    return arg;
}

static bool is_control(uint32_t code_point) {
    return code_point < 0x20 || (code_point >= 0x7F && code_point <= 0x9F);
}

void message_add_text_n(struct message *m, const char *text, size_t length) {
    struct message_arg *arg = message_arg_take(m, MESSAGE_ARG_TEXT);
    const size_t room = sizeof arg->text - 1;
    size_t used = 0;
    size_t cut = 0; /* end of the longest prefix that leaves room for the ellipsis */
    for (size_t at = 0; at < length;) {
        uint32_t code_point = 0;
        size_t taken = utf8_decode(text + at, length - at, &code_point);
        bool shown = taken > 0 && !is_control(code_point);
        size_t needed = shown ? taken : 1;
        if (used + needed > room) {
            memset(arg->text + cut, 0, sizeof arg->text - cut);
            memcpy(arg->text + cut, ellipsis, sizeof ellipsis);
            return;
        }
        memcpy(arg->text + used, shown ? text + at : "?", needed);
        used += needed;
        at += taken > 0 ? taken : 1;
        if (used + sizeof ellipsis - 1 <= room) {
            cut = used;
        }
    }
}

void message_add_text(struct message *m, const char *text) {
    message_add_text_n(m, text, strlen(text));
}

void message_add_count(struct message *m, uint64_t count) {
    message_arg_take(m, MESSAGE_ARG_COUNT)->count = count;
}

void message_add_plain(struct message *m, uint64_t count) {
    message_arg_take(m, MESSAGE_ARG_PLAIN)->count = count;
}

void message_add_bytes(struct message *m, uint64_t bytes) {
    message_arg_take(m, MESSAGE_ARG_BYTES)->count = bytes;
}

void message_add_real(struct message *m, double real) {
    message_arg_take(m, MESSAGE_ARG_REAL)->real = real;
}
