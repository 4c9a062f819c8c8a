/* What the tests of config.json share: one scenario that a config given in words is applied to. A test file includes
 * it once; its state starts anew with start(). */
#ifndef UNIT_CALC_CONFIG_SUPPORT_H
#define UNIT_CALC_CONFIG_SUPPORT_H

#include <check.h>
#include <stdio.h>
#include <string.h>

#include "shardlab/calc/option.h"
#include "shardlab/calc/params.h"
#include "shardlab/calc/preset.h"
#include "support/fields.h"

static struct scenario s;
static struct calc_assumed assumed;

static void start(void) {
    scenario_start(&s);
    strcpy(s.model.config, "c.json");
}

static void give(const char *option, const char *value) {
    struct message why;
    ck_assert_int_eq(calc_option_set(&s, calc_option_index(option), value, &why), STATUS_OK);
}

static void apply(const char *words) {
    struct fields fields;
    struct record config = fields_record(&fields, words);
    struct message why = {0};
    ck_assert_msg(calc_config_apply(&s, &config, &assumed, &why) == STATUS_OK, "%s: %s %s", words,
                  why.id, why.args[1].text);
}

static bool is_assumed(const char *item) {
    for (int i = 0; i < assumed.count; i++) {
        if (strcmp(assumed.items[i], item) == 0) {
            return true;
        }
    }
    return false;
}

#endif
