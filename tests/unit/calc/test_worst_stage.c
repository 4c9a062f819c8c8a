/* The worst stage is found without computing stages that cannot be it: on random scenarios the answer is that of a
 * search over all stages, to the stage and the byte. */
#define _POSIX_C_SOURCE 200809L

#include "calc_support.h"
#include "dice.h"
#include "shardlab/calc/comm.h"
#include "support/rounds.h"

enum { SCENARIOS = 4000 };

#define PICK(d, list) ((list)[dice_roll((d), sizeof(list) / sizeof((list)[0]))])

/* Legal or not. */
static struct scenario random_scenario(struct dice *d) {
    static const char *const models[] = {
        "--layers 13 --hidden 256 --heads 8 --vocab 1000",
        "--layers 24 --hidden 64 --heads 8 --vocab 50000 --tied --attention standard --dropout",
        ("--layers 17 --hidden 256 --heads 8 --vocab 1000 --ffn 2048 --dense-layers 3 --experts 8 "
         "--experts-active 2 --moe-ffn 256"),
        "--params 7B",
    };
    static const char *const conventions[] = {"zero-paper", "megatron", "deepspeed", "fsdp"};
    static const char *const logits[] = {"none", "bf16", "fp32x3"};
    static const char *const optimizers[] = {"adam", "sgd", "adam8bit"};
    static const char *const more[] = {"",
                                       " --schedule gpipe",
                                       " --schedule zb-h1",
                                       " --schedule zb-h2",
                                       " --schedule zb-v",
                                       " --schedule dualpipe",
                                       " --schedule dualpipev",
                                       " --schedule zb-interleaved",
                                       " --schedule chimera",
                                       " --chunks 2",
                                       " --chunks 3",
                                       " --recompute full",
                                       " --recompute selective",
                                       " --offload optimizer",
                                       " --tp 4 --sequence-parallel",
                                       " --zero 3 --dp 4",
                                       " --zero 1 --dp 8"};
    char line[512];
    (void)snprintf(line, sizeof line,
                   "%s --pp %d --micro-batches %d --convention %s --logits %s --optimizer %s%s",
                   PICK(d, models), (int)dice_roll(d, 12) + 1, (int)dice_roll(d, 20) + 1,
                   PICK(d, conventions), PICK(d, logits), PICK(d, optimizers), PICK(d, more));
    return resolved_of(line);
}

START_TEST(the_worst_stage_is_that_of_a_search_over_all) {
    struct dice d = {20261130};
    int compared = 0;
    for (int i = 0; i < test_rounds(SCENARIOS); i++) {
        struct scenario s = random_scenario(&d);
        struct message why;
        struct calc_memory found, most;
        if (scenario_violations(&s, &why, 1) > 0) {
            continue;
        }
        must_hold(calc_memory_worst(&s, &found, &why) == STATUS_OK, "%s", message_line(&why));
        struct calc_memory figures;
        must_hold(calc_memory_worst_figures(&s, &figures, &why) == STATUS_OK &&
                      figures.total_bytes == found.total_bytes && figures.stage == found.stage &&
                      memcmp(figures.part_bytes, found.part_bytes, sizeof found.part_bytes) == 0,
                  "without texts stage %ju with %ju bytes", (uintmax_t)figures.stage,
                  (uintmax_t)figures.total_bytes);
        most = memory_of(&s, 0);
        for (uint64_t stage = 1; stage < s.layout.pp; stage++) {
            struct calc_memory other = memory_of(&s, stage);
            most = other.total_bytes > most.total_bytes ? other : most;
        }
        must_hold(found.total_bytes == most.total_bytes && found.stage == most.stage,
                  "stage %ju with %ju bytes, but stage %ju has %ju", (uintmax_t)found.stage,
                  (uintmax_t)found.total_bytes, (uintmax_t)most.stage, (uintmax_t)most.total_bytes);
        compared++;
    }
    ck_assert_int_gt(compared, SCENARIOS / 4);
}
END_TEST

/* The stage that sends most, found without building stages that cannot differ; and the one that comes next. */
START_TEST(the_stage_that_sends_most_is_that_of_a_search_over_all) {
    struct dice d = {20261201};
    int compared = 0;
    for (int i = 0; i < test_rounds(SCENARIOS); i++) {
        struct scenario s = random_scenario(&d);
        struct message why;
        struct calc_comm found, figures, other;
        uint64_t most = 0, stage_of_most = 0;
        if (scenario_violations(&s, &why, 1) > 0) {
            continue;
        }
        must_hold(calc_comm_step(&s, &found, &why) == STATUS_OK, "%s", message_line(&why));
        must_hold(calc_comm_step_figures(&s, &figures, &why) == STATUS_OK, "%s",
                  message_line(&why));
        for (uint64_t stage = 0; stage < s.layout.pp; stage++) {
            must_hold(calc_comm_on_stage_figures(&s, stage, &other, &why) == STATUS_OK, "%s",
                      message_line(&why));
            stage_of_most = other.total_sent_bytes > most ? stage : stage_of_most;
            most = other.total_sent_bytes > most ? other.total_sent_bytes : most;
        }
        must_hold(found.stage == stage_of_most && found.total_sent_bytes == most,
                  "stage %ju, not %ju", (uintmax_t)found.stage, (uintmax_t)stage_of_most);
        must_hold(figures.stage == found.stage && figures.row_count == found.row_count &&
                      figures.total_sent_bytes == most && figures.next_sent_bytes <= most &&
                      figures.rows[0].formula[0] == '\0' &&
                      !(figures.exposed_s < found.exposed_s) &&
                      !(figures.exposed_s > found.exposed_s),
                  "without texts stage %ju", (uintmax_t)figures.stage);
        compared++;
    }
    ck_assert_int_gt(compared, SCENARIOS / 4);
}
END_TEST

START_TEST(layers_given_by_hand_may_put_the_worst_stage_anywhere) {
    struct scenario s = legal_of("--layers 16 --hidden 256 --heads 8 --vocab 512 --pp 4 "
                                 "--layers-per-stage 2,2,9,3 --micro-batches 1");
    struct calc_memory worst;
    struct message why;
    ck_assert_int_eq(calc_memory_worst(&s, &worst, &why), STATUS_OK);
    ck_assert_uint_eq(worst.stage, 2);
}
END_TEST

static Suite *suite(void) {
    Suite *s = suite_create("worst stage");
    TCase *t = tcase_create("worst stage");
    tcase_add_test(t, the_worst_stage_is_that_of_a_search_over_all);
    tcase_add_test(t, the_stage_that_sends_most_is_that_of_a_search_over_all);
    tcase_add_test(t, layers_given_by_hand_may_put_the_worst_stage_anywhere);
    suite_add_tcase(s, t);
    return s;
}

#include "support/check_main.h"
