/* A collective whose ranks work on devices: every rank has its buffer in a device's memory, sends by copies from there into
 * another rank's inbox, and adds with kernels; the step lists are those of the other backends. Copies between ranks are
 * counted to the byte by (from, to). The host only tells the devices what to do, round by round. Elements are added in
 * the order of the lists, so that the bits are those of ranks on threads. Proof: tests/unit/gpu/test_trial.c. */
#ifndef GPU_TRIAL_H
#define GPU_TRIAL_H

#include "shardlab/gpu/gpu.h"
#include "shardlab/ranks/trial.h"

/* `gpu` was opened for at least options->job.ranks ranks. The contract of ranks_trial_run for the rest. STATUS_FAILED: the
 * device gave an error, has not the memory, or took longer than options->timeout_s, which is looked at between rounds. */
MUST_USE enum status gpu_trial_run(struct gpu *gpu, const struct ranks_trial_options *options,
                                   struct ranks_trial *trial, struct message *why);

#endif
