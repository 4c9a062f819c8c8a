/* Every question of every lesson as a learner comes upon it: asked with all its hints, then judged and scrolled to its end, in
 * both languages, at the smallest size, in the middle and wide, and where signs of ambiguous width are wide. No screen may have a cut character, a figure that nobody
 * filled in, or the other language on it, and the whole of the text can be reached. */
#include <check.h>
#include <string.h>

#include "shardlab/lesson/lesson.h"
#include "shardlab/store/store.h"
#include "support/drive.h"
#include "support/faults.h"
#include "support/sanitized.h"

static const struct {
    int rows, cols;
    bool wide; /* signs of ambiguous width take two columns */
} sizes[] = {{12, 40, false}, {24, 80, false}, {40, 120, false}, {20, 70, true}};
enum { SIZES = 4, QUESTIONS_MAX = 64, SCREENS_MAX = 40, EACH = SANITIZED ? 4 : 1 };

static struct drive drive;

static void look(const struct lesson *lesson, bool chinese) {
    char out[FAULT_TEXT_MAX];
    const char *fault = fault_halves(&drive.grid, out);
    fault = fault != NULL ? fault : fault_roles(&drive.grid, out);
    fault = fault != NULL || chinese ? fault : fault_language(&drive.grid, out);
    fault = fault != NULL               ? fault
            : drive_shows(&drive, "{{") ? "a figure that nobody filled in"
                                        : NULL;
    if (fault != NULL) {
        ck_abort_msg("%s: %s\n%s", lesson->id, fault, drive.text);
    }
}

static void keys(const struct lesson *lesson, bool chinese, const char *names) {
    ck_assert(drive_keys(&drive, names));
    look(lesson, chinese);
}

/* To the end of what is judged; it ends, since PgDn then changes nothing. */
static void scroll_through(const struct lesson *lesson, bool chinese) {
    for (int i = 0; i < SCREENS_MAX; i++) {
        keys(lesson, chinese, "PgDn");
        if (drive.effects == 0) {
            return;
        }
    }
    ck_abort_msg("%s: a question without an end\n%s", lesson->id, drive.text);
}

static int questions_of(const struct lesson *lesson) {
    struct store *store = NULL;
    struct message why;
    const struct question *questions = NULL;
    struct store_quiz quiz = {lesson->folder, lesson->id};
    int count = 0;
    ck_assert_int_eq(store_open(&store, &why), STATUS_OK);
    ck_assert_int_eq(store_questions(store, &quiz, &questions, &count, &why), STATUS_OK);
    store_close(store);
    return count;
}

/* To the calculator and to the lesson, and back to the screen as it was but for what the status row says. */
static void there_and_back(const struct lesson *lesson) {
    static char before[sizeof drive.text];
    static const char *const ways[] = {"o", "t"};
    ck_assert(drive_keys(&drive, "Ctrl-L")); /* no sentence in the status row */
    snprintf(before, sizeof before, "%s", drive.text);
    for (int i = 0; i < 2; i++) {
        ck_assert(drive_keys(&drive, ways[i]));
        bool none = i == 0 && strstr(drive.text, before) == NULL && drive.text[11] >= '0' &&
                    drive.text[11] <= '9';
        ck_assert(drive_keys(&drive, none ? "Ctrl-L" : "Backspace"));
        ck_assert_msg(strcmp(drive.text, before) == 0, "%s: after %s\n%s\n%s", lesson->id, ways[i],
                      before, drive.text);
    }
}

/* Returns how many were asked. */
static int practise(const struct lesson *lesson, int size, bool chinese) {
    struct app_options options = {
        .chinese = chinese, .ambiguous_wide = sizes[size].wide, .progress = ""};
    struct message why;
    ck_assert(drive_open(&drive, sizes[size].rows, sizes[size].cols, &options));
    ck_assert_int_eq(app_show_lesson(drive.app, lesson, &why), STATUS_OK);
    ck_assert(drive_keys(&drive, "x"));
    int asked = 0;
    while (asked < QUESTIONS_MAX && drive.text[strlen(" shardlab  ")] >= '0' &&
           drive.text[strlen(" shardlab  ")] <= '9') {
        look(lesson, chinese);
        keys(lesson, chinese, "i Ctrl-N i Ctrl-N i Ctrl-N");
        keys(lesson, chinese, "Ctrl-X x"); /* not known, by whichever key it is here */
        if (sizes[size].rows == 24) {
            there_and_back(lesson);
        }
        scroll_through(lesson, chinese);
        keys(lesson, chinese, "3 Enter"); /* rated as known, so that it does not come again */
        asked++;
    }
    drive_close(&drive);
    return asked;
}

START_TEST(every_question_of_a_lesson_can_be_read_to_its_end) {
    const struct lesson *lesson = lesson_at(_i);
    for (int i = 0; i < SIZES * 2; i += EACH) {
        ck_assert_int_eq(practise(lesson, i / 2, i % 2 == 1), questions_of(lesson));
    }
}
END_TEST

/* The walk finds questions at all. */
START_TEST(the_walk_asks_questions) {
    ck_assert_int_ge(practise(lesson_find("memory"), 1, false), 1);
}
END_TEST

static Suite *suite(void) {
    Suite *s = suite_create("questions");
    TCase *t = tcase_create("walk");
    tcase_set_timeout(t, 300);
    tcase_add_test(t, the_walk_asks_questions);
    tcase_add_loop_test(t, every_question_of_a_lesson_can_be_read_to_its_end, 0, lesson_count());
    suite_add_tcase(s, t);
    return s;
}

#include "support/check_main.h"
