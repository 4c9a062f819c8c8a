/* What the two files of this lesson's makers share. */
#ifndef LESSONS_MIXED_QUESTIONS_PRIVATE_H
#define LESSONS_MIXED_QUESTIONS_PRIVATE_H

#include "../format_question_private.h"
#include "../run_question_private.h"
#include "mixed_private.h"

#define MIXED_COUNT(list) ((int)(sizeof(list) / sizeof(list)[0]))

/* The scale at which PyTorch's dynamic loss scaling begins. */
enum { MIXED_TORCH_SCALE = 65536 };

enum status mixed_make_ranges(uint64_t seed, struct instance *out, struct message *why);
enum status mixed_make_first_scale(uint64_t seed, struct instance *out, struct message *why);
enum status mixed_make_clip(uint64_t seed, struct instance *out, struct message *why);
enum status mixed_make_reduce(uint64_t seed, struct instance *out, struct message *why);
enum status mixed_make_days(uint64_t seed, struct instance *out, struct message *why);
enum status mixed_make_mfu(uint64_t seed, struct instance *out, struct message *why);

#endif
