/* The classes of vectors_papers.csv that tests/unit/num/test_vectors.c computes, every row of them: the account of all
 * rows, which stands in another room's test, counts them as expressed. */
#ifndef SUPPORT_FORMAT_CLASSES_H
#define SUPPORT_FORMAT_CLASSES_H

#include <stdbool.h>
#include <string.h>

static const char *const format_classes[] = {
    "fmt.max",
    "fmt.min_normal",
    "fmt.min_subnormal",
    "fmt.ulp_at_1",
    "fmt.bf16_add",
    "fmt.bf16_next_after",
    "fmt.dynamic_range_binades",
    "fmt.e4m3_nan_patterns",
    "mx.effective_bits",
    "nvfp4.global_scale_denominator",
    "mp.lost_update_ratio",
    "mp.weight_storage_overhead_pct",
};
enum { FORMAT_CLASSES = sizeof format_classes / sizeof format_classes[0] };

static inline bool is_format_class(const char *quantity) {
    for (int i = 0; i < FORMAT_CLASSES; i++) {
        if (strcmp(format_classes[i], quantity) == 0) {
            return true;
        }
    }
    return false;
}

#endif
