/* Words that are read: pages of blocks of spans, parsed from a lesson's Markdown by `store` (md4c) and laid
 * out by `ui`. Everything is borrowed from the store's arena; text is valid UTF-8 without control characters.
 * A page starts at each level-1 heading, which is its title and is not repeated among its blocks.
 * A span's text may hold {{name}}: a figure that the lesson computes at display time. */
#ifndef BASE_DOCUMENT_H
#define BASE_DOCUMENT_H

enum span_kind { SPAN_PLAIN, SPAN_STRONG, SPAN_EMPHASIS, SPAN_CODE, SPAN_LINK };

struct span {
    enum span_kind kind;
    const char *text;
    const char *target; /* SPAN_LINK: "lesson:zero" or "glossary:shard"; else NULL */
};

enum block_kind {
    BLOCK_HEADING, /* level 2 and below */
    BLOCK_PARAGRAPH,
    BLOCK_ITEM,  /* list item: a thing to do ("▸ Move Data ranks to 64.") */
    BLOCK_QUOTE, /* what is often said, before its limit */
    BLOCK_CODE,  /* preformatted lines, one span a line */
};

struct block {
    enum block_kind kind;
    int first_span, span_count;
};

struct page {
    const char *title;
    int first_block, block_count;
    int line; /* where the page starts in its file, 1-based, for messages */
};

struct document {
    const struct page *pages;
    const struct block *blocks;
    const struct span *spans;
    int page_count, block_count, span_count;
};

#endif
