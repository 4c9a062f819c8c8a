/* Finding terms: what is typed in the names of a term, and the terms that a text names. Texts are UTF-8 and borrowed;
 * nothing is kept. Called by the screens and commands that show the glossary (base/glossary.h).
 * Proof: tests/unit/base/test_glossary.c. */
#include "shardlab/base/glossary.h"

#include <stdint.h>
#include <string.h>

#include "shardlab/base/utf8.h"

int glossary_find(const struct glossary *g, const char *id) {
    for (int i = 0; i < g->count; i++) {
        if (strcmp(g->terms[i].id, id) == 0) {
            return i;
        }
    }
    return -1;
}

/* --- What is typed ----------------------------------------------------------------------------- */

/* Full-width letters and signs as narrow ones, capitals as small letters. */
static uint32_t fold(uint32_t c) {
    if (c >= 0xFF01 && c <= 0xFF5E) {
        c = c - 0xFF01 + '!';
    }
    return c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c == 0x3000 ? ' ' : c;
}

static uint32_t folded_next(const char *text, size_t length, size_t *at) {
    uint32_t c = 0;
    size_t bytes = utf8_decode(text + *at, length - *at, &c);
    *at += bytes > 0 ? bytes : 1;
    return fold(c);
}

/* Whether the text goes on with the word, which ends at its `word_length`. */
static bool stands_at(const char *text, const char *word, size_t word_length) {
    size_t length = strlen(text);
    size_t at = 0;
    for (size_t i = 0; i < word_length;) {
        uint32_t c = folded_next(word, word_length, &i);
        if (c == 0 || at >= length || folded_next(text, length, &at) != c) {
            return false; /* what is no UTF-8 stands nowhere */
        }
    }
    return true;
}

bool glossary_begins(const char *text, const char *words) {
    return stands_at(text, words, strlen(words));
}

static bool has_word(const char *text, const char *word, size_t word_length) {
    for (; *text != '\0'; text++) {
        if (stands_at(text, word, word_length)) {
            return true;
        }
    }
    return word_length == 0;
}

/* The bytes of the first word, and of the blanks before it. */
static size_t word_bytes(const char *words, size_t *blanks) {
    size_t length = strlen(words);
    size_t end = 0;
    *blanks = 0;
    for (size_t at = 0; at < length;) {
        bool blank = folded_next(words, length, &at) == ' ';
        if (blank && end == *blanks) {
            *blanks = end = at;
        } else if (blank) {
            break;
        } else {
            end = at;
        }
    }
    return end - *blanks;
}

/* Takes the next word; false: there is none. */
static bool next_word(const char **words, const char **word, size_t *length) {
    size_t blanks = 0;
    *length = word_bytes(*words, &blanks);
    *word = *words + blanks;
    *words = *word + *length;
    return *length > 0;
}

bool glossary_text_has(const char *text, const char *words) {
    const char *word = NULL;
    size_t length = 0;
    while (next_word(&words, &word, &length)) {
        if (!has_word(text, word, length)) {
            return false;
        }
    }
    return true;
}

bool glossary_matches(const struct glossary_term *term, const char *words) {
    const char *word = NULL;
    size_t length = 0;
    while (next_word(&words, &word, &length)) {
        if (!has_word(term->name[0], word, length) && !has_word(term->name[1], word, length)) {
            return false;
        }
    }
    return true;
}

/* --- The terms of a text ------------------------------------------------------------------------ */

static char lower(char c) {
    return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

static bool is_word(char c) {
    return (lower(c) >= 'a' && lower(c) <= 'z') || (c >= '0' && c <= '9');
}

static bool has_small(const char *form) {
    for (; *form != '\0'; form++) {
        if ((*form >= 'a' && *form <= 'z') || (unsigned char)*form >= 0x80U) {
            return true;
        }
    }
    return false;
}

/* "DP's" and "shards" name the term too, "hangar" does not. */
static bool ends_well(const char *form, size_t length, const char *behind) {
    if (!is_word(form[length - 1])) {
        return true;
    }
    return !is_word(behind[0]) || (behind[0] == 's' && !is_word(behind[1]));
}

/* The bytes of the form at `at`, 0 when it does not stand there. */
static size_t form_at(const char *text, size_t at, const char *form) {
    bool any_case = has_small(form);
    size_t length = strlen(form);
    if (at > 0 && is_word(form[0]) && is_word(text[at - 1])) {
        return 0;
    }
    for (size_t i = 0; i < length; i++) {
        char c = text[at + i];
        if (any_case ? lower(c) != lower(form[i]) : c != form[i]) {
            return 0;
        }
    }
    return ends_well(form, length, text + at + length) ? length : 0;
}

/* Where the forms with this first byte begin: a binary search, because texts are long. */
static int first_form(const struct glossary *g, unsigned char byte) {
    int low = 0;
    int high = g->form_count;
    while (low < high) {
        int middle = low + (high - low) / 2;
        if ((unsigned char)lower(g->forms[middle].text[0]) < byte) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

/* The bytes of a {{figure}} at the beginning; 0: there is none. */
static size_t figure_bytes(const char *text) {
    const char *close = strncmp(text, "{{", 2) == 0 ? strstr(text, "}}") : NULL;
    return close != NULL ? (size_t)(close - text) + 2 : 0;
}

void glossary_mark(const struct glossary *g, const char *text, bool *found) {
    for (size_t at = 0; text[at] != '\0';) {
        size_t figure = figure_bytes(text + at);
        if (figure > 0) {
            at += figure;
            continue;
        }
        unsigned char byte = (unsigned char)lower(text[at]);
        size_t longest = 0;
        int first = first_form(g, byte);
        int end = first;
        while (end < g->form_count && (unsigned char)lower(g->forms[end].text[0]) == byte) {
            size_t length = form_at(text, at, g->forms[end++].text);
            longest = length > longest ? length : longest;
        }
        for (int i = first; longest > 0 && i < end; i++) {
            if (form_at(text, at, g->forms[i].text) == longest) {
                found[g->forms[i].term] = true;
            }
        }
        at += longest > 0 ? longest : 1;
    }
}
