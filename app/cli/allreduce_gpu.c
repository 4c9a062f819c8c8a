/* `shardlab allreduce --backend opencl|cuda`: the same trial with ranks on devices, and what is said of the devices. OpenCL and
 * CUDA are loaded here and nowhere before. Proof: tests/cli/test_allreduce_gpu.c. */
#include "allreduce_private.h"

bool allreduce_on_gpu(const struct allreduce *a) {
    return gpu_backend_find(a->backend) >= 0;
}

enum status allreduce_gpu_run(struct allreduce *a, struct message *why) {
    struct gpu *gpu = NULL;
    const struct ranks_trial_options *o = &a->options;
    enum status ok =
        gpu_open((enum gpu_backend)gpu_backend_find(a->backend), o->job.ranks, &gpu, why);
    if (ok != STATUS_OK) {
        return ok;
    }
    a->devices = gpu_devices(gpu);
    a->device = *gpu_facts_of(gpu, 0);
    a->from_cache = gpu_from_cache(gpu);
    ok = gpu_trial_run(gpu, o, &a->trial, why);
    gpu_close(gpu);
    return ok;
}

void allreduce_gpu_json(struct json *j, const struct allreduce *a) {
    if (a->devices == 0) {
        return;
    }
    json_object_open(j, "device");
    json_text(j, "name", a->device.name);
    json_text(j, "platform", a->device.platform);
    json_text(j, "driver", a->device.driver);
    json_bool(j, "gpu", a->device.is_gpu);
    json_u64(j, "devices", a->devices);
    json_u64(j, "units", a->device.units);
    json_bool(j, "program_from_cache", a->from_cache);
    json_object_close(j);
}

void allreduce_gpu_text(struct cli_context *c, const struct allreduce *a) {
    struct message m;
    if (a->devices == 0) {
        return;
    }
    message_start(&m, "cli.allreduce.device");
    message_add_count(&m, a->devices);
    message_add_text(&m, a->device.name);
    message_add_text(&m, a->device.platform);
    writer_text(c->out, "  ");
    words_write(c->out, &c->words, &m);
    writer_char(c->out, '\n');
}
