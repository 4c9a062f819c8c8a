/* Rows of vectors_papers.csv about bus bandwidth, as nccl-tests defines and others measured it. */
#ifndef UNIT_CALC_EXCHANGE_ROWS_H
#define UNIT_CALC_EXCHANGE_ROWS_H

#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "shardlab/calc/collective.h"
#include "support/reference.h"

/* The rows write all_reduce for all-reduce. */
static inline bool nccl_busbw_factor(const struct inputs *in, double *out) {
    char name[32];
    const char *op = inputs_get(in, "op");
    ck_assert_uint_lt(strlen(op), sizeof name);
    for (size_t i = 0; i <= strlen(op); i++) {
        name[i] = (char)(op[i] == '_' ? '-' : op[i]);
    }
    int kind = calc_exchange_find(name);
    ck_assert_msg(kind >= 0, "%s", name);
    uint32_t ranks = (uint32_t)strtoul(inputs_get(in, "n"), NULL, 10);
    *out = calc_exchange_bus_factor((enum calc_exchange_kind)kind, ranks);
    return true;
}

static inline bool nccl_busbw_gbs(const struct inputs *in, double *out) {
    bool has = nccl_busbw_factor(in, out);
    *out *= strtod(inputs_get(in, "algbw_gbs"), NULL);
    return has;
}

#endif
