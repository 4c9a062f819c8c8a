/* From typed text to a number in base units. Three steps: characters that keyboards differ in become one (full-width
 * forms, signs, blanks), then a number is scanned, then what is left is looked up as a unit. Works in buffers of its own,
 * owns nothing, asks no locale. Leaves out what would have to be guessed: commas that do not part groups of three.
 * Proof: tests/unit/learn/test_answer.c. */
#include <assert.h>
#include <ctype.h>
#include <math.h>
#include <string.h>

#include "shardlab/base/units.h"
#include "shardlab/base/utf8.h"
#include "shardlab/learn/answer.h"

enum { TEXT_MAX = 128, NUMBER_MAX = 48, GROUP = 3, POWER_MAX = 10000 };

static enum status refuse(struct message *why, const char *id, const char *text) {
    message_start(why, id);
    message_add_text(why, text);
    return STATUS_USAGE;
}

/* --- Characters -------------------------------------------------------------------------------------------- */

static const struct {
    uint32_t from;
    char to;
} same[] = {
    {0x2212, '-'}, {0x2013, '-'},                /* minus, en dash */
    {0x00D7, '*'}, {0x00B7, '*'},                /* times */
    {0x00B5, 'u'}, {0x03BC, 'u'},                /* micro */
    {0x2248, '~'}, {0x7EA6, '~'},                /* about */
    {0x3002, '.'}, {0x2009, ' '}, {0x202F, ' '}, /* full stop, thin spaces */
    {0x00A0, ' '}, {0x3000, ' '}, {'\t', ' '},
};

/* False: not UTF-8, a control character, or too long. */
static bool normalize(const char *text, char out[TEXT_MAX]) {
    struct writer w;
    writer_start(&w, out, TEXT_MAX);
    for (size_t left = strlen(text); left > 0;) {
        uint32_t c = 0;
        size_t bytes = utf8_decode(text, left, &c);
        for (size_t i = 0; i < sizeof same / sizeof same[0]; i++) {
            c = c == same[i].from ? (uint32_t)same[i].to : c;
        }
        c = c >= 0xFF01 && c <= 0xFF5E ? c - 0xFF01 + '!' : c; /* full-width forms */
        if (bytes == 0 || c < ' ' || (c >= 0x7F && c < 0xA0)) {
            return false;
        }
        writer_code_point(&w, c);
        text += bytes;
        left -= bytes;
    }
    return !w.overflow;
}

/* --- Numbers ----------------------------------------------------------------------------------------------- */

static bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

static const char *skip_blanks(const char *at) {
    return at + strspn(at, " ");
}

/* Digits, with commas only where all groups behind the first have three; NULL: other commas. */
static const char *scan_whole(const char *at, struct writer *w) {
    size_t head = strspn(at, "0123456789");
    writer_text_n(w, at, head);
    at += head;
    bool grouped = *at == ',' && is_digit(at[1]);
    if (grouped && (head == 0 || head > GROUP)) {
        return NULL;
    }
    while (*at == ',' && is_digit(at[1])) {
        if (strspn(at + 1, "0123456789") != GROUP) {
            return NULL;
        }
        writer_text_n(w, at + 1, GROUP);
        at += 1 + GROUP;
    }
    return at;
}

/* "e9", "*10^9", "x 10^-3"; what is none of them is left where it is. */
static const char *scan_exponent(const char *at, struct writer *w) {
    const char *digits = at;
    if (*at == 'e' || *at == 'E') {
        digits = at + 1;
    } else {
        const char *times = skip_blanks(at);
        const char *ten = skip_blanks(times + (*times == '*' || *times == 'x' ? 1 : 0));
        if (ten == times || strncmp(ten, "10^", 3) != 0) {
            return at;
        }
        digits = ten + 3;
    }
    size_t sign = *digits == '+' || *digits == '-' ? 1 : 0;
    size_t count = strspn(digits + sign, "0123456789");
    if (count == 0) {
        return at;
    }
    writer_char(w, 'e');
    writer_text_n(w, digits, sign + count);
    return digits + sign + count;
}

/* "^21", "^(-7)", "**21" behind a number: its power, as loss scales and steps of formats are said. What is none of them is
 * left where it is; NULL: no double holds it. */
static const char *scan_power(const char *at, double *number) {
    size_t sign = *at == '^' ? 1 : strncmp(at, "**", 2) == 0 ? 2 : 0;
    size_t open = sign > 0 && at[sign] == '(' ? 1 : 0;
    const char *digits = at + sign + open;
    bool negative = *digits == '-';
    digits += negative || *digits == '+' ? 1 : 0;
    size_t count = strspn(digits, "0123456789");
    if (sign == 0 || count == 0 || (open > 0 && digits[count] != ')')) {
        return at;
    }
    int power = 0;
    for (size_t i = 0; i < count && power < POWER_MAX; i++) {
        power = 10 * power + (digits[i] - '0');
    }
    *number = pow(*number, negative ? -power : power);
    return isfinite(*number) ? digits + count + open : NULL;
}

/* An unsigned number; NULL: there is none. */
static const char *scan_number(const char *at, double *out) {
    char clean[NUMBER_MAX];
    struct writer w;
    writer_start(&w, clean, sizeof clean);
    at = scan_whole(at, &w);
    if (at == NULL) {
        return NULL;
    }
    if (*at == '.' && (w.length > 0 || is_digit(at[1]))) {
        size_t places = strspn(at + 1, "0123456789");
        writer_text(&w, w.length == 0 ? "0" : "");
        writer_char(&w, '.');
        writer_text_n(&w, places == 0 ? "0" : at + 1, places == 0 ? 1 : places);
        at += 1 + places;
    }
    if (w.length == 0) {
        return NULL;
    }
    at = scan_exponent(at, &w);
    return !w.overflow && units_parse_real(clean, out) ? scan_power(at, out) : NULL;
}

/* A number, signed or not, or one over another. */
static const char *scan_value(const char *at, double *out) {
    double over = 1.0;
    bool negative = *at == '-';
    at = skip_blanks(at + (*at == '-' || *at == '+' ? 1 : 0));
    at = scan_number(at, out);
    const char *slash = at == NULL ? NULL : skip_blanks(at);
    if (slash != NULL && *slash == '/' && is_digit(*skip_blanks(slash + 1))) {
        at = scan_number(skip_blanks(slash + 1), &over);
    }
    *out = (negative ? -*out : *out) / over;
    return at != NULL && isfinite(*out) ? at : NULL;
}

/* --- Units ------------------------------------------------------------------------------------------------- */

struct unit {
    const char *name;
    double factor;
};

static const struct unit counts[] = {
    {"", 1},        {"x", 1},         {"*", 1},          {"倍", 1},   {"flop", 1},
    {"flops", 1},   {"k", 1e3},       {"thousand", 1e3}, {"千", 1e3}, {"万", 1e4},
    {"m", 1e6},     {"million", 1e6}, {"百万", 1e6},     {"亿", 1e8}, {"b", 1e9},
    {"g", 1e9},     {"billion", 1e9}, {"十亿", 1e9},     {"t", 1e12}, {"trillion", 1e12},
    {"万亿", 1e12}, {NULL, 0},
};
/* What was counted, written behind the number as one says it. */
static const struct unit counted[] = {
    {"times", 1},    {"fold", 1},   {"card", 1}, {"cards", 1},
    {"gpu", 1},      {"gpus", 1},   {"rank", 1}, {"ranks", 1},
    {"call", 1},     {"calls", 1},  {"copy", 1}, {"copies", 1},
    {"token", 1},    {"tokens", 1}, {"step", 1}, {"micro-batches", 1},
    {"steps", 1},    {"张", 1},     {"张卡", 1}, {"卡", 1},
    {"块", 1},       {"个", 1},     {"次", 1},   {"份", 1},
    {"个微批次", 1}, {"微批次", 1}, {"步", 1},   {"层", 1},
    {"词元", 1},     {"个词元", 1}, {NULL, 0},
};
static const struct unit bytes[] = {
    {"b", 1},          {"byte", 1},       {"bytes", 1},      {"字节", 1},        {"kb", 1e3},
    {"k", 1e3},        {"mb", 1e6},       {"m", 1e6},        {"gb", 1e9},        {"g", 1e9},
    {"tb", 1e12},      {"t", 1e12},       {"pb", 1e15},      {"kib", 0x1p10},    {"mib", 0x1p20},
    {"gib", 0x1p30},   {"tib", 0x1p40},   {"pib", 0x1p50},   {"bit", 1e0 / 8},   {"bits", 1e0 / 8},
    {"kbit", 1e3 / 8}, {"mbit", 1e6 / 8}, {"gbit", 1e9 / 8}, {"tbit", 1e12 / 8}, {NULL, 0},
};
static const struct unit seconds[] = {
    {"s", 1},       {"sec", 1},     {"second", 1},   {"seconds", 1},  {"秒", 1},
    {"ms", 1e-3},   {"毫秒", 1e-3}, {"us", 1e-6},    {"微秒", 1e-6},  {"ns", 1e-9},
    {"纳秒", 1e-9}, {"min", 60},    {"minute", 60},  {"minutes", 60}, {"分", 60},
    {"分钟", 60},   {"h", 3600},    {"hour", 3600},  {"hours", 3600}, {"小时", 3600},
    {"d", 86400},   {"day", 86400}, {"days", 86400}, {"天", 86400},   {NULL, 0},
};
static const struct unit shares[] = {{"", 1}, {"%", 0.01}, {"percent", 0.01}, {NULL, 0}};
static const struct unit bits[] = {{"b", 1},    {"kb", 1e3},  {"mb", 1e6},
                                   {"gb", 1e9}, {"tb", 1e12}, {NULL, 0}};

/* In a rate, per second. */
static const struct {
    const struct unit *units;
    const char *names; /* for a sentence */
} kinds[] = {
    [ANSWER_COUNT] = {counts, "K, M, B, T"},
    [ANSWER_BYTES] = {bytes, "B, KB, MB, GB, TB, KiB, MiB, GiB, TiB"},
    [ANSWER_RATE] = {bytes, "B/s, KB/s, MB/s, GB/s, TB/s, GiB/s, Gbit/s"},
    [ANSWER_SECONDS] = {seconds, "ns, us, ms, s, min, h, days"},
    [ANSWER_SHARE] = {shares, "%"},
};

/* ASCII case ignored. */
static bool same_word(const char *name, const char *text, size_t length) {
    for (size_t i = 0; i < length; i++) {
        unsigned char c = (unsigned char)text[i];
        if (name[i] == '\0' || (unsigned char)name[i] != (c < 0x80 ? tolower(c) : c)) {
            return false;
        }
    }
    return name[length] == '\0';
}

/* 0: there is none of that name. */
static double find(const struct unit *units, const char *text, size_t length) {
    for (; units->name != NULL; units++) {
        if (same_word(units->name, text, length)) {
            return units->factor;
        }
    }
    return 0.0;
}

static double find_rate(const char *text, size_t length) {
    static const char *const ends[] = {"/s", "/sec", "ps"};
    for (size_t i = 0; i < sizeof ends / sizeof ends[0]; i++) {
        size_t end = strlen(ends[i]);
        if (length <= end || !same_word(ends[i], text + length - end, end)) {
            continue;
        }
        size_t stem = length - end;
        bool little = text[stem - 1] == 'b';
        bool prefixed = stem == 2 && isupper((unsigned char)text[0]) != 0;
        bool of_bits = little && (prefixed || ends[i][0] == 'p'); /* Gb/s, Gbps, gbps; not gb/s */
        double factor = of_bits ? find(bits, text, stem) / 8 : 0.0;
        return factor > 0.0 ? factor : find(bytes, text, stem);
    }
    return 0.0;
}

static double unit_factor(enum answer_kind kind, const char *text, size_t length) {
    double factor =
        kind == ANSWER_RATE ? find_rate(text, length) : find(kinds[kind].units, text, length);
    return factor > 0.0 || kind != ANSWER_COUNT ? factor : find(counted, text, length);
}

/* --- The whole --------------------------------------------------------------------------------------------- */

/* What stands behind the number, without blanks and a full stop. */
static size_t unit_length(const char *unit) {
    size_t length = strlen(unit);
    while (length > 0 && (unit[length - 1] == ' ' || unit[length - 1] == '.')) {
        length--;
    }
    return length;
}

double answer_unit_factor(enum answer_kind kind, const char *unit) {
    return unit_factor(kind, unit, strlen(unit));
}

static enum status refuse_unit(enum answer_kind kind, const char *unit, size_t length,
                               struct message *why) {
    message_start(why, "error.answer.unit");
    message_add_text_n(why, unit, length);
    message_add_text(why, kinds[kind].names);
    return STATUS_USAGE;
}

enum status answer_read(const char *text, enum answer_kind kind, const char *unit,
                        struct answer_number *out, struct message *why) {
    char plain[TEXT_MAX];
    struct answer_number read = {.factor = unit_factor(kind, unit, strlen(unit))};
    assert(read.factor > 0.0);
    if (!normalize(text, plain)) {
        return refuse(why, "error.answer.number", text);
    }
    const char *at = plain + strspn(plain, " ~=");
    if (*at == '\0') {
        return refuse(why, "error.answer.empty", text);
    }
    at = scan_value(at, &read.written);
    if (at == NULL) {
        return refuse(why, "error.answer.number", text);
    }
    at = skip_blanks(at);
    size_t length = unit_length(at);
    read.unit_given = length > 0;
    read.factor = read.unit_given ? unit_factor(kind, at, length) : read.factor;
    if (read.factor <= 0.0) {
        return refuse_unit(kind, at, length, why);
    }
    read.value = read.written * read.factor;
    if (!isfinite(read.value)) {
        return refuse(why, "error.answer.number", text);
    }
    *out = read;
    return STATUS_OK;
}
