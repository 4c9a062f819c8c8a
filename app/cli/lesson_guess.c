/* What a page of a lesson asks first, as plain text: the question, its choices, and then the answer with what each choice has
 * in mind, for whoever reads a lesson without answering. The same questions as on the screens.
 * Proof: tests/cli/test_commands.c. */
#include <string.h>

#include "cli_private.h"
#include "lesson_private.h"

enum { HANG = 5 }; /* "  1  " */

static void end_line(struct cli_context *c) {
    cli_prose_end(c, HANG);
}

static void write_number(struct cli_context *c, int choice) {
    writer_text(c->out, "  ");
    writer_u64(c->out, (uint64_t)choice + 1);
    writer_text(c->out, "  ");
}

static void write_reason(struct cli_context *c, const struct lesson_guess *g, int choice) {
    if (g->why[choice].id != NULL) {
        write_number(c, choice);
        words_write(c->out, &c->words, &g->choices[choice]);
        writer_text(c->out, words_get(&c->words, "view.guess.colon"));
        words_write(c->out, &c->words, &g->why[choice]);
        end_line(c);
    }
}

static void write_answer(struct cli_context *c, const struct lesson_guess *g) {
    char text[MESSAGE_TEXT_MAX];
    struct writer w;
    struct message m;
    writer_start(&w, text, sizeof text);
    words_write(&w, &c->words, &g->choices[g->right]);
    message_start(&m, "cli.lesson.answer");
    message_add_plain(&m, (uint64_t)g->right + 1);
    message_add_text(&m, text);
    words_write(c->out, &c->words, &m);
    cli_prose_end(c, 0);
    write_reason(c, g, g->right);
    for (int i = 0; i < g->choice_count; i++) {
        if (i != g->right) {
            write_reason(c, g, i);
        }
    }
}

void cli_lesson_guess_write(struct cli_context *c, const struct lesson_guess *g) {
    writer_text(c->out, words_get(&c->words, "view.guess.title"));
    writer_text(c->out, words_get(&c->words, "view.guess.colon"));
    words_write(c->out, &c->words, &g->question);
    cli_prose_end(c, 0);
    for (int i = 0; i < g->choice_count; i++) {
        write_number(c, i);
        words_write(c->out, &c->words, &g->choices[i]);
        end_line(c);
    }
    write_answer(c, g);
    writer_char(c->out, '\n');
}
