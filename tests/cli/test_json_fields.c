/* The fields that CONTRACT names, in every answer with --json: there, of their type, null only where the scenario
 * leaves them unknown and then with a note; and what holds for every answer: totals are the sums of their parts,
 * keys are English, no number is anything but a number. */
#include <check.h>
#include <ctype.h>
#include <stdio.h>

#include "cli/expect.h"

enum wanted {
    WHOLE,      /* digits */
    WHOLE_NULL, /* digits or null */
    SIGNED_NULL,
    WORD,
    WORD_NULL,
    TRUTH_NULL,
    LIST,
    OBJECT,
};

struct field_rule {
    const char *path;
    enum wanted wanted;
};

static const struct field_rule mem_fields[] = {
    {"model", OBJECT},
    {"model.name", WORD_NULL},
    {"model.params", WHOLE},
    {"model.params_active", WHOLE},
    {"scenario", OBJECT},
    {"per_gpu.params", WHOLE},
    {"per_gpu.weights_bytes", WHOLE},
    {"per_gpu.gradients_bytes", WHOLE},
    {"per_gpu.optimizer_bytes", WHOLE},
    {"per_gpu.activations_bytes", WHOLE_NULL},
    {"per_gpu.buffers_bytes", WHOLE_NULL},
    {"per_gpu.total_bytes", WHOLE},
    {"bytes_per_param", WHOLE},
    {"peak_bytes", WHOLE},
    {"peak_event", WORD},
    {"stages", LIST},
    {"stages[0].stage", WHOLE},
    {"stages[0].layers", WHOLE_NULL},
    {"stages[0].params", WHOLE},
    {"stages[0].in_flight", WHOLE},
    {"stages[0].weights_bytes", WHOLE},
    {"stages[0].gradients_bytes", WHOLE},
    {"stages[0].optimizer_bytes", WHOLE},
    {"stages[0].activations_bytes", WHOLE_NULL},
    {"stages[0].buffers_bytes", WHOLE_NULL},
    {"stages[0].total_bytes", WHOLE},
    {"worst_stage", WHOLE},
    {"offloaded.cpu_bytes", WHOLE},
    {"offloaded.nvme_bytes", WHOLE},
    {"capacity_bytes", WHOLE_NULL},
    {"fits", TRUTH_NULL},
    {"headroom_bytes", SIGNED_NULL},
    {"explain", LIST},
    {"explain[0].term", WORD},
    {"explain[0].formula", WORD},
    {"explain[0].substituted", WORD},
    {"explain[0].bytes", WHOLE},
    {"explain[0].source", WORD},
    {"notes", LIST},
    {"notes[0]", WORD},
};

static const struct field_rule params_fields[] = {
    {"params", WHOLE},        {"params_active", WHOLE},   {"groups", LIST},
    {"groups[0].name", WORD}, {"groups[0].count", WHOLE}, {"assumed", LIST},
};

static const struct field_rule params_only_fields[] = {
    {"params", WHOLE},
    {"params_active", WHOLE},
    {"groups", LIST},
    {"assumed", LIST},
};

/* Options of the scenario that CONTRACT names for dense models; JSON has '_' for '-'. */
static const char *const scenario_fields[] = {
    "model",
    "config",
    "params",
    "layers",
    "hidden",
    "heads",
    "kv_heads",
    "head_dim",
    "ffn",
    "gated",
    "vocab",
    "tied",
    "max_seq",
    "norm",
    "norms",
    "qk_norm",
    "bias",
    "position",
    "dp",
    "tp",
    "pp",
    "cp",
    "chunks",
    "schedule",
    "layers_per_stage",
    "zero",
    "offload",
    "offload_to",
    "reshard",
    "prefetch",
    "reduce",
    "precision",
    "optimizer",
    "grad_bytes",
    "sequence_parallel",
    "recompute",
    "recompute_norms",
    "recompute_latents",
    "recompute_activation",
    "input_bytes",
    "attention",
    "dropout",
    "logits",
    "pad_vocab",
    "buffers",
    "seq",
    "gpu",
    "micro_batch",
    "micro_batches",
    "memory_bytes",
    "reserve_bytes",
    "gpus_per_node",
    "link_gb_per_s",
    "net_gb_per_s",
    "pcie_gb_per_s",
    "nvme_gb_per_s",
    "alpha_us",
    "mfu",
    "convention",
};

static const char *const mem_lines[] = {
    "mem --model llama-2-7b --json",
    "mem --params 7B --json",
    "mem --params 7B --json --convention deepspeed --zero 3 --dp 8",
    "mem --params 7B --json --convention megatron --pp 4 --tp 2 --memory 80GB",
    "mem --model llama-2-70b --json --pp 8 --tp 8 --micro-batches 32 --gpu h100-sxm-80gb",
    "mem --model gpt2 --json --lang zh --optimizer none --recompute full",
    "mem --layers 2 --hidden 64 --heads 4 --vocab 100 --json --precision fp32",
    "mem --params 1 --json",
    "mem --params 1152921504606846975 --json --lang zh",
    "mem --model llama-2-7b --json --pp 4 --stage 2 --memory 1 --lang zh",
};

static const char *const params_lines[] = {
    "params --model llama-2-7b --json",
    "params --model gpt2 --json --lang zh",
    "params --layers 2 --hidden 64 --heads 4 --vocab 100 --json",
};

static bool is_of(struct json_value v, enum wanted wanted) {
    bool null = v.kind == JSON_KIND_NULL;
    bool number = v.kind == JSON_KIND_NUMBER;
    for (size_t i = 0; number && i < v.length; i++) {
        bool sign = i == 0 && wanted == SIGNED_NULL && v.at[0] == '-';
        number = sign || isdigit((unsigned char)v.at[i]) != 0;
    }
    switch (wanted) {
    case WHOLE:
        return number;
    case WHOLE_NULL:
    case SIGNED_NULL:
        return number || null;
    case WORD:
        return v.kind == JSON_KIND_STRING && v.length > 2;
    case WORD_NULL:
        return (v.kind == JSON_KIND_STRING && v.length > 2) || null;
    case TRUTH_NULL:
        return v.kind == JSON_KIND_BOOL || null;
    case LIST:
        return v.kind == JSON_KIND_ARRAY;
    case OBJECT:
        return v.kind == JSON_KIND_OBJECT;
    }
    return false;
}

static void expect_fields(const char *line, const char *answer, const struct field_rule *rules,
                          size_t count) {
    for (size_t i = 0; i < count; i++) {
        struct json_value value = json_at(answer, rules[i].path);
        ck_assert_msg(is_of(value, rules[i].wanted), "%s: %s is %.*s", line, rules[i].path,
                      value.kind == JSON_KIND_MISSING ? 7 : (int)value.length,
                      value.kind == JSON_KIND_MISSING ? "missing" : value.at);
    }
}

#define COUNT(table) (sizeof(table) / sizeof((table)[0]))

START_TEST(mem_has_every_field_of_the_contract) {
    struct run r;
    expect_json(&r, mem_lines[_i], NULL);
    expect_fields(mem_lines[_i], r.out, mem_fields, COUNT(mem_fields));
    ck_assert(json_is(json_at(r.out, "command"), "\"mem\""));
    for (size_t i = 0; i < COUNT(scenario_fields); i++) {
        char path[64];
        (void)snprintf(path, sizeof path, "scenario.%s", scenario_fields[i]);
        ck_assert_msg(json_at(r.out, path).kind != JSON_KIND_MISSING, "%s: no %s", mem_lines[_i],
                      path);
    }
    run_free(&r);
}
END_TEST

START_TEST(params_has_every_field_of_the_contract) {
    struct run r;
    expect_json(&r, params_lines[_i], NULL);
    expect_fields(params_lines[_i], r.out, params_fields, COUNT(params_fields));
    ck_assert(json_is(json_at(r.out, "command"), "\"params\""));
    uint64_t sum = 0;
    for (int i = 0; i < json_count(json_at(r.out, "groups")); i++) {
        char path[64];
        (void)snprintf(path, sizeof path, "groups[%d].count", i);
        sum += json_digits(r.out, path);
    }
    ck_assert_uint_eq(sum, json_digits(r.out, "params"));
    run_free(&r);
}
END_TEST

START_TEST(params_alone_have_no_groups) {
    struct run r;
    expect_json(&r, "params --params 7B --json", NULL);
    expect_fields("params --params 7B", r.out, params_only_fields, COUNT(params_only_fields));
    ck_assert_int_eq(json_count(json_at(r.out, "groups")), 0);
    run_free(&r);
}
END_TEST

/* What a place in the answer adds up to; unknown parts count nothing. */
static uint64_t sum_of_parts(const char *answer, const char *place) {
    static const char *const parts[] = {"weights", "gradients", "optimizer", "activations",
                                        "buffers"};
    uint64_t sum = 0;
    for (size_t i = 0; i < COUNT(parts); i++) {
        char path[64];
        (void)snprintf(path, sizeof path, "%s.%s_bytes", place, parts[i]);
        sum += json_at(answer, path).kind == JSON_KIND_NULL ? 0 : json_digits(answer, path);
    }
    return sum;
}

START_TEST(totals_are_sums_and_the_worst_stage_is_the_largest) {
    struct run r;
    expect_json(&r, mem_lines[_i], NULL);
    uint64_t total = json_digits(r.out, "per_gpu.total_bytes"), largest = 0, explained = 0;
    ck_assert_uint_eq(total, sum_of_parts(r.out, "per_gpu"));
    for (int i = 0; i < json_count(json_at(r.out, "explain")); i++) {
        char path[64];
        (void)snprintf(path, sizeof path, "explain[%d].bytes", i);
        explained += json_digits(r.out, path);
    }
    ck_assert_uint_eq(total, explained);
    int stages = json_count(json_at(r.out, "stages"));
    ck_assert_uint_eq((uint64_t)stages, json_digits(r.out, "scenario.pp"));
    for (int i = 0; i < stages; i++) {
        char place[32], path[64];
        (void)snprintf(place, sizeof place, "stages[%d]", i);
        (void)snprintf(path, sizeof path, "%s.total_bytes", place);
        uint64_t of_stage = json_digits(r.out, path);
        ck_assert_uint_eq(of_stage, sum_of_parts(r.out, place));
        largest = of_stage > largest ? of_stage : largest;
        (void)snprintf(path, sizeof path, "%s.stage", place);
        ck_assert_uint_eq((uint64_t)i, json_digits(r.out, path));
    }
    char worst[64];
    (void)snprintf(worst, sizeof worst, "stages[%d].total_bytes",
                   (int)json_digits(r.out, "worst_stage"));
    ck_assert_uint_eq(json_digits(r.out, worst), largest);
    run_free(&r);
}
END_TEST

static void check_member(struct json_value key, struct json_value value, void *context) {
    int *nulls = context;
    for (size_t i = 1; i < key.length - 1; i++) {
        bool plain = islower((unsigned char)key.at[i]) || isdigit((unsigned char)key.at[i]) ||
                     key.at[i] == '_';
        ck_assert_msg(plain, "the key %.*s", (int)key.length, key.at);
    }
    bool bytes = key.length > 8 && memcmp(key.at + key.length - 7, "_bytes\"", 7) == 0;
    ck_assert_msg(!bytes || is_of(value, SIGNED_NULL), "%.*s: %.*s", (int)key.length, key.at,
                  (int)value.length, value.at);
    *nulls += bytes && value.kind == JSON_KIND_NULL ? 1 : 0;
}

START_TEST(keys_are_english_and_what_is_unknown_has_a_note) {
    struct run r;
    int nulls = 0;
    expect_json(&r, mem_lines[_i], NULL);
    json_each_member(r.out, check_member, &nulls);
    ck_assert(nulls == 0 || json_count(json_at(r.out, "notes")) > 0);
    run_free(&r);
}
END_TEST

/* A field that is null, and the note that must say why, in both languages. */
static const struct {
    const char *line, *path, *english, *chinese;
} unknown[] = {
    {"mem --params 7B --json", "per_gpu.activations_bytes", "activations are unknown", "激活值"},
    {"mem --params 7B --json", "stages[0].layers", "parameter count alone", "参数量"},
    {"mem --params 7B --json", "capacity_bytes", "No card", "显卡"},
    {"mem --params 7B --json", "fits", "No card", "显卡"},
    {"mem --params 7B --json", "headroom_bytes", "headroom", "余量"},
    {"mem --params 7B --convention megatron --json", "per_gpu.buffers_bytes", "Buffers", "缓冲区"},
};

START_TEST(each_unknown_is_explained_in_both_languages) {
    for (int zh = 0; zh <= 1; zh++) {
        struct run r;
        char line[128];
        (void)snprintf(line, sizeof line, "%s --lang %s", unknown[_i].line, zh ? "zh" : "en");
        expect_json(&r, line, NULL);
        struct json_value notes = json_at(r.out, "notes");
        const char *said = strstr(notes.at, zh ? unknown[_i].chinese : unknown[_i].english);
        ck_assert_msg(json_at(r.out, unknown[_i].path).kind == JSON_KIND_NULL, "%s: %s is known",
                      line, unknown[_i].path);
        ck_assert_msg(said != NULL && said < notes.at + notes.length, "%s: %s: %.*s", line,
                      unknown[_i].path, (int)notes.length, notes.at);
        run_free(&r);
    }
}
END_TEST

START_TEST(languages_differ_in_words_only) {
    struct run en, zh;
    expect_json(&en, "mem --model llama-2-7b --pp 2 --json --lang en", NULL);
    expect_json(&zh, "mem --model llama-2-7b --pp 2 --json --lang zh", NULL);
    size_t same = (size_t)(json_at(en.out, "notes").at - en.out);
    ck_assert_uint_eq(same, (size_t)(json_at(zh.out, "notes").at - zh.out));
    ck_assert_msg(memcmp(en.out, zh.out, same) == 0, "%s%s", en.out, zh.out);
    ck_assert_str_ne(en.out, zh.out);
    run_free(&en);
    run_free(&zh);
}
END_TEST

static Suite *suite(void) {
    Suite *s = suite_create("fields of JSON answers");
    TCase *t = tcase_create("fields");
    int lines = (int)COUNT(mem_lines);
    tcase_add_loop_test(t, mem_has_every_field_of_the_contract, 0, lines);
    tcase_add_loop_test(t, params_has_every_field_of_the_contract, 0, (int)COUNT(params_lines));
    tcase_add_test(t, params_alone_have_no_groups);
    tcase_add_loop_test(t, totals_are_sums_and_the_worst_stage_is_the_largest, 0, lines);
    tcase_add_loop_test(t, keys_are_english_and_what_is_unknown_has_a_note, 0, lines);
    tcase_add_loop_test(t, each_unknown_is_explained_in_both_languages, 0, (int)COUNT(unknown));
    tcase_add_test(t, languages_differ_in_words_only);
    suite_add_tcase(s, t);
    return s;
}

#include "support/check_main.h"
