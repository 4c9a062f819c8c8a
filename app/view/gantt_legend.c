/* What the signs of a Gantt mean: only those that stand in the picture, each as it looks there, with its name. Proof:
 * tests/unit/view/test_gantt.c. */
#include <stdio.h>

#include "gantt_private.h"

enum { LEGEND_GAP = 3, TEXT_MAX = 256 };

static int cols_of(const struct gantt_board *b, const char *text) {
    return width_text(text, &b->pen->rules);
}

const char *gantt_filling(int kind, bool ascii) {
    switch (kind) {
    case VIEW_GANTT_F:
        return ascii ? "-" : "─";
    case VIEW_GANTT_B:
        return ":";
    case VIEW_GANTT_W:
        return "+";
    default:
        return ascii ? "." : "·";
    }
}

const char *gantt_sign(int kind, bool ascii) {
    switch (kind) {
    case VIEW_GANTT_F:
        return ascii ? ">" : "›";
    case VIEW_GANTT_W:
        return "+";
    case VIEW_GANTT_PAIR:
        return "&";
    default:
        return ascii ? "<" : "‹";
    }
}

static bool has_parts(const struct view_gantt *g) {
    for (int i = 0; i < g->row_count; i++) {
        if (g->rows[i].parts > 1) {
            return true;
        }
    }
    return false;
}

/* The signs of one kind and its name, behind the last; goes to the next row where that is too long. */
static void legend_put(const struct gantt_board *b, int *row, int *col, const char *sample,
                       const char *id) {
    const char *name = words_get(b->pen->words, id);
    int gap = sample[0] != '\0' ? 1 : 0;
    int cols = cols_of(b, sample) + gap + cols_of(b, name);
    if (*col > 0 && *col + LEGEND_GAP + cols > b->pen->cols) {
        (*row)++;
        *col = 0;
    }
    *col += *col > 0 ? LEGEND_GAP : 0;
    b->pen->put(b->pen->context, *row, *col, sample, VIEW_TONE_STRONG);
    b->pen->put(b->pen->context, *row, *col + cols_of(b, sample) + gap, name, VIEW_TONE_DIM);
    *col += cols;
}

static void write_sample(const struct gantt_board *b, int kind, char out[TEXT_MAX]) {
    static const char *const wide[VIEW_GANTT_PAIR + 1] = {"F3", "B3", "W3", "B3", "F3&B5"};
    bool ascii = b->pen->ascii;
    if (b->plot.wide) {
        const char *name = kind == VIEW_GANTT_BW && b->plot.splits ? "BW3" : wide[kind];
        (void)snprintf(out, TEXT_MAX, "%s", name);
    } else if (kind == VIEW_GANTT_PAIR) {
        (void)snprintf(out, TEXT_MAX, "3&5");
    } else {
        (void)snprintf(out, TEXT_MAX, "3%s",
                       kind == VIEW_GANTT_F ? "" : gantt_filling(kind, ascii));
    }
}

/* What the strip is, in fewer words where the others have no room in a row. */
static const char *held_id(const struct gantt_board *b, const char *sample) {
    bool parts = has_parts(b->gantt);
    const char *id = parts ? "view.gantt.held_stages" : "view.gantt.held";
    bool fits = cols_of(b, sample) + 1 + cols_of(b, words_get(b->pen->words, id)) <= b->pen->cols;
    return fits ? id : parts ? "view.gantt.held_stages_short" : "view.gantt.held_short";
}

int gantt_legend_paint(const struct gantt_board *b, int row) {
    static const char *const ids[VIEW_GANTT_PAIR + 1] = {
        "view.gantt.forward", "view.gantt.backward_inputs", "view.gantt.backward_weights",
        "view.gantt.backward", "view.gantt.pair"};
    int first = row, col = 0;
    for (int kind = 0; kind <= VIEW_GANTT_PAIR; kind++) {
        char sample[TEXT_MAX];
        write_sample(b, kind, sample);
        if (b->kinds[kind]) {
            bool both = kind == VIEW_GANTT_BW && b->plot.splits;
            legend_put(b, &row, &col, sample, both ? "view.gantt.backward_both" : ids[kind]);
        }
    }
    if (b->many) {
        char signs[TEXT_MAX];
        (void)snprintf(signs, sizeof signs, "%s %s %s", gantt_sign(VIEW_GANTT_F, b->pen->ascii),
                       gantt_sign(VIEW_GANTT_B, b->pen->ascii), "+");
        legend_put(b, &row, &col, signs, "view.gantt.many");
    }
    if (b->letters) {
        legend_put(b, &row, &col, b->plot.wide ? "F3b" : "d", "view.gantt.chunk");
    }
    if (b->gantt->marks_critical) {
        legend_put(b, &row, &col, b->pen->ascii ? "===" : "━━━", "view.gantt.critical");
    }
    if (b->gantt->strip) {
        const char *sample = b->pen->ascii ? "1 2 3" : "▂▅█";
        legend_put(b, &row, &col, sample, held_id(b, sample));
    }
    legend_put(b, &row, &col, "", "view.gantt.idle");
    return row + 1 - first;
}
