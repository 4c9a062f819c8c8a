/* Answers as people type them: what is read as which number, what is not read, which mistake a wrong number shows; and
 * thousands of texts that nobody meant. */
#include "shardlab/learn/answer.h"

#include <check.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "support/mangle.h"
#include "support/rounds.h"

#define ROWS(table) (int)(sizeof(table) / sizeof(table)[0])

static const struct {
    const char *text;
    enum answer_kind kind;
    const char *unit; /* the question's */
    double value;
} readable[] = {
    {"112", ANSWER_BYTES, "GB", 112e9},
    {"112 GB", ANSWER_BYTES, "GB", 112e9},
    {"112GB", ANSWER_BYTES, "MiB", 112e9},
    {"1.12e2 gb", ANSWER_BYTES, "GB", 112e9},
    {"104.3 GiB", ANSWER_BYTES, "GB", 104.3 * 0x1p30},
    {"１１２ＧＢ", ANSWER_BYTES, "GB", 112e9},
    {"１１２．５　ＧｉＢ", ANSWER_BYTES, "GB", 112.5 * 0x1p30},
    {"112,000 MB", ANSWER_BYTES, "GB", 112e9},
    {"112，000 MB", ANSWER_BYTES, "GB", 112e9},
    {"1,234,567", ANSWER_COUNT, "", 1234567},
    {"  112\t", ANSWER_BYTES, "GB", 112e9},
    {"112 GB.", ANSWER_BYTES, "GB", 112e9},
    {"112 GB。", ANSWER_BYTES, "GB", 112e9},
    {"约 112 GB", ANSWER_BYTES, "GB", 112e9},
    {"≈112", ANSWER_BYTES, "GB", 112e9},
    {"~ 112 G", ANSWER_BYTES, "MB", 112e9},
    {"= 112", ANSWER_BYTES, "GB", 112e9},
    {"+112", ANSWER_BYTES, "GB", 112e9},
    {"-3", ANSWER_COUNT, "", -3},
    {"−3", ANSWER_COUNT, "", -3},
    {".5", ANSWER_COUNT, "", 0.5},
    {"5.", ANSWER_COUNT, "", 5},
    {"1.12×10^2 GB", ANSWER_BYTES, "GB", 112e9},
    {"1.12 x 10^2 GB", ANSWER_BYTES, "GB", 112e9},
    {"4.2*10^22", ANSWER_COUNT, "", 4.2e22},
    {"4.2e22 FLOPs", ANSWER_COUNT, "", 4.2e22},
    {"4.2E+22", ANSWER_COUNT, "", 4.2e22},
    {"1.5×", ANSWER_COUNT, "", 1.5},
    {"1.5 倍", ANSWER_COUNT, "", 1.5},
    {"2^21", ANSWER_COUNT, "", 0x1p21},
    {"２＾21", ANSWER_COUNT, "", 0x1p21},
    {"2**21", ANSWER_COUNT, "", 0x1p21},
    {"2^-7", ANSWER_COUNT, "", 0x1p-7},
    {"2^(−7)", ANSWER_COUNT, "", 0x1p-7},
    {"1/2^7", ANSWER_COUNT, "", 0x1p-7},
    {"2^20 B", ANSWER_BYTES, "GB", 0x1p20},
    {"10^9", ANSWER_BYTES, "B", 1e9},
    {"17 张", ANSWER_COUNT, "", 17},
    {"17张卡", ANSWER_COUNT, "", 17},
    {"17 GPUs", ANSWER_COUNT, "", 17},
    {"768次", ANSWER_COUNT, "", 768},
    {"12 micro-batches", ANSWER_COUNT, "", 12},
    {"7 times", ANSWER_COUNT, "", 7},
    {"7B", ANSWER_COUNT, "", 7e9},
    {"70 亿", ANSWER_COUNT, "", 7e9},
    {"1.4 万亿", ANSWER_COUNT, "", 1.4e12},
    {"6.74 billion", ANSWER_COUNT, "", 6.74e9},
    {"128字节", ANSWER_BYTES, "GB", 128},
    {"8 Gbit", ANSWER_BYTES, "GB", 1e9},
    {"3/11", ANSWER_SHARE, "%", 3.0 / 11.0 * 0.01},
    {"3 / 11", ANSWER_SHARE, "", 3.0 / 11.0},
    {"27.3%", ANSWER_SHARE, "", 0.273},
    {"２７．３％", ANSWER_SHARE, "%", 0.273},
    {"27.3", ANSWER_SHARE, "%", 0.273},
    {"52.4 ms", ANSWER_SECONDS, "s", 0.0524},
    {"505", ANSWER_SECONDS, "ms", 0.505},
    {"505 毫秒", ANSWER_SECONDS, "s", 0.505},
    {"12 µs", ANSWER_SECONDS, "s", 12e-6},
    {"48 days", ANSWER_SECONDS, "s", 48 * 86400.0},
    {"48 天", ANSWER_SECONDS, "s", 48 * 86400.0},
    {"1/2 h", ANSWER_SECONDS, "s", 1800},
    {"50 GB/s", ANSWER_RATE, "GB/s", 50e9},
    {"50", ANSWER_RATE, "GB/s", 50e9},
    {"400 Gb/s", ANSWER_RATE, "GB/s", 50e9},
    {"400 Gbps", ANSWER_RATE, "GB/s", 50e9},
    {"400 gbps", ANSWER_RATE, "GB/s", 50e9},
    {"50 GBps", ANSWER_RATE, "GB/s", 50e9},
    {"50 gb/s", ANSWER_RATE, "GB/s", 50e9},
    {"400 Gbit/s", ANSWER_RATE, "GB/s", 50e9},
};

START_TEST(what_people_type_is_read) {
    struct answer_number n;
    struct message why;
    enum status ok = answer_read(readable[_i].text, readable[_i].kind, readable[_i].unit, &n, &why);
    ck_assert_msg(ok == STATUS_OK, "%s: %s", readable[_i].text, why.id);
    ck_assert_msg(fabs(n.value - readable[_i].value) <= 1e-12 * fabs(readable[_i].value),
                  "%s: %.17g, not %.17g", readable[_i].text, n.value, readable[_i].value);
    ck_assert_double_eq(n.value, n.written * n.factor);
}
END_TEST

static const struct {
    const char *text;
    enum answer_kind kind;
    const char *id;
} unreadable[] = {
    {"", ANSWER_BYTES, "error.answer.empty"},
    {"  ~ ", ANSWER_BYTES, "error.answer.empty"},
    {"GB", ANSWER_BYTES, "error.answer.number"},
    {"abc", ANSWER_BYTES, "error.answer.number"},
    {"nan", ANSWER_BYTES, "error.answer.number"},
    {"inf GB", ANSWER_BYTES, "error.answer.number"},
    {"--3", ANSWER_BYTES, "error.answer.number"},
    {".", ANSWER_BYTES, "error.answer.number"},
    {",5", ANSWER_BYTES, "error.answer.number"},
    {"1,5", ANSWER_BYTES, "error.answer.number"},
    {"112,00 MB", ANSWER_BYTES, "error.answer.number"},
    {"1234,567", ANSWER_BYTES, "error.answer.number"},
    {"1,234,56", ANSWER_BYTES, "error.answer.number"},
    {"1e999", ANSWER_BYTES, "error.answer.number"},
    {"1e308 TB", ANSWER_BYTES, "error.answer.number"},
    {"1/0", ANSWER_SHARE, "error.answer.number"},
    {"0/0", ANSWER_SHARE, "error.answer.number"},
    {"\xff", ANSWER_BYTES, "error.answer.number"},
    {"112\x1b[31m", ANSWER_BYTES, "error.answer.number"},
    {"1.2.3", ANSWER_BYTES, "error.answer.unit"},
    {"0x10", ANSWER_BYTES, "error.answer.unit"},
    {"112 112", ANSWER_BYTES, "error.answer.unit"},
    {"112 GB 5", ANSWER_BYTES, "error.answer.unit"},
    {"112 or 113", ANSWER_BYTES, "error.answer.unit"},
    {"112 GBs", ANSWER_BYTES, "error.answer.unit"},
    {"112 GB", ANSWER_COUNT, "error.answer.unit"},
    {"112 GB", ANSWER_RATE, "error.answer.unit"},
    {"112 %", ANSWER_BYTES, "error.answer.unit"},
    {"112 s", ANSWER_SHARE, "error.answer.unit"},
    {"1e", ANSWER_BYTES, "error.answer.unit"},
    {"5 /s", ANSWER_RATE, "error.answer.unit"},
    {"1/2/3", ANSWER_COUNT, "error.answer.unit"},
    {"2^9999", ANSWER_COUNT, "error.answer.number"},
    {"0^-1", ANSWER_COUNT, "error.answer.number"},
    {"2^99999999999999999999", ANSWER_COUNT, "error.answer.number"},
    {"2^", ANSWER_COUNT, "error.answer.unit"},
    {"2^(7", ANSWER_COUNT, "error.answer.unit"},
    {"2^x", ANSWER_COUNT, "error.answer.unit"},
    {"17 张", ANSWER_BYTES, "error.answer.unit"},
};

static const char *const own_unit[] = {"", "GB", "GB/s", "ms", "%"};

START_TEST(what_is_not_meant_as_a_number_is_told_apart) {
    struct answer_number n = {.value = 7};
    struct message why = {0};
    enum status ok = answer_read(unreadable[_i].text, unreadable[_i].kind,
                                 own_unit[unreadable[_i].kind], &n, &why);
    ck_assert_msg(ok == STATUS_USAGE, "%s: %g", unreadable[_i].text, n.value);
    ck_assert_msg(strcmp(why.id, unreadable[_i].id) == 0, "%s: %s", unreadable[_i].text, why.id);
    ck_assert_double_eq(n.value, 7);
}
END_TEST

/* 7B parameters, 16 bytes each; who forgets the optimizer's fp32 copy says 84. */
static const struct answer_path forgotten[] = {{"term.copy", 84e9}, {"term.gradients", 98e9}};
static const struct answer_key states = {ANSWER_BYTES, 112e9, 0.01, forgotten, 2};
/* Of 4 stages and 8 micro-batches: 3/11 of all time, 3/8 of the useful. */
static const struct answer_path useful[] = {{"term.useful", 0.375}};
static const struct answer_key bubble = {ANSWER_SHARE, 3.0 / 11.0, 0.01, useful, 1};
/* An NVLink at 450 GB/s each way; 900 counts it twice. */
static const struct answer_path twice[] = {{"term.twice", 0.0262}};
static const struct answer_key link_time = {ANSWER_SECONDS, 0.0524, 0.01, twice, 1};
static const struct answer_key net = {ANSWER_RATE, 50e9, 0.01, NULL, 0};
static const struct answer_key stages = {ANSWER_COUNT, 57, 0.0, NULL, 0};
static const struct answer_key params = {ANSWER_COUNT, 6738415616.0, 0.01, NULL, 0};
static const struct answer_key mebibytes = {ANSWER_BYTES, 32 * 0x1p20, 0.01, NULL, 0};
static const struct answer_key nothing = {ANSWER_BYTES, 0.0, 0.01, NULL, 0};

static const struct {
    const struct answer_key *key;
    const char *unit, *text;
    enum answer_verdict verdict;
    const char *id;
} judged[] = {
    {&states, "GB", "112", ANSWER_RIGHT, NULL},
    {&states, "GB", "104.3 GiB", ANSWER_RIGHT, NULL},
    {&states, "GB", "112,000 MB", ANSWER_RIGHT, NULL},
    {&states, "GB", "0.112 TB", ANSWER_RIGHT, NULL},
    {&states, "GB", "113.12", ANSWER_RIGHT, NULL},
    {&states, "GB", "110.88", ANSWER_RIGHT, NULL},
    {&states, "GB", "113.2", ANSWER_WRONG, NULL},
    {&states, "GB", "104.3", ANSWER_MISTAKEN, "answer.gib"},
    {&states, "GB", "104.3 GB", ANSWER_MISTAKEN, "answer.gib"},
    {&states, "GB", "112 GiB", ANSWER_MISTAKEN, "answer.gb"},
    {&states, "GB", "896 GB", ANSWER_MISTAKEN, "answer.bits"},
    {&states, "GB", "14 GB", ANSWER_MISTAKEN, "answer.bits"},
    {&states, "GB", "112 MB", ANSWER_MISTAKEN, "answer.prefix"},
    {&states, "GB", "112 B", ANSWER_MISTAKEN, "answer.prefix"},
    {&states, "GB", "84", ANSWER_MISTAKEN, "term.copy"},
    {&states, "GB", "98.5 GB", ANSWER_MISTAKEN, "term.gradients"},
    {&states, "GB", "-112", ANSWER_WRONG, NULL},
    {&states, "GB", "0", ANSWER_WRONG, NULL},
    {&states, "GB", "1e200", ANSWER_WRONG, NULL},
    {&bubble, "%", "27.3", ANSWER_RIGHT, NULL},
    {&bubble, "%", "27.3 %", ANSWER_RIGHT, NULL},
    {&bubble, "%", "0.273", ANSWER_RIGHT, NULL},
    {&bubble, "%", "3/11", ANSWER_RIGHT, NULL},
    {&bubble, "", "3/11", ANSWER_RIGHT, NULL},
    {&bubble, "%", "0.273 %", ANSWER_WRONG, NULL},
    {&bubble, "%", "37.5 %", ANSWER_MISTAKEN, "term.useful"},
    {&bubble, "%", "3/8", ANSWER_MISTAKEN, "term.useful"},
    {&link_time, "ms", "52.4", ANSWER_RIGHT, NULL},
    {&link_time, "ms", "26.2 ms", ANSWER_MISTAKEN, "term.twice"},
    {&link_time, "ms", "52.4 s", ANSWER_MISTAKEN, "answer.prefix"},
    {&net, "GB/s", "400 Gb/s", ANSWER_RIGHT, NULL},
    {&net, "GB/s", "400", ANSWER_MISTAKEN, "answer.bits"},
    {&stages, "", "57", ANSWER_RIGHT, NULL},
    {&stages, "", "57.0", ANSWER_RIGHT, NULL},
    {&stages, "", "56.9", ANSWER_WRONG, NULL},
    {&stages, "", "57K", ANSWER_WRONG, NULL},
    {&params, "", "6.74B", ANSWER_RIGHT, NULL},
    {&params, "", "67.4 亿", ANSWER_RIGHT, NULL},
    {&params, "", "6.74M", ANSWER_MISTAKEN, "answer.prefix"},
    {&mebibytes, "MiB", "32", ANSWER_RIGHT, NULL},
    {&mebibytes, "MiB", "33.55 MB", ANSWER_RIGHT, NULL},
    {&mebibytes, "MiB", "33.55", ANSWER_MISTAKEN, "answer.gb"},
    {&nothing, "GB", "0", ANSWER_RIGHT, NULL},
    {&nothing, "GB", "-0.0 MB", ANSWER_RIGHT, NULL},
    {&nothing, "GB", "1e-300", ANSWER_WRONG, NULL},
};

START_TEST(a_number_is_right_or_wrong_or_a_known_mistake) {
    struct answer_number n;
    struct message why;
    const char *id = "unset";
    ck_assert_int_eq(answer_read(judged[_i].text, judged[_i].key->kind, judged[_i].unit, &n, &why),
                     STATUS_OK);
    enum answer_verdict verdict = answer_judge(judged[_i].key, &n, &id);
    ck_assert_msg(verdict == judged[_i].verdict, "%s: %d", judged[_i].text, (int)verdict);
    ck_assert_pstr_eq(id, judged[_i].id);
}
END_TEST

START_TEST(the_nearest_of_two_mistakes_is_named) {
    static const struct answer_path near[] = {{"far", 99e9}, {"nearest", 100e9}, {"other", 101e9}};
    struct answer_key key = {ANSWER_BYTES, 112e9, 0.02, near, 3};
    struct answer_number n = {.value = 100.2e9, .written = 100.2, .factor = 1e9};
    const char *id = NULL;
    ck_assert_int_eq(answer_judge(&key, &n, &id), ANSWER_MISTAKEN);
    ck_assert_str_eq(id, "nearest");
}
END_TEST

/* However a figure is written, it is the same one. */
START_TEST(every_way_of_writing_a_figure_is_judged_alike) {
    static const struct {
        const char *shape;
        double factor;
    } ways[] = {{"%.12g B", 1},
                {"%.12g KB", 1e3},
                {"%.12g gb", 1e9},
                {"%.9e TB", 1e12},
                {"%.12gGiB", 0x1p30},
                {"≈ %.12g MiB", 0x1p20},
                {"%.12g　Ｇｂｉｔ", 1.25e8},
                {"%.15f*10^3 MB", 1e9},
                {"%.12g/1 Kib", 0x1p10}};
    uint64_t seed = 5;
    for (int i = test_rounds(10000); i > 0; i--) {
        double right = exp((double)mangle_random(&seed) / UINT32_MAX * 60.0);
        struct answer_key key = {ANSWER_BYTES, right, 0.01, NULL, 0};
        const int way = (int)(mangle_random(&seed) % 9);
        struct answer_number n;
        struct message why;
        const char *id = NULL;
        char text[96];
        (void)snprintf(text, sizeof text, ways[way].shape, right / ways[way].factor);
        ck_assert_msg(answer_read(text, ANSWER_BYTES, "GB", &n, &why) == STATUS_OK, "%s", text);
        ck_assert_msg(answer_judge(&key, &n, &id) == ANSWER_RIGHT, "%s: %g", text, right);
        n.value *= 1.011;
        n.written *= 1.011;
        ck_assert_msg(answer_judge(&key, &n, &id) != ANSWER_RIGHT, "%s: %g", text, right);
    }
}
END_TEST

/* What came out of a text, whatever it was. */
static void expect_sound(const char *text, enum answer_kind kind) {
    struct answer_number n = {0};
    struct message why = {0};
    const char *id = NULL;
    if (answer_read(text, kind, own_unit[kind], &n, &why) == STATUS_OK) {
        struct answer_key key = {kind, 112.0, 0.01, NULL, 0};
        ck_assert_msg(isfinite(n.value) && n.factor > 0.0, "%s", text);
        enum answer_verdict verdict = answer_judge(&key, &n, &id);
        ck_assert_int_eq(verdict == ANSWER_MISTAKEN, id != NULL);
    } else {
        ck_assert_msg(why.id != NULL && strncmp(why.id, "error.answer.", 13) == 0, "%s", text);
    }
}

START_TEST(ten_thousand_random_texts_are_read_or_refused) {
    static const char *const pieces[] = {
        "1",  "9",  "0",  ".",  ",",  "-",   "+", "e",  "E",    "×",    "*",    "10^",
        "/",  " ",  "　", "%",  "GB", "GiB", "b", "ps", "/s",   "ms",   "万",   "亿",
        "天", "１", "．", "，", "约", "≈",   "x", "K",  "\xff", "\x01", "\xe4", "000"};
    uint64_t seed = 21;
    for (int i = test_rounds(10000); i > 0; i--) {
        char text[256] = "";
        for (uint32_t n = mangle_random(&seed) % 14; n > 0; n--) {
            strcat(text, pieces[mangle_random(&seed) % (sizeof pieces / sizeof pieces[0])]);
        }
        expect_sound(text, (enum answer_kind)(mangle_random(&seed) % 5));
    }
}
END_TEST

START_TEST(ten_thousand_mangled_answers_are_read_or_refused) {
    uint64_t seed = 22;
    for (int i = test_rounds(10000); i > 0; i--) {
        const int row = (int)(mangle_random(&seed) % ROWS(readable));
        char text[256];
        size_t length = mangle_text(&seed, readable[row].text, text, sizeof text - 1);
        text[length] = '\0';
        expect_sound(text, readable[row].kind);
    }
}
END_TEST

START_TEST(a_text_without_end_is_refused) {
    char text[4096];
    memset(text, '1', sizeof text - 1);
    text[sizeof text - 1] = '\0';
    struct answer_number n;
    struct message why;
    ck_assert_int_eq(answer_read(text, ANSWER_COUNT, "", &n, &why), STATUS_USAGE);
    ck_assert_str_eq(why.id, "error.answer.number");
}
END_TEST

static Suite *suite(void) {
    Suite *s = suite_create("answer");
    TCase *t = tcase_create("reading");
    tcase_add_loop_test(t, what_people_type_is_read, 0, ROWS(readable));
    tcase_add_loop_test(t, what_is_not_meant_as_a_number_is_told_apart, 0, ROWS(unreadable));
    tcase_add_test(t, ten_thousand_random_texts_are_read_or_refused);
    tcase_add_test(t, ten_thousand_mangled_answers_are_read_or_refused);
    tcase_add_test(t, a_text_without_end_is_refused);
    suite_add_tcase(s, t);
    t = tcase_create("judging");
    tcase_add_loop_test(t, a_number_is_right_or_wrong_or_a_known_mistake, 0, ROWS(judged));
    tcase_add_test(t, the_nearest_of_two_mistakes_is_named);
    tcase_add_test(t, every_way_of_writing_a_figure_is_judged_alike);
    suite_add_tcase(s, t);
    return s;
}

#include "support/check_main.h"
