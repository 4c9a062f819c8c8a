/* The log of progress as its callers see it: the events of the file in order of ids, and after them those that no file
 * holds yet. An append puts the event into memory first and then all that wait into the file, in one transaction; where that
 * fails they go on waiting, and the next append or the close tries again, so that a full disk that has room again costs
 * nothing. An event that waits has an id of its own (PROGRESS_ID_UNSAVED and up) which stays good for `about` after it has
 * got its place in the file. The file may appear, change or be replaced at any time by another program: each call looks
 * first whether it is still the one that is open. Called by the screens and by commands; who opens owns struct progress.
 * Proof: tests/unit/store/test_progress*.c. */
#define _POSIX_C_SOURCE 200809L

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "progress_private.h"

struct progress {
    char path[STORE_PATH_MAX]; /* "": nowhere */
    struct message nowhere;    /* why */
    struct progress_file file;
    struct progress_list list; /* first those of the file, then those that wait */
    int waiting;
    bool doubtful; /* reading was broken off: what is in the list may have gaps */
    /* Of the event that first had the id PROGRESS_ID_UNSAVED + i: its id in the file, 0 not there yet. */
    int64_t *saved_as;
    int saved_count, saved_capacity;
};

/* --- Growing arrays. --- */

/* Room for one more of `bytes` each; false: no memory, and nothing changed. */
static bool room_make(void **array, int count, int *capacity, size_t bytes) {
    if (count < *capacity) {
        return true;
    }
    if (*capacity > INT32_MAX / 2) {
        return false;
    }
    int wanted = *capacity == 0 ? 64 : *capacity * 2;
    void *grown = realloc(*array, (size_t)wanted * bytes);
    if (grown != NULL) {
        *array = grown;
        *capacity = wanted;
    }
    return grown != NULL;
}

bool progress_list_add(struct progress_list *list, const struct progress_event *event) {
    void *events = list->events;
    bool done = room_make(&events, list->count, &list->capacity, sizeof *list->events);
    list->events = events;
    if (done) {
        list->events[list->count++] = *event;
    }
    return done;
}

/* --- A limit on the size of files ends a program by a signal, unless that is held back while writing. --- */

struct held {
    sigset_t before;
    bool pending;
};

static void size_signal_set(sigset_t *set) {
    (void)sigemptyset(set);
    (void)sigaddset(set, SIGXFSZ);
}

static struct held size_signal_hold(void) {
    struct held held;
    sigset_t set, pending;
    errno = 0; /* what it is later is of this call */
    size_signal_set(&set);
    held.pending = sigpending(&pending) == 0 && sigismember(&pending, SIGXFSZ) == 1;
    (void)pthread_sigmask(SIG_BLOCK, &set, &held.before);
    return held;
}

static void size_signal_release(const struct held *held) {
    sigset_t set;
    size_signal_set(&set);
    while (!held->pending && sigtimedwait(&set, NULL, &(struct timespec){0, 0}) == SIGXFSZ) {
        /* it was ours: the write has failed, and that is said */
    }
    (void)pthread_sigmask(SIG_SETMASK, &held->before, NULL);
}

/* --- Being at the right file. --- */

static void forget(struct progress *p) {
    int kept = p->list.count - p->waiting;
    if (kept > 0) {
        memmove(p->list.events, p->list.events + kept, (size_t)p->waiting * sizeof *p->list.events);
    }
    p->list.count = p->waiting;
    p->file.last_id = 0;
    p->file.passed_over = 0;
}

/* Lets the file go when it is no longer the one of that name, and forgets what was in it. */
static enum status look(struct progress *p, struct progress_found *found, struct message *why) {
    if (p->path[0] == '\0') {
        *why = p->nowhere;
        return STATUS_FAILED;
    }
    enum status status = progress_look(p->path, found, why);
    bool same = status == STATUS_OK && found->there == PROGRESS_FILE &&
                found->device == p->file.device && found->inode == p->file.inode;
    if (!same) {
        progress_file_abandon(&p->file);
    }
    if (!same && status == STATUS_OK) {
        forget(p);
        p->file.newer = 0;
        p->file.device = found->device;
        p->file.inode = found->inode;
    }
    return status;
}

/* Puts events of the file behind those that are there, before those that wait. */
static bool list_extend(struct progress *p, const struct progress_list *more) {
    for (int i = 0; i < more->count; i++) {
        if (!progress_list_add(&p->list, &more->events[i])) {
            return false;
        }
        struct progress_event *at = p->list.events + p->list.count - 1 - p->waiting;
        memmove(at + 1, at, (size_t)p->waiting * sizeof *at);
        *at = more->events[i];
    }
    return true;
}

/* Reads on. What was broken off is read again from the beginning: a part that is damaged must not be stepped over. */
static enum status read_on(struct progress *p, struct message *why) {
    struct progress_list more = {NULL, 0, 0};
    if (p->doubtful) {
        forget(p);
    }
    enum status status = progress_file_read(&p->file, p->path, &more, why);
    p->doubtful = status != STATUS_OK;
    if (!list_extend(p, &more)) {
        p->doubtful = true;
        status = store_fail_memory(why);
    }
    free(more.events);
    return status;
}

static enum status open_to_read(struct progress *p, struct message *why) {
    struct progress_found found;
    enum status status = look(p, &found, why);
    if (status == STATUS_OK && found.there == PROGRESS_FILE && p->file.db == NULL) {
        status = progress_file_open(&p->file, p->path, why);
    }
    return status;
}

/* Reads what can be read; a file that fails, or where additions would not be seen, is opened anew next time. */
static enum status attach(struct progress *p, struct message *why) {
    enum status status = open_to_read(p, why);
    if (status == STATUS_OK && p->file.db != NULL) {
        status = read_on(p, why);
        if (status != STATUS_OK || p->file.fixed) {
            progress_file_close(&p->file);
        }
    }
    return status;
}

/* The file open for writing, made where there is none. A handle that can write is opened only after one that reads has
 * found the file to be ours and whole as far as it is new. */
static enum status open_to_write(struct progress *p, struct message *why) {
    struct progress_found found;
    enum status status = look(p, &found, why);
    if (status != STATUS_OK || p->file.writable) {
        return status;
    }
    if (found.there == PROGRESS_FILE) {
        status = attach(p, why);
        if (status == STATUS_OK && p->file.newer != 0) {
            return progress_fail_newer(&p->file, p->path, why);
        }
    } else {
        status = progress_make(p->path, why);
    }
    if (status != STATUS_OK) {
        return status;
    }
    progress_file_close(&p->file);
    status = progress_file_open_write(&p->file, p->path, why);
    if (status == STATUS_OK && progress_look(p->path, &found, why) == STATUS_OK) {
        p->file.device = found.device;
        p->file.inode = found.inode;
    }
    return status;
}

/* --- Saving what waits. --- */

static int64_t id_now(const struct progress *p, int64_t id) {
    int64_t at = id - PROGRESS_ID_UNSAVED;
    bool known = at >= 0 && at < p->saved_count && p->saved_as[at] != 0;
    return known ? p->saved_as[at] : id;
}

/* Puts what waits behind the last id. The ids are in saved_as; events in memory keep theirs until all is on the disk. */
static enum status insert_waiting(struct progress *p, struct message *why) {
    struct progress_event *first = p->list.events + p->list.count - p->waiting;
    enum status status = STATUS_OK;
    for (int i = 0; status == STATUS_OK && i < p->waiting; i++) {
        struct progress_event event = first[i];
        if (p->file.last_id + i + 1 >= PROGRESS_ID_UNSAVED) {
            return store_fail_entry(why, "progress.damaged", p->path, "id");
        }
        event.id = p->file.last_id + i + 1;
        p->saved_as[first[i].id - PROGRESS_ID_UNSAVED] = event.id;
        event.about = id_now(p, event.about);
        status = progress_file_insert(&p->file, p->path, &event, why);
    }
    return status == STATUS_OK ? progress_file_commit(&p->file, p->path, why) : status;
}

static void waiting_settle(struct progress *p, bool saved) {
    struct progress_event *first = p->list.events + p->list.count - p->waiting;
    for (int i = 0; i < p->waiting; i++) {
        int64_t *as = &p->saved_as[first[i].id - PROGRESS_ID_UNSAVED];
        if (saved) {
            first[i].id = *as;
            first[i].about = id_now(p, first[i].about);
            p->file.last_id = *as;
        } else {
            *as = 0;
        }
    }
    p->waiting = saved ? 0 : p->waiting;
}

static enum status save_waiting(struct progress *p, struct message *why) {
    enum status status = open_to_write(p, why);
    if (status != STATUS_OK) {
        return status;
    }
    status = progress_file_begin(&p->file, p->path, why);
    if (status == STATUS_OK) {
        status = read_on(p, why);
    }
    if (status == STATUS_OK) {
        status = insert_waiting(p, why);
        waiting_settle(p, status == STATUS_OK);
    }
    if (status != STATUS_OK) {
        progress_file_rollback(&p->file);
        progress_file_close(&p->file);
    }
    return status;
}

/* --- The border. --- */

enum status progress_open(const char *path, struct progress **out, struct message *why) {
    struct progress *p = calloc(1, sizeof *p);
    *out = p;
    if (p == NULL) {
        return store_fail_memory(why);
    }
    enum status status = progress_place(path, p->path, &p->nowhere);
    if (status != STATUS_OK) {
        *why = p->nowhere;
        return status;
    }
    struct held held = size_signal_hold();
    status = attach(p, why);
    size_signal_release(&held);
    return status;
}

void progress_close(struct progress *p) {
    if (p == NULL) {
        return;
    }
    struct message ignored;
    struct held held = size_signal_hold();
    if (p->waiting > 0) {
        (void)!save_waiting(p, &ignored);
    }
    progress_file_close(&p->file);
    size_signal_release(&held);
    free(p->list.events);
    free(p->saved_as);
    free(p);
}

const struct progress_event *progress_events(const struct progress *p, int *count) {
    *count = p == NULL ? 0 : p->list.count;
    return p == NULL ? NULL : p->list.events;
}

enum status progress_refresh(struct progress *p, struct message *why) {
    if (p == NULL) {
        return store_fail_memory(why);
    }
    struct held held = size_signal_hold();
    enum status status = attach(p, why);
    size_signal_release(&held);
    return status;
}

/* Into memory, with an id that no file gives. */
static bool wait_take(struct progress *p, const struct progress_event *event) {
    void *ids = p->saved_as;
    bool room = room_make(&ids, p->saved_count, &p->saved_capacity, sizeof *p->saved_as);
    p->saved_as = ids;
    if (!room || !progress_list_add(&p->list, event)) {
        return false;
    }
    p->list.events[p->list.count - 1].id = PROGRESS_ID_UNSAVED + p->saved_count;
    p->list.events[p->list.count - 1].about = id_now(p, event->about);
    p->saved_as[p->saved_count++] = 0;
    p->waiting++;
    return true;
}

enum status progress_append(struct progress *p, struct progress_event *event, struct message *why) {
    struct progress_event fit = *event;
    event->id = 0;
    if (!progress_event_fit(&fit)) {
        message_start(why, "progress.event");
        message_add_text_n(why, event->item, strnlen(event->item, sizeof event->item));
        return STATUS_USAGE;
    }
    if (p == NULL || !wait_take(p, &fit)) {
        return store_fail_memory(why);
    }
    struct held held = size_signal_hold();
    enum status status = save_waiting(p, why);
    size_signal_release(&held);
    event->id = p->list.events[p->list.count - 1].id;
    return status;
}

enum status progress_can_save(struct progress *p, struct message *why) {
    struct progress_found found;
    if (p == NULL) {
        return store_fail_memory(why);
    }
    struct held held = size_signal_hold();
    enum status status = attach(p, why);
    size_signal_release(&held);
    if (status == STATUS_OK) {
        status = progress_look(p->path, &found, why);
    }
    if (status == STATUS_OK && p->file.newer != 0) {
        return progress_fail_newer(&p->file, p->path, why);
    }
    return status == STATUS_OK ? progress_room(p->path, found.there != PROGRESS_ABSENT, why)
                               : status;
}

int progress_unsaved(const struct progress *p) {
    return p == NULL ? 0 : p->waiting;
}

int progress_passed_over(const struct progress *p) {
    return p == NULL ? 0 : p->file.passed_over;
}

const char *progress_path(const struct progress *p) {
    return p == NULL ? "" : p->path;
}
