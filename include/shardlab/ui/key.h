/* Keys after decoding: a code point, or one of these. Full-width forms from an input method are folded to
 * half-width before anything looks (reference tui 2.2, IME). */
#ifndef UI_KEY_H
#define UI_KEY_H

#include <stdint.h>

enum {
    UI_KEY_ENTER = '\n',
    UI_KEY_TAB = '\t',
    UI_KEY_ESCAPE = 27,
    UI_KEY_SPACE = ' ',
    UI_KEY_BACKSPACE = 127,
    UI_KEY_CTRL_A = 1,
    UI_KEY_CTRL_B = 2,
    UI_KEY_CTRL_C = 3,
    UI_KEY_CTRL_E = 5,
    UI_KEY_CTRL_F = 6,
    UI_KEY_CTRL_G = 7,
    UI_KEY_CTRL_K = 11,
    UI_KEY_CTRL_L = 12,
    UI_KEY_CTRL_N = 14,
    UI_KEY_CTRL_P = 16,
    UI_KEY_CTRL_R = 18,
    UI_KEY_CTRL_T = 20,
    UI_KEY_CTRL_U = 21,
    UI_KEY_CTRL_X = 24,
    UI_KEY_UP = 0x110000,
    UI_KEY_DOWN,
    UI_KEY_LEFT,
    UI_KEY_RIGHT,
    UI_KEY_PAGE_UP,
    UI_KEY_PAGE_DOWN,
    UI_KEY_HOME,
    UI_KEY_END,
    UI_KEY_SHIFT_LEFT,
    UI_KEY_SHIFT_RIGHT,
    UI_KEY_BACK_TAB,
    UI_KEY_F1,
};

/* What a mouse did, on a cell of the grid. Only the left button and the wheel come. */
enum ui_mouse_kind {
    UI_MOUSE_PRESS,
    UI_MOUSE_DRAG, /* moved while pressed */
    UI_MOUSE_RELEASE,
    UI_MOUSE_WHEEL_UP,
    UI_MOUSE_WHEEL_DOWN,
};
struct ui_mouse {
    enum ui_mouse_kind kind;
    int row, col; /* from 0 */
};

/* U+FF01..U+FF5E, U+3000 and what an input method makes of . [ ] (。【】) to ASCII; everything else unchanged. */
uint32_t ui_key_fold(uint32_t key);

#endif
