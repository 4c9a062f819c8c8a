#!/usr/bin/env bash
# Files of at most 450 lines, functions of at most 70 lines and 5 parameters (wide_functions.txt names the
# exceptions). It reads the layout that clang-format gives: a function starts with a line at the left edge and ends
# with a brace there.
# shellcheck source=common.bash
. "$(dirname "$0")/common.bash"

# check_sizes ROOT EXCEPTIONS
check_sizes() {
    local files=()
    mapfile -t files < <(c_files "$1" app lessons include tests)
    if [ "${#files[@]}" -eq 0 ]; then
        echo "$1:1: no source file was found"
        return
    fi
    (cd "$1" && awk -v file_lines=450 -v function_lines=70 -v parameters=5 -v exceptions="$2" '
        BEGIN {
            while ((getline line < exceptions) > 0) if (line ~ /^[a-z]/) wide[line] = 1
        }
        function name_of(text) {
            sub(/\(.*/, "", text)
            sub(/.*[ *]/, "", text)
            return text
        }
        function commas_outside(text, n, depth, i, c) {
            n = 0; depth = 0
            for (i = 1; i <= length(text); i++) {
                c = substr(text, i, 1)
                if (c == "(") depth++
                if (c == ")" && --depth == 0) break
                if (c == "," && depth == 1) n++
            }
            return n
        }
        function end_of_file() {
            if (name != "" && lines > file_lines) print name ":" lines ": a file of " lines " lines"
        }
        FNR == 1 { end_of_file(); name = FILENAME; inside = 0; head = "" }
        { lines = FNR }
        inside {
            if ($0 ~ /^}/) {
                if (FNR - start + 1 > function_lines) {
                    print FILENAME ":" start ": a function of " FNR - start + 1 " lines"
                }
                inside = 0
                head = ""
            }
            next
        }
        /^[A-Za-z_]/ { start = FNR; head = "" }
        /^(#|\/| \*)/ { next }
        { head = head $0 }
        /;[ \t]*$/ && $0 !~ /\{/ { head = ""; next }
        /\{[ \t]*$/ && head ~ /\(/ && head !~ /=/ {
            inside = 1
            if (commas_outside(head) + 1 > parameters && name_of(head) in wide) {
                used[name_of(head)] = 1
            } else if (commas_outside(head) + 1 > parameters) {
                print FILENAME ":" start ": a function of " commas_outside(head) + 1 " parameters"
            }
        }
        /^}/ { head = "" }
        END {
            end_of_file()
            for (one in wide) if (!(one in used)) print "wide_functions.txt:1: no longer needed: " one
        }' "${files[@]}")
}

# A function of $1 lines, brace to brace.
function_of() {
    printf 'static int f(int a,\n             int b) {\n'
    for ((i = 0; i < $1 - 3; i++)); do echo '    a += b;'; done
    printf '}\n'
}

must_find ':1: no source' check_sizes "$arch_scratch" /dev/null
function_of 71 | plant app/calc/long.c
must_find 'app/calc/long.c:1: a function of 71 lines' check_sizes "$arch_scratch" /dev/null
function_of 70 | plant app/calc/long.c
must_pass check_sizes "$arch_scratch" /dev/null
for ((i = 0; i < 451; i++)); do echo; done | plant include/shardlab/calc/long.h
must_find 'include/shardlab/calc/long.h:451: a file of 451 lines' check_sizes "$arch_scratch" /dev/null
rm "$arch_scratch/include/shardlab/calc/long.h"
plant app/calc/many.c <<<$'int f(int a, void (*b)(int, int), int c,\n      int d, int e, int g) {\n    return 0;\n}'
must_find 'app/calc/many.c:1: a function of 6 parameters' check_sizes "$arch_scratch" /dev/null
plant app/calc/many.c <<<$'int f(int a, void (*b)(int, int), int c, int d, int e) {\n    return 0;\n}'
must_pass check_sizes "$arch_scratch" /dev/null
plant wide.txt <<<g
plant app/calc/many.c <<<$'int g(int a, int b, int c, int d, int e, int g) {\n    return 0;\n}'
must_pass check_sizes "$arch_scratch" "$arch_scratch/wide.txt"
plant app/calc/many.c <<<$'int g(int a) {\n    return 0;\n}'
must_find 'no longer needed: g' check_sizes "$arch_scratch" "$arch_scratch/wide.txt"

settle check_sizes "$arch_root" "$arch_here/wide_functions.txt"
