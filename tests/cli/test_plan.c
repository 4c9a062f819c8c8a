/* `shardlab plan`: the fields of CONTRACT, a list in order, the place of one layout, sentences in both languages, and
 * what is refused. */
#include <math.h>
#include <stdio.h>

#include "cli/expect.h"

#define SMALL                                                                                      \
    "plan --model llama-2-7b --gpu a100-sxm-80gb --gpus 64 --global-batch 256 --micro-batch 1"

static double layout_real(const char *answer, int i, const char *key) {
    char path[96];
    (void)snprintf(path, sizeof path, "layouts[%d].%s", i, key);
    return expect_real(answer, path);
}

static uint64_t layout_count(const char *answer, int i, const char *key) {
    char path[96];
    (void)snprintf(path, sizeof path, "layouts[%d].%s", i, key);
    return json_digits(answer, path);
}

START_TEST(a_layout_has_the_fields_of_the_contract) {
    static const char *const counts[] = {
        "dp",         "tp", "pp", "cp", "ep", "chunks", "zero", "micro_batch", "micro_batches",
        "total_bytes"};
    static const char *const reals[] = {"step_s", "mfu", "bubble", "terms.compute_s"};
    static const char *const words[] = {"schedule", "recompute", "why"};
    struct run r;
    expect_json(&r, SMALL " --json", NULL);
    ck_assert_uint_ge(json_digits(r.out, "considered"), json_digits(r.out, "feasible"));
    int layouts = json_count(json_at(r.out, "layouts"));
    ck_assert_int_eq(layouts, 10);
    for (int i = 0; i < layouts; i++) {
        for (size_t k = 0; k < sizeof counts / sizeof counts[0]; k++) {
            (void)layout_count(r.out, i, counts[k]);
        }
        for (size_t k = 0; k < sizeof reals / sizeof reals[0]; k++) {
            ck_assert(layout_real(r.out, i, reals[k]) >= 0);
        }
        for (size_t k = 0; k < sizeof words / sizeof words[0]; k++) {
            char path[64];
            (void)snprintf(path, sizeof path, "layouts[%d].%s", i, words[k]);
            ck_assert_int_eq(json_at(r.out, path).kind, JSON_KIND_STRING);
        }
    }
    run_free(&r);
}
END_TEST

START_TEST(every_layout_divides_the_cluster_and_fits_and_the_fastest_is_first) {
    struct run r;
    expect_json(&r, SMALL " --top 200 --json", NULL);
    int layouts = json_count(json_at(r.out, "layouts"));
    uint64_t capacity = json_digits(r.out, "capacity_bytes");
    double before = 0;
    ck_assert_int_gt(layouts, 20);
    for (int i = 0; i < layouts; i++) {
        uint64_t dp = layout_count(r.out, i, "dp");
        ck_assert_uint_eq(dp * layout_count(r.out, i, "tp") * layout_count(r.out, i, "pp") *
                              layout_count(r.out, i, "cp"),
                          64);
        ck_assert_uint_eq(dp * layout_count(r.out, i, "micro_batches"), 256);
        ck_assert_uint_le(layout_count(r.out, i, "total_bytes"), capacity);
        ck_assert(layout_real(r.out, i, "step_s") >= before - 1e-9);
        before = layout_real(r.out, i, "step_s");
    }
    run_free(&r);
}
END_TEST

/* Those without a closed form are run; the layouts are the schedule's own. */
START_TEST(schedules_without_a_closed_form_are_planned_too) {
    static const char *const schedules[] = {"zb-v", "dualpipe", "dualpipev", "chimera"};
    struct run r;
    char line[EXPECT_LINE_MAX];
    (void)snprintf(line, sizeof line,
                   SMALL " --schedule %s --pp 4 --json --explain pp=4,tp=8,schedule=%s",
                   schedules[_i], schedules[_i]);
    expect_json(&r, line, NULL);
    ck_assert_int_gt(json_count(json_at(r.out, "layouts")), 3);
    char quoted[32];
    (void)snprintf(quoted, sizeof quoted, "\"%s\"", schedules[_i]);
    ck_assert(json_is(json_at(r.out, "layouts[0].schedule"), quoted));
    ck_assert(layout_real(r.out, 0, "bubble") > 0 && layout_real(r.out, 0, "terms.pp_s") > 0);
    ck_assert(expect_real(r.out, "explain.slower_than_best") >= 0);
    run_free(&r);
}
END_TEST

static bool sequence_parallel(const char *answer, int layout) {
    char path[64];
    (void)snprintf(path, sizeof path, "layouts[%d].sequence_parallel", layout);
    return json_is(json_at(answer, path), "true");
}

/* Both ways are in the list, and only where there is something to divide. */
START_TEST(layouts_with_and_without_sequence_parallelism_are_listed) {
    struct run r;
    int with = 0, without = 0;
    expect_json(&r, SMALL " --top 60 --json", NULL);
    for (int i = 0; i < 60; i++) {
        bool split = layout_count(r.out, i, "tp") > 1, on = sequence_parallel(r.out, i);
        ck_assert(split || !on);
        with += on ? 1 : 0;
        without += split && !on ? 1 : 0;
    }
    ck_assert_int_gt(with, 0);
    ck_assert_int_gt(without, 0);
    run_free(&r);
}
END_TEST

START_TEST(memory_of_a_layout_is_what_mem_says) {
    struct run r, mem;
    char line[512];
    expect_json(&r, SMALL " --top 3 --json", NULL);
    for (int i = 0; i < 3; i++) {
        char recompute[32], path[64];
        (void)snprintf(path, sizeof path, "layouts[%d].recompute", i);
        struct json_value v = json_at(r.out, path);
        (void)snprintf(recompute, sizeof recompute, "%.*s", (int)v.length - 2, v.at + 1);
        uint64_t tp = layout_count(r.out, i, "tp");
        (void)snprintf(line, sizeof line,
                       "mem --model llama-2-7b --gpu a100-sxm-80gb --dp %d --tp %d --pp %d --cp %d "
                       "--chunks %d --zero %d --micro-batches %d --recompute %s%s --json",
                       (int)layout_count(r.out, i, "dp"), (int)tp,
                       (int)layout_count(r.out, i, "pp"), (int)layout_count(r.out, i, "cp"),
                       (int)layout_count(r.out, i, "chunks"), (int)layout_count(r.out, i, "zero"),
                       (int)layout_count(r.out, i, "micro_batches"), recompute,
                       sequence_parallel(r.out, i) ? " --sequence-parallel" : "");
        expect_json(&mem, line, NULL);
        ck_assert_uint_eq(json_digits(mem.out, "per_gpu.total_bytes"),
                          layout_count(r.out, i, "total_bytes"));
        run_free(&mem);
    }
    run_free(&r);
}
END_TEST

START_TEST(a_listed_layout_is_explained_with_its_own_place) {
    struct run list, one;
    char line[512];
    expect_json(&list, SMALL " --top 8 --json", NULL);
    for (int i = 0; i < 8; i += 3) {
        char path[64], recompute[32], name[32];
        (void)snprintf(path, sizeof path, "layouts[%d].schedule", i);
        struct json_value schedule = json_at(list.out, path);
        (void)snprintf(name, sizeof name, "%.*s", (int)schedule.length - 2, schedule.at + 1);
        (void)snprintf(path, sizeof path, "layouts[%d].recompute", i);
        struct json_value v = json_at(list.out, path);
        (void)snprintf(recompute, sizeof recompute, "%.*s", (int)v.length - 2, v.at + 1);
        (void)snprintf(line, sizeof line,
                       SMALL " --json --explain dp=%d,tp=%d,pp=%d,cp=%d,chunks=%d,zero=%d,"
                             "micro_batch=1,schedule=%s,recompute=%s,sequence_parallel=%s",
                       (int)layout_count(list.out, i, "dp"), (int)layout_count(list.out, i, "tp"),
                       (int)layout_count(list.out, i, "pp"), (int)layout_count(list.out, i, "cp"),
                       (int)layout_count(list.out, i, "chunks"),
                       (int)layout_count(list.out, i, "zero"), name, recompute,
                       sequence_parallel(list.out, i) ? "yes" : "no");
        expect_json(&one, line, NULL);
        ck_assert_uint_eq(json_digits(one.out, "explain.rank"), (uint64_t)i + 1);
        ck_assert(json_is(json_at(one.out, "explain.fits"), "true"));
        ck_assert(fabs(expect_real(one.out, "explain.step_s") -
                       layout_real(list.out, i, "step_s")) < 1e-12);
        bool tie = strstr(one.out, "less simple") != NULL;
        ck_assert_msg(i > 0 || !tie, "the best is compared with itself: %s", one.out);
        ck_assert(i > 0 || strstr(one.out, "the next layout") != NULL);
        run_free(&one);
    }
    run_free(&list);
}
END_TEST

START_TEST(a_layout_that_does_not_fit_says_by_how_much) {
    struct run r;
    expect_json(&r,
                "plan --model llama-2-70b --gpu a100-sxm-80gb --gpus 64 --global-batch 64 "
                "--explain tp=8,zero=0 --json",
                NULL);
    ck_assert(json_is(json_at(r.out, "explain.fits"), "false"));
    ck_assert(json_is(json_at(r.out, "explain.rank"), "null"));
    ck_assert_int_eq(json_at(r.out, "explain.headroom_bytes").at[0], '-');
    run_free(&r);
}
END_TEST

/* As a Chinese keyboard writes it. */
START_TEST(a_layout_may_have_full_width_marks) {
    struct run plain, wide;
    expect_json(&plain, SMALL " --json --explain dp=8,tp=8", NULL);
    expect_json(&wide, SMALL " --json --explain dp＝８，tp=8", NULL);
    ck_assert_str_eq(plain.out, wide.out);
    ck_assert_uint_eq(json_digits(wide.out, "explain.tp"), 8);
    run_free(&plain);
    run_free(&wide);
}
END_TEST

START_TEST(where_nothing_fits_the_list_is_empty_and_a_note_says_so) {
    struct run r;
    expect_json(&r,
                "plan --model llama-2-70b --gpu t4-16gb --precision fp16 --gpus 2 "
                "--global-batch 4 --link-gb-per-s 10 --json",
                NULL);
    ck_assert(json_is(json_at(r.out, "feasible"), "0"));
    ck_assert_int_eq(json_count(json_at(r.out, "layouts")), 0);
    expect_names(r.out, "No layout fits|More than 2 GPUs|--offload params");
    ck_assert_ptr_null(strstr(r.out, "--recompute full")); /* looked at already */
    ck_assert_ptr_null(strstr(r.out, "optimizer step"));
    run_free(&r);
    expect_json(&r,
                "plan --model llama-2-70b --gpu t4-16gb --precision fp16 --gpus 2 --zero 1 "
                "--recompute none --offload optimizer --pcie-gb-per-s 10 "
                "--global-batch 4 --link-gb-per-s 10 --json",
                NULL);
    expect_names(r.out, "No layout fits|--recompute full, --zero 3|CPU's own optimizer step");
    run_free(&r);
}
END_TEST

START_TEST(the_reasons_are_words_in_both_languages) {
    struct run r;
    expect_good(&r, SMALL " --explain tp=8,pp=8", &expect_wide);
    expect_names(r.out, "legal layouts: |the bubble|of the step|place |slower than the best");
    ck_assert(strstr(r.out, "plan.") == NULL);
    run_free(&r);
    expect_good(&r, SMALL " --lang zh --explain tp=8,recompute=full", &expect_wide);
    expect_names(r.out, "合法布局|计算占一步时间的|下一个瓶颈|比最佳布局慢");
    ck_assert(strstr(r.out, "plan.") == NULL);
    run_free(&r);
}
END_TEST

static const struct {
    const char *line, *names;
} refused[] = {
    {"plan --model llama-2-7b --gpu a100-sxm-80gb --global-batch 8", "--gpus"},
    {"plan --model llama-2-7b --gpu a100-sxm-80gb --gpus 8", "--global-batch"},
    {"plan --model llama-2-7b --gpus 8 --global-batch 8", "--gpu|--memory"},
    {"plan --model llama-2-7b --memory 80GB --gpus 8 --global-batch 8", "--gpu"},
    {"plan --model llama-2-7b --gpu v100-sxm2-32gb --precision bf16 --gpus 8 --global-batch 8",
     "bf16|v100-sxm2-32gb|--precision"},
    {"plan --params 7B --gpu a100-sxm-80gb --gpus 8 --global-batch 8", "--model"},
    {"plan --model llama-2-7b --gpu a100-pcie-80gb --gpus 16 --global-batch 16", "--net-gb-per-s"},
    {"plan --model llama-2-7b --gpu a100-sxm-80gb --gpus 1.5 --global-batch 8", "--gpus 1.5"},
    {"plan --model llama-2-7b --gpu a100-sxm-80gb --gpus 2000000 --global-batch 8", "2,000,000"},
    {"plan --model llama-2-7b --gpu a100-sxm-80gb --gpus 5 --tp 5 --global-batch 8",
     "--tp 5|nearest"},
    {"plan --model llama-2-7b --gpu a100-sxm-80gb --gpus 8 --tp 3 --global-batch 8", "--gpus 8"},
    {SMALL " --top 0", "--top 0"},
    {SMALL " --top 1001", "--top 1001|1000"},
    {SMALL " --explain", "--explain"},
    {SMALL " --explain tp", "--explain tp|tp, pp"},
    {SMALL " --explain tp=", "tp"},
    {SMALL " --explain =8", "=8"},
    {SMALL " --explain ,", "--explain"},
    {SMALL " --explain tp=8,", "--explain"},
    {SMALL " --explain width=8", "width=8"},
    {SMALL " --explain tp=8,tp=8", "tp=8|twice"},
    {SMALL " --explain tp=3", "--tp 3"},
    {SMALL " --explain tp=8,dp=4", "dp 4|--gpus 64"},
    {SMALL " --explain micro-batch=3", "micro-batch 3|256"},
    {SMALL " --explain pp=64", "--pp 64"},
    {SMALL " --explain pp=8,chunks=4,micro-batch=8,dp=8", "multiple of pp 8|not 4"},
    {SMALL " --explain schedule=best", "best|1f1b"},
    {SMALL " --explain "
           "tp=8888888888888888888888888888888888888888888888888888888888888888888888",
     "--explain"},
    {"mem --params 7B --top 3", "--top"},
};

START_TEST(what_cannot_be_planned_is_said_in_one_line) {
    struct run r;
    struct expect_words words;
    expect_refused(&r, expect_split(&words, refused[_i].line), 2, "shardlab: ");
    expect_names(r.err, refused[_i].names);
    run_free(&r);
}
END_TEST

static Suite *suite(void) {
    Suite *s = suite_create("plan");
    TCase *t = tcase_create("plan");
    tcase_add_loop_test(t, schedules_without_a_closed_form_are_planned_too, 0, 4);
    tcase_add_test(t, a_layout_has_the_fields_of_the_contract);
    tcase_add_test(t, every_layout_divides_the_cluster_and_fits_and_the_fastest_is_first);
    tcase_add_test(t, layouts_with_and_without_sequence_parallelism_are_listed);
    tcase_add_test(t, memory_of_a_layout_is_what_mem_says);
    tcase_add_test(t, a_listed_layout_is_explained_with_its_own_place);
    tcase_add_test(t, a_layout_that_does_not_fit_says_by_how_much);
    tcase_add_test(t, a_layout_may_have_full_width_marks);
    tcase_add_test(t, where_nothing_fits_the_list_is_empty_and_a_note_says_so);
    tcase_add_test(t, the_reasons_are_words_in_both_languages);
    tcase_add_loop_test(t, what_cannot_be_planned_is_said_in_one_line, 0,
                        (int)(sizeof refused / sizeof refused[0]));
    suite_add_tcase(s, t);
    return s;
}

#include "support/check_main.h"
