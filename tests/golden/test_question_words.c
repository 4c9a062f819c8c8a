/* The words of every question in both languages: no number but in names and in formulas like (p−1)/m, since numbers come
 * from makers; no Latin word in Chinese that neither the glossary, nor an option, nor a list of names knows; no Chinese in
 * English, and full-width punctuation in Chinese. Planted texts prove first that the rules can fail. */
#include "golden/questions_support.h"

#include "support/cjk.h"

/* Whether a character ends a formula: blanks, braces, quotes, and what belongs to sentences. */
static bool ends_formula(uint32_t c) {
    return c <= ' ' || c == '{' || c == '}' || c == '"' || is_cjk(c) ||
           (c >= 0x2010 && c <= 0x203F);
}

/* The run of characters around `at` that a formula could be. */
static void formula_around(const char *text, const char *at, char out[TOKEN_MAX]) {
    const char *begin = text, *end = at;
    uint32_t c = 0;
    for (const char *here = text; here < at;) {
        size_t bytes = utf8_decode(here, strlen(here), &c);
        here += bytes > 0 ? bytes : 1;
        begin = ends_formula(c) ? here : begin;
    }
    while (*end != '\0') {
        size_t bytes = utf8_decode(end, strlen(end), &c);
        if (ends_formula(c)) {
            break;
        }
        end += bytes > 0 ? bytes : 1;
    }
    (void)snprintf(out, TOKEN_MAX, "%.*s", (int)(end - begin), begin);
}

/* (p−1)/m, 2(N−1)/N, 1/t: letters, and no numbers but one and two beside a one that is added, taken or divided. */
static bool is_formula(const char *text) {
    static const char *const ones[] = {"−1", "+1", "1/", "1−", "1+"};
    bool letter = false, one = false;
    for (const char *at = text; *at != '\0'; at++) {
        bool alone =
            !isdigit((unsigned char)at[1]) && (at == text || !isdigit((unsigned char)at[-1]));
        if (isdigit((unsigned char)*at) && !(alone && (*at == '1' || *at == '2'))) {
            return false;
        }
        letter = letter || isalpha((unsigned char)*at) || (unsigned char)*at == 0xCE;
    }
    for (size_t i = 0; i < sizeof ones / sizeof ones[0]; i++) {
        one = one || strstr(text, ones[i]) != NULL;
    }
    return letter && one;
}

/* The first number that belongs to no name and no formula; false: there is none. */
static bool number_fault(const struct lesson *lesson, const char *text, char out[TOKEN_MAX]) {
    static const char rank[] = "rank ";
    enum { RANK = sizeof rank - 1 };
    const char *rest = text, *start = NULL;
    while (token_next(&rest, out, &start)) {
        char around[TOKEN_MAX];
        formula_around(text, start, around);
        bool first = strcmp(out, "0") == 0 && start - text >= RANK &&
                     strncmp(start - RANK, rank, RANK) == 0; /* is called so */
        if (token_has(out, isdigit) && !first && !is_formula(around) &&
            !(token_has(out, isalpha) && word_is_known(&prose, lesson, out))) {
            return true;
        }
    }
    return false;
}

static bool word_fault(const struct lesson *lesson, const char *text, char out[TOKEN_MAX]) {
    const char *rest = text, *start = NULL;
    while (token_next(&rest, out, &start)) {
        if (token_has(out, isalpha) && !word_is_formula(out) &&
            !word_is_known(&prose, lesson, out)) {
            return true;
        }
    }
    return false;
}

/* The text without its figures. */
static void plain_of(const char *text, char out[PROSE_MAX]) {
    struct span span = {.kind = SPAN_PLAIN, .text = text};
    struct writer w;
    writer_start(&w, out, PROSE_MAX);
    prose_add(&w, &span);
    ck_assert(!w.overflow);
}

static void check_prose(const struct question *q, int language, const char *text, bool sentence) {
    static char plain[PROSE_MAX];
    char word[TOKEN_MAX];
    const struct lesson *lesson = lesson_find(q->lesson);
    plain_of(text, plain);
    if (number_fault(lesson, plain, word)) {
        fault(q, word, text);
    }
    if (language == 1 && word_fault(lesson, plain, word)) {
        fault(q, word, text);
    }
    if (language == 0 && cjk_at(text) > 0) {
        fault(q, "Chinese in English", text);
    }
    if (language == 1 && sentence && token_has(plain, isalnum) && cjk_at(text) == 0) {
        fault(q, "no Chinese", text);
    }
    if (language == 1 && strpbrk(plain, ",;?!") != NULL) {
        fault(q, "half-width punctuation in Chinese", text);
    }
}

START_TEST(every_word_and_number_is_known) {
    for (int i = 0; i < count; i++) {
        for (int language = 0; language < 2; language++) {
            bool done = false;
            for (int k = 0; !done; k++) {
                const char *text = text_at(all[i], language, k, &done);
                bool part = k >= 3 && k < 3 + 2 * all[i]->part_count && (k - 3) % 2 == 0;
                if (text != NULL) {
                    check_prose(all[i], language, text, !part);
                }
            }
        }
    }
    for (int i = names_before; i < prose.name_count; i++) {
        if (!prose.name_used[i]) {
            fprintf(stderr, "question_names.txt: a name that no question uses: %s\n",
                    prose.names[i]);
            faults++;
        }
    }
    ck_assert_msg(faults == 0, "%d faults, see above", faults);
}
END_TEST

/* Facts to tick are said like a list: no sentence's end behind them, in either language. */
static bool ends_like_a_sentence(const char *text) {
    static const char *const ends[] = {".", "。", "；", ";"};
    size_t length = strlen(text);
    for (size_t i = 0; i < sizeof ends / sizeof ends[0]; i++) {
        size_t end = strlen(ends[i]);
        if (length >= end && strcmp(text + length - end, ends[i]) == 0) {
            return true;
        }
    }
    return false;
}

START_TEST(facts_to_tick_end_without_a_stop) {
    ck_assert(ends_like_a_sentence("a fact."));
    ck_assert(ends_like_a_sentence("一个要点。"));
    ck_assert(!ends_like_a_sentence("一个要点"));
    for (int i = 0; i < count; i++) {
        for (int k = 0; all[i]->kind == QUESTION_RECALL && k < 2 * all[i]->part_count; k++) {
            const char *text = all[i]->parts[k / 2].text[k % 2];
            if (ends_like_a_sentence(text)) {
                fault(all[i], "a fact ends like a sentence", text);
            }
        }
    }
    ck_assert_msg(faults == 0, "%d faults, see above", faults);
}
END_TEST

static const struct {
    const char *text;
    const char *number, *word; /* the fault, NULL: none */
} planted[] = {
    {"共 17 个", "17", NULL},
    {"共 16Ψ 字节", "16", NULL},
    {"是 (p−1)/m，不是 (p−1)/(m+p−1)", NULL, NULL},
    {"发送 2(N−1)/N 倍", NULL, NULL},
    {"每卡 1/t，余下 1−1/p", NULL, NULL},
    {"有 1 个", "1", NULL},
    {"rank 0 之外", NULL, NULL},
    {"第 0 个", "0", NULL},
    {"是 3(N−1)/N 倍", "3", NULL},
    {"用 Foobar 训练", NULL, "Foobar"},
    {"用 FP32 和 ZeRO-1，共 {} 个", NULL, NULL},
};

START_TEST(a_planted_text_is_found) {
    const struct lesson *lesson = lesson_find("memory");
    char word[TOKEN_MAX];
    bool number = number_fault(lesson, planted[_i].text, word);
    ck_assert_msg(number == (planted[_i].number != NULL), "%s: %s", planted[_i].text, word);
    ck_assert_msg(!number || strcmp(word, planted[_i].number) == 0, "%s", word);
    bool unknown = word_fault(lesson, planted[_i].text, word);
    ck_assert_msg(unknown == (planted[_i].word != NULL), "%s: %s", planted[_i].text, word);
}
END_TEST

static Suite *suite(void) {
    Suite *s = suite_create("question words");
    TCase *t = tcase_create("words");
    tcase_add_checked_fixture(t, open_all, close_all);
    tcase_set_timeout(t, 300);
    tcase_add_loop_test(t, a_planted_text_is_found, 0, (int)(sizeof planted / sizeof planted[0]));
    tcase_add_test(t, every_word_and_number_is_known);
    tcase_add_test(t, facts_to_tick_end_without_a_stop);
    suite_add_tcase(s, t);
    return s;
}

#include "support/check_main.h"
