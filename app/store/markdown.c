/* Lesson words: Markdown as any editor shows it, read by md4c event by event into pages, blocks and
 * spans (base/document.h). Kept: headings, paragraphs, lists, quotes, code, strong, emphasis,
 * links, entities. Nesting is flattened: the text of a list item inside a quote is an item, bold
 * inside a link is a link; numbers of ordered lists and horizontal rules are left out. What a
 * terminal page cannot show (tables, images, raw HTML) and words before the first page title are
 * refused with FILE:LINE:COLUMN, so that an author hears of it at once. The text is the caller's, the
 * document the store's. Proof: tests/unit/store/test_markdown.c. */
#include "markdown_private.h"

#include <md4c.h>
#include <stdlib.h>
#include <string.h>

struct reading {
    const struct store_markdown_source *source;
    size_t seen; /* offset of the last text that md4c reported: where we are */
    struct draft draft;
    const char *fault; /* message id; reported at the next text that has a place */
    int quotes, items; /* how deep inside */
    bool item_fresh;   /* nothing was written into this item yet */
    bool in_title, in_code;
    int strong, emphasis, code, links;
    size_t target; /* of the outermost link */
    struct draft_list code_text;
};

static int line_at(const struct reading *r, size_t offset) {
    int line = 1;
    for (size_t i = 0; i < offset; i++) {
        line += r->source->text[i] == '\n' ? 1 : 0;
    }
    return line;
}

/* Remembers the first fault and lets md4c go on until it names a place. */
static void fault_set(struct reading *r, const char *id) {
    if (r->fault == NULL) {
        r->fault = id;
    }
}

/* --- Blocks ----------------------------------------------------------------------------------- */

static void paragraph_open(struct reading *r) {
    enum block_kind kind = BLOCK_PARAGRAPH;
    if (r->items > 0 && r->item_fresh) {
        kind = BLOCK_ITEM;
        r->item_fresh = false;
    } else if (r->quotes > 0) {
        kind = BLOCK_QUOTE;
    }
    draft_block(&r->draft, kind);
}

static int enter_block(MD_BLOCKTYPE type, void *detail, void *userdata) {
    struct reading *r = userdata;
    switch (type) {
    case MD_BLOCK_QUOTE:
        r->quotes++;
        break;
    case MD_BLOCK_UL:
    case MD_BLOCK_OL:
        draft_block_close(&r->draft);
        break;
    case MD_BLOCK_LI:
        draft_block_close(&r->draft);
        r->items++;
        r->item_fresh = true;
        break;
    case MD_BLOCK_H:
        r->in_title = ((MD_BLOCK_H_DETAIL *)detail)->level == 1 && r->quotes + r->items == 0;
        draft_block(&r->draft, BLOCK_HEADING);
        break;
    case MD_BLOCK_CODE:
        r->in_code = true;
        r->code_text.count = 0;
        draft_block(&r->draft, BLOCK_CODE);
        break;
    case MD_BLOCK_P:
        paragraph_open(r);
        break;
    case MD_BLOCK_HTML:
        fault_set(r, "error.lesson.html");
        break;
    case MD_BLOCK_TABLE:
        fault_set(r, "error.lesson.table");
        break;
    default:
        break;
    }
    return 0;
}

static void code_close(struct reading *r) {
    const char *text = r->code_text.items;
    size_t length = r->code_text.count;
    for (size_t at = 0; at < length;) {
        const char *end = memchr(text + at, '\n', length - at);
        size_t line = end != NULL ? (size_t)(end - (text + at)) : length - at;
        draft_code_line(&r->draft, text + at, line);
        at += line + 1;
    }
    r->in_code = false;
    draft_block_close(&r->draft);
}

static int leave_block(MD_BLOCKTYPE type, void *detail, void *userdata) {
    struct reading *r = userdata;
    (void)detail;
    switch (type) {
    case MD_BLOCK_QUOTE:
        r->quotes--;
        break;
    case MD_BLOCK_LI:
        r->items--;
        r->item_fresh = false;
        draft_block_close(&r->draft);
        break;
    case MD_BLOCK_H:
        if (r->in_title) {
            draft_page_from_block(&r->draft, line_at(r, r->seen));
        }
        r->in_title = false;
        draft_block_close(&r->draft);
        break;
    case MD_BLOCK_CODE:
        code_close(r);
        break;
    case MD_BLOCK_P:
        draft_block_close(&r->draft);
        break;
    default:
        break;
    }
    return 0;
}

/* --- Spans ------------------------------------------------------------------------------------ */

static int enter_span(MD_SPANTYPE type, void *detail, void *userdata) {
    struct reading *r = userdata;
    draft_span_close(&r->draft);
    switch (type) {
    case MD_SPAN_EM:
        r->emphasis++;
        break;
    case MD_SPAN_STRONG:
        r->strong++;
        break;
    case MD_SPAN_CODE:
        r->code++;
        break;
    case MD_SPAN_A:
        if (r->links++ == 0) {
            const MD_SPAN_A_DETAIL *link = detail;
            r->target = draft_keep(&r->draft, link->href.text, link->href.size);
        }
        break;
    case MD_SPAN_IMG:
        fault_set(r, "error.lesson.image");
        break;
    default:
        break;
    }
    return 0;
}

static int leave_span(MD_SPANTYPE type, void *detail, void *userdata) {
    struct reading *r = userdata;
    (void)detail;
    draft_span_close(&r->draft);
    switch (type) {
    case MD_SPAN_EM:
        r->emphasis--;
        break;
    case MD_SPAN_STRONG:
        r->strong--;
        break;
    case MD_SPAN_CODE:
        r->code--;
        break;
    case MD_SPAN_A:
        r->links--;
        break;
    default:
        break;
    }
    return 0;
}

static enum span_kind span_kind_now(const struct reading *r) {
    return r->links > 0      ? SPAN_LINK
           : r->code > 0     ? SPAN_CODE
           : r->strong > 0   ? SPAN_STRONG
           : r->emphasis > 0 ? SPAN_EMPHASIS
                             : SPAN_PLAIN;
}

/* --- Text ------------------------------------------------------------------------------------- */

/* "&amp;", "&#8212;", "&#x2014;" as a code point; 0: not one we know. */
static uint32_t entity_code_point(const char *text, size_t length) {
    static const struct {
        const char *name;
        uint32_t code_point;
    } names[] = {
        {"&amp;", '&'},       {"&lt;", '<'},       {"&gt;", '>'},       {"&quot;", '"'},
        {"&apos;", '\''},     {"&nbsp;", 0xA0},    {"&times;", 0xD7},   {"&middot;", 0xB7},
        {"&hellip;", 0x2026}, {"&ndash;", 0x2013}, {"&mdash;", 0x2014}, {"&rarr;", 0x2192},
        {"&larr;", 0x2190},   {"&le;", 0x2264},    {"&ge;", 0x2265},    {"&ne;", 0x2260},
    };
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        if (strlen(names[i].name) == length && memcmp(names[i].name, text, length) == 0) {
            return names[i].code_point;
        }
    }
    if (length < 4 || text[1] != '#') {
        return 0;
    }
    bool hexadecimal = text[2] == 'x' || text[2] == 'X';
    /* md4c lets at most seven digits through, and a ';' ends them. */
    unsigned long value = strtoul(text + (hexadecimal ? 3 : 2), NULL, hexadecimal ? 16 : 10);
    return value > 0 && value <= 0x10FFFF ? (uint32_t)value : 0xFFFD;
}

static void entity_add(struct reading *r, const char *text, size_t length) {
    char buffer[8];
    uint32_t code_point = entity_code_point(text, length);
    if (code_point != 0) {
        struct writer w;
        writer_start(&w, buffer, sizeof buffer);
        writer_code_point(&w, code_point);
        text = w.bytes;
        length = w.length;
    }
    draft_text(&r->draft, span_kind_now(r), r->target, text, length);
}

/* Text of a tight list item comes without a paragraph around it. */
static void item_ensure(struct reading *r) {
    if (!r->draft.block_open) {
        paragraph_open(r);
    }
}

static void code_add(struct reading *r, const char *text, size_t length) {
    struct draft_list *list = &r->code_text;
    if (list->count + length > list->capacity) {
        size_t capacity = (list->count + length) * 2;
        void *grown = realloc(list->items, capacity);
        if (grown == NULL) {
            r->draft.memory_failed = true;
            return;
        }
        list->items = grown;
        list->capacity = capacity;
    }
    memcpy((char *)list->items + list->count, text, length);
    list->count += length;
}

/* Most texts point into the source; md4c keeps a few (line breaks, indentation) elsewhere. */
static void place_update(struct reading *r, const char *text) {
    uintptr_t at = (uintptr_t)text;
    uintptr_t start = (uintptr_t)r->source->text;
    if (at >= start && at < start + r->source->length) {
        r->seen = (size_t)(at - start);
        if (!r->in_title && !draft_has_page(&r->draft)) {
            fault_set(r, "error.lesson.before_title");
        }
    }
}

static int text_report(MD_TEXTTYPE type, const MD_CHAR *text, MD_SIZE size, void *userdata) {
    struct reading *r = userdata;
    place_update(r, text);
    if (type == MD_TEXT_HTML) {
        fault_set(r, "error.lesson.html");
    }
    if (r->fault != NULL) {
        return -1; /* md4c goes on after anything that is not negative */
    }
    if (r->in_code) {
        code_add(r, text, size);
        return 0;
    }
    item_ensure(r);
    switch (type) {
    case MD_TEXT_BR:
    case MD_TEXT_SOFTBR:
        draft_break(&r->draft);
        break;
    case MD_TEXT_ENTITY:
        entity_add(r, text, size);
        break;
    default:
        draft_text(&r->draft, span_kind_now(r), r->target, text, size);
        break;
    }
    return 0;
}

/* --- The whole -------------------------------------------------------------------------------- */

/* What md4c's verdict and our own findings come to. */
static enum status reading_check(const struct reading *r, int parsed, struct message *why) {
    if (r->fault != NULL) {
        return store_fail_at(why, r->fault, r->source->name,
                             store_place_at(r->source->text, r->source->length, r->seen));
    }
    if (parsed != 0) {
        return store_fail(why, "error.lesson.markdown", r->source->name);
    }
    const struct store_place top = {1, 1};
    return draft_has_page(&r->draft)
               ? STATUS_OK
               : store_fail_at(why, "error.lesson.no_page", r->source->name, top);
}

enum status store_markdown(struct store *s, const struct store_markdown_source *source,
                           const struct document **out, struct message *why) {
    static const MD_PARSER parser = {
        .flags = MD_FLAG_TABLES,
        .enter_block = enter_block,
        .leave_block = leave_block,
        .enter_span = enter_span,
        .leave_span = leave_span,
        .text = text_report,
    };
    if (source->length > STORE_FILE_BYTES_MAX) {
        (void)store_fail(why, "error.file.large", source->name);
        message_add_count(why, STORE_FILE_BYTES_MAX);
        return STATUS_FAILED;
    }
    enum status status = store_text_check(source->name, source->text, source->length, why);
    if (status != STATUS_OK) {
        return status;
    }
    struct reading r = {.source = source, .code_text.size = 1};
    draft_start(&r.draft);
    int parsed = md_parse(source->text, (MD_SIZE)source->length, &parser, &r);
    status = reading_check(&r, parsed, why);
    if (status == STATUS_OK) {
        *out = draft_finish(&r.draft, &s->arena);
        status = *out != NULL ? STATUS_OK : store_fail_memory(why);
    }
    draft_free(&r.draft);
    free(r.code_text.items);
    return status;
}
