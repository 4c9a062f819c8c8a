/* The syllabus on one screen: every lesson, in the order in which it is taught. Shell, command line and tests
 * find lessons only here. Constant data, owned by the program.
 * Proof: tests/unit/lessons/test_memory_lesson.c. */
#include "registry_private.h"

#include <assert.h>
#include <string.h>

static const struct lesson *const syllabus[] = {
    &lesson_memory,
    &lesson_collectives,
    &lesson_formats,
    &lesson_mixed_precision,
};

enum { LESSONS = sizeof(syllabus) / sizeof(syllabus[0]) };

int lesson_count(void) {
    return LESSONS;
}

const struct lesson *lesson_at(int index) {
    assert(index >= 0 && index < LESSONS);
    return syllabus[index];
}

const struct lesson *lesson_find(const char *id) {
    for (int i = 0; i < LESSONS; i++) {
        if (strcmp(syllabus[i]->id, id) == 0) {
            return syllabus[i];
        }
    }
    return NULL;
}
