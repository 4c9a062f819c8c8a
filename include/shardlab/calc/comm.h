/* Communication of one step: bytes that one GPU sends, by axis and collective, exact, with the time they take on their
 * link and how much of it computation does not hide. Sources: ZeRO arXiv:1910.02054 section 7; Korthikanti
 * arXiv:2205.05198 section 4; Narayanan arXiv:2104.04473 section 3; ZeRO-Offload arXiv:2101.06840, ZeRO-Infinity
 * arXiv:2104.07857. Collectives are rings, an all-to-all direct, as calc/collective.h counts them for rank 0 of every
 * group, uneven chunks included; R(x) = x(N−1)/N in formulas is what even chunks make of it.
 *
 * Groups and their order of ranks are those of calc/ranks.h (Megatron-LM's tp-cp-ep-dp-pp). The slowest group of a kind
 * sets the pace: its rate is the network's as soon as any of them crosses nodes.
 *
 * Counted a step of A micro-batches:
 * dp  gradients of Ψ over dp·cp: an all-reduce; from ZeRO 1 a reduce-scatter and a gather of the updated weights; at
 *     ZeRO 3 weights unit by unit (layers; embedding, final norm and head) for each forward and, with reshard, each
 *     backward. Where weights are shared over dp alone (all conventions but megatron), context ranks all-reduce their
 *     share. With 6 gradient bytes the 2-byte copy travels. Routed experts: over the ranks that hold the same ones.
 * tp  each block (attention, FFN, shared experts) two all-reduces a micro-batch, three when recomputed in full; with
 *     sequence parallel a gather and a reduce-scatter instead, and one more gather for the weights' gradient. The
 *     divided vocabulary: embedding, head and three numbers a token of the loss. Gradients of what is whole but saw a
 *     part of the tokens, once. Experts divided by etp.
 * pp  a micro-batch's activations to the next stage and their gradients back, for every chunk, to both neighbours where
 *     the pipeline folds back or runs both ways; the gradient of a tied embedding between first and last stage, unless
 *     they are one rank; with two copies of the model (dualpipe, chimera), of which each sees half of the micro-batches,
 *     the gradients of all weights between the ranks that hold the same stage.
 * cp  keys and values round the ring for forward and backward, their gradients once (a gather of keys and values and
 *     a reduce-scatter would send the same).
 * ep  tokens to their experts and back, forward and backward; routing uniform. With --expert-nodes a token crosses the
 *     network once for each node of its experts and goes on inside the node; with --input-bytes 1 it goes there in fp8.
 * all the 4 bytes of fp16's overflow check (a row of dp).
 * offload: what leaves after each reduction, what comes back; with NVMe also what goes on to disks.
 * Left out: buckets (more messages, the same bytes), gathers of latents, fp8 scales, clipping's norm, the seed's and
 * the loss's scalars.
 *
 * Hidden: tp, updated weights, sums of norms and what an offloaded step waits for hide behind nothing, except for
 * the gathers of sequence parallelism for the weights' gradient: they run beside the backward (arXiv:2205.05198). Gradients
 * hide behind the backward of their micro-batch, all but those of the last unit (the embedding's, on later stages a
 * layer's), ZeRO-3 gathers behind their forward or backward when units are
 * prefetched (all but the first unit), keys and values behind attention, weights read from the CPU behind the pass that
 * needs them, gradients that leave behind backward; rows that hide behind the same thing on the same link share it
 * (PCIe: in the same direction). Of
 * pp exposed is by how much messages lengthen the step, wherever on the chain of stages they are waited for
 * (calc_pipeline_messages), so that it can be more than the row's own time; the bubble itself is pipe's.
 * ep hides behind nothing, but under dualpipe and dualpipev behind the computation of the forward and the backward that run as
 * a pair, as often as the schedule has pairs (arXiv:2412.19437 section 3.2.1).
 * Proof: tests/unit/calc/test_comm*.c. */
#ifndef CALC_COMM_H
#define CALC_COMM_H

#include "shardlab/calc/scenario.h"

enum { CALC_COMM_ROWS_MAX = 48 };

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
    CALC_WRITE, /* offload: out of the GPU, or on to the disk */
    CALC_READ, /* offload: into the GPU, or off the disk (counted like sent bytes, over the same link) */
};

enum calc_link { CALC_LINK_NODE, CALC_LINK_NETWORK, CALC_LINK_PCIE, CALC_LINK_NVME, CALC_LINKS };

/* What a row hides behind. */
enum calc_hide {
    CALC_HIDE_NOTHING,
    CALC_HIDE_FORWARD,            /* of one micro-batch on the stage */
    CALC_HIDE_BACKWARD,           /* with what is recomputed */
    CALC_HIDE_ATTENTION,          /* of forward */
    CALC_HIDE_ATTENTION_BACKWARD, /* and of backward */
    CALC_HIDE_PAIR,               /* ep: a forward and a backward that run at the same time */
    CALC_HIDE_STEADY,             /* pp: behind other micro-batches, but for filling and draining */
};

/* Names of JSON and of message ids: "dp", "reduce-scatter", "network". */
const char *calc_axis_name(enum calc_axis axis);
const char *calc_collective_name(enum calc_collective collective);
const char *calc_link_name(enum calc_link link);

struct calc_comm_row {
    enum calc_axis axis;
    enum calc_collective collective;
    const char *id; /* what is sent: "gradients", "weights.forward" …; message id comm.<id> */
    uint64_t count; /* calls a step */
    uint64_t
        message_bytes; /* of one call, the whole buffer before it is divided; the largest where they differ */
    uint64_t sent_bytes; /* by this GPU in the whole step */
    uint64_t ranks;      /* of the group; 2 for a neighbour, 1 for offload */
    enum calc_link link;
    enum calc_hide hide;
    uint64_t windows; /* how often in a step comes what hides it */
    double least;     /* the part beside which nothing computes, of one window, 0..1 */
    double
        paired; /* CALC_HIDE_PAIR: in which part of the windows there is something beside it, 0..1 */
    bool time_known; /* false without the link's bandwidth */
    double time_s;   /* whole step: α a message of the ring and sent bytes over the bandwidth */
    bool exposed_known;
    double exposed_s;      /* the part that no computation hides */
    char formula[96];      /* "A·R(gΨ)" */
    char substituted[160]; /* with numbers, ends in the sent bytes */
    const char *source;    /* a literal */
};

struct calc_comm {
    uint64_t stage; /* whose GPU it is */
    int row_count;
    struct calc_comm_row rows[CALC_COMM_ROWS_MAX];
    bool axis_known[CALC_AXES]; /* false with --params alone where bytes depend on dimensions */
    bool total_known;           /* no axis but offload is unknown */
    uint64_t total_sent_bytes;  /* of all rows but offload's */
    uint64_t
        next_sent_bytes; /* of a step: the total of the stage that comes next, among those that differ; else 0 */
    bool compute_known; /* a card's peak is known */
    double
        compute_s; /* forward, backward and recompute of the step on this GPU at --mfu of the card's peak */
    bool exposed_known; /* of every row */
    double exposed_s;   /* sum of the known exposed parts */
};

/* How many messages of a pipeline, one after the other, lengthen a step: 0 with one stage. Messages of equal size on
 * links of equal speed.
 * gpipe 2(p−1), exact (arXiv:1811.06965); 1f1b 2(p−1) + 2(p−2) + 2(p−1)(m/p−1), exact where p divides m, else that of
 *   the next multiple, so at most 2(p−1) too many.
 * Where a message takes less time than the forward of a chunk: interleaved 2(pv−1), and looped-bfs
 *   the same with m < 2p, else 2(p−1), both exact where p divides m; zb-h1 4(p−1), never too few.
 * The others are counted by their trips through the stages (zb-interleaved 2(pv−1), zb-v and dualpipev 4(p−1), zb-h2,
 *   dualpipe and chimera 2(p−1)), and the schedule may hide some of them or wait for more: `shardlab pipe --comm` runs it.
 * Proof: tests/unit/plan/test_messages.c. */
uint64_t calc_pipeline_messages(const struct scenario *s);

/* The step of a GPU on the stage that sends most (the first of equals). STATUS_USAGE on overflow, naming the row. */
MUST_USE enum status calc_comm_step(const struct scenario *s, struct calc_comm *out,
                                    struct message *why);

/* The same without formulas and numbers in words, for whoever asks thousands of times. */
MUST_USE enum status calc_comm_step_figures(const struct scenario *s, struct calc_comm *out,
                                            struct message *why);
MUST_USE enum status calc_comm_on_stage_figures(const struct scenario *s, uint64_t stage,
                                                struct calc_comm *out, struct message *why);

/* The step of a GPU of `stage`. */
MUST_USE enum status calc_comm_on_stage(const struct scenario *s, uint64_t stage,
                                        struct calc_comm *out, struct message *why);

#endif
