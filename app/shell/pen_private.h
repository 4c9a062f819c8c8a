/* Writing down a pane line by line, for what stands above a picture: the question, the answer to it, the experiment. */
#ifndef PEN_PRIVATE_H
#define PEN_PRIVATE_H

#include "app_private.h"

enum { PEN_TEXT_MAX = 512, PEN_VALUE_MAX = 96 };

/* Where drawing has come to. On a grid without rows it measures. */
struct pen {
    struct app *app;
    struct grid *grid;
    struct rect area; /* the text's: without the margins */
    int row, first;   /* where it is, where it began: above the area when that is scrolled */
};

const char *pen_words(const struct pen *p, const char *id);
/* Wrapped, from the present row on, which moves past it. */
void pen_put(struct pen *p, const char *text, enum ui_role role);
void pen_say(struct pen *p, const struct message *m, enum ui_role role);

/* --- guess_draw.c --- */

/* The question and its choices, each on a line that can be clicked; `marked` is pointed at, -1: none. */
void pen_question(struct pen *p, const struct lesson_guess *g, int marked);
/* "You said …", and what each of the two has in mind: the choice taken and the right one. */
void pen_outcome(struct pen *p, const struct lesson_guess *g, int choice);
/* The page's own question while it is open. False: none is. */
bool pen_page_question(struct pen *p);
/* What was said to the page's question, if it was answered. */
void pen_page_outcome(struct pen *p);

#endif
