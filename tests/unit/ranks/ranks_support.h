/* Runs of ranks for tests: options with a usual value for what a test does not name, the report kept for looking at. */
#ifndef UNIT_RANKS_SUPPORT_H
#define UNIT_RANKS_SUPPORT_H

#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "shardlab/ranks/run.h"

enum { ONE_RUN_RANKS = 64, ONE_RUN_LABELS = 2 };

struct one_run {
    struct ranks_options options;
    struct ranks_body body;
    struct ranks_report report;
    struct ranks_doing doing[ONE_RUN_RANKS];
    uint64_t bytes[ONE_RUN_RANKS * ONE_RUN_RANKS * ONE_RUN_LABELS];
    uint64_t messages[ONE_RUN_RANKS * ONE_RUN_RANKS * ONE_RUN_LABELS];
    struct message why;
    enum status status;
};

typedef enum status (*rank_body)(struct ranks_endpoint *e, void *context);

static inline struct one_run *one_run_new(enum ranks_backend backend, uint32_t ranks,
                                          rank_body body) {
    struct one_run *r = calloc(1, sizeof *r);
    ck_assert_ptr_nonnull(r);
    r->options = (struct ranks_options){.backend = backend,
                                        .ranks = ranks,
                                        .timeout_s = 30,
                                        .mailbox_bytes = 4096,
                                        .shared_bytes = 4096,
                                        .labels = ONE_RUN_LABELS};
    r->body.run = body;
    r->report.bytes = r->bytes;
    r->report.messages = r->messages;
    r->report.doing = r->doing;
    return r;
}

static inline void one_run_go(struct one_run *r) {
    r->status = ranks_run(&r->options, &r->body, &r->report, &r->why);
}

static inline void one_run_well(struct one_run *r) {
    one_run_go(r);
    ck_assert_msg(r->status == STATUS_OK, "ended early: %s of rank %u (%d)", r->why.id,
                  r->report.rank, (int)r->report.end);
    ck_assert_int_eq(r->report.end, RANKS_END_WELL);
}

static inline void one_run_ends(struct one_run *r, enum ranks_end end) {
    one_run_go(r);
    ck_assert_int_eq(r->status, STATUS_FAILED);
    ck_assert_msg(r->report.end == end, "ended by %d (%s), not %d", (int)r->report.end, r->why.id,
                  (int)end);
    ck_assert_ptr_nonnull(r->why.id);
}

static inline uint64_t one_run_bytes(const struct one_run *r, uint32_t from, uint32_t to,
                                     int label) {
    return r->bytes[(from * r->options.ranks + to) * ONE_RUN_LABELS + (uint32_t)label];
}

static inline uint64_t one_run_messages(const struct one_run *r, uint32_t from, uint32_t to,
                                        int label) {
    return r->messages[(from * r->options.ranks + to) * ONE_RUN_LABELS + (uint32_t)label];
}

#define MUST(call)                                                                                 \
    do {                                                                                           \
        if ((call) != STATUS_OK) {                                                                 \
            return STATUS_FAILED;                                                                  \
        }                                                                                          \
    } while (0)

/* Byte i of what `from` sends in round k. */
static inline unsigned char byte_of(uint32_t from, uint32_t k, size_t i) {
    return (unsigned char)(from * 131 + k * 29 + i * 7 + i / 251);
}

#endif
