/* Nothing is ever drawn outside its area: random views, knobs, pages, hints and helps in random
 * areas of a screen full of canaries, in both languages, both glyph sets and both width rules. The
 * seed is fixed. */
#include "shardlab/ui/draw.h"
#include "support/sample_numbers.h"
#include "support/sample_page.h"
#include "support/sample_view.h"
#include "support/screen.h"

enum { CANARY = 0x2E2E, ROUNDS = 400 };

static struct screen screen;
static struct view view;
static uint64_t seed;

static int below(int limit) {
    seed ^= seed << 13;
    seed ^= seed >> 7;
    seed ^= seed << 17;
    return (int)(seed % (uint64_t)limit);
}

static struct rect random_area(void) {
    struct rect area = {below(40), below(120), 0, 0};
    area.rows = below(40 - area.row + 1);
    area.cols = below(120 - area.col + 1);
    return area;
}

static void release_canaries(void) {
    screen_start(&screen, 40, 120, false);
    for (int i = 0; i < 40 * 120; i++) {
        screen.cells[i].code_point = CANARY;
    }
}

static void check_canaries(struct rect area, const char *what) {
    for (int row = 0; row < 40; row++) {
        for (int col = 0; col < 120; col++) {
            bool inside = row >= area.row && row < area.row + area.rows && col >= area.col &&
                          col < area.col + area.cols;
            if (!inside && screen.cells[row * 120 + col].code_point != CANARY) {
                ck_abort_msg("%s wrote at %d,%d outside %d,%d %dx%d", what, row, col, area.row,
                             area.col, area.cols, area.rows);
            }
        }
    }
    screen_check_halves(&screen);
}

static void random_ledger(struct view_ledger *ledger) {
    for (int i = 0; i < ledger->row_count; i++) {
        struct view_row *row = &ledger->rows[i];
        row->known = below(8) != 0;
        row->bytes = (uint64_t)below(1 << 30) << below(34);
        row->before = below(2) != 0 ? row->bytes : (uint64_t)below(1 << 30) << below(34);
        row->has_before = below(3) != 0;
        snprintf(row->formula, sizeof row->formula, "%.*s", below(60),
                 "L × (4sbh + 4kd·s·b + 6f·s·b + 权重 4a·s·b) / t + 2sbh·(p − q)");
    }
}

static void random_view(void) {
    sample_view(&view, (uint64_t)below(1 << 30) << below(10));
    random_ledger(&view.items[0].ledger);
    struct view_bar *bar = &view.items[1].bar;
    bar->segment_count = below(6);
    for (int i = 0; i < bar->segment_count; i++) {
        bar->segments[i].bytes = (uint64_t)below(1 << 30) << below(20);
    }
    bar->has_capacity = below(4) != 0;
    struct view_curve *curve = &view.items[2].curve;
    curve->current = below(7) - 1;
    curve->has_limit = below(2) != 0;
    curve->y[2] = below(3) == 0 ? 1e300 * 1e300 : below(1000) / 7.0;
    view.item_count = 1 + below(5);
}

static struct look random_look(struct words *words) {
    *words = sample_book(below(2) != 0);
    bool wide = below(4) == 0;
    screen.grid.rules.ambiguous_wide = wide;
    return screen_look(words, below(2) != 0, wide);
}

START_TEST(views_stay_inside_their_area) {
    seed = UINT64_C(0x9E3779B97F4A7C15);
    for (int round = 0; round < ROUNDS; round++) {
        struct words words;
        random_view();
        struct rect area = random_area();
        release_canaries();
        struct look look = random_look(&words);
        ui_view_draw(&screen.grid, area, &view, below(8) - 1, below(2) != 0, &look);
        check_canaries(area, "view");
        view_start(&view);
        sample_matrix(&view);
        struct ui_matrix_place place = {below(4) - 1, below(12)};
        release_canaries();
        look = random_look(&words);
        ui_matrix_draw(&screen.grid, area, &view.items[0].matrix, &place, &look);
        check_canaries(area, "matrix");
    }
}
END_TEST

START_TEST(pages_and_derivations_stay_inside_their_area) {
    seed = UINT64_C(0xD1B54A32D192ED03);
    for (int round = 0; round < ROUNDS; round++) {
        struct words words;
        struct rect area = random_area();
        release_canaries();
        struct look look = random_look(&words);
        ui_page_draw(&screen.grid, area, &sample_document, below(2), below(30), below(4) - 1,
                     &sample_expand, &look);
        check_canaries(area, "page");
        random_view();
        release_canaries();
        look = random_look(&words);
        ui_why_draw(&screen.grid, area, &view.items[0].ledger, below(6), below(10), &look);
        check_canaries(area, "why");
    }
}
END_TEST

START_TEST(pictures_of_numbers_stay_inside_their_area) {
    seed = UINT64_C(0x94D049BB133111EB);
    for (int round = 0; round < ROUNDS; round++) {
        struct words words;
        view_start(&view);
        struct view_bits *bits = below(2) != 0 ? sample_bits(&view) : sample_wide_bits(&view);
        bits->above = below(4) == 0 ? (double)NAN : bits->above;
        bits->input = below(8) == 0 ? (double)INFINITY : bits->input;
        struct view_ranges *ranges = sample_ranges(&view);
        ranges->row_count = below(4);
        ranges->current = below(4) - 1;
        ranges->marks[0].value = ldexp(1.0, below(80) - 40);
        struct rect area = random_area();
        release_canaries();
        struct look look = random_look(&words);
        words = sample_number_book(words.chinese);
        ui_view_draw(&screen.grid, area, &view, -1, false, &look);
        check_canaries(area, "numbers");
    }
}
END_TEST

static void random_knob(struct ui_knob *knob) {
    static const char *const stops[] = {"1", "2", "4", "8", "16", "权重", "megatron", "1024"};
    memset(knob, 0, sizeof *knob);
    knob->label = below(2) != 0 ? "Data ranks" : "数据并行度";
    knob->value = stops[below(8)];
    knob->stop_count = below(UI_KNOB_STOPS_MAX + 1);
    bool long_slider = below(3) == 0;
    for (int i = 0; i < knob->stop_count; i++) {
        knob->stops[i] = long_slider ? NULL : stops[below(8)];
        knob->hollow[i] = below(4) == 0;
    }
    knob->current = below(knob->stop_count + 1) - 1;
    knob->picker = below(4) == 0;
    knob->focused = below(2) != 0;
}

START_TEST(knobs_stay_inside_their_area) {
    seed = UINT64_C(0x2545F4914F6CDD1D);
    for (int round = 0; round < ROUNDS * 4; round++) {
        struct words words;
        struct ui_knob knob;
        random_knob(&knob);
        struct rect area = random_area();
        release_canaries();
        struct look look = random_look(&words);
        ui_knob_draw(&screen.grid, area, area.row + below(3) - 1, &knob, below(20), &look);
        check_canaries(area, "knob");
    }
}
END_TEST

START_TEST(hints_help_and_notice_stay_inside_their_area) {
    static const enum ui_where screens[] = {UI_WHERE_HOME, UI_WHERE_LESSON, UI_WHERE_HELP,
                                            UI_WHERE_WHY, UI_WHERE_TABLE};
    seed = UINT64_C(0xA0761D6478BD642F);
    for (int round = 0; round < ROUNDS; round++) {
        struct words words;
        struct rect area = random_area();
        release_canaries();
        struct look look = random_look(&words);
        const struct ui_keys keys = {.where = screens[below(4)]};
        ui_hints_draw(&screen.grid, area, &keys, &look);
        ui_help_draw(&screen.grid, area, &keys, below(20), &look);
        ui_notice_draw(&screen.grid, area, &look);
        check_canaries(area, "hints, help or notice");
    }
}
END_TEST

static Suite *suite(void) {
    Suite *s = suite_create("canary");
    TCase *t = tcase_create("areas");
    tcase_set_timeout(t, 120);
    tcase_add_test(t, views_stay_inside_their_area);
    tcase_add_test(t, pages_and_derivations_stay_inside_their_area);
    tcase_add_test(t, pictures_of_numbers_stay_inside_their_area);
    tcase_add_test(t, knobs_stay_inside_their_area);
    tcase_add_test(t, hints_help_and_notice_stay_inside_their_area);
    suite_add_tcase(s, t);
    return s;
}

#include "support/check_main.h"
