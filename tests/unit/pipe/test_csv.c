/* Order lists in PyTorch's CSV dialect: what is written reads back as the same order, for every schedule; what is wrong
 * is refused with its place; and no text, however mangled, does anything worse than be refused. */
#include "shardlab/pipe/csv.h"

#include <check.h>
#include <stdio.h>
#include <string.h>

#include "shardlab/pipe/schedule.h"
#include "support/mangle.h"
#include "support/rounds.h"

enum { OPS_MAX = 4096, BYTES_MAX = 1 << 16 };

#define ROWS(table) (int)(sizeof(table) / sizeof((table)[0]))

static struct pipe_op ops[OPS_MAX], read_ops[OPS_MAX];
static uint8_t seen[OPS_MAX];
static struct pipe_order order, back;
static char text[BYTES_MAX];

/* Builds a schedule and writes it to `text`. */
static void written(enum pipe_schedule schedule, uint32_t ranks, uint32_t micro_batches) {
    struct pipe_request r = {.schedule = schedule, .ranks = ranks, .micro_batches = micro_batches};
    struct pipe_shape shape;
    struct message why;
    struct writer w;
    ck_assert_int_eq(pipe_request_settle(&r, &r, &shape, &why), STATUS_OK);
    pipe_schedule_build(&r, &shape, ops, OPS_MAX, &order);
    writer_start(&w, text, sizeof text);
    pipe_csv_write(&w, &order);
    ck_assert(!w.overflow);
}

static enum status read_back(const char *bytes, size_t length, struct message *why) {
    struct pipe_csv csv = {"f.csv", bytes, length};
    struct pipe_shape shape;
    if (pipe_csv_measure(&csv, &shape, why) != STATUS_OK) {
        return STATUS_USAGE;
    }
    uint64_t capacity = pipe_order_capacity(&shape);
    ck_assert_uint_le(capacity, 3 * length / 2); /* an operation is three bytes at least */
    ck_assert_uint_le(capacity, OPS_MAX);
    pipe_order_start(&back, &shape, read_ops, capacity);
    return pipe_csv_read(&csv, seen, &back, why);
}

static void same_order(void) {
    ck_assert_uint_eq(back.shape.ranks, order.shape.ranks);
    ck_assert_uint_eq(back.shape.micro_batches, order.shape.micro_batches);
    ck_assert_uint_eq(back.shape.chunks, order.shape.chunks);
    ck_assert_int_eq(back.shape.placement, order.shape.placement);
    ck_assert_mem_eq(back.first, order.first, (order.shape.ranks + 1) * sizeof order.first[0]);
    ck_assert_mem_eq(read_ops, ops, pipe_order_count(&order) * sizeof ops[0]);
}

START_TEST(every_schedule_reads_back_as_it_was_written) {
    for (uint32_t ranks = 2; ranks <= 6; ranks += 2) {
        struct message why = {0};
        written((enum pipe_schedule)_i, ranks, 3 * ranks);
        ck_assert_msg(read_back(text, strlen(text), &why) == STATUS_OK, "%s", why.id);
        same_order();
    }
}
END_TEST

START_TEST(cells_are_written_as_torch_writes_them) {
    written(PIPE_DUALPIPEV, 2, 4);
    ck_assert_str_eq(text,
                     "0F0,0F1,0F2,3F0,3I0,3W0,3F1,(0F3;3B1)OVERLAP_F_B,(3F2;0B0)OVERLAP_F_B,3B2,"
                     "(3F3;0B1)OVERLAP_F_B,3B3,0I2,0W2,0I3,0W3\n"
                     "1F0,2F0,1F1,2F1,1F2,2B0,(2F2;1B0)OVERLAP_F_B,(1F3;2B1)OVERLAP_F_B,"
                     "(2F3;1B1)OVERLAP_F_B,2B2,1B2,2I3,1I3,2W3,1W3\n");
}
END_TEST

/* The same order of ZB-H1 with idle slots, blanks, other line ends, messages, and in the older dialect. */
static const char *const variants[] = {
    "0F0,0F1,0I0,0W0,0I1,0W1\n1F0,1I0,1F1,1I1,1W0,1W1\n",
    "0F0,0F1,0I0,0W0,0I1,0W1\n1F0,1I0,1F1,1I1,1W0,1W1",
    "0F0,0F1,,0B0,0W0,0B1,0W1\n,1F0,1B0,1F1,1B1,1W0,1W1\n",
    " 0F0 ,\t0F1,0I0,0W0,0I1,0W1,,\r\n1F0,1I0,1F1,1I1,1W0,1W1\r\n\r\n,,\n",
    "0UNSHARD,0F0,0SEND_F0,0F1,0SEND_F1,0RECV_B0,0I0,0W0,0RECV_B1,0I1,0W1,0REDUCE_GRAD\n"
    "1RECV_F0,1F0,1I0,1SEND_B0,1F1,1I1,1W0,1W1,1RESHARD\n",
};

START_TEST(files_of_other_hands_mean_the_same) {
    struct message why = {0};
    written(PIPE_ZB_H1, 2, 2);
    const char *file = variants[_i];
    ck_assert_msg(read_back(file, strlen(file), &why) == STATUS_OK, "%d: %s", _i, why.id);
    same_order();
}
END_TEST

/* A full backward of the dialect before I: BW, and B where no W stands elsewhere. */
START_TEST(a_full_backward_has_three_spellings) {
    static const char *const files[] = {"0F0,0B0\n1F0,1B0\n", "0F0,0BW0\n1F0,1BW0\n",
                                        "0F0,0BW0\n1F0,1B0\n"};
    struct message why = {0};
    written(PIPE_GPIPE, 2, 1);
    for (int i = 0; i < ROWS(files); i++) {
        ck_assert_int_eq(read_back(files[i], strlen(files[i]), &why), STATUS_OK);
        same_order();
    }
}
END_TEST

static const struct {
    const char *file, *id;
    unsigned line, column;
} refusals[] = {
    {"", "error.csv.empty", 0, 0},
    {",,\n\n", "error.csv.empty", 0, 0},
    {"0F0,0B0,0X0\n", "error.csv.cell", 1, 9},
    {"0F0,0B0\n1F0, 1B\n", "error.csv.cell", 2, 6},
    {"0F0,0B0 1\n", "error.csv.cell", 1, 5},
    {"F0\n", "error.csv.cell", 1, 1},
    {"\"0F0\",0B0\n", "error.csv.cell", 1, 1},
    {"0F0,0B0,(0F1;0B1)\n", "error.csv.cell", 1, 9},
    {"0F0,0B0,(0SEND_F1;0B1)OVERLAP_F_B\n", "error.csv.cell", 1, 9},
    {"0F0,0F99999999999999999999\n", "error.csv.micro_batch", 1, 5},
    {"0F0,65536F0\n", "error.csv.stage", 1, 5},
    {"0F0,0F1048575,0B0\n", "error.csv.incomplete", 1, 5},
    {"0F0,0B0,0F0\n", "error.csv.twice", 1, 9},
    {"0F0,0B0,0I0\n", "error.csv.twice", 1, 9},
    {"0F0,0W0,0B0,0I0\n", "error.csv.twice", 1, 13},
    {"0F0,0I0\n", "error.csv.missing", 1, 1},
    {"0F0,0B0,0F1\n1F0,1B0,1F1,1B1,1SEND_F0\n,0B1\n", "error.csv.placement", 2, 1},
    {"0F0,0B0,0F1,0B1\n1F0,1F1,1B1\n,\n,1W0\n", "error.csv.placement", 2, 1},
    {"0F0,0B0\n2F0,2B0,1F0,1B0\n", "error.csv.placement", 2, 1},
    {"0F0,0B0\n2F0,2B0\n1F0,1B0\n", "error.csv.placement", 2, 1},
    {"0F0,(0F1;0B1)OVERLAP_F_B,0B0\n", "error.csv.pair", 1, 5},
    {"0F0,(0F1;0F2)OVERLAP_F_B,0B0,0B1,0B2\n", "error.csv.pair", 1, 5},
    {"0F0,(0F1;0B0)OVERLAP_F_B,0W0,0B1\n", "error.csv.pair", 1, 5},
};

START_TEST(a_wrong_file_is_refused_with_its_place) {
    struct message why = {0};
    const char *file = refusals[_i].file;
    ck_assert_msg(read_back(file, strlen(file), &why) == STATUS_USAGE, "%d", _i);
    ck_assert_msg(strcmp(why.id, refusals[_i].id) == 0, "%d: %s", _i, why.id);
    ck_assert_str_eq(why.args[0].text, "f.csv");
    if (refusals[_i].line != 0) {
        ck_assert_msg(
            why.args[1].count == refusals[_i].line && why.args[2].count == refusals[_i].column,
            "%d: %ju:%ju", _i, (uintmax_t)why.args[1].count, (uintmax_t)why.args[2].count);
    }
}
END_TEST

START_TEST(more_lines_than_ranks_are_refused) {
    size_t length = 0;
    for (int i = 0; i <= PIPE_RANKS_MAX; i++) {
        length += (size_t)snprintf(text + length, sizeof text - length, "%dF0,%dB0\n", i, i);
    }
    struct message why = {0};
    struct pipe_csv csv = {"f.csv", text, length};
    struct pipe_shape shape;
    ck_assert_int_eq(pipe_csv_measure(&csv, &shape, &why), STATUS_USAGE);
    ck_assert_str_eq(why.id, "error.csv.ranks");
    ck_assert_uint_eq(why.args[1].count, PIPE_RANKS_MAX + 1);
}
END_TEST

/* Whatever is read is whole; whatever is not has a reason. */
START_TEST(no_mangled_file_does_harm) {
    static char mangled[BYTES_MAX];
    uint64_t state = 20;
    int taken = 0, rounds = test_rounds(4000);
    for (int i = 0; i < rounds; i++) {
        struct message why = {0};
        written((enum pipe_schedule)(i % PIPE_SCHEDULES), i % 3 == 0 ? 4 : 2, 8);
        size_t length = mangle_text(&state, text, mangled, sizeof mangled);
        if (read_back(mangled, length, &why) == STATUS_OK) {
            taken++;
            ck_assert_int_eq(pipe_order_check(&back, seen, &why), STATUS_OK);
        } else {
            ck_assert_ptr_nonnull(why.id);
        }
    }
    ck_assert_int_gt(taken, rounds / 100);
    ck_assert_int_lt(taken, rounds);
}
END_TEST

static Suite *suite(void) {
    Suite *s = suite_create("csv");
    TCase *there = tcase_create("there and back");
    tcase_add_loop_test(there, every_schedule_reads_back_as_it_was_written, 0, PIPE_SCHEDULES);
    tcase_add_test(there, cells_are_written_as_torch_writes_them);
    tcase_add_loop_test(there, files_of_other_hands_mean_the_same, 0, ROWS(variants));
    tcase_add_test(there, a_full_backward_has_three_spellings);
    suite_add_tcase(s, there);
    TCase *wrong = tcase_create("wrong files");
    tcase_add_loop_test(wrong, a_wrong_file_is_refused_with_its_place, 0, ROWS(refusals));
    tcase_add_test(wrong, more_lines_than_ranks_are_refused);
    tcase_add_test(wrong, no_mangled_file_does_harm);
    suite_add_tcase(s, wrong);
    return s;
}

#include "support/check_main.h"
