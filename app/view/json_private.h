/* Parts of the JSON reader: json.c chooses, numbers_json.c writes the kinds about number formats. */
#ifndef VIEW_JSON_PRIVATE_H
#define VIEW_JSON_PRIVATE_H

#include "shardlab/base/json.h"
#include "shardlab/view/view.h"

/* {"id":…,"args":[…]}, or null without an id. */
void json_write_message(struct json *out, const char *key, const struct message *m);
/* The members of one item. */
void json_write_bits(struct json *out, const struct view_bits *bits);
void json_write_ranges(struct json *out, const struct view_ranges *ranges);

#endif
