/* Numbers of a question: makers of lessons put them in, whoever shows the question takes them out. Everything stands in the
 * struct. Dice are SplitMix64, since a seed in a log must give the same numbers on every machine and for ever.
 * Proof: tests/unit/learn/test_instance.c. */
#include "shardlab/learn/instance.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "shardlab/base/writer.h"

void instance_start(struct instance *out, uint64_t seed) {
    memset(out, 0, sizeof *out);
    out->seed = seed;
}

/* G. Steele, D. Lea, C. Flood: Fast splittable pseudorandom number generators, OOPSLA 2014. */
static uint64_t next(uint64_t *state) {
    uint64_t z = (*state += 0x9e3779b97f4a7c15U);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9U;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebU;
    return z ^ (z >> 31);
}

uint64_t instance_dice(uint64_t seed) {
    return seed;
}

int instance_pick(uint64_t *dice, int count) {
    assert(count > 0);
    /* The low bias of a remainder is below 2^-58 for any count that a question has. */
    return (int)(next(dice) % (uint64_t)count);
}

void instance_figure_text(struct instance *out, const char *name, const char *text) {
    assert(out->figure_count < INSTANCE_FIGURES_MAX);
    assert(strlen(name) < INSTANCE_NAME_MAX && strlen(text) < INSTANCE_TEXT_MAX);
    assert(instance_figure(out, name) == NULL);
    struct instance_figure *f = &out->figures[out->figure_count++];
    (void)snprintf(f->name, sizeof f->name, "%s", name);
    (void)snprintf(f->text, sizeof f->text, "%s", text);
}

void instance_figure_count(struct instance *out, const char *name, uint64_t count) {
    char text[INSTANCE_TEXT_MAX];
    struct writer w;
    writer_start(&w, text, sizeof text);
    writer_u64_grouped(&w, count);
    instance_figure_text(out, name, text);
}

void instance_figure_plain(struct instance *out, const char *name, uint64_t count) {
    char text[INSTANCE_TEXT_MAX];
    struct writer w;
    writer_start(&w, text, sizeof text);
    writer_u64(&w, count);
    instance_figure_text(out, name, text);
}

void instance_figure_real(struct instance *out, const char *name, double value, int decimals) {
    char text[INSTANCE_TEXT_MAX];
    struct writer w;
    writer_start(&w, text, sizeof text);
    writer_fixed(&w, value, decimals);
    instance_figure_text(out, name, text);
}

void instance_figure_value(struct instance *out, const char *name, enum answer_kind kind,
                           const char *unit, double value) {
    char text[INSTANCE_TEXT_MAX];
    struct writer w;
    writer_start(&w, text, sizeof text);
    instance_value_write(&w, kind, unit, value);
    instance_figure_text(out, name, text);
}

struct instance_key *instance_key_add(struct instance *out, enum answer_kind kind, const char *unit,
                                      double right, double tolerance) {
    assert(out->key_count < INSTANCE_KEYS_MAX);
    struct instance_key *key = &out->keys[out->key_count++];
    *key =
        (struct instance_key){.kind = kind, .unit = unit, .right = right, .tolerance = tolerance};
    return key;
}

static bool apart(double a, double b, double tolerance) {
    double larger = fmax(fabs(a), fabs(b));
    return fabs(a - b) > 2.0 * tolerance * larger && a != b;
}

void instance_path_add(struct instance_key *key, const char *id, double value) {
    assert(key->path_count < INSTANCE_PATHS_MAX);
    bool tells = isfinite(value) && apart(value, key->right, key->tolerance);
    for (int i = 0; tells && i < key->path_count; i++) {
        tells = apart(value, key->paths[i].value, key->tolerance);
    }
    if (tells) {
        key->paths[key->path_count++] = (struct answer_path){.id = id, .value = value};
    }
}

struct instance_step *instance_step_add(struct instance *out, enum answer_kind kind,
                                        const char *unit, double value) {
    assert(out->step_count < INSTANCE_STEPS_MAX);
    struct instance_step *step = &out->steps[out->step_count++];
    memset(step, 0, sizeof *step);
    step->kind = kind;
    step->unit = unit;
    step->value = value;
    return step;
}

void instance_step_term(struct instance *out, const struct calc_term *term) {
    struct instance_step *step = instance_step_add(out, ANSWER_BYTES, "GB", (double)term->bytes);
    (void)snprintf(step->formula, sizeof step->formula, "%s", term->formula);
    (void)snprintf(step->substituted, sizeof step->substituted, "%s", term->substituted);
    step->source = term->source;
}

const char *instance_figure(const struct instance *in, const char *name) {
    for (int i = 0; i < in->figure_count; i++) {
        if (strcmp(in->figures[i].name, name) == 0) {
            return in->figures[i].text;
        }
    }
    return NULL;
}

void instance_expand(struct writer *w, const struct instance *in, const char *text,
                     const char *blank) {
    while (*text != '\0') {
        const char *end = strncmp(text, "{{", 2) == 0 ? strstr(text, "}}") : NULL;
        char name[INSTANCE_NAME_MAX];
        if (end == NULL || (size_t)(end - text - 2) >= sizeof name) {
            writer_char(w, *text++);
            continue;
        }
        size_t length = (size_t)(end - text - 2);
        memcpy(name, text + 2, length);
        name[length] = '\0';
        const char *figure = strcmp(name, "?") == 0 ? blank : instance_figure(in, name);
        if (figure == NULL) {
            writer_text_n(w, text, length + 4);
        } else {
            writer_text(w, figure);
        }
        text = end + 2;
    }
}

/* So many digits after the point that four count, but for whole numbers, which are exact. */
static void number_write(struct writer *w, double value) {
    enum { DIGITS = 4 };
    double size = fabs(value);
    if (size < 0x1p53 && value == floor(value)) {
        if (value < 0) {
            writer_text(w, "−");
        }
        writer_u64_grouped(w, (uint64_t)size);
        return;
    }
    int whole = (int)floor(log10(size)) + 1;
    if (whole > 15 || whole < -3) {
        writer_scientific(w, value, DIGITS - 1);
        return;
    }
    char text[INSTANCE_TEXT_MAX];
    struct writer digits;
    writer_start(&digits, text, sizeof text);
    writer_fixed(&digits, size, whole >= DIGITS ? 0 : DIGITS - whole);
    if (strchr(text, '.') != NULL) {
        size_t length = strlen(text);
        while (text[length - 1] == '0') {
            text[--length] = '\0';
        }
        text[length - 1] = text[length - 1] == '.' ? '\0' : text[length - 1];
    }
    if (value < 0) {
        writer_text(w, "−");
    }
    if (strchr(text, '.') == NULL && strlen(text) < 16) {
        uint64_t exact = 0;
        for (const char *at = text; *at != '\0'; at++) {
            exact = exact * 10 + (uint64_t)(*at - '0');
        }
        writer_u64_grouped(w, exact);
    } else {
        writer_text(w, text);
    }
}

void instance_value_write(struct writer *w, enum answer_kind kind, const char *unit, double value) {
    double factor = answer_unit_factor(kind, unit);
    assert(factor > 0.0 && isfinite(value));
    number_write(w, value / factor);
    if (unit[0] != '\0') {
        writer_char(w, ' ');
        writer_text(w, unit);
    }
}
