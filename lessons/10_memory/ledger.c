/* The two pictures that every page of the memory lesson shows: the ledger of one GPU and the bar against its
 * card. Both are made from the same calc_memory, so their totals are the calculator's total.
 * Writes into the view that the caller passes; keeps nothing.
 * Proof: tests/unit/lessons/test_memory_lesson.c. */
#include "memory_private.h"

#include <assert.h>
#include <string.h>

#include "shardlab/view/width.h"

/* Where the short formula of a row ends: what a ledger can show beside its numbers in 80 columns. */
enum { FORMULA_COLUMNS = 30 };

struct part_look {
    const char *label;
    enum view_role role;
};

static const struct part_look part_looks[CALC_PARTS] = {
    [CALC_PART_WEIGHTS] = {"part.weights", VIEW_ROLE_WEIGHTS},
    [CALC_PART_GRADIENTS] = {"part.gradients", VIEW_ROLE_GRADIENTS},
    [CALC_PART_OPTIMIZER] = {"part.optimizer", VIEW_ROLE_OPTIMIZER},
    [CALC_PART_ACTIVATIONS] = {"part.activations", VIEW_ROLE_ACTIVATIONS},
    [CALC_PART_BUFFERS] = {"part.buffers", VIEW_ROLE_BUFFERS},
};

/* A term's id as the calculator gives it is the tail of its message id; a view needs the whole as a literal. */
static const char *const term_messages[] = {
    "term.weights",
    "term.weights.gathered",
    "term.weights.scales",
    "term.gradients",
    "term.gradients.fp32_copy",
    "term.optimizer",
    "term.optimizer.elsewhere",
    "term.optimizer.elsewhere.experts",
    "term.optimizer.factored",
    "term.optimizer.factored.experts",
    "term.buffers.largest_module",
    "term.buffers.framework",
    "term.buffers.gathered",
    "term.activations.norm_inputs",
    "term.activations.matrix_inputs",
    "term.activations.qkv",
    "term.activations.qk_norm",
    "term.activations.attention_output",
    "term.activations.scores",
    "term.activations.statistics",
    "term.activations.ffn",
    "term.activations.dropout_masks",
    "term.weights.experts",
    "term.gradients.experts",
    "term.gradients.fp32_copy.experts",
    "term.optimizer.experts",
    "term.activations.latents",
    "term.activations.latent_heads",
    "term.activations.rotary_key",
    "term.activations.router",
    "term.activations.expert_inputs",
    "term.activations.experts",
    "term.activations.shared_experts",
    "term.activations.checkpoints",
    "term.activations.working_layer",
    "term.activations.head",
    "term.activations.logits",
    "term.phase.model",
    "term.phase.gradients",
    "term.phase.optimizer",
    "term.phase.step",
};

const char *memory_term_message(const char *id) {
    const size_t prefix = strlen("term.");
    for (size_t i = 0; i < sizeof(term_messages) / sizeof(term_messages[0]); i++) {
        if (strcmp(term_messages[i] + prefix, id) == 0) {
            return term_messages[i];
        }
    }
    return id; /* shown as itself */
}

static bool part_known(const struct calc_memory *m, int part) {
    return !m->phases && (part != CALC_PART_ACTIVATIONS || m->activations_known) &&
           (part != CALC_PART_BUFFERS || m->buffers_known);
}

static int columns_of(const char *text) {
    const struct width_rules narrow = {.ambiguous_wide = false};
    return width_text(text, &narrow);
}

/* Bytes of what a formula is multiplied by ("L × "), 0 when it is no product; said once for all that share it. */
static size_t factor_length(const struct calc_term *term) {
    static const char times[] = " × ";
    const char *found = strstr(term->formula, times);
    return found == NULL ? 0 : (size_t)(found - term->formula) + strlen(times);
}

static bool same_factor(const struct calc_term *a, const struct calc_term *b) {
    size_t length = factor_length(a);
    return length > 0 && length == factor_length(b) && strncmp(a->formula, b->formula, length) == 0;
}

/* The index of the next term of `part` that is not nothing, from `at` on; d->count: none. */
static int next_term(const struct calc_derivation *d, int part, int at) {
    while (at < d->count && ((int)d->terms[at].part != part || d->terms[at].bytes == 0)) {
        at++;
    }
    return at;
}

/* "12Ψ/N" as "12Ψ/8", or "12Ψ" on one rank: the learner's own number of ranks. */
static void write_tail(struct writer *w, const char *formula, uint64_t ranks) {
    size_t length = strlen(formula);
    if (length > 2 && strcmp(formula + length - 2, "/N") == 0) {
        writer_text_n(w, formula, ranks == 1 ? length - 2 : length - 1);
        if (ranks > 1) {
            writer_u64(w, ranks);
        }
    } else {
        writer_text(w, formula);
    }
}

/* The formulas of a part's terms as one sum, as far as the column reaches: L × (4sbh + 4sbh + …). */
static void write_formula(const struct calc_derivation *d, int part, uint64_t ranks,
                          char out[VIEW_FORMULA_MAX]) {
    struct writer w;
    writer_start(&w, out, VIEW_FORMULA_MAX);
    bool bracket = false;
    for (int i = next_term(d, part, 0); i < d->count;) {
        const struct calc_term *term = &d->terms[i];
        int next = next_term(d, part, i + 1);
        bool more = next < d->count && same_factor(term, &d->terms[next]);
        const char *tail = bracket ? term->formula + factor_length(term) : term->formula;
        if (w.length > 0 && columns_of(out) + columns_of(tail) + 8 > FORMULA_COLUMNS) {
            writer_text(&w, " + …");
            break;
        }
        writer_text(&w, w.length > 0 ? " + " : "");
        if (!bracket && more) {
            writer_text_n(&w, term->formula, factor_length(term));
            writer_char(&w, '(');
            tail = term->formula + factor_length(term);
            bracket = true;
        }
        write_tail(&w, tail, ranks);
        if (bracket && !more) {
            writer_char(&w, ')');
            bracket = false;
        }
        i = next;
    }
    writer_text(&w, bracket ? ")" : "");
}

void memory_part_look(int part, const char **label, enum view_role *role) {
    *label = part_looks[part].label;
    *role = part_looks[part].role;
}

void memory_part_formula(const struct scenario *s, const struct calc_memory *m, int part,
                         char out[VIEW_FORMULA_MAX]) {
    write_formula(&m->derivation, part, memory_sharding_ranks(s, s->layout.dp), out);
}

static void add_line(struct view_ledger *ledger, const struct calc_term *term) {
    assert(ledger->line_count < VIEW_LEDGER_LINES_MAX);
    struct view_line *line = &ledger->lines[ledger->line_count++];
    struct writer w;
    line->id = memory_term_message(term->id);
    writer_start(&w, line->formula, sizeof line->formula);
    writer_text(&w, term->formula);
    writer_start(&w, line->substituted, sizeof line->substituted);
    writer_text(&w, term->substituted);
    line->bytes = term->bytes;
    line->source = term->source;
}

static void add_lines(struct view_ledger *ledger, struct view_row *row,
                      const struct calc_derivation *d, int part) {
    row->first_line = ledger->line_count;
    for (int i = 0; i < d->count; i++) {
        if ((int)d->terms[i].part == part) {
            add_line(ledger, &d->terms[i]);
        }
    }
    row->line_count = ledger->line_count - row->first_line;
}

/* The part is kept elsewhere: its formula says where. */
static bool part_left(const struct scenario *s, int part) {
    return (s->layout.offload != CALC_OFFLOAD_NONE &&
            (part == CALC_PART_GRADIENTS || part == CALC_PART_OPTIMIZER)) ||
           (s->layout.offload == CALC_OFFLOAD_PARAMS && part == CALC_PART_WEIGHTS);
}

static void add_part_row(struct view_ledger *ledger, int part, const struct scenario *s,
                         const struct memory_states *states) {
    struct view_row *row = &ledger->rows[ledger->row_count++];
    row->key = calc_part_name((enum calc_part)part);
    row->label = part_looks[part].label;
    row->role = part_looks[part].role;
    memory_part_formula(s, &states->now, part, row->formula);
    if (row->formula[0] == '\0' && part_left(s, part)) {
        struct writer w;
        writer_start(&w, row->formula, sizeof row->formula);
        writer_text(&w, s->layout.offload_to == CALC_OFFLOAD_TO_NVME ? "→ NVMe" : "→ CPU");
    }
    row->known = part_known(&states->now, part);
    row->bytes = states->now.part_bytes[part];
    row->has_before = states->has_before && row->known && part_known(&states->before, part);
    row->before = row->has_before ? states->before.part_bytes[part] : 0;
    add_lines(ledger, row, &states->now.derivation, part);
}

static void add_total_row(struct view_ledger *ledger, const struct memory_states *states) {
    struct view_row *row = &ledger->rows[ledger->row_count++];
    row->key = "total";
    row->label = "part.total";
    row->role = VIEW_ROLE_TOTAL;
    row->known = true;
    row->bytes = states->now.total_bytes;
    /* A total without activations is no measure for one with them. */
    row->has_before = states->has_before && states->before.phases == states->now.phases &&
                      states->before.activations_known == states->now.activations_known;
    row->before = row->has_before ? states->before.total_bytes : 0;
    row->first_line = ledger->line_count;
}

/* Convention hf: a row a phase, and the largest of them where the sum of the parts else stands. */
static void add_phase_rows(struct view_ledger *ledger, const struct memory_states *states) {
    const struct calc_derivation *d = &states->now.derivation;
    const struct calc_term *largest = &d->terms[0];
    for (int i = 0; i < d->count; i++) {
        struct view_row *row = &ledger->rows[ledger->row_count++];
        struct writer w;
        row->key = d->terms[i].id;
        row->label = memory_term_message(d->terms[i].id);
        row->role = VIEW_ROLE_PLAIN;
        writer_start(&w, row->formula, sizeof row->formula);
        writer_text(&w, d->terms[i].formula);
        row->known = true;
        row->bytes = d->terms[i].bytes;
        row->has_before = states->has_before && states->before.phases;
        row->before = row->has_before ? states->before.derivation.terms[i].bytes : 0;
        row->first_line = ledger->line_count;
        row->line_count = 1;
        add_line(ledger, &d->terms[i]);
        largest = d->terms[i].bytes > largest->bytes ? &d->terms[i] : largest;
    }
    add_total_row(ledger, states);
    struct view_row *total = &ledger->rows[ledger->row_count - 1];
    total->label = "part.largest_phase";
    total->line_count = 1;
    add_line(ledger, largest);
}

void memory_ledger_add(struct view *out, const struct scenario *s,
                       const struct memory_states *states) {
    struct view_ledger *ledger = &view_add(out, VIEW_KIND_LEDGER)->ledger;
    if (s->layout.pp > 1) {
        message_start(&ledger->title, "view.one_gpu_of_stage");
        message_add_plain(&ledger->title, states->now.stage);
    } else {
        message_start(&ledger->title, "view.one_gpu");
    }
    if (states->now.phases) {
        add_phase_rows(ledger, states);
        return;
    }
    for (int part = 0; part < CALC_PARTS; part++) {
        add_part_row(ledger, part, s, states);
    }
    add_total_row(ledger, states);
}

static void judge(struct message *verdict, const struct scenario *s,
                  const struct calc_memory *now) {
    uint64_t capacity = scenario_capacity_bytes(s);
    if (capacity == 0) {
        message_start(verdict, s->cluster.gpu[0] != '\0' ? "view.verdict.unknown_size"
                                                         : "view.verdict.no_card");
    } else if (now->total_bytes > capacity) {
        message_start(verdict, "view.verdict.over");
        message_add_bytes(verdict, now->total_bytes - capacity);
    } else {
        message_start(verdict, now->activations_known || now->phases ? "view.verdict.fits"
                                                                     : "view.verdict.states_fit");
        message_add_bytes(verdict, capacity - now->total_bytes);
    }
}

void memory_bar_add(struct view *out, const struct scenario *s, const struct calc_memory *now) {
    struct view_bar *bar = &view_add(out, VIEW_KIND_BAR)->bar;
    message_start(&bar->title, "view.on_the_card");
    for (int part = 0; part < CALC_PARTS; part++) {
        if (part_known(now, part)) {
            struct view_segment *segment = &bar->segments[bar->segment_count++];
            segment->key = calc_part_name((enum calc_part)part);
            segment->label = part_looks[part].label;
            segment->role = part_looks[part].role;
            segment->bytes = now->part_bytes[part];
        }
    }
    bar->total_bytes = now->total_bytes;
    bar->capacity_bytes = scenario_capacity_bytes(s);
    bar->has_capacity = bar->capacity_bytes > 0;
    struct writer w;
    writer_start(&w, bar->capacity_name, sizeof bar->capacity_name);
    writer_text(&w, s->cluster.memory > 0 ? "" : s->cluster.gpu);
    judge(&bar->verdict, s, now);
}
