/* What the tests of communication share: a step of a scenario written as a command line, and sums over its rows. */
#ifndef UNIT_CALC_COMM_SUPPORT_H
#define UNIT_CALC_COMM_SUPPORT_H

#include <math.h>

#include "calc_support.h"
#include "shardlab/calc/comm.h"

/* trainer G1: learned positions, biases, an untied head; 112,384 parameters that divide by 8. */
#define G1                                                                                         \
    "--layers 2 --hidden 64 --heads 8 --vocab 80 --seq 32 --norm layer --bias all "                \
    "--position learned --untied"
#define ANY_AXIS (-1)

static inline struct calc_comm comm_of(const struct scenario *s) {
    struct calc_comm c;
    struct message why;
    must_hold(calc_comm_step(s, &c, &why) == STATUS_OK, "%s", message_line(&why));
    return c;
}

static inline struct calc_comm comm_on(const struct scenario *s, uint64_t stage) {
    struct calc_comm c;
    struct message why;
    must_hold(calc_comm_on_stage(s, stage, &c, &why) == STATUS_OK, "%s", message_line(&why));
    return c;
}

__attribute__((format(printf, 1, 2))) static inline struct calc_comm comm_line(const char *format,
                                                                               ...) {
    char line[1024];
    va_list values;
    va_start(values, format);
    (void)vsnprintf(line, sizeof line, format, values);
    va_end(values);
    struct scenario s = legal_of("%s", line);
    return comm_of(&s);
}

/* Bytes of the rows of an axis that carry `id`; NULL: all of them. */
static inline uint64_t sent_of(const struct calc_comm *c, int axis, const char *id) {
    uint64_t sum = 0;
    for (int i = 0; i < c->row_count; i++) {
        const struct calc_comm_row *row = &c->rows[i];
        bool fits = axis == ANY_AXIS || (int)row->axis == axis;
        sum += fits && (id == NULL || strcmp(row->id, id) == 0) ? row->sent_bytes : 0;
    }
    return sum;
}

static inline uint64_t calls_of(const struct calc_comm *c, int axis, const char *id) {
    uint64_t sum = 0;
    for (int i = 0; i < c->row_count; i++) {
        const struct calc_comm_row *row = &c->rows[i];
        sum += (int)row->axis == axis && strcmp(row->id, id) == 0 ? row->count : 0;
    }
    return sum;
}

/* The first row with this id. */
static inline const struct calc_comm_row *row_of(const struct calc_comm *c, const char *id) {
    for (int i = 0; i < c->row_count; i++) {
        if (strcmp(c->rows[i].id, id) == 0) {
            return &c->rows[i];
        }
    }
    ck_abort_msg("there is no row %s", id);
    return NULL;
}

static inline bool has_row(const struct calc_comm *c, const char *id) {
    for (int i = 0; i < c->row_count; i++) {
        if (strcmp(c->rows[i].id, id) == 0) {
            return true;
        }
    }
    return false;
}

static inline bool near(double a, double b) {
    return fabs(a - b) <= 1e-9 * fabs(b) + 1e-18;
}

#endif
