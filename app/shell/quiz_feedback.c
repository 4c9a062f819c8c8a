/* What stands below a question once it is judged: the verdict, the rating with the days to the next time beside each,
 * what whoever answered so has in mind, the worked solution, the careful answer, and what an interviewer asks next.
 * Called by quiz_draw.c. Draws cells only. Proof: tests/golden/test_screens.c, tests/journeys/test_quiz.c. */
#include <string.h>

#include "quiz_private.h"
#include "shardlab/view/width.h"

enum { TEXT_MAX = 2048, INDENT = 2, SIGN_COLS = 2 };

/* Glyphs that say right and wrong without colour. */
static const char *sign_of(const struct pen *p, bool right) {
    return ui_glyph(&p->app->look, right ? UI_GLYPH_EQUAL : UI_GLYPH_DIFFERS);
}

static enum ui_role role_of(bool right) {
    return right ? UI_ROLE_GOOD : UI_ROLE_WARNING;
}

static void put_words(struct pen *p, int indent, const char *const words[2], enum ui_role role) {
    char text[TEXT_MAX];
    app_quiz_expand(p->app, words, "", text, sizeof text);
    if (text[0] != '\0') {
        app_quiz_put_in(p, indent, text, role);
    }
}

static void put_heading(struct pen *p, const char *id) {
    p->row++;
    pen_put(p, pen_words(p, id), UI_ROLE_TITLE);
}

/* --- The verdict --- */

static void write_key(const struct attempt *a, int key, struct writer *w) {
    const struct instance_key *k = &a->numbers.keys[key];
    instance_value_write(w, k->kind, k->unit, k->right);
}

static int right_place(const struct attempt *a) {
    for (int i = 0; i < a->question->part_count; i++) {
        if (a->question->parts[a->shown[i]].right) {
            return i;
        }
    }
    return 0;
}

/* "b", "112 GB", "3 of 5": what was answered and what is right, as far as a sentence holds them. */
static void write_said(const struct attempt *a, struct writer *w) {
    if (a->question->kind == QUESTION_CHOICE && a->chosen >= 0) {
        writer_char(w, (char)('a' + a->chosen));
    } else if (a->question->kind == QUESTION_NUMBER) {
        writer_text(w, a->typed[0]);
    }
}

static void write_right(const struct attempt *a, struct writer *w) {
    if (a->question->kind == QUESTION_CHOICE) {
        writer_char(w, (char)('a' + right_place(a)));
    } else if (a->question->kind == QUESTION_NUMBER && a->numbers.key_count > 0) {
        write_key(a, 0, w);
    }
}

static int count_true(const bool *flags, int count) {
    int n = 0;
    for (int i = 0; i < count; i++) {
        n += flags[i] ? 1 : 0;
    }
    return n;
}

static bool has_one_answer(const struct attempt *a) {
    return a->question->kind == QUESTION_CHOICE || a->question->kind == QUESTION_NUMBER;
}

static void make_verdict(const struct attempt *a, struct message *m) {
    char said[ATTEMPT_TYPED_MAX] = "", right[ATTEMPT_TYPED_MAX] = "";
    struct writer w;
    writer_start(&w, said, sizeof said);
    write_said(a, &w);
    writer_start(&w, right, sizeof right);
    write_right(a, &w);
    if (a->given_up && !has_one_answer(a)) {
        message_start(m, "sitting.verdict.none");
    } else if (a->question->kind == QUESTION_RECALL) {
        message_start(m, "sitting.verdict.facts");
        message_add_plain(m, (uint64_t)count_true(a->ticked, a->question->part_count));
        message_add_plain(m, (uint64_t)a->question->part_count);
    } else if (!has_one_answer(a)) {
        int asked = a->question->part_count - a->first_blank;
        message_start(m, a->right ? "sitting.verdict.right" : "sitting.verdict.parts");
        message_add_plain(m, (uint64_t)count_true(a->part_right + a->first_blank, asked));
        message_add_plain(m, (uint64_t)asked);
    } else if (a->given_up || said[0] == '\0') {
        message_start(m, "sitting.verdict.unknown");
        message_add_text(m, right);
    } else {
        message_start(m, a->right ? "sitting.verdict.right_one" : "sitting.verdict.wrong_one");
        message_add_text(m, said);
        message_add_text(m, right);
    }
}

static void put_verdict(struct pen *p) {
    const struct attempt *a = &p->app->quiz->attempt;
    struct message m;
    make_verdict(a, &m);
    grid_put(p->grid, p->area, p->row, p->area.col, sign_of(p, a->right), role_of(a->right));
    char text[TEXT_MAX];
    app_say(p->app, &m, text, sizeof text);
    app_quiz_put_in(p, 3, text, role_of(a->right));
}

/* --- The rating --- */

void app_quiz_days_write(const struct app *app, uint64_t days, struct writer *w) {
    enum { MONTHS_FROM = 100, DAYS_PER_MONTH = 30 };
    struct message m;
    bool months = days >= MONTHS_FROM;
    message_start(&m, months ? "sitting.months" : "sitting.days");
    message_add_plain(&m, months ? days / DAYS_PER_MONTH : days);
    words_write(w, app->look.words, &m);
}

/* "1 again 1 d   2 hard 3 d   3 good 8 d …": each is a key and can be clicked; the one that stands is marked. */
static void put_ratings(struct pen *p) {
    static const char *const names[] = {"sitting.again", "sitting.hard", "sitting.good",
                                        "sitting.easy"};
    const struct app_quiz *q = p->app->quiz;
    int col = p->area.col;
    for (int i = 0; i < 4; i++) {
        char text[96];
        struct writer w;
        bool here = (int)q->attempt.rating == i + 1;
        writer_start(&w, text, sizeof text);
        writer_text(&w, here ? ui_glyph(&p->app->look, UI_GLYPH_POINTER) : " ");
        writer_char(&w, ' ');
        writer_char(&w, (char)('1' + i));
        writer_char(&w, ' ');
        writer_text(&w, pen_words(p, names[i]));
        writer_char(&w, ' ');
        app_quiz_days_write(p->app, app_quiz_days(p->app, (enum fsrs_rating)(i + 1)), &w);
        int cols = width_text(text, &p->grid->rules);
        if (col > p->area.col && col + cols > p->area.col + p->area.cols) {
            col = p->area.col;
            p->row++;
        }
        grid_put(p->grid, p->area, p->row, col, text, here ? UI_ROLE_CURSOR : UI_ROLE_TEXT);
        ui_hit_add(p->grid, p->area, (struct rect){p->row, col, 1, cols}, UI_HIT_ACTION,
                   (int)UI_ACTION_RATE_1 + i);
        col += cols + 2;
    }
    p->row++;
}

/* --- Why --- */

/* The sentence that names a known mistake: of the question, or one that can be made everywhere. */
static void put_mistake(struct pen *p) {
    const struct attempt *a = &p->app->quiz->attempt;
    if (a->mistake == NULL) {
        return;
    }
    for (int i = 0; i < a->question->part_count; i++) {
        const struct question_part *part = &a->question->parts[i];
        if (part->id != NULL && strcmp(part->id, a->mistake) == 0) {
            put_words(p, INDENT, part->text, UI_ROLE_TEXT);
            return;
        }
    }
    app_quiz_put_in(p, INDENT, pen_words(p, a->mistake), UI_ROLE_TEXT);
}

static void put_option(struct pen *p, int place, bool why) {
    const struct attempt *a = &p->app->quiz->attempt;
    const struct question_part *part = &a->question->parts[a->shown[place]];
    char letter[4];
    bool said = place == a->chosen;
    app_quiz_letter(place, letter);
    if (said || part->right) {
        grid_put(p->grid, p->area, p->row, p->area.col, sign_of(p, part->right),
                 role_of(part->right));
    }
    grid_put(p->grid, p->area, p->row, p->area.col + SIGN_COLS + 1, letter, UI_ROLE_KEY);
    put_words(p, SIGN_COLS + 4, part->text,
              said || part->right ? role_of(part->right) : UI_ROLE_DIM);
    if (why) {
        put_words(p, SIGN_COLS + 4, part->why, UI_ROLE_TEXT);
    }
}

static void put_options(struct pen *p) {
    const struct attempt *a = &p->app->quiz->attempt;
    p->row++;
    for (int i = 0; i < a->question->part_count; i++) {
        put_option(p, i, i == a->chosen || a->question->parts[a->shown[i]].right);
    }
}

static int place_of(const struct attempt *a, int part) {
    for (int i = 0; i < a->question->part_count; i++) {
        if (a->shown[i] == part) {
            return i;
        }
    }
    return part;
}

/* The thing, and where it was put if that is another place. */
static void put_placed(struct pen *p, const struct question_part *part, int said, int right) {
    char text[TEXT_MAX];
    app_quiz_expand(p->app, part->text, "", text, sizeof text);
    if (said != right) {
        struct message m;
        struct writer w;
        size_t length = strlen(text);
        writer_start(&w, text + length, sizeof text - length);
        message_start(&m, "sitting.placed");
        message_add_plain(&m, (uint64_t)said + 1);
        words_write(&w, p->app->look.words, &m);
    }
    app_quiz_put_in(p, SIGN_COLS + 4, text, UI_ROLE_TEXT);
}

/* The things in the right order. */
static void put_right_order(struct pen *p) {
    const struct attempt *a = &p->app->quiz->attempt;
    p->row++;
    for (int i = 0; i < a->question->part_count; i++) {
        const struct question_part *part = &a->question->parts[i];
        char number[2] = {(char)('1' + i), '\0'};
        bool right = a->shown[i] == i;
        grid_put(p->grid, p->area, p->row, p->area.col, sign_of(p, right), role_of(right));
        grid_put(p->grid, p->area, p->row, p->area.col + SIGN_COLS + 1, number, UI_ROLE_KEY);
        put_placed(p, part, place_of(a, i), i);
        put_words(p, SIGN_COLS + 4, part->why, UI_ROLE_DIM);
    }
}

/* " (you: 3)" behind a line. */
static void append_said(const struct app *app, const char *said, char text[TEXT_MAX]) {
    struct message m;
    struct writer w;
    size_t length = strlen(text);
    writer_start(&w, text + length, TEXT_MAX - length);
    message_start(&m, "sitting.said");
    message_add_text(&m, said);
    words_write(&w, app->look.words, &m);
}

static void put_derivation(struct pen *p) {
    const struct attempt *a = &p->app->quiz->attempt;
    p->row++;
    for (int i = 0; i < a->question->part_count; i++) {
        char blank[ATTEMPT_TYPED_MAX * 2], text[TEXT_MAX];
        struct writer w;
        bool asked = i >= a->first_blank;
        writer_start(&w, blank, sizeof blank);
        app_quiz_blank_value(a, i, a->question->parts[i].text[p->app->language], &w);
        if (asked) {
            grid_put(p->grid, p->area, p->row, p->area.col, sign_of(p, a->part_right[i]),
                     role_of(a->part_right[i]));
        }
        app_quiz_expand(p->app, a->question->parts[i].text, blank, text, sizeof text);
        if (asked && !a->part_right[i] && a->typed[i][0] != '\0') {
            append_said(p->app, a->typed[i], text);
        }
        app_quiz_put_in(p, SIGN_COLS + 1, text, UI_ROLE_TEXT);
        put_words(p, SIGN_COLS + 3, a->question->parts[i].why, UI_ROLE_DIM);
    }
}

static void put_ticks(struct pen *p) {
    const struct attempt *a = &p->app->quiz->attempt;
    p->row++;
    for (int i = 0; i < a->question->part_count; i++) {
        if (!a->given_up) {
            grid_put(p->grid, p->area, p->row, p->area.col, sign_of(p, a->ticked[i]),
                     role_of(a->ticked[i]));
        }
        put_words(p, SIGN_COLS + 1, a->question->parts[i].text, UI_ROLE_TEXT);
        put_words(p, SIGN_COLS + 1, a->question->parts[i].why, UI_ROLE_DIM);
    }
}

static void put_parts(struct pen *p) {
    switch (p->app->quiz->attempt.question->kind) {
    case QUESTION_CHOICE:
        put_options(p);
        break;
    case QUESTION_ORDER:
        put_right_order(p);
        break;
    case QUESTION_DERIVE:
        put_mistake(p);
        put_derivation(p);
        break;
    case QUESTION_RECALL:
        put_ticks(p);
        break;
    default:
        put_mistake(p);
        break;
    }
}

/* --- The solution --- */

/* "12Ψ/N = 12 × 6,738,415,616 / 64 = 1.263 GB", and where it comes from. */
static void put_step(struct pen *p, const struct instance_step *s) {
    char text[TEXT_MAX];
    struct writer w;
    writer_start(&w, text, sizeof text);
    writer_text(&w, s->formula);
    if (s->substituted[0] != '\0') {
        writer_text(&w, s->formula[0] != '\0' ? " = " : "");
        writer_text(&w, s->substituted);
    }
    writer_text(&w, " = ");
    instance_value_write(&w, s->kind, s->unit, s->value);
    app_quiz_put_in(p, INDENT, text, UI_ROLE_CODE);
    if (s->source != NULL) {
        app_quiz_put_in(p, INDENT + 2, s->source, UI_ROLE_DIM);
    }
}

static void put_solution(struct pen *p) {
    const struct attempt *a = &p->app->quiz->attempt;
    if (a->numbers.step_count == 0) {
        return;
    }
    put_heading(p, "sitting.solution");
    for (int i = 0; i < a->numbers.step_count; i++) {
        put_step(p, &a->numbers.steps[i]);
    }
}

static void put_explanation(struct pen *p) {
    const struct question *it = p->app->quiz->attempt.question;
    if (it->said[p->app->language] != NULL) {
        put_heading(p, "sitting.as_said");
        put_words(p, INDENT, it->said, UI_ROLE_EMPHASIS);
    }
    if (it->explain[p->app->language] != NULL) {
        put_heading(p, it->said[p->app->language] != NULL ? "sitting.careful" : "sitting.explain");
        put_words(p, INDENT, it->explain, UI_ROLE_TEXT);
    }
}

/* What comes next in an interview; only its number, since the questions will be asked. */
static void put_follow(struct pen *p) {
    struct message m;
    int known = app_quiz_follow_count(p->app);
    if (known == 0 || p->app->quiz->way == QUIZ_MOCK) {
        return;
    }
    message_start(&m, "sitting.follow");
    message_add_plain(&m, (uint64_t)known);
    p->row++;
    pen_say(p, &m, UI_ROLE_ACCENT);
}

void app_quiz_feedback_write(struct pen *p) {
    put_verdict(p);
    if (p->app->quiz->way != QUIZ_MOCK) {
        put_ratings(p);
    }
    put_parts(p);
    put_solution(p);
    put_explanation(p);
    put_follow(p);
}
