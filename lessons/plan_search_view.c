/* The planner inside a lesson: takes the learner's scenario, gives back what a search has to be free to choose, runs the
 * search and puts the best layouts into a table with the reasons of the first. Called by the pages that end in a plan.
 * What is legal, fits and is fast is the room plan's; columns are plan_view.c's. Keeps nothing.
 * Proof: tests/unit/lessons/test_plan_search_view.c. */
#include "shardlab/lesson/plan_search_view.h"

#include <string.h>

#include "shardlab/calc/option.h"
#include "shardlab/lesson/plan_view.h"

/* A pin would answer the question instead of the search. */
static const char *const choices[] = {
    "dp",
    "tp",
    "pp",
    "cp",
    "ep",
    "etp",
    "chunks",
    "schedule",
    "zero",
    "sequence-parallel",
    "recompute",
    "micro-batch",
    "micro-batches",
    "reduce",
    "layers-per-stage",
};

/* Only models and cards have presets, so what was not given elsewhere follows from the rest. */
void plan_as_given(const struct scenario *now, struct scenario *out) {
    *out = *now;
    for (int i = 0; i < calc_option_count(); i++) {
        enum calc_option_group group = calc_option_at(i)->group;
        bool follows =
            group == CALC_GROUP_LAYOUT || group == CALC_GROUP_RECIPE || group == CALC_GROUP_BATCH;
        if (follows && !calc_option_given(out, i)) {
            calc_option_clear(out, i);
        }
    }
}

void plan_take_back(const struct scenario *now, struct scenario *out) {
    plan_as_given(now, out);
    for (size_t i = 0; i < sizeof choices / sizeof choices[0]; i++) {
        calc_option_clear(out, calc_option_index(choices[i]));
    }
}

void plan_ask(const struct plan_question *question, struct plan_answer *out) {
    struct scenario applied;
    struct plan_request request = {&applied, question->gpus, question->global_batch};
    struct plan_list list = {out->best, PLAN_SEARCH_ROWS, NULL};
    memset(&out->found, 0, sizeof out->found);
    out->why.id = NULL;
    plan_take_back(question->now, &applied);
    enum status ok = scenario_resolve(&applied, &out->free, &out->why);
    if (ok == STATUS_OK) {
        ok = plan_check(&request, &out->why);
    }
    if (ok == STATUS_OK) {
        ok = plan_search(&request, &list, &out->found, &out->why);
    }
    if (ok == STATUS_OK && out->found.considered == 0) {
        out->why = out->found.refusal;
    } else if (ok == STATUS_OK) {
        out->why.id = NULL;
    }
}

/* Degrees, ZeRO stage and what is computed again: what the learner's knobs say about a layout. */
static bool is_learners(const struct scenario *now, const struct plan_layout *l) {
    return l->dp == now->layout.dp && l->tp == now->layout.tp && l->pp == now->layout.pp &&
           l->cp == now->layout.cp && l->zero == now->layout.zero &&
           l->recompute == now->recipe.recompute && l->micro_batch == now->batch.micro_batch &&
           l->micro_batches == now->batch.micro_batches;
}

static void say_none(struct view *out, const struct plan_question *question,
                     const struct plan_answer *answer) {
    struct view_text *text = &view_add(out, VIEW_KIND_TEXT)->text;
    struct message *m = &text->lines[text->line_count++];
    if (answer->why.id != NULL) {
        *m = answer->why;
        return;
    }
    message_start(m, "view.plan.none");
    message_add_count(m, question->gpus);
    message_add_count(m, answer->found.considered);
    message_add_bytes(m, answer->found.capacity_bytes);
}

static void add_title(struct view_table *t, const struct plan_question *question,
                      const struct plan_answer *answer) {
    message_start(&t->title, "view.plan.title");
    message_add_count(&t->title, question->gpus);
    message_add_count(&t->title, question->global_batch);
    message_add_count(&t->title, answer->found.considered);
    message_add_count(&t->title, answer->found.feasible);
}

void plan_search_add(struct view *out, const struct plan_question *question) {
    struct plan_answer answer;
    struct plan_why why;
    plan_ask(question, &answer);
    if (answer.why.id != NULL || answer.found.count == 0) {
        say_none(out, question, &answer);
        return;
    }
    const struct plan_rows rows = {answer.best, answer.found.count, 1,
                                   answer.found.feasible - (uint64_t)answer.found.count};
    plan_table_add(out, &rows);
    struct view_table *t = &out->items[out->item_count - 1].table;
    add_title(t, question, &answer);
    for (int i = 0; i < rows.count && t->current < 0; i++) {
        t->current = is_learners(question->now, &answer.best[i]) ? i : -1;
    }
    plan_explain(&answer.best[0], rows.count > 1 ? &answer.best[1] : NULL, &answer.free, &why);
    for (int i = 0; i < why.count; i++) {
        *view_table_add_note(t, 0) = why.clauses[i];
    }
    message_start(view_table_add_note(t, -1), "lesson.predicted-only");
}

void plan_search_command(struct writer *out, const struct plan_question *question) {
    struct scenario applied;
    plan_take_back(question->now, &applied);
    writer_text(out, "plan");
    scenario_write_options(out, &applied);
    writer_text(out, " --gpus ");
    writer_u64(out, question->gpus);
    writer_text(out, " --global-batch ");
    writer_u64(out, question->global_batch);
}
