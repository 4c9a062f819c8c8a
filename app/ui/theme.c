/* How each meaning looks: one row a role, one column a tier. Colours are chosen to be read on dark
 * and on light backgrounds (256 colours: middle lightness, contrast at least 3.4 to black and to
 * white) and for eyes that do not separate red and green: weights blue, optimizer orange. In mono,
 * what colour would say is said by attributes here and by letters, patterns and places elsewhere.
 * `term` turns styles into pairs. Proof: tests/unit/ui/test_theme.c. */
#include "shardlab/ui/theme.h"

#include <assert.h>

enum {
    BOLD = UI_ATTR_BOLD,
    DIM = UI_ATTR_DIM,
    REVERSE = UI_ATTR_REVERSE,
    LINE = UI_ATTR_UNDERLINE
};

struct theme_row {
    char letter;
    struct ui_style style[UI_TIERS]; /* mono, 8, 256 */
};

static const struct theme_row theme[UI_ROLES] = {
    [UI_ROLE_TEXT] = {'.', {{-1, 0}, {-1, 0}, {-1, 0}}},
    [UI_ROLE_DIM] = {'d', {{-1, DIM}, {-1, DIM}, {244, 0}}},
    [UI_ROLE_STRONG] = {'s', {{-1, BOLD}, {-1, BOLD}, {-1, BOLD}}},
    [UI_ROLE_TITLE] = {'t', {{-1, BOLD}, {-1, BOLD}, {-1, BOLD}}},
    [UI_ROLE_ACCENT] = {'a', {{-1, LINE}, {6, 0}, {31, 0}}},
    [UI_ROLE_CURSOR] = {'c', {{-1, REVERSE}, {6, BOLD | REVERSE}, {31, BOLD | REVERSE}}},
    [UI_ROLE_LINE] = {'l', {{-1, DIM}, {-1, DIM}, {244, 0}}},
    [UI_ROLE_KEY] = {'k', {{-1, BOLD}, {-1, BOLD}, {-1, BOLD}}},
    [UI_ROLE_WARNING] = {'!', {{-1, BOLD | REVERSE}, {1, BOLD}, {160, BOLD}}},
    [UI_ROLE_GOOD] = {'+', {{-1, BOLD}, {2, 0}, {28, 0}}},
    [UI_ROLE_CHANGED] = {'*', {{-1, BOLD}, {-1, BOLD}, {-1, BOLD}}},
    [UI_ROLE_EMPHASIS] = {'e', {{-1, LINE}, {-1, LINE}, {-1, LINE}}},
    [UI_ROLE_CODE] = {'x', {{-1, BOLD}, {-1, BOLD}, {-1, BOLD}}},
    [UI_ROLE_WEIGHTS] = {'W', {{-1, 0}, {4, 0}, {32, 0}}},
    [UI_ROLE_GRADIENTS] = {'G', {{-1, 0}, {5, 0}, {133, 0}}},
    [UI_ROLE_OPTIMIZER] = {'O', {{-1, 0}, {3, 0}, {166, 0}}},
    [UI_ROLE_ACTIVATIONS] = {'A', {{-1, 0}, {2, 0}, {64, 0}}},
    [UI_ROLE_BUFFERS] = {'B', {{-1, 0}, {-1, DIM}, {244, 0}}},
    [UI_ROLE_MATCH] = {'m', {{-1, BOLD | LINE}, {-1, BOLD | LINE}, {-1, BOLD | LINE}}},
    /* Blocks of time are filled; what they are is said by their letters and signs. */
    [UI_ROLE_FORWARD] = {'f', {{-1, 0}, {4, REVERSE}, {68, REVERSE}}},
    [UI_ROLE_BACKWARD] = {'b', {{-1, BOLD}, {5, REVERSE}, {98, REVERSE}}},
    [UI_ROLE_WEIGHT_GRAD] = {'w', {{-1, LINE}, {3, REVERSE}, {94, REVERSE}}},
};

struct ui_style ui_theme_style(enum ui_role role, enum ui_tier tier) {
    assert(role < UI_ROLES && tier < UI_TIERS);
    return theme[role].style[tier];
}

char ui_role_letter(enum ui_role role) {
    assert(role < UI_ROLES);
    return theme[role].letter;
}
