/* What the tests of single lessons share beyond lesson_support.h: a lesson's words and figures held against each other,
 * its knobs moved to both ends, its views and guesses. */
#ifndef UNIT_LESSONS_PAGE_SUPPORT_H
#define UNIT_LESSONS_PAGE_SUPPORT_H

#include <stdlib.h>

#include "lesson_support.h"

enum { PAGE_WORDS_MAX = 1 << 15 };

static const char *const page_languages[] = {"en", "zh"};

/* A card whose peak is known: presets belong to the store. */
static inline struct scenario scenario_with_peak(const char *line) {
    struct scenario s = scenario_of(line);
    for (int i = 0; i < CALC_PRECISIONS; i++) {
        s.cluster.peak_tflops[i] = 312;
    }
    return s;
}

static inline const char *page_figure(const struct lesson *lesson, const struct lesson_input *in,
                                      const char *name) {
    static char text[128];
    struct writer w;
    writer_start(&w, text, sizeof text);
    ck_assert_msg(lesson->figure(in, name, &w), "%s: {{%s}} is unknown", lesson->id, name);
    ck_assert_msg(!w.overflow && w.length > 0, "%s: {{%s}}", lesson->id, name);
    return text;
}

static inline void page_check_figure(const struct lesson *lesson, const struct lesson_input *in,
                                     const char *name, const char *expected) {
    const char *text = page_figure(lesson, in, name);
    ck_assert_msg(strcmp(text, expected) == 0, "{{%s}} is %s, not %s", name, text, expected);
}

static inline const char *page_words(const struct lesson *lesson, const char *language) {
    static char text[PAGE_WORDS_MAX];
    char path[512];
    snprintf(path, sizeof path, "%s/../lessons/%s/%s.md", TEST_SOURCE_DIR, lesson->folder,
             language);
    FILE *file = fopen(path, "rb");
    ck_assert_msg(file != NULL, "%s", path);
    size_t length = fread(text, 1, sizeof text - 1, file);
    fclose(file);
    ck_assert_msg(length > 0 && length < sizeof text - 1, "%s", path);
    text[length] = '\0';
    return text;
}

/* The words have as many pages as the lesson says, and every figure in them a value in this scenario. */
static inline void page_check_words(const struct lesson *lesson, int pages,
                                    const struct scenario *s, const char *language) {
    const char *text = page_words(lesson, language);
    struct lesson_input in = {.now = s};
    int found = strncmp(text, "# ", 2) == 0, figures = 0;
    for (const char *at = text; (at = strstr(at, "\n# ")) != NULL; at++) {
        found++;
    }
    ck_assert_int_eq(found, pages);
    ck_assert_int_eq(lesson->page_count, pages);
    for (const char *at = text; (at = strstr(at, "{{")) != NULL; figures++) {
        char name[64];
        size_t length = strcspn(at + 2, "}");
        ck_assert_uint_lt(length, sizeof name);
        memcpy(name, at + 2, length);
        name[length] = '\0';
        ck_assert_msg(strcmp(page_figure(lesson, &in, name), "—") != 0, "{{%s}} has no value",
                      name);
        at += 2 + length;
    }
    ck_assert_int_gt(figures, 10);
    struct writer w;
    char unknown[16];
    writer_start(&w, unknown, sizeof unknown);
    ck_assert(!lesson->figure(&in, "no_such_figure", &w));
}

static inline struct view *page_view(const struct lesson *lesson, const struct scenario *s,
                                     int page) {
    static struct view view;
    struct message why;
    struct lesson_input in = {.now = s, .page = page};
    ck_assert_int_eq(lesson->view(&in, &view, &why), STATUS_OK);
    return &view;
}

static inline struct view_item *page_item(const struct lesson *lesson, const struct scenario *s,
                                          int page, enum view_kind kind) {
    struct view_item *item = item_of(page_view(lesson, s, page), kind);
    ck_assert_ptr_nonnull(item);
    return item;
}

/* Choices differ as they read, each says why, one is right. */
static inline void page_check_guess(const struct lesson_guess *guess) {
    ck_assert_ptr_nonnull(guess->question.id);
    ck_assert_int_ge(guess->choice_count, 3);
    ck_assert(guess->right >= 0 && guess->right < guess->choice_count);
    for (int i = 0; i < guess->choice_count; i++) {
        const struct message *a = &guess->choices[i];
        ck_assert_ptr_nonnull(guess->why[i].id);
        for (int k = 0; k < i; k++) {
            const struct message *b = &guess->choices[k];
            bool same =
                strcmp(a->id, b->id) == 0 && a->arg_count == b->arg_count &&
                (a->arg_count == 0 || (a->args[0].count / 10000000 == b->args[0].count / 10000000 &&
                                       strcmp(a->args[0].text, b->args[0].text) == 0));
            ck_assert_msg(!same, "choices %d and %d of %s read the same", k, i, guess->question.id);
        }
    }
}

static inline bool page_legal(struct scenario *s) {
    struct message why;
    return scenario_resolve(s, s, &why) == STATUS_OK && scenario_violations(s, &why, 1) == 0;
}

/* A view, and a guess if there is one. */
static inline void page_look(const struct lesson *lesson, const struct lesson_input *in) {
    static struct view view;
    struct message why;
    struct lesson_guess guess = {0};
    ck_assert_int_eq(lesson->view(in, &view, &why), STATUS_OK);
    ck_assert_int_ge(view.item_count, 1);
    if (lesson->guess != NULL && lesson->guess(in, &guess)) {
        page_check_guess(&guess);
    }
}

static inline int page_move_option(const struct lesson *lesson, int page, const char *start,
                                   int option) {
    const struct calc_option *o = calc_option_at(option);
    char ends[2][24];
    int moved = 0;
    if (o->stops != NULL) {
        snprintf(ends[0], sizeof ends[0], "%llu", (unsigned long long)o->stops[0]);
        snprintf(ends[1], sizeof ends[1], "%llu", (unsigned long long)o->stops[o->stop_count - 1]);
    } else if (o->choices != NULL) {
        int last = 0;
        while (o->choices[last + 1] != NULL) {
            last++;
        }
        snprintf(ends[0], sizeof ends[0], "%s", o->choices[0]);
        snprintf(ends[1], sizeof ends[1], "%s", o->choices[last]);
    } else if (o->kind == CALC_OPTION_SWITCH) {
        snprintf(ends[0], sizeof ends[0], "no");
        snprintf(ends[1], sizeof ends[1], "yes");
    } else {
        return 0; /* names of presets are the store's */
    }
    for (int end = 0; end < 2; end++) {
        struct scenario s = scenario_of(start);
        struct message why;
        ck_assert_int_eq(calc_option_set(&s, option, ends[end], &why), STATUS_OK);
        struct lesson_input in = {.now = &s, .page = page};
        if (page_legal(&s)) {
            page_look(lesson, &in);
            moved++;
        }
    }
    return moved;
}

/* Every knob of the page at both ends: still a picture, and guesses stay guesses. Returns how often one was moved. */
static inline int page_walk_knobs(const struct lesson *lesson, int page, const char *start) {
    struct lesson_knobs groups[LESSON_GROUPS_MAX];
    int count = lesson->knobs(page, groups), moved = 0;
    ck_assert_str_eq(groups[0].label, "group.page");
    for (int g = 0; g < count; g++) {
        for (int k = 0; groups[g].options[k] != NULL; k++) {
            const char *name = groups[g].options[k];
            int option = calc_option_find(name, strlen(name));
            ck_assert_int_lt(k, LESSON_KNOBS_MAX);
            moved += option >= 0 ? page_move_option(lesson, page, start, option) : 0;
        }
    }
    for (int k = 0; k < lesson->own_count; k++) {
        int own[LESSON_OWN_MAX];
        for (int i = 0; i < lesson->own_count; i++) {
            own[i] = lesson->own[i].start;
        }
        for (own[k] = 0; lesson->own[k].stops[own[k]] != NULL; own[k]++, moved++) {
            struct scenario s = scenario_of(start);
            struct lesson_input in = {.now = &s, .page = page, .own = own};
            page_look(lesson, &in);
        }
    }
    return moved;
}

#endif
