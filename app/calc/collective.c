/* Closed forms of collectives; see calc/collective.h. Everything is counted in elements first and turned into bytes once,
 * so that one check catches every overflow. Pure; called by the command line and the lessons beside a measurement. What it
 * leaves out: order of additions and time on a real machine. Proof: tests/unit/calc/test_collective.c. */
#include "shardlab/calc/collective.h"

#include <string.h>

#include "shardlab/base/checked.h"

static const char *const kinds[CALC_EXCHANGES] = {"all-reduce", "reduce-scatter", "all-gather",
                                                  "broadcast", "all-to-all"};
static const char *const algorithms[CALC_ALGORITHMS] = {"naive", "ring", "tree", "halving-doubling",
                                                        "direct"};

static int find(const char *name, const char *const *names, int count) {
    for (int i = 0; i < count; i++) {
        if (strcmp(name, names[i]) == 0) {
            return i;
        }
    }
    return -1;
}

int calc_exchange_find(const char *name) {
    return find(name, kinds, CALC_EXCHANGES);
}

int calc_algorithm_find(const char *name) {
    return find(name, algorithms, CALC_ALGORITHMS);
}

bool calc_exchange_defined(enum calc_exchange_kind kind, enum calc_algorithm algorithm) {
    switch (algorithm) {
    case CALC_ALGORITHM_NAIVE:
        return kind != CALC_EXCHANGE_ALL_TO_ALL;
    case CALC_ALGORITHM_TREE:
        return kind == CALC_EXCHANGE_ALL_REDUCE || kind == CALC_EXCHANGE_BROADCAST;
    case CALC_ALGORITHM_DIRECT:
        return true;
    case CALC_ALGORITHM_RING:
    case CALC_ALGORITHM_HALVING_DOUBLING:
        return kind <= CALC_EXCHANGE_ALL_GATHER;
    case CALC_ALGORITHMS:
        break;
    }
    return false;
}

/* First element of chunk c, for c up to and including N. */
static uint64_t chunk_first(const struct calc_exchange *x, uint64_t c) {
    uint64_t rest = x->elements % x->ranks;
    return c * (x->elements / x->ranks) + (c < rest ? c : rest);
}

static uint64_t chunk_count(const struct calc_exchange *x, uint64_t c) {
    return c < x->ranks ? chunk_first(x, c + 1) - chunk_first(x, c) : 0;
}

/* Adds `times` messages of `elements` each; false on overflow. */
static bool add(struct calc_exchange_cost *cost, uint64_t elements, uint64_t times) {
    uint64_t sum;
    if (elements == 0) {
        return true;
    }
    if (!checked_mul(elements, times, &sum) ||
        !checked_add(cost->sent_bytes, sum, &cost->sent_bytes)) {
        return false;
    }
    cost->messages += times;
    return true;
}

/* All chunks but `kept`, one message each. */
static bool add_others(struct calc_exchange_cost *cost, const struct calc_exchange *x,
                       uint32_t kept) {
    uint64_t rest = x->elements % x->ranks;
    uint64_t filled = x->elements >= x->ranks ? x->ranks : rest;
    uint64_t own = chunk_count(x, kept);
    cost->messages += filled - (own > 0 ? 1 : 0);
    return checked_add(cost->sent_bytes, x->elements - own, &cost->sent_bytes);
}

static bool add_naive(struct calc_exchange_cost *cost, const struct calc_exchange *x,
                      uint32_t rank) {
    switch (x->kind) {
    case CALC_EXCHANGE_ALL_REDUCE:
        return add(cost, x->elements, rank == 0 ? x->ranks - 1 : 1);
    case CALC_EXCHANGE_REDUCE_SCATTER:
        return rank == 0 ? add_others(cost, x, 0) : add(cost, x->elements, 1);
    case CALC_EXCHANGE_ALL_GATHER:
        return rank == 0 ? add(cost, x->elements, x->ranks - 1)
                         : add(cost, chunk_count(x, rank), 1);
    default: /* broadcast */
        return rank != 0 || add(cost, x->elements, x->ranks - 1);
    }
}

static bool add_ring(struct calc_exchange_cost *cost, const struct calc_exchange *x,
                     uint32_t rank) {
    uint32_t next = rank + 1 < x->ranks ? rank + 1 : 0;
    bool scatters = x->kind != CALC_EXCHANGE_ALL_GATHER;
    bool gathers = x->kind != CALC_EXCHANGE_REDUCE_SCATTER;
    return (!scatters || add_others(cost, x, rank)) && (!gathers || add_others(cost, x, next));
}

/* Children of a rank in the binomial tree: rank + 2^i below its lowest set bit. */
static uint32_t tree_children(uint32_t rank, uint32_t ranks) {
    uint32_t children = 0;
    for (uint64_t step = 1; step < ranks && (rank & step) == 0; step *= 2) {
        children += rank + step < ranks ? 1 : 0;
    }
    return children;
}

static bool add_tree(struct calc_exchange_cost *cost, const struct calc_exchange *x,
                     uint32_t rank) {
    uint64_t up = x->kind == CALC_EXCHANGE_ALL_REDUCE && rank != 0 ? 1 : 0;
    return add(cost, x->elements, up + tree_children(rank, x->ranks));
}

static uint32_t power_below(uint32_t ranks) {
    uint32_t power = 1;
    while (power <= ranks / 2) {
        power *= 2;
    }
    return power;
}

/* The chunks whose owner is in [owner, owner + width): one message for those below P, one for those above. */
static bool add_block(struct calc_exchange_cost *cost, const struct calc_exchange *x,
                      uint32_t owner, uint32_t width) {
    uint64_t power = power_below(x->ranks);
    for (uint64_t first = owner; first < x->ranks; first += power) {
        uint64_t end = first + width < x->ranks ? first + width : x->ranks;
        if (!add(cost, chunk_first(x, end) - chunk_first(x, first), 1)) {
            return false;
        }
    }
    return true;
}

static bool add_halving(struct calc_exchange_cost *cost, const struct calc_exchange *x,
                        uint32_t rank) {
    bool ok = true;
    for (uint32_t width = power_below(x->ranks) / 2; ok && width > 0; width /= 2) {
        ok = add_block(cost, x, (rank ^ width) & ~(width - 1), width);
    }
    return ok;
}

static bool add_doubling(struct calc_exchange_cost *cost, const struct calc_exchange *x,
                         uint32_t rank) {
    bool ok = true;
    for (uint32_t width = 1; ok && width < power_below(x->ranks); width *= 2) {
        ok = add_block(cost, x, rank & ~(width - 1), width);
    }
    return ok;
}

static bool add_halving_doubling(struct calc_exchange_cost *cost, const struct calc_exchange *x,
                                 uint32_t rank) {
    uint32_t power = power_below(x->ranks);
    bool scatters = x->kind != CALC_EXCHANGE_ALL_GATHER;
    bool gathers = x->kind != CALC_EXCHANGE_REDUCE_SCATTER;
    if (rank >= power) {
        return add(cost, scatters ? x->elements : chunk_count(x, rank), 1);
    }
    bool ok =
        (!scatters || add_halving(cost, x, rank)) && (!gathers || add_doubling(cost, x, rank));
    if (ok && rank + power < x->ranks) {
        ok = add(cost, gathers ? x->elements : chunk_count(x, rank + power), 1);
    }
    return ok;
}

static bool add_direct(struct calc_exchange_cost *cost, const struct calc_exchange *x,
                       uint32_t rank) {
    uint64_t own = chunk_count(x, rank);
    switch (x->kind) {
    case CALC_EXCHANGE_BROADCAST:
        return rank != 0 || add(cost, x->elements, x->ranks - 1);
    case CALC_EXCHANGE_ALL_GATHER:
        return add(cost, own, x->ranks - 1);
    case CALC_EXCHANGE_ALL_REDUCE:
        return add_others(cost, x, rank) && add(cost, own, x->ranks - 1);
    default: /* reduce-scatter, all-to-all */
        return add_others(cost, x, rank);
    }
}

static bool add_cost(struct calc_exchange_cost *cost, const struct calc_exchange *x,
                     uint32_t rank) {
    switch (x->algorithm) {
    case CALC_ALGORITHM_NAIVE:
        return add_naive(cost, x, rank);
    case CALC_ALGORITHM_RING:
        return add_ring(cost, x, rank);
    case CALC_ALGORITHM_TREE:
        return add_tree(cost, x, rank);
    case CALC_ALGORITHM_HALVING_DOUBLING:
        return add_halving_doubling(cost, x, rank);
    case CALC_ALGORITHM_DIRECT:
        return add_direct(cost, x, rank);
    case CALC_ALGORITHMS:
        break;
    }
    return false;
}

enum status calc_exchange_rank(const struct calc_exchange *x, uint32_t rank,
                               struct calc_exchange_cost *out, struct message *why) {
    *out = (struct calc_exchange_cost){0, 0};
    if (x->ranks == 1) {
        return STATUS_OK;
    }
    if (!add_cost(out, x, rank) ||
        !checked_mul(out->sent_bytes, x->element_bytes, &out->sent_bytes)) {
        message_start(why, "error.collective.overflow");
        message_add_count(why, x->elements);
        message_add_count(why, x->element_bytes);
        message_add_count(why, x->ranks);
        return STATUS_USAGE;
    }
    return STATUS_OK;
}

static uint32_t log2_floor(uint32_t n) {
    uint32_t log = 0;
    while (n > 1) {
        n /= 2;
        log++;
    }
    return log;
}

/* Rounds of one half (reduce, or gather) of the algorithm. */
static uint32_t half_rounds(const struct calc_exchange *x) {
    switch (x->algorithm) {
    case CALC_ALGORITHM_RING:
        return x->ranks - 1;
    case CALC_ALGORITHM_TREE:
        return log2_floor(x->ranks - 1) + 1;
    case CALC_ALGORITHM_HALVING_DOUBLING:
        return log2_floor(x->ranks);
    default: /* naive, direct */
        return 1;
    }
}

uint32_t calc_exchange_rounds(const struct calc_exchange *x) {
    if (x->ranks == 1) {
        return 0;
    }
    if (x->algorithm == CALC_ALGORITHM_NAIVE) {
        return x->kind == CALC_EXCHANGE_BROADCAST ? 1 : 2;
    }
    uint32_t halves = x->kind == CALC_EXCHANGE_ALL_REDUCE ? 2 : 1;
    bool folds =
        x->algorithm == CALC_ALGORITHM_HALVING_DOUBLING && power_below(x->ranks) < x->ranks;
    return halves * half_rounds(x) + (folds ? 2 : 0);
}

double calc_exchange_bus_factor(enum calc_exchange_kind kind, uint32_t ranks) {
    double n = ranks;
    switch (kind) {
    case CALC_EXCHANGE_ALL_REDUCE:
        return 2 * (n - 1) / n;
    case CALC_EXCHANGE_BROADCAST:
        return 1;
    default:
        return (n - 1) / n;
    }
}

double calc_exchange_seconds(uint32_t rounds, uint64_t most_sent_bytes, double alpha_s,
                             double bytes_per_s) {
    return rounds * alpha_s + (double)most_sent_bytes / bytes_per_s;
}
