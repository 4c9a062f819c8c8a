/* The pieces of the memory views, shared by the lesson *memory* and by `shardlab mem`: one GPU as a ledger, as a
 * bar against its card, and what the numbers leave out. Pure; each appends to the caller's view. */
#ifndef LESSON_MEMORY_VIEW_H
#define LESSON_MEMORY_VIEW_H

#include "shardlab/calc/memory.h"
#include "shardlab/view/view.h"

/* One GPU, now and before the last move. */
struct memory_states {
    struct calc_memory now;
    struct calc_memory before; /* meaningless unless has_before */
    bool has_before;
};

/* The ledger of one GPU: a row a part, the total last, every term of the derivation under its part. */
void memory_ledger_add(struct view *out, const struct scenario *s,
                       const struct memory_states *states);

/* The message id of a term's name, "term.<id>", for an id as calc_derivation has it; its why is "<that>.why". */
const char *memory_term_message(const char *id);

/* The parts against the card, with the verdict. */
void memory_bar_add(struct view *out, const struct scenario *s, const struct calc_memory *now);

/* Live bytes through one step as a chart with its peak. */
void memory_timeline_add(struct view *out, const struct scenario *s, const struct calc_memory *now);

/* The scenario under every convention as one matrix, a column each in the order of enum calc_convention: parts, total,
 * bytes per parameter, ZeRO stages defined; cells that differ from the convention in use are marked, and remarks say
 * why. `applied` has its presets but is not resolved: what was given wins under every convention, the rest follows it.
 * A column that the convention does not define for this scenario is not defined, and says so. `stage`: of the
 * pipeline; NULL: under each convention the one with the largest total. */
void memory_conventions_add(struct view *out, const struct scenario *applied,
                            const uint64_t *stage);

/* What the numbers leave out in this scenario; adds nothing when there is nothing to say. */
void memory_notes_add(struct view *out, const struct scenario *s, const struct calc_memory *now);

#endif
