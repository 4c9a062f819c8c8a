/* What the data ranks of a scenario send each other in a step, cut into gradients and weights. */
#ifndef LESSONS_DATA_TRAFFIC_PRIVATE_H
#define LESSONS_DATA_TRAFFIC_PRIVATE_H

#include "shardlab/calc/comm.h"

struct data_traffic {
    uint64_t calls;
    uint64_t gradient_bytes, weight_bytes; /* that one GPU sends, in the whole step */
    uint64_t total_bytes;                  /* both */
    enum calc_link link;                   /* of the slowest group */
    bool time_known;
    double time_s;
    bool exposed_known;
    double exposed_s; /* that no computation hides */
    bool compute_known;
    double compute_s; /* computation of the whole step */
};

/* Of the data axis alone, without fp16's overflow check. False: overflow. */
bool data_traffic_of(const struct scenario *s, struct data_traffic *out);

/* The same with another ZeRO stage, and with other data ranks (0: as many as there are). False: not defined. */
bool data_traffic_at(const struct scenario *s, uint64_t zero, uint64_t ranks,
                     struct data_traffic *out);

#endif
