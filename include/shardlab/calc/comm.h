/* Communication of one step: bytes that one GPU sends, by axis and collective, exact, with the time they take on their
 * link and how much of it computation does not hide. Sources: ZeRO arXiv:1910.02054 section 7; Korthikanti
 * arXiv:2205.05198 section 4; Narayanan arXiv:2104.04473 section 3; ring algorithms: a reduce-scatter of S bytes in
 * chunks c_0 … c_(N−1) sends S − c_r on rank r, an all-gather S − c_((r+1) mod N), an all-reduce both.
 * Rank 0 of every group is counted; the first (elements mod N) chunks hold one element more.
 * Proof: tests/unit/calc/test_comm*.c. */
#ifndef CALC_COMM_H
#define CALC_COMM_H

#include "shardlab/calc/scenario.h"

enum { CALC_COMM_ROWS_MAX = 24 };

enum calc_axis {
    CALC_AXIS_DP,
    CALC_AXIS_TP,
    CALC_AXIS_PP,
    CALC_AXIS_CP,
    CALC_AXIS_EP,
    CALC_AXIS_OFFLOAD,
    CALC_AXES
};

enum calc_collective {
    CALC_ALL_REDUCE,
    CALC_REDUCE_SCATTER,
    CALC_ALL_GATHER,
    CALC_ALL_TO_ALL,
    CALC_SEND,  /* to one neighbour */
    CALC_WRITE, /* offload: out of the GPU */
    CALC_READ,  /* offload: into the GPU (counted like sent bytes, over the same link) */
};

enum calc_link { CALC_LINK_NODE, CALC_LINK_NETWORK, CALC_LINK_PCIE, CALC_LINK_NVME };

/* Names of JSON and of message ids: "dp", "reduce-scatter", "network". */
const char *calc_axis_name(enum calc_axis axis);
const char *calc_collective_name(enum calc_collective collective);
const char *calc_link_name(enum calc_link link);

struct calc_comm_row {
    enum calc_axis axis;
    enum calc_collective collective;
    const char *
        id; /* what is sent: "gradients", "weights.forward", "activations" …; message id comm.<id> */
    uint64_t count;         /* calls a step */
    uint64_t message_bytes; /* of one call: the whole buffer before it is divided */
    uint64_t sent_bytes;    /* by this GPU in the whole step */
    enum calc_link link;
    bool time_known; /* false without the link's bandwidth */
    double time_s;   /* whole step: α a message and sent bytes over the bandwidth */
    bool exposed_known;
    double exposed_s;      /* the part that no computation hides */
    char formula[96];      /* "A·R(gP)" */
    char substituted[160]; /* with numbers, ends in the sent bytes */
    const char *source;    /* a literal */
};

struct calc_comm {
    int row_count;
    struct calc_comm_row rows[CALC_COMM_ROWS_MAX];
    uint64_t total_sent_bytes; /* of all rows but offload's */
    bool compute_known;
    double compute_s; /* forward and backward of the step on this GPU at --mfu of the card's peak */
    double exposed_s; /* sum of the known exposed parts */
};

/* The step of a GPU on the stage that sends most. STATUS_USAGE on overflow, naming the row. */
MUST_USE enum status calc_comm_step(const struct scenario *s, struct calc_comm *out,
                                    struct message *why);

#endif
