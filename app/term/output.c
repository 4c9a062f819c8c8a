/* What goes out: the grid, row by row. A row that equals the one last shown never reaches
 * ncurses, and ncurses sends only what differs in the others, so a slider step is a few hundred
 * bytes and the screen is never cleared (reference tui 4.2). The copy of what was shown belongs
 * to struct term. Proof: tests/tty/test_screen.c. */
#define _DEFAULT_SOURCE
#define _XOPEN_SOURCE 700

#include "term_private.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>
#include <wchar.h>

#include "shardlab/view/width.h"

enum { COPY_MAX = 64 * 1024, WRITE_PATIENCE_MS = 500 };

/* ncurses asks the C library how wide a character is, without any context; hence a variable. */
static struct width_rules widths;

void term_width_rules(bool ambiguous_wide) {
    widths.ambiguous_wide = ambiguous_wide;
}

/* Stands before the C library's function of this name, so that ncurses and the grid count
 * columns by one table. Else `--ambiguous wide` could not work: ncurses would place what follows
 * a '●' one column too far left. */
int wcwidth(wchar_t character) {
    if (character < 0x20 || (character >= 0x7F && character < 0xA0)) {
        return character == 0 ? 0 : -1;
    }
    return width_code_point((uint32_t)character, &widths);
}

void term_size_update(struct term *t) {
    struct winsize size = {0};
    if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_row > 0 && size.ws_col > 0) {
        int rows = size.ws_row < TERM_SIDE_MAX ? size.ws_row : TERM_SIDE_MAX;
        int cols = size.ws_col < TERM_SIDE_MAX ? size.ws_col : TERM_SIDE_MAX;
        resizeterm(rows, cols);
    }
    t->rows = getmaxy(stdscr);
    t->cols = getmaxx(stdscr);
    term_redraw(t);
}

void term_redraw(struct term *t) {
    t->painted = false;
    clearok(curscr, TRUE);
}

static attr_t attributes_of(unsigned bits) {
    attr_t attributes = A_NORMAL;
    attributes |= (bits & UI_ATTR_BOLD) != 0 ? A_BOLD : 0;
    attributes |= (bits & UI_ATTR_DIM) != 0 ? A_DIM : 0;
    attributes |= (bits & UI_ATTR_REVERSE) != 0 ? A_REVERSE : 0;
    attributes |= (bits & UI_ATTR_UNDERLINE) != 0 ? A_UNDERLINE : 0;
    return attributes;
}

/* `text` is one character and its mark. */
static void put_cell(const struct term *t, cchar_t *out, const wchar_t *text, enum ui_role role) {
    attr_t attributes = attributes_of(ui_theme_style(role, t->tier).attributes);
    setcchar(out, text, attributes, t->pairs[role], NULL);
}

/* One row of the grid as ncurses wants it: one element a character, not a column. Returns how
 * many. */
static int make_line(const struct term *t, const struct ui_cell *cells, int cols) {
    int count = 0;
    for (int col = 0; col < cols; col++) {
        const struct ui_cell *cell = &cells[col];
        if (cell->columns == 0) {
            continue; /* the right half of the character before */
        }
        wchar_t text[3] = {(wchar_t)cell->code_point, (wchar_t)cell->mark, L'\0'};
        if (text[0] < 0x20 || col + cell->columns > cols) {
            text[0] = L' ';
            text[1] = L'\0';
        }
        bool unknown = !t->utf8 && text[0] > 0x7E;
        if (unknown) {
            text[0] = L'?';
            text[1] = L'\0';
        }
        put_cell(t, &t->line[count++], text, (enum ui_role)cell->role);
        if (unknown && cell->columns == 2) {
            put_cell(t, &t->line[count++], text, (enum ui_role)cell->role);
        }
    }
    return count;
}

/* Room for a grid of this shape. False: no memory, nothing can be shown. */
static bool fit_shown(struct term *t, const struct grid *g) {
    if (t->shown.cells != NULL && t->shown.rows == g->rows && t->shown.cols == g->cols) {
        return true;
    }
    free(t->shown.cells);
    free(t->line);
    size_t count = (size_t)g->rows * (size_t)g->cols;
    t->shown = *g;
    t->shown.cells = calloc(count > 0 ? count : 1, sizeof *t->shown.cells);
    t->line = calloc((size_t)g->cols + 1, sizeof *t->line);
    t->painted = false;
    if (t->shown.cells == NULL || t->line == NULL) {
        free(t->shown.cells);
        free(t->line);
        t->shown.cells = NULL;
        t->line = NULL;
        return false;
    }
    werase(stdscr); /* what the new shape does not cover; marks cells, sends nothing */
    return true;
}

static void show_cursor(struct term *t, const struct grid *g) {
    bool visible = g->cursor_row >= 0 && g->cursor_row < t->rows && g->cursor_col >= 0 &&
                   g->cursor_col < t->cols;
    if (visible) {
        wmove(stdscr, g->cursor_row, g->cursor_col);
    }
    if (t->cursor_visible != visible) {
        t->cursor_visible = visible;
        curs_set(visible ? 1 : 0);
    }
}

void term_show(struct term *t, const struct grid *g) {
    if (!fit_shown(t, g)) {
        return;
    }
    int rows = g->rows < t->rows ? g->rows : t->rows;
    int cols = g->cols < t->cols ? g->cols : t->cols;
    for (int row = 0; row < rows; row++) {
        if (t->painted && grid_row_equal(&t->shown, g, row)) {
            continue;
        }
        size_t start = (size_t)row * (size_t)g->cols;
        memcpy(t->shown.cells + start, g->cells + start, (size_t)g->cols * sizeof *g->cells);
        mvwadd_wchnstr(stdscr, row, 0, t->line, make_line(t, g->cells + start, cols));
    }
    t->painted = true;
    show_cursor(t, g);
    wnoutrefresh(stdscr);
    doupdate();
}

void term_write(const char *bytes, size_t length) {
    while (length > 0) {
        ssize_t written = write(STDOUT_FILENO, bytes, length);
        if (written > 0) {
            bytes += written;
            length -= (size_t)written;
        } else if (written < 0 && errno == EAGAIN) {
            struct pollfd out = {.fd = STDOUT_FILENO, .events = POLLOUT};
            if (poll(&out, 1, WRITE_PATIENCE_MS) == 0) {
                return;
            }
        } else if (written < 0 && errno != EINTR) {
            return;
        }
    }
}

/* Base64 of up to three bytes. */
static void encode(char out[4], const unsigned char *in, size_t count) {
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    unsigned group = (unsigned)in[0] << 16;
    group |= count > 1 ? (unsigned)in[1] << 8 : 0;
    group |= count > 2 ? in[2] : 0;
    out[0] = digits[group >> 18];
    out[1] = digits[group >> 12 & 63];
    out[2] = count > 1 ? digits[group >> 6 & 63] : '=';
    out[3] = count > 2 ? digits[group & 63] : '=';
}

void term_copy(struct term *t, const char *text) {
    (void)t;
    size_t length = strlen(text);
    if (length > COPY_MAX) {
        return; /* half a text is worse than none */
    }
    static const char start[] = "\033]52;c;", end[] = "\a";
    size_t size = sizeof start - 1 + (length + 2) / 3 * 4;
    char *bytes = malloc(size + sizeof end);
    if (bytes == NULL) {
        return;
    }
    memcpy(bytes, start, sizeof start - 1);
    char *at = bytes + sizeof start - 1;
    for (size_t i = 0; i < length; i += 3, at += 4) {
        encode(at, (const unsigned char *)text + i, length - i);
    }
    memcpy(at, end, sizeof end - 1);
    term_write(bytes, size + sizeof end - 1); /* one write: no other output falls into it */
    free(bytes);
}
