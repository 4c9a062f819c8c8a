/* The lessons that registry.c lists. Each is defined in the lesson.c of its folder. */
#ifndef LESSONS_REGISTRY_PRIVATE_H
#define LESSONS_REGISTRY_PRIVATE_H

#include "shardlab/lesson/lesson.h"

extern const struct lesson lesson_memory;
extern const struct lesson lesson_collectives;
extern const struct lesson lesson_formats;
extern const struct lesson lesson_mixed_precision;

#endif
