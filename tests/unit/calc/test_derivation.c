/* A derivation is a promise: the substituted formula, worked out by hand, is the term's bytes. Here a small
 * reader of products, quotients and round-ups works out every term of random legal scenarios. */
#define _POSIX_C_SOURCE 200809L

#include "calc_support.h"

/* A number, or ⌈ product ⌉. */
__extension__ typedef unsigned __int128 wide;
static wide product(const char **at);

static wide factor(const char **at) {
    static const char open[] = "⌈", close[] = "⌉";
    if (strncmp(*at, open, sizeof open - 1) == 0) {
        *at += sizeof open - 1;
        wide value = product(at);
        must_hold(strncmp(*at, close, sizeof close - 1) == 0, "no ⌉ before %s", *at);
        *at += sizeof close - 1;
        return value;
    }
    must_hold(**at >= '0' && **at <= '9', "no number at %s", *at);
    wide value = 0;
    while (**at >= '0' && **at <= '9') {
        value = value * 10 + (unsigned char)(*(*at)++ - '0');
    }
    return value;
}

/* Factors from left to right; a division may leave a rest only directly before ⌉. */
static wide product(const char **at) {
    static const char times[] = " × ", over[] = " / ", close[] = "⌉";
    wide value = factor(at);
    for (;;) {
        if (strncmp(*at, times, sizeof times - 1) == 0) {
            *at += sizeof times - 1;
            value *= factor(at);
        } else if (strncmp(*at, over, sizeof over - 1) == 0) {
            *at += sizeof over - 1;
            wide by = factor(at);
            bool up = strncmp(*at, close, sizeof close - 1) == 0;
            must_hold(by > 0 && (up || value % by == 0), "a rest before %s", *at);
            value = (value + by - 1) / by;
        } else {
            return value;
        }
    }
}

static void check_terms(const struct calc_memory *m, const char *line) {
    must_hold(m->derivation.count > 0, "%s: no terms", line);
    for (int i = 0; i < m->derivation.count; i++) {
        const struct calc_term *t = &m->derivation.terms[i];
        const char *at = t->substituted;
        wide value = product(&at);
        must_hold(*at == '\0' && value == t->bytes, "%s: %s: %s is not %ju", line, t->id,
                  t->substituted, (uintmax_t)t->bytes);
        must_hold(t->formula[0] != '\0' && t->source != NULL, "%s: %s is not explained", line,
                  t->id);
    }
}

#define MOE                                                                                        \
    "--layers 8 --hidden 64 --heads 8 --ffn 128 --vocab 1000 --experts 8 --experts-active 2 "

static const char *const lines[] = {
    MOE "--dense-layers 3 --pp 2 --micro-batches 4 --experts-shared 1 --dp 6 --ep 3 --zero 1",
    MOE "--dense-layers 3 --pp 2 --chunks 2 --tp 2 --dp 3 --etp 2 --zero 3 --convention deepspeed",
    MOE "--dense-layers 1 --recompute full --kv-rank 16 --qk-nope 8 --qk-rope 4 --v-head 8",
    MOE
    "--recompute-norms --recompute-activation --precision fp8 --input-bytes 1 --micro-batches 2",
    MOE "--recompute-norms --recompute-latents --q-rank 24 --kv-rank 16 --qk-nope 8 --qk-rope 4 "
        "--v-head 8 --pp 2 --schedule dualpipe --micro-batches 4 --optimizer adam16bit",
    LLAMA_7B " --dp 8 --zero 1",
    LLAMA_7B " --dp 7 --zero 3",
    LLAMA_7B " --dp 3 --zero 2 --convention deepspeed",
    LLAMA_7B " --dp 3 --zero 3 --convention deepspeed",
    LLAMA_7B " --pp 4 --micro-batches 16",
    LLAMA_7B " --pp 4 --chunks 3 --schedule interleaved --micro-batches 16",
    LLAMA_7B " --pp 3 --chunks 3 --schedule interleaved --micro-batches 16",
    LLAMA_7B " --pp 4 --recompute full --tp 8 --sequence-parallel",
    LLAMA_7B " --schedule gpipe --micro-batches 5 --pp 2 --logits fp32x3",
    LLAMA_7B " --convention megatron --tp 4 --pp 2 --dropout --attention standard --qk-norm",
    GPT3 " --tp 8 --pp 8",
    "--params 7.5B --dp 64 --zero 3",
    "--params 1000001 --dp 7 --zero 2 --precision fp32",
};

START_TEST(a_substituted_formula_works_out_to_its_bytes) {
    struct scenario s = legal_of("%s", lines[_i]);
    for (uint64_t stage = 0; stage < s.layout.pp; stage++) {
        struct calc_memory m;
        struct message why;
        ck_assert_int_eq(calc_memory_on_stage(&s, stage, &m, &why), STATUS_OK);
        check_terms(&m, lines[_i]);
    }
}
END_TEST

/* What stands before the product says how many layers are held, and why. */
START_TEST(layers_in_flight_are_spelled_out) {
    static const struct {
        const char *line, *formula, *substituted;
    } rows[] = {
        {MOE "--dense-layers 2", "L × 4sbh", "8 × 1048576"},
        {LLAMA_7B, "L × 4sbh", "32 × 67108864"},
        {LLAMA_7B " --pp 4 --micro-batches 16", "m·L × 4sbh", "4 × 8 × 67108864"},
        {LLAMA_7B " --pp 4 --chunks 3 --schedule interleaved --micro-batches 16", "c·L/V × 4sbh",
         "15 × 8 / 3 × 67108864"},
        {LLAMA_7B " --pp 3 --chunks 3 --schedule interleaved --micro-batches 16", "⌈c·L/V⌉ × 4sbh",
         "⌈11 × 11 / 3⌉ × 67108864"},
    };
    for (int i = 0; i < ROWS(rows); i++) {
        struct scenario s = legal_of("%s", rows[i].line);
        struct calc_memory m;
        struct message why;
        ck_assert_int_eq(calc_memory_on_stage(&s, 0, &m, &why), STATUS_OK);
        int found = 0;
        for (int t = 0; t < m.derivation.count; t++) {
            if (strcmp(m.derivation.terms[t].id, "activations.norm_inputs") == 0) {
                ck_assert_str_eq(m.derivation.terms[t].formula, rows[i].formula);
                ck_assert_str_eq(m.derivation.terms[t].substituted, rows[i].substituted);
                found++;
            }
        }
        ck_assert_int_eq(found, 1);
    }
}
END_TEST

static Suite *suite(void) {
    Suite *s = suite_create("derivation");
    TCase *c = tcase_create("derivation");
    tcase_add_loop_test(c, a_substituted_formula_works_out_to_its_bytes, 0, ROWS(lines));
    tcase_add_test(c, layers_in_flight_are_spelled_out);
    suite_add_tcase(s, c);
    return s;
}

#include "support/check_main.h"
