/* Page 1: activations over the length of the sequence, with standard attention and with FlashAttention, and what doubling
 * the sequence or the micro-batch does here. Each point is the memory calculator's; the mark is where scores and the
 * rest of a layer are equal. Appends to the caller's view. Proof: tests/unit/lessons/test_activations.c. */
#include <math.h>
#include <string.h>

#include "activations_private.h"
#include "shardlab/base/units.h"

enum { DOUBLINGS = 8, STEPS = 6, POINTS = DOUBLINGS * STEPS + 1, SHORTEST = 512 };
_Static_assert((int)POINTS <= (int)VIEW_PLOT_POINTS_MAX, "a plot has room for every length");

static struct scenario of_attention(const struct scenario *s, int attention) {
    struct scenario other = *s;
    other.recipe.attention = attention;
    other.recipe.recompute = CALC_RECOMPUTE_NONE;
    return other;
}

/* The shortest sequence of the picture: a table of positions ends where it ends. */
static uint64_t first_length(const struct scenario *s) {
    uint64_t longest = (uint64_t)SHORTEST << DOUBLINGS;
    bool ends = s->model.position == CALC_POSITION_LEARNED && s->model.max_seq < longest;
    uint64_t first = (ends ? s->model.max_seq : longest) >> DOUBLINGS;
    return first > s->layout.cp ? first : s->layout.cp;
}

static void add_series(struct view_plot *plot, const struct scenario *s, int attention) {
    static const char *const names[] = {"standard", "flash"};
    static const char letters[] = {'s', 'f'};
    struct scenario other = of_attention(s, attention);
    struct view_plot_series *series = &plot->series[plot->series_count];
    for (int i = 0; i < plot->point_count; i++) {
        struct calc_memory memory;
        other.batch.seq = (uint64_t)(plot->x[i] + 0.5);
        if (!activations_on_stage(&other, 0, &memory)) {
            return; /* as where it overflows: a curve with a hole is none */
        }
        series->y[i] = (double)memory.part_bytes[CALC_PART_ACTIVATIONS];
    }
    series->name = names[attention];
    series->letter = letters[attention];
    plot->series_count++;
}

static void write_bytes(char out[VIEW_PLOT_LABEL_MAX], double bytes) {
    struct writer w;
    writer_start(&w, out, VIEW_PLOT_LABEL_MAX);
    writer_fixed(&w, bytes / 1e9, bytes < 1e10 ? 1 : 0);
    writer_text(&w, " GB");
}

static void write_tokens(char out[VIEW_PLOT_LABEL_MAX], double tokens) {
    struct writer w;
    writer_start(&w, out, VIEW_PLOT_LABEL_MAX);
    writer_u64(&w, (uint64_t)(tokens + 0.5));
}

void activations_plot_add(struct view *out, const struct scenario *s) {
    struct view_plot *plot = &view_add(out, VIEW_KIND_PLOT)->plot;
    double first = (double)first_length(s), low, high, crossing;
    message_start(&plot->title, "lesson.activations.plot");
    plot->x_name = "sequence";
    plot->y_name = "activations_bytes";
    plot->point_count = POINTS;
    for (int i = 0; i < POINTS; i++) {
        plot->x[i] = floor(first * exp2((double)i / STEPS) + 0.5);
    }
    add_series(plot, s, CALC_ATTENTION_STANDARD);
    add_series(plot, s, CALC_ATTENTION_FLASH);
    write_tokens(plot->low_x, plot->x[0]);
    write_tokens(plot->high_x, plot->x[POINTS - 1]);
    if (view_plot_range(plot, &low, &high)) {
        write_bytes(plot->low_y, low);
        write_bytes(plot->high_y, high);
    }
    if (activations_crossing(s, &crossing)) {
        message_start(&plot->remark, "lesson.activations.plot.crossing");
        message_add_count(&plot->remark, (uint64_t)(crossing + 0.5));
        if (crossing > plot->x[0] && crossing < plot->x[POINTS - 1]) {
            plot->marks[plot->mark_count++] = crossing;
        }
    }
}

void activations_growth_add(struct view *out, const struct scenario *s) {
    enum column { ATTENTION, NOW, SEQUENCE, BATCH, COLUMNS };
    static const struct view_table_col cols[COLUMNS] = {
        [ATTENTION] = {"attention", "option.attention.label", VIEW_TABLE_NAME, 0,
                       "option.attention."},
        [NOW] = {"activations_bytes", "lesson.activations.column.now", VIEW_TABLE_BYTES, 0, NULL},
        [SEQUENCE] = {"sequence_doubled", "lesson.activations.column.sequence", VIEW_TABLE_REAL, 0,
                      NULL},
        [BATCH] = {"batch_doubled", "lesson.activations.column.batch", VIEW_TABLE_REAL, 0, NULL},
    };
    static const char *const names[] = {"standard", "flash"};
    struct view_table *t = &view_add(out, VIEW_KIND_TABLE)->table;
    message_start(&t->title, "lesson.activations.growth");
    message_add_count(&t->title, s->batch.seq);
    message_add_count(&t->title, s->batch.micro_batch);
    for (int i = 0; i < COLUMNS; i++) {
        (void)view_table_col(t, &cols[i]);
    }
    for (int attention = CALC_ATTENTION_STANDARD; attention <= CALC_ATTENTION_FLASH; attention++) {
        struct scenario other = of_attention(s, attention);
        struct calc_memory memory;
        double times;
        int row = view_table_row(t);
        view_table_set_text(t, row, ATTENTION, names[attention]);
        if (activations_on_stage(&other, 0, &memory)) {
            view_table_set_count(t, row, NOW, memory.part_bytes[CALC_PART_ACTIVATIONS]);
        }
        if (activations_growth(&other, true, &times)) {
            view_table_set_real(t, row, SEQUENCE, times);
        }
        if (activations_growth(&other, false, &times)) {
            view_table_set_real(t, row, BATCH, times);
        }
    }
    t->current = s->recipe.attention;
}
