/* Views on the grid: whole drawings in both languages, what a low pane shows, and the bar's
 * honesty. Where columns and cells fall is tested with view/shape.h. */
#include "shardlab/ui/draw.h"
#include "support/sample_view.h"
#include "support/screen.h"

static struct screen screen;
static struct view view;

static int draw(int rows, int cols, int cursor, bool chinese, bool ascii) {
    struct words words = sample_book(chinese);
    struct look look = screen_look(&words, ascii, false);
    screen_start(&screen, rows, cols, false);
    int used = ui_view_draw(&screen.grid, screen_whole(&screen), &view, cursor, true, &look);
    screen_check_halves(&screen);
    return used;
}

static void setup(void) {
    sample_view(&view, UINT64_C(80000000000));
}

START_TEST(an_english_view_looks_as_composed) {
    view.item_count = 3;
    draw(15, 73, 2, false, false);
    ck_assert_str_eq(screen_text(&screen),
                     "  One GPU             formula                           GB       Δ\n"
                     "  weights             2Ψ                             13.48\n"
                     "  gradients           2Ψ                             13.48\n"
                     "› optimizer           12Ψ/8                          10.11  −70.75 ▼\n"
                     "  activations         L × (4sbh + 4sbh + 6f)         17.33\n"
                     "  buffers                                             0.00\n"
                     "  ──────────────────────────────────────────────────────────────────\n"
                     "  total                                              54.39  −70.75 ▼\n"
                     "\n"
                     "  ██████████▒▒▒▒▒▒▒▒▒▒▓▓▓▓▓▓▓░░░░░░░░░░░░                   ┊ A100 80 GB\n"
                     "  █ weights  ▒ gradients  ▓ optimizer  ░ activations\n"
                     "  fits, 25.61 GB free\n"
                     "\n"
                     "  saving against DP   1──────1.6─────2.29──2.91●─────────────── limit 4×\n"
                     "\n");
}
END_TEST

START_TEST(a_chinese_view_is_aligned_as_well) {
    view.item_count = 3;
    draw(15, 73, 2, true, false);
    ck_assert_str_eq(screen_text(&screen),
                     "  单张 GPU           公式                               GB    变化\n"
                     "  权重               2Ψ                              13.48\n"
                     "  梯度               2Ψ                              13.48\n"
                     "› 优化器状态         12Ψ/8                           10.11  −70.75 ▼\n"
                     "  激活值             L × (4sbh + 4sbh + 6f)          17.33\n"
                     "  缓冲区                                              0.00\n"
                     "  ──────────────────────────────────────────────────────────────────\n"
                     "  合计                                               54.39  −70.75 ▼\n"
                     "\n"
                     "  ██████████▒▒▒▒▒▒▒▒▒▒▓▓▓▓▓▓▓░░░░░░░░░░░░                   ┊ A100 80 GB\n"
                     "  █ 权重  ▒ 梯度  ▓ 优化器状态  ░ 激活值   放得下，剩余 25.61 GB\n"
                     "\n"
                     "  相对数据并行的节省   1──────1.6─────2.29──2.91●─────────────── 极限 4×\n"
                     "\n"
                     "\n");
}
END_TEST

START_TEST(facts_and_sentences_follow) {
    draw(19, 73, 2, false, false);
    ck_assert_str_eq(screen_row(&screen, 15), "  layers  32");
    ck_assert_str_eq(screen_row(&screen, 17),
                     "  All of it is allocated memory, not what nvidia-smi shows.");
}
END_TEST

START_TEST(an_ascii_view_draws_with_ascii) {
    view.items[0].ledger.title.id = NULL;
    draw(15, 73, 2, false, true);
    const char *text = screen_text(&screen);
    const char *const glyphs[] = {"─", "█", "▒", "●", "›", "┊", "▼", "−", "…"};
    for (size_t i = 0; i < sizeof glyphs / sizeof glyphs[0]; i++) {
        ck_assert_msg(strstr(text, glyphs[i]) == NULL, "%s in an ASCII view", glyphs[i]);
    }
    ck_assert_ptr_nonnull(strstr(text, "-70.75 v"));
}
END_TEST

START_TEST(the_measured_rows_are_the_drawn_rows) {
    for (int cols = 20; cols <= 150; cols++) {
        struct words words = sample_book(cols % 2 == 0);
        struct look look = screen_look(&words, false, false);
        ck_assert_int_eq(ui_view_rows(&view, cols, &look),
                         draw(100, cols, 2, cols % 2 == 0, false));
    }
}
END_TEST

START_TEST(the_row_with_the_cursor_is_in_sight_in_every_pane) {
    for (int rows = 1; rows <= 24; rows++) {
        for (int cursor = 0; cursor < 6; cursor++) {
            draw(rows, 60, cursor, false, false);
            ck_assert_msg(screen_find(&screen, "›") >= 0, "%d rows, cursor %d", rows, cursor);
            ck_assert_msg(screen.grid.cursor_row >= 0, "%d rows, cursor %d: rest", rows, cursor);
            ck_assert_msg(rows < 3 || screen_find(&screen, "GB") == 0, "%d rows: unit lost", rows);
        }
    }
}
END_TEST

START_TEST(an_inactive_pane_keeps_its_marker_but_not_the_cursor) {
    struct words words = sample_book(false);
    struct look look = screen_look(&words, false, false);
    screen_start(&screen, 20, 60, false);
    ui_view_draw(&screen.grid, screen_whole(&screen), &view, 2, false, &look);
    ck_assert_int_ge(screen_find(&screen, "› optimizer"), 0);
    ck_assert_int_eq(screen.grid.cursor_row, -1);
}
END_TEST

START_TEST(a_low_pane_drops_blank_rows_before_it_drops_contents) {
    int wanted = draw(40, 73, -1, false, false);
    int tight = draw(wanted - 1, 73, -1, false, false);
    ck_assert_int_lt(tight, wanted);
    ck_assert_int_ge(screen_find(&screen, "nvidia-smi"), 0);
}
END_TEST

START_TEST(an_overflow_is_shown_beyond_the_mark_and_as_a_warning) {
    sample_view(&view, UINT64_C(40000000000));
    draw(20, 73, -1, false, false);
    int row = screen_find(&screen, "┊");
    ck_assert_int_ge(row, 0);
    const char *mark = strstr(screen_row(&screen, row), "┊");
    ck_assert_msg(strncmp(mark + strlen("┊"), "░", strlen("░")) == 0, "%s", mark);
    ck_assert_int_ge(screen_find(&screen, "14.39 GB too much"), 0);
    ck_assert_ptr_nonnull(strstr(screen_roles(&screen), "!!!!!!!!"));
}
END_TEST

START_TEST(an_unknown_amount_is_a_dash) {
    view.items[0].ledger.rows[3].known = false;
    draw(20, 73, -1, false, false);
    ck_assert_ptr_nonnull(strstr(screen_row(&screen, 4), "—"));
    draw(20, 73, -1, false, true);
    ck_assert_ptr_nonnull(strstr(screen_row(&screen, 4), "--"));
}
END_TEST

START_TEST(a_tiny_amount_is_not_shown_as_nothing) {
    view.items[0].ledger.rows[4].bytes = view.items[0].ledger.rows[4].before = 4096;
    draw(20, 73, -1, false, false);
    ck_assert_ptr_nonnull(strstr(screen_row(&screen, 5), "0.000004"));
}
END_TEST

START_TEST(a_curve_without_points_takes_no_room) {
    view.items[2].curve.point_count = 0;
    view.items[0] = view.items[2];
    view.item_count = 1;
    ck_assert_int_eq(draw(5, 60, -1, false, false), 0);
}
END_TEST

static Suite *suite(void) {
    Suite *s = suite_create("view");
    TCase *t = tcase_create("drawing");
    tcase_set_timeout(t, 30);
    tcase_add_checked_fixture(t, setup, NULL);
    tcase_add_test(t, an_english_view_looks_as_composed);
    tcase_add_test(t, a_chinese_view_is_aligned_as_well);
    tcase_add_test(t, facts_and_sentences_follow);
    tcase_add_test(t, an_ascii_view_draws_with_ascii);
    tcase_add_test(t, the_measured_rows_are_the_drawn_rows);
    tcase_add_test(t, the_row_with_the_cursor_is_in_sight_in_every_pane);
    tcase_add_test(t, an_inactive_pane_keeps_its_marker_but_not_the_cursor);
    tcase_add_test(t, a_low_pane_drops_blank_rows_before_it_drops_contents);
    tcase_add_test(t, an_overflow_is_shown_beyond_the_mark_and_as_a_warning);
    tcase_add_test(t, an_unknown_amount_is_a_dash);
    tcase_add_test(t, a_tiny_amount_is_not_shown_as_nothing);
    tcase_add_test(t, a_curve_without_points_takes_no_room);
    suite_add_tcase(s, t);
    return s;
}

#include "support/check_main.h"
