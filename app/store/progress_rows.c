/* Rows of the log and events. A file may have been written by another version, changed by hand, damaged, or made to do
 * harm, so nothing of it is taken at its word: every value must have its type and lie in its range, else the row is passed
 * over (it stays in the file); an item must be printable UTF-8 that fits; in text, what is not UTF-8 and what controls a
 * terminal becomes '?', and what does not fit is cut at a character. Events of this program pass the same rules on their
 * way out, so that memory and file agree. Called by progress_file.c and progress.c. Proof:
 * tests/unit/store/test_progress.c. */
#define _POSIX_C_SOURCE 200809L

#include <string.h>

#include "progress_private.h"

const char progress_columns[] = "id, utc_s, offset_s, kind, item, seed, rating, is_right, hints, "
                                "took_ms, about, sitting, scheduler, text";
const char progress_insert[] =
    "INSERT INTO event(id, utc_s, offset_s, kind, item, seed, rating, is_right, hints, took_ms, "
    "about, sitting,"
    " scheduler, text) VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14)";

/* As they stand in the file: never changed. */
static const char *const kind_names[PROGRESS_KINDS] = {
    "answer", "rating", "undo", "skip", "suspend", "flag", "setting", "guess", "mock",
};

enum {
    RATING_MAX = 4,
    COUNT_MAX = 1000,            /* hints, versions of a scheduler */
    OFFSET_MAX_S = 18 * 60 * 60, /* of a time zone */
};
static const int64_t utc_max_s = INT64_C(253402300799); /* the end of the year 9999 */
static const int64_t took_max_ms = INT64_C(1000000000000);

static bool is_shown(uint32_t c) {
    bool control = c < 0x20 || (c >= 0x7F && c <= 0x9F);
    bool turns = (c >= 0x202A && c <= 0x202E) || (c >= 0x2066 && c <= 0x2069); /* right to left */
    bool breaks = c == 0x2028 || c == 0x2029;
    return !control && !turns && !breaks;
}

/* A copy that fits and is harmless. True: nothing had to be changed. */
static bool text_take(char *out, size_t room, const char *text, size_t length) {
    size_t used = 0;
    bool same = true;
    memset(out, 0, room);
    for (size_t at = 0; at < length;) {
        uint32_t c = 0;
        size_t bytes = utf8_decode(text + at, length - at, &c);
        bool shown = bytes > 0 && is_shown(c);
        size_t needed = shown ? bytes : 1;
        if (used + needed >= room) {
            return false;
        }
        memcpy(out + used, shown ? text + at : "?", needed);
        used += needed;
        at += bytes > 0 ? bytes : 1;
        same = same && shown;
    }
    return same;
}

static bool in_range(int64_t value, int64_t low, int64_t high) {
    return value >= low && value <= high;
}

static bool numbers_fit(const struct progress_event *e) {
    return in_range(e->utc_s, 0, utc_max_s) && in_range(e->offset_s, -OFFSET_MAX_S, OFFSET_MAX_S) &&
           in_range(e->rating, 0, RATING_MAX) && in_range(e->hints, 0, COUNT_MAX) &&
           in_range(e->took_ms, 0, took_max_ms) && in_range(e->scheduler, 0, COUNT_MAX) &&
           in_range(e->about, 0, INT64_MAX);
}

bool progress_event_fit(struct progress_event *event) {
    char item[PROGRESS_ITEM_MAX], text[PROGRESS_TEXT_MAX];
    if ((int)event->kind < 0 || event->kind >= PROGRESS_KINDS || !numbers_fit(event) ||
        !text_take(item, sizeof item, event->item, strnlen(event->item, sizeof event->item))) {
        return false;
    }
    (void)text_take(text, sizeof text, event->text, strnlen(event->text, sizeof event->text));
    memcpy(event->item, item, sizeof item);
    memcpy(event->text, text, sizeof text);
    return true;
}

/* A whole number of the row that lies in its range. */
static bool number_read(sqlite3_stmt *row, int column, int64_t low, int64_t high, int64_t *out) {
    if (sqlite3_column_type(row, column) != SQLITE_INTEGER) {
        return false;
    }
    *out = sqlite3_column_int64(row, column);
    return in_range(*out, low, high);
}

static bool int_read(sqlite3_stmt *row, int column, int high, int *out) {
    int64_t value = 0;
    bool fits = number_read(row, column, 0, high, &value);
    *out = (int)value;
    return fits;
}

static bool kind_read(sqlite3_stmt *row, int column, enum progress_kind *out) {
    if (sqlite3_column_type(row, column) != SQLITE_TEXT) {
        return false;
    }
    const char *text = (const char *)sqlite3_column_text(row, column);
    for (int i = 0; text != NULL && i < PROGRESS_KINDS; i++) {
        if (strcmp(text, kind_names[i]) == 0) {
            *out = (enum progress_kind)i;
            return true;
        }
    }
    return false;
}

/* Text of the row; *same: it did not have to be changed. False: it is no text. */
static bool text_read(sqlite3_stmt *row, int column, char *out, size_t room, bool *same) {
    if (sqlite3_column_type(row, column) != SQLITE_TEXT) {
        return false;
    }
    const char *text = (const char *)sqlite3_column_text(row, column);
    int bytes = sqlite3_column_bytes(row, column);
    if (text == NULL || bytes < 0) {
        return false;
    }
    *same = text_take(out, room, text, (size_t)bytes);
    return true;
}

static bool times_read(sqlite3_stmt *row, struct progress_event *out) {
    int64_t offset = 0;
    bool fits = number_read(row, 1, 0, utc_max_s, &out->utc_s) &&
                number_read(row, 2, -OFFSET_MAX_S, OFFSET_MAX_S, &offset) &&
                number_read(row, 9, 0, took_max_ms, &out->took_ms);
    out->offset_s = (int32_t)offset;
    return fits;
}

static bool result_read(sqlite3_stmt *row, struct progress_event *out) {
    int right = 0;
    bool fits = int_read(row, 6, RATING_MAX, &out->rating) && int_read(row, 7, 1, &right) &&
                int_read(row, 8, COUNT_MAX, &out->hints) &&
                int_read(row, 12, COUNT_MAX, &out->scheduler);
    out->right = right == 1;
    return fits;
}

static bool ids_read(sqlite3_stmt *row, struct progress_event *out) {
    int64_t seed = 0, sitting = 0;
    bool fits = number_read(row, 0, 1, PROGRESS_ID_UNSAVED - 1, &out->id) &&
                number_read(row, 5, INT64_MIN, INT64_MAX, &seed) &&
                number_read(row, 10, 0, PROGRESS_ID_UNSAVED - 1, &out->about) &&
                number_read(row, 11, INT64_MIN, INT64_MAX, &sitting);
    out->seed = (uint64_t)seed;
    out->sitting = (uint64_t)sitting;
    return fits;
}

bool progress_row_read(sqlite3_stmt *row, struct progress_event *out) {
    bool same_item = false, same_text = false;
    memset(out, 0, sizeof *out);
    return ids_read(row, out) && times_read(row, out) && result_read(row, out) &&
           kind_read(row, 3, &out->kind) &&
           text_read(row, 4, out->item, sizeof out->item, &same_item) && same_item &&
           text_read(row, 13, out->text, sizeof out->text, &same_text);
}

/* The bits of an unsigned number as SQLite's signed one. */
static int64_t signed_bits(uint64_t value) {
    int64_t out;
    memcpy(&out, &value, sizeof out);
    return out;
}

int progress_row_bind(sqlite3_stmt *insert, const struct progress_event *e) {
    const int64_t numbers[] = {
        e->id,        e->utc_s,         e->offset_s, 0,          0,        signed_bits(e->seed),
        e->rating,    e->right ? 1 : 0, e->hints,    e->took_ms, e->about, signed_bits(e->sitting),
        e->scheduler,
    };
    int rc = SQLITE_OK;
    for (int i = 0; rc == SQLITE_OK && i < (int)(sizeof numbers / sizeof numbers[0]); i++) {
        rc = sqlite3_bind_int64(insert, i + 1, numbers[i]);
    }
    if (rc == SQLITE_OK) {
        rc = sqlite3_bind_text(insert, 4, kind_names[e->kind], -1, SQLITE_STATIC);
    }
    if (rc == SQLITE_OK) {
        rc = sqlite3_bind_text(insert, 5, e->item, -1, SQLITE_TRANSIENT);
    }
    return rc == SQLITE_OK ? sqlite3_bind_text(insert, 14, e->text, -1, SQLITE_TRANSIENT) : rc;
}
