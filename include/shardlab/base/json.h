/* Writing JSON, with whole numbers as exact digits (CONTRACT: bytes beyond 2^53). Commas and nesting are
 * kept by the struct; strings are escaped; invalid UTF-8 becomes U+FFFD. Depth at most JSON_DEPTH_MAX.
 * Inside an object give a key; inside an array give NULL. Reading JSON belongs to `store`. */
#ifndef BASE_JSON_H
#define BASE_JSON_H

#include <stdbool.h>
#include <stdint.h>

#include "shardlab/base/writer.h"

enum { JSON_DEPTH_MAX = 16 };

struct json {
    struct writer *out;
    int depth;
    bool first[JSON_DEPTH_MAX];
};

void json_start(struct json *j, struct writer *out);
void json_object_open(struct json *j, const char *key);
void json_object_close(struct json *j);
void json_array_open(struct json *j, const char *key);
void json_array_close(struct json *j);
void json_text(struct json *j, const char *key, const char *value); /* NULL value: null */
void json_u64(struct json *j, const char *key, uint64_t value);
void json_i64(struct json *j, const char *key, int64_t value);
void json_negative(struct json *j, const char *key,
                   uint64_t magnitude);                        /* -magnitude, also below -2^63 */
void json_real(struct json *j, const char *key, double value); /* nan, inf: null */
/* units / 10^places, exact: 16.5 (base/decimal.h). */
void json_decimal(struct json *j, const char *key, uint64_t units, int places);
void json_bool(struct json *j, const char *key, bool value);
void json_null(struct json *j, const char *key);

#endif
