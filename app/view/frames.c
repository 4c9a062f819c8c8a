/* Messages between ranks, drawn with a pen:
 *
 *     ring all-reduce
 *     round 2 of 6: reduce-scatter
 *              chunk 0    chunk 1    chunk 2    chunk 3        sent   predicted
 *     rank 0   0···       0·23 ←     0··3 →     0···        500,000   1,500,000
 *     …
 *     250,000 bytes each, from>to[chunk]:  1>2[3]  2>3[0]  …
 *
 * A cell holds one sign a rank: the rank's digit where its part is inside, a dot where it is not. Fewer columns take the
 * bytes into a sentence, then the signs to a count ("3/4", "3"), and at last leave chunks out and say so.
 * Proof: tests/unit/view/test_frames.c. */
#include "shardlab/view/paint.h"

enum { SIGNS_MAX = 24, NUMBER_MAX = 32, LIST_MAX = 16, FORMS = 3 };
enum form { FORM_SIGNS, FORM_FRACTION, FORM_COUNT };

struct plan {
    enum form form;
    bool long_heads, bytes;
    int label_cols, cell, step; /* step: from one chunk's cells to the next's */
    int chunks;                 /* in sight */
    int sent_end, end;
};

static int max_of(int a, int b) {
    return a > b ? a : b;
}

static int cols_of(const struct view_pen *pen, const char *text) {
    return width_text(text, &pen->rules);
}

static int digits_of(int n) {
    return n > 9 ? 2 : 1;
}

/* "rank 3", "chunk 3"; the number alone where there is little room. */
static const char *head(const struct view_pen *pen, const char *id, bool full, int index,
                        char out[NUMBER_MAX]) {
    struct message m;
    struct writer w;
    writer_start(&w, out, NUMBER_MAX);
    if (!full) {
        writer_u64(&w, (uint64_t)index);
        return out;
    }
    message_start(&m, id);
    message_add_plain(&m, (uint64_t)index);
    words_write(&w, pen->words, &m);
    return out;
}

static int bits_of(uint16_t set) {
    int count = 0;
    for (; set != 0; set &= (uint16_t)(set - 1)) {
        count++;
    }
    return count;
}

static const char *grouped(uint64_t value, char out[NUMBER_MAX]) {
    struct writer w;
    writer_start(&w, out, NUMBER_MAX);
    writer_u64_grouped(&w, value);
    return out;
}

static int widest(const struct view_pen *pen, const uint64_t *values, int count, const char *id) {
    int cols = cols_of(pen, words_get(pen->words, id));
    for (int i = 0; i < count; i++) {
        char text[NUMBER_MAX];
        cols = max_of(cols, cols_of(pen, grouped(values[i], text)));
    }
    return cols;
}

/* --- What fits --- */

static struct plan try_plan(const struct view_pen *pen, const struct view_frames *f, enum form form,
                            bool long_heads, bool bytes) {
    static const int gaps[FORMS] = {2, 1, 1};
    char text[NUMBER_MAX];
    int digits = digits_of(f->ranks);
    int cells[FORMS] = {f->ranks, 2 * digits + 1, digits};
    struct plan p = {.form = form, .long_heads = long_heads, .bytes = bytes, .chunks = f->ranks};
    p.label_cols = cols_of(pen, head(pen, "view.frames.rank", long_heads, f->ranks - 1, text)) + 2;
    p.cell = cells[form];
    int heading = cols_of(pen, head(pen, "view.frames.chunk", long_heads, f->ranks - 1, text));
    p.step = max_of(p.cell + 2, heading) + gaps[form];
    if (form == FORM_COUNT) {
        p.step = max_of(p.cell + 1, heading) + gaps[form];
    }
    p.end = p.label_cols + p.chunks * p.step;
    if (bytes) {
        p.sent_end = p.end + widest(pen, f->predicted_bytes, f->ranks, "view.frames.sent");
        p.end = p.sent_end + 2 + widest(pen, f->predicted_bytes, f->ranks, "view.frames.predicted");
    }
    return p;
}

static struct plan plan_of(const struct view_pen *pen, const struct view_frames *f) {
    static const struct {
        enum form form;
        bool long_heads, bytes;
    } wishes[] = {
        {FORM_SIGNS, true, true},      {FORM_SIGNS, false, true},   {FORM_SIGNS, true, false},
        {FORM_SIGNS, false, false},    {FORM_FRACTION, true, true}, {FORM_FRACTION, false, true},
        {FORM_FRACTION, false, false}, {FORM_COUNT, false, true},   {FORM_COUNT, false, false},
    };
    enum { WISHES = sizeof wishes / sizeof wishes[0] };
    struct plan p = {0};
    for (int i = 0; i < WISHES; i++) {
        p = try_plan(pen, f, wishes[i].form, wishes[i].long_heads, wishes[i].bytes);
        if (p.end <= pen->cols) {
            return p;
        }
    }
    p.chunks = max_of(1, (pen->cols - p.label_cols) / p.step);
    return p;
}

/* --- The rows --- */

static void paint_heads(const struct view_pen *pen, int row, const struct plan *p) {
    char text[NUMBER_MAX];
    for (int c = 0; c < p->chunks; c++) {
        pen->put(pen->context, row, p->label_cols + c * p->step,
                 head(pen, "view.frames.chunk", p->long_heads, c, text), VIEW_TONE_DIM);
    }
    if (p->bytes) {
        const char *sent = words_get(pen->words, "view.frames.sent");
        const char *predicted = words_get(pen->words, "view.frames.predicted");
        pen->put(pen->context, row, p->sent_end - cols_of(pen, sent), sent, VIEW_TONE_DIM);
        pen->put(pen->context, row, p->end - cols_of(pen, predicted), predicted, VIEW_TONE_DIM);
    }
}

/* What is drawn, with what, and how it was planned. */
struct scene {
    const struct view_pen *pen;
    const struct view_frames *frames;
    struct plan plan;
};

struct place {
    int row, col;
};

static void put(const struct scene *s, struct place at, const char *text, enum view_tone tone) {
    s->pen->put(s->pen->context, at.row, at.col, text, tone);
}

/* 0··3: each rank in its own place, so that what is missing is seen. */
static void paint_signs(const struct scene *s, struct place at, uint16_t set, enum view_tone tone) {
    static const char signs[] = "0123456789abcdef";
    for (int i = 0; i < s->frames->ranks; i++, at.col++) {
        bool in = (set >> i & 1) != 0;
        char sign[2] = {signs[i], '\0'};
        put(s, at, in ? sign : s->pen->ascii ? "." : "·", in ? tone : VIEW_TONE_DIM);
    }
}

/* "3/4", or "3". */
static void paint_count(const struct scene *s, struct place at, uint16_t set, uint16_t whole) {
    char text[SIGNS_MAX];
    struct writer w;
    enum view_tone tone = set == whole ? VIEW_TONE_GOOD : VIEW_TONE_TEXT;
    writer_start(&w, text, sizeof text);
    writer_u64(&w, (uint64_t)bits_of(set));
    if (s->plan.form == FORM_FRACTION) {
        writer_char(&w, '/');
        writer_u64(&w, (uint64_t)bits_of(whole));
    }
    at.col += s->plan.cell - (int)w.length;
    put(s, at, text, set == 0 ? VIEW_TONE_DIM : tone);
}

static void paint_cell(const struct scene *s, struct place at, int rank, int chunk) {
    const struct view_frames *f = s->frames;
    uint16_t set = f->holds[rank][chunk], whole = f->whole[chunk];
    bool received = (f->received[rank] >> chunk & 1) != 0;
    bool sent = (f->sent[rank] >> chunk & 1) != 0;
    if (s->plan.form == FORM_SIGNS) {
        paint_signs(s, at, set, set == whole ? VIEW_TONE_GOOD : VIEW_TONE_TEXT);
    } else {
        paint_count(s, at, set, whole);
    }
    at.col += s->plan.cell + (s->plan.form == FORM_COUNT ? 0 : 1);
    if (received) {
        put(s, at, s->pen->ascii ? "<" : "←", VIEW_TONE_ACCENT);
    } else if (sent) {
        put(s, at, s->pen->ascii ? ">" : "→", VIEW_TONE_DIM);
    }
}

static void paint_bytes(const struct scene *s, int row, int rank) {
    const struct view_frames *f = s->frames;
    char text[NUMBER_MAX];
    bool equal = f->round == f->rounds && f->sent_bytes[rank] == f->predicted_bytes[rank];
    (void)grouped(f->sent_bytes[rank], text);
    put(s, (struct place){row, s->plan.sent_end - cols_of(s->pen, text)}, text,
        equal ? VIEW_TONE_GOOD : VIEW_TONE_TEXT);
    (void)grouped(f->predicted_bytes[rank], text);
    put(s, (struct place){row, s->plan.end - cols_of(s->pen, text)}, text, VIEW_TONE_DIM);
}

static void paint_rank(const struct scene *s, int row, int rank) {
    char text[NUMBER_MAX];
    put(s, (struct place){row, 0}, head(s->pen, "view.frames.rank", s->plan.long_heads, rank, text),
        VIEW_TONE_TEXT);
    for (int c = 0; c < s->plan.chunks; c++) {
        struct place at = {row, s->plan.label_cols + c * s->plan.step};
        if (s->frames->chunk_elements[c] == 0) {
            put(s, at, s->pen->ascii ? "-" : "–", VIEW_TONE_DIM);
        } else {
            paint_cell(s, at, rank, c);
        }
    }
    if (s->plan.bytes) {
        paint_bytes(s, row, rank);
    }
}

/* --- Sentences --- */

static int say_round(const struct view_pen *pen, int row, const struct view_frames *f) {
    struct message m;
    char phase[MESSAGE_TEXT_MAX];
    struct writer w;
    if (f->round == 0) {
        message_start(&m, f->rounds == 0 ? "view.frames.alone" : "view.frames.before");
        message_add_plain(&m, (uint64_t)f->rounds);
        return view_say(pen, row, &m, VIEW_TONE_TEXT);
    }
    writer_start(&w, phase, sizeof phase);
    if (f->phase.id != NULL) {
        words_write(&w, pen->words, &f->phase);
    }
    message_start(&m, "view.frames.round");
    message_add_plain(&m, (uint64_t)f->round);
    message_add_plain(&m, (uint64_t)f->rounds);
    message_add_text(&m, phase);
    return view_say(pen, row, &m, VIEW_TONE_TEXT);
}

/* "0>1[2]", without a place at which a line may be broken: some break rules take an arrow for one. */
static void write_move(struct writer *w, const struct view_frames_message *m) {
    writer_u64(w, m->from);
    writer_char(w, '>');
    writer_u64(w, m->to);
    writer_char(w, '[');
    writer_u64(w, m->first_chunk);
    if (m->chunk_count > 1) {
        writer_char(w, '-');
        writer_u64(w, m->first_chunk + m->chunk_count - 1U);
    }
    writer_text(w, "]  ");
}

/* "250,000 bytes each: 0>1[0]  1>2[1]". */
static int say_moves(const struct view_pen *pen, int row, const struct view_frames *f) {
    char list[MESSAGE_TEXT_MAX];
    struct writer w;
    uint64_t least = UINT64_MAX, most = 0;
    if (f->message_count == 0) {
        return 0;
    }
    writer_start(&w, list, sizeof list);
    for (int i = 0; i < f->message_count; i++) {
        least = f->messages[i].bytes < least ? f->messages[i].bytes : least;
        most = f->messages[i].bytes > most ? f->messages[i].bytes : most;
        if (i < LIST_MAX) {
            write_move(&w, &f->messages[i]);
        }
    }
    if (f->message_count > LIST_MAX) {
        writer_text(&w, pen->ascii ? "..." : "…");
    }
    struct message m;
    message_start(&m, least == most ? "view.frames.moves" : "view.frames.moves_range");
    message_add_plain(&m, (uint64_t)f->message_count);
    message_add_text(&m, list);
    message_add_count(&m, least);
    message_add_count(&m, most);
    return view_say(pen, row, &m, VIEW_TONE_DIM);
}

/* Where the columns of bytes have no room: of the rank that sends most. */
static int say_bytes(const struct view_pen *pen, int row, const struct view_frames *f) {
    int most = 0;
    for (int r = 1; r < f->ranks; r++) {
        most = f->predicted_bytes[r] > f->predicted_bytes[most] ? r : most;
    }
    struct message m;
    message_start(&m, "view.frames.bytes");
    message_add_plain(&m, (uint64_t)most);
    message_add_count(&m, f->sent_bytes[most]);
    message_add_count(&m, f->predicted_bytes[most]);
    return view_say(pen, row, &m, VIEW_TONE_TEXT);
}

static int say_left_out(const struct view_pen *pen, int row, const struct view_frames *f,
                        const struct plan *p) {
    struct message m;
    message_start(&m, p->chunks < f->ranks ? "view.frames.left_out" : NULL);
    message_add_plain(&m, (uint64_t)p->chunks - 1);
    message_add_plain(&m, (uint64_t)f->ranks);
    return view_say(pen, row, &m, VIEW_TONE_DIM);
}

int view_frames_paint(const struct view_pen *pen, int row, const struct view_frames *f) {
    struct scene scene = {pen, f, plan_of(pen, f)};
    const struct plan *p = &scene.plan;
    struct message legend;
    int first = row;
    row += view_say(pen, row, &f->title, VIEW_TONE_STRONG);
    row += say_round(pen, row, f);
    paint_heads(pen, row++, p);
    for (int rank = 0; rank < f->ranks; rank++) {
        paint_rank(&scene, row++, rank);
    }
    row += say_left_out(pen, row, f, p);
    row += say_moves(pen, row, f);
    if (!p->bytes) {
        row += say_bytes(pen, row, f);
    }
    row += view_say(pen, row, &f->remark, VIEW_TONE_TEXT);
    message_start(&legend,
                  p->form == FORM_SIGNS ? "view.frames.legend" : "view.frames.legend_count");
    message_add_text(&legend, pen->ascii ? "<" : "←");
    message_add_text(&legend, pen->ascii ? ">" : "→");
    row += view_say(pen, row, &legend, VIEW_TONE_DIM);
    return row - first;
}
