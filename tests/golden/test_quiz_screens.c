/* Golden pictures of questions: every kind asked, half answered and judged, the end of a sitting, figures, settings, an
 * interview and its report; at three sizes in both languages, and once as plain ASCII. The bank is of the tests
 * (support/quiz_bank.h), so that a lesson's author changes none of them. GOLDEN_UPDATE=1 writes them anew. */
#define _POSIX_C_SOURCE 200809L
#include <check.h>
#include <dirent.h>
#include <errno.h>

#include "support/drive.h"
#include "support/quiz_bank.h"

static const struct {
    int rows, cols;
    bool ascii;
    const char *name;
} sizes[] = {
    {24, 80, false, "80x24"},
    {40, 120, false, "120x40"},
    {14, 44, false, "44x14"},
    {24, 80, true, "80x24-ascii"},
};

/* How a screen is reached: each kind comes after those before it were put off. */
#define NUMBER "x s "
#define ORDER NUMBER "Ctrl-K "
#define DERIVE ORDER "s "
#define RECALL DERIVE "Ctrl-K "
#define FIGURES "End End "
static const struct {
    const char *name, *keys;
} shots[] = {
    {"choice", "x"},
    {"choice-hint", "x b i"},
    {"choice-early", "x 3"},
    {"choice-judged", "x b b"},
    {"number", NUMBER "1 2 G B Tab"},
    {"number-unread", NUMBER "n o n e Enter"},
    {"number-judged", NUMBER "1 2 Enter"},
    {"order", ORDER},
    {"order-held", ORDER "Space Down"},
    {"order-judged", ORDER "Space Down Space Enter"},
    {"derive", DERIVE "3 0"},
    {"derive-judged", DERIVE "3 Enter"},
    {"recall", RECALL "r o u n d s"},
    {"recall-facts", RECALL "r o u n d s Enter Space Down"},
    {"recall-judged", RECALL "Enter Space Down Space Enter"},
    {"summary", RECALL "Enter Space Down Space Enter Enter"},
    {"summary-missed", RECALL "Ctrl-X Enter Enter Space Down Space Down Space Enter Enter"},
    {"statistics", RECALL "Enter Space Down Space Down Space Enter Enter Esc " FIGURES "Enter"},
    {"settings", FIGURES "Enter Enter"},
    {"interview", FIGURES "Up Enter"},
    {"interview-asks", FIGURES "Up Enter Enter"},
    {"interview-report", FIGURES "Up Enter Enter Ctrl-X Enter x Enter"},
    {"help", "x ?"},
};
enum { SIZES = 4, SHOTS = sizeof shots / sizeof shots[0], PICTURES = SHOTS * SIZES * 2 };

struct picture {
    int shot, size, language;
    char path[512];
};

static struct picture picture_at(int index) {
    struct picture p = {
        .shot = index / (SIZES * 2), .size = index / 2 % SIZES, .language = index % 2};
    snprintf(p.path, sizeof p.path, "%s/golden/quiz/%s-%s-%s.txt", TEST_SOURCE_DIR,
             shots[p.shot].name, sizes[p.size].name, p.language == 1 ? "zh" : "en");
    return p;
}

static char got[sizeof(struct drive)], want[sizeof(struct drive)];
static struct drive drive;

static void paint(const struct picture *p) {
    char log[BANK_PATH_MAX];
    bank_open("golden");
    bank_log("golden", log);
    struct app_options options = {.chinese = p->language == 1,
                                  .ascii = sizes[p->size].ascii,
                                  .progress = log,
                                  .clock = bank_clock};
    ck_assert(drive_open(&drive, sizes[p->size].rows, sizes[p->size].cols, &options));
    bank_pass(42000);
    ck_assert(drive_keys(&drive, shots[p->shot].keys));
    snprintf(got, sizeof got, "%s--- roles\n%s", drive.text, drive.roles);
    drive_close(&drive);
}

static void update(const struct picture *p) {
    char folder[512];
    snprintf(folder, sizeof folder, "%s/golden/quiz", TEST_SOURCE_DIR);
    ck_assert(mkdir(folder, 0777) == 0 || errno == EEXIST);
    FILE *f = fopen(p->path, "wb");
    ck_assert_msg(f != NULL && fputs(got, f) >= 0, "%s cannot be written", p->path);
    ck_assert_int_eq(fclose(f), 0);
}

START_TEST(the_screen_is_the_one_that_was_looked_at) {
    struct picture p = picture_at(_i);
    paint(&p);
    if (getenv("GOLDEN_UPDATE") != NULL) {
        update(&p);
    }
    FILE *f = fopen(p.path, "rb");
    ck_assert_msg(f != NULL, "%s is missing: GOLDEN_UPDATE=1 writes it, then look at it", p.path);
    size_t length = fread(want, 1, sizeof want - 1, f);
    want[length] = '\0';
    fclose(f);
    int line = 1;
    for (size_t i = 0; want[i] != '\0' && want[i] == got[i]; i++) {
        line += want[i] == '\n' ? 1 : 0;
    }
    ck_assert_msg(strcmp(want, got) == 0, "%s, line %d\n%.3000s", p.path, line, got);
}
END_TEST

START_TEST(every_golden_file_belongs_to_a_screen) {
    DIR *folder = opendir(TEST_SOURCE_DIR "/golden/quiz");
    ck_assert_ptr_nonnull(folder);
    for (struct dirent *e = readdir(folder); e != NULL; e = readdir(folder)) {
        bool made = e->d_name[0] == '.';
        for (int i = 0; !made && i < PICTURES; i++) {
            struct picture p = picture_at(i);
            made = strcmp(strrchr(p.path, '/') + 1, e->d_name) == 0;
        }
        ck_assert_msg(made, "%s: no screen makes it", e->d_name);
    }
    closedir(folder);
}
END_TEST

static Suite *suite(void) {
    Suite *s = suite_create("golden.quiz");
    TCase *c = tcase_create("screens");
    tcase_set_timeout(c, 60);
    tcase_add_loop_test(c, the_screen_is_the_one_that_was_looked_at, 0, PICTURES);
    tcase_add_test(c, every_golden_file_belongs_to_a_screen);
    suite_add_tcase(s, c);
    return s;
}

#include "support/check_main.h"
