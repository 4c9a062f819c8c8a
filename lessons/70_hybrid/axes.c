/* What each axis of a hybrid layout sends: sums of the communication ledger over tp, pp and dp, the order by bytes and the
 * order by time that nothing hides, and the number of tokens at which pipeline and data parallelism change places. All
 * bytes and times are calc/comm.h's, of a GPU on a middle stage. Appends to the caller's view and keeps nothing.
 * Proof: tests/unit/lessons/test_hybrid.c. */
#include "hybrid_private.h"

#include <string.h>

#include "shardlab/calc/option.h"

const enum calc_axis hybrid_axes[HYBRID_AXES] = {CALC_AXIS_TP, CALC_AXIS_PP, CALC_AXIS_DP};
static const char *const axis_words[HYBRID_AXES] = {"TP", "PP", "DP"};

static bool comm_of(const struct scenario *s, struct calc_comm *out) {
    struct message unused;
    uint64_t stage = s->layout.pp > 2 ? s->layout.pp / 2 : 0;
    return calc_comm_on_stage(s, stage, out, &unused) == STATUS_OK && out->total_known;
}

bool hybrid_axes_of(const struct scenario *s, struct hybrid_axis out[HYBRID_AXES]) {
    struct calc_comm comm;
    if (!comm_of(s, &comm)) {
        return false;
    }
    for (int a = 0; a < HYBRID_AXES; a++) {
        out[a] = (struct hybrid_axis){.exposed_known = true};
        for (int i = 0; i < comm.row_count; i++) {
            const struct calc_comm_row *row = &comm.rows[i];
            if (row->axis == hybrid_axes[a]) {
                out[a].sent_bytes += row->sent_bytes; /* parts of a total that did not overflow */
                out[a].calls += row->count;
                out[a].exposed_known = out[a].exposed_known && row->exposed_known;
                out[a].exposed_s += row->exposed_known ? row->exposed_s : 0;
                out[a].network = out[a].network || row->link == CALC_LINK_NETWORK;
            }
        }
    }
    return true;
}

bool hybrid_network_bytes(const struct scenario *s, uint64_t *out) {
    struct calc_comm comm;
    *out = 0;
    if (!comm_of(s, &comm)) {
        return false;
    }
    for (int i = 0; i < comm.row_count; i++) {
        *out += comm.rows[i].link == CALC_LINK_NETWORK ? comm.rows[i].sent_bytes : 0;
    }
    return true;
}

static bool put(struct scenario *s, const char *option, uint64_t value) {
    char text[24];
    struct writer w;
    struct message unused;
    writer_start(&w, text, sizeof text);
    writer_u64(&w, value);
    return value == 0 || calc_option_set(s, calc_option_index(option), text, &unused) == STATUS_OK;
}

bool hybrid_changed(const struct scenario *s, const struct hybrid_change *change,
                    struct scenario *out) {
    struct message unused;
    plan_as_given(s, out);
    bool set = put(out, "dp", change->dp) && put(out, "tp", change->tp) &&
               put(out, "pp", change->pp) && put(out, "micro-batches", change->micro_batches);
    if (change->zero >= 0) {
        char text[2] = {(char)('0' + change->zero), '\0'};
        set = set && calc_option_set(out, calc_option_index("zero"), text, &unused) == STATUS_OK;
    }
    return set && scenario_resolve(out, out, &unused) == STATUS_OK &&
           scenario_violations(out, &unused, 1) == 0;
}

/* --- Orders --- */

static bool before(const struct hybrid_axis *a, const struct hybrid_axis *b, enum hybrid_order by) {
    return by == HYBRID_BY_TIME ? a->exposed_s > b->exposed_s : a->sent_bytes > b->sent_bytes;
}

void hybrid_order_write(struct writer *w, const struct hybrid_axis axes[HYBRID_AXES],
                        enum hybrid_order by) {
    int order[HYBRID_AXES], count = 0;
    for (int a = 0; a < HYBRID_AXES; a++) {
        if (axes[a].sent_bytes == 0) {
            continue;
        }
        if (by == HYBRID_BY_TIME && !axes[a].exposed_known) {
            return;
        }
        int at = count++;
        while (at > 0 && before(&axes[a], &axes[order[at - 1]], by)) {
            order[at] = order[at - 1];
            at--;
        }
        order[at] = a;
    }
    for (int i = 0; i < count; i++) {
        writer_text(w, i > 0 ? " > " : "");
        writer_text(w, axis_words[order[i]]);
    }
}

uint64_t hybrid_tokens(const struct scenario *s) {
    return s->batch.seq * s->batch.micro_batch * s->batch.micro_batches;
}

/* What a pipeline sends grows with the tokens, what data parallelism sends does not: one division finds where they meet. */
bool hybrid_tokens_equal(const struct scenario *s, uint64_t *out) {
    struct hybrid_axis axes[HYBRID_AXES];
    if (!hybrid_axes_of(s, axes) || axes[1].sent_bytes == 0 || axes[2].sent_bytes == 0) {
        return false;
    }
    double ratio = (double)axes[2].sent_bytes / (double)axes[1].sent_bytes;
    *out = (uint64_t)((double)hybrid_tokens(s) * ratio + 0.5);
    return s->layout.zero < 2; /* from there on gradients travel with every micro-batch */
}

/* --- Page 2 --- */

static void note_order(struct view_table *t, const char *id,
                       const struct hybrid_axis axes[HYBRID_AXES], enum hybrid_order by) {
    char text[40];
    struct writer w;
    writer_start(&w, text, sizeof text);
    hybrid_order_write(&w, axes, by);
    if (w.length > 0) {
        struct message *note = view_table_add_note(t, -1);
        message_start(note, id);
        message_add_text(note, text);
    }
}

void hybrid_axes_add(struct view *out, const struct scenario *s, bool orders) {
    enum { AXIS, CALLS, SENT, LINK, EXPOSED, COLUMNS };
    static const struct view_table_col cols[COLUMNS] = {
        [AXIS] = {"axis", "view.comm.axis", VIEW_TABLE_NAME, 0, "view.comm.axis."},
        [CALLS] = {"count", "view.comm.count", VIEW_TABLE_COUNT, 1, NULL},
        [SENT] = {"sent_bytes", "view.comm.sent", VIEW_TABLE_BYTES, 0, NULL},
        [LINK] = {"link", "view.comm.link", VIEW_TABLE_NAME, 2, "comm.link."},
        [EXPOSED] = {"exposed_s", "view.comm.exposed", VIEW_TABLE_SECONDS, 0, NULL},
    };
    struct hybrid_axis axes[HYBRID_AXES];
    struct view_table *t = &view_add(out, VIEW_KIND_TABLE)->table;
    message_start(&t->title, "lesson.hybrid.axes.title");
    for (int i = 0; i < COLUMNS; i++) {
        (void)view_table_col(t, &cols[i]);
    }
    bool known = hybrid_axes_of(s, axes);
    for (int a = 0; a < HYBRID_AXES; a++) {
        int row = view_table_row(t);
        view_table_set_text(t, row, AXIS, calc_axis_name(hybrid_axes[a]));
        if (!known) {
            continue;
        }
        view_table_set_count(t, row, CALLS, axes[a].calls);
        view_table_set_count(t, row, SENT, axes[a].sent_bytes);
        if (axes[a].sent_bytes > 0) {
            view_table_set_text(
                t, row, LINK, calc_link_name(axes[a].network ? CALC_LINK_NETWORK : CALC_LINK_NODE));
        }
        if (axes[a].exposed_known) {
            view_table_set_real(t, row, EXPOSED, axes[a].exposed_s);
        }
    }
    if (known && orders) {
        note_order(t, "lesson.hybrid.by_bytes", axes, HYBRID_BY_BYTES);
        note_order(t, "lesson.hybrid.by_time", axes, HYBRID_BY_TIME);
        message_start(view_table_add_note(t, -1), "lesson.predicted-only");
    }
}

void hybrid_flip_add(struct view *out, const struct scenario *s) {
    enum { BATCHES, TOKENS, TP, PP, DP, ORDER, COLUMNS };
    static const struct view_table_col cols[COLUMNS] = {
        [BATCHES] = {"micro_batches", "view.plan.micro_batches", VIEW_TABLE_COUNT, 0, NULL},
        [TOKENS] = {"tokens", "lesson.hybrid.tokens", VIEW_TABLE_COUNT, 1, NULL},
        [TP] = {"tp_sent_bytes", "view.comm.axis.tp", VIEW_TABLE_BYTES, 2, NULL},
        [PP] = {"pp_sent_bytes", "view.comm.axis.pp", VIEW_TABLE_BYTES, 0, NULL},
        [DP] = {"dp_sent_bytes", "view.comm.axis.dp", VIEW_TABLE_BYTES, 0, NULL},
        [ORDER] = {"order", "lesson.hybrid.order", VIEW_TABLE_TEXT, 0, NULL},
    };
    struct view_table *t = &view_add(out, VIEW_KIND_TABLE)->table;
    message_start(&t->title, "lesson.hybrid.flip.title");
    for (int i = 0; i < COLUMNS; i++) {
        (void)view_table_col(t, &cols[i]);
    }
    for (uint64_t m = 8; m <= 512; m *= 2) {
        const struct hybrid_change change = {.micro_batches = m, .zero = -1};
        struct scenario other;
        struct hybrid_axis axes[HYBRID_AXES];
        char order[VIEW_TABLE_TEXT_MAX];
        struct writer w;
        int row = view_table_row(t);
        view_table_set_count(t, row, BATCHES, m);
        if (!hybrid_changed(s, &change, &other) || !hybrid_axes_of(&other, axes)) {
            continue;
        }
        writer_start(&w, order, sizeof order);
        hybrid_order_write(&w, axes, HYBRID_BY_BYTES);
        view_table_set_count(t, row, TOKENS, hybrid_tokens(&other));
        for (int a = 0; a < HYBRID_AXES; a++) {
            view_table_set_count(t, row, TP + a, axes[a].sent_bytes);
        }
        view_table_set_text(t, row, ORDER, order);
        t->current = m == s->batch.micro_batches ? row : t->current;
    }
    uint64_t equal;
    if (hybrid_tokens_equal(s, &equal)) {
        struct message *note = view_table_add_note(t, -1);
        message_start(note, "lesson.hybrid.flip");
        message_add_count(note, equal);
    }
}
