/* From given options to a legal scenario: what presets and cards bring, what wins over what, which refusal comes
 * when, and that a scenario can be changed and settled again without reading its preset twice. */
#include <check.h>
#include <string.h>

#include "shardlab/calc/memory.h"
#include "shardlab/calc/option.h"
#include "shardlab/calc/params.h"
#include "shardlab/cli/cli.h"
#include "shardlab/lesson/lesson.h"

static struct store *store;

static void open_store(void) {
    struct message why = {0};
    ck_assert_msg(store_open(&store, &why) == STATUS_OK, "%s", why.id);
}

static void close_store(void) {
    store_close(store);
}

static enum status load(const char *line, struct scenario *applied, struct scenario *resolved,
                        struct message *why) {
    struct scenario given;
    ck_assert_msg(cli_scenario_parse_line(line, &given, why) == STATUS_OK, "%s: %s", line, why->id);
    return cli_scenario_load(store, &given, applied, resolved, NULL, why);
}

static void load_good(const char *line, struct scenario *applied, struct scenario *resolved) {
    struct message why = {0};
    ck_assert_msg(load(line, applied, resolved, &why) == STATUS_OK, "%s: %s", line, why.id);
}

static const struct {
    const char *line, *option;
    uint64_t value;
} known[] = {
    /* the preset's own */
    {"--model llama-2-7b", "layers", 32},
    {"--model llama-2-7b", "ffn", 11008},
    {"--model llama-2-7b", "gated", 1},
    {"--model llama-2-7b", "seq", 4096},
    {"--model llama-2-70b", "kv-heads", 8},
    {"--model gpt2", "position", CALC_POSITION_LEARNED},
    /* an option wins, wherever it stands */
    {"--model llama-2-7b --layers 2", "layers", 2},
    {"--layers 2 --model llama-2-7b", "layers", 2},
    {"--model llama-2-7b --tied", "tied", 1},
    {"--model llama-2-7b --no-gated", "gated", 0},
    /* 4096 tokens, unless a learned table is shorter and nobody asked for more */
    {"--model gpt2", "seq", 1024},
    {"--model gpt2 --seq 512", "seq", 512},
    {"--model gpt2 --max-seq 8K", "seq", 4096},
    {"--model opt-175b", "seq", 2048},
    /* dimensions alone */
    {"--layers 2 --hidden 64 --heads 4 --vocab 100", "ffn", 256},
    {"--layers 2 --hidden 64 --heads 4 --vocab 100", "kv-heads", 4},
    {"--layers 2 --hidden 64 --heads 4 --vocab 100", "head-dim", 16},
    {"--layers 2 --hidden 64 --heads 4 --vocab 100", "max-seq", 4096},
    {"--layers 2 --hidden 64 --heads 4 --vocab 100 --ffn 96", "gated", 1},
    {"--params 7B --pp 4", "micro-batches", 16},
    {"--params 7B", "micro-batches", 1},
    /* the convention's, and an option over it */
    {"--params 7B --convention megatron --tp 2", "pad-vocab", 256},
    {"--params 7B --convention megatron --pad-vocab 1", "pad-vocab", 1},
    {"--params 7B --convention megatron", "grad-bytes", 4},
    {"--params 7B --convention deepspeed", "grad-bytes", 6},
    {"--params 7B --convention deepspeed --grad-bytes 2", "grad-bytes", 2},
    {"--params 7B --convention megatron --precision fp32", "grad-bytes", 4},
    {"--model llama-2-7b --sequence-parallel", "sequence-parallel", 1},
};

START_TEST(a_resolved_scenario_holds_the_value) {
    struct scenario s;
    load_good(known[_i].line, NULL, &s);
    uint64_t value = calc_option_value(&s, calc_option_index(known[_i].option));
    ck_assert_msg(value == known[_i].value, "%s: %s is %llu", known[_i].line, known[_i].option,
                  (unsigned long long)value);
}
END_TEST

/* --- Cards --- */

static const struct {
    const char *line;
    uint64_t capacity;
} capacities[] = {
    {"--params 7B", 0},
    {"--params 7B --gpu a100-sxm-80gb", UINT64_C(85094039552)}, /* 79.25 GiB */
    {"--params 7B --gpu A100-SXM-80GB", UINT64_C(85094039552)},
    {"--params 7B --gpu a100-sxm-80gb --reserve 1GiB", UINT64_C(84020297728)},
    {"--params 7B --gpu a100-sxm-80gb --memory 40GB", UINT64_C(40000000000)},
    {"--params 7B --memory 40GB --reserve 1", UINT64_C(39999999999)},
};

START_TEST(capacity_is_what_the_card_offers) {
    struct scenario s;
    load_good(capacities[_i].line, NULL, &s);
    ck_assert_msg(scenario_capacity_bytes(&s) == capacities[_i].capacity, "%s: %llu",
                  capacities[_i].line, (unsigned long long)scenario_capacity_bytes(&s));
}
END_TEST

/* --- Refusals --- */

static const struct {
    const char *line;
    enum status status;
    const char *id, *suggested; /* the second argument */
} refused[] = {
    {"--dp 8", STATUS_USAGE, "error.model.missing", NULL},
    {"--model llama-2-8b", STATUS_USAGE, "error.model.unknown", "llama-2-7b"},
    {"--model zzz", STATUS_USAGE, "error.model.unknown_of", NULL},
    {"--params 7B --gpu a100", STATUS_USAGE, "error.gpu.unknown", "a100-sxm-40gb"},
    {"--params 7B --gpu B200", STATUS_USAGE, "error.gpu.unknown", "b200-sxm-180gb"},
    {"--params 7B --gpu zzz", STATUS_USAGE, "error.gpu.unknown_of", NULL},
    {"--model llama-2-7b --params 7B", STATUS_USAGE, "error.model.two_sources", "params"},
    {"--model llama-2-7b --tp 6", STATUS_USAGE, "error.rule.tp_heads", NULL},
    {"--model gpt2 --seq 4096", STATUS_USAGE, "error.rule.seq_learned", NULL},
    {"--model llama-2-7b --heads 3", STATUS_USAGE, "error.rule.kv_heads", NULL},
    {"--config missing-config.json", STATUS_FAILED, "error.file.missing", NULL},
    {"--config .", STATUS_FAILED, "error.file.folder", NULL},
};

START_TEST(a_refusal_has_its_status_and_sentence) {
    struct scenario s;
    struct message why = {0};
    enum status status = load(refused[_i].line, NULL, &s, &why);
    ck_assert_msg(status == refused[_i].status, "%s: %d", refused[_i].line, (int)status);
    ck_assert_msg(strcmp(why.id, refused[_i].id) == 0, "%s: %s", refused[_i].line, why.id);
    ck_assert_msg(refused[_i].suggested == NULL ||
                      strcmp(why.args[1].text, refused[_i].suggested) == 0,
                  "%s: %s", refused[_i].line, why.args[1].text);
}
END_TEST

/* --- A base on which options are changed --- */

START_TEST(an_applied_scenario_settles_to_the_same_and_can_be_changed) {
    struct scenario applied, resolved, again;
    struct message why;
    load_good("--model llama-2-7b --gpu a100-sxm-80gb --dp 8", &applied, &resolved);
    ck_assert_int_eq(cli_scenario_settle(&applied, &again, &why), STATUS_OK);
    ck_assert_mem_eq(&again, &resolved, sizeof again);
    ck_assert_int_eq(calc_option_set(&applied, calc_option_index("layers"), "16", &why), STATUS_OK);
    ck_assert_int_eq(cli_scenario_settle(&applied, &again, &why), STATUS_OK);
    ck_assert_uint_eq(again.model.layers, 16);
    ck_assert_uint_eq(again.model.hidden, 4096);
    ck_assert_uint_eq(again.layout.dp, 8);
    ck_assert_int_eq(calc_option_set(&applied, calc_option_index("pp"), "17", &why), STATUS_OK);
    ck_assert_int_eq(cli_scenario_settle(&applied, &again, &why), STATUS_USAGE);
    ck_assert_str_eq(why.id, "error.rule.pp_layers");
}
END_TEST

START_TEST(every_preset_loads_and_has_a_memory) {
    const struct record *rows = NULL;
    int count = 0;
    struct message why = {0};
    ck_assert_int_eq(store_models(store, &rows, &count, &why), STATUS_OK);
    ck_assert_int_gt(count, 20);
    for (int i = 0; i < count; i++) {
        char line[128] = "--model ";
        struct scenario s;
        struct calc_memory m;
        struct calc_params p;
        strncat(line, record_find(&rows[i], "id")->text, sizeof line - strlen(line) - 1);
        load_good(line, NULL, &s);
        ck_assert_msg(calc_params_count(&s, &p, &why) == STATUS_OK, "%s: %s", line, why.id);
        ck_assert_msg(calc_memory_worst(&s, &m, &why) == STATUS_OK, "%s: %s", line, why.id);
        ck_assert_msg(m.total_bytes > 16 * p.total, "%s", line);
    }
}
END_TEST

START_TEST(every_lesson_starts_with_a_legal_scenario) {
    for (int i = 0; i < lesson_count(); i++) {
        struct scenario s;
        load_good(lesson_at(i)->start, NULL, &s);
        ck_assert_uint_gt(scenario_capacity_bytes(&s), 0);
    }
}
END_TEST

static Suite *suite(void) {
    Suite *s = suite_create("loading scenarios");
    TCase *t = tcase_create("load");
    tcase_add_unchecked_fixture(t, open_store, close_store);
    tcase_add_loop_test(t, a_resolved_scenario_holds_the_value, 0, sizeof known / sizeof known[0]);
    tcase_add_loop_test(t, capacity_is_what_the_card_offers, 0,
                        sizeof capacities / sizeof capacities[0]);
    tcase_add_loop_test(t, a_refusal_has_its_status_and_sentence, 0,
                        sizeof refused / sizeof refused[0]);
    tcase_add_test(t, an_applied_scenario_settles_to_the_same_and_can_be_changed);
    tcase_add_test(t, every_preset_loads_and_has_a_memory);
    tcase_add_test(t, every_lesson_starts_with_a_legal_scenario);
    suite_add_tcase(s, t);
    return s;
}

#include "support/check_main.h"
