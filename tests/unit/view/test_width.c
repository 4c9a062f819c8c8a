/* Columns of text: decoding of good and broken UTF-8, widths of characters that our texts use under
 * both rules, order of the tables, cutting and padding. What is taken on faith: the Unicode tables
 * themselves. */
#include <check.h>
#include <string.h>

#include "shardlab/view/width.h"

static const struct width_rules narrow = {false};
static const struct width_rules wide = {true};

struct character {
    const char *id;
    uint32_t code_point;
    int narrow, wide;
};

static const struct character characters[] = {
    {"control", 0x1B, 0, 0},
    {"delete", 0x7F, 0, 0},
    {"C1 control", 0x85, 0, 0},
    {"blank", ' ', 1, 1},
    {"letter", 'a', 1, 1},
    {"tilde", '~', 1, 1},
    {"no-break space", 0xA0, 1, 1},
    {"soft hyphen", 0xAD, 1, 1},
    {"combining acute", 0x301, 0, 0},
    {"combining overlay", 0x338, 0, 0},
    {"zero-width space", 0x200B, 0, 0},
    {"variation selector", 0xFE0F, 0, 0},
    {"hangul medial", 0x1161, 0, 0},
    {"hangul initial", 0x1100, 2, 2},
    {"hangul syllable", 0xAC00, 2, 2},
    {"CJK first", 0x4E00, 2, 2},
    {"CJK last", 0x9FFF, 2, 2},
    {"CJK plane 2", 0x20000, 2, 2},
    {"CJK plane 3 end", 0x3FFFD, 2, 2},
    {"ideographic space", 0x3000, 2, 2},
    {"ideographic full stop", 0x3002, 2, 2},
    {"hiragana", 0x3042, 2, 2},
    {"katakana", 0x30AB, 2, 2},
    {"full-width comma", 0xFF0C, 2, 2},
    {"full-width A", 0xFF21, 2, 2},
    {"half-width katakana", 0xFF71, 1, 1},
    {"full-width yen", 0xFFE5, 2, 2},
    {"emoji", 0x1F600, 2, 2},
    {"warning sign", 0x26A0, 1, 1},
    {"minus sign", 0x2212, 1, 1},
    {"single guillemet", 0x203A, 1, 1},
    {"small right triangle", 0x25B8, 1, 1},
    {"box horizontal", 0x2500, 1, 2},
    {"box vertical", 0x2502, 1, 2},
    {"full block", 0x2588, 1, 2},
    {"black circle", 0x25CF, 1, 2},
    {"white circle", 0x25CB, 1, 2},
    {"multiplication sign", 0xD7, 1, 2},
    {"right arrow", 0x2192, 1, 2},
    {"ellipsis", 0x2026, 1, 2},
    {"middle dot", 0xB7, 1, 2},
    {"capital psi", 0x3A8, 1, 2},
    {"capital delta", 0x394, 1, 2},
    {"em dash", 0x2014, 1, 2},
};

START_TEST(a_character_has_its_width_under_both_rules) {
    const struct character *c = &characters[_i];
    int under_narrow = width_code_point(c->code_point, &narrow);
    int under_wide = width_code_point(c->code_point, &wide);
    ck_assert_msg(under_narrow == c->narrow, "%s: narrow gives %d", c->id, under_narrow);
    ck_assert_msg(under_wide == c->wide, "%s: wide gives %d", c->id, under_wide);
}
END_TEST

START_TEST(no_character_is_wider_than_two_or_narrower_under_the_wide_rule) {
    for (uint32_t c = 0; c <= 0x10FFFF; c++) {
        int under_narrow = width_code_point(c, &narrow);
        int under_wide = width_code_point(c, &wide);
        bool sane = under_narrow >= 0 && under_narrow <= 2 && under_wide <= 2 &&
                    (under_wide == under_narrow || (under_narrow == 1 && under_wide == 2));
        if (!sane) {
            ck_abort_msg("U+%04X: %d, %d", (unsigned)c, under_narrow, under_wide);
        }
    }
}
END_TEST

START_TEST(every_unified_ideograph_takes_two_columns) {
    for (uint32_t c = 0x4E00; c <= 0x9FFF; c++) {
        ck_assert_msg(width_code_point(c, &narrow) == 2, "U+%04X", (unsigned)c);
    }
}
END_TEST

struct decoding {
    const char *id;
    const char *text;
    uint32_t expected[4]; /* 0 ends */
};

static const struct decoding decodings[] = {
    {"empty", "", {0}},
    {"ascii", "ab", {'a', 'b'}},
    {"two bytes", "\xC3\x97", {0xD7}},
    {"three bytes", "\xE4\xB8\x80x", {0x4E00, 'x'}},
    {"four bytes", "\xF0\x9F\x98\x80", {0x1F600}},
    {"lone continuation", "\x80z", {0xFFFD, 'z'}},
    {"cut two bytes", "\xC3", {0xFFFD}},
    {"cut three bytes", "\xE4\xB8", {0xFFFD, 0xFFFD}},
    {"overlong", "\xC0\x80", {0xFFFD, 0xFFFD}},
    {"overlong three", "\xE0\x80\x80", {0xFFFD, 0xFFFD, 0xFFFD}},
    {"surrogate", "\xED\xA0\x80", {0xFFFD, 0xFFFD, 0xFFFD}},
    {"past the end", "\xF4\x90\x80\x80", {0xFFFD, 0xFFFD, 0xFFFD, 0xFFFD}},
    {"bad lead", "\xFFq", {0xFFFD, 'q'}},
};

START_TEST(text_is_decoded_and_broken_bytes_are_replaced_one_by_one) {
    const struct decoding *d = &decodings[_i];
    size_t at = 0;
    for (size_t i = 0; i < 4; i++) {
        uint32_t c = width_decode(d->text, &at);
        ck_assert_msg(c == d->expected[i], "%s: item %zu is U+%04X", d->id, i, (unsigned)c);
        if (c == 0) {
            break;
        }
    }
    ck_assert_msg(at == strlen(d->text), "%s: stopped at %zu", d->id, at);
}
END_TEST

struct measure {
    const char *text;
    int narrow, wide;
};

static const struct measure measures[] = {
    {"", 0, 0},
    {"optimizer", 9, 9},
    {"优化器状态", 10, 10},
    {"12Ψ/8", 5, 6},
    {"ZeRO 阶段", 9, 9},
    {"2.91●", 5, 6},
    {"e\xCC\x81"
     "t",
     2, 2},
    {"，。", 4, 4},
};

START_TEST(a_text_is_as_wide_as_its_characters) {
    const struct measure *m = &measures[_i];
    ck_assert_msg(width_text(m->text, &narrow) == m->narrow, "%s narrow", m->text);
    ck_assert_msg(width_text(m->text, &wide) == m->wide, "%s wide", m->text);
}
END_TEST

START_TEST(a_prefix_never_splits_a_character_or_its_marks) {
    const char *text = "a优e\xCC\x81"
                       "b";
    const size_t ends[] = {0, 1, 1, 4, 7, 8, 8};
    for (int columns = 0; columns <= 6; columns++) {
        size_t length = width_prefix(text, columns, &narrow);
        ck_assert_msg(length == ends[columns], "%d columns: %zu bytes", columns, length);
    }
    ck_assert_uint_eq(width_prefix(text, -3, &narrow), 0);
}
END_TEST

struct padding {
    const char *text;
    int columns;
    const char *left, *right;
};

static const struct padding paddings[] = {
    {"ab", 4, "ab  ", "  ab"},        {"权重", 6, "权重  ", "  权重"},
    {"权重", 4, "权重", "权重"},      {"权重和梯度", 6, "权重… ", "权重… "},
    {"weights", 5, "weig…", "weig…"}, {"weights", 1, "…", "…"},
    {"weights", 0, "", ""},           {"", 3, "   ", "   "},
};

START_TEST(padding_and_cutting_give_exactly_the_columns) {
    const struct padding *p = &paddings[_i];
    char buffer[64];
    struct writer w;
    writer_start(&w, buffer, sizeof buffer);
    width_write_left(&w, p->text, p->columns, &narrow);
    ck_assert_str_eq(buffer, p->left);
    writer_start(&w, buffer, sizeof buffer);
    width_write_right(&w, p->text, p->columns, &narrow);
    ck_assert_str_eq(buffer, p->right);
}
END_TEST

static Suite *suite(void) {
    Suite *s = suite_create("width");
    TCase *t = tcase_create("columns");
    tcase_set_timeout(t, 30);
    int count = (int)(sizeof characters / sizeof characters[0]);
    tcase_add_loop_test(t, a_character_has_its_width_under_both_rules, 0, count);
    tcase_add_test(t, no_character_is_wider_than_two_or_narrower_under_the_wide_rule);
    tcase_add_test(t, every_unified_ideograph_takes_two_columns);
    count = (int)(sizeof decodings / sizeof decodings[0]);
    tcase_add_loop_test(t, text_is_decoded_and_broken_bytes_are_replaced_one_by_one, 0, count);
    count = (int)(sizeof measures / sizeof measures[0]);
    tcase_add_loop_test(t, a_text_is_as_wide_as_its_characters, 0, count);
    tcase_add_test(t, a_prefix_never_splits_a_character_or_its_marks);
    count = (int)(sizeof paddings / sizeof paddings[0]);
    tcase_add_loop_test(t, padding_and_cutting_give_exactly_the_columns, 0, count);
    suite_add_tcase(s, t);
    return s;
}

#include "support/check_main.h"
