/* Wrapping: Chinese and English break where their readers expect, nothing is lost, nothing is too
 * wide, no line begins with closing punctuation. Drawn through ui_text_draw, the public door. What
 * is taken on faith: the classes of UAX #14, which are libunibreak's. */
#include "shardlab/ui/draw.h"
#include "support/screen.h"

static struct screen screen;
static struct words english = {.unit = UNIT_GB};
static struct words chinese = {.unit = UNIT_GB, .chinese = true};

static int draw(int cols, const char *text, const struct words *words) {
    struct look look = screen_look(words, false, false);
    screen_start(&screen, 100, cols, false);
    return ui_text_draw(&screen.grid, screen_whole(&screen), 0, text, UI_ROLE_TEXT, &look);
}

static const char zh_text[] =
    "普通数据并行在每张卡上都存一整份模型状态。ZeRO-1 把优化器状态分到 N 个数据并行"
    "进程上（每个进程一份），权重不变：“省 4 倍”是极限，8 张卡是 2.91 倍！";
static const char en_text[] =
    "Adam keeps three FP32 numbers per parameter: a master weight, a momentum and a "
    "variance (4 + 4 + 4 = 12 bytes), against 2 for the weight itself.";

START_TEST(english_breaks_between_words) {
    int rows = draw(20, "Optimizer states are the largest part", &english);
    ck_assert_int_eq(rows, 2);
    ck_assert_str_eq(screen_row(&screen, 0), "Optimizer states are");
    ck_assert_str_eq(screen_row(&screen, 1), "the largest part");
}
END_TEST

START_TEST(an_option_is_not_cut_at_its_hyphens) {
    for (int i = 0; i < 2; i++) {
        int rows =
            draw(31, "shardlab allreduce --ranks 4 --elems 10", i == 0 ? &english : &chinese);
        ck_assert_int_eq(rows, 2);
        ck_assert_str_eq(screen_row(&screen, 0), "shardlab allreduce --ranks 4");
        ck_assert_str_eq(screen_row(&screen, 1), "--elems 10");
    }
}
END_TEST

START_TEST(a_fraction_and_a_rate_are_not_cut_at_their_slash) {
    for (int i = 0; i < 2; i++) {
        int rows = draw(9, "stages 1/p, bytes/seconds rate: GB/s", i == 0 ? &english : &chinese);
        ck_assert_int_eq(rows, 6);
        ck_assert_str_eq(screen_row(&screen, 0), "stages");
        ck_assert_str_eq(screen_row(&screen, 1), "1/p,");
        ck_assert_str_eq(screen_row(&screen, 2), "bytes/");
        ck_assert_str_eq(screen_row(&screen, 3), "seconds");
        ck_assert_str_eq(screen_row(&screen, 4), "rate:");
        ck_assert_str_eq(screen_row(&screen, 5), "GB/s");
    }
}
END_TEST

/* Also where plain text is wrapped. */
START_TEST(a_number_and_its_unit_stay_on_one_line) {
    static const char text[] = "a share of 27.3 % and 13.48 GB of it";
    for (int i = 0; i < 2; i++) {
        (void)draw(16, text, i == 0 ? &english : &chinese);
        ck_assert_str_eq(screen_row(&screen, 0), "a share of");
        ck_assert_str_eq(screen_row(&screen, 1), "27.3 % and");
        ck_assert_str_eq(screen_row(&screen, 2), "13.48 GB of it");
    }
    struct width_rules rules = {false};
    ck_assert_uint_eq(width_line(text, 16, &rules), strlen("a share of "));
    ck_assert(!width_holds_unit("3 Better", 1));
    ck_assert(!width_holds_unit("a %", 1));
    ck_assert(width_holds_unit("3 ms.", 1));
}
END_TEST

START_TEST(chinese_breaks_between_characters_but_not_before_a_full_stop) {
    int rows = draw(10, "优化器状态。权重", &chinese);
    ck_assert_int_eq(rows, 2);
    ck_assert_str_eq(screen_row(&screen, 0), "优化器状");
    ck_assert_str_eq(screen_row(&screen, 1), "态。权重");
}
END_TEST

static bool starts_badly(const char *line) {
    static const char *const closing[] = {"。", "，", "、", "；", "：",
                                          "！", "？", "）", "”",  "》"};
    for (size_t i = 0; i < sizeof closing / sizeof closing[0]; i++) {
        if (strncmp(line, closing[i], strlen(closing[i])) == 0) {
            return true;
        }
    }
    return false;
}

START_TEST(no_line_starts_with_closing_or_ends_with_opening_punctuation) {
    int rows = draw(_i, zh_text, &chinese);
    for (int row = 0; row < rows; row++) {
        const char *line = screen_row(&screen, row);
        size_t length = strlen(line);
        ck_assert_msg(!starts_badly(line), "%d columns: %s", _i, line);
        bool opening = length >= 3 && (strcmp(line + length - 3, "（") == 0 ||
                                       strcmp(line + length - 3, "“") == 0);
        ck_assert_msg(!opening, "%d columns: %s", _i, line);
    }
}
END_TEST

/* The characters of a text without blanks. */
static void squeeze(const char *text, char *out) {
    for (; *text != '\0'; text++) {
        if (*text != ' ' && *text != '\n') {
            *out++ = *text;
        }
    }
    *out = '\0';
}

START_TEST(nothing_is_lost_and_nothing_is_added) {
    const char *const texts[] = {en_text, zh_text};
    const struct words *const words[] = {&english, &chinese};
    for (int i = 0; i < 2; i++) {
        char expected[1024];
        char got[4096];
        int rows = draw(_i, texts[i], words[i]);
        ck_assert_int_le(rows, 100);
        squeeze(texts[i], expected);
        squeeze(screen_text(&screen), got);
        ck_assert_msg(strcmp(got, expected) == 0, "%d columns: %s", _i, got);
    }
}
END_TEST

START_TEST(a_word_wider_than_the_line_is_cut) {
    int rows = draw(8, "activations.attention_output", &english);
    ck_assert_int_ge(rows, 4);
    ck_assert_str_eq(screen_row(&screen, 0), "activati");
}
END_TEST

START_TEST(measuring_counts_the_rows_that_drawing_uses) {
    struct look look = screen_look(&chinese, false, false);
    for (int cols = 2; cols <= 90; cols++) {
        struct grid nothing;
        grid_start(&nothing, 0, cols, NULL, (struct width_rules){false});
        struct rect area = {0, 0, 0, cols};
        int measured = ui_text_draw(&nothing, area, 0, zh_text, UI_ROLE_TEXT, &look);
        ck_assert_int_eq(measured, draw(cols, zh_text, &chinese));
    }
}
END_TEST

START_TEST(an_empty_text_takes_no_row) {
    ck_assert_int_eq(draw(20, "", &english), 0);
}
END_TEST

START_TEST(a_text_beyond_the_buffer_is_cut_and_not_written_past_it) {
    static char text[20000];
    for (size_t i = 0; i + 1 < sizeof text; i++) {
        text[i] = i % 7 == 6 ? ' ' : 'x';
    }
    int rows = draw(300, text, &english);
    ck_assert_int_gt(rows, 10);
    ck_assert_int_lt(rows, 40);
}
END_TEST

START_TEST(text_starts_at_its_row_and_stays_in_its_area) {
    struct look look = screen_look(&english, false, false);
    screen_start(&screen, 6, 20, false);
    struct rect area = {1, 4, 3, 10};
    int rows = ui_text_draw(&screen.grid, area, 2, "one two three four five", UI_ROLE_TEXT, &look);
    ck_assert_int_eq(rows, 3);
    ck_assert_str_eq(screen_row(&screen, 1), "");
    ck_assert_str_eq(screen_row(&screen, 2), "    one two");
    ck_assert_str_eq(screen_row(&screen, 3), "    three four");
    ck_assert_str_eq(screen_row(&screen, 4), "");
}
END_TEST

static Suite *suite(void) {
    Suite *s = suite_create("flow");
    TCase *t = tcase_create("wrapping");
    tcase_set_timeout(t, 30);
    tcase_add_test(t, english_breaks_between_words);
    tcase_add_test(t, an_option_is_not_cut_at_its_hyphens);
    tcase_add_test(t, a_fraction_and_a_rate_are_not_cut_at_their_slash);
    tcase_add_test(t, a_number_and_its_unit_stay_on_one_line);
    tcase_add_test(t, chinese_breaks_between_characters_but_not_before_a_full_stop);
    tcase_add_loop_test(t, no_line_starts_with_closing_or_ends_with_opening_punctuation, 10, 100);
    tcase_add_loop_test(t, nothing_is_lost_and_nothing_is_added, 6, 120);
    tcase_add_test(t, a_word_wider_than_the_line_is_cut);
    tcase_add_test(t, measuring_counts_the_rows_that_drawing_uses);
    tcase_add_test(t, an_empty_text_takes_no_row);
    tcase_add_test(t, a_text_beyond_the_buffer_is_cut_and_not_written_past_it);
    tcase_add_test(t, text_starts_at_its_row_and_stays_in_its_area);
    suite_add_tcase(s, t);
    return s;
}

#include "support/check_main.h"
