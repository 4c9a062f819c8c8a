/* NumPy and PyTorch as peers of `shardlab bench formats`: one Python process converts arrays of the same lengths, in one
 * thread and into memory that is there, and prints a line a figure. What cannot be imported is not installed; without
 * python3 neither is. Proof: tests/cli/test_bench.c. */
#define _POSIX_C_SOURCE 200809L
#include <stdlib.h>
#include <string.h>

#include "bench_formats_private.h"
#include "bench_private.h"

static const char program[] =
    "import random, statistics, sys, time\n"
    "runs, lengths = int(sys.argv[1]), [int(a) for a in sys.argv[2:]]\n"
    "def clock(call):\n"
    "    begin = time.perf_counter(); call(); once = time.perf_counter() - begin\n"
    "    calls = 1 if once > 2e-4 else 1 + int(2e-4 / (once + 1e-9))\n"
    "    seconds = []\n"
    "    for _ in range(runs):\n"
    "        begin = time.perf_counter()\n"
    "        for _ in range(calls): call()\n"
    "        seconds.append((time.perf_counter() - begin) / calls)\n"
    "    return statistics.median(seconds)\n"
    "def say(library, name, length, call):\n"
    "    print(library, name, length, '%.9g' % clock(call), flush=True)\n"
    "try:\n"
    "    import numpy\n"
    "    print('numpy version 0', numpy.__version__)\n"
    "    for n in lengths:\n"
    "        r = numpy.random.default_rng(1)\n"
    "        x = (r.standard_normal(n) * 2.0 ** r.integers(-28, 16, n)).astype(numpy.float32)\n"
    "        half = numpy.empty(n, numpy.float16); back = numpy.empty(n, numpy.float32)\n"
    "        numpy.seterr(all='ignore')\n"
    "        say('numpy', 'fp32→fp16', n, lambda: numpy.copyto(half, x, casting='unsafe'))\n"
    "        say('numpy', 'fp16→fp32', n, lambda: numpy.copyto(back, half))\n"
    "except ImportError: pass\n"
    "try:\n"
    "    import torch\n"
    "    torch.set_num_threads(1)\n"
    "    print('torch version 0', torch.__version__)\n"
    "    types = [('fp16', 'float16'), ('bf16', 'bfloat16'), ('e4m3', 'float8_e4m3fn'),\n"
    "             ('e5m2', 'float8_e5m2')]\n"
    "    for n in lengths:\n"
    "        x = torch.randn(n) * 2.0 ** torch.randint(-28, 16, (n,)).float()\n"
    "        back = torch.empty(n)\n"
    "        for name, attribute in types:\n"
    "            if not hasattr(torch, attribute): continue\n"
    "            low = torch.empty(n, dtype=getattr(torch, attribute))\n"
    "            say('torch', 'fp32→' + name, n, lambda: low.copy_(x))\n"
    "            say('torch', name + '→fp32', n, lambda: back.copy_(low))\n"
    "except ImportError: pass\n";

static const char *const libraries[BENCH_LIBRARIES] = {"numpy", "torch"};

/* The blanks of a line become ends of words. False: not four of them. */
static bool split(char *line, char *words[4]) {
    for (int i = 0; i < 4; i++) {
        words[i] = line;
        line += strcspn(line, " ");
        if (i < 3 && *line == '\0') {
            return false;
        }
        line += *line == '\0' ? 0 : 1;
        line[-1] = i < 3 ? '\0' : line[-1];
    }
    return true;
}

static void keep(struct bench_formats *all, int library, char *words[4]) {
    if (strcmp(words[1], "version") == 0) {
        struct writer w;
        writer_start(&w, all->library[library], sizeof all->library[library]);
        writer_text(&w, words[3]);
        return;
    }
    for (int c = 0; c < BENCH_CONVERSIONS; c++) {
        for (int i = 0; i < BENCH_LENGTHS; i++) {
            if (strcmp(words[1], bench_conversions[c].name) == 0 &&
                strtoull(words[2], NULL, 10) == bench_lengths[i]) {
                all->library_s[library][c][i] = strtod(words[3], NULL);
            }
        }
    }
}

void bench_formats_libraries(struct bench_formats *all, int runs, int lengths) {
    enum { FIXED = 4, TEXT_MAX = 8192 };
    char python[] = "python3", option[] = "-c", script[sizeof program], count[16];
    char sizes[BENCH_LENGTHS][24], text[TEXT_MAX];
    char *words[FIXED + BENCH_LENGTHS + 1] = {python, option, script, count};
    struct writer w;
    memcpy(script, program, sizeof program);
    writer_start(&w, count, sizeof count);
    writer_u64(&w, (uint64_t)runs);
    for (int i = 0; i < lengths; i++) {
        writer_start(&w, sizes[i], sizeof sizes[i]);
        writer_u64(&w, bench_lengths[i]);
        words[FIXED + i] = sizes[i];
    }
    (void)cli_bench_ask(words, text, sizeof text); /* what it could say stands in the text */
    char *rest = NULL;
    for (char *line = strtok_r(text, "\n", &rest); line != NULL;
         line = strtok_r(NULL, "\n", &rest)) {
        char *parts[4];
        bool whole = split(line, parts);
        for (int l = 0; whole && l < BENCH_LIBRARIES; l++) {
            if (strcmp(parts[0], libraries[l]) == 0) {
                keep(all, l, parts);
            }
        }
    }
}
