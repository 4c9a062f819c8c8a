/* Memory for everything that the store reads. Presets, texts and lessons are read once and live as
 * long as the store, so single pieces are never given back: they are cut from large blocks, and
 * store_close frees the blocks. A piece that is larger than a block gets a block of its own. The
 * store owns all of it. Proof: tests/unit/store/test_store.c, under the leak checker. */
#include "store_private.h"

#include <stdlib.h>
#include <string.h>

enum { BLOCK_BYTES = 64 * 1024 };

struct store_arena_block {
    struct store_arena_block *next;
    size_t used, size;
    max_align_t data[];
};

static struct store_arena_block *block_add(struct store_arena *arena, size_t size) {
    struct store_arena_block *block = calloc(1, sizeof *block + size);
    if (block == NULL) {
        return NULL;
    }
    block->size = size;
    block->next = arena->blocks;
    arena->blocks = block;
    return block;
}

void *store_arena_alloc(struct store_arena *arena, size_t bytes) {
    const size_t unit = sizeof(max_align_t);
    if (bytes > SIZE_MAX / 2) {
        return NULL;
    }
    size_t wanted = (bytes / unit + 1) * unit;
    struct store_arena_block *block = arena->blocks;
    if (block == NULL || block->size - block->used < wanted) {
        block = block_add(arena, wanted > BLOCK_BYTES ? wanted : BLOCK_BYTES);
        if (block == NULL) {
            return NULL;
        }
    }
    void *piece = (char *)block->data + block->used;
    block->used += wanted;
    return piece;
}

char *store_arena_text(struct store_arena *arena, const char *text, size_t length) {
    char *copy = store_arena_alloc(arena, length + 1);
    if (copy != NULL && length > 0) {
        memcpy(copy, text, length);
    }
    return copy;
}

void store_arena_free(struct store_arena *arena) {
    while (arena->blocks != NULL) {
        struct store_arena_block *block = arena->blocks;
        arena->blocks = block->next;
        free(block);
    }
}
