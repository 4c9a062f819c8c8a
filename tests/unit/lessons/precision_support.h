/* What the tests of the lessons *formats* and *mixed-precision* share: stops by their texts, figures, the words of a page,
 * every position of a page's own knobs, and what any guess has to be. */
#ifndef UNIT_LESSONS_PRECISION_SUPPORT_H
#define UNIT_LESSONS_PRECISION_SUPPORT_H

#include "lesson_support.h"

enum { WORDS_MAX = 1 << 15 };

static const char *const languages[] = {"en", "zh"};

static inline int knob_named(const struct lesson *l, const char *name) {
    int found = -1;
    for (int i = 0; i < l->own_count; i++) {
        found = strcmp(l->own[i].name, name) == 0 ? i : found;
    }
    return found;
}

static inline int stop_count(const struct lesson_knob *knob) {
    int count = 0;
    while (knob->stops[count] != NULL) {
        count++;
    }
    return count;
}

/* "type bf16 ranks 64": these knobs there, the others where they start. */
static inline void place(const struct lesson *l, const char *texts, int own[LESSON_OWN_MAX]) {
    char copy[160], *rest = NULL;
    for (int i = 0; i < l->own_count; i++) {
        own[i] = l->own[i].start;
    }
    snprintf(copy, sizeof copy, "%s", texts);
    for (char *name = strtok_r(copy, " ", &rest); name != NULL; name = strtok_r(NULL, " ", &rest)) {
        const char *text = strtok_r(NULL, " ", &rest);
        int knob = knob_named(l, name), stop = -1;
        ck_assert_msg(knob >= 0 && text != NULL, "%s", texts);
        for (int k = 0; k < stop_count(&l->own[knob]); k++) {
            stop = strcmp(l->own[knob].stops[k], text) == 0 ? k : stop;
        }
        ck_assert_msg(stop >= 0, "%s has no stop %s", name, text);
        own[knob] = stop;
    }
}

static inline const char *figure_of(const struct lesson *l, const struct lesson_input *in,
                                    const char *name) {
    static char text[128];
    struct writer w;
    writer_start(&w, text, sizeof text);
    ck_assert_msg(l->figure(in, name, &w), "{{%s}} is unknown", name);
    ck_assert_msg(!w.overflow && w.length > 0, "{{%s}}", name);
    return text;
}

static inline const char *words_in(const struct lesson *l, const char *language) {
    static char text[WORDS_MAX];
    char path[512];
    snprintf(path, sizeof path, "%s/../lessons/%s/%s.md", TEST_SOURCE_DIR, l->folder, language);
    FILE *file = fopen(path, "rb");
    ck_assert_msg(file != NULL, "%s", path);
    size_t length = fread(text, 1, sizeof text - 1, file);
    fclose(file);
    text[length] = '\0';
    return text;
}

/* Every figure on the page where it stands; returns how many there are. */
static inline int expect_figures(const struct lesson *l, const struct scenario *s,
                                 const char *language) {
    struct lesson_input in = {.now = s, .page = -1};
    int figures = 0;
    for (const char *at = words_in(l, language); *at != '\0'; at++) {
        bool page = strncmp(at, "# ", 2) == 0;
        in.page += page ? 1 : 0;
        if (strncmp(at, "{{", 2) != 0) {
            continue;
        }
        char name[64];
        size_t length = strcspn(at + 2, "}");
        ck_assert_uint_lt(length, sizeof name);
        memcpy(name, at + 2, length);
        name[length] = '\0';
        ck_assert_msg(strcmp(figure_of(l, &in, name), "—") != 0, "{{%s}} has no value", name);
        figures++;
    }
    ck_assert_int_eq(in.page + 1, l->page_count);
    return figures;
}

/* Two choices or more, none like another; the right one is among them, and whoever is wrong learns why. */
static inline void expect_guess(const struct lesson_guess *g, const char *where) {
    ck_assert_msg(g->choice_count >= 2 && g->choice_count <= LESSON_CHOICES_MAX, "%s", where);
    ck_assert_msg(g->question.id != NULL, "%s", where);
    ck_assert_msg(g->right >= 0 && g->right < g->choice_count, "%s", where);
    for (int i = 0; i < g->choice_count; i++) {
        ck_assert_msg(g->why[i].id != NULL, "%s: choice %d says nothing", where, i);
        for (int k = 0; k < i; k++) {
            const struct message *a = &g->choices[i], *b = &g->choices[k];
            bool same = strcmp(a->id, b->id) == 0 && a->arg_count == b->arg_count;
            for (int n = 0; same && n < a->arg_count; n++) {
                same = strcmp(a->args[n].text, b->args[n].text) == 0;
            }
            ck_assert_msg(!same, "%s: choices %d and %d are alike", where, k, i);
        }
    }
}

/* Calls `visit` with every combination of the page's own knobs; returns how many there were. */
static inline int each_position(const struct lesson *l, struct lesson_input *in,
                                int own[LESSON_OWN_MAX],
                                void (*visit)(const struct lesson *, struct lesson_input *)) {
    struct lesson_knobs groups[LESSON_GROUPS_MAX];
    int knobs[LESSON_KNOBS_MAX], count = 0, positions = 0;
    (void)l->knobs(in->page, groups);
    for (int i = 0; groups[0].options[i] != NULL; i++) {
        int knob = knob_named(l, groups[0].options[i]);
        if (knob >= 0) {
            knobs[count++] = knob;
            own[knob] = 0;
        }
    }
    in->own = own;
    for (bool more = true; more;) {
        visit(l, in);
        positions++;
        more = false;
        for (int i = 0; i < count && !more; i++) {
            more = ++own[knobs[i]] < stop_count(&l->own[knobs[i]]);
            own[knobs[i]] = more ? own[knobs[i]] : 0;
        }
    }
    return positions;
}

#endif
