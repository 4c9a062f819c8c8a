/* `shardlab plan`: every layout of a model on a cluster that fits, best first, with the reasons (CONTRACT, "shardlab
 * plan"). What is legal, fits and how long it takes is the room plan's; here it is read and printed.
 * Proof: tests/cli/test_plan.c. */
#include <stdlib.h>
#include <string.h>

#include "cli_private.h"
#include "plan_private.h"
#include "shardlab/calc/flops.h"

enum { TOP_DEFAULT = 10 };

static void note(struct cli_plan_result *r, const char *id) {
    message_start(&r->notes[r->note_count++], id);
}

/* What would need less memory and is not looked at already: other values of what was given, and what the search leaves. */
static void note_none_fits(struct cli_plan_result *r) {
    const struct {
        const char *option, *value;
        bool helps;
    } given[] = {
        {"offload", "params", r->s.layout.offload != CALC_OFFLOAD_PARAMS},
        {"recompute", "full", r->s.recipe.recompute != CALC_RECOMPUTE_FULL},
        {"zero", "3", r->s.layout.zero != 3},
        {"micro-batch", "1", r->s.batch.micro_batch > 1},
    };
    char list[MESSAGE_TEXT_MAX];
    struct writer w;
    writer_start(&w, list, sizeof list);
    for (size_t i = 0; i < sizeof given / sizeof given[0]; i++) {
        bool looked_at =
            i > 0 && !calc_option_given(&r->applied, calc_option_index(given[i].option));
        if (given[i].helps && !looked_at) {
            writer_text(&w, w.length > 0 ? ", --" : "--");
            writer_text(&w, given[i].option);
            writer_char(&w, ' ');
            writer_text(&w, given[i].value);
        }
    }
    note(r, w.length > 0 ? "note.plan.none_fits_but" : "note.plan.none_fits");
    message_add_plain(&r->notes[r->note_count - 1], r->request.gpus);
    if (w.length > 0) {
        message_add_text(&r->notes[r->note_count - 1], list);
    }
}

static void collect_notes(struct cli_plan_result *r) {
    note(r, "note.plan.mfu");
    message_add_real(&r->notes[r->note_count - 1], r->s.cluster.mfu);
    if (r->s.recipe.precision == CALC_PRECISION_FP8) {
        note(r, "note.flops.assumed_fp8");
        message_add_real(&r->notes[r->note_count - 1], r->s.cluster.mfu);
        message_add_real(&r->notes[r->note_count - 1], CALC_FP8_SPEEDUP);
    }
    note(r, "note.plan.rules");
    if (r->s.layout.offload != CALC_OFFLOAD_NONE) {
        note(r, "note.comm.cpu_step");
    }
    if (r->found.feasible == 0) {
        note_none_fits(r);
    }
    bool unused = cli_unused_note(&r->s, CLI_UNUSED_MEMORY, &r->notes[r->note_count]);
    r->note_count += unused ? 1 : 0;
}

/* The layout that --explain names, priced. */
static enum status price_asked(struct cli_plan_result *r, const struct cli_args *args,
                               struct message *why) {
    struct plan_layout asked;
    struct scenario s;
    enum status ok = cli_plan_parse(args->place, &r->request, &asked, why);
    if (ok == STATUS_OK) {
        ok = plan_scenario(&r->request, &asked, &s, why);
    }
    return ok == STATUS_OK ? plan_price_in(&s, &r->space, &r->asked, why) : ok;
}

static enum status compute(struct cli_context *c, const struct cli_args *args,
                           struct cli_plan_result *r, struct message *why) {
    enum status ok = cli_scenario_apply(c->store, &args->given, &r->applied, NULL, why);
    if (ok == STATUS_OK) {
        ok = scenario_resolve(&r->applied, &r->s, why);
    }
    r->request = (struct plan_request){&r->applied, args->gpus, args->global_batch};
    r->explains = args->place != NULL;
    if (ok == STATUS_OK) {
        ok = plan_check(&r->request, why);
    }
    if (ok == STATUS_OK && r->explains) {
        ok = price_asked(r, args, why);
    }
    if (ok == STATUS_OK) {
        struct plan_list list = {r->best, r->top, r->explains ? &r->asked : NULL};
        ok = plan_search_in(&r->request, &list, &r->space, &r->found, why);
    }
    if (ok == STATUS_OK && r->found.considered == 0) { /* some option does not suit any layout */
        *why = r->found.refusal;
        ok = STATUS_USAGE;
    }
    if (ok == STATUS_OK) {
        collect_notes(r);
    }
    return ok;
}

/* --- JSON --- */

void cli_plan_why(struct cli_context *c, const struct cli_plan_result *r,
                  const struct plan_layout *layout, const struct plan_layout *other,
                  struct writer *w) {
    struct plan_why why;
    plan_explain(layout, other, &r->s, &why);
    for (int i = 0; i < why.count; i++) {
        writer_text(w, i > 0 ? words_get(&c->words, "plan.join") : "");
        words_write(w, &c->words, &why.clauses[i]);
    }
    writer_text(w, words_get(&c->words, "plan.end"));
}

static void json_terms(struct json *j, const char *key, const struct plan_layout *l) {
    json_object_open(j, key);
    for (int i = 0; i < PLAN_TERMS; i++) {
        char name[32];
        struct writer w;
        writer_start(&w, name, sizeof name);
        writer_text(&w, plan_term_name((enum plan_term)i));
        writer_text(&w, "_s");
        json_real(j, name, l->term_s[i]);
    }
    json_object_close(j);
}

static void json_layout(struct json *j, const struct plan_layout *l) {
    const struct {
        const char *key;
        uint64_t value;
    } counts[] = {{"dp", l->dp}, {"tp", l->tp}, {"pp", l->pp},
                  {"cp", l->cp}, {"ep", l->ep}, {"chunks", l->chunks}};
    for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++) {
        json_u64(j, counts[i].key, counts[i].value);
    }
    json_text(j, "schedule", cli_plan_choice("schedule", l->schedule));
    json_u64(j, "zero", l->zero);
    json_bool(j, "sequence_parallel", l->sequence_parallel);
    json_text(j, "recompute", cli_plan_choice("recompute", l->recompute));
    json_u64(j, "micro_batch", l->micro_batch);
    json_u64(j, "micro_batches", l->micro_batches);
    json_u64(j, "total_bytes", l->total_bytes);
    json_real(j, "step_s", l->step_s);
    json_real(j, "mfu", l->mfu);
    json_real(j, "bubble", l->bubble);
    json_terms(j, "terms", l);
}

static void json_why(struct cli_context *c, struct json *j, const struct cli_plan_result *r,
                     const struct plan_layout *layout, const struct plan_layout *other) {
    char text[1024];
    struct writer w;
    writer_start(&w, text, sizeof text);
    cli_plan_why(c, r, layout, other, &w);
    json_text(j, "why", text);
}

/* What a layout is compared with: the best with the next, all others with the best. */
static const struct plan_layout *other_of(const struct cli_plan_result *r, int index) {
    return index > 0 ? &r->best[0] : r->found.count > 1 ? &r->best[1] : NULL;
}

static bool same_layout(const struct plan_layout *a, const struct plan_layout *b) {
    return !plan_before(a, b) && !plan_before(b, a);
}

/* The layout asked for may be the best itself. */
const struct plan_layout *cli_plan_other(const struct cli_plan_result *r) {
    bool is_best = r->found.count > 0 && same_layout(&r->asked, &r->best[0]);
    return r->found.count > 0 ? other_of(r, is_best ? 0 : 1) : NULL;
}

static void json_asked(struct cli_context *c, struct json *j, const struct cli_plan_result *r) {
    const struct plan_layout *l = &r->asked;
    uint64_t capacity = r->found.capacity_bytes;
    bool fits = l->total_bytes <= capacity;
    const struct plan_layout *best = r->found.count > 0 ? &r->best[0] : NULL;
    enum plan_term term = best != NULL ? plan_separates(best, l) : PLAN_TERMS;
    json_object_open(j, "explain");
    json_layout(j, l);
    json_bool(j, "fits", fits);
    if (fits) {
        json_u64(j, "headroom_bytes", capacity - l->total_bytes);
        json_u64(j, "rank", r->found.faster + 1);
    } else {
        json_negative(j, "headroom_bytes", l->total_bytes - capacity);
        json_null(j, "rank");
    }
    if (best != NULL) {
        json_real(j, "slower_than_best", l->step_s / best->step_s - 1.0);
        json_text(j, "separates", term == PLAN_TERMS ? NULL : plan_term_name(term));
        json_terms(j, "best_terms", best);
    } else {
        json_null(j, "slower_than_best");
        json_null(j, "separates");
        json_null(j, "best_terms");
    }
    json_why(c, j, r, l, cli_plan_other(r));
    json_object_close(j);
}

static void write_json(struct cli_context *c, const struct cli_plan_result *r) {
    struct json j;
    json_start(&j, c->out);
    json_object_open(&j, NULL);
    json_text(&j, "command", "plan");
    json_u64(&j, "considered", r->found.considered);
    json_u64(&j, "feasible", r->found.feasible);
    json_u64(&j, "capacity_bytes", r->found.capacity_bytes);
    json_array_open(&j, "layouts");
    for (int i = 0; i < r->found.count; i++) {
        json_object_open(&j, NULL);
        json_layout(&j, &r->best[i]);
        json_why(c, &j, r, &r->best[i], other_of(r, i));
        json_object_close(&j);
    }
    json_array_close(&j);
    if (r->explains) {
        json_asked(c, &j, r);
    }
    cli_json_notes(c, &j, r->notes, r->note_count);
    json_object_close(&j);
    writer_char(c->out, '\n');
}

enum status cli_plan(struct cli_context *c, const struct cli_args *args, struct message *why) {
    uint64_t top = args->top == 0 ? TOP_DEFAULT : args->top;
    struct cli_plan_result *r = calloc(1, sizeof *r);
    if (r != NULL) {
        r->space = (struct plan_space){malloc(plan_space_bytes()), plan_space_bytes()};
    }
    if (r == NULL || r->space.bytes == NULL) {
        free(r);
        message_start(why, "error.memory");
        return STATUS_FAILED;
    }
    r->top = (int)top;
    enum status ok = compute(c, args, r, why);
    if (ok == STATUS_OK && args->json) {
        write_json(c, r);
    } else if (ok == STATUS_OK) {
        cli_plan_text(c, r);
    }
    free(r->space.bytes);
    free(r);
    return ok;
}
