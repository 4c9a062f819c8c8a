/* The answer of `shardlab allreduce` as JSON, and the lines of --events. Events are written with one call each, past the
 * buffered output: they come from ranks that may be other threads or processes, and whole lines do not mix.
 * Proof: tests/cli/test_allreduce.c. */
#define _POSIX_C_SOURCE 200809L
#include <unistd.h>

#include "allreduce_private.h"
#include "shardlab/base/json.h"

static void write_list(struct json *j, const char *key, const uint64_t *values, uint32_t count) {
    json_array_open(j, key);
    for (uint32_t i = 0; i < count; i++) {
        json_u64(j, NULL, values[i]);
    }
    json_array_close(j);
}

static void write_counts(struct json *j, const char *key, const struct exchange_counts *counts,
                         uint32_t ranks) {
    json_object_open(j, key);
    write_list(j, "sent_bytes_per_rank", counts->sent_bytes, ranks);
    write_list(j, "messages_per_rank", counts->sent_messages, ranks);
    json_u64(j, "steps", counts->steps);
    json_object_close(j);
}

static void write_trace(struct json *j, const struct allreduce *a) {
    json_array_open(j, "trace");
    for (uint64_t i = 0; i < a->trial.traced; i++) {
        const struct ranks_trace *t = &a->trial.trace[i];
        uint32_t chunk, chunks;
        allreduce_chunks(&a->options.job, t, &chunk, &chunks);
        json_object_open(j, NULL);
        json_u64(j, "step", t->round);
        json_u64(j, "from", t->from);
        json_u64(j, "to", t->to);
        json_u64(j, "chunk", chunk);
        json_u64(j, "chunks", chunks);
        json_u64(j, "first_element", t->first);
        json_u64(j, "elements", t->count);
        json_u64(j, "bytes", t->count * ranks_type_bytes(a->options.type));
        json_object_close(j);
    }
    json_array_close(j);
}

static void write_what(struct json *j, const struct allreduce *a) {
    const struct ranks_trial_options *o = &a->options;
    json_text(j, "command", "allreduce");
    json_u64(j, "ranks", o->job.ranks);
    json_text(j, "collective", coll_collective_name(o->job.collective));
    json_text(j, "algorithm", coll_algorithm_name(o->job.algorithm));
    json_bool(j, "algorithm_chosen", a->chosen);
    json_text(j, "backend", a->backend);
    json_text(j, "executor", ranks_executor_name(o->executor));
    if (o->executor == RANKS_EXECUTOR_WORKERS) {
        json_u64(j, "workers", a->trial.workers);
    } else {
        json_null(j, "workers");
    }
    json_text(j, "type", ranks_type_name(o->type));
    json_text(j, "accumulate", o->wide ? "fp32" : "type");
    json_text(j, "op", ranks_op_name(o->op));
    json_u64(j, "elements", o->job.elements);
    json_u64(j, "message_bytes", a->message_bytes);
    json_u64(j, "repeat", o->repeat);
    json_u64(j, "seed", o->seed);
}

void allreduce_json(struct cli_context *c, const struct allreduce *a) {
    const struct ranks_trial *t = &a->trial;
    struct json j;
    json_start(&j, c->out);
    json_object_open(&j, NULL);
    write_what(&j, a);
    cli_device_json(&j, &a->device);
    json_object_open(&j, "time_s");
    json_real(&j, "median", a->median_s);
    json_real(&j, "min", t->times_s[0]);
    json_real(&j, "max", t->times_s[a->options.repeat - 1]);
    json_object_close(&j);
    json_real(&j, "algbw_bytes_per_s", a->algbw);
    json_real(&j, "busbw_bytes_per_s", a->busbw);
    json_real(&j, "max_abs_error", t->max_abs_error);
    json_real(&j, "error_bound", t->error_bound);
    json_bool(&j, "within_bound", t->within);
    json_bool(&j, "same_each_time", t->same_each_time);
    write_counts(&j, "predicted", &a->predicted, t->ranks);
    write_counts(&j, "measured", &a->measured, t->ranks);
    json_bool(&j, "match", a->match);
    if (a->options.trace) {
        write_trace(&j, a);
    }
    json_array_open(&j, "notes");
    if (a->options.job.ranks == 1) {
        json_text(&j, NULL, words_get(&c->words, "note.allreduce.one_rank"));
    }
    json_array_close(&j);
    json_object_close(&j);
    writer_char(c->out, '\n');
}

/* --- Events --- */

void allreduce_event_send(struct writer *w) {
    writer_char(w, '\n');
    ssize_t written = write(STDOUT_FILENO, w->bytes, w->length);
    (void)written; /* who does not listen any more misses nothing: the result says the same */
}

void allreduce_event(void *context, const struct ranks_event *event) {
    char text[256];
    struct writer w;
    struct json j;
    (void)context;
    writer_start(&w, text, sizeof text);
    json_start(&j, &w);
    json_object_open(&j, NULL);
    if (event->kind == RANKS_EVENT_STARTED) {
        json_text(&j, "event", "rank");
        json_u64(&j, "rank", event->rank);
        json_i64(&j, "process", event->process);
    } else {
        json_text(&j, "event", "repeat");
        json_u64(&j, "repeat", event->repeat);
        json_real(&j, "time_s", event->time_s);
    }
    json_object_close(&j);
    allreduce_event_send(&w);
}

static const char *wait_name(enum ranks_wait wait) {
    static const char *const names[] = {"running", "sending", "receiving", "barrier", "ended"};
    return names[wait];
}

void allreduce_event_ended(const struct ranks_trial *trial) {
    static const char *const ends[] = {"well",  "timeout", "cycle", "dead", "left",
                                       "sizes", "labels",  "body",  "start"};
    char text[4096]; /* what a pipe takes in one piece */
    struct writer w;
    struct json j;
    if (trial->report.end == RANKS_END_WELL) {
        return; /* it never began */
    }
    writer_start(&w, text, sizeof text);
    json_start(&j, &w);
    json_object_open(&j, NULL);
    json_text(&j, "event", "ended");
    json_text(&j, "end", ends[trial->report.end]);
    json_u64(&j, "rank", trial->report.rank);
    json_array_open(&j, "cycle");
    for (uint32_t i = 0; i < trial->report.cycle_length && i < 32; i++) {
        json_u64(&j, NULL, trial->report.cycle[i]);
    }
    json_array_close(&j);
    json_array_open(&j, "ranks");
    for (uint32_t r = 0; r < trial->ranks && w.length < sizeof text - 256; r++) {
        json_object_open(&j, NULL);
        json_u64(&j, "rank", r);
        json_text(&j, "doing", wait_name(trial->doing[r].wait));
        json_u64(&j, "peer", trial->doing[r].peer);
        json_u64(&j, "step", trial->doing[r].step);
        json_object_close(&j);
    }
    json_array_close(&j);
    json_object_close(&j);
    allreduce_event_send(&w);
}
