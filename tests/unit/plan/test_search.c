/* The search finds what a search without any cleverness finds: here every combination of numbers is tried, each one that
 * is legal is priced through the public functions, and all are sorted. Counts, the list of the best, their bytes and times,
 * and the place of any layout must be the same. The rules of plan.h are written here a second time. */
#define _POSIX_C_SOURCE 200809L

#include <math.h>
#include <stdlib.h>

#include "../calc/dice.h"
#include "plan_support.h"
#include "support/rounds.h"

enum { FOUND_MAX = 40000, BEST = 12 };

struct brute {
    struct scenario base; /* resolved, for what no layout changes */
    uint64_t considered;
    int feasible;
    struct plan_layout layouts[FOUND_MAX];
};

static int in_order(const void *a, const void *b) {
    return plan_before(a, b) ? -1 : plan_before(b, a) ? 1 : 0;
}

/* What was given of a layout, looked up by name once. */
static const char *const pin_names[] = {"dp",
                                        "tp",
                                        "pp",
                                        "cp",
                                        "ep",
                                        "zero",
                                        "chunks",
                                        "schedule",
                                        "recompute",
                                        "micro-batch",
                                        "micro-batches",
                                        "sequence-parallel"};
static struct {
    bool given;
    uint64_t value;
} pins[ROWS(pin_names)];

static void read_pins(const struct scenario *applied) {
    for (int i = 0; i < ROWS(pin_names); i++) {
        int index = calc_option_index(pin_names[i]);
        pins[i].given = calc_option_given(applied, index);
        pins[i].value = calc_option_value(applied, index);
    }
}

static bool is_pinned(const char *name) {
    for (int i = 0; i < ROWS(pin_names); i++) {
        if (strcmp(pin_names[i], name) == 0) {
            return pins[i].given;
        }
    }
    ck_abort_msg("%s", name);
}

/* Whether any number of chunks from 2 to 16 cuts the layers evenly over `pp` stages. */
static bool some_cut(uint64_t layers, uint64_t pp) {
    for (uint64_t v = 2; v <= 16; v++) {
        if (v * pp <= layers && layers % (v * pp) == 0) {
            return true;
        }
    }
    return false;
}

/* Two chunks, and nothing else. */
static bool is_folded(const struct plan_layout *l) {
    return l->schedule == CALC_SCHEDULE_ZB_V || l->schedule == CALC_SCHEDULE_DUALPIPEV;
}

/* The same of schedules; here also to try less. */
static bool schedule_is_looked_at(const struct plan_layout *l) {
    bool usual = l->schedule == CALC_SCHEDULE_1F1B ||
                 (l->pp > 1 &&
                  (l->schedule == CALC_SCHEDULE_ZB_H1 || l->schedule == CALC_SCHEDULE_INTERLEAVED));
    bool chunked = l->schedule == CALC_SCHEDULE_INTERLEAVED ||
                   l->schedule == CALC_SCHEDULE_LOOPED_BFS ||
                   l->schedule == CALC_SCHEDULE_ZB_INTERLEAVED;
    return (is_pinned("schedule") || usual) &&
           (is_pinned("chunks") || is_folded(l) || chunked == (l->chunks > 1));
}

/* One rank shares nothing: ZeRO 0 to 2 are one layout, and ZeRO 3 too unless units come and go. */
static bool zero_is_looked_at(const struct scenario *s, const struct plan_layout *l) {
    bool megatron = s->convention == CALC_CONVENTION_MEGATRON;
    bool fsdp = s->convention == CALC_CONVENTION_FSDP;
    bool deepspeed = s->convention == CALC_CONVENTION_DEEPSPEED;
    uint64_t sharing = megatron ? l->dp * l->cp : l->dp;
    uint64_t experts = l->dp * l->cp * l->tp / l->ep;
    bool alone = sharing == 1 && (!scenario_has_experts(s) || experts <= 1);
    return !alone || is_pinned("zero") || l->zero == (fsdp ? 2 : 0) ||
           (l->zero == 3 && (fsdp || deepspeed));
}

/* The other rules of the search that are not rules of the scenario. */
static bool is_looked_at(const struct scenario *s, const struct plan_layout *l) {
    uint64_t layers = s->model.layers, node = s->cluster.gpus_per_node, seq = s->batch.seq;
    bool tp = is_pinned("tp") || node % l->tp == 0;
    bool cp = is_pinned("cp") || l->cp == 1 || (seq / l->cp >= 1024 && seq % (2 * l->cp) == 0);
    bool ep = is_pinned("ep") || l->ep == 1 || s->model.experts % l->ep == 0;
    bool power = (l->chunks & (l->chunks - 1)) == 0;
    bool cut =
        is_pinned("chunks") || l->chunks == 1 || is_folded(l) ||
        (l->pp > 1 && (layers % (l->chunks * l->pp) == 0 || (power && !some_cut(layers, l->pp))));
    bool selective = is_pinned("recompute") || l->recompute != CALC_RECOMPUTE_SELECTIVE ||
                     s->recipe.attention == CALC_ATTENTION_STANDARD;
    return tp && cp && ep && cut && selective && zero_is_looked_at(s, l);
}

/* In the order of pin_names. */
static bool all_pins_allow(const struct plan_layout *l) {
    const uint64_t values[] = {l->dp,
                               l->tp,
                               l->pp,
                               l->cp,
                               l->ep,
                               l->zero,
                               l->chunks,
                               (uint64_t)l->schedule,
                               (uint64_t)l->recompute,
                               l->micro_batch,
                               l->micro_batches,
                               l->sequence_parallel ? 1 : 0};
    for (int i = 0; i < ROWS(pin_names); i++) {
        bool idle = l->tp == 1 && strcmp(pin_names[i], "sequence-parallel") == 0;
        if (pins[i].given && !idle && pins[i].value != values[i]) {
            return false;
        }
    }
    return true;
}

static void try_one(const struct plan_request *r, const struct plan_layout *l, struct brute *out) {
    struct scenario s;
    struct message why;
    if (!all_pins_allow(l) || !schedule_is_looked_at(l) || !is_looked_at(&out->base, l) ||
        plan_scenario(r, l, &s, &why) != STATUS_OK) {
        return;
    }
    struct plan_layout priced;
    if (plan_price_in(&s, lent_space(), &priced, &why) !=
        STATUS_OK) { /* no closed form for so few micro-batches */
        must_hold(strcmp(why.id, "error.plan.regime") == 0, "%s", message_line(&why));
        return;
    }
    out->considered++;
    if (priced.total_bytes <= scenario_capacity_bytes(&s)) {
        ck_assert_int_lt(out->feasible, FOUND_MAX);
        out->layouts[out->feasible++] = priced;
    }
}

/* Schedules, chunks, ZeRO stages and recomputations of one division of the GPUs. */
static void try_kinds(const struct plan_request *r, struct plan_layout l, struct brute *out) {
    uint64_t layers = r->applied->model.layers; /* more stages than layers are refused anyway */
    for (l.chunks = 1; l.chunks <= 16 && l.chunks * l.pp <= layers; l.chunks++) {
        for (l.schedule = 0; l.schedule <= CALC_SCHEDULE_CHIMERA; l.schedule++) {
            for (l.zero = 0; l.zero <= 3; l.zero++) {
                for (l.recompute = 0; l.recompute <= CALC_RECOMPUTE_FULL; l.recompute++) {
                    l.sequence_parallel = false;
                    try_one(r, &l, out);
                    l.sequence_parallel = true;
                    if (l.tp > 1) {
                        try_one(r, &l, out);
                    }
                }
                l.recompute = 0;
            }
            l.zero = 0;
        }
    }
}

static void try_all(const struct plan_request *r, struct brute *out) {
    struct plan_layout l = {0};
    uint64_t n = r->gpus, b = r->global_batch;
    struct message why;
    out->considered = 0;
    out->feasible = 0;
    read_pins(r->applied);
    ck_assert_int_eq(scenario_resolve(r->applied, &out->base, &why), STATUS_OK);
    for (l.tp = 1; l.tp <= n; l.tp++) {
        for (l.pp = 1; n % l.tp == 0 && l.pp <= n / l.tp; l.pp++) {
            for (l.cp = 1; n % (l.tp * l.pp) == 0 && l.cp <= n / l.tp / l.pp; l.cp++) {
                l.dp = n / l.tp / l.pp / l.cp;
                for (l.ep = 1; l.dp * l.tp * l.pp * l.cp == n && l.ep <= l.dp * l.cp * l.tp;
                     l.ep++) {
                    for (l.micro_batch = 1; b % l.dp == 0 && l.micro_batch <= b / l.dp;
                         l.micro_batch++) {
                        l.micro_batches = b / l.dp / l.micro_batch;
                        if (l.dp * l.micro_batch * l.micro_batches == b) {
                            try_kinds(r, l, out);
                        }
                    }
                }
            }
        }
    }
    qsort(out->layouts, (size_t)out->feasible, sizeof out->layouts[0], in_order);
}

static void same_layout(const struct plan_layout *a, const struct plan_layout *b, int place) {
    char one[256], other[256];
    show(a, one, sizeof one);
    show(b, other, sizeof other);
    bool times = fabs(a->step_s - b->step_s) <= 1e-12 * b->step_s && fabs(a->mfu - b->mfu) < 1e-12;
    must_hold(times && !plan_before(a, b) && !plan_before(b, a) && a->dp == b->dp &&
                  a->total_bytes == b->total_bytes && a->micro_batches == b->micro_batches,
              "place %d: %s (mfu %.15g), not %s (mfu %.15g)", place, one, a->mfu, other, b->mfu);
}

static void compare(const char *line, uint64_t gpus, uint64_t batch) {
    static struct brute all;
    static struct plan_layout best[BEST];
    struct scenario applied = applied_of(line);
    struct plan_request r = {&applied, gpus, batch};
    try_all(&r, &all);
    struct plan_summary found = search_of(&r, NULL, best, BEST);
    must_hold(found.considered == all.considered && found.feasible == (uint64_t)all.feasible,
              "%s on %ju: %ju considered, %ju fit; one by one %ju and %d", line, (uintmax_t)gpus,
              (uintmax_t)found.considered, (uintmax_t)found.feasible, (uintmax_t)all.considered,
              all.feasible);
    ck_assert_int_eq(found.count, all.feasible < BEST ? all.feasible : BEST);
    for (int i = 0; i < found.count; i++) {
        same_layout(&best[i], &all.layouts[i], i);
    }
    for (int i = 0; i < all.feasible; i += 1 + all.feasible / 3) {
        found = search_of(&r, &all.layouts[i], best, 1);
        must_hold(found.faster == (uint64_t)i, "%s: place %d is said to be %ju", line, i,
                  (uintmax_t)found.faster);
    }
}

#define DENSE "--layers 8 --hidden 512 --heads 8 --kv-heads 4 --vocab 4096"
#define SPARSE                                                                                     \
    "--layers 6 --hidden 512 --heads 8 --vocab 2048 --ffn 1024 --dense-layers 1 --experts 4 "      \
    "--experts-active 2 --moe-ffn 512"

static const struct {
    const char *line;
    uint64_t gpus, batch;
} cases[] = {
    {DENSE " --seq 2K --memory 3GB" CARD, 8, 16},
    {DENSE " --seq 2K --memory 500MB" CARD, 16, 32},
    {DENSE " --seq 8K --memory 1GB" CARD, 12, 24},
    {DENSE " --seq 1K --memory 1GB --attention standard --dropout" CARD, 8, 8},
    {DENSE " --seq 2K --memory 1GB --convention megatron" CARD, 8, 16},
    {DENSE " --seq 2K --memory 1GB --convention deepspeed" CARD, 8, 8},
    {DENSE " --seq 2K --memory 600MB --convention fsdp" CARD, 8, 8},
    {"--layers 7 --hidden 512 --heads 8 --vocab 4096 --seq 4K --memory 1GB" CARD, 16, 16},
    {SPARSE " --seq 2K --memory 500MB" CARD, 8, 16},
    {DENSE " --seq 2K --memory 1GB --tp 2 --zero 1" CARD, 16, 16},
    {DENSE " --seq 2K --memory 1GB --pp 4 --schedule interleaved" CARD, 16, 32},
    {DENSE " --seq 2K --memory 1GB --schedule gpipe --recompute full" CARD, 8, 16},
    {DENSE " --seq 2K --memory 1GB --schedule zb-h2 --pp 2" CARD, 8, 16},
    {DENSE " --seq 2K --memory 1GB --schedule looped-bfs" CARD, 8, 16},
    {DENSE " --seq 2K --memory 1GB --schedule zb-interleaved --tp 1" CARD, 8, 16},
    {DENSE " --seq 2K --memory 1GB --chunks 2 --pp 2" CARD, 8, 16},
    {DENSE " --seq 2K --memory 1GB --micro-batches 4 --no-sequence-parallel" CARD, 8, 16},
    {DENSE " --seq 2K --memory 1GB --cp 8 --tp 8" CARD, 64, 4},
    {DENSE " --seq 2K --memory 1GB --schedule zb-v" CARD, 8, 16},
    {DENSE " --seq 2K --memory 500MB --schedule dualpipe --alpha-us 900" CARD, 8, 32},
    {DENSE " --seq 2K --memory 600MB --schedule dualpipev" CARD, 8, 32},
    {DENSE " --seq 2K --memory 1GB --schedule chimera --recompute full" CARD, 8, 16},
    {SPARSE " --seq 2K --memory 500MB --schedule dualpipe --tp 1" CARD, 8, 32},
    {DENSE " --seq 2K --memory 1MB" CARD, 8, 8},
    {DENSE " --seq 2K --memory 1GB --optimizer muon --grad-bytes 4" CARD, 7, 7},
    {DENSE " --seq 2K --memory 1GB" CARD, 1, 6},
};

START_TEST(the_search_finds_what_trying_everything_finds) {
    compare(cases[_i].line, cases[_i].gpus, cases[_i].batch);
}
END_TEST

START_TEST(random_models_are_planned_as_by_trying_everything) {
    struct dice d = {7};
    for (int i = 0; i < test_rounds(8); i++) {
        char line[400];
        (void)snprintf(line, sizeof line,
                       "--layers %d --hidden 256 --heads 8 --vocab %d --seq %d --memory %dMB "
                       "--grad-bytes %d" CARD,
                       (int)dice_roll(&d, 9) + 1, (int)dice_roll(&d, 9000) + 1,
                       1024 << dice_roll(&d, 3), 50 << dice_roll(&d, 6), 2 << dice_roll(&d, 2));
        compare(line, dice_roll(&d, 16) + 1, dice_roll(&d, 24) + 1);
    }
}
END_TEST

START_TEST(a_pin_outside_the_rules_is_taken_at_its_word) {
    struct scenario applied = applied_of(DENSE " --seq 2K --memory 3GB --tp 8" CARD);
    struct plan_request r = {&applied, 8, 16};
    struct plan_layout best[4];
    struct plan_summary found = search_of(&r, NULL, best, 4);
    ck_assert_int_gt(found.count, 0);
    ck_assert_uint_eq(best[0].tp, 8); /* twice the node */
}
END_TEST

static const struct {
    const char *line;
    uint64_t gpus, batch;
    const char *why;
} refused[] = {
    {DENSE " --memory 1GB" CARD, 0, 8, "error.plan.no_gpus"},
    {DENSE " --memory 1GB" CARD, 8, 0, "error.plan.no_batch"},
    {DENSE " --memory 1GB" CARD, UINT64_C(1) << 21, 8, "error.plan.many_gpus|2097152|1048576"},
    {DENSE CARD, 8, 8, "error.plan.no_memory"},
    {DENSE " --memory 1GB --precision fp16" CARD, 8, 8, "error.plan.no_peak|fp16|"},
    {DENSE " --memory 1GB --net-gb-per-s 1 --gpus-per-node 4", 4, 8, "error.plan.no_link"},
    {DENSE " --memory 1GB --link-gb-per-s 1 --gpus-per-node 4", 8, 8, "error.plan.no_net"},
    {"--params 7B --memory 1GB" CARD, 8, 8, "error.plan.params_only"},
    {DENSE " --memory 1GB --convention hf" CARD, 8, 8, "error.plan.hf"},
    {DENSE " --memory 1GB --schedule zb-v" CARD, 8, 8, "error.plan.schedule|zb-v"},
    {DENSE " --memory 1GB --schedule chimera" CARD, 8, 8, "error.plan.schedule|chimera"},
};

START_TEST(what_is_missing_is_named) {
    struct scenario applied = applied_of(refused[_i].line);
    struct plan_request r = {&applied, refused[_i].gpus, refused[_i].batch};
    struct plan_layout best[1];
    struct plan_summary found;
    struct message why;
    struct plan_list list = {best, 1, NULL};
    ck_assert_int_eq(plan_search(&r, &list, &found, &why), STATUS_USAGE);
    ck_assert_str_eq(message_line(&why), refused[_i].why);
}
END_TEST

START_TEST(a_layout_that_is_no_layout_of_the_cluster_is_refused) {
    struct scenario applied = applied_of(DENSE " --seq 2K --memory 1GB" CARD), s;
    struct plan_request r = {&applied, 8, 16};
    struct plan_layout l = {.dp = 2,
                            .tp = 4,
                            .pp = 1,
                            .cp = 1,
                            .ep = 1,
                            .chunks = 1,
                            .micro_batch = 1,
                            .micro_batches = 8};
    struct message why;
    ck_assert_int_eq(plan_scenario(&r, &l, &s, &why), STATUS_OK);
    ck_assert(!s.layout.sequence_parallel);
    l.sequence_parallel = true;
    ck_assert_int_eq(plan_scenario(&r, &l, &s, &why), STATUS_OK);
    ck_assert(s.layout.sequence_parallel);
    l.dp = 4;
    ck_assert_int_eq(plan_scenario(&r, &l, &s, &why), STATUS_USAGE);
    ck_assert_str_eq(message_line(&why), "error.plan.gpus|4|4|1|1|8");
    l.dp = 2;
    l.micro_batches = 7;
    ck_assert_int_eq(plan_scenario(&r, &l, &s, &why), STATUS_USAGE);
    ck_assert_str_eq(message_line(&why), "error.plan.batch|2|1|7|16");
    l = (struct plan_layout){.dp = 2,
                             .tp = 1,
                             .pp = 4,
                             .cp = 1,
                             .ep = 1,
                             .chunks = 2,
                             .schedule = CALC_SCHEDULE_INTERLEAVED,
                             .micro_batch = 4,
                             .micro_batches = 2};
    ck_assert_int_eq(plan_scenario(&r, &l, &s, &why), STATUS_USAGE);
    ck_assert_str_eq(message_line(&why), "error.plan.interleaved|2|4");
    l.tp = 3;
    ck_assert_int_eq(plan_scenario(&r, &l, &s, &why), STATUS_USAGE);
    ck_assert_str_eq(why.id, "error.rule.tp_heads");
}
END_TEST

static Suite *suite(void) {
    Suite *s = suite_create("search");
    TCase *t = tcase_create("search");
    tcase_set_timeout(t, 120);
    tcase_add_loop_test(t, the_search_finds_what_trying_everything_finds, 0, ROWS(cases));
    tcase_add_test(t, random_models_are_planned_as_by_trying_everything);
    tcase_add_test(t, a_pin_outside_the_rules_is_taken_at_its_word);
    tcase_add_loop_test(t, what_is_missing_is_named, 0, ROWS(refused));
    tcase_add_test(t, a_layout_that_is_no_layout_of_the_cluster_is_refused);
    suite_add_tcase(s, t);
    return s;
}

#include "support/check_main.h"
