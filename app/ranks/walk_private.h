/* One rank on its way through a step list: what every executor does alike with the elements, so that all of them give the
 * same bits. app/ranks only. */
#ifndef WALK_PRIVATE_H
#define WALK_PRIVATE_H

#include "shardlab/ranks/collective.h"

/* `open` is the span whose sum is kept in fp32, at the same place of call->sums. */
struct walk {
    const struct ranks_call *call;
    struct ranks_passed *passed;
    uint32_t self;
    bool open;
    uint64_t first, count;
};

/* Where the pieces of one message go. */
struct walk_target {
    const struct ranks_call *call;
    unsigned char *into;
    float *sums;
};

unsigned char *walk_element(void *buffer, const struct ranks_call *call, uint64_t at);
/* The kept sum goes back into the buffer, rounded: before that is sent or written, and at the end. */
void walk_close(struct walk *w);
/* Notes the round of a step that is not KEEP; true if it is a new one. */
bool walk_round(struct walk *w, const struct coll_step *s);
/* Gets ready for the message of a receiving step; the sink then takes it, as long as *target lives. */
void walk_receive(struct walk *w, const struct coll_step *s, struct walk_target *target,
                  struct ranks_sink *sink);
/* COLL_KEEP. */
void walk_keep(const struct walk *w, const struct coll_step *s);

#endif
