/* The theme and the glyphs: every role has a letter of its own and a style in every tier, mono says
 * by attributes what colour would say, 256 colours keep their contrast on black and on white, and
 * the ASCII set is ASCII. */
#include <check.h>
#include <math.h>

#include "shardlab/ui/look.h"
#include "shardlab/ui/theme.h"

START_TEST(every_role_has_a_letter_of_its_own) {
    char letter = ui_role_letter((enum ui_role)_i);
    ck_assert_int_gt(letter, ' ');
    ck_assert_int_lt(letter, 0x7F);
    for (int other = 0; other < _i; other++) {
        ck_assert_int_ne(letter, ui_role_letter((enum ui_role)other));
    }
}
END_TEST

START_TEST(mono_has_no_colour) {
    ck_assert_int_eq(ui_theme_style((enum ui_role)_i, UI_TIER_MONO).foreground, -1);
}
END_TEST

START_TEST(mono_marks_what_colour_would_mark) {
    const enum ui_role marked[] = {
        UI_ROLE_STRONG,  UI_ROLE_TITLE, UI_ROLE_ACCENT,  UI_ROLE_CURSOR,   UI_ROLE_KEY,
        UI_ROLE_WARNING, UI_ROLE_GOOD,  UI_ROLE_CHANGED, UI_ROLE_EMPHASIS, UI_ROLE_CODE};
    for (size_t i = 0; i < sizeof marked / sizeof marked[0]; i++) {
        ck_assert_msg(ui_theme_style(marked[i], UI_TIER_MONO).attributes != 0, "role %c",
                      ui_role_letter(marked[i]));
    }
    unsigned cursor = ui_theme_style(UI_ROLE_CURSOR, UI_TIER_MONO).attributes;
    ck_assert_uint_ne(cursor, ui_theme_style(UI_ROLE_STRONG, UI_TIER_MONO).attributes);
    ck_assert_uint_ne(cursor, ui_theme_style(UI_ROLE_WARNING, UI_TIER_MONO).attributes);
}
END_TEST

START_TEST(a_tier_names_only_its_own_colours) {
    short eight = ui_theme_style((enum ui_role)_i, UI_TIER_8).foreground;
    short many = ui_theme_style((enum ui_role)_i, UI_TIER_256).foreground;
    ck_assert(eight >= -1 && eight < 8);
    ck_assert(many == -1 || (many >= 16 && many < 256)); /* the first 16 are the user's own */
}
END_TEST

static double channel(int level) {
    double share = level / 255.0;
    return share <= 0.04045 ? share / 12.92 : pow((share + 0.055) / 1.055, 2.4);
}

static double luminance(int colour) {
    int rgb[3];
    if (colour >= 232) {
        rgb[0] = rgb[1] = rgb[2] = 8 + 10 * (colour - 232);
    } else {
        const int parts[3] = {(colour - 16) / 36, (colour - 16) / 6 % 6, (colour - 16) % 6};
        for (int i = 0; i < 3; i++) {
            rgb[i] = parts[i] == 0 ? 0 : 55 + 40 * parts[i];
        }
    }
    return 0.2126 * channel(rgb[0]) + 0.7152 * channel(rgb[1]) + 0.0722 * channel(rgb[2]);
}

START_TEST(colours_are_read_on_black_and_on_white) {
    short colour = ui_theme_style((enum ui_role)_i, UI_TIER_256).foreground;
    if (colour < 0) {
        return;
    }
    double light = luminance(colour);
    ck_assert_msg(1.05 / (light + 0.05) >= 3.4, "role %c on white: %.2f",
                  ui_role_letter((enum ui_role)_i), 1.05 / (light + 0.05));
    ck_assert_msg((light + 0.05) / 0.05 >= 3.4, "role %c on black: %.2f",
                  ui_role_letter((enum ui_role)_i), (light + 0.05) / 0.05);
}
END_TEST

START_TEST(the_four_parts_have_four_colours) {
    const enum ui_role parts[] = {UI_ROLE_WEIGHTS, UI_ROLE_GRADIENTS, UI_ROLE_OPTIMIZER,
                                  UI_ROLE_ACTIVATIONS, UI_ROLE_ACCENT};
    for (int tier = UI_TIER_8; tier < UI_TIERS; tier++) {
        for (size_t a = 0; a < 5; a++) {
            for (size_t b = 0; b < a; b++) {
                ck_assert_int_ne(ui_theme_style(parts[a], (enum ui_tier)tier).foreground,
                                 ui_theme_style(parts[b], (enum ui_tier)tier).foreground);
            }
        }
    }
}
END_TEST

START_TEST(a_plain_look_draws_with_ascii) {
    struct look ascii = {.ascii = true};
    struct look wide = {.rules = {true}};
    struct look full = {.ascii = false};
    for (int glyph = 0; glyph < UI_GLYPHS; glyph++) {
        const char *text = ui_glyph(&ascii, (enum ui_glyph)glyph);
        ck_assert(text[0] != '\0' && ui_glyph(&full, (enum ui_glyph)glyph)[0] != '\0');
        ck_assert_str_eq(text, ui_glyph(&wide, (enum ui_glyph)glyph));
        for (const char *p = text; *p != '\0'; p++) {
            ck_assert_int_eq((unsigned char)*p & 0x80, 0);
        }
    }
    ck_assert_str_eq(ui_pattern(&ascii, UI_ROLE_WEIGHTS), "#");
    ck_assert_str_eq(ui_pattern(&full, UI_ROLE_WEIGHTS), "█");
}
END_TEST

static Suite *suite(void) {
    Suite *s = suite_create("theme");
    TCase *t = tcase_create("roles");
    tcase_add_loop_test(t, every_role_has_a_letter_of_its_own, 0, UI_ROLES);
    tcase_add_loop_test(t, mono_has_no_colour, 0, UI_ROLES);
    tcase_add_test(t, mono_marks_what_colour_would_mark);
    tcase_add_loop_test(t, a_tier_names_only_its_own_colours, 0, UI_ROLES);
    tcase_add_loop_test(t, colours_are_read_on_black_and_on_white, 0, UI_ROLES);
    tcase_add_test(t, the_four_parts_have_four_colours);
    tcase_add_test(t, a_plain_look_draws_with_ascii);
    suite_add_tcase(s, t);
    return s;
}

#include "support/check_main.h"
