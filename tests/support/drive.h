/* Drives the application headless: keys by name in, the grid as text out. For golden tests and journeys.
 * One drive at a time owns its app and cells; drive_close frees both. */
#ifndef SUPPORT_DRIVE_H
#define SUPPORT_DRIVE_H

#include "shardlab/shell/app.h"
#include "shardlab/ui/grid.h"

struct drive {
    struct app *app;
    struct grid grid;
    struct ui_cell *cells;
    int rows, cols;
    unsigned effects; /* of the last key */
    char text[1 << 17];
    char roles[1 << 17];
};

/* Starts at the home screen; false with a sentence on stderr when assets cannot be read. */
bool drive_open(struct drive *d, int rows, int cols, const struct app_options *options);
void drive_close(struct drive *d);

/* Draws at the present size into text and roles. */
void drive_draw(struct drive *d);
void drive_resize(struct drive *d, int rows, int cols);

/* Presses keys: names separated by blanks: Up Down Left Right Tab BackTab Enter Esc Space Backspace PgUp PgDn Home End
 * ShiftLeft ShiftRight Ctrl-C (and K L N P R T U X) F1, or single characters (also wide ones); "open:zero" is the keys that lead
 * from home, as it starts, into that lesson. False names an unknown one on stderr. */
bool drive_keys(struct drive *d, const char *keys);

/* The mouse on the first cell of the first row that holds the text, moved `right` columns; false: no such text. */
bool drive_mouse(struct drive *d, enum ui_mouse_kind kind, const char *text, int right);

/* True if some row of the screen contains the text. */
bool drive_shows(const struct drive *d, const char *text);

#endif
