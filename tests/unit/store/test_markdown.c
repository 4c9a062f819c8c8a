/* Markdown as lessons use it, read into pages, blocks and spans. A document is written out here as
 * one line a block, so that sources and expected lines can be read side by side: "#" and a title,
 * or H heading, P paragraph, I item, Q quote, C code, and its spans: *strong*, /emphasis/, `code`,
 * [link|target]. */
#include "shardlab/store/store.h"

#include <check.h>
#include <string.h>

#include "shardlab/base/writer.h"

static struct store *store;
static char shown[65536];

static void open_store(void) {
    struct message why;
    ck_assert_int_eq(store_open(&store, &why), STATUS_OK);
}

static enum status read_text(const char *text, const struct document **out, struct message *why) {
    const struct store_markdown_source source = {"x.md", text, strlen(text)};
    return store_markdown(store, &source, out, why);
}

static void close_store(void) {
    store_close(store);
}

static void span_show(struct writer *w, const struct span *span) {
    static const char *const open[] = {"", "*", "/", "`", "["};
    static const char *const close[] = {"", "*", "/", "`", "]"};
    writer_text(w, open[span->kind]);
    writer_text(w, span->text);
    if (span->kind == SPAN_LINK) {
        writer_char(w, '|');
        writer_text(w, span->target);
    }
    writer_text(w, close[span->kind]);
}

static void document_show(const struct document *d) {
    struct writer w;
    writer_start(&w, shown, sizeof shown);
    for (int p = 0; p < d->page_count; p++) {
        const struct page *page = &d->pages[p];
        writer_text(&w, "# ");
        writer_text(&w, page->title);
        writer_char(&w, '\n');
        for (int b = 0; b < page->block_count; b++) {
            const struct block *block = &d->blocks[page->first_block + b];
            writer_char(&w, "HPIQC"[block->kind]);
            writer_char(&w, ' ');
            for (int i = 0; i < block->span_count; i++) {
                span_show(&w, &d->spans[block->first_span + i]);
            }
            writer_char(&w, '\n');
        }
    }
    ck_assert(!w.overflow);
}

static const struct {
    const char *source, *shown;
} good[] = {
    {"# One\n\nText.\n", "# One\nP Text.\n"},
    {"# One\n# Two\n", "# One\n# Two\n"},
    {"# A *b* `c` &amp; **d**\nx", "# A b c & d\nP x\n"},
    {"One\n===\nText\n", "# One\nP Text\n"},
    {"# One\n## Part\n### Small\n", "# One\nH Part\nH Small\n"},
    {"# One\n- a\n- b\n", "# One\nI a\nI b\n"},
    {"# One\n- a\n\n- b\n\n  more\n", "# One\nI a\nI b\nP more\n"},
    {"# One\n- a\n  - b\n- c\n", "# One\nI a\nI b\nI c\n"},
    {"# One\n3. a\n4. b\n", "# One\nI a\nI b\n"},
    {"# One\n> said\n> often\n\nBut.\n", "# One\nQ said often\nP But.\n"},
    {"# One\n> a\n>\n> b\n", "# One\nQ a\nQ b\n"},
    {"# One\n> - a\n", "# One\nI a\n"},
    {"# One\n```\na\tb\n\n c\n```\n", "# One\nC `a    b```` c`\n"},
    {"# One\n    indented\n", "# One\nC `indented`\n"},
    {"# One\na *b* **c** `d e` f\n", "# One\nP a /b/ *c* `d e` f\n"},
    {"# One\n[zero](lesson:zero) and [shard](glossary:shard)\n",
     "# One\nP [zero|lesson:zero] and [shard|glossary:shard]\n"},
    {"# One\n[a](x)[b](y)\n", "# One\nP [a|x][b|y]\n"},
    {"# One\n[a **b** c](x)\n", "# One\nP [a |x][b|x][ c|x]\n"},
    {"# One\n***both***\n", "# One\nP *both*\n"},
    {"# One\n{{a_b}} x {{c_d}} y\n", "# One\nP {{a_b}} x {{c_d}} y\n"},
    {"# One\n\n---\n\nx\n", "# One\nP x\n"},
    {"# \n\nx\n", "# \nP x\n"},
    /* line breaks */
    {"# One\na\nb\n", "# One\nP a b\n"},
    {"# One\na  \nb\n", "# One\nP a b\n"},
    {"# One\r\na\r\nb\r\n", "# One\nP a b\n"},
    {"# One\n中文\n换行\n", "# One\nP 中文换行\n"},
    {"# One\n显存\nGPU\n显存\n", "# One\nP 显存 GPU 显存\n"},
    {"# One\n好，\nGPU\n（是）\n", "# One\nP 好，GPU（是）\n"},
    {"# One\n中“文”\n字\n", "# One\nP 中“文”字\n"},
    {"# One\nsaid\n“so”\n", "# One\nP said “so”\n"},
    {"# One\na\n*b*\nc\n", "# One\nP a /b/ c\n"},
    {"# One\na\n[b](t)\nc\n", "# One\nP a [b|t] c\n"},
    {"# One\n*a*\n**b**\n", "# One\nP /a/ *b*\n"},
    {"# One\n*a\nb*\n", "# One\nP /a b/\n"},
    {"# One\n中\n**文**\n字\n", "# One\nP 中*文*字\n"},
    /* entities and control characters */
    {"# One\n&lt;b&gt; &#x2014; &#20013; &times; &unknown;\n", "# One\nP <b> — 中 × &unknown;\n"},
    {"# One\na\x1b[31mb\x7f\xc2\x9b"
     "c\n",
     "# One\nP a[31mbc\n"},
    {"# One\na&#27;b&#7;\n", "# One\nP ab\n"},
    {"# One\na\tb\n", "# One\nP a b\n"},
    {"# One\n[x](a\xc2\x9b"
     "b)\n",
     "# One\nP [x|ab]\n"},
    {"# One\n1 < 2 and 3 > 2\n", "# One\nP 1 < 2 and 3 > 2\n"},
    {"# One\na | b\n", "# One\nP a | b\n"},
};

START_TEST(markdown_becomes_pages_blocks_and_spans) {
    const struct document *document = NULL;
    struct message why = {0};
    const char *source = good[_i].source;
    ck_assert_msg(read_text(source, &document, &why) == STATUS_OK, "%s: %s", source, why.id);
    document_show(document);
    ck_assert_msg(strcmp(shown, good[_i].shown) == 0, "%s\nbecame\n%s\nnot\n%s", source, shown,
                  good[_i].shown);
}
END_TEST

static const struct {
    const char *source, *id;
    uint64_t line;
} bad[] = {
    {"", "error.lesson.no_page", 1},
    {"\n\n", "error.lesson.no_page", 1},
    {"word\n\n# One\n", "error.lesson.before_title", 1},
    {"\n## Part\n# One\n", "error.lesson.before_title", 2},
    {"- a\n", "error.lesson.before_title", 1},
    {"# One\n\na\n\n| a | b |\n|---|---|\n| 1 | 2 |\n", "error.lesson.table", 5},
    {"# One\n\n![a](b.png)\n", "error.lesson.image", 3},
    {"# One\n\nx <b>y</b>\n", "error.lesson.html", 3},
    {"# One\n\n<div>\ny\n</div>\n", "error.lesson.html", 3},
    {"# One\n\n<!-- y -->\n", "error.lesson.html", 3},
    {"# One\n\na\xff\n", "error.text.utf8", 3},
};

START_TEST(what_a_page_cannot_show_is_refused_with_its_line) {
    const struct document *document = NULL;
    struct message why = {0};
    const char *source = bad[_i].source;
    ck_assert_msg(read_text(source, &document, &why) == STATUS_FAILED, "%s", source);
    ck_assert_msg(strcmp(why.id, bad[_i].id) == 0, "%s: %s", source, why.id);
    ck_assert_str_eq(why.args[0].text, "x.md");
    ck_assert_msg(why.args[1].count == bad[_i].line, "%s: line %d", source, (int)why.args[1].count);
}
END_TEST

START_TEST(a_page_knows_its_line) {
    static const char source[] = "# One\n\nx\n\n\n# *Two*\n\nThree\n=====\n";
    const struct document *document = NULL;
    struct message why;
    ck_assert_int_eq(read_text(source, &document, &why), STATUS_OK);
    ck_assert_int_eq(document->page_count, 3);
    ck_assert_int_eq(document->pages[0].line, 1);
    ck_assert_int_eq(document->pages[1].line, 6);
    ck_assert_int_eq(document->pages[2].line, 8);
}
END_TEST

START_TEST(only_links_have_a_target) {
    static const char source[] = "# One\na [b](c) `d`\n";
    const struct document *document = NULL;
    struct message why;
    ck_assert_int_eq(read_text(source, &document, &why), STATUS_OK);
    for (int i = 0; i < document->span_count; i++) {
        bool link = document->spans[i].kind == SPAN_LINK;
        ck_assert((document->spans[i].target != NULL) == link);
    }
}
END_TEST

START_TEST(the_source_may_be_gone_when_the_document_is_read) {
    char source[] = "# One\n\nword [a](b)\n";
    const struct document *document = NULL;
    struct message why;
    ck_assert_int_eq(read_text(source, &document, &why), STATUS_OK);
    memset(source, 'z', sizeof source - 1);
    document_show(document);
    ck_assert_str_eq(shown, "# One\nP word [a|b]\n");
}
END_TEST

START_TEST(the_lessons_that_ship_can_be_read_in_both_languages) {
    const struct document *en = NULL;
    const struct document *zh = NULL;
    struct message why = {0};
    ck_assert_msg(store_lesson(store, "10_memory", false, &en, &why) == STATUS_OK, "%s", why.id);
    ck_assert_msg(store_lesson(store, "10_memory", true, &zh, &why) == STATUS_OK, "%s", why.id);
    ck_assert_int_gt(en->page_count, 0);
    ck_assert_int_eq(en->page_count, zh->page_count);
}
END_TEST

START_TEST(a_named_file_is_read_and_a_missing_one_is_named) {
    const struct document *document = NULL;
    struct message why;
    const char *path = TEST_SOURCE_DIR "/../lessons/10_memory/en.md";
    ck_assert_int_eq(store_markdown_file(store, path, &document, &why), STATUS_OK);
    ck_assert_int_gt(document->page_count, 0);
    ck_assert_int_eq(store_markdown_file(store, "no-such.md", &document, &why), STATUS_FAILED);
    ck_assert_str_eq(why.id, "error.file.missing");
    ck_assert_str_eq(why.args[0].text, "no-such.md");
}
END_TEST

static Suite *suite(void) {
    Suite *all = suite_create("markdown");
    TCase *tests = tcase_create("markdown");
    tcase_add_checked_fixture(tests, open_store, close_store);
    tcase_add_loop_test(tests, markdown_becomes_pages_blocks_and_spans, 0,
                        (int)(sizeof good / sizeof good[0]));
    tcase_add_loop_test(tests, what_a_page_cannot_show_is_refused_with_its_line, 0,
                        (int)(sizeof bad / sizeof bad[0]));
    tcase_add_test(tests, a_page_knows_its_line);
    tcase_add_test(tests, only_links_have_a_target);
    tcase_add_test(tests, the_source_may_be_gone_when_the_document_is_read);
    tcase_add_test(tests, the_lessons_that_ship_can_be_read_in_both_languages);
    tcase_add_test(tests, a_named_file_is_read_and_a_missing_one_is_named);
    suite_add_tcase(all, tests);
    return all;
}

#include "support/check_main.h"
