/* The option table: what each kind of option reads, in ASCII and full width, and how it refuses; that every option is
 * written as it is read (the command line of whole scenarios: test_option_line.c); and its JSON members. */
#define _POSIX_C_SOURCE 200809L

#include "calc_support.h"
#include "shardlab/base/json.h"
#include "shardlab/base/writer.h"

/* --- Reading -------------------------------------------------------------------------------------------------------- */

static const struct {
    const char *option, *text, *written; /* as calc_option_write writes it */
} readings[] = {
    /* counts: K = 1000 */
    {"params", "7B", "7000000000"},
    {"params", "7b", "7000000000"},
    {"params", "350M", "350000000"},
    {"params", "1.5T", "1500000000000"},
    {"params", "2851e6", "2851000000"},
    {"params", "6,738,415,616", "6738415616"},
    {"layers", "1K", "1000"},
    {"hidden", "4096", "4096"},
    {"hidden", "1099511627776", "1099511627776"},
    {"dp", "1", "1"},
    {"zero", "0", "0"},
    {"zero", "3", "3"},
    {"pp", "1024", "1024"},
    /* sequences: K = 1024 */
    {"seq", "16K", "16384"},
    {"seq", "4096", "4096"},
    {"max-seq", "128k", "131072"},
    /* bytes */
    {"memory", "64MiB", "67108864"},
    {"memory", "64MB", "64000000"},
    {"memory", "80GB", "80000000000"},
    {"memory", "1024", "1024"},
    {"reserve", "0", "0"},
    /* reals come back as the shortest decimal that reads as them */
    {"net-gb-per-s", "56.25", "56.25"},
    {"net-gb-per-s", "1e-6", "1e-06"},
    {"link-gb-per-s", "450", "450"},
    {"alpha-us", "0", "0"},
    {"alpha-us", "-0.0", "0"},
    {"mfu", "0.4", "0.4"},
    {"mfu", "1", "1"},
    {"mfu", "０．５", "0.5"},
    /* choices and switches */
    {"precision", "fp16", "fp16"},
    {"schedule", "interleaved", "interleaved"},
    {"convention", "zero-paper", "zero-paper"},
    {"logits", "fp32x3", "fp32x3"},
    {"tied", "yes", "yes"},
    {"tied", "no", "no"},
    {"dropout", "on", "yes"},
    {"dropout", "off", "no"},
    {"gated", "true", "yes"},
    {"gated", "false", "no"},
    /* lists and names */
    {"layers-per-stage", "8", "8"},
    {"layers-per-stage", "8,8,9", "8,8,9"},
    {"model", "llama-2-7b", "llama-2-7b"},
    {"config", "a b/config.json", "a b/config.json"},
    /* full width, as a Chinese input method writes it */
    {"params", "７Ｂ", "7000000000"},
    {"params", "７．５Ｂ", "7500000000"},
    {"dp", "６４", "64"},
    {"seq", "１６Ｋ", "16384"},
    {"memory", "８０ＧＢ", "80000000000"},
    {"precision", "ｆｐ１６", "fp16"},
    {"dropout", "ｙｅｓ", "yes"},
    {"layers-per-stage", "８，８，９", "8,8,9"},
    {"model", "ｇｐｔ２", "gpt2"},
    /* but a file is called what it is called */
    {"config", "ｃ.json", "ｃ.json"},
};

static const char *written(const struct scenario *s, int index) {
    static char text[CALC_PATH_MAX + 64];
    struct writer w;
    writer_start(&w, text, sizeof text);
    calc_option_write(&w, s, index);
    ck_assert(!w.overflow);
    return text;
}

START_TEST(an_option_reads_what_people_write) {
    int index = calc_option_index(readings[_i].option);
    struct scenario s;
    struct message why;
    scenario_start(&s);
    ck_assert(!calc_option_given(&s, index));
    ck_assert_msg(calc_option_set(&s, index, readings[_i].text, &why) == STATUS_OK, "--%s %s: %s",
                  readings[_i].option, readings[_i].text, message_line(&why));
    ck_assert(calc_option_given(&s, index));
    ck_assert_msg(strcmp(written(&s, index), readings[_i].written) == 0, "--%s %s is %s, not %s",
                  readings[_i].option, readings[_i].text, written(&s, index), readings[_i].written);
}
END_TEST

#define COUNT_DP "|1|1048576"

static const struct {
    const char *option, *text, *error;
} refusals[] = {
    {"dp", "0", "error.option.count|dp|0" COUNT_DP},
    {"dp", "-1", "error.option.count|dp|-1" COUNT_DP},
    {"dp", "1.5", "error.option.count|dp|1.5" COUNT_DP},
    {"dp", "1048577", "error.option.count|dp|1048577" COUNT_DP},
    {"dp", "nan", "error.option.count|dp|nan" COUNT_DP},
    {"dp", "inf", "error.option.count|dp|inf" COUNT_DP},
    {"dp", "", "error.option.count|dp|" COUNT_DP},
    {"dp", "eight", "error.option.count|dp|eight" COUNT_DP},
    {"zero", "4", "error.option.count|zero|4|0|3"},
    {"zero", "-1", "error.option.count|zero|-1|0|3"},
    {"pp", "1025", "error.option.count|pp|1025|1|1024"},
    {"params", "7X", "error.option.count|params|7X|1|1152921504606846976"},
    {"params", "1e30", "error.option.count|params|1e30|1|1152921504606846976"},
    {"params", "1000000000000000000000000000000",
     "error.option.count|params|1000000000000000000000000000000|1|1152921504606846976"},
    {"params", "0", "error.option.count|params|0|1|1152921504606846976"},
    {"hidden", "1099511627777", "error.option.count|hidden|1099511627777|1|1099511627776"},
    {"seq", "0", "error.option.count|seq|0|1|1099511627776"},
    {"memory", "0", "error.option.bytes|memory|0|1|4611686018427387904"},
    {"memory", "80XB", "error.option.bytes|memory|80XB|1|4611686018427387904"},
    {"precision", "fp12", "error.option.choice|precision|fp12|fp32, fp16, bf16, fp8"},
    {"precision", "FP16", "error.option.choice|precision|FP16|fp32, fp16, bf16, fp8"},
    {"precision", "", "error.option.choice|precision||fp32, fp16, bf16, fp8"},
    {"convention", "paper",
     "error.option.choice|convention|paper|zero-paper, megatron, deepspeed, fsdp, hf"},
    {"mfu", "1.01", "error.option.real|mfu|1.01|1e-06|1"},
    {"mfu", "0", "error.option.real|mfu|0|1e-06|1"},
    {"mfu", "nan", "error.option.real|mfu|nan|1e-06|1"},
    {"alpha-us", "-1", "error.option.real|alpha-us|-1|0|1000000"},
    {"alpha-us", "5us", "error.option.real|alpha-us|5us|0|1000000"},
    {"link-gb-per-s", "", "error.option.real|link-gb-per-s||1e-06|1000000"},
    {"link-gb-per-s", "1e7", "error.option.real|link-gb-per-s|1e7|1e-06|1000000"},
    {"link-gb-per-s", "inf", "error.option.real|link-gb-per-s|inf|1e-06|1000000"},
    {"reduce", "never", "error.option.choice|reduce|never|boundary, every"},
    {"tied", "maybe", "error.option.switch|tied|maybe"},
    {"tied", "", "error.option.switch|tied|"},
    {"layers-per-stage", "", "error.option.list|layers-per-stage|"},
    {"layers-per-stage", "8,", "error.option.list|layers-per-stage|8,"},
    {"layers-per-stage", ",8", "error.option.list|layers-per-stage|,8"},
    {"layers-per-stage", "8,0", "error.option.list|layers-per-stage|8,0"},
    {"layers-per-stage", "8,x", "error.option.list|layers-per-stage|8,x"},
    {"layers-per-stage", "8,4294967296", "error.option.list|layers-per-stage|8,4294967296"},
    {"model", "", "error.option.empty|model|"},
    {"gpu", "", "error.option.empty|gpu|"},
    {"config", "", "error.option.empty|config|"},
};

START_TEST(a_value_that_means_nothing_is_refused_by_name) {
    int index = calc_option_index(refusals[_i].option);
    struct scenario s, before;
    struct message why = {0};
    scenario_start(&s);
    before = s;
    enum status done = calc_option_set(&s, index, refusals[_i].text, &why);
    ck_assert_msg(done == STATUS_USAGE, "--%s %s is accepted", refusals[_i].option,
                  refusals[_i].text);
    ck_assert_msg(strcmp(message_line(&why), refusals[_i].error) == 0, "--%s %s: %s, not %s",
                  refusals[_i].option, refusals[_i].text, message_line(&why), refusals[_i].error);
    ck_assert_mem_eq(&s, &before, sizeof s);
}
END_TEST

START_TEST(too_long_is_refused_and_does_not_overflow) {
    static char text[4 * CALC_PATH_MAX];
    memset(text, 'a', sizeof text - 1);
    static const char *const options[] = {"model",     "config", "gpu",  "dp",
                                          "precision", "memory", "tied", "layers-per-stage"};
    for (int i = 0; i < ROWS(options); i++) {
        struct scenario s, before;
        struct message why;
        scenario_start(&s);
        before = s;
        ck_assert_int_eq(calc_option_set(&s, calc_option_index(options[i]), text, &why),
                         STATUS_USAGE);
        ck_assert_mem_eq(&s, &before, sizeof s);
    }
    text[CALC_NAME_MAX - 1] = '\0'; /* the longest name */
    struct scenario s = given_of("");
    struct message why;
    ck_assert_int_eq(calc_option_set(&s, calc_option_index("model"), text, &why), STATUS_OK);
    ck_assert_str_eq(s.model.name, text);
}
END_TEST

START_TEST(as_many_stages_as_there_may_be_can_be_listed) {
    static char text[2 * CALC_STAGES_MAX + 2];
    for (int i = 0; i <= CALC_STAGES_MAX; i++) {
        memcpy(text + 2 * i, "1,", 2);
    }
    struct scenario s = given_of("");
    struct message why;
    int index = calc_option_index("layers-per-stage");
    text[2 * CALC_STAGES_MAX + 1] = '\0'; /* one too many */
    ck_assert_int_eq(calc_option_set(&s, index, text, &why), STATUS_USAGE);
    ck_assert_uint_eq(s.layout.layers_per_stage_count, 0);
}
END_TEST

START_TEST(every_stop_can_be_set_and_is_the_value_then) {
    for (int i = 0; i < calc_option_count(); i++) {
        for (int stop = 0; stop < calc_option_at(i)->stop_count; stop++) {
            struct scenario s = given_of("");
            struct message why;
            struct writer w;
            char text[32];
            writer_start(&w, text, sizeof text);
            calc_option_stop_write(&w, i, stop);
            ck_assert_msg(calc_option_set(&s, i, text, &why) == STATUS_OK, "--%s %s",
                          calc_option_at(i)->name, text);
            ck_assert_uint_eq(calc_option_value(&s, i), calc_option_at(i)->stops[stop]);
        }
    }
}
END_TEST

START_TEST(a_cleared_option_is_as_never_given) {
    struct scenario fresh = given_of("");
    for (int i = 0; i < calc_option_count(); i++) {
        const struct calc_option *o = calc_option_at(i);
        const char *text = o->kind == CALC_OPTION_CHOICE   ? o->choices[1]
                           : o->kind == CALC_OPTION_SWITCH ? "yes"
                           : o->kind == CALC_OPTION_REAL   ? "0.5"
                                                           : "2";
        struct scenario s = given_of("");
        struct message why;
        ck_assert_msg(calc_option_set(&s, i, text, &why) == STATUS_OK, "--%s", o->name);
        calc_option_clear(&s, i);
        ck_assert_msg(!calc_option_given(&s, i), "--%s", o->name);
        ck_assert_msg(memcmp(&s, &fresh, sizeof s) == 0, "--%s", o->name);
    }
}
END_TEST

/* --- The table itself ------------------------------------------------------------------------------------------------ */

START_TEST(the_table_is_sound) {
    for (int i = 0; i < calc_option_count(); i++) {
        const struct calc_option *o = calc_option_at(i);
        ck_assert_int_eq(calc_option_find(o->name, strlen(o->name)), i);
        ck_assert_msg((o->kind == CALC_OPTION_CHOICE) == (o->choices != NULL), "--%s", o->name);
        ck_assert_msg((o->stops == NULL) == (o->stop_count == 0), "--%s", o->name);
        for (int k = 0; k < o->stop_count; k++) {
            ck_assert_msg(o->stops[k] >= o->min && o->stops[k] <= o->max, "--%s: stop %d", o->name,
                          k);
            ck_assert_msg(k == 0 || o->stops[k] > o->stops[k - 1], "--%s: stop %d", o->name, k);
        }
    }
    ck_assert_int_eq(calc_option_find("dp8", 2), calc_option_index("dp"));
    ck_assert_int_eq(calc_option_find("d", 1), -1);
    ck_assert_int_eq(calc_option_find("", 0), -1);
}
END_TEST

static const struct {
    const char *word, *nearest; /* NULL: nothing is near */
} slips[] = {
    {"dp", "dp"},
    {"sequence-paralel", "sequence-parallel"},
    {"precison", "precision"},
    {"layer", "layers"},
    {"hiden", "hidden"},
    {"conventoin", "convention"},
    {"xyzzyplugh", NULL},
    {"a-very-long-word-that-is-no-option-at-all-and-goes-on", NULL},
    {"micro-batc", "micro-batch"},
};

START_TEST(a_slip_finds_its_word) {
    const char *near = calc_option_nearest(slips[_i].word, strlen(slips[_i].word));
    ck_assert_msg(slips[_i].nearest == NULL ? near == NULL
                                            : near != NULL && strcmp(near, slips[_i].nearest) == 0,
                  "%s: %s", slips[_i].word, near == NULL ? "nothing" : near);
}
END_TEST

/* --- JSON ------------------------------------------------------------------------------------------------------------- */

static const struct {
    const char *line, *option, *json;
} members[] = {
    {LLAMA_7B, "model", "{\"model\":null}"},
    {"--params 7B", "params", "{\"params\":7000000000}"},
    {"--params 7B", "layers", "{\"layers\":null}"},
    {"--params 7B", "tied", "{\"tied\":null}"},
    {"--params 7B", "norm", "{\"norm\":null}"},
    {"--params 7B", "max-seq", "{\"max_seq\":null}"},
    {LLAMA_7B, "params", "{\"params\":null}"},
    {LLAMA_7B, "kv-heads", "{\"kv_heads\":32}"},
    {LLAMA_7B, "tied", "{\"tied\":false}"},
    {LLAMA_7B, "gated", "{\"gated\":true}"},
    {LLAMA_7B, "zero", "{\"zero\":0}"},
    {LLAMA_7B, "norm", "{\"norm\":\"rms\"}"},
    {LLAMA_7B, "convention", "{\"convention\":\"zero-paper\"}"},
    {LLAMA_7B, "micro-batches", "{\"micro_batches\":1}"},
    {LLAMA_7B, "layers-per-stage", "{\"layers_per_stage\":null}"},
    {LLAMA_7B " --pp 2 --layers-per-stage 20,12", "layers-per-stage",
     "{\"layers_per_stage\":[20,12]}"},
    {LLAMA_7B, "memory", "{\"memory_bytes\":null}"},
    {LLAMA_7B " --memory 80GB", "memory", "{\"memory_bytes\":80000000000}"},
    {LLAMA_7B, "reserve", "{\"reserve_bytes\":0}"},
    {LLAMA_7B, "gpu", "{\"gpu\":null}"},
    {LLAMA_7B " --gpu a100-sxm-80gb", "gpu", "{\"gpu\":\"a100-sxm-80gb\"}"},
    {LLAMA_7B, "sequence-parallel", "{\"sequence_parallel\":false}"},
    {LLAMA_7B, "reduce", "{\"reduce\":\"boundary\"}"},
    {LLAMA_7B " --zero 2", "reduce", "{\"reduce\":\"every\"}"},
    {LLAMA_7B " --zero 3 --reduce boundary", "reduce", "{\"reduce\":\"boundary\"}"},
    {LLAMA_7B, "link-gb-per-s", "{\"link_gb_per_s\":null}"},
    {LLAMA_7B " --net-gb-per-s 12.5", "net-gb-per-s", "{\"net_gb_per_s\":12.5}"},
    {LLAMA_7B, "alpha-us", "{\"alpha_us\":5}"},
    {LLAMA_7B " --alpha-us 0", "alpha-us", "{\"alpha_us\":0}"},
    {LLAMA_7B " --mfu 0.5", "mfu", "{\"mfu\":0.5}"},
};

static void write_json(const struct scenario *s, int index, char *text, size_t capacity) {
    struct writer w;
    struct json j;
    writer_start(&w, text, capacity);
    json_start(&j, &w);
    json_object_open(&j, NULL);
    calc_option_json(&j, s, index);
    json_object_close(&j);
    ck_assert(!w.overflow);
}

START_TEST(an_option_is_a_json_member) {
    struct scenario s = legal_of("%s", members[_i].line);
    char text[256];
    write_json(&s, calc_option_index(members[_i].option), text, sizeof text);
    ck_assert_msg(strcmp(text, members[_i].json) == 0, "%s: %s", members[_i].line, text);
}
END_TEST

/* Every key is the option's name with '_' for '-', and bytes end in "_bytes". */
START_TEST(a_key_is_the_options_name) {
    struct scenario s = legal_of(LLAMA_7B);
    for (int i = 0; i < calc_option_count(); i++) {
        const struct calc_option *o = calc_option_at(i);
        char key[64], text[256];
        (void)snprintf(key, sizeof key, "{\"%s%s\":", o->name,
                       o->kind == CALC_OPTION_BYTES ? "_bytes" : "");
        for (char *c = key; *c != '\0'; c++) {
            *c = *c == '-' ? '_' : *c;
        }
        write_json(&s, i, text, sizeof text);
        ck_assert_msg(strncmp(text, key, strlen(key)) == 0, "%s", text);
    }
}
END_TEST

static Suite *suite(void) {
    Suite *s = suite_create("option");
    TCase *read = tcase_create("read"), *json = tcase_create("json");
    tcase_add_loop_test(read, an_option_reads_what_people_write, 0, ROWS(readings));
    tcase_add_loop_test(read, a_value_that_means_nothing_is_refused_by_name, 0, ROWS(refusals));
    tcase_add_test(read, too_long_is_refused_and_does_not_overflow);
    tcase_add_test(read, as_many_stages_as_there_may_be_can_be_listed);
    tcase_add_test(read, every_stop_can_be_set_and_is_the_value_then);
    tcase_add_test(read, a_cleared_option_is_as_never_given);
    tcase_add_test(read, the_table_is_sound);
    tcase_add_loop_test(read, a_slip_finds_its_word, 0, ROWS(slips));
    tcase_add_loop_test(json, an_option_is_a_json_member, 0, ROWS(members));
    tcase_add_test(json, a_key_is_the_options_name);
    suite_add_tcase(s, read);
    suite_add_tcase(s, json);
    return s;
}

#include "support/check_main.h"
