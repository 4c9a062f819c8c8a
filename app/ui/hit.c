/* The list of what can be clicked (ui/hit.h). Where stops rest on a rail is decided here once, for drawing and for
 * the mouse. Proof: tests/unit/ui/test_hit.c. */
#include "shardlab/ui/hit.h"

#include <stddef.h>

static int larger(int a, int b) {
    return a > b ? a : b;
}

static int smaller(int a, int b) {
    return a < b ? a : b;
}

static struct rect meet(struct rect a, struct rect b) {
    struct rect r = {larger(a.row, b.row), larger(a.col, b.col), 0, 0};
    r.rows = larger(smaller(a.row + a.rows, b.row + b.rows) - r.row, 0);
    r.cols = larger(smaller(a.col + a.cols, b.col + b.cols) - r.col, 0);
    return r;
}

void ui_hit_add(struct grid *g, struct rect clip, struct rect area, enum ui_hit_kind kind,
                int part) {
    struct ui_hits *hits = g->hits;
    struct rect seen = meet(meet(clip, area), (struct rect){0, 0, g->rows, g->cols});
    if (hits == NULL || hits->count == UI_HITS_MAX || seen.rows == 0 || seen.cols == 0) {
        return;
    }
    hits->hits[hits->count++] = (struct ui_hit){seen, kind, hits->id, part};
}

const struct ui_hit *ui_hit_find(const struct ui_hits *hits, int row, int col) {
    for (int i = hits->count - 1; i >= 0; i--) {
        const struct rect *a = &hits->hits[i].area;
        if (row >= a->row && row < a->row + a->rows && col >= a->col && col < a->col + a->cols) {
            return &hits->hits[i];
        }
    }
    return NULL;
}

int ui_rail_cell(int stop, int count, int cells) {
    int gaps = count - 1;
    return gaps > 0 ? (stop * (cells - 1) + gaps / 2) / gaps : 0;
}

static int distance(int a, int b) {
    return a > b ? a - b : b - a;
}

int ui_hit_rail_stop(const struct ui_hit *rail, int col) {
    int best = 0;
    int cell = col - rail->area.col;
    for (int stop = 1; stop < rail->part; stop++) {
        int nearest = ui_rail_cell(best, rail->part, rail->area.cols);
        if (distance(ui_rail_cell(stop, rail->part, rail->area.cols), cell) <
            distance(nearest, cell)) {
            best = stop;
        }
    }
    return best;
}
