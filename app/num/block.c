/* Scales for blocks of numbers and the elements under them, as block.h defines them. The arrays are the caller's and
 * nothing is kept. Left out: how scales are laid out in memory for a tensor core, and scaling by history (delayed).
 * Proof: tests/unit/num/test_block.c. */
#include "shardlab/num/block.h"

#include <assert.h>
#include <math.h>

enum { MX_BLOCK = 32, NVFP4_BLOCK = 16 };

static const struct block_kind {
    const char *name;
    size_t size;
    enum num_type scale;
} kinds[NUM_BLOCK_KINDS] = {
    [NUM_BLOCK_MX] = {"mx", MX_BLOCK, NUM_E8M0},
    [NUM_BLOCK_NVFP4] = {"nvfp4", NVFP4_BLOCK, NUM_E4M3},
    [NUM_BLOCK_TENSOR] = {"tensor", 0, NUM_FP32},
};

const char *num_block_name(enum num_block_kind kind) {
    return kinds[kind].name;
}

size_t num_block_size(enum num_block_kind kind) {
    return kinds[kind].size;
}

enum num_type num_block_scale_type(enum num_block_kind kind) {
    return kinds[kind].scale;
}

size_t num_block_count(enum num_block_kind kind, size_t count) {
    size_t size = kinds[kind].size;
    return size == 0 ? 1 : count / size + (count % size != 0 ? 1 : 0);
}

bool num_block_takes(enum num_block_kind kind, enum num_type element) {
    const struct num_format *f = num_format(element);
    bool narrow = f->bits <= 8 && f->sign_bits > 0;
    switch (kind) {
    case NUM_BLOCK_NVFP4:
        return element == NUM_E2M1;
    case NUM_BLOCK_TENSOR: /* a wider range than fp16's leaves no scale to choose */
        return narrow || element == NUM_FP16;
    case NUM_BLOCK_MX:
    case NUM_BLOCK_KINDS:
        break;
    }
    return narrow;
}

double num_block_bits(enum num_block_kind kind, enum num_type element) {
    double share = kind == NUM_BLOCK_TENSOR
                       ? 0.0
                       : (double)num_format(kinds[kind].scale)->bits / (double)kinds[kind].size;
    return num_format(element)->bits + share;
}

/* The largest magnitude; nan when one of them is not finite. */
static double amax_of(const double *values, size_t count) {
    double most = 0.0;
    for (size_t i = 0; i < count; i++) {
        if (!isfinite(values[i])) {
            return (double)NAN;
        }
        most = fmax(most, fabs(values[i]));
    }
    return most;
}

static uint32_t encoded(enum num_type type, double value) {
    struct num_rounding nearest = {NUM_MODE_NEAREST, NUM_OVERFLOW_SATURATE, 0};
    return num_encode(type, value, nearest).code;
}

/* As fp32, never 0: a scale divides. */
static uint32_t fp32_scale(double wanted) {
    uint32_t code = encoded(NUM_FP32, wanted);
    return code == 0 ? 1 : code;
}

/* 2^(floor(log2 amax) − emax) within what e8m0 holds; zeros need no scale and get the smallest. */
static uint32_t mx_scale(enum num_type element, double amax) {
    if (isnan(amax)) {
        return encoded(NUM_E8M0, amax);
    }
    int floor_log2 = 0, emax = 0;
    (void)frexp(num_limits(element).max, &emax);
    (void)frexp(amax, &floor_log2);
    return encoded(NUM_E8M0, amax > 0 ? ldexp(1.0, floor_log2 - emax) : 0.0);
}

static uint32_t scale_of(const struct num_block *block, double amax) {
    double element_max = num_limits(block->element).max;
    switch (block->kind) {
    case NUM_BLOCK_NVFP4:
        return encoded(NUM_E4M3, amax / element_max / block->tensor_scale);
    case NUM_BLOCK_TENSOR:
        return amax > 0 || isnan(amax) ? fp32_scale(amax / element_max) : encoded(NUM_FP32, 1.0);
    case NUM_BLOCK_MX:
    case NUM_BLOCK_KINDS:
        break;
    }
    return mx_scale(block->element, amax);
}

static double tensor_scale_of(const struct num_block *block, const double *values, size_t count) {
    double amax = block->kind == NUM_BLOCK_NVFP4 ? amax_of(values, count) : 0.0;
    if (!(amax > 0) && !isnan(amax)) {
        return 1.0;
    }
    double largest = num_limits(block->element).max * num_limits(NUM_E4M3).max;
    return num_decode(NUM_FP32, fp32_scale(amax / largest));
}

/* One number under a scale that is not nan. */
static double element_encode(struct num_block *block, size_t i, double value, double scale) {
    struct num_rounding nearest = {NUM_MODE_NEAREST, NUM_OVERFLOW_SATURATE, 0};
    bool lost = !(scale > 0); /* a block so small beside the tensor that its scale is 0 */
    struct num_encoded e = num_encode(block->element, lost ? 0.0 * value : value / scale, nearest);
    if (block->codes != NULL) {
        block->codes[i] = e.code;
    }
    if (block->saturated != NULL) {
        block->saturated[i] = e.saturated;
    }
    return num_decode(block->element, e.code) * scale;
}

/* One number of a block that is not finite. */
static double element_lost(struct num_block *block, size_t i) {
    struct num_rounding nearest = num_rounding_of(block->element);
    if (block->codes != NULL) {
        block->codes[i] = num_encode(block->element, (double)NAN, nearest).code;
    }
    if (block->saturated != NULL) {
        block->saturated[i] = false;
    }
    return (double)NAN;
}

void num_block_encode(struct num_block *block, const double *values, size_t count) {
    assert(num_block_takes(block->kind, block->element) && count > 0);
    size_t size = kinds[block->kind].size > 0 ? kinds[block->kind].size : count;
    double squares = 0.0;
    block->max_abs_error = 0.0;
    block->tensor_scale = tensor_scale_of(block, values, count);
    for (size_t first = 0, b = 0; first < count; first += size, b++) {
        size_t end = count - first < size ? count : first + size;
        uint32_t code = scale_of(block, amax_of(values + first, end - first));
        double scale = num_decode(kinds[block->kind].scale, code);
        if (block->scale_codes != NULL) {
            block->scale_codes[b] = code;
        }
        if (block->scales != NULL) {
            block->scales[b] = scale;
        }
        for (size_t i = first; i < end; i++) {
            double value = isnan(scale)
                               ? element_lost(block, i)
                               : element_encode(block, i, values[i], scale * block->tensor_scale);
            double error = value - values[i];
            if (block->values != NULL) {
                block->values[i] = value;
            }
            bool unknown = isnan(error) || isnan(block->max_abs_error);
            block->max_abs_error = unknown ? (double)NAN : fmax(block->max_abs_error, fabs(error));
            squares += error * error;
        }
    }
    block->rms_error = sqrt(squares / (double)count);
}
