#!/usr/bin/env bash
# The pure rooms (base, num, calc, pipe, plan, coll, learn, view, ui, lessons) may not print, allocate, ask the clock, the environment or a
# random source, nor keep anything between calls. The proof is in their archives: every symbol that they need is
# one that they define, a pure function of libc or libm, or libunibreak's (ui only); and none has writable data.
# shellcheck source=common.bash
. "$(dirname "$0")/common.bash"

if [ -n "${ARCH_SANITIZE:-}" ]; then
    skip "sanitizers put their own symbols into the archives; the release build is checked"
fi
build=${ARCH_BUILD:?the build folder, with the archives of the rooms}
nm=${ARCH_NM:-nm}

# Functions of libc and libm that look only at their arguments, and what compilers call on their own.
allowed='memchr memcmp memcpy memmove memset strchr strcmp strcspn strlen strncmp strnlen strpbrk strrchr
strspn strstr bcmp snprintf vsnprintf abs labs llabs bsearch qsort strtol strtoll strtoul strtoull strtod
cbrt ceil copysign exp exp2 expm1 fabs floor fma fmax fmin fmod frexp ilogb ldexp llround llrint log log10
log1p log2 lround lrint modf nearbyint nextafter pow remainder rint round scalbn sqrt trunc
__assert_fail __stack_chk_fail __isoc99_strtod __isoc23_strtol __isoc23_strtoul __isoc23_strtoll
__isoc23_strtoull __memcpy_chk __memmove_chk __memset_chk __snprintf_chk __vsnprintf_chk
__ctype_b_loc __ctype_tolower_loc __ctype_toupper_loc _GLOBAL_OFFSET_TABLE_
__divti3 __modti3 __udivti3 __umodti3 __muloti4 __cpu_model'
unibreak='init_linebreak set_linebreaks_utf8 set_linebreaks_utf16 set_linebreaks_utf32 is_line_breakable
lb_init_break_context lb_process_next_char'

# check_needs ALLOWED ARCHIVE...: symbols that no archive here defines and the list does not name.
check_needs() {
    local list=$1
    shift
    "$nm" -A "$@" 2>/dev/null | awk -v list="$list" '
        BEGIN { n = split(list, parts, /[ \n]+/); for (i = 1; i <= n; i++) allowed[parts[i]] = 1 }
        NF < 2 { next }
        $(NF - 1) == "U" { needs[++count] = $1 " " $NF; next }
        NF >= 3 { defined[$NF] = 1 }
        END {
            for (i = 1; i <= count; i++) {
                split(needs[i], parts, " ")
                if (!(parts[2] in allowed) && !(parts[2] in defined)) {
                    sub(/.*\//, "", parts[1])
                    print parts[1] " needs " parts[2] ", which is not pure"
                }
            }
        }'
}

# check_state ARCHIVE...: variables that can be written. Tables of const pointers are relocated once by the
# loader (.data.rel.ro) and are read-only afterwards.
check_state() {
    "$nm" -A -f sysv --defined-only "$@" 2>/dev/null | awk -F'|' '
        { section = $NF; gsub(/ /, "", section) }
        section ~ /^(\.data|\.bss|\.tdata|\.tbss|\*COM\*|COMMON)/ && section !~ /^\.data\.rel\.ro/ {
            name = $1
            gsub(/ /, "", name)
            sub(/.*\//, "", name)
            print name " can be written between calls (" section ")"
        }'
}

# compile_room NAME: standard input becomes the archive libNAME.a in the scratch folder.
compile_room() {
    "${ARCH_CC:-cc}" -std=c17 -w -x c -c - -o "$arch_scratch/$1.o"
    ar rc "$arch_scratch/lib$1.a" "$arch_scratch/$1.o"
}

compile_room bad <<'BAD'
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
static int calls;
int shared[4];
int once = 7;
static _Thread_local int mine;
void *bad(void) { static long kept; kept += ++calls + ++mine; printf("%s %ld", getenv("HOME"), kept);
                  return malloc((size_t)time(NULL) + (size_t)rand()); }
BAD
for name in printf getenv malloc time rand; do
    must_find "needs $name," check_needs "$allowed" "$arch_scratch/libbad.a"
done
for name in calls shared once mine kept; do
    must_find "$name" check_state "$arch_scratch/libbad.a"
done
compile_room good <<'GOOD'
#include <math.h>
#include <stdio.h>
static const char *const names[] = {"a", "b"};
const char *const *good_names(void) { return names; }
int good(char *out, double x) { return snprintf(out, 8, "%s%g", names[x > 1], pow(x, 2.5)); }
GOOD
must_pass check_needs "$allowed" "$arch_scratch/libgood.a"
must_pass check_state "$arch_scratch/libgood.a"

archives=()
for room in base num calc pipe plan coll learn view lessons ui; do
    if ! [ -f "$build/lib$room.a" ]; then
        echo "lib$room.a, the archive of a pure room, was not found in the build folder"
        exit 1
    fi
    archives+=("$build/lib$room.a")
done

check_all() {
    check_needs "$allowed $unibreak" "${archives[@]}"
    check_state "${archives[@]}"
}
settle check_all
