/* Where the program's files are, and the store that keeps what was read of them. A program may run
 * from its build tree, from where it was installed, or from a prefix that was moved, so folders are
 * looked for in this order: SHARDLAB_DATA in the environment (alone, when it is set),
 * share/shardlab beside the bin folder that holds the program, the source tree it was built from,
 * the prefix it was configured for. Nothing is read until it is asked for; everything read is owned
 * by the store. Proof: tests/unit/store/test_store.c. */
#define _POSIX_C_SOURCE 200809L

#include "store_private.h"

#include <cjson/cJSON.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static bool is_folder(const char *path) {
    struct stat info;
    return stat(path, &info) == 0 && S_ISDIR(info.st_mode);
}

static bool path_set(char out[STORE_PATH_MAX], const char *folder, const char *below) {
    int length = snprintf(out, STORE_PATH_MAX, "%s%s", folder, below);
    return length >= 0 && length < STORE_PATH_MAX;
}

/* Takes data/assets and data/lessons when the first exists. */
static bool data_take(struct store *s, const char *data) {
    return path_set(s->assets, data, "/assets") && path_set(s->lessons, data, "/lessons") &&
           is_folder(s->assets);
}

/* PREFIX/share/shardlab when the running program is PREFIX/bin/…. */
static bool prefix_take(struct store *s) {
    char path[STORE_PATH_MAX];
    ssize_t length = readlink("/proc/self/exe", path, sizeof path - 1);
    if (length <= 0) {
        return false;
    }
    path[length] = '\0';
    char *slash = strrchr(path, '/');
    if (slash == NULL) {
        return false;
    }
    *slash = '\0';
    char *folder = strrchr(path, '/');
    if (folder == NULL || strcmp(folder, "/bin") != 0) {
        return false;
    }
    *folder = '\0';
    char data[STORE_PATH_MAX];
    return path_set(data, path, "/share/shardlab") && data_take(s, data);
}

static bool build_take(struct store *s) {
    return path_set(s->assets, SHARDLAB_ASSETS_BUILD, "") &&
           path_set(s->lessons, SHARDLAB_LESSONS_BUILD, "") && is_folder(s->assets);
}

static bool folders_find(struct store *s, const char **looked_for) {
    const char *given = getenv("SHARDLAB_DATA");
    if (given != NULL && given[0] != '\0') {
        *looked_for = given;
        return data_take(s, given);
    }
    *looked_for = SHARDLAB_DATA_INSTALLED;
    return prefix_take(s) || build_take(s) || data_take(s, SHARDLAB_DATA_INSTALLED);
}

enum status store_open(struct store **out, struct message *why) {
    struct store *s = calloc(1, sizeof *s);
    if (s == NULL) {
        return store_fail_memory(why);
    }
    const char *looked_for = NULL;
    if (!folders_find(s, &looked_for)) {
        store_close(s);
        return store_fail(why, "error.data.missing", looked_for);
    }
    *out = s;
    return STATUS_OK;
}

void store_close(struct store *s) {
    if (s != NULL) {
        store_arena_free(&s->arena);
        free(s);
    }
}

enum status store_asset_parse(struct store *s, const char *file, cJSON **out, struct message *why) {
    char path[STORE_PATH_MAX];
    int length = snprintf(path, sizeof path, "%s/%s", s->assets, file);
    if (length < 0 || length >= STORE_PATH_MAX) {
        return store_fail(why, "error.file.missing", file);
    }
    struct store_text text;
    enum status status = store_text_read(path, path, &text, why);
    if (status == STATUS_OK) {
        status = store_json_parse(path, &text, out, why);
        store_text_free(&text);
    }
    return status;
}

enum status store_json_file(struct store *s, const char *path, const struct record **out,
                            struct message *why) {
    struct store_text text;
    enum status status = store_text_read(path, path, &text, why);
    if (status != STATUS_OK) {
        return status;
    }
    cJSON *root = NULL;
    status = store_json_parse(path, &text, &root, why);
    store_text_free(&text);
    if (status != STATUS_OK) {
        return status;
    }
    struct record *record = store_arena_alloc(&s->arena, sizeof *record);
    bool done = record != NULL && store_json_record(&s->arena, root, record);
    cJSON_Delete(root);
    if (!done) {
        return store_fail_memory(why);
    }
    *out = record;
    return STATUS_OK;
}

enum status store_text_file(struct store *s, const char *path, const char **out,
                            struct message *why) {
    struct store_text text;
    enum status status = store_text_read(path, path, &text, why);
    if (status != STATUS_OK) {
        return status;
    }
    *out = store_arena_text(&s->arena, text.bytes, text.length);
    store_text_free(&text);
    return *out != NULL ? STATUS_OK : store_fail_memory(why);
}

enum status store_markdown_file(struct store *s, const char *path, const struct document **out,
                                struct message *why) {
    struct store_text text;
    enum status status = store_text_read(path, path, &text, why);
    if (status != STATUS_OK) {
        return status;
    }
    const struct store_markdown_source source = {path, text.bytes, text.length};
    status = store_markdown(s, &source, out, why);
    store_text_free(&text);
    return status;
}

static enum status lesson_read(struct store *s, const char *folder, bool chinese,
                               const struct document **out, struct message *why) {
    char path[STORE_PATH_MAX];
    char below[STORE_PATH_MAX];
    int length = snprintf(below, sizeof below, "/%s/%s.md", folder, chinese ? "zh" : "en");
    if (length < 0 || length >= STORE_PATH_MAX || !path_set(path, s->lessons, below)) {
        return store_fail(why, "error.file.missing", folder);
    }
    return store_markdown_file(s, path, out, why);
}

enum status store_lesson(struct store *s, const char *folder, bool chinese,
                         const struct document **out, struct message *why) {
    for (const struct store_lesson_kept *kept = s->lessons_kept; kept != NULL; kept = kept->next) {
        if (kept->chinese == chinese && strcmp(kept->folder, folder) == 0) {
            *out = kept->document;
            return STATUS_OK;
        }
    }
    const struct document *document = NULL;
    enum status status = lesson_read(s, folder, chinese, &document, why);
    if (status != STATUS_OK) {
        return status;
    }
    struct store_lesson_kept *kept = store_arena_alloc(&s->arena, sizeof *kept);
    const char *name = store_arena_text(&s->arena, folder, strlen(folder));
    if (kept == NULL || name == NULL) {
        return store_fail_memory(why);
    }
    *kept = (struct store_lesson_kept){s->lessons_kept, name, chinese, document};
    s->lessons_kept = kept;
    *out = document;
    return STATUS_OK;
}
