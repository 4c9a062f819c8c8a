/* What the files of this lesson share. */
#ifndef LESSONS_START_PRIVATE_H
#define LESSONS_START_PRIVATE_H

#include "shardlab/lesson/lesson.h"
#include "shardlab/lesson/plan_search_view.h"

/* The lesson's own knobs, in this order. */
enum start_knob { START_GPUS, START_GLOBAL_BATCH, START_KNOBS };
extern const struct lesson_knob start_knobs[START_KNOBS];

struct plan_question start_question(const struct lesson_input *in);

/* One way to use cards; what it does not name is off. */
struct start_way {
    uint64_t dp, tp, pp, zero;         /* degrees: 0 means 1 */
    int recompute, offload, precision; /* enums of calc/scenario.h */
    bool sequence_parallel;
};

/* The learner's model, batch and card used in this way. False: the rules refuse it. */
bool start_scenario(const struct scenario *s, const struct start_way *way, struct scenario *out);

/* Plain data parallelism over more and more cards: what one card holds. */
void start_cards_add(struct view *out, const struct scenario *s);

/* Each remedy alone on the learner's number of cards: what it moves and what it is paid with. */
void start_remedies_add(struct view *out, const struct scenario *s);

/* ZeRO-3 over more and more cards: states shrink, activations do not. */
void start_rest_add(struct view *out, const struct scenario *s);

/* The fewest cards on which a step fits with ZeRO-3 and this recomputation; 0: on no number up to a limit. */
uint64_t start_fewest_cards(const struct scenario *s, int recompute);

/* Makers of the numbers in quiz.json. */
enum { START_MAKERS = 1 };
extern const struct instance_entry start_makers[START_MAKERS];

bool start_figure(const struct lesson_input *in, const char *name, struct writer *out);
bool start_guess(const struct lesson_input *in, struct lesson_guess *out);

#endif
