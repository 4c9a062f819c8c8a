/* What the experiments share: arithmetic that rounds after every operation. app/precision only. */
#ifndef PRECISION_PRIVATE_H
#define PRECISION_PRIVATE_H

#include "shardlab/precision/judge.h"

struct arithmetic {
    enum num_type type;
    struct num_rounding rounding;
    uint64_t past_max; /* results that passed max: saturated, inf, or nan from numbers */
};
struct arithmetic arithmetic_of(const struct precision_options *o);
struct arithmetic arithmetic_fp32(void);

/* A number rounded to the type; and operations on numbers of the type. */
double low(struct arithmetic *a, double x);
double low_add(struct arithmetic *a, double x, double y);
double low_multiply(struct arithmetic *a, double x, double y);
double low_divide(struct arithmetic *a, double x, double y);

/* The positive number with this code, of a type with a sign. */
double low_number(const struct arithmetic *a, uint32_t code);
uint32_t low_max_code(const struct arithmetic *a);

/* What happened to a running sum. */
struct running {
    double last;
    uint64_t changed, additions;
};
void running_add(struct arithmetic *a, struct running *r, double term);
const char *running_end(const struct arithmetic *a, const struct running *r);

/* One experiment. STATUS_FAILED: no memory. */
void measure_sum(const struct precision_options *o, struct facts *out);
void measure_range(const struct precision_options *o, struct facts *out);
void measure_stagnation(const struct precision_options *o, struct facts *out);
MUST_USE enum status measure_stochastic(const struct precision_options *o, struct facts *out);
void measure_gradients(const struct precision_options *o, struct facts *out);
void measure_loss_scale(const struct precision_options *o, struct facts *out);
MUST_USE enum status measure_fp8_scale(const struct precision_options *o, struct facts *out);
void measure_softmax(const struct precision_options *o, struct facts *out);
void measure_adam(const struct precision_options *o, struct facts *out);
/* Blocking: all ranks take part; each gets the whole result. */
MUST_USE enum status measure_allreduce(const struct precision_options *o, struct ranks_endpoint *e,
                                       struct facts *out);

#endif
