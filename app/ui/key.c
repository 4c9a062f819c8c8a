/* Keys as the program knows them. An input method left in full-width mode sends ？ for ?: both are
 * the same key. Called by `term` before anything looks at a key. Proof:
 * tests/unit/ui/test_action.c. */
#include "shardlab/ui/key.h"

uint32_t ui_key_fold(uint32_t key) {
    if (key >= 0xFF01 && key <= 0xFF5E) {
        return key - 0xFF01 + '!';
    }
    return key == 0x3000 ? ' ' : key;
}
