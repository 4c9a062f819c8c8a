/* Promises that a declaration makes to the compiler. */
#ifndef BASE_ATTRIBUTES_H
#define BASE_ATTRIBUTES_H

#define MUST_USE __attribute__((warn_unused_result))

#endif
