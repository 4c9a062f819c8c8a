/* Operations of one GPU for one micro-batch, and the price of a run: means and rates, so real numbers. Called by the
 * communication calculator, plan and `shardlab flops`. Pure; nothing is owned. Proof: tests/unit/calc/test_flops.c
 * (the stages' sum is the whole model). */
#include <string.h>

#include "flops_private.h"
#include "shardlab/calc/flops.h"
#include "shardlab/calc/params.h"
#include "shardlab/calc/schedule.h"

/* Forward of one token on one GPU of the stage: matrices of the layers, attention, head. */
struct share {
    double matrices, attention, head;
    double latents; /* of the matrices: projections up from the latents */
};

/* Experts are spread over all ranks that share the tokens, so a token's k experts cost each rank of a tensor group
 * k/tp of one, however --ep and --etp cut them. */
static enum status share_of(const struct scenario *s, uint64_t stage, struct share *out,
                            struct message *why) {
    const struct calc_model *m = &s->model;
    struct calc_guard g = {false};
    struct calc_rank_shape rank;
    struct calc_matrices matrices;
    enum status ok = calc_shape_of_rank(s, &rank, why);
    if (ok == STATUS_OK) {
        ok = calc_params_matrices(s, stage, &matrices, why);
    }
    if (ok != STATUS_OK) {
        return ok;
    }
    uint64_t layers = calc_layers_on_stage(s, stage);
    uint64_t sparse = layers - calc_dense_layers_on_stage(s, stage);
    uint64_t expert = calc_times(&g, m->gated ? 3 : 2, calc_times(&g, m->hidden, m->moe_ffn));
    uint64_t width = calc_attention_width(m, &g);
    double passed = (double)sparse * (double)m->experts_active * (double)expert;
    /* whole on every rank, but each routes its part of the tokens */
    /* with two copies of the model each sees half of the micro-batches */
    double copies = (double)calc_model_copies(s);
    double router = (double)sparse * (double)calc_router_params(m, &g);
    double twice = router - router / (double)s->layout.tp;
    *out = (struct share){
        .matrices = 2.0 / copies *
                    ((double)matrices.layer_elements - twice + passed / (double)s->layout.tp),
        .attention = 2.0 / copies * (double)layers * (double)s->batch.seq * (double)width /
                     (double)s->layout.tp,
    };
    if (scenario_has_latents(s)) {
        uint64_t up =
            calc_latent_up_elements(m, rank.q_width, rank.kv_width / m->head_dim, rank.v_width, &g);
        out->latents = 2.0 / copies * (double)layers * (double)up;
    }
    if (calc_has_head(s, stage)) {
        out->head = 2.0 / copies * (double)m->hidden * (double)rank.vocab;
    }
    return g.overflow ? calc_overflow(why, "flops") : STATUS_OK;
}

static double recomputed(const struct scenario *s, const struct share *one) {
    bool selective = s->recipe.recompute == CALC_RECOMPUTE_SELECTIVE &&
                     s->recipe.attention == CALC_ATTENTION_STANDARD;
    if (s->recipe.recompute == CALC_RECOMPUTE_FULL) {
        return one->matrices + one->attention;
    }
    return (selective ? 3.0 * one->attention : 0.0) +
           (s->recipe.recompute_latents ? one->latents : 0.0);
}

enum status calc_flops_on_stage(const struct scenario *s, uint64_t stage,
                                struct calc_flops_stage *out, struct message *why) {
    struct share one = {0};
    enum status ok = STATUS_OK;
    if (scenario_params_only(s)) {
        one.matrices = 2.0 * (double)s->model.params / (double)(s->layout.tp * s->layout.pp);
    } else {
        ok = share_of(s, stage, &one, why);
    }
    double tokens = (double)s->batch.seq * (double)s->batch.micro_batch / (double)s->layout.cp;
    double once = one.matrices + one.head;
    *out = (struct calc_flops_stage){
        .forward = tokens * (once + one.attention),
        .input_grad = tokens * (once + 2.0 * one.attention),
        .weight_grad = tokens * once,
        .recompute = tokens * recomputed(s, &one),
        .layers_forward = tokens * (one.matrices + one.attention),
        .attention = tokens * one.attention,
    };
    return ok;
}

/* FLOP/s of one GPU, recomputation counted; 0: not known. */
static double hardware_rate(const struct calc_flops *f, const struct calc_run *run) {
    if (run->hardware_per_s > 0) {
        return run->hardware_per_s;
    }
    if (run->tokens_per_s > 0) {
        return run->tokens_per_s * (double)f->hardware;
    }
    if (run->step_s > 0 && run->gpus > 0) {
        return (double)run->step_tokens * (double)f->hardware / (double)run->gpus / run->step_s;
    }
    return run->step_s > 0 ? 0.0 : run->model_per_s * ((double)f->hardware / (double)f->model);
}

static bool is_measured(const struct calc_run *run) {
    return run->hardware_per_s > 0 || run->tokens_per_s > 0 || run->step_s > 0;
}

void calc_run_price(const struct calc_flops *f, const struct calc_run *run,
                    struct calc_run_cost *out) {
    memset(out, 0, sizeof *out);
    out->total_known = run->tokens > 0;
    out->total = (double)f->model * (double)run->tokens;
    if (!f->hardware_known || f->model == 0) {
        return;
    }
    out->total_hardware = (double)f->hardware * (double)run->tokens;
    out->hardware_per_s = hardware_rate(f, run);
    out->rate_known = out->hardware_per_s > 0;
    out->model_per_s = out->hardware_per_s * ((double)f->model / (double)f->hardware);
    out->use_known = out->rate_known && run->peak_per_s > 0;
    if (out->use_known) {
        out->mfu = out->model_per_s / run->peak_per_s;
        out->hfu = out->hardware_per_s / run->peak_per_s;
    }
    out->time_known = out->total_known && out->rate_known;
    if (out->time_known) {
        out->gpu_seconds = out->total_hardware / out->hardware_per_s;
    }
    out->days_known = out->time_known && run->gpus > 0;
    if (out->days_known) {
        out->days = out->gpu_seconds / (double)run->gpus / 86400.0;
        out->kernel_days =
            is_measured(run) ? out->days
                             : out->total_hardware / run->model_per_s / (double)run->gpus / 86400.0;
    }
}
