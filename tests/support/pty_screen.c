/* The screen half of pty.h: libvterm reads the program's bytes; rows and cells are read from it
 * as text. */
#define _GNU_SOURCE /* memmem */

#include "support/pty_private.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int on_property(VTermProp property, VTermValue *value, void *context) {
    struct pty *p = context;
    if (property == VTERM_PROP_CURSORVISIBLE) {
        p->cursor_visible = value->boolean != 0;
    } else if (property == VTERM_PROP_ALTSCREEN) {
        p->alternate = value->boolean != 0;
    } else if (property == VTERM_PROP_MOUSE) {
        p->mouse = value->number != VTERM_PROP_MOUSE_NONE;
    }
    return 1;
}

/* A terminal that is asked answers. */
static void on_answer(const char *bytes, size_t length, void *context) {
    const struct pty *p = context;
    ssize_t written = p->master != -1 ? write(p->master, bytes, length) : 0;
    (void)written;
}

/* libvterm 0.1.4 writes behind the row when a wide character comes to a single column. */
static int emulator_cols(int cols) {
    return cols > 2 ? cols : 2;
}

void pty_screen_start(struct pty *p, int rows, int cols) {
    static const VTermScreenCallbacks callbacks = {.settermprop = on_property};
    p->rows = rows;
    p->cols = cols;
    p->emulator = vterm_new(rows, emulator_cols(cols));
    ck_assert_ptr_nonnull(p->emulator);
    vterm_set_utf8(p->emulator, 1);
    vterm_output_set_callback(p->emulator, on_answer, p);
    p->screen = vterm_obtain_screen(p->emulator);
    vterm_screen_set_callbacks(p->screen, &callbacks, p);
    vterm_screen_enable_altscreen(p->screen, 1);
    vterm_screen_reset(p->screen, 1);
    p->cursor_visible = true;
}

void pty_screen_feed(struct pty *p, const char *bytes, size_t length) {
    vterm_input_write(p->emulator, bytes, length);
}

void pty_screen_end(struct pty *p) {
    vterm_free(p->emulator);
}

void pty_screen_resize(struct pty *p, int rows, int cols) {
    p->rows = rows;
    p->cols = cols;
    vterm_set_size(p->emulator, rows, emulator_cols(cols));
}

int pty_rows(const struct pty *p) {
    return p->rows;
}

int pty_cols(const struct pty *p) {
    return p->cols;
}

static void add_code_point(struct pty_bytes *out, uint32_t c) {
    char bytes[4];
    size_t length = c < 0x80 ? 1 : c < 0x800 ? 2 : c < 0x10000 ? 3 : 4;
    static const unsigned char lead[] = {0, 0, 0xC0, 0xE0, 0xF0};
    for (size_t i = length - 1; i > 0; i--, c >>= 6) {
        bytes[i] = (char)(0x80 | (c & 0x3F));
    }
    bytes[0] = (char)(lead[length] | c);
    pty_bytes_add(out, bytes, length);
}

static void add_row(struct pty *p, struct pty_bytes *out, int row) {
    size_t start = out->length;
    for (int col = 0, cols = pty_cols(p); col < cols; col++) {
        VTermScreenCell cell;
        if (vterm_screen_get_cell(p->screen, (VTermPos){row, col}, &cell) == 0 ||
            cell.chars[0] == UINT32_MAX) {
            continue; /* the right half of the character before */
        }
        if (cell.chars[0] == 0) {
            pty_bytes_add(out, " ", 1); /* and nothing behind the zero is filled in */
            continue;
        }
        for (int i = 0; i < VTERM_MAX_CHARS_PER_CELL && cell.chars[i] != 0; i++) {
            add_code_point(out, cell.chars[i]);
        }
    }
    while (out->length > start && out->bytes[out->length - 1] == ' ') {
        out->bytes[--out->length] = '\0';
    }
}

static void text_clear(struct pty *p) {
    p->text.length = 0;
    pty_bytes_add(&p->text, "", 0);
}

const char *pty_row(struct pty *p, int row) {
    text_clear(p);
    if (row >= 0 && row < pty_rows(p)) {
        add_row(p, &p->text, row);
    }
    return p->text.bytes;
}

const char *pty_text(struct pty *p) {
    text_clear(p);
    for (int row = 0, rows = pty_rows(p); row < rows; row++) {
        add_row(p, &p->text, row);
        pty_bytes_add(&p->text, "\n", 1);
    }
    return p->text.bytes;
}

int pty_find(struct pty *p, const char *text) {
    const char *all = pty_text(p);
    const char *found = strstr(all, text);
    int row = 0;
    if (found == NULL) {
        return -1;
    }
    for (; all < found; all++) {
        row += *all == '\n';
    }
    return row;
}

bool pty_has(struct pty *p, const char *text) {
    return pty_find(p, text) >= 0;
}

static int colour_index(VTermColor colour, bool own) {
    if (own) {
        return -1;
    }
    return VTERM_COLOR_IS_INDEXED(&colour) ? colour.indexed.idx : -2;
}

struct pty_cell pty_cell(struct pty *p, int row, int col) {
    VTermScreenCell cell = {0};
    vterm_screen_get_cell(p->screen, (VTermPos){row, col}, &cell);
    uint32_t c = cell.chars[0];
    return (struct pty_cell){
        .code_point = c == 0            ? ' '
                      : c == UINT32_MAX ? 0
                                        : c,
        .width = cell.width,
        .bold = cell.attrs.bold,
        .reverse = cell.attrs.reverse,
        .underline = cell.attrs.underline != 0,
        .foreground = colour_index(cell.fg, VTERM_COLOR_IS_DEFAULT_FG(&cell.fg)),
        .background = colour_index(cell.bg, VTERM_COLOR_IS_DEFAULT_BG(&cell.bg)),
    };
}

bool pty_cursor_visible(const struct pty *p) {
    return p->cursor_visible;
}

void pty_cursor(struct pty *p, int *row, int *col) {
    VTermPos at;
    vterm_state_get_cursorpos(vterm_obtain_state(p->emulator), &at);
    *row = at.row;
    *col = at.col;
}

bool pty_alternate_screen(const struct pty *p) {
    return p->alternate;
}

bool pty_output_has(struct pty *p, const char *bytes) {
    return memmem(p->output.bytes, p->output.length, bytes, strlen(bytes)) != NULL;
}

/* The numbers of one SGR sequence; `at` stands behind "ESC [". */
static int colours_in(const char *at) {
    int count = 0;
    for (;;) {
        char *end = NULL;
        long code = strtol(at, &end, 10);
        bool colour =
            (code >= 30 && code <= 38) || (code >= 40 && code <= 48) || (code >= 90 && code <= 107);
        count += end != at && colour;
        if (code == 38 || code == 48) {
            return count; /* what follows belongs to it */
        }
        if (*end != ';') {
            return *end == 'm' ? count : 0;
        }
        at = end + 1;
    }
}

int pty_colour_codes(struct pty *p) {
    int count = 0;
    const char *end = p->output.bytes + p->output.length;
    for (const char *at = p->output.bytes; at + 2 < end; at++) {
        if (at[0] == '\033' && at[1] == '[' && at[2] >= '0' && at[2] <= '9') {
            count += colours_in(at + 2);
        }
    }
    return count;
}

void pty_dump(struct pty *p) {
    fprintf(stderr, "--- %d × %d ---\n%s---\n", pty_rows(p), pty_cols(p), pty_text(p));
}
