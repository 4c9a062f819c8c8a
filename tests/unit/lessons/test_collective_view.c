/* A collective as a picture: for every algorithm, number of ranks and size the last frame holds what the collective
 * promises, what was counted on the way is what the calculator predicts, and no frame shows a part that nobody sent. */
#include <check.h>

#include "shardlab/calc/collective.h"
#include "shardlab/lesson/collective_view.h"

static struct view view;

static const uint64_t sizes[] = {0, 1, 3, 16, 17, 1000003, 48 * 1000};
static const uint32_t rank_counts[] = {1, 2, 3, 4, 5, 6, 7, 8, 12, 16};
enum {
    SIZES = sizeof sizes / sizeof sizes[0],
    RANK_COUNTS = sizeof rank_counts / sizeof rank_counts[0]
};

static const struct view_frames *frame_of(const struct coll_job *job, int round) {
    struct message why;
    view_start(&view);
    ck_assert_int_eq(collective_frames_add(&view, job, 4, round, &why), STATUS_OK);
    ck_assert_int_eq(view.items[0].kind, VIEW_KIND_FRAMES);
    return &view.items[0].frames;
}

/* Whether rank r is to end with chunk c. */
static bool is_wanted(const struct coll_job *job, int r, int c) {
    return job->collective != COLL_REDUCE_SCATTER || r == c;
}

static void check_end(const struct coll_job *job) {
    const struct view_frames *f = frame_of(job, 1000);
    ck_assert_int_eq(f->round, f->rounds);
    for (int r = 0; r < f->ranks; r++) {
        ck_assert_msg(f->sent_bytes[r] == f->predicted_bytes[r], "%s %s, %u ranks, %llu: rank %d",
                      coll_algorithm_name(job->algorithm), coll_collective_name(job->collective),
                      job->ranks, (unsigned long long)job->elements, r);
        for (int c = 0; c < f->ranks; c++) {
            if (f->chunk_elements[c] > 0 && is_wanted(job, r, c)) {
                ck_assert_msg(f->holds[r][c] == f->whole[c], "%s %s, %u ranks, %llu: [%d][%d]",
                              coll_algorithm_name(job->algorithm),
                              coll_collective_name(job->collective), job->ranks,
                              (unsigned long long)job->elements, r, c);
            }
        }
    }
}

/* Calls for every job that is defined. */
static void for_all(uint32_t ranks, void (*check)(const struct coll_job *)) {
    for (int c = 0; c < COLL_COLLECTIVES; c++) {
        for (int a = 0; a < COLL_ALGORITHMS; a++) {
            for (int s = 0; s < SIZES; s++) {
                struct coll_job job = {(enum coll_collective)c, (enum coll_algorithm)a, ranks,
                                       sizes[s]};
                struct message why;
                if (coll_job_check(&job, &why) == STATUS_OK) {
                    check(&job);
                }
            }
        }
    }
}

START_TEST(the_last_frame_is_what_was_promised_at_the_price_that_was_predicted) {
    for_all(rank_counts[_i], check_end);
}
END_TEST

/* Bytes never fall, messages are those of the round, marks lie where messages went, and a part that is there was there
 * before or came in a message from one that held it. */
static void check_way(const struct coll_job *job) {
    static struct view_frames before;
    before = *frame_of(job, 0);
    ck_assert_int_eq(before.message_count, 0);
    for (int round = 1; round <= before.rounds; round++) {
        const struct view_frames *f = frame_of(job, round);
        uint64_t moved = 0, sent = 0;
        for (int m = 0; m < f->message_count; m++) {
            const struct view_frames_message *message = &f->messages[m];
            ck_assert_uint_ne(message->from, message->to);
            ck_assert_uint_gt(message->bytes, 0);
            ck_assert_uint_gt(message->chunk_count, 0);
            moved += message->bytes;
        }
        for (int r = 0; r < f->ranks; r++) {
            ck_assert_uint_ge(f->sent_bytes[r], before.sent_bytes[r]);
            sent += f->sent_bytes[r] - before.sent_bytes[r];
            for (int c = 0; c < f->ranks; c++) {
                bool came = (f->received[r] >> c & 1) != 0;
                ck_assert_msg(came || f->holds[r][c] == before.holds[r][c],
                              "%s round %d: [%d][%d] changed by itself",
                              coll_algorithm_name(job->algorithm), round, r, c);
                ck_assert((f->sent[r] >> c & 1) == 0 || before.holds[r][c] != 0);
            }
        }
        ck_assert_uint_eq(moved, sent);
        before = *f;
    }
}

START_TEST(every_round_moves_what_its_messages_say_and_nothing_else) {
    for_all(rank_counts[_i], check_way);
}
END_TEST

START_TEST(a_ring_has_one_whole_chunk_a_rank_between_its_halves) {
    struct coll_job job = {COLL_ALL_REDUCE, COLL_RING, rank_counts[_i], 96};
    int n = (int)job.ranks;
    const struct view_frames *f = frame_of(&job, n - 1);
    ck_assert_int_eq(f->rounds, 2 * (n - 1));
    for (int r = 0; r < n; r++) {
        for (int c = 0; c < n; c++) {
            ck_assert_int_eq(f->holds[r][c] == f->whole[c], r == c || n == 1);
        }
    }
}
END_TEST

/* The textbook's lines, for sizes that divide: α and bytes of the longest way. */
static const struct {
    enum coll_algorithm algorithm;
    uint32_t ranks;
    uint64_t messages, chunks; /* chunks of 1/ranks of the message */
} ways[] = {
    {COLL_RING, 4, 6, 6},     {COLL_RING, 6, 10, 10},
    {COLL_RING, 8, 14, 14},   {COLL_NAIVE, 4, 6, 24},
    {COLL_NAIVE, 8, 14, 112}, {COLL_TREE, 4, 4, 16},
    {COLL_TREE, 8, 6, 48},    {COLL_HALVING_DOUBLING, 4, 4, 6},
    {COLL_DIRECT, 8, 14, 14}, {COLL_HALVING_DOUBLING, 8, 6, 14},
    {COLL_RING, 2, 2, 2},     {COLL_RING, 1, 0, 0},
};

START_TEST(the_longest_way_is_the_textbooks) {
    struct coll_job job = {COLL_ALL_REDUCE, ways[_i].algorithm, ways[_i].ranks, 48};
    struct collective_cost cost;
    struct message why;
    ck_assert_int_eq(collective_cost(&job, 4, &cost, &why), STATUS_OK);
    ck_assert_uint_eq(cost.path_messages, ways[_i].messages);
    ck_assert_uint_eq(cost.path_bytes, ways[_i].chunks * 48 * 4 / ways[_i].ranks);
    double seconds = collective_seconds(&cost, 5e-6, 1e9);
    ck_assert_double_eq_tol(
        seconds, (double)cost.path_messages * 5e-6 + (double)cost.path_bytes / 1e9, 1e-15);
}
END_TEST

START_TEST(what_does_not_fit_64_bits_is_refused) {
    struct coll_job job = {COLL_ALL_REDUCE, COLL_NAIVE, 16, UINT64_C(1) << 60};
    struct collective_cost cost;
    struct message why;
    ck_assert_int_eq(collective_cost(&job, 4, &cost, &why), STATUS_USAGE);
    ck_assert_str_eq(why.id, "error.collective.overflow");
}
END_TEST

static Suite *suite(void) {
    Suite *s = suite_create("collective view");
    TCase *t = tcase_create("frames");
    tcase_add_loop_test(t, the_last_frame_is_what_was_promised_at_the_price_that_was_predicted, 0,
                        RANK_COUNTS);
    tcase_add_loop_test(t, every_round_moves_what_its_messages_say_and_nothing_else, 0,
                        RANK_COUNTS);
    tcase_add_loop_test(t, a_ring_has_one_whole_chunk_a_rank_between_its_halves, 0, RANK_COUNTS);
    tcase_add_loop_test(t, the_longest_way_is_the_textbooks, 0,
                        (int)(sizeof ways / sizeof ways[0]));
    tcase_add_test(t, what_does_not_fit_64_bits_is_refused);
    suite_add_tcase(s, t);
    return s;
}

#include "support/check_main.h"
