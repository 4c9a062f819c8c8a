/* How each role looks in each tier, one table: foreground (-1: the terminal's own), attributes. The background
 * always stays the terminal's. The mono column is complete, so colour never carries alone. */
#ifndef UI_THEME_H
#define UI_THEME_H

#include "shardlab/ui/grid.h"

enum ui_tier { UI_TIER_MONO, UI_TIER_8, UI_TIER_256, UI_TIERS };

enum { UI_ATTR_BOLD = 1, UI_ATTR_DIM = 2, UI_ATTR_REVERSE = 4, UI_ATTR_UNDERLINE = 8 };

struct ui_style {
    short foreground;    /* -1: default */
    unsigned attributes; /* UI_ATTR_* */
};

/* Readable on dark and on light backgrounds. */
struct ui_style ui_theme_style(enum ui_role role, enum ui_tier tier);
char ui_role_letter(enum ui_role role);

#endif
