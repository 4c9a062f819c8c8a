/* Text that grows: every room that makes text appends to a writer. A writer over a caller's buffer never
 * allocates (pure rooms); cli and tests may give it a `grow` hook. When room runs out it keeps what it has,
 * sets `overflow` and ignores the rest: the caller checks once at the end. `bytes` is always NUL-terminated. */
#ifndef BASE_WRITER_H
#define BASE_WRITER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct writer {
    char *bytes;     /* caller's buffer, or what grow returned */
    size_t capacity; /* of bytes, with the final NUL */
    size_t length;   /* without the final NUL */
    bool overflow;   /* something did not fit */
    /* Makes bytes/capacity at least `need` large; false: cannot. NULL: the buffer is all there is. */
    bool (*grow)(struct writer *w, size_t need);
};

/* A writer over `buffer` of `capacity` >= 1 bytes, empty. The buffer stays the caller's. */
void writer_start(struct writer *w, char *buffer, size_t capacity);

void writer_char(struct writer *w, char c);
void writer_text(struct writer *w, const char *text);                  /* NUL-terminated */
void writer_text_n(struct writer *w, const char *text, size_t length); /* exactly length bytes */
void writer_repeat(struct writer *w, char c, int times);               /* times <= 0: nothing */
void writer_code_point(struct writer *w,
                       uint32_t code_point);               /* as UTF-8; invalid becomes U+FFFD */
void writer_u64(struct writer *w, uint64_t value);         /* 6738415616 */
void writer_u64_grouped(struct writer *w, uint64_t value); /* 6,738,415,616 */
/* A real with `decimals` (0..9) digits after the point, rounded half away from zero: 2.91. Not for nan, inf. */
void writer_fixed(struct writer *w, double value, int decimals);
/* One digit before the point and `decimals` (0..9) after it, exponent without a plus: 3.143e23, 1.000e-300.
 * inf and nan become those words. */
void writer_scientific(struct writer *w, double value, int decimals);
/* The shortest decimal that reads back as `value` (%.17g trimmed), "." as the point in every locale. */
void writer_real(struct writer *w, double value);

#endif
