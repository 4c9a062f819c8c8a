/* Views of number formats for tests of readers: 0.1 in fp16 and its neighbours, three formats with two marks, and the
 * words they need in both languages. Header-only, so that a test links no more than its own room. */
#ifndef SUPPORT_SAMPLE_NUMBERS_H
#define SUPPORT_SAMPLE_NUMBERS_H

#include <math.h>
#include <string.h>

#include "shardlab/base/words.h"
#include "shardlab/view/view.h"

static inline const char *sample_number_find(const void *book, const char *id) {
    static const struct {
        const char *id, *en, *zh;
    } table[] = {
        {"n.title", "0.1 in fp16: {0}", "0.1 存为 fp16：{0}"},
        {"n.remark", "error -2.44e-05, 0.40 of a step", "误差 -2.44e-05，即 0.40 个步长"},
        {"view.bits.sign", "sign", "符号"},
        {"view.bits.exponent", "exponent", "指数"},
        {"view.bits.mantissa", "mantissa", "尾数"},
        {"view.bits.unused", "unused", "未用"},
        {"view.bits.below", "next below", "下一个较小值"},
        {"view.bits.value", "value", "值"},
        {"view.bits.above", "next above", "下一个较大值"},
        {"view.ranges.subnormal", "subnormal", "次正规数"},
        {"view.ranges.normal", "normal", "正规数"},
        {"view.ranges.max", "largest", "最大值"},
    };
    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++) {
        if (strcmp(table[i].id, id) == 0) {
            return *(const int *)book != 0 ? table[i].zh : table[i].en;
        }
    }
    return NULL;
}

static inline struct words sample_number_book(bool chinese) {
    static const int books[] = {0, 1};
    return (struct words){.book = &books[chinese ? 1 : 0],
                          .find = sample_number_find,
                          .unit = UNIT_GB,
                          .chinese = chinese};
}

static inline void sample_field(struct view_bits *bits, struct view_bits_field field,
                                const char *meaning) {
    strcpy(field.meaning, meaning);
    bits->fields[bits->field_count++] = field;
}

/* 0.1 in fp16. */
static inline struct view_bits *sample_bits(struct view *v) {
    struct view_bits *bits = &view_add(v, VIEW_KIND_BITS)->bits;
    message_start(&bits->title, "n.title");
    message_add_text(&bits->title, "0x2e66");
    message_start(&bits->remark, "n.remark");
    bits->known = true;
    bits->code = 0x2E66;
    sample_field(bits, (struct view_bits_field){"sign", "view.bits.sign", VIEW_BITS_SIGN, 1, 0, ""},
                 "+");
    sample_field(
        bits,
        (struct view_bits_field){"exponent", "view.bits.exponent", VIEW_BITS_EXPONENT, 5, 11, ""},
        "2^-4");
    sample_field(
        bits,
        (struct view_bits_field){"mantissa", "view.bits.mantissa", VIEW_BITS_MANTISSA, 10, 614, ""},
        "1.599609375");
    bits->input = 0.1;
    bits->value = 0.0999755859375;
    bits->below = 0.09991455078125;
    bits->above = 0.10003662109375;
    return bits;
}

/* The widest there is: 32 bits, long meanings, long neighbours. */
static inline struct view_bits *sample_wide_bits(struct view *v) {
    struct view_bits *bits = sample_bits(v);
    bits->fields[1].bits = 8;
    bits->fields[2].bits = 10;
    strcpy(bits->fields[2].meaning, "1.000976562500000123456789012");
    sample_field(
        bits, (struct view_bits_field){"unused", "view.bits.unused", VIEW_BITS_UNUSED, 13, 0, ""},
        "");
    bits->below = -1.1754943508222875e-38;
    bits->above = 1.1754943508222875e-38;
    bits->value = 0;
    return bits;
}

static inline struct view_ranges *sample_ranges(struct view *v) {
    struct view_ranges *ranges = &view_add(v, VIEW_KIND_RANGES)->ranges;
    message_start(&ranges->title, "n.title");
    message_add_text(&ranges->title, "ranges");
    ranges->row_count = 3;
    ranges->rows[0] = (struct view_range){"fp16", 0x1p-24, 0x1p-14, 65504};
    ranges->rows[1] = (struct view_range){"e4m3", 0x1p-9, 0x1p-6, 448};
    ranges->rows[2] = (struct view_range){"e8m0", (double)NAN, 0x1p-16, 0x1p16};
    ranges->current = 1;
    ranges->mark_count = 2;
    ranges->marks[0] = (struct view_mark){1, "one"};
    ranges->marks[1] = (struct view_mark){-0x1p-20, "tiny"};
    return ranges;
}

#endif
