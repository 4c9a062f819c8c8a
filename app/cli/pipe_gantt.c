/* `shardlab pipe --gantt`: a run as a chart, or two runs on one axis, printed from the same view that the lessons draw.
 * --explain marks the critical path and explains the operation that ends last, or that --ask names.
 * With --against both schedules do the same work a rank: where one has more chunks, its operations are shorter by as
 * much. Proof: tests/cli/test_gantt.c. */
#include <stdlib.h>
#include <string.h>

#include "pipe_private.h"
#include "shardlab/base/checked.h"
#include "shardlab/base/units.h"
#include "shardlab/lesson/pipe_view.h"
#include "shardlab/view/read.h"

enum { WIDTH_LEAST = 40, WIDTH_MOST = 500, LABELS = 20 };

enum status cli_pipe_gantt_check(const struct cli_args *args, struct message *why) {
    for (int i = PIPE_OPTION_AGAINST; i < PIPE_OPTIONS; i++) {
        if (args->pipe[i] != NULL && args->pipe[PIPE_OPTION_GANTT] == NULL) {
            message_start(why, "error.pipe.needs_gantt");
            message_add_text(why, cli_pipe_options[i].name);
            return STATUS_USAGE;
        }
    }
    static const enum cli_pipe_option of_schedules[] = {PIPE_OPTION_AGAINST, PIPE_OPTION_SCENARIO};
    for (size_t i = 0; i < sizeof of_schedules / sizeof of_schedules[0]; i++) {
        if (args->pipe[of_schedules[i]] != NULL && args->pipe[PIPE_OPTION_IMPORT] != NULL) {
            message_start(why, "error.args.together");
            message_add_text(why, cli_pipe_options[of_schedules[i]].name);
            message_add_text(why, "import");
            return STATUS_USAGE;
        }
    }
    return STATUS_OK;
}

/* What the terminal has, where nothing was asked for. */
static enum status read_width(const char *text, int columns, int *width, struct message *why) {
    uint64_t count = 0;
    *width = columns < WIDTH_MOST ? columns : WIDTH_MOST;
    if (text == NULL) {
        return STATUS_OK;
    }
    if (!units_parse_count(text, 1000, &count) || count < WIDTH_LEAST || count > WIDTH_MOST) {
        message_start(why, "error.pipe.width");
        message_add_text(why, text);
        message_add_plain(why, WIDTH_LEAST);
        message_add_plain(why, WIDTH_MOST);
        return STATUS_USAGE;
    }
    *width = (int)count;
    return STATUS_OK;
}

/* What --ask names: "F3@2", "BW12b@0". */
struct asked {
    bool kinds[4]; /* enum pipe_kind */
    uint64_t micro_batch, chunk, rank;
};

static bool read_number(const char **at, uint64_t *out) {
    char digits[24];
    size_t length = strspn(*at, "0123456789");
    if (length == 0 || length >= sizeof digits) {
        return false;
    }
    memcpy(digits, *at, length);
    digits[length] = '\0';
    *at += length;
    return units_parse_count(digits, 1000, out);
}

static bool read_asked(const char *text, struct asked *out) {
    *out = (struct asked){.chunk = 0};
    bool both = strncmp(text, "BW", 2) == 0;
    out->kinds[PIPE_F] = text[0] == 'F';
    out->kinds[PIPE_W] = text[0] == 'W';
    out->kinds[PIPE_B] = text[0] == 'B' && !both;
    out->kinds[PIPE_BW] = text[0] == 'B';
    const char *at = text + (both ? 2 : strspn(text, "FBW") > 0 ? 1 : 0);
    if (at == text || !read_number(&at, &out->micro_batch)) {
        return false;
    }
    if (*at >= 'a' && *at <= 'z') {
        out->chunk = (uint64_t)(*at++ - 'a');
    }
    return *at++ == '@' && read_number(&at, &out->rank) && *at == '\0';
}

/* The kinds of operations that there are, as --ask writes them: "F, BW". */
static void add_kinds(const struct pipe_order *order, struct message *why) {
    bool there[PIPE_BW + 1] = {false};
    char names[16];
    struct writer w;
    for (uint64_t i = 0; i < pipe_order_count(order); i++) {
        there[order->ops[i].kind] = true;
    }
    writer_start(&w, names, sizeof names);
    for (int kind = PIPE_F; kind <= PIPE_BW; kind++) {
        if (there[kind]) {
            writer_text(&w, w.length > 0 ? ", " : "");
            writer_text(&w, cli_pipe_kind((enum pipe_kind)kind));
        }
    }
    message_add_text(why, names);
}

static enum status find_asked(const char *text, const struct pipe_order *order, int64_t *op,
                              struct message *why) {
    struct asked asked;
    *op = PIPE_NONE;
    if (text == NULL) {
        return STATUS_OK;
    }
    bool understood = read_asked(text, &asked);
    uint64_t at = 0, behind = 0;
    if (understood && asked.rank < order->shape.ranks) {
        at = order->first[asked.rank];
        behind = order->first[asked.rank + 1];
    }
    for (; at < behind; at++) {
        const struct pipe_op *o = &order->ops[at];
        if (asked.kinds[o->kind] && o->micro_batch == asked.micro_batch &&
            o->chunk == asked.chunk) {
            *op = (int64_t)at;
            return STATUS_OK;
        }
    }
    message_start(why, understood ? "error.pipe.ask_none" : "error.pipe.ask");
    message_add_text(why, text);
    if (understood) {
        message_add_plain(why, order->shape.ranks - 1);
        message_add_plain(why, order->shape.micro_batches - 1);
        add_kinds(order, why);
    }
    return STATUS_USAGE;
}

/* Chunks through which a micro-batch passes on a rank: how often its work there is divided. */
static uint64_t division_of(const struct pipe_shape *shape) {
    return pipe_stages(shape) / shape->ranks;
}

static uint64_t common_divisor(uint64_t a, uint64_t b) {
    while (b != 0) {
        uint64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

/* All moments of a run in a finer tick. */
static bool stretch(struct cli_pipe *p, uint64_t times) {
    uint64_t count = pipe_order_count(&p->order);
    if (!checked_mul(p->run.makespan, times, &p->run.makespan)) {
        return false;
    }
    for (uint64_t i = 0; i < count; i++) { /* none is later than the makespan */
        p->space.ops[i].start *= times;
        p->space.ops[i].end *= times;
        p->space.ops[i].slack *= times;
    }
    return true;
}

/* Two runs on one axis. */
struct both {
    struct cli_pipe *p, *q; /* q is owned */
    uint64_t ticks;         /* of one unit of time */
};

/* Runs the second schedule, both in the same unit. */
static enum status run_against(struct cli_context *c, const struct cli_args *args,
                               struct both *both, struct message *why) {
    const struct cli_pipe *p = both->p;
    struct cli_args second = *args;
    struct pipe_request request, settled;
    struct pipe_shape shape;
    int found = pipe_schedule_find(args->pipe[PIPE_OPTION_AGAINST]);
    second.pipe[PIPE_OPTION_SCHEDULE] = args->pipe[PIPE_OPTION_AGAINST];
    second.pipe[PIPE_OPTION_CHUNKS] = second.pipe[PIPE_OPTION_GROUP] = NULL;
    struct cli_pipe *q = both->q = calloc(1, sizeof *q);
    if (q == NULL) {
        message_start(why, "error.memory");
        return STATUS_FAILED;
    }
    request = (struct pipe_request){.schedule = found < 0 ? PIPE_1F1B : (enum pipe_schedule)found,
                                    .ranks = p->shape.ranks,
                                    .micro_batches = p->shape.micro_batches};
    enum status ok = pipe_request_settle(&request, &settled, &shape, why);
    if (ok != STATUS_OK) {
        return ok;
    }
    uint64_t one = division_of(&p->shape), other = division_of(&shape);
    uint64_t shared = common_divisor(one, other);
    q->work_times = one / shared;
    q->unit_times = other / shared;
    ok = cli_pipe_run(c, &second, q, why);
    if (ok == STATUS_OK && (!checked_mul(both->ticks, other / shared, &both->ticks) ||
                            !stretch(both->p, other / shared))) {
        message_start(why, "error.pipe.against_time");
        message_add_text(why, p->name);
        ok = STATUS_USAGE;
    }
    return ok;
}

static struct pipe_picture picture_of(const struct cli_pipe *p) {
    return (struct pipe_picture){.name = p->name,
                                 .order = &p->order,
                                 .ops = p->space.ops,
                                 .run = &p->run,
                                 .chunk_bytes = p->bytes_known ? p->chunk_bytes : NULL};
}

enum status cli_pipe_gantt(struct cli_context *c, const struct cli_args *args, struct cli_pipe *p,
                           struct message *why) {
    struct both both = {.p = p, .ticks = 1};
    bool two = args->pipe[PIPE_OPTION_AGAINST] != NULL;
    struct pipe_window window = {.strip = true, .critical = args->explain, .ticks_per_unit = 1};
    struct view_text_options options = {.ascii = args->pipe[PIPE_OPTION_ASCII] != NULL};
    for (int i = 0; i < p->places; i++) {
        both.ticks *= 10;
    }
    enum status ok = read_width(args->pipe[PIPE_OPTION_WIDTH], c->columns, &options.width, why);
    ok = ok == STATUS_OK ? find_asked(args->pipe[PIPE_OPTION_ASK], &p->order, &window.cursor, why)
                         : ok;
    if (ok == STATUS_OK && args->explain && window.cursor == PIPE_NONE) {
        window.cursor = pipe_run_last(&p->order, p->space.ops);
    }
    ok = ok == STATUS_OK && two ? run_against(c, args, &both, why) : ok;
    const char *scenario = args->pipe[PIPE_OPTION_SCENARIO];
    ok = ok == STATUS_OK && scenario != NULL ? cli_pipe_bytes(c, scenario, p, why) : ok;
    ok = ok == STATUS_OK && scenario != NULL && two ? cli_pipe_bytes(c, scenario, both.q, why) : ok;
    if (ok == STATUS_OK) {
        const struct pipe_picture pictures[] = {picture_of(p), picture_of(two ? both.q : p)};
        window.ticks_per_unit = both.ticks;
        window.columns = options.width - LABELS;
        view_start(&p->view);
        pipe_gantt_add(&p->view, pictures, two ? 2 : 1, &window);
        view_write_text(c->out, &p->view, &c->words, &options);
        if (p->bytes_known) {
            struct message note;
            message_start(&note, "note.pipe.bytes");
            cli_say(c, &note);
        }
    }
    cli_pipe_free(both.q);
    return ok;
}
