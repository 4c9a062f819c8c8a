/* `shardlab glossary [WORDS]`: terms in both languages with their explanation, all or those whose names hold the words;
 * the same data and the same finding as on the screen. Proof: tests/cli/test_glossary.c. */
#include <string.h>

#include "cli_private.h"
#include "shardlab/base/json.h"

enum { WORDS_MAX = 1024, HANG = 2 };

/* The values as one text; false: longer than anything that is looked for. */
static bool join(const struct cli_args *args, char out[WORDS_MAX]) {
    struct writer w;
    writer_start(&w, out, WORDS_MAX);
    for (int i = 0; i < args->value_count; i++) {
        writer_text(&w, i > 0 ? " " : "");
        writer_text(&w, args->values[i]);
    }
    return !w.overflow;
}

static void write_text(struct cli_context *c, const struct glossary_term *t) {
    int language = c->words.chinese ? 1 : 0;
    writer_text(c->out, t->name[language]);
    writer_text(c->out, " · ");
    writer_text(c->out, t->name[1 - language]);
    cli_prose_end(c, HANG);
    writer_repeat(c->out, ' ', HANG);
    writer_text(c->out, t->means[language]);
    cli_prose_end(c, HANG);
}

static void write_json(struct json *j, const struct glossary_term *t) {
    json_object_open(j, NULL);
    json_text(j, "id", t->id);
    json_text(j, "en", t->name[0]);
    json_text(j, "zh", t->name[1]);
    json_text(j, "means_en", t->means[0]);
    json_text(j, "means_zh", t->means[1]);
    json_object_close(j);
}

static int write_matching(struct cli_context *c, struct json *j, const struct glossary *g,
                          const char *words) {
    int count = 0;
    for (int i = 0; i < g->count; i++) {
        if (!glossary_matches(&g->terms[i], words)) {
            continue;
        }
        count++;
        if (j != NULL) {
            write_json(j, &g->terms[i]);
        } else {
            write_text(c, &g->terms[i]);
        }
    }
    return count;
}

enum status cli_glossary(struct cli_context *c, const struct cli_args *args, struct message *why) {
    char words[WORDS_MAX];
    const struct glossary *g = NULL;
    struct json j;
    enum status ok = store_glossary(c->store, &g, why);
    if (ok != STATUS_OK) {
        return ok;
    }
    json_start(&j, c->out);
    if (args->json) {
        json_object_open(&j, NULL);
        json_text(&j, "command", "glossary");
        json_array_open(&j, "terms");
    }
    bool short_enough = join(args, words);
    if (!short_enough || write_matching(c, args->json ? &j : NULL, g, words) == 0) {
        message_start(why, "error.glossary.none");
        message_add_text(why, words);
        return STATUS_FAILED;
    }
    if (args->json) {
        json_array_close(&j);
        json_object_close(&j);
        writer_char(c->out, '\n');
    }
    return STATUS_OK;
}
