/* The loop: one poll over the terminal; paints at most once per batch of input, sleeps otherwise. */
#ifndef LOOP_PRIVATE_H
#define LOOP_PRIVATE_H

#include "shardlab/shell/app.h"
#include "shardlab/term/term.h"

/* Runs until the learner quits, the terminal is gone, or a signal asks to end. Returns 0, or that signal. */
int loop_run(struct app *app, struct term *term, bool ambiguous_wide, struct message *why);

#endif
