/* The memory lesson's words, figures and knobs, without a terminal and without the store: the languages have the
 * pages that the lesson counts, every number in them is the calculators', every knob can be moved. */
#define _POSIX_C_SOURCE 200809L

#include "lesson_support.h"

enum { TEXT_MAX = 1 << 16, PAGES = 6 };

static const char *figure_of(const struct scenario *s, const char *name) {
    static char text[128];
    struct writer w;
    struct lesson_input in = {.now = s, .page = 0};
    writer_start(&w, text, sizeof text);
    ck_assert_msg(memory()->figure(&in, name, &w), "{{%s}} is unknown", name);
    ck_assert_msg(!w.overflow && w.length > 0, "{{%s}}", name);
    return text;
}

static const char *words_in(const char *language) {
    static char text[TEXT_MAX];
    char path[512];
    snprintf(path, sizeof path, "%s/../lessons/%s/%s.md", TEST_SOURCE_DIR, memory()->folder,
             language);
    FILE *file = fopen(path, "rb");
    ck_assert_msg(file != NULL, "%s", path);
    size_t length = fread(text, 1, sizeof text - 1, file);
    fclose(file);
    ck_assert_msg(length > 0 && length < sizeof text - 1, "%s", path);
    text[length] = '\0';
    return text;
}

static const char *const languages[] = {"en", "zh"};

START_TEST(every_lesson_is_found_by_its_id) {
    ck_assert_int_ge(lesson_count(), 1);
    for (int i = 0; i < lesson_count(); i++) {
        ck_assert_ptr_eq(lesson_find(lesson_at(i)->id), lesson_at(i));
    }
    ck_assert_ptr_null(lesson_find("memor"));
}
END_TEST

START_TEST(words_have_the_pages_that_the_lesson_counts) {
    const char *text = words_in(languages[_i]);
    int pages = strncmp(text, "# ", 2) == 0;
    for (const char *at = text; (at = strstr(at, "\n# ")) != NULL; at++) {
        pages++;
    }
    ck_assert_msg(pages == memory()->page_count, "%s.md has %d pages", languages[_i], pages);
}
END_TEST

START_TEST(every_figure_in_the_words_is_known_and_has_a_value) {
    struct scenario s = scenario_of(LLAMA_SHARDED);
    int figures = 0;
    for (const char *at = words_in(languages[_i]); (at = strstr(at, "{{")) != NULL; figures++) {
        char name[64];
        size_t length = strcspn(at + 2, "}");
        ck_assert_uint_lt(length, sizeof name);
        memcpy(name, at + 2, length);
        name[length] = '\0';
        ck_assert_msg(strcmp(figure_of(&s, name), "—") != 0, "{{%s}} has no value", name);
        at += 2 + length;
    }
    ck_assert_int_gt(figures, 10);
}
END_TEST

START_TEST(an_unknown_figure_is_refused) {
    char text[16];
    struct writer w;
    struct scenario s = scenario_of(LLAMA);
    struct lesson_input in = {.now = &s, .page = 0};
    writer_start(&w, text, sizeof text);
    ck_assert(!memory()->figure(&in, "no_such_figure", &w));
    ck_assert_uint_eq(w.length, 0);
}
END_TEST

static const struct {
    const char *scenario, *name, *text;
} figures[] = {
    {LLAMA_SHARDED, "seven_weights", "14 GB"},
    {LLAMA_SHARDED, "seven_total", "112 GB"},
    {LLAMA_SHARDED, "seven_total_gib", "104.3 GiB"},
    {LLAMA_SHARDED, "double_count", "24"},
    {LLAMA_SHARDED, "split_paper", "2 + 2 + 12 = 16"},
    {LLAMA_SHARDED, "split_megatron", "2 + 4 + 12 = 18"},
    {LLAMA_SHARDED, "split_deepspeed", "2 + 6 + 12 = 20"},
    {LLAMA_SHARDED, "saving8_zero1", "2.91"},
    {LLAMA_SHARDED, "saving8_zero2", "4.27"},
    {LLAMA_SHARDED, "limit_zero1", "4"},
    {LLAMA_SHARDED, "limit_zero2", "8"},
    {LLAMA_SHARDED, "params", "6.74B"},
    {LLAMA_SHARDED, "bytes_per_param", "16"},
    {LLAMA_SHARDED, "states_whole", "107.81 GB"},
    {LLAMA_SHARDED, "weights", "13.48 GB"},
    {LLAMA_SHARDED, "states", "37.06 GB"},
    {LLAMA_SHARDED, "saving", "2.91"},
    {LLAMA_SHARDED, "zero", "1"},
    {LLAMA_SHARDED, "data_ranks", "8"},
    {LLAMA_SHARDED, "capacity", "80.00 GB"},
    {LLAMA_SHARDED, "worst_stage", "0"},
    {LLAMA_SHARDED, "activations_flash", "17.33 GB"},
    {LLAMA_SHARDED, "activations_standard", "51.67 GB"},
    {LLAMA_SHARDED, "activations_full", "1.68 GB"},
    {"--params 7B --convention megatron", "bytes_per_param", "18"},
    {"--params 7B --convention megatron", "seven_total", "112 GB"},
    {"--params 7B --convention hf", "bytes_per_param", "8"},
    {"--params 7B --convention hf", "states", "—"},
    {"--params 7B --convention hf", "total", "56.00 GB"},
    {LLAMA_SHARDED, "split_fsdp", "4 + 4 + 8 = 16"},
    {LLAMA_SHARDED, "split_hf", "max(4, 6, 8, 8) = 8"},
    {"--layers 1 --hidden 64 --heads 1 --vocab 64 --ffn 64 --optimizer muon", "bytes_per_param",
     "12.91"},
    {"--params 7B --convention megatron", "saving8_zero1", "2.91"},
    {"--params 7B", "capacity", "—"},
    {"--params 7B", "activations_flash", "—"},
    {"--params 7B --zero 2 --dp 64", "saving", "7.21"},
    {"--params 7B --convention megatron --zero 1 --dp 4 --cp 2", "saving", "2.40"},
};

START_TEST(figures_are_the_calculators_numbers) {
    struct scenario s = scenario_of(figures[_i].scenario);
    const char *text = figure_of(&s, figures[_i].name);
    ck_assert_msg(strcmp(text, figures[_i].text) == 0, "{{%s}} is %s, not %s", figures[_i].name,
                  text, figures[_i].text);
}
END_TEST

static bool movable(const struct calc_option *option) {
    return option->stops != NULL || option->choices != NULL || option->kind == CALC_OPTION_SWITCH ||
           option->kind == CALC_OPTION_NAME;
}

START_TEST(every_knob_is_an_option_that_can_be_moved) {
    struct lesson_knobs groups[LESSON_GROUPS_MAX];
    int count = memory()->knobs(_i, groups);
    ck_assert_int_ge(count, 2);
    ck_assert_int_le(count, LESSON_GROUPS_MAX);
    ck_assert_str_eq(groups[0].label, "group.page");
    for (int g = 0; g < count; g++) {
        ck_assert_ptr_nonnull(groups[g].options[0]);
        for (int k = 0; groups[g].options[k] != NULL; k++) {
            ck_assert_int_lt(k, LESSON_KNOBS_MAX);
            const char *name = groups[g].options[k];
            int index = calc_option_find(name, strlen(name));
            ck_assert_msg(index >= 0, "page %d: %s is no option", _i, name);
            ck_assert_msg(movable(calc_option_at(index)), "page %d: %s has no stops", _i, name);
        }
    }
}
END_TEST

START_TEST(the_start_is_a_command_line_of_options) {
    struct scenario s;
    scenario_start(&s);
    give(&s, memory()->start);
    ck_assert(calc_option_given(&s, calc_option_index("model")));
    ck_assert(calc_option_given(&s, calc_option_index("gpu")));
}
END_TEST

static Suite *suite(void) {
    Suite *all = suite_create("memory lesson");
    TCase *words = tcase_create("words");
    tcase_add_test(words, every_lesson_is_found_by_its_id);
    tcase_add_loop_test(words, words_have_the_pages_that_the_lesson_counts, 0, ROWS(languages));
    tcase_add_loop_test(words, every_figure_in_the_words_is_known_and_has_a_value, 0,
                        ROWS(languages));
    tcase_add_loop_test(words, figures_are_the_calculators_numbers, 0, ROWS(figures));
    tcase_add_test(words, an_unknown_figure_is_refused);
    suite_add_tcase(all, words);
    TCase *knobs = tcase_create("knobs");
    tcase_add_loop_test(knobs, every_knob_is_an_option_that_can_be_moved, 0, PAGES);
    tcase_add_test(knobs, the_start_is_a_command_line_of_options);
    suite_add_tcase(all, knobs);
    return all;
}

#include "support/check_main.h"
