/* The figures of the formats' bench for readers: rows of the bench's JSON, one for each path; a table of the best path; and
 * what is to be known about the peers. Proof: tests/cli/test_bench.c. */
#include "bench_formats_private.h"
#include "bench_private.h"
#include "shardlab/base/json.h"
#include "shardlab/view/width.h"

static const struct width_rules rules = {false};
static const char *const names[BENCH_LIBRARIES] = {"NumPy", "PyTorch"};

static double over(double a, double b) {
    return a > 0 && b > 0 ? a / b : 0;
}

static void json_peer(struct json *j, const char *name, const char *version, double seconds) {
    json_object_open(j, NULL);
    json_text(j, "name", name);
    json_text(j, "version", version);
    json_bool(j, "installed", version == NULL || version[0] != '\0');
    cli_bench_real_or_null(j, "time_s", seconds);
    json_object_close(j);
}

static void json_figure(struct json *j, const struct bench_formats *all,
                        const struct bench_format *f) {
    const struct bench_conversion *what = &bench_conversions[f->conversion];
    int code_bytes = num_format(what->type)->bits <= 8 ? 1 : 2;
    json_object_open(j, NULL);
    json_text(j, "area", "formats");
    json_text(j, "case", what->name);
    json_text(j, "what", num_path_name(f->path));
    json_bool(j, "best", f->path == num_path_best());
    json_text(j, "item", "element");
    json_u64(j, "items", f->elements);
    json_object_open(j, "time_s");
    json_real(j, "median", f->time_s);
    json_real(j, "min", f->least_s);
    json_real(j, "max", f->most_s);
    json_object_close(j);
    json_real(j, "per_item_s", f->time_s / (double)f->elements);
    json_object_open(j, "limit");
    json_text(j, "name", "memcpy");
    json_u64(j, "touched_bytes", f->elements * (uint64_t)(4 + code_bytes));
    json_real(j, "time_s", f->limit_s);
    json_object_close(j);
    json_real(j, "time_over_limit", f->time_s / f->limit_s);
    json_array_open(j, "peers");
    json_peer(j, "loop with branches", NULL, f->scalar_s);
    for (int l = 0; l < BENCH_LIBRARIES; l++) {
        json_peer(j, names[l], all->library[l], f->library_s[l]);
    }
    json_array_close(j);
    json_array_open(j, "time_over_peers");
    json_real(j, NULL, f->time_s / f->scalar_s);
    for (int l = 0; l < BENCH_LIBRARIES; l++) {
        cli_bench_real_or_null(j, NULL, over(f->time_s, f->library_s[l]));
    }
    json_array_close(j);
    json_object_close(j);
}

void cli_bench_formats_json(struct json *j, const struct bench_formats *all) {
    for (int i = 0; i < all->count; i++) {
        json_figure(j, all, &all->figures[i]);
    }
}

/* What was not measured is a dash. */
static void number(struct cli_context *c, double value, int columns) {
    char text[48];
    struct writer w;
    writer_start(&w, text, sizeof text);
    if (value > 0) {
        writer_fixed(&w, value, value < 100 ? 2 : 0);
    } else {
        writer_char(&w, '-');
    }
    width_write_right(c->out, text, columns, &rules);
}

static void write_figure(struct cli_context *c, const struct bench_format *f) {
    char text[32];
    struct writer w;
    width_write_left(c->out, bench_conversions[f->conversion].name, 11, &rules);
    writer_start(&w, text, sizeof text);
    writer_u64_grouped(&w, f->elements);
    width_write_right(c->out, text, 11, &rules);
    width_write_right(c->out, num_path_name(f->path), 8, &rules);
    number(c, 1e-9 * (double)f->elements / f->time_s, 9);
    number(c, f->limit_s / f->time_s, 10);
    number(c, f->scalar_s / f->time_s, 9);
    for (int l = 0; l < BENCH_LIBRARIES; l++) {
        number(c, over(f->library_s[l], f->time_s), l == BENCH_TORCH ? 11 : 9);
    }
    writer_char(c->out, '\n');
}

void cli_bench_formats_text(struct cli_context *c, const struct bench_formats *all) {
    static const struct {
        const char *id;
        int columns;
    } heads[] = {{"cli.bench.elements", 22}, {"cli.bench.path", 8},   {"cli.bench.speed", 9},
                 {"cli.bench.memcpy", 10},   {"cli.bench.scalar", 9}, {"cli.bench.numpy", 9},
                 {"cli.bench.torch", 11}};
    struct message m;
    message_start(&m, "cli.bench.formats");
    cli_say(c, &m);
    writer_char(c->out, '\n');
    for (size_t i = 0; i < sizeof heads / sizeof heads[0]; i++) {
        width_write_right(c->out, words_get(&c->words, heads[i].id), heads[i].columns, &rules);
    }
    writer_char(c->out, '\n');
    for (int i = 0; i < all->count; i++) {
        if (all->figures[i].path == num_path_best()) {
            write_figure(c, &all->figures[i]);
        }
    }
    writer_char(c->out, '\n');
}

void cli_bench_formats_notes(struct cli_context *c, struct json *j,
                             const struct bench_formats *all) {
    static const char *const packages[BENCH_LIBRARIES] = {"python3-numpy", "python3-torch"};
    for (int l = 0; l < BENCH_LIBRARIES; l++) {
        bool there = all->library[l][0] != '\0';
        struct message m;
        message_start(&m, there ? "note.bench.library" : "note.bench.library_missing");
        message_add_text(&m, names[l]);
        message_add_text(&m, there ? all->library[l] : packages[l]);
        if (j != NULL) {
            cli_json_note(c, j, &m);
        } else {
            cli_say(c, &m);
        }
    }
}
