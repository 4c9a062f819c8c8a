/* Names of the kinds of questions. Proof: tests/unit/store/test_questions.c. */
#include "shardlab/base/question.h"

#include <assert.h>

const char *question_kind_name(enum question_kind kind) {
    static const char *const names[QUESTION_KINDS] = {"choice", "number", "order", "derive",
                                                      "recall"};
    assert(kind >= 0 && kind < QUESTION_KINDS);
    return names[kind];
}
