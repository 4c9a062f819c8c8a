/* The 26 statements that the lessons start from: which lesson and page takes each up, and the call that decides it, run
 * here with the numbers of the statement (claims.h). The statements are in tests/vectors/claims.csv. Once the syllabus is
 * whole, every one of them has a page. */
#define _POSIX_C_SOURCE 200809L

#include "claims.h"

#include "support/csv.h"

static const struct claim {
    int row;
    void (*decide)(void);
} claims[] = {
    {1, decide_1},   {2, decide_2},   {3, decide_3},   {4, decide_4},   {5, decide_5},
    {6, decide_6},   {7, decide_7},   {8, decide_8},   {9, decide_9},   {10, decide_10},
    {11, decide_11}, {12, decide_12}, {13, decide_13}, {14, decide_14}, {15, decide_15},
    {16, decide_16}, {17, decide_17}, {18, decide_18}, {19, decide_19}, {20, decide_20},
    {21, decide_21}, {22, decide_22}, {23, decide_23}, {24, decide_24}, {25, decide_25},
    {26, decide_26},
};

/* Where a learner meets it; a statement may have more than one page. Pages from 1. */
static const struct place {
    int row;
    const char *lesson;
    int page;
} places[] = {
    {1, "memory", 3},
    {1, "zero", 1},
    {2, "memory", 3},
    {2, "zero", 1},
    {3, "memory", 3},
    {3, "zero", 1},
    {3, "zero", 5},
    {4, "collectives", 2},
    {4, "zero", 2},
    {5, "zero", 2},
    {5, "zero", 3},
    {6, "zero", 2},
    {6, "zero", 3},
    {7, "memory", 2},
    {8, "memory", 2},
    {9, "memory", 2},
    {10, "activations", 3},
    {11, "pipeline", 1},
    {12, "hybrid", 2},
    {13, "data-parallel", 1},
    {13, "memory", 3},
    {13, "start", 1},
    {14, "hybrid", 1},
    {14, "tensor-parallel", 3},
    {15, "hybrid", 3},
    {16, "mixed-precision", 1},
    {17, "mixed-precision", 2},
    {18, "formats", 2},
    {19, "mixed-precision", 3},
    {20, "formats", 4},
    {21, "zero", 5},
    {22, "offload", 1},
    {22, "offload", 5},
    {23, "zero", 4},
    {24, "hybrid", 4},
    {25, "activations", 1},
    {25, "memory", 4},
    {25, "pipeline", 2},
    {26, "memory", 3},
};

static const char *const syllabus[] = {
    "start",    "memory", "activations", "collectives", "data-parallel", "tensor-parallel",
    "pipeline", "hybrid", "zero",        "offload",     "formats",       "mixed-precision"};

START_TEST(the_calculators_decide_the_statement) {
    claims[_i].decide();
}
END_TEST

START_TEST(every_row_of_the_table_is_decided) {
    struct csv rows = csv_read("claims.csv");
    ck_assert_int_eq(rows.rows, ROWS(claims));
    for (int i = 0; i < rows.rows; i++) {
        ck_assert_int_eq(atoi(csv_get(&rows, i, "row")), i + 1);
        ck_assert_int_eq(claims[i].row, i + 1);
    }
    csv_free(&rows);
}
END_TEST

START_TEST(every_place_is_a_page_of_the_syllabus) {
    for (int i = 0; i < ROWS(places); i++) {
        const struct lesson *lesson = lesson_find(places[i].lesson);
        ck_assert_msg(lesson != NULL, "row %d: no lesson %s", places[i].row, places[i].lesson);
        ck_assert_msg(places[i].page >= 1 && places[i].page <= lesson->page_count,
                      "row %d: %s has no page %d", places[i].row, places[i].lesson, places[i].page);
        ck_assert(places[i].row >= 1 && places[i].row <= ROWS(claims));
    }
}
END_TEST

static bool is_whole(void) {
    for (int i = 0; i < ROWS(syllabus); i++) {
        if (lesson_find(syllabus[i]) == NULL) {
            return false;
        }
    }
    return true;
}

START_TEST(a_whole_syllabus_takes_up_every_statement) {
    for (int row = 1; is_whole() && row <= ROWS(claims); row++) {
        bool has_page = false;
        for (int i = 0; i < ROWS(places); i++) {
            has_page = has_page || places[i].row == row;
        }
        ck_assert_msg(has_page, "row %d has no page", row);
    }
}
END_TEST

static Suite *suite(void) {
    Suite *s = suite_create("claims");
    TCase *t = tcase_create("statements");
    tcase_add_loop_test(t, the_calculators_decide_the_statement, 0, ROWS(claims));
    tcase_add_test(t, every_row_of_the_table_is_decided);
    tcase_add_test(t, every_place_is_a_page_of_the_syllabus);
    tcase_add_test(t, a_whole_syllabus_takes_up_every_statement);
    suite_add_tcase(s, t);
    return s;
}

#include "support/check_main.h"
