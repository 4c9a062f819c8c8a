/* The option that somebody meant: the edit distance between a misspelt word and every name of the table. Called by cli
 * for its errors. Proof: tests/unit/calc/test_option.c. */
#include <string.h>

#include "shardlab/base/near.h"
#include "shardlab/calc/option.h"

const char *calc_option_nearest(const char *name, size_t length) {
    const char *best = NULL;
    int best_distance = 3; /* more than two slips is another word */
    for (int i = 0; i < calc_option_count(); i++) {
        const char *other = calc_option_at(i)->name;
        int distance = near_distance(name, length, other);
        /* "--xy" and "--dp" have no letter in common: that is not near */
        if (distance < best_distance && distance < (int)strlen(other)) {
            best_distance = distance;
            best = other;
        }
    }
    return best;
}
