/* The state of the application and the pieces it is made of. Only for app/shell. */
#ifndef APP_PRIVATE_H
#define APP_PRIVATE_H

#include "shardlab/calc/memory.h"
#include "shardlab/calc/option.h"
#include "shardlab/cli/cli.h"
#include "shardlab/lesson/lesson.h"
#include "shardlab/shell/app.h"
#include "shardlab/store/store.h"
#include "shardlab/ui/draw.h"
#include "shardlab/ui/hit.h"
#include "shardlab/view/view.h"

enum app_screen {
    APP_SCREEN_HOME,
    APP_SCREEN_LESSON,
    APP_SCREEN_HELP,
    APP_SCREEN_WHY,
    APP_SCREEN_LINE,
    APP_SCREEN_PICKER,
    APP_SCREEN_TABLE,
    APP_SCREEN_GLOSSARY,
    APP_SCREEN_TERM,
    APP_SCREEN_QUIZ,
    APP_SCREEN_SUMMARY,
    APP_SCREEN_STATS,
    APP_SCREEN_FORM,
};

enum { APP_OPTIONS_MAX = 128, APP_UNDO_MAX = 32, APP_COPY_MAX = 32768, APP_TYPED_MAX = 96 };

/* The scenario in the learner's hands. */
struct app_scenario {
    struct scenario given;    /* what was chosen: prints as the command line */
    struct scenario applied;  /* given plus the values of presets */
    struct scenario resolved; /* legal and complete: what the view shows */
    struct scenario before;   /* resolved, before the last move */
    bool has_before;
    struct scenario undo[APP_UNDO_MAX]; /* earlier `given`, a ring */
    int undo_count, undo_next;
    bool moved[APP_OPTIONS_MAX]; /* by hand: these travel to other lessons */
    bool moved_undo[APP_UNDO_MAX][APP_OPTIONS_MAX];
    int own[LESSON_OWN_MAX];                    /* stops of the lesson's own knobs */
    int own_undo[APP_UNDO_MAX][LESSON_OWN_MAX]; /* as they were with undo[i] */
};

/* Where a picture that moves stands. */
struct app_frames {
    int at, last; /* last 0: nothing moves on this page */
    bool playing;
    bool still; /* less motion was asked for: nothing moves by itself */
    int speed;  /* 0: as at the start; steps to either side */
};

/* A stop on which the learner stands although validation refuses it: the scenario stays as it was. */
struct app_refused {
    int option; /* -1: none */
    int stop;
};

/* What is typed on a screen that takes text: UTF-8, ended by NUL. */
struct app_typed {
    char text[APP_TYPED_MAX];
    size_t length;
};

/* A list that typing narrows. */
struct app_list {
    struct app_typed typed;
    int at;              /* the focus, counted over the rows that match */
    int scroll, visible; /* visible: rows of the last drawing */
};

/* The list from which a model or a card is taken. */
struct app_picker {
    int option;
    struct app_list list;
};

enum { APP_LESSONS_MAX = 16, APP_PAGES_MAX = 16 };

/* The glossary: the list, and the term that was opened from it. */
struct app_glossary {
    const struct glossary *terms; /* NULL: not read yet */
    struct app_list list;
    enum app_screen from;          /* where it was opened: there Esc leads back */
    bool here[GLOSSARY_TERMS_MAX]; /* named by the page from which it was opened */
    int here_count;
    int looked; /* the language in which pages were looked through, -1: none */
    uint16_t used[GLOSSARY_TERMS_MAX][APP_LESSONS_MAX]; /* a bit a page that names the term */
    int term;                                           /* the one that is open */
    bool alone;                /* it was opened by a link: there is no list to go back to */
    int place;                 /* of the pages that name it, the one with the focus */
    int scroll, rows, visible; /* of its screen, as drawn last */
};

/* The scenario under every convention, and the column with the focus. */
struct app_table {
    struct view view; /* one matrix, made when the screen is opened */
    int col;
};

/* A search in the words of the open lesson, in the language that is read. */
struct app_search {
    struct app_typed typed;
    bool prompting; /* the words are being typed */
    bool active;    /* they were found, and matches are marked */
    int page;       /* where the focus is */
    int match;      /* counted over the page */
    bool follow;    /* the next drawing scrolls the match into sight */
};

/* The mouse, and what can be clicked on the screen that was drawn last. */
struct app_mouse_state {
    bool wanted;
    bool dragging;
    struct ui_hit held; /* the rail or the stop, while dragging */
    struct ui_hits hits;
};

enum app_experiment_state {
    APP_EXPERIMENT_NONE,
    APP_EXPERIMENT_ASKED, /* a guess is asked for */
    APP_EXPERIMENT_RUNNING,
    APP_EXPERIMENT_DONE, /* it has answered */
    APP_EXPERIMENT_FAILED,
    APP_EXPERIMENT_CANCELLED,
};

enum { APP_EXPERIMENT_WORDS_MAX = 64, APP_EVENT_MAX = 128 };

/* A value that was predicted and measured; the fields are the answer's. */
enum app_verdict { APP_VERDICT_EQUAL, APP_VERDICT_WITHIN, APP_VERDICT_DIFFERS };
struct app_row {
    const struct lesson_value *value;
    int element;                              /* of a list, -1: none */
    const struct field *predicted, *measured; /* NULL: it is missing */
    enum app_verdict verdict;
};

/* The last experiment that was started, and what is known of it. It belongs to one page and one command line. */
struct app_experiment {
    enum app_experiment_state state;
    const struct lesson *lesson;
    int page;
    struct lesson_experiment what; /* as it was when it was started */
    int guess;                     /* -1: none was made */
    char words[LESSON_LINE_MAX];   /* of the line, each ended by NUL: what argv points to */
    const char *argv[APP_EXPERIMENT_WORDS_MAX];
    int scroll, rows, visible; /* of its pane; rows and visible as drawn last */
    uint64_t events;
    char last_event[APP_EVENT_MAX];
    struct store_answer *answer; /* owned; NULL: none came yet */
    struct app_row *compared;    /* owned: the rows of the answer, once it has ended well */
    int row_count;
    struct message failure;
    char said[LAB_ERROR_MAX]; /* its own sentence about its failure, "" none */
};

enum { APP_PLACES_MAX = 16 };

/* Where a link was followed. */
struct app_place {
    const struct lesson *lesson;
    int page, pane, knob, row, beyond, link, scroll, frame;
    struct app_scenario *scenario; /* owned */
};

struct app_places {
    struct app_place kept[APP_PLACES_MAX]; /* the last one is returned to first */
    int count;
};

enum { APP_GUESSES_MAX = 64 };

/* What was said to the question of a page, with the question as it was. */
struct app_guess {
    const struct lesson *lesson;
    int page;
    int choice; /* -1: it was skipped */
    struct lesson_guess what;
};

struct app_guesses {
    struct app_guess kept[APP_GUESSES_MAX]; /* a ring */
    int count, next;
    int marked;   /* the choice that Enter takes, -1: none */
    bool whole;   /* the answer is shown in full even where it leaves the picture no room */
    bool brief;   /* it was cut to two lines in the last drawing, or to none */
    bool crowded; /* in full it left the picture no room there */
};

struct app {
    struct store *store;
    struct words words[2]; /* en, zh */
    int language;          /* index of words and documents */
    struct look look;
    enum app_screen screen, beneath; /* beneath: the screen under help or why */
    int home_item;
    const struct lesson *lesson;
    const struct document *documents[2];
    int page;
    struct app_scenario scenario;
    struct lesson_knobs groups[LESSON_GROUPS_MAX];
    int group_count;
    int pane;   /* 0..group_count-1: knobs; group_count: view; group_count+1: words with links */
    int knob;   /* row in the knob group */
    int row;    /* ledger row that `w` explains */
    int beyond; /* rows that the view is scrolled past its ledger */
    int view_rows, view_visible; /* of the last drawing */
    int link;                    /* focused link */
    bool link_follow;            /* the next drawing scrolls it into sight */
    int scroll;                  /* rows of words above the pane, or of help and why */
    int page_rows, page_visible; /* of the last drawing, to bound scroll */
    struct app_refused refused;
    struct app_picker picker;
    struct app_glossary glossary;
    struct app_table table;
    struct app_search search;
    struct app_experiment experiment;
    struct app_guesses guesses;
    struct app_places places;
    struct app_frames frames;
    struct app_mouse_state mouse;
    struct message status; /* the status line; id NULL: empty */
    struct view view;      /* of the page and scenario; made anew when either changes */
    struct app_quiz *quiz; /* owned; quiz_private.h. NULL: no question was asked for yet */
    char copied[APP_COPY_MAX];
    struct app_transcript *transcript; /* owned (transcript.c), NULL: none yet */
    bool printed;                      /* below the command line in front stands what it prints */
};

/* --- scenario.c: moving the scenario --- */

/* A knob's stops: how many and where it stands. */
struct app_stops {
    int count;
    int current; /* -1: between stops */
};
struct app_stops app_knob_stops(const struct app *app, int option);
/* The text of a stop as the command line takes it. */
void app_knob_stop_text(const struct app *app, int option, int stop, struct writer *w);
/* True when the scenario with this stop is legal; *why says what it breaks otherwise. */
bool app_knob_stop_legal(const struct app *app, int option, int stop, struct message *why);
/* Moves an option by `steps` stops (wrapping when `wrap`); returns effects. */
unsigned app_knob_move(struct app *app, int option, int steps, bool wrap);
unsigned app_knob_to_end(struct app *app, int option, bool last);
unsigned app_knob_reset(struct app *app, int option);
/* To one stop; where validation refuses it the status line says why and app->refused holds it. */
unsigned app_knob_set(struct app *app, int option, int stop);
/* The presets of an option of kind NAME, one a stop. */
const struct record *app_knob_rows(const struct app *app, int option, int *count);
unsigned app_undo(struct app *app);

/* --- travel.c: from lesson to lesson --- */
/* The scenario with which the lesson that came in front is opened: its start, and what the learner has moved. Where that cannot be it is the
 * start alone, and the status line says so. */
MUST_USE enum status app_scenario_travel(struct app *app, struct message *why);
/* Goes where a link leads and leaves a place to return to. */
unsigned app_link_follow(struct app *app, const char *target);
/* From the open lesson to a page of this one or another, with a place to return to. */
unsigned app_travel(struct app *app, const struct lesson *lesson, int page);
/* Back to where the last link was followed; 0: there is no such place. */
unsigned app_place_return(struct app *app);
void app_places_forget(struct app *app);
bool app_place_leave(struct app *app); /* leaves a place; false: no memory */
/* A page of a lesson with the scenario of a line of options ("--model …", NULL: as it is opened from home), without a
 * place to return to: whoever calls knows the way back. */
MUST_USE enum status app_lesson_show(struct app *app, const struct lesson *lesson, int page,
                                     const char *line, struct message *why);

/* --- own.c: knobs that no scenario has --- */

/* What the lesson's functions are given. */
struct lesson_input
app_input_asked(const struct app *app); /* without what an experiment answered */
struct lesson_input app_input(const struct app *app);
/* The number of a knob, by which all of the above know it: of an option, or behind them. */
int app_knob_index(const struct app *app, const char *name);
const struct lesson_knob *app_own(const struct app *app, int option); /* NULL: an option's */
void app_own_begin(struct app *app);
/* Only for a knob of the lesson's own. */
struct app_stops app_own_stops(const struct app *app, int option);
bool app_own_legal(const struct app *app, int option, int stop, struct message *why);

/* --- frames.c: a picture that moves --- */
void app_frames_begin(struct app *app); /* a page was opened */
void app_frames_fit(struct app *app);   /* a knob was moved */
unsigned app_frames_where(const struct app *app);
unsigned app_frames_go(struct app *app, int frame);
bool app_frames_action(struct app *app, enum ui_action action, unsigned *effects);

/* --- lesson_screen.c --- */
/* From home: the lesson that was open last as it was left, another on its first page. */
MUST_USE enum status app_lesson_open(struct app *app, const struct lesson *lesson,
                                     struct message *why);
/* A page of a lesson comes in front, with the scenario as it is. */
MUST_USE enum status app_lesson_enter(struct app *app, const struct lesson *lesson, int page,
                                      struct message *why);
unsigned app_lesson_action(struct app *app, enum ui_action action);
void app_lesson_draw(struct app *app, struct grid *g);
void app_view_refresh(struct app *app);
const struct view_ledger *app_view_ledger(const struct app *app); /* NULL: the page has none */
int app_pane_count(const struct app *app);
unsigned app_page_go(struct app *app, int page);
/* The option under the focus, -1 when no knob has it. */
int app_knob_option(const struct app *app);

int app_knob_count(const struct lesson_knobs *group);
bool app_on_knobs(const struct app *app);
bool app_on_view(const struct app *app);
bool app_on_links(const struct app *app);

/* --- home_screen.c, overlay_screen.c --- */
unsigned app_home_action(struct app *app, enum ui_action action);
void app_home_draw(struct app *app, struct grid *g);
unsigned app_overlay_action(struct app *app, enum ui_action action);
void app_overlay_draw(struct app *app, struct grid *g);

/* The scrolling that all overlays share; false: the action is another. */
bool app_overlay_move(struct app *app, enum ui_action action, unsigned *effects);

/* --- table_screen.c --- */
void app_table_open(struct app *app);
unsigned app_table_action(struct app *app, enum ui_action action);
void app_table_draw(struct app *app, struct grid *g);
/* Takes the focus to a column, or takes the convention that has it. */
unsigned app_table_press(struct app *app, int col);

/* --- typed.c --- */
/* Adds a character if it is one that can be shown and there is room. False: nothing changed. */
bool app_typed_add(struct app_typed *t, uint32_t key);
bool app_typed_erase(struct app_typed *t);
void app_typed_clear(struct app_typed *t);

/* --- list.c: what lists with typing share --- */
/* Moves the focus among `count` rows, or erases; false: the action is another. */
bool app_list_action(struct app_list *list, enum ui_action action, int count, unsigned *effects);
unsigned app_list_type(struct app *app, struct app_list *list, uint32_t key);
/* What is typed, and how many of how many rows match; `empty` stands there while nothing is typed. */
struct app_list_counts {
    int count, total;
    const char *empty; /* message id */
};
void app_list_typed_draw(struct app *app, struct grid *g, struct rect area,
                         const struct app_list *list, const struct app_list_counts *counts);

/* --- picker_screen.c --- */
void app_picker_open(struct app *app, int option);
unsigned app_picker_action(struct app *app, enum ui_action action);
void app_picker_draw(struct app *app, struct grid *g);

/* --- search.c --- */
void app_search_open(struct app *app);
void app_search_end(struct app *app);
unsigned app_search_type(struct app *app, uint32_t key);
/* Actions while the words are typed. */
unsigned app_search_action(struct app *app, enum ui_action action);
/* To the next match (step 1) or the one before (-1), over all pages, round and round. */
unsigned app_search_step(struct app *app, int step);
/* How the words of a page are laid out: figures and, where there are any, matches. */
struct ui_expand app_words(struct app *app, int page);
/* The prompt, or which match of how many; false: there is no search. */
bool app_search_draw(struct app *app, struct grid *g, struct rect area);

/* --- guess.c: asked before a picture is shown or an experiment runs --- */
/* What was said on the page in front; NULL: nothing yet. */
const struct app_guess *app_guess_said(const struct app *app);
/* The page's question, while it is open; false: it asks nothing, or nothing any more. */
bool app_guess_question(const struct app *app, struct lesson_guess *out);
bool app_guess_open(const struct app *app);
/* The scenario is no longer the one that the answer was about. */
bool app_guess_moved(const struct app *app);
/* Bits of enum ui_where that questions add on a lesson. */
unsigned app_guess_where(const struct app *app);
/* False: the action is another. */
bool app_guess_action(struct app *app, enum ui_action action, unsigned *effects);

/* --- experiment.c --- */
/* The experiment of the page in front with the present scenario; false: it has none. */
bool app_experiment_offer(const struct app *app, struct lesson_experiment *out);
/* The last one was started (or is asked about) on this page and with this very line. */
bool app_experiment_current(const struct app *app);
/* Bits of enum ui_where that experiments add on a lesson. */
unsigned app_experiment_where(const struct app *app);
unsigned app_experiment_run(struct app *app);
/* Runs what is asked about, with a choice or (-1) without. */
unsigned app_experiment_guess(struct app *app, int choice);
unsigned app_experiment_cancel(struct app *app);
void app_experiment_free(struct app *app);

/* --- experiment_rows.c: what is compared --- */
/* Fills in e->compared from the answer; false: no memory. */
MUST_USE bool app_experiment_compare(struct app_experiment *e);
/* How many rows from `first` on, before `end`, differ; *where (may be NULL) is the first of them. */
int app_experiment_differ(const struct app_experiment *e, int first, int end,
                          const struct app_row **where);
/* A value as it is shown; NULL is "—". */
void app_experiment_value_write(struct writer *w, const struct app *app, const struct field *field,
                                enum lesson_unit unit);
/* The program's own verdict over everything, not only over what is shown. */
bool app_experiment_matches(const struct app_experiment *e);

/* --- experiment_draw.c --- */
/* The experiment above the view; returns the rows it takes, at most area.rows. What does not fit is reached with
 * app_experiment_scroll. */
int app_experiment_draw(struct app *app, struct grid *g, struct rect area);
bool app_experiment_scroll(struct app *app,
                           int step); /* false: there is nothing further that way */

/* --- mouse.c --- */
unsigned app_mouse_toggle(struct app *app);

/* --- app.c --- */
/* Does what an action does on the screen in front; returns effects. */
unsigned app_act(struct app *app, enum ui_action action);
/* Which keys are valid on a screen. */
enum ui_where app_where(const struct app *app, enum app_screen screen);
/* Which of them are offered. */
struct ui_keys app_keys(const struct app *app, enum app_screen screen);

/* --- lesson_draw.c --- */
/* The label of an option in the learner's language. */
const char *app_option_label(const struct app *app, const char *option);

/* --- frame.c: header, rules, status and hints shared by all screens --- */
void app_header_draw(struct app *app, struct grid *g, struct rect area, const char *title);
void app_rule_draw(struct app *app, struct grid *g, struct rect area);
/* In an area of one row a sentence that is too long is cut, in a higher one it is wrapped; so many rows it wants. */
void app_status_draw(struct app *app, struct grid *g, struct rect area);
int app_status_rows(const struct app *app, const struct width_rules *rules, int cols);
/* A message's words into text. */
void app_say(const struct app *app, const struct message *m, char *text, size_t capacity);
void app_status_set(struct app *app, const char *id);
void app_refusal_forget(struct app *app); /* a refused stop is left: its sentence goes with it */

#endif
