#!/usr/bin/env bash
# Lesson folders are complete: lesson.c, zh.md and en.md; the two languages have the same pages, the same headings
# by level and the same figures {{name}}; and the registry knows the folder's lesson.
# shellcheck source=common.bash
. "$(dirname "$0")/common.bash"

# shape FILE: the level of each heading, and each {{name}}, in an order that both languages share.
shape() {
    sed -n 's/^\(##*\) .*/\1/p' "$1"
    grep -o '{{[^}]*}}' "$1" | sort
}

# check_lessons ROOT
check_lessons() {
    local root=$1 folder file base count=0
    for folder in "$root"/lessons/*/; do
        [ -d "$folder" ] || continue
        count=$((count + 1))
        base=lessons/$(basename "$folder")
        if ! [[ $(basename "$folder") =~ ^[0-9]{2}_[a-z0-9_]+$ ]]; then
            echo "$base:1: a folder is called NN_name"
        fi
        for file in lesson.c zh.md en.md; do
            [ -s "$folder$file" ] || echo "$base/$file:1: is missing or empty"
        done
        if [ -f "${folder}zh.md" ] && [ -f "${folder}en.md" ]; then
            if ! diff <(shape "${folder}zh.md") <(shape "${folder}en.md") >/dev/null; then
                echo "$base/zh.md:1: headings or figures differ from en.md"
            fi
            grep -q '^# ' "${folder}en.md" || echo "$base/en.md:1: has no page (# title)"
            grep -n $'[\xe4-\xe9][\x80-\xbf][\x80-\xbf]' "${folder}en.md" | sed "s|:.*|: Chinese in the English text|;s|^|$base/en.md:|"
            grep -q $'[\xe4-\xe9][\x80-\xbf][\x80-\xbf]' "${folder}zh.md" || echo "$base/zh.md:1: has no Chinese"
        fi
        file=$(basename "$folder")
        grep -q "lesson_${file#[0-9][0-9]_}" "$root/lessons/registry.c" 2>/dev/null ||
            echo "lessons/registry.c:1: does not name lesson_${file#[0-9][0-9]_}"
    done
    [ "$count" -gt 0 ] || echo "lessons:1: there is no lesson"
}

must_find 'lessons:1: there is no lesson' check_lessons "$arch_scratch"
plant lessons/10_one/lesson.c <<<'const int lesson_one = 1;'
plant lessons/10_one/zh.md <<<$'# 内存\n\n{{total}} 字节'
plant lessons/registry.c <<<'const int *const all[] = {&lesson_one};'
must_find '10_one/en.md:1: is missing' check_lessons "$arch_scratch"
plant lessons/10_one/en.md <<<$'# Memory\n\nbytes'
must_find '10_one/zh.md:1: headings or figures' check_lessons "$arch_scratch"
plant lessons/10_one/en.md <<<$'# Memory\n\n{{total}} 字'
must_find '10_one/en.md:3: Chinese' check_lessons "$arch_scratch"
plant lessons/10_one/en.md <<<$'# Memory\n\n{{total}} bytes'
must_pass check_lessons "$arch_scratch"
plant lessons/registry.c <<<'int none;'
must_find 'lessons/registry.c:1: does not name lesson_one' check_lessons "$arch_scratch"

settle check_lessons "$arch_root"
