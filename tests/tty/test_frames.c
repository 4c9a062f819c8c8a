/* A picture that is played in a real terminal: rounds follow each other without a key, keys are heard meanwhile, and
 * once it has stopped (at its end, by a key, on another screen, or because less motion was asked for) there is not one
 * wake-up. */
#include <check.h>
#include <stdlib.h>

#include "support/pty.h"
#include "tty/lesson_keys.h"

static struct pty *start(const char *motion) {
    static const char *const environment[] = {"LC_ALL=C.UTF-8", NULL};
    const char *const argv[] = {getenv("SHARDLAB_BIN"), "--lang", "en", "--motion", motion, NULL};
    struct pty_options options = {40, 120, environment, 0};
    struct pty *p = pty_start(argv, &options);
    pty_expect(p, "Lessons");
    lesson_keys(p, "collectives");
    pty_expect(p, "before round 1 of 6");
    return p;
}

static void expect_idle(struct pty *p) {
    size_t length = 1;
    pty_wait_quiet(p, 300, 5000);
    pty_mark(p);
    long before = pty_switches(p);
    pty_pass(p, 1500);
    (void)pty_output(p, &length);
    ck_assert_uint_eq(length, 0);
    ck_assert_int_eq(pty_switches(p) - before, 0);
}

START_TEST(a_picture_is_played_to_its_end_and_then_nothing_moves) {
    struct pty *p = start("full");
    pty_keys(p, "]]]]a");
    pty_expect(p, "after round 6 of 6");
    expect_idle(p);
    pty_end(p);
}
END_TEST

START_TEST(keys_are_heard_while_it_is_played_and_stop_it) {
    struct pty *p = start("full");
    pty_keys(p, "a");
    pty_expect(p, "playing, a stops");
    pty_expect(p, "after round 1 of 6");
    pty_keys(p, "L");
    pty_expect(p, "正在播放");
    pty_keys(p, "L?"); /* what is not in sight does not move */
    pty_expect_gone(p, "Collectives · 1/5");
    expect_idle(p);
    pty_keys(p, "?R");
    pty_expect(p, "before round 1 of 6");
    expect_idle(p);
    pty_end(p);
}
END_TEST

START_TEST(with_less_motion_it_is_stepped_by_hand) {
    struct pty *p = start("reduced");
    pty_keys(p, "a");
    pty_expect(p, "motion is reduced");
    expect_idle(p);
    pty_keys(p, "..");
    pty_expect(p, "after round 2 of 6");
    pty_end(p);
}
END_TEST

static Suite *suite(void) {
    Suite *s = suite_create("tty.frames");
    TCase *c = tcase_create("frames");
    tcase_set_timeout(c, 60);
    tcase_add_test(c, a_picture_is_played_to_its_end_and_then_nothing_moves);
    tcase_add_test(c, keys_are_heard_while_it_is_played_and_stop_it);
    tcase_add_test(c, with_less_motion_it_is_stepped_by_hand);
    suite_add_tcase(s, c);
    return s;
}

#include "support/check_main.h"
