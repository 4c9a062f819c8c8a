/* Cuts PyTorch's CSV dialect into cells and these into operations; knows nothing of placements or of what belongs
 * together. Used by csv.c. Proof: tests/unit/pipe/test_csv.c. */
#include <string.h>

#include "csv_private.h"

/* Numbers are cut off here, far above every limit, so that no digit can make one wrap. */
enum { NUMBER_MAX = 100000000 };

struct span {
    const char *at, *end;
};

static bool take(struct span *s, char c) {
    if (s->at == s->end || *s->at != c) {
        return false;
    }
    s->at++;
    return true;
}

static bool take_word(struct span *s, const char *word) {
    size_t length = strlen(word);
    if ((size_t)(s->end - s->at) < length || memcmp(s->at, word, length) != 0) {
        return false;
    }
    s->at += length;
    return true;
}

static bool take_number(struct span *s, uint32_t *out) {
    const char *start = s->at;
    uint32_t value = 0;
    while (s->at < s->end && *s->at >= '0' && *s->at <= '9') {
        value = value * 10 + (uint32_t)(*s->at++ - '0');
        value = value > NUMBER_MAX ? NUMBER_MAX : value;
    }
    *out = value;
    return s->at > start;
}

static const struct {
    const char *word; /* a longer one before what it begins with */
    enum csv_kind kind;
} words[] = {
    {"F", CSV_F},
    {"I", CSV_I},
    {"W", CSV_W},
    {"BW", CSV_BW},
    {"B", CSV_B},
    {"SEND_F", CSV_MESSAGE},
    {"SEND_B", CSV_MESSAGE},
    {"RECV_F", CSV_MESSAGE},
    {"RECV_B", CSV_MESSAGE},
    {"UNSHARD", CSV_MESSAGE},
    {"RESHARD", CSV_MESSAGE},
    {"REDUCE_GRAD", CSV_MESSAGE},
};

/* 3F0 */
static bool take_item(struct span *s, struct csv_item *item) {
    if (!take_number(s, &item->stage)) {
        return false;
    }
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        if (take_word(s, words[i].word)) {
            item->kind = words[i].kind;
            return take_number(s, &item->micro_batch) || item->kind == CSV_MESSAGE;
        }
    }
    return false;
}

/* (0F7;7B3)OVERLAP_F_B, or one item; all of the span. */
static bool cell_read(struct span s, struct csv_cell *cell) {
    bool pair = take(&s, '(');
    cell->count = pair ? 2 : 1;
    if (!take_item(&s, &cell->items[0])) {
        return false;
    }
    if (pair &&
        !(take(&s, ';') && take_item(&s, &cell->items[1]) && take_word(&s, ")OVERLAP_F_B") &&
          cell->items[0].kind != CSV_MESSAGE && cell->items[1].kind != CSV_MESSAGE)) {
        return false;
    }
    cell->count = cell->items[0].kind == CSV_MESSAGE ? 0 : cell->count;
    return s.at == s.end;
}

static bool blank(char c) {
    return c == ' ' || c == '\t' || c == '\r';
}

void csv_error(struct message *why, const char *id, const struct pipe_csv *csv,
               const struct csv_cell *cell) {
    message_start(why, id);
    message_add_text(why, csv->file);
    message_add_plain(why, (uint64_t)cell->rank + 1);
    message_add_plain(why, cell->column);
}

/* From the cursor to the next comma or line break, without the blanks around. */
static struct span cell_span(const struct csv_cursor *c) {
    const char *end = c->csv->text + c->csv->length;
    struct span s = {c->csv->text + c->at, c->csv->text + c->at};
    while (s.end < end && *s.end != ',' && *s.end != '\n') {
        s.end++;
    }
    while (s.at < s.end && blank(*s.at)) {
        s.at++;
    }
    while (s.end > s.at && blank(s.end[-1])) {
        s.end--;
    }
    return s;
}

/* Over the blanks behind a cell, and the comma or line break. */
static void go_behind(struct csv_cursor *c, const char *end) {
    c->at = (size_t)(end - c->csv->text);
    while (c->at < c->csv->length && blank(c->csv->text[c->at])) {
        c->at++;
    }
    if (c->at < c->csv->length && c->csv->text[c->at++] == '\n') {
        c->line_start = c->at;
        c->rank++;
    }
}

bool csv_next(struct csv_cursor *c, struct csv_cell *cell, struct message *why) {
    while (c->at < c->csv->length) {
        struct span s = cell_span(c);
        size_t start = (size_t)(s.at - c->csv->text);
        *cell = (struct csv_cell){.rank = c->rank, .column = start - c->line_start + 1};
        if (s.at < s.end && !cell_read(s, cell)) {
            csv_error(why, "error.csv.cell", c->csv, cell);
            message_add_text_n(why, s.at, (size_t)(s.end - s.at));
            c->failed = true;
            return false;
        }
        go_behind(c, s.end);
        if (cell->count > 0) {
            return true;
        }
    }
    return false;
}
