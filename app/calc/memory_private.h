/* The pieces of calc_memory_on_stage. Each appends the terms of its part to the derivation. Only for app/calc. */
#ifndef MEMORY_PRIVATE_H
#define MEMORY_PRIVATE_H

#include "calc_private.h"
#include "shardlab/calc/memory.h"
#include "shardlab/calc/params.h"

/* Appends a term and returns it for its texts; `bytes` is added to the part by memory.c. */
struct calc_term *memory_term_add(struct calc_derivation *d, const char *id, enum calc_part part,
                                  uint64_t bytes, const char *source);
/* printf into the term's texts, unless the derivation wants none; a text that does not fit is cut. */
void memory_term_formula(const struct calc_derivation *d, struct calc_term *t, const char *format,
                         ...) __attribute__((format(printf, 3, 4)));
void memory_term_substituted(const struct calc_derivation *d, struct calc_term *t,
                             const char *format, ...) __attribute__((format(printf, 3, 4)));

/* Bytes per parameter of each kind of state, by precision, convention and ZeRO stage. */
struct memory_state_bytes {
    uint64_t weight;    /* working weights */
    uint64_t gathered;  /* FSDP at stage 2: the whole copy that is never given back */
    uint64_t gradient;  /* gradients in their working type; 0 where the convention keeps none */
    uint64_t fp32_copy; /* a second, fp32 copy of the gradients */
    uint64_t optimizer; /* master weights and moments */
};
struct memory_state_bytes memory_state_bytes_of(const struct scenario *s, uint64_t zero);

/* Elements that a GPU holds before ZeRO divides them; `experts` of them, the routed ones, are shared among other
 * ranks than the rest. */
struct memory_params {
    uint64_t all, experts;
};

/* Model states: each kind is shared among the ranks that hold the same. */
MUST_USE enum status memory_states_add(const struct scenario *s, uint64_t stage,
                                       struct memory_params params, struct calc_derivation *d,
                                       struct message *why);

/* How an optimizer divides the parameters (memory_optimizer.c): `main` elements with memory_state_bytes.optimizer
 * bytes, and with rest_bytes > 0 a second kind of state. */
struct memory_optimizer {
    uint64_t main, main_experts, rest, rest_experts; /* routed experts apart */
    uint64_t rest_bytes;
    const char *main_symbol, *rest_symbol, *rest_id, *rest_experts_id, *source;
};
bool memory_optimizer_by_shape(const struct scenario *s);
MUST_USE enum status memory_optimizer_split(const struct scenario *s, uint64_t stage,
                                            struct memory_params params,
                                            struct memory_optimizer *out, struct message *why);
/* Optimizer bytes of the whole model, nothing sharded. */
MUST_USE enum status memory_optimizer_whole(const struct scenario *s, uint64_t *bytes,
                                            struct message *why);
MUST_USE enum status memory_activations_add(const struct scenario *s, uint64_t stage,
                                            struct calc_derivation *d, struct message *why);
/* True when this recipe and convention keep buffers at all. */
bool memory_buffers_exist(const struct scenario *s);
MUST_USE enum status memory_buffers_add(const struct scenario *s, uint64_t stage,
                                        struct calc_derivation *d, struct message *why);

/* Bytes of a weight in the type that forward and backward compute with. */
uint64_t memory_compute_bytes(const struct scenario *s);

/* FSDP's gathered units (memory_fsdp.c), and whether they depend on the layers' shapes. */
bool memory_gathered_needs_shapes(const struct scenario *s);
MUST_USE enum status memory_gathered_add(const struct scenario *s, uint64_t stage, uint64_t params,
                                         struct calc_derivation *d, struct message *why);

/* Offload (memory_offload.c): takes the states that leave out of the derivation and counts them where they go. */
bool memory_part_leaves(const struct scenario *s, enum calc_part part);
bool memory_offload_per_node(const struct scenario *s);
MUST_USE enum status memory_offload_move(const struct scenario *s, struct calc_derivation *d,
                                         struct calc_term *offloaded, struct message *why);

/* The phases of convention hf (memory_phases.c); *most is the largest. */
uint64_t memory_phases_bytes_per_param(const struct scenario *s);
MUST_USE enum status memory_phases_add(const struct scenario *s, uint64_t params,
                                       struct calc_derivation *d, uint64_t *most,
                                       struct message *why);

#endif
