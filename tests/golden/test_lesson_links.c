/* The lessons are one net: every link of every page leads to a page that exists, both languages of a page link to the same
 * pages in the same order, and a lesson that is linked to links back from some page of its own. */
#include <check.h>
#include <string.h>

#include "shardlab/lesson/lesson.h"
#include "shardlab/store/store.h"
#include "shardlab/ui/draw.h"

static struct store *store;

static void open_store(void) {
    struct message why;
    ck_assert_int_eq(store_open(&store, &why), STATUS_OK);
}

static void close_store(void) {
    store_close(store);
}

static const struct document *document_of(const struct lesson *lesson, bool chinese) {
    const struct document *document = NULL;
    struct message why;
    ck_assert_msg(store_lesson(store, lesson->folder, chinese, &document, &why) == STATUS_OK,
                  "%s: %s", lesson->folder, why.id);
    return document;
}

static bool links_to(const struct lesson *from, const struct lesson *to) {
    const struct document *doc = document_of(from, false);
    for (int i = 0; i < doc->span_count; i++) {
        const struct lesson *lesson = NULL;
        int page;
        if (doc->spans[i].kind == SPAN_LINK &&
            lesson_link_find(doc->spans[i].target, &lesson, &page) && lesson == to) {
            return true;
        }
    }
    return false;
}

START_TEST(every_link_leads_to_a_page_that_exists) {
    const struct lesson *lesson = lesson_at(_i / 2);
    const struct document *doc = document_of(lesson, _i % 2 == 1);
    for (int i = 0; i < doc->span_count; i++) {
        const struct lesson *to;
        int page;
        const char *target = doc->spans[i].target;
        bool glossary = target != NULL && strncmp(target, "glossary:", 9) == 0;
        ck_assert_msg(doc->spans[i].kind != SPAN_LINK || glossary ||
                          lesson_link_find(target, &to, &page),
                      "%s: a link to %s", lesson->id, target);
    }
}
END_TEST

START_TEST(both_languages_link_to_the_same_pages_in_the_same_order) {
    const struct lesson *lesson = lesson_at(_i);
    const struct document *en = document_of(lesson, false), *zh = document_of(lesson, true);
    for (int page = 0; page < lesson->page_count; page++) {
        int count = ui_page_link_count(en, page);
        ck_assert_msg(count == ui_page_link_count(zh, page), "%s page %d: links differ in number",
                      lesson->id, page + 1);
        for (int i = 0; i < count; i++) {
            const char *one = ui_page_link(en, page, i)->target;
            const char *other = ui_page_link(zh, page, i)->target;
            ck_assert_msg(strcmp(one, other) == 0, "%s page %d: %s in English, %s in Chinese",
                          lesson->id, page + 1, one, other);
        }
    }
}
END_TEST

START_TEST(a_lesson_that_is_linked_to_links_back) {
    const struct lesson *from = lesson_at(_i);
    for (int i = 0; i < lesson_count(); i++) {
        const struct lesson *to = lesson_at(i);
        ck_assert_msg(to == from || !links_to(from, to) || links_to(to, from),
                      "%s links to %s, which does not link back", from->id, to->id);
    }
}
END_TEST

START_TEST(targets_are_read_as_they_are_written) {
    static const struct {
        const char *target;
        int page; /* -1: refused */
    } cases[] = {
        {"lesson:memory", 0},     {"lesson:memory#1", 0},
        {"lesson:memory#6", 5},   {"lesson:memory#7", -1},
        {"lesson:memory#0", -1},  {"lesson:memory#02", -1},
        {"lesson:memory#", -1},   {"lesson:memory#2x", -1},
        {"lesson:memory#-1", -1}, {"lesson:Memory", -1},
        {"lesson:", -1},          {"lesson", -1},
        {"memory", -1},           {"glossary:memory", -1},
        {"lesson:memory #1", -1}, {"lesson:memory#99999999999", -1},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const struct lesson *lesson = NULL;
        int page = -1;
        bool found = lesson_link_find(cases[i].target, &lesson, &page);
        ck_assert_msg(found == (cases[i].page >= 0), "%s", cases[i].target);
        ck_assert_msg(!found || (page == cases[i].page && lesson == lesson_find("memory")), "%s",
                      cases[i].target);
    }
    const struct lesson *lesson;
    int page;
    ck_assert(!lesson_link_find(NULL, &lesson, &page));
}
END_TEST

static Suite *suite(void) {
    Suite *s = suite_create("lesson links");
    TCase *t = tcase_create("links");
    tcase_add_checked_fixture(t, open_store, close_store);
    tcase_add_loop_test(t, every_link_leads_to_a_page_that_exists, 0, 2 * lesson_count());
    tcase_add_loop_test(t, both_languages_link_to_the_same_pages_in_the_same_order, 0,
                        lesson_count());
    tcase_add_loop_test(t, a_lesson_that_is_linked_to_links_back, 0, lesson_count());
    tcase_add_test(t, targets_are_read_as_they_are_written);
    suite_add_tcase(s, t);
    return s;
}

#include "support/check_main.h"
