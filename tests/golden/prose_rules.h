/* Which words and numbers may stand in a lesson's prose, for test_prose.c. Words: of the glossary, of the options' values
 * and presets, single letters (symbols), and the names of tests/vectors/prose_names.txt. Numbers: those of names, the
 * stop to which an item says a knob is to be moved, and the phrases of tests/vectors/prose_numbers.csv (* for any lesson or
 * language), which say why: "given" (an example's, from which a figure beside it is computed), "stop" (of a knob that is
 * not named there), "index" (of a rank or stage), "symbol", "word", "constant" (the number itself is meant), "cited",
 * "said" (by others, and then limited), or what is computed here and must be equal. */
#ifndef GOLDEN_PROSE_RULES_H
#define GOLDEN_PROSE_RULES_H

#include <check.h>
#include <stdlib.h>

#include "shardlab/calc/collective.h"
#include "shardlab/calc/memory.h"
#include "shardlab/calc/option.h"
#include "shardlab/lesson/lesson.h"
#include "shardlab/num/format.h"
#include "shardlab/store/store.h"
#include "support/csv.h"
#include "support/prose.h"

enum { NAMES_MAX = 256 };

/* What rules are read from, and what of it was used. */
struct prose {
    struct store *store;
    const struct glossary *glossary;
    const struct record *models, *gpus;
    int model_count, gpu_count;
    char names[NAMES_MAX][TOKEN_MAX];
    bool name_used[NAMES_MAX];
    int name_count;
    struct csv phrases;
    bool *phrase_used;
};

/* --- Words --- */

static inline bool word_in(const char *text, const char *word) {
    size_t length = strlen(word);
    for (const char *at = strstr(text, word); at != NULL; at = strstr(at + 1, word)) {
        bool starts = at == text || !isalnum((unsigned char)at[-1]);
        if (starts && !isalnum((unsigned char)at[length])) {
            return true;
        }
    }
    return false;
}

static inline void small(const char *text, char out[512]) {
    size_t i = 0;
    for (; text[i] != '\0' && i < 511; i++) {
        out[i] = (char)tolower((unsigned char)text[i]);
    }
    out[i] = '\0';
}

static inline bool word_in_glossary(const struct prose *p, const char *token) {
    char word[512], name[512];
    small(token, word);
    for (int i = 0; i < p->glossary->form_count; i++) {
        small(p->glossary->forms[i].text, name);
        if (word_in(name, word)) {
            return true;
        }
    }
    for (int i = 0; i < p->glossary->count; i++) {
        for (int language = 0; language < 2; language++) {
            small(p->glossary->terms[i].name[language], name);
            if (word_in(name, word)) {
                return true;
            }
        }
    }
    return false;
}

static inline bool word_is_own_stop(const struct lesson *lesson, const char *word) {
    for (int i = 0; i < lesson->own_count; i++) {
        for (int k = 0; lesson->own[i].stops[k] != NULL; k++) {
            if (strcmp(lesson->own[i].stops[k], word) == 0) {
                return true;
            }
        }
    }
    return false;
}

/* A value that an option takes, or a preset. */
static inline bool word_is_value(const struct prose *p, const struct lesson *lesson,
                                 const char *word) {
    for (int i = 0; i < calc_option_count(); i++) {
        const char *const *choices = calc_option_at(i)->choices;
        for (int k = 0; calc_option_at(i)->kind == CALC_OPTION_CHOICE && choices[k] != NULL; k++) {
            if (strcmp(choices[k], word) == 0 && token_has(word, isalpha)) {
                return true;
            }
        }
    }
    return (lesson != NULL && token_has(word, isalpha) && word_is_own_stop(lesson, word)) ||
           store_row_find(p->models, p->model_count, word) != NULL ||
           store_row_find(p->gpus, p->gpu_count, word) != NULL;
}

static inline bool word_is_name(struct prose *p, const char *word) {
    for (int i = 0; i < p->name_count; i++) {
        if (strcmp(p->names[i], word) == 0) {
            p->name_used[i] = true;
            return true;
        }
    }
    return false;
}

/* "1/t", "m+p": letters stand alone. */
static inline bool word_is_formula(const char *word) {
    for (; *word != '\0'; word++) {
        if (isalpha((unsigned char)word[0]) && isalnum((unsigned char)word[1])) {
            return false;
        }
    }
    return true;
}

static inline bool word_is_known(struct prose *p, const struct lesson *lesson, const char *word) {
    return (strlen(word) == 1 && isalpha((unsigned char)word[0])) || word_is_name(p, word) ||
           word_in_glossary(p, word) || word_is_value(p, lesson, word);
}

/* --- Numbers --- */

static inline uint64_t states_part(enum calc_part part) {
    struct scenario s;
    struct calc_memory m;
    struct message why;
    scenario_start(&s);
    ck_assert_int_eq(calc_option_set(&s, calc_option_index("params"), "1000", &why), STATUS_OK);
    ck_assert_int_eq(scenario_resolve(&s, &s, &why), STATUS_OK);
    ck_assert_int_eq(calc_memory_worst(&s, &m, &why), STATUS_OK);
    return m.part_bytes[part] / 1000;
}

static inline uint64_t paper_limit(uint64_t stage) {
    struct scenario s;
    struct message why;
    scenario_start(&s);
    ck_assert_int_eq(calc_option_set(&s, calc_option_index("params"), "7B", &why), STATUS_OK);
    ck_assert_int_eq(scenario_resolve(&s, &s, &why), STATUS_OK);
    return (uint64_t)calc_zero_saving_limit(&s, stage);
}

static inline struct calc_exchange exchange(enum calc_algorithm algorithm, uint64_t elements) {
    return (struct calc_exchange){CALC_EXCHANGE_ALL_REDUCE, algorithm, elements, 4, 4};
}

/* The bytes by which the first rank's chunk is larger than the last one's, in elements. */
static inline uint64_t one_more(void) {
    struct calc_exchange x = {CALC_EXCHANGE_ALL_GATHER, CALC_ALGORITHM_DIRECT, 10, 4, 4};
    struct calc_exchange_cost first, last;
    struct message why;
    ck_assert_int_eq(calc_exchange_rank(&x, 0, &first, &why), STATUS_OK);
    ck_assert_int_eq(calc_exchange_rank(&x, 3, &last, &why), STATUS_OK);
    return (first.sent_bytes - last.sent_bytes) / (4 * 3);
}

/* What a number of this name is; false: no such name. */
static inline bool number_of(const char *name, uint64_t *out) {
    struct calc_exchange direct = exchange(CALC_ALGORITHM_DIRECT, 10);
    const struct {
        const char *name;
        uint64_t value;
    } numbers[] = {
        {"weight_bytes", states_part(CALC_PART_WEIGHTS)},
        {"gradient_bytes", states_part(CALC_PART_GRADIENTS)},
        {"adam_bytes", states_part(CALC_PART_OPTIMIZER)},
        {"master_bytes", states_part(CALC_PART_OPTIMIZER) / 3},
        {"state_bytes", states_part(CALC_PART_WEIGHTS) + states_part(CALC_PART_GRADIENTS) +
                            states_part(CALC_PART_OPTIMIZER)},
        {"limit_zero1", paper_limit(1)},
        {"limit_zero2", paper_limit(2)},
        {"ring_limit",
         (uint64_t)(calc_exchange_bus_factor(CALC_EXCHANGE_ALL_REDUCE, 1 << 20) + 0.5)},
        {"direct_rounds", calc_exchange_rounds(&direct)},
        {"one_more", one_more()},
        {"half_bits", (uint64_t)num_format(NUM_FP16)->bits},
        {"fp8_bits", (uint64_t)num_format(NUM_E4M3)->bits},
    };
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++) {
        if (strcmp(numbers[i].name, name) == 0) {
            *out = numbers[i].value;
            return true;
        }
    }
    return false;
}

static inline bool why_is_said(const char *why) {
    static const char *const kinds[] = {"given",    "index", "symbol", "word",
                                        "constant", "cited", "said",   "stop"};
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        if (strcmp(kinds[i], why) == 0) {
            return true;
        }
    }
    return false;
}

/* The phrase's numbers, in turn, against what its last column names; a kind named once holds for all. */
static inline void phrase_check(const char *phrase, const char *reasons) {
    const char *at = phrase, *start = NULL;
    char token[TOKEN_MAX], why[TOKEN_MAX] = "";
    while (token_next(&at, token, &start)) {
        uint64_t value = 0;
        if (isalpha((unsigned char)token[0]) ||
            (token_has(token, isalpha) && !isdigit((unsigned char)token[0]))) {
            continue;
        }
        if (*reasons != '\0') {
            size_t length = strcspn(reasons, " ");
            ck_assert_uint_lt(length, sizeof why);
            memcpy(why, reasons, length);
            why[length] = '\0';
            reasons += length + strspn(reasons + length, " ");
        }
        if (!why_is_said(why)) {
            ck_assert_msg(number_of(why, &value), "%s: nothing computes %s", phrase, why);
            ck_assert_msg(strtoull(token, NULL, 10) == value, "%s: %s is %llu", phrase, why,
                          (unsigned long long)value);
        }
    }
    ck_assert_msg(why[0] != '\0' && *reasons == '\0', "%s: as many reasons as numbers", phrase);
}

static inline bool is_for(const char *listed, const char *what) {
    return strcmp(listed, "*") == 0 || strcmp(listed, what) == 0;
}

/* Marks the bytes of `text` that lie in a listed phrase. */
static inline void phrases_cover(struct prose *p, const char *lesson, const char *language,
                                 const char *text, bool covered[PROSE_MAX]) {
    for (int i = 0; i < p->phrases.rows; i++) {
        const char *phrase = csv_get(&p->phrases, i, "phrase");
        if (!is_for(csv_get(&p->phrases, i, "lesson"), lesson) ||
            !is_for(csv_get(&p->phrases, i, "language"), language)) {
            continue;
        }
        for (const char *at = strstr(text, phrase); at != NULL; at = strstr(at + 1, phrase)) {
            p->phrase_used[i] = true;
            memset(covered + (at - text), true, strlen(phrase));
        }
    }
}

#endif
