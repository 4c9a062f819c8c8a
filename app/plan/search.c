/* Every legal layout, counted; the best of those that fit, kept. Called by `shardlab plan` and bench. Pure: the
 * caller owns the list of the best.
 *
 * The calculators are what costs, so they are asked as little as possible without changing the answer:
 *   memory never falls with the micro-batch (the global batch stays), so the largest that fits is found by halving; and
 *   model states do not depend on micro-batch or recomputation, so states that are too large end a whole group;
 *   computation and bubble, cheap and proportional to the micro-batch, are a lower bound of the step: where they alone are
 *   slower than the last of the list, communication is not asked.
 * Proof that the answer stays: tests/unit/plan/test_search.c compares with all layouts priced one by one. */
#include <string.h>

#include "plan_private.h"
#include "search_private.h"
#include "shardlab/calc/memory.h"
#include "shardlab/calc/option.h"
#include "shardlab/calc/schedule.h"

bool plan_before(const struct plan_layout *a, const struct plan_layout *b) {
    double a_ns = plan_nanoseconds(a->step_s), b_ns = plan_nanoseconds(b->step_s);
    if (a_ns < b_ns || a_ns > b_ns) {
        return a_ns < b_ns;
    }
    const uint64_t of_a[] = {a->pp,
                             a->tp,
                             a->cp,
                             a->ep,
                             a->zero,
                             a->chunks,
                             (uint64_t)a->recompute,
                             (uint64_t)a->schedule,
                             a->sequence_parallel ? 1 : 0,
                             a->micro_batch};
    const uint64_t of_b[] = {b->pp,
                             b->tp,
                             b->cp,
                             b->ep,
                             b->zero,
                             b->chunks,
                             (uint64_t)b->recompute,
                             (uint64_t)b->schedule,
                             b->sequence_parallel ? 1 : 0,
                             b->micro_batch};
    for (size_t i = 0; i < sizeof of_a / sizeof of_a[0]; i++) {
        if (of_a[i] != of_b[i]) {
            return of_a[i] < of_b[i];
        }
    }
    return false;
}

/* --- The list of the best --- */

static bool worth_asking(const struct plan_search_state *p, double bound_s) {
    double ns = plan_nanoseconds(bound_s);
    bool room = p->out->count < p->list->capacity;
    return room ||
           (p->list->capacity > 0 &&
            ns <= plan_nanoseconds(p->list->best[p->list->capacity - 1].step_s)) ||
           (p->list->mark != NULL && ns <= plan_nanoseconds(p->list->mark->step_s));
}

static void keep(struct plan_search_state *p, const struct plan_layout *layout) {
    p->out->faster += p->list->mark != NULL && plan_before(layout, p->list->mark) ? 1 : 0;
    struct plan_layout *best = p->list->best;
    int at = p->out->count, capacity = p->list->capacity;
    while (at > 0 && plan_before(layout, &best[at - 1])) {
        at--;
    }
    if (at == capacity) {
        return;
    }
    int last = p->out->count < capacity ? p->out->count++ : capacity - 1;
    memmove(&best[at + 1], &best[at], (size_t)(last - at) * sizeof best[0]);
    best[at] = *layout;
}

/* --- One group: everything but the micro-batch is decided --- */

/* Puts micro-batch `i` of the group into the scenario. */
static void use_micro_batch(struct plan_search_state *p, const struct plan_sizes *sizes, int i) {
    p->s.batch.micro_batch = sizes->size[i];
    p->s.batch.micro_batches = sizes->sequences / sizes->size[i];
}

/* Bytes that pass 2^64 do not fit. *states_fit: whether the model states alone do. */
static bool fits(struct plan_search_state *p, uint64_t *total, bool *states_fit) {
    struct calc_memory m;
    struct message unused;
    p->out->memory_calls++;
    *states_fit = true;
    if (calc_memory_worst_figures(&p->s, &m, &unused) != STATUS_OK) {
        return false;
    }
    uint64_t states = m.part_bytes[CALC_PART_WEIGHTS] + m.part_bytes[CALC_PART_GRADIENTS] +
                      m.part_bytes[CALC_PART_OPTIMIZER];
    *states_fit = states <= p->capacity;
    *total = m.total_bytes;
    return m.total_bytes <= p->capacity;
}

static bool size_fits(struct plan_search_state *p, const struct plan_sizes *sizes, int i,
                      uint64_t totals[], bool *states_fit) {
    use_micro_batch(p, sizes, i);
    return fits(p, &totals[i], states_fit);
}

/* How many of the sizes fit: the first ones, ascending. Between those known to fit and those known not to it looks where
 * the last group like this one ended, then next to it, then in the middle. */
static int count_fitting(struct plan_search_state *p, const struct plan_sizes *sizes,
                         uint64_t totals[], bool *states_fit) {
    int fitting = 0, above = sizes->count, expected = *p->expected;
    bool unused = true;
    for (int tries = 0; fitting < above; tries++) {
        int at = tries == 0   ? expected - 1
                 : tries == 1 ? expected
                              : fitting + (above - fitting) / 2;
        at = at < fitting ? fitting : at >= above ? above - 1 : at;
        if (size_fits(p, sizes, at, totals, at == 0 ? states_fit : &unused)) {
            fitting = at + 1;
        } else {
            above = at;
        }
    }
    *p->expected = fitting;
    return fitting;
}

/* True if bytes of a step, stage by stage, do not depend on the number of micro-batches. */
static bool sends_once(const struct plan_search_state *p) {
    return p->s.layout.pp == 1 ||
           (p->s.layout.reduce == CALC_REDUCE_BOUNDARY && p->s.layout.zero < 3);
}

/* What micro-batches wait for takes no less time when they are smaller, if the same stage sends most, or whichever does. */
static double waits_for(const struct plan_inside *inside, const struct plan_layout *l) {
    bool known = inside->clear && l->micro_batch <= inside->micro_batch;
    return known ? (1 - PLAN_ROUNDING) * inside->s : 0;
}

/* A lower bound of the step beyond computation and bubble. Of pairs nothing is known: the more there are, the more they
 * hide. Who computes more again waits for no less. */
static double bound_of(const struct plan_search_state *p, const struct plan_layout *l) {
    double waits = waits_for(&p->inside[l->recompute], l);
    for (int i = 0; i <= l->recompute; i++) {
        double least = waits_for(&p->least[i], l);
        waits = least > waits ? least : waits;
    }
    waits = calc_schedule_paired(&p->s, 0) > 0 ? 0 : waits;
    return l->step_s + waits * (1 + l->idle / (double)l->micro_batches);
}

/* The layout of size i. False: it cannot be among the best. */
static bool is_candidate(struct plan_search_state *p, const struct plan_group *group, int i,
                         struct plan_layout *layout) {
    use_micro_batch(p, &group->sizes, i);
    plan_read(&p->s, layout);
    return plan_price_pace(&p->s, p->space, &group->pace, layout) &&
           worth_asking(p, bound_of(p, layout));
}

/* Prices one layout and keeps it if it is good. */
static enum status price_one(struct plan_search_state *p, const struct plan_group *group,
                             uint64_t *total, struct plan_layout *layout, struct message *why) {
    const struct plan_group_facts facts = {p->space, &group->pace, p->ideal_s};
    bool unused = true;
    p->out->time_calls++;
    enum status ok = plan_price_rest(&p->s, &facts, layout, &p->priced, why);
    if (ok == STATUS_OK && worth_asking(p, layout->step_s)) {
        if (*total == 0) {
            (void)fits(p, total, &unused);
        }
        layout->total_bytes = *total;
        keep(p, layout);
    }
    return ok;
}

/* Where it is not clear that the same stage sends most as in a layout that is priced already: what any stage waits for. */
static enum status look_at_all_stages(struct plan_search_state *p, const struct plan_layout *layout,
                                      struct message *why) {
    const struct plan_inside *inside = &p->inside[layout->recompute];
    struct plan_inside *least = &p->least[layout->recompute];
    bool larger_known = inside->micro_batch >= layout->micro_batch && !inside->clear;
    return larger_known && least->micro_batch < layout->micro_batch
               ? plan_inside_least(&p->s, least, why)
               : STATUS_OK;
}

/* The largest first: what it waits for bounds the others. */
static enum status price_fitting(struct plan_search_state *p, const struct plan_group *group,
                                 int fitting, uint64_t totals[], struct message *why) {
    struct plan_inside *inside = &p->inside[p->s.recipe.recompute];
    enum status ok = STATUS_OK;
    for (int i = fitting - 1; i >= 0 && ok == STATUS_OK; i--) {
        struct plan_layout layout;
        if (!is_candidate(p, group, i, &layout)) {
            continue;
        }
        ok = look_at_all_stages(p, &layout, why);
        if (ok != STATUS_OK || !worth_asking(p, bound_of(p, &layout))) {
            continue;
        }
        ok = price_one(p, group, &totals[i], &layout, why);
        if (ok == STATUS_OK && layout.micro_batch > inside->micro_batch) {
            *inside = p->priced;
            inside->clear = inside->clear && sends_once(p);
        }
    }
    return ok;
}

/* The micro-batches for which the schedule has a closed form, or is run. */
static enum status settle_group(struct plan_search_state *p, const struct plan_sizes *sizes,
                                struct plan_group *group, struct message *why) {
    group->sizes.sequences = sizes->sequences;
    group->sizes.count = 0;
    p->s.batch.micro_batch = 1;
    enum status ok = plan_pace_of(&p->s, &group->pace, why);
    for (int i = 0; i < sizes->count && ok == STATUS_OK; i++) {
        struct plan_layout unused;
        plan_read(&p->s, &unused);
        use_micro_batch(p, sizes, i);
        if (plan_price_pace(&p->s, p->space, &group->pace, &unused)) {
            group->sizes.size[group->sizes.count++] = sizes->size[i];
        }
    }
    return ok;
}

/* False, and the reason kept, if the group breaks a rule of the scenario with all of its micro-batches. Which of them do
 * differs only by schedule, and there the closed forms are no wider than the rules. */
static bool is_legal(struct plan_search_state *p, const struct plan_sizes *sizes) {
    struct message refusal;
    for (int i = 0; i < sizes->count; i++) {
        use_micro_batch(p, sizes, i);
        if (scenario_violations(&p->s, &refusal, 1) == 0) {
            return true;
        }
    }
    if (!p->refused && sizes->count > 0) {
        p->out->refusal = refusal;
        p->refused = true;
    }
    return false;
}

enum status plan_search_group(struct plan_search_state *p, const struct plan_sizes *sizes,
                              bool *states_fit, struct message *why) {
    uint64_t totals[PLAN_SIZES_MAX]; /* 0: not asked yet */
    struct plan_group group;
    *states_fit = true;
    if (!is_legal(p, sizes)) {
        return STATUS_OK;
    }
    enum status ok = settle_group(p, sizes, &group, why);
    if (ok != STATUS_OK || group.sizes.count == 0) {
        return ok;
    }
    p->out->considered += (uint64_t)group.sizes.count;
    if (p->group_too_large) {
        return STATUS_OK;
    }
    memset(totals, 0, (size_t)group.sizes.count * sizeof totals[0]);
    int fitting = count_fitting(p, &group.sizes, totals, states_fit);
    p->out->feasible += (uint64_t)fitting;
    return price_fitting(p, &group, fitting, totals, why);
}

enum status plan_search_in(const struct plan_request *request, const struct plan_list *list,
                           const struct plan_space *space, struct plan_summary *out,
                           struct message *why) {
    struct plan_search_state p = {.request = request, .list = list, .space = space, .out = out};
    memset(out, 0, sizeof *out);
    plan_space_start(space);
    enum status ok = plan_check(request, why);
    if (ok == STATUS_OK) {
        ok = scenario_resolve(request->applied, &p.s, why);
    }
    if (ok == STATUS_OK && plan_pinned(request->applied, "schedule")) {
        struct scenario one = p.s;
        one.layout.pp = plan_pinned(request->applied, "pp") ? one.layout.pp : 1;
        ok = plan_check_schedule(&one, space, why);
    }
    if (ok == STATUS_OK) {
        message_start(&out->refusal, "error.plan.no_layout");
        message_add_plain(&out->refusal, request->gpus);
        message_add_plain(&out->refusal, request->global_batch);
        p.capacity = out->capacity_bytes = scenario_capacity_bytes(&p.s);
        ok = plan_search_all(&p, why);
    }
    return ok;
}

enum status plan_search(const struct plan_request *request, const struct plan_list *list,
                        struct plan_summary *out, struct message *why) {
    return plan_search_in(request, list, NULL, out, why);
}
