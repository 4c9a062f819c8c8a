/* The numbers of the questions of the lesson *mixed-precision*: bytes of states by calc, loss scales, lost updates and
 * sums by num and calc. Every maker fills the instance that the caller passes, from its seed alone. Those about whole runs
 * and those behind the interview question stand in run_questions.c. The words are quiz.json's.
 * Proof: tests/unit/lessons/test_questions.c. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "../question_line_private.h"
#include "mixed_questions_private.h"
#include "shardlab/calc/memory.h"
#include "shardlab/calc/option.h"

/* --- Page 1: what it keeps --- */

struct recipe {
    const char *precision, *optimizer, *grad_bytes;
};

static enum status states_of(uint64_t params, const struct recipe *r, struct calc_memory *out,
                             struct message *why) {
    struct scenario s;
    char text[24];
    const char *const pairs[][2] = {{"params", text},
                                    {"precision", r->precision},
                                    {"optimizer", r->optimizer},
                                    {"grad-bytes", r->grad_bytes}};
    enum status ok = STATUS_OK;
    (void)snprintf(text, sizeof text, "%" PRIu64, params);
    scenario_start(&s);
    for (size_t i = 0; ok == STATUS_OK && i < sizeof pairs / sizeof pairs[0]; i++) {
        ok = calc_option_set(&s, calc_option_index(pairs[i][0]), pairs[i][1], why);
    }
    ok = ok == STATUS_OK ? scenario_resolve(&s, &s, why) : ok;
    return ok == STATUS_OK ? calc_memory_worst(&s, out, why) : ok;
}

static enum status make_states(uint64_t seed, struct instance *out, struct message *why) {
    static const struct {
        const char *label, *optimizer;
    } optimizers[] = {{"Adam", "adam"},
                      {"Adam (8-bit m, v)", "adam8bit"},
                      {"Adam (BF16 m, v)", "adam16bit"},
                      {"SGD + momentum", "momentum"},
                      {"SGD", "sgd"}};
    static const char *const grads[] = {"2", "4"};
    static const double params[] = {1.5, 3, 7, 8, 13, 32, 34, 70, 405};
    uint64_t dice = instance_dice(seed);
    int i = instance_pick(&dice, MIXED_COUNT(optimizers)), g = instance_pick(&dice, 2);
    uint64_t count = (uint64_t)(format_pick(&dice, params, MIXED_COUNT(params)) * 1e9);
    struct calc_memory is, full;
    enum status ok =
        states_of(count, &(struct recipe){"bf16", optimizers[i].optimizer, grads[g]}, &is, why);
    ok = ok == STATUS_OK ? states_of(count, &(struct recipe){"bf16", "adam", grads[g]}, &full, why)
                         : ok;
    if (ok != STATUS_OK) {
        return ok;
    }
    double total = (double)is.total_bytes, master = 4 * (double)count;
    run_figure_short(out, "params", count);
    instance_figure_text(out, "optimizer", optimizers[i].label);
    instance_figure_text(out, "grad", grads[g]);
    struct instance_key *key = instance_key_add(out, ANSWER_BYTES, "GB", total, 0.01);
    instance_path_add(key, "no-master", total - master);
    instance_path_add(key, "no-gradients", total - (double)is.part_bytes[CALC_PART_GRADIENTS]);
    instance_path_add(key, "adam", (double)full.total_bytes);
    instance_path_add(key, "weights", (double)is.part_bytes[CALC_PART_WEIGHTS]);
    for (int k = 0; k < is.derivation.count; k++) {
        if (is.derivation.terms[k].bytes > 0) {
            instance_step_term(out, &is.derivation.terms[k]);
            struct instance_step *term = &out->steps[out->step_count - 1];
            question_shorten(term->substituted, sizeof term->substituted);
        }
    }
    struct instance_step *s = instance_step_add(out, ANSWER_BYTES, "GB", total);
    (void)snprintf(s->formula, sizeof s->formula, "%.0fΨ", total / (double)count);
    (void)snprintf(s->substituted, sizeof s->substituted, "%.0f × %" PRIu64, total / (double)count,
                   count);
    question_shorten(s->substituted, sizeof s->substituted);
    (void)snprintf(out->line, sizeof out->line,
                   "mem --params %" PRIu64 " --precision bf16 --optimizer %s --grad-bytes %s",
                   count, optimizers[i].optimizer, grads[g]);
    return STATUS_OK;
}

static enum status make_halves(uint64_t seed, struct instance *out, struct message *why) {
    struct calc_memory wide, mixed, kept;
    enum status ok = states_of(1, &(struct recipe){"fp32", "adam", "4"}, &wide, why);
    ok = ok == STATUS_OK ? states_of(1, &(struct recipe){"bf16", "adam", "2"}, &mixed, why) : ok;
    ok = ok == STATUS_OK ? states_of(1, &(struct recipe){"bf16", "adam", "4"}, &kept, why) : ok;
    if (ok != STATUS_OK) {
        return ok;
    }
    (void)seed;
    instance_figure_plain(out, "fp32", wide.total_bytes);
    instance_figure_plain(out, "mixed", mixed.total_bytes);
    instance_figure_plain(out, "half", wide.total_bytes / 2);
    instance_figure_plain(out, "no_master", mixed.total_bytes - 4);
    instance_figure_plain(out, "kept", kept.total_bytes);
    (void)snprintf(out->line, sizeof out->line, "mem --params 7B --precision bf16");
    return STATUS_OK;
}

/* --- Page 2: gradients that become zero --- */

/* The least power of two above 1 that lifts `size` over `limit`. */
static double least_scale(double size, double limit) {
    double scale = 1;
    while (!(size * scale > limit)) {
        scale *= 2;
    }
    return scale;
}

static enum status make_zero(uint64_t seed, struct instance *out, struct message *why) {
    static const double digits[] = {1, 1.5, 2, 2.5, 3, 4, 5, 6, 7, 8};
    uint64_t dice = instance_dice(seed);
    double gradient =
        format_pick(&dice, digits, MIXED_COUNT(digits)) * pow(10, -9 - instance_pick(&dice, 6));
    struct num_limits limits = num_limits(NUM_FP16);
    double right = 1;
    (void)why;
    while (!(format_stored(NUM_FP16, gradient * right, NUM_MODE_NEAREST) > 0)) {
        right *= 2;
    }
    format_figure_number(out, "gradient", gradient);
    struct instance_key *key = instance_key_add(out, ANSWER_COUNT, "", right, 0);
    instance_path_add(key, "tiny", least_scale(gradient, limits.min_subnormal));
    instance_path_add(key, "normal", least_scale(gradient, limits.min_normal));
    instance_path_add(key, "one-short", right / 2);
    double half = limits.min_subnormal / 2;
    format_step_of(out, "g0 = 2^−24 / 2", "# / 2", (double[]){limits.min_subnormal}, half);
    format_step_of(out, "g0 / g", "# / #", (double[]){half, gradient}, half / gradient);
    format_step_of(out, "S = 2^k > g0 / g", "2^#", (double[]){log2(right)}, right);
    format_line(out, NUM_FP16, (double[]){gradient * right / 2, gradient * right}, 2);
    return STATUS_OK;
}

static enum status make_limit(uint64_t seed, struct instance *out, struct message *why) {
    static const double sizes[] = {0.0004, 0.001, 0.003, 0.006, 0.01, 0.02, 0.03, 0.05, 0.09,
                                   0.15,   0.3,   0.5,   0.7,   1.2,  2.5,  5,    9,    15,
                                   20,     35,    70,    90,    150,  300,  700,  1500, 3000};
    uint64_t dice = instance_dice(seed);
    double gradient = format_pick(&dice, sizes, MIXED_COUNT(sizes));
    const struct calc_format *f = &(const struct calc_format){5, 10, true};
    double right = 1, max = calc_format_max(f);
    (void)why;
    while (!calc_format_passes(f, gradient * right * 2)) {
        right *= 2;
    }
    format_figure_exact(out, "gradient", gradient);
    format_figure_number(out, "max", max);
    struct instance_key *key = instance_key_add(out, ANSWER_COUNT, "", right, 0);
    instance_path_add(key, "rounded-up", right * 2);
    instance_path_add(key, "normal", least_scale(gradient, num_limits(NUM_FP16).min_normal));
    instance_path_add(key, "first", MIXED_TORCH_SCALE);
    format_step_of(out, "max / g", "# / #", (double[]){max, gradient}, max / gradient);
    format_step_of(out, "S = 2^k ≤ max / g", "2^#", (double[]){log2(right)}, right);
    format_line(out, NUM_FP16, (double[]){gradient * right, gradient * right * 2}, 2);
    return STATUS_OK;
}

enum { TRACE_STEPS = 24, TRACE_BAD = 2 };
struct trace {
    int growth, scale_log2, bad[TRACE_BAD]; /* bad: 1-based, ascending */
};
struct belief {
    bool halves, resets, doubles;
};

/* The scale after the trace as someone sees it who leaves a rule out. */
static double believed(const struct trace *t, struct belief b) {
    int clean = 0, scale = t->scale_log2;
    for (int step = 1; step <= TRACE_STEPS; step++) {
        bool bad = step == t->bad[0] || step == t->bad[1];
        clean = bad ? (b.resets ? 0 : clean) : clean + 1;
        scale -= bad && b.halves ? 1 : 0;
        if (!bad && clean == t->growth) {
            scale += b.doubles ? 1 : 0;
            clean = 0;
        }
    }
    return ldexp(1, scale);
}

static double traced(const struct trace *t) {
    double values[TRACE_STEPS];
    struct facts facts;
    struct calc_trial trial = {.type = rounding_of("fp16"),
                               .count = 1,
                               .steps = TRACE_STEPS,
                               .growth = (uint64_t)t->growth,
                               .scale_log2 = t->scale_log2,
                               .dynamic = true,
                               .values = values};
    for (int i = 0; i < TRACE_STEPS; i++) {
        /* one that fits at every scale of the trace, and one that fits at none */
        values[i] = i + 1 == t->bad[0] || i + 1 == t->bad[1] ? 0x1p60 : 0x1p-24;
    }
    facts_start(&facts);
    calc_predict_loss_scale(&trial, &facts);
    return rounding_fact(&facts, "final_scale")->real;
}

static enum status make_trace(uint64_t seed, struct instance *out, struct message *why) {
    uint64_t dice = instance_dice(seed);
    struct trace t = {.growth = 4 + instance_pick(&dice, 4),
                      .scale_log2 = 4 + instance_pick(&dice, 19)};
    t.bad[0] = 2 + instance_pick(&dice, 9);
    t.bad[1] = t.bad[0] + 2 + instance_pick(&dice, 10);
    double right = traced(&t), first = ldexp(1, t.scale_log2);
    char text[INSTANCE_TEXT_MAX];
    (void)why;
    instance_figure_plain(out, "first", (uint64_t)first);
    instance_figure_plain(out, "growth", (uint64_t)t.growth);
    instance_figure_plain(out, "steps", TRACE_STEPS);
    instance_figure_plain(out, "bad_one", (uint64_t)t.bad[0]);
    instance_figure_plain(out, "bad_two", (uint64_t)t.bad[1]);
    struct instance_key *key = instance_key_add(out, ANSWER_COUNT, "", right, 0);
    instance_path_add(key, "not-reset", believed(&t, (struct belief){true, false, true}));
    instance_path_add(key, "not-halved", believed(&t, (struct belief){false, true, true}));
    instance_path_add(key, "not-doubled", believed(&t, (struct belief){true, true, false}));
    int doublings = (int)log2(right / first) + TRACE_BAD;
    (void)snprintf(text, sizeof text, "⌊%d/%d⌋ + ⌊%d/%d⌋ + ⌊%d/%d⌋", t.bad[0] - 1, t.growth,
                   t.bad[1] - t.bad[0] - 1, t.growth, TRACE_STEPS - t.bad[1], t.growth);
    format_step(out, "d = Σ ⌊c / G⌋", text, doublings);
    format_step_of(out, "S0 × 2^(d − s)", "# × 2^(# − #)", (double[]){first, doublings, TRACE_BAD},
                   right);
    return STATUS_OK;
}

/* --- Page 3: updates that vanish --- */

static enum status make_lost(uint64_t seed, struct instance *out, struct message *why) {
    uint64_t dice = instance_dice(seed);
    enum num_type type = instance_pick(&dice, 3) == 0 ? NUM_FP16 : NUM_BF16;
    enum num_type other = type == NUM_FP16 ? NUM_BF16 : NUM_FP16;
    double weight = ldexp(8 + instance_pick(&dice, 8), instance_pick(&dice, 19) - 16);
    double step = format_ulp(type, weight), one = num_limits(type).epsilon;
    int m = num_format(type)->mantissa_bits, k = (int)floor(log2(weight));
    (void)why;
    instance_figure_text(out, "type", format_asked(type).label);
    instance_figure_plain(out, "mantissa", (uint64_t)m);
    format_figure_exact(out, "weight", weight);
    struct instance_key *key = instance_key_add(out, ANSWER_COUNT, "", step / 2, 0.01);
    instance_path_add(key, "whole", step);
    instance_path_add(key, "at-one", one / 2);
    instance_path_add(key, "relative", weight * one / 2);
    instance_path_add(key, "other", format_ulp(other, weight) / 2);
    format_step_of(out, "k = ⌊log2 w⌋", "⌊log2 #⌋", &weight, k);
    format_step_of(out, "Δ = 2^(k − m)", "2^(# − #)", (double[]){k, m}, step);
    format_step_of(out, "Δ / 2", "# / 2", &step, step / 2);
    format_line(out, type, (double[]){weight + step * 0.49, weight + step * 0.51}, 2);
    return STATUS_OK;
}

/* Many small updates of a weight of 1 that has no master: it stays, or each becomes a whole step. */
static enum status make_drift(uint64_t seed, struct instance *out, struct message *why) {
    static const double parts[] = {0.25, 0.375, 0.5, 0.625, 0.75, 0.875};
    static const int counts[] = {16, 20, 24, 28, 32, 36, 40, 44, 48, 56, 64, 72, 80, 88, 96, 112};
    uint64_t dice = instance_dice(seed);
    enum num_type type = instance_pick(&dice, 3) == 0 ? NUM_FP16 : NUM_BF16;
    struct calc_rounding r = format_asked(type).rounding;
    double part = format_pick(&dice, parts, MIXED_COUNT(parts)), step = num_limits(type).epsilon;
    uint64_t count = (uint64_t)counts[instance_pick(&dice, MIXED_COUNT(counts))];
    count *= type == NUM_FP16 ? 4 : 1;
    double update = part * step, exact = 1 + (double)count * update;
    double right = calc_running_sum(&r, 1, update, count).last;
    double risen = (right - 1) / (double)count;
    (void)why;
    instance_figure_text(out, "type", format_asked(type).label);
    format_figure_exact(out, "update", update);
    format_figure_exact(out, "step", step);
    instance_figure_plain(out, "count", count);
    struct instance_key *key = instance_key_add(out, ANSWER_COUNT, "", right, 0.001);
    instance_path_add(key, "exact", exact);
    instance_path_add(key, "stays", 1);
    instance_path_add(key, "whole", 1 + (double)count * step);
    format_step_of(out, "u / Δ", "# / #", (double[]){update, step}, part);
    format_step_of(out, "r = round(u / Δ) × Δ", "round(#) × #", (double[]){part, step}, risen);
    format_step_of(out, "1 + n × r", "1 + # × #", (double[]){(double)count, risen}, right);
    format_line(out, type, (double[]){1 + update, 1 + step + update}, 2);
    return STATUS_OK;
}

static enum status make_chance(uint64_t seed, struct instance *out, struct message *why) {
    static const double parts[] = {0.05, 0.08, 0.1,  0.12, 0.15, 0.18, 0.2, 0.22, 0.25, 0.28, 0.3,
                                   0.35, 0.4,  0.45, 0.55, 0.6,  0.65, 0.7, 0.75, 0.8,  0.85, 0.9};
    static const double weights[] = {0.25, 0.5, 1.5, 2, 3, 4, 6, 8};
    uint64_t dice = instance_dice(seed);
    double part = format_pick(&dice, parts, MIXED_COUNT(parts));
    double weight = format_pick(&dice, weights, MIXED_COUNT(weights));
    double step = format_ulp(NUM_BF16, weight), update = part * step;
    (void)why;
    format_figure_exact(out, "weight", weight);
    format_figure_number(out, "update", update);
    format_figure_exact(out, "step", step);
    struct instance_key *key = instance_key_add(out, ANSWER_SHARE, "%", part, 0.01);
    instance_path_add(key, "nearest", part > 0.5 ? 1 : 0);
    instance_path_add(key, "half", part < 0.5 ? 2 * part : part);
    instance_path_add(key, "complement", 1 - part);
    struct instance_step *s = instance_step_add(out, ANSWER_SHARE, "%", part);
    (void)snprintf(s->formula, sizeof s->formula, "u / Δ");
    (void)snprintf(s->substituted, sizeof s->substituted, "%.6g / %.9g", update, step);
    format_line(out, NUM_BF16, (double[]){weight + update}, 1);
    return STATUS_OK;
}

/* --- Page 4: where it breaks --- */

static enum status make_overflow(uint64_t seed, struct instance *out, struct message *why) {
    struct calc_rounding half = rounding_of("fp16");
    double logit = calc_overflow_logit(&half.format);
    (void)seed, (void)why;
    format_figure_number(out, "logit", logit);
    format_figure_number(out, "max", calc_format_max(&half.format));
    format_line(out, NUM_FP16, (double[]){exp(logit)}, 1);
    return STATUS_OK;
}

static enum status make_epsilon(uint64_t seed, struct instance *out, struct message *why) {
    const double epsilon = 1e-8; /* the default of the paper and of frameworks */
    (void)seed, (void)why;
    instance_figure_text(out, "epsilon", "1e−8");
    format_figure_number(out, "stored", format_stored(NUM_FP16, epsilon, NUM_MODE_NEAREST));
    format_figure_power(out, "limit", num_limits(NUM_FP16).min_subnormal / 2);
    format_line(out, NUM_FP16, &epsilon, 1);
    return STATUS_OK;
}

/* The figures of the formats; the line shows the ends of the two FP8 formats. */
static enum status make_fp8(uint64_t seed, struct instance *out, struct message *why) {
    enum status ok = mixed_make_ranges(seed, out, why);
    format_line(out, NUM_E5M2, (double[]){num_limits(NUM_E4M3).max, num_limits(NUM_E5M2).max}, 2);
    return ok;
}

const struct instance_entry mixed_makers[MIXED_MAKERS] = {
    {"mixed-precision.states.optimizer", make_states, true},
    {"mixed-precision.states.halves", make_halves, false},
    {"mixed-precision.scale.zero", make_zero, true},
    {"mixed-precision.scale.limit", make_limit, true},
    {"mixed-precision.scale.trace", make_trace, true},
    {"mixed-precision.updates.lost", make_lost, true},
    {"mixed-precision.updates.drift", make_drift, true},
    {"mixed-precision.updates.chance", make_chance, true},
    {"mixed-precision.ops.autocast", make_overflow, false},
    {"mixed-precision.ops.epsilon", make_epsilon, false},
    {"mixed-precision.bf16.gains", mixed_make_ranges, false},
    {"mixed-precision.bf16.why", mixed_make_ranges, false},
    {"mixed-precision.follow.scale", mixed_make_first_scale, false},
    {"mixed-precision.follow.clip", mixed_make_clip, true},
    {"mixed-precision.follow.reduce", mixed_make_reduce, true},
    {"mixed-precision.follow.fp8", make_fp8, false},
    {"mixed-precision.run.days", mixed_make_days, true},
    {"mixed-precision.run.mfu", mixed_make_mfu, true},
};
