/* What a sitting's choice of cards and its course share. Nothing is owned. */
#ifndef SITTING_PRIVATE_H
#define SITTING_PRIVATE_H

#include "shardlab/learn/sitting.h"

/* A card at the end of the queue, with numbers of its own; there must be room. */
void sitting_append(struct sitting *s, const struct question *const *questions, int question);

/* What the budget still leaves today; so many answered cards do not count for it. */
struct sitting_room {
    int cards, new_cards; /* of them new */
};
struct sitting_room sitting_room_of(const struct history_input *in, const struct card *cards,
                                    const struct sitting_room *besides);

/* Whether a question of the family was answered today; NULL is none. */
bool sitting_family_asked(const struct history_input *in, const struct card *cards,
                          const char *family);

#endif
