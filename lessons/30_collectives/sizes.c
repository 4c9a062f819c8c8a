/* The lesson's tables: every algorithm on one message, and every algorithm over sizes by the α–β model, with the sizes
 * at which one overtakes another. By the model an algorithm's time is a straight line over the size: α for each
 * message of each round's busiest rank, and that rank's bytes over the link's rate. So crossings are where two lines meet.
 * Proof: tests/unit/lessons/test_collectives.c. */
#include "collectives_private.h"

#include "shardlab/base/units.h"

enum { SIZES = 7 };

bool collectives_cost_of(const struct coll_job *job, enum coll_algorithm algorithm,
                         struct collective_cost *out) {
    struct coll_job other = *job;
    struct message why;
    other.algorithm = algorithm;
    return coll_job_check(&other, &why) == STATUS_OK &&
           collective_cost(&other, ELEMENT_BYTES, out, &why) == STATUS_OK;
}

/* --- One message --- */

void collectives_compare_add(struct view *out, const struct lesson_input *in) {
    enum { NAME, ROUNDS, MESSAGES, MOST, TOTAL };
    static const struct view_table_col cols[] = {
        [NAME] = {"algorithm", "collective.column.algorithm", VIEW_TABLE_TEXT, 0, NULL},
        [ROUNDS] = {"rounds", "collective.column.rounds", VIEW_TABLE_COUNT, 0, NULL},
        [MESSAGES] = {"messages", "collective.column.messages", VIEW_TABLE_COUNT, 2, NULL},
        [MOST] = {"most_bytes", "collective.column.most", VIEW_TABLE_COUNT, 0, NULL},
        [TOTAL] = {"total_bytes", "collective.column.total", VIEW_TABLE_COUNT, 1, NULL},
    };
    struct coll_job job = collectives_job(in);
    struct view_table *t = &view_add(out, VIEW_KIND_TABLE)->table;
    message_start(&t->title, "collective.compare");
    message_add_plain(&t->title, job.ranks);
    message_add_count(&t->title, job.elements * ELEMENT_BYTES);
    for (size_t i = 0; i < sizeof cols / sizeof cols[0]; i++) {
        (void)view_table_col(t, &cols[i]);
    }
    for (int a = 0; a < COLL_ALGORITHMS; a++) {
        struct collective_cost cost;
        if (!collectives_cost_of(&job, (enum coll_algorithm)a, &cost)) {
            continue;
        }
        int row = view_table_row(t);
        view_table_set_text(t, row, NAME, coll_algorithm_name((enum coll_algorithm)a));
        view_table_set_count(t, row, ROUNDS, cost.rounds);
        view_table_set_count(t, row, MESSAGES, cost.most_messages);
        view_table_set_count(t, row, MOST, cost.most_bytes);
        view_table_set_count(t, row, TOTAL, cost.total_bytes);
        t->current = a == (int)job.algorithm ? row : t->current;
    }
}

/* --- Over sizes --- */

/* The slope is taken from a message that all numbers of ranks divide; false: no such algorithm here. */
bool collectives_line_at(const struct lesson_input *in, enum coll_algorithm algorithm,
                         const struct collectives_link *link, struct collectives_line *out) {
    struct coll_job job = collectives_job(in);
    struct collective_cost cost;
    double rate = link->bytes_per_s;
    job.elements = (uint64_t)job.ranks * 65536;
    if (rate <= 0 || job.ranks == 1 || !collectives_cost_of(&job, algorithm, &cost)) {
        return false;
    }
    double message = (double)job.elements * ELEMENT_BYTES;
    out->a_byte = (double)cost.path_bytes / message / rate;
    cost.path_bytes = 0;
    out->at_zero = collective_seconds(&cost, link->alpha_s, rate);
    return true;
}

bool collectives_line(const struct lesson_input *in, enum coll_algorithm algorithm,
                      struct collectives_line *out) {
    const struct collectives_link chosen = {collectives_alpha_s(in), collectives_rate(in)};
    return collectives_line_at(in, algorithm, &chosen, out);
}

bool collectives_crossing(const struct lesson_input *in, enum coll_algorithm first,
                          enum coll_algorithm second, double *bytes) {
    struct collectives_line a, b;
    if (!collectives_line(in, first, &a) || !collectives_line(in, second, &b) ||
        b.at_zero <= a.at_zero || b.a_byte >= a.a_byte) {
        return false;
    }
    *bytes = (b.at_zero - a.at_zero) / (a.a_byte - b.a_byte);
    return true;
}

/* The fastest just above `bytes`: where several are equally fast, the one with the flattest line. -1: none. */
static int fastest_from(const struct lesson_input *in, double bytes) {
    int best = -1;
    struct collectives_line line, least = {0, 0};
    for (int a = 0; a < COLL_ALGORITHMS; a++) {
        if (!collectives_line(in, (enum coll_algorithm)a, &line)) {
            continue;
        }
        double here = line.at_zero + bytes * line.a_byte;
        double there = least.at_zero + bytes * least.a_byte;
        const double equal = 1e-12;
        bool same = best >= 0 && here < there * (1 + equal) && here > there * (1 - equal);
        if (best < 0 || (same ? line.a_byte < least.a_byte * (1 - equal) : here < there)) {
            best = a;
            least = line;
        }
    }
    return best;
}

/* The nearest crossing above `bytes` with an algorithm that is flatter; false: it stays the fastest. */
static bool overtaken(const struct lesson_input *in, int fastest, double bytes, double *where) {
    bool found = false;
    for (int a = 0; a < COLL_ALGORITHMS; a++) {
        double at;
        if (collectives_crossing(in, (enum coll_algorithm)fastest, (enum coll_algorithm)a, &at) &&
            at > bytes && (!found || at < *where)) {
            *where = at;
            found = true;
        }
    }
    return found;
}

int collectives_changes(const struct lesson_input *in,
                        struct collectives_change out[COLL_ALGORITHMS]) {
    double bytes = 0;
    int count = 0;
    for (bool more = true; more && count < COLL_ALGORITHMS; count++) {
        int fastest = fastest_from(in, bytes);
        if (fastest < 0) {
            return 0;
        }
        out[count] = (struct collectives_change){(enum coll_algorithm)fastest, bytes, bytes, false};
        more = overtaken(in, fastest, bytes, &out[count].until);
        out[count].last = !more;
        bytes = out[count].until;
    }
    return count;
}

/* "tree up to 1.2 MB", "ring above". */
static void note_fastest(struct view_table *t, const struct lesson_input *in) {
    struct collectives_change changes[COLL_ALGORITHMS];
    int count = collectives_changes(in, changes);
    for (int i = 0; i < count; i++) {
        const struct collectives_change *c = &changes[i];
        struct message *m = view_table_add_note(t, -1);
        message_start(m, count == 1 ? "collective.fastest.always"
                         : c->last  ? "collective.fastest.above"
                                    : "collective.fastest.until");
        message_add_text(m, coll_algorithm_name(c->algorithm));
        message_add_count(m, (uint64_t)((c->last ? c->from : c->until) + 0.5));
    }
}

static void size_row(struct view_table *t, const struct lesson_input *in, uint64_t bytes) {
    struct coll_job job = collectives_job(in);
    double rate = collectives_rate(in), least = 0;
    int row = view_table_row(t), best = -1;
    job.elements = bytes / ELEMENT_BYTES;
    view_table_set_count(t, row, 0, bytes);
    for (int a = 0; a < COLL_ALGORITHMS; a++) {
        struct collective_cost cost;
        if (rate <= 0 || !collectives_cost_of(&job, (enum coll_algorithm)a, &cost)) {
            continue;
        }
        double seconds = collective_seconds(&cost, collectives_alpha_s(in), rate);
        view_table_set_count(t, row, 1 + a, (uint64_t)(seconds * 1e6 + 0.5));
        if (best < 0 || seconds < least) {
            best = a;
            least = seconds;
        }
    }
    if (best >= 0) {
        view_table_set_text(t, row, 1 + COLL_ALGORITHMS,
                            coll_algorithm_name((enum coll_algorithm)best));
    }
}

static void model_note(struct view_table *t, const struct lesson_input *in) {
    double rate = collectives_rate(in);
    struct message *m = view_table_add_note(t, -1);
    if (rate <= 0) {
        message_start(m, "collective.rate_unknown");
        return;
    }
    message_start(m, "collective.model");
    message_add_text(m, collectives_stop(in, KNOB_ALPHA));
    message_add_real(m, rate / 1e9);
}

void collectives_sizes_add(struct view *out, const struct lesson_input *in) {
    static const uint64_t sizes[SIZES] = {1U << 10, 1U << 14, 1U << 18, 1U << 20,
                                          1U << 22, 1U << 26, 1U << 30};
    static const struct view_table_col times[COLL_ALGORITHMS] = {
        [COLL_NAIVE] = {"naive_us", "collective.time.naive", VIEW_TABLE_COUNT, 4, NULL},
        [COLL_RING] = {"ring_us", "collective.time.ring", VIEW_TABLE_COUNT, 0, NULL},
        [COLL_TREE] = {"tree_us", "collective.time.tree", VIEW_TABLE_COUNT, 1, NULL},
        [COLL_HALVING_DOUBLING] = {"halving_doubling_us", "collective.time.halving",
                                   VIEW_TABLE_COUNT, 2, NULL},
        [COLL_DIRECT] = {"direct_us", "collective.time.direct", VIEW_TABLE_COUNT, 3, NULL},
    };
    struct coll_job job = collectives_job(in);
    struct view_table *t = &view_add(out, VIEW_KIND_TABLE)->table;
    bool measured = collectives_measured(in);
    message_start(&t->title, measured ? "collective.measured.sizes" : "collective.sizes");
    message_add_plain(&t->title, job.ranks);
    (void)view_table_col(
        t, &(struct view_table_col){"bytes", "collective.column.bytes", VIEW_TABLE_COUNT, 0, NULL});
    for (int a = 0; a < COLL_ALGORITHMS; a++) {
        (void)view_table_col(t, &times[a]);
    }
    (void)view_table_col(t, &(struct view_table_col){"fastest", "collective.column.fastest",
                                                     VIEW_TABLE_TEXT, 0, NULL});
    if (measured) {
        collectives_measured_rows_add(t, in);
        collectives_measured_notes_add(t, in);
        return;
    }
    for (int i = 0; i < SIZES; i++) {
        size_row(t, in, sizes[i]);
    }
    note_fastest(t, in);
    model_note(t, in);
}
