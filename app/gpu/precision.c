/* Runs an experiment on the device of every rank, and the batches that experiments are made of. Called by the command
 * `overflow`. Device memory is taken and released within a batch. Proof: tests/unit/gpu/test_precision.c. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "precision_private.h"

/* --- Batches --- */

void *device_room(struct device_run *d, size_t count, size_t each) {
    void *room = calloc(count + 1, each);
    if (room == NULL && d->ok == STATUS_OK) {
        message_start(d->why, "error.memory");
        d->ok = STATUS_FAILED;
    }
    return room;
}

enum { BUFFERS_MAX = 4 };

static enum status put_in(struct device_run *d, const struct device_buffer *b, gpu_memory memory) {
    return b->in != NULL ? d->gpu->driver->write(d->gpu, d->rank, memory, b->in, b->bytes)
                         : STATUS_OK;
}

static enum status take_out(struct device_run *d, const struct device_buffer *b,
                            gpu_memory memory) {
    return b->out != NULL ? d->gpu->driver->read(d->gpu, d->rank, memory, b->out, b->bytes)
                          : STATUS_OK;
}

void device_call(struct device_run *d, struct gpu_launch *l, const struct device_buffer *buffers,
                 int count) {
    const struct gpu_driver *driver = d->gpu->driver;
    gpu_memory memory[BUFFERS_MAX] = {0, 0, 0, 0};
    for (int i = 0; d->ok == STATUS_OK && i < count; i++) {
        d->ok = driver->make(d->gpu, d->rank, buffers[i].bytes, &memory[i], d->why);
        l->arg[i].memory = memory[i];
    }
    if (d->ok == STATUS_OK) {
        enum status ok = STATUS_OK;
        for (int i = 0; ok == STATUS_OK && i < count; i++) {
            ok = put_in(d, &buffers[i], memory[i]);
        }
        ok = ok == STATUS_OK ? driver->launch(d->gpu, d->rank, l) : ok;
        for (int i = 0; ok == STATUS_OK && i < count; i++) {
            ok = take_out(d, &buffers[i], memory[i]);
        }
        d->ok = ok == STATUS_OK ? ok : gpu_failed(d->gpu, d->why);
    }
    for (int i = 0; i < count; i++) {
        driver->drop(d->gpu, d->rank, memory[i]);
    }
}

void device_arithmetic(struct device_run *d, const struct device_batch *b) {
    struct gpu_launch l;
    const struct device_buffer buffers[BUFFERS_MAX] = {
        {NULL, b->out, b->count * sizeof *b->out},
        {NULL, b->past, b->count},
        {b->x, NULL, b->count * sizeof *b->x},
        {b->y == NULL ? b->x : b->y, NULL, b->count * sizeof *b->x},
    };
    gpu_launch_start(&l, GPU_ARITHMETIC, b->count);
    for (int i = 0; i < BUFFERS_MAX; i++) {
        gpu_arg_memory(&l, 0);
    }
    gpu_arg_u64(&l, b->count);
    gpu_arg_u32(&l, (uint32_t)b->op);
    gpu_arg_format(&l, d->o->type, d->o->overflow);
    device_call(d, &l, buffers, BUFFERS_MAX);
}

double device_one(struct device_run *d, enum device_op op, double x, double y, bool *past) {
    double result = 0;
    uint8_t passed = 0;
    const struct device_batch b = {op, 1, &x, &y, &result, &passed};
    device_arithmetic(d, &b);
    if (past != NULL) {
        *past = passed != 0;
    }
    return result;
}

void device_running_sum(struct device_run *d, struct device_sum *s) {
    enum { BEFORE = 2 };
    double out[BEFORE + DEVICE_SHOWN];
    const struct device_buffer buffer = {NULL, out, sizeof out};
    struct gpu_launch l;
    memset(out, 0, sizeof out);
    gpu_launch_start(&l, GPU_RUNNING_SUM, 1);
    gpu_arg_memory(&l, 0);
    gpu_arg_u64(&l, s->count);
    gpu_arg_u64(&l, precision_shown_every(s->count));
    gpu_arg_double(&l, s->start);
    gpu_arg_double(&l, s->term);
    gpu_arg_format(&l, s->type, s->overflow);
    device_call(d, &l, &buffer, 1);
    s->last = out[0];
    s->changed = (uint64_t)out[1];
    memcpy(s->shown, out + BEFORE, sizeof s->shown);
}

void device_all_codes(struct device_run *d, enum device_op op, double with, double sign,
                      struct device_codes *out) {
    uint32_t most = num_limits(d->o->type).max_code;
    out->most = most;
    out->number = device_room(d, most, sizeof *out->number);
    out->out = device_room(d, most, sizeof *out->out);
    out->past = device_room(d, most, sizeof *out->past);
    double *other = device_room(d, most, sizeof *other);
    if (d->ok == STATUS_OK) {
        for (uint32_t code = 1; code <= most; code++) {
            out->number[code] = num_decode(d->o->type, code);
            other[code] = isnan(with) ? out->number[code] : with;
            out->out[code] = sign * out->number[code];
        }
        memcpy(out->number, out->out, sizeof *out->out);
        const struct device_batch b = {op,        most,         out->out + 1,
                                       other + 1, out->out + 1, out->past + 1};
        device_arithmetic(d, &b);
    }
    free(other);
}

void device_codes_free(struct device_codes *c) {
    free(c->number);
    free(c->out);
    free(c->past);
}

/* --- Running --- */

static void measure(struct device_run *d, struct facts *out) {
    static void (*const experiments[PRECISION_EXPERIMENTS])(struct device_run *, struct facts *) = {
        [PRECISION_SUM] = device_sum_experiment,    [PRECISION_RANGE] = device_range,
        [PRECISION_GRADIENTS] = device_gradients,   [PRECISION_LOSS_SCALE] = device_loss_scale,
        [PRECISION_SOFTMAX] = device_softmax,       [PRECISION_ADAM_EPS] = device_adam,
        [PRECISION_STAGNATION] = device_stagnation, [PRECISION_STOCHASTIC] = device_stochastic,
        [PRECISION_FP8_SCALE] = device_fp8_scale,   [PRECISION_ALLREDUCE] = device_allreduce};
    facts_start(out);
    experiments[d->o->experiment](d, out);
}

static enum status cannot(const struct gpu *gpu, struct message *why) {
    message_start(why, "error.gpu.doubles");
    message_add_text(why, gpu->facts[0].name);
    return STATUS_FAILED;
}

static enum status too_long(const struct device_run *d, uint32_t times) {
    message_start(d->why, "error.gpu.timeout_rank");
    message_add_real(d->why, d->o->timeout_s);
    message_add_plain(d->why, (uint64_t)d->rank + 1);
    message_add_plain(d->why, times);
    return STATUS_FAILED;
}

/* All ranks once; `one` is room for what a rank found. */
static enum status repeat_once(struct device_run *d, struct precision_result *out, uint64_t repeat,
                               struct facts *one) {
    double begin = gpu_clock_s();
    uint32_t times = d->o->experiment == PRECISION_ALLREDUCE ? 1 : d->o->job.ranks;
    for (d->rank = 0; d->rank < times; d->rank++) {
        struct facts *into = repeat == 0 && d->rank == 0 ? &out->facts : one;
        measure(d, into);
        if (d->ok != STATUS_OK) {
            return d->ok;
        }
        out->same_each_time = out->same_each_time && facts_agree(&out->facts, into);
        if (gpu_clock_s() - begin > d->o->timeout_s) {
            return too_long(d, times);
        }
    }
    double time_s = gpu_clock_s() - begin;
    out->least_s = repeat == 0 || time_s < out->least_s ? time_s : out->least_s;
    if (d->o->tell != NULL) {
        d->o->tell(d->o->tell_context, repeat, time_s);
    }
    return STATUS_OK;
}

enum status gpu_precision_run(struct gpu *gpu, const struct precision_options *options,
                              struct precision_result *out, struct message *why) {
    struct device_run d = {gpu, 0, options, STATUS_OK, why};
    if (!gpu->has_doubles) {
        return cannot(gpu, why);
    }
    struct facts *one = device_room(&d, 1, sizeof *one);
    facts_start(&out->facts);
    out->same_each_time = true;
    for (uint64_t k = 0; d.ok == STATUS_OK && k < options->repeat; k++) {
        d.ok = repeat_once(&d, out, k, one);
    }
    free(one);
    return d.ok;
}
