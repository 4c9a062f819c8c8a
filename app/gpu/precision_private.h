/* What the experiments on a device share: batches of operations, each rounded to a format. app/gpu only. */
#ifndef GPU_PRECISION_PRIVATE_H
#define GPU_PRECISION_PRIVATE_H

#include "gpu_private.h"
#include "shardlab/gpu/precision.h"
#include "shardlab/precision/judge.h"

/* One experiment on one rank. After the first failure nothing more is done, results are zeros, and `ok` says so. */
struct device_run {
    struct gpu *gpu;
    uint32_t rank;
    const struct precision_options *o;
    enum status ok;
    struct message *why;
};

/* As in kernels/shardlab.cl. */
enum device_op { DEVICE_ROUND, DEVICE_ADD, DEVICE_MULTIPLY, DEVICE_DIVIDE, DEVICE_EXP };

/* out[i] = x[i] op y[i], rounded to the experiment's type. */
struct device_batch {
    enum device_op op;
    uint64_t count; /* > 0 */
    const double *x, *y;
    double *out;
    uint8_t *past; /* out[i] passed max */
};
void device_arithmetic(struct device_run *d, const struct device_batch *b);
/* A batch of one. */
double device_one(struct device_run *d, enum device_op op, double x, double y, bool *past);

enum { DEVICE_SHOWN = 80 };
/* start + term + term + …, of `type`, `count` ≥ 1 times. */
struct device_sum {
    enum num_type type;
    enum num_overflow overflow;
    double start, term;
    uint64_t count;
    /* Filled in: */
    double last, shown[DEVICE_SHOWN]; /* the sum where precision_is_shown */
    uint64_t changed;
};
void device_running_sum(struct device_run *d, struct device_sum *s);
/* Buffers of a launch, in the order of its first arguments; `in` is written before, `out` read after. */
struct device_buffer {
    const void *in;
    void *out;
    uint64_t bytes;
};
void device_call(struct device_run *d, struct gpu_launch *l, const struct device_buffer *buffers,
                 int count);
/* calloc that fails into d->ok. */
void *device_room(struct device_run *d, size_t count, size_t each);

/* Results of an operation on every positive number of the type: x op x, or one of them. */
struct device_codes {
    uint32_t most; /* codes 1 … most are filled in */
    double *number, *out;
    uint8_t *past;
};
/* x is the number itself, y is `with`, or the number where `with` is nan. */
void device_all_codes(struct device_run *d, enum device_op op, double with, double sign,
                      struct device_codes *out);
void device_codes_free(struct device_codes *c);

void device_sum_experiment(struct device_run *d, struct facts *out);
void device_range(struct device_run *d, struct facts *out);
void device_stagnation(struct device_run *d, struct facts *out);
void device_stochastic(struct device_run *d, struct facts *out);
void device_gradients(struct device_run *d, struct facts *out);
void device_loss_scale(struct device_run *d, struct facts *out);
void device_fp8_scale(struct device_run *d, struct facts *out);
/* All ranks at once. */
void device_allreduce(struct device_run *d, struct facts *out);
void device_softmax(struct device_run *d, struct facts *out);
void device_adam(struct device_run *d, struct facts *out);

#endif
