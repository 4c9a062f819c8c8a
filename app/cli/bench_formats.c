/* `shardlab bench formats`: arrays of floats to fp16, bf16 and fp8 and back, by every path that this processor has (plain
 * C, AVX2, AVX-512), each beside the limit, a memcpy of as many bytes as are read and written, beside a careful loop with
 * branches, and beside NumPy and PyTorch where they are installed. One thread. Data are random over the exponents that the
 * types have: on repeated or sorted numbers a branch is guessed right, which flatters whoever has one. What is measured
 * against each other takes turns. That all paths agree is tested elsewhere. Proof: tests/cli/test_bench.c. */
#define _POSIX_C_SOURCE 200809L
#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "bench_formats_private.h"

const struct bench_conversion bench_conversions[BENCH_CONVERSIONS] = {
    {"fp32→fp16", NUM_FP16, true},  {"fp16→fp32", NUM_FP16, false}, {"fp32→bf16", NUM_BF16, true},
    {"bf16→fp32", NUM_BF16, false}, {"fp32→e4m3", NUM_E4M3, true},  {"e4m3→fp32", NUM_E4M3, false},
    {"fp32→e5m2", NUM_E5M2, true},  {"e5m2→fp32", NUM_E5M2, false},
};
const uint64_t bench_lengths[BENCH_LENGTHS] = {8 << 10, 1 << 20, 16 << 20};

enum { RUNS_MAX = 99 };
static const double sample_s = 200e-6; /* a sample lasts at least so long */

static double now(void) {
    struct timespec t;
    (void)clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static int compare(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Arrays of one length, and what is converted. */
struct bed {
    const struct bench_conversion *what;
    uint64_t elements;
    uint64_t code_bytes; /* of one */
    float *values, *back;
    void *codes;
    char *from, *to; /* for the limit */
    enum num_path path;
};

static bool is_byte(const struct bed *b) {
    return b->code_bytes == 1;
}

/* As frameworks convert to fp8: the largest number stands for whatever is larger. */
static struct num_packing packing(const struct bed *b) {
    bool saturates = is_byte(b);
    return (struct num_packing){b->what->type,
                                saturates ? NUM_OVERFLOW_SATURATE : NUM_OVERFLOW_INF};
}

static void convert(struct bed *b) {
    struct num_packing as = packing(b);
    size_t n = (size_t)b->elements;
    if (b->what->packs && is_byte(b)) {
        num_pack_bytes_on(b->path, &as, b->values, b->codes, n);
    } else if (b->what->packs) {
        num_pack_on(b->path, &as, b->values, b->codes, n);
    } else if (is_byte(b)) {
        num_unpack_bytes_on(b->path, as.type, b->codes, b->back, n);
    } else {
        num_unpack_on(b->path, as.type, b->codes, b->back, n);
    }
}

/* As many bytes are read and written together. */
static void copy(struct bed *b) {
    size_t bytes = (size_t)(b->elements * (sizeof(float) + b->code_bytes) / 2);
    memcpy(b->to, b->from, bytes);
    b->from[0] = b->to[bytes - 1]; /* the copy is wanted */
}

/* --- A careful loop: what one writes first --- */

static uint32_t bits_of(float value) {
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

static uint32_t careful_code(const struct num_format *f, bool saturates, uint32_t max_code,
                             float value) {
    uint32_t bits = bits_of(value), sign = (bits >> 31) << (f->bits - 1), magnitude;
    int exponent = (int)(bits >> 23 & 0xFF) - 127;
    uint32_t fraction = (bits & 0x7FFFFFU) | 0x800000U;
    if (exponent == 128 && (bits & 0x7FFFFFU) != 0) {
        return sign | (max_code + (f->specials == NUM_SPECIALS_IEEE ? 2 : 1)); /* a nan */
    }
    int lowest = 1 - f->bias;
    int cut = 23 - f->mantissa_bits + (exponent < lowest ? lowest - exponent : 0);
    if (cut > 24) {
        return sign;
    }
    uint32_t rest = fraction & ((1U << cut) - 1), half = 1U << (cut - 1);
    magnitude = fraction >> cut;
    if (exponent >= lowest) {
        magnitude += (uint32_t)(exponent - lowest) << f->mantissa_bits;
    }
    if (rest > half || (rest == half && (magnitude & 1) != 0)) {
        magnitude++;
    }
    if (exponent == 128 || magnitude > max_code) {
        magnitude = saturates ? max_code : max_code + 1;
    }
    return sign | magnitude;
}

static float careful_value(const struct num_format *f, uint32_t code) {
    uint32_t mantissa = code & ((1U << f->mantissa_bits) - 1);
    uint32_t top = (1U << f->exponent_bits) - 1;
    uint32_t exponent = code >> f->mantissa_bits & top;
    float value;
    if (exponent == top && f->specials == NUM_SPECIALS_IEEE) {
        value = mantissa == 0 ? INFINITY : NAN;
    } else if (exponent == 0) {
        value = ldexpf((float)mantissa, 1 - f->bias - f->mantissa_bits);
    } else {
        value = ldexpf((float)(mantissa | 1U << f->mantissa_bits),
                       (int)exponent - f->bias - f->mantissa_bits);
    }
    return code >> (f->bits - 1) != 0 ? -value : value;
}

static void careful(struct bed *b) {
    const struct num_format *f = num_format(b->what->type);
    struct num_limits limits = num_limits(b->what->type);
    uint16_t *words = b->codes;
    uint8_t *bytes = b->codes;
    for (uint64_t i = 0; i < b->elements; i++) {
        if (!b->what->packs) {
            b->back[i] = careful_value(f, is_byte(b) ? bytes[i] : words[i]);
            continue;
        }
        uint32_t code = careful_code(f, is_byte(b), limits.max_code, b->values[i]);
        if (is_byte(b)) {
            bytes[i] = (uint8_t)code;
        } else {
            words[i] = (uint16_t)code;
        }
    }
}

/* --- Time --- */

/* What takes turns, and its samples. */
struct turn {
    void (*call)(struct bed *);
    enum num_path path;
    int calls;
    double seconds[RUNS_MAX];
};

static double time_of(struct bed *b, const struct turn *t, int calls) {
    double begin = now();
    b->path = t->path;
    for (int i = 0; i < calls; i++) {
        t->call(b);
    }
    return (now() - begin) / calls;
}

static void take_turns(struct bed *b, struct turn *turns, int count, int runs) {
    for (int k = 0; k < count; k++) { /* the first warms up, and tells how many make a sample */
        double once = time_of(b, &turns[k], 1);
        turns[k].calls = once < sample_s ? 1 + (int)(sample_s / (once + 1e-9)) : 1;
    }
    for (int i = 0; i < runs; i++) {
        for (int k = 0; k < count; k++) {
            turns[k].seconds[i] = time_of(b, &turns[k], turns[k].calls);
        }
    }
    for (int k = 0; k < count; k++) {
        qsort(turns[k].seconds, (size_t)runs, sizeof turns[k].seconds[0], compare);
    }
}

enum { LIMIT, CAREFUL, FIRST_PATH };

static void add_figures(struct bench_formats *all, struct bed *b, int conversion, int length,
                        int runs) {
    struct turn turns[FIRST_PATH + NUM_PATHS] = {{copy, NUM_PATH_BEST, 0, {0}},
                                                 {careful, NUM_PATH_BEST, 0, {0}}};
    int count = FIRST_PATH;
    for (enum num_path path = NUM_PATH_PLAIN; path < NUM_PATHS; path++) {
        if (num_path_has(path)) {
            turns[count++] = (struct turn){convert, path, 0, {0}};
        }
    }
    b->what = &bench_conversions[conversion];
    b->code_bytes = num_format(b->what->type)->bits <= 8 ? 1 : 2;
    take_turns(b, turns, count, runs);
    for (int k = FIRST_PATH; k < count; k++) {
        assert(all->count < BENCH_FORMATS_MAX);
        struct bench_format *f = &all->figures[all->count++];
        *f = (struct bench_format){.conversion = conversion,
                                   .path = turns[k].path,
                                   .elements = b->elements,
                                   .time_s = turns[k].seconds[runs / 2],
                                   .least_s = turns[k].seconds[0],
                                   .most_s = turns[k].seconds[runs - 1],
                                   .limit_s = turns[LIMIT].seconds[runs / 2],
                                   .scalar_s = turns[CAREFUL].seconds[runs / 2]};
        for (int l = 0; l < BENCH_LIBRARIES; l++) {
            f->library_s[l] = all->library_s[l][conversion][length];
        }
    }
}

/* Both signs, exponents from below fp16's smallest numbers to above its largest. */
static void fill(struct bed *b) {
    uint64_t state = 20;
    for (uint64_t i = 0; i < b->elements; i++) {
        state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
        uint32_t exponent = 127 - 28 + (uint32_t)(state >> 33) % 45;
        uint32_t bits = (uint32_t)(state >> 32 & 0x80000000U) | exponent << 23 |
                        (uint32_t)(state >> 20 & 0x7FFFFFU);
        memcpy(&b->values[i], &bits, sizeof bits);
    }
}

static bool open_bed(struct bed *b, uint64_t elements) {
    size_t bytes = (size_t)elements * sizeof(float);
    *b = (struct bed){.elements = elements,
                      .values = malloc(bytes),
                      .back = calloc(1, bytes),
                      .codes = calloc(2, (size_t)elements),
                      .from = calloc(1, bytes),
                      .to = calloc(1, bytes)};
    bool ok = b->values != NULL && b->back != NULL && b->codes != NULL && b->from != NULL &&
              b->to != NULL;
    if (ok) {
        fill(b);
    }
    return ok;
}

static void close_bed(struct bed *b) {
    free(b->values);
    free(b->back);
    free(b->codes);
    free(b->from);
    free(b->to);
}

enum status cli_bench_formats(struct bench_formats *all, int runs, uint64_t largest,
                              struct message *why) {
    int lengths = 1;
    assert(runs >= 1 && runs <= RUNS_MAX);
    while (lengths < BENCH_LENGTHS && bench_lengths[lengths] <= largest) {
        lengths++;
    }
    bench_formats_libraries(all, runs, lengths);
    for (int i = 0; i < lengths; i++) {
        struct bed bed;
        bool memory = open_bed(&bed, bench_lengths[i]);
        for (int c = 0; memory && c < BENCH_CONVERSIONS; c++) {
            add_figures(all, &bed, c, i, runs);
        }
        close_bed(&bed);
        if (!memory) {
            message_start(why, "error.memory");
            return STATUS_FAILED;
        }
    }
    return STATUS_OK;
}
