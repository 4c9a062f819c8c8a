/* `shardlab comm`: the fields of CONTRACT, sums, numbers known by hand, what is unknown and why, the table, CSV and
 * refusals. */
#include <math.h>
#include <stdio.h>

#include "cli/expect.h"

#define COUNT(table) (sizeof(table) / sizeof((table)[0]))

static const char *const lines[] = {
    "comm --model llama-2-7b --dp 8 --json",
    "comm --model llama-2-7b --dp 16 --tp 4 --pp 2 --cp 2 --zero 3 --gpu h100-sxm-80gb --json",
    "comm --model mixtral-8x7b --dp 8 --ep 8 --zero 1 --gpu a100-sxm-80gb --lang zh --json",
    "comm --params 7B --dp 8 --json",
    "comm --params 7B --tp 8 --pp 4 --json --lang zh",
    "comm --params 7B --offload params --offload-to nvme --gpu a100-sxm-80gb --json",
    "comm --params 7B --json",
    "comm --model gpt2 --pp 4 --stage 2 --precision fp16 --json",
};

static const char *path_of(int row, const char *field) {
    static char path[64];
    (void)snprintf(path, sizeof path, "per_step[%d].%s", row, field);
    return path;
}

static bool is_null(const char *answer, const char *path) {
    return json_is(json_at(answer, path), "null");
}

/* Every field is there: digits, words, or null with a note. */
START_TEST(comm_has_every_field_of_the_contract) {
    static const char *const counts[] = {"count", "message_bytes", "sent_bytes", "ranks"};
    static const char *const reals[] = {"time_s", "exposed_s"};
    static const char *const words[] = {"collective", "link", "what"};
    struct run r;
    expect_json(&r, lines[_i], NULL);
    ck_assert(json_is(json_at(r.out, "command"), "\"comm\""));
    bool unknown = is_null(r.out, "total_sent_bytes");
    for (int row = 0; row < json_count(json_at(r.out, "per_step")); row++) {
        ck_assert(json_at(r.out, path_of(row, "axis")).kind == JSON_KIND_STRING);
        bool known = !is_null(r.out, path_of(row, "sent_bytes"));
        unknown = unknown || !known || is_null(r.out, path_of(row, "exposed_s"));
        for (size_t i = 0; i < COUNT(counts); i++) {
            ck_assert(!known || json_digits(r.out, path_of(row, counts[i])) > 0);
        }
        for (size_t i = 0; i < COUNT(words); i++) {
            struct json_value v = json_at(r.out, path_of(row, words[i]));
            ck_assert(v.kind == (known ? JSON_KIND_STRING : JSON_KIND_NULL));
        }
        for (size_t i = 0; i < COUNT(reals); i++) {
            ck_assert(is_null(r.out, path_of(row, reals[i])) ||
                      expect_real(r.out, path_of(row, reals[i])) >= 0.0);
        }
    }
    ck_assert(!unknown || json_count(json_at(r.out, "notes")) > 0);
    run_free(&r);
}
END_TEST

START_TEST(rows_sum_to_the_total_and_to_what_explains_them) {
    struct run r;
    expect_json(&r, lines[_i], NULL);
    uint64_t sum = 0, explained = 0, rows = 0;
    for (int row = 0; row < json_count(json_at(r.out, "per_step")); row++) {
        bool offload = json_is(json_at(r.out, path_of(row, "axis")), "\"offload\"");
        if (!is_null(r.out, path_of(row, "sent_bytes"))) {
            uint64_t sent = json_digits(r.out, path_of(row, "sent_bytes"));
            sum += offload ? 0 : sent;
            rows += sent;
        }
    }
    for (int i = 0; i < json_count(json_at(r.out, "explain")); i++) {
        char path[64];
        (void)snprintf(path, sizeof path, "explain[%d].bytes", i);
        explained += json_digits(r.out, path);
    }
    ck_assert_uint_eq(rows, explained);
    if (!is_null(r.out, "total_sent_bytes")) {
        ck_assert_uint_eq(sum, json_digits(r.out, "total_sent_bytes"));
    }
    run_free(&r);
}
END_TEST

static const struct {
    const char *line;
    uint64_t sent;
} known[] = {
    {"--params 8M --dp 4", 24000000},
    {"--params 8M --dp 4 --zero 1", 24000000},
    {"--params 8M --dp 4 --zero 2", 24000000},
    {"--params 8M --dp 4 --zero 3", 36000000},
    {"--params 8M --dp 4 --zero 2 --micro-batches 4", 60000000},
    {"--params 8M --dp 4 --zero 3 --micro-batches 4", 144000000},
    {"--params 8M --dp 4 --zero 3 --reshard no", 24000000},
    {"--params 8M --dp 4 --grad-bytes 4", 48000000},
    {"--params 8M --dp 4 --grad-bytes 4 --zero 1", 36000000},
    {"--params 8M", 0},
};

START_TEST(a_total_is_the_known_number) {
    struct run r;
    char line[256];
    (void)snprintf(line, sizeof line, "comm %s --json", known[_i].line);
    expect_json(&r, line, NULL);
    ck_assert_uint_eq(json_digits(r.out, "total_sent_bytes"), known[_i].sent);
    run_free(&r);
}
END_TEST

START_TEST(what_is_unknown_is_null_with_a_note) {
    static const struct {
        const char *line, *path, *note;
    } unknown[] = {
        {"comm --params 7B --dp 8 --json", "per_step[0].time_s", "--link-gb-per-s"},
        {"comm --params 7B --dp 16 --json", "per_step[0].time_s", "--net-gb-per-s"},
        {"comm --params 7B --dp 8 --gpu v100-sxm2-32gb --precision bf16 --json",
         "per_step[0].exposed_s", "no bf16 peak of v100-sxm2-32gb"},
        {"comm --params 7B --offload optimizer --json", "per_step[0].time_s", "--pcie-gb-per-s"},
        {"comm --params 7B --offload optimizer --json", "per_step[0].time_s",
         "rows of offload are not in it"},
        {"comm --params 7B --dp 8 --link-gb-per-s 100 --json", "per_step[0].exposed_s", "--gpu"},
        {"comm --params 7B --tp 8 --json", "total_sent_bytes", "--params"},
        {"comm --params 7B --tp 8 --json", "per_step[0].sent_bytes", "--params"},
        {"comm --params 7B --dp 8 --json", "compute_s", "--link-gb-per-s"},
        {"comm --params 7B --offload optimizer --offload-to nvme --gpu a100-sxm-80gb --json",
         "exposed_s", "--nvme-gb-per-s"},
    };
    for (size_t i = 0; i < COUNT(unknown); i++) {
        struct run r;
        expect_json(&r, unknown[i].line, NULL);
        ck_assert_msg(is_null(r.out, unknown[i].path), "%s: %s", unknown[i].path, r.out);
        struct json_value notes = json_at(r.out, "notes");
        ck_assert_msg(notes.kind == JSON_KIND_ARRAY, "%s", r.out);
        expect_names(notes.at, unknown[i].note);
        run_free(&r);
    }
}
END_TEST

START_TEST(both_times_of_a_table_have_one_unit) {
    static const struct {
        const char *line, *names;
    } tables[] = {
        /* most of 52 ms is hidden: µs of it alone would be shown as a larger number */
        {"comm --params 7B --dp 8 --gpu h100-sxm-80gb", "time ms|exposed ms"},
        {"comm --params 8B --dp 8 --link-gb-per-s 10 --gpu a100-sxm-80gb", "time s|exposed s"},
    };
    for (size_t i = 0; i < COUNT(tables); i++) {
        struct run r;
        expect_good(&r, tables[i].line, NULL);
        expect_names(r.out, tables[i].names);
        run_free(&r);
    }
}
END_TEST

/* 0.1 s of computation, 7/8 of 16 GB twice at 100 GB/s. */
START_TEST(times_follow_from_rates) {
    struct run r;
    expect_json(&r,
                "comm --params 8B --dp 8 --link-gb-per-s 100 --alpha-us 0 --gpu a100-sxm-80gb "
                "--mfu 0.5 --json",
                NULL);
    ck_assert(fabs(expect_real(r.out, "per_step[0].time_s") - 0.28) < 1e-12);
    double compute = 6.0 * 8e9 * 4096 / 156e12;
    ck_assert(fabs(expect_real(r.out, "compute_s") - compute) < 1e-9);
    ck_assert(fabs(expect_real(r.out, "exposed_s")) < 1e-12);
    run_free(&r);
}
END_TEST

START_TEST(the_table_stands_in_both_languages) {
    struct run r;
    static const char line[] = " --model llama-2-7b --dp 16 --tp 2 --zero 1 --gpu h100-sxm-80gb "
                               "--explain";
    char full[256];
    (void)snprintf(full, sizeof full, "comm --lang en%s", line);
    expect_good(&r, full, &expect_wide);
    expect_names(r.out, "Data parallel|reduce-scatter|all-gather|network|node|R(wΨ)|A: |ms");
    expect_harmless(full, r.out);
    run_free(&r);
    (void)snprintf(full, sizeof full, "comm --lang zh%s", line);
    expect_good(&r, full, &expect_wide);
    expect_names(r.out, "数据并行|归约散射|全收集|网络|节点内|R(wΨ)|A：|ms");
    run_free(&r);
}
END_TEST

START_TEST(the_cluster_shows_the_groups_of_a_rank_and_their_links) {
    struct run r;
    static const char line[] = "comm --params 7B --tp 4 --dp 6 --gpus-per-node 4 --grid 5 --lang ";
    char full[256];
    (void)snprintf(full, sizeof full, "%sen", line);
    expect_good(&r, full, NULL);
    expect_names(r.out, "24 GPUs in 6 nodes of 4; the groups of rank 5|node 5|5 ●|1 D|6 T|"
                        "tensor parallel  4   4 5 6 7      inside the node\n|"
                        "data parallel    6   1 5 9 … 21   network\n");
    run_free(&r);
    (void)snprintf(full, sizeof full, "%szh", line);
    expect_good(&r, full, NULL);
    expect_names(r.out, "节点 5|张量并行|节点内|跨节点网络");
    run_free(&r);
}
END_TEST

START_TEST(csv_has_one_line_a_row) {
    struct run r;
    expect_good(&r, "comm --params 8M --dp 4 --tp 2 --zero 1 --csv", NULL);
    ck_assert_str_eq(
        r.out, "axis,collective,what,ranks,count,message_bytes,sent_bytes,link,time_s,exposed_s\r\n"
               "dp,reduce-scatter,gradients,4,1,8000000,6000000,node,,\r\n"
               "dp,all-gather,weights,4,1,8000000,6000000,node,,\r\n"
               "tp,,,,,,,,,\r\n");
    run_free(&r);
}
END_TEST

START_TEST(a_wrong_line_is_refused) {
    static const struct {
        const char *line, *names;
    } wrong[] = {
        {"comm", "--model"},
        {"comm --params 7B --stage 1", "--stage 1"},
        {"comm --params 7B --csv --json", "--csv|--json"},
        {"comm --params 7B --csv --explain", "--csv|--explain"},
        {"comm --params 7B --timeline", "--timeline"},
        {"comm --params 7B --dp 8 --grid 8", "--grid|8|7"},
        {"comm --params 7B --dp 8 --grid x", "--grid|x"},
        {"comm --params 7B --dp 8 --grid 1 --json", "--grid|--json"},
        {"comm --params 7B --against --dp", "--against"},
        {"comm --params 7B --mfu 2", "--mfu 2"},
        {"comm --params 7B --link-gb-per-s 0", "--link-gb-per-s 0"},
        {"comm --params 7B --reduce sometimes", "boundary, every"},
        {"comm --params 7B --dp 0", "--dp 0"},
    };
    for (size_t i = 0; i < COUNT(wrong); i++) {
        struct run r;
        struct expect_words words;
        expect_refused(&r, expect_split(&words, wrong[i].line), 2, "shardlab: comm: ");
        expect_names(r.err, wrong[i].names);
        run_free(&r);
    }
}
END_TEST

static Suite *suite(void) {
    Suite *s = suite_create("comm");
    TCase *t = tcase_create("comm");
    tcase_add_loop_test(t, comm_has_every_field_of_the_contract, 0, (int)COUNT(lines));
    tcase_add_loop_test(t, rows_sum_to_the_total_and_to_what_explains_them, 0, (int)COUNT(lines));
    tcase_add_loop_test(t, a_total_is_the_known_number, 0, (int)COUNT(known));
    tcase_add_test(t, what_is_unknown_is_null_with_a_note);
    tcase_add_test(t, both_times_of_a_table_have_one_unit);
    tcase_add_test(t, times_follow_from_rates);
    tcase_add_test(t, the_table_stands_in_both_languages);
    tcase_add_test(t, the_cluster_shows_the_groups_of_a_rank_and_their_links);
    tcase_add_test(t, csv_has_one_line_a_row);
    tcase_add_test(t, a_wrong_line_is_refused);
    suite_add_tcase(s, t);
    return s;
}

#include "support/check_main.h"
