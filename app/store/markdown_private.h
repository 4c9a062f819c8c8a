/* A document while it is being read: text, spans, blocks and pages that grow, with offsets instead
 * of pointers. markdown.c fills it from md4c's events, document.c keeps it in order and turns it
 * into a struct document. */
#ifndef STORE_MARKDOWN_PRIVATE_H
#define STORE_MARKDOWN_PRIVATE_H

#include "store_private.h"

/* A growing array of anything. */
struct draft_list {
    void *items;
    size_t size; /* of one item */
    size_t count, capacity;
};

struct draft_span {
    enum span_kind kind;
    size_t start, length; /* in the draft's text */
    size_t target; /* of a link: what draft_keep returned; read only when kind is SPAN_LINK */
};

struct draft_page {
    size_t title, title_length;
    size_t first_block;
    int line;
};

struct draft {
    struct draft_list text, spans, blocks, pages;
    struct draft_list kept; /* targets of links, each with its NUL */
    bool block_open;
    bool break_pending; /* a line break was read; the next character decides what it becomes */
    uint32_t last_char; /* of the open block; 0: none yet */
    bool span_open;     /* more text of the same kind joins the last span */
    bool memory_failed;
};

void draft_start(struct draft *d);
void draft_free(struct draft *d);

/* A block begins; its spans follow. The one before is closed; without text it is dropped. */
void draft_block(struct draft *d, enum block_kind kind);
void draft_block_close(struct draft *d);
/* Text in the open block, as part of a span of this kind. Control characters are dropped. `target`
 * is an offset from draft_keep, for links. */
void draft_text(struct draft *d, enum span_kind kind, size_t target, const char *text,
                size_t length);
/* The lines of a code block: each becomes a span, also an empty one. */
void draft_code_line(struct draft *d, const char *text, size_t length);
/* A line break inside a block: a space, but nothing between Chinese characters. */
void draft_break(struct draft *d);
/* The next text starts a new span even if its kind is the same (two links side by side). */
void draft_span_close(struct draft *d);
/* Keeps a NUL-terminated copy without control characters; returns its offset. */
size_t draft_keep(struct draft *d, const char *text, size_t length);

/* The open block becomes the title of a new page. */
void draft_page_from_block(struct draft *d, int line);
bool draft_has_page(const struct draft *d);

/* A copy in the arena; NULL when there is no memory. */
const struct document *draft_finish(const struct draft *d, struct store_arena *arena);

#endif
