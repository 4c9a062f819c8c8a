/* A line that somebody types into, for the screens that take text: the filter of a list, the words of a search.
 * Characters are folded before they come (ui/key.h). Owned by the state of the application.
 * Proof: tests/journeys/picker.txt. */
#include "app_private.h"
#include "shardlab/ui/key.h"

bool app_typed_add(struct app_typed *t, uint32_t key) {
    char bytes[8];
    struct writer w;
    if (key < UI_KEY_SPACE || key == UI_KEY_BACKSPACE || key >= UI_KEY_UP) {
        return false;
    }
    writer_start(&w, bytes, sizeof bytes);
    writer_code_point(&w, key);
    if (t->length + w.length >= sizeof t->text) {
        return false;
    }
    for (size_t i = 0; i <= w.length; i++) {
        t->text[t->length + i] = bytes[i];
    }
    t->length += w.length;
    return true;
}

bool app_typed_erase(struct app_typed *t) {
    if (t->length == 0) {
        return false;
    }
    do { /* a whole character goes */
        t->length--;
    } while (t->length > 0 && ((unsigned char)t->text[t->length] & 0xC0U) == 0x80U);
    t->text[t->length] = '\0';
    return true;
}

void app_typed_clear(struct app_typed *t) {
    t->length = 0;
    t->text[0] = '\0';
}
