/* What the files of this lesson share: what a rank of a tensor group sends and holds, and the tables of it. */
#ifndef LESSONS_TENSOR_PRIVATE_H
#define LESSONS_TENSOR_PRIVATE_H

#include "../parallel_private.h"
#include "shardlab/calc/comm.h"
#include "shardlab/calc/memory.h"

/* What one layer of the first stage exchanges in one micro-batch. */
struct tensor_layer {
    uint64_t calls;         /* all-reduces; with sequence parallelism pairs of gather and scatter */
    uint64_t blocks;        /* attention, FFN: places where something is summed in a forward */
    uint64_t passes;        /* forward and backward, and forward again when recomputed in full */
    uint64_t message_bytes; /* b·s·h */
    uint64_t sent_bytes;    /* by a rank, all calls */
    uint64_t again_bytes;   /* of them what only the weights' gradient needs, beside the backward */
};
/* False: one rank, or layers differ in what they exchange. */
bool tensor_layer(const struct scenario *s, struct tensor_layer *out);

/* Bytes that all rows of tensor parallelism send in a step, and their seconds; false: not known. */
struct tensor_step {
    uint64_t sent_bytes;
    bool time_known;
    double time_s, exposed_s, compute_s;
};
bool tensor_step(const struct scenario *s, struct tensor_step *out);

/* Matrices of a layer: split by columns, and by rows. */
int tensor_matrices(const struct scenario *s);

/* Degrees that the tables compare: the stops of --tp that are legal here. Returns how many. */
enum { TENSOR_DEGREES_MAX = 12 };
int tensor_degrees(const struct scenario *s, struct scenario out[TENSOR_DEGREES_MAX]);

void tensor_layer_add(struct view *out, const struct scenario *s);
void tensor_divided_add(struct view *out, const struct scenario *s);
void tensor_sent_add(struct view *out, const struct scenario *s);
void tensor_sequence_add(struct view *out, const struct scenario *s);
void tensor_heads_add(struct view *out, const struct scenario *s);
/* The rows of tensor parallelism in the step's communication, as the calculator gives them. */
MUST_USE enum status tensor_comm_add(struct view *out, const struct scenario *s,
                                     struct message *why);

bool tensor_figure(const struct lesson_input *in, const char *name, struct writer *out);

/* Of the questions in quiz.json. */
enum { TENSOR_MAKERS = 9 };
extern const struct instance_entry tensor_makers[TENSOR_MAKERS];

#endif
