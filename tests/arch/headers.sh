#!/usr/bin/env bash
# Every header of include/ compiles alone, with include/ as the only path: who includes one needs no second.
# shellcheck source=common.bash
. "$(dirname "$0")/common.bash"

# check_headers ROOT
check_headers() {
    local header said count=0
    while read -r header; do
        count=$((count + 1))
        if ! said=$(printf '#include "%s"\ntypedef int not_empty;\n' "${header#include/}" |
            "${ARCH_CC:-cc}" -std=c17 -Wall -Wextra -Wpedantic -Werror -I "$1/include" -fsyntax-only -x c - 2>&1); then
            printf '%s:1: does not compile alone\n%s\n' "$header" "$said"
        fi
        if ! grep -q '^#ifndef [A-Z0-9_]*_H$' "$1/$header"; then
            printf '%s:1: has no include guard ROOM_FILE_H\n' "$header"
        fi
    done < <(c_files "$1" include)
    [ "$count" -gt 0 ] || echo "include:1: no header was found"
}

must_find 'include:1:' check_headers "$arch_scratch"
plant include/shardlab/calc/bad.h <<'BAD'
#ifndef CALC_BAD_H
#define CALC_BAD_H
uint64_t calc_bad(size_t count);
#endif
BAD
must_find 'include/shardlab/calc/bad.h:1: does not compile alone' check_headers "$arch_scratch"
plant include/shardlab/calc/bad.h <<<'int calc_bad(void);'
must_find 'include/shardlab/calc/bad.h:1: has no include guard' check_headers "$arch_scratch"

settle check_headers "$arch_root"
