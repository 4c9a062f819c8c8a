/* Reading a file that may be anything: a preset, a lesson, or whatever a person named after
 * --config. Folders, pipes and devices are refused without waiting on them, sizes are bounded while
 * reading (the size that a file system tells may be stale or zero), and the rest of the program
 * gets only valid UTF-8 without NUL bytes. The text belongs to the caller until store_text_free.
 * What the text means is json.c and markdown.c. Proof: tests/unit/store/test_json_file.c. */
#define _POSIX_C_SOURCE 200809L

#include "store_private.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { READ_BYTES = 64 * 1024 };

enum status store_fail(struct message *why, const char *id, const char *name) {
    message_start(why, id);
    message_add_text(why, name);
    return STATUS_FAILED;
}

enum status store_fail_entry(struct message *why, const char *id, const char *file,
                             const char *key) {
    (void)store_fail(why, id, file);
    message_add_text(why, key);
    return STATUS_FAILED;
}

enum status store_fail_at(struct message *why, const char *id, const char *name,
                          struct store_place place) {
    message_start(why, id);
    message_add_text(why, name);
    message_add_plain(why, place.line);
    message_add_plain(why, place.column);
    return STATUS_FAILED;
}

enum status store_fail_memory(struct message *why) {
    message_start(why, "error.memory");
    return STATUS_FAILED;
}

struct store_place store_place_at(const char *text, size_t length, size_t offset) {
    struct store_place place = {1, 1};
    for (size_t at = 0; at < offset && at < length;) {
        uint32_t code_point = 0;
        size_t bytes = utf8_decode(text + at, length - at, &code_point);
        if (bytes == 1 && code_point == '\n') {
            place.line++;
            place.column = 1;
        } else {
            place.column++;
        }
        at += bytes > 0 ? bytes : 1;
    }
    return place;
}

enum status store_text_check(const char *name, const char *text, size_t length,
                             struct message *why) {
    for (size_t at = 0; at < length;) {
        uint32_t code_point = 0;
        size_t bytes = utf8_decode(text + at, length - at, &code_point);
        if (bytes == 0 || code_point == 0) {
            return store_fail_at(why, bytes == 0 ? "error.text.utf8" : "error.text.nul", name,
                                 store_place_at(text, length, at));
        }
        at += bytes;
    }
    return STATUS_OK;
}

static enum status fail_errno(struct message *why, const char *name, int error) {
    switch (error) {
    case ENOENT:
    case ENOTDIR:
        return store_fail(why, "error.file.missing", name);
    case EACCES:
    case EPERM:
        return store_fail(why, "error.file.permission", name);
    default:
        (void)store_fail(why, "error.file.read", name);
        message_add_plain(why, (uint64_t)error);
        return STATUS_FAILED;
    }
}

static enum status fail_large(struct message *why, const char *name) {
    (void)store_fail(why, "error.file.large", name);
    message_add_count(why, STORE_FILE_BYTES_MAX);
    return STATUS_FAILED;
}

/* Reads to the end of the file; out->bytes is the caller's to free also when this fails. */
static enum status read_all(int file, const char *name, struct store_text *out,
                            struct message *why) {
    size_t capacity = 0;
    for (;;) {
        if (capacity - out->length < READ_BYTES + 1) {
            capacity = capacity * 2 + READ_BYTES + 1;
            char *grown = realloc(out->bytes, capacity);
            if (grown == NULL) {
                return store_fail_memory(why);
            }
            out->bytes = grown;
        }
        ssize_t got = read(file, out->bytes + out->length, READ_BYTES);
        if (got < 0 && errno == EINTR) {
            continue;
        }
        if (got < 0) {
            return fail_errno(why, name, errno);
        }
        out->length += (size_t)got;
        if (out->length > STORE_FILE_BYTES_MAX) {
            return fail_large(why, name);
        }
        if (got == 0) {
            out->bytes[out->length] = '\0';
            return STATUS_OK;
        }
    }
}

static enum status read_regular(int file, const char *name, struct store_text *out,
                                struct message *why) {
    struct stat info;
    if (fstat(file, &info) != 0) {
        return fail_errno(why, name, errno);
    }
    if (S_ISDIR(info.st_mode)) {
        return store_fail(why, "error.file.folder", name);
    }
    if (!S_ISREG(info.st_mode)) {
        return store_fail(why, "error.file.special", name);
    }
    return read_all(file, name, out, why);
}

static void drop_byte_order_mark(struct store_text *text) {
    static const char mark[] = "\xEF\xBB\xBF";
    const size_t bytes = sizeof mark - 1;
    if (text->length >= bytes && memcmp(text->bytes, mark, bytes) == 0) {
        text->length -= bytes;
        memmove(text->bytes, text->bytes + bytes, text->length + 1);
    }
}

enum status store_text_read(const char *path, const char *name, struct store_text *out,
                            struct message *why) {
    *out = (struct store_text){0};
    /* Without O_NONBLOCK, opening a pipe that nobody writes to would wait for ever. */
    int file = open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    if (file < 0) {
        return fail_errno(why, name, errno);
    }
    enum status status = read_regular(file, name, out, why);
    (void)close(file);
    if (status == STATUS_OK) {
        drop_byte_order_mark(out);
        status = out->length == 0 ? store_fail(why, "error.file.empty", name)
                                  : store_text_check(name, out->bytes, out->length, why);
    }
    if (status != STATUS_OK) {
        store_text_free(out);
    }
    return status;
}

void store_text_free(struct store_text *text) {
    free(text->bytes);
    *text = (struct store_text){0};
}
