/* The numbers inside the words of the lesson *start*, and its two questions. Each is the calculators' answer for the
 * learner's scenario, or for the one fixed example of the title: a parameter count of 100B alone. What a scenario does
 * not determine is a dash. Proof: tests/unit/lessons/test_start.c. */
#include "start_private.h"

#include <string.h>

#include "shardlab/base/checked.h"
#include "shardlab/base/units.h"
#include "shardlab/calc/flops.h"
#include "shardlab/calc/memory.h"
#include "shardlab/calc/option.h"
#include "shardlab/calc/params.h"

static void write_bytes(struct writer *out, uint64_t bytes) {
    units_write_bytes(out, bytes, UNIT_GB, 1);
    writer_char(out, ' ');
    writer_text(out, units_name(UNIT_GB));
}

static bool params_of(const struct scenario *s, uint64_t *out) {
    struct calc_params params;
    struct message unused;
    bool counted = calc_params_count(s, &params, &unused) == STATUS_OK;
    *out = counted ? params.total : 0;
    return counted;
}

/* The memory of one card when the learner's cards are used in this way. */
static bool memory_of(const struct scenario *s, struct start_way way, struct calc_memory *out) {
    struct scenario other;
    struct message unused;
    way.precision = s->recipe.precision;
    return start_scenario(s, &way, &other) &&
           calc_memory_worst(&other, out, &unused) == STATUS_OK && !out->phases;
}

static uint64_t states_of(const struct calc_memory *m) {
    return m->part_bytes[CALC_PART_WEIGHTS] + m->part_bytes[CALC_PART_GRADIENTS] +
           m->part_bytes[CALC_PART_OPTIMIZER];
}

static bool states_whole(const struct scenario *s, uint64_t *out) {
    struct calc_memory m;
    bool counted = memory_of(s, (struct start_way){.dp = 1}, &m);
    *out = counted ? states_of(&m) : 0;
    return counted;
}

/* --- Figures --- */

typedef bool figure_write(const struct scenario *s, int a, struct writer *out);

static bool write_model(const struct scenario *s, int a, struct writer *out) {
    (void)a;
    writer_text(out, s->model.name);
    return s->model.name[0] != '\0';
}

static bool write_params(const struct scenario *s, int a, struct writer *out) {
    uint64_t params;
    (void)a;
    if (!params_of(s, &params)) {
        return false;
    }
    units_write_short_count(out, params);
    return true;
}

static bool write_per_param(const struct scenario *s, int a, struct writer *out) {
    (void)a;
    writer_u64(out, calc_state_bytes_per_param(s));
    return true;
}

static bool write_capacity(const struct scenario *s, int a, struct writer *out) {
    uint64_t capacity = scenario_capacity_bytes(s);
    (void)a;
    write_bytes(out, capacity);
    return capacity > 0;
}

static bool write_states(const struct scenario *s, int a, struct writer *out) {
    uint64_t bytes;
    (void)a;
    if (!states_whole(s, &bytes)) {
        return false;
    }
    write_bytes(out, bytes);
    return true;
}

/* How many of the learner's cards that is. */
static bool write_times(const struct scenario *s, int a, struct writer *out) {
    uint64_t bytes, capacity = scenario_capacity_bytes(s);
    (void)a;
    if (!states_whole(s, &bytes) || capacity == 0) {
        return false;
    }
    writer_fixed(out, (double)bytes / (double)capacity, 1);
    return true;
}

/* The example of the title, in the paper's convention: "1600.0 GB". */
static bool write_hundred(const struct scenario *s, int a, struct writer *out) {
    struct scenario hundred;
    struct calc_memory m;
    struct message unused;
    (void)s;
    (void)a;
    scenario_start(&hundred);
    if (calc_option_set(&hundred, calc_option_index("params"), "100B", &unused) != STATUS_OK ||
        scenario_resolve(&hundred, &hundred, &unused) != STATUS_OK ||
        calc_memory_worst(&hundred, &m, &unused) != STATUS_OK) {
        return false;
    }
    units_write_bytes(out, m.total_bytes, UNIT_GB, 0);
    writer_char(out, ' ');
    writer_text(out, units_name(UNIT_GB));
    return true;
}

static bool write_dp(const struct scenario *s, int a, struct writer *out) {
    (void)a;
    writer_u64_grouped(out, s->layout.dp);
    return true;
}

/* A part of one card with ZeRO stage `a` on the learner's data ranks. */
static bool write_sharded(const struct scenario *s, int a, struct writer *out) {
    struct calc_memory m;
    if (!memory_of(s, (struct start_way){.dp = s->layout.dp, .zero = (uint64_t)a}, &m)) {
        return false;
    }
    write_bytes(out, states_of(&m));
    return true;
}

static bool write_activations(const struct scenario *s, int a, struct writer *out) {
    struct calc_memory m;
    if (!memory_of(s, (struct start_way){.dp = s->layout.dp, .recompute = a}, &m) ||
        !m.activations_known) {
        return false;
    }
    write_bytes(out, m.part_bytes[CALC_PART_ACTIVATIONS]);
    return true;
}

/* What full recomputation adds to the operations of a step: hardware over model FLOPs. */
static bool write_recompute(const struct scenario *s, int a, struct writer *out) {
    struct scenario other;
    struct calc_flops f;
    struct message unused;
    const struct start_way way = {
        .dp = s->layout.dp, .recompute = CALC_RECOMPUTE_FULL, .precision = s->recipe.precision};
    (void)a;
    if (!start_scenario(s, &way, &other) ||
        calc_flops_per_token(&other, &f, &unused) != STATUS_OK || !f.hardware_known) {
        return false;
    }
    writer_fixed(out, ((double)f.hardware / (double)f.model - 1) * 100, 1);
    writer_text(out, " %");
    return true;
}

static bool write_fewest(const struct scenario *s, int a, struct writer *out) {
    uint64_t cards = scenario_capacity_bytes(s) > 0 ? start_fewest_cards(s, a) : 0;
    writer_u64_grouped(out, cards);
    return cards > 0;
}

static const struct figure_row {
    const char *name;
    figure_write *write; /* false: not defined here */
    int a;
} figures[] = {
    {"model", write_model, 0},
    {"params", write_params, 0},
    {"per_param", write_per_param, 0},
    {"capacity", write_capacity, 0},
    {"states", write_states, 0},
    {"times", write_times, 0},
    {"hundred", write_hundred, 0},
    {"data_ranks", write_dp, 0},
    {"states_zero1", write_sharded, 1},
    {"states_zero3", write_sharded, 3},
    {"activations", write_activations, CALC_RECOMPUTE_NONE},
    {"activations_full", write_activations, CALC_RECOMPUTE_FULL},
    {"recompute", write_recompute, 0},
    {"fewest", write_fewest, CALC_RECOMPUTE_NONE},
    {"fewest_full", write_fewest, CALC_RECOMPUTE_FULL},
};

bool start_figure(const struct lesson_input *in, const char *name, struct writer *out) {
    for (size_t i = 0; i < sizeof figures / sizeof figures[0]; i++) {
        if (strcmp(figures[i].name, name) != 0) {
            continue;
        }
        char text[128];
        struct writer w;
        writer_start(&w, text, sizeof text);
        writer_text(out, figures[i].write(in->now, figures[i].a, &w) ? text : "—");
        return true;
    }
    return false;
}

/* --- Questions --- */

static void add_choice(struct lesson_guess *out, uint64_t cards, const char *why) {
    struct message *m = &out->choices[out->choice_count];
    message_start(m, "lesson.start.guess.cards");
    message_add_count(m, cards);
    message_start(&out->why[out->choice_count++], why);
}

static bool distinct(const uint64_t *values, int count) {
    for (int i = 0; i < count; i++) {
        for (int k = 0; k < i; k++) {
            if (values[i] == values[k] || values[i] == 0 || values[k] == 0) {
                return false;
            }
        }
    }
    return true;
}

/* What belongs to the parameters alone: how many cards does it fill? */
static bool ask_states(const struct scenario *s, struct lesson_guess *out) {
    const uint64_t copies = 8; /* FP32 copies of weight and gradient, which are no extra */
    uint64_t params, cards[4], capacity = scenario_capacity_bytes(s);
    struct calc_memory m;
    if (capacity == 0 || !params_of(s, &params) || !memory_of(s, (struct start_way){.dp = 1}, &m)) {
        return false;
    }
    uint64_t weights = m.part_bytes[CALC_PART_WEIGHTS], states = states_of(&m);
    cards[0] = checked_div_up(weights, capacity);
    cards[1] = checked_div_up(weights + m.part_bytes[CALC_PART_GRADIENTS], capacity);
    cards[2] = checked_div_up(states, capacity);
    cards[3] = checked_div_up(states + copies * params, capacity);
    if (!distinct(cards, 4)) {
        return false;
    }
    message_start(&out->question, "lesson.start.guess.states");
    message_add_bytes(&out->question, capacity);
    add_choice(out, cards[0], "lesson.start.guess.states.weights");
    add_choice(out, cards[1], "lesson.start.guess.states.gradients");
    message_add_count(&out->why[1], m.part_bytes[CALC_PART_OPTIMIZER] / params);
    add_choice(out, cards[2], "lesson.start.guess.states.right");
    message_add_count(&out->why[2], calc_state_bytes_per_param(s));
    add_choice(out, cards[3], "lesson.start.guess.states.twice");
    out->right = 2;
    return true;
}

/* ZeRO-3 without recomputation: on how many cards does a step fit? */
static bool ask_zero3(const struct scenario *s, struct lesson_guess *out) {
    uint64_t capacity = scenario_capacity_bytes(s);
    struct calc_memory one, forgotten;
    if (capacity == 0 || !memory_of(s, (struct start_way){.dp = 1}, &one) ||
        one.total_bytes <= capacity) {
        return false;
    }
    const uint64_t cards[] = {checked_div_up(one.part_bytes[CALC_PART_WEIGHTS], capacity),
                              checked_div_up(states_of(&one), capacity),
                              start_fewest_cards(s, CALC_RECOMPUTE_NONE)};
    if (!distinct(cards, 3) ||
        !memory_of(s, (struct start_way){.dp = cards[1], .zero = 3}, &forgotten)) {
        return false;
    }
    message_start(&out->question, "lesson.start.guess.zero3");
    message_add_bytes(&out->question, capacity);
    add_choice(out, cards[0], "lesson.start.guess.zero3.weights");
    add_choice(out, cards[1], "lesson.start.guess.zero3.states");
    message_add_bytes(&out->why[1], forgotten.total_bytes);
    add_choice(out, cards[2], "lesson.start.guess.zero3.right");
    message_add_bytes(&out->why[2], forgotten.part_bytes[CALC_PART_ACTIVATIONS]);
    out->right = 2;
    return true;
}

bool start_guess(const struct lesson_input *in, struct lesson_guess *out) {
    return in->page == 0   ? ask_states(in->now, out)
           : in->page == 2 ? ask_zero3(in->now, out)
                           : false;
}
