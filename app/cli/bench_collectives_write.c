/* The figures of the collectives' bench for readers: rows of the bench's JSON, a table, and what is to be known about the peer.
 * Proof: tests/cli/test_bench.c. */
#include "bench_collectives_private.h"
#include "bench_private.h"
#include "shardlab/base/json.h"
#include "shardlab/view/width.h"

static const struct width_rules rules = {false};
static const char peer_name[] = "MPI_Allreduce";

static double over(double a, double b) {
    return a > 0 && b > 0 ? a / b : 0;
}

static void json_times(struct json *j, const struct bench_times *t) {
    cli_bench_real_or_null(j, "warm_s", t->warm_s);
    cli_bench_real_or_null(j, "touched_s", t->touched_s);
}

static void json_ratio(struct json *j, const char *key, const struct bench_times *a,
                       const struct bench_times *b) {
    json_object_open(j, key);
    cli_bench_real_or_null(j, "warm", over(a->warm_s, b->warm_s));
    cli_bench_real_or_null(j, "touched", over(a->touched_s, b->touched_s));
    json_object_close(j);
}

static void json_kernel(struct json *j, const struct bench_kernel *k) {
    if (k->calls == 0) {
        json_null(j, "warm");
        return;
    }
    json_object_open(j, "warm");
    json_u64(j, "calls", k->calls);
    json_u64(j, "page_faults", k->faults);
    json_u64(j, "sleeps", k->sleeps);
    json_object_close(j);
}

static void json_figure(struct json *j, const struct bench_collectives *all,
                        const struct bench_figure *f) {
    json_object_open(j, NULL);
    json_text(j, "area", "collectives");
    json_text(j, "case", "all-reduce");
    json_text(j, "what", f->way);
    json_u64(j, "ranks", f->ranks);
    json_u64(j, "message_bytes", f->bytes);
    if (f->workers > 0) {
        json_u64(j, "workers", f->workers);
    } else {
        json_null(j, "workers");
    }
    json_object_open(j, "time_s");
    json_times(j, &f->time);
    json_object_close(j);
    json_object_open(j, "limit");
    json_text(j, "name", "copy");
    json_u64(j, "touched_bytes", 2 * f->ranks * f->bytes);
    json_times(j, &f->limit);
    json_object_close(j);
    json_ratio(j, "time_over_limit", &f->time, &f->limit);
    json_object_open(j, "peer");
    json_text(j, "name", peer_name);
    json_text(j, "library", all->peer.measured ? all->peer.name : NULL);
    json_bool(j, "installed", all->peer.installed);
    json_times(j, &f->peer);
    json_object_close(j);
    json_ratio(j, "time_over_peer", &f->time, &f->peer);
    json_kernel(j, &f->kernel);
    json_object_close(j);
}

void cli_bench_collectives_json(struct json *j, const struct bench_collectives *all) {
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
        writer_fixed(&w, value, 2);
    } else {
        writer_char(&w, '-');
    }
    width_write_right(c->out, text, columns, &rules);
}

static void write_figure(struct cli_context *c, const struct bench_figure *f) {
    writer_text(c->out, "  ");
    width_write_left(c->out, f->way, 16, &rules);
    number(c, 1e6 * f->time.warm_s, 10);
    number(c, 1e6 * f->time.touched_s, 12);
    number(c, over(f->limit.warm_s, f->time.warm_s), 7);
    number(c, over(f->limit.touched_s, f->time.touched_s), 7);
    number(c, 1e6 * f->peer.warm_s, 11);
    number(c, over(f->peer.warm_s, f->time.warm_s), 7);
    number(c, over(f->peer.touched_s, f->time.touched_s), 7);
    writer_char(c->out, '\n');
}

/* Above the ways of one size on so many ranks. */
static void write_bed(struct cli_context *c, const struct bench_figure *f) {
    struct message m;
    message_start(&m, "cli.bench.bed");
    message_add_plain(&m, f->ranks);
    message_add_count(&m, f->bytes);
    writer_char(c->out, '\n');
    cli_say(c, &m);
}

void cli_bench_collectives_text(struct cli_context *c, const struct bench_collectives *all) {
    static const struct {
        const char *id;
        int columns;
    } heads[] = {
        {"cli.bench.way", 18},      {"cli.bench.warm", 10},    {"cli.bench.touched", 12},
        {"cli.bench.of_limit", 14}, {"cli.bench.peer_us", 11}, {"cli.bench.of_peer", 14},
    };
    struct message m;
    message_start(&m, "cli.bench.collectives");
    cli_say(c, &m);
    writer_char(c->out, '\n');
    for (size_t i = 0; i < sizeof heads / sizeof heads[0]; i++) {
        width_write_right(c->out, words_get(&c->words, heads[i].id), heads[i].columns, &rules);
    }
    writer_char(c->out, '\n');
    for (int i = 0; i < all->count; i++) {
        const struct bench_figure *f = &all->figures[i];
        if (i == 0 || f->bytes != f[-1].bytes || f->ranks != f[-1].ranks) {
            write_bed(c, f);
        }
        write_figure(c, f);
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

static void note_peer(struct cli_context *c, struct json *j, const struct bench_peer *peer) {
    struct message m;
    message_start(&m, !peer->installed                     ? "note.bench.mpi_missing"
                      : peer->measured                     ? "note.bench.mpi"
                      : peer->status == CLI_BENCH_TOO_LONG ? "note.bench.mpi_too_long"
                                                           : "note.bench.mpi_failed");
    if (peer->measured) {
        message_add_text(&m, peer->name);
    } else if (peer->status != CLI_BENCH_TOO_LONG) {
        message_add_plain(&m, peer->status < 0 ? 0 : (uint64_t)peer->status);
    }
    say(c, j, &m);
}

/* What the kernel had to do in the warm calls of the fastest way. */
static void note_kernel(struct cli_context *c, struct json *j,
                        const struct bench_collectives *all) {
    struct bench_kernel sum = {0, 0, 0};
    struct message m;
    for (int i = 0; i < all->count; i += BENCH_WAYS) {
        sum.calls += all->figures[i].kernel.calls;
        sum.faults += all->figures[i].kernel.faults;
        sum.sleeps += all->figures[i].kernel.sleeps;
    }
    message_start(&m, "note.bench.kernel");
    message_add_text(&m, all->figures[0].way);
    message_add_count(&m, sum.calls);
    message_add_count(&m, sum.faults);
    message_add_count(&m, sum.sleeps);
    say(c, j, &m);
}

void cli_bench_collectives_notes(struct cli_context *c, struct json *j,
                                 const struct bench_collectives *all) {
    note_peer(c, j, &all->peer);
    note_kernel(c, j, all);
    if (all->peer.measured && all->mpi_status != 0) {
        struct message m;
        bool too_long = all->mpi_status == CLI_BENCH_TOO_LONG;
        message_start(&m, too_long ? "note.bench.over_mpi_too_long" : "note.bench.over_mpi_failed");
        if (!too_long) {
            message_add_plain(&m, all->mpi_status < 0 ? 0 : (uint64_t)all->mpi_status);
        }
        say(c, j, &m);
    }
    if (!all->opencl) {
        say(c, j, &all->opencl_why);
    }
}
