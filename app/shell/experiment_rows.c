/* What an experiment's answer is compared by: for each key that the lesson names, what was predicted beside what was
 * measured, a list element by element. Whole numbers are compared by their digits, so that none is rounded; a key that
 * the answer lists under `predicted_bounds` has to be reached at most. A number that JSON cannot hold (inf, nan) is null
 * there, and KEY_class beside it says which. Done once for an answer, because it is drawn often; the rows
 * point into the answer and go with it. Proof: tests/journeys/test_experiments.c. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app_private.h"

enum { PATH_MAX_BYTES = 160 };

static const struct field *find(const struct app_experiment *e, const char *side,
                                const struct lesson_value *value, int element) {
    char path[PATH_MAX_BYTES], number[16] = "";
    if (element >= 0) {
        (void)snprintf(number, sizeof number, "[%d]", element);
    }
    (void)snprintf(path, sizeof path, "%s.%s%s", side, value->key, number);
    return record_find(store_answer_record(e->answer), path);
}

/* The word for a number that is null. */
static const struct field *with_class(const struct app_experiment *e, const char *side,
                                      const struct lesson_value *value, const struct field *field) {
    char path[PATH_MAX_BYTES];
    if (field == NULL || field->kind != FIELD_NULL) {
        return field;
    }
    (void)snprintf(path, sizeof path, "%s.%s_class", side, value->key);
    const struct field *class = record_find(store_answer_record(e->answer), path);
    return class != NULL ? class : field;
}

static bool is_bound(const struct app_experiment *e, const char *key) {
    const struct record *r = store_answer_record(e->answer);
    for (int i = 0;; i++) {
        char path[PATH_MAX_BYTES];
        (void)snprintf(path, sizeof path, "predicted_bounds[%d]", i);
        const struct field *f = record_find(r, path);
        if (f == NULL || strcmp(f->text, key) == 0) {
            return f != NULL;
        }
    }
}

static bool is_whole(const char *text) {
    return strspn(text, "-0123456789") == strlen(text);
}

static bool is_equal(const struct field *a, const struct field *b) {
    if (a->kind != b->kind) {
        return false;
    }
    bool real = a->kind == FIELD_NUMBER && !(is_whole(a->text) && is_whole(b->text));
    return real ? !(a->number < b->number) && !(a->number > b->number)
                : strcmp(a->text, b->text) == 0;
}

static enum app_verdict judge(const struct app_experiment *e, const struct app_row *row) {
    const struct field *p = row->predicted, *m = row->measured;
    if (p == NULL || m == NULL) {
        return APP_VERDICT_DIFFERS;
    }
    if (is_equal(p, m)) {
        return APP_VERDICT_EQUAL;
    }
    bool numbers = p->kind == FIELD_NUMBER && m->kind == FIELD_NUMBER;
    return numbers && m->number <= p->number && is_bound(e, row->value->key) ? APP_VERDICT_WITHIN
                                                                             : APP_VERDICT_DIFFERS;
}

/* How many rows a value has: as many as the longer list has elements, or one. */
static int rows_of(const struct app_experiment *e, const struct lesson_value *value, bool *list) {
    int count = 0;
    while (find(e, "predicted", value, count) != NULL ||
           find(e, "measured", value, count) != NULL) {
        count++;
    }
    *list = count > 0;
    return *list ? count : 1;
}

bool app_experiment_compare(struct app_experiment *e) {
    int count = 0;
    bool list = false;
    for (int i = 0; i < e->what.value_count; i++) {
        count += rows_of(e, &e->what.values[i], &list);
    }
    free(e->compared);
    e->row_count = 0;
    e->compared = calloc((size_t)count + 1, sizeof *e->compared);
    if (e->compared == NULL) {
        return false;
    }
    for (int i = 0; i < e->what.value_count; i++) {
        const struct lesson_value *value = &e->what.values[i];
        int rows = rows_of(e, value, &list);
        for (int k = 0; k < rows; k++) {
            int element = list ? k : -1;
            struct app_row *row = &e->compared[e->row_count++];
            *row = (struct app_row){.value = value, .element = element};
            row->predicted =
                with_class(e, "predicted", value, find(e, "predicted", value, element));
            row->measured = with_class(e, "measured", value, find(e, "measured", value, element));
            row->verdict = judge(e, row);
        }
    }
    return true;
}

int app_experiment_differ(const struct app_experiment *e, int first, int end,
                          const struct app_row **where) {
    int differ = 0;
    for (int i = first; i < end; i++) {
        if (e->compared[i].verdict == APP_VERDICT_DIFFERS && differ++ == 0 && where != NULL) {
            *where = &e->compared[i];
        }
    }
    return differ;
}

bool app_experiment_matches(const struct app_experiment *e) {
    const struct field *match = record_find(store_answer_record(e->answer), "match");
    return match != NULL && match->kind == FIELD_SWITCH && match->on;
}

/* --- Values in words --- */

static void write_seconds(struct writer *w, const struct app *app, double seconds) {
    double size = seconds < 0 ? -seconds : seconds;
    bool micro = size > 0 && size < 1e-3, milli = !micro && size > 0 && size < 1;
    writer_fixed(w, seconds * (micro ? 1e6 : milli ? 1e3 : 1), 2);
    writer_text(w, !micro ? milli ? " ms" : " s" : app->look.ascii ? " us" : " µs");
}

static void write_number(struct writer *w, const struct field *field) {
    const char *digits = field->text + (field->text[0] == '-' ? 1 : 0);
    if (!is_whole(field->text)) {
        char text[32]; /* six digits: these are read, not calculated with */
        (void)snprintf(text, sizeof text, "%.6g", field->number);
        writer_text(w, text);
        return;
    }
    writer_text_n(w, field->text, (size_t)(digits - field->text));
    for (size_t left = strlen(digits); left > 0; left--) {
        writer_char(w, *digits++);
        if (left > 1 && left % 3 == 1) {
            writer_char(w, ',');
        }
    }
}

void app_experiment_value_write(struct writer *w, const struct app *app, const struct field *field,
                                enum lesson_unit unit) {
    if (field == NULL || field->kind == FIELD_NULL || field->kind == FIELD_OTHER) {
        writer_text(w, ui_glyph(&app->look, UI_GLYPH_UNKNOWN));
    } else if (field->kind != FIELD_NUMBER) {
        writer_text(w, field->text);
    } else if (unit == LESSON_UNIT_SECONDS) {
        write_seconds(w, app, field->number);
    } else if (unit == LESSON_UNIT_RATE) {
        writer_fixed(w, field->number / 1e9, 2);
        writer_text(w, " GB/s");
    } else {
        write_number(w, field);
    }
}
