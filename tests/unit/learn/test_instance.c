/* Numbers of questions: dice that are the same for ever, figures put into words, values as a person writes them, mistakes
 * that lead to what is right left out. */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "shardlab/base/writer.h"
#include "shardlab/learn/instance.h"

static const char *written(enum answer_kind kind, const char *unit, double value) {
    static char text[96];
    struct writer w;
    writer_start(&w, text, sizeof text);
    instance_value_write(&w, kind, unit, value);
    return text;
}

START_TEST(values_are_written_as_people_write_them) {
    static const struct {
        enum answer_kind kind;
        const char *unit;
        double value;
        const char *text;
    } rows[] = {
        {ANSWER_BYTES, "GB", 112e9, "112 GB"},
        {ANSWER_BYTES, "GB", 13476831232.0, "13.48 GB"},
        {ANSWER_BYTES, "GiB", 112e9, "104.3 GiB"},
        {ANSWER_BYTES, "GB", 134217728.0, "0.1342 GB"},
        {ANSWER_BYTES, "GB", 1103626371072.0, "1,104 GB"},
        {ANSWER_COUNT, "", 6738415616.0, "6,738,415,616"},
        {ANSWER_COUNT, "", 2.909090909, "2.909"},
        {ANSWER_COUNT, "", 4.2e22, "4.200e22"},
        {ANSWER_SHARE, "%", 3.0 / 11.0, "27.27 %"},
        {ANSWER_SECONDS, "ms", 0.0524, "52.4 ms"},
        {ANSWER_COUNT, "", 5.96e-8, "5.960e-8"},
        {ANSWER_COUNT, "", -3.0, "−3"},
    };
    ck_assert_str_eq(written(rows[_i].kind, rows[_i].unit, rows[_i].value), rows[_i].text);
}
END_TEST

START_TEST(figures_take_their_places_in_the_words) {
    static struct instance in;
    char text[96];
    struct writer w;
    instance_start(&in, 1);
    instance_figure_plain(&in, "dp", 8);
    instance_figure_value(&in, "weights", ANSWER_BYTES, "GB", 13476831232.0);
    writer_start(&w, text, sizeof text);
    instance_expand(&w, &in, "{{dp}} × {{weights}} = {{?}} {{none}} {{", "____");
    ck_assert_str_eq(text, "8 × 13.48 GB = ____ {{none}} {{");
}
END_TEST

START_TEST(dice_are_the_same_for_ever) {
    uint64_t dice = instance_dice(42);
    static const int first[] = {13, 91, 58, 64, 50}; /* of SplitMix64 seeded with 42, mod 100 */
    for (size_t i = 0; i < sizeof first / sizeof first[0]; i++) {
        ck_assert_int_eq(instance_pick(&dice, 100), first[i]);
    }
}
END_TEST

START_TEST(a_mistake_that_leads_to_what_is_right_is_left_out) {
    static struct instance in;
    instance_start(&in, 1);
    struct instance_key *key = instance_key_add(&in, ANSWER_COUNT, "", 100.0, 0.01);
    instance_path_add(key, "right", 100.5);
    instance_path_add(key, "twice", 200.0);
    instance_path_add(key, "again", 201.0);
    instance_path_add(key, "none", 0.0 / 1.0);
    ck_assert_int_eq(key->path_count, 2);
    ck_assert_str_eq(key->paths[0].id, "twice");
    ck_assert_str_eq(key->paths[1].id, "none");
}
END_TEST

int main(void) {
    Suite *suite = suite_create("instance");
    TCase *tests = tcase_create("instance");
    tcase_add_loop_test(tests, values_are_written_as_people_write_them, 0, 12);
    tcase_add_test(tests, figures_take_their_places_in_the_words);
    tcase_add_test(tests, dice_are_the_same_for_ever);
    tcase_add_test(tests, a_mistake_that_leads_to_what_is_right_is_left_out);
    suite_add_tcase(suite, tests);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
