/* `shardlab mem … --against '…'`: two scenarios side by side. The options of the second stand on top of those given
 * for the first; another model brings its own dimensions. Rows are those of the lesson's ledger, so a part that it
 * shows is compared. Δ is second minus first, unknown where either is. Proof: tests/cli/test_compare.c. */
#include <string.h>

#include "cli_private.h"
#include "mem_compare_private.h"
#include "shardlab/calc/params.h"
#include "shardlab/lesson/memory_view.h"
#include "shardlab/view/width.h"

enum { LABEL_COLS = 24, NUMBER_COLS = 16, AMOUNT_MAX = 48 };

static const struct width_rules narrow = {false};

/* Another model: the dimensions given for the first one were not meant for it. */
static void clear_model(struct scenario *given) {
    for (int i = 0; i < calc_option_count(); i++) {
        if (calc_option_at(i)->group == CALC_GROUP_MODEL) {
            calc_option_clear(given, i);
        }
    }
}

static bool names_model(const struct scenario *given) {
    static const char *const names[] = {"model", "config", "params"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        if (calc_option_given(given, calc_option_index(names[i]))) {
            return true;
        }
    }
    return false;
}

static enum status read_options(const struct cli_args *args, struct scenario *given,
                                struct message *why) {
    struct scenario alone;
    enum status ok = cli_scenario_parse_line(args->against, &alone, why);
    *given = args->given;
    if (ok == STATUS_OK && names_model(&alone)) {
        clear_model(given);
    }
    return ok == STATUS_OK ? cli_scenario_parse_onto(args->against, given, why) : ok;
}

enum status cli_against_compute(struct cli_context *c, const struct cli_args *args,
                                struct cli_against *out, struct message *why) {
    struct calc_params params;
    memset(out, 0, sizeof *out);
    if (args->against == NULL) {
        return STATUS_OK;
    }
    enum status ok = read_options(args, &out->given, why);
    if (ok == STATUS_OK) {
        ok = cli_scenario_load(c->store, &out->given, NULL, &out->s, NULL, why);
    }
    if (ok == STATUS_OK) {
        ok = calc_params_count(&out->s, &params, why);
    }
    if (ok == STATUS_OK) {
        ok = calc_memory_worst(&out->s, &out->memory, why);
    }
    if (ok != STATUS_OK) {
        return ok;
    }
    out->worst = out->memory.stage;
    out->params = params.total;
    out->params_active = params.active;
    if (args->stage_given && args->stage >= out->s.layout.pp) {
        message_start(why, "error.args.stage");
        message_add_plain(why, args->stage);
        message_add_plain(why, out->s.layout.pp - 1);
        return STATUS_USAGE;
    }
    if (args->stage_given) {
        ok = calc_memory_on_stage(&out->s, args->stage, &out->memory, why);
    }
    out->wanted = ok == STATUS_OK;
    return ok;
}

/* --- pairs of rows --- */

static void ledger_of(const struct scenario *s, const struct calc_memory *m, struct view *v) {
    struct memory_states states = {.now = *m};
    view_start(v);
    memory_ledger_add(v, s, &states);
}

static const struct view_row *find_row(const struct view_ledger *ledger, const char *key) {
    for (int i = 0; i < ledger->row_count; i++) {
        if (strcmp(ledger->rows[i].key, key) == 0) {
            return &ledger->rows[i];
        }
    }
    return NULL;
}

static void add_pair(struct mem_compare *out, const struct view_row *first,
                     const struct view_row *second) {
    struct mem_pair *pair = &out->pairs[out->count++];
    pair->first = first;
    pair->second = second;
    pair->comparable = first != NULL && second != NULL && first->known && second->known;
}

/* A total without activations is no measure for one with them. */
static bool same_parts(const struct mem_compare *c) {
    for (int i = 0; i < c->count - 1; i++) {
        const struct view_row *a = c->pairs[i].first, *b = c->pairs[i].second;
        if ((a != NULL && a->known) != (b != NULL && b->known)) {
            return false;
        }
    }
    return true;
}

void mem_compare_start(struct mem_compare *out, const struct scenario *s,
                       const struct calc_memory *first, const struct cli_against *against) {
    out->count = 0;
    ledger_of(s, first, &out->views[0]);
    ledger_of(&against->s, &against->memory, &out->views[1]);
    const struct view_ledger *a = &out->views[0].items[0].ledger;
    const struct view_ledger *b = &out->views[1].items[0].ledger;
    for (int i = 0; i < a->row_count - 1; i++) {
        add_pair(out, &a->rows[i], find_row(b, a->rows[i].key));
    }
    for (int i = 0; i < b->row_count - 1; i++) {
        if (find_row(a, b->rows[i].key) == NULL) {
            add_pair(out, NULL, &b->rows[i]);
        }
    }
    add_pair(out, &a->rows[a->row_count - 1], &b->rows[b->row_count - 1]);
    struct mem_pair *total = &out->pairs[out->count - 1];
    total->comparable = total->comparable && same_parts(out);
}

/* --- text --- */

static void write_amount(struct cli_context *c, const struct view_row *row) {
    char text[AMOUNT_MAX];
    struct writer w;
    writer_start(&w, text, sizeof text);
    if (row == NULL || !row->known) {
        writer_text(&w, "—");
    } else {
        units_write_bytes(&w, row->bytes, c->words.unit, 2);
    }
    width_write_right(c->out, text, NUMBER_COLS, &narrow);
}

static void write_delta(struct cli_context *c, const struct mem_pair *pair) {
    char text[AMOUNT_MAX];
    struct writer w;
    writer_start(&w, text, sizeof text);
    if (!pair->comparable) {
        writer_text(&w, "—");
    } else {
        uint64_t from = pair->first->bytes, to = pair->second->bytes;
        writer_text(&w, to > from ? "+" : to < from ? "−" : "");
        units_write_bytes(&w, to > from ? to - from : from - to, c->words.unit, 2);
    }
    width_write_right(c->out, text, NUMBER_COLS, &narrow);
}

static void write_heading(struct cli_context *c, const char *id, bool unit) {
    char text[AMOUNT_MAX];
    struct writer w;
    writer_start(&w, text, sizeof text);
    writer_text(&w, words_get(&c->words, id));
    if (unit) {
        writer_char(&w, ' ');
        writer_text(&w, units_name(c->words.unit));
    }
    width_write_right(c->out, text, NUMBER_COLS, &narrow);
}

static void write_pair(struct cli_context *c, const struct mem_pair *pair) {
    const struct view_row *row = pair->first != NULL ? pair->first : pair->second;
    width_write_left(c->out, words_get(&c->words, row->label), LABEL_COLS, &narrow);
    write_amount(c, pair->first);
    write_amount(c, pair->second);
    write_delta(c, pair);
    writer_char(c->out, '\n');
}

static void write_line(struct cli_context *c) {
    for (int i = 0; i < LABEL_COLS + 3 * NUMBER_COLS; i++) {
        writer_text(c->out, "─");
    }
    writer_char(c->out, '\n');
}

static void write_sentence(struct cli_context *c, const char *whose, const struct message *m) {
    writer_text(c->out, words_get(&c->words, whose));
    words_write(c->out, &c->words, m);
    cli_prose_end(c, 0);
}

/* "first: fits, 30.70 GB free", where a card was given. */
static void write_verdict(struct cli_context *c, const char *whose, const struct scenario *s,
                          const struct calc_memory *m) {
    struct view v;
    view_start(&v);
    memory_bar_add(&v, s, m);
    if (v.items[0].bar.has_capacity) {
        write_sentence(c, whose, &v.items[0].bar.verdict);
    }
}

static bool says(const struct view *v, const struct message *m) {
    const struct view_text *text = &v->items[0].text;
    for (int i = 0; v->item_count > 0 && i < text->line_count; i++) {
        if (strcmp(text->lines[i].id, m->id) == 0) {
            return true;
        }
    }
    return false;
}

/* What is said of the second scenario and not of the first. */
static void write_notes(struct cli_context *c, const struct scenario *s,
                        const struct calc_memory *first, const struct cli_against *against) {
    struct view a, b;
    view_start(&a);
    memory_notes_add(&a, s, first);
    view_start(&b);
    memory_notes_add(&b, &against->s, &against->memory);
    for (int i = 0; b.item_count > 0 && i < b.items[0].text.line_count; i++) {
        const struct message *m = &b.items[0].text.lines[i];
        if (!says(&a, m)) {
            write_sentence(c, "cli.mem.against_line", m);
        }
    }
}

void cli_against_text(struct cli_context *c, const struct scenario *s,
                      const struct calc_memory *first, const struct cli_against *against) {
    struct mem_compare compare;
    mem_compare_start(&compare, s, first, against);
    writer_text(c->out, words_get(&c->words, "cli.mem.against_line"));
    writer_text(c->out, "shardlab mem");
    scenario_write_options(c->out, &against->given);
    cli_prose_end(c, 4);
    writer_char(c->out, '\n');
    width_write_left(c->out, words_get(&c->words, "view.one_gpu"), LABEL_COLS, &narrow);
    write_heading(c, "cli.mem.first", true);
    write_heading(c, "cli.mem.second", true);
    write_heading(c, "cli.mem.delta", false);
    writer_char(c->out, '\n');
    for (int i = 0; i < compare.count; i++) {
        if (i == compare.count - 1) {
            write_line(c);
        }
        write_pair(c, &compare.pairs[i]);
    }
    writer_char(c->out, '\n');
    write_verdict(c, "cli.mem.first_line", s, first);
    write_verdict(c, "cli.mem.against_line", &against->s, &against->memory);
    write_notes(c, s, first, against);
}
