/* The numbers of the questions of the lesson on tensor parallelism: how often a layer is summed, what that sends and how long
 * it takes on the links of a node and of the network, what is kept whole, how wide a group may be. Bytes and times are the
 * ledger's (calc/comm.h), activations calc/memory.h's; each wrong path is what a known mistake makes of the same inputs.
 * Writes into the caller's instance. Proof: tests/unit/lessons/test_questions.c, test_question_solutions.c. */
#include "tensor_private.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "../question_line_private.h"
#include "shardlab/calc/memory.h"
#include "shardlab/calc/params.h"

static const int tensor_of[] = {2, 4, 8};
enum { LAYERED = 5 }; /* the first of the models: gated, without biases */

static const struct question_preset *model_of(uint64_t *dice) {
    return question_model_at(instance_pick(dice, LAYERED));
}

/* The row of the layers' sums, of a stage in the middle when there are several. */
static enum status layers_of(const struct instance *out, int stage, struct calc_comm_row *row,
                             struct message *why) {
    struct calc_comm comm;
    enum status ok = question_comm(out, stage, &comm, why);
    if (ok == STATUS_OK) {
        const struct calc_comm_row *found = question_row(&comm, CALC_AXIS_TP, "layers");
        assert(found != NULL);
        *row = *found;
    }
    return ok;
}

/* --- How often, and how much --- */

static enum status calls(uint64_t seed, struct instance *out, struct message *why) {
    static const int counts[] = {4, 6, 8, 12, 16, 20, 24};
    uint64_t dice = instance_dice(seed);
    const struct question_preset *model = model_of(&dice);
    int tp = QUESTION_PICK(&dice, tensor_of), m = QUESTION_PICK(&dice, counts);
    bool full = instance_pick(&dice, 2) == 0;
    struct scenario s;
    struct calc_comm_row row;
    question_line(out, "comm --model %s --tp %d --micro-batches %d --recompute %s", model->name, tp,
                  m, full ? "full" : "none");
    if (question_scenario(out, &s, why) != STATUS_OK ||
        layers_of(out, -1, &row, why) != STATUS_OK) {
        return STATUS_FAILED;
    }
    double each = (double)s.model.layers * m;
    instance_figure_plain(out, "layers", s.model.layers);
    instance_figure_plain(out, "tp", (uint64_t)tp);
    instance_figure_plain(out, "m", (uint64_t)m);
    instance_figure_text(out, "recompute", full ? "full" : "none");
    struct instance_key *key = instance_key_add(out, ANSWER_COUNT, "", (double)row.count, 0);
    instance_path_add(key, "forward", 2 * each);
    instance_path_add(key, "one-a-layer", each);
    instance_path_add(key, "recompute", full ? 4 * each : 6 * each);
    question_said(question_answer_step(out), full ? "L · m · (2 + 2 + 2)" : "L · m · (2 + 2)",
                  "%d × %d × %d", (int)s.model.layers, m, full ? 6 : 4);
    return STATUS_OK;
}

static void say_tokens(struct instance *out, const struct scenario *s) {
    instance_figure_plain(out, "length", s->batch.seq);
    instance_figure_plain(out, "sequences", s->batch.micro_batch);
    instance_figure_plain(out, "tp", s->layout.tp);
}

static void say_layer(struct instance *out, const struct scenario *s) {
    instance_figure_plain(out, "hidden", s->model.hidden);
    say_tokens(out, s);
}

/* One layer of a model, one micro-batch. */
static enum status one_layer(uint64_t *dice, const char *more, struct instance *out,
                             struct scenario *s, struct message *why) {
    static const int lengths[] = {1024, 2048, 4096}, sequences[] = {1, 2, 4};
    const struct question_preset *model = model_of(dice);
    question_line(out, "comm --model %s --layers 1 --tp %d --seq %d --micro-batch %d%s",
                  model->name, QUESTION_PICK(dice, tensor_of), QUESTION_PICK(dice, lengths),
                  QUESTION_PICK(dice, sequences), more);
    enum status ok = question_scenario(out, s, why);
    if (ok == STATUS_OK) {
        say_layer(out, s);
    }
    return ok;
}

static enum status layer_bytes(uint64_t seed, struct instance *out, struct message *why) {
    uint64_t dice = instance_dice(seed);
    struct scenario s;
    struct calc_comm_row row;
    struct calc_stage_split split;
    if (one_layer(&dice, "", out, &s, why) != STATUS_OK ||
        layers_of(out, -1, &row, why) != STATUS_OK ||
        calc_params_split(&s, 0, &split, why) != STATUS_OK) {
        return STATUS_FAILED;
    }
    double message = (double)row.message_bytes, sent = (double)row.sent_bytes;
    double t = (double)s.layout.tp;
    struct instance_key *key = instance_key_add(out, ANSWER_BYTES, "MB", sent, 0.01);
    instance_path_add(key, "whole-messages", (double)row.count * message);
    instance_path_add(key, "forward", sent / 2);
    instance_path_add(key, "one", sent / (double)row.count);
    instance_path_add(key, "weights", 2 * (t - 1) / t * 2 * (double)split.dense_layer * t);
    question_said(instance_step_add(out, ANSWER_BYTES, "MB", message), "2 · b·s·h",
                  "2 × %d × %d × %d", (int)s.batch.micro_batch, (int)s.batch.seq,
                  (int)s.model.hidden);
    question_said(question_answer_step(out), "4 · 2(t−1)/t · 2bsh", "4 × 2 × %.0f / %.0f × %.4g MB",
                  t - 1, t, message / 1e6);
    out->steps[1].source = "Shoeybi et al. 2019, arXiv:1909.08053";
    return STATUS_OK;
}

static enum status step_bytes(uint64_t seed, struct instance *out, struct message *why) {
    static const int stages[] = {2, 4, 8}, counts[] = {8, 16, 32};
    uint64_t dice = instance_dice(seed);
    const struct question_preset *model = model_of(&dice);
    int tp = QUESTION_PICK(&dice, tensor_of), pp = QUESTION_PICK(&dice, stages);
    int m = QUESTION_PICK(&dice, counts);
    struct scenario s;
    struct calc_comm_row row;
    question_line(out, "comm --model %s --tp %d --pp %d --micro-batches %d --seq 4096", model->name,
                  tp, pp, m);
    if (question_scenario(out, &s, why) != STATUS_OK || layers_of(out, 0, &row, why) != STATUS_OK) {
        return STATUS_FAILED;
    }
    double sent = (double)row.sent_bytes, layers = (double)calc_layers_on_stage(&s, 0);
    double each = sent / (layers * m);
    instance_figure_text(out, "model", model->name);
    instance_figure_plain(out, "layers", s.model.layers);
    instance_figure_plain(out, "pp", (uint64_t)pp);
    instance_figure_plain(out, "m", (uint64_t)m);
    say_layer(out, &s);
    struct instance_key *key = instance_key_add(out, ANSWER_BYTES, "GB", sent, 0.01);
    instance_path_add(key, "all-layers", each * (double)s.model.layers * m);
    instance_path_add(key, "one-micro-batch", each * layers);
    instance_path_add(key, "forward", sent / 2);
    instance_path_add(key, "whole-messages", (double)row.count * (double)row.message_bytes);
    question_said(instance_step_add(out, ANSWER_BYTES, "MB", each), "4 · 2(t−1)/t · 2bsh",
                  "4 × 2 × %d / %d × %.4g MB", tp - 1, tp, (double)row.message_bytes / 1e6);
    question_said(question_answer_step(out), "L/p · m · 4 · 2(t−1)/t · 2bsh", "%.0f × %d × %.4g MB",
                  layers, m, each / 1e6);
    return STATUS_OK;
}

/* The same layer inside a node and, with fewer cards in it, over the network. */
static enum status links(uint64_t seed, struct instance *out, struct message *why) {
    uint64_t dice = instance_dice(seed);
    const struct question_card *card =
        question_card_at(instance_pick(&dice, question_card_count()));
    char more[96];
    (void)snprintf(more, sizeof more, " --gpu %s --alpha-us 0", card->name);
    struct scenario s;
    struct calc_comm_row inside, outside;
    if (one_layer(&dice, more, out, &s, why) != STATUS_OK ||
        layers_of(out, -1, &inside, why) != STATUS_OK) {
        return STATUS_FAILED;
    }
    struct instance other = *out;
    question_line(&other, "%s --gpus-per-node 1", out->line);
    if (layers_of(&other, -1, &outside, why) != STATUS_OK) {
        return STATUS_FAILED;
    }
    double message = (double)inside.message_bytes, sent = (double)inside.sent_bytes;
    double t = (double)s.layout.tp, link = card->link_gb_per_s, net = card->net_gb_per_s;
    instance_figure_value(out, "link", ANSWER_RATE, "GB/s", link * 1e9);
    instance_figure_value(out, "network", ANSWER_RATE, "GB/s", net * 1e9);
    (void)instance_key_add(out, ANSWER_BYTES, "MB", message, 0.01);
    (void)instance_key_add(out, ANSWER_BYTES, "MB", sent, 0.01);
    (void)instance_key_add(out, ANSWER_SECONDS, "ms", inside.time_s, 0.01);
    (void)instance_key_add(out, ANSWER_SECONDS, "ms", outside.time_s, 0.01);
    question_said(instance_step_add(out, ANSWER_BYTES, "MB", message), "2 · b·s·h",
                  "2 × %d × %d × %d", (int)s.batch.micro_batch, (int)s.batch.seq,
                  (int)s.model.hidden);
    question_said(instance_step_add(out, ANSWER_BYTES, "MB", sent), "4 · 2(t−1)/t · 2bsh",
                  "4 × 2 × %.0f / %.0f × %.4g MB", t - 1, t, message / 1e6);
    question_said(instance_step_add(out, ANSWER_SECONDS, "ms", inside.time_s), "S / W",
                  "%.4g MB / %g GB/s", sent / 1e6, link);
    question_said(instance_step_add(out, ANSWER_SECONDS, "ms", outside.time_s), "S / W",
                  "%.4g MB / %g GB/s", sent / 1e6, net);
    return STATUS_OK;
}

/* --- Sequence parallelism, and what is kept --- */

static enum status sequence_bytes(uint64_t seed, struct instance *out, struct message *why) {
    uint64_t dice = instance_dice(seed);
    struct scenario s;
    struct calc_comm comm;
    if (one_layer(&dice, " --sequence-parallel", out, &s, why) != STATUS_OK ||
        question_comm(out, -1, &comm, why) != STATUS_OK) {
        return STATUS_FAILED;
    }
    double sent = 0, t = (double)s.layout.tp;
    for (int i = 0; i < comm.row_count; i++) {
        const struct calc_comm_row *row = &comm.rows[i];
        bool of_layers =
            row->axis == CALC_AXIS_TP && strncmp(row->id, "layers", strlen("layers")) == 0;
        sent += of_layers ? (double)row->sent_bytes : 0;
    }
    double tokens = (double)(s.batch.seq * s.batch.micro_batch * s.model.hidden);
    double unit = (t - 1) / t * 2 * tokens;
    struct instance_key *key = instance_key_add(out, ANSWER_BYTES, "MB", sent, 0.01);
    instance_path_add(key, "no-gather", 8 * unit);
    instance_path_add(key, "twice", 16 * unit);
    instance_path_add(key, "half", 4 * unit);
    question_said(instance_step_add(out, ANSWER_BYTES, "MB", unit), "(t−1)/t · 2bsh",
                  "%.0f / %.0f × 2 × %.0f", t - 1, t, tokens);
    question_said(question_answer_step(out), "(4 + 4 + 2) · (t−1)/t · 2bsh", "10 × %.4g MB",
                  unit / 1e6);
    out->steps[1].source = "Korthikanti et al. 2022, arXiv:2205.05198";
    return STATUS_OK;
}

/* The block of the paper, without what attention scores keep: what one more layer adds. */
static enum status kept_by(const char *line, int tp, double *out, struct message *why) {
    uint64_t bytes[2];
    for (int layers = 1; layers <= 2; layers++) {
        struct instance in;
        struct scenario s;
        struct calc_memory memory;
        instance_start(&in, 0);
        question_line(&in, "%s --layers %d --tp %d", line, layers, tp);
        if (question_scenario(&in, &s, why) != STATUS_OK ||
            calc_memory_on_stage(&s, 0, &memory, why) != STATUS_OK) {
            return STATUS_FAILED;
        }
        bytes[layers - 1] = memory.part_bytes[CALC_PART_ACTIVATIONS];
    }
    *out = (double)(bytes[1] - bytes[0]);
    return STATUS_OK;
}

static enum status kept(uint64_t seed, struct instance *out, struct message *why) {
    static const int widths[] = {4096, 5120, 8192, 12288}, lengths[] = {1024, 2048, 4096};
    uint64_t dice = instance_dice(seed);
    int h = QUESTION_PICK(&dice, widths), tp = QUESTION_PICK(&dice, tensor_of);
    int length = QUESTION_PICK(&dice, lengths);
    double right = 0, one = 0, two = 0, unit = (double)h * length;
    question_line(out,
                  "mem --layers 1 --hidden %d --heads %d --vocab 51200 --seq %d --tp %d --no-gated "
                  "--norm layer --bias all --dropout --attention standard --recompute selective",
                  h, h / 128, length, tp);
    if (kept_by(out->line, tp, &right, why) != STATUS_OK ||
        kept_by(out->line, 1, &one, why) != STATUS_OK ||
        kept_by(out->line, 2, &two, why) != STATUS_OK) {
        return STATUS_FAILED;
    }
    double all = one / unit, divided = 2 * (one - two) / unit, whole = all - divided;
    instance_figure_plain(out, "hidden", (uint64_t)h);
    instance_figure_plain(out, "length", (uint64_t)length);
    instance_figure_plain(out, "tp", (uint64_t)tp);
    instance_figure_real(out, "all", all, 0);
    instance_figure_real(out, "whole", whole, 0);
    struct instance_key *key = instance_key_add(out, ANSWER_BYTES, "MB", right, 0.01);
    instance_path_add(key, "all-divided", all * unit / tp);
    instance_path_add(key, "none", all * unit);
    instance_path_add(key, "only-divided", divided * unit / tp);
    question_said(instance_step_add(out, ANSWER_COUNT, "", right / unit), "10 + 24/t",
                  "%.0f + %.0f / %d", whole, divided, tp);
    question_said(question_answer_step(out), "(10 + 24/t) · s·b·h", "%.4g × %d × 1 × %d",
                  right / unit, length, h);
    out->steps[0].source = "Korthikanti et al. 2022, arXiv:2205.05198";
    return STATUS_OK;
}

/* The loss of a divided vocabulary: three numbers a token are summed, no logits gathered. */
static enum status loss_bytes(uint64_t seed, struct instance *out, struct message *why) {
    static const int lengths[] = {2048, 4096, 8192}, sequences[] = {1, 2, 3, 4};
    uint64_t dice = instance_dice(seed);
    int tp = QUESTION_PICK(&dice, tensor_of), length = QUESTION_PICK(&dice, lengths);
    int sequence_count = QUESTION_PICK(&dice, sequences);
    struct scenario s;
    struct calc_comm comm;
    question_line(out, "comm --model llama-3-8b --tp %d --seq %d --micro-batch %d", tp, length,
                  sequence_count);
    if (question_scenario(out, &s, why) != STATUS_OK ||
        question_comm(out, -1, &comm, why) != STATUS_OK) {
        return STATUS_FAILED;
    }
    const struct calc_comm_row *row = question_row(&comm, CALC_AXIS_TP, "loss");
    assert(row != NULL);
    double sent = (double)row->sent_bytes, tokens = (double)(s.batch.seq * s.batch.micro_batch);
    double t = (double)s.layout.tp, logits = tokens * (double)s.model.vocab * 4;
    say_tokens(out, &s);
    instance_figure_plain(out, "vocab", s.model.vocab);
    struct instance_key *key = instance_key_add(out, ANSWER_BYTES, "KB", sent, 0.01);
    instance_path_add(key, "gathered", (t - 1) / t * logits);
    instance_path_add(key, "one", sent / 3);
    instance_path_add(key, "half-width", sent / 2);
    question_said(instance_step_add(out, ANSWER_BYTES, "KB", tokens * 4), "4 · b·s", "4 × %.0f",
                  tokens);
    question_said(question_answer_step(out), "3 · 2(t−1)/t · 4bs", "3 × 2 × %.0f / %.0f × 4 × %.0f",
                  t - 1, t, tokens);
    return STATUS_OK;
}

/* --- How wide --- */

/* More ranks than key and value heads. */
static enum status heads(uint64_t seed, struct instance *out, struct message *why) {
    static const int heads_of[] = {32, 64, 128}, shared[] = {2, 4, 8}, times[] = {2, 4};
    uint64_t dice = instance_dice(seed);
    int a = QUESTION_PICK(&dice, heads_of), kv = QUESTION_PICK(&dice, shared);
    int copies = QUESTION_PICK(&dice, times);
    struct scenario s;
    question_line(out,
                  "comm --layers 32 --hidden %d --heads %d --kv-heads %d --ffn %d --vocab 32000 "
                  "--tp %d",
                  128 * a, a, kv, 512 * a, kv * copies);
    enum status ok = question_scenario(out, &s, why); /* legal, or there is no question */
    if (ok == STATUS_OK) {
        instance_figure_plain(out, "heads", s.model.heads);
        instance_figure_plain(out, "kv", s.model.kv_heads);
        instance_figure_plain(out, "tp", s.layout.tp);
        instance_figure_plain(out, "copies", s.layout.tp / s.model.kv_heads);
    }
    return ok;
}

/* The widest group whose products last at least as long as its sums: t ≤ f·W/C, half as much again with a gate. */
static enum status limit(uint64_t seed, struct instance *out, struct message *why) {
    static const int widths[] = {8192, 11008, 14336, 16384, 20480, 24576, 28672, 36864, 49152};
    uint64_t dice = instance_dice(seed);
    const struct question_card *card =
        question_card_at(instance_pick(&dice, question_card_count()));
    double f = QUESTION_PICK(&dice, widths);
    bool gated = instance_pick(&dice, 2) == 0;
    (void)why;
    double matrices = gated ? 1.5 : 1.0, rate = card->link_gb_per_s / (card->peak_tflops * 1e3);
    double right = fmax(1, floor(matrices * f * rate));
    instance_figure_text(out, "card", card->short_name);
    instance_figure_real(out, "peak", card->peak_tflops, 0);
    instance_figure_value(out, "link", ANSWER_RATE, "GB/s", card->link_gb_per_s * 1e9);
    instance_figure_plain(out, "ffn", (uint64_t)f);
    instance_figure_plain(out, "matrices", gated ? 3 : 2);
    struct instance_key *key = instance_key_add(out, ANSWER_COUNT, "", right, 0);
    instance_path_add(key, "both-directions", floor(2 * matrices * f * rate));
    instance_path_add(key, "other-ffn", floor((gated ? 1.0 : 1.5) * f * rate));
    instance_path_add(
        key, "network",
        fmax(1, floor(matrices * f * rate * card->net_gb_per_s / card->link_gb_per_s)));
    question_said(instance_step_add(out, ANSWER_COUNT, "", matrices * f * rate),
                  gated ? "3/2 · f · W / C" : "f · W / C", "%s%.0f × %g × 10^9 / (%g × 10^12)",
                  gated ? "1.5 × " : "", f, card->link_gb_per_s, card->peak_tflops);
    question_said(question_answer_step(out), "⌊t⌋", "⌊%.4g⌋", matrices * f * rate);
    return STATUS_OK;
}

const struct instance_entry tensor_makers[TENSOR_MAKERS] = {
    {"tensor-parallel.calls", calls, true},
    {"tensor-parallel.layer.bytes", layer_bytes, true},
    {"tensor-parallel.step.bytes", step_bytes, true},
    {"tensor-parallel.links", links, true},
    {"tensor-parallel.sequence.bytes", sequence_bytes, true},
    {"tensor-parallel.kept", kept, true},
    {"tensor-parallel.loss.bytes", loss_bytes, true},
    {"tensor-parallel.heads", heads, true},
    {"tensor-parallel.limit", limit, true},
};
