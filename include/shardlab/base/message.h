/* A sentence without its words: a message id and typed arguments. Pure rooms speak in these; the words
 * (zh and en) come from assets/strings.json through base/words.h. A message is plain data, owns its
 * text (copied, cut with "…" when longer than MESSAGE_TEXT_MAX) and can be returned, stored, compared. */
#ifndef BASE_MESSAGE_H
#define BASE_MESSAGE_H

#include <stddef.h>
#include <stdint.h>

enum { MESSAGE_ARGS_MAX = 6, MESSAGE_TEXT_MAX = 192 };

enum message_arg_kind {
    MESSAGE_ARG_TEXT,  /* shown as it is, control characters replaced */
    MESSAGE_ARG_COUNT, /* exact whole number, digits grouped by commas: 6,738,415,616 */
    MESSAGE_ARG_PLAIN, /* exact whole number without grouping: 4096 */
    MESSAGE_ARG_BYTES, /* a size in the reader's unit: 13.48 GB */
    MESSAGE_ARG_REAL,  /* two decimals: 2.91 */
};

struct message_arg {
    enum message_arg_kind kind;
    uint64_t count;
    double real;
    char text[MESSAGE_TEXT_MAX];
};

struct message {
    const char *id; /* key in assets/strings.json, a literal; NULL: nothing to say */
    int arg_count;
    struct message_arg args[MESSAGE_ARGS_MAX];
};

/* Starts a message with no arguments. `id` is a literal that outlives the message. */
void message_start(struct message *m, const char *id);

/* Append one argument; beyond MESSAGE_ARGS_MAX they are a programmer's error (assert).
 * message_add_text copies; bytes that are not valid UTF-8 or are control characters become '?'. */
void message_add_text(struct message *m, const char *text);
void message_add_text_n(struct message *m, const char *text, size_t length);
void message_add_count(struct message *m, uint64_t count);
void message_add_plain(struct message *m, uint64_t count);
void message_add_bytes(struct message *m, uint64_t bytes);
void message_add_real(struct message *m, double real);

#endif
