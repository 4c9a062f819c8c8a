/* All makers of all lessons, and how often a test draws from one. Header-only. */
#ifndef LESSONS_MAKERS_SUPPORT_H
#define LESSONS_MAKERS_SUPPORT_H

#include <check.h>

#include "shardlab/lesson/lesson.h"
#include "support/sanitized.h"

/* Seeds of a generator; a maker whose numbers never change is asked once. */
enum { MAKER_SEEDS = SANITIZED ? 20 : 200 };

/* The maker that stands at `index` among those of all lessons; NULL: there are no more. */
static inline const struct instance_entry *maker_at(int index, const struct lesson **lesson) {
    for (int i = 0; i < lesson_count(); i++) {
        *lesson = lesson_at(i);
        if (index < (*lesson)->maker_count) {
            return &(*lesson)->makers[index];
        }
        index -= (*lesson)->maker_count;
    }
    return NULL;
}

static inline void maker_run(const struct instance_entry *maker, uint64_t seed,
                             struct instance *out) {
    struct message why = {0};
    instance_start(out, seed);
    ck_assert_msg(maker->make(seed, out, &why) == STATUS_OK, "%s, seed %llu: %s", maker->question,
                  (unsigned long long)seed, why.id == NULL ? "no reason" : why.id);
}

static inline int maker_seeds(const struct instance_entry *maker) {
    return maker->varies ? MAKER_SEEDS : 1;
}

#endif
