/* What the makers of questions about training runs share: a run as its stem states it, its days and its utilisation by
 * calc, and the command line that shows them. */
#ifndef LESSONS_RUN_QUESTION_PRIVATE_H
#define LESSONS_RUN_QUESTION_PRIVATE_H

#include "shardlab/calc/flops.h"
#include "shardlab/learn/instance.h"

/* A card and its dense matrix peaks in 10^12 flop/s, as assets/gpus.json has them: a lesson reads no files. fp8 0: none. */
struct run_card {
    const char *label, *id;
    double bf16_tflops, fp8_tflops;
};
enum { RUN_A100, RUN_H100, RUN_CARDS };
extern const struct run_card run_cards[RUN_CARDS];

struct run_asked {
    const struct run_card *card;
    uint64_t params, tokens, gpus;
    double mfu;          /* assumed; or else … */
    double tokens_per_s; /* … measured, of one GPU */
    bool fp8, recompute; /* else BF16, and nothing is computed again */
};

/* A dense model known by its parameters alone: 6Ψ a token, 8Ψ with full recomputation. */
enum status run_price(const struct run_asked *r, struct calc_flops *flops,
                      struct calc_run_cost *cost, struct message *why);

/* "flops --params 70000000000 --precision bf16 --tokens …" */
void run_line(struct instance *out, const struct run_asked *r);

/* "70B", "2T": as people write parameters and tokens. */
void run_figure_short(struct instance *out, const char *name, uint64_t count);

#endif
