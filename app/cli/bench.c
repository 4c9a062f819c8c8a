/* `shardlab bench [AREA]`: how fast the program itself is (CONTRACT, "shardlab bench"). Each case runs several times on
 * memory that is there already; beside its median stand a limit measured in the same run, copying as many bytes as the
 * case must read or write, and the peer that does the same elsewhere. Timing lives here only; what is timed is the
 * areas'. Proof: tests/cli/test_bench.c. */
#define _POSIX_C_SOURCE 200809L
#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "bench_collectives_private.h"
#include "bench_formats_private.h"
#include "bench_private.h"
#include "bench_start_private.h"
#include "shardlab/base/units.h"
#include "shardlab/view/width.h"

enum { RUNS_USUAL = 5, RUNS_MAX = 99, RESULTS_MAX = 64 };

static const struct width_rules rules = {false};

static const struct cli_bench_area *const areas[] = {&cli_bench_calculators};
enum { AREAS = 1 };
/* Rows of another shape. */
static const char collectives_name[] = "collectives", formats_name[] = "formats",
                  start_name[] = "start", mpi_name[] = "mpi";

struct spread {
    double median, least, most; /* seconds */
};

/* What was measured of one case. */
struct result {
    const char *area;
    const struct cli_bench_case *what;
    uint64_t items, bytes;
    struct spread time, cpu, limit; /* cpu: without what other programs took of the machine */
};

static double now(clockid_t clock) {
    struct timespec t;
    (void)clock_gettime(clock, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static int compare(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y ? 1 : 0;
}

/* Seconds of several runs. */
struct runs {
    int count;
    double seconds[RUNS_MAX];
};

static struct spread spread_of(struct runs *runs) {
    qsort(runs->seconds, (size_t)runs->count, sizeof runs->seconds[0], compare);
    return (struct spread){runs->seconds[runs->count / 2], runs->seconds[0],
                           runs->seconds[runs->count - 1]};
}

static enum status measure_limit(uint64_t bytes, struct runs *runs, struct message *why) {
    char *from = malloc(bytes), *to = malloc(bytes);
    bool memory = from != NULL && to != NULL;
    for (int i = -1; memory && i < runs->count; i++) { /* the first touches the pages */
        memset(from, i + 2, i < 0 ? bytes : 1);
        double start = now(CLOCK_MONOTONIC);
        memcpy(to, from, bytes);
        double end = now(CLOCK_MONOTONIC);
        if (i >= 0) {
            runs->seconds[i] = end - start;
        }
        from[0] = to[bytes - 1]; /* the copy is wanted */
    }
    free(from);
    free(to);
    if (!memory) {
        message_start(why, "error.memory");
        return STATUS_FAILED;
    }
    return STATUS_OK;
}

/* out->area and out->what are set. */
static enum status measure(struct result *out, int count, struct message *why) {
    const struct cli_bench_case *what = out->what;
    struct cli_bench_state state = {what->argument, NULL, 0, 0};
    struct runs runs = {count, {0.0}}, cpu = {count, {0.0}};
    enum status ok = what->open(&state, why);
    for (int i = 0; ok == STATUS_OK && i < count; i++) {
        double start = now(CLOCK_MONOTONIC), cpu_start = now(CLOCK_PROCESS_CPUTIME_ID);
        what->once(&state);
        cpu.seconds[i] = now(CLOCK_PROCESS_CPUTIME_ID) - cpu_start;
        runs.seconds[i] = now(CLOCK_MONOTONIC) - start;
    }
    what->close(&state);
    if (ok != STATUS_OK) {
        return ok;
    }
    out->items = state.items;
    out->bytes = state.bytes;
    out->time = spread_of(&runs);
    out->cpu = spread_of(&cpu);
    ok = state.bytes > 0 ? measure_limit(state.bytes, &runs, why) : STATUS_OK;
    out->limit = spread_of(&runs);
    return ok;
}

void cli_bench_real_or_null(struct json *j, const char *key, double value) {
    if (value > 0) {
        json_real(j, key, value);
    } else {
        json_null(j, key);
    }
}

static void json_spread(struct json *j, const char *key, const struct spread *s) {
    json_object_open(j, key);
    json_real(j, "median", s->median);
    json_real(j, "min", s->least);
    json_real(j, "max", s->most);
    json_object_close(j);
}

static double per_item_s(const struct result *r) {
    return r->items > 0 ? r->time.median / (double)r->items : 0.0;
}

static void json_limit(struct json *j, const struct result *r) {
    if (r->bytes == 0) {
        json_null(j, "limit");
        json_null(j, "time_over_limit");
        return;
    }
    json_object_open(j, "limit");
    json_text(j, "name", "memcpy");
    json_u64(j, "touched_bytes", r->bytes);
    json_spread(j, "time_s", &r->limit);
    json_object_close(j);
    json_real(j, "time_over_limit", r->time.median / r->limit.median);
}

static void json_result(struct json *j, const struct result *r) {
    json_object_open(j, NULL);
    json_text(j, "area", r->area);
    json_text(j, "case", r->what->id);
    json_text(j, "what", r->what->what);
    json_text(j, "item", r->what->item);
    json_u64(j, "items", r->items);
    json_spread(j, "time_s", &r->time);
    json_spread(j, "cpu_s", &r->cpu);
    json_real(j, "per_item_s", per_item_s(r));
    json_limit(j, r);
    json_object_open(j, "peer");
    json_text(j, "name", r->what->peer);
    json_bool(j, "installed", false);
    json_null(j, "time_s");
    json_object_close(j);
    json_null(j, "time_over_peer");
    json_object_close(j);
}

static void note_peer(struct message *m, const struct result *r) {
    message_start(m, r->what->peer != NULL ? "note.bench.peer" : "note.bench.no_peer");
    message_add_text(m, r->what->id);
    message_add_text(m, r->what->peer != NULL ? r->what->peer : "");
}

/* Each peer once. */
static bool peer_is_new(const struct result *results, int at) {
    return at == 0 || results[at].what->peer != results[at - 1].what->peer;
}

/* All that was measured. */
struct report {
    struct result results[RESULTS_MAX];
    int count, runs;
    struct bench_collectives *collectives; /* NULL: not asked for */
    struct bench_formats *formats;         /* likewise */
    struct bench_start *start;             /* likewise */
    bool over_mpi;                         /* collectives are those of area mpi */
};

static void write_json(struct cli_context *c, const struct report *report) {
    const struct bench_collectives *collectives = report->collectives;
    struct json j;
    json_start(&j, c->out);
    json_object_open(&j, NULL);
    json_text(&j, "command", "bench");
    json_u64(&j, "runs", (uint64_t)report->runs);
    json_array_open(&j, "results");
    for (int i = 0; i < report->count; i++) {
        json_result(&j, &report->results[i]);
    }
    if (collectives != NULL) {
        cli_bench_collectives_json(&j, collectives);
    }
    if (report->formats != NULL) {
        cli_bench_formats_json(&j, report->formats);
    }
    if (report->start != NULL) {
        cli_bench_start_json(&j, report->start);
    }
    json_array_close(&j);
    json_array_open(&j, "notes");
    for (int i = 0; i < report->count; i++) {
        struct message m;
        if (peer_is_new(report->results, i)) {
            note_peer(&m, &report->results[i]);
            cli_json_note(c, &j, &m);
        }
    }
    if (collectives != NULL && !report->over_mpi) {
        cli_bench_collectives_notes(c, &j, collectives);
    }
    if (report->formats != NULL) {
        cli_bench_formats_notes(c, &j, report->formats);
    }
    if (report->start != NULL) {
        cli_bench_start_notes(c, &j, report->start);
    }
    json_array_close(&j);
    json_object_close(&j);
    writer_char(c->out, '\n');
}

static void write_number(struct cli_context *c, double value, int decimals, int columns) {
    char text[48];
    struct writer w;
    writer_start(&w, text, sizeof text);
    writer_fixed(&w, value, decimals);
    width_write_right(c->out, text, columns, &rules);
}

static void write_result(struct cli_context *c, const struct result *r) {
    char items[32];
    struct writer w;
    width_write_left(c->out, r->what->id, 6, &rules);
    width_write_left(c->out, r->what->what, 28, &rules);
    writer_start(&w, items, sizeof items);
    writer_u64_grouped(&w, r->items);
    width_write_right(c->out, items, 10, &rules);
    write_number(c, 1e3 * r->time.median, 3, 9);
    write_number(c, 1e9 * per_item_s(r), 1, 11);
    if (r->bytes > 0) {
        write_number(c, 1e3 * r->limit.median, 3, 10);
        write_number(c, r->time.median / r->limit.median, 1, 6);
    }
    writer_char(c->out, '\n');
}

static void write_text(struct cli_context *c, const struct report *report) {
    static const char *const heads[] = {"cli.bench.items", "cli.bench.time", "cli.bench.per_item",
                                        "cli.bench.limit", "cli.bench.ratio"};
    static const int columns[] = {10, 9, 11, 10, 6};
    struct message m;
    message_start(&m, "cli.bench.head");
    message_add_plain(&m, (uint64_t)report->runs);
    cli_say(c, &m);
    writer_char(c->out, '\n');
    width_write_left(c->out, "", 34, &rules);
    for (int i = 0; i < 5; i++) {
        width_write_right(c->out, words_get(&c->words, heads[i]), columns[i], &rules);
    }
    writer_char(c->out, '\n');
    for (int i = 0; i < report->count; i++) {
        write_result(c, &report->results[i]);
    }
    writer_char(c->out, '\n');
    for (int i = 0; i < report->count; i++) {
        if (peer_is_new(report->results, i)) {
            note_peer(&m, &report->results[i]);
            cli_say(c, &m);
        }
    }
}

static enum status refuse_area(const char *name, struct message *why) {
    char names[MESSAGE_TEXT_MAX];
    struct writer w;
    writer_start(&w, names, sizeof names);
    for (int i = 0; i < AREAS; i++) {
        writer_text(&w, areas[i]->name);
        writer_text(&w, ", ");
    }
    writer_text(&w, collectives_name);
    writer_text(&w, ", ");
    writer_text(&w, formats_name);
    writer_text(&w, ", ");
    writer_text(&w, start_name);
    writer_text(&w, ", ");
    writer_text(&w, mpi_name);
    message_start(why, "error.bench.area");
    message_add_text(why, name);
    message_add_text(why, names);
    return STATUS_USAGE;
}

/* Without an area all of them. */
static bool wanted(const struct cli_args *args, const char *name) {
    return args->value_count == 0 || strcmp(args->values[0], name) == 0;
}

static void answer(struct cli_context *c, const struct cli_args *args,
                   const struct report *report) {
    if (args->json) {
        write_json(c, report);
        return;
    }
    if (report->count > 0) {
        write_text(c, report);
    }
    if (report->collectives != NULL) {
        writer_text(c->out, report->count > 0 ? "\n" : "");
        cli_bench_collectives_text(c, report->collectives);
    }
    if (report->collectives != NULL && !report->over_mpi) {
        cli_bench_collectives_notes(c, NULL, report->collectives);
    }
    if (report->formats != NULL) {
        writer_text(c->out, report->count > 0 || report->collectives != NULL ? "\n" : "");
        cli_bench_formats_text(c, report->formats);
        cli_bench_formats_notes(c, NULL, report->formats);
    }
    if (report->start != NULL) {
        writer_text(c->out, report->count > 0 ? "\n" : "");
        cli_bench_start_text(c, report->start);
        cli_bench_start_notes(c, NULL, report->start);
    }
}

/* The second word of `bench collectives 1MiB`, in bytes, and of `bench formats 1M`, in elements. */
static enum status largest_of(const struct cli_args *args, uint64_t *largest, struct message *why) {
    *largest = UINT64_MAX;
    if (args->value_count < 2) {
        return STATUS_OK;
    }
    const char *word = args->values[1];
    bool of_formats = strcmp(args->values[0], formats_name) == 0;
    uint64_t least = of_formats ? bench_lengths[0] : bench_sizes[0];
    uint64_t most = of_formats ? bench_lengths[BENCH_LENGTHS - 1] : bench_sizes[BENCH_SIZES - 1];
    bool read =
        of_formats ? units_parse_count(word, 1000, largest) : units_parse_bytes(word, largest);
    if (read && *largest >= least && *largest <= most) {
        return STATUS_OK;
    }
    message_start(why, of_formats ? "error.bench.longest" : "error.bench.largest");
    message_add_text(why, word);
    message_add_plain(why, least);
    message_add_plain(why, most);
    return STATUS_USAGE;
}

/* Area mpi is only measured when it is asked for: it needs a launcher. */
static enum status collect(const struct cli_args *args, struct report *report, uint64_t largest,
                           struct message *why) {
    report->over_mpi = args->value_count > 0 && strcmp(args->values[0], mpi_name) == 0;
    if (!report->over_mpi && !wanted(args, collectives_name)) {
        return STATUS_OK;
    }
    report->collectives = calloc(1, sizeof *report->collectives);
    if (report->collectives == NULL) {
        message_start(why, "error.memory");
        return STATUS_FAILED;
    }
    return report->over_mpi
               ? cli_bench_mpi(report->collectives, report->runs, largest, why)
               : cli_bench_collectives(report->collectives, report->runs, largest, why);
}

/* What these areas found is large, and lives as long as the report is written. */
static enum status with_others(struct cli_context *c, const struct cli_args *args,
                               struct report *report, struct message *why) {
    uint64_t largest;
    enum status ok = largest_of(args, &largest, why);
    if (ok == STATUS_OK && wanted(args, start_name)) { /* first: forks from a small process */
        report->start = calloc(1, sizeof *report->start);
        message_start(why, "error.memory");
        ok = report->start == NULL ? STATUS_FAILED
                                   : cli_bench_start(report->start, report->runs, why);
    }
    ok = ok == STATUS_OK ? collect(args, report, largest, why) : ok;
    if (ok == STATUS_OK && wanted(args, formats_name)) {
        report->formats = calloc(1, sizeof *report->formats);
        message_start(why, "error.memory");
        ok = report->formats == NULL
                 ? STATUS_FAILED
                 : cli_bench_formats(report->formats, report->runs, largest, why);
    }
    if (ok == STATUS_OK && !(report->over_mpi && report->collectives->elsewhere)) {
        answer(c, args, report);
    }
    free(report->start);
    free(report->collectives);
    free(report->formats);
    return ok;
}

enum status cli_bench(struct cli_context *c, const struct cli_args *args, struct message *why) {
    struct report report = {.runs = args->repeat_given ? (int)args->repeat : RUNS_USUAL};
    bool sized = args->value_count > 0 && (strcmp(args->values[0], collectives_name) == 0 ||
                                           strcmp(args->values[0], formats_name) == 0 ||
                                           strcmp(args->values[0], mpi_name) == 0);
    int words = sized ? 2 : 1;
    if (args->value_count > words) {
        return refuse_area(args->values[words], why);
    }
    if (args->repeat_given && (args->repeat < 1 || args->repeat > RUNS_MAX)) {
        message_start(why, "error.bench.repeat");
        message_add_plain(why, args->repeat);
        message_add_plain(why, RUNS_MAX);
        return STATUS_USAGE;
    }
    for (int i = 0; i < AREAS; i++) {
        for (int k = 0; wanted(args, areas[i]->name) && k < areas[i]->count; k++) {
            assert(report.count < RESULTS_MAX);
            struct result *result = &report.results[report.count++];
            *result = (struct result){.area = areas[i]->name, .what = &areas[i]->cases[k]};
            enum status ok = measure(result, report.runs, why);
            if (ok != STATUS_OK) {
                return ok;
            }
        }
    }
    if (report.count == 0 && !wanted(args, collectives_name) && !wanted(args, formats_name) &&
        !wanted(args, start_name) && !wanted(args, mpi_name)) {
        return refuse_area(args->values[0], why);
    }
    return with_others(c, args, &report, why);
}
