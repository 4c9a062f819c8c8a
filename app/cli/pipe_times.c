/* The times of `shardlab pipe`: decimals as written, one for all stages or one a stage, all scaled to one tick of
 * 10^-places, so that the simulation counts whole ticks and no sum is rounded. The arrays belong to the run. Proof:
 * tests/cli/test_pipe.c. */
#include <stdlib.h>
#include <string.h>

#include "pipe_private.h"
#include "shardlab/base/decimal.h"

enum { PIECE_MAX = 96 };

static const char *given(const struct cli_args *args, enum cli_pipe_option option,
                         const char *otherwise) {
    return args->pipe[option] != NULL ? args->pipe[option] : otherwise;
}

static enum status refuse(struct message *why, const char *id, enum cli_pipe_option option,
                          const char *text) {
    message_start(why, id);
    message_add_text(why, cli_pipe_options[option].name);
    message_add_text(why, text);
    return STATUS_USAGE;
}

/* Where the next piece of "1,0.5，2" begins, behind its comma; NULL: there is none. */
static const char *next_piece(const char *at, char piece[PIECE_MAX], bool *fits) {
    static const char wide[] = "，";
    size_t length = 0;
    while (at[length] != '\0' && at[length] != ',' &&
           strncmp(at + length, wide, sizeof wide - 1) != 0) {
        length++;
    }
    *fits = length < PIECE_MAX;
    size_t kept = *fits ? length : PIECE_MAX - 1;
    memcpy(piece, at, kept);
    piece[kept] = '\0';
    at += length;
    return *at == '\0' ? NULL : at + (*at == ',' ? 1 : sizeof wide - 1);
}

/* One option's list: how many entries, and *places raised to the most of them. */
static enum status measure(enum cli_pipe_option option, const char *text, uint32_t *count,
                           int *places, struct message *why) {
    *count = 0;
    for (const char *at = text; at != NULL; (*count)++) {
        char piece[PIECE_MAX];
        struct decimal d = {0, 0};
        bool fits = false;
        at = next_piece(at, piece, &fits);
        enum decimal_fault fault = fits ? decimal_parse(piece, &d) : DECIMAL_TOO_LONG;
        if (piece[0] == '\0') {
            enum status empty = refuse(why, "error.pipe.time_empty", option, text);
            message_add_plain(why, (uint64_t)*count + 1);
            return empty;
        }
        if (fault == DECIMAL_NO_NUMBER) {
            return refuse(why, "error.pipe.no_time", option, piece);
        }
        if (fault == DECIMAL_TOO_LONG) {
            return refuse(why, "error.pipe.time_digits", option, piece);
        }
        *places = d.places > *places ? d.places : *places;
    }
    return STATUS_OK;
}

/* The ticks of every entry of a list that measure() has accepted; a single entry fills all `count`. */
static enum status scale(enum cli_pipe_option option, const char *text, int places, uint64_t *ticks,
                         struct message *why) {
    for (const char *at = text; at != NULL; ticks++) {
        char piece[PIECE_MAX];
        struct decimal d = {0, 0};
        bool fits = false;
        at = next_piece(at, piece, &fits);
        bool good = decimal_parse(piece, &d) == DECIMAL_GOOD;
        if (!good || !decimal_units_at(&d, places, ticks)) {
            (void)refuse(why, "error.pipe.time_scale", option, piece);
            message_add_plain(why, (uint64_t)places);
            return STATUS_USAGE;
        }
    }
    return STATUS_OK;
}

static const struct {
    enum cli_pipe_option option;
    const char *otherwise;
} lists[] = {{PIPE_OPTION_TF, "1"}, {PIPE_OPTION_TB, "1"}, {PIPE_OPTION_TW, "1"}};
enum { LISTS = 3 };

/* Entries of each list and places of all times. */
static enum status measure_all(struct cli_pipe *p, const struct cli_args *args,
                               uint32_t count[LISTS], struct message *why) {
    uint32_t stages = pipe_stages(&p->shape), single = 0;
    p->places = 0;
    for (int i = 0; i < LISTS; i++) {
        const char *text = given(args, lists[i].option, lists[i].otherwise);
        enum status ok = measure(lists[i].option, text, &count[i], &p->places, why);
        if (ok == STATUS_OK && count[i] != 1 && count[i] != stages) {
            ok = refuse(why, "error.pipe.time_count", lists[i].option, text);
            message_add_plain(why, count[i]);
            message_add_plain(why, stages);
        }
        if (ok != STATUS_OK) {
            return ok;
        }
    }
    static const enum cli_pipe_option singles[] = {PIPE_OPTION_TOV, PIPE_OPTION_COMM};
    for (int i = 0; i < 2; i++) {
        const char *text = given(args, singles[i], "0");
        enum status ok = measure(singles[i], text, &single, &p->places, why);
        if (ok == STATUS_OK && single != 1) {
            ok = refuse(why, "error.pipe.no_time", singles[i], text);
        }
        if (ok != STATUS_OK) {
            return ok;
        }
    }
    return STATUS_OK;
}

static enum status scale_lists(struct cli_pipe *p, const struct cli_args *args,
                               const uint32_t count[LISTS], struct message *why) {
    uint32_t stages = pipe_stages(&p->shape);
    for (int i = 0; i < LISTS; i++) {
        uint64_t *ticks = p->stage_times + (size_t)i * stages;
        const char *text = given(args, lists[i].option, lists[i].otherwise);
        enum status ok = scale(lists[i].option, text, p->places, ticks, why);
        if (ok != STATUS_OK) {
            return ok;
        }
        for (uint32_t stage = count[i]; stage < stages; stage++) {
            ticks[stage] = ticks[0];
        }
    }
    p->times.f = p->stage_times;
    p->times.b = p->stage_times + stages;
    p->times.w = p->stage_times + 2 * (size_t)stages;
    p->times.count = stages;
    return STATUS_OK;
}

enum status cli_pipe_times(struct cli_pipe *p, const struct cli_args *args, struct message *why) {
    uint32_t count[LISTS] = {0};
    enum status ok = measure_all(p, args, count, why);
    if (ok != STATUS_OK) {
        return ok;
    }
    p->stage_times = calloc(LISTS * (size_t)pipe_stages(&p->shape), sizeof(uint64_t));
    if (p->stage_times == NULL) {
        message_start(why, "error.memory");
        return STATUS_FAILED;
    }
    ok = scale_lists(p, args, count, why);
    p->times.has_overlapped = args->pipe[PIPE_OPTION_TOV] != NULL;
    if (ok == STATUS_OK && p->times.has_overlapped) {
        ok = scale(PIPE_OPTION_TOV, args->pipe[PIPE_OPTION_TOV], p->places, &p->times.overlapped,
                   why);
    }
    if (ok == STATUS_OK) {
        ok = scale(PIPE_OPTION_COMM, given(args, PIPE_OPTION_COMM, "0"), p->places,
                   &p->times.latency, why);
    }
    return ok;
}
