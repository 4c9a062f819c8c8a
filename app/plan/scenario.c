/* From a layout to the scenario that it means, and what a request must hold. Called by search.c once for every (tp, ZeRO
 * stage), by `shardlab plan --explain` and by tests. Pure. Proof: tests/unit/plan/test_search.c. */
#include <stdio.h>
#include <string.h>

#include "plan_private.h"
#include "shardlab/base/checked.h"
#include "shardlab/calc/option.h"

bool plan_pinned(const struct scenario *applied, const char *name) {
    return calc_option_given(applied, calc_option_index(name));
}

static enum status put_word(struct scenario *s, const char *name, const char *word,
                            struct message *why) {
    return calc_option_set(s, calc_option_index(name), word, why);
}

static enum status put(struct scenario *s, const char *name, uint64_t value, struct message *why) {
    char text[24];
    struct writer w;
    writer_start(&w, text, sizeof text);
    writer_u64(&w, value);
    return put_word(s, name, text, why);
}

static enum status put_choice(struct scenario *s, const char *name, int value,
                              struct message *why) {
    return put_word(s, name, calc_option_at(calc_option_index(name))->choices[value], why);
}

static enum status put_layout(struct scenario *s, const struct plan_layout *l,
                              struct message *why) {
    const struct {
        const char *name;
        uint64_t value;
    } counts[] = {
        {"dp", l->dp},
        {"tp", l->tp},
        {"pp", l->pp},
        {"cp", l->cp},
        {"ep", l->ep},
        {"chunks", l->chunks},
        {"zero", l->zero},
        {"micro-batch", l->micro_batch},
        {"micro-batches", l->micro_batches},
    };
    enum status ok = STATUS_OK;
    for (size_t i = 0; i < sizeof counts / sizeof counts[0] && ok == STATUS_OK; i++) {
        ok = put(s, counts[i].name, counts[i].value, why);
    }
    if (ok == STATUS_OK) {
        ok = put_choice(s, "schedule", l->schedule, why);
    }
    if (ok == STATUS_OK) {
        ok = put_choice(s, "recompute", l->recompute, why);
    }
    /* with tp 1 it says nothing: what was given stays */
    if (ok == STATUS_OK && (l->tp > 1 || !plan_pinned(s, "sequence-parallel"))) {
        ok = put_word(s, "sequence-parallel", l->sequence_parallel ? "yes" : "no", why);
    }
    return ok;
}

/* a·b·c·d = whole? A product past 2^64 is not. */
static bool product_is(uint64_t a, uint64_t b, uint64_t c, uint64_t d, uint64_t whole) {
    uint64_t product = 0;
    return checked_mul(a, b, &product) && checked_mul(product, c, &product) &&
           checked_mul(product, d, &product) && product == whole;
}

enum status plan_check_schedule(const struct scenario *s, const struct plan_space *space,
                                struct message *why) {
    bool many = s->layout.pp > PLAN_RUN_RANKS_MAX;
    if (!plan_is_run(s->layout.schedule) || (space != NULL && !many)) {
        return STATUS_OK;
    }
    message_start(why, space == NULL ? "error.plan.schedule" : "error.plan.stages");
    message_add_text(why,
                     calc_option_at(calc_option_index("schedule"))->choices[s->layout.schedule]);
    if (space != NULL) {
        message_add_plain(why, s->layout.pp);
        message_add_plain(why, PLAN_RUN_RANKS_MAX);
    }
    return STATUS_USAGE;
}

static enum status check_products(const struct plan_request *r, const struct plan_layout *l,
                                  struct message *why) {
    if (!product_is(l->dp, l->tp, l->pp, l->cp, r->gpus)) {
        message_start(why, "error.plan.gpus");
        message_add_plain(why, l->dp);
        message_add_plain(why, l->tp);
        message_add_plain(why, l->pp);
        message_add_plain(why, l->cp);
        message_add_plain(why, r->gpus);
        return STATUS_USAGE;
    }
    if (!product_is(l->dp, l->micro_batch, l->micro_batches, 1, r->global_batch)) {
        message_start(why, "error.plan.batch");
        message_add_plain(why, l->dp);
        message_add_plain(why, l->micro_batch);
        message_add_plain(why, l->micro_batches);
        message_add_plain(why, r->global_batch);
        return STATUS_USAGE;
    }
    if (l->schedule == CALC_SCHEDULE_INTERLEAVED && l->pp > 0 && l->micro_batches % l->pp != 0) {
        message_start(why, "error.plan.interleaved");
        message_add_plain(why, l->micro_batches);
        message_add_plain(why, l->pp);
        return STATUS_USAGE;
    }
    return STATUS_OK;
}

enum status plan_seed(const struct plan_request *request, const struct plan_layout *layout,
                      struct scenario *out, struct message *why) {
    *out = *request->applied;
    enum status ok = put_layout(out, layout, why);
    return ok == STATUS_OK ? scenario_resolve(out, out, why) : ok;
}

enum status plan_scenario(const struct plan_request *request, const struct plan_layout *layout,
                          struct scenario *out, struct message *why) {
    struct message first;
    enum status ok = plan_seed(request, layout, out, why);
    if (ok == STATUS_OK && scenario_violations(out, &first, 1) > 0) {
        *why = first;
        ok = STATUS_USAGE;
    }
    return ok == STATUS_OK ? check_products(request, layout, why) : ok;
}

static enum status missing(struct message *why, const char *id) {
    message_start(why, id);
    return STATUS_USAGE;
}

/* Links are asked for where some layout can need them. */
static enum status check_links(const struct scenario *s, uint64_t gpus, struct message *why) {
    if (gpus > 1 && s->cluster.gpus_per_node > 1 && !(s->cluster.link_gb_per_s > 0)) {
        return missing(why, "error.plan.no_link");
    }
    if (gpus > s->cluster.gpus_per_node && !(s->cluster.net_gb_per_s > 0)) {
        return missing(why, "error.plan.no_net");
    }
    return STATUS_OK;
}

enum status plan_check(const struct plan_request *request, struct message *why) {
    struct scenario s;
    if (request->gpus == 0 || request->global_batch == 0) {
        return missing(why, request->gpus == 0 ? "error.plan.no_gpus" : "error.plan.no_batch");
    }
    if (request->gpus > PLAN_GPUS_MAX) {
        message_start(why, "error.plan.many_gpus");
        message_add_count(why, request->gpus);
        message_add_count(why, PLAN_GPUS_MAX);
        return STATUS_USAGE;
    }
    enum status ok = scenario_resolve(request->applied, &s, why);
    if (ok != STATUS_OK) {
        return ok;
    }
    if (scenario_params_only(&s)) {
        return missing(why, "error.plan.params_only");
    }
    if (s.convention == CALC_CONVENTION_HF) {
        return missing(why, "error.plan.hf");
    }
    if (scenario_capacity_bytes(&s) == 0) {
        return missing(why, "error.plan.no_memory");
    }
    if (!(scenario_flops_per_s(&s) > 0)) {
        bool card = s.cluster.gpu[0] != '\0';
        message_start(why, card ? "error.plan.no_peak_of" : "error.plan.no_peak");
        message_add_text(
            why, calc_option_at(calc_option_index("precision"))->choices[s.recipe.precision]);
        message_add_text(why, s.cluster.gpu);
        return STATUS_USAGE;
    }
    return check_links(&s, request->gpus, why);
}
