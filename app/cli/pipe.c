/* `shardlab pipe`: one schedule, built and simulated, as a table, JSON, a chart or a file for another program (CONTRACT,
 * "shardlab pipe"). Owns all memory of the run; what it computes comes from the room `pipe`. Proof:
 * tests/cli/test_pipe.c. */
#include <stdlib.h>
#include <string.h>

#include "pipe_private.h"
#include "shardlab/base/units.h"

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
    [PIPE_OPTION_EXPORT] = {"export", "chrome-trace"},
    [PIPE_OPTION_OPS] = {"ops", NULL},
    [PIPE_OPTION_GANTT] = {"gantt", NULL},
};

const char *cli_pipe_kind(enum pipe_kind kind) {
    static const char *const names[] = {"F", "B", "W", "BW"};
    return names[kind];
}

uint32_t cli_pipe_rank_of(const struct pipe_order *order, uint64_t op) {
    uint32_t low = 0, high = order->shape.ranks;
    while (high - low > 1) {
        uint32_t middle = low + (high - low) / 2;
        if (order->first[middle] <= op) {
            low = middle;
        } else {
            high = middle;
        }
    }
    return low;
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
        message_start(why, "error.args.number");
        message_add_text(why, name);
        message_add_text(why, text);
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

static enum status build(struct cli_pipe *p, const struct cli_args *args, struct message *why) {
    struct pipe_request asked;
    enum status ok = read_request(args, &asked, why);
    if (ok == STATUS_OK) {
        ok = pipe_request_settle(&asked, &p->request, &p->shape, why);
    }
    if (ok == STATUS_OK) {
        ok = check_size(&p->shape, why);
    }
    if (ok != STATUS_OK) {
        return ok;
    }
    uint64_t capacity = pipe_order_capacity(&p->shape);
    p->name = pipe_schedule_name(p->request.schedule);
    p->list = malloc(capacity * sizeof p->list[0]);
    if (p->list == NULL) {
        return fail_memory(why);
    }
    pipe_schedule_build(&p->request, &p->shape, p->list, capacity, &p->order);
    p->note_count = pipe_request_notes(&p->request, p->notes, CLI_PIPE_NOTES_MAX);
    p->note_count = p->note_count > CLI_PIPE_NOTES_MAX ? CLI_PIPE_NOTES_MAX : p->note_count;
    return STATUS_OK;
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
    return pipe_simulate(&p->order, &p->times, &p->space, &p->run, why);
}

static enum status refuse_together(struct message *why, enum cli_pipe_option one,
                                   const char *other) {
    message_start(why, "error.args.together");
    message_add_text(why, cli_pipe_options[one].name);
    message_add_text(why, other);
    return STATUS_USAGE;
}

/* Options of which each says what to print; and an order comes from a schedule or from a file. */
static enum status check_together(const struct cli_args *args, struct message *why) {
    static const enum cli_pipe_option prints[] = {PIPE_OPTION_EXPORT, PIPE_OPTION_GANTT,
                                                  PIPE_OPTION_OPS};
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
    return STATUS_OK;
}

static enum status print(struct cli_context *c, const struct cli_args *args,
                         const struct cli_pipe *p) {
    bool with_ops = args->pipe[PIPE_OPTION_OPS] != NULL;
    if (args->pipe[PIPE_OPTION_EXPORT] != NULL) {
        cli_pipe_trace(c, p);
    } else if (args->json) {
        cli_pipe_json(c, p, with_ops);
    } else {
        cli_pipe_text(c, p, with_ops);
    }
    return STATUS_OK;
}

static void pipe_free(struct cli_pipe *p) {
    free(p->list);
    free(p->stage_times);
    free(p->space.ops);
    free(p->space.scratch);
    free(p);
}

enum status cli_pipe(struct cli_context *c, const struct cli_args *args, struct message *why) {
    enum status ok = check_together(args, why);
    if (ok != STATUS_OK) {
        return ok;
    }
    struct cli_pipe *p = calloc(1, sizeof *p);
    if (p == NULL) {
        return fail_memory(why);
    }
    ok = build(p, args, why);
    ok = ok == STATUS_OK ? check_pairs(p, args, why) : ok;
    ok = ok == STATUS_OK ? cli_pipe_times(p, args, why) : ok;
    ok = ok == STATUS_OK ? simulate(p, why) : ok;
    ok = ok == STATUS_OK ? print(c, args, p) : ok;
    pipe_free(p);
    return ok;
}
