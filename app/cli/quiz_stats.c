/* `shardlab quiz stats`: what the log of progress says, in the figures of the statistics screen, and lesson by lesson.
 * Reads the log and derives everything from it; nothing is saved. The log, the cards and the list of questions live as long
 * as the call. Proof: tests/cli/test_quiz_stats.c. */
#define _DEFAULT_SOURCE /* tm_gmtoff */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "quiz_private.h"
#include "shardlab/base/json.h"
#include "shardlab/learn/sitting.h"
#include "shardlab/store/progress.h"
#include "shardlab/view/width.h"

static const struct width_rules rules = {false};

struct stats {
    struct cli_context *c;
    struct progress *log;
    struct history_input in;
    struct card *cards;
    int64_t today;
    struct study_settings settings;
    struct history_summary all;
    struct sitting_left left; /* to do today, as the screen counts it */
};

/* --- Reading --- */

static struct history_input now_input(const struct quiz_bank *bank, const struct progress *log) {
    struct history_input in = {.questions = bank->all, .question_count = bank->count};
    struct tm local;
    time_t now = time(NULL);
    in.events = progress_events(log, &in.event_count);
    in.utc_s = (int64_t)now;
    in.offset_s = localtime_r(&now, &local) != NULL ? (int32_t)local.tm_gmtoff : 0;
    return in;
}

/* The sitting of today, for what is still to come in it. */
static enum status count_left(struct stats *s, struct message *why) {
    struct sitting *today = malloc(sizeof *today);
    if (today == NULL) {
        message_start(why, "error.memory");
        return STATUS_FAILED;
    }
    sitting_today(today, &s->in, s->cards, NULL);
    s->left = sitting_left_of(today, s->cards);
    free(today);
    return STATUS_OK;
}

static enum status read_all(struct stats *s, const struct quiz_call *call) {
    enum status ok = progress_open(NULL, &s->log, call->why);
    s->c = call->c;
    s->cards = calloc((size_t)call->bank->count, sizeof *s->cards);
    if (ok == STATUS_OK && s->cards == NULL) {
        message_start(call->why, "error.memory");
        ok = STATUS_FAILED;
    }
    if (ok != STATUS_OK) {
        return ok;
    }
    s->in = now_input(call->bank, s->log);
    s->settings = study_settings_of(s->in.events, s->in.event_count);
    s->today = history_today(&s->in);
    history_cards(&s->in, s->cards);
    history_summarize(&s->in, s->cards, &s->all);
    return count_left(s, call->why);
}

/* --- A lesson --- */

struct lesson_stats {
    const char *id;
    int questions, learned, answers, right, due;
    double recall; /* mean of today's over those learned; NAN: none is */
};

static struct lesson_stats stats_of(const struct stats *s, const char *lesson) {
    struct lesson_stats out = {.id = lesson};
    double recall = 0.0;
    for (int i = 0; i < s->in.question_count; i++) {
        const struct card *card = &s->cards[i];
        if (strcmp(s->in.questions[i]->lesson, lesson) != 0) {
            continue;
        }
        out.questions++;
        out.answers += card->reviews;
        out.right += card->right;
        out.due += card_is_due(card, s->today) ? 1 : 0;
        if (card->reviews > 0) {
            out.learned++;
            recall += card_recall(card, s->today);
        }
    }
    out.recall = out.learned > 0 ? recall / out.learned : NAN;
    return out;
}

/* --- Text --- */

enum { LABEL_COLUMNS = 26, INDENT = 2, GAP = 2, CELL_MAX = 64, WEEK = 7 };

static void put(const struct stats *s, const char *label, const struct message *value) {
    width_write_left(s->c->out, words_get(&s->c->words, label), LABEL_COLUMNS, &rules);
    words_write(s->c->out, &s->c->words, value);
    cli_prose_end(s->c, LABEL_COLUMNS);
}

static void put_counts(const struct stats *s, const char *label, const char *id, int one,
                       int other) {
    struct message m;
    message_start(&m, id);
    message_add_plain(&m, (uint64_t)one);
    message_add_plain(&m, (uint64_t)other);
    put(s, label, &m);
}

/* "0 of 0" would be a figure that nobody has measured. */
static void put_known(const struct stats *s, const char *label, const char *id, bool known,
                      const int figures[2]) {
    put_counts(s, label, known ? id : "stats.none", figures[0], figures[1]);
}

static void write_week(const struct stats *s) {
    char text[CELL_MAX * WEEK];
    struct message m;
    struct writer w;
    writer_start(&w, text, sizeof text);
    for (int i = 0; i < WEEK; i++) {
        writer_text(&w, i > 0 ? " " : "");
        writer_u64(&w, (uint64_t)s->all.forecast[i]);
    }
    message_start(&m, "quiz.stats.week_value");
    message_add_text(&m, text);
    put(s, "quiz.stats.week", &m);
}

static void write_interview(const struct stats *s) {
    char date[32];
    struct message m;
    struct writer w;
    writer_start(&w, date, sizeof date);
    day_write(&w, s->settings.interview_day);
    history_say_interview(s->today, s->settings.interview_day, date, &m);
    put(s, "stats.interview", &m);
}

static void write_figures(const struct stats *s) {
    const struct history_summary *f = &s->all;
    const int median[2] = {(int)((f->median_ms + 500) / 1000), 0};
    const int expected[2] = {history_percent(f->expected_recall), 0};
    const int measured[2] = {history_percent(f->measured_recall), f->measured_reviews};
    const int predicted[2] = {history_percent(f->predicted_recall), 0};
    put_counts(s, "stats.answers", "stats.answers_value", f->answers, history_right_percent(f));
    put_counts(s, "stats.today", f->today > 0 ? "stats.today_value" : "stats.none", f->today,
               f->today_right);
    put_counts(s, "stats.streak", "stats.streak_value", f->streak_days, 0);
    put_counts(s, "stats.learned", "stats.learned_value", f->learned, s->in.question_count);
    put_counts(s, "stats.due", "stats.due_value", s->left.again, s->left.new_cards);
    write_week(s);
    put_known(s, "stats.time", "stats.time_value", f->median_ms > 0, median);
    put_known(s, "stats.recall", "stats.recall_value", f->learned > 0, expected);
    put_known(s, "stats.measured", "stats.measured_value", f->measured_reviews > 0, measured);
    put_known(s, "quiz.stats.predicted", "quiz.stats.predicted_value", f->measured_reviews > 0,
              predicted);
    if (s->settings.has_interview) {
        write_interview(s);
    }
}

enum column { LESSON, QUESTIONS, SEEN, ANSWERS, RIGHT, DUE, RECALL, COLUMNS };

struct row {
    char cells[COLUMNS][CELL_MAX];
};

static void cell_number(struct row *row, enum column column, int value, const char *unit) {
    struct writer w;
    writer_start(&w, row->cells[column], CELL_MAX);
    writer_u64(&w, (uint64_t)value);
    writer_text(&w, unit);
}

static void cell_text(struct row *row, enum column column, const char *text) {
    struct writer w;
    writer_start(&w, row->cells[column], CELL_MAX);
    writer_text(&w, text);
}

static struct row head_row(const struct stats *s) {
    static const char *const heads[COLUMNS] = {
        "quiz.stats.lesson", "quiz.stats.questions", "quiz.stats.seen",  "quiz.stats.answers",
        "quiz.stats.right",  "quiz.stats.due",       "quiz.stats.recall"};
    struct row row;
    for (int i = 0; i < COLUMNS; i++) {
        cell_text(&row, (enum column)i, words_get(&s->c->words, heads[i]));
    }
    return row;
}

static struct row lesson_row(const struct stats *s, const char *lesson) {
    struct lesson_stats of = stats_of(s, lesson);
    struct row row;
    cell_text(&row, LESSON, of.id);
    cell_number(&row, QUESTIONS, of.questions, "");
    cell_number(&row, SEEN, of.learned, "");
    cell_number(&row, ANSWERS, of.answers, "");
    cell_number(&row, DUE, of.due, "");
    cell_text(&row, RIGHT, "–");
    cell_text(&row, RECALL, "–");
    if (of.answers > 0) {
        cell_number(&row, RIGHT, history_percent((double)of.right / of.answers), " %");
        cell_number(&row, RECALL, history_percent(of.recall), " %");
    }
    return row;
}

static void widen(int columns[COLUMNS], const struct row *row) {
    for (int i = 0; i < COLUMNS; i++) {
        int wide = width_text(row->cells[i], &rules);
        columns[i] = wide > columns[i] ? wide : columns[i];
    }
}

static void write_row(const struct stats *s, const struct row *row, const int columns[COLUMNS]) {
    writer_repeat(s->c->out, ' ', INDENT);
    width_write_left(s->c->out, row->cells[LESSON], columns[LESSON], &rules);
    for (int i = LESSON + 1; i < COLUMNS; i++) {
        writer_repeat(s->c->out, ' ', GAP);
        width_write_right(s->c->out, row->cells[i], columns[i], &rules);
    }
    writer_char(s->c->out, '\n');
}

/* Lessons without a question are left out. */
static void write_lessons(const struct stats *s) {
    int columns[COLUMNS] = {0};
    struct row row = head_row(s);
    widen(columns, &row);
    for (int i = 0; i < lesson_count(); i++) {
        row = lesson_row(s, lesson_at(i)->id);
        widen(columns, &row);
    }
    row = head_row(s);
    write_row(s, &row, columns);
    for (int i = 0; i < lesson_count(); i++) {
        if (stats_of(s, lesson_at(i)->id).questions > 0) {
            row = lesson_row(s, lesson_at(i)->id);
            write_row(s, &row, columns);
        }
    }
}

static void write_text(const struct stats *s) {
    struct message m;
    if (s->all.answers == 0) {
        message_start(&m, "quiz.stats.none");
        message_add_text(&m, progress_path(s->log));
        cli_say(s->c, &m);
        return;
    }
    write_figures(s);
    writer_char(s->c->out, '\n');
    write_lessons(s);
    if (progress_passed_over(s->log) > 0) {
        message_start(&m, "quiz.stats.passed_over");
        message_add_plain(&m, (uint64_t)progress_passed_over(s->log));
        writer_char(s->c->out, '\n');
        cli_say(s->c, &m);
    }
}

/* --- JSON --- */

/* A share of `of`, null where that is none. */
static void json_share(struct json *j, const char *key, double share, int of) {
    json_real(j, key, of > 0 ? share : NAN);
}

static void json_days(struct json *j, const char *key, const int days[HISTORY_DAYS_SHOWN]) {
    json_array_open(j, key);
    for (int i = 0; i < HISTORY_DAYS_SHOWN; i++) {
        json_i64(j, NULL, days[i]);
    }
    json_array_close(j);
}

static void json_figures(const struct stats *s, struct json *j) {
    const struct history_summary *f = &s->all;
    json_i64(j, "answers", f->answers);
    json_i64(j, "right", f->right);
    json_share(j, "right_share", (double)f->right / (f->answers > 0 ? f->answers : 1), f->answers);
    json_i64(j, "answers_today", f->today);
    json_i64(j, "right_today", f->today_right);
    json_i64(j, "questions", s->in.question_count);
    json_i64(j, "learned", f->learned);
    json_i64(j, "new", f->new_left);
    json_i64(j, "due_today", f->due_today);
    json_i64(j, "again_today", s->left.again);
    json_i64(j, "new_today", s->left.new_cards);
    json_i64(j, "streak_days", f->streak_days);
    json_share(j, "median_s", (double)f->median_ms / 1000.0, f->median_ms > 0);
    json_share(j, "expected_recall", f->expected_recall, f->learned);
    json_i64(j, "measured_reviews", f->measured_reviews);
    json_share(j, "measured_recall", f->measured_recall, f->measured_reviews);
    json_share(j, "predicted_recall", f->predicted_recall, f->measured_reviews);
    json_days(j, "answers_by_day", f->by_day);
    json_days(j, "due_by_day", f->forecast);
}

static void json_lessons(const struct stats *s, struct json *j) {
    json_array_open(j, "lessons");
    for (int i = 0; i < lesson_count(); i++) {
        struct lesson_stats of = stats_of(s, lesson_at(i)->id);
        if (of.questions == 0) {
            continue;
        }
        json_object_open(j, NULL);
        json_text(j, "lesson", of.id);
        json_i64(j, "questions", of.questions);
        json_i64(j, "learned", of.learned);
        json_i64(j, "answers", of.answers);
        json_i64(j, "right", of.right);
        json_i64(j, "due_today", of.due);
        json_real(j, "expected_recall", of.recall);
        json_object_close(j);
    }
    json_array_close(j);
}

static void json_settings(const struct stats *s, struct json *j) {
    char date[32];
    struct writer w;
    writer_start(&w, date, sizeof date);
    if (s->settings.has_interview) {
        day_write(&w, s->settings.interview_day);
    }
    json_object_open(j, "settings");
    json_text(j, "interview", s->settings.has_interview ? date : NULL);
    json_i64(j, "budget_cards", s->settings.budget_cards);
    json_i64(j, "new_cards", s->settings.new_cards);
    json_i64(j, "rollover_hour", s->settings.rollover_hour);
    json_object_close(j);
}

static void json_note(const struct stats *s, struct json *j, const struct message *m) {
    char text[1024];
    struct writer w;
    writer_start(&w, text, sizeof text);
    words_write(&w, &s->c->words, m);
    json_text(j, NULL, text);
}

static void json_notes(const struct stats *s, struct json *j) {
    struct message m;
    json_array_open(j, "notes");
    if (s->all.answers == 0) {
        message_start(&m, "quiz.stats.none");
        message_add_text(&m, progress_path(s->log));
        json_note(s, j, &m);
    }
    if (progress_passed_over(s->log) > 0) {
        message_start(&m, "quiz.stats.passed_over");
        message_add_plain(&m, (uint64_t)progress_passed_over(s->log));
        json_note(s, j, &m);
    }
    json_array_close(j);
}

static void write_json(const struct stats *s) {
    struct json j;
    json_start(&j, s->c->out);
    json_object_open(&j, NULL);
    json_text(&j, "command", "quiz");
    json_text(&j, "log", progress_path(s->log));
    json_figures(s, &j);
    json_lessons(s, &j);
    json_settings(s, &j);
    json_notes(s, &j);
    json_object_close(&j);
    writer_char(s->c->out, '\n');
}

enum status cli_quiz_stats(const struct quiz_call *call) {
    struct stats s = {0};
    enum status ok = read_all(&s, call);
    if (ok == STATUS_OK) {
        if (call->args->json) {
            write_json(&s);
        } else {
            write_text(&s);
        }
    }
    progress_close(s.log);
    free(s.cards);
    return ok;
}
