/* The answer of `shardlab overflow` as a table: what was predicted beside what was measured, then the curve or histogram
 * as rows of numbers. Proof: tests/cli/test_overflow.c. */
#include <math.h>
#include <string.h>

#include "overflow_private.h"
#include "shardlab/view/width.h"

static const struct width_rules rules = {false};
enum { LABEL_COLUMNS = 42, NUMBER_COLUMNS = 18, POINT_COLUMNS = 16, ROWS_MAX = 24 };

static const char *word_of(struct cli_context *c, const char *prefix, const char *key) {
    char id[64];
    struct writer w;
    writer_start(&w, id, sizeof id);
    writer_text(&w, prefix);
    writer_text(&w, key);
    return words_get(&c->words, id);
}

/* Six digits are enough to read; --json has all of them. */
static void write_number(struct writer *w, double x) {
    double size = fabs(x);
    if (!isfinite(x)) {
        writer_text(w, fact_class(x));
    } else if (size < 1e15 && floor(size) >= size) {
        writer_real(w, x);
    } else {
        int exponent = (int)floor(log10(size));
        double unit = pow(10, exponent - 5);
        bool plain = exponent >= -4 && exponent < 6;
        if (plain) {
            writer_fixed(w, x, 5 - exponent < 9 ? 5 - exponent : 9);
        } else {
            writer_fixed(w, round(x / unit) / 1e5, 5);
            writer_text(w, "e");
            writer_text(w, exponent < 0 ? "-" : "");
            writer_u64(w, (uint64_t)(exponent < 0 ? -exponent : exponent));
        }
    }
}

static void write_fact(struct cli_context *c, struct writer *w, const struct fact *fact) {
    switch (fact->kind) {
    case FACT_COUNT:
        writer_u64_grouped(w, fact->count);
        break;
    case FACT_WORD:
        writer_text(w, word_of(c, "overflow.word.", fact->word));
        break;
    default:
        writer_text(w, fact->at_most ? "≤ " : "");
        write_number(w, fact->real);
        break;
    }
}

static void write_cell(struct cli_context *c, const struct fact *fact) {
    char text[64];
    struct writer w;
    writer_start(&w, text, sizeof text);
    write_fact(c, &w, fact);
    width_write_right(c->out, text, NUMBER_COLUMNS, &rules);
}

static void write_facts(struct cli_context *c, const struct overflow *o) {
    const struct facts *predicted = &o->predicted, *measured = &o->measured.facts;
    writer_text(c->out, "  ");
    width_write_left(c->out, "", LABEL_COLUMNS, &rules);
    width_write_right(c->out, words_get(&c->words, "overflow.predicted"), NUMBER_COLUMNS, &rules);
    width_write_right(c->out, words_get(&c->words, "overflow.measured"), NUMBER_COLUMNS, &rules);
    writer_char(c->out, '\n');
    for (int i = 0; i < predicted->count && i < measured->count; i++) {
        const struct fact *fact = &predicted->list[i];
        writer_text(c->out, "  ");
        width_write_left(c->out, word_of(c, "overflow.fact.", fact->key), LABEL_COLUMNS, &rules);
        write_cell(c, fact);
        write_cell(c, &measured->list[i]);
        writer_text(c->out, fact_agrees(fact, &measured->list[i]) ? "" : "  ≠");
        writer_char(c->out, '\n');
    }
    writer_char(c->out, '\n');
}

static int column_of(const struct facts *facts, const char *name) {
    int i = 0;
    while (i < facts->columns && strcmp(facts->column[i], name) != 0) {
        i++;
    }
    return i < facts->columns ? i : -1;
}

static bool differ(double a, double b) {
    return a < b || a > b;
}

/* A step of a loss scale on which something happened: it was skipped, or the scale is another than before. */
static bool is_event(const struct facts *facts, int at, int skipped, int scale) {
    return facts->point[at][skipped] > 0 ||
           (at > 0 && differ(facts->point[at][scale], facts->point[at - 1][scale]));
}

/* The rows that are printed; returns how many. A histogram adds up only with every row, and a loss scale is the history
 * of its events; a curve keeps its shape with ROWS_MAX rows, evenly. The first and the last are always there. */
static int choose_rows(const struct facts *facts, int rows[FACTS_POINTS]) {
    int skipped = column_of(facts, "skipped"), scale = column_of(facts, "scale"), count = 0;
    bool all = facts->points <= ROWS_MAX || column_of(facts, "exponent") >= 0;
    for (int at = 0; at < facts->points; at++) {
        bool end = at == 0 || at == facts->points - 1;
        if (all || (skipped >= 0 && (end || is_event(facts, at, skipped, scale)))) {
            rows[count++] = at;
        }
    }
    for (int i = 0; i < ROWS_MAX && !all && skipped < 0; i++) {
        rows[count++] = i * (facts->points - 1) / (ROWS_MAX - 1);
    }
    return count;
}

static void write_points(struct cli_context *c, const struct facts *facts) {
    int chosen[FACTS_POINTS], rows = choose_rows(facts, chosen);
    for (int i = 0; i < facts->columns; i++) {
        width_write_right(c->out, word_of(c, "overflow.column.", facts->column[i]), POINT_COLUMNS,
                          &rules);
    }
    writer_char(c->out, '\n');
    for (int row = 0; row < rows; row++) {
        for (int i = 0; i < facts->columns; i++) {
            char text[64];
            struct writer w;
            writer_start(&w, text, sizeof text);
            write_number(&w, facts->point[chosen[row]][i]);
            width_write_right(c->out, text, POINT_COLUMNS, &rules);
        }
        writer_char(c->out, '\n');
    }
    if (rows < facts->points) {
        struct message m;
        message_start(&m, column_of(facts, "skipped") >= 0 ? "overflow.points_events"
                                                           : "overflow.points");
        message_add_plain(&m, (uint64_t)rows);
        message_add_plain(&m, (uint64_t)facts->points);
        writer_text(c->out, "  ");
        words_write(c->out, &c->words, &m);
        cli_prose_end(c, 2);
    }
    writer_char(c->out, '\n');
}

static void write_head(struct cli_context *c, const struct overflow *o) {
    const struct precision_options *p = &o->options;
    writer_text(c->out, precision_name(p->experiment));
    writer_text(c->out, c->words.chinese ? "，" : ", ");
    writer_text(c->out, num_format(p->type)->name);
    writer_text(c->out, c->words.chinese ? "：" : ": ");
    writer_text(c->out, word_of(c, "overflow.what.", precision_name(p->experiment)));
    cli_prose_end(c, 0);
    writer_text(c->out, words_get(&c->words, "overflow.rule"));
    cli_prose_end(c, 0);
    writer_char(c->out, '\n');
}

void overflow_text(struct cli_context *c, const struct overflow *o) {
    write_head(c, o);
    write_facts(c, o);
    write_points(c, &o->measured.facts);
    writer_text(c->out, "  ");
    writer_text(c->out, words_get(&c->words, o->match                      ? "overflow.match.yes"
                                             : !o->measured.same_each_time ? "overflow.match.other"
                                                                           : "overflow.match.no"));
    cli_prose_end(c, 2);
    cli_device_text(c, &o->device);
}
