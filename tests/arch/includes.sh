#!/usr/bin/env bash
# The include matrix: who may know whom, read from every #include of app/, lessons/ and include/ and compared with
# borders.txt; and the `room` lines of CMakeLists.txt against the same table. Reports FILE:LINE for each crossing.
# shellcheck source=common.bash
. "$(dirname "$0")/common.bash"

# check_table ROOT TABLE: the CMake lines and the table say the same.
check_table() {
    diff <(sed -n 's/^room(\([^)]*\)).*/\1/p' "$1/CMakeLists.txt" | awk '{ $1 = $1; print }') \
        <(awk '!/^#/ && NF { $1 = $1; print }' "$2") |
        sed -n 's/^</CMakeLists.txt:1: not in borders.txt: room/p; s/^>/borders.txt:1: not in CMakeLists.txt:/p'
}

# check_includes ROOT TABLE
check_includes() {
    local files=()
    mapfile -t files < <(c_files "$1" app lessons include)
    if [ "${#files[@]}" -eq 0 ]; then
        echo "$1:1: no source file was found"
        return
    fi
    (cd "$1" && awk -v table="$2" -f "$arch_here/includes.awk" "${files[@]}")
}

table=$arch_here/borders.txt

plant CMakeLists.txt <<<'room(calc base view)'
must_find 'calc base view' check_table "$arch_scratch" "$table"
plant app/calc/a.c <<'BAD'
#include "shardlab/calc/a.h"
#include "shardlab/ui/grid.h"
#include <cjson/cJSON.h>
#include <time.h>
#include "../view/view_private.h"
#include "missing_private.h"
#  include <curses.h>
#include <linebreak.h>
BAD
plant app/shell/b.c <<<'#include <check.h>'
plant app/cli/c.c <<<'#include <curses.h>'
plant app/ranks/e.c <<<'#include <mpi.h>'
plant app/other/d.c <<<'#include <stdio.h>'
plant include/shardlab/base/e.h <<<'#include "shardlab/store/store.h"'
for finding in 'app/calc/a.c:2: calc may not use ui' 'app/calc/a.c:3: ' 'app/calc/a.c:4: ' 'app/calc/a.c:5: ' \
    'app/calc/a.c:6: ' 'app/calc/a.c:7: ' 'app/calc/a.c:8: ' 'app/shell/b.c:1: ' 'app/cli/c.c:1: ' \
    'app/other/d.c:1: ' 'app/ranks/e.c:1: ranks may not use mpi' 'include/shardlab/base/e.h:1: base may not use store'; do
    must_find "$finding" check_includes "$arch_scratch" "$table"
done
rm -r "$arch_scratch/app" "$arch_scratch/include"
plant app/ui/a.c <<'GOOD'
#include "shardlab/ui/grid.h"

#include <linebreak.h>
#include <stdint.h>

#include "a_private.h"
#include "shardlab/base/words.h"
/* #include <curses.h> in a comment is a word */
GOOD
plant app/ui/a_private.h <<<'#include "shardlab/view/width.h"'
plant app/term/a.c <<<'#include <curses.h>'
plant lessons/10_one/lesson.c <<<'#include "../registry_private.h"'
plant lessons/registry_private.h <<<'#include "shardlab/lesson/lesson.h"'
must_pass check_includes "$arch_scratch" "$table"

check_all() {
    check_table "$@"
    check_includes "$@"
}
settle check_all "$arch_root" "$table"
