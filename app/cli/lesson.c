/* `shardlab lesson list|show ID [--page N]|check FILE…`: the words of lessons as plain text, each page followed by
 * its view, and validation of lesson files. The same document and view as on the screens.
 * Proof: tests/cli/, tests/golden/. */
#define _POSIX_C_SOURCE 200809L
#include <stdlib.h>
#include <string.h>

#include "lesson_private.h"
#include "shardlab/ui/draw.h"
#include "shardlab/view/read.h"
#include "shardlab/view/width.h"

enum { PAGE_COLS = 78, PAGE_ROWS = 200 };

static const struct width_rules rules = {false};

static const char *lesson_title(struct cli_context *c, const struct lesson *l) {
    char id[96];
    struct writer w;
    writer_start(&w, id, sizeof id);
    writer_text(&w, "lesson.");
    writer_text(&w, l->id);
    writer_text(&w, ".title");
    return words_get(&c->words, id);
}

static void list(struct cli_context *c, bool json) {
    struct json j;
    json_start(&j, c->out);
    if (json) {
        json_object_open(&j, NULL);
        json_text(&j, "command", "lesson");
        json_array_open(&j, "lessons");
    }
    for (int i = 0; i < lesson_count(); i++) {
        const struct lesson *l = lesson_at(i);
        const char *title = lesson_title(c, l);
        if (json) {
            json_object_open(&j, NULL);
            json_text(&j, "id", l->id);
            json_text(&j, "title", title);
            json_i64(&j, "pages", l->page_count);
            json_object_close(&j);
        } else {
            writer_text(c->out, "  ");
            width_write_left(c->out, l->id, 16, &rules);
            writer_text(c->out, title);
            writer_char(c->out, '\n');
        }
    }
    if (json) {
        json_array_close(&j);
        json_object_close(&j);
        writer_char(c->out, '\n');
    }
}

struct figures {
    const struct lesson *lesson;
    struct lesson_input input;
};

static bool write_figure(void *context, const char *name, struct writer *out) {
    const struct figures *f = context;
    return f->lesson->figure(&f->input, name, out);
}

/* What the page asks before its picture. */
static void write_guess(struct cli_context *c, const struct figures *figures) {
    struct lesson_guess g;
    memset(&g, 0, sizeof g);
    if (figures->lesson->guess != NULL && figures->lesson->guess(&figures->input, &g)) {
        cli_lesson_guess_write(c, &g);
    }
}

/* The experiment of the page, as a command that can be typed, and what it asks before it runs. */
static void write_experiment(struct cli_context *c, const struct figures *figures) {
    struct lesson_experiment e;
    struct message m;
    memset(&e, 0, sizeof e);
    if (figures->lesson->experiment == NULL || !figures->lesson->experiment(&figures->input, &e)) {
        return;
    }
    writer_text(c->out, words_get(&c->words, e.title));
    writer_char(c->out, '\n');
    message_start(&m, "cli.lesson.experiment");
    message_add_text(&m, e.line);
    words_write(c->out, &c->words, &m);
    writer_text(c->out, "\n\n");
    if (e.guess.choice_count > 0) {
        cli_lesson_guess_write(c, &e.guess);
    }
}

/* Title, words and view of one page. The words are laid out by ui on a grid and read back as text. */
static enum status show_page(struct cli_context *c, const struct document *doc,
                             struct figures *figures, struct message *why) {
    struct ui_expand expand = {.write = write_figure, .context = figures};
    struct look look = {.words = &c->words, .ascii = false, .rules = rules};
    struct view *v = malloc(sizeof *v);
    struct ui_cell *cells = malloc(sizeof *cells * PAGE_ROWS * PAGE_COLS);
    enum status ok = STATUS_FAILED;
    if (v == NULL || cells == NULL) {
        message_start(why, "error.memory");
        goto done;
    }
    if (figures->lesson->frames != NULL) { /* where the page begins on the screen */
        (void)figures->lesson->frames(&figures->input, &figures->input.frame);
    }
    ok = figures->lesson->view(&figures->input, v, why);
    if (ok != STATUS_OK) {
        goto done;
    }
    struct grid g;
    grid_start(&g, PAGE_ROWS, PAGE_COLS, cells, rules);
    struct rect area = {0, 0, PAGE_ROWS, PAGE_COLS};
    int used = ui_page_draw(&g, area, doc, figures->input.page, 0, -1, &expand, &look);
    g.rows = used < PAGE_ROWS ? used : PAGE_ROWS;
    grid_write_text(c->out, &g);
    struct view_text_options options = {.width = PAGE_COLS};
    writer_char(c->out, '\n');
    write_guess(c, figures);
    view_write_text(c->out, v, &c->words, &options);
    writer_char(c->out, '\n');
    write_experiment(c, figures);
done:
    free(v);
    free(cells);
    return ok;
}

/* The page as one member of a JSON array: the same text, written and taken back. */
static enum status show_page_json(struct cli_context *c, struct json *j, const struct document *doc,
                                  struct figures *figures, struct message *why) {
    size_t from = c->out->length;
    enum status ok = show_page(c, doc, figures, why);
    char *text = ok == STATUS_OK ? strdup(c->out->bytes + from) : NULL;
    if (text == NULL) {
        if (ok == STATUS_OK) {
            message_start(why, "error.memory");
        }
        return STATUS_FAILED;
    }
    c->out->length = from;
    json_object_open(j, NULL);
    json_i64(j, "page", figures->input.page + 1);
    json_text(j, "text", text);
    json_object_close(j);
    free(text);
    return STATUS_OK;
}

/* All pages, or the one of --page. */
static enum status show_pages(struct cli_context *c, const struct cli_args *args,
                              const struct document *doc, struct figures *figures,
                              struct message *why) {
    struct json j;
    enum status ok = STATUS_OK;
    json_start(&j, c->out);
    if (args->json) {
        json_object_open(&j, NULL);
        json_text(&j, "command", "lesson");
        json_text(&j, "id", figures->lesson->id);
        json_array_open(&j, "pages");
    }
    for (int page = 0; ok == STATUS_OK && page < doc->page_count; page++) {
        if (!args->page_given || (uint64_t)page + 1 == args->page) {
            figures->input.page = page;
            ok = args->json ? show_page_json(c, &j, doc, figures, why)
                            : show_page(c, doc, figures, why);
        }
    }
    if (args->json) {
        json_array_close(&j);
        json_object_close(&j);
        writer_char(c->out, '\n');
    }
    return ok;
}

static enum status refuse(const char *id, const char *what, struct message *why) {
    message_start(why, id);
    message_add_text(why, what);
    return STATUS_USAGE;
}

static enum status show(struct cli_context *c, const struct cli_args *args, struct message *why) {
    if (args->value_count < 2) {
        return refuse("error.lesson.show_what", lesson_at(0)->id, why);
    }
    if (args->value_count > 2) {
        return refuse("error.args.value", args->values[2], why);
    }
    const struct lesson *l = lesson_find(args->values[1]);
    const struct document *doc = NULL;
    struct scenario given, s;
    if (l == NULL) {
        message_start(why, "error.lesson.unknown");
        const char *wrong = args->values[1];
        message_add_text(why, wrong);
        message_add_text(why, cli_lesson_nearest(wrong, strlen(wrong))->id);
        return STATUS_USAGE;
    }
    enum status ok = store_lesson(c->store, l->folder, args->chinese, &doc, why);
    if (ok == STATUS_OK) {
        ok = cli_scenario_parse_line(l->start, &given, why);
    }
    if (ok == STATUS_OK) {
        ok = cli_scenario_load(c->store, &given, NULL, &s, NULL, why);
    }
    if (ok != STATUS_OK) {
        return ok;
    }
    if (args->page_given && (args->page < 1 || args->page > (uint64_t)doc->page_count)) {
        message_start(why, "error.lesson.page");
        message_add_plain(why, args->page);
        message_add_plain(why, (uint64_t)doc->page_count);
        return STATUS_USAGE;
    }
    struct figures figures = {l, {.now = &s}};
    return show_pages(c, args, doc, &figures, why);
}

static void write_good(struct cli_context *c, struct json *j, const char *file,
                       const struct lesson_good *good) {
    bool quiz = good->questions > 0;
    int count = quiz ? good->questions : good->pages;
    struct message m;
    if (j != NULL) {
        json_object_open(j, NULL);
        json_text(j, "file", file);
        json_i64(j, quiz ? "questions" : "pages", count);
        json_object_close(j);
        return;
    }
    message_start(&m, quiz ? "cli.lesson.good_quiz" : "cli.lesson.good");
    message_add_text(&m, file);
    message_add_plain(&m, (uint64_t)count);
    words_write(c->out, &c->words, &m);
    writer_char(c->out, '\n');
}

/* Every named file, in turn. */
static enum status check(struct cli_context *c, const struct cli_args *args, struct message *why) {
    if (args->value_count < 2) {
        message_start(why, "error.lesson.check_what");
        return STATUS_USAGE;
    }
    struct json j;
    json_start(&j, c->out);
    if (args->json) {
        json_object_open(&j, NULL);
        json_text(&j, "command", "lesson");
        json_array_open(&j, "files");
    }
    for (int i = 1; i < args->value_count; i++) {
        struct lesson_good good;
        enum status ok = cli_lesson_check(c, args->values[i], &good, why);
        if (ok != STATUS_OK) {
            return ok;
        }
        write_good(c, args->json ? &j : NULL, args->values[i], &good);
    }
    if (args->json) {
        json_array_close(&j);
        json_object_close(&j);
        writer_char(c->out, '\n');
    }
    return STATUS_OK;
}

enum status cli_lesson(struct cli_context *c, const struct cli_args *args, struct message *why) {
    const char *verb = args->value_count > 0 ? args->values[0] : "list";
    bool list_of = strcmp(verb, "list") == 0, check_of = strcmp(verb, "check") == 0;
    if (strcmp(verb, "show") == 0) {
        return show(c, args, why);
    }
    if (!list_of && !check_of) {
        return refuse("error.lesson.verb", verb, why);
    }
    if (args->page_given || args->unit_given) { /* they would change nothing */
        message_start(why, "error.lesson.only_show");
        message_add_text(why, args->page_given ? "page" : "unit");
        message_add_text(why, verb);
        return STATUS_USAGE;
    }
    if (check_of) {
        return check(c, args, why);
    }
    if (args->value_count > 1) {
        return refuse("error.args.value", args->values[1], why);
    }
    list(c, args->json);
    return STATUS_OK;
}
