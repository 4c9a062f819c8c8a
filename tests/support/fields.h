/* Records for tests of rooms that may not read files: "model_type='llama' hidden_size=4096
 * tied=true x=null l=[]" becomes one field a word. Values: a number, 'text' without blanks, true,
 * false, null; anything else stands for a list or an object. The record borrows from `storage`. */
#ifndef SUPPORT_FIELDS_H
#define SUPPORT_FIELDS_H

#include "shardlab/base/record.h"

enum { FIELDS_MAX = 32, FIELDS_TEXT_MAX = 1024 };

struct fields {
    struct field fields[FIELDS_MAX];
    char text[FIELDS_TEXT_MAX];
};

struct record fields_record(struct fields *storage, const char *words);

#endif
