/* The text reader: whole outputs in both languages, alignment under CJK, the width that is kept to.
 * What is taken on faith: words_write. */
#include <check.h>

#include "shardlab/view/read.h"
#include "shardlab/view/width.h"
#include "support/sample_view.h"

static struct view view;
static char buffer[16384];

static const char *text_of(bool chinese, int width, bool ascii, bool explain) {
    struct words words = sample_book(chinese);
    struct view_text_options options = {.width = width, .ascii = ascii, .explain = explain};
    struct writer w;
    writer_start(&w, buffer, sizeof buffer);
    view_write_text(&w, &view, &words, &options);
    ck_assert(!w.overflow);
    return buffer;
}

static void setup(void) {
    sample_view(&view, UINT64_C(80000000000));
}

START_TEST(english_text_reads_like_a_table) {
    view.item_count = 1;
    ck_assert_str_eq(text_of(false, 60, false, false),
                     "One GPU        formula                         GB       Δ\n"
                     "weights        2Ψ                           13.48\n"
                     "gradients      2Ψ                           13.48\n"
                     "optimizer      12Ψ/8                        10.11  −70.75 ▼\n"
                     "activations    L × (4sbh + 4sbh + 6f)       17.33\n"
                     "buffers                                      0.00\n"
                     "───────────────────────────────────────────────────────────\n"
                     "total                                       54.39  −70.75 ▼\n");
}
END_TEST

START_TEST(chinese_text_is_aligned_too) {
    view.item_count = 1;
    ck_assert_str_eq(text_of(true, 60, false, false),
                     "单张 GPU      公式                            GB    变化\n"
                     "权重          2Ψ                           13.48\n"
                     "梯度          2Ψ                           13.48\n"
                     "优化器状态    12Ψ/8                        10.11  −70.75 ▼\n"
                     "激活值        L × (4sbh + 4sbh + 6f)       17.33\n"
                     "缓冲区                                      0.00\n"
                     "──────────────────────────────────────────────────────────\n"
                     "合计                                       54.39  −70.75 ▼\n");
}
END_TEST

START_TEST(explained_rows_carry_their_derivation) {
    view.item_count = 1;
    const char *text = text_of(false, 100, false, true);
    ck_assert_ptr_nonnull(
        strstr(text, "    master weights  12Ψ/N = 12 × 6,738,415,616 / 8 = 10,107,623,424 bytes\n"
                     "      ZeRO, arXiv:1910.02054, section 3.1\n"));
}
END_TEST

START_TEST(ascii_text_draws_with_ascii) {
    struct view_item bar = view.items[1];
    view.item_count = 1;
    view.items[0] = bar;
    for (const char *p = text_of(false, 60, true, false); *p != '\0'; p++) {
        ck_assert_msg((unsigned char)*p < 0x80, "byte 0x%02X", (unsigned char)*p);
    }
}
END_TEST

START_TEST(no_line_is_wider_than_the_width) {
    const struct width_rules rules = {false};
    for (int width = 40; width <= 140; width += 3) {
        for (int variant = 0; variant < 4; variant++) {
            (void)text_of(variant % 2 == 1, width, false, variant >= 2);
            for (char *line = strtok(buffer, "\n"); line != NULL; line = strtok(NULL, "\n")) {
                ck_assert_msg(width_text(line, &rules) <= width, "%d: %s", width, line);
            }
        }
    }
}
END_TEST

START_TEST(an_overflow_is_beyond_the_mark_in_text_too) {
    sample_view(&view, UINT64_C(40000000000));
    view.items[0] = view.items[1];
    view.item_count = 1;
    const char *text = text_of(false, 60, true, false);
    const char *mark = strchr(text, '|');
    ck_assert_ptr_nonnull(mark);
    ck_assert(mark[1] == ':' && mark[-1] != ' ');
    ck_assert_ptr_nonnull(strstr(text, "14.39 GB too much"));
}
END_TEST

static Suite *suite(void) {
    Suite *s = suite_create("text");
    TCase *t = tcase_create("reader");
    tcase_add_checked_fixture(t, setup, NULL);
    tcase_add_test(t, english_text_reads_like_a_table);
    tcase_add_test(t, chinese_text_is_aligned_too);
    tcase_add_test(t, explained_rows_carry_their_derivation);
    tcase_add_test(t, ascii_text_draws_with_ascii);
    tcase_add_test(t, no_line_is_wider_than_the_width);
    tcase_add_test(t, an_overflow_is_beyond_the_mark_in_text_too);
    suite_add_tcase(s, t);
    return s;
}

#include "support/check_main.h"
