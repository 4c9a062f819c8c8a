/* `shardlab bench`: each figure with its limit from the same run, its peer by name, and the promised size among the
 * cases. How fast a machine is, is nobody's test. */
#define _GNU_SOURCE
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/expect.h"

START_TEST(each_figure_has_a_limit_and_a_peer) {
    struct run r;
    expect_json(&r, "bench calculators --repeat 1 --json --lang en", NULL);
    int count = json_count(json_at(r.out, "results"));
    ck_assert_int_ge(count, 3);
    ck_assert_uint_eq(json_digits(r.out, "runs"), 1);
    ck_assert(json_is(json_at(r.out, "results[0].area"), "\"calculators\""));
    ck_assert(json_is(json_at(r.out, "results[0].case"), "\"pipe\""));
    ck_assert_uint_eq(json_digits(r.out, "results[0].items"), 2 * 64 * 4 * 1024);
    ck_assert_uint_eq(json_digits(r.out, "results[2].items"), 2 * 64 * 4 * 4096);
    ck_assert_uint_gt(json_digits(r.out, "results[2].limit.touched_bytes"), 0);
    ck_assert(json_at(r.out, "results[2].time_s.median").kind == JSON_KIND_NUMBER);
    ck_assert(json_at(r.out, "results[2].cpu_s.median").kind == JSON_KIND_NUMBER);
    ck_assert(json_at(r.out, "results[2].time_over_limit").kind == JSON_KIND_NUMBER);
    ck_assert(json_at(r.out, "results[2].peer.name").kind == JSON_KIND_STRING);
    ck_assert(json_is(json_at(r.out, "results[2].time_over_peer"), "null"));
    ck_assert_ptr_nonnull(strstr(json_at(r.out, "notes").at, "not installed"));
    for (int i = 0; i < count; i++) {
        char path[64];
        (void)snprintf(path, sizeof path, "results[%d].limit.touched_bytes", i);
        ck_assert_msg(json_digits(r.out, path) > 0, "%s", path);
        (void)snprintf(path, sizeof path, "results[%d].time_over_limit", i);
        ck_assert_msg(json_at(r.out, path).kind == JSON_KIND_NUMBER, "%s", path);
        (void)snprintf(path, sizeof path, "results[%d].per_item_s", i);
        ck_assert_msg(json_at(r.out, path).kind == JSON_KIND_NUMBER, "%s", path);
    }
    run_free(&r);
}
END_TEST

START_TEST(text_has_a_row_a_case) {
    struct run r;
    expect_good(&r, "bench calculators --repeat 2 --lang en", &expect_wide);
    expect_names(r.out, "interleaved p=64 v=4 m=4096|2,097,152|limit, ms|not installed");
    run_free(&r);
}
END_TEST

/* Five of nine sizes, 2 and 4 ranks, 12 ways. What was measured has numbers, a library that is not there has null and a note. */
START_TEST(collectives_stand_beside_a_limit_and_mpi) {
    enum { WAYS = 12, OURS = 8, ROWS = 5 * 2 * WAYS };
    struct run r;
    expect_json(&r, "bench collectives 256KiB --repeat 1 --json --lang en", NULL);
    ck_assert_int_eq(json_count(json_at(r.out, "results")), ROWS);
    ck_assert(json_is(json_at(r.out, "results[0].area"), "\"collectives\""));
    ck_assert(json_is(json_at(r.out, "results[0].what"), "\"fused\""));
    ck_assert(json_is(json_at(r.out, "results[4].what"), "\"ranks ring\""));
    ck_assert(json_is(json_at(r.out, "results[4].workers"), "null"));
    ck_assert(json_is(json_at(r.out, "results[5].what"), "\"processes fused\""));
    ck_assert(json_is(json_at(r.out, "results[8].what"), "\"mpi fused\""));
    ck_assert(json_is(json_at(r.out, "results[11].what"), "\"opencl direct\""));
    ck_assert_uint_eq(json_digits(r.out, "results[0].message_bytes"), 4);
    ck_assert_uint_eq(json_digits(r.out, "results[119].message_bytes"), 256 << 10);
    ck_assert_uint_eq(json_digits(r.out, "results[119].ranks"), 4);
    ck_assert_uint_eq(json_digits(r.out, "results[119].limit.touched_bytes"), 2 << 20);
    static const char *const numbers[] = {
        "limit.warm_s",         "limit.touched_s", "time_s.warm_s",    "time_s.touched_s",
        "time_over_limit.warm", "warm.calls",      "warm.page_faults", "warm.sleeps"};
    bool measured = json_at(r.out, "results[0].peer.warm_s").kind == JSON_KIND_NUMBER;
    bool mpi = json_at(r.out, "results[8].time_s.warm_s").kind == JSON_KIND_NUMBER;
    bool opencl = json_at(r.out, "results[11].time_s.touched_s").kind == JSON_KIND_NUMBER;
    for (int i = 0; i < ROWS; i++) {
        char path[64];
        size_t count = i % WAYS < OURS ? sizeof numbers / sizeof numbers[0] : 2;
        for (size_t k = 0; k < count; k++) {
            (void)snprintf(path, sizeof path, "results[%d].%s", i, numbers[k]);
            ck_assert_msg(json_at(r.out, path).kind == JSON_KIND_NUMBER, "%s", path);
        }
        bool there = i % WAYS < OURS ? true : i % WAYS < 11 ? mpi : opencl;
        (void)snprintf(path, sizeof path, "results[%d].time_over_peer.touched", i);
        ck_assert_msg((json_at(r.out, path).kind == JSON_KIND_NUMBER) == (measured && there), "%s",
                      path);
    }
    ck_assert_ptr_nonnull(strstr(json_at(r.out, "notes").at, "MPI_Allreduce"));
    ck_assert_ptr_nonnull(strstr(json_at(r.out, "notes").at, "warm calls of fused: "));
    ck_assert(opencl || strstr(json_at(r.out, "notes").at, "OpenCL") != NULL);
    run_free(&r);
}
END_TEST

/* Nothing of OpenCL, CUDA or MPI is loaded when the first frame stands. */
START_TEST(the_first_frame_needs_no_library_of_devices) {
    struct run r;
    expect_json(&r, "bench start --repeat 1 --json --lang en", NULL);
    ck_assert_int_eq(json_count(json_at(r.out, "results")), 2);
    ck_assert(json_is(json_at(r.out, "results[0].case"), "\"first frame\""));
    ck_assert(json_is(json_at(r.out, "results[0].loaded"), "\"\""));
    ck_assert(expect_real(r.out, "results[0].time_s.median") > 0);
    ck_assert(expect_real(r.out, "results[0].limit.time_s.median") > 0);
    ck_assert(expect_real(r.out, "results[0].time_over_limit") > 0);
    ck_assert(expect_real(r.out, "results[0].cpu_s") > 0);
    ck_assert(json_is(json_at(r.out, "results[1].case"), "\"opencl program\""));
    ck_assert_int_eq(json_count(json_at(r.out, "notes")), 2);
    run_free(&r);
    expect_good(&r, "bench start --repeat 1 --lang en", &expect_wide);
    expect_names(r.out, "first frame|opencl program|limit, ms|was loaded then");
    run_free(&r);
}
END_TEST

/* Only a launcher can start its ranks. */
START_TEST(mpi_without_a_launcher_is_refused) {
    struct run r;
    expect_refused(&r, (const char *const[]){"bench", "mpi", "4", NULL}, 1, "shardlab: bench: ");
    expect_names(r.err, "MPI");
    run_free(&r);
}
END_TEST

START_TEST(collectives_have_a_table) {
    struct run r;
    expect_good(&r, "bench collectives 16KiB --repeat 1 --lang en", NULL);
    expect_names(
        r.out,
        "16,384|workers direct|ranks ring|processes fused|mpi ring|touched, µs|MPI_Allreduce");
    run_free(&r);
}
END_TEST

START_TEST(an_unknown_area_is_refused) {
    struct run r;
    expect_refused(&r, (const char *const[]){"bench", "moon", NULL}, 2, "shardlab: bench: ");
    expect_names(r.err, "moon|calculators, collectives, formats, start, mpi");
    run_free(&r);
    expect_refused(&r, (const char *const[]){"bench", "--repeat", "0", NULL}, 2,
                   "shardlab: bench: ");
    expect_names(r.err, "--repeat 0|99");
    run_free(&r);
    expect_refused(&r, (const char *const[]){"bench", "calculators", "more", NULL}, 2,
                   "shardlab: bench: ");
    run_free(&r);
    expect_refused(&r, (const char *const[]){"bench", "collectives", "3", NULL}, 2,
                   "shardlab: bench: ");
    expect_names(r.err, "3|4|67108864");
    run_free(&r);
    expect_refused(&r, (const char *const[]){"bench", "collectives", "128MiB", NULL}, 2,
                   "shardlab: bench: ");
    expect_names(r.err, "128MiB|67108864");
    run_free(&r);
    expect_refused(&r, (const char *const[]){"bench", "formats", "17M", NULL}, 2,
                   "shardlab: bench: ");
    expect_names(r.err, "17M|16777216");
    run_free(&r);
}
END_TEST

/* A python3 of our own, first on the path, says what a peer takes. */
static void play_python(char *folder, const char *script) {
    char path[256], search[4096];
    (void)snprintf(path, sizeof path, "%s/python3", folder);
    FILE *f = fopen(path, "w");
    ck_assert_ptr_nonnull(f);
    (void)fputs(script, f);
    ck_assert_int_eq(fclose(f), 0);
    ck_assert_int_eq(chmod(path, 0700), 0);
    (void)snprintf(search, sizeof search, "%s:%s", folder, getenv("PATH"));
    ck_assert_int_eq(setenv("PATH", search, 1), 0);
}

static void remove_python(const char *folder) {
    char path[256];
    (void)snprintf(path, sizeof path, "%s/python3", folder);
    ck_assert_int_eq(unlink(path), 0);
    ck_assert_int_eq(rmdir(folder), 0);
}

/* Eight conversions, each by the paths that this processor has, the best of them once; half a second of a peer over our
 * time is their ratio. */
START_TEST(formats_stand_beside_a_copy_a_loop_and_libraries) {
    char folder[] = "/tmp/shardlab-bench-XXXXXX";
    struct run r;
    ck_assert_ptr_nonnull(mkdtemp(folder));
    play_python(folder, "#!/bin/sh\n"
                        "echo numpy version 0 9.8.7\n"
                        "echo 'numpy fp32→fp16 8192 0.5'\n"
                        "echo nonsense\n");
    expect_json(&r, "bench formats 8192 --repeat 1 --json --lang en", NULL);
    remove_python(folder);
    int count = json_count(json_at(r.out, "results")), best = 0;
    ck_assert_msg(count >= 8 && count % 8 == 0, "%d rows", count);
    for (int i = 0; i < count; i++) {
        static const char *const numbers[] = {"time_s.median", "per_item_s", "limit.time_s",
                                              "time_over_limit", "peers[0].time_s"};
        char path[64];
        (void)snprintf(path, sizeof path, "results[%d].items", i);
        ck_assert_uint_eq(json_digits(r.out, path), 8192);
        (void)snprintf(path, sizeof path, "results[%d].best", i);
        best += json_is(json_at(r.out, path), "true") ? 1 : 0;
        for (size_t k = 0; k < sizeof numbers / sizeof numbers[0]; k++) {
            (void)snprintf(path, sizeof path, "results[%d].%s", i, numbers[k]);
            ck_assert_msg(expect_real(r.out, path) > 0, "%s", path);
        }
    }
    ck_assert_int_eq(best, 8);
    double ratio = expect_real(r.out, "results[0].time_over_peers[1]");
    ck_assert_double_eq(ratio, expect_real(r.out, "results[0].time_s.median") / 0.5);
    ck_assert(json_is(json_at(r.out, "results[0].peers[1].version"), "\"9.8.7\""));
    ck_assert(json_is(json_at(r.out, "results[0].time_over_peers[2]"), "null"));
    ck_assert(json_is(json_at(r.out, "results[0].peers[2].installed"), "false"));
    expect_names(json_at(r.out, "notes").at, "NumPy is version 9.8.7|python3-torch");
    run_free(&r);
}
END_TEST

START_TEST(formats_have_a_table) {
    struct run r;
    expect_good(&r, "bench formats 8192 --repeat 1 --lang en", &expect_wide);
    expect_names(r.out, "fp32→e4m3|÷ memcpy|8,192");
    run_free(&r);
    expect_refused(&r, (const char *const[]){"bench", "formats", "12", NULL}, 2,
                   "shardlab: bench: ");
    expect_names(r.err, "12|8192|such as 1M");
    run_free(&r);
}
END_TEST

static Suite *suite(void) {
    Suite *s = suite_create("bench");
    TCase *t = tcase_create("bench");
    tcase_set_timeout(t, 120);
    tcase_add_test(t, each_figure_has_a_limit_and_a_peer);
    tcase_add_test(t, text_has_a_row_a_case);
    tcase_add_test(t, collectives_stand_beside_a_limit_and_mpi);
    tcase_add_test(t, collectives_have_a_table);
    tcase_add_test(t, the_first_frame_needs_no_library_of_devices);
    tcase_add_test(t, mpi_without_a_launcher_is_refused);
    tcase_add_test(t, formats_stand_beside_a_copy_a_loop_and_libraries);
    tcase_add_test(t, formats_have_a_table);
    tcase_add_test(t, an_unknown_area_is_refused);
    suite_add_tcase(s, t);
    return s;
}

#include "support/check_main.h"
