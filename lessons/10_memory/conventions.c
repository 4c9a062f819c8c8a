/* The scenario as every convention counts it, beside each other, and why each differs from the one in use. What was
 * given wins under each of them, as when the convention itself is switched. The reasons are found by comparing what
 * the calculator returned: formulas, vocabulary, logits, buffers; none is written here. Appends to the caller's view
 * and keeps nothing. Proof: tests/unit/lessons/test_conventions.c. */
#include "memory_private.h"

#include <assert.h>
#include <string.h>

#include "shardlab/calc/option.h"
#include "shardlab/calc/params.h"

enum { CONVENTIONS = CALC_CONVENTION_HF + 1, FORMULA_MAX = VIEW_FORMULA_MAX };

/* Rows after the five parts. */
enum { ROW_TOTAL = CALC_PARTS, ROW_BYTES_PER_PARAM, ROW_STAGES, ROWS };

/* The scenario under one convention. */
struct counted {
    int convention;
    bool defined;
    struct message refusal; /* meaningless when defined */
    struct scenario s;
    struct calc_memory memory;
};

static const char *name_of(int convention) {
    return calc_option_at(calc_option_index("convention"))->choices[convention];
}

/* The ZeRO stages that a convention defines: "0", "0, 1", "0-3". */
static void write_stages(struct writer *w, int convention) {
    uint64_t first = 0, last = 3;
    while (first < last && !calc_convention_defines(convention, first)) {
        first++;
    }
    while (last > first && !calc_convention_defines(convention, last)) {
        last--;
    }
    writer_u64(w, first);
    if (last > first) {
        writer_text(w, last == first + 1 ? ", " : "-");
        writer_u64(w, last);
    }
}

static void refuse_stage(struct message *m, const struct scenario *s) {
    char stages[VIEW_CELL_TEXT_MAX];
    struct writer w;
    writer_start(&w, stages, sizeof stages);
    write_stages(&w, s->convention);
    message_start(m, "convention.undefined");
    message_add_plain(m, s->layout.zero);
    message_add_text(m, stages);
}

static void count(const struct scenario *applied, const uint64_t *stage, int convention,
                  struct counted *out) {
    struct message *why = &out->refusal;
    out->convention = convention;
    out->defined = false;
    out->s = *applied;
    if (calc_option_set(&out->s, calc_option_index("convention"), name_of(convention), why) !=
            STATUS_OK ||
        scenario_resolve(&out->s, &out->s, why) != STATUS_OK) {
        return;
    }
    if (!calc_convention_defines(convention, out->s.layout.zero)) {
        refuse_stage(why, &out->s);
        return;
    }
    if (scenario_violations(&out->s, why, 1) > 0) {
        return;
    }
    enum status ok = stage != NULL ? calc_memory_on_stage(&out->s, *stage, &out->memory, why)
                                   : calc_memory_worst(&out->s, &out->memory, why);
    out->defined = ok == STATUS_OK;
}

/* --- cells --- */

static bool part_known(const struct counted *c, int part) {
    return c->defined && !c->memory.phases &&
           (part != CALC_PART_ACTIVATIONS || c->memory.activations_known) &&
           (part != CALC_PART_BUFFERS || c->memory.buffers_known);
}

static void fill_bytes(struct view_cell *cell, uint64_t bytes) {
    cell->kind = VIEW_CELL_BYTES;
    cell->bytes = bytes;
}

static void fill_column(struct view_matrix *m, const struct counted *c) {
    int col = m->col_count++;
    m->cols[col].key = name_of(c->convention);
    m->cols[col].defined = c->defined;
    for (int part = 0; part < CALC_PARTS; part++) {
        if (part_known(c, part)) {
            fill_bytes(&m->cells[part][col], c->memory.part_bytes[part]);
        }
    }
    if (c->defined) {
        fill_bytes(&m->cells[ROW_TOTAL][col], c->memory.total_bytes);
        m->cells[ROW_BYTES_PER_PARAM][col].kind = VIEW_CELL_REAL;
        m->cells[ROW_BYTES_PER_PARAM][col].real = calc_state_bytes_average(&c->s);
    }
    struct writer w;
    m->cells[ROW_STAGES][col].kind = VIEW_CELL_TEXT;
    writer_start(&w, m->cells[ROW_STAGES][col].text, VIEW_CELL_TEXT_MAX);
    write_stages(&w, c->convention);
}

static void fill_rows(struct view_matrix *m) {
    for (int part = 0; part < CALC_PARTS; part++) {
        struct view_matrix_row *row = &m->rows[m->row_count++];
        row->key = calc_part_name((enum calc_part)part);
        memory_part_look(part, &row->label, &row->role);
    }
    m->rows[m->row_count++] =
        (struct view_matrix_row){"total", "part.total", VIEW_ROLE_TOTAL, true};
    m->rows[m->row_count++] = (struct view_matrix_row){
        "bytes_per_param", "convention.bytes_per_param", VIEW_ROLE_PLAIN, false};
    m->rows[m->row_count++] =
        (struct view_matrix_row){"zero_stages", "convention.stages", VIEW_ROLE_PLAIN, false};
    assert(m->row_count == ROWS);
}

/* Only what is known on both sides can differ. */
static bool cells_differ(const struct view_cell *a, const struct view_cell *b) {
    if (a->kind != b->kind || a->kind == VIEW_CELL_UNKNOWN || a->kind == VIEW_CELL_TEXT) {
        return false;
    }
    return a->bytes != b->bytes || a->real < b->real || a->real > b->real;
}

static void mark_differences(struct view_matrix *m) {
    for (int row = 0; row < m->row_count; row++) {
        for (int col = 0; col < m->col_count; col++) {
            struct view_cell *cell = &m->cells[row][col];
            cell->differs = cells_differ(cell, &m->cells[row][m->reference]);
        }
    }
}

/* --- reasons --- */

static struct message *add_remark(struct view_matrix *m, int col, const char *id) {
    assert(m->remark_count < VIEW_REMARKS_MAX);
    struct view_remark *remark = &m->remarks[m->remark_count++];
    remark->col = col;
    message_start(&remark->text, id);
    return &remark->text;
}

static void write_part(const struct counted *c, int part, char out[FORMULA_MAX]) {
    memory_part_formula(&c->s, &c->memory, part, out);
    if (out[0] == '\0') {
        struct writer w;
        writer_start(&w, out, FORMULA_MAX);
        writer_char(&w, '0');
    }
}

/* "gradients 4Ψ, not 2Ψ": bytes of an element, and who shares it. */
static void add_states(struct view_matrix *m, int col, const struct counted *c,
                       const struct counted *own) {
    static const char *const ids[] = {"convention.weights", "convention.gradients",
                                      "convention.optimizer"};
    for (int part = CALC_PART_WEIGHTS; part <= CALC_PART_OPTIMIZER; part++) {
        char here[FORMULA_MAX], there[FORMULA_MAX];
        write_part(c, part, here);
        write_part(own, part, there);
        if (strcmp(here, there) != 0) {
            struct message *remark = add_remark(m, col, ids[part]);
            message_add_text(remark, here);
            message_add_text(remark, there);
        }
    }
}

static uint64_t padded_vocab(const struct scenario *s) {
    struct message unused;
    uint64_t vocab = 0;
    bool known = !scenario_params_only(s) && calc_vocab_padded(s, &vocab, &unused) == STATUS_OK;
    return known ? vocab : 0;
}

static void add_vocab(struct view_matrix *m, int col, const struct counted *c,
                      const struct counted *own) {
    uint64_t here = padded_vocab(&c->s), there = padded_vocab(&own->s);
    if (here != there) {
        struct message *remark = add_remark(m, col, "convention.vocab");
        message_add_count(remark, here);
        message_add_count(remark, there);
    }
    if (c->s.recipe.logits != own->s.recipe.logits && c->memory.activations_known) {
        const char *const *names = calc_option_at(calc_option_index("logits"))->choices;
        struct message *remark = add_remark(m, col, "convention.logits");
        message_add_text(remark, names[c->s.recipe.logits]);
        message_add_text(remark, names[own->s.recipe.logits]);
    }
}

static const struct calc_term *find_term(const struct counted *c, const char *id) {
    const struct calc_derivation *d = &c->memory.derivation;
    for (int i = 0; i < d->count; i++) {
        if (strcmp(d->terms[i].id, id) == 0 && d->terms[i].bytes != 0) {
            return &d->terms[i];
        }
    }
    return NULL;
}

static void add_buffers(struct view_matrix *m, int col, const struct counted *c,
                        const struct counted *own) {
    static const struct {
        const char *term, *with, *without;
    } kinds[] = {
        {"buffers.framework", "convention.framework", "convention.no_framework"},
        {"buffers.largest_module", "convention.module", "convention.no_module"},
        {"buffers.gathered", "convention.gathered", "convention.no_gathered"},
    };
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        const struct calc_term *here = find_term(c, kinds[i].term);
        const struct calc_term *there = find_term(own, kinds[i].term);
        if (here != NULL && there == NULL) {
            message_add_bytes(add_remark(m, col, kinds[i].with), here->bytes);
        } else if (here == NULL && there != NULL) {
            (void)add_remark(m, col, kinds[i].without);
        }
    }
}

static void add_place(struct view_matrix *m, int col, const struct counted *c,
                      const struct counted *own) {
    if (c->s.layout.zero != own->s.layout.zero) {
        message_add_plain(add_remark(m, col, "convention.zero"), c->s.layout.zero);
    }
    if (c->memory.stage != own->memory.stage) {
        struct message *remark = add_remark(m, col, "convention.fullest");
        message_add_plain(remark, c->memory.stage);
        message_add_plain(remark, own->memory.stage);
    }
}

static void add_reasons(struct view_matrix *m, int col, const struct counted *c,
                        const struct counted *own) {
    int before = m->remark_count;
    if (!c->defined) {
        assert(m->remark_count < VIEW_REMARKS_MAX);
        m->remarks[m->remark_count++] = (struct view_remark){col, c->refusal};
        return;
    }
    if (c == own) {
        (void)add_remark(m, col, "convention.own");
        return;
    }
    if (c->memory.phases || own->memory.phases) {
        (void)add_remark(m, col, c->memory.phases ? "convention.phases" : "convention.sum");
        return;
    }
    add_place(m, col, c, own);
    add_states(m, col, c, own);
    add_vocab(m, col, c, own);
    add_buffers(m, col, c, own);
    double here = calc_state_bytes_average(&c->s), there = calc_state_bytes_average(&own->s);
    if (m->remark_count == before && (here < there || here > there)) {
        /* what differs has left the GPU */
        struct message *remark = add_remark(m, col, "convention.offloaded");
        message_add_real(remark, here);
        message_add_real(remark, there);
    } else if (m->remark_count == before) {
        message_add_text(add_remark(m, col, "convention.same"), name_of(own->convention));
    }
}

void memory_conventions_add(struct view *out, const struct scenario *applied,
                            const uint64_t *stage) {
    struct counted all[CONVENTIONS];
    struct view_matrix *m = &view_add(out, VIEW_KIND_MATRIX)->matrix;
    _Static_assert((int)CONVENTIONS <= (int)VIEW_MATRIX_COLS_MAX, "a column a convention");
    message_start(&m->title, "convention.title");
    fill_rows(m);
    for (int i = 0; i < CONVENTIONS; i++) {
        count(applied, stage, i, &all[i]);
        fill_column(m, &all[i]);
    }
    m->reference = applied->convention;
    mark_differences(m);
    for (int i = 0; i < CONVENTIONS; i++) {
        add_reasons(m, i, &all[i], &all[m->reference]);
    }
}
