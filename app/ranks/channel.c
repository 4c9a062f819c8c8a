/* The bytes between two ranks: a ring with one writer and one reader, an envelope before each message. Small messages
 * and those from private memory travel through the ring, in pieces when they are larger than it; a large one that the
 * receiver can see travels as a pointer and is copied once. A sender that waits for something else goes on putting
 * what it has begun (posts_pump). Proof: tests/unit/ranks/test_run.c. */
#include <string.h>

#include "run_private.h"

enum { POINTER_FROM_BYTES = 4096, PIECE_BYTES = 32 * 1024 };

struct channel *channel_of(const struct world *w, uint32_t from, uint32_t to) {
    return &w->channels[(size_t)from * w->options.ranks + to];
}

static unsigned char *ring_of(const struct world *w, uint32_t from, uint32_t to) {
    return w->rings + ((size_t)from * w->options.ranks + to) * w->ring_bytes;
}

static uint64_t units_up(uint64_t bytes) {
    return (bytes + UNIT_BYTES - 1) / UNIT_BYTES * UNIT_BYTES;
}

uint32_t posts_max(const struct world *w) {
    return 2 * w->options.ranks + 2;
}

/* --- Sending --- */

static bool visible(const struct world *w, const unsigned char *bytes, size_t count) {
    uintptr_t at = (uintptr_t)bytes, first = (uintptr_t)w->shared;
    return w->one_memory || (at >= first && at - first <= w->options.shared_bytes &&
                             count <= w->options.shared_bytes - (at - first));
}

static void publish(struct ranks_endpoint *e, const struct post *p, uint64_t written) {
    atomic_store(&channel_of(e->world, e->self, p->to)->written, written);
    rank_wake(e->world, p->to);
}

/* Puts what fits; true when all of it is in. */
static bool put(struct ranks_endpoint *e, struct post *p) {
    struct world *w = e->world;
    struct channel *c = channel_of(w, e->self, p->to);
    unsigned char *ring = ring_of(w, e->self, p->to);
    uint64_t written = atomic_load_explicit(&c->written, memory_order_relaxed);
    for (;;) {
        uint64_t space = w->ring_bytes - (written - atomic_load(&c->taken));
        uint64_t at = written % w->ring_bytes;
        if (space < UNIT_BYTES) {
            return false;
        }
        if (!p->enveloped) {
            struct envelope cover = {p->count, p->by_pointer ? p->bytes : NULL, p->label};
            memcpy(ring + at, &cover, sizeof cover);
            p->enveloped = true;
            written += UNIT_BYTES;
            p->put = p->by_pointer ? p->count : 0;
            if (p->put < p->count && space > UNIT_BYTES) {
                continue; /* one wake for the envelope and the first piece */
            }
        } else if (p->put < p->count) {
            uint64_t most = w->ring_bytes - at < space ? w->ring_bytes - at : space;
            uint64_t left = p->count - p->put;
            uint64_t piece = left < most ? left : most;
            piece = piece < PIECE_BYTES ? piece : PIECE_BYTES;
            memcpy(ring + at, p->bytes + p->put, (size_t)piece);
            p->put += (size_t)piece;
            written += units_up(piece);
        }
        publish(e, p, written);
        if (p->put == p->count) {
            p->complete = written;
            return true;
        }
    }
}

static bool all_put(const struct post *p) {
    return p->enveloped && p->put == p->count;
}

void posts_pump(struct ranks_endpoint *e) {
    for (uint32_t i = 0; e->unput > 0 && i < e->post_count; i++) {
        struct post *p = &e->posts[i];
        bool behind = false; /* an earlier one to the same rank goes first */
        for (uint32_t k = 0; !all_put(p) && k < i; k++) {
            behind = behind || (e->posts[k].to == p->to && !all_put(&e->posts[k]));
        }
        if (!all_put(p) && !behind && put(e, p)) {
            e->unput--;
            (void)atomic_fetch_sub(&channel_of(e->world, e->self, p->to)->unsent, 1);
        }
    }
}

bool post_complete(const struct ranks_endpoint *e, struct post *p) {
    const struct ranks_door *door = e->world->door;
    if (door != NULL) {
        p->request = p->request != NULL && door->done(p->request) ? NULL : p->request;
        return p->request == NULL;
    }
    return all_put(p) && (!p->until_taken ||
                          atomic_load(&channel_of(e->world, e->self, p->to)->taken) >= p->complete);
}

void posts_drop_complete(struct ranks_endpoint *e) {
    uint32_t kept = 0;
    for (uint32_t i = 0; i < e->post_count; i++) {
        if (!post_complete(e, &e->posts[i])) {
            e->posts[kept++] = e->posts[i];
        }
    }
    e->post_count = kept;
}

static bool has_room(struct ranks_endpoint *e, const struct waiting *what) {
    (void)what;
    posts_drop_complete(e);
    return e->post_count < posts_max(e->world);
}

static void count_message(struct ranks_endpoint *e, uint32_t to, int label, size_t count) {
    struct world *w = e->world;
    size_t at =
        ((size_t)e->self * w->options.ranks + to) * (size_t)w->options.labels + (size_t)label;
    w->bytes[at] += count;
    w->messages[at]++;
}

/* `kept`: the bytes stay as they are until settled, so that a pointer may travel for as long as it takes. */
static enum status begin(struct ranks_endpoint *e, uint32_t to, int label, struct post post,
                         bool kept) {
    struct world *w = e->world;
    bool rendezvous = w->options.mailbox_bytes == 0;
    uint64_t need = UNIT_BYTES + units_up(post.count);
    bool fits = need <= w->ring_bytes && !rendezvous;
    if (e->post_count == posts_max(w)) {
        struct waiting room = {RANKS_SENDING, e->posts[0].to, has_room, 0};
        enum status ok = wait_until(e, &room);
        if (ok != STATUS_OK) {
            return ok;
        }
    }
    post.to = to;
    post.label = label;
    if (w->door != NULL) {
        post.request = w->door->send(RANKS_DOOR_MESSAGE, to, label, post.bytes, post.count);
        e->posts[e->post_count++] = post;
        count_message(e, to, label, post.count);
        return post.request == NULL || world_ending(w) ? STATUS_FAILED : STATUS_OK;
    }
    post.by_pointer =
        visible(w, post.bytes, post.count) && post.count >= POINTER_FROM_BYTES && (kept || !fits);
    post.until_taken = rendezvous || post.by_pointer;
    e->posts[e->post_count++] = post;
    e->unput++;
    (void)atomic_fetch_add(&channel_of(w, e->self, to)->unsent, 1);
    count_message(e, to, label, post.count);
    posts_pump(e);
    return world_ending(w) ? STATUS_FAILED : STATUS_OK;
}

enum status ranks_post(struct ranks_endpoint *e, uint32_t to, int label, const void *bytes,
                       size_t count) {
    posts_drop_complete(e);
    return begin(e, to, label, (struct post){.bytes = bytes, .count = count}, true);
}

static bool one_is_complete(struct ranks_endpoint *e, const struct waiting *what) {
    return post_complete(e, &e->posts[what->value]);
}

static enum status wait_for_post(struct ranks_endpoint *e, uint32_t i) {
    struct waiting one = {RANKS_SENDING, e->posts[i].to, one_is_complete, i};
    enum status ok = wait_until(e, &one);
    posts_drop_complete(e);
    return ok;
}

enum status ranks_settle(struct ranks_endpoint *e) {
    enum status ok = STATUS_OK;
    posts_drop_complete(e);
    while (ok == STATUS_OK && e->post_count > 0) {
        ok = wait_for_post(e, 0);
    }
    return ok;
}

static bool overlaps(const struct post *p, uintptr_t first, size_t count) {
    uintptr_t theirs = (uintptr_t)p->bytes;
    return first < theirs + p->count && theirs < first + count;
}

enum status ranks_settle_range(struct ranks_endpoint *e, const void *bytes, size_t count) {
    enum status ok = STATUS_OK;
    posts_drop_complete(e);
    for (uint32_t i = 0; ok == STATUS_OK && i < e->post_count;) {
        if (overlaps(&e->posts[i], (uintptr_t)bytes, count)) {
            ok = wait_for_post(e, i);
            i = 0;
        } else {
            i++;
        }
    }
    return ok;
}

enum status ranks_send(struct ranks_endpoint *e, uint32_t to, int label, const void *bytes,
                       size_t count) {
    posts_drop_complete(e);
    enum status ok = begin(e, to, label, (struct post){.bytes = bytes, .count = count}, false);
    /* Its turn comes after all that was posted before it. */
    return ok == STATUS_OK ? ranks_settle(e) : ok;
}

/* --- Receiving --- */

uint64_t channel_filled(const struct channel *c) {
    return atomic_load(&c->written) - atomic_load(&c->taken);
}

static bool filled(struct ranks_endpoint *e, const struct waiting *what) {
    return channel_filled(channel_of(e->world, what->peer, e->self)) > 0;
}

static void done_with(struct ranks_endpoint *e, uint32_t from, uint64_t bytes) {
    struct channel *c = channel_of(e->world, from, e->self);
    atomic_store(&c->taken, atomic_load_explicit(&c->taken, memory_order_relaxed) + bytes);
    rank_wake(e->world, from);
}

enum status receive_refused(struct ranks_endpoint *e, enum ranks_end end, uint32_t from, uint64_t a,
                            uint64_t b) {
    struct verdict v = {.end = end, .rank = e->self, .peer = from, .a = a, .b = b};
    v.step = atomic_load(&e->world->ranks[e->self].step);
    (void)world_end(e->world, &v);
    return STATUS_FAILED;
}

/* Pieces of one message as they come. */
static enum status take_pieces(struct ranks_endpoint *e, uint32_t from, size_t count,
                               const struct ranks_sink *sink) {
    struct world *w = e->world;
    struct channel *c = channel_of(w, from, e->self);
    struct waiting more = {RANKS_RECEIVING, from, filled, 0};
    for (size_t offset = 0; offset < count;) {
        enum status ok = wait_until(e, &more);
        if (ok != STATUS_OK) {
            return ok;
        }
        uint64_t at = atomic_load_explicit(&c->taken, memory_order_relaxed) % w->ring_bytes;
        uint64_t piece = channel_filled(c);
        piece = piece < w->ring_bytes - at ? piece : w->ring_bytes - at;
        size_t bytes = count - offset < piece ? count - offset : (size_t)piece;
        sink->take(sink->context, offset, ring_of(w, from, e->self) + at, bytes);
        offset += bytes;
        done_with(e, from, units_up(bytes));
    }
    return STATUS_OK;
}

enum status ranks_receive_into(struct ranks_endpoint *e, uint32_t from, int label, size_t count,
                               const struct ranks_sink *sink) {
    struct world *w = e->world;
    if (w->door != NULL) {
        return door_receive(e, from, label, count, sink);
    }
    struct channel *c = channel_of(w, from, e->self);
    struct waiting message = {RANKS_RECEIVING, from, filled, 0};
    enum status ok = wait_until(e, &message);
    if (ok != STATUS_OK) {
        return ok;
    }
    struct envelope cover;
    uint64_t at = atomic_load_explicit(&c->taken, memory_order_relaxed) % w->ring_bytes;
    memcpy(&cover, ring_of(w, from, e->self) + at, sizeof cover);
    if (cover.count != count) {
        return receive_refused(e, RANKS_END_SIZES, from, count, cover.count);
    }
    if (cover.label != label) {
        return receive_refused(e, RANKS_END_LABELS, from, (uint64_t)label, (uint64_t)cover.label);
    }
    if (cover.pointer != NULL && count > 0) {
        sink->take(sink->context, 0, cover.pointer, count);
        done_with(e, from, UNIT_BYTES);
        return STATUS_OK;
    }
    done_with(e, from, UNIT_BYTES);
    return take_pieces(e, from, count, sink);
}

static void copy_piece(void *context, size_t offset, const void *bytes, size_t count) {
    memcpy((unsigned char *)context + offset, bytes, count);
}

enum status ranks_receive(struct ranks_endpoint *e, uint32_t from, int label, void *bytes,
                          size_t count) {
    struct ranks_sink sink = {copy_piece, bytes};
    return ranks_receive_into(e, from, label, count, &sink);
}
