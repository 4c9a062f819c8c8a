/* Options of a scenario that a command accepts, since one line of options serves them all, but that its answer does not
 * depend on: named in a note. Called by `mem`, `comm`, `plan`, `params` and `flops`. Proof: tests/cli/test_unused.c. */
#include "cli_private.h"

/* What only memory and communication depend on. */
static const char *const neither[] = {"zero",          "offload",         "reshard",
                                      "prefetch",      "reduce",          "grad-bytes",
                                      "optimizer",     "buffers",         "dropout",
                                      "input-bytes",   "recompute-norms", "recompute-activation",
                                      "expert-nodes",  "memory",          "gpus-per-node",
                                      "link-gb-per-s", "net-gb-per-s",    "pcie-gb-per-s",
                                      "nvme-gb-per-s", "alpha-us",        NULL};

/* What a count of parameters does not depend on either. */
static const char *const no_params[] = {
    "dp",  "pp",        "cp",  "schedule",      "micro-batch", "recompute", "recompute-latents",
    "mfu", "precision", "gpu", "micro-batches", NULL};

static void add_given(struct writer *w, const struct scenario *given, const char *const *names) {
    for (; *names != NULL; names++) {
        if (calc_option_given(given, calc_option_index(*names))) {
            writer_text(w, w->length > 0 ? ", --" : "--");
            writer_text(w, *names);
        }
    }
}

/* What counts only beside another option, and but for a position table only for memory. */
static void add_alone(struct writer *w, const struct scenario *s, enum cli_unused_by by) {
    bool memory = by == CLI_UNUSED_MEMORY, params = by == CLI_UNUSED_PARAMS;
    const struct calc_cluster *c = &s->cluster;
    bool card = c->memory != 0 || c->usable_bytes != 0 || c->listed_bytes != 0;
    const struct {
        bool counts;
        const char *names[2];
    } rest[] = {
        {memory && s->layout.offload != CALC_OFFLOAD_NONE, {"offload-to", NULL}},
        {memory && card, {"reserve", NULL}},
        {s->model.position == CALC_POSITION_LEARNED, {"position-rows", NULL}},
        {params || s->model.kv_rank > 0, {"recompute-latents", NULL}},
        {!memory || scenario_has_experts(s), {"expert-nodes", NULL}},
    };
    for (size_t i = 0; i < sizeof rest / sizeof rest[0]; i++) {
        if (!rest[i].counts) {
            add_given(w, s, rest[i].names);
        }
    }
}

bool cli_unused_note(const struct scenario *s, enum cli_unused_by by, struct message *out) {
    char list[MESSAGE_TEXT_MAX + 1]; /* so full that the message shows that it goes on */
    struct writer w;
    writer_start(&w, list, sizeof list);
    if (by != CLI_UNUSED_MEMORY) {
        add_given(&w, s, neither);
    }
    add_alone(&w, s, by);
    if (by == CLI_UNUSED_PARAMS) {
        add_given(&w, s, no_params);
    }
    message_start(out, "note.unused");
    message_add_text(out, list);
    return w.length > 0;
}
