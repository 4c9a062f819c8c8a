/* The answer of `shardlab overflow` as JSON, and the lines of --events, which are written with one call each past the
 * buffered output. Proof: tests/cli/test_overflow.c. */
#define _POSIX_C_SOURCE 200809L
#include <unistd.h>

#include "overflow_private.h"
#include "shardlab/base/json.h"

/* inf and nan are what this command is about, and no JSON: the number is null, and KEY_class says which. */
static void write_fact(struct json *j, const struct fact *fact) {
    char key[64];
    struct writer w;
    switch (fact->kind) {
    case FACT_COUNT:
        json_u64(j, fact->key, fact->count);
        break;
    case FACT_WORD:
        json_text(j, fact->key, fact->word);
        break;
    case FACT_REAL:
        json_real(j, fact->key, fact->real);
        break;
    case FACT_VALUE:
        writer_start(&w, key, sizeof key);
        writer_text(&w, fact->key);
        writer_text(&w, "_class");
        json_real(j, fact->key, fact->real);
        json_text(j, key, fact_class(fact->real));
        break;
    }
}

static void write_facts(struct json *j, const char *key, const struct facts *facts) {
    json_object_open(j, key);
    for (int i = 0; i < facts->count; i++) {
        write_fact(j, &facts->list[i]);
    }
    json_object_close(j);
}

static void write_bounds(struct json *j, const struct facts *predicted) {
    json_array_open(j, "predicted_bounds");
    for (int i = 0; i < predicted->count; i++) {
        if (predicted->list[i].at_most) {
            json_text(j, NULL, predicted->list[i].key);
        }
    }
    json_array_close(j);
}

static void write_points(struct json *j, const struct facts *facts) {
    json_array_open(j, "points");
    for (int row = 0; row < facts->points; row++) {
        json_object_open(j, NULL);
        for (int i = 0; i < facts->columns; i++) {
            json_real(j, facts->column[i], facts->point[row][i]);
        }
        json_object_close(j);
    }
    json_array_close(j);
}

static void write_note(struct cli_context *c, struct json *j, const char *id) {
    json_text(j, NULL, words_get(&c->words, id));
}

void overflow_json(struct cli_context *c, const struct overflow *o) {
    const struct precision_options *p = &o->options;
    struct json j;
    json_start(&j, c->out);
    json_object_open(&j, NULL);
    json_text(&j, "command", "overflow");
    json_text(&j, "experiment", precision_name(p->experiment));
    json_text(&j, "type", num_format(p->type)->name);
    json_text(&j, "overflow", p->overflow == NUM_OVERFLOW_INF ? "inf" : "saturate");
    json_u64(&j, "ranks", p->job.ranks);
    json_text(&j, "backend", o->backend);
    cli_device_json(&j, &o->device);
    json_u64(&j, "repeat", p->repeat);
    if (o->seeded) {
        json_u64(&j, "seed", p->seed);
    } else {
        json_null(&j, "seed");
    }
    if (p->experiment == PRECISION_ALLREDUCE) {
        json_text(&j, "algorithm", coll_algorithm_name(p->job.algorithm));
    }
    write_facts(&j, "predicted", &o->predicted);
    write_facts(&j, "measured", &o->measured.facts);
    write_bounds(&j, &o->predicted);
    json_bool(&j, "points_predicted", o->predicted.points > 0);
    json_bool(&j, "same_each_time", o->measured.same_each_time);
    json_bool(&j, "match", o->match);
    json_real(&j, "time_s", o->measured.least_s);
    write_points(&j, &o->measured.facts);
    json_array_open(&j, "notes");
    write_note(c, &j, "overflow.rule");
    if (!o->seeded) {
        write_note(c, &j, "overflow.no_seed");
    }
    json_array_close(&j);
    json_object_close(&j);
    writer_char(c->out, '\n');
}

void overflow_event(void *context, uint64_t repeat, double time_s) {
    char text[160];
    struct writer w;
    struct json j;
    (void)context;
    writer_start(&w, text, sizeof text);
    json_start(&j, &w);
    json_object_open(&j, NULL);
    json_text(&j, "event", "repeat");
    json_u64(&j, "repeat", repeat);
    json_real(&j, "time_s", time_s);
    json_object_close(&j);
    writer_char(&w, '\n');
    ssize_t written = write(STDOUT_FILENO, w.bytes, w.length);
    (void)written; /* who does not listen any more misses nothing: the result says the same */
}
