/* `shardlab allreduce --backend opencl` on a device that is there: for every collective and algorithm what was copied between
 * ranks is what was predicted, to the byte, with uneven chunks; what is said of the device; events; the cache of compiled
 * kernels, whose files may be damaged or unwritable. */
#define _POSIX_C_SOURCE 200809L
#include <dirent.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/expect.h"
#include "unit/gpu/gpu_support.h"

static const char *const pairs[] = {
    "all-reduce --algorithm naive",      "all-reduce --algorithm ring",
    "all-reduce --algorithm tree",       "all-reduce --algorithm halving-doubling",
    "all-reduce --algorithm direct",     "all-reduce --algorithm auto",
    "reduce-scatter --algorithm naive",  "reduce-scatter --algorithm ring",
    "reduce-scatter --algorithm direct", "all-gather --algorithm halving-doubling",
    "broadcast --algorithm tree",        "all-to-all --algorithm direct",
};
enum {
    PAIRS = sizeof pairs / sizeof pairs[0],
    ALL_TO_ALL = PAIRS - 1,
    JOINS = 9
}; /* the first join elements */

static void expect_match(struct run *r, const char *line, const struct run_options *o) {
    expect_json(r, line, o);
    ck_assert_msg(json_is(json_at(r->out, "match"), "true"), "%s: %s", line, r->out);
    ck_assert_msg(json_is(json_at(r->out, "within_bound"), "true"), "%s: %s", line, r->out);
    ck_assert_msg(json_is(json_at(r->out, "same_each_time"), "true"), "%s: %s", line, r->out);
    for (int i = 0; i < json_count(json_at(r->out, "measured.sent_bytes_per_rank")); i++) {
        char predicted[64], measured[64];
        (void)snprintf(predicted, sizeof predicted, "predicted.sent_bytes_per_rank[%d]", i);
        (void)snprintf(measured, sizeof measured, "measured.sent_bytes_per_rank[%d]", i);
        ck_assert_msg(json_digits(r->out, predicted) == json_digits(r->out, measured),
                      "%s: rank %d: %s", line, i, r->out);
    }
}

START_TEST(what_was_copied_is_what_was_predicted) {
    static const char *const kinds[] = {"fp32", "fp16 --accumulate type", "bf16 --op max", "bf16"};
    static const char *const types[] = {"fp32", "fp16", "bf16", "bf16"};
    char line[256];
    struct run r;
    (void)snprintf(line, sizeof line,
                   "allreduce --backend opencl --collective %s --ranks %d --elems %s --type %s "
                   "--repeat 2 --json",
                   pairs[_i], _i == ALL_TO_ALL ? 4 : 2 + _i % 4, _i == ALL_TO_ALL ? "1000" : "1003",
                   _i < JOINS ? kinds[_i % 4] : types[_i % 4]);
    expect_match(&r, line, NULL);
    ck_assert(json_is(json_at(r.out, "backend"), "\"opencl\""));
    run_free(&r);
}
END_TEST

START_TEST(the_ring_of_the_issue_matches_and_names_the_device) {
    struct run r;
    expect_match(&r,
                 "allreduce --ranks 4 --elems 1000003 --algorithm ring --backend opencl --repeat 2 "
                 "--json",
                 NULL);
    ck_assert_uint_eq(json_digits(r.out, "measured.sent_bytes_per_rank[0]"), 6000016);
    ck_assert_uint_eq(json_digits(r.out, "measured.steps"), 6);
    ck_assert_uint_gt(json_digits(r.out, "device.devices"), 0);
    expect_names(r.out, "\"device\":{\"name\":\"");
    run_free(&r);
}
END_TEST

START_TEST(a_table_is_printed_and_says_where_ranks_are) {
    struct run r;
    expect_good(&r, "allreduce --ranks 3 --elems 10 --backend opencl --trace --lang en", NULL);
    expect_names(r.out, "opencl|ranks are on");
    run_free(&r);
    expect_good(&r, "allreduce --ranks 3 --elems 10 --backend opencl --lang zh", NULL);
    expect_names(r.out, "opencl|个设备");
    run_free(&r);
}
END_TEST

START_TEST(every_repetition_is_told_before_the_result) {
    struct run r;
    expect_good(&r, "allreduce --ranks 2 --elems 10 --backend opencl --repeat 3 --events", NULL);
    ck_assert_int_eq(expect_lines(r.out), 4);
    expect_names(r.out, "\"event\":\"repeat\",\"repeat\":2|\"command\":\"allreduce\"");
    run_free(&r);
}
END_TEST

/* --- The cache --- */

static char folder[RUN_PATH_MAX], setting[RUN_PATH_MAX + 32], driver_setting[RUN_PATH_MAX + 32];

static void make_cache(void) {
    folder_make(folder, TEST_BINARY_DIR);
    (void)snprintf(setting, sizeof setting, "XDG_CACHE_HOME=%s", folder);
    (void)snprintf(driver_setting, sizeof driver_setting, "POCL_CACHE_DIR=%s/pocl", folder);
}

/* Each file of folder/shardlab: how many there are; damages them by `how`. */
enum damage { LEAVE, EMPTY, CUT, TURN_A_BIT, REMOVE };
static int each_file(enum damage how) {
    char below[RUN_PATH_MAX + 16], path[2 * RUN_PATH_MAX];
    int count = 0;
    (void)snprintf(below, sizeof below, "%s/shardlab", folder);
    DIR *d = opendir(below);
    for (struct dirent *e = d != NULL ? readdir(d) : NULL; e != NULL; e = readdir(d)) {
        struct stat info;
        (void)snprintf(path, sizeof path, "%s/%s", below, e->d_name);
        if (e->d_name[0] == '.' || stat(path, &info) != 0) {
            continue;
        }
        count++;
        FILE *f = how == TURN_A_BIT ? fopen(path, "r+b") : NULL;
        if (f != NULL) {
            (void)fseek(f, info.st_size / 2, SEEK_SET);
            int byte = fgetc(f);
            (void)fseek(f, info.st_size / 2, SEEK_SET);
            (void)fputc(byte ^ 1, f);
            (void)fclose(f);
        }
        ck_assert(how != EMPTY || truncate(path, 0) == 0);
        ck_assert(how != CUT || truncate(path, info.st_size - 1) == 0);
        ck_assert(how != REMOVE || unlink(path) == 0);
    }
    if (d != NULL) {
        (void)closedir(d);
    }
    return count;
}

static bool runs_from_cache(void) {
    const struct run_options o = {.environment =
                                      (const char *const[]){setting, driver_setting, NULL}};
    struct run r;
    expect_match(&r, "allreduce --ranks 2 --elems 100 --backend opencl --repeat 1 --json", &o);
    bool cached = json_is(json_at(r.out, "device.program_from_cache"), "true");
    run_free(&r);
    return cached;
}

static void remove_cache(void) {
    char command[RUN_PATH_MAX + 32];
    (void)each_file(REMOVE);
    (void)snprintf(command, sizeof command, "rm -rf '%s'",
                   folder); /* the driver keeps its own there */
    ck_assert_int_eq(system(command), 0);
}

START_TEST(a_compiled_program_is_kept_and_a_damaged_one_is_made_anew) {
    make_cache();
    ck_assert(!runs_from_cache());
    ck_assert_int_ge(each_file(LEAVE), 1);
    ck_assert(runs_from_cache());
    for (enum damage how = EMPTY; how <= REMOVE; how++) {
        ck_assert_int_ge(each_file(how), 1);
        ck_assert_msg(!runs_from_cache(), "damage %d is not seen", how);
        ck_assert_msg(runs_from_cache(), "after damage %d nothing was kept", how);
    }
    remove_cache();
}
END_TEST

START_TEST(a_cache_that_cannot_be_written_is_no_error) {
    char path[RUN_PATH_MAX];
    make_cache();
    file_write(folder_path(path, folder, "shardlab"), "a file, not a folder", 20);
    ck_assert(!runs_from_cache());
    ck_assert(!runs_from_cache());
    (void)snprintf(setting, sizeof setting, "XDG_CACHE_HOME=relative");
    (void)runs_from_cache();
    ck_assert_int_eq(access("relative", F_OK), -1);
    remove_cache();
}
END_TEST

static Suite *suite(void) {
    Suite *s = suite_create("cli.allreduce_gpu");
    TCase *c = tcase_create("allreduce_gpu");
    tcase_set_timeout(c, 240);
    tcase_add_loop_test(c, what_was_copied_is_what_was_predicted, 0, PAIRS);
    tcase_add_test(c, the_ring_of_the_issue_matches_and_names_the_device);
    tcase_add_test(c, a_table_is_printed_and_says_where_ranks_are);
    tcase_add_test(c, every_repetition_is_told_before_the_result);
    tcase_add_test(c, a_compiled_program_is_kept_and_a_damaged_one_is_made_anew);
    tcase_add_test(c, a_cache_that_cannot_be_written_is_no_error);
    suite_add_tcase(s, c);
    return s;
}

int main(void) {
    return run_on_a_device(suite());
}
