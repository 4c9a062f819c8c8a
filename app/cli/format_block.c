/* `shardlab format --block mx|nvfp4|tensor`: values that share scales. In JSON each value keeps the fields of CONTRACT
 * ("shardlab format"), `bits` and `class` being the element's, `value` and `error` what is read back; `block` has the
 * scales and the errors over all. Proof: tests/cli/test_format.c. */
#include <math.h>
#include <string.h>

#include "format_private.h"
#include "shardlab/lesson/format_view.h"
#include "shardlab/view/width.h"

enum { NUMBER_COLS = 26, INPUT_COLS = 16, BITS_COLS = 8, TEXT_MAX = 64 };

static const struct width_rules narrow = {false};

struct coded {
    struct num_block block;
    uint32_t codes[CLI_VALUES_MAX], scale_codes[CLI_VALUES_MAX];
    double values[CLI_VALUES_MAX], scales[CLI_VALUES_MAX];
    bool saturated[CLI_VALUES_MAX];
    size_t blocks, size; /* size: numbers of a whole block */
};

static void encode(const struct format_request *r, struct coded *out) {
    memset(out, 0, sizeof *out);
    out->block = (struct num_block){.kind = r->kind,
                                    .element = r->type,
                                    .codes = out->codes,
                                    .values = out->values,
                                    .saturated = out->saturated,
                                    .scale_codes = out->scale_codes,
                                    .scales = out->scales};
    num_block_encode(&out->block, r->inputs, (size_t)r->count);
    out->blocks = num_block_count(r->kind, (size_t)r->count);
    out->size = num_block_size(r->kind) > 0 ? num_block_size(r->kind) : (size_t)r->count;
}

/* --- JSON --- */

static void json_value(struct json *j, const struct format_request *r, const struct coded *d,
                       int i) {
    enum num_class class = isnan(d->values[i]) ? NUM_CLASS_NAN : num_class(r->type, d->codes[i]);
    json_object_open(j, NULL);
    json_text(j, "input", r->texts[i]);
    json_u64(j, "block", (size_t)i / d->size);
    format_json_bits(j, "bits", r->type, d->codes[i], true);
    json_real(j, "element", num_decode(r->type, d->codes[i]));
    json_real(j, "value", d->values[i]);
    json_real(j, "error", d->values[i] - r->inputs[i]);
    json_text(j, "class", num_class_name(class));
    json_bool(j, "saturated", d->saturated[i]);
    json_object_close(j);
}

static void json_block(struct json *j, const struct format_request *r, const struct coded *d) {
    enum num_type scale_type = num_block_scale_type(r->kind);
    json_object_open(j, "block");
    json_text(j, "kind", num_block_name(r->kind));
    json_u64(j, "size", d->size);
    json_real(j, "bits_per_value", num_block_bits(r->kind, r->type));
    json_text(j, "scale_type", num_format(scale_type)->name);
    json_real(j, "tensor_scale", d->block.tensor_scale);
    json_array_open(j, "scales");
    for (size_t i = 0; i < d->blocks; i++) {
        json_object_open(j, NULL);
        format_json_bits(j, "bits", scale_type, d->scale_codes[i], true);
        json_real(j, "value", d->scales[i]);
        json_object_close(j);
    }
    json_array_close(j);
    json_real(j, "max_abs_error", d->block.max_abs_error);
    json_real(j, "rms_error", d->block.rms_error);
    json_object_close(j);
}

static void write_json(struct cli_context *c, const struct format_request *r,
                       const struct coded *d) {
    struct json j;
    json_start(&j, c->out);
    json_object_open(&j, NULL);
    format_json_head(&j, r);
    json_block(&j, r, d);
    json_array_open(&j, "values");
    for (int i = 0; i < r->count; i++) {
        json_value(&j, r, d, i);
    }
    json_array_close(&j);
    format_json_notes(c, &j, r);
    json_object_close(&j);
    writer_char(c->out, '\n');
}

/* --- Text --- */

static void put_real(struct cli_context *c, double value) {
    char text[TEXT_MAX];
    struct writer w;
    writer_start(&w, text, sizeof text);
    writer_real(&w, value);
    width_write_left(c->out, text, NUMBER_COLS, &narrow);
}

static void put_bits(struct cli_context *c, enum num_type type, uint32_t code) {
    char text[TEXT_MAX];
    struct writer w;
    writer_start(&w, text, sizeof text);
    format_code_write(&w, type, code);
    width_write_left(c->out, text, BITS_COLS, &narrow);
}

static void put_words(struct cli_context *c, const char *id, int columns) {
    width_write_left(c->out, words_get(&c->words, id), columns, &narrow);
}

static void write_row(struct cli_context *c, const struct format_request *r, const struct coded *d,
                      int i) {
    writer_text(c->out, "  ");
    width_write_left(c->out, r->texts[i], INPUT_COLS, &narrow);
    put_bits(c, r->type, d->codes[i]);
    put_real(c, num_decode(r->type, d->codes[i]));
    char text[TEXT_MAX];
    struct writer w;
    writer_start(&w, text, sizeof text);
    writer_real(&w, d->values[i]);
    if (d->saturated[i]) {
        width_write_left(c->out, text, NUMBER_COLS, &narrow);
        writer_text(c->out, words_get(&c->words, "cli.format.saturated"));
    } else {
        writer_text(c->out, text);
    }
    writer_char(c->out, '\n');
}

static void write_scale(struct cli_context *c, const struct format_request *r,
                        const struct coded *d, size_t block) {
    char code[TEXT_MAX], value[TEXT_MAX];
    struct writer w;
    struct message m;
    writer_start(&w, code, sizeof code);
    format_code_write(&w, num_block_scale_type(r->kind), d->scale_codes[block]);
    writer_start(&w, value, sizeof value);
    writer_real(&w, d->scales[block]);
    message_start(&m, "cli.format.scale");
    message_add_plain(&m, block);
    message_add_text(&m, num_format(num_block_scale_type(r->kind))->name);
    message_add_text(&m, code);
    message_add_text(&m, value);
    cli_say(c, &m);
}

static void write_real_line(struct cli_context *c, const char *id, double value) {
    char text[TEXT_MAX];
    struct writer w;
    struct message m;
    writer_start(&w, text, sizeof text);
    writer_real(&w, value);
    message_start(&m, id);
    message_add_text(&m, text);
    cli_say(c, &m);
}

static void write_text(struct cli_context *c, const struct format_request *r,
                       const struct coded *d) {
    format_write_limits(c, r);
    if (r->kind == NUM_BLOCK_NVFP4) {
        write_real_line(c, "cli.format.tensor_scale", d->block.tensor_scale);
    }
    for (size_t block = 0; block < d->blocks; block++) {
        write_scale(c, r, d, block);
        writer_text(c->out, "  ");
        put_words(c, "cli.format.input", INPUT_COLS);
        put_words(c, "cli.format.bits", BITS_COLS);
        put_words(c, "cli.format.element", NUMBER_COLS);
        writer_text(c->out, words_get(&c->words, "cli.format.value"));
        writer_char(c->out, '\n');
        size_t end = (block + 1) * d->size;
        for (size_t i = block * d->size; i < end && i < (size_t)r->count; i++) {
            write_row(c, r, d, (int)i);
        }
        writer_char(c->out, '\n');
    }
    if (!isnan(d->block.max_abs_error)) {
        write_real_line(c, "cli.format.max_error", d->block.max_abs_error);
    }
}

void format_block_write(struct cli_context *c, const struct format_request *r, bool json) {
    struct coded coded;
    encode(r, &coded);
    if (json) {
        write_json(c, r, &coded);
    } else {
        write_text(c, r, &coded);
    }
}
