/* The closed forms against the simulation, over random ranks, micro-batches, chunks and times: whenever a form says that
 * it is known, it is right; and each schedule's is known often enough that this means something. */
#include <check.h>
#include <stdio.h>

#include "pipe_support.h"
#include "shardlab/pipe/closed_form.h"
#include "support/rounds.h"
#include "unit/calc/dice.h"

static struct pipe_request random_request(struct dice *dice, enum pipe_schedule schedule) {
    struct pipe_request r = {.schedule = schedule};
    r.ranks = 1 + (uint32_t)dice_roll(dice, 8);
    r.micro_batches = 1 + (uint32_t)dice_roll(dice, 24);
    if (dice_roll(dice, 2) == 0) {
        r.micro_batches = r.ranks * (1 + (uint32_t)dice_roll(dice, 5));
    }
    bool many = schedule == PIPE_INTERLEAVED || schedule == PIPE_LOOPED_BFS ||
                schedule == PIPE_ZB_INTERLEAVED;
    r.chunks = many ? 2 + (uint32_t)dice_roll(dice, 3) : 0;
    return r;
}

/* Often equal or ordered, as the regimes want them. */
static struct pipe_equal_times random_times(struct dice *dice) {
    struct pipe_equal_times t = {0};
    t.f = dice_roll(dice, 12);
    t.b = dice_roll(dice, 2) == 0 ? t.f : dice_roll(dice, 12);
    t.w = dice_roll(dice, 2) == 0 ? dice_roll(dice, t.f + 1) : dice_roll(dice, 12);
    uint64_t longest = t.f > t.b + t.w ? t.f : t.b + t.w;
    t.overlapped = longest + dice_roll(dice, t.f + t.b + t.w - longest + 1);
    t.latency = dice_roll(dice, 3) == 0 ? dice_roll(dice, 6) : 0;
    return t;
}

static void say(char text[200], const struct pipe_request *r, const struct pipe_equal_times *t) {
    (void)snprintf(text, 200, "%s p=%u m=%u v=%u G=%u f=%ju b=%ju w=%ju o=%ju c=%ju",
                   pipe_schedule_name(r->schedule), r->ranks, r->micro_batches, r->chunks, r->group,
                   (uintmax_t)t->f, (uintmax_t)t->b, (uintmax_t)t->w, (uintmax_t)t->overlapped,
                   (uintmax_t)t->latency);
}

static void expect_idle(const struct lab *lab, uint64_t idle, const char *text) {
    bool dual = lab->request.schedule == PIPE_DUALPIPE || lab->request.schedule == PIPE_DUALPIPEV;
    uint64_t most = 0;
    for (uint32_t r = 0; r < lab->shape.ranks; r++) {
        uint64_t got = lab->run->ranks[r].idle;
        most = got > most ? got : most;
        ck_assert_msg(dual || got == idle, "%s: idle of rank %u is %ju, not %ju", text, r,
                      (uintmax_t)got, (uintmax_t)idle);
    }
    ck_assert_msg(most == idle, "%s: idle is %ju at most, not %ju", text, (uintmax_t)most,
                  (uintmax_t)idle);
}

static void expect_in_flight(const struct lab *lab, const char *text) {
    for (uint32_t r = 0; r < lab->shape.ranks; r++) {
        uint64_t chunks = 0;
        if (pipe_closed_in_flight(&lab->request, r, false, &chunks)) {
            ck_assert_msg(chunks == lab->run->ranks[r].peak_until_b,
                          "%s: until B on rank %u %ju, not %ju", text, r,
                          (uintmax_t)lab->run->ranks[r].peak_until_b, (uintmax_t)chunks);
        }
        if (pipe_closed_in_flight(&lab->request, r, true, &chunks)) {
            ck_assert_msg(chunks == lab->run->ranks[r].peak_until_w,
                          "%s: until W on rank %u %ju, not %ju", text, r,
                          (uintmax_t)lab->run->ranks[r].peak_until_w, (uintmax_t)chunks);
        }
    }
}

/* True if the case was legal and its idle time is known. */
static bool one_case(struct dice *dice, enum pipe_schedule schedule) {
    struct lab lab;
    struct pipe_request request = random_request(dice, schedule);
    struct pipe_equal_times t = random_times(dice);
    uint64_t idle = 0, makespan = 0;
    char text[200];
    if (!lab_build(&lab, &request)) {
        return false;
    }
    say(text, &lab.request, &t);
    struct lab_times given = {t.f, t.b, t.w, {.has_overlapped = true, .overlapped = t.overlapped}};
    given.times.latency = t.latency;
    enum status ok = lab_simulate(&lab, lab_times(&given));
    ck_assert_msg(ok == STATUS_OK, "%s: %s", text, lab.why.id);
    bool known = pipe_closed_idle(&lab.request, &t, &idle);
    if (known) {
        expect_idle(&lab, idle, text);
        ck_assert_msg(pipe_closed_makespan(&lab.request, &t, &makespan), "%s", text);
        ck_assert_msg(makespan == lab.run->makespan, "%s: makespan %ju, not %ju", text,
                      (uintmax_t)lab.run->makespan, (uintmax_t)makespan);
    }
    expect_in_flight(&lab, text);
    ck_assert_msg(lab.run->sends == pipe_closed_sends(&lab.shape), "%s: %ju sends", text,
                  (uintmax_t)lab.run->sends);
    lab_close(&lab);
    return known;
}

START_TEST(closed_forms_equal_the_simulation) {
    struct dice dice = {(uint64_t)_i + 1};
    int rounds = test_rounds(2000) / PIPE_SCHEDULES * 5, known = 0;
    for (int i = 0; i < rounds; i++) {
        known += one_case(&dice, (enum pipe_schedule)_i) ? 1 : 0;
    }
    ck_assert_msg(known > rounds / 20, "%s: known in %d of %d cases only",
                  pipe_schedule_name((enum pipe_schedule)_i), known, rounds);
    ck_assert_ptr_nonnull(pipe_closed_idle_formula((enum pipe_schedule)_i, false));
}
END_TEST

START_TEST(a_term_that_overflows_is_not_known) {
    struct pipe_request r = {PIPE_GPIPE, 4, 8, 1, 0};
    struct pipe_equal_times t = {.f = UINT64_MAX / 2, .b = 1, .w = 1};
    uint64_t ticks = 7;
    ck_assert(!pipe_closed_idle(&r, &t, &ticks));
    ck_assert(!pipe_closed_makespan(&r, &t, &ticks));
    ck_assert_uint_eq(ticks, 7);
}
END_TEST

/* Loops over schedules, on so few ranks that nothing multiplies the sum which overflows. The same shape with times of an
 * eighth of that is known, so that nothing but the overflow is what is refused. */
START_TEST(no_schedule_knows_what_passes_the_largest_number) {
    struct pipe_request r = {.schedule = (enum pipe_schedule)_i, .micro_batches = 8};
    struct pipe_shape shape;
    struct message why;
    uint64_t ticks = 7;
    r.ranks = _i == PIPE_DUALPIPE || _i == PIPE_CHIMERA ? 4 : 2;
    ck_assert_int_eq(pipe_request_settle(&r, &r, &shape, &why), STATUS_OK);
    const uint64_t half = UINT64_C(1) << 63;
    struct pipe_equal_times t = {.f = half, .b = half, .overlapped = half};
    ck_assert(!pipe_closed_idle(&r, &t, &ticks));
    ck_assert(!pipe_closed_makespan(&r, &t, &ticks));
    ck_assert_uint_eq(ticks, 7);
    t = (struct pipe_equal_times){.f = half / 8, .b = half / 8, .overlapped = half / 8};
    ck_assert(pipe_closed_idle(&r, &t, &ticks));
}
END_TEST

static Suite *suite(void) {
    Suite *s = suite_create("closed_forms");
    TCase *t = tcase_create("closed_forms");
    tcase_add_loop_test(t, closed_forms_equal_the_simulation, 0, PIPE_SCHEDULES);
    tcase_add_test(t, a_term_that_overflows_is_not_known);
    tcase_add_loop_test(t, no_schedule_knows_what_passes_the_largest_number, 0, PIPE_SCHEDULES);
    suite_add_tcase(s, t);
    return s;
}

#include "support/check_main.h"
