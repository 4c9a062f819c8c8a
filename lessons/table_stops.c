/* Where the learner's own value stands among the rows of a table: after those that are smaller, and once. Pure; returns
 * a value. Proof: tests/unit/lessons/test_data_parallel.c. */
#include "table_stops_private.h"

#include <assert.h>

struct table_stops table_stops_with(const uint64_t *values, int count, uint64_t own) {
    struct table_stops out = {.count = 0, .own = -1};
    assert(count <= TABLE_STOPS_MAX);
    for (int i = 0; i < count; i++) {
        if (out.own < 0 && own <= values[i]) {
            out.own = out.count;
            if (own < values[i]) {
                out.values[out.count++] = own;
            }
        }
        out.values[out.count++] = values[i];
    }
    if (out.own < 0) {
        out.own = out.count;
        out.values[out.count++] = own;
    }
    return out;
}
