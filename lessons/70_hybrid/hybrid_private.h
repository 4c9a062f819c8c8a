/* What the files of this lesson share. */
#ifndef LESSONS_HYBRID_PRIVATE_H
#define LESSONS_HYBRID_PRIVATE_H

#include "shardlab/calc/comm.h"
#include "shardlab/lesson/lesson.h"
#include "shardlab/lesson/plan_search_view.h"

/* The lesson's own knobs, in this order. */
enum hybrid_knob { HYBRID_RANK, HYBRID_RUN, HYBRID_GPUS, HYBRID_GLOBAL_BATCH, HYBRID_KNOBS };
extern const struct lesson_knob hybrid_knobs[HYBRID_KNOBS];

/* Names of the published runs, in the table's order: the stops of the knob. */
extern const char *const hybrid_run_stops[];

uint64_t hybrid_number(const struct lesson_input *in, enum hybrid_knob knob);
struct plan_question hybrid_question(const struct lesson_input *in);

/* What one GPU of a middle stage (one that sends both ways) sends over one axis in a step. */
struct hybrid_axis {
    uint64_t sent_bytes, calls;
    bool exposed_known;
    double exposed_s;
    bool network; /* some of it runs at the network's speed */
};
enum { HYBRID_AXES = 3 }; /* tp, pp, dp */
extern const enum calc_axis hybrid_axes[HYBRID_AXES];
bool hybrid_axes_of(const struct scenario *s, struct hybrid_axis out[HYBRID_AXES]);

/* Bytes that such a GPU sends in groups that leave the node. */
bool hybrid_network_bytes(const struct scenario *s, uint64_t *out);

/* The scenario with other degrees or another number of micro-batches; 0 keeps what is there. False: against the rules. */
struct hybrid_change {
    uint64_t dp, tp, pp, micro_batches;
    int zero; /* −1 keeps it */
};
bool hybrid_changed(const struct scenario *s, const struct hybrid_change *change,
                    struct scenario *out);

/* "TP > DP > PP", by bytes or by exposed time; axes that send nothing are left out. "" when none does or, by time, when it
 * is not known. */
enum hybrid_order { HYBRID_BY_BYTES, HYBRID_BY_TIME };
void hybrid_order_write(struct writer *w, const struct hybrid_axis axes[HYBRID_AXES],
                        enum hybrid_order by);

/* Tokens that a replica sees in a step, and from how many on the pipeline sends more than data parallelism; false: one of
 * them sends nothing. */
uint64_t hybrid_tokens(const struct scenario *s);
bool hybrid_tokens_equal(const struct scenario *s, uint64_t *out);

/* Pages 1 to 4. The axes with or without the two orders below them. */
void hybrid_axes_add(struct view *out, const struct scenario *s, bool orders);
void hybrid_flip_add(struct view *out, const struct scenario *s);
void hybrid_runs_add(struct view *out, int chosen);
void hybrid_stack_add(struct view *out, const struct scenario *s);

/* The scenario of a published run; false: its degrees or its batch were not published. */
bool hybrid_run(int index, struct scenario *out);
int hybrid_run_count(void);
const char *hybrid_run_name(int index);
bool hybrid_run_degrees(int index, uint64_t *dp, uint64_t *tp, uint64_t *pp);

/* How often a step reduces gradients over data ranks. */
uint64_t hybrid_reductions(const struct scenario *s);

/* Whether DeepSpeed's pipeline engine takes this ZeRO stage beside this many stages. */
bool hybrid_deepspeed_takes(uint64_t pp, uint64_t zero);

bool hybrid_figure(const struct lesson_input *in, const char *name, struct writer *out);
bool hybrid_guess(const struct lesson_input *in, struct lesson_guess *out);

/* Of the questions in quiz.json. */
enum { HYBRID_MAKERS = 12 };
extern const struct instance_entry hybrid_makers[HYBRID_MAKERS];

#endif
