#!/usr/bin/env bash
# What the tree may hold: the agreed top level and nothing else, no work left open, nothing switched off, no proof
# named that is not there, no path of the machine that it was written on.
# shellcheck source=common.bash
. "$(dirname "$0")/common.bash"

# tree_files ROOT: what is, or would be, committed.
tree_files() {
    if git -C "$1" rev-parse --git-dir >/dev/null 2>&1; then
        git -C "$1" ls-files --cached --others --exclude-standard
    else
        (cd "$1" && find . -path ./build -prune -o -type f -print | sed 's|^\./||')
    fi | sort
}

# check_top ROOT
check_top() {
    tree_files "$1" | cut -d/ -f1 | sort -u | sed '/^$/d' |
        grep -vxE 'app|lessons|include|tests|assets|CMakeLists\.txt|CMakePresets\.json|README\.md|LICENSE|\..*' |
        sed 's/$/:1: is not in the agreed top level/'
    return 0
}

# check_pattern ROOT SAYS PATTERN FILE-REGEX: lines that match an extended regular expression.
check_pattern() {
    (cd "$1" && tree_files . | grep -E "$4" | tr '\n' '\0' | xargs -0 -r grep -snHE -- "$3" |
        sed "s|^\([^:]*:[0-9]*\):.*|\1: $2|")
    return 0
}

# check_machine ROOT FOLDER: lines that name the folder in which this checkout lies.
check_machine() {
    case $2 in / | /tmp | /home | /root | /usr/src | /srv | /opt) return 0 ;; esac
    (cd "$1" && tree_files . | tr '\n' '\0' | xargs -0 -r grep -snHIF -- "$2/" |
        sed "s|^\([^:]*:[0-9]*\):.*|\1: a path of this machine|")
    return 0
}

# check_proofs ROOT: files that a comment of the program names as its proof and that are not there.
check_proofs() {
    (cd "$1" && grep -rnoE --include='*.[ch]' 'tests/[A-Za-z0-9_./*-]*[A-Za-z0-9_/]' app include lessons 2>/dev/null |
        sort | while IFS=: read -r file line proof; do
        compgen -G "$proof*" >/dev/null || echo "$file:$line: names $proof, which is not there"
    done)
    return 0
}

sources='\.(c|h|md|txt|json|sh|bash|awk)$|^app/start$|^tests/run$|^\.ci/'
left_open='(^|[^A-Za-z_])(TO[D]O|FIX[M]E|XX[X]|HA[C]K)([^A-Za-z_]|$)'
switched_off='tcase_ski[p]|ck_assert\((1|true)\)|^[ \t]*#[ \t]*if[ \t]+0([^0-9]|$)'

printf 'int a; /* TO%s: mend */\n' DO | plant app/calc/a.c
plant tests/unit/calc/test_a.c <<<$'#if 0\n#endif'
plant notes.txt <<<"see $arch_scratch/elsewhere"
must_find 'notes.txt:1: is not' check_top "$arch_scratch"
must_find 'app/calc/a.c:1: left open' check_pattern "$arch_scratch" 'left open' "$left_open" "$sources"
must_find 'test_a.c:1: switched off' check_pattern "$arch_scratch" 'switched off' "$switched_off" "$sources"
plant app/calc/proved.c <<<'/* Proof: tests/unit/calc/test_none.c, tests/unit/calc/test_a.c. */'
must_find 'proved.c:1: names tests/unit/calc/test_none.c' check_proofs "$arch_scratch"
must_find 'notes.txt:1: a path' check_machine "$arch_scratch" "$arch_scratch"

check_all() {
    check_top "$1"
    check_pattern "$1" 'left open in the text' "$left_open" "$sources"
    check_pattern "$1" 'switched off, or a test that checks nothing' "$switched_off" "$sources"
    check_pattern "$1" 'a tab' $'\t' '\.(c|h)$'
    check_pattern "$1" 'space at the end of a line' '[ ]+$' '\.(c|h|sh|bash|awk|txt)$'
    check_proofs "$1"
    check_machine "$1" "$(dirname "$1")"
}
settle check_all "$arch_root"
