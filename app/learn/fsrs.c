/* FSRS-6 in arithmetic: what an answer does to stability and difficulty of a card, and what interval follows. The names
 * w0 … w20 are those of the published formulas; numbers only, nothing is owned. Called by `shardlab schedule` and by
 * whatever derives the state of a card from its log. Proof: tests/unit/learn/test_fsrs.c. */
#include "shardlab/learn/fsrs.h"

#include <math.h>

#include "shardlab/base/writer.h"

enum { EASIEST = 1, HARDEST = 10 };
static const double stability_least = 0.001;
static const double recall_at_stability = 0.9;

const struct fsrs fsrs_weights = {
    .w = {0.212,  1.2931, 2.3065, 8.2956, 6.4133, 0.8334, 3.0194, 0.001,  1.8722, 0.1666, 0.796,
          1.4835, 0.0614, 0.2629, 1.6483, 0.6014, 1.8729, 0.5425, 0.0912, 0.0658, 0.1542},
};

static const struct {
    double least, most;
} ranges[FSRS_WEIGHTS] = {
    {0.001, 100},  {0.001, 100},  {0.001, 100}, {0.001, 100}, {1, 10},      {0.001, 4},
    {0.001, 4},    {0.001, 0.75}, {0, 4.5},     {0, 0.8},     {0.001, 3.5}, {0.001, 5},
    {0.001, 0.25}, {0.001, 0.9},  {0, 4},       {0, 1},       {1, 6},       {0, 2},
    {0, 2},        {0, 0.8},      {0.1, 0.8},
};

static void add_real(struct message *m, double value) {
    char text[32];
    struct writer w;
    writer_start(&w, text, sizeof text);
    writer_real(&w, value);
    message_add_text(m, text);
}

enum status fsrs_check(const struct fsrs *f, struct message *why) {
    for (unsigned i = 0; i < FSRS_WEIGHTS; i++) {
        bool inside = f->w[i] >= ranges[i].least && f->w[i] <= ranges[i].most; /* a nan is not */
        if (!inside) {
            message_start(why, "error.fsrs.weight");
            message_add_plain(why, i);
            add_real(why, f->w[i]);
            add_real(why, ranges[i].least);
            add_real(why, ranges[i].most);
            return STATUS_USAGE;
        }
    }
    return STATUS_OK;
}

static double clamp(double value, double least, double most) {
    return fmin(fmax(value, least), most);
}

static double clamp_stability(double days) {
    return clamp(days, stability_least, FSRS_DAYS_MAX);
}

/* The curve's second constant: recall is 0.9 when as many days have passed as the stability counts. */
static double curve_factor(const struct fsrs *f) {
    return pow(recall_at_stability, -1.0 / f->w[20]) - 1.0;
}

double fsrs_recall(const struct fsrs *f, double stability_days, double elapsed_days) {
    return pow(1.0 + curve_factor(f) * elapsed_days / stability_days, -f->w[20]);
}

/* Not yet held to 1 … 10. */
static double first_difficulty(const struct fsrs *f, enum fsrs_rating rating) {
    return f->w[4] - exp(f->w[5] * ((double)rating - 1.0)) + 1.0;
}

struct fsrs_memory fsrs_first(const struct fsrs *f, enum fsrs_rating rating) {
    return (struct fsrs_memory){
        .stability_days = clamp_stability(f->w[rating - FSRS_AGAIN]),
        .difficulty = clamp(first_difficulty(f, rating), EASIEST, HARDEST),
    };
}

/* A step that shrinks towards the hardest, and a pull back to where an easy card begins. */
static double next_difficulty(const struct fsrs *f, double difficulty, enum fsrs_rating rating) {
    double step = -f->w[6] * ((double)rating - 3.0);
    double stepped = difficulty + step * (HARDEST - difficulty) / (HARDEST - EASIEST);
    double pulled = f->w[7] * first_difficulty(f, FSRS_EASY) + (1.0 - f->w[7]) * stepped;
    return clamp(pulled, EASIEST, HARDEST);
}

static double stability_same_day(const struct fsrs *f, double stability, enum fsrs_rating rating) {
    double times = exp(f->w[17] * ((double)rating - 3.0 + f->w[18])) * pow(stability, -f->w[19]);
    enum fsrs_rating never_lower = f->hard_may_lower ? FSRS_GOOD : FSRS_HARD;
    return stability * (rating >= never_lower ? fmax(times, 1.0) : times);
}

static double stability_passed(const struct fsrs *f, struct fsrs_memory m, enum fsrs_rating rating,
                               double recall) {
    double hard = rating == FSRS_HARD ? f->w[15] : 1.0;
    double easy = rating == FSRS_EASY ? f->w[16] : 1.0;
    double gain = exp(f->w[8]) * (HARDEST + 1 - m.difficulty) * pow(m.stability_days, -f->w[9]) *
                  (exp(f->w[10] * (1.0 - recall)) - 1.0);
    return m.stability_days * (1.0 + gain * hard * easy);
}

static double stability_failed(const struct fsrs *f, struct fsrs_memory m, double recall) {
    double left = f->w[11] * pow(m.difficulty, -f->w[12]) *
                  (pow(m.stability_days + 1.0, f->w[13]) - 1.0) * exp(f->w[14] * (1.0 - recall));
    return fmin(left, m.stability_days * exp(-f->w[17] * f->w[18]));
}

struct fsrs_memory fsrs_next(const struct fsrs *f, struct fsrs_memory before,
                             enum fsrs_rating rating, uint64_t elapsed_days) {
    double recall = fsrs_recall(f, before.stability_days, (double)elapsed_days);
    double stability = elapsed_days == 0      ? stability_same_day(f, before.stability_days, rating)
                       : rating == FSRS_AGAIN ? stability_failed(f, before, recall)
                                              : stability_passed(f, before, rating, recall);
    return (struct fsrs_memory){
        .stability_days = clamp_stability(stability),
        .difficulty = next_difficulty(f, before.difficulty, rating),
    };
}

uint64_t fsrs_interval_days(const struct fsrs *f, double stability_days, double retention,
                            uint64_t max_days) {
    double days = round(stability_days / curve_factor(f) * (pow(retention, -1.0 / f->w[20]) - 1.0));
    if (days < 1.0) {
        return 1;
    }
    return days < (double)max_days ? (uint64_t)days : max_days;
}
