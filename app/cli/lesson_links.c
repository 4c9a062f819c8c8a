/* Links of a lesson file, for `lesson check`: every one leads to a page, or a term, that exists. The document does not hold where a
 * link was written, so its target is looked for in the file's text. Reads the file through the store, which keeps it.
 * Proof: tests/cli/test_bad_files.c. */
#include <string.h>

#include "lesson_private.h"
#include "shardlab/base/glossary.h"
#include "shardlab/base/near.h"

struct place {
    uint64_t line, column;
};

/* Line and character of `end`, both counted from 1. */
static struct place place_of(const char *text, const char *end) {
    struct place at = {1, 1};
    for (; text < end; text++) {
        if (*text == '\n') {
            at.line++;
            at.column = 1;
        } else if (((unsigned char)*text & 0xC0U) != 0x80U) { /* not inside a character */
            at.column++;
        }
    }
    return at;
}

/* The first link to the target; the top of the file where it is written in a way that is not looked for. */
static struct place find(const char *text, const char *target) {
    size_t length = strlen(target);
    for (const char *at = strstr(text, target); at != NULL; at = strstr(at + 1, target)) {
        if (at >= text + 2 && at[-1] == '(' && at[-2] == ']' && at[length] == ')') {
            return place_of(text, at);
        }
    }
    return (struct place){1, 1};
}

const struct lesson *cli_lesson_nearest(const char *id, size_t length) {
    const struct lesson *best = lesson_at(0);
    for (int i = 1; length > 0 && i < lesson_count(); i++) {
        if (near_distance(id, length, lesson_at(i)->id) < near_distance(id, length, best->id)) {
            best = lesson_at(i);
        }
    }
    return best;
}

static const struct lesson *nearest(const char *target) {
    const char *colon = strchr(target, ':');
    const char *id = colon != NULL ? colon + 1 : target;
    return cli_lesson_nearest(id, strcspn(id, "#"));
}

/* "FILE:LINE:COLUMN: …", and the target. */
static enum status refuse(const char *id, const char *path, const char *text, const char *target,
                          struct message *why) {
    struct place at = find(text, target);
    message_start(why, id);
    message_add_text(why, path);
    message_add_plain(why, at.line);
    message_add_plain(why, at.column);
    message_add_text(why, target);
    return STATUS_FAILED;
}

static enum status check(struct cli_context *c, const char *path, const char *text,
                         const char *target, struct message *why) {
    static const char terms[] = "glossary:";
    const struct glossary *glossary = NULL;
    const struct lesson *lesson;
    int page;
    if (strncmp(target, terms, sizeof terms - 1) == 0) {
        enum status ok = store_glossary(c->store, &glossary, why);
        bool found = ok == STATUS_OK && glossary_find(glossary, target + sizeof terms - 1) >= 0;
        return ok != STATUS_OK || found ? ok
                                        : refuse("error.lesson.link_term", path, text, target, why);
    }
    if (lesson_link_find(target, &lesson, &page)) {
        return STATUS_OK;
    }
    (void)refuse("error.lesson.link", path, text, target, why);
    message_add_text(why, nearest(target)->id);
    message_add_plain(why, (uint64_t)nearest(target)->page_count);
    return STATUS_FAILED;
}

enum status cli_lesson_links_check(struct cli_context *c, const char *path,
                                   const struct document *doc, struct message *why) {
    const char *text = NULL;
    enum status ok = store_text_file(c->store, path, &text, why);
    for (int i = 0; ok == STATUS_OK && i < doc->span_count; i++) {
        if (doc->spans[i].kind == SPAN_LINK) {
            ok = check(c, path, text, doc->spans[i].target, why);
        }
    }
    return ok;
}
