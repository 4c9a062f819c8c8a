/* Times by α and β, and what computation hides: each rule of comm.h by numbers that can be done in the head. Peaks are
 * set so that a forward takes a round number of seconds. */
#define _POSIX_C_SOURCE 200809L

#include "comm_support.h"
#include "shardlab/calc/flops.h"
#include "shardlab/calc/params.h"

/* 1000M parameters, 1000 tokens: forward 2e12 operations, backward 4e12. */
#define PLAIN "--params 1000M --seq 1000 --alpha-us 0 --link-gb-per-s 1 --net-gb-per-s 1 --mfu 1 "

/* The peak at which the forward of a micro-batch takes one second. */
static struct scenario second_a_forward(const char *line) {
    struct scenario s = legal_of("%s", line);
    struct calc_flops_stage f;
    struct message why;
    ck_assert_int_eq(calc_flops_on_stage(&s, 0, &f, &why), STATUS_OK);
    for (int i = 0; i < CALC_PRECISIONS; i++) {
        s.cluster.peak_tflops[i] = f.forward / 1e12;
    }
    return s;
}

static void expect_exposed(const struct calc_comm *c, const char *id, double seconds) {
    const struct calc_comm_row *row = row_of(c, id);
    ck_assert_msg(row->exposed_known && near(row->exposed_s, seconds), "%s: %.12g, not %.12g", id,
                  row->exposed_s, seconds);
}

/* 2(N−1) messages a sum, N−1 a gather, and bytes over the rate. */
START_TEST(a_ring_takes_alpha_a_message_and_bytes_over_the_rate) {
    struct calc_comm c =
        comm_line("--params 500M --dp 8 --alpha-us 1 --link-gb-per-s 300 --zero 0");
    ck_assert(near(row_of(&c, "gradients")->time_s, 14e-6 + 1.75e9 / 300e9));
    c = comm_line("--params 500M --dp 8 --alpha-us 1 --link-gb-per-s 300 --zero 1");
    ck_assert(near(row_of(&c, "weights")->time_s, 7e-6 + 0.875e9 / 300e9));
    c = comm_line(LLAMA_7B " --pp 2 --tp 2 --alpha-us 3 --link-gb-per-s 300 --micro-batches 10");
    const struct calc_comm_row *row = row_of(&c, "activation.gradients");
    ck_assert(near(row->time_s, 10 * (3e-6 + 4096 * 4096 * 2 / 300e9)));
}
END_TEST

START_TEST(without_a_rate_there_is_no_time) {
    struct calc_comm c = comm_line("--params 500M --dp 16 --link-gb-per-s 300");
    ck_assert(!row_of(&c, "gradients")->time_known && !c.exposed_known);
    c = comm_line("--params 500M --dp 16 --net-gb-per-s 50");
    ck_assert(row_of(&c, "gradients")->time_known);
    ck_assert(!row_of(&c, "gradients")->exposed_known && !c.compute_known && !c.exposed_known);
}
END_TEST

START_TEST(computation_is_forwards_backwards_and_what_runs_again) {
    struct scenario s = second_a_forward(PLAIN "--micro-batches 5");
    struct calc_comm c = comm_of(&s);
    ck_assert(c.compute_known && near(c.compute_s, 5 * 3));
    s = second_a_forward(PLAIN "--micro-batches 5 --recompute full");
    c = comm_of(&s);
    ck_assert(near(c.compute_s, 5 * 4));
    s.cluster.mfu = 0.5;
    c = comm_of(&s);
    ck_assert(near(c.compute_s, 5 * 8));
}
END_TEST

/* A backward of 2 s: a sum of 2 GB (dp 2) hides in it; 3 GB (dp 4) leaves 1 s; each micro-batch hides its own. */
START_TEST(gradients_hide_behind_the_backward_of_their_micro_batch) {
    struct scenario s = second_a_forward(PLAIN "--dp 2");
    struct calc_comm c = comm_of(&s);
    expect_exposed(&c, "gradients", 0);
    s = second_a_forward(PLAIN "--dp 4");
    c = comm_of(&s);
    expect_exposed(&c, "gradients", 1);
    s = second_a_forward(PLAIN "--dp 4 --micro-batches 3");
    c = comm_of(&s);
    expect_exposed(&c, "gradients", 1);
    s = second_a_forward(PLAIN "--dp 4 --micro-batches 3 --reduce every");
    c = comm_of(&s);
    expect_exposed(&c, "gradients", 3);
    ck_assert(near(c.exposed_s, 3) && c.exposed_known);
}
END_TEST

START_TEST(updated_weights_hide_behind_nothing) {
    struct scenario s = second_a_forward(PLAIN "--dp 4 --zero 1");
    struct calc_comm c = comm_of(&s);
    expect_exposed(&c, "gradients", 0);
    expect_exposed(&c, "weights", 1.5);
}
END_TEST

/* Gathers of 1.5 s: 0.5 s more than a forward; a backward of 2 s hides one and a third of the gradients' 1.5 s. */
START_TEST(zero_3_gathers_hide_behind_their_pass_when_prefetched) {
    struct scenario s = second_a_forward(PLAIN "--dp 4 --zero 3 --micro-batches 2");
    struct calc_comm c = comm_of(&s);
    expect_exposed(&c, "weights.forward", 2 * 0.5);
    expect_exposed(&c, "weights.backward", 0);
    expect_exposed(&c, "gradients", 2 * 1.0);
    s = second_a_forward(PLAIN "--dp 4 --zero 3 --micro-batches 2 --prefetch 0");
    c = comm_of(&s);
    expect_exposed(&c, "weights.forward", 2 * 1.5);
    expect_exposed(&c, "weights.backward", 2 * 1.5);
}
END_TEST

/* The first of 3 units comes before anything computes. */
START_TEST(the_first_unit_cannot_hide) {
    struct scenario s = second_a_forward(G1 " --dp 4 --zero 3 --alpha-us 0 --link-gb-per-s 1");
    struct calc_comm c = comm_of(&s);
    const struct calc_comm_row *row = row_of(&c, "weights.forward");
    ck_assert(near(row->exposed_s, row->time_s / 3) && row->time_s < 1);
}
END_TEST

/* Backward ends with the embedding, on later stages with a layer: its gradients have nothing to hide behind, however fast
 * the link; nor has the last gradient that leaves for the CPU. */
START_TEST(the_gradients_of_the_last_unit_cannot_hide) {
    static const char *const zeros[] = {"0", "1", "2", "3"};
    struct calc_stage_split split;
    struct message why;
    for (int i = 0; i < ROWS(zeros); i++) {
        char line[400];
        (void)snprintf(line, sizeof line, G1 " --dp 4 --zero %s --alpha-us 0 --link-gb-per-s 1",
                       zeros[i]);
        struct scenario s = second_a_forward(line);
        ck_assert_int_eq(calc_params_split(&s, 0, &split, &why), STATUS_OK);
        struct calc_comm c = comm_of(&s);
        double time = row_of(&c, "gradients")->time_s;
        ck_assert(time < 0.5);
        expect_exposed(&c, "gradients", time * (double)split.root / 112384);
    }
    struct scenario s = second_a_forward(LLAMA_7B " --dp 4 --pp 4 --alpha-us 0 "
                                                  "--link-gb-per-s 1000 --net-gb-per-s 1000 "
                                                  "--offload optimizer --pcie-gb-per-s 1000 "
                                                  "--zero 2 --convention deepspeed");
    for (uint64_t stage = 1; stage < 4; stage++) {
        struct calc_comm c = comm_on(&s, stage);
        uint64_t held = 0;
        ck_assert_int_eq(calc_params_on_stage(&s, stage, &held, &why), STATUS_OK);
        ck_assert_int_eq(calc_params_split(&s, stage, &split, &why), STATUS_OK);
        double part = (double)split.dense_layer / (double)held;
        expect_exposed(&c, "gradients", row_of(&c, "gradients")->time_s * part);
        expect_exposed(&c, "gradients.out", row_of(&c, "gradients.out")->time_s * part);
    }
}
END_TEST

START_TEST(tensor_and_expert_parallelism_wait_for_their_bytes) {
    struct scenario s = second_a_forward(
        LLAMA_7B " --tp 2 --experts 8 --experts-active 2 --ep 2 --link-gb-per-s 100");
    struct calc_comm c = comm_of(&s);
    for (int i = 0; i < c.row_count; i++) {
        bool waits = c.rows[i].axis == CALC_AXIS_TP || c.rows[i].axis == CALC_AXIS_EP;
        ck_assert(!waits || near(c.rows[i].exposed_s, c.rows[i].time_s));
    }
}
END_TEST

/* The gathers for the weights' gradient run beside the backward: all of it is longer than they are, unless the link is
 * slow. */
START_TEST(gathers_of_sequence_parallelism_for_the_weights_hide_behind_the_backward) {
    struct scenario s =
        second_a_forward(LLAMA_7B " --tp 2 --sequence-parallel --micro-batches 3 --mfu 1 "
                                  "--link-gb-per-s 100 --alpha-us 0");
    struct calc_comm c = comm_of(&s);
    expect_exposed(&c, "layers.again", 0);
    expect_exposed(&c, "head.again", 0);
    expect_exposed(&c, "layers", row_of(&c, "layers")->time_s);
    expect_exposed(&c, "head", row_of(&c, "head")->time_s);
    s.cluster.link_gb_per_s = 0.5; /* 64 gathers of 16 MiB sent: 2.1 s of 2 */
    c = comm_of(&s);
    const struct calc_comm_row *again = row_of(&c, "layers.again");
    double backward = c.compute_s / 3 - 1;
    ck_assert(again->time_s > 3 * backward);
    expect_exposed(&c, "layers.again", again->time_s - 3 * backward);
    expect_exposed(&c, "head.again", row_of(&c, "head.again")->time_s); /* no room left */
}
END_TEST

/* 1F1B, 4 stages and 12 micro-batches: 6 + 4 + 6·2 messages, half of them each way. */
START_TEST(a_pipeline_waits_for_the_same_messages_on_every_stage) {
    struct scenario s = legal_of(LLAMA_7B " --pp 4 --micro-batches 12 --link-gb-per-s 100");
    struct calc_comm c = comm_on(&s, 1);
    const struct calc_comm_row *row = row_of(&c, "activations");
    double all = row->time_s / 12 * 22;
    ck_assert(row->exposed_known && near(row->exposed_s, all / 2));
    for (uint64_t stage = 0; stage < 4; stage++) {
        c = comm_on(&s, stage);
        ck_assert(near(c.exposed_s, all));
    }
    s = legal_of(LLAMA_7B " --pp 4 --micro-batches 12 --link-gb-per-s 100 --schedule gpipe");
    c = comm_on(&s, 2);
    ck_assert(near(c.exposed_s, all / 22 * 6));
}
END_TEST

START_TEST(keys_and_values_hide_behind_attention) {
    struct scenario s =
        second_a_forward(LLAMA_7B " --cp 2 --seq 65536 --link-gb-per-s 100 --alpha-us 0");
    struct calc_comm c = comm_of(&s);
    expect_exposed(&c, "keys.forward", 0);
    struct calc_flops_stage f;
    struct message why;
    ck_assert_int_eq(calc_flops_on_stage(&s, 0, &f, &why), STATUS_OK);
    double attention = f.attention / scenario_flops_per_s(&s);
    s.cluster.link_gb_per_s = 0.1;
    c = comm_of(&s);
    const struct calc_comm_row *row = row_of(&c, "keys.forward");
    expect_exposed(&c, "keys.forward", row->time_s - attention);
}
END_TEST

/* 2 GB of gradients leave in 2 s behind a backward of 2 s; the weights come back in 2 s and all wait. */
START_TEST(offload_waits_for_what_comes_back) {
    struct scenario s = second_a_forward(PLAIN "--offload optimizer --pcie-gb-per-s 1");
    struct calc_comm c = comm_of(&s);
    expect_exposed(&c, "gradients.out", 0);
    expect_exposed(&c, "weights.updated", 2);
    s = second_a_forward(PLAIN "--offload optimizer --pcie-gb-per-s 0.5");
    c = comm_of(&s);
    expect_exposed(&c, "gradients.out", 2);
    s = second_a_forward(PLAIN "--offload params --pcie-gb-per-s 1 --micro-batches 3");
    c = comm_of(&s);
    expect_exposed(&c, "weights.in", 3 * 1);
    expect_exposed(&c, "weights.in.backward", 0);
}
END_TEST

static Suite *suite(void) {
    Suite *s = suite_create("comm time");
    TCase *t = tcase_create("time");
    tcase_add_test(t, a_ring_takes_alpha_a_message_and_bytes_over_the_rate);
    tcase_add_test(t, without_a_rate_there_is_no_time);
    tcase_add_test(t, computation_is_forwards_backwards_and_what_runs_again);
    tcase_add_test(t, gradients_hide_behind_the_backward_of_their_micro_batch);
    tcase_add_test(t, updated_weights_hide_behind_nothing);
    tcase_add_test(t, zero_3_gathers_hide_behind_their_pass_when_prefetched);
    tcase_add_test(t, the_first_unit_cannot_hide);
    tcase_add_test(t, the_gradients_of_the_last_unit_cannot_hide);
    tcase_add_test(t, tensor_and_expert_parallelism_wait_for_their_bytes);
    tcase_add_test(t, gathers_of_sequence_parallelism_for_the_weights_hide_behind_the_backward);
    tcase_add_test(t, a_pipeline_waits_for_the_same_messages_on_every_stage);
    tcase_add_test(t, keys_and_values_hide_behind_attention);
    tcase_add_test(t, offload_waits_for_what_comes_back);
    suite_add_tcase(s, t);
    return s;
}

#include "support/check_main.h"
