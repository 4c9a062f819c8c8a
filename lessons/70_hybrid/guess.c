/* What the lesson *hybrid* asks before it shows: how much TP over two nodes sends through the network, and in which order
 * the axes stand by bytes. Choices are computed; where two would be equal, nothing is asked.
 * Proof: tests/unit/lessons/test_hybrid.c. */
#include "hybrid_private.h"

#include <string.h>

enum { TP, PP, DP }; /* places in hybrid_axes */

static void add_bytes(struct lesson_guess *out, uint64_t bytes, const char *why) {
    message_start(&out->choices[out->choice_count], "lesson.hybrid.guess.bytes");
    message_add_bytes(&out->choices[out->choice_count], bytes);
    message_start(&out->why[out->choice_count++], why);
}

/* All four apart by more than the reader's unit shows. */
static bool apart(const uint64_t values[4]) {
    for (int i = 0; i < 4; i++) {
        for (int k = 0; k < i; k++) {
            uint64_t a = values[i], b = values[k];
            if ((a > b ? a - b : b - a) < a / 100 + 50000000) {
                return false;
            }
        }
    }
    return true;
}

/* TP over two nodes: what goes through the network? */
static bool ask_wide(const struct scenario *s, struct lesson_guess *out) {
    const struct calc_layout *l = &s->layout;
    const struct hybrid_change change = {
        .dp = l->dp / 2, .tp = 2 * l->tp, .micro_batches = 2 * s->batch.micro_batches, .zero = -1};
    struct scenario wide;
    uint64_t now, then;
    if (l->tp != s->cluster.gpus_per_node || l->dp % 2 != 0 || !hybrid_changed(s, &change, &wide) ||
        !hybrid_network_bytes(s, &now) || !hybrid_network_bytes(&wide, &then)) {
        return false;
    }
    const uint64_t values[] = {now / 2, now, then / 2, then};
    if (!apart(values)) {
        return false;
    }
    message_start(&out->question, "lesson.hybrid.guess.wide");
    message_add_plain(&out->question, l->tp);
    message_add_plain(&out->question, l->dp);
    message_add_bytes(&out->question, now);
    message_add_plain(&out->question, 2 * l->tp);
    message_add_plain(&out->question, l->dp / 2);
    add_bytes(out, values[0], "lesson.hybrid.guess.wide.half");
    add_bytes(out, values[1], "lesson.hybrid.guess.wide.same");
    add_bytes(out, values[2], "lesson.hybrid.guess.wide.forward");
    add_bytes(out, values[3], "lesson.hybrid.guess.wide.right");
    out->right = 3;
    return true;
}

/* In which order do the axes stand by bytes? */
static bool ask_order(const struct scenario *s, struct lesson_guess *out) {
    static const struct {
        const char *order, *wrong;
    } choices[] = {
        {"TP > PP > DP", "lesson.hybrid.guess.order.often"},
        {"TP > DP > PP", "lesson.hybrid.guess.order.model"},
        {"DP > TP > PP", "lesson.hybrid.guess.order.data"},
    };
    struct hybrid_axis axes[HYBRID_AXES];
    char order[40];
    struct writer w;
    uint64_t equal;
    if (!hybrid_axes_of(s, axes) || !hybrid_tokens_equal(s, &equal)) {
        return false;
    }
    writer_start(&w, order, sizeof order);
    hybrid_order_write(&w, axes, HYBRID_BY_BYTES);
    out->right = -1;
    for (int i = 0; i < 3; i++) {
        bool right = strcmp(order, choices[i].order) == 0;
        message_start(&out->choices[i], "lesson.hybrid.guess.choice");
        message_add_text(&out->choices[i], choices[i].order);
        message_start(&out->why[i], right ? "lesson.hybrid.guess.order.right" : choices[i].wrong);
        message_add_count(&out->why[i], hybrid_tokens(s));
        message_add_count(&out->why[i], equal);
        out->right = right ? i : out->right;
    }
    out->choice_count = 3;
    message_start(&out->question, "lesson.hybrid.guess.order");
    message_add_plain(&out->question, s->layout.tp);
    message_add_plain(&out->question, s->layout.pp);
    message_add_plain(&out->question, s->layout.dp);
    message_add_plain(&out->question, s->batch.micro_batches);
    return out->right >= 0;
}

bool hybrid_guess(const struct lesson_input *in, struct lesson_guess *out) {
    return in->page == 0 ? ask_wide(in->now, out) : in->page == 1 ? ask_order(in->now, out) : false;
}
