/* What a GPU does for shardlab, in OpenCL C 1.2: the additions of a collective, the conversions between fp32 and the low
 * formats, and arithmetic in a low format. Built at run time by an OpenCL driver; kernels/cuda.h and clang make PTX of
 * the same text. No half-precision extension is assumed: formats are integers here, and rounding is integer arithmetic,
 * so that a device which flushes subnormals converts them all the same. Results are those of the room `num`, bit by
 * bit; proof: tests/unit/gpu/test_convert.c.
 * A format is told as (exponent bits, mantissa bits, flags). A work-item does one element; sizes are rounded up to whole
 * groups, so each looks whether it is wanted. */
#pragma OPENCL FP_CONTRACT OFF

enum { HAS_INF = 1, SATURATES = 2 };
enum { OP_SUM = 0, OP_MAX = 1 };

#define FLOAT_SIGN 0x80000000u
#define FLOAT_INF 0x7F800000u

/* --- Formats --- */

struct format {
    uint e, m, flags;
};

static struct format format_of(uint e, uint m, uint flags) {
    struct format f;
    f.e = e;
    f.m = m;
    f.flags = flags;
    return f;
}

static uint all_ones(struct format f) {
    return (1u << (f.e + f.m)) - 1u;
}

/* Magnitudes: a code without its sign. */
static uint largest(struct format f) {
    return (f.flags & HAS_INF) != 0 ? all_ones(f) - (1u << f.m) : all_ones(f) - 1u;
}

static uint not_a_number(struct format f) {
    return (f.flags & HAS_INF) != 0 ? largest(f) + 1u + (1u << (f.m - 1u)) : all_ones(f);
}

static uint limited(struct format f, uint magnitude) {
    if (magnitude <= largest(f)) {
        return magnitude;
    }
    if ((f.flags & SATURATES) != 0) {
        return largest(f);
    }
    return (f.flags & HAS_INF) != 0 ? largest(f) + 1u : not_a_number(f);
}

/* From the bits of a float, to nearest even. */
static uint encode(struct format f, uint bits) {
    uint sign = bits >> 31 << (f.e + f.m), magnitude = bits & ~FLOAT_SIGN;
    if (magnitude > FLOAT_INF) {
        return sign | not_a_number(f);
    }
    uint exponent = magnitude >> 23, significand = magnitude & 0x7FFFFFu;
    significand |= exponent > 0u ? 0x800000u : 0u;
    exponent = exponent > 0u ? exponent : 1u;
    uint lowest = 129u - (1u << (f.e - 1u)); /* the least exponent of the format, as a float has it */
    uint below = exponent < lowest ? lowest - exponent : 0u;
    uint shift = 23u - f.m + (below < 24u ? below : 24u);
    shift = shift < 31u ? shift : 31u;
    uint cut = significand & ((1u << shift) - 1u), half_step = 1u << (shift - 1u);
    uint kept = (significand >> shift) + ((exponent > lowest ? exponent - lowest : 0u) << f.m);
    kept += cut > half_step || (cut == half_step && (kept & 1u) != 0u) ? 1u : 0u;
    return sign | limited(f, kept);
}

/* To the bits of a float: exact. */
static uint decode(struct format f, uint code) {
    if (f.e == 8u) { /* the upper half of a float */
        return code << 16;
    }
    uint sign = code >> (f.e + f.m) << 31, magnitude = code & all_ones(f);
    if (magnitude > largest(f)) {
        bool inf = (f.flags & HAS_INF) != 0 && magnitude == largest(f) + 1u;
        return sign | (inf ? FLOAT_INF : 0x7FC00000u);
    }
    if (magnitude == 0u) {
        return sign;
    }
    uint exponent = magnitude >> f.m, mantissa = magnitude & ((1u << f.m) - 1u);
    uint rebias = 128u - (1u << (f.e - 1u));
    if (exponent == 0u) {
        exponent = 1u;
        while ((mantissa >> f.m) == 0u) {
            mantissa <<= 1;
            rebias--;
        }
        mantissa &= (1u << f.m) - 1u;
    }
    return sign | (exponent + rebias) << 23 | mantissa << (23u - f.m);
}

static float value_of(struct format f, uint code) {
    return as_float(decode(f, code));
}

/* --- Conversions --- */

__kernel void pack(__global const uint *values, ulong values_at, __global ushort *codes,
                   ulong codes_at, ulong count, uint e, uint m, uint flags) {
    ulong i = get_global_id(0);
    if (i < count) {
        codes[codes_at + i] = (ushort)encode(format_of(e, m, flags), values[values_at + i]);
    }
}

__kernel void unpack(__global const ushort *codes, ulong codes_at, __global uint *values,
                     ulong values_at, ulong count, uint e, uint m, uint flags) {
    ulong i = get_global_id(0);
    if (i < count) {
        values[values_at + i] = decode(format_of(e, m, flags), codes[codes_at + i]);
    }
}

/* --- Additions of a collective --- */

static float combined(float a, float b, uint op) {
    return op == OP_SUM ? a + b : a > b ? a : b;
}

__kernel void combine_fp32(__global float *into, ulong into_at, __global const float *from,
                           ulong from_at, ulong count, uint op) {
    ulong i = get_global_id(0);
    if (i < count) {
        into[into_at + i] = combined(into[into_at + i], from[from_at + i], op);
    }
}

/* A format of at most 16 bits: the sum in fp32, rounded once more. */
__kernel void combine_low(__global ushort *into, ulong into_at, __global const ushort *from,
                          ulong from_at, ulong count, uint op, uint e, uint m, uint flags) {
    ulong i = get_global_id(0);
    if (i < count) {
        struct format f = format_of(e, m, flags);
        float a = value_of(f, into[into_at + i]), b = value_of(f, from[from_at + i]);
        into[into_at + i] = (ushort)encode(f, as_uint(combined(a, b, op)));
    }
}

/* Sums are kept in fp32; what is added is in the low format. */
__kernel void add_wide(__global float *sums, ulong sums_at, __global const ushort *from,
                       ulong from_at, ulong count, uint e, uint m, uint flags) {
    ulong i = get_global_id(0);
    if (i < count) {
        sums[sums_at + i] += value_of(format_of(e, m, flags), from[from_at + i]);
    }
}
