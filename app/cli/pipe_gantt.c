/* `shardlab pipe --gantt`: the run as a chart, printed from the same view that the lessons draw. Proof:
 * tests/cli/test_gantt.c. */
#include "pipe_private.h"
#include "shardlab/lesson/pipe_view.h"
#include "shardlab/view/read.h"

enum { GANTT_WIDTH = 120 };

void cli_pipe_gantt(struct cli_context *c, const struct cli_args *args, struct cli_pipe *p) {
    struct view_text_options options = {.width = GANTT_WIDTH, .ascii = args->ascii};
    uint64_t ticks_per_unit = 1;
    for (int i = 0; i < p->places; i++) {
        ticks_per_unit *= 10;
    }
    const struct pipe_picture picture = {
        .name = p->name, .order = &p->order, .ops = p->space.ops, .run = &p->run};
    const struct pipe_window window = {
        .ticks_per_unit = ticks_per_unit,
        .strip = true,
        .critical = args->explain,
        .cursor = args->explain ? pipe_run_last(&p->order, p->space.ops) : PIPE_NONE};
    view_start(&p->view);
    pipe_gantt_add(&p->view, &picture, 1, &window);
    view_write_text(c->out, &p->view, &c->words, &options);
}
