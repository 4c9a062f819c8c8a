/* The loop: one poll over the terminal and the child of an experiment; paints at most once per batch of input, sleeps
 * otherwise. Whatever ends it, no child is left running. */
#ifndef SHELL_LOOP_H
#define SHELL_LOOP_H

#include "shardlab/shell/app.h"
#include "shardlab/term/term.h"

/* Runs until the learner quits, the terminal is gone, or a signal asks to end. Returns 0, or that signal; *why is set
 * when memory ran out. */
int loop_run(struct app *app, struct term *term, bool ambiguous_wide, struct message *why);

#endif
