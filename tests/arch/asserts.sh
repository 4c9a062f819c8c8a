#!/usr/bin/env bash
# Every kind of build that CMake offers has flags of its own here: those it would take carry NDEBUG, which switches
# asserts off and leaves what only they read unused.
# shellcheck source=common.bash
. "$(dirname "$0")/common.bash"

# check_kinds ROOT
check_kinds() {
    local kind line
    for kind in DEBUG RELEASE RELWITHDEBINFO MINSIZEREL; do
        line=$(grep -n "^set(CMAKE_C_FLAGS_$kind \"" "$1/CMakeLists.txt")
        [ -n "$line" ] || echo "CMakeLists.txt:1: no flags for the kind of build $kind"
    done
    grep -n -- '-DNDEBUG' "$1/CMakeLists.txt" | sed 's|^\([0-9]*\):.*|CMakeLists.txt:\1: switches asserts off|'
    return 0
}

plant CMakeLists.txt <<<'set(CMAKE_C_FLAGS_RELEASE "-O2 -DNDEBUG")'
must_find 'CMakeLists.txt:1: no flags for the kind of build MINSIZEREL' check_kinds "$arch_scratch"
must_find 'CMakeLists.txt:1: switches asserts off' check_kinds "$arch_scratch"

settle check_kinds "$arch_root"
