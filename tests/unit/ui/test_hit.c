/* What lies under the mouse: clipped, the last one wins, the list is bounded; every cell of a rail has a stop, and
 * the cell of a stop is that stop. */
#include <check.h>

#include "shardlab/ui/draw.h"
#include "shardlab/ui/hit.h"
#include "support/screen.h"

static struct screen screen;
static struct ui_hits hits;
static const struct words english = {.unit = UNIT_GB};

static void start(void) {
    screen_start(&screen, 10, 40, false);
    hits.count = 0;
    hits.id = 3;
    screen.grid.hits = &hits;
}

START_TEST(the_last_one_at_a_cell_is_found) {
    const struct rect all = {0, 0, 10, 40};
    start();
    ui_hit_add(&screen.grid, all, (struct rect){2, 5, 3, 10}, UI_HIT_KNOB, 1);
    ui_hit_add(&screen.grid, all, (struct rect){3, 6, 1, 2}, UI_HIT_STOP, 2);
    ck_assert_int_eq(ui_hit_find(&hits, 3, 6)->part, 2);
    ck_assert_int_eq(ui_hit_find(&hits, 3, 8)->part, 1);
    ck_assert_int_eq(ui_hit_find(&hits, 4, 14)->id, 3);
    ck_assert_ptr_null(ui_hit_find(&hits, 5, 6));
    ck_assert_ptr_null(ui_hit_find(&hits, 4, 15));
    ck_assert_ptr_null(ui_hit_find(&hits, -1, -1));
}
END_TEST

START_TEST(what_is_not_seen_cannot_be_hit) {
    start();
    ui_hit_add(&screen.grid, (struct rect){2, 2, 3, 3}, (struct rect){0, 0, 9, 9}, UI_HIT_ROW, 0);
    ck_assert_ptr_null(ui_hit_find(&hits, 1, 2));
    ck_assert_ptr_nonnull(ui_hit_find(&hits, 4, 4));
    ck_assert_ptr_null(ui_hit_find(&hits, 5, 4));
    ui_hit_add(&screen.grid, (struct rect){0, 0, 0, 9}, (struct rect){0, 0, 9, 9}, UI_HIT_ROW, 0);
    ui_hit_add(&screen.grid, (struct rect){0, 0, 99, 99}, (struct rect){20, 0, 9, 9}, UI_HIT_ROW,
               0);
    ck_assert_int_eq(hits.count, 1);
}
END_TEST

START_TEST(a_full_list_and_none_are_survived) {
    const struct rect all = {0, 0, 10, 40};
    start();
    for (int i = 0; i < UI_HITS_MAX + 10; i++) {
        ui_hit_add(&screen.grid, all, all, UI_HIT_ITEM, i);
    }
    ck_assert_int_eq(hits.count, UI_HITS_MAX);
    screen.grid.hits = NULL;
    ui_hit_add(&screen.grid, all, all, UI_HIT_ITEM, 0);
}
END_TEST

START_TEST(every_cell_of_a_rail_has_the_nearest_stop) {
    for (int cells = 4; cells <= 40; cells++) {
        for (int count = 1; count <= 12; count++) {
            struct ui_hit rail = {{0, 7, 1, cells}, UI_HIT_RAIL, 0, count};
            int before = 0;
            for (int col = 7; col < 7 + cells; col++) {
                int stop = ui_hit_rail_stop(&rail, col);
                ck_assert(stop >= before && stop < count);
                before = stop;
            }
            for (int stop = 0; stop < count && count <= cells; stop++) {
                int col = 7 + ui_rail_cell(stop, count, cells);
                ck_assert_msg(ui_hit_rail_stop(&rail, col) == stop, "%d of %d on %d", stop, count,
                              cells);
            }
            int last = ui_hit_rail_stop(&rail, 500);
            ck_assert_int_eq(ui_hit_rail_stop(&rail, -50), 0);
            ck_assert_int_eq(ui_rail_cell(last, count, cells), count > 1 ? cells - 1 : 0);
        }
    }
}
END_TEST

START_TEST(a_knob_says_where_its_stops_are) {
    struct look look = screen_look(&english, false, false);
    struct ui_knob knob = {
        .label = "Ranks", .value = "2", .stop_count = 3, .stops = {"1", "2", "4"}, .current = 1};
    start();
    ui_knob_draw(&screen.grid, screen_whole(&screen), 0, &knob, 5, &look);
    for (int stop = 0; stop < 3; stop++) {
        bool found = false;
        for (int col = 0; col < 40; col++) {
            const struct ui_hit *hit = ui_hit_find(&hits, 0, col);
            found = found || (hit->kind == UI_HIT_STOP && hit->part == stop);
        }
        ck_assert_msg(found, "stop %d", stop);
    }
    start();
    for (int i = 0; i < 3; i++) {
        knob.stops[i] = NULL;
    }
    ui_knob_draw(&screen.grid, screen_whole(&screen), 0, &knob, 5, &look);
    const struct ui_hit *rail = ui_hit_find(&hits, 0, 12);
    ck_assert_int_eq(rail->kind, UI_HIT_RAIL);
    ck_assert_int_eq(rail->part, 3);
}
END_TEST

static Suite *suite(void) {
    Suite *s = suite_create("hit");
    TCase *t = tcase_create("hit");
    tcase_add_test(t, the_last_one_at_a_cell_is_found);
    tcase_add_test(t, what_is_not_seen_cannot_be_hit);
    tcase_add_test(t, a_full_list_and_none_are_survived);
    tcase_add_test(t, every_cell_of_a_rail_has_the_nearest_stop);
    tcase_add_test(t, a_knob_says_where_its_stops_are);
    suite_add_tcase(s, t);
    return s;
}

#include "support/check_main.h"
