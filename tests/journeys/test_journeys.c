/* Journeys: a text file of keys and expected lines, run headless on the grid. One step a line:
 *   size ROWS COLS     start or resize (the first line starts; add zh or ascii)
 *   key NAME…          press keys (support/drive.h)
 *   click TEXT         the mouse on the first cell of TEXT
 *   drag N TEXT        moved with the button down, N columns right of TEXT; `up` lets it go
 *   wheel up|down TEXT
 *   tick               the time until the next frame of a picture passes; `still` asks for less motion
 *   idle               nothing moves: the loop may wait without end
 *   see TEXT           some row contains TEXT
 *   no TEXT            no row contains TEXT
 *   copied TEXT        the last copy holds exactly TEXT
 *   quits              the last key asked the loop to end
 * Lines that begin with '#' are remarks. A failure names file and line and shows the screen. */
#include <check.h>
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/drive.h"

enum { JOURNEYS_MAX = 64 };
static char names[JOURNEYS_MAX][256];
static int name_count;
static struct drive drive;

static void find_journeys(void) {
    DIR *folder = opendir(TEST_SOURCE_DIR "/journeys");
    if (folder == NULL) {
        return;
    }
    for (struct dirent *e = readdir(folder); e != NULL && name_count < JOURNEYS_MAX;
         e = readdir(folder)) {
        size_t length = strlen(e->d_name);
        if (length > 4 && length < 200 && strcmp(e->d_name + length - 4, ".txt") == 0) {
            snprintf(names[name_count++], sizeof names[0], "%s", e->d_name);
        }
    }
    closedir(folder);
}

static void size_step(const char *rest) {
    int rows = 0, cols = 0;
    ck_assert_int_eq(sscanf(rest, "%d %d", &rows, &cols), 2);
    if (drive.app != NULL) {
        drive_resize(&drive, rows, cols);
        return;
    }
    struct app_options options = {.chinese = strstr(rest, "zh") != NULL,
                                  .ascii = strstr(rest, "ascii") != NULL,
                                  .progress = ""};
    ck_assert(drive_open(&drive, rows, cols, &options));
}

static void step(const char *where, int line, char *text) {
    char *rest = strchr(text, ' ');
    const char *verb = text;
    if (rest != NULL) {
        *rest++ = '\0';
    } else {
        rest = text + strlen(text);
    }
    if (strcmp(verb, "size") == 0) {
        size_step(rest);
    } else if (strcmp(verb, "key") == 0) {
        ck_assert_msg(drive_keys(&drive, rest), "%s:%d", where, line);
    } else if (strcmp(verb, "click") == 0) {
        ck_assert_msg(drive_mouse(&drive, UI_MOUSE_PRESS, rest, 0), "%s:%d: no %s\n%s", where, line,
                      rest, drive.text);
    } else if (strcmp(verb, "drag") == 0) {
        char *text_at = NULL;
        int right = (int)strtol(rest, &text_at, 10);
        ck_assert_msg(drive_mouse(&drive, UI_MOUSE_DRAG, text_at + 1, right), "%s:%d: no %s", where,
                      line, text_at);
    } else if (strcmp(verb, "up") == 0) {
        ck_assert(drive_mouse(&drive, UI_MOUSE_RELEASE, "", 0));
    } else if (strcmp(verb, "wheel") == 0) {
        bool up = strncmp(rest, "up ", 3) == 0;
        ck_assert_msg(drive_mouse(&drive, up ? UI_MOUSE_WHEEL_UP : UI_MOUSE_WHEEL_DOWN,
                                  strchr(rest, ' ') + 1, 0),
                      "%s:%d: no %s", where, line, rest);
    } else if (strcmp(verb, "tick") == 0) {
        bool due =
            app_wait_ms(drive.app) > 0; /* no tick without a wait, no wait while nothing moves */
        ck_assert_msg((app_tick(drive.app) != 0) == due, "%s:%d", where, line);
        drive_draw(&drive);
    } else if (strcmp(verb, "idle") == 0) {
        ck_assert_msg(app_wait_ms(drive.app) == -1, "%s:%d: a timer runs", where, line);
    } else if (strcmp(verb, "still") == 0) {
        app_motion_reduce(drive.app);
    } else if (strcmp(verb, "see") == 0) {
        ck_assert_msg(drive_shows(&drive, rest), "%s:%d: not on the screen: %s\n%.3000s", where,
                      line, rest, drive.text);
    } else if (strcmp(verb, "no") == 0) {
        ck_assert_msg(!drive_shows(&drive, rest), "%s:%d: on the screen: %s\n%.3000s", where, line,
                      rest, drive.text);
    } else if (strcmp(verb, "copied") == 0) {
        ck_assert_msg(strcmp(app_copied(drive.app), rest) == 0, "%s:%d: copied %s", where, line,
                      app_copied(drive.app));
    } else if (strcmp(verb, "quits") == 0) {
        ck_assert_msg((drive.effects & APP_EFFECT_QUIT) != 0, "%s:%d: the program goes on", where,
                      line);
    } else {
        ck_abort_msg("%s:%d: unknown step %s", where, line, verb);
    }
}

START_TEST(the_journey_goes_as_written) {
    char path[512], text[1024];
    int line = 0, checked = 0;
    snprintf(path, sizeof path, "%s/journeys/%s", TEST_SOURCE_DIR, names[_i]);
    FILE *f = fopen(path, "r");
    ck_assert_msg(f != NULL, "%s cannot be read", path);
    while (fgets(text, sizeof text, f) != NULL) {
        line++;
        text[strcspn(text, "\n")] = '\0';
        if (text[0] == '#' || text[0] == '\0') {
            continue;
        }
        checked += strncmp(text, "key", 3) != 0 && strncmp(text, "size", 4) != 0;
        step(names[_i], line, text);
    }
    fclose(f);
    drive_close(&drive);
    ck_assert_msg(checked > 0, "%s checks nothing", names[_i]);
}
END_TEST

/* A folder that is not found, or more files than are kept, would leave journeys out without a word. */
START_TEST(journeys_are_found_and_all_of_them_go) {
    ck_assert_int_ge(name_count, 9);
    ck_assert_int_lt(name_count, JOURNEYS_MAX);
}
END_TEST

static Suite *suite(void) {
    Suite *s = suite_create("journeys");
    TCase *c = tcase_create("journeys");
    find_journeys();
    tcase_add_test(c, journeys_are_found_and_all_of_them_go);
    tcase_add_loop_test(c, the_journey_goes_as_written, 0, name_count);
    suite_add_tcase(s, c);
    return s;
}

#include "support/check_main.h"
