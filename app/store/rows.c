/* The tables of models and cards: assets/models.json and gpus.json as rows, read on first use and
 * kept. They ship with the program, so a wrong shape is a damaged installation and is named with
 * file and key; what the values mean, and whether they can be, is checked by calc. A misspelt id is
 * answered with the nearest one. Proof: tests/unit/store/test_assets.c. */
#include "store_private.h"

#include <cjson/cJSON.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ID_BYTES_MAX = 64 };

static enum status fail_row(struct message *why, const char *file, const char *list, int index) {
    char key[ID_BYTES_MAX];
    (void)snprintf(key, sizeof key, "%s[%d]", list, index);
    return store_fail_entry(why, "error.asset.row", file, key);
}

static bool has_id(const struct record *row) {
    const struct field *id = record_find(row, "id");
    return id != NULL && id->kind == FIELD_TEXT && id->text[0] != '\0';
}

/* root[list] as records. */
static enum status rows_fill(struct store *s, const char *file, const cJSON *array,
                             struct store_rows *out, struct message *why) {
    int count = cJSON_GetArraySize(array);
    struct record *rows = store_arena_alloc(&s->arena, sizeof *rows * (size_t)count);
    if (rows == NULL) {
        return store_fail_memory(why);
    }
    int index = 0;
    const cJSON *item = NULL;
    cJSON_ArrayForEach(item, array) {
        if (!cJSON_IsObject(item)) {
            return fail_row(why, file, array->string, index);
        }
        if (!store_json_record(&s->arena, item, &rows[index])) {
            return store_fail_memory(why);
        }
        if (!has_id(&rows[index])) {
            return fail_row(why, file, array->string, index);
        }
        index++;
    }
    *out = (struct store_rows){.rows = rows, .count = count, .read = true};
    return STATUS_OK;
}

static enum status rows_read(struct store *s, const char *file, const char *list,
                             struct store_rows *out, struct message *why) {
    cJSON *root = NULL;
    enum status status = store_asset_parse(s, file, &root, why);
    if (status != STATUS_OK) {
        return status;
    }
    const cJSON *array = cJSON_GetObjectItemCaseSensitive(root, list);
    status = cJSON_IsArray(array) ? rows_fill(s, file, array, out, why)
                                  : store_fail_entry(why, "error.asset.list", file, list);
    cJSON_Delete(root);
    return status;
}

static enum status rows_get(struct store *s, const char *file, const char *list,
                            struct store_rows *kept, struct message *why) {
    return kept->read ? STATUS_OK : rows_read(s, file, list, kept, why);
}

enum status store_models(struct store *s, const struct record **rows, int *count,
                         struct message *why) {
    enum status status = rows_get(s, "models.json", "models", &s->models, why);
    if (status == STATUS_OK) {
        *rows = s->models.rows;
        *count = s->models.count;
    }
    return status;
}

enum status store_gpus(struct store *s, const struct record **rows, int *count,
                       struct message *why) {
    enum status status = rows_get(s, "gpus.json", "gpus", &s->gpus, why);
    if (status == STATUS_OK) {
        *rows = s->gpus.rows;
        *count = s->gpus.count;
    }
    return status;
}

/* --- Finding ---------------------------------------------------------------------------------- */

static char lower(char c) {
    return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

static bool same_id(const char *a, const char *b) {
    while (*a != '\0' && lower(*a) == lower(*b)) {
        a++;
        b++;
    }
    return *a == *b;
}

static const char *row_id(const struct record *row) {
    return record_find(row, "id")->text;
}

const struct record *store_row_find(const struct record *rows, int count, const char *id) {
    for (int i = 0; i < count; i++) {
        if (same_id(row_id(&rows[i]), id)) {
            return &rows[i];
        }
    }
    return NULL;
}

static int smaller(int a, int b) {
    return a < b ? a : b;
}

/* "a100" for a100-sxm-80gb: not misspelt, only cut short. */
static bool begins_with(const char *id, const char *typed) {
    while (*typed != '\0' && lower(*id) == lower(*typed)) {
        id++;
        typed++;
    }
    return *typed == '\0';
}

/* What it takes to make `typed` into `id`: 1 for a character that was left out, 2 for one that is
 * wrong or too many, so that a shortened name is nearer than a different one. */
static int typing_distance(const char *typed, const char *id) {
    int costs[ID_BYTES_MAX + 1];
    size_t width = strlen(id);
    for (size_t i = 0; i <= width; i++) {
        costs[i] = (int)i;
    }
    for (; *typed != '\0'; typed++) {
        int diagonal = costs[0];
        costs[0] += 2;
        for (size_t i = 1; i <= width; i++) {
            int replaced = diagonal + (lower(*typed) == lower(id[i - 1]) ? 0 : 2);
            diagonal = costs[i];
            costs[i] = smaller(replaced, smaller(costs[i] + 2, costs[i - 1] + 1));
        }
    }
    return costs[width];
}

const char *store_row_nearest(const struct record *rows, int count, const char *id) {
    size_t length = strlen(id);
    const char *nearest = NULL;
    int least = length <= ID_BYTES_MAX ? (int)length : 0;
    for (int i = 0; i < count; i++) {
        const char *candidate = row_id(&rows[i]);
        if (strlen(candidate) > ID_BYTES_MAX) {
            continue;
        }
        int distance =
            length > 0 && begins_with(candidate, id) ? 0 : typing_distance(id, candidate);
        if (distance < least || (distance == least && nearest == NULL)) {
            least = distance;
            nearest = candidate;
        }
    }
    return nearest;
}
