/* Values of a trial and the judgement of its results. Sums are compared with sums in binary64. The bound is the usual one of
 * rounding analysis: k rounded additions on the longest way into a sum leave an error of at most ((1+u)^k − 1)·Σ|x|, u half
 * the type's epsilon (Higham, "Accuracy and Stability of Numerical Algorithms", 2002, section 4.2). What only moves is
 * compared bit by bit, which the same comparison does with a bound of 0. Proof: tests/unit/ranks/test_trial.c. */
#include <math.h>
#include <string.h>

#include "shardlab/num/convert.h"
#include "trial_private.h"

/* splitmix64, counter-based: every element can be had without those before it. */
static uint64_t mix(uint64_t z) {
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

static uint64_t stream_of(uint64_t seed, uint32_t rank) {
    return mix(mix(seed + UINT64_C(0x9e3779b97f4a7c15)) + rank);
}

static float value_in(uint64_t stream, uint64_t element) {
    uint64_t bits = mix(stream + (element + 1) * UINT64_C(0x9e3779b97f4a7c15));
    return (float)(bits >> 40) * 0x1p-23F - 1.0F;
}

float ranks_trial_value(uint64_t seed, uint32_t rank, uint64_t element) {
    return value_in(stream_of(seed, rank), element);
}

static float decode(enum ranks_type type, const void *buffer, uint64_t i) {
    uint16_t code;
    float value;
    if (type == RANKS_FP32) {
        memcpy(&value, (const unsigned char *)buffer + 4 * i, sizeof value);
        return value;
    }
    memcpy(&code, (const unsigned char *)buffer + 2 * i, sizeof code);
    return type == RANKS_FP16 ? num_float_of_fp16(code) : num_float_of_bf16(code);
}

static uint16_t encode(enum ranks_type type, float value) {
    return type == RANKS_FP16 ? num_fp16_of_float(value) : num_bf16_of_float(value);
}

static float rounded(enum ranks_type type, float value) {
    if (type == RANKS_FP32) {
        return value;
    }
    uint16_t code = encode(type, value);
    return decode(type, &code, 0);
}

void trial_fill(const struct ranks_trial_options *o, uint32_t rank, void *buffer) {
    uint64_t stream = stream_of(o->seed, rank);
    float *floats = buffer;
    uint16_t *codes = buffer;
    for (uint64_t i = 0; i < o->job.elements; i++) {
        if (o->type == RANKS_FP32) {
            floats[i] = value_in(stream, i);
        } else {
            codes[i] = encode(o->type, value_in(stream, i));
        }
    }
}

void trial_defined(const struct coll_job *job, uint32_t rank, uint64_t *first, uint64_t *count) {
    *first = 0;
    *count = job->elements;
    if (job->collective == COLL_REDUCE_SCATTER) {
        coll_chunk(job, rank, first, count);
    }
}

uint64_t trial_hash(const void *bytes, size_t count) {
    const unsigned char *at = bytes;
    uint64_t hash = count;
    for (; count >= 8; count -= 8, at += 8) {
        uint64_t word;
        memcpy(&word, at, sizeof word);
        hash = mix(hash ^ word);
    }
    for (; count > 0; count--, at++) {
        hash = mix(hash ^ *at);
    }
    return hash;
}

uint64_t trial_hash_join(uint64_t before, uint64_t of_rank) {
    return before * UINT64_C(0x9e3779b97f4a7c15) + of_rank;
}

/* --- Judgement --- */

/* The exact value of one element and the sum of magnitudes that its bound is made from. */
struct exact {
    double value, magnitude;
};

static struct exact combine_all(const struct ranks_trial_options *o, const uint64_t *streams,
                                uint64_t i) {
    struct exact x = {0, 0};
    for (uint32_t r = 0; r < o->job.ranks; r++) {
        double value = (double)rounded(o->type, value_in(streams[r], i));
        bool first = r == 0;
        x.value = o->op == RANKS_OP_SUM ? x.value + value : first ? value : fmax(x.value, value);
        x.magnitude += fabs(value);
    }
    return x;
}

/* Whose value element i of `rank` is, and which, where nothing is added. */
static double moved(const struct ranks_trial_options *o, const uint64_t *streams, uint32_t rank,
                    uint64_t i) {
    const struct coll_job *job = &o->job;
    uint32_t from = 0;
    uint64_t at = i;
    if (job->collective == COLL_ALL_GATHER) {
        uint64_t each = job->elements / job->ranks, longer = job->elements % job->ranks;
        uint64_t in_longer = longer * (each + 1);
        from = (uint32_t)(i < in_longer ? i / (each + 1) : longer + (i - in_longer) / each);
    } else if (job->collective == COLL_ALL_TO_ALL) {
        uint64_t each = job->elements / job->ranks;
        from = (uint32_t)(i / each);
        at = rank * each + i % each;
    }
    return (double)rounded(o->type, value_in(streams[from], at));
}

/* How many times the longest way into a sum is rounded to the type, and how many additions are on it. */
static void roundings(const struct ranks_trial_options *o, double *to_type, double *additions) {
    uint32_t n = o->job.ranks, power = coll_power_below(n);
    switch (o->job.algorithm) {
    case COLL_TREE:
        *additions = coll_log_up(n);
        break;
    case COLL_HALVING_DOUBLING:
        *additions = coll_log_up(power) + (power < n ? 1 : 0);
        break;
    default:
        *additions = n - 1;
    }
    bool once = o->job.algorithm == COLL_NAIVE || o->job.algorithm == COLL_DIRECT;
    *to_type = o->wide && o->type != RANKS_FP32 && once && n > 1 ? 1 : *additions;
}

/* Relative to Σ|x|. */
static double relative_bound(const struct ranks_trial_options *o) {
    static const double half_step[RANKS_TYPES] = {0x1p-24, 0x1p-11, 0x1p-8};
    double to_type, additions;
    bool reduces = o->job.collective == COLL_ALL_REDUCE || o->job.collective == COLL_REDUCE_SCATTER;
    if (!reduces || o->op != RANKS_OP_SUM) {
        return 0;
    }
    roundings(o, &to_type, &additions);
    double in_fp32 = o->type == RANKS_FP32 ? 0 : additions * log1p(0x1p-24);
    double in_reference = o->job.ranks * 0x1p-53;
    return expm1(to_type * log1p(half_step[o->type]) + in_fp32) + in_reference;
}

static void judge_element(struct ranks_trial *t, double got, struct exact exact, double relative) {
    double error = fabs(got - exact.value), bound = relative * exact.magnitude;
    t->error_bound = bound > t->error_bound ? bound : t->error_bound;
    t->max_abs_error = error <= t->max_abs_error ? t->max_abs_error : error; /* a nan stays */
    t->within = t->within && error <= bound;
}

void trial_judge(const struct trial_run *run, const unsigned char *shared) {
    const struct ranks_trial_options *o = run->options;
    const struct coll_job *job = &o->job;
    bool moves = job->collective >= COLL_ALL_GATHER;
    double relative = relative_bound(o);
    uint64_t streams[COLL_RANKS_MAX];
    run->trial->within = true;
    for (uint32_t r = 0; r < job->ranks; r++) {
        streams[r] = stream_of(o->seed, r);
    }
    for (uint64_t i = 0; i < job->elements; i++) {
        struct exact exact = moves ? (struct exact){0, 0} : combine_all(o, streams, i);
        for (uint32_t r = 0; r < job->ranks; r++) {
            uint64_t first, count;
            trial_defined(job, r, &first, &count);
            if (i < first || i - first >= count) {
                continue;
            }
            exact.value = moves ? moved(o, streams, r, i) : exact.value;
            const void *result = shared + run->places.output + r * run->places.buffer_stride;
            judge_element(run->trial, (double)decode(o->type, result, i), exact, relative);
        }
    }
}
