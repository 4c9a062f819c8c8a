/* Options of a scenario that a command accepts, since one line of options serves them all, but that its answer does not
 * depend on: named in a note. Called by `params` and `flops`. Proof: tests/cli/test_unused.c. */
#include "cli_private.h"

/* What only memory and communication depend on. */
static const char *const neither[] = {"zero",
                                      "offload",
                                      "offload-to",
                                      "reshard",
                                      "prefetch",
                                      "reduce",
                                      "grad-bytes",
                                      "optimizer",
                                      "buffers",
                                      "dropout",
                                      "memory",
                                      "reserve",
                                      "gpus-per-node",
                                      "link-gb-per-s",
                                      "net-gb-per-s",
                                      "pcie-gb-per-s",
                                      "nvme-gb-per-s",
                                      "alpha-us",
                                      NULL};

/* What a count of parameters does not depend on either. */
static const char *const no_params[] = {
    "dp",  "pp",        "cp",  "schedule",      "micro-batch", "recompute",
    "mfu", "precision", "gpu", "micro-batches", NULL};

static void add_given(struct writer *w, const struct scenario *given, const char *const *names) {
    for (; *names != NULL; names++) {
        if (calc_option_given(given, calc_option_index(*names))) {
            writer_text(w, w->length > 0 ? ", --" : "--");
            writer_text(w, *names);
        }
    }
}

bool cli_unused_note(const struct scenario *given, bool params, struct message *out) {
    char list[MESSAGE_TEXT_MAX + 1]; /* so full that the message shows that it goes on */
    struct writer w;
    writer_start(&w, list, sizeof list);
    add_given(&w, given, neither);
    if (params) {
        add_given(&w, given, no_params);
    }
    message_start(out, "note.unused");
    message_add_text(out, list);
    return w.length > 0;
}
