/* What the parts of `shardlab bench formats` share. app/cli/bench*.c only. */
#ifndef BENCH_FORMATS_PRIVATE_H
#define BENCH_FORMATS_PRIVATE_H

#include "cli_private.h"
#include "shardlab/num/convert.h"

enum {
    BENCH_CONVERSIONS = 8,
    BENCH_LENGTHS = 3,
    BENCH_FORMATS_MAX = BENCH_CONVERSIONS * BENCH_LENGTHS * (NUM_PATHS - 1),
};

struct bench_conversion {
    const char *name; /* "fp32→fp16" */
    enum num_type type;
    bool packs; /* from fp32; else to it */
};
extern const struct bench_conversion bench_conversions[BENCH_CONVERSIONS];
extern const uint64_t bench_lengths[BENCH_LENGTHS];

/* Programs that do the same elsewhere, in one thread. */
enum bench_library { BENCH_NUMPY, BENCH_TORCH, BENCH_LIBRARIES };

/* Median seconds of one conversion of an array; 0: not measured. */
struct bench_format {
    int conversion;
    enum num_path path;
    uint64_t elements;
    double time_s, least_s, most_s;
    double limit_s;  /* memcpy of as many bytes as are read and written */
    double scalar_s; /* an element at a time, with branches */
    double library_s[BENCH_LIBRARIES];
};

struct bench_formats {
    struct bench_format figures[BENCH_FORMATS_MAX];
    int count;
    char library[BENCH_LIBRARIES][32]; /* "1.24.2"; "": not installed */
    double library_s[BENCH_LIBRARIES][BENCH_CONVERSIONS][BENCH_LENGTHS];
};

/* Runs everything up to arrays of `largest` elements. */
MUST_USE enum status cli_bench_formats(struct bench_formats *all, int runs, uint64_t largest,
                                       struct message *why);

/* --- bench_formats_peer.c: fills library and library_s --- */
void bench_formats_libraries(struct bench_formats *all, int runs, int lengths);

/* --- bench_formats_write.c --- */
struct json;
void cli_bench_formats_json(struct json *j, const struct bench_formats *all);
void cli_bench_formats_text(struct cli_context *c, const struct bench_formats *all);
void cli_bench_formats_notes(struct cli_context *c, struct json *j,
                             const struct bench_formats *all);

#endif
