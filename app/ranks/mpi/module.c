/* The module behind the door to MPI (shardlab/ranks/door.h): point-to-point messages with their sizes taken from the message
 * itself, so that a message costs no byte of ours. Loaded by app/ranks/mpi.c. What is waited for is tested, never waited for
 * in MPI, which would burn the core: the transport decides how to wait. Messages above 2 GiB travel as one derived type.
 * Proof: tests/cli/mpi.sh. */
#include <limits.h>
#include <mpi.h>
#include <stdlib.h>
#include <string.h>

#include "shardlab/ranks/door.h"

enum { PIECE = 1 << 30 };

const struct ranks_door *ranks_door_of_mpi(void);

static MPI_Comm comms[RANKS_DOOR_KINDS];
static MPI_Message message; /* what `arrived` found */
static bool failed;

struct request {
    MPI_Request mpi;
    MPI_Datatype type; /* MPI_BYTE, or ours to free */
};

static void leave(void) {
    int over = 0;
    (void)MPI_Finalized(&over);
    if (over) {
        return;
    }
    if (failed) {
        (void)MPI_Abort(MPI_COMM_WORLD, 1);
    }
    (void)MPI_Finalize();
}

static bool door_open(uint32_t *self, uint32_t *ranks) {
    int rank = 0, size = 0;
    if (MPI_Init(NULL, NULL) != MPI_SUCCESS || atexit(leave) != 0) {
        return false;
    }
    for (int kind = 0; kind < RANKS_DOOR_KINDS; kind++) {
        if (MPI_Comm_dup(MPI_COMM_WORLD, &comms[kind]) != MPI_SUCCESS) {
            return false;
        }
    }
    (void)MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    (void)MPI_Comm_size(MPI_COMM_WORLD, &size);
    *self = (uint32_t)rank;
    *ranks = (uint32_t)size;
    return true;
}

static void door_fail(void) {
    failed = true;
}

/* `count` bytes as *number of the returned type; ours to free unless MPI_BYTE. */
static MPI_Datatype type_of(size_t count, int *number) {
    MPI_Datatype piece, whole, parts[2];
    int lengths[2] = {(int)(count / PIECE), (int)(count % PIECE)};
    MPI_Aint places[2] = {0, (MPI_Aint)(count - count % PIECE)};
    *number = (int)count;
    if (count <= INT_MAX) {
        return MPI_BYTE;
    }
    *number = 1;
    (void)MPI_Type_contiguous(PIECE, MPI_BYTE, &piece);
    parts[0] = piece;
    parts[1] = MPI_BYTE;
    (void)MPI_Type_create_struct(2, lengths, places, parts, &whole);
    (void)MPI_Type_commit(&whole);
    (void)MPI_Type_free(&piece);
    return whole;
}

static void *door_send(enum ranks_door_kind kind, uint32_t to, int label, const void *bytes,
                       size_t count) {
    struct request *r = malloc(sizeof *r);
    int number;
    if (r != NULL) {
        r->type = type_of(count, &number);
        (void)MPI_Isend(bytes, number, r->type, (int)to, label, comms[kind], &r->mpi);
    }
    return r;
}

static bool door_arrived(enum ranks_door_kind kind, uint32_t from, int *label, uint64_t *count) {
    MPI_Status status;
    MPI_Count bytes = 0;
    int found = 0;
    (void)MPI_Improbe((int)from, MPI_ANY_TAG, comms[kind], &found, &message, &status);
    if (!found) {
        return false;
    }
    (void)MPI_Get_elements_x(&status, MPI_BYTE, &bytes);
    *label = status.MPI_TAG;
    *count = (uint64_t)bytes;
    return true;
}

static void *door_receive(void *bytes, size_t count) {
    struct request *r = malloc(sizeof *r);
    int number;
    if (r != NULL) {
        r->type = type_of(count, &number);
        (void)MPI_Imrecv(bytes, number, r->type, &message, &r->mpi);
    }
    return r;
}

static void *door_barrier(void) {
    struct request *r = malloc(sizeof *r);
    if (r != NULL) {
        r->type = MPI_BYTE;
        (void)MPI_Ibarrier(comms[RANKS_DOOR_ASIDE], &r->mpi);
    }
    return r;
}

static bool door_done(void *request) {
    struct request *r = request;
    int done = 0;
    (void)MPI_Test(&r->mpi, &done, MPI_STATUS_IGNORE);
    if (!done) {
        return false;
    }
    if (r->type != MPI_BYTE) {
        (void)MPI_Type_free(&r->type);
    }
    free(r);
    return true;
}

struct shared {
    MPI_Comm machine;
    MPI_Win window;
};

static bool map_window(struct shared *s, size_t bytes, void **at) {
    MPI_Info apart; /* each rank's on pages of its own, else they would follow each other */
    MPI_Aint size = 0;
    void *mine = NULL;
    int unit = 1, ranks = 0;
    (void)MPI_Comm_set_errhandler(s->machine, MPI_ERRORS_RETURN);
    (void)MPI_Info_create(&apart);
    (void)MPI_Info_set(apart, "alloc_shared_noncontig", "true");
    int got = MPI_Win_allocate_shared((MPI_Aint)bytes, 1, apart, s->machine, &mine, &s->window);
    (void)MPI_Info_free(&apart);
    if (got != MPI_SUCCESS) {
        return false;
    }
    (void)MPI_Win_lock_all(MPI_MODE_NOCHECK, s->window);
    memset(mine, 0, bytes);
    (void)MPI_Comm_size(s->machine, &ranks);
    for (int r = 0; r < ranks; r++) {
        (void)MPI_Win_shared_query(s->window, r, &size, &unit, &at[r]);
    }
    (void)MPI_Barrier(s->machine); /* all are zeroed */
    return true;
}

/* Ranks of one machine keep their order, and are all when they are as many. */
static void *door_share(size_t bytes, void **at) {
    struct shared *s = malloc(sizeof *s);
    int here = 0, all = 0;
    if (s == NULL) {
        return NULL;
    }
    (void)MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &s->machine);
    (void)MPI_Comm_size(s->machine, &here);
    (void)MPI_Comm_size(MPI_COMM_WORLD, &all);
    if (here == all && map_window(s, bytes, at)) {
        return s;
    }
    (void)MPI_Comm_free(&s->machine);
    free(s);
    return NULL;
}

static void door_release(void *shared) {
    struct shared *s = shared;
    (void)MPI_Win_unlock_all(s->window);
    (void)MPI_Win_free(&s->window);
    (void)MPI_Comm_free(&s->machine);
    free(s);
}

const struct ranks_door *ranks_door_of_mpi(void) {
    static const struct ranks_door door = {
        .open = door_open,
        .fail = door_fail,
        .send = door_send,
        .arrived = door_arrived,
        .receive = door_receive,
        .barrier = door_barrier,
        .done = door_done,
        .share = door_share,
        .release = door_release,
    };
    return &door;
}
