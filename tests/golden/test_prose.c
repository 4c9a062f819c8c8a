/* The words and numbers of every lesson, in both languages: no number that nobody computes, no Latin word in Chinese
 * that the glossary, the options or a list of names does not know, no Chinese in English; and every entry of the lists
 * is used. The rules are in prose_rules.h; planted texts prove first that each can fail. */
#include "golden/prose_rules.h"

#include "support/cjk.h"

static struct prose prose;
static struct words words[2];
static const char *const languages[] = {"en", "zh"};

static void names_read(void) {
    FILE *in = fopen(TEST_SOURCE_DIR "/vectors/prose_names.txt", "r");
    ck_assert_ptr_nonnull(in);
    char line[TOKEN_MAX];
    while (fgets(line, sizeof line, in) != NULL) {
        line[strcspn(line, "\n")] = '\0';
        if (line[0] != '#' && line[0] != '\0') {
            ck_assert_int_lt(prose.name_count, NAMES_MAX);
            (void)snprintf(prose.names[prose.name_count++], TOKEN_MAX, "%s", line);
        }
    }
    (void)fclose(in);
}

static void open_all(void) {
    struct message why;
    memset(&prose, 0, sizeof prose);
    ck_assert_int_eq(store_open(&prose.store, &why), STATUS_OK);
    ck_assert_int_eq(store_glossary(prose.store, &prose.glossary, &why), STATUS_OK);
    ck_assert_int_eq(store_models(prose.store, &prose.models, &prose.model_count, &why), STATUS_OK);
    ck_assert_int_eq(store_gpus(prose.store, &prose.gpus, &prose.gpu_count, &why), STATUS_OK);
    for (int i = 0; i < 2; i++) {
        ck_assert_int_eq(store_words(prose.store, i == 1, &words[i], &why), STATUS_OK);
    }
    names_read();
    prose.phrases = csv_read("prose_numbers.csv");
    prose.phrase_used = calloc((size_t)prose.phrases.rows, sizeof *prose.phrase_used);
    ck_assert_ptr_nonnull(prose.phrase_used);
}

static void close_all(void) {
    free(prose.phrase_used);
    csv_free(&prose.phrases);
    store_close(prose.store);
}

/* A block where it stands. */
struct where {
    const struct lesson *lesson;
    const struct document *doc;
    int page, language;
    const struct block *block;
};

/* The option or knob of the page with this label; NULL: none. */
static const char *knob_of(const struct where *at, const char *label) {
    struct lesson_knobs groups[LESSON_GROUPS_MAX];
    memset(groups, 0, sizeof groups);
    int count = at->lesson->knobs(at->page, groups);
    for (int g = 0; g < count; g++) {
        for (int i = 0; i < LESSON_KNOBS_MAX && groups[g].options[i] != NULL; i++) {
            char id[96];
            (void)snprintf(id, sizeof id, "option.%s.label", groups[g].options[i]);
            if (strcmp(words_get(&words[at->language], id), label) == 0) {
                return groups[g].options[i];
            }
        }
    }
    return NULL;
}

static bool knob_takes(const struct where *at, const char *label, const char *value) {
    const char *name = knob_of(at, label);
    struct scenario s;
    struct message why;
    if (name == NULL) {
        return false;
    }
    int index = calc_option_find(name, strlen(name));
    scenario_start(&s);
    return index < 0 ? word_is_own_stop(at->lesson, value)
                     : calc_option_set(&s, index, value, &why) == STATUS_OK;
}

/* The prose of the block: labels of knobs are what the screen shows, not words of the page. */
static void block_text(const struct where *at, char out[PROSE_MAX]) {
    struct writer w;
    writer_start(&w, out, PROSE_MAX);
    for (int i = 0; at->block->kind != BLOCK_CODE && i < at->block->span_count; i++) {
        const struct span *span = &at->doc->spans[at->block->first_span + i];
        bool label = span->kind == SPAN_STRONG && knob_of(at, span->text) != NULL;
        if (label) {
            writer_char(&w, '`');
        } else {
            prose_add(&w, span);
        }
    }
}

/* In a list item: a value of one of the knobs that it names. */
static bool is_stop(const struct where *at, const char *token) {
    for (int i = 0; at->block->kind == BLOCK_ITEM && i < at->block->span_count; i++) {
        const struct span *span = &at->doc->spans[at->block->first_span + i];
        if (span->kind == SPAN_STRONG && knob_takes(at, span->text, token)) {
            return true;
        }
    }
    return false;
}

/* The first number of a text that is neither listed, nor part of a name, nor a stop; false: there is none. */
static bool number_fault(const struct where *at, const char *id, const char *text,
                         char fault[TOKEN_MAX]) {
    static bool covered[PROSE_MAX];
    const char *rest = text, *start = NULL;
    memset(covered, 0, sizeof covered);
    phrases_cover(&prose, id, languages[at->language], text, covered);
    while (token_next(&rest, fault, &start)) {
        bool listed = covered[start - text];
        bool known = token_has(fault, isalpha) && word_is_known(&prose, at->lesson, fault);
        char minus[TOKEN_MAX + 1];
        (void)snprintf(minus, sizeof minus, "-%s", fault);
        bool negative = start > text && start[-1] == '-';
        if (token_has(fault, isdigit) && !listed && !known &&
            (at->block == NULL || !is_stop(at, negative ? minus : fault))) {
            return true;
        }
    }
    return false;
}

/* The first Latin word that nobody knows. */
static bool word_fault(const struct where *at, const char *text, char fault[TOKEN_MAX]) {
    const char *rest = text, *start = NULL;
    while (token_next(&rest, fault, &start)) {
        if (token_has(fault, isalpha) && !word_is_formula(fault) &&
            !word_is_known(&prose, at->lesson, fault)) {
            return true;
        }
    }
    return false;
}

static int fault_count;

static void report(const struct where *at, const char *what, const char *text, const char *fault) {
    fault_count++;
    fprintf(stderr, "%s %s page %d: %s: %s, in: %.160s\n", at->lesson->id, languages[at->language],
            at->page + 1, what, fault, text);
}

static void check_text(const struct where *at, const char *text) {
    char fault[TOKEN_MAX];
    if (number_fault(at, at->lesson->id, text, fault)) {
        report(at, "a number that nothing computes", text, fault);
    }
    if (at->language == 1 && word_fault(at, text, fault)) {
        report(at, "a word that is neither in the glossary nor a name", text, fault);
    }
    if (at->language == 0 && cjk_at(text) > 0) {
        report(at, "Chinese in English", text, "");
    }
}

static bool block_has_cjk(const struct where *at) {
    const struct span *first = &at->doc->spans[at->block->first_span];
    bool has = at->block->kind == BLOCK_CODE || first->kind == SPAN_LINK; /* may be a name */
    for (int i = 0; !has && i < at->block->span_count; i++) {
        has = cjk_at(at->doc->spans[at->block->first_span + i].text) > 0;
    }
    return has;
}

static void check_page(struct where *at) {
    const struct page *page = &at->doc->pages[at->page];
    bool chinese = cjk_at(page->title) > 0;
    check_text(at, page->title);
    for (int b = 0; b < page->block_count; b++) {
        char text[PROSE_MAX];
        at->block = &at->doc->blocks[page->first_block + b];
        block_text(at, text);
        chinese = chinese && (at->language == 0 || block_has_cjk(at));
        check_text(at, text);
    }
    if (at->language == 1 && !chinese) {
        report(at, "a page or a block without Chinese", page->title, "");
    }
    at->block = NULL;
}

static void check_lesson(const struct lesson *lesson, int language) {
    struct where at = {.lesson = lesson, .language = language};
    struct message why;
    ck_assert_int_eq(store_lesson(prose.store, lesson->folder, language == 1, &at.doc, &why),
                     STATUS_OK);
    for (at.page = 0; at.page < at.doc->page_count; at.page++) {
        check_page(&at);
    }
}

/* Without {0} … {5}. */
static void without_places(const char *text, char out[PROSE_MAX]) {
    size_t length = 0;
    for (; *text != '\0' && length + 1 < PROSE_MAX; text++) {
        if (text[0] == '{' && isdigit((unsigned char)text[1]) && text[2] == '}') {
            out[length++] = '{';
            text += 2;
        } else {
            out[length++] = *text;
        }
    }
    out[length] = '\0';
}

/* The sentences that lessons say beside their pages: lesson.* of the strings. */
static void check_strings(void) {
    const struct record *book = NULL;
    struct message why;
    ck_assert_int_eq(
        store_json_file(prose.store, TEST_SOURCE_DIR "/../assets/strings.json", &book, &why),
        STATUS_OK);
    for (int i = 0; i < book->count; i++) {
        const char *key = book->fields[i].key;
        size_t length = strlen(key);
        if (strncmp(key, "lesson.", 7) != 0 || book->fields[i].kind != FIELD_TEXT) {
            continue;
        }
        char text[PROSE_MAX], fault[TOKEN_MAX];
        struct where at = {.language = strcmp(key + length - 3, ".zh") == 0 ? 1 : 0};
        without_places(book->fields[i].text, text);
        if (number_fault(&at, "strings", text, fault)) {
            fault_count++;
            fprintf(stderr, "%s: a number that nothing computes: %s, in: %s\n", key, fault, text);
        }
        if (at.language == 1 && word_fault(&at, text, fault)) {
            fault_count++;
            fprintf(stderr, "%s: a word that nobody knows: %s, in: %s\n", key, fault, text);
        }
    }
}

START_TEST(every_word_and_number_is_known_and_every_entry_is_used) {
    fault_count = 0;
    for (int i = 0; i < lesson_count(); i++) {
        check_lesson(lesson_at(i), 0);
        check_lesson(lesson_at(i), 1);
    }
    check_strings();
    for (int i = 0; i < prose.name_count; i++) {
        fault_count += prose.name_used[i] ? 0 : 1;
        fprintf(stderr, "%s%s%s", prose.name_used[i] ? "" : "a name that no lesson uses: ",
                prose.name_used[i] ? "" : prose.names[i], prose.name_used[i] ? "" : "\n");
    }
    for (int i = 0; i < prose.phrases.rows; i++) {
        if (!prose.phrase_used[i]) {
            fault_count++;
            fprintf(stderr, "prose_numbers.csv:%d: a phrase that no lesson has: %s\n", i + 2,
                    csv_get(&prose.phrases, i, "phrase"));
        }
    }
    ck_assert_msg(fault_count == 0, "%d faults, see above", fault_count);
}
END_TEST

START_TEST(every_listed_number_is_what_it_is_said_to_be) {
    for (int i = 0; i < prose.phrases.rows; i++) {
        phrase_check(csv_get(&prose.phrases, i, "phrase"), csv_get(&prose.phrases, i, "why"));
    }
}
END_TEST

/* --- Planted texts --- */

static const struct {
    const char *text;
    int language;
    const char *number, *word; /* the fault, NULL: none */
} planted[] = {
    {"There are 17 of them.", 0, "17", NULL},
    {"There are {} of them, FP32 and ZeRO-1.", 0, NULL, NULL},
    {"With FP99 it is faster.", 0, "FP99", NULL},
    {"It is 1.5 times as much.", 0, "1.5", NULL},
    {"stage 0 holds more, stage 3 less", 0, "3", NULL},
    {"共 17 个", 1, "17", NULL},
    {"用 Foobar 训练", 1, NULL, "Foobar"},
    {"用 Adam 训练 N 个 rank，FP32", 1, NULL, NULL},
};

START_TEST(a_planted_text_is_found) {
    struct where at = {.lesson = lesson_find("memory"), .language = planted[_i].language};
    char fault[TOKEN_MAX];
    bool number = number_fault(&at, "memory", planted[_i].text, fault);
    ck_assert_msg(number == (planted[_i].number != NULL), "%s", fault);
    ck_assert_msg(!number || strcmp(fault, planted[_i].number) == 0, "%s", fault);
    bool word = planted[_i].language == 1 && word_fault(&at, planted[_i].text, fault);
    ck_assert_msg(word == (planted[_i].word != NULL), "%s", fault);
    ck_assert_msg(!word || strcmp(fault, planted[_i].word) == 0, "%s", fault);
}
END_TEST

/* An item may name a stop of the knob that it names, and no other number. */
START_TEST(an_item_names_a_stop_of_its_own_knob) {
    static const char text[] =
        "# T\n\n> s\n\n- Set **Data ranks** to 64.\n- Set **Optimizer** to 64.\n- Wait 64 steps.\n";
    static const bool good[] = {true, false, false};
    const struct store_markdown_source source = {"planted", text, sizeof text - 1};
    struct where at = {.lesson = lesson_find("memory")};
    struct message why;
    ck_assert_int_eq(store_markdown(prose.store, &source, &at.doc, &why), STATUS_OK);
    for (int i = 0; i < 3; i++) {
        char block[PROSE_MAX], fault[TOKEN_MAX];
        at.block = &at.doc->blocks[at.doc->pages[0].first_block + 1 + i];
        block_text(&at, block);
        ck_assert_msg(number_fault(&at, "memory", block, fault) != good[i], "item %d", i);
    }
}
END_TEST

static Suite *suite(void) {
    Suite *s = suite_create("prose");
    TCase *t = tcase_create("lessons");
    tcase_add_checked_fixture(t, open_all, close_all);
    tcase_set_timeout(t, 60);
    tcase_add_loop_test(t, a_planted_text_is_found, 0, (int)(sizeof planted / sizeof planted[0]));
    tcase_add_test(t, an_item_names_a_stop_of_its_own_knob);
    tcase_add_test(t, every_listed_number_is_what_it_is_said_to_be);
    tcase_add_test(t, every_word_and_number_is_known_and_every_entry_is_used);
    suite_add_tcase(s, t);
    return s;
}

#include "support/check_main.h"
