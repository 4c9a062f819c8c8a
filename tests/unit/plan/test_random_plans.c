/* Random models, clusters and pins, likely and absurd: planning ends, and is either refused with a sentence or gives
 * figures that are numbers, in order, within the memory, and products that come out. Only small for ctest; in the
 * target `long` a million models' FLOPs and twenty thousand plans. */
#define _POSIX_C_SOURCE 200809L

#include <math.h>

#include "../calc/dice.h"
#include "plan_support.h"
#include "shardlab/calc/flops.h"
#include "support/rounds.h"

enum { PLANS = 400, BEST = 8, SLOW = 50 }; /* a plan prices thousands of layouts */

#define PICK(d, list) ((list)[dice_roll((d), sizeof(list) / sizeof((list)[0]))])

static void add(struct dice *d, char *line, size_t room, const char *option) {
    static const char *const values[] = {"1", "2", "3", "4", "7", "8", "16", "64", "1024"};
    size_t at = strlen(line);
    (void)snprintf(line + at, room - at, " --%s %s", option, PICK(d, values));
}

static void add_choices(struct dice *d, char *line, size_t room) {
    static const char *const more[] = {"",
                                       " --zero 3",
                                       " --zero 1",
                                       " --recompute full",
                                       " --recompute selective",
                                       " --attention standard --dropout",
                                       " --schedule interleaved",
                                       " --schedule zb-h2",
                                       " --schedule gpipe",
                                       " --schedule zb-interleaved",
                                       " --schedule zb-v",
                                       " --schedule dualpipe",
                                       " --schedule dualpipev --alpha-us 1000000",
                                       " --schedule chimera",
                                       " --recompute-norms --recompute-activation",
                                       " --recompute-latents",
                                       " --precision fp8 --input-bytes 1",
                                       " --expert-nodes 2",
                                       " --optimizer adam16bit",
                                       " --convention megatron",
                                       " --convention fsdp",
                                       " --convention deepspeed",
                                       " --no-sequence-parallel",
                                       " --precision fp32",
                                       " --offload optimizer --pcie-gb-per-s 30",
                                       " --layers-per-stage 3,2,1"};
    static const char *const pins[] = {"dp",  "tp",     "pp",          "cp",           "ep",
                                       "etp", "chunks", "micro-batch", "micro-batches"};
    for (int i = 0; i < 2; i++) {
        size_t at = strlen(line);
        (void)snprintf(line + at, room - at, "%s", PICK(d, more));
    }
    for (uint64_t i = dice_roll(d, 3); i > 0; i--) {
        add(d, line, room, PICK(d, pins));
    }
}

static struct scenario random_applied(struct dice *d, char *line, size_t room) {
    static const char *const models[] = {
        "--layers 6 --hidden 256 --heads 8 --vocab 1000",
        "--layers 96 --hidden 12288 --heads 96 --vocab 51200",
        ("--layers 61 --hidden 1024 --heads 16 --vocab 9000 --ffn 2048 --dense-layers 3 "
         "--experts 64 --experts-active 4 --moe-ffn 512"),
        "--layers 1 --hidden 1 --heads 1 --vocab 1",
        ("--layers 16 --hidden 512 --heads 8 --vocab 2000 --ffn 1024 --q-rank 96 --kv-rank 32 "
         "--qk-nope 16 --qk-rope 8 --v-head 16"),
        "--layers 1000 --hidden 1048576 --heads 64 --vocab 100000000",
        "--layers 1099511627776 --hidden 1099511627776 --heads 1 --vocab 1",
    };
    static const char *const memories[] = {"1", "1GB", "80GB", "1TB", "4611686018427387904"};
    static const char *const seqs[] = {"1", "1000", "4K", "128K", "1048576"};
    (void)snprintf(line, room, "%s --memory %s --seq %s" CARD, PICK(d, models), PICK(d, memories),
                   PICK(d, seqs));
    add_choices(d, line, room);
    return applied_of(line);
}

static void check_layout(const struct plan_request *r, const struct plan_summary *found,
                         const struct plan_layout *l, const char *line) {
    char shown[256];
    show(l, shown, sizeof shown);
    must_hold(l->dp * l->tp * l->pp * l->cp == r->gpus, "%s: %s", line, shown);
    must_hold(l->dp * l->micro_batch * l->micro_batches == r->global_batch, "%s: %s", line, shown);
    must_hold(l->total_bytes <= found->capacity_bytes, "%s: %s", line, shown);
    must_hold(isfinite(l->step_s) && l->step_s > 0 && l->mfu >= 0 && l->mfu <= 1.0, "%s: %s", line,
              shown);
    must_hold(l->bubble >= 0 && l->bubble < 1, "%s: %s", line, shown);
    for (int i = 0; i < PLAN_TERMS; i++) {
        must_hold(isfinite(l->term_s[i]) && l->term_s[i] >= 0, "%s: %s: %s", line, shown,
                  plan_term_name((enum plan_term)i));
    }
}

START_TEST(random_plans_end_with_a_refusal_or_with_figures) {
    struct dice d = {405};
    static struct plan_layout best[BEST];
    int planned = 0, refused = 0;
    for (int i = 0; i < test_rounds_slow(PLANS, SLOW); i++) {
        static const uint64_t many[] = {1,  2,    3,    8,    12,    16,     64,
                                        96, 1000, 1024, 4096, 16384, 1048576};
        char line[900];
        struct scenario applied = random_applied(&d, line, sizeof line);
        struct plan_request r = {&applied, PICK(&d, many), PICK(&d, many)};
        struct plan_list list = {best, BEST, NULL};
        struct plan_summary found;
        struct message why = {0};
        const struct plan_space *space = dice_roll(&d, 8) == 0 ? NULL : lent_space();
        if (plan_search_in(&r, &list, space, &found, &why) != STATUS_OK) {
            must_hold(why.id != NULL, "%s", line);
            refused++;
            continue;
        }
        must_hold(found.feasible <= found.considered, "%s", line);
        must_hold(found.considered > 0 || found.refusal.id != NULL, "%s", line);
        for (int k = 0; k < found.count; k++) {
            check_layout(&r, &found, &best[k], line);
            must_hold(k == 0 || plan_before(&best[k - 1], &best[k]), "%s: place %d", line, k);
        }
        planned += found.count > 0 ? 1 : 0;
    }
    ck_assert_int_gt(planned, PLANS / 20);
    ck_assert_int_gt(refused, 0);
}
END_TEST

/* FLOPs of the same models: never negative, never not a number, parts that sum. */
START_TEST(random_models_have_flops_that_sum) {
    struct dice d = {6};
    int summed = 0;
    for (int i = 0; i < test_rounds(PLANS); i++) {
        char line[900];
        struct scenario s = random_applied(&d, line, sizeof line);
        struct calc_flops f;
        struct message why;
        if (scenario_resolve(&s, &s, &why) != STATUS_OK || scenario_violations(&s, &why, 1) > 0 ||
            calc_flops_per_token(&s, &f, &why) != STATUS_OK) {
            continue;
        }
        uint64_t sum = 0;
        for (int k = 0; k < f.term_count; k++) {
            sum += f.terms[k].flops;
        }
        must_hold(sum == f.hardware && f.model <= f.hardware && f.causal <= f.model, "%s", line);
        struct calc_flops_stage stage;
        must_hold(calc_flops_on_stage(&s, s.layout.pp - 1, &stage, &why) == STATUS_OK, "%s", line);
        must_hold(isfinite(stage.forward) && stage.forward >= 0 && stage.weight_grad >= 0 &&
                      stage.recompute >= 0,
                  "%s", line);
        summed++;
    }
    ck_assert_int_gt(summed, PLANS / 20);
}
END_TEST

static Suite *suite(void) {
    Suite *s = suite_create("random plans");
    TCase *t = tcase_create("random plans");
    tcase_set_timeout(t, 3000);
    tcase_add_test(t, random_plans_end_with_a_refusal_or_with_figures);
    tcase_add_test(t, random_models_have_flops_that_sum);
    suite_add_tcase(s, t);
    return s;
}

#include "support/check_main.h"
