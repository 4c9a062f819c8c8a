/* The lesson on pipelines where messages take time: its page on interleaving says that the lead over 1F1B shrinks and is
 * then gone, because each of the more numerous messages is waited for. */
#define _POSIX_C_SOURCE 200809L

#include "pages_support.h"

enum { INTERLEAVED = 2, COMM = 3, TIME_COLUMN = 1 };
#define START                                                                                      \
    "--layers 32 --hidden 4096 --heads 32 --kv-heads 8 --ffn 14336 --gated yes --vocab 128256 "    \
    "--seq 4096 --pp 4 --micro-batches 8"

/* How much sooner interleaving ends than 1F1B, at this stop of the knob for messages. */
static double lead_at(int message) {
    const struct lesson *lesson = lesson_called("pipeline");
    struct scenario s = scenario_of(START);
    int own[LESSON_OWN_MAX] = {0};
    for (int i = 0; i < lesson->own_count; i++) {
        own[i] = lesson->own[i].start;
    }
    own[COMM] = message;
    const struct lesson_input in = {.now = &s, .own = own, .page = INTERLEAVED};
    const struct view_table *t = &item_of(picture_of(lesson, &in), VIEW_KIND_TABLE)->table;
    return t->cells[1][TIME_COLUMN].real - t->cells[0][TIME_COLUMN].real;
}

START_TEST(slow_messages_cost_interleaving_its_lead) {
    ck_assert_double_eq_tol(lead_at(0), 33 - 28.5, 1e-12);
    ck_assert_double_lt(lead_at(1), lead_at(0));
    ck_assert_double_gt(lead_at(1), 0);
    ck_assert_double_lt(lead_at(2), 0);
}
END_TEST

static Suite *suite(void) {
    Suite *s = suite_create("pipeline lesson, slow messages");
    TCase *t = tcase_create("messages");
    tcase_add_test(t, slow_messages_cost_interleaving_its_lead);
    suite_add_tcase(s, t);
    return s;
}

#include "support/check_main.h"
