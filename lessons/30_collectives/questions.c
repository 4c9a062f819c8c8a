/* The numbers of the questions of the lesson on collectives: how much a rank of a ring sends, how long that takes on a link
 * whose figure is printed for both directions or in bits, what latency adds, and what does not divide. Each answer is
 * the calculators' (calc/comm.h, calc/collective.h); each wrong one is what a known mistake makes of the same inputs.
 * Writes into the caller's instance. Proof: tests/unit/lessons/test_questions.c, test_question_solutions.c. */
#include "collectives_private.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>

#include "../question_line_private.h"
#include "shardlab/calc/collective.h"

/* Parameters in tenths of 10^9: in BF16 their gradients are the message. */
static const int sizes[] = {5, 10, 13, 20, 30, 40, 60, 70, 80, 130};
static const int node_ranks[] = {2, 4, 8};
static const int wide_ranks[] = {4, 8, 16, 32};

/* What the questions on whole messages share: a gradient buffer of 2Ψ bytes and its ring. */
struct ring {
    double message, sent, seconds, rate;
    int ranks;
};

static enum status ring_of(const struct instance *out, int ranks, struct ring *ring,
                           struct message *why) {
    struct calc_comm comm;
    enum status ok = question_comm(out, -1, &comm, why);
    if (ok != STATUS_OK) {
        return ok;
    }
    const struct calc_comm_row *row = question_row(&comm, CALC_AXIS_DP, "gradients");
    assert(row != NULL);
    ring->message = (double)row->message_bytes;
    ring->sent = (double)row->sent_bytes;
    ring->seconds = row->time_s;
    ring->ranks = ranks;
    return STATUS_OK;
}

static void say_ring(struct instance *out, const struct ring *ring) {
    instance_figure_plain(out, "ranks", (uint64_t)ring->ranks);
    instance_figure_value(out, "message", ANSWER_BYTES, "GB", ring->message);
}

static void step_sent(struct instance *out, const struct ring *ring) {
    struct instance_step *step = instance_step_add(out, ANSWER_BYTES, "GB", ring->sent);
    question_said(step, "2(N−1)/N · S", "2 × %d / %d × %.4g GB", ring->ranks - 1, ring->ranks,
                  ring->message / 1e9);
    step->source = "Patarasuk, Yuan 2009: ring all-reduce";
}

static void step_time(struct instance *out, const struct ring *ring) {
    question_said(question_answer_step(out), "2(N−1)/N · S / W", "%.4g GB / %.4g GB/s",
                  ring->sent / 1e9, ring->rate / 1e9);
}

static enum status ring_bytes(uint64_t seed, struct instance *out, struct message *why) {
    uint64_t dice = instance_dice(seed);
    int ranks = QUESTION_PICK(&dice, wide_ranks), tenths = QUESTION_PICK(&dice, sizes);
    struct ring ring = {0};
    question_line(out, "comm --params %gB --dp %d", tenths / 10.0, ranks);
    enum status ok = ring_of(out, ranks, &ring, why);
    if (ok != STATUS_OK) {
        return ok;
    }
    say_ring(out, &ring);
    struct instance_key *key = instance_key_add(out, ANSWER_BYTES, "GB", ring.sent, 0.005);
    instance_path_add(key, "half", ring.sent / 2);
    instance_path_add(key, "once", ring.message);
    instance_path_add(key, "twice", 2 * ring.message);
    instance_path_add(key, "everyone", (ranks - 1) * ring.message);
    step_sent(out, &ring);
    return STATUS_OK;
}

/* What a data sheet prints for NVLink is both directions. */
static enum status ring_time(uint64_t seed, struct instance *out, struct message *why) {
    uint64_t dice = instance_dice(seed);
    const struct question_card *card =
        question_card_at(instance_pick(&dice, question_card_count()));
    int ranks = QUESTION_PICK(&dice, node_ranks), tenths = QUESTION_PICK(&dice, sizes);
    struct ring ring = {0};
    question_line(out, "comm --params %gB --dp %d --gpu %s --alpha-us 0", tenths / 10.0, ranks,
                  card->name);
    enum status ok = ring_of(out, ranks, &ring, why);
    if (ok != STATUS_OK) {
        return ok;
    }
    ring.rate = card->link_gb_per_s * 1e9;
    say_ring(out, &ring);
    instance_figure_text(out, "card", card->short_name);
    instance_figure_value(out, "sticker", ANSWER_RATE, "GB/s", 2 * ring.rate);
    struct instance_key *key = instance_key_add(out, ANSWER_SECONDS, "ms", ring.seconds, 0.01);
    instance_path_add(key, "both-directions", ring.sent / (2 * ring.rate));
    instance_path_add(key, "once", ring.message / ring.rate);
    instance_path_add(key, "twice", 2 * ring.message / ring.rate);
    instance_path_add(key, "once-both-directions", ring.message / (2 * ring.rate));
    struct instance_step *rate = instance_step_add(out, ANSWER_RATE, "GB/s", ring.rate);
    question_said(rate, "W", "%.4g GB/s / 2", 2 * ring.rate / 1e9);
    step_sent(out, &ring);
    step_time(out, &ring);
    return STATUS_OK;
}

/* What a network card has printed on it is bits. */
static enum status network_time(uint64_t seed, struct instance *out, struct message *why) {
    static const int gigabits[] = {100, 200, 400, 800};
    uint64_t dice = instance_dice(seed);
    int bits = QUESTION_PICK(&dice, gigabits), ranks = QUESTION_PICK(&dice, wide_ranks);
    int tenths = QUESTION_PICK(&dice, sizes);
    struct ring ring = {0};
    question_line(out, "comm --params %gB --dp %d --gpus-per-node 1 --net-gb-per-s %g --alpha-us 0",
                  tenths / 10.0, ranks, bits / 8.0);
    enum status ok = ring_of(out, ranks, &ring, why);
    if (ok != STATUS_OK) {
        return ok;
    }
    ring.rate = bits / 8.0 * 1e9;
    say_ring(out, &ring);
    char text[INSTANCE_TEXT_MAX];
    (void)snprintf(text, sizeof text, "%d Gb/s", bits);
    instance_figure_text(out, "network", text);
    struct instance_key *key = instance_key_add(out, ANSWER_SECONDS, "ms", ring.seconds, 0.01);
    instance_path_add(key, "bits", ring.sent / (bits * 1e9));
    instance_path_add(key, "once", ring.message / ring.rate);
    instance_path_add(key, "half", ring.sent / 2 / ring.rate);
    struct instance_step *rate = instance_step_add(out, ANSWER_RATE, "GB/s", ring.rate);
    question_said(rate, "W", "%d Gb/s / 8", bits);
    step_sent(out, &ring);
    step_time(out, &ring);
    return STATUS_OK;
}

/* A line to fill for each factor of a ring's time. */
static enum status ring_lines(uint64_t seed, struct instance *out, struct message *why) {
    uint64_t dice = instance_dice(seed);
    const struct question_card *card =
        question_card_at(instance_pick(&dice, question_card_count()));
    int ranks = instance_pick(&dice, 2) == 0 ? 4 : 8, tenths = QUESTION_PICK(&dice, sizes);
    struct ring ring = {0};
    question_line(out, "comm --params %gB --dp %d --gpu %s --alpha-us 0", tenths / 10.0, ranks,
                  card->name);
    enum status ok = ring_of(out, ranks, &ring, why);
    if (ok != STATUS_OK) {
        return ok;
    }
    const struct calc_exchange x = {CALC_EXCHANGE_ALL_REDUCE, CALC_ALGORITHM_RING,
                                    (uint64_t)ring.message / 2, 2, (uint32_t)ranks};
    double rounds = calc_exchange_rounds(&x), chunk = ring.message / ranks;
    ring.rate = card->link_gb_per_s * 1e9;
    say_ring(out, &ring);
    instance_figure_value(out, "rate", ANSWER_RATE, "GB/s", ring.rate);
    (void)instance_key_add(out, ANSWER_BYTES, "GB", chunk, 0.01);
    (void)instance_key_add(out, ANSWER_COUNT, "", rounds, 0);
    (void)instance_key_add(out, ANSWER_BYTES, "GB", ring.sent, 0.01);
    (void)instance_key_add(out, ANSWER_SECONDS, "ms", ring.seconds, 0.01);
    question_said(instance_step_add(out, ANSWER_BYTES, "GB", chunk), "S / N", "%.4g GB / %d",
                  ring.message / 1e9, ranks);
    question_said(instance_step_add(out, ANSWER_COUNT, "", rounds), "2(N−1)", "2 × %d", ranks - 1);
    question_said(instance_step_add(out, ANSWER_BYTES, "GB", ring.sent), "2(N−1) · S / N",
                  "%.0f × %.4g GB", rounds, chunk / 1e9);
    question_said(instance_step_add(out, ANSWER_SECONDS, "ms", ring.seconds), "2(N−1)/N · S / W",
                  "%.4g GB / %.4g GB/s", ring.sent / 1e9, ring.rate / 1e9);
    return STATUS_OK;
}

/* Small messages, where every round's latency counts. */
static enum status small_ring(uint64_t seed, struct instance *out, struct message *why) {
    static const int thousands[] = {50, 100, 250, 500, 1000}; /* parameters; twice as many bytes */
    static const int latencies[] = {5, 10, 20}, ranks_of[] = {8, 16, 32, 64};
    uint64_t dice = instance_dice(seed);
    int ranks = QUESTION_PICK(&dice, ranks_of), alpha = QUESTION_PICK(&dice, latencies);
    int size = QUESTION_PICK(&dice, thousands);
    const double rate = 50e9;
    struct ring ring = {0};
    question_line(out,
                  "comm --params %dK --dp %d --gpus-per-node 1 --net-gb-per-s %g --alpha-us %d",
                  size, ranks, rate / 1e9, alpha);
    enum status ok = ring_of(out, ranks, &ring, why);
    if (ok != STATUS_OK) {
        return ok;
    }
    double alpha_s = alpha * 1e-6, wire = ring.sent / rate, rounds = 2.0 * (ranks - 1);
    instance_figure_plain(out, "ranks", (uint64_t)ranks);
    instance_figure_plain(out, "alpha", (uint64_t)alpha);
    instance_figure_value(out, "message", ANSWER_BYTES, "MB", ring.message);
    instance_figure_value(out, "rate", ANSWER_RATE, "GB/s", rate);
    struct instance_key *key = instance_key_add(out, ANSWER_SECONDS, "ms", ring.seconds, 0.01);
    instance_path_add(key, "bytes-only", wire);
    instance_path_add(key, "one-latency", alpha_s + wire);
    instance_path_add(key, "half", rounds / 2 * alpha_s + wire / 2);
    instance_path_add(key, "tree", 2 * log2(ranks) * alpha_s + wire);
    question_said(instance_step_add(out, ANSWER_SECONDS, "ms", rounds * alpha_s), "2(N−1) · α",
                  "2 × %d × %d µs", ranks - 1, alpha);
    question_said(instance_step_add(out, ANSWER_SECONDS, "ms", wire), "2(N−1)/N · S / W",
                  "%.4g MB / %.4g GB/s", ring.sent / 1e6, rate / 1e9);
    question_said(question_answer_step(out), "2(N−1) · α + 2(N−1)/N · S / W", "%.4g ms + %.4g ms",
                  rounds * alpha_s * 1e3, wire * 1e3);
    return STATUS_OK;
}

/* The size whose latency and transfer take equally long. */
static enum status half_way(uint64_t seed, struct instance *out, struct message *why) {
    static const int latencies[] = {2, 3, 4, 5, 6, 7, 8, 9, 10, 12, 15},
                     gigabits[] = {100, 200, 400};
    uint64_t dice = instance_dice(seed);
    int alpha = QUESTION_PICK(&dice, latencies), bits = QUESTION_PICK(&dice, gigabits);
    double alpha_s = alpha * 1e-6, rate = bits / 8.0 * 1e9, size = alpha_s * rate;
    (void)why;
    char text[INSTANCE_TEXT_MAX];
    (void)snprintf(text, sizeof text, "%d Gb/s", bits);
    instance_figure_text(out, "network", text);
    instance_figure_plain(out, "alpha", (uint64_t)alpha);
    struct instance_key *key = instance_key_add(out, ANSWER_BYTES, "KB", size, 0.01);
    instance_path_add(key, "bits", alpha_s * bits * 1e9);
    instance_path_add(key, "both-directions", 2 * size);
    question_said(instance_step_add(out, ANSWER_RATE, "GB/s", rate), "W", "%d Gb/s / 8", bits);
    question_said(question_answer_step(out), "α · W", "%d µs × %.4g GB/s", alpha, rate / 1e9);
    return STATUS_OK;
}

/* nccl-tests prints both; only one of them can be held against a link. */
static enum status bus_bandwidth(uint64_t seed, struct instance *out, struct message *why) {
    static const int rates[] = {40, 60, 80, 100, 120, 160, 200, 240};
    static const int ranks_of[] = {4, 8, 16, 32};
    uint64_t dice = instance_dice(seed);
    int rate = QUESTION_PICK(&dice, rates), ranks = QUESTION_PICK(&dice, ranks_of);
    bool reduce = instance_pick(&dice, 2) == 0;
    (void)why;
    double whole = calc_exchange_bus_factor(CALC_EXCHANGE_ALL_REDUCE, (uint32_t)ranks);
    double half = calc_exchange_bus_factor(CALC_EXCHANGE_ALL_GATHER, (uint32_t)ranks);
    double factor = reduce ? whole : half, other = reduce ? half : whole, algorithm = rate * 1e9;
    instance_figure_text(out, "collective", reduce ? "All-Reduce" : "All-Gather");
    instance_figure_plain(out, "ranks", (uint64_t)ranks);
    instance_figure_value(out, "algbw", ANSWER_RATE, "GB/s", algorithm);
    struct instance_key *key =
        instance_key_add(out, ANSWER_RATE, "GB/s", factor * algorithm, 0.005);
    instance_path_add(key, "algorithm", algorithm);
    instance_path_add(key, "other-factor", other * algorithm);
    instance_path_add(key, "divided", algorithm / factor);
    struct instance_step *step = question_answer_step(out);
    question_said(step, reduce ? "algbw · 2(N−1)/N" : "algbw · (N−1)/N", "%d GB/s × %s%d / %d",
                  rate, reduce ? "2 × " : "", ranks - 1, ranks);
    step->source = "nccl-tests, PERFORMANCE.md";
    return STATUS_OK;
}

/* --- Chunks that differ --- */

struct uneven {
    struct calc_exchange x;
    uint32_t rank;
};

static struct uneven uneven_of(uint64_t seed) {
    static const int extra[] = {2, 3}, each[] = {2, 3, 4, 5, 6};
    static const uint32_t ranks_of[] = {4, 5, 6, 7};
    uint64_t dice = instance_dice(seed);
    uint32_t ranks = QUESTION_PICK(&dice, ranks_of);
    uint64_t elements =
        (uint64_t)QUESTION_PICK(&dice, each) * ranks + (uint64_t)QUESTION_PICK(&dice, extra);
    return (struct uneven){{CALC_EXCHANGE_ALL_REDUCE, CALC_ALGORITHM_RING, elements, 4, ranks},
                           (uint32_t)instance_pick(&dice, (int)ranks)};
}

static enum status uneven_bytes(uint64_t seed, struct instance *out, struct message *why) {
    struct uneven u = uneven_of(seed);
    struct calc_exchange first = u.x, second = u.x;
    struct calc_exchange_cost cost, one, two;
    first.kind = CALC_EXCHANGE_REDUCE_SCATTER;
    second.kind = CALC_EXCHANGE_ALL_GATHER;
    if (calc_exchange_rank(&u.x, u.rank, &cost, why) != STATUS_OK ||
        calc_exchange_rank(&first, u.rank, &one, why) != STATUS_OK ||
        calc_exchange_rank(&second, u.rank, &two, why) != STATUS_OK) {
        return STATUS_FAILED;
    }
    double n = u.x.ranks, all = (double)(u.x.elements * u.x.element_bytes);
    question_line(out, "allreduce --ranks %u --elems %llu --algorithm ring", u.x.ranks,
                  (unsigned long long)u.x.elements);
    instance_figure_plain(out, "ranks", u.x.ranks);
    instance_figure_plain(out, "elements", u.x.elements);
    instance_figure_plain(out, "bytes", u.x.element_bytes);
    instance_figure_plain(out, "rank", u.rank);
    instance_figure_plain(out, "next", (u.rank + 1) % u.x.ranks);
    instance_figure_plain(out, "longer", u.x.elements % u.x.ranks);
    struct instance_key *key = instance_key_add(out, ANSWER_BYTES, "B", (double)cost.sent_bytes, 0);
    instance_path_add(key, "average", 2 * (n - 1) / n * all);
    instance_path_add(key, "half", (double)one.sent_bytes);
    instance_path_add(key, "longest",
                      2 * (n - 1) * ceil((double)u.x.elements / n) * (double)u.x.element_bytes);
    question_said(instance_step_add(out, ANSWER_BYTES, "B", (double)one.sent_bytes), "E − c_r",
                  "%.0f − %.0f", all, all - (double)one.sent_bytes);
    question_said(instance_step_add(out, ANSWER_BYTES, "B", (double)two.sent_bytes), "E − c_(r+1)",
                  "%.0f − %.0f", all, all - (double)two.sent_bytes);
    question_said(question_answer_step(out), "2E − c_r − c_(r+1)", "%llu + %llu",
                  (unsigned long long)one.sent_bytes, (unsigned long long)two.sent_bytes);
    return STATUS_OK;
}

/* --- Two levels --- */

/* What a rank sends of `bytes` in one collective of a ring. */
static enum status sends(enum calc_exchange_kind kind, double bytes, uint32_t ranks, double *out,
                         struct message *why) {
    const struct calc_exchange x = {kind, CALC_ALGORITHM_RING, (uint64_t)bytes / 2, 2, ranks};
    struct calc_exchange_cost cost;
    enum status ok = calc_exchange_rank(&x, 0, &cost, why);
    *out = ok == STATUS_OK ? (double)cost.sent_bytes : 0;
    return ok == STATUS_OK ? STATUS_OK : STATUS_FAILED;
}

/* Scatter inside the node, sum over the nodes what is left for each card, gather inside the node. */
static enum status two_levels(uint64_t seed, struct instance *out, struct message *why) {
    static const uint32_t nodes_of[] = {4, 8, 16, 32};
    enum { CARDS = 8 };
    uint64_t dice = instance_dice(seed);
    const struct question_card *card =
        question_card_at(instance_pick(&dice, question_card_count()));
    uint32_t nodes = QUESTION_PICK(&dice, nodes_of);
    double bytes = QUESTION_PICK(&dice, sizes) * 2e8;
    double half = 0, across = 0, flat = 0, whole = 0;
    if (sends(CALC_EXCHANGE_REDUCE_SCATTER, bytes, CARDS, &half, why) != STATUS_OK ||
        sends(CALC_EXCHANGE_ALL_REDUCE, bytes / CARDS, nodes, &across, why) != STATUS_OK ||
        sends(CALC_EXCHANGE_ALL_REDUCE, bytes, nodes, &whole, why) != STATUS_OK ||
        sends(CALC_EXCHANGE_ALL_REDUCE, bytes, CARDS * nodes, &flat, why) != STATUS_OK) {
        return STATUS_FAILED;
    }
    double link = card->link_gb_per_s * 1e9, net = card->net_gb_per_s * 1e9;
    double inside = half / link, over = across / net;
    instance_figure_plain(out, "nodes", nodes);
    instance_figure_plain(out, "cards", CARDS);
    instance_figure_value(out, "message", ANSWER_BYTES, "GB", bytes);
    instance_figure_value(out, "link", ANSWER_RATE, "GB/s", link);
    instance_figure_value(out, "network", ANSWER_RATE, "GB/s", net);
    struct instance_key *key = instance_key_add(out, ANSWER_SECONDS, "ms", 2 * inside + over, 0.01);
    instance_path_add(key, "flat", flat / net);
    instance_path_add(key, "whole-message", 2 * inside + whole / net);
    instance_path_add(key, "no-gather", inside + over);
    instance_path_add(key, "network-only", over);
    question_said(instance_step_add(out, ANSWER_SECONDS, "ms", inside), "(g−1)/g · S / W",
                  "7 / 8 × %.4g GB / %g GB/s", bytes / 1e9, link / 1e9);
    question_said(instance_step_add(out, ANSWER_SECONDS, "ms", over), "2(M−1)/M · S/g / W",
                  "2 × %u / %u × %.4g GB / %g GB/s", nodes - 1, nodes, bytes / CARDS / 1e9,
                  net / 1e9);
    question_said(question_answer_step(out), "tRS + tAR + tAG", "%.4g ms + %.4g ms + %.4g ms",
                  inside * 1e3, over * 1e3, inside * 1e3);
    return STATUS_OK;
}

/* --- Who is busiest --- */

static enum status most_of(struct calc_exchange x, enum calc_algorithm algorithm, double *times,
                           struct message *why) {
    uint64_t most = 0;
    x.algorithm = algorithm;
    for (uint32_t r = 0; r < x.ranks; r++) {
        struct calc_exchange_cost cost;
        if (calc_exchange_rank(&x, r, &cost, why) != STATUS_OK) {
            return STATUS_FAILED;
        }
        most = cost.sent_bytes > most ? cost.sent_bytes : most;
    }
    *times = (double)most / (double)(x.elements * x.element_bytes);
    return STATUS_OK;
}

static enum status busiest(uint64_t seed, struct instance *out, struct message *why) {
    enum { RANKS = 16 };
    static const struct {
        enum calc_algorithm algorithm;
        const char *bytes, *rounds;
    } rows[] = {{CALC_ALGORITHM_RING, "ring", "ring_rounds"},
                {CALC_ALGORITHM_TREE, "tree", "tree_rounds"},
                {CALC_ALGORITHM_NAIVE, "naive", "naive_rounds"}};
    struct calc_exchange x = {CALC_EXCHANGE_ALL_REDUCE, CALC_ALGORITHM_RING, RANKS * 1000, 4,
                              RANKS};
    (void)seed;
    question_line(out, "allreduce --ranks %d --elems %d --algorithm ring", RANKS, RANKS * 1000);
    instance_figure_plain(out, "ranks", RANKS);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        double times = 0;
        if (most_of(x, rows[i].algorithm, &times, why) != STATUS_OK) {
            return STATUS_FAILED;
        }
        x.algorithm = rows[i].algorithm;
        instance_figure_value(out, rows[i].bytes, ANSWER_COUNT, "", times);
        instance_figure_plain(out, rows[i].rounds, calc_exchange_rounds(&x));
    }
    return STATUS_OK;
}

const struct instance_entry collectives_makers[COLLECTIVES_MAKERS] = {
    {"collectives.ring.bytes", ring_bytes, true},
    {"collectives.ring.time", ring_time, true},
    {"collectives.ring.lines", ring_lines, true},
    {"collectives.network.time", network_time, true},
    {"collectives.small.ring", small_ring, true},
    {"collectives.half-way", half_way, true},
    {"collectives.bus-bandwidth", bus_bandwidth, true},
    {"collectives.uneven.bytes", uneven_bytes, true},
    {"collectives.two-levels", two_levels, true},
    {"collectives.busiest", busiest, false},
};
