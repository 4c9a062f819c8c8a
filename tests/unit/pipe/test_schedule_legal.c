/* Which combinations are legal: what is left open is filled in, every refusal names its rule with the values, and
 * combinations that one framework runs and another refuses get a note. */
#include "shardlab/pipe/schedule.h"

#include <check.h>
#include <stdio.h>
#include <string.h>

#define ROWS(table) (int)(sizeof(table) / sizeof((table)[0]))

START_TEST(schedules_are_found_by_their_names) {
    for (int i = 0; i < PIPE_SCHEDULES; i++) {
        ck_assert_int_eq(pipe_schedule_find(pipe_schedule_name((enum pipe_schedule)i)), i);
    }
    ck_assert_int_eq(pipe_schedule_find("1F1B"), -1);
    ck_assert_int_eq(pipe_schedule_find(""), -1);
    ck_assert(!pipe_schedule_splits(PIPE_INTERLEAVED) && pipe_schedule_splits(PIPE_DUALPIPE));
}
END_TEST

static const struct {
    struct pipe_request request;
    uint32_t chunks, group, shape_chunks;
    int placement;
} settled[] = {
    {{PIPE_GPIPE, 4, 8, 0, 0}, 1, 8, 1, PIPE_LOOP},
    {{PIPE_1F1B, 4, 2, 1, 0}, 1, 2, 1, PIPE_LOOP},
    {{PIPE_INTERLEAVED, 4, 8, 0, 0}, 2, 4, 2, PIPE_LOOP},
    {{PIPE_INTERLEAVED, 4, 16, 3, 8}, 3, 8, 3, PIPE_LOOP},
    {{PIPE_INTERLEAVED, 4, 12, 2, 8}, 2, 8, 2, PIPE_LOOP}, /* the rest, 4, is p */
    {{PIPE_INTERLEAVED, 4, 10, 2, 0}, 2, 5, 2, PIPE_LOOP}, /* torch: 2 rounds of 5 */
    {{PIPE_INTERLEAVED, 4, 3, 2, 0}, 2, 3, 2, PIPE_LOOP},  /* torch: one round */
    {{PIPE_INTERLEAVED, 4, 11, 2, 11}, 2, 11, 2, PIPE_LOOP},
    {{PIPE_LOOPED_BFS, 4, 7, 0, 0}, 2, 7, 2, PIPE_LOOP},
    {{PIPE_LOOPED_BFS, 4, 7, 1, 0}, 1, 7, 1, PIPE_LOOP},
    {{PIPE_ZB_H1, 4, 1, 0, 0}, 1, 1, 1, PIPE_LOOP},
    {{PIPE_ZB_H2, 4, 7, 0, 0}, 1, 7, 1, PIPE_LOOP},
    {{PIPE_ZB_INTERLEAVED, 4, 10, 3, 0}, 3, 5, 3, PIPE_LOOP},
    {{PIPE_ZB_V, 4, 1, 0, 0}, 2, 1, 2, PIPE_V},
    {{PIPE_DUALPIPE, 4, 8, 0, 0}, 1, 8, 2, PIPE_BOTH},
    {{PIPE_DUALPIPEV, 4, 9, 2, 0}, 2, 9, 2, PIPE_V},
};

START_TEST(a_legal_request_is_filled_in) {
    struct pipe_request r;
    struct pipe_shape shape;
    struct message why = {0};
    ck_assert_msg(pipe_request_settle(&settled[_i].request, &r, &shape, &why) == STATUS_OK, "%s",
                  why.id);
    ck_assert_uint_eq(r.chunks, settled[_i].chunks);
    ck_assert_uint_eq(r.group, settled[_i].group);
    ck_assert_uint_eq(shape.chunks, settled[_i].shape_chunks);
    ck_assert_int_eq(shape.placement, settled[_i].placement);
    ck_assert_uint_eq(shape.ranks, r.ranks);
    ck_assert_uint_eq(shape.micro_batches, r.micro_batches);
}
END_TEST

/* id|argument|argument… */
static void spell(const struct message *m, char *out, size_t capacity) {
    int used = snprintf(out, capacity, "%s", m->id);
    for (int i = 0; i < m->arg_count; i++) {
        const struct message_arg *arg = &m->args[i];
        used += arg->kind == MESSAGE_ARG_TEXT
                    ? snprintf(out + used, capacity - (size_t)used, "|%s", arg->text)
                    : snprintf(out + used, capacity - (size_t)used, "|%ju", (uintmax_t)arg->count);
    }
}

static const struct {
    struct pipe_request request;
    const char *why;
} refused[] = {
    {{PIPE_GPIPE, 0, 8, 0, 0}, "error.pipe.limit|--stages|0|1024"},
    {{PIPE_GPIPE, 1025, 8, 0, 0}, "error.pipe.limit|--stages|1025|1024"},
    {{PIPE_ZB_V, UINT32_MAX, 8, 0, 0}, "error.pipe.limit|--stages|4294967295|1024"},
    {{PIPE_DUALPIPEV, 1025, 8, 0, 0}, "error.pipe.limit|--stages|1025|1024"},
    {{PIPE_1F1B, 4, 0, 0, 0}, "error.pipe.limit|--micro-batches|0|1048576"},
    {{PIPE_1F1B, 4, 1048577, 0, 0}, "error.pipe.limit|--micro-batches|1048577|1048576"},
    {{PIPE_INTERLEAVED, 4, 8, 65, 0}, "error.pipe.limit|--chunks|65|64"},
    {{PIPE_1F1B, 4, 8, 2, 0}, "error.pipe.chunks_fixed|1f1b|1|2"},
    {{PIPE_ZB_V, 4, 8, 1, 0}, "error.pipe.chunks_fixed|zb-v|2|1"},
    {{PIPE_DUALPIPE, 4, 8, 2, 0}, "error.pipe.chunks_fixed|dualpipe|1|2"},
    {{PIPE_INTERLEAVED, 4, 8, 1, 0}, "error.pipe.chunks_least|interleaved|2|1|1f1b"},
    {{PIPE_ZB_INTERLEAVED, 4, 8, 1, 0}, "error.pipe.chunks_least|zb-interleaved|2|1|zb-h1"},
    {{PIPE_ZB_H2, 4, 6, 0, 0},
     "error.pipe.micro_batches_least|zb-h2|4|2p − 1|7|6|ZB-H2 (arXiv:2401.10241)"},
    {{PIPE_DUALPIPEV, 4, 7, 0, 0},
     "error.pipe.micro_batches_least|dualpipev|4|2p|8|7|DeepSeek DualPipeV"},
    {{PIPE_DUALPIPE, 4, 6, 0, 0},
     "error.pipe.micro_batches_least|dualpipe|4|2p|8|6|DeepSeek DualPipe"},
    {{PIPE_DUALPIPE, 3, 8, 0, 0}, "error.pipe.even|--stages|3"},
    {{PIPE_DUALPIPE, 4, 9, 0, 0}, "error.pipe.even|--micro-batches|9"},
    {{PIPE_INTERLEAVED, 4, 9, 0, 0}, "error.pipe.rounds|interleaved|9|4|2|8|12"},
    {{PIPE_ZB_INTERLEAVED, 4, 9, 0, 0}, "error.pipe.rounds|zb-interleaved|9|4|2|8|12"},
    {{PIPE_INTERLEAVED, 4, 8, 0, 3}, "error.pipe.group_range|3|4|8"},
    {{PIPE_INTERLEAVED, 4, 8, 0, 9}, "error.pipe.group_range|9|4|8"},
    {{PIPE_INTERLEAVED, 4, 12, 0, 5}, "error.pipe.group_rest|5|4|12|2"},
    {{PIPE_1F1B, 4, 8, 0, 4}, "error.pipe.group_only|1f1b"},
    {{PIPE_ZB_INTERLEAVED, 4, 8, 0, 4}, "error.pipe.group_only|zb-interleaved"},
};

START_TEST(an_illegal_request_names_its_rule) {
    struct pipe_request r;
    struct pipe_shape shape;
    struct message why = {0};
    ck_assert_int_eq(pipe_request_settle(&refused[_i].request, &r, &shape, &why), STATUS_USAGE);
    char text[512];
    spell(&why, text, sizeof text);
    ck_assert_str_eq(text, refused[_i].why);
}
END_TEST

static const struct {
    struct pipe_request request;
    const char *notes; /* one a line */
} noted[] = {
    {{PIPE_1F1B, 4, 4, 0, 0}, ""},
    {{PIPE_1F1B, 4, 3, 0, 0}, "note.pipe.fewer|torch Schedule1F1B|3|4|3\n"},
    {{PIPE_GPIPE, 4, 3, 0, 0}, ""},
    {{PIPE_INTERLEAVED, 4, 8, 0, 0}, ""},
    {{PIPE_INTERLEAVED, 4, 10, 0, 0}, "note.pipe.whole|sail-sg vpp|10|4|5\n"},
    {{PIPE_INTERLEAVED, 4, 3, 0, 0},
     "note.pipe.group|Megatron-LM|3|4|3\nnote.pipe.whole|sail-sg vpp|3|4|3\n"},
    {{PIPE_INTERLEAVED, 4, 16, 0, 8},
     "note.pipe.torch_group|torch ScheduleInterleaved1F1B|16|4|8\n"},
    {{PIPE_INTERLEAVED, 4, 11, 0, 11},
     "note.pipe.rounds|torch ScheduleInterleaved1F1B|11|4|11\n"
     "note.pipe.whole|sail-sg vpp|11|4|11\n"},
    {{PIPE_ZB_H1, 4, 8, 0, 0}, ""},
    {{PIPE_ZB_H1, 4, 9, 0, 0}, "note.pipe.rounds|torch ScheduleInterleavedZeroBubble|9|4|9\n"},
};

START_TEST(a_legal_request_names_who_would_refuse_it) {
    struct pipe_request r;
    struct pipe_shape shape;
    struct message why = {0}, notes[4];
    ck_assert_int_eq(pipe_request_settle(&noted[_i].request, &r, &shape, &why), STATUS_OK);
    int count = pipe_request_notes(&r, notes, 4);
    char text[1024] = "";
    for (int i = 0; i < count; i++) {
        spell(&notes[i], text + strlen(text), sizeof text - strlen(text));
        strcat(text, "\n");
    }
    ck_assert_str_eq(text, noted[_i].notes);
    ck_assert_int_eq(pipe_request_notes(&r, notes, 0), count);
}
END_TEST

static Suite *suite(void) {
    Suite *s = suite_create("schedule legal");
    TCase *legal = tcase_create("legal");
    tcase_add_test(legal, schedules_are_found_by_their_names);
    tcase_add_loop_test(legal, a_legal_request_is_filled_in, 0, ROWS(settled));
    tcase_add_loop_test(legal, an_illegal_request_names_its_rule, 0, ROWS(refused));
    tcase_add_loop_test(legal, a_legal_request_names_who_would_refuse_it, 0, ROWS(noted));
    suite_add_tcase(s, legal);
    return s;
}

#include "support/check_main.h"
