/* Scales that let 8 bits do, on a device: none, one for the tensor, one for a block of 32. What is found has the names and the
 * order of the room `precision`. Proof: tests/unit/gpu/test_precision.c. */
#include <math.h>
#include <stdlib.h>

#include "precision_private.h"

enum scale { SCALE_NONE, SCALE_TENSOR, SCALE_MX }; /* as in kernels/shardlab.cl */

/* The device writes a byte of 0 or 1 where C keeps a bool. */
_Static_assert(sizeof(bool) == 1, "a bool is a byte");

static void quantize(struct device_run *d, enum scale how, const struct precision_quantized *q) {
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

void device_fp8_scale(struct device_run *d, struct facts *out) {
    static const char *const names[] = {"exponent", "count", "none_zero", "tensor_zero", "mx_zero"};
    static const char *const facts[3][4] = {
        {"none_zero", "none_past_max", "none_largest_error", "none_mean_error"},
        {"tensor_zero", "tensor_past_max", "tensor_largest_error", "tensor_mean_error"},
        {"mx_zero", "mx_past_max", "mx_largest_error", "mx_mean_error"}};
    const struct precision_options *o = d->o;
    struct precision_quantized q = {device_room(d, (size_t)o->count, sizeof *q.values),
                                    device_room(d, (size_t)o->count, sizeof *q.past)};
    int lowest = precision_histogram_start(o, names, out);
    for (uint64_t i = 0; i < o->count; i++) {
        out->point[precision_exponent(o->values[i]) - lowest][1]++;
    }
    facts_count(out, "numbers", o->count);
    for (int how = SCALE_NONE; d->ok == STATUS_OK && how <= SCALE_MX; how++) {
        quantize(d, (enum scale)how, &q);
        precision_quantized_judge(o, &q, 2 + how, facts[how], out);
    }
    free(q.values);
    free(q.past);
}
