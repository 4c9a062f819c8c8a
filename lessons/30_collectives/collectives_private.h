/* What the files of this lesson share: its knobs by number, and what they mean together. */
#ifndef LESSONS_COLLECTIVES_PRIVATE_H
#define LESSONS_COLLECTIVES_PRIVATE_H

#include "shardlab/lesson/collective_view.h"
#include "shardlab/lesson/lesson.h"

/* The order of the lesson's own knobs. */
enum collectives_knob {
    KNOB_RANKS,
    KNOB_ELEMS,
    KNOB_COLLECTIVE,
    KNOB_ALGORITHM,
    KNOB_LINK,
    KNOB_ALPHA,
    KNOBS
};
extern const struct lesson_knob collectives_knobs[KNOBS];

enum { ELEMENT_BYTES = 4 }; /* fp32, what `shardlab allreduce` takes when nothing is said */

struct coll_job collectives_job(const struct lesson_input *in);
double collectives_alpha_s(const struct lesson_input *in);
/* Bytes a second of the chosen link of the scenario's card; 0: unknown. */
double collectives_rate(const struct lesson_input *in);
const char *collectives_stop(const struct lesson_input *in, enum collectives_knob knob);

/* The job with another algorithm, and what it costs; false: that is not defined, or not to be computed. */
bool collectives_cost_of(const struct coll_job *job, enum coll_algorithm algorithm,
                         struct collective_cost *out);

/* An algorithm's time over the size of the message: seconds without a byte, and seconds a byte. The slope is that of
 * messages which divide evenly. False: it is not defined here, one rank, or no rate. */
struct collectives_line {
    double at_zero, a_byte;
};
/* A link, or what one was measured to be. */
struct collectives_link {
    double alpha_s, bytes_per_s;
};
bool collectives_line_at(const struct lesson_input *in, enum coll_algorithm algorithm,
                         const struct collectives_link *link, struct collectives_line *out);
/* By the chosen link. */
bool collectives_line(const struct lesson_input *in, enum coll_algorithm algorithm,
                      struct collectives_line *out);

/* Which algorithm is the fastest from where to where, in bytes; returns how many, 0 where no time is known. */
struct collectives_change {
    enum coll_algorithm algorithm;
    double from, until; /* until: meaningless in the last */
    bool last;
};
int collectives_changes(const struct lesson_input *in,
                        struct collectives_change out[COLL_ALGORITHMS]);

/* The same as a picture: a curve an algorithm, marks where the fastest changes. */
void collectives_plot_add(struct view *out, const struct lesson_input *in);

char collectives_letter(enum coll_algorithm algorithm); /* the sign of its curve */
/* "22 ms" and "16 MiB" for the ends of the axes; text[VIEW_PLOT_LABEL_MAX]. */
void collectives_seconds_write(char *text, double seconds);
void collectives_size_write(char *text, double bytes);

/* --- measured.c: what `allreduce --sweep` answered, where it did --- */
bool collectives_measured(const struct lesson_input *in);
void collectives_measured_plot_add(struct view *out, const struct lesson_input *in);
void collectives_measured_rows_add(struct view_table *t, const struct lesson_input *in);
void collectives_measured_notes_add(struct view_table *t, const struct lesson_input *in);

/* Every algorithm on this message: rounds, messages, bytes, seconds. */
void collectives_compare_add(struct view *out, const struct lesson_input *in);
/* Seconds against size for every algorithm, and where one overtakes another. */
void collectives_sizes_add(struct view *out, const struct lesson_input *in);
/* The bytes from which on `second` is as fast as `first` or faster by the model, when it is slower below and faster
 * above; false: they do not cross, or the rate is unknown. */
bool collectives_crossing(const struct lesson_input *in, enum coll_algorithm first,
                          enum coll_algorithm second, double *bytes);

bool collectives_figure(const struct lesson_input *in, const char *name, struct writer *out);

/* Of the questions in quiz.json. */
enum { COLLECTIVES_MAKERS = 10 };
extern const struct instance_entry collectives_makers[COLLECTIVES_MAKERS];

#endif
