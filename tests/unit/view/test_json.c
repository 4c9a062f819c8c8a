/* The JSON of a view: exact numbers, nulls for what is unknown, no words of any language. What is
 * taken on faith: escaping and commas, which belong to base. */
#include <check.h>

#include "shardlab/view/read.h"
#include "support/sample_view.h"

static struct view view;
static char buffer[16384];

static const char *json_of(void) {
    struct writer w;
    struct json j;
    writer_start(&w, buffer, sizeof buffer);
    json_start(&j, &w);
    json_object_open(&j, NULL);
    view_write_json(&j, "view", &view);
    json_object_close(&j);
    ck_assert(!w.overflow);
    return buffer;
}

static void setup(void) {
    sample_view(&view, UINT64_C(80000000000));
}

START_TEST(every_kind_names_itself) {
    const char *text = json_of();
    const char *const kinds[] = {"\"kind\":\"ledger\"", "\"kind\":\"bar\"", "\"kind\":\"curve\"",
                                 "\"kind\":\"facts\"", "\"kind\":\"text\""};
    for (size_t i = 0; i < 5; i++) {
        ck_assert_msg(strstr(text, kinds[i]) != NULL, "%s is missing", kinds[i]);
    }
}
END_TEST

START_TEST(a_row_carries_its_number_its_past_and_its_derivation) {
    ck_assert_ptr_nonnull(
        strstr(json_of(), "{\"key\":\"optimizer\",\"formula\":\"12Ψ/8\",\"bytes\":10107623424,"
                          "\"before_bytes\":80860987392,\"explain\":[{\"term\":\"s.master\","
                          "\"formula\":\"12Ψ/N\",\"substituted\":\"12 × 6738415616 / 8\","
                          "\"bytes\":10107623424,\"source\":\"ZeRO, arXiv:1910.02054, section 3.1\""
                          "}]}"));
}
END_TEST

START_TEST(what_is_unknown_is_null) {
    view.items[0].ledger.rows[3].known = false;
    view.items[0].ledger.rows[3].has_before = false;
    view.items[0].ledger.rows[3].formula[0] = '\0';
    view.items[1].bar.has_capacity = false;
    const char *text = json_of();
    ck_assert_ptr_nonnull(strstr(
        text, "{\"key\":\"activations\",\"formula\":null,\"bytes\":null,\"before_bytes\":null,"));
    ck_assert_ptr_nonnull(strstr(text, "\"capacity_bytes\":null,\"fits\":null"));
}
END_TEST

START_TEST(sentences_travel_as_ids_and_arguments) {
    ck_assert_ptr_nonnull(
        strstr(json_of(), "\"verdict\":{\"id\":\"s.fits\",\"args\":[25613714112]}"));
}
END_TEST

START_TEST(bytes_beyond_two_to_the_53_are_exact) {
    view.items[0].ledger.rows[0].bytes = UINT64_MAX;
    ck_assert_ptr_nonnull(strstr(json_of(), "\"bytes\":18446744073709551615"));
}
END_TEST

static Suite *suite(void) {
    Suite *s = suite_create("json");
    TCase *t = tcase_create("reader");
    tcase_add_checked_fixture(t, setup, NULL);
    tcase_add_test(t, every_kind_names_itself);
    tcase_add_test(t, a_row_carries_its_number_its_past_and_its_derivation);
    tcase_add_test(t, what_is_unknown_is_null);
    tcase_add_test(t, sentences_travel_as_ids_and_arguments);
    tcase_add_test(t, bytes_beyond_two_to_the_53_are_exact);
    suite_add_tcase(s, t);
    return s;
}

#include "support/check_main.h"
