/* An experiment with usual numbers, and its facts by name. Static: each test of this folder is one program. */
#ifndef PRECISION_SUPPORT_H
#define PRECISION_SUPPORT_H

#include <check.h>
#include <math.h>
#include <string.h>

#include "shardlab/precision/precision.h"

static inline struct precision_options usual(enum precision_experiment experiment,
                                             enum num_type type) {
    return (struct precision_options){
        .experiment = experiment,
        .type = type,
        .overflow = num_format(type)->overflow,
        .count = 4096,
        .value = 1,
        .update = 1,
        .epsilon = 1e-8,
        .trials = 50,
        .steps = 1,
        .growth = 2,
        .seed = 1,
        .job = {.collective = COLL_ALL_REDUCE, .algorithm = COLL_NAIVE, .ranks = 1, .elements = 1},
        .narrow = true,
        .wide = true,
        .backend = RANKS_THREADS,
        .timeout_s = 20,
        .repeat = 1};
}

static inline void run_well(const struct precision_options *o, struct precision_result *out) {
    struct message why;
    message_start(&why, NULL);
    enum status ok = precision_run(o, out, &why);
    ck_assert_msg(ok == STATUS_OK, "%s", why.id);
    ck_assert(out->same_each_time);
}

static inline const struct fact *fact_named(const struct precision_result *r, const char *key) {
    for (int i = 0; i < r->facts.count; i++) {
        if (strcmp(r->facts.list[i].key, key) == 0) {
            return &r->facts.list[i];
        }
    }
    ck_abort_msg("no fact %s", key);
    return NULL;
}

static inline void expect_real(const struct precision_result *r, const char *key, double wanted) {
    double found = fact_named(r, key)->real;
    ck_assert_msg((isnan(wanted) && isnan(found)) || (found >= wanted && found <= wanted),
                  "%s: %.17g, not %.17g", key, found, wanted);
}

static inline void expect_count(const struct precision_result *r, const char *key,
                                uint64_t wanted) {
    ck_assert_msg(fact_named(r, key)->count == wanted, "%s: %llu, not %llu", key,
                  (unsigned long long)fact_named(r, key)->count, (unsigned long long)wanted);
}

#endif
