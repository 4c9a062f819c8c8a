/* Rows of the papers table about what a pipeline keeps in flight and how often it holds the model. */
#ifndef UNIT_CALC_PAPERS_PIPELINE_H
#define UNIT_CALC_PAPERS_PIPELINE_H

#include "calc_support.h"
#include "support/reference.h"

static inline bool pp_peak_in_flight(const struct inputs *in, double *out) {
    struct scenario s =
        legal_of("--params 1B --pp %s --micro-batches %s --schedule %s", inputs_get(in, "p"),
                 inputs_get(in, "m"), inputs_get(in, "schedule"));
    *out = (double)memory_of(&s, 0).in_flight;
    return true;
}

static inline bool pp_peak_in_flight_units(const struct inputs *in, double *out) {
    struct scenario s = legal_of("--params 1B --pp %s --micro-batches %s --chunks %s",
                                 inputs_get(in, "p"), inputs_get(in, "m"), inputs_get(in, "v"));
    *out = (double)memory_of(&s, 0).in_flight / (double)s.layout.chunks;
    return true;
}

static inline bool zb_peak_memory(const struct inputs *in, double *out) {
    const char *schedule = inputs_is(in, "schedule", "zb_h1") ? "zb-h1" : "1f1b";
    struct scenario s =
        legal_of("--params 1B --pp %s --schedule %s", inputs_get(in, "p"), schedule);
    *out = (double)memory_of(&s, 0).in_flight;
    return true;
}

/* DeepSeek's names; its schedules at their default number of micro-batches. */
static inline struct scenario dualpipe_row(const struct inputs *in) {
    const char *schedule = inputs_is(in, "schedule", "zb1p") ? "zb-h1" : inputs_get(in, "schedule");
    return legal_of("--params 1B --pp %s --schedule %s", inputs_get(in, "pp"), schedule);
}

static inline bool dualpipe_activation_units(const struct inputs *in, double *out) {
    struct scenario s = dualpipe_row(in);
    *out = (double)memory_of(&s, 0).in_flight;
    return true;
}

/* What all ranks hold, over the model. */
static inline bool dualpipe_param_copies(const struct inputs *in, double *out) {
    struct scenario s = dualpipe_row(in);
    *out = (double)(memory_of(&s, 0).params * s.layout.pp) / (double)s.model.params;
    return true;
}

#endif
