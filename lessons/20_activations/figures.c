/* The numbers inside the words of the lesson on activations: {{crossing}}, {{gpt_linear}}. From the learner's scenario or
 * from the shape that a paper writes about, always through the calculators. What a scenario does not determine is a
 * dash. Writes into the caller's writer. Proof: tests/unit/lessons/test_activations.c. */
#include <math.h>
#include <string.h>

#include "activations_private.h"
#include "shardlab/base/units.h"
#include "shardlab/calc/flops.h"

enum { BYTES_DECIMALS = 2, UNCHANGED = -1 };

typedef bool (*figure_writer)(const struct scenario *s, int a, struct writer *out);

struct figure_row {
    const char *name;
    figure_writer write;
    int a;
};

static bool write_bytes(struct writer *out, uint64_t bytes) {
    units_write_bytes(out, bytes, UNIT_GB, BYTES_DECIMALS);
    writer_text(out, " GB");
    return true;
}

static bool write_percent(struct writer *out, double part, int decimals) {
    writer_fixed(out, 100 * part, decimals);
    writer_text(out, " %");
    return true;
}

/* --- page 1 --- */

static bool write_crossing(const struct scenario *s, int of_gpt, struct writer *out) {
    struct scenario gpt;
    double tokens;
    if ((of_gpt != 0 && !activations_gpt(&gpt)) ||
        !activations_crossing(of_gpt != 0 ? &gpt : s, &tokens)) {
        return false;
    }
    writer_u64_grouped(out, (uint64_t)(tokens + 0.5));
    return true;
}

/* --- page 2 --- */

enum gpt_figure { GPT_LINEAR, GPT_SCORES, GPT_WHOLE, GPT_DIVIDED, GPT_NOW, GPT_SHARE };

/* A linear part of w + d/t: what two tensor ranks hold, against one. */
static bool whole_of_gpt(const struct scenario *gpt, const struct activations_layer *one,
                         double *whole) {
    struct scenario halves = *gpt;
    struct activations_layer two;
    halves.layout.tp = 2;
    if (!activations_layer(&halves, &two)) {
        return false;
    }
    *whole = 2 * two.linear_sbh - one->linear_sbh;
    return true;
}

static bool write_gpt(const struct scenario *s, int a, struct writer *out) {
    struct scenario gpt;
    struct activations_layer layer;
    double whole;
    (void)s;
    if (!activations_gpt(&gpt) || !activations_layer(&gpt, &layer) ||
        !whole_of_gpt(&gpt, &layer, &whole)) {
        return false;
    }
    double pair = (double)gpt.model.heads * (double)gpt.batch.seq / (double)gpt.model.hidden;
    double sum = layer.linear_sbh + layer.scores_sbh;
    switch ((enum gpt_figure)a) {
    case GPT_LINEAR:
        writer_fixed(out, layer.linear_sbh, 0);
        return true;
    case GPT_SCORES: /* of a·s²·b, as the formula has it */
        writer_fixed(out, layer.scores_sbh / pair, 0);
        return true;
    case GPT_WHOLE:
        writer_fixed(out, whole, 0);
        return true;
    case GPT_DIVIDED:
        writer_fixed(out, layer.linear_sbh - whole, 0);
        return true;
    case GPT_NOW:
        writer_fixed(out, sum, 0);
        return true;
    case GPT_SHARE:
        return write_percent(out, layer.scores_sbh / sum, 0);
    }
    return false;
}

static bool write_layer(const struct scenario *s, int a, struct writer *out) {
    struct scenario plain = *s;
    struct activations_layer layer;
    (void)a;
    plain.recipe.recompute = CALC_RECOMPUTE_NONE;
    return activations_layer(&plain, &layer) && write_bytes(out, layer.bytes);
}

/* --- page 3 --- */

/* Activations with another recomputation; of full, what stands there for the layer at work. */
static bool write_kept(const struct scenario *s, int recompute, struct writer *out) {
    struct scenario other = *s;
    struct calc_memory memory;
    other.recipe.recompute = recompute == UNCHANGED ? s->recipe.recompute : recompute;
    return activations_memory(&other, &memory) &&
           write_bytes(out, memory.part_bytes[CALC_PART_ACTIVATIONS]);
}

static bool write_working(const struct scenario *s, int a, struct writer *out) {
    struct scenario full = *s;
    struct calc_memory memory;
    (void)a;
    full.recipe.recompute = CALC_RECOMPUTE_FULL;
    return activations_memory(&full, &memory) &&
           write_bytes(out, activations_term(&memory, "activations.working_layer"));
}

static bool write_flops(const struct scenario *s, int layers_only, struct writer *out) {
    double part;
    return activations_more_flops(s, CALC_RECOMPUTE_FULL, layers_only != 0, &part) &&
           write_percent(out, part, 1);
}

/* GPT-3's shape or MT-NLG's, by the paper's count. */
static bool write_selective(const struct scenario *s, int large, struct writer *out) {
    struct scenario model;
    double part;
    (void)s;
    return (large != 0 ? activations_large_model(&model) : activations_gpt(&model)) &&
           activations_more_flops(&model, CALC_RECOMPUTE_SELECTIVE, false, &part) &&
           write_percent(out, part, 1);
}

static bool write_least(const struct scenario *s, int a, struct writer *out) {
    (void)s;
    (void)a;
    return write_percent(out, activations_measured_least(), 0);
}

static bool write_measured(const struct scenario *s, int recompute, struct writer *out) {
    (void)s;
    double none = activations_measured_ms(CALC_RECOMPUTE_NONE);
    return write_percent(out, activations_measured_ms(recompute) / none - 1, 0);
}

static bool write_hfu(const struct scenario *s, int a, struct writer *out) {
    struct scenario full = *s;
    struct calc_flops flops;
    struct message unused;
    (void)a;
    full.recipe.recompute = CALC_RECOMPUTE_FULL;
    if (calc_flops_per_token(&full, &flops, &unused) != STATUS_OK || !flops.hardware_known) {
        return false;
    }
    writer_fixed(out, (double)flops.hardware / (double)flops.model, 2);
    return true;
}

/* --- page 4 --- */

/* The first stage's activations, in one pipeline stage or as many as the learner has. */
static bool write_first_stage(const struct scenario *s, int single, struct writer *out) {
    struct scenario other = *s;
    struct calc_memory memory;
    if (single != 0) {
        other.layout.pp = other.layout.chunks = 1;
        other.layout.schedule = CALC_SCHEDULE_1F1B;
        other.layout.layers_per_stage_count = 0;
    }
    return activations_on_stage(&other, 0, &memory) &&
           write_bytes(out, memory.part_bytes[CALC_PART_ACTIVATIONS]);
}

/* --- page 5 --- */

static bool write_vocab(const struct scenario *s, int a, struct writer *out) {
    (void)a;
    if (s->model.vocab == 0) {
        return false;
    }
    writer_u64_grouped(out, s->model.vocab);
    return true;
}

static bool write_logits(const struct scenario *s, int form, struct writer *out) {
    struct scenario other = *s;
    struct calc_memory memory;
    other.recipe.logits = form;
    return activations_head_stage(&other, &memory) &&
           write_bytes(out, activations_term(&memory, "activations.logits"));
}

static bool write_worth(const struct scenario *s, int form, struct writer *out) {
    struct scenario other = *s;
    struct calc_memory memory;
    struct activations_layer layer;
    other.recipe.logits = form;
    other.recipe.recompute = CALC_RECOMPUTE_NONE;
    if (!activations_head_stage(&other, &memory) || !activations_layer(&other, &layer)) {
        return false;
    }
    writer_fixed(out, (double)activations_term(&memory, "activations.logits") / (double)layer.bytes,
                 1);
    return true;
}

static const struct figure_row figures[] = {
    {"crossing", write_crossing, 0},
    {"gpt_crossing", write_crossing, 1},
    {"gpt_linear", write_gpt, GPT_LINEAR},
    {"gpt_scores", write_gpt, GPT_SCORES},
    {"gpt_whole", write_gpt, GPT_WHOLE},
    {"gpt_divided", write_gpt, GPT_DIVIDED},
    {"gpt_now", write_gpt, GPT_NOW},
    {"gpt_share", write_gpt, GPT_SHARE},
    {"layer", write_layer, 0},
    {"kept", write_kept, UNCHANGED},
    {"kept_none", write_kept, CALC_RECOMPUTE_NONE},
    {"kept_full", write_kept, CALC_RECOMPUTE_FULL},
    {"working", write_working, 0},
    {"flops_layers", write_flops, 1},
    {"flops_model", write_flops, 0},
    {"flops_selective", write_selective, 0},
    {"flops_selective_large", write_selective, 1},
    {"time_low", write_least, 0},
    {"time_full", write_measured, CALC_RECOMPUTE_FULL},
    {"time_selective", write_measured, CALC_RECOMPUTE_SELECTIVE},
    {"hfu", write_hfu, 0},
    {"first_stage", write_first_stage, 0},
    {"one_stage", write_first_stage, 1},
    {"vocab", write_vocab, 0},
    {"logits_fp32", write_logits, CALC_LOGITS_FP32},
    {"logits_worst", write_logits, CALC_LOGITS_FP32X3},
    {"logits_worth", write_worth, CALC_LOGITS_FP32},
};

bool activations_figure(const struct lesson_input *in, const char *name, struct writer *out) {
    for (size_t i = 0; i < sizeof figures / sizeof figures[0]; i++) {
        if (strcmp(figures[i].name, name) == 0) {
            if (!figures[i].write(in->now, figures[i].a, out)) {
                writer_text(out, "—");
            }
            return true;
        }
    }
    return false;
}
