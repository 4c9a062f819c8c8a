/* Numbers at the ends of what a double holds, for every command that reads a real: each is answered or refused, in
 * words and in JSON, within the time limit of a run, and no figure of an answer is infinite. */
#include <stdio.h>

#include "cli/expect.h"
#include "support/sanitized.h"

static const char *const reals[] = {"1e300",  "1e308", "1.7e308", "1e-300", "4.9e-324",
                                    "1e-400", "1e9",   "1e-9",    "-1e300", "1e400"};

#define GPU " --model llama-2-7b --gpu h100-sxm-80gb --seq 128 "
#define PIPE "pipe --stages 2 --micro-batches 2 "

/* Command lines whose last word is the option that takes a real. */
static const char *const lines[] = {
    "flops" GPU "--tokens 1e18 --tflops",
    "flops" GPU "--tokens 1e18 --tokens-per-s",
    "flops" GPU "--tokens 1e18 --step-s",
    "flops" GPU "--tokens 1e18 --mfu",
    "flops" GPU "--gpus 1e18 --global-batch 1e12 --step-s",
    "comm" GPU "--dp 16 --pp 2 --mfu",
    "comm" GPU "--dp 16 --pp 2 --alpha-us",
    "comm" GPU "--dp 16 --pp 2 --link-gb-per-s",
    "comm" GPU "--dp 16 --pp 2 --net-gb-per-s",
    "comm" GPU "--offload optimizer --pcie-gb-per-s",
    "comm" GPU "--offload params --offload-to nvme --nvme-gb-per-s",
    "plan" GPU "--gpus 2 --global-batch 2 --mfu",
    "plan" GPU "--gpus 2 --global-batch 2 --alpha-us",
    "plan" GPU "--gpus 2 --global-batch 2 --link-gb-per-s",
    PIPE "--tf",
    PIPE "--tb",
    PIPE "--tw",
    PIPE "--comm",
    "pipe --schedule dualpipe --stages 2 --micro-batches 4 --tov",
    "allreduce --ranks 2 --elems 8 --repeat 1 --timeout",
    "overflow --experiment sum --count 4 --value",
    "overflow --experiment softmax --count 4 --value",
    "overflow --experiment adam-eps --epsilon",
    "overflow --experiment stagnation --count 4 --update",
    "overflow --experiment gradients --count 64 --center",
    "overflow --experiment gradients --count 64 --spread",
    "format --type fp16",
    "format --type bf16",
    "format --type e8m0",
    "format --type e4m3 --block mx",
};

static bool is_letter(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static bool has_word(const char *text, const char *word) {
    for (const char *at = strstr(text, word); at != NULL; at = strstr(at + 1, word)) {
        if ((at == text || !is_letter(at[-1])) && !is_letter(at[strlen(word)])) {
            return true;
        }
    }
    return false;
}

static void answer(const char *line, const char *real, const char *json) {
    struct expect_words words;
    struct run r;
    char whole[EXPECT_LINE_MAX];
    (void)snprintf(whole, sizeof whole, "%s %s%s", line, real, json);
    run_shardlab(&r, expect_split(&words, whole), NULL);
    ck_assert_msg(r.status == 0 || r.status == 2, "%s: status %d: %s", whole, r.status, r.err);
    ck_assert_msg((r.status == 0) == (r.out_length > 0), "%s: status %d: %s", whole, r.status,
                  r.out);
    bool may_be_infinite = strncmp(line, "overflow", 8) == 0 || strncmp(line, "format", 6) == 0;
    ck_assert_msg(may_be_infinite || !(has_word(r.out, "inf") || has_word(r.out, "nan")), "%s: %s",
                  whole, r.out);
    run_free(&r);
}

START_TEST(an_extreme_real_is_answered_or_refused) {
    for (size_t i = 0; i < sizeof reals / sizeof reals[0]; i++) {
        bool both = !SANITIZED; /* else in turns */
        if (both || (i + (size_t)_i) % 2 == 0) {
            answer(lines[_i], reals[i], "");
        }
        if (both || (i + (size_t)_i) % 2 == 1) {
            answer(lines[_i], reals[i], " --json");
        }
    }
}
END_TEST

/* A measured speed that no machine has is refused with what is accepted. */
START_TEST(a_measured_speed_has_its_range) {
    static const struct {
        const char *line, *names;
    } wrong[] = {
        {"flops" GPU "--tokens-per-s 1e300", "--tokens-per-s 1e300|1e-9|1e12"},
        {"flops" GPU "--tflops 1e300", "--tflops 1e300|1e-9|1e9"},
        {"flops" GPU "--tflops 1e-300 --tokens 1e18", "--tflops 1e-300|1e-9|1e9"},
        {"flops" GPU "--step-s 1e-300", "--step-s 1e-300|1e-9|1e9"},
        {"flops" GPU "--tokens 1e30", "--tokens 1e30|1 to 18446744073709551615"},
        {"plan" GPU "--gpus 2 --global-batch 2 --top 0", "--top 0|1 to 1000"},
        {"plan" GPU "--gpus 2 --global-batch 2 --top 1001", "--top 1001|1 to 1000"},
        {"allreduce --seed -1", "--seed -1|from 0"},
        {"mem" GPU "--stage -1", "--stage -1|from 0"},
        {"comm" GPU "--grid -1", "--grid -1|from 0"},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        struct expect_words words;
        struct run r;
        expect_refused(&r, expect_split(&words, wrong[i].line), 2, "shardlab: ");
        expect_names(r.err, wrong[i].names);
        run_free(&r);
    }
}
END_TEST

static Suite *suite(void) {
    Suite *s = suite_create("extremes");
    TCase *t = tcase_create("reals");
    tcase_add_loop_test(t, an_extreme_real_is_answered_or_refused, 0,
                        (int)(sizeof lines / sizeof lines[0]));
    tcase_add_test(t, a_measured_speed_has_its_range);
    suite_add_tcase(s, t);
    return s;
}

#include "support/check_main.h"
