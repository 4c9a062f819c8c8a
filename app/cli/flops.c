/* `shardlab flops`: operations of a token, of a run, and what a measured or assumed speed makes of them (CONTRACT,
 * "shardlab flops"). Proof: tests/cli/test_flops.c. */
#include <string.h>

#include "cli_private.h"
#include "shardlab/base/checked.h"
#include "shardlab/calc/flops.h"
#include "shardlab/view/width.h"

enum { NOTES_MAX = 12 };

struct result {
    struct scenario s;
    struct calc_flops flops;
    struct calc_run run;
    struct calc_run_cost cost;
    struct message notes[NOTES_MAX];
    int note_count;
};

static const struct width_rules rules = {false};

static struct message *note(struct result *r, const char *id) {
    struct message *m = &r->notes[r->note_count++];
    message_start(m, id);
    return m;
}

/* Only one of the ways to say how fast it went. */
static enum status refuse_two_measures(const struct cli_args *args, struct message *why) {
    const char *names[3];
    int count = 0;
    const struct {
        const char *name;
        bool given;
    } measures[] = {{"step-s", args->step_s > 0},
                    {"tokens-per-s", args->tokens_per_s > 0},
                    {"tflops", args->tflops > 0}};
    for (int i = 0; i < 3; i++) {
        if (measures[i].given) {
            names[count++] = measures[i].name;
        }
    }
    if (count < 2) {
        return STATUS_OK;
    }
    message_start(why, "error.args.together");
    message_add_text(why, names[0]);
    message_add_text(why, names[1]);
    return STATUS_USAGE;
}

/* Tokens of one step: of the global batch, else of what the layout runs. 0 and a refusal when it passes 2^64. */
static enum status step_tokens(const struct scenario *s, uint64_t sequences, uint64_t *out,
                               struct message *why) {
    bool fits = true;
    if (sequences == 0) {
        fits = checked_mul(s->batch.micro_batch, s->batch.micro_batches, &sequences) &&
               checked_mul(sequences, s->layout.dp, &sequences);
    }
    fits = fits && checked_mul(sequences, s->batch.seq, out);
    if (!fits) {
        message_start(why, "error.calc.overflow");
        message_add_text(why, "flops.step_tokens");
    }
    return fits ? STATUS_OK : STATUS_USAGE;
}

/* Of the layout: three factors of at most 2^20 and one of 2^10. False: they pass 2^64. */
static bool layout_gpus(const struct scenario *s, uint64_t *out) {
    const struct calc_layout *l = &s->layout;
    uint64_t group = l->tp * l->pp * l->cp;
    return checked_mul(group, l->dp, out);
}

static enum status fill_run(struct result *r, const struct cli_args *args, struct message *why) {
    r->run = (struct calc_run){
        .tokens = args->tokens,
        .gpus = args->gpus,
        .step_s = args->step_s,
        .tokens_per_s = args->tokens_per_s,
        .hardware_per_s = args->tflops * 1e12,
        .peak_per_s = r->s.cluster.peak_tflops[r->s.recipe.precision] * 1e12,
        .model_per_s = scenario_flops_per_s(&r->s),
    };
    if (args->gpus == 0 && !layout_gpus(&r->s, &r->run.gpus)) {
        message_start(why, "error.calc.overflow");
        message_add_text(why, "flops.gpus");
        return STATUS_USAGE;
    }
    return step_tokens(&r->s, args->global_batch, &r->run.step_tokens, why);
}

static const char *precision_name(const struct scenario *s) {
    return calc_option_at(calc_option_index("precision"))->choices[s->recipe.precision];
}

/* No card, or one whose peak in this precision nobody states. */
static void note_no_rate(struct result *r) {
    bool card = r->s.cluster.gpu[0] != '\0';
    struct message *m = note(r, card ? "note.flops.no_peak" : "note.flops.no_rate");
    message_add_text(m, precision_name(&r->s));
    message_add_text(m, r->s.cluster.gpu);
}

/* A layout and --gpus that are not of one size: days take --gpus, the step's tokens the layout's dp. */
static void note_two_sizes(struct result *r) {
    static const char *const axes[] = {"dp", "tp", "pp", "cp"};
    bool given = false;
    uint64_t gpus = 0;
    for (size_t i = 0; i < sizeof axes / sizeof axes[0]; i++) {
        given = given || calc_option_given(&r->s, calc_option_index(axes[i]));
    }
    if (given && layout_gpus(&r->s, &gpus) && gpus != r->run.gpus) {
        struct message *m = note(r, "note.flops.two_sizes");
        message_add_plain(m, r->run.gpus);
        message_add_plain(m, gpus);
    }
}

static void collect_notes(struct result *r) {
    note(r, "note.flops.matrices_only");
    note_two_sizes(r);
    if (!r->flops.parts_known) {
        note(r, "note.flops.params_only");
    } else {
        message_add_count(note(r, "note.flops.causal"), r->flops.causal);
    }
    if (!r->flops.hardware_known) {
        note(r, "note.flops.selective_unknown");
    }
    if (r->flops.forward_only != 0) {
        message_add_count(note(r, "note.flops.selective"), r->flops.forward_only);
    }
    if (!r->cost.total_known) {
        note(r, "note.flops.no_tokens");
    }
    if (!r->cost.rate_known && r->flops.hardware_known) {
        note_no_rate(r);
    }
    bool measured = r->run.step_s > 0 || r->run.tokens_per_s > 0 || r->run.hardware_per_s > 0;
    if (r->cost.rate_known && !measured) {
        bool fp8 = r->s.recipe.precision == CALC_PRECISION_FP8;
        struct message *m = note(r, fp8 ? "note.flops.assumed_fp8" : "note.flops.assumed");
        message_add_real(m, r->s.cluster.mfu);
        if (fp8) {
            message_add_real(m, CALC_FP8_SPEEDUP);
        }
    }
    if (r->cost.rate_known && !r->cost.use_known) {
        message_add_text(note(r, "note.flops.no_use"), precision_name(&r->s));
    }
    if (r->cost.use_known && (r->cost.mfu > 1.0 || r->cost.hfu > 1.0)) {
        note(r, "note.flops.above_peak");
    }
}

static enum status compute(struct cli_context *c, const struct cli_args *args, struct result *r,
                           struct message *why) {
    enum status ok = refuse_two_measures(args, why);
    if (ok == STATUS_OK) {
        ok = cli_scenario_load(c->store, &args->given, NULL, &r->s, NULL, why);
    }
    if (ok == STATUS_OK) {
        ok = calc_flops_per_token(&r->s, &r->flops, why);
    }
    if (ok == STATUS_OK) {
        ok = fill_run(r, args, why);
    }
    if (ok == STATUS_OK) {
        calc_run_price(&r->flops, &r->run, &r->cost);
        collect_notes(r);
        r->note_count += cli_unused_note(&r->s, CLI_UNUSED_FLOPS, &r->notes[r->note_count]) ? 1 : 0;
    }
    return ok;
}

static void real_or_null(struct json *j, const char *key, bool known, double value) {
    if (known) {
        json_real(j, key, value);
    } else {
        json_null(j, key);
    }
}

static void count_or_null(struct json *j, const char *key, bool known, uint64_t value) {
    if (known) {
        json_u64(j, key, value);
    } else {
        json_null(j, key);
    }
}

static void json_per_token(struct json *j, const struct calc_flops *f) {
    json_u64(j, "model_flops_per_token", f->model);
    count_or_null(j, "hardware_flops_per_token", f->hardware_known, f->hardware);
    count_or_null(j, "model_flops_per_token_causal", f->parts_known, f->causal);
    json_u64(j, "six_psi_flops_per_token", f->six_psi);
}

static void json_cost(struct json *j, const struct result *r) {
    const struct calc_run_cost *cost = &r->cost;
    real_or_null(j, "total_flops", cost->total_known, cost->total);
    real_or_null(j, "total_hardware_flops", cost->total_known && r->flops.hardware_known,
                 cost->total_hardware);
    json_u64(j, "gpus", r->run.gpus);
    json_u64(j, "tokens_per_step", r->run.step_tokens);
    real_or_null(j, "gpu_seconds", cost->time_known, cost->gpu_seconds);
    real_or_null(j, "days", cost->days_known, cost->days);
    real_or_null(j, "days_at_kernel_speed", cost->days_known, cost->kernel_days);
    real_or_null(j, "model_flops_per_s", cost->rate_known, cost->model_per_s);
    real_or_null(j, "hardware_flops_per_s", cost->rate_known, cost->hardware_per_s);
    real_or_null(j, "aggregate_flops_per_s", cost->rate_known,
                 cost->hardware_per_s * (double)r->run.gpus);
    real_or_null(j, "peak_flops_per_s", r->run.peak_per_s > 0, r->run.peak_per_s);
    real_or_null(j, "mfu", cost->use_known, cost->mfu);
    real_or_null(j, "hfu", cost->use_known, cost->hfu);
}

static void write_json(struct cli_context *c, const struct result *r) {
    struct json j;
    json_start(&j, c->out);
    json_object_open(&j, NULL);
    json_text(&j, "command", "flops");
    json_per_token(&j, &r->flops);
    json_cost(&j, r);
    json_array_open(&j, "explain");
    for (int i = 0; i < r->flops.term_count; i++) {
        const struct calc_flops_term *t = &r->flops.terms[i];
        json_object_open(&j, NULL);
        json_text(&j, "term", t->id);
        json_text(&j, "part", t->of_model ? "model" : "hardware");
        json_text(&j, "formula", t->formula);
        json_text(&j, "substituted", t->substituted);
        json_u64(&j, "flops", t->flops);
        json_text(&j, "source", t->source);
        json_object_close(&j);
    }
    json_array_close(&j);
    cli_json_notes(c, &j, r->notes, r->note_count);
    json_object_close(&j);
    writer_char(c->out, '\n');
}

/* A line of the table: name, figure, and for a term its formula. */
static void write_row(struct cli_context *c, const char *id, const char *figure,
                      const char *formula) {
    writer_text(c->out, "  ");
    width_write_left(c->out, words_get(&c->words, id), 34, &rules);
    width_write_right(c->out, figure, 24, &rules);
    if (formula != NULL) {
        writer_text(c->out, "  ");
        writer_text(c->out, formula);
    }
    cli_prose_end(c, 62);
}

static void write_count(struct cli_context *c, const char *id, uint64_t count,
                        const char *formula) {
    char figure[32];
    struct writer w;
    writer_start(&w, figure, sizeof figure);
    writer_u64_grouped(&w, count);
    write_row(c, id, figure, formula);
}

/* Three digits after the point below 100, one below a million, else four in all: 0.472, 33.912, 3.143e23. */
static void write_real(struct cli_context *c, const char *id, bool known, double value) {
    char figure[32];
    struct writer w;
    writer_start(&w, figure, sizeof figure);
    if (!known) {
        return;
    }
    if (value < 1e6 && value >= 1e-3) {
        writer_fixed(&w, value, value < 100 ? 3 : 1);
    } else {
        writer_scientific(&w, value, 3);
    }
    write_row(c, id, figure, NULL);
}

static void write_terms(struct cli_context *c, const struct calc_flops *f, bool of_model) {
    for (int i = 0; i < f->term_count; i++) {
        const struct calc_flops_term *t = &f->terms[i];
        if (t->of_model == of_model) {
            char id[64];
            struct writer w;
            writer_start(&w, id, sizeof id);
            writer_text(&w, "term.");
            writer_text(&w, t->id);
            write_count(c, id, t->flops, t->formula);
        }
    }
}

static void write_text(struct cli_context *c, const struct result *r) {
    const struct calc_flops *f = &r->flops;
    const struct calc_run_cost *cost = &r->cost;
    writer_text(c->out, words_get(&c->words, "cli.flops.head"));
    writer_char(c->out, '\n');
    write_terms(c, f, true);
    write_count(c, "cli.flops.model", f->model, NULL);
    if (f->hardware_known) {
        write_terms(c, f, false);
        write_count(c, "cli.flops.hardware", f->hardware, NULL);
    }
    write_count(c, "cli.flops.six_psi", f->six_psi, "6Ψ");
    if (f->parts_known) {
        writer_text(c->out, words_get(&c->words, "cli.flops.legend"));
        cli_prose_end(c, 2);
    }
    writer_char(c->out, '\n');
    write_real(c, "cli.flops.total", cost->total_known, cost->total);
    write_real(c, "cli.flops.rate", cost->rate_known, cost->hardware_per_s);
    write_real(c, "cli.flops.mfu", cost->use_known, cost->mfu);
    write_real(c, "cli.flops.hfu", cost->use_known, cost->hfu);
    write_real(c, "cli.flops.gpu_seconds", cost->time_known, cost->gpu_seconds);
    write_real(c, "cli.flops.days", cost->days_known, cost->days);
    write_real(c, "cli.flops.kernel_days", cost->days_known && cost->kernel_days > cost->days,
               cost->kernel_days);
    for (int i = 0; i < r->note_count; i++) {
        cli_say(c, &r->notes[i]);
    }
}

enum status cli_flops(struct cli_context *c, const struct cli_args *args, struct message *why) {
    struct result r;
    memset(&r, 0, sizeof r);
    enum status ok = compute(c, args, &r, why);
    if (ok != STATUS_OK) {
        return ok;
    }
    if (args->json) {
        write_json(c, &r);
    } else {
        write_text(c, &r);
    }
    return STATUS_OK;
}
