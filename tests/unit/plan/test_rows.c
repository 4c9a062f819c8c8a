/* Published layouts (vectors_papers.csv): the data-parallel degree that the other degrees leave, as the planner finds it,
 * and the tokens of a step. unit/calc/test_papers.c counts these rows as computed here. */
#define _POSIX_C_SOURCE 200809L

#include <math.h>
#include <stdlib.h>

#include "plan_support.h"
#include "support/csv.h"
#include "support/reference.h"

static struct csv papers;
static int rows[64], row_count;

/* A model with enough heads and layers for every row; what it is does not matter here. */
#define ANY_MODEL                                                                                  \
    "--layers 128 --hidden 1024 --heads 128 --vocab 1024 --memory 1TB --gpus-per-node 8 "          \
    "--link-gb-per-s 100 --net-gb-per-s 10"

static const char *or_one(const char *text) {
    return text[0] == '\0' ? "1" : text;
}

static double degree_of(const struct inputs *in) {
    char line[400];
    struct plan_layout best[1];
    (void)snprintf(line, sizeof line, ANY_MODEL " --seq 128K --tp %s --pp %s --cp %s",
                   inputs_get(in, "tp"), inputs_get(in, "pp"), or_one(inputs_get(in, "cp")));
    struct scenario applied = applied_of(line);
    uint64_t gpus = strtoull(inputs_get(in, "gpus"), NULL, 10);
    struct plan_request r = {&applied, gpus, gpus};
    struct plan_summary found = search_of(&r, NULL, best, 1);
    ck_assert_int_eq(found.count, 1);
    return (double)best[0].dp;
}

/* Sequences that every layout with this dp gives its pipelines, times their tokens. */
static double tokens_of(const struct inputs *in) {
    char line[400];
    struct plan_layout best[1];
    (void)snprintf(line, sizeof line, ANY_MODEL " --seq %s --dp %s", inputs_get(in, "s"),
                   inputs_get(in, "dp"));
    struct scenario applied = applied_of(line);
    uint64_t dp = strtoull(inputs_get(in, "dp"), NULL, 10);
    uint64_t each = strtoull(inputs_get(in, "seqs_per_dp"), NULL, 10);
    struct plan_request r = {&applied, dp * 8, dp * each};
    struct plan_summary found = search_of(&r, NULL, best, 1);
    ck_assert_int_eq(found.count, 1);
    ck_assert_uint_eq(best[0].micro_batch * best[0].micro_batches, each);
    return (double)(best[0].dp * best[0].micro_batch * best[0].micro_batches) *
           strtod(inputs_get(in, "s"), NULL) / 1048576.0;
}

static bool is_degree(int row) {
    return strstr(csv_get(&papers, row, "quantity"), "parallel.dp_degree") != NULL &&
           strncmp(csv_get(&papers, row, "quantity"), "fact.", 5) != 0;
}

static bool is_tokens(int row) {
    return strcmp(csv_get(&papers, row, "quantity"), "batch.tokens_m") == 0;
}

START_TEST(a_published_layout_has_its_data_parallel_degree_and_tokens) {
    int row = rows[_i];
    struct inputs in;
    inputs_read(&in, csv_get(&papers, row, "inputs"));
    double value = is_degree(row) ? degree_of(&in) : tokens_of(&in);
    double expected = strtod(csv_get(&papers, row, "expected"), NULL);
    double tolerance = strtod(csv_get(&papers, row, "tolerance"), NULL);
    ck_assert_msg(fabs(value - expected) <= tolerance, "%s %s: %.9g, published %.9g",
                  csv_get(&papers, row, "id"), csv_get(&papers, row, "inputs"), value, expected);
}
END_TEST

static Suite *suite(void) {
    Suite *s = suite_create("rows");
    TCase *t = tcase_create("rows");
    papers = csv_read("vectors_papers.csv");
    for (int row = 0; row < papers.rows; row++) {
        if ((is_degree(row) || is_tokens(row)) && row_count < ROWS(rows)) {
            rows[row_count++] = row;
        }
    }
    tcase_add_loop_test(t, a_published_layout_has_its_data_parallel_degree_and_tokens, 0,
                        row_count);
    suite_add_tcase(s, t);
    return s;
}

#include "support/check_main.h"
