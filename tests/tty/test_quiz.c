/* A whole sitting by keyboard alone in a real terminal emulator, in both languages: every kind of question, the program
 * ended in the middle of one and started again, and the last answer taken back from the summary. */
#define _POSIX_C_SOURCE 200809L
#include <check.h>
#include <time.h>

#include "support/pty.h"
#include "support/quiz_solve.h"

static struct solve s;
static struct words words;
static struct pty *p;
static bool chinese;

static const char *const environment[] = {"LC_ALL=C.UTF-8", NULL};

static void start(void) {
    const char *const argv[] = {getenv("SHARDLAB_BIN"), "--lang", chinese ? "zh" : "en", NULL};
    struct pty_options options = {24, 80, environment, 0};
    p = pty_start(argv, &options);
    pty_expect(p, words_get(&words, "home.statistics"));
}

static void begin(const char *name) {
    char log[BANK_PATH_MAX];
    struct message why;
    bank_open(name);
    bank_log(name, log);
    ck_assert_int_eq(setenv("SHARDLAB_PROGRESS", log, 1), 0);
    bank_now.utc_s = (int64_t)time(NULL); /* the program's clock is the system's; TZ is UTC */
    solve_open(&s, log);
    ck_assert_int_eq(store_words(s.store, chinese, &words, &why), STATUS_OK);
    start();
}

/* "Down Space x": as a keyboard sends them. */
static void press(const char *names) {
    static const struct {
        const char *name, *bytes;
    } sent[] = {
        {"Enter", PTY_ENTER}, {"Space", " "}, {"Tab", PTY_TAB}, {"Up", PTY_UP}, {"Down", PTY_DOWN}};
    char bytes[SOLVE_KEYS_MAX], copy[SOLVE_KEYS_MAX];
    struct writer w;
    writer_start(&w, bytes, sizeof bytes);
    snprintf(copy, sizeof copy, "%s", names);
    for (char *name = strtok(copy, " "); name != NULL; name = strtok(NULL, " ")) {
        const char *out = name;
        for (size_t i = 0; i < sizeof sent / sizeof sent[0]; i++) {
            out = strcmp(sent[i].name, name) == 0 ? sent[i].bytes : out;
        }
        writer_text(&w, out);
    }
    pty_keys(p, bytes);
}

/* "2/5": which question of how many is in front. */
static void expect_place(void) {
    char place[32];
    snprintf(place, sizeof place, "  %d/%d  ", s.sitting.at + 1, s.sitting.count);
    pty_expect(p, place);
}

static void answer(int answers) {
    char keys[SOLVE_KEYS_MAX], rating[64];
    snprintf(rating, sizeof rating, "› 3 %s", words_get(&words, "sitting.good"));
    solve_keys(&s, keys);
    press(keys);
    pty_expect(p, rating);
    pty_expect(p, "✓");
    ck_assert_int_eq(solve_events(&s, PROGRESS_ANSWER), answers); /* before the next key */
    press("Enter");
    pty_expect_gone(p, rating);
}

START_TEST(a_sitting_by_keyboard_alone_with_a_break_in_it_and_an_undo_at_its_end) {
    unsigned seen = 0;
    int answers = 0;
    chinese = _i == 1;
    begin(chinese ? "tty_zh" : "tty_en");
    press("x");
    while (solve_look(&s)) {
        expect_place();
        seen |= 1U << s.attempt.question->kind;
        if (answers == 2) {
            pty_keys(p, PTY_CTRL_C);
            pty_expect_exit(p, 0);
            pty_expect_restored(p);
            pty_end(p);
            start();
            press("x");
            expect_place();
        }
        answer(++answers);
    }
    ck_assert_uint_eq(seen, (1U << QUESTION_KINDS) - 1);
    pty_expect(p, words_get(&words, "sitting.done"));
    press("u");
    pty_expect(p, words_get(&words, "sitting.undone"));
    ck_assert_int_eq(solve_events(&s, PROGRESS_UNDO), 1);
    ck_assert(solve_look(&s));
    expect_place();
    pty_keys(p, PTY_ESCAPE);
    pty_expect(p, words_get(&words, "home.statistics"));
    pty_keys(p, "q");
    pty_expect_exit(p, 0);
    pty_expect_restored(p);
    pty_end(p);
    solve_close(&s);
}
END_TEST

static Suite *suite(void) {
    Suite *made = suite_create("quiz");
    TCase *t = tcase_create("sitting");
    tcase_set_timeout(t, 120);
    tcase_add_loop_test(t, a_sitting_by_keyboard_alone_with_a_break_in_it_and_an_undo_at_its_end, 0,
                        2);
    suite_add_tcase(made, t);
    return made;
}

#include "support/check_main.h"
