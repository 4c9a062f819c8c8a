/* What lists with typing share: every letter is text, the focus moves over the rows that match, and a line above says
 * what is typed and how many match. The rows themselves belong to the screens (picker_screen.c, glossary_screen.c).
 * Proof: tests/journeys/picker.txt, tests/journeys/glossary.txt. */
#include "app_private.h"
#include "shardlab/view/width.h"

enum { GAP = 2, COUNTS_MAX = 64 };

static unsigned move_to(struct app_list *list, int target, int count) {
    target = target >= count ? count - 1 : target;
    target = target < 0 ? 0 : target;
    if (target == list->at) {
        return 0;
    }
    list->at = target;
    return APP_EFFECT_VIEW;
}

/* After typing the first match has the focus, so that a name and Enter are enough. */
static unsigned retyped(struct app_list *list, bool changed) {
    if (!changed) {
        return 0;
    }
    list->at = list->scroll = 0;
    return APP_EFFECT_VIEW;
}

unsigned app_list_type(struct app *app, struct app_list *list, uint32_t key) {
    unsigned spoke = app->status.id != NULL ? APP_EFFECT_VIEW : 0;
    app->status.id = NULL;
    return spoke | retyped(list, app_typed_add(&list->typed, key));
}

bool app_list_action(struct app_list *list, enum ui_action action, int count, unsigned *effects) {
    int screenful = list->visible > 2 ? list->visible - 1 : 1;
    switch (action) {
    case UI_ACTION_UP:
        *effects = move_to(list, list->at - 1, count);
        return true;
    case UI_ACTION_DOWN:
        *effects = move_to(list, list->at + 1, count);
        return true;
    case UI_ACTION_PAGE_UP:
        *effects = move_to(list, list->at - screenful, count);
        return true;
    case UI_ACTION_PAGE_DOWN:
        *effects = move_to(list, list->at + screenful, count);
        return true;
    case UI_ACTION_FIRST:
        *effects = move_to(list, 0, count);
        return true;
    case UI_ACTION_LAST:
        *effects = move_to(list, count - 1, count);
        return true;
    case UI_ACTION_ERASE:
        *effects = retyped(list, app_typed_erase(&list->typed));
        return true;
    case UI_ACTION_CLEAR:
        app_typed_clear(&list->typed);
        *effects = retyped(list, true);
        return true;
    default:
        return false;
    }
}

void app_list_typed_draw(struct app *app, struct grid *g, struct rect area,
                         const struct app_list *list, const struct app_list_counts *counts) {
    char text[COUNTS_MAX];
    struct writer w;
    writer_start(&w, text, sizeof text);
    writer_u64(&w, (uint64_t)counts->count);
    writer_char(&w, '/');
    writer_u64(&w, (uint64_t)counts->total);
    grid_put_right(g, area, area.row, area.col + area.cols, text, UI_ROLE_DIM);
    struct rect line = {area.row, area.col, 1, area.cols - width_text(text, &g->rules) - GAP};
    int col = grid_put(g, line, line.row, line.col, words_get(app->look.words, "home.filter"),
                       UI_ROLE_STRONG);
    if (list->typed.length == 0) {
        grid_put(g, line, line.row, col, words_get(app->look.words, counts->empty), UI_ROLE_DIM);
        g->cursor_col = col;
    } else {
        g->cursor_col = grid_put(g, line, line.row, col, list->typed.text, UI_ROLE_TEXT);
    }
    g->cursor_row = line.row;
}
