/* A page of lesson words with every kind of block and span, for tests of the page's drawing. */
#ifndef SUPPORT_SAMPLE_PAGE_H
#define SUPPORT_SAMPLE_PAGE_H

#include <string.h>

#include "shardlab/base/document.h"
#include "shardlab/ui/draw.h"

static const struct span sample_spans[] = {
    {SPAN_PLAIN, "Adam keeps ", NULL},
    {SPAN_STRONG, "three", NULL},
    {SPAN_PLAIN, " numbers: {{bytes}} against {{unknown}}, see ", NULL},
    {SPAN_CODE, "--zero 1", NULL},
    {SPAN_PLAIN, ".", NULL},
    {SPAN_PLAIN, "Move Data ranks to 64. The optimizer falls.", NULL},
    {SPAN_EMPHASIS, "Look", NULL},
    {SPAN_PLAIN, " at the total.", NULL},
    {SPAN_PLAIN, "ZeRO-1 saves 4×, they say, whatever the number of ranks.", NULL},
    {SPAN_PLAIN, "In short", NULL},
    {SPAN_CODE, "shardlab mem --zero 1", NULL},
    {SPAN_CODE, "  --dp 8", NULL},
    {SPAN_LINK, "ZeRO in full", "lesson:zero"},
    {SPAN_PLAIN, "   ", NULL},
    {SPAN_LINK, "Where 16, 18 and 20 bytes come from", "lesson:bytes"},
};

static const struct block sample_blocks[] = {
    {BLOCK_PARAGRAPH, 0, 5}, {BLOCK_ITEM, 5, 1},  {BLOCK_ITEM, 6, 2},       {BLOCK_QUOTE, 8, 1},
    {BLOCK_HEADING, 9, 1},   {BLOCK_CODE, 10, 2}, {BLOCK_PARAGRAPH, 12, 3},
};

static const struct page sample_pages[] = {{"Optimizer states", 0, 7, 1}, {"空白页", 7, 0, 9}};

static const struct document sample_document = {
    .pages = sample_pages,
    .blocks = sample_blocks,
    .spans = sample_spans,
    .page_count = 2,
    .block_count = 7,
    .span_count = 15,
};

static inline bool sample_figure(void *context, const char *name, struct writer *out) {
    (void)context;
    if (strcmp(name, "bytes") != 0) {
        return false;
    }
    writer_text(out, "12 bytes");
    return true;
}

static const struct ui_expand sample_expand = {.write = sample_figure, .found = -1};

#endif
