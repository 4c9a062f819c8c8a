/* The edit distance (Levenshtein), a row of the table at a time. Called for misspelt options and formats; the ids of
 * models and cards are weighed otherwise (app/store/rows.c). Pure. Proof: tests/unit/base/test_near.c. */
#include "shardlab/base/near.h"

#include <string.h>

static int least(int a, int b) {
    return a < b ? a : b;
}

int near_distance(const char *a, size_t length, const char *b) {
    int row[NEAR_BYTES_MAX + 1];
    size_t width = strlen(b);
    if (length > NEAR_BYTES_MAX || width > NEAR_BYTES_MAX) {
        return NEAR_FAR;
    }
    for (size_t i = 0; i <= width; i++) {
        row[i] = (int)i;
    }
    for (size_t at = 0; at < length; at++) {
        int corner = row[0];
        row[0] = (int)at + 1;
        for (size_t i = 1; i <= width; i++) {
            int changed = corner + (a[at] == b[i - 1] ? 0 : 1);
            corner = row[i];
            row[i] = least(changed, least(row[i], row[i - 1]) + 1);
        }
    }
    return row[width];
}
