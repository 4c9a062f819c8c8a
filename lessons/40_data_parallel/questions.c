/* The numbers of the questions of the lesson on data parallelism: bytes of the gradients' sum, once a step or every micro-batch,
 * tokens that hide it, tokens of a global batch, and the mean that several trainers took wrongly. Bytes and times are
 * calc/comm.h's; each wrong path is what a known mistake makes of the same inputs. Writes into the caller's instance.
 * Proof: tests/unit/lessons/test_questions.c, test_question_solutions.c. */
#include "data_parallel_private.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "../question_line_private.h"
#include "shardlab/calc/params.h"
#include "shardlab/calc/ranks.h"

static const int ranks_of[] = {4, 8, 16, 32};
enum { COPIED = 5 }; /* the first of the models: none that nobody would copy as a whole */

static void say_model(struct instance *out, const char *name, uint64_t params) {
    instance_figure_text(out, "model", name);
    instance_figure_count(out, "params", params);
}

/* The sum of the gradients as the ledger has it. */
static enum status gradients_of(const struct instance *out, struct calc_comm_row *row,
                                struct message *why) {
    struct calc_comm comm;
    enum status ok = question_comm(out, -1, &comm, why);
    if (ok == STATUS_OK) {
        const struct calc_comm_row *found = question_row(&comm, CALC_AXIS_DP, "gradients");
        assert(found != NULL);
        *row = *found;
    }
    return ok;
}

static enum status gradient_bytes(uint64_t seed, struct instance *out, struct message *why) {
    uint64_t dice = instance_dice(seed);
    const struct question_preset *model = question_model_at(instance_pick(&dice, COPIED));
    int ranks = QUESTION_PICK(&dice, ranks_of);
    uint64_t bytes = instance_pick(&dice, 2) == 0 ? 2 : 4;
    struct scenario s;
    struct calc_params params;
    struct calc_comm_row row;
    question_line(out, "comm --model %s --dp %d --grad-bytes %d", model->name, ranks, (int)bytes);
    if (question_scenario(out, &s, why) != STATUS_OK ||
        calc_params_count(&s, &params, why) != STATUS_OK ||
        gradients_of(out, &row, why) != STATUS_OK) {
        return STATUS_FAILED;
    }
    double message = (double)row.message_bytes, sent = (double)row.sent_bytes;
    say_model(out, model->name, params.total);
    instance_figure_plain(out, "ranks", (uint64_t)ranks);
    instance_figure_text(out, "type", question_type(bytes));
    struct instance_key *key = instance_key_add(out, ANSWER_BYTES, "GB", sent, 0.01);
    instance_path_add(key, "once", message);
    instance_path_add(key, "everyone", ranks * message);
    instance_path_add(key, "half", sent / 2);
    instance_path_add(key, "other-type", bytes == 2 ? sent * 2 : sent / 2);
    question_said(instance_step_add(out, ANSWER_BYTES, "GB", message), "g · Ψ", "%d × %llu",
                  (int)bytes, (unsigned long long)params.total);
    question_said(question_answer_step(out), "2(N−1)/N · gΨ", "2 × %d / %d × %.4g GB", ranks - 1,
                  ranks, message / 1e9);
    return STATUS_OK;
}

static enum status accumulated(uint64_t seed, struct instance *out, struct message *why) {
    static const int tenths[] = {10, 30, 70, 80, 130}, steps_of[] = {4, 8, 16, 32};
    uint64_t dice = instance_dice(seed);
    int size = QUESTION_PICK(&dice, tenths), ranks = QUESTION_PICK(&dice, ranks_of);
    int steps = QUESTION_PICK(&dice, steps_of);
    struct calc_comm_row row;
    question_line(out, "comm --params %gB --dp %d --micro-batches %d --reduce every", size / 10.0,
                  ranks, steps);
    enum status ok = gradients_of(out, &row, why);
    if (ok != STATUS_OK) {
        return ok;
    }
    double message = (double)row.message_bytes, sent = (double)row.sent_bytes;
    instance_figure_value(out, "message", ANSWER_BYTES, "GB", message);
    instance_figure_plain(out, "ranks", (uint64_t)ranks);
    instance_figure_plain(out, "steps", (uint64_t)steps);
    struct instance_key *key = instance_key_add(out, ANSWER_BYTES, "GB", sent, 0.01);
    instance_path_add(key, "waits", sent / steps);
    instance_path_add(key, "no-ring", steps * message);
    instance_path_add(key, "half", sent / 2);
    question_said(instance_step_add(out, ANSWER_BYTES, "GB", sent / steps), "2(N−1)/N · S",
                  "2 × %d / %d × %.4g GB", ranks - 1, ranks, message / 1e9);
    question_said(question_answer_step(out), "A · 2(N−1)/N · S", "%d × %.4g GB", steps,
                  sent / steps / 1e9);
    return STATUS_OK;
}

/* What a step trains on: only the replicas see other data. */
static enum status global_batch(uint64_t seed, struct instance *out, struct message *why) {
    static const int replicas[] = {4, 6, 8, 12, 16}, tensor[] = {2, 4, 8}, stages[] = {2, 4, 8};
    static const int sequences[] = {2, 3, 4}, steps_of[] = {8, 10, 12, 20},
                     lengths[] = {2048, 4096};
    uint64_t dice = instance_dice(seed);
    int dp = QUESTION_PICK(&dice, replicas), tp = QUESTION_PICK(&dice, tensor);
    int pp = QUESTION_PICK(&dice, stages), b = QUESTION_PICK(&dice, sequences);
    int m = QUESTION_PICK(&dice, steps_of), length = QUESTION_PICK(&dice, lengths);
    struct scenario s;
    question_line(out,
                  "comm --model llama-2-70b --dp %d --tp %d --pp %d --micro-batch %d "
                  "--micro-batches %d --seq %d",
                  dp, tp, pp, b, m, length);
    if (question_scenario(out, &s, why) != STATUS_OK) {
        return STATUS_FAILED;
    }
    const struct calc_ranks ranks = calc_ranks_of(&s);
    double world = (double)calc_ranks_world(&ranks);
    double replica =
        (double)s.batch.seq * (double)s.batch.micro_batch * (double)s.batch.micro_batches;
    instance_figure_plain(out, "world", calc_ranks_world(&ranks));
    instance_figure_plain(out, "tp", s.layout.tp);
    instance_figure_plain(out, "pp", s.layout.pp);
    instance_figure_plain(out, "micro_batch", s.batch.micro_batch);
    instance_figure_plain(out, "micro_batches", s.batch.micro_batches);
    instance_figure_plain(out, "length", s.batch.seq);
    struct instance_key *key =
        instance_key_add(out, ANSWER_COUNT, "", (double)s.layout.dp * replica, 0.001);
    instance_path_add(key, "world", world * replica);
    instance_path_add(key, "no-accumulation", (double)(dp * b) * length);
    instance_path_add(key, "sequences", (double)dp * b * m);
    instance_path_add(key, "no-micro-batch", (double)dp * m * length);
    question_said(instance_step_add(out, ANSWER_COUNT, "", dp), "d = GPUs / (t · p)",
                  "%.0f / (%d × %d)", world, tp, pp);
    question_said(question_answer_step(out), "d · m · b · s", "%d × %d × %d × %d", dp, m, b,
                  length);
    return STATUS_OK;
}

/* Tokens of a micro-batch whose backward lasts as long as the all-reduce. */
static enum status hiding(uint64_t seed, struct instance *out, struct message *why) {
    static const int wide[] = {16, 32, 64}, percents[] = {30, 35, 40, 45, 50};
    static const int gigabits[] = {100, 200, 400};
    uint64_t dice = instance_dice(seed);
    const struct question_card *card =
        question_card_at(instance_pick(&dice, question_card_count()));
    int ranks = QUESTION_PICK(&dice, wide), percent = QUESTION_PICK(&dice, percents);
    int bits = QUESTION_PICK(&dice, gigabits);
    struct scenario s;
    double tokens = 0;
    question_line(out,
                  "comm --params 7B --dp %d --gpu %s --net-gb-per-s %g --mfu %.2f --alpha-us 0",
                  ranks, card->name, bits / 8.0, percent / 100.0);
    if (question_scenario(out, &s, why) != STATUS_OK || !data_tokens_to_hide(&s, 0, &tokens)) {
        return STATUS_FAILED;
    }
    char text[INSTANCE_TEXT_MAX];
    (void)snprintf(text, sizeof text, "%d Gb/s", bits);
    instance_figure_text(out, "network", text);
    instance_figure_plain(out, "ranks", (uint64_t)ranks);
    instance_figure_text(out, "card", card->short_name);
    instance_figure_real(out, "peak", card->peak_tflops, 0);
    instance_figure_value(out, "mfu", ANSWER_SHARE, "%", percent / 100.0);
    struct instance_key *key = instance_key_add(out, ANSWER_COUNT, "", tokens, 0.02);
    instance_path_add(key, "peak", tokens / (percent / 100.0));
    instance_path_add(key, "bits", tokens / 8);
    instance_path_add(key, "one-way", tokens / 2);
    double flops = card->peak_tflops * percent / 100.0;
    question_said(instance_step_add(out, ANSWER_COUNT, "", flops * 1e12), "C · MFU",
                  "%.0f × 10^12 × %.2f", card->peak_tflops, percent / 100.0);
    question_said(instance_step_add(out, ANSWER_RATE, "GB/s", bits / 8.0 * 1e9), "W", "%d Gb/s / 8",
                  bits);
    question_said(question_answer_step(out), "4ΨT / (C·MFU) = 2(N−1)/N · 2Ψ / W",
                  "%d / %d × %.4g × 10^12 / (%.4g × 10^9)", ranks - 1, ranks, flops, bits / 8.0);
    return STATUS_OK;
}

/* Two ranks whose numbers of valid tokens differ. */
static enum status token_mean(uint64_t seed, struct instance *out, struct message *why) {
    static const int few[] = {100, 200, 300, 400}, many[] = {600, 700, 800, 900};
    static const int low[] = {110, 120, 130, 150}, high[] = {210, 230, 250, 280}; /* hundredths */
    uint64_t dice = instance_dice(seed);
    double n1 = QUESTION_PICK(&dice, few), n2 = QUESTION_PICK(&dice, many);
    double l1 = QUESTION_PICK(&dice, high) / 100.0, l2 = QUESTION_PICK(&dice, low) / 100.0;
    (void)why;
    instance_figure_plain(out, "few", (uint64_t)n1);
    instance_figure_plain(out, "many", (uint64_t)n2);
    instance_figure_real(out, "loss_few", l1, 2);
    instance_figure_real(out, "loss_many", l2, 2);
    struct instance_key *key =
        instance_key_add(out, ANSWER_COUNT, "", (n1 * l1 + n2 * l2) / (n1 + n2), 0.004);
    instance_path_add(key, "means", (l1 + l2) / 2);
    instance_path_add(key, "exchanged", (n2 * l1 + n1 * l2) / (n1 + n2));
    question_said(instance_step_add(out, ANSWER_COUNT, "", n1 * l1 + n2 * l2), "Σ n · loss",
                  "%.0f × %.2f + %.0f × %.2f", n1, l1, n2, l2);
    question_said(question_answer_step(out), "Σ n · loss / Σ n", "%.4g / %.0f", n1 * l1 + n2 * l2,
                  n1 + n2);
    return STATUS_OK;
}

const struct instance_entry data_makers[DATA_MAKERS] = {
    {"data-parallel.gradient.bytes", gradient_bytes, true},
    {"data-parallel.accumulated.bytes", accumulated, true},
    {"data-parallel.global-batch", global_batch, true},
    {"data-parallel.hiding.tokens", hiding, true},
    {"data-parallel.token-mean", token_mean, true},
};
