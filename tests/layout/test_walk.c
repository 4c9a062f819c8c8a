/* Every page of every lesson of the syllabus, as a learner may come upon it: in both languages, at five sizes, in three
 * modes, with every knob of every group at both of its ends, and through every link. No screen may have a cut character,
 * something on its frame, an empty view, or the other language on it. What counts as a fault is in support/faults.h;
 * planted faults prove first that each can be found. */
#include <check.h>
#include <stdio.h>
#include <string.h>

#include "shardlab/lesson/lesson.h"
#include "shardlab/store/store.h"
#include "shardlab/ui/draw.h"
#include "support/drive.h"
#include "support/faults.h"
#include "support/sanitized.h"

static const struct {
    int rows, cols;
} sizes[] = {{12, 40}, {14, 44}, {24, 80}, {40, 120}, {50, 200}};
/* Plain letters without colour; glyphs; glyphs where ambiguous characters are wide. Colours themselves are a matter of
 * roles, which are looked at in each. */
static const struct { bool ascii, wide; } modes[] = {{true, false}, {false, false}, {false, true}};
enum { SIZES = 5, MODES = 3, LANGUAGES = 2, LABELS_MAX = LESSON_KNOBS_MAX + 2 };
/* Under a sanitizer the smallest, the middle and the largest size, with the plainest and the widest signs. */
enum { EACH = SANITIZED ? 2 : 1, LOOKED = (SIZES + EACH - 1) / EACH * ((MODES + EACH - 1) / EACH) };

static struct drive drive;
static struct store *store;
static struct words words;
static int screens;

struct walk {
    const struct lesson *lesson;
    int page, size, mode, language;
    const char *labels[LABELS_MAX];
};

static void walk_open(struct walk *w) {
    struct app_options options = {.chinese = w->language == 1,
                                  .ascii = modes[w->mode].ascii,
                                  .ambiguous_wide = modes[w->mode].wide,
                                  .progress = ""};
    struct message why;
    ck_assert(drive_open(&drive, sizes[w->size].rows, sizes[w->size].cols, &options));
    ck_assert_int_eq(app_show_lesson(drive.app, w->lesson, &why), STATUS_OK);
    ck_assert_int_eq(store_open(&store, &why), STATUS_OK);
    ck_assert_int_eq(store_words(store, w->language == 1, &words, &why), STATUS_OK);
    drive_draw(&drive);
}

static void walk_close(void) {
    drive_close(&drive);
    store_close(store);
}

static void labels_take(struct walk *w, const struct lesson_knobs *group) {
    int count = 0;
    for (int i = 0; i < LESSON_KNOBS_MAX && group->options[i] != NULL; i++) {
        char id[96];
        (void)snprintf(id, sizeof id, "option.%s.label", group->options[i]);
        w->labels[count++] = words_get(&words, id);
    }
    w->labels[count++] = words_get(&words, "home.more_knobs");
    w->labels[count] = NULL;
}

static const char *fault_of(const struct walk *w, char out[FAULT_TEXT_MAX]) {
    const struct grid *g = &drive.grid;
    const char *fault = fault_halves(g, out);
    fault = fault != NULL ? fault : fault_roles(g, out);
    fault = fault != NULL ? fault : fault_frame(g, out);
    fault = fault != NULL ? fault : fault_view(g, w->labels, out);
    return fault != NULL || w->language == 1 ? fault : fault_language(g, out);
}

/* The screen after these keys. */
static void look(const struct walk *w, const char *keys) {
    char out[FAULT_TEXT_MAX];
    ck_assert(drive_keys(&drive, keys));
    screens++;
    const char *fault = fault_of(w, out);
    if (fault != NULL) { /* an assertion that holds still costs a message through a pipe */
        ck_abort_msg("%s page %d, %s, after %s: %s\n%s", w->lesson->id, w->page + 1,
                     w->language == 1 ? "zh" : "en", keys, fault, drive.text);
    }
}

static int groups_of(const struct walk *w, struct lesson_knobs groups[LESSON_GROUPS_MAX]) {
    memset(groups, 0, sizeof(struct lesson_knobs) * LESSON_GROUPS_MAX);
    return w->lesson->knobs(w->page, groups);
}

/* Every knob of a group to both ends and back; drawn where it stands at an end. */
static void move_group(struct walk *w, const struct lesson_knobs *group) {
    labels_take(w, group);
    for (int k = 0; k < LESSON_KNOBS_MAX && group->options[k] != NULL; k++) {
        look(w, k > 0 ? "u u 0 Down End" : "End");
        look(w, "Home");
    }
}

/* The page's own knobs on each page; the other groups, which are the same on all of them, on the first. */
static void move_knobs(struct walk *w) {
    struct lesson_knobs groups[LESSON_GROUPS_MAX];
    int count = groups_of(w, groups);
    for (int g = 0; g < count && (g == 0 || w->page == 0); g++) {
        ck_assert(g == 0 || drive_keys(&drive, "u u 0 Tab"));
        move_group(w, &groups[g]);
    }
    labels_take(w, &groups[0]);
}

static void walk_lesson(struct walk *w, bool knobs) {
    struct lesson_knobs groups[LESSON_GROUPS_MAX];
    walk_open(w);
    for (w->page = 0; w->page < w->lesson->page_count; w->page++) {
        (void)groups_of(w, groups);
        labels_take(w, &groups[0]);
        look(w, w->page > 0 ? "u u 0 Space" : "Ctrl-L");
        if (knobs) {
            move_knobs(w);
        }
    }
    walk_close();
}

START_TEST(every_page_is_whole_at_every_size_in_every_mode) {
    struct walk w = {.lesson = lesson_at(_i / LANGUAGES), .language = _i % LANGUAGES};
    screens = 0;
    for (w.size = 0; w.size < SIZES; w.size += EACH) {
        for (w.mode = 0; w.mode < MODES; w.mode += EACH) {
            walk_lesson(&w, false);
        }
    }
    ck_assert_int_eq(screens, LOOKED * w.lesson->page_count);
}
END_TEST

/* The sizes are shared out between the languages: at which ends knobs stand has nothing to do with words. */
START_TEST(every_knob_at_both_ends_leaves_a_whole_screen) {
    struct walk w = {.lesson = lesson_at(_i / LANGUAGES), .language = _i % LANGUAGES};
    screens = 0;
    for (w.size = w.language; w.size < SIZES; w.size += LANGUAGES * (SANITIZED ? 3 : 1)) {
        w.mode = w.size % MODES;
        walk_lesson(&w, true);
    }
    ck_assert_int_gt(screens, 2 * w.lesson->page_count);
}
END_TEST

/* --- Links --- */

static const char *title_of(const char *lesson, char id[96]) {
    (void)snprintf(id, 96, "lesson.%s.title", lesson);
    return words_get(&words, id);
}

/* What the header shows once the link is followed: "Memory · 2/6". */
static void header_of(const char *target, char out[128]) {
    char id[96], name[64];
    int page = 1;
    if (strncmp(target, "lesson:", 7) != 0) {
        (void)snprintf(out, 128, "%s", words_get(&words, "home.glossary"));
        return;
    }
    (void)snprintf(name, sizeof name, "%.*s", (int)strcspn(target + 7, "#"), target + 7);
    const char *number = strchr(target, '#');
    if (number != NULL) {
        ck_assert_int_eq(sscanf(number, "#%d", &page), 1);
    }
    const struct lesson *lesson = lesson_find(name);
    ck_assert_msg(lesson != NULL, "a link to %s", target);
    (void)snprintf(out, 128, "%s · %d/%d", title_of(name, id), page, lesson->page_count);
}

static void follow(struct walk *w, int link, const char *target) {
    char header[128];
    walk_open(w);
    struct lesson_knobs groups[LESSON_GROUPS_MAX];
    (void)groups_of(w, groups);
    labels_take(w, &groups[0]);
    for (int page = 0; page < w->page; page++) {
        ck_assert(drive_keys(&drive, "Space"));
    }
    ck_assert(drive_keys(&drive, "BackTab")); /* the words with their links are the last part */
    for (int i = 0; i < link; i++) {
        ck_assert(drive_keys(&drive, "Down"));
    }
    look(w, "Ctrl-L");
    ck_assert(drive_keys(&drive, "Enter"));
    header_of(target, header);
    ck_assert_msg(fault_row_has(&drive.grid, 0, header), "%s page %d: %s leads to\n%s",
                  w->lesson->id, w->page + 1, target, drive.text);
    walk_close();
}

START_TEST(every_link_leads_where_it_says) {
    struct walk w = {
        .lesson = lesson_at(_i / LANGUAGES), .language = _i % LANGUAGES, .mode = 1, .size = 3};
    struct store *own = NULL;
    const struct document *doc = NULL;
    struct message why;
    ck_assert_int_eq(store_open(&own, &why), STATUS_OK);
    ck_assert_int_eq(store_lesson(own, w.lesson->folder, w.language == 1, &doc, &why), STATUS_OK);
    for (w.page = 0; w.page < w.lesson->page_count; w.page++) {
        for (int i = 0; i < ui_page_link_count(doc, w.page); i++) {
            follow(&w, i, ui_page_link(doc, w.page, i)->target);
        }
    }
    store_close(own);
}
END_TEST

/* --- Planted faults: a whole screen, with one thing wrong --- */

static struct ui_cell *cell(int row, int col) {
    return &drive.cells[row * drive.cols + col];
}

static void plant(int row, int col, uint32_t c, enum ui_role role) {
    *cell(row, col) = (struct ui_cell){c, 0, (uint8_t)role, 1};
}

static void plant_half(void) {
    *cell(0, 1) = (struct ui_cell){0x5185, 0, UI_ROLE_TEXT, 2};
}
static void plant_role(void) {
    cell(5, 5)->role = UI_ROLES;
}
static void plant_on_upper_rule(void) {
    plant(1, 30, 'x', UI_ROLE_TEXT);
}
static void plant_on_lower_rule(void) {
    plant(drive.rows - 3, 3, 'x', UI_ROLE_TEXT);
}
static void plant_on_split(void) {
    plant(6, fault_split(&drive.grid), 'x', UI_ROLE_TEXT);
}
static void plant_beside_split(void) {
    plant(6, fault_split(&drive.grid) - 1, 'x', UI_ROLE_TEXT);
}
static void plant_chinese(void) {
    plant(6, 8, 0x5185, UI_ROLE_TEXT);
}
static void plant_empty_view(void) {
    int split = fault_split(&drive.grid);
    for (int row = fault_middle(&drive.grid, split) + 1; row < drive.rows - 3; row++) {
        for (int col = split + 1; col < drive.cols; col++) {
            plant(row, col, ' ', UI_ROLE_TEXT);
        }
    }
}
static void plant_no_middle(void) {
    int split = fault_split(&drive.grid);
    for (int col = split + 1; col < drive.cols; col++) {
        plant(fault_middle(&drive.grid, split), col, ' ', UI_ROLE_TEXT);
    }
}

static const struct {
    void (*plant)(void);
    const char *fault;
} planted[] = {
    {plant_half, "a half of a wide character"},
    {plant_role, "a role that is none"},
    {plant_on_upper_rule, "something on the upper rule"},
    {plant_on_lower_rule, "something on the lower rule"},
    {plant_on_split, "the line between the panes is broken"},
    {plant_beside_split, "words touch the line"},
    {plant_chinese, "Chinese on an English screen"},
    {plant_empty_view, "an empty view"},
    {plant_no_middle, "no rule in the middle"},
};

START_TEST(a_planted_fault_is_found) {
    struct walk w = {.lesson = lesson_at(0), .size = 2, .mode = 1};
    char out[FAULT_TEXT_MAX];
    struct lesson_knobs groups[LESSON_GROUPS_MAX];
    walk_open(&w);
    (void)groups_of(&w, groups);
    labels_take(&w, &groups[0]);
    look(&w, "Ctrl-L");
    planted[_i].plant();
    const char *fault = fault_of(&w, out);
    ck_assert_msg(fault != NULL && strstr(fault, planted[_i].fault) != NULL, "%s, not %s",
                  fault == NULL ? "nothing" : fault, planted[_i].fault);
    walk_close();
}
END_TEST

/* On a low screen: the view is what stands above the rule and is no knob. */
START_TEST(an_empty_view_above_the_words_is_found) {
    struct walk w = {.lesson = lesson_at(0), .size = 0, .mode = 1};
    char out[FAULT_TEXT_MAX];
    struct lesson_knobs groups[LESSON_GROUPS_MAX];
    walk_open(&w);
    (void)groups_of(&w, groups);
    labels_take(&w, &groups[0]);
    look(&w, "Ctrl-L");
    for (int row = 2; row < fault_middle(&drive.grid, -1); row++) {
        bool knob = false;
        for (int i = 0; w.labels[i] != NULL; i++) {
            knob = knob || fault_row_has(&drive.grid, row, w.labels[i]);
        }
        for (int col = 0; !knob && col < drive.cols; col++) {
            plant(row, col, ' ', UI_ROLE_TEXT);
        }
    }
    const char *fault = fault_of(&w, out);
    ck_assert_msg(fault != NULL && strstr(fault, "an empty view") != NULL, "nothing");
    walk_close();
}
END_TEST

static Suite *suite(void) {
    Suite *s = suite_create("walk");
    TCase *faults = tcase_create("planted");
    tcase_add_loop_test(faults, a_planted_fault_is_found, 0,
                        (int)(sizeof planted / sizeof planted[0]));
    tcase_add_test(faults, an_empty_view_above_the_words_is_found);
    suite_add_tcase(s, faults);
    TCase *t = tcase_create("syllabus");
    tcase_set_timeout(t, 300);
    tcase_add_loop_test(t, every_page_is_whole_at_every_size_in_every_mode, 0,
                        lesson_count() * LANGUAGES);
    tcase_add_loop_test(t, every_knob_at_both_ends_leaves_a_whole_screen, 0,
                        lesson_count() * LANGUAGES);
    tcase_add_loop_test(t, every_link_leads_where_it_says, 0, lesson_count() * LANGUAGES);
    suite_add_tcase(s, t);
    return s;
}

#include "support/check_main.h"
