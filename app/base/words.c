/* From a message to a sentence. The template comes from the book behind struct words (borrowed;
 * `store` keeps it), the arguments from the message; numbered placeholders let each language choose
 * its own order. Called by whoever shows a message. Nothing is owned. Plurals are left out:
 * sentences are worded so as not to need them. Proof: tests/unit/base/test_words.c. */
#include "shardlab/base/words.h"

#include <string.h>

const char *words_get(const struct words *words, const char *id) {
    if (id == NULL) {
        return "";
    }
    if (words->book == NULL || words->find == NULL) {
        return id;
    }
    const char *text = words->find(words->book, id);
    return text != NULL ? text : id;
}

static void write_arg(struct writer *w, const struct words *words, const struct message_arg *arg) {
    switch (arg->kind) {
    case MESSAGE_ARG_TEXT:
        writer_text(w, arg->text);
        return;
    case MESSAGE_ARG_COUNT:
        writer_u64_grouped(w, arg->count);
        return;
    case MESSAGE_ARG_PLAIN:
        writer_u64(w, arg->count);
        return;
    case MESSAGE_ARG_BYTES:
        units_write_bytes(w, arg->count, words->unit, 2);
        writer_char(w, ' ');
        writer_text(w, units_name(words->unit));
        return;
    case MESSAGE_ARG_REAL:
        writer_fixed(w, arg->real, 2);
        return;
    }
}

/* The argument that "{N}" at `open` names, or -1 when this is no placeholder of the message. */
static int placeholder_index(const char *open, const struct message *m) {
    if (open[1] < '0' || open[1] > '9' || open[2] != '}') {
        return -1;
    }
    int index = open[1] - '0';
    return index < m->arg_count ? index : -1;
}

void words_write(struct writer *w, const struct words *words, const struct message *m) {
    const char *rest = words_get(words, m->id);
    for (const char *open = strchr(rest, '{'); open != NULL; open = strchr(open, '{')) {
        int index = placeholder_index(open, m);
        if (index < 0) {
            open++;
            continue;
        }
        writer_text_n(w, rest, (size_t)(open - rest));
        write_arg(w, words, &m->args[index]);
        open += 3;
        rest = open;
    }
    writer_text(w, rest);
}
