/* What is right in one entry of assets/strings.json: both languages say the same, with the same placeholders, and each in
 * its own letters, marks and words. Functions over text, so that small bad examples prove that each can fail. Static,
 * because each test program is one file. Called by tests/arch/test_strings.c. */
#ifndef SUPPORT_STRING_RULES_H
#define SUPPORT_STRING_RULES_H

#include <ctype.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include <cjson/cJSON.h>

/* Texts that are names or symbols and therefore the same in both languages. */
static const char *const same_in_both[] = {
    "rank {0}",
    "{0}",
    "{0} {1}",
    "GB",
    "GiB",
    "shardlab",
    "ZeRO",
    "Ψ",
    "s",
    "×",
    "–",
    "—",
    "·",
    "Adam",
    "SGD",
    "Muon",
    "NVMe",
    "CPU",
    "GPU",
    "fp8",
    "fp16",
    "bf16",
    "fp32",
    "1F1B",
    "GPipe",
    "PgDn",
    "TP",
    "PP",
    "DP",
    "CP",
    "EP",
    "Δ",
    "GB/GiB",
    "PCIe",
    "MFU",
    "rank",
    /* Values of --algorithm, as the knob beside them shows them. */
    "naive",
    "ring",
    "tree",
    "halving",
    "direct",
    /* Other programs, by which a time is divided. */
    "÷ memcpy",
    "÷ NumPy",
    "÷ PyTorch",
    /* Symbols, and values that a number may have. */
    "α {0}",
    "ε",
    "exp",
    "inf",
    "nan",
    "t",
};

/* Words that the glossary writes otherwise; an option's name may hold them. */
static const char *const other_words[] = {"规约", "token"};

/* The code point at *text, which moves on. Enough for valid UTF-8, which cJSON does not change. */
static inline uint32_t next_code_point(const char **text) {
    const unsigned char *at = (const unsigned char *)*text;
    int more = at[0] >= 0xF0 ? 3 : at[0] >= 0xE0 ? 2 : at[0] >= 0xC0 ? 1 : 0;
    uint32_t code = more == 0 ? at[0] : at[0] & (0x3Fu >> more);
    int read = 1;
    while (read <= more && (at[read] & 0xC0) == 0x80) {
        code = code << 6 | (at[read] & 0x3Fu);
        read++;
    }
    *text += read;
    return code;
}

static inline bool is_ideograph(uint32_t c) {
    return (c >= 0x3400 && c <= 0x9FFF) || (c >= 0x20000 && c <= 0x3FFFF);
}

static inline bool is_full_width(uint32_t c) {
    return is_ideograph(c) || (c >= 0x3000 && c <= 0x303F) || (c >= 0xFF00 && c <= 0xFFEF);
}

static inline bool has(const char *text, bool (*is)(uint32_t)) {
    while (*text != '\0') {
        if (is(next_code_point(&text))) {
            return true;
        }
    }
    return false;
}

static inline bool is_in(const char *set, uint32_t c) {
    return c > 0 && c < 128 && strchr(set, (int)c) != NULL;
}

/* Two neighbours of which one is a Chinese character and the other a half-width mark that has a full-width form. */
static inline bool is_half_width_pair(uint32_t before, uint32_t c) {
    return (is_ideograph(before) && is_in(",;:!?()", c)) ||
           (is_in(",;:()", before) && is_ideograph(c));
}

/* Behind "{0}:{1}: ", the place in a file that a message begins with as a compiler's does. */
static inline const char *behind_place(const char *text) {
    while (text[0] == '{' && isdigit((unsigned char)text[1]) && text[2] == '}' && text[3] == ':') {
        text += 4;
    }
    return text;
}

/* The same with the blanks left out that stand behind a mark in English; a mark between blanks is the name of a key. */
static inline bool has_half_width_mark(const char *text) {
    text = behind_place(text);
    uint32_t last[3] = {0, 0, 0}; /* the latest first */
    while (*text != '\0') {
        uint32_t c = next_code_point(&text);
        bool behind_blank = last[0] == ' ' && is_in(",;:", last[1]) && last[2] != ' ';
        if (is_half_width_pair(last[0], c) || (behind_blank && is_ideograph(c))) {
            return true;
        }
        last[2] = last[1];
        last[1] = last[0];
        last[0] = c;
    }
    return false;
}

static inline bool is_latin(uint32_t c) {
    return c < 128 && (isalnum((int)c) || is_in("{}", c));
}

/* A Latin letter, a digit or a placeholder right beside a Chinese character: a blank belongs between them. */
static inline bool has_glued_word(const char *text) {
    uint32_t before = 0;
    while (*text != '\0') {
        uint32_t c = next_code_point(&text);
        if ((is_ideograph(before) && is_latin(c)) || (is_latin(before) && is_ideograph(c))) {
            return true;
        }
        before = c;
    }
    return false;
}

static inline bool has_other_word(const char *text) {
    for (size_t i = 0; i < sizeof other_words / sizeof other_words[0]; i++) {
        size_t length = strlen(other_words[i]);
        for (const char *at = text; (at = strstr(at, other_words[i])) != NULL; at += length) {
            bool of_option = at > text && (at[-1] == '-' || isalnum((unsigned char)at[-1]));
            if (!of_option) {
                return true;
            }
        }
    }
    return false;
}

/* A placeholder for a number and a noun in the plural behind it would say "1 stages": such a text puts the number
 * behind the noun. Nouns of which there may be one. */
static inline bool has_fixed_plural(const char *text) {
    static const char *const nouns[] = {"stages", "micro-batches", "layouts",  "ranks",   "layers",
                                        "pages",  "more GPUs",     "elements", "experts", "chunks"};
    for (const char *at = text; (at = strstr(at, "} ")) != NULL; at++) {
        for (size_t i = 0; i < sizeof nouns / sizeof nouns[0]; i++) {
            if (strncmp(at + 2, nouns[i], strlen(nouns[i])) == 0) {
                return true;
            }
        }
    }
    return false;
}

/* The set of {0}…{5} as bits, or -1 for a brace around anything else that looks like a name. */
static inline int placeholders(const char *text) {
    int set = 0;
    for (; *text != '\0'; text++) {
        if (*text != '{' || !isalnum((unsigned char)text[1])) {
            continue;
        }
        if (text[1] > '5' || text[2] != '}') {
            return -1;
        }
        set |= 1 << (text[1] - '0');
    }
    return set;
}

static inline bool is_same_in_both(const char *text) {
    for (size_t i = 0; i < sizeof same_in_both / sizeof same_in_both[0]; i++) {
        if (strcmp(text, same_in_both[i]) == 0) {
            return true;
        }
    }
    return false;
}

/* A language is named in itself: whoever is lost in English looks for 中文. */
static inline const char *without_language_name(const char *text, char *out, size_t capacity) {
    static const char name[] = "中文";
    size_t length = 0;
    for (size_t i = 0; text[i] != '\0' && length + 1 < capacity;) {
        if (strncmp(text + i, name, sizeof name - 1) == 0) {
            i += sizeof name - 1;
        } else {
            out[length++] = text[i++];
        }
    }
    out[length] = '\0';
    return out;
}

static inline const char *chinese_fault(const char *zh) {
    return has_half_width_mark(zh) ? "zh has a half-width mark beside a Chinese character"
           : has_glued_word(zh)    ? "zh has no blank between Chinese and Latin characters"
           : has_other_word(zh)    ? "zh has a word for which the glossary has another"
                                   : NULL;
}

/* "27 %", as a number stands before any other unit. */
static inline bool has_tight_percent(const char *text) {
    for (const char *at = strchr(text, '%'); at != NULL; at = strchr(at + 1, '%')) {
        if (at > text && (isdigit((unsigned char)at[-1]) || at[-1] == '}')) {
            return true;
        }
    }
    return false;
}

/* NULL, or what is wrong with one entry. */
static inline const char *entry_fault(const cJSON *entry) {
    const char *en = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(entry, "en"));
    const char *zh = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(entry, "zh"));
    if (en == NULL || zh == NULL || cJSON_GetArraySize(entry) != 2) {
        return "needs exactly en and zh, both text";
    }
    if (en[0] == '\0' || zh[0] == '\0') {
        return "an empty text";
    }
    if (placeholders(en) < 0 || placeholders(zh) < 0) {
        return "a placeholder other than {0} to {5}";
    }
    if (placeholders(en) != placeholders(zh)) {
        return "en and zh have different placeholders";
    }
    char english[4096];
    if (strlen(en) >= sizeof english) {
        return "longer than 4095 bytes";
    }
    if (has(without_language_name(en, english, sizeof english), is_full_width)) {
        return "en has Chinese or full-width characters";
    }
    bool own_name = strcmp(zh, "English") == 0; /* likewise for whoever is lost in Chinese */
    if (!own_name && !has(zh, is_full_width) && !(strcmp(en, zh) == 0 && is_same_in_both(zh))) {
        return "zh has no Chinese, and is not among the texts that are the same in both "
               "languages";
    }
    if (has_fixed_plural(en)) {
        return "en has a number before a plural, which may be 1";
    }
    if (has_tight_percent(en) || has_tight_percent(zh)) {
        return "a number without a space before %";
    }
    return chinese_fault(zh);
}

#endif
