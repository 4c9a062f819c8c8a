/* Models as a learner names them, from file to parameter count: every row of models.json comes to
 * the count that the reference computed and to the published figure in its own digits; a
 * config.json of each architecture comes to the same model as the row of that name. Needs store and
 * calc together, hence this room. */
#include <check.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "shardlab/calc/option.h"
#include "shardlab/calc/params.h"
#include "shardlab/calc/preset.h"
#include "shardlab/store/store.h"

static struct store *store;
static const struct record *models, *gpus;
static int model_count, gpu_count;

static void open_all(void) {
    struct message why = {0};
    ck_assert_msg(store_open(&store, &why) == STATUS_OK, "%s", why.id);
    ck_assert_int_eq(store_models(store, &models, &model_count, &why), STATUS_OK);
    ck_assert_int_eq(store_gpus(store, &gpus, &gpu_count, &why), STATUS_OK);
}

static void close_all(void) {
    store_close(store);
}

static void preset_resolve(const struct record *row, struct scenario *s) {
    struct message why = {0};
    scenario_start(s);
    ck_assert_msg(calc_model_apply(s, row, &why) == STATUS_OK, "%s: %s", why.args[0].text, why.id);
    ck_assert_msg(scenario_resolve(s, s, &why) == STATUS_OK, "%s: %s", s->model.name, why.id);
}

static uint64_t params_of(const struct scenario *s) {
    struct calc_params params;
    struct message why = {0};
    ck_assert_msg(calc_params_count(s, &params, &why) == STATUS_OK, "%s", why.id);
    uint64_t sum = 0;
    for (int i = 0; i < params.group_count; i++) {
        sum += params.groups[i].count;
    }
    ck_assert_uint_eq(sum, params.total);
    return params.total;
}

static uint64_t active_of(const struct scenario *s) {
    struct calc_params params;
    struct message why = {0};
    ck_assert_msg(calc_params_count(s, &params, &why) == STATUS_OK, "%s", why.id);
    return params.active;
}

/* True if `count` rounds to what was printed: "7.61B" to hundredths of 10^9, "405B" to whole ones;
 * papers also cut ("65.2B" of 65.29), so a figure cut to its digits counts too. */
static bool reads_as(uint64_t count, const char *printed) {
    char *unit = NULL;
    double value = strtod(printed, &unit);
    double scale = *unit == 'B' ? 1e9 : *unit == 'M' ? 1e6 : 1;
    const char *point = strchr(printed, '.');
    double digit = scale * (point != NULL ? pow(10, -(double)(unit - point - 1)) : 1);
    double steps = (double)count / digit;
    double wanted = round(value * scale / digit);
    return round(steps) == wanted || floor(steps) == wanted;
}

START_TEST(every_row_comes_to_the_computed_count) {
    for (int i = 0; i < model_count; i++) {
        struct scenario s;
        uint64_t computed = 0;
        preset_resolve(&models[i], &s);
        ck_assert(field_count(record_find(&models[i], "computed_params"), &computed));
        const struct field *active = record_find(&models[i], "computed_active_params");
        uint64_t computed_active = computed;
        ck_assert(active == NULL || field_count(active, &computed_active));
        ck_assert_msg(active_of(&s) == computed_active, "%s: %llu active", s.model.name,
                      (unsigned long long)active_of(&s));
        ck_assert_msg(params_of(&s) == computed, "%s: %llu, the reference has %llu", s.model.name,
                      (unsigned long long)params_of(&s), (unsigned long long)computed);
    }
}
END_TEST

START_TEST(every_published_figure_is_met_in_its_own_digits) {
    int published = 0;
    for (int i = 0; i < model_count; i++) {
        const struct field *figure = record_find(&models[i], "published_params");
        if (figure->kind == FIELD_NULL) {
            continue;
        }
        struct scenario s;
        preset_resolve(&models[i], &s);
        ck_assert_msg(reads_as(params_of(&s), figure->text), "%s: %llu is not %s", s.model.name,
                      (unsigned long long)params_of(&s), figure->text);
        published++;
    }
    ck_assert_int_eq(published, 14);
}
END_TEST

START_TEST(digits_of_a_published_figure_can_be_wrong) {
    ck_assert(reads_as(6738415616, "6.7B"));
    ck_assert(!reads_as(6738415616, "6.8B"));
    ck_assert(!reads_as(6738415616, "6.75B"));
    ck_assert(reads_as(65285660672, "65.2B"));
    ck_assert(!reads_as(176247271424, "176247271425"));
}
END_TEST

START_TEST(every_card_can_be_taken) {
    for (int i = 0; i < gpu_count; i++) {
        struct scenario s;
        struct message why = {0};
        scenario_start(&s);
        ck_assert_msg(calc_gpu_apply(&s, &gpus[i], &why) == STATUS_OK, "%s", why.id);
        ck_assert_str_eq(s.cluster.gpu, record_find(&gpus[i], "id")->text);
    }
}
END_TEST

static const struct {
    const char *name;
    int assumed; /* fields that this file leaves out */
} configs[] = {
    {"llama-2-7b", 3},    {"llama-3.2-1b", 0}, {"mistral-7b", 1},       {"qwen2.5-7b", 1},
    {"qwen3-8b", 0},      {"gpt2", 3},         {"pythia-6.9b", 1},      {"opt-175b", 4},
    {"bloom-176b", 1},    {"phi-3-mini", 1},   {"gemma-2-9b", 1},       {"mixtral-8x7b", 1},
    {"qwen3-30b-a3b", 0}, {"falcon-180b", 3},  {"deepseek-v2-lite", 0}, {"deepseek-v3", 0},
};

static void config_resolve(const char *name, struct scenario *s, struct calc_assumed *assumed) {
    char path[CALC_PATH_MAX];
    struct message why = {0};
    const struct record *config = NULL;
    (void)snprintf(path, sizeof path, "%s/vectors/configs/%s.json", TEST_SOURCE_DIR, name);
    ck_assert_msg(store_json_file(store, path, &config, &why) == STATUS_OK, "%s: %s", path, why.id);
    scenario_start(s);
    ck_assert_int_eq(calc_option_set(s, calc_option_index("config"), path, &why), STATUS_OK);
    ck_assert_msg(calc_config_apply(s, config, assumed, &why) == STATUS_OK, "%s: %s %s", path,
                  why.id, why.args[1].text);
    ck_assert_int_eq(scenario_resolve(s, s, &why), STATUS_OK);
}

START_TEST(a_config_file_is_the_model_of_its_name) {
    struct scenario from_file;
    struct scenario from_row;
    struct calc_assumed assumed;
    const struct record *row = store_row_find(models, model_count, configs[_i].name);
    ck_assert_msg(row != NULL, "%s", configs[_i].name);
    config_resolve(configs[_i].name, &from_file, &assumed);
    preset_resolve(row, &from_row);
    for (int i = 0; i < calc_option_count(); i++) {
        bool open = strcmp(calc_option_at(i)->name, "max-seq") == 0 &&
                    record_find(row, "max_seq")->kind == FIELD_NULL;
        if (calc_option_at(i)->group == CALC_GROUP_MODEL && !open) {
            ck_assert_msg(calc_option_value(&from_file, i) == calc_option_value(&from_row, i),
                          "%s: %s is %llu in the file, %llu in the row", configs[_i].name,
                          calc_option_at(i)->name,
                          (unsigned long long)calc_option_value(&from_file, i),
                          (unsigned long long)calc_option_value(&from_row, i));
        }
    }
    ck_assert_uint_eq(params_of(&from_file), params_of(&from_row));
    ck_assert_msg(assumed.count == configs[_i].assumed, "%s: %d assumed", configs[_i].name,
                  assumed.count);
}
END_TEST

static Suite *suite(void) {
    Suite *all = suite_create("model_files");
    TCase *tests = tcase_create("model_files");
    tcase_add_checked_fixture(tests, open_all, close_all);
    tcase_add_test(tests, every_row_comes_to_the_computed_count);
    tcase_add_test(tests, every_published_figure_is_met_in_its_own_digits);
    tcase_add_test(tests, digits_of_a_published_figure_can_be_wrong);
    tcase_add_test(tests, every_card_can_be_taken);
    tcase_add_loop_test(tests, a_config_file_is_the_model_of_its_name, 0,
                        (int)(sizeof configs / sizeof configs[0]));
    suite_add_tcase(all, tests);
    return all;
}

#include "support/check_main.h"
