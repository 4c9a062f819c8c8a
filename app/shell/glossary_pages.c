/* Which pages of which lessons name a term, in the language that is read: all pages are looked through once a language
 * (milliseconds), as plain words, without literal text and without figures. Called by the two screens of the glossary.
 * Proof: tests/journeys/glossary.txt. */
#include <assert.h>
#include <string.h>

#include "glossary_private.h"

void app_glossary_mark(const struct glossary *g, const struct document *doc, int page,
                       bool *found) {
    glossary_mark(g, doc->pages[page].title, found);
    for (int b = 0; b < doc->pages[page].block_count; b++) {
        const struct block *block = &doc->blocks[doc->pages[page].first_block + b];
        for (int s = 0; s < block->span_count; s++) {
            const struct span *span = &doc->spans[block->first_span + s];
            if (span->kind != SPAN_CODE) {
                glossary_mark(g, span->text, found);
            }
        }
    }
}

static void look_through(struct app_glossary *glossary, const struct document *doc, int lesson) {
    for (int page = 0; page < doc->page_count && page < APP_PAGES_MAX; page++) {
        bool found[GLOSSARY_TERMS_MAX] = {false};
        app_glossary_mark(glossary->terms, doc, page, found);
        for (int term = 0; term < glossary->terms->count; term++) {
            uint16_t bit = (uint16_t)(found[term] ? 1U << page : 0U);
            glossary->used[term][lesson] |= bit;
        }
    }
}

enum status app_glossary_read(struct app *app, struct message *why) {
    struct app_glossary *glossary = &app->glossary;
    if (glossary->looked == app->language) {
        return STATUS_OK;
    }
    enum status ok = store_glossary(app->store, &glossary->terms, why);
    assert(lesson_count() <= APP_LESSONS_MAX);
    memset(glossary->used, 0, sizeof glossary->used);
    for (int i = 0; ok == STATUS_OK && i < lesson_count(); i++) {
        const struct document *doc = NULL;
        ok = store_lesson(app->store, lesson_at(i)->folder, app->language == 1, &doc, why);
        if (ok == STATUS_OK) {
            look_through(glossary, doc, i);
        }
    }
    glossary->looked = ok == STATUS_OK ? app->language : -1;
    return ok;
}

/* Goes through the pages that name the term up to `number`; returns how many were met. */
static int walk(const struct app *app, int term, int number, struct app_page *at) {
    int count = 0;
    for (int lesson = 0; lesson < lesson_count(); lesson++) {
        for (int page = 0; page < APP_PAGES_MAX; page++) {
            if ((app->glossary.used[term][lesson] >> page & 1U) != 0 && count++ == number) {
                *at = (struct app_page){lesson, page};
            }
        }
    }
    return count;
}

int app_term_places(const struct app *app, int term) {
    struct app_page unused;
    return walk(app, term, -1, &unused);
}

struct app_page app_term_place(const struct app *app, int term, int number) {
    struct app_page at = {-1, -1};
    (void)walk(app, term, number, &at);
    return at;
}
