/* The pieces of calc_memory_on_stage. Each appends the terms of its part to the derivation. Only for app/calc. */
#ifndef MEMORY_PRIVATE_H
#define MEMORY_PRIVATE_H

#include "calc_private.h"
#include "shardlab/calc/memory.h"
#include "shardlab/calc/params.h"

/* Appends a term and returns it for its texts; `bytes` is added to the part by memory.c. */
struct calc_term *memory_term_add(struct calc_derivation *d, const char *id, enum calc_part part,
                                  uint64_t bytes, const char *source);
/* printf into the term's texts; a text that does not fit is cut. */
void memory_term_formula(struct calc_term *t, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
void memory_term_substituted(struct calc_term *t, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Bytes per parameter of each kind of state, by precision, convention and ZeRO stage. */
struct memory_state_bytes {
    uint64_t weight;    /* working weights */
    uint64_t gradient;  /* gradients in their working type; 0 where the convention keeps none */
    uint64_t fp32_copy; /* a second, fp32 copy of the gradients */
    uint64_t optimizer; /* master weights and moments */
};
struct memory_state_bytes memory_state_bytes_of(const struct scenario *s, uint64_t zero);

/* States of `experts` elements of routed experts and of the params − experts others: each kind is shared among
 * the ranks that hold the same. */
MUST_USE enum status memory_states_add(const struct scenario *s, uint64_t params, uint64_t experts,
                                       struct calc_derivation *d, struct message *why);
MUST_USE enum status memory_activations_add(const struct scenario *s, uint64_t stage,
                                            struct calc_derivation *d, struct message *why);
/* True when this recipe and convention keep buffers at all. */
bool memory_buffers_exist(const struct scenario *s);
MUST_USE enum status memory_buffers_add(const struct scenario *s, uint64_t stage,
                                        struct calc_derivation *d, struct message *why);

/* Micro-batches (chunks when interleaved) in flight on a stage (1F1B, GPipe: arXiv:2104.04473 section 2;
 * interleaved: warm-up of Megatron-LM's schedule). */
MUST_USE enum status memory_in_flight(const struct scenario *s, uint64_t stage, uint64_t *out,
                                      struct message *why);

#endif
