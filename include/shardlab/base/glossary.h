/* The terms of the subject, each with its names and an explanation in both languages, and the forms by which texts
 * name it. Plain data that `store` reads from assets/glossary.json and owns; finding is here, because the screen, the
 * command line and tests find alike. Proof: tests/unit/base/test_glossary.c. */
#ifndef BASE_GLOSSARY_H
#define BASE_GLOSSARY_H

#include <stdbool.h>

enum { GLOSSARY_TERMS_MAX = 512 };

struct glossary_term {
    const char *id;       /* "shard": the name in links */
    const char *name[2];  /* English, Chinese: "data parallelism (DP)" */
    const char *means[2]; /* what it is, in a sentence */
};

/* A text that stands for a term: "data parallelism", "DP", "数据并行". */
struct glossary_form {
    const char *text;
    int term;
};

struct glossary {
    const struct glossary_term *terms;
    int count;
    const struct glossary_form *forms; /* sorted by their first byte, capitals as small letters */
    int form_count;
};

/* The term with this id; -1: none. */
int glossary_find(const struct glossary *g, const char *id);

/* Whether every one of `words` (between blanks) stands somewhere in the names, whatever the case and the width of the
 * letters. No words: true. */
bool glossary_matches(const struct glossary_term *term, const char *words);

/* Sets found[i] for each term that `text` names; the others stay as they were. Of forms that overlap the first counts, of
 * those that start together the longest, so that 全收集 is not also 收集. Letters in any case, but for forms without small
 * ones (DP, SM); a plural s is not needed. Names of figures, {{…}}, are no words. */
void glossary_mark(const struct glossary *g, const char *text, bool *found);

/* Whether `text` begins with `words`, whatever the case and the width of the letters. */
bool glossary_begins(const char *text, const char *words);

/* Whether each word of `words` (between blanks) stands in `text`, whatever the case and the width of the letters. */
bool glossary_text_has(const char *text, const char *words);

#endif
