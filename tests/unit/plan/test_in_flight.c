/* The memory calculator's closed forms against the schedules themselves: what is in flight on a rank at the worst
 * moment, counted along its order list, for every legal combination of a range. Time plays no part: a rank runs its
 * list in its own order, whatever it waits for. Both sides must also agree on what is legal. */
#include "shardlab/calc/schedule.h"

#include <check.h>
#include <string.h>

#include "shardlab/calc/option.h"
#include "shardlab/calc/timeline.h"
#include "shardlab/pipe/schedule.h"

enum { P_MAX = 9, M_MAX = 28, V_MAX = 4, OPS_MAX = 1 << 15 };

static struct pipe_op ops[OPS_MAX];
static struct pipe_order order;

struct counts {
    uint64_t now, most;
};

static void change(struct counts *c, bool more) {
    c->now += more ? 1 : 0;
    c->most = c->now > c->most ? c->now : c->most;
    c->now -= more ? 0 : 1;
}

/* Chunks whose forward has begun and whose W or full backward has not ended; those of the last stage alone. */
static void walk(uint32_t rank, struct counts *all, struct counts *heads) {
    uint32_t last = pipe_stages(&order.shape) - 1;
    *all = *heads = (struct counts){0};
    for (uint64_t i = order.first[rank]; i < order.first[rank + 1]; i++) {
        struct pipe_op op = ops[i];
        if (op.kind == PIPE_B) {
            continue;
        }
        change(all, op.kind == PIPE_F);
        if (pipe_stage_at(&order.shape, rank, op.chunk) == last) {
            change(heads, op.kind == PIPE_F);
        }
    }
}

/* --params only: the layers do not matter here. */
static struct scenario scenario_of(const char *name, uint64_t p, uint64_t m, uint64_t v) {
    struct scenario s;
    struct message why;
    const char *const *names = calc_option_at(calc_option_index("schedule"))->choices;
    scenario_start(&s);
    ck_assert_int_eq(calc_option_set(&s, calc_option_index("params"), "1B", &why), STATUS_OK);
    ck_assert_int_eq(calc_option_set(&s, calc_option_index("schedule"), name, &why), STATUS_OK);
    ck_assert_str_eq(names[s.layout.schedule], name);
    s.layout.pp = p;
    s.layout.chunks = v;
    s.batch.micro_batches = m;
    ck_assert_int_eq(scenario_resolve(&s, &s, &why), STATUS_OK);
    return s;
}

static void compare(const struct scenario *s, const struct pipe_request *r) {
    uint32_t last = pipe_stages(&order.shape) - 1;
    for (uint32_t rank = 0; rank < r->ranks; rank++) {
        struct counts all, heads;
        struct message why;
        uint64_t in_flight = 0;
        bool has_head = false;
        walk(rank, &all, &heads);
        for (uint32_t chunk = 0; chunk < order.shape.chunks; chunk++) {
            has_head = has_head || pipe_stage_at(&order.shape, rank, chunk) == last;
        }
        ck_assert_int_eq(calc_in_flight(s, rank, &in_flight, &why), STATUS_OK);
        ck_assert_msg(in_flight == all.most && all.now == 0 && has_head == calc_has_head(s, rank) &&
                          (!has_head || heads.most == calc_heads_in_flight(s)),
                      "%s p=%u m=%u v=%u rank %u: %ju in flight, %ju heads",
                      pipe_schedule_name(r->schedule), r->ranks, r->micro_batches, r->chunks, rank,
                      (uintmax_t)all.most, (uintmax_t)heads.most);
    }
}

START_TEST(what_is_in_flight_is_what_the_order_holds) {
    const char *name = pipe_schedule_name((enum pipe_schedule)_i);
    int compared = 0;
    for (uint32_t i = 0; i < P_MAX * M_MAX * V_MAX; i++) {
        uint32_t p = i % P_MAX + 1, m = i / P_MAX % M_MAX + 1, v = i / P_MAX / M_MAX + 1;
        struct pipe_request r = {(enum pipe_schedule)_i, p, m, v, 0};
        struct pipe_shape shape;
        struct message why;
        struct scenario s = scenario_of(name, p, m, v);
        bool legal = pipe_request_settle(&r, &r, &shape, &why) == STATUS_OK;
        bool calc_legal = scenario_violations(&s, &why, 1) == 0;
        bool ragged = _i == PIPE_INTERLEAVED && calc_group_is_ragged(&s); /* counted, with a note */
        ck_assert_msg(legal == calc_legal || (ragged && !legal), "%s p=%u m=%u v=%u", name, p, m,
                      v);
        if (legal) {
            pipe_schedule_build(&r, &shape, ops, OPS_MAX, &order);
            compare(&s, &r);
            compared++;
        }
    }
    ck_assert_int_gt(compared, 25);
}
END_TEST

/* F, and W or a full backward, in the order of a rank: the steps of the memory timeline. */
static void compare_timeline(const struct scenario *s, uint32_t rank) {
    static struct calc_memory memory;
    struct calc_timeline t;
    struct calc_event e;
    struct message why;
    uint64_t at = order.first[rank];
    ck_assert_int_eq(calc_memory_on_stage(s, rank, &memory, &why), STATUS_OK);
    for (calc_timeline_start(&t, s, &memory); calc_timeline_next(&t, &e);) {
        bool forward = e.kind == CALC_EVENT_FORWARD_END;
        if (!forward && e.kind != CALC_EVENT_BACKWARD_END) {
            continue;
        }
        while (at < order.first[rank + 1] && ops[at].kind == PIPE_B) {
            at++;
        }
        ck_assert_uint_lt(at, order.first[rank + 1]);
        struct pipe_op op = ops[at++];
        ck_assert_msg(forward == (op.kind == PIPE_F) && e.micro_batch == op.micro_batch &&
                          e.chunk == op.chunk,
                      "schedule %d p=%ju m=%ju rank %u", s->layout.schedule,
                      (uintmax_t)s->layout.pp, (uintmax_t)s->batch.micro_batches, rank);
    }
    ck_assert_uint_eq(at, order.first[rank + 1]);
}

START_TEST(the_memory_timeline_takes_the_steps_of_the_order) {
    const char *name = pipe_schedule_name((enum pipe_schedule)_i);
    int followed = 0;
    for (uint32_t i = 0; i < 5 * 13 * 3; i++) {
        struct pipe_request r = {(enum pipe_schedule)_i, i % 5 + 1, i / 5 % 13 + 1, i / 65 + 1, 0};
        struct pipe_shape shape;
        struct message why;
        if (pipe_request_settle(&r, &r, &shape, &why) != STATUS_OK) {
            continue;
        }
        struct scenario s = scenario_of(name, r.ranks, r.micro_batches, r.chunks);
        calc_option_clear(&s, calc_option_index("params"));
        s.model = (struct calc_model){.layers = 15, .hidden = 8, .heads = 1, .vocab = 8};
        s.batch.seq = 8;
        ck_assert_int_eq(scenario_resolve(&s, &s, &why), STATUS_OK);
        struct calc_memory known = {.activations_known = true};
        if (!calc_timeline_follows(&s, &known)) {
            continue;
        }
        pipe_schedule_build(&r, &shape, ops, OPS_MAX, &order);
        for (uint32_t rank = 0; rank < r.ranks; rank++) {
            compare_timeline(&s, rank);
            followed++;
        }
    }
    bool in_turn =
        _i != PIPE_ZB_V && _i != PIPE_DUALPIPE && _i != PIPE_DUALPIPEV && _i != PIPE_CHIMERA;
    ck_assert_int_eq(followed > 0, in_turn);
}
END_TEST

START_TEST(both_sides_know_the_same_schedules_and_their_chunks) {
    const char *const *names = calc_option_at(calc_option_index("schedule"))->choices;
    int count = 0;
    for (; names[count] != NULL; count++) {
        int schedule = pipe_schedule_find(names[count]);
        ck_assert_msg(schedule >= 0, "%s", names[count]);
        struct pipe_request r = {(enum pipe_schedule)schedule, 4, 8, 0, 0};
        struct pipe_shape shape;
        struct message why;
        ck_assert_int_eq(pipe_request_settle(&r, &r, &shape, &why), STATUS_OK);
        struct scenario s = scenario_of(names[count], 4, 8, 0);
        ck_assert_uint_eq(s.layout.chunks, r.chunks);
        ck_assert_uint_eq(calc_chunks_held(&s), shape.chunks);
    }
    ck_assert_int_eq(count, PIPE_SCHEDULES);
}
END_TEST

static Suite *suite(void) {
    Suite *s = suite_create("in flight");
    TCase *flight = tcase_create("in flight");
    tcase_add_loop_test(flight, what_is_in_flight_is_what_the_order_holds, 0, PIPE_SCHEDULES);
    tcase_add_loop_test(flight, the_memory_timeline_takes_the_steps_of_the_order, 0,
                        PIPE_SCHEDULES);
    tcase_add_test(flight, both_sides_know_the_same_schedules_and_their_chunks);
    suite_add_tcase(s, flight);
    return s;
}

#include "support/check_main.h"
