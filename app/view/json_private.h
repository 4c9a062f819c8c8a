/* Parts of the JSON reader: json.c chooses, json_pictures.c writes the kinds that have many cells. */
#ifndef VIEW_JSON_PRIVATE_H
#define VIEW_JSON_PRIVATE_H

#include "shardlab/base/json.h"
#include "shardlab/view/view.h"

/* {"id":…,"args":[…]}, or null without an id. */
void json_write_message(struct json *out, const char *key, const struct message *m);
/* The members of one item. */
void json_write_bits(struct json *out, const struct view_bits *bits);
void json_write_ranges(struct json *out, const struct view_ranges *ranges);
void json_write_gantt(struct json *out, const struct view_gantt *gantt);
void json_write_table(struct json *out, const struct view_table *table);
void json_write_cluster(struct json *out, const struct view_cluster *cluster);
void json_write_frames(struct json *out, const struct view_frames *frames);
void json_write_plot(struct json *out, const struct view_plot *plot);

#endif
