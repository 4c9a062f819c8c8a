/* Every question that has numbers names the command line of the program that shows them: it runs, says something and
 * complains of nothing. A few seeds of each generator, each fixed maker once. */
#include "cli/expect.h"
#include "unit/lessons/makers_support.h"

enum { SEEDS = SANITIZED ? 1 : 3 };

START_TEST(the_line_of_a_question_runs) {
    static struct instance numbers;
    static struct expect_words words;
    const struct lesson *lesson = NULL;
    const struct instance_entry *maker = NULL;
    int ran = 0;
    for (int i = 0; (maker = maker_at(i, &lesson)) != NULL; i++) {
        for (uint64_t seed = 0; seed < (maker->varies ? SEEDS : 1); seed++) {
            struct run r;
            maker_run(maker, seed, &numbers);
            if (numbers.line[0] == '\0') {
                continue;
            }
            run_shardlab(&r, expect_split(&words, numbers.line), NULL);
            ck_assert_msg(r.status == 0 && r.err_length == 0 && r.out_length > 0, "%s: %s: %s",
                          maker->question, numbers.line, r.err);
            run_free(&r);
            ran++;
        }
    }
    ck_assert_int_gt(ran, 0);
}
END_TEST

static Suite *suite(void) {
    Suite *s = suite_create("questions");
    TCase *t = tcase_create("lines");
    tcase_set_timeout(t, 300);
    tcase_add_test(t, the_line_of_a_question_runs);
    suite_add_tcase(s, t);
    return s;
}

#include "support/check_main.h"
