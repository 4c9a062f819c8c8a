/* Any keys in any order, among questions and out of them into lessons, the glossary, help, figures and back, while days
 * pass, the screen changes its size and the program is started again: no screen has a cut character or a figure that
 * nobody filled in, and none of the drawing's and the engine's own checks fails. */
#define _POSIX_C_SOURCE 200809L
#include <check.h>

#include "shardlab/ui/key.h"
#include "support/drive.h"
#include "support/faults.h"
#include "support/quiz_bank.h"
#include "support/sanitized.h"

enum { SEEDS = 6, STEPS = SANITIZED ? 400 : 2500, START_EACH = 700 };

static const uint32_t keys[] = {
    'a',
    'b',
    'c',
    'd',
    'x',
    'x',
    'x',
    's',
    'u',
    'f',
    'i',
    'o',
    't',
    'z',
    '!',
    '1',
    '2',
    '3',
    '4',
    'y',
    'g',
    '?',
    'L',
    'm',
    'n',
    ' ',
    ' ',
    '\n',
    '\n',
    '\n',
    '\n',
    27,
    127,
    '\t',
    '7',
    '0',
    '.',
    'h',
    'j',
    'k',
    'w',
    '/',
    UI_KEY_CTRL_K,
    UI_KEY_CTRL_N,
    UI_KEY_CTRL_P,
    UI_KEY_CTRL_R,
    UI_KEY_CTRL_T,
    UI_KEY_CTRL_U,
    UI_KEY_CTRL_X,
    UI_KEY_UP,
    UI_KEY_DOWN,
    UI_KEY_DOWN,
    UI_KEY_LEFT,
    UI_KEY_RIGHT,
    UI_KEY_PAGE_UP,
    UI_KEY_PAGE_DOWN,
    UI_KEY_HOME,
    UI_KEY_END,
    UI_KEY_END,
    UI_KEY_BACK_TAB,
};
enum { KEYS = sizeof keys / sizeof keys[0] };

static struct drive d;

static void look(int step) {
    char out[FAULT_TEXT_MAX];
    drive_draw(&d);
    const char *fault = fault_halves(&d.grid, out);
    fault = fault == NULL && drive_shows(&d, "{{") ? "a figure that nobody filled in" : fault;
    if (fault != NULL) {
        ck_abort_msg("step %d: %s\n%s", step, fault, d.text);
    }
}

START_TEST(any_keys_lead_to_sound_screens) {
    char log[BANK_PATH_MAX], name[32];
    uint64_t dice = instance_dice((uint64_t)_i + 1);
    snprintf(name, sizeof name, "keys%d", _i);
    if (_i % 2 == 1) { /* the others have the questions of all lessons */
        bank_open(name);
    }
    bank_log(name, log);
    struct app_options options = {
        .chinese = _i % 3 == 0, .ambiguous_wide = _i == 2, .progress = log, .clock = bank_clock};
    ck_assert(drive_open(&d, 24, 80, &options));
    for (int step = 0; step < STEPS; step++) {
        bank_pass(instance_pick(&dice, 20000));
        (void)app_key(d.app, keys[instance_pick(&dice, KEYS)]);
        if (instance_pick(&dice, 40) == 0) {
            (void)app_tick(d.app);
        }
        if (instance_pick(&dice, 150) == 0) {
            drive_resize(&d, 12 + instance_pick(&dice, 30), 40 + instance_pick(&dice, 90));
        }
        if (step % START_EACH == START_EACH - 1) {
            drive_close(&d);
            bank_now.utc_s += (int64_t)instance_pick(&dice, 3) * 86400;
            ck_assert(drive_open(&d, 24, 80, &options));
        }
        look(step);
    }
    drive_close(&d);
}
END_TEST

static Suite *suite(void) {
    Suite *s = suite_create("quiz.keys");
    TCase *t = tcase_create("keys");
    tcase_set_timeout(t, 120);
    tcase_add_loop_test(t, any_keys_lead_to_sound_screens, 0, SEEDS);
    suite_add_tcase(s, t);
    return s;
}

#include "support/check_main.h"
