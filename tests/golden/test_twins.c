/* zh.md and en.md of a lesson are twins: as many pages, on each page the same kinds of blocks, in both the same knobs are
 * named in the same order, the same figures asked for, the same links followed. Pairs that differ in one of these prove
 * first that each is seen. */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "shardlab/lesson/lesson.h"
#include "shardlab/store/store.h"

enum { LIST_MAX = 64, ITEM_MAX = 96 };

/* What is compared of a page, in order. */
struct list {
    char items[LIST_MAX][ITEM_MAX];
    int count;
};

static struct store *store;
static struct words words[2];

static void open_all(void) {
    struct message why;
    ck_assert_int_eq(store_open(&store, &why), STATUS_OK);
    for (int i = 0; i < 2; i++) {
        ck_assert_int_eq(store_words(store, i == 1, &words[i], &why), STATUS_OK);
    }
}

static void close_all(void) {
    store_close(store);
}

static void list_add(struct list *list, const char *text, size_t length) {
    ck_assert_int_lt(list->count, LIST_MAX);
    ck_assert_uint_lt(length, ITEM_MAX);
    memcpy(list->items[list->count], text, length);
    list->items[list->count++][length] = '\0';
}

static int compare(const void *a, const void *b) {
    return strcmp(a, b);
}

/* The name of the option or knob with this label; the label itself when it is none of the page. */
static const char *knob_of(const struct lesson *lesson, int page, int language, const char *label) {
    struct lesson_knobs groups[LESSON_GROUPS_MAX];
    memset(groups, 0, sizeof groups);
    int count = lesson->knobs(page, groups);
    for (int g = 0; g < count; g++) {
        for (int i = 0; i < LESSON_KNOBS_MAX && groups[g].options[i] != NULL; i++) {
            char id[ITEM_MAX];
            (void)snprintf(id, sizeof id, "option.%s.label", groups[g].options[i]);
            if (strcmp(words_get(&words[language], id), label) == 0) {
                return groups[g].options[i];
            }
        }
    }
    return label;
}

struct twin {
    const struct lesson *lesson;
    const struct document *doc;
    int language;
};

static void figures_add(struct list *list, const char *text) {
    for (const char *open = strstr(text, "{{"); open != NULL; open = strstr(open + 2, "{{")) {
        const char *close = strstr(open, "}}");
        ck_assert_msg(close != NULL, "a figure that is not closed: %s", open);
        list_add(list, open, (size_t)(close - open));
    }
}

enum aspect { ASPECT_BLOCKS, ASPECT_KNOBS, ASPECT_FIGURES, ASPECT_LINKS, ASPECTS };
static const char *const aspects[] = {"kinds of blocks", "knobs", "figures", "links"};

/* A page and what of it is compared. */
struct side {
    const struct twin *twin;
    int page;
    enum aspect aspect;
};

static void span_add(struct list *list, const struct side *side, enum block_kind kind,
                     const struct span *span) {
    const struct twin *t = side->twin;
    if (side->aspect == ASPECT_KNOBS && span->kind == SPAN_STRONG && kind == BLOCK_ITEM) {
        const char *knob = knob_of(t->lesson, side->page, t->language, span->text);
        list_add(list, knob, strlen(knob));
    }
    if (side->aspect == ASPECT_FIGURES) {
        figures_add(list, span->text);
    }
    if (side->aspect == ASPECT_LINKS && span->kind == SPAN_LINK) {
        list_add(list, span->target, strlen(span->target));
    }
}

static void collect(struct list *list, const struct side *side) {
    const struct document *doc = side->twin->doc;
    list->count = 0;
    for (int b = 0; b < doc->pages[side->page].block_count; b++) {
        const struct block *block = &doc->blocks[doc->pages[side->page].first_block + b];
        if (side->aspect == ASPECT_BLOCKS) {
            char kind[8];
            (void)snprintf(kind, sizeof kind, "%d", (int)block->kind);
            list_add(list, kind, strlen(kind));
        }
        for (int i = 0; i < block->span_count; i++) {
            span_add(list, side, block->kind, &doc->spans[block->first_span + i]);
        }
    }
    if (side->aspect == ASPECT_FIGURES) { /* languages put them in another order */
        qsort(list->items, (size_t)list->count, sizeof list->items[0], compare);
    }
}

/* What of a page differs, and how; NULL: nothing does. */
static const char *difference(const struct twin *en, const struct twin *zh, int page,
                              char out[256]) {
    static struct list a, b;
    for (int aspect = 0; aspect < ASPECTS; aspect++) {
        const struct side sides[] = {{en, page, (enum aspect)aspect},
                                     {zh, page, (enum aspect)aspect}};
        collect(&a, &sides[0]);
        collect(&b, &sides[1]);
        for (int i = 0; i < a.count || i < b.count; i++) {
            const char *first = i < a.count ? a.items[i] : "nothing";
            const char *second = i < b.count ? b.items[i] : "nothing";
            if (strcmp(first, second) != 0) {
                (void)snprintf(out, 256, "%s: %s in en, %s in zh", aspects[aspect], first, second);
                return out;
            }
        }
    }
    return NULL;
}

START_TEST(both_languages_say_the_same) {
    struct twin en = {.lesson = lesson_at(_i)};
    struct twin zh = {.lesson = lesson_at(_i), .language = 1};
    struct message why;
    char out[256];
    ck_assert_int_eq(store_lesson(store, en.lesson->folder, false, &en.doc, &why), STATUS_OK);
    ck_assert_int_eq(store_lesson(store, zh.lesson->folder, true, &zh.doc, &why), STATUS_OK);
    ck_assert_int_eq(en.doc->page_count, zh.doc->page_count);
    for (int page = 0; page < en.doc->page_count; page++) {
        const char *fault = difference(&en, &zh, page, out);
        ck_assert_msg(fault == NULL, "%s page %d: %s", en.lesson->id, page + 1, fault);
    }
}
END_TEST

#define EN "# T\n\n> Said.\n\nSo {{params}}.\n\n- Set **Data ranks**.\n\n[on](lesson:zero#2)\n"
static const struct {
    const char *zh, *fault; /* NULL: none */
} pairs[] = {
    {"# 题\n\n> 说。\n\n即 {{params}}。\n\n- 调**数据并行度**。\n\n[见](lesson:zero#2)\n", NULL},
    {"# 题\n\n说。\n\n即 {{params}}。\n\n- 调**数据并行度**。\n\n[见](lesson:zero#2)\n",
     "kinds of blocks"},
    {"# 题\n\n> 说。\n\n即 {{params}}。\n\n[见](lesson:zero#2)\n", "kinds of blocks"},
    {"# 题\n\n> 说。\n\n即 {{params}}。\n\n- 调**张量并行度**。\n\n[见](lesson:zero#2)\n", "knobs"},
    {"# 题\n\n> 说。\n\n即 {{total}}。\n\n- 调**数据并行度**。\n\n[见](lesson:zero#2)\n",
     "figures"},
    {"# 题\n\n> 说。\n\n即。\n\n- 调**数据并行度**。\n\n[见](lesson:zero#2)\n", "figures"},
    {"# 题\n\n> 说。\n\n即 {{params}}。\n\n- 调**数据并行度**。\n\n[见](lesson:zero)\n", "links"},
    {"# 题\n\n> 说。\n\n即 {{params}}。\n\n- 调**数据并行度**。\n\n见\n", "links"},
};

START_TEST(a_pair_that_differs_is_seen) {
    const struct store_markdown_source sources[] = {{"en.md", EN, sizeof EN - 1},
                                                    {"zh.md", pairs[_i].zh, strlen(pairs[_i].zh)}};
    struct twin twins[2];
    struct message why;
    char out[256];
    for (int i = 0; i < 2; i++) {
        twins[i] = (struct twin){.lesson = lesson_find("memory"), .language = i};
        ck_assert_int_eq(store_markdown(store, &sources[i], &twins[i].doc, &why), STATUS_OK);
    }
    const char *fault = difference(&twins[0], &twins[1], 0, out);
    if (pairs[_i].fault == NULL) {
        ck_assert_msg(fault == NULL, "%s", fault);
    } else {
        ck_assert_msg(fault != NULL &&
                          strncmp(fault, pairs[_i].fault, strlen(pairs[_i].fault)) == 0,
                      "%s, not %s", fault == NULL ? "nothing" : fault, pairs[_i].fault);
    }
}
END_TEST

static Suite *suite(void) {
    Suite *s = suite_create("twins");
    TCase *t = tcase_create("languages");
    tcase_add_checked_fixture(t, open_all, close_all);
    tcase_add_loop_test(t, a_pair_that_differs_is_seen, 0, (int)(sizeof pairs / sizeof pairs[0]));
    tcase_add_loop_test(t, both_languages_say_the_same, 0, lesson_count());
    suite_add_tcase(s, t);
    return s;
}

#include "support/check_main.h"
