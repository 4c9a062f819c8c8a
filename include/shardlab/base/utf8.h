/* UTF-8 one code point at a time: the only decoder and encoder of the program.
 * Proof: tests/unit/base/, tests/unit/view/test_width.c. */
#ifndef BASE_UTF8_H
#define BASE_UTF8_H

#include <stddef.h>
#include <stdint.h>

enum { UTF8_BYTES_MAX = 4 };

/* What stands where text was not UTF-8. */
#define UTF8_REPLACEMENT UINT32_C(0xFFFD)

/* Reads the code point at the start of `text`, which has `length` bytes left. Returns its bytes
 * (1..4), or 0 when they are not valid UTF-8 (overlong, surrogate, past U+10FFFF, cut short) or
 * nothing is left. */
size_t utf8_decode(const char *text, size_t length, uint32_t *code_point);

/* Writes `code_point` to `out` and returns its bytes (1..4); one that does not exist becomes
 * U+FFFD. */
size_t utf8_encode(uint32_t code_point, char out[UTF8_BYTES_MAX]);

#endif
