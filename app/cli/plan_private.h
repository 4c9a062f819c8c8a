/* What the files of `shardlab plan` share. Only for app/cli. */
#ifndef CLI_PLAN_PRIVATE_H
#define CLI_PLAN_PRIVATE_H

#include "cli_private.h"
#include "shardlab/plan/plan.h"
#include "shardlab/view/view.h"

enum { CLI_PLAN_NOTES_MAX = 8 };

struct cli_plan_result {
    struct scenario applied, s; /* s: resolved, for capacity and names */
    struct plan_request request;
    struct plan_summary found;
    struct plan_space space;
    int top;
    struct plan_layout best[PLAN_BEST_MAX];
    bool explains;
    struct plan_layout asked; /* of --explain */
    struct message notes[CLI_PLAN_NOTES_MAX];
    int note_count;
    struct view view; /* of the table */
};

/* "dp=8,tp=4,recompute=full": keys are option names, also with '_'; what is left out is 1 or the default, dp what the
 * GPUs leave, micro-batches what the global batch leaves. */
MUST_USE enum status cli_plan_parse(const char *text, const struct plan_request *request,
                                    struct plan_layout *out, struct message *why);

/* The name of value `value` of a choice option. */
const char *cli_plan_choice(const char *option, int value);

/* The reasons of a layout as one sentence. */
void cli_plan_why(struct cli_context *c, const struct cli_plan_result *r,
                  const struct plan_layout *layout, const struct plan_layout *other,
                  struct writer *w);

/* What the layout of --explain is compared with: the best, or the next if it is the best; NULL: nothing. */
const struct plan_layout *cli_plan_other(const struct cli_plan_result *r);

void cli_plan_text(struct cli_context *c, struct cli_plan_result *r);

#endif
