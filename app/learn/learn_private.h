/* What the files of this room share. Nothing is owned. */
#ifndef LEARN_PRIVATE_H
#define LEARN_PRIVATE_H

#include <stdint.h>

/* FNV-1a of an id: for tables, and so that what is drawn for one question is not drawn for the next. */
static inline uint64_t learn_hash(const char *id) {
    uint64_t h = 0xcbf29ce484222325U;
    for (; *id != '\0'; id++) {
        h = (h ^ (unsigned char)*id) * 0x100000001b3U;
    }
    return h;
}

#endif
