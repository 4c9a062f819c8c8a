/* The pictures that belong to single pages of the memory lesson: what a parameter costs under each convention
 * (page 2), the saving of ZeRO against data ranks (page 3), the stage that decides (page 5), and the notes that
 * a scenario calls for on any page. Writes into the view that the caller passes; keeps nothing.
 * Proof: tests/unit/lessons/test_memory_lesson.c. */
#include "memory_private.h"

#include <stddef.h>

#include "shardlab/base/checked.h"
#include "shardlab/calc/option.h"
#include "shardlab/calc/schedule.h"
#include "shardlab/calc/timeline.h"

uint64_t memory_sharding_ranks(const struct scenario *s, uint64_t dp) {
    if (s->convention != CALC_CONVENTION_MEGATRON) {
        return dp;
    }
    uint64_t ranks = UINT64_MAX;
    return checked_mul(dp, s->layout.cp, &ranks) ? ranks : UINT64_MAX;
}

void memory_real_write(struct writer *w, double value, int decimals) {
    char digits[64];
    struct writer trimmed;
    writer_start(&trimmed, digits, sizeof digits);
    writer_fixed(&trimmed, value, decimals);
    size_t length = trimmed.length;
    while (decimals > 0 && length > 0 && digits[length - 1] == '0') {
        length--;
    }
    if (decimals > 0 && length > 0 && digits[length - 1] == '.') {
        length--;
    }
    writer_text_n(w, digits, length);
}

/* Gives an option of `out` the choice with this index. */
static bool choose(struct scenario *out, const char *option, int choice) {
    struct message why;
    int index = calc_option_index(option);
    return calc_option_set(out, index, calc_option_at(index)->choices[choice], &why) == STATUS_OK;
}

/* One parameter, nothing sharded: what is left of `s` is how it keeps numbers. */
static bool single_parameter(const struct scenario *s, int convention, struct scenario *out) {
    struct message why;
    scenario_start(out);
    return calc_option_set(out, calc_option_index("params"), "1", &why) == STATUS_OK &&
           choose(out, "convention", convention) && choose(out, "precision", s->recipe.precision) &&
           choose(out, "optimizer", s->recipe.optimizer) &&
           scenario_resolve(out, out, &why) == STATUS_OK;
}

bool memory_split_write(struct writer *w, const struct scenario *s, int convention) {
    struct scenario one;
    struct calc_memory memory;
    struct message why;
    if (!single_parameter(s, convention, &one) ||
        calc_memory_on_stage(&one, 0, &memory, &why) != STATUS_OK) {
        return false;
    }
    if (memory.phases) { /* a maximum, not a sum; and only for the optimizer that it knows */
        for (int i = 0; i < memory.derivation.count; i++) {
            writer_text(w, i == 0 ? "max(" : ", ");
            writer_u64(w, memory.derivation.terms[i].bytes);
        }
        writer_text(w, ") = ");
        writer_u64(w, memory.total_bytes);
        return scenario_violations(&one, &why, 1) == 0;
    }
    writer_u64(w, memory.part_bytes[CALC_PART_WEIGHTS]);
    writer_text(w, " + ");
    writer_u64(w, memory.part_bytes[CALC_PART_GRADIENTS]);
    writer_text(w, " + ");
    writer_u64(w, memory.part_bytes[CALC_PART_OPTIMIZER]);
    writer_text(w, " = ");
    writer_u64(w, calc_state_bytes_per_param(&one));
    return true;
}

static struct message *add_fact(struct view_facts *facts, const char *key, const char *label,
                                const char *value) {
    struct view_fact *fact = &facts->facts[facts->fact_count++];
    fact->key = key;
    fact->label = label;
    message_start(&fact->value, value);
    return &fact->value;
}

void memory_cost_add(struct view *out, const struct scenario *s) {
    static const struct {
        const char *key, *label;
        int convention;
    } schemes[] = {
        {"zero_paper", "option.convention.zero-paper", CALC_CONVENTION_ZERO_PAPER},
        {"megatron", "option.convention.megatron", CALC_CONVENTION_MEGATRON},
        {"deepspeed", "option.convention.deepspeed", CALC_CONVENTION_DEEPSPEED},
        {"fsdp", "option.convention.fsdp", CALC_CONVENTION_FSDP},
        {"hf", "option.convention.hf", CALC_CONVENTION_HF},
    };
    struct view_facts *facts = &view_add(out, VIEW_KIND_FACTS)->facts;
    message_start(&facts->title, "view.cost");
    for (size_t i = 0; i < sizeof(schemes) / sizeof(schemes[0]); i++) {
        char text[96];
        struct writer w;
        writer_start(&w, text, sizeof text);
        if (memory_split_write(&w, s, schemes[i].convention)) {
            message_add_text(add_fact(facts, schemes[i].key, schemes[i].label, "view.value"), text);
        }
    }
}

/* 1, 2, 4 … 1024, and the learner's own number in its place among them. */
static void fill_ranks(struct view_curve *curve, uint64_t own) {
    bool own_added = false;
    for (uint64_t ranks = 1; ranks <= 1024; ranks *= 2) {
        if (!own_added && own <= ranks) {
            curve->current = curve->point_count;
            own_added = true;
            if (own < ranks) {
                curve->x[curve->point_count++] = own;
            }
        }
        curve->x[curve->point_count++] = ranks;
    }
    if (!own_added) {
        curve->current = curve->point_count;
        curve->x[curve->point_count++] = own;
    }
}

void memory_saving_add(struct view *out, const struct scenario *s) {
    /* Without ZeRO there is nothing to draw: the curve shows what stage 1 would save, and no point on it. */
    uint64_t stage = s->layout.zero > 0 ? s->layout.zero : 1;
    if (!calc_convention_defines(s->convention, stage)) {
        return;
    }
    struct view_curve *curve = &view_add(out, VIEW_KIND_CURVE)->curve;
    message_start(&curve->title, "view.saving");
    message_add_plain(&curve->title, stage);
    curve->x_name = "dp";
    curve->y_name = "saving";
    fill_ranks(curve, s->layout.dp);
    for (int i = 0; i < curve->point_count; i++) {
        curve->y[i] = calc_zero_saving(s, stage, memory_sharding_ranks(s, curve->x[i]));
    }
    if (s->layout.zero == 0) {
        curve->current = -1;
    }
    curve->limit = calc_zero_saving_limit(s, stage);
    curve->has_limit = curve->limit > 0;
    if (curve->has_limit) {
        char text[64];
        struct writer w;
        writer_start(&w, text, sizeof text);
        memory_real_write(&w, curve->limit, 2);
        message_start(&curve->remark, "view.saving.limit");
        message_add_text(&curve->remark, text);
    } else {
        message_start(&curve->remark, "view.saving.no_limit");
    }
}

static bool world_size(const struct calc_layout *layout, uint64_t *out) {
    uint64_t size = 0;
    return checked_mul(layout->dp, layout->tp, &size) && checked_mul(size, layout->pp, &size) &&
           checked_mul(size, layout->cp, out);
}

void memory_stage_add(struct view *out, const struct scenario *s, const struct calc_memory *now) {
    struct view_facts *facts = &view_add(out, VIEW_KIND_FACTS)->facts;
    message_start(&facts->title, "view.fullest_stage");
    struct message *value = add_fact(facts, "stage", "view.stage", "view.stage_of");
    message_add_plain(value, now->stage);
    message_add_plain(value, s->layout.pp);
    if (!scenario_params_only(s)) {
        message_add_count(add_fact(facts, "layers", "view.layers", "view.value"), now->layers);
    }
    message_add_count(add_fact(facts, "params", "view.params_here", "view.value"), now->params);
    bool chunks = calc_chunks_held(s) > 1;
    message_add_count(add_fact(facts, "in_flight",
                               chunks ? "view.in_flight_chunks" : "view.in_flight", "view.value"),
                      now->in_flight);
    uint64_t gpus = 0;
    if (world_size(&s->layout, &gpus)) {
        message_add_count(add_fact(facts, "gpus", "view.gpus", "view.value"), gpus);
    }
}

/* Which states left, where to, and for whom the bytes are counted. */
static void note_offload(struct message *note, const struct scenario *s,
                         const struct calc_memory *now) {
    static const char *const ids[2][2] = {{"note.offload_optimizer", "note.offload_optimizer_node"},
                                          {"note.offload_params", "note.offload_params_node"}};
    bool params = s->layout.offload == CALC_OFFLOAD_PARAMS;
    message_start(note, ids[params ? 1 : 0][now->offloaded_per_node ? 1 : 0]);
    message_add_text(note, s->layout.offload_to == CALC_OFFLOAD_TO_NVME ? "NVMe" : "CPU");
    message_add_bytes(note, now->offloaded.bytes);
}

static bool given(const struct scenario *s, const char *option) {
    return calc_option_given(s, calc_option_index(option));
}

/* Options that were given and change nothing in this scenario. */
static void note_unused(struct view_text *notes, const struct scenario *s) {
    bool gathers = s->convention == CALC_CONVENTION_FSDP && s->layout.zero == 3;
    if (given(s, "reshard") && !gathers) {
        message_start(&notes->lines[notes->line_count++], "note.reshard_unused");
    }
    if (given(s, "prefetch") && !(gathers && s->layout.reshard)) {
        message_start(&notes->lines[notes->line_count++], "note.prefetch_unused");
    }
    if (given(s, "offload-to") && s->layout.offload == CALC_OFFLOAD_NONE) {
        message_start(&notes->lines[notes->line_count++], "note.offload_to_unused");
    }
}

void memory_notes_add(struct view *out, const struct scenario *s, const struct calc_memory *now) {
    struct view_text notes = {0};
    if (s->cluster.memory == 0 && s->cluster.usable_bytes == 0 && s->cluster.listed_bytes > 0) {
        message_start(&notes.lines[notes.line_count], "note.capacity_listed");
        message_add_text(&notes.lines[notes.line_count++], s->cluster.gpu);
    }
    if (now->phases) {
        message_start(&notes.lines[notes.line_count++], "note.hf_phases");
    } else if (!now->activations_known) {
        message_start(&notes.lines[notes.line_count++], "note.activations_unknown");
    } else if (s->batch.seq > s->model.max_seq) {
        struct message *note = &notes.lines[notes.line_count++];
        message_start(note, "note.sequence_above_max");
        message_add_plain(note, s->batch.seq);
        message_add_plain(note, s->model.max_seq);
    }
    if (now->activations_known && s->model.kv_heads % s->layout.tp != 0 &&
        s->layout.tp < s->model.kv_heads) {
        struct message *note = &notes.lines[notes.line_count++];
        message_start(note, "note.kv_heads_uneven");
        message_add_plain(note, s->layout.tp);
        message_add_plain(note, s->model.kv_heads);
        message_add_plain(note, checked_div_up(s->model.kv_heads, s->layout.tp));
    }
    if (s->layout.schedule == CALC_SCHEDULE_INTERLEAVED && calc_group_is_ragged(s)) {
        struct message *note = &notes.lines[notes.line_count++];
        message_start(note, "note.ragged_groups");
        message_add_plain(note, s->batch.micro_batches);
        message_add_plain(note, s->layout.pp);
    }
    if (!calc_timeline_follows(s, now)) {
        message_start(&notes.lines[notes.line_count++], "note.peak_unknown");
    }
    if (!now->buffers_known) {
        message_start(&notes.lines[notes.line_count++], "note.buffers_unknown");
    }
    if (s->convention == CALC_CONVENTION_DEEPSPEED && s->layout.zero == 3) {
        message_start(&notes.lines[notes.line_count++], "note.deepspeed_stage3");
    }
    if (s->layout.offload != CALC_OFFLOAD_NONE) {
        note_offload(&notes.lines[notes.line_count++], s, now);
    }
    note_unused(&notes, s);
    if (notes.line_count > 0) {
        view_add(out, VIEW_KIND_TEXT)->text = notes;
    }
}
