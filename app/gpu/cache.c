/* Compiled kernels on disk, one file a key. A file holds the key itself, so that two keys of one hash cannot be taken for
 * each other, and a hash of what follows, so that a damaged file counts as none. It is written beside its place and
 * moved there, so that a second program never sees half of one. Called by the OpenCL driver; *bytes is the caller's.
 * Left out: old files are not removed. Proof: tests/cli/test_allreduce_gpu.c, which damages the files. */
#define _POSIX_C_SOURCE 200809L
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "gpu_private.h"

enum { PATH_BYTES = 1024, KEY_MAX = 4096, BYTES_MAX = 64 << 20 };
static const char mark[8] = {'s', 'h', 'a', 'r', 'd', 'k', '0', '1'};

struct head {
    char mark[8];
    uint64_t key_bytes, bytes, hash; /* hash of key and bytes together */
};

static uint64_t hash_more(uint64_t hash, const void *bytes, size_t count) {
    const unsigned char *at = bytes;
    for (size_t i = 0; i < count; i++) {
        hash = (hash ^ at[i]) * UINT64_C(0x100000001B3); /* FNV-1a */
    }
    return hash;
}

uint64_t cache_hash(const void *bytes, size_t count) {
    return hash_more(UINT64_C(0xCBF29CE484222325), bytes, count);
}

static bool is_absolute(const char *path) {
    return path != NULL && path[0] == '/';
}

/* The folder; false: there is no place for one. The XDG specification wants relative paths ignored. */
static bool folder(char out[PATH_BYTES], bool make) {
    const char *xdg = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
    if (!is_absolute(xdg) && !is_absolute(home)) {
        return false;
    }
    int length = is_absolute(xdg) ? snprintf(out, PATH_BYTES, "%s", xdg)
                                  : snprintf(out, PATH_BYTES, "%s/.cache", home);
    enum { REST = 64 };
    if (length < 0 || length >= PATH_BYTES - REST) {
        return false;
    }
    if (make) {
        (void)mkdir(out, 0700);
    }
    memcpy(out + length, "/shardlab", sizeof "/shardlab");
    return !make || mkdir(out, 0700) == 0 || errno == EEXIST;
}

static bool file_of(const char *key, bool make, char out[PATH_BYTES]) {
    if (!folder(out, make)) {
        return false;
    }
    size_t length = strlen(out);
    (void)snprintf(out + length, PATH_BYTES - length, "/program-%016" PRIx64,
                   cache_hash(key, strlen(key)));
    return true;
}

static bool read_all(int file, void *into, size_t count) {
    unsigned char *at = into;
    while (count > 0) {
        ssize_t got = read(file, at, count);
        if (got <= 0) {
            return false;
        }
        at += got;
        count -= (size_t)got;
    }
    return true;
}

static bool write_all(int file, const void *from, size_t count) {
    const unsigned char *at = from;
    while (count > 0) {
        ssize_t put = write(file, at, count);
        if (put <= 0) {
            return false;
        }
        at += put;
        count -= (size_t)put;
    }
    return true;
}

/* What follows the head: the key, then the bytes. */
static bool read_body(int file, const struct head *head, const char *key, unsigned char *bytes) {
    char kept[KEY_MAX];
    if (!read_all(file, kept, (size_t)head->key_bytes) ||
        memcmp(kept, key, (size_t)head->key_bytes) != 0 ||
        !read_all(file, bytes, (size_t)head->bytes)) {
        return false;
    }
    uint64_t hash = cache_hash(kept, (size_t)head->key_bytes);
    return hash_more(hash, bytes, (size_t)head->bytes) == head->hash;
}

static bool read_file(int file, const char *key, unsigned char **bytes, size_t *count) {
    struct head head;
    if (!read_all(file, &head, sizeof head) || memcmp(head.mark, mark, sizeof mark) != 0 ||
        head.key_bytes != strlen(key) || head.key_bytes > KEY_MAX || head.bytes == 0 ||
        head.bytes > BYTES_MAX) {
        return false;
    }
    *bytes = malloc((size_t)head.bytes);
    *count = (size_t)head.bytes;
    if (*bytes != NULL && read_body(file, &head, key, *bytes)) {
        return true;
    }
    free(*bytes);
    *bytes = NULL;
    return false;
}

bool cache_read(const char *key, unsigned char **bytes, size_t *count) {
    char path[PATH_BYTES];
    *bytes = NULL;
    int file = file_of(key, false, path) ? open(path, O_RDONLY | O_CLOEXEC) : -1;
    if (file < 0) {
        return false;
    }
    bool read = read_file(file, key, bytes, count);
    (void)close(file);
    return read;
}

static bool write_file(const char *path, const char *key, const unsigned char *bytes,
                       size_t count) {
    struct head head;
    size_t key_bytes = strlen(key);
    memset(&head, 0, sizeof head);
    memcpy(head.mark, mark, sizeof mark);
    head.key_bytes = key_bytes;
    head.bytes = count;
    head.hash = hash_more(cache_hash(key, key_bytes), bytes, count);
    int file = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    if (file < 0) {
        return false;
    }
    bool written = write_all(file, &head, sizeof head) && write_all(file, key, key_bytes) &&
                   write_all(file, bytes, count);
    return close(file) == 0 && written;
}

void cache_write(const char *key, const unsigned char *bytes, size_t count) {
    char path[PATH_BYTES], beside[PATH_BYTES + 32];
    if (strlen(key) > KEY_MAX || count == 0 || count > BYTES_MAX || !file_of(key, true, path)) {
        return;
    }
    (void)snprintf(beside, sizeof beside, "%s.%ld", path, (long)getpid());
    if (!write_file(beside, key, bytes, count) || rename(beside, path) != 0) {
        (void)unlink(beside);
    }
}
