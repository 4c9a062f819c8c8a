/* Kinds of view that are pictures of characters are drawn once, with a pen: the terminal hands in a pen that fills
 * cells, the text reader one that writes lines. So both show the same signs in the same places, and only tones (which
 * become colours and attributes) are lost in text; a sign always says what a tone says.
 * A painter puts from left to right and from top to bottom and returns the rows it used. Proof:
 * tests/unit/view/test_gantt.c, test_table.c, test_cluster.c; tests/unit/ui/test_pictures.c. */
#ifndef VIEW_PAINT_H
#define VIEW_PAINT_H

#include "shardlab/base/words.h"
#include "shardlab/view/view.h"
#include "shardlab/view/width.h"

enum view_tone {
    VIEW_TONE_TEXT,
    VIEW_TONE_DIM,
    VIEW_TONE_STRONG,
    VIEW_TONE_ACCENT,
    VIEW_TONE_CURSOR,
    VIEW_TONE_LINE,
    VIEW_TONE_WARNING,
    VIEW_TONE_GOOD,
    VIEW_TONE_FORWARD,
    VIEW_TONE_BACKWARD,
    VIEW_TONE_WEIGHTS_GRADIENT,
    VIEW_TONE_HELD, /* memory that activations hold */
};

struct view_pen {
    void *context;
    const struct words *words;
    struct width_rules rules;
    int cols; /* what there is */
    bool ascii;
    void (*put)(void *context, int row, int col, const char *text, enum view_tone tone);
    /* A sentence, wrapped from column 0; returns its rows, 0 for an empty one. */
    int (*say)(void *context, int row, const char *text, enum view_tone tone);
};

enum { VIEW_SENTENCE_MAX = 1536 };

/* Says a message; one without an id takes no row. */
int view_say(const struct view_pen *pen, int row, const struct message *m, enum view_tone tone);

/* Boxes of the fields with what they mean, the neighbours with the number between them, and the sentences. */
int view_bits_paint(const struct view_pen *pen, int row, const struct view_bits *bits);
/* One row a format on a scale of powers of two, the marks, the axis and what the signs mean. */
int view_ranges_paint(const struct view_pen *pen, int row, const struct view_ranges *ranges);
int view_gantt_paint(const struct view_pen *pen, int row, const struct view_gantt *gantt);
int view_table_paint(const struct view_pen *pen, int row, const struct view_table *table);
int view_cluster_paint(const struct view_pen *pen, int row, const struct view_cluster *cluster);
int view_frames_paint(const struct view_pen *pen, int row, const struct view_frames *frames);
int view_plot_paint(const struct view_pen *pen, int row, const struct view_plot *plot);

#endif
