/* `shardlab allreduce`: ranks that really run a collective; what the calculator predicts stands beside what the transport
 * counted (CONTRACT, "Experiments"). This file gives the options their meaning, runs, predicts and compares; readers are
 * allreduce_json.c and allreduce_text.c. Predicted ≠ measured, or a result outside its bound, is status 1 with the
 * whole answer printed. Proof: tests/cli/test_allreduce.c. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "allreduce_private.h"
#include "shardlab/calc/collective.h"
#include "shardlab/gpu/trial.h"

static enum status two(struct message *why, const char *a, const char *b) {
    message_start(why, "error.args.together");
    message_add_text(why, a);
    message_add_text(why, b);
    return STATUS_USAGE;
}

static enum status elements_of(const struct cli_experiment *e, enum ranks_type type, uint64_t *out,
                               struct message *why) {
    uint64_t size = ranks_type_bytes(type);
    if (e->elems_given && e->bytes_given) {
        return two(why, "elems", "bytes");
    }
    *out = e->bytes_given ? e->bytes / size : e->elems;
    if (e->bytes_given && e->bytes % size != 0) {
        message_start(why, "error.allreduce.bytes");
        message_add_plain(why, e->bytes);
        message_add_text(why, ranks_type_name(type));
        message_add_plain(why, size);
        message_add_plain(why, e->bytes - e->bytes % size);
        message_add_plain(why, e->bytes / size < UINT64_MAX / size ? (e->bytes / size + 1) * size
                                                                   : e->bytes / size * size);
        return STATUS_USAGE;
    }
    return STATUS_OK;
}

/* What decides how elements are joined means something only where some are. */
static enum status check_joins(const struct cli_experiment *e, enum coll_collective collective,
                               struct message *why) {
    static const char *const names[] = {"op", "accumulate"};
    bool joins = collective == COLL_ALL_REDUCE || collective == COLL_REDUCE_SCATTER;
    for (size_t i = 0; !joins && i < sizeof names / sizeof names[0]; i++) {
        if (cli_experiment_given(e, names[i])) {
            message_start(why, "error.allreduce.option");
            message_add_text(why, names[i]);
            message_add_text(why, e->collective);
            return STATUS_USAGE;
        }
    }
    return STATUS_OK;
}

/* Under a launcher the ranks are its own. */
static enum status ranks_of(const struct cli_experiment *e, struct allreduce *a,
                            struct message *why) {
    uint32_t started;
    a->options.job.ranks = (uint32_t)e->ranks;
    if (strcmp(e->backend, "mpi") != 0) {
        return STATUS_OK;
    }
    enum status ok = ranks_mpi_join(&a->self, &started, why);
    a->options.job.ranks =
        ok == STATUS_OK && !cli_experiment_given(e, "ranks") ? started : a->options.job.ranks;
    return ok;
}

static enum status backend_of(const char *name, const struct ranks_trial_options *o,
                              enum ranks_backend *out, struct message *why) {
    int found = 0;
    if (cli_device_named(name)) {
        if (o->executor == RANKS_EXECUTOR_WORKERS) {
            message_start(why, "error.ranks.executor");
            message_add_text(why, name);
            return STATUS_USAGE;
        }
        return STATUS_OK; /* looked for when it is to run */
    }
    enum status ok = cli_experiment_backend(name, &found, why);
    *out = (enum ranks_backend)found;
    return ok;
}

/* Words were checked against the table of options, which has the names of ranks/. */
static enum status read_options(const struct cli_experiment *e, struct allreduce *a,
                                struct message *why) {
    struct ranks_trial_options *o = &a->options;
    o->job.collective = (enum coll_collective)coll_collective_find(e->collective);
    o->type = (enum ranks_type)ranks_type_find(e->type);
    o->op = (enum ranks_op)ranks_op_find(e->op);
    o->executor = (enum ranks_executor)ranks_executor_find(e->executor);
    o->wide = strcmp(e->accumulate, "fp32") == 0;
    o->repeat = (uint32_t)e->repeat;
    o->seed = e->seed;
    o->timeout_s = e->timeout_s;
    o->trace = e->trace;
    o->tell = e->events ? allreduce_event : NULL;
    enum status ok = ranks_of(e, a, why);
    ok = ok == STATUS_OK ? check_joins(e, o->job.collective, why) : ok;
    ok = ok == STATUS_OK ? elements_of(e, o->type, &o->job.elements, why) : ok;
    if (ok != STATUS_OK) {
        return ok;
    }
    a->backend = e->backend;
    a->chosen = strcmp(e->algorithm, "auto") == 0;
    o->job.algorithm = a->chosen ? ranks_algorithm_auto(&o->job, o->type)
                                 : (enum coll_algorithm)coll_algorithm_find(e->algorithm);
    ok = e->sweep ? STATUS_OK : coll_job_check(&o->job, why); /* a sweep has sizes of its own */
    return ok == STATUS_OK ? backend_of(e->backend, o, &o->backend, why) : ok;
}

/* --- Prediction --- */

static enum calc_exchange_kind kind_of(const struct ranks_trial_options *o) {
    return (enum calc_exchange_kind)calc_exchange_find(coll_collective_name(o->job.collective));
}

static enum status predict(const struct ranks_trial_options *o, uint64_t *bytes, uint64_t *messages,
                           struct allreduce *a, struct message *why) {
    struct calc_exchange x = {
        .kind = kind_of(o),
        .algorithm =
            (enum calc_algorithm)calc_algorithm_find(coll_algorithm_name(o->job.algorithm)),
        .elements = o->job.elements,
        .element_bytes = ranks_type_bytes(o->type),
        .ranks = o->job.ranks,
    };
    for (uint32_t r = 0; r < o->job.ranks; r++) {
        struct calc_exchange_cost cost;
        enum status ok = calc_exchange_rank(&x, r, &cost, why);
        if (ok != STATUS_OK) {
            return ok;
        }
        bytes[r] = cost.sent_bytes;
        messages[r] = cost.messages;
    }
    a->predicted = (struct exchange_counts){bytes, messages, calc_exchange_rounds(&x)};
    return STATUS_OK;
}

bool allreduce_matches(const struct exchange_counts *predicted,
                       const struct exchange_counts *measured, uint32_t ranks) {
    size_t bytes = ranks * sizeof(uint64_t);
    return predicted->steps == measured->steps &&
           memcmp(predicted->sent_bytes, measured->sent_bytes, bytes) == 0 &&
           memcmp(predicted->sent_messages, measured->sent_messages, bytes) == 0;
}

void allreduce_chunks(const struct coll_job *job, const struct ranks_trace *t, uint32_t *chunk,
                      uint32_t *chunks) {
    *chunk = 0;
    *chunks = 0;
    for (uint32_t c = 0; c < job->ranks; c++) {
        uint64_t first, count;
        coll_chunk(job, c, &first, &count);
        if (count > 0 && first >= t->first && first < t->first + t->count) {
            *chunk = *chunks == 0 ? c : *chunk;
            ++*chunks;
        }
    }
}

/* --- Rates --- */

static void rate(struct allreduce *a) {
    const struct ranks_trial *t = &a->trial;
    uint32_t n = a->options.repeat;
    a->median_s = n % 2 == 1 ? t->times_s[n / 2] : (t->times_s[n / 2 - 1] + t->times_s[n / 2]) / 2;
    bool moves = a->options.job.ranks > 1 && a->median_s > 0;
    a->algbw = moves ? (double)a->message_bytes / a->median_s : (double)NAN;
    a->busbw = a->algbw * calc_exchange_bus_factor(kind_of(&a->options), a->options.job.ranks);
}

static enum status run_on_devices(struct allreduce *a, struct message *why) {
    struct gpu *gpu = NULL;
    enum status ok = cli_device_open(a->backend, a->options.job.ranks, &gpu, &a->device, why);
    ok = ok == STATUS_OK ? gpu_trial_run(gpu, &a->options, &a->trial, why) : ok;
    gpu_close(gpu);
    return ok;
}

enum status allreduce_measure(struct allreduce *a, struct message *why) {
    const struct ranks_trial_options *o = &a->options;
    a->counts = calloc(2 * (size_t)o->job.ranks, sizeof *a->counts);
    if (a->counts == NULL) {
        message_start(why, "error.memory");
        return STATUS_FAILED;
    }
    a->message_bytes = o->job.elements * ranks_type_bytes(o->type);
    enum status ok = predict(o, a->counts, a->counts + o->job.ranks, a, why);
    ok = ok != STATUS_OK                ? ok
         : cli_device_named(a->backend) ? run_on_devices(a, why)
                                        : ranks_trial_run(o, &a->trial, why);
    if (ok != STATUS_OK || a->trial.report.elsewhere) {
        return ok;
    }
    const struct ranks_trial *t = &a->trial;
    a->measured = (struct exchange_counts){t->sent_bytes, t->sent_messages, t->rounds};
    a->match = allreduce_matches(&a->predicted, &a->measured, o->job.ranks) && t->within &&
               t->same_each_time;
    rate(a);
    return STATUS_OK;
}

void allreduce_free(struct allreduce *a) {
    ranks_trial_free(&a->trial);
    free(a->counts);
}

static enum status run(struct cli_context *c, const struct cli_args *args, struct allreduce *a,
                       struct message *why) {
    enum status ok = allreduce_measure(a, why);
    if (ok != STATUS_OK && args->experiment.events) {
        allreduce_event_ended(&a->trial);
    }
    if (ok != STATUS_OK || a->trial.report.elsewhere) {
        return ok; /* rank 0 prints */
    }
    if (args->json || args->experiment.events) {
        allreduce_json(c, a);
    } else {
        allreduce_text(c, a);
    }
    return a->match ? STATUS_OK : STATUS_FAILED;
}

/* Wrong usage is the same on all MPI ranks; rank 0 says it. */
static enum status told_once(const struct allreduce *a, enum status status, struct message *why) {
    if (status == STATUS_USAGE && a->self != 0) {
        message_start(why, NULL);
    }
    return status;
}

enum status cli_allreduce(struct cli_context *c, const struct cli_args *args, struct message *why) {
    struct allreduce a;
    memset(&a, 0, sizeof a);
    enum status ok = read_options(&args->experiment, &a, why);
    if (ok != STATUS_OK) {
        return told_once(&a, ok, why);
    }
    ok = args->experiment.sweep ? allreduce_sweep(c, args, &a, why) : run(c, args, &a, why);
    allreduce_free(&a);
    return told_once(&a, ok, why);
}
