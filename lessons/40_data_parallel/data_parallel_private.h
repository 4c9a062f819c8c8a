/* What the files of this lesson share: its pages and own knobs by number, the tables of its pages, its figures. */
#ifndef LESSONS_DATA_PARALLEL_PRIVATE_H
#define LESSONS_DATA_PARALLEL_PRIVATE_H

#include "../data_traffic_private.h"
#include "../gradient_trial_private.h"
#include "shardlab/lesson/lesson.h"

enum data_page { PAGE_COPIES, PAGE_SUM, PAGE_ACCUMULATE, PAGE_HIDE, PAGE_EQUAL, DATA_PAGES };

/* The lesson's own knob: the part of its tokens that count on rank 0, in percent. */
enum { KNOB_VALID, DATA_KNOBS };
extern const struct lesson_knob data_knobs[DATA_KNOBS];
uint64_t data_valid_percent(const struct lesson_input *in);

/* What one GPU and all of them hold, part by part, and what is there more than once. */
void data_copies_add(struct view *out, const struct scenario *s);
/* What a GPU sends, over the number of ranks. */
void data_ranks_add(struct view *out, const struct scenario *s);
/* Once a step or every micro-batch, over their number. */
void data_accumulation_add(struct view *out, const struct scenario *s);
/* What of the sum stays exposed, and how many tokens would hide it, over the number of ranks. */
void data_hiding_add(struct view *out, const struct scenario *s);
/* How much a token of each rank counts when means of ranks are averaged. */
void data_weights_add(struct view *out, const struct lesson_input *in);

/* Seconds of the backward of one micro-batch; false: no peak is known. */
bool data_backward_s(const struct scenario *s, double *out);
/* Tokens of the last micro-batch with which its backward takes as long as the sum of the gradients among `ranks` (0: the
 * learner's), at the learner's length of sequence. False: no peak or no rate is known. */
bool data_tokens_to_hide(const struct scenario *s, uint64_t ranks, double *out);
/* Gradients once, as they travel: what one rank contributes. */
bool data_message_bytes(const struct scenario *s, uint64_t *out);

/* Tokens that count: of rank 0, and of every other; and how often a token of each counts, against a mean over all. False:
 * more tokens than can be counted. */
struct data_weights {
    uint64_t short_tokens, full_tokens;
    double short_weight, full_weight;
};
bool data_weights_of(const struct lesson_input *in, struct data_weights *out);

/* The all-reduce that r runs, of gradients as they travel. */
bool data_trial_of(const struct scenario *s, struct gradient_trial *out);

bool data_guess(const struct lesson_input *in, struct lesson_guess *out);
bool data_figure(const struct lesson_input *in, const char *name, struct writer *out);

/* Of the questions in quiz.json. */
enum { DATA_MAKERS = 5 };
extern const struct instance_entry data_makers[DATA_MAKERS];

#endif
