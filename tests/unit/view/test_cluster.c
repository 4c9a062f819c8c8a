/* The cluster: text to the character beside and below each other, gaps that are named, every width, JSON. */
#include <check.h>

#include "shardlab/view/read.h"
#include "support/json_text.h"
#include "support/sample_pictures.h"

static struct view view;
static struct view_cluster *cluster;
static char buffer[1 << 16];

static const char *text_of(int width, bool ascii, bool chinese) {
    struct words words = picture_book(chinese);
    struct view_text_options options = {.width = width, .ascii = ascii};
    struct writer w;
    writer_start(&w, buffer, sizeof buffer);
    view_write_text(&w, &view, &words, &options);
    ck_assert(!w.overflow);
    return buffer;
}

static void setup(void) {
    view_start(&view);
    cluster = sample_cluster(&view);
}

START_TEST(nodes_stand_beside_each_other_and_groups_below) {
    ck_assert_str_eq(text_of(80, false, false), "One GPU\n"
                                                "node 0         node 1\n"
                                                "│ 0 T  1 ●     │ 2    3 D\n"
                                                "│ 0·0  1·0     │ 0·1  1·1\n"
                                                "cells: tp·dp\n"
                                                "T  tensor  2   0 1   inside\n"
                                                "D  data    2   1 3   network\n");
}
END_TEST

START_TEST(nodes_that_are_left_out_are_counted) {
    cluster->node[1].index = 101;
    cluster->node[1].skipped = 100;
    cluster->node[1].more = 64;
    cluster->skipped_at_end = 2046;
    cluster->groups[1].size = 128;
    ck_assert_str_eq(text_of(40, true, true), "单张 GPU\n"
                                              "节点 0\n"
                                              "| 0 T  1 *\n"
                                              "| 0.0  1.0\n"
                                              "另有 100 个节点\n"
                                              "节点 101  另有 64 张\n"
                                              "| 2    3 D\n"
                                              "| 0.1  1.1\n"
                                              "另有 2,046 个节点\n"
                                              "坐标：tp.dp\n"
                                              "T  张量并行    2   节点内\n"
                                              "   0 1\n"
                                              "D  数据并行  128   网络\n"
                                              "   1 3 5 ... 255\n");
}
END_TEST

START_TEST(no_line_is_wider_than_the_width) {
    struct width_rules rules = {false};
    for (int width = 40; width <= 200; width++) {
        for (int mode = 0; mode < 4; mode++) {
            char line[1024];
            const char *text = text_of(width, mode % 2 != 0, mode > 1);
            while (*text != '\0') {
                size_t length = strcspn(text, "\n");
                memcpy(line, text, length);
                line[length] = '\0';
                if (width_text(line, &rules) > width) {
                    ck_abort_msg("width %d: %s", width, line);
                }
                text += length + 1;
            }
        }
    }
}
END_TEST

START_TEST(json_names_ranks_coordinates_and_groups) {
    struct writer w;
    struct json j;
    size_t where = 0;
    writer_start(&w, buffer, sizeof buffer);
    json_start(&j, &w);
    json_object_open(&j, NULL);
    view_write_json(&j, "view", &view);
    json_object_close(&j);
    writer_char(&w, '\n');
    ck_assert_ptr_null(json_answer_fault(buffer, w.length, &where));
    ck_assert(json_is(json_at(buffer, "view[0].kind"), "\"cluster\""));
    ck_assert_uint_eq(json_digits(buffer, "view[0].shown[1].gpus[1].rank"), 3);
    ck_assert_uint_eq(json_digits(buffer, "view[0].shown[1].gpus[1].dp"), 1);
    ck_assert(json_is(json_at(buffer, "view[0].shown[1].gpus[1].groups[0]"), "\"dp\""));
    ck_assert(json_is(json_at(buffer, "view[0].groups[1].crosses_nodes"), "true"));
}
END_TEST

static Suite *suite(void) {
    Suite *s = suite_create("cluster");
    TCase *t = tcase_create("readers");
    tcase_add_checked_fixture(t, setup, NULL);
    tcase_add_test(t, nodes_stand_beside_each_other_and_groups_below);
    tcase_add_test(t, nodes_that_are_left_out_are_counted);
    tcase_add_test(t, no_line_is_wider_than_the_width);
    tcase_add_test(t, json_names_ranks_coordinates_and_groups);
    suite_add_tcase(s, t);
    return s;
}

#include "support/check_main.h"
