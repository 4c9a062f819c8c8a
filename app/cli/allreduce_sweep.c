/* `shardlab allreduce --sweep`: every algorithm on messages from 1 KiB on, each really run. What was sent stands beside what
 * was predicted, per algorithm; the times give this machine's own α and rate, and where one algorithm overtakes another.
 * The lesson *collectives* draws it. Runs and predictions are those of a single `allreduce` (allreduce.c); memory is this
 * file's. Left out: more than 16 ranks have no fit, since the busiest rank of each round is then not known.
 * Proof: tests/cli/test_sweep.c. */
#define _POSIX_C_SOURCE 200809L
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "allreduce_private.h"
#include "shardlab/base/json.h"
#include "shardlab/calc/alpha_beta.h"
#include "shardlab/calc/collective.h"
#include "shardlab/lesson/collective_view.h"
#include "shardlab/view/frames.h"
#include "shardlab/view/width.h"

enum { SIZES_MAX = 16, POINTS_MAX = SIZES_MAX * COLL_ALGORITHMS };
static const uint64_t first_bytes = 1 << 10, usual_bytes = 16 << 20;

struct point {
    enum coll_algorithm algorithm;
    uint64_t bytes;
    double time_s, least_s, busbw; /* median, and the least, which other programs disturb least */
    struct collective_cost cost;   /* rounds 0: not known */
    double fit_s;                  /* nan: no fit */
};

/* Sums over all sizes and ranks of an algorithm. */
struct sent {
    uint64_t bytes, messages;
};

/* Who is the fastest, from one size to another. */
struct stretch {
    enum coll_algorithm algorithm;
    double from, until; /* until: nan in the last */
};

struct sweep {
    struct allreduce base; /* what all points share */
    uint64_t largest;
    struct point points[POINTS_MAX];
    int count, sizes;
    struct sent predicted[COLL_ALGORITHMS], measured[COLL_ALGORITHMS];
    bool defined[COLL_ALGORITHMS], match, fitted, elsewhere;
    struct calc_alpha_beta fit;
    struct stretch fastest[SIZES_MAX];
    int stretches;
};

/* --- Running --- */

static void tell(const struct point *p) {
    char text[256];
    struct writer w;
    struct json j;
    writer_start(&w, text, sizeof text);
    json_start(&j, &w);
    json_object_open(&j, NULL);
    json_text(&j, "event", "point");
    json_text(&j, "algorithm", coll_algorithm_name(p->algorithm));
    json_u64(&j, "message_bytes", p->bytes);
    json_real(&j, "time_s", p->time_s);
    json_object_close(&j);
    allreduce_event_send(&w);
}

static void add_counts(struct sent *to, const struct exchange_counts *counts, uint32_t ranks) {
    for (uint32_t r = 0; r < ranks; r++) {
        to->bytes += counts->sent_bytes[r];
        to->messages += counts->sent_messages[r];
    }
}

static void keep(struct sweep *s, const struct allreduce *a, bool listened) {
    const struct coll_job *job = &a->options.job;
    struct message unused;
    struct point *p = &s->points[s->count++];
    *p = (struct point){job->algorithm,      a->message_bytes, a->median_s,
                        a->trial.times_s[0], a->busbw,         {0},
                        (double)NAN};
    if (job->ranks <= VIEW_FRAMES_RANKS_MAX &&
        collective_cost(job, ranks_type_bytes(a->options.type), &p->cost, &unused) != STATUS_OK) {
        p->cost.rounds = 0;
    }
    add_counts(&s->predicted[job->algorithm], &a->predicted, job->ranks);
    add_counts(&s->measured[job->algorithm], &a->measured, job->ranks);
    s->match = s->match && a->match;
    if (listened) {
        tell(p);
    }
}

static uint64_t elements_of(const struct sweep *s, uint64_t bytes) {
    const struct coll_job *job = &s->base.options.job;
    uint64_t elements = bytes / ranks_type_bytes(s->base.options.type);
    bool shares = job->collective == COLL_ALL_TO_ALL; /* only whole shares are defined */
    return shares ? elements - elements % job->ranks : elements;
}

static enum status run_point(struct sweep *s, enum coll_algorithm algorithm, uint64_t bytes,
                             bool listened, struct message *why) {
    struct allreduce a = s->base;
    a.options.job.algorithm = algorithm;
    a.options.job.elements = elements_of(s, bytes);
    a.options.tell = NULL;
    enum status ok = allreduce_measure(&a, why);
    if (ok == STATUS_OK && !a.trial.report.elsewhere) {
        keep(s, &a, listened);
    }
    s->elsewhere = a.trial.report.elsewhere;
    allreduce_free(&a);
    return ok;
}

static enum status run_all(struct sweep *s, bool listened, struct message *why) {
    const struct coll_job *job = &s->base.options.job;
    for (uint64_t bytes = first_bytes; bytes <= s->largest && s->sizes < SIZES_MAX; bytes *= 4) {
        s->sizes++;
        for (int a = 0; a < COLL_ALGORITHMS; a++) {
            s->defined[a] = coll_defines(job->collective, (enum coll_algorithm)a);
            enum status ok = s->defined[a]
                                 ? run_point(s, (enum coll_algorithm)a, bytes, listened, why)
                                 : STATUS_OK;
            if (ok != STATUS_OK) {
                return ok;
            }
        }
    }
    return STATUS_OK;
}

/* --- What the times say --- */

static void fit(struct sweep *s) {
    struct calc_timing timings[POINTS_MAX];
    int count = 0;
    for (int i = 0; i < s->count; i++) {
        const struct point *p = &s->points[i];
        if (p->cost.rounds > 0 && p->least_s > 0) {
            timings[count++] = (struct calc_timing){(double)p->cost.path_messages,
                                                    (double)p->cost.path_bytes, p->least_s};
        }
    }
    s->fitted = calc_alpha_beta_fit(timings, count, &s->fit);
    for (int i = 0; i < s->count && s->fitted; i++) {
        struct point *p = &s->points[i];
        p->fit_s = collective_seconds(&p->cost, s->fit.alpha_s, s->fit.bytes_per_s);
    }
}

static const struct point *point_at(const struct sweep *s, int size, enum coll_algorithm a) {
    int each = s->count / s->sizes;
    for (int i = 0; i < each; i++) {
        if (s->points[size * each + i].algorithm == a) {
            return &s->points[size * each + i];
        }
    }
    return NULL;
}

static const struct point *fastest_at(const struct sweep *s, int size) {
    int each = s->count / s->sizes;
    const struct point *best = &s->points[size * each];
    for (int i = 1; i < each; i++) {
        const struct point *p = &s->points[size * each + i];
        best = p->least_s < best->least_s ? p : best;
    }
    return best;
}

static void find_fastest(struct sweep *s) {
    for (int i = 0; i < s->sizes && s->count > 0; i++) {
        const struct point *best = fastest_at(s, i);
        struct stretch *last = s->stretches > 0 ? &s->fastest[s->stretches - 1] : NULL;
        if (last != NULL && last->algorithm == best->algorithm) {
            continue;
        }
        double from = (double)best->bytes;
        if (last != NULL) {
            const struct point *was = point_at(s, i - 1, last->algorithm);
            const struct point *before = point_at(s, i - 1, best->algorithm);
            const struct point *now = point_at(s, i, last->algorithm);
            from =
                calc_overtaking_size(&(struct calc_overtaking){(double)was->bytes,
                                                               (double)now->bytes,
                                                               {was->least_s, now->least_s},
                                                               {before->least_s, best->least_s}});
            last->until = from;
        }
        s->fastest[s->stretches++] = (struct stretch){best->algorithm, from, (double)NAN};
    }
}

/* --- Readers --- */

static void json_sent(struct json *j, const char *key, const struct sweep *s,
                      const struct sent *sent) {
    json_object_open(j, key);
    for (int k = 0; k < 2; k++) {
        json_array_open(j, k == 0 ? "sent_bytes_per_algorithm" : "messages_per_algorithm");
        for (int a = 0; a < COLL_ALGORITHMS; a++) {
            if (s->defined[a]) {
                json_u64(j, NULL, k == 0 ? sent[a].bytes : sent[a].messages);
            }
        }
        json_array_close(j);
    }
    json_object_close(j);
}

static void json_points(struct json *j, const struct sweep *s) {
    json_array_open(j, "points");
    for (int i = 0; i < s->count; i++) {
        const struct point *p = &s->points[i];
        json_object_open(j, NULL);
        json_text(j, "algorithm", coll_algorithm_name(p->algorithm));
        json_u64(j, "message_bytes", p->bytes);
        json_real(j, "time_s", p->time_s);
        json_real(j, "least_s", p->least_s);
        json_real(j, "busbw_bytes_per_s", p->busbw);
        json_real(j, "fit_time_s", p->fit_s);
        json_object_close(j);
    }
    json_array_close(j);
}

static void json_fit(struct json *j, const struct sweep *s) {
    const double unknown = (double)NAN; /* null */
    json_object_open(j, "fit");
    json_real(j, "alpha_s", s->fitted ? s->fit.alpha_s : unknown);
    json_real(j, "bytes_per_s", s->fitted ? s->fit.bytes_per_s : unknown);
    json_real(j, "mean_deviation", s->fitted ? s->fit.deviation : unknown);
    json_object_close(j);
}

static void json_fastest(struct json *j, const struct sweep *s) {
    json_array_open(j, "fastest");
    for (int i = 0; i < s->stretches; i++) {
        const struct stretch *t = &s->fastest[i];
        json_object_open(j, NULL);
        json_text(j, "algorithm", coll_algorithm_name(t->algorithm));
        json_u64(j, "from_bytes", (uint64_t)llround(t->from));
        if (isnan(t->until)) {
            json_null(j, "until_bytes");
        } else {
            json_u64(j, "until_bytes", (uint64_t)llround(t->until));
        }
        json_object_close(j);
    }
    json_array_close(j);
}

/* Why there is no fit. */
static bool note(const struct sweep *s, struct message *m) {
    uint32_t ranks = s->base.options.job.ranks;
    if (s->fitted) {
        return false;
    }
    message_start(m, ranks == 1                      ? "note.allreduce.one_rank"
                     : ranks > VIEW_FRAMES_RANKS_MAX ? "note.sweep.many_ranks"
                                                     : "note.sweep.no_fit");
    message_add_plain(m, VIEW_FRAMES_RANKS_MAX);
    return true;
}

static void write_json(struct cli_context *c, const struct sweep *s) {
    const struct ranks_trial_options *o = &s->base.options;
    struct message m;
    struct json j;
    json_start(&j, c->out);
    json_object_open(&j, NULL);
    json_text(&j, "command", "allreduce");
    json_bool(&j, "sweep", true);
    json_u64(&j, "ranks", o->job.ranks);
    json_text(&j, "collective", coll_collective_name(o->job.collective));
    json_text(&j, "backend", s->base.backend);
    json_text(&j, "executor", ranks_executor_name(o->executor));
    json_text(&j, "type", ranks_type_name(o->type));
    json_u64(&j, "repeat", o->repeat);
    json_array_open(&j, "algorithms");
    for (int a = 0; a < COLL_ALGORITHMS; a++) {
        if (s->defined[a]) {
            json_text(&j, NULL, coll_algorithm_name((enum coll_algorithm)a));
        }
    }
    json_array_close(&j);
    json_points(&j, s);
    json_fit(&j, s);
    json_fastest(&j, s);
    json_sent(&j, "predicted", s, s->predicted);
    json_sent(&j, "measured", s, s->measured);
    json_bool(&j, "match", s->match);
    json_array_open(&j, "notes");
    if (note(s, &m)) {
        cli_json_note(c, &j, &m);
    }
    json_array_close(&j);
    json_object_close(&j);
    writer_char(c->out, '\n');
}

static const struct width_rules rules = {false};

static void write_sizes(struct cli_context *c, const struct sweep *s) {
    int each = s->count / s->sizes;
    width_write_right(c->out, words_get(&c->words, "cli.sweep.bytes"), 14, &rules);
    for (int i = 0; i < each; i++) {
        width_write_right(c->out, coll_algorithm_name(s->points[i].algorithm),
                          s->points[i].algorithm == COLL_HALVING_DOUBLING ? 18 : 11, &rules);
    }
    writer_char(c->out, '\n');
    for (int row = 0; row < s->sizes; row++) {
        char text[32];
        struct writer w;
        writer_start(&w, text, sizeof text);
        writer_u64_grouped(&w, s->points[row * each].bytes);
        width_write_right(c->out, text, 14, &rules);
        for (int i = 0; i < each; i++) {
            const struct point *p = &s->points[row * each + i];
            writer_start(&w, text, sizeof text);
            writer_fixed(&w, 1e6 * p->least_s, 1);
            width_write_right(c->out, text, p->algorithm == COLL_HALVING_DOUBLING ? 18 : 11,
                              &rules);
        }
        writer_char(c->out, '\n');
    }
    writer_char(c->out, '\n');
}

static void write_text(struct cli_context *c, const struct sweep *s) {
    struct message m;
    message_start(&m, "cli.sweep.head");
    message_add_plain(&m, s->base.options.job.ranks);
    message_add_text(&m, coll_collective_name(s->base.options.job.collective));
    message_add_text(&m, s->base.backend);
    cli_say(c, &m);
    writer_char(c->out, '\n');
    write_sizes(c, s);
    if (s->fitted) {
        message_start(&m, "cli.sweep.fit");
        message_add_real(&m, 1e6 * s->fit.alpha_s);
        message_add_real(&m, 1e-9 * s->fit.bytes_per_s);
        message_add_real(&m, 100 * s->fit.deviation);
        cli_say(c, &m);
    } else if (note(s, &m)) {
        cli_say(c, &m);
    }
    for (int i = 0; i < s->stretches; i++) {
        const struct stretch *t = &s->fastest[i];
        message_start(&m, s->stretches == 1 ? "collective.fastest.always"
                          : isnan(t->until) ? "collective.fastest.above"
                                            : "collective.fastest.until");
        message_add_text(&m, coll_algorithm_name(t->algorithm));
        message_add_count(&m, (uint64_t)llround(isnan(t->until) ? t->from : t->until));
        cli_say(c, &m);
    }
    message_start(&m, s->match ? "cli.sweep.match" : "cli.sweep.no_match");
    cli_say(c, &m);
}

/* `direct` is defined for every collective, and buffers are those of any algorithm. */
static enum status check_largest(const struct sweep *s, struct message *why) {
    struct ranks_trial_options o = s->base.options;
    o.job.algorithm = COLL_DIRECT;
    o.job.elements = elements_of(s, s->largest);
    return ranks_trial_check(&o, why);
}

static enum status check(const struct cli_args *args, const struct sweep *s, struct message *why) {
    static const char *const single[] = {"algorithm", "trace"};
    for (size_t i = 0; i < sizeof single / sizeof single[0]; i++) {
        if (cli_experiment_given(&args->experiment, single[i])) {
            message_start(why, "error.args.together");
            message_add_text(why, "sweep");
            message_add_text(why, single[i]);
            return STATUS_USAGE;
        }
    }
    if (s->largest < first_bytes) {
        message_start(why, "error.sweep.largest");
        message_add_plain(why, s->largest);
        message_add_plain(why, first_bytes);
        return STATUS_USAGE;
    }
    /* Refused now, not after an hour of smaller ones; a device has its own memory. */
    return cli_device_named(s->base.backend) ? STATUS_OK : check_largest(s, why);
}

enum status allreduce_sweep(struct cli_context *c, const struct cli_args *args,
                            const struct allreduce *base, struct message *why) {
    struct sweep *s = calloc(1, sizeof *s);
    if (s == NULL) {
        message_start(why, "error.memory");
        return STATUS_FAILED;
    }
    bool sized = args->experiment.elems_given || args->experiment.bytes_given;
    s->base = *base;
    s->match = true;
    s->largest =
        sized ? base->options.job.elements * ranks_type_bytes(base->options.type) : usual_bytes;
    enum status ok = check(args, s, why);
    ok = ok == STATUS_OK ? run_all(s, args->experiment.events, why) : ok;
    if (ok == STATUS_OK && !s->elsewhere) {
        fit(s);
        find_fastest(s);
        if (args->json || args->experiment.events) {
            write_json(c, s);
        } else {
            write_text(c, s);
        }
        ok = s->match ? STATUS_OK : STATUS_FAILED;
    }
    free(s);
    return ok;
}
