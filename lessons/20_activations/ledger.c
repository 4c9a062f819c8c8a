/* Page 2: the activations of one GPU, operator by operator, each row with its derivation, and one layer in units of
 * s·b·h bytes, in which papers write it. Terms are the memory calculator's; nothing is added here but their sum.
 * Appends to the caller's view. Proof: tests/unit/lessons/test_activations.c. */
#include <assert.h>
#include <string.h>

#include "activations_private.h"

static const struct calc_term *term_of(const struct calc_memory *memory, const char *id) {
    for (int i = 0; i < memory->derivation.count; i++) {
        if (strcmp(memory->derivation.terms[i].id, id) == 0) {
            return &memory->derivation.terms[i];
        }
    }
    return NULL;
}

static void add_line(struct view_ledger *ledger, struct view_row *row,
                     const struct calc_term *term) {
    struct view_line *line = &ledger->lines[ledger->line_count];
    struct writer w;
    row->first_line = ledger->line_count++;
    row->line_count = 1;
    line->id = memory_term_message(term->id);
    writer_start(&w, line->formula, sizeof line->formula);
    writer_text(&w, term->formula);
    writer_start(&w, line->substituted, sizeof line->substituted);
    writer_text(&w, term->substituted);
    line->bytes = term->bytes;
    line->source = term->source;
}

static void add_row(struct view_ledger *ledger, const struct calc_term *term,
                    const struct calc_memory *before) {
    assert(ledger->row_count < VIEW_ROWS_MAX - 1); /* the total has its row */
    struct view_row *row = &ledger->rows[ledger->row_count++];
    const struct calc_term *then = before != NULL ? term_of(before, term->id) : NULL;
    struct writer w;
    row->key = term->id;
    row->label = memory_term_message(term->id);
    row->role = VIEW_ROLE_ACTIVATIONS;
    writer_start(&w, row->formula, sizeof row->formula);
    writer_text(&w, term->formula);
    row->known = true;
    row->bytes = term->bytes;
    row->has_before = then != NULL;
    row->before = then != NULL ? then->bytes : 0;
    add_line(ledger, row, term);
}

void activations_ledger_add(struct view *out, const struct lesson_input *in,
                            const struct calc_memory *now) {
    struct view_ledger *ledger = &view_add(out, VIEW_KIND_LEDGER)->ledger;
    struct calc_memory then;
    bool has_before = in->before != NULL && activations_memory(in->before, &then);
    message_start(&ledger->title, in->now->layout.pp > 1 ? "lesson.activations.ledger.stage"
                                                         : "lesson.activations.ledger");
    message_add_plain(&ledger->title, now->stage);
    for (int i = 0; i < now->derivation.count; i++) {
        const struct calc_term *term = &now->derivation.terms[i];
        if (term->part == CALC_PART_ACTIVATIONS && term->bytes > 0) {
            add_row(ledger, term, has_before ? &then : NULL);
        }
    }
    struct view_row *total = &ledger->rows[ledger->row_count++];
    *total = (struct view_row){.key = "total",
                               .label = "part.total",
                               .role = VIEW_ROLE_TOTAL,
                               .known = true,
                               .bytes = now->part_bytes[CALC_PART_ACTIVATIONS],
                               .has_before = has_before,
                               .first_line = ledger->line_count};
    total->before = has_before ? then.part_bytes[CALC_PART_ACTIVATIONS] : 0;
}

static void add_layer_fact(struct view_facts *facts, const char *key, const char *label,
                           const struct activations_layer *layer) {
    struct view_fact *fact = &facts->facts[facts->fact_count++];
    fact->key = key;
    fact->label = label;
    message_start(&fact->value, layer->scores > 0 ? "lesson.activations.layer.both"
                                                  : "lesson.activations.layer.linear");
    message_add_real(&fact->value, layer->linear_sbh);
    message_add_real(&fact->value, layer->scores_sbh);
    message_add_bytes(&fact->value, layer->bytes);
}

/* One layer as it is written in papers: of this scenario, and of the shape that the well-known formula is for. */
void activations_layer_add(struct view *out, const struct scenario *s) {
    struct view_facts *facts = &view_add(out, VIEW_KIND_FACTS)->facts;
    struct scenario plain = *s, gpt;
    struct activations_layer layer;
    message_start(&facts->title, "lesson.activations.layer");
    plain.recipe.recompute =
        s->recipe.recompute == CALC_RECOMPUTE_FULL ? CALC_RECOMPUTE_NONE : s->recipe.recompute;
    if (activations_layer(&plain, &layer)) {
        add_layer_fact(facts, "layer", "lesson.activations.layer.here", &layer);
    }
    if (activations_gpt(&gpt) && activations_layer(&gpt, &layer)) {
        add_layer_fact(facts, "gpt_layer", "lesson.activations.layer.gpt", &layer);
    }
}
