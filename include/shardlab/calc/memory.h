/* Memory of one GPU: model states by convention and ZeRO stage, activations by operator, buffers.
 * Sources: ZeRO arXiv:1910.02054 section 3 and 5; Korthikanti et al. arXiv:2205.05198 section 4; DeepSpeed
 * and Megatron-LM code as recorded in the reference. "Allocated" bytes: allocator, CUDA context and NCCL are
 * outside (--reserve). Proof: tests/unit/calc/test_memory.c, test_states.c,
 * test_activations.c, test_papers.c, test_tools.c. */
#ifndef CALC_MEMORY_H
#define CALC_MEMORY_H

#include "shardlab/calc/derivation.h"
#include "shardlab/calc/scenario.h"

struct calc_memory {
    uint64_t stage;  /* pipeline stage of this GPU, 0-based */
    uint64_t layers; /* decoder layers on it; meaningless with --params alone */
    uint64_t params; /* elements on it before ZeRO divides them */
    uint64_t
        in_flight; /* micro-batches whose activations it holds; chunks where a rank holds several */
    uint64_t part_bytes[CALC_PARTS];
    uint64_t total_bytes; /* the sum of the parts that are known */
    bool phases; /* convention hf: the terms are phases, total is their maximum, no part is known */
    bool activations_known; /* false with --params alone */
    bool buffers_known; /* false with --params alone where buffers depend on the layers' shapes */
    struct calc_term offloaded; /* what left the GPU with --offload: bytes 0 when nothing did */
    bool offloaded_per_node; /* counted for the node (DeepSpeed's estimators), else for this GPU */
    struct calc_derivation derivation;
};

/* The memory of a GPU on `stage` of a resolved, legal scenario. STATUS_USAGE on overflow, naming the term. */
MUST_USE enum status calc_memory_on_stage(const struct scenario *s, uint64_t stage,
                                          struct calc_memory *out, struct message *why);

/* The stage with the largest total (the first of equals). */
MUST_USE enum status calc_memory_worst(const struct scenario *s, struct calc_memory *out,
                                       struct message *why);

/* The same without the texts of the derivation, for whoever asks thousands of times. */
MUST_USE enum status calc_memory_worst_figures(const struct scenario *s, struct calc_memory *out,
                                               struct message *why);

/* Model-state bytes per parameter when nothing is sharded: 16, 18, 20; fsdp 16, and 18 where stage 2 keeps a gathered
 * copy; hf its maximum over phases: 8, in fp32 16. */
uint64_t calc_state_bytes_per_param(const struct scenario *s);

/* The same as a mean over the whole model. Another number only with muon and adafactor, whose bytes depend on shapes:
 * above they are those of an element of a layer's matrix, without its row and column. */
double calc_state_bytes_average(const struct scenario *s);

/* How many times smaller the model states are than with ZeRO 0, at N data ranks: 16/(4+12/N) and kin, as a
 * ratio of real numbers (no rounding up); and its limit for N → ∞ (0: none, it grows with N). */
double calc_zero_saving(const struct scenario *s, uint64_t stage, uint64_t ranks);
double calc_zero_saving_limit(const struct scenario *s, uint64_t stage);

/* Highest ZeRO stage that the convention defines, and whether it defines `stage`. */
bool calc_convention_defines(int convention, uint64_t zero);

#endif
