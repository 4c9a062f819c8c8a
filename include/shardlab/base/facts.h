/* What an experiment found, or what was predicted of it: numbers by name, and a curve or histogram beside them. A
 * calculator fills one, an experiment that really ran fills another, and who knows both compares them; neither knows the
 * other. Plain data of fixed size without pointers but to literals, so that a rank may leave it in shared memory.
 * Proof: tests/unit/base/test_facts.c. */
#ifndef BASE_FACTS_H
#define BASE_FACTS_H

#include <stdbool.h>
#include <stdint.h>

#include "shardlab/base/attributes.h"

enum { FACTS_MAX = 24, FACTS_COLUMNS = 6, FACTS_POINTS = 1024 };

enum fact_kind {
    FACT_COUNT,
    FACT_REAL,  /* finite; nan: it is not known or does not exist */
    FACT_VALUE, /* what arithmetic gave: may be an inf or a nan, which is what it is about */
    FACT_WORD,
};

struct fact {
    const char *key; /* a literal, as are words */
    enum fact_kind kind;
    bool at_most; /* FACT_REAL: the prediction is a bound, what is measured is not above it */
    uint64_t count;
    double real;
    const char *word;
};

struct facts {
    int count;
    struct fact list[FACTS_MAX];
    int columns, points;
    const char *column[FACTS_COLUMNS];
    double point[FACTS_POINTS][FACTS_COLUMNS]; /* nan: no number */
};

void facts_start(struct facts *f);
/* One more fact; past FACTS_MAX a programmer's error (assert). */
void facts_count(struct facts *f, const char *key, uint64_t count);
void facts_real(struct facts *f, const char *key, double real);
void facts_value(struct facts *f, const char *key, double value);
void facts_word(struct facts *f, const char *key, const char *word);
void facts_at_most(struct facts *f, const char *key, double bound);

/* Names of the columns; the points that follow have as many numbers. Points past FACTS_POINTS are an error (assert). */
void facts_columns(struct facts *f, const char *const *names, int count);
void facts_point(struct facts *f, const double *values);

/* "finite", "inf", "-inf", "nan" */
const char *fact_class(double value);
/* Counts, words and reals are equal, not close; two nans are equal; a bound holds. False for different keys or kinds. */
bool fact_agrees(const struct fact *predicted, const struct fact *measured);
/* Every fact agrees; and every point, where points were predicted at all. */
bool facts_agree(const struct facts *predicted, const struct facts *measured);

#endif
