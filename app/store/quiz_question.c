/* One question of a quiz file: an object becomes a struct question, held against what base/question.h says of its kind. The
 * rules of kinds are rows of a table. Whether page and follow-ups exist is not known here: files are read alone.
 * Called by questions.c. Proof: tests/unit/store/test_questions.c. */
#include <assert.h>
#include <cjson/cJSON.h>
#include <string.h>

#include "quiz_private.h"

static const char *const question_keys[] = {"id",     "kind",   "page",  "level", "topic",
                                            "family", "stem",   "parts", "hints", "explain",
                                            "said",   "follow", "opens", NULL};
static const char *const pair_keys[] = {"en", "zh", NULL};

static const struct kind_rules {
    int parts[2], hints[2]; /* so many */
    bool explain;           /* must have one */
    const char *part_keys[5];
    bool ids, why, blank; /* parts have an id; must say why; hold a blank */
} rules[QUESTION_KINDS] = {
    [QUESTION_CHOICE] = {.parts = {3, 4},
                         .hints = {1, QUESTION_HINTS_MAX},
                         .explain = true,
                         .part_keys = {"en", "zh", "why", "right"},
                         .why = true},
    [QUESTION_NUMBER] = {.parts = {0, QUESTION_PARTS_MAX},
                         .hints = {1, QUESTION_HINTS_MAX},
                         .part_keys = {"id", "en", "zh"},
                         .ids = true},
    [QUESTION_ORDER] = {.parts = {3, 6},
                        .hints = {1, QUESTION_HINTS_MAX},
                        .explain = true,
                        .part_keys = {"en", "zh", "why"}},
    [QUESTION_DERIVE] = {.parts = {2, 6},
                         .hints = {1, QUESTION_HINTS_MAX},
                         .part_keys = {"en", "zh", "why"},
                         .blank = true},
    [QUESTION_RECALL] = {.parts = {3, 6},
                         .hints = {0, QUESTION_HINTS_MAX},
                         .explain = true,
                         .part_keys = {"en", "zh"}},
};

static enum status read_kind(struct quiz_reading *r, const cJSON *item, enum question_kind *out) {
    const char *name = NULL;
    enum status ok = store_quiz_word(r, item, "kind", &name);
    for (int kind = 0; ok == STATUS_OK && kind < QUESTION_KINDS; kind++) {
        if (strcmp(name, question_kind_name((enum question_kind)kind)) == 0) {
            *out = (enum question_kind)kind;
            return STATUS_OK;
        }
    }
    if (ok == STATUS_OK) {
        ok = store_quiz_fail_key(r, "error.quiz.kind", "kind");
        message_add_text(r->why, name);
    }
    return ok;
}

/* --- Identity --- */

/* "memory." of the lesson, and something behind it. */
static bool belongs(const char *id, const char *lesson) {
    size_t length = strlen(lesson);
    return strncmp(id, lesson, length) == 0 && id[length] == '.';
}

/* The lesson of a file that nobody placed is what its first id begins with. */
static enum status lesson_settle(struct quiz_reading *r, const char *id) {
    const char *point = strchr(id, '.');
    if (r->lesson == NULL && point != NULL) {
        r->lesson = store_arena_text(&r->s->arena, id, (size_t)(point - id));
        if (r->lesson == NULL) {
            return store_fail_memory(r->why);
        }
    }
    if (r->lesson != NULL && belongs(id, r->lesson)) {
        return STATUS_OK;
    }
    (void)store_quiz_fail(r, "error.quiz.lesson");
    message_add_text(r->why, id);
    message_add_text(r->why, r->lesson != NULL ? r->lesson : "memory");
    return STATUS_FAILED;
}

static enum status read_own_id(struct quiz_reading *r, const cJSON *item, struct question *out) {
    const cJSON *id = cJSON_GetObjectItemCaseSensitive(item, "id");
    if (id == NULL) {
        return store_quiz_fail_key(r, "error.quiz.missing", "id");
    }
    size_t before = store_quiz_enter(r, "id");
    enum status ok = store_quiz_id(r, id, &out->id);
    ok = ok == STATUS_OK ? lesson_settle(r, out->id) : ok;
    if (ok == STATUS_OK) {
        store_quiz_leave(r, before);
        out->lesson = r->lesson;
    }
    return ok;
}

static bool is_topic(const char *text) {
    static const char upper[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZ", digits[] = "0123456789";
    size_t letters = strspn(text, upper);
    bool area = letters == 2 && text[2] == '-' && strspn(text + 3, digits) == 2 && text[5] == '\0';
    bool source = letters == 1 && strspn(text + 1, digits) == 1 && text[2] == '\0';
    return area || source;
}

static enum status read_topic(struct quiz_reading *r, const cJSON *item, const char **out) {
    const char *topic = NULL;
    enum status ok = store_quiz_word(r, item, "topic", &topic);
    if (ok == STATUS_OK && !is_topic(topic)) {
        ok = store_quiz_fail_key(r, "error.quiz.topic", "topic");
        message_add_text(r->why, topic);
    }
    if (ok == STATUS_OK) {
        *out = store_arena_text(&r->s->arena, topic, strlen(topic));
        ok = *out != NULL ? STATUS_OK : store_fail_memory(r->why);
    }
    return ok;
}

static enum status read_family(struct quiz_reading *r, const cJSON *item, const char **out) {
    const cJSON *family = cJSON_GetObjectItemCaseSensitive(item, "family");
    if (family == NULL) {
        return STATUS_OK;
    }
    size_t before = store_quiz_enter(r, "family");
    enum status ok = store_quiz_id(r, family, out);
    if (ok == STATUS_OK) {
        store_quiz_leave(r, before);
    }
    return ok;
}

static enum status read_identity(struct quiz_reading *r, const cJSON *item, struct question *out) {
    static const int pages[2] = {1, QUIZ_PAGE_MAX}, levels[2] = {1, QUESTION_LEVEL_MAX};
    enum status ok = read_own_id(r, item, out);
    ok = ok == STATUS_OK ? read_kind(r, item, &out->kind) : ok;
    ok = ok == STATUS_OK ? store_quiz_whole(r, item, "page", pages, &out->page) : ok;
    ok = ok == STATUS_OK ? store_quiz_whole(r, item, "level", levels, &out->level) : ok;
    ok = ok == STATUS_OK ? read_topic(r, item, &out->topic) : ok;
    return ok == STATUS_OK ? read_family(r, item, &out->family) : ok;
}

/* --- Parts --- */

static enum status read_part(struct quiz_reading *r, const cJSON *item, enum question_kind kind,
                             struct question_part *out) {
    const struct kind_rules *k = &rules[kind];
    const char *keys[sizeof k->part_keys / sizeof k->part_keys[0] + 1] = {NULL};
    memcpy(keys, k->part_keys, sizeof k->part_keys);
    enum status ok = store_quiz_keys(r, item, keys);
    if (ok == STATUS_OK && k->ids) {
        const cJSON *id = cJSON_GetObjectItemCaseSensitive(item, "id");
        size_t before = store_quiz_enter(r, "id");
        ok = id == NULL ? store_quiz_fail(r, "error.quiz.missing") : store_quiz_id(r, id, &out->id);
        if (ok == STATUS_OK) {
            store_quiz_leave(r, before);
        }
    }
    ok = ok == STATUS_OK ? store_quiz_twins(r, item, k->blank ? 1 : 0, out->text) : ok;
    ok = ok == STATUS_OK ? store_quiz_pair(r, item, "why", k->why, out->why) : ok;
    return ok == STATUS_OK ? store_quiz_switch(r, item, "right", &out->right) : ok;
}

static bool same(const char *a, const char *b) {
    return a != NULL && b != NULL && strcmp(a, b) == 0;
}

/* Two parts that nobody can tell apart, or, of paths, that the maker cannot. */
static enum status check_distinct(struct quiz_reading *r, const struct question *q, int index) {
    const struct question_part *part = &q->parts[index];
    for (int i = 0; i < index; i++) {
        const struct question_part *other = &q->parts[i];
        if (same(part->id, other->id) || same(part->text[0], other->text[0]) ||
            same(part->text[1], other->text[1])) {
            (void)store_quiz_fail(r, "error.quiz.same");
            message_add_plain(r->why, (uint64_t)i);
            return STATUS_FAILED;
        }
    }
    return STATUS_OK;
}

static enum status check_right(struct quiz_reading *r, const struct question *q) {
    int right = 0;
    for (int i = 0; i < q->part_count; i++) {
        right += q->parts[i].right ? 1 : 0;
    }
    if (q->kind != QUESTION_CHOICE || right == 1) {
        return STATUS_OK;
    }
    (void)store_quiz_fail_key(r, "error.quiz.right", "parts");
    message_add_plain(r->why, (uint64_t)right);
    return STATUS_FAILED;
}

static enum status read_parts(struct quiz_reading *r, const cJSON *item, struct question *out) {
    const cJSON *list = NULL;
    const cJSON *part = NULL;
    enum status ok = store_quiz_list(r, item, "parts", rules[out->kind].parts, &list);
    cJSON_ArrayForEach(part, list) {
        if (ok != STATUS_OK) {
            return ok;
        }
        assert(out->part_count < QUESTION_PARTS_MAX);
        size_t before = store_quiz_enter_at(r, "parts", out->part_count);
        ok = read_part(r, part, out->kind, &out->parts[out->part_count]);
        ok = ok == STATUS_OK ? check_distinct(r, out, out->part_count) : ok;
        if (ok == STATUS_OK) {
            store_quiz_leave(r, before);
            out->part_count++;
        }
    }
    return ok == STATUS_OK ? check_right(r, out) : ok;
}

/* --- Hints and follow-ups --- */

static enum status read_hints(struct quiz_reading *r, const cJSON *item, struct question *out) {
    const cJSON *list = NULL;
    const cJSON *hint = NULL;
    enum status ok = store_quiz_list(r, item, "hints", rules[out->kind].hints, &list);
    cJSON_ArrayForEach(hint, list) {
        if (ok != STATUS_OK) {
            return ok;
        }
        size_t before = store_quiz_enter_at(r, "hints", out->hint_count);
        ok = store_quiz_keys(r, hint, pair_keys);
        ok = ok == STATUS_OK ? store_quiz_twins(r, hint, 0, out->hints[out->hint_count]) : ok;
        if (ok == STATUS_OK) {
            store_quiz_leave(r, before);
            out->hint_count++;
        }
    }
    return ok;
}

static enum status check_follow(struct quiz_reading *r, const struct question *q, const char *id) {
    bool again = false;
    for (int i = 0; i < q->follow_count; i++) {
        again = again || strcmp(q->follow[i], id) == 0;
    }
    if (!again && strcmp(q->id, id) != 0) {
        return STATUS_OK;
    }
    (void)store_quiz_fail(r, again ? "error.quiz.follow_twice" : "error.quiz.follow_self");
    message_add_text(r->why, id);
    return STATUS_FAILED;
}

static enum status read_follow(struct quiz_reading *r, const cJSON *item, struct question *out) {
    static const int range[2] = {0, QUESTION_FOLLOW_MAX};
    const cJSON *list = NULL;
    const cJSON *follow = NULL;
    enum status ok = store_quiz_list(r, item, "follow", range, &list);
    cJSON_ArrayForEach(follow, list) {
        if (ok != STATUS_OK) {
            return ok;
        }
        const char *id = NULL;
        size_t before = store_quiz_enter_at(r, "follow", out->follow_count);
        ok = store_quiz_id(r, follow, &id);
        ok = ok == STATUS_OK ? check_follow(r, out, id) : ok;
        if (ok == STATUS_OK) {
            store_quiz_leave(r, before);
            out->follow[out->follow_count++] = id;
        }
    }
    return ok;
}

enum status store_quiz_question(struct quiz_reading *r, const cJSON *item, struct question *out) {
    enum status ok = store_quiz_keys(r, item, question_keys);
    ok = ok == STATUS_OK ? read_identity(r, item, out) : ok;
    ok = ok == STATUS_OK ? store_quiz_pair(r, item, "stem", true, out->stem) : ok;
    ok = ok == STATUS_OK ? read_parts(r, item, out) : ok;
    ok = ok == STATUS_OK ? read_hints(r, item, out) : ok;
    ok = ok == STATUS_OK
             ? store_quiz_pair(r, item, "explain", rules[out->kind].explain, out->explain)
             : ok;
    ok = ok == STATUS_OK ? store_quiz_pair(r, item, "said", false, out->said) : ok;
    ok = ok == STATUS_OK ? read_follow(r, item, out) : ok;
    return ok == STATUS_OK ? store_quiz_switch(r, item, "opens", &out->opens) : ok;
}
