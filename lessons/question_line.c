/* From a command line to the scenario that it means, for the makers of questions: the line is what a learner opens, and
 * what the answer is computed from, so that the two cannot part. Lessons know no files, so the few presets that lines name
 * stand here as options. Everything is written into what the caller passes. Left out: options that belong to no scenario
 * (of `pipe`, of `allreduce`); their makers read nothing back. Proof: tests/golden/test_question_presets.c. */
#include "question_line_private.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "shardlab/calc/option.h"

static const struct question_preset models[] = {
    {"llama-2-7b",
     "--layers 32 --hidden 4096 --heads 32 --ffn 11008 --vocab 32000 --max-seq 4096 --gated"},
    {"llama-2-13b",
     "--layers 40 --hidden 5120 --heads 40 --ffn 13824 --vocab 32000 --max-seq 4096 --gated"},
    {"llama-2-70b", "--layers 80 --hidden 8192 --heads 64 --kv-heads 8 --ffn 28672 --vocab 32000 "
                    "--max-seq 4096 --gated"},
    {"llama-3-8b", "--layers 32 --hidden 4096 --heads 32 --kv-heads 8 --ffn 14336 --vocab 128256 "
                   "--max-seq 8192 --gated"},
    {"llama-3-70b", "--layers 80 --hidden 8192 --heads 64 --kv-heads 8 --ffn 28672 --vocab 128256 "
                    "--max-seq 8192 --gated"},
    {"mt-nlg-530b", "--layers 105 --hidden 20480 --heads 128 --vocab 51200 --max-seq 2048 "
                    "--no-gated --norm layer --bias all --tied --position learned"},
};

static const struct question_card cards[] = {
    {"a100-sxm-80gb", "A100", 312, 300, 25},
    {"h100-sxm-80gb", "H100", 989, 450, 50},
    {"b200-sxm-180gb", "B200", 2250, 900, 50},
};

int question_model_count(void) {
    return sizeof models / sizeof models[0];
}

const struct question_preset *question_model_at(int index) {
    return &models[index];
}

int question_card_count(void) {
    return sizeof cards / sizeof cards[0];
}

const struct question_card *question_card_at(int index) {
    return &cards[index];
}

void question_line(struct instance *out, const char *format, ...) {
    va_list args;
    va_start(args, format);
    int length = vsnprintf(out->line, sizeof out->line, format, args);
    va_end(args);
    assert(length > 0 && (size_t)length < sizeof out->line);
    (void)length;
}

/* --- From text to options --- */

enum { WORD_MAX = 48 };

static const char *next_word(const char *at, char out[WORD_MAX]) {
    at += strspn(at, " ");
    size_t length = strcspn(at, " ");
    size_t kept = length < WORD_MAX ? length : WORD_MAX - 1;
    memcpy(out, at, kept);
    out[kept] = '\0';
    return at + length;
}

static bool is_option(const char *at) {
    at += strspn(at, " ");
    return *at == '\0' || strncmp(at, "--", 2) == 0;
}

/* "no-gated" and "tied" have no value of their own. */
static enum status set(struct scenario *s, const char *name, const char *value,
                       struct message *why) {
    int index = calc_option_find(name, strlen(name));
    if (index < 0 && strncmp(name, "no-", 3) == 0) {
        index = calc_option_find(name + 3, strlen(name + 3));
        value = "no";
    }
    assert(index >= 0);
    return calc_option_set(s, index, value, why);
}

static enum status apply(struct scenario *s, const char *options, struct message *why) {
    char name[WORD_MAX], value[WORD_MAX];
    while (options += strspn(options, " "), *options != '\0') {
        assert(strncmp(options, "--", 2) == 0);
        options = next_word(options + 2, name);
        (void)snprintf(value, sizeof value, "yes");
        if (!is_option(options)) {
            options = next_word(options, value);
        }
        enum status ok = set(s, name, value, why);
        if (ok != STATUS_OK) {
            return ok;
        }
    }
    return STATUS_OK;
}

/* --- Presets --- */

/* The line's own dimensions win, so what it names comes first. */
static enum status apply_model(struct scenario *s, const char *line, struct message *why) {
    const char *at = strstr(line, "--model ");
    char name[WORD_MAX];
    if (at == NULL) {
        return STATUS_OK;
    }
    (void)next_word(at + strlen("--model "), name);
    const struct question_preset *found = NULL;
    for (int i = 0; i < question_model_count(); i++) {
        found = strcmp(models[i].name, name) == 0 ? &models[i] : found;
    }
    assert(found != NULL); /* a line names no model beyond the table */
    return found == NULL ? STATUS_FAILED : apply(s, found->options, why);
}

static void apply_card(struct scenario *s) {
    for (int i = 0; i < question_card_count(); i++) {
        const struct question_card *card = &cards[i];
        if (strcmp(card->name, s->cluster.gpu) == 0) {
            bool link = calc_option_given(s, calc_option_index("link-gb-per-s"));
            bool net = calc_option_given(s, calc_option_index("net-gb-per-s"));
            s->cluster.peak_tflops[CALC_PRECISION_BF16] = card->peak_tflops;
            s->cluster.link_gb_per_s = link ? s->cluster.link_gb_per_s : card->link_gb_per_s;
            s->cluster.net_gb_per_s = net ? s->cluster.net_gb_per_s : card->net_gb_per_s;
        }
    }
}

enum status question_scenario(const struct instance *out, struct scenario *s, struct message *why) {
    const char *options = strchr(out->line, ' ');
    assert(options != NULL);
    scenario_start(s);
    if (apply_model(s, out->line, why) != STATUS_OK || apply(s, options, why) != STATUS_OK) {
        return STATUS_FAILED;
    }
    apply_card(s);
    if (scenario_resolve(s, s, why) != STATUS_OK || scenario_violations(s, why, 1) != 0) {
        return STATUS_FAILED;
    }
    return STATUS_OK;
}

/* --- What follows from it --- */

enum status question_comm(const struct instance *out, int stage, struct calc_comm *comm,
                          struct message *why) {
    struct scenario s;
    enum status ok = question_scenario(out, &s, why);
    if (ok != STATUS_OK) {
        return ok;
    }
    ok = stage < 0 ? calc_comm_step(&s, comm, why)
                   : calc_comm_on_stage(&s, (uint64_t)stage, comm, why);
    return ok == STATUS_OK ? STATUS_OK : STATUS_FAILED;
}

const struct calc_comm_row *question_row(const struct calc_comm *comm, enum calc_axis axis,
                                         const char *id) {
    for (int i = 0; i < comm->row_count; i++) {
        if (comm->rows[i].axis == axis && strcmp(comm->rows[i].id, id) == 0) {
            return &comm->rows[i];
        }
    }
    return NULL;
}

/* 72000000000 becomes 72B, 1875000000 becomes 1.875B, 15000000000000 becomes 15T: as people say counts. What is not short
 * that way stays as it is. */
static void say_count(struct writer *w, const char *digits, size_t length) {
    enum { DIGITS_LEAST = 10, DIGITS_MOST = 18 };
    uint64_t count = strtoull(digits, NULL, 10);
    if (length < DIGITS_LEAST || length > DIGITS_MOST || count % 1000000 != 0) {
        writer_text_n(w, digits, length);
        return;
    }
    bool trillions = count >= UINT64_C(1000000000000);
    writer_real(w, (double)count / (trillions ? 1e12 : 1e9));
    writer_char(w, trillions ? 'T' : 'B');
}

void question_shorten(char *text, size_t size) {
    char said[sizeof((struct instance_step *)0)->substituted];
    struct writer w;
    assert(size <= sizeof said);
    writer_start(&w, said, sizeof said);
    for (const char *at = text; *at != '\0';) {
        size_t length = strspn(at, "0123456789");
        if (length == 0) {
            writer_char(&w, *at++);
        } else if (at[length] == '.' ||
                   at[length] == 'e') { /* of a number with decimals or a power, all of it */
            length = strspn(at, "0123456789.e+-");
            writer_text_n(&w, at, length);
            at += length;
        } else {
            say_count(&w, at, length);
            at += length;
        }
    }
    (void)snprintf(text, size, "%s", said);
}

void question_said(struct instance_step *step, const char *formula, const char *format, ...) {
    va_list args;
    (void)snprintf(step->formula, sizeof step->formula, "%s", formula);
    va_start(args, format);
    int length = vsnprintf(step->substituted, sizeof step->substituted, format, args);
    va_end(args);
    assert(length >= 0 && (size_t)length < sizeof step->substituted);
    (void)length;
    question_shorten(step->substituted, sizeof step->substituted);
}

struct instance_step *question_answer_step(struct instance *out) {
    assert(out->key_count == 1);
    const struct instance_key *key = &out->keys[0];
    return instance_step_add(out, key->kind, key->unit, key->right);
}

const char *question_type(uint64_t bytes) {
    return bytes == 2 ? "BF16" : "FP32";
}
