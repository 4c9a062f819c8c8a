/* Training runs as questions ask about them: parameters, tokens, cards and how busy these are become days, MFU and HFU by
 * calc/flops.h. The lessons *formats* and *mixed-precision* ask; everything is written into what the caller passes.
 * Proof: tests/unit/lessons/test_questions.c. */
#include "run_question_private.h"

#include <inttypes.h>
#include <stdio.h>

#include "shardlab/calc/option.h"

const struct run_card run_cards[RUN_CARDS] = {
    [RUN_A100] = {"A100", "a100-sxm-80gb", 312, 0},
    [RUN_H100] = {"H100", "h100-sxm-80gb", 989, 1979},
};

enum { DIGITS_MAX = 24 };

static enum status set(struct scenario *s, const char *option, const char *value,
                       struct message *why) {
    return calc_option_set(s, calc_option_index(option), value, why);
}

static enum status scenario_of(const struct run_asked *r, struct scenario *out,
                               struct message *why) {
    char params[DIGITS_MAX];
    (void)snprintf(params, sizeof params, "%" PRIu64, r->params);
    scenario_start(out);
    enum status ok = set(out, "params", params, why);
    ok = ok == STATUS_OK ? set(out, "precision", r->fp8 ? "fp8" : "bf16", why) : ok;
    ok = ok == STATUS_OK ? set(out, "recompute", r->recompute ? "full" : "none", why) : ok;
    ok = ok == STATUS_OK ? scenario_resolve(out, out, why) : ok;
    out->cluster.peak_tflops[CALC_PRECISION_BF16] = r->card->bf16_tflops;
    out->cluster.peak_tflops[CALC_PRECISION_FP8] = r->card->fp8_tflops;
    out->cluster.mfu = r->mfu;
    return ok;
}

enum status run_price(const struct run_asked *r, struct calc_flops *flops,
                      struct calc_run_cost *cost, struct message *why) {
    struct scenario s;
    enum status ok = scenario_of(r, &s, why);
    ok = ok == STATUS_OK ? calc_flops_per_token(&s, flops, why) : ok;
    if (ok == STATUS_OK) {
        struct calc_run run = {.tokens = r->tokens,
                               .gpus = r->gpus,
                               .tokens_per_s = r->tokens_per_s,
                               .peak_per_s = s.cluster.peak_tflops[s.recipe.precision] * 1e12,
                               .model_per_s = scenario_flops_per_s(&s)};
        calc_run_price(flops, &run, cost);
    }
    return ok;
}

static void write_option(struct writer *w, const char *name, double value) {
    if (value > 0) {
        writer_text(w, name);
        writer_real(w, value);
    }
}

void run_line(struct instance *out, const struct run_asked *r) {
    struct writer w;
    writer_start(&w, out->line, sizeof out->line);
    writer_text(&w, "flops");
    write_option(&w, " --params ", (double)r->params);
    writer_text(&w, r->fp8 ? " --precision fp8" : " --precision bf16");
    writer_text(&w, r->recompute ? " --recompute full" : "");
    writer_text(&w, " --gpu ");
    writer_text(&w, r->card->id);
    write_option(&w, " --tokens ", (double)r->tokens);
    write_option(&w, " --gpus ", (double)r->gpus);
    write_option(&w, " --mfu ", r->mfu);
    write_option(&w, " --tokens-per-s ", r->tokens_per_s);
}

void run_figure_short(struct instance *out, const char *name, uint64_t count) {
    char text[INSTANCE_TEXT_MAX];
    struct writer w;
    bool trillions = count >= UINT64_C(1000000000000);
    writer_start(&w, text, sizeof text);
    writer_real(&w, (double)count / (trillions ? 1e12 : 1e9));
    writer_char(&w, trillions ? 'T' : 'B');
    instance_figure_text(out, name, text);
}
