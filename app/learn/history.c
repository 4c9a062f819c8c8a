/* The log as cards: for each question what is remembered of it and when it is due. Every state follows from the events, so
 * undoing and re-rating is nothing but deriving anew. Reads the caller's arrays and writes the caller's cards.
 * Proof: tests/unit/learn/test_history.c. */
#include "shardlab/learn/history.h"

#include <string.h>

#include "history_private.h"

/* A review that is not the first: what recall was expected before it, and what became of it. */
static void review_again(struct card *card, const struct step *step, uint64_t elapsed) {
    enum fsrs_rating rating = (enum fsrs_rating)step->rating;
    card->lapses += rating == FSRS_AGAIN ? 1 : 0;
    if (elapsed > 0) {
        card->later_reviews++;
        card->later_passes += rating == FSRS_AGAIN ? 0 : 1;
        card->later_expected +=
            fsrs_recall(&fsrs_weights, card->memory.stability_days, (double)elapsed);
    }
    card->memory = fsrs_next(&fsrs_weights, card->memory, rating, elapsed);
}

static void answer(struct card *card, const struct step *step, int64_t today) {
    enum fsrs_rating rating = (enum fsrs_rating)step->rating;
    if (card->reviews == 0) {
        card->memory = fsrs_first(&fsrs_weights, rating);
        card->last_day = step->day;
        card->new_today = step->day == today;
    } else {
        review_again(card, step, day_elapsed(card->last_day, step->day));
        /* A clock that was set back does not make a card older. */
        card->last_day = step->day > card->last_day ? step->day : card->last_day;
    }
    card->reviews++;
    card->right += step->event->right ? 1 : 0;
    card->passes_in_row = rating == FSRS_AGAIN ? 0 : card->passes_in_row + 1;
    card->last = rating;
    card->took_ms = step->event->took_ms;
    card->answered_today = step->day == today;
}

bool card_is_due(const struct card *card, int64_t today) {
    return card->reviews > 0 && card->due_day <= today && !card->suspended && !card->skipped_today;
}

double card_recall(const struct card *card, int64_t today) {
    return fsrs_recall(&fsrs_weights, card->memory.stability_days,
                       (double)day_elapsed(card->last_day, today));
}

int card_blanks(const struct card *card, int lines) {
    return card->passes_in_row < lines ? card->passes_in_row + 1 : lines;
}

static void take(struct card *card, const struct step *step, int64_t today) {
    switch (step->event->kind) {
    case PROGRESS_ANSWER:
        answer(card, step, today);
        break;
    case PROGRESS_UNDO:
        if (card->put_aside > step->event->about) {
            card->skipped_today = card->suspended = false;
        }
        break;
    case PROGRESS_SKIP:
        card->skipped_today = step->day == today;
        card->put_aside = step->event->id;
        break;
    default:
        card->suspended = step->event->rating != 0;
        card->put_aside = step->event->id;
        break;
    }
}

void history_cards(const struct history_input *in, struct card *cards) {
    struct walk walk;
    struct step step;
    const struct study_settings settings = study_settings_of(in->events, in->event_count);
    memset(cards, 0, sizeof *cards * (size_t)in->question_count);
    walk_start(&walk, in, &settings);
    while (walk_next(&walk, &step)) {
        take(&cards[step.question], &step, walk.today);
    }
    const struct day_plan plan =
        day_plan_make(walk.today, settings.has_interview ? &settings.interview_day : NULL);
    for (int i = 0; i < in->question_count; i++) {
        if (cards[i].reviews > 0) {
            cards[i].due_day =
                cards[i].last_day + (int64_t)fsrs_interval_days(&fsrs_weights,
                                                                cards[i].memory.stability_days,
                                                                plan.retention, plan.max_days);
        }
    }
}
