/* A number and how it came about. Every calculator returns its terms next to its result: "Why?", the
 * `explain` member of JSON, worked examples and quiz solutions all read them; no explanation is written twice.
 * Formulas are mathematics and the same in every language; what a term means is the message
 * "term.<id>" (name) and "term.<id>.why" (one or two sentences). */
#ifndef CALC_DERIVATION_H
#define CALC_DERIVATION_H

#include <stdbool.h>
#include <stdint.h>

enum { CALC_TERMS_MAX = 32 };

/* The part of the ledger that a term adds to. */
enum calc_part {
    CALC_PART_WEIGHTS,
    CALC_PART_GRADIENTS,
    CALC_PART_OPTIMIZER,
    CALC_PART_ACTIVATIONS,
    CALC_PART_BUFFERS,
    CALC_PARTS,
    CALC_PART_NONE = CALC_PARTS /* a phase of a step: no part, and not added up */
};

struct calc_term {
    const char *id; /* "weights", "optimizer", "activations.norm_inputs", … a literal */
    enum calc_part part;
    char formula[96];      /* "12Ψ/N" */
    char substituted[160]; /* "12 × 6738415616 / 64" */
    uint64_t bytes;
    const char *source; /* "ZeRO, arXiv:1910.02054, section 3.1", a literal */
};

/* Terms of one GPU; the terms of a part sum to that part exactly. Phases instead of parts: see calc_memory.phases. */
struct calc_derivation {
    int count;
    bool figures_only; /* formulas and numbers in words are left empty */
    struct calc_term terms[CALC_TERMS_MAX];
};

/* "weights", "gradients", … : key of JSON and tail of message id "part.<name>". */
const char *calc_part_name(enum calc_part part);

#endif
