/* What `shardlab format` asked for, read and checked: shared by its two ways of printing. app/cli only. */
#ifndef CLI_FORMAT_PRIVATE_H
#define CLI_FORMAT_PRIVATE_H

#include "cli_private.h"
#include "shardlab/base/json.h"
#include "shardlab/num/block.h"

struct format_request {
    enum num_type type;
    enum num_overflow overflow;
    bool blocks; /* --block */
    enum num_block_kind kind;
    int count;
    const char *texts[CLI_VALUES_MAX]; /* as they were written */
    double inputs[CLI_VALUES_MAX];
};

/* The members that both answers begin with: command, type, max, min_normal, min_subnormal, epsilon. */
void format_json_head(struct json *j, const struct format_request *request);
/* "bits": null where there is no pattern. */
void format_json_bits(struct json *j, const char *key, enum num_type type, uint32_t code,
                      bool known);
/* The member "notes": what this type lacks. */
void format_json_notes(struct cli_context *c, struct json *j, const struct format_request *request);
void format_write_limits(struct cli_context *c, const struct format_request *request);

/* --- format_block.c --- */
void format_block_write(struct cli_context *c, const struct format_request *request, bool json);

#endif
