/* A config.json that went wrong, all the way to a parameter count: whatever stands in the file, the
 * answer is a model or a sentence that names the file. Run it under sanitizers. */
#define _POSIX_C_SOURCE 200809L

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "shardlab/calc/option.h"
#include "shardlab/calc/params.h"
#include "shardlab/calc/preset.h"
#include "shardlab/store/store.h"
#include "support/mangle.h"

enum { ROUNDS = 400, TEXT_MAX = 4096 };

static const char *const names[] = {"llama-3.2-1b", "qwen3-8b",   "gpt2",
                                    "opt-175b",     "bloom-176b", "gemma-2-9b"};

static const char path[] = "mangled-config.json";

static void remove_file(void) {
    (void)unlink(path);
}

static void file_read(const char *name, char text[TEXT_MAX]) {
    char from[CALC_PATH_MAX];
    (void)snprintf(from, sizeof from, "%s/vectors/configs/%s.json", TEST_SOURCE_DIR, name);
    FILE *file = fopen(from, "rb");
    ck_assert_msg(file != NULL, "%s", from);
    text[fread(text, 1, TEXT_MAX - 1, file)] = '\0';
    (void)fclose(file);
}

static void file_write(const char *text, size_t length) {
    FILE *file = fopen(path, "wb");
    ck_assert_ptr_nonnull(file);
    ck_assert_uint_eq(fwrite(text, 1, length, file), length);
    ck_assert_int_eq(fclose(file), 0);
}

/* File, record, scenario, rules, count: as far as it goes. */
static enum status count_file(struct store *s, struct message *why) {
    const struct record *config = NULL;
    struct scenario scenario;
    struct calc_assumed assumed;
    struct calc_params params;
    scenario_start(&scenario);
    enum status status = calc_option_set(&scenario, calc_option_index("config"), path, why);
    if (status == STATUS_OK) { /* within the learned positions of gpt2 and opt */
        status = calc_option_set(&scenario, calc_option_index("seq"), "1024", why);
    }
    status = status == STATUS_OK ? store_json_file(s, path, &config, why) : status;
    status = status == STATUS_OK ? calc_config_apply(&scenario, config, &assumed, why) : status;
    status = status == STATUS_OK ? scenario_resolve(&scenario, &scenario, why) : status;
    if (status == STATUS_OK && scenario_violations(&scenario, why, 1) > 0) {
        status = STATUS_USAGE;
    }
    return status == STATUS_OK ? calc_params_count(&scenario, &params, why) : status;
}

START_TEST(a_mangled_config_gives_a_count_or_a_reason) {
    char text[TEXT_MAX];
    char mangled[TEXT_MAX];
    uint64_t seed = 4711;
    int counted = 0;
    file_read(names[_i], text);
    struct store *s = NULL;
    struct message why = {0};
    ck_assert_int_eq(store_open(&s, &why), STATUS_OK);
    for (int round = 0; round < ROUNDS; round++) {
        file_write(mangled, mangle_text(&seed, text, mangled, sizeof mangled));
        why = (struct message){0};
        if (count_file(s, &why) == STATUS_OK) {
            counted++;
        } else {
            ck_assert_msg(why.id != NULL, "%s, round %d: refused without a reason", names[_i],
                          round);
        }
    }
    ck_assert_int_gt(counted, 0);
    ck_assert_int_lt(counted, ROUNDS);
    store_close(s);
}
END_TEST

static Suite *suite(void) {
    Suite *all = suite_create("mangled_config");
    TCase *tests = tcase_create("mangled_config");
    tcase_add_checked_fixture(tests, NULL, remove_file);
    tcase_add_loop_test(tests, a_mangled_config_gives_a_count_or_a_reason, 0,
                        (int)(sizeof names / sizeof names[0]));
    suite_add_tcase(all, tests);
    return all;
}

#include "support/check_main.h"
