/* Named numbers and points of an experiment, and whether two of them say the same. Called by calc (predictions), precision
 * (what ran) and cli (which compares). Memory is the caller's. Proof: tests/unit/base/test_facts.c. */
#include "shardlab/base/facts.h"

#include <assert.h>
#include <math.h>
#include <stddef.h>
#include <string.h>

void facts_start(struct facts *f) {
    f->count = 0;
    f->columns = 0;
    f->points = 0;
}

static struct fact *add(struct facts *f, const char *key, enum fact_kind kind) {
    assert(f->count < FACTS_MAX);
    struct fact *fact = &f->list[f->count++];
    *fact = (struct fact){.key = key, .kind = kind};
    return fact;
}

void facts_count(struct facts *f, const char *key, uint64_t count) {
    add(f, key, FACT_COUNT)->count = count;
}

void facts_real(struct facts *f, const char *key, double real) {
    add(f, key, FACT_REAL)->real = real;
}

void facts_value(struct facts *f, const char *key, double value) {
    add(f, key, FACT_VALUE)->real = value;
}

void facts_word(struct facts *f, const char *key, const char *word) {
    add(f, key, FACT_WORD)->word = word;
}

void facts_at_most(struct facts *f, const char *key, double bound) {
    struct fact *fact = add(f, key, FACT_REAL);
    fact->real = bound;
    fact->at_most = true;
}

void facts_columns(struct facts *f, const char *const *names, int count) {
    assert(count <= FACTS_COLUMNS);
    f->columns = count;
    for (int i = 0; i < count; i++) {
        f->column[i] = names[i];
    }
}

void facts_point(struct facts *f, const double *values) {
    assert(f->points < FACTS_POINTS);
    memcpy(f->point[f->points++], values, (size_t)f->columns * sizeof *values);
}

const char *fact_class(double value) {
    return isnan(value) ? "nan" : !isinf(value) ? "finite" : value > 0 ? "inf" : "-inf";
}

/* == but for nan: +0 and −0 are one number. */
static bool same(double a, double b) {
    return (isnan(a) && isnan(b)) || (a <= b && a >= b);
}

bool fact_agrees(const struct fact *predicted, const struct fact *measured) {
    if (strcmp(predicted->key, measured->key) != 0 || predicted->kind != measured->kind) {
        return false;
    }
    switch (predicted->kind) {
    case FACT_COUNT:
        return predicted->count == measured->count;
    case FACT_WORD:
        return strcmp(predicted->word, measured->word) == 0;
    default:
        return predicted->at_most ? measured->real <= predicted->real
                                  : same(predicted->real, measured->real);
    }
}

static bool points_agree(const struct facts *predicted, const struct facts *measured) {
    if (predicted->points != measured->points || predicted->columns != measured->columns) {
        return false;
    }
    for (int row = 0; row < predicted->points; row++) {
        for (int i = 0; i < predicted->columns; i++) {
            if (!same(predicted->point[row][i], measured->point[row][i])) {
                return false;
            }
        }
    }
    return true;
}

bool facts_agree(const struct facts *predicted, const struct facts *measured) {
    if (predicted->count != measured->count) {
        return false;
    }
    for (int i = 0; i < predicted->count; i++) {
        if (!fact_agrees(&predicted->list[i], &measured->list[i])) {
            return false;
        }
    }
    return predicted->points == 0 || points_agree(predicted, measured);
}
