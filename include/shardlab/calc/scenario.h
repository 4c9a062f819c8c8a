/* The scenario: model × layout × recipe × batch × cluster (CONTRACT, "The scenario"). One plain struct
 * travels through the whole program: sliders edit it, calculators read it, it prints as a command line and
 * is parsed back. Two states: *as given* (only fields whose bit in `given` is set, and the preset's, mean
 * something) and *resolved* (scenario_resolve filled every field). Calculators take resolved ones. */
#ifndef CALC_SCENARIO_H
#define CALC_SCENARIO_H

#include <stdbool.h>
#include <stdint.h>

#include "shardlab/base/attributes.h"
#include "shardlab/base/message.h"
#include "shardlab/base/status.h"

enum {
    CALC_STAGES_MAX = 1024,
    CALC_NAME_MAX = 96,
    CALC_PATH_MAX = 1024,
    CALC_GIVEN_WORDS = 2 /* room for 128 options */
};

enum calc_norm { CALC_NORM_RMS, CALC_NORM_LAYER };
enum calc_bias { CALC_BIAS_NONE, CALC_BIAS_QKV, CALC_BIAS_ALL };
enum calc_position { CALC_POSITION_ROPE, CALC_POSITION_LEARNED, CALC_POSITION_ALIBI };

/* A decoder-only transformer. Counts are elements; every field has an option of the same name. */
struct calc_model {
    char name[CALC_NAME_MAX];   /* --model: id in assets/models.json; "" when not used */
    char config[CALC_PATH_MAX]; /* --config: path of a Hugging Face config.json; "" when not used */
    uint64_t params; /* --params: only this total is known; 0 when dimensions are known */
    uint64_t layers, hidden, heads, kv_heads, head_dim, ffn, vocab, max_seq;
    uint64_t norms;         /* norms per layer: 2, or 4 (gemma 2) */
    uint64_t position_rows; /* rows of a learned position table (OPT: max_seq + 2); 0 without one */
    uint64_t experts;       /* routed experts of a mixture-of-experts layer; 0: a dense model */
    uint64_t experts_active;  /* of them, how many each token goes through */
    uint64_t experts_shared;  /* experts that every token goes through, as multiples of moe_ffn */
    uint64_t moe_ffn;         /* inner width of one expert */
    uint64_t dense_layers;    /* the first layers, which keep a dense FFN of width ffn */
    uint64_t q_rank, kv_rank; /* latent attention: widths of the latents; kv_rank 0: there is none,
                                 q_rank 0: queries are projected directly */
    uint64_t qk_nope, qk_rope,
        v_head;          /* latent attention: parts of a query or key head; value head */
    int norm;            /* enum calc_norm */
    int bias;            /* enum calc_bias */
    int position;        /* enum calc_position */
    bool gated;          /* FFN has three matrices instead of two */
    bool tied;           /* head shares the embedding */
    bool qk_norm;        /* a norm of head_dim elements on queries and one on keys */
    bool embedding_norm; /* one norm after the embedding (BLOOM) */
    bool shared_gate; /* a gate of `hidden` elements on the shared experts (qwen2_moe); no option of
                         its own: only a --config brings it */
};

enum calc_schedule {
    CALC_SCHEDULE_1F1B,
    CALC_SCHEDULE_GPIPE,
    CALC_SCHEDULE_INTERLEAVED,
    CALC_SCHEDULE_LOOPED_BFS,
    CALC_SCHEDULE_ZB_H1,
    CALC_SCHEDULE_ZB_H2,
    CALC_SCHEDULE_ZB_INTERLEAVED,
    CALC_SCHEDULE_ZB_V,
    CALC_SCHEDULE_DUALPIPE,
    CALC_SCHEDULE_DUALPIPEV,
    CALC_SCHEDULE_CHIMERA
};

enum calc_offload { CALC_OFFLOAD_NONE, CALC_OFFLOAD_OPTIMIZER, CALC_OFFLOAD_PARAMS };
enum calc_offload_to { CALC_OFFLOAD_TO_CPU, CALC_OFFLOAD_TO_NVME };

/* When gradients are reduced: after the last micro-batch of a step, or after each. */
enum calc_reduce { CALC_REDUCE_BOUNDARY, CALC_REDUCE_EVERY };

struct calc_layout {
    uint64_t dp, tp, pp, cp; /* world size is their product */
    uint64_t ep, etp;  /* ranks among which experts, and the matrices of one expert, are divided */
    uint64_t chunks;   /* V, model chunks a stage and direction */
    uint64_t zero;     /* ZeRO stage 0..3 */
    uint64_t prefetch; /* FSDP units gathered ahead of the one that computes */
    bool reshard;      /* FSDP at stage 3: a unit is freed after it was used */
    int schedule;      /* enum calc_schedule */
    int offload;       /* enum calc_offload: params includes the optimizer */
    int offload_to;    /* enum calc_offload_to */
    int reduce;        /* enum calc_reduce; every for ZeRO 2 and 3 unless given */
    bool sequence_parallel;
    uint64_t expert_nodes; /* nodes on which the experts of one token lie at most; 0: any */
    uint32_t layers_per_stage[CALC_STAGES_MAX]; /* given by --layers-per-stage, else unused */
    uint64_t layers_per_stage_count;            /* 0: even, the first (layers mod pp) one more */
};

enum calc_precision {
    CALC_PRECISION_FP32,
    CALC_PRECISION_FP16,
    CALC_PRECISION_BF16,
    CALC_PRECISION_FP8, /* weights in fp8 with a scale for each matrix, the rest as bf16 */
    CALC_PRECISIONS
};
enum calc_optimizer {
    CALC_OPTIMIZER_ADAM,
    CALC_OPTIMIZER_ADAM8BIT,
    CALC_OPTIMIZER_ADAM16BIT, /* both moments in bf16 */
    CALC_OPTIMIZER_MOMENTUM,
    CALC_OPTIMIZER_SGD,
    CALC_OPTIMIZER_ADAFACTOR,
    CALC_OPTIMIZER_MUON,
    CALC_OPTIMIZER_NONE
};
enum calc_recompute { CALC_RECOMPUTE_NONE, CALC_RECOMPUTE_SELECTIVE, CALC_RECOMPUTE_FULL };
enum calc_attention { CALC_ATTENTION_STANDARD, CALC_ATTENTION_FLASH };
enum calc_logits {
    CALC_LOGITS_NONE,
    CALC_LOGITS_BF16,
    CALC_LOGITS_FP32,
    CALC_LOGITS_FP32X3,
    CALC_LOGITS_FUSED
};
enum calc_buffers { CALC_BUFFERS_NONE, CALC_BUFFERS_FRAMEWORK };

struct calc_recipe {
    int precision;       /* enum calc_precision */
    int optimizer;       /* enum calc_optimizer */
    int recompute;       /* enum calc_recompute */
    int attention;       /* enum calc_attention */
    int logits;          /* enum calc_logits */
    int buffers;         /* enum calc_buffers */
    uint64_t grad_bytes; /* 2, 4, or 6 = 2 and an fp32 copy; 4 whenever precision is fp32 */
    uint64_t pad_vocab;  /* the vocabulary is padded to a multiple of this; 1: not padded */
    uint64_t
        input_bytes; /* of an element that is kept as the input of a matrix: as computed, or 1 with fp8 */
    bool dropout;
    /* what of every layer is computed again in backward; full recomputation includes them all */
    bool recompute_norms;      /* what norms put out */
    bool recompute_latents;    /* what latent attention projects up: queries, keys, values */
    bool recompute_activation; /* what activation functions put out */
};

struct calc_batch {
    uint64_t seq;           /* tokens of one sequence */
    uint64_t micro_batch;   /* sequences of one micro-batch */
    uint64_t micro_batches; /* micro-batches a step and pipeline */
};

struct calc_cluster {
    char gpu[CALC_NAME_MAX]; /* --gpu: id in assets/gpus.json; "" : no card */
    uint64_t listed_bytes;   /* the card's listed size; 0 unknown */
    uint64_t usable_bytes;   /* what a program is offered, where a source says so; 0 unknown */
    uint64_t memory;         /* --memory: bytes, overrides the card; 0 not given */
    uint64_t reserve;        /* --reserve: bytes kept for context, NCCL, fragmentation */
    uint64_t gpus_per_node;  /* GPUs that share one CPU memory and the fast links */
    /* 10^9 bytes per second, one direction, of one GPU; from the card unless given; 0 unknown */
    double link_gb_per_s, net_gb_per_s;  /* inside a node, and between nodes */
    double pcie_gb_per_s, nvme_gb_per_s; /* GPU to CPU memory, and to disks */
    double alpha_us;                     /* latency of one message, microseconds */
    double mfu; /* the part of the card's peak that computation reaches, 0..1 */
    /* dense matrix peak of the card, 10^12 flop/s; 0 unknown or no such precision */
    double peak_tflops[CALC_PRECISIONS];
};

enum calc_convention {
    CALC_CONVENTION_ZERO_PAPER,
    CALC_CONVENTION_MEGATRON,
    CALC_CONVENTION_DEEPSPEED,
    CALC_CONVENTION_FSDP,
    CALC_CONVENTION_HF
};

struct scenario {
    struct calc_model model;
    struct calc_layout layout;
    struct calc_recipe recipe;
    struct calc_batch batch;
    struct calc_cluster cluster;
    int convention; /* enum calc_convention */
    /* bit i mod 64 of word i / 64: option i of calc/option.h was given, and wins over preset and convention; read
     * through calc_option_given */
    uint64_t given[CALC_GIVEN_WORDS];
};

/* An empty scenario as given: nothing set. */
void scenario_start(struct scenario *s);

/* Fills every field not given: from the model's own rules, the convention, the defaults of CONTRACT.
 * `in` keeps what was given; *out may be `in`. Fails (STATUS_USAGE, *why) when a needed dimension is missing. */
MUST_USE enum status scenario_resolve(const struct scenario *in, struct scenario *out,
                                      struct message *why);

/* Every rule that a resolved scenario breaks, in a fixed order: option, value and what would be right are in
 * the messages. Returns how many there are; the first `capacity` are written. 0: the scenario is legal. */
int scenario_violations(const struct scenario *s, struct message *out, int capacity);

/* The GPU's memory that a program may use: --memory, else the card's usable, else its listed size, less
 * --reserve. 0 when unknown or when the reserve takes all. */
uint64_t scenario_capacity_bytes(const struct scenario *s);

/* The card's peak at the scenario's precision times --mfu, in flop/s; 0 when no card says it. With fp8 the BF16 peak
 * times --mfu times the measured CALC_FP8_SPEEDUP (calc/flops.h): a step does not get twice as fast as its products. */
double scenario_flops_per_s(const struct scenario *s);

/* True when only Ψ is known (--params). */
bool scenario_params_only(const struct scenario *s);

/* True for a mixture of experts, and for latent attention (MLA). */
bool scenario_has_experts(const struct scenario *s);
bool scenario_has_latents(const struct scenario *s);

#endif
