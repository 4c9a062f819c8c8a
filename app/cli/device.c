/* `--backend opencl|cuda` of the commands that really run: opens devices, and says in the answer which they were. OpenCL and
 * CUDA are loaded here and nowhere before. Proof: tests/cli/test_allreduce_gpu.c, test_overflow_gpu.c. */
#include "device_private.h"

bool cli_device_named(const char *backend) {
    return gpu_backend_find(backend) >= 0;
}

enum status cli_device_open(const char *backend, uint32_t ranks, struct gpu **gpu,
                            struct cli_device *out, struct message *why) {
    enum status ok = gpu_open((enum gpu_backend)gpu_backend_find(backend), ranks, gpu, why);
    if (ok == STATUS_OK) {
        out->devices = gpu_devices(*gpu);
        out->facts = *gpu_facts_of(*gpu, 0);
        out->from_cache = gpu_from_cache(*gpu);
    }
    return ok;
}

void cli_device_json(struct json *j, const struct cli_device *d) {
    if (d->devices == 0) {
        return;
    }
    json_object_open(j, "device");
    json_text(j, "name", d->facts.name);
    json_text(j, "platform", d->facts.platform);
    json_text(j, "driver", d->facts.driver);
    json_bool(j, "gpu", d->facts.is_gpu);
    json_u64(j, "devices", d->devices);
    json_u64(j, "units", d->facts.units);
    json_bool(j, "program_from_cache", d->from_cache);
    json_object_close(j);
}

void cli_device_text(struct cli_context *c, const struct cli_device *d) {
    struct message m;
    if (d->devices == 0) {
        return;
    }
    message_start(&m, "cli.device");
    message_add_count(&m, d->devices);
    message_add_text(&m, d->facts.name);
    message_add_text(&m, d->facts.platform);
    writer_text(c->out, "  ");
    words_write(c->out, &c->words, &m);
    writer_char(c->out, '\n');
}
