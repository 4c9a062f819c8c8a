/* The figures of `shardlab bench start` for readers: rows of the bench's JSON, a table, and what was found loaded.
 * Proof: tests/cli/test_bench.c. */
#include "bench_private.h"
#include "bench_start_private.h"
#include "shardlab/base/json.h"
#include "shardlab/view/width.h"

static const struct width_rules rules = {false};

static double over(double a, double b) {
    return a > 0 && b > 0 ? a / b : 0;
}

static void json_spread(struct json *j, const struct bench_start_spread *s) {
    json_object_open(j, "time_s");
    cli_bench_real_or_null(j, "median", s->median);
    cli_bench_real_or_null(j, "min", s->least);
    cli_bench_real_or_null(j, "max", s->most);
    json_object_close(j);
}

void cli_bench_start_json(struct json *j, const struct bench_start *all) {
    for (int i = 0; i < all->count; i++) {
        const struct bench_start_figure *f = &all->figures[i];
        json_object_open(j, NULL);
        json_text(j, "area", "start");
        json_text(j, "case", f->id);
        json_spread(j, &f->time);
        cli_bench_real_or_null(j, "cpu_s", f->cpu_s);
        json_object_open(j, "limit");
        json_text(j, "name", f->limit_name);
        json_spread(j, &f->limit);
        cli_bench_real_or_null(j, "cpu_s", f->limit_cpu_s);
        json_object_close(j);
        cli_bench_real_or_null(j, "time_over_limit", over(f->time.median, f->limit.median));
        if (i == 0) {
            json_text(j, "loaded", all->loaded);
        } else {
            json_bool(j, "from_cache", all->from_cache);
        }
        json_object_close(j);
    }
}

/* What was not measured is a dash. */
static void number(struct cli_context *c, double value, int columns) {
    char text[48];
    struct writer w;
    writer_start(&w, text, sizeof text);
    if (value > 0) {
        writer_fixed(&w, value, 2);
    } else {
        writer_char(&w, '-');
    }
    width_write_right(c->out, text, columns, &rules);
}

void cli_bench_start_text(struct cli_context *c, const struct bench_start *all) {
    static const char *const heads[] = {"cli.bench.time", "cli.bench.limit", "cli.bench.ratio",
                                        "cli.bench.cpu"};
    width_write_left(c->out, "", 16, &rules);
    for (int i = 0; i < 4; i++) {
        width_write_right(c->out, words_get(&c->words, heads[i]), 12, &rules);
    }
    writer_char(c->out, '\n');
    for (int i = 0; i < all->count; i++) {
        const struct bench_start_figure *f = &all->figures[i];
        width_write_left(c->out, f->id, 16, &rules);
        number(c, 1e3 * f->time.median, 12);
        number(c, 1e3 * f->limit.median, 12);
        number(c, over(f->time.median, f->limit.median), 12);
        number(c, 1e3 * f->cpu_s, 12);
        writer_text(c->out, "  ");
        writer_text(c->out, f->limit_name);
        writer_char(c->out, '\n');
    }
    writer_char(c->out, '\n');
}

static void say(struct cli_context *c, struct json *j, const struct message *m) {
    if (j != NULL) {
        cli_json_note(c, j, m);
    } else {
        cli_say(c, m);
    }
}

void cli_bench_start_notes(struct cli_context *c, struct json *j, const struct bench_start *all) {
    struct message m;
    message_start(&m, all->loaded[0] == '\0' ? "note.bench.start" : "note.bench.start_loaded");
    message_add_text(&m, all->loaded);
    say(c, j, &m);
    if (all->opencl) {
        message_start(&m, all->from_cache ? "note.bench.cached" : "note.bench.not_cached");
        say(c, j, &m);
    } else {
        say(c, j, &all->opencl_why);
    }
}
