/* What the files of this lesson share: activations taken out of the memory calculator, and the pictures of its pages. */
#ifndef LESSONS_ACTIVATIONS_PRIVATE_H
#define LESSONS_ACTIVATIONS_PRIVATE_H

#include "shardlab/calc/memory.h"
#include "shardlab/lesson/lesson.h"
#include "shardlab/lesson/memory_view.h"

/* --- layer.c: sizes --- */

/* Memory of the fullest stage; where the convention only knows phases, activations as the ZeRO paper's scheme has them.
 * False: the activations are not known (--params alone), or they overflow. */
bool activations_memory(const struct scenario *s, struct calc_memory *out);
/* The same of one stage. */
bool activations_on_stage(const struct scenario *s, uint64_t stage, struct calc_memory *out);

/* Whether a term is a layer's, and not the head's or the logits'. */
bool activations_of_layer(const struct calc_term *term);
/* Bytes of the term `id` among the activations; 0: there is none. */
uint64_t activations_term(const struct calc_memory *memory, const char *id);

/* What one layer keeps of one micro-batch, in units of s·b·h bytes: the part that is linear in the sequence, and the
 * scores. With experts, a layer that has them. */
struct activations_layer {
    uint64_t bytes, scores;
    double linear_sbh, scores_sbh;
};
bool activations_layer(const struct scenario *s, struct activations_layer *out);

/* The length of a sequence from which on standard attention's scores are larger than all else that a layer keeps. */
bool activations_crossing(const struct scenario *s, double *tokens);

/* A GPT block with dropout and standard attention, GPT-3's shape: the layer of the formula s·b·h(34 + 5as/h). */
bool activations_gpt(struct scenario *out);
/* The 22B model whose layer Korthikanti et al. timed: 4 sequences of 2048 tokens on 8 tensor ranks. */
bool activations_timed_model(struct scenario *out);

/* MT-NLG, 530B. */
bool activations_large_model(struct scenario *out);

/* By how much the activations of the fullest stage grow when the sequence, or else the micro-batch, is doubled; the rest
 * of `s` holds. False: that is no legal scenario. */
bool activations_growth(const struct scenario *s, bool sequence, double *times);

/* FLOPs that recomputing adds, as a part of forward and backward: of the layers alone, or with the head. */
bool activations_more_flops(const struct scenario *s, int recompute, bool layers_only,
                            double *part);

/* What Korthikanti et al. measured of one layer of a 22B model on 8 tensor ranks (arXiv:2205.05198, table 4):
 * milliseconds of forward and backward. */
double activations_measured_ms(int recompute);
/* The least that full recomputation was measured to add to a step's time: GPipe, arXiv:1811.06965, as later papers quote it. */
double activations_measured_least(void);

/* --- pictures --- */

void activations_plot_add(struct view *out, const struct scenario *s);
void activations_growth_add(struct view *out, const struct scenario *s);
void activations_ledger_add(struct view *out, const struct lesson_input *in,
                            const struct calc_memory *now);
void activations_layer_add(struct view *out, const struct scenario *s);
void activations_recompute_add(struct view *out, const struct scenario *s);
void activations_measured_add(struct view *out);
void activations_ranks_add(struct view *out, const struct scenario *s);
void activations_stages_add(struct view *out, const struct scenario *s);
void activations_logits_add(struct view *out, const struct scenario *s);

/* The stage that has the head; false: it is not known. */
bool activations_head_stage(const struct scenario *s, struct calc_memory *out);

/* A note that nothing of this is measured here. */
void activations_predicted_only_add(struct view *out);

bool activations_figure(const struct lesson_input *in, const char *name, struct writer *out);
bool activations_guess(const struct lesson_input *in, struct lesson_guess *out);

/* Makers of the numbers in quiz.json. */
enum { ACTIVATIONS_MAKERS = 11 };
extern const struct instance_entry activations_makers[ACTIVATIONS_MAKERS];

/* The pages, for pictures and questions alike. */
enum activations_page {
    ACTIVATIONS_WHY,
    ACTIVATIONS_OPERATORS,
    ACTIVATIONS_RECOMPUTE,
    ACTIVATIONS_RANKS,
    ACTIVATIONS_HEAD,
    ACTIVATIONS_PAGES
};

#endif
