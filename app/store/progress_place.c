/* Where the log of progress is kept, and what the file system says about that place: a file named in SHARDLAB_PROGRESS,
 * else XDG_DATA_HOME/shardlab/progress.db, else HOME/.local/share/shardlab/progress.db. Folders and file are made for their
 * owner alone, and only when something is to be kept. Nothing that exists is opened here. Called by progress.c. Proof:
 * tests/unit/store/test_progress.c. */
#define _XOPEN_SOURCE 700

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "progress_private.h"

enum { DATABASE_MIN = 512 }; /* bytes of the smallest page */

static enum status fail_named(struct message *why, const char *id, const char *path, int error) {
    (void)store_fail(why, id, path);
    if (error != 0) {
        message_add_plain(why, (uint64_t)error);
    }
    return STATUS_FAILED;
}

enum status progress_fail_errno(struct message *why, const char *path, int error) {
    switch (error) {
    case EACCES:
    case EPERM:
    case EROFS:
        return fail_named(why, "progress.readonly", path, 0);
    case ENOSPC:
    case EDQUOT:
    case EFBIG:
        return fail_named(why, "progress.full", path, 0);
    case ENOTDIR:
    case ELOOP:
    case ENAMETOOLONG:
        return fail_named(why, "progress.path", path, 0);
    default:
        return fail_named(why, "progress.system", path, error);
    }
}

/* SQLite gives a meaning to names like ":memory:" and "file:…": a path of ours begins with '/' or '.'. */
static enum status path_set(char out[STORE_PATH_MAX], const char *folder, const char *below,
                            struct message *why) {
    const char *before = folder[0] == '/' || strncmp(folder, "./", 2) == 0 ? "" : "./";
    int length = snprintf(out, STORE_PATH_MAX, "%s%s%s", before, folder, below);
    enum { SUFFIX_MAX = 16 }; /* SQLite's files beside it have longer names */
    if (length < 0 || length >= STORE_PATH_MAX - SUFFIX_MAX) {
        out[0] = '\0';
        return store_fail(why, "progress.path", folder);
    }
    return STATUS_OK;
}

static const char *folder_asked(const char *name) {
    const char *folder = getenv(name);
    return folder != NULL && folder[0] == '/' ? folder : NULL;
}

enum status progress_place(const char *given, char out[STORE_PATH_MAX], struct message *why) {
    const char *file = given != NULL ? given : getenv("SHARDLAB_PROGRESS");
    const char *data = folder_asked("XDG_DATA_HOME");
    const char *home = folder_asked("HOME");
    out[0] = '\0';
    if (file != NULL && file[0] != '\0') {
        return path_set(out, file, "", why);
    }
    if (data != NULL) {
        return path_set(out, data, "/shardlab/progress.db", why);
    }
    if (home != NULL) {
        return path_set(out, home, "/.local/share/shardlab/progress.db", why);
    }
    message_start(why, "progress.home");
    return STATUS_FAILED;
}

/* SQLite takes a file without a byte for a new one, and deletes the newest part of a log that lies beside it. */
static enum status leftover_look(const char *path, struct message *why) {
    char name[STORE_PATH_MAX];
    struct stat info;
    (void)snprintf(name, sizeof name, "%s-wal", path);
    if (stat(name, &info) == 0 && info.st_size > 0) {
        return store_fail(why, "progress.leftover", name);
    }
    return STATUS_OK;
}

enum status progress_look(const char *path, struct progress_found *out, struct message *why) {
    struct stat info;
    *out = (struct progress_found){.there = PROGRESS_ABSENT};
    if (stat(path, &info) != 0) {
        return errno == ENOENT ? leftover_look(path, why) : progress_fail_errno(why, path, errno);
    }
    if (S_ISDIR(info.st_mode)) {
        return store_fail(why, "progress.folder", path);
    }
    if (!S_ISREG(info.st_mode)) {
        return store_fail(why, "progress.special", path);
    }
    if (info.st_size > 0 && info.st_size < DATABASE_MIN) { /* SQLite would take it for a new one */
        return fail_named(why, "progress.damaged", path, SQLITE_NOTADB);
    }
    out->there = info.st_size == 0 ? PROGRESS_EMPTY : PROGRESS_FILE;
    out->device = info.st_dev;
    out->inode = info.st_ino;
    return info.st_size == 0 ? leftover_look(path, why) : STATUS_OK;
}

/* The entry of a new folder or file is on the disk too. */
static void folder_sync(const char *path) {
    int folder = open(path[0] == '\0' ? "/" : path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (folder >= 0) {
        (void)fsync(folder);
        (void)close(folder);
    }
}

static enum status folders_make(const char *path, struct message *why) {
    char part[STORE_PATH_MAX];
    (void)snprintf(part, sizeof part, "%s", path);
    for (char *slash = strchr(part + 1, '/'); slash != NULL; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        struct stat info;
        bool missing = stat(part, &info) != 0;
        if (missing && mkdir(part, 0700) != 0 && errno != EEXIST) {
            return progress_fail_errno(why, path, errno);
        }
        if (missing) {
            char *before = strrchr(part, '/');
            *before = '\0';
            folder_sync(part);
            *before = '/';
        }
        *slash = '/';
    }
    return STATUS_OK;
}

enum status progress_make(const char *path, struct message *why) {
    enum status status = folders_make(path, why);
    if (status != STATUS_OK) {
        return status;
    }
    int file = open(path, O_WRONLY | O_CREAT | O_NONBLOCK | O_NOCTTY | O_CLOEXEC, 0600);
    if (file < 0) {
        return progress_fail_errno(why, path, errno);
    }
    (void)close(file);
    return STATUS_OK;
}

enum status progress_room(const char *path, bool exists, struct message *why) {
    char folder[STORE_PATH_MAX];
    struct stat info;
    if (exists && access(path, R_OK | W_OK) != 0) {
        return progress_fail_errno(why, path, errno);
    }
    (void)snprintf(folder, sizeof folder, "%s", path);
    do { /* the folder, or the nearest one that is there */
        char *slash = strrchr(folder, '/');
        slash[slash == folder ? 1 : 0] = '\0';
    } while (stat(folder, &info) != 0 && errno == ENOENT && strrchr(folder, '/') != NULL &&
             strcmp(folder, "/") != 0);
    if (access(folder, W_OK | X_OK) != 0) {
        return progress_fail_errno(why, path, errno);
    }
    if (stat(folder, &info) == 0 && !S_ISDIR(info.st_mode)) {
        return progress_fail_errno(why, path, ENOTDIR);
    }
    struct statvfs disk;
    bool full = statvfs(folder, &disk) == 0 && disk.f_blocks > 0 && disk.f_bavail == 0;
    return full ? progress_fail_errno(why, path, ENOSPC) : STATUS_OK;
}
