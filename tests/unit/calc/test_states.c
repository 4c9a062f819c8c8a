/* Model states: every cell of the contract's table of conventions, part by part, exactly; optimizers, precisions and
 * gradient bytes; who shares what; and that a share is rounded up. */
#define _POSIX_C_SOURCE 200809L

#include "calc_support.h"

/* Ψ = 1024 × 10^6 divides by every N below: one parameter in 1000 shows as a million bytes. */
#define PSI "--params 1024M --convention "
static const uint64_t psi = 1024000000;

/* Bytes per parameter in 64ths, so that 12/64 is a whole number. */
struct cell {
    const char *line;
    uint64_t weights, gradients, optimizer;
};

static const struct cell cells[] = {
    /* zero-paper: 16, 4 + 12/N, 2 + 14/N, 16/N */
    {PSI "zero-paper --zero 0 --dp 64", 128, 128, 768},
    {PSI "zero-paper --zero 1 --dp 64", 128, 128, 12},
    {PSI "zero-paper --zero 2 --dp 64", 128, 2, 12},
    {PSI "zero-paper --zero 3 --dp 64", 2, 2, 12},
    /* no_sync: gradients that wait for the last of several micro-batches are whole until then */
    {PSI "zero-paper --zero 2 --dp 64 --reduce boundary --micro-batches 4", 128, 128, 12},
    {PSI "zero-paper --zero 3 --dp 64 --reduce boundary --micro-batches 4", 2, 128, 12},
    {PSI "zero-paper --zero 3 --dp 64 --reduce boundary --micro-batches 1", 2, 2, 12},
    {PSI "zero-paper --zero 3 --dp 64 --reduce every --micro-batches 4", 2, 2, 12},
    {PSI "zero-paper --zero 1 --dp 64 --reduce every --micro-batches 4", 128, 128, 12},
    {PSI "fsdp --dp 64 --reduce boundary --micro-batches 4", 4, 256, 8},
    {PSI "zero-paper --zero 1 --dp 1", 128, 128, 768},
    {PSI "zero-paper --zero 3 --dp 1", 128, 128, 768},
    {PSI "zero-paper --zero 1 --dp 8", 128, 128, 96},
    {PSI "zero-paper --zero 2 --dp 8", 128, 16, 96},
    {PSI "zero-paper --zero 3 --dp 8", 16, 16, 96},
    /* N is dp alone */
    {PSI "zero-paper --zero 1 --dp 8 --cp 4", 128, 128, 96},
    {PSI "zero-paper --zero 3 --dp 8 --cp 4", 16, 16, 96},
    /* megatron: 18, 6 + 12/N, N = dp·cp */
    {PSI "megatron --zero 0 --dp 64", 128, 256, 768},
    {PSI "megatron --zero 1 --dp 64", 128, 256, 12},
    {PSI "megatron --zero 1 --dp 8", 128, 256, 96},
    {PSI "megatron --zero 1 --dp 8 --cp 4", 128, 256, 24},
    {PSI "megatron --zero 0 --dp 8 --cp 4", 128, 256, 768},
    /* deepspeed: 20, 4 + 16/N, 2 + 18/N, 18/N */
    {PSI "deepspeed --zero 0 --dp 64", 128, 384, 768},
    {PSI "deepspeed --zero 1 --dp 64", 128, 132, 12},
    {PSI "deepspeed --zero 2 --dp 64", 128, 6, 12},
    {PSI "deepspeed --zero 3 --dp 64", 2, 4, 12},
    {PSI "deepspeed --zero 1 --dp 8 --cp 4", 128, 160, 96},
    {PSI "deepspeed --zero 3 --dp 8 --cp 4", 16, 32, 96},
    /* fsdp: 2 + 16/N, 16/N; the fp32 shards are 4 + 4 + 8, the 2 of stage 2 a gathered copy */
    {PSI "fsdp --zero 2 --dp 64", 132, 4, 8},
    {PSI "fsdp --zero 3 --dp 64", 4, 4, 8},
    {PSI "fsdp --dp 64", 4, 4, 8},
    {PSI "fsdp --zero 3 --dp 8 --cp 4", 32, 32, 64},
    {PSI "fsdp --grad-bytes 2 --dp 64", 4, 2, 8},
    {PSI "fsdp --grad-bytes 6 --dp 64", 4, 6, 8},
    {PSI "fsdp --optimizer momentum --dp 64", 4, 4, 4},
    {PSI "fsdp --optimizer none --dp 64", 4, 4, 0},
    {PSI "fsdp --precision fp32 --dp 64", 4, 4, 8},
    {PSI "fsdp --precision fp32 --zero 2 --dp 64", 260, 4, 8},
    /* tp and pp divide Ψ before anything else */
    {PSI "zero-paper --zero 0 --tp 4 --pp 2", 16, 16, 96},
    {PSI "zero-paper --zero 1 --tp 4 --pp 2 --dp 8", 16, 16, 12},
    /* gradient bytes given explicitly win; 6: the 2-byte copy by the stage, the fp32 copy like the optimizer */
    {PSI "zero-paper --grad-bytes 4", 128, 256, 768},
    {PSI "zero-paper --grad-bytes 6 --zero 1 --dp 64", 128, 132, 12},
    {PSI "zero-paper --grad-bytes 6 --zero 2 --dp 64", 128, 6, 12},
    {PSI "zero-paper --grad-bytes 6 --zero 3 --dp 64", 2, 6, 12},
    {PSI "zero-paper --grad-bytes 4 --zero 2 --dp 64", 128, 4, 12},
    {PSI "megatron --grad-bytes 2 --zero 1 --dp 64", 128, 128, 12},
    {PSI "megatron --grad-bytes 6 --zero 1 --dp 64", 128, 132, 12},
    {PSI "deepspeed --grad-bytes 2 --zero 2 --dp 64", 128, 2, 12},
    /* fp16 is bf16 here */
    {PSI "zero-paper --precision fp16", 128, 128, 768},
    {PSI "megatron --precision fp16", 128, 256, 768},
    /* optimizers in mixed precision, master included */
    {PSI "zero-paper --optimizer adam8bit", 128, 128, 384},
    {PSI "zero-paper --optimizer momentum", 128, 128, 512},
    {PSI "zero-paper --optimizer sgd", 128, 128, 256},
    {PSI "zero-paper --optimizer none", 128, 128, 0},
    {PSI "zero-paper --optimizer momentum --zero 1 --dp 64", 128, 128, 8},
    /* fp8: a byte a weight, the rest as bf16 */
    {PSI "zero-paper --precision fp8", 64, 128, 768},
    {PSI "zero-paper --precision fp8 --zero 3 --dp 64", 1, 2, 12},
    {PSI "megatron --precision fp8 --zero 1 --dp 64", 64, 256, 12},
    {PSI "deepspeed --precision fp8 --zero 2 --dp 64", 64, 6, 12},
    {PSI "fsdp --precision fp8 --zero 2 --dp 64", 68, 4, 8},
    {PSI "fsdp --precision fp8 --dp 64", 4, 4, 8},
    /* fp32: 4 + 4 and no master, whatever the convention */
    {PSI "zero-paper --precision fp32", 256, 256, 512},
    {PSI "megatron --precision fp32", 256, 256, 512},
    {PSI "deepspeed --precision fp32", 256, 256, 512},
    {PSI "zero-paper --precision fp32 --optimizer adam8bit", 256, 256, 128},
    {PSI "zero-paper --precision fp32 --optimizer momentum", 256, 256, 256},
    {PSI "zero-paper --precision fp32 --optimizer sgd", 256, 256, 0},
    {PSI "zero-paper --precision fp32 --optimizer none", 256, 256, 0},
    {PSI "zero-paper --precision fp32 --zero 1 --dp 64", 256, 256, 8},
    {PSI "zero-paper --precision fp32 --zero 2 --dp 64", 256, 4, 8},
    {PSI "zero-paper --precision fp32 --zero 3 --dp 64", 4, 4, 8},
    {PSI "deepspeed --precision fp32 --zero 3 --dp 64", 4, 4, 8},
};

START_TEST(a_cell_of_the_table_of_conventions_is_exact) {
    const struct cell *c = &cells[_i];
    struct scenario s = legal_of("%s", c->line);
    struct calc_memory m = memory_of(&s, 0);
    const uint64_t expected[] = {c->weights, c->gradients, c->optimizer};
    for (int part = 0; part < 3; part++) {
        ck_assert_msg(m.part_bytes[part] == psi / 64 * expected[part], "%s: %s %ju, not %ju",
                      c->line, calc_part_name((enum calc_part)part), (uintmax_t)m.part_bytes[part],
                      (uintmax_t)(psi / 64 * expected[part]));
    }
    ck_assert_uint_eq(m.total_bytes, states_of(&m) + term_of(&m, "buffers.gathered"));
}
END_TEST

/* The stages that a convention leaves out are a violation that names those it has. */
static const struct {
    const char *line, *violation;
} undefined[] = {
    {PSI "megatron --zero 2", "error.rule.zero_convention|2|megatron|0, 1"},
    {PSI "megatron --zero 3", "error.rule.zero_convention|3|megatron|0, 1"},
    {PSI "fsdp --zero 0", "error.rule.zero_convention|0|fsdp|2, 3"},
    {PSI "fsdp --zero 1", "error.rule.zero_convention|1|fsdp|2, 3"},
    {PSI "hf --zero 1", "error.rule.zero_convention|1|hf|0"},
    {PSI "hf --zero 3", "error.rule.zero_convention|3|hf|0"},
    {PSI "hf --offload optimizer", "error.rule.hf_offload|optimizer"},
    {PSI "deepspeed --zero 2 --offload params", "error.rule.offload_params|2"},
    {PSI "zero-paper --optimizer muon", "error.rule.optimizer_shapes|muon"},
    {PSI "fsdp --optimizer adafactor", "error.rule.optimizer_shapes|adafactor"},
    {PSI "hf --optimizer sgd", "error.rule.hf_optimizer|sgd"},
    {PSI "hf --grad-bytes 4", "error.rule.hf_grad_bytes|4|2"},
};

START_TEST(a_stage_that_a_convention_leaves_out_is_a_violation) {
    struct scenario s = resolved_of(undefined[_i].line);
    struct message why;
    ck_assert_int_eq(scenario_violations(&s, &why, 1), 1);
    ck_assert_str_eq(message_line(&why), undefined[_i].violation);
}
END_TEST

START_TEST(a_convention_says_which_stages_it_defines) {
    for (uint64_t zero = 0; zero <= 3; zero++) {
        ck_assert(calc_convention_defines(CALC_CONVENTION_ZERO_PAPER, zero));
        ck_assert(calc_convention_defines(CALC_CONVENTION_DEEPSPEED, zero));
        ck_assert(calc_convention_defines(CALC_CONVENTION_MEGATRON, zero) == (zero <= 1));
        ck_assert(calc_convention_defines(CALC_CONVENTION_FSDP, zero) == (zero >= 2));
        ck_assert(calc_convention_defines(CALC_CONVENTION_HF, zero) == (zero == 0));
    }
    ck_assert(!calc_convention_defines(CALC_CONVENTION_ZERO_PAPER, 4));
}
END_TEST

static const struct {
    const char *line;
    uint64_t bytes;
} per_param[] = {
    {PSI "zero-paper", 16},
    {PSI "megatron", 18},
    {PSI "deepspeed", 20},
    {PSI "zero-paper --zero 3 --dp 64", 16},
    {PSI "megatron --zero 1 --dp 64", 18},
    {PSI "deepspeed --zero 3 --dp 64", 20},
    {PSI "zero-paper --precision fp32", 16},
    {PSI "megatron --precision fp32", 16},
    {PSI "deepspeed --precision fp32", 16},
    {PSI "zero-paper --optimizer sgd", 8},
    {PSI "zero-paper --precision fp8", 15},
    {PSI "megatron --optimizer none", 6},
    {PSI "fsdp --dp 64", 16},
    {PSI "fsdp --zero 2 --dp 64", 18},
    {PSI "hf", 8},
    {PSI "hf --precision fp32", 16},
};

START_TEST(a_convention_has_its_bytes_per_parameter) {
    struct scenario s = legal_of("%s", per_param[_i].line);
    uint64_t bytes = calc_state_bytes_per_param(&s);
    ck_assert_msg(bytes == per_param[_i].bytes, "%s: %ju", per_param[_i].line, (uintmax_t)bytes);
}
END_TEST

/* --- Published examples of the card ---------------------------------------------------------------------------- */

START_TEST(seven_billion_parameters_need_112_gb) {
    struct scenario s = legal_of("--params 7B");
    ck_assert_uint_eq(memory_of(&s, 0).total_bytes, UINT64_C(112000000000));
}
END_TEST

START_TEST(llama_2_7b_has_the_bytes_of_its_matrices) {
    struct scenario s = legal_of(LLAMA_7B);
    struct calc_memory m = memory_of(&s, 0);
    ck_assert_uint_eq(m.params, UINT64_C(6738415616));
    ck_assert_uint_eq(m.part_bytes[CALC_PART_WEIGHTS], UINT64_C(13476831232));
    ck_assert_uint_eq(m.part_bytes[CALC_PART_GRADIENTS], UINT64_C(13476831232));
    ck_assert_uint_eq(m.part_bytes[CALC_PART_OPTIMIZER], UINT64_C(80860987392));
}
END_TEST

static const struct {
    int zero;
    uint64_t bytes;
} sharded[] = {{1, 31406250000}, {2, 16640625000}, {3, 1875000000}};

START_TEST(seven_and_a_half_billion_on_64_ranks_as_in_the_paper) {
    struct scenario s = legal_of("--params 7.5B --dp 64 --zero %d", sharded[_i].zero);
    struct calc_memory m = memory_of(&s, 0);
    ck_assert_msg(m.total_bytes == sharded[_i].bytes, "zero %d: %ju", sharded[_i].zero,
                  (uintmax_t)m.total_bytes);
}
END_TEST

/* One fp32 scale for each matrix: 7 in a layer, embedding and head. Activations are those of bf16. */
START_TEST(fp8_weights_have_their_scales) {
    struct scenario s = legal_of(LLAMA_7B " --precision fp8"), bf16 = legal_of(LLAMA_7B);
    struct calc_memory m = memory_of(&s, 0), n = memory_of(&bf16, 0);
    ck_assert_uint_eq(term_of(&m, "weights.scales"), 4 * (32 * 7 + 2));
    ck_assert_uint_eq(m.part_bytes[CALC_PART_WEIGHTS], UINT64_C(6738415616) + 4 * (32 * 7 + 2));
    for (int part = CALC_PART_GRADIENTS; part < CALC_PARTS; part++) {
        ck_assert_uint_eq(m.part_bytes[part], n.part_bytes[part]);
    }
}
END_TEST

/* --- Shares ------------------------------------------------------------------------------------------------------ */

/* 1001 parameters on 8 ranks: rank 0 holds 126 of them. */
START_TEST(a_share_is_rounded_up) {
    struct scenario s = legal_of("--params 1001 --dp 8 --zero 3");
    struct calc_memory m = memory_of(&s, 0);
    ck_assert_uint_eq(m.params, 1001);
    ck_assert_uint_eq(m.part_bytes[CALC_PART_WEIGHTS], 2 * 126);
    ck_assert_uint_eq(m.part_bytes[CALC_PART_GRADIENTS], 2 * 126);
    ck_assert_uint_eq(m.part_bytes[CALC_PART_OPTIMIZER], 12 * 126);
}
END_TEST

START_TEST(more_ranks_than_parameters_leave_one_each) {
    struct scenario s = legal_of("--params 3 --dp 1024 --zero 3");
    ck_assert_uint_eq(memory_of(&s, 0).total_bytes, 16);
}
END_TEST

/* The term says what was multiplied: whole division plain, a rest with its ceiling. */
START_TEST(a_term_shows_the_learners_own_numbers) {
    struct scenario even = legal_of("--params 1000 --dp 8 --zero 1");
    struct scenario odd = legal_of("--params 1001 --dp 8 --zero 1");
    struct calc_memory m = memory_of(&even, 0), n = memory_of(&odd, 0);
    const struct calc_term *optimizer = &m.derivation.terms[m.derivation.count - 1];
    ck_assert_str_eq(optimizer->id, "optimizer");
    ck_assert_str_eq(optimizer->formula, "12Ψ/N");
    ck_assert_str_eq(optimizer->substituted, "12 × 1000 / 8");
    ck_assert_ptr_nonnull(optimizer->source);
    optimizer = &n.derivation.terms[n.derivation.count - 1];
    ck_assert_str_eq(optimizer->substituted, "12 × ⌈1001 / 8⌉");
    ck_assert_str_eq(m.derivation.terms[0].formula, "2Ψ");
    ck_assert_str_eq(m.derivation.terms[0].substituted, "2 × 1000");
}
END_TEST

/* DeepSpeed at stage 3 holds four bytes of its largest module beside the shares; with Ψ alone it is not known. */
START_TEST(deepspeed_at_stage_3_keeps_the_largest_module) {
    struct scenario known = legal_of(LLAMA_7B " --convention deepspeed --zero 3 --dp 8");
    struct calc_memory m = memory_of(&known, 0);
    ck_assert(m.buffers_known);
    ck_assert_uint_eq(m.part_bytes[CALC_PART_BUFFERS], 4 * UINT64_C(131072000));
    struct scenario wide =
        legal_of("--layers 1 --hidden 64 --heads 4 --ffn 5000 --no-gated --vocab 10 "
                 "--convention deepspeed --zero 3 --dp 8");
    ck_assert_uint_eq(memory_of(&wide, 0).part_bytes[CALC_PART_BUFFERS], 4 * 64 * 5000);
    struct scenario alone = legal_of("--params 7B --convention deepspeed --zero 3 --dp 8");
    m = memory_of(&alone, 0);
    ck_assert(!m.buffers_known);
    ck_assert_uint_eq(m.total_bytes, 18 * UINT64_C(7000000000) / 8);
    struct scenario two = legal_of(LLAMA_7B " --convention deepspeed --zero 2 --dp 8");
    ck_assert_uint_eq(memory_of(&two, 0).part_bytes[CALC_PART_BUFFERS], 0);
}
END_TEST

START_TEST(the_saving_tends_to_its_limit) {
    static const double limits[] = {1.0, 4.0, 8.0};
    struct scenario s = legal_of("--params 1B");
    for (uint64_t zero = 0; zero <= 2; zero++) {
        double limit = calc_zero_saving_limit(&s, zero);
        ck_assert_double_eq_tol(limit, limits[zero], 1e-12);
        ck_assert_double_eq_tol(calc_zero_saving(&s, zero, UINT64_C(1) << 50), limit, 1e-9);
        ck_assert_double_eq_tol(calc_zero_saving(&s, zero, 1), 1.0, 1e-12);
    }
    ck_assert_double_eq(calc_zero_saving_limit(&s, 3), 0.0);
    ck_assert_double_eq_tol(calc_zero_saving(&s, 3, 64), 64.0, 1e-12);
}
END_TEST

static Suite *suite(void) {
    Suite *s = suite_create("states");
    TCase *table = tcase_create("table"), *shares = tcase_create("shares");
    tcase_add_loop_test(table, a_cell_of_the_table_of_conventions_is_exact, 0, ROWS(cells));
    tcase_add_loop_test(table, a_stage_that_a_convention_leaves_out_is_a_violation, 0,
                        ROWS(undefined));
    tcase_add_test(table, a_convention_says_which_stages_it_defines);
    tcase_add_loop_test(table, a_convention_has_its_bytes_per_parameter, 0, ROWS(per_param));
    tcase_add_test(shares, seven_billion_parameters_need_112_gb);
    tcase_add_test(shares, fp8_weights_have_their_scales);
    tcase_add_test(shares, llama_2_7b_has_the_bytes_of_its_matrices);
    tcase_add_loop_test(shares, seven_and_a_half_billion_on_64_ranks_as_in_the_paper, 0,
                        ROWS(sharded));
    tcase_add_test(shares, a_share_is_rounded_up);
    tcase_add_test(shares, more_ranks_than_parameters_leave_one_each);
    tcase_add_test(shares, a_term_shows_the_learners_own_numbers);
    tcase_add_test(shares, deepspeed_at_stage_3_keeps_the_largest_module);
    tcase_add_test(shares, the_saving_tends_to_its_limit);
    suite_add_tcase(s, table);
    suite_add_tcase(s, shares);
    return s;
}

#include "support/check_main.h"
