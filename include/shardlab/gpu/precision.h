/* Experiments in low precision on devices: operands are numbers of a format, every operation is done in binary64 by the
 * device and rounded once by integer arithmetic, so that results are those of the room `precision`, to the bit. exp is a
 * sum of our own, the same on every device. Every rank runs the experiment on its device; ranks must agree. In
 * `allreduce` they send to each other as in gpu/trial.h.
 * Proof: tests/unit/gpu/test_precision.c, tests/cli/test_overflow_gpu.c. */
#ifndef GPU_PRECISION_H
#define GPU_PRECISION_H

#include "shardlab/gpu/gpu.h"
#include "shardlab/precision/precision.h"

/* precision_run on devices; `gpu` was opened for at least options->job.ranks ranks. STATUS_FAILED: the device gave an error,
 * lacks binary64 or memory. A run is not interrupted: options->timeout_s is looked at between ranks. */
MUST_USE enum status gpu_precision_run(struct gpu *gpu, const struct precision_options *options,
                                       struct precision_result *out, struct message *why);

#endif
