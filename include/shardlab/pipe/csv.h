/* Order lists as PyTorch writes them (torch.distributed.pipelining, schedules as CSV): one line a rank, cells separated
 * by commas, an empty cell for an idle slot. A cell is `3F0` (stage 3, forward of micro-batch 0), `3I0` (backward
 * w.r.t. the input), `3W0` (w.r.t. the weights), `3B0` (both), or `(0F7;7B3)OVERLAP_F_B`, a pair. Older files write B
 * for I and BW for B: a B whose W stands elsewhere is read as I. Cells of communication (3SEND_F0, 0UNSHARD …) say
 * nothing that the order does not, and are passed over. Slots are not times: only the order of a line's cells counts.
 * Pure: text in, order out, memory of the caller. Proof: tests/unit/pipe/test_csv.c. */
#ifndef PIPE_CSV_H
#define PIPE_CSV_H

#include "shardlab/base/writer.h"
#include "shardlab/pipe/order.h"

/* A text and the name that errors give it. Need not end with a NUL. */
struct pipe_csv {
    const char *file;
    const char *text;
    size_t length;
};

/* The shape of the order in the text. The placement is the one on which every stage is where a line has it: loop, V, or
 * both directions (stages then count along the direction of travel, and the second half of the micro-batches enters
 * at the last rank). STATUS_USAGE: `why` begins with FILE:LINE:COLUMN. No order is larger than a few times its
 * text, so pipe_order_capacity of the shape is safe to allocate. */
MUST_USE enum status pipe_csv_measure(const struct pipe_csv *csv, struct pipe_shape *shape,
                                      struct message *why);

/* Reads the text into `order`, which pipe_order_start began with the measured shape and room for
 * pipe_order_capacity operations. The result is whole as pipe_order_check asks, else STATUS_USAGE with the place.
 * `seen` is scratch of pipe_order_capacity bytes. */
MUST_USE enum status pipe_csv_read(const struct pipe_csv *csv, uint8_t *seen,
                                   struct pipe_order *order, struct message *why);

/* Writes an order as torch does, with a line break after every rank. */
void pipe_csv_write(struct writer *w, const struct pipe_order *order);

#endif
