/* What the tests of lessons' words share: the Markdown of a lesson, its figures, and its questions. */
#ifndef UNIT_LESSONS_WORDS_SUPPORT_H
#define UNIT_LESSONS_WORDS_SUPPORT_H

#include <check.h>
#include <stdio.h>
#include <string.h>

#include "lesson_support.h"
#include "shardlab/base/writer.h"

enum { WORDS_MAX = 1 << 16 };

static const char *const words_languages[] = {"en", "zh"};

static inline const char *words_of(const struct lesson *l, const char *language) {
    static char text[WORDS_MAX];
    char path[512];
    snprintf(path, sizeof path, "%s/../lessons/%s/%s.md", TEST_SOURCE_DIR, l->folder, language);
    FILE *file = fopen(path, "rb");
    ck_assert_msg(file != NULL, "%s", path);
    size_t length = fread(text, 1, sizeof text - 1, file);
    fclose(file);
    ck_assert_msg(length > 0 && length < sizeof text - 1, "%s", path);
    text[length] = '\0';
    return text;
}

static inline const char *figure_text(const struct lesson *l, const struct lesson_input *in,
                                      const char *name) {
    static char text[256];
    struct writer w;
    writer_start(&w, text, sizeof text);
    ck_assert_msg(l->figure(in, name, &w), "{{%s}} is unknown", name);
    ck_assert_msg(!w.overflow && w.length > 0, "{{%s}}", name);
    return text;
}

static inline void expect_pages(const struct lesson *l, const char *language) {
    const char *text = words_of(l, language);
    int pages = strncmp(text, "# ", 2) == 0;
    for (const char *at = text; (at = strstr(at, "\n# ")) != NULL; at++) {
        pages++;
    }
    ck_assert_msg(pages == l->page_count, "%s.md has %d pages", language, pages);
}

/* Every {{name}} is known and, with this scenario, has a value. */
static inline void expect_figures(const struct lesson *l, const struct lesson_input *in,
                                  const char *language, int least) {
    int count = 0;
    for (const char *at = words_of(l, language); (at = strstr(at, "{{")) != NULL; count++) {
        char name[64];
        size_t length = strcspn(at + 2, "}");
        ck_assert_uint_lt(length, sizeof name);
        memcpy(name, at + 2, length);
        name[length] = '\0';
        ck_assert_msg(strcmp(figure_text(l, in, name), "—") != 0, "{{%s}} has no value", name);
        at += 2 + length;
    }
    ck_assert_int_ge(count, least);
}

static inline bool messages_equal(const struct message *a, const struct message *b) {
    bool same =
        a->id != NULL && b->id != NULL && strcmp(a->id, b->id) == 0 && a->arg_count == b->arg_count;
    for (int i = 0; same && i < a->arg_count; i++) {
        same = a->args[i].kind == b->args[i].kind && a->args[i].count == b->args[i].count &&
               strcmp(a->args[i].kind == MESSAGE_ARG_TEXT ? a->args[i].text : "",
                      b->args[i].kind == MESSAGE_ARG_TEXT ? b->args[i].text : "") == 0;
    }
    return same;
}

/* A question has words, two choices at least, all apart, a reason for each, and a right one among them. */
static inline void expect_question(const struct lesson_guess *g) {
    ck_assert_ptr_nonnull(g->question.id);
    ck_assert_int_ge(g->choice_count, 2);
    ck_assert_int_le(g->choice_count, LESSON_CHOICES_MAX);
    ck_assert(g->right >= 0 && g->right < g->choice_count);
    for (int i = 0; i < g->choice_count; i++) {
        ck_assert_ptr_nonnull(g->choices[i].id);
        ck_assert_ptr_nonnull(g->why[i].id);
        for (int k = 0; k < i; k++) {
            ck_assert_msg(!messages_equal(&g->choices[i], &g->choices[k]), "choices %d and %d", k,
                          i);
        }
    }
}

/* Every knob of a page is an option or a knob of the lesson's own, eight a group at most. */
static inline void expect_knobs(const struct lesson *l, int page) {
    struct lesson_knobs groups[LESSON_GROUPS_MAX];
    int count = l->knobs(page, groups);
    ck_assert_int_ge(count, 1);
    ck_assert_int_le(count, LESSON_GROUPS_MAX);
    ck_assert_str_eq(groups[0].label, "group.page");
    for (int g = 0; g < count; g++) {
        ck_assert_ptr_nonnull(groups[g].options[0]);
        for (int k = 0; groups[g].options[k] != NULL; k++) {
            const char *name = groups[g].options[k];
            bool own = false;
            ck_assert_int_lt(k, LESSON_KNOBS_MAX);
            for (int i = 0; i < l->own_count; i++) {
                own = own || strcmp(l->own[i].name, name) == 0;
            }
            ck_assert_msg(own != (calc_option_find(name, strlen(name)) >= 0), "%s", name);
        }
    }
}

static inline struct view *view_on(const struct lesson *l, const struct lesson_input *in) {
    static struct view view;
    struct message why;
    ck_assert_int_eq(l->view(in, &view, &why), STATUS_OK);
    ck_assert_int_gt(view.item_count, 0);
    return &view;
}

/* The table whose first column has this key; aborts where there is none. */
static inline const struct view_table *table_of(struct view *view, const char *first_key) {
    for (int i = 0; i < view->item_count; i++) {
        const struct view_table *t = &view->items[i].table;
        if (view->items[i].kind == VIEW_KIND_TABLE && strcmp(t->cols[0].key, first_key) == 0) {
            return t;
        }
    }
    ck_abort_msg("no table begins with %s", first_key);
    return NULL;
}

static inline const struct view_table_cell *cell_of(const struct view_table *t, int row,
                                                    const char *key) {
    for (int i = 0; i < t->col_count; i++) {
        if (strcmp(t->cols[i].key, key) == 0) {
            return &t->cells[row][i];
        }
    }
    ck_abort_msg("no column %s", key);
    return NULL;
}

#endif
