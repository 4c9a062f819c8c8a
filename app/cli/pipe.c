/* `shardlab pipe`: one schedule, built and simulated, as a table, JSON, a chart or a file for another program (CONTRACT,
 * "shardlab pipe"). Owns all memory of the run; what it computes comes from the room `pipe`. Proof:
 * tests/cli/test_pipe.c. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "pipe_private.h"
#include "shardlab/base/checked.h"
#include "shardlab/base/units.h"
#include "shardlab/pipe/closed_form.h"
#include "shardlab/pipe/csv.h"

/* Stages times micro-batches: about a gigabyte of operations. */
enum { CELLS_MAX = 1 << 22 };

const struct cli_pipe_option_row cli_pipe_options[PIPE_OPTIONS] = {
    [PIPE_OPTION_SCHEDULE] = {"schedule", "NAME"},
    [PIPE_OPTION_STAGES] = {"stages", "P"},
    [PIPE_OPTION_MICRO_BATCHES] = {"micro-batches", "M"},
    [PIPE_OPTION_CHUNKS] = {"chunks", "V"},
    [PIPE_OPTION_GROUP] = {"group", "G"},
    [PIPE_OPTION_TF] = {"tf", "X[,X…]"},
    [PIPE_OPTION_TB] = {"tb", "X[,X…]"},
    [PIPE_OPTION_TW] = {"tw", "X[,X…]"},
    [PIPE_OPTION_TOV] = {"tov", "X"},
    [PIPE_OPTION_COMM] = {"comm", "X"},
    [PIPE_OPTION_IMPORT] = {"import", "FILE"},
    [PIPE_OPTION_EXPORT] = {"export", "torch-csv|chrome-trace"},
    [PIPE_OPTION_OPS] = {"ops", NULL},
    [PIPE_OPTION_GANTT] = {"gantt", NULL},
    [PIPE_OPTION_AGAINST] = {"against", "NAME"},
    [PIPE_OPTION_SCENARIO] = {"scenario", "'OPTION…'"},
    [PIPE_OPTION_ASK] = {"ask", "F3@2"},
    [PIPE_OPTION_WIDTH] = {"width", "N"},
    [PIPE_OPTION_ASCII] = {"ascii", NULL},
};

const char *cli_pipe_kind(enum pipe_kind kind) {
    static const char *const names[] = {"F", "B", "W", "BW"};
    return names[kind];
}

static enum status fail_memory(struct message *why) {
    message_start(why, "error.memory");
    return STATUS_FAILED;
}

/* --name as a count; `otherwise` when it is not given. */
static enum status read_count(const struct cli_args *args, enum cli_pipe_option option,
                              uint32_t most, uint32_t *out, struct message *why) {
    const char *text = args->pipe[option], *name = cli_pipe_options[option].name;
    char dashed[32] = "--";
    uint64_t count = 0;
    if (text == NULL) {
        return STATUS_OK;
    }
    if (!units_parse_count(text, 1000, &count)) {
        message_start(why, "error.option.count");
        message_add_text(why, name);
        message_add_text(why, text);
        message_add_plain(why, 1);
        message_add_plain(why, most);
        return STATUS_USAGE;
    }
    if (count < 1 || count > most) {
        memcpy(dashed + 2, name, strlen(name) + 1);
        message_start(why, "error.pipe.limit");
        message_add_text(why, dashed);
        message_add_plain(why, count);
        message_add_plain(why, most);
        return STATUS_USAGE;
    }
    *out = (uint32_t)count;
    return STATUS_OK;
}

static enum status read_schedule(const struct cli_args *args, struct pipe_request *r,
                                 struct message *why) {
    const char *text = args->pipe[PIPE_OPTION_SCHEDULE];
    char names[MESSAGE_TEXT_MAX];
    struct writer w;
    int found = text == NULL ? PIPE_1F1B : pipe_schedule_find(text);
    if (found >= 0) {
        r->schedule = (enum pipe_schedule)found;
        return STATUS_OK;
    }
    writer_start(&w, names, sizeof names);
    for (int i = 0; i < PIPE_SCHEDULES; i++) {
        writer_text(&w, i > 0 ? ", " : "");
        writer_text(&w, pipe_schedule_name((enum pipe_schedule)i));
    }
    message_start(why, "error.pipe.schedule");
    message_add_text(why, text);
    message_add_text(why, names);
    return STATUS_USAGE;
}

static enum status read_request(const struct cli_args *args, struct pipe_request *r,
                                struct message *why) {
    static const enum cli_pipe_option needed[] = {PIPE_OPTION_STAGES, PIPE_OPTION_MICRO_BATCHES};
    *r = (struct pipe_request){0};
    for (int i = 0; i < 2; i++) {
        if (args->pipe[needed[i]] == NULL) {
            message_start(why, "error.pipe.needed");
            message_add_text(why, cli_pipe_options[needed[i]].name);
            message_add_plain(why, needed[i] == PIPE_OPTION_STAGES ? PIPE_RANKS_MAX
                                                                   : PIPE_MICRO_BATCHES_MAX);
            return STATUS_USAGE;
        }
    }
    enum status ok = read_schedule(args, r, why);
    ok =
        ok == STATUS_OK ? read_count(args, PIPE_OPTION_STAGES, PIPE_RANKS_MAX, &r->ranks, why) : ok;
    if (ok == STATUS_OK) {
        ok = read_count(args, PIPE_OPTION_MICRO_BATCHES, PIPE_MICRO_BATCHES_MAX, &r->micro_batches,
                        why);
    }
    if (ok == STATUS_OK) {
        ok = read_count(args, PIPE_OPTION_CHUNKS, PIPE_CHUNKS_MAX, &r->chunks, why);
    }
    if (ok == STATUS_OK) {
        ok = read_count(args, PIPE_OPTION_GROUP, PIPE_MICRO_BATCHES_MAX, &r->group, why);
    }
    return ok;
}

static enum status check_size(const struct pipe_shape *shape, struct message *why) {
    uint64_t stages = pipe_stages(shape);
    if (stages * shape->micro_batches <= CELLS_MAX) {
        return STATUS_OK;
    }
    message_start(why, "error.pipe.size");
    message_add_plain(why, stages);
    message_add_plain(why, shape->micro_batches);
    message_add_count(why, CELLS_MAX);
    return STATUS_USAGE;
}

static enum status list_make(struct cli_pipe *p, struct message *why) {
    uint64_t capacity = pipe_order_capacity(&p->shape);
    enum status ok = check_size(&p->shape, why);
    if (ok != STATUS_OK) {
        return ok;
    }
    p->list = malloc(capacity * sizeof p->list[0]);
    if (p->list == NULL) {
        return fail_memory(why);
    }
    pipe_order_start(&p->order, &p->shape, p->list, capacity);
    return STATUS_OK;
}

static enum status build(struct cli_pipe *p, const struct cli_args *args, struct message *why) {
    struct pipe_request asked;
    enum status ok = read_request(args, &asked, why);
    if (ok == STATUS_OK) {
        ok = pipe_request_settle(&asked, &p->request, &p->shape, why);
    }
    if (ok == STATUS_OK) {
        ok = list_make(p, why);
    }
    if (ok != STATUS_OK) {
        return ok;
    }
    p->name = pipe_schedule_name(p->request.schedule);
    pipe_schedule_build(&p->request, &p->shape, p->list, p->order.capacity, &p->order);
    p->note_count = pipe_request_notes(&p->request, p->notes, CLI_PIPE_NOTES_MAX - 2);
    assert(p->note_count <= CLI_PIPE_NOTES_MAX - 2);
    return STATUS_OK;
}

/* A wrong file could not be read; it is no wrong usage. */
static enum status of_file(enum status ok) {
    return ok == STATUS_USAGE ? STATUS_FAILED : ok;
}

static enum status import(struct cli_context *c, struct cli_pipe *p, const char *path,
                          struct message *why) {
    struct pipe_csv csv = {path, NULL, 0};
    enum status ok = store_text_file(c->store, path, &csv.text, why);
    if (ok == STATUS_OK) {
        csv.length = strlen(csv.text);
        ok = pipe_csv_measure(&csv, &p->shape, why);
    }
    ok = ok == STATUS_OK ? list_make(p, why) : ok;
    if (ok != STATUS_OK) {
        return of_file(ok);
    }
    uint8_t *seen = malloc(p->order.capacity);
    if (seen == NULL) {
        return fail_memory(why);
    }
    ok = pipe_csv_read(&csv, seen, &p->order, why);
    free(seen);
    p->name = path;
    p->imported = true;
    p->request.chunks = p->shape.placement == PIPE_BOTH ? 1 : p->shape.chunks;
    message_start(&p->notes[0], "note.pipe.imported");
    message_add_text(&p->notes[0], path);
    p->note_count = 1;
    return of_file(ok);
}

/* --tov without a pair would be an option that does nothing. */
static enum status check_pairs(struct cli_pipe *p, const struct cli_args *args,
                               struct message *why) {
    uint64_t count = pipe_order_count(&p->order);
    for (uint64_t i = 0; i < count && !p->pairs; i++) {
        p->pairs = p->list[i].overlapped != 0;
    }
    if (p->pairs || args->pipe[PIPE_OPTION_TOV] == NULL) {
        return STATUS_OK;
    }
    message_start(why, "error.pipe.no_pairs");
    message_add_text(why, args->pipe[PIPE_OPTION_TOV]);
    message_add_text(why, p->name);
    return STATUS_USAGE;
}

static enum status simulate(struct cli_pipe *p, struct message *why) {
    uint64_t count = pipe_order_count(&p->order);
    p->space.ops = malloc((count > 0 ? count : 1) * sizeof p->space.ops[0]);
    p->space.scratch = malloc(pipe_simulate_scratch(&p->shape));
    if (p->space.ops == NULL || p->space.scratch == NULL) {
        return fail_memory(why);
    }
    enum status ok = pipe_simulate(&p->order, &p->times, &p->space, &p->run, why);
    if (p->imported && p->run.deadlock.length > 0) {
        struct message circle = *why;
        message_start(why, "error.pipe.deadlock_file");
        message_add_text(why, p->name);
        message_add_plain(why, circle.args[0].count);
        message_add_text(why, circle.args[1].text);
        return STATUS_FAILED;
    }
    return ok;
}

static enum status refuse_together(struct message *why, enum cli_pipe_option one,
                                   const char *other) {
    message_start(why, "error.args.together");
    message_add_text(why, cli_pipe_options[one].name);
    message_add_text(why, other);
    return STATUS_USAGE;
}

/* The chart can show its critical path; the other answers have theirs always. */
static enum status check_explain(const struct cli_args *args, struct message *why) {
    if (!args->explain || args->pipe[PIPE_OPTION_GANTT] != NULL) {
        return STATUS_OK;
    }
    message_start(why, "error.pipe.explain");
    return STATUS_USAGE;
}

/* Options of which each says what to print; and an order comes from a schedule or from a file. */
static enum status check_together(const struct cli_args *args, struct message *why) {
    static const enum cli_pipe_option prints[] = {PIPE_OPTION_EXPORT, PIPE_OPTION_GANTT,
                                                  PIPE_OPTION_OPS};
    static const enum cli_pipe_option schedules[] = {PIPE_OPTION_SCHEDULE, PIPE_OPTION_STAGES,
                                                     PIPE_OPTION_MICRO_BATCHES, PIPE_OPTION_CHUNKS,
                                                     PIPE_OPTION_GROUP};
    for (int i = 0; i < 5 && args->pipe[PIPE_OPTION_IMPORT] != NULL; i++) {
        if (args->pipe[schedules[i]] != NULL) {
            return refuse_together(why, PIPE_OPTION_IMPORT, cli_pipe_options[schedules[i]].name);
        }
    }
    for (int i = 0; i < 3; i++) {
        for (int k = i + 1; k < 3; k++) {
            if (args->pipe[prints[i]] != NULL && args->pipe[prints[k]] != NULL) {
                return refuse_together(why, prints[i], cli_pipe_options[prints[k]].name);
            }
        }
        if (prints[i] != PIPE_OPTION_OPS && args->pipe[prints[i]] != NULL && args->json) {
            return refuse_together(why, prints[i], "json");
        }
    }
    return cli_pipe_gantt_check(args, why);
}

static enum status check_export(const struct cli_args *args, struct message *why) {
    const char *format = args->pipe[PIPE_OPTION_EXPORT];
    if (format == NULL || strcmp(format, "torch-csv") == 0 || strcmp(format, "chrome-trace") == 0) {
        return STATUS_OK;
    }
    message_start(why, "error.args.word");
    message_add_text(why, "export");
    message_add_text(why, format);
    message_add_text(why, "torch-csv");
    message_add_text(why, "chrome-trace");
    return STATUS_USAGE;
}

static void print(struct cli_context *c, const struct cli_args *args, const struct cli_pipe *p) {
    bool with_ops = args->pipe[PIPE_OPTION_OPS] != NULL;
    const char *format = args->pipe[PIPE_OPTION_EXPORT];
    if (format != NULL && strcmp(format, "torch-csv") == 0) {
        pipe_csv_write(c->out, &p->order);
    } else if (format != NULL) {
        cli_pipe_trace(c, p);
    } else if (args->json) {
        cli_pipe_json(c, p, with_ops);
    } else {
        cli_pipe_text(c, p, with_ops);
    }
}

void cli_pipe_free(struct cli_pipe *p) {
    if (p == NULL) {
        return;
    }
    free(p->list);
    free(p->stage_times);
    free(p->space.ops);
    free(p->space.scratch);
    free(p);
}

/* Another unit for work and for messages, so that schedules of unequal chunks can share an axis. */
static enum status rescale(struct cli_pipe *p, struct message *why) {
    bool fits = p->unit_times == 0 ||
                (checked_mul(p->times.latency, p->unit_times, &p->times.latency) &&
                 checked_mul(p->times.overlapped, p->work_times, &p->times.overlapped));
    for (size_t i = 0; i < 3 * (size_t)p->times.count && p->unit_times != 0 && fits; i++) {
        fits = checked_mul(p->stage_times[i], p->work_times, &p->stage_times[i]);
    }
    if (!fits) {
        message_start(why, "error.pipe.against_time");
        message_add_text(why, p->name);
        return STATUS_USAGE;
    }
    return STATUS_OK;
}

/* Closed forms are of schedules by name whose stages take equal time. */
static void ask_closed_form(struct cli_pipe *p) {
    const struct pipe_times *t = &p->times;
    bool equal = !p->imported;
    for (uint32_t i = 1; i < t->count && equal; i++) {
        equal = t->f[i] == t->f[0] && t->b[i] == t->b[0] && t->w[i] == t->w[0];
    }
    if (equal) {
        struct pipe_equal_times times = {t->f[0], t->b[0], t->w[0], t->overlapped, t->latency};
        if (!t->has_overlapped) {
            times.overlapped = t->f[0] + t->b[0] + t->w[0]; /* no overflow: a pair has run */
        }
        p->closed_known = pipe_closed_idle(&p->request, &times, &p->closed_idle);
    }
}

/* True if --tov is what two operations at once can take: as long as the longer one at least, and as both at most. */
static bool overlap_is_likely(const struct cli_pipe *p) {
    const struct pipe_times *t = &p->times;
    for (uint32_t rank = 0; rank < p->shape.ranks; rank++) {
        for (uint64_t i = p->order.first[rank]; i < p->order.first[rank + 1]; i++) {
            if (p->list[i].overlapped == 0) {
                continue;
            }
            uint64_t at = p->list[i].kind == PIPE_F ? i : i + 1, other = at == i ? i + 1 : i;
            uint64_t f = t->f[pipe_stage_at(&p->shape, rank, p->list[at].chunk)];
            uint32_t stage = pipe_stage_at(&p->shape, rank, p->list[other].chunk);
            uint64_t backward = 0, both = 0;
            bool known =
                checked_add(t->b[stage], t->w[stage], &backward) && checked_add(f, backward, &both);
            if (!known || t->overlapped > both || t->overlapped < f || t->overlapped < backward) {
                return false;
            }
        }
    }
    return true;
}

enum status cli_pipe_run(struct cli_context *c, const struct cli_args *args, struct cli_pipe *p,
                         struct message *why) {
    const char *path = args->pipe[PIPE_OPTION_IMPORT];
    enum status ok = path != NULL ? import(c, p, path, why) : build(p, args, why);
    ok = ok == STATUS_OK ? check_pairs(p, args, why) : ok;
    ok = ok == STATUS_OK ? cli_pipe_times(p, args, why) : ok;
    ok = ok == STATUS_OK ? rescale(p, why) : ok;
    ok = ok == STATUS_OK ? simulate(p, why) : ok;
    if (ok != STATUS_OK) {
        return ok;
    }
    ask_closed_form(p);
    if (p->times.has_overlapped && !overlap_is_likely(p)) {
        message_start(&p->notes[p->note_count++], "note.pipe.overlap");
        message_add_text(&p->notes[p->note_count - 1], args->pipe[PIPE_OPTION_TOV]);
    }
    if (p->run.bubble_over_ideal.under == 0) {
        message_start(&p->notes[p->note_count++], "note.pipe.no_work");
    }
    return STATUS_OK;
}

enum status cli_pipe(struct cli_context *c, const struct cli_args *args, struct message *why) {
    enum status ok = check_together(args, why);
    ok = ok == STATUS_OK ? check_export(args, why) : ok;
    ok = ok == STATUS_OK ? check_explain(args, why) : ok;
    if (ok != STATUS_OK) {
        return ok;
    }
    struct cli_pipe *p = calloc(1, sizeof *p);
    if (p == NULL) {
        return fail_memory(why);
    }
    ok = cli_pipe_run(c, args, p, why);
    if (ok == STATUS_OK && args->pipe[PIPE_OPTION_GANTT] != NULL) {
        ok = cli_pipe_gantt(c, args, p, why);
    } else if (ok == STATUS_OK) {
        print(c, args, p);
    }
    cli_pipe_free(p);
    return ok;
}
