/* The rows of a table that goes over a quantity: a few fixed values, and the learner's own in its place among them. */
#ifndef LESSONS_TABLE_STOPS_PRIVATE_H
#define LESSONS_TABLE_STOPS_PRIVATE_H

#include <stdint.h>

enum { TABLE_STOPS_MAX = 10 };

struct table_stops {
    uint64_t values[TABLE_STOPS_MAX + 1]; /* ascending */
    int count, own;                       /* own: index of the learner's */
};

/* `values` ascend, at most TABLE_STOPS_MAX. */
struct table_stops table_stops_with(const uint64_t *values, int count, uint64_t own);

#endif
