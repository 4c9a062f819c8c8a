/* One run of `shardlab pipe` and its readers. app/cli/pipe*.c only. */
#ifndef CLI_PIPE_PRIVATE_H
#define CLI_PIPE_PRIVATE_H

#include "cli_private.h"
#include "shardlab/pipe/schedule.h"
#include "shardlab/pipe/simulate.h"
#include "shardlab/view/view.h"

enum { CLI_PIPE_NOTES_MAX = 8 };

/* Everything that one run computes. pipe.c owns the memory. */
struct cli_pipe {
    const char *name; /* of the schedule, or of the file */
    bool imported;
    struct pipe_request
        request; /* settled; of an imported order only ranks, micro-batches, chunks */
    struct pipe_shape shape;
    struct pipe_order order;
    struct pipe_op *list;
    struct pipe_times times; /* in ticks of 10^-places */
    int places;
    uint64_t *stage_times; /* f, b, w of every stage */
    struct pipe_space space;
    struct pipe_run run;
    struct message notes[CLI_PIPE_NOTES_MAX];
    int note_count;
    struct view view; /* of --gantt */
    bool bytes_known; /* --scenario */
    uint64_t chunk_bytes[PIPE_RANKS_MAX];
    bool pairs;        /* the order overlaps some operations */
    bool closed_known; /* a closed form says what the most idle rank idles, in ticks */
    uint64_t closed_idle;
    /* What times of operations and of messages are multiplied by before the run; 0: nothing. */
    uint64_t work_times, unit_times;
};

/* Builds, or reads, and simulates into `p`, which is zeroed but for work_times and unit_times. */
MUST_USE enum status cli_pipe_run(struct cli_context *c, const struct cli_args *args,
                                  struct cli_pipe *p, struct message *why);
/* Frees it; NULL is fine. */
void cli_pipe_free(struct cli_pipe *p);

/* Reads --tf --tb --tw --tov --comm for p->shape. */
MUST_USE enum status cli_pipe_times(struct cli_pipe *p, const struct cli_args *args,
                                    struct message *why);

void cli_pipe_json(struct cli_context *c, const struct cli_pipe *p, bool with_ops);
void cli_pipe_text(struct cli_context *c, const struct cli_pipe *p, bool with_ops);
/* A Chrome trace: complete events, one row a rank; one unit of time is one microsecond of the trace. */
void cli_pipe_trace(struct cli_context *c, const struct cli_pipe *p);

/* The chart of --gantt, and what belongs to it. The check refuses what needs --gantt without it. */
MUST_USE enum status cli_pipe_gantt_check(const struct cli_args *args, struct message *why);
MUST_USE enum status cli_pipe_gantt(struct cli_context *c, const struct cli_args *args,
                                    struct cli_pipe *p, struct message *why);

/* Fills chunk_bytes from the scenario in `line`. */
MUST_USE enum status cli_pipe_bytes(struct cli_context *c, const char *line, struct cli_pipe *p,
                                    struct message *why);

/* "F", "B", "W", "BW" */
const char *cli_pipe_kind(enum pipe_kind kind);

#endif
