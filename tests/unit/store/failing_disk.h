/* A disk under SQLite that fails when a test wants it to: the n-th operation that could fail on a real one, that one alone or
 * all from there on. It becomes SQLite's own way to files for the whole process. Header-only. */
#ifndef UNIT_STORE_FAILING_DISK_H
#define UNIT_STORE_FAILING_DISK_H

#include <check.h>
#include <errno.h>
#include <sqlite3.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

/* How it fails: full, or broken. */
enum disk_fault { DISK_FULL, DISK_BROKEN };

static struct {
    sqlite3_vfs vfs, *real;
    int left;     /* operations until it fails; 0: it does not */
    bool lasting; /* from there on */
    enum disk_fault fault;
    int failed; /* operations that did */
} disk;

/* A file of ours: the methods, and behind it the real file. */
struct disk_file {
    sqlite3_file base;
    sqlite3_io_methods methods;
    sqlite3_file *real;
};

static inline void disk_arm(int at, bool lasting, enum disk_fault fault) {
    disk.left = at;
    disk.lasting = lasting;
    disk.fault = fault;
    disk.failed = 0;
}

/* SQLITE_OK, or what this operation comes to. */
static inline int disk_try(int full, int broken) {
    int code = disk.fault == DISK_FULL ? full : broken;
    if (code == SQLITE_OK || disk.left == 0 || (disk.left > 1 && --disk.left > 0)) {
        return SQLITE_OK;
    }
    disk.left = disk.lasting ? 1 : 0;
    disk.failed++;
    errno = disk.fault == DISK_FULL ? ENOSPC : EIO;
    return code;
}

static inline sqlite3_file *disk_real(sqlite3_file *f) {
    return ((struct disk_file *)f)->real;
}

static inline int disk_close(sqlite3_file *f) {
    return disk_real(f)->pMethods->xClose(disk_real(f));
}

static inline int disk_read(sqlite3_file *f, void *out, int bytes, sqlite3_int64 at) {
    int rc = disk_try(SQLITE_OK, SQLITE_IOERR_READ);
    return rc != SQLITE_OK ? rc : disk_real(f)->pMethods->xRead(disk_real(f), out, bytes, at);
}

static inline int disk_write(sqlite3_file *f, const void *in, int bytes, sqlite3_int64 at) {
    int rc = disk_try(SQLITE_FULL, SQLITE_IOERR_WRITE);
    if (rc != SQLITE_OK) { /* half of it gets there */
        (void)disk_real(f)->pMethods->xWrite(disk_real(f), in, bytes / 2, at);
        return rc;
    }
    return disk_real(f)->pMethods->xWrite(disk_real(f), in, bytes, at);
}

static inline int disk_truncate(sqlite3_file *f, sqlite3_int64 bytes) {
    int rc = disk_try(SQLITE_OK, SQLITE_IOERR_TRUNCATE);
    return rc != SQLITE_OK ? rc : disk_real(f)->pMethods->xTruncate(disk_real(f), bytes);
}

/* What is written is not waited for: nobody pulls the plug here. */
static inline int disk_sync(sqlite3_file *f, int flags) {
    (void)f, (void)flags;
    return disk_try(SQLITE_IOERR_FSYNC, SQLITE_IOERR_FSYNC);
}

static inline int disk_size(sqlite3_file *f, sqlite3_int64 *bytes) {
    return disk_real(f)->pMethods->xFileSize(disk_real(f), bytes);
}

static inline int disk_lock(sqlite3_file *f, int kind) {
    return disk_real(f)->pMethods->xLock(disk_real(f), kind);
}

static inline int disk_unlock(sqlite3_file *f, int kind) {
    return disk_real(f)->pMethods->xUnlock(disk_real(f), kind);
}

static inline int disk_reserved(sqlite3_file *f, int *out) {
    return disk_real(f)->pMethods->xCheckReservedLock(disk_real(f), out);
}

static inline int disk_control(sqlite3_file *f, int what, void *arg) {
    return disk_real(f)->pMethods->xFileControl(disk_real(f), what, arg);
}

static inline int disk_sector(sqlite3_file *f) {
    return disk_real(f)->pMethods->xSectorSize(disk_real(f));
}

static inline int disk_traits(sqlite3_file *f) {
    return disk_real(f)->pMethods->xDeviceCharacteristics(disk_real(f));
}

static inline int disk_map(sqlite3_file *f, int page, int bytes, int extend, void volatile **out) {
    int rc = extend != 0 ? disk_try(SQLITE_FULL, SQLITE_IOERR_SHMMAP) : SQLITE_OK;
    return rc != SQLITE_OK
               ? rc
               : disk_real(f)->pMethods->xShmMap(disk_real(f), page, bytes, extend, out);
}

static inline int disk_map_lock(sqlite3_file *f, int at, int count, int flags) {
    return disk_real(f)->pMethods->xShmLock(disk_real(f), at, count, flags);
}

static inline void disk_map_barrier(sqlite3_file *f) {
    disk_real(f)->pMethods->xShmBarrier(disk_real(f));
}

static inline int disk_unmap(sqlite3_file *f, int remove) {
    return disk_real(f)->pMethods->xShmUnmap(disk_real(f), remove);
}

static inline int disk_open(sqlite3_vfs *vfs, const char *name, sqlite3_file *f, int flags,
                            int *out) {
    (void)vfs;
    struct disk_file *ours = (struct disk_file *)f;
    memset(ours, 0, sizeof *ours);
    ours->real = (sqlite3_file *)(ours + 1);
    int rc = disk_try(SQLITE_CANTOPEN, SQLITE_CANTOPEN);
    rc = rc != SQLITE_OK ? rc : disk.real->xOpen(disk.real, name, ours->real, flags, out);
    if (rc == SQLITE_OK) {
        ours->methods = (sqlite3_io_methods){
            2,           disk_close, disk_read,     disk_write,       disk_truncate, disk_sync,
            disk_size,   disk_lock,  disk_unlock,   disk_reserved,    disk_control,  disk_sector,
            disk_traits, disk_map,   disk_map_lock, disk_map_barrier, disk_unmap,    NULL,
            NULL};
        ours->base.pMethods = &ours->methods;
    }
    return rc;
}

static inline int disk_delete(sqlite3_vfs *vfs, const char *name, int sync) {
    (void)vfs;
    int rc = disk_try(SQLITE_OK, SQLITE_IOERR_DELETE);
    return rc != SQLITE_OK ? rc : disk.real->xDelete(disk.real, name, sync);
}

/* From now on SQLite goes to files this way. */
static inline void disk_insert(void) {
    if (disk.real != NULL) {
        return;
    }
    disk.real = sqlite3_vfs_find(NULL);
    ck_assert_ptr_nonnull(disk.real);
    disk.vfs = *disk.real;
    disk.vfs.zName = "failing";
    disk.vfs.pNext = NULL;
    disk.vfs.szOsFile = (int)sizeof(struct disk_file) + disk.real->szOsFile;
    disk.vfs.xOpen = disk_open;
    disk.vfs.xDelete = disk_delete;
    ck_assert_int_eq(sqlite3_vfs_register(&disk.vfs, 1), SQLITE_OK);
}

#endif
