/* The syllabus on one screen: every lesson, in the order in which it is taught. Shell, command line and tests
 * find lessons only here. Constant data, owned by the program.
 * Proof: tests/unit/lessons/test_memory_lesson.c. */
#include "registry_private.h"

#include <assert.h>
#include <string.h>

static const struct lesson *const syllabus[] = {
    &lesson_start,         &lesson_memory,          &lesson_activations, &lesson_collectives,
    &lesson_data_parallel, &lesson_tensor_parallel, &lesson_pipeline,    &lesson_hybrid,
    &lesson_zero,          &lesson_offload,         &lesson_formats,     &lesson_mixed_precision,
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

const struct instance_entry *lesson_maker_find(const char *question) {
    for (int i = 0; i < LESSONS; i++) {
        for (int m = 0; m < syllabus[i]->maker_count; m++) {
            if (strcmp(syllabus[i]->makers[m].question, question) == 0) {
                return &syllabus[i]->makers[m];
            }
        }
    }
    return NULL;
}

/* A page as a person counts it, -1: "0", "02", "2x" and the like are none. */
static int page_of(const char *digits) {
    int page = 0;
    if (digits[0] < '1' || digits[0] > '9') {
        return -1;
    }
    for (size_t i = 0; digits[i] != '\0'; i++) {
        if (digits[i] < '0' || digits[i] > '9' || i > 3) {
            return -1;
        }
        page = page * 10 + (digits[i] - '0');
    }
    return page;
}

bool lesson_link_find(const char *target, const struct lesson **lesson, int *page) {
    static const char scheme[] = "lesson:";
    enum { ID_MAX = 64 };
    char id[ID_MAX];
    if (target == NULL || strncmp(target, scheme, sizeof scheme - 1) != 0) {
        return false;
    }
    target += sizeof scheme - 1;
    size_t length = strcspn(target, "#");
    if (length >= sizeof id) {
        return false;
    }
    memcpy(id, target, length);
    id[length] = '\0';
    *lesson = lesson_find(id);
    *page = target[length] == '#' ? page_of(target + length + 1) - 1 : 0;
    return *lesson != NULL && *page >= 0 && *page < (*lesson)->page_count;
}
