/* Builds a document piece by piece. md4c reports Markdown as it goes, in pieces of its own
 * choosing; here they become pages, blocks and spans: equal neighbours are joined, control
 * characters dropped, and a line break in the source becomes a space or nothing, as Chinese and
 * English need. The draft grows by realloc and belongs to markdown.c; draft_finish copies it into
 * the store's arena, where it stays. A lack of memory is remembered and asked once, at the end.
 * Proof: tests/unit/store/test_markdown.c. */
#include "markdown_private.h"

#include <stdlib.h>
#include <string.h>

enum { TAB_COLS = 4 };

void draft_start(struct draft *d) {
    *d = (struct draft){
        .text.size = 1,
        .kept.size = 1,
        .spans.size = sizeof(struct draft_span),
        .blocks.size = sizeof(struct block),
        .pages.size = sizeof(struct draft_page),
    };
}

void draft_free(struct draft *d) {
    free(d->text.items);
    free(d->kept.items);
    free(d->spans.items);
    free(d->blocks.items);
    free(d->pages.items);
    draft_start(d);
}

/* Room for `count` more items at the end; NULL (and remembered) without memory. */
static void *list_add(struct draft *d, struct draft_list *list, size_t count) {
    if (list->count + count > list->capacity) {
        size_t capacity = (list->count + count) * 2;
        void *grown = realloc(list->items, capacity * list->size);
        if (grown == NULL) {
            d->memory_failed = true;
            return NULL;
        }
        list->items = grown;
        list->capacity = capacity;
    }
    void *added = (char *)list->items + list->count * list->size;
    list->count += count;
    return added;
}

static void bytes_add(struct draft *d, struct draft_list *list, const char *bytes, size_t length) {
    char *added = list_add(d, list, length);
    if (added != NULL) {
        memcpy(added, bytes, length);
    }
}

static void text_add(struct draft *d, const char *text, size_t length) {
    bytes_add(d, &d->text, text, length);
}

static struct block *last_block(const struct draft *d) {
    return (struct block *)d->blocks.items + d->blocks.count - 1;
}

static struct draft_span *last_span(const struct draft *d) {
    return (struct draft_span *)d->spans.items + d->spans.count - 1;
}

/* --- Blocks ----------------------------------------------------------------------------------- */

void draft_block(struct draft *d, enum block_kind kind) {
    draft_block_close(d);
    struct block *block = list_add(d, &d->blocks, 1);
    if (block != NULL) {
        *block = (struct block){.kind = kind, .first_span = (int)d->spans.count};
        d->block_open = true;
    }
}

void draft_block_close(struct draft *d) {
    if (d->block_open && last_block(d)->span_count == 0) {
        d->blocks.count--;
    }
    d->block_open = false;
    d->span_open = false;
    d->break_pending = false;
    d->last_char = 0;
}

static void span_add(struct draft *d, enum span_kind kind, size_t target) {
    struct draft_span *span = list_add(d, &d->spans, 1);
    if (span != NULL) {
        *span = (struct draft_span){.kind = kind, .start = d->text.count, .target = target};
        last_block(d)->span_count++;
        d->span_open = true;
    }
}

void draft_span_close(struct draft *d) {
    d->span_open = false;
}

/* --- Line breaks ------------------------------------------------------------------------------ */

/* Chinese, Japanese and Korean letters: written without spaces between them. */
static bool is_cjk(uint32_t c) {
    return (c >= 0x2E80 && c <= 0x2FFF) || (c >= 0x3040 && c <= 0xA4CF) ||
           (c >= 0xAC00 && c <= 0xD7A3) || (c >= 0xF900 && c <= 0xFAFF) ||
           (c >= 0x20000 && c <= 0x3FFFF);
}

/* Full-width punctuation, which brings its own space. */
static bool is_wide_punctuation(uint32_t c) {
    return (c >= 0x3000 && c <= 0x303F) || (c >= 0xFF00 && c <= 0xFFEF);
}

/* Quotation marks, dash and ellipsis: Chinese beside Chinese, Latin beside Latin. */
static bool is_shared_punctuation(uint32_t c) {
    return (c >= 0x2014 && c <= 0x201D) || c == 0x2026;
}

static bool break_is_space(uint32_t before, uint32_t after) {
    if (is_wide_punctuation(before) || is_wide_punctuation(after)) {
        return false;
    }
    bool joined = (is_cjk(before) || is_shared_punctuation(before)) &&
                  (is_cjk(after) || is_shared_punctuation(after)) &&
                  (is_cjk(before) || is_cjk(after));
    return !joined;
}

void draft_break(struct draft *d) {
    d->break_pending = true;
}

/* Writes the space that a line break stands for, if any: into plain text, on whichever side that
 * is. */
static void break_write(struct draft *d, enum span_kind kind, uint32_t next) {
    d->break_pending = false;
    if (d->last_char == 0 || !break_is_space(d->last_char, next)) {
        return;
    }
    bool before_is_plain = last_span(d)->kind == SPAN_PLAIN;
    if (!d->span_open && before_is_plain) {
        d->span_open = true; /* nothing was written since: the last span can still grow */
    }
    if (!d->span_open || (last_span(d)->kind != kind && !before_is_plain)) {
        span_add(d, SPAN_PLAIN, 0);
    }
    text_add(d, " ", 1);
    last_span(d)->length++;
}

/* --- Text ------------------------------------------------------------------------------------- */

static bool is_control(uint32_t c) {
    return c < 0x20 || (c >= 0x7F && c <= 0x9F);
}

static void span_ensure(struct draft *d, enum span_kind kind, size_t target) {
    if (!d->span_open || last_span(d)->kind != kind) {
        span_add(d, kind, target);
    }
}

void draft_text(struct draft *d, enum span_kind kind, size_t target, const char *text,
                size_t length) {
    for (size_t at = 0; at < length && d->block_open && !d->memory_failed;) {
        uint32_t c = 0;
        size_t bytes = utf8_decode(text + at, length - at, &c);
        const char *from = text + at;
        at += bytes > 0 ? bytes : 1;
        if (bytes == 0 || (is_control(c) && c != '\t')) {
            continue;
        }
        if (d->break_pending) {
            break_write(d, kind, c);
        }
        span_ensure(d, kind, target);
        if (d->memory_failed) {
            return;
        }
        text_add(d, c == '\t' ? " " : from, bytes);
        last_span(d)->length += bytes;
        d->last_char = c;
    }
}

void draft_code_line(struct draft *d, const char *text, size_t length) {
    if (!d->block_open) {
        return;
    }
    span_add(d, SPAN_CODE, 0);
    for (size_t at = 0; at < length && !d->memory_failed;) {
        uint32_t c = 0;
        size_t bytes = utf8_decode(text + at, length - at, &c);
        size_t before = d->text.count;
        if (bytes > 0 && c == '\t') {
            text_add(d, "    ", TAB_COLS);
        } else if (bytes > 0 && !is_control(c)) {
            text_add(d, text + at, bytes);
        }
        last_span(d)->length += d->text.count - before;
        at += bytes > 0 ? bytes : 1;
    }
    draft_span_close(d);
}

size_t draft_keep(struct draft *d, const char *text, size_t length) {
    size_t offset = d->kept.count;
    for (size_t at = 0; at < length;) {
        uint32_t c = 0;
        size_t bytes = utf8_decode(text + at, length - at, &c);
        if (bytes > 0 && !is_control(c)) {
            bytes_add(d, &d->kept, text + at, bytes);
        }
        at += bytes > 0 ? bytes : 1;
    }
    bytes_add(d, &d->kept, "", 1);
    return offset;
}

/* --- Pages ------------------------------------------------------------------------------------ */

void draft_page_from_block(struct draft *d, int line) {
    struct draft_page *page = list_add(d, &d->pages, 1);
    if (page == NULL || d->memory_failed || !d->block_open) {
        return;
    }
    struct block *block = last_block(d);
    size_t first = (size_t)block->first_span;
    const struct draft_span *spans = d->spans.items;
    *page = (struct draft_page){.title = d->text.count, .line = line};
    for (size_t i = first; i < d->spans.count; i++) {
        size_t length = spans[i].length;
        char *added = list_add(d, &d->text, length);
        if (added == NULL) {
            return;
        }
        memcpy(added, (char *)d->text.items + spans[i].start, length);
        page->title_length += length;
    }
    d->spans.count = first;
    block->span_count = 0;
    draft_block_close(d);
    page->first_block = d->blocks.count;
}

bool draft_has_page(const struct draft *d) {
    return d->pages.count > 0;
}

static bool spans_copy(const struct draft *d, struct store_arena *arena, struct document *out) {
    struct span *spans = store_arena_alloc(arena, sizeof *spans * d->spans.count);
    const char *text = d->text.items;
    const struct draft_span *from = d->spans.items;
    for (size_t i = 0; spans != NULL && i < d->spans.count; i++) {
        const char *copy =
            store_arena_text(arena, from[i].length > 0 ? text + from[i].start : "", from[i].length);
        const char *target = NULL;
        if (from[i].kind == SPAN_LINK) {
            const char *kept = (const char *)d->kept.items + from[i].target;
            target = store_arena_text(arena, kept, strlen(kept));
        }
        if (copy == NULL || (from[i].kind == SPAN_LINK && target == NULL)) {
            return false;
        }
        spans[i] = (struct span){from[i].kind, copy, target};
    }
    out->spans = spans;
    out->span_count = (int)d->spans.count;
    return spans != NULL;
}

static bool blocks_copy(const struct draft *d, struct store_arena *arena, struct document *out) {
    struct block *blocks = store_arena_alloc(arena, sizeof *blocks * d->blocks.count);
    if (blocks != NULL && d->blocks.count > 0) {
        memcpy(blocks, d->blocks.items, sizeof *blocks * d->blocks.count);
    }
    out->blocks = blocks;
    out->block_count = (int)d->blocks.count;
    return blocks != NULL;
}

static bool pages_copy(const struct draft *d, struct store_arena *arena, struct document *out) {
    struct page *pages = store_arena_alloc(arena, sizeof *pages * d->pages.count);
    const struct draft_page *from = d->pages.items;
    for (size_t i = 0; pages != NULL && i < d->pages.count; i++) {
        size_t end = i + 1 < d->pages.count ? from[i + 1].first_block : d->blocks.count;
        const char *title = store_arena_text(
            arena, from[i].title_length > 0 ? (const char *)d->text.items + from[i].title : "",
            from[i].title_length);
        if (title == NULL) {
            return false;
        }
        pages[i] = (struct page){
            .title = title,
            .first_block = (int)from[i].first_block,
            .block_count = (int)(end - from[i].first_block),
            .line = from[i].line,
        };
    }
    out->pages = pages;
    out->page_count = (int)d->pages.count;
    return pages != NULL;
}

const struct document *draft_finish(const struct draft *d, struct store_arena *arena) {
    struct document *out = store_arena_alloc(arena, sizeof *out);
    bool done = out != NULL && !d->memory_failed && spans_copy(d, arena, out) &&
                blocks_copy(d, arena, out) && pages_copy(d, arena, out);
    return done ? out : NULL;
}
