/* The numbers inside the words of the lesson on collectives: {{message}}, {{ring_bytes}}. From the learner's own knobs
 * or from a fixed example, always through the calculator. Writes into the caller's writer; what is not defined is a dash.
 * Proof: tests/unit/lessons/test_collectives.c. */
#include "collectives_private.h"

#include <string.h>

#include "shardlab/calc/collective.h"

struct figure_row {
    const char *name;
    /* False: not defined here. */
    bool (*write)(const struct lesson_input *in, int a, struct writer *out);
    int a;
};

static bool write_ranks(const struct lesson_input *in, int a, struct writer *out) {
    struct coll_job job = collectives_job(in);
    (void)a;
    writer_u64(out, job.ranks);
    return true;
}

static bool write_message(const struct lesson_input *in, int a, struct writer *out) {
    struct coll_job job = collectives_job(in);
    (void)a;
    writer_u64_grouped(out, job.elements * ELEMENT_BYTES);
    return true;
}

/* Of an all-reduce of the learner's message by the algorithm `a`. */
static bool write_most(const struct lesson_input *in, int a, struct writer *out) {
    struct coll_job job = collectives_job(in);
    struct collective_cost cost;
    job.collective = COLL_ALL_REDUCE;
    if (!collectives_cost_of(&job, (enum coll_algorithm)a, &cost)) {
        return false;
    }
    writer_u64_grouped(out, cost.most_bytes);
    return true;
}

static bool write_rounds(const struct lesson_input *in, int a, struct writer *out) {
    struct coll_job job = collectives_job(in);
    struct collective_cost cost;
    job.collective = COLL_ALL_REDUCE;
    if (!collectives_cost_of(&job, (enum coll_algorithm)a, &cost)) {
        return false;
    }
    writer_u64(out, cost.rounds);
    return true;
}

/* Messages' worth that a rank of a ring of `a` ranks sends: 2(N−1)/N. */
static bool write_ring_factor(const struct lesson_input *in, int a, struct writer *out) {
    (void)in;
    char digits[32];
    struct writer w;
    writer_start(&w, digits, sizeof digits);
    writer_fixed(&w, calc_exchange_bus_factor(CALC_EXCHANGE_ALL_REDUCE, (uint32_t)a), 3);
    while (w.length > 1 && digits[w.length - 1] == '0') {
        digits[--w.length] = '\0';
    }
    if (digits[w.length - 1] == '.') {
        w.length--;
    }
    writer_text_n(out, digits, w.length);
    return true;
}

static bool write_own_factor(const struct lesson_input *in, int a, struct writer *out) {
    struct coll_job job = collectives_job(in);
    (void)a;
    return write_ring_factor(in, (int)job.ranks, out);
}

/* Of the fixed example, 10 elements on 4 ranks: "24, 20, …": what each rank of the ring sends. */
static bool write_uneven(const struct lesson_input *in, int a, struct writer *out) {
    enum { RANKS = 4, ELEMENTS = 10 };
    (void)in;
    (void)a;
    struct calc_exchange x = {CALC_EXCHANGE_ALL_REDUCE, CALC_ALGORITHM_RING, ELEMENTS,
                              ELEMENT_BYTES, RANKS};
    for (uint32_t r = 0; r < RANKS; r++) {
        struct calc_exchange_cost cost;
        struct message why;
        if (calc_exchange_rank(&x, r, &cost, &why) != STATUS_OK) {
            return false;
        }
        writer_text(out, r > 0 ? " · " : "");
        writer_u64(out, cost.sent_bytes);
    }
    return true;
}

/* Elements of the chunk `a` of the learner's message; of the last one with a −1. */
static bool write_chunk(const struct lesson_input *in, int a, struct writer *out) {
    struct coll_job job = collectives_job(in);
    uint64_t first, count;
    coll_chunk(&job, a < 0 ? job.ranks - 1 : (uint32_t)a, &first, &count);
    writer_u64_grouped(out, count);
    return true;
}

/* The message that takes as long to move as one α: α times the rate. */
static bool write_half(const struct lesson_input *in, int a, struct writer *out) {
    double rate = collectives_rate(in);
    (void)a;
    if (rate <= 0) {
        return false;
    }
    writer_u64_grouped(out, (uint64_t)(collectives_alpha_s(in) * rate + 0.5));
    return true;
}

static bool write_alpha(const struct lesson_input *in, int a, struct writer *out) {
    (void)a;
    writer_text(out, collectives_stop(in, KNOB_ALPHA));
    return true;
}

static bool write_rate(const struct lesson_input *in, int a, struct writer *out) {
    double rate = collectives_rate(in);
    (void)a;
    if (rate <= 0) {
        return false;
    }
    writer_real(out, rate / 1e9);
    return true;
}

/* From where on a ring beats a tree. */
static bool write_crossing(const struct lesson_input *in, int a, struct writer *out) {
    double bytes;
    if (!collectives_crossing(in, (enum coll_algorithm)a, COLL_RING, &bytes)) {
        return false;
    }
    writer_u64_grouped(out, (uint64_t)(bytes + 0.5));
    return true;
}

static const struct figure_row figures[] = {
    {"ranks", write_ranks, 0},
    {"message", write_message, 0},
    {"naive_bytes", write_most, COLL_NAIVE},
    {"ring_bytes", write_most, COLL_RING},
    {"tree_bytes", write_most, COLL_TREE},
    {"ring_rounds", write_rounds, COLL_RING},
    {"tree_rounds", write_rounds, COLL_TREE},
    {"halving_rounds", write_rounds, COLL_HALVING_DOUBLING},
    {"ring_factor", write_own_factor, 0},
    {"ring_factor4", write_ring_factor, 4},
    {"ring_factor8", write_ring_factor, 8},
    {"ring_factor64", write_ring_factor, 64},
    {"uneven_bytes", write_uneven, 0},
    {"first_chunk", write_chunk, 0},
    {"last_chunk", write_chunk, -1},
    {"half_bytes", write_half, 0},
    {"alpha", write_alpha, 0},
    {"rate", write_rate, 0},
    {"tree_ring", write_crossing, COLL_TREE},
};

bool collectives_figure(const struct lesson_input *in, const char *name, struct writer *out) {
    for (size_t i = 0; i < sizeof figures / sizeof figures[0]; i++) {
        if (strcmp(figures[i].name, name) == 0) {
            if (!figures[i].write(in, figures[i].a, out)) {
                writer_text(out, "—");
            }
            return true;
        }
    }
    return false;
}
