/* The numbers inside the words of the lesson on data parallelism: {{sent}}, {{exposed}}. All from the calculators with the
 * learner's scenario, at ZeRO stage 0; what is not determined is a dash. Also what r runs on page 2. Writes into the
 * caller's writer. Proof: tests/unit/lessons/test_data_parallel.c. */
#include <math.h>

#include "../value_private.h"
#include "../what_if_private.h"
#include "data_parallel_private.h"

#include "shardlab/base/units.h"
#include "shardlab/calc/collective.h"
#include "shardlab/calc/memory.h"

/* --- What r runs --- */

bool data_trial_of(const struct scenario *s, struct gradient_trial *out) {
    return gradient_trial_of(s, s->recipe.grad_bytes == 4 ? 4 : 2, out);
}

static bool write_trial_elements(const struct lesson_input *in, int a, struct writer *w) {
    struct gradient_trial trial;
    (void)a;
    if (!data_trial_of(in->now, &trial)) {
        return false;
    }
    writer_u64_grouped(w, trial.elements);
    return true;
}

static bool write_trial_divisor(const struct lesson_input *in, int a, struct writer *w) {
    struct gradient_trial trial;
    (void)a;
    if (!data_trial_of(in->now, &trial)) {
        return false;
    }
    writer_u64_grouped(w, trial.divisor);
    return true;
}

/* --- From the scenario --- */

enum { MANY = 64 };

static bool write_ranks(const struct lesson_input *in, int a, struct writer *w) {
    (void)a;
    writer_u64(w, in->now->layout.dp);
    return true;
}

/* A number of ranks that the words compare with. */
static bool write_number(const struct lesson_input *in, int a, struct writer *w) {
    (void)in;
    writer_u64(w, (uint64_t)a);
    return true;
}

static bool write_total(const struct lesson_input *in, int a, struct writer *w) {
    struct calc_memory memory;
    struct message why;
    (void)a;
    if (calc_memory_worst(in->now, &memory, &why) != STATUS_OK) {
        return false;
    }
    value_bytes(w, memory.total_bytes);
    return true;
}

/* Weights, gradients and optimizer states of one GPU. */
static bool write_states(const struct lesson_input *in, int a, struct writer *w) {
    struct calc_memory memory;
    struct message why;
    (void)a;
    if (calc_memory_worst(in->now, &memory, &why) != STATUS_OK || memory.phases) {
        return false;
    }
    value_bytes(w, memory.part_bytes[CALC_PART_WEIGHTS] + memory.part_bytes[CALC_PART_GRADIENTS] +
                       memory.part_bytes[CALC_PART_OPTIMIZER]);
    return true;
}

static bool write_message(const struct lesson_input *in, int a, struct writer *w) {
    uint64_t bytes = 0;
    (void)a;
    if (!data_message_bytes(in->now, &bytes)) {
        return false;
    }
    value_bytes(w, bytes);
    return true;
}

enum when { ONCE, EVERY };

static bool traffic_when(const struct scenario *s, int when, struct data_traffic *out) {
    struct scenario other = *s;
    return what_if_set(&other, "reduce", when == EVERY ? "every" : "boundary") &&
           data_traffic_at(&other, 0, 0, out);
}

/* One sum of the gradients, as at the last micro-batch. */
static bool write_sent(const struct lesson_input *in, int a, struct writer *w) {
    struct data_traffic traffic;
    (void)a;
    if (!traffic_when(in->now, ONCE, &traffic)) {
        return false;
    }
    value_bytes(w, traffic.total_bytes);
    return true;
}

/* What an infinite number of ranks would send: the gradients twice. */
static bool write_limit(const struct lesson_input *in, int a, struct writer *w) {
    uint64_t bytes = 0;
    (void)a;
    if (!data_message_bytes(in->now, &bytes)) {
        return false;
    }
    value_bytes(w, 2 * bytes);
    return true;
}

/* Gradients' worth that a rank of `a` sends: 2(N−1)/N. */
static bool write_factor(const struct lesson_input *in, int a, struct writer *w) {
    uint32_t ranks = a > 0 ? (uint32_t)a : (uint32_t)in->now->layout.dp; /* at most 2^20 */
    value_real(w, calc_exchange_bus_factor(CALC_EXCHANGE_ALL_REDUCE, ranks), 3);
    return true;
}

static bool write_when(const struct lesson_input *in, int when, struct writer *w) {
    struct data_traffic traffic;
    if (!traffic_when(in->now, when, &traffic)) {
        return false;
    }
    value_bytes(w, traffic.total_bytes);
    return true;
}

static bool write_micro_batches(const struct lesson_input *in, int a, struct writer *w) {
    (void)a;
    writer_u64(w, in->now->batch.micro_batches);
    return true;
}

enum seconds { SECONDS_BACKWARD, SECONDS_SUM, SECONDS_EXPOSED };

static bool write_time(const struct lesson_input *in, int which, struct writer *w) {
    struct data_traffic traffic;
    double seconds = 0;
    if (!traffic_when(in->now, ONCE, &traffic)) {
        return false;
    }
    bool known = which == SECONDS_BACKWARD ? data_backward_s(in->now, &seconds)
                 : which == SECONDS_SUM    ? traffic.time_known
                                           : traffic.exposed_known;
    if (!known) {
        return false;
    }
    seconds = which == SECONDS_BACKWARD ? seconds
              : which == SECONDS_SUM    ? traffic.time_s
                                        : traffic.exposed_s;
    value_seconds(w, seconds);
    return true;
}

/* Among `a` ranks; 0: among the learner's. Rounded up, since that many are enough. */
static bool write_tokens_to_hide(const struct lesson_input *in, int a, struct writer *w) {
    double tokens = 0;
    if (!data_tokens_to_hide(in->now, (uint64_t)a, &tokens)) {
        return false;
    }
    writer_u64_grouped(w, (uint64_t)ceil(tokens));
    return true;
}

static bool write_tokens(const struct lesson_input *in, int a, struct writer *w) {
    struct data_weights weights;
    (void)a;
    if (!data_weights_of(in, &weights)) {
        return false;
    }
    writer_u64_grouped(w, weights.full_tokens);
    return true;
}

enum weight { SHORT_TOKENS, FULL_TOKENS, SHORT_WEIGHT, FULL_WEIGHT };

static bool write_weight(const struct lesson_input *in, int which, struct writer *w) {
    struct data_weights weights;
    if (!data_weights_of(in, &weights)) {
        return false;
    }
    if (which == SHORT_TOKENS || which == FULL_TOKENS) {
        writer_u64_grouped(w, which == SHORT_TOKENS ? weights.short_tokens : weights.full_tokens);
    } else {
        value_real(w, which == SHORT_WEIGHT ? weights.short_weight : weights.full_weight, 2);
    }
    return true;
}

static const struct value_row rows[] = {
    {"ranks", write_ranks, 0},
    {"total", write_total, 0},
    {"states", write_states, 0},
    {"message", write_message, 0},
    {"sent", write_sent, 0},
    {"limit", write_limit, 0},
    {"factor", write_factor, 0},
    {"many", write_number, MANY},
    {"factor_many", write_factor, MANY},
    {"run_elements", write_trial_elements, 0},
    {"run_divisor", write_trial_divisor, 0},
    {"once", write_when, ONCE},
    {"every", write_when, EVERY},
    {"micro_batches", write_micro_batches, 0},
    {"backward", write_time, SECONDS_BACKWARD},
    {"reduce", write_time, SECONDS_SUM},
    {"exposed", write_time, SECONDS_EXPOSED},
    {"tokens_to_hide", write_tokens_to_hide, 0},
    {"tokens_to_hide_many", write_tokens_to_hide, MANY},
    {"tokens", write_tokens, 0},
    {"short_tokens", write_weight, SHORT_TOKENS},
    {"full_tokens", write_weight, FULL_TOKENS},
    {"short_weight", write_weight, SHORT_WEIGHT},
    {"full_weight", write_weight, FULL_WEIGHT},
};

bool data_figure(const struct lesson_input *in, const char *name, struct writer *out) {
    return value_find(rows, sizeof rows / sizeof rows[0], in, name, out);
}
