/* The devices that `shardlab doctor` names. Drivers are looked at in a process of their own, so that a broken one is a
 * finding and not the end of doctor. Proof: tests/cli/test_doctor_devices.c. */
#include <stdio.h>

#include "doctor_private.h"
#include "shardlab/gpu/gpu.h"

static void device_line(struct cli_context *c, struct json *j, const char *name,
                        const struct gpu_facts *f) {
    char seen[2 * GPU_TEXT_MAX + 64];
    (void)snprintf(seen, sizeof seen, "%s (%.40s), %u CU, %.1f GB", f->name, f->platform, f->units,
                   (double)f->memory_bytes * 1e-9);
    doctor_line(c, j, name, true, seen);
}

static void no_device_line(struct cli_context *c, struct json *j, const char *name,
                           enum gpu_look look, const struct gpu_looked *looked) {
    char seen[MESSAGE_TEXT_MAX] = "-";
    if (look == GPU_LOOK_CRASHED) {
        (void)snprintf(seen, sizeof seen, "signal %d", looked->signal);
    } else if (look == GPU_LOOK_HUNG) {
        (void)snprintf(seen, sizeof seen, "timeout");
    } else if (looked->why.arg_count > 0) {
        (void)snprintf(seen, sizeof seen, "%s", looked->why.args[0].text);
    }
    doctor_line(c, j, name, false, seen);
}

void doctor_devices(struct cli_context *c, struct json *j) {
    struct gpu_looked looked;
    const double patience_s = 10;
    for (int b = 0; b < GPU_BACKENDS; b++) {
        const char *name = gpu_backend_name((enum gpu_backend)b);
        enum gpu_look look = gpu_look((enum gpu_backend)b, patience_s, &looked);
        for (int i = 0; look == GPU_LOOK_FOUND && i < looked.count; i++) {
            device_line(c, j, name, &looked.facts[i]);
        }
        if (look != GPU_LOOK_FOUND) {
            no_device_line(c, j, name, look, &looked);
        }
    }
}
