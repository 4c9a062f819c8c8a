/* The lesson *collectives*: how ranks add up what each of them holds a part of. Five pages: what an all-reduce is; the
 * ring as its two halves; rounds against bytes; uneven chunks; when latency decides and when bandwidth. Ranks, elements,
 * collective and algorithm belong to no scenario, so they are knobs of the lesson's own; the card, for its links, is the
 * scenario's. The pictures are collective_view.c's and sizes.c's, the numbers in the words figures.c's.
 * Proof: tests/unit/lessons/test_collectives.c. */
#include "../registry_private.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "collectives_private.h"
#include "shardlab/base/units.h"

enum page { PAGE_WHAT, PAGE_RING, PAGE_ROUNDS, PAGE_UNEVEN, PAGE_TIME, PAGES };

static const char *const ranks_stops[] = {"1", "2", "3", "4", "5", "6", "7", "8", "12", "16", NULL};
static const char *const elems_stops[] = {"1",       "3",       "10",       "1000",      "65536",
                                          "1000000", "1000003", "16777216", "268435456", NULL};
static const char *const collective_stops[] = {"all-reduce", "reduce-scatter", "all-gather",
                                               "broadcast",  "all-to-all",     NULL};
static const char *const algorithm_stops[] = {"naive",  "ring", "tree", "halving-doubling",
                                              "direct", NULL};
static const char *const link_stops[] = {"node", "network", NULL};
static const char *const alpha_stops[] = {"1", "2", "5", "10", "20", "50", NULL};

const struct lesson_knob collectives_knobs[KNOBS] = {
    [KNOB_RANKS] = {"ranks", ranks_stops, 3},
    [KNOB_ELEMS] = {"elems", elems_stops, 5},
    [KNOB_COLLECTIVE] = {"collective", collective_stops, 0},
    [KNOB_ALGORITHM] = {"algorithm", algorithm_stops, 1},
    [KNOB_LINK] = {"link", link_stops, 0},
    [KNOB_ALPHA] = {"alpha", alpha_stops, 2},
};

/* What the words of a page ask to move comes first. */
static const struct lesson_knobs page_knobs[PAGES] = {
    [PAGE_WHAT] = {"group.page", {"algorithm", "collective", "ranks"}},
    [PAGE_RING] = {"group.page", {"ranks", "elems", "algorithm"}},
    [PAGE_ROUNDS] = {"group.page", {"algorithm", "ranks", "elems"}},
    [PAGE_UNEVEN] = {"group.page", {"elems", "ranks", "algorithm"}},
    [PAGE_TIME] = {"group.page", {"ranks", "link", "alpha", "gpu"}},
};

static const struct lesson_knobs common_knobs = {
    "group.collective", {"ranks", "elems", "collective", "algorithm", "link", "alpha", "gpu"}};

static int collectives_groups(int page, struct lesson_knobs out[LESSON_GROUPS_MAX]) {
    assert(page >= 0 && page < PAGES);
    out[0] = page_knobs[page];
    out[1] = common_knobs;
    return 2;
}

/* --- What the knobs mean --- */

const char *collectives_stop(const struct lesson_input *in, enum collectives_knob knob) {
    const struct lesson_knob *k = &collectives_knobs[knob];
    return k->stops[in->own == NULL ? k->start : in->own[knob]];
}

static uint64_t number(const struct lesson_input *in, enum collectives_knob knob) {
    uint64_t value = 0;
    bool read = units_parse_count(collectives_stop(in, knob), 1000, &value);
    assert(read); /* the stops stand above */
    return read ? value : 0;
}

struct coll_job collectives_job(const struct lesson_input *in) {
    return (struct coll_job){
        .collective =
            (enum coll_collective)coll_collective_find(collectives_stop(in, KNOB_COLLECTIVE)),
        .algorithm = (enum coll_algorithm)coll_algorithm_find(collectives_stop(in, KNOB_ALGORITHM)),
        .ranks = (uint32_t)number(in, KNOB_RANKS),
        .elements = number(in, KNOB_ELEMS),
    };
}

double collectives_alpha_s(const struct lesson_input *in) {
    return (double)number(in, KNOB_ALPHA) * 1e-6;
}

double collectives_rate(const struct lesson_input *in) {
    const struct calc_cluster *c = &in->now->cluster;
    bool node = strcmp(collectives_stop(in, KNOB_LINK), link_stops[0]) == 0;
    return (node ? c->link_gb_per_s : c->net_gb_per_s) * 1e9;
}

static enum status check(const struct lesson_input *in, struct message *why) {
    struct coll_job job = collectives_job(in);
    return coll_job_check(&job, why);
}

/* --- Pictures --- */

static int frames(const struct lesson_input *in, int *start) {
    struct coll_job job = collectives_job(in);
    struct collective_cost cost;
    struct message why;
    *start = 0;
    if (in->page == PAGE_TIME || collective_cost(&job, ELEMENT_BYTES, &cost, &why) != STATUS_OK) {
        return 0;
    }
    int last = (int)cost.rounds;
    if (in->page == PAGE_RING || in->page == PAGE_UNEVEN) {
        *start = last / 2; /* the ring between its halves */
    } else if (in->page == PAGE_ROUNDS) {
        *start = last < 1 ? 0 : 1;
    }
    return last;
}

static enum status picture(const struct lesson_input *in, struct view *out, struct message *why) {
    struct coll_job job = collectives_job(in);
    view_start(out);
    if (in->page == PAGE_TIME) {
        if (collectives_measured(in)) {
            collectives_measured_plot_add(out, in);
        } else {
            collectives_plot_add(out, in);
        }
        collectives_sizes_add(out, in);
        return STATUS_OK;
    }
    if (in->page == PAGE_ROUNDS) {
        collectives_compare_add(out, in);
    }
    return collective_frames_add(out, &job, ELEMENT_BYTES, in->frame, why);
}

/* --- The same, really run --- */

static void write_command(const struct lesson_input *in, struct writer *out) {
    writer_text(out, "allreduce --ranks ");
    writer_text(out, collectives_stop(in, KNOB_RANKS));
    writer_text(out, " --elems ");
    writer_text(out, collectives_stop(in, KNOB_ELEMS));
    writer_text(out, " --algorithm ");
    writer_text(out, collectives_stop(in, KNOB_ALGORITHM));
    if (strcmp(collectives_stop(in, KNOB_COLLECTIVE), collective_stops[0]) != 0) {
        writer_text(out, " --collective ");
        writer_text(out, collectives_stop(in, KNOB_COLLECTIVE));
    }
}

static void add_choice(struct lesson_guess *out, uint64_t bytes) {
    struct message *m = &out->choices[out->choice_count++];
    message_start(m, "collective.guess.bytes");
    message_add_count(m, bytes);
}

/* What a rank of a ring sends: the message once, the truth, the limit for many ranks, the message to everybody. */
static void ask(const struct coll_job *job, struct lesson_guess *out) {
    struct collective_cost cost;
    struct message unused;
    bool even = job->elements % job->ranks == 0;
    if (job->collective != COLL_ALL_REDUCE || job->algorithm != COLL_RING || job->ranks < 3 ||
        !even || collective_cost(job, ELEMENT_BYTES, &cost, &unused) != STATUS_OK) {
        return;
    }
    uint64_t message = job->elements * ELEMENT_BYTES;
    message_start(&out->question, "collective.guess.question");
    message_add_plain(&out->question, job->ranks);
    message_add_count(&out->question, message);
    add_choice(out, message);
    add_choice(out, cost.most_bytes);
    add_choice(out, 2 * message);
    add_choice(out, job->ranks * message);
    out->right = 1;
    message_start(&out->why[0], "collective.guess.once");
    message_start(&out->why[1], "collective.guess.ring");
    message_add_plain(&out->why[1], job->ranks);
    message_add_plain(&out->why[1], job->ranks - 1);
    message_start(&out->why[2], "collective.guess.limit");
    message_start(&out->why[3], "collective.guess.everybody");
}

/* The last page runs every algorithm over sizes, as its picture shows them. */
static void sweep(const struct lesson_input *in, struct lesson_experiment *out) {
    struct writer w;
    out->title = "collective.sweep";
    writer_start(&w, out->line, sizeof out->line);
    writer_text(&w, "allreduce --ranks ");
    writer_text(&w, collectives_stop(in, KNOB_RANKS));
    writer_text(&w, " --sweep");
    if (strcmp(collectives_stop(in, KNOB_COLLECTIVE), collective_stops[0]) != 0) {
        writer_text(&w, " --collective ");
        writer_text(&w, collectives_stop(in, KNOB_COLLECTIVE));
    }
    out->names = "algorithms";
    out->value_count = 2;
    out->values[0] = (struct lesson_value){"sent_bytes_per_algorithm", "collective.sweep.sent",
                                           LESSON_UNIT_NONE};
    out->values[1] = (struct lesson_value){"messages_per_algorithm", "collective.sweep.messages",
                                           LESSON_UNIT_NONE};
    out->fact_count = 2;
    out->facts[0] =
        (struct lesson_value){"fit.alpha_s", "collective.sweep.alpha", LESSON_UNIT_SECONDS};
    out->facts[1] =
        (struct lesson_value){"fit.bytes_per_s", "collective.sweep.rate", LESSON_UNIT_RATE};
}

static bool experiment(const struct lesson_input *in, struct lesson_experiment *out) {
    const uint64_t most_bytes = UINT64_C(1)
                                << 29; /* what all ranks hold together, and are to hold */
    struct coll_job job = collectives_job(in);
    struct writer w;
    if (in->page == PAGE_TIME) {
        sweep(in, out);
        return true;
    }
    if (job.elements * ELEMENT_BYTES > most_bytes / job.ranks) {
        return false;
    }
    out->title = "collective.experiment";
    writer_start(&w, out->line, sizeof out->line);
    write_command(in, &w);
    out->value_count = 2;
    out->values[0] =
        (struct lesson_value){"sent_bytes_per_rank", "collective.value.sent", LESSON_UNIT_NONE};
    out->values[1] = (struct lesson_value){"steps", "collective.value.rounds", LESSON_UNIT_NONE};
    out->fact_count = 2;
    out->facts[0] =
        (struct lesson_value){"time_s.median", "collective.fact.time", LESSON_UNIT_SECONDS};
    out->facts[1] =
        (struct lesson_value){"busbw_bytes_per_s", "collective.fact.busbw", LESSON_UNIT_RATE};
    if (in->page == PAGE_RING) {
        ask(&job, &out->guess);
    }
    return true;
}

const struct lesson lesson_collectives = {
    .id = "collectives",
    .folder = "30_collectives",
    .page_count = PAGES,
    .start = "--model llama-2-7b --dp 8 --zero 1 --gpu a100-sxm-80gb",
    .knobs = collectives_groups,
    .view = picture,
    .figure = collectives_figure,
    .own = collectives_knobs,
    .own_count = KNOBS,
    .own_check = check,
    .frames = frames,
    .command = write_command,
    .experiment = experiment,
    .makers = collectives_makers,
    .maker_count = COLLECTIVES_MAKERS,
};
