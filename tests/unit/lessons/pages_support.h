/* What the tests of the lessons on tensor and pipeline parallelism share: figures and pictures of any lesson, its words as
 * files, and every knob of a page moved to each of its stops. */
#ifndef UNIT_LESSONS_PAGES_SUPPORT_H
#define UNIT_LESSONS_PAGES_SUPPORT_H

#include "lesson_support.h"

enum { PAGES_TEXT_MAX = 1 << 15 };

static inline const struct lesson *lesson_called(const char *id) {
    const struct lesson *lesson = lesson_find(id);
    ck_assert_msg(lesson != NULL, "%s", id);
    return lesson;
}

static inline const char *figure_in(const struct lesson *lesson, const struct lesson_input *in,
                                    const char *name) {
    static char text[128];
    struct writer w;
    writer_start(&w, text, sizeof text);
    ck_assert_msg(lesson->figure(in, name, &w), "{{%s}} is unknown", name);
    ck_assert_msg(!w.overflow && w.length > 0, "{{%s}}", name);
    return text;
}

static inline const char *words_of(const struct lesson *lesson, const char *language) {
    static char text[PAGES_TEXT_MAX];
    char path[512];
    snprintf(path, sizeof path, "%s/../lessons/%s/%s.md", TEST_SOURCE_DIR, lesson->folder,
             language);
    FILE *file = fopen(path, "rb");
    ck_assert_msg(file != NULL, "%s", path);
    size_t length = fread(text, 1, sizeof text - 1, file);
    fclose(file);
    text[length] = '\0';
    return text;
}

static inline int pages_of(const char *text) {
    int pages = strncmp(text, "# ", 2) == 0 ? 1 : 0;
    for (const char *at = text; (at = strstr(at, "\n# ")) != NULL; at++) {
        pages++;
    }
    return pages;
}

/* Every {{name}} of the words has a value; returns how many there are. */
static inline int check_figures(const struct lesson *lesson, const struct lesson_input *in,
                                const char *text) {
    int count = 0;
    for (const char *at = text; (at = strstr(at, "{{")) != NULL; count++) {
        char name[64];
        size_t length = strcspn(at + 2, "}");
        ck_assert_uint_lt(length, sizeof name);
        memcpy(name, at + 2, length);
        name[length] = '\0';
        ck_assert_msg(strcmp(figure_in(lesson, in, name), "—") != 0, "{{%s}} has no value", name);
        at += 2 + length;
    }
    return count;
}

static inline struct view *picture_of(const struct lesson *lesson, const struct lesson_input *in) {
    static struct view view;
    struct message why;
    ck_assert_int_eq(lesson->view(in, &view, &why), STATUS_OK);
    ck_assert_int_gt(view.item_count, 0);
    return &view;
}

/* A scenario with one option more; false: not legal. */
static inline bool with_option(const struct scenario *s, const char *option, const char *value,
                               struct scenario *out) {
    struct message why;
    *out = *s;
    return calc_option_set(out, calc_option_index(option), value, &why) == STATUS_OK &&
           scenario_resolve(out, out, &why) == STATUS_OK && scenario_violations(out, &why, 1) == 0;
}

/* The text of an option's stop, choice or switch; false: there is no such one. */
static inline bool stop_text(int option, int stop, char text[32]) {
    const struct calc_option *o = calc_option_at(option);
    if (o->kind == CALC_OPTION_CHOICE) {
        bool there = o->choices[stop] != NULL;
        snprintf(text, 32, "%s", there ? o->choices[stop] : "");
        return there;
    }
    if (o->kind == CALC_OPTION_SWITCH) {
        snprintf(text, 32, "%s", stop == 0 ? "no" : "yes");
        return stop < 2;
    }
    if (stop >= o->stop_count) {
        return false;
    }
    snprintf(text, 32, "%ju", (uintmax_t)o->stops[stop]);
    return true;
}

/* Calls `check` for each legal stop of each option of the scenario among a page's knobs; returns how many. */
static inline int each_stop(const struct lesson *lesson, struct lesson_input in,
                            void (*check)(const struct lesson_input *in)) {
    struct lesson_knobs groups[LESSON_GROUPS_MAX];
    const struct scenario *start = in.now;
    int count = 0, group_count = lesson->knobs(in.page, groups);
    for (int g = 0; g < group_count; g++) {
        for (int k = 0; groups[g].options[k] != NULL; k++) {
            const char *name = groups[g].options[k];
            int option = calc_option_find(name, strlen(name));
            char text[32];
            for (int stop = 0; option >= 0 && stop_text(option, stop, text); stop++) {
                struct scenario moved;
                if (with_option(start, name, text, &moved)) {
                    in.now = &moved;
                    check(&in);
                    count++;
                }
            }
        }
    }
    return count;
}

#endif
