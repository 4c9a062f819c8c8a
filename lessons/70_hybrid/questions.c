/* The numbers of the questions of the lesson on hybrid parallelism: what each axis sends and how often, degrees from one
 * another, who is in which group, what a layout holds, how far data parallelism goes. Bytes and counts are the
 * calculators' (calc/comm.h, memory.h, ranks.h); each wrong path is what a known mistake makes of the same inputs. Writes
 * into the caller's instance. Proof: tests/unit/lessons/test_questions.c, test_question_solutions.c. */
#include "hybrid_private.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "../data_traffic_private.h"
#include "../question_line_private.h"
#include "shardlab/calc/memory.h"
#include "shardlab/calc/params.h"
#include "shardlab/calc/ranks.h"

/* --- What the axes send: the case of the interview --- */

static const char case_line[] =
    "comm --model llama-2-70b --tp 8 --pp 4 --dp 8 --micro-batches 32 --seq 4096";

struct sent {
    double bytes[HYBRID_AXES]; /* of a stage in the middle; TP, PP, DP */
    uint64_t calls[HYBRID_AXES];
};

static enum status sent_of(const struct instance *out, struct sent *sent, struct message *why) {
    struct calc_comm comm;
    enum status ok = question_comm(out, 1, &comm, why);
    if (ok != STATUS_OK) {
        return ok;
    }
    static const struct {
        enum calc_axis axis;
        const char *id;
        int to;
    } rows[] = {{CALC_AXIS_TP, "layers", 0},
                {CALC_AXIS_PP, "activations", 1},
                {CALC_AXIS_PP, "activation.gradients", 1},
                {CALC_AXIS_DP, "gradients", 2}};
    *sent = (struct sent){{0}, {0}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const struct calc_comm_row *row = question_row(&comm, rows[i].axis, rows[i].id);
        assert(row != NULL);
        sent->bytes[rows[i].to] += (double)row->sent_bytes;
        sent->calls[rows[i].to] += row->count;
    }
    return STATUS_OK;
}

static enum status case_of(struct instance *out, struct sent *sent, struct message *why) {
    static const char *const names[] = {"tp_sent", "pp_sent", "dp_sent"};
    question_line(out, "%s", case_line);
    enum status ok = sent_of(out, sent, why);
    for (int i = 0; ok == STATUS_OK && i < HYBRID_AXES; i++) {
        instance_figure_value(out, names[i], ANSWER_BYTES, "GB", sent->bytes[i]);
    }
    return ok;
}

static void say_case(struct instance *out, struct message *why) {
    struct scenario s;
    enum status ok = question_scenario(out, &s, why);
    assert(ok == STATUS_OK); /* it has just been used */
    (void)ok;
    instance_figure_text(out, "model", s.model.name);
    instance_figure_plain(out, "tp", s.layout.tp);
    instance_figure_plain(out, "pp", s.layout.pp);
    instance_figure_plain(out, "dp", s.layout.dp);
    instance_figure_plain(out, "m", s.batch.micro_batches);
}

/* With twice the micro-batches the pipeline passes data parallelism. */
static enum status choose(uint64_t seed, struct instance *out, struct message *why) {
    struct instance twice;
    struct sent sent, more;
    (void)seed;
    if (case_of(out, &sent, why) != STATUS_OK) {
        return STATUS_FAILED;
    }
    say_case(out, why);
    instance_start(&twice, 0);
    question_line(&twice, "%s --micro-batches 64", case_line);
    if (sent_of(&twice, &more, why) != STATUS_OK) {
        return STATUS_FAILED;
    }
    instance_figure_value(out, "pp_twice", ANSWER_BYTES, "GB", more.bytes[1]);
    return STATUS_OK;
}

static enum status by_bytes(uint64_t seed, struct instance *out, struct message *why) {
    struct sent sent;
    (void)seed;
    enum status ok = case_of(out, &sent, why);
    if (ok == STATUS_OK) {
        say_case(out, why);
    }
    return ok;
}

static enum status by_frequency(uint64_t seed, struct instance *out, struct message *why) {
    static const char *const names[] = {"tp_calls", "pp_calls", "dp_calls"};
    struct sent sent;
    (void)seed;
    question_line(out, "%s", case_line);
    enum status ok = sent_of(out, &sent, why);
    for (int i = 0; ok == STATUS_OK && i < HYBRID_AXES; i++) {
        instance_figure_count(out, names[i], sent.calls[i]);
    }
    if (ok == STATUS_OK) {
        say_case(out, why);
    }
    return ok;
}

/* --- Degrees, and who is where --- */

static enum status world_of(uint64_t seed, struct instance *out, struct scenario *s,
                            struct message *why) {
    static const int tensor[] = {1, 2, 4}, stages[] = {4, 8, 16};
    static const int context[] = {2, 4}, experts[] = {4, 8};
    uint64_t dice = instance_dice(seed);
    int dp = 8 * (1 + instance_pick(&dice, 24)), tp = QUESTION_PICK(&dice, tensor);
    int pp = QUESTION_PICK(&dice, stages), cp = QUESTION_PICK(&dice, context);
    question_line(out,
                  "comm --layers 64 --hidden 4096 --heads 32 --ffn 12288 --experts 64 "
                  "--experts-active 8 --moe-ffn 2048 --vocab 32000 --dp %d --tp %d --pp %d --cp %d "
                  "--ep %d",
                  dp, tp, pp, cp, QUESTION_PICK(&dice, experts));
    enum status ok = question_scenario(out, s, why);
    if (ok == STATUS_OK) {
        const struct calc_ranks ranks = calc_ranks_of(s);
        instance_figure_plain(out, "world", calc_ranks_world(&ranks));
        instance_figure_plain(out, "tp", s->layout.tp);
        instance_figure_plain(out, "pp", s->layout.pp);
        instance_figure_plain(out, "cp", s->layout.cp);
        instance_figure_plain(out, "ep", s->layout.ep);
    }
    return ok;
}

static enum status degree(uint64_t seed, struct instance *out, struct message *why) {
    struct scenario s;
    enum status ok = world_of(seed, out, &s, why);
    if (ok != STATUS_OK) {
        return ok;
    }
    const struct calc_layout *l = &s.layout;
    const struct calc_ranks ranks = calc_ranks_of(&s);
    double dp = (double)l->dp, world = (double)calc_ranks_world(&ranks);
    struct instance_key *key = instance_key_add(out, ANSWER_COUNT, "", dp, 0);
    instance_path_add(key, "experts", dp / (double)l->ep);
    instance_path_add(key, "no-context", dp * (double)l->cp);
    instance_path_add(key, "no-pipeline", dp * (double)l->pp);
    question_said(question_answer_step(out), "G / (t · c · p)", "%.0f / (%d × %d × %d)", world,
                  (int)l->tp, (int)l->cp, (int)l->pp);
    return STATUS_OK;
}

static enum status expert_copies(uint64_t seed, struct instance *out, struct message *why) {
    struct scenario s;
    enum status ok = world_of(seed + 5000, out, &s, why); /* not the numbers of `degree` */
    if (ok != STATUS_OK) {
        return ok;
    }
    const struct calc_layout *l = &s.layout;
    double copies = (double)calc_expert_ranks(&s), stage = copies * (double)l->ep;
    struct instance_key *key = instance_key_add(out, ANSWER_COUNT, "", copies, 0);
    instance_path_add(key, "multiplied", (double)l->dp / (double)l->ep);
    instance_path_add(key, "replicas", (double)l->dp);
    instance_path_add(key, "all", stage);
    question_said(instance_step_add(out, ANSWER_COUNT, "", stage), "G / p", "%.0f / %d",
                  stage * (double)l->pp, (int)l->pp);
    question_said(question_answer_step(out), "G / (p · EP)", "%.0f / %d", stage, (int)l->ep);
    return STATUS_OK;
}

static enum status coordinate(uint64_t seed, struct instance *out, struct message *why) {
    static const uint64_t tensor[] = {2, 4, 8}, replicas[] = {8, 12, 16, 24, 32};
    static const uint64_t stages[] = {2, 4, 8};
    uint64_t dice = instance_dice(seed);
    struct calc_ranks ranks = {.tp = QUESTION_PICK(&dice, tensor),
                               .cp = 1,
                               .dp = QUESTION_PICK(&dice, replicas),
                               .pp = QUESTION_PICK(&dice, stages),
                               .etp = 1,
                               .ep = 1,
                               .gpus_per_node = 8};
    (void)why;
    uint64_t rank = (uint64_t)instance_pick(&dice, (int)calc_ranks_world(&ranks));
    const uint64_t group = rank / ranks.tp;
    const struct calc_coordinates at = calc_rank_coordinates(&ranks, rank);
    instance_figure_plain(out, "tp", ranks.tp);
    instance_figure_plain(out, "dp", ranks.dp);
    instance_figure_plain(out, "pp", ranks.pp);
    instance_figure_plain(out, "rank", rank);
    struct instance_key *key = instance_key_add(out, ANSWER_COUNT, "", (double)at.dp, 0);
    instance_path_add(key, "pipeline-inside", (double)(group / ranks.pp % ranks.dp));
    instance_path_add(key, "innermost", (double)(rank % ranks.dp));
    instance_path_add(key, "not-wrapped", (double)group);
    question_said(instance_step_add(out, ANSWER_COUNT, "", (double)group), "⌊r / t⌋", "⌊%d / %d⌋",
                  (int)rank, (int)ranks.tp);
    question_said(question_answer_step(out), "⌊r / t⌋ mod d", "%d mod %d", (int)group,
                  (int)ranks.dp);
    return STATUS_OK;
}

/* --- What a layout holds, and how far it goes --- */

/* "70B", as a model is called. */
static void say_params(struct instance *out, double billions) {
    char text[INSTANCE_TEXT_MAX];
    (void)snprintf(text, sizeof text, "%gB", billions);
    instance_figure_text(out, "params", text);
}

static enum status layout(uint64_t seed, struct instance *out, struct message *why) {
    static const int tenths[] = {130, 300, 340, 650, 700, 720, 1000, 1750};
    static const int layouts[][3] = {{8, 1, 8}, {8, 2, 4}, {4, 4, 4},
                                     {4, 2, 8}, {8, 4, 2}, {2, 4, 8}}; /* t, p, d of 64 */
    uint64_t dice = instance_dice(seed);
    int size = QUESTION_PICK(&dice, tenths);
    const int *l = QUESTION_PICK(&dice, layouts);
    struct scenario s;
    struct calc_memory memory;
    question_line(out, "mem --params %gB --tp %d --pp %d --dp %d --convention megatron --zero 1",
                  size / 10.0, l[0], l[1], l[2]);
    if (question_scenario(out, &s, why) != STATUS_OK ||
        calc_memory_worst(&s, &memory, why) != STATUS_OK) {
        return STATUS_FAILED;
    }
    double held = (double)memory.params, states = 0;
    for (int i = CALC_PART_WEIGHTS; i <= CALC_PART_OPTIMIZER; i++) {
        states += (double)memory.part_bytes[i];
    }
    instance_figure_plain(out, "world", s.layout.tp * s.layout.pp * s.layout.dp);
    say_params(out, size / 10.0);
    instance_figure_plain(out, "tp", s.layout.tp);
    instance_figure_plain(out, "pp", s.layout.pp);
    instance_figure_plain(out, "dp", s.layout.dp);
    struct instance_key *key = instance_key_add(out, ANSWER_BYTES, "GB", states, 0.01);
    instance_path_add(key, "whole", 18 * held);
    instance_path_add(key, "everywhere", 18 * held / l[2]);
    instance_path_add(key, "short-gradients", (4 + 12.0 / l[2]) * held);
    instance_path_add(key, "all-ranks", (6 + 12.0 / (l[0] * l[1] * l[2])) * held);
    question_said(instance_step_add(out, ANSWER_COUNT, "", held), "Ψ / (t · p)", "%g × 10^9 / %d",
                  size / 10.0, l[0] * l[1]);
    question_said(question_answer_step(out), "(6 + 12/d) · Ψ / (t · p)", "(6 + 12/%d) × %.0f", l[2],
                  held);
    return STATUS_OK;
}

/* Shards inside a group, copies across groups. */
static enum status hybrid_shards(uint64_t seed, struct instance *out, struct message *why) {
    static const int tenths[] = {70, 80, 130, 300, 340, 650, 700}, groups[] = {4, 8, 16};
    static const int shards[] = {8, 16, 32};
    uint64_t dice = instance_dice(seed);
    int size = QUESTION_PICK(&dice, tenths), n = QUESTION_PICK(&dice, shards);
    uint64_t copies = (uint64_t)QUESTION_PICK(&dice, groups);
    struct scenario s;
    struct calc_memory memory;
    question_line(out, "mem --params %gB --dp %d --zero 3", size / 10.0, n);
    if (question_scenario(out, &s, why) != STATUS_OK ||
        calc_memory_worst(&s, &memory, why) != STATUS_OK) {
        return STATUS_FAILED;
    }
    double right = (double)memory.total_bytes;
    say_params(out, size / 10.0);
    instance_figure_plain(out, "world", s.layout.dp * copies);
    instance_figure_plain(out, "shards", (uint64_t)n);
    instance_figure_plain(out, "copies", copies);
    struct instance_key *key = instance_key_add(out, ANSWER_BYTES, "GB", right, 0.01);
    instance_path_add(key, "everywhere", right / (double)copies);
    instance_path_add(key, "copies", right * n / (double)copies);
    instance_path_add(key, "whole", right * n);
    question_said(question_answer_step(out), "16Ψ / N", "16 × %g × 10^9 / %d", size / 10.0, n);
    return STATUS_OK;
}

/* What a global batch leaves for data parallelism. */
static enum status batch_limit(uint64_t seed, struct instance *out, struct message *why) {
    static const int millions[] = {1, 2, 4, 8, 16}, stages[] = {2, 4, 8}; /* 2^20 tokens */
    static const int counts[] = {8, 12, 16, 20, 24, 32}, lengths[] = {2048, 4096, 8192};
    uint64_t dice = instance_dice(seed);
    uint64_t tokens = (uint64_t)QUESTION_PICK(&dice, millions) << 20;
    int pp = QUESTION_PICK(&dice, stages), m = QUESTION_PICK(&dice, counts);
    int length = QUESTION_PICK(&dice, lengths);
    uint64_t sequences = tokens / (uint64_t)length, most = sequences / (uint64_t)m;
    (void)why;
    question_line(out,
                  "comm --model llama-3-70b --tp 8 --pp %d --dp %d --micro-batches %d --seq %d", pp,
                  (int)most, m, length);
    instance_figure_count(out, "batch", tokens);
    instance_figure_plain(out, "pp", (uint64_t)pp);
    instance_figure_plain(out, "m", (uint64_t)m);
    instance_figure_plain(out, "length", (uint64_t)length);
    struct instance_key *key = instance_key_add(out, ANSWER_COUNT, "", (double)most, 0);
    instance_path_add(key, "one-micro-batch", (double)sequences);
    instance_path_add(key, "stages", floor((double)tokens / (length * m * pp)));
    instance_path_add(key, "for-stages", floor((double)tokens / (length * pp)));
    question_said(instance_step_add(out, ANSWER_COUNT, "", (double)sequences), "G / (s · b)",
                  "%llu / %d", (unsigned long long)tokens, length);
    question_said(question_answer_step(out), "⌊G / (s · b · m)⌋", "⌊%llu / %d⌋",
                  (unsigned long long)sequences, m);
    return STATUS_OK;
}

/* Tokens at which the forward of a unit lasts as long as the gathering of its weights, times the ranks. */
static enum status beyond_sharding(uint64_t seed, struct instance *out, struct message *why) {
    static const int ranks_of[] = {128, 256, 512, 1024}, percents[] = {35, 40, 45, 50};
    static const int gigabits[] = {200, 400, 800};
    enum { BILLIONS = 70 };
    uint64_t dice = instance_dice(seed);
    const struct question_card *card =
        question_card_at(instance_pick(&dice, question_card_count()));
    int ranks = QUESTION_PICK(&dice, ranks_of), percent = QUESTION_PICK(&dice, percents);
    int bits = QUESTION_PICK(&dice, gigabits);
    struct calc_comm comm;
    question_line(out,
                  "comm --params %dB --dp %d --zero 3 --gpu %s --net-gb-per-s %g --mfu %.2f "
                  "--alpha-us 0",
                  BILLIONS, ranks, card->name, bits / 8.0, percent / 100.0);
    enum status ok = question_comm(out, -1, &comm, why);
    if (ok != STATUS_OK) {
        return ok;
    }
    const struct calc_comm_row *row = question_row(&comm, CALC_AXIS_DP, "weights.forward");
    assert(row != NULL);
    double flops = card->peak_tflops * 1e12 * percent / 100.0;
    double each = row->time_s * flops / (2.0 * BILLIONS * 1e9);
    char text[INSTANCE_TEXT_MAX];
    (void)snprintf(text, sizeof text, "%d Gb/s", bits);
    instance_figure_text(out, "network", text);
    instance_figure_plain(out, "ranks", (uint64_t)ranks);
    instance_figure_text(out, "card", card->short_name);
    instance_figure_real(out, "peak", card->peak_tflops, 0);
    instance_figure_value(out, "mfu", ANSWER_SHARE, "%", percent / 100.0);
    struct instance_key *key = instance_key_add(out, ANSWER_COUNT, "M", each * ranks, 0.02);
    instance_path_add(key, "peak", each * ranks / (percent / 100.0));
    instance_path_add(key, "bits", each * ranks / 8);
    instance_path_add(key, "one-rank", each);
    question_said(instance_step_add(out, ANSWER_COUNT, "", each), "T = C·MFU/W · (N−1)/N",
                  "%.4g × 10^12 / (%g × 10^9) × %d / %d", flops / 1e12, bits / 8.0, ranks - 1,
                  ranks);
    question_said(question_answer_step(out), "N · T", "%d × %.0f", ranks, each);
    return STATUS_OK;
}

/* --- Combinations --- */

static enum status stacked(uint64_t seed, struct instance *out, struct message *why) {
    static const int stages[] = {4, 8}, replicas[] = {4, 8, 16};
    uint64_t dice = instance_dice(seed);
    int pp = QUESTION_PICK(&dice, stages), dp = QUESTION_PICK(&dice, replicas);
    int m = 8 + instance_pick(&dice, 57);
    struct scenario s;
    struct data_traffic one, two;
    question_line(out, "comm --params 70B --pp %d --dp %d --micro-batches %d --zero 2", pp, dp, m);
    if (question_scenario(out, &s, why) != STATUS_OK || !data_traffic_of(&s, &two)) {
        return STATUS_FAILED;
    }
    struct instance first;
    instance_start(&first, 0);
    question_line(&first, "comm --params 70B --pp %d --dp %d --micro-batches %d --zero 1", pp, dp,
                  m);
    if (question_scenario(&first, &s, why) != STATUS_OK || !data_traffic_of(&s, &one)) {
        return STATUS_FAILED;
    }
    instance_figure_plain(out, "pp", (uint64_t)pp);
    instance_figure_plain(out, "m", (uint64_t)m);
    double right = (double)two.total_bytes / (double)one.total_bytes;
    struct instance_key *key = instance_key_add(out, ANSWER_COUNT, "", right, 0.005);
    instance_path_add(key, "same", 1);
    instance_path_add(key, "all", m);
    instance_path_add(key, "not-halved", m + 1);
    instance_path_add(key, "third", 1.5);
    question_said(question_answer_step(out), "(m + 1) / 2", "(%d + 1) / 2", m);
    return STATUS_OK;
}

static enum status slow_network(uint64_t seed, struct instance *out, struct message *why) {
    static const int billions[] = {7, 13, 30, 34, 65, 70}, gigabits[] = {10, 25, 40, 100};
    static const int ranks_of[] = {16, 32, 64};
    uint64_t dice = instance_dice(seed);
    int size = QUESTION_PICK(&dice, billions), bits = QUESTION_PICK(&dice, gigabits);
    int ranks = QUESTION_PICK(&dice, ranks_of);
    struct scenario s;
    struct data_traffic traffic;
    question_line(out,
                  "comm --params %dB --dp %d --zero 3 --gpus-per-node 1 --net-gb-per-s %g "
                  "--alpha-us 0",
                  size, ranks, bits / 8.0);
    if (question_scenario(out, &s, why) != STATUS_OK || !data_traffic_of(&s, &traffic)) {
        return STATUS_FAILED;
    }
    double time = traffic.time_s, rate = bits / 8.0;
    char text[INSTANCE_TEXT_MAX];
    (void)snprintf(text, sizeof text, "%d Gb/s", bits);
    instance_figure_text(out, "network", text);
    say_params(out, size);
    instance_figure_plain(out, "ranks", (uint64_t)ranks);
    struct instance_key *key = instance_key_add(out, ANSWER_SECONDS, "s", time, 0.01);
    instance_path_add(key, "elements", time / 2);
    instance_path_add(key, "bits", time / 8);
    instance_path_add(key, "plain", time * 2 / 3);
    instance_path_add(key, "once", time / 3);
    question_said(instance_step_add(out, ANSWER_BYTES, "GB", (double)traffic.total_bytes),
                  "3 · 2Ψ · (N−1)/N", "3 × 2 × %d GB × %d / %d", size, ranks - 1, ranks);
    question_said(question_answer_step(out), "S / W", "%.4g GB / %.4g GB/s",
                  (double)traffic.total_bytes / 1e9, rate);
    return STATUS_OK;
}

const struct instance_entry hybrid_makers[HYBRID_MAKERS] = {
    {"hybrid.choose", choose, false},
    {"hybrid.by-bytes", by_bytes, false},
    {"hybrid.by-frequency", by_frequency, false},
    {"hybrid.degree", degree, true},
    {"hybrid.expert-copies", expert_copies, true},
    {"hybrid.coordinate", coordinate, true},
    {"hybrid.layout", layout, true},
    {"hybrid.hsdp", hybrid_shards, true},
    {"hybrid.batch-limit", batch_limit, true},
    {"hybrid.beyond-sharding", beyond_sharding, true},
    {"hybrid.stacked", stacked, true},
    {"hybrid.slow-network", slow_network, true},
};
