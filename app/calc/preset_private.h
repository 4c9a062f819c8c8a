/* Reading model dimensions from records: what preset.c and config.c share. */
#ifndef CALC_PRESET_PRIVATE_H
#define CALC_PRESET_PRIVATE_H

#include "calc_private.h"
#include "shardlab/base/record.h"
#include "shardlab/calc/option.h"
#include "shardlab/calc/preset.h"

/* A record and what stands for its file in messages. */
struct preset_source {
    const struct record *record;
    const char *file;
};

/* Writes `value` into the option's field without marking it as given. */
void preset_put(struct scenario *s, int option, uint64_t value);
/* The same for an option of that name, unless it was given. */
void preset_offer(struct scenario *s, const char *option, uint64_t value);

/* The field as a value of the option: a count within its limits, a choice's index, a switch as 0 or
 * 1. */
MUST_USE enum status preset_read(const struct preset_source *source, const struct field *field,
                                 int option, uint64_t *out, struct message *why);

/* Starts "FILE: KEY: …" with the value as it would stand in JSON. Always STATUS_FAILED. */
enum status preset_refuse(const struct preset_source *source, const struct field *field,
                          const char *id, struct message *why);

/* A learned position table follows --max-seq: `extra` rows more than positions (OPT: 2). */
void preset_position_rows(struct scenario *s, uint64_t extra);

/* One field of config.json that holds a count. */
struct config_count {
    const char *option;  /* where it goes; NULL ends a list */
    const char *keys[3]; /* its name, then older names; the first that is there counts */
    /* The documented default; 0: the scenario's own rule (heads, hidden/heads, 4·hidden). */
    uint64_t fallback;
};

/* A switch of config.json that our parameter count knows in one position only. */
struct config_demand {
    const char *key; /* NULL ends a list */
    bool must_be;    /* also its documented default */
};

enum { CONFIG_COUNTS_MAX = 18, CONFIG_DEMANDS_MAX = 4 };

/* What a model_type means: where its counts stand, and what its code fixes. */
struct config_architecture {
    const char *model_type;
    struct config_count counts[CONFIG_COUNTS_MAX];
    struct config_demand demands[CONFIG_DEMANDS_MAX];
    enum calc_norm norm;
    enum calc_bias bias;
    enum calc_position position;
    uint64_t norms;
    uint64_t extra_position_rows;
    bool gated, tied, qk_norm, embedding_norm; /* tied: the documented default */
};

extern const struct config_architecture config_architectures[];
extern const int config_architecture_count;

/* One reading: what is read, where it goes, and what had to be assumed. */
struct config_reading {
    struct preset_source source;
    const struct config_architecture *architecture;
    struct scenario *s;
    struct calc_assumed *assumed;
    struct message *why;
};

/* Notes "KEY=VALUE" as assumed. */
void config_assume(struct config_reading *r, const char *key, const char *value);
void config_assume_count(struct config_reading *r, const char *key, uint64_t value);

/* A switch and its documented default. */
MUST_USE enum status config_read_switch(struct config_reading *r, const char *key, bool fallback,
                                        bool *out);

/* "FILE: KEY: is VALUE; only `possible` can be counted here". */
enum status config_unsupported(struct config_reading *r, const char *key, const char *possible);

/* Architectures that need more than the table: falcon, and models with experts. */
MUST_USE enum status config_read_special(struct config_reading *r);
MUST_USE enum status config_read_qkv_bias(struct config_reading *r, uint64_t *bias);
MUST_USE enum status config_read_falcon_bias(struct config_reading *r, uint64_t *bias);

#endif
