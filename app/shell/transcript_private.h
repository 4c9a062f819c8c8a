/* What a command of the program prints, below its line: how a question's numbers come out of a calculator that has no sliders.
 * Only for app/shell. */
#ifndef TRANSCRIPT_PRIVATE_H
#define TRANSCRIPT_PRIVATE_H

#include "app_private.h"

/* Puts a command line ("comm --model llama-2-7b --dp 8", words between single blanks) on the screen over the one in front,
 * copies it, and starts it unless an experiment runs, which goes on. */
unsigned app_transcript_show(struct app *app, const char *line);
/* The screen is left: what still runs is ended. */
unsigned app_transcript_leave(struct app *app);
void app_transcript_free(struct app *app);

/* While this is true, what the loop starts and hears is the transcript's and not an experiment's. */
bool app_transcript_runs(const struct app *app);
const char *const *app_transcript_command(const struct app *app);
unsigned app_transcript_failed(struct app *app, const struct message *why);
unsigned app_transcript_line(struct app *app, const char *line, size_t length);
unsigned app_transcript_ended(struct app *app, const struct lab_end *end);

/* From `row` on; returns the rows it takes. Nothing where the line in front was not started. */
int app_transcript_draw(struct app *app, struct grid *g, struct rect area, int row);

#endif
