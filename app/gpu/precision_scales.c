/* Scales that let 8 bits do, on a device: none, one for the tensor, one for a block of 32. What is found has the names and the
 * order of the room `precision`. Proof: tests/unit/gpu/test_precision.c. */
#include <math.h>
#include <stdlib.h>

#include "precision_private.h"

enum scale { SCALE_NONE, SCALE_TENSOR, SCALE_MX }; /* as in kernels/shardlab.cl */

static int exponent_of(double x) {
    int exponent;
    (void)frexp(x, &exponent);
    return exponent - 1;
}

static void start_histogram(const struct precision_options *o, struct facts *out) {
    static const char *const names[] = {"exponent", "count", "none_zero", "tensor_zero", "mx_zero"};
    int lowest = exponent_of(o->values[0]), highest = lowest;
    for (uint64_t i = 1; i < o->count; i++) {
        int exponent = exponent_of(o->values[i]);
        lowest = exponent < lowest ? exponent : lowest;
        highest = exponent > highest ? exponent : highest;
    }
    facts_columns(out, names, 5);
    for (int exponent = lowest; exponent <= highest; exponent++) {
        facts_point(out, (const double[5]){exponent, 0, 0, 0, 0});
    }
    for (uint64_t i = 0; i < o->count; i++) {
        out->point[exponent_of(o->values[i]) - lowest][1]++;
    }
}

struct quantized {
    double *values;
    uint8_t *past;
};

static void quantize(struct device_run *d, enum scale how, const struct quantized *q) {
    const struct precision_options *o = d->o;
    enum { MX_BLOCK = 32 };
    uint64_t size = how == SCALE_MX ? MX_BLOCK : how == SCALE_NONE ? 1 : o->count;
    const struct device_buffer buffers[3] = {{NULL, q->values, o->count * sizeof *q->values},
                                             {NULL, q->past, o->count},
                                             {o->values, NULL, o->count * sizeof *o->values}};
    struct gpu_launch l;
    gpu_launch_start(&l, GPU_SCALED_BLOCKS, (o->count + size - 1) / size);
    for (int i = 0; i < 3; i++) {
        gpu_arg_memory(&l, 0);
    }
    gpu_arg_u64(&l, o->count);
    gpu_arg_u64(&l, size);
    gpu_arg_u32(&l, (uint32_t)how);
    gpu_arg_double(&l, num_limits(o->type).max);
    gpu_arg_format(&l, o->type, NUM_OVERFLOW_SATURATE);
    device_call(d, &l, buffers, 3);
}

/* What came back, beside what went in. */
static void judge(const struct precision_options *o, const struct quantized *q, int column,
                  const char *const facts[4], struct facts *out) {
    uint64_t zero = 0, saturated = 0;
    double largest = 0, sum = 0;
    int lowest = (int)out->point[0][0];
    for (uint64_t i = 0; i < o->count; i++) {
        double error = fabs(q->values[i] - o->values[i]) / fabs(o->values[i]);
        bool flushed = !(fabs(q->values[i]) > 0);
        zero += flushed ? 1 : 0;
        out->point[exponent_of(o->values[i]) - lowest][column] += flushed ? 1 : 0;
        saturated += q->past[i] != 0 ? 1 : 0;
        largest = fmax(largest, error);
        sum += error;
    }
    facts_count(out, facts[0], zero);
    facts_count(out, facts[1], saturated);
    facts_real(out, facts[2], largest);
    facts_real(out, facts[3], sum / (double)o->count);
}

void device_fp8_scale(struct device_run *d, struct facts *out) {
    static const char *const facts[3][4] = {
        {"none_zero", "none_past_max", "none_largest_error", "none_mean_error"},
        {"tensor_zero", "tensor_past_max", "tensor_largest_error", "tensor_mean_error"},
        {"mx_zero", "mx_past_max", "mx_largest_error", "mx_mean_error"}};
    const struct precision_options *o = d->o;
    struct quantized q = {device_room(d, (size_t)o->count, sizeof *q.values),
                          device_room(d, (size_t)o->count, sizeof *q.past)};
    start_histogram(o, out);
    facts_count(out, "numbers", o->count);
    for (int how = SCALE_NONE; d->ok == STATUS_OK && how <= SCALE_MX; how++) {
        quantize(d, (enum scale)how, &q);
        judge(o, &q, 2 + how, facts[how], out);
    }
    free(q.values);
    free(q.past);
}
