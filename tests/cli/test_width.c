/* What commands print for people fits the terminal: 80 columns where standard output is none, in both languages, with
 * wide characters counted as two. */
#include <stdio.h>

#include "cli/expect.h"

enum { COLUMNS = 80 };

static const char *const lines[] = {
    "mem --model llama-2-7b --gpu h100-sxm-80gb --dp 8 --zero 3 --timeline --explain",
    "mem --model llama-2-7b --pp 4 --conventions",
    "mem --model llama-2-7b --pp 4 --against --zero=3",
    "mem --params 70B --zero 3 --dp 8 --offload params --convention deepspeed",
    "params --model deepseek-v3",
    "comm --model llama-3.1-405b --gpu h100-sxm-80gb --tp 8 --pp 16 --dp 8 --micro-batches 128 "
    "--explain",
    "comm --model mixtral-8x7b --gpu h100-sxm-80gb --tp 8 --pp 2 --dp 8 --ep 4 --micro-batches 8 "
    "--explain --grid 3",
    "flops --model llama-2-7b --gpu h100-sxm-80gb --tokens 2T --gpus 64",
    "flops --model mixtral-8x7b --recompute selective --attention standard --tp 2",
    "plan --model llama-2-7b --gpu h100-sxm-80gb --gpus 16 --global-batch 64",
    "plan --model llama-2-7b --gpu h100-sxm-80gb --gpus 16 --global-batch 64 --explain dp=2,tp=8",
    "plan --model llama-3.1-405b --gpu h100-sxm-80gb --gpus 8 --global-batch 64",
    "pipe --stages 4 --micro-batches 8 --tf 1,1,1,2 --ops",
    "pipe --stages 4 --micro-batches 8 --schedule interleaved --chunks 2 --ops --comm 0.1",
    "pipe --stages 4 --micro-batches 8 --gantt --ask F3@2 --against gpipe --explain",
    "allreduce --ranks 4 --elems 1000 --trace",
    "format --type fp16 0.1 65520 1e-8 -3",
    "format --type e2m1 --block nvfp4 0.1 0.2 3",
    "bench calculators --repeat 1",
    "bench collectives 1KiB --repeat 1",
    "bench formats 8192 --repeat 1",
    "doctor",
    "lesson list",
    "quiz list",
    "quiz show memory.states.largest --answer",
    "quiz generate collectives.ring.bytes --seed 3",
    "quiz answer collectives.ring.bytes 1 GB",
    "overflow --experiment sum",
    "overflow --experiment range",
    "overflow --experiment gradients",
    "overflow --experiment loss-scale",
    "overflow --experiment softmax",
    "overflow --experiment adam-eps",
    "overflow --experiment stagnation",
    "overflow --experiment stochastic",
    "overflow --experiment fp8-scale",
    "overflow --experiment allreduce",
};

/* Columns of a code point as terminals count them. */
static int columns_of(long c) {
    bool wide = (c >= 0x1100 && c <= 0x115F) || (c >= 0x2E80 && c <= 0xA4CF) ||
                (c >= 0xAC00 && c <= 0xD7A3) || (c >= 0xF900 && c <= 0xFAFF) ||
                (c >= 0xFE30 && c <= 0xFE4F) || (c >= 0xFF00 && c <= 0xFF60);
    return wide ? 2 : 1;
}

static void expect_columns(const char *line, const char *text, int columns) {
    int used = 0;
    const char *begin = text;
    for (const char *at = text; *at != '\0';) {
        long c = expect_code_point(&at);
        used = c == '\n' ? 0 : used + columns_of(c);
        begin = c == '\n' ? at : begin;
        ck_assert_msg(used <= columns, "%s: %.*s", line, (int)strcspn(begin, "\n"), begin);
    }
}

START_TEST(an_answer_fits_eighty_columns) {
    for (int zh = 0; zh <= 1; zh++) {
        struct run r;
        char line[EXPECT_LINE_MAX];
        (void)snprintf(line, sizeof line, "--lang %s %s", zh ? "zh" : "en", lines[_i]);
        expect_good(&r, line, NULL);
        expect_columns(line, r.out, COLUMNS);
        run_free(&r);
    }
}
END_TEST

/* A terminal of fewer columns: pictures and sentences keep to it. */
START_TEST(an_answer_fits_sixty_columns) {
    static const char *const environment[] = {"COLUMNS=60", NULL};
    static const char *const narrow[] = {
        "mem --model llama-2-7b --gpu h100-sxm-80gb --dp 8 --zero 3 --timeline --explain",
        "mem --model llama-2-7b --pp 4 --conventions",
        "format --type fp16 0.1 65520",
        "plan --model llama-2-7b --gpu h100-sxm-80gb --gpus 16 --global-batch 64",
    };
    const struct run_options o = {.environment = environment};
    struct run r;
    expect_good(&r, narrow[_i], &o);
    expect_columns(narrow[_i], r.out, 60);
    run_free(&r);
}
END_TEST

/* Columns that differ between layouts stay when the table is narrow; what all have alike is said below it. */
START_TEST(a_narrow_table_keeps_what_tells_its_rows_apart) {
    struct run r;
    expect_good(&r, "plan --model llama-2-7b --gpu h100-sxm-80gb --gpus 16 --global-batch 64",
                NULL);
    expect_names(r.out, "dp|tp|pp|chunks|schedule|ZeRO|step s|MFU|recompute none");
    run_free(&r);
}
END_TEST

static Suite *suite(void) {
    Suite *s = suite_create("width");
    TCase *t = tcase_create("width");
    tcase_set_timeout(t, 240); /* a bench starts every peer */
    tcase_add_loop_test(t, an_answer_fits_eighty_columns, 0, (int)(sizeof lines / sizeof lines[0]));
    tcase_add_loop_test(t, an_answer_fits_sixty_columns, 0, 4);
    tcase_add_test(t, a_narrow_table_keeps_what_tells_its_rows_apart);
    suite_add_tcase(s, t);
    return s;
}

#include "support/check_main.h"
