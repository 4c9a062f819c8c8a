/* What `shardlab doctor` says of the log of progress: where it is, how many answers it holds, and whether more can be saved,
 * with the remedy where not. The log is read and not written to. Proof: tests/cli/test_doctor_progress.c. */
#include "doctor_private.h"
#include "shardlab/base/progress.h"
#include "shardlab/store/progress.h"

static int answers_count(const struct progress *p) {
    int count = 0, answers = 0;
    const struct progress_event *events = progress_events(p, &count);
    for (int i = 0; i < count; i++) {
        answers += events[i].kind == PROGRESS_ANSWER ? 1 : 0;
    }
    return answers;
}

static void as_json(struct json *j, const struct progress *p, bool well) {
    json_object_open(j, NULL);
    json_text(j, "name", "progress");
    json_bool(j, "ok", well);
    json_text(j, "seen", progress_path(p));
    json_u64(j, "answers", (uint64_t)answers_count(p));
    json_u64(j, "passed_over", (uint64_t)progress_passed_over(p));
    json_object_close(j);
}

static void as_text(struct cli_context *c, const struct progress *p, const struct message *why) {
    struct message seen;
    message_start(&seen, "doctor.progress.seen");
    message_add_text(&seen, progress_path(p));
    message_add_count(&seen, (uint64_t)answers_count(p));
    doctor_name(c, "progress", why == NULL);
    words_write(c->out, &c->words, why == NULL ? &seen : why);
    cli_prose_end(c, 24);
    if (progress_passed_over(p) > 0) {
        message_start(&seen, "doctor.progress.passed-over");
        message_add_count(&seen, (uint64_t)progress_passed_over(p));
        doctor_name(c, "progress", false);
        words_write(c->out, &c->words, &seen);
        cli_prose_end(c, 24);
    }
}

void doctor_progress(struct cli_context *c, struct json *j) {
    struct progress *p = NULL;
    struct message why = {0};
    enum status status = progress_open(NULL, &p, &why);
    if (status == STATUS_OK) {
        status = progress_can_save(p, &why);
    }
    if (j != NULL) {
        as_json(j, p, status == STATUS_OK);
    } else {
        as_text(c, p, status == STATUS_OK ? NULL : &why);
    }
    progress_close(p);
}
