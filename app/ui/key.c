/* Keys as the program knows them. An input method left in full-width mode sends ？ for ?: both are
 * the same key. Called by `term` before anything looks at a key. Proof:
 * tests/unit/ui/test_action.c. */
#include "shardlab/ui/key.h"

uint32_t ui_key_fold(uint32_t key) {
    if (key >= 0xFF01 && key <= 0xFF5E) {
        return key - 0xFF01 + '!';
    }
    switch (key) {
    case 0x3000:
        return ' ';
    case 0x3002: /* what a Chinese input method makes of . [ and ] */
        return '.';
    case 0x3010:
        return '[';
    case 0x3011:
        return ']';
    default:
        return key;
    }
}
