/* The planner at the size that is promised: a model of 405 B parameters on 16,384 GPUs (CONTRACT, "shardlab bench"). Presets
 * are read before the clock starts. Proof: tests/cli/test_bench.c. */
#include <stdlib.h>

#include "bench_private.h"
#include "shardlab/plan/plan.h"

enum { BEST = 10 };

struct plan_case {
    struct store *store;
    struct scenario applied;
    struct plan_request request;
    struct plan_layout best[BEST];
    struct plan_summary found;
    struct message why;
};

void cli_bench_plan_close(struct cli_bench_state *state) {
    struct plan_case *one = state->memory;
    if (one != NULL) {
        store_close(one->store);
        free(one);
    }
}

void cli_bench_plan_once(struct cli_bench_state *state) {
    struct plan_case *one = state->memory;
    const struct plan_list list = {one->best, BEST, NULL};
    enum status ok = plan_search(&one->request, &list, &one->found, &one->why);
    state->items = ok == STATUS_OK ? one->found.considered : 0;
    state->bytes = state->items * sizeof one->best[0]; /* the least: each layout is written once */
}

enum status cli_bench_plan_open(struct cli_bench_state *state, struct message *why) {
    struct plan_case *one = calloc(1, sizeof *one);
    struct scenario given, resolved;
    state->memory = one;
    if (one == NULL) {
        message_start(why, "error.memory");
        return STATUS_FAILED;
    }
    enum status ok = store_open(&one->store, why);
    if (ok == STATUS_OK) {
        ok = cli_scenario_parse_line("--model llama-3.1-405b --seq 8K --gpu h100-sxm-80gb", &given,
                                     why);
    }
    if (ok == STATUS_OK) {
        ok = cli_scenario_load(one->store, &given, &one->applied, &resolved, NULL, why);
    }
    one->request = (struct plan_request){&one->applied, state->argument, 2048};
    return ok == STATUS_OK ? plan_check(&one->request, why) : ok;
}
