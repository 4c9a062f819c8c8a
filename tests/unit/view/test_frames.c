/* Message frames: text to the character at a full width, in ASCII and in Chinese, what goes first where columns are few,
 * chunks without elements, every width from 20 to 200, and JSON. */
#define _POSIX_C_SOURCE 200809L

#include <check.h>
#include <string.h>

#include "shardlab/view/read.h"
#include "shardlab/view/width.h"
#include "support/sample_view.h"

static struct view view;
static struct view_frames *frames;
static char buffer[1 << 16];

static const struct sample_word words_of_frames[] = {
    {"view.value", "{0}", "{0}"},
    {"view.frames.rank", "rank {0}", "进程 {0}"},
    {"view.frames.chunk", "chunk {0}", "块 {0}"},
    {"view.frames.sent", "bytes sent", "已发送字节"},
    {"view.frames.predicted", "predicted", "预测"},
    {"view.frames.before", "before 1 of {0}", "未开始，共 {0} 轮"},
    {"view.frames.alone", "alone", "只有一个"},
    {"view.frames.round", "round {0} of {1}: {2}", "第 {0}/{1} 轮：{2}"},
    {"view.frames.moves", "{0} x {2}: {1}", "{0} 条各 {2}：{1}"},
    {"view.frames.moves_range", "{0} of {2} to {3}: {1}", "{0} 条 {2} 到 {3}：{1}"},
    {"view.frames.bytes", "rank {0}: {1} of {2}", "进程 {0}：{1}，共 {2}"},
    {"view.frames.left_out", "0 to {0} of {1}", "0 到 {0}，共 {1}"},
    {"view.frames.legend", "signs {0} {1}", "符号 {0} {1}"},
    {"view.frames.legend_count", "counts {0} {1}", "个数 {0} {1}"},
    {"f.title", "a ring", "环"},
    {"f.phase", "adding", "相加"},
};

static const char *find(const void *book, const char *id) {
    for (size_t i = 0; i < sizeof words_of_frames / sizeof words_of_frames[0]; i++) {
        if (strcmp(words_of_frames[i].id, id) == 0) {
            return *(const int *)book != 0 ? words_of_frames[i].zh : words_of_frames[i].en;
        }
    }
    return sample_find(book, id);
}

static const char *text_of(int width, bool ascii, bool chinese) {
    struct words words = sample_book(chinese);
    struct view_text_options options = {.width = width, .ascii = ascii};
    struct writer w;
    words.find = find;
    writer_start(&w, buffer, sizeof buffer);
    view_write_text(&w, &view, &words, &options);
    ck_assert(!w.overflow);
    return buffer;
}

/* Round 1 of a ring on `ranks` ranks: rank r has just got chunk r − 2 from the rank before. */
static void fill(int ranks) {
    view_start(&view);
    frames = &view_add(&view, VIEW_KIND_FRAMES)->frames;
    message_start(&frames->title, "f.title");
    message_start(&frames->phase, "f.phase");
    frames->ranks = ranks;
    frames->round = 1;
    frames->rounds = 2 * (ranks - 1);
    for (int r = 0; r < ranks; r++) {
        int got = (r + 2 * ranks - 2) % ranks, gave = (r + ranks - 1) % ranks;
        int before = (r + ranks - 1) % ranks;
        frames->whole[r] = (uint16_t)((1U << ranks) - 1);
        frames->chunk_elements[r] = 1000;
        frames->sent_bytes[r] = 4000;
        frames->predicted_bytes[r] = 4000U * (uint64_t)frames->rounds;
        for (int c = 0; c < ranks; c++) {
            frames->holds[r][c] = (uint16_t)(1U << r);
        }
        frames->holds[r][got] |= (uint16_t)(1U << before);
        frames->received[r] = (uint16_t)(1U << got);
        frames->sent[r] = (uint16_t)(1U << gave);
        frames->messages[frames->message_count++] = (struct view_frames_message){
            (uint16_t)r, (uint16_t)((r + 1) % ranks), (uint16_t)gave, 1, true, 4000};
    }
}

START_TEST(cells_show_whose_parts_are_inside_and_what_moved) {
    fill(3);
    ck_assert_str_eq(text_of(80, false, false),
                     "a ring\n"
                     "round 1 of 4: adding\n"
                     "        chunk 0  chunk 1  chunk 2  bytes sent  predicted\n"
                     "rank 0  0··      0·2 ←    0·· →         4,000     16,000\n"
                     "rank 1  ·1· →    ·1·      01· ←         4,000     16,000\n"
                     "rank 2  ·12 ←    ··2 →    ··2           4,000     16,000\n"
                     "3 x 4,000: 0>1[2]  1>2[0]  2>0[1]\n"
                     "signs ← →\n");
}
END_TEST

START_TEST(the_same_without_other_signs_than_ascii_and_in_chinese) {
    fill(3);
    frames->holds[0][1] = frames->whole[1];
    frames->chunk_elements[2] = 0;
    ck_assert_str_eq(text_of(80, true, true), "环\n"
                                              "第 1/4 轮：相加\n"
                                              "        块 0   块 1   块 2   已发送字节    预测\n"
                                              "进程 0  0..    012 <  -           4,000  16,000\n"
                                              "进程 1  .1. >  .1.    -           4,000  16,000\n"
                                              "进程 2  .12 <  ..2 >  -           4,000  16,000\n"
                                              "3 条各 4,000：0>1[2]  1>2[0]  2>0[1]\n"
                                              "符号 < >\n");
}
END_TEST

START_TEST(few_columns_say_the_bytes_in_a_sentence_then_count_parts) {
    fill(8);
    ck_assert_ptr_nonnull(strstr(text_of(120, false, false), "01······ ←"));
    ck_assert_ptr_nonnull(strstr(text_of(120, false, false), "bytes sent"));
    const char *narrow = text_of(64, false, false);
    ck_assert_ptr_null(strstr(narrow, "bytes sent"));
    ck_assert_ptr_nonnull(strstr(narrow, "2/8 ←"));
    ck_assert_ptr_nonnull(strstr(narrow, "rank 0: 4,000 of 56,000"));
    ck_assert_ptr_nonnull(strstr(narrow, "counts"));
}
END_TEST

START_TEST(chunks_without_room_are_left_out_and_said) {
    fill(16);
    const char *text = text_of(40, false, false);
    ck_assert_msg(strstr(text, "0 to 8 of 16") != NULL, "%s", text);
}
END_TEST

START_TEST(many_messages_are_listed_in_part_and_counted_whole) {
    fill(16);
    for (int i = 16; i < 240; i++) {
        frames->messages[i] = frames->messages[i % 16];
        frames->messages[i].bytes = 8;
    }
    frames->message_count = 240;
    ck_assert_ptr_nonnull(strstr(text_of(200, false, false), "240 of 8 to 4,000: 0>1[15]"));
    ck_assert_ptr_nonnull(strstr(buffer, "…"));
}
END_TEST

START_TEST(before_the_first_round_and_alone) {
    fill(2);
    frames->round = 0;
    frames->message_count = 0;
    ck_assert_ptr_nonnull(strstr(text_of(80, false, false), "\nbefore 1 of 2\n"));
    frames->ranks = 1;
    frames->rounds = 0;
    ck_assert_ptr_nonnull(strstr(text_of(80, false, false), "\nalone\n"));
}
END_TEST

START_TEST(no_line_is_wider_than_asked) {
    static const int ranks[] = {1, 2, 4, 5, 8, 12, 16};
    struct width_rules rules = {false};
    for (size_t i = 0; i < sizeof ranks / sizeof ranks[0]; i++) {
        fill(ranks[i]);
        for (int width = 40; width <= 200; width++) {
            char *rest = NULL;
            (void)text_of(width, width % 2 == 0, _i == 1);
            for (char *line = strtok_r(buffer, "\n", &rest); line != NULL;
                 line = strtok_r(NULL, "\n", &rest)) {
                ck_assert_msg(width_text(line, &rules) <= width, "%d ranks, %d columns: %s",
                              ranks[i], width, line);
            }
        }
    }
}
END_TEST

START_TEST(json_has_the_ranks_inside_each_cell) {
    fill(3);
    struct writer w;
    struct json j;
    writer_start(&w, buffer, sizeof buffer);
    json_start(&j, &w);
    json_object_open(&j, NULL);
    view_write_json(&j, "view", &view);
    json_object_close(&j);
    ck_assert_ptr_nonnull(strstr(buffer, "\"kind\":\"frames\""));
    ck_assert_ptr_nonnull(strstr(buffer, "\"round\":1,\"rounds\":4"));
    ck_assert_ptr_nonnull(
        strstr(buffer, "{\"holds\":[0,2],\"whole\":false,\"sent\":false,\"received\":true}"));
    ck_assert_ptr_nonnull(strstr(buffer, "\"sent_bytes\":4000,\"predicted_bytes\":16000"));
    ck_assert_ptr_nonnull(strstr(buffer, "{\"from\":1,\"to\":2,\"chunk\":0,\"chunks\":1,"
                                         "\"bytes\":4000,\"adds\":true}"));
}
END_TEST

static Suite *suite(void) {
    Suite *s = suite_create("frames");
    TCase *t = tcase_create("frames");
    tcase_add_test(t, cells_show_whose_parts_are_inside_and_what_moved);
    tcase_add_test(t, the_same_without_other_signs_than_ascii_and_in_chinese);
    tcase_add_test(t, few_columns_say_the_bytes_in_a_sentence_then_count_parts);
    tcase_add_test(t, chunks_without_room_are_left_out_and_said);
    tcase_add_test(t, many_messages_are_listed_in_part_and_counted_whole);
    tcase_add_test(t, before_the_first_round_and_alone);
    tcase_add_loop_test(t, no_line_is_wider_than_asked, 0, 2);
    tcase_add_test(t, json_has_the_ranks_inside_each_cell);
    suite_add_tcase(s, t);
    return s;
}

#include "support/check_main.h"
