/* The table of actions: which keys do what, where, how the hint bar and the help name them.
 * Dispatch, hint bar, help and man page read these rows; nothing else knows a key. Arrows, page and
 * function keys have a letter twin, because not every keyboard and terminal sends them.
 * UI_ACTION_CARD has no row: it is reached as a knob. Proof: tests/unit/ui/test_action.c (complete,
 * no key twice on a screen). */
#include "shardlab/ui/action.h"

#include <assert.h>

#include "shardlab/ui/key.h"

enum {
    HOME = UI_WHERE_HOME,
    HELP = UI_WHERE_HELP,
    WHY = UI_WHERE_WHY,
    TABLE = UI_WHERE_TABLE,
    OVER = UI_WHERE_HELP | UI_WHERE_WHY | UI_WHERE_TABLE, /* screens that lie over another */
    PICKER = UI_WHERE_PICKER,
    PROMPT = UI_WHERE_PROMPT,
    GLOSSARY = UI_WHERE_GLOSSARY,
    TERM = UI_WHERE_TERM,
    LISTS = UI_WHERE_PICKER | UI_WHERE_GLOSSARY,
    ANSWER = UI_WHERE_ANSWER,
    FORM = UI_WHERE_FORM,
    TYPING = UI_WHERE_PICKER | UI_WHERE_PROMPT | UI_WHERE_GLOSSARY | ANSWER | FORM,
    CHOICE = UI_WHERE_CHOICE,
    ORDER = UI_WHERE_ORDER,
    OPTIONS = CHOICE | ORDER, /* an open question on which letters are keys */
    FACTS = UI_WHERE_FACTS,
    JUDGED = UI_WHERE_JUDGED,
    SITTING = OPTIONS | FACTS | JUDGED,    /* a question on which letters are keys */
    READ = OVER | JUDGED | UI_WHERE_STATS, /* text that scrolls */
    ENDS = UI_WHERE_SUMMARY | UI_WHERE_STATS,
    FOUND = UI_WHERE_FOUND,
    AWAY = UI_WHERE_AWAY,
    PLAIN = UI_WHERE_LESSON | UI_WHERE_AWAY, /* a lesson in which nothing is looked for */
    SLIDERS = UI_WHERE_LESSON | UI_WHERE_FOUND,
    PAGES = SLIDERS | UI_WHERE_AWAY, /* a lesson, whatever has the focus */
    EXPERIMENT_ON = UI_WHERE_RUNNING | UI_WHERE_ASKED,
    QUESTION = UI_WHERE_ASKED | UI_WHERE_GUESS,
    ALL = HOME | PAGES | OVER | TERM | SITTING | ENDS, /* every screen on which letters are keys */
};

static const struct ui_action_row rows[] = {
    {UI_ACTION_LEFT, "left", {UI_KEY_LEFT, 'h'}, "←→", "h l", SLIDERS, 3},
    {UI_ACTION_RIGHT, "right", {UI_KEY_RIGHT, 'l'}, "→", "l", SLIDERS, 0},
    /* Before the keys of pages and pictures: while something is asked these letters are its choices. */
    {UI_ACTION_MARK_1, "mark", {'a'}, "a-d", "a-d", QUESTION, 0},
    {UI_ACTION_MARK_2, "mark-2", {'b'}, "b", "b", QUESTION, 0},
    {UI_ACTION_MARK_3, "mark-3", {'c'}, "c", "c", QUESTION, 0},
    {UI_ACTION_MARK_4, "mark-4", {'d'}, "d", "d", QUESTION, 0},
    {UI_ACTION_MARK_1, "option", {'a'}, "a-d", "a-d", CHOICE, 1},
    {UI_ACTION_MARK_2, "option-2", {'b'}, "b", "b", CHOICE, 0},
    {UI_ACTION_MARK_3, "option-3", {'c'}, "c", "c", CHOICE, 0},
    {UI_ACTION_MARK_4, "option-4", {'d'}, "d", "d", CHOICE, 0},
    {UI_ACTION_PUT, "put", {UI_KEY_SPACE, UI_KEY_ENTER}, "Space", "Space", UI_WHERE_HELD, 1},
    {UI_ACTION_HOLD, "hold", {UI_KEY_SPACE}, "Space", "Space", ORDER, 1},
    {UI_ACTION_TICK, "tick", {UI_KEY_SPACE}, "Space", "Space", FACTS, 1},
    {UI_ACTION_UP, "option-up", {UI_KEY_UP, 'k'}, "↑↓", "j k", OPTIONS | FACTS, 2},
    {UI_ACTION_DOWN, "option-down", {UI_KEY_DOWN, 'j'}, "↓", "j", OPTIONS | FACTS, 0},
    {UI_ACTION_OPEN, "answer", {UI_KEY_ENTER}, "Enter", "Enter", OPTIONS, 3},
    {UI_ACTION_OPEN, "answer-typed", {UI_KEY_ENTER}, "Enter", "Enter", ANSWER, 1},
    {UI_ACTION_OPEN, "rate-facts", {UI_KEY_ENTER}, "Enter", "Enter", FACTS, 3},
    {UI_ACTION_NEXT,
     "question-next",
     {UI_KEY_ENTER, UI_KEY_SPACE, 'n'},
     "Enter",
     "Enter",
     JUDGED,
     1},
    {UI_ACTION_RATE_1, "rate", {'1'}, "1-4", "1-4", JUDGED, 2},
    {UI_ACTION_RATE_2, "rate-2", {'2'}, "2", "2", JUDGED, 0},
    {UI_ACTION_RATE_3, "rate-3", {'3'}, "3", "3", JUDGED, 0},
    {UI_ACTION_RATE_4, "rate-4", {'4'}, "4", "4", JUDGED, 0},
    {UI_ACTION_RATE_1, "rate-early", {'1', '2', '3'}, "1-4", "1-4", OPTIONS | FACTS, 0},
    {UI_ACTION_RATE_4, "rate-early-4", {'4'}, "4", "4", OPTIONS | FACTS, 0},
    {UI_ACTION_NEXT_PANE,
     "blank-next",
     {UI_KEY_TAB, UI_KEY_DOWN},
     "Tab",
     "Tab",
     UI_WHERE_BLANKS,
     2},
    {UI_ACTION_PREV_PANE,
     "blank-before",
     {UI_KEY_BACK_TAB, UI_KEY_UP},
     "Shift-Tab",
     "Shift-Tab",
     UI_WHERE_BLANKS,
     0},
    {UI_ACTION_HINT, "hint", {'i'}, "i", "i", OPTIONS, 5},
    {UI_ACTION_HINT, "hint-typing", {UI_KEY_CTRL_N, UI_KEY_TAB}, "Ctrl-N", "Ctrl-N", ANSWER, 3},
    {UI_ACTION_FOLLOW, "follow-up", {'f'}, "f", "f", JUDGED, 5},
    {UI_ACTION_CALCULATOR, "calculator", {'o'}, "o", "o", SITTING, 6},
    {UI_ACTION_CALCULATOR, "calculator-typing", {UI_KEY_CTRL_R}, "Ctrl-R", "Ctrl-R", ANSWER, 7},
    {UI_ACTION_GIVE_UP, "give-up", {'x'}, "x", "x", OPTIONS | FACTS, 7},
    {UI_ACTION_GIVE_UP, "give-up-typing", {UI_KEY_CTRL_X}, "Ctrl-X", "Ctrl-X", ANSWER, 5},
    {UI_ACTION_SKIP, "skip", {'s'}, "s", "s", OPTIONS | FACTS, 8},
    {UI_ACTION_SKIP, "skip-typing", {UI_KEY_CTRL_K}, "Ctrl-K", "Ctrl-K", ANSWER, 6},
    {UI_ACTION_TEXT, "lesson-text", {'t'}, "t", "t", SITTING, 9},
    {UI_ACTION_TEXT, "lesson-text-typing", {UI_KEY_CTRL_T}, "Ctrl-T", "Ctrl-T", ANSWER, 0},
    {UI_ACTION_UNDO, "answer-undo", {'u'}, "u", "u", SITTING | UI_WHERE_SUMMARY, 10},
    {UI_ACTION_UNDO, "answer-undo-typing", {UI_KEY_CTRL_P}, "Ctrl-P", "Ctrl-P", ANSWER, 9},
    {UI_ACTION_SUSPEND, "suspend", {'z'}, "z", "z", SITTING, 0},
    {UI_ACTION_FLAG, "flag", {'!'}, "!", "!", SITTING, 0},
    {UI_ACTION_BACK, "leave-typing", {UI_KEY_ESCAPE}, "Esc", "Esc", ANSWER | FORM, 8},
    {UI_ACTION_PAGE_UP,
     "typing-page-up",
     {UI_KEY_PAGE_UP, UI_KEY_UP, UI_KEY_CTRL_B},
     "PgUp",
     "PgUp",
     ANSWER,
     0},
    {UI_ACTION_PAGE_DOWN,
     "typing-page-down",
     {UI_KEY_PAGE_DOWN, UI_KEY_DOWN, UI_KEY_CTRL_F},
     "PgDn",
     "PgDn",
     ANSWER,
     0},
    {UI_ACTION_PRACTISE, "practise-home", {'x'}, "x", "x", HOME, 6},
    {UI_ACTION_PRACTISE, "practise", {'x'}, "x", "x", PAGES, 20},
    {UI_ACTION_OPEN, "summary-open", {UI_KEY_ENTER}, "Enter", "Enter", UI_WHERE_SUMMARY, 1},
    {UI_ACTION_OPEN, "stats-settings", {UI_KEY_ENTER}, "Enter", "Enter", UI_WHERE_STATS, 1},
    {UI_ACTION_COPY, "report-copy", {'y'}, "y", "y", UI_WHERE_SUMMARY, 2},
    {UI_ACTION_EXPORT, "report-export", {'e'}, "e", "e", UI_WHERE_SUMMARY, 3},
    {UI_ACTION_OPEN, "form-take", {UI_KEY_ENTER}, "Enter", "Enter", FORM, 1},
    {UI_ACTION_UP,
     "form-up",
     {UI_KEY_UP, UI_KEY_BACK_TAB, UI_KEY_CTRL_P},
     "↑↓",
     "Up Down",
     FORM,
     2},
    {UI_ACTION_DOWN, "form-down", {UI_KEY_DOWN, UI_KEY_TAB, UI_KEY_CTRL_N}, "↓", "Down", FORM, 0},
    {UI_ACTION_GUESS_TAKE, "guess-take", {UI_KEY_ENTER}, "Enter", "Enter", UI_WHERE_MARKED, 1},
    {UI_ACTION_GUESS_SKIP, "guess-skip", {'s'}, "s", "s", QUESTION, 3},
    {UI_ACTION_GUESS_FULL, "guess-full", {'s'}, "s", "s", UI_WHERE_GUESSED, 6},
    {UI_ACTION_FRAME_BACK, "frame-back", {','}, ", .", ", .", UI_WHERE_FRAMES, 2},
    {UI_ACTION_FRAME_NEXT, "frame-next", {'.'}, ".", ".", UI_WHERE_FRAMES, 0},
    {UI_ACTION_FRAME_PLAY, "frame-play", {'a'}, "a", "a", UI_WHERE_FRAMES, 3},
    {UI_ACTION_FRAME_SLOWER, "frame-slower", {'['}, "[ ]", "[ ]", UI_WHERE_FRAMES, 0},
    {UI_ACTION_FRAME_FASTER, "frame-faster", {']'}, "]", "]", UI_WHERE_FRAMES, 0},
    {UI_ACTION_FRAME_FIRST, "frame-first", {'R'}, "R", "R", UI_WHERE_FRAMES, 0},
    {UI_ACTION_LEFT, "left-away", {UI_KEY_LEFT, 'h'}, "←", "h", AWAY, 0},
    {UI_ACTION_RIGHT, "right-away", {UI_KEY_RIGHT, 'l'}, "→", "l", AWAY, 0},
    {UI_ACTION_LEFT, "column-before", {UI_KEY_LEFT, 'h'}, "←→", "h l", TABLE, 1},
    {UI_ACTION_RIGHT, "column-after", {UI_KEY_RIGHT, 'l'}, "→", "l", TABLE, 0},
    {UI_ACTION_OPEN, "column-take", {UI_KEY_ENTER}, "Enter", "Enter", TABLE, 2},
    {UI_ACTION_CONVENTION, "table-close", {'c'}, "c", "c", TABLE, 0},
    {UI_ACTION_LEFT, "row-before", {UI_KEY_LEFT, 'h'}, "←→", "h l", WHY, 1},
    {UI_ACTION_RIGHT, "row-after", {UI_KEY_RIGHT, 'l'}, "→", "l", WHY, 0},
    {UI_ACTION_UP, "up", {UI_KEY_UP, 'k'}, "↑↓", "j k", HOME | PAGES | TERM | UI_WHERE_SUMMARY, 4},
    {UI_ACTION_DOWN,
     "down",
     {UI_KEY_DOWN, 'j'},
     "↓",
     "j",
     HOME | PAGES | TERM | UI_WHERE_SUMMARY,
     0},
    {UI_ACTION_UP, "scroll-up", {UI_KEY_UP, 'k'}, "↑↓", "j k", READ, 4},
    {UI_ACTION_DOWN, "scroll-down", {UI_KEY_DOWN, 'j'}, "↓", "j", READ, 0},
    {UI_ACTION_COARSE_LEFT, "coarse-left", {UI_KEY_SHIFT_LEFT, 'H', '<'}, "H", "H", PAGES, 0},
    {UI_ACTION_COARSE_RIGHT, "coarse-right", {UI_KEY_SHIFT_RIGHT, '>'}, ">", ">", PAGES, 0},
    {UI_ACTION_NEXT_PANE, "next-pane", {UI_KEY_TAB}, "Tab", "Tab", PAGES, 7},
    {UI_ACTION_PREV_PANE, "prev-pane", {UI_KEY_BACK_TAB}, "Shift-Tab", "Shift-Tab", PAGES, 0},
    {UI_ACTION_WHY, "why", {'w'}, "w", "w", UI_WHERE_LEDGER, 6},
    {UI_ACTION_WHY, "why-close", {'w'}, "w", "w", WHY, 0},
    /* Before the rows that go back: while an experiment runs, Esc ends it and goes nowhere. */
    {UI_ACTION_CANCEL, "cancel", {UI_KEY_ESCAPE, UI_KEY_BACKSPACE}, "Esc", "Esc", EXPERIMENT_ON, 1},
    {UI_ACTION_GUESS_1, "guess", {'1'}, "1-4", "1-4", QUESTION, 2},
    {UI_ACTION_GUESS_2, "guess-2", {'2'}, "2", "2", QUESTION, 0},
    {UI_ACTION_GUESS_3, "guess-3", {'3'}, "3", "3", QUESTION, 0},
    {UI_ACTION_GUESS_4, "guess-4", {'4'}, "4", "4", QUESTION, 0},
    {UI_ACTION_RUN, "run", {'r'}, "r", "r", UI_WHERE_EXPERIMENT, 4},
    {UI_ACTION_OPEN, "open", {UI_KEY_ENTER}, "Enter", "Enter", HOME, 5},
    {UI_ACTION_OPEN, "follow", {UI_KEY_ENTER}, "Enter", "Enter", UI_WHERE_LINK, 1},
    {UI_ACTION_OPEN, "term-go", {UI_KEY_ENTER}, "Enter", "Enter", TERM, 3},
    {UI_ACTION_OPEN, "term-open", {UI_KEY_ENTER}, "Enter", "Enter", GLOSSARY, 1},
    {UI_ACTION_GLOSSARY, "glossary-home", {'g'}, "g", "g", HOME, 19},
    {UI_ACTION_GLOSSARY, "glossary", {'g'}, "g", "g", PAGES | SITTING, 19},
    {UI_ACTION_GLOSSARY, "glossary-list", {'g'}, "g", "g", TERM, 0},
    {UI_ACTION_OPEN, "open-row", {UI_KEY_ENTER}, "Enter", "Enter", PAGES, 10},
    {UI_ACTION_NEXT, "next", {UI_KEY_SPACE, 'n'}, "Space", "Space", PLAIN, 5},
    {UI_ACTION_NEXT, "next-found", {UI_KEY_SPACE}, "Space", "Space", FOUND, 5},
    {UI_ACTION_SEARCH, "search", {'/'}, "/", "/", PAGES, 12},
    {UI_ACTION_MATCH_NEXT, "match-next", {'n'}, "n N", "n N", FOUND, 1},
    {UI_ACTION_MATCH_BEFORE, "match-before", {'N'}, "N", "N", FOUND, 0},
    {UI_ACTION_BACK, "search-end", {UI_KEY_ESCAPE, UI_KEY_BACKSPACE}, "Esc", "Esc", FOUND, 2},
    {UI_ACTION_PREVIOUS, "previous", {'b', 'N'}, "b", "b", PLAIN, 0},
    {UI_ACTION_PREVIOUS, "previous-found", {'b'}, "b", "b", FOUND, 0},
    {UI_ACTION_CONVENTION, "convention", {'c'}, "c", "c", PAGES, 8},
    {UI_ACTION_UNDO, "undo", {'u'}, "u", "u", PAGES, 9},
    {UI_ACTION_RESET, "reset", {'0'}, "0", "0", PAGES, 0},
    {UI_ACTION_UNIT, "unit", {'U'}, "U", "U", PAGES | WHY | TABLE, 14},
    {UI_ACTION_COPY, "copy", {'y'}, "y", "y", PAGES, 13},
    {UI_ACTION_FIRST, "first", {UI_KEY_HOME, '^'}, "Home", "Home", ALL, 0},
    {UI_ACTION_LAST, "last", {UI_KEY_END, '$'}, "End", "End", ALL, 0},
    {UI_ACTION_PAGE_UP, "page-up", {UI_KEY_PAGE_UP, 'K'}, "PgUp", "PgUp", ALL, 0},
    {UI_ACTION_PAGE_DOWN,
     "page-down",
     {UI_KEY_PAGE_DOWN, 'J'},
     "PgDn",
     "PgDn",
     HOME | PAGES | TERM | SITTING | ENDS,
     0},
    {UI_ACTION_PAGE_DOWN,
     "screenful",
     {UI_KEY_SPACE, UI_KEY_PAGE_DOWN, 'J'},
     "Space",
     "Space",
     OVER,
     5},
    {UI_ACTION_RETURN, "return", {UI_KEY_BACKSPACE}, "Backspace", "Backspace", UI_WHERE_CAME, 6},
    {UI_ACTION_BACK,
     "back",
     {UI_KEY_ESCAPE, UI_KEY_BACKSPACE},
     "Esc",
     "Esc",
     PLAIN | OVER | TERM | SITTING | ENDS,
     11},
    {UI_ACTION_BACK, "back-home", {UI_KEY_ESCAPE, UI_KEY_BACKSPACE}, "Esc", "Esc", HOME, 0},
    {UI_ACTION_LANGUAGE, "language", {'L'}, "L", "L", ALL, 15},
    {UI_ACTION_HELP, "help", {'?', UI_KEY_F1}, "?", "?", ALL, 16},
    {UI_ACTION_MOUSE, "mouse", {'m'}, "m", "m", ALL, 18},
    {UI_ACTION_REDRAW, "redraw", {UI_KEY_CTRL_L}, "Ctrl-L", "Ctrl-L", ALL | TYPING, 0},
    {UI_ACTION_QUIT, "quit", {'q'}, "q", "q", ALL, 17},
    {UI_ACTION_QUIT_NOW, "quit-now", {'Q', UI_KEY_CTRL_C}, "Q", "Q", ALL, 0},
    {UI_ACTION_OPEN, "take", {UI_KEY_ENTER}, "Enter", "Enter", PICKER, 1},
    {UI_ACTION_UP, "list-up", {UI_KEY_UP, UI_KEY_CTRL_P}, "↑↓", "Up Down", LISTS, 2},
    {UI_ACTION_DOWN, "list-down", {UI_KEY_DOWN, UI_KEY_CTRL_N}, "↓", "Down", LISTS, 0},
    {UI_ACTION_BACK, "list-back", {UI_KEY_ESCAPE}, "Esc", "Esc", LISTS, 3},
    {UI_ACTION_FIRST, "list-first", {UI_KEY_HOME, UI_KEY_CTRL_A}, "Home", "Home", LISTS, 0},
    {UI_ACTION_LAST, "list-last", {UI_KEY_END, UI_KEY_CTRL_E}, "End", "End", LISTS, 0},
    {UI_ACTION_PAGE_UP, "list-page-up", {UI_KEY_PAGE_UP, UI_KEY_CTRL_B}, "PgUp", "PgUp", LISTS, 0},
    {UI_ACTION_PAGE_DOWN,
     "list-page-down",
     {UI_KEY_PAGE_DOWN, UI_KEY_CTRL_F},
     "PgDn",
     "PgDn",
     LISTS,
     0},
    {UI_ACTION_ERASE, "erase", {UI_KEY_BACKSPACE}, "Backspace", "Backspace", TYPING, 0},
    {UI_ACTION_CLEAR, "clear", {UI_KEY_CTRL_U}, "Ctrl-U", "Ctrl-U", TYPING, 4},
    {UI_ACTION_HELP, "help-typing", {UI_KEY_F1, UI_KEY_CTRL_G}, "F1", "F1", TYPING, 13},
    {UI_ACTION_QUIT_NOW, "quit-typing", {UI_KEY_CTRL_C}, "Ctrl-C", "Ctrl-C", TYPING, 0},
    {UI_ACTION_OPEN, "search-run", {UI_KEY_ENTER}, "Enter", "Enter", PROMPT, 1},
    {UI_ACTION_BACK, "search-leave", {UI_KEY_ESCAPE}, "Esc", "Esc", PROMPT, 2},
};

void ui_keys_leave_out(struct ui_keys *keys, enum ui_action action) {
    assert(keys->idle_count < UI_IDLE_MAX);
    keys->idle[keys->idle_count++] = action;
}

bool ui_keys_idle(const struct ui_keys *keys, enum ui_action action) {
    for (int i = 0; i < keys->idle_count; i++) {
        if (keys->idle[i] == action) {
            return true;
        }
    }
    return false;
}

int ui_action_count(void) {
    return (int)(sizeof rows / sizeof rows[0]);
}

const struct ui_action_row *ui_action_at(int index) {
    return &rows[index];
}

enum ui_action ui_action_find(uint32_t key, enum ui_where where) {
    for (int i = 0; key != 0 && i < ui_action_count(); i++) {
        for (int k = 0; (rows[i].where & (unsigned)where) != 0 && k < UI_ACTION_KEYS_MAX; k++) {
            if (rows[i].keys[k] == key) {
                return rows[i].action;
            }
        }
    }
    return UI_ACTION_NONE;
}

/* Names as they are printed on keyboards; the same in every language. */
struct key_name {
    uint32_t key;
    const char *name, *plain;
};

static const struct key_name key_names[] = {
    {UI_KEY_ENTER, "Enter", "Enter"},
    {UI_KEY_TAB, "Tab", "Tab"},
    {UI_KEY_ESCAPE, "Esc", "Esc"},
    {UI_KEY_SPACE, "Space", "Space"},
    {UI_KEY_BACKSPACE, "Backspace", "Backspace"},
    {UI_KEY_UP, "↑", "Up"},
    {UI_KEY_DOWN, "↓", "Down"},
    {UI_KEY_LEFT, "←", "Left"},
    {UI_KEY_RIGHT, "→", "Right"},
    {UI_KEY_PAGE_UP, "PgUp", "PgUp"},
    {UI_KEY_PAGE_DOWN, "PgDn", "PgDn"},
    {UI_KEY_HOME, "Home", "Home"},
    {UI_KEY_END, "End", "End"},
    {UI_KEY_SHIFT_LEFT, "Shift-←", "Shift-Left"},
    {UI_KEY_SHIFT_RIGHT, "Shift-→", "Shift-Right"},
    {UI_KEY_BACK_TAB, "Shift-Tab", "Shift-Tab"},
    {UI_KEY_F1, "F1", "F1"},
};

static void write_key(struct writer *w, uint32_t key, bool plain) {
    for (size_t i = 0; i < sizeof key_names / sizeof key_names[0]; i++) {
        if (key_names[i].key == key) {
            writer_text(w, plain ? key_names[i].plain : key_names[i].name);
            return;
        }
    }
    if (key < UI_KEY_SPACE) {
        writer_text(w, "Ctrl-");
        key += 'A' - 1;
    }
    writer_code_point(w, key);
}

void ui_action_write_keys(struct writer *w, const struct ui_action_row *row, bool plain) {
    for (int k = 0; k < UI_ACTION_KEYS_MAX && row->keys[k] != 0; k++) {
        writer_text(w, k > 0 ? " " : "");
        write_key(w, row->keys[k], plain);
    }
}
