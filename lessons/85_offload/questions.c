/* The numbers of this lesson's questions: what crosses PCIe and how long it takes, what the host must hold, what disks read and
 * write, and how a larger step dilutes it. Bytes are calc/comm.h's and calc/memory.h's; a mistake counts one transfer of
 * two, moves what stays, or does not divide. Proof: tests/unit/lessons/test_questions.c. */
#include <string.h>

#include "../question_memory_private.h"
#include "offload_private.h"

static const int ranks_of[] = {2, 4, 8};
/* GB/s in one direction: PCIe as sold and as measured. */
static const char *const pcie_rates[] = {"12", "15.75", "25", "31.5", "50", "63"};
static const char *const disk_rates[] = {"1.5", "2", "3", "5", "6", "10", "25"};

static double rate_of(const char *gb_per_s) {
    struct answer_number number = {0};
    struct message why;
    return answer_read(gb_per_s, ANSWER_RATE, "GB/s", &number, &why) == STATUS_OK ? number.value
                                                                                  : 0.0;
}

static enum status step_of(const struct instance *out, struct offload_step *step,
                           struct message *why) {
    struct scenario s;
    enum status ok = question_scenario(out, &s, why);
    return ok == STATUS_OK && offload_step(&s, step) ? STATUS_OK : STATUS_FAILED;
}

static void figure_ranks(struct instance *out, const char *params, int ranks) {
    instance_figure_text(out, "params", params);
    instance_figure_plain(out, "ranks", (uint64_t)ranks);
}

static void figure_rate(struct instance *out, double rate) {
    instance_figure_value(out, "rate", ANSWER_RATE, "GB/s", rate);
}

/* --- PCIe --- */

static enum status pcie_time(uint64_t seed, struct instance *out, struct message *why) {
    uint64_t dice = instance_dice(seed);
    const char *params = question_params(&dice), *link = QUESTION_PICK(&dice, pcie_rates);
    int ranks = QUESTION_PICK(&dice, ranks_of);
    struct offload_step step;
    struct scenario s;
    struct calc_memory kept;
    question_line(out, "comm --params %s --dp %d --zero 2 --offload optimizer --pcie-gb-per-s %s",
                  params, ranks, link);
    if (step_of(out, &step, why) != STATUS_OK || question_scenario(out, &s, why) != STATUS_OK ||
        question_memory_if(&s, "offload", "none", &kept, why) != STATUS_OK) {
        return STATUS_FAILED;
    }
    double rate = rate_of(link);
    double leaves = (double)step.bytes[OFFLOAD_OUT], returns = (double)step.bytes[OFFLOAD_IN];
    double seconds = (leaves + returns) / rate;
    figure_ranks(out, params, ranks);
    figure_rate(out, rate);
    struct instance_key *key = instance_key_add(out, ANSWER_SECONDS, "ms", seconds, 0.01);
    instance_path_add(key, "one-way", returns / rate);
    instance_path_add(key, "not-divided", ranks * seconds);
    instance_path_add(key, "states-move", 2 * question_part(&kept, CALC_PART_OPTIMIZER) / rate);
    question_said(instance_step_add(out, ANSWER_BYTES, "GB", leaves), "2Ψ/N", "2 × %s / %d", params,
                  ranks);
    question_said(instance_step_add(out, ANSWER_BYTES, "GB", returns), "2Ψ/N", "2 × %s / %d",
                  params, ranks);
    question_said(question_answer_step(out), "4Ψ/(N·W)", "%.4g GB / %.4g GB/s",
                  (leaves + returns) / 1e9, rate / 1e9);
    return STATUS_OK;
}

/* --- The host --- */

static enum status host_bytes(uint64_t seed, struct instance *out, struct message *why) {
    uint64_t dice = instance_dice(seed);
    const char *params = question_params(&dice);
    int ranks = QUESTION_PICK(&dice, ranks_of);
    struct scenario s;
    struct calc_memory memory, kept;
    question_line(out, "mem --params %s --dp %d --zero 2 --offload optimizer", params, ranks);
    if (question_memory(out, &s, &memory, why) != STATUS_OK ||
        question_memory_if(&s, "offload", "none", &kept, why) != STATUS_OK) {
        return STATUS_FAILED;
    }
    double each = (double)memory.offloaded.bytes, all = ranks * each;
    double gradients = ranks * question_part(&kept, CALC_PART_GRADIENTS);
    double weights = question_part(&kept, CALC_PART_WEIGHTS), psi = (double)kept.params;
    figure_ranks(out, params, ranks);
    struct instance_key *key = instance_key_add(out, ANSWER_BYTES, "GB", all, 0.01);
    instance_path_add(key, "weights-only", weights);
    instance_path_add(key, "no-gradients", all - gradients);
    instance_path_add(key, "weights-too", all + weights);
    instance_path_add(key, "one-rank", each);
    question_said(instance_step_add(out, ANSWER_BYTES, "GB", gradients), "2Ψ", "%.0f × %.0f",
                  gradients / psi, psi);
    question_said(instance_step_add(out, ANSWER_BYTES, "GB", all - gradients), "12Ψ", "%.0f × %.0f",
                  (all - gradients) / psi, psi);
    question_said(question_answer_step(out), "2Ψ + 12Ψ", "%.4g + %.4g", gradients / 1e9,
                  (all - gradients) / 1e9);
    return STATUS_OK;
}

/* --- Disks --- */

static enum status disk_time(uint64_t seed, struct instance *out, struct message *why) {
    uint64_t dice = instance_dice(seed);
    const char *params = question_params(&dice), *disk = QUESTION_PICK(&dice, disk_rates);
    int ranks = QUESTION_PICK(&dice, ranks_of);
    struct calc_comm comm;
    question_line(out,
                  "comm --params %s --dp %d --zero 2 --offload optimizer --offload-to nvme "
                  "--nvme-gb-per-s %s --pcie-gb-per-s 63",
                  params, ranks, disk);
    if (question_comm(out, -1, &comm, why) != STATUS_OK) {
        return STATUS_FAILED;
    }
    double rate = rate_of(disk), states = 0, all = 0;
    for (int i = 0; i < comm.row_count; i++) {
        const struct calc_comm_row *row = &comm.rows[i];
        bool disks = row->axis == CALC_AXIS_OFFLOAD && row->link == CALC_LINK_NVME;
        all += disks ? (double)row->sent_bytes : 0;
        states += disks && strcmp(row->id, "optimizer") == 0 ? (double)row->sent_bytes : 0;
    }
    double seconds = states / rate;
    figure_ranks(out, params, ranks);
    figure_rate(out, rate);
    struct instance_key *key = instance_key_add(out, ANSWER_SECONDS, "s", seconds, 0.01);
    instance_path_add(key, "one-way", seconds / 2);
    instance_path_add(key, "gradients-too", all / rate);
    instance_path_add(key, "not-divided", ranks * seconds);
    question_said(instance_step_add(out, ANSWER_BYTES, "GB", states / 2), "12Ψ/N", "12 × %s / %d",
                  params, ranks);
    question_said(question_answer_step(out), "24Ψ/(N·W)", "2 × %.4g GB / %.4g GB/s", states / 2e9,
                  rate / 1e9);
    return STATUS_OK;
}

/* --- A larger step --- */

static enum status waiting(uint64_t seed, struct instance *out, struct message *why) {
    static const int computing_ms[] = {300, 400, 500, 700};
    static const int steps_of[] = {2, 4, 8, 16, 32, 64};
    static const char *const sizes[] = {"1.5B", "3B", "4B", "7B", "8B"};
    static const char *const links[] = {"12", "25", "31.5", "50", "63"};
    uint64_t dice = instance_dice(seed);
    const char *params = QUESTION_PICK(&dice, sizes), *link = QUESTION_PICK(&dice, links);
    int steps = QUESTION_PICK(&dice, steps_of), ms = QUESTION_PICK(&dice, computing_ms);
    double each = ms * answer_unit_factor(ANSWER_SECONDS, "ms");
    struct offload_step step;
    question_line(out, "comm --params %s --offload optimizer --pcie-gb-per-s %s --micro-batches %d",
                  params, link, steps);
    if (step_of(out, &step, why) != STATUS_OK) {
        return STATUS_FAILED;
    }
    double rate = rate_of(link), back = (double)step.bytes[OFFLOAD_IN] / rate;
    while (each * 2 / 3 < back) { /* gradients leave within the backward pass, two thirds of it */
        each *= 2;
    }
    double computing = steps * each;
    instance_figure_text(out, "params", params);
    instance_figure_plain(out, "steps", (uint64_t)steps);
    figure_rate(out, rate);
    instance_figure_value(out, "computing", ANSWER_SECONDS, "ms", each);
    struct instance_key *key =
        instance_key_add(out, ANSWER_SHARE, "%", back / (back + computing), 0.01);
    instance_path_add(key, "every-micro-batch", back / (back + each));
    instance_path_add(key, "both-ways", 2 * back / (2 * back + computing));
    instance_path_add(key, "of-computing", back / computing);
    question_said(instance_step_add(out, ANSWER_SECONDS, "ms", back), "T = 2Ψ/W",
                  "2 × %s / %s GB/s", params, link);
    question_said(instance_step_add(out, ANSWER_SECONDS, "ms", computing), "m·C", "%d × %.0f ms",
                  steps, each * 1e3);
    question_said(question_answer_step(out), "T / (T + m·C)", "%.4g / (%.4g + %.4g)", back * 1e3,
                  back * 1e3, computing * 1e3);
    return STATUS_OK;
}

const struct instance_entry offload_makers[OFFLOAD_MAKERS] = {
    {"offload.pcie.time", pcie_time, true},
    {"offload.host.bytes", host_bytes, true},
    {"offload.disk.time", disk_time, true},
    {"offload.batch.waiting", waiting, true},
};
