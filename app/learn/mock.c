/* A mock interview as an interviewer leads it: an opening question, then further into the same matter until something is
 * not known, then the next matter. The caller shows the question in front, measures the time and hands in the attempt.
 * Borrows the questions, owns nothing. Proof: tests/unit/learn/test_mock.c. */
#include "shardlab/learn/mock.h"

#include <assert.h>
#include <string.h>

#include "learn_private.h"

enum { MINUTES_LEAST = 5, MINUTES_MOST = 60, MINUTE_MS = 60000, WEEK_DAYS = 7, STRONG_DEPTH = 2 };

/* --- Chains ------------------------------------------------------------------------------------------------ */

static int find(const struct mock *m, const char *id) {
    for (int i = 0; i < m->question_count; i++) {
        if (strcmp(m->questions[i]->id, id) == 0) {
            return i;
        }
    }
    return -1;
}

static bool is_in(const int *list, int count, int question) {
    for (int i = 0; i < count; i++) {
        if (list[i] == question) {
            return true;
        }
    }
    return false;
}

/* Whether a question, or one of its family, was asked in a chain before this one. */
static bool was_asked(const struct mock *m, int chain, int question) {
    const char *family = m->questions[question]->family;
    for (int i = 0; i < m->answer_count; i++) {
        const char *other = m->questions[m->answers[i].question]->family;
        bool related = family != NULL && other != NULL && strcmp(family, other) == 0;
        if (m->answers[i].chain < chain && (m->answers[i].question == question || related)) {
            return true;
        }
    }
    return false;
}

/* The questions of a chain in the order in which they would be asked; behind each stand its own follow-ups. */
static int list_chain(const struct mock *m, int chain, int list[MOCK_QUESTIONS_MAX]) {
    int count = 1;
    list[0] = m->openers[chain];
    for (int at = 0; at < count; at++) {
        const struct question *q = m->questions[list[at]];
        int behind = at + 1;
        for (int i = 0; i < q->follow_count && count < MOCK_QUESTIONS_MAX; i++) {
            int next = find(m, q->follow[i]);
            if (next < 0 || m->questions[next]->level > m->level || is_in(list, count, next) ||
                was_asked(m, chain, next)) {
                continue;
            }
            memmove(&list[behind + 1], &list[behind], sizeof list[0] * (size_t)(count - behind));
            list[behind++] = next;
            count++;
        }
    }
    return count;
}

/* --- The course -------------------------------------------------------------------------------------------- */

/* An opener among others: the weakest first, the rest by lot. */
struct opener {
    int question;
    double known;
    int draw;
};

static bool before(const struct opener *a, const struct opener *b) {
    return a->known < b->known || (a->known == b->known && a->draw < b->draw);
}

/* What will be known of it in a week; a new one counts like one that was missed today, when all are known for a moment. */
static double known_in_a_week(const struct card *card, int64_t today) {
    if (card == NULL) {
        return 0.0;
    }
    bool new = card->reviews == 0;
    double stability =
        new ? fsrs_first(&fsrs_weights, FSRS_AGAIN).stability_days : card->memory.stability_days;
    double elapsed = new ? 0.0 : (double)day_elapsed(card->last_day, today);
    return fsrs_recall(&fsrs_weights, stability, elapsed + WEEK_DAYS);
}

static void choose_openers(struct mock *m, const struct card *cards, int64_t today) {
    struct opener best[MOCK_CHAINS_MAX];
    int count = 0;
    for (int i = 0; i < m->question_count; i++) {
        const struct question *q = m->questions[i];
        if (!q->opens || q->level > m->level || (cards != NULL && cards[i].suspended)) {
            continue;
        }
        uint64_t dice = instance_dice(m->id ^ learn_hash(q->id));
        const struct opener new = {
            .question = i,
            .known = known_in_a_week(cards == NULL ? NULL : &cards[i], today),
            .draw = instance_pick(&dice, INT32_MAX),
        };
        int at = count;
        for (; at > 0 && before(&new, &best[at - 1]); at--) {
            if (at < MOCK_CHAINS_MAX) {
                best[at] = best[at - 1];
            }
        }
        if (at < MOCK_CHAINS_MAX) {
            best[at] = new;
            count += count < MOCK_CHAINS_MAX ? 1 : 0;
        }
    }
    for (int i = 0; i < count; i++) {
        m->openers[i] = best[i].question;
    }
    m->opener_count = count;
}

/* To the first chain from `chain` on whose opener was not asked yet. */
static void open_chain(struct mock *m, int chain) {
    while (chain < m->opener_count && was_asked(m, chain, m->openers[chain])) {
        chain++;
    }
    m->chain = chain;
    m->depth = 0;
    m->now = chain < m->opener_count ? m->openers[chain] : -1;
}

void mock_start(struct mock *m, const struct history_input *in, const struct card *cards,
                const struct mock_terms *terms) {
    assert(terms->level >= 1 && terms->level <= QUESTION_LEVEL_MAX);
    assert(terms->minutes >= MINUTES_LEAST && terms->minutes <= MINUTES_MOST);
    memset(m, 0, sizeof *m);
    m->questions = in->questions;
    m->question_count = in->question_count;
    m->level = terms->level;
    m->length_ms = (int64_t)terms->minutes * MINUTE_MS;
    m->id = terms->id;
    choose_openers(m, cards, history_today(in));
    open_chain(m, 0);
}

uint64_t mock_seed(const struct mock *m) {
    return m->now < 0 ? 0 : m->id ^ learn_hash(m->questions[m->now]->id);
}

static int count_ticks(const struct attempt *a) {
    int ticks = 0;
    for (int i = 0; i < a->question->part_count; i++) {
        ticks += a->ticked[i] ? 1 : 0;
    }
    return ticks;
}

void mock_take(struct mock *m, const struct attempt *a, int64_t took_ms) {
    int list[MOCK_QUESTIONS_MAX];
    if (m->now < 0 || a->state != ATTEMPT_JUDGED) {
        return;
    }
    took_ms = took_ms > 0 ? took_ms : 0;
    bool recall = a->question->kind == QUESTION_RECALL;
    m->answers[m->answer_count++] = (struct mock_answer){
        .question = m->now,
        .seed = mock_seed(m),
        .chain = m->chain,
        .depth = m->depth,
        .right = a->right,
        .facts = recall ? count_ticks(a) : 0,
        .facts_of = recall ? a->question->part_count : 0,
        .took_ms = took_ms,
    };
    m->spent_ms +=
        took_ms < m->length_ms ? took_ms : m->length_ms; /* so that no clock overflows it */
    int length = list_chain(m, m->chain, list);
    if (a->right && m->depth + 1 < length) {
        m->depth++;
        m->now = list[m->depth];
    } else {
        open_chain(m, m->chain + 1);
    }
    if (m->spent_ms >= m->length_ms || m->answer_count == MOCK_QUESTIONS_MAX) {
        m->now = -1;
    }
}

/* --- The report -------------------------------------------------------------------------------------------- */

bool mock_is_strong(const struct mock_finding *finding) {
    return finding->reached == finding->of || finding->reached > STRONG_DEPTH;
}

/* What became of a chain; false: it was not begun. */
static bool look_at_chain(const struct mock *m, int chain, struct mock_finding *out) {
    int list[MOCK_QUESTIONS_MAX];
    bool begun = false;
    *out = (struct mock_finding){.opener = m->openers[chain], .broke_at = -1};
    for (int i = 0; i < m->answer_count; i++) {
        const struct mock_answer *answer = &m->answers[i];
        if (answer->chain == chain) {
            begun = true;
            out->reached += answer->right ? 1 : 0;
            out->broke_at = answer->right ? -1 : answer->question;
        }
    }
    out->of = list_chain(m, chain, list);
    return begun;
}

/* A lesson with gaps: how soon its chains broke, and how many did. */
struct gap {
    const char *lesson;
    int reached, count;
};

static bool worse(const struct gap *a, const struct gap *b) {
    return a->reached < b->reached || (a->reached == b->reached && a->count > b->count);
}

static void add_gap(struct gap *gaps, int *count, const char *lesson, int reached) {
    int at = 0;
    while (at < *count && strcmp(gaps[at].lesson, lesson) != 0) {
        at++;
    }
    if (at == *count) {
        gaps[(*count)++] = (struct gap){.lesson = lesson, .reached = reached};
    }
    gaps[at].count++;
    gaps[at].reached = reached < gaps[at].reached ? reached : gaps[at].reached;
}

/* By insertion, so that of two alike the one that was asked first stays first. */
static void list_lessons(const struct mock *m, struct mock_report *out) {
    struct gap gaps[MOCK_CHAINS_MAX];
    int count = 0;
    for (int i = 0; i < out->finding_count; i++) {
        const struct mock_finding *f = &out->findings[i];
        if (f->broke_at >= 0) {
            add_gap(gaps, &count, m->questions[f->broke_at]->lesson, f->reached);
        }
    }
    for (int i = 1; i < count; i++) {
        const struct gap gap = gaps[i];
        int at = i;
        for (; at > 0 && worse(&gap, &gaps[at - 1]); at--) {
            gaps[at] = gaps[at - 1];
        }
        gaps[at] = gap;
    }
    for (int i = 0; i < count; i++) {
        out->lessons[i] = gaps[i].lesson;
    }
    out->lesson_count = count;
}

void mock_report_make(const struct mock *m, struct mock_report *out) {
    memset(out, 0, sizeof *out);
    out->asked = m->answer_count;
    for (int i = 0; i < m->answer_count; i++) {
        out->right += m->answers[i].right ? 1 : 0;
    }
    for (int chain = 0; chain < m->opener_count; chain++) {
        if (look_at_chain(m, chain, &out->findings[out->finding_count])) {
            out->finding_count++;
        }
    }
    list_lessons(m, out);
}
