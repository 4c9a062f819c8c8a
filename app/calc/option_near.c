/* The option that somebody meant: the edit distance between a misspelt word and every name of the table. Called by cli
 * for its errors. Proof: tests/unit/calc/test_option.c. */
#include <string.h>

#include "shardlab/calc/option.h"

const char *calc_option_nearest(const char *name, size_t length) {
    const char *best = NULL;
    int best_distance = 3; /* more than two slips is another word */
    for (int i = 0; i < calc_option_count(); i++) {
        const char *other = calc_option_at(i)->name;
        size_t other_length = strlen(other);
        int row[32];
        if (length > 30 || other_length > 30) {
            continue;
        }
        for (size_t b = 0; b <= other_length; b++) {
            row[b] = (int)b;
        }
        for (size_t a = 1; a <= length; a++) {
            int corner = row[0];
            row[0] = (int)a;
            for (size_t b = 1; b <= other_length; b++) {
                int above = row[b];
                int replace = corner + (name[a - 1] == other[b - 1] ? 0 : 1);
                int insert = (above < row[b - 1] ? above : row[b - 1]) + 1;
                row[b] = replace < insert ? replace : insert;
                corner = above;
            }
        }
        /* "--xy" and "--dp" have no letter in common: that is not near */
        if (row[other_length] < best_distance && row[other_length] < (int)other_length) {
            best_distance = row[other_length];
            best = other;
        }
    }
    return best;
}
