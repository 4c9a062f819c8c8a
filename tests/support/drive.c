/* See drive.h. */
#include "support/drive.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "shardlab/base/words.h"
#include "shardlab/lesson/lesson.h"
#include "shardlab/ui/key.h"
#include "shardlab/view/width.h"

static const struct {
    const char *name;
    uint32_t key;
} named_keys[] = {
    {"Up", UI_KEY_UP},
    {"Down", UI_KEY_DOWN},
    {"Left", UI_KEY_LEFT},
    {"Right", UI_KEY_RIGHT},
    {"Tab", UI_KEY_TAB},
    {"BackTab", UI_KEY_BACK_TAB},
    {"Enter", UI_KEY_ENTER},
    {"Esc", UI_KEY_ESCAPE},
    {"Space", UI_KEY_SPACE},
    {"Backspace", UI_KEY_BACKSPACE},
    {"PgUp", UI_KEY_PAGE_UP},
    {"PgDn", UI_KEY_PAGE_DOWN},
    {"Home", UI_KEY_HOME},
    {"End", UI_KEY_END},
    {"ShiftLeft", UI_KEY_SHIFT_LEFT},
    {"ShiftRight", UI_KEY_SHIFT_RIGHT},
    {"Ctrl-C", UI_KEY_CTRL_C},
    {"Ctrl-U", UI_KEY_CTRL_U},
    {"Ctrl-L", UI_KEY_CTRL_L},
    {"Ctrl-K", UI_KEY_CTRL_K},
    {"Ctrl-N", UI_KEY_CTRL_N},
    {"Ctrl-P", UI_KEY_CTRL_P},
    {"Ctrl-R", UI_KEY_CTRL_R},
    {"Ctrl-T", UI_KEY_CTRL_T},
    {"Ctrl-X", UI_KEY_CTRL_X},
    {"F1", UI_KEY_F1},
};

bool drive_open(struct drive *d, int rows, int cols, const struct app_options *options) {
    struct message why;
    memset(d, 0, sizeof *d);
    if (options->progress == NULL) {
        fputs("drive: a test names its log, or \"\" for none\n", stderr);
        return false; /* nobody's own answers are read or written by a test */
    }
    if (app_new(&d->app, options, &why) != STATUS_OK) {
        char text[512];
        struct writer w;
        struct words none = {0};
        writer_start(&w, text, sizeof text);
        words_write(&w, &none, &why);
        fprintf(stderr, "drive: %s %s\n", text, why.arg_count > 0 ? why.args[0].text : "");
        return false;
    }
    d->grid.rules.ambiguous_wide = options->ambiguous_wide;
    drive_resize(d, rows, cols);
    return true;
}

void drive_close(struct drive *d) {
    app_free(d->app);
    free(d->cells);
    memset(d, 0, sizeof *d);
}

void drive_resize(struct drive *d, int rows, int cols) {
    d->rows = rows;
    d->cols = cols;
    free(d->cells);
    d->cells = malloc((size_t)rows * (size_t)cols * sizeof *d->cells);
    if (d->cells == NULL) {
        abort();
    }
    drive_draw(d);
}

void drive_draw(struct drive *d) {
    struct writer w;
    struct width_rules rules = d->grid.rules;
    grid_start(&d->grid, d->rows, d->cols, d->cells, rules);
    app_draw(d->app, &d->grid);
    writer_start(&w, d->text, sizeof d->text);
    grid_write_text(&w, &d->grid);
    writer_start(&w, d->roles, sizeof d->roles);
    grid_write_roles(&w, &d->grid);
}

/* From home: down to the lesson and into it, wherever the syllabus has it. */
static bool open_lesson(struct drive *d, const char *id, size_t length) {
    for (int i = 0; i < lesson_count(); i++) {
        if (strlen(lesson_at(i)->id) == length && memcmp(lesson_at(i)->id, id, length) == 0) {
            d->effects = app_key(d->app, UI_KEY_END);
            d->effects = app_key(d->app, UI_KEY_HOME); /* from below: to the first lesson */
            for (int down = 0; down < i; down++) {
                d->effects = app_key(d->app, UI_KEY_DOWN);
            }
            d->effects = app_key(d->app, UI_KEY_ENTER);
            return true;
        }
    }
    fprintf(stderr, "drive: no lesson is called %.*s\n", (int)length, id);
    return false;
}

static bool press(struct drive *d, const char *name, size_t length) {
    static const char open[] = "open:";
    if (length > strlen(open) && memcmp(name, open, strlen(open)) == 0) {
        return open_lesson(d, name + strlen(open), length - strlen(open));
    }
    for (size_t i = 0; i < sizeof named_keys / sizeof named_keys[0]; i++) {
        if (strlen(named_keys[i].name) == length && memcmp(named_keys[i].name, name, length) == 0) {
            d->effects = app_key(d->app, named_keys[i].key);
            return true;
        }
    }
    size_t at = 0;
    uint32_t key = width_decode(name, &at);
    if (at != length) {
        fprintf(stderr, "drive: no key is called %.*s\n", (int)length, name);
        return false;
    }
    d->effects = app_key(d->app, key);
    return true;
}

bool drive_keys(struct drive *d, const char *keys) {
    for (const char *at = keys; *at != '\0';) {
        size_t length = strcspn(at, " \n");
        if (length > 0 && !press(d, at, length)) {
            return false;
        }
        at += length;
        at += strspn(at, " \n");
    }
    drive_draw(d);
    return true;
}

bool drive_mouse(struct drive *d, enum ui_mouse_kind kind, const char *text, int right) {
    const char *at = strstr(d->text, text);
    if (at == NULL) {
        return false;
    }
    char before[4096];
    const char *line = at;
    struct ui_mouse mouse = {.kind = kind};
    while (line > d->text && line[-1] != '\n') {
        line--;
    }
    for (const char *p = d->text; p < line; p++) {
        mouse.row += *p == '\n' ? 1 : 0;
    }
    snprintf(before, sizeof before, "%.*s", (int)(at - line), line);
    mouse.col = width_text(before, &d->grid.rules) + right;
    d->effects = app_mouse(d->app, &mouse);
    drive_draw(d);
    return true;
}

bool drive_shows(const struct drive *d, const char *text) {
    return strstr(d->text, text) != NULL;
}
