/* What the tests of the calculators share: scenarios written as a command line, and the public results of a GPU.
 * Everything goes through calc_option_set, scenario_resolve and calc_memory_*; no formula stands here. */
#ifndef UNIT_CALC_CALC_SUPPORT_H
#define UNIT_CALC_CALC_SUPPORT_H

#include <check.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "shardlab/calc/memory.h"
#include "shardlab/calc/option.h"
#include "shardlab/calc/params.h"
#include "shardlab/calc/scenario.h"

#define ROWS(table) ((int)(sizeof(table) / sizeof((table)[0])))

/* ck_assert_msg for loops of thousands: Check reports every assertion that holds through a pipe, this one none. */
#define must_hold(condition, ...)                                                                  \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            ck_abort_msg(__VA_ARGS__);                                                             \
        }                                                                                          \
    } while (0)

#define LLAMA_7B "--layers 32 --hidden 4096 --heads 32 --ffn 11008 --vocab 32000"
#define GPT_BLOCK                                                                                  \
    " --norm layer --bias all --position learned --tied --attention standard --dropout"
#define GPT3 "--layers 96 --hidden 12288 --heads 96 --vocab 51200 --seq 2048" GPT_BLOCK

/* The message as "id|argument|argument", for comparison. */
static inline const char *message_line(const struct message *m) {
    static char line[1600];
    int length = snprintf(line, sizeof line, "%s", m->id);
    for (int i = 0; i < m->arg_count; i++) {
        const struct message_arg *a = &m->args[i];
        char *at = line + length;
        size_t room = sizeof line - (size_t)length;
        length += a->kind == MESSAGE_ARG_TEXT ? snprintf(at, room, "|%s", a->text)
                                              : snprintf(at, room, "|%ju", (uintmax_t)a->count);
    }
    return line;
}

/* The option that `word` ("--tp", "--no-dropout", "--untied") names; *off: a switch that is put out. */
static inline int option_of(const char *word, bool *off) {
    must_hold(strncmp(word, "--", 2) == 0, "%s: not an option", word);
    const char *name = word + 2;
    *off = strncmp(name, "no-", 3) == 0 || strcmp(name, "untied") == 0;
    name = strcmp(name, "untied") == 0 ? "tied" : *off ? name + 3 : name;
    int index = calc_option_find(name, strlen(name));
    must_hold(index >= 0, "%s: no such option", word);
    return index;
}

/* Sets options from "--name value --switch --no-switch", separated by single blanks. A later one wins. */
static inline void give(struct scenario *s, const char *line) {
    char copy[1024], *rest = NULL;
    must_hold(snprintf(copy, sizeof copy, "%s", line) < (int)sizeof copy, "%s", line);
    for (char *word = strtok_r(copy, " ", &rest); word != NULL; word = strtok_r(NULL, " ", &rest)) {
        bool off = false;
        int index = option_of(word, &off);
        bool is_switch = calc_option_at(index)->kind == CALC_OPTION_SWITCH;
        const char *value = is_switch ? (off ? "no" : "yes") : strtok_r(NULL, " ", &rest);
        struct message why;
        must_hold(value != NULL, "%s: no value", word);
        must_hold(calc_option_set(s, index, value, &why) == STATUS_OK, "%s %s: %s", word, value,
                  message_line(&why));
    }
}

static inline struct scenario given_of(const char *line) {
    struct scenario s;
    scenario_start(&s);
    give(&s, line);
    return s;
}

/* Resolved, legal or not. */
static inline struct scenario resolved_of(const char *line) {
    struct scenario s = given_of(line);
    struct message why;
    must_hold(scenario_resolve(&s, &s, &why) == STATUS_OK, "%s: %s", line, message_line(&why));
    return s;
}

/* Resolved and legal. */
__attribute__((format(printf, 1, 2))) static inline struct scenario legal_of(const char *format,
                                                                             ...) {
    char line[1024];
    va_list values;
    va_start(values, format);
    int length = vsnprintf(line, sizeof line, format, values);
    va_end(values);
    must_hold(length < (int)sizeof line, "%s", line);
    struct scenario s = resolved_of(line);
    struct message why;
    must_hold(scenario_violations(&s, &why, 1) == 0, "%s: %s", line, message_line(&why));
    return s;
}

static inline struct calc_memory memory_of(const struct scenario *s, uint64_t stage) {
    struct calc_memory m;
    struct message why;
    must_hold(calc_memory_on_stage(s, stage, &m, &why) == STATUS_OK, "%s", message_line(&why));
    return m;
}

static inline uint64_t states_of(const struct calc_memory *m) {
    return m->part_bytes[CALC_PART_WEIGHTS] + m->part_bytes[CALC_PART_GRADIENTS] +
           m->part_bytes[CALC_PART_OPTIMIZER];
}

/* Bytes of the term `id`; 0 when there is none. */
static inline uint64_t term_of(const struct calc_memory *m, const char *id) {
    for (int i = 0; i < m->derivation.count; i++) {
        if (strcmp(m->derivation.terms[i].id, id) == 0) {
            return m->derivation.terms[i].bytes;
        }
    }
    return 0;
}

/* What the layers themselves keep: neither the head's inputs nor the logits nor the layer being recomputed. */
static inline uint64_t layers_kept_of(const struct calc_memory *m) {
    return m->part_bytes[CALC_PART_ACTIVATIONS] - term_of(m, "activations.head") -
           term_of(m, "activations.logits") - term_of(m, "activations.working_layer");
}

static inline struct calc_params params_of(const struct scenario *s) {
    struct calc_params p;
    struct message why;
    must_hold(calc_params_count(s, &p, &why) == STATUS_OK, "%s", message_line(&why));
    return p;
}

/* Elements of the group `name`; 0 when there is none. */
static inline uint64_t group_of(const struct calc_params *p, const char *name) {
    for (int i = 0; i < p->group_count; i++) {
        if (strcmp(p->groups[i].name, name) == 0) {
            return p->groups[i].count;
        }
    }
    return 0;
}

/* Elements of the decoder's matrices: what papers mean by 12Lh². Biases count, so give --bias none. */
static inline uint64_t matrices_of(const struct scenario *s) {
    struct calc_params p = params_of(s);
    return group_of(&p, "attention") + group_of(&p, "ffn");
}

#endif
