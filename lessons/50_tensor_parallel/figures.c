/* The numbers inside the words of the lesson on tensor parallelism: {{calls}}, {{act_one}}. From the learner's scenario, from
 * it with one option changed, or from the GPT block of Korthikanti et al.; always through the calculators. Writes into the
 * caller's writer; what is not defined is a dash. Proof: tests/unit/lessons/test_tensor_parallel.c. */
#include "shardlab/calc/option.h"
#include "tensor_private.h"

static bool variant(const struct scenario *s, const char *option, const char *value,
                    struct scenario *out) {
    const struct parallel_change change = {option, value};
    return parallel_variant(s, &change, 1, out);
}

/* --- One layer --- */

enum layer_figure { LAYER_CALLS, LAYER_MESSAGE, LAYER_SENT, LAYER_AGAIN, LAYER_PAIR };

static bool write_layer_of(const struct scenario *s, int which, struct writer *out) {
    struct tensor_layer layer;
    if (!tensor_layer(s, &layer)) {
        return false;
    }
    switch ((enum layer_figure)which) {
    case LAYER_CALLS:
        writer_u64(out, layer.calls);
        return true;
    case LAYER_MESSAGE:
        parallel_write_bytes(out, layer.message_bytes);
        return true;
    case LAYER_SENT:
        parallel_write_bytes(out, layer.sent_bytes);
        return true;
    case LAYER_AGAIN:
        parallel_write_bytes(out, layer.again_bytes);
        return true;
    case LAYER_PAIR:
        parallel_write_bytes(out, layer.sent_bytes - layer.again_bytes);
        return true;
    }
    return false;
}

static bool write_layer(const struct lesson_input *in, int which, struct writer *out) {
    return write_layer_of(in->now, which, out);
}

static bool write_full(const struct lesson_input *in, int which, struct writer *out) {
    struct scenario s;
    return variant(in->now, "recompute", "full", &s) && write_layer_of(&s, which, out);
}

static bool write_unsplit(const struct lesson_input *in, int which, struct writer *out) {
    struct scenario s;
    return variant(in->now, "sequence-parallel", "no", &s) && write_layer_of(&s, which, out);
}

static bool write_split(const struct lesson_input *in, int which, struct writer *out) {
    struct scenario s;
    return variant(in->now, "sequence-parallel", "yes", &s) && write_layer_of(&s, which, out);
}

/* --- The step --- */

enum step_figure { STEP_SENT, STEP_COMPUTE, STEP_EXPOSED };

static void write_seconds(struct writer *out, double seconds) {
    bool small = seconds < 1;
    value_real(out, seconds * (small ? 1e3 : 1), small ? 0 : 2);
    writer_text(out, small ? " ms" : " s");
}

static bool write_step(const struct lesson_input *in, int which, struct writer *out) {
    struct tensor_step step;
    if (!tensor_step(in->now, &step) || (which != STEP_SENT && !step.time_known)) {
        return false;
    }
    if (which == STEP_SENT) {
        parallel_write_bytes(out, step.sent_bytes);
    } else {
        write_seconds(out, which == STEP_COMPUTE ? step.compute_s : step.exposed_s);
    }
    return true;
}

/* --- Activations --- */

static bool activations_of(const struct scenario *s, uint64_t *out) {
    struct calc_memory memory;
    struct message unused;
    if (calc_memory_on_stage(s, 0, &memory, &unused) != STATUS_OK || !memory.activations_known) {
        return false;
    }
    *out = memory.part_bytes[CALC_PART_ACTIVATIONS];
    return true;
}

/* Without sequence parallelism (0) or with it (1) on the learner's ranks. */
static bool activations_split(const struct lesson_input *in, int sequence, uint64_t *out) {
    struct scenario s;
    return variant(in->now, "sequence-parallel", sequence ? "yes" : "no", &s) &&
           activations_of(&s, out);
}

static bool activations_alone(const struct lesson_input *in, uint64_t *out) {
    struct scenario s;
    return parallel_with_count(in->now, "tp", 1, &s) && activations_of(&s, out);
}

static bool write_activations(const struct lesson_input *in, int sequence, struct writer *out) {
    uint64_t bytes = 0;
    if (!activations_split(in, sequence, &bytes)) {
        return false;
    }
    parallel_write_bytes(out, bytes);
    return true;
}

static bool write_alone(const struct lesson_input *in, int a, struct writer *out) {
    uint64_t bytes = 0;
    (void)a;
    if (!activations_alone(in, &bytes)) {
        return false;
    }
    parallel_write_bytes(out, bytes);
    return true;
}

/* How many times smaller than on one rank. */
static bool write_factor(const struct lesson_input *in, int sequence, struct writer *out) {
    uint64_t one = 0, now = 0;
    if (!activations_alone(in, &one) || !activations_split(in, sequence, &now) || now == 0) {
        return false;
    }
    value_real(out, (double)one / (double)now, 2);
    return true;
}

/* --- The block of the paper: what one more layer keeps, in units of s·b·h bytes --- */

static bool paper_layers(uint64_t layers, uint64_t tp, uint64_t *out) {
    enum { SEQUENCE = 2048, HIDDEN = 4096, HEADS = 32 };
    static const char *const options[][2] = {
        {"vocab", "32000"},         {"bias", "all"},
        {"norm", "layer"},          {"attention", "standard"},
        {"recompute", "selective"}, {"dropout", "yes"},
    };
    struct scenario s;
    struct message why;
    scenario_start(&s);
    const struct {
        const char *option;
        uint64_t value;
    } counts[] = {{"layers", layers}, {"tp", tp},       {"seq", SEQUENCE},
                  {"hidden", HIDDEN}, {"heads", HEADS}, {"ffn", 4 * (uint64_t)HIDDEN}};
    for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++) {
        char digits[24];
        struct writer w;
        writer_start(&w, digits, sizeof digits);
        writer_u64(&w, counts[i].value);
        if (calc_option_set(&s, calc_option_index(counts[i].option), digits, &why) != STATUS_OK) {
            return false;
        }
    }
    for (size_t i = 0; i < sizeof options / sizeof options[0]; i++) {
        if (calc_option_set(&s, calc_option_index(options[i][0]), options[i][1], &why) !=
            STATUS_OK) {
            return false;
        }
    }
    uint64_t bytes = 0;
    if (calc_option_set(&s, calc_option_index("gated"), "no", &why) != STATUS_OK ||
        scenario_resolve(&s, &s, &why) != STATUS_OK || !activations_of(&s, &bytes)) {
        return false;
    }
    *out = bytes / ((uint64_t)SEQUENCE * HIDDEN);
    return true;
}

enum paper_figure { PAPER_ALL, PAPER_WHOLE, PAPER_DIVIDED };

static bool write_paper(const struct lesson_input *in, int which, struct writer *out) {
    uint64_t one[2], two[2];
    (void)in;
    if (!paper_layers(1, 1, &one[0]) || !paper_layers(2, 1, &one[1]) ||
        !paper_layers(1, 2, &two[0]) || !paper_layers(2, 2, &two[1])) {
        return false;
    }
    uint64_t all = one[1] - one[0], halved = two[1] - two[0];
    uint64_t divided = 2 * (all - halved);
    writer_u64(out, which == PAPER_ALL ? all : which == PAPER_DIVIDED ? divided : all - divided);
    return true;
}

/* --- The layout and the model --- */

static bool write_count(const struct lesson_input *in, int option, struct writer *out) {
    const struct scenario *s = in->now;
    const uint64_t values[] = {s->layout.tp, s->model.heads, s->model.kv_heads, s->model.ffn,
                               (s->model.ffn + s->layout.tp - 1) / s->layout.tp};
    if (option > 0 && scenario_params_only(s)) {
        return false;
    }
    writer_u64_grouped(out, values[option]);
    return true;
}

static const struct value_row figures[] = {
    {"calls", write_layer, LAYER_CALLS},
    {"calls_full", write_full, LAYER_CALLS},
    {"message", write_layer, LAYER_MESSAGE},
    {"layer_sent", write_layer, LAYER_SENT},
    {"sum_sent", write_unsplit, LAYER_SENT},
    {"pair_sent", write_split, LAYER_PAIR},
    {"again_sent", write_split, LAYER_AGAIN},
    {"step_sent", write_step, STEP_SENT},
    {"compute", write_step, STEP_COMPUTE},
    {"exposed", write_step, STEP_EXPOSED},
    {"act_one", write_alone, 0},
    {"act_tensor", write_activations, 0},
    {"act_sequence", write_activations, 1},
    {"act_factor", write_factor, 0},
    {"act_sequence_factor", write_factor, 1},
    {"paper_all", write_paper, PAPER_ALL},
    {"paper_whole", write_paper, PAPER_WHOLE},
    {"paper_divided", write_paper, PAPER_DIVIDED},
    {"tp", write_count, 0},
    {"heads", write_count, 1},
    {"kv_heads", write_count, 2},
    {"ffn", write_count, 3},
    {"ffn_rank", write_count, 4},
};

bool tensor_figure(const struct lesson_input *in, const char *name, struct writer *out) {
    return value_find(figures, sizeof figures / sizeof figures[0], in, name, out);
}
