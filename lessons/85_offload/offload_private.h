/* What the files of this lesson share: the ways to offload, what one step of each costs, and the pictures. */
#ifndef LESSONS_OFFLOAD_PRIVATE_H
#define LESSONS_OFFLOAD_PRIVATE_H

#include "shardlab/calc/memory.h"
#include "shardlab/lesson/comm_view.h"
#include "shardlab/lesson/lesson.h"
#include "shardlab/lesson/memory_view.h"

enum offload_page {
    OFFLOAD_WHERE,
    OFFLOAD_TRAFFIC,
    OFFLOAD_LINK,
    OFFLOAD_BATCH,
    OFFLOAD_SLOWER,
    OFFLOAD_PAGES
};

/* What leaves the GPU, and where to. */
enum offload_way {
    OFFLOAD_WAY_NONE,
    OFFLOAD_WAY_OPTIMIZER_CPU,
    OFFLOAD_WAY_OPTIMIZER_NVME,
    OFFLOAD_WAY_PARAMS_CPU,
    OFFLOAD_WAY_PARAMS_NVME,
    OFFLOAD_WAYS
};

/* "none", "optimizer-cpu", …: of cells and message ids. */
const char *offload_way_name(enum offload_way way);
enum offload_way offload_way_of(const struct scenario *s);
/* The scenario with that way; false: it is not legal. */
bool offload_with(const struct scenario *s, enum offload_way way, struct scenario *out);

enum offload_move { OFFLOAD_OUT, OFFLOAD_IN, OFFLOAD_WRITTEN, OFFLOAD_READ, OFFLOAD_MOVES };

/* One step of one GPU. PCIe carries both directions at once: it is busy as long as the fuller one. */
struct offload_step {
    uint64_t bytes[OFFLOAD_MOVES]; /* over PCIe out of and into the GPU, to disks and from them */
    double seconds[OFFLOAD_MOVES];
    bool links_known;  /* every link that something moves over has a rate */
    bool known;        /* also how fast the card computes */
    double compute_s;  /* forward, backward, recomputation */
    double exposed_s;  /* moving and sending that no computation hides */
    double step_s;     /* their sum: the bubble of a pipeline and the CPU's Adam are not in it */
    double tokens;     /* of this GPU's micro-batches */
    double parameters; /* that this GPU updates: what bytes are divided by */
};
bool offload_step(const struct scenario *s, struct offload_step *out);

/* Bytes a parameter and step over PCIe, or to and from disks. */
double offload_per_parameter(const struct offload_step *step, bool disks);

/* How many times longer a step takes than its computation. False: not known. */
bool offload_slowdown(const struct scenario *s, double *times);

/* The largest micro-batch with which a GPU's total is at most its capacity; 0: none, or no capacity is known. */
uint64_t offload_largest(const struct scenario *s);

/* The same scenario at its largest micro-batch, in tokens a second and GPU. False: it does not fit, or is not known. */
bool offload_rate_at_largest(const struct scenario *s, uint64_t *micro_batch, double *rate);

/* A model near the limit of a card of 32 GB without offload (1.5 billion parameters), on the learner's card. */
bool offload_small_model(const struct scenario *s, struct scenario *out);

/* --- pictures --- */

void offload_places_add(struct view *out, const struct scenario *s);
void offload_moves_add(struct view *out, const struct scenario *s);
void offload_times_add(struct view *out, const struct scenario *s);
void offload_plot_add(struct view *out, const struct scenario *s);
void offload_largest_add(struct view *out, const struct scenario *s);

/* Makers of the numbers in quiz.json. */
enum { OFFLOAD_MAKERS = 4 };
extern const struct instance_entry offload_makers[OFFLOAD_MAKERS];

bool offload_figure(const struct lesson_input *in, const char *name, struct writer *out);
bool offload_guess(const struct lesson_input *in, struct lesson_guess *out);

#endif
