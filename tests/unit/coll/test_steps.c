/* Step lists of collectives, run in lock step: each element of each rank holds the set of ranks whose contribution is
 * in it, so a contribution that is lost or added twice shows. All pairs of collective and algorithm, 1 to 17 ranks,
 * element counts around the number of ranks. */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "shardlab/coll/steps.h"
#include "support/sanitized.h"

enum { RANKS_TOP = 17, ELEMENTS_TOP = 103, STEPS_TOP = 4 * RANKS_TOP, SIZES = 7 };

/* A message on its way within a round. */
struct mail {
    uint32_t from, to;
    uint64_t first, count, to_first;
    bool taken;
};

struct machine {
    struct coll_job job;
    struct coll_step steps[RANKS_TOP][STEPS_TOP];
    uint32_t counts[RANKS_TOP];
    uint32_t held[RANKS_TOP][ELEMENTS_TOP], before[RANKS_TOP][ELEMENTS_TOP];
    uint32_t out[RANKS_TOP][ELEMENTS_TOP]; /* all-to-all: from · ELEMENTS_TOP + index */
    struct mail mail[RANKS_TOP * STEPS_TOP];
    uint32_t mails;
};

static uint64_t elements_of(int size, uint32_t ranks) {
    const uint64_t sizes[SIZES] = {0, 1, ranks - 1, ranks, ranks + 1, 3 * ranks, 103};
    return sizes[size];
}

static uint32_t full(const struct machine *m) {
    return (uint32_t)((UINT64_C(1) << m->job.ranks) - 1);
}

static uint32_t owner_of(const struct machine *m, uint64_t element) {
    for (uint32_t c = 0; c < m->job.ranks; c++) {
        uint64_t first, count;
        coll_chunk(&m->job, c, &first, &count);
        if (element >= first && element - first < count) {
            return c;
        }
    }
    ck_abort_msg("element %u is in no chunk", (unsigned)element);
    return 0;
}

static void start(struct machine *m) {
    ck_assert_uint_le(coll_steps_max(&m->job), STEPS_TOP);
    for (uint32_t r = 0; r < m->job.ranks; r++) {
        m->counts[r] = coll_steps(&m->job, r, m->steps[r], STEPS_TOP);
        ck_assert_uint_le(m->counts[r], coll_steps_max(&m->job));
        for (uint64_t i = 0; i < m->job.elements; i++) {
            bool starts = m->job.collective != COLL_ALL_GATHER || owner_of(m, i) == r;
            m->held[r][i] = starts ? UINT32_C(1) << r : 0;
            m->out[r][i] = UINT32_MAX;
        }
    }
}

static uint32_t rounds_of(const struct machine *m) {
    uint32_t rounds = 0;
    for (uint32_t r = 0; r < m->job.ranks; r++) {
        for (uint32_t i = 0; i < m->counts[r]; i++) {
            const struct coll_step *s = &m->steps[r][i];
            rounds = s->kind != COLL_KEEP && s->round + 1 > rounds ? s->round + 1 : rounds;
        }
    }
    return rounds;
}

static struct mail *find_mail(struct machine *m, uint32_t from, uint32_t to) {
    for (uint32_t i = 0; i < m->mails; i++) {
        if (!m->mail[i].taken && m->mail[i].from == from && m->mail[i].to == to) {
            return &m->mail[i];
        }
    }
    return NULL;
}

static void send_round(struct machine *m, uint32_t round) {
    m->mails = 0;
    for (uint32_t r = 0; r < m->job.ranks; r++) {
        for (uint32_t i = 0; i < m->counts[r]; i++) {
            const struct coll_step *s = &m->steps[r][i];
            if (s->round == round && s->kind == COLL_SEND) {
                ck_assert_uint_lt(s->peer, m->job.ranks);
                ck_assert_uint_ne(s->peer, r);
                m->mail[m->mails++] =
                    (struct mail){r, s->peer, s->first, s->count, s->to_first, false};
            }
        }
    }
}

/* One element from rank `from` arrives. */
static void arrive(struct machine *m, const struct coll_step *s, uint32_t rank, uint64_t i) {
    uint64_t at = s->to_first + i;
    if (m->job.collective == COLL_ALL_TO_ALL) {
        ck_assert_uint_eq(m->out[rank][at], UINT32_MAX);
        m->out[rank][at] = s->peer * ELEMENTS_TOP + (uint32_t)(s->first + i);
        return;
    }
    uint32_t value = m->before[s->peer][at];
    if (s->kind == COLL_REDUCE) {
        ck_assert_msg((m->held[rank][at] & value) == 0, "added twice");
        value |= m->held[rank][at];
    }
    ck_assert_msg(value != 0, "nothing is sent as if it were something");
    m->held[rank][at] = value;
}

static void take(struct machine *m, uint32_t rank, const struct coll_step *s) {
    if (s->kind == COLL_KEEP) {
        ck_assert_uint_eq(s->peer, rank);
    } else {
        struct mail *mail = find_mail(m, s->peer, rank);
        ck_assert_msg(mail != NULL, "a receive has no send");
        ck_assert_uint_eq(mail->count, s->count);
        ck_assert_uint_eq(mail->to_first, s->to_first);
        mail->taken = true;
        if (m->job.collective != COLL_ALL_TO_ALL) {
            ck_assert_uint_eq(mail->first, s->to_first);
        }
    }
    for (uint64_t i = 0; i < s->count; i++) {
        arrive(m, s, rank, i);
    }
}

/* What is sent in a round is not written in it: executors may send while they receive. */
static void expect_apart(const struct machine *m, uint32_t rank, uint32_t round) {
    for (uint32_t i = 0; i < m->counts[rank]; i++) {
        const struct coll_step *sent = &m->steps[rank][i];
        for (uint32_t k = 0; k < m->counts[rank]; k++) {
            const struct coll_step *got = &m->steps[rank][k];
            if (sent->round != round || got->round != round || sent->kind != COLL_SEND ||
                got->kind == COLL_SEND) {
                continue;
            }
            ck_assert_msg(sent->count == 0 || got->count == 0 ||
                              sent->first + sent->count <= got->first ||
                              got->first + got->count <= sent->first,
                          "round %u writes what it sends", round);
        }
    }
}

static void run(struct machine *m) {
    uint32_t rounds = rounds_of(m);
    for (uint32_t round = 0; round == 0 || round < rounds; round++) {
        memcpy(m->before, m->held, sizeof m->held);
        send_round(m, round);
        for (uint32_t r = 0; r < m->job.ranks; r++) {
            if (m->job.collective != COLL_ALL_TO_ALL) {
                expect_apart(m, r, round);
            }
            for (uint32_t i = 0; i < m->counts[r]; i++) {
                if (m->steps[r][i].round == round && m->steps[r][i].kind != COLL_SEND) {
                    take(m, r, &m->steps[r][i]);
                }
            }
        }
        for (uint32_t i = 0; i < m->mails; i++) {
            ck_assert_msg(m->mail[i].taken, "a send has no receive");
        }
    }
}

static void expect_element(const struct machine *m, uint32_t rank, uint64_t i) {
    uint32_t owner = owner_of(m, i);
    switch (m->job.collective) {
    case COLL_ALL_REDUCE:
        ck_assert_uint_eq(m->held[rank][i], full(m));
        break;
    case COLL_REDUCE_SCATTER:
        if (owner == rank) {
            ck_assert_uint_eq(m->held[rank][i], full(m));
        }
        break;
    case COLL_ALL_GATHER:
        ck_assert_uint_eq(m->held[rank][i], UINT32_C(1) << owner);
        break;
    case COLL_BROADCAST:
        ck_assert_uint_eq(m->held[rank][i], 1);
        break;
    default: {
        uint64_t each = m->job.elements / m->job.ranks;
        ck_assert_uint_eq(m->out[rank][i], owner * ELEMENTS_TOP + rank * each + i % each);
    }
    }
}

static uint32_t log_up(uint32_t n) {
    uint32_t log = 0;
    for (uint32_t reach = 1; reach < n; reach *= 2) {
        log++;
    }
    return log;
}

/* The table of coll/steps.h. */
static uint32_t rounds_expected(const struct coll_job *job) {
    uint32_t n = job->ranks, halves = job->collective == COLL_ALL_REDUCE ? 2 : 1;
    uint32_t log = log_up(n), down = (UINT32_C(1) << log) > n ? log - 1 : log;
    if (n == 1) {
        return 0;
    }
    switch (job->algorithm) {
    case COLL_NAIVE:
        return job->collective == COLL_BROADCAST ? 1 : 2;
    case COLL_RING:
        return halves * (n - 1);
    case COLL_TREE:
        return halves * log;
    case COLL_HALVING_DOUBLING:
        return halves * down + (down < log ? 2 : 0);
    default:
        return halves;
    }
}

/* Under a sanitizer the odd numbers of ranks. */
enum { EACH = SANITIZED ? 2 : 1 };

static void check_pair(struct machine *m, int collective, int algorithm) {
    struct message why;
    for (int size = 0; size < SIZES; size++) {
        for (uint32_t ranks = 1; ranks <= RANKS_TOP; ranks += EACH) {
            uint64_t elements = elements_of(size, ranks);
            if (collective == COLL_ALL_TO_ALL) {
                elements -= elements % ranks;
            }
            m->job = (struct coll_job){(enum coll_collective)collective,
                                       (enum coll_algorithm)algorithm, ranks, elements};
            ck_assert_int_eq(coll_job_check(&m->job, &why), STATUS_OK);
            start(m);
            ck_assert_uint_eq(rounds_of(m), rounds_expected(&m->job));
            run(m);
            for (uint32_t r = 0; r < ranks; r++) {
                for (uint64_t i = 0; i < elements; i++) {
                    expect_element(m, r, i);
                }
            }
        }
    }
}

START_TEST(every_list_leaves_each_contribution_once_where_it_belongs) {
    int collective = _i / COLL_ALGORITHMS, algorithm = _i % COLL_ALGORITHMS;
    if (!coll_defines((enum coll_collective)collective, (enum coll_algorithm)algorithm)) {
        return;
    }
    struct machine *m = malloc(sizeof *m);
    ck_assert_ptr_nonnull(m);
    check_pair(m, collective, algorithm);
    free(m);
}
END_TEST

START_TEST(chunks_cover_all_elements_and_the_first_are_longer) {
    for (uint32_t ranks = 1; ranks <= 17; ranks++) {
        for (int size = 0; size < SIZES; size++) {
            struct coll_job job = {COLL_ALL_REDUCE, COLL_RING, ranks, elements_of(size, ranks)};
            uint64_t next = 0;
            for (uint32_t c = 0; c < ranks; c++) {
                uint64_t first, count;
                coll_chunk(&job, c, &first, &count);
                ck_assert_uint_eq(first, next);
                ck_assert_uint_eq(count, job.elements / ranks + (c < job.elements % ranks));
                next += count;
            }
            ck_assert_uint_eq(next, job.elements);
        }
    }
}
END_TEST

START_TEST(a_ring_sends_the_chunks_that_the_header_names) {
    struct coll_job job = {COLL_ALL_REDUCE, COLL_RING, 4, 40};
    struct coll_step steps[12];
    ck_assert_uint_eq(coll_steps(&job, 1, steps, 12), 12);
    static const uint64_t sent[6] = {0, 30, 20, 10, 0, 30};
    for (int k = 0; k < 6; k++) {
        ck_assert_uint_eq(steps[2 * k].kind, COLL_SEND);
        ck_assert_uint_eq(steps[2 * k].peer, 2);
        ck_assert_uint_eq(steps[2 * k].first, sent[k]);
        ck_assert_uint_eq(steps[2 * k + 1].kind, k < 3 ? COLL_REDUCE : COLL_COPY);
    }
}
END_TEST

START_TEST(a_list_longer_than_the_room_is_counted_and_cut) {
    struct coll_job job = {COLL_ALL_REDUCE, COLL_RING, 8, 80};
    struct coll_step steps[4];
    memset(steps, 0x5a, sizeof steps);
    ck_assert_uint_eq(coll_steps(&job, 3, steps, 3), 28);
    ck_assert_uint_eq(steps[3].kind, 0x5a);
    ck_assert_uint_eq(coll_steps(&job, 3, NULL, 0), 28);
}
END_TEST

START_TEST(what_is_not_defined_is_refused_with_what_is) {
    struct message why;
    struct coll_job job = {COLL_BROADCAST, COLL_RING, 4, 8};
    ck_assert_int_eq(coll_job_check(&job, &why), STATUS_USAGE);
    ck_assert_str_eq(why.args[0].text, "ring");
    ck_assert_str_eq(why.args[2].text, "naive, tree, direct");
    job = (struct coll_job){COLL_ALL_TO_ALL, COLL_DIRECT, 4, 9};
    ck_assert_int_eq(coll_job_check(&job, &why), STATUS_USAGE);
    ck_assert_uint_eq(why.args[2].count, 8);
    job.ranks = 0;
    ck_assert_int_eq(coll_job_check(&job, &why), STATUS_USAGE);
    job.ranks = COLL_RANKS_MAX + 1;
    ck_assert_int_eq(coll_job_check(&job, &why), STATUS_USAGE);
}
END_TEST

START_TEST(names_are_found_again) {
    for (int c = 0; c < COLL_COLLECTIVES; c++) {
        ck_assert_int_eq(coll_collective_find(coll_collective_name((enum coll_collective)c)), c);
    }
    for (int a = 0; a < COLL_ALGORITHMS; a++) {
        ck_assert_int_eq(coll_algorithm_find(coll_algorithm_name((enum coll_algorithm)a)), a);
    }
    ck_assert_int_eq(coll_algorithm_find("circle"), -1);
    ck_assert_int_eq(coll_collective_find(""), -1);
}
END_TEST

static Suite *suite(void) {
    Suite *s = suite_create("steps");
    TCase *t = tcase_create("steps");
    tcase_add_loop_test(t, every_list_leaves_each_contribution_once_where_it_belongs, 0,
                        COLL_COLLECTIVES * COLL_ALGORITHMS);
    tcase_add_test(t, chunks_cover_all_elements_and_the_first_are_longer);
    tcase_add_test(t, a_ring_sends_the_chunks_that_the_header_names);
    tcase_add_test(t, a_list_longer_than_the_room_is_counted_and_cut);
    tcase_add_test(t, what_is_not_defined_is_refused_with_what_is);
    tcase_add_test(t, names_are_found_again);
    suite_add_tcase(s, t);
    return s;
}

#include "support/check_main.h"
