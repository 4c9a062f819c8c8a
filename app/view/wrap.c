/* Where a line of plain text ends. The full line breaking of UAX #14 belongs to the screen; here words break at blanks,
 * lists of choices behind '|', and Chinese between characters. Used by the text reader (lines.c) and by whatever
 * prints sentences. Keeps nothing. Proof: tests/unit/view/test_text.c, tests/cli/test_width.c. */
#include <string.h>

#include "shardlab/view/width.h"

/* Punctuation that does not open a line. */
static bool clings(uint32_t c) {
    static const uint32_t closing[] = {0x3001, 0x3002, 0xFF0C, 0xFF1B, 0xFF1A, 0xFF1F, 0xFF01,
                                       0xFF09, 0x300B, 0x300D, 0x201D, 0x2019, 0x2026, '.',
                                       ',',    ';',    ':',    ')',    '?',    '!',    '%'};
    for (size_t i = 0; i < sizeof closing / sizeof closing[0]; i++) {
        if (c == closing[i]) {
            return true;
        }
    }
    return false;
}

/* Punctuation that does not end a line. */
static bool opens(uint32_t c) {
    return c == 0xFF08 || c == 0x300A || c == 0x300C || c == 0x201C || c == '(';
}

static bool is_word(char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

bool width_holds_unit(const char *text, size_t at) {
    static const char *const units[] = {"%",   "B",   "kB",  "KB", "MB", "GB", "TB", "KiB",
                                        "MiB", "GiB", "TiB", "s",  "ms", "µs", "us"};
    if (at == 0 || text[at] != ' ' || text[at - 1] < '0' || text[at - 1] > '9') {
        return false;
    }
    for (size_t i = 0; i < sizeof units / sizeof units[0]; i++) {
        size_t length = strlen(units[i]);
        if (strncmp(text + at + 1, units[i], length) == 0 && !is_word(text[at + 1 + length])) {
            return true;
        }
    }
    return false;
}

size_t width_line(const char *text, int columns, const struct width_rules *rules) {
    size_t at = 0;
    size_t last_break = 0;
    int used = 0;
    uint32_t before = 0;
    for (;;) {
        size_t next = at;
        uint32_t c = width_decode(text, &next);
        if (c == 0) {
            return at;
        }
        int width = width_code_point(c, rules);
        bool wide_side = width == 2 || (before != 0 && width_code_point(before, rules) == 2);
        bool between_choices = before == '|' && c != ' ';
        bool blank = before == ' ' && !width_holds_unit(text, at - 1);
        if (at > 0 &&
            (blank || between_choices || (wide_side && !clings(c) && !opens(before) && c != ' '))) {
            last_break = at;
        }
        if (used + width > columns && c != ' ') {
            return last_break > 0 ? last_break : at > 0 ? at : next;
        }
        used += width;
        before = c;
        at = next;
    }
}
