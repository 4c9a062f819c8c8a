/* How the rows of calc_comm come about: one builder, filled axis by axis. Only for app/calc. */
#ifndef COMM_PRIVATE_H
#define COMM_PRIVATE_H

#include "calc_private.h"
#include "shardlab/calc/comm.h"
#include "shardlab/calc/params.h"
#include "shardlab/calc/ranks.h"

struct comm_build {
    const struct scenario *s;
    struct calc_comm *out;
    bool texts; /* formulas are written only for the stage that is shown */
    struct calc_ranks ranks;
    uint64_t world;
    uint64_t group_ranks[CALC_GROUPS + 1]; /* of each kind of group; the last is the world */
    bool group_crosses[CALC_GROUPS + 1];
    const char *overflow; /* id of the first row whose bytes pass 2^64-1 */
    /* of the stage */
    uint64_t params, experts; /* elements; routed experts are not in params */
    uint64_t layers, dense, sparse;
    struct calc_stage_split parts; /* nothing with --params alone */
    bool embedding, head;          /* of the model, or of one of its copies, are here */
    uint64_t
        micro; /* micro-batches that a chunk sees: half of them where the model is held twice */
    /* of a micro-batch on this rank; 0 with --params alone */
    uint64_t element; /* bytes of an activation */
    uint64_t rows;    /* tokens of a sequence: s/cp */
    uint64_t tokens;  /* of all its sequences */
    uint64_t
        whole_tokens; /* of what tp leaves whole: as tokens, divided by tp with sequence parallel */
    bool split;       /* sequence parallel divides something */
    uint64_t passes;  /* forward, backward, and forward again with full recompute */
    struct calc_rank_shape rank;
    double last_unit, last_experts; /* comm_last_units */
};

enum { COMM_UNITS_MAX = 3 };

/* A collective. It moves each of its units once a pass. */
struct comm_call {
    enum calc_axis axis;
    enum calc_collective collective;
    const char *id;
    enum calc_group group; /* CALC_GROUPS: all ranks */
    bool pair;             /* two of the group talk, not all */
    uint64_t ranks;        /* a part of the group that talks; 0: all of it */
    bool inside;           /* that part is inside a node */
    uint64_t passes;
    struct {
        uint64_t times, elements;
    } units[COMM_UNITS_MAX];
    uint64_t elem_bytes;
    bool disk; /* offload: between CPU memory and disks, else between the GPU and CPU memory */
    enum calc_hide hide;
    uint64_t windows;
    double
        paired; /* CALC_HIDE_PAIR: part of the windows in which there is something to hide behind */
    double least; /* part of the bytes of a window beside which nothing computes, 0..1 */
    const char *formula, *source;
};

/* Appends the row; nothing when there is nobody to talk to, nothing to send, or never. */
void comm_add(struct comm_build *b, const struct comm_call *call);

/* A row whose bytes the caller has counted: `sent` a pass. */
struct calc_comm_row *comm_add_counted(struct comm_build *b, const struct comm_call *call,
                                       uint64_t calls, uint64_t message, uint64_t sent);

/* Elements that rank 0 sends in one call. */
uint64_t comm_sent_elements(enum calc_collective collective, uint64_t elements, uint64_t ranks);

/* "passes × bytes × (elements − kept) = sent" */
void comm_write_numbers(struct calc_comm_row *row, const struct comm_call *call, uint64_t elements,
                        uint64_t kept);

uint64_t comm_times(struct comm_build *b, const char *id, uint64_t a, uint64_t c);
uint64_t comm_plus(struct comm_build *b, const char *id, uint64_t a, uint64_t c);

/* Ranks among which weights and optimizer states of all but routed experts are shared. */
enum calc_group comm_shard_group(const struct scenario *s);
/* How many ranks a group has. */
uint64_t comm_ranks_of(const struct comm_build *b, enum calc_group group);
/* Bytes of a gradient, and of a weight, as they travel. */
uint64_t comm_gradient_bytes(const struct scenario *s);
uint64_t comm_weight_bytes(const struct scenario *s);
/* Reductions of the gradients in a step. */
uint64_t comm_reductions(const struct comm_build *b);
/* The unit that backward ends with, and forward begins with, as a part of the stage's elements, of routed experts and
 * of the rest: the embedding's (with FSDP's root: final norm and head on the same GPU), else a layer's. 0: no experts
 * in that unit, or with --params alone, where no units are known. */
void comm_last_units(struct comm_build *b);

void comm_data_add(struct comm_build *b);
void comm_tensor_add(struct comm_build *b);
void comm_pipeline_add(struct comm_build *b);
void comm_context_add(struct comm_build *b);
void comm_experts_add(struct comm_build *b);
MUST_USE enum status comm_offload_add(struct comm_build *b, struct message *why);

/* Times of all rows. */
MUST_USE enum status comm_time_all(const struct scenario *s, struct calc_comm *c,
                                   struct message *why);

#endif
