/* Ranks as threads of this process. Proof: tests/unit/ranks/test_run.c, also under the thread sanitizer. */
#define _POSIX_C_SOURCE 200809L
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>

#include "run_private.h"

struct life {
    pthread_t thread;
    struct world *world;
    const struct ranks_body *body;
    uint32_t rank;
};

static void *live(void *argument) {
    struct life *life = argument;
    (void)rank_live(life->world, life->rank, life->body);
    return NULL;
}

static void not_started(struct world *w, uint32_t rank, int error) {
    struct verdict v = {.end = RANKS_END_START, .rank = rank, .a = (uint64_t)error};
    (void)world_end(w, &v);
}

void threads_run(struct world *w, const struct ranks_body *body) {
    uint32_t started = 0, ranks = w->options.ranks;
    struct life *lives = calloc(ranks, sizeof *lives);
    if (lives == NULL) {
        not_started(w, 0, ENOMEM);
        return;
    }
    for (; started < ranks; started++) {
        struct life *life = &lives[started];
        *life = (struct life){.world = w, .body = body, .rank = started};
        int error = pthread_create(&life->thread, NULL, live, life);
        if (error != 0) {
            not_started(w, started, error);
            break;
        }
    }
    for (uint32_t r = 0; r < started; r++) {
        (void)pthread_join(lives[r].thread, NULL);
    }
    free(lives);
}
