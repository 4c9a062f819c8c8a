/* `shardlab pipe --gantt --scenario '--model …'`: how many bytes a chunk's activations are on each rank, so that the strip
 * under the chart has bytes instead of chunks. Schedule, stages, micro-batches and chunks are the pipeline's; all else is
 * the scenario's, and bytes are those of `shardlab mem`. Proof: tests/cli/test_gantt.c. */
#include <string.h>

#include "pipe_private.h"
#include "shardlab/calc/memory.h"
#include "shardlab/cli/cli.h"

/* The pipeline's own options may not be the scenario's too. */
static enum status set_own(struct scenario *given, const struct cli_pipe *p, struct message *why) {
    const struct {
        const char *option;
        uint64_t value;
    } counts[] = {{"pp", p->shape.ranks},
                  {"micro-batches", p->shape.micro_batches},
                  {"chunks", p->request.chunks}};
    int schedule = calc_option_index("schedule");
    enum status ok = STATUS_OK;
    for (size_t i = 0; i < sizeof counts / sizeof counts[0] && ok == STATUS_OK; i++) {
        char text[24];
        struct writer w;
        int index = calc_option_index(counts[i].option);
        if (calc_option_given(given, index) || calc_option_given(given, schedule)) {
            bool own = calc_option_given(given, index);
            message_start(why, "error.pipe.scenario");
            message_add_text(why, own ? counts[i].option : "schedule");
            return STATUS_USAGE;
        }
        writer_start(&w, text, sizeof text);
        writer_u64(&w, counts[i].value);
        ok = calc_option_set(given, index, text, why);
    }
    return ok == STATUS_OK ? calc_option_set(given, schedule, p->name, why) : ok;
}

/* What the layers keep for all chunks in flight, over their number. */
static uint64_t bytes_of_chunk(const struct calc_memory *m) {
    static const char *const others[] = {"activations.head", "activations.logits",
                                         "activations.working_layer"};
    uint64_t bytes = m->part_bytes[CALC_PART_ACTIVATIONS];
    for (int i = 0; i < m->derivation.count; i++) {
        for (size_t k = 0; k < sizeof others / sizeof others[0]; k++) {
            bool other = strcmp(m->derivation.terms[i].id, others[k]) == 0;
            bytes -= other ? m->derivation.terms[i].bytes : 0;
        }
    }
    return bytes / m->in_flight;
}

enum status cli_pipe_bytes(struct cli_context *c, const char *line, struct cli_pipe *p,
                           struct message *why) {
    struct scenario given, s;
    enum status ok = cli_scenario_parse_line(line, &given, why);
    ok = ok == STATUS_OK ? set_own(&given, p, why) : ok;
    ok = ok == STATUS_OK ? cli_scenario_load(c->store, &given, NULL, &s, NULL, why) : ok;
    for (uint32_t rank = 0; ok == STATUS_OK && rank < p->shape.ranks; rank++) {
        struct calc_memory m;
        ok = calc_memory_on_stage(&s, rank, &m, why);
        if (ok == STATUS_OK && !m.activations_known) {
            message_start(why, "error.pipe.scenario_params");
            return STATUS_USAGE;
        }
        p->chunk_bytes[rank] = ok == STATUS_OK ? bytes_of_chunk(&m) : 0;
    }
    p->bytes_known = ok == STATUS_OK;
    return ok;
}
