/* What one collective costs one rank: bytes, messages and rounds, as closed forms of ranks, elements and algorithm.
 * The prediction beside which `shardlab allreduce` puts what it measured. Elements are divided into one chunk a rank, the
 * first (elements mod ranks) hold one more: c_0 … c_(N−1), E in all. P is the largest power of two ≤ N, own(r) the chunks
 * c with c mod P = r, block_j(r) those whose owner shares r div 2^j.
 *   naive             all-reduce: E, rank 0 (N−1)E · reduce-scatter: E, rank 0 E − c_0 · all-gather: c_r, rank 0 (N−1)E
 *                     broadcast: rank 0 (N−1)E
 *   ring              reduce-scatter E − c_r · all-gather E − c_((r+1) mod N) · all-reduce the sum
 *   tree              all-reduce E (rank 0 none) + E a child · broadcast E a child
 *   halving-doubling  reduce-scatter E − own(r) + c_(r+P) · all-gather Σ_j block_j(r), + E with a partner r+P
 *                     all-reduce E − own(r) + Σ_j block_j(r), + E with a partner; a rank ≥ P: E (all-gather c_r)
 *   direct            reduce-scatter E − c_r · all-gather (N−1)c_r · all-reduce the sum · broadcast rank 0 (N−1)E
 *                     all-to-all E − E/N
 * Sources: Thakur, Rabenseifner, Gropp, "Optimization of Collective Communication Operations in MPICH", 2005; Patarasuk,
 * Yuan, "Bandwidth optimal all-reduce algorithms", 2009. Proof: tests/unit/calc/test_collective.c; beside real ranks:
 * tests/cli/test_allreduce.c. */
#ifndef CALC_COLLECTIVE_H
#define CALC_COLLECTIVE_H

#include <stdbool.h>
#include <stdint.h>

#include "shardlab/base/attributes.h"
#include "shardlab/base/message.h"
#include "shardlab/base/status.h"

enum calc_exchange_kind {
    CALC_EXCHANGE_ALL_REDUCE,
    CALC_EXCHANGE_REDUCE_SCATTER,
    CALC_EXCHANGE_ALL_GATHER,
    CALC_EXCHANGE_BROADCAST,
    CALC_EXCHANGE_ALL_TO_ALL,
    CALC_EXCHANGES
};

enum calc_algorithm {
    CALC_ALGORITHM_NAIVE,
    CALC_ALGORITHM_RING,
    CALC_ALGORITHM_TREE,
    CALC_ALGORITHM_HALVING_DOUBLING,
    CALC_ALGORITHM_DIRECT,
    CALC_ALGORITHMS
};

/* Names on the command line: "all-reduce", "halving-doubling"; -1: no such name. */
int calc_exchange_find(const char *name);
int calc_algorithm_find(const char *name);

struct calc_exchange {
    enum calc_exchange_kind kind;
    enum calc_algorithm algorithm;
    uint64_t elements;
    uint64_t element_bytes; /* ≥ 1 */
    uint32_t ranks;         /* ≥ 1 */
};

struct calc_exchange_cost {
    uint64_t sent_bytes;
    uint64_t messages; /* an empty chunk sends none */
};

/* True if the algorithm exists for this kind of collective. */
bool calc_exchange_defined(enum calc_exchange_kind kind, enum calc_algorithm algorithm);

/* What `rank` sends. The exchange is defined, rank < ranks. STATUS_USAGE on overflow, with the bytes asked for. */
MUST_USE enum status calc_exchange_rank(const struct calc_exchange *x, uint32_t rank,
                                        struct calc_exchange_cost *out, struct message *why);

/* Rounds in which messages travel at the same time: 2(N−1) of a ring all-reduce; 0 for one rank. */
uint32_t calc_exchange_rounds(const struct calc_exchange *x);

/* Bus bandwidth over algorithm bandwidth (message bytes a second), as nccl-tests' PERFORMANCE.md defines it: what makes
 * the figure comparable with a link's, whatever the number of ranks. All-reduce 2(N−1)/N, broadcast 1, else (N−1)/N. */
double calc_exchange_bus_factor(enum calc_exchange_kind kind, uint32_t ranks);

/* Seconds by the α–β model: rounds × α + the most that one rank sends over the bandwidth (bytes a second). */
double calc_exchange_seconds(uint32_t rounds, uint64_t most_sent_bytes, double alpha_s,
                             double bytes_per_s);

#endif
