/* Makers of questions know no files, so the models and cards that their command lines name stand in a table of C. It says of
 * each what assets/ says, and a line means the same scenario to a maker as to the program. */
#include <check.h>
#include <string.h>

#include "../../lessons/question_line_private.h"
#include "shardlab/calc/option.h"
#include "shardlab/calc/preset.h"
#include "shardlab/store/store.h"

static struct store *store;

static void open_store(void) {
    struct message why;
    ck_assert_int_eq(store_open(&store, &why), STATUS_OK);
}

static void close_store(void) {
    store_close(store);
}

static const struct record *row_of(const struct record *rows, int count, const char *id) {
    for (int i = 0; i < count; i++) {
        const struct field *f = record_find(&rows[i], "id");
        if (f != NULL && f->kind == FIELD_TEXT && strcmp(f->text, id) == 0) {
            return &rows[i];
        }
    }
    ck_abort_msg("%s: no such preset", id);
    return NULL;
}

/* What the program makes of "comm --model NAME --gpu CARD". */
static struct scenario program_of(const char *model, const char *card) {
    const struct record *models = NULL, *cards = NULL;
    int model_count = 0, card_count = 0;
    struct scenario s;
    struct message why;
    ck_assert_int_eq(store_models(store, &models, &model_count, &why), STATUS_OK);
    ck_assert_int_eq(store_gpus(store, &cards, &card_count, &why), STATUS_OK);
    scenario_start(&s);
    ck_assert_int_eq(calc_model_apply(&s, row_of(models, model_count, model), &why), STATUS_OK);
    ck_assert_int_eq(calc_gpu_apply(&s, row_of(cards, card_count, card), &why), STATUS_OK);
    ck_assert_int_eq(scenario_resolve(&s, &s, &why), STATUS_OK);
    return s;
}

static struct scenario maker_of(const char *model, const char *card) {
    static struct instance in;
    struct scenario s;
    struct message why;
    instance_start(&in, 0);
    question_line(&in, "comm --model %s --gpu %s", model, card);
    ck_assert_int_eq(question_scenario(&in, &s, &why), STATUS_OK);
    return s;
}

static const char *written(const struct scenario *s, int option, char text[256]) {
    struct writer w;
    writer_start(&w, text, 256);
    calc_option_write(&w, s, option);
    return text;
}

START_TEST(a_model_has_the_dimensions_of_its_preset) {
    const char *name = question_model_at(_i)->name, *card = question_card_at(0)->name;
    struct scenario program = program_of(name, card), maker = maker_of(name, card);
    for (int i = 0; i < calc_option_count(); i++) {
        char one[256], other[256];
        bool of_model = calc_option_at(i)->group == CALC_GROUP_MODEL;
        ck_assert_msg(!of_model ||
                          strcmp(written(&program, i, one), written(&maker, i, other)) == 0,
                      "%s --%s: %s in assets, %s here", name, calc_option_at(i)->name, one, other);
    }
}
END_TEST

START_TEST(a_card_has_the_peak_and_links_of_its_preset) {
    const char *name = question_card_at(_i)->name, *model = question_model_at(0)->name;
    struct calc_cluster program = program_of(model, name).cluster;
    struct calc_cluster maker = maker_of(model, name).cluster;
    ck_assert_double_eq(program.peak_tflops[CALC_PRECISION_BF16],
                        maker.peak_tflops[CALC_PRECISION_BF16]);
    ck_assert_double_eq(program.link_gb_per_s, maker.link_gb_per_s);
    ck_assert_double_eq(program.net_gb_per_s, maker.net_gb_per_s);
}
END_TEST

START_TEST(what_a_line_gives_wins_over_the_preset) {
    static struct instance in;
    struct scenario s;
    struct message why;
    instance_start(&in, 0);
    question_line(&in, "comm --gpu h100-sxm-80gb --model llama-3-8b --layers 4 --tp 2 "
                       "--net-gb-per-s 25 --sequence-parallel");
    ck_assert_int_eq(question_scenario(&in, &s, &why), STATUS_OK);
    ck_assert_uint_eq(s.model.layers, 4);
    ck_assert_uint_eq(s.model.hidden, 4096);
    ck_assert_double_eq(s.cluster.net_gb_per_s, 25);
    ck_assert_double_eq(s.cluster.link_gb_per_s, 450);
    ck_assert(s.layout.sequence_parallel);
    question_line(&in, "comm --model llama-3-8b --tp 7"); /* does not divide the heads */
    ck_assert_int_eq(question_scenario(&in, &s, &why), STATUS_FAILED);
}
END_TEST

static Suite *suite(void) {
    Suite *s = suite_create("question presets");
    TCase *t = tcase_create("tables");
    tcase_add_checked_fixture(t, open_store, close_store);
    tcase_add_loop_test(t, a_model_has_the_dimensions_of_its_preset, 0, question_model_count());
    tcase_add_loop_test(t, a_card_has_the_peak_and_links_of_its_preset, 0, question_card_count());
    tcase_add_test(t, what_a_line_gives_wins_over_the_preset);
    suite_add_tcase(s, t);
    return s;
}

#include "support/check_main.h"
