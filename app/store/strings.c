/* assets/strings.json as a book of words: {"id": {"en": …, "zh": …}, …}. Both languages are read
 * together on first use, sorted by id, and kept by the store; struct words borrows them, so that
 * switching languages costs nothing. A missing language is a damaged file and is named with its id;
 * filling placeholders is base/words. Proof: tests/unit/store/test_assets.c. */
#include "store_private.h"

#include <cjson/cJSON.h>
#include <stdlib.h>
#include <string.h>

static int string_compare(const void *a, const void *b) {
    return strcmp(((const struct store_string *)a)->id, ((const struct store_string *)b)->id);
}

static const char *book_find(const void *book_data, const char *id) {
    const struct store_book *book = book_data;
    const struct store_string key = {.id = id};
    const struct store_string *found =
        bsearch(&key, book->strings, (size_t)book->count, sizeof *book->strings, string_compare);
    return found != NULL ? found->text[book->language] : NULL;
}

static enum status string_set(struct store *s, const cJSON *item, struct store_string *out,
                              struct message *why) {
    static const char *const languages[] = {"en", "zh"};
    out->id = store_arena_text(&s->arena, item->string, strlen(item->string));
    if (out->id == NULL) {
        return store_fail_memory(why);
    }
    for (int i = 0; i < 2; i++) {
        const cJSON *text = cJSON_GetObjectItemCaseSensitive(item, languages[i]);
        if (!cJSON_IsString(text)) {
            return store_fail_entry(why, "error.asset.string", "strings.json", item->string);
        }
        out->text[i] = store_arena_text(&s->arena, text->valuestring, strlen(text->valuestring));
        if (out->text[i] == NULL) {
            return store_fail_memory(why);
        }
    }
    return STATUS_OK;
}

static enum status strings_fill(struct store *s, const cJSON *root, struct message *why) {
    int count = cJSON_GetArraySize(root);
    struct store_string *strings = store_arena_alloc(&s->arena, sizeof *strings * (size_t)count);
    if (strings == NULL) {
        return store_fail_memory(why);
    }
    int index = 0;
    const cJSON *item = NULL;
    cJSON_ArrayForEach(item, root) {
        enum status status = string_set(s, item, &strings[index++], why);
        if (status != STATUS_OK) {
            return status;
        }
    }
    qsort(strings, (size_t)count, sizeof *strings, string_compare);
    for (int language = 0; language < 2; language++) {
        s->books[language] = (struct store_book){strings, count, language};
    }
    s->strings_read = true;
    return STATUS_OK;
}

static enum status strings_read(struct store *s, struct message *why) {
    cJSON *root = NULL;
    enum status status = store_asset_parse(s, "strings.json", &root, why);
    if (status == STATUS_OK) {
        status = strings_fill(s, root, why);
        cJSON_Delete(root);
    }
    return status;
}

enum status store_words(struct store *s, bool chinese, struct words *out, struct message *why) {
    enum status status = s->strings_read ? STATUS_OK : strings_read(s, why);
    if (status == STATUS_OK) {
        *out = (struct words){
            .book = &s->books[chinese ? 1 : 0],
            .find = book_find,
            .unit = UNIT_GB,
            .chinese = chinese,
        };
    }
    return status;
}
