/* `shardlab format`: what a number becomes in a format of low precision (CONTRACT, "shardlab format"). A value is read
 * as binary64 and rounded once by the room `num`; the text is the view that lessons show too. Counts with a suffix are
 * values as everywhere (`7B`); inf and nan are. Proof: tests/cli/test_format.c, tests/unit/cli/test_random_formats.c. */
#include <math.h>
#include <string.h>

#include "format_private.h"
#include "shardlab/base/near.h"
#include "shardlab/base/units.h"
#include "shardlab/lesson/format_view.h"
#include "shardlab/view/read.h"

/* --- Reading what was asked for --- */

/* The names at most `most` letters away from `name`, all of them for NULL; returns how many. */
static int list_types(const char *name, int most, struct writer *w) {
    int count = 0;
    for (int i = 0; i < NUM_TYPES; i++) {
        const char *known = num_format((enum num_type)i)->name;
        if (name == NULL || near_distance(name, strlen(name), known) <= most) {
            writer_text(w, count++ > 0 ? ", " : "");
            writer_text(w, known);
        }
    }
    return count;
}

/* "fp8" names no format but as many bits as some have; a scale, which has no zero, is none of them. */
static int list_types_of_bits(const char *name, struct writer *w) {
    uint64_t bits = 0;
    int count = 0;
    bool counts_bits = strncmp(name, "fp", 2) == 0 && units_parse_count(name + 2, 1000, &bits);
    for (int i = 0; i < NUM_TYPES && counts_bits; i++) {
        const struct num_format *f = num_format((enum num_type)i);
        if ((uint64_t)f->bits == bits && f->has_zero) {
            writer_text(w, count++ > 0 ? ", " : "");
            writer_text(w, f->name);
        }
    }
    return count;
}

static enum status refuse_type(const char *name, struct message *why) {
    char names[MESSAGE_TEXT_MAX];
    struct writer w;
    writer_start(&w, names, sizeof names);
    int near = name == NULL ? 0 : list_types_of_bits(name, &w);
    for (int most = 1; name != NULL && near == 0 && most <= 2; most++) {
        writer_start(&w, names, sizeof names);
        near = list_types(name, most, &w);
    }
    if (near == 0) {
        writer_start(&w, names, sizeof names);
        (void)list_types(NULL, 0, &w);
    }
    message_start(why, name == NULL ? "error.format.no_type"
                       : near > 0   ? "error.format.type_near"
                                    : "error.format.type");
    if (name != NULL) {
        message_add_text(why, name);
    }
    message_add_text(why, names);
    return STATUS_USAGE;
}

static enum status refuse_word(const char *id, const char *word, struct message *why) {
    message_start(why, id);
    message_add_text(why, word);
    return STATUS_USAGE;
}

static enum status read_overflow(const struct cli_args *args, struct format_request *r,
                                 struct message *why) {
    r->overflow = num_format(r->type)->overflow;
    if (args->overflow == NULL) {
        return STATUS_OK;
    }
    if (args->block != NULL) {
        message_start(why, "error.args.together");
        message_add_text(why, "overflow");
        message_add_text(why, "block");
        return STATUS_USAGE;
    }
    bool inf = strcmp(args->overflow, "inf") == 0;
    if (!inf && strcmp(args->overflow, "saturate") != 0) {
        return refuse_word("error.format.overflow", args->overflow, why);
    }
    r->overflow = inf ? NUM_OVERFLOW_INF : NUM_OVERFLOW_SATURATE;
    return STATUS_OK;
}

static enum status read_block(const struct cli_args *args, struct format_request *r,
                              struct message *why) {
    r->blocks = args->block != NULL;
    if (!r->blocks) {
        return STATUS_OK;
    }
    int kind = 0;
    while (kind < NUM_BLOCK_KINDS &&
           strcmp(num_block_name((enum num_block_kind)kind), args->block) != 0) {
        kind++;
    }
    if (kind == NUM_BLOCK_KINDS) {
        return refuse_word("error.format.block", args->block, why);
    }
    r->kind = (enum num_block_kind)kind;
    if (num_block_takes(r->kind, r->type)) {
        return STATUS_OK;
    }
    char names[MESSAGE_TEXT_MAX];
    struct writer w;
    writer_start(&w, names, sizeof names);
    for (int i = 0; i < NUM_TYPES; i++) {
        if (num_block_takes(r->kind, (enum num_type)i)) {
            writer_text(&w, w.length > 0 ? ", " : "");
            writer_text(&w, num_format((enum num_type)i)->name);
        }
    }
    (void)refuse_word("error.format.block_type", args->block, why);
    message_add_text(why, num_format(r->type)->name);
    message_add_text(why, names);
    return STATUS_USAGE;
}

/* "1e-400" is no zero, but becomes one before the format sees it. */
static bool vanishes(const char *number, double read) {
    size_t digits = strcspn(number, "eE");
    return !(fabs(read) > 0) && strcspn(number, "123456789") < digits;
}

/* A real, a count with a suffix, inf or nan; NULL, or the id of the sentence that says why not. */
static const char *read_value(const char *text, double *out) {
    char folded[128];
    uint64_t count = 0;
    if (!units_looks_numeric(text) || !units_fold(text, folded, sizeof folded)) {
        return "error.format.value";
    }
    const char *number = folded + (folded[0] == '-' || folded[0] == '+' ? 1 : 0);
    double sign = folded[0] == '-' ? -1.0 : 1.0;
    if (number[0] == 'i' || number[0] == 'I' || number[0] == 'n' || number[0] == 'N') {
        bool inf = number[0] == 'i' || number[0] == 'I';
        *out = copysign(inf ? (double)INFINITY : (double)NAN, sign);
    } else if (units_parse_count(number, 1000, &count)) {
        *out = sign * (double)count;
    } else if (!units_parse_real(folded, out)) {
        bool plain = number[strspn(number, "0123456789.eE+-")] == '\0';
        return plain ? "error.format.beyond" : "error.format.value";
    }
    return vanishes(number, *out) ? "error.format.vanishes" : NULL;
}

static enum status read_request(const struct cli_args *args, struct format_request *r,
                                struct message *why) {
    memset(r, 0, sizeof *r);
    if (args->type == NULL || !num_type_find(args->type, &r->type)) {
        return refuse_type(args->type, why);
    }
    enum status ok = read_overflow(args, r, why);
    ok = ok == STATUS_OK ? read_block(args, r, why) : ok;
    if (ok != STATUS_OK) {
        return ok;
    }
    if (args->value_count == 0) {
        message_start(why, "error.format.no_value");
        return STATUS_USAGE;
    }
    for (r->count = 0; r->count < args->value_count; r->count++) {
        r->texts[r->count] = args->values[r->count];
        const char *fault = read_value(r->texts[r->count], &r->inputs[r->count]);
        if (fault != NULL) {
            return refuse_word(fault, r->texts[r->count], why);
        }
    }
    return STATUS_OK;
}

/* --- JSON --- */

void format_json_bits(struct json *j, const char *key, enum num_type type, uint32_t code,
                      bool known) {
    char text[16];
    struct writer w;
    writer_start(&w, text, sizeof text);
    format_code_write(&w, type, code);
    json_text(j, key, known ? text : NULL);
}

void format_json_head(struct json *j, const struct format_request *r) {
    struct num_limits l = num_limits(r->type);
    json_text(j, "command", "format");
    json_text(j, "type", num_format(r->type)->name);
    json_real(j, "max", l.max);
    json_real(j, "min_normal", l.min_normal);
    json_real(j, "min_subnormal", l.min_subnormal);
    json_real(j, "epsilon", l.epsilon);
}

/* The sentences on what this type lacks. */
static int notes_of(const struct format_request *r, const char *ids[3]) {
    const struct num_format *f = num_format(r->type);
    int count = 0;
    if (f->unused_bits > 0) {
        ids[count++] = "note.format.unused_bits";
    }
    if (!f->has_zero) {
        ids[count++] = "note.format.no_zero";
    }
    if (f->specials == NUM_SPECIALS_NONE) {
        ids[count++] = "note.format.no_specials";
    }
    return count;
}

static void note_write(struct cli_context *c, struct writer *w, const struct format_request *r,
                       const char *id) {
    struct message m;
    message_start(&m, id);
    message_add_text(&m, num_format(r->type)->name);
    words_write(w, &c->words, &m);
}

void format_json_notes(struct cli_context *c, struct json *j, const struct format_request *r) {
    const char *ids[3];
    int count = notes_of(r, ids);
    json_array_open(j, "notes");
    for (int i = 0; i < count; i++) {
        char text[512];
        struct writer w;
        writer_start(&w, text, sizeof text);
        note_write(c, &w, r, ids[i]);
        json_text(j, NULL, text);
    }
    json_array_close(j);
}

static struct num_rounding rounding_of(const struct format_request *r) {
    return (struct num_rounding){NUM_MODE_NEAREST, r->overflow, 0};
}

/* "below" and "above": null where there is none, or it is inf. */
static void json_neighbours(struct json *j, enum num_type type, const struct num_encoded *e) {
    uint32_t next = 0;
    bool down = !e->no_pattern && num_next_down(type, e->code, &next);
    json_real(j, "below", down ? num_decode(type, next) : (double)NAN);
    bool up = !e->no_pattern && num_next_up(type, e->code, &next);
    json_real(j, "above", up ? num_decode(type, next) : (double)NAN);
}

static void json_value(struct json *j, const struct format_request *r, int i) {
    struct num_encoded e = num_encode(r->type, r->inputs[i], rounding_of(r));
    double value = num_encoded_value(r->type, e);
    json_object_open(j, NULL);
    json_text(j, "input", r->texts[i]);
    format_json_bits(j, "bits", r->type, e.code, !e.no_pattern);
    json_real(j, "value", value);
    json_real(j, "error", value - r->inputs[i]);
    json_text(j, "class", num_class_name(e.class));
    json_bool(j, "saturated", e.saturated);
    json_neighbours(j, r->type, &e);
    json_object_close(j);
}

static void write_json(struct cli_context *c, const struct format_request *r) {
    struct json j;
    json_start(&j, c->out);
    json_object_open(&j, NULL);
    format_json_head(&j, r);
    json_text(&j, "overflow", r->overflow == NUM_OVERFLOW_INF ? "inf" : "saturate");
    json_array_open(&j, "values");
    for (int i = 0; i < r->count; i++) {
        json_value(&j, r, i);
    }
    json_array_close(&j);
    format_json_notes(c, &j, r);
    json_object_close(&j);
    writer_char(c->out, '\n');
}

/* --- Text --- */

static void add_limit(struct view_facts *facts, const char *key, const char *label, double limit) {
    char text[32];
    struct writer w;
    struct view_fact *fact = &facts->facts[facts->fact_count];
    if (isnan(limit)) {
        return;
    }
    writer_start(&w, text, sizeof text);
    writer_real(&w, limit);
    fact->key = key;
    fact->label = label;
    message_start(&fact->value, "view.value");
    message_add_text(&fact->value, text);
    facts->fact_count++;
}

static void write_view(struct cli_context *c, const struct view *v) {
    struct view_text_options options = {.width = cli_picture_columns(c)};
    view_write_text(c->out, v, &c->words, &options);
    writer_char(c->out, '\n');
}

void format_write_limits(struct cli_context *c, const struct format_request *r) {
    const struct num_format *f = num_format(r->type);
    struct num_limits l = num_limits(r->type);
    struct view v;
    const char *ids[3];
    view_start(&v);
    struct view_facts *facts = &view_add(&v, VIEW_KIND_FACTS)->facts;
    message_start(&facts->title, "cli.format.head");
    message_add_text(&facts->title, f->name);
    message_add_plain(&facts->title, (uint64_t)f->sign_bits);
    message_add_plain(&facts->title, (uint64_t)f->exponent_bits);
    message_add_plain(&facts->title, (uint64_t)f->bias);
    message_add_plain(&facts->title, (uint64_t)f->mantissa_bits);
    add_limit(facts, "max", "cli.format.max", l.max);
    add_limit(facts, "min_normal", "cli.format.min_normal", l.min_normal);
    add_limit(facts, "min_subnormal", "cli.format.min_subnormal", l.min_subnormal);
    add_limit(facts, "epsilon", "cli.format.epsilon", l.epsilon);
    int notes = notes_of(r, ids);
    if (notes > 0) {
        struct view_text *text = &view_add(&v, VIEW_KIND_TEXT)->text;
        for (int i = 0; i < notes; i++) {
            message_start(&text->lines[i], ids[i]);
            message_add_text(&text->lines[i], f->name);
            text->line_count++;
        }
    }
    write_view(c, &v);
}

static void write_text(struct cli_context *c, const struct format_request *r) {
    struct view_mark marks[CLI_VALUES_MAX];
    struct view v;
    format_write_limits(c, r);
    for (int i = 0; i < r->count; i++) {
        struct format_number number = {r->type, r->inputs[i], r->texts[i], rounding_of(r)};
        struct writer w;
        view_start(&v);
        format_bits_add(&v, &number);
        write_view(c, &v);
        marks[i].value = r->inputs[i];
        writer_start(&w, marks[i].text, sizeof marks[i].text);
        writer_text(&w, r->texts[i]);
    }
    view_start(&v);
    format_ranges_add(&v, r->type, marks, r->count);
    struct view_text_options options = {.width = cli_picture_columns(c)};
    view_write_text(c->out, &v, &c->words, &options);
}

enum status cli_format(struct cli_context *c, const struct cli_args *args, struct message *why) {
    struct format_request request;
    enum status ok = read_request(args, &request, why);
    if (ok != STATUS_OK) {
        return ok;
    }
    if (request.blocks) {
        format_block_write(c, &request, args->json);
    } else if (args->json) {
        write_json(c, &request);
    } else {
        write_text(c, &request);
    }
    return STATUS_OK;
}
