/* `shardlab lesson check FILE…`: what an author hears before a learner sees it. A file must parse as a lesson (store);
 * beyond that its text is gone through as it stands, so that every complaint has a line and a column: control characters,
 * figures that are not closed or that the lesson does not compute, links (lesson_links.c). A file that lies in the
 * folder of a lesson is held against that lesson and against its twin in the other language. A quiz file goes on to
 * lesson_quiz.c.
 * Proof: tests/cli/test_bad_files.c, tests/cli/test_lesson_check.c. */
#include <stdlib.h>
#include <string.h>

#include "lesson_private.h"
#include "shardlab/base/utf8.h"

enum { NAME_MAX_BYTES = 64, PATH_MAX_BYTES = 4096, FIGURE_MAX = 4096 };

/* A file on its way through the checks. */
struct checked {
    struct cli_context *c;
    const char *path, *text;
    const struct document *doc;
    const struct lesson *lesson; /* whose folder it lies in; NULL: of none */
    struct scenario start;       /* the lesson's, for its figures */
};

/* "FILE:LINE:COLUMN: …" for a place of the text. */
static enum status fail_at(const struct checked *k, const char *id, const char *at,
                           struct message *why) {
    uint64_t line = 1, column = 1;
    for (const char *p = k->text; p < at; p++) {
        line += *p == '\n' ? 1 : 0;
        column = *p == '\n' ? 1 : column + (((unsigned char)*p & 0xC0U) != 0x80U ? 1 : 0);
    }
    message_start(why, id);
    message_add_text(why, k->path);
    message_add_plain(why, line);
    message_add_plain(why, column);
    return STATUS_FAILED;
}

/* --- Characters --- */

static enum status check_characters(const struct checked *k, struct message *why) {
    size_t length = strlen(k->text);
    for (size_t at = 0; at < length;) {
        uint32_t c = 0;
        size_t bytes = utf8_decode(k->text + at, length - at, &c);
        bool control = (c < 0x20 && c != '\n' && c != '\r' && c != '\t') || (c >= 0x7F && c < 0xA0);
        if (control) {
            enum status failed = fail_at(k, "error.lesson.control", k->text + at, why);
            message_add_plain(why, c);
            return failed;
        }
        at += bytes > 0 ? bytes : 1;
    }
    return STATUS_OK;
}

/* --- Figures --- */

/* The end of the paragraph, behind which nothing closes what was opened before. */
static const char *paragraph_end(const char *at) {
    const char *blank = strstr(at, "\n\n");
    return blank != NULL ? blank : at + strlen(at);
}

static bool is_computed(const struct checked *k, const char *name) {
    char figure[FIGURE_MAX];
    struct writer w;
    struct lesson_input in = {.now = &k->start};
    writer_start(&w, figure, sizeof figure);
    return k->lesson == NULL || k->lesson->figure(&in, name, &w);
}

/* The figure that opens at `open`. */
static enum status check_figure(const struct checked *k, const char *open, struct message *why) {
    const char *close = strstr(open, "}}");
    const char *next = strstr(open + 2, "{{");
    if (close == NULL || close > paragraph_end(open) || (next != NULL && next < close)) {
        return fail_at(k, "error.lesson.unclosed", open, why);
    }
    char name[NAME_MAX_BYTES] = "";
    size_t length = (size_t)(close - open) - 2;
    if (length > 0 && length < sizeof name) {
        memcpy(name, open + 2, length);
    }
    if (name[0] != '\0' && is_computed(k, name)) {
        return STATUS_OK;
    }
    enum status failed = fail_at(k, "error.lesson.figure", open, why);
    message_add_text_n(why, open + 2, length);
    return failed;
}

static enum status check_figures(const struct checked *k, struct message *why) {
    enum status ok = STATUS_OK;
    for (const char *at = strstr(k->text, "{{"); ok == STATUS_OK && at != NULL;
         at = strstr(at + 2, "{{")) {
        ok = check_figure(k, at, why);
    }
    return ok;
}

/* --- The lesson and the twin --- */

/* The folder's name, and the file's behind it. */
static const char *file_name(const char *path) {
    const char *slash = strrchr(path, '/');
    return slash != NULL ? slash + 1 : path;
}

static bool is_word_file(const char *name) {
    return strcmp(name, "en.md") == 0 || strcmp(name, "zh.md") == 0;
}

const struct lesson *cli_lesson_of_folder(const char *path) {
    const char *name = file_name(path);
    for (int i = 0; i < lesson_count(); i++) {
        const char *folder = lesson_at(i)->folder;
        size_t length = strlen(folder);
        size_t before = (size_t)(name - path);
        if (before > length && strncmp(name - 1 - length, folder, length) == 0 &&
            (before == length + 1 || name[-2 - (long)length] == '/')) {
            return lesson_at(i);
        }
    }
    return NULL;
}

static const char *line_of_page(const struct checked *k, int page) {
    const char *at = k->text;
    for (int line = 1; line < k->doc->pages[page].line; line++) {
        at = strchr(at, '\n') + 1;
    }
    return at;
}

static enum status check_twin(const struct checked *k, struct message *why) {
    char path[PATH_MAX_BYTES];
    const char *name = file_name(k->path);
    const char *other = strcmp(name, "en.md") == 0 ? "zh.md" : "en.md";
    const struct document *twin = NULL;
    struct message unread;
    struct writer w;
    writer_start(&w, path, sizeof path);
    writer_text_n(&w, k->path, (size_t)(name - k->path));
    writer_text(&w, other);
    if (!is_word_file(name) || w.overflow ||
        store_markdown_file(k->c->store, path, &twin, &unread) != STATUS_OK ||
        twin->page_count == k->doc->page_count) {
        return STATUS_OK; /* a twin that cannot be read is heard of when it is checked itself */
    }
    int pages = k->doc->page_count;
    int at = twin->page_count < pages ? twin->page_count : pages - 1;
    enum status failed = fail_at(k, "error.lesson.twin", line_of_page(k, at), why);
    message_add_plain(why, (uint64_t)pages);
    message_add_plain(why, (uint64_t)twin->page_count);
    message_add_text(why, other);
    return failed;
}

static enum status start_of(struct checked *k, struct message *why) {
    struct scenario given;
    k->lesson = is_word_file(file_name(k->path)) ? cli_lesson_of_folder(k->path) : NULL;
    if (k->lesson == NULL) {
        return STATUS_OK;
    }
    enum status ok = cli_scenario_parse_line(k->lesson->start, &given, why);
    return ok == STATUS_OK ? cli_scenario_load(k->c->store, &given, NULL, &k->start, NULL, why)
                           : ok;
}

/* By its name, or because it begins as JSON does and no lesson may. */
static bool is_quiz(const struct checked *k) {
    size_t length = strlen(k->path);
    return (length > 5 && strcmp(k->path + length - 5, ".json") == 0) ||
           k->text[strspn(k->text, " \t\r\n")] == '{';
}

enum status cli_lesson_check(struct cli_context *c, const char *path, struct lesson_good *good,
                             struct message *why) {
    struct checked k = {.c = c, .path = path};
    *good = (struct lesson_good){0};
    enum status ok = store_text_file(c->store, path, &k.text, why);
    if (ok == STATUS_OK && is_quiz(&k)) {
        return cli_lesson_quiz_check(c, path, &good->questions, why);
    }
    ok = ok == STATUS_OK ? store_markdown_file(c->store, path, &k.doc, why) : ok;
    ok = ok == STATUS_OK ? start_of(&k, why) : ok;
    ok = ok == STATUS_OK ? check_characters(&k, why) : ok;
    ok = ok == STATUS_OK ? check_figures(&k, why) : ok;
    ok = ok == STATUS_OK ? cli_lesson_links_check(c, path, k.doc, why) : ok;
    ok = ok == STATUS_OK ? check_twin(&k, why) : ok;
    good->pages = ok == STATUS_OK ? k.doc->page_count : 0;
    return ok;
}
