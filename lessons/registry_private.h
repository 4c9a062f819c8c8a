/* The lessons that registry.c lists. Each is defined in the lesson.c of its folder. */
#ifndef LESSONS_REGISTRY_PRIVATE_H
#define LESSONS_REGISTRY_PRIVATE_H

#include "shardlab/lesson/lesson.h"

extern const struct lesson lesson_start;
extern const struct lesson lesson_memory;
extern const struct lesson lesson_activations;
extern const struct lesson lesson_collectives;
extern const struct lesson lesson_data_parallel;
extern const struct lesson lesson_zero;
extern const struct lesson lesson_hybrid;
extern const struct lesson lesson_offload;
extern const struct lesson lesson_tensor_parallel;
extern const struct lesson lesson_pipeline;
extern const struct lesson lesson_formats;
extern const struct lesson lesson_mixed_precision;

#endif
