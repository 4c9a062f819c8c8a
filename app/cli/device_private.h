/* Devices that a command's ranks worked on, for its answer. app/cli only. */
#ifndef DEVICE_PRIVATE_H
#define DEVICE_PRIVATE_H

#include "cli_private.h"
#include "shardlab/base/json.h"
#include "shardlab/gpu/gpu.h"

struct cli_device {
    uint32_t devices; /* 0: ranks worked on this processor */
    struct gpu_facts facts;
    bool from_cache;
};

/* True for a backend whose ranks are on devices. */
bool cli_device_named(const char *backend);
/* gpu_open for that backend, and what is known of it. */
MUST_USE enum status cli_device_open(const char *backend, uint32_t ranks, struct gpu **gpu,
                                     struct cli_device *out, struct message *why);
/* The member "device", and a line; nothing where there is none. */
void cli_device_json(struct json *j, const struct cli_device *d);
void cli_device_text(struct cli_context *c, const struct cli_device *d);

#endif
