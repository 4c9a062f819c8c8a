/* assets/glossary.json as a glossary: {"terms": [{"id", "en", "zh", "means_en", "means_zh", "forms": "a|b"}, …]}. Read
 * on first use, kept in the store's arena in file order, the forms of all terms in one list sorted for finding
 * (base/glossary.h). The file ships with the program, so a missing text is a damaged installation and is named.
 * Proof: tests/unit/store/test_glossary_asset.c. */
#include "store_private.h"

#include <cjson/cJSON.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const file = "glossary.json";
static const char *const list = "terms";
enum { KEY_MAX = 64 };

static enum status fail_term(struct message *why, int index, const char *key) {
    char path[KEY_MAX];
    (void)snprintf(path, sizeof path, "%s[%d].%s", list, index, key);
    return store_fail_entry(why, "error.asset.term", file, path);
}

static enum status term_take(struct store *s, const cJSON *item, int index,
                             struct glossary_term *out, struct message *why) {
    static const char *const keys[] = {"id", "en", "zh", "means_en", "means_zh"};
    const char **const places[] = {&out->id, &out->name[0], &out->name[1], &out->means[0],
                                   &out->means[1]};
    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++) {
        const cJSON *text = cJSON_GetObjectItemCaseSensitive(item, keys[i]);
        if (!cJSON_IsString(text) || text->valuestring[0] == '\0') {
            return fail_term(why, index, keys[i]);
        }
        *places[i] = store_arena_text(&s->arena, text->valuestring, strlen(text->valuestring));
        if (*places[i] == NULL) {
            return store_fail_memory(why);
        }
    }
    return STATUS_OK;
}

static const char *forms_of(const cJSON *term) {
    const cJSON *forms = cJSON_GetObjectItemCaseSensitive(term, "forms");
    return cJSON_IsString(forms) ? forms->valuestring : "";
}

static int forms_count(const char *forms) {
    int count = forms[0] != '\0' ? 1 : 0;
    for (; *forms != '\0'; forms++) {
        count += *forms == '|' ? 1 : 0;
    }
    return count;
}

static char lower(char c) {
    return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

static int form_compare(const void *a, const void *b) {
    unsigned char first = (unsigned char)lower(((const struct glossary_form *)a)->text[0]);
    unsigned char second = (unsigned char)lower(((const struct glossary_form *)b)->text[0]);
    return (first > second) - (first < second);
}

/* Appends the forms of one term; an empty one is a damaged file. */
static enum status forms_take(struct store *s, const char *forms, int term,
                              struct glossary_form *out, struct message *why) {
    for (int count = forms_count(forms); count > 0; count--) {
        size_t length = strcspn(forms, "|");
        if (length == 0) {
            return fail_term(why, term, "forms");
        }
        out->text = store_arena_text(&s->arena, forms, length);
        out->term = term;
        if (out->text == NULL) {
            return store_fail_memory(why);
        }
        forms += length + (forms[length] == '|' ? 1 : 0);
        out++;
    }
    return STATUS_OK;
}

/* How many terms and forms there are; fails when the shape is wrong. */
static enum status measure(const cJSON *array, struct glossary *out, struct message *why) {
    const cJSON *item = NULL;
    if (!cJSON_IsArray(array) || cJSON_GetArraySize(array) == 0 ||
        cJSON_GetArraySize(array) > GLOSSARY_TERMS_MAX) {
        return store_fail_entry(why, "error.asset.list", file, list);
    }
    cJSON_ArrayForEach(item, array) {
        int forms = forms_count(forms_of(item));
        if (forms == 0) {
            return fail_term(why, out->count, "forms");
        }
        out->form_count += forms;
        out->count++;
    }
    return STATUS_OK;
}

static enum status fill(struct store *s, const cJSON *array, struct message *why) {
    struct glossary g = {0};
    enum status status = measure(array, &g, why);
    if (status != STATUS_OK) {
        return status;
    }
    struct glossary_term *terms = store_arena_alloc(&s->arena, sizeof *terms * (size_t)g.count);
    struct glossary_form *forms =
        store_arena_alloc(&s->arena, sizeof *forms * (size_t)g.form_count);
    if (terms == NULL || forms == NULL) {
        return store_fail_memory(why);
    }
    const cJSON *item = NULL;
    int index = 0;
    int used = 0;
    cJSON_ArrayForEach(item, array) {
        status = term_take(s, item, index, &terms[index], why);
        if (status == STATUS_OK) {
            status = forms_take(s, forms_of(item), index, &forms[used], why);
        }
        if (status != STATUS_OK) {
            return status;
        }
        used += forms_count(forms_of(item));
        index++;
    }
    qsort(forms, (size_t)g.form_count, sizeof *forms, form_compare);
    g.terms = terms;
    g.forms = forms;
    s->glossary = g;
    return STATUS_OK;
}

enum status store_glossary(struct store *s, const struct glossary **out, struct message *why) {
    enum status status = STATUS_OK;
    if (s->glossary.count == 0) {
        cJSON *root = NULL;
        status = store_asset_parse(s, file, &root, why);
        if (status == STATUS_OK) {
            status = fill(s, cJSON_GetObjectItemCaseSensitive(root, list), why);
            cJSON_Delete(root);
        }
    }
    *out = &s->glossary;
    return status;
}
