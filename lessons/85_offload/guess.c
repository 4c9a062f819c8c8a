/* What this lesson asks before it shows a picture: how many bytes of each parameter cross PCIe in a step (page 2), and
 * what a step with states on disks waits for longest (page 3). Choices are the calculator's; each wrong one is what
 * follows from a misconception. Fills the caller's struct. Proof: tests/unit/lessons/test_offload_lesson.c. */
#include <math.h>

#include "offload_private.h"

static void add(struct lesson_guess *out, const char *why, double bytes) {
    int at = out->choice_count++;
    message_start(&out->choices[at], "lesson.offload.guess.bytes");
    if (bytes >= 0 && floor(bytes) == bytes) {
        message_add_plain(&out->choices[at], (uint64_t)bytes); /* "4 bytes", not "4.00 bytes" */
    } else {
        message_add_real(&out->choices[at], bytes);
    }
    message_start(&out->why[at], why);
}

static double bytes_of(const struct message *choice) {
    const struct message_arg *arg = &choice->args[0];
    return arg->kind == MESSAGE_ARG_REAL ? arg->real : (double)arg->count;
}

static bool all_differ(const struct lesson_guess *guess) {
    for (int a = 0; a < guess->choice_count; a++) {
        for (int b = a + 1; b < guess->choice_count; b++) {
            if (lround(bytes_of(&guess->choices[a]) * 100) ==
                lround(bytes_of(&guess->choices[b]) * 100)) {
                return false;
            }
        }
    }
    return true;
}

/* Gradients leave, weights come back. Not: gradients alone; the states that were moved away, once; all of them there and
 * back. */
static bool ask_bytes(const struct scenario *s, struct lesson_guess *out) {
    struct scenario cpu = *s, whole;
    struct offload_step step;
    struct calc_memory memory;
    struct message unused;
    cpu.batch.micro_batches = 1;
    if (!offload_with(&cpu, OFFLOAD_WAY_OPTIMIZER_CPU, &cpu) ||
        !offload_with(&cpu, OFFLOAD_WAY_NONE, &whole) || !offload_step(&cpu, &step) ||
        step.parameters <= 0 || calc_memory_on_stage(&whole, 0, &memory, &unused) != STATUS_OK ||
        memory.phases || memory.params == 0) {
        return false;
    }
    double out_bytes = (double)step.bytes[OFFLOAD_OUT] / step.parameters;
    double states = (double)calc_state_bytes_per_param(&cpu);
    message_start(&out->question, "lesson.offload.guess.question");
    add(out, "lesson.offload.guess.gradients", out_bytes);
    add(out, "lesson.offload.guess.right", offload_per_parameter(&step, false));
    add(out, "lesson.offload.guess.states", states);
    add(out, "lesson.offload.guess.both", 2 * states);
    out->right = 1;
    if (!all_differ(out)) {
        *out = (struct lesson_guess){0};
        return false;
    }
    return true;
}

static void add_time(struct lesson_guess *out, const char *choice, const char *why,
                     double seconds) {
    int at = out->choice_count++;
    message_start(&out->choices[at], choice);
    message_start(&out->why[at], why);
    message_add_real(&out->why[at], seconds);
}

/* States on disks: the computation, PCIe or the disks? */
static bool ask_link(const struct scenario *s, struct lesson_guess *out) {
    struct scenario nvme;
    struct offload_step step;
    if (!offload_with(s, OFFLOAD_WAY_OPTIMIZER_NVME, &nvme) || !offload_step(&nvme, &step) ||
        !step.known) {
        return false;
    }
    double seconds[] = {step.compute_s, step.seconds[OFFLOAD_OUT] + step.seconds[OFFLOAD_IN],
                        step.seconds[OFFLOAD_WRITTEN] + step.seconds[OFFLOAD_READ]};
    message_start(&out->question, "lesson.offload.guess.link");
    message_add_plain(&out->question, s->batch.micro_batches);
    add_time(out, "lesson.offload.guess.compute", "lesson.offload.guess.compute.why", seconds[0]);
    add_time(out, "comm.link.pcie", "lesson.offload.guess.pcie.why", seconds[1]);
    add_time(out, "comm.link.nvme", "lesson.offload.guess.nvme.why", seconds[2]);
    int longest = seconds[1] > seconds[0] ? 1 : 0;
    out->right = seconds[2] > seconds[longest] ? 2 : longest;
    return true;
}

bool offload_guess(const struct lesson_input *in, struct lesson_guess *out) {
    switch (in->page) {
    case OFFLOAD_TRAFFIC:
        return ask_bytes(in->now, out);
    case OFFLOAD_LINK:
        return ask_link(in->now, out);
    default:
        return false;
    }
}
