/* Files that went wrong in ways nobody thought of: whatever is done to a lesson or a config.json,
 * reading it ends, says why when it fails, and gives a document whose parts lie inside each other.
 * Run it under sanitizers. */
#define _POSIX_C_SOURCE 200809L

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "shardlab/store/store.h"
#include "support/mangle.h"

enum { ROUNDS = 4000, ROUNDS_A_STORE = 200, TEXT_MAX = 4096 };

static const char lesson[] =
    "# One *two* `three`\n\n> “said” {{figure}}\n> more\n\nText **strong** "
    "[link](lesson:zero) &amp; &#x2014;\n中文\n换行，\nGPU\n\n- a\n  - b\n\n    c\n"
    "- d\n\n```text\na\tb\n\nc\n```\n## Part\n1. x\n2. y\n\n| a | b |\n"
    "|---|---|\n| 1 | 2 |\n\n![i](j) <b>k</b>\n\n# Two\n    code\n";

static const char config[] =
    "{\"model_type\": \"llama\", \"hidden_size\": 4096, \"a\": [1, 2.5e3, -7, "
    "\"\\u4e2d\\n\"], \"rope\": {\"factor\": 8.0, \"deep\": {\"x\": null}}, "
    "\"tie\": false, \"中\": true}\n";

static const char path[] = "mangled.json";
static uint64_t seed;
static char text[TEXT_MAX];

static struct store *open_store(void) {
    struct store *s = NULL;
    struct message why;
    ck_assert_int_eq(store_open(&s, &why), STATUS_OK);
    return s;
}

static void start(void) {
    seed = 20240607;
}

static void stop(void) {
    (void)unlink(path);
}

static void document_check(const struct document *d) {
    int blocks = 0;
    int spans = 0;
    for (int p = 0; p < d->page_count; p++) {
        ck_assert_int_eq(d->pages[p].first_block, blocks);
        ck_assert_ptr_nonnull(d->pages[p].title);
        ck_assert_int_ge(d->pages[p].line, 1);
        blocks += d->pages[p].block_count;
    }
    ck_assert_int_eq(blocks, d->block_count);
    for (int b = 0; b < d->block_count; b++) {
        ck_assert_int_eq(d->blocks[b].first_span, spans);
        spans += d->blocks[b].span_count;
    }
    ck_assert_int_eq(spans, d->span_count);
    for (int i = 0; i < d->span_count; i++) {
        ck_assert_ptr_nonnull(d->spans[i].text);
        ck_assert((d->spans[i].kind == SPAN_LINK) == (d->spans[i].target != NULL));
        for (const char *c = d->spans[i].text; *c != '\0'; c++) {
            ck_assert_msg((unsigned char)*c >= 0x20 && *c != 0x7F, "a control character is left");
        }
    }
}

START_TEST(a_mangled_lesson_is_read_or_refused) {
    int read = 0;
    for (int round = 0; round < ROUNDS; round += ROUNDS_A_STORE) {
        struct store *s = open_store();
        for (int i = 0; i < ROUNDS_A_STORE; i++) {
            size_t length = mangle_text(&seed, lesson, text, sizeof text);
            const struct store_markdown_source source = {"m.md", text, length};
            const struct document *document = NULL;
            struct message why = {0};
            if (store_markdown(s, &source, &document, &why) == STATUS_OK) {
                document_check(document);
                read++;
            } else {
                ck_assert_ptr_nonnull(why.id);
                ck_assert_str_eq(why.args[0].text, "m.md");
            }
        }
        store_close(s);
    }
    ck_assert_int_lt(read, ROUNDS);
}
END_TEST

static void text_write(size_t length) {
    FILE *file = fopen(path, "wb");
    ck_assert_ptr_nonnull(file);
    ck_assert_uint_eq(fwrite(text, 1, length, file), length);
    ck_assert_int_eq(fclose(file), 0);
}

static void record_check(const struct record *record) {
    for (int i = 0; i < record->count; i++) {
        ck_assert_ptr_nonnull(record->fields[i].key);
        ck_assert_ptr_nonnull(record->fields[i].text);
        ck_assert_ptr_nonnull(record_find(record, record->fields[i].key));
    }
}

START_TEST(a_mangled_json_file_is_read_or_refused) {
    int read = 0;
    for (int round = 0; round < ROUNDS; round += ROUNDS_A_STORE) {
        struct store *s = open_store();
        for (int i = 0; i < ROUNDS_A_STORE; i++) {
            const struct record *record = NULL;
            struct message why = {0};
            text_write(mangle_text(&seed, config, text, sizeof text));
            if (store_json_file(s, path, &record, &why) == STATUS_OK) {
                record_check(record);
                read++;
            } else {
                ck_assert_ptr_nonnull(why.id);
                ck_assert_str_eq(why.args[0].text, path);
            }
        }
        store_close(s);
    }
    ck_assert_int_gt(read, 0);
    ck_assert_int_lt(read, ROUNDS);
}
END_TEST

static Suite *suite(void) {
    Suite *all = suite_create("mangled");
    TCase *tests = tcase_create("mangled");
    tcase_add_checked_fixture(tests, start, stop);
    tcase_add_test(tests, a_mangled_lesson_is_read_or_refused);
    tcase_add_test(tests, a_mangled_json_file_is_read_or_refused);
    suite_add_tcase(all, tests);
    return all;
}

#include "support/check_main.h"
