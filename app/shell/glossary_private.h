/* The glossary's pieces: the list, one term, the pages that use it. Only for app/shell. */
#ifndef GLOSSARY_PRIVATE_H
#define GLOSSARY_PRIVATE_H

#include "app_private.h"

/* --- glossary_screen.c --- */
/* Over the screen in front; the terms of its page come first. */
unsigned app_glossary_open(struct app *app);
unsigned app_glossary_action(struct app *app, enum ui_action action);
void app_glossary_draw(struct app *app, struct grid *g);

/* --- term_screen.c --- */
unsigned app_term_open(struct app *app, int term);
/* Follows "glossary:shard" in front of everything; false: it is no such link. */
bool app_term_follow(struct app *app, const char *target);
unsigned app_term_action(struct app *app, enum ui_action action);
void app_term_draw(struct app *app, struct grid *g);
/* A term's names, explanation and pages from area.row on; returns the rows of the whole. `focus`: the page with the
 * focus, -1 none. */
int app_term_write(struct app *app, struct grid *g, struct rect area, int term, int focus);

/* --- glossary_pages.c: which pages name a term --- */
/* Reads the glossary, and looks through all pages in the language that is read; both are done once. */
MUST_USE enum status app_glossary_read(struct app *app, struct message *why);
/* Marks the terms that a page names. */
void app_glossary_mark(const struct glossary *g, const struct document *doc, int page, bool *found);
int app_term_places(const struct app *app, int term);
/* The page with this number among them. */
struct app_page {
    int lesson, page;
};
struct app_page app_term_place(const struct app *app, int term, int number);

#endif
