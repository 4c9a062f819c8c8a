/* A question as members of a JSON object, the same for `quiz show`, `generate`, `answer` and `export`. Keys and names are
 * English in every language. A text for which there is no memory is null. Proof: tests/cli/test_quiz.c. */
#include <stdlib.h>
#include <string.h>

#include "quiz_private.h"
#include "shardlab/base/json.h"

static const char blank[] = "____";

static void write_text(const struct quiz_json *o, const struct quiz_asked *a, const char *key,
                       const char *text) {
    char *expanded = text != NULL ? cli_quiz_text(a, text, blank) : NULL;
    json_text(o->j, key, expanded);
    free(expanded);
}

void cli_quiz_json_text(const struct quiz_json *o, const struct quiz_asked *a, const char *key,
                        const char *const text[2]) {
    if (!o->both || text[0] == NULL) {
        write_text(o, a, key, text[a->language]);
        return;
    }
    json_object_open(o->j, key);
    write_text(o, a, "en", text[0]);
    write_text(o, a, "zh", text[1]);
    json_object_close(o->j);
}

static const char *kind_name(enum answer_kind kind) {
    static const char *const names[] = {[ANSWER_COUNT] = "count",
                                        [ANSWER_BYTES] = "bytes",
                                        [ANSWER_RATE] = "bytes_per_s",
                                        [ANSWER_SECONDS] = "seconds",
                                        [ANSWER_SHARE] = "share"};
    return names[kind];
}

/* "value" in base units, and "text" as a person writes it. */
static void write_value(struct json *j, const struct instance_key *key, double value) {
    char text[INSTANCE_TEXT_MAX];
    struct writer w;
    writer_start(&w, text, sizeof text);
    instance_value_write(&w, key->kind, key->unit, value);
    json_text(j, "of", kind_name(key->kind));
    json_real(j, "value", value);
    json_text(j, "unit", key->unit);
    json_text(j, "text", text);
}

/* --- Parts --- */

static void write_letter(struct json *j, const char *key, int place) {
    const char letter[2] = {(char)('A' + place), '\0'};
    json_text(j, key, letter);
}

/* `place`: where it stands; `part`: where it stands in the file, which is an order's right one. */
static void write_part(const struct quiz_json *o, const struct quiz_asked *a, int place, int part) {
    const struct question_part *p = &a->q->parts[part];
    bool letters = a->q->kind == QUESTION_CHOICE || a->q->kind == QUESTION_ORDER;
    json_object_open(o->j, NULL);
    if (letters) {
        write_letter(o->j, "letter", place);
    }
    cli_quiz_json_text(o, a, "text", p->text);
    if (o->answers && a->q->kind == QUESTION_CHOICE) {
        json_bool(o->j, "right", p->right);
    }
    if (o->answers && a->q->kind == QUESTION_ORDER) {
        json_i64(o->j, "position", part + 1);
    }
    if (o->answers && a->q->kind == QUESTION_DERIVE) {
        const struct instance_key *key = &a->attempt.numbers.keys[part];
        json_object_open(o->j, "answer");
        write_value(o->j, key, key->right);
        json_real(o->j, "tolerance", key->tolerance);
        json_object_close(o->j);
    }
    if (o->answers && p->why[0] != NULL) {
        cli_quiz_json_text(o, a, "why", p->why);
    }
    json_object_close(o->j);
}

/* A recall's facts are its answer; a number's parts are its mistakes. */
static void write_parts(const struct quiz_json *o, const struct quiz_asked *a) {
    static const char *const keys[QUESTION_KINDS] = {[QUESTION_CHOICE] = "options",
                                                     [QUESTION_ORDER] = "things",
                                                     [QUESTION_DERIVE] = "lines",
                                                     [QUESTION_RECALL] = "facts"};
    if (a->q->kind == QUESTION_NUMBER) {
        return;
    }
    if (a->q->kind == QUESTION_RECALL && !o->answers) {
        json_i64(o->j, "fact_count", a->q->part_count);
        return;
    }
    json_array_open(o->j, keys[a->q->kind]);
    for (int i = 0; i < a->q->part_count; i++) {
        write_part(o, a, i, a->attempt.shown[i]);
    }
    json_array_close(o->j);
}

/* --- Numbers --- */

static void write_mistakes(const struct quiz_json *o, const struct quiz_asked *a,
                           const struct instance_key *key) {
    json_array_open(o->j, "mistakes");
    for (int i = 0; i < key->path_count; i++) {
        const char *id = key->paths[i].id;
        const char *const *says = NULL;
        for (int p = 0; p < a->q->part_count; p++) {
            says = strcmp(a->q->parts[p].id, id) == 0 ? a->q->parts[p].text : says;
        }
        json_object_open(o->j, NULL);
        json_text(o->j, "id", id);
        write_value(o->j, key, key->paths[i].value);
        if (says != NULL) {
            cli_quiz_json_text(o, a, "says", says);
        } else {
            json_text(o->j, "says", cli_quiz_mistake_text(o->c, a, id));
        }
        json_object_close(o->j);
    }
    json_array_close(o->j);
}

static void write_number(const struct quiz_json *o, const struct quiz_asked *a) {
    const struct instance_key *key = &a->attempt.numbers.keys[0];
    json_object_open(o->j, o->answers ? "answer" : "asks");
    if (o->answers) {
        write_value(o->j, key, key->right);
    } else {
        json_text(o->j, "of", kind_name(key->kind));
        json_text(o->j, "unit", key->unit);
    }
    json_real(o->j, "tolerance", key->tolerance);
    json_object_close(o->j);
    if (o->answers) {
        write_mistakes(o, a, key);
    }
}

static void write_steps(const struct quiz_json *o, const struct instance *n) {
    json_array_open(o->j, "steps");
    for (int i = 0; i < n->step_count; i++) {
        const struct instance_step *step = &n->steps[i];
        const struct instance_key like = {.kind = step->kind, .unit = step->unit};
        json_object_open(o->j, NULL);
        json_text(o->j, "formula", step->formula);
        json_text(o->j, "substituted", step->substituted);
        write_value(o->j, &like, step->value);
        json_text(o->j, "source", step->source);
        json_object_close(o->j);
    }
    json_array_close(o->j);
}

/* --- The whole --- */

static void write_identity(const struct quiz_json *o, const struct quiz_asked *a) {
    json_text(o->j, "id", a->q->id);
    json_text(o->j, "kind", question_kind_name(a->q->kind));
    json_text(o->j, "lesson", a->q->lesson);
    json_i64(o->j, "page", a->q->page);
    json_i64(o->j, "level", a->q->level);
    json_text(o->j, "topic", a->q->topic);
    json_text(o->j, "family", a->q->family);
    json_bool(o->j, "opens", a->q->opens);
    json_bool(o->j, "generator", cli_quiz_varies(a->q));
    json_u64(o->j, "seed", a->attempt.numbers.seed);
}

static void write_around(const struct quiz_json *o, const struct quiz_asked *a) {
    json_array_open(o->j, "hints");
    for (int i = 0; i < a->q->hint_count; i++) {
        cli_quiz_json_text(o, a, NULL, a->q->hints[i]);
    }
    json_array_close(o->j);
    cli_quiz_json_text(o, a, "said", a->q->said);
    cli_quiz_json_text(o, a, "explain", a->q->explain);
    json_array_open(o->j, "follow");
    for (int i = 0; i < a->q->follow_count; i++) {
        json_text(o->j, NULL, a->q->follow[i]);
    }
    json_array_close(o->j);
}

void cli_quiz_json_question(const struct quiz_json *o, const struct quiz_asked *a) {
    const char *line = a->attempt.numbers.line;
    write_identity(o, a);
    cli_quiz_json_text(o, a, "stem", a->q->stem);
    if (a->q->kind == QUESTION_NUMBER) {
        write_number(o, a);
    }
    write_parts(o, a);
    if (!o->answers) {
        json_i64(o->j, "hint_count", a->q->hint_count);
        return;
    }
    write_steps(o, &a->attempt.numbers);
    write_around(o, a);
    json_text(o->j, "line", line[0] != '\0' ? line : NULL);
}
