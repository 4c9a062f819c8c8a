/* The reasons in words: which term a layout pays for, what sets it apart from another, what stands in its way next.
 * Message ids carry the term's name; the words are in assets/strings.json. Called by `shardlab plan`. Pure.
 * Proof: tests/unit/plan/test_why.c. */
#include <math.h>

#include "plan_private.h"

/* Message ids of the clauses, one for each term: ids are literals. */
#define TERM_IDS(prefix)                                                                           \
    {                                                                                              \
        [PLAN_COMPUTE] = prefix "compute", [PLAN_RECOMPUTE] = prefix "recompute",                  \
        [PLAN_IMBALANCE] = prefix "imbalance", [PLAN_BUBBLE] = prefix "bubble",                    \
        [PLAN_TP] = prefix "tp", [PLAN_CP] = prefix "cp", [PLAN_EP] = prefix "ep",                 \
        [PLAN_PP] = prefix "pp", [PLAN_DP] = prefix "dp", [PLAN_OFFLOAD] = prefix "offload",       \
    }
static const char *const largest_ids[PLAN_TERMS] = TERM_IDS("plan.largest.");
static const char *const faster_ids[PLAN_TERMS] = TERM_IDS("plan.faster.");
static const char *const slower_ids[PLAN_TERMS] = TERM_IDS("plan.slower.");

static struct message *clause(struct plan_why *w, const char *id) {
    struct message *m = &w->clauses[w->count++];
    message_start(m, id);
    return m;
}

enum plan_term plan_separates(const struct plan_layout *faster, const struct plan_layout *slower) {
    enum plan_term widest = PLAN_TERMS;
    double most = 0;
    for (int i = 0; i < PLAN_TERMS; i++) {
        double gap = slower->term_s[i] - faster->term_s[i];
        if (gap > most) {
            most = gap;
            widest = (enum plan_term)i;
        }
    }
    return widest;
}

/* The largest term beside the computation that nobody can avoid. */
static void say_largest(const struct plan_layout *l, struct plan_why *w) {
    enum plan_term largest = PLAN_RECOMPUTE;
    for (int i = PLAN_RECOMPUTE; i < PLAN_TERMS; i++) {
        largest = l->term_s[i] > l->term_s[largest] ? (enum plan_term)i : largest;
    }
    bool any = l->term_s[largest] > 0;
    struct message *m = clause(w, largest_ids[any ? largest : PLAN_COMPUTE]);
    message_add_real(m, 100.0 * l->term_s[PLAN_COMPUTE] / l->step_s);
    if (any) {
        message_add_real(m, 100.0 * l->term_s[largest] / l->step_s);
    }
}

/* Two layouts whose steps are equal to the nanosecond are told apart by their simplicity. */
static void say_difference(const struct plan_layout *l, const struct plan_layout *other,
                           struct plan_why *w) {
    bool first = plan_before(l, other);
    const struct plan_layout *fast = first ? l : other, *slow = first ? other : l;
    enum plan_term term = plan_separates(fast, slow);
    double gap_ns = plan_nanoseconds(slow->step_s) - plan_nanoseconds(fast->step_s);
    if (gap_ns < 1 || term == PLAN_TERMS) {
        clause(w, first ? "plan.faster.tie" : "plan.slower.tie");
        return;
    }
    struct message *m = clause(w, first ? faster_ids[term] : slower_ids[term]);
    message_add_real(m, 100.0 * (slow->step_s / fast->step_s - 1.0));
    message_add_real(m, 1e3 * (slow->term_s[term] - fast->term_s[term]));
}

/* The nearest wall: memory that is nearly full, fewer micro-batches than stages, the node's width; else the room left. */
static void say_limit(const struct plan_layout *l, const struct scenario *s, struct plan_why *w) {
    uint64_t capacity = scenario_capacity_bytes(s);
    if (l->total_bytes > capacity) {
        struct message *m = clause(w, "plan.limit.does_not_fit");
        message_add_bytes(m, l->total_bytes - capacity);
        message_add_bytes(m, capacity);
        return;
    }
    uint64_t left = capacity - l->total_bytes;
    bool full = left < capacity / 10;
    if (!full && l->pp > 1 && l->micro_batches < l->pp) {
        struct message *m = clause(w, "plan.limit.micro_batches");
        message_add_plain(m, l->micro_batches);
        message_add_plain(m, l->pp);
    } else if (!full && l->tp > 1 && l->tp >= s->cluster.gpus_per_node) {
        struct message *m = clause(w, "plan.limit.node");
        message_add_plain(m, l->tp);
        message_add_bytes(m, left);
    } else {
        struct message *m = clause(w, full ? "plan.limit.memory" : "plan.limit.room");
        message_add_bytes(m, left);
        message_add_bytes(m, capacity);
    }
}

void plan_explain(const struct plan_layout *layout, const struct plan_layout *other,
                  const struct scenario *s, struct plan_why *out) {
    out->count = 0;
    say_largest(layout, out);
    if (other != NULL && (plan_before(layout, other) || plan_before(other, layout))) {
        say_difference(layout, other, out);
    }
    say_limit(layout, s, out);
}
