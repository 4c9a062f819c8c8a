/* Finding terms: what is typed in names of both languages, and the terms that a text names. */
#include <check.h>
#include <string.h>

#include "shardlab/base/glossary.h"

static const struct glossary_term terms[] = {
    {"data-parallelism", {"data parallelism (DP)", "数据并行"}, {"a", "甲"}},
    {"gather", {"gather", "收集（Gather）"}, {"b", "乙"}},
    {"all-gather", {"all-gather", "全收集（All-Gather）"}, {"c", "丙"}},
    {"shard", {"shard", "分片"}, {"d", "丁"}},
    {"gather-parameters", {"gather (materialise full parameters)", "聚合"}, {"e", "戊"}},
};
/* Sorted by the first byte. */
static const struct glossary_form forms[] = {
    {"All-Gather", 2}, {"all-gather", 2}, {"data parallelism", 0}, {"DP", 0},   {"gather", 1},
    {"gather", 4},     {"shard", 3},      {"全收集", 2},           {"分片", 3}, {"收集", 1},
    {"数据并行", 0},   {"聚合", 4},
};
static const struct glossary glossary = {terms, 5, forms, sizeof forms / sizeof forms[0]};

static const struct {
    const char *typed;
    int term;
    bool matches;
} searches[] = {
    {"", 0, true},        {"  ", 0, true},     {"DATA", 0, true},    {"parallel data", 0, true},
    {"dp", 0, true},      {"ｄｐ", 0, true},   {"数据", 0, true},    {"数据　PARA", 0, true},
    {"data x", 0, false}, {"gather", 2, true}, {"gather", 0, false}, {"（All", 2, true},
    {"(all", 2, true},    {"收集", 2, true},   {"收 全", 2, true},
};

START_TEST(every_typed_word_must_stand_in_a_name_of_either_language) {
    ck_assert_msg(glossary_matches(&terms[searches[_i].term], searches[_i].typed) ==
                      searches[_i].matches,
                  "%s", searches[_i].typed);
}
END_TEST

/* The terms that a text names, as bits. */
static const struct {
    const char *text;
    unsigned terms;
} texts[] = {
    {"", 0},
    {"Data parallelism keeps a replica.", 1},
    {"with DP, and dp is not DP", 1},
    {"dpx and dp", 0},
    {"Shards, shard's, 2 shard", 8},
    {"hard sharding of shardx", 0},
    {"All-gather the rest", 4},
    {"it gathers", 2 | 16},
    {"all-gather and gather", 4 | 2 | 16},
    {"一次全收集", 4},
    {"全收集与收集", 4 | 2},
    {"数据并行度和分片", 1 | 8},
    {"{{shard}} and {{dp}} of DP", 1},
    {"{{shard", 8},
};

START_TEST(a_text_names_terms_by_their_longest_forms) {
    bool found[5] = {false};
    glossary_mark(&glossary, texts[_i].text, found);
    for (int i = 0; i < 5; i++) {
        ck_assert_msg(found[i] == ((texts[_i].terms >> i & 1U) != 0), "%s: %s", texts[_i].text,
                      terms[i].id);
    }
}
END_TEST

START_TEST(marks_of_earlier_texts_stay) {
    bool found[5] = {false, false, false, true, false};
    glossary_mark(&glossary, "DP", found);
    ck_assert(found[0] && found[3] && !found[1]);
}
END_TEST

START_TEST(a_term_is_found_by_its_id_alone) {
    ck_assert_int_eq(glossary_find(&glossary, "shard"), 3);
    ck_assert_int_eq(glossary_find(&glossary, "Shard"), -1);
    ck_assert_int_eq(glossary_find(&glossary, ""), -1);
}
END_TEST

START_TEST(a_beginning_is_one_in_any_case_and_width) {
    ck_assert(glossary_begins("Shard", "ｓH"));
    ck_assert(glossary_begins("全收集", "全"));
    ck_assert(!glossary_begins("Shard", "hard"));
    ck_assert(!glossary_begins("Sh", "shard"));
    ck_assert(glossary_begins("Sh", ""));
}
END_TEST

static Suite *suite(void) {
    Suite *s = suite_create("glossary");
    TCase *t = tcase_create("finding");
    tcase_add_loop_test(t, every_typed_word_must_stand_in_a_name_of_either_language, 0,
                        (int)(sizeof searches / sizeof searches[0]));
    tcase_add_loop_test(t, a_text_names_terms_by_their_longest_forms, 0,
                        (int)(sizeof texts / sizeof texts[0]));
    tcase_add_test(t, marks_of_earlier_texts_stay);
    tcase_add_test(t, a_term_is_found_by_its_id_alone);
    tcase_add_test(t, a_beginning_is_one_in_any_case_and_width);
    suite_add_tcase(s, t);
    return s;
}

#include "support/check_main.h"
