/* The scenario as text for others: one option's value and stops, the command line that reproduces it (`y` in the lessons),
 * its JSON, and what was given of it. They walk the option table, so no option can be forgotten. Proof: tests/unit/calc/test_option_line.c,
 * test_option.c (JSON). */
#include <assert.h>
#include <string.h>

#include "shardlab/calc/option.h"

void calc_option_stop_write(struct writer *w, int index, int stop) {
    const struct calc_option *o = calc_option_at(index);
    assert(stop >= 0 && stop < o->stop_count);
    if (o->kind == CALC_OPTION_REAL) {
        writer_real(w, (double)o->stops[stop] / 1e6); /* a real's stops are millionths */
    } else {
        writer_u64(w, o->stops[stop]);
    }
}

static const void *field_of(const struct scenario *s, const struct calc_option *o) {
    return (const char *)s + o->offset;
}

void calc_option_write(struct writer *w, const struct scenario *s, int index) {
    const struct calc_option *o = calc_option_at(index);
    switch (o->kind) {
    case CALC_OPTION_NAME:
    case CALC_OPTION_PATH:
        writer_text(w, field_of(s, o));
        break;
    case CALC_OPTION_COUNT:
    case CALC_OPTION_SEQ:
    case CALC_OPTION_BYTES:
        writer_u64(w, calc_option_value(s, index));
        break;
    case CALC_OPTION_REAL:
        writer_real(w, *(const double *)field_of(s, o));
        break;
    case CALC_OPTION_CHOICE:
        writer_text(w, o->choices[calc_option_value(s, index)]);
        break;
    case CALC_OPTION_SWITCH:
        writer_text(w, calc_option_value(s, index) != 0 ? "yes" : "no");
        break;
    case CALC_OPTION_LIST:
        for (uint64_t i = 0; i < s->layout.layers_per_stage_count; i++) {
            writer_text(w, i == 0 ? "" : ",");
            writer_u64(w, s->layout.layers_per_stage[i]);
        }
        break;
    }
}

/* The member's name: '-' becomes '_', as in every other JSON key of the program. */
static void json_key(const char *name, char *key, size_t capacity) {
    size_t length = strlen(name);
    if (length >= capacity) {
        length = capacity - 1;
    }
    for (size_t i = 0; i < length; i++) {
        key[i] = name[i] == '-' ? '_' : name[i];
    }
    key[length] = '\0';
}

static void json_list(struct json *j, const char *key, const struct scenario *s) {
    if (s->layout.layers_per_stage_count == 0) {
        json_null(j, key);
        return;
    }
    json_array_open(j, key);
    for (uint64_t i = 0; i < s->layout.layers_per_stage_count; i++) {
        json_u64(j, NULL, s->layout.layers_per_stage[i]);
    }
    json_array_close(j);
}

void calc_option_json(struct json *j, const struct scenario *s, int index) {
    const struct calc_option *o = calc_option_at(index);
    char key[32];
    json_key(o->name, key, sizeof key);
    uint64_t value = calc_option_value(s, index);
    const char *text = (const char *)s + o->offset;
    /* Dimensions of a model of which only Ψ is known are unknown, not zero. */
    bool unknown =
        o->group == CALC_GROUP_MODEL && scenario_params_only(s) && strcmp(key, "params") != 0;
    switch (o->kind) {
    case CALC_OPTION_NAME:
    case CALC_OPTION_PATH:
        json_text(j, key, text[0] == '\0' ? NULL : text);
        break;
    case CALC_OPTION_COUNT:
    case CALC_OPTION_SEQ:
        if (unknown || (value == 0 && o->min > 0)) {
            json_null(j, key);
        } else {
            json_u64(j, key, value);
        }
        break;
    case CALC_OPTION_BYTES: {
        char bytes_key[40];
        size_t length = strlen(key);
        memcpy(bytes_key, key, length);
        memcpy(bytes_key + length, "_bytes", sizeof "_bytes");
        if (value == 0 && o->min > 0) {
            json_null(j, bytes_key);
        } else {
            json_u64(j, bytes_key, value);
        }
        break;
    }
    case CALC_OPTION_REAL: {
        double real = *(const double *)(const void *)text;
        if (real == 0 && o->min > 0) {
            json_null(j, key);
        } else {
            json_real(j, key, real);
        }
        break;
    }
    case CALC_OPTION_CHOICE:
        if (unknown) {
            json_null(j, key);
        } else {
            json_text(j, key, o->choices[value]);
        }
        break;
    case CALC_OPTION_SWITCH:
        if (unknown) {
            json_null(j, key);
        } else {
            json_bool(j, key, value != 0);
        }
        break;
    case CALC_OPTION_LIST:
        json_list(j, key, s);
        break;
    }
}

/* Single quotes where a shell would read something else. */
static void write_shell_word(struct writer *w, const char *text) {
    static const char plain[] =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_./,:@%+=-";
    if (text[0] != '\0' && text[strspn(text, plain)] == '\0') {
        writer_text(w, text);
        return;
    }
    writer_char(w, '\'');
    for (const char *c = text; *c != '\0'; c++) {
        if (*c == '\'') {
            writer_text(w, "'\\''");
        } else {
            writer_char(w, *c);
        }
    }
    writer_char(w, '\'');
}

static void write_switch(struct writer *w, const struct calc_option *o, bool on) {
    if (strcmp(o->name, "tied") == 0) {
        writer_text(w, on ? " --tied" : " --untied");
        return;
    }
    writer_text(w, on ? " --" : " --no-");
    writer_text(w, o->name);
}

void scenario_write_options(struct writer *w, const struct scenario *given) {
    for (int i = 0; i < calc_option_count(); i++) {
        const struct calc_option *o = calc_option_at(i);
        if (!calc_option_given(given, i)) {
            continue;
        }
        if (o->kind == CALC_OPTION_SWITCH) {
            write_switch(w, o, calc_option_value(given, i) != 0);
            continue;
        }
        writer_text(w, " --");
        writer_text(w, o->name);
        writer_char(w, ' ');
        if (o->kind == CALC_OPTION_NAME || o->kind == CALC_OPTION_PATH) {
            write_shell_word(w, (const char *)given + o->offset);
        } else {
            calc_option_write(w, given, i);
        }
    }
}

bool calc_option_none_given(const struct scenario *s) {
    uint64_t any = 0;
    for (int i = 0; i < CALC_GIVEN_WORDS; i++) {
        any |= s->given[i];
    }
    return any == 0;
}

bool calc_option_given(const struct scenario *s, int index) {
    return (s->given[index / 64] >> index % 64 & 1) != 0;
}
