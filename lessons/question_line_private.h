/* A question's numbers come from a scenario, and `o` opens the calculator with the same one: so both are one text, the command
 * line, which a maker writes and reads back. What makers of several lessons need for that, and for what they compute from it. */
#ifndef LESSONS_QUESTION_LINE_PRIVATE_H
#define LESSONS_QUESTION_LINE_PRIVATE_H

#include "shardlab/base/attributes.h"
#include "shardlab/calc/comm.h"
#include "shardlab/learn/instance.h"

/* One of a table, by the dice. */
#define QUESTION_PICK(dice, table)                                                                 \
    ((table)[instance_pick((dice), (int)(sizeof(table) / sizeof((table)[0])))])

/* What a question's line may name, as options with their values: a test compares them with assets/. */
struct question_preset {
    const char *name, *options;
};
int question_model_count(void);
const struct question_preset *question_model_at(int index);

/* Cards: dense BF16 peak in TFLOP/s, and the rates of a node's links and of the network, GB/s in one direction. */
struct question_card {
    const char *name, *short_name;
    double peak_tflops, link_gb_per_s, net_gb_per_s;
};
int question_card_count(void);
const struct question_card *question_card_at(int index);

/* Writes out->line, printf-like: "comm --model llama-2-7b --dp 8". Too long is a programmer's error (assert). */
__attribute__((format(printf, 2, 3))) void question_line(struct instance *out, const char *format,
                                                         ...);

/* The scenario that out->line means, its options behind the command's name. STATUS_FAILED: it means none. */
MUST_USE enum status question_scenario(const struct instance *out, struct scenario *s,
                                       struct message *why);
/* Its communication; of the GPU that sends most, or with `stage` >= 0 of one of that stage. */
MUST_USE enum status question_comm(const struct instance *out, int stage, struct calc_comm *comm,
                                   struct message *why);
/* The row of an axis with this id; NULL: there is none. */
const struct calc_comm_row *question_row(const struct calc_comm *comm, enum calc_axis axis,
                                         const char *id);

/* Counts as people say them, in place: "2 × 72000000000" becomes "2 × 72B". `size` at most that of a step's words. */
void question_shorten(char *text, size_t size);

/* What stands on both sides of a step of the solution: the formula, and printf-like the same with numbers, shortened. */
__attribute__((format(printf, 3, 4))) void
question_said(struct instance_step *step, const char *formula, const char *format, ...);

/* The step that ends in the answer, from the only key. */
struct instance_step *question_answer_step(struct instance *out);

/* "BF16" of two bytes, "FP32" of four. */
const char *question_type(uint64_t bytes);

#endif
