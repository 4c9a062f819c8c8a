/* Drawing: contents to cells. Each function draws into a rectangle, clips, and returns the rows it would need
 * or has used, so that the same code measures (on a grid of zero rows) and draws. Rows are the grid's, as in
 * grid.h. What has the focus also gets the grid's hardware cursor. */
#ifndef UI_DRAW_H
#define UI_DRAW_H

#include "shardlab/base/document.h"
#include "shardlab/ui/action.h"
#include "shardlab/ui/grid.h"
#include "shardlab/ui/layout.h"
#include "shardlab/ui/look.h"
#include "shardlab/view/view.h"

/* A slider as the shell knows it. Texts are borrowed. */
enum { UI_KNOB_STOPS_MAX = 64 };
struct ui_knob {
    const char *label; /* shown text */
    const char *value; /* "4096", "6.74B params"; right-aligned */
    int stop_count;
    const char
        *stops[UI_KNOB_STOPS_MAX];  /* short text of each stop; NULL in a long slider: only marks */
    bool hollow[UI_KNOB_STOPS_MAX]; /* refused by validation */
    int current;                    /* -1: between stops */
    bool picker;                    /* ‹ name › instead of a rail */
    bool focused;
};

/* One row a knob: "› Data ranks   1   2   4  ●8   16 …"; shows stop texts when they fit, else a rail with ●. */
void ui_knob_draw(struct grid *g, struct rect area, int row, const struct ui_knob *knob,
                  int label_cols, const struct look *look);

/* Draws all items of the view; `cursor` is the ledger row that has the focus marker (-1: none; past the last row: a
 * low pane scrolls on to the items below; in a view without a ledger it scrolls by as many rows), `active`
 * whether the pane has the focus. Returns the rows used (may exceed area.rows: then blank rows go first, and
 * what is left is clipped at the bottom, or above the cursor's row when that would not be seen, under the ledger's
 * header). */
int ui_view_draw(struct grid *g, struct rect area, const struct view *v, int cursor, bool active,
                 const struct look *look);
/* Rows that the view would like at this width. */
int ui_view_rows(const struct view *v, int cols, const struct look *look);

/* What is done to lesson text while it is laid out. Expands {{name}}; false: unknown name, the text stays as
 * written. Marks the words that are looked for. */
struct ui_expand {
    bool (*write)(void *context, const char *name, struct writer *out);
    void *context;
    const char *find; /* NULL: nothing is looked for */
    int found;        /* of the page's matches the one with the focus, -1 none */
};

/* The words of a page, wrapped (UAX #14, libunibreak) into area, scrolled by `scroll` rows. `link` is the index
 * of the focused link on the page (-1 none). Returns the rows of the whole page at this width. */
int ui_page_draw(struct grid *g, struct rect area, const struct document *doc, int page, int scroll,
                 int link, const struct ui_expand *expand, const struct look *look);
int ui_page_link_count(const struct document *doc, int page);
const struct span *ui_page_link(const struct document *doc, int page, int link);
/* The row of the page, at this width, on which a link starts; -1: no such link. For scrolling it into sight. */
int ui_page_link_row(int cols, const struct document *doc, int page, int link,
                     const struct ui_expand *expand, const struct look *look);

/* The row of the page, at this width, on which the match expand->found starts; -1: there are not so many. */
int ui_page_match_row(int cols, const struct document *doc, int page,
                      const struct ui_expand *expand, const struct look *look);

/* Plain wrapped text; returns rows used from `row` on. */
int ui_text_draw(struct grid *g, struct rect area, int row, const char *text, enum ui_role role,
                 const struct look *look);

/* The last row: the actions valid here, most important first, dropped from the right when narrow. */
void ui_hints_draw(struct grid *g, struct rect area, const struct ui_keys *keys,
                   const struct look *look);

/* Help: the actions valid here, then the others, from the action table. Returns rows of the whole. */
int ui_help_draw(struct grid *g, struct rect area, const struct ui_keys *keys, int scroll,
                 const struct look *look);

/* The derivation of one ledger row: formula, the learner's numbers, bytes, why, source. Returns rows. */
int ui_why_draw(struct grid *g, struct rect area, const struct view_ledger *ledger, int row,
                int scroll, const struct look *look);

/* A matrix alone on its screen, scrolled by rows, with the focus on a column (-1: none), which is in sight. Headings can
 * be clicked. Returns the rows of the whole. */
struct ui_matrix_place {
    int col, scroll;
};
int ui_matrix_draw(struct grid *g, struct rect area, const struct view_matrix *m,
                   const struct ui_matrix_place *place, const struct look *look);

/* "40×12 needed, this is 20×5" in one sentence, centred, whatever fits. */
void ui_notice_draw(struct grid *g, struct rect area, const struct look *look);

#endif
