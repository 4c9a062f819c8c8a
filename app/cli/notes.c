/* Notes in JSON: what the words of a command say below its table, as texts of the member "notes". Called by the commands.
 * Writes to the caller's JSON; nothing is owned. Proof: the commands' tests in tests/cli/ read their notes. */
#include <assert.h>

#include "cli_private.h"

void cli_json_note(struct cli_context *c, struct json *j, const struct message *note) {
    char text[2048]; /* the longest sentence with all its arguments */
    struct writer w;
    writer_start(&w, text, sizeof text);
    words_write(&w, &c->words, note);
    assert(!w.overflow);
    json_text(j, NULL, text);
}

void cli_json_notes(struct cli_context *c, struct json *j, const struct message *notes, int count) {
    json_array_open(j, "notes");
    for (int i = 0; i < count; i++) {
        cli_json_note(c, j, &notes[i]);
    }
    json_array_close(j);
}
