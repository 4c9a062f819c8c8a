/* The numbers of this lesson's questions: bytes by stage, how many times smaller, what a step sends with and without
 * accumulation, tensor parallelism on as many sequences, and what FSDP gathers. Sizes are calc/memory.h's, bytes on links
 * calc/comm.h's; a mistake is the same of another stage, another count of micro-batches, or without what divides it.
 * Proof: tests/unit/lessons/test_questions.c. */
#include <stdio.h>

#include "../question_memory_private.h"
#include "../what_if_private.h"
#include "shardlab/calc/params.h"
#include "zero_private.h"

static const int few_ranks[] = {2, 4, 8, 16, 32, 64};

static struct instance_key *gb(struct instance *out, double bytes) {
    return instance_key_add(out, ANSWER_BYTES, "GB", bytes, 0.01);
}

static struct instance_step *gb_step(struct instance *out, double bytes) {
    return instance_step_add(out, ANSWER_BYTES, "GB", bytes);
}

/* --- Memory --- */

struct states {
    struct scenario s;
    struct calc_memory whole;
    double stage[ZERO_STAGES];
    double psi;
};

/* The states of one GPU at each stage, with the ranks of the line. */
static enum status states_of(const struct instance *out, struct states *st, struct message *why) {
    enum status ok = question_memory(out, &st->s, &st->whole, why);
    for (int z = 0; ok == STATUS_OK && z < ZERO_STAGES; z++) {
        struct calc_memory memory;
        const char digits[] = {(char)('0' + z), '\0'};
        ok = question_memory_if(&st->s, "zero", digits, &memory, why);
        st->stage[z] = question_states(&memory);
        st->whole = z == 0 ? memory : st->whole;
    }
    st->psi = (double)st->whole.params;
    return ok;
}

static enum status stage_parts(uint64_t seed, struct instance *out, struct message *why) {
    uint64_t dice = instance_dice(seed);
    const char *params = question_params(&dice);
    int ranks = QUESTION_PICK(&dice, few_ranks);
    struct states st;
    question_line(out, "mem --params %s --dp %d", params, ranks);
    if (states_of(out, &st, why) != STATUS_OK) {
        return STATUS_FAILED;
    }
    instance_figure_text(out, "params", params);
    instance_figure_plain(out, "ranks", (uint64_t)ranks);
    for (int z = 0; z < ZERO_STAGES; z++) {
        (void)gb(out, st.stage[z]);
    }
    return STATUS_OK;
}

static enum status stage_bytes(uint64_t seed, struct instance *out, struct message *why) {
    uint64_t dice = instance_dice(seed);
    const char *params = question_params(&dice);
    int ranks = QUESTION_PICK(&dice, few_ranks), stage = 1 + instance_pick(&dice, 2);
    struct states st;
    question_line(out, "mem --params %s --dp %d --zero %d", params, ranks, stage);
    if (states_of(out, &st, why) != STATUS_OK) {
        return STATUS_FAILED;
    }
    double weights = question_part(&st.whole, CALC_PART_WEIGHTS);
    double gradients = question_part(&st.whole, CALC_PART_GRADIENTS);
    double stays = stage == 1 ? weights + gradients : weights;
    double divided = st.stage[0] - stays;
    instance_figure_text(out, "params", params);
    instance_figure_plain(out, "ranks", (uint64_t)ranks);
    instance_figure_plain(out, "stage", (uint64_t)stage);
    struct instance_key *key = gb(out, st.stage[stage]);
    instance_path_add(key, "all-divided", st.stage[3]);
    instance_path_add(key, "limit", stays);
    instance_path_add(key, "other-stage", st.stage[stage == 1 ? 2 : 1]);
    instance_path_add(key, "whole", st.stage[0]);
    char formula[48];
    (void)snprintf(formula, sizeof formula, "%.0fΨ", stays / st.psi);
    question_said(gb_step(out, stays), formula, "%.0f × %.0f", stays / st.psi, st.psi);
    (void)snprintf(formula, sizeof formula, "%.0fΨ/N", divided / st.psi);
    question_said(gb_step(out, divided / ranks), formula, "%.0f × %.0f / %d", divided / st.psi,
                  st.psi, ranks);
    (void)snprintf(formula, sizeof formula, "%.0fΨ + %.0fΨ/N", stays / st.psi, divided / st.psi);
    question_said(question_answer_step(out), formula, "%.4g + %.4g", stays / 1e9,
                  divided / ranks / 1e9);
    return STATUS_OK;
}

static enum status saving(uint64_t seed, struct instance *out, struct message *why) {
    static const int ranks_of[] = {2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64};
    static const char *const kept[] = {"2", "4"};
    uint64_t dice = instance_dice(seed);
    int ranks = QUESTION_PICK(&dice, ranks_of), stage = 1 + instance_pick(&dice, 2);
    int wide = instance_pick(&dice, 2);
    struct states st;
    question_line(out, "mem --params 7B --dp %d --zero %d --grad-bytes %s", ranks, stage,
                  kept[wide]);
    if (states_of(out, &st, why) != STATUS_OK) {
        return STATUS_FAILED;
    }
    struct scenario paper = st.s;
    if (!what_if_set(&paper, "grad-bytes", kept[1 - wide]) || !what_if_settle(&paper)) {
        return STATUS_FAILED;
    }
    uint64_t z = (uint64_t)stage, n = (uint64_t)ranks;
    double times = calc_zero_saving(&st.s, z, n);
    instance_figure_plain(out, "ranks", n);
    instance_figure_plain(out, "stage", z);
    instance_figure_text(out, "gradients", question_type(wide == 1 ? 4 : 2));
    struct instance_key *key = instance_key_add(out, ANSWER_COUNT, "", times, 0.01);
    instance_path_add(key, "limit", calc_zero_saving_limit(&st.s, z));
    instance_path_add(key, "ranks", ranks);
    instance_path_add(key, "other-gradients", calc_zero_saving(&paper, z, n));
    instance_path_add(key, "other-stage", calc_zero_saving(&st.s, 3 - z, n));
    double whole = st.stage[0] / st.psi, now = whole / times;
    question_said(instance_step_add(out, ANSWER_COUNT, "", whole), "ZeRO-0", "%.4g GB / %.0f",
                  st.stage[0] / 1e9, st.psi);
    question_said(instance_step_add(out, ANSWER_COUNT, "", now), stage == 1 ? "ZeRO-1" : "ZeRO-2",
                  "%.4g GB / %.0f", st.stage[stage] / 1e9, st.psi);
    question_said(question_answer_step(out), stage == 1 ? "ZeRO-0 / ZeRO-1" : "ZeRO-0 / ZeRO-2",
                  "%.4g / %.4g", whole, now);
    return STATUS_OK;
}

/* --- What is sent --- */

/* Bytes that one GPU sends for data parallelism at a stage with so many micro-batches. */
static enum status sent(const struct scenario *s, uint64_t stage, uint64_t micro_batches,
                        double *bytes) {
    struct data_traffic traffic;
    bool ok = zero_traffic(s, stage, micro_batches, &traffic);
    *bytes = ok ? (double)traffic.total_bytes : 0.0;
    return ok ? STATUS_OK : STATUS_FAILED;
}

static enum status traffic_step(uint64_t seed, struct instance *out, struct message *why) {
    uint64_t dice = instance_dice(seed);
    const char *params = question_params(&dice);
    int ranks = QUESTION_PICK(&dice, few_ranks), stage = 1 + instance_pick(&dice, 3);
    struct scenario s;
    double bytes = 0, other = 0;
    question_line(out, "comm --params %s --dp %d --zero %d", params, ranks, stage);
    if (question_scenario(out, &s, why) != STATUS_OK ||
        sent(&s, (uint64_t)stage, 1, &bytes) != STATUS_OK ||
        sent(&s, stage == 3 ? 2 : 3, 1, &other) != STATUS_OK) {
        return STATUS_FAILED;
    }
    instance_figure_text(out, "params", params);
    instance_figure_plain(out, "ranks", (uint64_t)ranks);
    instance_figure_plain(out, "stage", (uint64_t)stage);
    double psi = bytes * ranks / (ranks - 1) / (stage == 3 ? 3 : 2) / 2;
    struct instance_key *key = gb(out, bytes);
    instance_path_add(key, stage == 3 ? "one-gather" : "two-gathers", other);
    instance_path_add(key, "elements", bytes / 2);
    instance_path_add(key, "both-ways", 2 * bytes);
    instance_path_add(key, "not-own", bytes * ranks / (ranks - 1));
    question_said(gb_step(out, 2 * psi * (ranks - 1) / ranks), "2Ψ(N−1)/N", "2 × %.0f × %d / %d",
                  psi, ranks - 1, ranks);
    question_said(question_answer_step(out), stage == 3 ? "3 × 2Ψ(N−1)/N" : "2 × 2Ψ(N−1)/N",
                  "%d × %.4g", stage == 3 ? 3 : 2, 2 * psi * (ranks - 1) / ranks / 1e9);
    return STATUS_OK;
}

static enum status second_accumulated(uint64_t seed, struct instance *out, struct message *why) {
    uint64_t dice = instance_dice(seed);
    int steps = 2 + instance_pick(&dice, 31);
    uint64_t micro_batches = (uint64_t)steps;
    struct scenario s;
    double plain = 0, second = 0, once = 0;
    question_line(out, "comm --params 7B --dp 8 --zero 2 --micro-batches %d", steps);
    if (question_scenario(out, &s, why) != STATUS_OK ||
        sent(&s, 0, micro_batches, &plain) != STATUS_OK ||
        sent(&s, 2, micro_batches, &second) != STATUS_OK || sent(&s, 2, 1, &once) != STATUS_OK) {
        return STATUS_FAILED;
    }
    instance_figure_plain(out, "steps", micro_batches);
    struct instance_key *key = instance_key_add(out, ANSWER_COUNT, "", second / plain, 0.01);
    instance_path_add(key, "same", once / plain);
    instance_path_add(key, "all-repeated", steps * once / plain);
    instance_path_add(key, "against-one-pass", 2 * second / plain);
    question_said(gb_step(out, plain), "2 × 2Ψ(N−1)/N", "2 × %.4g", plain / 2e9);
    question_said(gb_step(out, second), "(m + 1) × 2Ψ(N−1)/N", "(%d + 1) × %.4g", steps,
                  plain / 2e9);
    question_said(question_answer_step(out), "(m + 1) / 2", "%.4g / %.4g", second / 1e9,
                  plain / 1e9);
    return STATUS_OK;
}

static enum status third_accumulated(uint64_t seed, struct instance *out, struct message *why) {
    static const int steps_of[] = {2, 4, 8, 16, 32};
    uint64_t dice = instance_dice(seed);
    const char *params = question_params(&dice);
    int ranks = QUESTION_PICK(&dice, few_ranks), steps = QUESTION_PICK(&dice, steps_of);
    uint64_t micro_batches = (uint64_t)steps;
    struct scenario s;
    double bytes = 0, once = 0, plain = 0;
    question_line(out, "comm --params %s --dp %d --zero 3 --micro-batches %d", params, ranks,
                  steps);
    if (question_scenario(out, &s, why) != STATUS_OK ||
        sent(&s, 3, micro_batches, &bytes) != STATUS_OK || sent(&s, 3, 1, &once) != STATUS_OK ||
        sent(&s, 0, micro_batches, &plain) != STATUS_OK) {
        return STATUS_FAILED;
    }
    instance_figure_text(out, "params", params);
    instance_figure_plain(out, "ranks", (uint64_t)ranks);
    instance_figure_plain(out, "steps", micro_batches);
    struct instance_key *key = gb(out, bytes);
    instance_path_add(key, "once", once);
    instance_path_add(key, "plain", plain);
    instance_path_add(key, "gathers-only", bytes - steps * (once - plain));
    instance_path_add(key, "gradients-kept", (2 * bytes + once) / 3);
    question_said(gb_step(out, once), "3 × 2Ψ(N−1)/N", "3 × %.4g", once / 3e9);
    question_said(question_answer_step(out), "m × 3 × 2Ψ(N−1)/N", "%d × %.4g", steps, once / 1e9);
    return STATUS_OK;
}

/* --- Beside tensor parallelism --- */

/* Bytes that the layers' all-reduces of the line send. */
static enum status layers_sent(const struct instance *out, double *bytes, struct message *why) {
    struct calc_comm comm;
    enum status ok = question_comm(out, -1, &comm, why);
    const struct calc_comm_row *row =
        ok == STATUS_OK ? question_row(&comm, CALC_AXIS_TP, "layers") : NULL;
    *bytes = row == NULL ? 0.0 : (double)row->sent_bytes;
    return row == NULL ? STATUS_FAILED : STATUS_OK;
}

/* What ZeRO-3 sends for one sequence on each of as many ranks. */
static enum status data_sent(const char *model, int ranks, double *bytes, struct message *why) {
    struct instance other;
    struct scenario s;
    instance_start(&other, 0);
    question_line(&other, "comm --model %s --dp %d --zero 3", model, ranks);
    enum status ok = question_scenario(&other, &s, why);
    return ok == STATUS_OK ? sent(&s, 3, 1, bytes) : ok;
}

static enum status tensor_bytes(uint64_t seed, struct instance *out, struct message *why) {
    static const char *const models[] = {"llama-2-7b", "llama-2-13b", "llama-3-8b"};
    static const int ranks_of[] = {2, 4, 8}, sequences[] = {1024, 2048, 4096, 8192};
    uint64_t dice = instance_dice(seed);
    const char *model = QUESTION_PICK(&dice, models);
    int ranks = QUESTION_PICK(&dice, ranks_of), seq = QUESTION_PICK(&dice, sequences);
    struct scenario s;
    double bytes = 0, by_data = 0;
    question_line(out, "comm --model %s --tp %d --seq %d --micro-batches %d", model, ranks, seq,
                  ranks);
    if (question_scenario(out, &s, why) != STATUS_OK ||
        layers_sent(out, &bytes, why) != STATUS_OK ||
        data_sent(model, ranks, &by_data, why) != STATUS_OK) {
        return STATUS_FAILED;
    }
    double message = 2.0 * seq * (double)s.model.hidden;
    instance_figure_text(out, "model", model);
    instance_figure_plain(out, "layers", s.model.layers);
    instance_figure_plain(out, "hidden", s.model.hidden);
    instance_figure_plain(out, "ranks", (uint64_t)ranks);
    instance_figure_plain(out, "seq", (uint64_t)seq);
    instance_figure_value(out, "by_data", ANSWER_BYTES, "GB", by_data);
    struct instance_key *key = gb(out, bytes);
    instance_path_add(key, "one-sequence", bytes / ranks);
    instance_path_add(key, "same", by_data);
    instance_path_add(key, "forward-only", bytes / 2);
    instance_path_add(key, "half-rings", bytes / 4);
    question_said(instance_step_add(out, ANSWER_BYTES, "MB", message), "2·s·h", "2 × %d × %llu",
                  seq, (unsigned long long)s.model.hidden);
    question_said(gb_step(out, bytes / ranks), "L × 4 × 2(t−1)/t × 2·s·h",
                  "%llu × 4 × 2 × %d / %d × %.0f", (unsigned long long)s.model.layers, ranks - 1,
                  ranks, message);
    question_said(question_answer_step(out), "t × L × 4 × 2(t−1)/t × 2·s·h", "%d × %.4g", ranks,
                  bytes / ranks / 1e9);
    return STATUS_OK;
}

static enum status difference(uint64_t seed, struct instance *out, struct message *why) {
    enum { RANKS = 8 };
    const char *model = "llama-2-7b";
    double bytes = 0, by_data = 0;
    (void)seed;
    question_line(out, "comm --model %s --tp %d --seq 4096 --micro-batches %d", model, RANKS,
                  RANKS);
    if (layers_sent(out, &bytes, why) != STATUS_OK ||
        data_sent(model, RANKS, &by_data, why) != STATUS_OK) {
        return STATUS_FAILED;
    }
    instance_figure_text(out, "model", model);
    instance_figure_plain(out, "ranks", RANKS);
    instance_figure_plain(out, "seq", 4096);
    instance_figure_value(out, "by_data", ANSWER_BYTES, "GB", by_data);
    instance_figure_value(out, "one", ANSWER_BYTES, "GB", bytes / RANKS);
    instance_figure_value(out, "same", ANSWER_BYTES, "GB", bytes);
    return STATUS_OK;
}

/* --- FSDP --- */

static enum status gathered(uint64_t seed, struct instance *out, struct message *why) {
    static const char *const models[] = {"llama-2-7b", "llama-2-13b", "llama-2-70b", "llama-3-8b",
                                         "llama-3-70b"};
    uint64_t dice = instance_dice(seed);
    const char *model = QUESTION_PICK(&dice, models);
    int ahead = instance_pick(&dice, 4);
    struct scenario s;
    struct calc_memory memory, alone, all;
    struct calc_stage_split split;
    question_line(out, "mem --model %s --convention fsdp --zero 3 --dp 64 --prefetch %d", model,
                  ahead);
    if (question_memory(out, &s, &memory, why) != STATUS_OK ||
        question_memory_if(&s, "prefetch", "0", &alone, why) != STATUS_OK ||
        question_memory_if(&s, "reshard", "no", &all, why) != STATUS_OK ||
        calc_params_split(&s, 0, &split, why) != STATUS_OK) {
        return STATUS_FAILED;
    }
    double bytes = question_term(&memory, "buffers.gathered");
    instance_figure_text(out, "model", model);
    instance_figure_count(out, "layer", split.dense_layer);
    instance_figure_count(out, "root", split.root);
    instance_figure_plain(out, "ahead", (uint64_t)ahead);
    struct instance_key *key = gb(out, bytes);
    instance_path_add(key, "nothing-ahead", question_term(&alone, "buffers.gathered"));
    instance_path_add(key, "layers-only", 2.0 * (1 + ahead) * (double)split.dense_layer);
    instance_path_add(key, "four-bytes", 2 * bytes);
    instance_path_add(key, "whole-model", question_term(&all, "buffers.gathered"));
    question_said(gb_step(out, 2.0 * (double)split.root), "2·r", "2 × %llu",
                  (unsigned long long)split.root);
    question_said(question_answer_step(out), "2(r + k·l)", "2 × (%llu + %d × %llu)",
                  (unsigned long long)split.root, ahead, (unsigned long long)split.dense_layer);
    return STATUS_OK;
}

const struct instance_entry zero_makers[ZERO_MAKERS] = {
    {"zero.stage.parts", stage_parts, true},
    {"zero.stage.bytes", stage_bytes, true},
    {"zero.saving.factor", saving, true},
    {"zero.traffic.step", traffic_step, true},
    {"zero.two.accumulation", second_accumulated, true},
    {"zero.three.accumulation", third_accumulated, true},
    {"zero.tensor.bytes", tensor_bytes, true},
    {"zero.tensor.difference", difference, false},
    {"zero.fsdp.gathered", gathered, true},
};
