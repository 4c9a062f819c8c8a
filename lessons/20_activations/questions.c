/* The numbers of this lesson's questions: a GPT layer by operator, what tensor ranks and recomputation leave of it, logits, and
 * what recomputing and offloading cost. Sizes are the memory calculator's, operations calc/flops.h's; a mistake is the same
 * with a term too few, or divided by what does not divide it. Proof: tests/unit/lessons/test_questions.c. */
#include <stdio.h>
#include <stdlib.h>

#include "../question_memory_private.h"
#include "../what_if_private.h"
#include "activations_private.h"
#include "shardlab/calc/flops.h"
#include "shardlab/calc/params.h"

/* GPT shapes: the layer of the formula s·b·h(34 + 5as/h) in each. */
struct shape {
    int layers, hidden, heads;
};
static const struct shape shapes[] = {{24, 2048, 32}, {32, 2560, 32}, {28, 4096, 16},
                                      {32, 4096, 32}, {40, 5120, 40}, {48, 6144, 64},
                                      {64, 8192, 64}, {96, 12288, 96}};
static const int sequences[] = {512, 1024, 2048, 3072, 4096, 6144, 8192};
static const int batches[] = {1, 2, 4, 8};

#define GPT                                                                                        \
    "--layers %d --hidden %d --heads %d --vocab 50257 --no-gated --norm layer --dropout yes "

struct asked {
    struct shape shape;
    int seq, batch;
    struct scenario s;
    struct calc_memory memory;
    struct activations_layer layer;
};

/* Shape, sequence and micro-batch by the dice, and the words that the stem says them with. */
static void pick(uint64_t *dice, struct asked *a, struct instance *out) {
    a->shape = QUESTION_PICK(dice, shapes);
    a->seq = QUESTION_PICK(dice, sequences);
    a->batch = QUESTION_PICK(dice, batches);
    instance_figure_plain(out, "hidden", (uint64_t)a->shape.hidden);
    instance_figure_plain(out, "seq", (uint64_t)a->seq);
}

static void figure_batch(const struct asked *a, struct instance *out) {
    instance_figure_plain(out, "batch", (uint64_t)a->batch);
}

static void figure_heads(const struct asked *a, struct instance *out) {
    instance_figure_plain(out, "heads", (uint64_t)a->shape.heads);
}

static void line_gpt(const struct asked *a, const char *more, struct instance *out) {
    question_line(out, "mem " GPT "--seq %d --micro-batch %d --attention standard%s",
                  a->shape.layers, a->shape.hidden, a->shape.heads, a->seq, a->batch, more);
}

static enum status ask(const struct instance *out, struct asked *a, struct message *why) {
    enum status ok = question_memory(out, &a->s, &a->memory, why);
    return ok == STATUS_OK && activations_layer(&a->s, &a->layer) ? STATUS_OK : STATUS_FAILED;
}

/* What one layer keeps with another value of an option. */
static enum status layer_if(const struct asked *a, const char *option, const char *value,
                            double *bytes) {
    struct scenario other = a->s;
    struct activations_layer layer;
    bool ok = what_if_set(&other, option, value) && what_if_settle(&other) &&
              activations_layer(&other, &layer);
    *bytes = ok ? (double)layer.bytes : 0.0;
    return ok ? STATUS_OK : STATUS_FAILED;
}

static struct instance_key *gib(struct instance *out, double bytes) {
    return instance_key_add(out, ANSWER_BYTES, "GiB", bytes, 0.01);
}

static struct instance_step *gib_step(struct instance *out, double bytes) {
    return instance_step_add(out, ANSWER_BYTES, "GiB", bytes);
}

/* --- One layer --- */

static enum status layer_bytes(uint64_t seed, struct instance *out, struct message *why) {
    uint64_t dice = instance_dice(seed);
    struct asked a;
    pick(&dice, &a, out);
    figure_batch(&a, out);
    figure_heads(&a, out);
    line_gpt(&a, "", out);
    if (ask(out, &a, why) != STATUS_OK) {
        return STATUS_FAILED;
    }
    question_line_unit(out, "gib");
    double all = (double)a.layer.bytes, scores = (double)a.layer.scores;
    double sbh = (all - scores) / a.layer.linear_sbh;
    struct instance_key *key = gib(out, all);
    instance_path_add(key, "no-scores", all - scores);
    instance_path_add(key, "elements", 2 * all);
    instance_path_add(key, "scores-only", scores);
    instance_path_add(key, "one-sequence", all / a.batch);
    question_said(gib_step(out, all - scores), "34·s·b·h", "%.0f × %d × %d × %d",
                  a.layer.linear_sbh, a.seq, a.batch, a.shape.hidden);
    question_said(gib_step(out, scores), "5·a·s²·b", "%.0f × %d × %d² × %d",
                  a.layer.scores_sbh * sbh / a.batch / a.shape.heads / a.seq / a.seq, a.shape.heads,
                  a.seq, a.batch);
    question_said(question_answer_step(out), "s·b·h(34 + 5as/h)", "%.4g × %d × %d × %d",
                  a.layer.linear_sbh + a.layer.scores_sbh, a.seq, a.batch, a.shape.hidden);
    return STATUS_OK;
}

static enum status tensor_layer(uint64_t seed, struct instance *out, struct message *why) {
    static const char *const ranks[] = {"2", "4", "8"};
    uint64_t dice = instance_dice(seed);
    struct asked a;
    char more[24];
    pick(&dice, &a, out);
    figure_batch(&a, out);
    figure_heads(&a, out);
    const char *tp = QUESTION_PICK(&dice, ranks);
    instance_figure_text(out, "tp", tp);
    (void)snprintf(more, sizeof more, " --tp %s", tp);
    line_gpt(&a, more, out);
    double whole = 0, divided = 0;
    if (ask(out, &a, why) != STATUS_OK || layer_if(&a, "tp", "1", &whole) != STATUS_OK ||
        layer_if(&a, "sequence-parallel", "yes", &divided) != STATUS_OK) {
        return STATUS_FAILED;
    }
    question_line_unit(out, "gib");
    double all = (double)a.layer.bytes, scores = (double)a.layer.scores;
    double t = strtod(tp, NULL), stays = (all - whole / t) / (1 - 1 / t);
    struct instance_key *key = gib(out, all);
    instance_path_add(key, "all-divided", divided);
    instance_path_add(key, "none-divided", whole);
    instance_path_add(key, "scores-whole", all + (t - 1) * scores);
    double sbh = (double)a.seq * a.batch * a.shape.hidden;
    question_said(gib_step(out, stays), "10·s·b·h", "%.4g × %d × %d × %d", stays / sbh, a.seq,
                  a.batch, a.shape.hidden);
    question_said(gib_step(out, whole - stays), "(24 + 5as/h)·s·b·h", "%.4g × %d × %d × %d",
                  (whole - stays) / sbh, a.seq, a.batch, a.shape.hidden);
    question_said(question_answer_step(out), "(10 + (24 + 5as/h)/t)·s·b·h", "%.4g + %.4g / %s",
                  stays / 0x1p30, (whole - stays) / 0x1p30, tp);
    return STATUS_OK;
}

static enum status scores_share(uint64_t seed, struct instance *out, struct message *why) {
    uint64_t dice = instance_dice(seed);
    struct asked a;
    pick(&dice, &a, out);
    a.batch = 1;
    figure_heads(&a, out);
    line_gpt(&a, "", out);
    if (ask(out, &a, why) != STATUS_OK) {
        return STATUS_FAILED;
    }
    double linear = a.layer.linear_sbh, scores = a.layer.scores_sbh;
    struct instance_key *key =
        instance_key_add(out, ANSWER_SHARE, "%", scores / (linear + scores), 0.01);
    instance_path_add(key, "kept", linear / (linear + scores));
    instance_path_add(key, "of-the-rest", scores / linear);
    question_said(instance_step_add(out, ANSWER_COUNT, "", scores), "5as/h", "5 × %d × %d / %d",
                  a.shape.heads, a.seq, a.shape.hidden);
    question_said(question_answer_step(out), "(5as/h) / (34 + 5as/h)", "%.4g / (%.0f + %.4g)",
                  scores, linear, scores);
    return STATUS_OK;
}

static enum status growth(uint64_t seed, struct instance *out, struct message *why) {
    uint64_t dice = instance_dice(seed);
    struct asked a;
    char doubled[16];
    double longer = 0;
    pick(&dice, &a, out);
    a.batch = 1;
    figure_heads(&a, out);
    (void)snprintf(doubled, sizeof doubled, "%d", 2 * a.seq);
    instance_figure_text(out, "doubled", doubled);
    line_gpt(&a, "", out);
    if (ask(out, &a, why) != STATUS_OK || layer_if(&a, "seq", doubled, &longer) != STATUS_OK) {
        return STATUS_FAILED;
    }
    double now = (double)a.layer.bytes, scores = (double)a.layer.scores;
    struct instance_key *key = instance_key_add(out, ANSWER_COUNT, "", longer / now, 0.01);
    double times = strtod(doubled, NULL) / a.seq;
    instance_path_add(key, "linear", times);
    instance_path_add(key, "quadratic", times * times);
    question_said(gib_step(out, now), "s·b·h(34 + 5as/h)", "%d × %d × (%.0f + %.4g)", a.seq,
                  a.shape.hidden, a.layer.linear_sbh, a.layer.scores_sbh);
    question_said(gib_step(out, longer), "2·34·s·b·h + 4·5as²b", "2 × %.4g + 4 × %.4g GiB",
                  (now - scores) / 0x1p30, scores / 0x1p30);
    question_said(question_answer_step(out), "A(2s) / A(s)", "%.4g / %.4g", longer / 0x1p30,
                  now / 0x1p30);
    return STATUS_OK;
}

/* --- Recomputation --- */

static enum status kept(uint64_t seed, struct instance *out, struct message *why) {
    uint64_t dice = instance_dice(seed);
    struct asked a;
    pick(&dice, &a, out);
    figure_batch(&a, out);
    figure_heads(&a, out);
    instance_figure_plain(out, "layers", (uint64_t)a.shape.layers);
    line_gpt(&a, " --recompute full", out);
    double one = 0;
    if (ask(out, &a, why) != STATUS_OK || layer_if(&a, "recompute", "none", &one) != STATUS_OK) {
        return STATUS_FAILED;
    }
    question_line_unit(out, "gib");
    double inputs = question_term(&a.memory, "activations.checkpoints");
    double working = question_term(&a.memory, "activations.working_layer");
    instance_figure_value(out, "layer", ANSWER_BYTES, "GiB", working);
    struct instance_key *key = gib(out, inputs + working);
    instance_path_add(key, "inputs-only", inputs);
    instance_path_add(key, "nothing-dropped", a.shape.layers * one);
    instance_path_add(key, "one-layer", working);
    question_said(gib_step(out, inputs), "L × 2·s·b·h", "%d × 2 × %d × %d × %d", a.shape.layers,
                  a.seq, a.batch, a.shape.hidden);
    question_said(question_answer_step(out), "L·2sbh + s·b·h(34 + 5as/h)", "%.4g + %.4g",
                  inputs / 0x1p30, working / 0x1p30);
    return STATUS_OK;
}

/* What the careful answer about checkpointing says of GPT-3's shape. */
static enum status saves(uint64_t seed, struct instance *out, struct message *why) {
    struct scenario s;
    struct calc_memory none, full;
    struct activations_layer layer, less;
    double flops = 0, part = 0;
    (void)seed;
    question_line(out, "mem " GPT "--seq 2048 --attention standard --recompute full", 96, 12288,
                  96);
    if (question_memory(out, &s, &full, why) != STATUS_OK ||
        question_memory_if(&s, "recompute", "none", &none, why) != STATUS_OK ||
        !activations_more_flops(&s, CALC_RECOMPUTE_FULL, true, &flops) ||
        !activations_more_flops(&s, CALC_RECOMPUTE_SELECTIVE, true, &part)) {
        return STATUS_FAILED;
    }
    s.recipe.recompute = CALC_RECOMPUTE_NONE;
    if (!activations_layer(&s, &layer)) {
        return STATUS_FAILED;
    }
    s.recipe.recompute = CALC_RECOMPUTE_SELECTIVE;
    if (!activations_layer(&s, &less)) {
        return STATUS_FAILED;
    }
    question_line_unit(out, "gib");
    double plain = activations_measured_ms(CALC_RECOMPUTE_NONE);
    double again = activations_measured_ms(CALC_RECOMPUTE_FULL);
    double layers =
        question_part(&none, CALC_PART_ACTIVATIONS) - question_term(&none, "activations.head");
    instance_figure_plain(out, "seq", s.batch.seq);
    instance_figure_value(out, "all", ANSWER_BYTES, "GiB", layers);
    instance_figure_value(out, "inputs", ANSWER_BYTES, "GiB",
                          question_term(&full, "activations.checkpoints"));
    instance_figure_value(out, "working", ANSWER_BYTES, "GiB",
                          question_term(&full, "activations.working_layer"));
    instance_figure_value(out, "more", ANSWER_SHARE, "%", flops);
    instance_figure_value(out, "part", ANSWER_SHARE, "%", part);
    instance_figure_real(out, "least", activations_measured_least() * 100, 0);
    instance_figure_real(out, "most", (again / plain - 1) * 100, 0);
    instance_figure_real(out, "sbh", layer.linear_sbh + layer.scores_sbh, 0);
    instance_figure_real(out, "sbh_less", less.linear_sbh + less.scores_sbh, 0);
    instance_figure_value(out, "saved", ANSWER_SHARE, "%",
                          1 - (double)less.bytes / (double)layer.bytes);
    return STATUS_OK;
}

/* Operations of one token with nothing but the number of parameters known. */
static enum status flops_of(const struct instance *out, struct calc_flops *with,
                            struct calc_flops *without, struct message *why) {
    struct scenario s;
    enum status ok = question_scenario(out, &s, why);
    if (ok == STATUS_OK) {
        ok = calc_flops_per_token(&s, with, why);
    }
    s.recipe.recompute = CALC_RECOMPUTE_NONE;
    if (ok == STATUS_OK) {
        ok = calc_flops_per_token(&s, without, why);
    }
    return ok == STATUS_OK ? STATUS_OK : STATUS_FAILED;
}

static struct instance_key *operations(struct instance *out, double flops) {
    return instance_key_add(out, ANSWER_COUNT, "", flops, 0.01);
}

static enum status third(uint64_t seed, struct instance *out, struct message *why) {
    uint64_t dice = instance_dice(seed);
    struct calc_flops with, without;
    const char *params = question_params(&dice);
    question_line(out, "flops --params %s --recompute full", params);
    if (flops_of(out, &with, &without, why) != STATUS_OK) {
        return STATUS_FAILED;
    }
    double again = (double)with.hardware - (double)without.hardware;
    instance_figure_text(out, "params", params);
    (void)operations(out, again); /* what is computed again is one forward */
    (void)operations(out, (double)without.model - again);
    (void)operations(out, (double)with.hardware);
    (void)instance_key_add(out, ANSWER_SHARE, "%", again / (double)without.hardware, 0.01);
    return STATUS_OK;
}

static enum status hfu(uint64_t seed, struct instance *out, struct message *why) {
    uint64_t dice = instance_dice(seed);
    struct calc_flops with, without;
    const double mfu = (20.0 + instance_pick(&dice, 36)) / 100.0;
    question_line(out, "flops --params %s --recompute full", question_params(&dice));
    if (flops_of(out, &with, &without, why) != STATUS_OK) {
        return STATUS_FAILED;
    }
    double times = (double)with.hardware / (double)with.model;
    double again = times - 1.0;
    instance_figure_value(out, "mfu", ANSWER_SHARE, "%", mfu);
    struct instance_key *key = instance_key_add(out, ANSWER_SHARE, "%", mfu * times, 0.01);
    instance_path_add(key, "same", mfu);
    instance_path_add(key, "half-more", mfu * (1.0 + again / (1.0 - again)));
    instance_path_add(key, "turned-round", mfu / times);
    instance_path_add(key, "twice", 2.0 * mfu);
    question_said(instance_step_add(out, ANSWER_COUNT, "", times), "(6Ψ + 2Ψ) / 6Ψ", "8 / 6");
    question_said(question_answer_step(out), "HFU = MFU × 8/6", "%.4g × %.4g", mfu, times);
    return STATUS_OK;
}

/* Four stages that could be the fullest, each with what it would hold. */
static enum status stage(uint64_t seed, struct instance *out, struct message *why) {
    static const int stages[] = {2, 4, 8};
    uint64_t dice = instance_dice(seed);
    struct asked a;
    char more[64];
    pick(&dice, &a, out);
    figure_batch(&a, out);
    figure_heads(&a, out);
    int p = QUESTION_PICK(&dice, stages);
    p = a.shape.layers % p == 0 ? p : 4; /* equal stages; four divides every shape's layers */
    int m = p * (2 + instance_pick(&dice, 3));
    (void)snprintf(more, sizeof more, " --pp %d --micro-batches %d", p, m);
    line_gpt(&a, more, out);
    if (ask(out, &a, why) != STATUS_OK) {
        return STATUS_FAILED;
    }
    struct calc_memory first;
    if (calc_memory_on_stage(&a.s, 0, &first, why) != STATUS_OK) {
        return STATUS_FAILED;
    }
    question_line_unit(out, "gib");
    double layers = (double)calc_layers_on_stage(&a.s, 0) * (double)a.layer.bytes;
    instance_figure_plain(out, "stages", (uint64_t)p);
    instance_figure_plain(out, "micro_batches", (uint64_t)m);
    instance_figure_plain(out, "layers", (uint64_t)a.shape.layers);
    instance_figure_value(out, "first", ANSWER_BYTES, "GiB", (double)first.in_flight * layers);
    instance_figure_value(out, "one", ANSWER_BYTES, "GiB", layers);
    instance_figure_value(out, "all", ANSWER_BYTES, "GiB", m * layers);
    return STATUS_OK;
}

/* --- Logits, and PCIe --- */

static enum status logits(uint64_t seed, struct instance *out, struct message *why) {
    static const int vocabularies[] = {32000, 50257, 102400, 128256, 151936, 256000};
    uint64_t dice = instance_dice(seed);
    struct asked a;
    pick(&dice, &a, out);
    figure_batch(&a, out);
    int vocab = QUESTION_PICK(&dice, vocabularies);
    question_line(out,
                  "mem --layers %d --hidden %d --heads %d --vocab %d --seq %d --micro-batch %d "
                  "--logits fp32",
                  a.shape.layers, a.shape.hidden, a.shape.heads, vocab, a.seq, a.batch);
    if (ask(out, &a, why) != STATUS_OK) {
        return STATUS_FAILED;
    }
    instance_figure_plain(out, "vocab", (uint64_t)vocab);
    double bytes = question_term(&a.memory, "activations.logits");
    struct calc_memory narrow, copies;
    if (question_memory_if(&a.s, "logits", "bf16", &narrow, why) != STATUS_OK ||
        question_memory_if(&a.s, "logits", "fp32x3", &copies, why) != STATUS_OK) {
        return STATUS_FAILED;
    }
    struct instance_key *key = instance_key_add(out, ANSWER_BYTES, "GB", bytes, 0.01);
    instance_path_add(key, "two-bytes", question_term(&narrow, "activations.logits"));
    instance_path_add(key, "copies", question_term(&copies, "activations.logits"));
    instance_path_add(key, "hidden", bytes / vocab * a.shape.hidden);
    instance_path_add(key, "one-sequence", bytes / a.batch);
    question_said(question_answer_step(out), "s·b·V × 4", "%d × %d × %d × 4", a.seq, a.batch,
                  vocab);
    return STATUS_OK;
}

/* A layer's activations have to leave while the next layer computes. */
static enum status link(uint64_t seed, struct instance *out, struct message *why) {
    static const double speeds[] = {100, 150, 200, 300, 400, 500};
    uint64_t dice = instance_dice(seed);
    struct asked a;
    struct calc_flops_stage flops;
    pick(&dice, &a, out);
    double speed = QUESTION_PICK(&dice, speeds);
    question_line(out, "mem " GPT "--seq %d --micro-batch %d --attention flash", a.shape.layers,
                  a.shape.hidden, a.shape.heads, a.seq, a.batch);
    if (ask(out, &a, why) != STATUS_OK || calc_flops_on_stage(&a.s, 0, &flops, why) != STATUS_OK) {
        return STATUS_FAILED;
    }
    double bytes = (double)a.layer.bytes;
    double seconds = flops.layers_forward / a.shape.layers / (speed * 1e12);
    instance_figure_real(out, "speed", speed, 0);
    instance_figure_plain(out, "batch", (uint64_t)a.batch);
    instance_figure_value(out, "layer", ANSWER_BYTES, "GB", bytes);
    instance_figure_value(out, "flops", ANSWER_COUNT, "",
                          flops.layers_forward / a.shape.layers / 1e12);
    struct instance_key *key = instance_key_add(out, ANSWER_RATE, "GB/s", bytes / seconds, 0.01);
    instance_path_add(key, "whole-step", bytes / (3 * seconds));
    instance_path_add(key, "there-and-back", 2 * bytes / seconds);
    question_said(instance_step_add(out, ANSWER_SECONDS, "ms", seconds), "t = F / C", "%.4g / %.4g",
                  flops.layers_forward / a.shape.layers, speed * 1e12);
    question_said(question_answer_step(out), "A / t", "%.4g GB / %.4g ms", bytes / 1e9,
                  seconds * 1e3);
    return STATUS_OK;
}

const struct instance_entry activations_makers[ACTIVATIONS_MAKERS] = {
    {"activations.layer.bytes", layer_bytes, true},
    {"activations.tensor.layer", tensor_layer, true},
    {"activations.selective.saved", scores_share, true},
    {"activations.growth.sequence", growth, true},
    {"activations.recompute.kept", kept, true},
    {"activations.checkpoint.saves", saves, false},
    {"activations.checkpoint.third", third, true},
    {"activations.checkpoint.hfu", hfu, true},
    {"activations.checkpoint.stage", stage, true},
    {"activations.checkpoint.offload", link, true},
    {"activations.logits.bytes", logits, true},
};
