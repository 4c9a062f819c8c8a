/* UTF-8 one code point at a time. Text reaches this room from command lines, files and other
 * programs and may be any bytes; the writers of messages and JSON must pass on valid UTF-8 only,
 * and ask here. Nothing is owned or kept. Columns and grapheme clusters are the business of `ui`.
 * Proof: tests/unit/base/test_message.c, test_writer.c and test_json.c. */
#include "shardlab/base/utf8.h"

#include <stdbool.h>

/* Sequence length and payload of a leading byte; 0 for a byte that cannot lead. */
static size_t lead_length(unsigned char lead, uint32_t *payload) {
    if (lead < 0x80) {
        *payload = lead;
        return 1;
    }
    if (lead >= 0xC2 && lead <= 0xDF) {
        *payload = lead & 0x1FU;
        return 2;
    }
    if (lead >= 0xE0 && lead <= 0xEF) {
        *payload = lead & 0x0FU;
        return 3;
    }
    if (lead >= 0xF0 && lead <= 0xF4) {
        *payload = lead & 0x07U;
        return 4;
    }
    return 0;
}

static bool code_point_exists(uint32_t code_point) {
    return code_point <= 0x10FFFF && !(code_point >= 0xD800 && code_point <= 0xDFFF);
}

size_t utf8_decode(const char *text, size_t length, uint32_t *code_point) {
    static const uint32_t smallest[] = {0, 0, 0x80, 0x800, 0x10000};
    if (length == 0) {
        return 0;
    }
    uint32_t value = 0;
    size_t bytes = lead_length((unsigned char)text[0], &value);
    if (bytes == 0 || bytes > length) {
        return 0;
    }
    for (size_t i = 1; i < bytes; i++) {
        unsigned char next = (unsigned char)text[i];
        if ((next & 0xC0U) != 0x80U) {
            return 0;
        }
        value = (value << 6) | (next & 0x3FU);
    }
    if (value < smallest[bytes] || !code_point_exists(value)) {
        return 0;
    }
    *code_point = value;
    return bytes;
}

size_t utf8_encode(uint32_t code_point, char out[UTF8_BYTES_MAX]) {
    uint32_t c = code_point_exists(code_point) ? code_point : UTF8_REPLACEMENT;
    if (c < 0x80) {
        out[0] = (char)c;
        return 1;
    }
    size_t bytes = c < 0x800 ? 2 : c < 0x10000 ? 3 : 4;
    for (size_t i = bytes - 1; i > 0; i--) {
        out[i] = (char)(0x80U | (c & 0x3FU));
        c >>= 6;
    }
    /* What is left of c goes beneath the length mark 110x, 1110 or 11110. */
    out[0] = (char)((0xF00U >> bytes & 0xFFU) | c);
    return bytes;
}
