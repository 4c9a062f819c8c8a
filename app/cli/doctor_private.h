/* What the halves of `shardlab doctor` share. app/cli only. */
#ifndef DOCTOR_PRIVATE_H
#define DOCTOR_PRIVATE_H

#include "cli_private.h"
#include "shardlab/base/json.h"

/* One finding: name, what was seen, and, when it is not well, what to do: the word doctor.NAME.remedy. What was seen may
 * come from outside, so it is made harmless for a terminal. */
void doctor_line(struct cli_context *c, struct json *j, const char *name, bool well,
                 const char *seen);

/* The beginning of such a line, for those that say more than one word. */
void doctor_name(struct cli_context *c, const char *name, bool well);

/* Where progress is kept, how many answers are there, whether more can be. */
void doctor_progress(struct cli_context *c, struct json *j);

/* One line a device, or a backend without one. */
void doctor_devices(struct cli_context *c, struct json *j);

#endif
