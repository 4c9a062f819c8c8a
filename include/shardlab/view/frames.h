/* Messages between ranks, one round a frame: who holds whose part of which chunk, what has just moved, how much each rank
 * has sent. Filled by whoever walks the step lists of a collective; the view only shows. As many chunks as ranks. */
#ifndef VIEW_FRAMES_H
#define VIEW_FRAMES_H

#include <stdbool.h>
#include <stdint.h>

#include "shardlab/base/message.h"

enum { VIEW_FRAMES_RANKS_MAX = 16, VIEW_FRAMES_MESSAGES_MAX = 256 };

/* One message of the round. */
struct view_frames_message {
    uint16_t from, to;
    uint16_t first_chunk, chunk_count; /* chunks that hold elements */
    bool adds;                         /* combined with what is there; false: takes its place */
    uint64_t bytes;
};

struct view_frames {
    struct message title; /* "ring all-reduce" */
    int ranks;            /* 1 … VIEW_FRAMES_RANKS_MAX */
    int round, rounds;    /* what is shown is after `round` rounds; 0: nothing has moved */
    struct message phase; /* what this round belongs to: "reduce-scatter" */
    uint64_t chunk_elements[VIEW_FRAMES_RANKS_MAX];
    /* [rank][chunk]: bit i, the part of rank i is in; 0: nothing is there */
    uint16_t holds[VIEW_FRAMES_RANKS_MAX][VIEW_FRAMES_RANKS_MAX];
    uint16_t whole[VIEW_FRAMES_RANKS_MAX]; /* [chunk]: what the result is */
    uint16_t sent[VIEW_FRAMES_RANKS_MAX],
        received[VIEW_FRAMES_RANKS_MAX]; /* [rank]: bit c, in this round */
    int message_count;
    struct view_frames_message messages[VIEW_FRAMES_MESSAGES_MAX];
    uint64_t sent_bytes[VIEW_FRAMES_RANKS_MAX];      /* counted on the steps so far */
    uint64_t predicted_bytes[VIEW_FRAMES_RANKS_MAX]; /* of the whole, by the closed form */
    struct message remark;
};

#endif
