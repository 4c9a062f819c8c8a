/* Standard input of `shardlab schedule`: one JSON object, read to its end, checked field by field in the order of the
 * text, so that a sentence can name what is wrong with it. The list of reviews grows by realloc and belongs to struct
 * schedule_asked. Of two equal keys the last counts, as in every file. Proof: tests/cli/test_schedule.c. */
#define _POSIX_C_SOURCE 200809L
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "schedule_private.h"

enum { INPUT_MOST = 16 << 20, INPUT_FIRST = 1 << 16, RATING_MOST = 4 };

/* A text keeps its quotes: "3" is no rating, 3 is one. */
static enum status refuse(struct message *why, const char *id, const struct field *field) {
    char value[2 * MESSAGE_TEXT_MAX]; /* the message cuts what is longer than it holds */
    struct writer w;
    const char *quote = field->kind == FIELD_TEXT ? "\"" : "";
    writer_start(&w, value, sizeof value);
    writer_text(&w, quote);
    writer_text(&w, field->text);
    writer_text(&w, quote);
    message_start(why, id);
    message_add_text(why, field->key);
    message_add_text(why, value);
    return STATUS_FAILED;
}

static enum status refuse_memory(struct message *why) {
    message_start(why, "error.memory");
    return STATUS_FAILED;
}

/* --- Fields ------------------------------------------------------------------------------------------------ */

static bool is_list(const struct field *field) {
    return field->kind == FIELD_OTHER && strcmp(field->text, "[…]") == 0;
}

static enum status take_retention(struct schedule_asked *a, const struct field *field,
                                  struct message *why) {
    bool good = field->kind == FIELD_NUMBER && field->number > 0.0 && field->number < 1.0;
    a->retention = field->number;
    return good ? STATUS_OK : refuse(why, "error.schedule.retention", field);
}

static enum status take_most(struct schedule_asked *a, const struct field *field,
                             struct message *why) {
    bool good = field_count(field, &a->max_days) && a->max_days > 0;
    return good ? STATUS_OK : refuse(why, "error.schedule.most", field);
}

/* null is as if it were not there. */
static enum status take_params(struct schedule_asked *a, const struct field *field,
                               struct message *why) {
    bool none = field->kind == FIELD_NULL;
    a->weights = none ? -1 : 0;
    a->f = fsrs_weights;
    return none || is_list(field) ? STATUS_OK : refuse(why, "error.schedule.list", field);
}

static enum status take_weight(struct schedule_asked *a, const struct field *field,
                               struct message *why) {
    if (field->kind != FIELD_NUMBER) {
        return refuse(why, "error.schedule.number", field);
    }
    if (a->weights < FSRS_WEIGHTS) {
        a->f.w[a->weights] = field->number;
    }
    a->weights++;
    return STATUS_OK;
}

static enum status take_reviews(struct schedule_asked *a, const struct field *field,
                                struct message *why) {
    a->count = 0;
    a->listed = true;
    return is_list(field) ? STATUS_OK : refuse(why, "error.schedule.list", field);
}

static enum status take_review(struct schedule_asked *a, const struct field *field,
                               struct message *why) {
    if (field->kind != FIELD_OTHER || is_list(field)) {
        return refuse(why, "error.schedule.review", field);
    }
    if (a->count == a->capacity) {
        size_t capacity = a->capacity * 2 + 64;
        struct schedule_review *grown = realloc(a->reviews, capacity * sizeof *grown);
        if (grown == NULL) {
            return refuse_memory(why);
        }
        a->reviews = grown;
        a->capacity = capacity;
    }
    a->reviews[a->count++] = (struct schedule_review){0};
    return STATUS_OK;
}

static enum status take_rating(struct schedule_asked *a, const struct field *field,
                               struct message *why) {
    uint64_t rating = 0;
    struct schedule_review *last = &a->reviews[a->count - 1];
    last->rated = field_count(field, &rating) && rating >= 1 && rating <= RATING_MOST;
    last->rating = (enum fsrs_rating)(last->rated ? rating : FSRS_AGAIN);
    return last->rated ? STATUS_OK : refuse(why, "error.schedule.rating", field);
}

static enum status take_elapsed(struct schedule_asked *a, const struct field *field,
                                struct message *why) {
    struct schedule_review *last = &a->reviews[a->count - 1];
    last->dated = field_count(field, &last->elapsed_days);
    return last->dated ? STATUS_OK : refuse(why, "error.schedule.elapsed", field);
}

/* What the object may hold; '#' stands for the number of an element. */
static const struct {
    const char *key;
    enum status (*take)(struct schedule_asked *a, const struct field *field, struct message *why);
} members[] = {
    {"params", take_params},
    {"params[#]", take_weight},
    {"retention", take_retention},
    {"max_interval_days", take_most},
    {"reviews", take_reviews},
    {"reviews[#]", take_review},
    {"reviews[#].rating", take_rating},
    {"reviews[#].elapsed_days", take_elapsed},
};

/* `key` has the shape, and the element it names is the one being read. */
static bool fits(const char *shape, const char *key, size_t element) {
    for (; *shape != '\0'; shape++) {
        if (*shape != '#') {
            if (*key++ != *shape) {
                return false;
            }
            continue;
        }
        char *end = NULL;
        bool digit = *key >= '0' && *key <= '9';
        if (!digit || strtoull(key, &end, 10) != element) {
            return false;
        }
        key = end;
    }
    return *key == '\0';
}

static enum status take(struct schedule_asked *a, const struct field *field, struct message *why) {
    for (size_t i = 0; i < sizeof members / sizeof members[0]; i++) {
        bool of_params = strncmp(members[i].key, "params", strlen("params")) == 0;
        bool inside = strchr(members[i].key, '.') != NULL;
        size_t element = of_params ? (size_t)(a->weights < 0 ? 0 : a->weights) : a->count - inside;
        bool exists = of_params ? a->weights >= 0 : a->listed && (!inside || a->count > 0);
        bool top = strchr(members[i].key, '[') == NULL;
        if ((top || exists) && fits(members[i].key, field->key, element)) {
            return members[i].take(a, field, why);
        }
    }
    return refuse(why, "error.schedule.unknown", field);
}

/* --- The whole --------------------------------------------------------------------------------------------- */

static enum status missing(struct message *why, const char *key) {
    message_start(why, "error.schedule.missing");
    message_add_text(why, key);
    return STATUS_FAILED;
}

static enum status missing_in_review(struct message *why, size_t review, const char *key) {
    char path[64];
    struct writer w;
    writer_start(&w, path, sizeof path);
    writer_text(&w, "reviews[");
    writer_u64(&w, review);
    writer_text(&w, "].");
    writer_text(&w, key);
    return missing(why, path);
}

static enum status check_whole(const struct schedule_asked *a, struct message *why) {
    if (a->retention <= 0.0 || a->max_days == 0 || !a->listed) {
        return missing(why, a->retention <= 0.0 ? "retention"
                            : a->max_days == 0  ? "max_interval_days"
                                                : "reviews");
    }
    for (size_t i = 0; i < a->count; i++) {
        if (!a->reviews[i].rated || !a->reviews[i].dated) {
            return missing_in_review(why, i, a->reviews[i].rated ? "elapsed_days" : "rating");
        }
    }
    if (a->weights >= 0 && a->weights != FSRS_WEIGHTS) {
        message_start(why, "error.schedule.weights");
        message_add_plain(why, (uint64_t)a->weights);
        message_add_plain(why, FSRS_WEIGHTS);
        return STATUS_FAILED;
    }
    return fsrs_check(&a->f, why) == STATUS_OK ? STATUS_OK : STATUS_FAILED;
}

static enum status take_all(struct schedule_asked *a, const struct record *fields,
                            struct message *why) {
    for (int i = 0; i < fields->count; i++) {
        enum status ok = take(a, &fields->fields[i], why);
        if (ok != STATUS_OK) {
            return ok;
        }
    }
    return check_whole(a, why);
}

/* All of standard input, to be freed; NULL with *why. */
static char *read_input(size_t *length, struct message *why) {
    size_t capacity = INPUT_FIRST;
    char *bytes = malloc(capacity);
    *length = 0;
    while (bytes != NULL && *length <= INPUT_MOST) {
        size_t got = fread(bytes + *length, 1, capacity - *length, stdin);
        *length += got;
        if (got == 0) {
            break;
        }
        if (*length == capacity) {
            char *grown = realloc(bytes, capacity *= 2);
            if (grown == NULL) {
                free(bytes);
            }
            bytes = grown;
        }
    }
    if (bytes == NULL) {
        (void)refuse_memory(why);
    } else if (ferror(stdin) || *length > INPUT_MOST) {
        message_start(why, ferror(stdin) ? "error.file.read" : "error.file.large");
        message_add_text(why, "stdin");
        message_add_count(why, ferror(stdin) ? (uint64_t)errno : INPUT_MOST);
        free(bytes);
        bytes = NULL;
    }
    return bytes;
}

/* A fault of the JSON begins with the name that the store has for text without a file. */
static void name_input(struct message *why) {
    struct message_arg *name = &why->args[0];
    if (why->arg_count > 0 && name->kind == MESSAGE_ARG_TEXT && strcmp(name->text, "JSON") == 0) {
        strcpy(name->text, "stdin");
    }
}

enum status schedule_read(struct schedule_asked *out, struct message *why) {
    size_t length = 0;
    struct store_answer *answer = NULL;
    *out = (struct schedule_asked){.f = fsrs_weights, .weights = -1};
    if (isatty(STDIN_FILENO)) { /* nobody types this; a command does not wait for it */
        message_start(why, "error.schedule.terminal");
        return STATUS_USAGE;
    }
    char *bytes = read_input(&length, why);
    if (bytes == NULL) {
        return STATUS_FAILED;
    }
    enum status ok = store_answer_read(bytes, length, &answer, why);
    if (ok == STATUS_OK) {
        ok = take_all(out, store_answer_record(answer), why);
    } else {
        name_input(why);
    }
    store_answer_free(answer);
    free(bytes);
    return ok;
}

void schedule_free(struct schedule_asked *asked) {
    free(asked->reviews);
    *asked = (struct schedule_asked){0};
}
