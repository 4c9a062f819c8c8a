/* The table of `shardlab plan`, and a layout read from words. Proof: tests/cli/test_plan.c. */
#include <string.h>

#include "plan_private.h"
#include "shardlab/base/units.h"
#include "shardlab/calc/schedule.h"
#include "shardlab/lesson/plan_view.h"
#include "shardlab/view/read.h"
#include "shardlab/view/width.h"

static const struct width_rules rules = {false};

const char *cli_plan_choice(const char *option, int value) {
    return calc_option_at(calc_option_index(option))->choices[value];
}

/* --- Reading a layout --- */

static const char *const keys[] = {"dp",
                                   "tp",
                                   "pp",
                                   "cp",
                                   "ep",
                                   "chunks",
                                   "schedule",
                                   "zero",
                                   "recompute",
                                   "micro-batch",
                                   "sequence-parallel"};
enum { KEYS = sizeof keys / sizeof keys[0] };

static enum status refuse(struct message *why, const char *id, const char *text) {
    char list[MESSAGE_TEXT_MAX];
    struct writer w;
    message_start(why, id);
    message_add_text(why, text);
    writer_start(&w, list, sizeof list);
    for (int i = 0; i < KEYS; i++) {
        writer_text(&w, i > 0 ? ", " : "");
        writer_text(&w, keys[i]);
    }
    message_add_text(why, list);
    return STATUS_USAGE;
}

/* The option that a key names; -1: none of a layout. */
static int key_index(const char *word, size_t length) {
    char name[24];
    if (length >= sizeof name) {
        return -1;
    }
    for (size_t i = 0; i < length; i++) {
        name[i] = word[i] == '_' ? '-' : word[i];
    }
    name[length] = '\0';
    for (int i = 0; i < KEYS; i++) {
        if (strcmp(keys[i], name) == 0) {
            return calc_option_index(name);
        }
    }
    return -1;
}

/* One "key=value" of `length` bytes. */
static enum status read_pair(const char *pair, size_t length, struct scenario *s,
                             struct message *why) {
    char text[64];
    if (length >= sizeof text) {
        return refuse(why, "error.plan.key", pair);
    }
    memcpy(text, pair, length);
    text[length] = '\0';
    char *equals = strchr(text, '=');
    int index = equals == NULL ? -1 : key_index(text, (size_t)(equals - text));
    if (index < 0) {
        return refuse(why, "error.plan.key", text);
    }
    if (calc_option_given(s, index)) {
        return refuse(why, "error.plan.twice", text);
    }
    return calc_option_set(s, index, equals + 1, why);
}

static uint64_t value_of(const struct scenario *s, const char *name) {
    int index = calc_option_index(name);
    return calc_option_given(s, index) ? calc_option_value(s, index) : 1;
}

/* whole / part, and where that is no whole number 1, so that the check of the products says what is wrong. */
static uint64_t left_by(uint64_t whole, uint64_t part) {
    return part != 0 && whole % part == 0 ? whole / part : 1;
}

enum status cli_plan_parse(const char *text, const struct plan_request *request,
                           struct plan_layout *out, struct message *why) {
    enum { WHOLE_MAX = 1024 }; /* more than every key with a value of its own */
    struct scenario s;
    char folded[WHOLE_MAX];
    scenario_start(&s);
    if (!units_fold(text, folded, sizeof folded)) {
        return refuse(why, "error.plan.key", text);
    }
    const char *at = folded;
    for (bool more = true; more;) {
        size_t length = strcspn(at, ",");
        enum status ok = read_pair(at, length, &s, why);
        if (ok != STATUS_OK) {
            return ok;
        }
        more = at[length] == ',';
        at += length + 1;
    }
    memset(out, 0, sizeof *out);
    out->tp = value_of(&s, "tp"); /* each at most 2^20 and pp 2^10: the product cannot wrap */
    out->pp = value_of(&s, "pp");
    out->cp = value_of(&s, "cp");
    out->ep = value_of(&s, "ep");
    out->micro_batch = value_of(&s, "micro-batch");
    bool dp_given = calc_option_given(&s, calc_option_index("dp"));
    out->dp = dp_given ? s.layout.dp : left_by(request->gpus, out->tp * out->pp * out->cp);
    bool chunks_given = calc_option_given(&s, calc_option_index("chunks"));
    out->chunks = chunks_given ? s.layout.chunks : calc_chunks_default(s.layout.schedule);
    bool schedule_given = calc_option_given(&s, calc_option_index("schedule"));
    out->schedule =
        schedule_given || out->chunks == 1 ? s.layout.schedule : CALC_SCHEDULE_INTERLEAVED;
    out->zero = s.layout.zero;
    if (!calc_option_given(&s, calc_option_index("zero")) &&
        request->applied->convention == CALC_CONVENTION_FSDP) {
        out->zero = 3;
    }
    out->recompute = s.recipe.recompute;
    int sequence = calc_option_index("sequence-parallel");
    const struct scenario *named = calc_option_given(&s, sequence) ? &s : request->applied;
    out->sequence_parallel = out->tp > 1 && named->layout.sequence_parallel;
    uint64_t sequences = left_by(request->global_batch, out->dp);
    out->micro_batches = left_by(sequences, out->micro_batch);
    return STATUS_OK;
}

/* --- The table --- */

static void write_fixed(struct cli_context *c, int columns, double value, int decimals) {
    char digits[40];
    struct writer w;
    writer_start(&w, digits, sizeof digits);
    writer_fixed(&w, value, decimals);
    width_write_right(c->out, digits, columns, &rules);
}

/* In blocks that a view holds; `number` 0: the layout stands outside the list. */
static void write_layouts(struct cli_context *c, const struct plan_layout *layouts, int count,
                          uint64_t number, struct view *view) {
    struct view_text_options options = {.width = c->columns};
    for (int at = 0; at < count; at += VIEW_TABLE_ROWS_MAX) {
        int left = count - at;
        const struct plan_rows rows = {.layouts = layouts + at,
                                       .count =
                                           left < VIEW_TABLE_ROWS_MAX ? left : VIEW_TABLE_ROWS_MAX,
                                       .first_number = number > 0 ? number + (uint64_t)at : 0};
        view_start(view);
        plan_table_add(view, &rows);
        view_write_text(c->out, view, &c->words, &options);
    }
}

static void write_terms(struct cli_context *c, const struct cli_plan_result *r) {
    const struct plan_layout *best = r->found.count > 0 ? &r->best[0] : NULL;
    writer_text(c->out, "\n  ");
    width_write_left(c->out, "", 36, &rules);
    width_write_right(c->out, words_get(&c->words, "cli.plan.asked"), 14, &rules);
    width_write_right(c->out, best != NULL ? words_get(&c->words, "cli.plan.best") : "", 12,
                      &rules);
    writer_char(c->out, '\n');
    for (int i = 0; i < PLAN_TERMS; i++) {
        char id[48];
        struct writer w;
        if (!(r->asked.term_s[i] > 0) && (best == NULL || !(best->term_s[i] > 0))) {
            continue;
        }
        writer_start(&w, id, sizeof id);
        writer_text(&w, "plan.term.");
        writer_text(&w, plan_term_name((enum plan_term)i));
        writer_text(c->out, "  ");
        width_write_left(c->out, words_get(&c->words, id), 36, &rules);
        write_fixed(c, 14, r->asked.term_s[i], 4);
        if (best != NULL) {
            write_fixed(c, 12, best->term_s[i], 4);
        }
        writer_char(c->out, '\n');
    }
}

static void write_asked(struct cli_context *c, struct cli_plan_result *r) {
    bool fits = r->asked.total_bytes <= r->found.capacity_bytes;
    struct message m;
    writer_char(c->out, '\n');
    write_layouts(c, &r->asked, 1, fits ? r->found.faster + 1 : 0, &r->view);
    message_start(&m, fits ? "cli.plan.rank" : "cli.plan.no_rank");
    if (fits) {
        message_add_count(&m, r->found.faster + 1);
        message_add_count(&m, r->found.feasible);
    }
    words_write(c->out, &c->words, &m);
    writer_text(c->out, words_get(&c->words, "plan.join"));
    cli_plan_why(c, r, &r->asked, cli_plan_other(r), c->out);
    cli_prose_end(c, 0);
    write_terms(c, r);
}

void cli_plan_text(struct cli_context *c, struct cli_plan_result *r) {
    struct message m;
    message_start(&m, "cli.plan.head");
    message_add_count(&m, r->found.considered);
    message_add_count(&m, r->found.feasible);
    message_add_bytes(&m, r->found.capacity_bytes);
    words_write(c->out, &c->words, &m);
    writer_text(c->out, "\n\n");
    write_layouts(c, r->best, r->found.count, 1, &r->view);
    if (r->found.count > 0) {
        writer_text(c->out, "\n1: ");
        cli_plan_why(c, r, &r->best[0], r->found.count > 1 ? &r->best[1] : NULL, c->out);
        cli_prose_end(c, 3);
    }
    if (r->explains) {
        write_asked(c, r);
    }
    writer_char(c->out, '\n');
    for (int i = 0; i < r->note_count; i++) {
        cli_say(c, &r->notes[i]);
    }
}
