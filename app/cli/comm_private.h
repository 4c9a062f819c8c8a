/* What app/cli/comm.c and comm_table.c share. */
#ifndef CLI_COMM_PRIVATE_H
#define CLI_COMM_PRIVATE_H

#include "cli_private.h"
#include "shardlab/calc/comm.h"
#include "shardlab/calc/params.h"
#include "shardlab/view/view.h"

enum { COMM_NOTES_MAX = 20 };

struct comm_result {
    struct scenario s;
    struct calc_params params;
    struct calc_comm comm;
    struct message notes[COMM_NOTES_MAX];
    int note_count;
    struct view view;
};

struct message *comm_note(struct comm_result *r, const char *id);
void comm_write_text(struct cli_context *c, const struct cli_args *args, struct comm_result *r);
void comm_write_csv(struct cli_context *c, const struct comm_result *r);

#endif
