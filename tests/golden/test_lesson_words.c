/* Lessons as they are read: the store's pages against what the lesson says of itself. In both languages every page
 * begins with what is often said, ends with something to move, moves only what its knobs can, and links only to
 * what exists; and whatever a lesson's views and knobs name has words. */
#include <check.h>
#include <stdio.h>
#include <string.h>

#include "shardlab/calc/option.h"
#include "shardlab/lesson/lesson.h"
#include "shardlab/store/store.h"
#include "shardlab/view/width.h"

enum { LABEL_COLUMNS = 14 };
#define LETTERS "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"

static struct store *store;
static struct words words;

static void open_store(int language) {
    struct message why;
    ck_assert_int_eq(store_open(&store, &why), STATUS_OK);
    ck_assert_int_eq(store_words(store, language == 1, &words, &why), STATUS_OK);
}

static const struct document *document_of(const struct lesson *lesson) {
    const struct document *document = NULL;
    struct message why;
    ck_assert_msg(store_lesson(store, lesson->folder, words.chinese, &document, &why) == STATUS_OK,
                  "%s: %s", lesson->folder, why.id);
    return document;
}

/* The words of <prefix><name><suffix>; fails when there are none. */
static const char *text_of(const char *prefix, const char *name, const char *suffix) {
    char id[128];
    snprintf(id, sizeof id, "%s%s%s", prefix, name, suffix);
    const char *text = words.find(words.book, id);
    ck_assert_msg(text != NULL && text[0] != '\0', "%s has no words", id);
    return text;
}

static bool is_knob_of_page(const struct lesson *lesson, int page, const char *label) {
    struct lesson_knobs groups[LESSON_GROUPS_MAX];
    ck_assert_int_ge(lesson->knobs(page, groups), 1);
    for (int i = 0; groups[0].options[i] != NULL; i++) {
        if (strcmp(text_of("option.", groups[0].options[i], ".label"), label) == 0) {
            return true;
        }
    }
    return false;
}

static bool target_exists(const char *target) {
    const struct lesson *lesson;
    int page;
    return lesson_link_find(target, &lesson, &page);
}

/* A paragraph that only leads on: links, and at most marks and blanks between them. */
static bool is_links(const struct document *document, const struct block *block) {
    bool any = false;
    for (int i = 0; i < block->span_count; i++) {
        const struct span *span = &document->spans[block->first_span + i];
        any = any || span->kind == SPAN_LINK;
        if (span->kind != SPAN_LINK && strpbrk(span->text, LETTERS) != NULL) {
            return false;
        }
    }
    return any && block->kind == BLOCK_PARAGRAPH;
}

static void check_block(const struct lesson *lesson, const struct document *document, int page,
                        const struct block *block) {
    for (int i = 0; i < block->span_count; i++) {
        const struct span *span = &document->spans[block->first_span + i];
        ck_assert_msg(block->kind != BLOCK_ITEM || span->kind != SPAN_STRONG ||
                          is_knob_of_page(lesson, page, span->text),
                      "%s page %d: %s is no knob of the page", lesson->id, page + 1, span->text);
        ck_assert_msg(span->kind != SPAN_LINK || target_exists(span->target),
                      "%s page %d: a link to %s", lesson->id, page + 1, span->target);
    }
}

static void check_page(const struct lesson *lesson, const struct document *document, int index) {
    const struct page *page = &document->pages[index];
    const struct block *blocks = &document->blocks[page->first_block];
    ck_assert_msg(page->title != NULL && page->title[0] != '\0', "%s page %d", lesson->id,
                  index + 1);
    ck_assert_int_ge(page->block_count, 3);
    ck_assert_msg(blocks[0].kind == BLOCK_QUOTE, "%s page %d: no often-said sentence", lesson->id,
                  index + 1);
    int last = page->block_count - 1;
    while (last > 0 && is_links(document, &blocks[last])) {
        last--;
    }
    ck_assert_msg(blocks[last].kind == BLOCK_ITEM, "%s page %d: nothing to move", lesson->id,
                  index + 1);
    for (int i = 0; i < page->block_count; i++) {
        check_block(lesson, document, index, &blocks[i]);
    }
}

START_TEST(pages_say_what_is_often_said_and_move_only_their_knobs) {
    open_store(_i);
    for (int l = 0; l < lesson_count(); l++) {
        const struct lesson *lesson = lesson_at(l);
        const struct document *document = document_of(lesson);
        text_of("lesson.", lesson->id, ".title");
        text_of("lesson.", lesson->id, ".summary");
        ck_assert_int_eq(document->page_count, lesson->page_count);
        for (int page = 0; page < document->page_count; page++) {
            check_page(lesson, document, page);
        }
    }
    store_close(store);
}
END_TEST

START_TEST(every_option_has_a_short_label_and_help) {
    const struct width_rules narrow = {.ambiguous_wide = false};
    open_store(_i);
    for (int i = 0; i < calc_option_count(); i++) {
        const char *name = calc_option_at(i)->name;
        const char *label = text_of("option.", name, ".label");
        ck_assert_msg(width_text(label, &narrow) <= LABEL_COLUMNS, "option.%s.label is wide", name);
        text_of("option.", name, ".help");
    }
    for (int l = 0; l < lesson_count(); l++) {
        for (int page = 0; page < lesson_at(l)->page_count; page++) {
            struct lesson_knobs groups[LESSON_GROUPS_MAX];
            int count = lesson_at(l)->knobs(page, groups);
            for (int g = 0; g < count; g++) {
                text_of("", groups[g].label, "");
            }
        }
    }
    store_close(store);
}
END_TEST

/* The preset's row is the store's, its meaning calc's; here dimensions do. */
static void resolve(const char *const pairs[][2], int count, struct scenario *s) {
    struct message why;
    scenario_start(s);
    for (int i = 0; i < count; i++) {
        ck_assert_int_eq(calc_option_set(s, calc_option_index(pairs[i][0]), pairs[i][1], &why),
                         STATUS_OK);
    }
    ck_assert_int_eq(scenario_resolve(s, s, &why), STATUS_OK);
    ck_assert_int_eq(scenario_violations(s, &why, 1), 0);
}

START_TEST(every_row_and_term_of_a_ledger_is_explained) {
    static const char *const plain[][2] = {
        {"layers", "4"}, {"hidden", "256"}, {"heads", "4"}, {"vocab", "512"}, {"ffn", "512"}};
    static const char *const rich[][2] = {
        {"layers", "4"},    {"hidden", "256"},  {"heads", "4"},
        {"vocab", "512"},   {"qk-norm", "yes"}, {"attention", "standard"},
        {"dropout", "yes"}, {"logits", "fp32"}, {"convention", "deepspeed"},
        {"dp", "2"},        {"zero", "2"}};
    static const char *const recomputed[][2] = {{"layers", "4"},       {"hidden", "256"},
                                                {"heads", "4"},        {"vocab", "512"},
                                                {"recompute", "full"}, {"convention", "megatron"}};
    struct scenario scenarios[3];
    static struct view view;
    struct message why;
    resolve(plain, 5, &scenarios[0]);
    resolve(rich, 11, &scenarios[1]);
    resolve(recomputed, 6, &scenarios[2]);
    open_store(_i);
    for (int k = 0; k < 3; k++) {
        struct lesson_input in = {.now = &scenarios[k], .before = NULL, .page = 0};
        ck_assert_int_eq(lesson_find("memory")->view(&in, &view, &why), STATUS_OK);
        ck_assert_int_eq(view.items[0].kind, VIEW_KIND_LEDGER);
        const struct view_ledger *ledger = &view.items[0].ledger;
        for (int i = 0; i < ledger->row_count; i++) {
            text_of(ledger->rows[i].label, "", "");
        }
        for (int i = 0; i < ledger->line_count; i++) {
            text_of(ledger->lines[i].id, "", "");
            text_of(ledger->lines[i].id, ".why", "");
        }
    }
    store_close(store);
}
END_TEST

static Suite *suite(void) {
    Suite *all = suite_create("lesson words");
    TCase *both = tcase_create("both languages");
    tcase_add_loop_test(both, pages_say_what_is_often_said_and_move_only_their_knobs, 0, 2);
    tcase_add_loop_test(both, every_option_has_a_short_label_and_help, 0, 2);
    tcase_add_loop_test(both, every_row_and_term_of_a_ledger_is_explained, 0, 2);
    suite_add_tcase(all, both);
    return all;
}

#include "support/check_main.h"
