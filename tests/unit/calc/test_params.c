/* Parameter counts: every preset of the reference table comes out exactly, as a whole and summed over the
 * ranks that hold it; what is whole on every rank is whole, what is divided is rounded up. */
#define _POSIX_C_SOURCE 200809L

#include <math.h>
#include <stdlib.h>

#include "calc_support.h"
#include "preset_line.h"
#include "support/csv.h"
#include "support/reference.h"

/* Most rows of model_presets.csv that may wait. Lower it with the list, never raise it. */
enum { PRESETS_LISTED_MAX = 0 };

#define TINY "--layers 4 --hidden 64 --heads 8 --kv-heads 2 --ffn 128 --vocab 1000"

static struct csv presets;

static uint64_t on_stage(const struct scenario *s, uint64_t stage) {
    uint64_t count = 0;
    struct message why;
    ck_assert_msg(calc_params_on_stage(s, stage, &count, &why) == STATUS_OK, "%s",
                  message_line(&why));
    return count;
}

/* What one more option adds to the count of TINY. */
static uint64_t added_by(const char *option) {
    struct scenario plain = legal_of(TINY), more = legal_of(TINY " %s", option);
    return params_of(&more).total - params_of(&plain).total;
}

START_TEST(a_preset_has_exactly_the_computed_count) {
    char line[512];
    preset_line(&presets, _i, line, sizeof line);
    struct scenario s = legal_of("%s --seq 512", line);
    struct calc_params p = params_of(&s);
    const char *name = csv_get(&presets, _i, "name");
    uintmax_t expected = strtoull(csv_get(&presets, _i, "computed_total_params"), NULL, 10);
    ck_assert_msg(p.total == expected, "%s: %ju, the table has %ju", name, (uintmax_t)p.total,
                  expected);
    const char *active = csv_get(&presets, _i, "computed_active_params");
    expected = active[0] == '\0' ? p.total : strtoull(active, NULL, 10);
    ck_assert_msg(p.active == expected, "%s: %ju active", name, (uintmax_t)p.active);
    uint64_t sum = 0;
    for (int i = 0; i < p.group_count; i++) {
        sum += p.groups[i].count;
    }
    ck_assert_msg(sum == p.total, "%s: the groups sum to %ju", name, (uintmax_t)sum);
    ck_assert_msg(on_stage(&s, 0) == p.total, "%s: one rank holds %ju", name,
                  (uintmax_t)on_stage(&s, 0));
}
END_TEST

/* "6.7B", "405B", "176247271424": some authors round and some cut, so one unit of the last printed digit. */
START_TEST(a_published_count_agrees_to_its_digits) {
    const char *published = csv_get(&presets, _i, "published_total_params");
    if (published[0] == '\0') {
        return;
    }
    char line[512], *end = NULL;
    preset_line(&presets, _i, line, sizeof line);
    struct scenario s = legal_of("%s --seq 512", line);
    double value = strtod(published, &end), unit = 1.0;
    const char *point = strchr(published, '.');
    for (const char *c = point == NULL ? end : point + 1; c < end; c++) {
        unit /= 10.0;
    }
    double scale = *end == 'B' ? 1e9 : 1.0;
    double off = fabs((double)params_of(&s).total / scale - value);
    ck_assert_msg(scale > 1.0 ? off < unit : off == 0.0, "%s: published %s, off by %g",
                  csv_get(&presets, _i, "name"), published, off);
}
END_TEST

/* Over the stages of a pipeline nothing is lost; only a tied embedding is held twice. */
START_TEST(the_stages_of_a_preset_hold_all_of_it) {
    char line[512];
    preset_line(&presets, _i, line, sizeof line);
    struct scenario s = legal_of("%s --seq 512 --pp 4", line);
    struct calc_params p = params_of(&s);
    uint64_t sum = 0, layers = 0;
    for (uint64_t stage = 0; stage < 4; stage++) {
        sum += on_stage(&s, stage);
        layers += calc_layers_on_stage(&s, stage);
    }
    uint64_t twice = s.model.tied ? s.model.vocab * s.model.hidden : 0;
    ck_assert_msg(sum == p.total + twice, "%s: %ju on the stages, %ju in all",
                  csv_get(&presets, _i, "name"), (uintmax_t)sum, (uintmax_t)p.total);
    ck_assert_uint_eq(layers, s.model.layers);
}
END_TEST

static void class_of(const struct csv *table, int row, char *name, size_t capacity) {
    (void)snprintf(name, capacity, "%s", csv_get(table, row, "family"));
}

/* Every row became options above. */
static bool expressed(const struct csv *table, int row) {
    (void)table;
    (void)row;
    return true;
}

START_TEST(every_preset_is_computed_or_listed) {
    struct reference reference = {"model_presets.csv", &presets, class_of, expressed,
                                  PRESETS_LISTED_MAX};
    reference_check(&reference);
}
END_TEST

/* --- Each dimension adds what it should ------------------------------------------------------------------------ */

static const struct {
    const char *option;
    uint64_t elements; /* more than TINY */
} additions[] = {
    {"--bias none", 0},
    {"--bias qkv", 4 * (64 + 2 * 16)},
    {"--bias all", 4 * (64 + 2 * 16 + 64 + 2 * 128 + 64)},
    {"--norm layer", (4 * 2 + 1) * 64},
    {"--norms 4", 4 * 2 * 64},
    {"--qk-norm", 4 * 2 * 8},
    {"--qk-norm --norm layer", (4 * 2 + 1) * 64 + 4 * 2 * 2 * 8},
    {"--embedding-norm", 64},
    {"--position learned --seq 32", 32 * 64},
    {"--position learned --seq 16 --max-seq 32", 32 * 64},
    {"--position learned --position-rows 34 --seq 32", 34 * 64},
    {"--position alibi", 0},
    {"--layers 5", 2 * 64 * (64 + 16) + 3 * 64 * 128 + 2 * 64},
    {"--kv-heads 8", 4 * 2 * 64 * 48},
    {"--head-dim 16", 4 * 2 * 64 * (64 + 16)},
    {"--vocab 1001", 2 * 64},
    {"--pad-vocab 128", 0},
    {"--convention megatron", 0},
};

START_TEST(a_dimension_adds_its_elements) {
    uint64_t more = added_by(additions[_i].option);
    ck_assert_msg(more == additions[_i].elements, "%s adds %ju, not %ju", additions[_i].option,
                  (uintmax_t)more, (uintmax_t)additions[_i].elements);
}
END_TEST

START_TEST(a_tied_head_and_a_plain_ffn_take_away) {
    struct scenario untied = legal_of(TINY), tied = legal_of(TINY " --tied");
    ck_assert_uint_eq(params_of(&untied).total - params_of(&tied).total, 1000 * 64);
    struct scenario plain = legal_of(TINY " --no-gated");
    ck_assert_uint_eq(params_of(&untied).total - params_of(&plain).total, 4 * 64 * 128);
}
END_TEST

START_TEST(params_alone_have_no_groups) {
    struct scenario s = legal_of("--params 7.5B");
    struct calc_params p = params_of(&s);
    ck_assert_uint_eq(p.total, UINT64_C(7500000000));
    ck_assert_uint_eq(p.active, p.total);
    ck_assert_int_eq(p.group_count, 0);
}
END_TEST

/* --- What a rank holds ----------------------------------------------------------------------------------------- */

static const struct {
    const char *line;
    uint64_t stage, elements;
} ranks[] = {
    /* matrices, table and head divided; norms whole */
    {TINY " --tp 2", 0, 4 * (64 * 80 + 3 * 64 * 64 + 128) + 64 + 2 * 500 * 64},
    /* two kv heads on four ranks: each rank holds one */
    {TINY " --tp 4", 0, 4 * (2 * 64 * (16 + 8) + 3 * 64 * 32 + 128) + 64 + 2 * 250 * 64},
    /* four kv heads on three ranks: rank 0 holds two */
    {"--layers 4 --hidden 96 --heads 12 --kv-heads 4 --ffn 129 --vocab 999 --tp 3", 0,
     4 * (2 * 96 * (32 + 16) + 3 * 96 * 43 + 192) + 96 + 2 * 333 * 96},
    /* column-parallel biases divided (qkv, fc1), row-parallel ones whole (out, fc2) */
    {TINY " --tp 2 --bias all", 0,
     4 * (64 * 80 + 3 * 64 * 64 + 128 + (32 + 2 * 8) + 64 + 128 + 64) + 64 + 2 * 500 * 64},
    /* an FFN and a vocabulary that tp does not divide are rounded up */
    {TINY " --tp 4 --ffn 130 --vocab 1001", 0,
     4 * (2 * 64 * 24 + 3 * 64 * 33 + 128) + 64 + 2 * 251 * 64},
    /* position tables are whole on every rank */
    {TINY " --tp 2 --position learned --seq 32", 0,
     4 * (64 * 80 + 3 * 64 * 64 + 128) + 64 + 2 * 500 * 64 + 32 * 64},
    /* the embedding and its norm on the first stage, final norm and head on the last */
    {TINY " --pp 2 --embedding-norm", 0, 2 * (2 * 64 * 80 + 3 * 64 * 128 + 128) + 1000 * 64 + 64},
    {TINY " --pp 2", 1, 2 * (2 * 64 * 80 + 3 * 64 * 128 + 128) + 1000 * 64 + 64},
    {TINY " --pp 4", 1, 2 * 64 * 80 + 3 * 64 * 128 + 128},
    /* tied over two stages: a second copy on the last */
    {TINY " --pp 2 --tied", 1, 2 * (2 * 64 * 80 + 3 * 64 * 128 + 128) + 1000 * 64 + 64},
    {TINY " --tied", 0, 4 * (2 * 64 * 80 + 3 * 64 * 128 + 128) + 1000 * 64 + 64},
    /* padded: 1000 -> 1024; megatron pads to 128·tp: 1000 -> 1024 at tp 2 */
    {TINY " --tp 2 --pad-vocab 1024", 0, 4 * (64 * 80 + 3 * 64 * 64 + 128) + 64 + 2 * 512 * 64},
    {TINY " --tp 2 --convention megatron", 0,
     4 * (64 * 80 + 3 * 64 * 64 + 128) + 64 + 2 * 512 * 64},
    /* Ψ alone: rounded up */
    {"--params 1000 --tp 2 --pp 3", 0, 167},
    {"--params 1000 --tp 2 --pp 3", 2, 167},
    {"--params 1 --tp 8 --pp 8", 7, 1},
};

START_TEST(a_rank_holds_its_share) {
    struct scenario s = legal_of("%s", ranks[_i].line);
    uint64_t count = on_stage(&s, ranks[_i].stage);
    ck_assert_msg(count == ranks[_i].elements, "%s, stage %ju: %ju, not %ju", ranks[_i].line,
                  (uintmax_t)ranks[_i].stage, (uintmax_t)count, (uintmax_t)ranks[_i].elements);
}
END_TEST

static const struct {
    const char *line;
    uint64_t vocab;
} paddings[] = {
    {TINY, 1000},
    {TINY " --pad-vocab 1", 1000},
    {TINY " --pad-vocab 128", 1024},
    {TINY " --convention megatron", 1024},
    {TINY " --convention megatron --tp 4", 1024},
    {TINY " --convention megatron --tp 8", 1024},
    {TINY " --convention megatron --tp 8 --vocab 1025", 2048},
    {TINY " --convention megatron --tp 8 --pad-vocab 1", 1000},
    {TINY " --convention deepspeed --tp 8", 1000},
};

START_TEST(the_vocabulary_is_padded_by_the_convention) {
    struct scenario s = legal_of("%s", paddings[_i].line);
    uint64_t vocab = 0;
    struct message why;
    ck_assert_int_eq(calc_vocab_padded(&s, &vocab, &why), STATUS_OK);
    ck_assert_msg(vocab == paddings[_i].vocab, "%s: %ju", paddings[_i].line, (uintmax_t)vocab);
}
END_TEST

static const struct {
    const char *line, *layers;
} splits[] = {
    {"--layers 32 --pp 4", "8 8 8 8 "},
    {"--layers 30 --pp 4", "8 8 7 7 "},
    {"--layers 5 --pp 4", "2 1 1 1 "},
    {"--layers 4 --pp 4", "1 1 1 1 "},
    {"--layers 10 --pp 3 --layers-per-stage 2,3,5", "2 3 5 "},
};

START_TEST(the_first_stages_take_the_layers_left_over) {
    struct scenario s = legal_of("--hidden 64 --heads 8 --vocab 1000 %s", splits[_i].line);
    char text[64] = "";
    for (uint64_t stage = 0; stage < s.layout.pp; stage++) {
        (void)snprintf(text + strlen(text), sizeof text - strlen(text), "%ju ",
                       (uintmax_t)calc_layers_on_stage(&s, stage));
    }
    ck_assert_msg(strcmp(text, splits[_i].layers) == 0, "%s: %s", splits[_i].line, text);
}
END_TEST

static Suite *suite(void) {
    Suite *s = suite_create("params");
    TCase *reference = tcase_create("reference"), *rules = tcase_create("rules");
    presets = csv_read("model_presets.csv");
    tcase_add_loop_test(reference, a_preset_has_exactly_the_computed_count, 0, presets.rows);
    tcase_add_loop_test(reference, a_published_count_agrees_to_its_digits, 0, presets.rows);
    tcase_add_loop_test(reference, the_stages_of_a_preset_hold_all_of_it, 0, presets.rows);
    tcase_add_test(reference, every_preset_is_computed_or_listed);
    tcase_add_loop_test(rules, a_dimension_adds_its_elements, 0, ROWS(additions));
    tcase_add_test(rules, a_tied_head_and_a_plain_ffn_take_away);
    tcase_add_test(rules, params_alone_have_no_groups);
    tcase_add_loop_test(rules, a_rank_holds_its_share, 0, ROWS(ranks));
    tcase_add_loop_test(rules, the_vocabulary_is_padded_by_the_convention, 0, ROWS(paddings));
    tcase_add_loop_test(rules, the_first_stages_take_the_layers_left_over, 0, ROWS(splits));
    suite_add_tcase(s, reference);
    suite_add_tcase(s, rules);
    return s;
}

#include "support/check_main.h"
