/* Questions on the screen: the log, the bank of questions, one sitting, its end, figures and settings. Only for app/shell.
 * What a question is stands in base/question.h, how it is judged in learn/attempt.h, what comes next in learn/sitting.h. */
#ifndef QUIZ_PRIVATE_H
#define QUIZ_PRIVATE_H

#include "app_private.h"
#include "pen_private.h"
#include "shardlab/learn/attempt.h"
#include "shardlab/learn/history.h"
#include "shardlab/learn/mock.h"
#include "shardlab/learn/sitting.h"
#include "shardlab/store/progress.h"

enum { QUIZ_MINUTES_USUAL = 15 };

enum quiz_way {
    QUIZ_NONE,     /* nothing has begun */
    QUIZ_DUE,      /* what the day asks for */
    QUIZ_PRACTISE, /* all questions of a lesson */
    QUIZ_MOCK,
};

/* A pane of text that is longer than the screen. */
struct quiz_scroll {
    int at, rows, visible; /* rows and visible as drawn last */
    bool follow;           /* the next drawing scrolls what matters into sight */
};

struct quiz_mock {
    struct mock state;
    struct mock_report report;
    int minutes, level;
    int64_t began_ms;
};

/* Settings that are typed: one line each. */
enum quiz_field {
    QUIZ_FIELD_INTERVIEW,
    QUIZ_FIELD_BUDGET,
    QUIZ_FIELD_ROLLOVER,
    QUIZ_FIELD_MINUTES,
    QUIZ_FIELD_LEVEL,
    QUIZ_FIELDS
};
struct quiz_form {
    bool mock; /* the two of a mock interview, not the three of the schedule */
    int at;    /* enum quiz_field */
    struct app_typed typed[QUIZ_FIELDS];
};

struct app_quiz {
    /* --- quiz_log.c --- */
    const char *path; /* as in app_options */
    struct app_moment (*clock)(void *context);
    void *clock_context;
    bool read;                    /* bank and log were read, as far as they can be */
    struct progress *log;         /* owned; NULL: there is none */
    struct message trouble;       /* why nothing is saved; id NULL: it is */
    const struct question **bank; /* owned, in the order of the syllabus */
    int bank_count;
    struct card *cards; /* owned, one a question */
    struct study_settings settings;
    struct app_moment now; /* when cards were derived */
    int64_t today;
    bool known;               /* left, due_ms and figures were counted once */
    bool counted;             /* and are of now */
    struct sitting_left left; /* to do today */
    int64_t due_ms;
    struct history_summary figures;
    const struct lesson *last; /* of the last guess or answer in the log; NULL: none */
    int last_page;

    /* --- quiz_sitting.c --- */
    enum quiz_way way;
    const struct lesson *lesson; /* that is practised */
    struct sitting sitting;
    struct attempt attempt; /* the question in front */
    struct card before;     /* its card before this answer */
    int64_t event;          /* of its answer, 0: not saved or none yet */
    int64_t shown_ms;       /* when it came in front */
    int64_t took_ms;
    int64_t paused_ms; /* when it went out of sight, 0: it is in sight */
    bool came;         /* a lesson was opened from the question: that is where back leads */
    bool kept;         /* and what was open before has left a place */
    int places;        /* app->places.count then */
    struct quiz_scroll pane;
    bool leaving; /* Esc was pressed in an interview: the next one ends it */
    bool touched; /* a choice was pointed at, a thing was moved: Enter is meant */
    int summary_at;

    struct quiz_mock mock;
    struct quiz_form form;
    struct quiz_scroll ends; /* of summary and statistics */
};

/* --- quiz_log.c: what was answered, and when --- */
MUST_USE enum status app_quiz_new(struct app *app, const struct app_options *options,
                                  struct message *why);
void app_quiz_free(struct app *app);
struct app_moment app_quiz_now(const struct app *app);
/* Reads questions and log on first use, later what other programs have added; derives cards, settings, day. A log that
 * cannot be read is no failure: quiz->trouble says why. */
MUST_USE enum status app_quiz_refresh(struct app *app, struct message *why);
struct history_input app_quiz_input(const struct app *app);
/* Appends an event and returns its id, 0: there is no log. Where it cannot be saved the status row says why. */
int64_t app_quiz_tell(struct app *app, struct progress_event *event);
void app_quiz_say_trouble(struct app *app); /* why nothing is saved, if so */
struct progress_event app_quiz_event(const struct app *app, enum progress_kind kind,
                                     const char *item);
/* Counts what is due, once; without a sitting that runs. */
void app_quiz_count(struct app *app);
/* How long a question takes as a rule. */
int64_t app_quiz_usual_ms(enum question_kind kind);

/* --- quiz_sitting.c: which question is in front --- */
unsigned app_quiz_begin(struct app *app); /* what the day asks for, or what was left of it */
unsigned app_quiz_practise(struct app *app);
/* The card in front becomes a question, or the sitting ends. */
unsigned app_quiz_show(struct app *app);
unsigned app_quiz_next(struct app *app); /* past what was judged */
unsigned app_quiz_skip(struct app *app);
unsigned app_quiz_undo(struct app *app);
unsigned app_quiz_follow(struct app *app);
int app_quiz_follow_count(const struct app *app); /* of the question in front */
uint64_t app_quiz_mix(uint64_t a, uint64_t b);
int app_quiz_index(const struct app *app, const char *id); /* -1: there is no such question */
/* A question's numbers from a seed, started anew. */
MUST_USE enum status app_quiz_attempt_start(struct app *app, int question, uint64_t seed,
                                            struct message *why);
/* Days until the question would come again with this rating. */
uint64_t app_quiz_days(const struct app *app, enum fsrs_rating rating);

/* --- quiz_screen.c: keys on a question --- */
enum ui_where app_quiz_where(const struct app *app);
/* Actions that this question, or an interview, has no use for. */
void app_quiz_leave_out(const struct app *app, enum app_screen screen, struct ui_keys *keys);
unsigned app_quiz_action(struct app *app, enum ui_action action);
unsigned app_quiz_type(struct app *app, uint32_t key);
unsigned app_quiz_press(struct app *app, int item); /* a click on an option */
int app_quiz_wait_ms(const struct app *app);
unsigned app_quiz_tick(struct app *app);
bool app_quiz_scroll_action(struct quiz_scroll *s, enum ui_action action, unsigned *effects);

/* --- quiz_travel.c --- */
unsigned app_quiz_open_text(struct app *app);       /* the page that the question is about */
unsigned app_quiz_open_calculator(struct app *app); /* what computes it, with its own inputs */
bool app_quiz_is_way_back(const struct app *app);   /* Backspace leads straight to the question */
/* From a lesson that was opened from a question; `all`: even if links were followed since. False: none was. */
bool app_quiz_return(struct app *app, bool all, unsigned *effects);

/* --- quiz_draw.c --- */
void app_quiz_draw(struct app *app, struct grid *g);
/* Wrapped, `indent` columns in. */
void app_quiz_put_in(struct pen *p, int indent, const char *text, enum ui_role role);
/* The question's words with its numbers. */
void app_quiz_expand(const struct app *app, const char *const text[2], const char *blank, char *out,
                     size_t capacity);
void app_quiz_blank_value(const struct attempt *a, int blank, const char *text, struct writer *w);
/* A pane that scrolls: draws by `write`, which returns the row (of the text) to keep in sight, -1 none. */
typedef int (*quiz_writer)(struct pen *p);
void app_quiz_pane_draw(struct app *app, struct grid *g, struct quiz_scroll *s, const char *title,
                        quiz_writer write);

/* --- quiz_feedback.c: what is shown once it is judged --- */
void app_quiz_feedback_write(struct pen *p);
void app_quiz_letter(int place, char out[4]);
void app_quiz_days_write(const struct app *app, uint64_t days, struct writer *w);

/* --- quiz_summary.c --- */
unsigned app_summary_action(struct app *app, enum ui_action action);
void app_summary_draw(struct app *app, struct grid *g);

/* --- stats_screen.c, stats_form.c --- */
unsigned app_stats_open(struct app *app);
unsigned app_stats_action(struct app *app, enum ui_action action);
void app_stats_draw(struct app *app, struct grid *g);
unsigned app_form_open(struct app *app, bool mock);

/* --- mock_screen.c --- */
unsigned app_quiz_mock_begin(struct app *app);
unsigned app_quiz_mock_next(struct app *app);
unsigned app_quiz_mock_end(struct app *app); /* before its time */
/* As much of it as fits into the header of such a grid. */
void app_quiz_mock_title(const struct app *app, const struct grid *g, struct writer *w);

/* --- mock_report.c --- */
void app_quiz_report_put(struct pen *p); /* of an interview, without the lessons to open */
unsigned app_quiz_report_copy(struct app *app);
unsigned app_quiz_report_export(struct app *app);

unsigned app_form_action(struct app *app, enum ui_action action);
unsigned app_form_type(struct app *app, uint32_t key);
void app_form_draw(struct app *app, struct grid *g);

/* --- quiz_home.c: what home says about questions --- */
/* "12 questions, about 9 minutes"; before they were counted only that there are questions. */
void app_quiz_home_write(const struct app *app, struct writer *w);
/* The lesson that home offers to go on with; NULL: none. */
const struct lesson *app_quiz_home_lesson(const struct app *app, int *page);
void app_quiz_find_last(struct app *app);
void app_quiz_home_interview_write(const struct app *app, struct writer *w);
void app_quiz_home_figures_write(const struct app *app, struct writer *w);

#endif
