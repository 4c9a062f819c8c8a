/* The communication ledger's data rows as one sum: what the lessons on data parallelism and on ZeRO compare. Every byte
 * and second is calc_comm_step's. Writes into what the caller passes. Proof: tests/unit/lessons/test_data_parallel.c, test_zero_lesson.c. */
#include "data_traffic_private.h"

#include <string.h>

#include "what_if_private.h"

static bool counts(const struct calc_comm_row *row) {
    return row->axis == CALC_AXIS_DP && strcmp(row->id, "found_inf") != 0;
}

static void add(struct data_traffic *out, const struct calc_comm_row *row) {
    bool gradients = strncmp(row->id, "gradients", strlen("gradients")) == 0;
    uint64_t *part = gradients ? &out->gradient_bytes : &out->weight_bytes;
    *part += row->sent_bytes; /* of sums that calc_comm_step has made: they do not wrap */
    out->total_bytes += row->sent_bytes;
    out->calls += row->count;
    out->link = row->link > out->link ? row->link : out->link;
    out->time_known = out->time_known && row->time_known;
    out->time_s += row->time_s;
    out->exposed_known = out->exposed_known && row->exposed_known;
    out->exposed_s += row->exposed_s;
}

bool data_traffic_of(const struct scenario *s, struct data_traffic *out) {
    struct calc_comm comm;
    struct message why;
    *out = (struct data_traffic){.time_known = true, .exposed_known = true};
    if (calc_comm_step(s, &comm, &why) != STATUS_OK) {
        return false;
    }
    for (int i = 0; i < comm.row_count; i++) {
        if (counts(&comm.rows[i])) {
            add(out, &comm.rows[i]);
        }
    }
    out->compute_known = comm.compute_known;
    out->compute_s = comm.compute_s;
    return true;
}

bool data_traffic_at(const struct scenario *s, uint64_t zero, uint64_t ranks,
                     struct data_traffic *out) {
    struct scenario other = *s;
    return what_if_count(&other, "zero", zero) &&
           (ranks == 0 || what_if_count(&other, "dp", ranks)) && what_if_settle(&other) &&
           data_traffic_of(&other, out);
}
