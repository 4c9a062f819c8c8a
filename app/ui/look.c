/* Glyphs and patterns in two sets: drawing characters, and ASCII for terminals, locales and logs
 * that have no others. Formulas and sentences are text, not glyphs, and stay as they are. Proof:
 * tests/unit/ui/test_theme.c. */
#include "shardlab/ui/look.h"

#include "shardlab/view/shape.h"

bool ui_look_plain(const struct look *look) {
    return look->ascii || look->rules.ambiguous_wide;
}

const char *ui_glyph(const struct look *look, enum ui_glyph glyph) {
    static const char *const glyphs[UI_GLYPHS][2] = {
        [UI_GLYPH_HORIZONTAL] = {"─", "-"},  [UI_GLYPH_VERTICAL] = {"│", "|"},
        [UI_GLYPH_TEE_DOWN] = {"┬", "+"},    [UI_GLYPH_TEE_UP] = {"┴", "+"},
        [UI_GLYPH_TEE_RIGHT] = {"├", "+"},   [UI_GLYPH_KNOB] = {"●", "*"},
        [UI_GLYPH_KNOB_HOLLOW] = {"○", "o"}, [UI_GLYPH_POINTER] = {"›", ">"},
        [UI_GLYPH_DO] = {"▸", ">"},          [UI_GLYPH_LINK] = {"→", "->"},
        [UI_GLYPH_CAPACITY] = {"┊", "!"},    [UI_GLYPH_MINUS] = {"−", "-"},
        [UI_GLYPH_UNKNOWN] = {"—", "--"},    [UI_GLYPH_PICK_LEFT] = {"‹", "<"},
        [UI_GLYPH_PICK_RIGHT] = {"›", ">"},  [UI_GLYPH_MORE] = {"…", "..."},
        [UI_GLYPH_EQUAL] = {"✓", "="},       [UI_GLYPH_DIFFERS] = {"≠", "!="},
        [UI_GLYPH_WITHIN] = {"≤", "<="},
    };
    return glyphs[glyph][ui_look_plain(look) ? 1 : 0];
}

static enum view_role view_role_of(enum ui_role role) {
    switch (role) {
    case UI_ROLE_WEIGHTS:
        return VIEW_ROLE_WEIGHTS;
    case UI_ROLE_GRADIENTS:
        return VIEW_ROLE_GRADIENTS;
    case UI_ROLE_OPTIMIZER:
        return VIEW_ROLE_OPTIMIZER;
    case UI_ROLE_ACTIVATIONS:
        return VIEW_ROLE_ACTIVATIONS;
    case UI_ROLE_BUFFERS:
        return VIEW_ROLE_BUFFERS;
    default:
        return VIEW_ROLE_PLAIN;
    }
}

const char *ui_pattern(const struct look *look, enum ui_role role) {
    return view_pattern(view_role_of(role), ui_look_plain(look));
}
