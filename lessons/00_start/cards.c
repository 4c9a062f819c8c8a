/* What one card holds when there are more of them: with plain data parallelism the same on each (page 1), with ZeRO-3 a
 * share of the states and the activations whole (page 3). Every row is the memory calculator's answer for a scenario in
 * which only the number of data ranks changed. Appends to the caller's view and keeps nothing.
 * Proof: tests/unit/lessons/test_start.c. */
#include "start_private.h"

#include "shardlab/calc/memory.h"
#include "shardlab/calc/option.h"

static bool put(struct scenario *s, const char *option, uint64_t value) {
    char text[24];
    struct writer w;
    struct message unused;
    writer_start(&w, text, sizeof text);
    writer_u64(&w, value);
    return calc_option_set(s, calc_option_index(option), text, &unused) == STATUS_OK;
}

static bool put_choice(struct scenario *s, const char *option, int choice) {
    struct message unused;
    int index = calc_option_index(option);
    return calc_option_set(s, index, calc_option_at(index)->choices[choice], &unused) == STATUS_OK;
}

/* Widths that were given belong to the precision that they were given for. */
static void free_widths(struct scenario *s, int precision, int own) {
    if (precision != own) {
        calc_option_clear(s, calc_option_index("grad-bytes"));
        calc_option_clear(s, calc_option_index("input-bytes"));
    }
}

bool start_scenario(const struct scenario *s, const struct start_way *way, struct scenario *out) {
    struct message unused;
    plan_take_back(s, out);
    free_widths(out, way->precision, s->recipe.precision);
    out->layout.sequence_parallel = way->sequence_parallel;
    bool set =
        put(out, "dp", way->dp > 0 ? way->dp : 1) && put(out, "tp", way->tp > 0 ? way->tp : 1) &&
        put(out, "pp", way->pp > 0 ? way->pp : 1) && put(out, "zero", way->zero) &&
        put(out, "micro-batch", s->batch.micro_batch) &&
        put(out, "micro-batches", s->batch.micro_batches) &&
        put_choice(out, "recompute", way->recompute) && put_choice(out, "offload", way->offload) &&
        put_choice(out, "precision", way->precision);
    return set && scenario_resolve(out, out, &unused) == STATUS_OK &&
           scenario_violations(out, &unused, 1) == 0;
}

static bool memory_on(const struct scenario *s, uint64_t cards, uint64_t zero, int recompute,
                      struct calc_memory *out) {
    struct scenario other;
    struct message unused;
    const struct start_way way = {
        .dp = cards, .zero = zero, .recompute = recompute, .precision = s->recipe.precision};
    return start_scenario(s, &way, &other) && calc_memory_worst(&other, out, &unused) == STATUS_OK;
}

static uint64_t states_of(const struct calc_memory *m) {
    return m->part_bytes[CALC_PART_WEIGHTS] + m->part_bytes[CALC_PART_GRADIENTS] +
           m->part_bytes[CALC_PART_OPTIMIZER];
}

/* Powers of a factor, and the learner's own number in its place among them. */
struct steps {
    int count, own;
    uint64_t value[16];
};

static struct steps steps_of(uint64_t first, uint64_t factor, int powers, uint64_t own) {
    struct steps out = {0, -1, {0}};
    uint64_t next = first;
    for (int i = 0; i <= powers; i++, next *= factor) {
        if (out.own < 0 && (own <= next || i == powers)) {
            out.own = out.count;
            out.value[out.count++] = own;
        }
        if (i < powers && own != next) {
            out.value[out.count++] = next;
        }
    }
    return out;
}

/* --- Page 1 --- */

void start_cards_add(struct view *out, const struct scenario *s) {
    enum { CARDS, SEQUENCES, STATES, TOTAL, TIMES, COLUMNS };
    static const struct view_table_col cols[COLUMNS] = {
        [CARDS] = {"cards", "lesson.start.cards", VIEW_TABLE_COUNT, 0, NULL},
        [SEQUENCES] = {"sequences", "lesson.start.sequences", VIEW_TABLE_COUNT, 2, NULL},
        [STATES] = {"states_bytes", "lesson.start.states", VIEW_TABLE_BYTES, 1, NULL},
        [TOTAL] = {"total_bytes", "lesson.start.total", VIEW_TABLE_BYTES, 0, NULL},
        [TIMES] = {"times", "lesson.start.times", VIEW_TABLE_REAL, 0, NULL},
    };
    struct view_table *t = &view_add(out, VIEW_KIND_TABLE)->table;
    struct steps steps = steps_of(1, 8, 5, s->layout.dp);
    uint64_t capacity = scenario_capacity_bytes(s);
    message_start(&t->title, "lesson.start.cards.title");
    for (int i = 0; i < COLUMNS; i++) {
        (void)view_table_col(t, &cols[i]);
    }
    for (int i = 0; i < steps.count; i++) {
        struct calc_memory m;
        int row = view_table_row(t);
        view_table_set_count(t, row, CARDS, steps.value[i]);
        view_table_set_count(t, row, SEQUENCES,
                             steps.value[i] * s->batch.micro_batch * s->batch.micro_batches);
        if (!memory_on(s, steps.value[i], 0, s->recipe.recompute, &m)) {
            continue;
        }
        if (!m.phases) {
            view_table_set_count(t, row, STATES, states_of(&m));
        }
        view_table_set_count(t, row, TOTAL, m.total_bytes);
        if (capacity > 0) {
            view_table_set_real(t, row, TIMES, (double)m.total_bytes / (double)capacity);
        }
    }
    t->current = steps.own;
}

/* --- Page 3 --- */

enum rest_column { CARDS, STATES, NONE, FULL, FITS, COLUMNS };

static void rest_row(struct view_table *t, const struct scenario *s, uint64_t cards) {
    uint64_t capacity = scenario_capacity_bytes(s);
    struct calc_memory none, full;
    int row = view_table_row(t);
    view_table_set_count(t, row, CARDS, cards);
    if (!memory_on(s, cards, 3, CALC_RECOMPUTE_NONE, &none) ||
        !memory_on(s, cards, 3, CALC_RECOMPUTE_FULL, &full)) {
        return;
    }
    view_table_set_count(t, row, STATES, states_of(&none));
    view_table_set_count(t, row, NONE, none.total_bytes);
    view_table_set_count(t, row, FULL, full.total_bytes);
    if (capacity > 0) {
        view_table_set_text(t, row, FITS,
                            none.total_bytes <= capacity   ? "both"
                            : full.total_bytes <= capacity ? "full"
                                                           : "none");
    }
}

void start_rest_add(struct view *out, const struct scenario *s) {
    static const struct view_table_col cols[COLUMNS] = {
        [CARDS] = {"cards", "lesson.start.cards", VIEW_TABLE_COUNT, 0, NULL},
        [STATES] = {"states_bytes", "lesson.start.states", VIEW_TABLE_BYTES, 1, NULL},
        [NONE] = {"total_bytes", "lesson.start.rest.none", VIEW_TABLE_BYTES, 0, NULL},
        [FULL] = {"recomputed_bytes", "lesson.start.rest.full", VIEW_TABLE_BYTES, 0, NULL},
        [FITS] = {"fits", "lesson.start.fits", VIEW_TABLE_NAME, 0, "lesson.start.fits."},
    };
    struct view_table *t = &view_add(out, VIEW_KIND_TABLE)->table;
    struct steps steps = steps_of(8, 2, 8, s->layout.dp);
    const struct calc_layout *l = &s->layout;
    message_start(&t->title, "lesson.start.rest.title");
    for (int i = 0; i < COLUMNS; i++) {
        (void)view_table_col(t, &cols[i]);
    }
    for (int i = 0; i < steps.count; i++) {
        rest_row(t, s, steps.value[i]);
    }
    bool learners =
        l->zero == 3 && l->tp == 1 && l->pp == 1 && l->cp == 1 && l->offload == CALC_OFFLOAD_NONE;
    t->current = learners ? steps.own : -1;
}

/* Memory falls as cards are added, so the border is found by halving. */
uint64_t start_fewest_cards(const struct scenario *s, int recompute) {
    uint64_t capacity = scenario_capacity_bytes(s), low = 1, high = UINT64_C(1) << 16;
    struct calc_memory m;
    if (!memory_on(s, high, 3, recompute, &m) || m.total_bytes > capacity || !m.activations_known) {
        return 0;
    }
    while (low < high) {
        uint64_t middle = low + (high - low) / 2;
        bool fits = memory_on(s, middle, 3, recompute, &m) && m.total_bytes <= capacity;
        low = fits ? low : middle + 1;
        high = fits ? middle : high;
    }
    return low;
}
