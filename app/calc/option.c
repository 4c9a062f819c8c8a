/* The table of scenario options, setting one from text and reading it as a number; writing one as text or JSON and the
 * command line that reproduces a scenario are option_line.c's. Called by cli (parsing), shell (sliders, `y`) and lessons.
 * No memory is owned. What a combination may be is scenario_check.c's business, not this file's.
 * Proof: tests/unit/calc/test_option.c. */
#include "shardlab/calc/option.h"

#include <assert.h>
#include <string.h>

#include "shardlab/base/units.h"

/* Far above any real model, low enough that 10^30 and typing errors are named at once. */
#define DIMENSION_MAX (UINT64_C(1) << 40)
#define RANKS_MAX (UINT64_C(1) << 20)
#define BYTES_MAX (UINT64_C(1) << 62)
#define PARAMS_MAX (UINT64_C(1) << 60)
#define MILLIONTHS UINT64_C(1000000) /* in which the limits of a real are written */

static const char *const norm_choices[] = {"rms", "layer", NULL};
static const char *const bias_choices[] = {"none", "qkv", "all", NULL};
static const char *const position_choices[] = {"rope", "learned", "alibi", NULL};
static const char *const schedule_choices[] = {
    "1f1b",           "gpipe", "interleaved", "looped-bfs", "zb-h1",   "zb-h2",
    "zb-interleaved", "zb-v",  "dualpipe",    "dualpipev",  "chimera", NULL};
static const char *const offload_choices[] = {"none", "optimizer", "params", NULL};
static const char *const offload_to_choices[] = {"cpu", "nvme", NULL};
static const char *const reduce_choices[] = {"boundary", "every", NULL};
static const char *const precision_choices[] = {"fp32", "fp16", "bf16", "fp8", NULL};
static const char *const optimizer_choices[] = {
    "adam", "adam8bit", "adam16bit", "momentum", "sgd", "adafactor", "muon", "none", NULL};
static const char *const recompute_choices[] = {"none", "selective", "full", NULL};
static const char *const attention_choices[] = {"standard", "flash", NULL};
static const char *const logits_choices[] = {"none", "bf16", "fp32", "fp32x3", "fused", NULL};
static const char *const buffers_choices[] = {"none", "framework", NULL};
static const char *const convention_choices[] = {"zero-paper", "megatron", "deepspeed",
                                                 "fsdp",       "hf",       NULL};

static const uint64_t dp_stops[] = {1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024};
static const uint64_t tp_stops[] = {1, 2, 3, 4, 6, 8, 16};
static const uint64_t pp_stops[] = {1, 2, 4, 8, 16, 32, 64};
static const uint64_t cp_stops[] = {1, 2, 4, 8, 16};
static const uint64_t ep_stops[] = {1, 2, 4, 8, 16, 32, 64, 128, 256};
static const uint64_t etp_stops[] = {1, 2, 4, 8};
static const uint64_t chunk_stops[] = {1, 2, 3, 4, 6, 8};
static const uint64_t zero_stops[] = {0, 1, 2, 3};
static const uint64_t prefetch_stops[] = {0, 1, 2, 4};
static const uint64_t node_stops[] = {1, 2, 4, 8, 16};
static const uint64_t norms_stops[] = {2, 4};
static const uint64_t grad_stops[] = {2, 4, 6};
static const uint64_t input_stops[] = {1, 2};
static const uint64_t expert_nodes_stops[] = {0, 1, 2, 4, 8};
static const uint64_t seq_stops[] = {512, 1024, 2048, 4096, 8192, 16384, 32768, 65536, 131072};
static const uint64_t micro_batch_stops[] = {1, 2, 4, 8, 16, 32};
static const uint64_t micro_batches_stops[] = {1, 2, 4, 8, 16, 32, 64, 128, 256};
/* Rates, in 10^9 bytes a second. Inside a node from PCIe to the NVLink of a rack; between nodes from Ethernet to as fast as
 * inside; PCIe from a shared lane to CPU and GPU on one package; disks from a share of one to a row of them. */
#define G(rate) ((rate)*MILLIONTHS)
static const uint64_t link_stops[] = {G(12), G(25), G(50), G(150), G(300), G(450), G(900)};
static const uint64_t net_stops[] = {G(3), G(6), G(12), G(25), G(50), G(100), G(300)};
static const uint64_t pcie_stops[] = {G(3), G(6), G(12), G(25), G(50), G(450)};
static const uint64_t nvme_stops[] = {G(1), G(3), G(6), G(12), G(25)};

#define AT(field) offsetof(struct scenario, field)
#define STOPS(list) (list), (int)(sizeof(list) / sizeof((list)[0]))
#define COUNT(name, group, field, min, max, ...)                                                   \
    { name, group, CALC_OPTION_COUNT, AT(field), min, max, NULL, __VA_ARGS__ }
#define SIZE(name, field) COUNT(name, CALC_GROUP_MODEL, field, 1, DIMENSION_MAX, NULL, 0)
#define NUMBER(name, field) COUNT(name, CALC_GROUP_MODEL, field, 0, DIMENSION_MAX, NULL, 0)
#define RATE(name, field, ...)                                                                     \
    {                                                                                              \
        name, CALC_GROUP_CLUSTER, CALC_OPTION_REAL, AT(field), 1, UINT64_C(1000000) * MILLIONTHS,  \
            NULL, __VA_ARGS__                                                                      \
    }
#define CHOICE(name, group, field, list)                                                           \
    { name, group, CALC_OPTION_CHOICE, AT(field), 0, 0, list, NULL, 0 }
#define SWITCH(name, group, field)                                                                 \
    { name, group, CALC_OPTION_SWITCH, AT(field), 0, 1, NULL, NULL, 0 }

static const struct calc_option options[] = {
    {"model", CALC_GROUP_MODEL, CALC_OPTION_NAME, AT(model.name), 0, 0, NULL, NULL, 0},
    {"config", CALC_GROUP_MODEL, CALC_OPTION_PATH, AT(model.config), 0, 0, NULL, NULL, 0},
    COUNT("params", CALC_GROUP_MODEL, model.params, 1, PARAMS_MAX, NULL, 0),
    SIZE("layers", model.layers),
    SIZE("hidden", model.hidden),
    SIZE("heads", model.heads),
    SIZE("kv-heads", model.kv_heads),
    SIZE("head-dim", model.head_dim),
    SIZE("ffn", model.ffn),
    SWITCH("gated", CALC_GROUP_MODEL, model.gated),
    SIZE("vocab", model.vocab),
    SWITCH("tied", CALC_GROUP_MODEL, model.tied),
    {"max-seq", CALC_GROUP_MODEL, CALC_OPTION_SEQ, AT(model.max_seq), 1, DIMENSION_MAX, NULL, NULL,
     0},
    CHOICE("norm", CALC_GROUP_MODEL, model.norm, norm_choices),
    COUNT("norms", CALC_GROUP_MODEL, model.norms, 2, 4, STOPS(norms_stops)),
    SWITCH("qk-norm", CALC_GROUP_MODEL, model.qk_norm),
    CHOICE("bias", CALC_GROUP_MODEL, model.bias, bias_choices),
    CHOICE("position", CALC_GROUP_MODEL, model.position, position_choices),
    SIZE("position-rows", model.position_rows),
    SWITCH("embedding-norm", CALC_GROUP_MODEL, model.embedding_norm),
    SIZE("experts", model.experts),
    SIZE("experts-active", model.experts_active),
    NUMBER("experts-shared", model.experts_shared),
    SIZE("moe-ffn", model.moe_ffn),
    NUMBER("dense-layers", model.dense_layers),
    NUMBER("q-rank", model.q_rank),
    SIZE("kv-rank", model.kv_rank),
    SIZE("qk-nope", model.qk_nope),
    SIZE("qk-rope", model.qk_rope),
    SIZE("v-head", model.v_head),
    COUNT("dp", CALC_GROUP_LAYOUT, layout.dp, 1, RANKS_MAX, STOPS(dp_stops)),
    COUNT("tp", CALC_GROUP_LAYOUT, layout.tp, 1, RANKS_MAX, STOPS(tp_stops)),
    COUNT("pp", CALC_GROUP_LAYOUT, layout.pp, 1, CALC_STAGES_MAX, STOPS(pp_stops)),
    COUNT("cp", CALC_GROUP_LAYOUT, layout.cp, 1, RANKS_MAX, STOPS(cp_stops)),
    COUNT("ep", CALC_GROUP_LAYOUT, layout.ep, 1, RANKS_MAX, STOPS(ep_stops)),
    COUNT("etp", CALC_GROUP_LAYOUT, layout.etp, 1, RANKS_MAX, STOPS(etp_stops)),
    COUNT("expert-nodes", CALC_GROUP_LAYOUT, layout.expert_nodes, 0, RANKS_MAX,
          STOPS(expert_nodes_stops)),
    COUNT("chunks", CALC_GROUP_LAYOUT, layout.chunks, 1, RANKS_MAX, STOPS(chunk_stops)),
    CHOICE("schedule", CALC_GROUP_LAYOUT, layout.schedule, schedule_choices),
    {"layers-per-stage", CALC_GROUP_LAYOUT, CALC_OPTION_LIST, AT(layout.layers_per_stage), 1,
     UINT32_MAX, NULL, NULL, 0},
    SWITCH("sequence-parallel", CALC_GROUP_LAYOUT, layout.sequence_parallel),
    COUNT("zero", CALC_GROUP_LAYOUT, layout.zero, 0, 3, STOPS(zero_stops)),
    CHOICE("offload", CALC_GROUP_LAYOUT, layout.offload, offload_choices),
    CHOICE("offload-to", CALC_GROUP_LAYOUT, layout.offload_to, offload_to_choices),
    SWITCH("reshard", CALC_GROUP_LAYOUT, layout.reshard),
    COUNT("prefetch", CALC_GROUP_LAYOUT, layout.prefetch, 0, RANKS_MAX, STOPS(prefetch_stops)),
    CHOICE("reduce", CALC_GROUP_LAYOUT, layout.reduce, reduce_choices),
    CHOICE("precision", CALC_GROUP_RECIPE, recipe.precision, precision_choices),
    COUNT("grad-bytes", CALC_GROUP_RECIPE, recipe.grad_bytes, 2, 6, STOPS(grad_stops)),
    CHOICE("optimizer", CALC_GROUP_RECIPE, recipe.optimizer, optimizer_choices),
    CHOICE("recompute", CALC_GROUP_RECIPE, recipe.recompute, recompute_choices),
    SWITCH("recompute-norms", CALC_GROUP_RECIPE, recipe.recompute_norms),
    SWITCH("recompute-latents", CALC_GROUP_RECIPE, recipe.recompute_latents),
    SWITCH("recompute-activation", CALC_GROUP_RECIPE, recipe.recompute_activation),
    COUNT("input-bytes", CALC_GROUP_RECIPE, recipe.input_bytes, 1, 4, STOPS(input_stops)),
    CHOICE("attention", CALC_GROUP_RECIPE, recipe.attention, attention_choices),
    SWITCH("dropout", CALC_GROUP_RECIPE, recipe.dropout),
    CHOICE("logits", CALC_GROUP_RECIPE, recipe.logits, logits_choices),
    COUNT("pad-vocab", CALC_GROUP_RECIPE, recipe.pad_vocab, 1, DIMENSION_MAX, NULL, 0),
    CHOICE("buffers", CALC_GROUP_RECIPE, recipe.buffers, buffers_choices),
    {"seq", CALC_GROUP_BATCH, CALC_OPTION_SEQ, AT(batch.seq), 1, DIMENSION_MAX, NULL,
     STOPS(seq_stops)},
    COUNT("micro-batch", CALC_GROUP_BATCH, batch.micro_batch, 1, DIMENSION_MAX,
          STOPS(micro_batch_stops)),
    COUNT("micro-batches", CALC_GROUP_BATCH, batch.micro_batches, 1, DIMENSION_MAX,
          STOPS(micro_batches_stops)),
    {"gpu", CALC_GROUP_CLUSTER, CALC_OPTION_NAME, AT(cluster.gpu), 0, 0, NULL, NULL, 0},
    {"memory", CALC_GROUP_CLUSTER, CALC_OPTION_BYTES, AT(cluster.memory), 1, BYTES_MAX, NULL, NULL,
     0},
    {"reserve", CALC_GROUP_CLUSTER, CALC_OPTION_BYTES, AT(cluster.reserve), 0, BYTES_MAX, NULL,
     NULL, 0},
    COUNT("gpus-per-node", CALC_GROUP_CLUSTER, cluster.gpus_per_node, 1, RANKS_MAX,
          STOPS(node_stops)),
    RATE("link-gb-per-s", cluster.link_gb_per_s, STOPS(link_stops)),
    RATE("net-gb-per-s", cluster.net_gb_per_s, STOPS(net_stops)),
    RATE("pcie-gb-per-s", cluster.pcie_gb_per_s, STOPS(pcie_stops)),
    RATE("nvme-gb-per-s", cluster.nvme_gb_per_s, STOPS(nvme_stops)),
    {"alpha-us", CALC_GROUP_CLUSTER, CALC_OPTION_REAL, AT(cluster.alpha_us), 0,
     1000000 * MILLIONTHS, NULL, NULL, 0},
    {"mfu", CALC_GROUP_CLUSTER, CALC_OPTION_REAL, AT(cluster.mfu), 1, MILLIONTHS, NULL, NULL, 0},
    CHOICE("convention", CALC_GROUP_CLUSTER, convention, convention_choices),
};

enum { OPTIONS = sizeof(options) / sizeof(options[0]) };
_Static_assert(OPTIONS <= 64 * CALC_GIVEN_WORDS, "scenario.given has one bit an option");

int calc_option_count(void) {
    return OPTIONS;
}

const struct calc_option *calc_option_at(int index) {
    assert(index >= 0 && index < OPTIONS);
    return &options[index];
}

int calc_option_find(const char *name, size_t length) {
    for (int i = 0; i < OPTIONS; i++) {
        if (strlen(options[i].name) == length && memcmp(options[i].name, name, length) == 0) {
            return i;
        }
    }
    return -1;
}

int calc_option_index(const char *name) {
    int index = calc_option_find(name, strlen(name));
    assert(index >= 0);
    return index;
}

static void *field_at(struct scenario *s, const struct calc_option *o) {
    return (char *)s + o->offset;
}

static const void *field_of(const struct scenario *s, const struct calc_option *o) {
    return (const char *)s + o->offset;
}

static enum status refuse(struct message *why, const char *id, const struct calc_option *o,
                          const char *text) {
    message_start(why, id);
    message_add_text(why, o->name);
    message_add_text(why, text);
    return STATUS_USAGE;
}

static enum status set_text(char *field, size_t capacity, const struct calc_option *o,
                            const char *text, struct message *why) {
    size_t length = strlen(text);
    if (length == 0) {
        return refuse(why, "error.option.empty", o, text);
    }
    if (length >= capacity) {
        enum status bad = refuse(why, "error.option.long", o, text);
        message_add_plain(why, capacity - 1);
        return bad;
    }
    memset(field, 0, capacity); /* all of it: scenarios are compared as bytes */
    memcpy(field, text, length);
    return STATUS_OK;
}

static enum status set_count(uint64_t *field, const struct calc_option *o, const char *text,
                             struct message *why) {
    uint64_t value = 0;
    bool read = o->kind == CALC_OPTION_BYTES
                    ? units_parse_bytes(text, &value)
                    : units_parse_count(text, o->kind == CALC_OPTION_SEQ ? 1024 : 1000, &value);
    if (!read || value < o->min || value > o->max) {
        enum status bad =
            refuse(why, o->kind == CALC_OPTION_BYTES ? "error.option.bytes" : "error.option.count",
                   o, text);
        message_add_count(why, o->min);
        message_add_count(why, o->max);
        return bad;
    }
    *field = value;
    return STATUS_OK;
}

static enum status set_real(double *field, const struct calc_option *o, const char *text,
                            struct message *why) {
    double value = 0;
    char least[32], most[32];
    double min = (double)o->min / (double)MILLIONTHS;
    double max = (double)o->max / (double)MILLIONTHS;
    if (units_parse_real(text, &value) && value >= min && value <= max) {
        *field = value == 0 ? 0 : value; /* not -0: scenarios are compared as bytes */
        return STATUS_OK;
    }
    enum status bad = refuse(why, "error.option.real", o, text);
    struct writer w;
    writer_start(&w, least, sizeof least);
    writer_real(&w, min);
    message_add_text(why, least);
    writer_start(&w, most, sizeof most);
    writer_real(&w, max);
    message_add_text(why, most);
    return bad;
}

static enum status set_choice(int *field, const struct calc_option *o, const char *text,
                              struct message *why) {
    for (int i = 0; o->choices[i] != NULL; i++) {
        if (strcmp(o->choices[i], text) == 0) {
            *field = i;
            return STATUS_OK;
        }
    }
    char list[MESSAGE_TEXT_MAX];
    struct writer w;
    writer_start(&w, list, sizeof list);
    for (int i = 0; o->choices[i] != NULL; i++) {
        writer_text(&w, i == 0 ? "" : ", ");
        writer_text(&w, o->choices[i]);
    }
    enum status bad = refuse(why, "error.option.choice", o, text);
    message_add_text(why, list);
    return bad;
}

static enum status set_switch(bool *field, const struct calc_option *o, const char *text,
                              struct message *why) {
    if (strcmp(text, "yes") == 0 || strcmp(text, "on") == 0 || strcmp(text, "true") == 0) {
        *field = true;
    } else if (strcmp(text, "no") == 0 || strcmp(text, "off") == 0 || strcmp(text, "false") == 0) {
        *field = false;
    } else {
        return refuse(why, "error.option.switch", o, text);
    }
    return STATUS_OK;
}

/* "8,8,9": the layers of each pipeline stage. */
static enum status set_list(struct calc_layout *layout, const struct calc_option *o,
                            const char *text, struct message *why) {
    uint32_t values[CALC_STAGES_MAX];
    uint64_t count = 0;
    const char *at = text;
    for (;;) {
        size_t length = strcspn(at, ",");
        char item[32];
        uint64_t value = 0;
        if (length == 0 || length >= sizeof item || count == CALC_STAGES_MAX) {
            return refuse(why, "error.option.list", o, text);
        }
        memcpy(item, at, length);
        item[length] = '\0';
        if (!units_parse_count(item, 1000, &value) || value < 1 || value > UINT32_MAX) {
            return refuse(why, "error.option.list", o, text);
        }
        values[count++] = (uint32_t)value;
        if (at[length] == '\0') {
            break;
        }
        at += length + 1;
    }
    memset(layout->layers_per_stage, 0, sizeof layout->layers_per_stage);
    memcpy(layout->layers_per_stage, values, (size_t)count * sizeof values[0]);
    layout->layers_per_stage_count = count;
    return STATUS_OK;
}

enum status calc_option_set(struct scenario *s, int index, const char *text, struct message *why) {
    const struct calc_option *o = calc_option_at(index);
    void *field = field_at(s, o);
    char folded[CALC_PATH_MAX];
    if (o->kind == CALC_OPTION_PATH) {
        folded[0] = '\0'; /* a file name is what it is */
    } else if (!units_fold(text, folded, sizeof folded)) {
        return refuse(why, "error.option.unreadable", o, text);
    }
    enum status done = STATUS_USAGE;
    switch (o->kind) {
    case CALC_OPTION_NAME:
        done = set_text(field, CALC_NAME_MAX, o, folded, why);
        break;
    case CALC_OPTION_PATH:
        done = set_text(field, CALC_PATH_MAX, o, text, why);
        break;
    case CALC_OPTION_COUNT:
    case CALC_OPTION_SEQ:
    case CALC_OPTION_BYTES:
        done = set_count(field, o, folded, why);
        break;
    case CALC_OPTION_REAL:
        done = set_real(field, o, folded, why);
        break;
    case CALC_OPTION_CHOICE:
        done = set_choice(field, o, folded, why);
        break;
    case CALC_OPTION_SWITCH:
        done = set_switch(field, o, folded, why);
        break;
    case CALC_OPTION_LIST:
        done = set_list(&s->layout, o, folded, why);
        break;
    }
    if (done == STATUS_OK) {
        s->given[index / 64] |= UINT64_C(1) << index % 64;
    }
    return done;
}

void calc_option_clear(struct scenario *s, int index) {
    const struct calc_option *o = calc_option_at(index);
    s->given[index / 64] &= ~(UINT64_C(1) << index % 64);
    switch (o->kind) {
    case CALC_OPTION_NAME:
        memset(field_at(s, o), 0, CALC_NAME_MAX);
        break;
    case CALC_OPTION_PATH:
        memset(field_at(s, o), 0, CALC_PATH_MAX);
        break;
    case CALC_OPTION_COUNT:
    case CALC_OPTION_SEQ:
    case CALC_OPTION_BYTES:
        *(uint64_t *)field_at(s, o) = 0;
        break;
    case CALC_OPTION_REAL:
        *(double *)field_at(s, o) = 0;
        break;
    case CALC_OPTION_CHOICE:
        *(int *)field_at(s, o) = 0;
        break;
    case CALC_OPTION_SWITCH:
        *(bool *)field_at(s, o) = false;
        break;
    case CALC_OPTION_LIST:
        memset(s->layout.layers_per_stage, 0, sizeof s->layout.layers_per_stage);
        s->layout.layers_per_stage_count = 0;
        break;
    }
}

uint64_t calc_option_value(const struct scenario *s, int index) {
    const struct calc_option *o = calc_option_at(index);
    switch (o->kind) {
    case CALC_OPTION_COUNT:
    case CALC_OPTION_SEQ:
    case CALC_OPTION_BYTES:
        return *(const uint64_t *)field_of(s, o);
    case CALC_OPTION_REAL:
        return (uint64_t)(*(const double *)field_of(s, o) * (double)MILLIONTHS + 0.5);
    case CALC_OPTION_CHOICE:
        return (uint64_t) * (const int *)field_of(s, o);
    case CALC_OPTION_SWITCH:
        return *(const bool *)field_of(s, o) ? 1 : 0;
    case CALC_OPTION_LIST:
        return s->layout.layers_per_stage_count;
    case CALC_OPTION_NAME:
    case CALC_OPTION_PATH:
        break;
    }
    return 0;
}
