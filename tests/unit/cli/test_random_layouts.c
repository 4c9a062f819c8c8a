/* Layouts as people might write them after --explain: twenty thousand strings put together from right and wrong pieces, from
 * one seed. Each is read, and then every degree is at least 1, or refused with a sentence that both languages have. */
#include <check.h>
#include <stdio.h>
#include <string.h>

#include "../../../app/cli/plan_private.h"
#include "support/rounds.h"

enum { STRINGS = 20000, PIECES_MAX = 9, TEXT_MAX = 256 };

static uint64_t state = 88172645463325252u; /* xorshift64 */

static uint64_t below(uint64_t limit) {
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return state % limit;
}

static void make(char *text) {
    static const char *const pieces[] = {"dp=",
                                         "tp=",
                                         "pp=",
                                         "cp=",
                                         "ep=",
                                         "chunks=",
                                         "schedule=",
                                         "zero=",
                                         "recompute=",
                                         "micro-batch=",
                                         "micro_batch=",
                                         "layers=",
                                         "=",
                                         ",",
                                         "1",
                                         "2",
                                         "8",
                                         "16",
                                         "1024",
                                         "0",
                                         "-1",
                                         "1e30",
                                         "full",
                                         "1f1b",
                                         "zb-h2",
                                         "dualpipe",
                                         "interleaved",
                                         " ",
                                         "\xff",
                                         "\033[",
                                         "８",
                                         "tp=8,pp=2,",
                                         "tp=8",
                                         "18446744073709551616"};
    text[0] = '\0';
    for (uint64_t i = below(PIECES_MAX); i > 0; i--) {
        strcat(text, pieces[below(sizeof pieces / sizeof pieces[0])]); /* at most 8 × 20 */
    }
}

static void check_words(const struct words *words, const struct message *why, const char *text) {
    char sentence[2048];
    struct writer w;
    writer_start(&w, sentence, sizeof sentence);
    words_write(&w, words, why);
    ck_assert_msg(!w.overflow && w.length > 10 && strstr(sentence, "error.") == NULL, "%s: %s",
                  text, sentence);
}

START_TEST(a_random_layout_is_read_or_refused_in_words) {
    struct store *store = NULL;
    struct words english, chinese;
    struct message why = {0};
    ck_assert_int_eq(store_open(&store, &why), STATUS_OK);
    ck_assert_int_eq(store_words(store, false, &english, &why), STATUS_OK);
    ck_assert_int_eq(store_words(store, true, &chinese, &why), STATUS_OK);
    struct scenario applied;
    scenario_start(&applied);
    struct plan_request request = {&applied, 64, 256};
    int read = 0;
    for (int i = 0; i < test_rounds(STRINGS); i++) {
        char text[TEXT_MAX];
        struct plan_layout l;
        make(text);
        if (cli_plan_parse(text, &request, &l, &why) != STATUS_OK) {
            check_words(&english, &why, text);
            check_words(&chinese, &why, text);
            continue;
        }
        read++;
        if (l.dp == 0 || l.tp == 0 || l.pp == 0 || l.cp == 0 || l.ep == 0 || l.chunks == 0 ||
            l.micro_batch == 0 || l.micro_batches == 0) {
            ck_abort_msg("%s: a degree of 0", text);
        }
    }
    ck_assert_int_gt(read, STRINGS / 200);
    store_close(store);
}
END_TEST

static Suite *suite(void) {
    Suite *s = suite_create("random layouts");
    TCase *t = tcase_create("random layouts");
    tcase_set_timeout(t, 3000);
    tcase_add_test(t, a_random_layout_is_read_or_refused_in_words);
    suite_add_tcase(s, t);
    return s;
}

#include "support/check_main.h"
