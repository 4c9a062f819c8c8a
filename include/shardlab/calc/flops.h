/* Floating-point operations of training, exact: what one token costs, what one GPU of a stage runs for a micro-batch,
 * and from these days, GPU-seconds and utilisation. A multiply and an add are two operations. Counted are matrix
 * products; norms, activation functions, softmax, the embedding look-up and the optimizer are not (as in every source).
 * Sources: Narayanan arXiv:2104.04473 section 5.1 and appendix; Korthikanti arXiv:2205.05198 appendix A; PaLM
 * arXiv:2204.02311 appendix B (MFU). Proof: tests/unit/calc/test_flops.c, and the rows of test_papers.c. */
#ifndef CALC_FLOPS_H
#define CALC_FLOPS_H

#include "shardlab/calc/scenario.h"

enum { CALC_FLOPS_TERMS_MAX = 8 };

struct calc_flops_term {
    const char *id; /* "flops.matrices", …: message ids term.<id> and term.<id>.why */
    bool of_model;  /* a part of model FLOPs; else of what the hardware does on top */
    char formula[96];
    char substituted[160];
    uint64_t flops; /* of one token, forward and backward */
    const char *source;
};

/* One token, forward and backward. Backward is twice the forward: one product for the input's gradient, one for the
 * weights'. Attention looks at all s positions of the sequence, as the papers count it; a causal mask needs half. */
struct calc_flops {
    uint64_t matrices;  /* forward: 2 × elements of the layers' matrices that a token passes */
    uint64_t attention; /* forward, all layers: 2·s·a·(d + dv); whole, not halved */
    uint64_t head;      /* forward: 2·h·V */
    uint64_t model;     /* 3 × their sum: what MFU counts. With --params alone 6Ψ */
    uint64_t causal;    /* the same with half of attention */
    uint64_t
        hardware; /* with what is computed again and with the padded vocabulary: what HFU counts */
    bool
        parts_known; /* false with --params alone: matrices, attention and head are 0, causal is model */
    bool hardware_known; /* false for selective recompute with --params alone */
    uint64_t six_psi; /* the rule of thumb: 6 × all parameters that a token uses, tables included */
    uint64_t forward_only; /* selective: what the forward of attention alone would add (see term) */
    int term_count;
    struct calc_flops_term terms[CALC_FLOPS_TERMS_MAX];
};

MUST_USE enum status calc_flops_per_token(const struct scenario *s, struct calc_flops *out,
                                          struct message *why);

/* What one GPU of `stage` runs for one micro-batch, a mean over the ranks of its tensor and context group: experts are
 * evenly used. Zero-bubble schedules run input_grad and weight_grad apart. With --params alone an equal share. */
struct calc_flops_stage {
    double forward;
    double input_grad;  /* backward with respect to the input: matrices once, attention twice */
    double weight_grad; /* backward with respect to the weights: matrices once */
    double recompute;   /* layers that run forward again, before their backward, or parts of them */
    double
        layers_forward; /* the part of forward that is not the head: what the stages share evenly */
    double attention;   /* the part of forward that is attention */
};
MUST_USE enum status calc_flops_on_stage(const struct scenario *s, uint64_t stage,
                                         struct calc_flops_stage *out, struct message *why);

/* A training run, as far as it is known: 0 is not known. At most one of the three measured figures. */
struct calc_run {
    uint64_t tokens; /* of the whole run */
    uint64_t gpus;
    uint64_t step_tokens;  /* of one step, all GPUs */
    double step_s;         /* measured: seconds of one step */
    double tokens_per_s;   /* measured: tokens per second and GPU */
    double hardware_per_s; /* measured: FLOP/s of one GPU, recomputation counted */
    double peak_per_s;     /* FLOP/s that the card promises in the precision of the products */
    double
        model_per_s; /* assumed, when nothing was measured: FLOP/s of one GPU, recomputation not counted */
};

/* Every figure has a flag: false where the run does not say enough. */
struct calc_run_cost {
    bool total_known, rate_known, use_known, time_known, days_known;
    double total, total_hardware;       /* FLOPs of the run */
    double model_per_s, hardware_per_s; /* FLOP/s of one GPU */
    double mfu, hfu; /* of the peak, 0..1 (above 1: the figures contradict each other) */
    double gpu_seconds, days;
    /* days when model_per_s is how fast kernels run, so that what is computed again takes time on top; known with days,
     * and the same where the speed was measured */
    double kernel_days;
};
void calc_run_price(const struct calc_flops *flops, const struct calc_run *run,
                    struct calc_run_cost *out);

/* How much faster a step of FP8 products is than the same step in BF16, measured from end to end: torchtitan
 * (arXiv:2410.06511, table 1: 9409 against 6674 tokens/s on 8 H100; table 2 1.44; its repository's benchmark
 * 1.28–1.29). The peak doubles, the step does not: everything that is no matrix product stays. */
#define CALC_FP8_SPEEDUP 1.41
#define CALC_FP8_SPEEDUP_LEAST 1.28 /* the range of all that these sources measured */
#define CALC_FP8_SPEEDUP_MOST 1.44

#endif
