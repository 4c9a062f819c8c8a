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

/* --- Arithmetic in a low format, as the room `precision` does it: binary64, then one rounding --- */

#ifdef cl_khr_fp64
#pragma OPENCL EXTENSION cl_khr_fp64 : enable

enum { OP_ROUND = 0, OP_ADD = 1, OP_MULTIPLY = 2, OP_DIVIDE = 3, OP_EXP = 4 };

#define DOUBLE_SIGN 0x8000000000000000ul
#define DOUBLE_INF 0x7FF0000000000000ul

struct arithmetic {
    struct format f;
    bool stochastic;
    ulong random;
    ulong past_max; /* results that passed the largest number, as numbers */
};

static struct arithmetic arithmetic_of(uint e, uint m, uint flags) {
    struct arithmetic a;
    a.f = format_of(e, m, flags);
    a.stochastic = false;
    a.random = 0;
    a.past_max = 0;
    return a;
}

static double number_of(struct format f, uint magnitude) {
    if (magnitude > largest(f)) {
        bool inf = (f.flags & HAS_INF) != 0 && magnitude == largest(f) + 1u;
        return as_double(inf ? DOUBLE_INF : 0x7FF8000000000000ul);
    }
    ulong exponent = magnitude >> f.m, mantissa = magnitude & ((1u << f.m) - 1u);
    ulong rebias = 1024ul - (1ul << (f.e - 1u));
    if (exponent == 0) {
        return (double)mantissa * as_double((rebias + 1ul - f.m) << 52);
    }
    return as_double((exponent + rebias) << 52 | mantissa << (52u - f.m));
}

static bool goes_up(const struct arithmetic *a, ulong kept, ulong significand, ulong shift) {
    if (a->stochastic) {
        if (shift >= 64) {
            return shift < 128 && a->random < significand >> (shift - 64);
        }
        return a->random < significand << (64 - shift);
    }
    if (shift > 53) {
        return false;
    }
    ulong cut = significand & ((1ul << shift) - 1), half_step = 1ul << (shift - 1);
    return cut > half_step || (cut == half_step && (kept & 1) != 0);
}

static double low(struct arithmetic *a, double x) {
    ulong bits = as_ulong(x), sign = bits & DOUBLE_SIGN, magnitude = bits & ~DOUBLE_SIGN;
    struct format f = a->f;
    if (magnitude > DOUBLE_INF) {
        return x;
    }
    uint rounded = largest(f) + 1u;
    if (magnitude < DOUBLE_INF) {
        ulong exponent = magnitude >> 52, significand = magnitude & 0xFFFFFFFFFFFFFul;
        significand |= exponent > 0 ? 1ul << 52 : 0;
        exponent = exponent > 0 ? exponent : 1;
        ulong lowest = 1025ul - (1ul << (f.e - 1u));
        ulong shift = 52 - f.m + (exponent < lowest ? lowest - exponent : 0);
        ulong kept = shift < 64 ? significand >> shift : 0;
        kept += (exponent > lowest ? exponent - lowest : 0) << f.m;
        kept += goes_up(a, kept, significand, shift) ? 1 : 0;
        rounded = kept <= largest(f) ? (uint)kept : rounded;
    }
    if (rounded > largest(f)) {
        a->past_max += magnitude < DOUBLE_INF || (f.flags & SATURATES) != 0 ? 1 : 0;
        rounded = limited(f, rounded);
    }
    return as_double(sign | as_ulong(number_of(f, rounded)));
}

/* e^x with an error far below half a step of any format of 16 bits, and the same on every device: x = k ln 2 + r, a
 * Taylor sum of r, times 2^k. */
static double exponential(double x) {
    if (x > 709.0 || x < -745.0 || x != x) {
        return x > 0 ? as_double(DOUBLE_INF) : x < 0 ? 0.0 : x;
    }
    int k = (int)(x * 1.4426950408889634 + (x < 0 ? -0.5 : 0.5));
    double r = x - k * 6.93147180369123816490e-01;
    r = r - k * 1.90821492927058770002e-10;
    double sum = 1.0;
    for (int n = 17; n > 0; n--) {
        sum = 1.0 + r * sum / n;
    }
    int half_way = k / 2;
    sum *= as_double((ulong)(half_way + 1023) << 52);
    return sum * as_double((ulong)(k - half_way + 1023) << 52);
}

static double operate(double x, double y, uint op) {
    switch (op) {
    case OP_ADD:
        return x + y;
    case OP_MULTIPLY:
        return x * y;
    case OP_DIVIDE:
        return x / y;
    case OP_EXP:
        return exponential(x);
    default:
        return x;
    }
}

/* past[i]: the result passed the largest number. */
__kernel void arithmetic(__global double *out, __global uchar *past, __global const double *x,
                         __global const double *y, ulong count, uint op, uint e, uint m,
                         uint flags) {
    ulong i = get_global_id(0);
    if (i < count) {
        struct arithmetic a = arithmetic_of(e, m, flags);
        out[i] = low(&a, operate(x[i], y[i], op));
        past[i] = (uchar)(a.past_max > 0 ? 1 : 0);
    }
}

static bool is_shown(ulong at, ulong count, ulong every) {
    return at % every == 0 || at == count;
}

/* start + term + term + …: out[0] the sum, out[1] additions that changed it, out[2] …: the sum where it is shown. */
__kernel void running_sum(__global double *out, ulong count, ulong every, double start,
                          double term, uint e, uint m, uint flags) {
    if (get_global_id(0) > 0) {
        return;
    }
    struct arithmetic a = arithmetic_of(e, m, flags);
    double sum = start;
    ulong changed = 0, shown = 2;
    for (ulong n = 1; n <= count; n++) {
        double next = low(&a, sum + term);
        bool nan_again = next != next && sum != sum;
        changed += nan_again || next == sum ? 0 : 1;
        sum = next;
        if (is_shown(n, count, every)) {
            out[shown++] = sum;
        }
    }
    out[0] = sum;
    out[1] = (double)changed;
}

static ulong random_bits(ulong seed, ulong trial, ulong step) {
    ulong z = seed + (1ul + (trial << 32) + step) * 0x9E3779B97F4A7C15ul;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ul;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBul;
    return z ^ (z >> 31);
}

/* A work-item a weight; out[point · trials + trial] where it is shown. */
__kernel void stochastic_updates(__global double *out, ulong trials, ulong count, ulong every,
                                 ulong seed, double start, double term, uint e, uint m,
                                 uint flags) {
    ulong trial = get_global_id(0), shown = 0;
    if (trial >= trials) {
        return;
    }
    struct arithmetic a = arithmetic_of(e, m, flags);
    a.stochastic = true;
    double weight = start;
    for (ulong n = 1; n <= count; n++) {
        a.random = random_bits(seed, trial, n - 1);
        weight = low(&a, weight + term);
        if (is_shown(n, count, every)) {
            out[shown++ * trials + trial] = weight;
        }
    }
}

/* One logit and `others` zeros, all less `shift`: exp, sum, share of the first, share of another. */
__kernel void softmax(__global double *out, __global const double *logits,
                      __global const double *shifts, ulong count, ulong others, uint e, uint m,
                      uint flags) {
    ulong i = get_global_id(0);
    if (i >= count) {
        return;
    }
    struct arithmetic a = arithmetic_of(e, m, flags);
    double first = low(&a, exponential(low(&a, logits[i] - shifts[i])));
    double other = low(&a, exponential(low(&a, 0.0 - shifts[i])));
    double sum = first;
    for (ulong n = 0; n < others; n++) {
        sum = low(&a, sum + other);
    }
    out[4 * i] = first;
    out[4 * i + 1] = sum;
    out[4 * i + 2] = low(&a, first / sum);
    out[4 * i + 3] = low(&a, other / sum);
}

/* The first step of Adam, β1 0.9 and β2 0.999, in units of the learning rate. */
__kernel void adam(__global double *out, __global const double *gradients, ulong count,
                   double epsilon, uint e, uint m, uint flags) {
    ulong i = get_global_id(0);
    if (i >= count) {
        return;
    }
    struct arithmetic a = arithmetic_of(e, m, flags);
    double c1 = low(&a, 0.1), c2 = low(&a, 0.001), g = gradients[i];
    double mean = low(&a, c1 * g);
    double square = low(&a, c2 * low(&a, g * g));
    double root = low(&a, sqrt(low(&a, square / c2)));
    out[i] = low(&a, low(&a, mean / c1) / low(&a, root + low(&a, epsilon)));
}

/* floor(log2 x) of a positive number that is no subnormal. */
static int exponent_of(double x) {
    return (int)(as_ulong(x) >> 52 & 0x7FFul) - 1023;
}

enum { SCALE_NONE = 0, SCALE_FP32 = 1, SCALE_POWER = 2 };

static double scale_for(double amax, double most, uint how) {
    if (how == SCALE_NONE || (how == SCALE_FP32 && !(amax > 0))) {
        return 1.0;
    }
    if (how == SCALE_FP32) {
        struct arithmetic fp32 = arithmetic_of(8, 23, HAS_INF | SATURATES);
        double scale = low(&fp32, amax / most);
        return scale > 0 ? scale : number_of(fp32.f, 1);
    }
    int power = amax > 0 ? exponent_of(amax) - exponent_of(most) : -127;
    power = power < -127 ? -127 : power > 127 ? 127 : power;
    return as_double((ulong)(power + 1023) << 52);
}

/* A work-item a block of `size` numbers under one scale: what is read back, and which passed the largest number `most`. */
__kernel void scaled_blocks(__global double *out, __global uchar *past, __global const double *x,
                            ulong count, ulong size, uint how, double most, uint e, uint m,
                            uint flags) {
    ulong first = get_global_id(0) * size;
    double amax = 0;
    if (first >= count) {
        return;
    }
    ulong end = count - first < size ? count : first + size;
    for (ulong i = first; i < end; i++) {
        double magnitude = x[i] < 0 ? -x[i] : x[i];
        amax = magnitude > amax ? magnitude : amax;
    }
    double scale = scale_for(amax, most, how);
    for (ulong i = first; i < end; i++) {
        struct arithmetic a = arithmetic_of(e, m, flags);
        out[i] = low(&a, x[i] / scale) * scale;
        past[i] = (uchar)(a.past_max > 0 ? 1 : 0);
    }
}
#endif
