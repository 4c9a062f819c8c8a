/* A picture that moves: a frame forward, back, or by itself while it is played. No clock here: the loop asks how long to
 * wait and says when that is over, and while nothing is played it is asked to wait without end. Called by the lesson
 * screen and by the loop. Proof: tests/journeys/collectives.txt, tests/tty/test_frames.c. */
#include "quiz_private.h"

static const int waits_ms[] = {2000, 1000, 500, 250, 125};
enum { SPEEDS = sizeof waits_ms / sizeof waits_ms[0], SPEED_START = 1 };

static int last_of(const struct app *app, int *start) {
    struct lesson_input in = app_input_asked(app);
    *start = 0;
    return app->lesson == NULL || app->lesson->frames == NULL ? 0 : app->lesson->frames(&in, start);
}

void app_frames_begin(struct app *app) {
    int start;
    app->frames.last = last_of(app, &start);
    app->frames.at = start;
    app->frames.playing = false;
}

void app_frames_fit(struct app *app) {
    int start;
    app->frames.last = last_of(app, &start);
    if (app->frames.at > app->frames.last) {
        app->frames.at = app->frames.last;
    }
}

unsigned app_frames_where(const struct app *app) {
    return app->frames.last > 0 ? UI_WHERE_FRAMES : 0;
}

unsigned app_frames_go(struct app *app, int frame) {
    app->frames.playing = false;
    if (frame < 0 || frame > app->frames.last) {
        app_status_set(app, frame < 0 ? "status.first_frame" : "status.last_frame");
        return APP_EFFECT_VIEW;
    }
    app->frames.at = frame;
    app_view_refresh(app);
    return APP_EFFECT_VIEW;
}

static unsigned play(struct app *app) {
    struct app_frames *f = &app->frames;
    if (f->still) { /* who asked for less motion steps by hand */
        app_status_set(app, "status.motion_reduced");
        return APP_EFFECT_VIEW;
    }
    f->playing = !f->playing;
    if (f->playing && f->at == f->last) {
        f->at = 0;
        app_view_refresh(app);
    }
    return APP_EFFECT_VIEW;
}

static unsigned change_speed(struct app *app, int step) {
    struct app_frames *f = &app->frames;
    int speed = f->speed + step;
    f->speed = speed < -SPEED_START               ? -SPEED_START
               : speed > SPEEDS - 1 - SPEED_START ? SPEEDS - 1 - SPEED_START
                                                  : speed;
    message_start(&app->status, "status.speed");
    message_add_real(&app->status, 1000.0 / waits_ms[f->speed + SPEED_START]);
    return APP_EFFECT_VIEW;
}

bool app_frames_action(struct app *app, enum ui_action action, unsigned *effects) {
    switch (action) {
    case UI_ACTION_FRAME_NEXT:
        *effects = app_frames_go(app, app->frames.at + 1);
        return true;
    case UI_ACTION_FRAME_BACK:
        *effects = app_frames_go(app, app->frames.at - 1);
        return true;
    case UI_ACTION_FRAME_FIRST:
        *effects = app_frames_go(app, 0);
        return true;
    case UI_ACTION_FRAME_PLAY:
        *effects = play(app);
        return true;
    case UI_ACTION_FRAME_FASTER:
    case UI_ACTION_FRAME_SLOWER:
        *effects = change_speed(app, action == UI_ACTION_FRAME_FASTER ? 1 : -1);
        return true;
    default:
        return false;
    }
}

/* Only what is in sight moves. */
static bool moves(const struct app *app) {
    return app->frames.playing && app->screen == APP_SCREEN_LESSON;
}

void app_motion_reduce(struct app *app) {
    app->frames.still = true;
}

int app_wait_ms(const struct app *app) {
    return moves(app) ? waits_ms[app->frames.speed + SPEED_START] : app_quiz_wait_ms(app);
}

unsigned app_tick(struct app *app) {
    struct app_frames *f = &app->frames;
    if (!moves(app)) {
        return app_quiz_tick(app);
    }
    f->at += f->at < f->last ? 1 : 0;
    f->playing = f->at < f->last;
    app_view_refresh(app);
    return APP_EFFECT_VIEW;
}
