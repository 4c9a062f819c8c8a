/* Each remedy alone, on the same cards: bytes of one GPU, the parts that it moves, and what it is paid with. A remedy is the
 * learner's scenario with everything that divides or moves taken back, and one thing switched on. Memory is the
 * calculator's, the price plan_price's: the time of one sequence against pure computation, and the term of the step that
 * grew most. The row that the learner's knobs stand on is marked; where they combine several, a row of their own is
 * below. Appends to the caller's view. Proof: tests/unit/lessons/test_start.c. */
#include "start_private.h"

#include "shardlab/calc/memory.h"
#include "shardlab/plan/plan.h"

enum remedy {
    PLAIN,
    ZERO1,
    ZERO2,
    ZERO3,
    TENSOR,
    PIPELINE,
    RECOMPUTE,
    OFFLOAD,
    OFFLOAD_PARAMS,
    FP32,
    REMEDIES,
    LEARNERS = REMEDIES
};

static const char *const names[REMEDIES + 1] = {
    [PLAIN] = "plain",       [ZERO1] = "zero1",
    [ZERO2] = "zero2",       [ZERO3] = "zero3",
    [TENSOR] = "tp",         [PIPELINE] = "pp",
    [RECOMPUTE] = "full",    [OFFLOAD] = "offload_optimizer",
    [FP32] = "fp32",         [OFFLOAD_PARAMS] = "offload_params",
    [LEARNERS] = "learners",
};

enum column { NAME, LAYOUT, TOTAL, MOVES, PAID, TIME, COLUMNS };

static uint64_t common_divisor(uint64_t a, uint64_t b) {
    while (b != 0) {
        uint64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

/* The learner's degree where there is one, else as many ranks as a node and all cards allow. */
static uint64_t degree(uint64_t own, uint64_t cards, uint64_t node) {
    return own > 1 ? own : common_divisor(cards, node);
}

static bool apply(enum remedy remedy, const struct scenario *s, uint64_t cards,
                  struct scenario *out) {
    uint64_t node = s->cluster.gpus_per_node;
    struct start_way way = {.precision = CALC_PRECISION_BF16, .tp = 1, .pp = 1};
    switch (remedy) {
    case ZERO1:
    case ZERO2:
    case ZERO3:
        way.zero = 1 + (uint64_t)(remedy - ZERO1);
        break;
    case TENSOR:
        way.tp = degree(s->layout.tp, cards, node);
        way.sequence_parallel = s->layout.sequence_parallel;
        break;
    case PIPELINE:
        way.pp = degree(s->layout.pp, cards, node);
        break;
    case RECOMPUTE:
        way.recompute = CALC_RECOMPUTE_FULL;
        break;
    case OFFLOAD:
        way.offload = CALC_OFFLOAD_OPTIMIZER;
        break;
    case OFFLOAD_PARAMS:
        way.offload = CALC_OFFLOAD_PARAMS;
        break;
    case FP32:
        way.precision = CALC_PRECISION_FP32;
        break;
    case PLAIN:
    case REMEDIES:
        break;
    }
    way.dp = cards / (way.tp * way.pp);
    return start_scenario(s, &way, out);
}

/* "dp 8 × tp 8" */
static void write_layout(struct view_table *t, int row, const struct calc_layout *l) {
    const struct {
        const char *name;
        uint64_t value;
    } axes[] = {{"dp", l->dp}, {"tp", l->tp}, {"pp", l->pp}, {"cp", l->cp}};
    char text[VIEW_TABLE_TEXT_MAX];
    struct writer w;
    writer_start(&w, text, sizeof text);
    for (size_t i = 0; i < sizeof axes / sizeof axes[0]; i++) {
        if (axes[i].value > 1 || (i == 0 && l->tp * l->pp * l->cp == 1)) {
            writer_text(&w, w.length > 0 ? " " : "");
            writer_text(&w, axes[i].name);
            writer_u64(&w, axes[i].value);
        }
    }
    view_table_set_text(t, row, LAYOUT, text);
}

/* A sign for weights, gradients, optimizer, activations: ". - - ."; less than two in a hundred is none. */
static void write_moves(struct view_table *t, int row, const struct calc_memory *m,
                        const struct calc_memory *plain) {
    char text[VIEW_TABLE_TEXT_MAX];
    struct writer w;
    writer_start(&w, text, sizeof text);
    for (int part = CALC_PART_WEIGHTS; part <= CALC_PART_ACTIVATIONS; part++) {
        uint64_t here = m->part_bytes[part], there = plain->part_bytes[part];
        writer_text(&w, part > 0 ? " " : "");
        bool moved = (here < there ? there - here : here - there) > there / 50;
        writer_char(&w, !moved ? '.' : here < there ? '-' : '+');
    }
    view_table_set_text(t, row, MOVES, text);
}

/* Seconds of all cards for one sequence, by term. */
static void per_sequence(const struct plan_layout *l, double out[PLAN_TERMS]) {
    double cards = (double)(l->tp * l->pp * l->cp);
    double sequences = (double)l->micro_batch * (double)l->micro_batches;
    for (int i = 0; i < PLAN_TERMS; i++) {
        out[i] = l->term_s[i] * cards / sequences;
    }
}

/* What the step is longer for, against the pure computation of `base`. */
static void write_price(struct view_table *t, int row, const struct scenario *s,
                        const struct plan_layout *base) {
    struct plan_layout priced;
    struct message unused;
    double here[PLAN_TERMS], pure[PLAN_TERMS], sum = 0;
    int most = PLAN_COMPUTE;
    if (base == NULL || plan_price(s, &priced, &unused) != STATUS_OK) {
        return;
    }
    per_sequence(&priced, here);
    per_sequence(base, pure);
    here[PLAN_COMPUTE] -= pure[PLAN_COMPUTE];
    for (int i = 0; i < PLAN_TERMS; i++) {
        sum += here[i];
        most = here[i] > here[most] ? i : most;
    }
    double share = sum / pure[PLAN_COMPUTE];
    const double nothing = 0.0005; /* what would be printed as 0.0 % */
    view_table_set_real(t, row, TIME, share > nothing ? share : 0);
    view_table_set_text(t, row, PAID,
                        share > nothing ? plan_term_name((enum plan_term)most) : "nothing");
}

static bool same(const struct scenario *a, const struct scenario *b) {
    const struct calc_layout *k = &a->layout, *l = &b->layout;
    return k->dp == l->dp && k->tp == l->tp && k->pp == l->pp && k->cp == l->cp &&
           k->zero == l->zero && k->offload == l->offload &&
           a->recipe.recompute == b->recipe.recompute && a->recipe.precision == b->recipe.precision;
}

static void add_row(struct view_table *t, enum remedy remedy, const struct scenario *s,
                    const struct calc_memory *plain, const struct plan_layout *base) {
    struct calc_memory m;
    struct message unused;
    int row = view_table_row(t);
    view_table_set_text(t, row, NAME, names[remedy]);
    if (s == NULL || calc_memory_worst(s, &m, &unused) != STATUS_OK) {
        return;
    }
    write_layout(t, row, &s->layout);
    view_table_set_count(t, row, TOTAL, m.total_bytes);
    if (!m.phases && plain != NULL) {
        write_moves(t, row, &m, plain);
    }
    write_price(t, row, s, base);
}

static void add_columns(struct view_table *t) {
    static const struct view_table_col cols[COLUMNS] = {
        [NAME] = {"remedy", "lesson.start.remedy", VIEW_TABLE_NAME, 0, "lesson.start.remedy."},
        [LAYOUT] = {"layout", "lesson.start.layout", VIEW_TABLE_TEXT, 2, NULL},
        [TOTAL] = {"total_bytes", "lesson.start.total", VIEW_TABLE_BYTES, 0, NULL},
        [MOVES] = {"moves", "lesson.start.moves", VIEW_TABLE_TEXT, 0, NULL},
        [PAID] = {"paid_with", "lesson.start.paid", VIEW_TABLE_NAME, 1, "lesson.start.paid."},
        [TIME] = {"time_added", "lesson.start.time", VIEW_TABLE_SHARE, 0, NULL},
    };
    for (int i = 0; i < COLUMNS; i++) {
        (void)view_table_col(t, &cols[i]);
    }
}

static uint64_t world(const struct calc_layout *l) {
    return l->dp * l->tp * l->pp * l->cp; /* a legal scenario's product does not overflow */
}

void start_remedies_add(struct view *out, const struct scenario *s) {
    struct view_table *t = &view_add(out, VIEW_KIND_TABLE)->table;
    uint64_t cards = world(&s->layout);
    struct scenario other;
    struct calc_memory plain;
    struct plan_layout base;
    struct message unused;
    bool known = apply(PLAIN, s, cards, &other);
    bool counted =
        known && calc_memory_worst(&other, &plain, &unused) == STATUS_OK && !plain.phases;
    bool priced = known && plan_price(&other, &base, &unused) == STATUS_OK;
    message_start(&t->title, "lesson.start.remedies.title");
    message_add_count(&t->title, cards);
    add_columns(t);
    for (int r = PLAIN; r < REMEDIES; r++) {
        bool legal = apply((enum remedy)r, s, cards, &other);
        add_row(t, (enum remedy)r, legal ? &other : NULL, counted ? &plain : NULL,
                priced ? &base : NULL);
        t->current = legal && t->current < 0 && same(&other, s) ? r : t->current;
    }
    if (t->current < 0) {
        t->current = REMEDIES;
        add_row(t, LEARNERS, s, counted ? &plain : NULL, priced ? &base : NULL);
    }
    message_start(view_table_add_note(t, -1), "lesson.start.moves.note");
    message_start(view_table_add_note(t, -1), "lesson.start.time.note");
    message_start(view_table_add_note(t, -1), "lesson.predicted-only");
}
