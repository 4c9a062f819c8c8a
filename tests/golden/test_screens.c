/* Golden pictures: every page of every lesson, home, help and why, at three sizes, in both languages, once as plain
 * ASCII without colour and once with all glyphs and the role of each cell. The files under tests/golden/<lesson>/
 * are what a person looked at. With GOLDEN_UPDATE=1 in the environment they are written anew and the difference is
 * shown by git. A missing file is a failure, and so is a file that no screen makes any more. */
#include <check.h>
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "shardlab/lesson/lesson.h"
#include "support/drive.h"
#include "support/sanitized.h"

static const struct { int rows, cols; } sizes[] = {{24, 80}, {40, 120}, {14, 44}};
static const char *const languages[] = {"en", "zh"};
static const char *const modes[] = {"ascii", "full"};

/* A screen by the keys that lead to it from home. */
struct shot {
    const char *folder, *name, *keys;
};
static const struct shot shots[] = {
    {"shell", "home", ""},
    {"shell", "help", "?"},
    {"shell", "picker-model", "open:memory Enter"},
    {"shell", "picker-typed", "open:memory Enter q w e n"},
    {"shell", "picker-refused",
     "open:memory Tab Down Right Right Right Right Right BackTab Enter Home Enter"},
    {"shell", "picker-card", "open:memory Down Enter"},
    {"shell", "glossary-typed", "g h a n g"},
    {"shell", "glossary-nothing", "g h a n g x"},
    {"shell", "term", "g f a u l t Enter"},
    {"memory", "page1", "open:memory"},
    {"memory", "page2", "open:memory Space s"},
    {"memory", "page2-asks", "open:memory Space"},
    {"memory", "page2-marked", "open:memory Space c"},
    {"memory", "page2-said", "open:memory Space 4"},
    {"memory", "page2-moved", "open:memory Space 4 Down Right"},
    {"memory", "page3", "open:memory Space Space"},
    {"memory", "page3-moved", "open:memory Space Space Down Down Right Right Right"},
    {"memory", "page3-refused", "open:memory Space Space c Right Enter Down Right"},
    {"memory", "page4", "open:memory Space Space Space"},
    {"memory", "page5", "open:memory Space Space Space Space"},
    {"memory", "page6", "open:memory Space Space Space Space Space"},
    {"memory", "page6-view", "open:memory Space Space Space Space Space BackTab Down"},
    {"memory", "why-optimizer", "open:memory w"},
    {"memory", "why-activations", "open:memory w Right"},
    {"memory", "why-buffers", "open:memory w Right Right"},
    {"memory", "command-line", "open:memory y"},
    {"memory", "layout-group", "open:memory Tab"},
    {"memory", "search-typing", "open:memory / A d a m"},
    {"memory", "search-found", "open:memory / z e r o Enter n n n n"},
    {"memory", "view-focus", "open:memory BackTab"},
    {"memory", "conventions", "open:memory c"},
    {"memory", "conventions-right",
     "open:memory Space Space Right Right c Right Right Right Right"},
    {"collectives", "page2-asks", "open:collectives Space r"},
    {"collectives", "page1", "open:collectives"},
    {"collectives", "page1-naive", "open:collectives Left . ."},
    {"collectives", "page2", "open:collectives Space"},
    {"collectives", "page2-sixteen", "open:collectives Space End ."},
    {"collectives", "page2-view", "open:collectives Space BackTab Right Down"},
    {"collectives", "page3", "open:collectives Space Space"},
    {"collectives", "page3-refused", "open:collectives Tab Down Down Right Right Right"},
    {"collectives", "page4", "open:collectives Space Space Space"},
    {"collectives", "page4-few", "open:collectives Space Space Space Left Left Left Left"},
    {"collectives", "page5", "open:collectives Space Space Space Space"},
    {"collectives", "page5-six", "open:collectives Space Space Space Space Right Right"},
    {"collectives", "command-line", "open:collectives Right Right y"},
    {"activations", "page1", "open:activations s"},
    {"activations", "page1-asks", "open:activations"},
    {"activations", "page1-said", "open:activations 3"},
    {"activations", "page2", "open:activations Space"},
    {"activations", "page2-gpt", "open:activations Space Down Down Right"},
    {"activations", "page3", "open:activations Space Space s"},
    {"activations", "page3-said", "open:activations Space Space 2"},
    {"activations", "page3-flash", "open:activations Space Space s Down Right"},
    {"activations", "page4", "open:activations Space Space Space"},
    {"activations", "page4-stages", "open:activations Space Space Space Down Down Right Right"},
    {"activations", "page5", "open:activations Space Space Space Space"},
    {"activations", "page5-logits", "open:activations Space Space Space Space Right Right Right"},
    {"start", "page1", "open:start s"},
    {"start", "page1-asks", "open:start"},
    {"start", "page1-said", "open:start 2"},
    {"start", "page2", "open:start Space"},
    {"start", "page2-zero3", "open:start Space Right Right Right"},
    {"start", "page2-together", "open:start Space Right Right Right Down Down Down Right Right"},
    {"start", "page3", "open:start Space Space s"},
    {"start", "page3-said", "open:start Space Space 1"},
    {"start", "page4", "open:start Space Space Space"},
    {"start", "page4-none", "open:start Space Space Space Home"},
    {"start", "page4-view", "open:start Space Space Space BackTab BackTab Down Down Down Down"},
    {"hybrid", "page1", "open:hybrid s"},
    {"hybrid", "page1-asks", "open:hybrid"},
    {"hybrid", "page1-wide", "open:hybrid s Right Down Down Left"},
    {"hybrid", "page1-view", "open:hybrid s BackTab BackTab Down Down Down Down Down Down"},
    {"hybrid", "page2", "open:hybrid Space s"},
    {"hybrid", "page2-said", "open:hybrid Space 1"},
    {"hybrid", "page2-flipped", "open:hybrid Space s Right"},
    {"hybrid", "page3", "open:hybrid Space Space"},
    {"hybrid", "page3-unpublished", "open:hybrid Space Space End Left"},
    {"hybrid", "page4", "open:hybrid Space Space Space"},
    {"hybrid", "page4-alone", "open:hybrid Space Space Space Down Home"},
    {"hybrid", "page5", "open:hybrid Space Space Space Space"},
    {"hybrid", "command-line", "open:hybrid Space Space Space Space y"},
    {"offload", "page1", "open:offload"},
    {"offload", "page1-params", "open:offload Right"},
    {"offload", "page2", "open:offload Space s"},
    {"offload", "page2-said", "open:offload Space 3"},
    {"offload", "page2-disks", "open:offload Space s Down Right"},
    {"offload", "page3", "open:offload Space Space s"},
    {"offload", "page3-asks", "open:offload Space Space"},
    {"offload", "page3-package", "open:offload Space Space s Down Right Right Right Right"},
    {"offload", "page4", "open:offload Space Space Space"},
    {"offload", "page4-slow", "open:offload Space Space Space Down Down Left Left Left"},
    {"offload", "page5", "open:offload Space Space Space Space"},
    {"offload", "command-line", "open:offload Space Space s Down Down Right y"},
    {"tensor-parallel", "page1-asked", "open:tensor-parallel"},
    {"tensor-parallel", "page1", "open:tensor-parallel 2"},
    {"tensor-parallel", "page1-full", "open:tensor-parallel s Right Right s"},
    {"tensor-parallel", "page2", "open:tensor-parallel Space"},
    {"tensor-parallel", "page2-sequence", "open:tensor-parallel Space Down Right"},
    {"tensor-parallel", "page3", "open:tensor-parallel Space Space"},
    {"tensor-parallel", "page3-network", "open:tensor-parallel Space Space Down Left"},
    {"tensor-parallel", "page4", "open:tensor-parallel Space Space Space"},
    {"tensor-parallel", "page5", "open:tensor-parallel Space Space Space Space Right"},
    {"tensor-parallel", "command-line", "open:tensor-parallel y"},
    {"pipeline", "page1-asked", "open:pipeline"},
    {"pipeline", "page1", "open:pipeline 1"},
    {"pipeline", "page1-step", "open:pipeline s . ."},
    {"pipeline", "page1-critical", "open:pipeline s Down Down Down Left"},
    {"pipeline", "page2-asked", "open:pipeline Space"},
    {"pipeline", "page2", "open:pipeline Space 2"},
    {"pipeline", "page2-gpipe", "open:pipeline Space s Down Right"},
    {"pipeline", "page3", "open:pipeline Space Space"},
    {"pipeline", "page3-readable", "open:pipeline Space Space Down Down Left"},
    {"pipeline", "page4", "open:pipeline Space Space Space"},
    {"pipeline", "page4-refused", "open:pipeline Space Space Space Right Down Down Left"},
    {"pipeline", "page5", "open:pipeline Space Space Space Space"},
    {"pipeline", "page5-equal", "open:pipeline Space Space Space Space Left"},
    {"pipeline", "command-line", "open:pipeline Space Space y"},
    {"data-parallel", "page1", "open:data-parallel s"},
    {"data-parallel", "page1-asks", "open:data-parallel"},
    {"data-parallel", "page1-more", "open:data-parallel s End"},
    {"data-parallel", "page2", "open:data-parallel Space s"},
    {"data-parallel", "page2-said", "open:data-parallel Space 1"},
    {"data-parallel", "page3", "open:data-parallel Space Space"},
    {"data-parallel", "page3-every", "open:data-parallel Space Space Down Right"},
    {"data-parallel", "page4", "open:data-parallel Space Space Space"},
    {"data-parallel", "page4-short", "open:data-parallel Space Space Space Down Home"},
    {"data-parallel", "page5", "open:data-parallel Space Space Space Space s"},
    {"data-parallel", "page5-even", "open:data-parallel Space Space Space Space s Home"},
    {"zero", "page1", "open:zero s"},
    {"zero", "page1-asks", "open:zero"},
    {"zero", "page1-fp32", "open:zero s Down Down Home"},
    {"zero", "page2", "open:zero Space s"},
    {"zero", "page2-said", "open:zero Space 2"},
    {"zero", "page2-fp32", "open:zero Space s Down Right"},
    {"zero", "page3", "open:zero Space Space s"},
    {"zero", "page3-eight", "open:zero Space Space s Right Right Right"},
    {"zero", "page4", "open:zero Space Space Space s"},
    {"zero", "page4-undefined", "open:zero Space Space Space s End"},
    {"zero", "page5", "open:zero Space Space Space Space"},
    {"zero", "page5-nodes", "open:zero Space Space Space Space End"},
    {"zero", "command-line", "open:zero Space s y"},
    {"formats", "page1", "open:formats 2"},
    {"formats", "page1-asks", "open:formats"},
    {"formats", "page1-overflow", "open:formats s Right Right Right Right Right Right Right"},
    {"formats", "page2", "open:formats Space s"},
    {"formats", "page3", "open:formats Space Space s"},
    {"formats", "page3-wide", "open:formats Space Space s Left"},
    {"formats", "page4", "open:formats Space Space Space s"},
    {"formats", "page4-asks", "open:formats Space Space Space"},
    {"formats", "page5", "open:formats Space Space Space Space s"},
    {"formats", "command-line", "open:formats Space y"},
    {"mixed-precision", "page1", "open:mixed-precision s"},
    {"mixed-precision", "page1-wrong", "open:mixed-precision 1"},
    {"mixed-precision", "page2", "open:mixed-precision Space s"},
    {"mixed-precision", "page2-scaled", "open:mixed-precision Space s Right Right Right"},
    {"mixed-precision", "page2-dynamic", "open:mixed-precision Space Down Down Down Right s"},
    {"mixed-precision", "page3", "open:mixed-precision Space Space s"},
    {"mixed-precision", "page3-stochastic", "open:mixed-precision Space Space Down Down Right s"},
    {"mixed-precision", "page4", "open:mixed-precision Space Space Space 1"},
    {"mixed-precision", "page4-adam", "open:mixed-precision Space Space Space Right s"},
    {"mixed-precision", "page5", "open:mixed-precision Space Space Space Space s"},
    {"mixed-precision", "page5-asks", "open:mixed-precision Space Space Space Space"},
};
enum { SHOTS = sizeof shots / sizeof shots[0], SIZES = 3, LANGUAGES = 2, MODES = 2 };
enum { PICTURES = SHOTS * SIZES * LANGUAGES * MODES };

static struct drive drive;

struct picture {
    const struct shot *shot;
    int size, language, mode;
    char path[512];
};

static struct picture picture_at(int index) {
    struct picture p;
    p.mode = index % MODES;
    p.language = index / MODES % LANGUAGES;
    p.size = index / (MODES * LANGUAGES) % SIZES;
    p.shot = &shots[index / (MODES * LANGUAGES * SIZES)];
    snprintf(p.path, sizeof p.path, "%s/golden/%s/%s-%dx%d-%s-%s.txt", TEST_SOURCE_DIR,
             p.shot->folder, p.shot->name, sizes[p.size].cols, sizes[p.size].rows,
             languages[p.language], modes[p.mode]);
    return p;
}

/* The whole picture as the file holds it. The caller frees it. */
static char *paint(const struct picture *p) {
    struct app_options options = {
        .chinese = p->language == 1, .ascii = p->mode == 0, .progress = ""};
    ck_assert(drive_open(&drive, sizes[p->size].rows, sizes[p->size].cols, &options));
    ck_assert(drive_keys(&drive, p->shot->keys));
    size_t capacity = sizeof drive.text + sizeof drive.roles + 16;
    char *all = malloc(capacity);
    ck_assert_ptr_nonnull(all);
    snprintf(all, capacity, "%s%s%s", drive.text, p->mode == 0 ? "" : "--- roles\n",
             p->mode == 0 ? "" : drive.roles);
    drive_close(&drive);
    return all;
}

static char *read_whole(const char *path) {
    FILE *f = fopen(path, "rb");
    if (f == NULL) {
        return NULL;
    }
    char *text = calloc(1, 1 << 18);
    ck_assert_ptr_nonnull(text);
    ck_assert_uint_lt(fread(text, 1, (1 << 18) - 1, f), (1 << 18) - 1);
    fclose(f);
    return text;
}

static void write_whole(const struct picture *p, const char *text) {
    char folder[512];
    snprintf(folder, sizeof folder, "%s/golden/%s", TEST_SOURCE_DIR, p->shot->folder);
    ck_assert_msg(mkdir(folder, 0777) == 0 || errno == EEXIST, "%s cannot be made", folder);
    FILE *f = fopen(p->path, "wb");
    ck_assert_msg(f != NULL && fputs(text, f) >= 0, "%s cannot be written", p->path);
    ck_assert_int_eq(fclose(f), 0);
}

/* The first line in which two texts differ, for the message. */
static void first_difference(const char *want, const char *got, char *out, size_t capacity) {
    int line = 1;
    size_t start = 0;
    for (size_t i = 0; want[i] != '\0' && want[i] == got[i]; i++) {
        if (want[i] == '\n') {
            line++;
            start = i + 1;
        }
    }
    snprintf(out, capacity, "line %d:\n- %.*s\n+ %.*s", line, (int)strcspn(want + start, "\n"),
             want + start, (int)strcspn(got + start, "\n"), got + start);
}

/* Under a sanitizer every seventh, which turns through sizes, languages and modes. */
enum { EACH = SANITIZED ? 7 : 1 };

START_TEST(the_screen_is_the_one_that_was_looked_at) {
    struct picture p = picture_at(_i * EACH);
    char *got = paint(&p);
    if (getenv("GOLDEN_UPDATE") != NULL) {
        write_whole(&p, got);
    }
    char *want = read_whole(p.path);
    ck_assert_msg(want != NULL, "%s is missing: GOLDEN_UPDATE=1 writes it, then look at it",
                  p.path);
    char difference[2048];
    first_difference(want, got, difference, sizeof difference);
    ck_assert_msg(strcmp(want, got) == 0, "%s, %s", p.path, difference);
    free(got);
    free(want);
}
END_TEST

static bool is_made(const char *folder, const char *file) {
    char path[512];
    snprintf(path, sizeof path, "%s/golden/%s/%s", TEST_SOURCE_DIR, folder, file);
    for (int i = 0; i < PICTURES; i++) {
        struct picture p = picture_at(i);
        if (strcmp(p.path, path) == 0) {
            return true;
        }
    }
    return false;
}

START_TEST(every_golden_file_belongs_to_a_screen) {
    static const char *const folders[] = {"shell", "memory", "collectives", "start", "hybrid"};
    char path[512];
    snprintf(path, sizeof path, "%s/golden/%s", TEST_SOURCE_DIR, folders[_i]);
    DIR *folder = opendir(path);
    ck_assert_msg(folder != NULL, "%s is missing", path);
    for (struct dirent *e = readdir(folder); e != NULL; e = readdir(folder)) {
        ck_assert_msg(e->d_name[0] == '.' || is_made(folders[_i], e->d_name),
                      "%s/%s: no screen makes it", path, e->d_name);
    }
    closedir(folder);
}
END_TEST

/* Every lesson page has its shot, so that a new page cannot go unlooked at. */
START_TEST(every_lesson_page_has_a_picture) {
    const struct lesson *l = lesson_at(_i);
    for (int page = 1; page <= l->page_count; page++) {
        char name[16];
        bool there = false;
        snprintf(name, sizeof name, "page%d", page);
        for (int i = 0; i < SHOTS; i++) {
            there =
                there || (strcmp(shots[i].folder, l->id) == 0 && strcmp(shots[i].name, name) == 0);
        }
        ck_assert_msg(there, "%s %s has no picture", l->id, name);
    }
}
END_TEST

static Suite *suite(void) {
    Suite *s = suite_create("golden.screens");
    TCase *c = tcase_create("screens");
    tcase_add_loop_test(c, the_screen_is_the_one_that_was_looked_at, 0, PICTURES / EACH);
    tcase_add_loop_test(c, every_golden_file_belongs_to_a_screen, 0, 5);
    tcase_add_loop_test(c, every_lesson_page_has_a_picture, 0, lesson_count());
    suite_add_tcase(s, c);
    return s;
}

#include "support/check_main.h"
