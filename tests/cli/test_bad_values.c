/* Wrong usage: every value that cannot be is answered with one line that names the value and what would be right,
 * status 2 and an empty stdout, in both languages. Nothing on the command line reaches the terminal unfiltered. */
#include <check.h>
#include <stdio.h>

#include "cli/expect.h"

#define LLAMA "mem --model llama-2-7b "
#define SMALL "mem --layers 32 --hidden 4096 --heads 64 --vocab 1000 "

/* A command line and what its refusal names, in whatever language; texts are separated by '|'. */
static const struct {
    const char *line, *names;
} refused[] = {
    /* the layout against the model */
    {SMALL "--tp 6", "--tp 6|64|4, 8"},
    {SMALL "--tp 65", "--tp 65|64"},
    {SMALL "--kv-heads 7", "--kv-heads 7|64"},
    {SMALL "--kv-heads 16 --tp 3", "--tp 3|64"},
    {SMALL "--pp 33", "--pp 33|32"},
    {SMALL "--pp 16 --chunks 3", "--pp 16|--chunks 3|32"},
    {SMALL "--layers-per-stage 16,16", "--layers-per-stage|2|--pp|1"},
    {SMALL "--pp 2 --layers-per-stage 16,15", "--layers-per-stage|31|32"},
    {SMALL "--pp 2 --layers-per-stage 16,,16", "--layers-per-stage 16,,16"},
    {SMALL "--pp 2 --layers-per-stage 16,x", "--layers-per-stage 16,x"},
    {SMALL "--pp 2 --layers-per-stage 32,0", "--layers-per-stage 32,0"},
    {SMALL "--pp 2 --layers-per-stage ,", "--layers-per-stage ,"},
    {SMALL "--schedule interleaved --chunks 1", "--schedule interleaved|--chunks|1"},
    {SMALL "--schedule gpipe --chunks 2", "--chunks 2|interleaved|gpipe"},
    {SMALL "--cp 8192", "--cp 8192|4096|--seq"},
    {SMALL "--position learned --max-seq 1K --seq 4096", "--seq 4096|1024"},
    {"mem --layers 2 --hidden 100 --heads 3 --vocab 10", "--hidden 100|--heads 3|--head-dim"},
    {SMALL "--gated", "--gated|--ffn"},
    {SMALL "--norms 3", "--norms 3|2|4"},
    {"mem --params 7B --pp 2 --layers-per-stage 1,1", "--layers-per-stage|--params"},
    /* numbers */
    {LLAMA "--zero 4", "--zero 4|0|3"},
    {LLAMA "--zero -1", "--zero -1|0|3"},
    {LLAMA "--dp 0", "--dp 0|1"},
    {LLAMA "--dp -1", "--dp -1|1"},
    {LLAMA "--dp=-1", "--dp -1|1"},
    {LLAMA "--dp -inf", "--dp -inf|1"},
    {LLAMA "--dp 1.5", "--dp 1.5|1"},
    {LLAMA "--dp 8x", "--dp 8x|1"},
    {LLAMA "--dp 0x10", "--dp 0x10|1"},
    {LLAMA "--dp 1e-1", "--dp 1e-1|1"},
    {LLAMA "--dp 1e999999999", "--dp 1e999999999|1"},
    {LLAMA "--dp ８８８８８８８８８", "1,048,576"},
    {LLAMA "--dp +", "--dp +|1"},
    {LLAMA "--dp=", "--dp |1"},
    {LLAMA "--seq 16Q", "--seq 16Q|1"},
    {LLAMA "--seq 0", "--seq 0|1"},
    {LLAMA "--micro-batch 99999999999999", "--micro-batch 99999999999999"},
    {LLAMA "--grad-bytes 3", "--grad-bytes 3|2|4|6"},
    {LLAMA "--grad-bytes 2 --precision fp32", "--grad-bytes 2|fp32|4"},
    {LLAMA "--memory 80XB", "--memory 80XB|80GB"},
    {LLAMA "--memory 0", "--memory 0|80GB"},
    {LLAMA "--memory 80GB --reserve 80GB", "--reserve|80.00 GB"},
    {LLAMA "--memory nan", "--memory nan|80GB"},
    {"mem --params 7X", "--params 7X|1"},
    {"mem --params nan", "--params nan|1"},
    {"mem --params inf", "--params inf|1"},
    {"mem --params -7B", "--params -7B|1"},
    {"mem --params 0", "--params 0|1"},
    {"mem --params 1e30", "--params 1e30|1"},
    {"mem --params 1000000000000000000000000000000", "--params 1000000000000000000000000000000|1"},
    {"mem --params 18446744073709551616", "--params 18446744073709551616|1"},
    {"mem --params 1,00", "--params 1,00|1"},
    {"mem --params 7B --stage 9", "--stage 9|0"},
    {SMALL "--pp 4 --stage 4", "--stage 4|0|3"},
    {LLAMA "--stage -1", "--stage -1"},
    {LLAMA "--stage first", "--stage first"},
    /* products that no 64 bits hold; the limits of single options alone do not help */
    {"mem --params 1152921504606846976", "2^64"},
    {"mem --layers 1T --hidden 1T --heads 1 --vocab 1T", "2^64"},
    {"params --layers 1T --hidden 1T --heads 1 --vocab 1T", "2^64"},
    {"mem --layers 1 --hidden 1T --heads 1 --vocab 1", "2^64"},
    {LLAMA "--seq 1T --micro-batch 1T", "2^64"},
    {LLAMA "--seq 1T --attention standard", "2^64"},
    {LLAMA "--pad-vocab 1T --hidden 1M", "2^64"},
    /* names */
    {LLAMA "--convention dejavu", "--convention dejavu|zero-paper, megatron, deepspeed"},
    {LLAMA "--precision fp12", "--precision fp12|bf16"},
    {LLAMA "--optimizer adamw", "--optimizer adamw|adam"},
    {LLAMA "--recompute some", "--recompute some|selective"},
    {LLAMA "--dropout=maybe", "--dropout maybe|yes|no"},
    {LLAMA "--convention megatron --zero 2", "--zero 2|megatron|0, 1"},
    {LLAMA "--gpu a100", "--gpu a100|a100-"},
    {LLAMA "--gpu xyz", "--gpu xyz|v100-sxm2-16gb, "},
    {LLAMA "--gpu=", "--gpu"},
    {"mem --model llama-2-8b", "--model llama-2-8b|llama-2-7b"},
    {"mem --model 中文模型", "--model 中文模型|llama"},
    {"mem --model=", "--model"},
    {LLAMA "--unit GB", "--unit GB|gb|gib"},
    {LLAMA "--lang fr", "--lang fr|en|zh"},
    /* which model */
    {"mem", "--model|--config|--params|--layers"},
    {"params", "--model|--config|--params|--layers"},
    {"mem --dp 8", "--model|--config|--params"},
    {"mem --layers 3", "--hidden"},
    {"mem --layers 3 --hidden 64 --heads 4", "--vocab"},
    {"mem --gated", "--layers"},
    {LLAMA "--params 7B", "--model|--params"},
    {"mem --params 7B --layers 32", "--params|--layers"},
    /* words */
    {LLAMA "--dpp 8", "--dpp|--dp"},
    {LLAMA "--micro-batchs 8", "--micro-batchs|--micro-batch"},
    {LLAMA "--heds 8", "--heds|--heads"},
    {LLAMA "--quixotic 8", "--quixotic|--help"},
    {LLAMA "--d 8", "--d|--dp"},
    {LLAMA "-- --dp 8", "--dp"},
    {LLAMA "--dp", "--dp"},
    {LLAMA "--dp --tp 2", "--dp"},
    {LLAMA "8", "8"},
    {LLAMA "seven", "seven"},
    {LLAMA "-x", "-x"},
    {LLAMA "-", "-"},
    {LLAMA "--json=yes", "--json=yes"},
    {LLAMA "--no-dropout=yes", "--no-dropout=yes"},
    {LLAMA "--version", "--version"},
    {LLAMA "--page 1", "--page"},
    {"doctor --dp 8", "--dp"},
    {"doctor now", "now"},
    {"lesson --model gpt2", "--model"},
    {"plan --model llama-2-7b --explain --json", "--explain"},
    {"lesson show", "show|ID"},
    {"lesson show memory zero", "lesson: zero"},
    {"lesson list --page 1", "--page|list"},
    {"lesson list --unit gib", "--unit|list"},
    {"lesson check --page 1 x.md", "--page|check"},
    {"lesson check --unit gb x.md", "--unit|check"},
};

START_TEST(a_value_that_cannot_be_is_named) {
    for (int zh = 0; zh <= 1; zh++) {
        struct expect_words words;
        struct run r;
        char line[EXPECT_LINE_MAX], prefix[64];
        (void)snprintf(line, sizeof line, "--lang %s %s", zh ? "zh" : "en", refused[_i].line);
        (void)snprintf(prefix, sizeof prefix,
                       "shardlab: %.*s: ", (int)strcspn(refused[_i].line, " "), refused[_i].line);
        const char *const *argv = expect_split(&words, line);
        if (strstr(refused[_i].line, "--lang") != NULL) {
            argv += 2; /* the wrong language comes first, then */
        }
        expect_refused(&r, argv, 2, prefix);
        expect_names(r.err, refused[_i].names);
        run_free(&r);
    }
}
END_TEST

START_TEST(refusals_speak_the_language_wherever_lang_stands) {
    static const char *const lines[] = {"--lang zh mem --dp 0", "mem --lang zh --dp 0",
                                        "mem --dp 0 --lang zh", "mem --dp 0 --lang=zh",
                                        "--lang=zh mem --dp 0", "mme --lang zh",
                                        "--lang zh mme"};
    struct expect_words words;
    struct run r;
    expect_refused(&r, expect_split(&words, lines[_i]), 2, "shardlab: ");
    bool chinese = false;
    for (const char *at = r.err; *at != '\0';) {
        chinese = expect_code_point(&at) >= 0x4E00 || chinese;
    }
    ck_assert_msg(chinese, "%s: %s", lines[_i], r.err);
    run_free(&r);
}
END_TEST

/* Arguments that no sentence of words can hold: empty, huge, not text, orders to the terminal. */
static const struct {
    const char *name, *argv[6];
} strange[] = {
    {"empty command", {"", NULL}},
    {"blank command", {" ", NULL}},
    {"unknown command", {"mme", NULL}},
    {"command in capitals", {"MEM", NULL}},
    {"negative command", {"-1", NULL}},
    {"short option", {"-h", NULL}},
    {"escape as command", {"\033[31mred", NULL}},
    {"invalid UTF-8 as command", {"\xff\xfe", NULL}},
    {"empty value", {"mem", "", NULL}},
    {"empty number", {"mem", "--params", "", NULL}},
    {"empty name", {"mem", "--model", "", NULL}},
    {"empty file name", {"mem", "--config", "", NULL}},
    {"empty option name", {"mem", "--=8", NULL}},
    {"three dashes", {"mem", "---", NULL}},
    {"escape as model", {"mem", "--model", "\033]0;title\007", NULL}},
    {"escape as option", {"mem", "--\033[2Jdp", "8", NULL}},
    {"escape as number", {"mem", "--params", "7B\033[2J", NULL}},
    {"C1 controls",
     {"mem", "--params",
      "\xc2\x9b"
      "31m7",
      NULL}},
    {"bell and newline", {"mem", "--params", "7\a\n8\r\n", NULL}},
    {"newline as option", {"mem", "--dp\nshardlab: mem: all is well", NULL}},
    {"cut UTF-8", {"mem", "--params", "\xe4\xb8", NULL}},
    {"overlong UTF-8", {"mem", "--params", "\xc0\xae", NULL}},
    {"surrogate", {"mem", "--params", "\xed\xa0\x80", NULL}},
    {"right to left",
     {"mem", "--params",
      "\xe2\x80\xae"
      "7B",
      NULL}},
    {"escape as lesson", {"lesson", "show", "\033[31m", NULL}},
    {"escape as verb", {"lesson", "\033[31m", NULL}},
};

START_TEST(a_strange_argument_is_one_harmless_line) {
    struct run r;
    expect_refused(&r, strange[_i].argv, 2, "shardlab: ");
    run_free(&r);
}
END_TEST

static const char *const long_places[] = {
    "--params", "--dp",   "--model",      "--config", "--layers-per-stage", "--gpu", "--memory",
    "--zero",   "--lang", "--convention", "--stage",  "--dropout=",         "--",    "",
};

START_TEST(a_hundred_thousand_bytes_are_one_short_line) {
    enum { LONG = 100000 };
    static const char fill[] = {'9', 'x', ','};
    for (size_t i = 0; i < sizeof fill; i++) {
        char *word = malloc(LONG + 16);
        struct run r;
        ck_assert_ptr_nonnull(word);
        size_t used = strlen(strcpy(word, long_places[_i]));
        bool two = used > 2 && word[used - 1] != '=';
        used = two ? 0 : used;
        memset(word + used, fill[i], LONG);
        word[used + LONG] = '\0';
        const char *argv[] = {"mem", two ? long_places[_i] : word, two ? word : NULL, NULL};
        expect_refused(&r, argv, 2, "shardlab: mem: ");
        run_free(&r);
        free(word);
    }
}
END_TEST

START_TEST(more_values_than_are_kept_are_refused) {
    const char *argv[70] = {"lesson", "check"};
    struct run r;
    for (int i = 2; i < 69; i++) {
        argv[i] = "no-such-file.md";
    }
    expect_refused(&r, argv, 2, "shardlab: lesson: ");
    run_free(&r);
}
END_TEST

static Suite *suite(void) {
    Suite *s = suite_create("wrong usage");
    TCase *t = tcase_create("values");
    tcase_add_loop_test(t, a_value_that_cannot_be_is_named, 0, sizeof refused / sizeof refused[0]);
    tcase_add_loop_test(t, refusals_speak_the_language_wherever_lang_stands, 0, 7);
    tcase_add_loop_test(t, a_strange_argument_is_one_harmless_line, 0,
                        sizeof strange / sizeof strange[0]);
    tcase_add_loop_test(t, a_hundred_thousand_bytes_are_one_short_line, 0,
                        sizeof long_places / sizeof long_places[0]);
    tcase_add_test(t, more_values_than_are_kept_are_refused);
    suite_add_tcase(s, t);
    return s;
}

#include "support/check_main.h"
