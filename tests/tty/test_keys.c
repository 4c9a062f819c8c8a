/* Keys as terminals send them become the codes of ui/key.h; what is no key is swallowed without
 * harm. */
#include <stdio.h>
#include <string.h>

#include "shardlab/ui/key.h"
#include "tty/probe.h"

static const struct {
    const char *id, *bytes;
    uint32_t key;
} keys[] = {
    {"letter", "x", 'x'},
    {"enter cr", "\r", UI_KEY_ENTER},
    {"enter lf", "\n", UI_KEY_ENTER},
    {"tab", "\t", UI_KEY_TAB},
    {"back tab", "\033[Z", UI_KEY_BACK_TAB},
    {"space", " ", UI_KEY_SPACE},
    {"escape", "\033", UI_KEY_ESCAPE},
    {"backspace del", "\177", UI_KEY_BACKSPACE},
    {"backspace ctrl-h", "\010", UI_KEY_BACKSPACE},
    {"ctrl-c", "\003", UI_KEY_CTRL_C},
    {"ctrl-l", "\014", UI_KEY_CTRL_L},
    {"ctrl-s", "\023", 19},
    {"up", "\033OA", UI_KEY_UP},
    {"down", "\033OB", UI_KEY_DOWN},
    {"right", "\033OC", UI_KEY_RIGHT},
    {"left", "\033OD", UI_KEY_LEFT},
    {"up, normal mode", "\033[A", UI_KEY_UP},
    {"down, normal mode", "\033[B", UI_KEY_DOWN},
    {"right, normal mode", "\033[C", UI_KEY_RIGHT},
    {"left, normal mode", "\033[D", UI_KEY_LEFT},
    {"shift-left", "\033[1;2D", UI_KEY_SHIFT_LEFT},
    {"shift-right", "\033[1;2C", UI_KEY_SHIFT_RIGHT},
    {"page up", "\033[5~", UI_KEY_PAGE_UP},
    {"page down", "\033[6~", UI_KEY_PAGE_DOWN},
    {"home", "\033OH", UI_KEY_HOME},
    {"home, vt", "\033[1~", UI_KEY_HOME},
    {"end", "\033OF", UI_KEY_END},
    {"end, vt", "\033[4~", UI_KEY_END},
    {"f1", "\033OP", UI_KEY_F1},
    {"chinese", "显", 0x663E},
    {"emoji", "😀", 0x1F600},
    {"full-width question mark", "？", '?'},
    {"full-width letter", "ｑ" /* quits: the probe sees 'q' */, 'q'},
    {"ideographic space", "　", ' '},
};
enum { KEYS = sizeof keys / sizeof keys[0] };

START_TEST(a_key_is_known) {
    struct pty *p = probe_start(NULL, NULL);
    pty_keys(p, keys[_i].bytes);
    if (keys[_i].key == 'q') {
        pty_expect_exit(p, 0);
    } else {
        char expected[32];
        snprintf(expected, sizeof expected, "key 0x%X keys 1", (unsigned)keys[_i].key);
        if (!pty_wait_text(p, expected, PTY_PATIENCE_MS)) {
            ck_abort_msg("%s: %s expected, row: %s", keys[_i].id, expected, pty_row(p, 2));
        }
    }
    pty_end(p);
}
END_TEST

static const struct {
    const char *id, *bytes;
} noise[] = {
    {"ctrl-right", "\033[1;5C"},
    {"unknown function key", "\033[97~"},
    {"cursor report", "\033[12;40R"},
    {"device answer", "\033[?62;1;6c"},
    {"keypad", "\033Oj"},
    {"broken UTF-8 lead", "\377"},
    {"broken UTF-8 rest", "\200\201"},
    {"overlong", "\300\257"},
    {"surrogate", "\355\240\200"},
};
enum { NOISE = sizeof noise / sizeof noise[0] };

START_TEST(what_is_no_key_is_swallowed) {
    struct pty *p = probe_start(NULL, NULL);
    pty_keys(p, noise[_i].bytes);
    pty_pass(p, 100);
    pty_keys(p, "z");
    if (!pty_wait_text(p, "key 0x7A keys 1 ", PTY_PATIENCE_MS)) {
        ck_abort_msg("%s: row: %s", noise[_i].id, pty_row(p, 2));
    }
    pty_end(p);
}
END_TEST

START_TEST(a_character_may_arrive_in_pieces) {
    struct pty *p = probe_start(NULL, NULL);
    pty_keys(p, "\346");
    pty_pass(p, 60);
    pty_keys(p, "\230");
    pty_pass(p, 60);
    pty_keys(p, "\276");
    pty_expect(p, "key 0x663E keys 1 ");
    pty_end(p);
}
END_TEST

START_TEST(a_lone_start_of_a_character_does_not_eat_the_next_key) {
    struct pty *p = probe_start(NULL, NULL);
    pty_keys(p, "\346z");
    pty_expect(p, "key 0x7A keys 1 ");
    pty_end(p);
}
END_TEST

START_TEST(escape_is_told_at_once) {
    struct pty *p = probe_start(NULL, NULL);
    pty_keys(p, "\033");
    ck_assert_msg(pty_wait_text(p, "key 0x1B", 400), "no Esc after 400 ms");
    pty_end(p);
}
END_TEST

START_TEST(keys_that_come_together_are_all_counted_and_drawn_once) {
    struct pty *p = probe_start(NULL, NULL);
    size_t length = 0;
    pty_mark(p);
    for (int i = 0; i < 20; i++) {
        pty_keys(p, "xxxxxxxxxx" PTY_RIGHT PTY_LEFT "显");
    }
    pty_expect(p, "keys 260");
    (void)pty_output(p, &length);
    ck_assert_msg(length < 4000, "%zu bytes: keys were drawn one by one", length);
    pty_end(p);
}
END_TEST

/* Bytes from a small generator: whatever comes, the program lives and its keys work. */
START_TEST(random_bytes_do_no_harm) {
    struct pty *p = probe_start(NULL, NULL);
    uint32_t state = (uint32_t)_i + 1;
    char bytes[257];
    for (int i = 0; i < 256; i++) {
        do {
            state = state * 1664525 + 1013904223;
            bytes[i] = (char)(state >> 24);
        } while (strchr("qsaot\032\034", bytes[i]) != NULL); /* NUL too: strchr finds the end */
    }
    bytes[256] = '\0';
    pty_keys(p, bytes);
    pty_pass(p, 100);
    pty_keys(p, "\033\033zz"); /* ends whatever was begun */
    pty_expect(p, "key 0x7A");
    pty_keys(p, "q");
    pty_expect_exit(p, 0);
    pty_expect_restored(p);
    pty_end(p);
}
END_TEST

static Suite *suite(void) {
    Suite *s = suite_create("keys");
    TCase *read = tcase_create("read");
    tcase_set_timeout(read, 60);
    tcase_add_loop_test(read, a_key_is_known, 0, KEYS);
    tcase_add_loop_test(read, what_is_no_key_is_swallowed, 0, NOISE);
    tcase_add_test(read, a_character_may_arrive_in_pieces);
    tcase_add_test(read, a_lone_start_of_a_character_does_not_eat_the_next_key);
    tcase_add_test(read, escape_is_told_at_once);
    tcase_add_test(read, keys_that_come_together_are_all_counted_and_drawn_once);
    tcase_add_loop_test(read, random_bytes_do_no_harm, 0, 8);
    suite_add_tcase(s, read);
    return s;
}

#include "support/check_main.h"
