/* From what was given to what is calculated: defaults and conventions, what an option given explicitly keeps, every
 * rule that binds options to each other with its values and what would be right, and the stops that a slider must
 * show hollow. */
#define _POSIX_C_SOURCE 200809L

#include "calc_support.h"
#include "shardlab/base/writer.h"

#define SMALL "--layers 12 --hidden 768 --heads 12 --vocab 1000 "

/* The value of one option as the command line writes it. */
static const char *value_of(const struct scenario *s, const char *option) {
    static char text[128];
    struct writer w;
    writer_start(&w, text, sizeof text);
    calc_option_write(&w, s, calc_option_index(option));
    return text;
}

/* --- Defaults ----------------------------------------------------------------------------------------------------- */

static const struct {
    const char *line, *option, *value;
} defaults[] = {
    {SMALL, "kv-heads", "12"},
    {SMALL, "head-dim", "64"},
    {SMALL, "ffn", "3072"},
    {SMALL, "gated", "no"},
    {SMALL "--ffn 2000", "gated", "yes"},
    {SMALL "--ffn 2000", "ffn", "2000"},
    {SMALL "--ffn 2000 --no-gated", "gated", "no"},
    {SMALL "--no-gated", "ffn", "3072"},
    {SMALL, "tied", "no"},
    {SMALL, "norm", "rms"},
    {SMALL, "norms", "2"},
    {SMALL, "bias", "none"},
    {SMALL, "position", "rope"},
    {SMALL, "qk-norm", "no"},
    {SMALL, "embedding-norm", "no"},
    {SMALL, "max-seq", "4096"},
    {SMALL "--seq 100", "max-seq", "100"},
    {SMALL "--seq 100 --max-seq 200", "max-seq", "200"},
    {SMALL "--position learned --seq 100", "position-rows", "100"},
    {SMALL "--position learned --seq 100 --max-seq 200", "position-rows", "200"},
    {SMALL "--position learned --seq 100 --position-rows 102", "position-rows", "102"},
    {SMALL "--position-rows 102", "position-rows", "0"},
    {SMALL, "dp", "1"},
    {SMALL, "tp", "1"},
    {SMALL, "pp", "1"},
    {SMALL, "cp", "1"},
    {SMALL, "chunks", "1"},
    {SMALL, "schedule", "1f1b"},
    {SMALL "--chunks 2", "schedule", "interleaved"},
    {SMALL "--schedule interleaved", "chunks", "2"},
    {SMALL "--schedule gpipe", "chunks", "1"},
    {SMALL, "sequence-parallel", "no"},
    {SMALL, "zero", "0"},
    {SMALL, "precision", "bf16"},
    {SMALL, "optimizer", "adam"},
    {SMALL, "recompute", "none"},
    {SMALL, "attention", "flash"},
    {SMALL, "dropout", "no"},
    {SMALL, "seq", "4096"},
    {SMALL, "micro-batch", "1"},
    {SMALL, "micro-batches", "1"},
    {SMALL "--pp 3", "micro-batches", "12"},
    {SMALL "--pp 3 --micro-batches 1", "micro-batches", "1"},
    {SMALL, "reserve", "0"},
    /* what a convention stands for */
    {SMALL, "convention", "zero-paper"},
    {SMALL, "grad-bytes", "2"},
    {SMALL, "logits", "none"},
    {SMALL, "buffers", "none"},
    {SMALL, "pad-vocab", "1"},
    {SMALL "--convention megatron", "grad-bytes", "4"},
    {SMALL "--convention fsdp", "grad-bytes", "4"},
    {SMALL "--convention fsdp", "zero", "3"},
    {SMALL "--convention fsdp --zero 2", "zero", "2"},
    {SMALL, "reduce", "boundary"},
    {SMALL "--zero 1", "reduce", "boundary"},
    {SMALL "--zero 2", "reduce", "every"},
    {SMALL "--convention fsdp", "reduce", "every"},
    {SMALL "--zero 3 --reduce boundary", "reduce", "boundary"},
    {SMALL, "alpha-us", "5"},
    {SMALL "--alpha-us 0", "alpha-us", "0"},
    {SMALL, "mfu", "0.4"},
    {SMALL "--convention hf", "grad-bytes", "2"},
    {SMALL "--convention hf", "zero", "0"},
    {SMALL "--convention hf --precision fp32", "grad-bytes", "4"},
    {SMALL, "reshard", "yes"},
    {SMALL, "prefetch", "1"},
    {SMALL "--convention megatron", "logits", "fused"},
    {SMALL "--convention megatron", "buffers", "framework"},
    {SMALL "--convention megatron", "pad-vocab", "128"},
    {SMALL "--convention megatron --tp 4", "pad-vocab", "512"},
    {SMALL "--convention deepspeed", "grad-bytes", "6"},
    {SMALL "--convention deepspeed", "logits", "none"},
    {SMALL "--convention deepspeed", "buffers", "none"},
    {SMALL "--convention deepspeed", "pad-vocab", "1"},
    /* an option given wins over the convention */
    {SMALL "--convention megatron --grad-bytes 2", "grad-bytes", "2"},
    {SMALL "--convention megatron --logits none", "logits", "none"},
    {SMALL "--convention megatron --buffers none", "buffers", "none"},
    {SMALL "--convention megatron --pad-vocab 1", "pad-vocab", "1"},
    {SMALL "--convention deepspeed --grad-bytes 4", "grad-bytes", "4"},
    /* fp32 gradients are 4 bytes whatever the convention */
    {SMALL "--precision fp32", "grad-bytes", "4"},
    {SMALL "--precision fp32 --convention megatron", "grad-bytes", "4"},
    {SMALL "--precision fp32 --convention deepspeed", "grad-bytes", "4"},
    /* Ψ alone has no dimensions */
    {"--params 7B", "layers", "0"},
    {"--params 7B --pp 2", "micro-batches", "8"},
};

START_TEST(what_is_not_given_has_its_default) {
    struct scenario s = resolved_of(defaults[_i].line);
    const char *value = value_of(&s, defaults[_i].option);
    ck_assert_msg(strcmp(value, defaults[_i].value) == 0, "%s: --%s %s, not %s", defaults[_i].line,
                  defaults[_i].option, value, defaults[_i].value);
}
END_TEST

/* Resolving does not touch its input or what counts as given, and may be done in place. */
START_TEST(resolving_leaves_what_was_given_alone) {
    struct scenario given = given_of(SMALL "--convention megatron --pp 2 --chunks 3"),
                    before = given;
    struct scenario apart;
    struct message why;
    ck_assert_int_eq(scenario_resolve(&given, &apart, &why), STATUS_OK);
    ck_assert_mem_eq(&given, &before, sizeof given);
    ck_assert_mem_eq(apart.given, given.given, sizeof given.given);
    ck_assert_int_eq(scenario_resolve(&given, &given, &why), STATUS_OK);
    ck_assert_mem_eq(&given, &apart, sizeof given);
    ck_assert_int_eq(scenario_resolve(&given, &given, &why),
                     STATUS_OK); /* once more changes nothing */
    ck_assert_mem_eq(&given, &apart, sizeof given);
}
END_TEST

/* --- The source of the model -------------------------------------------------------------------------------------- */

static const struct {
    const char *line, *error;
} sources[] = {
    {"", "error.model.missing"},
    {"--dp 8 --tp 2", "error.model.missing"},
    {"--layers 12", "error.model.missing_dimension|hidden"},
    {"--hidden 12", "error.model.missing_dimension|layers"},
    {"--ffn 12", "error.model.missing_dimension|layers"},
    {"--tied", "error.model.missing_dimension|layers"},
    {"--layers 12 --hidden 768 --heads 12", "error.model.missing_dimension|vocab"},
    {"--layers 12 --hidden 768 --vocab 100", "error.model.missing_dimension|heads"},
    {"--params 7B --layers 12", "error.model.two_sources|params|layers"},
    {"--params 7B --tied", "error.model.two_sources|params|tied"},
    {"--params 7B --model gpt2", "error.model.two_sources|model|params"},
    {"--config a.json --model gpt2", "error.model.two_sources|model|config"},
    {"--config a.json --params 1", "error.model.two_sources|config|params"},
    {"--layers 12 --hidden 770 --heads 12 --vocab 100", "error.model.head_dim|770|12"},
    {SMALL "--gated", "error.model.gated_ffn"},
};

START_TEST(a_model_has_one_source_and_its_needed_dimensions) {
    struct scenario s = given_of(sources[_i].line);
    struct message why = {0};
    ck_assert_msg(scenario_resolve(&s, &s, &why) == STATUS_USAGE, "%s is accepted",
                  sources[_i].line);
    ck_assert_msg(strcmp(message_line(&why), sources[_i].error) == 0, "%s: %s", sources[_i].line,
                  message_line(&why));
}
END_TEST

/* --- Rules -------------------------------------------------------------------------------------------------------- */

#define HEADS64 "--layers 32 --hidden 8192 --heads 64 --ffn 28672 --vocab 32000 "
#define GQA8 HEADS64 "--kv-heads 8 "

static const struct {
    const char *line, *violations; /* separated by blanks and bars; "": legal */
} rules[] = {
    {HEADS64, ""},
    {HEADS64 "--tp 6", "error.rule.tp_heads|6|64|4, 8"},
    {HEADS64 "--tp 3", "error.rule.tp_heads|3|64|2, 4"},
    {HEADS64 "--tp 33", "error.rule.tp_heads|33|64|32, 64"},
    {HEADS64 "--tp 65", "error.rule.tp_above_heads|65|64"},
    {HEADS64 "--tp 128", "error.rule.tp_above_heads|128|64"},
    {HEADS64 "--tp 64", ""},
    {GQA8 "--tp 8", ""},
    {GQA8 "--tp 16", ""},
    {GQA8 "--tp 64", ""},
    /* above the kv heads tp must be a multiple of them */
    {"--layers 2 --hidden 768 --heads 24 --kv-heads 4 --vocab 10 --tp 6",
     "error.rule.tp_kv_heads|6|4|4, 8"},
    {"--layers 2 --hidden 768 --heads 12 --kv-heads 5 --vocab 10", "error.rule.kv_heads|5|12"},
    {"--layers 2 --hidden 768 --heads 12 --kv-heads 24 --vocab 10", "error.rule.kv_heads|24|12"},
    {SMALL "--norms 3", "error.rule.norms|3"},
    /* pipelines */
    {HEADS64 "--pp 32", ""},
    {HEADS64 "--pp 33", "error.rule.pp_layers|33|32"},
    {HEADS64 "--pp 8 --chunks 4", ""},
    {HEADS64 "--pp 8 --chunks 5", "error.rule.pp_chunks_layers|8|5|32"},
    {HEADS64 "--pp 4 --schedule interleaved --chunks 1", "error.rule.interleaved_chunks|1"},
    {HEADS64 "--pp 4 --schedule gpipe --chunks 2", "error.rule.chunks_schedule|2|gpipe"},
    {HEADS64 "--pp 4 --schedule 1f1b --chunks 2", "error.rule.chunks_schedule|2|1f1b"},
    {"--params 7B --pp 1000", ""},
    {SMALL "--pp 2 --layers-per-stage 5,7", ""},
    {SMALL "--pp 2 --layers-per-stage 5,6", "error.rule.layers_per_stage_sum|11|12"},
    {SMALL "--pp 2 --layers-per-stage 5,5,2", "error.rule.layers_per_stage_count|3|2"},
    {SMALL "--pp 2 --chunks 3 --layers-per-stage 10,2", "error.rule.layers_per_stage_chunks|1|2|3"},
    {"--params 7B --pp 2 --layers-per-stage 5,7", "error.rule.layers_per_stage_params"},
    /* sequences */
    {SMALL "--position learned --max-seq 1024 --seq 1025", "error.rule.seq_learned|1025|1024"},
    {SMALL "--position learned --max-seq 1024 --seq 1024", ""},
    {SMALL "--max-seq 1024 --seq 4096", ""},
    {SMALL "--seq 7 --cp 8", "error.rule.cp_seq|8|7"},
    {SMALL "--seq 8 --cp 8", ""},
    /* recipe */
    {SMALL "--grad-bytes 3", "error.rule.grad_bytes|3"},
    {SMALL "--precision fp32 --grad-bytes 2", "error.rule.grad_bytes_fp32|2"},
    {SMALL "--convention megatron --zero 2", "error.rule.zero_convention|2|megatron|0, 1"},
    {SMALL "--convention megatron --zero 1", ""},
    {SMALL "--convention deepspeed --zero 3", ""},
    {SMALL "--convention deepspeed --zero 3 --reduce boundary", "error.rule.reduce_deepspeed|3"},
    {SMALL "--convention deepspeed --zero 1 --reduce boundary", ""},
    {SMALL "--zero 3 --reduce boundary", ""},
    {SMALL "--sequence-parallel", ""},
    /* the card */
    {SMALL "--memory 80GB --reserve 80GB", "error.rule.reserve|80000000000|80000000000"},
    {SMALL "--memory 80GB --reserve 79GB", ""},
    {SMALL "--reserve 79GB", ""},
    /* all of them, in a fixed order */
    {HEADS64 "--tp 6 --pp 33 --grad-bytes 5 --seq 3 --cp 4 --convention megatron --zero 3",
     "error.rule.tp_heads|6|64|4, 8 error.rule.pp_layers|33|32 error.rule.grad_bytes|5 "
     "error.rule.zero_convention|3|megatron|0, 1 error.rule.cp_seq|4|3"},
};

START_TEST(every_broken_rule_is_named_with_its_values) {
    struct scenario s = resolved_of(rules[_i].line);
    struct message found[8];
    char all[8 * 1600] = "";
    int count = scenario_violations(&s, found, ROWS(found));
    ck_assert_int_le(count, ROWS(found));
    for (int i = 0; i < count; i++) {
        (void)snprintf(all + strlen(all), sizeof all - strlen(all), "%s%s", i == 0 ? "" : " ",
                       message_line(&found[i]));
    }
    ck_assert_msg(strcmp(all, rules[_i].violations) == 0, "%s: %s, not %s", rules[_i].line, all,
                  rules[_i].violations);
}
END_TEST

START_TEST(violations_beyond_the_callers_room_are_counted_only) {
    struct scenario s = resolved_of(HEADS64 "--tp 6 --pp 33 --grad-bytes 5");
    struct message one = {0}, none = {0};
    ck_assert_int_eq(scenario_violations(&s, &one, 1), 3);
    ck_assert_str_eq(one.id, "error.rule.tp_heads");
    ck_assert_int_eq(scenario_violations(&s, NULL, 0), 3);
    ck_assert_ptr_null(none.id);
}
END_TEST

/* A prime number of heads: the search for a neighbour ends. */
START_TEST(the_nearest_tp_of_many_heads_is_found_at_once) {
    struct scenario s =
        resolved_of("--layers 2 --hidden 1099511627689 --heads 1099511627689 --vocab 10 "
                    "--tp 1000000");
    struct message why;
    ck_assert_int_eq(scenario_violations(&s, &why, 1), 1);
    ck_assert_str_eq(message_line(&why), "error.rule.tp_heads|1000000|1099511627689|1");
}
END_TEST

/* --- Hollow stops --------------------------------------------------------------------------------------------------- */

static const struct {
    const char *line, *option, *hollow; /* the stops that break a rule */
} sliders[] = {
    {HEADS64, "tp", "3 6 "},
    {GQA8, "tp", "3 6 "},
    {SMALL, "tp", "8 16 "},
    {SMALL, "pp", "16 32 64 "},
    {HEADS64, "pp", "64 "},
    {HEADS64 "--pp 8", "chunks", "6 8 "},
    {HEADS64 "--schedule 1f1b", "chunks", "2 3 4 6 8 "},
    {HEADS64 "--convention megatron", "zero", "2 3 "},
    {HEADS64 "--convention deepspeed", "zero", ""},
    {HEADS64 "--seq 4", "cp", "8 16 "},
    {SMALL "--position learned --max-seq 2048", "seq", "4096 8192 16384 32768 65536 131072 "},
    {SMALL, "seq", ""},
    {SMALL "--precision fp32", "grad-bytes", "2 6 "},
    {SMALL, "dp", ""},
};

START_TEST(a_stop_that_breaks_a_rule_is_hollow) {
    const struct calc_option *o = calc_option_at(calc_option_index(sliders[_i].option));
    char hollow[128] = "";
    for (int i = 0; i < o->stop_count; i++) {
        struct scenario s = given_of(sliders[_i].line);
        struct message why;
        char text[32];
        (void)snprintf(text, sizeof text, "%ju", (uintmax_t)o->stops[i]);
        ck_assert_int_eq(calc_option_set(&s, calc_option_index(sliders[_i].option), text, &why),
                         STATUS_OK);
        ck_assert_int_eq(scenario_resolve(&s, &s, &why), STATUS_OK);
        if (scenario_violations(&s, &why, 1) > 0) {
            (void)snprintf(hollow + strlen(hollow), sizeof hollow - strlen(hollow), "%s ", text);
        }
    }
    ck_assert_msg(strcmp(hollow, sliders[_i].hollow) == 0, "%s, %s: %s", sliders[_i].line,
                  sliders[_i].option, hollow);
}
END_TEST

/* --- Capacity ------------------------------------------------------------------------------------------------------- */

START_TEST(capacity_is_what_is_given_else_usable_else_listed_less_the_reserve) {
    struct scenario s = resolved_of(SMALL);
    ck_assert_uint_eq(scenario_capacity_bytes(&s), 0);
    s.cluster.listed_bytes = 80;
    ck_assert_uint_eq(scenario_capacity_bytes(&s), 80);
    s.cluster.usable_bytes = 79;
    ck_assert_uint_eq(scenario_capacity_bytes(&s), 79);
    s.cluster.memory = 70;
    ck_assert_uint_eq(scenario_capacity_bytes(&s), 70);
    s.cluster.reserve = 69;
    ck_assert_uint_eq(scenario_capacity_bytes(&s), 1);
    s.cluster.reserve = 71;
    ck_assert_uint_eq(scenario_capacity_bytes(&s), 0);
}
END_TEST

static Suite *suite(void) {
    Suite *s = suite_create("scenario");
    TCase *resolve = tcase_create("resolve"), *rule = tcase_create("rules");
    tcase_add_loop_test(resolve, what_is_not_given_has_its_default, 0, ROWS(defaults));
    tcase_add_test(resolve, resolving_leaves_what_was_given_alone);
    tcase_add_loop_test(resolve, a_model_has_one_source_and_its_needed_dimensions, 0,
                        ROWS(sources));
    tcase_add_loop_test(rule, every_broken_rule_is_named_with_its_values, 0, ROWS(rules));
    tcase_add_test(rule, violations_beyond_the_callers_room_are_counted_only);
    tcase_add_test(rule, the_nearest_tp_of_many_heads_is_found_at_once);
    tcase_add_loop_test(rule, a_stop_that_breaks_a_rule_is_hollow, 0, ROWS(sliders));
    tcase_add_test(resolve, capacity_is_what_is_given_else_usable_else_listed_less_the_reserve);
    suite_add_tcase(s, resolve);
    suite_add_tcase(s, rule);
    return s;
}

#include "support/check_main.h"
