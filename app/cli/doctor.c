/* `shardlab doctor`: what this terminal, locale and machine can do, one line each, with the remedy for what is
 * missing. Looks only; nothing is changed. Proof: tests/cli/test_commands.c, test_doctor_devices.c,
 * test_doctor_progress.c. */
#define _POSIX_C_SOURCE 200809L
#include <langinfo.h>
#include <locale.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "doctor_private.h"
#include "shardlab/view/width.h"

#ifndef SHARDLAB_LEFT_OUT
#define SHARDLAB_LEFT_OUT "" /* ids separated by commas, from configure */
#endif

static const struct width_rules rules = {false};

void doctor_name(struct cli_context *c, const char *name, bool well) {
    char id[64];
    struct writer w;
    writer_start(&w, id, sizeof id);
    writer_text(&w, "doctor.");
    writer_text(&w, name);
    writer_text(c->out, well ? "  ok   " : "  --   ");
    width_write_left(c->out, words_get(&c->words, id), 16, &rules);
    writer_char(c->out, ' ');
}

/* One finding: name, what was seen, and, when it is not well, what to do. What was seen may come from the
 * environment, so it is made harmless for a terminal. */
void doctor_line(struct cli_context *c, struct json *j, const char *name, bool well,
                 const char *seen) {
    char id[64];
    struct writer w;
    if (j != NULL) {
        json_object_open(j, NULL);
        json_text(j, "name", name);
        json_bool(j, "ok", well);
        json_text(j, "seen", seen);
        json_object_close(j);
        return;
    }
    doctor_name(c, name, well);
    struct message harmless;
    message_start(&harmless, NULL);
    message_add_text(&harmless, seen);
    writer_text(c->out, harmless.args[0].text);
    if (!well) {
        writer_start(&w, id, sizeof id);
        writer_text(&w, "doctor.");
        writer_text(&w, name);
        writer_text(&w, ".remedy");
        writer_text(c->out, "  ");
        writer_text(c->out, words_get(&c->words, id));
    }
    cli_prose_end(c, 24);
}

static void size_line(struct cli_context *c, struct json *j) {
    struct winsize size;
    char seen[32];
    struct writer w;
    writer_start(&w, seen, sizeof seen);
    bool known = ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_row > 0;
    if (known) {
        writer_u64(&w, size.ws_col);
        writer_text(&w, "x");
        writer_u64(&w, size.ws_row);
    } else {
        writer_text(&w, "?");
    }
    doctor_line(c, j, "size", known && size.ws_col >= 80 && size.ws_row >= 24, seen);
}

/* The locale as the environment asks for it; main may have taken another that can show all words. */
static const char *charset_asked(void) {
    return setlocale(LC_CTYPE, "") != NULL ? nl_langinfo(CODESET) : "?";
}

/* What configure did not find, one line each, by the ids that it gave. */
static void left_out_lines(struct cli_context *c, struct json *j) {
    static const char left_out[] = SHARDLAB_LEFT_OUT;
    for (const char *at = left_out; *at != '\0';) {
        char id[64];
        struct writer w;
        size_t length = strcspn(at, ",");
        writer_start(&w, id, sizeof id);
        writer_text_n(&w, at, length);
        doctor_line(c, j, "left_out", false, id);
        at += length + (at[length] == ',' ? 1 : 0);
    }
}

enum status cli_doctor(struct cli_context *c, const struct cli_args *args, struct message *why) {
    (void)why;
    struct json json, *j = args->json ? &json : NULL;
    const char *term = getenv("TERM");
    const char *charset = charset_asked();
    bool tty = isatty(STDIN_FILENO) == 1 && isatty(STDOUT_FILENO) == 1;
    if (j != NULL) {
        json_start(j, c->out);
        json_object_open(j, NULL);
        json_text(j, "command", "doctor");
        json_array_open(j, "lines");
    }
    doctor_line(c, j, "terminal", tty, tty ? "tty" : "-");
    doctor_line(c, j, "term", term != NULL && term[0] != '\0' && strcmp(term, "dumb") != 0,
                term == NULL ? "-" : term);
    size_line(c, j);
    doctor_line(c, j, "charset", strcmp(charset, "UTF-8") == 0, charset);
    const char *no_color = getenv("NO_COLOR");
    bool mono = no_color != NULL && no_color[0] != '\0';
    doctor_line(c, j, "colour", true, mono ? "NO_COLOR" : "auto");
    doctor_progress(c, j);
    doctor_devices(c, j);
    left_out_lines(c, j);
    if (j != NULL) {
        json_array_close(j);
        json_object_close(j);
        writer_char(c->out, '\n');
    }
    return STATUS_OK;
}
