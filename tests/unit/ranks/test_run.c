/* Messages between ranks that are threads or processes: order, contents, counters, sizes beyond the mailbox, meeting, and
 * more ranks than cores. Each test runs on both backends. How runs end early is test_deadlock.c and test_processes.c. */
#include <check.h>

#include "unit/ranks/ranks_support.h"

/* --- Order, contents, counters --- */

static const size_t sizes[] = {0, 1, 63, 64, 65, 4000, 4096, 5000, 70000, 3, 8};
enum { SIZES = sizeof sizes / sizeof sizes[0], LARGEST = 70000 };

static enum status send_sizes(struct ranks_endpoint *e) {
    static _Thread_local unsigned char bytes[LARGEST];
    for (uint32_t k = 0; k < SIZES; k++) {
        for (size_t i = 0; i < sizes[k]; i++) {
            bytes[i] = byte_of(ranks_self(e), k, i);
        }
        MUST(ranks_send(e, (ranks_self(e) + 1) % ranks_count(e), (int)(k % 2), bytes, sizes[k]));
        memset(bytes, 0xee, sizes[k]); /* a send that has returned needs its bytes no longer */
    }
    return STATUS_OK;
}

static enum status receive_sizes(struct ranks_endpoint *e) {
    static _Thread_local unsigned char bytes[LARGEST];
    uint32_t from = (ranks_self(e) + ranks_count(e) - 1) % ranks_count(e);
    for (uint32_t k = 0; k < SIZES; k++) {
        MUST(ranks_receive(e, from, (int)(k % 2), bytes, sizes[k]));
        for (size_t i = 0; i < sizes[k]; i++) {
            if (bytes[i] != byte_of(from, k, i)) {
                return STATUS_USAGE;
            }
        }
    }
    return STATUS_OK;
}

/* Rank 0 sends first, the others receive first: no circle, whatever the mailbox holds. */
static enum status relay(struct ranks_endpoint *e, void *context) {
    (void)context;
    if (ranks_self(e) == 0) {
        MUST(send_sizes(e));
        return receive_sizes(e);
    }
    MUST(receive_sizes(e));
    return send_sizes(e);
}

START_TEST(messages_arrive_whole_and_in_order_and_are_counted) {
    static const uint64_t mailboxes[] = {0, 1, 64, 200, 4096, 1 << 20};
    uint64_t bytes[2] = {0, 0}, messages[2] = {0, 0};
    for (uint32_t k = 0; k < SIZES; k++) {
        bytes[k % 2] += sizes[k];
        messages[k % 2]++;
    }
    for (size_t m = 0; m < sizeof mailboxes / sizeof mailboxes[0]; m++) {
        for (uint32_t ranks = 2; ranks <= 5; ranks++) {
            struct one_run *r = one_run_new((enum ranks_backend)_i, ranks, relay);
            r->options.mailbox_bytes = mailboxes[m];
            one_run_well(r);
            for (uint32_t from = 0; from < ranks; from++) {
                for (uint32_t to = 0; to < ranks; to++) {
                    for (int label = 0; label < 2; label++) {
                        bool speaks = to == (from + 1) % ranks;
                        ck_assert_uint_eq(one_run_bytes(r, from, to, label),
                                          speaks ? bytes[label] : 0);
                        ck_assert_uint_eq(one_run_messages(r, from, to, label),
                                          speaks ? messages[label] : 0);
                    }
                }
            }
            free(r);
        }
    }
}
END_TEST

/* --- Posts --- */

enum { POSTED = 20000 };

/* Everybody to everybody at once, much more than the mailboxes hold, out of memory that only the sender has. */
static enum status swap_all(struct ranks_endpoint *e, void *context) {
    static _Thread_local unsigned char mine[POSTED], theirs[POSTED];
    (void)context;
    for (uint32_t k = 0; k < 3; k++) {
        for (size_t i = 0; i < POSTED; i++) {
            mine[i] = byte_of(ranks_self(e), k, i);
        }
        for (uint32_t i = 1; i < ranks_count(e); i++) {
            MUST(ranks_post(e, (ranks_self(e) + i) % ranks_count(e), 0, mine, POSTED));
        }
        for (uint32_t from = 0; from < ranks_count(e); from++) {
            if (from == ranks_self(e)) {
                continue;
            }
            MUST(ranks_receive(e, from, 0, theirs, POSTED));
            for (size_t i = 0; i < POSTED; i++) {
                if (theirs[i] != byte_of(from, k, i)) {
                    return STATUS_USAGE;
                }
            }
        }
        MUST(ranks_settle(e));
    }
    return STATUS_OK;
}

START_TEST(posts_cannot_block_each_other) {
    static const uint64_t mailboxes[] = {0, 128, 4096};
    for (size_t m = 0; m < 3; m++) {
        struct one_run *r = one_run_new((enum ranks_backend)_i, 6, swap_all);
        r->options.mailbox_bytes = mailboxes[m];
        one_run_well(r);
        ck_assert_uint_eq(one_run_bytes(r, 4, 2, 0), 3 * POSTED);
        free(r);
    }
}
END_TEST

/* Many posts to one rank, which takes them late: more than the list of posts has room for. */
static enum status pour(struct ranks_endpoint *e, void *context) {
    (void)context;
    for (int i = 0; i < 200; i++) {
        if (ranks_self(e) == 0) {
            static int zero[100];
            MUST(ranks_post(e, 1, 0, zero, sizeof zero));
        } else {
            int got[100];
            MUST(ranks_receive(e, 0, 0, got, sizeof got));
        }
    }
    return STATUS_OK;
}

START_TEST(a_body_may_post_more_than_it_settles) {
    struct one_run *r = one_run_new((enum ranks_backend)_i, 2, pour);
    one_run_well(r);
    ck_assert_uint_eq(one_run_messages(r, 0, 1, 0), 200);
    free(r);
}
END_TEST

/* Both post one half, then wait for it to be free while the other half, posted later, is not taken yet. */
static enum status halves(struct ranks_endpoint *e, void *context) {
    enum { HALF = 8192 };
    uint32_t self = ranks_self(e), other = 1 - self;
    unsigned char *mine = (unsigned char *)ranks_shared(e) + self * 2 * HALF;
    static _Thread_local unsigned char theirs[HALF];
    (void)context;
    for (uint32_t k = 0; k < 20; k++) {
        MUST(ranks_post(e, other, 0, mine, HALF));
        MUST(ranks_post(e, other, 1, mine + HALF, HALF));
        MUST(ranks_receive(e, other, 0, theirs, HALF));
        MUST(ranks_settle_range(e, mine, HALF));
        memset(mine, (int)k + 1, HALF);
        MUST(ranks_receive(e, other, 1, theirs, HALF));
        MUST(ranks_settle(e));
        if (k > 0 && theirs[HALF - 1] != 0) {
            return STATUS_USAGE;
        }
    }
    return STATUS_OK;
}

START_TEST(one_range_is_settled_without_the_others) {
    for (uint64_t mailbox = 0; mailbox <= 4096; mailbox += 4096) {
        struct one_run *r = one_run_new((enum ranks_backend)_i, 2, halves);
        r->options.mailbox_bytes = mailbox;
        r->options.shared_bytes = 4 * 8192;
        one_run_well(r);
        free(r);
    }
}
END_TEST

/* --- Pieces --- */

struct pieces {
    size_t next;
    bool good;
};

static void look_at_piece(void *context, size_t offset, const void *bytes, size_t count) {
    struct pieces *p = context;
    const unsigned char *at = bytes;
    p->good = p->good && offset == p->next && offset % 64 == 0;
    for (size_t i = 0; i < count; i++) {
        p->good = p->good && at[i] == byte_of(0, 0, offset + i);
    }
    p->next = offset + count;
}

static enum status in_pieces(struct ranks_endpoint *e, void *context) {
    unsigned char *bytes = ranks_shared(e);
    (void)context;
    if (ranks_self(e) == 0) {
        for (size_t i = 0; i < LARGEST; i++) {
            bytes[i] = byte_of(0, 0, i);
        }
        return ranks_send(e, 1, 0, bytes, LARGEST);
    }
    struct pieces p = {0, true};
    struct ranks_sink sink = {look_at_piece, &p};
    MUST(ranks_receive_into(e, 0, 0, LARGEST, &sink));
    return p.good && p.next == LARGEST ? STATUS_OK : STATUS_USAGE;
}

START_TEST(a_sink_sees_all_pieces_in_order) {
    static const uint64_t mailboxes[] = {0, 200, 1 << 20};
    for (size_t m = 0; m < 3; m++) {
        struct one_run *r = one_run_new((enum ranks_backend)_i, 2, in_pieces);
        r->options.mailbox_bytes = mailboxes[m];
        r->options.shared_bytes = LARGEST;
        one_run_well(r);
        free(r);
    }
}
END_TEST

/* --- Meeting and shared memory --- */

static enum status take_turns(struct ranks_endpoint *e, void *context) {
    _Atomic uint32_t *turn = ranks_shared(e);
    (void)context;
    for (uint32_t k = 0; k < 50 * ranks_count(e); k++) {
        if (k % ranks_count(e) == ranks_self(e)) {
            if (*turn != k) {
                return STATUS_USAGE;
            }
            *turn = k + 1;
        }
        MUST(ranks_barrier(e));
    }
    return STATUS_OK;
}

static void see_turn(void *shared, void *context) {
    *(uint32_t *)context = *(uint32_t *)shared;
}

START_TEST(nobody_passes_a_barrier_before_all_have_come) {
    static const uint32_t ranks[] = {1, 2, 3, 8};
    for (size_t i = 0; i < 4; i++) {
        uint32_t seen = 0;
        struct one_run *r = one_run_new((enum ranks_backend)_i, ranks[i], take_turns);
        r->body.finish = see_turn;
        r->body.context = &seen;
        one_run_well(r);
        ck_assert_uint_eq(seen, 50 * ranks[i]);
        free(r);
    }
}
END_TEST

static enum status token(struct ranks_endpoint *e, void *context) {
    uint32_t value = 0, n = ranks_count(e), self = ranks_self(e);
    (void)context;
    for (int lap = 0; lap < 20; lap++) {
        if (self > 0 || lap > 0) {
            MUST(ranks_receive(e, (self + n - 1) % n, 0, &value, sizeof value));
        }
        value++;
        MUST(ranks_send(e, (self + 1) % n, 0, &value, sizeof value));
    }
    if (self == 0) {
        MUST(ranks_receive(e, n - 1, 0, &value, sizeof value));
        return value == 20 * n ? STATUS_OK : STATUS_USAGE;
    }
    return STATUS_OK;
}

START_TEST(sixty_four_ranks_pass_a_token_on_few_cores) {
    struct one_run *r = one_run_new((enum ranks_backend)_i, 64, token);
    one_run_well(r);
    free(r);
}
END_TEST

/* --- Options --- */

START_TEST(options_that_mean_nothing_are_refused) {
    struct one_run *r = one_run_new((enum ranks_backend)_i, 0, token);
    one_run_go(r);
    ck_assert_int_eq(r->status, STATUS_USAGE);
    r->options.ranks = COLL_RANKS_MAX + 1;
    one_run_go(r);
    ck_assert_int_eq(r->status, STATUS_USAGE);
    r->options.ranks = 2;
    r->options.shared_bytes = SIZE_MAX;
    one_run_go(r);
    ck_assert_int_eq(r->status, STATUS_FAILED);
    ck_assert_str_eq(r->why.id, "error.ranks.memory");
    free(r);
}
END_TEST

static Suite *suite(void) {
    Suite *s = suite_create("run");
    TCase *t = tcase_create("run");
    tcase_add_loop_test(t, messages_arrive_whole_and_in_order_and_are_counted, 0, 2);
    tcase_add_loop_test(t, posts_cannot_block_each_other, 0, 2);
    tcase_add_loop_test(t, a_body_may_post_more_than_it_settles, 0, 2);
    tcase_add_loop_test(t, one_range_is_settled_without_the_others, 0, 2);
    tcase_add_loop_test(t, a_sink_sees_all_pieces_in_order, 0, 2);
    tcase_add_loop_test(t, nobody_passes_a_barrier_before_all_have_come, 0, 2);
    tcase_add_loop_test(t, sixty_four_ranks_pass_a_token_on_few_cores, 0, 2);
    tcase_add_loop_test(t, options_that_mean_nothing_are_refused, 0, 2);
    suite_add_tcase(s, t);
    return s;
}

#include "support/check_main.h"
