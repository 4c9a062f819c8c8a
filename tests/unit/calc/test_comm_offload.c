/* Offload: bytes over PCIe and to disks, by what leaves and how it is shared; and that it never counts as sent. */
#define _POSIX_C_SOURCE 200809L

#include "comm_support.h"

#define PSI "--params 1024M "
static const uint64_t psi = 1024000000;

static uint64_t moved(const struct calc_comm *c, enum calc_link link, const char *id, bool write) {
    uint64_t sum = 0;
    for (int i = 0; i < c->row_count; i++) {
        const struct calc_comm_row *row = &c->rows[i];
        bool fits = row->link == link && (row->collective == CALC_WRITE) == write &&
                    row->axis == CALC_AXIS_OFFLOAD && strcmp(row->id, id) == 0;
        sum += fits ? row->sent_bytes : 0;
    }
    return sum;
}

/* 2Ψ of gradients out, 2Ψ of weights back: 4 bytes a parameter. */
START_TEST(an_offloaded_optimizer_moves_4_bytes_a_parameter) {
    struct calc_comm c = comm_line(PSI "--offload optimizer");
    ck_assert_uint_eq(sent_of(&c, CALC_AXIS_OFFLOAD, NULL), 4 * psi);
    ck_assert_uint_eq(moved(&c, CALC_LINK_PCIE, "gradients.out", true), 2 * psi);
    ck_assert_uint_eq(moved(&c, CALC_LINK_PCIE, "weights.updated", false), 2 * psi);
    ck_assert_uint_eq(c.total_sent_bytes, 0);
}
END_TEST

START_TEST(shares_move_where_ranks_share) {
    for (int zero = 0; zero <= 3; zero++) {
        struct calc_comm c = comm_line(PSI "--offload optimizer --dp 8 --zero %d", zero);
        uint64_t share = zero == 0 ? psi : psi / 8;
        ck_assert_uint_eq(sent_of(&c, CALC_AXIS_OFFLOAD, NULL), 4 * share);
        struct calc_comm without = comm_line(PSI "--dp 8 --zero %d", zero);
        ck_assert_uint_eq(c.total_sent_bytes, without.total_sent_bytes);
    }
}
END_TEST

/* Gradients leave each time they are reduced; weights come back once. */
START_TEST(gradients_leave_after_each_reduction) {
    struct calc_comm c = comm_line(PSI "--offload optimizer --dp 8 --zero 2 --micro-batches 4");
    ck_assert_uint_eq(moved(&c, CALC_LINK_PCIE, "gradients.out", true), 4 * 2 * psi / 8);
    ck_assert_uint_eq(moved(&c, CALC_LINK_PCIE, "weights.updated", false), 2 * psi / 8);
    c = comm_line(PSI "--offload optimizer --dp 8 --zero 1 --micro-batches 4");
    ck_assert_uint_eq(moved(&c, CALC_LINK_PCIE, "gradients.out", true), 2 * psi / 8);
}
END_TEST

START_TEST(weights_on_the_cpu_come_for_every_pass) {
    struct calc_comm c = comm_line(PSI "--offload params --dp 8 --zero 3 --micro-batches 4");
    ck_assert_uint_eq(moved(&c, CALC_LINK_PCIE, "weights.in", false), 4 * 2 * psi / 8);
    ck_assert_uint_eq(moved(&c, CALC_LINK_PCIE, "weights.in.backward", false), 4 * 2 * psi / 8);
    ck_assert_uint_eq(moved(&c, CALC_LINK_PCIE, "weights.updated", false), 0);
    c = comm_line(PSI "--offload params --dp 8 --zero 3 --micro-batches 4 --no-reshard");
    ck_assert_uint_eq(moved(&c, CALC_LINK_PCIE, "weights.in.backward", false), 0);
    /* ZeRO 1 updates shares of weights that all keep: up, gathered, and down again */
    c = comm_line(PSI "--offload params --dp 8 --zero 1");
    ck_assert_uint_eq(moved(&c, CALC_LINK_PCIE, "weights.updated", false), 2 * psi / 8);
    ck_assert_uint_eq(moved(&c, CALC_LINK_PCIE, "weights.updated", true), 2 * psi);
}
END_TEST

/* Adam's 12 bytes are read and written; an fp32 gradient beside a 2-byte one goes with them. */
START_TEST(disks_hold_what_the_cpu_does_not) {
    struct calc_comm c = comm_line(PSI "--offload optimizer --offload-to nvme --dp 8 --zero 2");
    ck_assert_uint_eq(moved(&c, CALC_LINK_NVME, "optimizer", false), 12 * psi / 8);
    ck_assert_uint_eq(moved(&c, CALC_LINK_NVME, "optimizer", true), 12 * psi / 8);
    ck_assert_uint_eq(moved(&c, CALC_LINK_NVME, "gradients.out", true), 2 * psi / 8);
    ck_assert_uint_eq(moved(&c, CALC_LINK_NVME, "gradients.back", false), 2 * psi / 8);
    ck_assert_uint_eq(moved(&c, CALC_LINK_PCIE, "optimizer", false), 0);
    ck_assert_uint_eq(moved(&c, CALC_LINK_PCIE, "gradients.out", true), 2 * psi / 8);
    c = comm_line(PSI "--offload optimizer --offload-to nvme --grad-bytes 6");
    ck_assert_uint_eq(moved(&c, CALC_LINK_NVME, "optimizer", false), 16 * psi);
    c = comm_line(PSI "--offload params --offload-to nvme --dp 8 --zero 3 --micro-batches 4");
    ck_assert_uint_eq(moved(&c, CALC_LINK_NVME, "weights.in", false), 4 * 2 * psi / 8);
    ck_assert_uint_eq(moved(&c, CALC_LINK_NVME, "weights.back", true), 2 * psi / 8);
}
END_TEST

/* What mem says left is what disks are asked for, however the optimizer counts. */
START_TEST(disks_read_what_mem_says_left) {
    static const char *const optimizers[] = {"adam", "adam8bit",  "adam16bit", "momentum",
                                             "sgd",  "adafactor", "muon",      "none"};
    for (int i = 0; i < ROWS(optimizers); i++) {
        struct scenario s = legal_of(
            LLAMA_7B " --offload optimizer --offload-to nvme --dp 8 --zero 2 --optimizer %s",
            optimizers[i]);
        struct calc_comm c = comm_of(&s);
        struct calc_memory m = memory_of(&s, 0);
        uint64_t gradients = 2 * (m.params / 8);
        ck_assert_uint_eq(moved(&c, CALC_LINK_NVME, "optimizer", false),
                          m.offloaded.bytes - gradients);
    }
}
END_TEST

START_TEST(experts_move_the_share_of_their_own_group) {
    struct scenario s = legal_of(
        LLAMA_7B " --experts 8 --experts-active 2 --dp 8 --ep 2 --zero 1 --offload optimizer");
    struct calc_comm c = comm_of(&s);
    uint64_t experts = 0, all = 0;
    struct message why;
    ck_assert_int_eq(calc_expert_params_on_stage(&s, 0, &experts, &why), STATUS_OK);
    ck_assert_int_eq(calc_params_on_stage(&s, 0, &all, &why), STATUS_OK);
    ck_assert_uint_eq(moved(&c, CALC_LINK_PCIE, "gradients.out", true),
                      2 * ((all - experts) / 8 + experts / 4));
}
END_TEST

START_TEST(nothing_moves_without_offload) {
    struct calc_comm c = comm_line(PSI "--dp 8 --zero 3 --offload-to nvme");
    ck_assert_uint_eq(sent_of(&c, CALC_AXIS_OFFLOAD, NULL), 0);
}
END_TEST

static Suite *suite(void) {
    Suite *s = suite_create("comm offload");
    TCase *t = tcase_create("offload");
    tcase_add_test(t, an_offloaded_optimizer_moves_4_bytes_a_parameter);
    tcase_add_test(t, shares_move_where_ranks_share);
    tcase_add_test(t, gradients_leave_after_each_reduction);
    tcase_add_test(t, weights_on_the_cpu_come_for_every_pass);
    tcase_add_test(t, disks_hold_what_the_cpu_does_not);
    tcase_add_test(t, disks_read_what_mem_says_left);
    tcase_add_test(t, experts_move_the_share_of_their_own_group);
    tcase_add_test(t, nothing_moves_without_offload);
    suite_add_tcase(s, t);
    return s;
}

#include "support/check_main.h"
