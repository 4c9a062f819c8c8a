/* Communication as a whole: names, sums, what is unknown, overflow; and random options, legal and illegal: nothing
 * negative, no NaN, rows that sum to the total, never fewer bytes with more micro-batches. */
#define _POSIX_C_SOURCE 200809L

#include "comm_support.h"
#include "dice.h"
#include "support/rounds.h"

START_TEST(names_are_those_of_the_contract) {
    ck_assert_str_eq(calc_axis_name(CALC_AXIS_OFFLOAD), "offload");
    ck_assert_str_eq(calc_collective_name(CALC_REDUCE_SCATTER), "reduce-scatter");
    ck_assert_str_eq(calc_link_name(CALC_LINK_NETWORK), "network");
}
END_TEST

/* With --params alone data parallelism is exact, the rest unknown unless it has nobody to send to. */
START_TEST(with_params_alone_other_axes_are_unknown) {
    struct calc_comm c = comm_line("--params 1024M --dp 4 --tp 2 --pp 2");
    ck_assert(c.axis_known[CALC_AXIS_DP] && !c.axis_known[CALC_AXIS_TP]);
    ck_assert(!c.axis_known[CALC_AXIS_PP] && c.axis_known[CALC_AXIS_CP] && !c.total_known);
    ck_assert_uint_eq(sent_of(&c, CALC_AXIS_DP, NULL), 2 * 2 * UINT64_C(1024000000) / 4 / 4 * 3);
    c = comm_line("--params 1024M --dp 4 --zero 3");
    ck_assert(c.total_known && c.row_count == 3);
}
END_TEST

START_TEST(what_passes_64_bits_is_named) {
    static const char *const lines[] = {
        "--params 1152921504606846975 --dp 2 --micro-batches 1099511627776 --reduce every",
        LLAMA_7B " --tp 2 --seq 1099511627776 --micro-batch 1099511627776",
        LLAMA_7B " --pp 2 --seq 1099511627776 --micro-batches 1099511627776",
        LLAMA_7B " --cp 2 --seq 1099511627776 --micro-batches 1099511627776",
    };
    static const char *const names[] = {"gradients", "tokens", "activations", "keys.forward"};
    for (int i = 0; i < ROWS(lines); i++) {
        struct scenario s = legal_of("%s", lines[i]);
        struct calc_comm c;
        struct message why = {0};
        ck_assert_msg(calc_comm_step(&s, &c, &why) == STATUS_USAGE, "%s", lines[i]);
        ck_assert_str_eq(why.id, "error.calc.overflow");
        ck_assert_msg(strcmp(why.args[0].text, names[i]) == 0, "%s: %s", lines[i],
                      why.args[0].text);
    }
}
END_TEST

/* Every row says how it comes about, and its numbers end in its bytes. */
START_TEST(every_row_explains_itself) {
    struct calc_comm c = comm_line(LLAMA_7B " --experts 8 --experts-active 2 --ep 4 --dp 4 --tp 2 "
                                            "--pp 2 --cp 2 --sequence-parallel --zero 3 --offload "
                                            "params --offload-to nvme --precision fp16 --etp 2");
    ck_assert_int_gt(c.row_count, 20);
    for (int i = 0; i < c.row_count; i++) {
        const struct calc_comm_row *row = &c.rows[i];
        char end[40];
        int length = snprintf(end, sizeof end, " = %ju", (uintmax_t)row->sent_bytes);
        size_t all = strlen(row->substituted);
        ck_assert_msg(all > (size_t)length &&
                          strcmp(row->substituted + all - (size_t)length, end) == 0,
                      "%s: %s", row->id, row->substituted);
        ck_assert(row->formula[0] != '\0' && row->source != NULL);
    }
}
END_TEST

/* --- Known runs --------------------------------------------------------------------------------------------------- */

/* Llama-2-7B on 8 A100 at the bus bandwidth that nccl-tests shows there: ZeRO 1 and 2 take what DP takes. */
START_TEST(seven_billion_on_eight_cards_take_a_tenth_of_a_second) {
    static const double seconds[] = {0.100, 0.100, 0.100, 0.151};
    for (int zero = 0; zero <= 3; zero++) {
        struct calc_comm c =
            comm_line(LLAMA_7B " --dp 8 --zero %d --link-gb-per-s 235 --alpha-us 0", zero);
        double sum = 0.0;
        for (int i = 0; i < c.row_count; i++) {
            sum += c.rows[i].time_s;
        }
        ck_assert_msg(fabs(sum - seconds[zero]) < 0.0005, "ZeRO %d: %.4f s", zero, sum);
    }
}
END_TEST

/* Llama 3 405B on 8192 GPUs: tensor parallelism sends most, but what comes next depends on the gradients' type and on
 * whether a stage sends all or its part of the activations. */
START_TEST(which_axis_sends_more_is_no_law) {
    static const char line[] = "--layers 126 --hidden 16384 --heads 128 --kv-heads 8 --ffn 53248 "
                               "--vocab 128256 --tp 8 --pp 16 --dp 64 --micro-batches 32 "
                               "--seq 8192";
    struct scenario s = legal_of("%s", line);
    double tensor = 0.0;
    for (uint64_t stage = 0; stage < 16; stage++) {
        struct calc_comm c = comm_on(&s, stage);
        tensor += (double)sent_of(&c, CALC_AXIS_TP, "layers") / 16e9;
    }
    ck_assert_msg(fabs(tensor - 473.5) < 0.05, "tensor %.2f GB", tensor);
    struct calc_comm plain = comm_on(&s, 8);
    double pipeline = (double)sent_of(&plain, CALC_AXIS_PP, NULL) / 1e9;
    ck_assert_msg(fabs(pipeline - 17.18) < 0.005, "pipeline %.2f GB", pipeline);
    ck_assert(sent_of(&plain, CALC_AXIS_PP, NULL) > sent_of(&plain, CALC_AXIS_DP, NULL));
    s = legal_of("%s --zero 1 --grad-bytes 4 --sequence-parallel", line);
    struct calc_comm c = comm_on(&s, 8);
    pipeline = (double)sent_of(&c, CALC_AXIS_PP, NULL) / 1e9;
    ck_assert_msg(fabs(pipeline - 2.15) < 0.005, "pipeline %.2f GB", pipeline);
    ck_assert(sent_of(&c, CALC_AXIS_DP, NULL) > sent_of(&c, CALC_AXIS_PP, NULL));
    struct calc_comm psi =
        comm_line("--params 405B --tp 8 --pp 16 --dp 64 --zero 1 --grad-bytes 4");
    double data = (double)sent_of(&psi, CALC_AXIS_DP, NULL) / 1e9;
    ck_assert_msg(fabs(data - 18.69) < 0.005, "data %.2f GB", data);
}
END_TEST

/* DeepSeek-V3's report: with experts over 8 nodes communication takes about as long as computation. */
START_TEST(experts_across_nodes_cost_as_much_as_computation) {
    struct scenario s = legal_of(
        "--layers 61 --hidden 7168 --heads 128 --ffn 18432 --vocab 129280 --experts 256 "
        "--experts-active 8 --experts-shared 1 --moe-ffn 2048 --dense-layers 3 --kv-rank 512 "
        "--q-rank 1536 --qk-nope 128 --qk-rope 64 --v-head 128 --dp 128 --ep 64 --pp 16 "
        "--zero 1 --micro-batches 120 --net-gb-per-s 50 --alpha-us 0 --mfu 0.4");
    s.cluster.peak_tflops[CALC_PRECISION_BF16] = 989;
    struct calc_comm c = comm_of(&s);
    double experts = 0.0;
    for (int i = 0; i < c.row_count; i++) {
        experts += c.rows[i].axis == CALC_AXIS_EP ? c.rows[i].time_s : 0.0;
    }
    ck_assert_msg(experts > 0.5 * c.compute_s && experts < 1.5 * c.compute_s, "%.2f s against %.2f",
                  experts, c.compute_s);
}
END_TEST

/* --- Random options ----------------------------------------------------------------------------------------------- */

static bool sound(double value) {
    return isfinite(value) && value >= 0.0;
}

static void check_step(const struct scenario *s, const struct calc_comm *c, int round) {
    uint64_t sum = 0;
    for (int i = 0; i < c->row_count; i++) {
        const struct calc_comm_row *row = &c->rows[i];
        sum += row->axis == CALC_AXIS_OFFLOAD ? 0 : row->sent_bytes;
        must_hold(row->count > 0 && row->message_bytes > 0, "round %d: %s", round, row->id);
        must_hold(sound(row->time_s) && sound(row->exposed_s), "round %d: %s", round, row->id);
        /* of the pipeline the whole chain's messages */
        double most = row->hide == CALC_HIDE_STEADY
                          ? row->time_s / (double)row->count * (double)calc_pipeline_messages(s)
                          : row->time_s;
        must_hold(row->exposed_s <= most * (1 + 1e-9), "round %d: %s", round, row->id);
        must_hold(row->time_known || !row->exposed_known, "round %d: %s", round, row->id);
    }
    must_hold(sum == c->total_sent_bytes, "round %d: %ju, not %ju", round,
              (uintmax_t)c->total_sent_bytes, (uintmax_t)sum);
    must_hold(sound(c->compute_s) && sound(c->exposed_s), "round %d", round);
    must_hold(c->stage < s->layout.pp, "round %d", round);
}

static void give_random(struct dice *d, struct scenario *s, int index, bool wild) {
    const struct calc_option *o = calc_option_at(index);
    char text[64];
    struct message why;
    switch (o->kind) {
    case CALC_OPTION_NAME:
    case CALC_OPTION_PATH:
    case CALC_OPTION_LIST:
        return;
    case CALC_OPTION_COUNT:
    case CALC_OPTION_SEQ:
    case CALC_OPTION_BYTES:
        if (o->stop_count > 0 && !wild) {
            (void)snprintf(text, sizeof text, "%ju",
                           (uintmax_t)o->stops[dice_roll(d, (uint64_t)o->stop_count)]);
        } else {
            (void)snprintf(text, sizeof text, "%ju", (uintmax_t)dice_wide(d, wild ? 44 : 14));
        }
        break;
    case CALC_OPTION_REAL:
        (void)snprintf(text, sizeof text, "%.9g",
                       (double)dice_wide(d, 40) / (double)(1 + dice_wide(d, 40)));
        break;
    case CALC_OPTION_CHOICE: {
        int count = 0;
        while (o->choices[count] != NULL) {
            count++;
        }
        (void)snprintf(text, sizeof text, "%s", o->choices[dice_roll(d, (uint64_t)count)]);
        break;
    }
    case CALC_OPTION_SWITCH:
        (void)snprintf(text, sizeof text, "%s", dice_roll(d, 2) ? "yes" : "no");
        break;
    }
    enum status ignored = calc_option_set(s, index, text, &why); /* refused: not given */
    (void)ignored;
}

/* A model that is always whole, then a few options of any kind on top; most are legal when none is wild. */
static struct scenario random_given(struct dice *d) {
    static const char *const models[] = {
        LLAMA_7B,
        GPT3,
        G1,
        "--params 7B",
        LLAMA_7B " --kv-heads 8 --experts 64 --experts-active 6 --moe-ffn 1408 --dense-layers 3",
        LLAMA_7B " --kv-rank 512 --qk-nope 128 --qk-rope 64 --v-head 128 --q-rank 1536"};
    static const char *const layouts[] = {"dp",
                                          "tp",
                                          "pp",
                                          "cp",
                                          "ep",
                                          "etp",
                                          "zero",
                                          "reduce",
                                          "reshard",
                                          "prefetch",
                                          "sequence-parallel",
                                          "micro-batches",
                                          "micro-batch",
                                          "precision",
                                          "grad-bytes",
                                          "recompute",
                                          "offload",
                                          "offload-to",
                                          "convention",
                                          "link-gb-per-s",
                                          "net-gb-per-s",
                                          "pcie-gb-per-s",
                                          "nvme-gb-per-s",
                                          "alpha-us",
                                          "mfu",
                                          "gpus-per-node",
                                          "chunks",
                                          "optimizer"};
    struct scenario s = given_of(models[dice_roll(d, ROWS(models))]);
    bool wild = dice_roll(d, 8) == 0;
    for (int i = 0; i < ROWS(layouts); i++) {
        if (dice_roll(d, 3) == 0) {
            give_random(d, &s, calc_option_index(layouts[i]), wild);
        }
    }
    for (uint64_t more = dice_roll(d, 3); more > 0; more--) {
        give_random(d, &s, (int)dice_roll(d, (uint64_t)calc_option_count()), wild);
    }
    if (dice_roll(d, 2) == 0) {
        for (int i = 0; i < CALC_PRECISIONS; i++) {
            s.cluster.peak_tflops[i] = (double)dice_wide(d, 12);
        }
    }
    return s;
}

START_TEST(random_options_give_sound_figures) {
    struct dice d = {2024};
    const int rounds = test_rounds(20000);
    int steps = 0;
    for (int round = 0; round < rounds; round++) {
        struct scenario given = random_given(&d), s;
        struct message why;
        if (scenario_resolve(&given, &s, &why) != STATUS_OK ||
            scenario_violations(&s, &why, 1) != 0) {
            continue;
        }
        struct calc_comm c;
        if (calc_comm_step(&s, &c, &why) != STATUS_OK) {
            bool known = strcmp(why.id, "error.calc.overflow") == 0 ||
                         strcmp(why.id, "error.comm.crowd") == 0;
            must_hold(known, "round %d: %s", round, why.id);
            continue;
        }
        steps++;
        check_step(&s, &c, round);
        struct scenario more = s;
        more.batch.micro_batches += 1 + dice_roll(&d, 4);
        struct calc_comm after;
        if (calc_comm_step(&more, &after, &why) == STATUS_OK) {
            must_hold(after.total_sent_bytes >= c.total_sent_bytes, "round %d: %ju micro-batches",
                      round, (uintmax_t)more.batch.micro_batches);
        }
    }
    must_hold(steps > rounds / 20, "only %d of %d random scenarios were legal", steps, rounds);
}
END_TEST

static Suite *suite(void) {
    Suite *s = suite_create("comm");
    TCase *t = tcase_create("step");
    tcase_add_test(t, names_are_those_of_the_contract);
    tcase_add_test(t, with_params_alone_other_axes_are_unknown);
    tcase_add_test(t, what_passes_64_bits_is_named);
    tcase_add_test(t, every_row_explains_itself);
    tcase_add_test(t, seven_billion_on_eight_cards_take_a_tenth_of_a_second);
    tcase_add_test(t, which_axis_sends_more_is_no_law);
    tcase_add_test(t, experts_across_nodes_cost_as_much_as_computation);
    tcase_add_test(t, random_options_give_sound_figures);
    suite_add_tcase(s, t);
    return s;
}

#include "support/check_main.h"
