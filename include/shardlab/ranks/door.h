/* The door to MPI: what the transport asks of a module that is built only where MPI is, and loaded only when `--backend mpi`
 * is asked for, so that a program without it starts as if MPI did not exist. MPI's own types stay behind it. The module is
 * app/ranks/mpi/module.c, found beside the program or in the library folder; its only symbol is ranks_door_of_mpi. One
 * thread uses it. A request is done when `done` says true, once, and is then gone. Proof: tests/cli/mpi.sh. */
#ifndef RANKS_DOOR_H
#define RANKS_DOOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Messages of one kind never meet those of the other. */
enum ranks_door_kind { RANKS_DOOR_MESSAGE, RANKS_DOOR_ASIDE, RANKS_DOOR_KINDS };

struct ranks_door {
    /* Joins the ranks that the launcher started; once a process. Leaving is done when the process exits. */
    bool (*open)(uint32_t *self, uint32_t *ranks);
    void (*fail)(void); /* when this process exits, all others are ended */
    /* The bytes stay as they are until done. NULL: no memory. */
    void *(*send)(enum ranks_door_kind kind, uint32_t to, int label, const void *bytes,
                  size_t count);
    /* True if a message has come; it is the one that the next `receive` takes. */
    bool (*arrived)(enum ranks_door_kind kind, uint32_t from, int *label, uint64_t *count);
    void *(*receive)(void *bytes, size_t count);
    void *(*barrier)(void);
    bool (*done)(void *request);
    /* `bytes` of every rank that all ranks see, zeroed: at[r] is where this process sees those of rank r. All ranks call both.
     * NULL: they are not on one machine, or it has not the memory. */
    void *(*share)(size_t bytes, void **at);
    void (*release)(void *shared);
};

typedef const struct ranks_door *ranks_door_of(void);
#define RANKS_DOOR_SYMBOL "ranks_door_of_mpi"
#define RANKS_DOOR_FILE "libshardlab_mpi.so"

/* Writes the path of `file`, which stands beside the program or in its library folder; false: in neither. */
bool ranks_beside_program(const char *file, char *path, size_t capacity);

#endif
