/* What the files of this room share: the store itself, its arena, reading a file, places in a text,
 * and JSON trees on their way to records. cJSON stays inside this room. */
#ifndef STORE_STORE_PRIVATE_H
#define STORE_STORE_PRIVATE_H

#include <stddef.h>
#include <stdint.h>

#include "shardlab/base/utf8.h"
#include "shardlab/store/store.h"

enum {
    STORE_PATH_MAX = 4096,
    STORE_FILE_BYTES_MAX = 16 * 1024 * 1024,
};

/* Memory that is given back all at once. */
struct store_arena {
    struct store_arena_block *blocks;
};

/* Zeroed memory for anything; NULL when there is none. */
void *store_arena_alloc(struct store_arena *arena, size_t bytes);
/* A NUL-terminated copy of `length` bytes; NULL when there is no memory. */
char *store_arena_text(struct store_arena *arena, const char *text, size_t length);
void store_arena_free(struct store_arena *arena);

/* One id of assets/strings.json; text[0] is English, text[1] Chinese. */
struct store_string {
    const char *id;
    const char *text[2];
};

/* What struct words points to: the strings, sorted by id, and the language. */
struct store_book {
    const struct store_string *strings;
    int count;
    int language;
};

struct store_rows {
    const struct record *rows;
    int count;
    bool read;
};

/* A lesson that was parsed, so that switching languages to and fro costs no memory. */
struct store_lesson_kept {
    struct store_lesson_kept *next;
    const char *folder;
    bool chinese;
    const struct document *document;
};

/* The questions of a lesson that were read. */
struct store_quiz_kept {
    struct store_quiz_kept *next;
    const char *folder;
    const struct question *questions;
    int count;
};

struct store {
    struct store_arena arena;
    char assets[STORE_PATH_MAX];
    char lessons[STORE_PATH_MAX];
    struct store_book books[2];
    bool strings_read;
    struct store_rows models, gpus;
    struct store_lesson_kept *lessons_kept;
    struct store_quiz_kept *quizzes_kept;
    struct glossary glossary; /* count 0: not read yet */
};

/* A whole file. `bytes` has a NUL behind it and is freed by store_text_free. */
struct store_text {
    char *bytes;
    size_t length;
};

/* Reads a regular file of valid UTF-8 without NUL bytes; a byte order mark is dropped. `name`
 * stands in messages. Fails without waiting for pipes and devices. */
MUST_USE enum status store_text_read(const char *path, const char *name, struct store_text *out,
                                     struct message *why);
void store_text_free(struct store_text *text);

/* The same checks on a text in memory: STATUS_FAILED names the place of the first bad byte. */
MUST_USE enum status store_text_check(const char *name, const char *text, size_t length,
                                      struct message *why);

/* A place as people count: from 1, columns in characters. */
struct store_place {
    uint64_t line, column;
};

struct store_place store_place_at(const char *text, size_t length, size_t offset);

/* Starts `why` as "FILE:LINE:COLUMN: …"; more arguments may follow. Always STATUS_FAILED. */
enum status store_fail_at(struct message *why, const char *id, const char *name,
                          struct store_place place);
/* "FILE: …". Always STATUS_FAILED. */
enum status store_fail(struct message *why, const char *id, const char *name);
/* "FILE: KEY: …". Always STATUS_FAILED. */
enum status store_fail_entry(struct message *why, const char *id, const char *name,
                             const char *key);
enum status store_fail_memory(struct message *why);

struct cJSON;

/* A JSON text as a tree that the caller gives to cJSON_Delete. The root is an object. */
MUST_USE enum status store_json_parse(const char *name, const struct store_text *text,
                                      struct cJSON **out, struct message *why);
/* assets/FILE, parsed. */
MUST_USE enum status store_asset_parse(struct store *s, const char *file, struct cJSON **out,
                                       struct message *why);
/* An object of the tree as a record in the arena; false: no memory. */
MUST_USE bool store_json_record(struct store_arena *arena, const struct cJSON *object,
                                struct record *out);

#endif
