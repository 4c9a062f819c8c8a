/* A trial whose messages somebody else carries: the same values go in, the same judgement is passed on what comes out, and
 * what was counted is collected as for ranks that run here. Called by the room `gpu`; the result is the caller's until
 * ranks_trial_free. Proof: tests/unit/ranks/test_trial_carry.c, and tests/unit/gpu/test_trial.c with devices. */
#include <stdlib.h>
#include <string.h>

#include "shardlab/base/checked.h"
#include "trial_private.h"

enum { LINE = 64 };

struct carried {
    const struct ranks_trial_options *options;
    struct ranks_trial *trial;
    unsigned char *memory; /* inputs, then outputs */
    uint64_t half;         /* bytes of each */
    struct ranks_turn turn;
};

/* Room for all messages, which are the receives of all ranks. */
static bool make_trace(struct carried *c) {
    size_t most = (size_t)coll_steps_max(&c->options->job) * c->options->job.ranks;
    c->turn.trace = c->options->trace ? calloc(most + 1, sizeof *c->turn.trace) : NULL;
    c->trial->trace = c->turn.trace;
    return !c->options->trace || c->turn.trace != NULL;
}

static bool make_room(struct carried *c) {
    const struct ranks_trial_options *o = c->options;
    struct ranks_turn *t = &c->turn;
    uint64_t bytes, total;
    size_t pairs = (size_t)o->job.ranks * o->job.ranks;
    t->options = o;
    if (!checked_mul(o->job.elements, ranks_type_bytes(o->type), &bytes) ||
        !checked_add(bytes, LINE - 1, &bytes) ||
        !checked_mul(bytes / LINE * LINE, o->job.ranks, &c->half) ||
        !checked_mul(c->half, 2, &total) || total > SIZE_MAX - LINE) {
        return false;
    }
    t->stride = bytes / LINE * LINE;
    c->memory = calloc(1, (size_t)total + LINE);
    t->input = c->memory;
    t->output = c->memory == NULL ? NULL : c->memory + c->half;
    t->bytes = calloc(pairs, sizeof *t->bytes);
    t->messages = calloc(pairs, sizeof *t->messages);
    return c->memory != NULL && t->bytes != NULL && t->messages != NULL && make_trace(c) &&
           trial_room(c->trial, o->job.ranks, o->repeat);
}

/* Of what the collective defines on all ranks. */
static uint64_t hash_result(const struct carried *c) {
    const struct ranks_trial_options *o = c->options;
    size_t size = ranks_type_bytes(o->type);
    uint64_t hash = 0;
    for (uint32_t r = 0; r < o->job.ranks; r++) {
        uint64_t first, count;
        trial_defined(&o->job, r, &first, &count);
        hash = trial_hash_join(hash, trial_hash(c->turn.output + r * c->turn.stride + first * size,
                                                (size_t)count * size));
    }
    return hash;
}

/* Counters of the first repetition are the result; those of the others must be the same. */
static void count(struct carried *c, uint64_t repeat) {
    struct ranks_trial *t = c->trial;
    for (uint32_t from = 0; from < t->ranks; from++) {
        uint64_t bytes = 0, messages = 0;
        for (uint32_t to = 0; to < t->ranks; to++) {
            bytes += c->turn.bytes[(size_t)from * t->ranks + to];
            messages += c->turn.messages[(size_t)from * t->ranks + to];
        }
        if (repeat == 0) {
            t->sent_bytes[from] = bytes;
            t->sent_messages[from] = messages;
        }
        t->same_each_time =
            t->same_each_time && t->sent_bytes[from] == bytes && t->sent_messages[from] == messages;
    }
}

static enum status turn_once(struct carried *c, const struct ranks_carrier *carrier,
                             uint64_t repeat, struct message *why) {
    const struct ranks_trial_options *o = c->options;
    struct ranks_turn *t = &c->turn;
    size_t pairs = (size_t)o->job.ranks * o->job.ranks;
    for (uint32_t r = 0; r < o->job.ranks; r++) {
        trial_fill(o, r, c->memory + r * t->stride);
    }
    memset(t->bytes, 0, pairs * sizeof *t->bytes);
    memset(t->messages, 0, pairs * sizeof *t->messages);
    memset(c->memory + c->half, 0xFF, (size_t)c->half); /* what is not written is no number */
    t->trace = repeat == 0 ? t->trace : NULL;
    t->traced = 0;
    enum status ok = carrier->turn(carrier->context, t, why);
    if (ok != STATUS_OK) {
        return ok;
    }
    uint64_t hash = hash_result(c);
    c->trial->hash = repeat == 0 ? hash : c->trial->hash;
    c->trial->same_each_time = c->trial->same_each_time && hash == c->trial->hash;
    c->trial->times_s[repeat] = t->time_s;
    count(c, repeat);
    if (repeat == 0) {
        c->trial->rounds = t->rounds;
        c->trial->traced = t->traced;
    }
    if (o->tell != NULL) {
        o->tell(o->tell_context, &(struct ranks_event){.kind = RANKS_EVENT_REPEATED,
                                                       .repeat = repeat,
                                                       .time_s = t->time_s});
    }
    return STATUS_OK;
}

static void judge(const struct carried *c) {
    struct trial_run run = {.options = c->options, .trial = c->trial};
    run.places.output = c->half;
    run.places.buffer_stride = c->turn.stride;
    trial_sort(c->trial, c->options->repeat);
    trial_judge(&run, c->memory);
}

enum status ranks_trial_carry(const struct ranks_trial_options *options,
                              const struct ranks_carrier *carrier, struct ranks_trial *trial,
                              struct message *why) {
    struct carried c = {.options = options, .trial = trial};
    memset(trial, 0, sizeof *trial);
    enum status ok = coll_job_check(&options->job, why);
    if (ok != STATUS_OK) {
        return ok;
    }
    trial->same_each_time = true;
    if (!make_room(&c)) {
        message_start(why, "error.ranks.elements");
        message_add_plain(why, options->job.ranks);
        message_add_plain(why, options->job.elements);
        ok = STATUS_FAILED;
    }
    for (uint64_t k = 0; ok == STATUS_OK && k < options->repeat; k++) {
        ok = turn_once(&c, carrier, k, why);
    }
    if (ok == STATUS_OK) {
        judge(&c);
    }
    free(c.memory);
    free(c.turn.bytes);
    free(c.turn.messages);
    return ok;
}
