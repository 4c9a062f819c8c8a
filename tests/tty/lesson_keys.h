/* From the program's first screen into a lesson by its id, in a real terminal: the keys a person presses, as many as the
 * syllabus has lessons before it. */
#ifndef TTY_LESSON_KEYS_H
#define TTY_LESSON_KEYS_H

#include <check.h>
#include <string.h>

#include "shardlab/lesson/lesson.h"
#include "support/pty.h"

static inline void lesson_keys(struct pty *p, const char *id) {
    int at = 0;
    while (at < lesson_count() && strcmp(lesson_at(at)->id, id) != 0) {
        at++;
    }
    ck_assert_msg(at < lesson_count(), "no lesson is called %s", id);
    for (int down = 0; down < at; down++) {
        pty_keys(p, PTY_DOWN);
    }
    pty_keys(p, PTY_ENTER);
}

#endif
