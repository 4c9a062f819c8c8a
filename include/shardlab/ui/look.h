/* How the same cells may look: glyph set, language and units. Passed down to everything that draws. */
#ifndef UI_LOOK_H
#define UI_LOOK_H

#include <stdbool.h>

#include "shardlab/base/words.h"
#include "shardlab/ui/grid.h"

struct look {
    const struct words *words;
    bool ascii; /* no box, block or other non-ASCII drawing glyphs; CJK text stays */
    /* The same as the grid's. Where ambiguous characters are wide, a line glyph would take two columns, so
     * drawing uses the ASCII set there too. */
    struct width_rules rules;
};

/* True when drawing keeps to the ASCII set. */
bool ui_look_plain(const struct look *look);

/* The glyphs that drawing uses, one row a meaning, UTF-8 and ASCII. */
enum ui_glyph {
    UI_GLYPH_HORIZONTAL,  /* ─ - */
    UI_GLYPH_VERTICAL,    /* │ | */
    UI_GLYPH_TEE_DOWN,    /* ┬ + */
    UI_GLYPH_TEE_UP,      /* ┴ + */
    UI_GLYPH_TEE_RIGHT,   /* ├ + */
    UI_GLYPH_KNOB,        /* ● * */
    UI_GLYPH_KNOB_HOLLOW, /* ○ o : a stop that validation refuses */
    UI_GLYPH_POINTER,     /* › > : the focused row */
    UI_GLYPH_DO,          /* ▸ > : something to do */
    UI_GLYPH_LINK,        /* → -> */
    UI_GLYPH_CAPACITY,    /* ┊ ! : the card's limit in a bar */
    UI_GLYPH_MINUS,       /* − - */
    UI_GLYPH_UNKNOWN,     /* — -- */
    UI_GLYPH_PICK_LEFT,   /* ‹ < : either side of a name to choose */
    UI_GLYPH_PICK_RIGHT,  /* › > */
    UI_GLYPH_MORE,        /* … ... : left out */
    UI_GLYPH_EQUAL,       /* ✓ = : predicted and measured agree */
    UI_GLYPH_DIFFERS,     /* ≠ != */
    UI_GLYPH_WITHIN,      /* ≤ <= : measured is at most what was predicted */
    UI_GLYPHS
};
const char *ui_glyph(const struct look *look, enum ui_glyph glyph);

/* The pattern with which a part fills a bar: colour is never alone. */
const char *ui_pattern(const struct look *look, enum ui_role role);

#endif
