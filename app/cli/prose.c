/* Sentences of a command's output, wrapped to the terminal. A caller writes a line as if it had no end and closes it
 * here; tables and JSON close theirs themselves. Rewrites the open line of the command's output in its place.
 * Proof: tests/cli/test_width.c. */
#define _POSIX_C_SOURCE 200809L
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "cli_private.h"
#include "shardlab/base/units.h"
#include "shardlab/view/width.h"

enum { COLUMNS_USUAL = 80, COLUMNS_LEAST = 40, COLUMNS_MOST = 1000, PROSE_MAX = 4096 };

int cli_columns(void) {
    struct winsize size;
    uint64_t columns = COLUMNS_USUAL;
    if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) {
        columns = size.ws_col;
    } else {
        const char *wanted = getenv("COLUMNS");
        columns =
            wanted != NULL && units_parse_count(wanted, 1000, &columns) ? columns : COLUMNS_USUAL;
    }
    return columns < COLUMNS_LEAST  ? COLUMNS_LEAST
           : columns > COLUMNS_MOST ? COLUMNS_MOST
                                    : (int)columns;
}

int cli_picture_columns(const struct cli_context *c) {
    return c->columns < COLUMNS_USUAL ? c->columns : COLUMNS_USUAL;
}

static size_t without_blanks(const char *text, size_t length) {
    while (length > 0 && text[length - 1] == ' ') {
        length--;
    }
    return length;
}

void cli_prose_end(struct cli_context *c, int hang) {
    static const struct width_rules rules = {false};
    struct writer *w = c->out;
    size_t start = w->length;
    while (start > 0 && w->bytes[start - 1] != '\n') {
        start--;
    }
    char line[PROSE_MAX];
    size_t length = w->length - start;
    if (w->overflow || length >= sizeof line) { /* longer than any sentence: as it stands */
        writer_char(w, '\n');
        return;
    }
    memcpy(line, w->bytes + start, length + 1);
    w->length = start;
    w->bytes[start] = '\0';
    size_t first = width_prefix(line, hang, &rules);
    bool hangs = without_blanks(line, first) == 0; /* a line all indented begins as the others */
    const char *rest = line;
    for (int row = 0; row == 0 || *rest != '\0'; row++) {
        int indent = row > 0 ? hang : 0;
        size_t skip = row == 0 && hangs ? first : 0;
        size_t taken = skip + width_line(rest + skip, c->columns - indent - (int)skip, &rules);
        writer_repeat(w, ' ', indent);
        writer_text_n(w, rest, without_blanks(rest, taken));
        writer_char(w, '\n');
        rest += taken;
    }
}

void cli_say(struct cli_context *c, const struct message *m) {
    words_write(c->out, &c->words, m);
    cli_prose_end(c, 0);
}
