/* `shardlab mem` against numbers that are known beforehand: model states of Llama 2 7B, the figures of the ZeRO
 * paper, the bytes per parameter of three conventions. Compared as the digits that the program printed, since some
 * of them are beyond what a double holds. */
#include <check.h>

#include "cli/expect.h"

/* One command and values at paths of its answer. */
static const struct {
    const char *line, *path, *digits;
} known[] = {
    {"mem --model llama-2-7b --json", "per_gpu.weights_bytes", "13476831232"},
    {"mem --model llama-2-7b --json", "per_gpu.gradients_bytes", "13476831232"},
    {"mem --model llama-2-7b --json", "per_gpu.optimizer_bytes", "80860987392"},
    {"mem --model llama-2-7b --json", "model.params", "6738415616"},
    {"mem --model llama-2-7b --json", "bytes_per_param", "16"},
    {"mem --params 7B --json", "per_gpu.total_bytes", "112000000000"},
    {"mem --params 7B --json", "peak_bytes", "112000000000"},
    {"mem --params 7.5B --dp 64 --zero 0 --json", "per_gpu.total_bytes", "120000000000"},
    {"mem --params 7.5B --dp 64 --zero 1 --json", "per_gpu.total_bytes", "31406250000"},
    {"mem --params 7.5B --dp 64 --zero 2 --json", "per_gpu.total_bytes", "16640625000"},
    {"mem --params 7.5B --dp 64 --zero 3 --json", "per_gpu.total_bytes", "1875000000"},
    {"mem --params 7B --convention zero-paper --json", "bytes_per_param", "16"},
    {"mem --params 7B --convention megatron --json", "bytes_per_param", "18"},
    {"mem --params 7B --convention deepspeed --json", "bytes_per_param", "20"},
    {"mem --params 7B --convention zero-paper --json", "per_gpu.total_bytes", "112000000000"},
    {"mem --params 7B --convention megatron --json", "per_gpu.total_bytes", "126000000000"},
    {"mem --params 7B --convention deepspeed --json", "per_gpu.total_bytes", "140000000000"},
    /* 2^53 + 1, the first whole number that a double does not hold, and its multiples */
    {"params --params 9007199254740993 --json", "params", "9007199254740993"},
    {"mem --params 9007199254740993 --json", "model.params", "9007199254740993"},
    {"mem --params 9007199254740993 --json", "per_gpu.weights_bytes", "18014398509481986"},
    {"mem --params 9007199254740993 --json", "per_gpu.total_bytes", "144115188075855888"},
    {"mem --params 9007199254740993 --json", "stages[0].optimizer_bytes", "108086391056891916"},
    {"mem --params 9007199254740993 --json", "explain[2].bytes", "108086391056891916"},
    {"mem --params 9007199254740993 --json", "explain[2].substituted", "\"12 × 9007199254740993\""},
    {"mem --params 1152921504606846975 --json", "per_gpu.total_bytes", "18446744073709551600"},
    {"mem --params 1152921504606846975 --memory 80GB --json", "headroom_bytes",
     "-18446743993709551600"},
    {"mem --params 7B --memory 80GB --json", "headroom_bytes", "-32000000000"},
    {"mem --params 7B --memory 80GB --json", "fits", "false"},
    {"mem --params 7B --memory 200GB --reserve 2GB --json", "headroom_bytes", "86000000000"},
    {"mem --params 7B --memory 200GB --reserve 2GB --json", "capacity_bytes", "198000000000"},
    {"mem --params 7B --memory 112GB --json", "fits", "true"},
    {"mem --params 7B --memory 112GB --json", "headroom_bytes", "0"},
    /* 79.25 GiB is what a program is offered of an A100 80 GB */
    {"mem --params 1B --gpu a100-sxm-80gb --json", "capacity_bytes", "85094039552"},
    {"mem --model llama-2-7b --json", "per_gpu.activations_bytes", "17330864128"},
    /* and 17.86 GB with Megatron's logits: 4 bytes for each of 4096 × 32000 entries */
    {"mem --model llama-2-7b --logits fused --json", "per_gpu.activations_bytes", "17855152128"},
    /* offload: per node by DeepSpeed's estimators, per GPU elsewhere */
    {"mem --params 2851e6 --convention deepspeed --zero 2 --dp 64 --offload optimizer --json",
     "offloaded.cpu_bytes", "136848000000"},
    {"mem --params 2851e6 --convention deepspeed --zero 2 --dp 64 --offload optimizer --json",
     "per_gpu.total_bytes", "5702000000"},
    {"mem --params 2851e6 --convention deepspeed --zero 2 --dp 64 --offload optimizer --json",
     "offloaded.per", "\"node\""},
    {"mem --params 7B --zero 3 --dp 8 --offload params --offload-to nvme --json",
     "offloaded.nvme_bytes", "14000000000"},
    {"mem --params 7B --zero 3 --dp 8 --offload params --offload-to nvme --json",
     "offloaded.cpu_bytes", "0"},
    {"mem --params 7B --zero 3 --dp 8 --offload params --offload-to nvme --json",
     "per_gpu.total_bytes", "0"},
    {"mem --params 7B --convention hf --json", "per_gpu.total_bytes", "56000000000"},
    {"mem --params 7B --convention hf --json", "per_gpu.weights_bytes", "null"},
    {"mem --params 7B --convention hf --json", "bytes_per_param", "8"},
    {"mem --params 7B --convention fsdp --json", "scenario.zero", "3"},
    /* how a number may be written */
    {"mem --model llama-2-7b --seq 16K --json", "scenario.seq", "16384"},
    {"mem --params=7B --json", "model.params", "7000000000"},
    {"mem --params ７Ｂ --json", "model.params", "7000000000"},
    {"mem --params 7B --dp ８ --json", "scenario.dp", "8"},
    {"mem --params 2851e6 --json", "model.params", "2851000000"},
    {"mem --params 1.5T --json", "model.params", "1500000000000"},
    {"mem --params 350M --json", "model.params", "350000000"},
    {"mem --params 7B --memory 64MiB --json", "capacity_bytes", "67108864"},
    {"mem --params 7B --memory 64MB --json", "capacity_bytes", "64000000"},
    {"mem --params 7B --dp 1K --json", "scenario.dp", "1000"},
};

START_TEST(an_answer_holds_the_known_number) {
    struct run r;
    expect_json(&r, known[_i].line, NULL);
    struct json_value value = json_at(r.out, known[_i].path);
    ck_assert_msg(json_is(value, known[_i].digits), "%s: %s is %.*s, not %s", known[_i].line,
                  known[_i].path, (int)value.length, value.at, known[_i].digits);
    run_free(&r);
}
END_TEST

/* Commands that name the same scenario in another way: the answers are equal to the byte. */
static const struct {
    const char *one, *other;
} alike[] = {
    {"mem --params 7B --json", "mem --params=7B --json"},
    {"mem --params 7B --json", "mem --json --params 7000000000"},
    {"mem --params 7B --json", "--json mem --params 7B"},
    {"mem --params 7B --json", "--params 7B --json mem"},
    {"mem --params 7B --json", "--params=7B mem --json"},
    {"mem --model llama-2-7b --no-dropout --json", "--no-dropout --json mem --model=llama-2-7b"},
    {"mem --model llama-2-7b --untied --json", "mem --model llama-2-7b --tied=no --json"},
    {"mem --model llama-2-7b --dropout --json", "mem --dropout=yes --model llama-2-7b --json"},
    {"mem --model llama-2-7b --dp 4 --json", "mem --model llama-2-7b --dp 2 --dp 4 --json"},
    {"mem --model llama-2-7b --json", "mem --model LLAMA-2-7B --json"},
    {"mem --params 7B --stage 0 --json", "mem --params 7B --json"},
    {"mem --params 7B --lang en --json", "--lang=en mem --params 7B --json"},
};

START_TEST(two_ways_to_say_it_give_one_answer) {
    struct run one, other;
    expect_json(&one, alike[_i].one, NULL);
    expect_json(&other, alike[_i].other, NULL);
    struct json_value a = json_at(one.out, "per_gpu"), b = json_at(other.out, "per_gpu");
    ck_assert_msg(a.length == b.length && memcmp(a.at, b.at, a.length) == 0, "%s\n%s\n%s%s",
                  alike[_i].one, alike[_i].other, one.out, other.out);
    run_free(&one);
    run_free(&other);
}
END_TEST

START_TEST(seven_and_a_half_billion_read_as_in_the_paper) {
    static const char *const printed[] = {"120.00", "31.41", "16.64", "1.88"};
    struct run r;
    char line[] = "mem --params 7.5B --dp 64 --zero ?";
    line[sizeof line - 2] = (char)('0' + _i);
    expect_good(&r, line, NULL);
    ck_assert_msg(strstr(r.out, printed[_i]) != NULL, "no %s in\n%s", printed[_i], r.out);
    run_free(&r);
}
END_TEST

static Suite *suite(void) {
    Suite *s = suite_create("mem: known numbers");
    TCase *t = tcase_create("numbers");
    tcase_add_loop_test(t, an_answer_holds_the_known_number, 0, sizeof known / sizeof known[0]);
    tcase_add_loop_test(t, two_ways_to_say_it_give_one_answer, 0, sizeof alike / sizeof alike[0]);
    tcase_add_loop_test(t, seven_and_a_half_billion_read_as_in_the_paper, 0, 4);
    suite_add_tcase(s, t);
    return s;
}

#include "support/check_main.h"
