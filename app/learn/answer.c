/* Judges a number against what is right and against what known mistakes lead to. The question brings mistakes of its own;
 * those of units are known to all. Numbers only, nothing is owned. Proof: tests/unit/learn/test_answer.c. */
#include "shardlab/learn/answer.h"

#include <math.h>
#include <stddef.h>

static const double exact = 1e-12;         /* what arithmetic on units may cost */
static const double mistake_within = 0.01; /* of a mistake in units: its figure is often rounded */

/* How far off, as a part of what is wanted. */
static double distance(double is, double wanted) {
    if (is == wanted) {
        return 0.0;
    }
    return wanted == 0.0 ? INFINITY : fabs(is / wanted - 1.0);
}

static bool is_near(double is, double wanted, double tolerance) {
    return distance(is, wanted) <= tolerance + exact;
}

/* The nearest of the question's own; NULL: none is near. */
static const char *own_mistake(const struct answer_key *key, double value) {
    const char *id = NULL;
    double least = INFINITY;
    for (int i = 0; i < key->path_count; i++) {
        double off = distance(value, key->paths[i].value);
        if (is_near(value, key->paths[i].value, key->tolerance) && off < least) {
            id = key->paths[i].id;
            least = off;
        }
    }
    return id;
}

/* 10^3 and 2^10, and so on; 0: no such unit. */
static double other_system(double factor) {
    double binary = 1.0, decimal = 1.0;
    for (int i = 0; i < 5; i++) {
        binary *= 0x1p10;
        decimal *= 1e3;
        if (factor == binary || factor == decimal) {
            return factor == binary ? decimal : binary;
        }
    }
    return 0.0;
}

static const char *unit_mistake(const struct answer_key *key, const struct answer_number *n) {
    static const double thousands[] = {1e3, 1e6, 1e9, 1e-3, 1e-6, 1e-9};
    bool of_bytes = key->kind == ANSWER_BYTES || key->kind == ANSWER_RATE;
    double other = of_bytes ? other_system(n->factor) : 0.0;
    if (other > 0.0 && is_near(n->written * other, key->right, mistake_within)) {
        return other > n->factor ? "answer.gib" : "answer.gb";
    }
    if (of_bytes && (is_near(n->value * 8.0, key->right, mistake_within) ||
                     is_near(n->value / 8.0, key->right, mistake_within))) {
        return "answer.bits";
    }
    bool prefixed =
        key->kind != ANSWER_SHARE && (key->kind != ANSWER_COUNT || key->tolerance > 0.0);
    for (size_t i = 0; prefixed && i < sizeof thousands / sizeof thousands[0]; i++) {
        if (is_near(n->value * thousands[i], key->right, mistake_within)) {
            return "answer.prefix";
        }
    }
    return NULL;
}

enum answer_verdict answer_judge(const struct answer_key *key, const struct answer_number *number,
                                 const char **id) {
    bool fraction = key->kind == ANSWER_SHARE && !number->unit_given;
    *id = NULL;
    if (is_near(number->value, key->right, key->tolerance) ||
        (fraction && is_near(number->written, key->right, key->tolerance))) {
        return ANSWER_RIGHT;
    }
    *id = own_mistake(key, number->value);
    if (*id == NULL && fraction) {
        *id = own_mistake(key, number->written);
    }
    if (*id == NULL && key->right != 0.0) {
        *id = unit_mistake(key, number);
    }
    return *id != NULL ? ANSWER_MISTAKEN : ANSWER_WRONG;
}
