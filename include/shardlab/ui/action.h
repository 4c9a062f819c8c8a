/* What keys do, in one table: dispatch, hint bar, help and man page read it (reference style 12). A screen asks
 * ui_action_find and switches on the id; a test fails on a handled key that is not here.
 * Message ids: action.<name>.short (hint bar, 1–2 words) and action.<name>.long (help, a sentence). */
#ifndef UI_ACTION_H
#define UI_ACTION_H

#include <stdbool.h>
#include <stdint.h>

#include "shardlab/base/writer.h"

enum ui_action {
    UI_ACTION_NONE,
    UI_ACTION_LEFT,         /* ← h: knob down, or previous */
    UI_ACTION_RIGHT,        /* → l */
    UI_ACTION_COARSE_LEFT,  /* Shift-← H : several stops */
    UI_ACTION_COARSE_RIGHT, /* Shift-→ (L is the language) */
    UI_ACTION_UP,           /* ↑ k */
    UI_ACTION_DOWN,         /* ↓ j */
    UI_ACTION_FIRST,        /* Home */
    UI_ACTION_LAST,         /* End */
    UI_ACTION_PAGE_UP,      /* PgUp: scroll words */
    UI_ACTION_PAGE_DOWN,    /* PgDn */
    UI_ACTION_NEXT_PANE,    /* Tab */
    UI_ACTION_PREV_PANE,    /* Shift-Tab */
    UI_ACTION_OPEN,         /* Enter */
    UI_ACTION_BACK,         /* Esc Backspace */
    UI_ACTION_NEXT,         /* Space n: next page; while something is found, Space alone */
    UI_ACTION_PREVIOUS,     /* b N: previous page */
    UI_ACTION_SEARCH,       /* / : look for words in the whole lesson */
    UI_ACTION_MATCH_NEXT,   /* n while something is found */
    UI_ACTION_MATCH_BEFORE, /* N */
    UI_ACTION_WHY,          /* w */
    UI_ACTION_CONVENTION,   /* c : the table of conventions */
    UI_ACTION_CARD,         /* no key and no row of its own: a knob */
    UI_ACTION_UNIT,         /* U : GB / GiB */
    UI_ACTION_UNDO,         /* u */
    UI_ACTION_RESET,        /* 0 : this knob back to its default */
    UI_ACTION_COPY,         /* y */
    UI_ACTION_LANGUAGE,     /* L */
    UI_ACTION_HELP,         /* ? F1 */
    UI_ACTION_REDRAW,       /* Ctrl-L */
    UI_ACTION_QUIT,         /* q */
    UI_ACTION_QUIT_NOW,     /* Q Ctrl-C */
    UI_ACTION_MOUSE,        /* m : the mouse on or off */
    UI_ACTION_ERASE,        /* Backspace where one types: the last character */
    UI_ACTION_CLEAR,        /* Ctrl-U: all that was typed */
    UI_ACTION_RUN,          /* r : run the experiment of this page */
    UI_ACTION_CANCEL,       /* Esc while one runs or is asked about */
    UI_ACTION_GUESS_1,      /* 1 … 4 : the answer to what is asked before it runs */
    UI_ACTION_GUESS_2,
    UI_ACTION_GUESS_3,
    UI_ACTION_GUESS_4,
    UI_ACTION_MARK_1, /* a … d while something is asked: points at a choice, the same key takes it */
    UI_ACTION_MARK_2,
    UI_ACTION_MARK_3,
    UI_ACTION_MARK_4,
    UI_ACTION_GUESS_TAKE,   /* Enter: the choice that is pointed at */
    UI_ACTION_GUESS_SKIP,   /* s : shows or runs without an answer */
    UI_ACTION_GUESS_FULL,   /* s : what was said and why, in full or in brief */
    UI_ACTION_RETURN,       /* Backspace: to where the last link was followed */
    UI_ACTION_FRAME_NEXT,   /* . : a picture that moves goes on by one frame */
    UI_ACTION_FRAME_BACK,   /* , */
    UI_ACTION_FRAME_PLAY,   /* a : it goes on by itself, or stops */
    UI_ACTION_FRAME_SLOWER, /* [ */
    UI_ACTION_FRAME_FASTER, /* ] */
    UI_ACTION_FRAME_FIRST,  /* R */
    UI_ACTION_GLOSSARY,     /* g : the glossary, from which Enter goes to where a term is used */
    UI_ACTION_PRACTISE,     /* x : the questions of the open lesson */
    UI_ACTION_HOLD,         /* Space on things to be ordered: takes one up */
    UI_ACTION_PUT,          /* Space or Enter: puts it down */
    UI_ACTION_TICK,         /* Space on a fact that was said */
    UI_ACTION_RATE_1,       /* 1 … 4 : another rating, once a question is judged */
    UI_ACTION_RATE_2,
    UI_ACTION_RATE_3,
    UI_ACTION_RATE_4,
    UI_ACTION_HINT,       /* i, or Tab and Ctrl-N where one types : one hint more */
    UI_ACTION_GIVE_UP,    /* x, Ctrl-X : not known */
    UI_ACTION_SKIP,       /* s, Ctrl-K : another day */
    UI_ACTION_CALCULATOR, /* o, Ctrl-R : what is computed with the question's own inputs */
    UI_ACTION_TEXT,       /* t, Ctrl-T : the page of the lesson that the question is about */
    UI_ACTION_FOLLOW,     /* f : what an interviewer asks next */
    UI_ACTION_EXPORT,     /* e : the report as a file of the current folder */
    UI_ACTION_SUSPEND,    /* z : never again, or again */
    UI_ACTION_FLAG,       /* ! : something is wrong with this question */
    UI_ACTIONS
};

enum ui_where {
    UI_WHERE_HOME = 1,
    UI_WHERE_LESSON = 2,
    UI_WHERE_HELP = 4,
    UI_WHERE_WHY = 8,
    UI_WHERE_PICKER = 16, /* a list with typing: no letter is a key there */
    UI_WHERE_PROMPT =
        32, /* a lesson in whose status row one types: no letter is a key there either */
    UI_WHERE_FOUND = 64,  /* a lesson in which a search found something */
    UI_WHERE_AWAY = 128,  /* a lesson whose focus is on its table or its links, not on a slider */
    UI_WHERE_TABLE = 256, /* the table of conventions */
    /* These come on top of one of the others; what they bind goes before its keys. */
    UI_WHERE_EXPERIMENT = 512, /* a lesson's page that has an experiment */
    UI_WHERE_RUNNING = 1024,   /* a lesson while an experiment runs */
    UI_WHERE_ASKED = 2048,     /* a lesson's page that asks for a guess before it runs */
    UI_WHERE_FRAMES = 4096,    /* a lesson's page with a picture that moves */
    UI_WHERE_LEDGER = 8192,    /* a lesson's page with a table whose rows can be explained */
    UI_WHERE_GUESS = 16384,    /* a lesson's page that asks before it shows its picture */
    UI_WHERE_MARKED = 32768,   /* one of the choices is pointed at */
    UI_WHERE_GUESSED =
        65536,              /* a lesson's page with an answer that does not fit above its picture */
    UI_WHERE_LINK = 131072, /* a lesson whose focus is on a link */
    UI_WHERE_CAME = 262144, /* a lesson that was reached over a link */
    UI_WHERE_GLOSSARY = 524288,   /* the list of terms, with typing */
    UI_WHERE_TERM = 1048576,      /* one term, and the pages that use it */
    UI_WHERE_CHOICE = 2097152,    /* a question with options, not answered yet */
    UI_WHERE_ORDER = 4194304,     /* things to be put into their order */
    UI_WHERE_HELD = 8388608,      /* comes on top: one of them moves along */
    UI_WHERE_ANSWER = 16777216,   /* a question whose answer is typed: no letter is a key there */
    UI_WHERE_BLANKS = 33554432,   /* comes on top: there are several to fill in */
    UI_WHERE_FACTS = 67108864,    /* facts to tick, after a free answer */
    UI_WHERE_JUDGED = 134217728,  /* a question with its answer */
    UI_WHERE_SUMMARY = 268435456, /* the end of a sitting or a mock interview */
    UI_WHERE_STATS = 536870912,   /* figures of all that was answered */
    UI_WHERE_FORM = 1073741824,   /* settings that are typed */
    UI_WHERE_ALL = 2147483647
};

enum { UI_ACTION_KEYS_MAX = 3 };

struct ui_action_row {
    enum ui_action action;
    const char *name;                  /* "convention" */
    uint32_t keys[UI_ACTION_KEYS_MAX]; /* 0 ends; the first is shown */
    const char *key_label;             /* how the hint bar shows it: "c", "←→", "Space" */
    const char *key_label_ascii;       /* the same without arrows: "h l" */
    unsigned where;                    /* enum ui_where bits */
    int priority; /* hint bar order and survival, 1 first; 0: only in help. `?` is always kept, last */
};

/* What the keys are just here: the table's, less the actions that would only say why they do nothing, so that neither hint
 * bar nor help offers them, and one may go by another name. A key that is pressed all the same is found as ever. */
enum { UI_IDLE_MAX = 12 };
struct ui_keys {
    enum ui_where where;
    enum ui_action idle[UI_IDLE_MAX];
    int idle_count;
    enum ui_action named; /* this one is called `name` as a row is; UI_ACTION_NONE: none is */
    const char *name;
};
/* More than UI_IDLE_MAX are a programmer's error (assert). */
void ui_keys_leave_out(struct ui_keys *keys, enum ui_action action);
bool ui_keys_idle(const struct ui_keys *keys, enum ui_action action);

int ui_action_count(void);
const struct ui_action_row *ui_action_at(int index);
/* All keys of a row as a person reads them: "← h", "Space n"; arrows by name when plain. */
void ui_action_write_keys(struct writer *w, const struct ui_action_row *row, bool plain);
/* The action of a folded key on a screen, UI_ACTION_NONE if the key does nothing there. */
enum ui_action ui_action_find(uint32_t key, enum ui_where where);

#endif
