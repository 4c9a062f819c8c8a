/* The rules that bind options to each other (CONTRACT, "Rules"): one function finds every violation, each as a
 * sentence with the values and what would be right. The command line reports the first, sliders use the same
 * function to hollow out impossible stops. Pure. Proof: tests/unit/calc/test_scenario.c. */
#include <stdarg.h>
#include <string.h>

#include "shardlab/base/writer.h"
#include "shardlab/calc/memory.h"
#include "shardlab/calc/option.h"
#include "shardlab/calc/scenario.h"
#include "shardlab/calc/schedule.h"

struct findings {
    struct message *out;
    int capacity, count;
};

/* A new violation with plain numbers as its first arguments; returns it, or a spare when there is no room. */
static struct message *found(struct findings *f, struct message *spare, const char *id, int numbers,
                             ...) {
    struct message *m = f->count < f->capacity ? &f->out[f->count] : spare;
    f->count++;
    message_start(m, id);
    va_list values;
    va_start(values, numbers);
    for (int i = 0; i < numbers; i++) {
        message_add_plain(m, va_arg(values, uint64_t));
    }
    va_end(values);
    return m;
}

/* tp must divide the query heads and, where it exceeds the kv heads, be a multiple of them. */
static bool tp_fits(const struct calc_model *m, uint64_t tp) {
    return m->heads % tp == 0 && (tp <= m->kv_heads || tp % m->kv_heads == 0);
}

/* The nearest legal values below and above: "4, 8". */
static void write_nearest_tp(const struct calc_model *m, uint64_t tp, char *text, size_t capacity) {
    struct writer w;
    writer_start(&w, text, capacity);
    for (uint64_t below = tp < m->heads ? tp : m->heads; below > 0; below--) {
        if (tp_fits(m, below)) {
            writer_u64(&w, below);
            break;
        }
    }
    /* tp is at most 2^20, and so is any useful answer: a prime number of heads must not search for hours */
    for (uint64_t above = tp; above <= m->heads && above <= (UINT64_C(1) << 20); above++) {
        if (tp_fits(m, above)) {
            writer_text(&w, ", ");
            writer_u64(&w, above);
            break;
        }
    }
}

static void check_model(const struct scenario *s, struct findings *f, struct message *spare) {
    const struct calc_model *m = &s->model;
    if (m->norms != 2 && m->norms != 4) {
        found(f, spare, "error.rule.norms", 1, m->norms);
    }
    if (m->kv_heads > m->heads || m->heads % m->kv_heads != 0) {
        found(f, spare, "error.rule.kv_heads", 2, m->kv_heads, m->heads);
    } else if (s->layout.tp > m->heads) {
        found(f, spare, "error.rule.tp_above_heads", 2, s->layout.tp, m->heads);
    } else if (!tp_fits(m, s->layout.tp)) {
        char nearest[64];
        write_nearest_tp(m, s->layout.tp, nearest, sizeof nearest);
        if (m->heads % s->layout.tp != 0) {
            message_add_text(found(f, spare, "error.rule.tp_heads", 2, s->layout.tp, m->heads),
                             nearest);
        } else {
            message_add_text(
                found(f, spare, "error.rule.tp_kv_heads", 2, s->layout.tp, m->kv_heads), nearest);
        }
    }
    if (m->position == CALC_POSITION_LEARNED && s->batch.seq > m->max_seq) {
        found(f, spare, "error.rule.seq_learned", 2, s->batch.seq, m->max_seq);
    }
}

/* Latent attention builds as many keys as queries, of qk-nope + qk-rope each, with norms on the latents and no
 * biases. */
static void check_latents(const struct scenario *s, struct findings *f, struct message *spare) {
    const struct calc_model *m = &s->model;
    if (!scenario_has_latents(s)) {
        return;
    }
    if (m->kv_heads != m->heads) {
        found(f, spare, "error.rule.latent_kv_heads", 2, m->kv_heads, m->heads);
    }
    if (m->head_dim != m->qk_nope + m->qk_rope) {
        found(f, spare, "error.rule.latent_head_dim", 2, m->head_dim, m->qk_nope + m->qk_rope);
    }
    if (m->bias != CALC_BIAS_NONE) {
        const char *const *names = calc_option_at(calc_option_index("bias"))->choices;
        message_add_text(found(f, spare, "error.rule.latent_bias", 0), names[m->bias]);
    }
    if (m->qk_norm) {
        found(f, spare, "error.rule.latent_qk_norm", 0);
    }
}

static void check_experts(const struct scenario *s, struct findings *f, struct message *spare) {
    const struct calc_model *m = &s->model;
    const struct calc_layout *l = &s->layout;
    if (!scenario_has_experts(s)) {
        if (l->ep > 1 || l->etp > 1) {
            struct message *message = found(f, spare, "error.rule.ep_dense", 0);
            message_add_text(message, l->ep > 1 ? "ep" : "etp");
            message_add_plain(message, l->ep > 1 ? l->ep : l->etp);
        }
        return;
    }
    if (m->experts_active > m->experts) {
        found(f, spare, "error.rule.experts_active", 2, m->experts_active, m->experts);
    }
    if (m->dense_layers > m->layers) {
        found(f, spare, "error.rule.dense_layers", 2, m->dense_layers, m->layers);
    }
    if (l->ep > m->experts) {
        found(f, spare, "error.rule.ep_experts", 2, l->ep, m->experts);
    }
    /* each at most 2^20: neither product can wrap */
    uint64_t ranks = l->dp * l->cp * l->tp;
    if (ranks % (l->ep * l->etp) != 0) {
        found(f, spare, "error.rule.ep_ranks", 3, l->ep, l->etp, ranks);
    }
}

static const char *schedule_name(const struct scenario *s) {
    return calc_option_at(calc_option_index("schedule"))->choices[s->layout.schedule];
}

static void check_chunks(const struct scenario *s, struct findings *f, struct message *spare) {
    uint64_t chunks = s->layout.chunks;
    switch ((enum calc_schedule)s->layout.schedule) {
    case CALC_SCHEDULE_INTERLEAVED:
        if (chunks < 2) {
            found(f, spare, "error.rule.interleaved_chunks", 1, chunks);
        }
        return;
    case CALC_SCHEDULE_ZB_INTERLEAVED:
        if (chunks < 2) {
            found(f, spare, "error.rule.zb_interleaved_chunks", 1, chunks);
        }
        return;
    case CALC_SCHEDULE_ZB_V:
    case CALC_SCHEDULE_DUALPIPEV:
        if (chunks != 2) {
            message_add_text(found(f, spare, "error.rule.schedule_chunks", 1, chunks),
                             schedule_name(s));
        }
        return;
    case CALC_SCHEDULE_LOOPED_BFS:
        return;
    default:
        if (chunks > 1) {
            message_add_text(found(f, spare, "error.rule.chunks_schedule", 1, chunks),
                             schedule_name(s));
        }
    }
}

static void check_even(const struct scenario *s, const char *option, struct findings *f,
                       struct message *spare) {
    uint64_t value = calc_option_value(s, calc_option_index(option));
    if (value % 2 != 0) {
        struct message *m = found(f, spare, "error.rule.schedule_even", 1, value);
        message_add_text(m, option);
        message_add_text(m, schedule_name(s));
    }
}

/* How many micro-batches a schedule must have: the conditions of its builder (pipe/schedule.h). */
static void check_schedule(const struct scenario *s, struct findings *f, struct message *spare) {
    uint64_t m = s->batch.micro_batches, p = s->layout.pp, fewest = 0;
    check_chunks(s, f, spare);
    switch ((enum calc_schedule)s->layout.schedule) {
    case CALC_SCHEDULE_ZB_H2:
        fewest = 2 * p - 1;
        break;
    case CALC_SCHEDULE_DUALPIPE:
        check_even(s, "pp", f, spare);
        check_even(s, "micro-batches", f, spare);
        fewest = 2 * p;
        break;
    case CALC_SCHEDULE_DUALPIPEV:
        fewest = 2 * p;
        break;
    case CALC_SCHEDULE_CHIMERA: /* whole blocks of p */
        check_even(s, "pp", f, spare);
        if (m % p != 0) {
            message_add_text(found(f, spare, "error.rule.schedule_blocks", 2, m, p),
                             schedule_name(s));
        }
        break;
    case CALC_SCHEDULE_ZB_INTERLEAVED:
        if (calc_group_is_ragged(s)) { /* torch: rounds of equal length */
            message_add_text(found(f, spare, "error.rule.schedule_rounds", 5, m, p, m / p,
                                   m / p * p, m / p * p + p),
                             schedule_name(s));
        }
        break;
    default:
        break;
    }
    if (m < fewest) {
        message_add_text(found(f, spare, "error.rule.schedule_micro_batches", 3, m, p, fewest),
                         schedule_name(s));
    }
}

static void check_stages(const struct scenario *s, struct findings *f, struct message *spare) {
    const struct calc_layout *l = &s->layout;
    /* pp <= 2^10 and chunks <= 2^20: the product cannot wrap */
    if (!scenario_params_only(s) && l->pp * l->chunks > s->model.layers) {
        if (l->chunks == 1) {
            found(f, spare, "error.rule.pp_layers", 2, l->pp, s->model.layers);
        } else {
            found(f, spare, "error.rule.pp_chunks_layers", 3, l->pp, l->chunks, s->model.layers);
        }
    }
    check_schedule(s, f, spare);
    if (l->layers_per_stage_count == 0) {
        return;
    }
    if (scenario_params_only(s)) {
        found(f, spare, "error.rule.layers_per_stage_params", 0);
        return;
    }
    if (l->layers_per_stage_count != l->pp) {
        found(f, spare, "error.rule.layers_per_stage_count", 2, l->layers_per_stage_count, l->pp);
        return;
    }
    uint64_t sum = 0; /* at most 2^10 values of 32 bits */
    for (uint64_t i = 0; i < l->layers_per_stage_count; i++) {
        sum += l->layers_per_stage[i];
        if (l->layers_per_stage[i] < l->chunks) {
            found(f, spare, "error.rule.layers_per_stage_chunks", 3, i,
                  (uint64_t)l->layers_per_stage[i], l->chunks);
        }
    }
    if (sum != s->model.layers) {
        found(f, spare, "error.rule.layers_per_stage_sum", 2, sum, s->model.layers);
    }
}

/* accelerate's estimate knows Adam and gradients in the weights' type, and nothing else. */
static void check_hf(const struct scenario *s, struct findings *f, struct message *spare) {
    const struct calc_recipe *r = &s->recipe;
    uint64_t as_weights = r->precision == CALC_PRECISION_FP32 ? 4 : 2;
    if (r->optimizer != CALC_OPTIMIZER_ADAM) {
        const char *const *names = calc_option_at(calc_option_index("optimizer"))->choices;
        message_add_text(found(f, spare, "error.rule.hf_optimizer", 0), names[r->optimizer]);
    }
    if (r->grad_bytes != as_weights) {
        found(f, spare, "error.rule.hf_grad_bytes", 2, r->grad_bytes, as_weights);
    }
    if (s->layout.offload != CALC_OFFLOAD_NONE) {
        const char *const *names = calc_option_at(calc_option_index("offload"))->choices;
        message_add_text(found(f, spare, "error.rule.hf_offload", 0), names[s->layout.offload]);
    }
}

/* As computed; in fp8 one byte, if that is asked for. Not asked for, they follow the precision. */
static void check_input_bytes(const struct scenario *s, struct findings *f, struct message *spare) {
    const struct calc_recipe *r = &s->recipe;
    uint64_t computed = r->precision == CALC_PRECISION_FP32 ? 4 : 2;
    bool one = r->precision == CALC_PRECISION_FP8 && r->input_bytes == 1;
    bool asked = calc_option_given(s, calc_option_index("input-bytes"));
    if (asked && r->input_bytes != computed && !one) {
        const char *const *names = calc_option_at(calc_option_index("precision"))->choices;
        bool fp8 = r->precision == CALC_PRECISION_FP8;
        struct message *m =
            found(f, spare, fp8 ? "error.rule.input_bytes_fp8" : "error.rule.input_bytes", 2,
                  r->input_bytes, computed);
        message_add_text(m, names[r->precision]);
    }
}

static void check_recipe(const struct scenario *s, struct findings *f, struct message *spare) {
    const struct calc_recipe *r = &s->recipe;
    if (r->grad_bytes != 2 && r->grad_bytes != 4 && r->grad_bytes != 6) {
        found(f, spare, "error.rule.grad_bytes", 1, r->grad_bytes);
    } else if (r->precision == CALC_PRECISION_FP32 && r->grad_bytes != 4) {
        found(f, spare, "error.rule.grad_bytes_fp32", 1, r->grad_bytes);
    }
    check_input_bytes(s, f, spare);
    if (!calc_convention_defines(s->convention, s->layout.zero)) {
        const char *const *names = calc_option_at(calc_option_index("convention"))->choices;
        char defined[32];
        struct writer w;
        writer_start(&w, defined, sizeof defined);
        for (uint64_t zero = 0; zero <= 3; zero++) {
            if (calc_convention_defines(s->convention, zero)) {
                writer_text(&w, w.length == 0 ? "" : ", ");
                writer_u64(&w, zero);
            }
        }
        struct message *m = found(f, spare, "error.rule.zero_convention", 1, s->layout.zero);
        message_add_text(m, names[s->convention]);
        message_add_text(m, defined);
    }
    bool by_shape = r->optimizer == CALC_OPTIMIZER_MUON || r->optimizer == CALC_OPTIMIZER_ADAFACTOR;
    if (by_shape && scenario_params_only(s)) {
        const char *const *names = calc_option_at(calc_option_index("optimizer"))->choices;
        message_add_text(found(f, spare, "error.rule.optimizer_shapes", 0), names[r->optimizer]);
    }
    if (s->convention == CALC_CONVENTION_DEEPSPEED && s->layout.zero < 3 &&
        s->layout.offload == CALC_OFFLOAD_PARAMS) {
        found(f, spare, "error.rule.offload_params", 1, s->layout.zero);
    }
    if (s->convention == CALC_CONVENTION_DEEPSPEED && s->layout.zero >= 2 &&
        s->layout.reduce == CALC_REDUCE_BOUNDARY) {
        found(f, spare, "error.rule.reduce_deepspeed", 1, s->layout.zero);
    }
    if (s->convention == CALC_CONVENTION_HF) {
        check_hf(s, f, spare);
    }
}

int scenario_violations(const struct scenario *s, struct message *out, int capacity) {
    struct findings f = {out, capacity, 0};
    struct message spare;
    if (!scenario_params_only(s)) {
        check_model(s, &f, &spare);
        check_latents(s, &f, &spare);
    }
    check_experts(s, &f, &spare);
    check_stages(s, &f, &spare);
    check_recipe(s, &f, &spare);
    if (s->layout.cp > s->batch.seq) {
        found(&f, &spare, "error.rule.cp_seq", 2, s->layout.cp, s->batch.seq);
    }
    const struct calc_cluster *c = &s->cluster;
    uint64_t all = c->memory != 0         ? c->memory
                   : c->usable_bytes != 0 ? c->usable_bytes
                                          : c->listed_bytes;
    if (all != 0 && c->reserve >= all) {
        struct message *m = found(&f, &spare, "error.rule.reserve", 0);
        message_add_bytes(m, c->reserve);
        message_add_bytes(m, all);
    }
    return f.count;
}
