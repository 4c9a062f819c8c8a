/* The smallest program on the room `term`, for the tests of this tier: it shows a grid with
 * Chinese text, a border in the last column and every role, tells what it was sent, and dies on
 * request.
 * Usage: term_probe [--no-colour] [--ambiguous-wide]. Keys: q quit, s SIGSEGV, a a failed
 * assertion, o stack overflow, e writes to the error stream, y copies, m the mouse on or off, p makes the watched pipe
 * ready, t waits 50 ms for nothing. */
#define _DEFAULT_SOURCE

#include <assert.h>
#include <limits.h>
#include <locale.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "shardlab/term/term.h"
#include "shardlab/ui/key.h"

struct probe {
    struct term *term;
    struct term_options options;
    struct ui_cell *cells;
    int shown, keys, sizes;
    uint32_t key;
    char note[80];
    int pipe[2];
    bool quit, mouse;
};

static void put(struct grid *g, int row, const char *text) {
    struct rect all = {0, 0, g->rows, g->cols};
    grid_put(g, all, row, 0, text, UI_ROLE_TEXT);
}

static void draw(struct probe *p) {
    static const char *const tiers[UI_TIERS] = {"mono", "8", "256"};
    int rows = term_rows(p->term), cols = term_cols(p->term);
    struct rect all = {0, 0, rows, cols};
    struct grid g;
    char line[160];
    free(p->cells);
    p->cells = calloc((size_t)rows * (size_t)cols, sizeof *p->cells);
    assert(p->cells != NULL);
    grid_start(&g, rows, cols, p->cells, (struct width_rules){p->options.ambiguous_wide});
    p->shown++;
    snprintf(line, sizeof line, "probe %dx%d %s %s", rows, cols, tiers[term_tier(p->term)],
             term_utf8(p->term) ? "utf8" : "ascii");
    put(&g, 0, line);
    put(&g, 1, "显存 GPU memory");
    snprintf(line, sizeof line, "key 0x%X keys %d sizes %d", (unsigned)p->key, p->keys, p->sizes);
    put(&g, 2, line);
    put(&g, 3, p->note);
    for (int role = 0; role < UI_ROLES; role++) {
        grid_put(&g, all, 4, role, "#", (enum ui_role)role);
    }
    put(&g, 5, "●一×二—三");
    for (int row = 0; row < rows; row++) {
        grid_put(&g, all, row, cols - 1, "|", UI_ROLE_LINE);
    }
    g.cursor_row = 2;
    g.cursor_col = 0;
    term_show(p->term, &g);
}

static int overflow(volatile char *above, int depth) {
    volatile char block[4096];
    block[0] = above[0];
    return depth == 0 ? 0 : overflow(block, depth - 1) + block[0];
}

static void press(struct probe *p, uint32_t key) {
    volatile char start = 1;
    p->key = key;
    p->keys++;
    switch (key) {
    case 'q':
        p->quit = true;
        break;
    case 's':
        raise(SIGSEGV);
        break;
    case 'a':
        assert(key != 'a');
        break;
    case 'o':
        p->keys += overflow(&start, INT_MAX);
        break;
    case 'e':
        fputs("stray words of a driver\n", stderr);
        break;
    case 'y':
        term_copy(p->term, "16Ψ = 显存");
        break;
    case 'm':
        p->mouse = !p->mouse;
        term_mouse_set(p->term, p->mouse);
        break;
    case 'p':
        p->keys += write(p->pipe[1], "x", 1) == 1 ? 0 : 1;
        break;
    case UI_KEY_CTRL_L:
        term_redraw(p->term);
        break;
    default:
        break;
    }
}

static void end_by(struct probe *p, int signal) {
    term_close(p->term);
    term_raise(signal);
}

static void step(struct probe *p) {
    struct pollfd watched = {.fd = p->pipe[0], .events = POLLIN};
    char byte = 0;
    struct term_event event = term_wait(p->term, p->key == 't' ? 50 : -1, &watched, 1);
    switch (event.kind) {
    case TERM_EVENT_KEY:
        press(p, event.key);
        break;
    case TERM_EVENT_MOUSE:
        snprintf(p->note, sizeof p->note, "mouse %d row %d col %d", (int)event.mouse.kind,
                 event.mouse.row, event.mouse.col);
        break;
    case TERM_EVENT_RESIZE:
        p->sizes++;
        break;
    case TERM_EVENT_STOP:
        end_by(p, event.signal);
        break;
    case TERM_EVENT_GONE:
        end_by(p, SIGHUP);
        break;
    case TERM_EVENT_CHILD:
        snprintf(p->note, sizeof p->note, "pipe %s",
                 read(p->pipe[0], &byte, 1) == 1 ? "ready" : "broken");
        break;
    case TERM_EVENT_TIMEOUT:
        snprintf(p->note, sizeof p->note, "timeout");
        p->key = 0;
        break;
    }
}

int main(int argc, char **argv) {
    struct probe p = {.options = {.colour = true}};
    struct message why;
    for (int i = 1; i < argc; i++) {
        p.options.colour &= strcmp(argv[i], "--no-colour") != 0;
        p.options.ambiguous_wide |= strcmp(argv[i], "--ambiguous-wide") == 0;
    }
    setlocale(LC_ALL, "");
    if (pipe(p.pipe) != 0) {
        return 70;
    }
    enum status status = term_open(&p.term, &p.options, &why);
    if (status != STATUS_OK) {
        fprintf(stderr, "term_probe: %s %s\n", why.id, why.arg_count > 0 ? why.args[0].text : "");
        return (int)status;
    }
    draw(&p);
    while (!p.quit) {
        step(&p);
        if (!term_pending(p.term)) {
            draw(&p);
        }
    }
    term_close(p.term);
    free(p.cells);
    return 0;
}
