/* `shardlab schedule`: the answers to one card, from standard input, and what FSRS-6 makes of them: memory after each and
 * the days until the next. A door to learn/fsrs.h for scripts, and for who wants to see what the quizzes do.
 * Proof: tests/cli/test_schedule.c. */
#include "schedule_private.h"
#include "shardlab/base/json.h"
#include "shardlab/view/width.h"

static const struct width_rules rules = {false};

/* A review and what came of it. */
struct state {
    const struct schedule_review *review;
    bool first;
    double recall; /* just before it; not of the first */
    struct fsrs_memory memory;
    uint64_t interval_days;
};

static void step(const struct schedule_asked *a, size_t at, struct state *s) {
    const struct schedule_review *review = &a->reviews[at];
    s->review = review;
    s->first = at == 0;
    if (s->first) {
        s->memory = fsrs_first(&a->f, review->rating);
    } else {
        s->recall = fsrs_recall(&a->f, s->memory.stability_days, (double)review->elapsed_days);
        s->memory = fsrs_next(&a->f, s->memory, review->rating, review->elapsed_days);
    }
    s->interval_days =
        fsrs_interval_days(&a->f, s->memory.stability_days, a->retention, a->max_days);
}

static void json_state(struct json *j, const struct state *s) {
    json_object_open(j, NULL);
    json_real(j, "stability", s->memory.stability_days);
    json_real(j, "difficulty", s->memory.difficulty);
    json_u64(j, "interval_days", s->interval_days);
    if (s->first) {
        json_null(j, "recall_before");
    } else {
        json_real(j, "recall_before", s->recall);
    }
    json_object_close(j);
}

static void write_json(struct cli_context *c, const struct schedule_asked *a) {
    struct json j;
    struct state s = {0};
    json_start(&j, c->out);
    json_object_open(&j, NULL);
    json_text(&j, "command", "schedule");
    json_array_open(&j, "states");
    for (size_t i = 0; i < a->count; i++) {
        step(a, i, &s);
        json_state(&j, &s);
    }
    json_array_close(&j);
    json_object_close(&j);
    writer_char(c->out, '\n');
}

enum column {
    COLUMN_NUMBER,
    COLUMN_AFTER,
    COLUMN_RATING,
    COLUMN_RECALL,
    COLUMN_STABILITY,
    COLUMN_DIFFICULTY,
    COLUMN_NEXT,
    COLUMNS
};
static const struct {
    const char *id;
    int columns;
} heads[COLUMNS] = {
    {"cli.schedule.number", 6},  {"cli.schedule.after", 8},      {"cli.schedule.rating", 8},
    {"cli.schedule.recall", 10}, {"cli.schedule.stability", 12}, {"cli.schedule.difficulty", 12},
    {"cli.schedule.next", 10},
};

static void cell(struct cli_context *c, enum column column, const char *text) {
    int columns = heads[column].columns;
    writer_text(c->out,
                width_text(text, &rules) < columns ? "" : " "); /* never cut: it is a number */
    width_write_right(c->out, text,
                      width_text(text, &rules) < columns ? columns : width_text(text, &rules),
                      &rules);
}

static void count_cell(struct cli_context *c, enum column column, uint64_t count) {
    char text[32];
    struct writer w;
    writer_start(&w, text, sizeof text);
    writer_u64_grouped(&w, count);
    cell(c, column, text);
}

static void real_cell(struct cli_context *c, enum column column, double value, const char *unit) {
    char text[32];
    struct writer w;
    writer_start(&w, text, sizeof text);
    writer_fixed(&w, value, 2);
    writer_text(&w, unit);
    cell(c, column, text);
}

static void write_row(struct cli_context *c, size_t number, const struct state *s) {
    static const char *const ratings[] = {[FSRS_AGAIN] = "sitting.again",
                                          [FSRS_HARD] = "sitting.hard",
                                          [FSRS_GOOD] = "sitting.good",
                                          [FSRS_EASY] = "sitting.easy"};
    count_cell(c, COLUMN_NUMBER, number);
    if (s->first) {
        cell(c, COLUMN_AFTER, "-");
    } else {
        count_cell(c, COLUMN_AFTER, s->review->elapsed_days);
    }
    cell(c, COLUMN_RATING, words_get(&c->words, ratings[s->review->rating]));
    if (s->first) {
        cell(c, COLUMN_RECALL, "-");
    } else {
        real_cell(c, COLUMN_RECALL, 100.0 * s->recall, " %");
    }
    real_cell(c, COLUMN_STABILITY, s->memory.stability_days, "");
    real_cell(c, COLUMN_DIFFICULTY, s->memory.difficulty, "");
    count_cell(c, COLUMN_NEXT, s->interval_days);
    writer_char(c->out, '\n');
}

static void write_text(struct cli_context *c, const struct schedule_asked *a) {
    struct message m;
    struct state s = {0};
    char retention[32];
    struct writer w;
    writer_start(&w, retention, sizeof retention);
    writer_real(&w, a->retention);
    message_start(&m, a->weights < 0 ? "cli.schedule.lead" : "cli.schedule.lead_own");
    message_add_text(&m, retention);
    message_add_count(&m, a->max_days);
    cli_say(c, &m);
    writer_char(c->out, '\n');
    for (int i = 0; i < COLUMNS; i++) {
        cell(c, (enum column)i, words_get(&c->words, heads[i].id));
    }
    writer_char(c->out, '\n');
    for (size_t i = 0; i < a->count; i++) {
        step(a, i, &s);
        write_row(c, i + 1, &s);
    }
    writer_char(c->out, '\n');
    message_start(&m, a->count == 0 ? "cli.schedule.none" : "cli.schedule.foot");
    cli_say(c, &m);
}

enum status cli_schedule(struct cli_context *c, const struct cli_args *args, struct message *why) {
    struct schedule_asked asked;
    enum status ok = schedule_read(&asked, why);
    if (ok == STATUS_OK && args->json) {
        write_json(c, &asked);
    } else if (ok == STATUS_OK) {
        write_text(c, &asked);
    }
    schedule_free(&asked);
    return ok;
}
